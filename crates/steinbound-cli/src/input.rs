//! From files and options to points, domain and model.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use steinbound::fit::Problem;
use steinbound::model::Model;
use steinbound::{Error, Estimator, FitError, KernelError, Points};
use steinbound_io::names::{few, shown};
use steinbound_io::{Place, TableOptions};

use steinbound_report::Scene;

use crate::failure::Failure;
use crate::model::resolve;
use crate::options::{DataOptions, GeneralOptions, MethodOptions, ModelOptions, Values, note_unused};
use crate::output::Output;
use crate::region::Region;
use crate::tables::{read_sheet, without_options};

/// Everything a fitting command works on.
pub struct Input {
    pub data: Points<'static>,
    pub region: Region,
    pub model: Box<dyn Model>,
    pub estimator: Estimator,
    /// How further files are matched to the data.
    pub matching: Matching,
    /// The file of the data and where in it each row is, for messages.
    path: String,
    places: Vec<Place>,
    seed: u64,
}

impl Input {
    /// Reads the files and puts the estimator together, and tells of options that it does not use.
    pub fn load(
        general: &GeneralOptions,
        data: &DataOptions,
        model: &ModelOptions,
        method: &MethodOptions,
        at: Option<&Values>,
        output: &Output,
    ) -> Result<Input, Failure> {
        let input = Input::read(general, data, model, method, at, output)?;
        note_unused(data, model, method, &input.region, output);
        Ok(input)
    }

    /// Reads the files and puts the estimator together.
    pub fn read(
        general: &GeneralOptions,
        data: &DataOptions,
        model: &ModelOptions,
        method: &MethodOptions,
        at: Option<&Values>,
        output: &Output,
    ) -> Result<Input, Failure> {
        general.apply()?;
        let options = TableOptions {
            columns: data.columns.clone(),
            weights: data.rows.weights.clone(),
            cluster: data.rows.cluster.clone(),
            drop_missing: data.rows.drop_missing,
            format: data.text.format(),
        };
        let sheet = read_sheet(&data.data, &options, output)?;
        output.note_dropped(sheet.dropped, &sheet.path);
        if let Some(field) = &sheet.doubtful_header {
            output.note(&format!(
                "the first line of {} was taken for a header, although it holds the number {field}",
                sheet.path
            ));
        }
        if method.verbose {
            let (rows, names) = (sheet.lines.len(), sheet.names.join(", "));
            output.note(&format!("read {rows} rows of {names} from {}", sheet.path));
            if !sheet.left_out.is_empty() {
                let names = few(sheet.left_out.iter().map(String::as_str));
                output.note(&format!("columns left out because their first value is no number: {names}"));
            }
        }
        let matching = Matching {
            names: sheet.names.clone(),
            has_header: sheet.has_header,
            drop_missing: data.rows.drop_missing,
        };
        let path = sheet.path.clone();
        let places = (0..sheet.lines.len()).filter_map(|row| sheet.place(row)).collect();
        let mut points = sheet.into_points().map_err(|error| Failure::input(format!("{path}: {error}")))?;
        let region = Region::load(data, &mut points, &matching, output)?;
        let chosen = model.build(&points, at)?;
        let mut estimator = method
            .estimator(general.seed)
            .allow_outside(data.rows.allow_outside)
            .boundary_scheme(data.sampling.scheme());
        if let Some(points) = &region.boundary {
            estimator = estimator.boundary(points.clone());
        }
        if let Some(domain) = &region.domain {
            estimator = estimator.domain(domain.clone());
        }
        if let Some(count) = data.sampling.boundary_points {
            estimator = estimator.boundary_points(count);
        }
        if let Some(start) = chosen.start {
            estimator = estimator.start(region.onto_plane(chosen.model.as_ref(), start));
        }
        Ok(Input {
            data: points,
            region,
            model: chosen.model,
            estimator,
            matching,
            path,
            places,
            seed: general.seed,
        })
    }

    /// Parameters in reported order, as they were typed.
    pub fn typed_parameters(&self, values: &Values) -> Result<Vec<f64>, Failure> {
        resolve("--at", values, &self.model.reported_names(self.data.names()))
    }

    /// Parameters in reported order as the model sees them, from what was typed.
    pub fn parameters(&self, values: &Values) -> Result<Vec<f64>, Failure> {
        Ok(self.region.onto_plane(self.model.as_ref(), self.typed_parameters(values)?))
    }

    /// The problem the options describe, with its warnings told.
    pub fn problem(&self, output: &Output) -> Result<Problem<'_>, Failure> {
        self.told(self.estimator.check(&self.data, self.model.as_ref()), output)
    }

    /// The same, with bandwidth and ridge chosen where that was asked for.
    pub fn tuned_problem(&self, method: &MethodOptions, output: &Output) -> Result<Problem<'_>, Failure> {
        self.told(method.problem(&self.estimator, &self.data, self.model.as_ref()), output)
    }

    fn told<'a>(&self, problem: Result<Problem<'a>, Error>, output: &Output) -> Result<Problem<'a>, Failure> {
        let problem = problem.map_err(|error| self.explain(error))?;
        problem.warnings().iter().for_each(|warning| output.warn(warning));
        Ok(problem)
    }

    /// What JSON tells of a problem that is solved without a fit.
    pub fn described(&self, schema: &str, problem: &Problem, warnings: &[String], started: Instant) -> Value {
        let mut value = json!(problem.described());
        value["schema"] = json!(schema);
        value["projection"] = json!(self.region.shown_projection());
        value["warnings"] = json!(warnings);
        value["seconds"] = json!({ "total": started.elapsed().as_secs_f64() });
        value
    }

    /// What pictures of these data show, at parameters of the plane.
    pub fn scene<'a>(&'a self, problem: &'a Problem, scene: Scene<'a>) -> Scene<'a> {
        let scene = scene.domain(self.region.domain.as_deref()).boundary(problem.boundary()).seed(self.seed);
        match &self.region.projection {
            Some(_) => scene.labels(vec!["km to the east".into(), "km to the north".into()]).aspect(1.0),
            None if self.region.is_geographic && self.data.dimension() == 2 => {
                let latitude = self.data.mean()[1].clamp(-85.0, 85.0);
                scene.aspect(1.0 / latitude.to_radians().cos())
            }
            None => scene,
        }
    }

    /// Where a row of the data is, counted from zero.
    pub fn place(&self, row: usize) -> String {
        match self.places.get(row) {
            Some(place) => format!("{place} of {}", self.path),
            None => self.path.clone(),
        }
    }

    /// An error of the library as the user sees it: with the file where the data are at fault, and the option that helps.
    pub fn explain(&self, error: Error) -> Failure {
        let help = match &error {
            Error::Fit(FitError::OutsideDomain { first, .. }) => {
                let place = self.places.get(first - 1).map(|place| format!("{place} of the file; "));
                format!(" ({}--allow-outside keeps such points)", place.unwrap_or_default())
            }
            Error::Fit(FitError::ConstantColumn { .. }) => " (choose columns with --columns)".into(),
            Error::Fit(FitError::NoBoundary { .. }) => {
                return Failure::input(format!("{error} (--boundary FILE or --domain SPEC)"));
            }
            Error::Kernel(KernelError::ZeroMedian) => " (--bandwidth)".into(),
            Error::Fit(
                FitError::TooFewRows { .. }
                | FitError::MoreParametersThanData { .. }
                | FitError::NotIdentified { .. },
            )
            | Error::Points(_) => String::new(),
            _ => return Failure::input(error.to_string()),
        };
        Failure::input(format!("{}: {error}{help}", self.path))
    }
}

/// How further files of points are matched to the data's columns.
pub struct Matching {
    names: Vec<String>,
    has_header: bool,
    drop_missing: bool,
}

impl Matching {
    /// The names of the data's columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Points with the data's columns: by name where both files have headers, else in order.
    pub fn read(&self, what: &str, path: &Path, output: &Output) -> Result<Points<'static>, Failure> {
        let options = TableOptions { drop_missing: self.drop_missing, ..Default::default() };
        let mut sheet = read_sheet(path, &options, output).map_err(without_options)?;
        if self.has_header && sheet.has_header && sheet.names != self.names {
            if let Some(matched) = sheet.clone().with_columns(&self.names) {
                sheet = matched;
            } else if sheet.dimension() == self.names.len() {
                let (theirs, ours) = (list(&sheet.names), list(&self.names));
                output.note(&format!(
                    "the columns {theirs} of {} are taken for {ours}, in this order",
                    sheet.path
                ));
            }
        }
        output.note_dropped(sheet.dropped, &sheet.path);
        if sheet.dimension() != self.names.len() {
            return Err(Failure::input(format!(
                "the {what} {} has {} columns ({}) and the data have {} ({}); give the {what} the same columns, or \
                 choose the data's with --columns",
                sheet.path,
                sheet.dimension(),
                list(&sheet.names),
                self.names.len(),
                list(&self.names)
            )));
        }
        let path = sheet.path.clone();
        sheet.into_points().map_err(|error| Failure::input(format!("{path}: {error}")))
    }
}

/// Names for a message, not too many of them.
fn list(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(8).map(|name| shown(name)).collect();
    shown.join(", ") + if names.len() > 8 { ", .." } else { "" }
}

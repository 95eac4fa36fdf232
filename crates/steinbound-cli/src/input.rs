//! From files and options to points, domain and model.

use std::path::Path;
use std::sync::Arc;

use steinbound::domain::Domain;
use steinbound::fit::Problem;
use steinbound::model::Gaussian;
use steinbound::{Error, Estimator, FitError, KernelError, Matrix, Points};
use steinbound_io::names::shown;
use steinbound_io::{TableOptions, read_matrix, read_table};

use crate::failure::Failure;
use crate::options::{
    CovarianceShape, DataOptions, GeneralOptions, MethodOptions, ModelOptions, note_unused,
};
use crate::output::Output;

/// Everything a fitting command works on.
pub struct Input {
    pub data: Points<'static>,
    pub domain: Option<Arc<dyn Domain>>,
    pub model: Gaussian,
    pub estimator: Estimator,
    /// How further files are matched to the data.
    pub matching: Matching,
    /// The file of the data and the line of each row, for messages.
    path: String,
    lines: Vec<u64>,
}

impl Input {
    /// Reads the files and puts the estimator together.
    pub fn load(
        general: &GeneralOptions,
        data: &DataOptions,
        model: &ModelOptions,
        method: &MethodOptions,
        output: &Output,
    ) -> Result<Input, Failure> {
        general.apply()?;
        let sheet = read_table(
            &data.data,
            &TableOptions {
                columns: data.columns.clone(),
                weights: data.weights.clone(),
                cluster: data.cluster.clone(),
                drop_missing: data.drop_missing,
            },
        )?;
        if sheet.dropped > 0 {
            output.note(&format!("{} lines with missing values were left out", sheet.dropped));
        }
        if let Some(field) = &sheet.doubtful_header {
            output.note(&format!(
                "the first line of {} was taken for a header, although it holds the number {field}",
                sheet.path
            ));
        }
        if method.verbose {
            let (rows, names) = (sheet.lines.len(), sheet.names.join(", "));
            output.note(&format!("read {rows} rows of {names} from {}", sheet.path));
        }
        note_unused(data, model, method, output);
        let matching = Matching {
            names: sheet.names.clone(),
            has_header: sheet.has_header,
            drop_missing: data.drop_missing,
        };
        let mut estimator = method.estimator(general.seed).allow_outside(data.allow_outside);
        if let Some(path) = &data.boundary {
            estimator = estimator.boundary(matching.read_boundary(path, output)?);
        }
        let domain = match &data.domain {
            Some(spec) => Some(spec.build(sheet.dimension())?),
            None => None,
        };
        if let Some(domain) = &domain {
            estimator = estimator.domain(domain.clone());
        }
        if let Some(count) = data.sampling.boundary_points {
            estimator = estimator.boundary_points(count);
        }
        estimator = estimator.boundary_scheme(data.sampling.scheme());
        let model = gaussian(model, sheet.dimension())?;
        let (path, lines) = (sheet.path.clone(), sheet.lines.clone());
        let data = sheet.into_points().map_err(|error| Failure::input(format!("{path}: {error}")))?;
        Ok(Input { data, domain, model, estimator, matching, path, lines })
    }

    /// The problem the options describe, with its warnings told.
    pub fn problem(&self, output: &Output) -> Result<Problem<'_>, Failure> {
        let problem = self.estimator.check(&self.data, &self.model).map_err(|error| self.explain(error))?;
        problem.warnings().iter().for_each(|warning| output.warn(warning));
        Ok(problem)
    }

    /// An error of the library as the user sees it: with the file where the data are at fault, and the option that helps.
    pub fn explain(&self, error: Error) -> Failure {
        let help = match &error {
            Error::Fit(FitError::OutsideDomain { first, .. }) => {
                let line = self.lines.get(first - 1).copied().unwrap_or_default();
                format!(" (line {line} of the file; --allow-outside keeps such points)")
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
    fn read_boundary(&self, path: &Path, output: &Output) -> Result<Points<'static>, Failure> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
        if ["geojson", "json", "wkt", "shp"].contains(&extension.as_str()) {
            return Err(Failure::input(format!(
                "{}: this version reads boundary points from .csv files, one point per line; convert the map to points first",
                shown(&path.to_string_lossy())
            )));
        }
        self.read("boundary", path, output)
    }

    /// Points with the data's columns: by name where both files have headers, else in order.
    pub fn read(&self, what: &str, path: &Path, output: &Output) -> Result<Points<'static>, Failure> {
        let options = TableOptions { drop_missing: self.drop_missing, ..Default::default() };
        let mut sheet = read_table(path, &options)?;
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
        if sheet.dropped > 0 {
            output.note(&format!(
                "{} lines of {} with missing values were left out",
                sheet.dropped, sheet.path
            ));
        }
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

/// The Gaussian model that the options describe.
pub fn gaussian(options: &ModelOptions, dimension: usize) -> Result<Gaussian, Failure> {
    let Some(text) = &options.known_covariance else {
        return Ok(match options.covariance {
            Some(CovarianceShape::Diagonal) => Gaussian::diagonal(dimension),
            _ => Gaussian::full(dimension),
        });
    };
    let model = match known_covariance(text, dimension)? {
        Known::Variances(variances) => Gaussian::with_variances(&variances),
        Known::Matrix(matrix) => Gaussian::with_covariance(matrix),
    };
    model.map_err(|error| Failure::input(format!("--known-covariance: {error}")))
}

/// A covariance given by the user, of the data's dimension.
enum Known {
    Variances(Vec<f64>),
    Matrix(Matrix),
}

fn known_covariance(text: &str, dimension: usize) -> Result<Known, Failure> {
    let mismatch = |what: String| {
        Failure::input(format!(
            "--known-covariance is {what} and the data have {dimension} columns; give one number, {dimension} variances, \
             or a {dimension} by {dimension} matrix"
        ))
    };
    if text.to_lowercase().ends_with(".csv") {
        let matrix = read_matrix(Path::new(text))?;
        if (matrix.rows(), matrix.columns()) != (dimension, dimension) {
            return Err(mismatch(format!("a {} by {} matrix", matrix.rows(), matrix.columns())));
        }
        return Ok(Known::Matrix(matrix));
    }
    let number = |part: &str| {
        let value = crate::options::number(part).map_err(|message| {
            Failure::input(format!("--known-covariance: {message}; give numbers or a .csv file"))
        })?;
        if value > 0.0 && value.is_finite() {
            return Ok(value);
        }
        Err(Failure::input(format!(
            "--known-covariance: {value} is not a variance; variances are positive numbers"
        )))
    };
    let variances = text.split(',').map(number).collect::<Result<Vec<f64>, _>>()?;
    match variances.as_slice() {
        [single] => Ok(Known::Variances(vec![*single; dimension])),
        list if list.len() == dimension => Ok(Known::Variances(variances)),
        list => Err(mismatch(format!("a list of {} variances", list.len()))),
    }
}

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueHint};
use serde_json::json;
use steinbound::Points;
use steinbound::text::significant;
use steinbound_io::write;
use steinbound_report::{Report, Scene, pictures};

use crate::facts;
use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::options::{DataOptions, Format, GeneralOptions, MethodOptions, ModelOptions, Values, values};
use crate::output::Output;
use crate::pictures::PictureOptions;
use crate::summary::Settings;

/// Tell where, and in which direction, model and data disagree.
///
/// The witness is a vector field: where it is large, the data deviate from the model there, along its direction. It vanishes on the boundary. It is
/// evaluated on a grid or at the points of a file, at given parameters or fitted ones; the table is comma-separated.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help witness' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound witness points.csv --boundary border.csv --known-covariance 1 \\
      --at 0.5,0.5 --grid 40
  steinbound witness points.csv --boundary border.csv > witness.csv
  steinbound witness points.csv --boundary border.csv --points places.csv \\
      --format json
  steinbound witness points.csv --domain \"ball(radius=2)\" --method bdksd \\
      --known-covariance 1 --at 0,0")]
pub struct Witness {
    #[command(flatten)]
    pub data: DataOptions,
    /// The parameters in reported order [default: fitted].
    #[arg(help_heading = "Model", long, value_name = "P1,P2,..", value_parser = values, allow_hyphen_values = true)]
    pub at: Option<Values>,
    /// Evaluate on a grid of N points along each axis [default: 25].
    ///
    /// The grid spans data, boundary and domain. In more than two dimensions the default is to evaluate at the data.
    #[arg(
        help_heading = "Places",
        long,
        value_name = "N",
        conflicts_with = "points",
        allow_hyphen_values = true
    )]
    pub grid: Option<usize>,
    /// Evaluate at the points of a .csv file with the data's columns.
    #[arg(help_heading = "Places", long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub points: Option<PathBuf>,
    #[command(flatten)]
    pub model: ModelOptions,
    #[command(flatten)]
    pub method: MethodOptions,
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Witness {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.pictures.check()?;
        let input =
            Input::load(&self.general, &self.data, &self.model, &self.method, self.at.as_ref(), output)?;
        if self.method.statistic.is_some() && self.at.is_some() {
            output.note("--statistic has no effect on the witness, which belongs to the V-statistic");
        }
        self.data.note_no_clusters(output);
        self.method.note_no_tuning(output);
        let started = Instant::now();
        let problem = input.problem(output)?;
        let at = match &self.at {
            Some(at) => input.parameters(at)?,
            None => {
                let fit = problem.fit().map_err(|error| input.explain(error))?;
                if !fit.is_trustworthy() {
                    let reasons = fit.warnings.join("; ");
                    return Err(Failure::input(format!(
                        "the fit has no parameters at which to evaluate the witness: {reasons}; give them with --at"
                    )));
                }
                fit.estimates()
            }
        };
        let targets = self.targets(&input, problem.boundary(), output)?;
        let shown_targets = input.region.in_degrees(&targets)?;
        let shown_boundary = match problem.boundary() {
            Some(boundary) => Some(input.region.in_degrees(boundary)?),
            None => None,
        };
        let found = problem.witness(&at, &targets).map_err(|error| input.explain(error))?;
        if self.method.verbose {
            Settings::of(&problem, started).tell(output);
        }
        match self.general.format {
            Format::Json => output.json(&json!({
                "schema": "steinbound.witness/1",
                "method": self.method.method,
                "at": input.region.out_of_plane_values(input.model.as_ref(), at.clone()),
                "projection": input.region.shown_projection(),
                "discrepancy": found.discrepancy,
                "points": shown_targets.rows().collect::<Vec<_>>(),
                "g": found.values.transpose(),
                "inside": input.region.domain.as_ref().map(|domain| targets.rows().map(|x| domain.contains(x)).collect::<Vec<_>>()),
                "boundary": shown_boundary.as_ref().map(|b| b.rows().map(<[f64]>::to_vec).collect::<Vec<_>>()),
                "multipliers": found.multipliers.as_ref().map(|m| m.transpose()),
            }))?,
            Format::Table => {
                let names = input.data.names();
                let header = names.iter().cloned().chain(names.iter().map(|name| format!("g[{name}]")));
                let row = |i: usize| {
                    let g = (0..names.len()).map(|l| found.values[(i, l)]).collect::<Vec<_>>();
                    [shown_targets.row(i), &g].concat()
                };
                let rows: Vec<Vec<f64>> = (0..targets.len()).map(row).collect();
                let table = Points::from_rows(&rows).and_then(|points| points.with_names(header));
                let table = table.map_err(steinbound::Error::from)?;
                write::points(output.result(), &table)?;
            }
        }
        // A reader who has stopped reading may still want the pictures.
        let printed = output.finish();
        let model = input.model.as_ref();
        let scene = Scene::at(&input.data, model, &at);
        let scene = if self.at.is_some() { scene } else { scene.fitted() };
        let scene = input.scene(&problem, scene);
        self.pictures.plot(|| Ok(pictures::witness(&scene, &problem)?), output)?;
        let page = || -> Result<Report, Failure> {
            Ok(Report::new(format!("Where a {} model and the data disagree", model.name()))
                .warnings(problem.warnings())
                .facts(facts::of_data(&self.data, &input))
                .facts(facts::of_model(&self.model, self.model.components.as_slice()))
                .problem_facts(&problem, model.name(), self.general.seed)
                .fact("parameters", self.shown_parameters(&input, &at))
                .fact("discrepancy", significant(found.discrepancy))
                .scene(&scene, &problem))
        };
        self.pictures.report(page, output)?;
        printed?;
        Ok(Verdict::Fine)
    }

    /// Parameters with their names, given or fitted.
    fn shown_parameters(&self, input: &Input, at: &[f64]) -> String {
        let names = input.model.reported_names(input.data.names());
        let values = input.region.out_of_plane_values(input.model.as_ref(), at.to_vec());
        let shown = |(name, value): (&String, &f64)| format!("{name} = {}", significant(*value));
        let list: Vec<String> = names.iter().zip(&values).map(shown).collect();
        format!("{} ({})", list.join(", "), if self.at.is_some() { "given" } else { "fitted" })
    }

    fn targets(
        &self,
        input: &Input,
        boundary: Option<&Points>,
        output: &Output,
    ) -> Result<Points<'static>, Failure> {
        let dimension = input.data.dimension();
        if let Some(path) = &self.points {
            let points = input.matching.read("file of points", path, output)?;
            return input.region.flattened(points);
        }
        let side = match self.grid {
            Some(side) => side,
            None if dimension <= 2 => 25,
            None => return Ok(input.data.clone()),
        };
        let count = (0..dimension).try_fold(1usize, |count, _| count.checked_mul(side));
        let count = match count {
            Some(count) if side >= 2 && count <= 4_000_000 => count,
            _ => {
                return Err(Failure::input(format!(
                    "--grid {side} in {dimension} dimensions is not a usable grid; give 2 or more, with at most 4,000,000 \
                     points in all, or list the points with --points"
                )));
            }
        };
        let mut bounds = input.data.bounds();
        let boundary = boundary.filter(|points| !points.is_empty()).map(Points::bounds);
        let domain = input.region.domain.as_ref().map(|domain| domain.bounds());
        for other in boundary.into_iter().chain(domain) {
            for (bound, (low, high)) in bounds.iter_mut().zip(other) {
                if low.is_finite() {
                    bound.0 = bound.0.min(low);
                }
                if high.is_finite() {
                    bound.1 = bound.1.max(high);
                }
            }
        }
        let mut values = Vec::with_capacity(count * dimension);
        for index in 0..count {
            let mut rest = index;
            for (low, high) in &bounds {
                let step = (rest % side) as f64 / (side - 1) as f64;
                values.push(low + (high - low) * step);
                rest /= side;
            }
        }
        Ok(Points::new(values, dimension).map_err(steinbound::Error::from)?)
    }
}

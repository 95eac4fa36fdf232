use std::path::PathBuf;

use clap::{Args, ValueHint};
use steinbound::text::significant;
use steinbound_io::write;
use steinbound_report::{Report, Scene, pictures};
use steinbound_request::{Listener, Targets, Values, WitnessAnswer, options};

use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::options::{DataOptions, DiscrepancyOptions, Format, GeneralOptions, ModelOptions, values};
use crate::output::Output;
use crate::pictures::PictureOptions;
use crate::{facts, summary};

/// Show where, and in which direction, model and data disagree.
///
/// The witness is a vector field: where it is large, the data deviate from the model there, along its
/// direction. It vanishes on the boundary. It is evaluated on a grid or at the points of a file, at given
/// parameters or fitted ones; the table is comma-separated.
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
    /// The grid spans data, boundary and domain. In more than two dimensions the default is to evaluate at
    /// the data.
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
    pub method: DiscrepancyOptions,
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Witness {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.pictures.check()?;
        let (general, method, at) = (&self.general, &self.method.as_method(), self.at.as_ref());
        let input = Input::load(general, &self.data, &self.model.given(), method, &[], at, output)?;
        if method.given.is_given(&options::STATISTIC) && at.is_some() {
            output.note("--statistic has no effect on the witness, which belongs to the V-statistic");
        }
        self.data.note_no_clusters(output);
        method.note_no_tuning(output);
        let problem = input.problem(output)?;
        let targets = match (&self.points, self.grid) {
            (Some(path), _) => Targets::Points(input.matching.read("file of points", path, output)?),
            (None, Some(side)) => Targets::Grid(side),
            (None, None) => Targets::Default,
        };
        let answer = input.witness(&problem, at, targets)?;
        let new = answer.warnings.iter().filter(|warning| !problem.warnings().contains(warning));
        new.for_each(|warning| output.warning(warning));
        if method.verbose {
            summary::note_setup(problem.setup(), input.seconds(), output);
        }
        match general.format {
            Format::Json => output.json(&answer.json())?,
            Format::Table => write::points(output.result(), &answer.rows()?)?,
        }
        // A reader who has stopped reading may still want the pictures.
        let printed = output.finish();
        let model = input.model();
        let scene = Scene::at(&input.data, model, &answer.flat_at);
        let scene = if answer.is_fitted { scene.fitted() } else { scene };
        let scene = scene.in_region(&input, &problem);
        self.pictures.plot(|| Ok(pictures::witness(&scene, &problem)?), output)?;
        let page = || -> Result<Report, Failure> {
            Ok(Report::new(format!("Where a {} model and the data disagree", model.name()))
                .warnings(&answer.warnings)
                .facts(facts::of_data(&self.data, &input))
                .facts(facts::of_model(&self.model.given(), &self.model.component_texts()))
                .problem_facts(&problem, model.name(), general.seed)
                .fact("parameters", shown_parameters(&input, &answer))
                .fact("discrepancy", significant(answer.found.discrepancy))
                .scene(&scene, &problem))
        };
        self.pictures.report(page, output)?;
        printed?;
        Ok(Verdict::of(answer.is_sound))
    }
}

/// Parameters with their names, given or fitted.
fn shown_parameters(input: &Input, answer: &WitnessAnswer) -> String {
    let names = input.parameter_names();
    let shown = |(name, value): (&String, &f64)| format!("{name} = {}", significant(*value));
    let list: Vec<String> = names.iter().zip(&answer.at).map(shown).collect();
    format!("{} ({})", list.join(", "), if answer.is_fitted { "fitted" } else { "given" })
}

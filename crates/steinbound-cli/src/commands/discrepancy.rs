use clap::Args;
use steinbound::text::with_article;
use steinbound_report::{Report, Scene, Section, pictures};
use steinbound_request::{Values, tables};

use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::options::{DataOptions, DiscrepancyOptions, Format, GeneralOptions, ModelOptions, values};
use crate::output::Output;
use crate::pictures::PictureOptions;
use crate::{facts, summary};

/// Measure how far data and model are apart at given parameters, without fitting.
///
/// The discrepancy is zero only where the density inside the boundary is that of the data; its square is what
/// fit minimises. A U-statistic can be negative, and then has no root.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help discrepancy' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound discrepancy points.csv --boundary border.csv --known-covariance 1 \\
      --at 0.5,0.5
  steinbound discrepancy points.csv --domain \"ball(radius=2)\" --at 0,0,1,0,1 \\
      --statistic u
  steinbound discrepancy points.csv --method ksd --known-covariance 1 --at 0,0
  steinbound discrepancy waits.csv --domain \"interval(0, 5)\" \\
      --log-density \"-b*x1\" --at b=1 --format json")]
pub struct Discrepancy {
    #[command(flatten)]
    pub data: DataOptions,
    /// The parameters in the order in which fit reports them.
    ///
    /// For a gaussian the means, then the covariances by rows of the upper triangle, unless they are known;
    /// for a formula a=0,b=1.
    #[arg(help_heading = "Model", long, value_name = "P1,P2,..", value_parser = values, allow_hyphen_values = true, required = true)]
    pub at: Values,
    #[command(flatten)]
    pub model: ModelOptions,
    #[command(flatten)]
    pub method: DiscrepancyOptions,
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Discrepancy {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.pictures.check()?;
        let (general, method) = (&self.general, &self.method.as_method());
        let input =
            Input::load(general, &self.data, &self.model.given(), method, &[], Some(&self.at), output)?;
        self.data.note_no_clusters(output);
        method.note_no_tuning(output);
        self.model.note_no_search(output);
        // Before what may take long.
        input.parameters(&self.at)?;
        let problem = input.problem(output)?;
        let answer = input.discrepancy(&problem, &self.at)?;
        if method.verbose {
            summary::note_setup(problem.setup(), input.seconds(), output);
        }
        match general.format {
            Format::Json => output.json(&answer.json())?,
            Format::Table => output.document(&tables::discrepancy::document(&problem, &answer.found))?,
        }
        // A reader who has stopped reading may still want the pictures.
        let printed = output.finish();
        let model = input.model();
        let scene = Scene::at(&input.data, model, &answer.flat_at).in_region(&input, &problem);
        self.pictures.plot(|| Ok(pictures::density(&scene)), output)?;
        let page = || -> Result<Report, Failure> {
            let names = input.parameter_names();
            let at = names.iter().map(String::as_str).zip(answer.at.iter().copied());
            let table = tables::discrepancy::table(at, &answer.found);
            Ok(Report::new(format!("{} of {} model", method.method.name(), with_article(model.name())))
                .warnings(problem.warnings())
                .facts(facts::of_data(&self.data, &input))
                .facts(facts::of_model(&self.model.given(), &self.model.component_texts()))
                .problem_facts(&problem, model.name(), general.seed)
                .section(Section::new("Discrepancy at given parameters").table(&table))
                .scene(&scene, &problem))
        };
        self.pictures.report(page, output)?;
        printed?;
        Ok(Verdict::Fine)
    }
}

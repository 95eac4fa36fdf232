use std::time::Instant;

use clap::Args;
use serde_json::json;
use steinbound::Method;
use steinbound::text::{Table, significant};
use steinbound_report::{Report, Scene, Section, pictures};

use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::options::{DataOptions, Format, GeneralOptions, MethodOptions, ModelOptions, Values, values};
use crate::output::Output;
use crate::pictures::PictureOptions;
use crate::report;
use crate::summary::Settings;

/// Measure how far data and model are apart at given parameters, without fitting.
///
/// The discrepancy is zero only where the density inside the boundary is that of the data; its square is what fit minimises. A U-statistic can be
/// negative, and then has no root.
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
    /// For a gaussian the means, then the covariances by rows of the upper triangle, unless they are known; for a formula a=0,b=1.
    #[arg(help_heading = "Model", long, value_name = "P1,P2,..", value_parser = values, allow_hyphen_values = true, required = true)]
    pub at: Values,
    #[command(flatten)]
    pub model: ModelOptions,
    #[command(flatten)]
    pub method: MethodOptions,
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Discrepancy {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.pictures.check()?;
        let input =
            Input::load(&self.general, &self.data, &self.model, &self.method, Some(&self.at), output)?;
        self.data.note_no_clusters(output);
        self.method.note_no_tuning(output);
        self.model.note_no_search(output);
        let started = Instant::now();
        let problem = input.problem(output)?;
        let at = input.parameters(&self.at)?;
        let typed = input.typed_parameters(&self.at)?;
        let found = problem.discrepancy(&at).map_err(|error| input.explain(error))?;
        if self.method.verbose {
            Settings::of(&problem, started).tell(output);
        }
        match self.general.format {
            Format::Json => {
                let mut value =
                    input.described("steinbound.discrepancy/1", &problem, problem.warnings(), started);
                value["at"] = json!(typed);
                value["discrepancy"] = json!(found.value);
                value["discrepancy_squared"] = json!(found.squared);
                output.json(&value)?;
            }
            Format::Table => {
                let out = output.result();
                if self.method.method == Method::TKSD {
                    writeln!(out, "boundary points      {}", problem.setup().m)?;
                }
                if let Some(kernel) = problem.setup().kernel.as_ref() {
                    writeln!(out, "kernel               {}", kernel.name)?;
                    writeln!(out, "bandwidth            {}", significant(kernel.bandwidth))?;
                }
                writeln!(out, "squared discrepancy  {}", significant(found.squared))?;
                let value = found.value.map_or_else(|| "- (the square is negative)".into(), significant);
                writeln!(out, "discrepancy          {value}")?;
            }
        }
        // A reader who has stopped reading may still want the pictures.
        let printed = output.finish();
        let model = input.model.as_ref();
        let scene = input.scene(&problem, Scene::at(&input.data, model, &at));
        self.pictures.plot(|| Ok(pictures::density(&scene)), output)?;
        let page = || -> Result<Report, Failure> {
            let name = self.method.method.name();
            let page = report::warned(
                Report::new(format!("{name} of a {} model", model.name())),
                problem.warnings(),
            );
            let page = report::data_facts(page, &self.data, &input);
            let page = report::problem_facts(
                report::model_facts(page, &self.model, self.model.components.as_slice()),
                &problem,
                model.name(),
                self.general.seed,
            );
            let mut table = Table::new(1, ["", "value"]);
            for (name, value) in model.reported_names(input.data.names()).into_iter().zip(&typed) {
                table.row(vec![name, significant(*value)]);
            }
            table.row(vec!["squared discrepancy".into(), significant(found.squared)]);
            let value = found.value.map_or_else(|| "-".into(), significant);
            table.row(vec!["discrepancy".into(), value]);
            let page = page.section(Section::new("Discrepancy at given parameters").table(&table));
            Ok(report::scene_sections(page, &scene, &problem))
        };
        self.pictures.report(page, output)?;
        printed?;
        Ok(Verdict::Fine)
    }
}

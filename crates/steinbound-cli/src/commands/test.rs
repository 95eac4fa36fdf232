use std::time::Instant;

use clap::Args;
use serde_json::json;
use steinbound::inference::GoodnessOfFit;
use steinbound_report::{Report, Scene, Section, pictures, sections};
use steinbound_request::tables;

use crate::facts;
use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::options::{DataOptions, Format, GeneralOptions, MethodOptions, ModelOptions, Values, values};
use crate::output::Output;
use crate::pictures::PictureOptions;
use crate::progress::Bar;
use crate::resampling::TestOptions;
use crate::summary::Settings;
use crate::terminal_plot::{self, TerminalPlotOptions};

/// Test whether the data come from the model, inside the boundary.
///
/// The discrepancy is compared with what it is for data that do come from the model. With --at the parameters are given; without it they are fitted
/// first, and the test takes that into account.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help test' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound test points.csv --domain \"ball(radius=1.44)\" --known-covariance 1
  steinbound test points.csv --domain \"ball(radius=1.44)\" --known-covariance 1 \\
      --at 0.5,0.5 --bootstrap 1000
  steinbound test modes.csv --domain \"box(low=-3, high=3)\" --boundary-points 100 \\
      --model gaussian-mixture --components 2 --known-covariance 1 --bootstrap 99
  steinbound test points.csv --method ksd --level 0.01 --format json
  steinbound test points.csv --boundary border.csv --known-covariance 1 \\
      --terminal-plot always

The exit code is 3 where the level cannot be relied on; a rejection alone is exit code 0.")]
pub struct Test {
    #[command(flatten)]
    pub data: DataOptions,
    /// The parameters in reported order [default: fitted].
    #[arg(help_heading = "Model", long, value_name = "P1,P2,..", value_parser = values, allow_hyphen_values = true)]
    pub at: Option<Values>,
    #[command(flatten)]
    pub model: ModelOptions,
    #[command(flatten)]
    pub method: MethodOptions,
    #[command(flatten)]
    pub test: TestOptions,
    #[command(flatten)]
    pub drawing: TerminalPlotOptions,
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Test {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        let settings = self.test.settings()?;
        self.pictures.check()?;
        let input =
            Input::load(&self.general, &self.data, &self.model, &self.method, self.at.as_ref(), output)?;
        if self.at.is_some() {
            self.model.note_no_search(output);
        }
        let started = Instant::now();
        let problem = input.tuned_problem(&self.method, output)?;
        let at = self.at.as_ref().map_or_else(|| Ok(Vec::new()), |at| input.parameters(at))?;
        // Only the draws can be interrupted half-way, so that the bar begins after the fit.
        let model = input.model.as_ref();
        let flat = match &self.at {
            Some(_) => None,
            None => Some(problem.fit().map_err(|error| input.explain(error))?),
        };
        let bar = Bar::new("test", self.general.quiet);
        let tell = |done: usize, total: usize| bar.tell(done, total);
        let settings: GoodnessOfFit = settings.progress(&tell);
        let found = match &flat {
            Some(fit) => problem.test(fit, &settings),
            None => problem.test_at(&at, &settings),
        };
        drop(bar);
        let fit = flat.clone().map(|fit| input.region.out_of_plane(model, fit));
        let found = found.map_err(|error| input.explain(error))?;
        for note in &found.notes {
            // The reason why a level cannot be relied on is no mere note.
            if found.trustworthy { output.note(note) } else { output.warn(note) }
        }
        // The problem's own warnings have been told.
        let warnings: Vec<String> = match &fit {
            Some(fit) => fit.warnings.clone(),
            None => problem.warnings().to_vec(),
        };
        warnings.iter().filter(|warning| !problem.warnings().contains(warning)).for_each(|w| output.warn(w));
        if self.method.verbose {
            Settings::of(&problem, started).tell(output);
        }
        let columns = self.drawing.columns(&self.general, output);
        let typed = self.at.as_ref().map(|at| input.typed_parameters(at)).transpose()?;
        match self.general.format {
            Format::Json => {
                let mut value = input.described("steinbound.test/1", &problem, &warnings, started);
                value["at"] = json!(typed);
                value["parameters"] = json!(fit.as_ref().map(|fit| &fit.parameters));
                value["converged"] = json!(fit.as_ref().map(|fit| fit.converged));
                if let (Some(all), Ok(serde_json::Value::Object(found))) =
                    (value.as_object_mut(), serde_json::to_value(&found))
                {
                    all.extend(found);
                }
                output.json(&value)?;
            }
            Format::Table => {
                let parameters = fit.as_ref().map(|fit| fit.parameters.as_slice());
                let (method, n) = (self.method.method, input.data.len());
                output.document(&tables::test::document(&found, method, model.name(), n, parameters))?;
                let drawing = columns.map(|columns| terminal_plot::of_test(&found, columns));
                terminal_plot::print(&drawing.unwrap_or_default(), output)?;
            }
        }
        // A reader who has stopped reading may still want the pictures.
        let printed = output.finish();
        self.pictures.plot(|| Ok(pictures::test(&found)), output)?;
        let page = || -> Result<Report, Failure> {
            let title = format!("{} test of a {} model", self.method.method.name(), model.name());
            let mut page = Report::of_test(title, &found, &warnings)
                .facts(facts::of_data(&self.data, &input))
                .facts(facts::of_model(&self.model, self.model.components.as_slice()))
                .problem_facts(&problem, model.name(), self.general.seed)
                .section(sections::test(&found));
            let scene = match &flat {
                Some(fit) => Scene::of(&input.data, model, fit),
                None => Scene::at(&input.data, model, &at),
            };
            if let Some(fit) = &fit {
                let table = steinbound::fit::parameter_table(fit.shown_parameters(), fit.confidence);
                page = page.section(Section::new("Estimates").table(&table));
            }
            Ok(page.scene(&input.scene(&problem, scene), &problem))
        };
        self.pictures.report(page, output)?;
        printed?;
        let is_sound = found.trustworthy && fit.is_none_or(|fit| fit.converged);
        Ok(if is_sound { Verdict::Fine } else { Verdict::Doubtful })
    }
}

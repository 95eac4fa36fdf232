use clap::Args;
use steinbound::text::with_article;
use steinbound_report::{Report, pictures};
use steinbound_request::{Values, tables};

use crate::arguments::{Given, Testing};
use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::options::{DataOptions, Format, GeneralOptions, MethodOptions, ModelOptions, values};
use crate::output::Output;
use crate::pictures::PictureOptions;
use crate::terminal_plot::{self, TerminalPlotOptions};
use crate::{facts, summary};

/// Test whether the data come from the model, inside the boundary.
///
/// The discrepancy is compared with what it is for data that do come from the model. With --at the parameters
/// are given; without it they are fitted first, and the test takes that into account.
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
    pub test: Given<Testing>,
    #[command(flatten)]
    pub drawing: TerminalPlotOptions,
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Test {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.test.goodness_of_fit()?;
        self.pictures.check()?;
        let (general, method, at) = (&self.general, &self.method, self.at.as_ref());
        let input = Input::load(general, &self.data, &self.model.given(), method, &[&self.test], at, output)?;
        if at.is_some() {
            self.model.note_no_search(output);
        }
        let problem = input.tuned_problem(output)?;
        let answer = input.test(&problem, at, output)?;
        let found = &answer.result;
        if method.verbose {
            summary::note_setup(problem.setup(), input.seconds(), output);
        }
        let columns = self.drawing.columns(general, output);
        let model = input.model();
        match general.format {
            Format::Json => output.json(&answer.json())?,
            Format::Table => {
                // Where moments do not exist, the fitted parameters are shown.
                let shown = answer.fit.as_ref().map(|fit| fit.clone().with_natural().parameters);
                let parameters = shown.as_deref();
                let (method, n) = (method.method, input.data.len());
                output.document(&tables::test::document(found, method, model.name(), n, parameters))?;
                let drawing = columns.map(|columns| terminal_plot::of_test(found, columns));
                terminal_plot::print(&drawing.unwrap_or_default(), output)?;
            }
        }
        // A reader who has stopped reading may still want the pictures.
        let printed = output.finish();
        self.pictures.plot(|| Ok(pictures::test(found)), output)?;
        let page = || -> Result<Report, Failure> {
            let title = format!("{} test of {} model", method.method.name(), with_article(model.name()));
            Ok(Report::of_test(title, found, &answer.warnings)
                .facts(facts::of_data(&self.data, &input))
                .facts(facts::of_model(&self.model.given(), &self.model.component_texts()))
                .test(&input, &problem, &answer))
        };
        self.pictures.report(page, output)?;
        printed?;
        Ok(Verdict::of(answer.is_sound))
    }
}

use clap::Args;
use steinbound_report::{Report, Scene, pictures};
use steinbound_request::sensitivity::SensitivityWanted;
use steinbound_request::{Inference, Situation, tables};

use crate::arguments::{Bootstrapping, Confidence, Given};
use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::options::{
    DataOptions, Format, GeneralOptions, MethodOptions, ModelOptions, TableOptions, WORDING, together,
};
use crate::output::Output;
use crate::pictures::PictureOptions;
use crate::questions::QuestionOptions;
use crate::terminal_plot::{self, TerminalPlotOptions};
use crate::{facts, summary};

/// Estimate the parameters of a density from truncated data, with standard errors.
///
/// Data are points that were seen only inside a region; what is known of that region is a set of points on
/// its boundary (--boundary) or its shape (--domain). The result is a table of parameters with standard
/// errors, tests against zero and confidence intervals. After the fit its assumptions are looked at; where
/// one does not hold a warning says so, with a remedy.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help fit' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound fit points.csv --boundary border.csv
  steinbound fit points.csv --domain \"ball(radius=1.44)\" --method truncsm
  steinbound fit places.csv --boundary country.geojson
  steinbound fit modes.csv --domain \"box(low=-3, high=3)\" \\
      --model gaussian-mixture --components 1..4 --known-covariance 1
  steinbound fit waits.csv --domain \"interval(0, 5)\" \\
      --log-density \"(a-1)*log(x1) - b*x1\" --start a=1,b=1
  steinbound fit points.csv --boundary border.csv --tune agreement --sensitivity
  steinbound fit points.csv --boundary border.csv \\
      --hypothesis \"mean[x1] = mean[x2]\" --derive \"ratio = mean[x1] / mean[x2]\"
  steinbound fit points.csv --boundary border.csv --bootstrap 500 \\
      --report report.html --plot map.png

The exit code is 3 where there is a result that must not be trusted.")]
pub struct Fit {
    #[command(flatten)]
    pub data: DataOptions,
    #[command(flatten)]
    pub model: ModelOptions,
    #[command(flatten)]
    pub method: MethodOptions,
    #[command(flatten)]
    pub confidence: Given<Confidence>,
    /// Fit under other kernels, bandwidths and boundary points, and show what changes.
    #[arg(long, help_heading = "Inference")]
    pub sensitivity: bool,
    #[command(flatten)]
    pub bootstrap: Given<Bootstrapping>,
    #[command(flatten)]
    pub questions: QuestionOptions,
    #[command(flatten)]
    pub drawing: TerminalPlotOptions,
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub table: TableOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

impl Fit {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        let inference = together(&self.general, [&*self.confidence, &*self.bootstrap]);
        inference.check_bootstrap(WORDING)?;
        let situation = Situation::new(self.method.method, &inference, WORDING);
        situation.bootstrap_notes().iter().for_each(|note| output.note(note));
        self.pictures.check()?;
        let (model, range) = self.model.without_range();
        let mut input =
            Input::load(&self.general, &self.data, &model, &self.method, &[&inference], None, output)?;
        if let Some(range) = range {
            input = input.choosing(&model, range, output)?;
        }
        let mut wanted = Inference::default();
        wanted.questions = self.questions.read(&input.parameter_names())?;
        wanted.sensitivity = SensitivityWanted::new(self.sensitivity, self.pictures.report.is_some());
        let columns = self.drawing.columns(&self.general, output);
        let problem = input.fitting_problem()?;
        let answer = input.fit(&problem, &wanted, output)?;
        if self.method.verbose {
            summary::note_fit(&answer.fit, output);
        }
        let fit = &answer.fit;
        match self.general.format {
            Format::Json => output.json(&answer)?,
            Format::Table => {
                if let Some(selection) = &answer.selection {
                    output.document(&tables::selection::document(selection).gap())?;
                }
                output.document(&fit.document_with(self.table.digits()))?;
                let wald = answer.wald.as_ref();
                let style = fit.table_style().digits(self.table.digits());
                output.document(&tables::answers::styled(&answer.derived, wald, &style))?;
                if let Some(tuning) = &fit.tuning {
                    let verbose = self.method.verbose;
                    output.document(&tables::tuning::document(tuning, &fit.parameters, verbose))?;
                }
                if let Some(found) = answer.reported_sensitivity() {
                    output.further_document(&tables::sensitivity::document(found))?;
                }
                if let Some(columns) = columns {
                    terminal_plot::print(
                        &terminal_plot::of_fit(&input, &problem, &answer.flat, columns),
                        output,
                    )?;
                }
            }
        }
        // A reader who has stopped reading may still want the pictures.
        let printed = output.finish();
        let model = input.model();
        let scene = Scene::of(&input.data, model, &answer.flat).in_region(&input, &problem);
        self.pictures.plot(|| Ok(pictures::density(&scene)), output)?;
        let page = || -> Result<Report, Failure> {
            Ok(Report::of_density(fit)
                .facts(facts::of_data(&self.data, &input))
                .facts(facts::of_model(&self.model.given(), &self.model.component_texts()))
                .fit(&input, &problem, &answer))
        };
        self.pictures.report(page, output)?;
        printed?;
        Ok(Verdict::of(answer.is_sound))
    }
}

use clap::Args;
use serde::Serialize;
use steinbound::inference::{Diagnostics, Sensitivity};
use steinbound_report::{Report, Scene, pictures};

use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::options::{DataOptions, Format, GeneralOptions, MethodOptions, ModelOptions, number};
use crate::output::Output;
use crate::pictures::PictureOptions;
use crate::questions::{Answers, QuestionOptions};
use crate::resampling::BootstrapOptions;
use crate::terminal_plot::{self, TerminalPlotOptions};
use crate::variants::{self, Tried, Wanted};
use crate::{report, summary};

/// Estimate the parameters of a density from truncated data, with standard errors.
///
/// Data are points that were seen only inside a region; what is known of that region is a set of points on its boundary (--boundary) or its shape
/// (--domain). The result is a table of parameters with standard errors, tests against zero and confidence intervals. After the fit its assumptions are
/// looked at; where one does not hold a warning says so, with a remedy.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help fit' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound fit points.csv --boundary border.csv
  steinbound fit points.csv --domain \"ball(radius=1.44)\" --method truncsm
  steinbound fit places.csv --boundary country.geojson --project
  steinbound fit modes.csv --domain \"box(low=-3, high=3)\" --boundary-points 100 \\
      --model gaussian-mixture --components 2 --known-covariance 1
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
    /// The confidence level of intervals.
    #[arg(long, default_value = "0.95", value_name = "LEVEL", value_parser = number, allow_hyphen_values = true, help_heading = "Inference")]
    pub confidence: f64,
    /// Fit under other kernels, bandwidths and boundary points as well, and tell what changes.
    #[arg(long, help_heading = "Inference")]
    pub sensitivity: bool,
    #[command(flatten)]
    pub bootstrap: BootstrapOptions,
    #[command(flatten)]
    pub questions: QuestionOptions,
    #[command(flatten)]
    pub drawing: TerminalPlotOptions,
    #[command(flatten)]
    pub pictures: PictureOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

/// A fit and what else is known of it.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    fit: &'a steinbound::Fit,
    #[serde(flatten)]
    answers: &'a Answers,
    diagnostics: &'a Diagnostics,
    #[serde(skip_serializing_if = "Option::is_none")]
    projection: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sensitivity: Option<&'a Sensitivity>,
}

impl Fit {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.bootstrap.check(self.confidence, output)?;
        self.pictures.check()?;
        let input = Input::load(&self.general, &self.data, &self.model, &self.method, None, output)?;
        let estimator = input.estimator.clone().confidence(self.confidence);
        let model = input.model.as_ref();
        let questions = self.questions.read(&model.reported_names(input.data.names()))?;
        let problem =
            self.method.problem(&estimator, &input.data, model).map_err(|error| input.explain(error))?;
        let found = summary::fitted(&problem, &self.bootstrap, |row| input.place(row), output);
        let summary::Fitted { mut fit, diagnostics, seconds } =
            found.map_err(|error| input.explain(error))?;
        let wanted = Wanted::new(self.sensitivity, self.pictures.report.is_some());
        let tried = Tried::new(wanted, &estimator, &mut fit, seconds, &input.data, model, output)
            .mapped(|values| input.region.degrees(model, values));
        let flat = self.pictures.is_wanted().then(|| fit.clone());
        let columns = self.drawing.columns(&self.general, output);
        let drawing = columns.map(|columns| terminal_plot::of_fit(&input, &problem, &fit, columns));
        let mut fit = input.region.out_of_plane(model, fit);
        let (answers, answered) = questions.answer(&mut fit)?;
        let (fit, verdict) = summary::finish(fit, self.method.verbose, output);
        let sensitivity = tried.asked(self.sensitivity);
        match self.general.format {
            Format::Json => {
                let projection = input.region.shown_projection();
                let (answers, diagnostics) = (&answers, &diagnostics);
                output.json(&Printed { fit: &fit, answers, diagnostics, projection, sensitivity })?
            }
            Format::Table => {
                write!(output.result(), "{fit}")?;
                answers.print(self.confidence, output)?;
                variants::print_tuning(&fit, self.method.verbose, output)?;
                if let Some(sensitivity) = sensitivity {
                    variants::print_sensitivity(sensitivity, output)?;
                }
                terminal_plot::print(&drawing.unwrap_or_default(), output)?;
            }
        }
        // A reader who has stopped reading may still want the pictures.
        let printed = output.finish();
        if let Some(flat) = flat {
            let scene = input.scene(&problem, Scene::of(&input.data, model, &flat));
            self.pictures.plot(|| Ok(pictures::density(&scene)), output)?;
            let page = || -> Result<Report, Failure> {
                let title = format!("{} fit of a {} model", fit.setup.method.name(), fit.setup.model);
                let mut page = report::data_facts(report::of_fit(&title, &fit), &self.data, &input);
                page = report::model_facts(page, &self.model, self.model.components.as_slice());
                page = report::problem_facts(page, &problem, model.name(), self.general.seed);
                page = page.section(report::estimates(&fit, &answers));
                page = report::scene_sections(page, &scene, &problem);
                Ok(page.section(report::sensitivity(&tried)).section(report::diagnostics(&diagnostics)))
            };
            self.pictures.report(page, output)?;
        }
        printed?;
        Ok(verdict.and(answered))
    }
}

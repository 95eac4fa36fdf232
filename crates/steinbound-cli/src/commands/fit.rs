use clap::Args;
use serde::Serialize;

use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::options::{DataOptions, Format, GeneralOptions, MethodOptions, ModelOptions, number};
use crate::output::Output;
use crate::resampling::BootstrapOptions;
use crate::summary;

/// Estimate the parameters of a density from truncated data, with standard errors.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  steinbound fit points.csv --boundary border.csv
  steinbound fit points.csv --domain \"ball(radius=1.44)\" --known-covariance 1 --method truncsm
  steinbound fit points.csv --boundary country.geojson --columns lon,lat --project
  steinbound fit points.csv --domain \"box(low=-3, high=3)\" --model gaussian-mixture --components 2 --known-covariance 1
  steinbound fit points.csv --domain \"interval(0, 5)\" --log-density \"(a-1)*log(x1) - b*x1\" --start a=1,b=1
  steinbound fit points.csv --boundary border.csv --bootstrap 500
  steinbound fit points.csv --boundary border.csv --format json")]
pub struct Fit {
    #[command(flatten)]
    pub data: DataOptions,
    #[command(flatten)]
    pub model: ModelOptions,
    #[command(flatten)]
    pub method: MethodOptions,
    /// The confidence level of intervals.
    #[arg(long, default_value = "0.95", value_name = "LEVEL", value_parser = number, allow_hyphen_values = true)]
    pub confidence: f64,
    #[command(flatten)]
    pub bootstrap: BootstrapOptions,
    #[command(flatten)]
    pub general: GeneralOptions,
}

/// A fit and what else is known of it.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    fit: &'a steinbound::Fit,
    #[serde(skip_serializing_if = "Option::is_none")]
    projection: Option<serde_json::Value>,
}

impl Fit {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        self.bootstrap.check(self.confidence, output)?;
        let input = Input::load(&self.general, &self.data, &self.model, &self.method, None, output)?;
        let estimator = input.estimator.clone().confidence(self.confidence);
        let model = input.model.as_ref();
        let problem = estimator.check(&input.data, model).map_err(|error| input.explain(error))?;
        let fit = problem.fit().and_then(|fit| self.bootstrap.apply(&problem, fit, output));
        let fit = fit.map_err(|error| input.explain(error))?;
        let mut fit = input.region.out_of_plane(model, fit);
        let verdict = summary::finish(&mut fit, self.method.verbose, output);
        match self.general.format {
            Format::Json => {
                output.json(&Printed { fit: &fit, projection: input.region.shown_projection() })?
            }
            Format::Table => summary::print(&fit, output)?,
        }
        Ok(verdict)
    }
}

use clap::Args;
use steinbound::fit::Parameter;
use steinbound::stein::Statistic;

use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::options::{DataOptions, Format, GeneralOptions, MethodOptions, ModelOptions, number};
use crate::output::{Output, Table, duration, estimate, significant};

/// Estimate the parameters of a density from truncated data, with standard errors.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  steinbound fit points.csv --boundary border.csv
  steinbound fit points.csv --domain \"ball(radius=1.44)\" --known-covariance 1 --method truncsm
  steinbound fit points.csv --boundary border.csv --columns lon,lat --format json")]
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
    pub general: GeneralOptions,
}

impl Fit {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        let input = Input::load(&self.general, &self.data, &self.model, &self.method, output)?;
        let estimator = input.estimator.clone().confidence(self.confidence);
        let mut fit = estimator.fit(&input.data, &input.model).map_err(|error| input.explain(error))?;
        for warning in &fit.warnings {
            output.warn(warning);
        }
        if self.method.verbose {
            report_settings(&fit, output);
        }
        let verdict = if fit.is_trustworthy() { Verdict::Fine } else { Verdict::Doubtful };
        if fit.parameters.iter().any(|p| p.estimate.is_none()) {
            // Moments that do not exist are followed by the natural parameters, which do.
            let natural = fit.natural.iter().filter(|p| p.estimate.is_some()).cloned();
            fit.parameters.extend(natural.collect::<Vec<_>>());
        }
        match self.general.format {
            Format::Json => output.json(&fit)?,
            Format::Table => print(&fit, output)?,
        }
        Ok(verdict)
    }
}

fn report_settings(fit: &steinbound::Fit, output: &Output) {
    if let Some(kernel) = &fit.kernel {
        output.note(&format!("{} kernel, bandwidth {}", kernel.name, kernel.bandwidth));
    }
    if let Some(compute) = &fit.compute {
        output.note(&format!("{} form on {} threads", compute.holder.form, compute.threads));
    }
}

fn print(fit: &steinbound::Fit, output: &mut Output) -> Result<(), Failure> {
    let out = output.result();
    let statistic = match fit.statistic {
        Some(Statistic::V) => ", V-statistic",
        Some(Statistic::U) => ", U-statistic",
        None => "",
    };
    let distance = fit.distance.as_ref().map_or_else(String::new, |kind| format!(", {kind} distance"));
    writeln!(out, "{} fit of a {} density{statistic}{distance}", fit.method.name(), fit.model)?;
    writeln!(out, "n = {} points, d = {}, m = {} boundary points\n", fit.n, fit.d, fit.m)?;
    let level = format!("{}%", significant_percent(fit.confidence));
    let (lower, upper) = (format!("{level} lower"), format!("{level} upper"));
    let mut table = Table::new(1, ["parameter", "estimate", "std. error", &lower, &upper]);
    for parameter in &fit.parameters {
        table.row(cells(parameter));
    }
    table.print(out)?;
    writeln!(out)?;
    if let Some(kernel) = &fit.kernel {
        let ridge = fit.ridge.map_or_else(String::new, |ridge| format!(", ridge {ridge}"));
        writeln!(out, "kernel {}, bandwidth {}{ridge}", kernel.name, significant(kernel.bandwidth))?;
    }
    match (fit.discrepancy, fit.discrepancy_squared) {
        (Some(value), _) => writeln!(out, "discrepancy {}", significant(value))?,
        (None, Some(squared)) => writeln!(out, "squared discrepancy {} (negative)", significant(squared))?,
        _ => {}
    }
    let found = if fit.converged { "closed form" } else { "no minimum" };
    let form = fit.compute.as_ref().map_or_else(String::new, |c| format!(", {}", c.holder.form));
    writeln!(out, "{found}{form}, {}", duration(fit.seconds.total))?;
    Ok(())
}

fn significant_percent(confidence: f64) -> f64 {
    (confidence * 1e6).round() / 1e4
}

fn cells(parameter: &Parameter) -> Vec<String> {
    let error = parameter.std_error;
    let shown = |value| estimate(value, error);
    vec![
        parameter.name.clone(),
        shown(parameter.estimate),
        shown(error),
        shown(parameter.lower),
        shown(parameter.upper),
    ]
}

//! How a fit is told: warnings and settings on standard error, a table on standard output.

use steinbound::fit::{Parameter, Starts};
use steinbound::stein::Statistic;

use crate::failure::{Failure, Verdict};
use crate::output::{Output, Table, duration, estimate, significant};

/// Tells the warnings of a fit and what to make of it. Moments that do not exist are followed by the natural parameters, which do.
pub fn finish(fit: &mut steinbound::Fit, verbose: bool, output: &Output) -> Verdict {
    fit.warnings.iter().for_each(|warning| output.warn(warning));
    if verbose {
        report_settings(fit, output);
    }
    let verdict = if fit.is_trustworthy() { Verdict::Fine } else { Verdict::Doubtful };
    if fit.parameters.iter().any(|p| p.estimate.is_none()) {
        let natural = fit.natural.iter().filter(|p| p.estimate.is_some()).cloned();
        fit.parameters.extend(natural.collect::<Vec<_>>());
    }
    verdict
}

fn report_settings(fit: &steinbound::Fit, output: &Output) {
    if let Some(kernel) = &fit.kernel {
        output.note(&format!("{} kernel, bandwidth {}", kernel.name, kernel.bandwidth));
    }
    if let Some(compute) = &fit.compute {
        output.note(&format!("{} form on {} threads", compute.holder.form, compute.threads));
    }
    if let Some(leak) = fit.leak {
        output.note(&format!("leak between the boundary points {}", significant(leak)));
    }
}

/// A finished fit for people.
pub fn print(fit: &steinbound::Fit, output: &mut Output) -> Result<(), Failure> {
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
    if let Some(value) = fit.log_likelihood {
        writeln!(out, "log-likelihood {value:.4}")?;
    }
    let form = fit.compute.as_ref().map_or_else(String::new, |c| format!(", {}", c.holder.form));
    let found = match (fit.converged, fit.iterations, fit.starts) {
        (false, 0, _) => "no minimum".to_string(),
        (false, steps, _) => format!("not converged after {steps} steps"),
        (true, 0, None) => "closed form".to_string(),
        (true, steps, Some(Starts { tried, agreed })) if tried > 1 => {
            format!("converged in {steps} steps, from {agreed} of {tried} starts")
        }
        (true, steps, _) => format!("converged in {steps} steps"),
    };
    writeln!(out, "{found}{form}, {}", duration(fit.seconds.total))?;
    Ok(())
}

/// A confidence level in per cent, without digits that rounding adds.
pub fn significant_percent(confidence: f64) -> f64 {
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

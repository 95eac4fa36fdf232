//! How a fit is told: warnings and settings on standard error, a table on standard output.

use std::time::Instant;

use steinbound::fit::{ComputeUsed, KernelUsed, Parameter, Problem, Starts};
use steinbound::stein::{Holder, Statistic};

use crate::failure::{Failure, Verdict};
use crate::output::{Output, Table, duration, estimate, significant};

/// Tells the warnings of a fit and what to make of it. Moments that do not exist are followed by the natural parameters, which do.
pub fn finish(fit: &mut steinbound::Fit, verbose: bool, output: &Output) -> Verdict {
    fit.warnings.iter().for_each(|warning| output.warn(warning));
    if verbose {
        let (kernel, compute) = (fit.kernel.as_ref(), fit.compute.as_ref());
        Settings { kernel, compute, boundary_points: fit.m, seconds: fit.seconds.total }.tell(output);
        if let Some(leak) = fit.leak {
            output.note(&format!("leak between the boundary points {}", significant(leak)));
        }
    }
    let verdict = if fit.is_trustworthy() { Verdict::Fine } else { Verdict::Doubtful };
    if fit.parameters.iter().any(|p| p.estimate.is_none()) {
        let natural = fit.natural.iter().filter(|p| p.estimate.is_some()).cloned();
        fit.parameters.extend(natural.collect::<Vec<_>>());
    }
    verdict
}

/// What was chosen for the user, and how long it took.
pub struct Settings<'a> {
    pub kernel: Option<&'a KernelUsed>,
    pub compute: Option<&'a ComputeUsed>,
    pub boundary_points: usize,
    pub seconds: f64,
}

impl<'a> Settings<'a> {
    /// The settings of a problem that was solved without a fit, since it was started.
    pub fn of(problem: &'a Problem, started: Instant) -> Settings<'a> {
        Settings {
            kernel: problem.kernel(),
            compute: problem.compute(),
            boundary_points: problem.boundary_points(),
            seconds: started.elapsed().as_secs_f64(),
        }
    }

    pub fn tell(&self, output: &Output) {
        if let Some(kernel) = self.kernel {
            output.note(&format!("{} kernel, bandwidth {}", kernel.name, kernel.bandwidth));
        }
        if let Some(compute) = self.compute {
            let (form, threads, simd) = (form(&compute.holder), compute.threads, &compute.simd);
            output.note(&format!("{form} form on {threads} threads with {simd}: {}", compute.reason));
        }
        output.note(&format!("{} boundary points, {}", self.boundary_points, duration(self.seconds)));
    }
}

/// A form by its name, and what there is to know of one of low rank.
fn form(holder: &Holder) -> String {
    match (holder.rank, holder.residual) {
        (Some(rank), Some(residual)) => format!("{} (rank {rank}, residual {residual:.1e})", holder.form),
        _ => holder.form.clone(),
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
    let form = fit.compute.as_ref().map_or_else(String::new, |c| format!(", {}", form(&c.holder)));
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

//! What is told of a fit on standard error: warnings and settings.

use std::time::Instant;

use steinbound::Error;
use steinbound::fit::{ComputeUsed, KernelUsed, Problem};
use steinbound::inference::Diagnostics;
use steinbound::text::{duration, significant};

use crate::failure::Verdict;
use crate::output::Output;
use crate::resampling::BootstrapOptions;

/// A fit and what it rests on.
pub struct Fitted {
    pub fit: steinbound::Fit,
    pub diagnostics: Diagnostics,
    /// How long it took without a bootstrap.
    pub seconds: f64,
}

/// Fits, looks at what the fit rests on, and runs the bootstrap where one was asked for; all warnings join those of the fit. `place` says where in the
/// data a row is.
pub fn fitted(
    problem: &Problem,
    bootstrap: &BootstrapOptions,
    place: impl Fn(usize) -> String,
    output: &Output,
) -> Result<Fitted, Error> {
    let (fit, diagnostics) = problem.fit_diagnosed()?;
    let seconds = fit.seconds.total;
    if let Some(leverage) = diagnostics.leverage.as_ref().filter(|found| found.share > found.limit) {
        output.note(&format!("row {} is {}", leverage.row, place(leverage.row - 1)));
    }
    Ok(Fitted { fit: bootstrap.apply(problem, fit, output)?, diagnostics, seconds })
}

/// Tells the warnings of a fit and what to make of it. Moments that do not exist are followed by the natural parameters, which do.
pub fn finish(fit: steinbound::Fit, verbose: bool, output: &Output) -> (steinbound::Fit, Verdict) {
    fit.warnings.iter().for_each(|warning| output.warn(warning));
    if verbose {
        let (kernel, compute) = (fit.setup.kernel.as_ref(), fit.setup.compute.as_ref());
        Settings { kernel, compute, boundary_points: fit.setup.m, seconds: fit.seconds.total }.tell(output);
        if let Some(leak) = fit.setup.leak {
            output.note(&format!("leak between the boundary points {}", significant(leak)));
        }
    }
    let verdict = if fit.is_trustworthy() { Verdict::Fine } else { Verdict::Doubtful };
    (fit.with_natural(), verdict)
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
            kernel: problem.setup().kernel.as_ref(),
            compute: problem.setup().compute.as_ref(),
            boundary_points: problem.setup().m,
            seconds: started.elapsed().as_secs_f64(),
        }
    }

    pub fn tell(&self, output: &Output) {
        if let Some(kernel) = self.kernel {
            output.note(&format!("{} kernel, bandwidth {}", kernel.name, kernel.bandwidth));
        }
        if let Some(compute) = self.compute {
            let (form, threads, simd) = (compute.describe(), compute.threads, &compute.simd);
            output.note(&format!("{form} form on {threads} threads with {simd}: {}", compute.reason));
        }
        output.note(&format!("{} boundary points, {}", self.boundary_points, duration(self.seconds)));
    }
}

//! What `--verbose` shows of the settings in use.

use steinbound::fit::Setup;
use steinbound::text::{duration, significant};

use crate::output::Output;

/// Notes what was chosen for the user, and how long it took.
pub fn note_setup(setup: &Setup, seconds: f64, output: &Output) {
    if let Some(kernel) = &setup.kernel {
        output.note(&format!("{} kernel, bandwidth {}", kernel.name, kernel.bandwidth));
    }
    if let Some(compute) = &setup.compute {
        let (form, threads, simd) = (compute.describe(), compute.threads, &compute.simd);
        output.note(&format!("{form} form on {threads} threads with {simd}: {}", compute.reason));
    }
    output.note(&format!("{} boundary points, {}", setup.m, duration(seconds)));
}

/// The same for a fit.
pub fn note_fit(fit: &steinbound::Fit, output: &Output) {
    note_setup(&fit.setup, fit.seconds.total, output);
    if let Some(leak) = fit.setup.leak {
        output.note(&format!("leak between the boundary points {}", significant(leak)));
    }
}

//! `--sensitivity`: notes and warnings about an analysis that was asked for.

use steinbound::Method;
use steinbound_request::sensitivity::SensitivityOutcome;

use crate::output::Output;

/// Prints why `--sensitivity` gave no result.
pub fn explain(outcome: &SensitivityOutcome, is_asked: bool, method: Method, output: &Output) {
    match outcome {
        SensitivityOutcome::NoKernel if is_asked => {
            output.note(&format!("--sensitivity has no effect with --method {}", method.name()));
        }
        SensitivityOutcome::Failed(reason) if is_asked => output.warn(&format!("--sensitivity: {reason}")),
        _ => {}
    }
}

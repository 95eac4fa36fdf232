//! Tables of fits under other settings: candidates of a tuning, and a sensitivity report.

use steinbound::inference::{Sensitivity, Variant};
use steinbound::kernel::Bandwidth;
use steinbound::model::Model;
use steinbound::text::{Table, duration, estimate, significant};
use steinbound::{Estimator, Fit, Matrix, Points};

use crate::failure::Failure;
use crate::output::Output;

/// The estimator with the bandwidth and ridge of a fit.
pub fn as_fitted(estimator: &Estimator, fit: &Fit) -> Estimator {
    let mut estimator = estimator.clone();
    if let Some(kernel) = &fit.setup.kernel {
        estimator = estimator.bandwidth(Bandwidth::Fixed(kernel.bandwidth));
    }
    match fit.setup.ridge {
        Some(ridge) => estimator.ridge(ridge),
        None => estimator,
    }
}

/// How bandwidth and ridge were chosen, and on request from which candidates.
pub fn print_tuning(fit: &Fit, verbose: bool, output: &mut Output) -> Result<(), Failure> {
    let Some(tuning) = &fit.tuning else { return Ok(()) };
    let out = output.result();
    if let Some(note) = &tuning.note {
        writeln!(out, "tuned by {}: {note}", tuning.rule)?;
        return Ok(());
    }
    let (count, agreeing) = (tuning.candidates.len(), tuning.candidates.iter().filter(|c| c.agrees).count());
    let spread = tuning.choice().and_then(|chosen| chosen.spread).unwrap_or(1.0);
    let verdict = if tuning.chosen == tuning.default {
        "the default is kept".to_string()
    } else {
        format!("variances are {:.0}% of the default's", 100.0 * spread)
    };
    writeln!(out, "tuned by {}: {agreeing} of {count} candidates agree, {verdict}", tuning.rule)?;
    if !verbose {
        return Ok(());
    }
    let mut table = table(fit.parameters.iter().map(|p| p.name.as_str()), &["variance", "difference", ""]);
    for (k, candidate) in tuning.candidates.iter().enumerate() {
        let mut row = cells(&candidate.variant, fit.parameters.len());
        row.push(candidate.spread.map_or_else(|| "-".into(), significant));
        row.push(candidate.largest_difference.map_or_else(|| "-".into(), significant));
        let mut words = Vec::new();
        words.extend((!candidate.variant.is_fitted()).then_some("not fitted"));
        words.extend(candidate.agrees.then_some("agrees"));
        words.extend((k == tuning.default).then_some("default"));
        words.extend((k == tuning.chosen).then_some("chosen"));
        row.push(words.join(", "));
        table.row(row);
    }
    writeln!(out)?;
    write!(out, "{table}")?;
    writeln!(
        out,
        "variance: relative to the default's; difference: the largest from a less precise candidate, squared and standardised (agrees up to {})",
        significant(tuning.threshold)
    )?;
    Ok(())
}

/// Where a sensitivity that nobody asked for would take longer than so many seconds, it is left out.
const PATIENCE: f64 = 10.0;

/// Fits behind a sensitivity.
const FITS: f64 = 18.0;

/// Who wants to know how much the estimates depend on settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Nobody.
    No,
    /// A report, unless it takes long.
    Report,
    /// The user.
    Yes,
}

impl Wanted {
    pub fn new(is_asked: bool, has_report: bool) -> Wanted {
        match (is_asked, has_report) {
            (true, _) => Wanted::Yes,
            (false, true) => Wanted::Report,
            (false, false) => Wanted::No,
        }
    }
}

/// What became of it.
pub enum Tried {
    Nothing,
    /// Why there is nothing to tell.
    Refused(String),
    Found(Sensitivity),
}

impl Tried {
    /// How much the estimates depend on the settings, where somebody wants to know and that can be said; its warning joins those of the fit, which took so many seconds
    /// without a bootstrap.
    pub fn new(
        wanted: Wanted,
        estimator: &Estimator,
        fit: &mut Fit,
        seconds: f64,
        data: &Points,
        model: &dyn Model,
        output: &Output,
    ) -> Tried {
        let is_asked = wanted == Wanted::Yes;
        if wanted == Wanted::No {
            return Tried::Nothing;
        }
        if !fit.setup.method.has_kernel() {
            if is_asked {
                output
                    .note(&format!("--sensitivity has no effect with --method {}", fit.setup.method.name()));
            }
            return Tried::Nothing;
        }
        if !is_asked && FITS * seconds > PATIENCE {
            return Tried::Refused(format!(
                "other kernels, bandwidths and numbers of boundary points were not tried, which would take about {}; --sensitivity does it",
                duration(FITS * seconds)
            ));
        }
        match as_fitted(estimator, fit).sensitivity(data, model) {
            Ok(found) => {
                fit.warnings.extend(found.warning.clone());
                Tried::Found(found)
            }
            Err(error) => {
                if is_asked {
                    output.warn(&format!("--sensitivity: {error}"));
                }
                Tried::Refused(format!("other settings could not be tried: {error}"))
            }
        }
    }

    /// The same with its estimates in other reported parameters.
    pub fn mapped(self, map: impl Fn(&[f64]) -> Option<(Vec<f64>, Matrix)>) -> Tried {
        match self {
            Tried::Found(found) => Tried::Found(found.mapped(map)),
            other => other,
        }
    }

    /// What there is to print, where the user asked for it.
    pub fn asked(&self, is_asked: bool) -> Option<&Sensitivity> {
        match self {
            Tried::Found(found) if is_asked => Some(found),
            _ => None,
        }
    }
}

/// The fits of a sensitivity, one in a row.
pub fn sensitivity_table(sensitivity: &Sensitivity) -> Table {
    let mut table = table(sensitivity.parameters.iter().map(String::as_str), &["moves by", ""]);
    for row in &sensitivity.rows {
        let mut line = cells(&row.variant, sensitivity.parameters.len());
        line.push(row.difference.map_or_else(|| "-".into(), |value| format!("{value:.2}")));
        let word = match (row.variant.is_fitted(), row.agrees) {
            (false, _) => "not fitted",
            (true, true) => "",
            (true, false) => "*",
        };
        line.push(word.into());
        table.row(line);
    }
    table
}

/// A sensitivity report.
pub fn print_sensitivity(sensitivity: &Sensitivity, output: &mut Output) -> Result<(), Failure> {
    let out = output.result();
    let table = sensitivity_table(sensitivity);
    writeln!(out, "\nsensitivity to kernel, bandwidth and boundary points")?;
    write!(out, "{table}")?;
    writeln!(out, "moves by: in standard errors of the first row; * more than chance")?;
    writeln!(out, "{}", sensitivity.summary)?;
    Ok(())
}

/// So many parameters fit beside each other; the others are in the JSON.
const MOST_COLUMNS: usize = 6;

fn table<'a>(names: impl Iterator<Item = &'a str>, last: &[&'a str]) -> Table {
    let first = ["kernel", "bandwidth", "ridge", "m"].into_iter();
    Table::with_header(1, first.chain(names.take(MOST_COLUMNS)).chain(last.iter().copied()))
}

/// Settings and the first of so many estimates, which a fit that failed does not have.
fn cells(variant: &Variant, parameters: usize) -> Vec<String> {
    let mut row = vec![
        variant.kernel.clone(),
        significant(variant.bandwidth),
        variant.ridge.map_or_else(|| "-".into(), |ridge| ridge.to_string()),
        variant.boundary_points.to_string(),
    ];
    let get = |list: &[f64], k: usize| list.get(k).copied();
    let shown = 0..parameters.min(MOST_COLUMNS);
    row.extend(shown.map(|k| estimate(get(&variant.estimates, k), get(&variant.std_errors, k))));
    row
}

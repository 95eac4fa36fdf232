//! A comparison as tables.

use steinbound::inference::Comparison;
use steinbound::text::{Table, duration, estimate, p_value, significant};

use crate::failure::Failure;
use crate::output::Output;

pub fn print(comparison: &Comparison, output: &mut Output) -> Result<(), Failure> {
    let out = output.result();
    writeln!(out, "n = {} points, d = {}", comparison.n, comparison.d)?;
    if let Some(text) = reference(comparison) {
        writeln!(out, "{text}\n")?;
    }
    writeln!(out, "{}", fits(comparison))?;
    for reason in reasons(comparison) {
        writeln!(out, "{reason}\n")?;
    }
    write!(out, "{}", parameters(comparison))?;
    Ok(())
}

/// What all discrepancies are measured with.
pub fn reference(comparison: &Comparison) -> Option<String> {
    let reference = &comparison.reference;
    let kernel = reference.kernel.as_ref()?;
    let ridge = reference.ridge.map_or_else(String::new, |ridge| format!(", ridge {ridge}"));
    let (name, bandwidth) = (&kernel.name, significant(kernel.bandwidth));
    Some(format!(
        "discrepancy of all: {}, {} boundary points, kernel {name}, bandwidth {bandwidth}{ridge}",
        reference.method.name(),
        reference.m
    ))
}

/// Why some could not be fitted.
pub fn reasons(comparison: &Comparison) -> Vec<String> {
    let reason = |(k, row): (usize, &steinbound::inference::Compared)| {
        row.reason.as_ref().map(|reason| format!("[{}] {reason}", k + 1))
    };
    comparison.fits.iter().enumerate().filter_map(reason).collect()
}

/// One line for each fit.
pub fn fits(comparison: &Comparison) -> Table {
    let is_tested = comparison.fits.iter().any(|row| row.test.is_some());
    let p_heading = if is_tested { &["p-value"][..] } else { &[] };
    let heads = ["", "method", "model", "parameters", "discrepancy"].into_iter();
    let heads = heads.chain(p_heading.iter().copied()).chain(["time", ""]);
    let mut table = Table::with_header(3, heads);
    for (k, row) in comparison.fits.iter().enumerate() {
        let discrepancy = match (row.discrepancy, row.discrepancy_squared) {
            (Some(value), _) => significant(value),
            (None, Some(squared)) => format!("{} squared", significant(squared)),
            (None, None) => "-".into(),
        };
        let doubtful = row.fit.as_ref().is_some_and(|fit| !fit.is_trustworthy())
            || row.test.as_ref().is_some_and(|test| !test.trustworthy);
        let mut cells = vec![
            format!("[{}]", k + 1),
            row.method.name().into(),
            row.label.clone(),
            row.parameter_count.to_string(),
            discrepancy,
        ];
        if is_tested {
            cells.push(p_value(row.test.as_ref().map(|test| test.p_value)));
        }
        cells.extend([
            row.fit.as_ref().map_or_else(|| "-".into(), |fit| duration(fit.seconds.total)),
            if row.fit.is_none() {
                "not fitted"
            } else if doubtful {
                "doubtful"
            } else {
                ""
            }
            .into(),
        ]);
        table.row(cells);
    }
    table
}

/// One line for each parameter that any fit has, one column for each fit.
pub fn parameters(comparison: &Comparison) -> Table {
    let fits: Vec<(usize, &steinbound::Fit)> =
        comparison.fits.iter().enumerate().filter_map(|(k, row)| Some((k, row.fit.as_ref()?))).collect();
    let mut names: Vec<&str> = Vec::new();
    for name in fits.iter().flat_map(|(_, fit)| fit.parameters.iter().map(|p| p.name.as_str())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let heads: Vec<String> = fits.iter().map(|(k, _)| format!("[{}]", k + 1)).collect();
    let mut table =
        Table::with_header(1, ["estimate (std. error)"].into_iter().chain(heads.iter().map(String::as_str)));
    for name in names {
        let cell = |(_, fit): &(usize, &steinbound::Fit)| match fit.parameter(name) {
            Some(p) if p.estimate.is_some() => {
                format!("{} ({})", estimate(p.estimate, p.std_error), estimate(p.std_error, p.std_error))
            }
            _ => "-".into(),
        };
        table.row([name.to_string()].into_iter().chain(fits.iter().map(cell)).collect());
    }
    table
}

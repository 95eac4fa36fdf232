//! Several fits side by side.

use steinbound::Fit;
use steinbound::inference::{Compared, Comparison};
use steinbound::text::{Document, Table, duration, estimate, p_value, setting, significant};

use super::selection::criterion;

/// The fits, the reasons of those that failed, and their parameters side by side.
pub fn document(comparison: &Comparison) -> Document {
    let mut document = Document::new().line(format!("n = {} points, d = {}", comparison.n, comparison.d));
    if let Some(text) = reference(comparison) {
        document = document.line(text).gap();
    }
    document = document.table(fits(comparison)).gap();
    for reason in reasons(comparison) {
        document = document.line(reason).gap();
    }
    document.table(parameters(comparison))
}

/// The settings with which the discrepancies of all fits are measured.
pub fn reference(comparison: &Comparison) -> Option<String> {
    let reference = &comparison.reference;
    let kernel = reference.kernel.as_ref()?;
    let ridge = reference.ridge.map_or_else(String::new, |ridge| format!(", ridge {}", setting(ridge)));
    let (name, bandwidth) = (&kernel.name, significant(kernel.bandwidth));
    Some(format!(
        "discrepancy of all: {}, {} boundary points, kernel {name}, bandwidth {bandwidth}{ridge}",
        reference.method.name(),
        reference.m
    ))
}

/// Why some could not be fitted.
pub fn reasons(comparison: &Comparison) -> Vec<String> {
    let reason =
        |(k, row): (usize, &Compared)| row.reason.as_ref().map(|reason| format!("[{}] {reason}", k + 1));
    comparison.fits.iter().enumerate().filter_map(reason).collect()
}

/// One row for each fit.
pub fn fits(comparison: &Comparison) -> Table {
    let is_tested = comparison.fits.iter().any(|row| row.test.is_some());
    let has_likelihood = comparison.fits.iter().any(|row| row.information.is_some());
    let is_held_out = comparison.fits.iter().any(|row| row.held_out.is_some());
    let mut heads = vec!["", "method", "model", "parameters", "discrepancy"];
    for (is_shown, names) in [
        (is_held_out, &["held out"][..]),
        (is_tested, &["p-value"]),
        (has_likelihood, &["log-likelihood", "AIC", "BIC"]),
    ] {
        heads.extend(names.iter().filter(|_| is_shown));
    }
    let mut table = Table::with_header(3, heads.into_iter().chain(["time", ""]));
    for (k, row) in comparison.fits.iter().enumerate() {
        let discrepancy = match (row.discrepancy, row.discrepancy_squared) {
            (Some(value), _) => significant(value),
            (None, Some(squared)) => format!("{} squared", significant(squared)),
            (None, None) => "-".into(),
        };
        let mut cells = vec![
            format!("[{}]", k + 1),
            row.method.name().into(),
            row.label.clone(),
            row.parameter_count.to_string(),
            discrepancy,
        ];
        if is_held_out {
            let squared = row.held_out.as_ref().map(|found| significant(found.squared));
            cells.push(squared.unwrap_or_else(|| "-".into()));
        }
        if is_tested {
            cells.push(p_value(row.test.as_ref().map(|test| test.p_value)));
        }
        if has_likelihood {
            let values = row.information.map(|found| [found.log_likelihood, found.aic, found.bic]);
            cells.extend(values.map_or_else(|| ["-", "-", "-"].map(String::from), |v| v.map(criterion)));
        }
        cells.push(row.fit.as_ref().map_or_else(|| "-".into(), |fit| duration(fit.seconds.total)));
        cells.push(remark(row).into());
        table.row(cells);
    }
    table
}

/// Whether a fit exists and may be trusted.
fn remark(row: &Compared) -> &'static str {
    let is_test_doubtful = row.test.as_ref().is_some_and(|test| !test.trustworthy);
    match &row.fit {
        None => "not fitted",
        Some(fit) if is_test_doubtful || !fit.is_trustworthy() => "doubtful",
        Some(_) => "",
    }
}

/// One row for each parameter of any fit, and one column for each fit.
pub fn parameters(comparison: &Comparison) -> Table {
    let fits: Vec<(usize, &Fit)> =
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
        let cell = |(_, fit): &(usize, &Fit)| match fit.parameter(name) {
            Some(p) if p.estimate.is_some() => {
                format!("{} ({})", estimate(p.estimate, p.std_error), estimate(p.std_error, p.std_error))
            }
            _ => "-".into(),
        };
        table.row([name.to_string()].into_iter().chain(fits.iter().map(cell)).collect());
    }
    table
}

#[cfg(test)]
mod tests {
    use steinbound::inference::{Comparison, Contender};
    use steinbound::{Estimator, Points, model::Gaussian};

    #[test]
    fn a_column_for_each_fit_and_a_reason_for_each_failure() {
        let data = Points::from_rows(&[[0.1], [0.5], [0.3], [0.9], [0.7]]).unwrap();
        let model = Gaussian::with_variance(1, 1.0).unwrap();
        // Without a boundary the second cannot be fitted.
        let contenders =
            [Estimator::ksd(), Estimator::truncsm()].map(|method| Contender::new(method, &model));
        let reference = contenders[0].estimator.check(&data, &model).unwrap();
        let found = Comparison::run(&reference, &contenders, &data, None);
        let text = super::document(&found).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0] == "n = 5 points, d = 1" && lines[1].starts_with("discrepancy of all: ksd, 0"),
            "{text}"
        );
        assert!(lines[2].is_empty() && lines[3].starts_with("     method   model     parameters"), "{text}");
        assert!(lines[6].ends_with("-  not fitted") && lines[8].starts_with("[2] "), "{text}");
        assert!(lines[10].starts_with("estimate (std. error)") && lines[10].ends_with("[1]"), "{text}");
        assert_eq!(lines.len(), 13, "{text}");
    }
}

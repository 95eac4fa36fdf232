//! Tests of goodness of fit.

use steinbound::Method;
use steinbound::fit::Parameter;
use steinbound::inference::{Null, TestResult};
use steinbound::text::{Document, Table, estimate, percent, significant, with_article};

/// A test of a model with the number of observations, and the parameters where they were fitted.
pub fn document(
    found: &TestResult,
    method: Method,
    model: &str,
    n: usize,
    parameters: Option<&[Parameter]>,
) -> Document {
    let what = if found.fitted { "parameters fitted" } else { "parameters given" };
    let mut document = Document::new()
        .title(format!("{} test of {} density, n = {n}, {what}", method.name(), with_article(model)))
        .gap();
    if let Some(parameters) = parameters {
        let shown = |p: &Parameter| format!("  {} = {}", p.name, estimate(p.estimate, p.std_error));
        document = document.lines(parameters.iter().map(shown)).gap();
    }
    with_result(document, found)
}

/// A test that belongs to a fit, under a heading.
pub fn of_fit(found: &TestResult) -> Document {
    with_result(Document::new().title("test of fit"), found)
}

/// Adds the statistic, its distribution under the model, and the verdict.
fn with_result(document: Document, found: &TestResult) -> Document {
    let (expected, critical) = (significant(found.expected), significant(found.critical));
    let facts = [
        ("squared discrepancy", significant(found.statistic)),
        ("under the model", format!("{expected} on average, above {critical} in {} %", percent(found.level))),
        ("draws", format!("{} ({})", found.bootstrap, draws(found))),
        ("p-value", significant(found.p_value)),
    ];
    document.table(Table::facts(facts)).line(format!("at the level {}    {}", found.level, verdict(found)))
}

/// Statistic, distribution, level and p-value, one row each.
pub fn table(found: &TestResult) -> Table {
    let mut table = Table::new(1, ["", "value"]);
    for (name, value) in [
        ("squared discrepancy", significant(found.statistic)),
        ("on average under the model", significant(found.expected)),
        ("critical value", significant(found.critical)),
        ("level", found.level.to_string()),
        ("p-value", significant(found.p_value)),
        ("draws", format!("{} ({})", found.bootstrap, draws(found))),
    ] {
        table.row(vec![name.into(), value]);
    }
    table
}

/// How the draws under the hypothesis were made.
fn draws(found: &TestResult) -> &'static str {
    match (found.null, found.fitted) {
        (Null::Wild, false) => "random signs",
        (Null::Wild, true) => "random signs, corrected for the fit",
        (Null::Parametric, false) => "data drawn from the density",
        (Null::Parametric, true) => "data drawn from the fitted density, fitted again",
    }
}

/// The conclusion in words.
pub fn verdict(found: &TestResult) -> String {
    let verdict = if found.rejected {
        "rejected: the data do not look like a sample of this model inside the boundary"
    } else {
        "not rejected: nothing in the data speaks against this model inside the boundary"
    };
    let doubt = if found.trustworthy { "" } else { " (not to be relied on: see the note)" };
    format!("{verdict}{doubt}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(null: &str) -> TestResult {
        let json = format!(
            r#"{{"statistic": 0.0123, "p_value": 0.5, "bootstrap": 500, "rejected": false, "level": 0.05, "resampling": "{null}",
                "statistic_type": "v", "fitted": true, "expected": 0.02, "critical": 0.04, "failed": 0, "trustworthy": true,
                "notes": []}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn values_are_aligned_and_whole() {
        let text = of_fit(&result("parametric")).to_string();
        let expected = "test of fit\n\
                        squared discrepancy  0.01230\n\
                        under the model      0.02000 on average, above 0.04000 in 5 %\n\
                        draws                500 (data drawn from the fitted density, fitted again)\n\
                        p-value              0.5000\n\
                        at the level 0.05    not rejected: nothing in the data speaks against this model inside the boundary\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn fitted_parameters_come_before_the_result() {
        let mean = Parameter {
            name: "mean[x1]".into(),
            estimate: Some(0.5),
            std_error: Some(0.1),
            lower: None,
            upper: None,
        };
        let text = document(&result("wild"), Method::TKSD, "gaussian", 30, Some(&[mean])).to_string();
        let start =
            "tksd test of a gaussian density, n = 30, parameters fitted\n\n  mean[x1] = 0.50\n\nsquared";
        assert!(text.starts_with(start), "{text}");
    }
}

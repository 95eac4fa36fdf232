//! Derived quantities and Wald tests.

use steinbound::fit::{Parameter, TableStyle};
use steinbound::inference::WaldTest;
use steinbound::text::{Document, p_value, statistic};

/// Derived quantities and the test of a hypothesis, each after a blank line; empty where there is neither.
pub fn document(derived: &[Parameter], wald: Option<&WaldTest>, confidence: f64) -> Document {
    styled(derived, wald, &TableStyle::new(confidence))
}

/// The same in a style.
pub fn styled(derived: &[Parameter], wald: Option<&WaldTest>, style: &TableStyle) -> Document {
    let mut document = Document::new();
    if !derived.is_empty() {
        document = document.gap().table(style.table(derived));
    }
    if let Some(test) = wald {
        document = document.gap().line(wald_sentence(test));
    }
    document
}

/// A hypothesis and the result of its test in one sentence.
///
/// ```
/// use steinbound::Matrix;
/// use steinbound::inference::{LinearHypothesis, WaldTest};
/// let hypothesis = LinearHypothesis::parse("a = b", &["a", "b"])?;
/// let test = WaldTest::of(&["a", "b"], &[3.0, 1.0], Some(&Matrix::identity(2)), &hypothesis)?;
/// assert_eq!(
///     steinbound_request::tables::answers::wald_sentence(&test),
///     "Wald test of a - b = 0: chi-square 2.00 with 1 degree of freedom, p = 0.1573"
/// );
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn wald_sentence(test: &WaldTest) -> String {
    let restricted = test.degrees_of_freedom;
    let law = match test.denominator {
        None if restricted == 1 => format!("chi-square {} with 1 degree", statistic(Some(test.statistic))),
        None => format!("chi-square {} with {restricted} degrees", statistic(Some(test.statistic))),
        Some(clusters) => {
            let ratio = statistic(Some(test.statistic / restricted as f64));
            format!("F {ratio} with {restricted} and {clusters} degrees")
        }
    };
    let p = p_value(Some(test.p_value));
    let p = if p.starts_with('<') { p } else { format!("= {p}") };
    format!("Wald test of {}: {law} of freedom, p {p}", test.hypothesis.join(", "))
}

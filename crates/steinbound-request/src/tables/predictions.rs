//! Predictions of a regression.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use steinbound::fit::TableStyle;
use steinbound::regression::Quantity;
use steinbound::text::{Document, Table};

/// A predicted mean of the untruncated response, with its confidence interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Prediction {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub std_error: f64,
    /// The lower end of the interval.
    pub lower: f64,
    /// The upper end of the interval.
    pub upper: f64,
    /// What else is expected where the response has limits, by the name of the quantity.
    #[serde(flatten, skip_serializing_if = "BTreeMap::is_empty")]
    pub others: BTreeMap<Cow<'static, str>, Expectation>,
}

/// What is expected of a response, with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Expectation {
    /// The value.
    pub estimate: f64,
    /// Its standard error.
    pub std_error: f64,
    /// The lower end of the interval.
    pub lower: f64,
    /// The upper end of the interval.
    pub upper: f64,
}

impl Prediction {
    /// A mean with its standard error; the interval extends `reach` standard errors to each side.
    ///
    /// ```
    /// use steinbound_request::tables::predictions::Prediction;
    /// assert_eq!(Prediction::new(3.0, 0.5, 2.0).upper, 4.0);
    /// ```
    pub fn new(mean: f64, std_error: f64, reach: f64) -> Prediction {
        let (lower, upper) = (mean - reach * std_error, mean + reach * std_error);
        Prediction { mean, std_error, lower, upper, others: BTreeMap::new() }
    }

    /// Whether all of it is within the range of numbers.
    pub(crate) fn is_finite(&self) -> bool {
        let own = [self.mean, self.std_error, self.lower, self.upper];
        let others = self.others.values().flat_map(|of| [of.estimate, of.std_error, of.lower, of.upper]);
        own.into_iter().chain(others).all(f64::is_finite)
    }

    /// Adds what is expected of another quantity.
    pub fn expect(&mut self, quantity: Quantity, estimate: f64, std_error: f64, reach: f64) {
        let (lower, upper) = (estimate - reach * std_error, estimate + reach * std_error);
        self.others.insert(quantity.name().into(), Expectation { estimate, std_error, lower, upper });
    }
}

/// What else is expected of the rows, a table for each quantity; empty where nothing is.
pub fn expectations(predictions: &[Prediction], style: &TableStyle) -> Document {
    let [lower, upper] = style.interval();
    let mut document = Document::new();
    for quantity in [Quantity::Seen, Quantity::Recorded, Quantity::Uncensored] {
        let found = predictions.iter().map(|row| row.others.get(quantity.name()));
        let mut table = Table::new(0, ["row", "estimate", "std. error", &lower, &upper]);
        for (i, e) in found.enumerate().filter_map(|(i, e)| Some((i, e?))) {
            let shown = |value| style.number(Some(value), Some(e.std_error));
            let cells = [e.estimate, e.std_error, e.lower, e.upper].map(shown);
            table.row([(i + 1).to_string()].into_iter().chain(cells).collect());
        }
        if !table.rows().is_empty() {
            document = document.gap().line(format!("predicted {}", quantity.describe())).table(table);
        }
    }
    document
}

/// The predictions under a heading.
pub fn document(predictions: &[Prediction], style: &TableStyle) -> Document {
    document_of("response", predictions, style)
}

/// The same for a response that is a function of its column, such as `log(wage)`.
pub fn document_of(response: &str, predictions: &[Prediction], style: &TableStyle) -> Document {
    let title = format!("predicted mean of the untruncated {response}");
    Document::new().title(&title).table(table(predictions, style))
}

/// One row for each prediction.
pub fn table(predictions: &[Prediction], style: &TableStyle) -> Table {
    let [lower, upper] = style.interval();
    let mut table = Table::new(0, ["row", "mean", "std. error", &lower, &upper]);
    for (i, p) in predictions.iter().enumerate() {
        let shown = |value| style.number(Some(value), Some(p.std_error));
        table.row(vec![
            (i + 1).to_string(),
            shown(p.mean),
            shown(p.std_error),
            shown(p.lower),
            shown(p.upper),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_standard_error() {
        let style = TableStyle::new(0.9);
        let text = document(&[Prediction::new(3.1372, 0.25, 2.0)], &style).to_string();
        let expected = "predicted mean of the untruncated response\n\
                        row  mean  std. error  90% lower  90% upper\n\
                        -------------------------------------------\n\
                        \u{20} 1  3.14        0.25       2.64       3.64\n";
        assert_eq!(text, expected);
    }
}

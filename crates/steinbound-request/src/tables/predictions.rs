//! Predictions of a regression.

use serde::Serialize;
use steinbound::text::{Document, Table, estimate, percent};

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
}

impl Prediction {
    /// A mean with its standard error; the interval extends `reach` standard errors to each side.
    ///
    /// ```
    /// use steinbound_request::tables::predictions::Prediction;
    /// assert_eq!(Prediction::new(3.0, 0.5, 2.0).upper, 4.0);
    /// ```
    pub fn new(mean: f64, std_error: f64, reach: f64) -> Prediction {
        Prediction { mean, std_error, lower: mean - reach * std_error, upper: mean + reach * std_error }
    }
}

/// The predictions under a heading.
pub fn document(predictions: &[Prediction], confidence: f64) -> Document {
    document_of("response", predictions, confidence)
}

/// The same for a response that is a function of its column, such as `log(wage)`.
pub fn document_of(response: &str, predictions: &[Prediction], confidence: f64) -> Document {
    let title = format!("predicted mean of the untruncated {response}");
    Document::new().title(&title).table(table(predictions, confidence))
}

/// One row for each prediction.
pub fn table(predictions: &[Prediction], confidence: f64) -> Table {
    let level = percent(confidence);
    let (lower, upper) = (format!("{level}% lower"), format!("{level}% upper"));
    let mut table = Table::new(0, ["row", "mean", "std. error", &lower, &upper]);
    for (i, p) in predictions.iter().enumerate() {
        let shown = |value| estimate(Some(value), Some(p.std_error));
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
        let text = document(&[Prediction::new(3.1372, 0.25, 2.0)], 0.9).to_string();
        let expected = "predicted mean of the untruncated response\n\
                        row  mean  std. error  90% lower  90% upper\n\
                        -------------------------------------------\n\
                        \u{20} 1  3.14        0.25       2.64       3.64\n";
        assert_eq!(text, expected);
    }
}

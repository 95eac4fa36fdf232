//! Pieces of pictures that several figures share.

use steinbound_plot::numbers;
pub use steinbound_plot::numbers::{range, steps};
use steinbound_plot::{Panel, Style};
pub use steinbound_report::pairs;

use crate::results::Mean;

/// A line through means, with bars of one standard error.
pub fn means(panel: Panel, means: &[(f64, Mean)], style: Style) -> Panel {
    let bars = means.iter().map(|(x, mean)| (*x, mean.mean, mean.std_error)).collect();
    let line = means.iter().map(|(x, mean)| (*x, mean.mean)).collect();
    panel.error_bars(bars, style.clone()).line(line, style)
}

/// Counts of values between edges.
pub fn histogram(values: &[f64], edges: &[f64]) -> Vec<f64> {
    numbers::histogram(values.iter().map(|value| (*value, 1.0)), edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_lose_nothing() {
        let counts = histogram(&[-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 9.0, f64::NAN], &[0.0, 1.0, 2.0]);
        assert_eq!(counts, [3.0, 4.0]);
    }
}

//! Pieces of pictures that several figures share.

use steinbound::Points;
use steinbound_plot::{Panel, Style};

use crate::results::Mean;

/// Points of the plane as pairs.
pub fn pairs(points: &Points) -> Vec<(f64, f64)> {
    points.rows().map(|x| (x[0], x[1])).collect()
}

/// A line through means, with bars of one standard error.
pub fn means(panel: Panel, means: &[(f64, Mean)], style: Style) -> Panel {
    let bars = means.iter().map(|(x, mean)| (*x, mean.mean, mean.std_error)).collect();
    let line = means.iter().map(|(x, mean)| (*x, mean.mean)).collect();
    panel.error_bars(bars, style.clone()).line(line, style)
}

/// Counts of values between edges. What lies beyond them is counted at the ends, so that nothing is lost.
pub fn histogram(values: &[f64], edges: &[f64]) -> Vec<f64> {
    let mut counts = vec![0.0; edges.len() - 1];
    for value in values.iter().filter(|v| v.is_finite()) {
        let bin = edges.partition_point(|edge| edge <= value).saturating_sub(1).min(counts.len() - 1);
        counts[bin] += 1.0;
    }
    counts
}

/// So many numbers at even steps, ends included.
pub fn steps(low: f64, high: f64, count: usize) -> Vec<f64> {
    (0..count).map(|i| low + (high - low) * i as f64 / (count - 1) as f64).collect()
}

/// The smallest and the largest of some values.
pub fn range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let finite = values.into_iter().filter(|v| v.is_finite());
    finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_lose_nothing() {
        let counts = histogram(&[-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 9.0, f64::NAN], &[0.0, 1.0, 2.0]);
        assert_eq!(counts, [3.0, 4.0]);
        assert_eq!(steps(0.0, 1.0, 3), [0.0, 0.5, 1.0]);
    }
}

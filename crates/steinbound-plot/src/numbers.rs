//! Helpers for numbers in pictures: steps along an axis, ranges, counts between edges.

/// `count` numbers at equal steps, including both ends.
///
/// ```
/// assert_eq!(steinbound_plot::numbers::steps(0.0, 1.0, 3), [0.0, 0.5, 1.0]);
/// ```
pub fn steps(low: f64, high: f64, count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count).map(|i| low + (high - low) * i as f64 / last).collect()
}

/// The smallest and the largest of the finite values.
///
/// ```
/// assert_eq!(steinbound_plot::numbers::range([2.0, f64::NAN, -1.0]), (-1.0, 2.0));
/// ```
pub fn range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let finite = values.into_iter().filter(|v| v.is_finite());
    finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

/// Sums of weights between edges. Values beyond the edges are counted in the first and last bin.
///
/// ```
/// use steinbound_plot::numbers::histogram;
/// assert_eq!(histogram([(-1.0, 1.0), (0.5, 1.0), (1.0, 2.0), (9.0, 1.0)], &[0.0, 1.0, 2.0]), [2.0, 3.0]);
/// ```
pub fn histogram(values: impl IntoIterator<Item = (f64, f64)>, edges: &[f64]) -> Vec<f64> {
    let mut counts = vec![0.0; edges.len().saturating_sub(1)];
    let Some(last) = counts.len().checked_sub(1) else { return counts };
    for (value, weight) in values.into_iter().filter(|(value, _)| value.is_finite()) {
        let bin = edges.partition_point(|edge| *edge <= value).saturating_sub(1).min(last);
        counts[bin] += weight;
    }
    counts
}

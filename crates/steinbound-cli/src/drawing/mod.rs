//! Small pictures in letters, for terminals: pure functions from data to lines.

pub mod histogram;
pub mod map;

/// The most lines of a picture, with its legend.
pub const MOST_LINES: usize = 20;

/// The widest picture, in columns.
pub const WIDEST: usize = 80;

/// An interval that holds all that is finite among some bounds, and has a length.
pub fn range(bounds: impl IntoIterator<Item = (f64, f64)>) -> Option<(f64, f64)> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in bounds.into_iter().flat_map(|(low, high)| [low, high]).filter(|value| value.is_finite()) {
        low = low.min(value);
        high = high.max(value);
    }
    ((high - low).is_finite() && low < high).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_finite_and_not_empty() {
        assert_eq!(range([(0.0, f64::INFINITY), (-1.0, 2.0)]), Some((-1.0, 2.0)));
        assert_eq!(range([(1.0, 1.0)]), None);
        assert_eq!(range([]), None);
        assert_eq!(range([(f64::MIN, f64::MAX)]), None);
    }
}

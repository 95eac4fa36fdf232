//! The bandwidth: given, or the median distance between data points.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rayon::prelude::*;

use crate::error::KernelError;
use crate::points::Points;
use crate::simulate::stream;

/// How the kernel's width `sigma` is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Bandwidth {
    /// The median distance between two different data points (see [`median`]).
    #[default]
    Median,
    /// A number in the data's units.
    Fixed(f64),
}

impl Bandwidth {
    /// The width for these points, a positive number.
    ///
    /// ```
    /// use steinbound::{Points, kernel::Bandwidth};
    /// let points = Points::from_rows(&[[0.0], [1.0], [3.0]])?;
    /// assert_eq!(Bandwidth::Median.resolve(&points, 0)?, 2.0);
    /// assert!(Bandwidth::Fixed(0.0).resolve(&points, 0).is_err());
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn resolve(self, points: &Points, seed: u64) -> Result<f64, KernelError> {
        match self {
            Bandwidth::Fixed(value) if value > 0.0 && value.is_finite() => Ok(value),
            Bandwidth::Fixed(value) => Err(KernelError::BadBandwidth { value }),
            Bandwidth::Median => median(points, seed),
        }
    }
}

/// Up to this many points the median is taken over all pairs.
pub const EXACT_LIMIT: usize = 20_000;

/// Beyond [`EXACT_LIMIT`], the median is taken over all pairs of this many points, drawn with the seed.
pub const SUBSAMPLE: usize = 5_000;

/// The median distance between two different points.
///
/// # Definition
///
/// The median of the `n(n-1)/2` distances `|x_i - x_j|`, `i < j`; for an even number of pairs the mean of the two
/// middle ones. Points of weight zero are left out; other weights do not matter. Exact up to [`EXACT_LIMIT`] points,
/// beyond that exact for a seeded subsample of [`SUBSAMPLE`].
///
/// # Complexity
///
/// One pass over the pairs: a sample of pairs brackets the median, the pass counts the pairs below the
/// bracket and keeps those inside it (about one in forty), and the answer is selected among these.
pub fn median(points: &Points, seed: u64) -> Result<f64, KernelError> {
    let mut rows: Vec<&[f64]> =
        (0..points.len()).filter(|i| points.weight(*i) > 0.0).map(|i| points.row(i)).collect();
    let mut rng = stream(seed, 0);
    if rows.len() > EXACT_LIMIT {
        for i in 0..SUBSAMPLE {
            let other = rng.random_range(i..rows.len());
            rows.swap(i, other);
        }
        rows.truncate(SUBSAMPLE);
    }
    median_of_all_pairs(&rows, &mut rng)
}

fn median_of_all_pairs(rows: &[&[f64]], rng: &mut ChaCha8Rng) -> Result<f64, KernelError> {
    if rows.len() < 2 {
        return Err(KernelError::ZeroMedian);
    }
    let pairs = rows.len() * (rows.len() - 1) / 2;
    let (lower, upper) = ((pairs - 1) / 2, pairs / 2);
    let sample = SAMPLED_PAIRS.min(pairs);
    let mut sampled: Vec<f64> = if sample == pairs {
        squared_distances_between(rows, f64::NEG_INFINITY, f64::INFINITY).1
    } else {
        let draw = |_| {
            let i = rng.random_range(0..rows.len());
            let j = (i + rng.random_range(1..rows.len())) % rows.len();
            squared_distance(rows[i], rows[j])
        };
        (0..sample).map(draw).collect()
    };
    if sampled.iter().any(|q| !q.is_finite()) {
        return Err(KernelError::Overflow);
    }
    let middle = if sample == pairs {
        select_pair(&mut sampled, lower, upper)
    } else {
        // Four standard deviations of a sampled quantile: a miss is rare, and then the bracket is opened wide.
        sampled.sort_unstable_by(f64::total_cmp);
        let reach = (2.0 * (sample as f64).sqrt()) as usize;
        let (low, high) = (sampled[sample / 2 - reach], sampled[sample / 2 + reach]);
        let (below, mut inside) = squared_distances_between(rows, low, high);
        if below <= lower && upper < below + inside.len() {
            select_pair(&mut inside, lower - below, upper - below)
        } else {
            let mut all = squared_distances_between(rows, f64::NEG_INFINITY, f64::INFINITY).1;
            select_pair(&mut all, lower, upper)
        }
    };
    match middle {
        m if m > 0.0 && m.is_finite() => Ok(m),
        0.0 => Err(KernelError::ZeroMedian),
        _ => Err(KernelError::Overflow),
    }
}

/// Pairs drawn to bracket the median; with no more pairs than this, all are simply sorted out.
const SAMPLED_PAIRS: usize = 20_000;

/// How many squared distances lie below `low`, and those in `[low, high]`.
fn squared_distances_between(rows: &[&[f64]], low: f64, high: f64) -> (usize, Vec<f64>) {
    let parts: Vec<(usize, Vec<f64>)> = (0..rows.len())
        .into_par_iter()
        .with_min_len(16)
        .fold(
            || (0, Vec::new()),
            |(mut below, mut inside), i| {
                for other in &rows[i + 1..] {
                    let q = squared_distance(rows[i], other);
                    if q < low {
                        below += 1;
                    } else if q <= high {
                        inside.push(q);
                    }
                }
                (below, inside)
            },
        )
        .collect();
    let below = parts.iter().map(|part| part.0).sum();
    (below, parts.into_iter().flat_map(|part| part.1).collect())
}

fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The mean of the distances whose squares have the given ranks, `lower` and `upper` being equal or neighbours.
fn select_pair(squared: &mut [f64], lower: usize, upper: usize) -> f64 {
    let (_, low, above) = squared.select_nth_unstable_by(lower, f64::total_cmp);
    let low = low.sqrt();
    if upper == lower {
        return low;
    }
    let high = above.iter().copied().fold(f64::INFINITY, f64::min).sqrt();
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brute_force(points: &Points) -> f64 {
        let mut all = Vec::new();
        for i in 0..points.len() {
            for j in 0..i {
                all.push(squared_distance(points.row(i), points.row(j)).sqrt());
            }
        }
        all.sort_by(f64::total_cmp);
        0.5 * (all[(all.len() - 1) / 2] + all[all.len() / 2])
    }

    fn scattered(n: usize, spread: f64) -> Points<'static> {
        let mut rng = stream(7, n as u64);
        let values: Vec<f64> = (0..2 * n).map(|_| spread * rng.random::<f64>().powi(3)).collect();
        Points::new(values, 2).unwrap()
    }

    #[test]
    fn the_median_is_exact_on_both_paths() {
        for n in [2, 3, 4, 50, 199, 203, 640, 1201] {
            let points = scattered(n, 3.0);
            assert_eq!(median(&points, 1).unwrap(), brute_force(&points), "n = {n}");
        }
    }

    #[test]
    fn many_ties_do_not_break_the_bracket() {
        let values: Vec<f64> = (0..900).map(|i| f64::from(i % 3)).collect();
        let points = Points::new(values, 1).unwrap();
        assert_eq!(median(&points, 0).unwrap(), brute_force(&points));
    }

    #[test]
    fn the_subsample_is_close_and_seeded() {
        let points = scattered(EXACT_LIMIT + 1, 1.0);
        let rows: Vec<&[f64]> = points.rows().collect();
        let exact = median_of_all_pairs(&rows, &mut stream(0, 0)).unwrap();
        let ratios: Vec<f64> = (0..16).map(|seed| median(&points, seed).unwrap() / exact).collect();
        let mean = ratios.iter().sum::<f64>() / 16.0;
        let spread = (ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / 15.0).sqrt();
        assert!(spread < 0.03, "{ratios:?}");
        assert!((mean - 1.0).abs() < 3.0 * spread / 4.0, "{ratios:?}");
        assert_eq!(median(&points, 3), median(&points, 3));
    }

    #[test]
    fn coinciding_points_have_no_median() {
        let points = Points::new(vec![1.0; 10], 1).unwrap();
        assert_eq!(median(&points, 0), Err(KernelError::ZeroMedian));
    }

    #[test]
    fn points_of_weight_zero_are_left_out() {
        let points = Points::from_rows(&[[0.0], [1.0], [100.0]]).unwrap();
        let points = points.with_weights(vec![1.0, 1.0, 0.0]).unwrap();
        assert_eq!(median(&points, 0).unwrap(), 1.0);
    }
}

//! The bandwidth: given, or the median distance between data points.

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use crate::compute::distances::{Bracketed, deviations_of_median};
use crate::compute::packed::Coordinates;
use crate::error::{Error, KernelError};
use crate::interrupt::Interrupt;
use crate::points::{Points, squared_distance};
use crate::random::{stream, tasks};

/// How the kernel's width `sigma` is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Bandwidth {
    /// The median distance between two different data points (see [`median`]).
    #[default]
    Median,
    /// A number in the data's units.
    Fixed(f64),
    /// A number in the data's units at which a method that chooses the bandwidth itself begins; for others as
    /// [`Fixed`](Bandwidth::Fixed).
    From(f64),
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
    pub fn resolve(self, points: &Points, seed: u64) -> Result<f64, Error> {
        self.find(points, seed, &Interrupt::new())
    }

    /// [`resolve`](Bandwidth::resolve), which for many points takes a while.
    pub(crate) fn find(self, points: &Points, seed: u64, interrupt: &Interrupt) -> Result<f64, Error> {
        interrupt.check()?;
        match self {
            Bandwidth::Fixed(value) | Bandwidth::From(value) if value > 0.0 && value.is_finite() => Ok(value),
            Bandwidth::Fixed(value) | Bandwidth::From(value) => {
                Err(KernelError::BadBandwidth { value }.into())
            }
            Bandwidth::Median => median_of_some(points, seed, interrupt),
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
/// The median of the `n(n-1)/2` distances `|x_i - x_j|`, `i < j`, coordinates being divided by their scales;
/// for an even number of pairs the mean of the two middle ones. Points of weight zero are left out; other
/// weights do not matter. Exact up to [`EXACT_LIMIT`] points, beyond that exact for a seeded subsample of
/// [`SUBSAMPLE`].
///
/// # Complexity
///
/// One pass over the pairs: a sample of pairs brackets the median, the pass counts the pairs below the
/// bracket and at its ends and keeps those inside it (about one in a hundred), and the answer is selected
/// among these.
pub fn median(points: &Points, seed: u64) -> Result<f64, Error> {
    median_of_some(points, seed, &Interrupt::new())
}

/// The median over the pairs of all points, or of a subsample.
fn median_of_some(points: &Points, seed: u64, interrupt: &Interrupt) -> Result<f64, Error> {
    let mut rng = stream(seed, tasks::BANDWIDTH);
    let weighted = (0..points.len()).filter(|i| points.weight(*i) > 0.0).count();
    let most = if weighted > EXACT_LIMIT { SUBSAMPLE } else { EXACT_LIMIT };
    let rows = points.some_rows(most, &mut rng);
    median_of_all_pairs(points, &rows, &mut rng, interrupt)
}

/// Up to this many pairs no bracket is needed.
const FEW_PAIRS: usize = 4_000;

/// The most pairs in a first, coarse sample.
const COARSE: usize = 4_000;

/// The median over the pairs of some rows.
fn median_of_all_pairs(
    points: &Points,
    rows: &[usize],
    rng: &mut ChaCha8Rng,
    interrupt: &Interrupt,
) -> Result<f64, Error> {
    if rows.len() < 2 {
        return Err(KernelError::ZeroMedian.into());
    }
    let (scales, dimension) = (points.scales(), points.dimension());
    let scaled = |i: usize| points.row(i).iter().zip(scales.iter()).map(|(x, s)| x / s);
    let mut rows = rows.to_vec();
    // In random order, points that follow each other are a random sample of pairs.
    rows.shuffle(rng);
    let values: Vec<f64> = rows.iter().flat_map(|i| scaled(*i)).collect();
    let row = |i: usize| &values[i * dimension..(i + 1) * dimension];
    let coordinates =
        Coordinates::new(rows.len(), dimension + 1, |i, l| row(i).get(l).copied().unwrap_or(0.0));
    let pairs = rows.len() * (rows.len() - 1) / 2;
    let middle = ((pairs - 1) / 2, pairs / 2);
    let coarse = if pairs <= FEW_PAIRS { 0 } else { COARSE.min(rows.len() - 1) };
    let mut sampled: Vec<f64> = (0..coarse).map(|i| squared_distance(row(i), row(i + 1))).collect();
    // More pairs in a second, finer sample narrow the bracket, so that fewer of all pairs are kept: this many
    // make both about as long.
    let partners = (2.0 * (pairs as f64).powf(2.0 / 3.0) / rows.len() as f64) as usize;
    // Standard deviations of a sampled quantile; after a miss, which is rare, a wider bracket.
    let mut deviations = 3.0;
    loop {
        let (half, reach) = (sampled.len() / 2, deviations_of_median(sampled.len(), deviations));
        let mut sampled_rank = |rank: usize| {
            (rank < sampled.len()).then(|| *sampled.select_nth_unstable_by(rank, f64::total_cmp).1)
        };
        let low = half.checked_sub(reach).and_then(&mut sampled_rank);
        let bracket = match (low, sampled_rank(half + reach)) {
            (Some(low), Some(high)) if high.is_finite() => {
                Bracketed::narrowed(&coordinates, (low, high), partners, deviations)
            }
            (Some(low), Some(_)) if low.is_finite() => (low, f64::INFINITY),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let mut counted = Bracketed::count(&coordinates, bracket, interrupt)?;
        if let Some((low, high)) = counted.neighbours(middle) {
            return match 0.5 * (low.sqrt() + high.sqrt()) {
                0.0 => Err(KernelError::ZeroMedian.into()),
                m if m.is_finite() => Ok(m),
                _ => Err(KernelError::Overflow.into()),
            };
        }
        if bracket.0 == f64::NEG_INFINITY {
            return Err(KernelError::Overflow.into());
        }
        deviations *= 2.0;
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

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
        for n in [2, 3, 4, 50, 89, 91, 640, 1201] {
            let points = scattered(n, 3.0);
            // A squared distance may be rounded once or twice.
            let ratio = median(&points, 1).unwrap() / brute_force(&points);
            assert!((ratio - 1.0).abs() < 4.0 * f64::EPSILON, "n = {n}: {ratio}");
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
        let rows: Vec<usize> = (0..points.len()).collect();
        let exact = median_of_all_pairs(&points, &rows, &mut stream(0, 0), &Interrupt::new()).unwrap();
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
        assert_eq!(median(&points, 0), Err(KernelError::ZeroMedian.into()));
    }

    #[test]
    fn points_of_weight_zero_are_left_out() {
        let points = Points::from_rows(&[[0.0], [1.0], [100.0]]).unwrap();
        let points = points.with_weights(vec![1.0, 1.0, 0.0]).unwrap();
        assert_eq!(median(&points, 0).unwrap(), 1.0);
    }
}

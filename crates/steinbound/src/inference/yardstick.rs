//! Whether two fits of the same data differ by more than chance.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::sandwich;
use super::trial::Trial;
use crate::compute::cholesky::ScaledCholesky;
use crate::error::Error;
use crate::fit::Variant;
use crate::matrix::Matrix;
use crate::points::Points;

/// The share of chance differences that count as agreement.
pub const LEVEL: f64 = 0.95;

/// Variance added to a difference, in units of the base's own variance, so that its covariance is not
/// singular: a difference of a thousandth of a standard error is rounding.
const NEGLIGIBLE: f64 = 1e-6;

/// Measures differences between fits.
pub(crate) struct Yardstick<'a> {
    data: &'a Points<'a>,
    weights: Vec<f64>,
    floor: Vec<f64>,
    /// Squared differences up to this value count as agreement: the chi-square quantile [`LEVEL`].
    pub(crate) threshold: f64,
}

impl<'a> Yardstick<'a> {
    /// For fits comparable to a base fit of these data.
    pub(crate) fn new(base: &Variant, data: &'a Points<'a>) -> Yardstick<'a> {
        let law = ChiSquared::new(base.estimates.len().max(1) as f64);
        let floor = base.std_errors.iter().map(|error| NEGLIGIBLE * error.powi(2)).collect();
        let threshold = law.map_or(f64::NAN, |law| law.inverse_cdf(LEVEL));
        Yardstick { data, weights: data.relative_weights(), floor, threshold }
    }

    /// The squared difference of two estimates in units of its own covariance; infinite if that is singular.
    pub(crate) fn difference(&self, one: &Trial, other: &Trial) -> Result<f64, Error> {
        let count = self.floor.len();
        let apart = |i: usize, k: usize| one.influence[(i, k)] - other.influence[(i, k)];
        let influence = Matrix::from_fn(self.data.len(), count, apart);
        let mut covariance = sandwich::covariance(&influence, &self.weights, self.data.clusters())?;
        for k in 0..count {
            covariance[(k, k)] += self.floor[k];
        }
        let Ok(factor) = ScaledCholesky::new(&covariance) else { return Ok(f64::INFINITY) };
        let estimates = one.variant.estimates.iter().zip(&other.variant.estimates);
        let apart: Vec<f64> = estimates.map(|(a, b)| a - b).collect();
        let scaled = factor.inverse_root().times_vector(&apart);
        let squared: f64 = scaled.iter().map(|v| v * v).sum();
        Ok(if squared.is_nan() { f64::INFINITY } else { squared })
    }
}

//! Mean and covariance of the data, ignoring the truncation.

use super::Gaussian;
use crate::compute::cholesky::ScaledCholesky;
use crate::error::{Error, FitError, ModelError, PointsError};
use crate::matrix::Matrix;
use crate::model::{Model, NaiveLikelihood};
use crate::points::Points;

impl NaiveLikelihood for Gaussian {
    /// Mean and covariance of the data (divided by `n`). A point moves the mean by `x - mu` and the
    /// covariance by `(x - mu)(x - mu)' - Sigma`; the influence on `Lambda` and `eta` follows as in
    /// [`Model::report`].
    fn maximum_likelihood(&self, points: &Points, weights: &[f64]) -> Result<(Vec<f64>, Matrix), Error> {
        let (d, p, n) = (self.dimension, self.parameters(), points.len());
        if points.dimension() != d {
            return Err(ModelError::WrongDimension { model: d, data: points.dimension() }.into());
        }
        if weights.len() != n {
            let what = "weights";
            return Err(PointsError::WrongCount { what, found: weights.len(), expected: n }.into());
        }
        let total: f64 = weights.iter().sum();
        let mean: Vec<f64> =
            (0..d).map(|l| points.rows().zip(weights).map(|(x, w)| w / total * x[l]).sum()).collect();
        let deviation = |i: usize, l: usize| points.row(i)[l] - mean[l];
        let mut influence = Matrix::from_fn(n, p, |i, l| if l < d { deviation(i, l) } else { 0.0 });
        if self.is_known() {
            return Ok((mean, influence));
        }
        let mut covariance = Matrix::zeros(d, d);
        for (l, k) in self.entries() {
            let product = |i: usize| weights[i] * deviation(i, l) * deviation(i, k);
            covariance[(l, k)] = (0..n).map(product).sum::<f64>() / total;
            covariance[(k, l)] = covariance[(l, k)];
        }
        let factor =
            ScaledCholesky::new(&covariance).map_err(|condition| FitError::NotIdentified { condition })?;
        let mut precision = Matrix::identity(d);
        factor.solve(&mut precision);
        let mut theta = precision.times_vector(&mean);
        theta.extend(self.entries().iter().map(|entry| precision[*entry]));
        for i in 0..n {
            let x: Vec<f64> = (0..d).map(|l| deviation(i, l)).collect();
            let pulled = precision.times_vector(&x);
            // dLambda = -Lambda (x x' - Sigma) Lambda, restricted to the free entries, and
            // d eta = dLambda mu + Lambda x.
            let change = |l: usize, k: usize| {
                self.precision_parameter(l, k).map_or(0.0, |_| precision[(l, k)] - pulled[l] * pulled[k])
            };
            for l in 0..d {
                let moved: f64 = (0..d).map(|k| change(l, k) * mean[k]).sum();
                influence[(i, l)] = moved + pulled[l];
            }
            for (e, (l, k)) in self.entries().into_iter().enumerate() {
                influence[(i, d + e)] = change(l, k);
            }
        }
        Ok((theta, influence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collinear_columns_have_no_likelihood_estimate() {
        let rows: Vec<[f64; 2]> =
            (0..9).map(|i| [0.1 * f64::from(i * i), 0.3 * f64::from(i * i) + 1.0]).collect();
        let points = Points::from_rows(&rows).unwrap();
        let error = Gaussian::full(2).maximum_likelihood(&points, &[1.0; 9]).unwrap_err();
        assert!(matches!(error, Error::Fit(FitError::NotIdentified { .. })), "{error}");
    }

    /// In one dimension the influence of the variance is known: Cov = (2 Sigma^2)/n for Gaussian data.
    #[test]
    fn likelihood_influence_is_the_textbook_one() {
        let points = Points::from_rows(&[[0.0], [1.0], [5.0]]).unwrap();
        let (theta, influence) = Gaussian::full(1).maximum_likelihood(&points, &[1.0; 3]).unwrap();
        let (mean, variance) = (2.0, 14.0 / 3.0);
        assert!((theta[1] - 1.0 / variance).abs() < 1e-14);
        for (i, x) in [0.0, 1.0, 5.0].into_iter().enumerate() {
            let of_variance = (x - mean) * (x - mean) - variance;
            let of_precision = -of_variance / (variance * variance);
            assert!((influence[(i, 1)] - of_precision).abs() < 1e-14);
            let of_eta = of_precision * mean + (x - mean) / variance;
            assert!((influence[(i, 0)] - of_eta).abs() < 1e-14);
        }
    }
}

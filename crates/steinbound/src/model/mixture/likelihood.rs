//! The maximum likelihood of a mixture without truncation.

use super::GaussianMixture;
use super::clusters::starts;
use super::parameters::Description;
use crate::compute::cholesky::ScaledCholesky;
use crate::error::{Error, FitError, ModelError, PointsError};
use crate::matrix::Matrix;
use crate::model::{Density, NaiveLikelihood, Units};
use crate::points::{Points, column_variances};
use crate::random::stream;

/// The number of steps from each start, and from the best of them.
const TRIAL_STEPS: usize = 25;
const MOST_STEPS: usize = 5000;
/// The stopping rule: the largest change of a parameter, relative to its size.
const TOLERANCE: f64 = 1e-8;
/// A component narrower than this share of the data's variance is shrinking to a point.
const NARROWEST: f64 = 1e-6;

impl NaiveLikelihood for GaussianMixture {
    /// Expectation and maximisation from the best of the starts; the influence of point `i` is `(-H)^-1`
    /// times its gradient, with the mean Hessian `H` of the log-density.
    fn maximum_likelihood(&self, points: &Points, weights: &[f64]) -> Result<(Vec<f64>, Matrix), Error> {
        if points.dimension() != self.dimension {
            let (model, data) = (self.dimension, points.dimension());
            return Err(ModelError::WrongDimension { model, data }.into());
        }
        if weights.len() != points.len() {
            let (found, expected) = (weights.len(), points.len());
            return Err(PointsError::WrongCount { what: "weights", found, expected }.into());
        }
        let search = Search { mixture: self, points, weights, variances: column_variances(points, weights) };
        // A fixed seed: the estimate depends only on the data.
        let trials = starts(self, points, weights, &mut stream(0, 0)).into_iter();
        let trials = trials.filter_map(|theta| search.steps(theta, TRIAL_STEPS).ok());
        let best = trials.max_by(|a, b| search.log_likelihood(a).total_cmp(&search.log_likelihood(b)));
        let theta = search.converged(best.ok_or(FitError::NoLikelihoodMaximum)?)?;
        let theta = self.sorted(theta);
        let influence = search.influence(&theta)?;
        Ok((theta, influence))
    }
}

struct Search<'a> {
    mixture: &'a GaussianMixture,
    points: &'a Points<'a>,
    weights: &'a [f64],
    variances: Vec<f64>,
}

impl Search<'_> {
    fn log_likelihood(&self, theta: &[f64]) -> f64 {
        let rows = self.points.rows().zip(self.weights);
        rows.map(|(x, w)| w * self.mixture.posterior(x, theta).log_density()).sum()
    }

    fn steps(&self, theta: Vec<f64>, count: usize) -> Result<Vec<f64>, FitError> {
        (0..count).try_fold(theta, |theta, _| self.step(&theta))
    }

    fn converged(&self, mut theta: Vec<f64>) -> Result<Vec<f64>, FitError> {
        let units = Units::of(self.mixture, self.points);
        for _ in 0..MOST_STEPS {
            let next = self.step(&theta)?;
            let step: Vec<f64> = theta.iter().zip(&next).map(|(a, b)| a - b).collect();
            let largest = units.length(&next, &step);
            theta = next;
            if largest <= TOLERANCE {
                return Ok(theta);
            }
        }
        Err(FitError::NoLikelihoodMaximum)
    }

    /// One expectation and one maximisation.
    fn step(&self, theta: &[f64]) -> Result<Vec<f64>, FitError> {
        let (d, count) = (self.mixture.dimension, self.mixture.components);
        let mut shares = Vec::with_capacity(self.points.len() * count);
        for (x, w) in self.points.rows().zip(self.weights) {
            shares.extend(self.mixture.posterior(x, theta).responsibilities().iter().map(|r| w * r));
        }
        let mut totals = vec![0.0; count];
        let mut means = vec![0.0; count * d];
        for (x, share) in self.points.rows().zip(shares.chunks_exact(count)) {
            for k in 0..count {
                totals[k] += share[k];
                for l in 0..d {
                    means[k * d + l] += share[k] * x[l];
                }
            }
        }
        let total: f64 = totals.iter().sum();
        if totals.iter().any(|t| t.is_nan() || *t <= 1e-9 * total) {
            return Err(FitError::NoLikelihoodMaximum);
        }
        means.iter_mut().enumerate().for_each(|(at, mean)| *mean /= totals[at / d]);
        let covariances = self.covariances(&shares, &totals, &means);
        let is_narrow = |covariance: &Matrix| {
            (0..d).any(|l| covariance[(l, l)].is_nan() || covariance[(l, l)] < NARROWEST * self.variances[l])
        };
        if covariances.iter().any(is_narrow) {
            return Err(FitError::NoLikelihoodMaximum);
        }
        let weights = totals.iter().map(|t| t / total).collect();
        let description = Description { means, weights, covariances };
        self.mixture.fitted(&description).map_err(|_| FitError::NoLikelihoodMaximum)
    }

    fn covariances(&self, shares: &[f64], totals: &[f64], means: &[f64]) -> Vec<Matrix> {
        let (d, count) = (self.mixture.dimension, self.mixture.components);
        if self.mixture.covariance_parameters() == 0 {
            return Vec::new();
        }
        let mut scatters = vec![Matrix::zeros(d, d); count];
        for (x, share) in self.points.rows().zip(shares.chunks_exact(count)) {
            for (k, scatter) in scatters.iter_mut().enumerate() {
                let deviation = |l: usize| x[l] - means[k * d + l];
                for a in 0..d {
                    for b in 0..d {
                        scatter[(a, b)] += share[k] * deviation(a) * deviation(b);
                    }
                }
            }
        }
        if self.mixture.has_shared_covariance() {
            let total: f64 = totals.iter().sum();
            let sum = |a, b| scatters.iter().map(|s| s[(a, b)]).sum::<f64>();
            return vec![Matrix::from_fn(d, d, |a, b| sum(a, b) / total)];
        }
        let divided =
            |(scatter, total): (Matrix, &f64)| Matrix::from_fn(d, d, |a, b| scatter[(a, b)] / total);
        scatters.into_iter().zip(totals).map(divided).map(|c| self.mixture.restricted(c)).collect()
    }

    fn influence(&self, theta: &[f64]) -> Result<Matrix, FitError> {
        let (n, p) = (self.points.len(), theta.len());
        let total: f64 = self.weights.iter().sum();
        let mut row = vec![0.0; p];
        let mut gradients = Matrix::zeros(n, p);
        for (i, x) in self.points.rows().enumerate() {
            self.mixture.log_density_gradient(x, theta, &mut row);
            row.iter().enumerate().for_each(|(k, g)| gradients[(i, k)] = *g);
        }
        let mut information = vec![0.0; p * p];
        for (x, w) in self.points.rows().zip(self.weights) {
            self.mixture.posterior(x, theta).add_log_density_curvature(-w / total, &mut information);
        }
        let information = Matrix::from_fn(p, p, |j, k| information[j * p + k]);
        let factor =
            ScaledCholesky::new(&information).map_err(|condition| FitError::NotIdentified { condition })?;
        Ok(factor.solve_rows(&gradients, 1.0))
    }
}

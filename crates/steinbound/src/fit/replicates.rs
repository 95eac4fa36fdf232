//! The replicates of a bootstrap as part of a fit.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::{Fit, Parameter};
use crate::matrix::Matrix;
use crate::minimise::sandwich::normal_quantile;

/// What each replicate draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Resampling {
    /// Observations (or clusters) of the data, with replacement.
    #[default]
    Nonparametric,
    /// New data from the fitted density inside the domain.
    Parametric,
}

/// How intervals are computed from replicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Interval {
    /// Between quantiles of the replicates.
    #[default]
    Percentile,
    /// The estimate plus and minus a normal quantile times the standard error of the replicates.
    Normal,
}

/// The replicates of a bootstrap, and how they were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Replicates {
    /// The number of replicates, those without an estimate included.
    pub replicates: usize,
    /// The number of them that had no estimate.
    pub failed: usize,
    /// What each replicate drew.
    pub resampling: Resampling,
    /// How intervals were computed.
    pub interval: Interval,
    /// The mean of the replicates less the estimate, for each reported parameter.
    pub bias: Vec<f64>,
    /// The reported parameters of the replicates that have an estimate, one in a row.
    #[serde(skip, default = "nothing")]
    pub estimates: Matrix,
}

impl Replicates {
    /// Gives a parameter the standard error and the interval of its values at the replicates.
    pub(crate) fn describe(&self, parameter: &mut Parameter, values: Vec<f64>, confidence: f64) {
        let column = Matrix::from_fn(values.len(), 1, |i, _| values[i]);
        if values.len() > 1 {
            let spread = covariance(&column);
            intervals(std::slice::from_mut(parameter), &column, &spread, self.interval, confidence);
        }
    }
}

impl Display for Replicates {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let kind = match self.resampling {
            Resampling::Nonparametric => "nonparametric",
            Resampling::Parametric => "parametric",
        };
        let interval = match self.interval {
            Interval::Percentile => "percentile",
            Interval::Normal => "normal",
        };
        write!(out, "{} {kind} replicates, {interval} intervals", self.replicates - self.failed)
    }
}

fn nothing() -> Matrix {
    Matrix::zeros(0, 0)
}

impl Fit {
    /// Recomputes covariance, standard errors and intervals of the reported parameters from the replicates,
    /// if there are any.
    pub(crate) fn refresh_bootstrap(&mut self) {
        let Some(used) = &mut self.bootstrap else { return };
        if used.estimates.rows() < 2 || self.parameters.iter().any(|p| p.estimate.is_none()) {
            return;
        }
        let bias =
            |(k, p): (usize, &Parameter)| mean(used.estimates.column(k)) - p.estimate.unwrap_or(f64::NAN);
        used.bias = self.parameters.iter().enumerate().map(bias).collect();
        let spread = covariance(&used.estimates);
        intervals(&mut self.parameters, &used.estimates, &spread, used.interval, self.confidence);
        self.covariance = Some(spread);
        self.root = None;
    }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The covariance of replicates, one in a row.
pub(crate) fn covariance(replicates: &Matrix) -> Matrix {
    let (count, p) = (replicates.rows() as f64, replicates.columns());
    let mut centred = replicates.clone();
    for k in 0..p {
        let mean = mean(replicates.column(k));
        centred.column_mut(k).iter_mut().for_each(|v| *v -= mean);
    }
    let mut covariance = centred.transpose().times(&centred);
    covariance.values_mut().iter_mut().for_each(|v| *v /= count - 1.0);
    covariance
}

/// Standard errors and intervals from replicates and their covariance.
pub(crate) fn intervals(
    parameters: &mut [Parameter],
    replicates: &Matrix,
    covariance: &Matrix,
    interval: Interval,
    confidence: f64,
) {
    let reach = normal_quantile(confidence);
    for (k, parameter) in parameters.iter_mut().enumerate() {
        let error = covariance[(k, k)].sqrt();
        parameter.std_error = Some(error);
        (parameter.lower, parameter.upper) = match interval {
            Interval::Percentile => {
                let mut sorted = replicates.column(k).to_vec();
                sorted.sort_by(f64::total_cmp);
                let tail = 0.5 * (1.0 - confidence);
                (Some(quantile(&sorted, tail)), Some(quantile(&sorted, 1.0 - tail)))
            }
            Interval::Normal => {
                (parameter.estimate.map(|e| e - reach * error), parameter.estimate.map(|e| e + reach * error))
            }
        };
    }
}

/// A quantile of sorted values: order statistic `k` has probability `k / (count + 1)`, with linear
/// interpolation.
fn quantile(sorted: &[f64], probability: f64) -> f64 {
    let place = probability * (sorted.len() + 1) as f64 - 1.0;
    let last = sorted.len() - 1;
    let below = (place.floor().max(0.0) as usize).min(last);
    let share = (place - below as f64).clamp(0.0, 1.0);
    sorted[below] + share * (sorted[(below + 1).min(last)] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against `numpy.quantile(.., method="weibull")`.
    #[test]
    fn quantiles_interpolate_between_order_statistics() {
        let sorted: Vec<f64> = (1..=39).map(f64::from).collect();
        assert!((quantile(&sorted, 0.025) - 1.0).abs() < 1e-12);
        assert!((quantile(&sorted, 0.975) - 39.0).abs() < 1e-12);
        assert!((quantile(&sorted, 0.5) - 20.0).abs() < 1e-12);
        assert!((quantile(&sorted, 0.3) - 12.0).abs() < 1e-12);
        assert_eq!(quantile(&[3.0, 5.0], 0.001), 3.0);
        assert_eq!(quantile(&[3.0, 5.0], 0.999), 5.0);
    }
}

//! The order of a mixture's parameters, their names, reports and sorting.

use std::borrow::Cow;

use super::component::{Direction, Factors};
use super::{Covariance, GaussianMixture};
use crate::compute::cholesky::Cholesky;
use crate::error::ModelError;
use crate::matrix::Matrix;
use crate::model::{Model, Reported, check_values};

/// Means, weights and covariances of a mixture.
#[derive(Debug, Clone)]
pub(super) struct Description {
    /// Component by component.
    pub(super) means: Vec<f64>,
    /// One for each component; not used if they are known to be equal.
    pub(super) weights: Vec<f64>,
    /// One for each component, or the shared one; not used if they are known.
    pub(super) covariances: Vec<Matrix>,
}

impl GaussianMixture {
    /// The same mixture with an updated layout.
    pub(super) fn laid_out(mut self) -> GaussianMixture {
        let d = self.dimension;
        let of_component = |k: usize| {
            let mut parameters: Vec<_> = (0..d).map(|l| (k * d + l, Direction::Mean(l))).collect();
            if self.free_weights && k > 0 {
                parameters.push((self.weight_start() + k - 1, Direction::Weight));
            }
            let start = self.set_start(if self.has_shared_covariance() { 0 } else { k });
            match self.covariance {
                Covariance::Known(_) => {}
                Covariance::Spherical => parameters.push((start, Direction::LogPrecision)),
                Covariance::Shared | Covariance::Full => {
                    let entries = lower_entries(d).enumerate();
                    parameters.extend(entries.map(|(e, (i, j))| (start + e, Direction::Entry(i, j))));
                }
            }
            parameters
        };
        self.layout = (0..self.components).map(of_component).collect();
        self
    }

    /// The first parameter after the means.
    pub(super) fn weight_start(&self) -> usize {
        self.components * self.dimension
    }

    /// The first parameter after means and weights.
    pub(super) fn covariance_start(&self) -> usize {
        self.weight_start() + if self.free_weights { self.components - 1 } else { 0 }
    }

    /// The number of parameters of one covariance.
    fn set_size(&self) -> usize {
        match self.covariance {
            Covariance::Known(_) => 0,
            Covariance::Spherical => 1,
            Covariance::Shared | Covariance::Full => self.dimension * (self.dimension + 1) / 2,
        }
    }

    /// The number of covariances that are fitted.
    fn sets(&self) -> usize {
        match self.covariance {
            Covariance::Known(_) => 0,
            Covariance::Shared => 1,
            Covariance::Spherical | Covariance::Full => self.components,
        }
    }

    /// The number of parameters of all covariances.
    pub(super) fn covariance_parameters(&self) -> usize {
        self.sets() * self.set_size()
    }

    fn set_start(&self, set: usize) -> usize {
        self.covariance_start() + set * self.set_size()
    }

    /// Whether one covariance is fitted for all components.
    pub(super) fn has_shared_covariance(&self) -> bool {
        self.covariance == Covariance::Shared
    }

    /// A component's covariance restricted to the shape of the mixture's covariances.
    pub(super) fn restricted(&self, covariance: Matrix) -> Matrix {
        if self.covariance != Covariance::Spherical {
            return covariance;
        }
        let d = self.dimension;
        let variance = (0..d).map(|l| covariance[(l, l)]).sum::<f64>() / d as f64;
        Matrix::diagonal(&vec![variance; d])
    }

    /// The factors of the precisions.
    pub(super) fn factors<'a>(&'a self, theta: &[f64]) -> Cow<'a, Factors> {
        if let Covariance::Known(factors) = &self.covariance {
            return Cow::Borrowed(factors);
        }
        let mut factors = Factors::with_capacity(self.dimension, self.sets());
        for set in 0..self.sets() {
            let values = &theta[self.set_start(set)..self.set_start(set + 1)];
            if self.covariance == Covariance::Spherical {
                let root = (0.5 * values[0]).exp();
                factors.push(|i, j| if i == j { root } else { 0.0 });
            } else {
                let entry = |i: usize, j: usize| values[i * (i + 1) / 2 + j];
                factors.push(|i, j| if i == j { entry(i, i).exp() } else { entry(i, j) });
            }
        }
        Cow::Owned(factors)
    }

    /// The log-weight of component `k` minus that of the first.
    pub(super) fn relative_log_weight(&self, theta: &[f64], k: usize) -> f64 {
        if self.free_weights && k > 0 { theta[self.weight_start() + k - 1] } else { 0.0 }
    }

    /// The number to subtract from relative log-weights so that the weights sum to one.
    pub(super) fn log_weight_normaliser(&self, theta: &[f64]) -> f64 {
        if !self.free_weights {
            return (self.components as f64).ln();
        }
        let weights = || (0..self.components).map(|k| self.relative_log_weight(theta, k));
        let largest = weights().fold(f64::NEG_INFINITY, f64::max);
        largest + weights().map(|w| (w - largest).exp()).sum::<f64>().ln()
    }

    /// The weights.
    pub(super) fn weights(&self, theta: &[f64]) -> Vec<f64> {
        let normaliser = self.log_weight_normaliser(theta);
        (0..self.components).map(|k| (self.relative_log_weight(theta, k) - normaliser).exp()).collect()
    }

    /// `d log w_k / d eta_j = [j = k] - w_j`: subtracts the part common to all components.
    pub(super) fn subtract_weights(&self, theta: &[f64], gradient: &mut [f64]) {
        if self.free_weights {
            let weights = self.weights(theta);
            let free = &mut gradient[self.weight_start()..self.covariance_start()];
            free.iter_mut().zip(&weights[1..]).for_each(|(g, w)| *g -= w);
        }
    }

    /// `d^2 log w_k / d eta_i d eta_j = w_i w_j - [i = j] w_i`: adds `weight` times this, which is common to
    /// all components.
    pub(super) fn add_weight_curvature(&self, theta: &[f64], weight: f64, curvature: &mut [f64]) {
        if !self.free_weights {
            return;
        }
        let (weights, start) = (self.weights(theta), self.weight_start() - 1);
        for i in 1..self.components {
            for j in 1..self.components {
                let own = if i == j { weights[i] } else { 0.0 };
                curvature[(start + i) * theta.len() + start + j] += weight * (weights[i] * weights[j] - own);
            }
        }
    }

    fn mean_labels(&self, coordinates: &[String]) -> Vec<String> {
        let of_component = |k| coordinates.iter().map(move |name| format!("mean[{k}][{name}]"));
        (1..=self.components).flat_map(of_component).collect()
    }

    /// The prefix before the coordinates in the name of a covariance's parameter.
    fn set_label(&self, head: &str, set: usize) -> String {
        if self.has_shared_covariance() { head.into() } else { format!("{head}[{}]", set + 1) }
    }

    pub(super) fn fitted_labels(&self, coordinates: &[String]) -> Vec<String> {
        let mut names = self.mean_labels(coordinates);
        if self.free_weights {
            names.extend((2..=self.components).map(|k| format!("log_weight[{k}]")));
        }
        for set in 0..self.sets() {
            if self.covariance == Covariance::Spherical {
                names.push(self.set_label("log_precision", set));
                continue;
            }
            names.extend(lower_entries(self.dimension).map(|(i, j)| {
                let label = self.set_label(if i == j { "log_factor" } else { "factor" }, set);
                format!("{label}[{},{}]", coordinates[i], coordinates[j])
            }));
        }
        names
    }

    pub(super) fn reported_labels(&self, coordinates: &[String]) -> Vec<String> {
        let mut names = self.mean_labels(coordinates);
        if self.free_weights {
            names.extend((1..=self.components).map(|k| format!("weight[{k}]")));
        }
        for set in 0..self.sets() {
            if self.covariance == Covariance::Spherical {
                names.push(self.set_label("variance", set));
                continue;
            }
            let label = self.set_label("cov", set);
            let entries = upper_entries(self.dimension);
            names.extend(entries.map(|(l, k)| format!("{label}[{},{}]", coordinates[l], coordinates[k])));
        }
        names
    }

    /// Means, weights and covariances with their derivatives: `d w_j = w_j ([j = k] - w_k) d eta_k`, and
    /// `d Sigma = -Sigma dLambda Sigma = -(Sigma dL L^-1 + its transpose)`.
    pub(super) fn describe(&self, theta: &[f64]) -> Option<Reported> {
        let (d, means) = (self.dimension, self.weight_start());
        let mut values = theta[..means].to_vec();
        let free_weights = if self.free_weights { self.components } else { 0 };
        let rows = means + free_weights + self.covariance_parameters();
        let mut jacobian = Matrix::zeros(rows, theta.len());
        for k in 0..means {
            jacobian[(k, k)] = 1.0;
        }
        if self.free_weights {
            let weights = self.weights(theta);
            for (j, w) in weights.iter().enumerate() {
                for k in 1..self.components {
                    let own = f64::from(u8::from(j == k));
                    jacobian[(means + j, means + k - 1)] = w * (own - weights[k]);
                }
            }
            values.extend(weights);
        }
        let factors = self.factors(theta);
        for set in 0..self.sets() {
            let (start, row) = (self.set_start(set), values.len());
            if self.covariance == Covariance::Spherical {
                let variance = (-theta[start]).exp();
                jacobian[(row, start)] = -variance;
                values.push(variance);
                continue;
            }
            let inverse = factors.at(set).inverse_lower();
            let covariance = inverse.transpose().times(&inverse);
            for (f, (a, b)) in upper_entries(d).enumerate() {
                values.push(covariance[(a, b)]);
                for (e, (i, j)) in lower_entries(d).enumerate() {
                    let scale = if i == j { factors.at(set).lower(i, i) } else { 1.0 };
                    let pull = covariance[(a, i)] * inverse[(j, b)] + covariance[(b, i)] * inverse[(j, a)];
                    jacobian[(row + f, start + e)] = -scale * pull;
                }
            }
        }
        let all = values.iter().chain(jacobian.values());
        if all.into_iter().all(|v| v.is_finite()) { Some(Reported { values, jacobian }) } else { None }
    }

    pub(super) fn fitted_from_reported(&self, reported: &[f64]) -> Result<Vec<f64>, ModelError> {
        let d = self.dimension;
        let coordinates: Vec<String> = (1..=d).map(|l| format!("x{l}")).collect();
        check_values(reported, &self.reported_labels(&coordinates))?;
        let (means, mut rest) = reported.split_at(self.weight_start());
        let mut weights = Vec::new();
        if self.free_weights {
            weights = rest[..self.components].to_vec();
            rest = &rest[self.components..];
            let sum: f64 = weights.iter().sum();
            let smallest = weights.iter().fold(f64::INFINITY, |a, b| a.min(*b));
            if !(smallest > 0.0 && (sum - 1.0).abs() <= 1e-6) {
                return Err(ModelError::BadWeights { smallest, sum });
            }
        }
        let covariance = |values: &[f64]| {
            let mut matrix = Matrix::identity(d);
            if self.covariance == Covariance::Spherical {
                return Matrix::diagonal(&vec![values[0]; d]);
            }
            for ((l, k), value) in upper_entries(d).zip(values) {
                matrix[(l, k)] = *value;
                matrix[(k, l)] = *value;
            }
            matrix
        };
        let covariances = rest.chunks_exact(self.set_size().max(1)).map(covariance).collect();
        self.fitted(&Description { means: means.to_vec(), weights, covariances })
    }

    /// The fitted parameters of a description.
    pub(super) fn fitted(&self, description: &Description) -> Result<Vec<f64>, ModelError> {
        let mut theta = Vec::with_capacity(self.parameters());
        theta.extend_from_slice(&description.means);
        if self.free_weights {
            theta.extend(description.weights[1..].iter().map(|w| (w / description.weights[0]).ln()));
        }
        for set in 0..self.sets() {
            let covariance = &description.covariances[set];
            let bad = || match self.covariance {
                Covariance::Shared => ModelError::BadCovariance,
                _ => ModelError::BadComponent { component: set + 1 },
            };
            if self.covariance == Covariance::Spherical {
                let variance = covariance[(0, 0)];
                if !(variance > 0.0 && variance.is_finite()) {
                    return Err(bad());
                }
                theta.push(-variance.ln());
                continue;
            }
            let precision = Cholesky::new(covariance.clone()).ok_or_else(bad)?.inverse();
            let factor = Cholesky::new(precision).ok_or_else(bad)?;
            theta.extend(lower_entries(self.dimension).map(|(i, j)| {
                let entry = factor.lower()[(i, j)];
                if i == j { entry.ln() } else { entry }
            }));
        }
        Ok(theta)
    }

    /// The same mixture with its components sorted by their means.
    pub(super) fn sorted(&self, theta: Vec<f64>) -> Vec<f64> {
        let d = self.dimension;
        let mean = |k: usize| &theta[k * d..(k + 1) * d];
        let mut order: Vec<usize> = (0..self.components).collect();
        order.sort_by(|a, b| {
            let ties = mean(*a).iter().zip(mean(*b)).map(|(a, b)| a.total_cmp(b));
            ties.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        let mut sorted = theta.clone();
        for (place, k) in order.iter().copied().enumerate() {
            sorted[place * d..(place + 1) * d].copy_from_slice(mean(k));
            if self.free_weights && place > 0 {
                let relative = |k: usize| self.relative_log_weight(&theta, k);
                sorted[self.weight_start() + place - 1] = relative(k) - relative(order[0]);
            }
            if self.sets() == self.components {
                let (from, to) = (self.set_start(k), self.set_start(place));
                sorted[to..to + self.set_size()].copy_from_slice(&theta[from..from + self.set_size()]);
            }
        }
        sorted
    }
}

/// The entries (i, j), `i >= j`, of a lower triangle, row by row.
fn lower_entries(d: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..d).flat_map(|i| (0..=i).map(move |j| (i, j)))
}

/// The entries (l, k), `l <= k`, of an upper triangle, row by row.
fn upper_entries(d: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..d).flat_map(move |l| (l..d).map(move |k| (l, k)))
}

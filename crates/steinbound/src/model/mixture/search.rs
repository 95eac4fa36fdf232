//! A mixture's contribution to a search: starts, order and suspicions.

use rand::rngs::ChaCha8Rng;

use super::component::Direction;
use super::{Covariance, GaussianMixture, clusters};
use crate::model::{Model, Search, Unit};
use crate::points::{Points, column_variances};

impl Search for GaussianMixture {
    /// Centres of k-means clusters, from several seedings, the tightest clusters first.
    fn starts(&self, points: &Points, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        clusters::starts(self, points, &points.relative_weights(), rng)
    }

    /// Those of a density with the mean and the variances of the data.
    fn units(&self, points: &Points) -> Vec<Unit> {
        if points.dimension() != self.dimension {
            return Vec::new();
        }
        let (mean, variances) = (points.mean(), column_variances(points, &points.weights()));
        let unit = |direction: &Direction| match *direction {
            Direction::Mean(l) => Unit { origin: mean[l], size: variances[l].sqrt() },
            Direction::Weight => Unit::default(),
            Direction::Entry(i, j) if i == j => Unit { origin: -0.5 * variances[i].ln(), size: 1.0 },
            Direction::Entry(i, _) => Unit { origin: 0.0, size: variances[i].sqrt().recip() },
            Direction::LogPrecision => {
                let variance = variances.iter().sum::<f64>() / variances.len() as f64;
                Unit { origin: -variance.ln(), size: 1.0 }
            }
        };
        let mut units = vec![Unit::default(); self.parameters()];
        for (k, direction) in self.layout.iter().flatten() {
            units[*k] = unit(direction);
        }
        units
    }

    /// Components sorted by the first coordinate of their means, then the next.
    fn in_order(&self, theta: Vec<f64>) -> Vec<f64> {
        self.sorted(theta)
    }

    /// A component with few observations has shrunk to them, one whose weight is far below its share of the
    /// observations has lost it; two components with the same mean are one.
    fn suspicion(&self, theta: &[f64], points: &Points) -> Option<String> {
        let weights = points.relative_weights();
        let mut held = vec![0.0; self.components];
        for (x, weight) in points.rows().zip(&weights) {
            let posterior = self.posterior(x, theta);
            held.iter_mut().zip(posterior.responsibilities()).for_each(|(h, r)| *h += weight * r);
        }
        if let Some(found) = self.vanished(theta, &held) {
            return Some(found);
        }
        let least = 2.0 * (self.dimension as f64 + 1.0);
        if let Some(k) = held.iter().position(|h| h.is_nan()) {
            let k = k + 1;
            return Some(format!("component {k} has no density at the observations; use fewer components"));
        }
        if let Some(k) = held.iter().position(|h| *h < least) {
            return Some(format!(
                "component {} holds only {:.1} observations, too few to determine it; use fewer components, or known or \
                 shared covariances",
                k + 1,
                held[k]
            ));
        }
        let mean = |k: usize| &theta[k * self.dimension..(k + 1) * self.dimension];
        let variances = column_variances(points, &weights);
        let apart = |j: usize, k: usize| {
            let both = mean(j).iter().zip(mean(k)).zip(&variances);
            both.map(|((a, b), v)| (a - b).powi(2) / v).sum::<f64>()
        };
        let coincide = |k: usize| (0..k).find(|j| apart(*j, k) < 1e-6);
        let twins = (0..self.components).find_map(|k| coincide(k).map(|j| (j + 1, k + 1)));
        twins.filter(|_| matches!(self.covariance, Covariance::Known(_) | Covariance::Shared)).map(
            |(j, k)| {
                format!(
                    "components {j} and {k} have the same mean, so that they are one; use fewer components"
                )
            },
        )
    }
}

/// A weight below this share of the share of observations that the component holds. Inside a region a small
/// component can hold many observations, if little of the others lies inside; but not a thousand times more.
const VANISHED: f64 = 1e-3;

impl GaussianMixture {
    /// The description of a component whose weight has run to zero, given the observations that each holds.
    fn vanished(&self, theta: &[f64], held: &[f64]) -> Option<String> {
        if !self.free_weights {
            return None;
        }
        let total: f64 = held.iter().sum();
        let weights = self.weights(theta);
        let is_lost =
            |k: &usize| weights[*k].is_nan() || weights[*k] < VANISHED * (held[*k] / total).max(1e-3);
        let k = (0..self.components).find(is_lost)?;
        Some(format!(
            "component {} has weight {:.0e} and holds {:.1} of {total:.0} observations: its weight has run to \
             zero and is not determined; use fewer components, or equal weights",
            k + 1,
            weights[k],
            held[k]
        ))
    }
}

//! The mixture at one point: responsibilities, and the derivatives that follow from them.
//!
//! The formulas are derived once, in the documentation of [`GaussianMixture`].

use std::borrow::Cow;

use super::GaussianMixture;
use super::component::{Component, Direction, Factors};

/// Responsibilities and component scores at one point.
pub(super) struct Posterior<'a> {
    pub(super) mixture: &'a GaussianMixture,
    pub(super) theta: &'a [f64],
    factors: Cow<'a, Factors>,
    /// `y`, `u` and `s` of each component in turn, then all `r_k`, all `q_k` up to a constant and `psi`: one
    /// allocation, because there is a posterior for each point.
    values: Vec<f64>,
    /// The largest `q_k`, and the sum of all `exp q_k` relative to it; logarithms are taken only when needed.
    largest: f64,
    total: f64,
}

impl GaussianMixture {
    /// The mixture at a point.
    pub(super) fn posterior<'a>(&'a self, x: &[f64], theta: &'a [f64]) -> Posterior<'a> {
        let (d, count) = (self.dimension, self.components);
        let factors = self.factors(theta);
        let mut values = small_zeros((3 * d + 2) * count + d);
        let (parts, rest) = values.split_at_mut(3 * d * count);
        let (responsibilities, rest) = rest.split_at_mut(count);
        let (log_joint, score) = rest.split_at_mut(count);
        for (k, part) in parts.chunks_exact_mut(3 * d).enumerate() {
            let (y, rest) = part.split_at_mut(d);
            let (u, s) = rest.split_at_mut(d);
            for l in 0..d {
                y[l] = x[l] - theta[k * d + l];
            }
            let factor = factors.at(k);
            factor.pull(y, u, s);
            let square: f64 = u.iter().map(|u| u * u).sum();
            log_joint[k] = self.relative_log_weight(theta, k) + factor.log_determinant - 0.5 * square;
        }
        let largest = log_joint.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        let mut total = 0.0;
        if largest > f64::NEG_INFINITY {
            responsibilities.iter_mut().zip(&*log_joint).for_each(|(r, q)| *r = (q - largest).exp());
            total = responsibilities.iter().sum();
            responsibilities.iter_mut().for_each(|r| *r /= total);
        } else {
            // Squares overflow at this distance; the component that is nearest in any coordinate gets all
            // responsibility.
            responsibilities[nearest(parts, d)] = 1.0;
        }
        // Components without responsibility contribute zero, even if their terms overflow.
        for (r, part) in responsibilities.iter().zip(parts.chunks_exact(3 * d)).filter(|(r, _)| **r > 0.0) {
            score.iter_mut().zip(&part[2 * d..]).for_each(|(sum, s)| *sum += r * s);
        }
        Posterior { mixture: self, theta, factors, values, largest, total }
    }
}

/// A few zeros for the work at one point. Zeroed memory from the allocator would take longer than writing
/// them.
#[inline]
pub(super) fn small_zeros(size: usize) -> Vec<f64> {
    let mut values = Vec::with_capacity(size);
    values.resize(size, 0.0);
    values
}

/// The component whose standardised deviation has the smallest maximum norm.
fn nearest(values: &[f64], d: usize) -> usize {
    let size = |part: &[f64]| part[d..2 * d].iter().fold(0.0f64, |a, u| a.max(u.abs()));
    let sizes = values.chunks_exact(3 * d).map(size).enumerate();
    sizes.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
}

impl Posterior<'_> {
    /// Component `k` at this point.
    #[inline]
    pub(super) fn component(&self, k: usize) -> Component<'_> {
        let d = self.mixture.dimension;
        let part = &self.values[3 * d * k..3 * d * (k + 1)];
        Component { factor: self.factors.at(k), y: &part[..d], u: &part[d..2 * d], s: &part[2 * d..] }
    }

    /// `r_k`.
    pub(super) fn responsibilities(&self) -> &[f64] {
        let (start, count) = (3 * self.mixture.dimension * self.mixture.components, self.mixture.components);
        &self.values[start..start + count]
    }

    /// `q_k`.
    pub(super) fn log_joint(&self, k: usize) -> f64 {
        let start = (3 * self.mixture.dimension + 1) * self.mixture.components;
        self.values[start + k] - self.log_constant()
    }

    pub(super) fn log_density(&self) -> f64 {
        self.largest + self.total.ln() - self.log_constant()
    }

    /// The constant common to all components.
    fn log_constant(&self) -> f64 {
        let powers = 0.5 * self.mixture.dimension as f64 * std::f64::consts::TAU.ln();
        self.mixture.log_weight_normaliser(self.theta) + powers
    }

    /// `psi`.
    pub(super) fn score(&self) -> &[f64] {
        &self.values[self.values.len() - self.mixture.dimension..]
    }

    /// The components with positive responsibility here: the others contribute zero, even if their terms
    /// overflow.
    pub(super) fn present(&self) -> impl Iterator<Item = (usize, f64, Component<'_>)> {
        let all = self.responsibilities().iter().enumerate();
        all.filter(|(_, r)| **r > 0.0).map(|(k, r)| (k, *r, self.component(k)))
    }

    /// The parameters that component `k` depends on, and their effect on it.
    pub(super) fn layout(&self, k: usize) -> &[(usize, Direction)] {
        &self.mixture.layout[k]
    }

    pub(super) fn score_jacobian(&self, jacobian: &mut [f64]) {
        let score = self.score();
        let (d, p) = (score.len(), jacobian.len() / score.len());
        jacobian.fill(0.0);
        for (k, r, component) in self.present() {
            for (at, direction) in self.layout(k).iter().copied() {
                let change = component.change(direction);
                for l in 0..d {
                    let centred = component.s[l] - score[l];
                    jacobian[l * p + at] += r * (component.score_change(direction, l) + centred * change);
                }
            }
        }
    }

    pub(super) fn slope(&self, slope: &mut [f64]) {
        let score = self.score();
        slope.fill(0.0);
        for (_, r, component) in self.present() {
            for (l, sum) in slope.iter_mut().enumerate() {
                *sum += r * (component.slope(l) + (component.s[l] - score[l]).powi(2));
            }
        }
    }

    /// The derivative of [`slope`](Posterior::slope), whose value is given.
    pub(super) fn slope_jacobian(&self, slope: &[f64], jacobian: &mut [f64]) {
        let score = self.score();
        let (d, p) = (score.len(), jacobian.len() / score.len());
        jacobian.fill(0.0);
        for (k, r, component) in self.present() {
            for (at, direction) in self.layout(k).iter().copied() {
                let change = component.change(direction);
                for l in 0..d {
                    let centred = component.s[l] - score[l];
                    let excess = component.slope(l) + centred * centred - slope[l];
                    let own = component.slope_change(direction, l);
                    let pull = own + 2.0 * centred * component.score_change(direction, l) + excess * change;
                    jacobian[l * p + at] += r * pull;
                }
            }
        }
    }

    pub(super) fn log_density_gradient(&self, gradient: &mut [f64]) {
        gradient.fill(0.0);
        for (k, r, component) in self.present() {
            for (at, direction) in self.layout(k).iter().copied() {
                gradient[at] += r * component.change(direction);
            }
        }
        self.mixture.subtract_weights(self.theta, gradient);
    }
}

//! The mixture at one point: responsibilities, and the derivatives that follow from them.
//!
//! The formulas are derived once, in the documentation of [`GaussianMixture`].

use std::borrow::Cow;

use super::GaussianMixture;
use super::component::{Component, Factors};

/// Responsibilities and component scores at one point.
pub(super) struct Posterior<'a> {
    mixture: &'a GaussianMixture,
    factors: Cow<'a, Factors>,
    /// `y`, `u` and `s` of each component in turn.
    values: Vec<f64>,
    /// `r_k`.
    pub(super) responsibilities: Vec<f64>,
    /// `q_k`.
    pub(super) log_joint: Vec<f64>,
    pub(super) log_density: f64,
    /// `psi`.
    pub(super) score: Vec<f64>,
}

impl GaussianMixture {
    /// The mixture at a point.
    pub(super) fn posterior<'a>(&'a self, x: &[f64], theta: &'a [f64]) -> Posterior<'a> {
        let (d, count) = (self.dimension, self.components);
        let factors = self.factors(theta);
        let mut values = vec![0.0; 3 * d * count];
        let mut log_joint = vec![0.0; count];
        let normaliser = self.log_weight_normaliser(theta) + 0.5 * d as f64 * std::f64::consts::TAU.ln();
        for (k, part) in values.chunks_exact_mut(3 * d).enumerate() {
            let (y, rest) = part.split_at_mut(d);
            let (u, s) = rest.split_at_mut(d);
            for l in 0..d {
                y[l] = x[l] - theta[k * d + l];
            }
            let factor = factors.at(k);
            factor.pull(y, u, s);
            let square: f64 = u.iter().map(|u| u * u).sum();
            log_joint[k] =
                self.relative_log_weight(theta, k) - normaliser + factor.log_determinant - 0.5 * square;
        }
        let largest = log_joint.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        let mut responsibilities: Vec<f64>;
        let log_density;
        if largest > f64::NEG_INFINITY {
            responsibilities = log_joint.iter().map(|q| (q - largest).exp()).collect();
            let total: f64 = responsibilities.iter().sum();
            responsibilities.iter_mut().for_each(|r| *r /= total);
            log_density = largest + total.ln();
        } else {
            // Squares overflow this far out; the component that is nearest in any coordinate takes all.
            responsibilities = vec![0.0; count];
            responsibilities[nearest(&values, d)] = 1.0;
            log_density = f64::NEG_INFINITY;
        }
        let mut posterior = Posterior {
            mixture: self,
            factors,
            values,
            responsibilities,
            log_joint,
            log_density,
            score: Vec::new(),
        };
        let mut score = vec![0.0; d];
        for (_, r, component) in posterior.present() {
            for l in 0..d {
                score[l] += r * component.s[l];
            }
        }
        posterior.score = score;
        posterior
    }
}

/// The component whose standardised deviation has the smallest largest entry.
fn nearest(values: &[f64], d: usize) -> usize {
    let size = |part: &[f64]| part[d..2 * d].iter().fold(0.0f64, |a, u| a.max(u.abs()));
    let sizes = values.chunks_exact(3 * d).map(size).enumerate();
    sizes.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
}

impl Posterior<'_> {
    /// Component `k` at this point.
    pub(super) fn component(&self, k: usize) -> Component<'_> {
        let d = self.mixture.dimension;
        let part = &self.values[3 * d * k..3 * d * (k + 1)];
        Component { factor: self.factors.at(k), y: &part[..d], u: &part[d..2 * d], s: &part[2 * d..] }
    }

    /// The components that have any responsibility here: what the others would add is zero, even where it overflows.
    fn present(&self) -> impl Iterator<Item = (usize, f64, Component<'_>)> {
        let all = self.responsibilities.iter().enumerate();
        all.filter(|(_, r)| **r > 0.0).map(|(k, r)| (k, *r, self.component(k)))
    }

    pub(super) fn score_jacobian(&self, jacobian: &mut [f64]) {
        let (d, p) = (self.score.len(), jacobian.len() / self.score.len());
        jacobian.fill(0.0);
        for (k, r, component) in self.present() {
            for (at, direction) in self.mixture.layout[k].iter().copied() {
                let change = component.change(direction);
                for l in 0..d {
                    let centred = component.s[l] - self.score[l];
                    jacobian[l * p + at] += r * (component.score_change(direction, l) + centred * change);
                }
            }
        }
    }

    pub(super) fn slope(&self, slope: &mut [f64]) {
        slope.fill(0.0);
        for (_, r, component) in self.present() {
            for (l, sum) in slope.iter_mut().enumerate() {
                *sum += r * (component.slope(l) + (component.s[l] - self.score[l]).powi(2));
            }
        }
    }

    pub(super) fn slope_jacobian(&self, jacobian: &mut [f64]) {
        let (d, p) = (self.score.len(), jacobian.len() / self.score.len());
        let mut slope = vec![0.0; d];
        self.slope(&mut slope);
        jacobian.fill(0.0);
        for (k, r, component) in self.present() {
            for (at, direction) in self.mixture.layout[k].iter().copied() {
                let change = component.change(direction);
                for l in 0..d {
                    let centred = component.s[l] - self.score[l];
                    let excess = component.slope(l) + centred * centred - slope[l];
                    let own = component.slope_change(direction, l);
                    let pull = own + 2.0 * centred * component.score_change(direction, l) + excess * change;
                    jacobian[l * p + at] += r * pull;
                }
            }
        }
    }

    pub(super) fn add_score_curvature(&self, weights: &[f64], curvature: &mut [f64]) {
        let p = self.mixture.layout.iter().flatten().map(|(at, _)| at + 1).max().unwrap_or(0);
        let weighted = |values: &[f64]| -> f64 { weights.iter().zip(values).map(|(v, s)| v * s).sum() };
        let total = weighted(&self.score);
        // D (v . psi) and E_r[D q], then D q and D b of the component at hand.
        let (mut first, mut mean) = (vec![0.0; p], vec![0.0; p]);
        let mut own: Vec<(f64, f64)> = Vec::with_capacity(p);
        for (k, r, component) in self.present() {
            let layout = &self.mixture.layout[k];
            let centred = weighted(component.s) - total;
            own.clear();
            for (at, direction) in layout.iter().copied() {
                let change = component.change(direction);
                let moved = |(l, v): (usize, &f64)| v * component.score_change(direction, l);
                let score_change: f64 = weights.iter().enumerate().map(moved).sum();
                own.push((change, score_change));
                first[at] += r * (score_change + centred * change);
                mean[at] += r * change;
            }
            for (a, (row, one)) in layout.iter().copied().enumerate() {
                for (b, (column, other)) in layout[..=a].iter().copied().enumerate() {
                    let (change, score_change) = component.second(one, other, weights);
                    let mut value = score_change + own[b].1 * own[a].0 + own[a].1 * own[b].0;
                    if centred != 0.0 {
                        value += centred * (change + own[a].0 * own[b].0);
                    }
                    curvature[row * p + column] += r * value;
                    if row != column {
                        curvature[column * p + row] += r * value;
                    }
                }
            }
        }
        for a in 0..p {
            for b in 0..p {
                curvature[a * p + b] -= first[a] * mean[b] + first[b] * mean[a];
            }
        }
    }

    pub(super) fn log_density_gradient(&self, theta: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        for (k, r, component) in self.present() {
            for (at, direction) in self.mixture.layout[k].iter().copied() {
                gradient[at] += r * component.change(direction);
            }
        }
        self.mixture.subtract_weights(theta, gradient);
    }
}

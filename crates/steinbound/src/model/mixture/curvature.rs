//! Second derivatives of a mixture in its parameters, at one point.
//!
//! The formulas are derived once, in the documentation of [`GaussianMixture`].

use super::GaussianMixture;
use super::component::Component;
use super::posterior::{Posterior, small_zeros};
use crate::model::Curvature;

impl Curvature for GaussianMixture {
    fn add_score_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weights: &[f64],
        _steps: &[f64],
        curvature: &mut [f64],
    ) {
        self.posterior(x, theta).add_curvature(weights, &[], curvature);
    }

    fn add_slope_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weights: &[f64],
        _steps: &[f64],
        curvature: &mut [f64],
    ) {
        self.posterior(x, theta).add_curvature(&vec![0.0; self.dimension], weights, curvature);
    }

    fn add_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weights: [&[f64]; 2],
        _steps: &[f64],
        curvature: &mut [f64],
    ) {
        self.posterior(x, theta).add_curvature(weights[0], weights[1], curvature);
    }
}

/// A symmetric sum over pairs of parameters minus the product of two sums, kept separate until the end: far
/// from all components but one both are huge and nearly equal.
struct Spread<'a> {
    values: &'a mut [f64],
    size: usize,
}

impl Spread<'_> {
    fn add(&mut self, row: usize, column: usize, value: f64) {
        self.values[row * self.size + column] += value;
        if row != column {
            self.values[column * self.size + row] += value;
        }
    }

    /// Adds `factor` times the products of the means' entries.
    fn add_products(&mut self, factor: f64, means: &[f64]) {
        for (row, a) in self.values.chunks_exact_mut(self.size).zip(means) {
            row.iter_mut().zip(means).for_each(|(sum, b)| *sum += factor * (a * b));
        }
    }
}

impl Posterior<'_> {
    /// Adds the second derivatives of `sum_l v_l psi_l + w_l d_l psi_l`; without slopes `w` is empty.
    pub(super) fn add_curvature(&self, v: &[f64], w: &[f64], curvature: &mut [f64]) {
        let (p, score) = (curvature.len().isqrt(), self.score());
        let (d, with_slopes) = (score.len(), !w.is_empty());
        let slopes = if with_slopes { p * (p + d) } else { 0 };
        let mut room = small_zeros(4 * p + d + slopes);
        let (first, rest) = room.split_at_mut(p);
        let (mean, rest) = rest.split_at_mut(p);
        // D q and D b of the current component, and the derivative of b in its score.
        let (changes, rest) = rest.split_at_mut(p);
        let (own, rest) = rest.split_at_mut(p);
        let (pull, rest) = rest.split_at_mut(d);
        // D psi_l for each l, and E_r[2 w_l D s_l D' s_l].
        let (jacobian, rest) = rest.split_at_mut(if with_slopes { p * d } else { 0 });
        let mut spread = Spread { values: rest, size: p };
        let value = |component: &Component| -> f64 {
            let of_score: f64 = v.iter().zip(component.s).map(|(v, s)| v * s).sum();
            let of_slope =
                |(l, w): (usize, &f64)| w * (component.slope(l) + (component.s[l] - score[l]).powi(2));
            of_score + w.iter().enumerate().map(of_slope).sum::<f64>()
        };
        let total: f64 = self.present().map(|(_, r, component)| r * value(&component)).sum();
        for (k, r, component) in self.present() {
            let layout = self.layout(k);
            let centred = value(&component) - total;
            pull.copy_from_slice(v);
            for (l, w) in w.iter().enumerate() {
                pull[l] += 2.0 * w * (component.s[l] - score[l]);
            }
            for (a, (at, direction)) in layout.iter().copied().enumerate() {
                let change = component.change(direction);
                let moved = |(l, pull): (usize, &f64)| pull * component.score_change(direction, l);
                let mut derivative: f64 = pull.iter().enumerate().map(moved).sum();
                for (l, w) in w.iter().enumerate() {
                    derivative += w * component.slope_change(direction, l);
                    let centred = component.s[l] - score[l];
                    jacobian[l * p + at] += r * (component.score_change(direction, l) + centred * change);
                }
                (changes[a], own[a]) = (change, derivative);
                first[at] += r * (derivative + centred * change);
                mean[at] += r * change;
            }
            for (a, (row, one)) in layout.iter().copied().enumerate() {
                for (b, (column, other)) in layout[..=a].iter().copied().enumerate() {
                    let mut value = component.second_of_score(one, other, pull);
                    value += own[b] * changes[a] + own[a] * changes[b];
                    if centred != 0.0 {
                        value += centred * (component.second(one, other) + changes[a] * changes[b]);
                    }
                    for (l, w) in w.iter().enumerate() {
                        value += w * component.second_of_slope(one, other, l);
                        let both = component.score_change(one, l) * component.score_change(other, l);
                        spread.add(row, column, r * (2.0 * w * both));
                    }
                    curvature[row * p + column] += r * value;
                    if row != column {
                        curvature[column * p + row] += r * value;
                    }
                }
            }
        }
        for (l, w) in w.iter().enumerate() {
            spread.add_products(-2.0 * w, &jacobian[l * p..(l + 1) * p]);
        }
        for a in 0..p {
            for b in 0..p {
                curvature[a * p + b] -= first[a] * mean[b] + first[b] * mean[a];
            }
        }
        curvature.iter_mut().zip(&*spread.values).for_each(|(sum, more)| *sum += more);
    }

    /// Adds `weight` times the second derivatives of the log-density.
    pub(super) fn add_log_density_curvature(&self, weight: f64, curvature: &mut [f64]) {
        let p = curvature.len().isqrt();
        let mut room = small_zeros(p * (p + 2));
        let (mean, rest) = room.split_at_mut(p);
        let (changes, rest) = rest.split_at_mut(p);
        let mut spread = Spread { values: rest, size: p };
        for (k, r, component) in self.present() {
            let layout = self.layout(k);
            for (a, (row, one)) in layout.iter().copied().enumerate() {
                changes[a] = component.change(one);
                mean[row] += r * changes[a];
                for (b, (column, other)) in layout[..=a].iter().copied().enumerate() {
                    spread.add(row, column, r * (changes[a] * changes[b]));
                    let value = weight * r * component.second(one, other);
                    curvature[row * p + column] += value;
                    if row != column {
                        curvature[column * p + row] += value;
                    }
                }
            }
        }
        spread.add_products(-1.0, mean);
        curvature.iter_mut().zip(&*spread.values).for_each(|(sum, more)| *sum += weight * more);
        self.mixture.add_weight_curvature(self.theta, weight, curvature);
    }
}

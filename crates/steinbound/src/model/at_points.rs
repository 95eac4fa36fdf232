//! A model at many points: in one call if it has [`Batches`](super::Batches), else point by point.

use rayon::prelude::*;

use super::curvature::{add_score_differences, add_slope_differences};
use super::differences::{RELATIVE_STEP, add_differences, difference_step};
use super::{Density, Derivatives, Model, Wanted};
use crate::compute::dot;
use crate::error::ModelError;
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::points::Points;

/// The number of points in a block of the sums over points: blocks are summed in order, for any number of
/// threads.
const BLOCK: usize = 64;

/// The number of log-densities that one thread computes at a time.
const SOME: usize = 512;

/// Second differences of a log-density need a longer step than first ones: the fourth root of the rounding
/// error, not the third.
const LONGER: f64 = 1.2e-4 / RELATIVE_STEP;

/// A model at points. Points without weight are skipped and get zeros, since the density may be undefined
/// there.
#[derive(Clone, Copy)]
pub(crate) struct AtPoints<'a> {
    pub(crate) model: &'a dyn Model,
    pub(crate) points: &'a Points<'a>,
    /// One for each point; without them all points count.
    pub(crate) weights: Option<&'a [f64]>,
    /// Once it is raised, the remaining points are skipped and results are incomplete; callers must check.
    pub(crate) interrupt: Option<&'a Interrupt>,
}

impl<'a> AtPoints<'a> {
    pub(crate) fn new(model: &'a dyn Model, points: &'a Points<'a>, weights: &'a [f64]) -> AtPoints<'a> {
        AtPoints { weights: Some(weights), ..AtPoints::all(model, points) }
    }

    /// All points, regardless of their weights.
    pub(crate) fn all(model: &'a dyn Model, points: &'a Points<'a>) -> AtPoints<'a> {
        AtPoints { model, points, weights: None, interrupt: None }
    }

    pub(crate) fn until(self, interrupt: &'a Interrupt) -> AtPoints<'a> {
        AtPoints { interrupt: Some(interrupt), ..self }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(Interrupt::is_raised)
    }

    fn counts(&self, i: usize) -> bool {
        self.weights.is_none_or(|weights| weights[i] != 0.0)
    }

    /// The requested derivatives, one row for each point: the score, the slopes, the rows of the score's
    /// Jacobian and those of the slopes'.
    pub(crate) fn derivatives(&self, theta: &[f64], wanted: Wanted) -> Result<Matrix, ModelError> {
        if let Some(answer) = self.all_at_once(theta, wanted) {
            return answer;
        }
        let (d, p) = (self.model.differentiated().len(), theta.len());
        let [score, slope, score_jacobian, slope_jacobian] = wanted.columns(d, p);
        Ok(self.rows(score + slope + score_jacobian + slope_jacobian, |x, row| {
            let (score, rest) = row.split_at_mut(score);
            let (slope, rest) = rest.split_at_mut(slope);
            let (score_jacobian, slope_jacobian) = rest.split_at_mut(score_jacobian);
            self.model.derivatives(x, theta, Derivatives { score, score_jacobian, slope, slope_jacobian });
        }))
    }

    /// The values of all points from one call, if the model supports it.
    fn all_at_once(&self, theta: &[f64], wanted: Wanted) -> Option<Result<Matrix, ModelError>> {
        let mut answer = self.model.batches()?.derivatives_at(self.points, theta, wanted);
        let columns: usize = wanted.columns(self.model.differentiated().len(), theta.len()).iter().sum();
        if (answer.rows(), answer.columns()) != (self.points.len(), columns) {
            return Some(Err(self.wrong_size()));
        }
        for i in (0..self.points.len()).filter(|i| !self.counts(*i)) {
            (0..columns).for_each(|j| answer[(i, j)] = 0.0);
        }
        Some(Ok(answer))
    }

    fn wrong_size(&self) -> ModelError {
        ModelError::Unsupported {
            model: self.model.name().to_string(),
            action: "evaluated at all points at once, because its result does not have a row for each point and a column for each value",
            remedy: "check the model with model::conformance",
        }
    }

    /// A row of values for each point, as a matrix.
    pub(crate) fn rows(&self, columns: usize, row: impl Fn(&[f64], &mut [f64]) + Sync) -> Matrix {
        let mut values = vec![0.0; self.points.len() * columns];
        let rows = values.par_chunks_mut(columns.max(1)).enumerate();
        let counted = rows.filter(|(i, _)| self.counts(*i) && !self.is_interrupted());
        counted.for_each(|(i, out)| row(self.points.row(i), out));
        Matrix::from_fn(self.points.len(), columns, |i, j| values[i * columns + j])
    }

    /// The sum over points of the contributions of `add`, `parameters` by `parameters`. `add` gets a scratch
    /// buffer.
    pub(crate) fn sum(
        &self,
        parameters: usize,
        add: impl Fn(usize, &[f64], &mut Vec<f64>, &mut [f64]) + Sync,
    ) -> Vec<f64> {
        let (size, points) = (parameters * parameters, self.points);
        let blocks: Vec<usize> = (0..points.len()).step_by(BLOCK).collect();
        let of_block = |start: &usize| {
            let (mut sum, mut room) = (vec![0.0; size], Vec::new());
            if self.is_interrupted() {
                return sum;
            }
            let block = *start..(start + BLOCK).min(points.len());
            block.filter(|i| self.counts(*i)).for_each(|i| add(i, points.row(i), &mut room, &mut sum));
            sum
        };
        let sums: Vec<Vec<f64>> = blocks.par_iter().map(of_block).collect();
        let mut total = vec![0.0; size];
        for sum in sums {
            total.iter_mut().zip(sum).for_each(|(t, s)| *t += s);
        }
        total
    }

    /// The sum over points of the second derivatives of scores and, if requested, of slopes, with weights
    /// that `weigh` writes for each point: for its scores, then for its slopes. `own` adds the other
    /// contributions of a point.
    ///
    /// A model that computes all points at once gives the sum itself, or is differentiated by central differences of
    /// whole Jacobians.
    pub(crate) fn curvature(
        &self,
        theta: &[f64],
        steps: &[f64],
        with_slopes: bool,
        weigh: impl Fn(usize, &mut [f64]) + Sync,
        own: impl Fn(usize, &mut [f64]) + Sync,
    ) -> Vec<f64> {
        let (d, p) = (self.model.differentiated().len(), theta.len());
        let width = if with_slopes { 2 * d } else { d };
        let wanted = Wanted { score_jacobian: true, slope_jacobian: with_slopes, ..Wanted::default() };
        if p == 0 || self.model.batches().is_none() {
            let (model, exact) = (self.model, self.model.curvature());
            // Affine scores have no second derivatives.
            let is_affine = model.affine().is_some();
            return self.sum(p, |i, x, room, sum| {
                room.resize(width, 0.0);
                weigh(i, room);
                own(i, sum);
                let (score, slope) = room.split_at(d);
                match exact {
                    _ if is_affine => {}
                    Some(exact) if with_slopes => exact.add_curvature(x, theta, [score, slope], steps, sum),
                    Some(exact) => exact.add_score_curvature(x, theta, score, steps, sum),
                    None => {
                        add_score_differences(model, x, theta, score, steps, sum);
                        if with_slopes {
                            add_slope_differences(model, x, theta, slope, steps, sum);
                        }
                    }
                }
            });
        }
        let mut total = self.sum(p, |i, _, _, sum| own(i, sum));
        let mut weights = Matrix::zeros(self.points.len(), width);
        let mut row = vec![0.0; width];
        for i in (0..self.points.len()).filter(|i| self.counts(*i)) {
            weigh(i, &mut row);
            row.iter().enumerate().for_each(|(l, weight)| weights[(i, l)] = *weight);
        }
        let known = || self.model.batches()?.curvature_at(self.points, theta, &weights);
        if let Some(found) = if self.is_interrupted() { None } else { known() } {
            // NaN is not a minimum, so the search ends if a model gives another size.
            let all = found.into_iter().chain(std::iter::repeat(f64::NAN));
            total.iter_mut().zip(all).for_each(|(total, value)| *total += value);
            return total;
        }
        let asked =
            |theta: &[f64]| if self.is_interrupted() { None } else { self.all_at_once(theta, wanted) };
        let gradient = |theta: &[f64], out: &mut [f64]| match asked(theta) {
            Some(Ok(rows)) => {
                for (k, out) in out.iter_mut().enumerate() {
                    *out = (0..width).map(|l| dot(weights.column(l), rows.column(l * p + k))).sum();
                }
            }
            // NaN is not a minimum, so the search ends if a model fails at neighbouring parameters.
            _ => out.fill(f64::NAN),
        };
        add_differences(theta, steps, gradient, &mut total);
        total
    }

    /// Whether the model computes the log-densities of all points in one call.
    pub(crate) fn has_all_log_densities(&self, theta: &[f64]) -> bool {
        self.batched_log_densities(&self.points.first(), theta).is_some()
    }

    fn batched_log_densities(&self, points: &Points, theta: &[f64]) -> Option<Vec<f64>> {
        self.model.batches()?.log_densities(points, theta)
    }

    /// The log-densities; NaN if the model has none.
    pub(crate) fn log_densities(&self, theta: &[f64]) -> Result<Vec<f64>, ModelError> {
        if let Some(mut all) = self.batched_log_densities(self.points, theta) {
            if all.len() != self.points.len() {
                return Err(self.wrong_size());
            }
            (0..all.len()).filter(|i| !self.counts(*i)).for_each(|i| all[i] = 0.0);
            return Ok(all);
        }
        let density = self.model.density();
        let mut all = vec![0.0; self.points.len()];
        all.par_chunks_mut(SOME).enumerate().for_each(|(chunk, out)| {
            if self.is_interrupted() {
                return;
            }
            let numbered = (chunk * SOME..).zip(out).filter(|(i, _)| self.counts(*i));
            numbered.for_each(|(i, out)| {
                *out = density.map_or(f64::NAN, |density| density.log_density(self.points.row(i), theta));
            });
        });
        Ok(all)
    }

    /// The derivatives of the log-densities in the parameters.
    pub(crate) fn log_density_gradients(
        &self,
        theta: &'a [f64],
    ) -> Result<LogDensityGradients<'a>, ModelError> {
        let mut found = LogDensityGradients { at: *self, density: self.model.density(), theta, all: None };
        if !self.has_all_log_densities(theta) {
            return Ok(found);
        }
        let mut all = Matrix::zeros(self.points.len(), theta.len());
        let mut moved = theta.to_vec();
        for k in (0..theta.len()).take_while(|_| !self.is_interrupted()) {
            let step = difference_step(theta[k]);
            let mut at = |value: f64| {
                moved[k] = value;
                self.log_densities(&moved)
            };
            let (above, below) = (at(theta[k] + step)?, at(theta[k] - step)?);
            let both = above.iter().zip(&below);
            all.column_mut(k).iter_mut().zip(both).for_each(|(g, (a, b))| *g = (a - b) / (2.0 * step));
            moved[k] = theta[k];
        }
        found.all = Some(all);
        Ok(found)
    }

    /// The weighted sum over points of the second derivatives of the log-density, by second differences, for
    /// a model that computes all points at once. `None` for a model that computes them point by point.
    pub(crate) fn log_density_curvature(
        &self,
        theta: &[f64],
        steps: &[f64],
    ) -> Result<Option<Vec<f64>>, ModelError> {
        if !self.has_all_log_densities(theta) {
            return Ok(None);
        }
        let p = theta.len();
        let steps: Vec<f64> = steps.iter().map(|step| LONGER * step).collect();
        let at = |moves: [(usize, f64); 2]| {
            let mut moved = theta.to_vec();
            moves.into_iter().for_each(|(k, sign)| moved[k] += sign * steps[k]);
            self.log_densities(&moved)
        };
        let here = self.log_densities(theta)?;
        let mut sums = vec![0.0; p * p];
        for j in 0..p {
            for k in (0..=j).take_while(|_| !self.is_interrupted()) {
                let (high, low) = (at([(j, 1.0), (k, 1.0)])?, at([(j, -1.0), (k, -1.0)])?);
                // On the diagonal both steps combine to one of twice the length.
                let cross = if j == k {
                    None
                } else {
                    Some((at([(j, 1.0), (k, -1.0)])?, at([(j, -1.0), (k, 1.0)])?))
                };
                let second = |i: usize| {
                    let (one, other) =
                        cross.as_ref().map_or((here[i], here[i]), |cross| (cross.0[i], cross.1[i]));
                    (high[i] - one) + (low[i] - other)
                };
                // If the density vanishes, its logarithm need not have a derivative.
                let counted = (0..here.len()).filter(|i| self.counts(*i));
                let weight = |i: usize| self.weights.map_or(1.0, |weights| weights[i]);
                let sum = counted.map(|i| weight(i) * second(i)).sum::<f64>() / (4.0 * steps[j] * steps[k]);
                sums[j * p + k] = sum;
                sums[k * p + j] = sum;
            }
        }
        Ok(Some(sums))
    }
}

/// The derivatives of log-densities in the parameters: known for all points, or computed point by point.
pub(crate) struct LogDensityGradients<'a> {
    at: AtPoints<'a>,
    density: Option<&'a dyn Density>,
    theta: &'a [f64],
    all: Option<Matrix>,
}

impl LogDensityGradients<'_> {
    /// All gradients, one per row.
    pub(crate) fn into_matrix(self) -> Matrix {
        match self.all {
            Some(all) => all,
            None => self.at.rows(self.theta.len(), |x, row| self.write_at(x, row)),
        }
    }

    /// Writes the gradient at a point.
    pub(crate) fn write(&self, i: usize, gradient: &mut [f64]) {
        match &self.all {
            Some(all) => gradient.iter_mut().enumerate().for_each(|(k, g)| *g = all[(i, k)]),
            None => self.write_at(self.at.points.row(i), gradient),
        }
    }

    /// NaN if the model has no density.
    fn write_at(&self, x: &[f64], gradient: &mut [f64]) {
        match self.density {
            Some(density) => density.log_density_gradient(x, self.theta, gradient),
            None => gradient.fill(f64::NAN),
        }
    }
}

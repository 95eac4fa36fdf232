//! What a search minimises when the score is not affine in the parameters.

use rayon::prelude::*;

use crate::error::Error;
use crate::matrix::Matrix;
use crate::model::{Model, scores};
use crate::points::Points;
use crate::stein::{LinearScore, Pairs, Pass, Statistic, SteinForm};

/// A smooth function of the parameters, made of data. Where it is not defined its value is not finite.
pub(crate) trait Objective: Sync {
    /// The value.
    fn value(&self, theta: &[f64]) -> Result<f64, Error>;

    /// The value with gradient and Hessian.
    fn expand(&self, theta: &[f64]) -> Result<Expansion, Error>;

    /// For each observation the derivative of the gradient in its share of the weight: with the Hessian `H`, the influence
    /// of an observation on the minimum is `-H^-1` times its row.
    fn pulls(&self, theta: &[f64]) -> Result<Matrix, Error>;
}

/// An objective to second order.
#[derive(Debug, Clone)]
pub(crate) struct Expansion {
    pub(crate) value: f64,
    /// The size of the terms that the value is a sum of: differences far below it are rounding.
    pub(crate) scale: f64,
    pub(crate) gradient: Vec<f64>,
    pub(crate) hessian: Matrix,
}

impl Expansion {
    pub(crate) fn is_finite(&self) -> bool {
        let all = self.gradient.iter().chain(self.hessian.values());
        self.value.is_finite() && all.into_iter().all(|v| v.is_finite())
    }
}

/// The squared Stein discrepancy of a model with any score.
///
/// With the scores and their Jacobian at `theta` as features ([`LinearScore::linearised`]), one pass over the pairs gives the value,
/// the gradient and the part `2 J' M J / Z` of the Hessian; what the second derivatives of the score add is
/// `(2 / Z) sum_i w_i sum_l (M W psi_l + D_l w)_i d^2 psi_l(x_i)`. No kernel value depends on the parameters.
pub(crate) struct SteinObjective<'a> {
    pairs: Pairs<'a>,
    model: &'a dyn Model,
    data: &'a Points<'a>,
    weights: &'a [f64],
}

impl<'a> SteinObjective<'a> {
    pub(crate) fn new(
        form: &'a dyn SteinForm,
        model: &'a dyn Model,
        data: &'a Points<'a>,
        weights: &'a [f64],
        statistic: Statistic,
    ) -> SteinObjective<'a> {
        SteinObjective { pairs: statistic.pairs(form), model, data, weights }
    }

    fn linearised(&self) -> LinearScore {
        LinearScore::linearised(self.model.differentiated().len(), self.model.parameters())
    }

    /// The scores, and after them the rows of their Jacobian.
    fn features(&self, theta: &[f64]) -> Matrix {
        let (coordinates, parameters) = (self.model.differentiated().len(), self.model.parameters());
        let jacobian = jacobians(self.data, coordinates * parameters, |x, row| {
            self.model.score_jacobian(x, theta, row);
        });
        let mut features = Matrix::zeros(self.data.len(), coordinates * (1 + parameters));
        let scores = scores(self.model, self.data, theta);
        for l in 0..coordinates {
            features.column_mut(l).copy_from_slice(scores.column(l));
        }
        for j in 0..coordinates * parameters {
            features.column_mut(coordinates + j).copy_from_slice(jacobian.column(j));
        }
        features
    }
}

impl Objective for SteinObjective<'_> {
    fn value(&self, theta: &[f64]) -> Result<f64, Error> {
        let scores = scores(self.model, self.data, theta);
        if scores.values().iter().any(|v| !v.is_finite()) {
            return Ok(f64::NAN);
        }
        let identity = Matrix::identity(scores.columns());
        Ok(Pass::new(&self.pairs, scores, self.weights, None)?.moments().value(&identity))
    }

    fn expand(&self, theta: &[f64]) -> Result<Expansion, Error> {
        let score = self.linearised();
        let pass = Pass::new(&self.pairs, self.features(theta), self.weights, None)?;
        let moments = pass.moments();
        let (mut hessian, right) = moments.normal_equations(&score);
        let pull = pass.pull(&score.offset);
        let curvature = curvature(self.data, score.parameters, |i, x, sum| {
            let weights: Vec<f64> =
                (0..pull.columns()).map(|l| self.weights[i] * pull[(i, l)] / moments.normaliser).collect();
            self.model.add_score_curvature(x, theta, &weights, sum);
        });
        let both = hessian.values_mut().iter_mut().zip(curvature);
        both.for_each(|(h, c)| *h = 2.0 * (*h + c));
        Ok(Expansion {
            value: moments.value(&score.offset),
            scale: moments.constant.abs() / moments.normaliser,
            gradient: right.iter().map(|r| -2.0 * r).collect(),
            hessian,
        })
    }

    fn pulls(&self, theta: &[f64]) -> Result<Matrix, Error> {
        let score = self.linearised();
        let pass = Pass::new(&self.pairs, self.features(theta), self.weights, Some(&score))?;
        let mut gradients = pass.gradients(&score, &vec![0.0; score.parameters]);
        // An observation enters the sum over pairs on both sides.
        gradients.values_mut().iter_mut().for_each(|g| *g *= 2.0);
        Ok(gradients)
    }
}

/// A row of values for each point, as a matrix.
pub(crate) fn jacobians(points: &Points, columns: usize, row: impl Fn(&[f64], &mut [f64]) + Sync) -> Matrix {
    let mut values = vec![0.0; points.len() * columns];
    let rows = values.par_chunks_mut(columns.max(1)).enumerate();
    rows.for_each(|(i, out)| row(points.row(i), out));
    Matrix::from_fn(points.len(), columns, |i, j| values[i * columns + j])
}

/// Points in a block of the sums over points: blocks are summed in order, whatever the number of threads.
const BLOCK: usize = 64;

/// The sum over points of what `add` adds for each, `parameters` by `parameters`.
pub(crate) fn curvature(
    points: &Points,
    parameters: usize,
    add: impl Fn(usize, &[f64], &mut [f64]) + Sync,
) -> Vec<f64> {
    let size = parameters * parameters;
    let blocks: Vec<usize> = (0..points.len()).step_by(BLOCK).collect();
    let of_block = |start: &usize| {
        let mut sum = vec![0.0; size];
        for i in *start..(start + BLOCK).min(points.len()) {
            add(i, points.row(i), &mut sum);
        }
        sum
    };
    let sums: Vec<Vec<f64>> = blocks.par_iter().map(of_block).collect();
    let mut total = vec![0.0; size];
    for sum in sums {
        total.iter_mut().zip(sum).for_each(|(t, s)| *t += s);
    }
    total
}

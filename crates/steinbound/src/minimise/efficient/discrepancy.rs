//! The penalised discrepancy as a sum of squares of mean features.

use super::{Equations, squared_discrepancy};
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::minimise::objective::{Expansion, Objective};
use crate::minimise::stein_objective::SteinObjective;
use crate::model::{LinearScore, Wanted};

/// `gbar' P^-1 gbar` with the matrix `2 Q' P^-1 Q` in place of its Hessian: one pass over landmarks for each step.
///
/// [`SteinObjective`] is the same function with its exact Hessian. For a kernel that couples `d` coordinates that
/// takes products of `d (p + 1)` columns with each other, in every pair of coordinates; it is needed at the end only.
pub(super) struct Discrepancy<'a> {
    exact: SteinObjective<'a>,
    equations: &'a Equations<'a>,
    /// The value for a score of zero.
    of_slopes: f64,
}

impl<'a> Discrepancy<'a> {
    pub(super) fn new(exact: SteinObjective<'a>, equations: &'a Equations<'a>) -> Result<Self, Error> {
        let mut found = Discrepancy { exact, equations, of_slopes: 0.0 };
        let zero = Matrix::zeros(equations.points.len(), equations.task.form.fields().coordinates());
        found.of_slopes = found.squared(&found.mean(&zero)?);
        Ok(found)
    }

    /// Mean features for given scores.
    fn mean(&self, scores: &Matrix) -> Result<Vec<f64>, Error> {
        let form = self.equations.task.form;
        let sums = form.fields().sums_of(form.data(), scores, self.equations.task.weights)?;
        Ok(sums.mean_features(&LinearScore::linearised(scores.columns(), 0), &[]).mean)
    }

    fn squared(&self, mean: &[f64]) -> f64 {
        squared_discrepancy(self.equations.task.form.factor(), mean)
    }
}

impl Objective for Discrepancy<'_> {
    fn interrupt(&self) -> Option<&Interrupt> {
        self.exact.interrupt()
    }

    fn value(&self, theta: &[f64]) -> Result<f64, Error> {
        let at = self.equations.at(&self.equations.points, self.equations.task.weights);
        let scores = at.derivatives(theta, Wanted { score: true, ..Wanted::default() })?;
        match scores.values().iter().all(|v| v.is_finite()) {
            true => Ok(self.squared(&self.mean(&scores)?)),
            false => Ok(f64::NAN),
        }
    }

    fn expand(&self, theta: &[f64]) -> Result<Expansion, Error> {
        let p = theta.len();
        let Ok(moments) = self.equations.mean_features(theta) else {
            self.equations.task.interrupt.check()?;
            let undefined = Expansion {
                value: f64::NAN,
                scale: self.of_slopes,
                gradient: vec![f64::NAN; p],
                hessian: Matrix::zeros(p, p),
                is_full: false,
            };
            return Ok(undefined);
        };
        let mut weights = moments.jacobian.clone();
        self.equations.task.form.factor().solve(&mut weights);
        let twice = |values: Vec<f64>| values.into_iter().map(|v| 2.0 * v).collect::<Vec<f64>>();
        let mut hessian = weights.transpose().times(&moments.jacobian);
        hessian.values_mut().iter_mut().for_each(|h| *h *= 2.0);
        Ok(Expansion {
            value: self.squared(&moments.mean),
            scale: self.of_slopes,
            gradient: twice(weights.transpose().times_vector(&moments.mean)),
            hessian,
            is_full: false,
        })
    }

    fn expand_fully(&self, theta: &[f64]) -> Result<Expansion, Error> {
        self.exact.expand_fully(theta)
    }

    fn pulls(&self, theta: &[f64]) -> Result<Matrix, Error> {
        self.exact.pulls(theta)
    }

    fn conclude(&self, theta: &[f64]) -> Result<(Expansion, Matrix), Error> {
        self.exact.conclude(theta)
    }
}

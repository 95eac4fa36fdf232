//! Moment equations together with those of counts.

use crate::compute::solve_square;
use crate::error::FitError;
use crate::matrix::Matrix;
use crate::minimise::stacked::Equated;
use crate::stein::MeanFeatures;

/// What is known at some parameters: the moments, and the equations in place of moments where there are any.
pub(super) struct Known {
    pub(super) moments: MeanFeatures,
    pub(super) counts: Option<Equated>,
}

impl Known {
    /// The columns of `Q` of some parameters.
    pub(super) fn slopes(&self, parameters: &[usize]) -> Matrix {
        let whole = &self.moments.jacobian;
        Matrix::from_fn(whole.rows(), parameters.len(), |j, k| whole[(j, parameters[k])])
    }

    /// The stack `(c' gbar, u)`.
    pub(super) fn values(&self, weights: &Matrix) -> Vec<f64> {
        let mut values = weights.transpose().times_vector(&self.moments.mean);
        values.extend(self.counts.iter().flat_map(|counts| &counts.values));
        values
    }

    /// Its derivative in all parameters.
    pub(super) fn slope(&self, weights: &Matrix) -> Matrix {
        let slope = weights.transpose().times(&self.moments.jacobian);
        let Some(counts) = &self.counts else { return slope };
        let (first, last) = (slope.rows(), counts.jacobian.rows());
        Matrix::from_fn(first + last, slope.columns(), |j, k| match j.checked_sub(first) {
            None => slope[(j, k)],
            Some(j) => counts.jacobian[(j, k)],
        })
    }

    /// What each observation contributes to the stack, given that to the moments.
    pub(super) fn with_contributions(&self, of_moments: &Matrix) -> Matrix {
        let Some(counts) = &self.counts else { return of_moments.clone() };
        let (first, last) = (of_moments.columns(), counts.contributions.columns());
        Matrix::from_fn(of_moments.rows(), first + last, |i, k| match k.checked_sub(first) {
            None => of_moments[(i, k)],
            Some(k) => counts.contributions[(i, k)],
        })
    }
}

/// The step of Newton's method for the stack.
pub(super) fn newton_step(weights: &Matrix, at: &Known) -> Result<Vec<f64>, FitError> {
    let values = at.values(weights);
    let right = Matrix::from_fn(values.len(), 1, |k, _| -values[k]);
    let solution = solve_square(&at.slope(weights), &right);
    let solution = solution.ok_or(FitError::NotIdentified { condition: f64::INFINITY })?;
    Ok(solution.column(0).to_vec())
}

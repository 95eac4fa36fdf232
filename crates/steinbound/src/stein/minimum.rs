use super::sums::Sums;
use crate::compute::cholesky::ScaledCholesky;
use crate::error::{Error, FitError, KernelError};
use crate::matrix::Matrix;
use crate::model::LinearScore;

/// The minimum of the squared discrepancy (V-statistic) over an affine score, from sums alone.
///
/// Together with [`InfluenceSums`](super::InfluenceSums) it is a fit of data that were never in one place:
/// see the example there.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Minimum {
    /// The parameters.
    pub theta: Vec<f64>,
    /// The squared discrepancy there.
    pub discrepancy_squared: f64,
    /// The condition number of the scaled normal equations.
    pub condition: f64,
    pub(super) factor: ScaledCholesky,
}

impl Sums {
    /// The parameters of an affine score at which the discrepancy is smallest: the solution of the
    /// [normal equations](super::Moments::normal_equations).
    ///
    /// The sums are those of the score's features over all data.
    pub fn minimum(&self, score: &LinearScore) -> Result<Minimum, Error> {
        let (features, coordinates) = (self.value.columns(), self.slope.columns());
        if score.features() != features || !score.is_consistent(coordinates, score.parameters) {
            let what = format!("a score in {} features, with sums of {features}", score.features());
            return Err(KernelError::WrongShape { points: self.rows, coordinates, what }.into());
        }
        let (normal, right) = self.moments().normal_equations(score);
        let (theta, factor) = solve_normal_equations(&normal, &right)?;
        let discrepancy_squared = self.value_at(&score.at(&theta));
        Ok(Minimum { theta, discrepancy_squared, condition: factor.condition_number(), factor })
    }
}

/// The solution of the normal equations, and their factor for the influence values.
pub(crate) fn solve_normal_equations(
    normal: &Matrix,
    right: &[f64],
) -> Result<(Vec<f64>, ScaledCholesky), FitError> {
    if normal.values().iter().chain(right).any(|v| !v.is_finite()) {
        return Err(FitError::NotFinite { what: "objective" });
    }
    let factor = ScaledCholesky::new(normal).map_err(|condition| FitError::NotIdentified { condition })?;
    let mut solution = Matrix::from_fn(right.len(), 1, |k, _| right[k]);
    factor.solve(&mut solution);
    Ok((solution.column(0).to_vec(), factor))
}

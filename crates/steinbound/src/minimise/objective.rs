//! What a search minimises when the score is not affine in the parameters.

use crate::error::{Error, ModelError};
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::model::{AtPoints, Wanted};

/// A smooth function of the parameters, made of data. Where it is not defined its value is not finite.
pub(crate) trait Objective: Sync {
    /// The value.
    fn value(&self, theta: &[f64]) -> Result<f64, Error>;

    /// What ends a search.
    fn interrupt(&self) -> Option<&Interrupt> {
        None
    }

    /// The value with gradient and Hessian, or a positive semidefinite matrix that approaches it near a
    /// minimum.
    fn expand(&self, theta: &[f64]) -> Result<Expansion, Error>;

    /// The value with gradient and Hessian, whatever [`expand`](Objective::expand) makes do with.
    fn expand_fully(&self, theta: &[f64]) -> Result<Expansion, Error> {
        self.expand(theta)
    }

    /// For each observation the derivative of the gradient in its share of the weight: with the Hessian `H`,
    /// the influence of an observation on the minimum is `-H^-1` times its row.
    fn pulls(&self, theta: &[f64]) -> Result<Matrix, Error>;

    /// [`expand_fully`](Objective::expand_fully) and [`pulls`](Objective::pulls) together: what is wanted at
    /// the end of a search.
    fn conclude(&self, theta: &[f64]) -> Result<(Expansion, Matrix), Error> {
        Ok((self.expand_fully(theta)?, self.pulls(theta)?))
    }
}

/// An objective to second order.
#[derive(Debug, Clone)]
pub(crate) struct Expansion {
    pub(crate) value: f64,
    /// The size of the terms that the value is a sum of: differences far below it are rounding.
    pub(crate) scale: f64,
    pub(crate) gradient: Vec<f64>,
    pub(crate) hessian: Matrix,
    /// Whether the matrix is the Hessian, and not an approximation to it.
    pub(crate) is_full: bool,
}

impl Expansion {
    pub(crate) fn is_finite(&self) -> bool {
        let all = self.gradient.iter().chain(self.hessian.values());
        self.value.is_finite() && all.into_iter().all(|v| v.is_finite())
    }
}

/// The features of [`LinearScore::linearised`]: the scores, and after them the rows of their Jacobian.
pub(crate) fn linearised_features(at: AtPoints, theta: &[f64]) -> Result<Matrix, ModelError> {
    at.derivatives(theta, Wanted { score: true, score_jacobian: true, ..Wanted::default() })
}

/// The scale of each parameter in which the score changes as much as it is large, from features that are the
/// scores and then the rows of their Jacobian.
pub(crate) fn score_scales(features: &Matrix, coordinates: usize) -> impl Iterator<Item = f64> {
    let square = |j: usize| features.column(j).iter().map(|v| v * v).sum::<f64>();
    let size: f64 = (0..coordinates).map(square).sum();
    let parameters = (features.columns() / coordinates.max(1)).saturating_sub(1);
    (0..parameters).map(move |k| {
        let slope: f64 = (0..coordinates).map(|l| square(coordinates + l * parameters + k)).sum();
        (size / slope).sqrt()
    })
}

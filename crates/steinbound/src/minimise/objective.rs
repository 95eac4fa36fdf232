//! The objective of a search, for scores that are not affine in the parameters.

use crate::error::{Error, ModelError};
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::model::{AtPoints, Wanted};
use crate::search_limits::Stop;

/// A smooth function of the parameters that depends on data. Its value is not finite if it is undefined.
pub(crate) trait Objective: Sync {
    /// The value.
    fn value(&self, theta: &[f64]) -> Result<f64, Error>;

    /// The interrupt that ends a search.
    fn interrupt(&self) -> Option<&Interrupt> {
        None
    }

    /// Why a search ends now, if its work has reached a bound.
    fn spent(&self) -> Option<Stop> {
        None
    }

    /// The value with gradient and Hessian, or a positive semidefinite matrix that approaches it near a
    /// minimum.
    fn expand(&self, theta: &[f64]) -> Result<Expansion, Error>;

    /// The value with gradient and exact Hessian, even if [`expand`](Objective::expand) approximates it.
    fn expand_fully(&self, theta: &[f64]) -> Result<Expansion, Error> {
        self.expand(theta)
    }

    /// For each observation the derivative of the gradient in its weight share: with the Hessian `H`, the
    /// influence of an observation on the minimum is `-H^-1` times its row.
    fn pulls(&self, theta: &[f64]) -> Result<Matrix, Error>;

    /// [`expand_fully`](Objective::expand_fully) and [`pulls`](Objective::pulls) together, as needed at the
    /// end of a search.
    fn conclude(&self, theta: &[f64]) -> Result<(Expansion, Matrix), Error> {
        Ok((self.expand_fully(theta)?, self.pulls(theta)?))
    }
}

/// An objective to second order.
#[derive(Debug, Clone)]
pub(crate) struct Expansion {
    pub(crate) value: f64,
    /// The size of the terms whose sum is the value: differences far below it are rounding.
    pub(crate) scale: f64,
    pub(crate) gradient: Vec<f64>,
    pub(crate) hessian: Matrix,
    /// Whether the matrix is the exact Hessian rather than an approximation.
    pub(crate) is_full: bool,
}

impl Expansion {
    pub(crate) fn is_finite(&self) -> bool {
        let all = self.gradient.iter().chain(self.hessian.values());
        self.value.is_finite() && all.into_iter().all(|v| v.is_finite())
    }
}

/// The features of [`LinearScore::linearised`]: the scores, followed by the rows of their Jacobian.
pub(crate) fn linearised_features(at: AtPoints, theta: &[f64]) -> Result<Matrix, ModelError> {
    at.derivatives(theta, Wanted { score: true, score_jacobian: true, ..Wanted::default() })
}

/// The scale of each parameter on which the score changes by its own size, from features that are the scores
/// followed by the rows of their Jacobian.
pub(crate) fn score_scales(features: &Matrix, coordinates: usize) -> impl Iterator<Item = f64> {
    let square = |j: usize| features.column(j).iter().map(|v| v * v).sum::<f64>();
    let size: f64 = (0..coordinates).map(square).sum();
    let parameters = (features.columns() / coordinates.max(1)).saturating_sub(1);
    (0..parameters).map(move |k| {
        let slope: f64 = (0..coordinates).map(|l| square(coordinates + l * parameters + k)).sum();
        (size / slope).sqrt()
    })
}

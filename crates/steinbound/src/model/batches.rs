//! Derivatives of many points in one call.

use crate::matrix::Matrix;
use crate::points::Points;

/// A model in which each call is expensive regardless of what it computes, for example one written in another
/// language.
///
/// Fits, tests and witnesses then request all points in one call, and second derivatives in the parameters
/// are differences of whole arrays, unless it gives them. The methods of [`Model`](super::Model) for one point are still used for
/// single points; they may call these with one point.
///
/// ```
/// use steinbound::model::{Gaussian, Model};
/// // A Gaussian is as fast point by point.
/// assert!(Gaussian::with_variance(1, 1.0)?.batches().is_none());
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait Batches: Send + Sync {
    /// A row for each point with the score, the slopes, the rows of the score's Jacobian and those of the
    /// slopes' Jacobian, as far as requested, in this order.
    ///
    /// Any of them may be requested without the others. Rows of points without weight are not used.
    fn derivatives_at(&self, points: &Points, theta: &[f64], wanted: Wanted) -> Matrix;

    /// The sum over points of the second derivatives in the parameters of the score and, where the weights have twice as
    /// many columns, of the slopes, each times its weight: parameters by parameters, row by row. `None`: differences of
    /// the Jacobians of [`derivatives_at`](Batches::derivatives_at).
    fn curvature_at(&self, _points: &Points, _theta: &[f64], _weights: &Matrix) -> Option<Vec<f64>> {
        None
    }

    /// The [log-densities](super::Density::log_density) of all points, for a model that has them; derivatives
    /// in the parameters are then differences of these. `None`: computed point by point.
    fn log_densities(&self, _points: &Points, _theta: &[f64]) -> Option<Vec<f64>> {
        None
    }
}

/// The derivatives requested of many points ([`Batches::derivatives_at`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The [`score`](super::Model::score).
    pub score: bool,
    /// The [`score_slope`](super::Model::score_slope).
    pub slope: bool,
    /// The [`score_jacobian`](super::Model::score_jacobian).
    pub score_jacobian: bool,
    /// The [`score_slope_jacobian`](super::Model::score_slope_jacobian).
    pub slope_jacobian: bool,
}

impl Wanted {
    /// The number of columns of score, slope and their Jacobians, in this order, for these numbers of
    /// differentiated coordinates and parameters.
    ///
    /// ```
    /// use steinbound::model::Wanted;
    /// let wanted = Wanted { score: true, score_jacobian: true, ..Wanted::default() };
    /// assert_eq!(wanted.columns(2, 3), [2, 0, 6, 0]);
    /// ```
    pub fn columns(self, coordinates: usize, parameters: usize) -> [usize; 4] {
        let (alone, jacobian) = (coordinates, coordinates * parameters);
        let all = [
            (self.score, alone),
            (self.slope, alone),
            (self.score_jacobian, jacobian),
            (self.slope_jacobian, jacobian),
        ];
        all.map(|(is_wanted, columns)| if is_wanted { columns } else { 0 })
    }
}

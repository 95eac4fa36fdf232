//! Maximum likelihood that ignores the truncation.

use crate::error::Error;
use crate::matrix::Matrix;
use crate::points::Points;

/// A model whose maximum likelihood estimate without truncation has a closed form.
///
/// ```
/// use steinbound::{Points, model::{Gaussian, Model, NaiveLikelihood}};
/// let model = Gaussian::with_variance(1, 1.0)?;
/// let points = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
/// let (theta, _) = model.naive_likelihood().unwrap().maximum_likelihood(&points, &[1.0; 3])?;
/// assert_eq!(theta, [3.0]);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait NaiveLikelihood: Send + Sync {
    /// The fitted parameters and the influence of each point on them, with one weight for each point.
    fn maximum_likelihood(&self, points: &Points, weights: &[f64]) -> Result<(Vec<f64>, Matrix), Error>;
}

//! A model's contribution to a search for its parameters.

use rand::rngs::ChaCha8Rng;

use super::{Model, Unit};
use crate::points::Points;

/// The starting points of a search for the parameters, and the judgement of its result.
///
/// ```
/// use steinbound::model::{GaussianMixture, Model, Search};
/// let model = GaussianMixture::new(1, 2)?;
/// // Components are sorted by their means.
/// assert_eq!(model.search().unwrap().in_order(vec![3.0, -1.0]), [-1.0, 3.0]);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait Search: Send + Sync {
    /// Fitted parameters from which to start. If there are none, the user has to give them.
    fn starts(&self, points: &Points, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>>;

    /// The units of the fitted parameters for these data, by which a search tells short steps from long ones. Without
    /// them it takes values near zero and distances of one, which is right for logarithms and for data of moderate
    /// size.
    fn units(&self, _points: &Points) -> Vec<Unit> {
        Vec::new()
    }

    /// The same density with its parameters in a fixed order: the components of a mixture are sorted.
    fn in_order(&self, theta: Vec<f64>) -> Vec<f64> {
        theta
    }

    /// The reason why parameters found by a search should not be trusted although they are a minimum, for
    /// example a component of a mixture that has shrunk to a point.
    fn suspicion(&self, _theta: &[f64], _points: &Points) -> Option<String> {
        None
    }
}

/// The starts proposed by a model.
pub(crate) fn starts(model: &dyn Model, points: &Points, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    model.search().map_or_else(Vec::new, |search| search.starts(points, rng))
}

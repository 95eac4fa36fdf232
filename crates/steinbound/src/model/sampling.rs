//! Models with a sampler.

use rand::rngs::ChaCha8Rng;

/// Draws one point of the (untruncated) model.
pub type Sampler = Box<dyn Fn(&mut ChaCha8Rng, &mut [f64]) + Send + Sync>;

/// Draws of the untruncated density.
///
/// ```
/// use steinbound::model::{Gaussian, Model, Sampling};
/// let model = Gaussian::full(1);
/// let sampling = model.sampling().unwrap();
/// assert!(sampling.sampler(&[0.0, 1.0]).is_some());
/// // A negative precision belongs to no density on the whole line.
/// assert!(sampling.sampler(&[0.0, -1.0]).is_none());
/// ```
pub trait Sampling: Send + Sync {
    /// A sampler at these parameters; `None` if the density is not proper.
    fn sampler(&self, theta: &[f64]) -> Option<Sampler>;
}

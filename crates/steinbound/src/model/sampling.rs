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

    /// A sampler for a region within these bounds, an interval for each coordinate.
    ///
    /// It is the same density, which may need the region to be told apart from its equals: angles are given on the
    /// turn that begins with the region, and a power law without a minimum of its own begins there. Draws may be
    /// outside.
    fn sampler_for(&self, theta: &[f64], _bounds: &[(f64, f64)]) -> Option<Sampler> {
        self.sampler(theta)
    }
}

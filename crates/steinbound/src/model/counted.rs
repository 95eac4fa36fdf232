//! Models with parameters that the score hardly shows, and that counts of observations determine.

use std::ops::Range;

/// Fitted parameters, such as the log-weights of a mixture's components, that are determined by how many
/// observations each component has rather than by the score.
///
/// Between two components that are far apart there are no observations, and elsewhere the score is that of
/// one component alone: it does not depend on their weights. What does is the count. Of the observations in a
/// region, the expected share of component `k` is `w_k Z_k / sum_j w_j Z_j`, with `Z_k` its mass inside; this
/// is the derivative of the truncated log-likelihood in its log-weight, set to zero.
///
/// # Requirements
///
/// A [`Density`](super::Density) that is normalised on the whole space.
///
/// ```
/// use steinbound::model::{Counted, GaussianMixture, Model};
/// let model = GaussianMixture::new(1, 2)?.with_variance(1.0)?.estimate_weights();
/// let counted = model.counted().unwrap();
/// // Two means, then the log-weight of the second component relative to the first.
/// assert_eq!(counted.counted_parameters(), 2..3);
/// let apart = counted.separation(&[-3.0, 3.0, 0.0]).unwrap();
/// assert_eq!((apart.components, apart.distance), ((1, 2), 6.0));
/// assert!(GaussianMixture::new(1, 2)?.counted().is_none());
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait Counted: Send + Sync {
    /// The fitted parameters that counts determine.
    fn counted_parameters(&self) -> Range<usize>;

    /// The gap between the two groups of components that are farthest apart, `None` if there is one component
    /// only.
    ///
    /// Weights are determined through a chain of neighbours that overlap, so what counts is the largest gap
    /// in the shortest tree that connects all components.
    fn separation(&self, theta: &[f64]) -> Option<Separation>;
}

/// The widest gap between components.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Separation {
    /// The components on both sides of the gap that are nearest to each other, counted from one.
    pub components: (usize, usize),
    /// The distance of their means in standard deviations, that is in the mean of their covariances.
    pub distance: f64,
}

impl Separation {
    /// The separation of two components.
    pub fn new(components: (usize, usize), distance: f64) -> Separation {
        Separation { components, distance }
    }
}

//! What several experiments share: a Gaussian whose mean is sought, seen only inside a domain.

use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use steinbound::domain::{Ball, BoundarySampling, BoundaryScheme, Domain, Norm};
use steinbound::model::Gaussian;
use steinbound::{Error, Estimator, Fit, Points, simulate};

/// A normal distribution of known variance in each coordinate, and the domain in which it is seen.
#[derive(Debug, Clone)]
pub struct Truncation {
    /// The domain.
    pub domain: Arc<dyn Domain>,
    /// The model: only the mean is unknown.
    pub model: Gaussian,
    /// The mean.
    pub truth: Vec<f64>,
}

impl Truncation {
    /// A normal distribution with this variance about the truth.
    pub fn new(domain: Arc<dyn Domain>, truth: Vec<f64>, variance: f64) -> Result<Truncation, Error> {
        Ok(Truncation { domain, model: Gaussian::with_variance(truth.len(), variance)?, truth })
    }

    /// The benchmark of the paper: N(0.5, I) in a ball about the origin.
    pub fn ball(norm: Norm, radius: f64, dimension: usize) -> Result<Truncation, Error> {
        let ball = Ball::new(radius)?.with_norm(norm).in_dimension(dimension);
        Truncation::new(Arc::new(ball), vec![0.5; dimension], 1.0)
    }

    /// The same in the l2 ball of radius `d^0.53`.
    pub fn round(dimension: usize) -> Result<Truncation, Error> {
        Truncation::ball(Norm::Two, (dimension as f64).powf(0.53), dimension)
    }

    /// So many points inside.
    pub fn sample(&self, count: usize, rng: &mut ChaCha8Rng) -> Result<Points<'static>, Error> {
        Ok(simulate::truncated(&self.model, &self.truth, self.domain.as_ref(), count, rng)?.points)
    }

    /// So many boundary points, as the paper makes them: normal draws projected on the boundary.
    pub fn edge(&self, count: usize, rng: &mut ChaCha8Rng) -> Result<Points<'static>, Error> {
        let sampling = BoundarySampling::new(count).scheme(BoundaryScheme::Radial);
        Ok(self.domain.sample_boundary(&sampling, rng)?)
    }

    /// An estimator that knows the whole domain.
    pub fn knowing(&self, estimator: Estimator) -> Estimator {
        estimator.domain(self.domain.clone())
    }

    /// A fit of the model.
    pub fn fit(&self, estimator: Estimator, data: &Points) -> Result<Fit, Error> {
        estimator.fit(data, &self.model)
    }
}

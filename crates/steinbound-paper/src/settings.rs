//! Settings shared by several experiments: a Gaussian with unknown mean, observed only inside a domain.

use std::sync::{Arc, OnceLock};

use rand::rngs::ChaCha8Rng;
use steinbound::domain::{Ball, BoundarySampling, BoundaryScheme, Domain, Norm};
use steinbound::fit::IntegrationRule;
use steinbound::model::Gaussian;
use steinbound::{Error, Estimator, Fit, Points, simulate};

use crate::study::Trial;

/// A normal distribution of known variance in each coordinate, and the domain in which it is observed.
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

    /// Draws the given number of points inside.
    pub fn sample(&self, count: usize, rng: &mut ChaCha8Rng) -> Result<Points<'static>, Error> {
        Ok(simulate::truncated(&self.model, &self.truth, self.domain.as_ref(), count, rng)?.points)
    }

    /// The given number of boundary points, made as in the paper: normal draws projected on the boundary.
    pub fn edge(&self, count: usize, rng: &mut ChaCha8Rng) -> Result<Points<'static>, Error> {
        let sampling = BoundarySampling::new(count).scheme(BoundaryScheme::Radial);
        Ok(self.domain.sample_boundary(&sampling, rng)?)
    }

    /// An estimator that uses the whole domain.
    pub fn with_domain(&self, estimator: Estimator) -> Estimator {
        estimator.domain(self.domain.clone())
    }

    /// A fit of the model.
    pub fn fit(&self, estimator: Estimator, data: &Points) -> Result<Fit, Error> {
        estimator.fit(data, &self.model)
    }
}

/// A truncated likelihood for many samples of one density: it integrates over draws that are made once.
///
/// With `n` observations that shifts all estimates by about `sqrt(n / draws)` of a sample's standard error.
#[derive(Debug)]
pub struct SharedLikelihood {
    draws: usize,
    purpose: String,
    rule: OnceLock<Option<Arc<IntegrationRule>>>,
}

impl SharedLikelihood {
    /// A likelihood with this number of draws, from the random stream of this purpose.
    pub fn new(draws: usize, purpose: String) -> SharedLikelihood {
        SharedLikelihood { draws, purpose, rule: OnceLock::new() }
    }

    /// The estimator, under the seed of a trial. If the draws cannot be made, the likelihood chooses its own
    /// integration.
    pub fn estimator(&self, inside: &Truncation, trial: &Trial) -> Estimator {
        let draw = || {
            let rng = &mut Trial { number: 0, ..*trial }.stream(&self.purpose);
            let Truncation { domain, model, truth } = inside;
            IntegrationRule::from_draws(model, truth, domain.as_ref(), self.draws, rng).ok().map(Arc::new)
        };
        let estimator = inside.with_domain(Estimator::truncated_mle());
        match self.rule.get_or_init(draw) {
            Some(rule) => estimator.integrate_by(rule.clone()),
            None => estimator,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws made once give the same estimate as a rule made for the data.
    #[test]
    fn shared_draws_give_the_likelihood_estimate() {
        let (ball, trial) = (Truncation::round(4).unwrap(), Trial { seed: 1, number: 0 });
        let data = ball.sample(300, &mut trial.stream("data")).unwrap();
        let exact = ball.fit(ball.with_domain(Estimator::truncated_mle()), &data).unwrap();
        let shared = SharedLikelihood::new(20_000, "draws".into());
        let shared = ball.fit(shared.estimator(&ball, &trial), &data).unwrap();
        for (a, b) in exact.parameters.iter().zip(&shared.parameters) {
            // The standard deviation of the difference is sqrt(300 / 20000) = 0.12 standard errors.
            let difference = (a.estimate.unwrap() - b.estimate.unwrap()).abs() / a.std_error.unwrap();
            assert!(difference < 0.5, "{difference}");
        }
    }
}

//! Simulation: samples of truncated models, and the seeded random streams they are drawn from.

mod inside;

use rand::rngs::ChaCha8Rng;

pub use crate::random::{stream, tasks};
pub use inside::{Inside, PILOTS, sampler};

use crate::domain::Domain;
use crate::error::Error;
use crate::model::Model;
use crate::points::Points;

/// A truncated sample and the number of draws it took.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// The points inside the domain.
    pub points: Points<'static>,
    /// The number of draws made, kept or not.
    pub drawn: usize,
}

impl Sample {
    /// The share of draws that were kept.
    pub fn acceptance(&self) -> f64 {
        self.points.len() as f64 / self.drawn as f64
    }
}

/// Draws from a model until `count` points lie inside the domain.
///
/// # Definition
///
/// Rejection sampling: the points are independent draws of the truncated density. [`Inside::direct`] does the
/// same and can be interrupted.
///
/// # Requirements
///
/// The model can be sampled (a Gaussian with a proper covariance can), and puts enough mass inside the
/// domain: if fewer than one draw in 100,000 is kept, the attempt ends with an error.
///
/// # Complexity
///
/// `count / acceptance` draws.
///
/// ```
/// use steinbound::{domain::Ball, model::Gaussian, simulate};
/// let disc = Ball::new(1.0)?.in_dimension(2);
/// let model = Gaussian::with_variance(2, 1.0)?;
/// let sample = simulate::truncated(&model, &[0.5, 0.5], &disc, 100, &mut simulate::stream(1, 0))?;
/// assert_eq!(sample.points.len(), 100);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn truncated(
    model: &dyn Model,
    theta: &[f64],
    domain: &dyn Domain,
    count: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Sample, Error> {
    Inside::direct(model, theta, domain)?.sample(count, rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, Cuboid};
    use crate::model::Gaussian;

    #[test]
    fn too_low_an_acceptance_is_an_error() {
        let model = Gaussian::with_variance(1, 1.0).unwrap();
        let far = Cuboid::interval(50.0, 51.0).unwrap();
        let error = truncated(&model, &[0.0], &far, 10, &mut stream(0, 0)).unwrap_err();
        assert!(error.to_string().contains("0 of 100000 draws"), "{error}");
    }

    #[test]
    fn the_sample_has_the_truncated_moments() {
        // The standard normal on [0, inf) has mean sqrt(2/pi) and second moment 1.
        let model = Gaussian::with_variance(1, 1.0).unwrap();
        let half = Cuboid::interval(0.0, f64::INFINITY).unwrap();
        let sample = truncated(&model, &[0.0], &half, 40_000, &mut stream(2, 0)).unwrap();
        let mean = sample.points.mean()[0];
        let second = sample.points.rows().map(|x| x[0] * x[0]).sum::<f64>() / 40_000.0;
        assert!((mean - (2.0 / std::f64::consts::PI).sqrt()).abs() < 4.0 * 0.6 / 200.0);
        assert!((second - 1.0).abs() < 4.0 * 2f64.sqrt() / 200.0);
        assert!((sample.acceptance() - 0.5).abs() < 0.01);
    }

    #[test]
    fn a_covariance_shows_in_the_sample() {
        let model = Gaussian::full(2);
        let theta = model.fitted_from(&[1.0, -1.0, 2.0, 0.6, 0.5]).unwrap();
        let everywhere = Ball::new(1e6).unwrap().in_dimension(2);
        let sample = truncated(&model, &theta, &everywhere, 50_000, &mut stream(9, 0)).unwrap();
        let mean = sample.points.mean();
        let product = |x: &[f64]| (x[0] - mean[0]) * (x[1] - mean[1]);
        let covariance = sample.points.rows().map(product).sum::<f64>() / 50_000.0;
        assert!((covariance - 0.6).abs() < 0.03, "{covariance}");
    }
}

//! Simulation: seeded random streams and samples of truncated models.

mod inside;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

pub use inside::{Inside, PILOTS};

use crate::domain::{Domain, check_count};
use crate::error::{DomainError, Error, ModelError};
use crate::interrupt::Interrupt;
use crate::model::{self, Model};
use crate::points::Points;

/// The random stream of a task: the same seed and task give the same numbers, on any machine and thread.
///
/// ```
/// use rand::RngExt;
/// use steinbound::simulate::stream;
/// let draw = |seed, task| stream(seed, task).random::<f64>();
/// assert_eq!(draw(1, 2), draw(1, 2));
/// assert_ne!(draw(1, 2), draw(1, 3));
/// ```
pub fn stream(seed: u64, task: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(task);
    rng
}

/// The tasks that draw from a seed, each with a stream of its own.
pub mod tasks {
    /// Simulated data.
    pub const DATA: u64 = 0;
    /// Boundary points sampled from a domain.
    pub const BOUNDARY: u64 = 1;
    /// The subsample and the bracket of the median bandwidth.
    pub const BANDWIDTH: u64 = 2;
    /// The places at which the coverage of a boundary is measured.
    pub const COVERAGE: u64 = 3;
    /// Starts of a search.
    pub const STARTS: u64 = 4;
    /// Nodes of quasi-Monte Carlo integration.
    pub const NODES: u64 = 5;
    /// The pool of candidates for landmarks.
    pub const LANDMARKS: u64 = 6;
    /// How best to draw from a fitted model.
    pub const PILOT: u64 = 7;
    /// Draws of a fitted model, to see how many fall outside the domain.
    pub const MASS: u64 = 8;
    /// Draws that are asked of a fitted density: others than those of data simulated with the same seed.
    pub const SAMPLE: u64 = 9;
    /// The first of as many streams as there are draws of a bootstrap.
    pub const BOOTSTRAP: u64 = 1 << 32;
}

/// A truncated sample and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The points inside the domain.
    pub points: Points<'static>,
    /// How many draws it took.
    pub drawn: usize,
}

impl Sample {
    /// The share of draws that fell inside.
    pub fn acceptance(&self) -> f64 {
        self.points.len() as f64 / self.drawn as f64
    }
}

/// Draws from a model until `count` points lie inside the domain.
///
/// # Definition
///
/// Rejection sampling: the points are independent draws of the truncated density.
///
/// # Requirements
///
/// The model can be sampled (a Gaussian with a proper covariance can), and puts enough mass inside the domain:
/// below one in 100,000 draws, the attempt ends with an error instead of running for ever.
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
    truncated_until(model, theta, domain, count, rng, &Interrupt::new())
}

/// [`truncated`], with an error once the interrupt is raised.
pub fn truncated_until(
    model: &dyn Model,
    theta: &[f64],
    domain: &dyn Domain,
    count: usize,
    rng: &mut ChaCha8Rng,
    interrupt: &Interrupt,
) -> Result<Sample, Error> {
    let dimension = model.dimension();
    if domain.dimension() != dimension {
        return Err(ModelError::WrongDimension { model: dimension, data: domain.dimension() }.into());
    }
    model::check_theta(model, theta)?;
    let sampler = model.sampling().and_then(|sampling| sampling.sampler(theta)).ok_or_else(|| {
        ModelError::Unsupported {
            model: model.name().to_string(),
            action: "sampled at these parameters",
            remedy: "give parameters of a proper density, such as a positive definite covariance",
        }
    })?;
    rejection(count, dimension, PATIENCE, Some(domain), interrupt, |point| {
        sampler(rng, point);
        domain.contains(point)
    })
}

/// Draws per accepted point after which rejection sampling gives up.
const PATIENCE: usize = 100_000;

/// Proposes points until enough are accepted; ends with an error where fewer than one in `patience` is.
fn rejection(
    count: usize,
    dimension: usize,
    patience: usize,
    domain: Option<&dyn Domain>,
    interrupt: &Interrupt,
    mut propose: impl FnMut(&mut [f64]) -> bool,
) -> Result<Sample, Error> {
    check_count(count, dimension)?;
    let mut values = Vec::with_capacity(count * dimension);
    let mut point = vec![0.0; dimension];
    let (mut accepted, mut drawn) = (0, 0);
    while accepted < count {
        interrupt.check()?;
        drawn += 1;
        if propose(&mut point) {
            values.extend_from_slice(&point);
            accepted += 1;
        }
        if drawn >= patience && drawn / patience > accepted {
            let domain = domain.map_or_else(|| "whole space".into(), Domain::describe);
            return Err(DomainError::Hopeless { domain, accepted, drawn }.into());
        }
    }
    Ok(Sample { points: Points::new(values, dimension)?, drawn })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, Cuboid};
    use crate::model::Gaussian;

    #[test]
    fn hopeless_acceptance_is_an_error() {
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

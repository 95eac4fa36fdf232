//! The exponential density.

use rand_distr::{Distribution, Exp};

use super::independent::{Column, Coordinate, CoordinateSampler, Jet, NamedParameter, Range};
use super::support::Support;

/// `log p = -rate x` for `x >= 0`. Inside a bounded region the rate may be negative.
#[derive(Debug, Clone, Copy)]
pub struct Exponential;

impl Coordinate for Exponential {
    fn name(&self) -> &'static str {
        "exponential"
    }

    fn meaning(&self) -> &'static str {
        "waiting times at a constant rate"
    }

    fn parameters(&self) -> &'static [NamedParameter] {
        const ALL: &[NamedParameter] =
            &[NamedParameter::new("rate", Range::Any, "events per unit; 1/mean if not truncated")];
        ALL
    }

    fn support(&self, _known: &[Option<f64>]) -> Support {
        Support::Interval { low: 0.0, high: f64::INFINITY, has_limits: true }
    }

    fn at(&self, x: f64, parameters: &[f64]) -> Jet {
        let rate = parameters[0];
        Jet {
            log: -rate * x,
            score: -rate,
            slope: 0.0,
            log_in: [-x, 0.0, 0.0],
            score_in: [-1.0, 0.0, 0.0],
            slope_in: [0.0; 3],
        }
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn log_normaliser(&self, parameters: &[f64]) -> Option<f64> {
        (parameters[0] > 0.0).then(|| -parameters[0].ln())
    }

    fn starts(&self, sample: &Column) -> Vec<Vec<f64>> {
        vec![vec![1.0 / sample.mean(|x| x)]]
    }

    fn sampler(&self, parameters: &[f64]) -> Option<CoordinateSampler> {
        let rate = parameters[0];
        let distribution = Exp::new(rate).ok().filter(|_| rate > 0.0)?;
        Some(Box::new(move |rng| distribution.sample(rng)))
    }
}

//! The gamma density.

use rand_distr::{Distribution, Gamma as Draws};
use statrs::function::gamma::ln_gamma;

use super::independent::{Column, Coordinate, CoordinateSampler, Jet, NamedParameter, PowerEdge, Range};
use super::support::Support;

/// `log p = (shape - 1) log x - rate x` for `x > 0`.
#[derive(Debug, Clone, Copy)]
pub struct Gamma;

impl Coordinate for Gamma {
    fn name(&self) -> &'static str {
        "gamma"
    }

    fn meaning(&self) -> &'static str {
        "positive amounts, from steep (shape below 1) to bell-shaped"
    }

    fn parameters(&self) -> &'static [NamedParameter] {
        const ALL: &[NamedParameter] = &[
            NamedParameter::new("shape", Range::Positive, "the power at zero, plus one"),
            NamedParameter::new("rate", Range::Positive, "the decay at large values; mean = shape/rate"),
        ];
        ALL
    }

    fn support(&self, _known: &[Option<f64>]) -> Support {
        Support::POSITIVE
    }

    fn at(&self, x: f64, parameters: &[f64]) -> Jet {
        let (power, rate) = (parameters[0] - 1.0, parameters[1]);
        Jet {
            log: power * x.ln() - rate * x,
            score: power / x - rate,
            slope: -power / (x * x),
            log_in: [x.ln(), -x, 0.0],
            score_in: [1.0 / x, -1.0, 0.0],
            slope_in: [-1.0 / (x * x), 0.0, 0.0],
        }
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn log_normaliser(&self, parameters: &[f64]) -> Option<f64> {
        let (shape, rate) = (parameters[0], parameters[1]);
        (shape > 0.0 && rate > 0.0).then(|| ln_gamma(shape) - shape * rate.ln())
    }

    fn edges(&self, parameters: &[f64]) -> Vec<PowerEdge> {
        vec![PowerEdge { place: 0.0, exponent: parameters[0], parameter: 0 }]
    }

    fn starts(&self, sample: &Column) -> Vec<Vec<f64>> {
        let (mean, variance) = sample.moments(|x| x);
        vec![vec![mean * mean / variance, mean / variance]]
    }

    fn sampler(&self, parameters: &[f64]) -> Option<CoordinateSampler> {
        let distribution = Draws::new(parameters[0], 1.0 / parameters[1]).ok()?;
        Some(Box::new(move |rng| distribution.sample(rng)))
    }
}

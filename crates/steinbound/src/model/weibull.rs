//! The Weibull density.

use rand_distr::{Distribution, Weibull as Draws};

use super::independent::{Column, Coordinate, CoordinateSampler, Jet, NamedParameter, PowerEdge, Range};
use super::support::Support;

/// `log p = log shape - shape log scale + (shape - 1) log x - (x / scale)^shape` for `x > 0`.
#[derive(Debug, Clone, Copy)]
pub struct Weibull;

impl Coordinate for Weibull {
    fn name(&self) -> &'static str {
        "weibull"
    }

    fn meaning(&self) -> &'static str {
        "lifetimes and wind speeds"
    }

    fn parameters(&self) -> &'static [NamedParameter] {
        const ALL: &[NamedParameter] = &[
            NamedParameter::new("shape", Range::Scale, "above 1 the risk grows with age, below it falls"),
            NamedParameter::new("scale", Range::Scale, "the value below which 63 % lie if not truncated"),
        ];
        ALL
    }

    fn support(&self, _known: &[Option<f64>]) -> Support {
        Support::POSITIVE
    }

    fn at(&self, x: f64, parameters: &[f64]) -> Jet {
        let (k, scale) = (parameters[0], parameters[1]);
        let log = (x / scale).ln();
        let z = (k * log).exp();
        Jet {
            log: k.ln() - scale.ln() + (k - 1.0) * log - z,
            score: ((k - 1.0) - k * z) / x,
            slope: -((k - 1.0) + k * (k - 1.0) * z) / (x * x),
            log_in: [1.0 / k + log - z * log, (k * z - k) / scale, 0.0],
            score_in: [(1.0 - z - k * z * log) / x, k * k * z / (scale * x), 0.0],
            slope_in: [
                -(1.0 + (2.0 * k - 1.0) * z + k * (k - 1.0) * z * log) / (x * x),
                k * k * (k - 1.0) * z / (scale * x * x),
                0.0,
            ],
        }
    }

    fn log_normaliser(&self, _parameters: &[f64]) -> Option<f64> {
        Some(0.0)
    }

    fn edges(&self, parameters: &[f64]) -> Vec<PowerEdge> {
        vec![PowerEdge { place: 0.0, exponent: parameters[0], parameter: 0 }]
    }

    /// By the moments of the logarithm, whose variance is `pi^2 / (6 shape^2)`; truncation makes it smaller.
    fn starts(&self, sample: &Column) -> Vec<Vec<f64>> {
        let (mean, variance) = sample.moments(f64::ln);
        let shape = (std::f64::consts::PI.powi(2) / (6.0 * variance)).sqrt();
        let start = |share: f64| {
            let shape = share * shape;
            vec![shape, (mean + 0.5772 / shape).exp()]
        };
        [1.0, 0.6, 0.3].map(start).to_vec()
    }

    fn sampler(&self, parameters: &[f64]) -> Option<CoordinateSampler> {
        let distribution = Draws::new(parameters[1], parameters[0]).ok()?;
        Some(Box::new(move |rng| distribution.sample(rng)))
    }
}

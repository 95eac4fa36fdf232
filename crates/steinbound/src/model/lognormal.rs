//! The lognormal density.

use rand_distr::{Distribution, LogNormal as Draws};

use super::independent::{Column, Coordinate, CoordinateSampler, Jet, NamedParameter, Range};
use super::support::Support;

/// `log p = -log x - ((log x - location) / scale)^2 / 2 - log scale` for `x > 0`.
#[derive(Debug, Clone, Copy)]
pub struct LogNormal;

impl Coordinate for LogNormal {
    fn name(&self) -> &'static str {
        "lognormal"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["log-normal"]
    }

    fn meaning(&self) -> &'static str {
        "positive amounts whose logarithm is normal"
    }

    fn parameters(&self) -> &'static [NamedParameter] {
        const ALL: &[NamedParameter] = &[
            NamedParameter::new("location", Range::Any, "the mean of the logarithm if not truncated"),
            NamedParameter::new("scale", Range::Scale, "the standard deviation of the logarithm"),
        ];
        ALL
    }

    fn support(&self, _known: &[Option<f64>]) -> Support {
        Support::POSITIVE
    }

    fn at(&self, x: f64, parameters: &[f64]) -> Jet {
        let (location, scale) = (parameters[0], parameters[1]);
        let z = (x.ln() - location) / scale;
        let (square, bend) = (scale * scale, z / scale);
        Jet {
            log: -x.ln() - 0.5 * z * z - scale.ln(),
            score: -(1.0 + bend) / x,
            slope: (1.0 + bend - 1.0 / square) / (x * x),
            log_in: [bend, (z * z - 1.0) / scale, 0.0],
            score_in: [1.0 / (square * x), 2.0 * bend / (scale * x), 0.0],
            slope_in: [-1.0 / (square * x * x), (2.0 / square - 2.0 * bend) / (scale * x * x), 0.0],
        }
    }

    fn log_normaliser(&self, _parameters: &[f64]) -> Option<f64> {
        Some(0.5 * (2.0 * std::f64::consts::PI).ln())
    }

    fn starts(&self, sample: &Column) -> Vec<Vec<f64>> {
        let (mean, variance) = sample.moments(f64::ln);
        [1.0, 1.5, 2.5].map(|times| vec![mean, times * variance.sqrt()]).to_vec()
    }

    fn sampler(&self, parameters: &[f64]) -> Option<CoordinateSampler> {
        let distribution = Draws::new(parameters[0], parameters[1]).ok()?;
        Some(Box::new(move |rng| distribution.sample(rng)))
    }
}

//! The power law, or Pareto density.

use rand::RngExt;

use super::independent::{Column, Coordinate, CoordinateSampler, Jet, NamedParameter, PowerEdge, Range};
use super::support::Support;

/// `log p = -exponent log x` above a minimum, which is known or the region's.
#[derive(Debug, Clone, Copy)]
pub struct Pareto;

impl Coordinate for Pareto {
    fn name(&self) -> &'static str {
        "pareto"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["power-law"]
    }

    fn meaning(&self) -> &'static str {
        "a power law, x to the power of minus the exponent, above a minimum"
    }

    fn parameters(&self) -> &'static [NamedParameter] {
        const ALL: &[NamedParameter] = &[
            NamedParameter::new(
                "exponent",
                Range::Any,
                "the power of the density, 1 + the index of the tail",
            ),
            NamedParameter::new(
                "minimum",
                Range::Given,
                "where the power law begins, if not at the region's edge",
            ),
        ];
        ALL
    }

    fn support(&self, known: &[Option<f64>]) -> Support {
        match known.get(1).copied().flatten() {
            Some(low) => Support::Interval { low, high: f64::INFINITY, has_limits: true },
            None => Support::POSITIVE,
        }
    }

    fn at(&self, x: f64, parameters: &[f64]) -> Jet {
        let exponent = parameters[0];
        Jet {
            log: -exponent * x.ln(),
            score: -exponent / x,
            slope: exponent / (x * x),
            log_in: [-x.ln(), 0.0, 0.0],
            score_in: [-1.0 / x, 0.0, 0.0],
            slope_in: [1.0 / (x * x), 0.0, 0.0],
        }
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn log_normaliser(&self, parameters: &[f64]) -> Option<f64> {
        let (exponent, minimum) = (parameters[0], parameters[1]);
        (exponent > 1.0 && minimum > 0.0).then(|| (1.0 - exponent) * minimum.ln() - (exponent - 1.0).ln())
    }

    /// A power law without a minimum goes on to zero, where a region may let it.
    fn edges(&self, parameters: &[f64]) -> Vec<PowerEdge> {
        let edge = PowerEdge { place: 0.0, exponent: 1.0 - parameters[0], parameter: 0 };
        if parameters[1] > 0.0 { Vec::new() } else { vec![edge] }
    }

    fn starts(&self, sample: &Column) -> Vec<Vec<f64>> {
        let excess = sample.mean(f64::ln) - sample.quantile(0.0).ln();
        vec![vec![1.0 + 1.0 / excess.max(1e-3), 0.0], vec![3.0, 0.0]]
    }

    fn sampler(&self, parameters: &[f64]) -> Option<CoordinateSampler> {
        let (exponent, minimum) = (parameters[0], parameters[1]);
        (exponent > 1.0 && minimum > 0.0 && minimum.is_finite()).then(|| {
            let power = -1.0 / (exponent - 1.0);
            Box::new(move |rng: &mut rand::rngs::ChaCha8Rng| {
                minimum * (1.0 - rng.random::<f64>()).powf(power)
            }) as CoordinateSampler
        })
    }

    /// Without a minimum of its own the power law begins where the region does.
    fn sampler_for(&self, parameters: &[f64], (low, _): (f64, f64)) -> Option<CoordinateSampler> {
        match parameters[1] > 0.0 {
            true => self.sampler(parameters),
            false => self.sampler(&[parameters[0], low]),
        }
    }
}

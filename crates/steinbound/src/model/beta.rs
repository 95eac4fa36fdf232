//! The beta density.

use rand_distr::{Beta as Draws, Distribution};
use statrs::function::gamma::ln_gamma;

use super::independent::{Column, Coordinate, CoordinateSampler, Jet, NamedParameter, PowerEdge, Range};
use super::support::Support;

/// `log p = (alpha - 1) log x + (beta - 1) log(1 - x)` for `0 < x < 1`.
#[derive(Debug, Clone, Copy)]
pub struct Beta;

impl Coordinate for Beta {
    fn name(&self) -> &'static str {
        "beta"
    }

    fn meaning(&self) -> &'static str {
        "shares between 0 and 1"
    }

    fn parameters(&self) -> &'static [NamedParameter] {
        const ALL: &[NamedParameter] = &[
            NamedParameter::new("alpha", Range::Positive, "the power at 0, plus one"),
            NamedParameter::new("beta", Range::Positive, "the power at 1, plus one"),
        ];
        ALL
    }

    fn support(&self, _known: &[Option<f64>]) -> Support {
        Support::Interval { low: 0.0, high: 1.0, has_limits: false }
    }

    fn at(&self, x: f64, parameters: &[f64]) -> Jet {
        let (a, b, y) = (parameters[0] - 1.0, parameters[1] - 1.0, 1.0 - x);
        Jet {
            log: a * x.ln() + b * (-x).ln_1p(),
            score: a / x - b / y,
            slope: -a / (x * x) - b / (y * y),
            log_in: [x.ln(), (-x).ln_1p(), 0.0],
            score_in: [1.0 / x, -1.0 / y, 0.0],
            slope_in: [-1.0 / (x * x), -1.0 / (y * y), 0.0],
        }
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn log_normaliser(&self, parameters: &[f64]) -> Option<f64> {
        let (a, b) = (parameters[0], parameters[1]);
        (a > 0.0 && b > 0.0).then(|| ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b))
    }

    fn edges(&self, parameters: &[f64]) -> Vec<PowerEdge> {
        let edge = |(parameter, place)| PowerEdge { place, exponent: parameters[parameter], parameter };
        [(0, 0.0), (1, 1.0)].map(edge).to_vec()
    }

    fn starts(&self, sample: &Column) -> Vec<Vec<f64>> {
        let (mean, variance) = sample.moments(|x| x);
        let sum = (mean * (1.0 - mean) / variance - 1.0).max(0.1);
        vec![vec![mean * sum, (1.0 - mean) * sum], vec![1.0, 1.0]]
    }

    fn sampler(&self, parameters: &[f64]) -> Option<CoordinateSampler> {
        let distribution = Draws::new(parameters[0], parameters[1]).ok()?;
        Some(Box::new(move |rng| distribution.sample(rng)))
    }
}

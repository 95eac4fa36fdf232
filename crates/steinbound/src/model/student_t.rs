//! Student's t density with location and scale.

use rand_distr::{Distribution, StudentT as Draws};
use statrs::function::gamma::ln_gamma;

use super::independent::{Column, Coordinate, CoordinateSampler, Jet, NamedParameter, Range};
use super::support::Support;

/// `log p = -log scale - (degrees + 1) / 2 log(1 + u^2 / degrees)` with `u = (x - location) / scale`.
#[derive(Debug, Clone, Copy)]
pub struct StudentT;

impl Coordinate for StudentT {
    fn name(&self) -> &'static str {
        "student-t"
    }

    fn meaning(&self) -> &'static str {
        "bell-shaped with heavy tails"
    }

    fn parameters(&self) -> &'static [NamedParameter] {
        const ALL: &[NamedParameter] = &[
            NamedParameter::new("location", Range::Any, "the centre"),
            NamedParameter::new("scale", Range::Scale, "the spread"),
            NamedParameter::new(
                "degrees",
                Range::Scale,
                "degrees of freedom; smaller ones have heavier tails",
            ),
        ];
        ALL
    }

    fn support(&self, _known: &[Option<f64>]) -> Support {
        Support::Line
    }

    fn at(&self, x: f64, parameters: &[f64]) -> Jet {
        let (location, s, nu) = (parameters[0], parameters[1], parameters[2]);
        let (u, more) = ((x - location) / s, nu + 1.0);
        let square = u * u;
        let q = nu + square;
        // `a = u / q` with its derivatives in `u`.
        let (a, a1, a2) = (u / q, (nu - square) / (q * q), 2.0 * u * (square - 3.0 * nu) / (q * q * q));
        let log = (square / nu).ln_1p();
        Jet {
            log: -s.ln() - 0.5 * more * log,
            score: -more * a / s,
            slope: -more * a1 / (s * s),
            log_in: [more * a / s, (more * a * u - 1.0) / s, -0.5 * log + 0.5 * more * square / (nu * q)],
            score_in: [more * a1 / (s * s), more * (a + a1 * u) / (s * s), (-a + more * u / (q * q)) / s],
            slope_in: [
                more * a2 / s.powi(3),
                more * (2.0 * a1 + a2 * u) / s.powi(3),
                (-a1 - more * (3.0 * square - nu) / (q * q * q)) / (s * s),
            ],
        }
    }

    fn log_normaliser(&self, parameters: &[f64]) -> Option<f64> {
        let nu = parameters[2];
        Some(ln_gamma(0.5 * nu) - ln_gamma(0.5 * (nu + 1.0)) + 0.5 * (nu * std::f64::consts::PI).ln())
    }

    fn starts(&self, sample: &Column) -> Vec<Vec<f64>> {
        let middle = sample.quantile(0.5);
        let spread = (sample.quantile(0.75) - sample.quantile(0.25)) / 1.4;
        let spread = spread.max(1e-3 * sample.moments(|x| x).1.sqrt());
        [(1.0, 5.0), (0.8, 2.0), (1.5, 5.0), (1.1, 20.0)]
            .map(|(share, degrees)| vec![middle, share * spread, degrees])
            .to_vec()
    }

    fn sampler(&self, parameters: &[f64]) -> Option<CoordinateSampler> {
        let (location, scale) = (parameters[0], parameters[1]);
        let distribution = Draws::new(parameters[2]).ok()?;
        Some(Box::new(move |rng| location + scale * distribution.sample(rng)))
    }
}

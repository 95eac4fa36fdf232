//! The von Mises density of directions.

use std::f64::consts::PI;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::independent::{Column, Coordinate, CoordinateSampler, Jet, NamedParameter, Range};
use super::support::Support;

/// `log p = concentration cos(x - direction)` on a circle; `x` is an angle in radians.
#[derive(Debug, Clone, Copy)]
pub struct VonMises;

impl Coordinate for VonMises {
    fn name(&self) -> &'static str {
        "von-mises"
    }

    fn meaning(&self) -> &'static str {
        "directions, as angles in radians; a region is an arc, such as interval(0, 1.5)"
    }

    fn parameters(&self) -> &'static [NamedParameter] {
        const ALL: &[NamedParameter] = &[
            NamedParameter::new("direction", Range::Any, "the angle of the peak"),
            NamedParameter::new("concentration", Range::Scale, "0 is uniform; large ones are 1/variance"),
        ];
        ALL
    }

    fn support(&self, _known: &[Option<f64>]) -> Support {
        Support::Circle
    }

    fn at(&self, x: f64, parameters: &[f64]) -> Jet {
        let (sine, cosine) = (x - parameters[0]).sin_cos();
        let k = parameters[1];
        Jet {
            log: k * cosine,
            score: -k * sine,
            slope: -k * cosine,
            log_in: [k * sine, cosine, 0.0],
            score_in: [k * cosine, -sine, 0.0],
            slope_in: [-k * sine, -cosine, 0.0],
        }
    }

    fn log_normaliser(&self, parameters: &[f64]) -> Option<f64> {
        Some((2.0 * PI).ln() + log_bessel(parameters[1]))
    }

    /// The mean direction, and the concentration by the mean length (Fisher, *Statistical Analysis of Circular
    /// Data*, 1993); an arc hides how long it is.
    fn starts(&self, sample: &Column) -> Vec<Vec<f64>> {
        let (sine, cosine) = (sample.mean(f64::sin), sample.mean(f64::cos));
        let (length, direction) = (sine.hypot(cosine).min(0.999), sine.atan2(cosine));
        let concentration = (length * (2.0 - length * length) / (1.0 - length * length)).max(0.05);
        // Angles are counted from where the data are.
        let turns = ((sample.mean(|x| x) - direction) / (2.0 * PI)).round();
        let direction = direction + 2.0 * PI * turns;
        [1.0, 0.3, 0.1].map(|share| vec![direction, share * concentration]).to_vec()
    }

    fn sampler(&self, parameters: &[f64]) -> Option<CoordinateSampler> {
        let (direction, concentration) = (parameters[0], parameters[1]);
        // The turn that starts at -pi or, if the peak is not on it, at 0.
        let turn =
            if (-PI..=PI).contains(&direction) { -PI } else { direction - direction.rem_euclid(2.0 * PI) };
        Some(on_turn(turn, direction, concentration))
    }

    /// An arc may leave the turn on which the peak is: angles are those of the turn that begins with the arc.
    fn sampler_for(&self, parameters: &[f64], (low, high): (f64, f64)) -> Option<CoordinateSampler> {
        match (low.is_finite(), high.is_finite()) {
            (true, _) => Some(on_turn(low, parameters[0], parameters[1])),
            (false, true) => Some(on_turn(high - 2.0 * PI, parameters[0], parameters[1])),
            (false, false) => self.sampler(parameters),
        }
    }
}

/// Draws as angles of the turn that begins at `turn`.
fn on_turn(turn: f64, direction: f64, concentration: f64) -> CoordinateSampler {
    Box::new(move |rng| {
        let angle = direction + draw(concentration, rng);
        turn + (angle - turn).rem_euclid(2.0 * PI)
    })
}

/// `log I_0(k)`: the series up to 12, beyond it the expansion in `1 / k`.
fn log_bessel(k: f64) -> f64 {
    if k < 12.0 {
        let quarter = 0.25 * k * k;
        let (mut term, mut sum) = (1.0, 1.0);
        for m in 1..80 {
            term *= quarter / f64::from(m * m);
            sum += term;
        }
        return f64::ln(sum);
    }
    let (mut term, mut sum) = (1.0, 1.0);
    for m in 1..20 {
        let next = term * f64::from((2 * m - 1) * (2 * m - 1)) / (f64::from(8 * m) * k);
        if next > term {
            break;
        }
        term = next;
        sum += term;
    }
    k - 0.5 * (2.0 * PI * k).ln() + sum.ln()
}

/// A draw about zero by a wrapped Cauchy envelope (Best and Fisher, *Efficient Simulation of the von Mises
/// Distribution*, 1979), or by a uniform one where the density is nearly flat.
fn draw(k: f64, rng: &mut ChaCha8Rng) -> f64 {
    if k < 1e-3 {
        loop {
            let angle = PI * (2.0 * rng.random::<f64>() - 1.0);
            if rng.random::<f64>() < (k * (angle.cos() - 1.0)).exp() {
                return angle;
            }
        }
    }
    let tau = 1.0 + (1.0 + 4.0 * k * k).sqrt();
    // Without cancellation for small and large concentrations: (tau - sqrt(2 tau)) / (2 k).
    let rho = tau * (1.0 - (2.0 / tau).sqrt()) / (2.0 * k);
    let r = (1.0 + rho * rho) / (2.0 * rho);
    loop {
        let z = (PI * rng.random::<f64>()).cos();
        let f = (1.0 + r * z) / (r + z);
        let c = k * (r - f);
        let u = 1.0 - rng.random::<f64>();
        if c * (2.0 - c) > u || (c / u).ln() + 1.0 >= c {
            let angle = f.clamp(-1.0, 1.0).acos();
            return if rng.random::<bool>() { angle } else { -angle };
        }
    }
}

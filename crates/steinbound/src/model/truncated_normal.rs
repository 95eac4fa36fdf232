//! The normal distribution between two limits: its normaliser and moments, without loss of digits in the
//! tails.

use std::sync::OnceLock;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};

use crate::compute::gauss_legendre::gauss_legendre;

/// `log P(Z > z)` for a standard normal `Z`.
fn log_upper_tail(z: f64) -> f64 {
    if z == f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    if z < -SERIES {
        return (-log_upper_tail(-z).exp()).ln_1p();
    }
    if z <= SERIES {
        // 1/2 - phi(z) (z + z^3 / 3 + z^5 / (3 5) + ..).
        let (mut term, mut sum, mut odd) = (z, z, 3.0);
        while (term / sum).abs() > 1e-17 {
            term *= z * z / odd;
            sum += term;
            odd += 2.0;
        }
        return (0.5 - log_density(z).exp() * sum).ln();
    }
    // Laplace's continued fraction of the Mills ratio, evaluated from its far end.
    let fraction = (1..=200).rev().fold(z, |below, k| z + f64::from(k) / below);
    log_density(z) - fraction.ln()
}

/// Up to this limit the series has all its digits, beyond it the continued fraction.
const SERIES: f64 = 3.0;

/// The log-density of the standard normal.
pub(super) fn log_density(z: f64) -> f64 {
    -0.5 * z * z - 0.5 * (2.0 * std::f64::consts::PI).ln()
}

/// `log P(low < Z < high)`, `low <= high`.
pub(crate) fn log_probability(low: f64, high: f64) -> f64 {
    if low > 0.0 {
        let (near, far) = (log_upper_tail(low), log_upper_tail(high));
        return near + (-(far - near).exp()).ln_1p();
    }
    if high < 0.0 {
        return log_probability(-high, -low);
    }
    (-(log_upper_tail(-low).exp() + log_upper_tail(high).exp())).ln_1p()
}

/// The integral of `exp(eta y - precision y^2 / 2)` between two limits, and the moments of `y` under that
/// density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TruncatedNormal {
    pub(crate) log_normaliser: f64,
    /// `E y`.
    pub(crate) mean: f64,
    /// `E y^2`.
    pub(crate) square: f64,
    /// `Var y`.
    pub(crate) variance: f64,
    /// `Cov(y, y^2)`.
    pub(crate) mean_square: f64,
    /// `Var y^2`.
    pub(crate) square_square: f64,
}

/// Moments of a standard normal `z` between two limits, measured from an origin: `z = origin + u`.
struct Centred {
    origin: f64,
    /// The logarithm of the integral of `exp((origin^2 - z^2) / 2)`.
    log_integral: f64,
    /// `E u`, `E u^2`, `E u^3`, `E u^4`.
    moments: [f64; 4],
}

impl Centred {
    /// For limits of which the upper is not negative.
    fn new(low: f64, high: f64) -> Centred {
        // In a tail, or between close limits, differences of values at the limits would cancel.
        if low > TAIL || high - low < NARROW {
            Centred::by_quadrature(low, high)
        } else {
            Centred::by_edges(low, high)
        }
    }

    /// From the densities at the limits over the mass between them, `A = phi(a) / P` and `B = phi(b) / P`:
    /// `E z = A - B`, and `E z^(k+1) = k E z^(k-1) + a^k A - b^k B`.
    fn by_edges(low: f64, high: f64) -> Centred {
        let log_mass = log_probability(low, high);
        let edge = |z: f64| if z.is_finite() { (log_density(z) - log_mass).exp() } else { 0.0 };
        let power = |z: f64, k: i32, edge: f64| if edge == 0.0 { 0.0 } else { z.powi(k) * edge };
        let (at_low, at_high) = (edge(low), edge(high));
        let rise = |k: i32| power(low, k, at_low) - power(high, k, at_high);
        let first = rise(0);
        let second = 1.0 + rise(1);
        let moments = [first, second, 2.0 * first + rise(2), 3.0 * second + rise(3)];
        Centred { origin: 0.0, log_integral: log_mass + 0.5 * (2.0 * std::f64::consts::PI).ln(), moments }
    }

    /// By Gauss-Legendre quadrature, from the lower limit over the range that has mass.
    fn by_quadrature(low: f64, high: f64) -> Centred {
        static RULE: OnceLock<Vec<(f64, f64)>> = OnceLock::new();
        let rule = RULE.get_or_init(|| gauss_legendre(16));
        // Beyond it the density is below e^-45 of its value at the limit: low u + u^2 / 2 = 45.
        let reach = 90.0 / (low + (low * low + 90.0).sqrt());
        let panel = (high - low).min(reach) / f64::from(PANELS);
        let mut sums = [0.0; 5];
        for k in 0..PANELS {
            for (t, weight) in rule {
                let u = panel * (f64::from(k) + 0.5 * (1.0 + t));
                let mut mass = 0.5 * panel * weight * (-u * (low + 0.5 * u)).exp();
                for sum in &mut sums {
                    *sum += mass;
                    mass *= u;
                }
            }
        }
        let moments = [1, 2, 3, 4].map(|k| sums[k] / sums[0]);
        Centred { origin: low, log_integral: sums[0].ln(), moments }
    }
}

/// Lower limits beyond this are in a tail; limits closer than `NARROW` are narrow, in standard deviations.
const TAIL: f64 = 1.5;
const NARROW: f64 = 1.0;
const PANELS: u32 = 6;

impl TruncatedNormal {
    /// `None` unless the precision is positive and the limits are in order.
    ///
    /// With `y = mu + s z` and `z = origin + u`, `y` is `c + s u`, and its moments are those of `u`.
    pub(crate) fn new(eta: f64, precision: f64, (low, high): (f64, f64)) -> Option<TruncatedNormal> {
        let is_sound = precision > 0.0 && precision.is_finite() && eta.is_finite() && low < high;
        if !is_sound {
            return None;
        }
        let (mu, s) = (eta / precision, 1.0 / precision.sqrt());
        let (a, b) = ((low - mu) / s, (high - mu) / s);
        // For limits below the mean, the mirror image.
        let (Centred { origin, log_integral, moments: [m1, m2, m3, m4] }, s) =
            if b < 0.0 { (Centred::new(-b, -a), -s) } else { (Centred::new(a, b), s) };
        let c = mu + s * origin;
        let variance = m2 - m1 * m1;
        let skew = m3 - m1 * m2;
        Some(TruncatedNormal {
            log_normaliser: 0.5 * eta * mu - 0.5 * origin * origin + s.abs().ln() + log_integral,
            mean: c + s * m1,
            square: c * c + 2.0 * c * s * m1 + s * s * m2,
            variance: s * s * variance,
            mean_square: 2.0 * c * s * s * variance + s.powi(3) * skew,
            square_square: 4.0 * c * c * s * s * variance
                + 4.0 * c * s.powi(3) * skew
                + s.powi(4) * (m4 - m2 * m2),
        })
    }
}

/// A draw of the density `exp(eta y - precision y^2 / 2)` between two limits; `None` unless the precision is
/// positive and the limits are in order.
pub(super) fn draw(eta: f64, precision: f64, (low, high): (f64, f64), rng: &mut ChaCha8Rng) -> Option<f64> {
    let is_sound = precision > 0.0 && precision.is_finite() && eta.is_finite() && low < high;
    if !is_sound {
        return None;
    }
    let (mu, s) = (eta / precision, 1.0 / precision.sqrt());
    let (a, b) = ((low - mu) / s, (high - mu) / s);
    // So far out in a tail that squares overflow, no draw is possible.
    if a.is_nan() || b.is_nan() || a > FARTHEST || b < -FARTHEST || !mu.is_finite() {
        return None;
    }
    let z = if b < 0.0 { -draw_standard(-b, -a, rng) } else { draw_standard(a, b, rng) };
    // Rounding can exceed a limit.
    Some((mu + s * z).clamp(low, high))
}

/// The number of standard deviations beyond which no draw is attempted.
const FARTHEST: f64 = 1e100;

/// A draw of a standard normal between limits of which the upper is not negative.
///
/// By rejection, from the closest proposal: the normal itself, a uniform between close limits, or in a tail
/// an exponential of the best rate (Robert, *Simulation of truncated normal variables*, 1995).
fn draw_standard(low: f64, high: f64, rng: &mut ChaCha8Rng) -> f64 {
    let rate = 0.5 * (low + (low * low + 4.0).sqrt());
    let nearest = low.max(0.0);
    loop {
        let (z, log_ratio) = if low < TAIL && high - low > NARROW {
            let z: f64 = StandardNormal.sample(rng);
            (z, 0.0)
        } else if low < TAIL || high - low < 1.0 / rate {
            let z = low + (high - low) * rng.random::<f64>();
            (z, 0.5 * (nearest * nearest - z * z))
        } else {
            let step: f64 = Exp1.sample(rng);
            let z = low + step / rate;
            (z, -0.5 * (z - rate) * (z - rate))
        };
        if low <= z && z <= high && rng.random::<f64>() < log_ratio.exp() {
            return z;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    /// Compared with the moments, for every method of drawing.
    #[test]
    fn draws_have_the_moments() {
        for (at, (eta, precision, low, high)) in [
            (0.3, 1.0, -1.0, 2.0),
            (-2.0, 0.5, 1.0, 9.0),
            (10.0, 2.0, 2.0, 3.0),
            (0.2, 1.0, 0.1, 0.4),
            (-9.0, 1.0, -2.5, 1.0),
            (-6.0, 1.0, 0.0, f64::INFINITY),
            (-6.0, 1.0, 0.0, 0.05),
            (6.0, 1.0, f64::NEG_INFINITY, 0.0),
            (0.0, 1.0, f64::NEG_INFINITY, f64::INFINITY),
        ]
        .into_iter()
        .enumerate()
        {
            let rng = &mut stream(7, at as u64);
            let expected = TruncatedNormal::new(eta, precision, (low, high)).unwrap();
            let n = 20_000;
            let draws: Vec<f64> = (0..n).map(|_| draw(eta, precision, (low, high), rng).unwrap()).collect();
            assert!(draws.iter().all(|y| low <= *y && *y <= high));
            let mean = draws.iter().sum::<f64>() / f64::from(n);
            let square = draws.iter().map(|y| y * y).sum::<f64>() / f64::from(n);
            let error = |variance: f64| 4.0 * (variance / f64::from(n)).sqrt();
            assert!((mean - expected.mean).abs() < error(expected.variance), "{at}: {mean}");
            assert!((square - expected.square).abs() < error(expected.square_square), "{at}: {square}");
        }
    }

    /// Compared with Simpson's rule.
    #[test]
    fn moments_are_integrals() {
        for (eta, precision, low, high) in [
            (0.3, 1.0, -1.0, 2.0),
            (-2.0, 0.5, 1.0, 9.0),
            (10.0, 2.0, 2.0, 3.0),
            (1.0, 1.0, -30.0, 0.5),
            (0.2, 1.0, 0.1, 0.4),
            (9.0, 1.0, 1.0, 2.5),
            (-9.0, 1.0, -2.5, 1.0),
        ] {
            let found = TruncatedNormal::new(eta, precision, (low, high)).unwrap();
            let steps = 200_000;
            let integral = |f: &dyn Fn(f64) -> f64| {
                let h = (high - low) / f64::from(steps);
                let weight = |k: i32| match k {
                    0 => 1.0,
                    k if k == steps => 1.0,
                    k => f64::from(2 + 2 * (k % 2)),
                };
                let sum: f64 = (0..=steps)
                    .map(|k| {
                        let y = low + f64::from(k) * h;
                        weight(k) * f(y) * (eta * y - 0.5 * precision * y * y).exp()
                    })
                    .sum();
                sum * h / 3.0
            };
            let mass = integral(&|_| 1.0);
            let moment = |k: i32| integral(&|y| y.powi(k)) / mass;
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{a} {b}");
            close(found.log_normaliser, mass.ln());
            close(found.mean, moment(1));
            close(found.square, moment(2));
            close(found.variance, moment(2) - moment(1).powi(2));
            close(found.mean_square, moment(3) - moment(1) * moment(2));
            close(found.square_square, moment(4) - moment(2).powi(2));
        }
    }

    #[test]
    fn tails_keep_their_digits() {
        // Known values of log Q: scipy.stats.norm.logsf.
        for (z, expected) in
            [(1.0, -1.8410216450092634), (5.0, -15.064998393988725), (30.0, -454.321_243_956_343_27)]
        {
            assert!((log_upper_tail(z) / expected - 1.0f64).abs() < 1e-11, "{z}");
        }
        let across = log_upper_tail(SERIES + 1e-9) - log_upper_tail(SERIES - 1e-9);
        assert!((across + 2e-9 * 3.283).abs() < 1e-11, "{across}");
        let far = TruncatedNormal::new(-40.0, 1.0, (0.0, f64::INFINITY)).unwrap();
        assert!(far.mean > 0.0 && far.mean < 1.0 / 40.0 && far.variance > 0.0);
        // Far in a tail the distribution is exponential: mean 1/r, variance 1/r^2, and E y^2 = 2/r^2.
        let rate = 1e5;
        let tail = TruncatedNormal::new(-rate, 1.0, (0.0, f64::INFINITY)).unwrap();
        assert!((tail.mean * rate - 1.0).abs() < 1e-9 && (tail.variance * rate * rate - 1.0).abs() < 1e-8);
        assert!((tail.square_square * rate.powi(4) - 20.0).abs() < 1e-6);
        // Between close limits it is uniform.
        let narrow = TruncatedNormal::new(0.0, 1.0, (0.0, 1e-4)).unwrap();
        assert!((narrow.variance / (1e-8 / 12.0) - 1.0).abs() < 1e-6);
        let mirrored = TruncatedNormal::new(0.0, 1.0, (-1e-4, 0.0)).unwrap();
        assert!((mirrored.mean / narrow.mean + 1.0).abs() < 1e-12);
        assert!((mirrored.variance / narrow.variance - 1.0).abs() < 1e-10);
        assert!(TruncatedNormal::new(1.0, -1.0, (0.0, 1.0)).is_none());
    }
}

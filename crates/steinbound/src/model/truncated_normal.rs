//! The normal distribution between two limits: its normaliser and moments, without loss of digits in the tails.

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
    // Laplace's continued fraction of the Mills ratio, from its far end.
    let fraction = (1..=200).rev().fold(z, |below, k| z + f64::from(k) / below);
    log_density(z) - fraction.ln()
}

/// Up to here the series has all its digits, from here on the continued fraction.
const SERIES: f64 = 3.0;

/// The log-density of the standard normal.
fn log_density(z: f64) -> f64 {
    -0.5 * z * z - 0.5 * (2.0 * std::f64::consts::PI).ln()
}

/// `log P(low < Z < high)`, `low <= high`.
fn log_probability(low: f64, high: f64) -> f64 {
    if low > 0.0 {
        let (near, far) = (log_upper_tail(low), log_upper_tail(high));
        return near + (-(far - near).exp()).ln_1p();
    }
    if high < 0.0 {
        return log_probability(-high, -low);
    }
    (-(log_upper_tail(-low).exp() + log_upper_tail(high).exp())).ln_1p()
}

/// The integral of `exp(eta y - precision y^2 / 2)` between two limits, and the moments of `y` under that density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TruncatedNormal {
    pub(super) log_normaliser: f64,
    /// `E y`.
    pub(super) mean: f64,
    /// `E y^2`.
    pub(super) square: f64,
    /// `Var y`.
    pub(super) variance: f64,
    /// `Cov(y, y^2)`.
    pub(super) mean_square: f64,
    /// `Var y^2`.
    pub(super) square_square: f64,
}

impl TruncatedNormal {
    /// With `z = (y - mu) / s` the moments follow from the densities at the limits over the mass between them,
    /// `A = phi(a) / P` and `B = phi(b) / P`: `E z = A - B`, and `E z^(k+1) = k E z^(k-1) + a^k A - b^k B`.
    ///
    /// `None` unless the precision is positive.
    pub(super) fn new(eta: f64, precision: f64, (low, high): (f64, f64)) -> Option<TruncatedNormal> {
        if !(precision > 0.0 && precision.is_finite() && eta.is_finite()) {
            return None;
        }
        let (mu, s) = (eta / precision, 1.0 / precision.sqrt());
        let (a, b) = ((low - mu) / s, (high - mu) / s);
        let log_mass = log_probability(a, b);
        let edge = |z: f64| if z.is_finite() { (log_density(z) - log_mass).exp() } else { 0.0 };
        let (at_low, at_high) = (edge(a), edge(b));
        let power = |z: f64, k: i32, edge: f64| if edge == 0.0 { 0.0 } else { z.powi(k) * edge };
        let rise = |k: i32| power(a, k, at_low) - power(b, k, at_high);
        let first = rise(0);
        let second = 1.0 + rise(1);
        let third = 2.0 * first + rise(2);
        let fourth = 3.0 * second + rise(3);
        let variance = second - first * first;
        // With y = mu + s z: Cov(y, y^2) and Var(y^2) from the central parts of z.
        let z_square = third - first * second;
        let square_square = fourth - second * second;
        Some(TruncatedNormal {
            log_normaliser: 0.5 * eta * mu + 0.5 * (2.0 * std::f64::consts::PI / precision).ln() + log_mass,
            mean: mu + s * first,
            square: mu * mu + 2.0 * mu * s * first + s * s * second,
            variance: s * s * variance,
            mean_square: 2.0 * mu * s * s * variance + s.powi(3) * z_square,
            square_square: 4.0 * mu * mu * s * s * variance
                + 4.0 * mu * s.powi(3) * z_square
                + s.powi(4) * square_square,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against Simpson's rule.
    #[test]
    fn moments_are_integrals() {
        for (eta, precision, low, high) in
            [(0.3, 1.0, -1.0, 2.0), (-2.0, 0.5, 1.0, 9.0), (10.0, 2.0, 2.0, 3.0), (1.0, 1.0, -30.0, 0.5)]
        {
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
        assert!(TruncatedNormal::new(1.0, -1.0, (0.0, 1.0)).is_none());
    }
}

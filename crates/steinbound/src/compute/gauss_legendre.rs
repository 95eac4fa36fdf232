//! Gauss and Legendre's rule of integration.

/// The rule with this many nodes on [-1, 1]: zeros of the Legendre polynomial, by Newton's method.
pub(crate) fn gauss_legendre(order: usize) -> Vec<(f64, f64)> {
    let node = |k: usize| {
        let mut t = (std::f64::consts::PI * (k as f64 + 0.75) / (order as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..50 {
            let (mut before, mut value) = (1.0, t);
            for j in 2..=order {
                let j = j as f64;
                (before, value) = (value, ((2.0 * j - 1.0) * t * value - (j - 1.0) * before) / j);
            }
            slope = order as f64 * (t * value - before) / (t * t - 1.0);
            let step = value / slope;
            t -= step;
            if step.abs() < 1e-15 {
                break;
            }
        }
        (t, 2.0 / ((1.0 - t * t) * slope * slope))
    };
    (0..order).map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_exact_for_polynomials() {
        let rule = gauss_legendre(8);
        for degree in 0..=15 {
            let sum: f64 = rule.iter().map(|(t, w)| w * t.powi(degree)).sum();
            let exact = if degree % 2 == 0 { 2.0 / f64::from(degree + 1) } else { 0.0 };
            assert!((sum - exact).abs() < 1e-14, "{degree}: {sum}");
        }
    }
}

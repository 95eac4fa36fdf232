use super::{Kernel, profile_row_by_vectors, value_row_by_vectors};
use crate::compute::simd::{Lanes, NEGLIGIBLE_EXPONENT, Profile, exp};

/// The Matern kernel of smoothness 5/2, `(1 + s + s^2/3) exp(-s)` with `s = sqrt(5 q)`.
///
/// The roughest kernel here whose mixed second derivative exists everywhere. In terms of `s`,
/// `f' = -(5/6) (1 + s) exp(-s)` and `f'' = (25/12) exp(-s)`: nothing is singular at `q = 0`.
///
/// ```
/// use steinbound::kernel::{Kernel, Matern52};
/// assert_eq!(Matern52.profile(0.0), [1.0, -5.0 / 6.0, 25.0 / 12.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matern52;

impl Kernel for Matern52 {
    fn name(&self) -> &'static str {
        "matern52"
    }

    fn meaning(&self) -> &'static str {
        "Matern with smoothness 5/2"
    }

    #[inline]
    fn profile(&self, q: f64) -> [f64; 3] {
        let s = (5.0 * q).sqrt();
        let decay = (-s).exp();
        if decay == 0.0 {
            // At this distance a polynomial in s may be infinite.
            return [0.0; 3];
        }
        [(1.0 + s + 5.0 * q / 3.0) * decay, -5.0 / 6.0 * (1.0 + s) * decay, 25.0 / 12.0 * decay]
    }

    fn value_row(&self, q: &mut [f64]) {
        value_row_by_vectors(self, q);
    }

    fn profile_row(&self, q: &[f64], value: &mut [f64], first: &mut [f64], second: &mut [f64]) {
        profile_row_by_vectors(self, q, value, first, second);
    }
}

impl Profile for Matern52 {
    #[inline(always)]
    fn value<V: Lanes, const N: usize>(q: [V; N]) -> [V; N] {
        Self::all(q)[0]
    }

    #[inline(always)]
    fn all<V: Lanes, const N: usize>(q: [V; N]) -> [[V; N]; 3] {
        let (zero, one, limit) = (V::splat(0.0), V::splat(1.0), V::splat(NEGLIGIBLE_EXPONENT));
        let mut exponent = q;
        for k in 0..N {
            exponent[k] = zero.sub(V::splat(5.0).mul(q[k]).sqrt());
        }
        let decay = exp(exponent);
        let (mut value, mut first, mut second) = (q, q, q);
        for k in 0..N {
            let linear = one.sub(exponent[k]);
            let quadratic = V::splat(5.0 / 3.0).mul(q[k]).add(linear);
            // At distances at which a polynomial may be infinite, all three are zero.
            value[k] = quadratic.mul(decay[k]).zero_where_below(exponent[k], limit);
            first[k] = V::splat(-5.0 / 6.0).mul(linear).mul(decay[k]).zero_where_below(exponent[k], limit);
            second[k] = V::splat(25.0 / 12.0).mul(decay[k]);
        }
        [value, first, second]
    }
}

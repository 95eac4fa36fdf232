use super::{Kernel, profile_row_by_vectors, value_row_by_vectors};
use crate::compute::simd::{Lanes, Profile, exp};

/// The Gaussian kernel `exp(-q/2)`, that is `exp(-|x-y|^2 / (2 sigma^2))`: the paper's choice and the
/// default.
///
/// ```
/// use steinbound::kernel::{Gaussian, Kernel};
/// assert_eq!(Gaussian.profile(0.0), [1.0, -0.5, 0.25]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gaussian;

impl Kernel for Gaussian {
    fn name(&self) -> &'static str {
        "gaussian"
    }

    fn meaning(&self) -> &'static str {
        "exp(-q/2) of q = |x-y|^2 / sigma^2; the fastest"
    }

    #[inline]
    fn profile(&self, q: f64) -> [f64; 3] {
        let value = (-0.5 * q).exp();
        [value, -0.5 * value, 0.25 * value]
    }

    fn value_row(&self, q: &mut [f64]) {
        value_row_by_vectors(self, q);
    }

    fn profile_row(&self, q: &[f64], value: &mut [f64], first: &mut [f64], second: &mut [f64]) {
        profile_row_by_vectors(self, q, value, first, second);
    }

    fn log_slope(&self) -> Option<f64> {
        Some(-0.5)
    }
}

impl Profile for Gaussian {
    #[inline(always)]
    fn value<V: Lanes, const N: usize>(mut q: [V; N]) -> [V; N] {
        for q in &mut q {
            *q = q.mul(V::splat(-0.5));
        }
        exp(q)
    }

    #[inline(always)]
    fn all<V: Lanes, const N: usize>(q: [V; N]) -> [[V; N]; 3] {
        let value = Self::value(q);
        let (mut first, mut second) = (value, value);
        for k in 0..N {
            first[k] = value[k].mul(V::splat(-0.5));
            second[k] = value[k].mul(V::splat(0.25));
        }
        [value, first, second]
    }
}

use super::{Kernel, profile_row_by_vectors, value_row_by_vectors};
use crate::compute::simd::{Lanes, Profile};

/// The inverse multiquadric `(1 + q)^(-1/2)`: heavy tails, so that distant pairs still count.
///
/// ```
/// use steinbound::kernel::{InverseMultiquadric, Kernel};
/// assert_eq!(InverseMultiquadric.profile(3.0)[0], 0.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InverseMultiquadric;

impl Kernel for InverseMultiquadric {
    fn name(&self) -> &'static str {
        "imq"
    }

    fn meaning(&self) -> &'static str {
        "inverse multiquadric, with heavier tails"
    }

    #[inline]
    fn profile(&self, q: f64) -> [f64; 3] {
        let inverse = 1.0 / (1.0 + q);
        let value = inverse.sqrt();
        let first = -0.5 * value * inverse;
        [value, first, -1.5 * first * inverse]
    }

    fn value_row(&self, q: &mut [f64]) {
        value_row_by_vectors(self, q);
    }

    fn profile_row(&self, q: &[f64], value: &mut [f64], first: &mut [f64], second: &mut [f64]) {
        profile_row_by_vectors(self, q, value, first, second);
    }
}

impl Profile for InverseMultiquadric {
    #[inline(always)]
    fn value<V: Lanes, const N: usize>(q: [V; N]) -> [V; N] {
        Self::all(q)[0]
    }

    #[inline(always)]
    fn all<V: Lanes, const N: usize>(q: [V; N]) -> [[V; N]; 3] {
        let one = V::splat(1.0);
        let (mut value, mut first, mut second) = (q, q, q);
        for k in 0..N {
            let inverse = one.div(one.add(q[k]));
            value[k] = inverse.sqrt();
            first[k] = V::splat(-0.5).mul(value[k]).mul(inverse);
            second[k] = V::splat(-1.5).mul(first[k]).mul(inverse);
        }
        [value, first, second]
    }
}

use super::{Kernel, profile_row_by_vectors, value_row_by_vectors};
use crate::compute::simd::{Lanes, Profile};

/// The rational quadratic kernel `1 / (1 + q/2)`: a mixture of Gaussian kernels of many widths.
///
/// ```
/// use steinbound::kernel::{Kernel, RationalQuadratic};
/// assert_eq!(RationalQuadratic.profile(2.0), [0.5, -0.125, 0.0625]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RationalQuadratic;

impl Kernel for RationalQuadratic {
    fn name(&self) -> &'static str {
        "rational-quadratic"
    }

    fn meaning(&self) -> &'static str {
        "a mixture of Gaussians of all widths"
    }

    #[inline]
    fn profile(&self, q: f64) -> [f64; 3] {
        let value = 1.0 / (1.0 + 0.5 * q);
        let first = -0.5 * value * value;
        [value, first, -first * value]
    }

    fn value_row(&self, q: &mut [f64]) {
        value_row_by_vectors(self, q);
    }

    fn profile_row(&self, q: &[f64], value: &mut [f64], first: &mut [f64], second: &mut [f64]) {
        profile_row_by_vectors(self, q, value, first, second);
    }
}

impl Profile for RationalQuadratic {
    #[inline(always)]
    fn value<V: Lanes, const N: usize>(q: [V; N]) -> [V; N] {
        Self::all(q)[0]
    }

    #[inline(always)]
    fn all<V: Lanes, const N: usize>(q: [V; N]) -> [[V; N]; 3] {
        let (one, half) = (V::splat(1.0), V::splat(0.5));
        let (mut value, mut first, mut second) = (q, q, q);
        for k in 0..N {
            value[k] = one.div(half.mul(q[k]).add(one));
            first[k] = V::splat(-0.5).mul(value[k]).mul(value[k]);
            second[k] = V::splat(-1.0).mul(first[k]).mul(value[k]);
        }
        [value, first, second]
    }
}

use super::Kernel;

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

    #[inline]
    fn profile(&self, q: f64) -> [f64; 3] {
        let value = 1.0 / (1.0 + 0.5 * q);
        let first = -0.5 * value * value;
        [value, first, -first * value]
    }
}

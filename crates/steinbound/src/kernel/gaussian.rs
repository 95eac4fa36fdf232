use super::Kernel;

/// The Gaussian kernel `exp(-q/2)`, that is `exp(-|x-y|^2 / (2 sigma^2))`: the paper's choice and the default.
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

    #[inline]
    fn profile(&self, q: f64) -> [f64; 3] {
        let value = (-0.5 * q).exp();
        [value, -0.5 * value, 0.25 * value]
    }
}

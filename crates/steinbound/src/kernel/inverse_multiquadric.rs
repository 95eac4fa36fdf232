use super::Kernel;

/// The inverse multiquadric `(1 + q)^(-1/2)`: heavy tails, so that far pairs still count.
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

    #[inline]
    fn profile(&self, q: f64) -> [f64; 3] {
        let inverse = 1.0 / (1.0 + q);
        let value = inverse.sqrt();
        let first = -0.5 * value * inverse;
        [value, first, -1.5 * first * inverse]
    }
}

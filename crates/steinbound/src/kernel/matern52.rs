use super::Kernel;

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

    #[inline]
    fn profile(&self, q: f64) -> [f64; 3] {
        let s = (5.0 * q).sqrt();
        let decay = (-s).exp();
        if decay == 0.0 {
            // So far away that a polynomial in s may be infinite.
            return [0.0; 3];
        }
        [(1.0 + s + 5.0 * q / 3.0) * decay, -5.0 / 6.0 * (1.0 + s) * decay, 25.0 / 12.0 * decay]
    }
}

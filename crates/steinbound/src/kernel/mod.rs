//! Kernels: each is three scalar functions of a squared distance, in a file of its own.
//!
//! A radial kernel is `k(x, y) = f(q)` with `q = sum_l (x_l - y_l)^2 / s_l^2`, where `s_l` is the bandwidth
//! (times a scale for the coordinate, where coordinates are measured in different units). Its derivatives are
//!
//! ```text
//! d/dy_l k        =  2 f'(q) (y_l - x_l) / s_l^2
//! d/dx_l d/dy_l k = -2 f'(q) / s_l^2  -  4 f''(q) (x_l - y_l)^2 / s_l^4
//! ```
//!
//! so that `f`, `f'` and `f''` are all that a kernel has to know. To add one, copy a sibling file, add it to
//! [`by_name`], and run it through [`conformance`].

pub mod bandwidth;
pub mod conformance;
pub(crate) mod error;
mod gaussian;
mod inverse_multiquadric;
mod matern52;
mod rational_quadratic;

use std::fmt::Debug;
use std::sync::Arc;

pub use bandwidth::Bandwidth;
pub use gaussian::Gaussian;
pub use inverse_multiquadric::InverseMultiquadric;
pub use matern52::Matern52;
pub use rational_quadratic::RationalQuadratic;

use crate::compute::simd::{self, Level, Profile};
use crate::error::KernelError;

/// A radial kernel `f(q)` of the scaled squared distance `q`, with its first two derivatives.
///
/// ```
/// use steinbound::kernel::{Gaussian, Kernel};
/// let [value, first, second] = Gaussian.profile(2.0);
/// assert_eq!(value, (-1.0f64).exp());
/// assert_eq!((first, second), (-value / 2.0, value / 4.0));
/// ```
pub trait Kernel: Debug + Send + Sync {
    /// The name by which the kernel is chosen.
    fn name(&self) -> &'static str;

    /// `f(q)`, `f'(q)` and `f''(q)` at `q >= 0`; `f(0)` is 1, and all three are 0 at infinity.
    fn profile(&self, q: f64) -> [f64; 3];

    /// `q := f(q)` for a row of squared distances at once. A kernel may override this for speed.
    fn value_row(&self, q: &mut [f64]) {
        for q in q {
            *q = self.profile(*q)[0];
        }
    }

    /// [`profile`](Kernel::profile) for a row of squared distances at once.
    ///
    /// A kernel may override this for speed; the slices have equal length.
    fn profile_row(&self, q: &[f64], value: &mut [f64], first: &mut [f64], second: &mut [f64]) {
        for (j, q) in q.iter().enumerate() {
            [value[j], first[j], second[j]] = self.profile(*q);
        }
    }

    /// The constant `c < 0` where `f' = c f`, so that `f(q) = exp(c q)`, as for the Gaussian kernel. All derivatives are then the kernel
    /// times a polynomial, and sums of derivatives come from sums of values.
    fn log_slope(&self) -> Option<f64> {
        None
    }
}

/// [`Kernel::value_row`] by vectors.
fn value_row_by_vectors<K: Kernel + Profile>(kernel: &K, q: &mut [f64]) {
    let (lanes, rest) = q.as_chunks_mut();
    simd::value_rows::<K>(Level::current(), lanes);
    rest.iter_mut().for_each(|q| *q = kernel.profile(*q)[0]);
}

/// [`Kernel::profile_row`] by vectors.
fn profile_row_by_vectors<K: Kernel + Profile>(
    kernel: &K,
    q: &[f64],
    value: &mut [f64],
    first: &mut [f64],
    second: &mut [f64],
) {
    let (lanes, rest) = q.as_chunks();
    let whole = q.len() - rest.len();
    let (value_lanes, _) = value.as_chunks_mut();
    let (first_lanes, _) = first.as_chunks_mut();
    let (second_lanes, _) = second.as_chunks_mut();
    simd::profile_rows::<K>(Level::current(), lanes, value_lanes, first_lanes, second_lanes);
    for (j, q) in (whole..).zip(rest) {
        [value[j], first[j], second[j]] = kernel.profile(*q);
    }
}

/// The names of the kernels in this crate.
pub const NAMES: [&str; 4] = ["gaussian", "imq", "matern52", "rational-quadratic"];

/// The kernel of that name.
///
/// ```
/// use steinbound::kernel;
/// assert_eq!(kernel::by_name("imq")?.name(), "imq");
/// assert!(kernel::by_name("box").is_err());
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn by_name(name: &str) -> Result<Arc<dyn Kernel>, KernelError> {
    match name {
        "gaussian" => Ok(Arc::new(Gaussian)),
        "imq" => Ok(Arc::new(InverseMultiquadric)),
        "matern52" => Ok(Arc::new(Matern52)),
        "rational-quadratic" => Ok(Arc::new(RationalQuadratic)),
        _ => Err(KernelError::Unknown { name: name.to_string(), known: NAMES.join(", ") }),
    }
}

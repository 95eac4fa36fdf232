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
//! so that `f`, `f'` and `f''` are all that a kernel has to know. To add one, copy a sibling file, name it in
//! the list of [`all`] kernels, and run it through [`conformance`].

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

    /// One line for help texts.
    fn meaning(&self) -> &'static str {
        ""
    }

    /// The parameters of `f`, each with its name. Two kernels are [the same](is_same) when their names and
    /// parameters are.
    fn parameters(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

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

    /// The constant `c < 0` where `f' = c f`, so that `f(q) = exp(c q)`, as for the Gaussian kernel. All
    /// derivatives are then the kernel times a polynomial, and sums of derivatives come from sums of values.
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

/// The kernels of this crate. A new one needs a line here and nothing else: names, help texts and checks
/// follow from this list.
///
/// ```
/// use steinbound::kernel;
/// assert!(kernel::all().iter().all(|kernel| !kernel.meaning().is_empty()));
/// ```
pub fn all() -> Vec<Arc<dyn Kernel>> {
    vec![Arc::new(Gaussian), Arc::new(InverseMultiquadric), Arc::new(Matern52), Arc::new(RationalQuadratic)]
}

/// The names of the kernels in this crate.
///
/// ```
/// assert!(steinbound::kernel::names().starts_with(&["gaussian", "imq"]));
/// ```
pub fn names() -> Vec<&'static str> {
    all().iter().map(|kernel| kernel.name()).collect()
}

/// Whether two kernels are the same function: by name and parameters.
///
/// ```
/// use steinbound::kernel::{self, Gaussian, Matern52};
/// assert!(kernel::is_same(&Gaussian, &Gaussian) && !kernel::is_same(&Gaussian, &Matern52));
/// ```
pub fn is_same(one: &dyn Kernel, other: &dyn Kernel) -> bool {
    one.name() == other.name() && one.parameters() == other.parameters()
}

/// The kernel of that name.
///
/// ```
/// use steinbound::kernel;
/// assert_eq!(kernel::by_name("imq")?.name(), "imq");
/// assert!(kernel::by_name("box").is_err());
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn by_name(name: &str) -> Result<Arc<dyn Kernel>, KernelError> {
    let found = all().into_iter().find(|kernel| kernel.name() == name);
    found.ok_or_else(|| KernelError::Unknown { name: name.to_string(), known: names().join(", ") })
}

//! **steinbound** recovers the density behind a truncation.
//!
//! Data are often seen only inside a region: inside a country's border, above a pass mark, within a
//! detector's reach. The normaliser of their density is then intractable, and estimates that ignore the
//! border are biased. This crate estimates the density from the points inside and a set of points on the
//! boundary, by the truncated kernelised Stein discrepancy (TKSD). For comparison it has bd-KSD, TruncSM, KSD
//! and maximum likelihood, naive and truncated; all give standard errors. Regions range from balls to maps
//! ([`domain`]), densities from the Gaussian to formulas and latent variables ([`model`]).
//!
//! ```
//! use steinbound::{Estimator, Points, model::Gaussian, simulate};
//! use steinbound::domain::{Ball, BoundarySampling, Domain};
//!
//! // Data: a normal distribution about (0.5, 0.5), seen only inside a disc.
//! let disc = Ball::new(1.4)?.in_dimension(2);
//! let model = Gaussian::with_variance(2, 1.0)?;
//! let data = simulate::truncated(&model, &[0.5, 0.5], &disc, 300, &mut simulate::stream(1, 0))?.points;
//!
//! // The only description of the disc that TKSD uses: 32 points on its edge.
//! let edge = disc.sample_boundary(&BoundarySampling::new(32), &mut simulate::stream(1, 1))?;
//! let fit = Estimator::tksd().boundary(edge).fit(&data, &model)?;
//! assert!((fit.estimates()[0] - 0.5).abs() < 0.3);
//! # Ok::<(), steinbound::Error>(())
//! ```
//!
//! Data flow one way: [`Points`] and a boundary, made into a Stein form by a [`kernel`], meet a [`model`] in
//! an [`Estimator`], which gives a [`Fit`]. A model never sees a kernel and a kernel never sees a model.
//!
//! # Notation
//!
//! | in the documentation | in the code | meaning |
//! |---|---|---|
//! | `x_i`, `n`, `d` | [`Points`] | data points, their number, their coordinates |
//! | `b_j`, `m` | `boundary` | boundary points and their number |
//! | `psi(x; theta)` | [`model::Model::score`] | gradient in `x` of the log-density |
//! | `k`, `f`, `q` | [`kernel::Kernel`] | kernel, as a function `f` of the scaled squared distance `q` |
//! | `sigma` | `bandwidth` | width of the kernel |
//! | `e` | `ridge` | added to the diagonal of the boundary's kernel matrix |
//! | `h` | [`domain::BoundaryDistance`] | distance to the boundary |
//! | `k0` | [`stein::SteinForm`] | the kernel made to vanish at the boundary |
//! | `M`, `D_l`, `E` | [`stein::Operator`] | `k0` at the data, its derivatives in one and in both arguments |
//! | `H(x, y)` | | Stein kernel: `sum_l psi_l psi_l k0 + psi_l d/dy_l k0 + psi_l d/dx_l k0 + d/dx_l d/dy_l k0` |
//! | `w_i` | [`Points::weights`] | observation weights |
//!
//! # Promises
//!
//! The same input and seed give the same bits, for any number of threads. No data, boundary or setting makes
//! it panic: if something cannot be computed, the [`Error`] states the remedy. Memory grows with `n` unless
//! the dense form is chosen. There is no C code, no system library and no I/O, except that the system is
//! queried for the available memory and vector instructions.

mod compute;
pub mod domain;
pub mod engine;
mod error;
pub mod expression;
pub mod fit;
pub mod inference;
mod interrupt;
pub mod kernel;
mod likelihood;
mod matrix;
pub mod method;
mod minimise;
pub mod model;
mod points;
pub mod projection;
mod random;
pub mod regression;
mod score_matching;
mod search_limits;
pub mod simulate;
pub mod stein;
pub mod text;
pub mod warning;

pub use compute::{OneLineAllocator, available_memory, check_memory, check_simd_choice, simd_level};
pub use error::{
    DomainError, Error, FitError, HypothesisError, KernelError, MemoryError, ModelError, PointsError,
    ResamplingError,
};
pub use fit::Fit;
pub use matrix::Matrix;
pub use method::{Estimator, Method};
pub use points::Points;
pub use warning::{Warning, WarningKind};

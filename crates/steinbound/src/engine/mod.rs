//! Pair engines: what computes sums over pairs of points, a seam between the statistics and the machine.
//!
//! Every form of [`stein`](crate::stein) asks four things of an [`Engine`]: sums over all pairs of one set of
//! points (by [`Engine::prepare`]), sums over the pairs of two sets, kernel values, and kernel values with
//! slopes. [`Native`] computes them with the vector instructions of this processor. Another engine, for a
//! graphics card or another machine, implements the trait, is run through [`conformance`], and is given to an
//! [`Estimator`](crate::Estimator::engine); no estimator changes.

mod between;
pub mod conformance;
mod evaluator;
mod native;
mod pair_kernel;
mod products;
mod scaled_points;
mod tile_sums;
mod tiles;

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

pub(crate) use evaluator::Evaluator;
pub use native::Native;
pub(crate) use native::check_dense;
pub use pair_kernel::PairKernel;
pub use scaled_points::ScaledPoints;
pub(crate) use tiles::dense_bytes;

use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;

/// A sum over the column points `x_j` with weights `v_j`, for each row point `x_i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairSum {
    /// `sum_j k(x_i, x_j) v_j`.
    Value,
    /// `sum_j d/dy_l k(x_i, x_j) v_j`, `l` counting the differentiated coordinates.
    Slope(usize),
    /// `sum_j sum_l d/dx_l d/dy_l k(x_i, x_j) v_j`.
    Mixed,
    /// Any `u_i` with the same `sum_i v_i u_i` as the mixed sums. Where rows and columns are different
    /// points, the mixed sums.
    Energy,
    /// `P v` with any matrix `P` whose mean with its transpose is that of the values: half the sums will do.
    /// Where rows and columns are different points, the sums of values.
    Gram,
}

/// Whether an engine should keep kernel values between passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Storage {
    /// Keep them: memory grows with the square of the number of points.
    Dense,
    /// Compute them in each pass: memory grows with the number of points.
    Tiled,
}

/// Kernel values and slopes as matrices, one column for each row point and one row for each other point.
#[derive(Debug, Clone, PartialEq)]
pub struct ValuesAndSlopes {
    /// `k(x_i, y_j)`.
    pub value: Matrix,
    /// `d/dx_l k(x_i, y_j)`, one matrix for each differentiated coordinate.
    pub slope: Vec<Matrix>,
}

/// Computes sums over pairs of points under a radial kernel.
///
/// Weights come in columns of a matrix, and a term is a sum and the number of the column it is taken with.
/// All methods look at the interrupt now and then, and return [`Interrupted`](crate::fit::Interrupted) once
/// it is raised. What goes wrong otherwise is a
/// [`KernelError::EngineFailed`](crate::KernelError::EngineFailed). The same input gives the same bits each
/// time.
///
/// ```
/// use steinbound::engine::{Engine, Native, PairKernel, PairSum};
/// use steinbound::{Matrix, Points, fit::Interrupt, kernel};
/// let points = Points::from_rows(&[[0.0], [2.0]])?;
/// let kernel = PairKernel::new(kernel::by_name("gaussian")?, vec![1.0], vec![0], vec![0.0])?;
/// let scaled = kernel.scale(&points)?;
/// let ones = Matrix::from_fn(2, 1, |_, _| 1.0);
/// let sums = Native.cross(&kernel, &scaled, &scaled, &ones, &[(PairSum::Value, 0)], &Interrupt::new())?;
/// assert!((sums[(0, 0)] - (1.0 + (-2.0f64).exp())).abs() < 1e-15);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait Engine: Debug + Send + Sync {
    /// The name of the engine.
    fn name(&self) -> &'static str;

    /// Prepares passes over all pairs of one set of points.
    fn prepare(
        &self,
        kernel: Arc<PairKernel>,
        points: Arc<ScaledPoints>,
        storage: Storage,
        interrupt: &Interrupt,
    ) -> Result<Box<dyn PreparedPairs>, Error>;

    /// All terms at row points, summed over other points to which the columns belong: rows by terms.
    fn cross(
        &self,
        kernel: &PairKernel,
        rows: &ScaledPoints,
        others: &ScaledPoints,
        columns: &Matrix,
        terms: &[(PairSum, usize)],
        interrupt: &Interrupt,
    ) -> Result<Matrix, Error>;

    /// The kernel of a range of row points with all others: one column for each row point.
    fn values(
        &self,
        kernel: &PairKernel,
        rows: &ScaledPoints,
        range: Range<usize>,
        others: &ScaledPoints,
        interrupt: &Interrupt,
    ) -> Result<Matrix, Error>;

    /// [`values`](Engine::values), with the derivatives in the differentiated coordinates of the row point.
    fn values_and_slopes(
        &self,
        kernel: &PairKernel,
        rows: &ScaledPoints,
        range: Range<usize>,
        others: &ScaledPoints,
        interrupt: &Interrupt,
    ) -> Result<ValuesAndSlopes, Error>;
}

/// One set of points, prepared for passes over all its pairs.
pub trait PreparedPairs: Send + Sync {
    /// All terms at the points, summed over the same points: points by terms.
    fn symmetric(
        &self,
        columns: &Matrix,
        terms: &[(PairSum, usize)],
        interrupt: &Interrupt,
    ) -> Result<Matrix, Error>;
}

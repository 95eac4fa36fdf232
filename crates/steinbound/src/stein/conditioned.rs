use std::sync::Arc;

use rayon::prelude::*;

use super::form::{Diagonal, Holder, Parts, SteinForm, Term, check_shape, split_terms};
use super::radial::{Radial, cross};
use crate::compute::cholesky::Cholesky;
use crate::compute::dot;
use crate::compute::memory;
use crate::compute::packed::LARGEST_TILE;
use crate::engine::{Evaluator, ScaledPoints, ValuesAndSlopes};
use crate::error::{Error, KernelError};
use crate::matrix::{Matrix, add_scaled};
use crate::points::Points;

/// The form of a kernel conditioned to vanish at the boundary points: TKSD.
///
/// # Definition
///
/// With boundary points `b_1..b_m`, `K` the kernel among them and `e` the ridge,
///
/// ```text
/// k0(x, y) = k(x, y) - k(x, b) (K + e I)^-1 k(b, y),
/// ```
///
/// which a Gaussian process would call the covariance that is left once noisy zeros were seen at `b`. The
/// discrepancy of the paper, `u_l - v_l' (K + e I)^-1 v_l`, is the Stein kernel of `k0`. Without boundary
/// points `k0` is `k`.
///
/// # Requirements
///
/// Boundary points in the same coordinates as the data, at most [`BOUNDARY_LIMIT`] of them. With a ridge they
/// may repeat.
///
/// # Complexity
///
/// The correction has rank `m` and is never formed: a pass costs `n m` further kernel values and solves with
/// one Cholesky factor of size `m`, for the few columns at hand. Only [`diagonal`](SteinForm::diagonal) needs
/// `n m^2 (1 + d)` operations.
///
/// # Reference
///
/// Williams and Liu, *Approximate Stein Classes for Truncated Density Estimation*, ICML 2023.
///
/// ```
/// use steinbound::stein::{Conditioned, Operator, Radial, SteinForm, Term};
/// use steinbound::{Matrix, Points, kernel};
/// let points = Points::from_rows(&[[0.0], [0.5]])?;
/// let boundary = Points::from_rows(&[[-1.0], [1.0]])?;
/// let form = Radial::tiled(&points, kernel::by_name("gaussian")?, 1.0)?;
/// let form = Conditioned::new(form, &boundary, 1e-9)?;
/// let ones = Matrix::from_fn(2, 1, |_, _| 1.0);
/// let at_boundary = form.apply_at(&boundary, &ones, &[Term::new(Operator::Value, 0)])?;
/// assert!(at_boundary.column(0).iter().all(|g| g.abs() < 1e-8));
/// # Ok::<(), steinbound::Error>(())
/// ```
pub struct Conditioned {
    inner: Arc<Radial>,
    pub(super) boundary: ScaledPoints,
    boundary_points: Matrix,
    pub(super) factor: Cholesky,
    pub(super) ridge: f64,
}

/// The most kernel values and slopes that are written out at a time (400 MB).
const MOST_WRITTEN_OUT: usize = 50_000_000;

/// The most boundary points: their kernel matrix takes about three gigabytes.
pub const BOUNDARY_LIMIT: usize = 20_000;

impl Conditioned {
    /// Conditions a radial form on zeros at the boundary points.
    pub fn new(inner: impl Into<Arc<Radial>>, boundary: &Points, ridge: f64) -> Result<Conditioned, Error> {
        if !(ridge >= 0.0 && ridge.is_finite()) {
            return Err(KernelError::BadRidge { value: ridge }.into());
        }
        check_boundary(boundary)?;
        let inner = inner.into();
        let scaled = inner.evaluator.scale(boundary)?;
        let mut gram = inner.evaluator.values(&scaled, &scaled)?;
        for i in 0..scaled.len() {
            gram[(i, i)] += ridge;
        }
        let factor = Cholesky::of_large(gram, &inner.evaluator.interrupt)?;
        let factor = factor.ok_or(KernelError::SingularBoundary { points: scaled.len(), ridge })?;
        let boundary_points =
            Matrix::from_fn(boundary.len(), boundary.dimension(), |i, l| boundary.row(i)[l]);
        Ok(Conditioned { inner, boundary: scaled, boundary_points, factor, ridge })
    }

    /// The same kernel, conditioned on other boundary points.
    pub(crate) fn on(&self, boundary: &Points) -> Result<Conditioned, Error> {
        Conditioned::new(Arc::clone(&self.inner), boundary, self.ridge)
    }

    pub(super) fn evaluator(&self) -> &Evaluator {
        &self.inner.evaluator
    }

    pub(super) fn scaled(&self) -> &ScaledPoints {
        self.inner.scaled()
    }

    /// The boundary points, one in a row.
    pub(super) fn boundary_points(&self) -> &Matrix {
        &self.boundary_points
    }

    /// The condition number of `K + e I` at the boundary points.
    pub fn boundary_condition(&self) -> f64 {
        self.factor.condition_number()
    }

    /// `(K + e I)^-1` applied to the plain kernel's terms at the boundary points.
    pub fn multipliers(&self, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        check_shape(self, columns, terms)?;
        self.solved_at_boundary(columns, terms)
    }

    /// `L^-1 k(b, x)` with `K + e I = L L'`, one column for each point: its square is what the boundary
    /// explains of `k(x, x)`.
    pub(super) fn known_at(&self, points: &ScaledPoints) -> Result<Matrix, Error> {
        let mut known = self.evaluator().values(points, &self.boundary)?;
        self.factor.solve_lower(&mut known);
        Ok(known)
    }

    /// `(K + e I)^-1 k(b, x)`, one column for each point.
    pub(super) fn explained_at(&self, points: &ScaledPoints) -> Result<Matrix, Error> {
        let mut explained = self.evaluator().values(points, &self.boundary)?;
        self.factor.solve(&mut explained);
        Ok(explained)
    }

    fn solved_at_boundary(&self, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        let mut at_boundary = cross(self.evaluator(), &self.boundary, self.scaled(), columns, terms)?;
        self.factor.solve(&mut at_boundary);
        Ok(at_boundary)
    }

    /// Takes the boundary's part away from the plain kernel's products at `rows`.
    fn correct(
        &self,
        rows: &ScaledPoints,
        columns: &Matrix,
        terms: &[Term],
        mut products: Matrix,
    ) -> Result<Matrix, Error> {
        if self.boundary.is_empty() {
            return Ok(products);
        }
        let (needed, outer) = split_terms(terms, self.coordinates());
        let multipliers = self.solved_at_boundary(columns, &needed)?;
        let back: Vec<Term> = outer.iter().map(|(_, term)| *term).collect();
        let correction = cross(self.evaluator(), rows, &self.boundary, &multipliers, &back)?;
        for (j, (output, _)) in outer.iter().enumerate() {
            add_scaled(products.column_mut(*output), -1.0, correction.column(j));
        }
        Ok(products)
    }
}

/// Refuses more boundary points than a factor can have, or than memory can hold the pairs of: as values and as
/// their factor.
pub(super) fn check_boundary(boundary: &Points) -> Result<(), Error> {
    let (points, limit) = (boundary.len(), BOUNDARY_LIMIT);
    if points > limit {
        return Err(KernelError::TooManyBoundaryPoints { points, limit }.into());
    }
    let bytes = 2 * (points as u128).pow(2) * size_of::<f64>() as u128;
    memory::check_memory(
        || format!("the pairs of {points} boundary points"),
        bytes,
        "use fewer boundary points",
    )?;
    Ok(())
}

/// What some points see of a boundary, in blocks of points whose kernel values and slopes fit in memory:
/// `visit` gets the first point of a block and its values and slopes, which `prepare` has worked on in
/// parallel.
pub(super) fn for_each_block<T: Send>(
    evaluator: &Evaluator,
    points: &ScaledPoints,
    boundary: &ScaledPoints,
    prepare: impl Fn(ValuesAndSlopes) -> T + Sync,
    mut visit: impl FnMut(usize, T),
) -> Result<(), Error> {
    let blocks: Vec<usize> = (0..points.len()).step_by(LARGEST_TILE).collect();
    let of_block = |start: &usize| {
        let range = *start..(start + LARGEST_TILE).min(points.len());
        Ok::<T, Error>(prepare(evaluator.values_and_slopes(points, range, boundary)?))
    };
    let room = boundary.len() * LARGEST_TILE * (1 + evaluator.kernel.differentiated().len());
    for some in blocks.chunks((MOST_WRITTEN_OUT / room).clamp(1, 16)) {
        let written: Vec<T> = some.par_iter().map(of_block).collect::<Result<_, Error>>()?;
        some.iter().zip(written).for_each(|(start, block)| visit(*start, block));
    }
    Ok(())
}

impl SteinForm for Conditioned {
    fn points(&self) -> usize {
        self.inner.points()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn differentiated(&self) -> &[usize] {
        self.inner.differentiated()
    }

    fn apply(&self, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        let products = self.inner.apply(columns, terms)?;
        self.correct(self.scaled(), columns, terms, products)
    }

    fn apply_at(&self, targets: &Points, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        check_shape(self, columns, terms)?;
        let rows = self.evaluator().scale(targets)?;
        let products = cross(self.evaluator(), &rows, self.scaled(), columns, terms)?;
        self.correct(&rows, columns, terms, products)
    }

    fn diagonal(&self) -> Result<Diagonal, Error> {
        let mut diagonal = self.inner.diagonal()?;
        if self.boundary.is_empty() {
            return Ok(diagonal);
        }
        let solve = |mut out: ValuesAndSlopes| {
            self.factor.solve_lower(&mut out.value);
            out.slope.iter_mut().for_each(|slope| self.factor.solve_lower(slope));
            out
        };
        for_each_block(self.evaluator(), self.scaled(), &self.boundary, solve, |start, out| {
            for at in 0..out.value.columns() {
                let (i, value) = (start + at, out.value.column(at));
                diagonal.value[i] -= dot(value, value);
                for (l, slope) in out.slope.iter().enumerate() {
                    let slope = slope.column(at);
                    diagonal.slope[(i, l)] -= dot(value, slope);
                    diagonal.both[i] -= dot(slope, slope);
                }
            }
        })?;
        Ok(diagonal)
    }

    fn holder(&self) -> Holder {
        self.inner.holder()
    }

    fn parts(&self) -> Parts<'_> {
        Parts { conditioned: (!self.boundary.is_empty()).then_some(self), features: None }
    }
}

use std::sync::Arc;

use rayon::prelude::*;

use super::form::{Diagonal, Holder, SteinForm, Term, check_shape, there_and_back};
use super::radial::{Radial, cross};
use crate::compute::cholesky::Cholesky;
use crate::compute::dot;
use crate::compute::packed::LARGEST_TILE;
use crate::compute::pairs::{PairKernel, Scaled, WrittenOut};
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
/// which a Gaussian process would call the covariance that is left once noisy zeros were seen at `b`. The discrepancy of the
/// paper, `u_l - v_l' (K + e I)^-1 v_l`, is the Stein kernel of `k0`. Without boundary points `k0` is `k`.
///
/// # Requirements
///
/// Boundary points in the same coordinates as the data, at most [`BOUNDARY_LIMIT`] of them. With a ridge they may repeat.
///
/// # Complexity
///
/// The correction has rank `m` and is never formed: a pass costs `n m` further kernel values and solves with one Cholesky
/// factor of size `m`, for the few columns at hand. Only [`diagonal`](SteinForm::diagonal) needs `n m^2 (1 + d)` operations.
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
    pub(super) boundary: Scaled,
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
        if boundary.len() > BOUNDARY_LIMIT {
            let (points, limit) = (boundary.len(), BOUNDARY_LIMIT);
            return Err(KernelError::TooManyBoundaryPoints { points, limit }.into());
        }
        let inner = inner.into();
        let scaled = inner.kernel().scale(boundary)?;
        let mut gram = inner.kernel().values(&scaled, 0..scaled.len(), &scaled);
        for i in 0..scaled.len() {
            gram[(i, i)] += ridge;
        }
        let interrupt = &inner.kernel().interrupt;
        let factor = Cholesky::until(gram, interrupt);
        interrupt.check()?;
        let factor = factor.ok_or(KernelError::SingularBoundary { points: scaled.len(), ridge })?;
        let boundary_points =
            Matrix::from_fn(boundary.len(), boundary.dimension(), |i, l| boundary.row(i)[l]);
        Ok(Conditioned { inner, boundary: scaled, boundary_points, factor, ridge })
    }

    /// The same kernel, conditioned on other boundary points.
    pub(crate) fn on(&self, boundary: &Points) -> Result<Conditioned, Error> {
        Conditioned::new(Arc::clone(&self.inner), boundary, self.ridge)
    }

    pub(super) fn kernel(&self) -> &PairKernel {
        self.inner.kernel()
    }

    pub(super) fn scaled(&self) -> &Scaled {
        self.inner.scaled()
    }

    /// The boundary points, one in a row.
    pub(super) fn boundary_points(&self) -> &Matrix {
        &self.boundary_points
    }

    /// `L^-1 k(b, x)` with `K + e I = L L'`, one column for each point: its square is what the boundary explains of `k(x, x)`.
    pub(super) fn known_at(&self, points: &Scaled) -> Matrix {
        let mut known = self.inner.kernel().values(points, 0..points.len(), &self.boundary);
        self.factor.solve_lower(&mut known);
        known
    }

    /// `(K + e I)^-1 k(b, x)`, one column for each point.
    pub(super) fn explained_at(&self, points: &Scaled) -> Matrix {
        let mut explained = self.inner.kernel().values(points, 0..points.len(), &self.boundary);
        self.factor.solve(&mut explained);
        explained
    }

    fn solved_at_boundary(&self, columns: &Matrix, terms: &[Term]) -> Matrix {
        let data = self.inner.scaled();
        let mut at_boundary = cross(self.kernel(), &self.boundary, data, columns, terms);
        self.factor.solve(&mut at_boundary);
        at_boundary
    }

    /// Takes the boundary's part away from the plain kernel's products at `rows`.
    fn correct(&self, rows: &Scaled, columns: &Matrix, terms: &[Term], products: &mut Matrix) {
        if self.boundary.len() == 0 {
            return;
        }
        let (needed, outer) = there_and_back(terms, self.coordinates());
        let multipliers = self.solved_at_boundary(columns, &needed);
        let back: Vec<Term> = outer.iter().map(|(_, term)| *term).collect();
        let correction = cross(self.kernel(), rows, &self.boundary, &multipliers, &back);
        for (j, (output, _)) in outer.iter().enumerate() {
            add_scaled(products.column_mut(*output), -1.0, correction.column(j));
        }
    }
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
        let mut products = self.inner.apply(columns, terms)?;
        self.correct(self.inner.scaled(), columns, terms, &mut products);
        self.kernel().interrupt.check()?;
        Ok(products)
    }

    fn apply_at(&self, targets: &Points, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        check_shape(self, columns, terms)?;
        let rows = self.inner.kernel().scale(targets)?;
        let mut products = cross(self.kernel(), &rows, self.inner.scaled(), columns, terms);
        self.correct(&rows, columns, terms, &mut products);
        self.kernel().interrupt.check()?;
        Ok(products)
    }

    fn diagonal(&self) -> Diagonal {
        let mut diagonal = self.inner.diagonal();
        if self.boundary.len() == 0 {
            return diagonal;
        }
        let data = self.inner.scaled();
        let blocks: Vec<usize> = (0..data.len()).step_by(LARGEST_TILE).collect();
        let of_block = |start: &usize| {
            let range = *start..(start + LARGEST_TILE).min(data.len());
            let mut out = self.inner.kernel().values_and_slopes(data, range, &self.boundary);
            self.factor.solve_lower(&mut out.value);
            out.slope.iter_mut().for_each(|slope| self.factor.solve_lower(slope));
            out
        };
        // A block takes room for its kernel values and slopes, so that not all are written out at once.
        let room = self.boundary.len() * LARGEST_TILE * (1 + self.coordinates());
        let chunks = blocks.chunks((MOST_WRITTEN_OUT / room).clamp(1, 16));
        for some in chunks.take_while(|_| !self.kernel().interrupt.is_raised()) {
            let written: Vec<WrittenOut> = some.par_iter().map(of_block).collect();
            for (start, out) in some.iter().zip(written) {
                for at in 0..out.value.columns() {
                    let (i, value) = (start + at, out.value.column(at));
                    diagonal.value[i] -= dot(value, value);
                    for (l, slope) in out.slope.iter().enumerate() {
                        let slope = slope.column(at);
                        diagonal.slope[(i, l)] -= dot(value, slope);
                        diagonal.both[i] -= dot(slope, slope);
                    }
                }
            }
        }
        diagonal
    }

    fn holder(&self) -> Holder {
        self.inner.holder()
    }

    fn leaks(&self) -> Vec<f64> {
        Conditioned::leaks(self)
    }

    fn leaks_among(&self, boundary: &Points) -> Result<Vec<f64>, Error> {
        Ok(self.on(boundary)?.leaks())
    }

    fn leaks_at(&self, places: &Points) -> Result<Option<Vec<f64>>, Error> {
        if self.boundary.len() == 0 {
            return Ok(None);
        }
        Conditioned::leaks_at(self, places).map(Some)
    }

    fn boundary_condition(&self) -> Option<f64> {
        (self.boundary.len() > 0).then(|| self.factor.condition_number())
    }

    fn multipliers(&self, columns: &Matrix, terms: &[Term]) -> Result<Option<Matrix>, Error> {
        check_shape(self, columns, terms)?;
        if self.boundary.len() == 0 {
            return Ok(None);
        }
        self.kernel().interrupt.watch(|| Ok(Some(self.solved_at_boundary(columns, terms))))
    }
}

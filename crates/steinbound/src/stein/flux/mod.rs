use std::sync::Arc;

use super::conditioned::{check_boundary, for_each_block};
use super::form::{Diagonal, Holder, Operator, SteinForm, Term, check_shape, wrong_shape};
use super::radial::{Radial, cross};
use crate::compute::cholesky::Cholesky;
use crate::compute::{dot, place_of};
use crate::engine::{ScaledPoints, ValuesAndSlopes};
use crate::error::{Error, KernelError};
use crate::matrix::{Matrix, add_scaled, times_elementwise};
use crate::points::Points;

/// The form of a kernel conditioned to have no flux through the boundary: of a test function, only the
/// component along the normal vanishes at the boundary points.
///
/// # Definition
///
/// The Stein identity needs `f.n = 0` on the boundary, not `f = 0`. With boundary points `b_1..b_m`, their
/// normals `n_i` (of any sign) and ridges `e_i`,
///
/// ```text
/// K(x, y) = k(x, y) I - sum_ij k(x, b_i) n_i [B^-1]_ij n_j' k(b_j, y),   B_ij = k(b_i, b_j) n_i.n_j + e_i [i = j],
/// ```
///
/// a matrix that couples the differentiated coordinates. The same boundary point given once for each
/// coordinate, with the unit vectors for normals, is conditioned in every component: that is
/// [`Conditioned`](super::Conditioned).
///
/// # Requirements
///
/// A normal for each boundary point, in the differentiated coordinates.
///
/// # Complexity
///
/// The correction has rank `m` and is never formed: a pass costs `n m` further kernel values and solves with
/// one Cholesky factor of size `m`.
///
/// ```
/// use steinbound::stein::{FluxConditioned, Operator, Radial, SteinForm, Term};
/// use steinbound::{Matrix, Points, kernel};
/// let points = Points::from_rows(&[[0.2, 0.3], [0.5, 0.8]])?;
/// let floor = Points::from_rows(&[[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]])?;
/// let up = Matrix::from_fn(3, 2, |_, l| l as f64);
/// let form = Radial::tiled(&points, kernel::by_name("gaussian")?, 0.5)?;
/// let form = FluxConditioned::new(form, &floor, &up, &[1e-9; 3])?;
/// let ones = Matrix::from_fn(2, 1, |_, _| 1.0);
/// let terms = [Term::new(Operator::Between(0, 0), 0), Term::new(Operator::Between(1, 1), 0)];
/// let at_floor = form.apply_at(&floor, &ones, &terms)?;
/// // Along the floor a test function may do what it likes.
/// assert!(at_floor.column(0)[0] > 0.5 && at_floor.column(1).iter().all(|g| g.abs() < 1e-8));
/// # Ok::<(), steinbound::Error>(())
/// ```
pub struct FluxConditioned {
    inner: Arc<Radial>,
    boundary: ScaledPoints,
    /// Boundary points by differentiated coordinates.
    normals: Matrix,
    factor: Cholesky,
}

/// What the correction takes of a kernel at a boundary point, on either side: its product with a component of
/// the normal, or its derivative along the normal.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Component(usize),
    Divergence,
}

/// An operator of the correction as what it takes at the point of evaluation and at the data.
fn sides(operator: Operator) -> (Side, Side) {
    match operator {
        Operator::Between(l, m) => (Side::Component(l), Side::Component(m)),
        Operator::Second(l) => (Side::Component(l), Side::Divergence),
        Operator::First(l) => (Side::Divergence, Side::Component(l)),
        // A coupled form has no plain values.
        Operator::Both | Operator::Energy | Operator::Value | Operator::Gram => {
            (Side::Divergence, Side::Divergence)
        }
    }
}

impl FluxConditioned {
    /// Conditions a radial form on no flux at the boundary points, of which `normals` (boundary points by
    /// differentiated coordinates) has one normal each, and `ridges` one ridge each.
    pub fn new(
        inner: impl Into<Arc<Radial>>,
        boundary: &Points,
        normals: &Matrix,
        ridges: &[f64],
    ) -> Result<FluxConditioned, Error> {
        check_boundary(boundary)?;
        let inner = inner.into();
        let (count, coordinates) = (boundary.len(), inner.coordinates());
        if (normals.rows(), normals.columns(), ridges.len()) != (count, coordinates, count) {
            let what = format!(
                "{count} boundary points with {} normals of {} coordinates and {} ridges",
                normals.rows(),
                normals.columns(),
                ridges.len()
            );
            return Err(wrong_shape(inner.as_ref(), what).into());
        }
        if let Some(value) = ridges.iter().find(|ridge| !(**ridge >= 0.0 && ridge.is_finite())) {
            return Err(KernelError::BadRidge { value: *value }.into());
        }
        let scaled = inner.evaluator.scale(boundary)?;
        let mut gram = inner.evaluator.values(&scaled, &scaled)?;
        for j in 0..count {
            for i in 0..count {
                gram[(i, j)] *= (0..coordinates).map(|l| normals[(i, l)] * normals[(j, l)]).sum::<f64>();
            }
            gram[(j, j)] += ridges[j];
        }
        let ridge = ridges.iter().copied().fold(f64::INFINITY, f64::min);
        let factor = Cholesky::of_large(gram, &inner.evaluator.interrupt)?
            .ok_or(KernelError::SingularBoundary { points: count, ridge })?;
        Ok(FluxConditioned { inner, boundary: scaled, normals: normals.clone(), factor })
    }

    /// `B^-1` applied to what the correction takes of the data, one column for each of `wanted` (side and
    /// column).
    fn multipliers(&self, columns: &Matrix, wanted: &[(Side, usize)]) -> Result<Matrix, Error> {
        let mut terms: Vec<Term> = Vec::new();
        let mut parts: Vec<(usize, usize, usize)> = Vec::new();
        for (at, (side, column)) in wanted.iter().enumerate() {
            match side {
                Side::Component(l) => {
                    parts.push((at, place_of(&mut terms, Term::new(Operator::Value, *column)), *l));
                }
                Side::Divergence => parts.extend(
                    (0..self.coordinates())
                        .map(|l| (at, place_of(&mut terms, Term::new(Operator::Second(l), *column)), l)),
                ),
            }
        }
        let plain = cross(&self.inner.evaluator, &self.boundary, self.inner.scaled(), columns, &terms)?;
        let mut sums = Matrix::zeros(self.boundary.len(), wanted.len());
        for (at, term, l) in parts {
            let part = times_elementwise(self.normals.column(l), plain.column(term));
            add_scaled(sums.column_mut(at), 1.0, &part);
        }
        self.factor.solve(&mut sums);
        Ok(sums)
    }

    /// The terms at `rows`, given those of the plain kernel where it has any.
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
        let mut wanted: Vec<(Side, usize)> = Vec::new();
        let mut weights: Vec<(usize, usize)> = Vec::new();
        let mut back: Vec<(usize, Term)> = Vec::new();
        for (output, term) in terms.iter().enumerate() {
            let (left, right) = sides(term.operator);
            let at = place_of(&mut wanted, (right, term.column));
            match left {
                Side::Component(l) => {
                    back.push((output, Term::new(Operator::Value, place_of(&mut weights, (at, l)))));
                }
                Side::Divergence => back.extend(
                    (0..self.coordinates())
                        .map(|l| (output, Term::new(Operator::First(l), place_of(&mut weights, (at, l))))),
                ),
            }
        }
        let multipliers = self.multipliers(columns, &wanted)?;
        let mut weighted = Matrix::zeros(self.boundary.len(), weights.len());
        for (j, (at, l)) in weights.into_iter().enumerate() {
            let product = times_elementwise(self.normals.column(l), multipliers.column(at));
            weighted.column_mut(j).copy_from_slice(&product);
        }
        let plain: Vec<Term> = back.iter().map(|(_, term)| *term).collect();
        let correction = cross(&self.inner.evaluator, rows, &self.boundary, &weighted, &plain)?;
        for (j, (output, _)) in back.into_iter().enumerate() {
            add_scaled(products.column_mut(output), -1.0, correction.column(j));
        }
        Ok(products)
    }

    /// The terms of `k I`: those between different coordinates are zero.
    fn plain(
        &self,
        rows: usize,
        terms: &[Term],
        apply: impl FnOnce(&[Term]) -> Result<Matrix, Error>,
    ) -> Result<Matrix, Error> {
        let is_there = |term: &Term| !matches!(term.operator, Operator::Between(l, m) if l != m);
        let some: Vec<Term> = terms.iter().copied().filter(is_there).collect();
        let found = apply(&some)?;
        let mut products = Matrix::zeros(rows, terms.len());
        let outputs = terms.iter().enumerate().filter(|(_, term)| is_there(term));
        for (at, (output, _)) in outputs.enumerate() {
            products.column_mut(output).copy_from_slice(found.column(at));
        }
        Ok(products)
    }
}

impl SteinForm for FluxConditioned {
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
        check_shape(self, columns, terms)?;
        let products = self.plain(self.points(), terms, |terms| self.inner.apply(columns, terms))?;
        self.correct(self.inner.scaled(), columns, terms, products)
    }

    fn apply_at(&self, targets: &Points, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        check_shape(self, columns, terms)?;
        let evaluator = &self.inner.evaluator;
        let rows = evaluator.scale(targets)?;
        let products = self
            .plain(rows.len(), terms, |terms| cross(evaluator, &rows, self.inner.scaled(), columns, terms))?;
        self.correct(&rows, columns, terms, products)
    }

    fn diagonal(&self) -> Result<Diagonal, Error> {
        let plain = self.inner.diagonal()?;
        let d = self.coordinates();
        let mut diagonal = Diagonal {
            value: Vec::new(),
            between: Matrix::from_fn(self.points(), d * d, |i, at| {
                if at / d == at % d { plain.value[i] } else { 0.0 }
            }),
            ..plain
        };
        if self.boundary.is_empty() {
            return Ok(diagonal);
        }
        let along = |l: usize, mut of: Matrix| {
            for i in 0..of.columns() {
                of.column_mut(i).iter_mut().zip(self.normals.column(l)).for_each(|(v, n)| *v *= n);
            }
            of
        };
        // The components of the kernel along the normals, and its divergence along them, each solved for.
        let solve = |out: ValuesAndSlopes| {
            let mut components: Vec<Matrix> = (0..d).map(|l| along(l, out.value.clone())).collect();
            let slopes = out.slope.into_iter().enumerate().map(|(l, slope)| along(l, slope));
            let zeros = Matrix::zeros(out.value.rows(), out.value.columns());
            let mut divergence = slopes.fold(zeros, |mut sum, slope| {
                add_scaled(sum.values_mut(), 1.0, slope.values());
                sum
            });
            components.iter_mut().for_each(|component| self.factor.solve_lower(component));
            self.factor.solve_lower(&mut divergence);
            (components, divergence)
        };
        let (evaluator, points) = (&self.inner.evaluator, self.inner.scaled());
        for_each_block(evaluator, points, &self.boundary, solve, |start, (components, divergence)| {
            for at in 0..divergence.columns() {
                let (i, own) = (start + at, divergence.column(at));
                diagonal.both[i] -= dot(own, own);
                for (l, component) in components.iter().enumerate() {
                    diagonal.slope[(i, l)] -= dot(component.column(at), own);
                    for (m, other) in components.iter().enumerate() {
                        diagonal.between[(i, l * d + m)] -= dot(component.column(at), other.column(at));
                    }
                }
            }
        })?;
        Ok(diagonal)
    }

    fn holder(&self) -> Holder {
        self.inner.holder()
    }

    fn is_coupled(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;

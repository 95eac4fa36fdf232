//! Cholesky factors of symmetric positive definite matrices.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::dot;
use crate::interrupt::{Interrupt, Interrupted};
use crate::matrix::{Matrix, add_scaled};

/// `A = L L'` with `L` lower triangular, for a symmetric positive definite `A`.
///
/// Work is cut into blocks of fixed size, each on one thread, so that the bits do not depend on how many
/// threads there are.
#[derive(Debug, Clone)]
pub(crate) struct Cholesky {
    lower: Matrix,
}

impl Cholesky {
    /// Factorises the matrix, of which only the lower triangle is read; `None` where it is not positive
    /// definite.
    ///
    /// By block columns from left to right: the block on the diagonal is factorised, the rows below it are
    /// solved for, and the block columns to the right of it lose its part of the product.
    pub(crate) fn new(matrix: Matrix) -> Option<Cholesky> {
        Cholesky::of_large(matrix, &Interrupt::new()).ok().flatten()
    }

    /// [`new`](Cholesky::new) for a matrix that takes its time.
    pub(crate) fn of_large(
        mut matrix: Matrix,
        interrupt: &Interrupt,
    ) -> Result<Option<Cholesky>, Interrupted> {
        let size = matrix.rows();
        for start in (0..size).step_by(BLOCK) {
            interrupt.check()?;
            let width = BLOCK.min(size - start);
            let (done, rest) = matrix.values_mut()[start * size..].split_at_mut(width * size);
            let mut diagonal = Matrix::from_fn(width, width, |i, j| done[j * size + start + i]);
            if factorise(&mut diagonal).is_none() {
                return Ok(None);
            }
            let below = start + width;
            let panel: Vec<Matrix> = (below..size)
                .into_par_iter()
                .step_by(BLOCK)
                .map(|row| {
                    let height = BLOCK.min(size - row);
                    let mut part = Matrix::from_fn(width, height, |j, i| done[j * size + row + i]);
                    solve_lower_triangular_in_place(view(&diagonal), view_mut(&mut part), Par::Seq);
                    part
                })
                .collect();
            rest.par_chunks_mut(BLOCK * size).enumerate().for_each(|(column, values)| {
                let right = &panel[column];
                let target = MatMut::from_column_major_slice_mut(values, size, right.columns());
                let mut target = target.submatrix_mut(
                    below + column * BLOCK,
                    0,
                    size - below - column * BLOCK,
                    right.columns(),
                );
                for (row, left) in panel[column..].iter().enumerate() {
                    let part = target.as_mut().submatrix_mut(row * BLOCK, 0, left.columns(), right.columns());
                    matmul(part, Accum::Add, view(left).transpose(), view(right), -1.0, Par::Seq);
                }
            });
            for j in 0..width {
                let column = &mut done[j * size..(j + 1) * size];
                column[start..below].copy_from_slice(diagonal.column(j));
                for (part, rows) in panel.iter().zip(column[below..].chunks_mut(BLOCK)) {
                    rows.iter_mut().enumerate().for_each(|(i, value)| *value = part[(j, i)]);
                }
            }
        }
        let pivots_are_sound = (0..size).all(|i| matrix[(i, i)] > 0.0 && matrix[(i, i)].is_finite());
        Ok(pivots_are_sound.then_some(Cholesky { lower: matrix }))
    }

    /// The factor whose lower triangle is given.
    pub(crate) fn from_lower(lower: Matrix) -> Cholesky {
        Cholesky { lower }
    }

    /// `right := L^-1 right`.
    pub(crate) fn solve_lower(&self, right: &mut Matrix) {
        self.in_parts(right, |lower, part| solve_lower_triangular_in_place(lower, part, Par::Seq));
    }

    /// `right := A^-1 right = L^-T L^-1 right`.
    pub(crate) fn solve(&self, right: &mut Matrix) {
        self.in_parts(right, |lower, mut part| {
            solve_lower_triangular_in_place(lower, part.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(lower.transpose(), part, Par::Seq);
        });
    }

    /// Solves for a few columns at a time, in parallel.
    fn in_parts(&self, right: &mut Matrix, solve: impl Fn(MatRef<'_, f64>, MatMut<'_, f64>) + Sync) {
        let rows = right.rows();
        if rows == 0 {
            return;
        }
        right.values_mut().par_chunks_mut(RIGHT_SIDES * rows).for_each(|part| {
            let columns = part.len() / rows;
            solve(view(&self.lower), MatMut::from_column_major_slice_mut(part, rows, columns));
        });
    }

    /// `A^-1`.
    pub(crate) fn inverse(&self) -> Matrix {
        let mut inverse = Matrix::identity(self.lower.rows());
        self.solve(&mut inverse);
        inverse
    }

    /// The first columns of `A^-1`, on one thread.
    pub(crate) fn inverse_columns(&self, count: usize) -> Matrix {
        let mut columns = Matrix::from_fn(self.lower.rows(), count, |i, j| f64::from(u8::from(i == j)));
        let lower = view(&self.lower);
        solve_lower_triangular_in_place(lower, view_mut(&mut columns), Par::Seq);
        solve_upper_triangular_in_place(lower.transpose(), view_mut(&mut columns), Par::Seq);
        columns
    }

    /// `L`, of which only the lower triangle may be read.
    pub(crate) fn lower(&self) -> &Matrix {
        &self.lower
    }

    /// `L x`.
    pub(crate) fn times_lower(&self, x: &[f64]) -> Vec<f64> {
        (0..x.len()).map(|i| (0..=i).map(|j| self.lower[(i, j)] * x[j]).sum()).collect()
    }

    /// The sum of the logarithms of `L`'s diagonal: half the log-determinant of `A`.
    pub(crate) fn log_diagonal(&self) -> f64 {
        (0..self.lower.rows()).map(|i| self.lower[(i, i)].ln()).sum()
    }

    /// The largest pivot of the factorisation over the smallest, a lower bound on the condition number.
    pub(crate) fn condition(&self) -> f64 {
        let pivots = (0..self.lower.rows()).map(|i| self.lower[(i, i)].powi(2));
        let (low, high) = pivots.fold((f64::INFINITY, 0.0f64), |(low, high), p| (low.min(p), high.max(p)));
        high / low
    }

    /// The largest eigenvalue of `A` over the smallest, estimated from below.
    ///
    /// Both are lengths to which multiplying by `A`, or by its inverse, stretches a vector in the end. Where
    /// eigenvalues crowd at an end, as those of a smooth kernel do, that is known after a few steps.
    pub(crate) fn condition_number(&self) -> f64 {
        let size = self.lower.rows();
        growth(size, |x| self.multiply(x)) * growth(size, |x| self.divide(x))
    }

    /// `x := A x`.
    fn multiply(&self, x: &mut [f64]) {
        let inner: Vec<f64> = (0..x.len()).map(|j| dot(&self.lower.column(j)[j..], &x[j..])).collect();
        x.fill(0.0);
        for (j, factor) in inner.into_iter().enumerate() {
            add_scaled(&mut x[j..], factor, &self.lower.column(j)[j..]);
        }
    }

    /// `x := A^-1 x`, for a single column and on one thread.
    fn divide(&self, x: &mut [f64]) {
        for j in 0..x.len() {
            let column = &self.lower.column(j)[j..];
            x[j] /= column[0];
            let factor = -x[j];
            add_scaled(&mut x[j + 1..], factor, &column[1..]);
        }
        for j in (0..x.len()).rev() {
            let column = &self.lower.column(j)[j..];
            x[j] = (x[j] - dot(&column[1..], &x[j + 1..])) / column[0];
        }
    }
}

/// By how much an operator stretches a vector that it was applied to again and again.
fn growth(size: usize, apply: impl Fn(&mut [f64])) -> f64 {
    // Fractions of multiples of the golden ratio: no eigenvector is likely to be at right angles to them.
    let mut x: Vec<f64> = (1..=size).map(|i| (i as f64 * 0.618_033_988_749_894_9).fract()).collect();
    let mut stretch = 0.0;
    for _ in 0..MOST_POWERS {
        let length = dot(&x, &x).sqrt();
        x.iter_mut().for_each(|v| *v /= length);
        apply(&mut x);
        let longer = dot(&x, &x).sqrt();
        let is_settled = (longer - stretch).abs() <= SETTLED * longer;
        stretch = longer;
        if is_settled || !stretch.is_finite() {
            break;
        }
    }
    stretch
}

/// The most times that an operator is applied to find how much it stretches.
const MOST_POWERS: usize = 30;

/// Relative change below which a stretch is known well enough: it is the order of magnitude that counts.
const SETTLED: f64 = 1e-3;

/// Solves `A X = B` for a symmetric positive definite `A` after scaling it to unit diagonal.
///
/// The scaling makes the answer, and the verdict that `A` is singular, independent of the parameters' units.
#[derive(Debug, Clone)]
pub(crate) struct ScaledCholesky {
    factor: Cholesky,
    scale: Vec<f64>,
}

impl ScaledCholesky {
    /// Factorises; the error is the condition number reached (infinite where there is no factor).
    pub(crate) fn new(matrix: &Matrix) -> Result<ScaledCholesky, f64> {
        let size = matrix.rows();
        let scale: Vec<f64> = (0..size).map(|i| matrix[(i, i)].sqrt()).collect();
        if scale.iter().any(|s| !(*s > 0.0 && s.is_finite())) {
            return Err(f64::INFINITY);
        }
        let scaled = Matrix::from_fn(size, size, |i, j| matrix[(i, j)] / (scale[i] * scale[j]));
        let factor = Cholesky::new(scaled).ok_or(f64::INFINITY)?;
        let condition = factor.condition();
        if condition < LARGEST_CONDITION { Ok(ScaledCholesky { factor, scale }) } else { Err(condition) }
    }

    /// `right := A^-1 right`.
    pub(crate) fn solve(&self, right: &mut Matrix) {
        self.rescale(right);
        self.factor.solve(right);
        self.rescale(right);
    }

    /// A matrix `R` with `R' R = A^-1`.
    pub(crate) fn inverse_root(&self) -> Matrix {
        let mut root = Matrix::identity(self.scale.len());
        self.rescale(&mut root);
        self.factor.solve_lower(&mut root);
        root
    }

    /// The largest eigenvalue of the scaled matrix over the smallest, estimated from below.
    pub(crate) fn condition_number(&self) -> f64 {
        self.factor.condition_number()
    }

    /// Every row of a matrix solved for and multiplied by a factor: `factor * rows A^-1`.
    pub(crate) fn solve_rows(&self, rows: &Matrix, factor: f64) -> Matrix {
        let mut transposed = rows.transpose();
        self.solve(&mut transposed);
        Matrix::from_fn(rows.rows(), rows.columns(), |i, k| factor * transposed[(k, i)])
    }

    fn rescale(&self, right: &mut Matrix) {
        for j in 0..right.columns() {
            for (x, s) in right.column_mut(j).iter_mut().zip(&self.scale) {
                *x /= s;
            }
        }
    }
}

/// Rows and columns of a block.
const BLOCK: usize = 128;

/// Columns that are solved for together.
const RIGHT_SIDES: usize = 16;

/// The lower factor of a small matrix, in place; `None` where it is not positive definite.
fn factorise(matrix: &mut Matrix) -> Option<()> {
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(matrix.rows(), Par::Seq, Default::default());
    let mut buffer = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut buffer);
    llt::factor::cholesky_in_place(view_mut(matrix), Default::default(), Par::Seq, stack, Default::default())
        .ok()?;
    Some(())
}

/// Beyond this ratio of pivots fewer than two digits of a solution would be left: call it singular.
const LARGEST_CONDITION: f64 = 1e14;

pub(crate) fn view(matrix: &Matrix) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(matrix.values(), matrix.rows(), matrix.columns())
}

pub(crate) fn view_mut(matrix: &mut Matrix) -> MatMut<'_, f64> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    MatMut::from_column_major_slice_mut(matrix.values_mut(), rows, columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Matrix {
        let rows = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]];
        Matrix::from_fn(3, 3, |i, j| rows[i][j])
    }

    #[test]
    fn the_inverse_inverts() {
        let inverse = Cholesky::new(example()).unwrap().inverse();
        let product = example().times(&inverse);
        for i in 0..3 {
            for j in 0..3 {
                assert!((product[(i, j)] - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_matrix_of_many_blocks_has_its_factor() {
        let size = 2 * BLOCK + 37;
        let matrix = Matrix::from_fn(size, size, |i, j| {
            (-0.02 * (i as f64 - j as f64).powi(2)).exp() + if i == j { 0.1 } else { 0.0 }
        });
        let factor = Cholesky::new(matrix.clone()).unwrap();
        for (i, j) in [(0, 0), (130, 7), (200, 190), (size - 1, size - 1), (size - 1, BLOCK)] {
            let product: f64 = (0..=j.min(i)).map(|k| factor.lower()[(i, k)] * factor.lower()[(j, k)]).sum();
            assert!((product - matrix[(i, j)]).abs() < 1e-13, "{i}, {j}: {product}");
        }
        let truth = Matrix::from_fn(size, 40, |i, j| ((i + 3 * j) % 11) as f64);
        let mut solved = matrix.times(&truth);
        factor.solve(&mut solved);
        let worst =
            truth.values().iter().zip(solved.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-10, "{worst}");
    }

    /// Against the eigenvalues of an independent decomposition, for a smooth kernel with ridges large and
    /// small.
    #[test]
    fn condition_numbers_are_ratios_of_eigenvalues() {
        for (size, ridge) in [(3, 0.0), (60, 1e-1), (60, 1e-6), (60, 1e-11), (200, 1e-3)] {
            let kernel = |i: usize, j: usize| (-0.002 * (i as f64 - j as f64).powi(2)).exp();
            let matrix = match size {
                3 => example(),
                _ => Matrix::from_fn(size, size, |i, j| kernel(i, j) + if i == j { ridge } else { 0.0 }),
            };
            let values = view(&matrix).self_adjoint_eigenvalues(faer::Side::Lower).unwrap();
            let expected = values[size - 1] / values[0];
            let found = Cholesky::new(matrix).unwrap().condition_number();
            assert!(
                found <= 1.001 * expected && found >= 0.8 * expected,
                "{size}, {ridge}: {found:e}, {expected:e}"
            );
        }
    }

    #[test]
    fn an_indefinite_matrix_has_no_factor() {
        let mut matrix = example();
        matrix[(2, 2)] = -1.0;
        assert!(Cholesky::new(matrix).is_none());
        assert!(Cholesky::new(Matrix::zeros(2, 2)).is_none());
    }

    #[test]
    fn scaling_does_not_depend_on_units() {
        let units = [1e-9, 1.0, 1e9];
        let matrix = Matrix::from_fn(3, 3, |i, j| example()[(i, j)] * units[i] * units[j]);
        let mut right = Matrix::from_fn(3, 1, |i, _| units[i]);
        ScaledCholesky::new(&matrix).unwrap().solve(&mut right);
        let mut plain = Matrix::from_fn(3, 1, |_, _| 1.0);
        ScaledCholesky::new(&example()).unwrap().solve(&mut plain);
        for (i, unit) in units.iter().enumerate() {
            assert!((right[(i, 0)] * unit / plain[(i, 0)] - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn dependent_columns_are_singular() {
        let matrix = Matrix::from_fn(2, 2, |_, _| 1.0);
        assert!(ScaledCholesky::new(&matrix).is_err());
    }
}

//! Cholesky factors of symmetric positive definite matrices.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{MatMut, MatRef, Par};

use crate::matrix::Matrix;

/// `A = L L'` with `L` lower triangular, for a symmetric positive definite `A`.
///
/// Always computed on one thread, so that the bits do not depend on how many there are.
#[derive(Debug, Clone)]
pub(crate) struct Cholesky {
    lower: Matrix,
}

impl Cholesky {
    /// Factorises the matrix, of which only the lower triangle is read; `None` where it is not positive definite.
    pub(crate) fn new(mut matrix: Matrix) -> Option<Cholesky> {
        let size = matrix.rows();
        if size == 0 {
            return Some(Cholesky { lower: matrix });
        }
        let scratch = llt::factor::cholesky_in_place_scratch::<f64>(size, Par::Seq, Default::default());
        let mut buffer = MemBuffer::new(scratch);
        llt::factor::cholesky_in_place(
            view_mut(&mut matrix),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut buffer),
            Default::default(),
        )
        .ok()?;
        let pivots_are_sound = (0..size).all(|i| matrix[(i, i)] > 0.0 && matrix[(i, i)].is_finite());
        pivots_are_sound.then_some(Cholesky { lower: matrix })
    }

    /// `right := L^-1 right`.
    pub(crate) fn solve_lower(&self, right: &mut Matrix) {
        if right.rows() > 0 && right.columns() > 0 {
            solve_lower_triangular_in_place(view(&self.lower), view_mut(right), Par::Seq);
        }
    }

    /// `right := A^-1 right = L^-T L^-1 right`.
    pub(crate) fn solve(&self, right: &mut Matrix) {
        self.solve_lower(right);
        if right.rows() > 0 && right.columns() > 0 {
            let upper = view(&self.lower).transpose();
            solve_upper_triangular_in_place(upper, view_mut(right), Par::Seq);
        }
    }

    /// `A^-1`.
    pub(crate) fn inverse(&self) -> Matrix {
        let mut inverse = Matrix::identity(self.lower.rows());
        self.solve(&mut inverse);
        inverse
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
}

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

/// Beyond this ratio of pivots fewer than two digits of a solution would be left: call it singular.
const LARGEST_CONDITION: f64 = 1e14;

fn view(matrix: &Matrix) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(matrix.values(), matrix.rows(), matrix.columns())
}

fn view_mut(matrix: &mut Matrix) -> MatMut<'_, f64> {
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

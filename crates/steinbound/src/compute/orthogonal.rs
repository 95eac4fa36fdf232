//! Orthonormal columns with the span of given ones.

use crate::matrix::{Matrix, add_scaled};

/// Columns `Q` that are orthonormal in a weighted inner product, and an upper triangular `R`, with `X = Q R`.
#[derive(Debug, Clone)]
pub(crate) struct Orthonormal {
    pub(crate) columns: Matrix,
    upper: Matrix,
}

/// A column of which less than this share is left beside the columns before it depends on them. Powers of a
/// year up to the third leave 6e-8, and up to the fifth, whose values are no longer exact, 3e-12.
const DEPENDENT: f64 = 1e-11;

impl Orthonormal {
    /// Orthonormalises columns in the inner product `sum_i w_i x_i y_i`, in their order. The error is the first
    /// column that depends on those before it.
    ///
    /// By Gram and Schmidt, each column twice: the first pass leaves rounding in the directions of the
    /// columns before, the second removes it. A constant first column so centres the others.
    pub(crate) fn new(columns: Matrix, weights: &[f64]) -> Result<Orthonormal, usize> {
        let (columns, upper, dependent) = orthonormalised(columns, weights, DEPENDENT);
        match dependent {
            Some(column) => Err(column),
            None => Ok(Orthonormal { columns, upper }),
        }
    }

    /// `R x`.
    pub(crate) fn times_upper(&self, x: &[f64]) -> Vec<f64> {
        (0..x.len()).map(|i| (i..x.len()).map(|j| self.upper[(i, j)] * x[j]).sum()).collect()
    }

    /// `x := R^-1 x`.
    pub(crate) fn solve_upper(&self, x: &mut [f64]) {
        for j in (0..self.upper.columns()).rev() {
            x[j] /= self.upper[(j, j)];
            let (factor, column) = (-x[j], self.upper.column(j));
            add_scaled(&mut x[..j], factor, &column[..j]);
        }
    }
}

/// Orthonormal columns, the upper triangular matrix that gives the columns back, and the first column, if any, of
/// which less than a share is left beside those before it.
fn orthonormalised(columns: Matrix, weights: &[f64], dependent: f64) -> (Matrix, Matrix, Option<usize>) {
    let count = columns.columns();
    let product = |a: &[f64], b: &[f64]| -> f64 {
        weights.iter().zip(a).zip(b).filter(|((w, _), _)| **w != 0.0).map(|((w, a), b)| w * a * b).sum()
    };
    let (mut basis, mut upper) = (columns, Matrix::zeros(count, count));
    for j in 0..count {
        let mut column = basis.column(j).to_vec();
        let size = product(&column, &column).sqrt();
        for _ in 0..2 {
            for k in 0..j {
                let share = product(basis.column(k), &column);
                add_scaled(&mut column, -share, basis.column(k));
                upper[(k, j)] += share;
            }
        }
        let length = product(&column, &column).sqrt();
        if length.is_nan() || length < dependent * size || (length == 0.0 && dependent > 0.0) {
            return (basis, upper, Some(j));
        }
        upper[(j, j)] = length;
        let inverse = if length > 0.0 { length.recip() } else { 0.0 };
        basis.column_mut(j).iter_mut().zip(&column).for_each(|(q, v)| *q = v * inverse);
    }
    (basis, upper, None)
}

/// An upper triangular matrix `U` with `U'U = X'X`, of which no product of nearly dependent columns is formed.
pub(crate) fn triangle(columns: Matrix) -> Matrix {
    let ones = vec![1.0; columns.rows()];
    orthonormalised(columns, &ones, 0.0).1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Powers of years, whose products with each other have a condition number of 1e21.
    #[test]
    fn nearly_dependent_columns_become_orthonormal() {
        let powers = Matrix::from_fn(31, 4, |i, j| (1990.0 + i as f64).powi(j as i32));
        let weights: Vec<f64> = (0..31).map(|i| [0.0, 1.0, 2.0][i % 3] / 31.0).collect();
        let found = Orthonormal::new(powers.clone(), &weights).unwrap();
        for j in 0..4 {
            for k in 0..4 {
                let product: f64 =
                    (0..31).map(|i| weights[i] * found.columns[(i, j)] * found.columns[(i, k)]).sum();
                assert!((product - f64::from(u8::from(j == k))).abs() < 1e-14, "{j} {k} {product}");
            }
        }
        for i in 0..31 {
            let mut row: Vec<f64> = (0..4).map(|j| f64::from(u8::from(i % 4 == j))).collect();
            let back = found.times_upper(&row);
            found.solve_upper(&mut row);
            let mut again = back;
            found.solve_upper(&mut again);
            assert!((again[i % 4] - 1.0).abs() < 1e-6 && row[i % 4].is_finite());
            let value: f64 = (0..4).map(|k| found.columns[(i, k)] * found.upper[(k, 3)]).sum();
            assert!((value / powers[(i, 3)] - 1.0).abs() < 1e-14);
        }
        let twice = Matrix::from_fn(31, 2, |i, j| (3.0 + j as f64) * (i as f64 + 0.1));
        assert_eq!(Orthonormal::new(twice, &weights).unwrap_err(), 1);
        assert!(Orthonormal::new(Matrix::zeros(31, 1), &weights).is_err());
    }
}

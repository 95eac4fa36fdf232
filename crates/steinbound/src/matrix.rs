//! [`Matrix`]: the dense matrix in which results are returned.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A dense matrix of `f64`, stored column by column and serialised as a list of rows.
///
/// Like a slice it panics if an index is out of range or the sizes of a product differ.
///
/// ```
/// use steinbound::Matrix;
/// let mut a = Matrix::identity(2);
/// a[(0, 1)] = 3.0;
/// assert_eq!(a.column(1), &[3.0, 1.0]);
/// assert_eq!(a.to_rows(), vec![vec![1.0, 3.0], vec![0.0, 1.0]]);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "Vec<Vec<f64>>", try_from = "Vec<Vec<f64>>")]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Matrix {
        Matrix { rows, columns, values: vec![0.0; rows * columns] }
    }

    /// The identity matrix.
    pub fn identity(size: usize) -> Matrix {
        Matrix::diagonal(&vec![1.0; size])
    }

    /// A matrix with the given diagonal and zeros elsewhere.
    pub fn diagonal(diagonal: &[f64]) -> Matrix {
        let mut matrix = Matrix::zeros(diagonal.len(), diagonal.len());
        for (i, value) in diagonal.iter().enumerate() {
            matrix[(i, i)] = *value;
        }
        matrix
    }

    /// A matrix from a function of (row, column).
    pub fn from_fn(rows: usize, columns: usize, mut value: impl FnMut(usize, usize) -> f64) -> Matrix {
        let mut matrix = Matrix::zeros(rows, columns);
        for j in 0..columns {
            for i in 0..rows {
                matrix[(i, j)] = value(i, j);
            }
        }
        matrix
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Column `j`.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.values[j * self.rows..(j + 1) * self.rows]
    }

    /// Column `j`, mutable.
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.values[j * self.rows..(j + 1) * self.rows]
    }

    /// All values, column by column.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, column by column, mutable.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The values as a list of rows.
    pub fn to_rows(&self) -> Vec<Vec<f64>> {
        (0..self.rows).map(|i| (0..self.columns).map(|j| self[(i, j)]).collect()).collect()
    }

    /// Some of the columns.
    pub(crate) fn part(&self, columns: std::ops::Range<usize>) -> Matrix {
        let values = self.values[columns.start * self.rows..columns.end * self.rows].to_vec();
        Matrix { rows: self.rows, columns: columns.len(), values }
    }

    /// The columns of this matrix, followed by those of another with the same number of rows.
    pub(crate) fn beside(mut self, other: &Matrix) -> Matrix {
        debug_assert_eq!(self.rows, other.rows);
        self.values.extend_from_slice(&other.values);
        self.columns += other.columns;
        self
    }

    /// The transpose.
    pub fn transpose(&self) -> Matrix {
        Matrix::from_fn(self.columns, self.rows, |i, j| self[(j, i)])
    }

    /// The product with another matrix.
    ///
    /// # Panics
    ///
    /// If the inner sizes differ.
    pub fn times(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.columns, other.rows, "inner sizes of a matrix product");
        let mut product = Matrix::zeros(self.rows, other.columns);
        for j in 0..other.columns {
            let out = &mut product.values[j * self.rows..(j + 1) * self.rows];
            for (k, factor) in other.column(j).iter().enumerate() {
                add_scaled(out, *factor, self.column(k));
            }
        }
        product
    }

    /// The product with a vector.
    ///
    /// # Panics
    ///
    /// If the sizes differ.
    pub fn times_vector(&self, vector: &[f64]) -> Vec<f64> {
        assert_eq!(self.columns, vector.len(), "sizes of a matrix-vector product");
        let mut product = vec![0.0; self.rows];
        for (k, factor) in vector.iter().enumerate() {
            add_scaled(&mut product, *factor, self.column(k));
        }
        product
    }
}

impl From<Matrix> for Vec<Vec<f64>> {
    fn from(matrix: Matrix) -> Self {
        matrix.to_rows()
    }
}

impl TryFrom<Vec<Vec<f64>>> for Matrix {
    type Error = String;

    fn try_from(rows: Vec<Vec<f64>>) -> Result<Matrix, String> {
        let columns = rows.first().map_or(0, Vec::len);
        if rows.iter().any(|row| row.len() != columns) {
            return Err("the rows of a matrix have different lengths".into());
        }
        Ok(Matrix::from_fn(rows.len(), columns, |i, j| rows[i][j]))
    }
}

/// `out += factor * column`.
#[inline]
pub(crate) fn add_scaled(out: &mut [f64], factor: f64, column: &[f64]) {
    for (o, x) in out.iter_mut().zip(column) {
        *o += factor * x;
    }
}

/// Every column multiplied by the weights, and the weights themselves as one more column.
pub(crate) fn weighted_columns(columns: &Matrix, weights: &[f64]) -> Matrix {
    let mut weighted = Matrix::zeros(columns.rows(), columns.columns() + 1);
    for c in 0..columns.columns() {
        weighted.column_mut(c).copy_from_slice(&times_elementwise(weights, columns.column(c)));
    }
    weighted.column_mut(columns.columns()).copy_from_slice(weights);
    weighted
}

/// The element-wise product of two columns.
pub(crate) fn times_elementwise(left: &[f64], right: &[f64]) -> Vec<f64> {
    left.iter().zip(right).map(|(a, b)| a * b).collect()
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        assert!(i < self.rows, "row {i} of a matrix with {} rows", self.rows);
        &self.values[j * self.rows + i]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        assert!(i < self.rows, "row {i} of a matrix with {} rows", self.rows);
        &mut self.values[j * self.rows + i]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_follow_the_definition() {
        let a = Matrix::from_fn(2, 3, |i, j| (i * 3 + j) as f64);
        let b = a.transpose();
        assert_eq!(a.times(&b).to_rows(), vec![vec![5.0, 14.0], vec![14.0, 50.0]]);
        assert_eq!(a.times_vector(&[1.0, 0.0, 2.0]), vec![4.0, 13.0]);
    }
}

//! The machinery under the statistics that knows no kernel: vectorised loops, packed tables and dense
//! factorisations. The only place with `unsafe`.
//!
//! Everything here gives the same bits for any number of threads: work is cut into fixed tiles and
//! every sum is taken in a fixed order.

mod allocator;
pub(crate) mod cholesky;
mod control_groups;
pub(crate) mod distances;
pub(crate) mod elimination;
pub(crate) mod gauss_legendre;
pub(crate) mod memory;
pub(crate) mod orthogonal;
pub(crate) mod packed;
pub(crate) mod pivoted_cholesky;
pub(crate) mod simd;
pub(crate) mod squares;

pub use allocator::OneLineAllocator;
pub use memory::{available_memory, check_memory};

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};
use rayon::prelude::*;

use crate::matrix::Matrix;

/// Runs something on a thread of the pool. What is started from there in parallel need not be handed over
/// from outside, which would cost as much as a small fit each time.
pub(crate) fn in_pool<T: Send>(job: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_some() { job() } else { rayon::scope(|_| job()) }
}

/// The vector instructions in use: `avx512`, `avx2` or `portable`. They are the widest of the processor,
/// unless the environment variable `STEINBOUND_SIMD` says otherwise.
///
/// ```
/// assert!(["avx512", "avx2", "portable"].contains(&steinbound::simd_level()));
/// ```
pub fn simd_level() -> &'static str {
    simd::Level::current().name()
}

/// Returns an error if the environment variable `STEINBOUND_SIMD` is not the name of a vector unit; without this
/// check the widest unit is used then.
///
/// ```
/// assert_eq!(steinbound::check_simd_choice(), Ok(()));
/// ```
pub fn check_simd_choice() -> Result<(), String> {
    simd::check_choice()
}

/// The inner product, in eight running sums so that the processor need not wait for each addition.
pub(crate) fn dot(left: &[f64], right: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (left8, left_rest) = left.as_chunks::<8>();
    let (right8, right_rest) = right.as_chunks::<8>();
    for (a, b) in left8.iter().zip(right8) {
        for k in 0..8 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// The place of an item in a list, to which it is added where it is new.
pub(crate) fn place_of<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|other| *other == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// The product of two matrices, on one thread.
pub(crate) fn product(left: &Matrix, right: &Matrix) -> Matrix {
    let mut product = Matrix::zeros(left.rows(), right.columns());
    if left.columns() > 0 {
        let (left, right) = (cholesky::view(left), cholesky::view(right));
        matmul(cholesky::view_mut(&mut product), Accum::Replace, left, right, 1.0, Par::Seq);
    }
    product
}

/// The product of the transpose of a matrix with another one, on one thread.
pub(crate) fn transposed_product(left: &Matrix, right: &Matrix) -> Matrix {
    let mut product = Matrix::zeros(left.columns(), right.columns());
    if left.rows() > 0 {
        let (left, right) = (cholesky::view(left).transpose(), cholesky::view(right));
        matmul(cholesky::view_mut(&mut product), Accum::Replace, left, right, 1.0, Par::Seq);
    }
    product
}

/// Columns of a symmetric product that one thread computes at a time.
const TOGETHER: usize = 64;

/// The product of a matrix with its own transpose, in parallel.
pub(crate) fn times_transpose(matrix: &Matrix) -> Matrix {
    let size = matrix.rows();
    let mut product = Matrix::zeros(size, size);
    if product.values().is_empty() || matrix.columns() == 0 {
        return product;
    }
    let all = cholesky::view(matrix);
    product.values_mut().par_chunks_mut(TOGETHER * size).enumerate().for_each(|(part, columns)| {
        let (start, width) = (TOGETHER * part, columns.len() / size);
        let target = MatMut::from_column_major_slice_mut(columns, size, width);
        // From the diagonal on; the rest is the same.
        let target = target.submatrix_mut(start, 0, size - start, width);
        let (left, right) = (all.subrows(start, size - start), all.subrows(start, width));
        matmul(target, Accum::Replace, left, right.transpose(), 1.0, Par::Seq);
    });
    for j in 0..size {
        (0..j).for_each(|i| product[(i, j)] = product[(j, i)]);
    }
    product
}

/// The solution of `matrix x = right` for a square matrix that need not be symmetric; `None` if it is singular.
pub(crate) fn solve_square(matrix: &Matrix, right: &Matrix) -> Option<Matrix> {
    use faer::linalg::solvers::Solve;
    // Rows of very different size, as parameters in different units have, are brought to one.
    let size = |i: usize| (0..matrix.columns()).map(|j| matrix[(i, j)].abs()).fold(0.0, f64::max);
    let scale: Vec<f64> = (0..matrix.rows()).map(size).collect();
    let scaled = |of: &Matrix| Matrix::from_fn(of.rows(), of.columns(), |i, j| of[(i, j)] / scale[i]);
    let mut solution = scaled(right);
    let scaled = scaled(matrix);
    cholesky::view(&scaled).partial_piv_lu().solve_in_place(cholesky::view_mut(&mut solution));
    solution.values().iter().all(|v| v.is_finite()).then_some(solution)
}

//! The machinery under the statistics: tiles of kernel values and dense factorisations.
//!
//! Everything here gives the same bits for any number of threads: work is cut into fixed tiles and
//! every sum is taken in a fixed order.

pub(crate) mod cholesky;
pub(crate) mod gauss_legendre;
pub(crate) mod pairs;
pub(crate) mod tiles;

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

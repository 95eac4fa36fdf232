//! Sums of products of Stein features.

use faer::Par;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::TestFields;
use crate::compute::cholesky::{view, view_mut};
use crate::compute::packed::LARGEST_TILE;
use crate::engine::ScaledPoints;
use crate::error::{Error, KernelError};
use crate::matrix::{Matrix, add_scaled};
use crate::points::Points;

/// `sum_i w_i g_i g_i'` and `sum_i w_i g_i` of the Stein features `g` of some data: what their covariance is
/// made of. Sums of parts of the data [merge](FieldSquares::merge).
///
/// ```
/// use steinbound::engine::PairKernel;
/// use steinbound::stein::TestFields;
/// use steinbound::{Matrix, Points, kernel};
/// let data = Points::from_rows(&[[-0.5], [0.1], [0.3], [0.6]])?;
/// let kernel = PairKernel::new(kernel::by_name("gaussian")?, vec![0.7], vec![0], vec![0.0])?;
/// let fields = TestFields::at(kernel, &Points::from_rows(&[[0.0], [0.5]])?)?;
/// let scores = Matrix::from_fn(4, 1, |i, _| -data.row(i)[0]);
/// let whole = fields.squares(&data, &scores, &[1.0; 4])?;
/// let part = |from: usize, to: usize| {
///     let rows: Vec<&[f64]> = data.rows().skip(from).take(to - from).collect();
///     let scores = Matrix::from_fn(to - from, 1, |i, _| -rows[i][0]);
///     fields.squares(&Points::from_rows(&rows)?, &scores, &vec![1.0; to - from])
/// };
/// let mut merged = part(0, 1)?;
/// merged.merge(&part(1, 4)?)?;
/// let both = whole.covariance().values().to_vec().into_iter().zip(merged.covariance().values().to_vec());
/// assert!(both.into_iter().all(|(a, b)| (a - b).abs() < 1e-14));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldSquares {
    /// `sum w`.
    pub weight: f64,
    /// `sum_i w_i g_i`.
    pub sum: Vec<f64>,
    /// `sum_i w_i g_i g_i'`; only the lower triangle counts.
    pub squares: Matrix,
}

/// Points are summed in at most this many chunks, whatever the number of threads: each has a matrix of its own.
const CHUNKS: usize = 16;

/// The fewest points in a chunk.
const SMALLEST_CHUNK: usize = LARGEST_TILE;

impl FieldSquares {
    fn zeros(features: usize) -> FieldSquares {
        FieldSquares { weight: 0.0, sum: vec![0.0; features], squares: Matrix::zeros(features, features) }
    }

    /// Adds the sums of other data at the same parameters and landmarks.
    pub fn merge(&mut self, other: &FieldSquares) -> Result<(), KernelError> {
        let size = |sums: &FieldSquares| (sums.sum.len(), sums.squares.rows(), sums.squares.columns());
        if size(self) != size(other) {
            let what = format!("sums of {} features and of {}", self.sum.len(), other.sum.len());
            return Err(KernelError::WrongShape { points: 0, coordinates: 0, what });
        }
        self.weight += other.weight;
        add_scaled(&mut self.sum, 1.0, &other.sum);
        add_scaled(self.squares.values_mut(), 1.0, other.squares.values());
        Ok(())
    }

    /// The mean of the features.
    pub fn mean(&self) -> Vec<f64> {
        self.sum.iter().map(|sum| sum / self.weight).collect()
    }

    /// The covariance of the features (divided by `sum w`).
    pub fn covariance(&self) -> Matrix {
        let mean = self.mean();
        Matrix::from_fn(mean.len(), mean.len(), |i, j| {
            self.squares[(i.max(j), i.min(j))] / self.weight - mean[i] * mean[j]
        })
    }
}

impl TestFields {
    /// The sums of squares of the Stein features of some data, given their scores (`n` by coordinates) and
    /// weights.
    pub fn squares(&self, points: &Points, scores: &Matrix, weights: &[f64]) -> Result<FieldSquares, Error> {
        super::statistic::checked_rows(points.len(), self.coordinates(), scores, weights)?;
        if scores.columns() != self.coordinates() {
            let what = format!("scores with {} columns", scores.columns());
            let (points, coordinates) = (points.len(), self.coordinates());
            return Err(KernelError::WrongShape { points, coordinates, what }.into());
        }
        self.squares_of(&*self.scaled(points)?, scores, weights)
    }

    pub(crate) fn squares_of(
        &self,
        data: &ScaledPoints,
        scores: &Matrix,
        weights: &[f64],
    ) -> Result<FieldSquares, Error> {
        let length = data.len().div_ceil(CHUNKS).max(SMALLEST_CHUNK).next_multiple_of(LARGEST_TILE);
        let chunks: Vec<usize> = (0..data.len()).step_by(length).collect();
        let of_chunk = |start: &usize| {
            let mut sums = FieldSquares::zeros(self.features());
            let end = (start + length).min(data.len());
            for first in (*start..end).step_by(LARGEST_TILE) {
                self.evaluator.interrupt.check()?;
                let range = first..(first + LARGEST_TILE).min(end);
                sums.add(self.features_at(data, scores, range.clone())?, &weights[range]);
            }
            Ok(sums)
        };
        let parts: Vec<FieldSquares> = chunks.par_iter().map(of_chunk).collect::<Result<_, Error>>()?;
        let mut total = FieldSquares::zeros(self.features());
        for part in &parts {
            total.merge(part)?;
        }
        Ok(total)
    }
}

impl FieldSquares {
    /// Adds features of points, one in each column.
    fn add(&mut self, mut features: Matrix, weights: &[f64]) {
        for (at, weight) in weights.iter().enumerate() {
            let column = features.column_mut(at);
            add_scaled(&mut self.sum, *weight, column);
            let root = weight.sqrt();
            column.iter_mut().for_each(|g| *g *= root);
        }
        self.weight += weights.iter().sum::<f64>();
        let (all, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
        let features = view(&features);
        let sums = view_mut(&mut self.squares);
        matmul(sums, lower, faer::Accum::Add, features, all, features.transpose(), all, 1.0, Par::Seq);
    }
}

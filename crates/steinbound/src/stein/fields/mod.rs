//! Test fields: the vector functions over a few landmarks in which efficient Stein estimation works.

mod boundary;
mod penalised;
mod squares;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rayon::prelude::*;

pub use boundary::{Directions, Penalty, surface_weights};
pub use penalised::Penalised;
pub use squares::FieldSquares;

use super::radial::cross;
use super::sums::Sums;
use super::{landmarks, statistic};
use crate::compute::cholesky::Cholesky;
use crate::compute::packed::LARGEST_TILE;
use crate::compute::pivoted_cholesky::{Stop, greedy};
use crate::compute::transposed_product;
use crate::engine::{Engine, Evaluator, PairKernel, ScaledPoints};
use crate::error::{Error, KernelError};
use crate::interrupt::Interrupt;
use crate::matrix::{Matrix, weighted_columns};
use crate::model::LinearScore;
use crate::points::Points;

/// Vector functions over landmarks, `f_l(x) = sum_j k(z_j, x) w_jl`, with the norm of the kernel's space.
///
/// # Definition
///
/// The Stein operator turns the field that has `k(z_j, .)` in coordinate `l` and zero elsewhere into
///
/// ```text
/// g_jl(x; theta) = psi_l(x; theta) k(z_j, x) + d/dx_l k(z_j, x),
/// ```
///
/// the *Stein features*, stacked coordinate by coordinate: `l J + j` of `J` landmarks. The squared norm of a
/// field is `sum_l w_l' K w_l` with `K = k(Z, Z)`. Functions `phi = L^-1 k(Z, .)` with `L L' = K` would make it
/// the length of the coefficients; everything computed from them stays the same in the functions `k(z_j, .)`
/// themselves, where nothing has to be multiplied by `L^-1` for each point.
///
/// Landmarks are chosen by a pivoted Cholesky factorisation of the kernel over data and boundary points, until
/// the part of the kernel that they leave out, the [`residual`](TestFields::residual), is small.
///
/// # Complexity
///
/// `s J^2` operations for a pool of `s` data and boundary points; then `n J` kernel values for each pass over
/// the data.
///
/// # Reference
///
/// Harbrecht, Peters and Schneider, 2012, for the choice.
///
/// ```
/// use steinbound::engine::PairKernel;
/// use steinbound::stein::TestFields;
/// use steinbound::{Points, kernel};
/// let data = Points::from_rows(&[[-0.5], [0.1], [0.3], [0.6]])?;
/// let ends = Points::from_rows(&[[-1.0], [1.0]])?;
/// let kernel = PairKernel::new(kernel::by_name("gaussian")?, vec![0.7], vec![0], vec![0.0])?;
/// let fields = TestFields::choose(kernel, &data, &ends, 1e-3, 100, 0)?;
/// assert!(fields.landmarks() >= 3 && fields.residual() < 1e-3);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TestFields {
    evaluator: Evaluator,
    landmarks: ScaledPoints,
    /// `k(Z, Z)`.
    gram: Matrix,
    residual: f64,
    /// Whether the residual is below the tolerance.
    is_complete: bool,
}

impl TestFields {
    /// Chooses landmarks among data and boundary points until the residual is below the tolerance, or `most`
    /// are chosen.
    pub fn choose(
        kernel: PairKernel,
        data: &Points,
        boundary: &Points,
        tolerance: f64,
        most: usize,
        seed: u64,
    ) -> Result<TestFields, Error> {
        landmarks::check_tolerance(tolerance)?;
        TestFields::chosen_on(Evaluator::native(kernel), data, boundary, tolerance, most, seed)
    }

    pub(crate) fn chosen_on(
        evaluator: Evaluator,
        data: &Points,
        boundary: &Points,
        tolerance: f64,
        most: usize,
        seed: u64,
    ) -> Result<TestFields, Error> {
        let pool = landmarks::pool(data, 0, seed)?;
        let pool: Vec<&[f64]> = pool.rows().chain(boundary.rows()).collect();
        let scaled = evaluator.scale(&Points::from_rows(&pool)?)?;
        let (whole, _) = evaluator.kernel.diagonal();
        let stop = Stop { tolerance: tolerance * whole, most, interrupt: &evaluator.interrupt };
        let pivots = greedy(vec![whole; pool.len()], stop, |pivot, column| {
            let values = evaluator.values_of(&scaled, pivot..pivot + 1, &scaled)?;
            column.copy_from_slice(values.column(0));
            Ok::<_, Error>(())
        })?;
        if pivots.chosen.is_empty() {
            return Err(KernelError::NoLandmarks.into());
        }
        let chosen: Vec<&[f64]> = pivots.chosen.iter().map(|i| pool[*i]).collect();
        let mut fields = TestFields::on(evaluator, &Points::from_rows(&chosen)?)?;
        fields.residual = pivots.residual / whole;
        fields.is_complete = fields.residual <= tolerance;
        Ok(fields)
    }

    /// The fields over given landmarks.
    pub fn at(kernel: PairKernel, landmarks: &Points) -> Result<TestFields, Error> {
        TestFields::on(Evaluator::native(kernel), landmarks)
    }

    fn on(evaluator: Evaluator, landmarks: &Points) -> Result<TestFields, Error> {
        let landmarks = evaluator.scale(landmarks)?;
        let gram = evaluator.values(&landmarks, &landmarks)?;
        Ok(TestFields { evaluator, landmarks, gram, residual: f64::NAN, is_complete: true })
    }

    /// The number of landmarks, `J`.
    pub fn landmarks(&self) -> usize {
        self.landmarks.len()
    }

    /// The number of differentiated coordinates.
    pub fn coordinates(&self) -> usize {
        self.evaluator.kernel.differentiated().len()
    }

    /// The number of Stein features: landmarks times coordinates.
    pub fn features(&self) -> usize {
        self.landmarks() * self.coordinates()
    }

    /// The share of the kernel that the landmarks leave out, over the points among which they were chosen;
    /// NaN if they were given.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// Whether no landmark is missing for the tolerance.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// `k(Z, Z)`.
    pub(crate) fn gram(&self) -> &Matrix {
        &self.gram
    }

    pub(crate) fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// The trace of a matrix of features, in functions of unit norm: `sum_l tr(K^-1 A_ll)`.
    pub(crate) fn trace(&self, matrix: &Matrix) -> Result<f64, KernelError> {
        let inverse = Cholesky::new(self.gram.clone()).ok_or(KernelError::SingularFields)?.inverse();
        let count = self.landmarks();
        let of_column = |at: usize| {
            let start = at / count * count;
            crate::compute::dot(inverse.column(at % count), &matrix.column(at)[start..start + count])
        };
        Ok((0..self.features()).map(of_column).sum())
    }

    /// The points in the kernel's units, as passes take them.
    pub(crate) fn scaled(&self, points: &Points) -> Result<Arc<ScaledPoints>, Error> {
        Ok(Arc::new(self.evaluator.scale(points)?))
    }

    /// The sums that the mean Stein features of any score in these features (`n` by anything) are made of:
    /// with [`Sums::mean_features`] for each parameter. Sums of parts of the data [add up](Sums::merge).
    pub fn sums(&self, points: &Points, features: &Matrix, weights: &[f64]) -> Result<Sums, Error> {
        statistic::checked_rows(points.len(), self.coordinates(), features, weights)?;
        self.sums_of(&*self.scaled(points)?, features, weights)
    }

    pub(crate) fn sums_of(
        &self,
        data: &ScaledPoints,
        features: &Matrix,
        weights: &[f64],
    ) -> Result<Sums, Error> {
        let columns = weighted_columns(features, weights);
        let terms = landmarks::forward_terms(features.columns(), self.coordinates());
        let both = cross(&self.evaluator, &self.landmarks, data, &columns, &terms)?;
        let count = features.columns();
        Ok(Sums::of(both.part(0..count), both.part(count..both.columns()), weights))
    }

    /// The Stein features of a range of points, one column for each point, given all scores (`n` by
    /// coordinates).
    fn features_at(
        &self,
        data: &ScaledPoints,
        scores: &Matrix,
        range: std::ops::Range<usize>,
    ) -> Result<Matrix, Error> {
        let out = self.evaluator.values_and_slopes(data, range.clone(), &self.landmarks)?;
        let (count, coordinates) = (self.landmarks(), self.coordinates());
        let mut features = Matrix::zeros(count * coordinates, range.len());
        for (at, i) in range.enumerate() {
            let column = features.column_mut(at);
            for (l, (part, slope)) in column.chunks_exact_mut(count).zip(&out.slope).enumerate() {
                let score = scores[(i, l)];
                let both = out.value.column(at).iter().zip(slope.column(at));
                part.iter_mut().zip(both).for_each(|(g, (k, s))| *g = score * k + s);
            }
        }
        Ok(features)
    }

    /// Combinations of the centred Stein features of each point, `n` by the columns of `combinations`, and the
    /// [leverage](Leverage) of each point where one is asked for.
    pub(crate) fn combined(
        &self,
        data: &ScaledPoints,
        scores: &Matrix,
        centre: &[f64],
        combinations: &Matrix,
        leverage: Option<Leverage>,
    ) -> Result<(Matrix, Vec<f64>), Error> {
        let blocks: Vec<usize> = (0..data.len()).step_by(LARGEST_TILE).collect();
        let of_block = |start: &usize| {
            let range = *start..(start + LARGEST_TILE).min(data.len());
            let mut features = self.features_at(data, scores, range.clone())?;
            for at in 0..features.columns() {
                features.column_mut(at).iter_mut().zip(centre).for_each(|(g, mean)| *g -= mean);
            }
            let combined = transposed_product(&features, combinations);
            let leverages = match &leverage {
                None => vec![0.0; range.len()],
                Some(Leverage { factor, weights }) => {
                    factor.solve_lower(&mut features);
                    let square = |(at, i): (usize, usize)| {
                        weights[i] * crate::compute::dot(features.column(at), features.column(at))
                    };
                    range.enumerate().map(square).collect()
                }
            };
            Ok((combined, leverages))
        };
        let found: Vec<(Matrix, Vec<f64>)> = blocks.par_iter().map(of_block).collect::<Result<_, Error>>()?;
        let mut all = Matrix::zeros(data.len(), combinations.columns());
        for (start, (combined, _)) in blocks.iter().zip(&found) {
            for k in 0..all.columns() {
                let rows = *start..start + combined.rows();
                all.column_mut(k)[rows].copy_from_slice(combined.column(k));
            }
        }
        Ok((all, found.into_iter().flat_map(|block| block.1).collect()))
    }
}

/// How strongly each observation acts on the weights of the moment equations, `v_i g_i' W^-1 g_i` with weights
/// `v` that sum to one.
#[derive(Clone, Copy)]
pub(crate) struct Leverage<'a> {
    /// The factor of `W`.
    pub(crate) factor: &'a Cholesky,
    /// `v`.
    pub(crate) weights: &'a [f64],
}

/// The mean Stein features of data at some parameters, and their derivative.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanFeatures {
    /// `gbar`: the weighted mean of the features.
    pub mean: Vec<f64>,
    /// `Q = d gbar / d theta`, features by parameters.
    pub jacobian: Matrix,
}

impl Sums {
    /// The mean Stein features of a score, and their derivative in its parameters.
    ///
    /// ```
    /// use steinbound::engine::PairKernel;
    /// use steinbound::model::{Gaussian, Model};
    /// use steinbound::stein::TestFields;
    /// use steinbound::{Matrix, Points, kernel};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.3], [0.6]])?;
    /// let kernel = PairKernel::new(kernel::by_name("gaussian")?, vec![0.7], vec![0], vec![0.0])?;
    /// let fields = TestFields::at(kernel, &Points::from_rows(&[[0.0]])?)?;
    /// let model = Gaussian::with_variance(1, 1.0)?;
    /// let score = model.affine().unwrap().linear_score();
    /// // Features 1 and x; the score is mean - x.
    /// let features = Matrix::from_fn(4, 2, |i, c| data.row(i)[0].powi(c as i32));
    /// let found = fields.sums(&data, &features, &[1.0; 4])?.mean_features(&score, &[0.2]);
    /// let k = |x: f64| (-x * x / 0.98).exp();
    /// let feature = |x: f64| (0.2 - x) * k(x) - x / 0.49 * k(x);
    /// let expected = data.rows().map(|x| feature(x[0])).sum::<f64>() / 4.0;
    /// assert!((found.mean[0] - expected).abs() < 1e-14);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn mean_features(&self, score: &LinearScore, theta: &[f64]) -> MeanFeatures {
        let (count, coordinates) = (self.value.rows(), self.slope.columns());
        let values = crate::compute::product(&self.value, &score.at(theta));
        let both = values.values().iter().zip(self.slope.values());
        let mean = both.map(|(value, slope)| (value + slope) / self.weight).collect();
        let mut jacobian = Matrix::zeros(count * coordinates, score.parameters);
        for (l, slots) in score.design.iter().enumerate() {
            for slot in slots {
                let column = &mut jacobian.column_mut(slot.parameter)[l * count..(l + 1) * count];
                crate::matrix::add_scaled(column, slot.factor / self.weight, self.value.column(slot.feature));
            }
        }
        MeanFeatures { mean, jacobian }
    }
}

impl Evaluator {
    /// A kernel on the engine of this machine, with an interrupt of its own.
    pub(crate) fn native(kernel: PairKernel) -> Evaluator {
        let engine: Arc<dyn Engine> = Arc::new(crate::engine::Native);
        Evaluator { engine, kernel: Arc::new(kernel), interrupt: Interrupt::new() }
    }
}

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::conditioned::Conditioned;
use super::form::{Operator, Term};
use super::gram::Coupling;
use super::radial::cross;
use super::statistic::{Pass, checked_rows};
use super::sums::Sums;
use crate::compute::cholesky::Cholesky;
use crate::compute::pivoted_cholesky::{Stop, greedy};
use crate::compute::{dot, product};
use crate::engine::{Engine, Evaluator, Native, PairKernel, ScaledPoints};
use crate::error::{Error, KernelError};
use crate::interrupt::Interrupt;
use crate::kernel;
use crate::matrix::{Matrix, weighted_columns};
use crate::model::LinearScore;
use crate::points::Points;
use crate::random::{stream, tasks};

/// The most points among which landmarks are chosen. Of more data, this many are drawn with the seed.
pub const LANDMARK_POOL: usize = 5_000;

/// The most landmarks.
pub const MOST_LANDMARKS: usize = 1_000;

/// The most numbers in the kernel between boundary points and the pool; with many boundary points the pool is
/// smaller.
const POOL_ENTRIES: usize = 20_000_000;

/// A few functions that stand for a kernel: what a low-rank form is made of.
///
/// # Definition
///
/// Landmarks `z_1..z_r` are data points, chosen by a pivoted Cholesky factorisation of the conditioned kernel
/// `k0`. The functions are
///
/// ```text
/// phi(x) = L^-1 k0(z, x)   with   k0(z, z) = L L',
/// ```
///
/// and `phi(x)' phi(y)` approximates `k0(x, y)` from below. Each is a combination of kernels at the
/// *anchors*, the landmarks and the boundary points: `phi(x) = T' k(a, x)`. Hence a sum over the data of
/// functions needs the sums of `n (r + m)` kernel values and nothing else, and the functions vanish where
/// `k0` does: the Stein identity holds for each of them, so that a discrepancy with few functions has no bias
/// that the full one does not have.
///
/// What is left out, `k0(x, x) - phi(x)' phi(x)` summed over the pool of candidates, as a share of the sum of
/// `k0(x, x)`, is the [`residual`](Landmarks::residual).
///
/// # Complexity
///
/// `s (m + r) r + s m^2` operations for a pool of `s` candidates, at most [`LANDMARK_POOL`], whatever the
/// number of data.
///
/// # Reference
///
/// Harbrecht, Peters and Schneider, 2012, for the choice; Williams and Seeger, *Using the Nystrom method to
/// speed up kernel machines*, 2001, for the approximation.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "Written", try_from = "Written")]
pub struct Landmarks {
    evaluator: Evaluator,
    anchors: ScaledPoints,
    /// `T'`, functions by anchors.
    transposed: Matrix,
    written: Written,
}

/// Landmarks as they are written to a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Written {
    kernel: String,
    /// The parameters of the kernel, where it has any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<(String, f64)>,
    widths: Vec<f64>,
    differentiated: Vec<usize>,
    origin: Vec<f64>,
    /// Landmarks, then boundary points.
    anchors: Matrix,
    /// `T`, anchors by functions.
    transform: Matrix,
    residual: f64,
}

impl Landmarks {
    /// Chooses landmarks among the points of a form until the residual is below the tolerance, or `most` are
    /// chosen.
    pub fn choose(
        form: &Conditioned,
        points: &Points,
        tolerance: f64,
        most: usize,
        seed: u64,
    ) -> Result<Landmarks, Error> {
        check_tolerance(tolerance)?;
        let evaluator = form.evaluator();
        let boundary = form.boundary_points();
        let pool = pool(points, boundary.rows(), seed)?;
        let scaled = evaluator.scale(&pool)?;
        let known = form.known_at(&scaled)?;
        let (whole, _) = evaluator.kernel.diagonal();
        let left = |j: usize| (whole - dot(known.column(j), known.column(j))).max(0.0);
        let diagonal: Vec<f64> = (0..pool.len()).map(left).collect();
        let mean = diagonal.iter().sum::<f64>() / pool.len() as f64;
        let (most, interrupt) = (most.min(MOST_LANDMARKS), &evaluator.interrupt);
        let stop = Stop { tolerance: tolerance * mean, most, interrupt };
        let pivots = greedy(diagonal, stop, |pivot, column| {
            let values = evaluator.values_of(&scaled, pivot..pivot + 1, &scaled)?;
            column.copy_from_slice(values.column(0));
            take_known(&known, pivot, column);
            Ok::<_, Error>(())
        })?;
        let rank = pivots.chosen.len();
        if rank == 0 {
            return Err(KernelError::NoLandmarks.into());
        }
        let rows: Vec<&[f64]> = pivots.chosen.iter().map(|i| pool.row(*i)).collect();
        let chosen = Points::from_rows(&rows)?;
        let mut explained = form.explained_at(&evaluator.scale(&chosen)?)?;
        explained.values_mut().iter_mut().for_each(|v| *v = -*v);
        let mut transform = Matrix::from_fn(rank, rank + boundary.rows(), |i, j| match j.checked_sub(rank) {
            None => f64::from(u8::from(i == j)),
            Some(j) => explained[(j, i)],
        });
        Cholesky::from_lower(pivots.lower).solve_lower(&mut transform);
        let anchors = Matrix::from_fn(rank + boundary.rows(), pool.dimension(), |i, l| {
            if i < rank { rows[i][l] } else { boundary[(i - rank, l)] }
        });
        let kernel = &evaluator.kernel;
        let written = Written {
            kernel: kernel.kernel().name().to_string(),
            parameters: parameters_of(kernel.kernel()),
            widths: kernel.widths().to_vec(),
            differentiated: kernel.differentiated().to_vec(),
            origin: kernel.origin().to_vec(),
            anchors,
            transform: transform.transpose(),
            residual: pivots.residual / mean,
        };
        Landmarks::from_parts(evaluator.clone(), written)
    }

    fn from_parts(evaluator: Evaluator, written: Written) -> Result<Landmarks, Error> {
        let rows = written.anchors.to_rows();
        let anchors = evaluator.scale(&Points::from_rows(&rows)?)?;
        if written.transform.rows() != rows.len() {
            return Err(KernelError::BadCoordinates { dimension: anchors.dimension() }.into());
        }
        let transposed = written.transform.transpose();
        Ok(Landmarks { evaluator, anchors, transposed, written })
    }

    /// The same landmarks on an engine of choice: those that are read from a file start on [`Native`]. Once
    /// the interrupt is raised, passes are errors.
    pub fn on(mut self, engine: Arc<dyn Engine>, interrupt: &Interrupt) -> Landmarks {
        (self.evaluator.engine, self.evaluator.interrupt) = (engine, interrupt.clone());
        self
    }

    /// Whether these are landmarks of that kernel.
    pub(super) fn is_of(&self, kernel: &PairKernel) -> bool {
        self.evaluator.kernel.is_same(kernel)
    }

    /// The number of landmarks and functions, `r`.
    pub fn rank(&self) -> usize {
        self.written.transform.columns()
    }

    /// The number of anchors, `r + m`.
    pub fn anchors(&self) -> usize {
        self.anchors.len()
    }

    /// The share of `k0(x, x)` that the functions leave out, over the pool.
    pub fn residual(&self) -> f64 {
        self.written.residual
    }

    /// The number of differentiated coordinates.
    pub fn coordinates(&self) -> usize {
        self.evaluator.kernel.differentiated().len()
    }

    /// The sums over some data that any discrepancy of scores in these features (`n` by anything) is made of.
    ///
    /// Sums of parts of the data, from blocks, threads or machines, [add up](Sums::merge).
    pub fn sums(&self, points: &Points, features: &Matrix, weights: &[f64]) -> Result<Sums, Error> {
        checked_rows(points.len(), self.coordinates(), features, weights)?;
        let data = self.evaluator.scale(points)?;
        let columns = weighted_columns(features, weights);
        let terms = forward_terms(features.columns(), self.coordinates());
        let both = self.sum_terms(&data, &columns, &terms)?;
        let count = features.columns();
        Ok(Sums::of(both.part(0..count), both.part(count..both.columns()), weights))
    }

    /// The gradient that each point contributes at the parameters, `points` by parameters, given the sums
    /// over all data.
    ///
    /// Their weighted mean over all data is the gradient of the squared discrepancy (V-statistic). With `N`
    /// half its Hessian ([`Moments::normal_equations`](super::Moments::normal_equations)) the influence of a
    /// point on the minimum is `-N^-1` times its row.
    pub fn gradients(
        &self,
        points: &Points,
        features: Matrix,
        sums: &Sums,
        score: &LinearScore,
        theta: &[f64],
    ) -> Result<Matrix, Error> {
        checked_rows(points.len(), self.coordinates(), &features, &vec![1.0; points.len()])?;
        if sums.value.rows() != self.rank()
            || (sums.slope.rows(), sums.slope.columns()) != (self.rank(), self.coordinates())
            || sums.value.columns() != features.columns()
            || !score.is_consistent(self.coordinates(), theta.len())
            || score.features() != features.columns()
        {
            let what = format!("sums of {} by {}", sums.value.rows(), sums.value.columns());
            return Err(KernelError::WrongShape {
                points: points.len(),
                coordinates: self.coordinates(),
                what,
            }
            .into());
        }
        let rows = self.evaluator.scale(points)?;
        let both = sums.value.clone().beside(&sums.slope);
        let used = score.used_features();
        let mut terms: Vec<Term> = (0..both.columns()).map(|j| Term::new(Operator::Value, j)).collect();
        terms.extend(used.iter().map(|(l, c)| Term::new(Operator::First(*l), *c)));
        let products = self.combine(&rows, &both, &terms)?;
        let coupling = Coupling { coordinates: self.coordinates(), is_coupled: false };
        let pass = Pass::from_products(features, &products, &used, coupling, sums.moments(), sums.weight);
        Ok(pass.gradients(score, theta))
    }

    /// Sums over the data of functions (terms `Value`) and their derivatives (`Second`): functions by terms.
    pub(super) fn sum_terms(
        &self,
        data: &ScaledPoints,
        columns: &Matrix,
        terms: &[Term],
    ) -> Result<Matrix, Error> {
        let at_anchors = cross(&self.evaluator, &self.anchors, data, columns, terms)?;
        Ok(product(&self.transposed, &at_anchors))
    }

    /// Combinations of the functions (terms `Value`) and of their derivatives (`First`) at some points,
    /// coefficients in columns.
    pub(super) fn combine(
        &self,
        rows: &ScaledPoints,
        coefficients: &Matrix,
        terms: &[Term],
    ) -> Result<Matrix, Error> {
        let weights = product(&self.written.transform, coefficients);
        cross(&self.evaluator, rows, &self.anchors, &weights, terms)
    }

    /// The functions at a range of points, and their derivatives: functions by points.
    pub(super) fn written_out(
        &self,
        data: &ScaledPoints,
        range: Range<usize>,
    ) -> Result<(Matrix, Vec<Matrix>), Error> {
        let out = self.evaluator.values_and_slopes(data, range, &self.anchors)?;
        let slopes = out.slope.iter().map(|slope| product(&self.transposed, slope)).collect();
        Ok((product(&self.transposed, &out.value), slopes))
    }
}

impl From<Landmarks> for Written {
    fn from(landmarks: Landmarks) -> Written {
        landmarks.written
    }
}

impl TryFrom<Written> for Landmarks {
    type Error = String;

    fn try_from(written: Written) -> Result<Landmarks, String> {
        let kernel = kernel::by_name(&written.kernel).map_err(|error| error.to_string())?;
        if parameters_of(kernel.as_ref()) != written.parameters {
            let (name, parameters) = (&written.kernel, &written.parameters);
            return Err(format!(
                "the kernel \"{name}\" of this version does not have the parameters {parameters:?}"
            ));
        }
        let (widths, differentiated) = (written.widths.clone(), written.differentiated.clone());
        let kernel = PairKernel::new(kernel, widths, differentiated, written.origin.clone())
            .map_err(|error| error.to_string())?;
        let (engine, interrupt) = (Arc::new(Native), Interrupt::new());
        let evaluator = Evaluator { engine, kernel: Arc::new(kernel), interrupt };
        Landmarks::from_parts(evaluator, written).map_err(|error| error.to_string())
    }
}

fn parameters_of(kernel: &dyn kernel::Kernel) -> Vec<(String, f64)> {
    kernel.parameters().into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

/// Refuses what is not a share of the kernel.
pub(crate) fn check_tolerance(value: f64) -> Result<(), KernelError> {
    if (0.0..1.0).contains(&value) { Ok(()) } else { Err(KernelError::BadTolerance { value }) }
}

/// The terms of [`Landmarks::sums`]: each feature, and the slopes of the weights, which are the last column.
pub(super) fn forward_terms(features: usize, coordinates: usize) -> Vec<Term> {
    let values = (0..features).map(|c| Term::new(Operator::Value, c));
    values.chain((0..coordinates).map(|l| Term::new(Operator::Second(l), features))).collect()
}

/// Takes from a column of the kernel what the boundary points explain of it.
fn take_known(known: &Matrix, pivot: usize, column: &mut [f64]) {
    use rayon::prelude::*;
    let own = known.column(pivot);
    let others = column.par_iter_mut().with_min_len(64).enumerate();
    others.for_each(|(j, value)| *value -= dot(own, known.column(j)));
}

/// The points among which landmarks are chosen: those with a weight, or a seeded draw of them.
pub(super) fn pool(points: &Points, boundary: usize, seed: u64) -> Result<Points<'static>, Error> {
    let most = LANDMARK_POOL.min(POOL_ENTRIES / boundary.max(1)).max(MOST_LANDMARKS);
    let rows = points.some_rows(most, &mut stream(seed, tasks::LANDMARKS));
    let rows: Vec<&[f64]> = rows.into_iter().map(|i| points.row(i)).collect();
    Ok(Points::from_rows(&rows)?)
}

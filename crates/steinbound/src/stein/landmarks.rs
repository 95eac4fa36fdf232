use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::conditioned::Conditioned;
use super::form::{Operator, Term};
use super::radial::cross;
use super::statistic::{Pass, checked_rows};
use super::sums::Sums;
use crate::compute::cholesky::Cholesky;
use crate::compute::pairs::{GROUP, PairKernel, Scaled};
use crate::compute::pivoted_cholesky::{Stop, greedy};
use crate::compute::{dot, product};
use crate::error::{Error, KernelError};
use crate::interrupt::Interrupt;
use crate::kernel;
use crate::matrix::{Matrix, weighted_columns};
use crate::model::LinearScore;
use crate::points::Points;
use crate::simulate::{stream, tasks};

/// The most points among which landmarks are chosen. Of more data, this many are drawn with the seed.
pub const LANDMARK_POOL: usize = 5_000;

/// The most landmarks.
pub const MOST_LANDMARKS: usize = 1_000;

/// The most numbers in the kernel between boundary points and the pool; with many boundary points the pool is smaller.
const POOL_ENTRIES: usize = 20_000_000;

/// A few functions that stand for a kernel: what a low-rank form is made of.
///
/// # Definition
///
/// Landmarks `z_1..z_r` are data points, chosen by a pivoted Cholesky factorisation of the conditioned kernel `k0`. The functions are
///
/// ```text
/// phi(x) = L^-1 k0(z, x)   with   k0(z, z) = L L',
/// ```
///
/// and `phi(x)' phi(y)` approximates `k0(x, y)` from below. Each is a combination of kernels at the *anchors*, the landmarks and the boundary points:
/// `phi(x) = T' k(a, x)`. Hence a sum over the data of functions needs the sums of `n (r + m)` kernel values and nothing else,
/// and the functions vanish where `k0` does: the Stein identity holds for each of them, so that a discrepancy with few functions
/// has no bias that the full one does not have.
///
/// What is left out, `k0(x, x) - phi(x)' phi(x)` summed over the pool of candidates, as a share of the sum of `k0(x, x)`, is the
/// [`residual`](Landmarks::residual).
///
/// # Complexity
///
/// `s (m + r) r + s m^2` operations for a pool of `s` candidates, at most [`LANDMARK_POOL`], whatever the number of data.
///
/// # Reference
///
/// Harbrecht, Peters and Schneider, 2012, for the choice; Williams and Seeger, *Using the Nystrom method to speed up kernel
/// machines*, 2001, for the approximation.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "Written", try_from = "Written")]
pub struct Landmarks {
    kernel: PairKernel,
    anchors: Scaled,
    /// `T'`, functions by anchors.
    transposed: Matrix,
    written: Written,
}

/// Landmarks as they are written to a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Written {
    kernel: String,
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
    /// Chooses landmarks among the points of a form until the residual is below the tolerance, at most so many.
    pub fn choose(
        form: &Conditioned,
        points: &Points,
        tolerance: f64,
        most: usize,
        seed: u64,
    ) -> Result<Landmarks, Error> {
        check_tolerance(tolerance)?;
        let interrupt = form.kernel().interrupt.clone();
        interrupt.watch(|| Landmarks::chosen(form, points, tolerance, most, seed))
    }

    fn chosen(
        form: &Conditioned,
        points: &Points,
        tolerance: f64,
        most: usize,
        seed: u64,
    ) -> Result<Landmarks, Error> {
        let kernel = form.kernel();
        let boundary = form.boundary_points();
        let pool = pool(points, boundary.rows(), seed)?;
        let scaled = kernel.scale(&pool)?;
        let known = form.known_at(&scaled);
        let (whole, _) = kernel.diagonal();
        let left = |j: usize| (whole - dot(known.column(j), known.column(j))).max(0.0);
        let diagonal: Vec<f64> = (0..pool.len()).map(left).collect();
        let mean = diagonal.iter().sum::<f64>() / pool.len() as f64;
        let (most, interrupt) = (most.min(MOST_LANDMARKS), &kernel.interrupt);
        let stop = Stop { tolerance: tolerance * mean, most, interrupt };
        let pivots = greedy(diagonal, stop, |pivot, column| {
            let start = pivot / GROUP * GROUP;
            let group = start..(start + GROUP).min(pool.len());
            column.copy_from_slice(kernel.values(&scaled, group, &scaled).column(pivot - start));
            take_known(&known, pivot, column);
        });
        let rank = pivots.chosen.len();
        if rank == 0 {
            return Err(KernelError::NoLandmarks.into());
        }
        let rows: Vec<&[f64]> = pivots.chosen.iter().map(|i| pool.row(*i)).collect();
        let chosen = Points::from_rows(&rows)?;
        let mut explained = form.explained_at(&kernel.scale(&chosen)?);
        explained.values_mut().iter_mut().for_each(|v| *v = -*v);
        let mut transform = Matrix::from_fn(rank, rank + boundary.rows(), |i, j| match j.checked_sub(rank) {
            None => f64::from(u8::from(i == j)),
            Some(j) => explained[(j, i)],
        });
        Cholesky::from_lower(pivots.lower).solve_lower(&mut transform);
        let anchors = Matrix::from_fn(rank + boundary.rows(), pool.dimension(), |i, l| {
            if i < rank { rows[i][l] } else { boundary[(i - rank, l)] }
        });
        let written = Written {
            kernel: kernel.kernel.name().to_string(),
            widths: kernel.widths.clone(),
            differentiated: kernel.differentiated.clone(),
            origin: kernel.origin.clone(),
            anchors,
            transform: transform.transpose(),
            residual: pivots.residual / mean,
        };
        Landmarks::from_parts(kernel.clone(), written)
    }

    fn from_parts(kernel: PairKernel, written: Written) -> Result<Landmarks, Error> {
        let rows = written.anchors.to_rows();
        let anchors = kernel.scale(&Points::from_rows(&rows)?)?;
        if written.transform.rows() != rows.len() {
            return Err(KernelError::BadCoordinates { dimension: kernel.origin.len() }.into());
        }
        let transposed = written.transform.transpose();
        Ok(Landmarks { kernel, anchors, transposed, written })
    }

    /// Whether these are landmarks of that kernel.
    pub(super) fn is_of(&self, kernel: &PairKernel) -> bool {
        self.kernel.kernel.name() == kernel.kernel.name()
            && self.kernel.widths == kernel.widths
            && self.kernel.origin == kernel.origin
            && self.kernel.differentiated == kernel.differentiated
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
        self.kernel.differentiated.len()
    }

    /// The sums over some data that any discrepancy of scores in these features (`n` by anything) is made of.
    ///
    /// Sums of parts of the data, from blocks, threads or machines, [add up](Sums::merge).
    pub fn sums(&self, points: &Points, features: &Matrix, weights: &[f64]) -> Result<Sums, Error> {
        checked_rows(points.len(), self.coordinates(), features, weights)?;
        let data = self.kernel.scale(points)?;
        let columns = weighted_columns(features, weights);
        let terms = forward_terms(features.columns(), self.coordinates());
        let both = self.there(&data, &columns, &terms);
        self.kernel.interrupt.check()?;
        let count = features.columns();
        Ok(Sums::of(both.part(0..count), both.part(count..both.columns()), weights))
    }

    /// The gradient that each point contributes at the parameters, `points` by parameters, given the sums over all data.
    ///
    /// Their weighted mean over all data is the gradient of the squared discrepancy (V-statistic). With `N` half its Hessian
    /// ([`Moments::normal_equations`](super::Moments::normal_equations)) the influence of a point on the minimum is `-N^-1` times its row.
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
        let rows = self.kernel.scale(points)?;
        let both = sums.value.clone().beside(&sums.slope);
        let used = score.used_features();
        let mut terms: Vec<Term> = (0..both.columns()).map(|j| Term::new(Operator::Value, j)).collect();
        terms.extend(used.iter().map(|(l, c)| Term::new(Operator::First(*l), *c)));
        let products = self.back(&rows, &both, &terms);
        self.kernel.interrupt.check()?;
        let moments = sums.moments();
        Ok(Pass::from_products(features, &products, &used, moments, sums.weight).gradients(score, theta))
    }

    /// Sums over the data of functions (terms `Value`) and their derivatives (`Second`): functions by terms.
    pub(super) fn there(&self, data: &Scaled, columns: &Matrix, terms: &[Term]) -> Matrix {
        let at_anchors = cross(&self.kernel, &self.anchors, data, columns, terms);
        product(&self.transposed, &at_anchors)
    }

    /// Combinations of the functions (terms `Value`) and of their derivatives (`First`) at some points, coefficients in columns.
    pub(super) fn back(&self, rows: &Scaled, coefficients: &Matrix, terms: &[Term]) -> Matrix {
        let weights = product(&self.written.transform, coefficients);
        cross(&self.kernel, rows, &self.anchors, &weights, terms)
    }

    /// The functions at a range of points, and their derivatives: functions by points.
    pub(super) fn written_out(&self, data: &Scaled, range: std::ops::Range<usize>) -> (Matrix, Vec<Matrix>) {
        let out = self.kernel.values_and_slopes(data, range, &self.anchors);
        let slopes = out.slope.iter().map(|slope| product(&self.transposed, slope)).collect();
        (product(&self.transposed, &out.value), slopes)
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
        let kernel = PairKernel {
            kernel: Arc::clone(&kernel),
            widths: written.widths.clone(),
            differentiated: written.differentiated.clone(),
            origin: written.origin.clone(),
            interrupt: Interrupt::new(),
        };
        kernel.check(written.anchors.columns()).map_err(|error| error.to_string())?;
        Landmarks::from_parts(kernel, written).map_err(|error| error.to_string())
    }
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
fn pool(points: &Points, boundary: usize, seed: u64) -> Result<Points<'static>, Error> {
    let most = LANDMARK_POOL.min(POOL_ENTRIES / boundary.max(1)).max(MOST_LANDMARKS);
    let rows = points.some_rows(most, &mut stream(seed, tasks::LANDMARKS));
    let rows: Vec<&[f64]> = rows.into_iter().map(|i| points.row(i)).collect();
    Ok(Points::from_rows(&rows)?)
}

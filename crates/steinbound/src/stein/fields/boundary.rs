//! What boundary points forbid test fields: flux through the boundary.

use std::f64::consts::TAU;
use std::sync::Arc;

use super::TestFields;
use crate::compute::times_transpose;
use crate::engine::{Evaluator, PairKernel, PairSum};
use crate::error::{Error, KernelError};
use crate::kernel::Gaussian;
use crate::matrix::{Matrix, add_scaled};
use crate::points::Points;
use crate::stein::conditioned::check_boundary;

/// The components of a test field that a boundary point forbids.
///
/// The Stein identity needs no flux through the boundary: at a boundary point only the component along the
/// normal has to vanish. Where the normal is not known, every component has to.
#[derive(Debug, Clone, PartialEq)]
pub struct Directions {
    /// Boundary points by differentiated coordinates; a row of zeros where the normal is not known.
    pub normals: Matrix,
}

impl Directions {
    /// No normal is known.
    pub fn unknown(points: usize, coordinates: usize) -> Directions {
        Directions { normals: Matrix::zeros(points, coordinates) }
    }

    /// Whether the normal of a point is known.
    pub fn is_known(&self, point: usize) -> bool {
        (0..self.normals.columns()).any(|l| self.normals[(point, l)] != 0.0)
    }

    /// The number of points whose normal is known.
    pub fn known(&self) -> usize {
        (0..self.normals.rows()).filter(|i| self.is_known(*i)).count()
    }
}

/// The most covariates that count as coordinates of a surface.
const MOST_COVARIATES: usize = 6;

/// The piece of surface that each boundary point stands for, in units of the bandwidth:
///
/// ```text
/// omega_i = (2 pi)^((d - 1) / 2) / sum_j k(b_i, b_j)
/// ```
///
/// with the Gaussian kernel of the widths over all coordinates that it sees, of which `d` are differentiated. On a
/// surface with `rho` points for each `sigma^(d - 1)` the sum is `rho (2 pi)^((d - 1) / 2)`, so that
/// `omega_i = 1 / rho`: for even and uneven spacing, and for repeated points, which share their piece.
///
/// Covariates, which are not differentiated, count as coordinates of the surface, up to six of them: with more, most
/// columns tell categories apart, each of which would multiply the weights by 2.5 until a penalty cannot be
/// factorised.
///
/// ```
/// use steinbound::engine::PairKernel;
/// use steinbound::stein::surface_weights;
/// use steinbound::{Points, kernel};
/// let kernel = PairKernel::new(kernel::by_name("gaussian")?, vec![0.5; 2], vec![0, 1], vec![0.0; 2])?;
/// // A line with a point in every tenth, and one of them twice.
/// let mut line: Vec<[f64; 2]> = (0..100).map(|i| [0.1 * i as f64, 0.0]).collect();
/// line.push(line[50]);
/// let weights = surface_weights(&kernel, &Points::from_rows(&line)?)?;
/// assert!((weights[30] - 0.2).abs() < 1e-3 && weights[50] < 0.2);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn surface_weights(kernel: &PairKernel, boundary: &Points) -> Result<Vec<f64>, Error> {
    check_boundary(boundary)?;
    let widths = kernel.widths().to_vec();
    let (differentiated, origin) = (kernel.differentiated().to_vec(), kernel.origin().to_vec());
    let is_seen = |l: &usize| widths[*l].is_finite();
    let covariates = (0..widths.len()).filter(|l| is_seen(l) && !differentiated.contains(l)).count();
    let seen = differentiated.iter().filter(|l| is_seen(l)).count() + covariates.min(MOST_COVARIATES);
    let gaussian = PairKernel::new(Arc::new(Gaussian), widths, differentiated, origin)?;
    let evaluator = Evaluator::native(gaussian);
    let points = evaluator.scale(boundary)?;
    let ones = Matrix::from_fn(boundary.len(), 1, |_, _| 1.0);
    let sums = evaluator.cross(&points, &points, &ones, &[(PairSum::Value, 0)])?;
    let unit = TAU.powf(0.5 * (seen as f64 - 1.0));
    Ok(sums.column(0).iter().map(|sum| unit / sum).collect())
}

/// The norm of test fields with a penalty on their flux through the boundary.
///
/// # Definition
///
/// For coefficients `w` of [`TestFields`], stacked coordinate by coordinate,
///
/// ```text
/// w' P w = sum_l w_l' K w_l + (n / tau) sum_i omega_i ( n_i . f(b_i) )^2,
/// ```
///
/// with the [surface weights](surface_weights) `omega`, normals `n_i` and the number of observations `n`; a
/// boundary point without a normal has every component in place of `n_i . f`. This is the norm of the kernel
/// conditioned on zeros of the flux, with the ridge `tau / (n omega_i)` at point `i`: where all components are
/// penalised alike, that of [`Conditioned`](crate::stein::Conditioned) within the fields.
///
/// # Requirements
///
/// Landmarks that do not repeat.
#[derive(Debug, Clone)]
pub struct Penalty {
    matrix: Matrix,
    /// What boundary points add to the norm at a strength of one.
    flux: Matrix,
    strength: f64,
}

impl Penalty {
    /// The penalty of boundary points with their directions; `strength` is `n / tau`.
    pub fn new(
        fields: &TestFields,
        boundary: &Points,
        directions: &Directions,
        strength: f64,
    ) -> Result<Penalty, Error> {
        let weights = surface_weights(&fields.evaluator().kernel, boundary)?;
        Penalty::with_weights(fields, boundary, directions, &weights, strength)
    }

    pub(super) fn with_weights(
        fields: &TestFields,
        boundary: &Points,
        directions: &Directions,
        weights: &[f64],
        strength: f64,
    ) -> Result<Penalty, Error> {
        check_boundary(boundary)?;
        let (count, coordinates) = (fields.landmarks(), fields.coordinates());
        let normals = &directions.normals;
        if (normals.rows(), normals.columns()) != (boundary.len(), coordinates) {
            let what = format!("{} normals of {} coordinates", normals.rows(), normals.columns());
            return Err(KernelError::WrongShape { points: boundary.len(), coordinates, what }.into());
        }
        let mut flux = Matrix::zeros(count * coordinates, count * coordinates);
        let mut matrix = flux.clone();
        (0..coordinates).for_each(|l| add_block(&mut matrix, l, fields.gram()));
        if boundary.is_empty() {
            return Ok(Penalty { matrix, flux, strength });
        }
        let evaluator = fields.evaluator();
        // Landmarks by boundary points.
        let values = evaluator.values(&evaluator.scale(boundary)?, &fields.landmarks)?;
        let unknown: Vec<usize> = (0..boundary.len()).filter(|i| !directions.is_known(*i)).collect();
        let known: Vec<usize> = (0..boundary.len()).filter(|i| directions.is_known(*i)).collect();
        if !unknown.is_empty() {
            let part = Matrix::from_fn(count, unknown.len(), |j, at| {
                weights[unknown[at]].sqrt() * values[(j, unknown[at])]
            });
            let square = times_transpose(&part);
            (0..coordinates).for_each(|l| add_block(&mut flux, l, &square));
        }
        if !known.is_empty() {
            let mut part = Matrix::zeros(count * coordinates, known.len());
            for (at, i) in known.iter().enumerate() {
                for (l, column) in part.column_mut(at).chunks_exact_mut(count).enumerate() {
                    add_scaled(column, weights[*i].sqrt() * normals[(*i, l)], values.column(*i));
                }
            }
            add_scaled(flux.values_mut(), 1.0, times_transpose(&part).values());
        }
        add_scaled(matrix.values_mut(), strength, flux.values());
        Ok(Penalty { matrix, flux, strength })
    }

    /// The penalty of the same boundary points with another strength.
    pub(crate) fn with_strength(&self, strength: f64) -> Penalty {
        let mut penalty = Penalty { strength, ..self.clone() };
        add_scaled(penalty.matrix.values_mut(), strength - self.strength, self.flux.values());
        penalty
    }

    /// `P`, in the coefficients of the functions `k(z_j, .)`.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }
}

/// Adds a block on the diagonal, at the place of a coordinate.
fn add_block(matrix: &mut Matrix, l: usize, block: &Matrix) {
    let count = block.rows();
    for j in 0..count {
        let column = &mut matrix.column_mut(l * count + j)[l * count..(l + 1) * count];
        add_scaled(column, 1.0, block.column(j));
    }
}

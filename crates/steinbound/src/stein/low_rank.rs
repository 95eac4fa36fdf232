use std::sync::Arc;

use rayon::prelude::*;

use super::conditioned::Conditioned;
use super::form::{
    Diagonal, FormKind, Holder, Parts, SteinForm, Term, check_shape, split_terms, wrong_shape,
};
use super::landmarks::Landmarks;
use crate::compute::dot;
use crate::compute::packed::LARGEST_TILE;
use crate::engine::ScaledPoints;
use crate::error::Error;
use crate::matrix::{Matrix, add_scaled};
use crate::points::Points;

/// The form of a conditioned kernel that a few landmarks stand for: the time and memory of a pass grow with
/// `n`, not with its square.
///
/// # Definition
///
/// With the functions `phi` of [`Landmarks`], the kernel is `phi(x)' phi(y)`, and the squared discrepancy
/// (V-statistic) is
///
/// ```text
/// sum_l | mean_i ( psi_l(x_i) phi(x_i) + d/dx_l phi(x_i) ) |^2.
/// ```
///
/// # Requirements
///
/// Landmarks of the same kernel; as many functions times coordinates as there are parameters, at least.
///
/// # Complexity
///
/// A pass over the data for the sums, and one back for values at each point: `2 n (r + m)` kernel values.
/// [`diagonal`](SteinForm::diagonal), which only U-statistics need, takes `n r (r + m) (1 + d)` operations.
///
/// ```
/// use std::sync::Arc;
/// use steinbound::stein::{Conditioned, Landmarks, LowRank, Radial, SteinForm};
/// use steinbound::{Points, kernel};
/// let points = Points::from_rows(&[[-0.5], [0.1], [0.3], [0.6]])?;
/// let boundary = Points::from_rows(&[[-1.0], [1.0]])?;
/// let exact = Conditioned::new(Radial::tiled(&points, kernel::by_name("gaussian")?, 0.7)?, &boundary, 1e-3)?;
/// let landmarks = Landmarks::choose(&exact, &points, 1e-10, 100, 0)?;
/// let form = LowRank::new(Arc::new(exact), Arc::new(landmarks))?;
/// assert!(form.holder().residual.unwrap() < 1e-10);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub struct LowRank {
    exact: Arc<Conditioned>,
    landmarks: Arc<Landmarks>,
}

impl LowRank {
    /// The form of the data that the conditioned form has, with landmarks in place of all pairs.
    ///
    /// The landmarks must be of the same kernel: name and parameters, widths, origin and differentiated
    /// coordinates.
    pub fn new(exact: Arc<Conditioned>, landmarks: Arc<Landmarks>) -> Result<LowRank, Error> {
        if !landmarks.is_of(&exact.evaluator().kernel) {
            return Err(wrong_shape(exact.as_ref(), "landmarks of another kernel".into()).into());
        }
        Ok(LowRank { exact, landmarks })
    }

    /// The sums over the data of the functions (terms [`Operator::Value`](super::Operator::Value)) and of
    /// their derivatives ([`Operator::Second`](super::Operator::Second)), functions by terms: half of what
    /// [`apply`](SteinForm::apply) has to do.
    pub fn feature_sums(&self, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        check_shape(self, columns, terms)?;
        self.landmarks.sum_terms(self.exact.scaled(), columns, terms)
    }

    fn at(&self, rows: &ScaledPoints, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        check_shape(self, columns, terms)?;
        let (needed, outer) = split_terms(terms, self.coordinates());
        let sums = self.landmarks.sum_terms(self.exact.scaled(), columns, &needed)?;
        let back: Vec<Term> = outer.iter().map(|(_, term)| *term).collect();
        let parts = self.landmarks.combine(rows, &sums, &back)?;
        let mut products = Matrix::zeros(rows.len(), terms.len());
        for (j, (output, _)) in outer.iter().enumerate() {
            add_scaled(products.column_mut(*output), 1.0, parts.column(j));
        }
        Ok(products)
    }
}

impl SteinForm for LowRank {
    fn points(&self) -> usize {
        self.exact.points()
    }

    fn dimension(&self) -> usize {
        self.exact.dimension()
    }

    fn differentiated(&self) -> &[usize] {
        self.exact.differentiated()
    }

    fn apply(&self, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        self.at(self.exact.scaled(), columns, terms)
    }

    fn apply_at(&self, targets: &Points, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        self.at(&self.exact.evaluator().scale(targets)?, columns, terms)
    }

    fn diagonal(&self) -> Result<Diagonal, Error> {
        let (points, coordinates) = (self.points(), self.coordinates());
        let blocks: Vec<usize> = (0..points).step_by(LARGEST_TILE).collect();
        let of_block = |start: &usize| {
            let range = *start..(start + LARGEST_TILE).min(points);
            let (value, slopes) = self.landmarks.written_out(self.exact.scaled(), range.clone())?;
            let of_point = |at: usize| {
                let phi = value.column(at);
                let slope: Vec<f64> = slopes.iter().map(|slope| dot(phi, slope.column(at))).collect();
                let both = slopes.iter().map(|slope| dot(slope.column(at), slope.column(at))).sum();
                (dot(phi, phi), slope, both)
            };
            Ok((0..range.len()).map(of_point).collect())
        };
        let found: Vec<Vec<(f64, Vec<f64>, f64)>> =
            blocks.par_iter().map(of_block).collect::<Result<_, Error>>()?;
        let all: Vec<_> = found.into_iter().flatten().collect();
        Ok(Diagonal {
            value: all.iter().map(|point| point.0).collect(),
            between: Matrix::zeros(points, 0),
            slope: Matrix::from_fn(points, coordinates, |i, l| all[i].1[l]),
            both: all.iter().map(|point| point.2).collect(),
        })
    }

    fn holder(&self) -> Holder {
        Holder {
            form: FormKind::LowRank,
            rank: Some(self.landmarks.rank()),
            residual: Some(self.landmarks.residual()),
        }
    }

    fn parts(&self) -> Parts<'_> {
        Parts { features: Some(self), ..self.exact.parts() }
    }
}

use serde::{Deserialize, Serialize};

use super::gram::Gram;
use super::statistic::{Moments, Statistic};
use crate::compute::{dot, product};
use crate::error::KernelError;
use crate::matrix::Matrix;

/// Running sums of a low-rank form over some data: all that an estimate needs to know of them.
///
/// For the functions `phi` of some [`Landmarks`](super::Landmarks) and features `Phi` of a score, with
/// weights `w`, these are `sum_i w_i phi(x_i) Phi(x_i)` and `sum_i w_i d/dx_l phi(x_i)`. Their size does not
/// depend on the number of data, and sums of disjoint parts of the data [merge](Sums::merge) into those of
/// the whole: across blocks, threads or machines.
///
/// ```
/// use steinbound::stein::{Conditioned, Landmarks, Radial, Sums};
/// use steinbound::{Matrix, Points, kernel};
/// let points = Points::from_rows(&[[-0.5], [0.1], [0.3], [0.6]])?;
/// let boundary = Points::from_rows(&[[-1.0], [1.0]])?;
/// let form = Conditioned::new(Radial::tiled(&points, kernel::by_name("gaussian")?, 0.7)?, &boundary, 1e-3)?;
/// let landmarks = Landmarks::choose(&form, &points, 1e-9, 100, 0)?;
///
/// let ones = |rows: usize| Matrix::from_fn(rows, 1, |_, _| 1.0);
/// let part = |rows: &[[f64; 1]]| landmarks.sums(&Points::from_rows(rows)?, &ones(rows.len()), &vec![1.0; rows.len()]);
/// let mut total = part(&[[-0.5], [0.1], [0.3]])?;
/// total.merge(&part(&[[0.6]])?)?;
/// let whole = landmarks.sums(&points, &ones(4), &[1.0; 4])?;
/// assert_eq!(total.rows, whole.rows);
/// assert!((total.moments().constant - whole.moments().constant).abs() < 1e-12);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// The number of points.
    pub rows: usize,
    /// `sum w`.
    pub weight: f64,
    /// `sum w^2`.
    pub weight_squared: f64,
    /// `sum_i w_i phi(x_i) Phi(x_i)`, functions by features.
    pub value: Matrix,
    /// `sum_i w_i d/dx_l phi(x_i)`, functions by coordinates.
    pub slope: Matrix,
}

impl Sums {
    /// The sums of features and slopes, functions by either, over data with these weights.
    pub(crate) fn of(value: Matrix, slope: Matrix, weights: &[f64]) -> Sums {
        let squares = weights.iter().map(|w| w * w);
        Sums {
            rows: weights.len(),
            weight: weights.iter().sum(),
            weight_squared: squares.sum(),
            value,
            slope,
        }
    }

    /// Adds the sums of other data, for the same landmarks and features.
    pub fn merge(&mut self, other: &Sums) -> Result<(), KernelError> {
        let shape =
            |sums: &Sums| (sums.value.rows(), sums.value.columns(), sums.slope.rows(), sums.slope.columns());
        if shape(self) != shape(other) || self.value.rows() != self.slope.rows() {
            let what = format!("sums of {:?} and of {:?}", shape(self), shape(other));
            let coordinates = self.slope.columns();
            return Err(KernelError::WrongShape { points: self.rows, coordinates, what });
        }
        self.rows += other.rows;
        self.weight += other.weight;
        self.weight_squared += other.weight_squared;
        for (own, more) in [(&mut self.value, &other.value), (&mut self.slope, &other.slope)] {
            own.values_mut().iter_mut().zip(more.values()).for_each(|(sum, more)| *sum += more);
        }
        Ok(())
    }

    /// The squared discrepancy (V-statistic) of the score with these coefficients, features by coordinates: a
    /// sum of squares, which keeps more digits of a small discrepancy than [`Moments::value`].
    pub(crate) fn value_at(&self, coefficients: &Matrix) -> f64 {
        let scores = product(&self.value, coefficients);
        let both = scores.values().iter().zip(self.slope.values());
        both.map(|(score, slope)| (score + slope).powi(2)).sum::<f64>() / (self.weight * self.weight)
    }

    /// The moments of a V-statistic.
    pub fn moments(&self) -> Moments {
        let transposed = self.value.transpose();
        let constant =
            (0..self.slope.columns()).map(|l| dot(self.slope.column(l), self.slope.column(l))).sum();
        Moments {
            gram: Gram::Shared(product(&transposed, &self.value)),
            cross: product(&transposed, &self.slope),
            constant,
            normaliser: Statistic::V.normaliser_of(self.weight, self.weight_squared),
        }
    }
}

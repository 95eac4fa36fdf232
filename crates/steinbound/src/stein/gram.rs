use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::form::{Operator, SteinForm};
use crate::matrix::{Matrix, add_scaled};

/// `G = Phi' W M W Phi`, features by features: one matrix for all coordinates, or one for each pair of them.
///
/// ```
/// use steinbound::{Matrix, stein::Gram};
/// let shared = Gram::Shared(Matrix::identity(3));
/// assert!(shared.block(1, 0, 2).is_none());
/// assert_eq!(shared.block(1, 1, 2), Some(&Matrix::identity(3)));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Gram {
    /// For a kernel that is one number: the same for each coordinate, and zero between two of them.
    Shared(Matrix),
    /// For a kernel that couples coordinates: `Phi' W K_lm W Phi` at place `l d + m`, of `d` coordinates.
    Coupled(Vec<Matrix>),
}

impl Gram {
    /// The matrix of coordinates `l` and `m`, of `d` in all; `None` where it is zero, because the kernel does
    /// not couple them.
    pub fn block(&self, l: usize, m: usize, d: usize) -> Option<&Matrix> {
        match self {
            Gram::Shared(gram) => (l == m).then_some(gram),
            Gram::Coupled(blocks) => blocks.get(l * d + m),
        }
    }

    /// `sum_m G_lm a_m`, for coefficients with a column for each coordinate.
    pub(super) fn times(&self, l: usize, coefficients: &Matrix) -> Vec<f64> {
        let d = coefficients.columns();
        let parts = (0..d).filter_map(|m| Some(self.block(l, m, d)?.times_vector(coefficients.column(m))));
        sum(parts).unwrap_or_default()
    }
}

/// Which coordinates the kernel of a form couples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Coupling {
    pub(super) coordinates: usize,
    pub(super) is_coupled: bool,
}

impl Coupling {
    pub(super) fn of(form: &dyn SteinForm) -> Coupling {
        Coupling { coordinates: form.coordinates(), is_coupled: form.is_coupled() }
    }

    /// The operators without derivatives: one for all coordinates, or one for each pair of them.
    pub(super) fn values(self) -> Vec<Operator> {
        let d = self.coordinates;
        if !self.is_coupled {
            return vec![Operator::Value];
        }
        (0..d * d).map(|at| Operator::Between(at / d, at % d)).collect()
    }

    /// The place of `K_lm` among them.
    pub(super) fn place(self, l: usize, m: usize) -> usize {
        if self.is_coupled { l * self.coordinates + m } else { 0 }
    }

    /// The coordinates that are coupled to one.
    pub(super) fn partners(self, l: usize) -> Range<usize> {
        if self.is_coupled { 0..self.coordinates } else { l..l + 1 }
    }
}

/// The sum of some columns, where there are any.
pub(super) fn sum(mut columns: impl Iterator<Item = Vec<f64>>) -> Option<Vec<f64>> {
    let first = columns.next()?;
    Some(columns.fold(first, |mut sum, column| {
        add_scaled(&mut sum, 1.0, &column);
        sum
    }))
}

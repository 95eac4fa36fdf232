//! Scores that are affine in the parameters, written in features.

use std::collections::BTreeSet;

use crate::matrix::Matrix;

/// A score in terms of features: `psi_l = Phi (S_l theta + s_l)`.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearScore {
    /// The number of parameters.
    pub parameters: usize,
    /// The entries of `S_l` that are not zero, for each coordinate.
    pub design: Vec<Vec<Slot>>,
    /// `s_l`, features by coordinates.
    pub offset: Matrix,
}

/// One entry of a design `S_l`: a feature's coefficient is `factor` times a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slot {
    /// The feature, a row of `S_l`.
    pub feature: usize,
    /// The parameter, a column of `S_l`.
    pub parameter: usize,
    /// The value.
    pub factor: f64,
}

impl LinearScore {
    /// The number of features.
    pub fn features(&self) -> usize {
        self.offset.rows()
    }

    /// The part for one coordinate.
    pub(crate) fn of_coordinate(&self, l: usize) -> LinearScore {
        LinearScore {
            parameters: self.parameters,
            design: vec![self.design[l].clone()],
            offset: Matrix::from_fn(self.features(), 1, |c, _| self.offset[(c, l)]),
        }
    }

    /// A score near some parameters, `psi_l + sum_k delta_k d psi_l / d theta_k`, in the features
    /// `psi_1, .., psi_d` and then the rows of the Jacobian: the parameters are the steps `delta`.
    pub(crate) fn linearised(coordinates: usize, parameters: usize) -> LinearScore {
        let slot = |l: usize, k: usize| Slot {
            feature: coordinates + l * parameters + k,
            parameter: k,
            factor: 1.0,
        };
        let mut offset = Matrix::zeros(coordinates * (1 + parameters), coordinates);
        for l in 0..coordinates {
            offset[(l, l)] = 1.0;
        }
        let design = (0..coordinates).map(|l| (0..parameters).map(|k| slot(l, k)).collect()).collect();
        LinearScore { parameters, design, offset }
    }

    /// Whether the parts are consistent for these numbers of coordinates and parameters, with no slot outside
    /// them.
    pub fn is_consistent(&self, coordinates: usize, parameters: usize) -> bool {
        let fits = |slot: &Slot| slot.feature < self.features() && slot.parameter < parameters;
        self.parameters == parameters
            && self.design.len() == coordinates
            && self.offset.columns() == coordinates
            && self.design.iter().flatten().all(fits)
    }

    /// The (coordinate, feature) pairs whose coefficient depends on a parameter.
    pub(crate) fn used_features(&self) -> BTreeSet<(usize, usize)> {
        let of_coordinate = |(l, slots): (usize, &Vec<Slot>)| -> Vec<(usize, usize)> {
            slots.iter().map(|slot| (l, slot.feature)).collect()
        };
        self.design.iter().enumerate().flat_map(of_coordinate).collect()
    }

    /// The coefficients `a` of the features at the parameters, features by coordinates.
    pub fn at(&self, theta: &[f64]) -> Matrix {
        let mut coefficients = self.offset.clone();
        for (l, slots) in self.design.iter().enumerate() {
            for slot in slots {
                coefficients[(slot.feature, l)] += slot.factor * theta[slot.parameter];
            }
        }
        coefficients
    }
}

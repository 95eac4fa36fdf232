//! Covariates in which the coefficients of a regression hardly depend on each other.

use crate::compute::orthogonal::Orthonormal;
use crate::error::{Error, FitError};
use crate::matrix::Matrix;
use crate::minimise::Estimate;
use crate::model::LinearPart;
use crate::points::Points;

/// The name of a regressor: the intercept's, or that of its coordinate.
fn name_of(data: &Points, first: usize, ones: usize, regressor: usize) -> String {
    let coordinate = regressor.checked_sub(ones).map(|k| first + k);
    coordinate.map_or_else(|| "(Intercept)".into(), |at| data.names()[at].clone())
}

/// The data with orthonormal columns in place of the covariates, and the way back.
///
/// Products of the covariates themselves have the square of their condition number, and lose twice as many
/// digits: those of a year, its square and its cube lose all.
pub(super) struct Basis {
    pub(super) points: Points<'static>,
    columns: Orthonormal,
}

impl Basis {
    /// A basis for the part of a model that is linear in covariates; the weights sum to one.
    pub(super) fn new(part: LinearPart, data: &Points, shares: &[f64]) -> Result<Basis, Error> {
        let LinearPart { first, covariates, has_intercept } = part;
        let (rows, ones) = (data.len(), usize::from(has_intercept));
        let regressors = Matrix::from_fn(rows, ones + covariates, |i, k| match k.checked_sub(ones) {
            None => 1.0,
            Some(k) => data.row(i)[first + k],
        });
        let columns = Orthonormal::new(regressors, shares)
            .map_err(|column| FitError::DependentCovariate { name: name_of(data, first, ones, column) })?;
        let mut values = data.values().to_vec();
        for (i, x) in values.chunks_exact_mut(data.dimension()).enumerate() {
            for k in 0..covariates {
                x[first + k] = columns.columns[(i, ones + k)];
            }
        }
        Ok(Basis { points: data.replaced(values)?, columns })
    }

    /// Parameters for the data themselves, as those for this basis.
    pub(super) fn forward(&self, theta: &[f64]) -> Vec<f64> {
        let (coefficients, others) = theta.split_at(self.columns.columns.columns());
        [&self.columns.times_upper(coefficients), others].concat()
    }

    /// The estimate for the data themselves.
    pub(super) fn back(&self, mut estimate: Estimate) -> Estimate {
        if let Some(theta) = &mut estimate.theta {
            self.columns.solve_upper(theta);
        }
        self.rows_back(&mut estimate.influence);
        if let Some(root) = &mut estimate.information {
            self.rows_back(root);
        }
        estimate
    }

    /// Rows that change like the parameters.
    fn rows_back(&self, rows: &mut Matrix) {
        let (height, width) = (rows.rows(), rows.columns());
        for i in 0..height {
            let mut row: Vec<f64> = (0..width).map(|k| rows[(i, k)]).collect();
            self.columns.solve_upper(&mut row);
            row.into_iter().enumerate().for_each(|(k, value)| rows[(i, k)] = value);
        }
    }
}

//! The Gaussian in the list of models.

use super::Gaussian;
use crate::error::ModelError;
use crate::model::Model;
use crate::model::family::{Choice, CovarianceShape, Family, KnownCovariance, ModelChoices};

/// A Gaussian whose covariance is known, full or diagonal.
#[derive(Debug)]
pub(in crate::model) struct GaussianFamily;

impl Family for GaussianFamily {
    fn name(&self) -> &'static str {
        "gaussian"
    }

    fn meaning(&self) -> &'static str {
        "one normal density"
    }

    fn choices(&self) -> &'static [Choice] {
        &[Choice::KnownCovariance, Choice::Covariance]
    }

    fn shapes(&self) -> &'static [CovarianceShape] {
        &[CovarianceShape::Full, CovarianceShape::Diagonal]
    }

    fn build(&self, dimension: usize, choices: &ModelChoices) -> Result<Box<dyn Model>, ModelError> {
        choices.check(self, dimension)?;
        let model = match &choices.known_covariance {
            Some(KnownCovariance::Variance(variance)) => Gaussian::with_variance(dimension, *variance)?,
            Some(KnownCovariance::Variances(variances)) => Gaussian::with_variances(variances)?,
            Some(KnownCovariance::Matrix(matrix)) => Gaussian::with_covariance(matrix.clone())?,
            None if choices.covariance == Some(CovarianceShape::Diagonal) => Gaussian::diagonal(dimension),
            None => Gaussian::full(dimension),
        };
        Ok(Box::new(model))
    }
}

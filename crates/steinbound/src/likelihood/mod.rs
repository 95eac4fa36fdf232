//! Likelihood estimates: here the naive one, which does not know of the truncation.

use crate::error::Error;
use crate::fit::Estimate;
use crate::model::Model;
use crate::points::Points;

/// The maximum likelihood estimate of the untruncated model: the baseline that truncation biases.
///
/// # Definition
///
/// For a Gaussian, mean and covariance (divided by `n`) of the data. Standard errors are robust (sandwich).
///
/// # Requirements
///
/// A model that knows its normaliser without truncation, as the Gaussian does.
///
/// # Complexity
///
/// `n d^2`.
///
/// # Reference
///
/// Any textbook; it is here for comparison.
pub(crate) fn naive(model: &dyn Model, data: &Points) -> Result<Estimate, Error> {
    let (theta, influence) = model.maximum_likelihood(data)?;
    Ok(Estimate::closed_form(theta, influence))
}

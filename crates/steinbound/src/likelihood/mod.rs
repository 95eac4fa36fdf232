//! Likelihood estimates: here the naive one, which does not know of the truncation.

use crate::error::Error;
use crate::fit::Estimate;
use crate::model::Model;
use crate::points::Points;

/// The estimate of [`Estimator::mle`](crate::Estimator::mle).
pub(crate) fn naive(model: &dyn Model, data: &Points, weights: &[f64]) -> Result<Estimate, Error> {
    let (theta, influence) = model.maximum_likelihood(data, weights)?;
    Ok(Estimate::closed_form(theta, influence))
}

//! Likelihood estimates: the naive one, which does not know of the truncation, and the truncated one.

mod conditional;
mod nodes;
mod truncated;

use std::sync::Arc;

use crate::domain::Domain;
use crate::error::{Error, ModelError};
use crate::fit::{Estimate, centred};
use crate::model::Model;
use crate::points::Points;

/// The estimate of [`Estimator::mle`](crate::Estimator::mle).
pub(crate) fn naive(model: &dyn Model, data: &Points, weights: &[f64]) -> Result<Estimate, Error> {
    let (origin, points) = centred(model, data);
    let (theta, influence) = model.maximum_likelihood(&points, weights)?;
    Ok(Estimate::closed_form(theta, influence).moved_back(model, &origin))
}

/// The estimate of [`Estimator::truncated_mle`](crate::Estimator::truncated_mle).
pub(crate) fn truncated(
    model: &dyn Model,
    data: &Points,
    weights: &[f64],
    domain: &Arc<dyn Domain>,
    start: Option<&[f64]>,
    seed: u64,
) -> Result<Estimate, Error> {
    let (mut gradient, mut hessian) = (vec![0.0; model.parameters()], vec![0.0; model.parameters().pow(2)]);
    let everywhere = (f64::NEG_INFINITY, f64::INFINITY);
    let ones = vec![1.0; model.parameters()];
    if model.log_normaliser(data.row(0), &ones, everywhere, &mut gradient, &mut hessian).is_some() {
        return conditional::exact(model, data, weights, domain, start, seed);
    }
    if model.differentiated().len() < model.dimension() {
        return Err(ModelError::Unsupported {
            model: model.name().to_string(),
            action: "fitted by truncated maximum likelihood, because the normaliser of its conditional density is not known",
            remedy: "use tksd, truncsm or bdksd",
        }
        .into());
    }
    truncated::integrated(model, data, weights, domain, start, seed)
}

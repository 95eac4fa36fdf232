//! Likelihood estimates: the naive one, which ignores the truncation, and the truncated one.

mod conditional;
mod counts;
mod nodes;
mod truncated;

use std::sync::Arc;

pub(crate) use counts::{CountRule, Counts};
pub use nodes::IntegrationRule;
pub(crate) use nodes::{DETERMINISTIC, FINEST};
pub(crate) use truncated::{TOLERABLE, UNSETTLED};

use crate::domain::Domain;
use crate::error::{ANOTHER_METHOD, Error, ModelError};
use crate::interrupt::Interrupt;
use crate::minimise::{Estimate, centred};
use crate::model::{Model, NaiveLikelihood};
use crate::points::Points;

/// The estimate of [`Estimator::mle`](crate::Estimator::mle).
pub(crate) fn naive(model: &dyn Model, data: &Points, weights: &[f64]) -> Result<Estimate, Error> {
    let (origin, points) = centred(model, data);
    let (theta, influence) = naive_likelihood(model)?.maximum_likelihood(&points, weights)?;
    Ok(Estimate::closed_form(theta, influence).moved_back(model, &origin))
}

/// The maximum likelihood that ignores the truncation, or the error for a model without one.
fn naive_likelihood(model: &dyn Model) -> Result<&dyn NaiveLikelihood, ModelError> {
    model.naive_likelihood().ok_or_else(|| ModelError::Unsupported {
        model: model.name().to_string(),
        action: "fitted by naive maximum likelihood",
        remedy: ANOTHER_METHOD,
    })
}

/// The inputs of a truncated maximum likelihood estimate.
#[derive(Clone, Copy)]
pub(crate) struct Truncated<'a> {
    pub(crate) model: &'a dyn Model,
    pub(crate) data: &'a Points<'a>,
    pub(crate) weights: &'a [f64],
    pub(crate) domain: &'a Arc<dyn Domain>,
    /// The start, in fitted parameters; chosen automatically if `None`.
    pub(crate) start: Option<&'a [f64]>,
    /// The rule of integration over the domain; chosen automatically if `None`.
    pub(crate) rule: Option<&'a IntegrationRule>,
    pub(crate) seed: u64,
    pub(crate) interrupt: &'a Interrupt,
}

impl Truncated<'_> {
    /// The estimate of [`Estimator::truncated_mle`](crate::Estimator::truncated_mle).
    pub(crate) fn maximise(&self) -> Result<Estimate, Error> {
        if let Some(density) = self.model.conditional() {
            return conditional::exact(self, density);
        }
        if self.model.differentiated().len() < self.model.dimension() {
            return Err(ModelError::Unsupported {
                model: self.model.name().to_string(),
                action: "fitted by truncated maximum likelihood, because the normaliser of its conditional density is not known",
                remedy: ANOTHER_METHOD,
            }
            .into());
        }
        truncated::integrated(self)
    }
}

//! Likelihood estimates: the naive one, which ignores the truncation, and the truncated one.

mod basis;
mod conditional;
mod counts;
mod nodes;
mod truncated;
mod work;

use std::sync::Arc;

pub(crate) use counts::{CountRule, Counts};
pub use nodes::IntegrationRule;
pub(crate) use nodes::{DETERMINISTIC, FINEST};
pub(crate) use truncated::{TOLERABLE, UNSETTLED};
pub(crate) use work::Work;

use crate::domain::Domain;
use crate::error::{ANOTHER_METHOD, Error, ModelError};
use crate::interrupt::Interrupt;
use crate::minimise::{Estimate, centred};
use crate::model::{AtPoints, Model, NaiveLikelihood};
use crate::points::Points;

/// The inputs of a maximum likelihood estimate that ignores the truncation.
#[derive(Clone, Copy)]
pub(crate) struct Naive<'a> {
    pub(crate) model: &'a dyn Model,
    pub(crate) data: &'a Points<'a>,
    pub(crate) weights: &'a [f64],
    /// The start, in fitted parameters, where there is a search.
    pub(crate) start: Option<&'a [f64]>,
    pub(crate) seed: u64,
    pub(crate) interrupt: &'a Interrupt,
}

impl Naive<'_> {
    /// The estimate of [`Estimator::mle`](crate::Estimator::mle).
    pub(crate) fn maximise(&self) -> Result<Estimate, Error> {
        let Naive { model, data, weights, interrupt, .. } = *self;
        if let Some(density) = model.conditional() {
            return conditional::whole(self, density);
        }
        let (origin, points) = centred(model, data);
        let (theta, influence) = naive_likelihood(model)?.maximum_likelihood(&points, weights)?;
        let log_likelihood = whole_log_densities(model, &points, &theta, interrupt)?.map(|logs| {
            let counted = logs.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
            counted.map(|(log, weight)| weight * log).sum::<f64>()
        });
        let mut estimate = Estimate::closed_form(theta, influence);
        estimate.log_likelihood = log_likelihood.filter(|value| value.is_finite());
        Ok(estimate.moved_back(model, &origin))
    }
}

/// The logarithms of the density at points, normalised over the whole space; `None` if its normaliser is not
/// known.
pub(crate) fn whole_log_densities(
    model: &dyn Model,
    points: &Points,
    theta: &[f64],
    interrupt: &Interrupt,
) -> Result<Option<Vec<f64>>, Error> {
    let normaliser = model.density().and_then(|density| density.whole_log_normaliser(theta));
    let Some(normaliser) = normaliser else { return Ok(None) };
    let logs = AtPoints::all(model, points).until(interrupt).log_densities(theta)?;
    Ok(Some(logs.into_iter().map(|value| value - normaliser).collect()))
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

/// Whether [`Truncated::maximise`] has what it needs: a density, and a domain that it can integrate over.
pub(crate) fn is_possible(
    model: &dyn Model,
    data: &Points,
    domain: &dyn Domain,
    seed: u64,
    interrupt: &Interrupt,
) -> bool {
    let is_whole = model.density().is_some() && model.differentiated().len() == model.dimension();
    let rule = || IntegrationRule::new(domain, data, 0, seed, interrupt);
    model.conditional().is_some() || (is_whole && matches!(rule(), Ok(Some(_))))
}

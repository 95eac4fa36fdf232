//! Truncated samples.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use steinbound::Points;
use steinbound::domain::{BoundarySampling, Domain, default_boundary_count};
use steinbound::model::{FAMILIES, KnownCovariance, Model};
use steinbound::simulate::{self, Sample, tasks};
use steinbound_io::DomainSpec;

use crate::choices;
use crate::error::RequestError;
use crate::model::FamilyRequest;
use crate::option::Options;
use crate::options;
use crate::values::Values;
use crate::wording::Wording;

/// A sample that is asked for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SimulationRequest {
    /// The model; its covariance is the identity unless one is given, or `at` gives it.
    pub model: FamilyRequest,
    /// The parameters in reported order; a mean of zero where a model has one.
    pub at: Option<Values>,
    /// Where points are kept.
    pub domain: Arc<dyn Domain>,
    /// How many points.
    pub count: usize,
    /// Whether points on the boundary are sampled as well.
    pub has_boundary: bool,
    /// The seed, and how boundary points are sampled.
    pub options: Options,
    /// How messages name options.
    pub wording: Wording,
}

/// A truncated sample, of the schema `steinbound.simulate/1`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SimulationAnswer {
    /// The name of the model.
    pub model: String,
    /// The domain in words.
    pub domain: String,
    /// The points.
    pub sample: Sample,
    /// Points on the boundary, where they are asked for.
    pub boundary: Option<Points<'static>>,
}

impl SimulationAnswer {
    /// The answer as JSON, without the points; a face adds where it put them.
    pub fn json(&self) -> Json {
        json!({
            "schema": "steinbound.simulate/1",
            "model": self.model,
            "domain": self.domain,
            "n": self.sample.points.len(),
            "d": self.sample.points.dimension(),
            "m": self.boundary.as_ref().map_or(0, |points| points.len()),
            "acceptance": self.sample.acceptance(),
        })
    }
}

impl SimulationRequest {
    /// A request for points in a domain.
    pub fn new(model: FamilyRequest, domain: Arc<dyn Domain>, count: usize) -> SimulationRequest {
        let (options, wording) = (Options::new(), Wording::default());
        SimulationRequest { model, at: None, domain, count, has_boundary: false, options, wording }
    }

    /// Draws the sample.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::domain::Cuboid;
    /// use steinbound_request::{FamilyRequest, SimulationRequest, choices};
    /// let model = FamilyRequest::new(choices::model().find("gaussian")?);
    /// let line = Arc::new(Cuboid::interval(-1.0, 1.0).map_err(steinbound::Error::from)?);
    /// let answer = SimulationRequest::new(model, line, 5).run()?;
    /// assert_eq!(answer.json()["n"], 5);
    /// # Ok::<(), steinbound_request::RequestError>(())
    /// ```
    pub fn run(&self) -> Result<SimulationAnswer, RequestError> {
        let (model, theta) = self.model_at()?;
        let (domain, seed) = (self.domain.as_ref(), self.options.seed());
        let rng = &mut simulate::stream(seed, tasks::DATA);
        let sample = simulate::truncated(model.as_ref(), &theta, domain, self.count, rng)?;
        let boundary = match self.has_boundary {
            false => None,
            true => {
                let rng = &mut simulate::stream(seed, tasks::BOUNDARY);
                let sampling = self.options.boundary_sampling(domain.dimension()).near(&sample.points);
                Some(domain.sample_boundary(&sampling, rng)?)
            }
        };
        Ok(SimulationAnswer { model: model.name().to_string(), domain: domain.describe(), sample, boundary })
    }

    /// The model and its fitted parameters.
    fn model_at(&self) -> Result<(Box<dyn Model>, Vec<f64>), RequestError> {
        let at = self.wording.option("at");
        let given = match &self.at {
            Some(Values::Named(_)) => {
                return Err(RequestError::refused(format!(
                    "{at} takes the parameters in order here; leave the names out"
                )));
            }
            Some(Values::Plain(list)) => Some(list),
            None => None,
        };
        if let Some(value) = given.into_iter().flatten().find(|value| !value.is_finite()) {
            return Err(RequestError::refused(format!("{at} holds {value}; parameters are finite numbers")));
        }
        let dimension = self.domain.dimension();
        let is_known = self.model.choices.known_covariance.is_some();
        let mut request = self.model.clone();
        request.choices.known_covariance.get_or_insert(KnownCovariance::Variance(1.0));
        let model = request.build(dimension, self.wording)?;
        let components = request.choices.components;
        let values = match (given, components) {
            (Some(list), _) => list.clone(),
            (None, None) => vec![0.0; model.parameters()],
            (None, Some(_)) => {
                return Err(RequestError::refused(format!(
                    "a mixture needs {at} with its {} means, component by component",
                    model.parameters()
                )));
            }
        };
        let explain = |error| RequestError::value(&at, error);
        if values.len() == model.parameters() {
            let theta = model.fitted_from(&values).map_err(explain)?;
            return Ok((model, theta));
        }
        if let Some(components) = components {
            return Err(RequestError::refused(format!(
                "{at} has {} values; {components} components in {dimension} dimensions have {} means",
                values.len(),
                model.parameters()
            )));
        }
        let means = model.parameters();
        let unknown = self.model.build(dimension, self.wording)?;
        if !is_known && values.len() == unknown.parameters() {
            let theta = unknown.fitted_from(&values).map_err(explain)?;
            return Ok((unknown, theta));
        }
        let or_covariances = match is_known {
            true => String::new(),
            false => format!(", or these and the {} covariances", unknown.parameters() - means),
        };
        Err(RequestError::refused(format!(
            "{at} has {} values; in {dimension} dimensions give {dimension} means{or_covariances}",
            values.len()
        )))
    }
}

impl Options {
    /// How boundary points are sampled: the requested number, or the default for this dimension.
    pub fn boundary_sampling<'a>(&self, dimension: usize) -> BoundarySampling<'a> {
        let count =
            self.count(&options::BOUNDARY_POINTS).unwrap_or_else(|| default_boundary_count(dimension));
        let scheme = self.choice(&options::BOUNDARY_SAMPLING, choices::boundary_sampling());
        BoundarySampling::new(count).scheme(scheme.unwrap_or_default())
    }
}

/// The default model.
pub fn default_family() -> FamilyRequest {
    FamilyRequest::new(FAMILIES[0])
}

/// The number of coordinates: that of the domain, which an explicit number must not contradict, else a fallback, else 2.
pub fn chosen_dimension(
    spec: &DomainSpec,
    given: Option<usize>,
    fallback: Option<usize>,
    wording: Wording,
) -> Result<usize, RequestError> {
    match (spec.dimension(), given) {
        (Some(least), Some(given)) if !spec.fits(given) => {
            let option = wording.option("dimension");
            Err(RequestError::refused(format!(
                "{option} is {given}, but the domain has {least} coordinates; leave {option} out"
            )))
        }
        (least, given) => Ok(given.or(least).or(fallback).unwrap_or(2)),
    }
}

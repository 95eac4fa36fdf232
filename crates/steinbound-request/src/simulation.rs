//! Truncated samples.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use steinbound::domain::{BoundarySampling, Domain, default_boundary_count};
use steinbound::model::{Choice, FAMILIES, KnownCovariance, Model};
use steinbound::simulate::{self, Inside, Sample, tasks};
use steinbound::{Error, ModelError, Points};
use steinbound_io::DomainSpec;

use crate::choices;
use crate::error::RequestError;
use crate::model::{FamilyRequest, ModelRequest, formula};
use crate::option::Options;
use crate::options;
use crate::values::Values;
use crate::wording::Wording;

/// A sample that is asked for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SimulationRequest {
    /// The model; its covariance is the identity unless one is given, or `at` gives it.
    pub model: ModelRequest<'static>,
    /// The parameters in reported order, or by name; a mean of zero where a model has one, and for a formula its start.
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
    pub fn new(
        model: impl Into<ModelRequest<'static>>,
        domain: Arc<dyn Domain>,
        count: usize,
    ) -> SimulationRequest {
        let model = model.into();
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
        let sample = drawn(model.as_ref(), &theta, domain, self.count, seed)?;
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
        let given = match &self.at {
            Some(Values::Plain(list)) => list.clone(),
            Some(Values::Named(list)) => list.iter().map(|(_, value)| *value).collect(),
            None => Vec::new(),
        };
        if let Some(value) = given.iter().find(|value| !value.is_finite()) {
            let at = self.wording.option("at");
            return Err(RequestError::refused(format!("{at} holds {value}; parameters are finite numbers")));
        }
        match &self.model {
            ModelRequest::Family(family) => self.family_at(family),
            ModelRequest::Formula { log_density, start } => self.formula_at(log_density, start.as_ref()),
            ModelRequest::Given(_) => {
                Err(RequestError::refused("a model that is there already is drawn from by the library"))
            }
        }
    }

    /// The parameters of a formula, by name or in the order of its start.
    fn formula_at(
        &self,
        log_density: &str,
        start: Option<&Values>,
    ) -> Result<(Box<dyn Model>, Vec<f64>), RequestError> {
        let at = self.wording.option("at");
        let named = match (&self.at, start) {
            (Some(Values::Named(_)), _) => self.at.as_ref(),
            (_, start) => start,
        };
        let columns = coordinates(self.domain.dimension());
        let model = formula(log_density, named, &columns, self.wording)?;
        let theta = match (&self.at, start) {
            (Some(values), _) => values.resolve(&at, &model.reported_names(&columns))?,
            (None, Some(start)) => start.resolve(&at, &model.reported_names(&columns))?,
            (None, None) => Vec::new(),
        };
        let theta = checked(&model, &theta).map_err(|error| RequestError::value(&at, error))?;
        Ok((Box::new(model), theta))
    }

    /// The parameters of a model that has a name. A covariance that is not known is the identity, unless the
    /// parameters give it.
    fn family_at(&self, family: &FamilyRequest) -> Result<(Box<dyn Model>, Vec<f64>), RequestError> {
        let at = self.wording.option("at");
        let dimension = self.domain.dimension();
        let whole = family.build(dimension, self.wording)?;
        let has_covariance = family.family.choices().contains(&Choice::KnownCovariance);
        let mut candidates = vec![whole];
        if has_covariance && family.choices.known_covariance.is_none() {
            let mut known = family.clone();
            known.choices.known_covariance = Some(KnownCovariance::Variance(1.0));
            candidates.insert(0, known.build(dimension, self.wording)?);
        }
        let columns = coordinates(dimension);
        let names = |model: &dyn Model| model.reported_names(&columns);
        let few = names(candidates[0].as_ref());
        let values = match &self.at {
            Some(Values::Plain(list)) => list.clone(),
            Some(named @ Values::Named(list)) => {
                let has_all = |model: &dyn Model| names(model).len() == list.len();
                let last = candidates.len() - 1;
                let place = candidates.iter().position(|model| has_all(model.as_ref())).unwrap_or(last);
                named.resolve(&at, &names(candidates[place].as_ref()))?
            }
            None if has_covariance && family.choices.components.is_none() => vec![0.0; few.len()],
            None if has_covariance => {
                return Err(RequestError::refused(format!(
                    "a mixture needs {at} with its {} means, component by component",
                    few.len()
                )));
            }
            None => {
                return Err(RequestError::refused(format!(
                    "the model {} needs {at} with its parameters: {}",
                    family.family.name(),
                    few.join(", ")
                )));
            }
        };
        let counts: Vec<usize> = candidates.iter().map(|model| names(model.as_ref()).len()).collect();
        let Some(place) = counts.iter().position(|count| *count == values.len()) else {
            return Err(RequestError::refused(self.wrong_count(family, values.len(), &few, &counts)));
        };
        let model = candidates.swap_remove(place);
        let theta = checked(model.as_ref(), &values).map_err(|error| RequestError::value(&at, error))?;
        Ok((model, theta))
    }

    /// The message where the parameters are too few or too many.
    fn wrong_count(&self, family: &FamilyRequest, found: usize, few: &[String], counts: &[usize]) -> String {
        let (at, dimension) = (self.wording.option("at"), self.domain.dimension());
        let means = few.len();
        let more = counts.get(1).map(|all| all - means);
        match (family.choices.components, more) {
            (Some(components), Some(more)) => format!(
                "{at} has {found} values; {components} components in {dimension} dimensions have {means} means, or these and \
                 {more} covariances"
            ),
            (Some(components), None) => format!(
                "{at} has {found} values; {components} components in {dimension} dimensions have {means} parameters: {}",
                few.join(", ")
            ),
            (None, Some(more)) => format!(
                "{at} has {found} values; in {dimension} dimensions give {means} means, or these and the {more} covariances"
            ),
            (None, None) => {
                format!("{at} has {found} values; in {dimension} dimensions give {means}: {}", few.join(", "))
            }
        }
    }
}

/// The names of coordinates that have no others.
fn coordinates(dimension: usize) -> Vec<String> {
    (1..=dimension).map(|l| format!("x{l}")).collect()
}

/// Fitted parameters for reported ones, as many as the model has.
fn checked(model: &dyn Model, values: &[f64]) -> Result<Vec<f64>, Error> {
    let names = model.reported_names(&coordinates(model.dimension()));
    if names.len() != values.len() {
        let (found, expected) = (values.len(), names.len());
        return Err(ModelError::WrongParameterCount { found, expected, names: names.join(", ") }.into());
    }
    Ok(model.fitted_from(values)?)
}

/// Draws at fitted parameters: of the density itself where it has a sampler, else uniform
/// ones of a bounded domain, kept by the density.
fn drawn(
    model: &dyn Model,
    theta: &[f64],
    domain: &dyn Domain,
    count: usize,
    seed: u64,
) -> Result<Sample, Error> {
    let rng = &mut simulate::stream(seed, tasks::DATA);
    if simulate::sampler(model, theta, Some(domain)).is_some() {
        return simulate::truncated(model, theta, domain, count, rng);
    }
    Inside::new(model, theta, Some(domain), rng)?.sample(count, rng)
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

/// The number of coordinates for which a model has as many parameters as `at`, if that tells: one mean for each of a
/// Gaussian and of each component; and the highest of `x1`, `x2`, .. in a formula, or in the names of `at`.
///
/// ```
/// use steinbound_request::{FamilyRequest, ModelRequest, choices, dimension_for};
/// let gamma: ModelRequest = FamilyRequest::new(choices::model().find("gamma")?).into();
/// let at = "2,3,1,1".parse().unwrap();
/// assert_eq!(dimension_for(&gamma, Some(&at)), Some(2));
/// let named = "shape[x1]=2,shape[x2]=3,rate[x1]=1,rate[x2]=1".parse().unwrap();
/// assert_eq!(dimension_for(&gamma, Some(&named)), Some(2));
/// # Ok::<(), steinbound_request::RequestError>(())
/// ```
pub fn dimension_for(model: &ModelRequest, at: Option<&Values>) -> Option<usize> {
    match model {
        ModelRequest::Given(model) => Some(model.dimension()),
        ModelRequest::Formula { log_density, .. } => highest_coordinate(log_density),
        ModelRequest::Family(family) => {
            let count = match at? {
                Values::Plain(list) => list.len(),
                Values::Named(list) => {
                    let highest = list.iter().filter_map(|(name, _)| highest_coordinate(name)).max();
                    if let Some(highest) = highest {
                        // Every coordinate has a parameter, whatever a mistyped name says.
                        return Some(highest.min(list.len()));
                    }
                    list.len()
                }
            };
            if family.family.choices().contains(&Choice::KnownCovariance) {
                return Some(count / family.choices.components.unwrap_or(1).max(1));
            }
            let of = |dimension| {
                family.build(dimension, Wording::CommandLine).map(|model| model.parameters()).ok()
            };
            Some(count / of(1)?.max(1))
        }
    }
}

/// The highest of `x1`, `x2`, .. in a formula or a name.
fn highest_coordinate(text: &str) -> Option<usize> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter_map(|word| word.strip_prefix('x')?.parse().ok()).max()
}

/// The number of coordinates: that of the domain, which an explicit number must not contradict, else a
/// fallback, else 2.
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
        (least, given) => Ok(given.or(least).or(fallback.filter(|least| *least > 0)).unwrap_or(2)),
    }
}

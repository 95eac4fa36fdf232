//! Numbers of components: how they are written, and the choice among several.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use steinbound::inference::{Comparison, Contender, Selection};
use steinbound::{Error, FitError};
use steinbound_io::names::shown;

use crate::comparison::{NamedModel, family_models, reference_method};
use crate::error::RequestError;
use crate::listener::Listener;
use crate::model::{ChosenModel, FamilyRequest};
use crate::request::Case;

/// The largest number of components of a range; more are taken to be a typing error.
const MOST: usize = 20;

/// One number of components, or several that follow each other.
///
/// ```
/// use steinbound_request::Components;
/// let read = |text: &str| text.parse::<Components>();
/// assert_eq!(read("2")?.numbers().collect::<Vec<_>>(), [2]);
/// assert_eq!(read("1..3")?.numbers().collect::<Vec<_>>(), [1, 2, 3]);
/// assert_eq!(read("3..1").unwrap_err(), "3..1 counts down; write 1..3");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Components {
    first: usize,
    last: usize,
}

impl Components {
    /// The numbers from one to another.
    pub fn range(first: usize, last: usize) -> Result<Components, String> {
        if last < first {
            return Err(format!("{first}..{last} counts down; write {last}..{first}"));
        }
        if first == 0 || last > MOST {
            return Err(format!(
                "{first}..{last} is not within 1..{MOST}; give numbers from 1 on, such as 1..5"
            ));
        }
        Ok(Components { first, last })
    }

    /// The smallest.
    pub fn first(self) -> usize {
        self.first
    }

    /// Whether it is a single number.
    pub fn is_one(self) -> bool {
        self.first == self.last
    }

    /// All numbers.
    pub fn numbers(self) -> impl Iterator<Item = usize> {
        self.first..=self.last
    }
}

impl FromStr for Components {
    type Err = String;

    fn from_str(text: &str) -> Result<Components, String> {
        let number = |part: &str| part.trim().parse::<usize>().ok();
        if let Some(one) = number(text) {
            // The model says which single numbers it takes.
            return Ok(Components { first: one, last: one });
        }
        match text.split_once("..").map(|(first, last)| (number(first), number(last))) {
            Some((Some(first), Some(last))) => Components::range(first, last),
            _ => Err(format!(
                "\"{}\" is not a number of components; give one such as 2, or a range such as 1..5",
                shown(text)
            )),
        }
    }
}

impl Display for Components {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self.is_one() {
            true => write!(out, "{}", self.first),
            false => write!(out, "{}..{}", self.first, self.last),
        }
    }
}

impl<'a> Case<'a> {
    /// Fits models of growing size by the case's method, and chooses among them.
    ///
    /// Where the region is known, or for methods that ignore it, by the likelihood with a charge for every parameter;
    /// otherwise by a test and by the discrepancy on held-out data ([`Comparison::choose`]).
    pub fn choose(&self, models: &[NamedModel], listener: &dyn Listener) -> Result<Selection, RequestError> {
        let chosen: Vec<ChosenModel> = models
            .iter()
            .map(|named| named.model.build(&self.data, None, self.wording))
            .collect::<Result<_, _>>()?;
        self.check_sizes(models, &chosen)?;
        let Some(first) = chosen.first() else {
            return Err(RequestError::refused("there is no model to choose from; give at least one"));
        };
        let contenders: Vec<Contender> = chosen
            .iter()
            .zip(models)
            .map(|(chosen, named)| {
                let mut contender = Contender::new(self.estimator.clone(), chosen.model.as_model());
                contender.is_tuned = self.options.is_tuned();
                // The chosen one is, when it is fitted.
                contender.is_diagnosed = false;
                contender.label = named.label.clone();
                contender
            })
            .collect();
        let reference = self.estimator.clone().method(reference_method(self.method.uses().knows_boundary()));
        let reference = reference.check(&self.data, first.model.as_model());
        let reference = reference.map_err(|error| self.explain(error))?;
        let task = listener.task("models");
        let comparison =
            Comparison::run_watched(&reference, &contenders, &self.data, None, &|done, total| {
                task.step(done, total)
            });
        drop(task);
        let comparison = comparison.map_err(|error| self.explain(error))?;
        // What no number of components can help.
        let unseen = |error: &&Error| matches!(error, Error::Fit(FitError::WeightsUnseen { .. }));
        if let Some(error) = comparison.fits.iter().filter_map(|fit| fit.error.as_ref()).find(unseen) {
            return Err(error.clone().into());
        }
        comparison.choose().ok_or_else(|| {
            let reason = |fit: &steinbound::inference::Compared| {
                let reason = fit.suspicion.as_ref().or(fit.reason.as_ref());
                format!("\n  {}: {}", fit.label, reason.map_or("it could not be measured", String::as_str))
            };
            let reasons: String = comparison.fits.iter().map(reason).collect();
            RequestError::refused(format!("none of the models can be chosen{reasons}"))
        })
    }

    /// Refuses models with more parameters than the data can determine.
    fn check_sizes(&self, models: &[NamedModel], chosen: &[ChosenModel]) -> Result<(), RequestError> {
        let rows = (0..self.data.len()).filter(|i| self.data.weight(*i) > 0.0).count();
        let parameters = |chosen: &ChosenModel| chosen.model.as_model().parameters();
        let Some(at) = chosen.iter().position(|chosen| parameters(chosen) >= rows) else { return Ok(()) };
        let most = match at.checked_sub(1) {
            Some(before) => format!("end at {} at the latest", models[before].label),
            None => "use more data, or fewer parameters".into(),
        };
        Err(RequestError::refused(format!(
            "{} has {} parameters, too many for {rows} observations; {most}",
            models[at].label,
            parameters(&chosen[at])
        )))
    }

    /// The same case with the number of components that [`choose`](Case::choose) takes.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::domain::Cuboid;
    /// use steinbound::model::{GaussianMixture, KnownCovariance};
    /// use steinbound::{Method, simulate};
    /// use steinbound_request::{Components, FamilyRequest, Inference, ModelRequest, Request, Shape, choices};
    /// let region = Arc::new(Cuboid::interval(-4.0, 4.0)?);
    /// let two = GaussianMixture::new(1, 2)?;
    /// let data = simulate::truncated(&two, &[-2.0, 2.0], region.as_ref(), 200, &mut simulate::stream(1, 0))?.points;
    /// let mut family = FamilyRequest::new(choices::model().find("mixture")?);
    /// family.choices.known_covariance = Some(KnownCovariance::Variance(1.0));
    /// family.choices.components = Some(1);
    /// let mut request = Request::new(&data, ModelRequest::Family(family.clone()), Method::TRUNCATED_MLE);
    /// request.region.shape = Some(Shape::Domain(region));
    /// let case = request.prepare(&())?.choosing(&family, Components::range(1, 3)?, &())?;
    /// assert_eq!(case.selection.as_ref().unwrap().chosen, "gaussian-mixture 2");
    /// let answer = case.fit(&case.fitting_problem()?, &Inference::default(), &())?;
    /// assert_eq!(serde_json::to_value(&answer)?["selection"]["criterion"], "bic");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn choosing(
        mut self,
        family: &FamilyRequest,
        components: Components,
        listener: &dyn Listener,
    ) -> Result<Case<'a>, RequestError> {
        if family.start.is_some() {
            return Err(RequestError::refused(format!(
                "{} begins with the means of one number of components; give {}, or leave the start out",
                self.wording.option("start"),
                self.wording.with_placeholder("components", "K")
            )));
        }
        let numbers: Vec<usize> = components.numbers().collect();
        let models = family_models(&[family.family], &numbers, family);
        let selection = self.choose(&models, listener)?;
        self.model = models[selection.place].model.build(&self.data, None, self.wording)?.model;
        self.selection = Some(selection);
        Ok(self)
    }
}

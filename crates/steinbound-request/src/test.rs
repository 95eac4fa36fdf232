//! Tests of goodness of fit.

use serde_json::{Value as Json, json};
use steinbound::fit::Problem;
use steinbound::inference::{GoodnessOfFit, TestResult};
use steinbound::{Fit, Warning};

use crate::error::RequestError;
use crate::listener::Listener;
use crate::request::Case;
use crate::values::Values;

/// A test of goodness of fit, of the schema `steinbound.test/1`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TestAnswer {
    /// The test.
    pub result: TestResult,
    /// The fit that is tested, with locations in degrees where there is a projection; `None` at given
    /// parameters.
    pub fit: Option<Fit>,
    /// The same on the plane, for pictures.
    pub flat: Option<Fit>,
    /// The parameters that were given.
    pub at: Option<Vec<f64>>,
    /// The same on the plane.
    pub flat_at: Option<Vec<f64>>,
    /// What the user should know before trusting the result.
    pub warnings: Vec<Warning>,
    /// Whether the level can be relied on.
    pub is_sound: bool,
    described: Json,
}

impl TestAnswer {
    /// The answer as JSON.
    pub fn json(&self) -> Json {
        let mut value = self.described.clone();
        value["at"] = json!(self.at);
        value["parameters"] = json!(self.fit.as_ref().map(|fit| &fit.parameters));
        value["converged"] = json!(self.fit.as_ref().map(|fit| fit.converged));
        if let (Some(all), Ok(Json::Object(found))) =
            (value.as_object_mut(), serde_json::to_value(&self.result))
        {
            all.extend(found);
        }
        value
    }
}

impl Case<'_> {
    /// Tests whether the data come from the model, at given parameters or at fitted ones. The settings of the
    /// test are options of the request.
    ///
    /// ```
    /// use steinbound::{Method, Points, model::Gaussian};
    /// use steinbound_request::{ModelRequest, Request, Values};
    /// let data = Points::new((0..40).map(|i| 2.0 + 0.05 * f64::from(i)).collect::<Vec<_>>(), 1)?;
    /// let model = Gaussian::with_variance(1, 1.0)?;
    /// let case = Request::new(&data, ModelRequest::Given(&model), Method::KSD).prepare(&())?;
    /// let problem = case.tuned_problem(&())?;
    /// let answer = case.test(&problem, Some(&"3".parse::<Values>()?), &())?;
    /// assert_eq!(answer.json()["at"][0], 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn test(
        &self,
        problem: &Problem,
        at: Option<&Values>,
        listener: &dyn Listener,
    ) -> Result<TestAnswer, RequestError> {
        let settings = self.options.goodness_of_fit()?;
        let flat_at = at.map(|at| self.parameters(at)).transpose()?;
        // Only the draws can be interrupted half-way, so that their task begins after the fit.
        let flat = match &flat_at {
            Some(_) => None,
            None => Some(problem.fit().map_err(|error| self.explain(error))?),
        };
        let task = listener.task("test");
        let step = |done: usize, total: usize| task.step(done, total) && self.interrupt.overtime().is_none();
        let settings = settings.progress(&step);
        let result = match (&flat, &flat_at) {
            (Some(fit), _) => problem.test(fit, &settings),
            (None, at) => problem.test_at(at.as_deref().unwrap_or_default(), &settings),
        };
        drop(task);
        let result = result.map_err(|error| self.explain(error))?;
        // The same verdict as that of a fit; what is measured here has no effect on the test.
        let flat = flat.map(|fit| self.diagnosed(problem, fit)).transpose()?;
        for note in &result.notes {
            // The reason why a level cannot be relied on is more than a note.
            if result.trustworthy { listener.note(note) } else { listener.warning(note) }
        }
        let fit = flat.clone().map(|fit| self.region.unproject_fit(self.model(), fit));
        let warnings = fit.as_ref().map_or_else(|| problem.warnings().to_vec(), |fit| fit.warnings.clone());
        // The warnings of the problem have been heard.
        let new = warnings.iter().filter(|warning| !problem.warnings().contains(warning));
        new.for_each(|warning| listener.warning(warning));
        Ok(TestAnswer {
            described: self.described("steinbound.test/1", problem, &warnings),
            is_sound: result.trustworthy && fit.as_ref().is_none_or(Fit::is_trustworthy),
            result,
            fit,
            flat,
            at: at.map(|at| self.given_parameters(at)).transpose()?,
            flat_at,
            warnings,
        })
    }

    /// A fit with what its diagnostics say, as far as the time allows.
    pub(crate) fn diagnosed(&self, problem: &Problem, mut fit: Fit) -> Result<Fit, RequestError> {
        if self.interrupt.overtime().is_some() {
            return Ok(fit);
        }
        match problem.add_diagnostics(&mut fit).map_err(|error| self.explain(error)) {
            Err(error) if error.time_limit().is_none() => Err(error),
            _ => Ok(fit),
        }
    }

    /// A test of a fit with default settings.
    pub(crate) fn tested(
        &self,
        problem: &Problem,
        fit: &Fit,
        listener: &dyn Listener,
    ) -> Result<TestResult, RequestError> {
        let task = listener.task("test");
        let step = |done: usize, total: usize| task.step(done, total) && self.interrupt.overtime().is_none();
        problem.test(fit, &GoodnessOfFit::new().progress(&step)).map_err(|error| self.explain(error))
    }
}

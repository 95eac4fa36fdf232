//! Fitting, with what is asked of the estimates.

use std::sync::atomic::Ordering;

use serde::{Serialize, Serializer};
use steinbound::fit::{Interrupt, Parameter, Problem};
use steinbound::inference::{Diagnostics, Leverage, Selection, Sensitivity, TestResult, WaldTest};
use steinbound::{Fit, Warning, WarningKind};

use crate::error::RequestError;
use crate::listener::{Listener, warn_all};
use crate::questions::Questions;
use crate::region::{ProjectionUsed, RegionUsed};
use crate::request::Case;
use crate::sensitivity::{SensitivityOutcome, SensitivityWanted};

/// What is asked beside the estimates. A bootstrap is an option of the request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Inference {
    /// A hypothesis and derived quantities.
    pub questions: Questions,
    /// Fits under other settings.
    pub sensitivity: SensitivityWanted,
    /// A test of goodness of fit with its default settings.
    pub is_tested: bool,
    /// Diagnostics.
    pub is_diagnosed: bool,
}

impl Default for Inference {
    fn default() -> Inference {
        Inference {
            questions: Questions::default(),
            sensitivity: SensitivityWanted::No,
            is_tested: false,
            is_diagnosed: true,
        }
    }
}

/// A fit and everything else that was asked. Serialises to the schema `steinbound.fit/1`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FitAnswer {
    /// The fit, with locations in degrees where there is a projection, and all warnings.
    pub fit: Fit,
    /// The fit on the plane where there is a projection, for pictures.
    pub flat: Fit,
    /// Diagnostics, where they are asked for.
    pub diagnostics: Option<Diagnostics>,
    /// The test of a hypothesis, where there is one and the estimates allow it.
    pub wald: Option<WaldTest>,
    /// Derived quantities.
    pub derived: Vec<Parameter>,
    /// The test of goodness of fit, where it is asked for.
    pub test: Option<TestResult>,
    /// Fits under other settings.
    pub sensitivity: SensitivityOutcome,
    /// Whether the user asked for these.
    pub is_sensitivity_asked: bool,
    /// The projection, where there is one.
    pub projection: Option<ProjectionUsed>,
    /// The region, where it is known.
    pub region: Option<RegionUsed>,
    /// How the model was chosen, where it was.
    pub selection: Option<Selection>,
    /// What the user may want to know.
    pub notes: Vec<String>,
    /// Why the fit cannot be trusted, whatever its method says; the first of its warnings.
    pub doubt: Option<String>,
    /// Whether the result can be trusted, and everything that was asked is answered.
    pub is_sound: bool,
}

impl FitAnswer {
    /// The fits under other settings, where the user asked for them.
    pub fn reported_sensitivity(&self) -> Option<&Sensitivity> {
        self.sensitivity.found().filter(|_| self.is_sensitivity_asked)
    }
}

impl Serialize for FitAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Printed<'a> {
            #[serde(flatten)]
            fit: &'a Fit,
            #[serde(skip_serializing_if = "Option::is_none")]
            wald: Option<&'a WaldTest>,
            #[serde(skip_serializing_if = "<[Parameter]>::is_empty")]
            derived: &'a [Parameter],
            #[serde(skip_serializing_if = "Option::is_none")]
            diagnostics: Option<&'a Diagnostics>,
            #[serde(skip_serializing_if = "Option::is_none")]
            projection: Option<ProjectionUsed>,
            #[serde(skip_serializing_if = "Option::is_none")]
            region: Option<&'a RegionUsed>,
            #[serde(skip_serializing_if = "Option::is_none")]
            test: Option<&'a TestResult>,
            #[serde(skip_serializing_if = "Option::is_none")]
            sensitivity: Option<&'a Sensitivity>,
            #[serde(skip_serializing_if = "Option::is_none")]
            selection: Option<&'a Selection>,
        }
        let printed = Printed {
            fit: &self.fit,
            wald: self.wald.as_ref(),
            derived: &self.derived,
            diagnostics: self.diagnostics.as_ref(),
            projection: self.projection,
            region: self.region.as_ref(),
            test: self.test.as_ref(),
            sensitivity: self.reported_sensitivity(),
            selection: self.selection.as_ref(),
        };
        printed.serialize(serializer)
    }
}

/// Names the row that decides a parameter as faces do whose rows begin at 0.
fn count_from_zero(fit: &mut Fit, diagnostics: &mut Diagnostics, has_clusters: bool) {
    let Some(found) = &diagnostics.leverage else { return };
    let (known, counted) = (found.sentence(has_clusters, 1), found.sentence(has_clusters, 0));
    let all = fit.warnings.iter_mut().chain(&mut diagnostics.warnings);
    all.filter(|warning| **warning == known)
        .for_each(|warning| *warning = warning.kind().warning(counted.as_str()));
}

/// What a time limit leaves out of an answer.
struct Cut<'a> {
    interrupt: &'a Interrupt,
    left_out: Vec<&'static str>,
}

impl Cut<'_> {
    fn is_over(&self) -> bool {
        self.interrupt.overtime().is_some()
    }

    /// Whether there is time for something; if not, it is left out.
    fn allows(&mut self, what: &'static str) -> bool {
        let is_over = self.is_over();
        if is_over {
            self.left_out.push(what);
        }
        !is_over
    }

    /// What was found, unless the time was over on the way.
    fn kept<T>(
        &mut self,
        found: Result<T, RequestError>,
        what: &'static str,
    ) -> Result<Option<T>, RequestError> {
        match found {
            Err(error) if error.time_limit().is_some() => {
                self.left_out.push(what);
                Ok(None)
            }
            found => found.map(Some),
        }
    }

    /// The warning about what was left out.
    fn warning(&self) -> Option<Warning> {
        let limit = self.interrupt.time_limit().filter(|_| !self.left_out.is_empty())?;
        let (seconds, what) = (limit.as_secs_f64(), self.left_out.join(", "));
        Some(WarningKind::Convergence.warning(format!(
            "the time limit of {seconds} s was over before {what}, left out here; allow more time"
        )))
    }
}

impl Case<'_> {
    /// The problem to fit, with bandwidth and ridge chosen where that is asked for. Its warnings become those
    /// of the fit.
    pub fn fitting_problem(&self) -> Result<Problem<'_>, RequestError> {
        self.options.problem(&self.estimator, &self.data, self.model()).map_err(|error| self.explain(error))
    }

    /// Estimates the parameters of a [`fitting_problem`](Case::fitting_problem) and answers what else is
    /// asked.
    ///
    /// ```
    /// use steinbound::{Method, Points, model::Gaussian};
    /// use steinbound_request::{Inference, ModelRequest, Request};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0], [2.5], [3.0]])?;
    /// let model = Gaussian::with_variance(1, 1.0)?;
    /// let case = Request::new(&data, ModelRequest::Given(&model), Method::MLE).prepare(&())?;
    /// let answer = case.fit(&case.fitting_problem()?, &Inference::default(), &())?;
    /// assert!(answer.is_sound && (answer.fit.estimates()[0] - 2.9).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit(
        &self,
        problem: &Problem,
        wanted: &Inference,
        listener: &dyn Listener,
    ) -> Result<FitAnswer, RequestError> {
        let mut notes = Vec::new();
        let mut note = |text: String| {
            listener.note(&text);
            notes.push(text);
        };
        let explain = |error| self.explain(error);
        let mut cut = Cut { interrupt: &self.interrupt, left_out: Vec::new() };
        let fitted = problem.fit().map_err(explain);
        self.watching.store(false, Ordering::Relaxed);
        let mut fit = fitted?;
        let mut diagnostics = match wanted.is_diagnosed && cut.allows("diagnostics") {
            true => cut.kept(problem.add_diagnostics(&mut fit).map_err(explain), "diagnostics")?,
            false => None,
        };
        if let (true, Some(found)) = (self.wording.counts_from_zero(), &mut diagnostics) {
            count_from_zero(&mut fit, found, self.data.clusters().is_some());
        }
        if let Some(doubt) = &self.doubt {
            fit.warnings.insert(0, WarningKind::Censoring.warning(doubt.as_str()));
        }
        if fit.starts.is_none() && fit.iterations == 0 {
            self.situation().search_notes().into_iter().for_each(&mut note);
        }
        let seconds = fit.seconds.total;
        let leverage = diagnostics.as_ref().and_then(|found| found.leverage.as_ref());
        let of_row = |found: &&Leverage| found.share > found.limit && self.data.clusters().is_none();
        if let (Some(leverage), true) = (leverage.filter(of_row), self.source.is_some()) {
            note(format!("row {} is {}", leverage.row, self.place(leverage.row - 1)));
        }
        if let Some(bootstrap) = self.options.bootstrap().filter(|_| cut.allows("the bootstrap")) {
            let task = listener.task("bootstrap");
            let step = |done: usize, total: usize| task.step(done, total) && !cut.is_over();
            let found = problem.bootstrap(fit.clone(), &bootstrap.progress(&step)).map_err(explain);
            fit = cut.kept(found, "the bootstrap")?.unwrap_or(fit);
        }
        let unused = |option: &str| {
            let method = self.wording.with_value("method", self.method.name());
            format!("{} has no effect with {method}", self.wording.option(option))
        };
        let mut test = None;
        if wanted.is_tested && !self.method.is_testable() {
            note(unused("test"));
        } else if wanted.is_tested && cut.allows("the test") {
            test = cut.kept(self.tested(problem, &fit, listener), "the test")?;
            test.iter().flat_map(|found| found.notes.iter().cloned()).for_each(&mut note);
        }
        let (data, model) = (&self.data, self.model());
        let is_wanted = wanted.sensitivity != SensitivityWanted::No;
        let sensitivity = match is_wanted && cut.allows("fits under other settings") {
            true => wanted.sensitivity,
            false => SensitivityWanted::No,
        };
        let outcome = SensitivityOutcome::new(sensitivity, &self.estimator, &mut fit, seconds, data, model);
        fit.warnings.extend(cut.warning());
        let is_sensitivity_asked = wanted.sensitivity == SensitivityWanted::Yes;
        match &outcome {
            SensitivityOutcome::NoKernel if is_sensitivity_asked => note(unused("sensitivity")),
            SensitivityOutcome::Failed(reason) if is_sensitivity_asked => {
                listener.warning(&format!("{}: {reason}", self.wording.option("sensitivity")));
            }
            _ => {}
        }
        let flat = fit.clone();
        let mut fit = self.region.unproject_fit(model, fit);
        let answered = wanted.questions.answer(&mut fit)?;
        warn_all(listener, &fit.warnings);
        Ok(FitAnswer {
            is_sound: fit.is_trustworthy()
                && answered.is_complete
                && cut.left_out.is_empty()
                && self.doubt.is_none(),
            doubt: self.doubt.clone(),
            // Moments that do not exist are followed by the natural parameters, which do.
            fit: fit.with_natural(),
            flat,
            diagnostics,
            wald: answered.wald,
            derived: answered.derived,
            test,
            sensitivity: outcome.mapped(|values| self.region.degrees(model, values)),
            is_sensitivity_asked,
            projection: self.region.projection_used(),
            region: self.region.region_used(),
            selection: self.selection.clone(),
            notes,
        })
    }
}

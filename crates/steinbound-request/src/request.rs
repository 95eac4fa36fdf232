//! What is asked: data, what is known of their region, a model, a method and options.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Value as Json, json};
use steinbound::fit::{Interrupt, Problem, SearchWatcher};
use steinbound::inference::Selection;
use steinbound::model::Model;
use steinbound::{Error, Estimator, FitError, KernelError, Method, Points, Warning};
use steinbound_io::Place;

use crate::effect::Situation;
use crate::error::RequestError;
use crate::listener::{Listener, warn_all};
use crate::model::{ChosenModel, ModelRequest, ReadyModel};
use crate::option::Options;
use crate::region::{Region, RegionRequest};
use crate::values::Values;
use crate::wording::Wording;

/// What is asked. [`prepare`](Request::prepare) makes a [`Case`] of it.
///
/// ```
/// use steinbound::{Method, Points};
/// use steinbound_request::{FamilyRequest, ModelRequest, Request, Values, choices};
/// let data = Points::from_rows(&[[1.0], [2.0], [6.0], [2.5], [3.0]])?;
/// let model = ModelRequest::Family(FamilyRequest::new(choices::model().find("gaussian")?));
/// let case = Request::new(&data, model, Method::KSD).prepare(&())?;
/// let problem = case.problem(&())?;
/// let answer = case.discrepancy(&problem, &"2,4".parse::<Values>()?)?;
/// assert_eq!(answer.json()["schema"], "steinbound.discrepancy/1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The data.
    pub data: Cow<'a, Points<'a>>,
    /// What is known of the region.
    pub region: RegionRequest,
    /// The model.
    pub model: ModelRequest<'a>,
    /// Where a search starts, in reported parameters, for a model that is given.
    pub start: Option<Vec<f64>>,
    /// The method.
    pub method: Method,
    /// Its options.
    pub options: Options,
    /// Values at which a formula is evaluated: they name its parameters where it has no start.
    pub at: Option<Values>,
    /// Where the data are from, for messages.
    pub source: Option<Source>,
    /// How messages name options.
    pub wording: Wording,
    /// What ends the work before it is done.
    pub interrupt: Interrupt,
}

/// Where data are from.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Source {
    /// The file.
    pub path: String,
    /// Where in it each row is.
    pub places: Vec<Place>,
}

impl Source {
    /// A file, and where in it each row is.
    pub fn new(path: impl Into<String>, places: Vec<Place>) -> Source {
        Source { path: path.into(), places }
    }

    /// Forgets all rows but these, counted from zero.
    pub(crate) fn keep(&mut self, rows: &[usize]) {
        if !self.places.is_empty() {
            self.places = rows.iter().filter_map(|row| self.places.get(*row).copied()).collect();
        }
    }

    /// Where a row is, counted from zero.
    pub fn place(&self, row: usize) -> String {
        match self.places.get(row) {
            Some(place) => format!("{place} of {}", self.path),
            None => self.path.clone(),
        }
    }
}

/// A request that is ready to be computed: data on the plane, the model built, the estimator put together.
#[derive(Debug)]
#[non_exhaustive]
pub struct Case<'a> {
    /// The data, on the plane where there is a projection.
    pub data: Cow<'a, Points<'a>>,
    /// The region.
    pub region: Region,
    /// The model.
    pub model: ReadyModel<'a>,
    /// The estimator.
    pub estimator: Estimator,
    /// The method.
    pub method: Method,
    /// The options.
    pub options: Options,
    /// How messages name options.
    pub wording: Wording,
    /// How the model was chosen, where it was.
    pub selection: Option<Selection>,
    pub(crate) source: Option<Source>,
    pub(crate) interrupt: Interrupt,
    /// Whether a search is watched now.
    pub(crate) watching: Arc<AtomicBool>,
    pub(crate) is_regression: bool,
    /// Why no fit can be trusted, whatever the method says, if so.
    pub(crate) doubt: Option<String>,
    pub(crate) started: Instant,
}

impl<'a> Request<'a> {
    /// A request with nothing known of the region and default options.
    pub fn new(data: &'a Points<'a>, model: ModelRequest<'a>, method: Method) -> Request<'a> {
        Request::of(Cow::Borrowed(data), model, method)
    }

    /// The same for data that may be owned.
    pub fn of(data: Cow<'a, Points<'a>>, model: ModelRequest<'a>, method: Method) -> Request<'a> {
        Request {
            data,
            region: RegionRequest::default(),
            model,
            start: None,
            method,
            options: Options::new(),
            at: None,
            source: None,
            wording: Wording::default(),
            interrupt: Interrupt::new(),
        }
    }

    /// Projects the data, builds the model and puts the estimator together.
    pub fn prepare(mut self, listener: &dyn Listener) -> Result<Case<'a>, RequestError> {
        let interrupt = self.options.timed(self.interrupt.clone(), self.wording)?;
        let (source, options) = (&mut self.source, &self.options);
        let (data, region) = self.region.prepare(self.data, source, options, self.wording, listener)?;
        if let Some(domain) = region.domain.as_ref().filter(|domain| domain.dimension() != data.dimension()) {
            // Before anything is made for each column.
            let (dimension, data) = (domain.dimension(), data.dimension());
            return Err(Error::from(FitError::DomainDimension {
                domain: domain.describe(),
                dimension,
                data,
            })
            .into());
        }
        let ChosenModel { model, start } = self.model.build(&data, self.at.as_ref(), self.wording)?;
        if let Some(note) = region.plane_note(model.as_model(), self.wording) {
            listener.note(&note);
        }
        let mut estimator = self.options.estimator(self.method).interrupt(interrupt.clone());
        if let Some(points) = &region.boundary {
            estimator = estimator.boundary(points.clone());
        }
        if let Some(normals) = &region.normals {
            estimator = estimator.boundary_normals(normals.clone());
        }
        if let Some(domain) = &region.domain {
            estimator = estimator.domain(domain.clone());
        }
        if region.outside.kept == 0 {
            // Done above, where borders are straight in degrees.
            estimator = estimator.border_tolerance(f64::INFINITY);
        }
        if let Some(start) = start.or(self.start) {
            estimator = estimator.start(region.project_parameters(model.as_model(), start));
        }
        Ok(Case {
            data,
            region,
            model,
            estimator,
            method: self.method,
            options: self.options,
            wording: self.wording,
            selection: None,
            source: self.source,
            interrupt,
            watching: Arc::default(),
            is_regression: false,
            doubt: None,
            started: Instant::now(),
        })
    }
}

impl Case<'_> {
    /// The names of the reported parameters.
    pub fn parameter_names(&self) -> Vec<String> {
        self.model().reported_names(self.data.names())
    }

    /// The model.
    pub fn model(&self) -> &dyn Model {
        self.model.as_model()
    }

    /// The same, with a function that is called after each step of the fit's search, and ends it by returning `true`.
    pub fn watched(mut self, watcher: SearchWatcher) -> Self {
        // Preparing a problem may take a search, too.
        self.watching.store(true, Ordering::Relaxed);
        let watching = Arc::clone(&self.watching);
        self.estimator = self.estimator.watch_search(Arc::new(move |iterations, value| {
            watching.load(Ordering::Relaxed) && watcher(iterations, value)
        }));
        self
    }

    /// What ends the work before it is done.
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// Parameters in reported order, as they were given.
    pub fn given_parameters(&self, values: &Values) -> Result<Vec<f64>, RequestError> {
        values.resolve(&self.wording.option("at"), &self.parameter_names())
    }

    /// Parameters in reported order, on the plane where there is a projection.
    pub fn parameters(&self, values: &Values) -> Result<Vec<f64>, RequestError> {
        Ok(self.region.project_parameters(self.model(), self.given_parameters(values)?))
    }

    /// What decides which options have an effect.
    pub fn situation(&self) -> Situation<'_> {
        Situation {
            domain: self.region.domain.as_deref(),
            has_boundary: self.region.boundary.is_some(),
            is_regression: self.is_regression,
            ..Situation::new(self.method, &self.options, self.wording)
        }
    }

    /// The problem with bandwidth and ridge as they are given. The listener hears its warnings.
    pub fn problem(&self, listener: &dyn Listener) -> Result<Problem<'_>, RequestError> {
        self.warned(self.estimator.check(&self.data, self.model()), listener)
    }

    /// The problem with bandwidth and ridge chosen where that is asked for. The listener hears its warnings.
    pub fn tuned_problem(&self, listener: &dyn Listener) -> Result<Problem<'_>, RequestError> {
        self.warned(self.options.problem(&self.estimator, &self.data, self.model()), listener)
    }

    fn warned<'p>(
        &self,
        problem: Result<Problem<'p>, Error>,
        listener: &dyn Listener,
    ) -> Result<Problem<'p>, RequestError> {
        let problem = problem.map_err(|error| self.explain(error))?;
        warn_all(listener, problem.warnings());
        Ok(problem)
    }

    /// Where a row of the data is, counted from zero.
    pub fn place(&self, row: usize) -> String {
        self.source.as_ref().map_or_else(|| format!("row {}", row + 1), |source| source.place(row))
    }

    /// The seconds since the request was prepared.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// The JSON of a problem that is solved without a fit.
    pub(crate) fn described(&self, schema: &str, problem: &Problem, warnings: &[Warning]) -> Json {
        let mut value = json!(problem.described());
        value["schema"] = json!(schema);
        value["projection"] = json!(self.region.projection_used());
        value["region"] = json!(self.region.region_used());
        value["warnings"] = warnings.iter().map(Warning::text).collect();
        value["warning_kinds"] = warnings.iter().map(|warning| warning.kind().name()).collect();
        value["seconds"] = json!({ "total": self.seconds() });
        value
    }

    /// An error of the library with the file where the data are at fault, and the option that helps.
    pub fn explain(&self, error: Error) -> RequestError {
        if error.is_interrupted() {
            return error.into();
        }
        let wording = self.wording;
        let path = self.source.as_ref().map(|source| source.path.clone());
        if self.is_regression {
            return self.explain_regression(error, path);
        }
        let help = match &error {
            Error::Fit(FitError::ConstantColumn { .. }) if wording.is_command_line() => {
                " (choose columns with --columns)".into()
            }
            Error::Fit(FitError::NoBoundary { .. }) => {
                let boundary = wording.with_placeholder("boundary", "FILE");
                let domain = wording.with_placeholder("domain", "SPEC");
                return match wording.is_command_line() {
                    true => RequestError::refused(format!("{error} ({boundary} or {domain})")),
                    false => error.into(),
                };
            }
            Error::Kernel(KernelError::ZeroMedian) => format!(" ({})", wording.option("bandwidth")),
            Error::Fit(
                FitError::ConstantColumn { .. }
                | FitError::TooFewRows { .. }
                | FitError::MoreParametersThanData { .. }
                | FitError::NotIdentified { .. }
                | FitError::DependentCovariate { .. },
            )
            | Error::Points(_) => String::new(),
            // The face counts what it gets as it is.
            _ => return error.into(),
        };
        RequestError::Data { path, reason: format!("{}{help}", wording.counted(error)) }
    }

    fn explain_regression(&self, error: Error, path: Option<String>) -> RequestError {
        let Error::Fit(FitError::OutsideDomain { outside, rows, first, .. }) = &error else {
            return RequestError::Data { path, reason: self.wording.counted(error).to_string() };
        };
        let (row, name, wording) = (first - 1, &self.data.names()[0], self.wording);
        let value = self.data.row(row)[0];
        let side = if outside == rows { ": is the limit on the wrong side" } else { "" };
        let place = self.source.as_ref().and_then(|source| source.places.get(row));
        let place = place.map_or_else(|| format!("row {first}"), ToString::to_string);
        let path = path.map_or_else(String::new, |path| format!("{path}, "));
        let remove = match wording.is_command_line() && outside < rows {
            true => format!("leave such rows out with {}", wording.flag("drop-outside")),
            false => "remove such rows".into(),
        };
        RequestError::refused(format!(
            "{path}{place}: the response {name} is {value}, outside its limits, as in {outside} of {rows} rows{side}; check {} \
             and {}, {remove}, or keep them with {}",
            wording.option("lower"),
            wording.option("upper"),
            wording.flag("allow-outside")
        ))
    }
}

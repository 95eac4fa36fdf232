//! Data, boundary, model and settings together: what is fitted, tested and evaluated.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use serde::Serialize;
use steinbound::fit::Problem as Checked;
use steinbound::inference::{
    Bootstrap, Diagnostics, GoodnessOfFit, Interval, LinearHypothesis, Null, Resampling, WaldTest,
};
use steinbound::model::Model as LibraryModel;
use steinbound::simulate::{Inside, stream, tasks};
use steinbound::{Error, Estimator, Fit, Matrix, ModelError, Points};
use steinbound_io::names::choose;

use crate::arrays::{of_matrix, of_points, points};
use crate::domain::Domain;
use crate::error::Failure;
use crate::job::Job;
use crate::model::Model;
use crate::settings::Settings;

/// A problem that owns all it needs. The array of the data is kept, not copied.
#[pyclass(frozen, module = "steinbound._core")]
pub struct Problem {
    data: Data,
    model: Model,
    estimator: Estimator,
    is_tuned: bool,
    threads: Option<usize>,
}

/// Where the data are.
enum Data {
    Array {
        values: Py<PyArray2<f64>>,
        names: Option<Vec<String>>,
        weights: Option<Vec<f64>>,
        clusters: Option<Vec<String>>,
    },
    Points(Points<'static>),
}

/// A fit as the command line prints it.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    fit: &'a Fit,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<&'a Diagnostics>,
}

/// A fit on its way to Python: JSON, the table for people, whether it may be trusted, the fitted parameters, the boundary points in use.
type Found<'py> = (String, String, bool, Option<Vec<f64>>, Option<Bound<'py, PyArray2<f64>>>);

/// A bootstrap: draws, what is drawn, and how intervals are made.
type BootstrapSettings = (usize, String, String);

impl Problem {
    /// A problem whose points are made already.
    pub fn of_points(
        data: Points<'static>,
        model: Model,
        estimator: Estimator,
        settings: &Settings,
    ) -> Problem {
        let (is_tuned, threads) = (settings.tune, settings.threads);
        Problem { data: Data::Points(data), model, estimator, is_tuned, threads }
    }

    /// Does something with the points.
    fn with_points<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Points) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        match &self.data {
            Data::Points(data) => work(data),
            Data::Array { values, names, weights, clusters } => {
                let array = values.bind(py).try_readonly().map_err(|error| error.to_string())?;
                let mut data = points(&array)?;
                if let Some(names) = names {
                    data = data.with_names(names)?;
                }
                if let Some(weights) = weights {
                    data = data.with_weights(weights.clone())?;
                }
                if let Some(clusters) = clusters {
                    data = data.with_clusters(clusters)?;
                }
                work(&data)
            }
        }
    }

    /// Computes something outside the interpreter, with the points and the model.
    fn compute<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Points, &dyn LibraryModel, &Job) -> Result<T, Error> + Send,
    ) -> Result<T, Failure> {
        let job = Job::new(py, self.threads)?;
        let model = self.model.for_job(&job);
        self.with_points(py, |data| job.run(py, || work(data, model.as_ref(), &job)))
    }

    /// Computes something with the problem checked, its bandwidth and ridge chosen where that was asked for.
    fn solve<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Checked, &Job) -> Result<T, Error> + Send,
    ) -> Result<T, Failure> {
        self.compute(py, |data, model, job| {
            let estimator = self.estimator.clone().interrupt(job.interrupt());
            let checked = if self.is_tuned {
                estimator.check_tuned(data, model)
            } else {
                estimator.check(data, model)
            }?;
            work(&checked, job)
        })
    }
}

#[pymethods]
impl Problem {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the Python side gives all of them in one place")]
    fn new(
        py: Python<'_>,
        data: Py<PyArray2<f64>>,
        names: Option<Vec<String>>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        clusters: Option<Vec<String>>,
        model: &Model,
        boundary: Option<PyReadonlyArray2<'_, f64>>,
        domain: Option<&Domain>,
        start: Option<Vec<f64>>,
        settings: Settings,
    ) -> Result<Problem, Failure> {
        let mut estimator = settings.estimator()?;
        if let Some(boundary) = &boundary {
            estimator = estimator.boundary(points(boundary).map_err(|failure| failure.about("boundary"))?);
        }
        let weights = weights.map(|weights| weights.as_array().to_vec());
        let data = Data::Array { values: data, names, weights, clusters };
        let (is_tuned, threads) = (settings.tune, settings.threads);
        let mut problem = Problem { data, model: model.clone(), estimator, is_tuned, threads };
        let (domain, start) = problem.with_points(py, |data| {
            let domain = domain.map(|domain| domain.build(data.dimension())).transpose()?;
            let start = start.map(|start| model.start(start, data)).transpose()?;
            Ok((domain, start))
        })?;
        if let Some(domain) = domain {
            problem.estimator = problem.estimator.domain(domain);
        }
        if let Some(start) = start {
            problem.estimator = problem.estimator.start(start);
        }
        Ok(problem)
    }

    /// The names of the reported parameters.
    fn parameter_names(&self, py: Python<'_>) -> Result<Vec<String>, Failure> {
        self.with_points(py, |data| Ok(self.model.names(data.names())))
    }

    /// Estimates the parameters.
    #[pyo3(signature = (diagnose, bootstrap, progress))]
    fn fit<'py>(
        &self,
        py: Python<'py>,
        diagnose: bool,
        bootstrap: Option<BootstrapSettings>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Found<'py>, Failure> {
        let bootstrap = bootstrap.map(bootstrap_settings).transpose()?;
        let (fit, diagnostics, boundary) = self.solve(py, |problem, job| {
            if let Some(settings) = &bootstrap {
                settings.check(problem.confidence())?;
            }
            let (mut fit, diagnostics) = if diagnose {
                let (fit, found) = problem.fit_diagnosed()?;
                (fit, Some(found))
            } else {
                (problem.fit()?, None)
            };
            if let Some(settings) = bootstrap {
                let tell = |done: usize, total: usize| job.tell(progress.as_ref(), done, total);
                fit = problem.bootstrap(fit, &settings.progress(&tell))?;
            }
            Ok((fit, diagnostics, problem.boundary().cloned()))
        })?;
        let theta = fit.fitted_parameters();
        let is_trustworthy = fit.is_trustworthy();
        let fit = fit.with_natural();
        let json = printed(&Printed { fit: &fit, diagnostics: diagnostics.as_ref() })?;
        let boundary = boundary.map(|boundary| of_points(py, &boundary)).transpose()?;
        Ok((json, fit.to_string(), is_trustworthy, theta, boundary))
    }

    /// The squared discrepancy at given parameters, its root where there is one, and JSON of the settings in use.
    fn discrepancy(&self, py: Python<'_>, at: Vec<f64>) -> Result<(f64, Option<f64>, String), Failure> {
        let (found, described) = self.solve(py, |problem, _| {
            Ok((problem.discrepancy(&at)?, serde_json::to_string(&problem.described())))
        })?;
        Ok((found.squared, found.value, described.map_err(|error| error.to_string())?))
    }

    /// The witness function at some places, the multipliers of the boundary points, and the discrepancy.
    #[allow(clippy::type_complexity, reason = "it is the tuple that Python unpacks")]
    fn witness<'py>(
        &self,
        py: Python<'py>,
        at: Vec<f64>,
        places: PyReadonlyArray2<'py, f64>,
    ) -> Result<(Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray2<f64>>>, f64), Failure> {
        let places = points(&places)?;
        let found = self.solve(py, |problem, _| problem.witness(&at, &places))?;
        let multipliers = found.multipliers.map(|matrix| of_matrix(py, &matrix)).transpose()?;
        Ok((of_matrix(py, &found.values)?, multipliers, found.discrepancy))
    }

    /// A test of goodness of fit, at given parameters or at fitted ones: JSON, and the statistics drawn under the hypothesis.
    #[pyo3(signature = (at, draws, level, resampling, progress))]
    fn test<'py>(
        &self,
        py: Python<'py>,
        at: Option<Vec<f64>>,
        draws: usize,
        level: f64,
        resampling: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> Result<(String, Bound<'py, PyArray1<f64>>), Failure> {
        let mut settings = GoodnessOfFit::new().level(level).draws(draws);
        if let Some(name) = resampling {
            let kinds = [("wild", Null::Wild), ("parametric", Null::Parametric)];
            settings = settings.null(choose("resampling", &name, &kinds)?);
        }
        settings.check()?;
        let (found, fit, described) = self.solve(py, |problem, job| {
            let tell = |done: usize, total: usize| job.tell(progress.as_ref(), done, total);
            let settings = settings.progress(&tell);
            let (found, fit) = match &at {
                Some(at) => (problem.test_at(at, &settings)?, None),
                None => {
                    let fit = problem.fit()?;
                    (problem.test(&fit, &settings)?, Some(fit))
                }
            };
            Ok((found, fit, serde_json::to_value(problem.described())))
        })?;
        let mut json = described.map_err(|error| error.to_string())?;
        if let Some(fit) = &fit {
            json["warnings"] = serde_json::json!(fit.warnings);
        }
        json["schema"] = "steinbound.test/1".into();
        json["parameters"] = serde_json::json!(fit.as_ref().map(|fit| &fit.parameters));
        json["converged"] = serde_json::json!(fit.as_ref().map(|fit| fit.converged));
        json["at"] = serde_json::json!(at);
        if let (Some(all), Ok(serde_json::Value::Object(more))) =
            (json.as_object_mut(), serde_json::to_value(&found))
        {
            all.extend(more);
        }
        Ok((json.to_string(), PyArray1::from_vec(py, found.draws)))
    }

    /// What changes under other kernels, bandwidths and boundary points, as JSON.
    fn sensitivity(&self, py: Python<'_>) -> Result<String, Failure> {
        let found = self.compute(py, |data, model, job| {
            self.estimator.clone().interrupt(job.interrupt()).sensitivity(data, model)
        })?;
        printed(&found)
    }

    /// The log-density inside the domain at fitted parameters; minus infinity outside.
    fn truncated_log_density<'py>(
        &self,
        py: Python<'py>,
        theta: Vec<f64>,
        places: PyReadonlyArray2<'py, f64>,
    ) -> Result<Bound<'py, PyArray1<f64>>, Failure> {
        let places = points(&places)?;
        let found = self.compute(py, |data, model, job| {
            let estimator = self.estimator.clone().interrupt(job.interrupt());
            estimator.truncated_log_density(data, model, &theta, &places)
        })?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// Draws of the density at fitted parameters, inside the domain or anywhere.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        theta: Vec<f64>,
        count: usize,
        inside: bool,
        seed: u64,
    ) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        let found = self.compute(py, |_, model, job| {
            let domain = if inside { self.estimator.known_domain() } else { None };
            let rng = &mut stream(seed, tasks::SAMPLE);
            Inside::new(model, &theta, domain, rng)?.interrupt(job.interrupt()).draw(count, rng)
        })?;
        Ok(of_points(py, &found)?)
    }
}

fn bootstrap_settings<'a>(
    (draws, resampling, interval): BootstrapSettings,
) -> Result<Bootstrap<'a>, Failure> {
    let kinds = [("nonparametric", Resampling::Nonparametric), ("parametric", Resampling::Parametric)];
    let intervals = [("percentile", Interval::Percentile), ("normal", Interval::Normal)];
    Ok(Bootstrap::new(draws)
        .resampling(choose("resampling", &resampling, &kinds)?)
        .interval(choose("interval", &interval, &intervals)?))
}

pub fn printed(value: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string(value).map_err(|error| error.to_string())?)
}

/// A Wald test of linear equations, or of a matrix and its values, as JSON.
#[pyfunction]
pub fn wald_test(
    names: Vec<String>,
    estimates: Vec<f64>,
    covariance: PyReadonlyArray2<'_, f64>,
    equations: Option<String>,
    restrictions: Option<PyReadonlyArray2<'_, f64>>,
    values: Option<Vec<f64>>,
) -> Result<String, Failure> {
    let hypothesis = match (equations, restrictions) {
        (Some(text), _) => LinearHypothesis::parse(&text, &names)?,
        (None, Some(matrix)) => {
            let matrix = crate::arrays::matrix(&matrix);
            let values = values.unwrap_or_else(|| vec![0.0; matrix.rows()]);
            LinearHypothesis::new(matrix, values).map_err(Error::from)?
        }
        (None, None) => return Err("give equations such as \"a = b\", or a matrix".to_string().into()),
    };
    let covariance: Matrix = crate::arrays::matrix(&covariance);
    printed(&WaldTest::of(&names, &estimates, Some(&covariance), &hypothesis)?)
}

/// Draws of a density at reported parameters, inside a domain or anywhere.
#[pyfunction]
pub fn simulate<'py>(
    py: Python<'py>,
    model: &Model,
    at: Vec<f64>,
    domain: Option<&Domain>,
    count: usize,
    seed: u64,
) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
    let job = Job::new(py, None)?;
    let model = model.for_job(&job);
    let domain = domain.map(|domain| domain.build(model.dimension())).transpose()?;
    let found = job.run(py, || {
        let theta = reported(model.as_ref(), &at)?;
        let rng = &mut stream(seed, tasks::DATA);
        let inside = match &domain {
            // The draws of the command line.
            Some(domain) if model.sampling().and_then(|sampling| sampling.sampler(&theta)).is_some() => {
                Inside::direct(model.as_ref(), &theta, domain.as_ref())?
            }
            domain => Inside::new(model.as_ref(), &theta, domain.as_deref(), rng)?,
        };
        inside.interrupt(job.interrupt()).draw(count, rng)
    })?;
    Ok(of_points(py, &found)?)
}

/// Fitted parameters for reported ones, which must be as many as the model has.
fn reported(model: &dyn LibraryModel, at: &[f64]) -> Result<Vec<f64>, Error> {
    let coordinates: Vec<String> = (1..=model.dimension()).map(|l| format!("x{l}")).collect();
    let names = model.reported_names(&coordinates);
    if names.len() != at.len() {
        let (found, expected) = (at.len(), names.len());
        return Err(ModelError::WrongParameterCount { found, expected, names: names.join(", ") }.into());
    }
    Ok(model.fitted_from(at)?)
}

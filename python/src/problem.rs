//! Data, boundary, model and settings together: what is fitted, tested, compared and evaluated.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use steinbound::fit::SearchWatcher;
use steinbound::inference::Compared;
use steinbound::model::Model as LibraryModel;
use steinbound::simulate::{Inside, stream, tasks};
use steinbound::text::with_article;
use steinbound::{Fit, Method, Points};
use steinbound_report::{Report, region_facts};
use steinbound_request::render::Format;
use steinbound_request::sensitivity::SensitivityWanted;
use steinbound_request::{
    Case, Inference, Listener, MapFacts, ModelRequest, NamedModel, Options, Plane, Questions, RegressionCase,
    Request, RequestError, Shape, Targets, Value, Values, Wording, choices, default_methods, distinct,
    options, reference_method, tables,
};

use crate::arrays::{of_matrix, of_points, points};
use crate::domain::Domain;
use crate::error::Failure;
use crate::job::{Job, Progress};
use crate::model::Model;
use crate::render::{Forms, Warned, document, forms, warned, with_warnings};
use crate::settings::Settings;

/// A problem that owns all it needs. The array of the data is kept, not copied.
#[pyclass(frozen, module = "steinbound._core")]
pub struct Problem {
    what: What,
    settings: Settings,
}

/// What is fitted.
enum What {
    Density(Box<Density>),
    Regression(Arc<RegressionCase>),
}

/// Data, what is known of their region, and a model.
struct Density {
    data: Data,
    model: Model,
    boundary: Option<Points<'static>>,
    normals: Option<Points<'static>>,
    region: Option<Shape>,
    /// The domain, if it is built for each computation.
    asked: Option<Py<Domain>>,
    /// The map that the region is from, and whether it looks like degrees.
    map: (Option<MapFacts>, bool),
    start: Option<Vec<f64>>,
}

/// Where the data are.
struct Data {
    values: Py<PyArray2<f64>>,
    names: Option<Vec<String>>,
    weights: Option<Vec<f64>>,
    clusters: Option<Vec<String>>,
}

/// A fit on its way to Python: JSON, the table for people, whether it can be trusted, the fitted parameters,
/// the boundary points in use.
type Found<'py> = (String, String, bool, Option<Vec<f64>>, Option<Bound<'py, PyArray2<f64>>>);

/// A bootstrap: draws, what is drawn, and how intervals are made.
type BootstrapSettings = (usize, String, String);

/// A test: draws, level, and where the draws come from.
type TestSettings = (usize, f64, Option<String>);

impl Density {
    /// Does something with the points.
    fn with_points<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Points) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Data { values, names, weights, clusters } = &self.data;
        let array = values.bind(py).try_readonly().map_err(|error| error.to_string())?;
        let mut data = points(&array)?;
        if let Some(names) = names {
            data = data.with_names(names)?;
        }
        if let Some(weights) = weights {
            data = data.with_weights(weights.clone())?;
        }
        if let Some(clusters) = clusters {
            data = data.with_named_clusters(clusters)?;
        }
        work(&data)
    }

    /// What is asked.
    fn request<'a>(
        &self,
        data: &'a Points<'a>,
        model: &'a dyn LibraryModel,
        settings: &Settings,
        job: &Arc<Job>,
    ) -> Result<Request<'a>, Failure> {
        let mut request = Request::new(data, ModelRequest::Given(model), settings.method);
        request.region.boundary = self.boundary.clone();
        request.region.normals = self.normals.clone();
        request.region.shape = match &self.asked {
            Some(domain) => Some(domain.get().region(data.dimension(), job)?),
            None => self.region.clone(),
        };
        (request.region.map, request.region.is_geographic) = self.map.clone();
        request.region.projection = if settings.is_projected { Plane::Projected } else { Plane::AsGiven };
        request.start = self.start.clone();
        request.options = settings.options.clone();
        request.wording = Wording::Python;
        request.interrupt = job.interrupt();
        Ok(request)
    }
}

impl Problem {
    /// A regression.
    pub fn regression(regression: &Arc<RegressionCase>, settings: Settings) -> Problem {
        Problem { what: What::Regression(Arc::clone(regression)), settings }
    }

    /// Computes something outside the interpreter, with these options added.
    fn solve<T: Send>(
        &self,
        py: Python<'_>,
        more: &Options,
        progress: Option<&Py<PyAny>>,
        work: impl FnOnce(&Case, &dyn Listener) -> Result<T, RequestError> + Send,
    ) -> Result<T, Failure> {
        self.solve_watched(py, more, progress, None, work)
    }

    /// The same with a Python function that hears of each step of a search.
    fn solve_watched<T: Send>(
        &self,
        py: Python<'_>,
        more: &Options,
        progress: Option<&Py<PyAny>>,
        watcher: Option<Py<PyAny>>,
        work: impl FnOnce(&Case, &dyn Listener) -> Result<T, RequestError> + Send,
    ) -> Result<T, Failure> {
        let mut settings = self.settings.clone();
        settings.options.extend(more);
        let job = Job::new(py, settings.threads)?;
        let watcher = watcher.map(|function| search_watcher(&job, function));
        match &self.what {
            What::Density(density) => {
                let model = density.model.for_job(&job);
                density.with_points(py, |data| {
                    let request = density.request(data, model.as_ref(), &settings, &job)?;
                    job.run(py, || {
                        let listener = Progress { job: &job, function: progress };
                        work(&watched(request.prepare(&listener)?, watcher), &listener)
                    })
                })
            }
            What::Regression(regression) => job.run(py, || {
                let listener = Progress { job: &job, function: progress };
                let case = regression.case_by(settings.method, settings.options.clone(), job.interrupt());
                work(&watched(case, watcher), &listener)
            }),
        }
    }
}

/// A Python function that is called after each step of a search, and ends it by returning what is true.
fn search_watcher(job: &Arc<Job>, function: Py<PyAny>) -> SearchWatcher {
    let job = Arc::clone(job);
    Arc::new(move |iterations, value| {
        let called = |py: Python<'_>| function.call1(py, (iterations, value))?.is_truthy(py);
        Python::attach(called).unwrap_or_else(|error| {
            job.fail(error);
            true
        })
    })
}

fn watched<'a>(case: Case<'a>, watcher: Option<SearchWatcher>) -> Case<'a> {
    match watcher {
        Some(watcher) => case.watched(watcher),
        None => case,
    }
}

/// The options of a bootstrap.
fn bootstrap_options(given: Option<BootstrapSettings>) -> Result<Options, Failure> {
    let mut all = Options::new();
    if let Some((draws, resampling, interval)) = given {
        all.set(&options::BOOTSTRAP, Value::Count(draws));
        all.set_text(&options::RESAMPLING, &resampling)?;
        all.set_text(&options::INTERVAL, &interval)?;
    }
    Ok(all)
}

/// The options of a test.
fn test_options((draws, level, resampling): TestSettings) -> Result<Options, Failure> {
    let mut all = Options::new();
    all.set(&options::TEST_DRAWS, Value::Count(draws));
    all.set(&options::LEVEL, Value::Number(level));
    if let Some(name) = resampling {
        all.set_text(&options::NULL, &name)?;
    }
    all.goodness_of_fit()?;
    Ok(all)
}

/// What is asked of a fit beside its estimates.
fn inference(case: &Case, derive: Option<Vec<String>>) -> Result<Inference, RequestError> {
    case.options.check_bootstrap(Wording::Python)?;
    let mut wanted = Inference::default();
    let derive = derive.unwrap_or_default();
    wanted.questions = Questions::parse(None, &derive, &case.parameter_names(), Wording::Python)?;
    Ok(wanted)
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
        boundary_normals: Option<PyReadonlyArray2<'_, f64>>,
        domain: Option<Py<Domain>>,
        start: Option<Vec<f64>>,
        settings: &Bound<'_, PyDict>,
    ) -> Result<Problem, Failure> {
        let settings = Settings::read(settings)?;
        let boundary = owned(boundary, "boundary")?;
        let normals = owned(boundary_normals, "boundary_normals")?;
        let weights = weights.map(|weights| weights.as_array().to_vec());
        let data = Data { values: data, names, weights, clusters };
        let mut density = Density {
            data,
            model: model.clone(),
            boundary,
            normals,
            region: None,
            asked: None,
            map: (None, false),
            start: None,
        };
        density.map = domain.as_ref().map(|domain| domain.get().map()).unwrap_or_default();
        (density.region, density.start) = density.with_points(py, |data| {
            let job = Job::new(py, None)?;
            let built = |domain: &Py<Domain>| domain.get().region(data.dimension(), &job);
            let region = domain.as_ref().map(built).transpose()?;
            let start = start.map(|start| model.start(start, data)).transpose()?;
            Ok((region, start))
        })?;
        density.asked = domain.filter(|domain| domain.get().asks_python());
        Ok(Problem { what: What::Density(Box::new(density)), settings })
    }

    /// The names of the reported parameters.
    fn parameter_names(&self, py: Python<'_>) -> Result<Vec<String>, Failure> {
        match &self.what {
            What::Density(density) => density.with_points(py, |data| Ok(density.model.names(data.names()))),
            What::Regression(regression) => Ok(regression.case().parameter_names()),
        }
    }

    /// Estimates the parameters.
    #[pyo3(signature = (diagnose, bootstrap, progress, derive=None, callback=None))]
    fn fit<'py>(
        &self,
        py: Python<'py>,
        diagnose: bool,
        bootstrap: Option<BootstrapSettings>,
        progress: Option<Py<PyAny>>,
        derive: Option<Vec<String>>,
        callback: Option<Py<PyAny>>,
    ) -> Result<Found<'py>, Failure> {
        let settings = bootstrap_options(bootstrap)?;
        let progress = progress.as_ref();
        let (answer, boundary) =
            self.solve_watched(py, &settings, progress, callback, |case, listener| {
                let mut wanted = inference(case, derive)?;
                wanted.is_diagnosed = diagnose;
                let problem = case.fitting_problem()?;
                let boundary =
                    problem.boundary().map(|points| case.region.unproject_points(points)).transpose()?;
                Ok((case.fit(&problem, &wanted, listener)?, boundary))
            })?;
        let boundary = boundary.map(|boundary| of_points(py, &boundary)).transpose()?;
        let text = Format::whole_text(&document(&answer.fit, &answer.derived, None));
        let theta = answer.flat.fitted_parameters();
        Ok((printed(&answer)?, text, answer.fit.is_trustworthy() && answer.doubt.is_none(), theta, boundary))
    }

    /// A report of the fit as an HTML page, with these facts about the data and the model.
    #[pyo3(signature = (facts, model_facts, diagnose=true, bootstrap=None, progress=None, derive=None))]
    #[allow(clippy::too_many_arguments, reason = "the Python side gives all of them in one place")]
    fn report(
        &self,
        py: Python<'_>,
        facts: Vec<(String, String)>,
        model_facts: Vec<(String, String)>,
        diagnose: bool,
        bootstrap: Option<BootstrapSettings>,
        progress: Option<Py<PyAny>>,
        derive: Option<Vec<String>>,
    ) -> Result<String, Failure> {
        let settings = bootstrap_options(bootstrap)?;
        let page = self.solve(py, &settings, progress.as_ref(), |case, listener| {
            let mut wanted = inference(case, derive)?;
            wanted.is_diagnosed = diagnose;
            wanted.sensitivity = SensitivityWanted::ForReport;
            let problem = case.fitting_problem()?;
            let answer = case.fit(&problem, &wanted, listener)?;
            Ok(match &self.what {
                What::Density(_) => Report::of_density(&answer.fit)
                    .facts(facts)
                    .facts(region_facts(&case.region, None))
                    .facts(model_facts)
                    .fit(case, &problem, &answer),
                What::Regression(regression) => {
                    let answer = regression.answer(answer, None);
                    Report::of_regression(&answer)
                        .facts(facts)
                        .facts(model_facts)
                        .regression(regression, case, &problem, &answer)
                }
            })
        })?;
        Ok(page.to_html().map_err(|error| error.to_string())?)
    }

    /// The squared discrepancy at given parameters, its root where there is one, JSON of the answer, and its
    /// table.
    #[allow(clippy::type_complexity, reason = "it is the tuple that Python unpacks")]
    fn discrepancy(
        &self,
        py: Python<'_>,
        at: Vec<f64>,
    ) -> Result<(f64, Option<f64>, String, Forms), Failure> {
        let (answer, document) = self.solve(py, &Options::new(), None, |case, listener| {
            let problem = case.tuned_problem(listener)?;
            let answer = case.discrepancy(&problem, &Values::Plain(at))?;
            let document = tables::discrepancy::document(&problem, &answer.found);
            Ok((answer, with_warnings(document, problem.warnings())))
        })?;
        Ok((answer.found.squared, answer.found.value, answer.json().to_string(), forms(&document)))
    }

    /// The witness function at some places, the multipliers of the boundary points, and the discrepancy.
    #[allow(clippy::type_complexity, reason = "it is the tuple that Python unpacks")]
    fn witness<'py>(
        &self,
        py: Python<'py>,
        at: Vec<f64>,
        places: PyReadonlyArray2<'py, f64>,
    ) -> Result<(Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray2<f64>>>, f64), Failure> {
        let places = points(&places)?.into_owned();
        let answer = self.solve(py, &Options::new(), None, |case, listener| {
            let problem = case.tuned_problem(listener)?;
            case.witness(&problem, Some(&Values::Plain(at)), Targets::Points(places))
        })?;
        let multipliers = answer.found.multipliers.map(|matrix| of_matrix(py, &matrix)).transpose()?;
        Ok((of_matrix(py, &answer.found.values)?, multipliers, answer.found.discrepancy))
    }

    /// A test of goodness of fit, at given parameters or at fitted ones: JSON, the statistics drawn under the
    /// hypothesis, and the table.
    #[pyo3(signature = (at, draws, level, resampling, progress))]
    fn test<'py>(
        &self,
        py: Python<'py>,
        at: Option<Vec<f64>>,
        draws: usize,
        level: f64,
        resampling: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> Result<(String, Bound<'py, PyArray1<f64>>, Forms), Failure> {
        let settings = test_options((draws, level, resampling))?;
        let at = at.map(Values::Plain);
        let (answer, document) = self.solve(py, &settings, progress.as_ref(), |case, listener| {
            let answer = case.test(&case.tuned_problem(listener)?, at.as_ref(), listener)?;
            // Where moments do not exist, the fitted parameters are shown.
            let parameters = answer.fit.as_ref().map(|fit| fit.clone().with_natural().parameters);
            let parameters = parameters.as_deref();
            let (found, rows) = (&answer.result, case.data.len());
            let document = tables::test::document(found, case.method, case.model().name(), rows, parameters);
            let document = found.notes.iter().fold(document, |document, note| match found.trustworthy {
                true => document.line(format!("note: {note}")),
                false => document.warning(note.as_str()),
            });
            let document = with_warnings(document, &answer.warnings);
            Ok((answer, document))
        })?;
        Ok((answer.json().to_string(), PyArray1::from_vec(py, answer.result.draws), forms(&document)))
    }

    /// A report of such a test as an HTML page, with these facts about the data and the model.
    #[allow(clippy::too_many_arguments, reason = "the Python side gives all of them in one place")]
    fn test_report(
        &self,
        py: Python<'_>,
        facts: Vec<(String, String)>,
        model_facts: Vec<(String, String)>,
        at: Option<Vec<f64>>,
        draws: usize,
        level: f64,
        resampling: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> Result<String, Failure> {
        let settings = test_options((draws, level, resampling))?;
        let at = at.map(Values::Plain);
        let page = self.solve(py, &settings, progress.as_ref(), |case, listener| {
            let problem = case.tuned_problem(listener)?;
            let answer = case.test(&problem, at.as_ref(), listener)?;
            let title = format!("{} test of {} model", case.method.name(), with_article(case.model().name()));
            Ok(Report::of_test(title, &answer.result, &answer.warnings)
                .facts(facts)
                .facts(region_facts(&case.region, None))
                .facts(model_facts)
                .test(case, &problem, &answer))
        })?;
        Ok(page.to_html().map_err(|error| error.to_string())?)
    }

    /// Several methods and models side by side: the JSON of ``steinbound compare``, its tables, which of the
    /// fits can be trusted, and warnings. Without methods those that use what is known of the region.
    #[pyo3(signature = (models, methods=None, test=None, progress=None))]
    fn compare(
        &self,
        py: Python<'_>,
        models: Vec<(String, Py<Model>)>,
        methods: Option<Vec<String>>,
        test: Option<TestSettings>,
        progress: Option<Py<PyAny>>,
    ) -> Result<(String, Forms, Vec<bool>, Warned), Failure> {
        let is_tested = test.is_some();
        let settings = test.map(test_options).transpose()?.unwrap_or_default();
        let list = choices::method();
        let methods =
            methods.map(|names| names.iter().map(|name| list.find(name)).collect::<Result<Vec<_>, _>>());
        let methods = methods.transpose()?;
        let What::Density(density) = &self.what else {
            return Err("a regression is not compared with models of densities".to_string().into());
        };
        let knows_boundary = density.boundary.is_some() || density.region.is_some();
        let mut own = self.settings.clone();
        own.method = reference_method(knows_boundary);
        own.options.extend(&settings);
        let job = Job::new(py, own.threads)?;
        let own_model = density.model.for_job(&job);
        let models: Vec<(String, Arc<dyn LibraryModel>)> =
            models.into_iter().map(|(label, model)| (label, model.get().for_job(&job))).collect();
        let (answer, mut warnings) = density.with_points(py, |data| {
            let mut request = density.request(data, own_model.as_ref(), &own, &job)?;
            request.start = None;
            job.run(py, || {
                let listener = Progress { job: &job, function: progress.as_ref() };
                let case = request.prepare(&listener)?;
                let given = |model| ModelRequest::Given(model);
                let models: Vec<NamedModel> = models
                    .iter()
                    .map(|(label, model)| NamedModel::new(given(model.as_ref()), label))
                    .collect();
                let methods = methods.unwrap_or_else(|| default_methods(&case.region));
                let name = |method: &Method| method.name().to_string();
                let methods = distinct("methods", &methods, name, Wording::Python, &listener);
                let problem = case.problem(&listener)?;
                let answer = case.compare(&problem, &methods, &models, is_tested, &listener)?;
                Ok::<_, RequestError>((answer, problem.warnings().to_vec()))
            })
        })?;
        warnings.extend(
            answer
                .remarks
                .iter()
                .filter(|remark| remark.is_warning)
                .map(|remark| remark.kind.warning(remark.text.as_str())),
        );
        let is_sound = |row: &Compared| row.fit.as_ref().is_some_and(Fit::is_trustworthy);
        let sound = answer.comparison.fits.iter().map(is_sound).collect();
        let document = with_warnings(tables::comparison::document(&answer.comparison), &warnings);
        Ok((printed(&answer)?, forms(&document), sound, warned(&warnings)))
    }

    /// A choice among models of growing size, as the JSON of ``steinbound fit --components 1..5`` has it.
    #[pyo3(signature = (models, progress=None))]
    fn choose(
        &self,
        py: Python<'_>,
        models: Vec<(String, Py<Model>)>,
        progress: Option<Py<PyAny>>,
    ) -> Result<String, Failure> {
        let What::Density(density) = &self.what else {
            return Err("a regression has no number of components to choose".to_string().into());
        };
        let job = Job::new(py, self.settings.threads)?;
        let own_model = density.model.for_job(&job);
        let models: Vec<(String, Arc<dyn LibraryModel>)> =
            models.into_iter().map(|(label, model)| (label, model.get().for_job(&job))).collect();
        let found = density.with_points(py, |data| {
            let mut request = density.request(data, own_model.as_ref(), &self.settings, &job)?;
            request.start = None;
            job.run(py, || {
                let listener = Progress { job: &job, function: progress.as_ref() };
                let case = request.prepare(&listener)?;
                let models: Vec<NamedModel> = models
                    .iter()
                    .map(|(label, model)| NamedModel::new(ModelRequest::Given(model.as_ref()), label))
                    .collect();
                case.choose(&models, &listener)
            })
        })?;
        printed(&found)
    }

    /// What changes under other kernels, bandwidths and boundary points, as JSON.
    fn sensitivity(&self, py: Python<'_>) -> Result<String, Failure> {
        let found = self.solve(py, &Options::new(), None, |case, _| {
            let found = case.estimator.sensitivity(&case.data, case.model())?;
            Ok(found.mapped(|values| case.region.degrees(case.model(), values)))
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
        let places = points(&places)?.into_owned();
        let found = self.solve(py, &Options::new(), None, |case, _| {
            let places = case.region.project_points(places)?;
            Ok(case.estimator.truncated_log_density(&case.data, case.model(), &theta, &places)?)
        })?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// Points in degrees on the plane, in kilometres; as they are where there is no projection.
    fn project<'py>(
        &self,
        py: Python<'py>,
        places: PyReadonlyArray2<'py, f64>,
    ) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        let places = points(&places)?.into_owned();
        let found = self.solve(py, &Options::new(), None, |case, _| case.region.project_points(places))?;
        Ok(of_points(py, &found)?)
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
        let found = self.solve(py, &Options::new(), None, |case, _| {
            let domain = case.estimator.known_domain().filter(|_| inside);
            let rng = &mut stream(seed, tasks::SAMPLE);
            let inside = Inside::new(case.model(), &theta, domain, rng)?;
            case.region.unproject_points(&inside.interrupt(case.interrupt()).draw(count, rng)?)
        })?;
        Ok(of_points(py, &found)?)
    }
}

/// Points that are kept, with the name of the argument that they came from in messages.
fn owned(
    array: Option<PyReadonlyArray2<'_, f64>>,
    argument: &str,
) -> Result<Option<Points<'static>>, Failure> {
    let Some(array) = array else { return Ok(None) };
    Ok(Some(points(&array).map_err(|failure| failure.about(argument))?.into_owned()))
}

pub fn printed(value: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string(value).map_err(|error| error.to_string())?)
}

//! Models, each for data of a known number of coordinates.

use std::sync::Arc;

use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use steinbound::model::{self as library, Autodiff, KnownCovariance};
use steinbound::{ModelError, Points};
use steinbound_request::{FamilyRequest, Values, Wording, choices};

use crate::arrays::matrix;
use crate::callback::{Callback, Functions};
use crate::error::Failure;
use crate::job::Job;

/// A density up to its normaliser.
#[pyclass(frozen, module = "steinbound._core")]
#[derive(Clone)]
pub struct Model {
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Ready(Arc<dyn library::Model>),
    Family(FamilyRequest, Arc<dyn library::Model>),
    Callback(Arc<Functions>),
}

/// A covariance that is known: one variance, one for each coordinate, or a matrix.
#[derive(FromPyObject)]
pub enum Known<'py> {
    #[pyo3(transparent)]
    Matrix(PyReadonlyArray2<'py, f64>),
    #[pyo3(transparent)]
    Variances(Vec<f64>),
    #[pyo3(transparent)]
    Variance(f64),
}

impl From<Known<'_>> for KnownCovariance {
    fn from(known: Known<'_>) -> KnownCovariance {
        match known {
            Known::Matrix(array) => KnownCovariance::Matrix(matrix(&array)),
            Known::Variances(variances) => KnownCovariance::Variances(variances),
            Known::Variance(variance) => KnownCovariance::Variance(variance),
        }
    }
}

impl Model {
    /// A model that is ready as it is.
    pub fn ready(model: impl library::Model + 'static) -> Model {
        Model { kind: Kind::Ready(Arc::new(model)) }
    }

    /// The model for one computation, in which exceptions of a model written in Python end up.
    pub fn for_job(&self, job: &Arc<Job>) -> Arc<dyn library::Model> {
        match &self.kind {
            Kind::Ready(model) | Kind::Family(_, model) => Arc::clone(model),
            Kind::Callback(functions) => Arc::new(Callback::new(functions, job)),
        }
    }

    /// The names of the reported parameters for columns of these names.
    pub fn names(&self, columns: &[String]) -> Vec<String> {
        match &self.kind {
            Kind::Ready(model) | Kind::Family(_, model) => model.reported_names(columns),
            Kind::Callback(functions) => functions.parameters.clone(),
        }
    }

    /// Where a search starts, in reported parameters: those given, or what they stand for, such as the means
    /// of a mixture.
    pub fn start(&self, given: Vec<f64>, data: &Points) -> Result<Vec<f64>, Failure> {
        let Kind::Family(request, model) = &self.kind else { return Ok(given) };
        if !request.family.choices().contains(&library::Choice::Start) {
            return Ok(given);
        }
        let mut request = request.clone();
        request.start = Some(Values::Plain(given));
        Ok(request.start_for(model.as_ref(), data, Wording::Python)?.unwrap_or_default())
    }
}

/// The models that have a name, as JSON: what each is, its choices, and its parameters that can be known.
#[pyfunction]
pub fn families() -> String {
    choices::families().to_string()
}

#[pymethods]
impl Model {
    /// A model that the command line knows by name, with what is chosen beside the name.
    #[staticmethod]
    #[pyo3(signature = (name, dimension, shape=None, known=None, components=None, estimate_weights=false, parameters=vec![]))]
    fn family(
        name: &str,
        dimension: usize,
        shape: Option<&str>,
        known: Option<Known<'_>>,
        components: Option<usize>,
        estimate_weights: bool,
        parameters: Vec<(String, f64)>,
    ) -> Result<Model, Failure> {
        let mut request = FamilyRequest::new(choices::model().find(name)?);
        if let (Some(shape), None) = (shape, &known) {
            let shapes = choices::shapes("shape of the covariance", request.family.shapes());
            request.choices.covariance = Some(shapes.find(shape)?);
        }
        request.choices.known_covariance = known.map(KnownCovariance::from);
        request.choices.components = components;
        request.choices.estimate_weights = estimate_weights;
        request.choices.known = parameters;
        let model = Arc::from(request.build(dimension, Wording::Python)?);
        Ok(Model { kind: Kind::Family(request, model) })
    }

    /// A Gaussian whose covariance is known, or has a shape: ``full`` or ``diagonal``.
    #[staticmethod]
    fn gaussian(dimension: usize, shape: &str, known: Option<Known<'_>>) -> Result<Model, Failure> {
        Model::family("gaussian", dimension, Some(shape), known, None, false, Vec::new())
    }

    /// A mixture of Gaussians whose covariance is known, or has a shape: ``full``, ``shared`` or
    /// ``spherical``.
    #[staticmethod]
    fn mixture(
        dimension: usize,
        components: usize,
        shape: &str,
        known: Option<Known<'_>>,
        estimate_weights: bool,
    ) -> Result<Model, Failure> {
        let components = Some(components);
        Model::family(
            "gaussian-mixture",
            dimension,
            Some(shape),
            known,
            components,
            estimate_weights,
            Vec::new(),
        )
    }

    /// A log-density written as a formula in the columns and in parameters, each with a value to start from.
    #[staticmethod]
    fn formula(text: &str, columns: Vec<String>, parameters: Vec<(String, f64)>) -> Result<Model, Failure> {
        Ok(Model::ready(Autodiff::from_formula(text, &columns, &parameters)?))
    }

    /// A model written in Python.
    #[staticmethod]
    #[pyo3(signature = (name, dimension, parameters, start, evaluate, log_densities, curvature=None))]
    fn callback(
        name: String,
        dimension: usize,
        parameters: Vec<String>,
        start: Option<Vec<f64>>,
        evaluate: Py<PyAny>,
        log_densities: Option<Py<PyAny>>,
        curvature: Option<Py<PyAny>>,
    ) -> Result<Model, Failure> {
        if dimension == 0 {
            return Err(ModelError::BadCoordinates { dimension }.into());
        }
        let functions = Functions { name, dimension, parameters, start, evaluate, log_densities, curvature };
        Ok(Model { kind: Kind::Callback(Arc::new(functions)) })
    }

    /// The names of the reported parameters for columns of these names.
    fn parameter_names(&self, columns: Vec<String>) -> Vec<String> {
        self.names(&columns)
    }
}

//! Models, each for data of a known number of coordinates.

use std::sync::Arc;

use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use steinbound::model::{self as library, Autodiff, Gaussian, GaussianMixture};
use steinbound::{ModelError, Points};
use steinbound_io::names::choose;

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
    Mixture(Arc<GaussianMixture>),
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

/// The parts of a known covariance that fit so many coordinates.
enum Covariance {
    Variances(Vec<f64>),
    Matrix(steinbound::Matrix),
}

impl Known<'_> {
    fn in_dimension(&self, dimension: usize) -> Result<Covariance, Failure> {
        let mismatch = |what: String| {
            Failure::Value(format!(
                "the covariance is {what} and the data have {dimension} columns; give one number, {dimension} variances, or a {dimension} by \
                 {dimension} matrix"
            ))
        };
        match self {
            Known::Variance(value) => Ok(Covariance::Variances(vec![*value; dimension])),
            Known::Variances(list) if list.len() == dimension => Ok(Covariance::Variances(list.clone())),
            Known::Variances(list) => Err(mismatch(format!("a list of {} variances", list.len()))),
            Known::Matrix(array) => {
                let found = matrix(array);
                if (found.rows(), found.columns()) == (dimension, dimension) {
                    return Ok(Covariance::Matrix(found));
                }
                Err(mismatch(format!("a {} by {} matrix", found.rows(), found.columns())))
            }
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
            Kind::Ready(model) => Arc::clone(model),
            Kind::Mixture(mixture) => Arc::clone(mixture) as Arc<dyn library::Model>,
            Kind::Callback(functions) => Arc::new(Callback::new(functions, job)),
        }
    }

    /// The names of the reported parameters for columns of these names.
    pub fn names(&self, columns: &[String]) -> Vec<String> {
        match &self.kind {
            Kind::Ready(model) => model.reported_names(columns),
            Kind::Mixture(mixture) => library::Model::reported_names(mixture.as_ref(), columns),
            Kind::Callback(functions) => functions.parameters.clone(),
        }
    }

    /// Where a search starts, in reported parameters: those given, or for a mixture its means alone.
    pub fn start(&self, given: Vec<f64>, data: &Points) -> Result<Vec<f64>, Failure> {
        let Kind::Mixture(mixture) = &self.kind else { return Ok(given) };
        let all = self.names(data.names()).len();
        let means = mixture.components() * library::Model::dimension(mixture.as_ref());
        if given.len() != means || means == all || given.iter().any(|value| !value.is_finite()) {
            return Ok(given);
        }
        mixture.start_at(&given, data).ok_or_else(|| {
            "start: no covariances can be found around these means; give all parameters".to_string().into()
        })
    }
}

#[pymethods]
impl Model {
    /// A Gaussian whose covariance is known, or has a shape: ``full`` or ``diagonal``.
    #[staticmethod]
    fn gaussian(dimension: usize, shape: &str, known: Option<Known<'_>>) -> Result<Model, Failure> {
        let model = match known {
            Some(known) => match known.in_dimension(dimension)? {
                Covariance::Variances(variances) => Gaussian::with_variances(&variances)?,
                Covariance::Matrix(matrix) => Gaussian::with_covariance(matrix)?,
            },
            None => choose(
                "shape of the covariance",
                shape,
                &[("full", Gaussian::full(dimension)), ("diagonal", Gaussian::diagonal(dimension))],
            )?,
        };
        Ok(Model::ready(model))
    }

    /// A mixture of Gaussians whose covariance is known, or has a shape: ``full``, ``shared`` or ``spherical``.
    #[staticmethod]
    fn mixture(
        dimension: usize,
        components: usize,
        shape: &str,
        known: Option<Known<'_>>,
        estimate_weights: bool,
    ) -> Result<Model, Failure> {
        let mut model = GaussianMixture::new(dimension, components)?;
        if estimate_weights {
            model = model.estimate_weights();
        }
        let model = match known {
            Some(known) => match known.in_dimension(dimension)? {
                Covariance::Variances(variances) => model.with_variances(&variances)?,
                Covariance::Matrix(matrix) => model.with_covariance(matrix)?,
            },
            None => choose(
                "shape of the covariance",
                shape,
                &[
                    ("full", model.clone().full()),
                    ("shared", model.clone().shared()),
                    ("spherical", model.clone().spherical()),
                ],
            )?,
        };
        Ok(Model { kind: Kind::Mixture(Arc::new(model)) })
    }

    /// A log-density written as a formula in the columns and in parameters, each with a value to start from.
    #[staticmethod]
    fn formula(text: &str, columns: Vec<String>, parameters: Vec<(String, f64)>) -> Result<Model, Failure> {
        Ok(Model::ready(Autodiff::from_formula(text, &columns, &parameters)?))
    }

    /// A model written in Python.
    #[staticmethod]
    fn callback(
        name: String,
        dimension: usize,
        parameters: Vec<String>,
        start: Option<Vec<f64>>,
        evaluate: Py<PyAny>,
        log_densities: Option<Py<PyAny>>,
    ) -> Result<Model, Failure> {
        if dimension == 0 {
            return Err(ModelError::BadCoordinates { dimension }.into());
        }
        let functions = Functions { name, dimension, parameters, start, evaluate, log_densities };
        Ok(Model { kind: Kind::Callback(Arc::new(functions)) })
    }

    /// The names of the reported parameters for columns of these names.
    fn parameter_names(&self, columns: Vec<String>) -> Vec<String> {
        self.names(&columns)
    }
}

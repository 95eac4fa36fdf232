//! A model whose functions are written in Python.

use std::fmt::{self, Debug};
use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rand::rngs::ChaCha8Rng;
use steinbound::model::{Batches, Density, Model, Search, Wanted};
use steinbound::{Matrix, Points};

use crate::arrays::{matrix, of_matrix, of_points};
use crate::job::Job;

/// What Python gives: names, a start, and functions of an array of points and the parameters.
pub struct Functions {
    pub name: String,
    pub dimension: usize,
    pub parameters: Vec<String>,
    pub start: Option<Vec<f64>>,
    /// `evaluate(X, theta, score, slope, score_jacobian, slope_jacobian)`: an array with one row for each
    /// point, which holds those that are wanted, in this order.
    pub evaluate: Py<PyAny>,
    /// `log_densities(X, theta)`: one value for each point.
    pub log_densities: Option<Py<PyAny>>,
    /// `curvature(X, theta, weights)`: the sum of second derivatives in the parameters, each times its weight.
    pub curvature: Option<Py<PyAny>>,
}

/// The model in one computation. An exception ends the computation, whose values are NaN from then on, and is
/// raised at its end.
pub struct Callback {
    functions: Arc<Functions>,
    job: Arc<Job>,
}

impl Debug for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Callback({})", self.functions.name)
    }
}

impl Callback {
    pub fn new(functions: &Arc<Functions>, job: &Arc<Job>) -> Callback {
        Callback { functions: Arc::clone(functions), job: Arc::clone(job) }
    }

    /// An answer of Python, or what stands for it once something went wrong.
    fn asked<T>(&self, ask: impl FnOnce(Python<'_>) -> PyResult<T>, otherwise: impl FnOnce() -> T) -> T {
        if self.job.interrupt().is_raised() {
            return otherwise();
        }
        Python::attach(ask).unwrap_or_else(|error| {
            self.job.fail(error);
            otherwise()
        })
    }

    fn rows(&self, points: &Points, theta: &[f64], wanted: Wanted) -> Matrix {
        let columns: usize = wanted.columns(self.functions.dimension, theta.len()).iter().sum();
        let ask = |py: Python<'_>| {
            let Wanted { score, slope, score_jacobian, slope_jacobian } = wanted;
            let (x, theta) = (of_points(py, points)?, PyArray1::from_slice(py, theta));
            let found = self
                .functions
                .evaluate
                .call1(py, (x, theta, score, slope, score_jacobian, slope_jacobian))?;
            let found: PyReadonlyArray2<'_, f64> = found.bind(py).extract()?;
            if found.shape() != [points.len(), columns] {
                return Err(PyValueError::new_err(format!(
                    "the model gave an array of shape {:?} for {} points; it should be {:?}",
                    found.shape(),
                    points.len(),
                    [points.len(), columns]
                )));
            }
            Ok(matrix(&found))
        };
        self.asked(ask, || Matrix::from_fn(points.len(), columns, |_, _| f64::NAN))
    }

    /// One of the derivatives at one point.
    fn one(&self, x: &[f64], theta: &[f64], wanted: Wanted, out: &mut [f64]) {
        match Points::new(x, self.functions.dimension) {
            Ok(point) => {
                let row = self.rows(&point, theta, wanted);
                out.iter_mut().enumerate().for_each(|(j, out)| *out = row[(0, j)]);
            }
            Err(_) => out.fill(f64::NAN),
        }
    }
}

impl Model for Callback {
    fn name(&self) -> &str {
        &self.functions.name
    }

    fn dimension(&self) -> usize {
        self.functions.dimension
    }

    fn parameters(&self) -> usize {
        self.functions.parameters.len()
    }

    fn names(&self, _coordinates: &[String]) -> Vec<String> {
        self.functions.parameters.clone()
    }

    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        self.one(x, theta, Wanted { score: true, ..Wanted::default() }, score);
    }

    fn score_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        self.one(x, theta, Wanted { score_jacobian: true, ..Wanted::default() }, jacobian);
    }

    fn score_slope(&self, x: &[f64], theta: &[f64], slope: &mut [f64]) {
        self.one(x, theta, Wanted { slope: true, ..Wanted::default() }, slope);
    }

    fn score_slope_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        self.one(x, theta, Wanted { slope_jacobian: true, ..Wanted::default() }, jacobian);
    }

    fn density(&self) -> Option<&dyn Density> {
        self.functions.log_densities.is_some().then_some(self)
    }

    fn batches(&self) -> Option<&dyn Batches> {
        Some(self)
    }

    fn search(&self) -> Option<&dyn Search> {
        Some(self)
    }
}

impl Density for Callback {
    fn log_density(&self, x: &[f64], theta: &[f64]) -> f64 {
        let point = Points::new(x, self.functions.dimension).ok();
        let found = point.and_then(|point| self.log_densities(&point, theta));
        found.and_then(|found| found.first().copied()).unwrap_or(f64::NAN)
    }
}

impl Batches for Callback {
    fn derivatives_at(&self, points: &Points, theta: &[f64], wanted: Wanted) -> Matrix {
        self.rows(points, theta, wanted)
    }

    fn curvature_at(&self, points: &Points, theta: &[f64], weights: &Matrix) -> Option<Vec<f64>> {
        let function = self.functions.curvature.as_ref()?;
        let size = theta.len();
        let ask = |py: Python<'_>| {
            let given = (of_points(py, points)?, PyArray1::from_slice(py, theta), of_matrix(py, weights)?);
            let found = function.call1(py, given)?;
            let found: PyReadonlyArray2<'_, f64> = found.bind(py).extract()?;
            if found.shape() != [size, size] {
                return Err(PyValueError::new_err(format!(
                    "the model gave second derivatives of shape {:?}; it should be {:?}",
                    found.shape(),
                    [size, size]
                )));
            }
            Ok(found.as_array().iter().copied().collect())
        };
        Some(self.asked(ask, || vec![f64::NAN; size * size]))
    }

    fn log_densities(&self, points: &Points, theta: &[f64]) -> Option<Vec<f64>> {
        let function = self.functions.log_densities.as_ref()?;
        let ask = |py: Python<'_>| {
            let found = function.call1(py, (of_points(py, points)?, PyArray1::from_slice(py, theta)))?;
            let found: PyReadonlyArray1<'_, f64> = found.bind(py).extract()?;
            if found.len() != points.len() {
                return Err(PyValueError::new_err(format!(
                    "the log-density gave {} values for {} points; give one for each",
                    found.len(),
                    points.len()
                )));
            }
            Ok(found.to_vec()?)
        };
        Some(self.asked(ask, || vec![f64::NAN; points.len()]))
    }
}

impl Search for Callback {
    fn starts(&self, _points: &Points, _rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        self.functions.start.iter().cloned().collect()
    }
}

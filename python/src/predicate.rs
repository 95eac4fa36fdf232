//! A set whose membership is a function in Python.

use std::fmt::{self, Debug};
use std::sync::Arc;

use numpy::{PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use steinbound::Points;
use steinbound::domain::Membership;

use crate::arrays::of_points;
use crate::job::Job;

/// What Python gives: a name, and a function of an array of points that gives a boolean for each.
pub struct Function {
    pub name: String,
    pub inside: Py<PyAny>,
}

/// The function in one computation. An exception ends the computation, in which nothing lies inside from then on,
/// and is raised at its end.
pub struct Asked {
    function: Arc<Function>,
    job: Arc<Job>,
}

impl Asked {
    pub fn new(function: &Arc<Function>, job: &Arc<Job>) -> Asked {
        Asked { function: Arc::clone(function), job: Arc::clone(job) }
    }
}

impl Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Asked({})", self.function.name)
    }
}

impl Membership for Asked {
    fn describe(&self) -> String {
        self.function.name.clone()
    }

    fn are_inside(&self, points: &Points) -> Vec<bool> {
        if self.job.interrupt().is_raised() {
            return vec![false; points.len()];
        }
        let ask = |py: Python<'_>| {
            let found = self.function.inside.call1(py, (of_points(py, points)?,))?;
            let found: PyReadonlyArray1<'_, bool> = found.bind(py).extract()?;
            if found.len() != points.len() {
                return Err(PyValueError::new_err(format!(
                    "the region gave {} values for {} points; give one for each",
                    found.len(),
                    points.len()
                )));
            }
            Ok(found.to_vec()?)
        };
        Python::attach(ask).unwrap_or_else(|error| {
            self.job.fail(error);
            vec![false; points.len()]
        })
    }
}

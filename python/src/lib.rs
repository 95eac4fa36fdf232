//! The compiled part of the Python package `steinbound`.
//!
//! It is thin: arrays come in without a copy, a computation runs outside the interpreter, and results go out
//! as arrays and as the JSON that the command line prints. What users see (defaults, names, classes) is
//! Python, in `python/steinbound`.

mod arrays;
mod callback;
mod domain;
mod error;
mod job;
mod model;
mod predicate;
mod problem;
mod questions;
mod regression;
mod render;
mod settings;
mod simulate;
mod tables;

use pyo3::pymodule;

/// The compiled part of steinbound.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::domain::{Domain, united_states};
    #[pymodule_export]
    use super::model::{Model, families};
    #[pymodule_export]
    use super::problem::Problem;
    #[pymodule_export]
    use super::questions::{derive, p_value, quantile, wald_test};
    #[pymodule_export]
    use super::regression::{Regression, regression_method};
    #[pymodule_export]
    use super::render::render;
    #[pymodule_export]
    use super::settings::shared_options;
    #[pymodule_export]
    use super::simulate::simulate;
    #[pymodule_export]
    use super::tables::{is_map_path, read_points};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("STUDENT_SCORES", steinbound_io::examples::STUDENT_SCORES)
    }
}

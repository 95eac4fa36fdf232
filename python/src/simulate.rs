//! Draws of densities.

use numpy::PyArray2;
use pyo3::prelude::*;
use steinbound::model::Model as LibraryModel;
use steinbound::simulate::{Inside, stream, tasks};
use steinbound::{Error, ModelError};

use crate::arrays::of_points;
use crate::domain::Domain;
use crate::error::Failure;
use crate::job::Job;
use crate::model::Model;

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
    let domain = domain.map(|domain| domain.build(model.dimension(), &job)).transpose()?;
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

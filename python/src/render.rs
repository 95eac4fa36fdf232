//! Results as documents: HTML for notebooks, LaTeX for papers.

use pyo3::prelude::*;
use steinbound::Fit;
use steinbound_request::render::Format;

use crate::error::Failure;

/// A fit, given as JSON of the schema `steinbound.fit/1`, in a format: text, html, markdown or latex.
#[pyfunction]
pub fn render(fit: &str, format: &str) -> Result<String, Failure> {
    let fit: Fit = serde_json::from_str(fit).map_err(|error| format!("this is not a fit: {error}"))?;
    Ok(Format::named(format)?.render(&fit.document()))
}

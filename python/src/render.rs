//! Results as documents: text for terminals, HTML and Markdown for notebooks, LaTeX for papers.

use pyo3::prelude::*;
use serde::Deserialize;
use steinbound::fit::Parameter;
use steinbound::text::Document;
use steinbound::{Fit, Warning};
use steinbound_request::render::Format;

use crate::error::Failure;

/// A document as text with its warnings, HTML, LaTeX and Markdown.
pub type Forms = (String, String, String, String);

/// A document in all formats.
pub fn forms(document: &Document) -> Forms {
    (
        Format::whole_text(document),
        Format::Html.render(document),
        Format::Latex.render(document),
        Format::Markdown.render(document),
    )
}

/// Kinds and texts of warnings.
pub type Warned = Vec<(&'static str, String)>;

/// Warnings for Python.
pub fn warned(warnings: &[Warning]) -> Warned {
    warnings.iter().map(|warning| (warning.kind().name(), warning.to_string())).collect()
}

/// A document that shows these warnings as well.
pub fn with_warnings(document: Document, warnings: &[Warning]) -> Document {
    warnings.iter().fold(document, Document::warning)
}

/// A fit and what was asked of it.
#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    derived: Vec<Parameter>,
}

/// A fit, given as JSON of the schema `steinbound.fit/1`, in a format: text, html, markdown or latex. Derived
/// quantities follow the parameters.
#[pyfunction]
#[pyo3(signature = (fit, format, digits=None))]
pub fn render(fit: &str, format: &str, digits: Option<usize>) -> Result<String, Failure> {
    let refused = |error| format!("this is not a fit: {error}");
    let found: Fit = serde_json::from_str(fit).map_err(refused)?;
    let answer: Answer = serde_json::from_str(fit).map_err(refused)?;
    Ok(Format::named(format)?.render(&document(&found, &answer.derived, digits)))
}

/// The table of a fit, and one of derived quantities where there are any, with this number of significant digits.
pub fn document(fit: &Fit, derived: &[Parameter], digits: Option<usize>) -> Document {
    match derived {
        [] => fit.document_with(digits),
        _ => fit.document_with(digits).gap().table(fit.table_style().digits(digits).table(derived)),
    }
}

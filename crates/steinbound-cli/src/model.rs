//! From options to what is said of a model.

use std::path::Path;

use steinbound::model::KnownCovariance;
use steinbound_io::read_matrix;
use steinbound_request::{Components, ModelRequest, Options, Value, known_covariance, options};

use crate::failure::Failure;
use crate::options::{ModelOptions, WORDING};

/// How the name of a file with a matrix ends.
const TABLES: [&str; 5] = [".csv", ".tsv", ".txt", ".gz", ".parquet"];

impl ModelOptions {
    /// The same with one number of components, and the range to choose from where one is given.
    pub fn without_range(&self) -> (Options, Option<Components>) {
        let mut given = self.given();
        let range = given.components().filter(|components| !components.is_one());
        if let Some(one) = range.and_then(|range| Components::range(range.first(), range.first()).ok()) {
            given.set(&options::COMPONENTS, Value::Components(one));
        }
        (given, range)
    }

    /// The numbers of components, for reports.
    pub fn component_texts(&self) -> Vec<String> {
        self.models.components().iter().map(ToString::to_string).collect()
    }
}

/// What is said of the model.
pub fn request(given: &Options) -> Result<ModelRequest<'static>, Failure> {
    Ok(given.model(covariance(given)?, WORDING)?)
}

/// A known covariance, where one is given: numbers, or a file with a matrix.
pub fn covariance(given: &Options) -> Result<Option<KnownCovariance>, Failure> {
    let Some(text) = given.text(&options::KNOWN_COVARIANCE) else { return Ok(None) };
    if TABLES.iter().any(|end| text.to_lowercase().ends_with(end)) {
        return Ok(Some(KnownCovariance::Matrix(read_matrix(Path::new(&text))?)));
    }
    Ok(Some(known_covariance(&text, WORDING)?))
}

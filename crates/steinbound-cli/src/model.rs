//! From options to what is said of a model.

use std::path::Path;

use steinbound::model::{FAMILIES, KnownCovariance, ModelChoices};
use steinbound_io::read_matrix;
use steinbound_request::{Components, FamilyRequest, ModelRequest, known_covariance};

use crate::failure::Failure;
use crate::options::{DensityOptions, ModelOptions, WORDING};

/// How the name of a file with a matrix ends.
const TABLES: [&str; 5] = [".csv", ".tsv", ".txt", ".gz", ".parquet"];

impl ModelOptions {
    /// The same with one number of components, and the range to choose from where one is given.
    pub fn without_range(&self) -> (ModelOptions, Option<Components>) {
        let mut model = self.clone();
        let range = self.components.filter(|components| !components.is_one());
        if let Some(one) = range.and_then(|range| Components::range(range.first(), range.first()).ok()) {
            model.components = Some(one);
        }
        (model, range)
    }

    /// The numbers of components, for reports.
    pub fn component_texts(&self) -> Vec<String> {
        self.components.iter().map(ToString::to_string).collect()
    }

    /// What is said of the model.
    pub fn request(&self) -> Result<ModelRequest<'static>, Failure> {
        if let Some(formula) = self.formula() {
            return Ok(formula);
        }
        let mut request = self.density.family()?;
        request.family = self.model.unwrap_or(FAMILIES[0]);
        if let Some(range) = self.components.filter(|components| !components.is_one()) {
            return Err(Failure::input(format!(
                "--components {range} is a range, among which only fit chooses and of which compare shows all; give one \
                 number"
            )));
        }
        request.choices.components = self.components.map(Components::first);
        Ok(ModelRequest::Family(request))
    }
}

impl DensityOptions {
    /// The formula, where there is one.
    pub fn formula(&self) -> Option<ModelRequest<'static>> {
        let (log_density, start) = (self.log_density.clone()?, self.start.clone());
        Some(ModelRequest::Formula { log_density, start })
    }

    /// What is said of a model that has a name, whatever the name.
    pub fn family(&self) -> Result<FamilyRequest, Failure> {
        let mut request = FamilyRequest::new(FAMILIES[0]);
        request.choices = ModelChoices {
            known_covariance: self.known_covariance.as_deref().map(covariance).transpose()?,
            covariance: self.covariance,
            estimate_weights: self.estimate_weights,
            ..ModelChoices::default()
        };
        request.start = self.start.clone();
        Ok(request)
    }
}

/// A known covariance: numbers, or a file with a matrix.
pub fn covariance(text: &str) -> Result<KnownCovariance, Failure> {
    if TABLES.iter().any(|end| text.to_lowercase().ends_with(end)) {
        return Ok(KnownCovariance::Matrix(read_matrix(Path::new(text))?));
    }
    Ok(known_covariance(text, WORDING)?)
}

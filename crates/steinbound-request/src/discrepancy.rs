//! The discrepancy at given parameters.

use serde_json::{Value as Json, json};
use steinbound::fit::{Discrepancy, Problem};

use crate::error::RequestError;
use crate::request::Case;
use crate::values::Values;

/// The discrepancy at given parameters, of the schema `steinbound.discrepancy/1`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DiscrepancyAnswer {
    /// The discrepancy.
    pub found: Discrepancy,
    /// The parameters, as they were given.
    pub at: Vec<f64>,
    /// The same on the plane.
    pub flat_at: Vec<f64>,
    described: Json,
}

impl DiscrepancyAnswer {
    /// The answer as JSON.
    pub fn json(&self) -> Json {
        let mut value = self.described.clone();
        value["at"] = json!(self.at);
        value["discrepancy"] = json!(self.found.value);
        value["discrepancy_squared"] = json!(self.found.squared);
        value
    }
}

impl Case<'_> {
    /// Measures how far data and model are apart at given parameters.
    pub fn discrepancy(&self, problem: &Problem, at: &Values) -> Result<DiscrepancyAnswer, RequestError> {
        let (flat_at, at) = (self.parameters(at)?, self.given_parameters(at)?);
        let found = problem.discrepancy(&flat_at).map_err(|error| self.explain(error))?;
        let described = self.described("steinbound.discrepancy/1", problem, problem.warnings());
        Ok(DiscrepancyAnswer { found, at, flat_at, described })
    }
}

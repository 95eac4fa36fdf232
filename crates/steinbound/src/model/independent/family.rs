//! Models of independent coordinates in the list of models.

use super::{Coordinate, Independent, NamedParameter, Range};
use crate::error::ModelError;
use crate::model::Model;
use crate::model::family::{Choice, Family, ModelChoices};

/// The entry of a [`Coordinate`] density in the list of models.
#[derive(Debug)]
pub struct Coordinates(pub &'static dyn Coordinate);

impl Family for Coordinates {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn aliases(&self) -> &'static [&'static str] {
        self.0.aliases()
    }

    fn meaning(&self) -> &'static str {
        self.0.meaning()
    }

    fn parameters(&self) -> &'static [NamedParameter] {
        self.0.parameters()
    }

    fn choices(&self) -> &'static [Choice] {
        match self.0.is_linear() {
            true => &[Choice::Known],
            false => &[Choice::Known, Choice::Start],
        }
    }

    fn build(&self, dimension: usize, choices: &ModelChoices) -> Result<Box<dyn Model>, ModelError> {
        choices.check(self, dimension)?;
        let known: Vec<(&str, f64)> =
            choices.known.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let model = Independent::new(self.0, dimension, &known)?;
        let is_free = |parameter: &&NamedParameter| {
            parameter.range != Range::Given && !known.iter().any(|(name, _)| *name == parameter.name)
        };
        match self.0.parameters().iter().any(|parameter| is_free(&parameter)) {
            true => Ok(Box::new(model)),
            false => Err(ModelError::NothingUnknown { model: self.name() }),
        }
    }
}

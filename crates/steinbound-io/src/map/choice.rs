use std::collections::BTreeSet;

use crate::error::IoError;
use crate::names::{few, nearest, shown};

/// The choice of features by a property, and a record of the available values.
pub(super) struct Choice<'a> {
    path: &'a str,
    wanted: Option<&'a (String, String)>,
    is_met: bool,
    properties: BTreeSet<String>,
    values: BTreeSet<String>,
}

impl<'a> Choice<'a> {
    pub(super) fn new(path: &'a str, wanted: Option<&'a (String, String)>) -> Choice<'a> {
        Choice { path, wanted, is_met: false, properties: BTreeSet::new(), values: BTreeSet::new() }
    }

    /// The property by which features are chosen.
    pub(super) fn property(&self) -> Option<&'a str> {
        self.wanted.map(|(property, _)| property.as_str())
    }

    /// Whether a feature with this value of the property is chosen.
    pub(super) fn takes(&mut self, value: Option<String>) -> bool {
        let Some((_, wanted)) = self.wanted else { return true };
        let Some(value) = value else { return false };
        let is_chosen = value.trim() == wanted.trim();
        self.is_met |= is_chosen;
        self.values.insert(value);
        is_chosen
    }

    /// Records the existing properties, for the message if the requested one does not exist.
    pub(super) fn note_properties<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) {
        if self.wanted.is_some() && self.values.is_empty() {
            self.properties.extend(names.into_iter().map(str::to_string));
        }
    }

    /// Returns an error if no feature was chosen.
    pub(super) fn finish(self) -> Result<(), IoError> {
        let Some((property, value)) = self.wanted.filter(|_| !self.is_met) else { return Ok(()) };
        let path = self.path.to_string();
        let (typed, known) =
            if self.values.is_empty() { (property, &self.properties) } else { (value, &self.values) };
        let nearest = nearest(typed, known.iter().map(String::as_str)).map(shown);
        let known = few(known.iter().map(String::as_str));
        Err(if self.values.is_empty() {
            IoError::NoSuchProperty { path, property: shown(property), known, nearest }
        } else {
            IoError::NoSuchFeature { path, property: shown(property), value: shown(value), known, nearest }
        })
    }
}

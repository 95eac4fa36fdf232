use std::collections::BTreeSet;

use super::features::find;
use crate::error::IoError;
use crate::names::{few, nearest, shown};

/// Properties that usually have the names of features, most telling first.
const NAMES: [&str; 10] =
    ["name", "NAME", "Name", "name_en", "NAME_EN", "ADMIN", "admin", "title", "label", "id"];

/// The choice of features by properties, and a record of the available values.
pub(super) struct Choice<'a> {
    path: &'a str,
    layer: Option<&'a str>,
    wanted: &'a [(String, String)],
    /// For each of these whether a feature has it, and the values that features have.
    found: Vec<(bool, BTreeSet<String>)>,
    properties: BTreeSet<String>,
}

/// A layer by its place, or any.
pub(super) enum LayerChoice {
    Named(usize),
    Open,
}

impl<'a> Choice<'a> {
    pub(super) fn new(path: &'a str, layer: Option<&'a str>, wanted: &'a [(String, String)]) -> Choice<'a> {
        let found = vec![(false, BTreeSet::new()); wanted.len()];
        Choice { path, layer, wanted, found, properties: BTreeSet::new() }
    }

    pub(super) fn path(&self) -> &str {
        self.path
    }

    /// The properties by which features are chosen, with their values; none if all are taken.
    pub(super) fn wanted(&self) -> &'a [(String, String)] {
        self.wanted
    }

    /// The layer asked for, among those of the file.
    pub(super) fn layer(&self, names: &[String]) -> Result<LayerChoice, IoError> {
        match self.layer {
            Some(wanted) => Ok(LayerChoice::Named(find(self.path, wanted, names)?)),
            None => Ok(LayerChoice::Open),
        }
    }

    /// Whether a feature is chosen, by the values of its properties.
    pub(super) fn takes(&mut self, value: impl Fn(&str) -> Option<String>) -> bool {
        let mut is_chosen = self.wanted.is_empty();
        for ((property, wanted), (is_met, values)) in self.wanted.iter().zip(&mut self.found) {
            let Some(value) = value(property) else { continue };
            if value.trim() == wanted.trim() {
                (is_chosen, *is_met) = (true, true);
            }
            values.insert(value);
        }
        is_chosen
    }

    /// The name of a feature: the value by which it was chosen, or that of a property that usually has names.
    pub(super) fn name_of(&self, value: impl Fn(&str) -> Option<String>) -> Option<String> {
        let asked = self.wanted.iter().map(|(property, _)| property.as_str());
        let mut names = asked.chain(NAMES).filter_map(value).map(|name| name.trim().to_string());
        names.find(|name| !name.is_empty())
    }

    /// Records the existing properties, for the message if a requested one does not exist.
    pub(super) fn note_properties<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) {
        if self.found.iter().any(|(_, values)| values.is_empty()) {
            for name in names {
                if !self.properties.contains(name) {
                    self.properties.insert(name.to_string());
                }
            }
        }
    }

    /// Returns an error if no feature was found for one of those asked for.
    pub(super) fn finish(self) -> Result<(), IoError> {
        let missing = self.wanted.iter().zip(&self.found).find(|(_, (is_met, _))| !is_met);
        let Some(((property, value), (_, values))) = missing else { return Ok(()) };
        let path = self.path.to_string();
        let (typed, known) = if values.is_empty() { (property, &self.properties) } else { (value, values) };
        let nearest = nearest(typed, known.iter().map(String::as_str)).map(shown);
        let known = few(known.iter().map(String::as_str));
        Err(if values.is_empty() {
            IoError::NoSuchProperty { path, property: shown(property), known, nearest }
        } else {
            IoError::NoSuchFeature { path, property: shown(property), value: shown(value), known, nearest }
        })
    }
}

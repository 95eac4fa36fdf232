//! The choice among layers of features.

use geojson::{Feature, JsonValue};

use super::choice::{Choice, LayerChoice};
use crate::error::IoError;
use crate::names::{few, nearest, shown};

/// Features under a name, of which a file may have several.
pub(super) struct NamedLayer {
    pub(super) name: String,
    pub(super) features: Vec<Feature>,
}

/// The value of a property, or of the identifier beside the properties.
pub(super) fn property(feature: &Feature, name: &str) -> Option<String> {
    match (feature.property(name), &feature.id) {
        (Some(JsonValue::Null), _) => None,
        (Some(JsonValue::String(text)), _) => Some(text.clone()),
        (Some(other), _) => Some(other.to_string()),
        (None, Some(geojson::feature::Id::String(text))) if name == "id" => Some(text.clone()),
        (None, Some(geojson::feature::Id::Number(number))) if name == "id" => Some(number.to_string()),
        (None, _) => None,
    }
}

/// The names of the properties of a feature, with that of its identifier.
pub(super) fn property_names(feature: &Feature) -> impl Iterator<Item = &str> {
    let id = feature.id.as_ref().map(|_| "id");
    feature.properties.iter().flatten().map(|(name, _)| name.as_str()).chain(id)
}

/// The features of the layer that is asked for; without a name, of the only one that has all features asked
/// for, or else of the first. The second value is a note on what was left out.
pub(super) fn chosen(
    mut layers: Vec<NamedLayer>,
    choice: &Choice,
) -> Result<(Vec<Feature>, Option<String>), IoError> {
    let names: Vec<String> = layers.iter().map(|layer| layer.name.clone()).collect();
    let place = match choice.layer(&names)? {
        LayerChoice::Named(at) => return Ok((layers.swap_remove(at).features, None)),
        LayerChoice::Open => {
            let has = |layer: &NamedLayer, (name, value): &(String, String)| {
                let matches = |found: String| found.trim() == value.trim();
                layer.features.iter().any(|feature| property(feature, name).is_some_and(matches))
            };
            let fitting = |layer: &NamedLayer| choice.wanted().iter().all(|wanted| has(layer, wanted));
            let places: Vec<usize> = (0..layers.len()).filter(|at| fitting(&layers[*at])).collect();
            match places.as_slice() {
                [_, _, ..] if !choice.wanted().is_empty() => {
                    return Err(ambiguous(choice.path(), places.iter().map(|at| names[*at].as_str())));
                }
                [first, ..] => *first,
                [] => 0,
            }
        }
    };
    if layers.is_empty() {
        return Ok((Vec::new(), None));
    }
    let taken = layers.swap_remove(place);
    let others = names.iter().filter(|name| **name != taken.name).map(String::as_str);
    let note = (choice.wanted().is_empty() && names.len() > 1).then(|| {
        format!(
            "{}: the layer \"{}\" is used; there are others: {}",
            choice.path(),
            shown(&taken.name),
            few(others)
        )
    });
    Ok((taken.features, note))
}

fn ambiguous<'a>(path: &str, names: impl Iterator<Item = &'a str>) -> IoError {
    IoError::AmbiguousLayer { path: path.to_string(), layers: few(names) }
}

/// The place of a layer by its name.
pub(super) fn find(path: &str, wanted: &str, names: &[String]) -> Result<usize, IoError> {
    names.iter().position(|name| name == wanted).ok_or_else(|| IoError::NoSuchLayer {
        path: path.to_string(),
        layer: shown(wanted),
        known: few(names.iter().map(String::as_str)),
        nearest: nearest(wanted, names.iter().map(String::as_str)).map(shown),
    })
}

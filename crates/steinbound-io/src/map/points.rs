//! The points of a map as the rows of a table.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::attributes::Attributes;
use super::{Coordinates, PointFormat, read_limited};
use crate::error::IoError;
use crate::place::Unit;
use crate::records::{Cell, Comma, Layout, Rows, printable};
use crate::source::name_of;
use crate::table::distinct;

/// The points of a map, and the properties of each feature.
pub(crate) struct PointLayer {
    pub(super) path: String,
    /// The coordinates of each point, `None` if a feature has none, with the number of its feature from zero.
    points: Vec<(usize, Option<[f64; 2]>)>,
    pub(super) coordinates: Coordinates,
    pub(super) properties: Properties,
    /// Whether points have heights, which are left out.
    pub(super) has_heights: bool,
}

/// The properties of features.
#[derive(Default)]
pub(super) enum Properties {
    #[default]
    None,
    /// One object for each feature.
    Json(Vec<geojson::JsonObject>),
    /// The bytes of an attribute table.
    Table(Vec<u8>),
}

/// A property of a feature.
enum Property {
    Text(String),
    Number(f64),
    Whole(i128),
    Missing,
}

impl PointLayer {
    pub(super) fn add(&mut self, feature: usize, place: Option<[f64; 2]>) {
        // Some formats write a missing coordinate as infinite or undefined.
        self.points.push((feature, place.filter(|place| place.iter().all(|value| !value.is_nan()))));
    }

    /// The error for a geometry that is not a point.
    pub(super) fn not_a_point(&self, feature: usize, kind: &str) -> IoError {
        IoError::NotAPoint { path: self.path.clone(), feature: feature + 1, kind: kind.to_string() }
    }

    fn property_names(&self) -> Result<Vec<String>, IoError> {
        Ok(match &self.properties {
            Properties::None => Vec::new(),
            Properties::Json(objects) => {
                let mut names: Vec<String> = Vec::new();
                let mut seen = std::collections::HashSet::new();
                for name in objects.iter().flat_map(|object| object.keys()) {
                    if seen.insert(name.as_str()) {
                        names.push(name.clone());
                    }
                }
                names
            }
            Properties::Table(bytes) => {
                Attributes::parse(&self.path, bytes)?.names().map(str::to_string).collect()
            }
        })
    }

    /// A property of every feature.
    fn property(&self, name: &str) -> Result<Vec<Property>, IoError> {
        let features = self.points.last().map_or(0, |(feature, _)| feature + 1);
        Ok(match &self.properties {
            Properties::None => Vec::new(),
            Properties::Json(objects) => objects.iter().map(|object| of_json(object.get(name))).collect(),
            Properties::Table(bytes) => {
                let table = Attributes::parse(&self.path, bytes)?;
                (0..features)
                    .map(|record| table.value(record, name).map_or(Property::Missing, Property::Text))
                    .collect()
            }
        })
    }
}

fn of_json(value: Option<&geojson::JsonValue>) -> Property {
    use geojson::JsonValue;
    match value {
        None | Some(JsonValue::Null) => Property::Missing,
        Some(JsonValue::Bool(truth)) => Property::Whole(i128::from(*truth)),
        Some(JsonValue::Number(number)) => {
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
            let other = || number.as_f64().map_or(Property::Missing, Property::Number);
            whole.map_or_else(other, Property::Whole)
        }
        Some(JsonValue::String(text)) => Property::Text(text.clone()),
        Some(other) => Property::Text(other.to_string()),
    }
}

/// The rows of a table of the points of a map: two coordinates, then the properties of their features.
pub(crate) struct PointRows {
    layer: PointLayer,
    layout: Layout,
    /// The names of the properties in the map.
    names: Vec<String>,
    chosen: HashMap<usize, Vec<Property>>,
    next: usize,
}

impl PointRows {
    pub fn open(path: &Path, format: PointFormat) -> Result<PointRows, IoError> {
        PointRows::parse(path, format, &read_limited(path)?)
    }

    pub fn parse(path: &Path, format: PointFormat, bytes: &[u8]) -> Result<PointRows, IoError> {
        let mut layer = PointLayer {
            path: name_of(path),
            points: Vec::new(),
            coordinates: Coordinates::Unstated,
            properties: Properties::None,
            has_heights: false,
        };
        format(path, bytes, &mut layer)?;
        if layer.points.is_empty() {
            return Err(IoError::NoPoints { path: layer.path });
        }
        let places = || layer.points.iter().filter_map(|(_, place)| *place);
        let reach = |axis: usize| places().fold(0.0f64, |r, place| r.max(place[axis].abs()));
        let is_geographic = layer.coordinates.look_geographic(reach(0), reach(1));
        let names = layer.property_names()?;
        let axes = if is_geographic { ["lon", "lat"] } else { ["x", "y"] };
        let shown = axes.iter().map(|name| name.to_string()).chain(names.iter().map(|name| printable(name)));
        let heights =
            layer.has_heights.then(|| format!("{}: the heights of points are left out", layer.path));
        let warnings: Vec<String> =
            layer.coordinates.warning(&layer.path).into_iter().chain(heights).collect();
        let layout = Layout {
            path: layer.path.clone(),
            names: distinct(shown.collect()),
            has_header: true,
            doubtful_header: None,
            unit: Unit::Feature,
            comma: Comma::None,
            warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
            unusable: BTreeMap::new(),
        };
        Ok(PointRows { layer, layout, names, chosen: HashMap::new(), next: 0 })
    }
}

impl Rows for PointRows {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn usual_columns(&self) -> Option<Vec<usize>> {
        Some(vec![0, 1])
    }

    fn choose(&mut self, columns: &[usize]) -> Result<(), IoError> {
        for j in columns.iter().copied().filter(|j| *j >= 2) {
            self.chosen.insert(j, self.layer.property(&self.names[j - 2])?);
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<u64>, IoError> {
        self.next += 1;
        Ok(self.layer.points.get(self.next - 1).map(|(feature, _)| *feature as u64 + 1))
    }

    fn cell(&self, j: usize) -> Cell<'_> {
        let Some((feature, place)) = self.layer.points.get(self.next.saturating_sub(1)) else {
            return Cell::Missing;
        };
        if j < 2 {
            return place.map_or(Cell::Missing, |place| Cell::Number(place[j]));
        }
        match self.chosen.get(&j).and_then(|values| values.get(*feature)) {
            Some(Property::Text(text)) => Cell::Text(text.as_bytes()),
            Some(Property::Number(value)) => Cell::Number(*value),
            Some(Property::Whole(value)) => Cell::Whole(*value),
            Some(Property::Missing) | None => Cell::Missing,
        }
    }
}

use geojson::{Error, Feature, GeoJson, Geometry, GeometryValue, JsonValue, Position};

use super::points::{PointLayer, Properties};
use super::{Choice, Coordinates, Layer, text_of};
use crate::error::IoError;
use crate::names::shown;

/// Reads the polygons of GeoJSON, whose coordinates are longitude and latitude.
pub(super) fn read(bytes: &[u8], choice: &mut Choice, layer: &mut Layer) -> Result<(), IoError> {
    layer.coordinates = Coordinates::Degrees;
    let text = text_of(layer.path, "GeoJSON", bytes)?;
    let parsed: GeoJson = text.parse().map_err(|error| syntax(layer.path, text, &error))?;
    match &parsed {
        GeoJson::Geometry(geometry) => add(layer, "the geometry", geometry)?,
        GeoJson::Feature(feature) => add_feature(layer, choice, 0, feature)?,
        GeoJson::FeatureCollection(collection) => {
            for (at, feature) in collection.features.iter().enumerate() {
                add_feature(layer, choice, at, feature)?;
            }
        }
    }
    Ok(())
}

/// Reads the points of GeoJSON.
pub(super) fn read_points(bytes: &[u8], layer: &mut PointLayer) -> Result<(), IoError> {
    layer.coordinates = Coordinates::Degrees;
    let text = text_of(&layer.path, "GeoJSON", bytes)?;
    let parsed: GeoJson = text.parse().map_err(|error| syntax(&layer.path, text, &error))?;
    let features = match parsed {
        GeoJson::Geometry(geometry) => vec![Feature::from(geometry)],
        GeoJson::Feature(feature) => vec![feature],
        GeoJson::FeatureCollection(collection) => collection.features,
    };
    for (at, feature) in features.iter().enumerate() {
        match &feature.geometry {
            Some(geometry) => add_points(layer, at, geometry)?,
            None => layer.add(at, None),
        }
    }
    let properties = features.into_iter().map(|feature| feature.properties.unwrap_or_default());
    layer.properties = Properties::Json(properties.collect());
    Ok(())
}

fn add_points(layer: &mut PointLayer, feature: usize, geometry: &Geometry) -> Result<(), IoError> {
    let mut add = |position: &Position| match position.as_slice() {
        [x, y] => {
            layer.add(feature, Some([*x, *y]));
            Ok(())
        }
        [_, _, ..] => Err(layer.third_coordinate(feature)),
        _ => Err(short(&layer.path, &format!("feature {}", feature + 1))),
    };
    match &geometry.value {
        GeometryValue::Point { coordinates } => add(coordinates),
        GeometryValue::MultiPoint { coordinates } => coordinates.iter().try_for_each(add),
        GeometryValue::GeometryCollection { geometries } => {
            geometries.iter().try_for_each(|part| add_points(layer, feature, part))
        }
        other => Err(layer.not_a_point(feature, other.type_name())),
    }
}

fn short(path: &str, feature: &str) -> IoError {
    IoError::MapSyntax {
        path: path.to_string(),
        format: "GeoJSON",
        place: format!(", {feature}"),
        reason: "a vertex has fewer than two coordinates".into(),
    }
}

fn syntax(path: &str, text: &str, error: &Error) -> IoError {
    let (place, reason) = match error {
        Error::MalformedGeoJson(error) if error.line() > 0 => {
            let full = error.to_string();
            let reason = full.rfind(" at line ").map_or(full.as_str(), |end| &full[..end]);
            (format!(" at line {}, column {}", error.line(), error.column()), shown(reason))
        }
        Error::MalformedGeoJson(error) => (String::new(), shown(&error.to_string())),
        error => (String::new(), shown(&error.to_string())),
    };
    let is_topology = text.contains("\"Topology\"");
    let reason = if is_topology { "it is TopoJSON, whose arcs are not read".into() } else { reason };
    IoError::MapSyntax { path: path.to_string(), format: "GeoJSON", place, reason }
}

fn add_feature(layer: &mut Layer, choice: &mut Choice, at: usize, feature: &Feature) -> Result<(), IoError> {
    choice.note_properties(feature.properties.iter().flatten().map(|(name, _)| name.as_str()));
    let value = choice.property().and_then(|name| feature.property(name)).map(|value| match value {
        JsonValue::String(text) => text.clone(),
        other => other.to_string(),
    });
    match &feature.geometry {
        Some(geometry) if choice.takes(value) => add(layer, &format!("feature {}", at + 1), geometry),
        _ => Ok(()),
    }
}

fn add(layer: &mut Layer, feature: &str, geometry: &Geometry) -> Result<(), IoError> {
    match &geometry.value {
        GeometryValue::Polygon { coordinates } => add_rings(layer, feature, coordinates),
        GeometryValue::MultiPolygon { coordinates } => {
            coordinates.iter().try_for_each(|rings| add_rings(layer, feature, rings))
        }
        // The parser limits the depth of nested collections.
        GeometryValue::GeometryCollection { geometries } => {
            geometries.iter().try_for_each(|part| add(layer, feature, part))
        }
        other => {
            layer.others.insert(other.type_name().to_string());
            Ok(())
        }
    }
}

fn add_rings(layer: &mut Layer, feature: &str, rings: &[Vec<Position>]) -> Result<(), IoError> {
    for ring in rings {
        let vertex = |position: &Position| match position.as_slice() {
            [x, y] => Ok([*x, *y]),
            [_, _, ..] => Err(layer.third_coordinate(feature)),
            _ => Err(short(layer.path, feature)),
        };
        let vertices = ring.iter().map(vertex).collect::<Result<Vec<_>, _>>()?;
        layer.add_closed(feature, vertices)?;
    }
    Ok(())
}

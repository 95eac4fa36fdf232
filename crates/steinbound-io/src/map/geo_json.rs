use geojson::{Error, Feature, GeoJson, Geometry, GeometryValue, JsonValue, Position};

use super::features::{chosen, property, property_names};
use super::points::{PointLayer, Properties};
use super::{Choice, Coordinates, Layer, reference, text_of, topo_json};
use crate::error::IoError;
use crate::names::shown;
use crate::place::Unit;

/// Reads the polygons of GeoJSON or TopoJSON, whose coordinates are longitude and latitude unless a system is
/// stated.
pub(super) fn read(bytes: &[u8], choice: &mut Choice, layer: &mut Layer) -> Result<(), IoError> {
    let text = text_of(layer.path, "GeoJSON", bytes)?;
    match text.parse::<GeoJson>() {
        Ok(parsed) => {
            layer.coordinates = coordinates_of(&parsed);
            match &parsed {
                GeoJson::Geometry(geometry) => {
                    layer.begin("the geometry", None);
                    add(layer, geometry)
                }
                GeoJson::Feature(feature) => add_features(layer, choice, std::slice::from_ref(feature)),
                GeoJson::FeatureCollection(collection) => add_features(layer, choice, &collection.features),
            }
        }
        Err(_) if topo_json::is_topology(text) => {
            layer.coordinates = Coordinates::Degrees;
            let (features, note) = chosen(topo_json::layers(layer.path, text)?, choice)?;
            layer.notes.extend(note);
            add_features(layer, choice, &features)
        }
        Err(error) => Err(syntax(layer.path, text, &error)),
    }
}

/// Reads the points of GeoJSON or TopoJSON.
pub(super) fn read_points(bytes: &[u8], layer: &mut PointLayer) -> Result<(), IoError> {
    let text = text_of(&layer.path, "GeoJSON", bytes)?;
    let (features, coordinates) = match text.parse::<GeoJson>() {
        Ok(parsed) => {
            let coordinates = coordinates_of(&parsed);
            let features = match parsed {
                GeoJson::Geometry(geometry) => vec![Feature::from(geometry)],
                GeoJson::Feature(feature) => vec![feature],
                GeoJson::FeatureCollection(collection) => collection.features,
            };
            (features, coordinates)
        }
        Err(_) if topo_json::is_topology(text) => {
            let layers = topo_json::layers(&layer.path, text)?;
            (layers.into_iter().next().map_or_else(Vec::new, |first| first.features), Coordinates::Degrees)
        }
        Err(error) => return Err(syntax(&layer.path, text, &error)),
    };
    layer.coordinates = coordinates;
    add_point_features(layer, features)
}

/// Adds features of any format, whose geometries are points.
pub(super) fn add_point_features(layer: &mut PointLayer, features: Vec<Feature>) -> Result<(), IoError> {
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

/// The coordinates that older files state; without a statement, longitude and latitude.
fn coordinates_of(parsed: &GeoJson) -> Coordinates {
    let members = match parsed {
        GeoJson::Geometry(geometry) => &geometry.foreign_members,
        GeoJson::Feature(feature) => &feature.foreign_members,
        GeoJson::FeatureCollection(collection) => &collection.foreign_members,
    };
    let name = members.as_ref().and_then(|members| members.get("crs")?["properties"]["name"].as_str());
    match name.map(reference::of_name) {
        None | Some(Coordinates::Unstated) => Coordinates::Degrees,
        Some(stated) => stated,
    }
}

fn add_points(layer: &mut PointLayer, feature: usize, geometry: &Geometry) -> Result<(), IoError> {
    let mut add = |position: &Position| match position.as_slice() {
        [x, y, heights @ ..] => {
            layer.has_heights |= !heights.is_empty();
            layer.add(feature, Some([*x, *y]));
            Ok(())
        }
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
    if let Some((place, reason)) = null_coordinate(text) {
        return IoError::MapSyntax { path: path.to_string(), format: "GeoJSON", place, reason };
    }
    let (place, reason) = match error {
        Error::MalformedGeoJson(error) if error.line() > 0 => {
            let full = error.to_string();
            let reason = full.rfind(" at line ").map_or(full.as_str(), |end| &full[..end]);
            (format!(" at line {}, column {}", error.line(), error.column()), shown(reason))
        }
        Error::MalformedGeoJson(error) => (String::new(), shown(&error.to_string())),
        error => (String::new(), shown(&error.to_string())),
    };
    IoError::MapSyntax { path: path.to_string(), format: "GeoJSON", place, reason }
}

/// Where a coordinate is null, as programs write a number that is none.
fn null_coordinate(text: &str) -> Option<(String, String)> {
    let parsed: JsonValue = serde_json::from_str(text).ok()?;
    let in_geometry = |geometry: &JsonValue, place: String| {
        let (ring, vertex) = null_vertex(&geometry["coordinates"], &mut 0)?;
        let ring = if ring > 0 { format!(", ring {ring}") } else { String::new() };
        let vertex = if vertex > 0 { format!(" of vertex {vertex}") } else { String::new() };
        Some((format!(", {place}{ring}"), format!("a coordinate{vertex} is null")))
    };
    let features = match parsed["features"].as_array() {
        Some(features) => features.as_slice(),
        None => std::slice::from_ref(&parsed),
    };
    features.iter().enumerate().find_map(|(at, feature)| match feature["geometry"].is_object() {
        true => in_geometry(&feature["geometry"], format!("{} {}", Unit::Feature, at + 1)),
        false => in_geometry(feature, "the geometry".into()),
    })
}

/// The numbers, from 1, of the ring and of its vertex with a coordinate that is null; zero where coordinates
/// are not nested so deep. `rings` counts those before.
fn null_vertex(coordinates: &JsonValue, rings: &mut usize) -> Option<(usize, usize)> {
    let list = coordinates.as_array()?;
    if list.iter().any(JsonValue::is_null) {
        return Some((0, 0));
    }
    let is_vertex = |inner: &JsonValue| {
        let first = inner.as_array().and_then(|pair| pair.first());
        first.is_some_and(|number| number.is_number() || number.is_null())
    };
    let is_ring = list.iter().any(is_vertex);
    *rings += usize::from(is_ring);
    list.iter().enumerate().find_map(|(at, inner)| match is_ring {
        true => null_vertex(inner, rings).map(|_| (*rings, at + 1)),
        false => null_vertex(inner, rings),
    })
}

/// Adds the chosen of some features of any format.
pub(super) fn add_features(
    layer: &mut Layer,
    choice: &mut Choice,
    features: &[Feature],
) -> Result<(), IoError> {
    for (at, feature) in features.iter().enumerate() {
        choice.note_properties(property_names(feature));
        let value = |name: &str| property(feature, name);
        // A feature without geometry can be named, too.
        if !choice.takes(value) {
            continue;
        }
        let Some(geometry) = &feature.geometry else { continue };
        layer.begin(&format!("feature {}", at + 1), choice.name_of(value));
        add(layer, geometry)?;
    }
    Ok(())
}

fn add(layer: &mut Layer, geometry: &Geometry) -> Result<(), IoError> {
    match &geometry.value {
        GeometryValue::Polygon { coordinates } => add_rings(layer, coordinates),
        GeometryValue::MultiPolygon { coordinates } => {
            coordinates.iter().try_for_each(|rings| add_rings(layer, rings))
        }
        // The parser limits the depth of nested collections.
        GeometryValue::GeometryCollection { geometries } => {
            geometries.iter().try_for_each(|part| add(layer, part))
        }
        other => {
            layer.others.insert(other.type_name().to_string());
            Ok(())
        }
    }
}

fn add_rings(layer: &mut Layer, rings: &[Vec<Position>]) -> Result<(), IoError> {
    layer.begin_polygon();
    for ring in rings {
        let vertex = |position: &Position| match position.as_slice() {
            [x, y, ..] => Ok([*x, *y]),
            _ => Err(short(layer.path, &layer.feature())),
        };
        let vertices = ring.iter().map(vertex).collect::<Result<Vec<_>, _>>()?;
        if ring.iter().any(|position| position.len() > 2) {
            layer.leave_out_heights();
        }
        layer.add_closed(vertices)?;
    }
    Ok(())
}

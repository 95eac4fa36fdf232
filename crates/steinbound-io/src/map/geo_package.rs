//! GeoPackage: tables of features in an SQLite file.

use geojson::{Feature, JsonObject, JsonValue};

use super::choice::{Choice, LayerChoice};
use super::features::{NamedLayer, chosen};
use super::geo_json::{add_features, add_point_features};
use super::points::PointLayer;
use super::sqlite::{Pages, Table, Value};
use super::well_known_binary;
use super::{Coordinates, Layer, reference};
use crate::error::IoError;
use crate::names::shown;

/// The features that are chosen, their coordinates, and a note.
struct Contents {
    features: Vec<Feature>,
    coordinates: Coordinates,
    note: Option<String>,
}

/// A table of features.
struct FeatureTable {
    table: Table,
    /// The column with the geometry.
    geometry: usize,
    coordinates: Coordinates,
}

/// Reads the polygons of a GeoPackage.
pub(super) fn read_polygons(bytes: &[u8], choice: &mut Choice, layer: &mut Layer) -> Result<(), IoError> {
    let contents = read(layer.path, bytes, choice)?;
    layer.coordinates = contents.coordinates;
    layer.notes.extend(contents.note);
    add_features(layer, choice, &contents.features)
}

/// Reads the points of the first table of a GeoPackage.
pub(super) fn read_points(bytes: &[u8], layer: &mut PointLayer) -> Result<(), IoError> {
    let path = layer.path.clone();
    let contents = read(&path, bytes, &Choice::new(&path, None, &[]))?;
    layer.coordinates = contents.coordinates;
    add_point_features(layer, contents.features)
}

/// Reads the features of the tables that are chosen.
fn read(path: &str, bytes: &[u8], choice: &Choice) -> Result<Contents, IoError> {
    let fail = |reason: String| IoError::MapSyntax {
        path: path.to_string(),
        format: "GeoPackage",
        place: String::new(),
        reason,
    };
    let pages = Pages::open(bytes).map_err(fail)?;
    let tables = feature_tables(&pages).map_err(fail)?;
    let names: Vec<String> = tables.iter().map(|layer| layer.table.name.clone()).collect();
    // Only layers that may be chosen are read.
    let (tables, note) = match choice.layer(&names)? {
        LayerChoice::Named(at) => (&tables[at..=at], None),
        LayerChoice::Open if choice.wanted().is_empty() && tables.len() > 1 => {
            let empty = names.into_iter().map(|name| NamedLayer { name, features: Vec::new() });
            (&tables[..1], chosen(empty.collect(), choice)?.1)
        }
        LayerChoice::Open => (&tables[..], None),
    };
    let mut layers = Vec::new();
    for layer in tables {
        let features = features(&pages, layer).map_err(fail)?;
        layers.push(NamedLayer { name: layer.table.name.clone(), features });
    }
    let coordinates = match tables {
        [only] => only.coordinates,
        several => {
            let first = several.first().map_or(Coordinates::Unstated, |layer| layer.coordinates);
            let is_common = several.iter().all(|layer| layer.coordinates == first);
            if is_common { first } else { Coordinates::Unstated }
        }
    };
    let features = match layers.len() {
        1 => layers.swap_remove(0).features,
        _ => chosen(layers, choice)?.0,
    };
    Ok(Contents { features, coordinates, note })
}

/// The tables of features, as the tables about them tell.
fn feature_tables(pages: &Pages) -> Result<Vec<FeatureTable>, String> {
    let tables = pages.tables()?;
    let find = |name: &str| tables.iter().find(|table| table.name.eq_ignore_ascii_case(name));
    let about = find("gpkg_geometry_columns").ok_or("it has no table gpkg_geometry_columns")?;
    let mut systems = Vec::new();
    if let Some(table) = find("gpkg_spatial_ref_sys") {
        let columns = columns(table, ["srs_id", "organization", "organization_coordsys_id", "definition"])?;
        pages.rows(table, &mut |row| {
            systems.push(columns.map(|at| row[at].clone()));
            Ok(())
        })?;
    }
    let mut found = Vec::new();
    let [table_name, column_name, system] = columns(about, ["table_name", "column_name", "srs_id"])?;
    pages.rows(about, &mut |row| {
        let (Value::Text(name), Value::Text(column)) = (&row[table_name], &row[column_name]) else {
            return Ok(());
        };
        let table = find(name).ok_or_else(|| format!("the table {} does not exist", shown(name)))?;
        let geometry = table.columns.iter().position(|other| other.eq_ignore_ascii_case(column));
        let geometry =
            geometry.ok_or_else(|| format!("the table {} has no column {}", shown(name), shown(column)))?;
        let coordinates = coordinates_of(&row[system], &systems);
        found.push(FeatureTable { table: table.clone(), geometry, coordinates });
        Ok(())
    })?;
    Ok(found)
}

fn coordinates_of(system: &Value, systems: &[[Value; 4]]) -> Coordinates {
    match system {
        Value::Whole(-1) => return Coordinates::Plane(None),
        Value::Whole(0) => return Coordinates::Degrees,
        _ => {}
    }
    let Some([_, organisation, code, definition]) = systems.iter().find(|known| known[0] == *system) else {
        return Coordinates::Unstated;
    };
    if let Value::Text(text) = definition {
        let coordinates = reference::of_definition(text);
        if coordinates != Coordinates::Unstated {
            return coordinates;
        }
    }
    match (organisation, code) {
        (Value::Text(name), Value::Whole(code)) if name.eq_ignore_ascii_case("EPSG") => {
            u64::try_from(*code).map_or(Coordinates::Unstated, reference::of_code)
        }
        _ => Coordinates::Unstated,
    }
}

fn columns<const N: usize>(table: &Table, names: [&str; N]) -> Result<[usize; N], String> {
    let mut places = [0; N];
    for (place, name) in places.iter_mut().zip(names) {
        let found = table.columns.iter().position(|other| other.eq_ignore_ascii_case(name));
        *place = found.ok_or_else(|| format!("the table {} has no column {name}", table.name))?;
    }
    Ok(places)
}

fn features(pages: &Pages, layer: &FeatureTable) -> Result<Vec<Feature>, String> {
    let mut features = Vec::new();
    pages.rows(&layer.table, &mut |mut row| {
        let place = |reason: String| {
            format!("{}, feature {}: {reason}", shown(&layer.table.name), features.len() + 1)
        };
        let geometry = match std::mem::replace(&mut row[layer.geometry], Value::Null) {
            Value::Bytes(bytes) => well_known_binary::geometry(&bytes).map_err(place)?,
            Value::Null => None,
            _ => return Err(place("its geometry is no geometry".into())),
        };
        let others = layer.table.columns.iter().zip(row).enumerate();
        let others = others.filter(|(at, _)| *at != layer.geometry).map(|(_, pair)| pair);
        let properties: JsonObject = others.map(|(name, value)| (name.clone(), json(value))).collect();
        features.push(Feature { geometry, properties: Some(properties), ..Feature::default() });
        Ok(())
    })?;
    Ok(features)
}

fn json(value: Value) -> JsonValue {
    match value {
        Value::Null | Value::Bytes(_) => JsonValue::Null,
        Value::Whole(number) => JsonValue::from(number),
        Value::Number(number) => JsonValue::from(number),
        Value::Text(text) => JsonValue::String(text),
    }
}

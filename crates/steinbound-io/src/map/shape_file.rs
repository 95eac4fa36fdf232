use std::io::Cursor;
use std::path::{Path, PathBuf};

use shapefile::record::traits::HasXY;
use shapefile::{PolygonRing, Shape, ShapeReader, ShapeType};

use super::attributes::Attributes;
use super::points::{PointLayer, Properties};
use super::{Choice, Coordinates, Layer, read_limited};
use crate::error::IoError;
use crate::names::shown;

/// Reads the polygons of a shapefile; its attributes and its reference system lie in files beside it.
pub(super) fn read(path: &Path, bytes: &[u8], choice: &mut Choice, layer: &mut Layer) -> Result<(), IoError> {
    let mut reader = opened(layer.path, bytes)?;
    let kind = reader.header().shape_type;
    match kind {
        ShapeType::PolygonZ => return Err(layer.third_coordinate("every record")),
        ShapeType::Polygon | ShapeType::PolygonM | ShapeType::NullShape => {}
        other => {
            layer.others.insert(other.to_string());
            return Ok(());
        }
    }
    let table = match (choice.property(), beside(path, "dbf")) {
        (Some(_), Some(path)) => Some(read_limited(&path)?),
        (Some(_), None) => return Err(IoError::NoAttributes { path: layer.path.to_string() }),
        (None, _) => None,
    };
    let attributes = table.as_deref().map(|table| Attributes::parse(layer.path, table)).transpose()?;
    if let Some(attributes) = &attributes {
        choice.note_properties(attributes.names());
    }
    layer.coordinates = reference_system(path);
    for (record, shape) in reader.iter_shapes().enumerate() {
        let shape = shape.map_err(|error| syntax(layer.path, format!(" at record {}", record + 1), error))?;
        let value = choice.property().and_then(|name| attributes.as_ref()?.value(record, name));
        if !choice.takes(value) {
            continue;
        }
        let feature = format!("record {}", record + 1);
        match &shape {
            Shape::NullShape => {}
            Shape::Polygon(polygon) => add_rings(layer, &feature, polygon.rings())?,
            // A measure along the border is not a coordinate.
            Shape::PolygonM(polygon) => add_rings(layer, &feature, polygon.rings())?,
            Shape::PolygonZ(_) => return Err(layer.third_coordinate(&feature)),
            other => {
                layer.others.insert(other.shapetype().to_string());
            }
        }
    }
    Ok(())
}

/// Reads the points of a shapefile; its attributes lie in a file beside it.
pub(super) fn read_points(path: &Path, bytes: &[u8], layer: &mut PointLayer) -> Result<(), IoError> {
    let mut reader = opened(&layer.path, bytes)?;
    layer.coordinates = reference_system(path);
    for (record, shape) in reader.iter_shapes().enumerate() {
        let shape =
            shape.map_err(|error| syntax(&layer.path, format!(" at record {}", record + 1), error))?;
        match &shape {
            Shape::NullShape => layer.add(record, None),
            Shape::Point(point) => add_points(layer, record, &[*point]),
            Shape::PointM(point) => add_points(layer, record, &[*point]),
            Shape::Multipoint(points) => add_points(layer, record, points.points()),
            Shape::MultipointM(points) => add_points(layer, record, points.points()),
            Shape::PointZ(_) | Shape::MultipointZ(_) => return Err(layer.third_coordinate(record)),
            other => return Err(layer.not_a_point(record, &other.shapetype().to_string())),
        }
    }
    if let Some(path) = beside(path, "dbf") {
        layer.properties = Properties::Table(read_limited(&path)?);
    }
    Ok(())
}

fn add_points<P: HasXY>(layer: &mut PointLayer, record: usize, points: &[P]) {
    points.iter().for_each(|point| layer.add(record, Some([point.x(), point.y()])));
}

/// A shapefile whose records are not larger than what they are in.
fn opened<'a>(path: &str, bytes: &'a [u8]) -> Result<ShapeReader<Cursor<&'a [u8]>>, IoError> {
    let reader = ShapeReader::new(Cursor::new(bytes));
    let reader = reader.map_err(|error| syntax(path, " in its header".into(), error))?;
    // The reader makes room for as many vertices as a record claims before it looks for them.
    match overfull_record(bytes) {
        Some(record) => {
            let reason = "it claims more vertices than it has room for".to_string();
            Err(refused(path, format!(" at record {record}"), reason))
        }
        None => Ok(reader),
    }
}

/// The first record, counted from 1, that claims more parts and vertices than it has bytes for, or parts outside its vertices.
fn overfull_record(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes.get(100..)?;
    for record in 1.. {
        let (head, content) = rest.split_first_chunk::<8>()?;
        let words = u32::from_be_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let length = content.len().min(2 * words);
        // The reader looks for counts even where the record is too short for them.
        let count = |at: usize| {
            let bytes = content.get(at..at + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
        };
        // After the kind and the bounds come the number of parts, where there are such, that of vertices, and where each part begins.
        let (parts, vertices) = match count(0) {
            Some(3 | 5 | 13 | 15 | 23 | 25 | 31) => (count(36).unwrap_or(0), count(40).unwrap_or(0)),
            Some(8 | 18 | 28) => (0, count(36).unwrap_or(0)),
            _ => (0, 0),
        };
        let is_outside = |part: usize| count(44 + 4 * part).is_none_or(|start| start > vertices);
        let needed = 4 * parts as u64 + 16 * vertices as u64;
        if needed > length as u64 || (0..parts).any(is_outside) {
            return Some(record);
        }
        rest = &content[length..];
    }
    None
}

fn syntax(path: &str, place: String, error: shapefile::Error) -> IoError {
    refused(path, place, shown(&error.to_string()))
}

fn refused(path: &str, place: String, reason: String) -> IoError {
    IoError::MapSyntax { path: path.to_string(), format: "shapefile data", place, reason }
}

fn add_rings<P: HasXY>(layer: &mut Layer, feature: &str, rings: &[PolygonRing<P>]) -> Result<(), IoError> {
    for ring in rings {
        layer.add_closed(feature, ring.points().iter().map(|point| [point.x(), point.y()]).collect())?;
    }
    Ok(())
}

/// The file of the same name with another extension, if it is there.
fn beside(path: &Path, extension: &str) -> Option<PathBuf> {
    [extension.to_string(), extension.to_uppercase()]
        .into_iter()
        .map(|extension| path.with_extension(extension))
        .find(|path| path.is_file())
}

/// What the projection file says, if there is one.
fn reference_system(path: &Path) -> Coordinates {
    let bytes = beside(path, "prj").and_then(|path| read_limited(&path).ok()).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).trim().to_ascii_uppercase();
    match text.as_str() {
        text if text.starts_with("GEOG") => Coordinates::Degrees,
        text if text.starts_with("PROJ") => Coordinates::Plane,
        _ => Coordinates::Unsaid,
    }
}

use wkt::Wkt;
use wkt::types::{LineString, Point};

use super::points::PointLayer;
use super::{Coordinates, Layer, reference, text_of};
use crate::error::IoError;
use crate::names::shown;

/// The largest depth of nested collections; the parser is recursive.
const DEEPEST: usize = 64;

/// Reads the polygons of one or more geometries in well-known text.
pub(super) fn read(bytes: &[u8], layer: &mut Layer) -> Result<(), IoError> {
    let text = text_of(layer.path, "WKT", bytes)?;
    layer.coordinates = stated_coordinates(text);
    for (at, (line, statement)) in statements(layer.path, text)?.into_iter().enumerate() {
        let geometry = statement.parse::<Wkt<f64>>().map_err(|reason| syntax(layer.path, line, reason))?;
        layer.begin(&format!("geometry {}", at + 1), None);
        add(layer, &geometry)?;
    }
    Ok(())
}

/// Reads the polygons of one geometry in a cell of a table.
pub(super) fn read_cell(text: &str, line: u64, layer: &mut Layer) -> Result<(), IoError> {
    let line = usize::try_from(line).unwrap_or(usize::MAX);
    for (_, statement) in statements(layer.path, text).map_err(|error| on_line(error, line))? {
        let geometry = statement.parse::<Wkt<f64>>().map_err(|reason| syntax(layer.path, line, reason))?;
        add(layer, &geometry)?;
    }
    Ok(())
}

/// The coordinates that a text states before its first geometry, as databases write it.
pub(super) fn stated_coordinates(text: &str) -> Coordinates {
    let start = text.trim_start().get(..32).unwrap_or(text.trim_start());
    let upper = start.to_ascii_uppercase();
    let system = upper.strip_prefix("SRID=").and_then(|rest| rest.split(';').next());
    system.and_then(|code| code.trim().parse().ok()).map_or(Coordinates::Unstated, reference::of_code)
}

fn on_line(error: IoError, line: usize) -> IoError {
    match error {
        IoError::MapSyntax { path, format, reason, .. } => {
            IoError::MapSyntax { path, format, place: format!(" at line {line}"), reason }
        }
        other => other,
    }
}

/// Reads the points of one or more geometries in well-known text.
pub(super) fn read_points(bytes: &[u8], layer: &mut PointLayer) -> Result<(), IoError> {
    let text = text_of(&layer.path, "WKT", bytes)?;
    for (at, (line, statement)) in statements(&layer.path, text)?.into_iter().enumerate() {
        let geometry = statement.parse::<Wkt<f64>>().map_err(|reason| syntax(&layer.path, line, reason))?;
        add_points(layer, at, &geometry)?;
    }
    Ok(())
}

fn add_points(layer: &mut PointLayer, feature: usize, geometry: &Wkt<f64>) -> Result<(), IoError> {
    let mut add = |point: &Point<f64>| {
        layer.has_heights |= point.coord().is_some_and(|coord| coord.z.is_some());
        layer.add(feature, point.coord().map(|coord| [coord.x, coord.y]));
        Ok(())
    };
    match geometry {
        Wkt::Point(point) => add(point),
        Wkt::MultiPoint(list) => list.points().iter().try_for_each(add),
        Wkt::GeometryCollection(list) => {
            list.geometries().iter().try_for_each(|part| add_points(layer, feature, part))
        }
        other => Err(layer.not_a_point(feature, kind(other))),
    }
}

/// The name of a geometry.
fn kind(geometry: &Wkt<f64>) -> &'static str {
    match geometry {
        Wkt::Point(_) => "POINT",
        Wkt::LineString(_) => "LINESTRING",
        Wkt::Polygon(_) => "POLYGON",
        Wkt::MultiPoint(_) => "MULTIPOINT",
        Wkt::MultiLineString(_) => "MULTILINESTRING",
        Wkt::MultiPolygon(_) => "MULTIPOLYGON",
        Wkt::GeometryCollection(_) => "GEOMETRYCOLLECTION",
    }
}

fn syntax(path: &str, line: usize, reason: &str) -> IoError {
    let reason = format!("{} (a polygon is written POLYGON((0 0, 1 0, 0 1, 0 0)))", shown(reason));
    IoError::MapSyntax { path: path.to_string(), format: "WKT", place: format!(" at line {line}"), reason }
}

/// The geometries of a text, each with the line on which it begins. A geometry ends with the bracket that
/// closes its first, or with `EMPTY`.
fn statements<'a>(path: &str, text: &'a str) -> Result<Vec<(usize, &'a str)>, IoError> {
    let mut statements = Vec::new();
    let mut line = 1;
    let mut depth = 0;
    let mut rest = text;
    let mut start_line = None;
    let mut end = 0;
    while let Some(c) = rest[end..].chars().next() {
        end += c.len_utf8();
        if c == '\n' {
            line += 1;
        } else if !c.is_whitespace() && c != ';' {
            start_line.get_or_insert(line);
        }
        depth += usize::from(c == '(');
        if depth > DEEPEST {
            return Err(syntax(path, line, "brackets nest too deep"));
        }
        if c == ')' {
            depth = depth
                .checked_sub(1)
                .ok_or_else(|| syntax(path, line, "a bracket closes that was not opened"))?;
        }
        let ends = depth == 0 && (c == ')' || ends_with_empty(&rest.as_bytes()[..end]));
        if ends {
            statements.push((start_line.take().unwrap_or(line), geometry_of(&rest[..end])));
            rest = &rest[end..];
            end = 0;
        }
    }
    if depth > 0 {
        return Err(syntax(path, start_line.unwrap_or(line), "a bracket is not closed"));
    }
    match start_line {
        Some(line) => Err(syntax(path, line, "this is no geometry")),
        None => Ok(statements),
    }
}

/// Whether the last word is `EMPTY`.
fn ends_with_empty(text: &[u8]) -> bool {
    let word = text.len().saturating_sub(5);
    text[word..].eq_ignore_ascii_case(b"EMPTY") && word > 0 && text[word - 1].is_ascii_whitespace()
}

/// A statement without separators and without the reference system that databases put before it.
fn geometry_of(statement: &str) -> &str {
    let statement = statement.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
    match statement.split_once(';') {
        Some((system, geometry)) if system.to_ascii_uppercase().starts_with("SRID=") => geometry,
        _ => statement,
    }
}

fn add(layer: &mut Layer, geometry: &Wkt<f64>) -> Result<(), IoError> {
    match geometry {
        Wkt::Polygon(polygon) => add_rings(layer, polygon.rings()),
        Wkt::MultiPolygon(list) => list.polygons().iter().try_for_each(|part| add_rings(layer, part.rings())),
        Wkt::GeometryCollection(list) => list.geometries().iter().try_for_each(|part| add(layer, part)),
        other => {
            layer.others.insert(kind(other).into());
            Ok(())
        }
    }
}

fn add_rings(layer: &mut Layer, rings: &[LineString<f64>]) -> Result<(), IoError> {
    layer.begin_polygon();
    for ring in rings {
        if ring.coords().iter().any(|coord| coord.z.is_some()) {
            layer.leave_out_heights();
        }
        layer.add_closed(ring.coords().iter().map(|coord| [coord.x, coord.y]).collect())?;
    }
    Ok(())
}

use std::collections::HashMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use shapefile::record::traits::HasXY;
use shapefile::{PolygonRing, Shape, ShapeReader, ShapeType};
use steinbound::domain::{Domain, Polygon, RepairedRings};

use super::attributes::Attributes;
use super::boxes::{Bounds, Boxes};
use super::layer::extent;
use super::points::{PointLayer, Properties};
use super::{Choice, Coordinates, Layer, read_limited, reference};
use crate::error::IoError;
use crate::names::shown;

/// Reads the polygons of a shapefile; its attributes and its reference system are in files next to it.
pub(super) fn read(path: &Path, bytes: &[u8], choice: &mut Choice, layer: &mut Layer) -> Result<(), IoError> {
    let (kind, mut shapes) = Shapes::open(layer.path, bytes)?;
    match kind {
        ShapeType::Polygon | ShapeType::PolygonM | ShapeType::PolygonZ | ShapeType::NullShape => {}
        other => {
            layer.others.insert(other.to_string());
            return Ok(());
        }
    }
    let is_choice = !choice.wanted().is_empty();
    let table = match sibling(path, "dbf") {
        // Without a choice, attributes only name the features in messages.
        Some(path) => {
            read_limited(&path).map(Some).or_else(|error| if is_choice { Err(error) } else { Ok(None) })?
        }
        None if is_choice => return Err(IoError::NoAttributes { path: layer.path.to_string() }),
        None => None,
    };
    let attributes = match table.as_deref().map(|table| Attributes::parse(layer.path, table)) {
        Some(Err(error)) if is_choice => return Err(error),
        parsed => parsed.and_then(Result::ok),
    };
    if let Some(attributes) = &attributes {
        choice.note_properties(attributes.names());
    }
    layer.coordinates = reference_system(path);
    let tells_holes = tells_holes(layer.path, bytes)?;
    while let Some((record, shape)) = shapes.next()? {
        let value = |name: &str| attributes.as_ref()?.value(record, name);
        if !choice.takes(value) {
            continue;
        }
        let feature = format!("record {}", record + 1);
        layer.begin(&feature, choice.name_of(value));
        match &shape {
            Shape::NullShape => {}
            Shape::Polygon(polygon) => add_rings(layer, polygon.rings(), tells_holes)?,
            // A measure along the border is not a coordinate.
            Shape::PolygonM(polygon) => add_rings(layer, polygon.rings(), tells_holes)?,
            Shape::PolygonZ(polygon) => {
                layer.leave_out_heights();
                add_rings(layer, polygon.rings(), tells_holes)?;
            }
            other => {
                layer.others.insert(other.shapetype().to_string());
            }
        }
    }
    Ok(())
}

/// Reads the points of a shapefile; its attributes are in a file next to it.
pub(super) fn read_points(path: &Path, bytes: &[u8], layer: &mut PointLayer) -> Result<(), IoError> {
    let (_, mut shapes) = Shapes::open(&layer.path, bytes)?;
    layer.coordinates = reference_system(path);
    while let Some((record, shape)) = shapes.next()? {
        match &shape {
            Shape::NullShape => layer.add(record, None),
            Shape::Point(point) => add_points(layer, record, &[*point]),
            Shape::PointM(point) => add_points(layer, record, &[*point]),
            Shape::Multipoint(points) => add_points(layer, record, points.points()),
            Shape::MultipointM(points) => add_points(layer, record, points.points()),
            Shape::PointZ(point) => {
                layer.has_heights = true;
                add_points(layer, record, &[*point]);
            }
            Shape::MultipointZ(points) => {
                layer.has_heights = true;
                add_points(layer, record, points.points());
            }
            other => return Err(layer.not_a_point(record, &other.shapetype().to_string())),
        }
    }
    if let Some(path) = sibling(path, "dbf") {
        layer.properties = Properties::Table(read_limited(&path)?);
    }
    Ok(())
}

fn add_points<P: HasXY>(layer: &mut PointLayer, record: usize, points: &[P]) {
    points.iter().for_each(|point| layer.add(record, Some([point.x(), point.y()])));
}

/// The shapes of a file, each read from its own record alone.
///
/// The reader would allocate memory for the number of vertices that a record claims before it looks for them,
/// and would continue after a damaged record at the wrong position.
struct Shapes<'a> {
    path: String,
    header: [u8; HEADER],
    rest: &'a [u8],
    /// The number of bytes missing at the end.
    missing: usize,
    record: usize,
    /// A file that contains one record.
    single: Vec<u8>,
}

/// The length of the header of a file.
const HEADER: usize = 100;

impl<'a> Shapes<'a> {
    /// The kind of the shapes, and the shapes.
    fn open(path: &str, bytes: &'a [u8]) -> Result<(ShapeType, Shapes<'a>), IoError> {
        let reader = ShapeReader::new(Cursor::new(bytes));
        let reader = reader.map_err(|error| syntax(path, " in its header".into(), error))?;
        let cut_off = || refused(path, " in its header".into(), CUT_OFF);
        let (header, rest) = bytes.split_first_chunk::<HEADER>().ok_or_else(cut_off)?;
        let length = [header[24], header[25], header[26], header[27]];
        let length = (2 * u64::from(u32::from_be_bytes(length))).saturating_sub(HEADER as u64);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let shapes = Shapes {
            path: path.to_string(),
            header: *header,
            rest: &rest[..rest.len().min(length)],
            missing: length.saturating_sub(rest.len()),
            record: 0,
            single: Vec::new(),
        };
        Ok((reader.header().shape_type, shapes))
    }

    /// The next shape with the number of its record, from zero.
    fn next(&mut self) -> Result<Option<(usize, Shape)>, IoError> {
        if self.rest.is_empty() && self.missing == 0 {
            return Ok(None);
        }
        self.record += 1;
        let place = format!(" at record {}", self.record);
        let cut_off = || refused(&self.path, place.clone(), CUT_OFF);
        let (head, content) = self.rest.split_first_chunk::<8>().ok_or_else(cut_off)?;
        let words = u32::from_be_bytes([head[4], head[5], head[6], head[7]]);
        let length = usize::try_from(2 * u64::from(words)).ok();
        let (content, rest) =
            length.and_then(|length| content.split_at_checked(length)).ok_or_else(cut_off)?;
        self.rest = rest;
        if claims_too_much(content) {
            return Err(refused(&self.path, place, "it claims more vertices than it has room for"));
        }
        self.single.clear();
        self.single.extend_from_slice(&self.header);
        self.single.extend_from_slice(head);
        self.single.extend_from_slice(content);
        let words = u32::try_from(self.single.len() / 2).unwrap_or(u32::MAX);
        self.single[24..28].copy_from_slice(&words.to_be_bytes());
        let to_error = |error| syntax(&self.path, place.clone(), error);
        let mut reader = ShapeReader::new(Cursor::new(&self.single)).map_err(to_error)?;
        let shape = reader.iter_shapes().next().transpose().map_err(to_error)?;
        Ok(shape.map(|shape| (self.record - 1, shape)))
    }
}

const CUT_OFF: &str = "it is cut off";

/// Whether a record claims more parts and vertices than it has bytes for, or parts outside its vertices.
fn claims_too_much(content: &[u8]) -> bool {
    let count = |at: usize| {
        let bytes = content.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    };
    // After the kind and the bounds come the number of parts (for kinds that have parts), the number of
    // vertices, and the beginning of each part.
    let counts = match count(0) {
        Some(3 | 5 | 13 | 15 | 23 | 25 | 31) => count(36).zip(count(40)),
        Some(8 | 18 | 28) => Some(0).zip(count(36)),
        _ => return false,
    };
    let Some((parts, vertices)) = counts else { return true };
    let is_outside = |part: usize| count(44 + 4 * part).is_none_or(|start| start > vertices);
    4 * parts as u64 + 16 * vertices as u64 > content.len() as u64 || (0..parts).any(is_outside)
}

fn syntax(path: &str, place: String, error: shapefile::Error) -> IoError {
    refused(path, place, &shown(&error.to_string()))
}

fn refused(path: &str, place: String, reason: &str) -> IoError {
    IoError::MapSyntax { path: path.to_string(), format: "shapefile data", place, reason: reason.to_string() }
}

/// Whether the rings of a file run in both directions, as the format asks for: outlines clockwise and holes
/// counter-clockwise. Where all run in one, directions tell nothing.
fn tells_holes(path: &str, bytes: &[u8]) -> Result<bool, IoError> {
    let (_, mut shapes) = Shapes::open(path, bytes)?;
    let (mut has_outlines, mut has_holes) = (false, false);
    while let Some((_, shape)) = shapes.next()? {
        let mut note = |is_hole: bool| *(if is_hole { &mut has_holes } else { &mut has_outlines }) = true;
        match &shape {
            Shape::Polygon(polygon) => polygon.rings().iter().map(is_hole).for_each(&mut note),
            Shape::PolygonM(polygon) => polygon.rings().iter().map(is_hole).for_each(&mut note),
            Shape::PolygonZ(polygon) => polygon.rings().iter().map(is_hole).for_each(&mut note),
            _ => {}
        }
        if has_outlines && has_holes {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_hole<P>(ring: &PolygonRing<P>) -> bool {
    // Rings of fewer vertices run in no direction.
    matches!(ring, PolygonRing::Inner(points) if points.len() > 3)
}

fn add_rings<P: HasXY>(
    layer: &mut Layer,
    rings: &[PolygonRing<P>],
    tells_holes: bool,
) -> Result<(), IoError> {
    let vertices = |ring: &PolygonRing<P>| ring.points().iter().map(|point| [point.x(), point.y()]).collect();
    let all: Vec<Vec<[f64; 2]>> = rings.iter().map(vertices).collect();
    let are_holes: Vec<bool> = rings.iter().map(is_hole).collect();
    let groups = (tells_holes && are_holes.iter().filter(|is_hole| !**is_hole).count() > 1)
        .then(|| with_their_holes(&all, &are_holes));
    all.into_iter().try_for_each(|ring| layer.add_closed(ring))?;
    if let Some(groups) = groups {
        layer.regroup(&groups);
    }
    Ok(())
}

/// The outlines, each with the holes in it. A hole belongs to the smallest outline around it, and one without
/// is an outline that runs the wrong way.
fn with_their_holes(rings: &[Vec<[f64; 2]>], are_holes: &[bool]) -> Vec<Vec<usize>> {
    let bounds: Vec<Bounds> = rings.iter().map(|ring| [0, 1].map(|axis| extent(ring, axis))).collect();
    let outlines = (0..rings.len()).filter(|at| !are_holes[*at]);
    let boxes = Boxes::new(outlines.map(|at| (bounds[at], at)));
    let mut areas: HashMap<usize, Option<Polygon>> = HashMap::new();
    let mut holds = |outer: usize, ring: &[[f64; 2]]| {
        let area = areas.entry(outer).or_insert_with(|| {
            RepairedRings::new(vec![rings[outer].clone()]).and_then(RepairedRings::polygon).ok()
        });
        // Most vertices, because the ring may touch the outline.
        let inside = |area: &Polygon| ring.iter().filter(|vertex| area.contains(&vertex[..])).count();
        area.as_ref().is_some_and(|area| 2 * inside(area) > ring.len())
    };
    let mut groups: Vec<Vec<usize>> = (0..rings.len()).map(|at| vec![at]).collect();
    for hole in (0..rings.len()).filter(|at| are_holes[*at]) {
        let mut around = boxes.around(&bounds[hole]).peekable();
        let first = around.next();
        let owner = match around.peek() {
            None => first,
            Some(_) => first.into_iter().chain(around).find(|outer| holds(*outer, &rings[hole])),
        };
        if let Some(owner) = owner {
            groups[hole].clear();
            groups[owner].push(hole);
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The file of the same name with another extension, if it exists.
fn sibling(path: &Path, extension: &str) -> Option<PathBuf> {
    [extension.to_string(), extension.to_uppercase()]
        .into_iter()
        .map(|extension| path.with_extension(extension))
        .find(|path| path.is_file())
}

/// The reference system in the projection file, if there is one.
fn reference_system(path: &Path) -> Coordinates {
    let bytes = sibling(path, "prj").and_then(|path| read_limited(&path).ok()).unwrap_or_default();
    reference::of_definition(&String::from_utf8_lossy(&bytes))
}

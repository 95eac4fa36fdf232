//! TopoJSON: features whose borders are made of arcs that neighbours share.

use geojson::feature::Id;
use geojson::{Feature, Geometry, GeometryValue, JsonValue, Position};

use super::features::NamedLayer;
use crate::error::IoError;
use crate::names::shown;

/// The largest number of vertices, which a small file could otherwise repeat without end.
const MOST_VERTICES: usize = 1 << 23;

/// So many vertices a file of any size may have. Others have at most one for each byte: a vertex takes more than
/// four, and an arc is part of two neighbours on each of a few layers.
const ALWAYS: usize = 100_000;

/// Whether a text looks like TopoJSON.
pub(super) fn is_topology(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('{') && text.contains("\"Topology\"") && text.contains("\"arcs\"")
}

/// The objects of a topology, each a layer of features.
pub(super) fn layers(path: &str, text: &str) -> Result<Vec<NamedLayer>, IoError> {
    let fail = |reason: String| IoError::MapSyntax {
        path: path.to_string(),
        format: "TopoJSON",
        place: String::new(),
        reason,
    };
    let parsed: JsonValue = serde_json::from_str(text).map_err(|error| fail(shown(&error.to_string())))?;
    let most = text.len().clamp(ALWAYS, MOST_VERTICES);
    let mut topology = Topology::new(&parsed, most).map_err(fail)?;
    let objects = parsed["objects"].as_object().ok_or_else(|| fail("it has no objects".into()))?;
    let mut layers = Vec::new();
    for (name, object) in objects {
        let members = match object["type"].as_str() {
            Some("GeometryCollection") => object["geometries"].as_array().map_or(&[][..], Vec::as_slice),
            _ => std::slice::from_ref(object),
        };
        let features = members.iter().enumerate().map(|(at, member)| {
            let of_feature = |reason| fail(format!("{}, feature {}: {reason}", shown(name), at + 1));
            topology.feature(member).map_err(of_feature)
        });
        layers.push(NamedLayer { name: name.clone(), features: features.collect::<Result<_, _>>()? });
    }
    Ok(layers)
}

/// The arcs, in the coordinates of the map.
struct Topology {
    arcs: Vec<Vec<Position>>,
    scale: [f64; 2],
    translate: [f64; 2],
    /// Vertices that may still be used.
    left: usize,
}

impl Topology {
    fn new(parsed: &JsonValue, left: usize) -> Result<Topology, String> {
        let pair = |value: &JsonValue, usual: f64| -> Result<[f64; 2], String> {
            match value {
                JsonValue::Null => Ok([usual; 2]),
                value => numbers(value).and_then(|list| list.try_into().ok()).ok_or_else(|| {
                    "its transform has scale and translate with other than two numbers".to_string()
                }),
            }
        };
        let transform = &parsed["transform"];
        let (scale, translate) = (pair(&transform["scale"], 1.0)?, pair(&transform["translate"], 0.0)?);
        let mut topology = Topology { arcs: Vec::new(), scale, translate, left };
        let arcs = parsed["arcs"].as_array().ok_or("it has no arcs")?;
        for (at, arc) in arcs.iter().enumerate() {
            let read = || -> Option<Vec<Vec<f64>>> { arc.as_array()?.iter().map(numbers).collect() };
            let mut arc = read()
                .filter(|arc| arc.iter().all(|place| place.len() >= 2))
                .ok_or_else(|| format!("arc {} is not a list of positions", at + 1))?;
            if !transform.is_null() {
                // Differences from one vertex to the next.
                for k in 1..arc.len() {
                    for l in 0..2 {
                        arc[k][l] += arc[k - 1][l];
                    }
                }
            }
            let arc = arc.iter().map(|place| topology.placed(place)).collect();
            topology.arcs.push(arc);
        }
        Ok(topology)
    }

    /// A position in the coordinates of the map. A third coordinate is not changed.
    fn placed(&self, place: &[f64]) -> Position {
        let moved = place.iter().enumerate().map(|(l, value)| match l {
            0 | 1 => value * self.scale[l] + self.translate[l],
            _ => *value,
        });
        Position::from(moved.collect::<Vec<f64>>())
    }

    fn feature(&mut self, object: &JsonValue) -> Result<Feature, String> {
        let id = match &object["id"] {
            JsonValue::String(text) => Some(Id::String(text.clone())),
            JsonValue::Number(number) => Some(Id::Number(number.clone())),
            _ => None,
        };
        let geometry = self.geometry(object)?.map(Geometry::new);
        let properties = object["properties"].as_object().cloned();
        Ok(Feature { bbox: None, geometry, id, properties, foreign_members: None })
    }

    /// A geometry; `None` if the object has none.
    fn geometry(&mut self, object: &JsonValue) -> Result<Option<GeometryValue>, String> {
        let arcs = &object["arcs"];
        let position = |value: &JsonValue| {
            let place =
                numbers(value).filter(|place| place.len() >= 2).ok_or("a point has no coordinates")?;
            Ok::<Position, String>(self.placed(&place))
        };
        let list = |value: &JsonValue| value.as_array().cloned().unwrap_or_default();
        Ok(Some(match object["type"].as_str() {
            None | Some("null") => return Ok(None),
            Some("Polygon") => GeometryValue::Polygon { coordinates: self.rings(arcs)? },
            Some("MultiPolygon") => {
                let polygons = list(arcs);
                let coordinates = polygons.iter().map(|rings| self.rings(rings)).collect::<Result<_, _>>()?;
                GeometryValue::MultiPolygon { coordinates }
            }
            Some("LineString") => GeometryValue::LineString { coordinates: self.line(arcs)? },
            Some("MultiLineString") => GeometryValue::MultiLineString { coordinates: self.lines(arcs)? },
            Some("Point") => GeometryValue::Point { coordinates: position(&object["coordinates"])? },
            Some("MultiPoint") => GeometryValue::MultiPoint {
                coordinates: list(&object["coordinates"]).iter().map(position).collect::<Result<_, _>>()?,
            },
            // The parser limits the depth of nested collections.
            Some("GeometryCollection") => {
                let mut geometries = Vec::new();
                for member in list(&object["geometries"]) {
                    geometries.extend(self.geometry(&member)?.map(Geometry::new));
                }
                GeometryValue::GeometryCollection { geometries }
            }
            Some(other) => return Err(format!("\"{}\" is no kind of geometry", shown(other))),
        }))
    }

    /// Lines that are closed: where arcs were simplified the last may end a step beside the first.
    fn rings(&mut self, value: &JsonValue) -> Result<Vec<Vec<Position>>, String> {
        let mut rings = self.lines(value)?;
        for ring in &mut rings {
            let first = ring.first().cloned();
            ring.extend(first.filter(|first| ring.last() != Some(first)));
        }
        Ok(rings)
    }

    fn lines(&mut self, value: &JsonValue) -> Result<Vec<Vec<Position>>, String> {
        let lines = value.as_array().ok_or("a polygon has no arcs")?;
        lines.iter().map(|line| self.line(line)).collect()
    }

    /// Arcs put together, each of which begins where the one before ends. Negative numbers are those of arcs
    /// that are run through backwards.
    fn line(&mut self, value: &JsonValue) -> Result<Vec<Position>, String> {
        let numbers = value.as_array().ok_or("a ring is not a list of arcs")?;
        let mut line: Vec<Position> = Vec::new();
        for number in numbers {
            let number = number.as_i64().ok_or("the number of an arc is no whole number")?;
            let (at, is_backwards) = if number < 0 { (!number, true) } else { (number, false) };
            let arc = usize::try_from(at).ok().and_then(|at| self.arcs.get(at));
            let arc = arc.ok_or_else(|| format!("there is no arc {number}"))?;
            self.left = self
                .left
                .checked_sub(arc.len())
                .ok_or("its arcs are used too often: they make more vertices than the file has bytes; write them once")?;
            let skipped = usize::from(!line.is_empty());
            match is_backwards {
                true => line.extend(arc.iter().rev().skip(skipped).cloned()),
                false => line.extend(arc.iter().skip(skipped).cloned()),
            }
        }
        Ok(line)
    }
}

fn numbers(value: &JsonValue) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(JsonValue::as_f64).collect()
}

//! Geometries in well-known binary, with the header that a GeoPackage puts before them.

use geojson::{Geometry, GeometryValue, Position};

/// The largest depth of nested collections.
const DEEPEST: usize = 32;

const CUT_OFF: &str = "its geometry is cut off";

/// A geometry; `None` if it is empty.
pub(super) fn geometry(bytes: &[u8]) -> Result<Option<Geometry>, String> {
    let header = bytes.get(..8).ok_or(CUT_OFF)?;
    if !header.starts_with(b"GP") {
        return Err("its geometry does not begin as those of a GeoPackage do".into());
    }
    let flags = header[3];
    if flags & 0x20 != 0 {
        return Err("its geometry is of an extended kind, which is not read".into());
    }
    let envelope = match (flags >> 1) & 7 {
        0 => 0,
        1 => 32,
        2 | 3 => 48,
        4 => 64,
        _ => return Err("its geometry has an unknown envelope".into()),
    };
    let mut reader = Reader { bytes: bytes.get(8 + envelope..).ok_or(CUT_OFF)?, is_little: true };
    let value = reader.geometry(0)?;
    // An empty point is written with coordinates that are no numbers.
    Ok((flags & 0x10 == 0).then(|| Geometry::new(value)))
}

struct Reader<'a> {
    bytes: &'a [u8],
    is_little: bool,
}

impl Reader<'_> {
    fn geometry(&mut self, depth: usize) -> Result<GeometryValue, String> {
        if depth > DEEPEST {
            return Err("its geometry is nested too deep".into());
        }
        let (order, rest) = self.bytes.split_first().ok_or(CUT_OFF)?;
        (self.bytes, self.is_little) = (rest, *order == 1);
        let code = self.word()?;
        // Heights and measures are flags in one dialect and thousands in the other.
        let base = (code & 0x0fff_ffff) % 1000;
        let thousands = (code & 0x0fff_ffff) / 1000;
        let has_height = code & 0x8000_0000 != 0 || thousands == 1 || thousands == 3;
        let has_measure = code & 0x4000_0000 != 0 || thousands == 2 || thousands == 3;
        if code & 0x2000_0000 != 0 {
            self.word()?;
        }
        let shape = Shape { has_height, has_measure };
        Ok(match base {
            1 => GeometryValue::Point { coordinates: self.position(shape)? },
            2 => GeometryValue::LineString { coordinates: self.line(shape)? },
            3 => GeometryValue::Polygon { coordinates: self.rings(shape)? },
            4 => GeometryValue::MultiPoint {
                coordinates: self.parts(depth, |part| match part {
                    GeometryValue::Point { coordinates } => Some(coordinates),
                    _ => None,
                })?,
            },
            5 => GeometryValue::MultiLineString {
                coordinates: self.parts(depth, |part| match part {
                    GeometryValue::LineString { coordinates } => Some(coordinates),
                    _ => None,
                })?,
            },
            6 => GeometryValue::MultiPolygon {
                coordinates: self.parts(depth, |part| match part {
                    GeometryValue::Polygon { coordinates } => Some(coordinates),
                    _ => None,
                })?,
            },
            7 => GeometryValue::GeometryCollection {
                geometries: self.parts(depth, |part| Some(Geometry::new(part)))?,
            },
            kind => {
                return Err(format!(
                    "its geometry is of the kind {kind}, which is not read; export it without curves"
                ));
            }
        })
    }

    /// The members of a collection, each a geometry of its own.
    fn parts<T>(
        &mut self,
        depth: usize,
        take: impl Fn(GeometryValue) -> Option<T>,
    ) -> Result<Vec<T>, String> {
        let count = self.count(5)?;
        let part = |_| {
            take(self.geometry(depth + 1)?).ok_or_else(|| "its geometry has a part of another kind".into())
        };
        (0..count).map(part).collect()
    }

    fn rings(&mut self, shape: Shape) -> Result<Vec<Vec<Position>>, String> {
        let count = self.count(4)?;
        (0..count).map(|_| self.line(shape)).collect()
    }

    fn line(&mut self, shape: Shape) -> Result<Vec<Position>, String> {
        let count = self.count(8 * shape.numbers())?;
        (0..count).map(|_| self.position(shape)).collect()
    }

    /// A position, with its height if it has one; a measure along the border is not a coordinate.
    fn position(&mut self, shape: Shape) -> Result<Position, String> {
        let mut numbers = [0.0; 4];
        for number in &mut numbers[..shape.numbers()] {
            let (eight, rest) = self.bytes.split_first_chunk::<8>().ok_or(CUT_OFF)?;
            self.bytes = rest;
            *number = if self.is_little { f64::from_le_bytes(*eight) } else { f64::from_be_bytes(*eight) };
        }
        Ok(Position::from(numbers[..2 + usize::from(shape.has_height)].to_vec()))
    }

    /// A number of members, each of which takes at least so many bytes.
    fn count(&mut self, least: usize) -> Result<usize, String> {
        let count = self.word()? as usize;
        if count > self.bytes.len() / least {
            return Err(CUT_OFF.into());
        }
        Ok(count)
    }

    fn word(&mut self) -> Result<u32, String> {
        let (four, rest) = self.bytes.split_first_chunk::<4>().ok_or(CUT_OFF)?;
        self.bytes = rest;
        Ok(if self.is_little { u32::from_le_bytes(*four) } else { u32::from_be_bytes(*four) })
    }
}

/// Which numbers a position has.
#[derive(Debug, Clone, Copy)]
struct Shape {
    has_height: bool,
    has_measure: bool,
}

impl Shape {
    fn numbers(self) -> usize {
        2 + usize::from(self.has_height) + usize::from(self.has_measure)
    }
}

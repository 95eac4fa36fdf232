//! Maps: the rings of polygons from GeoJSON, well-known text, shapefiles and tables.

mod attributes;
mod choice;
mod geo_json;
pub(crate) mod points;
mod ring_table;
mod shape_file;
mod well_known_text;

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use steinbound::domain::Polygon;

use self::choice::Choice;
use self::points::PointLayer;
use crate::error::IoError;
use crate::names::few;
use crate::source::{Content, broken, open};
use crate::table::shown_path;

/// The largest map file that is read, in bytes.
pub const MAP_LIMIT: u64 = 512 << 20;

/// Options for reading a map.
///
/// ```
/// use steinbound_io::MapOptions;
/// let options = MapOptions { feature: Some(("NAME".into(), "France".into())) };
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MapOptions {
    /// Only features with this property and value; all if `None`.
    pub feature: Option<(String, String)>,
}

/// The rings of a map, as returned by [`read_map`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Map {
    /// The file it came from.
    pub path: String,
    /// The rings of all polygons chosen, in the order of the file.
    pub rings: Vec<Vec<[f64; 2]>>,
    /// Warnings, in sentences.
    pub warnings: Vec<String>,
    /// Whether the coordinates look like degrees of longitude and latitude, in which case distances need a
    /// projection first.
    pub looks_geographic: bool,
}

impl Map {
    /// Reads a map from the bytes of a file; the name determines the format.
    ///
    /// ```
    /// use steinbound_io::{Map, MapOptions};
    /// let map = Map::parse("square.wkt", b"POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))", &MapOptions::default())?;
    /// assert_eq!(map.polygon()?.area(), 4.0);
    /// # Ok::<(), steinbound_io::IoError>(())
    /// ```
    pub fn parse(name: &str, bytes: &[u8], options: &MapOptions) -> Result<Map, IoError> {
        parse(Path::new(name), format_of(Path::new(name))?, bytes, options)
    }

    /// The area that the rings enclose, by the even-odd rule.
    pub fn polygon(&self) -> Result<Polygon, IoError> {
        Polygon::new(self.rings.clone())
            .map_err(|error| IoError::MapDomain { path: self.path.clone(), error })
    }
}

/// Reads a map; the name determines the format: `.geojson`, `.json`, `.wkt`, `.shp` or `.csv`.
///
/// The polygons of all chosen features are merged. A table has the columns `x` and `y` of one ring, or a
/// third with the header `ring`, `part` or `id` that identifies the ring.
///
/// ```
/// use steinbound_io::{MapOptions, read_map};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("square.wkt");
/// std::fs::write(&path, "POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))")?;
/// let map = read_map(&path, &MapOptions::default())?;
/// assert_eq!(map.polygon()?.area(), 4.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_map(path: &Path, options: &MapOptions) -> Result<Map, IoError> {
    let format = format_of(path)?;
    parse(path, format, &read_limited(path)?, options)
}

/// Whether the name of a file is that of a map.
///
/// ```
/// use steinbound_io::map::is_map;
/// assert!(is_map("country.GeoJSON".as_ref()) && !is_map("points.csv".as_ref()));
/// ```
pub fn is_map(path: &Path) -> bool {
    point_format(path).is_some()
}

/// Reads the bytes of a file into a layer of points.
type PointFormat = fn(&Path, &[u8], &mut PointLayer) -> Result<(), IoError>;

/// The reader of the points of a map; `None` if the name is not that of a map.
pub(crate) fn point_format(path: &Path) -> Option<PointFormat> {
    Some(match extension(path).as_str() {
        "geojson" | "json" => |_, bytes, layer| geo_json::read_points(bytes, layer),
        "wkt" => |_, bytes, layer| well_known_text::read_points(bytes, layer),
        "shp" => shape_file::read_points,
        _ => return None,
    })
}

fn extension(path: &Path) -> String {
    path.extension().map(|text| text.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Reads the bytes of a file into a layer.
type Format = fn(&Path, &[u8], &mut Choice, &mut Layer) -> Result<(), IoError>;

/// Whether a name is that of a map.
pub(crate) fn is_named_like_one(name: &str) -> bool {
    format_of(Path::new(name)).is_ok()
}

fn format_of(path: &Path) -> Result<Format, IoError> {
    Ok(match extension(path).as_str() {
        "geojson" | "json" => |_, bytes, choice, layer| geo_json::read(bytes, choice, layer),
        "wkt" => |_, bytes, _, layer| well_known_text::read(bytes, layer),
        "shp" => shape_file::read,
        "csv" => |_, bytes, _, layer| ring_table::read(bytes, layer),
        "zip" => {
            let reason = "it is a .zip archive; unpack it first, and name the file inside".into();
            return Err(IoError::Unreadable { path: shown_path(path), reason });
        }
        _ => return Err(IoError::MapFormat { path: shown_path(path) }),
    })
}

fn parse(path: &Path, format: Format, bytes: &[u8], options: &MapOptions) -> Result<Map, IoError> {
    let name = shown_path(path);
    let mut choice = Choice::new(&name, options.feature.as_ref());
    let mut layer = Layer::new(&name);
    format(path, bytes, &mut choice, &mut layer)?;
    choice.finish()?;
    layer.finish()
}

/// The bytes of a file, if it is not too large.
fn read_limited(path: &Path) -> Result<Vec<u8>, IoError> {
    let Content::Stream(source) = open(path)? else {
        return Err(IoError::MapFormat { path: shown_path(path) });
    };
    let mut bytes = Vec::new();
    // The size of a pipe or of compressed data is unknown before it is read.
    let read = source.reader.take(MAP_LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|error| broken(&source.name, &error))?;
    if bytes.len() as u64 > MAP_LIMIT {
        return Err(IoError::MapTooLarge { path: shown_path(path), limit: MAP_LIMIT >> 20 });
    }
    Ok(bytes)
}

/// A text file's contents without its byte-order mark.
fn text_of<'a>(path: &str, format: &'static str, bytes: &'a [u8]) -> Result<&'a str, IoError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| IoError::MapSyntax {
        path: path.to_string(),
        format,
        place: format!(" at byte {}", error.valid_up_to() + 1),
        reason: "it is not UTF-8 text".into(),
    })
}

/// The coordinate system stated by a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coordinates {
    /// Longitude and latitude.
    Degrees,
    /// Lengths in a plane.
    Plane,
    /// Lengths in a plane that are stretched away from the equator.
    Mercator,
    /// Not stated.
    Unstated,
}

impl Coordinates {
    /// A warning to show before the coordinates are used as lengths.
    fn warning(self, path: &str) -> Option<String> {
        (self == Coordinates::Mercator).then(|| {
            format!(
                "{path} is in a Mercator projection, which stretches lengths the more the farther from the equator; convert it to \
                 longitude and latitude, and use --project, or to a local projection"
            )
        })
    }

    /// Whether coordinates of this extent look like degrees.
    fn look_geographic(self, x: f64, y: f64) -> bool {
        let fits = x <= 180.0 && y <= 90.0;
        match self {
            Coordinates::Degrees => fits,
            Coordinates::Plane | Coordinates::Mercator => false,
            // Shapes about the origin are more often drawn by hand than surveyed in the Gulf of Guinea.
            Coordinates::Unstated => fits && x.max(y) > 10.0,
        }
    }
}

/// The data read so far.
struct Layer<'a> {
    path: &'a str,
    rings: Vec<Vec<[f64; 2]>>,
    /// The kinds of geometry found that enclose no area.
    others: BTreeSet<String>,
    coordinates: Coordinates,
    warnings: Vec<String>,
}

impl<'a> Layer<'a> {
    fn new(path: &'a str) -> Layer<'a> {
        Layer {
            path,
            rings: Vec::new(),
            others: BTreeSet::new(),
            coordinates: Coordinates::Unstated,
            warnings: Vec::new(),
        }
    }

    /// Adds a ring of a format in which rings repeat their first vertex at the end.
    fn add_closed(&mut self, feature: &str, ring: Vec<[f64; 2]>) -> Result<(), IoError> {
        if ring.first() != ring.last() {
            return Err(IoError::OpenRing {
                path: self.path.to_string(),
                feature: feature.to_string(),
                ring: self.rings.len() + 1,
            });
        }
        self.rings.push(ring);
        Ok(())
    }

    fn third_coordinate(&self, feature: &str) -> IoError {
        IoError::ThirdCoordinate { path: self.path.to_string(), feature: feature.to_string() }
    }

    fn finish(mut self) -> Result<Map, IoError> {
        let others = few(self.others.iter().map(String::as_str));
        if self.rings.iter().all(Vec::is_empty) {
            let path = self.path.to_string();
            return Err(match others.is_empty() {
                true => IoError::EmptyMap { path },
                false => IoError::NoPolygon { path, found: others },
            });
        }
        if !others.is_empty() {
            self.warnings
                .push(format!("{}: geometries that enclose no area are left out: {others}", self.path));
        }
        let reach = |axis: usize| self.rings.iter().flatten().fold(0.0f64, |r, v| r.max(v[axis].abs()));
        let (x, y) = (reach(0), reach(1));
        self.warnings.extend(self.coordinates.warning(self.path));
        let may_be_degrees = matches!(self.coordinates, Coordinates::Degrees | Coordinates::Unstated);
        if may_be_degrees && x <= 90.0 && y > 90.0 && y <= 180.0 {
            self.warnings.push(format!(
                "{}: the axes look swapped, with latitude first: the second coordinate reaches {y}, which no latitude does; \
                 write longitude before latitude, in the map as in the data",
                self.path
            ));
        }
        let looks_geographic = self.coordinates.look_geographic(x, y);
        Ok(Map { path: self.path.to_string(), rings: self.rings, warnings: self.warnings, looks_geographic })
    }
}

#[cfg(test)]
mod tests;

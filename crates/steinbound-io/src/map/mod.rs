//! Maps: the rings of polygons from GeoJSON, TopoJSON, GeoPackages, well-known text, shapefiles and tables.

mod antimeridian;
mod attributes;
mod boxes;
mod choice;
mod features;
mod geo_json;
mod geo_package;
mod layer;
pub(crate) mod points;
mod reference;
mod ring_table;
mod shape_file;
mod sqlite;
mod topo_json;
mod well_known_binary;
mod well_known_text;
mod wkt_table;

use std::io::Read;
use std::path::Path;

use steinbound::domain::Polygon;

use self::choice::Choice;
use self::layer::Layer;
use self::points::PointLayer;
use crate::error::IoError;
use crate::source::{Content, broken, open};
use crate::table::shown_path;

/// The largest map file that is read, in bytes.
pub const MAP_LIMIT: u64 = 512 << 20;

/// Options for reading a map.
///
/// ```
/// use steinbound_io::MapOptions;
/// let features = vec![("NAME".into(), "France".into()), ("NAME".into(), "Spain".into())];
/// let options = MapOptions { features, ..MapOptions::default() };
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MapOptions {
    /// Only features with one of these properties and values; all if there are none.
    pub features: Vec<(String, String)>,
    /// The layer of a file with several, by its name: an object of TopoJSON, a table of a GeoPackage.
    pub layer: Option<String>,
}

/// The region of a map, as returned by [`read_map`].
///
/// Rings of a polygon are repaired by [`RepairedRings`](steinbound::domain::RepairedRings), and polygons and
/// features are united. Rings in degrees that cross the 180th meridian or go around a pole are cut along that meridian.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Map {
    /// The file it came from.
    pub path: String,
    /// The rings of the region.
    pub rings: Vec<Vec<[f64; 2]>>,
    /// Warnings, in sentences.
    pub warnings: Vec<String>,
    /// What was repaired or chosen, in sentences.
    pub notes: Vec<String>,
    /// Whether the coordinates look like degrees of longitude and latitude, in which case distances need a
    /// projection first.
    pub looks_geographic: bool,
    /// Whether the file states that its coordinates are degrees, and they can be.
    pub is_in_degrees: bool,
    /// The length of a metre in the coordinates, where the file states lengths and their unit.
    pub metre: Option<f64>,
    /// The features, by their names or their places in the file.
    pub features: Vec<String>,
    /// How many rings were repaired because they crossed themselves or others of their polygon, or had spikes.
    pub repaired_rings: usize,
    /// How many rings were left out because they enclose no area or repeat another of their polygon.
    pub left_out_rings: usize,
    polygon: Polygon,
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
}

/// Reads a map; the name determines the format: `.geojson`, `.json`, `.topojson`, `.gpkg`, `.wkt`, `.shp` or
/// `.csv`.
///
/// The chosen features are united. A table has a column of polygons in well-known text, or the columns `x` and
/// `y` of one ring, or a third with the header `ring`, `part` or `id` that identifies the ring.
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

/// Whether a file that is given as a boundary is a map: by its name, or as a table with polygons in well-known
/// text. Other tables are points.
///
/// ```
/// use steinbound_io::map::is_boundary_map;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("districts.csv");
/// std::fs::write(&path, "name,geom\nMitte,\"POLYGON((0 0, 2 0, 2 2, 0 0))\"\n")?;
/// assert!(is_boundary_map(&path) && is_boundary_map("country.gpkg".as_ref()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn is_boundary_map(path: &Path) -> bool {
    if is_map(path) {
        return true;
    }
    // A pipe can be read only once.
    if !path.is_file() || !matches!(extension(path).as_str(), "csv" | "tsv" | "txt") {
        return false;
    }
    let Ok(Content::Stream(source)) = open(path) else { return false };
    let mut beginning = Vec::new();
    let read = source.reader.take(wkt_table::LOOKED_AT as u64).read_to_end(&mut beginning);
    read.is_ok() && wkt_table::is_one(&beginning)
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
        "geojson" | "json" | "topojson" => |_, bytes, layer| geo_json::read_points(bytes, layer),
        "gpkg" => |_, bytes, layer| geo_package::read_points(bytes, layer),
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
        "geojson" | "json" | "topojson" => |_, bytes, choice, layer| geo_json::read(bytes, choice, layer),
        "gpkg" => |_, bytes, choice, layer| geo_package::read_polygons(bytes, choice, layer),
        "wkt" => |_, bytes, _, layer| well_known_text::read(bytes, layer),
        "shp" => shape_file::read,
        "csv" | "tsv" | "txt" => |_, bytes, choice, layer| match wkt_table::is_one(bytes) {
            true => wkt_table::read(bytes, choice, layer),
            false => ring_table::read(bytes, layer),
        },
        "zip" => {
            let reason = "it is a .zip archive; unpack it first, and name the file inside".into();
            return Err(IoError::Unreadable { path: shown_path(path), reason });
        }
        _ => return Err(IoError::MapFormat { path: shown_path(path) }),
    })
}

fn parse(path: &Path, format: Format, bytes: &[u8], options: &MapOptions) -> Result<Map, IoError> {
    let name = shown_path(path);
    let mut choice = Choice::new(&name, options.layer.as_deref(), &options.features);
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
#[derive(Debug, Clone, Copy, PartialEq)]
enum Coordinates {
    /// Longitude and latitude.
    Degrees,
    /// Lengths in a plane, and how many metres their unit has, where that is stated.
    Plane(Option<f64>),
    /// Lengths in a plane that are stretched away from the equator, where their unit is the metre.
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

    /// The length of a metre, where that is stated.
    fn metre(self) -> Option<f64> {
        match self {
            Coordinates::Plane(unit) => unit.map(|metres| 1.0 / metres),
            Coordinates::Mercator => Some(1.0),
            Coordinates::Degrees | Coordinates::Unstated => None,
        }
    }

    /// Whether coordinates of this extent look like degrees.
    fn look_geographic(self, x: f64, y: f64) -> bool {
        let fits = x <= 180.0 && y <= 90.0;
        match self {
            // Longitudes may go on beyond 180, or begin at Greenwich.
            Coordinates::Degrees => x <= 360.0 && y <= 90.0,
            Coordinates::Plane(_) | Coordinates::Mercator => false,
            // Shapes about the origin are more often drawn by hand than surveyed in the Gulf of Guinea.
            Coordinates::Unstated => fits && x.max(y) > 10.0,
        }
    }
}

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use proptest::prelude::*;
use shapefile::dbase::{FieldName, FieldValue, Record, TableWriterBuilder};
use shapefile::{Point, PolygonRing, PolygonZ, ShapeWriter};

use super::*;

const TOWNS: &str = r#"{"type": "FeatureCollection", "features": [
  {"type": "Feature", "properties": {"name": "Northam", "code": 1},
   "geometry": {"type": "Polygon", "coordinates": [[[10, 50], [14, 50], [14, 54], [10, 54], [10, 50]],
                                                    [[11, 51], [12, 51], [12, 52], [11, 52], [11, 51]]]}},
  {"type": "Feature", "properties": {"name": "Southam", "code": 2},
   "geometry": {"type": "MultiPolygon", "coordinates": [[[[10, 40], [11, 40], [11, 41], [10, 40]]],
                                                         [[[20, 40], [21, 40], [21, 41], [20, 40]]]]}},
  {"type": "Feature", "properties": {"name": "Wayside", "code": 3},
   "geometry": {"type": "Point", "coordinates": [10, 45]}},
  {"type": "Feature", "properties": null, "geometry": null}]}"#;

fn read(name: &str, bytes: impl AsRef<[u8]>, feature: Option<(&str, &str)>) -> Result<Map, IoError> {
    let features = feature.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    Map::parse(name, bytes.as_ref(), &MapOptions { features, layer: None })
}

fn message(name: &str, bytes: impl AsRef<[u8]>) -> String {
    read(name, bytes, None).and_then(|map| map.polygon().map(|_| ())).unwrap_err().to_string()
}

#[test]
fn geojson_features_are_merged_or_chosen() {
    let map = read("towns.geojson", TOWNS, None).unwrap();
    assert_eq!((map.rings.len(), map.looks_geographic), (4, true));
    assert!(map.warnings[0].contains("left out: Point"), "{:?}", map.warnings);
    assert_eq!(map.polygon().unwrap().area(), 15.0 + 2.0 * 0.5);
    let area = |feature| read("towns.json", TOWNS, Some(feature)).unwrap().polygon().unwrap().area();
    assert_eq!(area(("name", "Northam")), 15.0);
    assert_eq!(area(("code", "2")), 1.0);
    let error = |feature| read("towns.json", TOWNS, Some(feature)).unwrap_err().to_string();
    let expected = "towns.json has no feature whose name is \"Northham\"; the values are Northam, Southam, Wayside; did you mean \"Northam\"?";
    assert_eq!(error(("name", "Northham")), expected);
    let expected = "towns.json has no feature with the property \"nam\"; the properties are code, name; did you mean \"name\"?";
    assert_eq!(error(("nam", "Northam")), expected);
    assert!(error(("name", "Wayside")).contains("holds no polygon, only Point"));
}

#[test]
fn geojson_geometries_and_collections_are_read() {
    let ring = "[[[0,0],[1,0],[0,1],[0,0]]]";
    let polygon = format!(r#"{{"type":"Polygon","coordinates":{ring}}}"#);
    let nested = format!(
        r#"{{"type":"GeometryCollection","geometries":[{{"type":"GeometryCollection","geometries":[{polygon}]}}]}}"#
    );
    let feature = format!(r#"{{"type":"Feature","properties":{{}},"geometry":{nested}}}"#);
    for text in [&polygon, &nested, &feature] {
        assert_eq!(read("a.json", text, None).unwrap().polygon().unwrap().area(), 0.5);
    }
    let error = read("a.json", &polygon, Some(("name", "x"))).unwrap_err().to_string();
    assert!(error.contains("no properties to choose by"), "{error}");
}

#[test]
fn bad_geojson_is_refused() {
    let broken = message("a.json", "{\"type\": \"Polygon\",\n \"coordinates\": [[[0,0],,]]}");
    assert!(broken.starts_with("a.json is not valid GeoJSON at line 2, column 25: "), "{broken}");
    assert!(message("a.json", "").contains("not valid GeoJSON"));
    assert!(message("a.json", b"{\"type\": \"\xff\"}").contains("at byte 11: it is not UTF-8"));
    assert!(message("a.json", r#"{"type":"Topology","objects":{},"arcs":7}"#).contains("not valid TopoJSON"));
    let polygon = |rings: &str| message("a.json", format!(r#"{{"type":"Polygon","coordinates":{rings}}}"#));
    assert!(polygon("[]").contains("holds no vertices"));
    assert!(polygon("[[]]").contains("holds no vertices"));
    let open = polygon("[[[0,0],[1,0],[0,1]]]");
    assert_eq!(open, "a.json, the geometry: ring 1 is open; repeat its first vertex at its end");
    let null = polygon("[[[0,0],[1,0],[0,1],[0,0]],[[0,0],[1,null],[0,1],[0,0]]]");
    let expected = "a.json is not valid GeoJSON, the geometry, ring 2: a coordinate of vertex 2 is null; correct it, or \
                    export the map again";
    assert_eq!(null, expected);
    let second = TOWNS.replace("[[20, 40], [21, 40]", "[[20, 40], [null, 40]");
    assert!(message("a.json", second).contains(", feature 2, ring 2: a coordinate of vertex 2 is null"));
    assert!(
        message("a.json", TOWNS.replace("[10, 45]", "[10, null]"))
            .contains(", feature 3: a coordinate is null")
    );
    assert!(
        polygon("[[[0,0],[1,1],[0,0]]]").contains("the geometry, ring 1 at (0, 0) has 2 distinct vertices")
    );
    assert!(
        polygon("[[[0,0],[1e300,1],[1,0],[0,0]]]").contains("a.json, the geometry: a coordinate of vertex 2")
    );
    assert!(
        message("a.json", r#"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#).contains("only LineString")
    );
    let deep = "{\"type\":\"GeometryCollection\",\"geometries\":[".repeat(5000);
    assert!(message("a.json", deep).contains("not valid GeoJSON"));
}

#[test]
fn well_known_text_is_read() {
    let area = |text: &str| read("a.wkt", text, None).unwrap().polygon().unwrap().area();
    assert_eq!(area("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))"), 15.0);
    assert_eq!(area("multipolygon(((0 0,1 0,0 1,0 0)),((5 5,6 5,5 6,5 5)))"), 1.0);
    assert_eq!(area("GEOMETRYCOLLECTION(POINT(1 2), POLYGON EMPTY, POLYGON((0 0,1 0,0 1,0 0)))"), 0.5);
    assert_eq!(
        area("SRID=4326;POLYGON((0 0,1 0,0 1,0 0));\n\nPOLYGON EMPTY\nPOLYGON((5 5,6 5,5 6,5 5))\n"),
        1.0
    );
    assert!(!read("a.wkt", "POLYGON((0 0,1 0,0 1,0 0))", None).unwrap().looks_geographic);
    assert!(read("a.wkt", "POLYGON((0 50,1 50,0 51,0 50))", None).unwrap().looks_geographic);
    assert!(!read("a.wkt", "POLYGON((0 500,1 500,0 501,0 500))", None).unwrap().looks_geographic);
}

#[test]
fn bad_well_known_text_is_refused() {
    assert!(message("a.wkt", "").contains("holds no vertices"));
    assert!(message("a.wkt", "POLYGON EMPTY").contains("holds no vertices"));
    assert!(message("a.wkt", "POINT(1 2)\nLINESTRING(1 2, 3 4)").contains("only LINESTRING, POINT"));
    assert!(message("a.wkt", "POINT(1 2)\n\nPOLYGON((0 0, 1 x, 0 0))").contains("not valid WKT at line 3"));
    assert!(message("a.wkt", "POLYGON((0 0, 1 0, 0 1, 0 0)").contains("line 1: a bracket is not closed"));
    assert!(message("a.wkt", "POLYGON((0 0, 1 0, 0 1, 0 0))) x").contains("was not opened"));
    assert!(
        message("a.wkt", "POLYGON((0 0, 1 0, 0 1, 0 0))\nthe end").contains("line 2: this is no geometry")
    );
    assert!(message("a.wkt", "POLYGON((0 0, 1 0, 0 1))").contains("geometry 1: ring 1 is open"));
    assert!(message("a.wkt", "GEOMETRYCOLLECTION(".repeat(100_000)).contains("nest too deep"));
    let error = read("a.wkt", "POLYGON((0 0,1 0,0 1,0 0))", Some(("name", "x"))).unwrap_err().to_string();
    assert!(error.contains("no properties"), "{error}");
}

#[test]
fn tables_of_rings_are_read() {
    let area = |text: &str| read("a.csv", text, None).unwrap().polygon().unwrap().area();
    assert_eq!(area("0,0\n2,0\n2,2\n0,2\n"), 4.0);
    assert_eq!(area("\u{feff}x,y\n0,0\n2,0\n2,2\n0,2\n0,0\n"), 4.0);
    let rows = "a,0,0\na,4,0\nb,1,1\na,4,4\nb,2,1\na,0,4\nb,1,2\n";
    for header in ["ring,x,y", "Part,x,y", "ID , x, y"] {
        assert_eq!(area(&format!("{header}\n{rows}")), 15.5);
    }
    assert_eq!(area("x,y,ring\n0,0,1\n2,0,1\n2,2,1\n0,2,1\n"), 4.0);
    let named = |text: &str| read("a.csv", text, None).unwrap();
    assert!(named("lon,lat\n0,0\n2,0\n2,2\n").looks_geographic);
    assert!(!named("x,y\n0,0\n2,0\n2,2\n").looks_geographic);
    assert!(named("lat,lon\n0,0\n2,0\n2,2\n").warnings[0].contains("latitude is the first column"));
    assert!(message("a.csv", "1,0,0\n1,1,0\n1,1,1\n").contains("has 3 columns"));
    assert!(message("a.csv", "name,x,y\na,0,0\na,1,0\n").contains("header ring, part or id"));
    assert!(message("a.csv", "x,y\n0,0\n1,oak\n").contains("line 3, column 2"));
    assert!(message("a.csv", "").contains("is empty"));
}

#[test]
fn swapped_axes_are_noticed() {
    let swapped = "POLYGON((39 -98, 40 -98, 40 -97, 39 -98))";
    assert!(read("a.wkt", swapped, None).unwrap().warnings[0].contains("axes look swapped"));
    let right = "POLYGON((-98 39, -98 40, -97 40, -98 39))";
    assert!(read("a.wkt", right, None).unwrap().warnings.is_empty());
}

#[test]
fn files_are_read_by_their_extension() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("TOWNS.GEOJSON"), TOWNS).unwrap();
    assert_eq!(read_map(&path("TOWNS.GEOJSON"), &MapOptions::default()).unwrap().rings.len(), 4);
    let error = |name: &str| read_map(&path(name), &MapOptions::default()).unwrap_err().to_string();
    assert!(error("towns.png").contains(".geojson, .json, .topojson, .gpkg, .wkt, .shp or .csv"));
    assert!(error("missing.wkt").starts_with("cannot read"));
    std::fs::create_dir(path("folder.wkt")).unwrap();
    assert!(error("folder.wkt").starts_with("cannot read"));
    // A sparse file, which takes no space on the disk.
    std::fs::File::create(path("huge.wkt")).unwrap().set_len(MAP_LIMIT + 1).unwrap();
    assert!(error("huge.wkt").contains("larger than 512 MB"));
}

fn ring(x: f64, y: f64) -> PolygonRing<Point> {
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];
    PolygonRing::Outer(corners.map(|[u, v]| Point::new(x + u, y + v)).to_vec())
}

/// A shapefile of three records with their attributes, written by the crates that define the format.
fn shapefile_in(folder: &Path) -> PathBuf {
    let path = folder.join("towns.shp");
    let mut writer = ShapeWriter::from_path(&path).unwrap();
    writer.write_shape(&shapefile::Polygon::new(ring(0.0, 50.0))).unwrap();
    writer.write_shape(&shapefile::Polygon::with_rings(vec![ring(5.0, 50.0), ring(7.0, 50.0)])).unwrap();
    writer.write_shape(&shapefile::Polygon::new(ring(9.0, 50.0))).unwrap();
    drop(writer);
    let name = |text: &str| FieldName::try_from(text).unwrap();
    let mut table = TableWriterBuilder::new()
        .add_character_field(name("NAME"), 20)
        .add_date_field(name("SINCE"))
        .add_character_field(name("CODE"), 4)
        .build_with_file_dest(folder.join("towns.dbf"))
        .unwrap();
    for (town, code) in [("Northam", "06"), ("Südham", "07"), ("Wayside", "07")] {
        let mut record = Record::default();
        record.insert("NAME".into(), FieldValue::Character(Some(town.into())));
        record.insert("SINCE".into(), FieldValue::Date(None));
        record.insert("CODE".into(), FieldValue::Character(Some(code.into())));
        table.write_record(&record).unwrap();
    }
    drop(table);
    path
}

#[test]
fn shapefiles_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = shapefile_in(folder.path());
    let read = |feature: Option<(&str, &str)>| {
        let features = feature.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        read_map(&path, &MapOptions { features, layer: None })
    };
    let area = |feature| read(feature).unwrap().polygon().unwrap().area();
    assert_eq!(area(None), 4.0);
    assert_eq!(area(Some(("NAME", "Südham"))), 2.0);
    assert_eq!(area(Some(("CODE", "06"))), 1.0);
    assert_eq!(area(Some(("CODE", "07"))), 3.0);
    let error = |feature| read(Some(feature)).unwrap_err().to_string();
    assert!(
        error(("NAME", "Northham"))
            .contains("the values are Northam, Südham, Wayside; did you mean \"Northam\"?")
    );
    assert!(error(("TOWN", "x")).contains("the properties are CODE, NAME, SINCE"));
    assert!(read(None).unwrap().looks_geographic);
    std::fs::write(path.with_extension("prj"), "PROJCS[\"UTM\"]").unwrap();
    assert!(!read(None).unwrap().looks_geographic);
    std::fs::write(path.with_extension("dbf"), b"nonsense").unwrap();
    assert!(error(("NAME", "x")).contains("attribute table is damaged"));
    std::fs::remove_file(path.with_extension("dbf")).unwrap();
    assert!(error(("NAME", "x")).contains("without a .dbf file next to"));
}

/// Holes are told by the direction in which they run; where all rings run in one, by the even-odd rule.
#[test]
fn holes_of_shapefiles_run_the_other_way() {
    let square = |x: f64, side: f64| {
        [[x, x], [x, x + side], [x + side, x + side], [x + side, x], [x, x]]
            .map(|[x, y]| Point::new(x, y))
            .to_vec()
    };
    let read_file = |polygons: &[Vec<PolygonRing<Point>>]| {
        let mut out = Cursor::new(Vec::new());
        {
            let mut writer = ShapeWriter::new(&mut out);
            for rings in polygons {
                writer.write_shape(&shapefile::Polygon::with_rings(rings.clone())).unwrap();
            }
        }
        let map = read("a.shp", out.into_inner(), None).unwrap();
        (map.polygon().unwrap().area(), map.notes)
    };
    let (outer, inner) = (PolygonRing::Outer, PolygonRing::Inner);
    // An island in a lake, and a lake on that.
    let nested = vec![
        outer(square(0.0, 10.0)),
        inner(square(1.0, 8.0)),
        outer(square(2.0, 4.0)),
        inner(square(3.0, 1.0)),
    ];
    assert_eq!(read_file(&[nested]), (100.0 - 64.0 + 16.0 - 1.0, vec![]));
    // An outline in another is no hole where others are told.
    let within = vec![outer(square(0.0, 10.0)), outer(square(2.0, 4.0))];
    let other = vec![outer(square(20.0, 4.0)), inner(square(21.0, 1.0))];
    let (area, notes) = read_file(&[within.clone(), other]);
    let overlap =
        "a.shp: polygons of a feature overlap; what is inside of any of them is the region: record 1";
    assert_eq!((area, notes), (100.0 + 15.0, vec![overlap.to_string()]));
    assert_eq!(read_file(&[within]), (84.0, vec![]));
}

#[test]
fn bad_shapefiles_are_refused() {
    let written = |write: &dyn Fn(&mut Cursor)| {
        let mut out = Cursor::new(Vec::new());
        write(&mut out);
        out.into_inner()
    };
    let points = written(&|out| ShapeWriter::new(out).write_shape(&Point::new(1.0, 2.0)).unwrap());
    assert!(message("a.shp", &points).contains("holds no polygon, only Point"));
    let heights = PolygonRing::Outer(
        [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]].map(|[x, y]| shapefile::PointZ::new(x, y, 9.0, 0.0)).to_vec(),
    );
    let heights = written(&|out| ShapeWriter::new(out).write_shape(&PolygonZ::new(heights.clone())).unwrap());
    let map = read("a.shp", &heights, None).unwrap();
    assert_eq!(
        (map.polygon().unwrap().area(), &map.notes[..]),
        (0.5, &["a.shp: heights are left out: record 1".into()][..])
    );
    let sound = written(&|out| {
        ShapeWriter::new(out).write_shape(&shapefile::Polygon::new(ring(0.0, 0.0))).unwrap();
    });
    assert_eq!(read("a.shp", &sound, None).unwrap().rings.len(), 1);
    assert!(message("a.shp", &sound[..sound.len() - 8]).contains("not valid shapefile data at record 1"));
    assert!(message("a.shp", b"").contains("in its header"));
    assert!(message("a.shp", TOWNS).contains("in its header"));
    // The last vertex moved away from the first.
    let mut open = sound.clone();
    let end = open.len();
    open[end - 8..].copy_from_slice(&0.5f64.to_le_bytes());
    assert!(message("a.shp", &open).contains("record 1: ring 1 is open"));
}

type Cursor = std::io::Cursor<Vec<u8>>;

/// Any bytes make a polygon or are rejected, without a panic.
fn survives(name: &str, bytes: &[u8]) {
    for feature in [None, Some(("name", "Northam"))] {
        if let Ok(map) = read(name, bytes, feature) {
            let _ = map.polygon();
        }
    }
}

/// The bytes with some of them replaced, removed or doubled.
fn mangled(mut bytes: Vec<u8>, changes: &[(usize, u8, u8)]) -> Vec<u8> {
    for (place, kind, byte) in changes {
        let place = place % bytes.len().max(1);
        match kind % 4 {
            _ if bytes.is_empty() => {}
            0 => bytes[place] = *byte,
            1 => bytes.truncate(place),
            2 => bytes.insert(place, *byte),
            _ => bytes.extend_from_within(place..),
        }
    }
    bytes
}

fn changes() -> impl Strategy<Value = Vec<(usize, u8, u8)>> {
    prop::collection::vec((any::<usize>(), any::<u8>(), any::<u8>()), 1..5)
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for name in ["a.json", "a.wkt", "a.shp", "a.csv", "a.gpkg"] {
            survives(name, &bytes);
        }
        let _ = attributes::Attributes::parse("a", &bytes);
    }

    #[test]
    fn mangled_geojson_is_read_or_refused(changes in changes()) {
        survives("a.json", &mangled(TOWNS.as_bytes().to_vec(), &changes));
    }

    #[test]
    fn any_coordinates_are_read_or_refused(rings in "[\\[\\]0-9,.e-]{0,60}") {
        survives("a.json", format!("{{\"type\":\"Polygon\",\"coordinates\":{rings}}}").as_bytes());
    }

    #[test]
    fn any_well_known_text_is_read_or_refused(
        text in "(POLYGON|MULTIPOLYGON|GEOMETRYCOLLECTION|POINT|LINESTRING|SRID=1;|EMPTY|Z|M|\\(|\\)|,| |[0-9.e-]{1,4} [0-9.e-]{1,4}|\\PC){0,40}",
    ) {
        survives("a.wkt", text.as_bytes());
    }

    #[test]
    fn mangled_shapefiles_are_read_or_refused(changes in changes(), table_changes in changes()) {
        let folder = tempfile::tempdir().unwrap();
        let path = shapefile_in(folder.path());
        survives("a.shp", &mangled(std::fs::read(&path).unwrap(), &changes));
        let table = mangled(std::fs::read(path.with_extension("dbf")).unwrap(), &table_changes);
        if let Ok(attributes) = attributes::Attributes::parse("a", &table) {
            for record in 0..4 {
                let _ = attributes.value(record, "NAME");
            }
        }
    }
}

/// Two neighbours that share an arc, one with a ring without area, and a layer of the whole.
const TOPOLOGY: &str = r#"{"type":"Topology","transform":{"scale":[0.5,0.5],"translate":[10,50]},
 "arcs":[[[4,0],[0,8]],[[4,8],[-4,0],[0,-8],[4,0]],[[4,8],[4,0],[0,-8],[-4,0]],[[20,20],[0,0]]],
 "objects":{"towns":{"type":"GeometryCollection","geometries":[
   {"type":"MultiPolygon","arcs":[[[0,1]],[[3]]],"id":"01","properties":{"name":"Westham"}},
   {"type":"Polygon","arcs":[[-3,-1]],"id":"02","properties":{"name":"Eastham"}},
   {"type":null,"properties":{"name":"Nowhere"}}]},
  "whole":{"type":"GeometryCollection","geometries":[{"type":"Polygon","arcs":[[1,-3]]}]}}}"#;

fn read_features(
    name: &str,
    bytes: &[u8],
    layer: Option<&str>,
    features: &[(&str, &str)],
) -> Result<Map, IoError> {
    let features = features.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    Map::parse(name, bytes, &MapOptions { features, layer: layer.map(String::from) })
}

#[test]
fn topologies_are_read() {
    let map = read("towns.topojson", TOPOLOGY, None).unwrap();
    let polygon = map.polygon().unwrap();
    // Both towns, without the arc that they share.
    assert_eq!((polygon.area(), polygon.length(), polygon.rings().len()), (16.0, 16.0, 1));
    assert_eq!(map.features, ["Westham", "Eastham"]);
    assert_eq!((map.left_out_rings, map.is_in_degrees), (1, true));
    let note = &map.notes[1];
    assert!(note.contains("feature 1 (\"Westham\"), ring 2 at (20, 60) has 1 distinct vertices"), "{note}");
    assert!(map.notes[0].contains("the layer \"towns\" is used; there are others: whole"), "{:?}", map.notes);
    let chosen =
        |layer, features: &[(&str, &str)]| read_features("a.json", TOPOLOGY.as_bytes(), layer, features);
    let area = |layer, features: &[(&str, &str)]| chosen(layer, features).unwrap().polygon().unwrap().area();
    assert_eq!(area(None, &[("id", "02")]), 8.0);
    assert_eq!(area(None, &[("name", "Westham"), ("id", "02")]), 16.0);
    assert_eq!(area(Some("whole"), &[]), 16.0);
    let error = |layer, features: &[(&str, &str)]| chosen(layer, features).unwrap_err().to_string();
    assert!(
        error(Some("whale"), &[])
            .contains("no layer \"whale\"; its layers are towns, whole; did you mean \"whole\"?")
    );
    assert!(error(None, &[("name", "Westam")]).contains("did you mean \"Westham\"?"));
    assert!(error(None, &[("name", "Westham"), ("name", "x")]).contains("whose name is \"x\""));
    let broken = |from: &str, to: &str| message("a.json", TOPOLOGY.replace(from, to));
    assert!(broken("[[-3,-1]]", "[[-9,-1]]").contains("towns, feature 2: there is no arc -9"));
    // Arcs whose ends were moved apart by simplification are closed.
    let apart = TOPOLOGY.replace("[[-3,-1]]", "[[2]]");
    assert_eq!(read("a.json", apart, Some(("id", "02"))).unwrap().polygon().unwrap().area(), 8.0);
    let often = format!("[[{}1]]", "1,-2,".repeat(1_100_000));
    assert!(broken("[[-3,-1]]", &often).contains("used too often"));
}

#[test]
fn features_are_united_and_named() {
    let square = |x: f64, size: f64, name: &str| {
        format!(
            r#"{{"type":"Feature","id":"{name}","properties":{{}},"geometry":{{"type":"Polygon","coordinates":
               [[[{x},0],[{0},0],[{0},{size}],[{x},{size}],[{x},0]]]}}}}"#,
            x + size
        )
    };
    let map = |features: &[String]| {
        let text = format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(","));
        read("a.json", text, None).unwrap()
    };
    let apart = map(&[square(0.0, 2.0, "a"), square(2.0, 2.0, "b")]);
    assert_eq!((apart.polygon().unwrap().area(), &apart.notes[..]), (8.0, &[][..]));
    // A town within a country, and a neighbour across the border.
    let within = map(&[square(0.0, 4.0, "a"), square(1.0, 1.0, "b"), square(3.0, 2.0, "c")]);
    assert_eq!(within.polygon().unwrap().area(), 18.0);
    assert!(within.notes[0].contains("features overlap"), "{:?}", within.notes);
}

/// Heights and measures are left out, and a ring is closed if its ends meet but for rounding.
#[test]
fn heights_are_left_out_and_gaps_of_rounding_closed() {
    let json = r#"{"type":"Polygon","coordinates":[[[0,0,5],[2,0,5],[2,2,7],[0,2,5],[0,0,5]]]}"#;
    let note = "heights are left out: ";
    for (name, text, expected) in [
        ("a.json", json, Some("the geometry")),
        ("a.wkt", "POLYGON Z((0 0 5,2 0 5,2 2 7,0 2 5,0 0 5))", Some("geometry 1")),
        ("a.wkt", "POLYGON ZM((0 0 5 1,2 0 5 1,2 2 7 1,0 2 5 1,0 0 5 1))", Some("geometry 1")),
        ("a.wkt", "POLYGON M((0 0 5,2 0 5,2 2 7,0 2 5,0 0 5))", None),
        ("a.wkt", "POLYGON((0 0,2 0,2 2,0 2,0 1e-9))", None),
    ] {
        let map = read(name, text, None).unwrap();
        let expected: Vec<String> = expected.iter().map(|place| format!("{name}: {note}{place}")).collect();
        assert_eq!((map.polygon().unwrap().area(), map.notes), (4.0, expected), "{text}");
    }
    assert!(message("a.wkt", "POLYGON((0 0,2 0,2 2,0 2,0 1e-8))").contains("ring 1 is open"));
    for (name, text) in [("a.json", r#"{"type":"Point","coordinates":[1,2,3]}"#), ("a.wkt", "POINT Z(1 2 3)")]
    {
        let sheet = crate::Sheet::parse(name, text.as_bytes(), &crate::TableOptions::default()).unwrap();
        assert_eq!(sheet.values, [1.0, 2.0], "{name}");
        assert!(sheet.warnings[0].contains("the heights of points are left out"), "{:?}", sheet.warnings);
    }
}

/// Holes are inner rings of their own polygon. Other polygons of a feature are united with it, whatever the
/// format, and where they overlap that is said.
#[test]
fn polygons_of_a_feature_are_united() {
    let square = |x: f64, side: f64| {
        let far = x + side;
        format!("[[{x},{x}],[{far},{x}],[{far},{far}],[{x},{far}],[{x},{x}]]")
    };
    let json = |polygons: &str| format!(r#"{{"type":"MultiPolygon","coordinates":[{polygons}]}}"#);
    let (whole, within, beside) = (square(0.0, 10.0), square(3.0, 3.0), square(5.0, 10.0));
    let overlap = "polygons of a feature overlap; what is inside of any of them is the region: ";
    for (polygons, area, overlaps) in [
        (format!("[{whole}],[{within}]"), 100.0, true),
        (format!("[{whole}],[{beside}]"), 175.0, true),
        (format!("[{whole}],[{whole}]"), 100.0, true),
        (format!("[{whole},{within}]"), 91.0, false),
        // An island that fills the lake, and one in it.
        (format!("[{whole},{within}],[{within}]"), 100.0, false),
        (format!("[{whole},{within}],[{}]", square(4.0, 1.0)), 92.0, false),
    ] {
        let map = read("a.geojson", json(&polygons), None).unwrap();
        assert_eq!(map.polygon().unwrap().area(), area, "{polygons}");
        let expected = [format!("a.geojson: {overlap}the geometry")];
        assert_eq!(map.notes, expected[..usize::from(overlaps)], "{polygons}");
    }
    let wkt = "MULTIPOLYGON(((0 0,10 0,10 10,0 10,0 0)),((3 3,6 3,6 6,3 6,3 3)))";
    let map = read("a.wkt", wkt, None).unwrap();
    assert_eq!(
        (map.polygon().unwrap().area(), &map.notes[..]),
        (100.0, &[format!("a.wkt: {overlap}geometry 1")][..])
    );
}

#[test]
fn rings_are_repaired_and_named() {
    let text =
        "POLYGON((0 0, 2 2, 2 0, 0 2, 0 0));POLYGON((5 5, 6 6, 7 7, 5 5));POLYGON((8 0, 9 0, 9 0, 9 1, 8 0))";
    let map = read("a.wkt", text, None).unwrap();
    assert_eq!((map.polygon().unwrap().area(), map.repaired_rings, map.left_out_rings), (2.5, 1, 1));
    assert_eq!(
        map.notes[0],
        "a.wkt: rings without area are left out: geometry 2, ring 1 at (5, 5) encloses no area: its vertices lie on a line"
    );
    let expected = "a.wkt: rings cross at 1 place; what is inside of an odd number of rings counts as inside: geometry 1, \
                    ring 1 crosses itself at (1, 1)";
    assert_eq!(map.notes[1], expected);
    // What a repeated vertex and a direction say is nothing; a spike is cut off.
    let text = "POLYGON((0 0,0 0,4 0,4 2,9 2,4 2,4 4,4 4,0 4,0 0),(1 1,2 1,2 2,2 2,1 1))";
    let map = read("a.wkt", text, None).unwrap();
    assert_eq!((map.polygon().unwrap().area(), map.repaired_rings), (15.5, 1));
    let spike = "spikes, where a ring runs back along itself, are cut off: geometry 1, ring 1 at (9, 2)";
    assert_eq!(map.notes, [format!("a.wkt: {spike}")]);
    // A ring given again is a mistake of the file, not a hole.
    let text = "POLYGON((0 0,2 0,2 2,0 2,0 0),(2 2,0 2,0 0,2 0,2 2));POLYGON((5 0,6 0,6 1,5 0))";
    let map = read("a.wkt", text, None).unwrap();
    assert_eq!((map.polygon().unwrap().area(), map.left_out_rings), (4.5, 1));
    assert_eq!(
        map.notes,
        ["a.wkt: rings that repeat another are left out: geometry 1, ring 2 repeats ring 1"]
    );
    // The same with one more vertex: nothing is left, and that is said.
    let cancelling = "POLYGON((0 0,2 0,2 2,0 2,0 0),(0 0,1 0,2 0,2 2,0 2,0 0))";
    let named = "geometry 1, where the edges of rings 1, 2 cancel each other";
    let map = read("a.wkt", format!("{cancelling};POLYGON((5 0,6 0,6 1,5 0))"), None).unwrap();
    assert_eq!(map.notes[0], format!("a.wkt: polygons that enclose no area are left out: {named}"));
    let alone = format!("encloses no area: {named}; choose another feature");
    assert!(message("a.wkt", cancelling).contains(&alone), "{}", message("a.wkt", cancelling));
    // An edge that a neighbour has in two pieces is part of neither border.
    let map =
        read("a.wkt", "POLYGON((0 0,2 0,2 2,0 2,0 0));POLYGON((2 0,4 0,4 2,2 2,2 1,2 0))", None).unwrap();
    assert_eq!((map.rings.len(), map.polygon().unwrap().length()), (1, 12.0));
}

#[test]
fn maps_around_the_earth_are_cut() {
    let ring = "[[[179,-18],[-178,-18],[-178,-15],[179,-15],[179,-18]]]";
    let map = read("fiji.json", format!(r#"{{"type":"Polygon","coordinates":{ring}}}"#), None).unwrap();
    assert_eq!((map.rings.len(), map.polygon().unwrap().area()), (2, 9.0));
    assert!(
        map.notes[0].contains("cross the 180th meridian") && map.notes[0].contains("the geometry, ring 1")
    );
    let both = "[[[-175,-5],[-60,5],[60,-5],[175,5],[-175,-5]]]";
    let error = message("poles.json", format!(r#"{{"type":"Polygon","coordinates":{both}}}"#));
    assert!(error.starts_with("poles.json, the geometry: ring 1 goes around both poles"), "{error}");
}

/// Russia, Fiji, Antarctica and North Korea of Natural Earth at 1:110 million, as the npm package `world-atlas`
/// has them: across the 180th meridian, around the south pole, and with a ring without area.
const FAR_SIDE: &str = include_str!("far_side.json");

#[test]
fn countries_on_the_far_side_have_their_areas() {
    use steinbound::domain::Domain;
    use steinbound::projection::EqualArea;
    // Thousands of square kilometres; those of such coarse maps are a little off.
    let expected = [("Russia", 16_376.0), ("Fiji", 18.3), ("Antarctica", 12_300.0), ("North Korea", 120.0)];
    let mut total = 0.0;
    for (name, area) in expected {
        let map = read("a.json", FAR_SIDE, Some(("name", name))).unwrap();
        let polygon = map.polygon().unwrap();
        let plane = EqualArea::about(polygon.rings().iter().flatten().copied()).unwrap();
        let flat = polygon.projected(&plane, 0.25).unwrap();
        let found = flat.area() / 1000.0;
        assert!((found / area - 1.0).abs() < 0.06, "{name}: {found}");
        total += found;
        // No border is left where the map was cut.
        let cut = polygon.rings().iter().flatten().filter(|vertex| vertex[0].abs() == 180.0).count();
        assert_eq!(cut > 0, name != "North Korea", "{name}");
        for latitude in [-89.0, -86.0, 66.5, 67.5] {
            let at = plane.forward([180.0, latitude]);
            if flat.contains(&at) {
                assert!(flat.distance_to_boundary(&at, &mut [0.0; 2]) > 20.0, "{name} {latitude}");
            }
        }
    }
    let all = read("a.json", FAR_SIDE, None).unwrap();
    assert!(
        all.notes[0].contains("(\"North Korea\"), ring 1") && all.notes[0].contains("1 distinct vertices")
    );
    assert!(all.notes[1].contains("cross the 180th meridian") && all.notes[1].contains("\"Fiji\""));
    assert!(all.notes[2].contains("\"Antarctica\"") && all.notes[2].contains("(south)"), "{:?}", all.notes);
    // About Korea, on whose other side is none of them.
    let plane = EqualArea::new(127.0, 40.0).unwrap();
    let together = all.polygon().unwrap().projected(&plane, 0.25).unwrap().area() / 1000.0;
    assert!((together / total - 1.0).abs() < 1e-3, "{together} {total}");
}

#[test]
fn stated_coordinate_systems_are_looked_at() {
    let polygon = |crs: &str, size: f64| {
        let text = format!(
            r#"{{"type":"FeatureCollection","crs":{{"type":"name","properties":{{"name":"{crs}"}}}},"features":[
               {{"type":"Feature","properties":null,"geometry":{{"type":"Polygon","coordinates":
               [[[0,0],[{size},0],[{size},{size}],[0,0]]]}}}}]}}"#
        );
        let map = read("a.json", text, None).unwrap();
        (map.looks_geographic, map.is_in_degrees, map.warnings.len())
    };
    assert_eq!(polygon("urn:ogc:def:crs:OGC:1.3:CRS84", 20.0), (true, true, 0));
    assert_eq!(polygon("urn:ogc:def:crs:EPSG::25833", 20.0), (false, false, 0));
    assert_eq!(polygon("EPSG:3857", 5e6), (false, false, 1));
    assert_eq!(polygon("EPSG:4326", 5e6), (false, false, 0));
    let stated = |text: &str| read("a.wkt", text, None).unwrap().is_in_degrees;
    assert!(stated("SRID=4326;POLYGON((0 0,1 0,0 1,0 0))"));
    assert!(
        !stated("SRID=32633;POLYGON((0 50,1 50,0 51,0 50))") && !stated("POLYGON((0 50,1 50,0 51,0 50))")
    );
}

#[test]
fn tables_with_well_known_text_are_read() {
    let table = "name,code,geom\n\
                 Northam,1,\"POLYGON((0 0,2 0,2 2,0 2,0 0))\"\n\
                 Southam,2,\"MULTIPOLYGON(((5 5,6 5,6 6,5 5)),((7 7,8 7,8 8,7 7)))\"\n\
                 Empty,3,\n";
    let chosen = |features: &[(&str, &str)]| read_features("towns.csv", table.as_bytes(), None, features);
    let map = chosen(&[]).unwrap();
    assert_eq!((map.polygon().unwrap().area(), map.features.join(" ")), (5.0, "Northam Southam".into()));
    assert_eq!(chosen(&[("code", "2")]).unwrap().polygon().unwrap().area(), 1.0);
    assert!(chosen(&[("name", "Nortam")]).unwrap_err().to_string().contains("did you mean \"Northam\"?"));
    let broken = table.replace("5 5)),", "5 x)),");
    assert!(message("towns.csv", broken).contains("not valid WKT at line 3"));
    let open = table.replace("0 2,0 0", "0 2");
    assert!(message("towns.csv", open).contains("line 2 (\"Northam\"): ring 1 is open"));
}

/// A GeoPackage with two layers, made by tools/geopackage.py.
const PACKAGE: &[u8] = include_bytes!("towns.gpkg");

#[test]
fn geopackages_are_read() {
    let chosen = |layer, features: &[(&str, &str)]| read_features("towns.gpkg", PACKAGE, layer, features);
    let map = chosen(Some("towns"), &[]).unwrap();
    assert_eq!(
        (map.polygon().unwrap().area(), map.features.join(" ")),
        (15.0 + 1.0, "Northam Südham".into())
    );
    assert!(map.is_in_degrees && map.notes.is_empty());
    assert_eq!(chosen(None, &[("name", "Südham")]).unwrap().polygon().unwrap().area(), 1.0);
    // The number of a row is a column, too.
    assert_eq!(chosen(None, &[("fid", "1"), ("name", "Northam")]).unwrap().polygon().unwrap().area(), 15.0);
    let coast = chosen(Some("coast"), &[]).unwrap();
    // A row of some hundred vertices continues on several pages.
    assert_eq!((coast.rings[0].len(), coast.looks_geographic), (400, false));
    assert!((coast.polygon().unwrap().area() / (std::f64::consts::PI * 1e10) - 1.0).abs() < 1e-3);
    assert!(chosen(Some("sea"), &[]).unwrap_err().to_string().contains("its layers are towns, coast, stops"));
    assert!(chosen(Some("stops"), &[]).unwrap_err().to_string().contains("holds no polygon, only Point"));
    for end in [0, 50, 100, 1000, 3000] {
        assert!(message("towns.gpkg", &PACKAGE[..end]).contains("not valid GeoPackage"), "{end}");
    }
}

proptest! {
    #[test]
    fn mangled_geopackages_are_read_or_refused(changes in changes()) {
        survives("a.gpkg", &mangled(PACKAGE.to_vec(), &changes));
    }

    #[test]
    fn mangled_topologies_are_read_or_refused(changes in changes()) {
        survives("a.json", &mangled(TOPOLOGY.as_bytes().to_vec(), &changes));
    }
}

const WEB_MERCATOR: &str =
    r#"PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",PROJECTION["Mercator_Auxiliary_Sphere"]]"#;

#[test]
fn a_projection_that_stretches_lengths_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = shapefile_in(folder.path());
    let warnings = |projection: &str| {
        std::fs::write(path.with_extension("prj"), projection).unwrap();
        read_map(&path, &MapOptions::default()).unwrap().warnings
    };
    for stretched in [WEB_MERCATOR, r#"PROJCRS["W",CONVERSION["c",METHOD["Mercator (variant A)"]]]"#] {
        let warnings = warnings(stretched);
        assert!(
            warnings[0].contains("stretches lengths") && warnings[0].contains("--project"),
            "{warnings:?}"
        );
    }
    for local in [
        r#"PROJCS["UTM_Zone_33N",PROJECTION["Transverse_Mercator"]]"#,
        r#"PROJCS["CH1903_LV03",PROJECTION["Hotine_Oblique_Mercator_Azimuth_Center"]]"#,
        r#"GEOGCS["Mercator"]"#,
    ] {
        assert_eq!(warnings(local), Vec::<String>::new(), "{local}");
    }
}

fn points(name: &str, bytes: impl AsRef<[u8]>, columns: &[&str]) -> Result<crate::Sheet, String> {
    let columns = columns.iter().map(|name| name.to_string()).collect();
    let options = crate::TableOptions { columns, ..Default::default() };
    crate::Sheet::parse(name, bytes.as_ref(), &options).map_err(|error| error.to_string())
}

#[test]
fn points_are_rows_and_properties_are_columns() {
    let towns = r#"{"type": "FeatureCollection", "features": [
      {"type": "Feature", "properties": {"size": 3, "open": true, "lat": "north", "tags": [1]},
       "geometry": {"type": "MultiPoint", "coordinates": [[10, 50], [11, 51]]}},
      {"type": "Feature", "properties": {"size": 2.5, "open": false, "extra": null},
       "geometry": {"type": "Point", "coordinates": [12, 52]}}]}"#;
    let sheet = points("towns.geojson", towns, &[]).unwrap();
    assert_eq!((sheet.names.join(","), &sheet.lines[..]), ("lon,lat".into(), &[1, 1, 2][..]));
    assert_eq!(sheet.values, [10.0, 50.0, 11.0, 51.0, 12.0, 52.0]);
    assert_eq!(points("towns.geojson", towns, &["size"]).unwrap().values, [3.0, 3.0, 2.5]);
    assert_eq!(
        points("towns.geojson", towns, &["open", "1"]).unwrap().values,
        [1.0, 10.0, 1.0, 11.0, 0.0, 12.0]
    );
    let refused = |column: &str| points("towns.geojson", towns, &[column]).unwrap_err();
    assert!(refused("lat_2").contains("feature 1") && refused("lat_2").contains("\"north\" is not a number"));
    assert!(refused("tags").contains("\"[1]\" is not a number"));
    assert!(refused("extra").contains("feature 1") && refused("extra").contains("the value is missing"));
    assert!(refused("height").contains("its columns are lon, lat,"));
    let sheet = points("a.wkt", "MULTIPOINT((1 2), (3 4));POINT(5 6)", &[]).unwrap();
    assert_eq!((sheet.names.join(","), &sheet.lines[..]), ("x,y".into(), &[1, 1, 2][..]));
}

#[test]
fn whole_properties_are_labels_with_all_their_digits() {
    let feature = |id: &str| {
        format!(
            r#"{{"type":"Feature","properties":{{"id":{id}}},"geometry":{{"type":"Point","coordinates":[1,2]}}}}"#
        )
    };
    let ids = ["9007199254740992", "9007199254740993", "18446744073709551615", "-3", "2.0", "2", "0.5"];
    let features = ids.map(feature).join(",");
    let map = format!(r#"{{"type":"FeatureCollection","features":[{features}]}}"#);
    let options = crate::TableOptions { cluster: Some("id".into()), ..Default::default() };
    let sheet = crate::Sheet::parse("a.geojson", map.as_bytes(), &options).unwrap();
    let expected = ["9007199254740992", "9007199254740993", "18446744073709551615", "-3", "2", "2", "0.5"];
    assert_eq!(sheet.clusters().unwrap(), expected);
}

#[test]
fn what_is_no_point_is_refused() {
    let message = |name: &str, text: &str| points(name, text, &[]).unwrap_err();
    assert!(message("a.json", TOWNS).contains("a.json, feature 1 is a Polygon, not a point"));
    let without_place = r#"{"type": "Feature", "properties": null, "geometry": null}"#;
    assert!(message("a.json", without_place).contains("feature 1, column 1 (\"lon\"): the value is missing"));
    assert!(message("a.json", r#"{"type": "MultiPoint", "coordinates": []}"#).contains("holds no points"));
    assert!(message("a.wkt", "POINT EMPTY").contains("the value is missing"));
    assert!(message("a.wkt", "").contains("holds no points"));
    assert!(message("a.wkt", "LINESTRING(0 0, 1 1)").contains("feature 1 is a LINESTRING"));
}

#[test]
fn points_of_shapefiles_have_the_attributes_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("towns.shp");
    let mut writer = ShapeWriter::from_path(&path).unwrap();
    writer.write_shape(&Point::new(5e5, 6e6)).unwrap();
    writer.write_shape(&Point::new(5.1e5, 6.1e6)).unwrap();
    drop(writer);
    let read = |columns: &[&str]| {
        let columns = columns.iter().map(|name| name.to_string()).collect();
        crate::read_table(&path, &crate::TableOptions { columns, ..Default::default() })
    };
    assert_eq!(read(&[]).unwrap().values, [5e5, 6e6, 5.1e5, 6.1e6]);
    assert!(read(&["SIZE"]).unwrap_err().to_string().contains("its columns are x, y"));
    let table = TableWriterBuilder::new().add_numeric_field(FieldName::try_from("SIZE").unwrap(), 8, 2);
    let mut table = table.build_with_file_dest(path.with_extension("dbf")).unwrap();
    for size in [Some(1.5), Some(2.0)] {
        let mut record = Record::default();
        record.insert("SIZE".to_string(), FieldValue::Numeric(size));
        table.write_record(&record).unwrap();
    }
    table.finalize().unwrap();
    assert_eq!(read(&["SIZE", "y"]).unwrap().values, [1.5, 6e6, 2.0, 6.1e6]);
    std::fs::write(path.with_extension("prj"), WEB_MERCATOR).unwrap();
    assert!(read(&["SIZE", "y"]).unwrap().warnings[0].contains("towns.shp is in a Mercator projection"));
    assert!(read(&["SIZE"]).unwrap().warnings.is_empty(), "no coordinate is used");
}

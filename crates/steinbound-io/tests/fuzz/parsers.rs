//! The parsers, and valid inputs for each.

use std::io::Write;
use std::path::PathBuf;

use steinbound::expression::Expression;
use steinbound::model::Autodiff;
use steinbound_io::{
    DomainSpec, Formula, Frame, FrameOptions, Header, Map, MapOptions, Sheet, TableOptions, TextFormat,
    read_table,
};

/// What reads or refuses an input.
type Run = dyn Fn(&[u8]);

/// A parser, and valid inputs for it.
pub struct Parser {
    pub name: &'static str,
    pub corpus: Vec<Vec<u8>>,
    pub run: Box<Run>,
}

fn parser(name: &'static str, corpus: Vec<Vec<u8>>, run: impl Fn(&[u8]) + 'static) -> Parser {
    Parser { name, corpus, run: Box::new(run) }
}

fn texts(list: &[&str]) -> Vec<Vec<u8>> {
    list.iter().map(|text| text.as_bytes().to_vec()).collect()
}

const TABLES: &[&str] = &[
    "x,y\n1,2\n3,4\n",
    "1;2;3\r\n4;5;6\r\n",
    "a\tb\n1.5e3\tNA\n\n-2\t.\n",
    "id|x|y\n\"a|b\"|1|2\n\"say \"\"so\"\"\"|3|4\n",
    "x;y\n1,5;2,5\n,;3\n",
    "  1   2 \n 3 4\n",
    "\u{feff}lon,lat,ring\n0,0,a\n1,0,a\n0,1,a\n",
];

const GEOJSON: &[&str] = &[
    r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,1],[0,0]]]}"#,
    r#"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"n":1,"t":"a"},"geometry":{"type":"Point","coordinates":[1,2]}},{"type":"Feature","properties":null,"geometry":null}]}"#,
    r#"{"type":"GeometryCollection","geometries":[{"type":"MultiPoint","coordinates":[[1,2],[3,4]]},{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[0,1],[0,0]]]]}]}"#,
];

const TOPOJSON: &[&str] = &[
    r#"{"type":"Topology","transform":{"scale":[0.5,0.5],"translate":[10,50]},"arcs":[[[4,0],[0,8]],[[4,8],[-4,0],[0,-8],[4,0]],[[4,8],[4,0],[0,-8],[-4,0]]],"objects":{"a":{"type":"GeometryCollection","geometries":[{"type":"Polygon","arcs":[[0,1]],"id":"1"},{"type":"MultiPolygon","arcs":[[[-3,-1]]],"properties":{"n":1}}]},"b":{"type":"Point","coordinates":[3,4]}}}"#,
    r#"{"type":"Topology","arcs":[[[179,-18],[-178,-18],[-178,-15],[179,-15],[179,-18]]],"objects":{"a":{"type":"Polygon","arcs":[[0]]}}}"#,
];

const WKT_TABLES: &[&str] =
    &["n,geom\n1,\"POLYGON((0 0,2 0,2 2,0 2,0 0))\"\n2,\"MULTIPOLYGON(((5 5,6 5,6 6,5 5)))\"\n3,\n"];

const WKT: &[&str] = &[
    "POLYGON((0 0, 1 0, 0 1, 0 0), (0.1 0.1, 0.2 0.1, 0.1 0.2, 0.1 0.1))",
    "SRID=4326;MULTIPOLYGON(((0 0, 1 0, 0 1, 0 0)), ((5 5, 6 5, 5 6, 5 5)))\nPOINT(1 2)",
    "GEOMETRYCOLLECTION(POINT(1 2), MULTIPOINT((1 2), (3 4)), POLYGON EMPTY)",
    "POINT(1 2)\nPOINT EMPTY\nMULTIPOINT(1 2, 3 4)",
];

const SPECS: &[&str] = &[
    "ball(radius=2, norm=1, center=0:0)",
    "box(low=-3:-3, high=3:inf)",
    "interval(-1, 1)",
    "halfspace(normal=1:0, offset=5)",
    "level(\"x1^2 + (x2 - (x1^2)^(1/3))^2 - 1\")",
    "intersection(box(low=0, high=inf), outside(level('x1 + x2 - 1')))",
    "usa()",
];

const FORMULAS: &[&str] = &[
    "y ~ x + C(g, base=a)",
    "log(y) ~ x*g + I(x^2) - 1",
    "y ~ x:g + exp(x) + `x`",
    "np.log(y + 1) ~ poly(x, 2, raw=TRUE) + C(g, Treatment(reference=\"b\"))",
    "y ~ (g + x)^2/Q(\"x\") + bs(x, df=5, degree=2) - 1",
    "y ~ ns(scale(x), knots=c(-0.5, 0.5), intercept=TRUE) + C(g, Sum):standardize(x)",
];

const DENSITIES: &[&str] = &[
    "-(x1-a)^2/2 - log(1 + exp(b*x2))",
    "-2.5*log(1 + ((x1-a)/exp(b))^2/4)",
    "min(x1, x2, pow(a, 2)) ** -abs(sin(b)) + pi*1e-3",
];

/// A shapefile with one record after its header.
fn shapefile(kind: i32, content: &[u8]) -> Vec<u8> {
    let words = |bytes: usize| (bytes as i32 / 2).to_be_bytes();
    let mut file = [&9994i32.to_be_bytes()[..], &[0; 20], &words(112 + content.len())].concat();
    file.extend([1000i32.to_le_bytes(), kind.to_le_bytes()].concat());
    file.resize(100, 0);
    file.extend([1i32.to_be_bytes(), words(4 + content.len()), kind.to_le_bytes()].concat());
    file.extend_from_slice(content);
    file
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub fn shapefiles() -> Vec<Vec<u8>> {
    let vertices = doubles(&[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let counts: Vec<u8> = [1i32, 4, 0].iter().flat_map(|count| count.to_le_bytes()).collect();
    let bounds = doubles(&[0.0, 0.0, 1.0, 1.0]);
    vec![
        shapefile(1, &doubles(&[13.4, 52.5])),
        shapefile(5, &[&bounds[..], &counts, &vertices].concat()),
        shapefile(8, &[&bounds[..], &4i32.to_le_bytes(), &vertices].concat()),
    ]
}

/// An attribute table with one field and one record.
fn attributes() -> Vec<u8> {
    let mut bytes = vec![3, 126, 1, 1, 1, 0, 0, 0, 65, 0, 6, 0];
    bytes.resize(32, 0);
    bytes.extend_from_slice(b"NAME\0\0\0\0\0\0\0C\0\0\0\0\x05\0");
    bytes.resize(64, 0);
    bytes.extend_from_slice(b"\r oakum");
    bytes
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).unwrap_or_default()
}

fn fixtures() -> Vec<Vec<u8>> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tables"));
    let names = ["kinds.parquet", "gzip.parquet", "lz4.parquet"];
    names.iter().map(|name| std::fs::read(folder.join(name)).expect("the fixture is there")).collect()
}

/// The layout of a table, chosen by its bytes so that a failure can be repeated.
fn options(bytes: &[u8]) -> TableOptions {
    let sum =
        bytes.iter().fold(bytes.len(), |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    let separators = ["auto", "auto", "comma", "semicolon", "tab", "pipe", "space", "/"];
    let format = TextFormat {
        separator: separators[sum % 8].parse().unwrap_or_default(),
        decimal_comma: (sum / 8).is_multiple_of(4),
        header: [Header::Auto, Header::Auto, Header::Yes, Header::No][sum / 32 % 4],
    };
    let column = |chance: usize| (sum / chance).is_multiple_of(5).then(|| "2".to_string());
    TableOptions {
        columns: column(128).into_iter().collect(),
        weights: column(256),
        cluster: column(512),
        normals: column(2048).into_iter().collect(),
        drop_missing: (sum / 1024).is_multiple_of(2),
        format,
    }
}

fn read_sheet(name: &str, bytes: &[u8], options: &TableOptions) {
    if let Ok(sheet) = Sheet::parse(name, bytes, options) {
        assert_eq!(sheet.values.len(), sheet.lines.len() * sheet.dimension());
        let normals = sheet.normals().unwrap();
        assert_eq!(normals.map_or(0, |normals| normals.len()), sheet.lines.len() * options.normals.len());
        assert!(sheet.into_points().is_ok() || options.weights.is_some());
    }
}

fn read_map(name: &str, bytes: &[u8]) {
    if let Ok(map) = Map::parse(name, bytes, &MapOptions::default()) {
        let _ = map.polygon();
    }
    let _ = Map::parse(name, bytes, &MapOptions { features: vec![("n".into(), "1".into())], layer: None });
    let any = TableOptions { cluster: Some("t".into()), drop_missing: true, ..Default::default() };
    read_sheet(name, bytes, &any);
    read_sheet(name, bytes, &TableOptions::default());
}

/// All parsers; those that read several files do so in a folder.
pub fn parsers(folder: PathBuf) -> Vec<Parser> {
    let (file, shape) = (folder.join("f.parquet"), folder.join("f.shp"));
    std::fs::write(&shape, &shapefiles()[0]).expect("the folder can be written to");
    let data = Frame::parse("f.csv", b"y,x,g\n1,2,a\n2,3,b\n3,5,a\n4,4,b\n", &FrameOptions::default());
    let data = data.expect("the table is valid");
    vec![
        parser("table", texts(TABLES), |bytes| read_sheet("f.csv", bytes, &options(bytes))),
        parser("packed table", TABLES.iter().map(|text| packed(text)).collect(), |bytes| {
            read_sheet("f.csv", bytes, &options(bytes));
        }),
        parser("frame", texts(TABLES), |bytes| {
            let TableOptions { drop_missing, format, .. } = options(bytes);
            if let Ok(frame) = Frame::parse("f.csv", bytes, &FrameOptions { drop_missing, format }) {
                for j in 1..=frame.names().len().min(4) {
                    let _ = (frame.numbers(&j.to_string()), frame.texts(&j.to_string()));
                }
            }
        }),
        parser("ring table", texts(TABLES), |bytes| read_map("f.csv", bytes)),
        parser("GeoJSON", texts(GEOJSON), |bytes| read_map("f.geojson", bytes)),
        parser("TopoJSON", texts(TOPOJSON), |bytes| read_map("f.topojson", bytes)),
        parser("GeoPackage", vec![include_bytes!("../../src/map/towns.gpkg").to_vec()], |bytes| {
            read_map("f.gpkg", bytes);
        }),
        parser("table of WKT", texts(WKT_TABLES), |bytes| read_map("f.csv", bytes)),
        parser("WKT", texts(WKT), |bytes| read_map("f.wkt", bytes)),
        parser("shapefile", shapefiles(), |bytes| read_map("f.shp", bytes)),
        parser("attributes", vec![attributes()], move |bytes| {
            std::fs::write(shape.with_extension("dbf"), bytes).expect("the folder can be written to");
            let by_name = TableOptions { cluster: Some("NAME".into()), ..Default::default() };
            let _ = read_table(&shape, &by_name);
        }),
        parser("Parquet", fixtures(), move |bytes| {
            std::fs::write(&file, bytes).expect("the folder can be written to");
            let _ = read_table(&file, &options(bytes));
        }),
        parser("domain", texts(SPECS), |bytes| {
            if let Ok(spec) = DomainSpec::parse(&String::from_utf8_lossy(bytes)) {
                let _ = (spec.dimension(), spec.fits(2));
            }
        }),
        parser("formula", texts(FORMULAS), move |bytes| {
            if let Ok(formula) = Formula::parse(&String::from_utf8_lossy(bytes)) {
                let _ = formula.design(&data);
            }
        }),
        parser("log-density", texts(DENSITIES), |bytes| {
            let text = String::from_utf8_lossy(bytes);
            if let Ok(expression) = Expression::parse(&text, &["x1", "x2", "a", "b"]) {
                let _ = expression.evaluate(&[0.5, -1.0, 2.0, 0.0]);
            }
            let _ = Autodiff::from_formula(&text, &["x1", "x2"], &[("a", 0.5), ("b", 1.0)]);
        }),
    ]
}

//! Maps in the formats that the program reads.

use crate::dice::Dice;
use crate::table::Written;

/// A GeoPackage with two layers of towns, of which every run changes a few bytes.
const TOWNS: &[u8] = include_bytes!("../../steinbound-io/src/map/towns.gpkg");

type Ring = Vec<[f64; 2]>;

/// A map of one feature of one ring, often with a neighbour, as one file or as several.
pub fn of_ring(dice: &mut Dice, ring: &[Vec<f64>], stem: &str) -> Vec<Written> {
    let mut ring: Ring = ring.iter().map(|at| [at[0], at[1]]).collect();
    if dice.chance(20) {
        ring.reverse();
    }
    if dice.chance(10) && ring.len() > 3 {
        // A ring that crosses itself.
        ring.swap(1, 2);
    }
    if let (true, Some(first)) = (dice.chance(95), ring.first().copied()) {
        ring.push(first);
    }
    let mut rings = vec![ring.clone()];
    if dice.chance(25) {
        let width = ring.iter().map(|at| at[0]).fold(f64::MIN, f64::max)
            - ring.iter().map(|at| at[0]).fold(f64::MAX, f64::min);
        // Next to the first, which it may touch or overlap.
        let shift = width * *dice.weighted(&[(2, 1.5), (1, 1.0), (1, 0.5), (1, 0.0)]);
        rings.push(ring.iter().map(|at| [at[0] + shift, at[1]]).collect());
    }
    let file = |extension: &str, bytes: Vec<u8>| Written {
        name: format!("{stem}.{extension}"),
        bytes,
        ..Written::default()
    };
    match dice.below(12) {
        0..=4 => {
            vec![file(dice.pick(&["geojson", "geojson", "geojson", "json"]), geo_json(dice, &rings).into())]
        }
        5 => vec![file("topojson", topo_json(&rings).into())],
        6 | 7 => {
            let srid = if dice.chance(20) { "SRID=4326;" } else { "" };
            vec![file("wkt", format!("{srid}MULTIPOLYGON({})\n", polygons(&rings)).into())]
        }
        8 => {
            let row = |(k, ring): (usize, &Ring)| {
                format!("{k},\"POLYGON{}\"\n", polygons(std::slice::from_ref(ring)))
            };
            let lines: Vec<String> = rings.iter().enumerate().map(row).collect();
            vec![file("csv", format!("n,geom\n{}", lines.concat()).into())]
        }
        9 => vec![file("gpkg", TOWNS.to_vec())],
        10 => {
            let mut files = vec![file("shp", shape_file(5, &ring_contents(&rings)))];
            if dice.chance(70) {
                files.push(file("dbf", attributes(rings.len())));
            }
            files
        }
        _ => {
            let row = |at: &[f64; 2]| format!("{:?},{:?}\n", at[0], at[1]);
            vec![file("csv", format!("x,y\n{}", ring.iter().map(row).collect::<String>()).into())]
        }
    }
}

/// Data as points of a map.
pub fn of_points(dice: &mut Dice, rows: &[Vec<f64>], stem: &str) -> Vec<Written> {
    let pair = |row: &Vec<f64>| (row[0], row[1]);
    let (name, bytes): (&str, Vec<u8>) = match dice.below(3) {
        0 => {
            let feature = |(k, row): (usize, &Vec<f64>)| {
                let (x, y) = pair(row);
                format!(
                    r#"{{"type":"Feature","properties":{{"w":{},"g":"{}"}},"geometry":{{"type":"Point","coordinates":[{x:?},{y:?}]}}}}"#,
                    k % 5,
                    ["a", "b"][k % 2]
                )
            };
            let list: Vec<String> = rows.iter().enumerate().map(feature).collect();
            ("geojson", format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, list.join(",")).into())
        }
        1 => {
            let line = |row: &Vec<f64>| format!("POINT({:?} {:?})\n", row[0], row[1]);
            ("wkt", rows.iter().map(line).collect::<String>().into())
        }
        _ => {
            let contents: Vec<Vec<u8>> = rows.iter().map(|row| doubles(&row[..2])).collect();
            ("shp", shape_file(1, &contents))
        }
    };
    vec![Written { name: format!("{stem}.{name}"), bytes, ..Written::default() }]
}

fn geo_json(dice: &mut Dice, rings: &[Ring]) -> String {
    let ring = |ring: &Ring| {
        let places: Vec<String> = ring.iter().map(|at| format!("[{:?},{:?}]", at[0], at[1])).collect();
        format!("[[{}]]", places.join(","))
    };
    let geometry = |outline: &Ring| format!(r#"{{"type":"Polygon","coordinates":{}}}"#, ring(outline));
    if rings.len() == 1 && dice.chance(40) {
        return geometry(&rings[0]);
    }
    let names = ["Northam", dice.pick(&["Southam", "<i>South</i>", "\\u202eham", "a\\u0007b"])];
    let feature = |(k, outline): (usize, &Ring)| {
        let name = names[k % 2];
        format!(
            r#"{{"type":"Feature","id":{k},"properties":{{"NAME":"{name}","n":{k}}},"geometry":{}}}"#,
            geometry(outline)
        )
    };
    let list: Vec<String> = rings.iter().enumerate().map(feature).collect();
    format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, list.join(","))
}

fn topo_json(rings: &[Ring]) -> String {
    let arc = |ring: &Ring| {
        let places: Vec<String> = ring.iter().map(|at| format!("[{:?},{:?}]", at[0], at[1])).collect();
        format!("[{}]", places.join(","))
    };
    let arcs: Vec<String> = rings.iter().map(arc).collect();
    let geometry = |k: usize| {
        format!(r#"{{"type":"Polygon","arcs":[[{k}]],"id":"{k}","properties":{{"NAME":"Northam"}}}}"#)
    };
    let list: Vec<String> = (0..rings.len()).map(geometry).collect();
    format!(
        r#"{{"type":"Topology","arcs":[{}],"objects":{{"towns":{{"type":"GeometryCollection","geometries":[{}]}}}}}}"#,
        arcs.join(","),
        list.join(",")
    )
}

fn polygons(rings: &[Ring]) -> String {
    let polygon = |ring: &Ring| {
        let places: Vec<String> = ring.iter().map(|at| format!("{:?} {:?}", at[0], at[1])).collect();
        format!("(({}))", places.join(", "))
    };
    rings.iter().map(polygon).collect::<Vec<_>>().join(", ")
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn ring_contents(rings: &[Ring]) -> Vec<Vec<u8>> {
    let content = |ring: &Ring| {
        let flat: Vec<f64> = ring.iter().flatten().copied().collect();
        let low = |j: usize| ring.iter().map(|at| at[j]).fold(f64::MAX, f64::min);
        let high = |j: usize| ring.iter().map(|at| at[j]).fold(f64::MIN, f64::max);
        let counts = [1, ring.len() as i32, 0].map(i32::to_le_bytes).concat();
        [doubles(&[low(0), low(1), high(0), high(1)]), counts, doubles(&flat)].concat()
    };
    rings.iter().map(content).collect()
}

/// The main file of a Shapefile, whose lengths count words of two bytes.
fn shape_file(kind: i32, contents: &[Vec<u8>]) -> Vec<u8> {
    let mut records = Vec::new();
    for (k, content) in contents.iter().enumerate() {
        records.extend((k as i32 + 1).to_be_bytes());
        records.extend((content.len() as i32 / 2 + 2).to_be_bytes());
        records.extend(kind.to_le_bytes());
        records.extend(content);
    }
    let mut file = vec![0; 100];
    file[..4].copy_from_slice(&9994_i32.to_be_bytes());
    file[24..28].copy_from_slice(&(50 + records.len() as i32 / 2).to_be_bytes());
    file[28..32].copy_from_slice(&1000_i32.to_le_bytes());
    file[32..36].copy_from_slice(&kind.to_le_bytes());
    file.extend(records);
    file
}

/// The table of attributes of a Shapefile: names of five letters.
fn attributes(count: usize) -> Vec<u8> {
    let mut bytes = vec![0; 65];
    bytes[..4].copy_from_slice(&[3, 126, 1, 1]);
    bytes[4] = count as u8;
    (bytes[8], bytes[10]) = (65, 6);
    bytes[32..36].copy_from_slice(b"NAME");
    (bytes[43], bytes[48], bytes[64]) = (b'C', 5, b'\r');
    for k in 0..count {
        bytes.extend(format!(" tow{:02}", k % 100).bytes());
    }
    bytes
}

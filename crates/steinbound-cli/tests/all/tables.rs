//! Tables of every kind as data and boundary: text of all layouts, packed or piped, Parquet, and points from
//! maps.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{Folder, Said, field};

/// Twelve points in the unit disc, and six on its edge.
fn points() -> Vec<[f64; 2]> {
    let point = |i: i32| {
        let (angle, radius) = (2.4 * f64::from(i), 0.9 * ((f64::from(i) + 0.5) / 12.0).sqrt());
        [(radius * angle.cos() * 1e6).round() / 1e6, (radius * angle.sin() * 1e6).round() / 1e6]
    };
    (0..12).map(point).collect()
}

const EDGE: &str = "1,0\n0.5,0.866\n-0.5,0.866\n-1,0\n-0.5,-0.866\n0.5,-0.866\n";

/// The points as text, with a header and the given separator and end of lines.
fn text(separator: &str, end: &str) -> String {
    let row = |[x, y]: [f64; 2]| format!("{x}{separator}{y}{end}");
    format!("x{separator}y{end}") + &points().into_iter().map(row).collect::<String>()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("edge.csv", EDGE).write("plain.csv", &text(",", "\n"));
    folder
}

fn fit<'a>(data: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    [&["fit", data, "--boundary", "edge.csv", "--known-covariance", "1"], options].concat()
}

/// The estimates from the points as plain comma-separated values.
fn expected(folder: &Folder) -> Vec<f64> {
    field(&folder.json(&fit("plain.csv", &[]))["parameters"], "estimate")
}

/// The estimates from a file with the given bytes.
#[track_caller]
fn estimates(bytes: impl AsRef<[u8]>, options: &[&str]) -> Vec<f64> {
    let folder = folder();
    std::fs::write(folder.path("data"), bytes).unwrap();
    field(&folder.json(&fit("data", options))["parameters"], "estimate")
}

fn refusal(bytes: impl AsRef<[u8]>, options: &[&str]) -> Said {
    let folder = folder();
    std::fs::write(folder.path("data.csv"), bytes).unwrap();
    folder.run(&fit("data.csv", options))
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn every_layout_gives_the_same_fit() {
    let expected = expected(&folder());
    for separator in [",", ";", "\t", "|"] {
        assert_eq!(estimates(text(separator, "\n"), &[]), expected, "{separator:?}");
        assert_eq!(estimates(text(separator, "\r\n"), &[]), expected, "{separator:?}, Windows");
    }
    assert_eq!(estimates(text("   ", "\n"), &["--separator", "space"]), expected);
    assert_eq!(estimates(text("/", "\n"), &["--separator", "/"]), expected);
    assert_eq!(estimates(text(";", "\n"), &["--separator", "semicolon"]), expected);
    let marked = ["\u{feff}".as_bytes(), text(",", "\n").as_bytes()].concat();
    assert_eq!(estimates(&marked, &[]), expected, "a byte-order mark");
    assert_eq!(estimates(packed(&marked), &[]), expected, "packed");
    let quoted = text("\",\"", "\"\n\"");
    let quoted = format!("\"{}", quoted.strip_suffix('"').unwrap());
    assert_eq!(estimates(quoted, &[]), expected, "quoted");
    let comma = text(";", "\n").replace('.', ",");
    assert_eq!(estimates(&comma, &["--decimal-comma"]), expected);
    assert_eq!(estimates(&comma, &["--decimal-comma", "--separator", ";"]), expected);
}

#[test]
fn decimal_commas_are_refused_with_the_remedy() {
    let comma = text(";", "\n").replace('.', ",");
    refusal(&comma, &[]).expect_refusal(&["data.csv, line 2, column 1 (\"x\")", "--decimal-comma"]);
    let both = ["--decimal-comma", "--separator", "comma"];
    refusal(&comma, &both).expect_refusal(&["cannot be both the separator and the decimal comma"]);
    let said = refusal(text(";", "\n"), &["--decimal-comma"]);
    said.expect_refusal(&[
        "data.csv, line 2, column 1 (\"x\")",
        "has a decimal point although --decimal-comma is given",
    ]);
    refusal("x\n1\n", &["--separator", "5"]).expect_refusal(&["\"5\" is no separator", "semicolon"]);
    let folder = folder();
    folder.write("comma.csv", "0,5;0,5\n0,1;1,0\n");
    let base = ["fit", "plain.csv", "--boundary", "comma.csv"];
    folder.run(&base).expect_refusal(&["comma.csv", "line 2", "write this file with decimal points"]);
}

#[test]
fn the_header_can_be_forced() {
    let folder = folder();
    folder
        .write("numbers.csv", "1,2\n0.1,0.2\n0.3,0.1\n-0.2,0.3\n0.2,-0.3\n")
        .write("ball.csv", "5,0\n-5,0\n0,5\n0,-5\n");
    let fit = |header: &str| {
        folder.json(&[
            "fit",
            "numbers.csv",
            "--boundary",
            "ball.csv",
            "--known-covariance",
            "1",
            "--header",
            header,
        ])
    };
    let names = |fit: &Value| fit["parameters"][0]["name"].as_str().unwrap().to_string();
    assert_eq!((&fit("auto")["n"], names(&fit("auto"))), (&Value::from(5), "mean[x1]".into()));
    assert_eq!((&fit("yes")["n"], names(&fit("yes"))), (&Value::from(4), "mean[1]".into()));
    refusal("x,y\n0.1,0.2\n0.3,0.1\n", &["--header", "no", "--columns", "1,2"])
        .expect_refusal(&["data.csv, line 1, column 1: \"x\" is not a number"]);
}

#[test]
fn standard_input_is_a_file_called_minus() {
    let folder = folder();
    let run = |arguments: &[&str], bytes: Vec<u8>| {
        let mut command = assert_cmd::Command::cargo_bin("steinbound").unwrap();
        let output =
            command.current_dir(folder.path("")).args(arguments).write_stdin(bytes).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Said { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    };
    let json = fit("-", &["--format", "json"]);
    for bytes in [text(";", "\n").into_bytes(), packed(text(",", "\n").as_bytes())] {
        let said = run(&json, bytes);
        assert_eq!(field(&said.json()["parameters"], "estimate"), expected(&folder), "{}", said.stderr);
    }
    run(&json, b"".to_vec()).expect_refusal(&["standard input is empty"]);
    run(&json, b"1,2\n1,oak\n".to_vec()).expect_refusal(&["standard input, line 2, column 2", "oak"]);
    run(&["fit", "-", "--boundary", "-"], text(",", "\n").into_bytes())
        .expect_refusal(&["cannot read standard input", "only one file"]);
    let said = run(
        &["regress", "-", "--formula", "y ~ x", "--lower", "-2", "--format", "json"],
        text("\t", "\n").into_bytes(),
    );
    assert_eq!(said.json()["n"], 12, "{}", said.stderr);
}

#[test]
fn other_encodings_are_read_or_refused() {
    let utf16: Vec<u8> = "\u{feff}x,y\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    refusal(utf16, &[]).expect_refusal(&["data.csv", "UTF-16", "save it as UTF-8"]);
    refusal("PK\x03\x04 and so on", &[]).expect_refusal(&["data.csv", ".zip", "unpack it first"]);
    // Latin-1, in the header and in a column that is not used.
    let latin: Vec<u8> =
        text(",", "\n").replace("x,y", "gr\u{f6}\u{df}e,y").chars().map(|c| c as u8).collect();
    let folder = folder();
    std::fs::write(folder.path("latin.csv"), &latin).unwrap();
    let found = folder.json(&fit("latin.csv", &["--columns", "gr\u{f6}\u{df}e,y"]));
    assert_eq!(found["parameters"][0]["name"], "mean[gr\u{f6}\u{df}e]");
    refusal(b"x,y\n1,2\n1,\xe9t\xe9\n", &[])
        .expect_refusal(&["line 3, column 2 (\"y\"): \"\u{e9}t\u{e9}\" is not a number"]);
}

#[test]
fn missing_values_of_every_spelling_are_dropped_or_refused() {
    for missing in ["", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", ".", " . "] {
        let with_gap = format!("x,y\n{missing},1\n{}", text(",", "\n").strip_prefix("x,y\n").unwrap());
        let folder = folder();
        folder.write("gaps.csv", &with_gap);
        let fit = folder.json(&fit("gaps.csv", &["--drop-missing"]));
        assert_eq!(field(&fit["parameters"], "estimate"), expected(&folder), "{missing:?}");
        let said = refusal(&with_gap, &[]);
        said.expect_refusal(&["data.csv, line 2, column 1", "--drop-missing"]);
    }
}

#[test]
fn quoted_fields_hold_separators_and_line_breaks() {
    let quoted =
        "id,x,y\n\"a, b\",0.1,0.2\n\"line\nbreak\",0.3,0.1\n\"say \"\"so\"\"\",-0.2,0.3\nd,0.2,oak\n";
    refusal(quoted, &[]).expect_refusal(&["data.csv, line 6, column 3 (\"y\"): \"oak\" is not a number"]);
    let open = "id,x\na,1\n\"b,2\nc,3\n";
    refusal(open, &[]).expect_refusal(&["data.csv, line 3: a quoted value begins here and does not end"]);
}

#[test]
fn columns_of_text_are_told_on_request() {
    let folder = folder();
    let row = |[x, y]: [f64; 2]| format!("a,{x},{y},late\n");
    folder.write(
        "text.csv",
        &("id,x,y,note\n".to_string() + &points().into_iter().map(row).collect::<String>()),
    );
    let told = |options: &[&str]| {
        let said = folder.run(&fit("text.csv", options));
        assert_eq!(said.code, 0, "{}", said.stderr);
        said.stderr.contains("note: columns that are not numbers are left out: id, note\n")
    };
    assert!(told(&["--verbose"]));
    assert!(told(&[]) && !told(&["--quiet"]) && !told(&["--verbose", "--columns", "x,y"]));
}

#[test]
fn ten_thousand_columns_are_read() {
    let wide = |value: &str| vec![value; 10_000].join(",") + "\n";
    let table = wide("1.5") + &wide("2.5") + &wide("3");
    let options = ["--columns", "9999,10000", "--method", "mle"];
    let folder = folder();
    folder.write("wide.csv", &table);
    let found = folder.json(&fit("wide.csv", &options));
    assert_eq!(field(&found["parameters"], "estimate"), [7.0 / 3.0; 2]);
    let said = refusal(table + "1,2\n", &options);
    said.expect_refusal(&["data.csv, line 4: 2 values where the first line has 10000"]);
    let too_wide = vec!["1"; 100_001].join(",");
    refusal(too_wide, &[]).expect_refusal(&["data.csv, line 1 has more than 100000 values"]);
}

/// Runs the command with at most 256 MB of memory on what a function pipes into it.
#[cfg(target_os = "linux")]
fn fed(folder: &Folder, data: &str, feed: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Said {
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -v 262144; exec \"$@\"", "sh"])
        .arg(assert_cmd::cargo::cargo_bin("steinbound"))
        .args(fit(data, &[]))
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command stops reading when it refuses, which breaks the pipe.
    let _ = feed(&mut child.stdin.take().unwrap());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code().expect("no signal ended it");
    Said { code, stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_without_an_end_is_refused_in_bounded_memory() {
    let folder = folder();
    let endless = |start: &'static str, chunk: &'static str| {
        move |out: &mut dyn Write| {
            out.write_all(start.as_bytes())?;
            let chunk = chunk.repeat((1 << 20) / chunk.len());
            (0..1024).try_for_each(|_| out.write_all(chunk.as_bytes()))
        }
    };
    fed(&folder, "-", endless("x,y\n1,2\n", "1"))
        .expect_refusal(&["standard input, line 3 is longer than 16 MB", "one point per line"]);
    fed(&folder, "-", endless("", "1,")).expect_refusal(&["standard input, line 1 is longer than 16 MB"]);
    fed(&folder, "-", endless("x,y\n1,2\n3,\"4\n", "5\n"))
        .expect_refusal(&["standard input, line 3: a quoted value begins here and does not end"]);
    let bomb = packed(&vec![b'1'; 40 << 20]);
    assert!(bomb.len() < 1 << 18);
    std::fs::write(folder.path("bomb.gz"), bomb).unwrap();
    fed(&folder, "bomb.gz", |_| Ok(())).expect_refusal(&["bomb.gz, line 1 is longer than 16 MB"]);
    std::fs::File::create(folder.path("sparse")).unwrap().set_len(1 << 30).unwrap();
    fed(&folder, "sparse", |_| Ok(())).expect_refusal(&["sparse, line 1 is longer than 16 MB"]);
}

#[cfg(unix)]
#[test]
fn what_is_no_ordinary_file_is_read_or_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    std::fs::create_dir(folder.path("sub")).unwrap();
    folder.run(&fit("sub", &[])).expect_refusal(&["cannot read sub: it is a folder"]);
    folder.run(&fit("/dev/null", &[])).expect_refusal(&["/dev/null is empty"]);
    folder.run(&fit("gone.csv", &[])).expect_refusal(&["cannot read gone.csv", "check the name"]);
    folder.write("secret.csv", "1,2\n");
    std::fs::set_permissions(folder.path("secret.csv"), PermissionsExt::from_mode(0o000)).unwrap();
    // Who may read everything can read this, too.
    if std::fs::File::open(folder.path("secret.csv")).is_err() {
        folder.run(&fit("secret.csv", &[])).expect_refusal(&["cannot read secret.csv", "permission"]);
    }
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn(move || std::fs::write(pipe, text(",", "\n")).unwrap());
    assert_eq!(field(&folder.json(&fit("pipe", &[]))["parameters"], "estimate"), expected(&folder));
    writer.join().unwrap();
}

fn copy_fixture(folder: &Folder, name: &str) {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../steinbound-io/tests/tables");
    std::fs::copy(Path::new(fixtures).join(name), folder.path(name)).unwrap();
}

#[test]
fn parquet_files_are_tables() {
    let folder = folder();
    for name in ["gzip.parquet", "lz4.parquet", "kinds.parquet", "zstd.parquet"] {
        copy_fixture(&folder, name);
    }
    std::fs::rename(folder.path("lz4.parquet"), folder.path("lz4")).unwrap();
    let found = folder.json(&fit("gzip.parquet", &[]));
    assert_eq!((&found["n"], &found["parameters"][0]["name"]), (&Value::from(12), &Value::from("mean[x]")));
    assert_eq!(folder.json(&fit("lz4", &[]))["parameters"], found["parameters"], "by its first bytes");
    let said = folder.run(&["fit", "kinds.parquet", "--boundary", "edge.csv", "--columns", "double,gaps"]);
    said.expect_refusal(&[
        "kinds.parquet, row 2, column 10 (\"gaps\"): the value is missing",
        "--drop-missing",
    ]);
    let refused = |column: &str, parts: &[&str]| {
        folder.run(&fit("kinds.parquet", &["--columns", column])).expect_refusal(parts);
    };
    refused("group,last", &["row 1, column 11 (\"group\"): \"a\" is not a number"]);
    refused("list,last", &["column 15 (\"list\")", "lists or structures"]);
    refused("day,last", &["column 13 (\"day\")", "dates", "convert them"]);
    if !cfg!(feature = "zstd") {
        let said = folder.run(&fit("zstd.parquet", &[]));
        said.expect_refusal(&["zstd.parquet, column x", "packed by ZSTD", "compression \"snappy\""]);
    }
    let regress = ["regress", "kinds.parquet", "--formula", "double ~ colour", "--method", "mle"];
    assert_eq!(folder.run(&regress).code, 2, "three rows are too few, but they are read");
    let bytes = std::fs::read(folder.path("gzip.parquet")).unwrap();
    std::fs::write(folder.path("cut.parquet"), &bytes[..bytes.len() - 20]).unwrap();
    folder.run(&fit("cut.parquet", &[])).expect_refusal(&["cut.parquet", "damaged"]);
}

/// Pages with a checksum are read only as they were written.
#[test]
fn a_changed_value_in_a_parquet_file_is_noticed() {
    let folder = folder();
    copy_fixture(&folder, "checksums.parquet");
    copy_fixture(&folder, "gzip.parquet");
    let whole = folder.json(&fit("checksums.parquet", &[]));
    assert_eq!(whole["parameters"], folder.json(&fit("gzip.parquet", &[]))["parameters"]);
    let mut bytes = std::fs::read(folder.path("checksums.parquet")).unwrap();
    let value = (0.1f64 - 0.55).to_le_bytes();
    let at = bytes.windows(8).position(|window| window == value).expect("values are stored as they are");
    bytes[at + 6] ^= 1;
    std::fs::write(folder.path("changed.parquet"), &bytes).unwrap();
    folder.run(&fit("changed.parquet", &[])).expect_refusal(&["changed.parquet", "damaged"]);
}

/// A shapefile of points.
fn shapefile(points: &[[f64; 2]]) -> Vec<u8> {
    let words = |count: usize| i32::try_from(count / 2).unwrap().to_be_bytes();
    let mut bytes = [&9994i32.to_be_bytes()[..], &[0; 20], &words(100 + 28 * points.len())].concat();
    bytes.extend([1000i32.to_le_bytes(), 1i32.to_le_bytes()].concat());
    bytes.resize(100, 0);
    for (at, point) in points.iter().enumerate() {
        bytes.extend([i32::try_from(at + 1).unwrap().to_be_bytes(), words(20), 1i32.to_le_bytes()].concat());
        bytes.extend(point.iter().flat_map(|value| value.to_le_bytes()));
    }
    bytes
}

#[test]
fn the_points_of_maps_are_data() {
    let folder = folder();
    let feature = |[x, y]: [f64; 2]| {
        format!(
            "{{\"type\":\"Feature\",\"properties\":{{\"size\":{},\"town\":\"{}\"}},\"geometry\":{{\"type\":\"Point\",\"coordinates\":[{x},{y}]}}}}",
            x.abs(),
            if y > 0.0 { "north" } else { "south" }
        )
    };
    let features: Vec<String> = points().into_iter().map(feature).collect();
    let json = format!("{{\"type\":\"FeatureCollection\",\"features\":[{}]}}", features.join(","));
    let line = |[x, y]: [f64; 2]| format!("POINT({x} {y})\n");
    folder
        .write("towns.geojson", &json)
        .write("towns.wkt", &points().into_iter().map(line).collect::<String>());
    std::fs::write(folder.path("towns.shp"), shapefile(&points())).unwrap();
    let expected = expected(&folder);
    for (name, axis) in [("towns.geojson", "lon"), ("towns.wkt", "x"), ("towns.shp", "x")] {
        let found = folder.json(&fit(name, &[]));
        assert_eq!(field(&found["parameters"], "estimate"), expected, "{name}");
        assert_eq!(found["parameters"][0]["name"], format!("mean[{axis}]"), "{name}");
    }
    folder.write("towns.prj", "PROJCS[\"World\",PROJECTION[\"Mercator_1SP\"]]");
    let said = folder.run(&fit("towns.shp", &[]));
    assert_eq!(
        said.stderr.matches("warning: towns.shp is in a Mercator projection").count(),
        1,
        "{}",
        said.stderr
    );
    let weighted = folder.json(&fit("towns.geojson", &["--weights", "size", "--cluster", "town"]));
    assert_ne!(field(&weighted["parameters"], "estimate"), expected);
    let refused = folder.run(&fit("towns.geojson", &["--columns", "lon,town"]));
    refused.expect_refusal(&["towns.geojson, feature 1, column 4 (\"town\")", "is not a number"]);
    let regress = ["regress", "towns.geojson", "--formula", "size ~ lat", "--lower", "0"];
    assert_eq!(folder.json(&regress)["n"], 12);
    folder.write("area.wkt", "POLYGON((0 0, 1 0, 0 1, 0 0))");
    folder.run(&fit("area.wkt", &[])).expect_refusal(&["area.wkt, feature 1 is a POLYGON, not a point"]);
    folder.write("map.zip", "PK\x03\x04");
    folder.run(&fit("map.zip", &[])).expect_refusal(&["map.zip", "unpack it first"]);
    folder
        .run(&["fit", "plain.csv", "--boundary", "map.zip"])
        .expect_refusal(&["map.zip", "unpack it first"]);
    folder.run(&["boundary", "map.zip"]).expect_refusal(&["map.zip", "unpack it first"]);
}

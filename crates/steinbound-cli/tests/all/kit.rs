//! A folder with all files that the examples of the help name, and a call of every command.

use std::fmt::Write;

use crate::common::Folder;

pub const SCORES: &str = include_str!("../../../steinbound-io/data/student_scores.csv");

/// A folder in which every example of the help works.
pub fn kit() -> Folder {
    let folder = Folder::new();
    let simulate = |arguments: &[&str]| {
        let said = folder.run(&[&["simulate", "--quiet"], arguments].concat());
        assert_eq!(said.code, 0, "{}", said.stderr);
    };
    let points = ["--domain", "ball(radius=1.44)", "--at", "0.5,0.5", "-n", "150", "--output", "points.csv"];
    simulate(&[&points[..], &["--boundary-points", "48", "--boundary-output", "border.csv"]].concat());
    let modes = ["--model", "gaussian-mixture", "--components", "2", "--at", "-1.5,-1.5,1.5,1.5"];
    simulate(
        &[&modes[..], &["--domain", "box(low=-3, high=3)", "-n", "150", "--output", "modes.csv"]].concat(),
    );
    let country = "[[[0,44],[4,44],[4,48],[0,48],[0,44]]]";
    folder.write(
        "country.geojson",
        &format!(
            r#"{{"type":"Feature","properties":{{"NAME":"France"}},"geometry":{{"type":"Polygon","coordinates":{country}}}}}"#
        ),
    );
    let (mut places, mut waits, mut wages) =
        ("lon,lat\n".to_string(), String::new(), "wage,age,school,floor\n".to_string());
    for k in 0..120 {
        // Evenly scattered, without a generator of random numbers.
        let (u, v) = ((0.5 + 0.618_033_988_75 * f64::from(k)).fract(), (f64::from(k) + 0.5) / 120.0);
        let _ = writeln!(places, "{},{}", 0.1 + 3.8 * u * v.sqrt(), 44.1 + 3.8 * (1.0 - u) * v.sqrt());
        let _ = writeln!(waits, "{}", (-(1.0 - 0.99 * v).ln()).min(4.9));
        let school = if k % 3 == 0 { "village" } else { "town" };
        let _ = writeln!(
            wages,
            "{},{},{school},{}",
            20.0 + 60.0 * (0.4 * u + 0.6 * v),
            20.0 + 40.0 * v,
            12 + k % 5
        );
    }
    folder.write("places.csv", &places).write("waits.csv", &waits).write("wages.csv", &wages);
    folder.write("scores.csv", SCORES).write("new.csv", "age,school\n30,town\n50,village\n");
    folder
}

/// A call of every command that computes something, with files of the kit; those that write a file write
/// `out.csv` or the folder `out`.
pub fn calls() -> Vec<(&'static str, Vec<&'static str>)> {
    let boundary = ["--boundary", "border.csv", "--known-covariance", "1"];
    let of = |name: &'static str, more: &[&'static str]| {
        (name, [&[name, "points.csv"], &boundary[..], more].concat())
    };
    let formula = "achiv ~ langscore";
    vec![
        of("fit", &[]),
        of("discrepancy", &["--at", "0,0"]),
        of("witness", &["--grid", "4"]),
        of("compare", &["--method", "tksd,mle"]),
        of("test", &["--at", "0.5,0.5", "--bootstrap", "40"]),
        ("regress", vec!["regress", "scores.csv", "--formula", formula, "--lower", "40"]),
        ("simulate", vec!["simulate", "--domain", "interval(0, 1)", "-n", "5", "--output", "out.csv"]),
        ("boundary", vec!["boundary", "--domain", "ball(radius=2)", "--boundary-points", "9"]),
        ("reproduce", vec!["reproduce", "list"]),
        ("demo", vec!["demo"]),
    ]
}

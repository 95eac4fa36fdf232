//! Maps, projections and domains made of formulas, as a user meets them.

use crate::common::{Folder, field};

const SQUARE: &str = r#"{"type":"FeatureCollection","features":[
 {"type":"Feature","properties":{"NAME":"small"},"geometry":{"type":"Polygon","coordinates":[[[10,10],[10.5,10],[10.5,10.5],[10,10.5],[10,10]]]}},
 {"type":"Feature","properties":{"NAME":"big"},"geometry":{"type":"Polygon","coordinates":[[[-2,-2],[2,-2],[2,2],[-2,2],[-2,-2]],[[1,1],[1.5,1],[1.5,1.5],[1,1.5],[1,1]]]}}]}"#;

/// Points inside a square with a hole, drawn by the command itself.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("map.geojson", SQUARE);
    let wkt = "POLYGON((-2 -2, 2 -2, 2 2, -2 2, -2 -2), (1 1, 1.5 1, 1.5 1.5, 1 1.5, 1 1))";
    folder.write("map.wkt", wkt);
    let domain = "polygon(map.geojson, property=NAME, value=big)";
    let said = folder.run(&[
        "simulate", "--domain", domain, "--at", "0.5,0.2", "-n", "300", "--output", "data.csv", "--seed", "4",
    ]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    folder
}

/// The same region through every door gives the same bits.
#[test]
fn maps_are_read_in_every_format() {
    let folder = folder();
    let fit = |arguments: &[&str]| {
        let base = ["fit", "data.csv", "--known-covariance", "1", "--boundary-points", "60", "--no-project"];
        let all = [&base[..], arguments].concat();
        field(&folder.json(&all)["parameters"], "estimate")
    };
    let boundary = fit(&["--boundary", "map.geojson", "--feature", "NAME=big"]);
    assert_eq!(boundary, fit(&["--boundary", "map.wkt"]));
    assert_eq!(boundary, fit(&["--domain", "polygon(map.wkt)"]));
    assert_eq!(boundary, fit(&["--domain", "polygon('map.geojson', property=NAME, value=big)"]));
    // Rings also define the domain: exact distances, likelihood.
    for method in ["truncsm", "bdksd", "truncated-mle"] {
        let means = fit(&["--boundary", "map.wkt", "--method", method]);
        assert!((means[0] - 0.5).abs() < 0.5 && (means[1] - 0.2).abs() < 0.5, "{method}: {means:?}");
    }
}

/// A square with a hole is also a box and the outside of another.
#[test]
fn domains_can_be_put_together() {
    let folder = folder();
    let fit = |domain: &str, method: &str| {
        let fit = folder.json(&[
            "fit",
            "data.csv",
            "--known-covariance",
            "1",
            "--domain",
            domain,
            "--method",
            method,
        ]);
        field(&fit["parameters"], "estimate")
    };
    let together = "intersection(box(low=-2, high=2), outside(box(low=1:1, high=1.5:1.5)))";
    for method in ["truncsm", "truncated-mle"] {
        let (a, b) = (fit("polygon(map.wkt)", method), fit(together, method));
        for (a, b) in a.iter().zip(&b) {
            assert!((a - b).abs() < 1e-3, "{method}: {a} {b}");
        }
    }
    // A formula has no exact distance, so that the nearest boundary point serves.
    let formula = "level(\"max(abs(x1), abs(x2)) - 2\")";
    let fitted = folder.json(&[
        "fit",
        "data.csv",
        "--known-covariance",
        "1",
        "--domain",
        formula,
        "--method",
        "truncsm",
    ]);
    assert_eq!(fitted["distance"], "axes");
    folder
        .run(&["fit", "data.csv", "--domain", formula, "--method", "truncsm", "--distance", "exact"])
        .expect_refusal(&["no formula for the distance", "nearest"]);
}

#[test]
fn the_heart_of_the_paper() {
    let folder = Folder::new();
    let heart = "level(\"x1^2 + (x2 - (x1^2)^(1/3))^2 - 1\")";
    let said = folder.run(&[
        "simulate",
        "--domain",
        heart,
        "--at",
        "0.5,0.5",
        "-n",
        "400",
        "--output",
        "data.csv",
        "--boundary-output",
        "edge.csv",
        "--boundary-points",
        "100",
    ]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let fit = folder.json(&[
        "fit",
        "data.csv",
        "--method",
        "tksd",
        "--boundary",
        "edge.csv",
        "--known-covariance",
        "1",
    ]);
    for p in fit["parameters"].as_array().unwrap() {
        let (value, error) = (p["estimate"].as_f64().unwrap(), p["std_error"].as_f64().unwrap());
        assert!((value - 0.5).abs() < 4.0 * error, "{p}");
    }
    assert!(fit["leak"].as_f64().unwrap() < 0.1);
}

#[test]
fn sparse_boundaries_are_told() {
    let folder = folder();
    let base = ["fit", "data.csv", "--method", "tksd", "--known-covariance", "1", "--boundary", "map.wkt"];
    let sparse = folder.run(&[&base[..], &["--boundary-points", "3"]].concat());
    assert!(sparse.code == 3 && sparse.stderr.contains("too sparse"), "{}", sparse.stderr);
    let dense = folder.run(&[&base[..], &["--boundary-points", "80"]].concat());
    assert!(!dense.stderr.contains("sparse"), "{}", dense.stderr);
}

/// Near the equator a degree is 111.2 km both ways: projecting changes units and nothing else.
#[test]
fn projection_maps_the_mean_back() {
    let folder = folder();
    let base =
        ["fit", "data.csv", "--boundary", "map.wkt", "--boundary-points", "80", "--method", "truncated-mle"];
    let raw = folder.json(&[&base[..], &["--known-covariance", "1"]].concat());
    let variance = format!("{}", 111.195f64.powi(2));
    let flat = folder.json(&[&base[..], &["--project", "--known-covariance", &variance]].concat());
    for name in ["estimate", "std_error"] {
        for (a, b) in field(&raw["parameters"], name).iter().zip(field(&flat["parameters"], name)) {
            assert!((a - b).abs() < 2e-3, "{name}: {a} {b}");
        }
    }
    // Parameters are given in degrees as well.
    let at = ["--at", "0.5,0.2", "--boundary", "map.wkt"];
    let discrepancy = |more: &[&str]| {
        let found = folder.json(&[&["discrepancy", "data.csv"], &at[..], more].concat());
        found["discrepancy"].as_f64().unwrap()
    };
    let (raw, flat) = (
        discrepancy(&["--known-covariance", "1"]),
        discrepancy(&["--project", "--known-covariance", &variance]),
    );
    assert!((raw / flat / 111.195 - 1.0).abs() < 1e-2, "{raw} {flat}");
}

#[test]
fn degrees_used_raw_are_noted() {
    let folder = folder();
    folder.write("named.csv", "lon,lat\n0.1,45.2\n0.5,44.7\n-0.7,45.9\n1.2,43.9\n");
    let base = ["--domain", "box(low=-2:43, high=2:47)", "--known-covariance", "1"];
    let said = folder.run(&[&["fit", "named.csv"], &base[..]].concat());
    assert!(
        said.stderr.contains("a degree of longitude is 79 km") && said.stderr.contains("--project"),
        "{}",
        said.stderr
    );
    let north = SQUARE.replace("-2", "58").replace(",2]", ",62]").replace("[2,", "[62,");
    folder.write("north.geojson", &north.replace(",[[1,1],[1.5,1],[1.5,1.5],[1,1.5],[1,1]]", ""));
    folder.write("north.csv", "59,59\n60,61\n61,59.5\n60.5,60\n");
    let said = folder.run(&[
        "fit",
        "north.csv",
        "--known-covariance",
        "1",
        "--no-project",
        "--boundary",
        "north.geojson",
        "--feature",
        "NAME=big",
    ]);
    assert!(said.stderr.contains("--project"), "{}", said.stderr);
    // Near the equator a degree is a degree.
    let equator = ["fit", "data.csv", "--boundary", "map.geojson", "--feature", "NAME=big", "--no-project"];
    let said = folder.run(&equator);
    assert!(!said.stderr.contains("--project"), "{}", said.stderr);
}

/// A map that states degrees, and data that can be: both are laid on a plane unless that is declined.
#[test]
fn degrees_are_projected_by_default() {
    let folder = folder();
    let fit = |more: &[&str]| {
        let base =
            ["fit", "data.csv", "--feature", "NAME=big", "--boundary", "map.geojson", "--format", "json"];
        let said = folder.run(&[&base[..], more].concat());
        assert!(matches!(said.code, 0 | 3), "{}", said.stderr);
        (said.json(), said.stderr)
    };
    let (default, notes) = fit(&[]);
    let expected = "note: projected about longitude ";
    assert_eq!(notes.matches(expected).count(), 1, "{notes}");
    assert!(notes.contains("map and data are in degrees; --no-project keeps them"), "{notes}");
    let (asked, _) = fit(&["--project"]);
    assert_eq!(default["parameters"], asked["parameters"]);
    assert_eq!(default["projection"]["unit"], "km");
    let region = &default["region"];
    assert_eq!((&region["unit"], &region["map"]), (&"km".into(), &"map.geojson".into()));
    assert_eq!((region["features"][0].as_str(), region["feature_count"].as_u64()), (Some("big"), Some(1)));
    let (plain, notes) = fit(&["--no-project"]);
    assert!(
        plain["projection"].is_null() && plain["region"]["unit"] == "degrees" && !notes.contains("projected")
    );
    // A plane stays one: the format does not state degrees, or the data cannot be.
    let planar = |data: &str, map: &str| {
        let found =
            folder.json(&["fit", data, "--boundary", map, "--known-covariance", "1", "--allow-outside"]);
        assert!(found["projection"].is_null(), "{data} {map}");
    };
    planar("data.csv", "map.wkt");
    folder.write("far.csv", "x,y\n500,1\n501,2\n500.5,3\n502,0\n");
    planar("far.csv", "map.geojson");
    folder
        .run(&["fit", "data.csv", "--boundary", "map.wkt", "--project", "--no-project"])
        .expect_refusal(&["--project", "--no-project"]);
    for command in ["test", "compare", "witness", "discrepancy"] {
        let mut call =
            vec![command, "data.csv", "--feature", "NAME=big", "--boundary", "map.geojson", "--quiet"];
        match command {
            "test" => call.extend(["--bootstrap", "20"]),
            "discrepancy" => call.extend(["--at", "0.5,0.2,12000,0,12000"]),
            _ => {}
        }
        call.extend(["--method", "tksd", "--boundary-points", "60"]);
        let found = folder.json(&call);
        assert_eq!(
            (&found["projection"]["unit"], &found["region"]["unit"]),
            (&"km".into(), &"km".into()),
            "{command}"
        );
    }
}

/// What lies outside is named in the file's own coordinates, left out, or kept.
#[test]
fn points_outside_are_named_and_left_out() {
    let folder = folder();
    let inside = std::fs::read_to_string(folder.path("data.csv")).unwrap();
    // On the border, a tenth of a metre beyond it, and far beyond it.
    folder.write("mixed.csv", &format!("{inside}2,0.5\n2.000001,-0.5\n2.25,0.125\n-3.5,1\n1.25,1.25\n"));
    folder.write("border.csv", &format!("{inside}2,0.5\n2.000001,-0.5\n"));
    let base = ["--boundary", "map.geojson", "--feature", "NAME=big"];
    let run = |file: &str, more: &[&str]| folder.run(&[&["fit", file], &base[..], more].concat());
    let listed = "3 of 305 data points lie outside the polygon of 2 rings";
    let places = ": line 304 (2.25, 0.125), line 305 (-3.5, 1), line 306 (1.25, 1.25)";
    run("mixed.csv", &[]).expect_refusal(&[
        "mixed.csv: ",
        listed,
        places,
        "--drop-outside",
        "--allow-outside",
    ]);
    let said = run("mixed.csv", &["--drop-outside"]);
    assert!(said.stderr.contains(listed) && said.stderr.contains("; they were left out"), "{}", said.stderr);
    let json = |file: &str, more: &[&str]| folder.json(&[&["fit", file], &base[..], more].concat());
    let dropped = json("mixed.csv", &["--drop-outside"]);
    assert_eq!((&dropped["n"], &dropped["region"]["outside"]["dropped"]), (&302.into(), &3.into()));
    assert_eq!(dropped["parameters"], json("border.csv", &[])["parameters"]);
    assert_eq!(json("mixed.csv", &["--allow-outside"])["region"]["outside"]["kept"], 3);
    folder.write("away.csv", "x,y\n50,1\n51,2\n50.5,3\n52,0\n");
    run("away.csv", &["--drop-outside"])
        .expect_refusal(&["4 of 4 data points lie outside", "the same coordinates"]);
    let none = folder.run(&["fit", "data.csv", "--method", "mle", "--drop-outside"]);
    assert!(none.stderr.contains("--drop-outside has no effect without a domain"), "{}", none.stderr);
}

/// Borders are straight in degrees. On the plane their edges are chords of curves, metres away from them.
#[test]
fn points_on_the_border_of_a_map_are_inside() {
    let folder = Folder::new();
    folder.write("north.wkt", "SRID=4326;POLYGON((-102 37, -94.6 37, -93 69.3, -102 69.3, -102 37))");
    let on_edge = |from: [f64; 2], to: [f64; 2], k: i32| {
        let place = |axis: usize| from[axis] + (to[axis] - from[axis]) * f64::from(k) / 100.0;
        [place(0), place(1)]
    };
    let corners = [[-102.0, 37.0], [-94.6, 37.0], [-93.0, 69.3], [-102.0, 69.3], [-102.0, 37.0]];
    let edges = || corners.windows(2).flat_map(|edge| (0..100).map(|k| on_edge(edge[0], edge[1], k)));
    let exact: Vec<String> = edges().map(|[x, y]| format!("{x},{y}\n")).collect();
    let rounded: Vec<String> = edges().map(|[x, y]| format!("{x:.6},{y:.6}\n")).collect();
    folder.write("exact.csv", &format!("lon,lat\n{}", exact.concat()));
    folder.write("rounded.csv", &format!("lon,lat\n{}", rounded.concat()));
    for data in ["exact.csv", "rounded.csv"] {
        for plane in ["--project", "--no-project"] {
            let found = folder.json(&["fit", data, "--boundary", "north.wkt", plane, "--method", "mle"]);
            assert_eq!((&found["n"], &found["region"]["outside"]["kept"]), (&400.into(), &0.into()));
        }
    }
    // A degree of longitude is 39 km there: 0.8 and 1.2 metres beyond the eastern border.
    let edge = -93.0 - 1.6 * 0.3 / 32.3;
    let beyond = |metres: f64| format!("{},69\n", edge + metres / (111_195.0 * 69f64.to_radians().cos()));
    folder.write("near.csv", &format!("lon,lat\n{}{}", exact.concat(), beyond(0.8)));
    folder.json(&["fit", "near.csv", "--boundary", "north.wkt", "--method", "mle"]);
    folder.write("far.csv", &format!("lon,lat\n{}{}", exact.concat(), beyond(1.2)));
    let said = folder.run(&["fit", "far.csv", "--boundary", "north.wkt", "--method", "mle"]);
    said.expect_refusal(&["1 of 401 data points lie outside"]);
}

/// A metre, in the unit that the reference system of a map has.
#[test]
fn a_metre_beyond_the_border_of_a_plane_map_is_on_it() {
    let folder = Folder::new();
    let square = "POLYGON((0 0, 500000 0, 500000 500000, 0 500000, 0 0))";
    folder.write("metres.wkt", &format!("SRID=3035;{square}")).write("unknown.wkt", square);
    let inside: String = (1..60).map(|k| format!("{},{}\n", k * 7919 % 60 * 8000, k * 8000)).collect();
    for (beyond, is_inside) in [("0.5", true), ("1.5", false)] {
        folder.write("beyond.csv", &format!("x,y\n{inside}-{beyond},250000\n"));
        let fit = |map: &str| folder.run(&["fit", "beyond.csv", "--boundary", map, "--method", "mle"]);
        fit("unknown.wkt").expect_refusal(&["1 of 60 data points lie outside"]);
        let said = fit("metres.wkt");
        assert_eq!(said.code == 0, is_inside, "{beyond}: {}", said.stderr);
    }
}

/// Several features are one region; so are all of them, in any format.
#[test]
fn features_are_chosen_and_united() {
    let folder = folder();
    let domain = |more: &[&str]| {
        let call =
            [&["boundary", "map.geojson", "--format", "json", "--boundary-points", "20"], more].concat();
        let said = folder.run(&call);
        assert_eq!(said.code, 0, "{}", said.stderr);
        said.json()["domain"].as_str().unwrap().to_string()
    };
    let both = domain(&["--feature", "NAME=big", "--feature", "NAME=small"]);
    assert_eq!(both, "polygon of 3 rings and 12 vertices");
    assert_eq!((domain(&["--feature", "all"]), domain(&[])), (both.clone(), both));
    assert_eq!(domain(&["--feature", "NAME=small"]), "polygon of 1 ring and 4 vertices");
    folder
        .run(&["boundary", "map.geojson", "--feature", "NAME=big", "--feature", "NAME=smal"])
        .expect_refusal(&["no feature whose NAME is \"smal\"", "did you mean \"small\"?"]);
    folder.run(&["boundary", "map.geojson", "--feature", "big"]).expect_refusal(&["NAME=VALUE", "all"]);
    // Polygons in a column of a table, with a name for each.
    folder.write(
        "towns.csv",
        "name,geom\nwest,\"POLYGON((0 0,2 0,2 2,0 2,0 0))\"\neast,\"POLYGON((2 0,4 0,4 2,2 2,2 0))\"\n",
    );
    folder.write("places.csv", "x,y\n0.5,0.5\n1.5,1\n2.5,0.7\n3.1,1.9\n1,1.1\n");
    let fit = folder.json(&["fit", "places.csv", "--boundary", "towns.csv", "--known-covariance", "1"]);
    assert_eq!(fit["region"]["domain"], "polygon of 1 ring and 6 vertices");
    assert_eq!(fit["region"]["features"], serde_json::json!(["west", "east"]));
    let said = folder.run(&["fit", "places.csv", "--boundary", "towns.csv", "--feature", "name=west"]);
    said.expect_refusal(&["2 of 5 data points lie outside", "line 4 (2.5, 0.7), line 5 (3.1, 1.9)"]);
}

/// The names of the meridian opposite Greenwich do not matter.
#[test]
fn the_date_line_is_crossed() {
    let folder = Folder::new();
    let ring = |low: f64, high: f64| format!("(({low} -18, {high} -18, {high} -15, {low} -15, {low} -18))");
    folder.write("whole.wkt", &format!("POLYGON{}", ring(178.0, 182.0)));
    folder.write("cut.wkt", &format!("MULTIPOLYGON({}, {})", ring(178.0, 180.0), ring(-180.0, -178.0)));
    let places = |i: i32| (178.5 + 0.37 * f64::from(i * 7 % 9), -17.7 + 0.29 * f64::from(i * 5 % 9));
    let table = |wrap: bool| {
        let line = |i: i32| {
            let (longitude, latitude) = places(i);
            format!("{},{latitude}", if wrap && longitude > 180.0 { longitude - 360.0 } else { longitude })
        };
        (0..36).map(line).collect::<Vec<_>>().join("\n")
    };
    folder.write("east.csv", &table(false)).write("both.csv", &table(true));
    let fit = |data: &str, map: &str| {
        let fit = folder.json(&[
            "fit",
            data,
            "--quiet",
            "--project",
            "--boundary",
            map,
            "--method",
            "truncsm",
            "--known-covariance",
            "9000",
        ]);
        let mut means = field(&fit["parameters"], "estimate");
        // In the turn of the data.
        means[0] = means[0].rem_euclid(360.0);
        (means, field(&fit["parameters"], "std_error"))
    };
    let (means, errors) = fit("both.csv", "cut.wkt");
    for (data, map) in [("both.csv", "whole.wkt"), ("east.csv", "whole.wkt"), ("east.csv", "cut.wkt")] {
        let (other_means, other_errors) = fit(data, map);
        crate::common::assert_relative(&other_means, &means, 1e-9, "means");
        crate::common::assert_relative(&other_errors, &errors, 1e-9, "standard errors");
    }
    assert!((means[0] - 180.0).abs() < 2.0);
}

/// Longitudes may be counted on beyond 180: so are those of the map then, and those that are reported.
#[test]
fn longitudes_are_those_of_the_data() {
    let folder = Folder::new();
    let ring = |low: f64, high: f64| format!("(({low} -20, {high} -20, {high} -10, {low} -10, {low} -20))");
    let cut = format!("SRID=4326;MULTIPOLYGON({}, {})", ring(175.0, 180.0), ring(-180.0, -174.0));
    folder.write("map.wkt", &cut);
    let place = |i: i32| [176.0 + 0.25 * f64::from(i * 7 % 37), -19.0 + 0.22 * f64::from(i * 5 % 37)];
    let table = |shift: f64| -> String {
        let line =
            |[x, y]: [f64; 2]| format!("{},{y}\n", if shift < 0.0 && x >= 180.0 { x + shift } else { x });
        format!("lon,lat\n{}", (0..37).map(place).map(line).collect::<String>())
    };
    folder.write("on.csv", &table(0.0)).write("back.csv", &table(-360.0));
    let fit = |data: &str, more: &[&str]| {
        let base = ["fit", data, "--boundary", "map.wkt", "--method", "mle"];
        folder.json(&[&base[..], more].concat())
    };
    let plain = fit("on.csv", &["--no-project"]);
    assert_eq!(
        (&plain["n"], &plain["region"]["domain"]),
        (&37.into(), &"polygon of 1 ring and 6 vertices".into())
    );
    let (on, back) = (fit("on.csv", &[]), fit("back.csv", &[]));
    let (here, there) = (field(&on["parameters"], "estimate"), field(&back["parameters"], "estimate"));
    assert!(
        (here[0] - there[0] - 360.0).abs() < 1e-9 && (here[1] - there[1]).abs() < 1e-9,
        "{here:?} {there:?}"
    );
    let center = on["projection"]["center"][0].as_f64().unwrap();
    assert!((center - here[0]).abs() < 1e-2, "{center}");
    let near = fit("on.csv", &["--hypothesis", "mean[lon]=180.5"]);
    assert!(near["wald"]["statistic"].as_f64().unwrap() < 1e3, "{}", near["wald"]);
}

#[test]
fn boundary_points_of_maps() {
    let folder = folder();
    let found = folder.json(&[
        "boundary",
        "map.wkt",
        "--boundary-points",
        "36",
        "--boundary-sampling",
        "even",
        "--near",
        "data.csv",
    ]);
    assert_eq!(found["m"], 36);
    // Eighteen units of border, half a unit apart.
    assert!(found["coverage"]["fill_distance"].as_f64().unwrap() <= 0.25 + 1e-9);
    assert!(found["leak"]["mean"].as_f64().unwrap() < 0.1);
    let said = folder.run(&["boundary"]);
    said.expect_refusal(&["MAPFILE"]);
}

#[test]
fn bad_maps_are_refused() {
    let folder = folder();
    let with = |name: &str, text: &str| {
        folder.write(name, text);
        folder.run(&["fit", "data.csv", "--boundary", name])
    };
    let ring = |coordinates: &str| format!("{{\"type\":\"Polygon\",\"coordinates\":[{coordinates}]}}");
    // A ring that crosses itself is repaired, and the data are outside of what is left.
    let bow = with("bow.geojson", &ring("[[0,0],[1,1],[1,0],[0,1],[0,0]]"));
    bow.expect_refusal(&["of 300 data points lie outside the polygon of 1 ring"]);
    assert!(bow.stderr.contains("the geometry, ring 1 crosses itself at (0.5, 0.5)"), "{}", bow.stderr);
    with("line.geojson", &ring("[[0,0],[1,1],[2,2],[0,0]]"))
        .expect_refusal(&["line.geojson", "encloses no area"]);
    with("open.geojson", &ring("[[0,0],[1,0],[1,1],[0,1]]"))
        .expect_refusal(&["open.geojson", "first vertex"]);
    with("empty.geojson", &ring("")).expect_refusal(&["empty.geojson"]);
    with("none.wkt", "POLYGON EMPTY").expect_refusal(&["none.wkt"]);
    with("null.geojson", &ring("[[0,0],[1,null],[1,1],[0,0]]")).expect_refusal(&[
        "null.geojson",
        "ring 1",
        "vertex 2 is null",
    ]);
    with("point.wkt", "POINT(1 2)").expect_refusal(&["point.wkt", "polygon"]);
    with("broken.geojson", "{\"type\":").expect_refusal(&["broken.geojson"]);
    folder
        .run(&["fit", "data.csv", "--boundary", "map.geojson", "--feature", "NAME=bik"])
        .expect_refusal(&["bik", "big"]);
    folder.run(&["fit", "data.csv", "--boundary", "absent.geojson"]).expect_refusal(&["absent.geojson"]);
    folder
        .run(&["fit", "data.csv", "--boundary", "map.wkt", "--domain", "ball(radius=9)"])
        .expect_refusal(&["--domain", "rings"]);
    // Latitude first: outside the range of latitudes, but not of longitudes.
    folder.write("swapped.wkt", "POLYGON((35 -120, 40 -120, 40 -100, 35 -100, 35 -120))");
    folder.write("places.csv", "lat,lon\n36,-119\n38,-110\n39,-105\n37,-115\n36,-104\n");
    let said = folder.run(&["fit", "places.csv", "--boundary", "swapped.wkt", "--known-covariance", "9"]);
    assert!(said.stderr.contains("swapped") && said.code != 2, "{}", said.stderr);
    folder
        .run(&["fit", "places.csv", "--boundary", "swapped.wkt", "--known-covariance", "9", "--project"])
        .expect_refusal(&["--columns"]);
}

/// Only means are converted; parameters of other models, and formulas, are on the plane, which the note says.
#[test]
fn notes_give_the_units_of_the_model() {
    let folder = folder();
    let note = |command: &str, model: &[&str]| {
        let base = [command, "data.csv", "--feature", "NAME=big", "--boundary", "map.geojson"];
        let said = folder.run(&[&base[..], model].concat()).stderr;
        said.lines().filter(|line| line.contains("projected about")).collect::<Vec<_>>().join("\n")
    };
    let (degrees, kilometres) =
        ("means are in degrees", "formulas are kilometres east and north of that place");
    let found = note("fit", &["--known-covariance", "1e4"]);
    assert!(found.contains(degrees) && !found.contains(kilometres), "{found}");
    let found = note("fit", &["--model", "student-t", "--known", "degrees=4"]);
    assert!(found.contains(kilometres) && !found.contains(degrees), "{found}");
    assert!(found.contains("; --no-project keeps them)"), "{found}");
    let found = note("fit", &["--log-density", "-a*(x1^2+x2^2)", "--start", "a=1e-4"]);
    assert!(found.contains(kilometres) && !found.contains(degrees), "{found}");
    let found = note("compare", &["--model", "gaussian,student-t", "--method", "efficient"]);
    assert!(
        found.contains(degrees) && found.contains("model student-t: coordinates in parameters"),
        "{found}"
    );
}

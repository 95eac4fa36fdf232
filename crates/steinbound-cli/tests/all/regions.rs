//! Regions beyond maps and formulas in numbers: shapes, unions, columns by name, the line.

use crate::common::{Folder, field};

fn simulated(domain: &str, at: &str, count: &str) -> Folder {
    let folder = Folder::new();
    let said = folder.run(&["simulate", "--domain", domain, "--at", at, "-n", count, "--output", "data.csv"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    folder
}

#[test]
fn shapes_are_fitted_by_every_method() {
    for (domain, at) in [
        ("ellipse(radii=2:1, angle=30)", "0.5,0.2"),
        ("annulus(inner=0.5, outer=2)", "0.5,0.2"),
        ("cylinder(radius=1, low=-2, high=1)", "0.3,0.2,0.4"),
        ("union(ball(radius=1), ball(radius=1, center=1.5:0))", "0.5,0.2"),
        ("union(box(low=-2, high=-0.2), box(low=0.2, high=2))", "0.5,0.2"),
    ] {
        let folder = simulated(domain, at, "400");
        for method in ["efficient", "tksd", "truncsm", "bdksd", "truncated-mle"] {
            let fit = ["fit", "data.csv", "--known-covariance", "1", "--domain", domain, "--method", method];
            let fit = folder.json(&fit);
            let (found, errors) =
                (field(&fit["parameters"], "estimate"), field(&fit["parameters"], "std_error"));
            for ((found, error), truth) in found.iter().zip(errors).zip(at.split(',')) {
                let truth: f64 = truth.parse().unwrap();
                assert!((found - truth).abs() < 4.0 * error, "{domain} {method}: {found} +- {error}");
            }
        }
    }
}

#[test]
fn formulas_name_columns() {
    let folder = simulated("ball(radius=1.44)", "0.5,0.5", "300");
    let text = std::fs::read_to_string(folder.path("data.csv")).unwrap();
    let (_, rows) = text.split_once('\n').unwrap();
    folder.write("named.csv", &format!("lat,body mass\n{rows}"));
    let fit = |domain: &str| {
        let all = ["fit", "named.csv", "--known-covariance", "1", "--method", "tksd", "--domain", domain];
        field(&folder.json(&all)["parameters"], "estimate")
    };
    let numbered = fit("level('x1^2 + x2^2 - 2.0736')");
    assert_eq!(fit("level('lat^2 + `body mass`^2 - 2.0736')"), numbered);
    assert_eq!(fit("intersection(ball(radius=5), level('lat^2 + x2^2 - 2.0736'))").len(), 2);
    let refused = |arguments: &[&str]| {
        let said = folder.run(arguments);
        assert_eq!(said.code, 2, "{}", said.stderr);
        said.stderr
    };
    let message = refused(&["fit", "named.csv", "--domain", "level('lng^2 + lat^2 - 1')"]);
    assert!(
        message.contains("lng is not a column of the data; their columns are lat, body mass"),
        "{message}"
    );
    for command in ["boundary", "simulate"] {
        let more: &[&str] = if command == "simulate" { &["-n", "5", "--output", "out.csv"] } else { &[] };
        let message = refused(&[&[command, "--domain", "level('lat^2 - 1')"], more].concat());
        assert!(message.contains("names lat, and there are no data"), "{message}");
    }
    let near = [
        "boundary",
        "--domain",
        "level('lat^2 + x2^2 - 1')",
        "--near",
        "named.csv",
        "--boundary-points",
        "9",
    ];
    assert_eq!(folder.run(&near).code, 0);
}

#[test]
fn searched_boundaries_are_noted_without_data() {
    let folder = simulated("ball(radius=1.44)", "0.5,0.5", "50");
    let noted = |arguments: &[&str]| {
        let said = folder.run(&[&["boundary", "--boundary-points", "9"], arguments].concat());
        assert_eq!(said.code, 0, "{}", said.stderr);
        said.stderr.contains("can miss small parts")
    };
    let circle = "outside(level('x1^2 + x2^2 - 1'))";
    assert!(noted(&["--domain", circle]) && !noted(&["--domain", circle, "--near", "data.csv"]));
    assert!(!noted(&["--domain", "ball(radius=1)"]));
    let json = folder.json(&["boundary", "--domain", circle]);
    assert!(json["notes"][0].as_str().unwrap().contains("--near FILE"), "{json}");
}

/// Distances to the nearest of few points: exit code 3 and a marked row.
#[test]
fn biased_distances_are_not_trusted() {
    let folder = Folder::new();
    let simulate =
        ["simulate", "--domain", "ball(radius=1.8)", "--at", "0.5,0.5,0.5", "-n", "1000", "--output"];
    let boundary = ["--boundary-points", "300", "--boundary-output", "border.csv"];
    assert_eq!(folder.run(&[&simulate[..], &["data.csv"], &boundary].concat()).code, 0);
    let known = ["--known-covariance", "1"];
    let given =
        [&["fit", "data.csv", "--boundary", "border.csv", "--method", "truncsm"][..], &known].concat();
    let said = folder.run(&given);
    assert_eq!(said.code, 3, "{}", said.stderr);
    assert!(said.stderr.contains("nearest of only 300 points"), "{}", said.stderr);
    let json = folder.run(&[&given[..], &["--format", "json"]].concat()).json();
    assert!(json["diagnostics"]["distance_bias"]["standard_errors"].as_f64().unwrap() > 0.3, "{json}");
    let compared = folder.run(&[&["compare", "data.csv", "--boundary", "border.csv"][..], &known].concat());
    let row = |method: &str| {
        let is_row = |line: &&str| line.starts_with('[') && line.contains(method);
        compared.stdout.lines().find(is_row).unwrap_or_default().trim().to_string()
    };
    assert!(
        row("truncsm").ends_with("doubtful") && row("bdksd").ends_with("doubtful"),
        "{}",
        compared.stdout
    );
    assert!(
        compared.stderr.contains("truncsm, gaussian: ") && compared.stderr.contains("of only 300 points")
    );
    // A region without a formula for distances: along the axes, and nothing to warn of.
    let level = "level('x1^2 + x2^2 + x3^2 - 3.24')";
    let said =
        folder.run(&[&["fit", "data.csv", "--domain", level, "--method", "truncsm"][..], &known].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stderr.contains("distances along the axes are used"), "{}", said.stderr);
}

/// Intervals, several of them, and half-lines, with every command that takes a region.
#[test]
fn the_line_is_served_as_well_as_the_plane() {
    for (domain, at) in [
        ("interval(-1, 1)", "0.3"),
        ("union(interval(-1, -0.2), interval(0.1, 1.5))", "0.3"),
        ("interval(0, inf)", "0.3"),
        ("box(low=-inf, high=1)", "0.3"),
        ("halfspace(normal=-2, offset=-2)", "0.3"),
        ("union(interval(-inf, -0.5), interval(0.5, inf))", "0.3"),
        ("annulus(inner=0.3, outer=2)", "0.3"),
        ("level('x1^2 - 1')", "0.3"),
        ("outside(interval(-0.5, 0.5))", "0.3"),
        ("ellipse(radii=1.5, center=0.2)", "0.3"),
    ] {
        let folder = Folder::new();
        let simulate = ["simulate", "--dimension", "1", "--domain", domain, "--at", at, "-n", "300"];
        let said =
            folder.run(&[&simulate[..], &["--output", "data.csv", "--boundary-output", "ends.csv"]].concat());
        assert_eq!(said.code, 0, "{domain}: {}", said.stderr);
        let known = ["--known-covariance", "1"];
        for method in ["efficient", "tksd", "truncsm", "bdksd", "truncated-mle"] {
            let fit = [&["fit", "data.csv", "--domain", domain, "--method", method][..], &known].concat();
            let fit = folder.json(&fit);
            let of = |name: &str| field(&fit["parameters"], name)[0];
            let apart = (of("estimate") - 0.3).abs() / of("std_error");
            assert!(apart < 4.0, "{domain} {method}: {apart} standard errors from the truth");
        }
        let fit = [
            &["fit", "data.csv", "--domain", domain, "--report", "fit.html", "--plot", "fit.svg"][..],
            &known,
        ];
        let witness = ["witness", "data.csv", "--domain", domain, "--at", at, "--grid", "9"];
        let test = ["test", "data.csv", "--domain", domain, "--at", at, "--bootstrap", "60"];
        let given = ["fit", "data.csv", "--boundary", "ends.csv"];
        let compare = ["compare", "data.csv", "--domain", domain];
        for command in [
            fit.concat(),
            [&witness[..], &known].concat(),
            [&test[..], &known].concat(),
            [&given[..], &known].concat(),
            [&compare[..], &known].concat(),
            vec!["boundary", "--domain", domain, "--near", "data.csv"],
        ] {
            let said = folder.run(&command);
            assert_eq!(said.code, 0, "{command:?}: {}", said.stderr);
            assert!(!said.stdout.is_empty(), "{command:?}");
        }
        assert!(std::fs::metadata(folder.path("fit.html")).unwrap().len() > 10_000, "{domain}");
        let test = folder.json(&[&test[..], &known].concat());
        assert!(test["p_value"].as_f64().unwrap() > 0.005, "{domain}: {}", test["p_value"]);
    }
}

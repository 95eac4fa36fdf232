//! Normals of boundary points: how they are given, and what is refused.

use crate::common::{Folder, with};

const FIT: [&str; 6] = ["fit", "data.csv", "--method", "tksd", "--known-covariance", "1"];

/// Points of the unit disc with and without a header, and 24 points on its edge with their normals: in
/// `edge.csv` among other columns, in `bare.csv` without a header.
fn folder() -> Folder {
    let folder = Folder::new();
    let place = |i: usize| {
        let (angle, radius) = (2.4 * i as f64, 0.9 * ((i as f64 + 0.5) / 40.0).sqrt());
        format!("{:.6},{:.6}\n", radius * angle.cos(), radius * angle.sin())
    };
    let data: String = (0..40).map(place).collect();
    let edge = |of: &dyn Fn(f64, f64) -> String| -> String {
        (0..24).map(|i| (f64::from(i) * 15.0).to_radians().sin_cos()).map(|(y, x)| of(x, y)).collect()
    };
    let named = edge(&|x, y| format!("a,{:.6},{y:.6},{x:.6},{:.6}\n", 2.0 * y, 2.0 * x));
    folder.write("data.csv", &format!("x,y\n{data}")).write("plain.csv", &data);
    folder.write("edge.csv", &format!("part,ny,y,x,nx\n{named}"));
    folder.write("bare.csv", &edge(&|x, y| format!("{x:.6},{y:.6},{x:.6},{y:.6}\n")));
    folder.write("points.csv", &format!("x,y\n{}", edge(&|x, y| format!("{x:.6},{y:.6}\n"))));
    folder
}

#[test]
fn normals_are_columns_by_header_or_number() {
    let folder = folder();
    let expected = folder.json(&with(&FIT, &["--boundary", "points.csv"]));
    let note = "--boundary-normals has no effect with --method tksd";
    for normals in ["nx,ny", "5,2"] {
        let arguments = with(&FIT, &["--boundary", "edge.csv", "--boundary-normals", normals]);
        let found = folder.json(&arguments);
        assert_eq!(found["parameters"], expected["parameters"], "{normals}");
        let said = folder.run(&arguments);
        assert!(said.stderr.contains(note), "{}", said.stderr);
    }
    let bare = ["fit", "plain.csv", "--method", "tksd", "--known-covariance", "1", "--boundary", "bare.csv"];
    let found = folder.json(&with(&bare, &["--boundary-normals", "3,4"]));
    assert_eq!(found["m"], expected["m"]);
    assert_eq!(found["parameters"][0]["estimate"], expected["parameters"][0]["estimate"]);
}

#[test]
fn every_command_with_a_boundary_takes_normals() {
    let folder = folder();
    let given = ["--known-covariance", "1", "--boundary", "edge.csv", "--boundary-normals", "nx,ny"];
    for (command, method, more) in [
        ("discrepancy", "tksd", &["--at", "0,0"][..]),
        ("witness", "tksd", &["--at", "0,0", "--grid", "3"]),
        ("test", "tksd", &["--method", "tksd", "--at", "0,0", "--bootstrap", "20"]),
        ("compare", "tksd", &["--method", "tksd,mle"]),
        ("fit", "mle", &["--method", "mle"]),
        ("fit", "tksd", &["--method", "tksd", "--domain", "ball(radius=1)", "--sensitivity"]),
    ] {
        let said = folder.run(&with(&[command, "data.csv"], &with(&given, more)));
        assert_eq!(said.code, 0, "{command}: {}", said.stderr);
        let note = format!("--boundary-normals has no effect with --method {method}");
        assert!(said.stderr.contains(&note), "{command}: {}", said.stderr);
    }
}

#[test]
fn normals_that_do_not_fit_are_refused() {
    let folder = folder();
    let refuse = |more: &[&str], parts: &[&str]| folder.run(&with(&FIT, more)).expect_refusal(parts);
    let of = |normals| ["--boundary", "edge.csv", "--boundary-normals", normals];
    refuse(&of("nx,nz"), &["edge.csv", "no column \"nz\"", "did you mean"]);
    refuse(
        &of("nx"),
        &["--boundary-normals are 1 (nx)", "the data 2 (x, y)", "name one for each, in this order"],
    );
    refuse(&of("nx,ny,part"), &["--boundary-normals are 3 (nx, ny, part)", "the data 2"]);
    refuse(&of("nx,,"), &["\"nx,,\" is not a list of columns", "A,B"]);
    refuse(&of("nx,nx"), &["\"nx\" is chosen twice"]);
    refuse(&of("nx,part"), &["edge.csv, line 2, column 1 (\"part\")", "\"a\" is not a number"]);
    refuse(&of("nx,4"), &["the column x of edge.csv", "a coordinate of the data", "columns with normals"]);
    folder.write("zero.csv", "x,y,nx,ny\n1,0,1,0\n\n0,1,0,0\n-1,0,1,0\n");
    let zero = ["--boundary", "zero.csv", "--boundary-normals", "nx,ny"];
    refuse(&zero, &["zero.csv, line 4: the normal of boundary point 2 has length zero", "give no normals"]);
    folder.write("gap.csv", "x,y,nx,ny\n1,0,1,0\n0,1,0,nan\n-1,0,1,0\n");
    let gap = ["--boundary", "gap.csv", "--boundary-normals", "nx,ny"];
    refuse(&gap, &["gap.csv, line 3, column 4 (\"ny\")", "not a finite number"]);
}

#[test]
fn a_region_has_its_own_normals() {
    let folder = folder();
    folder.write("square.wkt", "POLYGON((-1 -1, 1 -1, 1 1, -1 1, -1 -1))");
    let normals = ["--boundary-normals", "nx,ny"];
    for region in [["--boundary", "square.wkt"], ["--domain", "ball(radius=1)"]] {
        let said = folder.run(&with(&FIT, &with(&region, &normals)));
        said.expect_refusal(&[
            "--boundary-normals: the boundary is given as a region, which has its own normals",
        ]);
    }
    let said = folder.run(&with(&["fit", "data.csv", "--method", "mle"], &normals));
    said.expect_refusal(&["no boundary points that normals could belong to", "--boundary FILE"]);
    let said = folder.run(&with(&FIT, &with(&["--boundary", "edge.csv", "--project"], &normals)));
    said.expect_refusal(&["directions in degrees", "the plane of --project", "leave --boundary-normals out"]);
}

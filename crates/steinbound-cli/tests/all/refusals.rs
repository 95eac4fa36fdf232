//! Bad input: one clear message (what, where, remedy), exit code 2, nothing half-written.

use crate::common::Folder;

const BOUNDARY: &str = "-1,0\n1,0\n0,1\n0,-1\n";

/// A folder with twelve good points in the unit disc and four boundary points.
fn good() -> Folder {
    let folder = Folder::new();
    let points: Vec<String> = (0..12)
        .map(|i| {
            let (angle, radius) = (2.4 * i as f64, 0.9 * ((i as f64 + 0.5) / 12.0).sqrt());
            format!("{:.6},{:.6}", radius * angle.cos(), radius * angle.sin())
        })
        .collect();
    folder.write("data.csv", &(points.join("\n") + "\n")).write("boundary.csv", BOUNDARY);
    folder
}

/// Fits a file with the given text.
fn refuse(data: &str, parts: &[&str]) {
    let folder = Folder::new();
    folder.write("data.csv", data).write("boundary.csv", BOUNDARY);
    folder.run(&["fit", "data.csv", "--boundary", "boundary.csv"]).expect_refusal(parts);
}

/// Fits the good data with further options.
fn refuse_options(options: &[&str], parts: &[&str]) {
    let base = ["fit", "data.csv", "--known-covariance", "1"];
    good().run(&[&base, options].concat()).expect_refusal(parts);
}

#[test]
fn the_good_data_are_accepted() {
    let said = good().run(&["fit", "data.csv", "--boundary", "boundary.csv", "--known-covariance", "1"]);
    // Four boundary points are few, which is told and no reason to refuse.
    assert_eq!(said.code, 0, "{}", said.stdout);
    assert!(said.stderr.starts_with("warning: the boundary points are too sparse"), "{}", said.stderr);
}

#[test]
fn missing_file() {
    let said = Folder::new().run(&["fit", "nowhere.csv", "--boundary", "boundary.csv"]);
    said.expect_refusal(&["cannot read nowhere.csv", "check the name"]);
    refuse_options(&["--boundary", "gone.csv"], &["cannot read gone.csv"]);
}

#[test]
fn empty_file() {
    refuse("", &["data.csv is empty", "one point per line"]);
    refuse("\n\n", &["data.csv is empty"]);
}

#[test]
fn no_rows() {
    refuse("x,y\n", &["data.csv has a header but no data rows"]);
}

#[test]
fn one_row() {
    refuse("x,y\n0.1,0.2\n", &["data.csv", "only 1 row", "at least 2"]);
}

#[test]
fn ragged_row() {
    refuse("0.1,0.2\n0.3,0.1\n0.3\n", &["data.csv, line 3", "1 values where the first line has 2"]);
}

#[test]
fn text_in_a_number_column() {
    refuse("x,y\n0.1,0.2\n0.3,oak\n", &["data.csv, line 3, column 2 (\"y\")", "\"oak\" is not a number"]);
}

/// A damaged first value does not make a column of numbers one of text, which would be left out.
#[test]
fn a_damaged_first_value() {
    for bad in ["O.2", "<5", "1e", "#N/A"] {
        let text = format!("x,y\n{bad},0.2\n0.3,0.1\n-0.2,0.4\n0.1,0.1\n");
        refuse(
            &text,
            &["data.csv, line 2, column 1 (\"x\")", &format!("\"{bad}\" is not a number"), "correct it"],
        );
    }
}

#[test]
fn nan_and_infinity() {
    refuse("0.1,0.2\n0.3,NaN\n", &["line 2, column 2", "NaN is not a finite number"]);
    refuse("0.1,0.2\ninf,0.1\n", &["line 2, column 1", "inf is not a finite number"]);
    refuse("0.1,0.2\n0.1,1e999\n", &["line 2, column 2", "not a finite number"]);
}

#[test]
fn missing_value() {
    refuse("x,y\n0.1,0.2\n0.3,\n", &["line 3, column 2", "missing", "--drop-missing"]);
}

#[test]
fn constant_column() {
    refuse("0.1,5\n0.2,5\n0.3,5\n0.1,5\n0.0,5\n0.4,5\n", &["column x2 is constant", "--columns"]);
    let folder = Folder::new();
    folder.write("data.csv", "3\n3\n3\n").write("boundary.csv", "2\n4\n");
    let said = folder.run(&["fit", "data.csv", "--boundary", "boundary.csv", "--known-covariance", "1"]);
    said.expect_refusal(&["column x1 is constant"]);
    let options = ["--known-covariance", "1", "--method", "ksd"];
    let said = folder.run(&[&["fit", "data.csv"], &options[..]].concat());
    said.expect_refusal(&["median distance between data points is zero", "bandwidth"]);
}

#[test]
fn boundary_of_another_dimension() {
    let folder = good();
    folder.write("boundary.csv", "1,2,3\n4,5,6\n");
    let said = folder.run(&["fit", "data.csv", "--boundary", "boundary.csv"]);
    said.expect_refusal(&["boundary.csv has 3 columns", "the data have 2", "--columns"]);
    refuse_options(&["--domain", "ball(radius=2, center=0:0:0)"], &["3 coordinates", "the data have 2"]);
}

#[test]
fn duplicate_boundary_points_work_thanks_to_the_ridge() {
    let folder = good();
    folder.write("boundary.csv", &BOUNDARY.repeat(3));
    let fit = |ridge: &str| {
        let base = ["fit", "data.csv", "--boundary", "boundary.csv", "--known-covariance", "1"];
        folder.run(&[&base[..], &["--method", "tksd", "--ridge", ridge]].concat())
    };
    assert_eq!(fit("0.001").code, 0);
    fit("0").expect_refusal(&["12 boundary points is singular", "raise the ridge"]);
    folder.write("boundary.csv", BOUNDARY);
    assert_eq!(fit("0").code, 0, "a ridge of zero is allowed where the factorisation succeeds");
}

#[test]
fn data_outside_the_domain() {
    let options = ["--domain", "ball(radius=0.5)"];
    refuse_options(
        &options,
        &["8 of 12 data points lie outside", ": line 5 (", "--drop-outside", "--allow-outside"],
    );
    let base = ["fit", "data.csv", "--known-covariance", "1", "--allow-outside"];
    for method in ["tksd", "bdksd", "truncsm"] {
        let said = good().run(&[&base[..], &options, &["--method", method]].concat());
        assert_eq!(said.code, 0, "{method}: {}", said.stderr);
        assert!(said.stderr.contains("warning: 8 of 12 data points lie outside"), "{}", said.stderr);
    }
    let both = [&base[..], &options, &["--drop-outside"]].concat();
    good().run(&both).expect_refusal(&["--allow-outside", "--drop-outside", "give one"]);
}

#[test]
fn bandwidth_and_ridge() {
    let boundary = ["--boundary", "boundary.csv"];
    for (value, message) in [("0", "bandwidth is 0"), ("-1", "bandwidth is -1"), ("nan", "bandwidth is NaN")]
    {
        refuse_options(&[&boundary[..], &["--bandwidth", value]].concat(), &[message, "positive"]);
    }
    refuse_options(
        &[&boundary[..], &["--bandwidth", "mean"]].concat(),
        &["\"mean\" is not a number", "median"],
    );
    refuse_options(
        &[&boundary[..], &["--method", "tksd", "--ridge", "-0.1"]].concat(),
        &["the ridge is -0.1", "zero or a positive"],
    );
    refuse_options(&[&boundary[..], &["--method", "tksd", "--ridge", "inf"]].concat(), &["the ridge is inf"]);
}

#[test]
fn unknown_names_come_with_the_nearest() {
    refuse_options(&["--domain", "bal(radius=2)"], &["unknown domain \"bal\"", "did you mean \"ball\""]);
    refuse_options(&["--model", "gausian"], &["unknown model \"gausian\"", "did you mean \"gaussian\""]);
    refuse_options(&["--method", "tkds"], &["unknown method \"tkds\"", "did you mean \"tksd\""]);
    refuse_options(&["--kernel", "matern"], &["unknown kernel \"matern\"", "did you mean \"matern52\""]);
    refuse_options(&["--statistic", "w"], &["unknown statistic \"w\""]);
    refuse_options(&["--compute", "densee"], &["unknown form \"densee\"", "did you mean \"dense\""]);
    refuse_options(&["--columns", "x9"], &["no column \"x9\"", "its columns are x1, x2"]);
}

#[test]
fn more_parameters_than_data() {
    refuse("0.1,0.2\n0.3,0.1\n-0.2,0.4\n", &["5 parameters", "only 3 rows", "give the covariance"]);
}

#[test]
fn no_boundary() {
    refuse_options(&[], &["efficient needs to know the boundary", "--boundary FILE or --domain SPEC"]);
    refuse_options(&["--method", "truncsm"], &["truncsm needs to know the boundary"]);
    let options = ["--method", "bdksd", "--boundary", "boundary.csv", "--distance", "exact"];
    refuse_options(&options, &["the exact distance to the boundary needs a domain"]);
    let options = ["--method", "truncsm", "--boundary", "boundary.csv", "--distance", "axes"];
    refuse_options(&options, &["the distance to the boundary along the axes needs a domain"]);
}

#[test]
fn covariances() {
    let boundary = ["fit", "data.csv", "--boundary", "boundary.csv", "--known-covariance"];
    let refuse = |value: &str, parts: &[&str]| {
        good().run(&[&boundary[..], &[value]].concat()).expect_refusal(parts);
    };
    refuse("0", &["0 is not a variance", "positive"]);
    refuse("-1", &["-1 is not a variance"]);
    refuse("1,2,3", &["a list of 3 variances", "the data have 2 columns"]);
    refuse("one", &["\"one\" is not a number"]);
    refuse("none.csv", &["cannot read none.csv"]);
    let folder = good();
    folder.write("c.csv", "1,2\n2,1\n");
    folder
        .run(&[&boundary[..], &["c.csv"]].concat())
        .expect_refusal(&["not symmetric and positive definite"]);
}

#[test]
fn parameters_given_with_at() {
    let base = ["discrepancy", "data.csv", "--boundary", "boundary.csv", "--known-covariance", "1", "--at"];
    let refuse = |value: &str, parts: &[&str]| {
        good().run(&[&base[..], &[value]].concat()).expect_refusal(parts);
    };
    refuse("1,2,3", &["3 parameter values", "mean[x1], mean[x2]"]);
    refuse("1,x", &["\"x\" is not a number"]);
    refuse("1,nan", &["mean[x2] is NaN"]);
    let full = ["discrepancy", "data.csv", "--boundary", "boundary.csv", "--at", "0,0,1,2,1"];
    good().run(&full).expect_refusal(&["not symmetric and positive definite"]);
    let mle = ["discrepancy", "data.csv", "--method", "mle", "--known-covariance", "1", "--at", "0,0"];
    good().run(&mle).expect_refusal(&["mle has no discrepancy"]);
}

#[test]
fn numbers_out_of_range() {
    let boundary = ["--boundary", "boundary.csv"];
    for value in ["0", "1", "1.5", "-0.2", "nan"] {
        refuse_options(&[&boundary[..], &["--confidence", value]].concat(), &["confidence level is"]);
    }
    refuse_options(&[&boundary[..], &["--threads", "0"]].concat(), &["--threads is 0"]);
    refuse_options(&["--domain", "ball(radius=2)", "--boundary-points", "0"], &["at least one"]);
    refuse_options(&["--domain", "ball(radius=-2)"], &["radius", "positive"]);
}

#[test]
fn huge_values_are_refused_not_computed() {
    refuse("1e200,1e200\n-1e200,1e200\n1e200,-1e200\n0,1\n1,0\n3,3\n", &["not finite", "rescale"]);
}

#[test]
fn hostile_text_is_escaped_and_cut() {
    let nasty = format!("x\n1\n\u{1b}[31m{}\n", "a".repeat(500));
    refuse(&nasty, &["\\u{1b}[31maaa", "...\""]);
}

#[test]
fn hostile_options_are_escaped_and_cut() {
    let long = "z".repeat(5000);
    for options in [["--method", &long], ["--domain", &long], ["--threads", &long], ["--nonsense", &long]] {
        let said = good().run(&[&["fit", "data.csv"], &options[..]].concat());
        assert_eq!(said.code, 2);
        assert!(said.stderr.len() < 1000, "{}", said.stderr.len());
    }
    let said = good().run(&["fit", "data.csv", "--method", "a\nb\u{1b}[31m"]);
    assert!(said.stderr.contains("a\\nb\\u{1b}[31m"), "{}", said.stderr);
    assert!(!said.stderr.contains('\u{1b}'), "{}", said.stderr);
    for option in ["--method", "--ridge", "--boundary-points", "--domain"] {
        let said = good().run(&["fit", "data.csv", &format!("{option}=0\u{202e}1")]);
        assert!(said.code == 2 && !said.stderr.contains('\u{202e}'), "{}", said.stderr);
        assert!(said.stderr.contains("0\\u{202e}1"), "{}", said.stderr);
    }
    refuse_options(&["--boundary", "boundary.csv", "--bandwidth", "-1e300"], &["the bandwidth is -1e300"]);
}

#[test]
fn lists_of_columns_are_cut() {
    let row = vec!["0.5"; 300].join(",") + "\n";
    let folder = Folder::new();
    folder.write("data.csv", &row.repeat(3));
    let said = folder.run(&["fit", "data.csv", "--domain", "ball(radius=2, center=0:0)", "--verbose"]);
    said.expect_refusal(&["x12, and 288 more", "the data have 300"]);
    assert!(said.stderr.len() < 1000, "{}", said.stderr);
}

#[test]
fn numbers_beyond_reason() {
    let boundary = ["--boundary", "boundary.csv"];
    refuse_options(
        &[&boundary[..], &["--bandwidth", "1e-200"]].concat(),
        &["not finite numbers", "larger bandwidth"],
    );
    refuse_options(
        &["--domain", "ball(radius=2)", "--boundary-points", "1000000"],
        &["1000000 boundary points", "at most 100000"],
    );
    refuse_options(&["--domain", "ball(radius=2)", "--boundary-points", "99999999999"], &["at most"]);
    refuse_options(&[&boundary[..], &["--threads", "100000"]].concat(), &["from 1 to 1024"]);
    let said = Folder::new().run(&[
        "simulate",
        "-n",
        "99999999999",
        "--domain",
        "interval(0, 1)",
        "--output",
        "o.csv",
    ]);
    said.expect_refusal(&["99999999999 points were asked for", "at most"]);
    let said = Folder::new().run(&["boundary", "--domain", "ball(radius=1)", "--dimension", "99999999"]);
    said.expect_refusal(&["\"99999999\" is not a number of coordinates"]);
}

#[test]
fn degenerate_data() {
    // Collinear columns determine no covariance, whatever the method.
    let lines: String =
        (0..12).map(|i| format!("{},{}\n", 0.05 * f64::from(i * i), 0.1 * f64::from(i * i) - 0.5)).collect();
    let folder = Folder::new();
    folder.write("data.csv", &lines).write("boundary.csv", BOUNDARY);
    for method in ["tksd", "truncsm", "ksd", "mle"] {
        let said = folder.run(&["fit", "data.csv", "--boundary", "boundary.csv", "--method", method]);
        said.expect_refusal(&["do not determine the parameters"]);
    }
    let clustered: String =
        (0..12).map(|i| format!("{},{},all\n", (i as f64).sin(), (i as f64).cos())).collect();
    folder.write("one.csv", &format!("x,y,g\n{clustered}"));
    let fit = ["fit", "one.csv", "--method", "mle", "--cluster", "g"];
    folder.run(&fit).expect_refusal(&["all observations are in one cluster"]);
    folder.write("w.csv", "x,w\n1,1\n2,-3\n4,1\n");
    let fit = ["fit", "w.csv", "--method", "mle", "--weights", "w"];
    folder.run(&fit).expect_refusal(&["w.csv, line 3, column 2 (\"w\")", "weight -3 is negative"]);
    let fit = ["fit", "w.csv", "--method", "mle", "--columns", "x,x"];
    folder.run(&fit).expect_refusal(&["column \"x\" is chosen twice"]);
}

#[test]
fn two_outputs_are_both_written_or_neither() {
    let folder = Folder::new();
    let base =
        ["simulate", "-n", "5", "--domain", "ball(radius=1)", "--output", "s.csv", "--boundary-output"];
    folder.run(&[&base[..], &["s.csv"]].concat()).expect_refusal(&["name the same file"]);
    folder.run(&[&base[..], &["no/such/b.csv"]].concat()).expect_refusal(&["cannot create no/such/b.csv"]);
    assert!(folder.names().is_empty());
}

#[test]
fn hopeless_simulation_writes_nothing() {
    let folder = Folder::new();
    let base = ["simulate", "-n", "10", "--output", "out.csv", "--boundary-output", "edge.csv"];
    let hopeless = ["--domain", "interval(60, 61)"];
    let said = folder.run(&[&base[..], &hopeless].concat());
    said.expect_refusal(&["0 of 100000 draws", "almost no mass"]);
    assert!(folder.names().is_empty());
    let said = folder.run(&["simulate", "-n", "0", "--output", "out.csv", "--domain", "interval(0, 1)"]);
    said.expect_refusal(&["-n is 0"]);
    let said =
        folder.run(&["simulate", "-n", "5", "--output", "no/such/out.csv", "--domain", "interval(0, 1)"]);
    said.expect_refusal(&["cannot create no/such/out.csv"]);
    let said = folder.run(&[
        "simulate",
        "-n",
        "5",
        "--output",
        "out.csv",
        "--domain",
        "ball(radius=1)",
        "--at",
        "1,2,3,4",
    ]);
    assert_eq!(said.code, 2, "four means in four dimensions put almost no mass in the unit ball");
    let said = folder.run(&[
        "simulate",
        "-n",
        "5",
        "--output",
        "out.csv",
        "--domain",
        "ball(radius=1, center=0:0)",
        "--at",
        "1,2,3",
    ]);
    said.expect_refusal(&["--at has 3 values", "2 means"]);
    assert!(folder.names().is_empty());
}

#[test]
fn unbounded_boundaries_need_data() {
    let said = Folder::new().run(&["boundary", "--domain", "halfspace(normal=1:0, offset=5)"]);
    said.expect_refusal(&["unbounded", "--near FILE"]);
}

#[test]
fn grids_that_cannot_be() {
    for grid in ["0", "1", "100000"] {
        let base =
            ["witness", "data.csv", "--boundary", "boundary.csv", "--known-covariance", "1", "--grid", grid];
        good().run(&base).expect_refusal(&["not a usable grid"]);
    }
}

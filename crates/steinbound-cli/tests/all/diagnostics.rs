//! What `fit` and `regress` say about how sound an estimate is.

use crate::common::Folder;

#[test]
fn a_sound_fit_has_numbers_and_no_warnings() {
    let folder = Folder::new();
    let domain = ["--domain", "ball(radius=1.4)"];
    let simulate = ["simulate", "--at", "0.5,0.5", "-n", "300", "--output", "data.csv"];
    assert_eq!(folder.run(&[&simulate[..], &domain].concat()).code, 0);
    let said =
        folder.run(&[&["fit", "data.csv", "--method", "tksd", "--format", "json"], &domain[..]].concat());
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let found = &said.json()["diagnostics"];
    for name in ["leak", "boundary_condition", "normal_condition", "mass_outside"] {
        assert!(found[name].as_f64().unwrap() > 0.0, "{name}: {found}");
    }
    assert!(found["tie"]["strength"].as_f64().unwrap() < found["tie"]["limit"].as_f64().unwrap(), "{found}");
    assert!(found["leverage"]["share"].as_f64().unwrap() < 0.1, "{found}");
    assert!(found["leverage"]["row"].is_u64() && found["leverage"]["parameter"].is_string(), "{found}");
    assert!(found["statistics_disagree"]["standard_errors"].as_f64().unwrap() < 1.0, "{found}");
    assert_eq!(found["warnings"], serde_json::json!([]));
}

/// The warning names the row, a note its line in the file; the exit code stays.
#[test]
fn an_outlier_is_named_by_row_and_line() {
    let folder = Folder::new();
    let value = |i: usize| if i == 30 { 90.0 } else { (i as f64).sin() };
    let rows: String =
        (0..60).map(|i| format!("{:?}\n{}", value(i), if i == 5 { "NA\n" } else { "" })).collect();
    folder.write("data.csv", &format!("height\n{rows}"));
    let fit = ["fit", "data.csv", "--method", "mle", "--known-covariance", "1", "--drop-missing"];
    let said = folder.run(&[&fit[..], &["--format", "json"]].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(
        said.stderr.contains("warning: row 31 alone makes up 98 % of the variance of mean[height]"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("note: row 31 is line 33 of data.csv"), "{}", said.stderr);
    let json = said.json();
    assert_eq!(json["diagnostics"]["leverage"]["row"], 31);
    assert_eq!(json["warnings"], json["diagnostics"]["warnings"]);
    let quiet = folder.run(&[&fit[..], &["--quiet"]].concat());
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
}

#[test]
fn regressions_are_looked_at_too() {
    let scores = concat!(env!("CARGO_MANIFEST_DIR"), "/../steinbound-io/data/student_scores.csv");
    let base =
        ["regress", scores, "--method", "tksd", "--formula", "achiv ~ langscore + prog", "--lower", "40"];
    let found = &Folder::new().json(&base)["diagnostics"];
    assert!(found["statistics_disagree"]["standard_errors"].as_f64().unwrap() < 1.0, "{found}");
    assert!(found["mass_outside"].is_null() && found["boundary_condition"].is_number(), "{found}");
    assert_eq!(found["warnings"], serde_json::json!([]));
}

//! Searches end where they are told to, and commands in the time that they are given: with what there is, or one
//! message.

use serde_json::Value;

use crate::common::Folder;
use crate::kit::{calls, kit};

/// A search that takes more than two steps.
const SEARCHED: [&str; 8] = [
    "fit",
    "waits.csv",
    "--domain",
    "interval(0, 5)",
    "--log-density",
    "(a-1)*log(x1) - (x1/b)^a",
    "--start",
    "a=3,b=9",
];

fn fit(folder: &Folder, more: &[&str]) -> (i32, Value, String) {
    let said = folder.run(&[&SEARCHED[..], more, &["--format", "json"]].concat());
    (said.code, serde_json::from_str(&said.stdout).unwrap_or(Value::Null), said.stderr)
}

#[test]
fn a_search_ends_after_its_steps_with_what_it_has() {
    let folder = kit();
    let (code, whole, stderr) = fit(&folder, &["--method", "truncsm"]);
    assert!(code == 0 && whole["iterations"].as_u64().unwrap() > 2, "{whole} {stderr}");
    let (code, cut, stderr) = fit(&folder, &["--method", "truncsm", "--max-iterations", "1"]);
    assert_eq!((code, &cut["converged"], &cut["iterations"]), (3, &Value::Bool(false), &Value::from(1)));
    assert!(stderr.contains("the search was ended at its limit of 1 step, without converging"), "{stderr}");
    let estimate = |found: &Value| found["parameters"][0]["estimate"].as_f64().unwrap();
    assert!(estimate(&cut) != estimate(&whole), "{cut}");
    // A longer last step takes fewer of them, to nearly the same place.
    let (code, rough, _) = fit(&folder, &["--method", "truncsm", "--search-tolerance", "0.05"]);
    assert!(code == 0 && rough["iterations"].as_u64() < whole["iterations"].as_u64(), "{rough}");
    let error = whole["parameters"][0]["std_error"].as_f64().unwrap();
    assert!((estimate(&rough) - estimate(&whole)).abs() < 0.1 * error);
}

#[test]
fn limits_of_searches_are_noted_where_nothing_is_searched_for() {
    let folder = kit();
    let given =
        ["fit", "points.csv", "--boundary", "border.csv", "--known-covariance", "1", "--max-iterations", "5"];
    let said = folder.run(&given);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(
        said.stderr.contains("--max-iterations has no effect here: nothing is searched for"),
        "{}",
        said.stderr
    );
    for (option, value, part) in [
        ("--max-iterations", "0", "a search is allowed 0 steps; allow at least 1"),
        ("--search-tolerance", "2", "the tolerance of a search is 2; give the relative length"),
        ("--time-limit", "0", "--time-limit: 0 is not a time; give a positive number of seconds"),
        ("--time-limit", "-3", "--time-limit: -3 is not a time"),
    ] {
        let (code, _, stderr) = fit(&folder, &[option, value]);
        assert!(code == 2 && stderr.contains(part), "{code} {stderr}");
    }
}

#[test]
fn without_time_there_is_one_message() {
    let folder = kit();
    let names = ["fit", "discrepancy", "witness", "compare", "test", "regress"];
    for (name, call) in calls().into_iter().filter(|(name, _)| names.contains(name)) {
        let said = folder.run(&[&call[..], &["--quiet", "--time-limit", "1e-9"]].concat());
        assert_eq!((said.code, said.stdout.as_str()), (3, ""), "{name}: {}", said.stderr);
        let expected =
            "error: the time limit of 0.000000001 s was over before there was a result; allow more time";
        assert!(
            said.stderr.starts_with(expected) && said.stderr.lines().count() == 1,
            "{name}: {}",
            said.stderr
        );
    }
}

#[test]
fn a_bootstrap_that_takes_too_long_is_left_out() {
    let folder = kit();
    let given =
        ["fit", "points.csv", "--boundary", "border.csv", "--known-covariance", "1", "--format", "json"];
    let said = folder.run(&[&given[..], &["--bootstrap", "1000000", "--time-limit", "4"]].concat());
    assert_eq!(said.code, 3, "{}", said.stderr);
    assert!(
        said.stderr.contains("the time limit of 4 s was over before the bootstrap, left out here"),
        "{}",
        said.stderr
    );
    let (cut, whole): (Value, Value) = (
        serde_json::from_str(&said.stdout).unwrap(),
        serde_json::from_str(&folder.run(&given).stdout).unwrap(),
    );
    assert_eq!(cut["parameters"], whole["parameters"]);
}

/// What does not look at the time itself is ended, and leaves no file.
#[test]
fn draws_that_take_too_long_are_ended() {
    let folder = Folder::new();
    let draw = ["simulate", "--domain", "ball(radius=0.2)", "-n", "100000000", "--output", "far.csv"];
    let said = folder.run(&[&draw[..], &["--time-limit", "0.5"]].concat());
    assert_eq!(said.code, 3, "{}", said.stderr);
    assert!(
        said.stderr.contains("error: the time limit of 0.5 s is over: there is no result"),
        "{}",
        said.stderr
    );
    assert!(!folder.path("far.csv").exists());
}

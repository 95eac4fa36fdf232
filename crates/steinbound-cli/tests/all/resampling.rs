//! The bootstrap and the test of goodness of fit as other programs see them.

use crate::common::{disc, field, numbers, with};

const FIT: [&str; 6] = ["fit", "data.csv", "--boundary", "edge.csv", "--known-covariance", "1"];
const INSIDE: [&str; 8] = disc_command("fit");
const TEST: [&str; 8] = disc_command("test");
const TEST_EDGE: [&str; 6] = ["test", "data.csv", "--boundary", "edge.csv", "--known-covariance", "1"];

/// A command on data in the disc, with enough boundary points for random signs.
const fn disc_command(name: &str) -> [&str; 8] {
    [name, "data.csv", "--domain", "ball(radius=1.4)", "--known-covariance", "1", "--boundary-points", "100"]
}

#[test]
fn a_bootstrap_replaces_standard_errors_and_intervals() {
    let folder = disc(200, 64, 3);
    let plain = folder.json(&FIT);
    let fit = folder.json(&with(&FIT, &["--bootstrap", "200"]));
    assert_eq!(field(&fit["parameters"], "estimate"), field(&plain["parameters"], "estimate"));
    for (a, b) in field(&fit["parameters"], "std_error").iter().zip(field(&plain["parameters"], "std_error"))
    {
        assert!((0.7..1.4).contains(&(a / b)), "{a} {b}");
    }
    assert_eq!(
        (fit["covariance_type"].as_str(), plain["covariance_type"].as_str()),
        (Some("bootstrap"), Some("sandwich"))
    );
    let used = &fit["bootstrap"];
    assert_eq!((used["replicates"].as_u64(), used["failed"].as_u64()), (Some(200), Some(0)));
    assert_eq!(
        (used["resampling"].as_str(), used["interval"].as_str()),
        (Some("nonparametric"), Some("percentile"))
    );
    assert_eq!(numbers(&used["bias"]).len(), 2);
    assert!(plain["bootstrap"].is_null());
    // The same seed gives the same draws, another one others.
    let again = folder.json(&with(&FIT, &["--bootstrap", "200", "--threads", "1"]));
    assert_eq!(again["parameters"], fit["parameters"]);
    assert_ne!(
        folder.json(&with(&FIT, &["--bootstrap", "200", "--seed", "5"]))["parameters"],
        fit["parameters"]
    );
    // A derived quantity has the interval of its replicates, which is not symmetric.
    let fit = folder.json(&with(&FIT, &["--bootstrap", "200", "--derive", "square=mean[x1]^2"]));
    let square = &fit["derived"][0];
    let ends = ["lower", "estimate", "upper"].map(|end| square[end].as_f64().unwrap());
    assert!(ends[0] > 0.0 && (ends[0] + ends[2] - 2.0 * ends[1]).abs() > 1e-3, "{square}");
    let said = folder.run(&with(&FIT, &["--bootstrap", "200"]));
    assert!(said.stdout.contains("bootstrap"), "{}", said.stdout);
}

#[test]
fn a_parametric_bootstrap_needs_a_domain() {
    let folder = disc(200, 64, 3);
    let options = ["--bootstrap", "60", "--resampling", "parametric", "--interval", "normal"];
    let fit = folder.json(&with(&INSIDE, &options));
    assert_eq!(fit["bootstrap"]["resampling"], "parametric");
    folder.run(&with(&FIT, &options)).expect_refusal(&["no domain is given", "nonparametric"]);
    let scores = format!("{}/../steinbound-io/data/student_scores.csv", env!("CARGO_MANIFEST_DIR"));
    let regress = ["regress", &scores, "--formula", "achiv ~ langscore", "--lower", "40"];
    let tested = folder.json(&with(&regress, &["--test"]));
    assert_eq!(
        (tested["test"]["fitted"].as_bool(), tested["test"]["bootstrap"].as_u64()),
        (Some(true), Some(500))
    );
    let tested = folder.json(&with(&regress, &["--test", "--method", "truncated-mle"]));
    assert_eq!(tested["test"]["resampling"], "parametric");
    let said = folder.run(&with(&regress, &["--test", "--method", "truncsm"]));
    assert!(said.stderr.contains("--test has no effect with --method truncsm"), "{}", said.stderr);
    let fit = folder.json(&with(&regress, &options));
    assert_eq!(
        (fit["covariance_type"].as_str(), fit["bootstrap"]["failed"].as_u64()),
        (Some("bootstrap"), Some(0))
    );
}

#[test]
fn a_test_says_what_it_found() {
    let folder = disc(200, 64, 3);
    let fitted = folder.json(&with(&TEST, &["--bootstrap", "99"]));
    assert_eq!(fitted["schema"], "steinbound.test/1");
    assert_eq!((fitted["resampling"].as_str(), fitted["fitted"].as_bool()), (Some("parametric"), Some(true)));
    assert_eq!((fitted["bootstrap"].as_u64(), fitted["rejected"].as_bool()), (Some(99), Some(false)));
    let p = fitted["p_value"].as_f64().unwrap();
    assert!((0.05..=1.0).contains(&p) && (p * 100.0 - (p * 100.0).round()).abs() < 1e-9);
    // The statistic is the squared discrepancy of the fit.
    let fit = folder.json(&INSIDE);
    assert_eq!(fitted["statistic"], fit["discrepancy_squared"]);
    assert_eq!(field(&fitted["parameters"], "estimate"), field(&fit["parameters"], "estimate"));
    // Far from the truth it is rejected, without fitting anything.
    let far = folder.json(&with(&TEST, &["--at", "-1,0.5"]));
    assert_eq!((far["resampling"].as_str(), far["rejected"].as_bool()), (Some("wild"), Some(true)));
    assert_eq!((far["bootstrap"].as_u64(), numbers(&far["at"])), (Some(500), vec![-1.0, 0.5]));
    let at = with(&["discrepancy"], &with(&TEST[1..], &["--method", "efficient", "--at", "-1,0.5"]));
    assert_eq!(folder.json(&at)["discrepancy_squared"], far["statistic"]);
    // Boundary points alone: random signs, and the reader is told why.
    let said = folder.run(&with(&TEST_EDGE, &["--bootstrap", "99"]));
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stderr.contains("new data cannot be drawn"), "{}", said.stderr);
    assert!(
        said.stdout.contains("corrected for the fit") && said.stdout.contains("not rejected"),
        "{}",
        said.stdout
    );
    let one = folder.json(&with(&TEST, &["--bootstrap", "99", "--threads", "1"]));
    assert_eq!((&one["p_value"], &one["critical"]), (&fitted["p_value"], &fitted["critical"]));
}

#[test]
fn other_discrepancies_and_settings_are_tested() {
    let folder = disc(200, 64, 3);
    for more in [
        &["--statistic", "u"][..],
        &["--method", "bdksd"],
        &["--compute", "low-rank", "--at", "0.5,0.5"],
        &["--kernel", "imq", "--resampling", "parametric", "--at", "0.5,0.5"],
    ] {
        let found = folder.json(&with(&with(&TEST, &["--bootstrap", "59"]), more));
        assert_eq!(found["rejected"].as_bool(), Some(false), "{more:?} {found}");
    }
    // Tuned settings are used, and what a wide kernel leaks is told.
    let tuned = folder.run(&with(&TEST, &["--bootstrap", "59", "--tune", "agreement", "--format", "json"]));
    let found: serde_json::Value = serde_json::from_str(&tuned.stdout).unwrap();
    let fit = folder.json(&with(&INSIDE, &["--tune", "agreement"]));
    assert_eq!((&found["kernel"], &found["ridge"]), (&fit["kernel"], &fit["ridge"]));
    assert_eq!(found["trustworthy"].as_bool(), Some(tuned.code == 0), "{}", tuned.stderr);
    // A domain changes nothing for a method that takes the data for the whole.
    let whole = folder.json(&with(&TEST, &["--method", "ksd", "--bootstrap", "59"]));
    assert_eq!((whole["rejected"].as_bool(), whole["failed"].as_u64()), (Some(true), Some(0)));
    // Data that are cut off are not a sample of the whole density.
    let whole =
        folder.json(&["test", "data.csv", "--method", "ksd", "--known-covariance", "1", "--bootstrap", "99"]);
    assert_eq!((whole["rejected"].as_bool(), whole["resampling"].as_str()), (Some(true), Some("parametric")));
}

#[test]
fn a_comparison_can_test() {
    let folder = disc(200, 64, 3);
    let compare = ["compare", "data.csv", "--domain", "ball(radius=1.4)", "--known-covariance", "1"];
    let tested = folder.json(&with(&compare, &["--method", "tksd,truncsm", "--test", "--bootstrap", "59"]));
    assert!(tested["fits"][0]["test"]["p_value"].as_f64().is_some(), "{tested}");
    assert!(tested["fits"][1]["test"].is_null());
    let said = folder.run(&with(&compare, &["--method", "tksd", "--bootstrap", "59"]));
    assert!(
        said.stderr.contains("--bootstrap has no effect without --test") && !said.stdout.contains("p-value")
    );
}

#[test]
fn what_cannot_work_is_refused_first() {
    let folder = disc(200, 64, 3);
    folder.run(&with(&FIT, &["--bootstrap", "10"])).expect_refusal(&["--bootstrap", "at least 39"]);
    folder
        .run(&with(&FIT, &["--bootstrap", "100", "--confidence", "0.99"]))
        .expect_refusal(&["at least 199"]);
    folder.run(&with(&FIT, &["--bootstrap", "99999999999"])).expect_refusal(&["at most"]);
    folder.run(&with(&FIT, &["--bootstrap", "-3"])).expect_refusal(&["--bootstrap", "whole number"]);
    folder.run(&with(&TEST, &["--level", "1e-300"])).expect_refusal(&["level", "0.05"]);
    folder
        .run(&with(&FIT, &["--bootstrap", "100", "--confidence", "1.5"]))
        .expect_refusal(&["between 0 and 1"]);
    folder
        .run(&with(&FIT, &["--bootstrap", "100", "--interval", "percentil"]))
        .expect_refusal(&["percentile"]);
    folder.run(&with(&TEST, &["--bootstrap", "10"])).expect_refusal(&["at least 19"]);
    folder.run(&with(&TEST, &["--level", "0"])).expect_refusal(&["level", "0.05"]);
    folder.run(&with(&TEST, &["--method", "truncsm"])).expect_refusal(&["truncsm has no discrepancy"]);
    folder.run(&with(&TEST, &["--at", "1"])).expect_refusal(&["2"]);
    folder
        .run(&with(&TEST_EDGE, &["--resampling", "parametric"]))
        .expect_refusal(&["no domain is given", "wild"]);
    let small = ["test", "data.csv", "--domain", "ball(radius=1)", "--known-covariance", "1"];
    folder.run(&small).expect_refusal(&["lie outside", "line", "--allow-outside"]);
    let said = folder.run(&with(&FIT, &["--interval", "normal"]));
    assert!(said.code == 0 && said.stderr.contains("--interval has no effect without --bootstrap"));
}

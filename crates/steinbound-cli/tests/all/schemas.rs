//! All JSON that the command prints follows its schema in `docs/schemas`.

use serde_json::Value;
use steinbound_campaign::schema::Schemas;

use crate::common::{Folder, disc, with};
use crate::kit::{calls, kit};

fn schemas() -> Schemas {
    Schemas::load().unwrap()
}

/// Runs a command with `--format json`, and holds what it prints to the schema that it names.
#[track_caller]
fn hold(folder: &Folder, arguments: &[&str]) -> Value {
    let said = folder.run(&with(arguments, &["--format", "json"]));
    assert!(matches!(said.code, 0 | 3), "{arguments:?}: {}", said.stderr);
    assert_eq!(said.stdout.matches('\n').count(), 1, "{arguments:?}: one object on one line");
    let value = said.json();
    let found = schemas().mistakes_of_result(&value);
    assert!(found.is_empty(), "{arguments:?}:\n{}", found.join("\n"));
    value
}

#[test]
fn every_command_follows_a_schema() {
    let folder = kit();
    let mut named = std::collections::BTreeSet::new();
    for (_, call) in calls() {
        named.insert(hold(&folder, &call)["schema"].as_str().unwrap().to_string());
    }
    named.insert(
        hold(&folder, &["reproduce", "fig10", "--trials", "2", "--output", "out"])["schema"]
            .as_str()
            .unwrap()
            .into(),
    );
    let mut expected: Vec<String> = schemas().results().map(|name| format!("steinbound.{name}/1")).collect();
    expected.sort_unstable();
    assert_eq!(named.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn fits_of_every_kind_follow_the_schema() {
    let folder = kit();
    let fit = ["fit", "points.csv"];
    let ball = ["--domain", "ball(radius=1.44)"];
    for method in ["tksd", "bdksd", "truncsm", "ksd", "mle", "truncated-mle"] {
        hold(&folder, &[&fit[..], &ball, &["--method", method]].concat());
    }
    for more in [
        &["--compute", "low-rank"][..],
        &["--statistic", "u", "--bootstrap", "50"],
        &["--bootstrap", "50", "--resampling", "parametric", "--interval", "normal"],
        &["--tune", "agreement", "--sensitivity", "--known-covariance", "1"],
        &["--hypothesis", "mean[x1] = 0", "--derive", "r = 2*mean[x1]"],
        &["--model", "gaussian-mixture", "--components", "2", "--known-covariance", "1"],
        &["--log-density", "-(x1-a)^2/2 - x2^2/2", "--start", "a=0"],
    ] {
        hold(&folder, &[&fit[..], &ball, more].concat());
    }
    hold(&folder, &["fit", "places.csv", "--boundary", "country.geojson", "--project", "--sensitivity"]);
    let regress = ["regress", "scores.csv", "--formula", "achiv ~ langscore", "--lower", "40"];
    for more in
        [&["--test"][..], &["--predict", "scores.csv"], &["--method", "truncated-mle", "--bootstrap", "50"]]
    {
        hold(&folder, &with(&regress, more));
    }
    let both = with(&regress, &["--upper", "76", "--effects", "--predict", "scores.csv"]);
    for more in [
        &["--method", "truncated-mle", "--cov", "cluster", "--cluster", "prog"][..],
        &["--censored=upper", "--cov", "robust"],
        &["--method", "mle", "--test"],
    ] {
        hold(&folder, &with(&both, more));
    }
}

#[test]
fn results_without_a_value_follow_the_schema() {
    let folder = kit();
    let boundary = ["--boundary", "border.csv", "--known-covariance", "1"];
    let at = ["--at", "0.5,0.5"];
    hold(&folder, &[&["discrepancy", "points.csv", "--statistic", "u"], &boundary[..], &at].concat());
    hold(
        &folder,
        &["discrepancy", "points.csv", "--method", "ksd", "--known-covariance", "1", "--at", "0,0"],
    );
    hold(&folder, &["witness", "points.csv", "--method", "ksd", "--known-covariance", "1", "--grid", "3"]);
    hold(&folder, &[&["test", "points.csv", "--bootstrap", "50"], &boundary[..]].concat());
    hold(
        &folder,
        &[&["compare", "points.csv", "--method", "tksd,truncated-mle", "--test"], &boundary[..]].concat(),
    );
    hold(
        &folder,
        &["compare", "places.csv", "--boundary", "country.geojson", "--project", "--method", "tksd"],
    );
    hold(&folder, &["boundary", "--domain", "halfspace(normal=1:0, offset=5)", "--near", "points.csv"]);
    hold(&folder, &["boundary", "--domain", "ball(radius=1)", "--boundary-points", "1"]);
    // Moments that do not exist, and fits without a minimum.
    let mut doubtful = 0;
    for seed in 100..112 {
        let folder = disc(14, 32, seed);
        for statistic in ["v", "u"] {
            let fit = hold(&folder, &["fit", "data.csv", "--boundary", "edge.csv", "--statistic", statistic]);
            doubtful += usize::from(fit["parameters"][0]["estimate"].is_null());
        }
    }
    assert!(doubtful > 0);
}

/// A schema that requires nothing or describes nothing would hold everything to be right.
#[test]
fn schemas_require_what_programs_rely_on() {
    let schemas = schemas();
    for name in schemas.results() {
        let schema = schemas.get(&format!("{name}.json")).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        assert_eq!(schema["properties"]["schema"]["const"], format!("steinbound.{name}/1"));
        let required = schema["required"].as_array().unwrap();
        assert!(required.contains(&"schema".into()) && required.len() > 1, "{name}");
        for field in required {
            assert!(!schema["properties"][field.as_str().unwrap()].is_null(), "{name}: {field}");
        }
    }
}

//! The reference values again, through the command line.

use crate::common::{Folder, assert_relative, field, golden, numbers};
use serde_json::Value;

fn prepared(name: &str) -> (Folder, Value, String) {
    let json = golden(name);
    let folder = Folder::new();
    folder.write_rows("data.csv", &json["data"]).write_rows("boundary.csv", &json["boundary"]);
    let domain = match (json["radius"].as_f64(), name.contains("l1")) {
        (None, _) => "interval(-1, 1)".into(),
        (Some(radius), true) => format!("ball(radius={radius:?}, norm=1)"),
        (Some(radius), false) => format!("ball(radius={radius:?})"),
    };
    (folder, json, domain)
}

/// The options behind a field such as `tksd_u` or `truncsm_nearest_point`.
fn options<'a>(name: &'a str, domain: &'a str) -> Vec<&'a str> {
    let method = match name {
        "naive_mle" => "mle",
        _ => name.split('_').next().unwrap(),
    };
    let mut options = vec!["--method", method];
    match name {
        _ if name.contains("nearest") => {
            options.extend(["--boundary", "boundary.csv", "--distance", "nearest"])
        }
        _ if method == "tksd" => options.extend(["--boundary", "boundary.csv"]),
        _ if method == "bdksd" || method == "truncsm" => options.extend(["--domain", domain]),
        _ => {}
    }
    if name.ends_with("_u") {
        options.extend(["--statistic", "u"]);
    }
    options
}

#[test]
fn means_of_every_method() {
    for name in ["ball_l2_d2", "ball_l2_d5", "ball_l1_d3", "interval_d1"] {
        let (folder, json, domain) = prepared(name);
        for (method, expected) in json["mean_hat"].as_object().unwrap() {
            let base = vec!["fit", "data.csv", "--known-covariance", "1"];
            let said = folder.run(&[base, options(method, &domain), vec!["--format", "json"]].concat());
            // Distances to the nearest of few points are known to be biased.
            let is_allowed = said.code == 0 || (said.code == 3 && method.contains("nearest"));
            assert!(is_allowed, "{name} {method}: {}", said.stderr);
            let fit = said.json();
            let what = format!("{name} {method}");
            assert_relative(&field(&fit["parameters"], "estimate"), &numbers(expected), 1e-8, &what);
            if method == "tksd_v" && !json["tksd_v_standard_error"].is_null() {
                let errors = field(&fit["parameters"], "std_error");
                assert_relative(&errors, &numbers(&json["tksd_v_standard_error"]), 1e-6, &what);
                assert_relative(
                    &[fit["kernel"]["bandwidth"].as_f64().unwrap()],
                    &[json["sigma"].as_f64().unwrap()],
                    1e-12,
                    &what,
                );
            }
        }
    }
}

fn list(values: &Value) -> String {
    numbers(values).iter().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(",")
}

#[test]
fn discrepancies_and_witnesses() {
    for name in ["ball_l2_d2", "ball_l2_d5"] {
        let (folder, json, domain) = prepared(name);
        let at = list(&json["at_theta"]["theta"]);
        for (key, expected) in json["at_theta"].as_object().unwrap() {
            let Some(expected) = expected.as_f64() else { continue };
            let base = vec!["discrepancy", "data.csv", "--known-covariance", "1", "--at", &at];
            let found = folder.json(&[base, options(key, &domain)].concat());
            assert_eq!(found["schema"], "steinbound.discrepancy/1");
            let squared = found["discrepancy_squared"].as_f64().unwrap();
            assert_relative(&[squared], &[expected], 1e-8, key);
            assert_relative(&[found["discrepancy"].as_f64().unwrap()], &[squared.sqrt()], 1e-12, key);
        }
        folder.write_rows("targets.csv", &json["witness"]["points"]);
        let at = list(&json["witness"]["theta"]);
        let arguments = [
            "witness",
            "data.csv",
            "--boundary",
            "boundary.csv",
            "--known-covariance",
            "1",
            "--at",
            &at,
            "--points",
            "targets.csv",
        ];
        let found = folder.json(&arguments);
        for (g, expected) in
            found["g"].as_array().unwrap().iter().zip(json["witness"]["g"].as_array().unwrap())
        {
            assert_relative(&numbers(g), &numbers(expected), 1e-8, "witness");
        }
        assert_eq!(found["points"], json["witness"]["points"]);
    }
}

#[test]
fn full_gaussian() {
    let (folder, json, domain) = prepared("gaussian_full_d2");
    let moments = |expected: &Value| {
        let mut moments = numbers(&expected["mean"]);
        let covariance = &expected["covariance"];
        moments
            .extend([&covariance[0][0], &covariance[0][1], &covariance[1][1]].map(|v| v.as_f64().unwrap()));
        moments
    };
    let fit = folder.json(&["fit", "data.csv", "--method", "tksd", "--boundary", "boundary.csv"]);
    let expected = &json["tksd_v"];
    assert_relative(&field(&fit["natural"], "estimate"), &numbers(&expected["natural"]), 1e-8, "natural");
    let errors = field(&fit["natural"], "std_error");
    assert_relative(&errors, &numbers(&expected["natural_standard_error"]), 1e-6, "standard errors");
    assert_relative(&field(&fit["parameters"], "estimate"), &moments(expected), 1e-8, "tksd");
    let names: Vec<&str> =
        fit["parameters"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["mean[x1]", "mean[x2]", "cov[x1,x1]", "cov[x1,x2]", "cov[x2,x2]"]);
    let fit = folder.json(&["fit", "data.csv", "--domain", &domain, "--method", "truncsm"]);
    assert_relative(
        &field(&fit["parameters"], "estimate"),
        &moments(&json["truncsm_exact"]),
        1e-8,
        "truncsm",
    );
}

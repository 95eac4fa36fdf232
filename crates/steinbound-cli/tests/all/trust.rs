//! Tuning, sensitivity and comparisons as other programs see them.

use crate::common::{Folder, disc, field, numbers, with};
use serde_json::Value;

const FIT: [&str; 8] =
    ["fit", "data.csv", "--method", "tksd", "--boundary", "edge.csv", "--known-covariance", "1"];

const COMPARE: [&str; 6] = ["compare", "data.csv", "--boundary", "edge.csv", "--known-covariance", "1"];

#[test]
fn a_tuned_fit_lists_its_candidates() {
    let folder = disc(200, 32, 1);
    let fit = folder.json(&with(&FIT, &["--tune", "agreement"]));
    let tuning = &fit["tuning"];
    let candidates = tuning["candidates"].as_array().unwrap();
    assert_eq!((tuning["rule"].as_str(), candidates.len()), (Some("agreement"), 12));
    let chosen = &candidates[tuning["chosen"].as_u64().unwrap() as usize];
    assert_eq!(chosen["bandwidth"], fit["kernel"]["bandwidth"]);
    assert_eq!(chosen["ridge"], fit["ridge"]);
    assert_eq!(numbers(&chosen["estimates"]), field(&fit["parameters"], "estimate"));
    assert_eq!(numbers(&chosen["std_errors"]), field(&fit["parameters"], "std_error"));
    for candidate in candidates {
        assert!(candidate["agrees"].is_boolean() && candidate["spread"].as_f64().unwrap() > 0.0);
        assert!(candidate["difference"].as_f64().unwrap() >= 0.0);
    }
    let plain = folder.json(&FIT);
    assert_eq!(plain["tuning"], Value::Null);
    assert_eq!(folder.json(&with(&FIT, &["--tune", "none"]))["parameters"], plain["parameters"]);
    let said = folder.run(&with(&FIT, &["--tune", "agreement"]));
    assert!(said.stdout.contains("of 12 candidates agree"), "{}", said.stdout);
    let told = folder.run(&with(&FIT, &["--tune", "agreement", "--verbose"]));
    assert_eq!(told.stdout.matches("\ngaussian ").count(), 12, "{}", told.stdout);
}

#[test]
fn given_settings_are_what_candidates_must_agree_with() {
    let folder = disc(200, 32, 1);
    let options = ["--tune", "agreement", "--bandwidth", "0.9", "--ridge", "0.05"];
    let tuning = folder.json(&with(&FIT, &options))["tuning"].clone();
    let default = &tuning["candidates"][tuning["default"].as_u64().unwrap() as usize];
    assert_eq!((default["bandwidth"].as_f64(), default["ridge"].as_f64()), (Some(0.9), Some(0.05)));
    assert_eq!(tuning["candidates"].as_array().unwrap().len(), 13);
}

#[test]
fn tuning_where_there_is_nothing_to_tune_is_noted() {
    // As many boundary points as distances to the nearest of them need.
    let folder = disc(200, 400, 1);
    for method in ["truncsm", "mle"] {
        let said = folder.run(
            &[&["fit", "data.csv", "--method", method], &FIT[4..], &["--tune", "agreement", "--sensitivity"]]
                .concat(),
        );
        assert_eq!(said.code, 0, "{}", said.stderr);
        for option in ["--tune", "--sensitivity"] {
            let note = format!("{option} has no effect with --method {method}");
            assert!(said.stderr.contains(&note), "{}", said.stderr);
        }
    }
    let at = ["discrepancy", "data.csv", "--boundary", "edge.csv", "--known-covariance", "1", "--at", "0,0"];
    let said = folder.run(&with(&at, &["--tune", "agreement"]));
    assert!(said.stderr.contains("--tune has no effect here"), "{}", said.stderr);
    folder.run(&with(&FIT, &["--tune", "agreemnt"])).expect_refusal(&["did you mean \"agreement\""]);
}

#[test]
fn a_regression_can_be_tuned() {
    let scores = format!("{}/../steinbound-io/data/student_scores.csv", env!("CARGO_MANIFEST_DIR"));
    let regress =
        ["regress", &scores, "--formula", "achiv ~ langscore + C(prog, base=general)", "--lower", "40"];
    let folder = Folder::new();
    let plain = folder.json(&regress);
    let tuned = folder.json(&with(&regress, &["--tune", "agreement"]));
    // The published maximum likelihood estimates, which a better choice comes closer to, in published
    // standard errors.
    let published = [11.30152, 0.7125775, 4.065219, -1.135863, 8.755315];
    let errors = [6.77273, 0.1144719, 2.054938, 2.669961, 0.6668032];
    let apart = |fit: &Value| {
        let found = field(&fit["parameters"], "estimate");
        (0..5).map(|k| ((found[k] - published[k]) / errors[k]).powi(2)).sum::<f64>()
    };
    assert!(apart(&tuned) < 0.5 * apart(&plain), "{} {}", apart(&tuned), apart(&plain));
}

#[test]
fn degrees_are_kept_in_every_candidate() {
    let folder = Folder::new();
    let rows: String = (0..150)
        .map(|i| f64::from(i) * 0.7)
        .map(|a| format!("{},{}\n", -100.0 + a.sin(), 40.0 + (1.3 * a).cos()))
        .collect();
    let edge: String = (0..60)
        .map(|i| f64::from(i) * 0.105)
        .map(|a| format!("{},{}\n", -100.0 + 1.5 * a.cos(), 40.0 + 1.5 * a.sin()))
        .collect();
    folder.write("data.csv", &format!("lon,lat\n{rows}")).write("edge.csv", &format!("lon,lat\n{edge}"));
    let fit = folder.json(&[
        "fit",
        "data.csv",
        "--boundary",
        "edge.csv",
        "--project",
        "--known-covariance",
        "10000",
        "--tune",
        "agreement",
        "--sensitivity",
    ]);
    let rows = fit["tuning"]["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .chain(fit["sensitivity"]["rows"].as_array().unwrap());
    for row in rows {
        let (places, errors) = (numbers(&row["estimates"]), numbers(&row["std_errors"]));
        assert!((places[0] + 100.0).abs() < 3.0 && (places[1] - 40.0).abs() < 3.0, "{row}");
        assert!(errors.iter().all(|error| *error < 1.0), "{row}");
    }
}

#[test]
fn sensitivity_has_a_table_a_sentence_and_json() {
    let folder = disc(200, 32, 1);
    let found = folder.json(&with(&FIT, &["--sensitivity"]))["sensitivity"].clone();
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 17);
    let largest = rows.iter().map(|row| row["difference"].as_f64().unwrap()).fold(0.0, f64::max);
    assert_eq!(found["largest"].as_f64(), Some(largest));
    assert_eq!(rows[16]["boundary_points"], 16);
    let said = folder.run(&with(&FIT, &["--sensitivity"]));
    let summary = found["summary"].as_str().unwrap();
    assert!(said.stdout.contains(summary) && said.stdout.contains("rational-quadratic"), "{}", said.stdout);
}

#[test]
fn regressions_tell_how_much_depends_on_settings() {
    let rows: String = (0..120)
        .map(|k| f64::from(k) / 120.0)
        .map(|x| format!("{},{x}\n", 1.2 + 2.0 * x + (157.0 * x).sin().abs()))
        .collect();
    let folder = Folder::new();
    folder.write("wages.csv", &format!("wage,age\n{rows}"));
    let regress = ["regress", "wages.csv", "--formula", "wage ~ age", "--lower", "1", "--sensitivity"];
    let by_tksd = [&regress[..], &["--method", "tksd", "--boundary-points", "120"]].concat();
    let found = folder.json(&by_tksd)["sensitivity"].clone();
    let rows = found["rows"].as_array().unwrap();
    // Sixteen kernels and bandwidths, and half and twice the boundary points.
    assert_eq!((rows.len(), rows[0]["difference"].as_f64()), (18, Some(0.0)));
    assert_eq!((&rows[16]["boundary_points"], &rows[17]["boundary_points"]), (&60.into(), &240.into()));
    let said = folder.run(&by_tksd);
    assert!(said.stdout.contains(found["summary"].as_str().unwrap()), "{}", said.stdout);
    let said = folder.run(&[&regress[..], &["--method", "truncsm"]].concat());
    assert!(said.stderr.contains("--sensitivity has no effect with --method truncsm"), "{}", said.stderr);
}

#[test]
fn comparisons_have_the_agreed_fields() {
    let folder = disc(200, 32, 1);
    let found = folder.json(&with(&COMPARE, &["--method", "tksd,truncsm,mle"]));
    assert_eq!(found["schema"], "steinbound.compare/1");
    assert_eq!((found["n"].as_u64(), found["d"].as_u64()), (Some(200), Some(2)));
    assert_eq!((&found["reference"]["method"], &found["reference"]["m"]), (&"tksd".into(), &32.into()));
    let fits = found["fits"].as_array().unwrap();
    assert_eq!(
        fits.iter().map(|row| row["method"].as_str().unwrap()).collect::<Vec<_>>(),
        ["tksd", "truncsm", "mle"]
    );
    for row in fits {
        // The command that measures one density says the same of each.
        let at = field(&row["fit"]["parameters"], "estimate")
            .iter()
            .map(f64::to_string)
            .collect::<Vec<_>>()
            .join(",");
        let arguments =
            ["discrepancy", "data.csv", "--boundary", "edge.csv", "--known-covariance", "1", "--at", &at];
        let expected = folder.json(&arguments)["discrepancy"].as_f64().unwrap();
        assert!((row["discrepancy"].as_f64().unwrap() / expected - 1.0).abs() < 1e-9);
        assert_eq!((row["parameter_count"].as_u64(), row["label"].as_str()), (Some(2), Some("gaussian")));
    }
}

#[test]
fn what_cannot_be_fitted_has_a_line() {
    let folder = disc(200, 32, 1);
    let said = folder.run(&with(&COMPARE, &["--method", "tksd,truncated-mle"]));
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(
        said.stdout.contains("not fitted") && said.stdout.contains("[2] truncated-mle integrates"),
        "{}",
        said.stdout
    );
    let rows = said.stdout.lines().filter(|line| line.starts_with("mean[")).count();
    assert_eq!(rows, 2);
    folder
        .run(&with(&COMPARE, &["--method", "truncated-mle"]))
        .expect_refusal(&["no candidate could be fitted", "integrates over"]);
}

#[test]
fn lists_are_checked() {
    let folder = disc(200, 32, 1);
    let refuse =
        |options: &[&str], parts: &[&str]| folder.run(&with(&COMPARE, options)).expect_refusal(parts);
    refuse(&["--method", "tksd,trunksm"], &["unknown method \"trunksm\"", "truncsm"]);
    refuse(&["--method", ""], &["unknown method \"\""]);
    refuse(&["--model", "gaussian,"], &["unknown model \"\""]);
    refuse(&["--components", "2"], &["--components is for gaussian-mixture"]);
    refuse(&["--model", "gaussian-mixture"], &["needs --components"]);
    refuse(&["--model", "gaussian-mixture", "--components", "0"], &["from 1 to 1000"]);
    refuse(
        &["--model", "gaussian-mixture", "--components", "2", "--start", "1,2,3,4"],
        &["--start is for --log-density"],
    );
    let said = folder.run(&with(&COMPARE, &["--method", "mle,tksd,mle", "--format", "json"]));
    assert!(said.stderr.contains("--method names mle more than once"), "{}", said.stderr);
    assert_eq!(said.json()["fits"].as_array().unwrap().len(), 2);
}

#[test]
fn models_are_compared_on_what_is_known() {
    let folder = disc(200, 32, 1);
    let models = [
        "--model",
        "gaussian,gaussian-mixture",
        "--components",
        "2",
        "--method",
        "tksd",
        "--estimate-weights",
    ];
    let found = folder.json(&with(&COMPARE, &models));
    let label = |k: usize| found["fits"][k]["label"].as_str().unwrap().to_string();
    assert_eq!((label(0), label(1)), ("gaussian".into(), "gaussian-mixture 2".into()));
    let by_formula = ["compare", "data.csv", "--boundary", "edge.csv", "--method", "tksd"];
    let formula = ["--log-density", "-(x1-a)^2/2 - (x2-b)^2/2", "--start", "a=0,b=0"];
    let formula = folder.json(&with(&by_formula, &formula));
    let apart = formula["fits"][0]["discrepancy"].as_f64().unwrap()
        / found["fits"][0]["discrepancy"].as_f64().unwrap();
    assert!((apart - 1.0).abs() < 1e-6, "{apart}");
    // Without a boundary, methods that ignore it; with a domain, all that use it.
    let methods = |arguments: &[&str]| {
        let fits = folder.json(&with(&["compare", "data.csv", "--known-covariance", "1"], arguments))["fits"]
            .clone();
        fits.as_array()
            .unwrap()
            .iter()
            .map(|row| row["method"].as_str().unwrap().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(methods(&[]), ["ksd", "mle"]);
    assert_eq!(
        methods(&["--domain", "ball(radius=1.4)"]),
        ["efficient", "tksd", "bdksd", "truncsm", "truncated-mle"]
    );
}

#[test]
fn threads_change_nothing() {
    let folder = disc(200, 32, 1);
    let run = |command: &[&str], threads: &str| {
        let mut found = folder.json(&with(command, &["--threads", threads]));
        strip(&mut found);
        found
    };
    for command in
        [with(&FIT, &["--tune", "agreement", "--sensitivity"]), with(&COMPARE, &["--method", "tksd,truncsm"])]
    {
        assert_eq!(run(&command, "1"), run(&command, "3"));
    }
}

/// Removes what may differ between runs.
fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|name, _| !["seconds", "threads"].contains(&name.as_str()));
            map.values_mut().for_each(strip);
        }
        Value::Array(list) => list.iter_mut().for_each(strip),
        _ => {}
    }
}

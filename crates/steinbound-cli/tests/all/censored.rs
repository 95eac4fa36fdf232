//! Censored responses, kinds of standard errors and marginal effects through the command line.

use serde_json::Value;

use crate::common::{Folder, assert_relative, field, with};

const WORK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../steinbound/tests/regressions/mroz.csv");
const HOURS: [&str; 6] = [
    "regress",
    WORK,
    "--formula",
    "hours ~ nwifeinc + educ + exper + expersq + age + kidslt6 + kidsge6",
    "--lower",
    "0",
];

#[test]
fn a_pile_at_the_limit_is_said_before_all_else() {
    let said = Folder::new().run(&with(&HOURS, &["--method", "truncated-mle"]));
    assert_eq!(said.code, 3);
    let first = "warning: 325 of 753 responses equal the lower limit 0: they are censored, not truncated";
    assert!(said.stderr.starts_with(first) && said.stderr.contains("use --censored\n"), "{}", said.stderr);
    assert!(said.stdout.contains("kidslt6"), "{}", said.stdout);
    let on_both = with(&HOURS, &["--upper", "5000", "--method", "truncated-mle"]);
    let said = Folder::new().run(&on_both);
    assert!(said.code == 3 && said.stderr.contains("use --censored=lower\n"), "{}", said.stderr);
}

/// Wooldridge, *Introductory Econometrics*, table 17.3.
#[test]
fn censored_hours_have_the_published_estimates() {
    let folder = Folder::new();
    let fit = folder.json(&with(&HOURS, &["--censored", "--effects", "--predict", WORK]));
    let published =
        [965.3053, -8.814243, 80.64561, 131.5643, -1.864158, -54.40501, -894.0217, -16.218, 1122.022];
    assert_relative(&field(&fit["parameters"], "estimate"), &published, 1e-5, "estimates");
    assert_eq!((fit["method"].as_str(), fit["model"].as_str()), (Some("mle"), Some("censored-regression")));
    assert_eq!(fit["covariance_type"], "information");
    assert!((fit["log_likelihood"].as_f64().unwrap() + 3819.0946).abs() < 1e-4);
    assert_eq!(fit["df"], 9);
    let effect = |of: &str| {
        let all = fit["effects"].as_array().unwrap();
        let found = all.iter().find(|effect| effect["of"] == of && effect["name"] == "educ").unwrap();
        found["estimate"].as_f64().unwrap()
    };
    assert!((effect("latent") - 80.64561).abs() < 1e-3);
    assert!((effect("recorded") / effect("latent") - 0.589).abs() < 0.0005);
    // The average of the predicted probabilities of hours is the same factor.
    let rows = fit["predictions"].as_array().unwrap();
    let value = |row: &Value, of: &str| row[of]["estimate"].as_f64().unwrap();
    let shares: f64 = rows.iter().map(|row| value(row, "uncensored")).sum();
    assert!((shares / 753.0 - 0.589).abs() < 0.0005, "{shares}");
    for row in rows {
        let product = value(row, "uncensored") * value(row, "seen");
        assert!((value(row, "recorded") - product).abs() < 1e-9 * product, "{row}");
    }
}

#[test]
fn methods_by_slopes_are_refused_for_censored_responses() {
    let folder = Folder::new();
    for method in ["efficient", "tksd", "truncsm"] {
        let said = folder.run(&with(&HOURS, &["--censored", "--method", method]));
        said.expect_refusal(&[
            &format!("--method {method} cannot be used with --censored"),
            "leave --method out",
        ]);
    }
    folder
        .run(&with(&HOURS[..4], &["--censored"]))
        .expect_refusal(&["--censored needs the limit", "--lower V"]);
    folder.run(&with(&HOURS, &["--censored=upper"])).expect_refusal(&["--upper V"]);
    let said = folder.run(&with(&HOURS, &["--censored", "--test"]));
    said.expect_refusal(&["records at a limit have no score"]);
}

#[test]
fn one_limit_may_censor_while_the_other_truncates() {
    let folder = Folder::new();
    let mut text = String::from("y,x\n");
    for i in 0..400 {
        let x = f64::from(i) / 400.0;
        let y = 1.0 + 2.0 * x + (12.9898 * f64::from(i)).sin();
        if y > 0.9 {
            text.push_str(&format!("{},{x}\n", y.min(3.0)));
        }
    }
    folder.write("rows.csv", &text);
    let rows = ["regress", "rows.csv", "--formula", "y ~ x", "--lower", "0.9", "--upper", "3"];
    let fit = folder.json(&with(&rows, &["--censored=upper"]));
    assert_eq!(fit["method"], "truncated-mle");
    let table = folder.run(&with(&rows, &["--censored=upper", "--digits", "3"])).stdout;
    assert!(table.starts_with("truncated-mle fit of a censored-regression model\n"), "{table}");
    let numbers = table.lines().find(|line| line.starts_with("sigma")).unwrap();
    let digits = |cell: &str| cell.replace('.', "").trim_start_matches('0').len();
    assert!(numbers.split_whitespace().skip(1).take(2).all(|cell| digits(cell) == 3), "{numbers}");
}

#[test]
fn standard_errors_are_of_the_kind_that_is_asked_for() {
    let folder = Folder::new();
    let hours = with(&HOURS, &["--censored"]);
    let errors = |more: &[&str]| {
        let fit = folder.json(&with(&hours, more));
        (
            fit["covariance_type"].as_str().unwrap().to_string(),
            fit["clusters"].as_u64(),
            field(&fit["parameters"], "std_error"),
        )
    };
    let information = errors(&["--cov", "information"]);
    assert_eq!((information.0.as_str(), information.1), ("information", None));
    let robust = errors(&["--cov", "robust"]);
    assert_eq!((robust.0.as_str(), robust.1), ("sandwich", None));
    let cluster = errors(&["--cov", "cluster", "--cluster", "age"]);
    assert_eq!((cluster.0.as_str(), cluster.1), ("cluster", Some(31)));
    assert!((information.2[2] - 21.583236).abs() < 1e-4 && (robust.2[2] - 21.826855).abs() < 1e-4);
    assert!((cluster.2[2] - 17.908106).abs() < 1e-4);
    // Without it, as before: no correction.
    let plain = errors(&["--cluster", "age"]);
    assert!(plain.0 == "sandwich" && plain.1 == Some(31));
    assert!((cluster.2[2] / plain.2[2] - (31.0f64 / 30.0).sqrt()).abs() < 1e-9);
    folder.run(&with(&hours, &["--cov", "cluster"])).expect_refusal(&["need clusters"]);
    let said = folder.run(&with(&hours, &["--cov", "robust", "--cluster", "age"]));
    assert!(said.stderr.contains("note: --cluster has no effect with --cov robust"), "{}", said.stderr);
}

/// A cubic in the year: exact by likelihood, and by the others exact or not to be trusted.
#[test]
fn powers_of_years_are_right_or_refused() {
    let folder = Folder::new();
    // The same powers, centred, so that the kernel of a Stein method sees the same distances.
    let (mut years, mut centred) = (String::from("y,a,b,c\n"), String::from("y,a,b,c\n"));
    for i in 0..124 {
        let (year, t) = (1990 + i % 31, f64::from(i % 31) - 15.0);
        let noise = (12.9898 * f64::from(i + 1)).sin() + 0.5 * (78.233 * f64::from(i)).cos();
        let y = 3.0 + 0.1 * t - 0.02 * t * t + 0.001 * t * t * t + noise;
        if y > -1.0 {
            let cube = i64::from(year).pow(3);
            years.push_str(&format!("{y},{year},{},{cube}\n", year * year));
            let (square, cubed) = (4010.0 * t + t * t, 12_060_075.0 * t + 6015.0 * t * t + t * t * t);
            centred.push_str(&format!("{y},{t},{square},{cubed}\n"));
        }
    }
    folder.write("years.csv", &years);
    folder.write("centred.csv", &centred);
    let call = |file: &'static str, method: &'static str| {
        ["regress", file, "--formula", "y ~ a + b + c", "--lower", "-1", "--method", method]
    };
    for method in ["mle", "truncated-mle", "efficient", "tksd", "truncsm"] {
        let said = folder.run(&with(&call("years.csv", method), &["--format", "json"]));
        if said.code != 0 {
            let is_likelihood = method.ends_with("mle");
            assert!(matches!(said.code, 2 | 3) && !is_likelihood, "{method}: {}", said.stderr);
            continue;
        }
        let found: Value = serde_json::from_str(&said.stdout).unwrap();
        let expected = folder.json(&call("centred.csv", method));
        let of = |fit: &Value, field: &str| fit["parameters"][3][field].as_f64().unwrap();
        let error = of(&expected, "std_error");
        let difference = of(&found, "estimate") - of(&expected, "estimate");
        let is_alike =
            difference.abs() < 1e-6 * error && (of(&found, "std_error") / error - 1.0).abs() < 1e-6;
        assert!(is_alike, "{method}: {difference}, {error}");
    }
}

//! Hypotheses and functions of the estimates: `--hypothesis` and `--derive`.

use crate::common::{Folder, field};
use serde_json::json;

const SCORES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../steinbound-io/data/student_scores.csv");

/// The published regression, with more arguments.
fn scores<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let formula = "achiv ~ langscore + C(prog, base=general)";
    [&["regress", SCORES, "--formula", formula, "--lower", "40", "--method", "truncated-mle"], more].concat()
}

/// A sample in a disc and its fit.
fn disc() -> (Folder, Vec<&'static str>) {
    let folder = Folder::new();
    let simulate =
        ["simulate", "--domain", "ball(radius=1.4)", "--at", "0.5,0.5", "-n", "200", "--output", "data.csv"];
    assert_eq!(folder.run(&simulate).code, 0);
    (folder, vec!["fit", "data.csv", "--domain", "ball(radius=1.4)"])
}

#[test]
fn a_hypothesis_is_tested_below_the_table_and_in_json() {
    let folder = Folder::new();
    let question = ["--hypothesis", "prog[academic], prog[vocational] = 0"];
    let said = folder.run(&scores(&question));
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    let line = "Wald test of prog[academic] = 0, prog[vocational] = 0: chi-square 7.19 with 2 degrees of freedom, p = 0.0274";
    assert_eq!(said.stdout.lines().last(), Some(line));
    let fit = folder.json(&scores(&question));
    assert_eq!(fit["wald"]["hypothesis"], json!(["prog[academic] = 0", "prog[vocational] = 0"]));
    assert_eq!(fit["wald"]["degrees_of_freedom"], 2);
    assert!((fit["wald"]["statistic"].as_f64().unwrap() - 7.19).abs() < 0.005, "{}", fit["wald"]);
    assert!((fit["wald"]["p_value"].as_f64().unwrap() - 0.0274).abs() < 5e-5, "{}", fit["wald"]);
    assert!(folder.json(&scores(&[]))["wald"].is_null());
}

#[test]
fn functions_of_the_parameters_have_standard_errors() {
    let (folder, base) = disc();
    let fit = folder.json(
        &[&base[..], &["--derive", "gap=mean[x1] - mean[x2]", "--derive", "r = cov[x1,x2]^2"]].concat(),
    );
    let estimates = field(&fit["parameters"], "estimate");
    let found = field(&fit["derived"], "estimate");
    assert!((found[0] - (estimates[0] - estimates[1])).abs() < 1e-12);
    assert!((found[1] - estimates[3] * estimates[3]).abs() < 1e-12);
    let covariance = |j: usize, k: usize| fit["covariance"][j][k].as_f64().unwrap();
    let error = (covariance(0, 0) + covariance(1, 1) - 2.0 * covariance(0, 1)).sqrt();
    assert!((field(&fit["derived"], "std_error")[0] / error - 1.0).abs() < 1e-6);
    assert_eq!(fit["derived"][1]["name"], "r");
    let table = folder.run(&[&base[..], &["--derive", "gap=mean[x1] - mean[x2]"]].concat()).stdout;
    assert!(table.lines().last().unwrap().starts_with("gap "), "{table}");
}

#[test]
fn bad_questions_are_refused_before_anything_is_fitted() {
    let (folder, base) = disc();
    let refused = |option: &str, text: &str, parts: &[&str]| {
        folder.run(&[&base[..], &[option, text]].concat()).expect_refusal(&[&[option], parts].concat());
    };
    refused("--hypothesis", "mean[x3] = 0", &["unknown name \"mean[x3]\"", "did you mean", "^"]);
    refused("--hypothesis", "mean[x1]*mean[x2]", &["not linear"]);
    refused("--hypothesis", "mean[x1] = ", &["ends where"]);
    refused("--hypothesis", "", &["no parameter"]);
    refused("--hypothesis", "mean[x1] = 0, mean[x1] = 1", &["restriction 2", "contradicts"]);
    refused("--hypothesis", "mean[x1] = 0, -mean[x1] = 0", &["restriction 2", "leave it out"]);
    refused("--hypothesis", "mean[x1]/0", &["not finite"]);
    refused("--derive", "mean[x1] + 1", &["NAME=FORMULA"]);
    refused("--derive", "=mean[x1]", &["NAME=FORMULA"]);
    refused("--derive", "a=mean[x1", &["unknown name"]);
    folder.run(&scores(&["--hypothesis", "langscor"])).expect_refusal(&["did you mean \"langscore\""]);
}

/// What the estimates cannot answer is told; the fit is printed all the same.
#[test]
fn an_unanswerable_question_leaves_the_fit_and_a_warning() {
    let (folder, base) = disc();
    let said = folder.run(&[&base[..], &["--derive", "l=log(-cov[x1,x1])", "--format", "json"]].concat());
    assert_eq!(said.code, 3);
    assert!(said.stderr.contains("warning: --derive: l is not a finite number"), "{}", said.stderr);
    assert!(said.json()["parameters"][0]["estimate"].is_number() && said.json()["derived"].is_null());
}

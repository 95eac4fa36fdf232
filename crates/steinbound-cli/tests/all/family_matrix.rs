//! Every model that has a name, in every command that takes one.

use steinbound::model::{Choice, FAMILIES};

use crate::common::Folder;

/// Parameters at which a sample is drawn in an interval, by name.
fn case(name: &str) -> (&'static str, &'static str) {
    match name {
        "gaussian" => ("interval(-1, 2)", "0.3"),
        "gaussian-mixture" => ("interval(-4, 4)", "-2,2"),
        "exponential" => ("interval(0, 2)", "1"),
        "gamma" => ("interval(0, 3)", "2,1"),
        "weibull" => ("interval(0.2, 2)", "1.5,1"),
        "lognormal" => ("interval(0.2, 3)", "0,0.5"),
        "pareto" => ("interval(1, 6)", "2.5"),
        "beta" => ("interval(0.1, 1)", "2,2"),
        "von-mises" => ("interval(-1, 2)", "0.3,1.5"),
        "student-t" => ("interval(-2, 3)", "0.2,1"),
        other => panic!("give {other} a region and parameters here, so that every command is tried with it"),
    }
}

#[test]
fn every_model_works_in_every_command() {
    for family in FAMILIES {
        let folder = Folder::new();
        let name = family.name();
        let (domain, at) = case(name);
        let mut model = vec!["--model", name];
        if family.choices().contains(&Choice::Components) {
            model.extend(["--components", "2"]);
        }
        if family.choices().contains(&Choice::KnownCovariance) {
            model.extend(["--known-covariance", "1"]);
        }
        if name == "student-t" {
            model.extend(["--known", "degrees=4"]);
        }
        let region = ["--domain", domain];
        let simulate = ["simulate", "--at", at, "-n", "150", "--output", "data.csv", "--quiet"];
        let said = folder.run(&[&simulate[..], &region, &model].concat());
        assert_eq!(said.code, 0, "{name}: {}", said.stderr);
        let run = |arguments: &[&str]| {
            let said = folder.run(&[arguments, &region, &model].concat());
            assert!(said.code == 0 || said.code == 3, "{name} {arguments:?}: {}", said.stderr);
            said
        };
        run(&["fit", "data.csv", "--plot", "fit.svg"]);
        run(&["fit", "data.csv", "--method", "truncated-mle"]);
        run(&["test", "data.csv", "--bootstrap", "20"]);
        run(&["test", "data.csv", "--at", at, "--bootstrap", "20"]);
        run(&["compare", "data.csv", "--method", "tksd,truncsm"]);
        run(&["witness", "data.csv", "--at", at, "--grid", "5"]);
        run(&["discrepancy", "data.csv", "--at", at, "--report", "report.html"]);
        let drawn = std::fs::read_to_string(folder.path("fit.svg")).unwrap();
        assert!(drawn.contains("<svg"), "{name}");
        // Those that are searched for take a start.
        if family.choices().contains(&Choice::Start) {
            run(&["fit", "data.csv", "--start", at]);
        } else {
            let refused = folder.run(&[&["fit", "data.csv", "--start", at][..], &region, &model].concat());
            refused.expect_refusal(&["--start is for models that are searched for"]);
        }
    }
}

#[test]
fn what_a_model_cannot_be_is_refused() {
    let folder = Folder::new();
    folder.write("data.csv", "x\n0.5\n1.5\n0\n0.7\n");
    let fit = |more: &[&str]| folder.run(&[&["fit", "data.csv"], more].concat());
    fit(&["--model", "gamma"]).expect_refusal(&["1 of 4 values of x", "positive numbers", "row 3"]);
    fit(&["--model", "exponential", "--known", "rate=1"]).expect_refusal(&["every parameter"]);
    fit(&["--model", "gamma", "--known", "scale=1"])
        .expect_refusal(&["no parameter \"scale\"", "shape, rate"]);
    fit(&["--model", "gamma", "--known", "1"]).expect_refusal(&["--known", "with its name"]);
    fit(&["--model", "weibul"]).expect_refusal(&["did you mean \"weibull\""]);
    fit(&["--known", "shape=1"]).expect_refusal(&["--known is for exponential, gamma"]);
    let said = folder.run(&[
        "simulate",
        "--domain",
        "interval(0, 1)",
        "--model",
        "gamma",
        "-n",
        "5",
        "--output",
        "o.csv",
    ]);
    said.expect_refusal(&["the model gamma needs --at with its parameters: shape[x1], rate[x1]"]);
}

/// Formulas, unequal weights and covariances with a shape.
#[test]
fn every_model_can_be_simulated() {
    let folder = Folder::new();
    let simulate = |more: &[&str]| {
        let said =
            folder.run(&[&["simulate", "-n", "400", "--output", "data.csv", "--quiet"], more].concat());
        assert_eq!(said.code, 0, "{more:?}: {}", said.stderr);
        let text = std::fs::read_to_string(folder.path("data.csv")).unwrap();
        let rows = text.lines().skip(1);
        rows.map(|row| row.split(',').map(|x| x.parse().unwrap()).collect()).collect::<Vec<Vec<f64>>>()
    };
    let mean = |rows: &[Vec<f64>], of: fn(&[f64]) -> f64| {
        rows.iter().map(|row| of(row)).sum::<f64>() / rows.len() as f64
    };
    // The density 3 x^2 on (0, 1) has mean 3/4 and standard deviation 0.19.
    let rows = simulate(&["--log-density", "a*log(x1)", "--at", "a=2", "--domain", "interval(0, 1)"]);
    assert!((mean(&rows, |x| x[0]) - 0.75).abs() < 4.0 * 0.19 / 20.0);
    let again = simulate(&["--log-density", "a*log(x1)", "--start", "a=2", "--domain", "interval(0, 1)"]);
    assert_eq!(rows, again);
    // The highest variable is the number of coordinates.
    let rows = simulate(&["--log-density", "c*x1*x3", "--at", "c=1", "--domain", "box(low=0, high=1)"]);
    assert_eq!(rows[0].len(), 3);
    // A mixture with weights 0.2 and 0.8.
    let mixture =
        ["--model", "mixture", "--components", "2", "--estimate-weights", "--known-covariance", "0.1"];
    let place =
        ["--domain", "interval(-4, 4)", "--at", "weight[1]=0.2,weight[2]=0.8,mean[1][x1]=-2,mean[2][x1]=2"];
    let rows = simulate(&[&mixture[..], &place].concat());
    let left = mean(&rows, |x| f64::from(u8::from(x[0] < 0.0)));
    assert!((left - 0.2).abs() < 4.0 * 0.02, "{left}");
    // Variances alone.
    let rows = simulate(&[
        "--covariance",
        "diagonal",
        "--at",
        "0,0,4,0.25",
        "--domain",
        "box(low=-20, high=20)",
        "--dimension",
        "2",
    ]);
    let spread = mean(&rows, |x| x[0] * x[0]) / mean(&rows, |x| x[1] * x[1]);
    assert!((10.0..26.0).contains(&spread), "{spread}");
    let refused = folder.run(&[
        "simulate",
        "-n",
        "4",
        "--output",
        "o.csv",
        "--log-density",
        "-x1^2",
        "--domain",
        "halfspace(normal=1, offset=0)",
    ]);
    refused.expect_refusal(&["bounded domain"]);
}

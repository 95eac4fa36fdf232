//! Mixtures, formulas and regressions through the command line.

use crate::common::{Folder, assert_relative, field, golden, numbers};

#[test]
fn golden_mixture() {
    let json = golden("mixture_k2_box");
    let folder = Folder::new();
    folder.write_rows("data.csv", &json["data"]).write_rows("edge.csv", &json["boundary"]);
    let start: Vec<String> = numbers(&json["init"]).iter().map(f64::to_string).collect();
    let start = start.join(",");
    let base = [
        "fit",
        "data.csv",
        "--model",
        "gaussian-mixture",
        "--components",
        "2",
        "--known-covariance",
        "1",
        "--start",
        &start,
    ];
    for (field_name, more) in [
        ("tksd_v", ["--boundary", "edge.csv", "--method", "tksd"]),
        ("truncsm_exact", ["--domain", "box(low=-3, high=3)", "--method", "truncsm"]),
    ] {
        let fit = folder.json(&[&base[..], &more[..]].concat());
        let expected: Vec<f64> =
            json[field_name]["means"].as_array().unwrap().iter().flat_map(numbers).collect();
        assert_relative(&field(&fit["parameters"], "estimate"), &expected, 1e-6, field_name);
        assert_eq!(fit["model"], "gaussian-mixture");
        assert_eq!(fit["parameters"][2]["name"], "mean[2][x1]");
        assert_eq!(fit["converged"], true);
    }
}

fn disc() -> Folder {
    let folder = Folder::new();
    let said = folder.run(&[
        "simulate",
        "--domain",
        "ball(radius=1.44)",
        "--at",
        "0.5,0.5",
        "-n",
        "300",
        "--output",
        "data.csv",
        "--boundary-output",
        "edge.csv",
        "--boundary-points",
        "32",
    ]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    folder
}

/// A formula for the Gaussian gives the built-in's estimate and standard error, by every method.
#[test]
fn a_formula_is_as_good_as_the_built_in() {
    let folder = disc();
    let region = ["--domain", "ball(radius=1.44)", "--boundary", "edge.csv"];
    for (built_in, formula) in [
        (
            &["--known-covariance", "1"][..],
            &["--log-density", "-((x1-a)^2 + (x2-b)^2)/2", "--start", "a=0,b=0"][..],
        ),
        (
            &["--known-covariance", "2,0.5"][..],
            &["--log-density", "-(x1-a)^2/4 - (x2-b)^2", "--start", "a=-3,b=7"][..],
        ),
    ] {
        for method in ["tksd", "bdksd", "truncsm", "ksd", "truncated-mle"] {
            for statistic in ["v", "u"] {
                let base = ["fit", "data.csv", "--quiet", "--method", method, "--statistic", statistic];
                let fit = |model: &[&str]| folder.json(&[&base[..], &region[..], model].concat());
                let (a, b) = (fit(built_in), fit(formula));
                for name in ["estimate", "std_error"] {
                    let (a, b) = (field(&a["parameters"], name), field(&b["parameters"], name));
                    assert_relative(&b, &a, 1e-8, &format!("{method} {statistic} {name}"));
                }
            }
        }
    }
    // Column names and numbers are the same, and values can be given by name or in order.
    folder.write(
        "named.csv",
        &std::fs::read_to_string(folder.path("data.csv")).unwrap().replace("x1,x2", "lon,depth"),
    );
    let at = |density: &str, at: &str| {
        let found = folder.json(&[
            "discrepancy",
            "named.csv",
            "--boundary",
            "edge.csv",
            "--log-density",
            density,
            "--start",
            "a=0,b=0",
            "--at",
            at,
        ]);
        found["discrepancy"].as_f64().unwrap()
    };
    let by_number = at("-((x1-a)^2 + (x2-b)^2)/2", "0.3,0.4");
    assert_eq!(by_number, at("-((lon-a)^2 + (depth-b)^2)/2", "b=0.4,a=0.3"));
}

/// Student's t: not Gaussian, its scale through a logarithm; the truth within four standard errors.
#[test]
fn a_density_that_is_not_gaussian() {
    let folder = Folder::new();
    // Quantiles of a t distribution with 4 degrees of freedom about 0.4, seen on [-2, 3], by rejection from a
    // grid.
    let quantile = |u: f64| {
        let alpha = 4.0 * u * (1.0 - u);
        let root = (alpha.sqrt().acos() / 3.0).cos() / alpha.sqrt();
        (u - 0.5).signum() * 2.0 * (root - 1.0).sqrt()
    };
    let draws = (0..1500).map(|i| 0.4 + 0.8 * quantile((f64::from(i) + 0.5) / 1500.0));
    let lines: Vec<String> = draws.filter(|x| (-2.0..=3.0).contains(x)).map(|x| format!("{x}")).collect();
    folder.write("data.csv", &lines.join("\n"));
    for method in ["tksd", "truncsm", "truncated-mle"] {
        let fit = folder.json(&[
            "fit",
            "data.csv",
            "--domain",
            "interval(-2, 3)",
            "--method",
            method,
            "--start",
            "m=0,s=0",
            "--log-density",
            "-2.5*log(1 + ((x1-m)/exp(s))^2/4)",
        ]);
        for (p, truth) in fit["parameters"].as_array().unwrap().iter().zip([0.4, 0.8f64.ln()]) {
            let (value, error) = (p["estimate"].as_f64().unwrap(), p["std_error"].as_f64().unwrap());
            assert!((value - truth).abs() < 4.0 * error, "{method}: {p}");
        }
    }
}

#[test]
fn formula_mistakes_are_pointed_at() {
    let folder = disc();
    let with = |density: &str, start: &str| {
        let mut arguments = vec!["fit", "data.csv", "--boundary", "edge.csv", "--log-density", density];
        if !start.is_empty() {
            arguments.extend(["--start", start]);
        }
        folder.run(&arguments)
    };
    let unknown = with("-(x1-mu)^2", "nu=0");
    unknown.expect_refusal(&["--log-density", "\"mu\"", "nu"]);
    let lines: Vec<&str> = unknown.stderr.lines().collect();
    let (text, caret) = (lines[lines.len() - 2], lines[lines.len() - 1]);
    assert_eq!(text.find("mu"), caret.find('^'), "{}", unknown.stderr);
    with("-(x1-mu)^2", "").expect_refusal(&["mu", "--start"]);
    with("-(x1-mu^2", "mu=0").expect_refusal(&["^"]);
    with("-(x1-mu)^2", "mu=0,s=1").expect_refusal(&["s", "does not occur"]);
    with("-(x1-mu)^2", "1,2").expect_refusal(&["--start mu=0"]);
    with("a*log(x1 - 10)", "a=1").expect_refusal(&["not a finite number", "row 1"]);
    with("-x1^2*x2", "x2=0").expect_refusal(&["x2", "coordinate"]);
    folder
        .run(&["fit", "data.csv", "--boundary", "edge.csv", "--log-density", "-x1^2", "--model", "gaussian"])
        .expect_refusal(&["--model"]);
}

#[test]
fn mixture_options_are_checked() {
    let folder = disc();
    let with = |more: &[&str]| folder.run(&[&["fit", "data.csv", "--boundary", "edge.csv"], more].concat());
    with(&["--model", "gaussian-mixture"]).expect_refusal(&["--components"]);
    with(&["--components", "2"]).expect_refusal(&["--model gaussian-mixture"]);
    with(&["--model", "gaussian-mixture", "--components", "0"]).expect_refusal(&["--components"]);
    with(&[
        "--model",
        "gaussian-mixture",
        "--components",
        "2",
        "--known-covariance",
        "1",
        "--start",
        "1,2,3",
    ])
    .expect_refusal(&["3 values", "4 means"]);
    with(&["--model", "gaussian-mixture", "--components", "2", "--covariance", "diagonal"])
        .expect_refusal(&["spherical"]);
    with(&["--model", "gausian-mixture"]).expect_refusal(&["did you mean"]);
}

/// Several clusters bend the precision of a single Gaussian the wrong way.
#[test]
fn a_test_without_moments_is_no_success() {
    let folder = Folder::new();
    let said = folder.run(&[
        "simulate",
        "--domain",
        "interval(-1, 1)",
        "--at",
        "0,100",
        "--dimension",
        "1",
        "-n",
        "40",
        "--seed",
        "2",
        "--output",
        "flat.csv",
    ]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let said = folder.run(&["test", "flat.csv", "--domain", "interval(-1, 1)", "--bootstrap", "19"]);
    assert_eq!(said.code, 3, "{}", said.stderr);
    assert!(said.stdout.contains("precision[x1,x1] = "), "{}", said.stdout);
    assert!(
        said.stderr.contains("several clusters") && said.stderr.contains("try a mixture"),
        "{}",
        said.stderr
    );
}

const SCORES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../steinbound-io/data/student_scores.csv");

/// The published truncated regression, by one command.
#[test]
fn student_scores() {
    let folder = Folder::new();
    let formula = "achiv ~ langscore + C(prog, base=general)";
    folder.write("new.csv", "prog,langscore\ngeneral,50\nacademic,60\n");
    let fit = folder.json(&[
        "regress",
        SCORES,
        "--formula",
        formula,
        "--lower",
        "40",
        "--method",
        "truncated-mle",
        "--predict",
        "new.csv",
    ]);
    let published = [11.30152, 0.7125775, 4.065219, -1.135863, 8.755315];
    assert_relative(&field(&fit["parameters"], "estimate"), &published, 1e-5, "estimates");
    let errors = [6.77273, 0.1144719, 2.054938, 2.669961, 0.6668032];
    assert_relative(&field(&fit["parameters"], "std_error"), &errors, 1e-4, "standard errors");
    assert!((fit["log_likelihood"].as_f64().unwrap() + 591.30981).abs() < 1e-4);
    assert_eq!(fit["schema"], "steinbound.fit/1");
    assert_eq!(fit["parameters"][0]["name"], "(Intercept)");
    assert_eq!(fit["parameters"][4]["name"], "sigma");
    let means = field(&fit["predictions"], "mean");
    assert_relative(
        &means,
        &[11.30152 + 50.0 * 0.7125775, 11.30152 + 60.0 * 0.7125775 + 4.065219],
        1e-5,
        "predictions",
    );
    let table = folder.run(&["regress", SCORES, "--formula", formula, "--lower", "40"]);
    assert!(table.code == 0 && table.stdout.contains("prog[academic]"), "{}", table.stdout);
}

/// A function of the response: limits in units of its column, everything else in those of the function.
#[test]
fn a_response_may_be_a_function() {
    let folder = Folder::new();
    let text = std::fs::read_to_string(SCORES).unwrap();
    let column = text.lines().next().unwrap().split(',').position(|name| name == "achiv").unwrap();
    let with_logarithm = |(i, line): (usize, &str)| match i {
        0 => format!("{line},level\n"),
        _ => {
            let score: f64 = line.split(',').nth(column).unwrap().parse().unwrap();
            format!("{line},{:?}\n", score.ln())
        }
    };
    folder.write("levels.csv", &text.lines().enumerate().map(with_logarithm).collect::<String>());
    let low = format!("{:?}", 40f64.ln());
    let regress = |file: &str, formula: &str, lower: &str| {
        let options = ["regress", file, "--formula", formula, "--lower", lower, "--method", "truncated-mle"];
        folder.json(&[&options[..], &["--predict", SCORES]].concat())
    };
    let ours = regress(SCORES, "log(achiv) ~ poly(langscore, 2) + prog", "40");
    let by_hand = regress("levels.csv", "level ~ poly(langscore, 2) + prog", &low);
    assert_eq!(ours["parameters"], by_hand["parameters"]);
    assert_eq!(ours["predictions"], by_hand["predictions"]);
    assert_eq!((ours["response"].as_str(), ours["n"].as_u64()), (Some("log(achiv)"), Some(178)));
    let said = folder.run(&[
        "regress",
        SCORES,
        "--formula",
        "log(achiv) ~ langscore",
        "--lower",
        "40",
        "--predict",
        SCORES,
    ]);
    assert!(
        said.stderr.contains("note: the response is log(achiv): limits are in units of achiv;"),
        "{}",
        said.stderr
    );
    assert!(said.stdout.contains("predicted mean of the untruncated log(achiv)"), "{}", said.stdout);
    folder
        .run(&["regress", SCORES, "--formula", "I((achiv - 50)^2) ~ langscore", "--lower", "40"])
        .expect_refusal(&["(achiv - 50)^2", "neither increases nor decreases", "monotone function"]);
}

/// Rows whose response lies outside its limits are left out as if the file had none of them.
#[test]
fn rows_outside_the_limits_are_left_out() {
    let folder = Folder::new();
    let scores = std::fs::read_to_string(SCORES).unwrap();
    let (header, rows) = scores.split_once('\n').unwrap();
    let column = header.split(',').position(|name| name == "achiv").unwrap();
    let response = |row: &str| row.split(',').nth(column).unwrap().parse::<f64>().unwrap();
    let inside: Vec<&str> = rows.lines().filter(|row| response(row) >= 45.0).collect();
    let dropped = rows.lines().count() - inside.len();
    folder.write("inside.csv", &format!("{header}\n{}\n", inside.join("\n")));
    // A spline, whose knots depend on the rows.
    let formula = "achiv ~ bs(langscore, df=4) + prog";
    let fit = |file: &str, more: &[&str]| {
        let base = ["regress", file, "--formula", formula, "--lower", "45", "--method", "truncated-mle"];
        folder.run(&[&base[..], &["--format", "json"], more].concat())
    };
    let said = fit(SCORES, &["--drop-outside"]);
    let expected =
        format!("{dropped} of {} rows have a response outside its limits: line ", rows.lines().count());
    assert!(said.stderr.contains(&expected) && said.stderr.contains("they were left out"), "{}", said.stderr);
    let (found, alone) = (said.json(), fit("inside.csv", &[]).json());
    assert_eq!(found["parameters"], alone["parameters"]);
    assert_eq!((&found["n"], &found["outside"]["dropped"]), (&inside.len().into(), &dropped.into()));
    assert!(alone["outside"].is_null());
    let both = fit(SCORES, &["--drop-outside", "--allow-outside"]);
    both.expect_refusal(&["--allow-outside", "--drop-outside", "give one"]);
    folder
        .run(&["regress", SCORES, "--formula", formula, "--upper", "30", "--drop-outside"])
        .expect_refusal(&["wrong side"]);
}

#[test]
fn regressions_are_checked() {
    let folder = Folder::new();
    let with = |formula: &str, more: &[&str]| {
        folder.run(&[&["regress", SCORES, "--formula", formula], more].concat())
    };
    with("achiv ~ langscore", &[]).expect_refusal(&["--lower"]);
    with("achiv ~ langscore", &["--upper", "40"]).expect_refusal(&["wrong side", "line 2"]);
    with("achiv ~ langscore", &["--lower", "45"]).expect_refusal(&["outside its limits", "--drop-outside"]);
    with("achiv ~ langscor", &["--lower", "40"]).expect_refusal(&["langscor", "did you mean", "^"]);
    with("achiv + langscore", &["--lower", "40"]).expect_refusal(&["~"]);
    with("prog ~ langscore", &["--lower", "40"]).expect_refusal(&["prog"]);
    with("achiv ~ langscore", &["--lower", "flor"]).expect_refusal(&["flor"]);
    with("achiv ~ langscore", &["--lower", "40", "--known-sigma", "-1"]).expect_refusal(&["sigma"]);
    folder.write("one.csv", "y,x,g\n5,1,a\n6,2,a\n7,3,a\n8,2.5,a\n6.5,1.5,a\n");
    folder
        .run(&["regress", "one.csv", "--formula", "y ~ x + g", "--lower", "4"])
        .expect_refusal(&["g has only the level", "leave it out"]);
    folder.write("gap.csv", "y,x,z\n5,1,\n6,,1\n7,3,2\n8,2.5,\n6.5,1.5,1\n9,2,2\n");
    folder
        .run(&["regress", "gap.csv", "--formula", "y ~ x", "--lower", "4"])
        .expect_refusal(&["line 3", "--drop-missing"]);
    let said = folder.run(&[
        "regress",
        "gap.csv",
        "--formula",
        "y ~ x",
        "--lower",
        "4",
        "--drop-missing",
        "--method",
        "truncsm",
    ]);
    assert!(said.stderr.contains("1 lines with missing values"), "{}", said.stderr);
}

/// Simulated mixtures come back, by every method.
#[test]
fn a_simulated_mixture_is_recovered() {
    let folder = Folder::new();
    let domain = "box(low=-3, high=3)";
    let said = folder.run(&[
        "simulate",
        "--model",
        "gaussian-mixture",
        "--components",
        "2",
        "--at",
        "-1.5,-1.5,1.5,1.5",
        "--domain",
        domain,
        "-n",
        "400",
        "--output",
        "data.csv",
    ]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    for method in ["tksd", "bdksd", "truncsm", "truncated-mle"] {
        let fit = folder.json(&[
            "fit",
            "data.csv",
            "--quiet",
            "--domain",
            domain,
            "--boundary-points",
            "100",
            "--model",
            "gaussian-mixture",
            "--components",
            "2",
            "--known-covariance",
            "1",
            "--method",
            method,
        ]);
        for (p, truth) in fit["parameters"].as_array().unwrap().iter().zip([-1.5, -1.5, 1.5, 1.5]) {
            let (value, error) = (p["estimate"].as_f64().unwrap(), p["std_error"].as_f64().unwrap());
            assert!((value - truth).abs() < 4.0 * error, "{method}: {p}");
        }
    }
}

/// Two modes in a box, and points on its boundary.
fn modes() -> Folder {
    let folder = Folder::new();
    let said = folder.run(&[
        "simulate",
        "--model",
        "gaussian-mixture",
        "--components",
        "2",
        "--known-covariance",
        "1",
        "--at",
        "-2,0,2,0",
        "--domain",
        "box(low=-4, high=4)",
        "-n",
        "200",
        "--output",
        "data.csv",
        "--boundary-output",
        "edge.csv",
        "--boundary-points",
        "100",
    ]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    folder
}

const RANGE: [&str; 8] =
    ["fit", "data.csv", "--model", "gaussian-mixture", "--known-covariance", "1", "--components", "1..3"];

/// A range is fitted whole; the chosen number and the values are in the table and in the JSON, and the fit is that of
/// the chosen number alone.
#[test]
fn a_range_of_components_is_chosen_from() {
    let folder = modes();
    let domain = ["--domain", "box(low=-4, high=4)"];
    let found = folder.json(&[&RANGE[..], &domain].concat());
    let selection = &found["selection"];
    assert_eq!(
        (&selection["criterion"], &selection["chosen"]),
        (&"bic".into(), &"gaussian-mixture 2".into())
    );
    let candidates = selection["candidates"].as_array().unwrap();
    let bic = field(&selection["candidates"], "bic");
    assert!(candidates.len() == 3 && bic[1] < bic[0] && bic[1] < bic[2], "{bic:?}");
    let mut alone = RANGE;
    alone[7] = "2";
    let two = folder.json(&[&alone[..], &domain].concat());
    assert_eq!(two["parameters"], found["parameters"]);
    assert!(two.get("selection").is_none());
    let said = folder.run(&[&RANGE[..], &domain].concat());
    assert!(
        said.stdout.starts_with("chosen: gaussian-mixture 2, the smallest BIC; that of "),
        "{}",
        said.stdout
    );
    // Of boundary points alone there is no likelihood.
    let found = folder.json(&[&RANGE[..], &["--boundary", "edge.csv"]].concat());
    assert_eq!(found["selection"]["criterion"], "held-out");
    assert!(found["selection"]["candidates"][0]["p_value"].as_f64().unwrap() < 0.05);
}

#[test]
fn ranges_that_cannot_be_chosen_from_are_refused() {
    let folder = modes();
    let refuse = |range: &str, more: &[&str], parts: &[&str]| {
        let mut call = RANGE;
        call[7] = range;
        let domain = ["--domain", "box(low=-4, high=4)"];
        folder.run(&[&call[..], &domain, more].concat()).expect_refusal(parts);
    };
    refuse("3..1", &[], &["3..1 counts down; write 1..3"]);
    refuse("0..2", &[], &["0..2 is not within 1..20", "such as 1..5"]);
    refuse("two", &[], &["\"two\" is not a number of components", "1..5"]);
    refuse("1..300", &[], &["1..300 is not within 1..20"]);
    let text = std::fs::read_to_string(folder.path("data.csv")).unwrap();
    folder.write("few.csv", &text.lines().take(31).map(|line| format!("{line}\n")).collect::<String>());
    let mut few = RANGE;
    (few[1], few[7]) = ("few.csv", "1..18");
    folder.run(&[&few[..], &["--domain", "box(low=-4, high=4)"]].concat()).expect_refusal(&[
        "gaussian-mixture 15 has 30 parameters",
        "30 observations",
        "gaussian-mixture 14",
    ]);
    refuse("1..2", &["--start", "0,0"], &["--start", "--components K"]);
    let test = ["test", "data.csv", "--domain", "box(low=-4, high=4)", "--model", "gaussian-mixture"];
    folder
        .run(&[&test[..], &["--components", "1..2"]].concat())
        .expect_refusal(&["a range", "give one number"]);
}

/// The likelihood where the region is known, held-out data where it is not.
#[test]
fn comparisons_show_what_models_can_be_chosen_by() {
    let folder = modes();
    let base = ["compare", "data.csv", "--method", "tksd", "--known-covariance", "1", "--components", "1..2"];
    let call = [&base[..], &["--model", "gaussian-mixture"]].concat();
    let known = folder.json(&[&call[..], &["--domain", "box(low=-4, high=4)"]].concat());
    let bic = |k: usize| known["fits"][k]["information"]["bic"].as_f64().unwrap();
    assert!(bic(1) < bic(0) - 10.0);
    assert!(known["fits"][0].get("held_out").is_none() && known["fits"][0].get("test").is_none());
    let points = folder.json(&[&call[..], &["--boundary", "edge.csv"]].concat());
    let held_out = |k: usize| points["fits"][k]["held_out"]["squared"].as_f64().unwrap();
    assert!(held_out(1) < held_out(0), "{points}");
    assert!(points["fits"][0]["test"]["p_value"].as_f64().unwrap() < 0.05);
    let table = folder.run(&[&call[..], &["--domain", "box(low=-4, high=4)"]].concat()).stdout;
    assert!(table.contains("log-likelihood") && table.contains("BIC"), "{table}");
}

/// Several clusters are no single Gaussian: neither a fit nor a test of it ends with exit code 0.
#[test]
fn a_gaussian_without_moments_says_what_to_do() {
    let folder = Folder::new();
    let said = folder.run(&[
        "simulate",
        "--model",
        "gaussian-mixture",
        "--components",
        "2",
        "--known-covariance",
        "0.5",
        "--at",
        "-2,0,2,0",
        "--domain",
        "box(low=-3, high=3)",
        "-n",
        "300",
        "--output",
        "data.csv",
    ]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    for call in [&["fit", "data.csv"][..], &["test", "data.csv", "--bootstrap", "99"]] {
        let said = folder.run(&[call, &["--domain", "box(low=-3, high=3)"]].concat());
        assert_eq!(said.code, 3, "{}", said.stdout);
        let message = &said.stderr;
        assert!(message.contains("several clusters") && message.contains("try a mixture"), "{message}");
    }
}

/// The names of parameters tell the coordinates of a region that has any number of them.
#[test]
fn names_of_parameters_give_the_dimension() {
    let folder = Folder::new();
    let common = ["simulate", "-n", "50", "--output", "points.csv", "--domain", "ball(radius=3)"];
    let two = ["--model", "mixture", "--components", "2"];
    let means = "mean[1][x1]=-1,mean[1][x2]=0,mean[2][x1]=1,mean[2][x2]=0.5";
    let weights = format!("weight[1]=0.3,weight[2]=0.7,{means}");
    let variances = format!("{means},variance[1]=0.5,variance[2]=1");
    for more in [
        &["--at", means][..],
        &["--at", &weights, "--estimate-weights", "--known-covariance", "0.5"],
        &["--at", &variances, "--covariance", "spherical"],
    ] {
        let said = folder.run(&[&common[..], &two, more].concat());
        assert_eq!(said.code, 0, "{more:?} {}", said.stderr);
        let points = std::fs::read_to_string(folder.path("points.csv")).unwrap();
        assert_eq!(points.lines().next(), Some("x1,x2"));
    }
}

/// A prediction that does not fit into a number is not one.
#[test]
fn infinite_predictions_are_refused() {
    let folder = Folder::new();
    let row = |i: usize| format!("{},{}\n", 2.0 + 0.02 * i as f64 + (i as f64).sin().abs(), 0.01 * i as f64);
    folder.write("data.csv", &format!("y,x\n{}", (0..100).map(row).collect::<String>()));
    let regress = ["regress", "data.csv", "--formula", "y ~ x", "--lower", "2", "--predict", "new.csv"];
    folder
        .write("new.csv", "x\n0.5\n1e200\n")
        .run(&regress)
        .expect_refusal(&["new.csv, line 3", "beyond the range of numbers"]);
    let predicted = folder.write("new.csv", "x\n0.5\n1e6\n").json(&regress)["predictions"].clone();
    assert!(field(&predicted, "upper").iter().all(|value| value.is_finite()), "{predicted}");
}

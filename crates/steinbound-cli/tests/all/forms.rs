//! How pairs are held: which form is taken, what is told of it, and what is refused.

use crate::common::{Folder, assert_relative, field};

const DISC: [&str; 2] = ["--domain", "ball(radius=1.4)"];

/// A simulated sample in a disc.
fn disc(count: &str) -> Folder {
    let folder = Folder::new();
    let simulate = ["simulate", "--at", "0.5,0.5", "--output", "data.csv", "-n", count];
    let said = folder.run(&[&simulate[..], &DISC].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    folder
}

/// The commands that hold pairs, each on data in a disc.
fn commands() -> [Vec<&'static str>; 4] {
    let known = ["--known-covariance", "1"];
    [
        [&["fit", "data.csv", "--method", "tksd"], &DISC[..], &known].concat(),
        [&["discrepancy", "data.csv", "--at", "0,0"], &DISC[..], &known].concat(),
        [&["witness", "data.csv", "--at", "0,0", "--grid", "3"], &DISC[..], &known].concat(),
        vec!["regress", "data.csv", "--method", "tksd", "--formula", "x1 ~ x2", "--lower", "-1.4"],
    ]
}

#[test]
fn every_command_takes_every_form_and_tells_which() {
    let folder = disc("300");
    for command in commands() {
        for (asked, form) in
            [("auto", "dense"), ("dense", "dense"), ("tiled", "tiled"), ("low-rank", "low-rank")]
        {
            let arguments = [&command[..], &["--compute", asked, "--format", "json"]].concat();
            let said = folder.run(&[&arguments[..], &["--verbose"]].concat());
            assert_eq!(said.code, 0, "{}", said.stderr);
            let why = if asked == "auto" { "the pairs fit in 1 MB" } else { "asked for" };
            let told: Vec<&str> = said.stderr.lines().filter(|line| line.contains(" form on ")).collect();
            let [line] = told[..] else { panic!("{arguments:?}: {}", said.stderr) };
            assert!(
                line.starts_with(&format!("note: {form} ")) && line.ends_with(&format!(": {why}")),
                "{line}"
            );
            for part in ["kernel, bandwidth ", " boundary points, "] {
                assert_eq!(said.stderr.matches(part).count(), 1, "{part}: {}", said.stderr);
            }
            if command[0] == "witness" {
                continue;
            }
            let compute = &said.json()["compute"];
            assert_eq!((&compute["form"], &compute["reason"]), (&form.into(), &why.into()));
            assert_eq!(compute["rank"].is_u64(), form == "low-rank", "{compute}");
            assert_eq!(compute["residual"].is_f64(), form == "low-rank", "{compute}");
            assert!(line.contains(compute["simd"].as_str().unwrap()), "{line}");
            assert!(compute["threads"].as_u64().unwrap() >= 1);
        }
        let said = folder.run(&command).stderr;
        // The regression knows of one limit, and the disc has two.
        let others: Vec<&str> =
            said.lines().filter(|line| !line.contains("the ranks of the responses")).collect();
        assert!(others.is_empty(), "nothing is told that was not asked for: {said}");
    }
}

#[test]
fn a_smaller_tolerance_takes_more_landmarks_and_comes_closer() {
    let folder = disc("400");
    let fit =
        |more: &[&str]| folder.json(&[&["fit", "data.csv", "--method", "tksd"], &DISC[..], more].concat());
    let exact = field(&fit(&["--compute", "tiled"])["parameters"], "estimate");
    let (mut rank, mut error) = (0, f64::INFINITY);
    for tolerance in ["0.1", "1e-3", "1e-6"] {
        let found = fit(&["--compute", "low-rank", "--tolerance", tolerance]);
        let compute = &found["compute"];
        assert!(compute["residual"].as_f64().unwrap() <= tolerance.parse().unwrap(), "{compute}");
        assert!(compute["rank"].as_u64().unwrap() > rank, "{compute}");
        rank = compute["rank"].as_u64().unwrap();
        let estimates = field(&found["parameters"], "estimate");
        let off = estimates.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < error, "{tolerance}: {off}");
        error = off;
    }
    assert!(error < 1e-4, "{error}");
    let default = fit(&["--compute", "low-rank"]);
    assert_eq!(
        default["compute"]["rank"],
        fit(&["--compute", "low-rank", "--tolerance", "0.001"])["compute"]["rank"]
    );
}

#[test]
fn a_tolerance_is_checked_where_it_is_used_and_noted_where_it_is_not() {
    let folder = disc("60");
    for command in commands() {
        let run = |more: &[&str]| folder.run(&[&command[..], more].concat());
        for form in ["auto", "low-rank"] {
            for (value, shown) in [("1", "1"), ("-0.1", "-0.1"), ("nan", "NaN"), ("inf", "inf")] {
                let said = run(&["--compute", form, "--tolerance", value]);
                said.expect_refusal(&[
                    &format!("the tolerance is {shown};"),
                    "at least zero and less than one",
                ]);
            }
            let said = run(&["--compute", form, "--tolerance", "0.01"]);
            assert_eq!((said.code, said.stderr.as_str()), (0, ""));
        }
        for form in ["dense", "tiled"] {
            let said = run(&["--compute", form, "--tolerance", "7"]);
            let note = format!("note: --tolerance has no effect with --compute {form}\n");
            assert_eq!((said.code, said.stderr), (0, note));
        }
        run(&["--tolerance", "small"]).expect_refusal(&["\"small\" is not a number"]);
    }
    let said = folder.run(&["fit", "data.csv", "--method", "mle", "--tolerance", "7"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, "note: --tolerance has no effect with --method mle\n"));
}

/// No machine stores the pairs of a million points, which would be four terabytes.
#[test]
fn a_dense_form_beyond_memory_is_refused_before_any_work() {
    let folder = Folder::new();
    let lines: String = (0..1_000_000).map(|i| format!("{i}\n")).collect();
    folder.write("data.csv", &lines);
    let domain = ["--domain", "interval(-1, 1000000)", "--known-covariance", "1"];
    for method in ["tksd", "bdksd", "ksd"] {
        let fit = ["fit", "data.csv", "--compute", "dense", "--method", method];
        let said = folder.run(&[&fit[..], &domain].concat());
        said.expect_refusal(&[
            "the pairs of 1000000 points in the dense form need 4001.0 GB",
            "are available",
            "tiled",
            "low-rank",
        ]);
    }
    // A method without pairs holds none.
    let fit = ["fit", "data.csv", "--compute", "dense", "--method", "mle"];
    assert_eq!(folder.run(&[&fit[..], &domain].concat()).code, 0);
}

#[test]
fn many_points_are_fitted_by_landmarks() {
    let folder = disc("100000");
    let fit = [
        "fit",
        "data.csv",
        "--method",
        "tksd",
        "--known-covariance",
        "1",
        "--boundary-points",
        "128",
        "--verbose",
    ];
    let said = folder.run(&[&fit[..], &DISC, &["--format", "json"]].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    let found = said.json();
    let compute = &found["compute"];
    assert_eq!(compute["form"], "low-rank");
    let reason = compute["reason"].as_str().unwrap();
    assert!(reason.starts_with("more than 20000 points, and "), "{reason}");
    assert!(said.stderr.contains(reason), "{}", said.stderr);
    for p in found["parameters"].as_array().unwrap() {
        let (value, error) = (p["estimate"].as_f64().unwrap(), p["std_error"].as_f64().unwrap());
        assert!((value - 0.5).abs() < 4.0 * error && error < 0.02, "{p}");
    }
    let table = folder.run(&[&fit[..], &DISC].concat()).stdout;
    let (rank, residual) = (&compute["rank"], compute["residual"].as_f64().unwrap());
    let form = format!("closed form, low-rank (rank {rank}, residual {residual:.1e}), ");
    assert!(table.lines().last().unwrap().starts_with(&form), "{table}");
    // The discrepancy takes the same form.
    let at =
        ["discrepancy", "data.csv", "--known-covariance", "1", "--boundary-points", "128", "--at", "0.5,0.5"];
    let by_landmarks = folder.json(&[&at[..], &DISC].concat());
    for name in ["form", "rank", "residual", "reason"] {
        assert_eq!(by_landmarks["compute"][name], compute[name]);
    }
}

/// Up to 20,000 points the automatic choice is exact, whatever the tolerance.
#[test]
fn the_automatic_choice_is_exact_up_to_its_limit() {
    let folder = disc("20000");
    let fit = |form: &str| {
        let base = [
            "fit",
            "data.csv",
            "--method",
            "tksd",
            "--known-covariance",
            "1",
            "--tolerance",
            "0.5",
            "--quiet",
        ];
        folder.json(&[&base[..], &DISC, &["--compute", form]].concat())
    };
    let (auto, tiled) = (fit("auto"), fit("tiled"));
    assert_eq!(auto["compute"]["form"], "tiled");
    assert_eq!(auto["parameters"], tiled["parameters"]);
    let low_rank = fit("low-rank");
    let both = [&tiled, &low_rank].map(|fit| field(&fit["parameters"], "std_error"));
    assert_relative(&both[1], &both[0], 0.5, "standard errors");
}

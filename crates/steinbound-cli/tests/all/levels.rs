//! The same answer on every vector unit, and the same bits on any number of threads.
//!
//! Levels differ in how they round, so that their results agree as far as the data determine them: to 1e-12
//! where a change of the data in their last bit makes no larger difference.

use crate::common::{Folder, assert_relative, field};
use serde_json::Value;

const LEVELS: [&str; 3] = ["portable", "avx2", "avx512"];

const SCORES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../steinbound-io/data/student_scores.csv");

const KERNELS: [&str; 4] = ["gaussian", "imq", "matern52", "rational-quadratic"];

/// A simulated sample of correlated coordinates in a disc, and boundary points. No parameter is near zero,
/// where a relative difference says nothing.
fn disc(count: &str) -> Folder {
    let folder = Folder::new();
    let domain = ["--domain", "ball(radius=1.44, center=0:0)", "--boundary-points", "48"];
    let sample = ["--at", "0.5,0.3,1,0.4,0.8", "-n", count];
    let files = ["--output", "data.csv", "--boundary-output", "edge.csv"];
    let said = folder.run(&[&["simulate"], &domain[..], &sample, &files].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    folder
}

/// A simulated sample of a mixture in a box.
fn modes(count: &str) -> Folder {
    let folder = Folder::new();
    let model = ["--model", "gaussian-mixture", "--components", "2", "--at", "-1.5,-1.5,1.5,1.5"];
    let sample = ["--domain", "box(low=-3, high=3)", "-n", count, "--output", "data.csv"];
    let said = folder.run(&[&["simulate"], &model[..], &sample].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    folder
}

/// How a mixture is fitted, from a given start.
const MIXTURE: [&str; 15] = [
    "fit",
    "data.csv",
    "--method",
    "tksd",
    "--domain",
    "box(low=-3, high=3)",
    "--boundary-points",
    "100",
    "--model",
    "gaussian-mixture",
    "--components",
    "2",
    "--known-covariance",
    "1",
    "--start=-1,-1,1,1",
];

const REGRESSION: [&str; 10] = [
    "regress",
    SCORES,
    "--method",
    "tksd",
    "--formula",
    "achiv ~ langscore + C(prog, base=general)",
    "--lower",
    "40",
    "--boundary-points",
    "178",
];

/// The result of a command on each vector unit that the processor has, the plainest first.
#[track_caller]
fn on_each_level(folder: &Folder, arguments: &[&str]) -> Vec<Value> {
    let run = |level: &&str| {
        let arguments = [arguments, &["--quiet", "--format", "json"]].concat();
        let said = folder.run_with(&[("STEINBOUND_SIMD", level)], &arguments);
        assert_eq!(said.code, 0, "{arguments:?}: {}", said.stderr);
        said.json()
    };
    let ran = |(level, result): &(&&str, Value)| result["compute"]["simd"] == **level;
    let results: Vec<Value> =
        LEVELS.iter().map(|level| (level, run(level))).filter(ran).map(|(_, result)| result).collect();
    assert_eq!(results[0]["compute"]["simd"], "portable");
    results
}

/// Everything a fit or a discrepancy has computed.
fn computed(result: &Value) -> Vec<f64> {
    let squared = &result["discrepancy_squared"];
    let mut all = vec![squared.as_f64().unwrap(), result["kernel"]["bandwidth"].as_f64().unwrap()];
    all.extend(result["discrepancy"].as_f64());
    if result["parameters"].is_array() {
        ["estimate", "std_error"].iter().for_each(|name| all.extend(field(&result["parameters"], name)));
    }
    all
}

/// Results on all levels agree to 1e-12, and those on levels that multiply and add at once bit for bit.
#[track_caller]
fn agree(folder: &Folder, arguments: &[&str]) {
    let results: Vec<Vec<f64>> = on_each_level(folder, arguments).iter().map(computed).collect();
    for other in &results[1..] {
        assert_relative(other, &results[0], 1e-12, &format!("{arguments:?}"));
        assert_eq!(other, &results[1], "{arguments:?}");
    }
}

#[test]
fn the_environment_chooses_the_level() {
    let folder = disc("50");
    let level = |asked: &str| {
        let fit = [
            "fit",
            "data.csv",
            "--method",
            "tksd",
            "--boundary",
            "edge.csv",
            "--known-covariance",
            "1",
            "--format",
            "json",
        ];
        folder.run_with(&[("STEINBOUND_SIMD", asked)], &fit).json()["compute"]["simd"].clone()
    };
    assert_eq!(level("portable"), "portable");
    // The name of a unit that this processor lacks leaves the choice to the program; other names are refused.
    let best = level("");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        assert_eq!(level("avx2"), "avx2");
        let has_more = is_x86_feature_detected!("avx512f");
        assert_eq!(best, if has_more { "avx512" } else { "avx2" });
        assert_eq!(level("avx512"), best);
    }
}

#[test]
fn gaussians_agree_for_every_kernel_statistic_and_form() {
    let folder = disc("600");
    let fit = ["fit", "data.csv", "--method", "tksd", "--boundary", "edge.csv"];
    for kernel in KERNELS {
        for statistic in ["v", "u"] {
            for form in ["dense", "tiled", "low-rank"] {
                let options = ["--kernel", kernel, "--statistic", statistic, "--compute", form];
                for model in [&["--known-covariance", "1"][..], &[]] {
                    agree(&folder, &[&fit[..], &options, model].concat());
                }
            }
        }
    }
}

#[test]
fn weighted_kernels_agree() {
    let folder = disc("600");
    let fit = ["fit", "data.csv", "--domain", "ball(radius=1.44)", "--method", "bdksd"];
    for kernel in KERNELS {
        for form in ["tiled", "low-rank"] {
            for statistic in ["v", "u"] {
                let options = ["--kernel", kernel, "--statistic", statistic, "--compute", form];
                agree(&folder, &[&fit[..], &options].concat());
            }
        }
    }
}

#[test]
fn discrepancies_agree() {
    let folder = disc("600");
    let at = ["discrepancy", "data.csv", "--boundary", "edge.csv", "--at", "0.2,0.1,1.2,0.1,1.1"];
    for statistic in ["v", "u"] {
        for form in ["tiled", "low-rank"] {
            agree(&folder, &[&at[..], &["--statistic", statistic, "--compute", form]].concat());
        }
    }
}

#[test]
fn mixtures_agree() {
    let folder = modes("600");
    for form in ["dense", "tiled", "low-rank"] {
        agree(&folder, &[&MIXTURE[..], &["--compute", form]].concat());
    }
}

/// The intercept is where scores far from zero meet zero: the data do not always determine 12 digits of it.
/// What levels change is no more than ten times what the last bit of the data does, or 1e-12 where that is
/// more.
#[test]
fn regressions_agree_as_far_as_the_data_determine_them() {
    let folder = Folder::new();
    let text = std::fs::read_to_string(SCORES).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let shifts = ["achiv", "langscore"].map(|name| header.iter().position(|other| *other == name).unwrap());
    // The last bit up or down, in a pattern of its own for each variant.
    let shifted = |variant: usize| {
        let line = |(i, line): (usize, &str)| {
            let mut cells: Vec<String> = line.split(',').map(str::to_string).collect();
            for (k, column) in shifts.iter().enumerate() {
                let value: f64 = cells[*column].parse().unwrap();
                let is_up = (i / (variant + 1) + k).is_multiple_of(2);
                cells[*column] = format!("{:?}", if is_up { value.next_up() } else { value.next_down() });
            }
            cells.join(",") + "\n"
        };
        header.join(",") + "\n" + &text.lines().skip(1).enumerate().map(line).collect::<String>()
    };
    let largest = |found: &[f64], expected: &[f64]| {
        found.iter().zip(expected).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max)
    };
    let cases: [&[&str]; 5] = [
        &["--compute", "dense"],
        &["--compute", "tiled"],
        &["--compute", "tiled", "--known-sigma", "9"],
        &["--compute", "tiled", "--statistic", "u"],
        &["--compute", "low-rank"],
    ];
    for options in cases {
        let results: Vec<Vec<f64>> =
            on_each_level(&folder, &[&REGRESSION[..], options].concat()).iter().map(computed).collect();
        let by_level = results.iter().map(|other| largest(other, &results[0])).fold(0.0, f64::max);
        let mut by_data = 0.0f64;
        for variant in 0..5 {
            folder.write("shifted.csv", &shifted(variant));
            let mut arguments = [&REGRESSION[..], options, &["--quiet"]].concat();
            arguments[1] = "shifted.csv";
            let said = folder.run_with(
                &[("STEINBOUND_SIMD", "portable")],
                &[&arguments[..], &["--format", "json"]].concat(),
            );
            by_data = by_data.max(largest(&computed(&said.json()), &results[0]));
        }
        assert!(by_data < 1e-9, "{options:?}: {by_data:e}");
        assert!(
            by_level <= (10.0 * by_data).max(1e-12),
            "{options:?}: {by_level:e} by level, {by_data:e} by data"
        );
    }
}

/// The JSON without what may differ.
#[track_caller]
fn on_threads(folder: &Folder, arguments: &[&str], threads: &str) -> Value {
    let mut result = folder.json(&[arguments, &["--quiet", "--threads", threads]].concat());
    assert_eq!(result["compute"]["threads"].to_string(), threads);
    result["compute"]["threads"].take();
    result["seconds"].take();
    result
}

#[test]
fn threads_do_not_change_a_bit() {
    // More than a tile of rows for each thread, and not a whole number of tiles.
    let (disc, modes) = (disc("1700"), modes("700"));
    let fit = ["fit", "data.csv", "--method", "tksd", "--boundary", "edge.csv"];
    let weighted = ["fit", "data.csv", "--domain", "ball(radius=1.44)", "--method", "bdksd"];
    let at = ["discrepancy", "data.csv", "--boundary", "edge.csv", "--at", "0.2,0.1,1.2,0.1,1.1"];
    let cases: [(&Folder, &[&str]); 5] =
        [(&disc, &fit), (&disc, &weighted), (&disc, &at), (&modes, &MIXTURE), (&disc, &REGRESSION)];
    for (folder, arguments) in cases {
        for form in ["tiled", "low-rank"] {
            for statistic in ["v", "u"] {
                let arguments = [arguments, &["--compute", form, "--statistic", statistic]].concat();
                let one = on_threads(folder, &arguments, "1");
                assert_eq!(one["compute"]["form"], form);
                for threads in ["2", "3"] {
                    assert_eq!(one, on_threads(folder, &arguments, threads), "{arguments:?} on {threads}");
                }
            }
        }
    }
}

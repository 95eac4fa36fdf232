//! What other programs rely on: JSON fields, exit codes, streams, names.

use crate::common::{Folder, disc, field};
use serde_json::Value;

fn columns(folder: &Folder, name: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(folder.path(name)).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(|v| v.parse().unwrap()).collect()).collect()
}

#[test]
fn fit_prints_one_json_object_with_the_agreed_fields() {
    let folder = disc(200, 32, 1);
    let said = folder.run(&[
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
    ]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert_eq!(said.stdout.lines().count(), 1);
    let fit = said.json();
    assert_eq!(fit["schema"], "steinbound.fit/1");
    for (name, value) in [("method", "tksd"), ("model", "gaussian"), ("statistic", "v")] {
        assert_eq!(fit[name], value);
    }
    assert_eq!((fit["n"].as_u64(), fit["d"].as_u64(), fit["m"].as_u64()), (Some(200), Some(2), Some(32)));
    assert_eq!((&fit["kernel"]["name"], &fit["ridge"]), (&Value::from("gaussian"), &Value::from(0.001)));
    assert_eq!(
        (&fit["compute"]["form"], &fit["compute"]["rank"], &fit["compute"]["residual"]),
        (&Value::from("dense"), &Value::Null, &Value::Null)
    );
    assert!(fit["compute"]["threads"].as_u64().unwrap() >= 1);
    assert_eq!(
        (&fit["converged"], &fit["iterations"], &fit["warnings"]),
        (&Value::Bool(true), &Value::from(0), &Value::Array(vec![]))
    );
    let (value, squared) =
        (fit["discrepancy"].as_f64().unwrap(), fit["discrepancy_squared"].as_f64().unwrap());
    assert!((value * value / squared - 1.0).abs() < 1e-12);
    assert!(fit["seconds"]["total"].as_f64().unwrap() > 0.0);
    assert_eq!(fit["confidence"], 0.95);
    for p in fit["parameters"].as_array().unwrap() {
        let get = |name: &str| p[name].as_f64().unwrap();
        let reach = 1.959963984540054 * get("std_error");
        assert!((get("upper") - get("estimate") - reach).abs() < 1e-9);
        assert!((get("estimate") - get("lower") - reach).abs() < 1e-9);
    }
}

#[test]
fn headers_name_the_parameters_and_columns_choose() {
    let folder = disc(120, 32, 2);
    let text = std::fs::read_to_string(folder.path("data.csv")).unwrap();
    let rows: Vec<&str> = text.lines().skip(1).collect();
    let with_text: String =
        rows.iter().enumerate().map(|(i, row)| format!("tree {i},{row},{}\n", i % 7)).collect();
    folder.write("trees.csv", &format!("id,lon,lat,age\n{with_text}"));
    let name = |fit: &Value, k: usize| fit["parameters"][k]["name"].as_str().unwrap().to_string();
    let fit = folder.json(&[
        "fit",
        "trees.csv",
        "--columns",
        "lon,lat",
        "--boundary",
        "edge.csv",
        "--known-covariance",
        "1",
    ]);
    assert_eq!((name(&fit, 0), name(&fit, 1)), ("mean[lon]".into(), "mean[lat]".into()));
    let plain = folder.json(&["fit", "data.csv", "--boundary", "edge.csv", "--known-covariance", "1"]);
    assert_eq!(field(&fit["parameters"], "estimate"), field(&plain["parameters"], "estimate"));
    let by_number = folder.json(&[
        "fit",
        "trees.csv",
        "--columns",
        "2,3",
        "--boundary",
        "edge.csv",
        "--known-covariance",
        "1",
    ]);
    assert_eq!(by_number["parameters"], fit["parameters"]);
    // Boundary columns follow the data's by name, whatever their order.
    let swapped: String =
        columns(&folder, "edge.csv").iter().map(|b| format!("{:?},{:?}\n", b[1], b[0])).collect();
    folder.write("swapped.csv", &format!("lat,lon\n{swapped}"));
    let fit_swapped = folder.json(&[
        "fit",
        "trees.csv",
        "--columns",
        "lon,lat",
        "--boundary",
        "swapped.csv",
        "--known-covariance",
        "1",
    ]);
    assert_eq!(fit_swapped["parameters"], fit["parameters"]);
}

/// Further files are matched to the data by header where both have one, else by order; never by invented
/// names.
#[test]
fn columns_are_matched_by_header_or_order() {
    let folder = disc(90, 32, 21);
    let rows = columns(&folder, "data.csv");
    let three: String = rows.iter().map(|r| format!("9.5,{:?},{:?}\n", r[0], r[1])).collect();
    folder.write("plain.csv", &three.replacen("9.5", "8.5", 1));
    let edge = columns(&folder, "edge.csv");
    let wide: String = edge.iter().map(|b| format!("7.0,{:?},{:?}\n", b[0], b[1])).collect();
    folder.write("wide.csv", &format!("x1,x2,x3\n{wide}"));
    // Data without a header have no names to match: three columns are not two.
    let said = folder.run(&["fit", "plain.csv", "--columns", "2,3", "--boundary", "wide.csv"]);
    said.expect_refusal(&["the boundary wide.csv has 3 columns"]);
    // Other names in the same number are taken in order, and the user is told.
    let renamed: String = edge.iter().map(|b| format!("{:?},{:?}\n", b[0], b[1])).collect();
    folder.write("renamed.csv", &format!("east,north\n{renamed}"));
    let fit = ["fit", "data.csv", "--known-covariance", "1", "--boundary"];
    let said = folder.run(&[&fit[..], &["renamed.csv"]].concat());
    assert!(said.stderr.contains("east, north of renamed.csv are taken for x1, x2"), "{}", said.stderr);
    // The witness reads its points by name too.
    folder.write("a.csv", "x1,x2\n0.1,0.7\n").write("b.csv", "x2,x1\n0.7,0.1\n");
    let witness = [
        "witness",
        "data.csv",
        "--boundary",
        "edge.csv",
        "--known-covariance",
        "1",
        "--at",
        "0,0",
        "--points",
    ];
    let at = |name: &str| folder.json(&[&witness[..], &[name]].concat());
    assert_eq!(at("a.csv")["g"], at("b.csv")["g"]);
}

#[test]
fn weights_and_clusters_change_what_they_should() {
    let folder = disc(100, 32, 3);
    let rows = columns(&folder, "data.csv");
    let text: String = rows
        .iter()
        .enumerate()
        .map(|(i, r)| format!("{:?},{:?},{},g{}\n", r[0], r[1], 1 + i % 3, i / 4))
        .collect();
    folder.write("weighted.csv", &format!("x1,x2,w,village\n{text}"));
    let base =
        ["fit", "weighted.csv", "--columns", "x1,x2", "--boundary", "edge.csv", "--known-covariance", "1"];
    let fit = |more: &[&str]| folder.json(&[&base[..], more].concat());
    let (plain, weighted, clustered) = (fit(&[]), fit(&["--weights", "w"]), fit(&["--cluster", "village"]));
    assert_ne!(field(&plain["parameters"], "estimate"), field(&weighted["parameters"], "estimate"));
    assert_eq!(field(&plain["parameters"], "estimate"), field(&clustered["parameters"], "estimate"));
    assert_ne!(field(&plain["parameters"], "std_error"), field(&clustered["parameters"], "std_error"));
    // Without --columns, the columns of weights and clusters are not data.
    let arguments =
        ["fit", "weighted.csv", "--weights", "w", "--cluster", "village", "--boundary", "edge.csv"];
    assert_eq!(folder.json(&arguments)["d"], 2);
}

#[test]
fn a_negative_u_statistic_has_no_root() {
    let folder = disc(150, 32, 4);
    let base = ["--boundary", "edge.csv", "--known-covariance", "1", "--statistic", "u"];
    let fit = folder.json(&[&["fit", "data.csv", "--method", "tksd"], &base[..]].concat());
    let at: Vec<String> = field(&fit["parameters"], "estimate").iter().map(f64::to_string).collect();
    let found = folder.json(&[&["discrepancy", "data.csv", "--at", &at.join(",")], &base[..]].concat());
    for json in [&fit, &found] {
        assert!(json["discrepancy_squared"].as_f64().unwrap() < 0.0);
        assert!(json["discrepancy"].is_null());
    }
}

/// Samples too small for five parameters: the fit says so and the exit code is 3.
#[test]
fn doubtful_fits_are_printed_and_exit_with_3() {
    let (mut indefinite, mut no_minimum) = (0, 0);
    for seed in 0..40 {
        let folder = disc(14, 32, 100 + seed);
        let base = ["fit", "data.csv", "--method", "tksd", "--boundary", "edge.csv", "--format", "json"];
        for statistic in ["v", "u"] {
            let said = folder.run(&[&base[..], &["--statistic", statistic]].concat());
            let fit = said.json();
            let trouble = fit["parameters"][0]["estimate"].is_null();
            assert_eq!(said.code, if trouble { 3 } else { 0 }, "{}", said.stderr);
            if !trouble {
                continue;
            }
            assert!(said.stderr.contains("warning:"));
            assert_eq!(fit["warnings"].as_array().unwrap().len(), 1);
            let names: Vec<&str> =
                fit["parameters"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
            assert_eq!(&names[..5], ["mean[x1]", "mean[x2]", "cov[x1,x1]", "cov[x1,x2]", "cov[x2,x2]"]);
            if fit["converged"] == true {
                assert_eq!(
                    &names[5..],
                    ["eta[x1]", "eta[x2]", "precision[x1,x1]", "precision[x1,x2]", "precision[x2,x2]"]
                );
                assert!(fit["natural"][2]["estimate"].is_number());
                assert!(said.stderr.contains("not positive definite"));
                indefinite += 1;
            } else {
                assert_eq!(statistic, "u");
                assert!(said.stderr.contains("no minimum"));
                no_minimum += 1;
            }
        }
    }
    assert!(indefinite > 0 && no_minimum > 0, "{indefinite} {no_minimum}");
}

#[test]
fn unused_options_are_accepted_with_a_note() {
    let folder = disc(60, 32, 5);
    let base = ["fit", "data.csv", "--method", "mle", "--known-covariance", "1"];
    let said =
        folder.run(&[&base[..], &["--ridge", "1", "--kernel", "imq", "--distance", "nearest"]].concat());
    assert_eq!(said.code, 0);
    for option in ["--ridge", "--kernel", "--distance"] {
        assert!(
            said.stderr.contains(&format!("note: {option} has no effect with --method mle")),
            "{}",
            said.stderr
        );
    }
    // Even a value that would be refused is accepted where it is not used.
    assert_eq!(folder.run(&[&base[..], &["--ridge", "-1", "--bandwidth", "0"]].concat()).code, 0);
    let notes = |arguments: &[&str], parts: &[&str]| {
        let said = folder.run(arguments);
        assert_eq!(said.code, 0, "{}", said.stderr);
        for part in parts {
            assert!(said.stderr.contains(part), "{part} is not in {}", said.stderr);
        }
    };
    let exact = ["--method", "bdksd", "--domain", "ball(radius=1.4)", "--boundary-points", "9"];
    notes(
        &[&["fit", "data.csv"], &exact[..]].concat(),
        &["--boundary-points has no effect with --method bdksd and the exact"],
    );
    let known = ["fit", "data.csv", "--known-covariance", "1", "--boundary", "edge.csv"];
    let more = ["--covariance", "diagonal", "--allow-outside", "--boundary-points", "5"];
    notes(
        &[&known[..], &more].concat(),
        &["--covariance has no", "--allow-outside has no", "--boundary-points has no"],
    );
    notes(
        &[
            "discrepancy",
            "data.csv",
            "--method",
            "ksd",
            "--columns",
            "x1",
            "--known-covariance",
            "1",
            "--at",
            "0",
            "--cluster",
            "x2",
        ],
        &["--cluster has no effect"],
    );
    let quiet = folder.run(&[&base[..], &["--ridge", "1", "--quiet"]].concat());
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
}

#[test]
fn every_method_and_kernel_runs() {
    let folder = disc(80, 32, 6);
    for method in ["efficient", "tksd", "bdksd", "truncsm", "ksd", "mle"] {
        let fit = folder.json(&["fit", "data.csv", "--method", method, "--domain", "ball(radius=1.4)"]);
        assert_eq!(fit["method"], method);
        assert_eq!(fit["m"].as_u64() > Some(16), ["efficient", "tksd"].contains(&method));
    }
    for kernel in ["gaussian", "imq", "matern52", "rational-quadratic"] {
        for compute in ["dense", "tiled"] {
            let fit = folder.json(&[
                "fit",
                "data.csv",
                "--method",
                "tksd",
                "--boundary",
                "edge.csv",
                "--known-covariance",
                "1,2",
                "--kernel",
                kernel,
                "--compute",
                compute,
                "--bandwidth",
                "0.8",
            ]);
            assert_eq!(
                (&fit["kernel"]["name"], &fit["compute"]["form"]),
                (&Value::from(kernel), &Value::from(compute))
            );
            assert_eq!(fit["kernel"]["bandwidth"], 0.8);
        }
    }
    let diagonal = folder.json(&["fit", "data.csv", "--boundary", "edge.csv", "--covariance", "diagonal"]);
    let names: Vec<&str> =
        diagonal["parameters"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["mean[x1]", "mean[x2]", "cov[x1,x1]", "cov[x2,x2]"]);
}

#[test]
fn a_matrix_file_gives_the_covariance() {
    let folder = disc(80, 32, 7);
    folder.write("c.csv", "1,0\n0,1\n");
    let fit = |value: &str| {
        folder.json(&["fit", "data.csv", "--boundary", "edge.csv", "--known-covariance", value])["parameters"]
            .clone()
    };
    assert_eq!(fit("c.csv"), fit("1"));
    assert_eq!(fit("1,1"), fit("1"));
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_threads_do_not_matter() {
    let folder = disc(300, 32, 8);
    let fit = |threads: &str| {
        let mut fit = folder.json(&[
            "fit",
            "data.csv",
            "--domain",
            "ball(radius=1.4)",
            "--seed",
            "5",
            "--threads",
            threads,
        ]);
        assert_eq!(fit["compute"]["threads"].to_string(), threads);
        fit["compute"]["threads"].take();
        fit["seconds"].take();
        fit
    };
    let one = fit("1");
    assert_eq!(one, fit("2"));
    assert_eq!(one, fit("7"));
    let other = disc(300, 32, 8);
    let read = |folder: &Folder| std::fs::read(folder.path("data.csv")).unwrap();
    assert_eq!(read(&folder), read(&other));
    assert_ne!(read(&folder), read(&disc(300, 32, 9)));
}

#[test]
fn values_may_begin_with_a_minus() {
    let folder = disc(60, 32, 9);
    let found = folder.json(&[
        "discrepancy",
        "data.csv",
        "--domain",
        "box(low=-2, high=2)",
        "--known-covariance",
        "1",
        "--at",
        "-1,-0.5",
    ]);
    assert_eq!(found["at"], serde_json::json!([-1.0, -0.5]));
    let said = folder.run(&[
        "simulate",
        "--domain",
        "interval(-3, -1)",
        "--at",
        "-2",
        "-n",
        "20",
        "--output",
        "line.csv",
    ]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let values = columns(&folder, "line.csv");
    assert!(values.iter().all(|row| (-3.0..=-1.0).contains(&row[0])));
}

#[test]
fn simulate_follows_dimension_and_covariance() {
    let folder = Folder::new();
    let run = |more: &[&str]| folder.json(&[&["simulate", "-n", "50", "--output", "s.csv"], more].concat());
    assert_eq!(run(&["--domain", "ball(radius=3)"])["d"], 2);
    assert_eq!(run(&["--domain", "ball(radius=3)", "--dimension", "4"])["d"], 4);
    assert_eq!(run(&["--domain", "ball(radius=3)", "--at", "0,0,1"])["d"], 3);
    assert_eq!(run(&["--domain", "box(low=-1:-1:-1, high=1:1:1)"])["d"], 3);
    let full =
        run(&["--domain", "ball(radius=3, center=0:0)", "--at", "0,1,2,0.5,1", "--boundary-output", "b.csv"]);
    assert_eq!((&full["d"], &full["m"]), (&Value::from(2), &Value::from(200)));
    assert_eq!(columns(&folder, "b.csv").len(), 200);
    let line =
        run(&["--domain", "interval(-1, 1)", "--boundary-points", "10", "--boundary-output", "ends.csv"]);
    assert_eq!(line["m"], 2, "an interval has two boundary points");
    assert_eq!(columns(&folder, "ends.csv"), vec![vec![-1.0], vec![1.0]]);
}

#[test]
fn boundary_reports_its_coverage() {
    let folder = Folder::new();
    let found = folder.json(&["boundary", "--domain", "ball(radius=2)", "--boundary-points", "200"]);
    assert_eq!(found["points"].as_array().unwrap().len(), 200);
    let fill = found["coverage"]["fill_distance"].as_f64().unwrap();
    assert!(fill > 0.03 && fill < 0.5, "{fill}");
    let said = folder.run(&[
        "boundary",
        "--domain",
        "ball(radius=2)",
        "--boundary-points",
        "9",
        "--output",
        "b.csv",
    ]);
    assert!(said.stdout.contains("fill distance") && said.stderr.is_empty(), "{}", said.stderr);
    assert_eq!(columns(&folder, "b.csv").len(), 9);
    let said = folder.run(&["boundary", "--domain", "ball(radius=2)", "--boundary-points", "9"]);
    assert_eq!(said.stdout.lines().count(), 10);
    assert!(said.stderr.contains("fill distance"));
    folder.write("near.csv", "6,1\n9,2\n7,3\n");
    let half =
        folder.json(&["boundary", "--domain", "halfspace(normal=1:0, offset=5)", "--near", "near.csv"]);
    assert!(half["points"].as_array().unwrap().iter().all(|b| (b[0].as_f64().unwrap() - 5.0).abs() < 1e-12));
}

#[test]
fn half_spaces_and_orthants_can_be_fitted() {
    let folder = Folder::new();
    for (domain, at) in [("halfspace(normal=1:1, offset=1)", "1,1"), ("box(low=0, high=inf)", "0.5,0.5")] {
        let said =
            folder.run(&["simulate", "--domain", domain, "--at", at, "-n", "400", "--output", "s.csv"]);
        assert_eq!(said.code, 0, "{}", said.stderr);
        for method in ["tksd", "bdksd", "truncsm"] {
            let fit = folder.json(&[
                "fit",
                "s.csv",
                "--domain",
                domain,
                "--known-covariance",
                "1",
                "--method",
                method,
            ]);
            let truth: f64 = at.split(',').next().unwrap().parse().unwrap();
            for p in fit["parameters"].as_array().unwrap() {
                let z = (p["estimate"].as_f64().unwrap() - truth) / p["std_error"].as_f64().unwrap();
                assert!(z.abs() < 4.0, "{domain} {method}: {z}");
            }
        }
    }
}

#[test]
fn witness_on_a_grid() {
    let folder = disc(70, 32, 10);
    let base = ["witness", "data.csv", "--boundary", "edge.csv", "--known-covariance", "1"];
    let found = folder.json(&[&base[..], &["--at", "0,0", "--grid", "7"]].concat());
    assert_eq!(found["points"].as_array().unwrap().len(), 49);
    assert_eq!(found["g"].as_array().unwrap().len(), 2);
    assert_eq!(found["g"][0].as_array().unwrap().len(), 49);
    assert_eq!(found["multipliers"][0].as_array().unwrap().len(), 32);
    // Without --at, at the fitted parameters.
    let fitted = folder.json(&base);
    let by_tksd = ["fit", "data.csv", "--method", "tksd"];
    let fit = folder.json(&[&by_tksd[..], &base[2..]].concat());
    assert_eq!(serde_json::json!(field(&fit["parameters"], "estimate")), fitted["at"]);
    let table = folder.run(&[&base[..], &["--grid", "3"]].concat());
    assert_eq!(table.stdout.lines().next(), Some("x1,x2,g[x1],g[x2]"));
    assert_eq!(table.stdout.lines().count(), 10);
}

#[test]
fn demo_needs_nothing_and_shows_every_method() {
    let said = Folder::new().run(&["demo"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    for word in ["efficient", "tksd", "bdksd", "truncsm", "ksd", "mle", "std. error", "error", "time"] {
        assert!(said.stdout.contains(word), "{word} is not in {}", said.stdout);
    }
    let demo = Folder::new().json(&["demo"]);
    let error = |k: usize| demo["fits"][k]["error"].as_f64().unwrap();
    // Ignoring the border costs more than a degree, several standard errors of the other methods.
    assert_eq!(
        (&demo["fits"][0]["method"], &demo["fits"][8]["method"]),
        (&serde_json::json!("efficient"), &serde_json::json!("mle"))
    );
    assert!(error(0) + 0.4 < error(8), "{demo}");
}

#[test]
fn the_demo_draws_its_map() {
    let folder = Folder::new();
    let said = folder.run(&["demo", "--plot", "map.svg"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let svg = std::fs::read_to_string(folder.path("map.svg")).unwrap();
    for label in ["data", "boundary points", "truth", "efficient", "mle: ignores the border"] {
        assert!(svg.contains(&format!(">{label}</text>")), "{label}");
    }
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && !svg.contains("NaN"));
    assert_eq!(folder.run(&["demo", "--plot", "map.PNG"]).code, 0);
    assert!(std::fs::read(folder.path("map.PNG")).unwrap().starts_with(b"\x89PNG"));
    folder.run(&["demo", "--plot", "map.pdf"]).expect_refusal(&[".svg and .png"]);
    assert_eq!(folder.names(), ["map.PNG", "map.svg", "steinbound-demo.html"]);
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    use std::process::{Command, Stdio};
    let folder = disc(50, 32, 11);
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("steinbound"))
        .args(["witness", "data.csv", "--boundary", "edge.csv", "--known-covariance", "1", "--grid", "300"])
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Nobody may be there to read a message; that is no reason to panic.
#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_stderr_or_stdout_is_survived() {
    use std::process::{Command, Stdio};
    let folder = disc(50, 32, 12);
    let run = |arguments: &[&str], full_stdout: bool| {
        let full = || Stdio::from(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("steinbound"));
        command.args(arguments).current_dir(folder.path(""));
        if full_stdout {
            command.stdout(full()).stderr(Stdio::null());
        } else {
            command.stderr(full()).stdout(Stdio::null());
        }
        command.status().unwrap().code()
    };
    assert_eq!(run(&["fit", "nowhere.csv"], false), Some(2));
    assert_eq!(run(&["fit", "data.csv", "--method", "mle", "--ridge", "1"], false), Some(0));
    assert_eq!(run(&["fit", "--nonsense"], false), Some(2));
    assert_eq!(run(&["fit", "data.csv", "--method", "mle"], true), Some(1));
}

#[cfg(unix)]
#[test]
fn devices_and_links_are_written_through() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("/dev/null", folder.path("away")).unwrap();
    let base = ["simulate", "--domain", "interval(0, 1)", "-n", "5", "--output"];
    assert_eq!(folder.run(&[&base[..], &["away"]].concat()).code, 0);
    assert!(std::fs::symlink_metadata(folder.path("away")).unwrap().is_symlink());
    let said = folder.run(&[&base[..], &["/dev/stdout"]].concat());
    assert!(said.stdout.starts_with("x1\n0."), "{}", said.stdout);
    assert_eq!(folder.names(), ["away"]);
}

#[test]
fn help_and_version_are_on_standard_output() {
    let folder = Folder::new();
    for arguments in [&["--help"][..], &["--version"], &["fit", "--help"], &["help", "witness"]] {
        let said = folder.run(arguments);
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{arguments:?}");
        assert!(said.stdout.contains("steinbound"));
    }
    let said = folder.run(&["fti"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("unrecognized subcommand 'fti'"), "{}", said.stderr);
}

/// `cargo run -- demo`, as the README has it, needs no name of a binary: there is one among the default
/// packages.
#[test]
fn the_workspace_runs_the_command() {
    let cargo = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&cargo.stdout).unwrap();
    let defaults = metadata["workspace_default_members"].as_array().unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter().filter(|p| defaults.contains(&p["id"]));
    let targets = packages.flat_map(|package| package["targets"].as_array().unwrap());
    let binaries: Vec<&Value> =
        targets.filter(|t| t["kind"][0] == "bin").map(|target| &target["name"]).collect();
    assert_eq!(binaries, ["steinbound"]);
}

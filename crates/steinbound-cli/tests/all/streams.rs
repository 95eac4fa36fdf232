//! What goes where, and how it ends: standard output and error, exit codes, readers that stop and disks that
//! are full.

use std::process::{Command, Stdio};

use crate::common::{Folder, Said, disc, with};
use crate::kit::{calls, kit};

/// Every command, help and version.
fn everything() -> Vec<Vec<&'static str>> {
    let more = [&["completions", "zsh"][..], &["man"], &["--help"], &["fit", "-h"], &["--version"]];
    calls().into_iter().map(|(_, call)| call).chain(more.map(<[&str]>::to_vec)).collect()
}

/// Runs the command with these ends of its streams.
fn run(folder: &Folder, arguments: &[&str], stdout: Stdio) -> Said {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("steinbound"))
        .args(arguments)
        .current_dir(folder.path(""))
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Whoever reads closes his end before anything is written.
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code().expect("no signal ended it"),
        stdout: String::new(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn results_are_on_standard_output_alone() {
    let folder = kit();
    for call in everything() {
        let said = folder.run(&call);
        assert_eq!(said.code, 0, "{call:?}: {}", said.stderr);
        assert!(!said.stdout.is_empty(), "{call:?}");
        assert!(
            said.stderr.lines().all(|line| line.starts_with("note: ") || line.starts_with("warning: ")),
            "{}",
            said.stderr
        );
        assert!(!said.stdout.contains("note:") && !said.stdout.contains("warning:"), "{call:?}");
        assert!(
            !said.stdout.contains('\u{1b}') && !said.stderr.contains('\u{1b}'),
            "{call:?}: colours without a terminal"
        );
    }
}

#[test]
fn quiet_leaves_results_and_errors() {
    let folder = kit();
    for (name, call) in calls() {
        let said = folder.run(&with(&call, &["--quiet"]));
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{name}");
        assert!(!said.stdout.is_empty(), "{name}");
    }
    // A warning that is not told is still in the JSON.
    let sparse =
        ["fit", "points.csv", "--boundary", "border.csv", "--bandwidth", "0.05", "--known-covariance", "1"];
    let loud = folder.run(&with(&sparse, &["--format", "json"]));
    assert!(loud.stderr.starts_with("warning: the boundary points are too sparse"), "{}", loud.stderr);
    let quiet = folder.run(&with(&sparse, &["--format", "json", "--quiet"]));
    assert_eq!(quiet.stderr, "");
    assert_eq!(quiet.json()["warnings"], loud.json()["warnings"]);
    folder.run(&["fit", "nowhere.csv", "--quiet"]).expect_refusal(&["cannot read nowhere.csv"]);
}

#[test]
fn long_messages_stay_on_one_line_without_a_terminal() {
    let folder = kit();
    let sparse =
        ["fit", "points.csv", "--boundary", "border.csv", "--bandwidth", "0.05", "--known-covariance", "1"];
    let said = folder.run_with(&[("COLUMNS", "40")], &sparse);
    assert_eq!(said.stderr.lines().count(), said.stderr.matches("warning: ").count(), "{}", said.stderr);
    assert!(said.stderr.lines().any(|line| line.len() > 120), "{}", said.stderr);
}

#[test]
fn a_reader_that_stops_is_no_error_for_any_command() {
    let folder = kit();
    for call in everything() {
        let said = run(&folder, &call, Stdio::piped());
        assert_eq!(said.code, 0, "{call:?}: {}", said.stderr);
        assert!(!said.stderr.contains("error"), "{call:?}: {}", said.stderr);
    }
}

/// A result that is not to be trusted keeps its exit code, and its files, when nobody reads it.
#[test]
fn a_reader_that_stops_does_not_change_the_verdict() {
    let folder = kit();
    let simulate =
        "simulate --dimension 1 --at 0,100 -n 40 --seed 2 --output flat.csv --domain interval(-1,1)";
    assert_eq!(folder.run(&simulate.split(' ').collect::<Vec<_>>()).code, 0);
    let call = ["fit", "flat.csv", "--domain", "interval(-1, 1)", "--report", "page.html"];
    assert_eq!(folder.run(&call).code, 3);
    std::fs::remove_file(folder.path("page.html")).unwrap();
    assert_eq!(run(&folder, &call, Stdio::piped()).code, 3);
    assert!(folder.path("page.html").exists());
}

/// The system may allow no further thread: one computes, the result is the same, and a note says so.
#[cfg(target_os = "linux")]
#[test]
fn no_further_thread_is_no_failure() {
    let folder = kit();
    let binary = assert_cmd::cargo::cargo_bin("steinbound");
    let call = "fit points.csv --boundary border.csv --known-covariance 1 --threads 4";
    // Limits on processes do not hold for the administrator, and others may not look into a temporary folder.
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder.path(""), PermissionsExt::from_mode(0o755)).unwrap();
    let line = format!("ulimit -u 1 && exec '{}' {call}", binary.display());
    let shell = Command::new("setpriv")
        .args(["--reuid=65534", "--clear-groups", "bash", "-c", &line])
        .current_dir(folder.path(""))
        .output();
    let Ok(said) = shell.map(|output| {
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), output.stderr)
    }) else {
        return;
    };
    let stderr = String::from_utf8_lossy(&said.2);
    if stderr.contains("setpriv") || stderr.contains("ermission denied") {
        return;
    }
    assert_eq!(said.0, Some(0), "{stderr}");
    assert!(stderr.contains("note: the system allows no more threads: 1 of 4 compute"), "{stderr}");
    let words: Vec<&str> = call.split(' ').collect();
    let usual = folder.run(&words);
    let numbers = |text: &str| text.lines().take(8).map(String::from).collect::<Vec<_>>();
    assert_eq!(numbers(&said.1), numbers(&usual.stdout));
}

#[test]
fn what_the_environment_asks_for_is_checked() {
    let folder = kit();
    let call = ["fit", "points.csv", "--method", "mle"];
    folder
        .run_with(&[("STEINBOUND_SIMD", "avx1024")], &call)
        .expect_refusal(&["STEINBOUND_SIMD is \"avx1024\"; set it to portable, avx2 or avx512"]);
    let usual = folder.run(&call);
    for threads in ["100000", "0", "many", "1"] {
        let said = folder.run_with(&[("RAYON_NUM_THREADS", threads)], &call);
        assert_eq!((said.code, said.stdout.lines().nth(3)), (0, usual.stdout.lines().nth(3)), "{threads}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_for_every_command() {
    let folder = kit();
    for call in everything() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let said = run(&folder, &call, full.into());
        assert_eq!(said.code, 1, "{call:?}: {}", said.stderr);
        let errors: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(
            errors,
            ["error: cannot write the result: No space left on device (os error 28); free some space"],
            "{call:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn no_standard_output_at_all_is_survived() {
    let folder = kit();
    let binary = assert_cmd::cargo::cargo_bin("steinbound");
    let line = format!("'{}' fit points.csv --method mle >&-", binary.display());
    let said = Command::new("sh").args(["-c", &line]).current_dir(folder.path("")).output().unwrap();
    assert_eq!((said.status.code(), said.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn bad_usage_is_exit_code_2_for_every_command() {
    let folder = kit();
    for (name, call) in calls() {
        for (typed, similar) in [("--quite", "--quiet"), ("--fromat", "--format")] {
            let said = folder.run(&with(&call, &[typed]));
            said.expect_refusal(&[&format!("unexpected argument '{typed}'"), &format!("'{similar}'")]);
        }
        folder.run(&with(&call, &["--threads", "0"])).expect_refusal(&["--threads is 0"]);
        folder.run(&with(&call, &["--seed", "-1"])).expect_refusal(&["invalid value '-1'"]);
        folder.run(&with(&call, &["--format", "xml"])).expect_refusal(&["invalid value 'xml'", "json"]);
        let said = folder.run(&[name]);
        assert_eq!(
            (said.code, said.stdout.is_empty()),
            if name == "demo" { (0, false) } else { (2, true) },
            "{name}"
        );
    }
    for call in [&["completions"][..], &["completions", "csh"], &["man", "--outptu", "x"]] {
        folder.run(call).expect_refusal(&["error:"]);
    }
    folder.run(&["simulat"]).expect_refusal(&["unrecognized subcommand 'simulat'", "'simulate'"]);
}

#[test]
fn doubtful_results_are_exit_code_3() {
    let folder = disc(14, 32, 103);
    let doubtful = (100..140).map(|seed| disc(14, 32, seed)).find(|folder| {
        folder
            .run(&["fit", "data.csv", "--method", "tksd", "--boundary", "edge.csv", "--statistic", "u"])
            .code
            == 3
    });
    let doubtful = doubtful.expect("a sample too small for five parameters");
    let compare = ["compare", "data.csv", "--boundary", "edge.csv", "--statistic", "u", "--method", "tksd"];
    let said = doubtful.run(&compare);
    assert_eq!(said.code, 3, "{}", said.stderr);
    assert!(said.stdout.contains("doubtful") && said.stderr.contains("warning: "), "{}", said.stdout);
    // Random signs on a boundary of four points.
    folder.write("four.csv", "1.4,0\n-1.4,0\n0,1.4\n0,-1.4\n");
    let test = [
        "test",
        "data.csv",
        "--method",
        "tksd",
        "--boundary",
        "four.csv",
        "--known-covariance",
        "1",
        "--resampling",
        "wild",
    ];
    let said = folder.run(&test);
    assert_eq!(said.code, 3, "{}", said.stderr);
    assert!(
        said.stderr.contains("too sparse") && said.stdout.contains("not to be relied on"),
        "{}",
        said.stdout
    );
}

/// Numbers, lists and formulas may begin with a minus; what is wrong with them is said of them, not of an
/// option that is not there.
#[test]
fn values_may_begin_with_a_minus() {
    let folder = kit();
    let boundary = ["--boundary", "border.csv", "--known-covariance", "1"];
    let fit = |more: &[&str]| folder.run(&[&["fit", "points.csv"], &boundary[..], more].concat());
    for (option, value) in [
        ("--bandwidth", "-1"),
        ("--ridge", "-1"),
        ("--tolerance", "-1"),
        ("--confidence", "-1"),
        ("--bootstrap", "-1"),
        ("--boundary-points", "-1"),
        ("--columns", "-1"),
        ("--weights", "-w"),
        ("--cluster", "-c"),
        ("--hypothesis", "-q"),
        ("--derive", "-q"),
        ("--threads", "-1"),
        ("--distance-power", "-1"),
    ] {
        let said = fit(&[option, value]);
        assert!(!said.stderr.contains("unexpected argument"), "{option}: {}", said.stderr);
    }
    assert_eq!(
        folder.run(&[&["discrepancy", "points.csv", "--at", "-1,-2"], &boundary[..]].concat()).code,
        0
    );
    let formula =
        ["fit", "waits.csv", "--domain", "interval(0, 5)", "--log-density", "-b*x1", "--start", "b=-1"];
    assert_eq!(folder.run(&formula).code, 0);
    for command in [&["simulate", "-n", "5", "--output", "o.csv"][..], &["boundary"]] {
        let said = folder.run(&with(command, &["--domain", "ball(radius=1)", "--dimension", "-1"]));
        said.expect_refusal(&["\"-1\" is not a number of coordinates"]);
    }
    let regress = ["regress", "scores.csv", "--formula", "achiv ~ langscore"];
    assert_eq!(folder.run(&with(&regress, &["--lower", "-40"])).code, 0);
    folder.run(&with(&regress, &["--lower", "40", "--known-sigma", "-1"])).expect_refusal(&["-1"]);
}

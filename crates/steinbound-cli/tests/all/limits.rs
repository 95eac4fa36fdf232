//! Limits of the system on memory, the sizes of files and open files: each ends in one line with its remedy and a
//! documented exit code, never in a signal.

use std::process::{Command, Output};

use crate::common::Folder;
use crate::kit::{calls, kit};

/// Runs a call in a shell after this `ulimit`, for a minute at most.
fn limited(folder: &Folder, limit: &str, call: &[&str]) -> Output {
    let binary = assert_cmd::cargo::cargo_bin("steinbound");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit {limit} && exec timeout 60 \"$@\""), "sh"]).arg(binary).args(call);
    command.current_dir(folder.path("")).output().unwrap()
}

/// The exit code, and the errors on standard error; nothing else than notes and warnings is beside them.
fn told(output: &Output, what: &str) -> (i32, Vec<String>) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let is_known = |line: &str| ["error: ", "note: ", "warning: "].iter().any(|kind| line.starts_with(kind));
    assert!(stderr.lines().all(is_known), "{what}: {stderr}");
    let code = output.status.code().unwrap_or_else(|| panic!("{what}: {:?}, {stderr}", output.status));
    (code, stderr.lines().filter(|line| line.starts_with("error: ")).map(String::from).collect())
}

/// The smallest limit on the address space in megabytes that is asked of the program: 50, but not less than its own
/// code and stack need, which are larger in a build for debugging.
fn least() -> u64 {
    let size = std::fs::metadata(assert_cmd::cargo::cargo_bin("steinbound")).unwrap().len();
    (size / 1_000_000 + 10).max(50)
}

fn with_files() -> Vec<Vec<&'static str>> {
    let fit = "fit points.csv --boundary border.csv --known-covariance 1 --report page.html --plot map.png";
    let paper = "reproduce fig9 --trials 3 --output folder --resume";
    [fit, paper].map(|call| call.split(' ').collect()).into()
}

fn sweep(limits: &[u64]) {
    let folder = kit();
    let mut counts = (0, 0);
    for call in calls().into_iter().map(|(_, call)| call).chain(with_files()) {
        for megabytes in limits {
            let _ = std::fs::remove_dir_all(folder.path("folder"));
            let output = limited(&folder, &format!("-v {}", megabytes * 1000), &call);
            let what = format!("{call:?} in {megabytes} MB");
            match told(&output, &what) {
                (0, errors) if errors.is_empty() => counts.0 += 1,
                (1, errors) if errors.len() == 1 && errors[0].starts_with("error: out of memory: ") => {
                    assert!(errors[0].contains(" bytes were needed; use fewer points"), "{what}: {errors:?}");
                    counts.1 += 1;
                }
                other => panic!("{what}: {other:?}"),
            }
        }
    }
    println!(
        "{} calls under limits on memory: {} done, {} out of memory",
        counts.0 + counts.1,
        counts.0,
        counts.1
    );
    assert!(counts.0 > 0);
}

#[test]
fn little_memory_is_told_in_one_line() {
    let least = least();
    sweep(&[least, least + 4, least + 14, least + 40, least + 110, least + 160]);
}

#[test]
#[ignore = "a sweep in small steps: make faults"]
fn every_amount_of_memory_ends_in_a_result_or_one_line() {
    sweep(&(0..250).map(|step| least() + step).collect::<Vec<_>>());
}

/// A table that has too many rows for the memory there is.
#[test]
fn rows_without_memory_are_told_in_one_line() {
    let folder = Folder::new();
    let rows: String = (0..600_000).map(|k| format!("{k}.5,{}.25\n", k % 1000)).collect();
    folder.write("many.csv", &rows);
    let limit = format!("-v {}", least() * 1000);
    let output = limited(&folder, &limit, &["fit", "many.csv", "--method", "mle", "--threads", "1"]);
    let (code, errors) = told(&output, "many rows");
    assert_eq!((code, errors.len()), (1, 1), "{errors:?}");
    assert!(errors[0].contains("out of memory"), "{errors:?}");
}

/// What would be too large is counted before it is made.
#[test]
fn what_does_not_fit_is_refused_with_its_size() {
    let folder = kit();
    let tksd = "fit points.csv --domain ball(radius=1.44) --known-covariance 1 --method tksd --boundary-points 15000";
    let dense = "fit points.csv --method ksd --compute dense";
    let boundary = "boundary --domain ball(radius=1) --boundary-points 20000000";
    let bootstrap = "fit points.csv --method mle --bootstrap 1000000";
    let pairs = "the pairs of 15000 boundary points need 3.6 GB of memory, and ";
    let points = "20000000 points with 2 coordinates need 960 MB of memory, and ";
    let grid = "witness points.csv --boundary border.csv --known-covariance 1 --grid 2000";
    let grid_points = "4000000 points of a grid need 384 MB of memory, and ";
    for (call, start, remedy) in [
        (tksd, pairs, "available; use fewer boundary points"),
        (boundary, points, "available; ask for fewer points"),
        (grid, grid_points, "available; ask for a coarser grid"),
    ] {
        let output = limited(&folder, "-v 400000", &call.split(' ').collect::<Vec<_>>());
        let (code, errors) = told(&output, call);
        assert_eq!((code, errors.len()), (2, 1), "{call}: {errors:?}");
        assert!(errors[0].contains(start) && errors[0].contains(remedy), "{errors:?}");
    }
    let output = limited(&folder, "-v 500000", &dense.split(' ').collect::<Vec<_>>());
    assert_eq!(told(&output, dense).0, 0);
    let output =
        limited(&folder, &format!("-v {}", least() * 1000), &bootstrap.split(' ').collect::<Vec<_>>());
    let (code, errors) = told(&output, bootstrap);
    assert_eq!((code, errors.len()), (2, 1), "{errors:?}");
    assert!(errors[0].contains("1000000 draws of 5 parameters need 80 MB of memory"), "{errors:?}");
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_with_its_remedy() {
    let folder = kit();
    let simulate = "simulate --domain interval(0,1) -n 500 --output big.csv";
    let report = "fit points.csv --method mle --report page.html";
    let journal = "reproduce fig9 --trials 40 --output folder";
    for (call, name) in [(simulate, "big.csv"), (report, "page.html"), (journal, "folder/journal.txt")] {
        let output = limited(&folder, "-f 2", &call.split(' ').collect::<Vec<_>>());
        let (code, errors) = told(&output, call);
        assert_eq!((code, errors.len()), (1, 1), "{call}: {errors:?}");
        assert!(errors[0].starts_with(&format!("error: cannot write {name}: File too large")), "{errors:?}");
        assert!(errors[0].contains("allow larger files (ulimit -f)"), "{errors:?}");
        assert!(name.contains('/') || !folder.path(name).exists(), "{name}");
    }
}

#[test]
fn too_many_open_files_are_an_error_with_its_remedy() {
    let folder = kit();
    let all = calls().into_iter().map(|(_, call)| call).chain(with_files());
    for call in all {
        for open in [3, 4, 5, 6, 8, 12] {
            let _ = std::fs::remove_dir_all(folder.path("folder"));
            let what = format!("{call:?} with {open} files");
            let output = limited(&folder, &format!("-n {open}"), &call);
            let loader = String::from_utf8_lossy(&output.stderr);
            if loader.contains("shared libraries") || loader.contains("timeout") {
                continue;
            }
            match told(&output, &what) {
                (0, errors) if errors.is_empty() => {}
                (1, errors) if errors.len() == 1 => {
                    assert!(errors[0].contains("allow more open files (ulimit -n)"), "{what}: {errors:?}");
                }
                other => panic!("{what}: {other:?}"),
            }
        }
    }
}

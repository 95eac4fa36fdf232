//! Faults that come from outside: kills, full disks, folders that may not be written, inputs that change meanwhile,
//! a second process in the same folder.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::contents;
use super::shim::within_a_minute;
use crate::common::Folder;
use crate::kit::kit;

fn start(folder: &Path, call: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("steinbound"))
        .args(call.split(' '))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Exit code and standard error of a call in a folder.
fn end(child: Child) -> (Option<i32>, String) {
    let output = within_a_minute(child).expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Numbers from 0 to 1 that look like chance, the same in every run.
fn shares(count: usize) -> impl Iterator<Item = f64> {
    (1..=count).map(|k| (0.618_033_988_749_895 * k as f64).fract())
}

/// What a reproduction must give again: neither times nor the journal that has them.
fn lasting(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = contents(folder);
    all.retain(|name, _| !name.contains("_time.") && !name.ends_with("journal.txt"));
    all
}

/// Kills a call that writes files after each of these shares of its usual time. Whatever was there before is there
/// again or replaced by what is complete.
fn kill(call: &str, outputs: &[&str], count: usize) {
    let folder = kit();
    let rows: String = (0..20_000).map(|k| format!("{},{}\n", (k as f64).sin(), (k as f64).cos())).collect();
    folder.write("rows.csv", &rows);
    let time = |_| {
        let begun = Instant::now();
        assert_eq!(end(start(&folder.path(""), call)).0, Some(0), "{call}");
        begun.elapsed()
    };
    let usual = (0..3).map(time).min().unwrap();
    let good: Vec<Vec<u8>> = outputs.iter().map(|name| std::fs::read(folder.path(name)).unwrap()).collect();
    let restore = || {
        for name in outputs {
            folder.write(name, "precious\n");
        }
    };
    restore();
    let before = contents(&folder.path(""));
    let mut killed = 0;
    for share in shares(count) {
        let mut child = start(&folder.path(""), call);
        std::thread::sleep(usual.mul_f64(share));
        let _ = child.kill();
        killed += usize::from(child.wait().unwrap().code().is_none());
        let found = contents(&folder.path(""));
        for (name, bytes) in &found {
            let place = outputs.iter().position(|output| output == name);
            let is_new = place.is_some_and(|place| is_complete(name, bytes, &good[place]));
            // A complete file may be left under the name that it has for the moment in which it replaces another.
            let is_new = is_new || name.starts_with(".steinbound-");
            assert!(is_new || before.get(name) == Some(bytes), "{call}, killed at {share:.3}: {name}");
        }
        assert!(before.keys().all(|name| found.contains_key(name)), "{call}, killed at {share:.3}");
        found
            .keys()
            .filter(|name| name.starts_with('.'))
            .for_each(|name| drop(std::fs::remove_file(folder.path(name))));
        restore();
    }
    println!("{killed} of {count} kills came in time: {call}");
}

/// Reports have times in them.
fn is_complete(name: &str, bytes: &[u8], good: &[u8]) -> bool {
    bytes == good
        || name.ends_with(".html") && bytes.starts_with(b"<!DOCTYPE html>") && bytes.ends_with(b"</html>")
}

const REPORT: &str =
    "fit points.csv --boundary border.csv --known-covariance 1 --report page.html --plot map.svg";
const POINTS: &str = "simulate --domain ball(radius=1) -n 20000 --output out.csv --boundary-points 2000 --boundary-output edge.csv";
const STREAM: &str = "fit rows.csv --method mle --report page.html";

fn kill_all(count: usize) {
    kill(REPORT, &["page.html", "map.svg"], count);
    kill(POINTS, &["out.csv", "edge.csv"], count);
    kill(STREAM, &["page.html"], count);
}

#[test]
fn a_kill_leaves_nothing_half_written() {
    kill_all(4);
}

#[test]
#[ignore = "hundreds of runs: make faults"]
fn two_hundred_kills_leave_nothing_half_written() {
    kill_all(200);
}

/// Kills one reproduction again and again until it is complete, and another one, and so on.
fn kill_reproductions(count: usize) {
    let folder = Folder::new();
    let call = "reproduce fig9 fig4 --trials 4 --resume --output";
    let begun = Instant::now();
    assert_eq!(end(start(&folder.path(""), &format!("{call} whole"))).0, Some(0));
    let usual = begun.elapsed();
    let whole = lasting(&folder.path("whole"));
    let mut complete = 0;
    for share in shares(count) {
        let mut child = start(&folder.path(""), &format!("{call} killed"));
        std::thread::sleep(usual.mul_f64(share));
        let _ = child.kill();
        if child.wait().unwrap().success() {
            assert_eq!(lasting(&folder.path("killed")), whole);
            std::fs::remove_dir_all(folder.path("killed")).unwrap();
            complete += 1;
        }
    }
    let (code, stderr) = end(start(&folder.path(""), &format!("{call} killed")));
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(lasting(&folder.path("killed")), whole);
    println!("{count} kills of a reproduction, which was complete {} times", complete + 1);
}

#[test]
#[ignore = "minutes: make faults"]
fn two_hundred_kills_of_a_reproduction_change_no_byte() {
    kill_reproductions(200);
}

#[test]
fn a_second_reproduction_in_one_folder_is_refused() {
    let folder = Folder::new();
    let call = "reproduce fig5 --trials 40 --output out";
    let mut first = start(&folder.path(""), call);
    let journal = folder.path("out/journal.txt");
    let is_begun = || std::fs::metadata(&journal).is_ok_and(|data| data.len() > 0);
    while !is_begun() && first.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let (code, stderr) = end(start(&folder.path(""), &format!("{call} --resume")));
    let is_running = first.try_wait().unwrap().is_none();
    let _ = first.kill();
    let _ = first.wait();
    assert!(is_running, "the first should have run longer");
    assert_eq!(code, Some(2), "{stderr}");
    assert_eq!(
        stderr,
        "error: another reproduction is running in out; wait for it, or choose another --output\n"
    );
}

/// A disk of 64 KB, where the user may mount one.
#[test]
fn a_small_disk_that_fills_up_keeps_what_was_there() {
    let folder = kit();
    std::fs::create_dir(folder.path("disk")).unwrap();
    let binary = assert_cmd::cargo::cargo_bin("steinbound");
    let points = "simulate --domain ball(radius=1) -n 9000 --output disk/old.html";
    let report = "fit points.csv --boundary border.csv --known-covariance 1 --report disk/old.html";
    let paper = "reproduce fig9 --trials 3 --output disk/paper";
    for (call, kept) in
        [(points, "old.html"), (report, "old.html"), (paper, "old.html paper paper/journal.txt")]
    {
        let script = "mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null || exit 77\n\
                      echo precious > disk/old.html\n\
                      \"$@\" > /dev/null\n\
                      code=$?\n\
                      test \"$(cat disk/old.html)\" = precious || echo destroyed\n\
                      (cd disk && find . -mindepth 1 | sort | cut -c3-)\n\
                      exit $code";
        let said = Command::new("unshare")
            .args(["--mount", "sh", "-c", script, "sh"])
            .arg(&binary)
            .args(call.split(' '))
            .current_dir(folder.path(""))
            .output();
        let Ok(said) = said else {
            return println!("skipped: there is no unshare");
        };
        let (stdout, stderr) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
        if said.status.code() == Some(77) || stderr.contains("unshare") {
            return println!("skipped: this user may not mount a disk");
        }
        assert_eq!(said.status.code(), Some(1), "{call}: {stderr}");
        let last = stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with("error: cannot ") && last.contains("free some space"), "{call}: {stderr}");
        assert_eq!(stdout.split_whitespace().collect::<Vec<_>>().join(" "), kept, "{call}: {stderr}");
    }
}

/// A folder that belongs to somebody else, for a user who may not write there.
#[test]
fn a_folder_of_somebody_else_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = kit();
    std::fs::set_permissions(folder.path(""), PermissionsExt::from_mode(0o755)).unwrap();
    let before = contents(&folder.path(""));
    let binary = assert_cmd::cargo::cargo_bin("steinbound");
    for call in [REPORT, POINTS, "reproduce fig9 --trials 3 --output out", "man --output manual"] {
        let said = Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(&binary)
            .args(call.split(' '))
            .current_dir(folder.path(""))
            .output();
        let Ok(said) = said else {
            return println!("skipped: there is no setpriv");
        };
        let stderr = String::from_utf8_lossy(&said.stderr);
        if stderr.contains("setpriv") {
            return println!("skipped: {stderr}");
        }
        assert_eq!(said.status.code(), Some(2), "{call}: {stderr}");
        assert!(stderr.contains("ermission denied (os error 13); "), "{stderr}");
        assert_eq!(contents(&folder.path("")), before, "{call}");
    }
}

/// A table that another program replaces while it is read is read as one of the two, never as a mixture.
#[test]
fn an_input_that_is_replaced_is_read_as_it_was_or_as_it_is() {
    let folder = Folder::new();
    let table = |offset: f64| -> String {
        (0..30_000)
            .map(|k| format!("{:?},{:?}\n", offset + (k as f64).sin(), offset * (k as f64).cos()))
            .collect()
    };
    folder.write("one.csv", &table(1.0)).write("other.csv", &table(2.0));
    let call = |name: &str| format!("fit {name} --method mle --format json");
    let estimates = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        value["parameters"].to_string()
    };
    let read = |name: &str| {
        let words = call(name);
        estimates(&folder.run(&words.split(' ').collect::<Vec<_>>()).stdout)
    };
    let expected = [read("one.csv"), read("other.csv")];
    assert_ne!(expected[0], expected[1]);
    for share in shares(8) {
        std::fs::copy(folder.path("one.csv"), folder.path("data.csv")).unwrap();
        std::fs::copy(folder.path("other.csv"), folder.path("next.csv")).unwrap();
        let child = start(&folder.path(""), &call("data.csv"));
        std::thread::sleep(Duration::from_micros((30_000.0 * share) as u64));
        std::fs::rename(folder.path("next.csv"), folder.path("data.csv")).unwrap();
        let output = within_a_minute(child).expect("it ends");
        assert!(expected.contains(&estimates(&String::from_utf8_lossy(&output.stdout))), "{share}");
    }
    // Where it is cut off instead, the rows so far are read, or this is told.
    for share in shares(8) {
        std::fs::copy(folder.path("one.csv"), folder.path("data.csv")).unwrap();
        let child = start(&folder.path(""), &call("data.csv"));
        std::thread::sleep(Duration::from_micros((30_000.0 * share) as u64));
        std::fs::OpenOptions::new()
            .write(true)
            .open(folder.path("data.csv"))
            .unwrap()
            .set_len(70_001)
            .unwrap();
        let (code, stderr) = end(child);
        let told = ["error: data.csv, line ", "error: cannot read data.csv: reading it failed: it changed"];
        let is_refused = code == Some(2) && told.iter().any(|start| stderr.starts_with(start));
        assert!(code == Some(0) || is_refused, "{code:?}: {stderr}");
    }
}

#[test]
fn no_standard_stream_at_all_is_survived() {
    let folder = kit();
    let binary = assert_cmd::cargo::cargo_bin("steinbound");
    let before = contents(&folder.path(""));
    for (call, code) in [("fit points.csv --method mle --plot map.svg", 0), ("fit nowhere.csv", 2)] {
        let line = format!("exec '{}' {call} <&- >&- 2>&-", binary.display());
        let said = Command::new("sh").args(["-c", &line]).current_dir(folder.path("")).output().unwrap();
        assert_eq!(said.status.code(), Some(code), "{call}");
        let _ = std::fs::remove_file(folder.path("map.svg"));
        assert_eq!(contents(&folder.path("")), before, "{call}");
    }
}

//! Every call of the system that a command makes fails once, and each time the command ends with one message, a
//! documented exit code and no debris: its inputs as they were, and every output either complete or as it was.

mod outside;
mod shim;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::common::Folder;
use crate::kit::{calls, kit};
use shim::{Ended, Fault, How, run, shim};

const KINDS: [&str; 8] = ["memory", "thread", "open", "read", "write", "rename", "sync", "folder"];

/// Calls that write files, which are there before with other contents, beside those of the kit.
const WRITERS: [&str; 7] = [
    "fit points.csv --boundary border.csv --known-covariance 1 --report page.html --plot map.png --format json",
    "simulate --domain ball(radius=1) -n 50 --output out.csv --boundary-points 20 --boundary-output edge.csv",
    "boundary country.geojson --boundary-points 40 --output edge.csv --format json",
    "compare points.csv --boundary border.csv --known-covariance 1 --method tksd,mle --plot map.svg --format json",
    "reproduce fig9 --trials 2 --output paper --format json",
    "man --output manual",
    "completions zsh",
];

/// The files of a folder and of those in it.
pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        match entry.path().is_dir() {
            true => all.extend(
                contents(&entry.path()).into_iter().map(|(path, bytes)| (format!("{name}/{path}"), bytes)),
            ),
            false => drop(all.insert(name, std::fs::read(entry.path()).unwrap())),
        }
    }
    all
}

/// A result without what differs between two runs: times, how many threads there were, and the extra report of the
/// demonstration.
fn lasting(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(mut value) => {
            forget_times(&mut value);
            value.to_string()
        }
        Err(_) => text.to_string(),
    }
}

fn forget_times(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            entries.retain(|name, _| !["seconds", "threads", "report"].contains(&name.as_str()));
            entries.values_mut().for_each(forget_times);
        }
        Value::Array(entries) => entries.iter_mut().for_each(forget_times),
        _ => {}
    }
}

/// A call of the command, and what it does without a fault.
struct Case {
    call: Vec<&'static str>,
    folder: Folder,
    /// The files before and after.
    before: BTreeMap<String, Vec<u8>>,
    after: BTreeMap<String, Vec<u8>>,
    stdout: String,
}

impl Case {
    fn new(call: Vec<&'static str>, shim: &Path) -> Case {
        let folder = kit();
        for name in ["out.csv", "edge.csv", "page.html", "map.png", "map.svg"] {
            folder.write(name, "precious\n");
        }
        let before = contents(&folder.path(""));
        let said = run(shim, &folder.path(""), &call, Fault { kind: "memory", at: 0, how: How::Once });
        assert_eq!(said.code, Some(0), "{call:?}: {}", said.stderr);
        let after = contents(&folder.path(""));
        let case = Case { call, folder, before, after, stdout: lasting(&said.stdout) };
        case.restore();
        case
    }

    fn restore(&self) {
        for name in ["paper", "manual"] {
            let _ = std::fs::remove_dir_all(self.folder.path(name));
        }
        let found = contents(&self.folder.path(""));
        for (name, bytes) in &self.before {
            if found.get(name) != Some(bytes) {
                std::fs::write(self.folder.path(name), bytes).unwrap();
            }
        }
        for name in found.keys().filter(|name| !self.before.contains_key(*name)) {
            std::fs::remove_file(self.folder.path(name)).unwrap();
        }
    }

    fn run(&self, shim: &Path, fault: Fault) -> Ended {
        run(shim, &self.folder.path(""), &self.call, fault)
    }

    /// How many calls of a kind there are.
    fn count(&self, shim: &Path, kind: &'static str) -> u64 {
        let said = self.run(shim, Fault { kind, at: 0, how: How::Once });
        self.restore();
        said.calls.expect("the count of an undisturbed run")
    }

    /// Whether two contents of a file are the same but for times.
    fn is_as_without_fault(&self, name: &str, bytes: &[u8]) -> bool {
        let Some(good) = self.after.get(name) else { return false };
        if bytes == good {
            return true;
        }
        // A journal is written line by line, and holds times, as do pictures and pages.
        match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "txt" => bytes.is_empty() || bytes.starts_with(b"steinbound reproduction, "),
            "html" => bytes.starts_with(b"<!DOCTYPE html>") && bytes.ends_with(b"</html>"),
            "json" => serde_json::from_slice::<Value>(bytes).is_ok(),
            "csv" if name.contains("_time.") => bytes.ends_with(b"\n"),
            _ => false,
        }
    }

    /// Runs the call with a fault; whether it ended the command, or else what is wrong with that.
    fn check(&self, shim: &Path, fault: Fault) -> Result<bool, String> {
        let ended = self.run(shim, fault);
        let found = contents(&self.folder.path(""));
        self.restore();
        let judged = self.judge(&ended, &found);
        judged.map_err(|wrong| format!("{} with {fault:?}: {wrong}: {}", self.call.join(" "), ended.stderr))
    }

    /// Kills the command at a call: all its files are as before or complete.
    fn check_kill(&self, shim: &Path, kind: &'static str, at: u64) -> Result<(), String> {
        let ended = self.run(shim, Fault { kind, at, how: How::Deadly });
        let mut found = contents(&self.folder.path(""));
        self.restore();
        // A complete file has such a name for the moment in which it replaces another one.
        found.retain(|name, _| !name.rsplit('/').next().is_some_and(|name| name.starts_with(".steinbound-")));
        let judged = self.judge_files(&found);
        let judged = judged.and(if ended.code.is_none() { Ok(()) } else { Err("it was not killed".into()) });
        judged.map_err(|wrong| format!("{} killed at {kind} {at}: {wrong}", self.call.join(" ")))
    }

    fn judge_files(&self, found: &BTreeMap<String, Vec<u8>>) -> Result<(), String> {
        for (name, bytes) in found {
            let (is_old, is_new) =
                (self.before.get(name) == Some(bytes), self.is_as_without_fault(name, bytes));
            if !is_old && !is_new {
                return Err(format!("{name} is half-written, or should not be there"));
            }
        }
        if let Some(lost) = self.before.keys().find(|name| !found.contains_key(*name)) {
            return Err(format!("{lost} is gone"));
        }
        Ok(())
    }

    fn judge(&self, ended: &Ended, found: &BTreeMap<String, Vec<u8>>) -> Result<bool, String> {
        self.judge_files(found)?;
        let code = ended.code.ok_or("a signal")?;
        let is_known =
            |line: &str| ["error: ", "note: ", "warning: "].iter().any(|kind| line.starts_with(kind));
        let errors = ended.stderr.lines().filter(|line| line.starts_with("error: ")).count();
        if !ended.stderr.lines().all(is_known) || ![(0, 0), (1, 1)].contains(&(code, errors)) {
            return Err(format!("exit code {code} with {errors} errors"));
        }
        if code == 0 {
            let is_made =
                |name: &String| found.get(name).is_some_and(|bytes| self.is_as_without_fault(name, bytes));
            // The report of the demonstration is an extra, which is left out with a note.
            let is_left_out = |name: &str| {
                name.starts_with("steinbound-demo") && ended.stderr.contains("no report was left")
            };
            if let Some(missing) = self.after.keys().find(|name| !is_made(name) && !is_left_out(name)) {
                return Err(format!("{missing} was not written"));
            }
            if lasting(&ended.stdout) != self.stdout {
                return Err(format!("another result: {}", ended.stdout));
            }
        }
        Ok(code == 1)
    }
}

fn cases(shim: &Path) -> Vec<Case> {
    let of_kit = calls().into_iter().map(|(name, call)| match name {
        "simulate" | "reproduce" | "boundary" => call,
        _ => [&call[..], &["--format", "json"]].concat(),
    });
    let writers = WRITERS.map(|call| call.split(' ').collect());
    of_kit.chain(writers).map(|call| Case::new(call, shim)).collect()
}

/// Every wrong ending at once: a cause has many.
fn expect_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong endings:\n{}", wrong.len(), wrong.join("\n"));
}

/// A few calls of every kind and command: one somewhere, and for some the last.
#[test]
fn faults_end_in_one_line_and_leave_nothing_behind() {
    let Some(shim) = shim() else { return };
    let mut wrong = Vec::new();
    for (number, case) in cases(shim).iter().enumerate() {
        for kind in KINDS {
            let count = case.count(shim, kind);
            if count == 0 {
                continue;
            }
            let somewhere = 1 + (7 * number as u64 + 3) % count;
            wrong.extend(
                case.check(
                    shim,
                    Fault { kind, at: somewhere, how: if number % 2 == 0 { How::Always } else { How::Once } },
                )
                .err(),
            );
            if number % 3 == 0 {
                wrong.extend(case.check(shim, Fault { kind, at: count, how: How::Once }).err());
            }
        }
    }
    expect_none(&wrong);
}

/// Every call of every kind and command, once alone and once with all that follow it. Prints how many there were and
/// how many of these ended the command.
#[test]
#[ignore = "thousands of runs: make faults"]
fn every_fault_ends_in_one_line_and_leaves_nothing_behind() {
    let Some(shim) = shim() else { return };
    let only = std::env::var("FAULTS_ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    for case in cases(shim) {
        let mut line = format!("{:<40}", case.call.join(" ").chars().take(38).collect::<String>());
        for kind in KINDS.into_iter().filter(|kind| only.is_empty() || only == *kind) {
            let count = case.count(shim, kind);
            let faults =
                (1..=count).flat_map(|at| [How::Once, How::Always].map(|how| Fault { kind, at, how }));
            let checked: Vec<Result<bool, String>> = faults.map(|fault| case.check(shim, fault)).collect();
            let ended = checked.iter().filter(|one| **one != Ok(false)).count();
            line += &format!(" {kind} {}/{ended}", 2 * count);
            wrong.extend(checked.into_iter().filter_map(Result::err));
        }
        println!("{line}");
    }
    expect_none(&wrong);
}

/// A kill at every call that could leave something half-written.
#[test]
#[ignore = "a thousand runs: make faults"]
fn a_kill_at_any_call_leaves_nothing_half_written() {
    let Some(shim) = shim() else { return };
    let (mut wrong, mut runs) = (Vec::new(), 0);
    for case in cases(shim) {
        for kind in ["open", "write", "rename", "sync", "folder"] {
            for at in 1..=case.count(shim, kind) {
                wrong.extend(case.check_kill(shim, kind, at).err());
                runs += 1;
            }
        }
    }
    println!("{runs} kills at calls");
    expect_none(&wrong);
}

/// A clock that jumps by an hour at any of its readings, forward and back, ends nothing and hangs nothing.
#[test]
fn a_clock_that_jumps_is_survived() {
    let Some(shim) = shim() else { return };
    let folder = kit();
    let fit = "fit points.csv --boundary border.csv --known-covariance 1 --time-limit 100000 --bootstrap 40";
    let paper = "reproduce fig9 --trials 2 --output paper";
    let usual = folder.run(&fit.split(' ').collect::<Vec<_>>()).stdout;
    let estimates = |text: &str| text.lines().take(8).map(String::from).collect::<Vec<_>>();
    for at in [1, 2, 3, 5, 8, 13, 21, 34] {
        for (call, how) in [(fit, How::Always), (fit, How::Once), (paper, How::Always)] {
            let _ = std::fs::remove_dir_all(folder.path("paper"));
            let fault = Fault { kind: "clock", at, how };
            let ended = run(shim, &folder.path(""), &call.split(' ').collect::<Vec<_>>(), fault);
            assert_eq!(ended.code, Some(0), "{call}, {fault:?}: {}", ended.stderr);
            assert!(
                call == paper || estimates(&ended.stdout) == estimates(&usual),
                "{fault:?}: {}",
                ended.stdout
            );
        }
        // A limit that the jump passes ends the run with the exit code of a limit.
        let short = fit.replace("100000", "600");
        let fault = Fault { kind: "clock", at, how: How::Once };
        let ended = run(shim, &folder.path(""), &short.split(' ').collect::<Vec<_>>(), fault);
        assert!([Some(0), Some(3)].contains(&ended.code), "{fault:?}: {}", ended.stderr);
    }
}

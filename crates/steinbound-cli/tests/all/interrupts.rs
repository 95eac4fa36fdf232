//! Ctrl-C ends a command at once, with a word on what was kept, and leaves nothing half-written.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Folder, disc};

/// Whether commands can be started so that Ctrl-C is not ignored, for which older versions of `env` have no
/// option.
fn can_start() -> bool {
    let env = Command::new("env").args(["--default-signal=INT", "true"]).stderr(Stdio::null()).status();
    let is_able = env.is_ok_and(|status| status.success());
    if !is_able {
        eprintln!("skipped: env has no option --default-signal");
    }
    is_able
}

/// Starts the command in a folder, until it listens. A test run in the background may ignore Ctrl-C, which
/// its children would inherit.
fn start(folder: &Folder, arguments: &[&str]) -> Child {
    let child = Command::new("env")
        .arg("--default-signal=INT")
        .arg(assert_cmd::cargo::cargo_bin("steinbound"))
        .args(arguments)
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for("it listens", || treats_interrupts(&child, "SigCgt:"));
    child
}

/// Whether a process has Ctrl-C among the signals on a line of its status.
fn treats_interrupts(child: &Child, line: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let mask = status.lines().find_map(|found| found.strip_prefix(line));
    mask.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 2 != 0)
}

/// Waits until something is so, which on a busy machine may take a while.
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(30), "not within half a minute: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Sends what Ctrl-C sends; how long it took until the process was gone, and what it said if that was what
/// ended it.
fn interrupt(child: Child) -> (Duration, Option<String>) {
    let sent = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let (code, signal) = (output.status.code(), output.status.signal());
    assert!([(Some(0), None), (None, Some(2))].contains(&(code, signal)), "{:?} {said}", output.status);
    (sent.elapsed(), signal.map(|_| said))
}

#[test]
fn a_long_fit_ends_at_once() {
    if !can_start() {
        return;
    }
    let folder = Folder::new();
    let domain = ["--domain", "ball(radius=1.4)"];
    let said = folder.run(&[&["simulate", "-n", "150000", "--output", "data.csv"], &domain[..]].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    // On one core it would take a quarter of a minute, however many there are.
    let fit = ["fit", "data.csv", "--method", "tksd", "--compute", "tiled", "--threads", "1"];
    let child = start(&folder, &[&fit, &domain[..]].concat());
    std::thread::sleep(Duration::from_millis(500));
    let (took, said) = interrupt(child);
    assert_eq!(said.expect("the fit was over before it was interrupted"), NOTHING);
    assert!(took < AT_ONCE, "{took:?}");
}

/// Nobody looks whether Ctrl-C was pressed while a table is read, so nobody is waited for.
#[test]
fn reading_ends_at_once() {
    if !can_start() {
        return;
    }
    let folder = Folder::new();
    let mut child = start(&folder, &["fit", "-", "--method", "tksd", "--domain", "ball(radius=1.4)"]);
    // More than a pipe holds: when all of it is written, the command is reading.
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all("0.1,0.2\n".repeat(100_000).as_bytes()).unwrap();
    let (took, said) = interrupt(child);
    drop(pipe);
    assert_eq!(said.expect("it was interrupted"), NOTHING);
    assert!(took < PATIENCE, "{took:?}");
}

/// What is at once, on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(10);

/// So long whoever looks for Ctrl-C may take; after that a command is ended without being asked.
const PATIENCE: Duration = Duration::from_secs(2);

const NOTHING: &str = "interrupted: there is no result, and nothing is half-written\n";

/// A command whose draws take long stops between two batches of them.
#[test]
fn long_bootstraps_end_soon() {
    if !can_start() {
        return;
    }
    let folder = disc(400, 32, 1);
    let boundary =
        ["data.csv", "--domain", "ball(radius=1.4)", "--known-covariance", "1", "--bootstrap", "1000000"];
    for (command, more) in [("fit", &[][..]), ("test", &["--at", "0,0"]), ("compare", &["--test"])] {
        let child = start(&folder, &[&[command], &boundary[..], more].concat());
        std::thread::sleep(Duration::from_millis(400));
        let (took, said) = interrupt(child);
        let said = said.unwrap_or_else(|| panic!("{command} was over before it was interrupted"));
        assert_eq!(said.matches("interrupted").count(), 1, "{command}: {said}");
        assert!(said.ends_with(NOTHING), "{command}: {said}");
        // Later it would have been ended without being asked.
        assert!(took < PATIENCE, "{command}: {took:?}");
    }
}

/// Finished trials are kept, and the message says how to go on with them.
#[test]
fn a_reproduction_says_what_was_kept() {
    if !can_start() {
        return;
    }
    let folder = Folder::new();
    let call = ["reproduce", "fig2", "--trials", "64", "--output", "paper", "--threads", "1"];
    let child = start(&folder, &call);
    wait_for("there is a journal", || folder.path("paper/journal.txt").exists());
    let (_, said) = interrupt(child);
    assert_eq!(
        said.expect("it was over before it was interrupted"),
        "interrupted: finished trials are kept in paper; the same command with --resume goes on with them\n"
    );
}

/// A script that starts something in the background means it to go on: the shell has Ctrl-C ignored there.
#[test]
fn what_ignores_interrupts_goes_on_ignoring_them() {
    let folder = disc(400, 32, 1);
    let binary = assert_cmd::cargo::cargo_bin("steinbound");
    let line = format!(
        "trap '' INT; exec '{}' test data.csv --boundary edge.csv --known-covariance 1 --at 0.5,0.5 --bootstrap 3000",
        binary.display()
    );
    let child = Command::new("sh")
        .args(["-c", &line])
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for("Ctrl-C is ignored", || treats_interrupts(&child, "SigIgn:"));
    std::thread::sleep(Duration::from_millis(150));
    assert_eq!(interrupt(child).1, None);
}

/// Whenever it is interrupted, the folder is as it was or has the whole file.
#[test]
fn an_interrupted_command_leaves_no_half_written_file() {
    if !can_start() {
        return;
    }
    const LINES: usize = 1_000_000;
    let (count, mut interrupted) = (LINES.to_string(), 0);
    for milliseconds in [50, 150, 250, 350, 450] {
        let folder = Folder::new();
        let arguments = ["simulate", "--domain", "interval(-1, 1)", "-n", &count, "--output", "data.csv"];
        let child = start(&folder, &arguments);
        std::thread::sleep(Duration::from_millis(milliseconds));
        let (took, said) = interrupt(child);
        assert!(took < AT_ONCE, "{took:?}");
        match folder.names().as_slice() {
            [] => {}
            [name] if name == "data.csv" => {
                let text = std::fs::read_to_string(folder.path("data.csv")).unwrap();
                assert_eq!(text.lines().count(), 1 + LINES);
            }
            other => panic!("after {milliseconds} ms: {other:?}"),
        }
        interrupted += usize::from(said.is_some_and(|said| said == NOTHING));
    }
    assert!(interrupted > 0, "it was over before it was interrupted");
}

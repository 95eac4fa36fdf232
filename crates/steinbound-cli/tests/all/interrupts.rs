//! Ctrl-C ends a command at once, and leaves nothing half-written.
#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::Folder;

/// Starts the command in a folder. A test run in the background may ignore Ctrl-C, which its children would inherit.
fn start(folder: &Folder, arguments: &[&str]) -> Child {
    Command::new("env")
        .arg("--default-signal=INT")
        .arg(assert_cmd::cargo::cargo_bin("steinbound"))
        .args(arguments)
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Sends what Ctrl-C sends; how long it took until the process was gone, and whether the signal was what ended it.
fn interrupt(mut child: Child) -> (Duration, bool) {
    use std::os::unix::process::ExitStatusExt;
    let sent = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    (sent.elapsed(), status.signal() == Some(2))
}

#[test]
fn a_long_fit_ends_at_once() {
    let folder = Folder::new();
    let domain = ["--domain", "ball(radius=1.4)"];
    let said = folder.run(&[&["simulate", "-n", "150000", "--output", "data.csv"], &domain[..]].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    let child = start(&folder, &[&["fit", "data.csv", "--compute", "tiled"], &domain[..]].concat());
    std::thread::sleep(Duration::from_millis(500));
    let (took, was_interrupted) = interrupt(child);
    assert!(was_interrupted, "the fit was over before it was interrupted");
    assert!(took < Duration::from_secs(1), "{took:?}");
}

/// Whenever it is interrupted, the folder is as it was or has the whole file.
#[test]
fn an_interrupted_command_leaves_no_half_written_file() {
    const LINES: usize = 1_000_000;
    let (count, mut interrupted) = (LINES.to_string(), 0);
    for milliseconds in [50, 150, 250, 350, 450] {
        let folder = Folder::new();
        let arguments = ["simulate", "--domain", "interval(-1, 1)", "-n", &count, "--output", "data.csv"];
        let child = start(&folder, &arguments);
        std::thread::sleep(Duration::from_millis(milliseconds));
        let (took, was_interrupted) = interrupt(child);
        assert!(took < Duration::from_secs(1), "{took:?}");
        match folder.names().as_slice() {
            [] => {}
            [name] if name == "data.csv" => {
                let text = std::fs::read_to_string(folder.path("data.csv")).unwrap();
                assert_eq!(text.lines().count(), 1 + LINES);
            }
            other => panic!("after {milliseconds} ms: {other:?}"),
        }
        interrupted += usize::from(was_interrupted);
    }
    assert!(interrupted > 0, "it was over before it was interrupted");
}

//! What is different on a terminal: colours, wrapped messages, pictures. Python's `pty` is the terminal.
#![cfg(target_os = "linux")]

use std::process::Command;

use crate::common::Folder;
use crate::kit::kit;
use crate::shells::has;

const TERMINAL: &str = "
import fcntl, os, pty, struct, sys, termios
columns, command = int(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    os.execv(command[0], command)
while True:
    try:
        text = os.read(terminal, 65536)
    except OSError:
        break
    if not text:
        break
    sys.stdout.buffer.write(text)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
";

/// Whether there is a terminal to show something.
fn has_terminal() -> bool {
    let is_there = has("python3");
    if !is_there {
        eprintln!("skipped: the terminal needs python3");
    }
    is_there
}

/// What a terminal of so many columns shows, with environment variables.
fn shown(folder: &Folder, columns: usize, variables: &[(&str, &str)], arguments: &[&str]) -> (i32, String) {
    let output = Command::new("python3")
        .args(["-c", TERMINAL, &columns.to_string()])
        .arg(assert_cmd::cargo::cargo_bin("steinbound"))
        .args(arguments)
        .env("TERM", "xterm")
        .env_remove("CI")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR")
        .envs(variables.iter().copied())
        .current_dir(folder.path(""))
        .output()
        .expect("python3 makes the terminal");
    let text = String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n");
    (output.status.code().unwrap(), text)
}

const SPARSE: [&str; 8] =
    ["fit", "points.csv", "--boundary", "border.csv", "--known-covariance", "1", "--bandwidth", "0.05"];

#[test]
fn terminals_get_colours_pictures_and_wrapped_messages() {
    if !has_terminal() {
        return;
    }
    let folder = kit();
    let (code, text) = shown(&folder, 60, &[], &SPARSE);
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with("\u{1b}[1m\u{1b}[33mwarning\u{1b}[0m: the boundary points"), "{text}");
    assert!(text.contains("\u{1b}[1mparameter  estimate"), "{text}");
    assert!(text.contains("+ boundary points   X fitted mean\n"), "{text}");
    // Lines without codes of colours.
    let wrapped: Vec<&str> = text.lines().skip(1).take_while(|line| line.starts_with("  ")).collect();
    assert!(wrapped.len() > 1 && wrapped.iter().all(|line| line.chars().count() <= 60), "{wrapped:?}");
    let (_, verbose) = shown(&folder, 60, &[], &[&SPARSE[..], &["--verbose"]].concat());
    assert!(verbose.contains("\u{1b}[2mnote: "), "{verbose}");
    let (code, refusal) = shown(&folder, 60, &[], &["fit", "nowhere.csv"]);
    assert_eq!(code, 2);
    assert!(refusal.starts_with("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: cannot read"), "{refusal:?}");
}

#[test]
fn colours_can_be_turned_off() {
    if !has_terminal() {
        return;
    }
    let folder = kit();
    for variables in [&[("NO_COLOR", "1")][..], &[("CLICOLOR", "0")], &[("TERM", "dumb"), ("CI", "true")]] {
        let (code, text) = shown(&folder, 60, variables, &SPARSE);
        assert_eq!(code, 0);
        assert!(!text.contains('\u{1b}'), "{variables:?}: {text}");
        assert!(text.contains("X fitted mean"), "{variables:?}: pictures are no colours");
        let (_, refusal) = shown(&folder, 60, variables, &["fit", "--nonsense"]);
        assert!(!refusal.contains('\u{1b}'), "{variables:?}: {refusal}");
    }
}

#[test]
fn json_and_quiet_runs_are_never_decorated() {
    if !has_terminal() {
        return;
    }
    let folder = kit();
    let (_, json) = shown(&folder, 60, &[], &[&SPARSE[..], &["--format", "json", "--quiet"]].concat());
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
    let (_, quiet) = shown(&folder, 60, &[], &[&SPARSE[..], &["--quiet"]].concat());
    assert!(quiet.trim_end().ends_with('s') && !quiet.contains("fitted mean"), "{quiet}");
    let (_, never) = shown(&folder, 60, &[], &[&SPARSE[..], &["--terminal-plot", "never"]].concat());
    assert!(!never.contains("fitted mean"), "{never}");
}

#[test]
fn pictures_are_drawn_when_asked_for() {
    let folder = kit();
    let drawn = |arguments: &[&str]| {
        let said = folder.run(&[arguments, &["--terminal-plot", "always"]].concat());
        assert_eq!(said.code, 0, "{}", said.stderr);
        let table = folder.run(arguments).stdout;
        let lines = |text: &str| text.lines().count();
        let picture: Vec<String> = said.stdout.lines().skip(lines(&table)).map(str::to_string).collect();
        assert!(picture.len() <= 21 && picture[0].is_empty(), "{picture:?}");
        assert!(picture.iter().all(|line| line.chars().count() <= 80), "{picture:?}");
        picture
    };
    let line = drawn(&["fit", "waits.csv", "--domain", "interval(0, 5)"]);
    assert!(line.concat().contains('█') && line.concat().contains('•'), "{line:?}");
    assert_eq!(line[line.len() - 1], "█ data: x1   • fitted density inside the boundary");
    assert!(line[line.len() - 2].starts_with('0') && line[line.len() - 2].ends_with("5.000"), "{line:?}");
    let map = drawn(&[
        "fit",
        "places.csv",
        "--boundary",
        "country.geojson",
        "--project",
        "--covariance",
        "diagonal",
    ]);
    assert!(map[map.len() - 1].contains(". inside"), "{map:?}");
    let modes = ["fit", "modes.csv", "--domain", "box(low=-3, high=3)", "--boundary-points", "100"];
    let modes = drawn(
        &[&modes[..], &["--model", "gaussian-mixture", "--components", "2", "--known-covariance", "1"]]
            .concat(),
    );
    assert_eq!(modes[..modes.len() - 1].concat().matches('X').count(), 2, "{modes:?}");
    let test = [
        "test",
        "points.csv",
        "--domain",
        "ball(radius=1.44)",
        "--known-covariance",
        "1",
        "--bootstrap",
        "99",
    ];
    let test = drawn(&test);
    assert!(test.iter().any(|line| line.contains("squared discrepancy 0.")), "{test:?}");
    // There is nothing to draw in three dimensions, and never in JSON.
    folder
        .write("three.csv", "1,2,3\n2,1,5\n3,3,1\n4,2,2\n0,1,1\n5,0,4\n2,6,3\n1,5,5\n3,1,0\n2,2,6\n4,4,3\n");
    let said = folder.run(&["fit", "three.csv", "--method", "mle", "--terminal-plot", "always"]);
    assert!(said.code == 0 && said.stdout.trim_end().ends_with('s'), "{}", said.stdout);
    let json = ["fit", "waits.csv", "--method", "mle", "--terminal-plot", "always", "--format", "json"];
    let said = folder.run(&json);
    assert!(said.stderr.contains("--terminal-plot has no effect with --format json"), "{}", said.stderr);
    said.json();
}

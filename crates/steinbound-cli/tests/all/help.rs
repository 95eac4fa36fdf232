//! What `--help` says is true: its examples work, its lines fit, and everything is told.

use std::process::Command;

use crate::common::Folder;
use crate::kit::{calls, kit};

/// The names of all commands, as the help lists them.
fn commands() -> Vec<String> {
    let help = Folder::new().run(&["--help"]).stdout;
    let listed = help.split_once("Commands:\n").unwrap().1.lines().take_while(|line| !line.is_empty());
    // Lines of a longer description are indented further.
    let names =
        listed.filter(|line| !line.starts_with("   ")).map(|line| line.split_whitespace().next().unwrap());
    names.map(str::to_string).filter(|name| name != "help").collect()
}

fn help(folder: &Folder, arguments: &[&str], columns: usize) -> String {
    let said = folder.run_with(&[("COLUMNS", &columns.to_string())], arguments);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{arguments:?}");
    said.stdout
}

/// The examples at the end of a help, each on one line.
fn examples(help: &str) -> Vec<String> {
    let text = help.split_once("\nExamples:\n").expect("examples").1.replace("\\\n", " ");
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with("steinbound"));
    lines.map(str::to_string).collect()
}

/// Runs the examples of a command as a shell would.
#[track_caller]
fn run_examples(command: &str) {
    run_examples_of(&[command, "--help"]);
}

#[track_caller]
fn run_examples_of(arguments: &[&str]) {
    let folder = kit();
    let help = help(&folder, arguments, 110);
    let examples = examples(&help);
    assert!((4..=8).contains(&examples.len()), "{arguments:?}: {examples:?}");
    let binary = assert_cmd::cargo::cargo_bin("steinbound");
    let path = std::env::join_paths(
        [binary.parent().unwrap().to_path_buf()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    for example in examples {
        // All figures take minutes with all their trials, and half a minute with few.
        let line = example.replace("reproduce all", "reproduce fig10");
        let said = Command::new("sh")
            .args(["-c", &line])
            .current_dir(folder.path(""))
            .env("PATH", path.as_ref().unwrap())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&said.stderr);
        assert!(matches!(said.status.code(), Some(0 | 3)), "{example}: {:?} {stderr}", said.status);
        assert!(!stderr.contains("has no effect"), "{example}: {stderr}");
    }
}

#[test]
fn examples_of_fit() {
    run_examples("fit");
}

#[test]
fn examples_of_measures() {
    run_examples("discrepancy");
    run_examples("witness");
    run_examples("compare");
}

#[test]
fn examples_of_the_whole() {
    run_examples_of(&["--help"]);
}

#[test]
fn examples_of_regress() {
    run_examples("regress");
}

#[test]
fn examples_of_test() {
    run_examples("test");
}

#[test]
fn examples_of_samples() {
    run_examples("simulate");
    run_examples("boundary");
    run_examples("demo");
}

#[test]
fn examples_of_reproduce() {
    run_examples("reproduce");
}

#[test]
fn examples_of_the_shell() {
    run_examples("completions");
    run_examples("man");
    let tested = ["fit", "discrepancy", "witness", "compare", "regress", "test", "simulate", "boundary"];
    let tested = [&tested[..], &["reproduce", "demo", "completions", "man"]].concat();
    let mut known = commands();
    known.sort_unstable();
    let mut expected = tested;
    expected.sort_unstable();
    assert_eq!(known, expected, "every command has its examples run");
}

#[test]
fn lines_fit_and_options_have_headings() {
    let folder = Folder::new();
    for command in commands() {
        for columns in [80, 110] {
            for length in ["-h", "--help"] {
                let text = help(&folder, &[&command, length], columns);
                for line in text.lines() {
                    assert!(line.chars().count() <= columns, "{command} {length} at {columns}: {line}");
                }
                assert!(!text.contains("\nOptions:"), "{command}: an option without a heading");
                assert!(text.contains("\nGeneral:\n"), "{command}");
            }
            let text = help(&folder, &[&command, "--help"], columns);
            let examples = text.split_once("\nExamples:\n").unwrap().1;
            for line in examples.lines().take_while(|line| !line.is_empty()) {
                assert!(line.starts_with("  "), "{command} breaks an example at {columns}: {line}");
            }
        }
    }
    let fit = help(&folder, &["fit", "--help"], 80);
    let headings: Vec<&str> =
        fit.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).collect();
    let expected =
        ["Data", "Region", "Model", "Method", "Computation", "Inference", "Output", "General", "Examples"];
    assert_eq!(headings, expected.map(|name| format!("{name}:")));
}

/// The short help lists the same options as the long one, in few lines.
#[test]
fn the_short_help_is_short_and_complete() {
    let folder = Folder::new();
    let options = |text: &str| -> Vec<String> {
        let text = text.split("\nExamples:").next().unwrap();
        let words =
            text.lines().filter(|line| line.starts_with("      --")).map(|line| line.trim().to_string());
        words.map(|line| line.split_whitespace().next().unwrap().to_string()).collect()
    };
    for (command, _) in calls() {
        let (short, long) = (help(&folder, &[command, "-h"], 110), help(&folder, &[command, "--help"], 110));
        assert_eq!(options(&short), options(&long), "{command}");
        assert!(short.lines().count() < long.lines().count() && short.lines().count() < 120, "{command}");
        assert!(short.contains(&format!("steinbound help {command}")), "{command}");
    }
}

/// Help lists the names that an option takes, with what they mean.
#[test]
fn names_are_listed_with_their_meaning() {
    let text = help(&Folder::new(), &["fit", "--help"], 110);
    for line in [
        "- truncsm:       truncated score matching; needs distances, has no kernel",
        "- rational-quadratic: a mixture of Gaussians of all widths",
        "- gaussian-mixture: several normal densities; needs the number of components",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}

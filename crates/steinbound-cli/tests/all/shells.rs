//! Completions, manual pages and version.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::Folder;

const COMMANDS: [&str; 12] = [
    "fit",
    "discrepancy",
    "witness",
    "compare",
    "regress",
    "test",
    "simulate",
    "boundary",
    "reproduce",
    "demo",
    "completions",
    "man",
];

/// Whether a program is there to check something with.
pub fn has(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// What a program says of a text on its standard input: exit code and messages.
fn checked(program: &str, arguments: &[&str], text: &str) -> (Option<i32>, String) {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn completions_know_commands_options_and_names() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let said = folder.run(&["completions", shell]);
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{shell}");
        for word in COMMANDS.into_iter().chain(["boundary-sampling", "known-covariance", "resume"]) {
            assert!(said.stdout.contains(word), "{shell} does not know {word}");
        }
        // The scripts for other shells complete options alone.
        let names: &[&str] = match shell {
            "bash" | "zsh" => {
                &["truncated-mle", "rational-quadratic", "gaussian-mixture", "low-rank", "fig10"]
            }
            "fish" => &["truncated-mle", "rational-quadratic", "gaussian-mixture", "low-rank"],
            _ => &[],
        };
        for name in names {
            assert!(said.stdout.contains(name), "{shell} does not know {name}");
        }
        if has(shell) && ["bash", "zsh", "fish"].contains(&shell) {
            assert_eq!(checked(shell, &["-n"], &said.stdout), (Some(0), String::new()), "{shell}");
        }
    }
    folder.run(&["completions", "tcsh"]).expect_refusal(&["invalid value 'tcsh'", "bash"]);
}

/// What bash offers after the start of a command line.
#[test]
fn bash_completes_names() {
    if !has("bash") {
        return;
    }
    let script = Folder::new().run(&["completions", "bash"]).stdout;
    let offered = |words: &[&str]| {
        let list = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let ask = format!(
            "{script}\nCOMP_WORDS=({list}); COMP_CWORD={}; _steinbound steinbound '{last}' '{before}'; echo \"${{COMPREPLY[@]}}\"",
            words.len() - 1
        );
        let output = Command::new("bash").args(["--norc", "-c", &ask]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_string()
    };
    assert_eq!(offered(&["steinbound", "discr"]), "discrepancy");
    assert_eq!(offered(&["steinbound", "fit", "--method", "trunc"]), "truncsm truncated-mle");
    assert_eq!(offered(&["steinbound", "fit", "--kernel", "m"]), "matern52");
    assert_eq!(offered(&["steinbound", "reproduce", "fig1"]), "fig1 fig10");
    assert_eq!(offered(&["steinbound", "regress", "--kernel-on", ""]), "product y");
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let folder = Folder::new();
    let main = folder.run(&["man"]);
    assert_eq!((main.code, main.stderr.as_str()), (0, ""));
    for command in COMMANDS {
        assert!(main.stdout.contains(&format!("steinbound\\-{command}(1)")), "{command}");
    }
    assert!(main.stdout.contains(".SH EXAMPLES"));
    let said = folder.run(&["man", "--output", "share/man1"]);
    assert_eq!((said.code, said.stdout.as_str()), (0, "13 pages in share/man1\n"), "{}", said.stderr);
    for command in COMMANDS {
        let page =
            std::fs::read_to_string(folder.path(&format!("share/man1/steinbound-{command}.1"))).unwrap();
        assert!(page.contains(".SH EXAMPLES") && page.contains(".TH"), "{command}");
        if has("groff") {
            // Which warnings there are depends on the version of groff.
            let (code, said) = checked("groff", &["-man", "-ww", "-Tutf8"], &page);
            assert!(code == Some(0) && !said.contains("error"), "{command}: {said}");
        }
    }
    // The same page, whatever machine it is written on.
    let page = std::fs::read_to_string(folder.path("share/man1/steinbound.1")).unwrap();
    assert_eq!(page, main.stdout);
    assert!(!page.contains("avx") || page.contains("STEINBOUND"), "facts of this machine");
    folder.write("taken", "");
    folder.run(&["man", "--output", "taken"]).expect_refusal(&["cannot make the folder taken", "--output"]);
}

#[test]
fn versions_are_short_or_long() {
    let folder = Folder::new();
    let name = format!("steinbound {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(folder.run(&["-V"]).stdout, format!("{name}\n"));
    let long = folder.run_with(&[("STEINBOUND_SIMD", "portable")], &["--version"]).stdout;
    assert_eq!(long.lines().next(), Some(name.as_str()));
    let fact = |what: &str| {
        let line = long.lines().find_map(|line| line.strip_prefix(what));
        line.unwrap_or_else(|| panic!("{what} is not in {long}")).trim().to_string()
    };
    assert!(fact("target").contains('-') && fact("compiler").starts_with("rustc "));
    assert!(["debug", "release"].contains(&fact("profile").as_str()));
    assert_eq!(fact("vector unit"), "portable");
    // Where the tests run in a repository, the commit is one of it.
    let git = Command::new("git").args(["ls-files", "--error-unmatch", "Cargo.toml"]).output();
    if git.is_ok_and(|git| git.status.success()) {
        let commit = fact("commit");
        assert!(commit.len() >= 12 && commit.chars().all(|c| c.is_ascii_hexdigit()), "{commit}");
    }
}

/// Every kind of JSON has a schema, and every schema a kind.
#[test]
fn the_version_names_the_schemas() {
    let long = Folder::new().run(&["--version"]).stdout;
    let named: Vec<&str> =
        long.lines().find_map(|line| line.strip_prefix("JSON")).unwrap().split_whitespace().collect();
    let mut found: Vec<String> = steinbound_campaign::schema::Schemas::load()
        .unwrap()
        .results()
        .map(|name| format!("{name}/1"))
        .collect();
    found.sort_unstable();
    assert_eq!(named, found);
}

//! The page of the book that has the help of every command.

use crate::common::Folder;
use crate::pages;

const PAGE: &str = "docs/src/reference.md";

/// What stands before the commands.
const INTRODUCTION: &str = "# Command-line reference

<!-- Made by `make reference` from the help of the command. -->

What `steinbound --help` and `steinbound COMMAND --help` print.
";

/// The help, as wide as a page.
fn help(arguments: &[&str]) -> String {
    let said = Folder::new().run_with(&[("COLUMNS", "100"), ("NO_COLOR", "1")], arguments);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{arguments:?}");
    let lines: Vec<&str> = said.stdout.trim_end().lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// The names under `Commands:` in a help text.
fn commands(help: &str) -> Vec<&str> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let list = list.take_while(|line| !line.is_empty());
    let names = list.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}

fn reference() -> String {
    let all = help(&["--help"]);
    let mut page = format!("{INTRODUCTION}\n```text\n{all}\n```\n");
    let names = commands(&all);
    assert!(names.contains(&"fit") && names.contains(&"demo"), "{names:?}");
    for name in names {
        page += &format!("\n## {name}\n\n```text\n{}\n```\n", help(&[name, "--help"]));
    }
    page
}

#[test]
fn the_reference_is_the_help() {
    let written = std::fs::read_to_string(pages::root().join(PAGE)).unwrap();
    let now = reference();
    for (number, (written, now)) in written.lines().zip(now.lines()).enumerate() {
        assert_eq!(written, now, "{PAGE}, line {}: run `make reference`", number + 1);
    }
    assert_eq!(written.lines().count(), now.lines().count(), "{PAGE}: run `make reference`");
}

#[test]
#[ignore = "writes docs/src/reference.md; `make reference` runs it"]
fn write_the_reference() {
    std::fs::write(pages::root().join(PAGE), reference()).unwrap();
}

//! Every command that the README and the book show is run, and what they say it prints is what it prints.
//!
//! The commands of a page run in order, in a folder of their own in which `examples` and `crates` are those
//! of the repository. HTML comments before a block say what else is expected:
//!
//! - `exit: 3` before commands: another exit code than 0;
//! - `not run: WHY` before commands that take too long, `needs: WHAT` before commands that are not there yet;
//! - `output` before a block: what the last command wrote to standard output, `messages`: to standard error.
//!   Times and steps may differ, a line `...` stands for lines left out, and of JSON a part may be shown,
//!   with rounded numbers.
#![cfg(unix)]

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::Folder;
use crate::pages::{self, Block, Page};

/// What pages may show before it is there.
const AWAITED: [&str; 3] = ["report", "tables", "shell"];

/// A command that takes longer is marked as not run.
const LONGEST: Duration = Duration::from_secs(60);

#[test]
fn commands_do_what_their_pages_say() {
    let read = read_all();
    let failures: Vec<&String> = read.iter().flat_map(|found| &found.failures).collect();
    assert!(failures.is_empty(), "{}", failures.into_iter().cloned().collect::<Vec<_>>().join("\n\n"));
    let count: usize = read.iter().map(|found| found.count).sum();
    assert!(count > 50, "only {count} commands were found");
}

#[test]
#[ignore = "writes what commands print into the pages; `make shown` runs it"]
fn write_what_commands_print() {
    for found in read_all() {
        let mut lines: Vec<&str> = found.page.text.lines().collect();
        for (fence, said) in found.changed.iter().rev() {
            let length = lines[*fence..].iter().take_while(|line| **line != "```").count();
            lines.splice(*fence..fence + length, said.trim_end().lines().map(str::trim_end));
        }
        if !found.changed.is_empty() {
            std::fs::write(pages::root().join(&found.page.path), lines.join("\n") + "\n").unwrap();
        }
    }
}

/// Runs the commands of all pages, as many pages at once as there are cores.
fn read_all() -> Vec<Found> {
    let pages = Mutex::new(pages::all().into_iter());
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let page = pages.lock().unwrap().next();
                    let Some(page) = page else { break };
                    let started = Instant::now();
                    let found = Reading::new(page).read();
                    let (path, seconds) = (&found.page.path, started.elapsed().as_secs_f64());
                    eprintln!("{path}: {} commands in {seconds:.1} s", found.count);
                    results.lock().unwrap().push(found);
                }
            });
        }
    });
    results.into_inner().unwrap()
}

/// What reading a page found.
struct Found {
    page: Page,
    /// How many commands were run.
    count: usize,
    failures: Vec<String>,
    /// Output that is shown otherwise than it is: the line of the block's fence, counted from one, and the
    /// output.
    changed: Vec<(usize, String)>,
}

struct Said {
    stdout: String,
    stderr: String,
}

/// What the block before showed: nothing to look at, a command that was left out, or what a command said.
enum Last {
    Nothing,
    LeftOut,
    Said(Said),
}

struct Reading {
    folder: Folder,
    last: Last,
    found: Found,
}

impl Reading {
    fn new(page: Page) -> Reading {
        let folder = Folder::new();
        for name in ["examples", "crates"] {
            std::os::unix::fs::symlink(pages::root().join(name), folder.path(name)).unwrap();
        }
        let found = Found { page, count: 0, failures: Vec::new(), changed: Vec::new() };
        Reading { folder, last: Last::Nothing, found }
    }

    fn read(mut self) -> Found {
        for block in self.found.page.blocks() {
            let stream = ["output", "messages"].into_iter().find(|name| block.mark(name).is_some());
            match (block.language.as_str(), stream) {
                ("sh", _) => self.run_all(&block),
                ("text" | "json", Some(stream)) => self.compare(&block, stream),
                (_, Some(_)) => self.fail(&block, "output is shown in a block of text or json"),
                _ => {}
            }
        }
        self.found
    }

    fn fail(&mut self, block: &Block, what: &str) {
        let message = format!("{}, block at line {}: {what}", self.found.page.path, block.line);
        self.found.failures.push(message);
    }

    fn run_all(&mut self, block: &Block) {
        if block.mark("not run") == Some("") {
            self.fail(block, "say why it is not run");
        }
        if let Some(awaited) = block.mark("needs").filter(|what| !AWAITED.contains(what)) {
            self.fail(block, &format!("\"{awaited}\" is not one of {AWAITED:?}"));
        }
        let is_left_out = block.mark("not run").or(block.mark("needs")).is_some();
        let expected: i32 = block.mark("exit").map_or(0, |code| code.parse().unwrap());
        self.last = Last::Nothing;
        for command in block.commands() {
            // What a clone says before the command is installed.
            let command = command.replace("cargo run --release -- ", "steinbound ");
            let runs = ["steinbound ", "gzip ", "sed "].iter().any(|name| command.starts_with(name));
            match (runs, is_left_out) {
                (false, _) => {
                    if let Err(message) = check_other(&command) {
                        self.fail(block, &message);
                    }
                }
                (true, true) => self.last = Last::LeftOut,
                (true, false) => self.run(block, &command, expected),
            }
        }
    }

    fn run(&mut self, block: &Block, command: &str, expected: i32) {
        let binary = Path::new(env!("CARGO_BIN_EXE_steinbound")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let output = assert_cmd::Command::new("sh")
            .args(["-c", command])
            .current_dir(self.folder.path(""))
            .env("PATH", format!("{}:{path}", binary.display()))
            .timeout(LONGEST)
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let said = Said { stdout: text(output.stdout), stderr: text(output.stderr) };
        if output.status.code() != Some(expected) {
            let code = output.status.code();
            self.fail(block, &format!("{command}\nended with {code:?}, not {expected}:\n{}", said.stderr));
        }
        self.found.count += 1;
        self.last = Last::Said(said);
    }

    fn compare(&mut self, block: &Block, stream: &str) {
        let said = match &self.last {
            Last::LeftOut => return,
            Last::Nothing => return self.fail(block, "output is shown, but no command before it"),
            Last::Said(said) if stream == "output" => &said.stdout,
            Last::Said(said) => &said.stderr,
        };
        let failure = if block.language == "json" {
            match (serde_json::from_str(&block.text), serde_json::from_str(said)) {
                (Ok(shown), Ok(said)) => json_difference(&shown, &said, ""),
                _ => Some(format!("one of these is not JSON:\n{}\n{said}", block.text)),
            }
        } else {
            let shown = comparable(&block.text);
            let differs = !agrees(&shown, &comparable(said));
            if differs && !shown.iter().any(|line| line == "...") {
                self.found.changed.push((block.line, said.clone()));
            }
            differs.then(|| format!("this is not what is shown (`make shown` writes it there):\n{said}"))
        };
        if let Some(failure) = failure {
            self.fail(block, &failure);
        }
    }
}

/// What may differ from machine to machine: times, and the steps of a search, which rounding changes.
const VARYING: [&str; 5] = ["us", "ms", "s", "min", "steps"];

/// Lines without what varies and without the widths that follow from it.
pub fn comparable(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let varies = |at: usize| {
            let unit = words.get(at + 1).map_or("", |word| word.trim_end_matches([',', '.', ')']));
            words[at].trim_start_matches('(').parse::<f64>().is_ok() && VARYING.contains(&unit)
        };
        let is_rule = line.trim_matches('-').is_empty();
        let kept = (0..words.len()).filter(|at| !varies(*at) && (*at == 0 || !varies(at - 1)));
        if is_rule { "-".into() } else { kept.map(|at| words[at]).collect::<Vec<_>>().join(" ") }
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(line).collect()
}

/// Whether lines are those that are shown, in which `...` stands for any number of lines.
fn agrees(shown: &[String], said: &[String]) -> bool {
    match shown.split_first() {
        None => said.is_empty(),
        Some((dots, rest)) if dots == "..." => (0..=said.len()).any(|skipped| agrees(rest, &said[skipped..])),
        Some((line, rest)) => said.first() == Some(line) && agrees(rest, &said[1..]),
    }
}

/// Where JSON that is shown is not part of what was said; times may differ, and numbers by their rounding.
fn json_difference(shown: &Value, said: &Value, place: &str) -> Option<String> {
    match (shown, said) {
        _ if place.contains(".seconds") => None,
        (Value::Object(shown), Value::Object(_)) => shown
            .iter()
            .find_map(|(name, value)| json_difference(value, &said[name], &format!("{place}.{name}"))),
        (Value::Array(shown), Value::Array(said)) if shown.len() <= said.len() => {
            let pairs = shown.iter().zip(said).enumerate();
            pairs.into_iter().find_map(|(at, (a, b))| json_difference(a, b, &format!("{place}[{at}]")))
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            ((a - b).abs() > 0.01 * b.abs()).then(|| format!("{place} is {b}, not {a}"))
        }
        _ => (shown != said).then(|| format!("{place} is {said}, not {shown}")),
    }
}

/// A command of another program names only what there is: targets, packages, files.
fn check_other(command: &str) -> Result<(), String> {
    let root = pages::root();
    let words: Vec<&str> = command.split('#').next().unwrap_or_default().split_whitespace().collect();
    let exists = |path: &str| root.join(path).exists().then_some(()).ok_or(format!("there is no {path}"));
    let after = |names: [&str; 2]| words.windows(2).find(|pair| names.contains(&pair[0])).map(|pair| pair[1]);
    match words[0] {
        "make" => {
            let makefile = std::fs::read_to_string(root.join("Makefile")).unwrap();
            let has = |target: &&&str| makefile.lines().any(|line| line.starts_with(&format!("{target}:")));
            let targets = words[1..].iter().take_while(|word| !word.contains('='));
            let missing = targets.filter(|word| !word.starts_with('-')).find(|target| !has(target));
            missing.map_or(Ok(()), |target| Err(format!("the Makefile has no target {target}")))
        }
        "cargo" => {
            after(["--path", "--path"]).map_or(Ok(()), exists)?;
            let package = after(["-p", "--package"]);
            package.map_or(Ok(()), |name| exists(&format!("crates/{name}")))?;
            let folder = format!("crates/{}/examples", package.unwrap_or("steinbound"));
            after(["--example", "--example"]).map_or(Ok(()), |name| exists(&format!("{folder}/{name}.rs")))
        }
        "python3" => exists(words.get(1).unwrap_or(&"")),
        "pip" | "git" | "cd" | "source" | "man" => Ok(()),
        other => Err(format!("nobody knows how to check \"{other}\"")),
    }
}

#[test]
fn differences_are_seen() {
    let lines = |text: &str| comparable(text);
    assert_eq!(lines("a   1.5 ms\n\n-----\nb (2 s)"), lines("a 3 ms\n---\nb (7 ms)"));
    assert_ne!(lines("a 1.5"), lines("a 1.6"));
    assert!(agrees(&lines("a\n...\nc"), &lines("a\nb\nb\nc")) && agrees(&lines("a\n..."), &lines("a")));
    assert!(!agrees(&lines("a\n...\nc"), &lines("a\nb")) && !agrees(&lines("a"), &lines("a\nb")));
    let (shown, said) =
        (serde_json::json!({"a": [1.0, "x"]}), serde_json::json!({"a": [1.001, "x", 3], "b": 1}));
    assert_eq!(json_difference(&shown, &said, ""), None);
    assert_eq!(json_difference(&said, &shown, "").unwrap(), ".a is [1.0,\"x\"], not [1.001,\"x\",3]");
    assert!(json_difference(&serde_json::json!({"a": 2}), &serde_json::json!({"a": 1}), "").is_some());
    assert!(check_other("make tset").is_err() && check_other("make test").is_ok());
    assert!(check_other("cargo test -p nothing").is_err() && check_other("rm -rf x").is_err());
}

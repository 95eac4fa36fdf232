//! What a run must have done, whatever it was given.

use serde_json::Value;

use crate::case::Case;
use crate::catalogue::Catalogue;
use crate::normal::normal;
use crate::plausible;
use crate::run::{Limits, Outcome};
use crate::schema::Schemas;

/// Something that a run must not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind, a word or two.
    pub kind: &'static str,
    /// What tells faults of one kind apart.
    pub group: String,
    /// What was seen.
    pub detail: String,
}

impl Fault {
    /// Faults of the same signature are one finding.
    pub fn signature(&self) -> String {
        format!("{}: {}", self.kind, self.group)
    }
}

/// A refusal of small files may take no more than this.
const REFUSAL_SECONDS: f64 = 5.0;
const REFUSAL_MEMORY: u64 = 200 << 20;
/// Files of a run below this are small.
const SMALL: usize = 1 << 20;

/// What ends with exit code 1: the input is right, and something cannot be made of it, or the machine failed.
const NOT_INPUT: [&str; 1] = ["there is nothing to draw here"];

/// The page that `demo` writes without being asked.
const DEMO: &str = "steinbound-demo.html";

/// What the checks need to know.
#[derive(Debug)]
pub struct Checker<'a> {
    /// The commands.
    pub catalogue: &'a Catalogue,
    /// The schemas of results.
    pub schemas: &'a Schemas,
    /// The limits of a run.
    pub limits: Limits,
}

impl Checker<'_> {
    /// All faults of a run.
    pub fn faults(&self, case: &Case, outcome: &Outcome) -> Vec<Fault> {
        let mut found = Vec::new();
        let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
        let group = |what: &str| format!("{} {what}", case.command).trim_end().to_string();
        let mut tell = |kind: &'static str, group: String, detail: &str| {
            found.push(Fault { kind, group, detail: detail.chars().take(600).collect() });
        };
        if stderr.contains("panicked") {
            let place =
                stderr.split("panicked at ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or_default();
            tell("panic", place.rsplit_once(':').map_or(place, |(place, _)| place).to_string(), &stderr);
            return found;
        }
        if outcome.is_late && asks_much(case) {
            return found;
        }
        if outcome.is_late {
            tell("late", group(&main_choices(case)), &format!("it took more than {} s", self.limits.seconds));
            return found;
        }
        if let Some(signal) = outcome.signal {
            tell("signal", group(&format!("{signal} {}", last_line(&stderr))), &stderr);
            return found;
        }
        let code = outcome.code.unwrap_or(-1);
        match code {
            0 | 2 | 3 => {}
            1 if NOT_INPUT.iter().any(|sentence| stderr.contains(sentence)) => {}
            1 => tell("exit 1", group(&last_line(&stderr)), &stderr),
            _ => tell("exit code", group(&format!("{code} {}", last_line(&stderr))), &stderr),
        }
        if std::str::from_utf8(&outcome.stderr).is_err() {
            tell("messages are not UTF-8", group(""), &stderr);
        }
        if code == 2 {
            messages(&stderr, outcome, &group, &mut tell);
            if case.size() < SMALL && outcome.peak > REFUSAL_MEMORY {
                let detail = format!("{} MB for {} bytes: {stderr}", outcome.peak >> 20, case.size());
                tell("refusal takes memory", group(&last_line(&stderr)), &detail);
            }
            if case.size() < SMALL && outcome.busy() > REFUSAL_SECONDS {
                let detail = format!("{:.1} s for {} bytes: {stderr}", outcome.busy(), case.size());
                tell("refusal takes time", group(&last_line(&stderr)), &detail);
            }
        }
        hidden("a message", &stderr, &str::to_string, &mut tell);
        self.files(case, outcome, &mut tell);
        if code == 0 || code == 3 {
            self.results(case, outcome, code, &mut tell);
        }
        found
    }

    /// Inputs are as before, outputs are complete, and there is nothing else.
    fn files(&self, case: &Case, outcome: &Outcome, tell: &mut dyn FnMut(&'static str, String, &str)) {
        for file in &case.files {
            if outcome.files.get(&file.name) != Some(&file.bytes) {
                tell("an input changed", format!("{} {}", case.command, file.name), &file.name);
            }
        }
        let options = self.catalogue.find(&case.command).into_iter().flat_map(|command| command.options());
        let outputs: Vec<&str> = options
            .filter(|option| option.is_output())
            .filter_map(|option| case.value(&option.name))
            .collect();
        let is_folder = matches!(case.command.as_str(), "reproduce" | "man");
        for (name, bytes) in &outcome.files {
            if case.files.iter().any(|file| file.name == *name) {
                continue;
            }
            let is_asked = outputs.iter().any(|output| output.trim_start_matches("./") == name) || is_folder;
            let is_temporary =
                name.rsplit('/').next().is_some_and(|name| name.starts_with('.')) || name.contains("tmp");
            let is_known = case.command == "demo" && name == DEMO;
            if !(is_asked || is_known) || is_temporary {
                tell("debris", format!("{} {}", case.command, normal(name)), name);
            }
            if outcome.code == Some(2) {
                tell("output in spite of a refusal", format!("{} {}", case.command, extension(name)), name);
            }
            for mistake in whole(name, bytes) {
                tell(
                    "output",
                    format!("{} {} {mistake}", case.command, extension(name)),
                    &format!("{name}: {mistake}"),
                );
            }
        }
        // Where the time was over before there was a result.
        let is_without_result = String::from_utf8_lossy(&outcome.stderr).contains("error: ");
        for output in outputs.iter().filter(|output| **output != "-" && !is_folder) {
            let is_there = outcome.files.contains_key(output.trim_start_matches("./"));
            if matches!(outcome.code, Some(0 | 3))
                && !is_there
                && !output.starts_with("/dev/")
                && !is_help(case)
                && !is_without_result
            {
                tell("no output", format!("{} {}", case.command, extension(output)), output);
            }
        }
    }

    /// Standard output is what was asked for, and can be right.
    fn results(
        &self,
        case: &Case,
        outcome: &Outcome,
        code: i32,
        tell: &mut dyn FnMut(&'static str, String, &str),
    ) {
        let command = &case.command;
        let Ok(stdout) = std::str::from_utf8(&outcome.stdout) else {
            return tell("standard output is not UTF-8", command.clone(), "");
        };
        if matches!(command.as_str(), "completions" | "man") || is_help(case) {
            return;
        }
        let asks_json = case.arguments.iter().rfind(|argument| argument.name == "--format");
        if asks_json.is_some_and(|argument| argument.value.as_deref() == Some("json")) {
            if stdout.is_empty() && code == 3 {
                return;
            }
            let value: Value = match serde_json::from_str(stdout) {
                Ok(value) => value,
                Err(error) => {
                    return tell("JSON", format!("{command} {}", normal(&error.to_string())), stdout);
                }
            };
            for mistake in self.schemas.mistakes_of_result(&value).iter().take(3) {
                tell("schema", format!("{command} {}", of_schema(mistake)), mistake);
            }
            for (kind, detail) in plausible::contradictions(&value) {
                tell("nonsense", format!("{command} {kind}"), &detail);
            }
            let has_warnings = value["warnings"].as_array().is_some_and(|list| !list.is_empty());
            if code == 0 && !has_warnings {
                for doubt in plausible::doubts(case, &value) {
                    tell("nonsense", format!("{command} {}", doubt.0), &doubt.1);
                }
            }
            return;
        }
        hidden("standard output", stdout, &|what| format!("{command} {what}"), tell);
        let is_typed = |word: &str| case.words().iter().any(|typed| typed == word);
        let words = stdout.split_whitespace().filter(|word| !is_typed(word));
        if code == 0
            && let Some(word) =
                words.clone().find(|word| matches!(*word, "NaN" | "nan" | "inf" | "-inf" | "+-inf"))
        {
            let line = stdout.lines().find(|line| line.contains(word)).unwrap_or_default();
            tell("not finite", format!("{command} {}", normal(line)), line);
        }
    }
}

/// A refusal is one message and nothing else on standard output.
fn messages(
    stderr: &str,
    outcome: &Outcome,
    group: &dyn Fn(&str) -> String,
    tell: &mut dyn FnMut(&'static str, String, &str),
) {
    let errors = stderr.lines().filter(|line| line.starts_with("error: ")).count();
    if errors != 1 {
        tell("not one message", group(&format!("{errors}")), stderr);
    }
    if !outcome.stdout.is_empty() {
        tell("a refusal prints", group(&last_line(stderr)), &String::from_utf8_lossy(&outcome.stdout));
    }
    if stderr.len() > 3000 {
        tell("a long message", group(&last_line(stderr)), stderr);
    }
}

/// Characters that do not show, or that turn the direction of writing.
fn hidden(
    what: &str,
    text: &str,
    group: &dyn Fn(&str) -> String,
    tell: &mut dyn FnMut(&'static str, String, &str),
) {
    let is_hidden = |letter: char| {
        (letter.is_control() && letter != '\n')
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    if let Some(line) = text.lines().find(|line| line.chars().any(is_hidden)) {
        let kind = if line.chars().any(|letter| letter.is_control()) { "control" } else { "invisible" };
        let escaped: String = line.escape_debug().collect();
        let form: String = normal(line).chars().take(40).collect();
        tell("hidden characters", group(&format!("{what} {kind} {form}")), &escaped);
    }
}

/// What shows that a file is not whole.
fn whole(name: &str, bytes: &[u8]) -> Vec<String> {
    let text = || String::from_utf8_lossy(bytes);
    let mut found = Vec::new();
    let mut hold = |is_right: bool, mistake: &str| {
        if !is_right {
            found.push(mistake.to_string());
        }
    };
    match extension(name) {
        "svg" => {
            hold(text().trim_end().ends_with("</svg>"), "is cut off");
            hold(
                !text().chars().any(|letter| letter.is_control() && !"\n\t\r".contains(letter)),
                "has control characters",
            );
        }
        "html" => {
            hold(text().trim_end().ends_with("</html>"), "is cut off");
            hold(!text().contains("<script>alert"), "runs what a name holds");
        }
        "png" => hold(bytes.starts_with(b"\x89PNG") && bytes.ends_with(b"IEND\xaeB`\x82"), "is cut off"),
        "csv" if !name.contains('/') => {
            let text = text();
            hold(text.ends_with('\n'), "ends within a line");
            let cells = text.lines().skip(1).flat_map(|line| line.split(','));
            let is_number = |cell: &str| cell.parse::<f64>().is_ok_and(f64::is_finite);
            hold(
                cells.filter(|cell| !cell.is_empty()).all(is_number),
                "has a value that is no finite number",
            );
        }
        _ => hold(!bytes.is_empty(), "is empty"),
    }
    found
}

/// Whether help or the version may be asked for, by an option or in place of a value.
fn is_help(case: &Case) -> bool {
    let is_asked = |word: &String| ["-h", "-V"].iter().any(|name| word.starts_with(name));
    case.words().iter().any(|word| is_asked(word) || ["--help", "--version"].contains(&word.as_str()))
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// The place of a mistake without the numbers of items, and the rule; not the value.
fn of_schema(mistake: &str) -> String {
    let (place, rest) = mistake.split_once(": ").unwrap_or((mistake, ""));
    let parts = place.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    let rule = [" is not ", " is none of "].iter().find_map(|words| rest.rfind(words).map(|at| &rest[at..]));
    format!("{}{}", parts.collect::<String>(), rule.unwrap_or(rest)).chars().take(150).collect()
}

/// The message that ends a run, in its general form.
fn last_line(stderr: &str) -> String {
    let lines = || stderr.lines().filter(|line| !line.trim().is_empty());
    let line = lines().rfind(|line| line.starts_with("error: ")).or_else(|| lines().next_back());
    normal(line.unwrap_or_default()).chars().take(90).collect()
}

/// Whether the command asks for more than a thousand of something, which takes what it takes.
fn asks_much(case: &Case) -> bool {
    const COUNTS: [&str; 5] = ["--bootstrap", "-n", "--grid", "--trials", "--boundary-points"];
    let counts = case.arguments.iter().filter(|argument| COUNTS.contains(&argument.name.as_str()));
    counts.filter_map(|argument| argument.value.as_ref()?.parse::<f64>().ok()).any(|count| count > 1000.0)
}

/// What a command is mostly about, where there is no message.
fn main_choices(case: &Case) -> String {
    let values = ["--method", "--model", "--domain", "--boundary", "--components", "--tune", "--bootstrap"];
    let given = values.iter().filter_map(|name| {
        let value = case.value(name)?;
        let word: String =
            value.chars().take_while(|letter| letter.is_ascii_alphabetic() || *letter == '-').collect();
        Some(format!("{name} {word}").trim_end().to_string())
    });
    given.collect::<Vec<_>>().join(" ")
}

/// What was new about a run: its exit code, its message, and the kinds of its notes and warnings.
pub fn novelty(case: &Case, outcome: &Outcome) -> String {
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    let mut kinds: Vec<String> = stderr.lines().filter(|line| line.contains(": ")).map(normal).collect();
    kinds.sort();
    kinds.dedup();
    format!("{} {:?} {}", case.command, outcome.code, kinds.join(" / "))
}

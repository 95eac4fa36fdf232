//! One run of the program: its arguments and its files.

use crate::table::Written;

/// An option with or without a value, or a positional argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// The option as it is typed; empty for a positional argument.
    pub name: String,
    /// Its value.
    pub value: Option<String>,
    /// Whether both are one word, with a sign of equality between them.
    pub is_joined: bool,
}

/// A file that is there before the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// The command, its arguments and files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Case {
    /// The name of the command.
    pub command: String,
    /// Its arguments in their order.
    pub arguments: Vec<Argument>,
    /// What is in the folder.
    pub files: Vec<InputFile>,
    /// The file that is given as standard input.
    pub stdin: Option<String>,
    /// The range of each coordinate by its name, where estimates can be held against it: nothing was changed in the
    /// data or in how they are read.
    pub ranges: Vec<(String, [f64; 2])>,
}

impl Case {
    /// A command without arguments.
    pub fn new(command: &str) -> Case {
        Case { command: command.into(), ..Case::default() }
    }

    /// Adds a positional argument.
    pub fn positional(&mut self, value: impl Into<String>) {
        self.arguments.push(Argument { name: String::new(), value: Some(value.into()), is_joined: false });
    }

    /// Adds an option with a value.
    pub fn option(&mut self, name: &str, value: impl Into<String>) {
        self.give(name, Some(value.into()));
    }

    /// Adds an option without a value.
    pub fn flag(&mut self, name: &str) {
        self.give(name, None);
    }

    /// Adds an option.
    pub fn give(&mut self, name: &str, value: Option<String>) {
        self.arguments.push(Argument { name: name.into(), value, is_joined: false });
    }

    /// Whether an option is given.
    pub fn has(&self, name: &str) -> bool {
        self.arguments.iter().any(|argument| argument.name == name)
    }

    /// The value of an option, or of the first positional argument for an empty name.
    pub fn value(&self, name: &str) -> Option<&str> {
        let found = self.arguments.iter().find(|argument| argument.name == name);
        found.and_then(|argument| argument.value.as_deref())
    }

    /// Adds files, and the options that they are read by; returns the name of the first.
    pub fn add(&mut self, files: Vec<Written>) -> String {
        let name = files.first().map_or_else(String::new, |file| file.name.clone());
        for file in files {
            for (name, value) in file.options {
                self.give(name, value);
            }
            self.files.push(InputFile { name: file.name, bytes: file.bytes });
        }
        name
    }

    /// The words after the name of the program.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![self.command.clone()];
        for argument in &self.arguments {
            match (&argument.value, argument.is_joined) {
                (Some(value), true) => words.push(format!("{}={value}", argument.name)),
                _ => {
                    words.extend((!argument.name.is_empty()).then(|| argument.name.clone()));
                    words.extend(argument.value.clone());
                }
            }
        }
        // No system passes this.
        words.retain(|word| !word.contains('\0'));
        words
    }

    /// The command for a shell.
    pub fn shell(&self, program: &str) -> String {
        let words: Vec<String> = self.words().iter().map(|word| quoted(word)).collect();
        let input = self.stdin.as_ref().map_or_else(String::new, |name| format!(" < {}", quoted(name)));
        format!("{program} {}{input}", words.join(" "))
    }

    /// The bytes of all files.
    pub fn size(&self) -> usize {
        self.files.iter().map(|file| file.bytes.len()).sum()
    }
}

/// A word as a shell reads it; characters that do not show are spelt by their numbers.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./,:=".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    if word.chars().all(|letter| (' '..='~').contains(&letter)) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut text = String::from("$'");
    for byte in word.bytes() {
        match byte {
            b'\'' | b'\\' => text += &format!("\\{}", char::from(byte)),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => text += &format!("\\x{byte:02x}"),
        }
    }
    text + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        let mut case = Case::new("fit");
        case.positional("a b.csv");
        case.option("--at", "-1,2");
        case.option("--layer", "it's \u{7}");
        case.arguments[1].is_joined = true;
        case.stdin = Some("in.csv".into());
        assert_eq!(case.words(), ["fit", "a b.csv", "--at=-1,2", "--layer", "it's \u{7}"]);
        assert_eq!(
            case.shell("steinbound"),
            r"steinbound fit 'a b.csv' --at=-1,2 --layer $'it\'s \x07' < in.csv"
        );
    }
}

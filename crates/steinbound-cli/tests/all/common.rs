//! A folder to run the command in, and what it said.

use std::path::PathBuf;

use serde_json::Value;

pub struct Folder {
    folder: tempfile::TempDir,
}

pub struct Said {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new() -> Folder {
        Folder { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> &Folder {
        std::fs::write(self.path(name), text).unwrap();
        self
    }

    /// Writes rows of numbers, so that they read back to the same bits.
    pub fn write_rows(&self, name: &str, rows: &Value) -> &Folder {
        let line = |row: &Value| {
            let cells = row.as_array().unwrap().iter();
            cells.map(|v| format!("{:?}", v.as_f64().unwrap())).collect::<Vec<_>>().join(",")
        };
        let lines: Vec<String> = rows.as_array().unwrap().iter().map(line).collect();
        self.write(name, &(lines.join("\n") + "\n"))
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs the command in the folder.
    pub fn run(&self, arguments: &[&str]) -> Said {
        self.run_with(&[], arguments)
    }

    /// Runs the command in the folder, with environment variables.
    pub fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Said {
        let mut command = assert_cmd::Command::cargo_bin("steinbound").unwrap();
        command.current_dir(self.folder.path()).envs(variables.iter().copied()).args(arguments);
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let said = Said {
            code: output.status.code().expect("no signal ended it"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        for word in ["panicked", "RUST_BACKTRACE"] {
            assert!(!said.stderr.contains(word), "{}", said.stderr);
        }
        said
    }

    /// Runs a command that must succeed, and reads its JSON.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let said = self.run(&[arguments, &["--format", "json"]].concat());
        assert_eq!(said.code, 0, "{arguments:?}: {}", said.stderr);
        said.json()
    }
}

impl Said {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// One clear message and nothing on standard output.
    #[track_caller]
    pub fn expect_refusal(&self, parts: &[&str]) {
        assert_eq!(self.code, 2, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "");
        assert_eq!(self.stderr.matches("error:").count(), 1, "{}", self.stderr);
        for part in parts {
            assert!(self.stderr.contains(part), "\"{part}\" is not in: {}", self.stderr);
        }
    }
}

pub fn golden(name: &str) -> Value {
    let path = format!("{}/../steinbound/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// A field of every parameter in a list.
pub fn field(list: &Value, name: &str) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|p| p[name].as_f64().unwrap()).collect()
}

#[track_caller]
pub fn assert_relative(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a / b - 1.0).abs() < tolerance, "{what}: found {a}, expected {b}");
    }
}

/// A folder with a sample of N((0.5, 0.5), I) in the disc of radius 1.4 (`data.csv`) and points on its edge
/// (`edge.csv`).
pub fn disc(count: usize, edge: usize, seed: u64) -> Folder {
    let folder = Folder::new();
    let (count, edge, seed) = (count.to_string(), edge.to_string(), seed.to_string());
    let sample =
        ["simulate", "--domain", "ball(radius=1.4)", "--at", "0.5,0.5", "-n", &count, "--seed", &seed];
    let files = ["--output", "data.csv", "--boundary-points", &edge, "--boundary-output", "edge.csv"];
    let said = folder.run(&[&sample[..], &files].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    folder
}

/// A command with more arguments.
pub fn with<'a>(command: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [command, more].concat()
}

//! What is remembered of every run, in a file that a campaign can go on from.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::generate::Lineage;

/// What is remembered of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// How to repeat it.
    pub lineage: Lineage,
    /// The name of its command.
    pub command: String,
    /// How it ended: its exit code, or what ended it.
    pub end: String,
    /// How long it took, apart from other programs.
    pub seconds: f64,
    /// The most memory that it held, in bytes.
    pub peak: u64,
    /// What was new about it, if anything.
    pub novelty: Option<String>,
    /// The signatures of its faults.
    pub faults: Vec<String>,
}

impl Entry {
    fn json(&self) -> Value {
        json!({
            "run": self.lineage.to_string(),
            "command": self.command,
            "end": self.end,
            "seconds": (self.seconds * 1e4).round() / 1e4,
            "peak": self.peak,
            "novelty": self.novelty,
            "faults": self.faults,
        })
    }

    fn read(line: &str) -> Option<Entry> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |name: &str| value[name].as_str().map(str::to_string);
        let faults = value["faults"].as_array()?.iter().filter_map(Value::as_str).map(str::to_string);
        Some(Entry {
            lineage: text("run")?.parse().ok()?,
            command: text("command")?,
            end: text("end")?,
            seconds: value["seconds"].as_f64()?,
            peak: value["peak"].as_u64()?,
            novelty: text("novelty"),
            faults: faults.collect(),
        })
    }
}

/// The seed and the entries of a journal; of a last line that was not written to its end nothing is kept.
pub fn read(path: &Path) -> Option<(u64, Vec<Entry>)> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let first: Value = serde_json::from_str(lines.next()?).ok()?;
    Some((first["seed"].as_u64()?, lines.map_while(Entry::read).collect()))
}

/// Begins a journal, or writes again what was read of one.
pub fn write(path: &Path, seed: u64, entries: &[Entry]) -> std::io::Result<()> {
    std::fs::write(path, format!("{}\n", json!({"seed": seed})))?;
    append(path, entries)
}

/// Adds entries.
pub fn append(path: &Path, entries: &[Entry]) -> std::io::Result<()> {
    let lines: String = entries.iter().map(|entry| format!("{}\n", entry.json())).collect();
    OpenOptions::new().append(true).open(path)?.write_all(lines.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_read_up_to_a_line_that_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let entry = |number: u64| Entry {
            lineage: Lineage::of(3).child(number),
            command: "fit".into(),
            end: "0".into(),
            seconds: 0.25,
            peak: 1 << 20,
            novelty: (number == 1).then(|| "new".into()),
            faults: vec!["panic: somewhere".into()],
        };
        write(&path, 7, &[entry(1)]).unwrap();
        append(&path, &[entry(2), entry(3)]).unwrap();
        assert_eq!(read(&path), Some((7, vec![entry(1), entry(2), entry(3)])));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 5]).unwrap();
        assert_eq!(read(&path), Some((7, vec![entry(1), entry(2)])));
        assert_eq!(read(&folder.path().join("none")), None);
    }
}

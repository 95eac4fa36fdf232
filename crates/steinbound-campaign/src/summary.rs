//! What a campaign did and found, for people and for programs.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::journal::Entry;

/// The figures of one command.
#[derive(Debug, Clone, Default)]
struct Figures<'a> {
    runs: usize,
    ends: BTreeMap<&'a str, usize>,
    seconds: f64,
    slowest: Option<&'a Entry>,
    largest: Option<&'a Entry>,
    findings: usize,
}

/// The summary as JSON and as Markdown.
pub fn summary(seed: u64, entries: &[Entry], seconds: f64) -> (Value, String) {
    let mut commands: BTreeMap<&str, Figures> = BTreeMap::new();
    let mut findings: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        for name in [entry.command.as_str(), "all"] {
            let figures = commands.entry(name).or_default();
            figures.runs += 1;
            figures.seconds += entry.seconds;
            *figures.ends.entry(&entry.end).or_default() += 1;
            figures.slowest = figures.slowest.filter(|other| other.seconds >= entry.seconds).or(Some(entry));
            figures.largest = figures.largest.filter(|other| other.peak >= entry.peak).or(Some(entry));
        }
        for signature in &entry.faults {
            findings.entry(signature).or_default().push(entry);
        }
    }
    for list in findings.values() {
        for name in ["all", list[0].command.as_str()] {
            if let Some(figures) = commands.get_mut(name) {
                figures.findings += 1;
            }
        }
    }
    (as_json(seed, &commands, &findings, seconds), as_text(seed, &commands, &findings, seconds))
}

fn as_json(
    seed: u64,
    commands: &BTreeMap<&str, Figures>,
    findings: &BTreeMap<&str, Vec<&Entry>>,
    seconds: f64,
) -> Value {
    let of_command = |figures: &Figures| {
        json!({
            "runs": figures.runs,
            "ends": figures.ends,
            "seconds": figures.seconds,
            "slowest": figures.slowest.map(|entry| json!({"run": entry.lineage.to_string(), "seconds": entry.seconds})),
            "largest": figures.largest.map(|entry| json!({"run": entry.lineage.to_string(), "bytes": entry.peak})),
            "findings": figures.findings,
        })
    };
    let commands: BTreeMap<&str, Value> = commands.iter().map(|(name, of)| (*name, of_command(of))).collect();
    let findings: Vec<Value> = findings
        .iter()
        .map(|(signature, list)| {
            json!({"signature": signature, "runs": list.len(), "first": list[0].lineage.to_string()})
        })
        .collect();
    json!({"seed": seed, "seconds": seconds, "commands": commands, "findings": findings})
}

fn as_text(
    seed: u64,
    commands: &BTreeMap<&str, Figures>,
    findings: &BTreeMap<&str, Vec<&Entry>>,
    seconds: f64,
) -> String {
    let runs = commands.get("all").map_or(0, |figures| figures.runs);
    let mut text = format!("# Campaign\n\nSeed {seed}, {runs} runs in {seconds:.0} seconds.\n\n");
    text += "| command | runs | ended with | mean, ms | slowest, s | largest, MB | findings |\n|---|--:|---|--:|--:|--:|--:|\n";
    for (name, figures) in commands {
        let ends: Vec<String> = figures.ends.iter().map(|(end, count)| format!("{end}: {count}")).collect();
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {:.0} | {:.2} | {} | {} |",
            figures.runs,
            ends.join(", "),
            1e3 * figures.seconds / figures.runs.max(1) as f64,
            figures.slowest.map_or(0.0, |entry| entry.seconds),
            figures.largest.map_or(0, |entry| entry.peak) >> 20,
            figures.findings
        );
    }
    text += "\n## Findings\n\n";
    if findings.is_empty() {
        text += "None.\n";
    }
    let mut list: Vec<_> = findings.iter().collect();
    list.sort_by_key(|(_, entries)| std::cmp::Reverse(entries.len()));
    for (signature, entries) in list {
        let signature = signature.replace(['`', '|', '<'], " ");
        let _ = writeln!(text, "- {signature} ({} runs, first {})", entries.len(), entries[0].lineage);
    }
    text
}

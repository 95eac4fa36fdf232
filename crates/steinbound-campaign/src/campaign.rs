//! The campaign: runs in batches, on several threads; what was new is changed again by later runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::case::Case;
use crate::catalogue::Catalogue;
use crate::check::{Checker, Fault, novelty};
use crate::dice::Dice;
use crate::generate::{self, Lineage};
use crate::journal::{self, Entry};
use crate::minimise;
use crate::run::{self, Limits, Outcome};
use crate::schema::Schemas;
use crate::summary;

/// Runs of a batch are independent of each other: each knows what the batches before found. So all that a
/// campaign does follows from its seed, whatever the number of threads.
const BATCH: u64 = 1000;

/// Of a hundred runs so many change one that was new.
const CHANGED: usize = 25;

/// The choice of what a run begins with has a seed of its own, so that the run's own choices are the same wherever it
/// begins.
const OF_ORIGINS: u64 = 0x5eed;

/// What was changed more often than this is not changed any further. Nor is what was refused: most changes of it
/// are refused for the same reason.
const DEEPEST: usize = 6;

/// What a campaign is told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The program.
    pub program: PathBuf,
    /// The seed of everything random.
    pub seed: u64,
    /// How many runs there are in the end.
    pub runs: u64,
    /// How many at the same time.
    pub jobs: usize,
    /// The limits of each.
    pub limits: Limits,
}

/// A campaign.
#[derive(Debug)]
pub struct Campaign {
    settings: Settings,
    catalogue: Catalogue,
    schemas: Schemas,
    entries: Vec<Entry>,
    known: BTreeSet<String>,
    corpus: Vec<Lineage>,
    /// Examples of faults by their signatures.
    pub findings: BTreeMap<String, (Lineage, Fault)>,
}

impl Campaign {
    /// Reads what the program can do.
    pub fn new(settings: Settings) -> Result<Campaign, String> {
        Ok(Campaign {
            catalogue: Catalogue::read(&settings.program)?,
            schemas: Schemas::load()?,
            settings,
            entries: Vec::new(),
            known: BTreeSet::new(),
            corpus: Vec::new(),
            findings: BTreeMap::new(),
        })
    }

    /// The commands of the program.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// All runs so far.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Takes over what a journal remembers, up to its last whole batch.
    fn resume(&mut self, entries: Vec<Entry>) {
        let whole = entries.len() as u64 / BATCH * BATCH;
        for entry in entries.into_iter().take(whole as usize) {
            let fault = |signature: &String| {
                let (kind, group) = signature.split_once(": ").unwrap_or((signature, ""));
                Fault {
                    kind: "again",
                    group: group.into(),
                    detail: format!("{kind}; replay the run to see it"),
                }
            };
            let faults: Vec<(String, Fault)> =
                entry.faults.iter().map(|signature| (signature.clone(), fault(signature))).collect();
            self.take(entry, faults);
        }
    }

    fn take(&mut self, entry: Entry, faults: Vec<(String, Fault)>) {
        if let Some(novelty) = &entry.novelty
            && self.known.insert(novelty.clone())
            && entry.lineage.0.len() < DEEPEST
            && matches!(entry.end.as_str(), "0" | "3")
        {
            self.corpus.push(entry.lineage.clone());
        }
        for (signature, fault) in faults {
            self.findings.entry(signature).or_insert_with(|| (entry.lineage.clone(), fault));
        }
        self.entries.push(entry);
    }

    /// The origin of a run, given what was new in earlier batches.
    fn lineage(&self, number: u64) -> Lineage {
        let mut dice = Dice::new(self.settings.seed ^ OF_ORIGINS, number);
        if self.corpus.is_empty() || !dice.chance(CHANGED) {
            return Lineage::of(number);
        }
        // What is new lately is tried more.
        let count = self.corpus.len();
        let from = if dice.chance(50) { count.saturating_sub(count / 4 + 1) } else { 0 };
        self.corpus[dice.between(from, count - 1)].child(number)
    }

    /// The case of a run.
    pub fn case(&self, lineage: &Lineage) -> Case {
        generate::case(&self.catalogue, self.settings.seed, lineage)
    }

    /// Runs a case in a folder, which is emptied before.
    pub fn run(&self, case: &Case, folder: &Path) -> std::io::Result<(Outcome, Vec<Fault>)> {
        let checker =
            Checker { catalogue: &self.catalogue, schemas: &self.schemas, limits: self.settings.limits };
        let outcome = run::run(&self.settings.program, case, folder, &self.settings.limits)?;
        let faults = checker.faults(case, &outcome);
        // The machine may have been busy: what is late once is run again.
        let is_of_time = |fault: &Fault| matches!(fault.kind, "late" | "refusal takes time");
        let is_new = |fault: &Fault| !self.findings.contains_key(&fault.signature());
        if !faults.iter().any(|fault| is_of_time(fault) && is_new(fault)) {
            return Ok((outcome, faults));
        }
        let again = run::run(&self.settings.program, case, folder, &self.settings.limits)?;
        let faults = checker.faults(case, &again);
        Ok((again, faults))
    }

    fn one(&self, lineage: Lineage, folder: &Path) -> (Entry, Vec<(String, Fault)>) {
        let case = self.case(&lineage);
        let (outcome, faults) = match self.run(&case, folder) {
            Ok(done) => done,
            Err(error) => {
                let fault = Fault { kind: "cannot run", group: error.to_string(), detail: error.to_string() };
                (Outcome::default(), vec![fault])
            }
        };
        let novelty = novelty(&case, &outcome);
        let end = match (outcome.code, outcome.is_late, outcome.signal) {
            (_, true, _) => "late".to_string(),
            (Some(code), ..) => code.to_string(),
            (_, _, Some(signal)) => format!("signal {signal}"),
            _ => "?".to_string(),
        };
        let faults: Vec<(String, Fault)> =
            faults.into_iter().map(|fault| (fault.signature(), fault)).collect();
        let entry = Entry {
            lineage,
            command: case.command,
            end,
            seconds: outcome.busy(),
            peak: outcome.peak,
            novelty: (!self.known.contains(&novelty)).then_some(novelty),
            faults: faults.iter().map(|(signature, _)| signature.clone()).collect(),
        };
        (entry, faults)
    }

    /// A batch of runs, in their order.
    fn batch(&self, numbers: std::ops::Range<u64>, scratch: &Path) -> Vec<(Entry, Vec<(String, Fault)>)> {
        let lineages: Vec<Lineage> = numbers.map(|number| self.lineage(number)).collect();
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for job in 0..self.settings.jobs.max(1) {
                let (next, done, lineages) = (&next, &done, &lineages);
                scope.spawn(move || {
                    let folder = scratch.join(format!("job{job}"));
                    while let Some(lineage) = lineages.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let result = self.one(lineage.clone(), &folder);
                        if let Ok(mut done) = done.lock() {
                            done.push(result);
                        }
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_default();
        done.sort_by_key(|(entry, _)| entry.lineage.0.last().copied());
        done
    }

    /// All runs that are left, without a journal.
    pub fn go(
        &mut self,
        scratch: &Path,
        mut after: impl FnMut(&Campaign, usize) -> Result<(), String>,
    ) -> Result<(), String> {
        while (self.entries.len() as u64) < self.settings.runs {
            let start = self.entries.len() as u64;
            let end = (start + BATCH).min(self.settings.runs);
            for (entry, faults) in self.batch(start..end, scratch) {
                self.take(entry, faults);
            }
            after(self, start as usize)?;
        }
        Ok(())
    }

    /// All runs that are left, with a journal and findings in a folder, and their summary.
    pub fn go_in(&mut self, folder: &Path, is_resumed: bool, scratch: &Path) -> Result<(), String> {
        let started = Instant::now();
        let told = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(folder).map_err(told)?;
        let path = folder.join("journal.ndjson");
        if is_resumed && let Some((seed, entries)) = journal::read(&path) {
            if seed != self.settings.seed {
                return Err(format!("the campaign in {} has the seed {seed}", folder.display()));
            }
            self.resume(entries);
        }
        journal::write(&path, self.settings.seed, &self.entries).map_err(told)?;
        let before = self.entries.len();
        self.go(scratch, |campaign, start| {
            journal::append(&path, &campaign.entries[start..]).map_err(told)?;
            let seconds = started.elapsed().as_secs_f64();
            campaign.summarise(folder, seconds)?;
            let count = campaign.entries.len();
            let rate = (count - before) as f64 / seconds;
            eprintln!("{count} runs, {rate:.0} a second, {} findings", campaign.findings.len());
            Ok(())
        })
    }

    /// Writes `summary.md`, `summary.json` and a list of findings.
    pub fn summarise(&self, folder: &Path, seconds: f64) -> Result<(), String> {
        let told = |error: std::io::Error| format!("{}: {error}", folder.display());
        let (json, text) = summary::summary(self.settings.seed, &self.entries, seconds);
        std::fs::write(folder.join("summary.json"), json.to_string()).map_err(told)?;
        std::fs::write(folder.join("summary.md"), text).map_err(told)?;
        let mut list = String::new();
        for (signature, (lineage, fault)) in &self.findings {
            let detail = fault.detail.replace('\n', "\n    ");
            list += &format!(
                "{signature}\n  run {lineage}\n  {}\n    {detail}\n\n",
                self.case(lineage).shell("steinbound")
            );
        }
        std::fs::write(folder.join("findings.txt"), list).map_err(told)
    }

    /// Writes the smallest case that shows each finding, with its files, into folders below `findings`.
    pub fn minimise(&self, folder: &Path, scratch: &Path) -> Result<(), String> {
        let told = |error: std::io::Error| format!("{}: {error}", folder.display());
        for (number, (signature, (lineage, _))) in self.findings.iter().enumerate() {
            let place = folder.join("findings").join(format!("{number:03}"));
            if std::fs::read_to_string(place.join("signature")).is_ok_and(|text| text == *signature) {
                continue;
            }
            let scratch = scratch.join("minimise");
            let is_same = |case: &Case| {
                let faults = self.run(case, &scratch).map(|(_, faults)| faults).unwrap_or_default();
                faults.iter().any(|fault| fault.signature() == *signature)
            };
            let case = self.case(lineage);
            // Each attempt at what is late takes its time.
            let is_slow = signature.starts_with("late") || signature.contains("takes time");
            let less = if is_slow { case } else { minimise::minimise(&case, is_same) };
            self.keep(&less, &place).map_err(told)?;
            let text = format!("{}\nrun {lineage}\n{signature}\n", less.shell("steinbound"));
            std::fs::write(place.join("command"), text).map_err(told)?;
            std::fs::write(place.join("signature"), signature).map_err(told)?;
        }
        Ok(())
    }

    /// Writes the files of a case into a folder.
    pub fn keep(&self, case: &Case, place: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(place)?;
        case.files.iter().try_for_each(|file| std::fs::write(place.join(&file.name), &file.bytes))
    }
}

//! The journal: every finished trial on a line of its own, so that a killed run can be resumed.
//!
//! A line is written by one system call and ends with a line feed; a line without one was cut off by a kill
//! and is dropped. Numbers are written so that they read back to the same bits, and every trial ends with a
//! checksum: a digit that changed on the disk would otherwise become a result.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use steinbound_io::table::shown_path;

use crate::error::PaperError;
use crate::study::Measured;

/// The name of the journal in the folder.
pub const NAME: &str = "journal.txt";

/// The trial of a line: the name of the study, the number of the cell and the number of the trial.
pub type Key = (String, usize, usize);

/// An open journal. The file is locked until it is dropped.
#[derive(Debug)]
pub struct Journal {
    path: String,
    /// `None` after a line could not be written completely: nothing may follow the fragment.
    file: Mutex<Option<File>>,
}

impl Journal {
    /// Starts a journal in an empty folder, which is created if necessary, or continues one with the same
    /// settings.
    ///
    /// Finished trials are passed to `keep`, which returns whether it can use them.
    pub fn open(
        folder: &Path,
        settings: &str,
        resume: bool,
        mut keep: impl FnMut(Key, Vec<Measured>) -> bool,
    ) -> Result<Journal, PaperError> {
        let shown = shown_path(folder);
        let unusable = |path: &Path, error: &std::io::Error| PaperError::Unusable {
            path: shown_path(path),
            reason: error.to_string(),
        };
        if std::fs::symlink_metadata(folder).is_ok() && !folder.is_dir() {
            return Err(PaperError::NotAFolder { path: shown });
        }
        std::fs::create_dir_all(folder).map_err(|error| unusable(folder, &error))?;
        let path = folder.join(NAME);
        let is_begun = std::fs::metadata(&path).is_ok_and(|data| data.is_file());
        let others = std::fs::read_dir(folder).map_err(|error| unusable(folder, &error))?.count()
            - usize::from(is_begun);
        if !resume && (is_begun || others > 0) {
            return Err(PaperError::NotEmpty { folder: shown });
        }
        if others > 0 && !is_begun {
            return Err(PaperError::NothingToResume { folder: shown });
        }
        let mut options = OpenOptions::new();
        // If two processes start at once, only one of them creates the file.
        options.read(true).append(true).create_new(!is_begun);
        let mut file = options.open(&path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => PaperError::Busy { folder: shown.clone() },
            _ => unusable(&path, &error),
        })?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(PaperError::Busy { folder: shown }),
            // Some file systems have no locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| unusable(&path, &error))?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let text = String::from_utf8_lossy(&bytes[..whole]);
        let mut lines = text.lines();
        let header = format!("{PREFIX}{settings}");
        let journal = Journal { path: shown_path(&path), file: Mutex::new(Some(file)) };
        match lines.next() {
            // A kill can cut off the header, before there is anything else. Other text belongs to another
            // program.
            None if others > 0
                || !(PREFIX.as_bytes().starts_with(&bytes) || bytes.starts_with(PREFIX.as_bytes())) =>
            {
                return Err(PaperError::NothingToResume { folder: shown });
            }
            None => {
                journal.cut(0)?;
                journal.write(&header)?;
            }
            Some(begun) if begun != header => {
                return Err(match begun.strip_prefix(PREFIX) {
                    Some(begun) => PaperError::OtherSettings {
                        folder: shown,
                        begun: begun.escape_debug().to_string(),
                        asked: settings.to_string(),
                    },
                    None => PaperError::NothingToResume { folder: shown },
                });
            }
            Some(_) => journal.cut(whole as u64)?,
        }
        for (at, line) in lines.enumerate() {
            if !parse(line).is_some_and(|(key, measured)| keep(key, measured)) {
                return Err(PaperError::Damaged { journal: journal.path, line: at + 2 });
            }
        }
        Ok(journal)
    }

    /// Writes a finished trial.
    pub fn add(&self, key: &Key, measured: &[Measured]) -> Result<(), PaperError> {
        self.write(&line(key, measured))
    }

    fn write(&self, line: &str) -> Result<(), PaperError> {
        self.with_file(|file| file.write_all(format!("{line}\n").as_bytes()))
    }

    /// Removes the fragment of a last line that a kill left.
    fn cut(&self, length: u64) -> Result<(), PaperError> {
        self.with_file(|file| file.set_len(length))
    }

    fn with_file(&self, change: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<(), PaperError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = match file.as_mut() {
            Some(file) => change(file).map_err(|error| error.to_string()),
            None => Err("an earlier line could not be written".into()),
        };
        changed.map_err(|reason| {
            *file = None;
            PaperError::Full { path: self.path.clone(), reason }
        })
    }
}

const PREFIX: &str = "steinbound reproduction, ";

/// The checksum of a text: FNV-1a, which notices every change of a single byte.
fn checksum(text: &str) -> u64 {
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    const FACTOR: u64 = 0x0000_0100_0000_01b3;
    text.bytes().fold(START, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(FACTOR))
}

/// Study, cell and trial, then one group for each method: its seconds and its values. The checksum is last.
fn line((study, cell, trial): &Key, measured: &[Measured]) -> String {
    let mut line = format!("{study} {cell} {trial}");
    for one in measured {
        line.push_str(&format!(" {:?}", one.seconds));
        for value in &one.values {
            line.push_str(&format!(",{value:?}"));
        }
    }
    line.push_str(&format!(" {:016x}", checksum(&line)));
    line
}

fn parse(line: &str) -> Option<(Key, Vec<Measured>)> {
    let (line, written) = line.rsplit_once(' ')?;
    if u64::from_str_radix(written, 16) != Ok(checksum(line)) {
        return None;
    }
    let mut words = line.split(' ');
    let key = (words.next()?.to_string(), words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let group = |word: &str| -> Option<Measured> {
        let numbers: Option<Vec<f64>> = word.split(',').map(|number| number.parse().ok()).collect();
        let mut numbers = numbers?;
        let seconds = if numbers.is_empty() { return None } else { numbers.remove(0) };
        Some(Measured { values: numbers, seconds })
    };
    let measured: Option<Vec<Measured>> = words.map(group).collect();
    Some((key, measured?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured() -> Vec<Measured> {
        vec![
            Measured { values: vec![1.0 / 3.0, -0.0], seconds: 1e-300 },
            Measured { values: vec![f64::NAN, f64::INFINITY], seconds: 2.5 },
        ]
    }

    #[test]
    fn lines_read_back_to_the_same_bits() {
        let key = ("fig5_grid".to_string(), 7, 63);
        let (read, values) = parse(&line(&key, &measured())).unwrap();
        assert_eq!(read, key);
        let bits = |all: &[Measured]| -> Vec<u64> {
            all.iter()
                .flat_map(|m| m.values.iter().chain([&m.seconds]).map(|v| v.to_bits()))
                .collect::<Vec<_>>()
        };
        assert_eq!(bits(&values), bits(&measured()));
    }

    #[test]
    fn a_changed_character_is_noticed_wherever_it_is() {
        let line = line(&("fig5_grid".to_string(), 7, 63), &measured());
        for at in 0..line.len() {
            for other in ["0", "7", " ", ",", "."].into_iter().filter(|other| *other != &line[at..=at]) {
                let mut changed = line.clone();
                changed.replace_range(at..=at, other);
                assert!(parse(&changed).is_none(), "{changed}");
            }
        }
    }

    #[test]
    fn a_line_that_was_cut_off_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let keys: Vec<Key> = (0..2).map(|trial| ("a".to_string(), 0, trial)).collect();
        let journal = Journal::open(folder.path(), "seed 0", false, |_, _| false).unwrap();
        keys.iter().for_each(|key| journal.add(key, &measured()).unwrap());
        drop(journal);
        let path = folder.path().join(NAME);
        let text = std::fs::read_to_string(&path).unwrap();
        // Wherever the file was cut, all complete lines are recovered, and the file ends with a complete
        // line.
        for kept in 0..=text.len() {
            std::fs::write(&path, &text[..kept]).unwrap();
            let mut done = 0;
            let count = |_, _| {
                done += 1;
                true
            };
            Journal::open(folder.path(), "seed 0", true, count).unwrap();
            assert_eq!(done, text[..kept].matches('\n').count().saturating_sub(1), "{kept}");
            assert!(std::fs::read_to_string(&path).unwrap().ends_with('\n'));
        }
    }

    #[test]
    fn other_folders_and_settings_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let open = |settings: &str, resume: bool| Journal::open(folder.path(), settings, resume, |_, _| true);
        std::fs::write(folder.path().join("thesis.tex"), "precious").unwrap();
        assert!(matches!(open("seed 0", false), Err(PaperError::NotEmpty { .. })));
        assert!(matches!(open("seed 0", true), Err(PaperError::NothingToResume { .. })));
        // A file that happens to have the journal's name is rejected, with or without a line end.
        for diary in ["my diary", "my diary\n", "steinbound rep", "steinbound reproduction, seed"] {
            std::fs::write(folder.path().join(NAME), diary).unwrap();
            assert!(matches!(open("seed 0", true), Err(PaperError::NothingToResume { .. })), "{diary}");
            assert_eq!(std::fs::read_to_string(folder.path().join(NAME)).unwrap(), diary);
        }
        std::fs::remove_file(folder.path().join("thesis.tex")).unwrap();
        std::fs::write(folder.path().join(NAME), "my diary").unwrap();
        assert!(matches!(open("seed 0", true), Err(PaperError::NothingToResume { .. })));
        std::fs::write(folder.path().join(NAME), "steinbound rep").unwrap();
        let journal = open("seed 0", true).unwrap();
        assert!(matches!(open("seed 0", true), Err(PaperError::Busy { .. })));
        drop(journal);
        assert!(matches!(open("seed 0", false), Err(PaperError::NotEmpty { .. })));
        let error = open("seed 1", true).unwrap_err().to_string();
        assert!(error.contains("was begun with seed 0, not with seed 1"), "{error}");
        std::fs::write(folder.path().join(NAME), format!("{PREFIX}seed 0\na 0 0 x\n")).unwrap();
        let error = open("seed 0", true).unwrap_err().to_string();
        assert!(error.contains("line 2: not a trial"), "{error}");
    }
}

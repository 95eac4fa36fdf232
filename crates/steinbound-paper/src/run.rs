//! Running the trials, in parallel and in an order that can be resumed.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::comparison::{Agreement, Compared};
use crate::error::PaperError;
use crate::figures::{Figure, named};
use crate::journal::Journal;
use crate::output;
use crate::results::Results;
use crate::study::{Measured, Study, Trial};

/// Called with the number of finished trials and the number to be run, both without those of an earlier run;
/// returning `false` ends the run.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) -> bool + Sync);

/// The figures to reproduce, and the settings.
///
/// ```no_run
/// use steinbound_paper::Reproduction;
/// let reproduction = Reproduction::new(&["fig2"])?.trials(8)?.seed(1);
/// let report = reproduction.run("folder".as_ref(), false, &|_, _| true)?;
/// println!("{} values compared with published ones", report.compared.len());
/// # Ok::<(), steinbound_paper::PaperError>(())
/// ```
pub struct Reproduction {
    figures: Vec<&'static dyn Figure>,
    trials: Option<usize>,
    seed: u64,
    threads: usize,
}

/// The results of a reproduction.
pub struct Report {
    /// Our means and the published ones.
    pub compared: Vec<Compared>,
    /// The number of means that should agree, and the number of these that do not.
    pub agreement: Agreement,
    /// The number of failed measurements, and the number of all.
    pub failed: (usize, usize),
    /// The files that were written, by name.
    pub files: Vec<String>,
}

/// The largest number of trials: all of them are held in memory.
const MOST_TRIALS: usize = 10_000;

/// A trial to run: the indices of its study and cell, and its number.
type Task = (usize, usize, usize);

impl Reproduction {
    /// The figures of these names (`all` for all), with the paper's number of trials, seed 0 and all
    /// available threads.
    pub fn new<S: AsRef<str>>(figures: &[S]) -> Result<Reproduction, PaperError> {
        let threads = rayon::current_num_threads();
        Ok(Reproduction { figures: named(figures)?, trials: None, seed: 0, threads })
    }

    /// Sets the number of trials.
    pub fn trials(mut self, trials: usize) -> Result<Reproduction, PaperError> {
        if !(2..=MOST_TRIALS).contains(&trials) {
            return Err(PaperError::Trials { trials, most: MOST_TRIALS });
        }
        self.trials = Some(trials);
        Ok(self)
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> Reproduction {
        self.seed = seed;
        self
    }

    /// Sets the number of threads, which affects only times.
    pub fn threads(mut self, threads: usize) -> Reproduction {
        self.threads = threads.max(1);
        self
    }

    /// The settings that must be equal for a run to be resumed.
    fn settings(&self) -> String {
        let names: Vec<&str> = self.figures.iter().map(|figure| figure.name()).collect();
        let trials = self.trials.map_or("the paper's trials".into(), |trials| format!("--trials {trials}"));
        format!("{}, {trials}, --seed {}, version {}", names.join(" "), self.seed, env!("CARGO_PKG_VERSION"))
    }

    /// Runs all trials and writes tables, pictures and the page into a folder.
    ///
    /// The folder must be empty or not exist, unless a run with the same settings is resumed there.
    pub fn run(&self, folder: &Path, resume: bool, progress: Progress) -> Result<Report, PaperError> {
        let of_figures: Vec<Vec<Study>> =
            self.figures.iter().map(|figure| figure.studies()).collect::<Result<_, _>>()?;
        let studies: Vec<Study> = of_figures.into_iter().flatten().collect();
        let find = |name: &str| studies.iter().position(|study| study.name == name);
        let mut measured: Vec<Vec<Vec<Option<Vec<Measured>>>>> = studies
            .iter()
            .map(|study| vec![vec![None; study.trials(self.trials)]; study.cells.len()])
            .collect();
        let journal = Journal::open(folder, &self.settings(), resume, |(study, cell, trial), found| {
            let Some(s) = find(&study) else { return false };
            let Some(place) = measured[s].get_mut(cell).and_then(|cell| cell.get_mut(trial)) else {
                return false;
            };
            let quantities = studies[s].quantities.len();
            let fits = found.len() == studies[s].cells[cell].methods.len()
                && found.iter().all(|one| one.values.len() == quantities);
            *place = Some(found);
            fits
        })?;
        let measured = self.measure(&studies, measured, &journal, progress)?;
        let results = Results { studies, measured };
        output::write(folder, &self.figures, &results, self.seed, &self.settings())
    }

    /// Runs the trials that have not been measured yet.
    fn measure(
        &self,
        studies: &[Study],
        mut measured: Vec<Vec<Vec<Option<Vec<Measured>>>>>,
        journal: &Journal,
        progress: Progress,
    ) -> Result<Vec<Vec<Vec<Vec<Measured>>>>, PaperError> {
        let tasks = in_order(&measured);
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let found = Mutex::new((Vec::new(), None));
        let keep = |task: Task, result: Result<Vec<Measured>, PaperError>| {
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            match result {
                Ok(measured) => found.0.push((task, measured)),
                Err(error) => {
                    // Other threads stop before their next trial.
                    next.store(tasks.len(), Ordering::Relaxed);
                    found.1.get_or_insert(error);
                }
            }
        };
        let one = |&(s, c, number): &Task| -> Result<Vec<Measured>, PaperError> {
            let study = &studies[s];
            let trial = Trial { seed: self.seed, number };
            let measured = study.cells[c].run(&trial, study.quantities.len());
            journal.add(&(study.name.to_string(), c, number), &measured)?;
            match progress(done.fetch_add(1, Ordering::Relaxed) + 1, tasks.len()) {
                true => Ok(measured),
                false => Err(PaperError::Interrupted),
            }
        };
        let work = || {
            while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                keep(*task, one(task));
            }
        };
        std::thread::scope(|scope| {
            let apart = || {
                // A trial stays on one thread, so that the times of methods can be compared.
                match rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build() {
                    Ok(pool) => pool.install(work),
                    Err(_) => work(),
                }
            };
            let start = || std::thread::Builder::new().spawn_scoped(scope, apart).is_ok();
            let threads = self.threads.min(tasks.len());
            // Where the system allows no further thread those that run do the work, or else the one that is here.
            if (0..threads).take_while(|_| start()).count() == 0 {
                work();
            }
        });
        let (found, error) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = error {
            return Err(error);
        }
        for ((s, c, trial), one) in found {
            measured[s][c][trial] = Some(one);
        }
        let complete = |cell: Vec<Option<Vec<Measured>>>| cell.into_iter().flatten().collect();
        Ok(measured.into_iter().map(|study| study.into_iter().map(complete).collect()).collect())
    }
}

/// The remaining trials, with all studies advancing together, so that the finished share predicts the
/// remaining time.
fn in_order(measured: &[Vec<Vec<Option<Vec<Measured>>>>]) -> Vec<Task> {
    let mut tasks: Vec<(f64, Task)> = Vec::new();
    for (s, study) in measured.iter().enumerate() {
        for (c, cell) in study.iter().enumerate() {
            let open = (0..cell.len()).filter(|trial| cell[*trial].is_none());
            tasks.extend(open.map(|trial| ((trial as f64 + 0.5) / cell.len() as f64, (s, c, trial))));
        }
    }
    tasks.sort_by(|a, b| a.0.total_cmp(&b.0));
    tasks.into_iter().map(|(_, task)| task).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn studies_advance_together_and_leave_out_what_is_done() {
        let long = vec![vec![None, Some(Vec::new()), None, None]];
        let short = vec![vec![None, None]];
        assert_eq!(in_order(&[long, short]), [(0, 0, 0), (1, 0, 0), (0, 0, 2), (1, 0, 1), (0, 0, 3)]);
    }

    #[test]
    fn settings_name_all_that_results_depend_on() {
        let settings = Reproduction::new(&["fig4", "fig2"]).unwrap().trials(8).unwrap().seed(3).settings();
        assert!(settings.starts_with("fig2 fig4, --trials 8, --seed 3, version "), "{settings}");
        assert!(matches!(Reproduction::new(&["all"]).unwrap().trials(1), Err(PaperError::Trials { .. })));
    }
}

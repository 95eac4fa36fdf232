//! Studies of many trials, in cells that differ by a setting.

use std::time::Instant;

use rand::rngs::ChaCha8Rng;
use steinbound::{Error, Fit, simulate};

/// Trials under several settings, which form one table.
pub struct Study {
    /// The name of its table, without extension.
    pub name: &'static str,
    /// The columns that identify a setting, for example `n` and `m`.
    pub labels: &'static [&'static str],
    /// The quantities measured, for example `error`.
    pub quantities: &'static [&'static str],
    /// The number of trials in the paper. A study of one trial is deterministic or an example, and is not
    /// repeated.
    pub trials: usize,
    /// Whether times are of interest.
    pub is_timed: bool,
    /// The settings.
    pub cells: Vec<Cell>,
}

impl Study {
    /// The number of trials to run, given the requested number.
    pub fn trials(&self, asked: Option<usize>) -> usize {
        match (self.trials, asked) {
            (1, _) => 1,
            (all, asked) => asked.unwrap_or(all),
        }
    }
}

/// One setting of a study.
pub struct Cell {
    /// Its values of the study's labels.
    pub labels: Vec<String>,
    /// The methods compared.
    pub methods: Vec<&'static str>,
    /// One trial: the measurements of each method.
    run: Box<Run>,
}

type Run = dyn Fn(&Trial) -> Result<Vec<Measured>, Error> + Send + Sync;

impl Cell {
    /// A cell, with its labels as text.
    pub fn new<L: ToString>(
        labels: impl IntoIterator<Item = L>,
        methods: &[&'static str],
        run: impl Fn(&Trial) -> Result<Vec<Measured>, Error> + Send + Sync + 'static,
    ) -> Cell {
        Cell {
            labels: labels.into_iter().map(|label| label.to_string()).collect(),
            methods: methods.to_vec(),
            run: Box::new(run),
        }
    }

    /// The measurements of each method in a trial; all NaN if the trial could not be run.
    pub fn run(&self, trial: &Trial, quantities: usize) -> Vec<Measured> {
        let mut measured = (self.run)(trial).unwrap_or_default();
        measured.resize_with(self.methods.len(), || Measured::nothing(quantities));
        for one in &mut measured {
            one.values.resize(quantities, f64::NAN);
        }
        measured
    }
}

/// One repetition of an experiment.
#[derive(Debug, Clone, Copy)]
pub struct Trial {
    /// The seed of the whole run.
    pub seed: u64,
    /// Its number, from 0.
    pub number: usize,
}

impl Trial {
    /// Random numbers for a purpose. Cells with the same purpose get the same numbers, and so the same data.
    pub fn stream(&self, purpose: &str) -> ChaCha8Rng {
        // The hash of Fowler, Noll and Vo: one stream for each purpose and number.
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let bytes = purpose.bytes().chain([0xff]).chain((self.number as u64).to_le_bytes());
        simulate::stream(self.seed, bytes.fold(0xcbf2_9ce4_8422_2325, mix))
    }
}

/// The measurements of a method in a trial: NaN if it failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// One value for each quantity.
    pub values: Vec<f64>,
    /// Its time.
    pub seconds: f64,
}

impl Measured {
    /// Values whose time is not of interest.
    pub fn values(values: Vec<f64>) -> Measured {
        Measured { values, seconds: f64::NAN }
    }

    fn nothing(quantities: usize) -> Measured {
        Measured::values(vec![f64::NAN; quantities])
    }

    /// The measurements of a timed computation; empty if it fails.
    pub fn timed<T>(
        make: impl FnOnce() -> Result<T, Error>,
        values: impl FnOnce(&T) -> Vec<f64>,
    ) -> Measured {
        let started = Instant::now();
        let made = make();
        let seconds = started.elapsed().as_secs_f64();
        // Missing values are filled in by the cell.
        Measured { values: made.map_or_else(|_| Vec::new(), |made| values(&made)), seconds }
    }

    /// The distance of a fit's estimates from the truth.
    pub fn error(fit: impl FnOnce() -> Result<Fit, Error>, truth: &[f64]) -> Measured {
        Measured::timed(fit, |fit| vec![distance(&fit.estimates(), truth)])
    }
}

/// The Euclidean distance between two points.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn streams_differ_by_purpose_and_number_and_repeat() {
        let draw = |seed, number, purpose| Trial { seed, number }.stream(purpose).random::<u64>();
        assert_eq!(draw(1, 2, "data"), draw(1, 2, "data"));
        let others = [draw(1, 2, "edge"), draw(1, 3, "data"), draw(2, 2, "data"), draw(1, 258, "data")];
        assert!(others.iter().all(|other| *other != draw(1, 2, "data")));
    }

    #[test]
    fn what_fails_measures_nothing() {
        let cell = Cell::new([2], &["a", "b"], |_| {
            let refused = || steinbound::Points::from_rows::<[f64; 1]>(&[]).map_err(Error::from);
            Ok(vec![Measured::timed(refused, |_| vec![1.0]), Measured::values(vec![3.0])])
        });
        let measured = cell.run(&Trial { seed: 0, number: 0 }, 1);
        assert!(measured[0].values[0].is_nan() && measured[1].values == [3.0]);
    }
}

//! Comparison of our errors with those of the public code.

use serde::Serialize;

use crate::results::{Results, Setting};

/// A mean computed by the public code.
#[derive(Debug, Clone, Copy)]
pub struct Published {
    /// The study in which we measure the same quantity.
    pub study: &'static str,
    /// The setting.
    pub setting: Setting<'static>,
    /// The method.
    pub method: &'static str,
    /// The quantity measured.
    pub quantity: &'static str,
    /// The mean.
    pub mean: f64,
    /// Its standard error, if known.
    pub std_error: Option<f64>,
    /// The number of trials behind it, from which the standard error is estimated if it is not known.
    pub trials: usize,
    /// The unit of the last digit of the mean.
    pub digit: f64,
    /// Whether the two should agree, or the mean is shown for information because the public code computes
    /// something else.
    pub is_comparable: bool,
}

impl Published {
    /// A mean error that should agree, given to three decimals.
    pub const fn error(
        study: &'static str,
        setting: Setting<'static>,
        method: &'static str,
        mean: f64,
        trials: usize,
    ) -> Published {
        let (quantity, std_error, digit, is_comparable) = ("error", None, 0.001, true);
        Published { study, setting, method, quantity, mean, std_error, trials, digit, is_comparable }
    }
}

/// Our mean and the published one.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// The figure.
    pub figure: String,
    /// The setting, in words.
    pub setting: String,
    /// The method.
    pub method: String,
    /// The quantity measured.
    pub quantity: String,
    /// Our mean.
    pub ours: f64,
    /// Its standard error.
    pub std_error: f64,
    /// The published mean.
    pub published: f64,
    /// Its standard error, as published or estimated from our spread.
    pub published_std_error: f64,
    /// Whether that was published.
    pub is_std_error_published: bool,
    /// The difference in combined standard errors.
    pub difference: f64,
    /// Whether the two should agree and there are enough trials to judge.
    pub is_judged: bool,
}

/// Two means that differ by more than this number of combined standard errors do not agree.
pub const LIMIT: f64 = 3.0;

/// Means over fewer trials are not judged: their own standard errors are too uncertain.
pub const FEWEST: usize = 16;

/// The agreement of means with published ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Agreement {
    /// The number of means that should agree.
    pub judged: usize,
    /// The number of these that differ by more than [`LIMIT`] combined standard errors or have no value.
    pub beyond: usize,
}

impl Agreement {
    /// Counts the comparisons.
    pub fn of(compared: &[Compared]) -> Agreement {
        let count = |is: &dyn Fn(&Compared) -> bool| compared.iter().filter(|row| is(row)).count();
        Agreement { judged: count(&|row| row.is_judged), beyond: count(&Compared::is_beyond) }
    }
}

impl Compared {
    /// Compares our mean with the published one; `None` if we have not run it.
    ///
    /// The combined standard error includes the rounding to the last published digit.
    pub fn new(figure: &str, published: &Published, results: &Results) -> Option<Compared> {
        let Published { study, setting, method, quantity, .. } = *published;
        let ours = results.mean(study, setting, method, quantity)?;
        let theirs = published.std_error.unwrap_or_else(|| ours.std_error_over(published.trials));
        let rounding = published.digit / 12f64.sqrt();
        let combined = (ours.std_error.powi(2) + theirs.powi(2) + rounding.powi(2)).sqrt();
        let words: Vec<String> = setting.iter().map(|(label, value)| format!("{label} {value}")).collect();
        Some(Compared {
            figure: figure.to_string(),
            setting: words.join(", "),
            method: method.to_string(),
            quantity: quantity.replace('_', " "),
            ours: ours.mean,
            std_error: ours.std_error,
            published: published.mean,
            published_std_error: theirs,
            is_std_error_published: published.std_error.is_some(),
            difference: (ours.mean - published.mean) / combined,
            is_judged: published.is_comparable && ours.trials + ours.failed >= FEWEST,
        })
    }

    /// Whether the two should agree and do not.
    pub fn is_beyond(&self) -> bool {
        // A missing value does not agree.
        self.is_judged && (self.difference.is_nan() || self.difference.abs() > LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::small;

    #[test]
    fn differences_are_in_combined_standard_errors() {
        let published = Published {
            study: "small",
            setting: &[("d", "4")],
            method: "a",
            quantity: "error",
            mean: 3.0,
            std_error: None,
            trials: 8,
            digit: 0.0,
            is_comparable: true,
        };
        // Ours are 3 and 5: mean 4, standard error 1, and so 0.5 over eight trials.
        let compared = Compared::new("fig", &published, &small()).unwrap();
        assert!((compared.difference - 1.0 / 1.25f64.sqrt()).abs() < 1e-12, "{compared:?}");
        assert_eq!(compared.setting, "d 4");
        assert!(!compared.is_judged, "two trials are too few");
        let mut compared = Compared { is_judged: true, ..compared };
        assert!(!compared.is_beyond());
        for difference in [3.1, -3.1, f64::NAN] {
            compared.difference = difference;
            assert!(compared.is_beyond());
        }
        assert_eq!(Agreement::of(&[compared.clone(), compared]), Agreement { judged: 2, beyond: 2 });
        assert!(Compared::new("fig", &Published { study: "other", ..published }, &small()).is_none());
    }
}

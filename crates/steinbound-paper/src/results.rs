//! Measurements, and their means with standard errors.

use serde::Serialize;

use crate::study::{Cell, Measured, Study};

/// All trials of several studies.
pub struct Results {
    /// The studies that were run.
    pub studies: Vec<Study>,
    /// The measurements by study, cell, trial and method.
    pub measured: Vec<Vec<Vec<Vec<Measured>>>>,
}

/// A mean over trials.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub std_error: f64,
    /// The median, which is not affected by a search that found a wrong minimum.
    pub median: f64,
    /// The number of trials averaged.
    pub trials: usize,
    /// The number of trials without a measurement.
    pub failed: usize,
}

impl Mean {
    /// The mean of the finite values.
    ///
    /// ```
    /// use steinbound_paper::Mean;
    /// let mean = Mean::of(&[3.0, 1.0, f64::NAN]);
    /// assert_eq!((mean.mean, mean.std_error, mean.median), (2.0, 1.0, 2.0));
    /// assert_eq!((mean.trials, mean.failed), (2, 1));
    /// ```
    pub fn of(values: &[f64]) -> Mean {
        let mut finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        finite.sort_by(f64::total_cmp);
        let count = finite.len() as f64;
        let mean = finite.iter().sum::<f64>() / count;
        let variance = finite.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Mean {
            mean,
            std_error: (variance / count).sqrt(),
            median: median(&finite),
            trials: finite.len(),
            failed: values.len() - finite.len(),
        }
    }

    /// The standard error of a mean over another number of trials.
    pub fn std_error_over(&self, trials: usize) -> f64 {
        self.std_error * (self.trials as f64 / trials as f64).sqrt()
    }
}

/// The median of sorted values, NaN if there are none.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match (sorted.len() % 2, sorted.get(middle)) {
        (1, Some(value)) => *value,
        (0, Some(value)) => 0.5 * (sorted[middle - 1] + value),
        _ => f64::NAN,
    }
}

/// A setting within a study: some of its labels and their values.
pub type Setting<'a> = &'a [(&'a str, &'a str)];

impl Study {
    /// The value of a label in a cell.
    pub fn label<'a>(&self, cell: &'a Cell, label: &str) -> Option<&'a str> {
        let at = self.labels.iter().position(|l| *l == label)?;
        cell.labels.get(at).map(String::as_str)
    }

    fn has(&self, cell: &Cell, setting: Setting) -> bool {
        setting.iter().all(|(label, value)| self.label(cell, label) == Some(value))
    }

    /// The index of a quantity among those measured.
    pub fn quantity(&self, name: &str) -> Option<usize> {
        self.quantities.iter().position(|q| *q == name)
    }
}

impl Results {
    fn study(&self, name: &str) -> Option<usize> {
        self.studies.iter().position(|study| study.name == name)
    }

    /// The results of `read` for each trial of the first cell in which a method is run under the setting.
    fn trials(
        &self,
        study: &str,
        setting: Setting,
        method: &str,
        read: impl Fn(&Measured) -> f64,
    ) -> Vec<f64> {
        let Some(s) = self.study(study) else { return Vec::new() };
        let study = &self.studies[s];
        let place = |(c, cell): (usize, &Cell)| {
            let method = cell.methods.iter().position(|m| *m == method)?;
            study.has(cell, setting).then_some((c, method))
        };
        let Some((cell, method)) = study.cells.iter().enumerate().find_map(place) else { return Vec::new() };
        self.measured[s][cell].iter().map(|trial| read(&trial[method])).collect()
    }

    /// The measurements of a method, trial by trial; empty if it was not run.
    pub fn values(&self, study: &str, setting: Setting, method: &str, quantity: &str) -> Vec<f64> {
        let quantity = self.study(study).and_then(|s| self.studies[s].quantity(quantity));
        let read = |measured: &Measured| quantity.map_or(f64::NAN, |q| measured.values[q]);
        self.trials(study, setting, method, read)
    }

    /// The mean of the measurements of a method.
    pub fn mean(&self, study: &str, setting: Setting, method: &str, quantity: &str) -> Option<Mean> {
        let values = self.values(study, setting, method, quantity);
        (!values.is_empty()).then(|| Mean::of(&values))
    }

    /// The median time of a method, which a busy machine disturbs less than the mean.
    pub fn seconds(&self, study: &str, setting: Setting, method: &str) -> Option<f64> {
        let times = self.trials(study, setting, method, |measured| measured.seconds);
        Some(Mean::of(&times).median).filter(|seconds| seconds.is_finite())
    }

    /// The results of `read` along a label, in the order of the cells under a setting in which a method is
    /// run.
    fn along<T>(
        &self,
        study: &str,
        setting: Setting,
        label: &str,
        method: &str,
        read: impl Fn(Setting) -> Option<T>,
    ) -> Vec<(f64, T)> {
        let Some(study) = self.study(study).map(|s| &self.studies[s]) else { return Vec::new() };
        let cells = study.cells.iter().filter(|c| study.has(c, setting) && c.methods.contains(&method));
        let at = |cell: &Cell| {
            let value = study.label(cell, label)?;
            let setting: Vec<(&str, &str)> = setting.iter().copied().chain([(label, value)]).collect();
            Some((value.parse().ok()?, read(&setting)?))
        };
        cells.filter_map(at).collect()
    }

    /// A method's means along a label with numeric values: those values and the means.
    pub fn means(
        &self,
        study: &str,
        setting: Setting,
        label: &str,
        method: &str,
        quantity: &str,
    ) -> Vec<(f64, Mean)> {
        self.along(study, setting, label, method, |setting| self.mean(study, setting, method, quantity))
    }

    /// A method's median times along a label.
    pub fn times(&self, study: &str, setting: Setting, label: &str, method: &str) -> Vec<(f64, f64)> {
        self.along(study, setting, label, method, |setting| self.seconds(study, setting, method))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two cells, of which the second has two methods.
    pub(crate) fn small() -> Results {
        let cell =
            |labels: [&str; 2], methods: &[&'static str]| Cell::new(labels, methods, |_| Ok(Vec::new()));
        let study = Study {
            name: "small",
            labels: &["ball", "d"],
            quantities: &["error", "other"],
            trials: 2,
            is_timed: true,
            cells: vec![cell(["l1, l2", "2"], &["a"]), cell(["l1, l2", "4"], &["a", "b"])],
        };
        let one = |value: f64| Measured { values: vec![value, f64::NAN], seconds: 10.0 * value };
        let measured = vec![vec![
            vec![vec![one(1.0)], vec![one(2.0)]],
            vec![vec![one(3.0), one(30.0)], vec![one(5.0), one(50.0)]],
        ]];
        Results { studies: vec![study], measured }
    }

    #[test]
    fn values_are_found_by_setting_and_method() {
        let results = small();
        assert_eq!(results.values("small", &[("d", "4")], "a", "error"), [3.0, 5.0]);
        assert_eq!(results.values("small", &[], "b", "error"), [30.0, 50.0]);
        assert!(results.values("small", &[("d", "2")], "b", "error").is_empty());
        assert!(results.values("large", &[], "a", "error").is_empty());
        assert_eq!(results.seconds("small", &[("d", "2")], "a"), Some(15.0));
        let along = results.means("small", &[("ball", "l1, l2")], "d", "a", "error");
        assert_eq!(
            along.iter().map(|(d, mean)| (*d, mean.mean)).collect::<Vec<_>>(),
            [(2.0, 1.5), (4.0, 4.0)]
        );
        assert_eq!(results.mean("small", &[], "a", "other").unwrap().failed, 2);
    }
}

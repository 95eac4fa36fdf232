//! How much the estimates depend on kernel, bandwidth and boundary points.

use serde::{Deserialize, Serialize};

use super::trial::Trial;
use super::tuning::BANDWIDTH_FACTORS;
use super::yardstick::Yardstick;
use crate::compute::in_pool;
use crate::error::{Error, FitError};
use crate::fit::{Estimator, Variant};
use crate::kernel::{self, Bandwidth};
use crate::matrix::Matrix;
use crate::method::sees_one_coordinate;
use crate::model::Model;
use crate::points::Points;
use crate::text::setting;

/// The same fit under other kernels and bandwidths, and with half and double the number of boundary points.
///
/// # Definition
///
/// The model is fitted with each of the four kernels at 0.5, 1, 1.73 and 3 times the bandwidth, and for TKSD
/// once more with every second boundary point, and with double their number if they are sampled from a
/// domain. A row's difference is the largest over the parameters of `|estimate - base| / standard error of
/// the base`.
///
/// Different kernels weigh the same observations differently, so that the estimates vary by chance. A row
/// agrees if its difference, standardised by its own covariance as in [`Tuning`](super::Tuning), is below the
/// chi-square quantile [`LEVEL`](super::LEVEL). If many do not, the answer depends on an arbitrary choice:
/// the model does not fit, the boundary is too sparse, or a wide kernel leaks through it.
///
/// # Requirements
///
/// A method with a kernel, and a trustworthy base fit.
///
/// # Complexity
///
/// Sixteen fits, one or two more for TKSD.
///
/// # Reference
///
/// Leamer, *Sensitivity Analyses Would Help*, American Economic Review 75, 1985.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Sensitivity {
    /// The names of the parameters.
    pub parameters: Vec<String>,
    /// The fits, the base first.
    pub rows: Vec<SensitivityRow>,
    /// The largest difference of any row.
    pub largest: f64,
    /// The result in one sentence.
    pub summary: String,
    /// The remedy if many settings move an estimate by more than a standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// A fit under other settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SensitivityRow {
    /// The settings and the estimates.
    #[serde(flatten)]
    pub variant: Variant,
    /// The largest difference from the base fit, in standard errors of the base fit.
    pub difference: Option<f64>,
    /// The parameter with that difference.
    pub parameter: Option<String>,
    /// Whether chance explains the difference.
    pub agrees: bool,
}

impl Sensitivity {
    /// The same with the estimates of every row in other reported parameters, as in
    /// [`Fit::mapped`](crate::Fit::mapped).
    pub fn mapped(mut self, map: impl Fn(&[f64]) -> Option<(Vec<f64>, Matrix)>) -> Sensitivity {
        for row in &mut self.rows {
            row.variant = row.variant.clone().mapped(&map);
        }
        self
    }
}

impl Estimator {
    /// How much the estimates depend on kernel, bandwidth and boundary points ([`Sensitivity`]).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, domain::Ball, model::Gaussian, simulate};
    /// let disc = Ball::new(1.4)?.in_dimension(2);
    /// let model = Gaussian::with_variance(2, 1.0)?;
    /// let data = simulate::truncated(&model, &[0.5, 0.5], &disc, 300, &mut simulate::stream(1, 0))?.points;
    /// let found = Estimator::tksd().domain(Arc::new(disc)).sensitivity(&data, &model)?;
    /// assert_eq!(found.rows.len(), 18);
    /// assert!(found.largest < 2.0 && found.summary.starts_with("the estimates move by at most"));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn sensitivity(&self, data: &Points, model: &dyn Model) -> Result<Sensitivity, Error> {
        self.interrupt.watch(|| in_pool(|| self.sensitivity_here(data, model)))
    }

    fn sensitivity_here(&self, data: &Points, model: &dyn Model) -> Result<Sensitivity, Error> {
        if !self.method.has_kernel() {
            return Err(self.no_kernel().into());
        }
        let (base, fit) = self.pinned(data, model)?;
        if !fit.is_trustworthy() {
            return Err(FitError::NoBase.into());
        }
        let own = self.kernel.name();
        let mut trials = vec![Trial::of(&fit, model)];
        let others = kernel::names().into_iter().filter(|name| *name != own);
        for name in [own].into_iter().chain(others) {
            // A user-defined kernel cannot be found by its name.
            let kernel = if name == own { self.kernel.clone() } else { kernel::by_name(name)? };
            for factor in BANDWIDTH_FACTORS.into_iter().filter(|factor| name != own || *factor != 1.0) {
                let bandwidth = Bandwidth::Fixed(factor * base.bandwidth);
                let estimator = base.estimator.clone().kernel(kernel.clone()).bandwidth(bandwidth);
                trials.push(Trial::run(&estimator, fit.setup.m, data, model));
            }
        }
        if self.method.uses().boundary_points
            && !sees_one_coordinate(data)
            && let Some(boundary) = base.boundary.as_ref().filter(|points| points.len() > 1)
        {
            let half = boundary.len().div_ceil(2);
            // Given points are thinned; others are sampled anew, because their order may be systematic.
            let sampled = |count: usize| {
                self.clone().bandwidth(Bandwidth::Fixed(base.bandwidth)).boundary_points(count)
            };
            match &self.boundary {
                None => {
                    trials.push(Trial::run(&sampled(half), half, data, model));
                    // A boundary that is a finite set has no further points.
                    let double = 2 * boundary.len();
                    let trial = Trial::run(&sampled(double), double, data, model);
                    trials.extend(Some(trial).filter(|trial| trial.variant.boundary_points > fit.setup.m));
                }
                Some(_) => {
                    let thinned =
                        |points: &Points| Points::from_rows(&points.rows().step_by(2).collect::<Vec<_>>());
                    let mut estimator = base.estimator.clone().boundary(thinned(boundary)?);
                    if let Some(normals) = &self.boundary_normals {
                        estimator = estimator.boundary_normals(thinned(normals)?);
                    }
                    trials.push(Trial::run(&estimator, half, data, model));
                }
            }
        }
        let names: Vec<String> = fit.parameters.iter().map(|p| p.name.clone()).collect();
        let (estimates, errors) = (fit.estimates(), fit.std_errors());
        let yardstick = Yardstick::new(&trials[0].variant, data);
        let row = |trial: &Trial| {
            let variant = trial.variant.clone();
            let moved = variant.estimates.iter().zip(&estimates).zip(&errors);
            let moved = moved.map(|((value, base), error)| (value - base).abs() / error);
            let largest = moved.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            let parameter = largest.map(|(k, _)| names[k].clone());
            let agrees =
                variant.is_fitted() && yardstick.difference(trial, &trials[0])? <= yardstick.threshold;
            Ok(SensitivityRow { difference: largest.map(|(_, value)| value), parameter, agrees, variant })
        };
        let rows = trials.iter().map(row).collect::<Result<Vec<_>, Error>>()?;
        let (largest, summary) = summary(&rows);
        let warning = warning(&rows);
        Ok(Sensitivity { parameters: names, rows, largest, summary, warning })
    }
}

/// The share of other settings that may move an estimate by more than a standard error, and by more than
/// chance. On samples of up to 5,000 points from the fitted model, in discs, boxes and the United States, at
/// most 5 of 17 did.
const MOST_MOVED: f64 = 1.0 / 3.0;

/// The warning if the answer depends on the settings by more than its standard error.
fn warning(rows: &[SensitivityRow]) -> Option<String> {
    let is_moved = |row: &&SensitivityRow| {
        row.variant.is_fitted() && !row.agrees && row.difference.is_some_and(|moved| moved > 1.0)
    };
    let (moved, tried) = (rows.iter().skip(1).filter(is_moved).count(), rows.len().saturating_sub(1));
    (moved as f64 > MOST_MOVED * tried as f64).then(|| {
        format!(
            "the answer depends on settings: {moved} of {tried} other kernels, bandwidths and numbers of \
             boundary points move an estimate by more than a standard error; either the boundary points are \
             too sparse, then use more of them, or the model does not fit, then test it"
        )
    })
}

/// The largest difference, and a sentence about it.
fn summary(rows: &[SensitivityRow]) -> (f64, String) {
    let failed = rows.iter().filter(|row| !row.variant.is_fitted()).count();
    let moved = rows.iter().skip(1).filter_map(|row| row.difference.map(|value| (row, value)));
    let most = moved.max_by(|a, b| a.1.total_cmp(&b.1));
    let mut text = match most {
        None => "no other setting could be fitted".to_string(),
        Some((row, value)) => {
            let variant = &row.variant;
            let is_other = variant.boundary_points != rows[0].variant.boundary_points;
            let other = if is_other {
                format!(", {} boundary points", variant.boundary_points)
            } else {
                String::new()
            };
            let method =
                variant.estimated_by.as_ref().map_or_else(String::new, |name| format!(", by {name}"));
            format!(
                "the estimates move by at most {value:.2} standard errors ({}: kernel {}, bandwidth \
                 {}{other}{method})",
                row.parameter.as_deref().unwrap_or_default(),
                variant.kernel,
                setting(variant.bandwidth)
            )
        }
    };
    let differ = rows.iter().filter(|row| row.variant.is_fitted() && !row.agrees).count();
    if differ > 0 {
        text.push_str(&format!(
            "; {differ} of {} fits differ from the base by more than chance",
            rows.len() - 1
        ));
    }
    if failed > 0 {
        text.push_str(&format!("; {failed} of {} could not be fitted", rows.len() - 1));
    }
    (most.map_or(0.0, |(_, value)| value), text)
}

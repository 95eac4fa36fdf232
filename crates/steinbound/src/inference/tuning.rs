//! Bandwidth and ridge chosen by agreement.

use std::time::Instant;

use super::trial::Trial;
use super::yardstick::Yardstick;
use crate::compute::in_pool;
use crate::error::{Error, FitError};
use crate::fit::{
    Candidate, Estimator, Fit, LEAST_OBSERVATIONS, LEAST_VARIANCE, Problem, Tuning, TuningRule, Variant,
};
use crate::kernel::Bandwidth;
use crate::method::names_where;
use crate::model::Model;
use crate::points::Points;

/// Multiples of the default bandwidth that are tried.
pub(crate) const BANDWIDTH_FACTORS: [f64; 4] = [0.5, 1.0, 1.7320508075688772, 3.0];

/// Ridges that are tried.
const RIDGES: [f64; 3] = [0.1, 0.01, 1e-3];

impl Estimator {
    /// The same estimator with bandwidth and ridge [chosen by agreement](Tuning), and how they were chosen.
    ///
    /// The current settings, given or not, are the default that others must agree with.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, domain::Ball, model::Gaussian, simulate};
    /// let disc = Ball::new(1.4)?.in_dimension(2);
    /// let model = Gaussian::with_variance(2, 1.0)?;
    /// let data = simulate::truncated(&model, &[0.5, 0.5], &disc, 300, &mut simulate::stream(1, 0))?.points;
    /// let (tuned, tuning) = Estimator::tksd().domain(Arc::new(disc)).tuned(&data, &model)?;
    /// assert_eq!(tuning.candidates.len(), 13);
    /// let chosen = tuning.choice().unwrap();
    /// assert!(chosen.spread <= Some(1.0));
    /// assert_eq!(tuned.fit(&data, &model)?.estimates(), chosen.variant.estimates);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn tuned(&self, data: &Points, model: &dyn Model) -> Result<(Estimator, Tuning), Error> {
        self.interrupt.watch(|| in_pool(|| self.agreed(data, model)))
    }

    /// [Checks](Estimator::check) with bandwidth and ridge chosen by agreement, if the method has a kernel;
    /// fits of the problem then report how they were chosen.
    pub fn check_tuned<'a>(&self, data: &'a Points<'a>, model: &'a dyn Model) -> Result<Problem<'a>, Error> {
        if !self.method.has_kernel() {
            return self.check(data, model);
        }
        let started = Instant::now();
        let (estimator, tuning) = self.tuned(data, model)?;
        let took = started.elapsed().as_secs_f64();
        Ok(estimator.check(data, model)?.chosen_by(tuning, took))
    }

    /// Fits with bandwidth and ridge chosen by agreement, if the method has a kernel; the fit then reports
    /// how they were chosen.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let fit = Estimator::ksd().fit_tuned(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// let tuning = fit.tuning.unwrap();
    /// assert!(tuning.note.unwrap().contains("fewer than 100"));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn fit_tuned(&self, data: &Points, model: &dyn Model) -> Result<Fit, Error> {
        self.check_tuned(data, model)?.fit()
    }

    fn agreed(&self, data: &Points, model: &dyn Model) -> Result<(Estimator, Tuning), Error> {
        if !self.method.has_kernel() {
            return Err(self.no_kernel().into());
        }
        let (base, default) = self.pinned(data, model)?;
        let trial = Trial::of(&default, model);
        let yardstick = Yardstick::new(&trial.variant, data);
        let independent = data.independent();
        let reason = if !trial.variant.is_fitted() {
            Some(
                "the fit with the default settings is not to be trusted: there is nothing to agree with"
                    .into(),
            )
        } else if independent < LEAST_OBSERVATIONS {
            Some(format!(
                "there are fewer than {LEAST_OBSERVATIONS} independent observations ({independent}), too few to \
                 distinguish a better choice from one that leaks: the default is kept"
            ))
        } else {
            None
        };
        let is_hopeless = reason.is_some();
        let mut tuning = Tuning {
            rule: TuningRule::Agreement,
            candidates: Vec::new(),
            default: 0,
            chosen: 0,
            threshold: yardstick.threshold,
            note: reason,
        };
        if is_hopeless {
            let mut only = Candidate::new(trial.variant);
            only.agrees = only.variant.is_fitted();
            tuning.candidates.push(only);
            return Ok((base.estimator, tuning));
        }
        let mut trials = vec![trial];
        for (bandwidth, ridge) in base.grid() {
            trials.push(Trial::run(&base.with(bandwidth, ridge), default.setup.m, data, model));
        }
        tuning.candidates = judged(&trials, &yardstick)?;
        // The default comes first, and is kept unless another is better.
        for (k, candidate) in tuning.candidates.iter().enumerate() {
            let is_better = candidate.spread < tuning.candidates[tuning.chosen].spread;
            if candidate.agrees && candidate.spread.is_some() && is_better {
                tuning.chosen = k;
            }
        }
        let chosen = &tuning.candidates[tuning.chosen].variant;
        Ok((base.with(chosen.bandwidth, chosen.ridge), tuning))
    }

    /// The error for a method that has no kernel to vary.
    pub(super) fn no_kernel(&self) -> FitError {
        FitError::NoKernel { method: self.method.name(), instead: names_where(|uses| uses.kernel) }
    }

    /// The estimator to be varied, and its fit: its bandwidth is fixed, and its boundary points are found
    /// once.
    pub(crate) fn pinned(&self, data: &Points, model: &dyn Model) -> Result<(Pinned, Fit), Error> {
        let problem = self.check(data, model)?;
        let fit = problem.fit()?;
        let bandwidth = fit.setup.kernel.as_ref().map_or(f64::NAN, |kernel| kernel.bandwidth);
        let mut estimator = self.clone().bandwidth(Bandwidth::Fixed(bandwidth));
        if let Some(boundary) = problem.boundary() {
            estimator = estimator.boundary(boundary.clone());
        }
        if let Some(ridge) = fit.setup.ridge {
            estimator = estimator.ridge(ridge);
        }
        Ok((Pinned { estimator, bandwidth, boundary: problem.boundary().cloned() }, fit))
    }
}

/// An estimator whose bandwidth and boundary points are known.
pub(crate) struct Pinned {
    pub(crate) estimator: Estimator,
    pub(crate) bandwidth: f64,
    pub(crate) boundary: Option<Points<'static>>,
}

impl Pinned {
    /// Bandwidths and ridges to be tried besides the default.
    fn grid(&self) -> Vec<(f64, Option<f64>)> {
        let is_ridged = self.estimator.method.uses().ridge;
        let ridges: Vec<Option<f64>> =
            if is_ridged { RIDGES.into_iter().map(Some).collect() } else { vec![None] };
        let default = (self.bandwidth, self.estimator.ridge.filter(|_| is_ridged));
        let pairs = BANDWIDTH_FACTORS
            .into_iter()
            .flat_map(|factor| ridges.iter().map(move |ridge| (factor * self.bandwidth, *ridge)));
        pairs.filter(|pair| *pair != default).collect()
    }

    fn with(&self, bandwidth: f64, ridge: Option<f64>) -> Estimator {
        let estimator = self.estimator.clone().bandwidth(Bandwidth::Fixed(bandwidth));
        match ridge {
            Some(ridge) => estimator.ridge(ridge),
            None => estimator,
        }
    }
}

/// Whether some variance is below [`LEAST_VARIANCE`] of the default's: the difference from the default is
/// then mostly the default's own noise, which would hide a bias as large as the candidate's standard error.
fn is_too_precise(variant: &Variant, default: &[f64]) -> bool {
    variant
        .std_errors
        .iter()
        .zip(default)
        .any(|(own, default)| own * own < LEAST_VARIANCE * default * default)
}

/// The candidates, the default first, each compared with all that are less precise.
fn judged(trials: &[Trial], yardstick: &Yardstick) -> Result<Vec<Candidate>, Error> {
    let default = &trials[0].variant.std_errors;
    let spread = |variant: &Variant| {
        let ratios = variant.std_errors.iter().zip(default).map(|(own, default)| (own / default).powi(2));
        variant.is_fitted().then(|| ratios.sum::<f64>() / default.len() as f64)
    };
    let mut candidates: Vec<Candidate> = trials.iter().map(|t| Candidate::new(t.variant.clone())).collect();
    for candidate in &mut candidates {
        candidate.spread = spread(&candidate.variant);
    }
    for i in 0..candidates.len() {
        let Some(own) = candidates[i].spread else { continue };
        let mut largest = 0.0f64;
        for j in (0..candidates.len()).filter(|j| *j != i) {
            if candidates[j].spread.is_some_and(|other| other >= own) {
                largest = largest.max(yardstick.difference(&trials[i], &trials[j])?);
            }
        }
        let from_default = if i == 0 { 0.0 } else { yardstick.difference(&trials[i], &trials[0])? };
        let candidate = &mut candidates[i];
        candidate.difference = from_default.is_finite().then_some(from_default);
        candidate.largest_difference = largest.is_finite().then_some(largest);
        candidate.agrees = largest <= yardstick.threshold && !is_too_precise(&candidate.variant, default);
    }
    Ok(candidates)
}

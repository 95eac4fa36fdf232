//! Which of several models: information criteria, discrepancies on held-out data, and the choice by them.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::comparison::{Compared, Comparison};
use super::goodness_of_fit::{GoodnessOfFit, TestResult};
use crate::compute::in_pool;
use crate::error::Error;
use crate::fit::{Fit, Information, Problem};
use crate::kernel::Bandwidth;
use crate::likelihood::whole_log_densities;
use crate::minimise::{centred, start_less};
use crate::model::Model;
use crate::random::{stream, tasks};
use crate::stein::Statistic;

/// The squared discrepancy of a model on data that it was not fitted to, the smaller the better.
///
/// # Definition
///
/// Observations, or clusters of them, are divided at random into halves, five times. For each half the model is
/// fitted to the other, and the squared discrepancy of that density on it is measured, at a quarter of the reference's
/// bandwidth and as a U-statistic, whose expectation is zero for the true density. More parameters than needed do not
/// lower it.
///
/// # Reference
///
/// Stone, *Cross-Validatory Choice and Assessment of Statistical Predictions*, JRSS B 1974.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HeldOut {
    /// The mean over the folds.
    pub squared: f64,
    /// Its standard error, from the folds.
    pub std_error: f64,
    /// The value of each fold.
    pub folds: Vec<f64>,
}

impl HeldOut {
    /// The summary of folds.
    fn of(folds: Vec<f64>) -> HeldOut {
        let (squared, std_error) = mean_and_error(&folds);
        HeldOut { squared, std_error, folds }
    }

    /// How much larger this is than another with the same folds, and the standard error of that.
    fn above(&self, other: &HeldOut) -> (f64, f64) {
        let both = self.folds.iter().zip(&other.folds);
        mean_and_error(&both.map(|(a, b)| a - b).collect::<Vec<f64>>())
    }
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// The folds of cross-validation. A U-statistic of few observations is mostly noise: halves measure better than
/// fifths, and a model that needs all the data to be fitted loses by it, which is no fault here.
const FOLDS: usize = 2;

/// How often the data are divided anew.
const REPEATS: usize = 5;

/// The share of the reference's bandwidth at which held-out data are compared with a density: details in which
/// models differ, such as two modes for three, are smaller than the distances between observations. With 400
/// observations around one, two and three centres and boundary points alone, the right number of four was chosen in
/// 6, 4 and 1 of 6 samples at the bandwidth itself, in 6, 5 and 3 at half of it, in 6, 4 and 6 at a quarter.
const HELD_OUT_SHARE: f64 = 0.25;

/// The fewest independent observations in a fold.
const LEAST_IN_FOLD: usize = 12;

/// Beyond this many observations a test that nobody asked for would take too long.
const MOST_TESTED: usize = 5_000;

/// What models are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Criterion {
    /// The smallest [BIC](Information): the density inside the region is known up to its parameters.
    Bic,
    /// The first that a test does not reject and whose [discrepancy on held-out data](HeldOut) is not larger than the
    /// smallest by more than chance: the region is not known.
    HeldOut,
}

impl Criterion {
    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Bic => "BIC",
            Criterion::HeldOut => "test and held-out discrepancy",
        }
    }
}

/// A choice among models of growing size, and why it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Selection {
    /// What it was made by.
    pub criterion: Criterion,
    /// The place of the chosen model in the list, from zero.
    #[serde(skip)]
    pub place: usize,
    /// The name of the chosen model.
    pub chosen: String,
    /// Why it was chosen, in a sentence.
    pub reason: String,
    /// All models, in their order.
    pub candidates: Vec<Ranked>,
}

/// A model among which one was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ranked {
    /// Its name.
    pub label: String,
    /// The number of fitted parameters.
    pub parameter_count: usize,
    /// Its likelihood, if the region is known.
    #[serde(flatten)]
    pub information: Option<Information>,
    /// The p-value of the test of its fit, if the region is not known.
    pub p_value: Option<f64>,
    /// Its discrepancy on held-out data, if the region is not known.
    pub held_out: Option<HeldOut>,
    /// Whether its fit can be trusted.
    pub is_sound: bool,
    /// Why it could not be chosen, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded: Option<String>,
}

impl Problem<'_> {
    /// The log-likelihood at fitted parameters of a model, and criteria made of it. `None` if the density cannot be
    /// normalised: the region is not known, or the model has no density; or if it vanishes at an observation.
    ///
    /// Methods that ignore the boundary have the likelihood of the whole space, unless a region is known.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, Points, domain::Cuboid, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let (interval, model) = (Arc::new(Cuboid::interval(-1.0, 1.0)?), Gaussian::with_variance(1, 1.0)?);
    /// let problem = Estimator::truncated_mle().domain(interval).check(&data, &model)?;
    /// let fit = problem.fit()?;
    /// let found = problem.information(&model, &fit.fitted_parameters().unwrap())?.unwrap();
    /// assert!((found.log_likelihood - fit.log_likelihood.unwrap()).abs() < 1e-6);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn information(&self, model: &dyn Model, theta: &[f64]) -> Result<Option<Information>, Error> {
        if !self.can_be_normalised() || model.density().is_none() {
            return Ok(None);
        }
        let data = self.data;
        let logs = match self.estimator.known_domain() {
            Some(_) => self.estimator.truncated_log_density(data, model, theta, data)?,
            None => {
                let (origin, points) = centred(model, data);
                let theta = start_less(model, theta, &origin);
                let found = whole_log_densities(model, &points, &theta, &self.estimator.interrupt)?;
                let Some(logs) = found else { return Ok(None) };
                logs
            }
        };
        let counted = logs.iter().zip(&self.weights).filter(|(_, weight)| **weight > 0.0);
        let observations = self.weights.iter().filter(|weight| **weight > 0.0).count();
        let log_likelihood = counted.map(|(log, weight)| weight * log).sum::<f64>();
        let found = Information::new(log_likelihood, model.parameters(), observations);
        Ok(log_likelihood.is_finite().then_some(found))
    }

    /// Whether densities can be normalised: a region is known, or nothing of a boundary.
    pub(super) fn can_be_normalised(&self) -> bool {
        self.estimator.domain.is_some()
            || (self.estimator.boundary.is_none() && !self.method().uses().knows_boundary())
    }

    /// The discrepancy of this problem's model on data that it was not fitted to, measured as by a reference, whose
    /// model does not matter. `None` for fewer than 24 observations, or if the reference has no discrepancy.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::new((0..60).map(|i| f64::from(i * i % 61) / 20.0).collect::<Vec<f64>>(), 1)?;
    /// let model = Gaussian::full(1);
    /// let problem = Estimator::ksd().check(&data, &model)?;
    /// assert_eq!(problem.held_out(&problem, &problem.fit()?)?.unwrap().folds.len(), 10);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn held_out(&self, reference: &Problem, fit: &Fit) -> Result<Option<HeldOut>, Error> {
        self.watch(|| in_pool(|| self.cross_validated(reference, fit)))
    }

    fn cross_validated(&self, reference: &Problem, fit: &Fit) -> Result<Option<HeldOut>, Error> {
        let data = self.data;
        if !reference.method().has_kernel() || data.independent() < FOLDS * LEAST_IN_FOLD {
            return Ok(None);
        }
        let mut estimator = self.replicate();
        estimator.is_replicate = true;
        // The search for the whole data ended here.
        estimator.start = None;
        let near = fit.fitted_parameters().filter(|_| self.model.affine().is_none());
        let mut measure = reference.replicate().statistic(Statistic::U);
        measure.is_replicate = true;
        if let Some(kernel) = reference.setup().kernel.as_ref() {
            measure = measure.bandwidth(Bandwidth::Fixed(HELD_OUT_SHARE * kernel.bandwidth));
        }
        let mut folds = Vec::new();
        for at in 0..FOLDS * REPEATS {
            let fold = at % FOLDS;
            let fold_of = self.folds(at / FOLDS);
            let rows = |inside: bool| -> Vec<usize> {
                (0..data.len()).filter(|i| (fold_of[*i] == fold) == inside).collect()
            };
            let (kept, held) = (data.part(&rows(false))?, data.part(&rows(true))?);
            let problem = estimator.check(&kept, self.model)?;
            let found = problem.estimate(&problem.weights, near.as_deref())?;
            let Some(theta) = found.theta.filter(|theta| theta.iter().all(|v| v.is_finite())) else {
                return Ok(None);
            };
            let there = measure.check(&held, self.model)?;
            folds.push(there.discrepancy_under(self.model, &theta)?.squared);
        }
        Ok(Some(HeldOut::of(folds)))
    }

    /// A fold for each observation, the same for all observations of a cluster and all models.
    fn folds(&self, repeat: usize) -> Vec<usize> {
        let data = self.data;
        let groups = data.clusters().map_or(data.len(), |ids| ids.iter().max().map_or(0, |id| id + 1));
        let mut fold_of: Vec<usize> = (0..groups).map(|g| g % FOLDS).collect();
        let rng = &mut stream(self.estimator.seed, tasks::FOLDS + repeat as u64);
        for i in (1..groups).rev() {
            fold_of.swap(i, rng.random_range(0..=i));
        }
        (0..data.len()).map(|i| fold_of[data.clusters().map_or(i, |ids| ids[i])]).collect()
    }

    /// The test that models are compared by where nobody asked for one; `None` if it would take long.
    pub(super) fn unasked_test(&self, fit: &Fit) -> Option<TestResult> {
        if !self.method().has_kernel() || self.data.len() > MOST_TESTED {
            return None;
        }
        self.test(fit, &GoodnessOfFit::new()).ok()
    }
}

impl Comparison {
    /// Chooses among models of growing size, fitted by the same method; `None` if there is nothing to choose by.
    ///
    /// A fit whose [search](crate::model::Search::suspicion) is suspicious of it, such as one with a component that has
    /// lost its observations, is not chosen.
    pub fn choose(&self) -> Option<Selection> {
        let criterion = match self.fits.iter().any(|fit| fit.information.is_some()) {
            true => Criterion::Bic,
            false => Criterion::HeldOut,
        };
        let measured = |fit: &Compared| match criterion {
            Criterion::Bic => fit.information.is_some(),
            Criterion::HeldOut => fit.held_out.is_some(),
        };
        let excluded = |fit: &Compared| match &fit.suspicion {
            Some(suspicion) => Some(suspicion.clone()),
            None if measured(fit) => None,
            None => {
                let warning = || fit.fit.as_ref().and_then(|fit| fit.warnings.first().map(String::from));
                let reason = fit.reason.clone().or_else(warning);
                Some(reason.unwrap_or_else(|| "its density cannot be integrated over the region".into()))
            }
        };
        let candidates: Vec<Ranked> = self
            .fits
            .iter()
            .map(|fit| Ranked {
                label: fit.label.clone(),
                parameter_count: fit.parameter_count,
                information: fit.information,
                p_value: fit.test.as_ref().map(|test| test.p_value),
                held_out: fit.held_out.clone(),
                is_sound: fit.fit.as_ref().is_some_and(Fit::is_trustworthy),
                excluded: excluded(fit),
            })
            .collect();
        let (place, reason) = match criterion {
            Criterion::Bic => by_information(&candidates),
            Criterion::HeldOut => self.by_held_out(&candidates),
        }?;
        let chosen = candidates[place].label.clone();
        Some(Selection { criterion, place, chosen, reason, candidates })
    }

    fn by_held_out(&self, candidates: &[Ranked]) -> Option<(usize, String)> {
        let usable: Vec<(usize, &HeldOut)> = candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.excluded.is_none())
            .filter_map(|(k, candidate)| Some((k, candidate.held_out.as_ref()?)))
            .collect();
        let best = usable.iter().min_by(|a, b| a.1.squared.total_cmp(&b.1.squared))?;
        let is_near = |found: &HeldOut| {
            let (above, error) = found.above(best.1);
            above <= error
        };
        let is_rejected = |k: usize| self.fits[k].test.as_ref().is_some_and(|test| test.rejected);
        let near: Vec<usize> = usable.iter().filter(|(_, found)| is_near(found)).map(|(k, _)| *k).collect();
        Some(match near.iter().find(|k| !is_rejected(**k)) {
            Some(k) => {
                let p = candidates[*k].p_value.map_or_else(String::new, |p| format!(" (p = {p:.3})"));
                let reason = format!(
                    "the first that the test does not reject{p} and whose discrepancy on held-out data is within one \
                     standard error of the smallest"
                );
                (*k, reason)
            }
            None => {
                let reason =
                    "the smallest discrepancy on held-out data; the test rejects every one of those near it";
                (best.0, reason.into())
            }
        })
    }
}

fn by_information(candidates: &[Ranked]) -> Option<(usize, String)> {
    let bic = |k: usize| candidates[k].information.map(|found| found.bic);
    let usable = (0..candidates.len()).filter(|k| candidates[*k].excluded.is_none() && bic(*k).is_some());
    let mut usable: Vec<usize> = usable.collect();
    usable.sort_by(|a, b| bic(*a).unwrap_or(f64::NAN).total_cmp(&bic(*b).unwrap_or(f64::NAN)));
    let best = *usable.first()?;
    let of_next = usable.get(1).and_then(|next| Some((next, bic(*next)? - bic(best)?)));
    let reason = match of_next {
        Some((next, above)) => {
            format!("the smallest BIC; that of {} is larger by {above:.1}", candidates[*next].label)
        }
        None => "the only one whose BIC can be used".into(),
    };
    Some((best, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_out_values_are_compared_fold_by_fold() {
        let one = HeldOut::of(vec![1.0, 3.0, 2.0, 4.0, 5.0]);
        assert_eq!(one.squared, 3.0);
        assert!((one.std_error - (2.5f64 / 5.0).sqrt()).abs() < 1e-15);
        // They differ by the same in every fold, much less than they vary.
        let other = HeldOut::of(one.folds.iter().map(|v| v - 0.25).collect());
        let (above, error) = one.above(&other);
        assert_eq!(above, 0.25);
        assert!(error < 1e-12);
    }
}

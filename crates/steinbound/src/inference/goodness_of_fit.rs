use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::error::ResamplingError;
use super::resampling::{MOST_DRAWS, Progress, Simulator, Units, in_batches};
use crate::compute::{dot, in_pool};
use crate::error::{Error, FitError, ModelError};
use crate::fit::replicates::mean;
use crate::fit::{Fit, Problem};
use crate::matrix::Matrix;
use crate::method::{Estimator, Method};
use crate::minimise::linearised_features;
use crate::model::{AtPoints, checked_parameters, scores};
use crate::stein::{LinearScore, Moments, Pass, Statistic};

/// How the distribution of the statistic under the hypothesis is obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Null {
    /// Random signs for the given observations.
    Wild,
    /// New data drawn from the density inside the domain.
    Parametric,
}

/// A test of the hypothesis that the data come from a density, or from a family of densities, inside the
/// boundary.
///
/// # Definition
///
/// The statistic is the squared discrepancy `T = |mean_i xi_i|^2` in the kernel's space, `xi_i = psi(x_i)
/// k0(x_i, .) + d k0(x_i, .)`, whose expectation is zero under the hypothesis. The p-value is `(1 + #{T* >=
/// T}) / (1 + B)` over `B` draws of its distribution:
///
/// - *wild*, parameters given: `T* = |mean_i e_i xi_i|^2` with independent signs `e_i`, one for each cluster
///   if there are any;
/// - *wild*, parameters fitted: to first order `mean_i xi_i` at the estimate is a mean of `xi_i + J f_i` at
///   the truth, `f_i` being influence values and `J` the derivative of `mean_i xi_i` in the parameters. So
///   `T* = |mean_i e_i (xi_i + J f_i)|^2`, which is `e'He + 2 (e'F)(A'e) + (e'F) N (F'e)` with `N = J'J` and
///   `A_i = J' xi_i`: one pass over the pairs, and no refitting. Without the correction the test would hardly
///   ever reject;
/// - *parametric*: new data are drawn from the density inside the domain, fitted again where the parameters
///   were fitted (a search begins at the density drawn from and at the model's own starts), and their
///   statistic is `T*`.
///
/// # Requirements
///
/// A Stein discrepancy: tksd, bdksd or ksd; or a likelihood, whose estimate is tested by a discrepancy: that of
/// tksd for truncated-mle, that of ksd for mle. Likelihoods need data that can be drawn. By default given parameters are tested by the wild bootstrap and
/// fitted ones by the parametric; if data cannot be drawn (boundary points alone, weights, clusters, a model
/// without sampler) by the wild one, which is exact only as `n` grows and then tests the V-statistic. Tuned
/// settings are not tuned again for each draw. With too few boundary points the expectation of `xi_i` is not
/// zero. The parametric bootstrap draws data with the same bias and keeps its level; the wild one does not,
/// and a note reports it (given parameters are then tested by the parametric one if that is possible).
///
/// # Complexity
///
/// Wild: one pass over the pairs with a few columns for each draw. Parametric: a fit for each draw.
///
/// # Reference
///
/// Chwialkowski, Strathmann and Gretton, *A Kernel Test of Goodness of Fit*, ICML 2016, for the wild
/// bootstrap; Kojadinovic and Yan, *Goodness-of-fit testing based on a weighted bootstrap*, 2012, for the
/// correction; Key, Gretton, Briol and Fernandez, *Composite Goodness-of-fit Tests with Kernels*, 2021, for
/// the parametric bootstrap.
///
/// ```
/// use std::sync::Arc;
/// use steinbound::{Estimator, domain::Ball, inference::GoodnessOfFit, model::Gaussian, simulate};
/// let disc = Ball::new(1.4)?.in_dimension(2);
/// let model = Gaussian::with_variance(2, 1.0)?;
/// let sample = simulate::truncated(&model, &[0.5, 0.5], &disc, 300, &mut simulate::stream(1, 0))?;
/// let estimator = Estimator::tksd().domain(Arc::new(disc));
/// let problem = estimator.check(&sample.points, &model)?;
/// let far = problem.test_at(&[1.5, -0.5], &GoodnessOfFit::new())?;
/// assert!(far.rejected && far.p_value < 0.01);
/// let fitted = problem.test(&problem.fit()?, &GoodnessOfFit::new().draws(99))?;
/// assert!(!fitted.rejected);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct GoodnessOfFit<'a> {
    draws: usize,
    level: f64,
    null: Option<Null>,
    progress: Option<Progress<'a>>,
}

/// The result of a test of goodness of fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TestResult {
    /// The squared discrepancy.
    pub statistic: f64,
    /// The probability of a statistic at least as large under the hypothesis.
    pub p_value: f64,
    /// The number of draws under the hypothesis.
    pub bootstrap: usize,
    /// Whether the hypothesis is rejected.
    pub rejected: bool,
    /// The level of the test.
    pub level: f64,
    /// How the distribution under the hypothesis was obtained.
    #[serde(rename = "resampling")]
    pub null: Null,
    /// The statistic that was tested.
    pub statistic_type: Statistic,
    /// Whether the parameters were fitted to the same data.
    pub fitted: bool,
    /// The mean statistic under the hypothesis.
    pub expected: f64,
    /// The statistic that is exceeded with the probability of the level under the hypothesis.
    pub critical: f64,
    /// Draws that could not be fitted and were left out.
    pub failed: usize,
    /// Whether the level is reliable: `false` if the kernel's leak at the boundary dominates the statistic.
    pub trustworthy: bool,
    /// How to read the result, and why this bootstrap was used.
    pub notes: Vec<String>,
    /// The statistics drawn under the hypothesis, in order; for plots, and not serialised.
    #[serde(skip)]
    pub draws: Vec<f64>,
}

/// The share of failed draws above which there is no result.
const MOST_FAILED: f64 = 0.2;

impl Default for GoodnessOfFit<'_> {
    fn default() -> Self {
        GoodnessOfFit { draws: 500, level: 0.05, null: None, progress: None }
    }
}

impl<'a> GoodnessOfFit<'a> {
    /// A test at the level 0.05 with 500 draws.
    pub fn new() -> GoodnessOfFit<'a> {
        GoodnessOfFit::default()
    }

    /// The number of draws.
    pub fn draws(mut self, draws: usize) -> GoodnessOfFit<'a> {
        self.draws = draws;
        self
    }

    /// The level: the accepted probability of rejecting a true hypothesis.
    pub fn level(mut self, level: f64) -> GoodnessOfFit<'a> {
        self.level = level;
        self
    }

    /// How the distribution under the hypothesis is obtained.
    pub fn null(mut self, null: Null) -> GoodnessOfFit<'a> {
        self.null = Some(null);
        self
    }

    /// The function that reports progress.
    pub fn progress(mut self, progress: Progress<'a>) -> GoodnessOfFit<'a> {
        self.progress = Some(progress);
        self
    }

    /// Refuses a level outside (0, 1), and too few draws to reject at it.
    pub fn check(&self) -> Result<(), ResamplingError> {
        if !(self.level > 0.0 && self.level < 1.0) {
            return Err(ResamplingError::BadLevel { value: self.level });
        }
        let (draws, limit) = (self.draws, MOST_DRAWS);
        let needed = (1.0 / self.level - 1.0 - 1e-9).ceil() as usize;
        if needed > limit {
            return Err(ResamplingError::BadLevel { value: self.level });
        }
        if draws < needed.max(1) {
            let what = format!("a test at the level {}", self.level);
            return Err(ResamplingError::TooFewDraws { draws, what, needed });
        }
        if draws > limit {
            return Err(ResamplingError::TooManyDraws { draws, limit });
        }
        Ok(())
    }
}

/// The tested parameters and their statistic.
struct Claim<'a> {
    theta: Vec<f64>,
    statistic: f64,
    /// The fit, if the parameters were fitted.
    fit: Option<&'a Fit>,
}

impl Problem<'_> {
    /// Tests the density with given parameters, in reported order.
    pub fn test_at(&self, reported: &[f64], settings: &GoodnessOfFit) -> Result<TestResult, Error> {
        settings.check()?;
        if let Some(yardstick) = self.yardstick_of_likelihood()? {
            return yardstick.check(self.data, self.model)?.test_at(reported, settings);
        }
        let statistic = self.discrepancy(reported)?.squared;
        let theta = checked_parameters(self.model, reported, self.data.names())?;
        self.watch(|| in_pool(|| self.tested(Claim { theta, statistic, fit: None }, settings)))
    }

    /// Tests the fitted family of densities; `fit` must be a fit of this problem.
    pub fn test(&self, fit: &Fit, settings: &GoodnessOfFit) -> Result<TestResult, Error> {
        settings.check()?;
        if let Some(yardstick) = self.yardstick_of_likelihood()? {
            self.check_own(fit)?;
            return self.watch(|| in_pool(|| self.tested_likelihood(fit, &yardstick, settings)));
        }
        self.form()?;
        self.check_own(fit)?;
        let none = |why: &str| ResamplingError::NoEstimate { why: why.into() };
        let theta = fit.fitted_parameters().ok_or_else(|| none("the fit has no minimum"))?;
        let statistic = fit.discrepancy_squared.ok_or_else(|| none("the fit has no discrepancy"))?;
        self.watch(|| in_pool(|| self.tested(Claim { theta, statistic, fit: Some(fit) }, settings)))
    }

    fn tested(&self, claim: Claim, settings: &GoodnessOfFit) -> Result<TestResult, Error> {
        let mut notes = Vec::new();
        let mut is_trustworthy = true;
        let simulator = self.simulator(&claim, settings, &mut notes)?;
        let (null, found) = match &simulator {
            Some(simulator) => (Null::Parametric, self.parametric(simulator, &claim, settings)?),
            None if claim.fit.is_some() && self.statistic_used() == Statistic::U => {
                return self.tested_by_v(claim, settings, notes);
            }
            None => {
                let signs = self.wild(&claim, settings)?;
                if self.is_sparse_for_signs(signs.share) {
                    is_trustworthy = false;
                    notes.push(
                        "the boundary points are too sparse for the wild bootstrap: the kernel's leak \
                         through the boundary counts against the model, so that true models are rejected too \
                         often; use more boundary points, a smaller ridge, or the parametric bootstrap with \
                         a known domain"
                            .into(),
                    );
                }
                (Null::Wild, signs.statistics.into_iter().map(Some).collect())
            }
        };
        let draws = usable(found, settings, &mut notes)?;
        if null == Null::Parametric && self.is_biased(&claim, settings, &draws) {
            is_trustworthy = false;
            notes.push(
                "most of the statistic comes from the leak of the kernel through the boundary, so that a true \
                 model may be rejected too often; use a smaller ridge or bandwidth, or more boundary points"
                    .into(),
            );
        }
        let outcome = Outcome { statistic: claim.statistic, draws, null, is_fitted: claim.fit.is_some() };
        Ok(TestResult { trustworthy: is_trustworthy, notes, ..self.concluded(outcome, settings) })
    }

    /// The settings of the discrepancy by which a likelihood is tested: that of the kernel made to vanish at the
    /// boundary, or of the plain kernel where the likelihood ignores the boundary.
    fn yardstick_of_likelihood(&self) -> Result<Option<Estimator>, Error> {
        let pairs = [(Method::TRUNCATED_MLE, Method::TKSD), (Method::MLE, Method::KSD)];
        let Some((_, method)) = pairs.into_iter().find(|(likelihood, _)| *likelihood == self.method()) else {
            return Ok(None);
        };
        if self.model.conditional().is_some_and(|conditional| conditional.has_atoms()) {
            let (model, action) =
                (self.model.name().to_string(), "tested, because records at a limit have no score");
            let remedy = "fit and test the rows between the limits as truncated";
            return Err(ModelError::Unsupported { model, action, remedy }.into());
        }
        let mut estimator = self.estimator.clone().method(method);
        (estimator.start, estimator.standard_errors) = (None, None);
        if method == Method::KSD {
            estimator.domain = None;
        }
        Ok(Some(estimator))
    }

    /// Tests a fit by likelihood: the discrepancy at the estimate, against that of data drawn from the fitted
    /// density and fitted again by the likelihood.
    fn tested_likelihood(
        &self,
        fit: &Fit,
        yardstick: &Estimator,
        settings: &GoodnessOfFit,
    ) -> Result<TestResult, Error> {
        let none = |why: &str| ResamplingError::NoEstimate { why: why.into() };
        let theta = fit.fitted_parameters().ok_or_else(|| none("the fit has no maximum"))?;
        if settings.null == Some(Null::Wild) {
            let why = "random signs need an estimate by the discrepancy that is tested";
            return Err(none(why).into());
        }
        let simulator = Simulator::new(self, &theta, settings.draws)
            .map_err(|why| ResamplingError::NoSampling { why, instead: "the method tksd or ksd" })?;
        let reference = yardstick.check(self.data, self.model)?;
        let statistic = reference.discrepancy_under(self.model, &theta)?.squared;
        let mut again = reference.replicate();
        again.is_replicate = true;
        let has_own_start = self.estimator.start.is_some();
        let of_draw = |problem: &Problem| {
            let estimate = problem.estimate_again(&theta, has_own_start).ok()?;
            let theta = estimate.theta.filter(|_| estimate.converged)?;
            let drawn = again.check(problem.data, problem.model).ok()?;
            drawn.discrepancy_under(problem.model, &theta).ok().map(|found| found.squared)
        };
        let interrupt = &self.estimator.interrupt;
        let found = in_batches(settings.draws, self.data.len(), settings.progress, interrupt, |batch| {
            Ok(simulator.solve(batch, of_draw))
        })?;
        let mut notes = Vec::new();
        let draws = usable(found, settings, &mut notes)?;
        let outcome = Outcome { statistic, draws, null: Null::Parametric, is_fitted: true };
        Ok(TestResult { notes, ..reference.concluded(outcome, settings) })
    }

    /// The verdict on a statistic.
    fn concluded(&self, outcome: Outcome, settings: &GoodnessOfFit) -> TestResult {
        let Outcome { statistic, draws, null, is_fitted } = outcome;
        let mut sorted = draws;
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        // Draws that differ from the statistic only by rounding count as equal to it.
        let threshold = statistic - 1e-12 * statistic.abs();
        let at_least = count - sorted.partition_point(|value| *value < threshold);
        let p_value = (1 + at_least) as f64 / (1 + count) as f64;
        let place = ((1.0 - settings.level) * (count + 1) as f64 - 1e-9).ceil() as usize;
        TestResult {
            statistic,
            p_value,
            bootstrap: settings.draws,
            rejected: p_value <= settings.level,
            level: settings.level,
            null,
            statistic_type: self.statistic_used(),
            fitted: is_fitted,
            expected: mean(&sorted),
            critical: sorted[place.clamp(1, count) - 1],
            failed: settings.draws - count,
            trustworthy: true,
            notes: Vec::new(),
            draws: sorted,
        }
    }

    /// The simulator of new data; `None` if random signs are requested, sufficient, or the only possibility.
    fn simulator(
        &self,
        claim: &Claim,
        settings: &GoodnessOfFit,
        notes: &mut Vec<String>,
    ) -> Result<Option<Simulator<'_>>, Error> {
        let is_given = claim.fit.is_none();
        match settings.null {
            Some(Null::Wild) => return Ok(None),
            None if is_given && !self.is_sparse_for_signs(1.0) => return Ok(None),
            _ => {}
        }
        match (Simulator::new(self, &claim.theta, settings.draws), settings.null) {
            (Ok(simulator), asked) => {
                if asked.is_none() && is_given {
                    notes.push(
                        "new data were drawn, because the boundary points are too sparse for random signs"
                            .into(),
                    );
                }
                Ok(Some(simulator))
            }
            (Err(why), Some(_)) => {
                Err(ResamplingError::NoSampling { why, instead: "the wild bootstrap" }.into())
            }
            (Err(why), None) => {
                if !is_given {
                    notes.push(format!(
                        "the wild bootstrap was used, which is exact only for many observations, because new \
                         data cannot be drawn: {why}"
                    ));
                }
                Ok(None)
            }
        }
    }

    /// Whether the bias of the statistic due to the boundary is large relative to its noise. The bias grows
    /// with the share `leak` of the kernel that remains on the boundary; the noise grows with the share
    /// `kept` at the data over `n`, and with the share of the noise that fitting leaves. On discs and squares
    /// with 100 to 1,000 observations random signs keep the level if `n leak / kept` is below 7 times that
    /// share, and reject a true density too often above (two fitted parameters leave a third of the noise: 14
    /// % at 22 times, half at 100 times).
    fn is_sparse_for_signs(&self, share: f64) -> bool {
        let observations = self.data.independent() as f64;
        let (Some(leak), Some(kept)) = (self.setup().leak, self.kept()) else { return false };
        observations * leak > 7.0 * share * kept
    }

    /// Tests a fit by the V-statistic instead: signs do not change the terms `H(x_i, x_i)`, and therefore not
    /// the bias by which estimates of the two statistics differ (a full Gaussian and 150 observations: the
    /// U-statistic rejected 18 % of true densities, the V-statistic 6 %).
    fn tested_by_v(
        &self,
        claim: Claim,
        settings: &GoodnessOfFit,
        mut notes: Vec<String>,
    ) -> Result<TestResult, Error> {
        let none = || ResamplingError::NoEstimate { why: "the method has no discrepancy".into() };
        let problem = self.with_statistic(Statistic::V, claim.theta).ok_or_else(none)?;
        let fit = problem.fit()?;
        let mut found = problem.test(&fit, &GoodnessOfFit { null: Some(Null::Wild), ..*settings })?;
        notes.push(
            "the V-statistic was fitted and tested, because random signs do not apply to the U-statistic"
                .into(),
        );
        notes.append(&mut found.notes);
        Ok(TestResult { notes, ..found })
    }

    /// Whether draws from the fitted density are far above the values expected if the mean of `xi_i` were
    /// zero, which a few draws of random signs estimate. Then the statistic measures the boundary, and is
    /// more sensitive to the parameters than their precision allows.
    fn is_biased(&self, claim: &Claim, settings: &GoodnessOfFit, draws: &[f64]) -> bool {
        let few = GoodnessOfFit { draws: 64, progress: None, ..*settings };
        if !self.estimator.method.uses().ridge || claim.fit.is_none() {
            return false;
        }
        let Ok(Signs { statistics: signs, .. }) = self.wild(claim, &few) else { return false };
        let centre = mean(&signs);
        let spread = mean(&signs.iter().map(|v| (v - centre).powi(2)).collect::<Vec<_>>()).sqrt();
        mean(draws) > centre + 2.0 * (centre.abs() + spread)
    }

    /// The statistics of data drawn from the density.
    fn parametric(
        &self,
        simulator: &Simulator,
        claim: &Claim,
        settings: &GoodnessOfFit,
    ) -> Result<Vec<Option<f64>>, Error> {
        let statistic = |problem: &Problem| match claim.fit {
            Some(_) => {
                let has_own_start = self.estimator.start.is_some();
                let estimate = problem.estimate_again(&claim.theta, has_own_start).ok()?;
                estimate.discrepancy_squared.filter(|_| estimate.converged)
            }
            None => problem.discrepancy_under(problem.model, &claim.theta).ok().map(|found| found.squared),
        };
        let interrupt = &self.estimator.interrupt;
        in_batches(settings.draws, self.data.len(), settings.progress, interrupt, |batch| {
            Ok(simulator.solve(batch, statistic))
        })
    }

    /// The statistics under random signs.
    fn wild(&self, claim: &Claim, settings: &GoodnessOfFit) -> Result<Signs, Error> {
        let units = Units::new(self.data);
        if units.least_p_value() > settings.level {
            return Err(ResamplingError::TooFewUnits { units: units.count(), level: settings.level }.into());
        }
        let statistic = self.statistic_used();
        let pairs = statistic.pairs(self.form()?)?;
        let scores = scores(self.model, self.data, &claim.theta)?;
        if scores.values().iter().any(|v| !v.is_finite()) {
            return Err(FitError::NotFinite { what: "score" }.into());
        }
        let identity = Matrix::identity(scores.columns());
        let normaliser = statistic.normaliser(&self.weights);
        let correction = match claim.fit {
            Some(fit) => Some(self.correction(fit, &claim.theta)?),
            None => None,
        };
        let (seed, interrupt) = (self.estimator.seed, &self.estimator.interrupt);
        let both = in_batches(settings.draws, self.data.len(), settings.progress, interrupt, |batch| {
            let sets: Vec<Vec<f64>> =
                batch.into_par_iter().map(|draw| units.signed(&self.weights, seed, draw)).collect();
            let moments = Moments::reweighted(&pairs, &scores, &sets)?;
            let value = |(moments, signed): (Moments, &Vec<f64>)| {
                let plain = moments.pair_sum(&identity) / normaliser;
                (plain, plain + correction.as_ref().map_or(0.0, |correction| correction.at(signed)))
            };
            Ok(moments.into_iter().zip(&sets).map(value).collect())
        })?;
        let (plain, statistics): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
        let share =
            if claim.fit.is_some() { (mean(&statistics) / mean(&plain)).clamp(0.0, 1.0) } else { 1.0 };
        Ok(Signs { statistics, share })
    }

    /// The effect of fitting the parameters on the statistic.
    fn correction(&self, fit: &Fit, theta: &[f64]) -> Result<Correction, Error> {
        if fit.influence.rows() != self.data.len() {
            let why = "the influence of the observations on the estimate is not known";
            return Err(ResamplingError::NoEstimate { why: why.into() }.into());
        }
        let (coordinates, parameters) = (self.model.differentiated().len(), theta.len());
        let score = LinearScore::linearised(coordinates, parameters);
        let features = linearised_features(AtPoints::new(self.model, self.data, &self.weights), theta)?;
        let pairs = self.statistic_used().pairs(self.form()?)?;
        let pass = Pass::new(&pairs, features, &self.weights, Some(&score))?;
        let (normal, _) = pass.moments().normal_equations(&score);
        let response = pass.responses(&score, &vec![0.0; parameters]);
        let total = self.weights.iter().sum();
        Ok(Correction { influence: fit.influence.clone(), response, normal, total })
    }
}

/// A statistic, and what it is compared with.
struct Outcome {
    statistic: f64,
    draws: Vec<f64>,
    null: Null,
    is_fitted: bool,
}

/// The statistics of the draws that have one, and a note about the others; too few are an error.
fn usable(
    found: Vec<Option<f64>>,
    settings: &GoodnessOfFit,
    notes: &mut Vec<String>,
) -> Result<Vec<f64>, ResamplingError> {
    let draws: Vec<f64> = found.into_iter().flatten().filter(|value| value.is_finite()).collect();
    let failed = settings.draws - draws.len();
    let usable = GoodnessOfFit { draws: draws.len(), ..*settings };
    if failed as f64 > MOST_FAILED * settings.draws as f64 || usable.check().is_err() {
        return Err(ResamplingError::TooManyFailed { failed, draws: settings.draws });
    }
    if failed > 0 {
        notes.push(format!("{failed} of {} draws could not be fitted and were left out", settings.draws));
    }
    Ok(draws)
}

/// Statistics under random signs.
struct Signs {
    statistics: Vec<f64>,
    /// The share of their mean that remains after fitting.
    share: f64,
}

/// `2 (e'F)(A'e) + (e'F) N (F'e)`.
struct Correction {
    /// `F`.
    influence: Matrix,
    /// `A`.
    response: Matrix,
    /// `N`.
    normal: Matrix,
    total: f64,
}

impl Correction {
    /// The correction for weights with signs.
    fn at(&self, signed: &[f64]) -> f64 {
        let mean = |columns: &Matrix| -> Vec<f64> {
            (0..columns.columns()).map(|k| dot(columns.column(k), signed) / self.total).collect()
        };
        let (influence, response) = (mean(&self.influence), mean(&self.response));
        2.0 * dot(&influence, &response) + dot(&influence, &self.normal.times_vector(&influence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_draws_are_checked() {
        assert!(GoodnessOfFit::new().draws(19).check().is_ok());
        let refusal = GoodnessOfFit::new().draws(18).check().unwrap_err();
        assert!(refusal.to_string().contains("at least 19"), "{refusal}");
        for level in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(GoodnessOfFit::new().level(level).check().is_err());
        }
        assert!(GoodnessOfFit::new().level(0.001).draws(998).check().is_err());
        assert!(GoodnessOfFit::new().level(0.001).draws(999).check().is_ok());
    }
}

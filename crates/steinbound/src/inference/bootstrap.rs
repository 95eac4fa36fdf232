use rayon::prelude::*;

use super::error::ResamplingError;
use super::resampling::{MOST_DRAWS, Progress, Simulator, Units, in_batches};
use crate::compute::{in_pool, memory};
use crate::error::Error;
use crate::fit::replicates::{covariance, intervals};
use crate::fit::{CovarianceKind, Fit, Interval, Problem, Replicates, Resampling};
use crate::matrix::Matrix;
use crate::warning::WarningKind;

/// Standard errors and intervals by refitting draws of the data.
///
/// # Definition
///
/// *Nonparametric*: each replicate draws `n` observations with replacement (clusters, if there are any) and
/// fits them. Drawing an observation twice is giving it twice the weight, so that the kernel is computed once
/// for all replicates; bandwidth and boundary points stay the same. *Parametric*: each replicate draws `n`
/// new points from the fitted density inside the domain (a regression draws new responses at the same
/// covariates) and is fitted with the same settings: a median bandwidth is recomputed; boundary points,
/// scales of coordinates and tuned settings stay the same.
///
/// The covariance is that of the replicates. [`Interval::Percentile`] takes the quantiles `(1 - c) / 2` and
/// `(1 + c) / 2` of the replicates at confidence `c`, by linear interpolation between the order statistics `k
/// / (B + 1)`. A search starts at the estimate in every replicate, which keeps the components of a mixture
/// apart.
///
/// # Requirements
///
/// At least `2 / (1 - c) - 1` replicates for percentiles, so that the quantiles lie among them, and 25 in any
/// case. The parametric kind needs a model that can be sampled, a domain, and data without weights or
/// clusters, which cannot be simulated. Replicates without a minimum are left out, counted, and warned of.
///
/// # Complexity
///
/// Closed forms: one pass over the pairs with a few columns for each replicate. Searches: one search each.
///
/// # Reference
///
/// Efron and Tibshirani, *An Introduction to the Bootstrap*, chapters 6 and 13.
///
/// ```
/// use std::sync::Arc;
/// use steinbound::{Estimator, domain::Ball, fit::CovarianceKind, inference::Bootstrap};
/// use steinbound::{model::Gaussian, simulate};
/// let disc = Ball::new(1.4)?.in_dimension(2);
/// let model = Gaussian::with_variance(2, 1.0)?;
/// let sample = simulate::truncated(&model, &[0.5, 0.5], &disc, 200, &mut simulate::stream(1, 0))?;
/// let estimator = Estimator::tksd().domain(Arc::new(disc));
/// let problem = estimator.check(&sample.points, &model)?;
/// let fit = problem.fit()?;
/// let again = problem.bootstrap(fit.clone(), &Bootstrap::new(200))?;
/// assert_eq!(again.covariance_type, CovarianceKind::Bootstrap);
/// let ratio = again.std_errors()[0] / fit.std_errors()[0];
/// assert!((0.7..1.4).contains(&ratio));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Bootstrap<'a> {
    draws: usize,
    resampling: Resampling,
    interval: Interval,
    progress: Option<Progress<'a>>,
}

/// The least number of replicates for a standard error.
const LEAST_DRAWS: usize = 25;

/// The share of failed replicates above which the user is warned.
const MANY_FAILED: f64 = 0.05;

impl<'a> Bootstrap<'a> {
    /// A bootstrap with this number of nonparametric replicates and percentile intervals.
    pub fn new(draws: usize) -> Bootstrap<'a> {
        let (resampling, interval) = (Resampling::default(), Interval::default());
        Bootstrap { draws, resampling, interval, progress: None }
    }

    /// What each replicate draws.
    pub fn resampling(mut self, resampling: Resampling) -> Bootstrap<'a> {
        self.resampling = resampling;
        self
    }

    /// How intervals are computed.
    pub fn interval(mut self, interval: Interval) -> Bootstrap<'a> {
        self.interval = interval;
        self
    }

    /// The function that reports progress.
    pub fn progress(mut self, progress: Progress<'a>) -> Bootstrap<'a> {
        self.progress = Some(progress);
        self
    }

    /// Refuses too few replicates for intervals of this confidence, and too many to compute.
    pub fn check(&self, confidence: f64) -> Result<(), ResamplingError> {
        let (draws, limit) = (self.draws, MOST_DRAWS);
        let needed = match self.interval {
            // Rounding must not require one more.
            Interval::Percentile => {
                ((2.0 / (1.0 - confidence) - 1.0 - 1e-9).ceil() as usize).max(LEAST_DRAWS)
            }
            Interval::Normal => LEAST_DRAWS,
        };
        if draws < needed {
            let what = format!("intervals of confidence {confidence}");
            return Err(ResamplingError::TooFewDraws { draws, what, needed });
        }
        if draws > limit {
            return Err(ResamplingError::TooManyDraws { draws, limit });
        }
        Ok(())
    }
}

impl Problem<'_> {
    /// The fit with covariance, standard errors and intervals by bootstrap in place of the sandwich's.
    ///
    /// A fit without an estimate is returned unchanged, with a warning.
    pub fn bootstrap(&self, fit: Fit, settings: &Bootstrap) -> Result<Fit, Error> {
        settings.check(fit.confidence)?;
        self.check_own(&fit)?;
        self.watch(|| in_pool(|| self.bootstrapped(fit, settings)))
    }

    fn bootstrapped(&self, mut fit: Fit, settings: &Bootstrap) -> Result<Fit, Error> {
        let started = std::time::Instant::now();
        let Some(theta) = fit.fitted_parameters() else {
            let text = "there is no estimate, and so no bootstrap of it";
            fit.warnings.push(WarningKind::Uncertainty.warning(text));
            return Ok(fit);
        };
        let (draws, interrupt) = (settings.draws, &self.estimator.interrupt);
        // Each draw is kept as natural parameters and as those that are reported.
        let bytes = 2 * (draws as u128) * (theta.len() * size_of::<f64>()) as u128;
        let what = || format!("{draws} draws of {} parameters", theta.len());
        memory::check_memory(what, bytes, "use fewer bootstrap draws")?;
        let found = match settings.resampling {
            Resampling::Nonparametric => {
                let (units, seed) = (Units::new(self.data), self.estimator.seed);
                in_batches(draws, self.data.len(), settings.progress, interrupt, |batch| {
                    let draw = |draw: usize| units.resampled(&self.weights, seed, draw);
                    let sets: Vec<Vec<f64>> = batch.into_par_iter().map(draw).collect();
                    self.refits(&sets, &theta)
                })?
            }
            Resampling::Parametric => {
                let simulator = Simulator::new(self, &theta, draws).map_err(|why| {
                    let instead = "the nonparametric bootstrap";
                    ResamplingError::NoSampling { why, instead }
                })?;
                in_batches(draws, self.data.len(), settings.progress, interrupt, |batch| {
                    Ok(simulator.solve(batch, |problem| {
                        let estimate = problem.estimate(&problem.weights, Some(&theta)).ok()?;
                        estimate.theta.filter(|_| estimate.converged)
                    }))
                })?
            }
        };
        let natural: Vec<Vec<f64>> =
            found.into_iter().flatten().filter(|theta| theta.iter().all(|t| t.is_finite())).collect();
        let reported: Vec<Vec<f64>> =
            natural.iter().filter_map(|theta| self.model.report(theta)).map(|r| r.values).collect();
        fit.take_replicates(settings, &natural, &reported)?;
        fit.seconds.total += started.elapsed().as_secs_f64();
        Ok(fit)
    }
}

impl Fit {
    fn take_replicates(
        &mut self,
        settings: &Bootstrap,
        natural: &[Vec<f64>],
        reported: &[Vec<f64>],
    ) -> Result<(), Error> {
        let draws = settings.draws;
        let has_report = self.parameters.iter().all(|p| p.estimate.is_some());
        let failed = draws - if has_report { reported.len() } else { natural.len() };
        let usable = Bootstrap { draws: draws - failed, ..*settings };
        if usable.check(self.confidence).is_err() {
            return Err(ResamplingError::TooManyFailed { failed, draws }.into());
        }
        if failed as f64 > MANY_FAILED * draws as f64 {
            self.warnings.push(WarningKind::Uncertainty.warning(format!(
                "{failed} of {draws} bootstrap replicates had no estimate and were left out, so that the \
                 intervals are too narrow; use more data or a simpler model"
            )));
        }
        self.bootstrap = Some(Replicates {
            replicates: draws,
            failed,
            resampling: settings.resampling,
            interval: settings.interval,
            bias: Vec::new(),
            estimates: rows(reported, self.parameters.len()),
        });
        (self.covariance_type, self.degrees_of_freedom) = (CovarianceKind::Bootstrap, None);
        if !self.natural.is_empty() {
            let natural = rows(natural, self.natural.len());
            let spread = covariance(&natural);
            intervals(&mut self.natural, &natural, &spread, settings.interval, self.confidence);
            self.natural_covariance = Some(spread);
        }
        self.refresh_bootstrap();
        if self.natural.is_empty() {
            self.natural_covariance = self.covariance.clone();
        }
        Ok(())
    }
}

/// Replicates as a matrix, one in a row.
fn rows(list: &[Vec<f64>], columns: usize) -> Matrix {
    Matrix::from_fn(list.len(), columns, |i, k| list[i][k])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_draws_are_refused() {
        assert!(Bootstrap::new(39).check(0.95).is_ok());
        let refusal = Bootstrap::new(38).check(0.95).unwrap_err();
        assert!(refusal.to_string().contains("at least 39"), "{refusal}");
        assert!(Bootstrap::new(199).check(0.99).is_ok() && Bootstrap::new(198).check(0.99).is_err());
        assert!(Bootstrap::new(25).interval(Interval::Normal).check(0.99).is_ok());
        assert!(Bootstrap::new(24).interval(Interval::Normal).check(0.5).is_err());
        assert!(Bootstrap::new(usize::MAX).check(0.95).is_err());
    }
}

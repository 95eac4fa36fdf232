//! Several methods and models on the same data, in one table.

use std::time::Instant;

use serde::Serialize;

use super::{GoodnessOfFit, HeldOut, Information, Progress, TestResult};
use crate::compute::in_pool;
use crate::error::Error;
use crate::fit::{Discrepancy, Estimator, Fit, KernelUsed, Method, Problem, Seconds, Setup};
use crate::model::Model;
use crate::points::Points;
use crate::stein::Statistic;

/// A method and a model to be compared.
#[derive(Debug, Clone)]
pub struct Contender<'a> {
    /// The method and its settings.
    pub estimator: Estimator,
    /// Whether bandwidth and ridge are [chosen by agreement](super::Tuning).
    pub is_tuned: bool,
    /// Whether the assumptions of its fit are [looked at](Problem::fit_diagnosed), as for a fit that is reported.
    pub is_diagnosed: bool,
    /// The model.
    pub model: &'a dyn Model,
    /// The model's name in the table.
    pub label: String,
}

impl<'a> Contender<'a> {
    /// A method and a model, labelled with the model's name.
    pub fn new(estimator: Estimator, model: &'a dyn Model) -> Contender<'a> {
        Contender { estimator, is_tuned: false, is_diagnosed: true, model, label: model.name().to_string() }
    }
}

/// Several fits of the same data, with a common discrepancy.
///
/// # Definition
///
/// Every contender is fitted by its own method; then the discrepancy of every fitted density is measured with
/// the kernel, bandwidth, ridge and boundary of a reference problem.
///
/// # Requirements
///
/// A reference with a kernel. The discrepancy is computed on the data that were fitted: more parameters lower
/// it, needed or not, and the method that minimises the reference's own discrepancy has an advantage. A
/// contender that cannot be fitted has a reason instead of a fit.
///
/// # Complexity
///
/// One fit and one pass over the pairs for each contender, and its test if requested.
///
/// # Reference
///
/// Matsubara, Knoblauch, Briol and Oates, *Robust Generalised Bayesian Inference for Intractable
/// Likelihoods*, JRSS B 2022, for Stein discrepancies as a common loss of models without normaliser.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// `steinbound.compare/1`.
    pub schema: String,
    /// The number of observations.
    pub n: usize,
    /// The number of coordinates.
    pub d: usize,
    /// The settings with which the discrepancies are measured.
    pub reference: Reference,
    /// The contenders in the order in which they were given.
    pub fits: Vec<Compared>,
    /// The total time taken.
    pub seconds: Seconds,
}

/// The settings with which the discrepancies of a comparison are measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Reference {
    /// The method whose discrepancy is used.
    pub method: Method,
    /// The statistic.
    pub statistic: Option<Statistic>,
    /// The number of boundary points.
    pub m: usize,
    /// The kernel.
    pub kernel: Option<KernelUsed>,
    /// The ridge.
    pub ridge: Option<f64>,
}

impl Reference {
    fn of(setup: &Setup) -> Reference {
        let Setup { method, statistic, m, kernel, ridge, .. } = setup.clone();
        Reference { method, statistic, m, kernel, ridge }
    }
}

/// One contender in a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Compared {
    /// The method.
    pub method: Method,
    /// The model's name in the table.
    pub label: String,
    /// The number of fitted parameters.
    pub parameter_count: usize,
    /// The discrepancy under the reference; `None` if its square is negative or there is none.
    pub discrepancy: Option<f64>,
    /// The squared discrepancy under the reference.
    pub discrepancy_squared: Option<f64>,
    /// The test of goodness of fit with the discrepancy of its own method, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<TestResult>,
    /// The likelihood of the fitted density, if the region is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub information: Option<Information>,
    /// The discrepancy on data that were not fitted, if the region is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
    /// Why the model does not believe the fit, such as a component without observations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspicion: Option<String>,
    /// The error behind the reason.
    #[serde(skip)]
    pub error: Option<Error>,
    /// The fit, with the discrepancy of its own method.
    pub fit: Option<Fit>,
    /// Why there is no fit, no discrepancy or no test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Comparison {
    /// Fits all contenders and measures them with the reference, whose model does not matter. Those whose
    /// method is a Stein discrepancy are also tested, if a test is given.
    ///
    /// Where the reference knows the region, or has no boundary at all, each has its [likelihood](Information), if its
    /// density can be integrated; otherwise its [discrepancy on held-out data](HeldOut), and its test, asked for or
    /// not, up to 5,000 observations.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::inference::{Comparison, Contender};
    /// use steinbound::{Estimator, domain::Ball, model::Gaussian, simulate};
    /// let disc = Arc::new(Ball::new(1.4)?.in_dimension(2));
    /// let model = Gaussian::with_variance(2, 1.0)?;
    /// let rng = &mut simulate::stream(1, 0);
    /// let data = simulate::truncated(&model, &[0.5, 0.5], disc.as_ref(), 300, rng)?.points;
    /// let methods = [Estimator::tksd(), Estimator::truncsm(), Estimator::mle()];
    /// let contenders = methods.map(|method| Contender::new(method.domain(disc.clone()), &model));
    /// let reference = contenders[0].estimator.check(&data, &model)?;
    /// let found = Comparison::run(&reference, &contenders, &data, None);
    /// // The estimate that ignores the truncation is the farthest from the data.
    /// assert!(found.fits[1].discrepancy < found.fits[2].discrepancy);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn run(
        reference: &Problem,
        contenders: &[Contender],
        data: &Points,
        test: Option<&GoodnessOfFit>,
    ) -> Comparison {
        let started = Instant::now();
        let fits = in_pool(|| contenders.iter().map(|c| Compared::new(reference, c, data, test)).collect());
        Comparison {
            schema: "steinbound.compare/1".into(),
            n: data.len(),
            d: data.dimension(),
            reference: Reference::of(reference.setup()),
            fits,
            seconds: Seconds { total: started.elapsed().as_secs_f64() },
        }
    }

    /// The same, calling a function after each contender, which ends the work by returning `false`.
    pub fn run_watched(
        reference: &Problem,
        contenders: &[Contender],
        data: &Points,
        test: Option<&GoodnessOfFit>,
        progress: Progress,
    ) -> Result<Comparison, Error> {
        let mut whole = Comparison::run(reference, &[], data, test);
        for (done, contender) in contenders.iter().enumerate() {
            let one = Comparison::run(reference, std::slice::from_ref(contender), data, test);
            whole.seconds.total += one.seconds.total;
            whole.fits.extend(one.fits);
            let ended = whole.fits.iter().filter_map(|fit| fit.error.as_ref()).find(|e| e.is_interrupted());
            if let Some(error) = ended {
                return Err(error.clone());
            }
            if !progress(done + 1, contenders.len()) {
                return Err(reference.estimator.interrupt.interrupted(None).into());
            }
        }
        Ok(whole)
    }
}

impl Compared {
    fn new(
        reference: &Problem,
        contender: &Contender,
        data: &Points,
        test: Option<&GoodnessOfFit>,
    ) -> Compared {
        let mut compared = Compared {
            method: contender.estimator.method,
            label: contender.label.clone(),
            parameter_count: contender.model.parameters(),
            discrepancy: None,
            discrepancy_squared: None,
            test: None,
            information: None,
            held_out: None,
            suspicion: None,
            error: None,
            fit: None,
            reason: None,
        };
        let outcome = compared.fill(reference, contender, data, test);
        compared.error = outcome.err();
        compared.reason = compared.error.as_ref().map(ToString::to_string);
        compared
    }

    /// Fits, measures and tests, as far as possible.
    fn fill(
        &mut self,
        reference: &Problem,
        contender: &Contender,
        data: &Points,
        test: Option<&GoodnessOfFit>,
    ) -> Result<(), Error> {
        let Contender { estimator, is_tuned, is_diagnosed, model, .. } = contender;
        let problem =
            if *is_tuned { estimator.check_tuned(data, *model) } else { estimator.check(data, *model) }?;
        let fit = self.fit.insert(problem.fit()?);
        match is_diagnosed {
            true => problem.add_diagnostics(fit).map(|_| ())?,
            false => problem.warn_of_distance_bias(fit)?,
        }
        let found = measured(reference, fit, *model)?;
        self.discrepancy = found.as_ref().and_then(|found| found.value);
        self.discrepancy_squared = found.map(|found| found.squared);
        let theta = fit.fitted_parameters().filter(|theta| theta.iter().all(|v| v.is_finite()));
        self.suspicion = theta.as_deref().and_then(|theta| model.search()?.suspicion(theta, data));
        if reference.can_be_normalised() {
            let found = theta.map_or(Ok(None), |theta| reference.information(*model, &theta));
            // A density that cannot be integrated has no likelihood, which is no reason to lose the rest.
            self.information = interrupted_or(found)?.flatten();
        }
        if self.information.is_none() {
            self.held_out = interrupted_or(problem.held_out(reference, fit))?.flatten();
            self.test = problem.unasked_test(fit).filter(|_| test.is_none());
        }
        if let Some(test) = test.filter(|_| estimator.method.has_kernel()) {
            self.test = Some(problem.test(fit, test)?);
        }
        Ok(())
    }
}

/// What was found, unless that failed for another reason than an interrupt.
fn interrupted_or<T>(found: Result<T, Error>) -> Result<Option<T>, Error> {
    match found {
        Err(error) if error.is_interrupted() => Err(error),
        found => Ok(found.ok()),
    }
}

/// The discrepancy of a fitted density under the reference; a fit without a minimum has none.
fn measured(reference: &Problem, fit: &Fit, model: &dyn Model) -> Result<Option<Discrepancy>, Error> {
    fit.fitted_parameters().map(|theta| reference.discrepancy_under(model, &theta)).transpose()
}

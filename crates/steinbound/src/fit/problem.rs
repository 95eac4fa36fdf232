use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::{Fit, Tuning};
use crate::compute::in_pool;
use crate::error::{Error, FitError, ModelError};
use crate::kernel::Bandwidth;
use crate::matrix::Matrix;
use crate::method::{
    BoundaryCheck, Compute, CountedRegion, DistanceKind, Estimator, Method, Preparation, Setup, Solver,
    Supported, Task, Tie, check_domain, check_estimable, check_rows, check_spreads, names_where, smaller,
};
use crate::minimise::Estimate;
use crate::model::{Model, check_size, check_theta, checked_parameters, scores};
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::stein::{BOUNDARY_LIMIT, Statistic, SteinForm, Witness, check_dense, discrepancy_squared};
use crate::warning::Warning;

/// Data, boundary, kernel and model, checked against each other: ready to be fitted or evaluated.
///
/// ```
/// use steinbound::{Estimator, Points, model::Gaussian};
/// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
/// let model = Gaussian::with_variance(1, 1.0)?;
/// let problem = Estimator::ksd().check(&data, &model)?;
/// let at_zero = problem.discrepancy(&[0.0])?;
/// assert!(at_zero.squared >= problem.fit()?.discrepancy_squared.unwrap());
/// # Ok::<(), steinbound::Error>(())
/// ```
pub struct Problem<'a> {
    pub(crate) data: &'a Points<'a>,
    pub(crate) model: &'a dyn Model,
    /// Observation weights of mean 1.
    pub(crate) weights: Vec<f64>,
    solver: Arc<dyn Solver>,
    setup: Setup,
    warnings: Vec<Warning>,
    boundary: Option<Points<'static>>,
    boundary_check: Option<BoundaryCheck>,
    /// How bandwidth and ridge were chosen, if they were tuned.
    pub(super) tuning: Option<Tuning>,
    /// Seconds from data in memory to the checked problem.
    pub(super) prepared_in: f64,
    /// Where a search starts, in fitted parameters.
    start: Option<Vec<f64>>,
    /// Whether the coordinates vary so much alike that one bandwidth can serve them.
    pub(super) is_comparable: bool,
    /// The requested settings.
    pub(crate) estimator: Estimator,
}

/// The value of a discrepancy at given parameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Discrepancy {
    /// The square, which a U-statistic can make negative.
    pub squared: f64,
    /// The discrepancy itself; `None` if the square is negative.
    pub value: Option<f64>,
}

/// The witness function at some points.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WitnessValues {
    /// One row for each point, one column for each coordinate.
    pub values: Matrix,
    /// TKSD only: the Lagrange multipliers `nu_l = -(K + e I)^-1 mean_i v_l(x_i)`, one row for each boundary
    /// point.
    pub multipliers: Option<Matrix>,
    /// The discrepancy (V-statistic) by which the witness is normalised.
    pub discrepancy: f64,
}

/// The setup and warnings that results without a fit include.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Described {
    /// The setup.
    #[serde(flatten)]
    pub setup: Setup,
    /// Warnings about the data.
    #[serde(flatten, serialize_with = "crate::warning::side_by_side::serialize")]
    pub warnings: Vec<Warning>,
}

impl Estimator {
    /// Checks settings, data and model against each other and prepares the method.
    pub fn check<'a>(&self, data: &'a Points<'a>, model: &'a dyn Model) -> Result<Problem<'a>, Error> {
        self.check_numbers()?;
        let own = self.for_one();
        own.interrupt.watch(|| in_pool(|| Problem::new(&own, data, model)))
    }

    /// Checks and fits in one call.
    pub fn fit(&self, data: &Points, model: &dyn Model) -> Result<Fit, Error> {
        self.check(data, model)?.fit()
    }
}

/// The number of starts that must end at the lowest minimum of drawn data.
const AGREEING: usize = 3;

/// The relative difference up to which minima are the same.
const ALIKE: f64 = 1e-6;

impl<'a> Problem<'a> {
    fn new(estimator: &Estimator, data: &'a Points<'a>, model: &'a dyn Model) -> Result<Problem<'a>, Error> {
        let started = Instant::now();
        let uses = estimator.method.uses();
        check_rows(data)?;
        if uses.kernel && estimator.compute == Compute::Dense {
            // The form itself would refuse as well, but only after bandwidth and boundary points were
            // computed.
            check_dense(data.len())?;
        }
        if model.dimension() != data.dimension() {
            return Err(
                ModelError::WrongDimension { model: model.dimension(), data: data.dimension() }.into()
            );
        }
        check_size(model)?;
        // Data outside a region are named as such before a model has its say.
        let outside = check_domain(estimator, data)?;
        let Supported { estimator, warning } = Supported::new(estimator, data, model)?;
        let estimator = estimator.as_ref();
        let has_score = uses.kernel || uses.has_distance();
        if has_score && model.conditional().is_some_and(|conditional| conditional.has_atoms()) {
            let (model, action) =
                (model.name().to_string(), "fitted by scores, which say nothing of records at a limit");
            return Err(ModelError::Unsupported { model, action, remedy: "use mle or truncated-mle" }.into());
        }
        let mut preparation = Preparation::new(estimator, data, model)?;
        preparation.warnings.extend(outside.into_iter().chain(warning));
        let spreads = check_spreads(estimator, data, &model.differentiated())?;
        let is_comparable = spreads.as_ref().is_none_or(|spreads| !spreads.are_incomparable);
        preparation.warnings.extend(spreads.map(|spreads| spreads.warning));
        let mut solver = estimator.method.procedure().prepare(&mut preparation)?;
        if model.counted().is_some() {
            let region = CountedRegion::of(estimator);
            solver = Arc::clone(&solver).counting(region).unwrap_or(solver);
        }
        let start = preparation.start()?;
        let Preparation { setup, warnings, boundary, boundary_check, .. } = preparation;
        Ok(Problem {
            data,
            model,
            weights: data.relative_weights(),
            solver,
            setup,
            warnings,
            boundary,
            boundary_check,
            tuning: None,
            prepared_in: started.elapsed().as_secs_f64(),
            start,
            is_comparable,
            estimator: estimator.clone(),
        })
    }

    /// The estimate with these observation weights; a search starts at the given fitted parameters, if any.
    pub(crate) fn estimate(&self, weights: &[f64], start: Option<&[f64]>) -> Result<Estimate, Error> {
        // Once interrupted, no further replicate is started.
        self.estimator.interrupt.check()?;
        self.solver.estimate(&self.task(weights, start))
    }

    /// The estimate for data that were drawn from a density near these fitted parameters, with the same care
    /// as a fit: from there, and from the starts that the model proposes for these data unless the user gave
    /// the start of the fit. A search that only began at the density drawn from would stop at the nearest
    /// minimum, where the fit itself had the choice among several. Once a few starts agree on the lowest,
    /// no more are tried.
    pub(crate) fn estimate_again(&self, near: &[f64], has_own_start: bool) -> Result<Estimate, Error> {
        let known = self.estimate(&self.weights, Some(near));
        let Some(search) = self.model.search().filter(|_| self.model.affine().is_none() && !has_own_start)
        else {
            return known;
        };
        let rank = |found: &Estimate| {
            (!found.converged, found.discrepancy_squared.or(found.objective).unwrap_or(f64::INFINITY))
        };
        let (mut best, mut agreeing) = (known, 1);
        let starts = search.starts(self.data, &mut stream(self.estimator.seed, tasks::STARTS));
        for start in starts {
            if agreeing >= AGREEING {
                break;
            }
            let Ok(found) = self.estimate(&self.weights, Some(&start)) else { continue };
            let Ok(known) = &best else {
                best = Ok(found);
                continue;
            };
            let (a, b) = (rank(&found), rank(known));
            if a.0 == b.0 && (a.1 - b.1).abs() <= ALIKE * b.1.abs() {
                agreeing += usize::from(found.converged);
            } else if a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).is_lt() {
                (best, agreeing) = (Ok(found), 1);
            }
        }
        best
    }

    /// The fitted parameters for each of several sets of weights; a search starts near the given parameters.
    /// `None` if there is no estimate.
    pub(crate) fn refits(&self, sets: &[Vec<f64>], near: &[f64]) -> Result<Vec<Option<Vec<f64>>>, Error> {
        self.solver.refits(&self.task(&self.weights, Some(near)), sets)
    }

    fn task<'b>(&'b self, weights: &'b [f64], start: Option<&'b [f64]>) -> Task<'b> {
        let Estimator { seed, interrupt, .. } = &self.estimator;
        Task { model: self.model, data: self.data, weights, start, seed: *seed, interrupt }
    }

    /// The statistic; the default if the method has none.
    pub(crate) fn statistic_used(&self) -> Statistic {
        self.setup.statistic.unwrap_or_default()
    }

    /// Runs a job that ends with an error once the estimator's interrupt is raised.
    pub(crate) fn watch<T>(&self, job: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        self.estimator.interrupt.watch(job)
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.setup.method
    }

    /// The same problem, whose fits report how bandwidth and ridge were chosen; the choice took `seconds`.
    pub(crate) fn chosen_by(mut self, tuning: Tuning, seconds: f64) -> Problem<'a> {
        self.tuning = Some(tuning);
        self.prepared_in += seconds;
        self
    }

    /// The same pairs with another statistic, and a search that starts at these fitted parameters.
    pub(crate) fn with_statistic(&self, statistic: Statistic, start: Vec<f64>) -> Option<Problem<'a>> {
        Some(Problem {
            data: self.data,
            model: self.model,
            weights: self.weights.clone(),
            solver: self.solver.with_statistic(statistic)?,
            setup: Setup { statistic: Some(statistic), ..self.setup.clone() },
            warnings: self.warnings.clone(),
            boundary: self.boundary.clone(),
            boundary_check: self.boundary_check.clone(),
            tuning: self.tuning.clone(),
            prepared_in: self.prepared_in,
            start: Some(start),
            is_comparable: self.is_comparable,
            estimator: self.estimator.clone(),
        })
    }

    /// The same problem with a finer boundary: further points on it near the data, if those are known, and a
    /// hundredth of the ridge. A search starts at these fitted parameters. `None` for methods that do not
    /// condition on boundary points.
    pub(crate) fn with_finer_boundary(&self, start: Vec<f64>) -> Option<Result<Problem<'a>, Error>> {
        let (Some(boundary), Some(kernel)) = (self.boundary.as_ref(), self.setup.kernel.as_ref()) else {
            return None;
        };
        let ridge = self.setup.ridge.filter(|ridge| *ridge > 0.0)?;
        let room = BOUNDARY_LIMIT.saturating_sub(boundary.len());
        let more = || self.near_places().into_iter().flat_map(Points::rows).take(room);
        let boundary = Points::from_rows(&boundary.rows().chain(more()).collect::<Vec<_>>());
        let bandwidth = Bandwidth::Fixed(kernel.bandwidth);
        let estimator = self.estimator.clone().ridge(smaller(ridge)).bandwidth(bandwidth);
        Some(boundary.map_err(Error::from).and_then(|boundary| {
            let normals = estimator.normals_with(more());
            let mut estimator = estimator.boundary(boundary);
            estimator.boundary_normals = normals;
            (estimator.is_replicate, estimator.start) = (true, None);
            Ok(Problem { start: Some(start), ..estimator.check(self.data, self.model)? })
        }))
    }

    /// The same problem with other boundary points to which distances are measured. A search starts at these
    /// fitted parameters.
    pub(crate) fn with_distances_to(
        &self,
        boundary: Points<'static>,
        start: Vec<f64>,
    ) -> Result<Problem<'a>, Error> {
        let mut estimator = self.estimator.clone().boundary(boundary).distance(DistanceKind::Nearest);
        if let Some(kernel) = &self.setup.kernel {
            estimator = estimator.bandwidth(Bandwidth::Fixed(kernel.bandwidth));
        }
        (estimator.is_replicate, estimator.start, estimator.boundary_normals) = (true, None, None);
        Ok(Problem { start: Some(start), ..estimator.check(self.data, self.model)? })
    }

    /// The settings for other data from the same source: this problem's boundary points, and the bandwidth and
    /// the ridge that were chosen with them.
    pub(crate) fn replicate(&self) -> Estimator {
        let mut estimator = self.estimator.clone();
        if let Some(boundary) = self.boundary() {
            estimator = estimator.boundary(boundary.clone());
        }
        let Setup { kernel, ridge, boundary: used, .. } = &self.setup;
        if let (Some(kernel), Some(_)) = (kernel, used) {
            estimator = estimator.bandwidth(Bandwidth::Fixed(kernel.bandwidth));
        }
        if let (Some(ridge), Some(_)) = (ridge, used) {
            estimator = estimator.ridge(*ridge);
        }
        if let Some(used) = used {
            estimator.tolerated_flux = used.tolerated_flux;
        }
        estimator.method(self.setup.estimated_by())
    }

    /// Whether the kernel does not reach the boundary points from the data.
    pub(crate) fn is_boundary_out_of_reach(&self) -> bool {
        self.boundary_check.as_ref().is_some_and(BoundaryCheck::is_out_of_reach)
    }

    /// The warning about the boundary points that was found before fitting.
    pub(crate) fn boundary_warning(&self) -> Option<&Warning> {
        self.boundary_check.as_ref()?.warning.as_ref()
    }

    /// Places on the boundary near the data other than the boundary points, if the domain is known.
    pub(crate) fn near_places(&self) -> Option<&Points<'static>> {
        self.boundary_check.as_ref()?.near_places.as_ref()
    }

    /// Refuses a fit of another problem.
    pub(crate) fn check_own(&self, fit: &Fit) -> Result<(), FitError> {
        let names = self.model.reported_names(self.data.names());
        let is_ours = fit.parameters.iter().zip(&names).all(|(p, name)| p.name == *name);
        let fitted = fit.fitted_parameters().map_or(self.model.parameters(), |theta| theta.len());
        let has_size = fit.setup.n == self.data.len() && fit.parameters.len() == names.len();
        if has_size && is_ours && fitted == self.model.parameters() {
            return Ok(());
        }
        let size = |n: usize, p: usize| format!("{n} and {p}");
        Err(FitError::ForeignFit {
            fit: size(fit.setup.n, fit.parameters.len()),
            problem: size(self.data.len(), names.len()),
        })
    }

    /// The boundary points, given or sampled, even if the method does not use them.
    pub fn boundary(&self) -> Option<&Points<'static>> {
        self.boundary.as_ref()
    }

    /// The setup.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The mean share of the kernel that remains at the data themselves (TKSD): test functions are made of
    /// it.
    pub fn kept(&self) -> Option<f64> {
        self.boundary_check.as_ref().map(|check| check.kept)
    }

    /// The size of the kernel between data and boundary (TKSD). The bias due to the boundary points grows
    /// with it.
    pub fn tie(&self) -> Option<Tie> {
        self.boundary_check.as_ref()?.tie
    }

    /// Warnings about the data.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The setup and the warnings about the data, as included in results without a fit.
    pub fn described(&self) -> Described {
        Described { setup: self.setup.clone(), warnings: self.warnings.clone() }
    }

    /// The confidence level of intervals.
    pub fn confidence(&self) -> f64 {
        self.estimator.confidence
    }

    /// The form, for Stein discrepancies.
    pub(crate) fn form(&self) -> Result<&dyn SteinForm, FitError> {
        let form = self.solver.form().map(Arc::as_ref);
        form.ok_or_else(|| FitError::NoDiscrepancy {
            method: self.setup.method.name(),
            instead: names_where(|uses| uses.kernel),
        })
    }

    /// Estimates the parameters.
    pub fn fit(&self) -> Result<Fit, Error> {
        self.watch(|| in_pool(|| self.fitted()))
    }

    fn fitted(&self) -> Result<Fit, Error> {
        let started = Instant::now();
        check_estimable(self.data, self.model)?;
        let estimate = self.estimate(&self.weights, self.start.as_deref())?;
        let values = estimate.theta.iter().flatten();
        if values.chain(estimate.influence.values()).any(|v| !v.is_finite()) {
            return Err(FitError::NotFinite { what: "estimate" }.into());
        }
        self.estimator.interrupt.hold();
        let mut fit = Fit::new(estimate, self)?;
        fit.seconds.total += started.elapsed().as_secs_f64();
        Ok(fit)
    }

    /// The discrepancy at given parameters, in reported order.
    pub fn discrepancy(&self, reported: &[f64]) -> Result<Discrepancy, Error> {
        self.watch(|| self.discrepancy_of(self.scores(reported)?, self.statistic_used()))
    }

    /// The discrepancy of another model at its fitted parameters, under this problem's kernel and boundary.
    ///
    /// The model must have the data's coordinates and be differentiated in the same ones.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let (known, unknown) = (Gaussian::with_variance(1, 2.0)?, Gaussian::full(1));
    /// let problem = Estimator::ksd().check(&data, &known)?;
    /// // A mean of 1 and a variance of 2, as natural parameters of the model that estimates both.
    /// let other = problem.discrepancy_under(&unknown, &[0.5, 0.5])?;
    /// assert!((other.squared - problem.discrepancy(&[1.0])?.squared).abs() < 1e-12);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn discrepancy_under(&self, model: &dyn Model, theta: &[f64]) -> Result<Discrepancy, Error> {
        let (found, expected) = (model.dimension(), self.data.dimension());
        if found != expected || model.differentiated() != self.model.differentiated() {
            return Err(ModelError::WrongDimension { model: found, data: expected }.into());
        }
        check_theta(model, theta)?;
        let statistic = self.statistic_used();
        self.watch(|| in_pool(|| self.discrepancy_of(scores(model, self.data, theta)?, statistic)))
    }

    /// The witness function for given parameters (in reported order) at some points.
    pub fn witness(&self, reported: &[f64], targets: &Points) -> Result<WitnessValues, Error> {
        self.watch(|| self.witnessed(reported, targets))
    }

    fn witnessed(&self, reported: &[f64], targets: &Points) -> Result<WitnessValues, Error> {
        let scores = self.scores(reported)?;
        let found = self.discrepancy_of(scores.clone(), Statistic::V)?;
        let discrepancy = found.value.filter(|value| *value > 0.0).ok_or(FitError::NoWitness)?;
        let witness = Witness::new(self.form()?, &scores, &self.weights, discrepancy)?;
        Ok(WitnessValues { values: witness.at(targets)?, multipliers: witness.multipliers()?, discrepancy })
    }

    fn scores(&self, reported: &[f64]) -> Result<Matrix, Error> {
        let theta = checked_parameters(self.model, reported, self.data.names())?;
        Ok(scores(self.model, self.data, &theta)?)
    }

    fn discrepancy_of(&self, scores: Matrix, statistic: Statistic) -> Result<Discrepancy, Error> {
        let squared = discrepancy_squared(self.form()?, scores, &self.weights, statistic)?;
        if !squared.is_finite() {
            return Err(FitError::NotFinite { what: "discrepancy" }.into());
        }
        Ok(Discrepancy { squared, value: (squared >= 0.0).then(|| squared.sqrt()) })
    }
}

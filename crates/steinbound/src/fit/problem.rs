use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::checks::{check_columns, check_domain, check_rows, check_spreads};
use super::forms::Held;
use super::leak::{Tie, note_leak, smaller};
use super::{Compute, ComputeUsed, DistanceKind, Estimator, Fit, KernelUsed, Method, Settings};
use crate::compute::{in_pool, simd_level};
use crate::domain::{BoundaryDistance, BoundarySampling, Domain, default_boundary_count};
use crate::error::{Error, FitError, ModelError};
use crate::inference::Tuning;
use crate::kernel::Bandwidth;
use crate::matrix::Matrix;
use crate::model::{Model, check_theta, checked_parameters, scores};
use crate::points::Points;
use crate::score_matching::BoundaryWeight;
use crate::simulate::{stream, tasks};
use crate::stein::{Statistic, SteinForm, Weighted, Witness, check_dense, discrepancy_squared};

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
    pub(super) task: Task,
    pub(super) settings: Settings,
    boundary: Option<Points<'static>>,
    /// Where a search starts, in fitted parameters.
    pub(super) start: Option<Vec<f64>>,
    /// The settings that were asked for.
    pub(crate) estimator: Estimator,
}

/// What the method works on.
pub(super) enum Task {
    Stein(Arc<dyn SteinForm>),
    ScoreMatching(BoundaryWeight),
    Likelihood,
    TruncatedLikelihood(Arc<dyn Domain>),
}

/// The value of a discrepancy at given parameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Discrepancy {
    /// The square, which a U-statistic can make negative.
    pub squared: f64,
    /// The discrepancy itself; `None` where the square is negative.
    pub value: Option<f64>,
}

/// The witness function at some points.
#[derive(Debug, Clone, PartialEq)]
pub struct WitnessValues {
    /// One row for each point, one column for each coordinate.
    pub values: Matrix,
    /// TKSD only: the Lagrange multipliers `nu_l = -(K + e I)^-1 mean_i v_l(x_i)`, one row for each boundary point.
    pub multipliers: Option<Matrix>,
    /// The discrepancy (V-statistic) by which the witness is normalised.
    pub discrepancy: f64,
}

/// A problem before it is solved: what results tell of it.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Described {
    /// The method.
    pub method: Method,
    /// The model's name.
    pub model: String,
    /// The statistic, for methods that have one.
    pub statistic: Option<Statistic>,
    /// The number of observations.
    pub n: usize,
    /// The number of coordinates.
    pub d: usize,
    /// The number of boundary points in use.
    pub m: usize,
    /// The kernel, for methods that have one.
    pub kernel: Option<KernelUsed>,
    /// The ridge, for methods that have one.
    pub ridge: Option<f64>,
    /// How the pairs are computed, for methods that have pairs.
    pub compute: Option<ComputeUsed>,
    /// What the user should know about the data.
    pub warnings: Vec<String>,
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        estimator: &Estimator,
        data: &'a Points<'a>,
        model: &'a dyn Model,
    ) -> Result<Problem<'a>, Error> {
        estimator.interrupt.watch(|| in_pool(|| Problem::checked(estimator, data, model)))
    }

    fn checked(
        estimator: &Estimator,
        data: &'a Points<'a>,
        model: &'a dyn Model,
    ) -> Result<Problem<'a>, Error> {
        let started = Instant::now();
        let method = estimator.method;
        check_rows(data)?;
        if method.has_kernel() && estimator.compute == Compute::Dense {
            // The form itself refuses as well, but after bandwidth and boundary points were found in vain.
            check_dense(data.len())?;
        }
        if model.dimension() != data.dimension() {
            return Err(
                ModelError::WrongDimension { model: model.dimension(), data: data.dimension() }.into()
            );
        }
        let spreads = check_spreads(data, &model.differentiated()).filter(|_| method.has_kernel());
        let mut settings = Settings {
            method,
            statistic: method.has_kernel().then_some(estimator.statistic),
            boundary_points: 0,
            kernel: None,
            ridge: (method == Method::Tksd).then_some(estimator.ridge),
            distance: None,
            leak: None,
            tie: None,
            of_boundary: None,
            near_places: None,
            kept: None,
            compute: None,
            confidence: estimator.confidence,
            warnings: check_domain(estimator, data)?.into_iter().chain(spreads).collect(),
            tuning: None,
            prepared_in: 0.0,
        };
        let mut boundary = given_boundary(estimator, data)?;
        let task = match method {
            Method::Mle => Task::Likelihood,
            Method::TruncatedMle => Task::TruncatedLikelihood(
                estimator.domain.clone().ok_or(FitError::NeedsDomain { method: method.name() })?,
            ),
            Method::Ksd => {
                let nothing = Points::none(data.dimension());
                Task::Stein(held(estimator, data, model, &nothing, &mut settings)?.form()?)
            }
            Method::Tksd => {
                let points = known_boundary(estimator, data, boundary)?;
                let held = held(estimator, data, model, &points, &mut settings)?;
                settings.boundary_points = points.len();
                if !estimator.is_replicate {
                    note_leak(estimator, data, &points, &held.exact, &mut settings)?;
                }
                boundary = Some(points);
                Task::Stein(held.form()?)
            }
            Method::Bdksd | Method::Truncsm => {
                let domain = || estimator.domain.clone().ok_or(FitError::NoDomain);
                let kind = DistanceKind::chosen(estimator.distance, estimator.domain.as_deref());
                settings.distance = Some(kind.name().into());
                let distance = match kind {
                    DistanceKind::Exact => {
                        let domain = domain()?;
                        if !domain.has_distance() {
                            return Err(FitError::NoDistance { domain: domain.describe() }.into());
                        }
                        BoundaryDistance::exact(domain)
                    }
                    DistanceKind::Axes if method == Method::Bdksd => {
                        return Err(FitError::NoAxes { method: method.name() }.into());
                    }
                    DistanceKind::Axes => BoundaryDistance::along_axes(domain()?),
                    DistanceKind::Nearest => {
                        let points = known_boundary(estimator, data, boundary)?;
                        if points.is_empty() {
                            return Err(FitError::NoBoundaryPoints.into());
                        }
                        settings.boundary_points = points.len();
                        boundary = Some(points.clone());
                        BoundaryDistance::nearest(points).with_norm(estimator.distance_norm)
                    }
                };
                let distance = distance.with_power(estimator.distance_power)?.until(&estimator.interrupt);
                if method == Method::Truncsm {
                    Task::ScoreMatching(BoundaryWeight::new(&distance, data, model))
                } else {
                    let nothing = Points::none(data.dimension());
                    let inner = held(estimator, data, model, &nothing, &mut settings)?.form()?;
                    Task::Stein(Arc::new(Weighted::of(inner, data, distance)?))
                }
            }
        };
        let start = match &estimator.start {
            Some(reported) => Some(checked_parameters(model, reported, data.names())?),
            None => None,
        };
        settings.prepared_in = started.elapsed().as_secs_f64();
        let (weights, estimator) = (data.relative_weights(), estimator.clone());
        Ok(Problem { data, model, weights, task, settings, boundary, start, estimator })
    }

    /// Does something that ends with an error once the estimator's interrupt is raised.
    pub(crate) fn watch<T>(&self, job: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        self.estimator.interrupt.watch(job)
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.settings.method
    }

    /// The problem, whose fits tell how bandwidth and ridge were chosen, which took so many seconds.
    pub(crate) fn chosen_by(mut self, tuning: Tuning, seconds: f64) -> Problem<'a> {
        self.settings.tuning = Some(tuning);
        self.settings.prepared_in += seconds;
        self
    }

    /// The same pairs with another statistic, and a search that starts at these fitted parameters.
    pub(crate) fn with_statistic(&self, statistic: Statistic, start: Vec<f64>) -> Option<Problem<'a>> {
        let Task::Stein(form) = &self.task else { return None };
        Some(Problem {
            data: self.data,
            model: self.model,
            weights: self.weights.clone(),
            task: Task::Stein(Arc::clone(form)),
            settings: Settings { statistic: Some(statistic), ..self.settings.clone() },
            boundary: self.boundary.clone(),
            start: Some(start),
            estimator: self.estimator.clone(),
        })
    }

    /// The same problem with what a boundary that is known better would be like: with further points on it near the data, where those are known, and a
    /// hundredth of the ridge; a search starts at these fitted parameters. `None` for methods that do not condition on boundary points.
    pub(crate) fn with_better_boundary(&self, start: Vec<f64>) -> Option<Result<Problem<'a>, Error>> {
        let (Some(boundary), Some(kernel)) = (self.boundary.as_ref(), self.settings.kernel.as_ref()) else {
            return None;
        };
        let ridge = self.settings.ridge.filter(|ridge| *ridge > 0.0)?;
        let more = self.settings.near_places.iter().flat_map(Points::rows);
        let boundary = Points::from_rows(&boundary.rows().chain(more).collect::<Vec<_>>());
        let bandwidth = Bandwidth::Fixed(kernel.bandwidth);
        let estimator = self.estimator.clone().ridge(smaller(ridge)).bandwidth(bandwidth);
        Some(boundary.map_err(Error::from).and_then(|boundary| {
            let mut estimator = estimator.boundary(boundary);
            (estimator.is_replicate, estimator.start) = (true, None);
            Ok(Problem { start: Some(start), ..estimator.check(self.data, self.model)? })
        }))
    }

    /// What was told of the boundary points before anything was fitted.
    pub(crate) fn boundary_warning(&self) -> Option<&String> {
        self.settings.of_boundary.as_ref()
    }

    /// Whether other places on the boundary than the boundary points are known.
    pub(crate) fn knows_near_places(&self) -> bool {
        self.settings.near_places.is_some()
    }

    /// Refuses a fit that is not of this problem.
    pub(crate) fn check_own(&self, fit: &Fit) -> Result<(), FitError> {
        let names = self.model.reported_names(self.data.names());
        let is_ours = fit.parameters.iter().zip(&names).all(|(p, name)| p.name == *name);
        let fitted = fit.fitted_parameters().map_or(self.model.parameters(), |theta| theta.len());
        let has_size = fit.n == self.data.len() && fit.parameters.len() == names.len();
        if has_size && is_ours && fitted == self.model.parameters() {
            return Ok(());
        }
        let size = |n: usize, p: usize| format!("{n} and {p}");
        Err(FitError::ForeignFit {
            fit: size(fit.n, fit.parameters.len()),
            problem: size(self.data.len(), names.len()),
        })
    }

    /// The boundary points, given or sampled, whether or not the method uses them.
    pub fn boundary(&self) -> Option<&Points<'static>> {
        self.boundary.as_ref()
    }

    /// The settings of the kernel, for methods that have one.
    pub fn kernel(&self) -> Option<&KernelUsed> {
        self.settings.kernel.as_ref()
    }

    /// How the pairs are computed, for methods that have pairs.
    pub fn compute(&self) -> Option<&ComputeUsed> {
        self.settings.compute.as_ref()
    }

    /// The statistic, for methods that have one.
    pub fn statistic(&self) -> Option<Statistic> {
        self.settings.statistic
    }

    /// The ridge, for methods that have one.
    pub fn ridge(&self) -> Option<f64> {
        self.settings.ridge
    }

    /// The number of boundary points that the method uses.
    pub fn boundary_points(&self) -> usize {
        self.settings.boundary_points
    }

    /// How much of the kernel is left on the boundary between the boundary points, on average (TKSD).
    pub fn leak(&self) -> Option<f64> {
        self.settings.leak
    }

    /// How much of the kernel is left at the data themselves, on average (TKSD): test functions live on that.
    pub fn kept(&self) -> Option<f64> {
        self.settings.kept
    }

    /// How strongly the kernel still ties the data to the boundary (TKSD): the bias that boundary points leave goes with that.
    pub fn tie(&self) -> Option<Tie> {
        self.settings.tie
    }

    /// What the user should know about the data.
    pub fn warnings(&self) -> &[String] {
        &self.settings.warnings
    }

    /// What results tell of the problem.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let model = Gaussian::with_variance(1, 1.0)?;
    /// assert_eq!(Estimator::ksd().check(&data, &model)?.described().n, 3);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn described(&self) -> Described {
        Described {
            method: self.settings.method,
            model: self.model.name().to_string(),
            statistic: self.settings.statistic,
            n: self.data.len(),
            d: self.data.dimension(),
            m: self.settings.boundary_points,
            kernel: self.settings.kernel.clone(),
            ridge: self.settings.ridge,
            compute: self.settings.compute.clone(),
            warnings: self.settings.warnings.clone(),
        }
    }

    /// The confidence level of intervals.
    pub fn confidence(&self) -> f64 {
        self.settings.confidence
    }

    /// The form, for Stein discrepancies.
    pub(crate) fn form(&self) -> Result<&dyn SteinForm, FitError> {
        match &self.task {
            Task::Stein(form) => Ok(form.as_ref()),
            Task::ScoreMatching(_) | Task::Likelihood | Task::TruncatedLikelihood(_) => {
                Err(FitError::NoDiscrepancy { method: self.settings.method.name() })
            }
        }
    }

    /// Estimates the parameters.
    pub fn fit(&self) -> Result<Fit, Error> {
        self.watch(|| in_pool(|| self.fitted()))
    }

    fn fitted(&self) -> Result<Fit, Error> {
        let started = Instant::now();
        let rows = check_rows(self.data)?;
        let parameters = self.model.parameters();
        if parameters == 0 {
            return Err(FitError::NothingToFit.into());
        }
        if parameters >= rows {
            return Err(FitError::MoreParametersThanData { parameters, rows }.into());
        }
        check_columns(self.data, &self.model.differentiated())?;
        let estimate = self.estimate(&self.weights, self.start.as_deref())?;
        let values = estimate.theta.iter().flatten();
        if values.chain(estimate.influence.values()).any(|v| !v.is_finite()) {
            return Err(FitError::NotFinite { what: "estimate" }.into());
        }
        let mut fit = Fit::new(estimate, self.model, self.data, &self.weights, self.settings.clone())?;
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

/// Whether a kernel looks at one coordinate alone: along that the boundary is a few points, all of them known.
pub(crate) fn sees_one_coordinate(data: &Points) -> bool {
    data.scales().iter().filter(|scale| scale.is_finite()).count() < 2
}

/// The kernel at the data, conditioned on boundary points, noting in the settings what was used.
fn held(
    estimator: &Estimator,
    data: &Points,
    model: &dyn Model,
    boundary: &Points,
    settings: &mut Settings,
) -> Result<Held, Error> {
    let bandwidth = estimator.bandwidth.find(data, estimator.seed, &estimator.interrupt)?;
    settings.kernel = Some(KernelUsed { name: estimator.kernel.name().to_string(), bandwidth });
    let held = Held::new(estimator, data, model, bandwidth, boundary)?;
    settings.compute = Some(ComputeUsed {
        holder: held.form()?.holder(),
        threads: rayon::current_num_threads(),
        simd: simd_level().into(),
        reason: held.reason.clone(),
    });
    settings.warnings.extend(held.warning.clone());
    Ok(held)
}

/// The boundary points given by the user, in the data's coordinates.
fn given_boundary(estimator: &Estimator, data: &Points) -> Result<Option<Points<'static>>, FitError> {
    match &estimator.boundary {
        Some(points) if points.dimension() != data.dimension() => {
            Err(FitError::BoundaryDimension { boundary: points.dimension(), data: data.dimension() })
        }
        given => Ok(given.clone()),
    }
}

/// The boundary points given, or sampled from the domain.
fn known_boundary(
    estimator: &Estimator,
    data: &Points,
    given: Option<Points<'static>>,
) -> Result<Points<'static>, Error> {
    if let Some(points) = given {
        return Ok(points);
    }
    let method = estimator.method.name();
    let domain = estimator.domain.as_ref().ok_or(FitError::NoBoundary { method })?;
    let count = estimator.boundary_points.unwrap_or_else(|| default_boundary_count(data.dimension()));
    let sampling = BoundarySampling::new(count).scheme(estimator.boundary_scheme).near(data);
    Ok(domain.sample_boundary(&sampling, &mut stream(estimator.seed, tasks::BOUNDARY))?)
}

use std::sync::Arc;

use super::settling::TOLERATED_FLUX;
use super::{Compute, DistanceKind, Method, StandardErrors};
use crate::domain::{BoundaryScheme, Domain, Norm};
use crate::engine::{Engine, Native};
use crate::error::{Error, FitError, KernelError};
use crate::interrupt::Interrupt;
use crate::kernel::{Bandwidth, Gaussian, Kernel};
use crate::likelihood::IntegrationRule;
use crate::points::Points;
use crate::search_limits::{SearchLimits, SearchWatcher};
use crate::stein::{Statistic, check_tolerance};

/// An estimator with its settings: `Estimator -> check -> Problem -> fit -> Fit`.
///
/// The methods are [`tksd`](Estimator::tksd), [`bdksd`](Estimator::bdksd), [`truncsm`](Estimator::truncsm),
/// [`truncated_mle`](Estimator::truncated_mle), [`ksd`](Estimator::ksd) and [`mle`](Estimator::mle). Settings
/// that a method does not use are ignored.
///
/// ```
/// use std::sync::Arc;
/// use steinbound::{Estimator, domain::Ball, model::Gaussian, simulate};
/// let disc = Ball::new(1.4)?.in_dimension(2);
/// let model = Gaussian::with_variance(2, 1.0)?;
/// let sample = simulate::truncated(&model, &[0.5, 0.5], &disc, 300, &mut simulate::stream(1, 0))?;
/// let fit = Estimator::tksd().domain(Arc::new(disc)).fit(&sample.points, &model)?;
/// for mean in &fit.parameters {
///     assert!((mean.estimate.unwrap() - 0.5).abs() < 4.0 * mean.std_error.unwrap());
/// }
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Estimator {
    pub(crate) method: Method,
    pub(crate) boundary: Option<Points<'static>>,
    pub(crate) boundary_normals: Option<Points<'static>>,
    pub(crate) domain: Option<Arc<dyn Domain>>,
    pub(crate) boundary_points: Option<usize>,
    pub(super) boundary_scheme: BoundaryScheme,
    pub(super) distance: Option<DistanceKind>,
    pub(super) distance_norm: Norm,
    pub(crate) distance_power: f64,
    pub(crate) start: Option<Vec<f64>>,
    pub(super) integration: Option<Arc<IntegrationRule>>,
    pub(crate) kernel: Arc<dyn Kernel>,
    pub(super) engine: Arc<dyn Engine>,
    pub(crate) bandwidth: Bandwidth,
    /// Unless it is given, a method chooses it.
    pub(crate) ridge: Option<f64>,
    pub(super) statistic: Statistic,
    pub(crate) compute: Compute,
    pub(super) tolerance: f64,
    pub(crate) confidence: f64,
    /// Unless it is given, the method and the data decide.
    pub(crate) standard_errors: Option<StandardErrors>,
    pub(crate) seed: u64,
    pub(super) allow_outside: bool,
    /// How far outside a point may be that lies on the border; by rounding unless it is given.
    pub(super) border_tolerance: Option<f64>,
    pub(crate) interrupt: Interrupt,
    pub(super) search: SearchLimits,
    /// The flux through the boundary that a penalty tolerates.
    pub(crate) tolerated_flux: f64,
    /// Whether this is one of many fits whose warnings are not shown.
    pub(crate) is_replicate: bool,
}

/// The default ridge `e`.
pub const DEFAULT_RIDGE: f64 = 1e-3;

/// The default share of the kernel that a low-rank form may leave out.
pub const DEFAULT_TOLERANCE: f64 = 1e-3;

/// The most boundary points that an estimator samples.
const MOST_SAMPLED: usize = 100_000;

impl Estimator {
    /// An estimator with default settings: Gaussian kernel, median bandwidth, V-statistic.
    pub fn new(method: Method) -> Estimator {
        Estimator {
            method,
            boundary: None,
            boundary_normals: None,
            domain: None,
            boundary_points: None,
            boundary_scheme: BoundaryScheme::Uniform,
            distance: None,
            distance_norm: Norm::Two,
            distance_power: 1.0,
            start: None,
            integration: None,
            kernel: Arc::new(Gaussian),
            engine: Arc::new(Native),
            bandwidth: Bandwidth::Median,
            ridge: None,
            statistic: Statistic::V,
            compute: Compute::Auto,
            tolerance: DEFAULT_TOLERANCE,
            confidence: 0.95,
            standard_errors: None,
            seed: 0,
            allow_outside: false,
            border_tolerance: None,
            interrupt: Interrupt::new(),
            search: SearchLimits::default(),
            tolerated_flux: TOLERATED_FLUX,
            is_replicate: false,
        }
    }

    /// The same settings with another method, as far as it uses them.
    ///
    /// ```
    /// use steinbound::{Estimator, Method, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let estimator = Estimator::tksd().confidence(0.9).method(Method::MLE);
    /// let fit = estimator.fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert_eq!((fit.setup.method, fit.confidence), (Method::MLE, 0.9));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn method(mut self, method: Method) -> Estimator {
        self.method = method;
        self
    }

    /// Points on the boundary.
    pub fn boundary(mut self, boundary: Points<'_>) -> Estimator {
        self.boundary = Some(boundary.into_owned());
        self
    }

    /// A vector perpendicular to the boundary at each of the [boundary points](Estimator::boundary), of any
    /// length and sign. Without them they come from the domain, or from neighbouring boundary points.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[0.5], [0.1], [0.4], [0.9], [0.8]])?;
    /// let (end, zero) = (Points::from_rows(&[[0.0]])?, Points::from_rows(&[[0.0]])?);
    /// let estimator = Estimator::tksd().boundary(end).boundary_normals(zero);
    /// let error = estimator.fit(&data, &Gaussian::with_variance(1, 1.0)?).unwrap_err();
    /// assert!(error.to_string().contains("has length zero"));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn boundary_normals(mut self, normals: Points<'_>) -> Estimator {
        self.boundary_normals = Some(normals.into_owned());
        self
    }

    /// The domain: it identifies data outside, and gives exact distances, and boundary points if none are
    /// given.
    pub fn domain(mut self, domain: Arc<dyn Domain>) -> Estimator {
        self.domain = Some(domain);
        self
    }

    /// The number of boundary points to sample from the domain. By default the methods `efficient` and `tksd`
    /// place as many as bandwidth and data need; others sample `8 d^2`, at least 200 and at most 4,000. More than
    /// 100,000 are refused.
    pub fn boundary_points(mut self, count: usize) -> Estimator {
        self.boundary_points = Some(count);
        self
    }

    /// How to place boundary points sampled from the domain.
    pub fn boundary_scheme(mut self, scheme: BoundaryScheme) -> Estimator {
        self.boundary_scheme = scheme;
        self
    }

    /// How to measure the distance to the boundary (default: exact if a domain is known).
    pub fn distance(mut self, distance: DistanceKind) -> Estimator {
        self.distance = Some(distance);
        self
    }

    /// The norm in which the nearest boundary point is sought (default Euclidean).
    pub fn distance_norm(mut self, norm: Norm) -> Estimator {
        self.distance_norm = norm;
        self
    }

    /// The power to which bd-KSD and TruncSM raise the distance (default 1).
    pub fn distance_power(mut self, power: f64) -> Estimator {
        self.distance_power = power;
        self
    }

    /// The start of the search for a minimum, in reported parameters; it is then the only start, and
    /// components keep its order. Fits in closed form need none.
    pub fn start(mut self, reported: Vec<f64>) -> Estimator {
        self.start = Some(reported);
        self
    }

    /// The rule by which a truncated likelihood integrates over the domain, instead of one made for the data.
    /// The fit then has no log-likelihood, because the rule's weights are known only up to a factor. A
    /// regression, whose normaliser is known, does not use it.
    pub fn integrate_by(mut self, rule: Arc<IntegrationRule>) -> Estimator {
        self.integration = Some(rule);
        self
    }

    /// The kernel.
    pub fn kernel(mut self, kernel: Arc<dyn Kernel>) -> Estimator {
        self.kernel = kernel;
        self
    }

    /// The engine that computes sums over pairs of points (default [`Native`]).
    pub fn engine(mut self, engine: Arc<dyn Engine>) -> Estimator {
        self.engine = engine;
        self
    }

    /// The bandwidth.
    pub fn bandwidth(mut self, bandwidth: Bandwidth) -> Estimator {
        self.bandwidth = bandwidth;
        self
    }

    /// The ridge added to the kernel matrix of the boundary points. By default it is [`DEFAULT_RIDGE`] for
    /// boundary points that are given or whose number is, and otherwise follows from bandwidth, surface and
    /// number of observations.
    pub fn ridge(mut self, ridge: f64) -> Estimator {
        self.ridge = Some(ridge);
        self
    }

    /// V- or U-statistic.
    pub fn statistic(mut self, statistic: Statistic) -> Estimator {
        self.statistic = statistic;
        self
    }

    /// How to hold the pairs.
    pub fn compute(mut self, compute: Compute) -> Estimator {
        self.compute = compute;
        self
    }

    /// The share of the kernel that a low-rank form may leave out (default [`DEFAULT_TOLERANCE`]).
    pub fn tolerance(mut self, tolerance: f64) -> Estimator {
        self.tolerance = tolerance;
        self
    }

    /// The confidence level of intervals.
    pub fn confidence(mut self, confidence: f64) -> Estimator {
        self.confidence = confidence;
        self
    }

    /// How the covariance of the estimate is computed. By default a likelihood of the truncated or censored
    /// density without weights or clusters takes its information, and everything else the sandwich over
    /// observations, or over clusters if there are any, without a correction for few clusters.
    ///
    /// ```
    /// use steinbound::fit::{CovarianceKind, StandardErrors};
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0], [4.0]])?.with_clusters(&["a", "a", "b", "c"])?;
    /// let estimator = Estimator::mle().standard_errors(StandardErrors::Cluster);
    /// let fit = estimator.fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert_eq!((fit.covariance_type, fit.clusters), (CovarianceKind::Cluster, Some(3)));
    /// assert_eq!(fit.degrees_of_freedom, Some(2));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn standard_errors(mut self, kind: StandardErrors) -> Estimator {
        self.standard_errors = Some(kind);
        self
    }

    /// The seed of everything random: sampled boundary points and the places where leaks are measured, starts
    /// of a search, nodes of an integral in many dimensions, and the subsample for the bandwidth of large
    /// data.
    pub fn seed(mut self, seed: u64) -> Estimator {
        self.seed = seed;
        self
    }

    /// Whether data outside the domain are kept. bd-KSD and TruncSM with exact distance give them no weight.
    pub fn allow_outside(mut self, allow: bool) -> Estimator {
        self.allow_outside = allow;
        self
    }

    /// How far outside the domain data may lie that are on its border, such as a metre on a map, instead of what
    /// rounding explains. With infinity data are not looked at: they were checked before.
    pub fn border_tolerance(mut self, tolerance: f64) -> Estimator {
        self.border_tolerance = Some(tolerance);
        self
    }

    /// A handle that ends the work early. Everything made from this estimator checks it.
    pub fn interrupt(mut self, interrupt: Interrupt) -> Estimator {
        self.interrupt = interrupt;
        self
    }

    /// The most steps of each search for a minimum, which has not converged if it would need more. Fits in closed
    /// form need none.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Autodiff};
    /// let data = Points::from_rows(&[[0.5], [0.1], [0.4], [0.9], [0.8], [2.4]])?;
    /// let model = Autodiff::from_formula("-log(s) - abs(x1-m)^1.5/s", &["x1"], &[("m", 5.0), ("s", 9.0)])?;
    /// let fit = Estimator::ksd().max_iterations(1).fit(&data, &model)?;
    /// assert!(!fit.converged && fit.warnings[0].contains("at its limit of 1 step"));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn max_iterations(mut self, most: usize) -> Estimator {
        self.search.most_steps = Some(most);
        self
    }

    /// The length of the last step of a search, relative to the parameters; by default a search goes on until further
    /// steps are rounding.
    pub fn search_tolerance(mut self, tolerance: f64) -> Estimator {
        self.search.tolerance = Some(tolerance);
        self
    }

    /// A function that is called after each step of a search, with the number of steps and the objective, and ends it
    /// by returning `true`. Replicates of a bootstrap are not watched.
    pub fn watch_search(mut self, watcher: SearchWatcher) -> Estimator {
        self.search.watcher = Some(watcher);
        self
    }

    /// The estimator for one problem, whose time limit counts for it alone.
    pub(crate) fn for_one(&self) -> Estimator {
        let mut search = self.search.clone();
        search.watcher = search.watcher.filter(|_| !self.is_replicate);
        Estimator { interrupt: self.interrupt.of_one(&search), ..self.clone() }
    }

    /// The domain, if one was given.
    pub fn known_domain(&self) -> Option<&dyn Domain> {
        self.domain.as_deref()
    }

    /// The ridge, where nothing else chooses it.
    pub(crate) fn fixed_ridge(&self) -> f64 {
        self.ridge.unwrap_or(DEFAULT_RIDGE)
    }

    /// Whether the method may place boundary points itself: the region is known, and neither points nor their
    /// number are given.
    pub(crate) fn places_boundary(&self) -> bool {
        self.boundary.is_none() && self.boundary_points.is_none() && self.domain.is_some()
    }

    /// The given normals, followed by those of the domain at further places on the boundary. `None` if there
    /// are no normals, or the domain does not know all of the others.
    pub(crate) fn normals_with<'a>(
        &self,
        places: impl Iterator<Item = &'a [f64]>,
    ) -> Option<Points<'static>> {
        let given = self.boundary_normals.as_ref()?;
        let mut all = given.values().to_vec();
        for place in places {
            let mut normal = vec![0.0; place.len()];
            if !self.domain.as_ref()?.normal(place, &mut normal) {
                return None;
            }
            all.extend(normal);
        }
        Points::new(all, given.dimension()).ok()
    }

    /// Refuses invalid numbers among the settings that the method uses.
    pub(crate) fn check_numbers(&self) -> Result<(), Error> {
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(FitError::BadConfidence { value: self.confidence }.into());
        }
        self.search.check()?;
        if let Some(points) = self.boundary_points.filter(|count| *count > MOST_SAMPLED) {
            return Err(FitError::TooManyBoundaryPoints { points, limit: MOST_SAMPLED }.into());
        }
        if let Some(value) = self.ridge.filter(|_| self.method.uses().ridge)
            && !(value >= 0.0 && value.is_finite())
        {
            return Err(KernelError::BadRidge { value }.into());
        }
        if self.method.has_kernel() && self.compute.has_tolerance() {
            check_tolerance(self.tolerance)?;
        }
        match self.bandwidth {
            Bandwidth::Fixed(value) | Bandwidth::From(value)
                if self.method.has_kernel() && !(value > 0.0 && value.is_finite()) =>
            {
                Err(KernelError::BadBandwidth { value }.into())
            }
            _ => Ok(()),
        }
    }
}

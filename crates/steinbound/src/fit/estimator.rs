use std::sync::Arc;

use super::{Compute, DistanceKind, Fit, Method, Problem};
use crate::domain::{BoundaryScheme, Domain, Norm};
use crate::engine::{Engine, Native};
use crate::error::{Error, FitError, KernelError};
use crate::interrupt::Interrupt;
use crate::kernel::{Bandwidth, Gaussian, Kernel};
use crate::likelihood::IntegrationRule;
use crate::model::Model;
use crate::points::Points;
use crate::stein::{Statistic, check_tolerance};

/// An estimator with its settings: `Estimator -> check -> Problem -> fit -> Fit`.
///
/// The methods are [`tksd`](Estimator::tksd), [`bdksd`](Estimator::bdksd), [`truncsm`](Estimator::truncsm),
/// [`truncated_mle`](Estimator::truncated_mle), [`ksd`](Estimator::ksd) and [`mle`](Estimator::mle). Settings that a method does not use are ignored.
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
    pub(crate) domain: Option<Arc<dyn Domain>>,
    pub(crate) boundary_points: Option<usize>,
    pub(super) boundary_scheme: BoundaryScheme,
    pub(super) distance: Option<DistanceKind>,
    pub(super) distance_norm: Norm,
    pub(super) distance_power: f64,
    pub(crate) start: Option<Vec<f64>>,
    pub(super) integration: Option<Arc<IntegrationRule>>,
    pub(crate) kernel: Arc<dyn Kernel>,
    pub(super) engine: Arc<dyn Engine>,
    pub(crate) bandwidth: Bandwidth,
    pub(crate) ridge: f64,
    pub(super) statistic: Statistic,
    pub(super) compute: Compute,
    pub(super) tolerance: f64,
    pub(crate) confidence: f64,
    pub(crate) seed: u64,
    pub(super) allow_outside: bool,
    pub(crate) interrupt: Interrupt,
    /// Whether this is one of many fits, of which nobody reads the warnings.
    pub(crate) is_replicate: bool,
}

/// The ridge `e` that is used unless told otherwise.
pub const DEFAULT_RIDGE: f64 = 1e-3;

/// The share of the kernel left out by a low-rank form that is used unless told otherwise.
pub const DEFAULT_TOLERANCE: f64 = 1e-3;

impl Estimator {
    /// An estimator with default settings: Gaussian kernel, median bandwidth, ridge 0.001, V-statistic.
    pub fn new(method: Method) -> Estimator {
        Estimator {
            method,
            boundary: None,
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
            ridge: DEFAULT_RIDGE,
            statistic: Statistic::V,
            compute: Compute::Auto,
            tolerance: DEFAULT_TOLERANCE,
            confidence: 0.95,
            seed: 0,
            allow_outside: false,
            interrupt: Interrupt::new(),
            is_replicate: false,
        }
    }

    /// Truncated kernelised Stein discrepancy (TKSD): the default.
    ///
    /// # Definition
    ///
    /// Minimises `mean_ij H(x_i, x_j)`, the Stein kernel `H` being that of `k` conditioned to vanish at the boundary points,
    /// `k0(x, y) = k(x, y) - k(x, b) (K + e I)^-1 k(b, y)` ([`Conditioned`](crate::stein::Conditioned)). For a score that is
    /// affine in the parameters the minimum solves linear equations ([`Moments`](crate::stein::Moments)); standard errors are
    /// those of the [sandwich](crate::inference::sandwich).
    ///
    /// # Requirements
    ///
    /// Points on the boundary, or a domain to sample them from; they should lie closer together than the bandwidth. At a
    /// fixed number of boundary points a small bias remains, which standard errors do not include.
    ///
    /// # Complexity
    ///
    /// `n^2 / 2 + 2 n m` kernel values and `m^3 / 3` operations; `n m^2` more for the U-statistic. Memory `O(n + m^2)` when tiled.
    ///
    /// # Reference
    ///
    /// Williams and Liu, *Approximate Stein Classes for Truncated Density Estimation*, ICML 2023.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let ends = Points::from_rows(&[[-1.0], [1.0]])?;
    /// let fit = Estimator::tksd().boundary(ends).fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert_eq!(fit.parameters[0].name, "mean[x1]");
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn tksd() -> Estimator {
        Estimator::new(Method::Tksd)
    }

    /// Bounded-domain kernelised Stein discrepancy (bd-KSD).
    ///
    /// # Definition
    ///
    /// Minimises the Stein discrepancy under the kernel `h(x) k(x, y) h(y)`, `h` being the distance to the boundary
    /// ([`Weighted`](crate::stein::Weighted)).
    ///
    /// # Requirements
    ///
    /// A domain (exact distance), or boundary points (distance to the nearest, which overestimates far from them).
    ///
    /// # Complexity
    ///
    /// `n^2 / 2` kernel values and `n` distances.
    ///
    /// # Reference
    ///
    /// Xu, *Generalised Kernel Stein Discrepancy: A Unifying Approach for Non-parametric Goodness-of-fit Testing*, 2021.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, Points, domain::Cuboid, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let interval = Arc::new(Cuboid::interval(-1.0, 1.0)?);
    /// let fit = Estimator::bdksd().domain(interval).fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert_eq!(fit.distance.as_deref(), Some("exact"));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn bdksd() -> Estimator {
        Estimator::new(Method::Bdksd)
    }

    /// Truncated score matching (TruncSM).
    ///
    /// # Definition
    ///
    /// Minimises the mean over the data of `sum_l [ h (psi_l^2 + 2 d_l psi_l) + 2 (d_l h) psi_l ]`, `h` being the distance to the
    /// boundary. (The paper has the last term without its factor 2, and the public code replaces the derivative
    /// `d_l psi_l` by a sum over a row of the Hessian.)
    ///
    /// # Requirements
    ///
    /// A domain (exact distance), or boundary points (distance to the nearest).
    ///
    /// # Complexity
    ///
    /// `n d p^2` operations and `n` distances: there are no pairs.
    ///
    /// # Reference
    ///
    /// Liu, Kanamori and Williams, *Estimating Density Models with Truncation Boundaries using Score Matching*, JMLR 2022;
    /// Yu, Drton and Shojaie, *Generalized Score Matching for General Domains*, 2022.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, Points, domain::Cuboid, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let interval = Arc::new(Cuboid::interval(-1.0, 1.0)?);
    /// let fit = Estimator::truncsm().domain(interval).fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert!(fit.objective.is_some() && fit.discrepancy.is_none());
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn truncsm() -> Estimator {
        Estimator::new(Method::Truncsm)
    }

    /// Kernelised Stein discrepancy that ignores the boundary (KSD).
    ///
    /// # Definition
    ///
    /// Minimises the Stein discrepancy under the kernel `k` as it is ([`Radial`](crate::stein::Radial)).
    ///
    /// # Requirements
    ///
    /// Data that are not truncated; on truncated data it is biased.
    ///
    /// # Complexity
    ///
    /// `n^2 / 2` kernel values.
    ///
    /// # Reference
    ///
    /// Barp, Briol, Duncan, Girolami and Mackey, *Minimum Stein Discrepancy Estimators*, NeurIPS 2019.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let fit = Estimator::ksd().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert_eq!(fit.m, 0);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn ksd() -> Estimator {
        Estimator::new(Method::Ksd)
    }

    /// Maximum likelihood that ignores the boundary (MLE): the baseline that truncation biases.
    ///
    /// # Definition
    ///
    /// For a Gaussian, mean and covariance (divided by `n`) of the data, with robust standard errors.
    ///
    /// # Requirements
    ///
    /// A model whose normaliser without truncation is known, and data that are not truncated.
    ///
    /// # Complexity
    ///
    /// `n d^2`.
    ///
    /// # Reference
    ///
    /// White, *Maximum Likelihood Estimation of Misspecified Models*, Econometrica 1982, for the standard errors.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let fit = Estimator::mle().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert!((fit.estimates()[0] - 3.0).abs() < 1e-12);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn mle() -> Estimator {
        Estimator::new(Method::Mle)
    }

    /// Maximum likelihood of the truncated density: the bar that every other method is measured against.
    ///
    /// # Definition
    ///
    /// Maximises the mean over the data of `log p(x; theta) - log Z(theta)`, `Z` being the integral of the unnormalised density `p` over the
    /// domain. Up to three dimensions the integral is a sum over Gauss-Legendre nodes along sections of the domain; beyond, a
    /// seeded quasi-Monte Carlo sum. The rule is refined until the estimate moves by less than a thousandth of its
    /// standard error (a hundredth in three dimensions, a twentieth beyond), or the fit says that it was not. A regression needs no sum: its normaliser is known.
    ///
    /// # Requirements
    ///
    /// A domain, and a model that knows its unnormalised log-density. Standard errors are those of the inverse observed
    /// information, or of the sandwich where observations have weights or clusters.
    ///
    /// # Complexity
    ///
    /// `p` gradients of the log-density at tens of thousands of nodes for each step of the search.
    ///
    /// # Reference
    ///
    /// Hausman and Wise, *Social Experimentation, Truncated Distributions, and Efficient Estimation*, Econometrica 1977.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, Points, domain::Cuboid, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let interval = Arc::new(Cuboid::interval(-1.0, 1.0)?);
    /// let fit = Estimator::truncated_mle().domain(interval).fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert!(fit.converged && fit.log_likelihood.is_some());
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn truncated_mle() -> Estimator {
        Estimator::new(Method::TruncatedMle)
    }

    /// Another method, with the settings that it shares with this one.
    ///
    /// ```
    /// use steinbound::{Estimator, Method, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let fit = Estimator::tksd().confidence(0.9).method(Method::Mle).fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert_eq!((fit.method, fit.confidence), (Method::Mle, 0.9));
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

    /// The domain, which tells who lies outside, exact distances, and boundary points where none are given.
    pub fn domain(mut self, domain: Arc<dyn Domain>) -> Estimator {
        self.domain = Some(domain);
        self
    }

    /// How many boundary points to sample from the domain (default `8 d^2`, at least 32).
    pub fn boundary_points(mut self, count: usize) -> Estimator {
        self.boundary_points = Some(count);
        self
    }

    /// How to place boundary points sampled from the domain.
    pub fn boundary_scheme(mut self, scheme: BoundaryScheme) -> Estimator {
        self.boundary_scheme = scheme;
        self
    }

    /// How to measure the distance to the boundary (default: exact where a domain is known).
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

    /// Where the search for a minimum starts, in reported parameters; then it is the only start, and components keep its order.
    /// Fits in closed form need none.
    pub fn start(mut self, reported: Vec<f64>) -> Estimator {
        self.start = Some(reported);
        self
    }

    /// How a truncated likelihood integrates over the domain, instead of by a rule made for the data. The fit then has no log-likelihood, because the rule
    /// knows its weights up to a factor. A regression, whose normaliser is known, does not use it.
    pub fn integrate_by(mut self, rule: Arc<IntegrationRule>) -> Estimator {
        self.integration = Some(rule);
        self
    }

    /// The kernel.
    pub fn kernel(mut self, kernel: Arc<dyn Kernel>) -> Estimator {
        self.kernel = kernel;
        self
    }

    /// What computes sums over pairs of points (default [`Native`]).
    pub fn engine(mut self, engine: Arc<dyn Engine>) -> Estimator {
        self.engine = engine;
        self
    }

    /// The bandwidth.
    pub fn bandwidth(mut self, bandwidth: Bandwidth) -> Estimator {
        self.bandwidth = bandwidth;
        self
    }

    /// The ridge added to the kernel matrix of the boundary points.
    pub fn ridge(mut self, ridge: f64) -> Estimator {
        self.ridge = ridge;
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

    /// The seed of everything random: sampled boundary points and the places where leaks are measured, starts of a search, nodes of an
    /// integral in many dimensions, and the subsample for the bandwidth of large data.
    pub fn seed(mut self, seed: u64) -> Estimator {
        self.seed = seed;
        self
    }

    /// Whether data outside the domain are kept. bd-KSD and TruncSM with exact distance give them no weight.
    pub fn allow_outside(mut self, allow: bool) -> Estimator {
        self.allow_outside = allow;
        self
    }

    /// What ends the work before it is done. Everything made of this estimator watches it.
    pub fn interrupt(mut self, interrupt: Interrupt) -> Estimator {
        self.interrupt = interrupt;
        self
    }

    /// The domain, where one was given.
    pub fn known_domain(&self) -> Option<&dyn Domain> {
        self.domain.as_deref()
    }

    /// Checks settings, data and model against each other and builds what the method needs.
    pub fn check<'a>(&self, data: &'a Points<'a>, model: &'a dyn Model) -> Result<Problem<'a>, Error> {
        self.check_numbers()?;
        Problem::new(self, data, model)
    }

    /// Checks and fits in one go.
    pub fn fit(&self, data: &Points, model: &dyn Model) -> Result<Fit, Error> {
        self.check(data, model)?.fit()
    }

    /// Refuses numbers that make no sense, as far as the method uses them.
    fn check_numbers(&self) -> Result<(), Error> {
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(FitError::BadConfidence { value: self.confidence }.into());
        }
        if self.method == Method::Tksd && !(self.ridge >= 0.0 && self.ridge.is_finite()) {
            return Err(KernelError::BadRidge { value: self.ridge }.into());
        }
        if self.method.has_kernel() && self.compute.has_tolerance() {
            check_tolerance(self.tolerance)?;
        }
        match self.bandwidth {
            Bandwidth::Fixed(value) if self.method.has_kernel() && !(value > 0.0 && value.is_finite()) => {
                Err(KernelError::BadBandwidth { value }.into())
            }
            _ => Ok(()),
        }
    }
}

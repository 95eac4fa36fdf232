//! Fitting: settings, checked against data and model, give a [`Fit`].

mod closed_form;
mod estimate;
mod problem;
mod result;

use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

pub(crate) use estimate::{Estimate, centred};
pub use problem::{Discrepancy, Problem, WitnessValues};
pub use result::{ComputeUsed, Fit, KernelUsed, Parameter, Seconds};

use crate::domain::{BoundaryScheme, Domain};
use crate::error::{Error, FitError, KernelError};
use crate::kernel::{Bandwidth, Gaussian, Kernel};
use crate::model::Model;
use crate::points::Points;
use crate::stein::Statistic;

/// An estimator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Truncated kernelised Stein discrepancy: boundary points only.
    Tksd,
    /// Kernelised Stein discrepancy with a distance weight.
    Bdksd,
    /// Truncated score matching.
    Truncsm,
    /// Kernelised Stein discrepancy that ignores the boundary.
    Ksd,
    /// Maximum likelihood that ignores the boundary.
    Mle,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 5] = [Method::Tksd, Method::Bdksd, Method::Truncsm, Method::Ksd, Method::Mle];

    /// The name by which the method is chosen.
    pub fn name(self) -> &'static str {
        match self {
            Method::Tksd => "tksd",
            Method::Bdksd => "bdksd",
            Method::Truncsm => "truncsm",
            Method::Ksd => "ksd",
            Method::Mle => "mle",
        }
    }

    /// Whether the method is a Stein discrepancy, with kernel, bandwidth and statistic.
    pub fn has_kernel(self) -> bool {
        matches!(self, Method::Tksd | Method::Bdksd | Method::Ksd)
    }

    /// Whether the method weights points by their distance to the boundary.
    pub fn has_distance(self) -> bool {
        matches!(self, Method::Bdksd | Method::Truncsm)
    }
}

/// How the distance to the boundary is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistanceKind {
    /// By the domain's formula.
    Exact,
    /// To the nearest boundary point.
    Nearest,
}

/// How the pairs of data points are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compute {
    /// Dense up to [`AUTO_DENSE_LIMIT`] points, tiled above. Both are exact.
    #[default]
    Auto,
    /// Evaluated once and stored: memory grows with `n^2`.
    Dense,
    /// Evaluated in each pass: memory grows with `n`.
    Tiled,
}

/// Up to this many points [`Compute::Auto`] stores the pairs (12 MB).
pub const AUTO_DENSE_LIMIT: usize = 1_000;

/// An estimator with its settings: `Estimator -> check -> Problem -> fit -> Fit`.
///
/// # Definition
///
/// TKSD minimises the Stein discrepancy under a kernel conditioned to vanish at the boundary points; see
/// [`Conditioned`](crate::stein::Conditioned), [`Weighted`](crate::stein::Weighted) for bd-KSD. Settings that the
/// method does not use are ignored.
///
/// # Requirements
///
/// TKSD needs boundary points, or a domain to sample them from; bd-KSD and TruncSM need a domain (exact distance) or boundary
/// points (nearest); KSD and MLE need neither and ignore the truncation.
///
/// # Complexity
///
/// `n^2 / 2` kernel values for the discrepancies, `n m` more and one factorisation of size `m` for TKSD.
///
/// # Reference
///
/// Williams and Liu, *Approximate Stein Classes for Truncated Density Estimation*, ICML 2023.
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
    method: Method,
    boundary: Option<Points<'static>>,
    domain: Option<Arc<dyn Domain>>,
    boundary_points: Option<usize>,
    boundary_scheme: BoundaryScheme,
    distance: Option<DistanceKind>,
    kernel: Arc<dyn Kernel>,
    bandwidth: Bandwidth,
    ridge: f64,
    statistic: Statistic,
    compute: Compute,
    confidence: f64,
    seed: u64,
    allow_outside: bool,
}

/// The settings as they were used, on their way into a [`Fit`].
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    method: Method,
    statistic: Option<Statistic>,
    boundary_points: usize,
    kernel: Option<KernelUsed>,
    ridge: Option<f64>,
    distance: Option<String>,
    compute: Option<ComputeUsed>,
    confidence: f64,
    warnings: Vec<String>,
    started: Instant,
}

/// The ridge `e` that is used unless told otherwise.
pub const DEFAULT_RIDGE: f64 = 1e-3;

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
            kernel: Arc::new(Gaussian),
            bandwidth: Bandwidth::Median,
            ridge: DEFAULT_RIDGE,
            statistic: Statistic::V,
            compute: Compute::Auto,
            confidence: 0.95,
            seed: 0,
            allow_outside: false,
        }
    }

    /// Truncated kernelised Stein discrepancy.
    pub fn tksd() -> Estimator {
        Estimator::new(Method::Tksd)
    }

    /// Stein discrepancy under a distance weight.
    pub fn bdksd() -> Estimator {
        Estimator::new(Method::Bdksd)
    }

    /// Truncated score matching.
    pub fn truncsm() -> Estimator {
        Estimator::new(Method::Truncsm)
    }

    /// Stein discrepancy that ignores the boundary.
    pub fn ksd() -> Estimator {
        Estimator::new(Method::Ksd)
    }

    /// Maximum likelihood that ignores the boundary.
    pub fn mle() -> Estimator {
        Estimator::new(Method::Mle)
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

    /// The kernel.
    pub fn kernel(mut self, kernel: Arc<dyn Kernel>) -> Estimator {
        self.kernel = kernel;
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

    /// The confidence level of intervals.
    pub fn confidence(mut self, confidence: f64) -> Estimator {
        self.confidence = confidence;
        self
    }

    /// The seed of everything random: sampled boundary points, and the subsample for the bandwidth of large data.
    pub fn seed(mut self, seed: u64) -> Estimator {
        self.seed = seed;
        self
    }

    /// Whether data outside the domain are kept. bd-KSD and TruncSM with exact distance give them no weight.
    pub fn allow_outside(mut self, allow: bool) -> Estimator {
        self.allow_outside = allow;
        self
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

    /// Refuses numbers that make no sense, whether or not the method uses them.
    fn check_numbers(&self) -> Result<(), Error> {
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(FitError::BadConfidence { value: self.confidence }.into());
        }
        if !(self.ridge >= 0.0 && self.ridge.is_finite()) {
            return Err(KernelError::BadRidge { value: self.ridge }.into());
        }
        if let Bandwidth::Fixed(value) = self.bandwidth
            && !(value > 0.0 && value.is_finite())
        {
            return Err(KernelError::BadBandwidth { value }.into());
        }
        Ok(())
    }
}

//! Truncated and censored regression: a response with limits, covariates, and a kernel on both.

mod effects;
mod expected;
mod pile_up;

use std::sync::Arc;

pub use effects::{Change, Effect};
pub use expected::{Quantity, ResponseAt};
pub use pile_up::PileUp;

use crate::domain::{Limit, ResponseLimits};
use crate::error::{Error, PointsError};
use crate::fit::Estimator;
use crate::kernel::bandwidth::{self, Bandwidth};
use crate::matrix::Matrix;
use crate::model::{CensoredRegression, Model, Regression};
use crate::points::{Points, column_variances};

/// The columns that the kernel of a regression uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum KernelOn {
    /// The response and the covariates: a product of kernels, the default.
    #[default]
    Product,
    /// The response alone, as in the paper. Test functions then do not depend on the covariates, and the
    /// coefficients are weakly determined.
    Response,
}

/// A limit of the response.
#[derive(Debug, Clone, PartialEq)]
pub enum ResponseLimit {
    /// The same for all observations.
    Constant(f64),
    /// One for each observation.
    Each(Vec<f64>),
}

/// A truncated linear regression: `y = b'x + noise`, seen only where `y` lies between limits.
///
/// # Definition
///
/// The model is [`Regression`]; only `y` is differentiated. The kernel is the product `exp(-(y - y')^2 / (2
/// s_y^2)) exp(-|x - x'|^2 / (2 s_x^2))` with standardised covariates; `s_y` and `s_x` are median distances
/// of responses and of covariates. (Other kernels use one distance in the same scaled coordinates.) Boundary
/// points have the covariates of observations and the response at its limit.
///
/// # Requirements
///
/// At least one limit, unless the method ignores truncation. A kernel on the response alone
/// ([`KernelOn::Response`]) is the paper's.
///
/// ```
/// use steinbound::{Estimator, Matrix};
/// use steinbound::regression::{ResponseLimit, TruncatedRegression};
/// let x = Matrix::from_fn(60, 1, |i, _| i as f64 / 60.0);
/// let y: Vec<f64> = (0..60).map(|i| 5.2 + 3.0 * (i as f64 / 60.0) + 0.5 * (i as f64).sin()).collect();
/// let regression = TruncatedRegression::new("y", y)
///     .covariates(["x"], x)
///     .lower(ResponseLimit::Constant(4.0))
///     .build(0)?;
/// let fit = regression.estimator(&Estimator::truncated_mle()).fit(&regression.points, &regression.model)?;
/// assert_eq!(fit.parameters.len(), 3);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TruncatedRegression {
    name: String,
    response: Vec<f64>,
    names: Vec<String>,
    covariates: Matrix,
    intercept: bool,
    sigma: Option<f64>,
    lower: Option<ResponseLimit>,
    upper: Option<ResponseLimit>,
    censored: Censored,
    kernel_on: KernelOn,
}

/// Which limits censor the response: beyond them it is recorded as the limit. Rows beyond the other limits are
/// not seen at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Censored {
    /// None: the response is truncated.
    #[default]
    No,
    /// The lower limit.
    Lower,
    /// The upper limit.
    Upper,
    /// All limits that there are.
    Both,
}

impl Censored {
    /// The same with lower and upper exchanged.
    pub fn reversed(self) -> Censored {
        match self {
            Censored::Lower => Censored::Upper,
            Censored::Upper => Censored::Lower,
            same => same,
        }
    }

    /// Whether the lower and the upper limit censor.
    pub fn sides(self) -> [bool; 2] {
        [matches!(self, Censored::Lower | Censored::Both), matches!(self, Censored::Upper | Censored::Both)]
    }
}

/// A regression ready to be fitted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PreparedRegression {
    /// The points `(y, x_1, .., x_k)`, followed by the limits that differ between observations.
    pub points: Points<'static>,
    /// The model of the response before truncation or censoring.
    pub model: Regression,
    /// The model of the records, if some limits censor.
    pub censored: Option<CensoredRegression>,
    /// The limits of the response, if any.
    pub domain: Option<Arc<ResponseLimits>>,
    /// The median distance between responses, which scales the kernel; `None` if that is zero.
    pub bandwidth: Option<f64>,
}

impl TruncatedRegression {
    /// A regression of a named response on an intercept only; further settings are added below.
    pub fn new(name: &str, response: Vec<f64>) -> TruncatedRegression {
        let covariates = Matrix::zeros(response.len(), 0);
        TruncatedRegression {
            name: name.to_string(),
            response,
            names: Vec::new(),
            covariates,
            intercept: true,
            sigma: None,
            lower: None,
            upper: None,
            censored: Censored::No,
            kernel_on: KernelOn::Product,
        }
    }

    /// The covariates, one column for each name.
    pub fn covariates<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
        values: Matrix,
    ) -> TruncatedRegression {
        self.names = names.into_iter().map(Into::into).collect();
        self.covariates = values;
        self
    }

    /// Without an intercept.
    pub fn without_intercept(mut self) -> TruncatedRegression {
        self.intercept = false;
        self
    }

    /// With a known standard deviation of the noise.
    pub fn known_sigma(mut self, sigma: f64) -> TruncatedRegression {
        self.sigma = Some(sigma);
        self
    }

    /// Responses below the limit are not seen.
    pub fn lower(mut self, limit: ResponseLimit) -> TruncatedRegression {
        self.lower = Some(limit);
        self
    }

    /// Responses above the limit are not seen.
    pub fn upper(mut self, limit: ResponseLimit) -> TruncatedRegression {
        self.upper = Some(limit);
        self
    }

    /// Which limits censor instead of truncating; a side without limit is not censored.
    ///
    /// ```
    /// use steinbound::{Estimator, Matrix};
    /// use steinbound::regression::{Censored, ResponseLimit, TruncatedRegression};
    /// let x: Vec<f64> = (0..200).map(|i| f64::from(i) / 100.0 - 1.0).collect();
    /// let y = (0..200).map(|i| (2.0 * x[i] + (7.0 * i as f64).sin()).max(0.0)).collect();
    /// let regression = TruncatedRegression::new("y", y)
    ///     .covariates(["x"], Matrix::from_fn(200, 1, |i, _| x[i]))
    ///     .lower(ResponseLimit::Constant(0.0))
    ///     .censored(Censored::Both)
    ///     .build(0)?;
    /// let fit = regression.estimator(&Estimator::mle()).fit(&regression.points, regression.fitted_model())?;
    /// assert!((fit.estimates()[1] - 2.0).abs() < 4.0 * fit.std_errors()[1]);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn censored(mut self, censored: Censored) -> TruncatedRegression {
        self.censored = censored;
        self
    }

    /// The columns that the kernel uses.
    pub fn kernel_on(mut self, kernel_on: KernelOn) -> TruncatedRegression {
        self.kernel_on = kernel_on;
        self
    }

    /// Builds points, model and domain. The seed affects the bandwidths only with more than 20,000
    /// observations.
    pub fn build(self, seed: u64) -> Result<PreparedRegression, Error> {
        let rows = self.response.len();
        if self.covariates.rows() != rows || self.covariates.columns() != self.names.len() {
            let (what, found) = ("rows and names of covariates", self.covariates.rows());
            return Err(PointsError::WrongCount { what, found, expected: rows }.into());
        }
        let mut names = vec![self.name.clone()];
        names.extend(self.names.iter().cloned());
        let mut columns: Vec<&[f64]> = vec![&self.response];
        columns.extend((0..self.names.len()).map(|j| self.covariates.column(j)));
        let mut limits = [Limit::None; 2];
        for ((limit, given), side) in
            limits.iter_mut().zip([&self.lower, &self.upper]).zip(["lower", "upper"])
        {
            *limit = match given {
                None => Limit::None,
                Some(ResponseLimit::Constant(value)) => Limit::Constant(*value),
                Some(ResponseLimit::Each(values)) if values.len() == rows => {
                    names.push(format!("{side} limit"));
                    columns.push(values);
                    Limit::Coordinate(columns.len() - 1)
                }
                Some(ResponseLimit::Each(values)) => {
                    let what = "limits of the response";
                    return Err(PointsError::WrongCount { what, found: values.len(), expected: rows }.into());
                }
            };
        }
        let [lower, upper] = limits;
        let dimension = columns.len();
        let values: Vec<f64> = (0..rows).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
        let points = Points::new(values, dimension)?.with_names(names)?;
        let domain = match (lower, upper) {
            (Limit::None, Limit::None) => None,
            _ => Some(Arc::new(ResponseLimits::new(dimension, lower, upper)?)),
        };
        let mut model =
            Regression::new(self.names.len()).with_other_coordinates(dimension - 1 - self.names.len());
        if !self.intercept {
            model = model.without_intercept();
        }
        if let Some(sigma) = self.sigma {
            model = model.with_sigma(sigma)?;
        }
        let [below, above] = self.censored.sides();
        let records = [if below { lower } else { Limit::None }, if above { upper } else { Limit::None }];
        let censored = (records != [Limit::None; 2]).then(|| CensoredRegression::new(model.clone(), records));
        // If most responses coincide the median is zero; methods without a kernel need none.
        let bandwidth = bandwidth::median(&Points::new(self.response.clone(), 1)?, seed).ok();
        let scales = match self.kernel_on {
            KernelOn::Response => [1.0].into_iter().chain(vec![f64::INFINITY; dimension - 1]).collect(),
            KernelOn::Product => product_scales(&points, bandwidth.unwrap_or(1.0), seed)?,
        };
        Ok(PreparedRegression { points: points.with_scales(scales)?, model, censored, domain, bandwidth })
    }
}

/// Scales that turn the kernel with one bandwidth, that of the response, into the product of two kernels: the
/// standardised covariates are measured in units of their own median distance.
fn product_scales(points: &Points, bandwidth: f64, seed: u64) -> Result<Vec<f64>, Error> {
    let dimension = points.dimension();
    let variances = column_variances(points, &points.weights());
    let deviations: Vec<f64> = variances[1..].iter().map(|variance| variance.sqrt()).collect();
    if deviations.is_empty() {
        return Ok(vec![1.0]);
    }
    let standardised: Vec<f64> =
        points.rows().flat_map(|x| x[1..].iter().zip(&deviations).map(|(x, s)| x / s)).collect();
    let standardised = Points::new(standardised, dimension - 1)?;
    // If most covariates coincide, as with one category, the median is zero: then use the mean square
    // distance.
    let width = bandwidth::median(&standardised, seed).unwrap_or((2.0 * deviations.len() as f64).sqrt());
    let scale = |s: &f64| s * width / bandwidth;
    Ok([1.0].into_iter().chain(deviations.iter().map(scale)).collect())
}

impl PreparedRegression {
    /// The model that is fitted: that of the records if some limits censor.
    pub fn fitted_model(&self) -> &dyn Model {
        match &self.censored {
            Some(model) => model,
            None => &self.model,
        }
    }

    /// An estimator with this regression's limits and, unless the estimator has one, its bandwidth.
    pub fn estimator(&self, estimator: &Estimator) -> Estimator {
        let mut estimator = estimator.clone();
        if let Some(domain) = &self.domain {
            estimator = estimator.domain(domain.clone());
        }
        if let (Bandwidth::Median, Some(bandwidth)) = (estimator.bandwidth, self.bandwidth) {
            estimator = estimator.bandwidth(Bandwidth::From(bandwidth));
        }
        if estimator.boundary_points.is_none() && !estimator.method.uses().boundary_points {
            estimator = estimator.boundary_points(regression_boundary_count(self.points.len()));
        }
        estimator
    }
}

/// The default number of boundary points of a regression, for methods that need distances to them: one for each
/// observation, at most 200.
pub fn regression_boundary_count(rows: usize) -> usize {
    rows.clamp(1, 200)
}

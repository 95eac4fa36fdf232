use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::{Replicates, Tuning};
use crate::matrix::Matrix;
use crate::method::Setup;
use crate::minimise::{Starts, sandwich};
use crate::warning::Warning;

/// One parameter with its uncertainty. Values that do not exist are `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name, such as `mean[x1]`.
    pub name: String,
    /// The estimate.
    pub estimate: Option<f64>,
    /// The standard error.
    pub std_error: Option<f64>,
    /// The lower end of the confidence interval.
    pub lower: Option<f64>,
    /// The upper end of the confidence interval.
    pub upper: Option<f64>,
}

impl Parameter {
    /// Whether the standard error is zero up to rounding.
    pub(super) fn has_vanishing_error(&self) -> bool {
        matches!((self.estimate, self.std_error), (Some(value), Some(error)) if error <= 1e-13 * value.abs())
    }
}

/// A value that was assumed, where the model could estimate it.
///
/// ```
/// use steinbound::{Estimator, Points, model::GaussianMixture};
/// let data = Points::from_rows(&[[-2.1], [-1.7], [-2.0], [1.8], [2.2], [2.5]])?;
/// let fit = Estimator::mle().fit(&data, &GaussianMixture::new(1, 2)?)?;
/// assert_eq!((fit.assumed[0].name.as_str(), fit.assumed[0].value), ("weight[1]", 0.5));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Assumption {
    /// The name that its parameter would have.
    pub name: String,
    /// The value.
    pub value: f64,
}

/// How a covariance of estimates was found.
///
/// ```
/// use steinbound::fit::CovarianceKind;
/// assert_eq!(CovarianceKind::Sandwich.to_string(), "sandwich");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CovarianceKind {
    /// From the influence of each observation, or of each cluster.
    Sandwich,
    /// From the inverse information of a truncated likelihood without weights or clusters.
    Information,
    /// From the influence of each cluster, corrected for their number.
    Cluster,
    /// From replicates.
    Bootstrap,
}

impl Display for CovarianceKind {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            CovarianceKind::Sandwich => "sandwich",
            CovarianceKind::Information => "information",
            CovarianceKind::Cluster => "clustered",
            CovarianceKind::Bootstrap => "bootstrap",
        })
    }
}

/// The time taken, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Seconds {
    /// From data in memory to the finished result.
    pub total: f64,
}

/// A finished fit: estimates with their uncertainty, and everything needed to judge and repeat it.
///
/// Serialises to the schema `steinbound.fit/1`.
///
/// ```
/// use steinbound::{Estimator, Points, model::Gaussian};
/// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
/// let boundary = Points::from_rows(&[[-1.0], [1.0]])?;
/// let fit = Estimator::tksd().boundary(boundary).fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
/// let mean = fit.parameter("mean[x1]").unwrap();
/// assert!(mean.lower < mean.estimate && mean.estimate < mean.upper);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fit {
    /// `steinbound.fit/1`.
    pub schema: String,
    /// The setup.
    #[serde(flatten)]
    pub setup: Setup,
    /// The reported parameters.
    pub parameters: Vec<Parameter>,
    /// The fitted parameters, if they differ from the reported ones.
    pub natural: Vec<Parameter>,
    /// Values that were assumed, where the model could estimate them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<Assumption>,
    /// The covariance of the reported parameters, by rows.
    pub covariance: Option<Matrix>,
    /// The covariance of the fitted parameters, by rows.
    pub natural_covariance: Option<Matrix>,
    /// How the covariance was found.
    pub covariance_type: CovarianceKind,
    /// The number of clusters over which the covariance sums, if there are clusters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<usize>,
    /// The degrees of freedom of Student's t, if intervals and p-values are by it; otherwise they are normal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degrees_of_freedom: Option<usize>,
    /// The replicates, if standard errors and intervals are those of a bootstrap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<Replicates>,
    /// The condition number of the normal equations, or of the Hessian at the end of a search, scaled to a
    /// unit diagonal.
    #[serde(default)]
    pub normal_condition: Option<f64>,
    /// The confidence level of the intervals.
    pub confidence: f64,
    /// The discrepancy at the estimate; `None` if its square is negative or the method has none.
    pub discrepancy: Option<f64>,
    /// The squared discrepancy at the estimate.
    pub discrepancy_squared: Option<f64>,
    /// The objective at the estimate, for methods that minimise something other than a discrepancy.
    pub objective: Option<f64>,
    /// The log-likelihood at the estimate, for methods that maximise one; with weights, those of mean 1.
    pub log_likelihood: Option<f64>,
    /// The number of parameters that were estimated, where there is a log-likelihood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub df: Option<usize>,
    /// Akaike's criterion, where there is a log-likelihood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aic: Option<f64>,
    /// Schwarz's criterion, where there is a log-likelihood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bic: Option<f64>,
    /// The starts of the search, if there was one.
    pub starts: Option<Starts>,
    /// Whether the minimum was found.
    pub converged: bool,
    /// The number of iterations; zero for a closed form.
    pub iterations: usize,
    /// Warnings about the data and the estimate.
    #[serde(flatten, with = "crate::warning::side_by_side")]
    pub warnings: Vec<Warning>,
    /// The time taken.
    pub seconds: Seconds,
    /// How bandwidth and ridge were chosen, if they were tuned
    /// ([`Estimator::fit_tuned`](crate::Estimator::fit_tuned)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<Tuning>,
    /// The fitted parameters, independent of any mapping of the reported ones.
    #[serde(skip)]
    pub(crate) theta: Option<Vec<f64>>,
    /// Rows of which the sums of products are the covariance of the reported parameters, where these may depend on
    /// each other so much that the covariance has lost the variances of their combinations.
    #[serde(rename = "covariance_root", default, skip_serializing_if = "Option::is_none")]
    pub(crate) root: Option<Matrix>,
    /// The influence of each observation on the fitted parameters (one row each).
    #[serde(skip, default = "no_influence")]
    pub influence: Matrix,
}

fn no_influence() -> Matrix {
    Matrix::zeros(0, 0)
}

impl Fit {
    /// Whether the minimum was found, and every reported parameter exists and has a standard error that is
    /// not zero.
    pub fn is_trustworthy(&self) -> bool {
        let is_sound =
            |p: &Parameter| p.estimate.is_some() && p.std_error.is_some() && !p.has_vanishing_error();
        self.converged && self.parameters.iter().all(is_sound)
    }

    /// The half-width of an interval of this confidence, in standard errors: by Student's t if the fit has
    /// degrees of freedom, otherwise normal.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let mut fit = Estimator::mle().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert!((fit.reach(0.95) - 1.959964).abs() < 1e-6);
    /// fit.degrees_of_freedom = Some(10);
    /// assert!((fit.reach(0.95) - 2.228139).abs() < 1e-6);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn reach(&self, confidence: f64) -> f64 {
        sandwich::quantile(confidence, self.degrees_of_freedom)
    }

    /// The parameter of that name, reported or fitted.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().chain(&self.natural).find(|p| p.name == name)
    }

    /// The reported estimates in order; NaN if one does not exist.
    pub fn estimates(&self) -> Vec<f64> {
        let value = |p: &Parameter| p.estimate.unwrap_or(f64::NAN);
        self.parameters.iter().map(value).collect()
    }

    /// The standard errors of the reported estimates in order; NaN if one does not exist.
    pub fn std_errors(&self) -> Vec<f64> {
        let value = |p: &Parameter| p.std_error.unwrap_or(f64::NAN);
        self.parameters.iter().map(value).collect()
    }

    /// The fitted parameters in the model's own order, if a minimum was found.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let fit = Estimator::mle().fit(&data, &Gaussian::full(1))?;
    /// let natural = fit.fitted_parameters().unwrap();
    /// assert!((natural[0] / natural[1] - fit.estimates()[0]).abs() < 1e-12);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn fitted_parameters(&self) -> Option<Vec<f64>> {
        self.theta.clone().or_else(|| self.fitted().iter().map(|p| p.estimate).collect())
    }

    /// The fitted parameters with their standard errors; these are the reported ones unless the model reports
    /// others.
    pub(crate) fn fitted(&self) -> &[Parameter] {
        if self.natural.is_empty() { &self.parameters } else { &self.natural }
    }

    /// The same fit; if some reported parameters do not exist, such as the moments of a Gaussian whose
    /// precision is indefinite, the fitted ones are appended to them.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let fit = Estimator::mle().fit(&data, &Gaussian::full(1))?;
    /// assert_eq!(fit.clone().with_natural(), fit);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn with_natural(mut self) -> Fit {
        if self.parameters.iter().any(|p| p.estimate.is_none()) {
            let natural: Vec<Parameter> =
                self.natural.iter().filter(|p| p.estimate.is_some()).cloned().collect();
            self.parameters.extend(natural);
        }
        self
    }

    /// The same fit in other reported parameters: `map` gives the new values and their derivative in the old
    /// ones. Names do not change.
    ///
    /// Covariance, standard errors and intervals follow by the delta method; after a bootstrap, from its
    /// mapped replicates. Nothing changes if there are no reported parameters or `map` returns `None`.
    ///
    /// ```
    /// use steinbound::{Estimator, Matrix, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let fit = Estimator::mle().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// let doubled = fit.clone().mapped(|mean| Some((vec![2.0 * mean[0]], Matrix::diagonal(&[2.0]))));
    /// assert!((doubled.std_errors()[0] - 2.0 * fit.std_errors()[0]).abs() < 1e-12);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn mapped(mut self, map: impl Fn(&[f64]) -> Option<(Vec<f64>, Matrix)>) -> Fit {
        let values: Option<Vec<f64>> = self.parameters.iter().map(|p| p.estimate).collect();
        let Some((values, jacobian)) = values.and_then(|values| map(&values)) else { return self };
        if let Some(used) = &mut self.bootstrap {
            let rows = used.estimates.to_rows();
            let mapped: Vec<Vec<f64>> = rows.iter().filter_map(|row| map(row)).map(|m| m.0).collect();
            used.failed += rows.len() - mapped.len();
            used.estimates = Matrix::from_fn(mapped.len(), values.len(), |i, k| mapped[i][k]);
        }
        let names: Vec<String> = self.parameters.iter().map(|p| p.name.clone()).collect();
        self.covariance =
            self.covariance.map(|covariance| jacobian.times(&covariance).times(&jacobian.transpose()));
        self.root = self.root.map(|root| root.times(&jacobian.transpose()));
        let reach = self.reach(self.confidence);
        self.parameters = with_intervals(&names, Some(&values), self.covariance.as_ref(), reach);
        self.refresh_bootstrap();
        self
    }
}

impl Fit {
    /// The standard error of a function of the reported parameters with this gradient; NaN without a covariance.
    pub(crate) fn error_along(&self, gradient: &[f64]) -> f64 {
        let variance = self.covariance_of(&Matrix::from_fn(1, gradient.len(), |_, k| gradient[k]));
        // Rounding can make a zero variance slightly negative.
        variance.map_or(f64::NAN, |variance| variance[(0, 0)].max(0.0).sqrt())
    }

    /// The covariance of linear combinations of the reported parameters, one in each row; `None` without a
    /// covariance of this size.
    pub(crate) fn covariance_of(&self, combinations: &Matrix) -> Option<Matrix> {
        let fits = |m: &&Matrix| m.columns() == combinations.columns();
        if let Some(root) = self.root.as_ref().filter(fits) {
            let combined = root.times(&combinations.transpose());
            return Some(combined.transpose().times(&combined));
        }
        let covariance = self.covariance.as_ref().filter(fits)?;
        Some(combinations.times(covariance).times(&combinations.transpose()))
    }
}

/// Parameters with standard errors and intervals from their covariance.
pub(super) fn with_intervals(
    names: &[String],
    values: Option<&[f64]>,
    covariance: Option<&Matrix>,
    reach: f64,
) -> Vec<Parameter> {
    let parameter = |(k, name): (usize, &String)| {
        let estimate = values.map(|values| values[k]);
        // Rounding can make a zero variance slightly negative.
        let std_error = covariance.map(|covariance| covariance[(k, k)].max(0.0).sqrt());
        let interval = |sign: f64| Some(estimate? + sign * reach * std_error?);
        Parameter { name: name.clone(), estimate, std_error, lower: interval(-1.0), upper: interval(1.0) }
    };
    names.iter().enumerate().map(parameter).collect()
}

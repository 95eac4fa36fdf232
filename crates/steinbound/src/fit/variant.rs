//! The same model fitted to the same data with other settings.

use serde::{Deserialize, Serialize};

use super::Fit;
use crate::matrix::Matrix;
use crate::warning::Warning;

/// A fit with its settings, as one line of a table.
///
/// ```
/// use steinbound::{Estimator, Points, inference::Variant, model::Gaussian};
/// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
/// let fit = Estimator::ksd().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
/// let line = Variant::of(&fit);
/// assert_eq!((line.kernel.as_str(), line.ridge), ("gaussian", None));
/// assert_eq!(line.estimates, fit.estimates());
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Variant {
    /// The kernel's name.
    pub kernel: String,
    /// Its bandwidth.
    pub bandwidth: f64,
    /// The ridge, for methods that have one.
    pub ridge: Option<f64>,
    /// The number of boundary points in use.
    pub boundary_points: usize,
    /// The name of the method that made the estimates, where the one that was asked for left them to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_by: Option<String>,
    /// The reported estimates; empty if there are none.
    pub estimates: Vec<f64>,
    /// Their standard errors; empty if there are none.
    pub std_errors: Vec<f64>,
    /// Why there are no estimates, or no reliable ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The covariance of the reported estimates, for [`mapped`](Variant::mapped).
    #[serde(skip)]
    covariance: Option<Matrix>,
}

impl Variant {
    /// The line of a finished fit. If the fit is not [trustworthy](Fit::is_trustworthy), it has a note
    /// instead of estimates.
    pub fn of(fit: &Fit) -> Variant {
        let mut variant = Variant {
            kernel: fit.setup.kernel.as_ref().map_or_else(String::new, |kernel| kernel.name.clone()),
            bandwidth: fit.setup.kernel.as_ref().map_or(f64::NAN, |kernel| kernel.bandwidth),
            ridge: fit.setup.ridge,
            boundary_points: fit.setup.m,
            estimated_by: Some(fit.setup.estimated_by())
                .filter(|method| *method != fit.setup.method)
                .map(|method| method.name().to_string()),
            estimates: Vec::new(),
            std_errors: Vec::new(),
            note: None,
            covariance: None,
        };
        if fit.is_trustworthy() {
            variant.estimates = fit.estimates();
            variant.std_errors = fit.std_errors();
            variant.covariance = fit.covariance.clone();
        } else {
            let reason = fit.warnings.last().map_or("the fit is not to be trusted", Warning::text);
            variant.note = Some(reason.to_string());
        }
        variant
    }

    /// The line of a fit that failed with these settings, for the reason given.
    pub(crate) fn failed(
        kernel: String,
        bandwidth: f64,
        ridge: Option<f64>,
        boundary_points: usize,
        reason: String,
    ) -> Variant {
        let (estimates, std_errors) = (Vec::new(), Vec::new());
        let (estimated_by, note, covariance) = (None, Some(reason), None);
        Variant {
            kernel,
            bandwidth,
            ridge,
            boundary_points,
            estimated_by,
            estimates,
            std_errors,
            note,
            covariance,
        }
    }

    /// Whether there are estimates.
    pub fn is_fitted(&self) -> bool {
        self.note.is_none()
    }

    /// The same line in other reported parameters, as in [`Fit::mapped`].
    pub fn mapped(mut self, map: impl FnOnce(&[f64]) -> Option<(Vec<f64>, Matrix)>) -> Variant {
        if !self.is_fitted() {
            return self;
        }
        let (Some(covariance), Some((values, jacobian))) = (self.covariance.take(), map(&self.estimates))
        else {
            return self;
        };
        let covariance = jacobian.times(&covariance).times(&jacobian.transpose());
        self.std_errors = (0..values.len()).map(|k| covariance[(k, k)].max(0.0).sqrt()).collect();
        self.estimates = values;
        self.covariance = Some(covariance);
        self
    }
}

//! A diagnostic of a fit: a value, its limit, and the verdict.

use serde::{Deserialize, Serialize};

use crate::text::setting;

/// A diagnostic value of a fit, the limit up to which it is harmless, and the verdict.
///
/// Tables, reports, JSON and the Python package all use these checks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Check {
    /// Its name in JSON.
    pub name: String,
    /// A description of the value.
    pub what: String,
    /// The value.
    pub value: f64,
    /// The unit of the value.
    pub unit: Unit,
    /// The parameter or row that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The largest value that is harmless.
    pub limit: f64,
    /// Whether the value is within the limit.
    pub verdict: Verdict,
}

/// The unit of a [`Check`]'s value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Unit {
    /// A share of a whole, from 0 to 1.
    Share,
    /// A ratio that may be very large, such as a condition number.
    Ratio,
    /// Standard errors of an estimate.
    StandardErrors,
    /// The statistic of a test.
    Statistic,
    /// A number of points.
    Points,
}

/// Whether a value is within its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verdict {
    /// Within the limit.
    Fine,
    /// Beyond the limit: the fit has a warning.
    Warning,
}

impl Check {
    pub(super) fn new(name: &str, what: &str, value: f64, unit: Unit, limit: f64) -> Check {
        let verdict = if value > limit { Verdict::Warning } else { Verdict::Fine };
        let (name, what) = (name.to_string(), what.to_string());
        Check { name, what, value, unit, detail: None, limit, verdict }
    }

    pub(super) fn detail(mut self, detail: String) -> Check {
        self.detail = Some(detail);
        self
    }

    /// Whether the value is beyond its limit.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0], [500.0]])?;
    /// let model = Gaussian::with_variance(1, 1.0)?;
    /// let (_, diagnostics) = Estimator::mle().check(&data, &model)?.fit_diagnosed()?;
    /// let leverage = diagnostics.checks.iter().find(|check| check.name == "leverage").unwrap();
    /// assert!(leverage.value > 0.7 && !leverage.is_beyond());
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn is_beyond(&self) -> bool {
        self.verdict == Verdict::Warning
    }

    /// The value as a table shows it, with the row or parameter it belongs to.
    pub fn shown_value(&self) -> String {
        let value = self.unit.shown(self.value);
        match &self.detail {
            Some(detail) => format!("{value} ({detail})"),
            None => value,
        }
    }

    /// The limit as a table shows it.
    pub fn shown_limit(&self) -> String {
        match self.unit {
            Unit::Ratio => format!("{:.0e}", self.limit),
            Unit::Statistic => format!("{:.1}", self.limit),
            Unit::Points => format!("{:.0}", self.limit),
            Unit::StandardErrors => self.limit.to_string(),
            Unit::Share => self.unit.shown(self.limit),
        }
    }
}

impl Unit {
    fn shown(self, value: f64) -> String {
        match self {
            Unit::Share => format!("{:.1} %", 100.0 * value),
            Unit::Ratio if (0.1..1e4).contains(&value) => setting(value),
            Unit::Ratio => format!("{value:.1e}"),
            Unit::Statistic => format!("{value:.1}"),
            Unit::Points => format!("{value:.1}"),
            Unit::StandardErrors => format!("{value:.2} standard errors"),
        }
    }
}

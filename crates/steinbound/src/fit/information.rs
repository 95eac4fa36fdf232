//! Criteria that charge a likelihood for its parameters.

use serde::{Deserialize, Serialize};

/// The log-likelihood of a fitted density, and criteria that charge it for its parameters.
///
/// # Definition
///
/// `l = sum_i v_i log p(x_i)` at the fit, with observation weights `v` of mean 1; `AIC = 2 p - 2 l` and `BIC = p log n -
/// 2 l` for `p` parameters and `n` observations of positive weight. The smallest is the best.
///
/// # Requirements
///
/// The criteria are derived for the maximum of the likelihood. At another estimate `l` is smaller, by half a unit
/// for each parameter that is estimated with twice the variance.
///
/// # Reference
///
/// Schwarz, *Estimating the Dimension of a Model*, Annals of Statistics 1978; Akaike, 1974.
///
/// ```
/// use steinbound::inference::Information;
/// let found = Information::new(-100.0, 3, 50);
/// assert_eq!((found.aic, found.bic), (206.0, 3.0 * 50f64.ln() + 200.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Information {
    /// The log-likelihood.
    pub log_likelihood: f64,
    /// Akaike's criterion.
    pub aic: f64,
    /// Schwarz's criterion.
    pub bic: f64,
}

impl Information {
    /// The criteria for a log-likelihood.
    pub fn new(log_likelihood: f64, parameters: usize, observations: usize) -> Information {
        let (charge, twice) = (parameters as f64, 2.0 * log_likelihood);
        let bic = charge * (observations as f64).ln() - twice;
        Information { log_likelihood, aic: 2.0 * charge - twice, bic }
    }
}

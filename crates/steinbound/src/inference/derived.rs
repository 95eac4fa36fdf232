//! Functions of the estimates, with standard errors.

use super::error::HypothesisError;
use super::sandwich::normal_quantile;
use crate::compute::dot;
use crate::error::Error;
use crate::fit::{Fit, Parameter};
use crate::model::difference_steps;

impl Fit {
    /// A function of the reported parameters as a new parameter.
    ///
    /// # Definition
    ///
    /// The delta method: the variance of `g(theta)` is `grad g' Cov grad g`. The gradient is found by central
    /// differences, with steps that are a small share of the standard errors. After a bootstrap, standard
    /// error and interval are those of the function's values at the replicates. [`mapped`](Fit::mapped) does
    /// the same with derivatives that are known.
    ///
    /// # Requirements
    ///
    /// A covariance, and a function that is smooth within a standard error or two of the estimates.
    ///
    /// # Complexity
    ///
    /// `2 p + 1` values of the function.
    ///
    /// # Reference
    ///
    /// van der Vaart, *Asymptotic Statistics*, chapter 3.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let fit = Estimator::mle().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// let square = fit.derived("square", |mean| mean[0] * mean[0])?;
    /// assert_eq!(square.estimate, Some(9.0));
    /// assert!((square.std_error.unwrap() - 6.0 * fit.std_errors()[0]).abs() < 1e-7);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn derived(&self, name: &str, function: impl Fn(&[f64]) -> f64) -> Result<Parameter, Error> {
        let estimates = self.estimates();
        let known = self.covariance.as_ref().filter(|covariance| covariance.rows() == estimates.len());
        let Some(covariance) = known.filter(|_| estimates.iter().all(|v| v.is_finite())) else {
            return Err(HypothesisError::NoCovariance.into());
        };
        let steps = difference_steps(&estimates, self.std_errors().into_iter());
        let mut moved = estimates.clone();
        let mut slope = |k: usize| {
            let (high, low) = (estimates[k] + steps[k], estimates[k] - steps[k]);
            let mut at = |value: f64| {
                moved[k] = value;
                function(&moved)
            };
            let difference = at(high) - at(low);
            moved[k] = estimates[k];
            difference / (high - low)
        };
        let gradient: Vec<f64> = (0..estimates.len()).map(&mut slope).collect();
        let value = function(&estimates);
        // Rounding can make a zero variance slightly negative.
        let error = dot(&gradient, &covariance.times_vector(&gradient)).max(0.0).sqrt();
        if !(value.is_finite() && error.is_finite()) {
            return Err(HypothesisError::NotDefined { name: name.to_string() }.into());
        }
        let reach = normal_quantile(self.confidence) * error;
        let mut derived = Parameter {
            name: name.to_string(),
            estimate: Some(value),
            std_error: Some(error),
            lower: Some(value - reach),
            upper: Some(value + reach),
        };
        if let Some(used) = &self.bootstrap {
            let values: Vec<f64> = used.estimates.to_rows().iter().map(|row| function(row)).collect();
            if !values.iter().all(|v| v.is_finite()) {
                return Err(HypothesisError::NotDefined { name: name.to_string() }.into());
            }
            used.describe(&mut derived, values, self.confidence);
        }
        Ok(derived)
    }
}

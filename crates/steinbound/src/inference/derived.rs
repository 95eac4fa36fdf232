//! Functions of the estimates, with standard errors.

use super::error::HypothesisError;
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
        let mut found = self.derived_all(&[name.to_string()], |values| vec![function(values)])?;
        found.pop().ok_or_else(|| HypothesisError::NotDefined { name: name.to_string() }.into())
    }

    /// Several functions of the reported parameters that are computed together, one for each name.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let fit = Estimator::mle().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// let names = ["half".to_string(), "double".to_string()];
    /// let found = fit.derived_all(&names, |mean| vec![0.5 * mean[0], 2.0 * mean[0]])?;
    /// assert_eq!((found[0].estimate, found[1].estimate), (Some(1.5), Some(6.0)));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn derived_all(
        &self,
        names: &[String],
        functions: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Result<Vec<Parameter>, Error> {
        let estimates = self.estimates();
        let is_known = self.covariance.as_ref().is_some_and(|known| known.rows() == estimates.len());
        if !is_known || estimates.iter().any(|v| !v.is_finite()) {
            return Err(HypothesisError::NoCovariance.into());
        }
        let steps = difference_steps(&estimates, self.std_errors().into_iter());
        let mut moved = estimates.clone();
        let mut slopes = |k: usize| -> Vec<f64> {
            let (high, low) = (estimates[k] + steps[k], estimates[k] - steps[k]);
            let mut at = |value: f64| {
                moved[k] = value;
                functions(&moved)
            };
            let (above, below) = (at(high), at(low));
            moved[k] = estimates[k];
            above.iter().zip(&below).map(|(above, below)| (above - below) / (high - low)).collect()
        };
        // One row for each parameter.
        let gradients: Vec<Vec<f64>> = (0..estimates.len()).map(&mut slopes).collect();
        let error_of = |at: usize| {
            let gradient: Vec<f64> = gradients.iter().map(|row| row[at]).collect();
            self.error_along(&gradient)
        };
        self.derived_with(names, &functions, error_of)
    }

    /// Functions of the reported parameters whose standard errors are known, except after a bootstrap.
    pub(crate) fn derived_with(
        &self,
        names: &[String],
        functions: impl Fn(&[f64]) -> Vec<f64>,
        error_of: impl Fn(usize) -> f64,
    ) -> Result<Vec<Parameter>, Error> {
        let values = functions(&self.estimates());
        let replicates = self.bootstrap.as_ref().map(|used| -> Vec<Vec<f64>> {
            used.estimates.to_rows().iter().map(|row| functions(row)).collect()
        });
        let derived = |(at, name): (usize, &String)| {
            let undefined = || HypothesisError::NotDefined { name: name.to_string() };
            let value = values.get(at).copied().ok_or_else(undefined)?;
            let error = error_of(at);
            if !(value.is_finite() && error.is_finite()) {
                return Err(undefined());
            }
            let reach = self.reach(self.confidence) * error;
            let mut derived = Parameter {
                name: name.to_string(),
                estimate: Some(value),
                std_error: Some(error),
                lower: Some(value - reach),
                upper: Some(value + reach),
            };
            if let (Some(used), Some(rows)) = (&self.bootstrap, &replicates) {
                let values: Vec<f64> = rows.iter().map(|row| row[at]).collect();
                if !values.iter().all(|v| v.is_finite()) {
                    return Err(undefined());
                }
                used.describe(&mut derived, values, self.confidence);
            }
            Ok(derived)
        };
        Ok(names.iter().enumerate().map(derived).collect::<Result<_, HypothesisError>>()?)
    }
}

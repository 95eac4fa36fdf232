use std::sync::Arc;

use super::autodiff::{Autodiff, LogDensity, Number};
use crate::error::{Error, ModelError};
use crate::expression::Expression;

/// A log-density written as a formula: its variables are the coordinates by name, the coordinates by number,
/// the parameters.
#[derive(Debug)]
struct FormulaDensity {
    expression: Expression,
}

impl LogDensity for FormulaDensity {
    fn evaluate(&self, x: &[Number], theta: &[Number]) -> Number {
        self.expression.evaluate(&[x, x, theta].concat())
    }

    fn evaluate_plain(&self, x: &[f64], theta: &[f64]) -> f64 {
        self.expression.evaluate(&[x, x, theta].concat())
    }
}

impl Autodiff {
    /// A model from a formula for its log-density, up to a term that does not depend on the point.
    ///
    /// Coordinates have the given names and also `x1`, `x2`, ..; each parameter has a name and the value from
    /// which the search starts. All derivatives are exact ([`Expression`]).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::model::{Autodiff, Gaussian};
    /// use steinbound::{Estimator, domain::Cuboid, simulate};
    /// // A normal density of unit variance as a formula gives the same estimate as the built-in one.
    /// let formula = Autodiff::from_formula("-(income - mu)^2 / 2", &["income"], &[("mu", 0.0)])?;
    /// let known = Gaussian::with_variance(1, 1.0)?;
    /// let interval = Arc::new(Cuboid::interval(-1.0, 2.0)?);
    /// let data = simulate::truncated(&known, &[0.4], interval.as_ref(), 200, &mut simulate::stream(1, 0))?.points;
    /// let estimator = Estimator::tksd().domain(interval);
    /// let difference = estimator.fit(&data, &formula)?.estimates()[0] - estimator.fit(&data, &known)?.estimates()[0];
    /// assert!(difference.abs() < 1e-9);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn from_formula<S: AsRef<str>, P: AsRef<str>>(
        text: &str,
        coordinates: &[S],
        parameters: &[(P, f64)],
    ) -> Result<Autodiff, Error> {
        let dimension = coordinates.len();
        let mut names: Vec<String> = coordinates.iter().map(|name| name.as_ref().to_string()).collect();
        names.extend((1..=dimension).map(|l| format!("x{l}")));
        for (at, (name, value)) in parameters.iter().enumerate() {
            let name = name.as_ref();
            let is_taken = names.iter().any(|other| other == name)
                || parameters[..at].iter().any(|(other, _)| other.as_ref() == name);
            if is_taken {
                return Err(ModelError::NameTaken { name: name.to_string() }.into());
            }
            if !value.is_finite() {
                return Err(ModelError::BadParameter { name: name.to_string(), value: *value }.into());
            }
        }
        names.extend(parameters.iter().map(|(name, _)| name.as_ref().to_string()));
        let expression = Expression::parse(text, &names)?;
        let unused = (0..parameters.len()).find(|k| !expression.uses(2 * dimension + k));
        if let Some(k) = unused {
            return Err(ModelError::UnusedParameter { name: parameters[k].0.as_ref().to_string() }.into());
        }
        let names = parameters.iter().map(|(name, _)| name.as_ref().to_string());
        let start = parameters.iter().map(|(_, value)| *value).collect();
        let density = Arc::new(FormulaDensity { expression });
        Ok(Autodiff::from_density("formula", dimension, names, density)?.with_start(start)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Gaussian, Model, conformance};

    #[test]
    fn formulas_conform() {
        let text = "a*cos(x1 - b) - exp(c)*x2^2 + 0.3*log(1 + x1^2*x2^2)";
        let model =
            Autodiff::from_formula(text, &["x1", "x2"], &[("a", 1.0), ("b", 0.0), ("c", 0.0)]).unwrap();
        assert_eq!(conformance::check(&model, &[0.7, 0.4, -0.3]), Ok(()));
    }

    #[test]
    fn a_gaussian_formula_has_the_gaussian_score() {
        let text = "e1*x1 + e2*x2 - (l11*x1^2 + 2*l12*x1*x2 + l22*x2^2)/2";
        let parameters = [("e1", 0.0), ("e2", 0.0), ("l11", 1.0), ("l12", 0.0), ("l22", 1.0)];
        let formula = Autodiff::from_formula(text, &["x1", "x2"], &parameters).unwrap();
        let theta = [0.3, -0.4, 1.2, 0.3, 0.9];
        let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
        for x in [[0.2, 0.5], [-1.0, 2.0]] {
            formula.score(&x, &theta, &mut a);
            Gaussian::full(2).score(&x, &theta, &mut b);
            assert!((0..2).all(|l| (a[l] - b[l]).abs() < 1e-14));
        }
    }

    #[test]
    fn mistakes_are_explained() {
        let message = |text: &str, parameters: &[(&str, f64)]| {
            Autodiff::from_formula(text, &["lon", "lat"], parameters).unwrap_err().to_string()
        };
        assert!(message("-(lon - mu)^2", &[("nu", 0.0)]).contains("\"mu\""));
        assert!(message("-lon^2 - lat^2", &[("mu", 0.0)]).contains("does not occur"));
        assert!(message("-lon^2", &[("lat", 0.0)]).contains("coordinate"));
        assert!(message("-(lon", &[]).contains('^'));
        assert!(message("-lon^2*a", &[("a", f64::NAN)]).contains("finite"));
    }
}

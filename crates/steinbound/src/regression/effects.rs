//! Average marginal effects: how much a change of a variable moves what is expected of the response.

use serde::{Deserialize, Serialize};

use super::{PreparedRegression, Quantity};
use crate::error::{Error, PointsError};
use crate::fit::{Fit, Parameter};
use crate::matrix::Matrix;

/// A change of a variable, as it changes the covariates (without the intercept) of each observation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// A small one: the derivative of the covariates in the variable.
    Slope(Matrix),
    /// From one level to another: the covariates at both.
    Step {
        /// At the first level.
        from: Matrix,
        /// At the other.
        to: Matrix,
    },
}

impl Change {
    fn matrices(&self) -> Vec<&Matrix> {
        match self {
            Change::Slope(slope) => vec![slope],
            Change::Step { from, to } => vec![from, to],
        }
    }
}

/// An average marginal effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Effect {
    /// What is changed by it.
    pub of: Quantity,
    /// The effect, with the name of the variable.
    #[serde(flatten)]
    pub parameter: Parameter,
}

/// Derivatives are differences over this share of a standard deviation of the estimates.
const STEP: f64 = 1e-3;

impl PreparedRegression {
    /// The average over the data of the effects of some changes on each of the regression's
    /// [quantities](PreparedRegression::quantities): derivatives for slopes, differences for steps.
    ///
    /// # Definition
    ///
    /// With the covariates `x_i`, the effect of a slope `d_i` on a quantity `q(mu, sigma)` is `mean_i q_mu(b'x_i,
    /// sigma) b'd_i`, weighted like the observations; that of a step is `mean_i q(b'x_i^to, sigma) -
    /// q(b'x_i^from, sigma)`. Each observation keeps its own limits. Standard errors are by the delta method,
    /// for the covariates that were observed, or by a fit's bootstrap.
    ///
    /// # Requirements
    ///
    /// A fit of this regression with a covariance.
    ///
    /// # Reference
    ///
    /// McDonald and Moffitt, *The Uses of Tobit Analysis*, Review of Economics and Statistics 1980.
    ///
    /// ```
    /// use steinbound::{Estimator, Matrix};
    /// use steinbound::regression::{Change, Quantity, ResponseLimit, TruncatedRegression};
    /// let x = Matrix::from_fn(60, 1, |i, _| i as f64 / 60.0);
    /// let y: Vec<f64> = (0..60).map(|i| 5.2 + 3.0 * (i as f64 / 60.0) + 0.5 * (i as f64).sin()).collect();
    /// let regression = TruncatedRegression::new("y", y).covariates(["x"], x);
    /// let regression = regression.lower(ResponseLimit::Constant(4.0)).build(0)?;
    /// let estimator = regression.estimator(&Estimator::truncated_mle());
    /// let fit = estimator.fit(&regression.points, regression.fitted_model())?;
    /// let unit = Change::Slope(Matrix::from_fn(60, 1, |_, _| 1.0));
    /// let found = regression.effects(&fit, &[("x".into(), unit)])?;
    /// assert_eq!((found[0].of, found[1].of), (Quantity::Latent, Quantity::Seen));
    /// let [latent, seen] = [0, 1].map(|k| found[k].parameter.estimate.unwrap());
    /// assert!((latent - fit.estimates()[1]).abs() < 1e-9 && 0.0 < seen && seen < latent);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn effects(&self, fit: &Fit, changes: &[(String, Change)]) -> Result<Vec<Effect>, Error> {
        let (intercept, count) = (usize::from(self.model.has_intercept()), self.model.coefficients());
        let rows = self.points.len();
        for matrix in changes.iter().flat_map(|(_, change)| change.matrices()) {
            for (what, found, expected) in [
                ("rows of a change", matrix.rows(), rows),
                ("covariates of a change", matrix.columns(), count - intercept),
            ] {
                if found != expected {
                    return Err(PointsError::WrongCount { what, found, expected }.into());
                }
            }
        }
        let quantities = self.quantities();
        let limits: Vec<_> = self.points.rows().map(|x| self.limits_at(x)).collect();
        let weights = self.points.relative_weights();
        let total: f64 = weights.iter().sum();
        // At parameters moved along a direction. Both parts of a sum of covariates are computed on their own, so that
        // differences of large coefficients leave the same rounding wherever they are moved to.
        let moved = |estimates: &[f64], direction: &[f64], step: f64| -> Vec<f64> {
            let part = |of: &[f64], row: &dyn Fn(usize) -> f64| -> f64 {
                of[intercept..count].iter().enumerate().map(|(k, b)| row(k) * b).sum()
            };
            let both = |row: &dyn Fn(usize) -> f64| part(estimates, row) + step * part(direction, row);
            let first = |of: &[f64]| if intercept == 1 { of[0] } else { 0.0 };
            let base = first(estimates) + step * first(direction);
            let own = if direction.len() > count { step * direction[count] } else { 0.0 };
            let deviation = self.deviation(estimates) + own;
            let along = |matrix: &Matrix, i: usize| both(&|k| matrix[(i, k)]);
            let mut sums = vec![0.0; quantities.len() * changes.len()];
            for (i, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
                let x = self.points.row(i);
                let here = base + both(&|k| x[1 + k]);
                for (q, quantity) in quantities.iter().enumerate() {
                    let value = |mean: f64| limits[i].expected(*quantity, mean, deviation);
                    let slope = value(here).in_mean;
                    for (c, (_, change)) in changes.iter().enumerate() {
                        sums[q * changes.len() + c] += weight / total
                            * match change {
                                Change::Slope(matrix) => slope * along(matrix, i),
                                Change::Step { from, to } => {
                                    let at = |matrix: &Matrix| value(base + along(matrix, i)).value;
                                    at(to) - at(from)
                                }
                            };
                    }
                }
            }
            sums
        };
        let pairs = || quantities.iter().flat_map(|of| changes.iter().map(move |(name, _)| (*of, name)));
        let names: Vec<String> = pairs().map(|(_, name)| name.clone()).collect();
        let averages = |estimates: &[f64]| moved(estimates, &vec![0.0; estimates.len()], 0.0);
        let found = match &fit.root {
            None => fit.derived_all(&names, averages)?,
            Some(root) => {
                let estimates = fit.estimates();
                let slope = |k: usize| -> Vec<f64> {
                    let direction: Vec<f64> = (0..root.columns()).map(|l| root[(k, l)]).collect();
                    let at = |step: f64| moved(&estimates, &direction, step);
                    at(STEP).iter().zip(at(-STEP)).map(|(a, b)| (a - b) / (2.0 * STEP)).collect()
                };
                // In each direction one standard deviation of the estimates.
                let slopes: Vec<Vec<f64>> = (0..root.rows()).map(slope).collect();
                let error_of = |at: usize| slopes.iter().map(|row| row[at] * row[at]).sum::<f64>().sqrt();
                fit.derived_with(&names, averages, error_of)?
            }
        };
        Ok(pairs().zip(found).map(|((of, _), parameter)| Effect { of, parameter }).collect())
    }
}

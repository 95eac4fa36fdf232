//! Wald tests of linear hypotheses.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use super::LinearHypothesis;
use super::error::HypothesisError;
use crate::compute::cholesky::ScaledCholesky;
use crate::compute::dot;
use crate::error::Error;
use crate::fit::Fit;
use crate::matrix::Matrix;

/// A Wald test of a linear hypothesis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WaldTest {
    /// The restrictions as text.
    pub hypothesis: Vec<String>,
    /// The squared distance of the estimates from the hypothesis, in units of their covariance.
    pub statistic: f64,
    /// The number of restrictions.
    pub degrees_of_freedom: usize,
    /// The degrees of freedom of the covariance, if p-values are by Student's t and F; otherwise the statistic is
    /// chi-square distributed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denominator: Option<usize>,
    /// The probability of a statistic at least as large if the hypothesis holds.
    pub p_value: f64,
}

impl Fit {
    /// Tests the hypothesis `R theta = r` on the reported parameters.
    ///
    /// # Definition
    ///
    /// The statistic `(R theta - r)' (R Cov R')^-1 (R theta - r)` is chi-square distributed under the
    /// hypothesis; its degrees of freedom are the number of restrictions. For one parameter it is the square
    /// of its `z`. It does not change when restrictions are recombined. Where intervals are by Student's t with `v`
    /// degrees of freedom, the statistic over their number has the F distribution with `v` in the denominator.
    ///
    /// # Requirements
    ///
    /// A covariance, restrictions that do not depend on each other, and many observations. For typed
    /// hypotheses see [`LinearHypothesis::parse`].
    ///
    /// # Complexity
    ///
    /// `q p^2 + q^3` for `q` restrictions.
    ///
    /// # Reference
    ///
    /// Wald, *Tests of Statistical Hypotheses Concerning Several Parameters When the Number of Observations
    /// is Large*, 1943.
    ///
    /// ```
    /// use steinbound::{Estimator, Matrix, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0, 0.2], [2.0, 1.5], [6.0, 0.1], [4.0, 0.9]])?;
    /// let fit = Estimator::mle().fit(&data, &Gaussian::with_variance(2, 1.0)?)?;
    /// let first_is_zero = fit.wald_test(&Matrix::from_fn(1, 2, |_, k| [1.0, 0.0][k]), &[0.0])?;
    /// assert!((first_is_zero.statistic - fit.parameters[0].z().unwrap().powi(2)).abs() < 1e-9);
    /// assert_eq!(first_is_zero.hypothesis, ["mean[x1] = 0"]);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn wald_test(&self, restrictions: &Matrix, values: &[f64]) -> Result<WaldTest, Error> {
        self.test_hypothesis(&LinearHypothesis::new(restrictions.clone(), values.to_vec())?)
    }

    /// Tests a hypothesis on the reported parameters; see [`wald_test`](Fit::wald_test).
    ///
    /// ```
    /// use steinbound::inference::LinearHypothesis;
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0, 0.2], [2.0, 1.5], [6.0, 0.1], [4.0, 0.9]])?;
    /// let fit = Estimator::mle().fit(&data, &Gaussian::with_variance(2, 1.0)?)?;
    /// let equal = LinearHypothesis::parse("mean[x1] = mean[x2]", &["mean[x1]", "mean[x2]"])?;
    /// assert!(fit.test_hypothesis(&equal)?.p_value < 0.1);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn test_hypothesis(&self, hypothesis: &LinearHypothesis) -> Result<WaldTest, Error> {
        let names: Vec<&str> = self.parameters.iter().map(|p| p.name.as_str()).collect();
        let spread = |restrictions: &Matrix| self.covariance_of(restrictions);
        WaldTest::with(&names, &self.estimates(), spread, hypothesis, self.degrees_of_freedom)
    }
}

impl WaldTest {
    /// The test of a hypothesis on parameters with these names, from their estimates and covariance.
    ///
    /// ```
    /// use steinbound::Matrix;
    /// use steinbound::inference::{LinearHypothesis, WaldTest};
    /// let hypothesis = LinearHypothesis::parse("a = b", &["a", "b"])?;
    /// let found = WaldTest::of(&["a", "b"], &[3.0, 1.0], Some(&Matrix::identity(2)), &hypothesis)?;
    /// assert!((found.statistic - 2.0).abs() < 1e-12);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn of(
        names: &[impl AsRef<str>],
        estimates: &[f64],
        covariance: Option<&Matrix>,
        hypothesis: &LinearHypothesis,
    ) -> Result<WaldTest, Error> {
        let spread = |restrictions: &Matrix| {
            let fits = |m: &&Matrix| m.rows() == restrictions.columns() && m.columns() == m.rows();
            let covariance = covariance.filter(fits)?;
            Some(restrictions.times(covariance).times(&restrictions.transpose()))
        };
        WaldTest::with(names, estimates, spread, hypothesis, None)
    }

    /// With the covariance of restrictions, and the degrees of freedom of its own where it is from few clusters.
    fn with(
        names: &[impl AsRef<str>],
        estimates: &[f64],
        spread_of: impl Fn(&Matrix) -> Option<Matrix>,
        hypothesis: &LinearHypothesis,
        denominator: Option<usize>,
    ) -> Result<WaldTest, Error> {
        let (found, expected) = (hypothesis.restrictions().columns(), names.len());
        if found != expected {
            let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
            return Err(HypothesisError::WrongColumns { found, expected, names: names.join(", ") }.into());
        }
        hypothesis.check_rank(names)?;
        let restrictions = hypothesis.restrictions();
        let are_known = estimates.len() == expected && estimates.iter().all(|v| v.is_finite());
        let Some(spread) = spread_of(restrictions).filter(|_| are_known) else {
            return Err(HypothesisError::NoCovariance.into());
        };
        let factor = ScaledCholesky::new(&spread).map_err(|_| HypothesisError::NoVariance)?;
        let at = restrictions.times_vector(estimates);
        let distance: Vec<f64> = at.iter().zip(hypothesis.values()).map(|(a, r)| a - r).collect();
        let mut solved = Matrix::from_fn(distance.len(), 1, |i, _| distance[i]);
        factor.solve(&mut solved);
        let statistic = dot(&distance, solved.column(0)).max(0.0);
        let restricted = distance.len() as f64;
        let p_value = match denominator {
            None => ChiSquared::new(restricted).map(|law| law.sf(statistic)).ok(),
            Some(clusters) => FisherSnedecor::new(restricted, clusters as f64)
                .map(|law| law.sf(statistic / restricted))
                .ok(),
        };
        let p_value = p_value.ok_or(HypothesisError::NoRestriction)?;
        if !statistic.is_finite() {
            return Err(HypothesisError::NoVariance.into());
        }
        Ok(WaldTest {
            hypothesis: hypothesis.describe(names),
            statistic,
            degrees_of_freedom: distance.len(),
            denominator,
            p_value,
        })
    }
}

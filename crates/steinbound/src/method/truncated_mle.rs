//! Maximum likelihood of the truncated density.

use std::sync::Arc;

use super::{Estimator, Method, Preparation, Procedure, Solver, Task, Uses, unsuited};
use crate::domain::Domain;
use crate::error::Error;
use crate::likelihood::{IntegrationRule, Truncated};
use crate::minimise::Estimate;

/// See [`Estimator::truncated_mle`].
#[derive(Debug)]
pub(super) struct TruncatedMle;

impl Procedure for TruncatedMle {
    fn name(&self) -> &'static str {
        "truncated-mle"
    }

    fn meaning(&self) -> &'static str {
        "maximum likelihood inside a known domain, by integration"
    }

    fn uses(&self) -> Uses {
        Uses { domain: true, ..Uses::NOTHING }
    }

    fn prepare(&self, preparation: &mut Preparation) -> Result<Arc<dyn Solver>, Error> {
        let (domain, rule) = (preparation.domain()?, preparation.estimator.integration.clone());
        Ok(Arc::new(Integrated { domain, rule }))
    }
}

/// The domain, and the rule of integration if the user gave one.
struct Integrated {
    domain: Arc<dyn Domain>,
    rule: Option<Arc<IntegrationRule>>,
}

impl Solver for Integrated {
    fn estimate(&self, task: &Task) -> Result<Estimate, Error> {
        let Task { model, data, weights, start, seed, interrupt } = *task;
        let (domain, rule) = (&self.domain, self.rule.as_deref());
        Truncated { model, data, weights, domain, start, rule, seed, interrupt }
            .maximise()
            .map_err(|error| unsuited(error, |uses| uses.boundary_points || uses.has_distance()))
    }
}

impl Estimator {
    /// Maximum likelihood of the truncated density: the benchmark for all other methods.
    ///
    /// # Definition
    ///
    /// Maximises the mean over the data of `log p(x; theta) - log Z(theta)`, `Z` being the integral of the
    /// unnormalised density `p` over the domain. Up to three dimensions the integral is a sum over
    /// Gauss-Legendre nodes along sections of the domain; beyond, a seeded quasi-Monte Carlo sum. The rule is
    /// refined until the estimate moves by less than a thousandth of its standard error (a hundredth in three
    /// dimensions, a twentieth beyond); if that is not reached, the fit has a warning. A regression needs no
    /// sum: its normaliser is known.
    ///
    /// # Requirements
    ///
    /// A domain, and a model with an unnormalised log-density. Standard errors are those of the inverse
    /// observed information, or of the sandwich if observations have weights or clusters.
    ///
    /// # Complexity
    ///
    /// `p` gradients of the log-density at tens of thousands of nodes for each step of the search.
    ///
    /// # Reference
    ///
    /// Hausman and Wise, *Social Experimentation, Truncated Distributions, and Efficient Estimation*,
    /// Econometrica 1977.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, Points, domain::Cuboid, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let interval = Arc::new(Cuboid::interval(-1.0, 1.0)?);
    /// let fit = Estimator::truncated_mle().domain(interval).fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert!(fit.converged && fit.log_likelihood.is_some());
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn truncated_mle() -> Estimator {
        Estimator::new(Method::TRUNCATED_MLE)
    }
}

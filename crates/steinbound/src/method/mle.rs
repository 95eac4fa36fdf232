//! Maximum likelihood that ignores the boundary.

use std::sync::Arc;

use super::{Estimator, Method, Preparation, Procedure, Solver, Task, Uses, unsuited};
use crate::error::Error;
use crate::likelihood::Naive;
use crate::minimise::Estimate;

/// See [`Estimator::mle`].
#[derive(Debug)]
pub(super) struct Mle;

impl Procedure for Mle {
    fn name(&self) -> &'static str {
        "mle"
    }

    fn meaning(&self) -> &'static str {
        "maximum likelihood that ignores the boundary"
    }

    fn uses(&self) -> Uses {
        Uses::NOTHING
    }

    fn prepare(&self, _preparation: &mut Preparation) -> Result<Arc<dyn Solver>, Error> {
        Ok(Arc::new(Whole))
    }
}

/// Nothing to prepare.
struct Whole;

impl Solver for Whole {
    fn estimate(&self, task: &Task) -> Result<Estimate, Error> {
        let Task { model, data, weights, start, seed, interrupt } = *task;
        Naive { model, data, weights, start, seed, interrupt }
            .maximise()
            .map_err(|error| unsuited(error, Uses::knows_boundary))
    }
}

impl Estimator {
    /// Maximum likelihood that ignores the boundary (MLE): the baseline that truncation biases.
    ///
    /// # Definition
    ///
    /// For a Gaussian, mean and covariance (divided by `n`) of the data, with robust standard errors. For a
    /// regression, least squares in an orthonormal basis of the covariates; for one with censored responses
    /// the maximum of the censored likelihood, with standard errors by the information.
    ///
    /// # Requirements
    ///
    /// A model whose normaliser without truncation is known, and data that are not truncated.
    ///
    /// # Complexity
    ///
    /// `n d^2`.
    ///
    /// # Reference
    ///
    /// White, *Maximum Likelihood Estimation of Misspecified Models*, Econometrica 1982, for the standard
    /// errors.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[1.0], [2.0], [6.0]])?;
    /// let fit = Estimator::mle().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert!((fit.estimates()[0] - 3.0).abs() < 1e-12);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn mle() -> Estimator {
        Estimator::new(Method::MLE)
    }
}

//! KSD: the plain kernel.

use std::sync::Arc;

use super::{Estimator, Method, Preparation, Procedure, Solver, SteinSolver, Uses};
use crate::error::Error;

/// See [`Estimator::ksd`].
#[derive(Debug)]
pub(super) struct Ksd;

impl Procedure for Ksd {
    fn name(&self) -> &'static str {
        "ksd"
    }

    fn meaning(&self) -> &'static str {
        "Stein discrepancy that ignores the boundary"
    }

    fn uses(&self) -> Uses {
        Uses::PAIRS
    }

    fn least_exponent(&self, _power: f64, _is_estimated: bool) -> f64 {
        2.0
    }

    fn prepare(&self, preparation: &mut Preparation) -> Result<Arc<dyn Solver>, Error> {
        let form = preparation.plain_form()?;
        Ok(Arc::new(SteinSolver::new(form, preparation.estimator.statistic)))
    }
}

impl Estimator {
    /// Kernelised Stein discrepancy that ignores the boundary (KSD).
    ///
    /// # Definition
    ///
    /// Minimises the Stein discrepancy under the plain kernel `k` ([`Radial`](crate::stein::Radial)).
    ///
    /// # Requirements
    ///
    /// Data that are not truncated; on truncated data it is biased.
    ///
    /// # Complexity
    ///
    /// `n^2 / 2` kernel values.
    ///
    /// # Reference
    ///
    /// Barp, Briol, Duncan, Girolami and Mackey, *Minimum Stein Discrepancy Estimators*, NeurIPS 2019.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let fit = Estimator::ksd().fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert_eq!(fit.setup.m, 0);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn ksd() -> Estimator {
        Estimator::new(Method::KSD)
    }
}

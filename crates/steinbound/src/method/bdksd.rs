//! bd-KSD: the kernel weighted by the distance to the boundary.

use std::sync::Arc;

use super::{DistanceKind, Estimator, Method, Preparation, Procedure, Solver, SteinSolver, Uses};
use crate::error::Error;
use crate::stein::Weighted;

/// See [`Estimator::bdksd`].
#[derive(Debug)]
pub(super) struct Bdksd;

impl Procedure for Bdksd {
    fn name(&self) -> &'static str {
        "bdksd"
    }

    fn meaning(&self) -> &'static str {
        "Stein discrepancy weighted by the distance to the boundary"
    }

    fn uses(&self) -> Uses {
        Uses { distances: &[DistanceKind::Exact, DistanceKind::Nearest], ..Uses::PAIRS }
    }

    fn least_exponent(&self, power: f64, _is_estimated: bool) -> f64 {
        2.0 - 2.0 * power
    }

    fn prepare(&self, preparation: &mut Preparation) -> Result<Arc<dyn Solver>, Error> {
        let distance = preparation.distance()?;
        let form = Weighted::of(preparation.plain_form()?, preparation.data, distance)?;
        Ok(Arc::new(SteinSolver::new(Arc::new(form), preparation.estimator.statistic)))
    }
}

impl Estimator {
    /// Bounded-domain kernelised Stein discrepancy (bd-KSD).
    ///
    /// # Definition
    ///
    /// Minimises the Stein discrepancy under the kernel `h(x) k(x, y) h(y)`, `h` being the distance to the
    /// boundary ([`Weighted`](crate::stein::Weighted)).
    ///
    /// # Requirements
    ///
    /// A domain (exact distance), or boundary points (distance to the nearest, which overestimates far from
    /// them).
    ///
    /// # Complexity
    ///
    /// `n^2 / 2` kernel values and `n` distances.
    ///
    /// # Reference
    ///
    /// Xu, *Generalised Kernel Stein Discrepancy: A Unifying Approach for Non-parametric Goodness-of-fit
    /// Testing*, 2021.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, Points, domain::Cuboid, fit::DistanceKind, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let interval = Arc::new(Cuboid::interval(-1.0, 1.0)?);
    /// let fit = Estimator::bdksd().domain(interval).fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert_eq!(fit.setup.distance, Some(DistanceKind::Exact));
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn bdksd() -> Estimator {
        Estimator::new(Method::BDKSD)
    }
}

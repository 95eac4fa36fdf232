//! TKSD: boundary points only.

use std::sync::Arc;

use super::{BoundaryCheck, Estimator, Method, Preparation, Procedure, Solver, SteinSolver, Uses};
use crate::error::Error;

/// See [`Estimator::tksd`].
#[derive(Debug)]
pub(super) struct Tksd;

impl Procedure for Tksd {
    fn name(&self) -> &'static str {
        "tksd"
    }

    fn meaning(&self) -> &'static str {
        "truncated kernelised Stein discrepancy; needs boundary points"
    }

    fn uses(&self) -> Uses {
        Uses { ridge: true, boundary_points: true, ..Uses::PAIRS }
    }

    fn prepare(&self, preparation: &mut Preparation) -> Result<Arc<dyn Solver>, Error> {
        let boundary = preparation.boundary_points()?;
        let held = preparation.pairs(&boundary)?;
        if !preparation.estimator.is_replicate {
            BoundaryCheck::measure(preparation, &boundary, &held.exact)?;
        }
        Ok(Arc::new(SteinSolver::new(held.form()?, preparation.estimator.statistic)))
    }
}

impl Estimator {
    /// Truncated kernelised Stein discrepancy (TKSD): the default.
    ///
    /// # Definition
    ///
    /// Minimises `mean_ij H(x_i, x_j)`, the Stein kernel `H` being that of `k` conditioned to vanish at the
    /// boundary points, `k0(x, y) = k(x, y) - k(x, b) (K + e I)^-1 k(b, y)`
    /// ([`Conditioned`](crate::stein::Conditioned)). For a score that is affine in the parameters the minimum
    /// solves linear equations ([`Moments`](crate::stein::Moments)); standard errors are those of the
    /// [sandwich](crate::inference::sandwich).
    ///
    /// # Requirements
    ///
    /// Points on the boundary, or a domain to sample them from; they should lie closer together than the
    /// bandwidth. At a fixed number of boundary points a small bias remains, which standard errors do not
    /// include.
    ///
    /// # Complexity
    ///
    /// `n^2 / 2 + 2 n m` kernel values and `m^3 / 3` operations; `n m^2` more for the U-statistic. Memory
    /// `O(n + m^2)` when tiled.
    ///
    /// # Reference
    ///
    /// Williams and Liu, *Approximate Stein Classes for Truncated Density Estimation*, ICML 2023.
    ///
    /// ```
    /// use steinbound::{Estimator, Points, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let ends = Points::from_rows(&[[-1.0], [1.0]])?;
    /// let fit = Estimator::tksd().boundary(ends).fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert_eq!(fit.parameters[0].name, "mean[x1]");
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn tksd() -> Estimator {
        Estimator::new(Method::TKSD)
    }
}

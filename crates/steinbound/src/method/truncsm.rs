//! TruncSM: score matching weighted by the distance to the boundary.

use std::sync::Arc;

use super::counting::{Counting, Minimised};
use super::{CountedRegion, DistanceKind, Estimator, Method, Preparation, Procedure, Solver, Task, Uses};
use crate::error::Error;
use crate::minimise::{CentredSearch, Estimate, Objective};
use crate::points::Points;
use crate::score_matching::{self, BoundaryWeight, ScoreMatching};

/// See [`Estimator::truncsm`].
#[derive(Debug)]
pub(super) struct Truncsm;

impl Procedure for Truncsm {
    fn name(&self) -> &'static str {
        "truncsm"
    }

    fn meaning(&self) -> &'static str {
        "truncated score matching; needs distances, has no kernel"
    }

    fn uses(&self) -> Uses {
        let distances = &[DistanceKind::Exact, DistanceKind::Nearest, DistanceKind::Axes];
        Uses { distances, ..Uses::NOTHING }
    }

    fn least_exponent(&self, power: f64, is_estimated: bool) -> f64 {
        if is_estimated { 4.0 - 2.0 * power } else { 2.0 - 2.0 * power }
    }

    fn prepare(&self, preparation: &mut Preparation) -> Result<Arc<dyn Solver>, Error> {
        let distance = preparation.distance()?;
        Ok(Arc::new(BoundaryWeight::new(&distance, preparation.data, preparation.model)?))
    }
}

impl Solver for BoundaryWeight {
    fn estimate(&self, task: &Task) -> Result<Estimate, Error> {
        let Task { model, data, weights, start, seed, interrupt } = *task;
        if model.affine().is_some() {
            return score_matching::minimise(model, data, weights, self);
        }
        let search = CentredSearch::new(model, data, start);
        search.minimise(&ScoreMatching::new(model, &search.points, weights, self, interrupt), seed)
    }

    fn counting(self: Arc<Self>, region: CountedRegion) -> Option<Arc<dyn Solver>> {
        Some(Arc::new(Counting::new(self, region)))
    }
}

impl Minimised for BoundaryWeight {
    fn objective<'a>(
        &'a self,
        task: &Task<'a>,
        points: &'a Points<'a>,
    ) -> Result<Box<dyn Objective + 'a>, Error> {
        let Task { model, weights, interrupt, .. } = *task;
        Ok(Box::new(ScoreMatching::new(model, points, weights, self, interrupt)))
    }
}

impl Estimator {
    /// Truncated score matching (TruncSM).
    ///
    /// # Definition
    ///
    /// Minimises the mean over the data of `sum_l [ h (psi_l^2 + 2 d_l psi_l) + 2 (d_l h) psi_l ]`, `h` being
    /// the distance to the boundary. (The paper has the last term without its factor 2, and the public code
    /// replaces the derivative `d_l psi_l` by a sum over a row of the Hessian.)
    ///
    /// # Requirements
    ///
    /// A domain (exact distance), or boundary points (distance to the nearest).
    ///
    /// # Complexity
    ///
    /// `n d p^2` operations and `n` distances: there are no pairs.
    ///
    /// # Reference
    ///
    /// Liu, Kanamori and Williams, *Estimating Density Models with Truncation Boundaries using Score
    /// Matching*, JMLR 2022; Yu, Drton and Shojaie, *Generalized Score Matching for General Domains*, 2022.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, Points, domain::Cuboid, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
    /// let interval = Arc::new(Cuboid::interval(-1.0, 1.0)?);
    /// let fit = Estimator::truncsm().domain(interval).fit(&data, &Gaussian::with_variance(1, 1.0)?)?;
    /// assert!(fit.objective.is_some() && fit.discrepancy.is_none());
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn truncsm() -> Estimator {
        Estimator::new(Method::TRUNCSM)
    }
}

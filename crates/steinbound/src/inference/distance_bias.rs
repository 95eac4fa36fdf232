//! The bias of estimates by distances to the nearest of too few boundary points.

use super::diagnostics::Disagreement;
use crate::error::Error;
use crate::fit::{DistanceKind, Fit, Problem};
use crate::points::Points;
use crate::warning::{Warning, WarningKind};

/// The largest bias, in standard errors, that intervals can hold.
pub(super) const LARGEST_BIAS: f64 = 0.3;

impl Problem<'_> {
    /// The bias of the estimate that is due to distances to the nearest of some boundary points, in standard
    /// errors; `None` where distances are measured otherwise or the estimate has none.
    ///
    /// Between the points, such a distance is not zero on the boundary but as large as their spacing, which grows by
    /// `c = 2^(1 / (d - 1))` if every other point is left out. The bias grows with the spacing (or the power of it that
    /// is used), so that it is the move of the estimate divided by `c - 1`; the move is averaged over both halves of
    /// the points.
    pub(crate) fn distance_bias(&self, fit: &Fit) -> Result<Option<Disagreement>, Error> {
        let is_nearest = self.setup().distance == Some(DistanceKind::Nearest);
        let (Some(boundary), Some(theta)) = (self.boundary(), fit.fitted_parameters()) else {
            return Ok(None);
        };
        let dimension = self.data.dimension();
        if !is_nearest || dimension < 2 || boundary.len() < 2 || !fit.is_trustworthy() {
            return Ok(None);
        }
        let mut moved = vec![0.0; fit.fitted().len()];
        for half in 0..2 {
            let rows: Vec<&[f64]> = boundary.rows().skip(half).step_by(2).collect();
            let refitted = self.with_distances_to(Points::from_rows(&rows)?, theta.clone())?.fit();
            let refitted = match refitted {
                Err(error) if error.is_interrupted() => return Err(error),
                Err(_) => return Ok(None),
                Ok(refitted) => refitted,
            };
            for (sum, (of, other)) in moved.iter_mut().zip(fit.fitted().iter().zip(refitted.fitted())) {
                let change = (other.estimate.zip(of.estimate)).map(|(other, own)| other - own);
                *sum += 0.5 * change.unwrap_or(f64::NAN) / of.std_error.unwrap_or(f64::NAN);
            }
        }
        let growth = 2f64.powf(self.estimator.distance_power / (dimension as f64 - 1.0)) - 1.0;
        let moves = fit.fitted().iter().zip(moved).filter(|(_, moved)| moved.is_finite());
        let most = moves.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        Ok(most.map(|(parameter, moved)| Disagreement {
            parameter: parameter.name.clone(),
            standard_errors: moved.abs() / growth,
        }))
    }

    /// What to say of such a bias if it is too large.
    pub(super) fn of_distance_bias(&self, found: Option<&Disagreement>) -> Option<Warning> {
        let Disagreement { parameter, standard_errors } =
            found.filter(|found| found.standard_errors > LARGEST_BIAS)?;
        let count = self.boundary().map_or(0, Points::len);
        Some(WarningKind::Boundary.warning(format!(
            "{standard_errors:.2} standard errors: about this much of the estimate of {parameter} is a bias, because \
             distances to the boundary are those to the nearest of only {count} points, as fits with half of them show; \
             do not use it: give more points or the region, or use efficient or tksd"
        )))
    }

    /// Warns of such a bias in a fit that is not diagnosed otherwise.
    pub(super) fn warn_of_distance_bias(&self, fit: &mut Fit) -> Result<(), Error> {
        let found = self.distance_bias(fit)?;
        let warning = self.of_distance_bias(found.as_ref());
        fit.converged &= warning.is_none();
        fit.warnings.extend(warning);
        Ok(())
    }
}

//! Bandwidth and boundary, changed until the estimate settles.

use super::surface::Surface;
use super::{BoundaryUsed, Disagreement, Estimator, Preparation};
use crate::error::Error;
use crate::kernel::Bandwidth;
use crate::likelihood;
use crate::matrix::Matrix;
use crate::minimise::{Estimate, sandwich};
use crate::points::Points;
use crate::warning::WarningKind;

/// The flux that a penalty tolerates: its strength is the number of observations over this.
pub(super) const TOLERATED_FLUX: f64 = 0.5;

/// The check of the penalty tolerates this share of the flux.
pub(super) const TIGHTER: f64 = 0.1;

/// How often a bandwidth is halved at most.
const MOST_HALVINGS: usize = 4;

/// A move of the estimate, in standard errors, beyond which it has not settled.
pub(crate) const LARGEST_SETTLED_MOVE: f64 = 0.3;

/// How far an estimate moves with other representations of the boundary, in standard errors.
#[derive(Debug, Clone, Default)]
pub(super) struct Moves {
    /// With twice as many boundary points.
    pub(super) finer: Option<Disagreement>,
    /// With a penalty that tolerates less.
    pub(super) tighter: Option<Disagreement>,
}

/// A move as a number; zero if it was not measured.
pub(super) fn size(found: Option<&Disagreement>) -> f64 {
    found.map_or(0.0, |found| found.standard_errors)
}

/// Whether a move is harmless, or was not measured.
pub(super) fn is_small(found: Option<&Disagreement>) -> bool {
    size(found) <= LARGEST_SETTLED_MOVE
}

/// A measured move with something, in words that begin with it.
pub(crate) fn moved(found: &Disagreement, what: &str) -> String {
    let Disagreement { parameter, standard_errors } = found;
    format!(
        "{standard_errors:.2} standard errors: the estimate of {parameter} moves by this much with {what}; do not use it"
    )
}

impl Moves {
    /// What was used, for the setup.
    pub(super) fn used(&self, surface: &Surface, halvings: usize, tolerated_flux: f64) -> BoundaryUsed {
        BoundaryUsed {
            normals: surface.source,
            without_normal: surface.points.len() - surface.directions.known(),
            spacing: surface.spacing,
            halvings,
            tolerated_flux,
            finer: self.finer.clone(),
            tighter: self.tighter.clone(),
        }
    }

    /// What to do where the estimate did not settle. A likelihood is advised where it has what it needs: regions
    /// of many small parts cannot be integrated over.
    pub(super) fn remedy(&self, preparation: &Preparation) -> &'static str {
        let Preparation { estimator, data, model, .. } = preparation;
        let has_settled = is_small(self.finer.as_ref()) && is_small(self.tighter.as_ref());
        let domain = estimator.domain.as_deref().filter(|_| !has_settled);
        let can_integrate =
            |domain| likelihood::is_possible(*model, data, domain, estimator.seed, &estimator.interrupt);
        match domain.is_some_and(can_integrate) {
            true => "test whether the model fits, give another bandwidth, or use truncated-mle",
            false => "test whether the model fits, or give another bandwidth",
        }
    }

    /// Marks an estimate that did not settle.
    pub(super) fn judge(&self, estimate: &mut Estimate, remedy: &str) {
        let of_boundary = "a finer boundary";
        let of_penalty = "a boundary that tolerates a tenth of the flux";
        for (found, what) in [(&self.finer, of_boundary), (&self.tighter, of_penalty)] {
            if let Some(found) = found.as_ref().filter(|found| !is_small(Some(found))) {
                let text = format!("{}: {remedy}", moved(found, what));
                estimate.warnings.push(WarningKind::Boundary.warning(text));
                estimate.converged = false;
            }
        }
    }
}

/// The bandwidth that was given, or else a share of the median distance.
pub(super) fn first_bandwidth(estimator: &Estimator, data: &Points, share: f64) -> Result<f64, Error> {
    let found = estimator.bandwidth.find(data, estimator.seed, &estimator.interrupt)?;
    Ok(if estimator.bandwidth == Bandwidth::Median { share * found } else { found })
}

/// Tries a bandwidth, by default a share of the median distance, and halves it until the estimate settles, where
/// it was not given; with the number of halvings.
///
/// Where a tighter penalty moves the estimate, the region is narrow beside the bandwidth: smooth test functions
/// cannot fall to zero at the boundary, and the penalty is paid in bias.
pub(super) fn halved<A>(
    estimator: &Estimator,
    data: &Points,
    share: f64,
    mut attempt: impl FnMut(f64) -> Result<A, Error>,
    move_of: impl Fn(&A) -> f64,
    is_resolved: impl Fn(&A) -> bool,
    is_affordable: impl Fn() -> bool,
) -> Result<(A, usize), Error> {
    let first = first_bandwidth(estimator, data, share)?;
    let is_once = estimator.is_replicate || matches!(estimator.bandwidth, Bandwidth::Fixed(_));
    let mut best = (attempt(first)?, 0);
    for halvings in 1..=MOST_HALVINGS {
        if is_once || move_of(&best.0) <= LARGEST_SETTLED_MOVE || !is_affordable() {
            break;
        }
        if estimator.interrupt.overtime().is_some() {
            break;
        }
        match attempt(first * 0.5f64.powi(halvings as i32)) {
            // What was ended on its way does not count.
            Ok(_) if estimator.interrupt.overtime().is_some() => break,
            Ok(next) if !is_resolved(&next) => break,
            // If none settles, the one that moves least.
            Ok(next) if move_of(&next) < move_of(&best.0) => best = (next, halvings),
            Ok(_) => {}
            Err(error) if error.is_interrupted() => return Err(error),
            // A bandwidth too small for the data is no reason to lose the estimate before it.
            Err(_) => break,
        }
    }
    Ok(best)
}

/// The largest change of a reported parameter, in its standard errors, for a change of the fitted ones.
pub(super) fn in_standard_errors(
    preparation: &Preparation,
    weights: &[f64],
    estimate: &Estimate,
    change: &[f64],
) -> Option<Disagreement> {
    let Preparation { data, model, .. } = preparation;
    let theta = estimate.theta.as_ref()?;
    let (names, jacobian) = match model.report(theta) {
        Some(reported) => (model.reported_names(data.names()), reported.jacobian),
        None => (model.names(data.names()), Matrix::identity(theta.len())),
    };
    let natural = sandwich::covariance(&estimate.influence, weights, data.clusters()).ok()?;
    let covariance = jacobian.times(&natural).times(&jacobian.transpose());
    let change = jacobian.times_vector(change);
    let moves = (0..change.len()).map(|k| change[k].abs() / covariance[(k, k)].sqrt());
    let (k, standard_errors) = moves.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Disagreement { parameter: names[k].clone(), standard_errors })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{Cuboid, Domain, Polygon};
    use crate::model::Gaussian;

    /// A likelihood is advised only where the region can be integrated over.
    #[test]
    fn what_is_known_to_refuse_is_not_advised() {
        let places: Vec<[f64; 2]> = (0..40).map(|k| [f64::from(k * 7 % 40), f64::from(k)]).collect();
        let data = Points::from_rows(&places).unwrap();
        let model = Gaussian::with_variance(2, 100.0).unwrap();
        let island = |k: usize| {
            let (x, y) = (k % 60, k / 60);
            let (x, y) = (x as f64 + 0.3 * (k as f64).sin(), y as f64 + 0.3 * (1.7 * k as f64).cos());
            vec![[x, y], [x + 0.2, y], [x + 0.2, y + 0.2], [x, y + 0.2]]
        };
        let islands = Polygon::new((0..3600).map(island).collect()).unwrap();
        let square = Cuboid::new(vec![0.0; 2], vec![60.0; 2]).unwrap();
        let unsettled = Disagreement { parameter: "mean".into(), standard_errors: 0.5 };
        let moves = Moves { finer: None, tighter: Some(unsettled) };
        let remedy = |estimator: Estimator| {
            let preparation = Preparation::new(&estimator, &data, &model).unwrap();
            moves.remedy(&preparation)
        };
        let inside = |domain: Arc<dyn Domain>| remedy(Estimator::efficient().domain(domain));
        assert!(inside(Arc::new(square)).contains("truncated-mle"));
        assert!(!inside(Arc::new(islands)).contains("truncated-mle"));
        assert!(!remedy(Estimator::efficient()).contains("truncated-mle"));
    }
}

use super::estimate::{Estimate, affine_score, centred, features, solve_normal_equations};
use crate::error::{Error, FitError};
use crate::model::Model;
use crate::points::Points;
use crate::stein::{Pass, Statistic, SteinForm};

/// Influence below this share of a parameter's own unit, by which it changes the discrepancy by as much as there is, is
/// rounding. Without a boundary the equation of a constant score, as that of an exponential density, is zero for any
/// data.
const ROUNDING: f64 = 1e-8;

/// The minimum of the squared Stein discrepancy over an affine score.
///
/// For `psi_l = Phi (S_l theta + s_l)` the squared discrepancy is a quadratic in `theta`, and the minimum
/// solves `(sum_l S_l' G S_l) theta = - sum_l S_l' (G s_l + c_l)` with the pair sums `G` and `c_l` of
/// [`crate::stein::Moments`]. The matrix on the left must be positive definite. For the V-statistic it is,
/// unless the data do not determine the parameters. For the U-statistic it need not be: then the quadratic
/// has no minimum, and the estimate reports it.
///
/// One pass over the pairs gives the estimate and its standard errors together.
pub(crate) fn minimise(
    form: &dyn SteinForm,
    model: &dyn Model,
    data: &Points,
    weights: &[f64],
    statistic: Statistic,
) -> Result<Estimate, Error> {
    let (affine, score) = affine_score(model)?;
    let (origin, points) = centred(model, data);
    let features = features(affine, &points, &score);
    let pass = Pass::new(&statistic.pairs(form)?, features, weights, Some(&score))?;
    let (normal, right) = pass.moments().normal_equations(&score);
    let (theta, factor) = match (solve_normal_equations(&normal, &right), statistic) {
        (Ok(solved), _) => solved,
        // Indefinite, rather than nearly singular.
        (Err(FitError::NotIdentified { condition: f64::INFINITY }), Statistic::U) => {
            return Ok(Estimate::without_minimum(model.parameters()));
        }
        (Err(error), _) => return Err(error.into()),
    };
    let influence = pass.influence(&score, &theta, &factor);
    let squared = statistic.clean(pass.moments().value(&score.at(&theta)));
    let is_rounding = |k: &usize| {
        let unit = (squared.abs() / normal[(*k, *k)]).sqrt();
        unit > 0.0 && influence.column(*k).iter().all(|own| own.abs() <= ROUNDING * unit)
    };
    let rounding = (0..theta.len()).find(is_rounding).map(|k| {
        format!(
            "the estimate of {} and its standard error are rounding: its equation is the same for all observations; use a \
             method that knows the boundary",
            model.names(data.names())[k]
        )
    });
    let estimate = Estimate::closed_form(theta, influence).moved_back(model, &origin);
    let mut estimate = estimate.cut_short(rounding);
    estimate.condition = Some(factor.condition_number());
    estimate.discrepancy_squared = Some(squared);
    Ok(estimate)
}

//! From starts to an estimate: the minimum that a search finds, with the influence of each observation.

use super::descent::{self, Descent};
use super::estimate::Estimate;
use super::objective::Objective;
use super::result::Starts;
use crate::compute::cholesky::ScaledCholesky;
use crate::error::{Error, FitError, ModelError};
use crate::matrix::Matrix;
use crate::model::{Model, scores};
use crate::points::Points;
use crate::simulate::{stream, tasks};

/// Minimises an objective from the start given, or from those that the model proposes.
///
/// Of several starts the lowest minimum is taken, a minimum being preferred to a place where a search got stuck.
/// The value ends up in the estimate's `objective`.
pub(crate) fn search(
    objective: &dyn Objective,
    model: &dyn Model,
    data: &Points,
    start: Option<&[f64]>,
    seed: u64,
) -> Result<Estimate, Error> {
    let starts = match start {
        Some(theta) => vec![theta.to_vec()],
        None => model.starts(data, &mut stream(seed, tasks::STARTS)),
    };
    if starts.is_empty() {
        return Err(ModelError::NoStart { model: model.name().to_string() }.into());
    }
    let mut ends: Vec<Descent> = Vec::new();
    let mut refusal = None;
    for theta in &starts {
        if !objective.value(theta)?.is_finite() {
            refusal = refusal.or_else(|| Some(not_finite(model, data, theta)));
            continue;
        }
        ends.push(descent::minimise(objective, theta)?);
    }
    let rank = |end: &Descent| (!end.converged, end.expansion.value);
    let better = |a: &Descent, b: &Descent| {
        let ((stuck_a, a), (stuck_b, b)) = (rank(a), rank(b));
        stuck_a.cmp(&stuck_b).then(a.total_cmp(&b))
    };
    let Some(best) = ends.iter().min_by(|a, b| better(a, b)).cloned() else {
        return Err(refusal.unwrap_or(FitError::NotFinite { what: "objective" }).into());
    };
    let near = |end: &&Descent| {
        end.converged == best.converged
            && end.expansion.value - best.expansion.value
                <= 1e-9 * best.expansion.scale.max(best.expansion.value.abs())
    };
    let agreed = ends.iter().filter(near).count();
    finished(objective, model, best, start.is_some(), Starts { tried: starts.len(), agreed })
}

/// The estimate at the end of a search, its parameters in order where nobody said which.
fn finished(
    objective: &dyn Objective,
    model: &dyn Model,
    best: Descent,
    keep_order: bool,
    starts: Starts,
) -> Result<Estimate, Error> {
    let mut theta = best.theta;
    let mut expansion = best.expansion;
    if !keep_order {
        let ordered = model.in_order(theta.clone());
        if ordered != theta {
            expansion = objective.expand(&ordered)?;
            theta = ordered;
        }
    }
    let mut warnings = Vec::new();
    let factor = ScaledCholesky::new(&expansion.hessian);
    let influence = match &factor {
        Ok(factor) => factor.solve_rows(&objective.pulls(&theta)?, -1.0),
        Err(_) => Matrix::zeros(0, theta.len()),
    };
    if !best.converged {
        let why =
            if factor.is_ok() { "no minimum was reached" } else { "the Hessian is not positive definite" };
        warnings.push(format!(
            "the search stopped after {} steps without converging: {why} where it ended; try other starting values, \
             more data or fewer parameters",
            best.iterations
        ));
    } else if starts.tried >= 5 && starts.agreed == 1 {
        warnings.push(format!(
            "only one of {} starts reached this minimum, so that a lower one may have been missed; give starting \
             values of your own to check",
            starts.tried
        ));
    }
    let mut estimate = Estimate::closed_form(theta, influence);
    estimate.objective = Some(expansion.value);
    estimate.converged = best.converged && factor.is_ok();
    estimate.iterations = best.iterations;
    estimate.starts = Some(starts);
    estimate.warnings = warnings;
    Ok(estimate)
}

/// Which observation makes the objective infinite at a start.
fn not_finite(model: &dyn Model, data: &Points, theta: &[f64]) -> FitError {
    let scores = scores(model, data, theta);
    let is_bad = |i: &usize| {
        let no_density = model.log_density(data.row(*i), theta).is_some_and(|value| !value.is_finite());
        no_density || (0..scores.columns()).any(|l| !scores[(*i, l)].is_finite())
    };
    match (0..data.len()).find(is_bad) {
        Some(row) => FitError::NotFiniteAt {
            model: model.name().to_string(),
            row: row + 1,
            point: format!("{:?}", data.row(row)),
        },
        None => FitError::NotFinite { what: "objective" },
    }
}

//! From starts to an estimate: the minimum that a search finds, with the influence of each observation.

use super::descent::{self, Descent};
use super::estimate::{Estimate, Starts};
use super::objective::{Expansion, Objective};
use crate::compute::cholesky::{Cholesky, ScaledCholesky};
use crate::error::{Error, FitError, ModelError};
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::model::{AtPoints, Model, Units, scores, starts};
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::search_limits::Stop;
use crate::text::brief_point;
use crate::warning::{Warning, WarningKind};

/// Minimises an objective from the given start, or from those that the model proposes.
///
/// The lowest minimum of several starts is taken; a minimum is preferred to a point at which a search got
/// stuck. The value is stored in the estimate's `objective`.
pub(crate) fn search(
    objective: &dyn Objective,
    model: &dyn Model,
    data: &Points,
    start: Option<&[f64]>,
    seed: u64,
) -> Result<Estimate, Error> {
    let starts = starting_points(model, data, start, seed)?;
    let units = Units::of(model, data);
    let mut ends: Vec<Descent> = Vec::new();
    let mut refusal = None;
    for theta in &starts {
        objective.interrupt().map_or(Ok(()), Interrupt::check)?;
        let end = descent::minimise(objective, theta, &units, starts.len() == 1)?;
        let is_last = end.ends_all();
        if !end.expansion.value.is_finite() {
            // The value at the start was not finite either: no search moves from a finite value to one that
            // is not.
            refusal = match refusal {
                None => Some(not_finite(model, data, theta)?),
                known => known,
            };
            continue;
        }
        ends.push(end);
        if is_last {
            break;
        }
    }
    let Some(best) = most_trusted(&ends, model, data).cloned() else {
        return Err(refusal.unwrap_or(FitError::NotFinite { what: "objective" }).into());
    };
    let near = |end: &&Descent| {
        end.converged == best.converged
            && end.expansion.value - best.expansion.value
                <= 1e-9 * best.expansion.scale.max(best.expansion.value.abs())
    };
    let agreed = ends.iter().filter(near).count();
    let cut = ends.last().and_then(|end| end.stopped).filter(|_| best.stopped.is_none());
    let later = cut.and_then(|stop| stop.later(ends.len(), starts.len()));
    let tried = Starts { tried: starts.len(), agreed };
    Ok(finished(objective, model, data, best, start.is_some(), tried)?.cut_short(later))
}

/// The given start, or those that the model proposes.
pub(super) fn starting_points(
    model: &dyn Model,
    data: &Points,
    start: Option<&[f64]>,
    seed: u64,
) -> Result<Vec<Vec<f64>>, ModelError> {
    let found = match start {
        Some(theta) => vec![theta.to_vec()],
        None => starts(model, data, &mut stream(seed, tasks::STARTS)),
    };
    if found.is_empty() {
        return Err(ModelError::NoStart { model: model.name().to_string() });
    }
    Ok(found)
}

/// Where a search from one start ended.
pub(super) trait Ending {
    /// Whether that is a minimum.
    fn converged(&self) -> bool;

    fn theta(&self) -> &[f64];

    /// The objective there.
    fn value(&self) -> f64;
}

impl Ending for Descent {
    fn converged(&self) -> bool {
        self.converged
    }

    fn theta(&self) -> &[f64] {
        &self.theta
    }

    fn value(&self) -> f64 {
        self.expansion.value
    }
}

/// The best of several ends: minima come before points at which a search stopped; in each group, points that
/// the model considers suspicious come last, and then the lowest is first.
pub(super) fn most_trusted<'a, T: Ending>(ends: &'a [T], model: &dyn Model, data: &Points) -> Option<&'a T> {
    let is_distrusted = |theta: &[f64]| model.search().is_some_and(|s| s.suspicion(theta, data).is_some());
    let rank = |end: &T| (!end.converged(), is_distrusted(end.theta()), end.value());
    let ranked = ends.iter().map(|end| (rank(end), end));
    let better =
        |a: &(bool, bool, f64), b: &(bool, bool, f64)| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2));
    ranked.min_by(|a, b| better(&a.0, &b.0)).map(|(_, end)| end)
}

/// The estimate at the end of a search; its parameters are put in order unless the user gave the start.
fn finished(
    objective: &dyn Objective,
    model: &dyn Model,
    data: &Points,
    best: Descent,
    keep_order: bool,
    starts: Starts,
) -> Result<Estimate, Error> {
    let theta = match model.search() {
        Some(search) if !keep_order => search.in_order(best.theta.clone()),
        _ => best.theta.clone(),
    };
    let known = best.pulls.filter(|_| theta == best.theta).map(|pulls| (best.expansion, pulls));
    let (expansion, pulls) = known.map_or_else(|| objective.conclude(&theta), Ok)?;
    let factor = ScaledCholesky::new(&expansion.hessian);
    let influence = match &factor {
        Ok(factor) => factor.solve_rows(&pulls, -1.0),
        Err(_) => Matrix::zeros(0, theta.len()),
    };
    let all: Vec<usize> = (0..theta.len()).collect();
    let Descent { converged, iterations, stopped, .. } = best;
    let ended = Ended { converged, stopped, is_definite: factor.is_ok(), iterations, starts };
    let Verdict { is_sound, warnings } = judged(model, data, &theta, (&expansion, &all), ended);
    let mut estimate = Estimate::closed_form(theta, influence);
    estimate.condition = factor.ok().map(|factor| factor.condition_number());
    estimate.objective = Some(expansion.value);
    estimate.converged = is_sound;
    estimate.iterations = best.iterations;
    estimate.starts = Some(starts);
    estimate.warnings = warnings;
    Ok(estimate)
}

/// Whether the end of a search can be trusted, and the warnings if not.
pub(super) struct Verdict {
    pub(super) is_sound: bool,
    pub(super) warnings: Vec<Warning>,
}

/// How a search ended.
pub(super) struct Ended {
    pub(super) converged: bool,
    pub(super) stopped: Option<Stop>,
    /// Whether the matrices by which the influence is computed have inverses.
    pub(super) is_definite: bool,
    pub(super) iterations: usize,
    pub(super) starts: Starts,
}

/// The verdict on the end of a search; `at` is the objective in some of the parameters, and which these are.
pub(super) fn judged(
    model: &dyn Model,
    data: &Points,
    theta: &[f64],
    (at, free): (&Expansion, &[usize]),
    ended: Ended,
) -> Verdict {
    let Ended { converged, stopped, is_definite, iterations, starts } = ended;
    let mut warnings = Vec::new();
    let mut warn = |text: String| warnings.push(WarningKind::Convergence.warning(text));
    let values: Vec<f64> = free.iter().map(|k| theta[*k]).collect();
    let flattest = flattest(at, &values, &Units::of(model, data).part(free));
    let suspicion = model.search().and_then(|search| search.suspicion(theta, data));
    if let Some(stop) = stopped {
        warn(stop.sentence(iterations));
    } else if !converged || !is_definite {
        let why = if is_definite { "no minimum was reached" } else { "the Hessian is not positive definite" };
        warn(format!(
            "the search stopped after {iterations} steps without converging: {why} where it ended; try other \
             starting values, more data or fewer parameters"
        ));
    } else if let Some(k) = flattest {
        let names = model.names(data.names());
        warn(format!(
            "the data hardly determine {}: the objective is flat along it, so that neither the estimate nor \
             its standard error means anything; use a simpler model",
            names.get(free[k]).map_or("a parameter", String::as_str)
        ));
    } else if starts.tried >= 5 && starts.agreed == 1 {
        warn(format!(
            "only one of {} starts reached this minimum, so that a lower one may have been missed; give your own \
             starting values to check",
            starts.tried
        ));
    }
    let is_sound = converged && is_definite && flattest.is_none() && suspicion.is_none();
    suspicion.into_iter().for_each(warn);
    Verdict { is_sound, warnings }
}

/// Curvature below this share of the objective's scale, for a change of a parameter by its own size, is
/// rounding.
const FLAT: f64 = 1e-8;

/// The parameter along which an objective is flat, if any.
///
/// In the sizes of the parameters, the trace of the inverse Hessian bounds the smallest curvature from both
/// sides.
fn flattest(at: &Expansion, theta: &[f64], units: &Units) -> Option<usize> {
    let size = |k: usize| units.size(k, theta[k]);
    let scaled = Matrix::from_fn(theta.len(), theta.len(), |j, k| at.hessian[(j, k)] * size(j) * size(k));
    let inverse = Cholesky::new(scaled)?.inverse();
    let trace: f64 = (0..theta.len()).map(|k| inverse[(k, k)]).sum();
    let is_flat = trace * FLAT * at.scale.max(at.value.abs()) > 1.0;
    let largest = (0..theta.len()).max_by(|a, b| inverse[(*a, *a)].total_cmp(&inverse[(*b, *b)]));
    largest.filter(|_| is_flat)
}

/// The observation that makes the objective infinite at a start.
pub(super) fn not_finite(model: &dyn Model, data: &Points, theta: &[f64]) -> Result<FitError, ModelError> {
    let weights = data.weights();
    let at_data = AtPoints::new(model, data, &weights);
    let scores = scores(model, data, theta)?;
    let logs = if model.density().is_some() { at_data.log_densities(theta)? } else { Vec::new() };
    // Points without weight have zeros.
    let is_bad = |i: &usize| {
        let no_density = logs.get(*i).is_some_and(|value| !value.is_finite());
        no_density || (0..scores.columns()).any(|l| !scores[(*i, l)].is_finite())
    };
    Ok(match (0..data.len()).find(is_bad) {
        Some(row) => FitError::NotFiniteAt {
            model: model.name().to_string(),
            row: row + 1,
            point: brief_point(data.row(row)),
        },
        None => FitError::NotFinite { what: "objective" },
    })
}

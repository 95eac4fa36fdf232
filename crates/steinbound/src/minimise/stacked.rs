//! Estimates of which some parameters minimise an objective and the others solve equations.

use super::descent;
use super::estimate::{Estimate, Starts};
use super::objective::{Expansion, Objective};
use super::search::{Ended, Ending, Verdict, judged, most_trusted, not_finite, starting_points};
use crate::compute::cholesky::ScaledCholesky;
use crate::compute::elimination;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::model::{Model, Units};
use crate::points::Points;
use crate::search_limits::Stop;

/// Equations that determine some parameters, given the others.
pub(crate) trait Equations: Sync {
    /// The parameters that they determine, in the order of the equations.
    fn unknowns(&self) -> &[usize];

    /// The equations to first order.
    fn at(&self, theta: &[f64]) -> Result<Equated, Error>;

    /// Why a search ends now, if its work has reached a bound.
    fn spent(&self) -> Option<Stop> {
        None
    }

    /// Solves for the unknowns with all others held; false if there is no solution.
    fn solve(&self, theta: &mut [f64]) -> Result<bool, Error>;
}

/// Equations at some parameters.
#[derive(Debug, Clone)]
pub(crate) struct Equated {
    /// The weighted means of the contributions; zero at a solution.
    pub(crate) values: Vec<f64>,
    /// The derivatives of the values in all parameters, one row for each equation.
    pub(crate) jacobian: Matrix,
    /// The contribution of each observation, one column for each equation.
    pub(crate) contributions: Matrix,
}

/// Alternations between objective and equations.
const MOST_ROUNDS: usize = 20;

/// Once a round moves the unknowns by less than this, joint steps are tried; and after the second round, and
/// every few rounds: where components overlap, rounds approach the root slowly or not at all.
const NEAR: f64 = 0.05;

const FIRST_JOINT: usize = 2;

const SOME_ROUNDS: usize = 5;

/// Joint steps.
const MOST_STEPS: usize = 40;

/// The shortest share of a joint step.
const LEAST_SHARE: f64 = 1.0 / 64.0;

/// The longest joint step, in the units of the parameters' own sizes.
const LONGEST: f64 = 2.0;

/// A joint step this short is the last.
const CLOSE: f64 = 1e-9;

/// An objective of which some parameters are held.
struct Held<'a> {
    whole: &'a dyn Objective,
    free: &'a [usize],
    theta: Vec<f64>,
}

impl Held<'_> {
    fn at(&self, values: &[f64]) -> Vec<f64> {
        let mut theta = self.theta.clone();
        self.free.iter().zip(values).for_each(|(k, value)| theta[*k] = *value);
        theta
    }
}

impl Objective for Held<'_> {
    fn interrupt(&self) -> Option<&Interrupt> {
        self.whole.interrupt()
    }

    fn spent(&self) -> Option<Stop> {
        self.whole.spent()
    }

    fn value(&self, values: &[f64]) -> Result<f64, Error> {
        self.whole.value(&self.at(values))
    }

    fn expand(&self, values: &[f64]) -> Result<Expansion, Error> {
        Ok(part(&self.whole.expand(&self.at(values))?, self.free))
    }

    fn expand_fully(&self, values: &[f64]) -> Result<Expansion, Error> {
        Ok(part(&self.whole.expand_fully(&self.at(values))?, self.free))
    }

    fn pulls(&self, values: &[f64]) -> Result<Matrix, Error> {
        let pulls = self.whole.pulls(&self.at(values))?;
        Ok(Matrix::from_fn(pulls.rows(), self.free.len(), |i, k| pulls[(i, self.free[k])]))
    }
}

/// The expansion in some of the parameters.
fn part(whole: &Expansion, free: &[usize]) -> Expansion {
    Expansion {
        gradient: free.iter().map(|k| whole.gradient[*k]).collect(),
        hessian: Matrix::from_fn(free.len(), free.len(), |j, k| whole.hessian[(free[j], free[k])]),
        ..*whole
    }
}

/// An objective and equations together: `p` equations for `p` parameters, each in the place of the parameter
/// that it determines.
pub(crate) struct Stacked<'a> {
    objective: &'a dyn Objective,
    equations: &'a dyn Equations,
    /// The parameters that the objective determines.
    free: Vec<usize>,
    units: Units,
}

/// The end of a search from one start.
struct End {
    theta: Vec<f64>,
    expansion: Expansion,
    iterations: usize,
    converged: bool,
    stopped: Option<Stop>,
}

impl Ending for End {
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

impl<'a> Stacked<'a> {
    pub(crate) fn new(
        objective: &'a dyn Objective,
        equations: &'a dyn Equations,
        units: Units,
    ) -> Stacked<'a> {
        let free = (0..units.len()).filter(|k| !equations.unknowns().contains(k)).collect();
        Stacked { objective, equations, free, units }
    }

    /// The root from the given start, or the best of those from the starts that the model proposes.
    ///
    /// # Definition
    ///
    /// With `S` the objective, `b` the parameters that it determines and `u` the equations for the others, `a`,
    /// the root of `dS/db = 0` and `u = 0` at which `S` has a minimum in `b`. A search alternates between
    /// minimising `S` in `b` and solving `u = 0` for `a`, each of which descends or is unique, and then takes
    /// damped Newton steps in all. The influence of an observation is `-J^-1 (s_i, m_i)`, with `J` the Jacobian of
    /// the stack, `s_i` the pull of the observation on `dS/db` and `m_i` its contribution to `u`.
    pub(crate) fn search(
        &self,
        model: &dyn Model,
        data: &Points,
        start: Option<&[f64]>,
        seed: u64,
    ) -> Result<Estimate, Error> {
        let starts = starting_points(model, data, start, seed)?;
        let mut ends = Vec::new();
        for theta in &starts {
            self.objective.interrupt().map_or(Ok(()), Interrupt::check)?;
            let end = self.descend(theta.clone())?;
            let is_last = end.as_ref().and_then(|end| end.stopped).is_some_and(Stop::ends_all);
            ends.extend(end);
            if is_last {
                break;
            }
        }
        let Some(best) = most_trusted(&ends, model, data) else {
            let refusal = not_finite(model, data, &starts[0])?;
            return Err(refusal.into());
        };
        let close = 1e-9 * best.expansion.scale.max(best.expansion.value.abs());
        let near = |end: &&End| {
            end.converged == best.converged && end.expansion.value - best.expansion.value <= close
        };
        let tried = Starts { tried: starts.len(), agreed: ends.iter().filter(near).count() };
        let theta = match model.search() {
            Some(search) if start.is_none() => search.in_order(best.theta.clone()),
            _ => best.theta.clone(),
        };
        let cut = ends.last().and_then(|end| end.stopped).filter(|_| best.stopped.is_none());
        let later = cut.and_then(|stop| stop.later(ends.len(), starts.len()));
        Ok(self.concluded(model, data, theta, best, tried)?.cut_short(later))
    }

    fn concluded(
        &self,
        model: &dyn Model,
        data: &Points,
        theta: Vec<f64>,
        best: &End,
        starts: Starts,
    ) -> Result<Estimate, Error> {
        let (expansion, pulls) = self.objective.conclude(&theta)?;
        let equated = self.equations.at(&theta)?;
        let (_, jacobian) = self.rows(&expansion, &equated, theta.len());
        let mut stacked = pulls;
        for (j, k) in self.equations.unknowns().iter().enumerate() {
            stacked.column_mut(*k).copy_from_slice(equated.contributions.column(j));
        }
        let influence = elimination::solve(&jacobian, &stacked.transpose());
        let of_free = part(&expansion, &self.free);
        let factor = ScaledCholesky::new(&of_free.hessian);
        let is_definite = factor.is_ok() && influence.is_some();
        let End { converged, iterations, stopped, .. } = *best;
        let ended = Ended { converged, stopped, is_definite, iterations, starts };
        let Verdict { is_sound, warnings } = judged(model, data, &theta, (&of_free, &self.free), ended);
        let influence = influence.map_or_else(
            || Matrix::zeros(0, theta.len()),
            |columns| Matrix::from_fn(columns.columns(), columns.rows(), |i, k| -columns[(k, i)]),
        );
        let mut estimate = Estimate::closed_form(theta, influence);
        estimate.condition = factor.ok().map(|factor| factor.condition_number());
        estimate.objective = Some(expansion.value);
        estimate.converged = is_sound;
        estimate.iterations = best.iterations;
        estimate.starts = Some(starts);
        estimate.warnings = warnings;
        Ok(estimate)
    }

    /// Values and Jacobian of the stack.
    fn rows(&self, expansion: &Expansion, equated: &Equated, parameters: usize) -> (Vec<f64>, Matrix) {
        let mut values = expansion.gradient.clone();
        let mut jacobian = expansion.hessian.clone();
        for (j, k) in self.equations.unknowns().iter().enumerate() {
            values[*k] = equated.values[j];
            (0..parameters).for_each(|c| jacobian[(*k, c)] = equated.jacobian[(j, c)]);
        }
        (values, jacobian)
    }

    /// The end of a search from a start; `None` if the objective is undefined there.
    fn descend(&self, mut theta: Vec<f64>) -> Result<Option<End>, Error> {
        let (mut iterations, mut stopped) = (0, None);
        let mut is_solved = self.equations.solve(&mut theta)?;
        for round in 1..=MOST_ROUNDS {
            let held = Held { whole: self.objective, free: &self.free, theta: theta.clone() };
            let values: Vec<f64> = self.free.iter().map(|k| theta[*k]).collect();
            let found = descent::minimise(&held, &values, &self.units.part(&self.free), false)?;
            if !found.expansion.value.is_finite() {
                return Ok(None);
            }
            iterations += found.iterations;
            theta = held.at(&found.theta);
            let before = theta.clone();
            is_solved = is_solved && self.equations.solve(&mut theta)?;
            if !is_solved || !found.converged {
                stopped = found.stopped.or_else(|| self.equations.spent());
                break;
            }
            let moved = theta.iter().zip(&before).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            let is_due = moved < NEAR || round == FIRST_JOINT || round % SOME_ROUNDS == 0;
            if let Some(end) = if is_due { self.polish(&theta, iterations)? } else { None } {
                return Ok(Some(end));
            }
        }
        let expansion = self.objective.expand(&theta)?;
        Ok(Some(End { theta, expansion, iterations, converged: false, stopped }))
    }

    /// Newton steps in all parameters; `None` unless they end at a minimum in those of the objective.
    ///
    /// A step is halved until the next one, by the same Jacobian, is shorter in proportion: a test that does
    /// not depend on the units of the equations (Deuflhard, *Newton Methods for Nonlinear Problems*, 3.2).
    fn polish(&self, near: &[f64], mut iterations: usize) -> Result<Option<End>, Error> {
        let mut theta = near.to_vec();
        let (mut expansion, mut values, mut jacobian) = self.stack(&theta)?;
        for _ in 0..MOST_STEPS {
            self.objective.interrupt().map_or(Ok(()), Interrupt::check)?;
            if self.equations.spent().is_some() {
                return Ok(None);
            }
            let newton = |values: &[f64]| {
                elimination::solve(&jacobian, &Matrix::from_fn(values.len(), 1, |k, _| -values[k]))
            };
            let size = |step: &Matrix| self.units.length(&theta, step.values());
            let Some(step) = newton(&values) else { return Ok(None) };
            let length = size(&step);
            let is_last = length < CLOSE;
            let mut share = (LONGEST / length).min(1.0);
            let (moved, next) = loop {
                let both = theta.iter().zip(step.values());
                let moved: Vec<f64> = both.map(|(t, s)| t + share * s).collect();
                let next = self.stack(&moved)?;
                let shrinks = newton(&next.1).is_some_and(|next| size(&next) <= (1.0 - 0.5 * share) * length);
                if shrinks || is_last {
                    break (moved, next);
                }
                share *= 0.5;
                // Near the end a step that does not shrink is rounding.
                if share < LEAST_SHARE && length < 1e-6 {
                    break (theta.clone(), (expansion.clone(), values.clone(), jacobian.clone()));
                }
                if share < LEAST_SHARE {
                    return Ok(None);
                }
            };
            let is_last = is_last || share < LEAST_SHARE;
            iterations += 1;
            theta = moved;
            (expansion, values, jacobian) = next;
            if is_last {
                let is_minimum = ScaledCholesky::new(&part(&expansion, &self.free).hessian).is_ok();
                return Ok(is_minimum.then_some(End {
                    theta,
                    expansion,
                    iterations,
                    converged: true,
                    stopped: None,
                }));
            }
        }
        Ok(None)
    }

    /// The objective, and values and Jacobian of the stack.
    fn stack(&self, theta: &[f64]) -> Result<(Expansion, Vec<f64>, Matrix), Error> {
        let expansion = self.objective.expand_fully(theta)?;
        let (values, jacobian) = self.rows(&expansion, &self.equations.at(theta)?, theta.len());
        Ok((expansion, values, jacobian))
    }
}

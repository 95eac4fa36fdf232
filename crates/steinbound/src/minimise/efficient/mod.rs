//! Efficient Stein estimation: moment equations over test fields, with optimal weights.

mod discrepancy;
mod known;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use discrepancy::Discrepancy;
use known::{Known, newton_step};

use crate::compute::cholesky::{Cholesky, ScaledCholesky};
use crate::compute::{dot, solve_square};
use crate::engine::ScaledPoints;
use crate::error::{Error, FitError, KernelError};
use crate::interrupt::Interrupt;
use crate::matrix::{Matrix, add_scaled};
use crate::minimise::estimate::{Estimate, affine_score, centred, features, start_less};
use crate::minimise::objective::linearised_features;
use crate::minimise::pace::Pace;
use crate::minimise::search::search;
use crate::minimise::stacked::{Equations as Determining, Stacked};
use crate::minimise::stein_objective::SteinObjective;
use crate::model::{AtPoints, LinearScore, Model, Units, Wanted};
use crate::points::Points;
use crate::search_limits::Stop;
use crate::stein::{Leverage, MeanFeatures, Penalised, Penalty, Statistic, Sums};
use crate::warning::WarningKind;

/// How many times the weights are computed, each time at the estimate before.
const ROUNDS: usize = 2;

/// The ridge of the weights, `lambda = RIDGE / sqrt(n)`, relative to the trace of the covariance.
///
/// Half of it makes intervals too short in small samples (two modes in a box, 900 observations, a tenth of it:
/// coverage .93), and twice as much costs precision (regression, 100 and 400 observations, 800 samples: errors of
/// 1.07 and 1.04 times those of truncated likelihood, with twice the ridge 1.12 and 1.06).
pub(crate) const RIDGE: f64 = 0.25;

/// Rows beyond this number do not make the weights better: their covariance is that of every so many rows.
const MOST_WEIGHING_ROWS: usize = 200_000;

/// A mean leverage below this is left out of standard errors.
const NEGLIGIBLE_LEVERAGE: f64 = 1e-4;

/// A leverage counts as at most this: one observation alone would otherwise decide the standard error.
const LARGEST_LEVERAGE: f64 = 0.9;

/// Scores and their derivatives in so many columns have an exact Hessian at each step of the search for the first
/// estimate. With more, steps without it are faster: a fit with 200 columns and 1,000 observations took 45 s with it
/// and 13 s without.
const MOST_EXACT: usize = 100;

/// The most steps of Newton's method.
const MOST_STEPS: usize = 50;

/// A step shorter than this, relative to the parameters, is the last.
const LAST_STEP: f64 = 1e-9;

/// Data, model and test fields, from which moment equations are made.
#[derive(Clone, Copy)]
pub(crate) struct EfficientTask<'a> {
    pub(crate) form: &'a Penalised,
    pub(crate) model: &'a dyn Model,
    pub(crate) data: &'a Points<'a>,
    /// Observation weights of mean 1.
    pub(crate) weights: &'a [f64],
    pub(crate) start: Option<&'a [f64]>,
    /// The ridge of the weights, [`RIDGE`] but in tests.
    pub(crate) ridge: f64,
    /// Equations that determine some parameters in place of moments, such as the counts of a mixture's
    /// components, at the data less their origin.
    pub(crate) counts: Option<&'a dyn Determining>,
    pub(crate) seed: u64,
    pub(crate) interrupt: &'a Interrupt,
}

impl EfficientTask<'_> {
    /// The parameters that moment equations determine.
    fn free(&self) -> Vec<usize> {
        let counted = self.counts.map_or(&[][..], |counts| counts.unknowns());
        (0..self.model.parameters()).filter(|k| !counted.contains(k)).collect()
    }
}

/// The effective number of observations: as many equal weights would have the same sum of squares.
pub(crate) fn effective_observations(weights: &[f64]) -> f64 {
    weights.iter().sum::<f64>().powi(2) / dot(weights, weights)
}

/// An estimate with the sums that other penalties need.
pub(crate) struct EfficientSolution {
    /// The estimate, in parameters for the data themselves.
    pub(crate) estimate: Estimate,
    /// The estimate in parameters for the data less the origin.
    centred: Vec<f64>,
    origin: Vec<f64>,
    /// The parameters that moment equations determine.
    free: Vec<usize>,
    at_estimate: Known,
    covariance: Covariance,
}

/// The covariance of Stein features and what its ridge is relative to.
struct Covariance {
    matrix: Matrix,
    /// The trace in functions of unit norm, times `lambda`.
    ridge: f64,
}

impl Covariance {
    /// `W = S + lambda tr(S) P`, factorised.
    fn with(&self, penalty: &Penalty) -> Result<Cholesky, KernelError> {
        let mut sum = self.matrix.clone();
        add_scaled(sum.values_mut(), self.ridge, penalty.matrix().values());
        Cholesky::new(sum).ok_or(KernelError::SingularFields)
    }
}

/// Estimates the parameters.
///
/// # Definition
///
/// With the Stein features `g(x; theta)` of the form's [`TestFields`](crate::stein::TestFields), their weighted
/// mean `gbar`, `Q = d gbar / d theta` and the [`Penalty`] `P`:
///
/// 1. `theta_0 = argmin gbar' P^-1 gbar`;
/// 2. twice: `S` the covariance of `g` at the last estimate, `c = (S + lambda tr(S) P)^-1 Q` with
///    `lambda = 0.25 / sqrt(n)`, and the new estimate solves the `p` equations `c' gbar(theta) = 0`.
///
/// The columns of `c` are the test fields whose Stein transforms are closest to the derivative of the
/// log-likelihood in each parameter, as far as the penalty allows: with `lambda` to infinity step 2 stays at
/// `theta_0`, with `lambda = 0` and many landmarks it is the maximum of the truncated likelihood.
///
/// The influence of an observation is `-(c' Q)^-1 c' (g_i - gbar) / (1 - h_i)`, with its leverage on the weights
/// `h_i = w_i g_i' W^-1 g_i`, observation weights summing to one: the weights were made from the same data, and
/// without the correction standard errors of small samples are too small.
///
/// Where other equations `u(theta) = 0` determine some parameters ([`EfficientTask::counts`]), weights `c` are made
/// for the remaining ones, in whose columns of `Q`, and `c' gbar = 0` and `u = 0` are solved together: for log-weights
/// of a mixture `u` is their part of the derivative of the truncated log-likelihood, so that the whole is again close
/// to it. The influence of an observation is `-J^-1 (c' (g_i - gbar) / (1 - h_i), m_i)` with the Jacobian `J` of the
/// stack and the contributions `m_i` to `u`, whose weights are not estimated.
///
/// # Reference
///
/// Hansen, *Large Sample Properties of Generalized Method of Moments Estimators*, 1982; Carrasco and Florens,
/// *Generalization of GMM to a Continuum of Moment Conditions*, 2000, for the ridge.
pub(crate) fn minimise(task: &EfficientTask) -> Result<EfficientSolution, Error> {
    let equations = Equations::new(task)?;
    let free = task.free();
    let fields = task.form.fields();
    if fields.features() < free.len() {
        let (parameters, features) = (free.len(), fields.features());
        return Err(FitError::MoreParametersThanFeatures { parameters, features }.into());
    }
    let mut estimate = equations.first()?;
    let Some(mut theta) = estimate.theta.clone() else {
        return Err(FitError::NotFinite { what: "first estimate" }.into());
    };
    let observations = effective_observations(task.weights);
    let mut known = equations.known(&theta)?;
    let mut weighed = None;
    for _ in 0..ROUNDS {
        let covariance = equations.covariance(&theta, observations)?;
        let factor = covariance.with(task.form.penalty())?;
        let weights = optimal_weights(&factor, &known.slopes(&free));
        let (found, end) = equations.solve(&weights, &theta)?;
        if let End::Stopped(stop, iterations) = end
            && estimate.warnings.is_empty()
        {
            estimate.warnings.push(WarningKind::Convergence.warning(stop.sentence(iterations)));
        }
        estimate.converged &= matches!(end, End::Found);
        theta = found;
        known = equations.known(&theta)?;
        weighed = Some((covariance, factor, weights));
    }
    let Some((covariance, factor, weights)) = weighed else {
        return Err(FitError::NotFinite { what: "estimate" }.into());
    };
    if !estimate.converged && estimate.warnings.is_empty() {
        estimate.warnings.push(WarningKind::Convergence.warning(
            "the weighted moment equations have no solution near the first estimate; try other starting \
             values, more data or fewer parameters",
        ));
    }
    if let Some(search) = task.model.search().filter(|_| task.model.affine().is_none())
        && let Some(suspicion) = search.suspicion(&theta, &equations.points)
    {
        estimate.converged = false;
        let suspicion = WarningKind::Convergence.warning(suspicion);
        if !estimate.warnings.contains(&suspicion) {
            estimate.warnings.push(suspicion);
        }
    }
    estimate.influence = match equations.influence(&theta, &known, &weights, &factor) {
        // What went wrong is in the warnings.
        Err(Error::Fit(FitError::NotIdentified { .. })) if !estimate.converged => {
            Matrix::zeros(0, theta.len())
        }
        found => found?,
    };
    let slope = symmetric(&weights.transpose().times(&known.slopes(&free)));
    estimate.condition = ScaledCholesky::new(&slope).ok().map(|factor| factor.condition_number());
    estimate.discrepancy_squared = Some(squared_discrepancy(task.form.factor(), &known.moments.mean));
    estimate.objective = None;
    estimate.theta = Some(theta.clone());
    let origin = equations.origin;
    let estimate = estimate.moved_back(task.model, &origin);
    Ok(EfficientSolution { estimate, centred: theta, origin, free, at_estimate: known, covariance })
}

impl EfficientSolution {
    /// The change of the estimate under another penalty, in parameters for the data themselves: one step of
    /// Newton's method with the weights of that penalty, exact for affine scores. No pass over the data.
    pub(crate) fn move_under(&self, model: &dyn Model, penalty: &Penalty) -> Result<Vec<f64>, Error> {
        let factor = self.covariance.with(penalty)?;
        let weights = optimal_weights(&factor, &self.at_estimate.slopes(&self.free));
        let step = newton_step(&weights, &self.at_estimate)?;
        let moved: Vec<f64> = self.centred.iter().zip(&step).map(|(t, s)| t + s).collect();
        let back = |theta: &[f64]| {
            model.translate(theta, &self.origin).map_or_else(|| theta.to_vec(), |moved| moved.0)
        };
        Ok(back(&moved).iter().zip(back(&self.centred)).map(|(a, b)| a - b).collect())
    }
}

/// `c = W^-1 Q`.
fn optimal_weights(factor: &Cholesky, jacobian: &Matrix) -> Matrix {
    let mut weights = jacobian.clone();
    factor.solve(&mut weights);
    weights
}

/// `gbar' P^-1 gbar`.
fn squared_discrepancy(penalty: &Cholesky, mean: &[f64]) -> f64 {
    let mut root = Matrix::from_fn(mean.len(), 1, |i, _| mean[i]);
    penalty.solve_lower(&mut root);
    dot(root.column(0), root.column(0))
}

fn symmetric(matrix: &Matrix) -> Matrix {
    Matrix::from_fn(matrix.rows(), matrix.columns(), |i, j| 0.5 * (matrix[(i, j)] + matrix[(j, i)]))
}

/// How a search for a solution ended.
#[derive(Clone, Copy)]
enum End {
    Found,
    /// There is none nearby.
    Lost,
    /// It was ended after some steps.
    Stopped(Stop, usize),
}

/// The Stein features of a model at data less an origin.
struct Equations<'a> {
    task: &'a EfficientTask<'a>,
    origin: Vec<f64>,
    points: Points<'a>,
    units: Units,
    /// For affine scores, the sums that give mean features at any parameters.
    affine: Option<(LinearScore, Sums)>,
    /// The rows that are enough for a covariance, where there are many.
    subset: Option<Subset>,
}

/// Rows at even steps.
struct Subset {
    /// Less the origin.
    points: Points<'static>,
    scaled: Arc<ScaledPoints>,
    weights: Vec<f64>,
}

impl Subset {
    /// `None` where all rows are needed.
    fn of(task: &EfficientTask, centred: &Points) -> Result<Option<Subset>, Error> {
        let step = centred.len().div_ceil(MOST_WEIGHING_ROWS);
        if step <= 1 {
            return Ok(None);
        }
        let some = |of: &Points| Points::from_rows(&of.rows().step_by(step).collect::<Vec<_>>());
        let scaled = task.form.fields().scaled(&some(task.data)?)?;
        let weights = task.weights.iter().step_by(step).copied().collect();
        Ok(Some(Subset { points: some(centred)?, scaled, weights }))
    }
}

impl<'a> Equations<'a> {
    fn new(task: &'a EfficientTask<'a>) -> Result<Equations<'a>, Error> {
        let (origin, points) = centred(task.model, task.data);
        let affine = match task.model.affine() {
            None => None,
            Some(_) => {
                let (affine, score) = affine_score(task.model)?;
                let features = features(affine, &points, &score);
                let sums = task.form.fields().sums_of(task.form.data(), &features, task.weights)?;
                Some((score, sums))
            }
        };
        let subset = Subset::of(task, &points)?;
        let units = Units::of(task.model, &points);
        Ok(Equations { task, origin, points, units, affine, subset })
    }

    fn at<'b>(&'b self, points: &'b Points, weights: &'b [f64]) -> AtPoints<'b> {
        AtPoints::new(self.task.model, points, weights).until(self.task.interrupt)
    }

    fn mean_features(&self, theta: &[f64]) -> Result<MeanFeatures, Error> {
        let found = match &self.affine {
            Some((score, sums)) => sums.mean_features(score, theta),
            None => {
                let (coordinates, parameters) = (self.task.form.fields().coordinates(), theta.len());
                let score = LinearScore::linearised(coordinates, parameters);
                let features = linearised_features(self.at(&self.points, self.task.weights), theta)?;
                let form = self.task.form;
                let sums = form.fields().sums_of(form.data(), &features, self.task.weights)?;
                sums.mean_features(&score, &vec![0.0; parameters])
            }
        };
        self.task.interrupt.check()?;
        if found.mean.iter().chain(found.jacobian.values()).any(|v| !v.is_finite()) {
            return Err(FitError::NotFinite { what: "score" }.into());
        }
        Ok(found)
    }

    /// Moments and counts at some parameters.
    fn known(&self, theta: &[f64]) -> Result<Known, Error> {
        let moments = self.mean_features(theta)?;
        Ok(Known { moments, counts: self.task.counts.map(|counts| counts.at(theta)).transpose()? })
    }

    fn scores(&self, points: &Points, weights: &[f64], theta: &[f64]) -> Result<Matrix, Error> {
        Ok(self.at(points, weights).derivatives(theta, Wanted { score: true, ..Wanted::default() })?)
    }

    /// The minimum of the penalised discrepancy.
    fn first(&self) -> Result<Estimate, Error> {
        let EfficientTask { form, model, weights, start, seed, interrupt, .. } = *self.task;
        let Some((_, _)) = &self.affine else {
            let start = start.map(|theta| start_less(model, theta, &self.origin));
            let statistic = Statistic::V;
            let objective = SteinObjective::new(form, model, &self.points, weights, statistic, interrupt)?;
            if let Some(counts) = self.task.counts {
                let stacked = Stacked::new(&objective, counts, self.units.clone());
                return stacked.search(model, &self.points, start.as_deref(), seed);
            }
            let columns = form.fields().coordinates() * (1 + model.parameters());
            if columns <= MOST_EXACT {
                return search(&objective, model, &self.points, start.as_deref(), seed);
            }
            let objective = Discrepancy::new(objective, self)?;
            return search(&objective, model, &self.points, start.as_deref(), seed);
        };
        let zero = vec![0.0; model.parameters()];
        let at_zero = self.known(&zero)?;
        let weights = optimal_weights(form.factor(), &at_zero.moments.jacobian);
        let normal = symmetric(&weights.transpose().times(&at_zero.moments.jacobian));
        ScaledCholesky::new(&normal).map_err(|condition| FitError::NotIdentified { condition })?;
        let theta = newton_step(&weights, &at_zero)?;
        Ok(Estimate::closed_form(theta, Matrix::zeros(0, model.parameters())))
    }

    /// The covariance of the features at some parameters.
    fn covariance(&self, theta: &[f64], observations: f64) -> Result<Covariance, Error> {
        let form = self.task.form;
        let (points, data, weights) = match &self.subset {
            Some(some) => (&some.points, &some.scaled, some.weights.as_slice()),
            None => (&self.points, form.data(), self.task.weights),
        };
        let scores = self.scores(points, weights, theta)?;
        let squares = form.fields().squares_of(data, &scores, weights)?;
        let matrix = squares.covariance();
        let ridge = self.task.ridge / observations.sqrt() * form.fields().trace(&matrix)?;
        if !(ridge > 0.0 && ridge.is_finite()) {
            return Err(FitError::NotFinite { what: "covariance of the moment equations" }.into());
        }
        Ok(Covariance { matrix, ridge })
    }

    /// The solution of `c' gbar(theta) = 0` near some parameters, and whether it was found.
    fn solve(&self, weights: &Matrix, start: &[f64]) -> Result<(Vec<f64>, End), Error> {
        let mut theta = start.to_vec();
        let mut here = self.known(&theta)?;
        let moved = |theta: &[f64], step: &[f64], share: f64| -> Vec<f64> {
            theta.iter().zip(step).map(|(t, s)| t + share * s).collect()
        };
        if self.affine.is_some() {
            let step = newton_step(weights, &here)?;
            return Ok((moved(&theta, &step, 1.0), End::Found));
        }
        let mut pace = Pace::new(Some(self.task.interrupt));
        for iterations in 0..MOST_STEPS {
            let value = squared_discrepancy(self.task.form.factor(), &here.moments.mean);
            let spent = || self.task.counts.and_then(|counts| counts.spent());
            if let Some(stop) = pace.stop(iterations, value)?.or_else(spent) {
                return Ok((theta, End::Stopped(stop, iterations)));
            }
            // Without a solution of the linear equations the search ends here, unsuccessfully.
            let Ok(step) = newton_step(weights, &here) else { return Ok((theta, End::Lost)) };
            let length = self.units.length(&theta, &step);
            if length < LAST_STEP || pace.is_short(length) {
                return Ok((moved(&theta, &step, 1.0), End::Found));
            }
            let Some((next, there)) = self.shortened(weights, &here, &theta, &step)? else {
                return Ok((theta, End::Lost));
            };
            (theta, here) = (next, there);
        }
        Ok((theta, End::Lost))
    }

    /// The step, or a part of it that brings the equations closer to zero; `None` if none does.
    fn shortened(
        &self,
        weights: &Matrix,
        here: &Known,
        theta: &[f64],
        step: &[f64],
    ) -> Result<Option<(Vec<f64>, Known)>, Error> {
        let slope = here.slope(weights);
        // The remaining equations, in the units of parameters.
        let left = |at: &Known| {
            let right = at.values(weights);
            let right = Matrix::from_fn(right.len(), 1, |k, _| right[k]);
            let square = |(k, left): (usize, &f64)| (left / self.units.unit(k)).powi(2);
            solve_square(&slope, &right)
                .map_or(f64::INFINITY, |left| left.column(0).iter().enumerate().map(square).sum())
        };
        let before = left(here);
        let mut share = 1.0;
        while share > 1e-3 {
            let next: Vec<f64> = theta.iter().zip(step).map(|(t, s)| t + share * s).collect();
            match self.known(&next) {
                Ok(there) if left(&there) < before => return Ok(Some((next, there))),
                Err(error) if error.is_interrupted() => return Err(error),
                _ => share *= 0.5,
            }
        }
        Ok(None)
    }

    /// The influence of each observation on the parameters.
    fn influence(
        &self,
        theta: &[f64],
        at: &Known,
        weights: &Matrix,
        factor: &Cholesky,
    ) -> Result<Matrix, Error> {
        let form = self.task.form;
        let total: f64 = self.task.weights.iter().sum();
        let shares: Vec<f64> = self.task.weights.iter().map(|weight| weight / total).collect();
        let fields = form.fields();
        let is_negligible =
            (fields.features() as f64) < NEGLIGIBLE_LEVERAGE * effective_observations(self.task.weights);
        let leverage = (!is_negligible).then_some(Leverage { factor, weights: &shares });
        let scores = self.scores(&self.points, self.task.weights, theta)?;
        let (combined, leverages) =
            fields.combined(form.data(), &scores, &at.moments.mean, weights, leverage)?;
        let moments = combined.columns();
        let mut right = at.with_contributions(&combined).transpose();
        for (i, leverage) in leverages.iter().enumerate() {
            let factor = -1.0 / (1.0 - leverage.min(LARGEST_LEVERAGE));
            let (of_moments, of_counts) = right.column_mut(i).split_at_mut(moments);
            of_moments.iter_mut().for_each(|m| *m *= factor);
            of_counts.iter_mut().for_each(|m| *m = -*m);
        }
        let influence = solve_square(&at.slope(weights), &right);
        let influence = influence.ok_or(FitError::NotIdentified { condition: f64::INFINITY })?;
        Ok(influence.transpose())
    }
}

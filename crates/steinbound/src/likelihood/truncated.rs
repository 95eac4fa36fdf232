//! Maximum likelihood of a truncated density, with its normaliser as a sum over nodes.

use std::sync::Arc;

use rayon::prelude::*;

use super::Truncated;
use super::nodes::{DETERMINISTIC, FINEST, IntegrationRule};
use super::work::Work;
use crate::compute::cholesky::ScaledCholesky;
use crate::domain::{BoundaryDistance, Domain};
use crate::error::{ANOTHER_METHOD, DomainError, Error, FitError, Interrupted, ModelError};
use crate::interrupt::Interrupt;
use crate::matrix::{Matrix, add_scaled};
use crate::minimise::{Estimate, Expansion, Objective, centred, search, start_less};
use crate::model::{AtPoints, Density, Model, difference_steps, information_scales, starts};
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::score_matching::{self, BoundaryWeight};
use crate::search_limits::Stop;
use crate::warning::WarningKind;

/// The mean negative log-likelihood, `-mean_i log p(x_i) + log Z`.
///
/// With `E` the expectation under the truncated density (a sum over the nodes), the gradient is `E[grad log
/// p] - mean_i grad log p(x_i)`. The Hessian is the covariance of `grad log p` under that density (Fisher's
/// information), and where the score is not affine in the parameters also `E[hess log p] - mean_i hess log
/// p(x_i)`.
///
/// Without nodes the density is taken to be normalised already, as that of the whole space: `log Z` and its
/// derivatives are zero.
pub(super) struct Likelihood<'a> {
    model: &'a dyn Model,
    density: &'a dyn Density,
    data: &'a Points<'a>,
    /// Weights that sum to one.
    shares: Vec<f64>,
    nodes: Option<IntegrationRule>,
    work: Work,
    interrupt: &'a Interrupt,
}

/// A likelihood to first order.
pub(super) struct FirstOrder {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) pulls: Matrix,
}

/// The second-order terms that a sum over the nodes includes besides the gradient.
#[derive(Debug, Clone, Copy)]
enum Second<'a> {
    Nothing,
    /// The second moments of the gradient.
    Moments,
    /// The same and the second derivatives of the log-density, with these steps for differences.
    Curved(&'a [f64]),
}

/// The truncated density at the nodes.
struct Expected {
    log_normaliser: f64,
    gradient: Vec<f64>,
    /// The second-order terms, `p` by `p`.
    second: Vec<f64>,
}

/// The least number of nodes that must carry the mass of a density.
const LEAST_NODES: f64 = 4.0;

/// Nodes in a block of a sum; blocks are added in order, for any number of threads.
const BLOCK: usize = 512;

impl<'a> Likelihood<'a> {
    fn new(
        task: &Truncated<'a>,
        density: &'a dyn Density,
        data: &'a Points<'a>,
        nodes: IntegrationRule,
        work: &Work,
    ) -> Likelihood<'a> {
        let Truncated { model, weights, interrupt, .. } = *task;
        Likelihood::over(model, density, data, weights, Some(nodes), work, interrupt)
    }

    pub(super) fn over(
        model: &'a dyn Model,
        density: &'a dyn Density,
        data: &'a Points<'a>,
        weights: &[f64],
        nodes: Option<IntegrationRule>,
        work: &Work,
        interrupt: &'a Interrupt,
    ) -> Likelihood<'a> {
        let total: f64 = weights.iter().sum();
        let shares = weights.iter().map(|w| w / total).collect();
        Likelihood { model, density, data, shares, nodes, work: work.clone(), interrupt }
    }

    fn at_data(&self) -> AtPoints<'_> {
        AtPoints::new(self.model, self.data, &self.shares).until(self.interrupt)
    }

    fn at_nodes<'b>(&'b self, nodes: &'b IntegrationRule) -> AtPoints<'b> {
        AtPoints::all(self.model, &nodes.points).until(self.interrupt)
    }

    /// `log p` plus the log-weight at every node, and the log of their sum.
    fn masses(&self, theta: &[f64]) -> Result<(Vec<f64>, f64), Error> {
        let Some(nodes) = &self.nodes else { return Ok((Vec::new(), 0.0)) };
        self.work.spend(nodes.points.len(), 1);
        let mut logs = self.at_nodes(nodes).log_densities(theta)?;
        add_scaled(&mut logs, 1.0, &nodes.log_weights);
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let add = |(sum, square): (f64, f64), mass: f64| (sum + mass, square + mass * mass);
        let of_block = |part: &[f64]| part.iter().map(|v| (v - largest).exp()).fold((0.0, 0.0), add);
        let blocks: Vec<(f64, f64)> = logs.par_chunks(BLOCK).map(of_block).collect();
        let (sum, square) = blocks.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        // A density concentrated between the nodes has no reliable normaliser.
        let effective = sum * sum / square;
        let log_normaliser = if effective < LEAST_NODES { f64::NAN } else { largest + sum.ln() };
        Ok((logs, log_normaliser))
    }

    fn expected(&self, theta: &[f64], second: Second) -> Result<Expected, Error> {
        let p = theta.len();
        let Some(nodes) = &self.nodes else {
            return Ok(Expected {
                log_normaliser: 0.0,
                gradient: vec![0.0; p],
                second: vec![0.0; if matches!(second, Second::Nothing) { 0 } else { p * p }],
            });
        };
        self.work.spend(nodes.points.len(), p);
        let (logs, log_normaliser) = self.masses(theta)?;
        let gradients = self.at_nodes(nodes).log_density_gradients(theta)?;
        let share_of = |log: f64| (log - log_normaliser).exp();
        let whole_curvature = match second {
            Second::Curved(steps) => {
                let shares: Vec<f64> = logs.iter().map(|log| share_of(*log)).collect();
                AtPoints { weights: Some(&shares), ..self.at_nodes(nodes) }
                    .log_density_curvature(theta, steps)?
            }
            _ => None,
        };
        let size = p + if matches!(second, Second::Nothing) { 0 } else { p * p };
        let of_block = |(block, part): (usize, &[f64])| {
            self.interrupt.check()?;
            let mut sums = vec![0.0; size];
            let (mean, products) = sums.split_at_mut(p);
            let mut gradient = vec![0.0; p];
            for (j, log) in part.iter().enumerate() {
                let share = share_of(*log);
                // Where the density vanishes its logarithm may have no derivative.
                if share == 0.0 {
                    continue;
                }
                let q = block * BLOCK + j;
                gradients.write(q, &mut gradient);
                add_scaled(mean, share, &gradient);
                for (row, own) in products.chunks_exact_mut(p).zip(&gradient) {
                    add_scaled(row, share * own, &gradient);
                }
                if let (Second::Curved(steps), None) = (second, &whole_curvature) {
                    let x = nodes.points.row(q);
                    self.density.add_log_density_curvature(x, theta, share, steps, products);
                }
            }
            Ok(sums)
        };
        let sums: Result<Vec<Vec<f64>>, Interrupted> =
            logs.par_chunks(BLOCK).enumerate().map(of_block).collect();
        let mut total = vec![0.0; size];
        for sum in sums? {
            add_scaled(&mut total, 1.0, &sum);
        }
        let mut second = total.split_off(p);
        if let Some(whole) = whole_curvature {
            add_scaled(&mut second, 1.0, &whole);
        }
        Ok(Expected { log_normaliser, gradient: total, second })
    }

    fn gradients(&self, theta: &[f64]) -> Result<Matrix, Error> {
        Ok(self.at_data().log_density_gradients(theta)?.into_matrix())
    }

    fn gradient(&self, gradients: &Matrix, expected: &Expected) -> Vec<f64> {
        let mean = |k: usize| {
            let both = gradients.column(k).iter().zip(&self.shares);
            both.map(|(g, w)| g * w).sum::<f64>()
        };
        (0..gradients.columns()).map(|k| expected.gradient[k] - mean(k)).collect()
    }

    /// The expansion, and the pull of each observation.
    pub(super) fn expansion(&self, theta: &[f64], fully: bool) -> Result<(Expansion, Matrix), Error> {
        let (p, is_affine) = (theta.len(), self.model.affine().is_some());
        let gradients = self.gradients(theta)?;
        let steps = difference_steps(theta, information_scales(&gradients));
        let is_curved = fully && !is_affine;
        let mut expected =
            self.expected(theta, if is_curved { Second::Curved(&steps) } else { Second::Moments })?;
        if is_curved {
            let weights: Vec<f64> = self.shares.iter().map(|share| -share).collect();
            let at_data = AtPoints { weights: Some(&weights), ..self.at_data() };
            let point_by_point = || {
                at_data.sum(p, |i, x, _, sum| {
                    self.density.add_log_density_curvature(x, theta, weights[i], &steps, sum);
                })
            };
            let of_data = at_data.log_density_curvature(theta, &steps)?.unwrap_or_else(point_by_point);
            add_scaled(&mut expected.second, 1.0, &of_data);
        }
        let Expected { log_normaliser, gradient: mean, second } = &expected;
        let expansion = Expansion {
            value: self.value_with(theta, *log_normaliser)?,
            scale: 1.0,
            gradient: self.gradient(&gradients, &expected),
            hessian: Matrix::from_fn(p, p, |j, k| second[j * p + k] - mean[j] * mean[k]),
            is_full: fully || is_affine,
        };
        let pulls = pulls(&expected, &gradients);
        Ok((expansion, pulls))
    }

    /// Value and gradient, and the pull of each observation.
    pub(super) fn first_order(&self, theta: &[f64]) -> Result<FirstOrder, Error> {
        let gradients = self.gradients(theta)?;
        let expected = self.expected(theta, Second::Nothing)?;
        Ok(FirstOrder {
            value: self.value_with(theta, expected.log_normaliser)?,
            gradient: self.gradient(&gradients, &expected),
            pulls: pulls(&expected, &gradients),
        })
    }

    fn value_with(&self, theta: &[f64], log_normaliser: f64) -> Result<f64, Error> {
        let logs = self.at_data().log_densities(theta)?;
        let counted = logs.iter().zip(&self.shares).filter(|(_, share)| **share != 0.0);
        Ok(log_normaliser - counted.map(|(log, w)| w * log).sum::<f64>())
    }
}

impl Likelihood<'_> {
    /// Why a search ends now, if its work has reached its bound.
    pub(super) fn spent(&self) -> Option<Stop> {
        self.work.spent()
    }
}

impl Objective for Likelihood<'_> {
    fn spent(&self) -> Option<Stop> {
        Likelihood::spent(self)
    }

    fn interrupt(&self) -> Option<&Interrupt> {
        Some(self.interrupt)
    }

    fn value(&self, theta: &[f64]) -> Result<f64, Error> {
        self.value_with(theta, self.masses(theta)?.1)
    }

    /// With Fisher's information as the Hessian: it is close to it near the maximum and never indefinite.
    fn expand(&self, theta: &[f64]) -> Result<Expansion, Error> {
        Ok(self.expansion(theta, false)?.0)
    }

    fn expand_fully(&self, theta: &[f64]) -> Result<Expansion, Error> {
        Ok(self.expansion(theta, true)?.0)
    }

    fn pulls(&self, theta: &[f64]) -> Result<Matrix, Error> {
        Ok(pulls(&self.expected(theta, Second::Nothing)?, &self.gradients(theta)?))
    }

    fn conclude(&self, theta: &[f64]) -> Result<(Expansion, Matrix), Error> {
        self.expansion(theta, true)
    }
}

/// The pull of each observation, from the gradients of its log-density.
fn pulls(expected: &Expected, gradients: &Matrix) -> Matrix {
    Matrix::from_fn(gradients.rows(), gradients.columns(), |i, k| expected.gradient[k] - gradients[(i, k)])
}

/// The largest change of the normaliser's logarithm by refinement at a start.
const COARSE: f64 = 0.01;

/// The largest move of an estimate by the last refinement without a warning, as a share of its standard
/// error.
pub(crate) const TOLERABLE: f64 = 5e-2;

/// The share beyond which an estimate that the last refinement moved is not reliable.
pub(crate) const UNSETTLED: f64 = 0.5;

/// A refinement that moves the estimate by less than this share of its standard error is the last.
pub(super) fn settled_below(dimension: usize) -> f64 {
    match dimension {
        0..DETERMINISTIC => 1e-3,
        DETERMINISTIC => 1e-2,
        _ => TOLERABLE,
    }
}

/// The estimate of [`Estimator::truncated_mle`](crate::Estimator::truncated_mle) by integration over the
/// domain.
pub(super) fn integrated(task: &Truncated) -> Result<Estimate, Error> {
    let Truncated { model, data, weights, domain, start, rule, seed, interrupt } = *task;
    let density = model.density().ok_or_else(|| ModelError::Unsupported {
        model: model.name().to_string(),
        action: "fitted by truncated maximum likelihood, because it has no log-density",
        remedy: ANOTHER_METHOD,
    })?;
    let (origin, points) = centred(model, data);
    let first = match start {
        Some(theta) => Some(theta.to_vec()),
        None if model.affine().is_some() => Some(closed_form_start(model, data, weights, domain)?),
        None => None,
    };
    let first = first.map(|theta| start_less(model, &theta, &origin));
    let work = Work::new(points.len(), model.parameters());
    if let Some(rule) = rule {
        check_dimension(rule, model)?;
        let objective = Likelihood::new(task, density, &points, rule.clone().less(&origin)?, &work);
        let mut estimate = search(&objective, model, &points, first.as_deref(), seed)?;
        finish(&objective, &mut estimate, points.len())?;
        // The rule's weights are known only up to a factor.
        estimate.log_likelihood = None;
        return Ok(estimate.moved_back(model, &origin));
    }
    let nodes = |level: u32| {
        let rule = IntegrationRule::new(domain.as_ref(), data, level, seed, interrupt)?;
        rule.map(|n| n.less(&origin)).transpose()
    };
    let data = &points;
    let starts = match &first {
        Some(theta) => vec![theta.clone()],
        None => starts(model, data, &mut stream(seed, tasks::STARTS)),
    };
    let mut level = 0;
    let coarse = nodes(level)?.ok_or(FitError::TooManyNodes { domain: domain.describe() })?;
    let mut objective = Likelihood::new(task, density, data, coarse, &work);
    let finer_than = |level: u32| -> Result<Option<Likelihood>, Error> {
        let finer = if level < FINEST { nodes(level + 1)? } else { None };
        Ok(finer.map(|finer| Likelihood::new(task, density, data, finer, &work)))
    };
    // Narrow densities need a finer rule from the outset: one that does not change the normaliser at any
    // start.
    let mut next = finer_than(level)?;
    while let Some(finer) = &next {
        let mut changes = false;
        for theta in &starts {
            interrupt.check()?;
            let change = (objective.masses(theta)?.1 - finer.masses(theta)?.1).abs();
            changes = change.is_nan() || change > COARSE;
            if changes {
                break;
            }
        }
        if !changes {
            break;
        }
        level += 1;
        if let Some(finer) = std::mem::replace(&mut next, finer_than(level)?) {
            objective = finer;
        }
    }
    let mut estimate = search(&objective, model, data, first.as_deref(), seed)?;
    let (mut settled, mut last_move) = (false, f64::INFINITY);
    while let (Some(theta), true) = (estimate.theta.clone(), estimate.converged) {
        let Some(finer) = next else { break };
        level += 1;
        objective = finer;
        let at = objective.expand_fully(&theta)?;
        let newton = newton_step(&at, data.len());
        last_move = newton.as_ref().map_or(f64::INFINITY, |(_, share)| *share);
        if let Some((step, _)) = newton.filter(|(_, share)| *share <= settled_below(data.dimension())) {
            estimate.theta = Some(theta.iter().zip(step).map(|(t, s)| t + s).collect());
            settled = true;
            break;
        }
        let mut refined = search(&objective, model, data, Some(&theta), seed)?;
        refined.iterations += estimate.iterations;
        refined.starts = estimate.starts;
        estimate = refined;
        next = finer_than(level)?;
    }
    if !settled && estimate.converged && last_move > TOLERABLE {
        estimate.converged = last_move <= UNSETTLED;
        let by = if last_move.is_finite() {
            format!("by {:.0} % of its", 100.0 * last_move)
        } else {
            "by more than its".into()
        };
        estimate.warnings.push(WarningKind::Accuracy.warning(format!(
            "the integral over the domain is not exact enough: refining it still moved the estimate {by} \
             standard error; use tksd, which needs no integral, with boundary points close together near the \
             data"
        )));
    }
    // The search ended on a coarser rule; recompute the influence with the last one.
    finish(&objective, &mut estimate, data.len())?;
    Ok(estimate.moved_back(model, &origin))
}

fn check_dimension(rule: &IntegrationRule, model: &dyn Model) -> Result<(), Error> {
    let (found, expected) = (rule.points.dimension(), model.dimension());
    if found != expected {
        let what = "the rule of integration";
        return Err(DomainError::WrongDimension { what, found, expected }.into());
    }
    Ok(())
}

/// The step of Newton's method, and its largest share of a standard error, if both are finite.
fn newton_step(at: &Expansion, rows: usize) -> Option<(Vec<f64>, f64)> {
    let root = information_root(&at.hessian, rows)?;
    // R' R is the inverse of `rows` times the Hessian.
    let covariance = root.transpose().times(&root);
    let step: Vec<f64> = covariance.times_vector(&at.gradient).iter().map(|s| -s * rows as f64).collect();
    let shares = step.iter().enumerate().map(|(k, step)| step.abs() / covariance[(k, k)].sqrt());
    let shares: Vec<f64> = shares.collect();
    let largest = shares.iter().copied().fold(0.0, f64::max);
    shares.iter().all(|share| share.is_finite()).then_some((step, largest))
}

/// Adds the log-likelihood and the covariance by the observed information to an estimate.
pub(super) fn finish(objective: &dyn Objective, estimate: &mut Estimate, rows: usize) -> Result<(), Error> {
    if let Some(theta) = &estimate.theta {
        let (at, pulls) = objective.conclude(theta)?;
        estimate.log_likelihood = Some(-at.value * rows as f64).filter(|_| estimate.converged);
        estimate.information = information_root(&at.hessian, rows);
        estimate.is_information_default = true;
        if let Ok(factor) = ScaledCholesky::new(&at.hessian) {
            estimate.condition = Some(factor.condition_number());
            estimate.influence = factor.solve_rows(&pulls, -1.0);
        }
    }
    // The minimised mean is redundant: the log-likelihood gives the same information.
    estimate.objective = None;
    Ok(())
}

/// A root of the inverse of `rows` times the mean Hessian.
fn information_root(hessian: &Matrix, rows: usize) -> Option<Matrix> {
    let mut root = ScaledCholesky::new(hessian).ok()?.inverse_root();
    root.values_mut().iter_mut().for_each(|v| *v /= (rows as f64).sqrt());
    Some(root)
}

/// A start in closed form from another estimate, if the score is affine.
fn closed_form_start(
    model: &dyn Model,
    data: &Points,
    weights: &[f64],
    domain: &Arc<dyn Domain>,
) -> Result<Vec<f64>, Error> {
    let naive = model.naive_likelihood().map(|naive| naive.maximum_likelihood(data, weights));
    if let Some(Ok((theta, _))) = naive {
        return Ok(theta);
    }
    if domain.has_distance() {
        let weight = BoundaryWeight::new(&BoundaryDistance::exact(domain.clone()), data, model)?;
        if let Ok(Estimate { theta: Some(theta), .. }) =
            score_matching::minimise(model, data, weights, &weight)
        {
            return Ok(theta);
        }
    }
    Ok(vec![0.0; model.parameters()])
}

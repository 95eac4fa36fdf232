//! Maximum likelihood of a truncated regression, whose normaliser is known.

use super::basis::Basis;
use super::truncated::finish;
use super::{Naive, Truncated, naive_likelihood};
use crate::domain::section_around;
use crate::error::{Error, FitError};
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::minimise::{Estimate, Expansion, Objective, centred, search, start_less};
use crate::model::{self, AtPoints, Model, difference_steps, information_scales};
use crate::points::Points;

/// The mean over the data of `log Z_i(theta) - log p(y_i | x_i)`, `Z_i` being the integral of the conditional
/// density over the section of the domain in which the response `y_i` lies.
struct Conditional<'a> {
    model: &'a dyn Model,
    density: &'a dyn model::Conditional,
    data: &'a Points<'a>,
    shares: Vec<f64>,
    sections: Vec<(f64, f64)>,
    interrupt: &'a Interrupt,
}

impl Conditional<'_> {
    /// The contribution of an observation, with its gradient and the normaliser's Hessian.
    fn contribution(&self, i: usize, theta: &[f64], gradient: &mut [f64], hessian: &mut [f64]) -> f64 {
        let x = self.data.row(i);
        let normaliser = self.density.log_normaliser(x, theta, self.sections[i], gradient, hessian);
        let mut of_density = vec![0.0; theta.len()];
        self.density.log_density_gradient(x, theta, &mut of_density);
        gradient.iter_mut().zip(&of_density).for_each(|(g, d)| *g -= d);
        normaliser.unwrap_or(f64::NAN) - self.density.log_density(x, theta)
    }
}

impl Objective for Conditional<'_> {
    fn interrupt(&self) -> Option<&Interrupt> {
        Some(self.interrupt)
    }

    fn value(&self, theta: &[f64]) -> Result<f64, Error> {
        let (mut gradient, mut hessian) = (vec![0.0; theta.len()], vec![0.0; theta.len() * theta.len()]);
        let of_point = |i: usize| {
            self.interrupt.check()?;
            Ok(self.shares[i] * self.contribution(i, theta, &mut gradient, &mut hessian))
        };
        (0..self.data.len()).map(of_point).sum()
    }

    fn expand(&self, theta: &[f64]) -> Result<Expansion, Error> {
        let p = theta.len();
        let pulls = self.pulls(theta)?;
        let gradient =
            (0..p).map(|k| pulls.column(k).iter().zip(&self.shares).map(|(g, w)| g * w).sum()).collect();
        let steps = difference_steps(theta, information_scales(&pulls));
        let is_curved = self.model.affine().is_none();
        let sums = AtPoints::new(self.model, self.data, &self.shares).sum(p, |i, x, _, sum| {
            let (mut gradient, mut hessian) = (vec![0.0; p], vec![0.0; p * p]);
            self.contribution(i, theta, &mut gradient, &mut hessian);
            sum.iter_mut().zip(&hessian).for_each(|(s, h)| *s += self.shares[i] * h);
            // The curvature of the log-density itself.
            if is_curved {
                self.density.add_log_density_curvature(x, theta, -self.shares[i], &steps, sum);
            }
        });
        let hessian = Matrix::from_fn(p, p, |j, k| sums[j * p + k]);
        Ok(Expansion { value: self.value(theta)?, scale: 1.0, gradient, hessian, is_full: true })
    }

    fn pulls(&self, theta: &[f64]) -> Result<Matrix, Error> {
        let p = theta.len();
        let mut rows = Matrix::zeros(self.data.len(), p);
        let (mut row, mut hessian) = (vec![0.0; p], vec![0.0; p * p]);
        for i in 0..self.data.len() {
            self.interrupt.check()?;
            self.contribution(i, theta, &mut row, &mut hessian);
            for k in 0..p {
                rows[(i, k)] = row[k];
            }
        }
        Ok(rows)
    }
}

/// The estimate of [`Estimator::truncated_mle`](crate::Estimator::truncated_mle) for a model of one
/// coordinate given the others.
pub(super) fn exact<'a>(
    task: &Truncated<'a>,
    density: &'a dyn model::Conditional,
) -> Result<Estimate, Error> {
    let Truncated { model, data, weights, domain, start, seed, interrupt, .. } = *task;
    let axis = model.differentiated().first().copied().unwrap_or(0);
    // A response outside, which is kept on request, could have been seen where the others are.
    let section = |x: &[f64]| {
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        section_around(domain.as_ref(), x, axis)
            .or_else(|| domain.sections(x, axis, everything).first().copied())
    };
    let sections: Option<Vec<(f64, f64)>> = data.rows().map(section).collect();
    let sections = sections.ok_or_else(|| FitError::EmptyDomain { domain: domain.describe() })?;
    Given { model, density, data, weights, sections, interrupt }.maximise(start, Some(seed))
}

/// The estimate of [`Estimator::mle`](crate::Estimator::mle) for such a model: by search, unless the naive
/// estimate is the maximum already.
pub(super) fn whole(task: &Naive, density: &dyn model::Conditional) -> Result<Estimate, Error> {
    let Naive { model, data, weights, start, seed, interrupt } = *task;
    let sections = vec![(f64::NEG_INFINITY, f64::INFINITY); data.len()];
    let is_closed = model.affine().is_some();
    let mut found = Given { model, density, data, weights, sections, interrupt }
        .maximise(start.filter(|_| !is_closed), Some(seed).filter(|_| !is_closed))?;
    found.is_information_default = !is_closed;
    Ok(found)
}

/// The estimate of a response that the covariates determine: without standard errors, which would be rounding.
fn exactly(theta: Vec<f64>) -> Estimate {
    let none = Matrix::zeros(0, theta.len());
    Estimate::closed_form(theta, none).cut_short(Some(
        "the covariates determine the response up to rounding, so that there is no noise from which standard errors and \
         a likelihood could be had; leave out what the response was computed from, or give the standard deviation of the \
         noise if it is known"
            .into(),
    ))
}

/// Data whose likelihood is to be maximised, with the section in which each response can be seen.
struct Given<'a> {
    model: &'a dyn Model,
    density: &'a dyn model::Conditional,
    data: &'a Points<'a>,
    weights: &'a [f64],
    sections: Vec<(f64, f64)>,
    interrupt: &'a Interrupt,
}

impl Given<'_> {
    /// The maximum that a search finds; without a seed the naive estimate, which then is the maximum.
    fn maximise(self, start: Option<&[f64]>, seed: Option<u64>) -> Result<Estimate, Error> {
        let Given { model, density, data, weights, mut sections, interrupt } = self;
        let axis = model.differentiated().first().copied().unwrap_or(0);
        let (origin, data) = &centred(model, data);
        sections
            .iter_mut()
            .for_each(|(low, high)| (*low, *high) = (*low - origin[axis], *high - origin[axis]));
        let start = start.map(|theta| start_less(model, theta, origin));
        let total: f64 = weights.iter().sum();
        let shares: Vec<f64> = weights.iter().map(|w| w / total).collect();
        let basis = density.linear_part().map(|part| Basis::new(part, data, &shares)).transpose()?;
        let data = basis.as_ref().map_or(data, |basis| &basis.points);
        let start = start.map(|theta| basis.as_ref().map_or_else(|| theta.clone(), |b| b.forward(&theta)));
        let naive = match start {
            Some(_) => None,
            None => Some(naive_likelihood(model)?.maximum_likelihood(data, weights)?),
        };
        let objective = Conditional { model, density, data, shares, sections, interrupt };
        if let Some((theta, _)) = naive.as_ref().filter(|(theta, _)| density.is_exact(theta, data)) {
            let estimate = exactly(theta.clone());
            let estimate = match &basis {
                Some(basis) => basis.back(estimate),
                None => estimate,
            };
            return Ok(estimate.moved_back(model, origin));
        }
        let mut estimate = match (start.as_deref(), naive, seed) {
            (_, Some((theta, influence)), None) => Estimate::closed_form(theta, influence),
            (start, naive, seed) => {
                let first = start.or(naive.as_ref().map(|(theta, _)| theta.as_slice()));
                search(&objective, model, data, first, seed.unwrap_or(0))?
            }
        };
        finish(&objective, &mut estimate, data.len())?;
        let estimate = match &basis {
            Some(basis) => basis.back(estimate),
            None => estimate,
        };
        Ok(estimate.moved_back(model, origin))
    }
}

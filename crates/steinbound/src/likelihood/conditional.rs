//! Maximum likelihood of a truncated regression, whose normaliser is known.

use super::truncated::finish;
use super::{Truncated, naive_likelihood};
use crate::domain::section_around;
use crate::error::{Error, FitError};
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::minimise::{Estimate, Expansion, Objective, search};
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
    let sections: Option<Vec<(f64, f64)>> =
        data.rows().map(|x| section_around(domain.as_ref(), x, axis)).collect();
    let sections = sections.ok_or_else(|| FitError::EmptyDomain { domain: domain.describe() })?;
    let total: f64 = weights.iter().sum();
    let shares = weights.iter().map(|w| w / total).collect();
    let objective = Conditional { model, density, data, shares, sections, interrupt };
    let naive;
    let start = match start {
        Some(theta) => theta,
        None => {
            naive = naive_likelihood(model)?.maximum_likelihood(data, weights)?.0;
            naive.as_slice()
        }
    };
    let mut estimate = search(&objective, model, data, Some(start), seed)?;
    finish(&objective, &mut estimate, data.len())?;
    Ok(estimate)
}

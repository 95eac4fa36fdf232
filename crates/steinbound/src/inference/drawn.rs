//! Draws of a fitted density, and which of them lie inside the domain.

use rand::rngs::ChaCha8Rng;
use rayon::prelude::*;

use crate::fit::{Fit, Problem};
use crate::model::Sampler;
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::simulate::sampler;

/// Draws that are made for every fit.
const FIRST: usize = 1_000;

/// Draws of which it is asked together whether they lie inside.
const BLOCK: usize = 256;

/// Draws of a fitted density.
pub(super) struct Drawn<'a> {
    problem: &'a Problem<'a>,
    sampler: Sampler,
    rng: ChaCha8Rng,
    values: Vec<f64>,
    /// Whether each lies inside the domain, or in the whole space where none is known.
    is_inside: Vec<bool>,
}

impl<'a> Drawn<'a> {
    /// `None` where the model has no sampler, or the fit no parameters.
    pub(super) fn of(problem: &'a Problem<'a>, fit: &Fit) -> Option<Drawn<'a>> {
        let domain = problem.estimator.domain.as_deref();
        let sampler = sampler(problem.model, &fit.fitted_parameters()?, domain)?;
        let rng = stream(problem.estimator.seed, tasks::MASS);
        let mut drawn = Drawn { problem, sampler, rng, values: Vec::new(), is_inside: Vec::new() };
        drawn.extend(FIRST);
        Some(drawn)
    }

    /// Draws until there are so many.
    pub(super) fn extend(&mut self, count: usize) {
        let dimension = self.problem.model.dimension();
        let mut new = vec![0.0; (count - self.len()) * dimension];
        new.chunks_exact_mut(dimension).for_each(|point| (self.sampler)(&mut self.rng, point));
        let inside_of = |draws: &[f64]| match (&self.problem.estimator.domain, Points::new(draws, dimension))
        {
            (None, _) => vec![true; draws.len() / dimension],
            (Some(domain), Ok(draws)) => domain.contains_all(&draws),
            // Draws of a density so wide that they overflow are nowhere.
            (Some(domain), Err(_)) => draws.chunks_exact(dimension).map(|x| domain.contains(x)).collect(),
        };
        let is_inside: Vec<Vec<bool>> = new.par_chunks(dimension * BLOCK).map(inside_of).collect();
        self.is_inside.extend(is_inside.into_iter().flatten());
        self.values.extend(new);
    }

    pub(super) fn len(&self) -> usize {
        self.is_inside.len()
    }

    /// Those inside the domain.
    pub(super) fn inside(&self) -> Vec<&[f64]> {
        let all = self.values.chunks_exact(self.problem.model.dimension());
        all.zip(&self.is_inside).filter(|(_, is_inside)| **is_inside).map(|(x, _)| x).collect()
    }

    /// The share outside the domain.
    pub(super) fn share_outside(&self) -> f64 {
        self.is_inside.iter().filter(|is_inside| !**is_inside).count() as f64 / self.len() as f64
    }
}

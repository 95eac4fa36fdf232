//! From a problem to its estimate, with the data's own weights or others.

use rayon::prelude::*;

use super::objective::{Objective, SteinObjective};
use super::problem::{Problem, Task};
use super::{
    Estimate, affine_score, centred, closed_form, features, search, solve_normal_equations, start_less,
};
use crate::error::Error;
use crate::points::Points;
use crate::score_matching::{self, ScoreMatching};
use crate::stein::{Moments, SteinForm};
use crate::{likelihood, stein::Statistic};

/// The data less an origin, and where a search on them starts.
struct Ground<'a> {
    origin: Vec<f64>,
    points: Points<'a>,
    start: Option<Vec<f64>>,
}

impl Problem<'_> {
    /// The statistic, where the method has one.
    pub(crate) fn statistic_used(&self) -> Statistic {
        self.settings.statistic.unwrap_or_default()
    }

    /// The estimate when observations have these weights; a search starts where it is told, if so, in fitted parameters.
    pub(crate) fn estimate(&self, weights: &[f64], start: Option<&[f64]>) -> Result<Estimate, Error> {
        let (data, model) = (self.data, self.model);
        let has_closed_form = model.affine().is_some();
        let interrupt = &self.estimator.interrupt;
        // Of many replicates, those that were not begun are not.
        interrupt.check()?;
        match &self.task {
            Task::Likelihood => likelihood::naive(model, data, weights),
            Task::TruncatedLikelihood(domain) => {
                let (rule, seed) = (self.estimator.integration.as_deref(), self.estimator.seed);
                likelihood::Truncated { model, data, weights, domain, start, rule, seed, interrupt }
                    .maximise()
            }
            Task::ScoreMatching(weight) if has_closed_form => {
                score_matching::minimise(model, data, weights, weight)
            }
            Task::ScoreMatching(weight) => {
                let ground = self.ground(start);
                self.searched(&ground, &ScoreMatching::new(model, &ground.points, weights, weight, interrupt))
            }
            Task::Stein(form) if has_closed_form => {
                closed_form::minimise(form.as_ref(), model, data, weights, self.statistic_used())
            }
            Task::Stein(form) => {
                let (ground, statistic) = (self.ground(start), self.statistic_used());
                let objective =
                    SteinObjective::new(form.as_ref(), model, &ground.points, weights, statistic, interrupt)?;
                let mut estimate = self.searched(&ground, &objective)?;
                estimate.discrepancy_squared = estimate.objective.take().map(|v| statistic.clean(v));
                Ok(estimate)
            }
        }
    }

    /// The fitted parameters for each of several sets of weights, found near given ones where they are searched for; `None` where there
    /// are none to be found.
    ///
    /// No kernel value depends on weights: a closed form goes over the pairs once for all sets.
    pub(crate) fn refits(&self, sets: &[Vec<f64>], near: &[f64]) -> Result<Vec<Option<Vec<f64>>>, Error> {
        match &self.task {
            Task::Stein(form) if self.model.affine().is_some() => {
                self.closed_form_refits(form.as_ref(), sets)
            }
            _ => {
                let refit = |weights: &Vec<f64>| {
                    let estimate = self.estimate(weights, Some(near)).ok()?;
                    estimate.theta.filter(|_| estimate.converged)
                };
                Ok(sets.par_iter().map(refit).collect())
            }
        }
    }

    fn closed_form_refits(
        &self,
        form: &dyn SteinForm,
        sets: &[Vec<f64>],
    ) -> Result<Vec<Option<Vec<f64>>>, Error> {
        let (affine, score) = affine_score(self.model)?;
        let (origin, points) = centred(self.model, self.data);
        let features = features(affine, &points, &score);
        let pairs = self.statistic_used().pairs(form);
        let solve = |moments: Moments| {
            let (normal, right) = moments.normal_equations(&score);
            let (theta, _) = solve_normal_equations(&normal, &right).ok()?;
            Some(self.model.translate(&theta, &origin).map_or(theta, |moved| moved.0))
        };
        Ok(Moments::reweighted(&pairs, &features, sets)?.into_iter().map(solve).collect())
    }

    /// Where a search takes place.
    fn ground(&self, start: Option<&[f64]>) -> Ground<'_> {
        let (origin, points) = centred(self.model, self.data);
        let start = start.map(|theta| start_less(self.model, theta, &origin));
        Ground { origin, points, start }
    }

    /// The minimum of an objective on its ground.
    fn searched(&self, ground: &Ground, objective: &dyn Objective) -> Result<Estimate, Error> {
        let (start, seed) = (ground.start.as_deref(), self.estimator.seed);
        let found = search(objective, self.model, &ground.points, start, seed)?;
        Ok(found.moved_back(self.model, &ground.origin))
    }
}

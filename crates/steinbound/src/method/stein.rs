//! The minimisation of Stein discrepancies.

use std::sync::Arc;

use super::counting::{Counting, Minimised};
use super::{CountedRegion, Solver, Task};
use crate::error::Error;
use crate::minimise::{
    CentredSearch, Estimate, Objective, SteinObjective, affine_score, centred, closed_form, features,
    solve_normal_equations,
};
use crate::points::Points;
use crate::stein::{Moments, Statistic, SteinForm};

/// Minimises the discrepancy of a Stein form: in closed form if the score is affine in the parameters,
/// otherwise by a search.
///
/// A method with another kernel only prepares its form and uses this solver.
pub struct SteinSolver {
    form: Arc<dyn SteinForm>,
    statistic: Statistic,
}

impl SteinSolver {
    /// The solver for a form and a statistic.
    pub fn new(form: Arc<dyn SteinForm>, statistic: Statistic) -> SteinSolver {
        SteinSolver { form, statistic }
    }
}

impl Solver for SteinSolver {
    fn estimate(&self, task: &Task) -> Result<Estimate, Error> {
        let Task { model, data, weights, start, seed, .. } = *task;
        if model.affine().is_some() {
            return closed_form::minimise(self.form.as_ref(), model, data, weights, self.statistic);
        }
        let search = CentredSearch::new(model, data, start);
        let objective = self.objective(task, &search.points)?;
        let mut estimate = search.minimise(objective.as_ref(), seed)?;
        self.describe(&mut estimate);
        Ok(estimate)
    }

    /// No kernel value depends on weights: a closed form passes over the pairs once for all sets.
    fn refits(&self, task: &Task, sets: &[Vec<f64>]) -> Result<Vec<Option<Vec<f64>>>, Error> {
        let Task { model, data, .. } = *task;
        if model.affine().is_none() {
            return super::refit_each(self, task, sets);
        }
        let (affine, score) = affine_score(model)?;
        let (origin, points) = centred(model, data);
        let features = features(affine, &points, &score);
        let pairs = self.statistic.pairs(self.form.as_ref())?;
        let solve = |moments: Moments| {
            let (normal, right) = moments.normal_equations(&score);
            let (theta, _) = solve_normal_equations(&normal, &right).ok()?;
            Some(model.translate(&theta, &origin).map_or(theta, |moved| moved.0))
        };
        Ok(Moments::reweighted(&pairs, &features, sets)?.into_iter().map(solve).collect())
    }

    fn form(&self) -> Option<&Arc<dyn SteinForm>> {
        Some(&self.form)
    }

    fn counting(self: Arc<Self>, region: CountedRegion) -> Option<Arc<dyn Solver>> {
        Some(Arc::new(Counting::new(self, region)))
    }

    fn with_statistic(&self, statistic: Statistic) -> Option<Arc<dyn Solver>> {
        Some(Arc::new(SteinSolver::new(Arc::clone(&self.form), statistic)))
    }
}

impl Minimised for SteinSolver {
    fn objective<'a>(
        &'a self,
        task: &Task<'a>,
        points: &'a Points<'a>,
    ) -> Result<Box<dyn Objective + 'a>, Error> {
        let Task { model, weights, interrupt, .. } = *task;
        let form = self.form.as_ref();
        let objective = SteinObjective::new(form, model, points, weights, self.statistic, interrupt)?;
        Ok(Box::new(objective))
    }

    fn describe(&self, estimate: &mut Estimate) {
        estimate.discrepancy_squared = estimate.objective.take().map(|value| self.statistic.clean(value));
    }
}

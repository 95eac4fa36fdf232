//! The minimisation of Stein discrepancies.

use std::sync::Arc;

use super::{Solver, Task};
use crate::error::Error;
use crate::minimise::{
    CentredSearch, Estimate, SteinObjective, affine_score, centred, closed_form, features,
    solve_normal_equations,
};
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
        let Task { model, data, weights, start, seed, interrupt } = *task;
        let (form, statistic) = (self.form.as_ref(), self.statistic);
        if model.affine().is_some() {
            return closed_form::minimise(form, model, data, weights, statistic);
        }
        let search = CentredSearch::new(model, data, start);
        let objective = SteinObjective::new(form, model, &search.points, weights, statistic, interrupt)?;
        let mut estimate = search.minimise(&objective, seed)?;
        estimate.discrepancy_squared = estimate.objective.take().map(|value| statistic.clean(value));
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

    fn with_statistic(&self, statistic: Statistic) -> Option<Arc<dyn Solver>> {
        Some(Arc::new(SteinSolver::new(Arc::clone(&self.form), statistic)))
    }
}

//! Estimates whose weights of components come from counts of observations.

use std::sync::{Arc, OnceLock};

use super::{Estimator, Solver, Task};
use crate::domain::Domain;
use crate::error::{Error, FitError};
use crate::likelihood::{CountRule, Counts, IntegrationRule, TOLERABLE, UNSETTLED};
use crate::minimise::{Estimate, Objective, Stacked, centred, start_less};
use crate::model::starts;
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::stein::{Statistic, SteinForm};

/// The region in which observations are counted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum CountedRegion {
    /// The whole space: for methods that ignore the boundary.
    Whole,
    /// A known region.
    Inside(Arc<dyn Domain>),
    /// A region known by points on its boundary alone, which do not say what is inside.
    Unknown,
}

impl CountedRegion {
    /// The region of an estimator: the whole space if its method ignores the boundary.
    ///
    /// ```
    /// use steinbound::method::CountedRegion;
    /// use steinbound::Estimator;
    /// assert!(matches!(CountedRegion::of(&Estimator::ksd()), CountedRegion::Whole));
    /// assert!(matches!(CountedRegion::of(&Estimator::tksd()), CountedRegion::Unknown));
    /// ```
    pub fn of(estimator: &Estimator) -> CountedRegion {
        if !estimator.method.uses().knows_boundary() {
            return CountedRegion::Whole;
        }
        estimator.domain.clone().map_or(CountedRegion::Unknown, CountedRegion::Inside)
    }
}

/// Without a region, weights of components that are farther apart than this many standard deviations are
/// refused.
///
/// The root mean square error of a weight by TKSD alone (weight 0.6, two modes in a box, 600 observations, 40
/// samples) is .03 at 3 standard deviations, .05 at 3.8, .10 at 4.5, .15 at 4.9 and .45 at 6, where intervals
/// do not hold any more; by counts it is .02.
pub const WIDEST_GAP: f64 = 4.5;

/// A method that minimises an objective over the parameters.
pub(super) trait Minimised: Solver {
    /// The objective for a task, whose data are less an origin.
    fn objective<'a>(
        &'a self,
        task: &Task<'a>,
        points: &'a Points<'a>,
    ) -> Result<Box<dyn Objective + 'a>, Error>;

    /// Describes the objective at the estimate in the method's own terms.
    fn describe(&self, _estimate: &mut Estimate) {}
}

/// A method whose estimates of counted parameters solve the equations of counts, and whose other parameters
/// minimise its objective.
///
/// Where the region is not known, its own estimate is taken if the components overlap, and refused otherwise.
pub(super) struct Counting<M> {
    base: Arc<M>,
    region: CountedRegion,
    /// The rule of integration over the region, for the data themselves, once an estimate settled it; the
    /// region cannot be integrated over if that is `None`.
    rule: OnceLock<Option<IntegrationRule>>,
}

impl<M: Minimised + 'static> Counting<M> {
    pub(super) fn new(base: Arc<M>, region: CountedRegion) -> Counting<M> {
        Counting { base, region, rule: OnceLock::new() }
    }

    /// The base's own estimate, if the score shows the weights at it.
    fn seen(&self, task: &Task) -> Result<Estimate, Error> {
        let estimate = self.base.estimate(task)?;
        let apart = task.model.counted().zip(estimate.theta.as_ref());
        let apart = apart.and_then(|(counted, theta)| counted.separation(theta));
        match apart.filter(|apart| apart.distance > WIDEST_GAP) {
            Some(apart) => {
                let (components, distance) = (apart.components, apart.distance);
                Err(FitError::WeightsUnseen { components, distance }.into())
            }
            None => Ok(estimate),
        }
    }

    fn counted(&self, task: &Task, domain: Option<&dyn Domain>) -> Result<Estimate, Error> {
        let Task { model, data, weights, start, seed, interrupt } = *task;
        let (origin, points) = centred(model, data);
        let start = start.map(|theta| start_less(model, theta, &origin));
        let objective = self.base.objective(task, &points)?;
        let unsupported = || FitError::NotFinite { what: "share of a component" };
        let counts = |rule: Option<IntegrationRule>| {
            Counts::new(model, &points, weights, rule, interrupt).ok_or_else(unsupported)
        };
        let search = |counts: &Counts, start: Option<&[f64]>| {
            let stacked = Stacked::new(objective.as_ref(), counts, model.parameters());
            stacked.search(model, &points, start, seed)
        };
        let finished = |mut estimate: Estimate| {
            self.base.describe(&mut estimate);
            estimate.moved_back(model, &origin)
        };
        let Some(domain) = domain else { return Ok(finished(search(&counts(None)?, start.as_deref())?)) };
        let rules = CountRule { domain, data, origin: &origin, seed, interrupt };
        if let Some(known) = self.rule.get() {
            let Some(rule) = known else { return self.seen(task) };
            let rule = rule.clone().less(&origin)?;
            return Ok(finished(search(&counts(Some(rule))?, start.as_deref())?));
        }
        let first = match &start {
            Some(theta) => vec![theta.clone()],
            None => starts(model, &points, &mut stream(seed, tasks::STARTS)),
        };
        let mut level = 0;
        let Some(rule) = rules.at(level)? else {
            let _ = self.rule.set(None);
            return self.seen(task);
        };
        let mut here = counts(Some(rule))?;
        let mut next = rules.at(level + 1)?;
        let finer = |level: &mut u32, next: &mut Option<IntegrationRule>| {
            *level += 1;
            *next = rules.at(*level + 1)?;
            Ok::<(), Error>(())
        };
        // Narrow components need a finer rule from the outset.
        while let Some(rule) = &next {
            let there = counts(Some(rule.clone()))?;
            let mut change = 0.0f64;
            for theta in &first {
                change = change.max(here.change(&there, theta)?);
            }
            if change < TOLERABLE {
                break;
            }
            here = there;
            finer(&mut level, &mut next)?;
        }
        let mut estimate = search(&here, start.as_deref())?;
        let mut change = f64::INFINITY;
        while let (Some(theta), Some(rule), true) = (estimate.theta.clone(), &next, estimate.converged) {
            let there = counts(Some(rule.clone()))?;
            change = here.change(&there, &theta)?;
            if change < rules.settled_below() {
                break;
            }
            here = there;
            finer(&mut level, &mut next)?;
            let refined = search(&here, Some(&theta))?;
            let iterations = estimate.iterations + refined.iterations;
            estimate = Estimate { iterations, starts: estimate.starts, ..refined };
        }
        if estimate.converged && change > TOLERABLE {
            estimate.converged = change <= UNSETTLED;
            estimate.warnings.push(format!(
                "the masses of the components inside the region are not exact enough: refining their \
                 integration still moved the counts by {change:.2} standard errors, which the weights' standard \
                 errors do not include; use a smaller region around the data, or equal weights"
            ));
        }
        let settled = CountRule { origin: &vec![0.0; origin.len()], ..rules }.at(level)?;
        let _ = self.rule.set(settled);
        Ok(finished(estimate))
    }
}

impl<M: Minimised + 'static> Solver for Counting<M> {
    fn estimate(&self, task: &Task) -> Result<Estimate, Error> {
        match &self.region {
            CountedRegion::Whole => self.counted(task, None),
            CountedRegion::Inside(domain) => self.counted(task, Some(domain.as_ref())),
            CountedRegion::Unknown => self.seen(task),
        }
    }

    fn form(&self) -> Option<&Arc<dyn SteinForm>> {
        self.base.form()
    }

    fn with_statistic(&self, statistic: Statistic) -> Option<Arc<dyn Solver>> {
        self.base.with_statistic(statistic)?.counting(self.region.clone())
    }
}

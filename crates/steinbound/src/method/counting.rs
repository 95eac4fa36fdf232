//! Estimates whose weights of components come from counts of observations.

use std::sync::{Arc, OnceLock};

use super::{Estimator, Solver, Task};
use crate::domain::Domain;
use crate::error::{Error, FitError};
use crate::interrupt::Interrupt;
use crate::likelihood::{CountRule, Counts, IntegrationRule, TOLERABLE, UNSETTLED, Work};
use crate::minimise::{Estimate, Objective, Stacked, centred, start_less};
use crate::model::{Units, starts};
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::stein::{Statistic, SteinForm};
use crate::warning::WarningKind;

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

/// The region in which observations are counted, with the rule of integration over it.
#[derive(Debug)]
pub(super) struct Tally {
    region: CountedRegion,
    /// The rule for the data themselves, once an estimate settled it; the region cannot be integrated over if that
    /// is `None`.
    rule: OnceLock<Option<IntegrationRule>>,
}

impl Tally {
    pub(super) fn new(region: CountedRegion) -> Tally {
        Tally { region, rule: OnceLock::new() }
    }

    /// Whether observations can be counted: the region is known and can be integrated over.
    pub(super) fn is_possible(&self, data: &Points, seed: u64, interrupt: &Interrupt) -> Result<bool, Error> {
        let origin = vec![0.0; data.dimension()];
        match &self.region {
            CountedRegion::Whole => Ok(true),
            CountedRegion::Unknown => Ok(false),
            CountedRegion::Inside(domain) => {
                let domain = domain.as_ref();
                let rules = CountRule { domain, data, origin: &origin, seed, interrupt };
                Ok(rules.at(0)?.is_some())
            }
        }
    }

    /// What a search finds with the equations of counts, from a start in parameters for the data themselves, for
    /// which the estimate `of` it is, too. The rule of integration is refined until the counts settle. `None` if
    /// observations cannot be counted.
    pub(super) fn settled<T>(
        &self,
        task: &Task,
        search: impl Fn(&Counts, Option<&[f64]>) -> Result<T, Error>,
        of: impl Fn(&mut T) -> &mut Estimate,
    ) -> Result<Option<T>, Error> {
        let Task { model, data, weights, start, seed, interrupt } = *task;
        let (origin, points) = centred(model, data);
        let unsupported = || FitError::NotFinite { what: "share of a component" };
        let work = Work::new(points.len(), model.parameters());
        let counts = |rule: Option<IntegrationRule>| {
            Counts::new(model, &points, weights, rule, &work, interrupt).ok_or_else(unsupported)
        };
        let domain = match &self.region {
            CountedRegion::Whole => return Ok(Some(search(&counts(None)?, start)?)),
            CountedRegion::Unknown => return Ok(None),
            CountedRegion::Inside(domain) => domain.as_ref(),
        };
        let rules = CountRule { domain, data, origin: &origin, seed, interrupt };
        if let Some(known) = self.rule.get() {
            let Some(rule) = known else { return Ok(None) };
            let rule = rule.clone().less(&origin)?;
            return Ok(Some(search(&counts(Some(rule))?, start)?));
        }
        let first = match start {
            Some(theta) => vec![start_less(model, theta, &origin)],
            None => starts(model, &points, &mut stream(seed, tasks::STARTS)),
        };
        let mut level = 0;
        let Some(rule) = rules.at(level)? else {
            let _ = self.rule.set(None);
            return Ok(None);
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
        let mut found = search(&here, start)?;
        let mut change = f64::INFINITY;
        while let (Some(theta), Some(rule), true) = {
            let estimate = of(&mut found);
            (estimate.theta.clone(), &next, estimate.converged)
        } {
            let there = counts(Some(rule.clone()))?;
            change = here.change(&there, &start_less(model, &theta, &origin))?;
            if change < rules.settled_below() {
                break;
            }
            here = there;
            finer(&mut level, &mut next)?;
            let mut refined = search(&here, Some(&theta))?;
            let (known, estimate) = (of(&mut found), of(&mut refined));
            estimate.iterations += known.iterations;
            estimate.starts = known.starts;
            found = refined;
        }
        let estimate = of(&mut found);
        if estimate.converged && change > TOLERABLE {
            estimate.converged = change <= UNSETTLED;
            estimate.warnings.push(WarningKind::Accuracy.warning(format!(
                "the masses of the components inside the region are not exact enough: refining their \
                 integration still moved the counts by {change:.2} standard errors, which the weights' standard \
                 errors do not include; use a smaller region around the data, or equal weights"
            )));
        }
        let settled = CountRule { origin: &vec![0.0; origin.len()], ..rules }.at(level)?;
        let _ = self.rule.set(settled);
        Ok(Some(found))
    }
}

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
    tally: Tally,
}

impl<M: Minimised + 'static> Counting<M> {
    pub(super) fn new(base: Arc<M>, region: CountedRegion) -> Counting<M> {
        Counting { base, tally: Tally::new(region) }
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
}

impl<M: Minimised + 'static> Solver for Counting<M> {
    fn estimate(&self, task: &Task) -> Result<Estimate, Error> {
        let Task { model, data, seed, .. } = *task;
        let (origin, points) = centred(model, data);
        let objective = self.base.objective(task, &points)?;
        let search = |counts: &Counts, start: Option<&[f64]>| {
            let start = start.map(|theta| start_less(model, theta, &origin));
            let stacked = Stacked::new(objective.as_ref(), counts, Units::of(model, &points));
            let mut estimate = stacked.search(model, &points, start.as_deref(), seed)?;
            self.base.describe(&mut estimate);
            Ok(estimate.moved_back(model, &origin))
        };
        match self.tally.settled(task, search, |estimate| estimate)? {
            Some(estimate) => Ok(estimate),
            None => self.seen(task),
        }
    }

    fn form(&self) -> Option<&Arc<dyn SteinForm>> {
        self.base.form()
    }

    fn with_statistic(&self, statistic: Statistic) -> Option<Arc<dyn Solver>> {
        self.base.with_statistic(statistic)?.counting(self.tally.region.clone())
    }
}

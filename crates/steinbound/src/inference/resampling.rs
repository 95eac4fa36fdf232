//! Draws for bootstrap and tests: resampled weights, random signs, and data simulated from a fitted model.

use std::collections::BTreeMap;

use rand::RngExt;
use rayon::prelude::*;

use crate::domain::{Domain, section_around};
use crate::error::{Error, FitError};
use crate::fit::{Interrupt, Problem};
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::simulate::Inside;

/// Called with the number of finished draws and their total; returning `false` ends the work with an error.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) -> bool + Sync);

/// The most draws of a bootstrap.
pub const MOST_DRAWS: usize = 1_000_000;

/// The largest number of weights that are held at once (64 MB).
const MOST_WEIGHTS: usize = 8_000_000;

/// The most proposals of a bootstrap: a few minutes.
const MOST_PROPOSALS: f64 = 5e9;

/// The largest number of draws between two progress reports.
const LARGEST_BATCH: usize = 64;

/// Processes draws in batches, reporting the progress after each.
pub(super) fn in_batches<T>(
    draws: usize,
    points: usize,
    progress: Option<Progress>,
    interrupt: &Interrupt,
    mut batch: impl FnMut(std::ops::Range<usize>) -> Result<Vec<T>, Error>,
) -> Result<Vec<T>, Error> {
    let size = (MOST_WEIGHTS / points.max(1)).clamp(1, LARGEST_BATCH);
    let mut results = Vec::with_capacity(draws);
    let mut done = 0;
    while done < draws {
        let next = (done + size).min(draws);
        let found = batch(done..next);
        if interrupt.is_raised() {
            return Err(interrupt.interrupted(Some((done, draws))).into());
        }
        results.extend(found?);
        done = next;
        if progress.is_some_and(|progress| !progress(done, draws)) {
            return Err(interrupt.interrupted(Some((done, draws))).into());
        }
    }
    Ok(results)
}

/// The resampling units: clusters if there are any, otherwise observations with positive weight.
pub(super) struct Units {
    /// The unit of each observation; `None` for those without weight.
    unit: Vec<Option<usize>>,
    count: usize,
}

impl Units {
    pub(super) fn new(data: &Points) -> Units {
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let unit_of = |i: usize| {
            (data.weight(i) > 0.0).then(|| {
                let next = numbers.len();
                *numbers.entry(data.clusters().map_or(i, |clusters| clusters[i])).or_insert(next)
            })
        };
        let unit = (0..data.len()).map(unit_of).collect();
        Units { unit, count: numbers.len() }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The share of sign patterns that equal a given one or its negative: no p-value can be smaller.
    pub(super) fn least_p_value(&self) -> f64 {
        0.5f64.powi(self.count.min(1_000) as i32 - 1)
    }

    /// The weights of a bootstrap sample of all units, drawn with replacement: each weight times the number
    /// of times its unit was drawn.
    pub(super) fn resampled(&self, weights: &[f64], seed: u64, draw: usize) -> Vec<f64> {
        let mut rng = stream(seed, tasks::BOOTSTRAP + draw as u64);
        let mut counts = vec![0.0; self.count];
        (0..self.count).for_each(|_| counts[rng.random_range(0..self.count)] += 1.0);
        self.times(weights, &counts)
    }

    /// The weights with a random sign for each unit.
    pub(super) fn signed(&self, weights: &[f64], seed: u64, draw: usize) -> Vec<f64> {
        let mut rng = stream(seed, tasks::BOOTSTRAP + draw as u64);
        let signs: Vec<f64> =
            (0..self.count).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect();
        self.times(weights, &signs)
    }

    fn times(&self, weights: &[f64], factors: &[f64]) -> Vec<f64> {
        weights.iter().zip(&self.unit).map(|(w, unit)| unit.map_or(0.0, |unit| w * factors[unit])).collect()
    }
}

/// Simulates data like those of a problem, from its model at given parameters.
pub(super) struct Simulator<'a> {
    problem: &'a Problem<'a>,
    theta: Vec<f64>,
    source: Source<'a>,
    /// Whether draws are not restricted to the domain.
    is_whole: bool,
}

enum Source<'a> {
    /// Independent points.
    Points(Inside<'a>),
    /// A response for each observation, given its covariates, in its section of the domain.
    Responses(Vec<(f64, f64)>),
}

impl<'a> Simulator<'a> {
    /// A simulator for `draws` draws at fitted parameters. It returns the reason if simulation is not
    /// possible: weights, clusters, a boundary known only by points, a model without sampler or with hardly
    /// any mass inside.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        theta: &[f64],
        draws: usize,
    ) -> Result<Simulator<'a>, String> {
        if problem.data.is_weighted() {
            return Err("it is not known how the observation weights arose".into());
        }
        if problem.data.clusters().is_some() {
            return Err("it is not known how observations of a cluster depend on each other".into());
        }
        // These methods treat the data as a sample of the whole density.
        let is_whole = !problem.estimator.method.uses().knows_boundary();
        let domain = problem.estimator.domain.as_deref().filter(|_| !is_whole);
        if domain.is_none() && !is_whole {
            return Err("boundary points do not define the inside, and no domain is given".into());
        }
        let is_conditional = problem.model.differentiated().len() < problem.model.dimension();
        let source = if is_conditional {
            Source::Responses(sections(problem, theta, domain)?)
        } else {
            let rng = &mut stream(problem.estimator.seed, tasks::PILOT);
            let inside = Inside::new(problem.model, theta, domain, rng).map_err(|error| error.to_string())?;
            let inside = inside.interrupt(problem.estimator.interrupt.clone());
            let proposals = inside.proposals_for_one(rng).map_err(|error| error.to_string())?;
            if proposals * problem.data.len() as f64 * draws as f64 > MOST_PROPOSALS {
                return Err(format!(
                    "only one in {proposals:.0} draws of the density falls inside, which would take too long"
                ));
            }
            Source::Points(inside)
        };
        Ok(Simulator { problem, theta: theta.to_vec(), source, is_whole })
    }

    /// One data set.
    pub(super) fn draw(&self, draw: usize) -> Result<Points<'static>, Error> {
        let data = self.problem.data;
        let mut rng = stream(self.problem.estimator.seed, tasks::BOOTSTRAP + draw as u64);
        let values = match &self.source {
            Source::Points(inside) => inside.draw(data.len(), &mut rng)?.values().to_vec(),
            Source::Responses(sections) => {
                let mut values = data.values().to_vec();
                let conditional = self.problem.model.conditional();
                for (x, section) in values.chunks_exact_mut(data.dimension()).zip(sections) {
                    if !conditional.is_some_and(|c| c.draw_given(x, &self.theta, *section, &mut rng)) {
                        return Err(FitError::NotFinite { what: "density of a response" }.into());
                    }
                }
                values
            }
        };
        Ok(data.replaced(values)?)
    }

    /// The results of `of` for a range of draws: `of` is called with a problem that has the drawn data and
    /// the same settings and boundary points. `None` if it fails.
    pub(super) fn solve<T: Send>(
        &self,
        draws: std::ops::Range<usize>,
        of: impl Fn(&Problem) -> Option<T> + Sync,
    ) -> Vec<Option<T>> {
        let mut estimator = self.problem.replicate();
        if self.is_whole {
            estimator.domain = None;
        }
        estimator.is_replicate = true;
        estimator.start = None;
        let solve = |draw: usize| {
            self.problem.estimator.interrupt.check().ok()?;
            let data = self.draw(draw).ok()?;
            of(&estimator.check(&data, self.problem.model).ok()?)
        };
        draws.into_par_iter().map(solve).collect()
    }
}

/// The section of the domain around each observation, along the coordinate that a conditional model
/// describes.
fn sections(
    problem: &Problem,
    theta: &[f64],
    domain: Option<&dyn Domain>,
) -> Result<Vec<(f64, f64)>, String> {
    let (data, everywhere) = (problem.data, (f64::NEG_INFINITY, f64::INFINITY));
    let axis = problem.model.differentiated().first().copied().unwrap_or(0);
    let mut rng = stream(problem.estimator.seed, tasks::PILOT);
    let conditional = problem.model.conditional();
    if !conditional.is_some_and(|c| c.draw_given(&mut data.row(0).to_vec(), theta, everywhere, &mut rng)) {
        return Err(format!("the {} model cannot be sampled at these parameters", problem.model.name()));
    }
    let around = |x: &[f64]| match domain {
        None => Some(everywhere),
        Some(domain) => section_around(domain, x, axis),
    };
    let sections: Option<Vec<(f64, f64)>> = data.rows().map(around).collect();
    sections.ok_or_else(|| "some observations lie outside the domain".into())
}

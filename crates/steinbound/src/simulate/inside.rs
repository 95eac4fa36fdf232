use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::Sample;
use crate::domain::{Domain, check_count};
use crate::error::{DomainError, Error, ModelError};
use crate::interrupt::Interrupt;
use crate::model::{AtPoints, Density, Model, Sampler, Support, check_theta, check_turn};
use crate::points::Points;

/// Draws of a model at fixed parameters, inside a domain or anywhere.
///
/// # Definition
///
/// Rejection sampling. Proposals are draws of the model, kept if they lie inside; or, for a model that cannot
/// be sampled or has hardly any mass inside, uniform draws of the box around the domain, kept with
/// probability `p(x) / max p`. [`Inside::new`] uses whichever keeps more of a thousand draws;
/// [`Inside::direct`] uses draws of the model. The maximum is the largest of the density at [`PILOTS`] places
/// and in a search around the best of them.
///
/// # Requirements
///
/// A sampler, or a log-density and a bounded domain; and that one draw in 10,000 is kept (in 100,000 if
/// direct).
///
/// # Complexity
///
/// `1 / acceptance` draws for each point.
///
/// # Reference
///
/// Caffo, Booth and Davis, *Empirical supremum rejection sampling*, Biometrika 2002, for the estimated
/// maximum.
///
/// ```
/// use steinbound::{domain::Cuboid, model::Gaussian, simulate};
/// // A precision below zero: a density on an interval only, with most of its mass near the ends.
/// let interval = Cuboid::interval(-1.0, 1.0)?;
/// let (model, rng) = (Gaussian::full(1), &mut simulate::stream(1, 0));
/// let inside = simulate::Inside::new(&model, &[0.0, -4.0], Some(&interval), rng)?;
/// let points = inside.draw(1000, rng)?;
/// let spread = points.values().iter().map(|x| x * x).sum::<f64>() / 1000.0;
/// assert!(spread > 0.5);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub struct Inside<'a> {
    model: &'a dyn Model,
    density: Option<&'a dyn Density>,
    theta: Vec<f64>,
    domain: Option<&'a dyn Domain>,
    proposal: Proposal,
    /// Draws per kept point after which sampling gives up.
    patience: usize,
    interrupt: Interrupt,
}

/// Where draws come from.
enum Proposal {
    /// The model itself.
    Model(Sampler),
    /// A box, kept by the density under a bound; `together` proposals are evaluated at once.
    Uniform { window: Vec<(f64, f64)>, log_bound: f64, together: usize },
}

/// The number of places at which the density is evaluated to find its maximum.
pub const PILOTS: usize = 20_000;

/// The number of places tried around the best one before the box shrinks.
const BOX: usize = 200;

/// Draws per kept point after which sampling gives up, where many samples will be drawn.
const PATIENCE: usize = 10_000;

/// The same for direct draws: one sample is wanted, and a low acceptance may be intended.
const DIRECT_PATIENCE: usize = 100_000;

/// The number of draws from which the number of proposals is estimated.
const FEW: usize = 20;

/// The number of proposals from which the share that is kept is estimated.
const TRIALS: usize = 1_000;

/// The number of proposals evaluated at once, for a model that evaluates many points together.
const TOGETHER: usize = 1_000;

/// How far the logarithm of the density may exceed the largest value found.
const HEADROOM: f64 = 0.02;

impl<'a> Inside<'a> {
    /// Chooses the proposals that are kept more often. Without a domain they are draws of the model.
    pub fn new(
        model: &'a dyn Model,
        theta: &[f64],
        domain: Option<&'a dyn Domain>,
        rng: &mut ChaCha8Rng,
    ) -> Result<Inside<'a>, Error> {
        check(model, theta, domain)?;
        let with = |proposal| Inside {
            model,
            density: model.density(),
            theta: theta.to_vec(),
            domain,
            proposal,
            patience: PATIENCE,
            interrupt: Interrupt::new(),
        };
        let sampler = sampler(model, theta, domain);
        let own = sampler.map(|sampler| with(Proposal::Model(sampler)));
        let of_own = own.as_ref().map_or(0, |inside| inside.kept(TRIALS, rng));
        // If a quarter is kept, uniform proposals are not tried.
        let is_good = own.is_some() && (domain.is_none() || of_own * 4 >= TRIALS);
        let looked_at = domain.filter(|_| !is_good);
        let uniform = looked_at.and_then(|domain| uniform(model, theta, domain, rng)).map(with);
        let of_uniform = uniform.as_ref().map_or(0, |inside| inside.kept(TRIALS, rng));
        let better = if of_uniform > of_own { uniform.or(own) } else { own.or(uniform) };
        let remedy = "give parameters of a proper density, such as a positive definite covariance, or a bounded domain";
        better.ok_or_else(|| no_sampler(model, remedy))
    }

    /// Proposes draws of the model alone, as [`truncated`](super::truncated) does.
    ///
    /// ```
    /// use steinbound::{domain::Ball, fit::Interrupt, model::Gaussian, simulate};
    /// let (disc, model) = (Ball::new(1.0)?.in_dimension(2), Gaussian::with_variance(2, 1.0)?);
    /// let interrupt = Interrupt::new();
    /// let inside = simulate::Inside::direct(&model, &[0.5, 0.5], &disc)?.interrupt(interrupt.clone());
    /// let rng = &mut simulate::stream(1, 0);
    /// assert_eq!(inside.draw(100, rng)?.len(), 100);
    /// interrupt.raise();
    /// assert!(inside.draw(100, rng).unwrap_err().is_interrupted());
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn direct(model: &'a dyn Model, theta: &[f64], domain: &'a dyn Domain) -> Result<Inside<'a>, Error> {
        check(model, theta, Some(domain))?;
        let remedy = "give parameters of a proper density, such as a positive definite covariance";
        let sampler = sampler(model, theta, Some(domain));
        let sampler = sampler.ok_or_else(|| no_sampler(model, remedy))?;
        Ok(Inside {
            model,
            density: model.density(),
            theta: theta.to_vec(),
            domain: Some(domain),
            proposal: Proposal::Model(sampler),
            patience: DIRECT_PATIENCE,
            interrupt: Interrupt::new(),
        })
    }

    /// Ends drawing with an error once the interrupt is raised.
    pub fn interrupt(mut self, interrupt: Interrupt) -> Inside<'a> {
        self.interrupt = interrupt;
        self
    }

    /// Independent draws, `count` of them.
    pub fn draw(&self, count: usize, rng: &mut ChaCha8Rng) -> Result<Points<'static>, Error> {
        Ok(self.sample(count, rng)?.points)
    }

    /// Independent draws, with the number of proposals they took.
    pub fn sample(&self, count: usize, rng: &mut ChaCha8Rng) -> Result<Sample, Error> {
        let dimension = self.model.dimension();
        check_count(count, dimension)?;
        let mut ahead = Ahead::default();
        let mut values = Vec::with_capacity(count * dimension);
        let mut point = vec![0.0; dimension];
        let (mut accepted, mut drawn) = (0, 0);
        while accepted < count {
            self.interrupt.check()?;
            drawn += 1;
            if self.propose(&mut point, &mut ahead, rng) {
                values.extend_from_slice(&point);
                accepted += 1;
            }
            if drawn >= self.patience && drawn / self.patience > accepted {
                let domain = self.domain.map_or_else(|| "whole space".into(), Domain::describe);
                return Err(DomainError::AcceptanceTooLow { domain, accepted, drawn }.into());
            }
        }
        Ok(Sample { points: Points::new(values, dimension)?, drawn })
    }

    /// The number of proposals per kept draw, estimated from a few draws.
    pub(crate) fn proposals_for_one(&self, rng: &mut ChaCha8Rng) -> Result<f64, Error> {
        Ok(1.0 / self.sample(FEW, rng)?.acceptance())
    }

    /// The number kept out of `trials` proposals.
    fn kept(&self, trials: usize, rng: &mut ChaCha8Rng) -> usize {
        let (mut point, mut ahead) = (vec![0.0; self.model.dimension()], Ahead::default());
        (0..trials).filter(|_| self.propose(&mut point, &mut ahead, rng)).count()
    }

    /// Makes one proposal and returns whether it is kept.
    fn propose(&self, point: &mut [f64], ahead: &mut Ahead, rng: &mut ChaCha8Rng) -> bool {
        let is_inside = |point: &[f64]| self.domain.is_none_or(|domain| domain.contains(point));
        match &self.proposal {
            Proposal::Model(sampler) => {
                sampler(rng, point);
                is_inside(point)
            }
            Proposal::Uniform { window, log_bound, together } if *together > 1 => {
                if ahead.next == ahead.kept.len() {
                    self.look_ahead(window, *log_bound, *together, ahead, rng);
                }
                let at = ahead.next * point.len();
                point.copy_from_slice(&ahead.values[at..at + point.len()]);
                ahead.next += 1;
                ahead.kept[ahead.next - 1]
            }
            Proposal::Uniform { window, log_bound, .. } => {
                in_window(window, point, rng);
                let threshold: f64 = rng.random();
                is_inside(point)
                    && self.density.is_some_and(|density| {
                        (density.log_density(point, &self.theta) - log_bound).exp() > threshold
                    })
            }
        }
    }

    /// Makes a batch of uniform proposals and evaluates which of them are kept.
    fn look_ahead(
        &self,
        window: &[(f64, f64)],
        log_bound: f64,
        together: usize,
        ahead: &mut Ahead,
        rng: &mut ChaCha8Rng,
    ) {
        ahead.values.resize(together * window.len(), 0.0);
        let draw = |point: &mut [f64]| {
            in_window(window, point, rng);
            rng.random()
        };
        let thresholds: Vec<f64> = ahead.values.chunks_exact_mut(window.len()).map(draw).collect();
        let logs = log_densities(self.model, &self.theta, self.domain, &ahead.values);
        ahead.kept = logs.iter().zip(&thresholds).map(|(log, t)| (log - log_bound).exp() > *t).collect();
        ahead.next = 0;
    }
}

/// The error for parameters or a domain that do not match the model.
fn check(model: &dyn Model, theta: &[f64], domain: Option<&dyn Domain>) -> Result<(), Error> {
    if let Some(domain) = domain.filter(|domain| domain.dimension() != model.dimension()) {
        return Err(ModelError::WrongDimension { model: model.dimension(), data: domain.dimension() }.into());
    }
    let bounds = domain.map(Domain::bounds).unwrap_or_default();
    for ((l, (low, high)), support) in bounds.into_iter().enumerate().zip(model.support()) {
        if support == Support::Circle {
            check_turn(model.name(), "region", &format!("x{}", l + 1), high - low)?;
        }
    }
    Ok(check_theta(model, theta)?)
}

/// Draws of the model where the domain is; `None` if it has no sampler at these parameters.
pub fn sampler(model: &dyn Model, theta: &[f64], domain: Option<&dyn Domain>) -> Option<Sampler> {
    let sampling = model.sampling()?;
    match domain {
        Some(domain) => sampling.sampler_for(theta, &domain.bounds()),
        None => sampling.sampler(theta),
    }
}

fn no_sampler(model: &dyn Model, remedy: &'static str) -> Error {
    let model = model.name().to_string();
    ModelError::Unsupported { model, action: "sampled at these parameters", remedy }.into()
}

/// A batch of proposals made in advance.
#[derive(Default)]
struct Ahead {
    values: Vec<f64>,
    kept: Vec<bool>,
    next: usize,
}

/// The log-densities at places, given one after the other: minus infinity outside the domain or where
/// undefined.
fn log_densities(model: &dyn Model, theta: &[f64], domain: Option<&dyn Domain>, values: &[f64]) -> Vec<f64> {
    let places = || values.chunks_exact(model.dimension());
    let is_inside: Vec<bool> =
        places().map(|place| domain.is_none_or(|domain| domain.contains(place))).collect();
    let inside = places().zip(&is_inside).filter(|(_, is_inside)| **is_inside);
    let inside: Vec<f64> = inside.flat_map(|(place, _)| place.iter().copied()).collect();
    let found = Points::new(inside, model.dimension())
        .ok()
        .and_then(|points| AtPoints::all(model, &points).log_densities(theta).ok());
    let mut found = found.into_iter().flatten();
    let log_of = |is_inside: bool| if is_inside { found.next() } else { None };
    let logs = is_inside.into_iter().map(log_of);
    logs.map(|log| log.filter(|log| !log.is_nan()).unwrap_or(f64::NEG_INFINITY)).collect()
}

/// Draws uniformly in a box.
fn in_window(window: &[(f64, f64)], point: &mut [f64], rng: &mut ChaCha8Rng) {
    for (x, (low, high)) in point.iter_mut().zip(window) {
        *x = low + (high - low) * rng.random::<f64>();
    }
}

/// Uniform proposals, where the domain is bounded and the density finite somewhere in it.
fn uniform(model: &dyn Model, theta: &[f64], domain: &dyn Domain, rng: &mut ChaCha8Rng) -> Option<Proposal> {
    let window = domain.bounds();
    if !window.iter().all(|(low, high)| low.is_finite() && high.is_finite()) {
        return None;
    }
    let dimension = model.dimension();
    let mut best = vec![0.0; dimension];
    let mut log_bound = f64::NEG_INFINITY;
    let look = |places: &[f64], best: &mut Vec<f64>, log_bound: &mut f64| {
        let logs = log_densities(model, theta, Some(domain), places);
        for (place, log) in places.chunks_exact(dimension).zip(logs) {
            if log > *log_bound && log < f64::INFINITY {
                *log_bound = log;
                best.copy_from_slice(place);
            }
        }
    };
    let mut pilots = vec![0.0; PILOTS * dimension];
    pilots.chunks_exact_mut(dimension).for_each(|place| in_window(&window, place, rng));
    look(&pilots, &mut best, &mut log_bound);
    let here = Points::new(best.clone(), dimension).ok()?;
    let is_dear = AtPoints::all(model, &here).has_all_log_densities(theta);
    // Search around the best place in shrinking boxes. Where many places are evaluated at once, the best is
    // updated only after each box.
    let at_once = if is_dear { BOX } else { 1 };
    let mut places = vec![0.0; at_once * dimension];
    for k in (0..PILOTS / 10).step_by(at_once) {
        let reach = 0.2 * 0.5f64.powi((k / BOX) as i32);
        for place in places.chunks_exact_mut(dimension) {
            for ((x, centre), (low, high)) in place.iter_mut().zip(&best).zip(&window) {
                *x = centre + reach * (high - low) * (rng.random::<f64>() - 0.5);
            }
        }
        look(&places, &mut best, &mut log_bound);
    }
    let together = if is_dear { TOGETHER } else { 1 };
    log_bound.is_finite().then_some(Proposal::Uniform { window, log_bound: log_bound + HEADROOM, together })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, Cuboid, HalfSpace};
    use crate::model::{Autodiff, Gaussian};
    use crate::random::stream;

    fn mean_of(points: &Points, f: impl Fn(&[f64]) -> f64) -> (f64, f64) {
        let n = points.len() as f64;
        let mean = points.rows().map(&f).sum::<f64>() / n;
        let variance = points.rows().map(|x| (f(x) - mean).powi(2)).sum::<f64>() / n;
        (mean, (variance / n).sqrt())
    }

    /// Uniform proposals and draws of the model give the same distribution.
    #[test]
    fn both_ways_of_drawing_agree() {
        let (model, disc) =
            (Gaussian::with_variance(2, 1.0).unwrap(), Ball::new(1.0).unwrap().in_dimension(2));
        let rng = &mut stream(3, 0);
        // Far from the domain hardly any draw of the model lies inside.
        let far = Inside::new(&model, &[3.5, 0.0], Some(&disc), rng).unwrap();
        assert!(matches!(far.proposal, Proposal::Uniform { .. }));
        let far = far.draw(20_000, rng).unwrap();
        let near = crate::simulate::truncated(&model, &[3.5, 0.0], &disc, 20_000, rng).unwrap().points;
        for f in [|x: &[f64]| x[0], |x: &[f64]| x[0] * x[0], |x: &[f64]| x[1] * x[1]] {
            let ((a, error_a), (b, error_b)) = (mean_of(&far, f), mean_of(&near, f));
            assert!((a - b).abs() < 4.0 * error_a.hypot(error_b), "{a} {b}");
        }
    }

    #[test]
    fn a_formula_is_sampled_on_a_bounded_domain() {
        // The density 3 x^2 on (0, 1) has mean 3/4.
        let names = ["x1".to_string()];
        let model = Autodiff::from_formula("a*log(x1)", &names, &[("a", 2.0)]).unwrap();
        let interval = Cuboid::interval(0.0, 1.0).unwrap();
        let rng = &mut stream(5, 0);
        let inside = Inside::new(&model, &[2.0], Some(&interval), rng).unwrap();
        let (mean, error) = mean_of(&inside.draw(20_000, rng).unwrap(), |x| x[0]);
        assert!((mean - 0.75).abs() < 4.0 * error, "{mean}");
        let half = HalfSpace::new(vec![1.0], 0.0).unwrap();
        assert!(Inside::new(&model, &[2.0], Some(&half), rng).is_err());
    }
}

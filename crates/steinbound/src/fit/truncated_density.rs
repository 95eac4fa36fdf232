//! Normalised densities inside a domain.

use crate::compute::in_pool;
use crate::domain::Domain;
use crate::error::{Error, FitError, ModelError};
use crate::interrupt::Interrupt;
use crate::likelihood::{DETERMINISTIC, FINEST, IntegrationRule};
use crate::method::Estimator;
use crate::minimise::{centred, start_less};
use crate::model::{AtPoints, Model, check_theta};
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::simulate::{Inside, sampler};

/// The rule is refined until the logarithm changes by less than this; by less than [`RANDOM`] for rules of
/// random nodes.
const SETTLED: f64 = 1e-9;

const RANDOM: f64 = 1e-3;

/// The number of draws that the rule is fitted to.
const DRAWS: usize = 500;

/// The largest change that the last refinement may cause. On the border of the United States a third of a per
/// cent remains with a million nodes.
fn tolerable(dimension: usize) -> f64 {
    match dimension {
        0..DETERMINISTIC => 3e-3,
        DETERMINISTIC => 1e-2,
        _ => 5e-2,
    }
}

impl Estimator {
    /// The logarithm of the density inside the domain at fitted parameters; the density integrates to one
    /// there and is zero elsewhere.
    ///
    /// The rule of integration is that of [`truncated_mle`](Estimator::truncated_mle), for the part of the
    /// domain around draws of the density, or around the data if the model cannot be sampled.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, Points, domain::Cuboid, model::Gaussian};
    /// let data = Points::from_rows(&[[-0.5], [0.1], [0.9]])?;
    /// let (interval, model) = (Arc::new(Cuboid::interval(-1.0, 1.0)?), Gaussian::with_variance(1, 1.0)?);
    /// let places = Points::from_rows(&[[0.0], [2.0]])?;
    /// let found = Estimator::tksd().domain(interval).truncated_log_density(&data, &model, &[0.0], &places)?;
    /// // The standard normal has 68 % of its mass within one standard deviation.
    /// assert!((found[0].exp() - 0.3989422804 / 0.6826894921).abs() < 1e-8);
    /// assert_eq!(found[1], f64::NEG_INFINITY);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn truncated_log_density(
        &self,
        data: &Points,
        model: &dyn Model,
        theta: &[f64],
        places: &Points,
    ) -> Result<Vec<f64>, Error> {
        check_theta(model, theta)?;
        for found in [data.dimension(), places.dimension()] {
            if found != model.dimension() {
                return Err(ModelError::WrongDimension { model: model.dimension(), data: found }.into());
            }
        }
        self.interrupt.watch(|| in_pool(|| self.inside(data, model, theta, places)))
    }

    fn inside(
        &self,
        data: &Points,
        model: &dyn Model,
        theta: &[f64],
        places: &Points,
    ) -> Result<Vec<f64>, Error> {
        let domain =
            self.known_domain().ok_or(FitError::NeedsDomain { method: "the density inside the domain" })?;
        // Far from the origin a log-density is a small difference of large numbers.
        let (origin, points) = centred(model, data);
        let around = self.draws(domain, model, theta);
        let theta = start_less(model, theta, &origin);
        let at_data = AtPoints::all(model, &points).until(&self.interrupt).log_densities(&theta)?;
        let peak = at_data.into_iter().filter(|value| value.is_finite()).fold(f64::NEG_INFINITY, f64::max);
        let log_mass =
            self.log_mass(domain, around.as_ref().unwrap_or(data), model, &theta, &origin, peak)?;
        // A density may be undefined outside the domain: evaluate it inside only.
        let inside: Vec<usize> = (0..places.len()).filter(|i| domain.contains(places.row(*i))).collect();
        let mut found = vec![f64::NEG_INFINITY; places.len()];
        if inside.is_empty() {
            return Ok(found);
        }
        let rows: Vec<Vec<f64>> = inside.iter().map(|i| less(places.row(*i), &origin)).collect();
        let rows = Points::from_rows(&rows)?;
        let values = AtPoints::all(model, &rows).until(&self.interrupt).log_densities(&theta)?;
        inside.into_iter().zip(values).for_each(|(i, value)| found[i] = value - log_mass);
        Ok(found)
    }

    /// Draws of the density inside the domain, if the model can be sampled: the density may extend further
    /// than the data.
    fn draws(&self, domain: &dyn Domain, model: &dyn Model, theta: &[f64]) -> Option<Points<'static>> {
        let _can_be_drawn = sampler(model, theta, Some(domain))?;
        let rng = &mut stream(self.seed, tasks::MASS);
        Inside::new(model, theta, Some(domain), rng).ok()?.draw(DRAWS, rng).ok()
    }

    /// The logarithm of the integral over the domain, at parameters for points less an origin.
    ///
    /// The rule is refined until the value settles. Two rules also agree if the nodes of both miss a narrow
    /// part of the density, so at least one node must have half of the density's `peak` at the data.
    fn log_mass(
        &self,
        domain: &dyn Domain,
        data: &Points,
        model: &dyn Model,
        theta: &[f64],
        origin: &[f64],
        peak: f64,
    ) -> Result<f64, Error> {
        let settled = if data.dimension() <= DETERMINISTIC { SETTLED } else { RANDOM };
        let (mut known, mut change): (Option<f64>, f64) = (None, f64::INFINITY);
        for level in 0..=FINEST {
            let rule = IntegrationRule::new(domain, data, level, self.seed, &self.interrupt)?;
            let Some(rule) = rule else { break };
            let (value, largest) = rule.less(origin)?.log_integral(model, theta, &self.interrupt)?;
            let is_seen = largest >= peak - std::f64::consts::LN_2;
            // If there is room for one rule only, that rule is used.
            change = if is_seen { known.map_or(0.0, |before| (before - value).abs()) } else { f64::INFINITY };
            if known.replace(value).is_some() && change < settled {
                break;
            }
        }
        // If the nodes run out before the value settles, the last change must be small.
        let settled_enough = known.filter(|_| change < tolerable(data.dimension()));
        settled_enough.ok_or_else(|| FitError::TooManyNodes { domain: domain.describe() }.into())
    }
}

fn less(x: &[f64], origin: &[f64]) -> Vec<f64> {
    x.iter().zip(origin).map(|(x, o)| x - o).collect()
}

impl IntegrationRule {
    /// The logarithm of the integral of a density that is known up to a constant, and of its largest value at
    /// a node.
    fn log_integral(
        &self,
        model: &dyn Model,
        theta: &[f64],
        interrupt: &Interrupt,
    ) -> Result<(f64, f64), Error> {
        if model.density().is_none() {
            return Err(ModelError::Unsupported {
                model: model.name().to_string(),
                action: "integrated over the domain, because it has no log-density",
                remedy: "give the log-density",
            }
            .into());
        }
        let logs = AtPoints::all(model, &self.points).until(interrupt).log_densities(theta)?;
        let terms: Vec<f64> =
            logs.iter().zip(&self.log_weights).map(|(value, weight)| value + weight).collect();
        let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !largest.is_finite() {
            return Err(FitError::NotFinite { what: "integral of the density over the domain" }.into());
        }
        let peak = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let value = largest + terms.iter().map(|term| (term - largest).exp()).sum::<f64>().ln();
        Ok((value, peak))
    }
}

//! Rules of integration: nodes and weights that turn an integral over a domain into a sum.

use statrs::distribution::{ContinuousCDF, Normal};

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use crate::compute::cholesky::Cholesky;
use crate::compute::gauss_legendre::gauss_legendre;
use crate::domain::{Domain, SECTION_STEPS, scanned_sections};
use crate::error::{ANOTHER_METHOD, Error, FitError, ModelError};
use crate::interrupt::{Interrupt, Interrupted};
use crate::matrix::Matrix;
use crate::model::{AtPoints, Model};
use crate::points::{Points, column_variances};
use crate::random::{stream, tasks};
use crate::simulate::truncated;

/// A rule of integration: `integral of f over the domain ~ sum_q exp(log_weight_q) f(x_q)`.
///
/// [`Estimator::truncated_mle`](crate::Estimator::truncated_mle) finds one for its data. If many samples of
/// one density are fitted, as in a simulation, one rule can be used for all of them
/// ([`Estimator::integrate_by`](crate::Estimator::integrate_by)).
#[derive(Debug, Clone)]
pub struct IntegrationRule {
    pub(crate) points: Points<'static>,
    pub(crate) log_weights: Vec<f64>,
}

/// The values of nodes, row by row, and their log-weights.
type Rule = (Vec<f64>, Vec<f64>);

/// Up to this dimension the rule is deterministic.
pub(crate) const DETERMINISTIC: usize = 3;

/// The finest level of refinement, if its number of nodes is acceptable.
pub(crate) const FINEST: u32 = 12;

/// The most nodes.
const MOST_NODES: usize = 1_000_000;

/// Steps in which a plane is searched for the domain.
const MEETING_STEPS: u32 = 48;

/// Nodes of the rule on each panel: exact for polynomials of degree 15.
const ORDER: usize = 8;

impl IntegrationRule {
    /// A rule for the part of the domain around the data, fine enough for densities about as wide as the
    /// data; each level halves its panels and doubles its reach.
    ///
    /// `None` if the rule would have too many nodes, or is incomplete because of an interrupt.
    pub(crate) fn new(
        domain: &dyn Domain,
        data: &Points,
        level: u32,
        seed: u64,
        interrupt: &Interrupt,
    ) -> Result<Option<IntegrationRule>, Error> {
        let nodes = if data.dimension() <= DETERMINISTIC {
            Grid::new(domain, data, level, interrupt).nodes()?
        } else {
            quasi_random(domain, data, level, seed, interrupt)?
        };
        let Some((values, log_weights)) = nodes else { return Ok(None) };
        if log_weights.is_empty() {
            return Err(FitError::EmptyDomain { domain: domain.describe() }.into());
        }
        Ok(Some(IntegrationRule { points: Points::new(values, data.dimension())?, log_weights }))
    }

    /// Draws of a model inside a domain, suited to integrals of similar densities.
    ///
    /// With `n` observations and `count` draws, estimates differ from those with exact integrals by about
    /// `sqrt(n / count)` standard errors, in the same way for all samples that share the rule; the weights
    /// are correct up to a common factor, which no estimate depends on.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, domain::Ball, fit::IntegrationRule, model::Gaussian, simulate};
    /// let ball = Ball::new(2.6)?.in_dimension(6);
    /// let model = Gaussian::with_variance(6, 1.0)?;
    /// let rng = &mut simulate::stream(1, 0);
    /// let data = simulate::truncated(&model, &[0.5; 6], &ball, 300, rng)?.points;
    /// let rule = Arc::new(IntegrationRule::from_draws(&model, &[0.5; 6], &ball, 10_000, rng)?);
    /// let fit = Estimator::truncated_mle().domain(Arc::new(ball)).integrate_by(rule).fit(&data, &model)?;
    /// assert!((fit.estimates()[0] - 0.5).abs() < 4.0 * fit.std_errors()[0]);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn from_draws(
        model: &dyn Model,
        theta: &[f64],
        domain: &dyn Domain,
        count: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<IntegrationRule, Error> {
        let points = truncated(model, theta, domain, count, rng)?.points;
        if model.density().is_none() {
            return Err(ModelError::Unsupported {
                model: model.name().to_string(),
                action: "integrated over draws, because it has no log-density",
                remedy: ANOTHER_METHOD,
            }
            .into());
        }
        let log_weights =
            AtPoints::all(model, &points).log_densities(theta)?.into_iter().map(|log| -log).collect();
        Ok(IntegrationRule { points, log_weights })
    }

    /// The same rule, with its places measured from an origin.
    pub(crate) fn less(self, origin: &[f64]) -> Result<IntegrationRule, Error> {
        let values: Vec<f64> =
            self.points.rows().flat_map(|x| x.iter().zip(origin).map(|(x, o)| x - o)).collect();
        Ok(IntegrationRule { points: Points::new(values, origin.len())?, log_weights: self.log_weights })
    }
}

/// Gauss-Legendre panels along every axis: along the last one on each section of the domain, along the others
/// on the intervals that the domain covers.
///
/// At the ends of the domain the measure of its sections often vanishes like a square root; there the
/// substitution `x = middle - half cos(pi t)` makes the integrand smooth.
struct Grid<'a> {
    domain: &'a dyn Domain,
    /// The range of nodes: the domain's bounds, limited to the data and a margin around them.
    windows: Vec<(f64, f64)>,
    /// The width of panels along each axis.
    outer: Vec<f64>,
    /// Their width on sections of the last axis. Sections end at the boundary, so that the accuracy there
    /// depends only on the smoothness of the density, and less refinement is needed than along the other
    /// axes.
    inner: f64,
    /// The places along each axis, in order, at which sections change abruptly.
    breaks: Vec<Vec<f64>>,
    rule: Vec<(f64, f64)>,
    interrupt: &'a Interrupt,
}

impl<'a> Grid<'a> {
    fn new(domain: &'a dyn Domain, data: &Points, level: u32, interrupt: &'a Interrupt) -> Grid<'a> {
        // Panels two deviations wide integrate a normal density to ten digits; in three dimensions nodes cost
        // more.
        let widest = if data.dimension() < DETERMINISTIC { 2.0 } else { 3.0 };
        let spread = deviations(data);
        let reach = f64::from(1 << level);
        let bounds = domain.bounds();
        let window = |(l, (least, most)): (usize, (f64, f64))| {
            let margin = 2.0 * reach * (most - least).max(spread[l]);
            // Bounds may be estimates; the domain contains at least the data.
            let (low, high) = (bounds[l].0.min(least), bounds[l].1.max(most));
            (low.max(least - margin), high.min(most + margin))
        };
        Grid {
            domain,
            windows: data.bounds().into_iter().enumerate().map(window).collect(),
            outer: spread.iter().map(|s| widest * s / reach).collect(),
            inner: widest * spread[data.dimension() - 1]
                / if data.dimension() == 1 { reach } else { reach.powf(0.75) },
            breaks: (0..data.dimension()).map(|axis| sorted(domain.breaks(axis))).collect(),
            rule: gauss_legendre(ORDER),
            interrupt,
        }
    }

    fn nodes(&self) -> Result<Option<Rule>, Interrupted> {
        let mut out = (Vec::new(), Vec::new());
        let mut place = vec![0.0; self.windows.len()];
        Ok(self.fill(0, 0.0, &mut place, &mut out)?.then_some(out))
    }

    /// Adds all nodes whose first coordinates are those of `place`; false if there are too many.
    fn fill(
        &self,
        axis: usize,
        log_weight: f64,
        place: &mut [f64],
        out: &mut Rule,
    ) -> Result<bool, Interrupted> {
        let is_last = axis + 1 == place.len();
        let width = if is_last { self.inner } else { self.outer[axis] };
        for interval in self.intervals(axis, place) {
            let count = panels(interval.1 - interval.0, width);
            if out.1.len() + count * ORDER > MOST_NODES {
                return Ok(false);
            }
            if is_last {
                for (x, weight) in self.panelled(interval, count) {
                    place[axis] = x;
                    out.0.extend_from_slice(place);
                    out.1.push(log_weight + weight.ln());
                }
                continue;
            }
            for (x, weight) in self.smoothed(interval, axis, count) {
                place[axis] = x;
                if !self.fill(axis + 1, log_weight + weight.ln(), place, out)? {
                    return Ok(false);
                }
            }
        }
        self.interrupt.check()?;
        Ok(true)
    }

    /// The intervals along an axis that the domain covers, for the earlier coordinates of `place`.
    fn intervals(&self, axis: usize, place: &[f64]) -> Vec<(f64, f64)> {
        if axis + 1 == place.len() {
            return self.domain.sections(place, axis, self.windows[axis]);
        }
        let whole = scanned_sections(
            |place| self.is_met(axis + 1, place),
            place,
            axis,
            self.windows[axis],
            SECTION_STEPS,
        );
        whole.into_iter().flat_map(|interval| self.cut(interval, axis)).collect()
    }

    /// An interval, cut at the places where sections change abruptly.
    fn cut(&self, (low, high): (f64, f64), axis: usize) -> Vec<(f64, f64)> {
        let margin = 1e-9 * (high - low);
        let is_inside = |at: &f64| *at > low + margin && *at < high - margin;
        let mut ends: Vec<f64> = self.breaks[axis].iter().copied().filter(is_inside).collect();
        ends.push(high);
        let mut start = low;
        let mut parts = Vec::with_capacity(ends.len());
        for end in ends {
            if end - start > margin {
                parts.push((start, end));
                start = end;
            }
        }
        parts
    }

    /// Whether the domain has points whose coordinates before `axis` are those of `place`.
    fn is_met(&self, axis: usize, place: &[f64]) -> bool {
        // Ends the scan; the nodes computed from it are discarded with the error.
        if self.interrupt.is_raised() {
            return false;
        }
        if axis + 1 == place.len() {
            return !self.domain.sections(place, axis, self.windows[axis]).is_empty();
        }
        let (low, high) = self.windows[axis];
        let mut place = place.to_vec();
        (0..=MEETING_STEPS).any(|step| {
            place[axis] = low + (high - low) * f64::from(step) / f64::from(MEETING_STEPS);
            self.is_met(axis + 1, &place)
        })
    }

    fn panelled(&self, (low, high): (f64, f64), count: usize) -> Vec<(f64, f64)> {
        let width = (high - low) / count as f64;
        let panel = |k: usize| {
            let middle = low + (k as f64 + 0.5) * width;
            self.rule.iter().map(move |(t, w)| (middle + 0.5 * width * t, 0.5 * width * w))
        };
        (0..count).flat_map(panel).filter(|(_, w)| *w > 0.0).collect()
    }

    fn smoothed(&self, (low, high): (f64, f64), axis: usize, count: usize) -> Vec<(f64, f64)> {
        // At the end of a window the domain does not end, and no substitution is needed.
        let window = self.windows[axis];
        let bounds = self.domain.bounds()[axis];
        let is_cut = |end: f64, window: f64, bound: f64| end == window && window != bound;
        let is_short = high - low < 0.05 * self.outer[axis];
        if is_short || is_cut(low, window.0, bounds.0) || is_cut(high, window.1, bounds.1) {
            return self.panelled((low, high), count);
        }
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let count = (2 * count).max(3);
        let panel = |k: usize| {
            self.rule.iter().map(move |(t, w)| {
                let angle = std::f64::consts::PI * (k as f64 + 0.5 * (1.0 + t)) / count as f64;
                let stretch = 0.5 * std::f64::consts::PI / count as f64 * half * angle.sin();
                (middle - half * angle.cos(), w * stretch)
            })
        };
        (0..count).flat_map(panel).filter(|(_, w)| *w > 0.0).collect()
    }
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// The number of panels of at most this width that fill a length.
fn panels(length: f64, width: f64) -> usize {
    // Converting a float beyond the range of integers gives the largest one.
    ((length / width).ceil() as usize).clamp(1, MOST_NODES)
}

/// The standard deviation of each coordinate, or 1 if it is constant.
fn deviations(data: &Points) -> Vec<f64> {
    column_variances(data, &data.weights()).iter().map(|variance| variance.sqrt()).collect()
}

fn covariance(data: &Points) -> Matrix {
    let (mean, weights) = (data.mean(), data.relative_weights());
    let mut covariance = Matrix::zeros(data.dimension(), data.dimension());
    for (x, weight) in data.rows().zip(&weights) {
        for l in 0..x.len() {
            for k in 0..x.len() {
                covariance[(l, k)] += weight / data.len() as f64 * (x[l] - mean[l]) * (x[k] - mean[k]);
            }
        }
    }
    covariance
}

/// Variance of the proposal over that of the data: wider tails keep the weights bounded.
const INFLATION: f64 = 1.6;

/// Quasi-random places drawn at the coarsest level; each further level draws four times that number.
const COARSEST: usize = 16_000;

/// The most quasi-random places.
const MOST_DRAWS: usize = COARSEST << 8;

/// The distribution of quasi-random places, by a map from the unit cube.
enum Proposal {
    /// The box around the domain, if the domain fills a good part of it.
    Box(Vec<(f64, f64)>),
    /// A normal distribution shaped like the data.
    Normal { mean: Vec<f64>, factor: Cholesky },
}

impl Proposal {
    fn new(domain: &dyn Domain, data: &Points, seed: u64) -> Result<Proposal, Error> {
        let bounds = domain.bounds();
        if bounds.iter().all(|(low, high)| low.is_finite() && high.is_finite()) {
            let uniform = Proposal::Box(bounds);
            let mut sequence = Kronecker::new(data.dimension(), seed);
            let inside = (0..1000).filter(|_| domain.contains(&uniform.place(&sequence.next()).0)).count();
            if inside > 300 {
                return Ok(uniform);
            }
        }
        let mut spread = covariance(data);
        spread.values_mut().iter_mut().for_each(|v| *v *= INFLATION);
        let factor = match Cholesky::new(spread) {
            Some(factor) => factor,
            None => {
                let variances: Vec<f64> = deviations(data).iter().map(|s| INFLATION * s * s).collect();
                Cholesky::new(Matrix::diagonal(&variances))
                    .ok_or(FitError::NotFinite { what: "data's spread" })?
            }
        };
        Ok(Proposal::Normal { mean: data.mean(), factor })
    }

    /// The place for a point of the unit cube, and the logarithm of one over the density there.
    fn place(&self, cube: &[f64]) -> (Vec<f64>, f64) {
        match self {
            Proposal::Box(sides) => {
                let place = cube.iter().zip(sides).map(|(t, (low, high))| low + t * (high - low)).collect();
                (place, sides.iter().map(|(low, high)| (high - low).ln()).sum())
            }
            Proposal::Normal { mean, factor } => {
                let normal = Normal::standard();
                let z: Vec<f64> =
                    cube.iter().map(|t| normal.inverse_cdf(t.clamp(1e-15, 1.0 - 1e-15))).collect();
                let place = factor.times_lower(&z).iter().zip(mean).map(|(v, m)| v + m).collect();
                let squares = z.iter().map(|z| z * z + (2.0 * std::f64::consts::PI).ln()).sum::<f64>();
                (place, factor.log_diagonal() + 0.5 * squares)
            }
        }
    }
}

/// The Kronecker sequence `frac(shift + i alpha)`, with the powers of the generalised golden ratio (the root
/// of `g^(d+1) = g + 1`) for `alpha` and a seeded shift.
struct Kronecker {
    places: Vec<f64>,
    steps: Vec<f64>,
}

impl Kronecker {
    fn new(dimension: usize, seed: u64) -> Kronecker {
        let golden = (0..60).fold(1.5f64, |g, _| (1.0 + g).powf(1.0 / (dimension as f64 + 1.0)));
        let rng = &mut stream(seed, tasks::NODES);
        Kronecker {
            places: (0..dimension).map(|_| rng.random::<f64>()).collect(),
            steps: (1..=dimension).map(|l| golden.powi(-(l as i32))).collect(),
        }
    }

    fn next(&mut self) -> Vec<f64> {
        for (place, step) in self.places.iter_mut().zip(&self.steps) {
            *place = (*place + step).fract();
        }
        self.places.clone()
    }
}

/// Quasi-random nodes inside the domain, weighted by one over the density they were drawn from.
fn quasi_random(
    domain: &dyn Domain,
    data: &Points,
    level: u32,
    seed: u64,
    interrupt: &Interrupt,
) -> Result<Option<Rule>, Error> {
    let count = COARSEST << (2 * level.min(8));
    if count > MOST_DRAWS {
        return Ok(None);
    }
    let proposal = Proposal::new(domain, data, seed)?;
    let mut sequence = Kronecker::new(data.dimension(), seed);
    let (mut values, mut log_weights) = (Vec::new(), Vec::new());
    for _ in 0..count {
        interrupt.check()?;
        let (x, log_weight) = proposal.place(&sequence.next());
        if domain.contains(&x) {
            log_weights.push(log_weight - (count as f64).ln());
            values.extend(x);
        }
    }
    Ok(Some((values, log_weights)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, Cuboid, HalfSpace, Norm};

    fn data(dimension: usize) -> Points<'static> {
        let mut rng = stream(1, dimension as u64);
        Points::new((0..400 * dimension).map(|_| rng.random::<f64>() - 0.4).collect::<Vec<_>>(), dimension)
            .unwrap()
    }

    fn integral(nodes: &IntegrationRule, f: impl Fn(&[f64]) -> f64) -> f64 {
        nodes.points.rows().zip(&nodes.log_weights).map(|(x, w)| w.exp() * f(x)).sum()
    }

    #[test]
    fn volumes_and_moments_of_known_shapes() {
        let disc = Ball::new(1.3).unwrap().in_dimension(2);
        let nodes = IntegrationRule::new(&disc, &data(2), 0, 0, &Interrupt::new()).unwrap().unwrap();
        let area = std::f64::consts::PI * 1.69;
        assert!((integral(&nodes, |_| 1.0) / area - 1.0).abs() < 1e-10);
        assert!((integral(&nodes, |x| x[0] * x[0]) / (area * 1.69 / 4.0) - 1.0).abs() < 1e-10);
        let diamond = Ball::new(1.0).unwrap().in_dimension(2).with_norm(Norm::One);
        let nodes = IntegrationRule::new(&diamond, &data(2), 0, 0, &Interrupt::new()).unwrap().unwrap();
        assert!((integral(&nodes, |_| 1.0) - 2.0).abs() < 1e-4);
        let ball = Ball::new(1.0).unwrap().in_dimension(3);
        let volume = 4.0 / 3.0 * std::f64::consts::PI;
        let error = |level: u32| {
            let nodes = IntegrationRule::new(&ball, &data(3), level, 0, &Interrupt::new()).unwrap().unwrap();
            (integral(&nodes, |_| 1.0) / volume - 1.0).abs()
        };
        assert!(
            error(0) < 0.02 && error(1) < 5e-3 && error(2) < 2e-3,
            "{} {} {}",
            error(0),
            error(1),
            error(2)
        );
        let interval = Cuboid::interval(-1.0, 2.0).unwrap();
        let nodes = IntegrationRule::new(&interval, &data(1), 0, 0, &Interrupt::new()).unwrap().unwrap();
        assert!((integral(&nodes, |x| x[0].exp()) - (2f64.exp() - (-1f64).exp())).abs() < 1e-12);
    }

    /// A normal distribution has mass Phi(-1/2) beyond a plane at half its deviation.
    #[test]
    fn unbounded_domains_are_followed_as_far_as_mass_lies() {
        let plane = HalfSpace::new(vec![1.0, 0.0], 0.5).unwrap();
        let normal = |x: &[f64]| (-0.5 * (x[0] * x[0] + x[1] * x[1])).exp() / (2.0 * std::f64::consts::PI);
        let points: Vec<f64> = data(2).values().iter().map(|v| 5.0 * v).collect();
        let nodes = IntegrationRule::new(&plane, &Points::new(points, 2).unwrap(), 1, 0, &Interrupt::new())
            .unwrap()
            .unwrap();
        let exact = Normal::standard().cdf(-0.5);
        assert!((integral(&nodes, normal) / exact - 1.0).abs() < 1e-8);
    }

    #[test]
    fn many_dimensions_are_sampled() {
        let ball = Ball::new(1.0).unwrap().in_dimension(5);
        let rng = &mut stream(3, 0);
        let values: Vec<f64> = (0..5000).map(|_| 0.8 * (rng.random::<f64>() - 0.5)).collect();
        let nodes = IntegrationRule::new(&ball, &Points::new(values, 5).unwrap(), 1, 0, &Interrupt::new())
            .unwrap()
            .unwrap();
        // The volume of the unit ball in five dimensions.
        let volume = 8.0 / 15.0 * std::f64::consts::PI.powi(2);
        assert!((integral(&nodes, |_| 1.0) / volume - 1.0).abs() < 0.05);
    }
}

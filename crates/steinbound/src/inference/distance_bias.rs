//! The bias of estimates by distances to the nearest of too few boundary points.

use rand::seq::SliceRandom;

use super::diagnostics::Disagreement;
use crate::domain::farthest_first;
use crate::error::Error;
use crate::fit::{DistanceKind, Fit, Problem};
use crate::points::{Points, squared_distance};
use crate::random::{stream, tasks};
use crate::warning::{Warning, WarningKind};

/// The largest bias, in standard errors, that intervals can hold.
pub(super) const LARGEST_BIAS: f64 = 0.3;

/// Places from which the distances to boundary points are looked at, at most.
const PROBES: usize = 2_000;

/// Choices of even points, each from another first one, over which spacings are averaged.
const CHOICES: usize = 4;

/// Distances between boundary points that are affordable.
const AFFORDABLE: usize = 50_000_000;

/// The number of even points at which their spacing is first compared.
const FIRST_LEVEL: usize = 8;

/// Even points show what all points are worth if these are worth no more than this many times as many,
const MOST_TIMES: f64 = 8.0;

/// and if their squared spacing is at least this share of that of twice the even points. Less is lost in the differences
/// of even points from the law.
const LEAST_SHARE: f64 = 0.2;

/// Numbers of boundary points in two halves, each of which leaves out half of the regions of the boundary.
///
/// # Definition
///
/// At a distance `a` from a surface, the nearest of some points on it is at `sqrt(a^2 + s^2)`, where `s` is measured along
/// the surface. So the mean of the squared distances of the data to `k` points, less that to all, is `S_k = E s_k^2 - E
/// s^2`, without `a`. Points that are chosen to be even on a surface of `d - 1` dimensions have `E s_k^2 = A k^(-q)`, `q =
/// 2 / (d - 1)`. Two values of `k` give `A` and `E s^2`, and `E s^2 = A m^(-q)` the number `m` of even points that all are
/// worth. Points that are repeated, close to others, or crowd along curves make `m` no larger, as long as `k` is so small
/// that even points do not see them: the first `k` is taken that is not far below `m`.
///
/// The regions are then those nearest to each of `m` even points, of which half are left out at random.
fn halves(boundary: &Points, data: &Points, seed: u64) -> [Vec<usize>; 2] {
    let count = boundary.len();
    let most = count.min((AFFORDABLE / count).max(4 * FIRST_LEVEL));
    let choose = |c: usize| farthest_first(count, |i| boundary.row(i), most, c * count / CHOICES);
    let orders: Vec<Vec<usize>> = (0..CHOICES).map(choose).collect();
    let regions = (worth(boundary, data, &orders).round() as usize).clamp(2, most);
    let nearest_of = |i: usize| {
        let distance = |center: &usize| squared_distance(boundary.row(i), boundary.row(*center));
        let centers = orders[0][..regions].iter().enumerate();
        centers.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1))).map_or(0, |(region, _)| region)
    };
    let mut drawn: Vec<usize> = (0..regions).collect();
    drawn.shuffle(&mut stream(seed, tasks::FOLDS));
    let mut halves = [Vec::new(), Vec::new()];
    (0..count).for_each(|i| halves[drawn[nearest_of(i)] % 2].push(i));
    halves
}

/// How many even points are as near to the boundary, on average, as all of them ([`halves`]), from `orders` of them of
/// which the first few are even.
fn worth(boundary: &Points, data: &Points, orders: &[Vec<usize>]) -> f64 {
    let probes: Vec<&[f64]> = data.rows().step_by(data.len().div_ceil(PROBES).max(1)).collect();
    let mean = |squares: &[f64]| squares.iter().sum::<f64>() / squares.len() as f64;
    let lower = |nearest: &mut [f64], to: &[f64]| {
        nearest
            .iter_mut()
            .zip(&probes)
            .for_each(|(nearest, x)| *nearest = nearest.min(squared_distance(x, to)));
    };
    let most = orders[0].len();
    let levels: Vec<usize> =
        std::iter::successors(Some(FIRST_LEVEL), |k| Some(2 * k)).take_while(|k| *k <= most).collect();
    let mut means = vec![0.0; levels.len()];
    for order in orders {
        let (mut nearest, mut taken) = (vec![f64::INFINITY; probes.len()], 0);
        for (level, sum) in levels.iter().zip(&mut means) {
            order[taken..*level].iter().for_each(|i| lower(&mut nearest, boundary.row(*i)));
            taken = *level;
            *sum += mean(&nearest) / orders.len() as f64;
        }
    }
    let mut nearest = vec![f64::INFINITY; probes.len()];
    boundary.rows().for_each(|to| lower(&mut nearest, to));
    let to_all = mean(&nearest);
    let power = 2.0 / (boundary.dimension() as f64 - 1.0);
    let spacing = |k: f64| k.powf(-power);
    let at_level = |(at, k): (usize, &usize)| {
        let (k, finer) = (*k as f64, means.get(at + 1)? - to_all);
        let factor = (means[at] - to_all - finer) / (spacing(k) - spacing(2.0 * k));
        let own = spacing(2.0 * k) - finer / factor;
        let worth = own.powf(-1.0 / power);
        (own >= LEAST_SHARE * spacing(2.0 * k) && worth <= MOST_TIMES * k).then_some(worth)
    };
    levels.iter().enumerate().find_map(at_level).unwrap_or(boundary.len() as f64)
}

impl Problem<'_> {
    /// The bias of the estimate that is due to distances to the nearest of some boundary points, in standard
    /// errors; `None` where distances are measured otherwise or the estimate has none.
    ///
    /// Between the points, such a distance is not zero on the boundary but as large as their spacing, which grows by
    /// `c = 2^(1 / (d - 1))` if half of the regions of the boundary are left out ([`halves`]). The bias grows with the
    /// spacing (or the power of it that is used), so that it is the move of the estimate divided by `c - 1`; the move is
    /// averaged over both halves of the points.
    pub(crate) fn distance_bias(&self, fit: &Fit) -> Result<Option<Disagreement>, Error> {
        let is_nearest = self.setup().distance == Some(DistanceKind::Nearest);
        let (Some(boundary), Some(theta)) = (self.boundary(), fit.fitted_parameters()) else {
            return Ok(None);
        };
        let dimension = self.data.dimension();
        if !is_nearest || dimension < 2 || boundary.len() < 2 || !fit.is_trustworthy() {
            return Ok(None);
        }
        let mut moved = vec![0.0; fit.fitted().len()];
        for half in halves(boundary, self.data, self.estimator.seed) {
            let rows: Vec<&[f64]> = half.into_iter().map(|i| boundary.row(i)).collect();
            let refitted = self.with_distances_to(Points::from_rows(&rows)?, theta.clone())?.fit();
            let refitted = match refitted {
                Err(error) if error.is_interrupted() => return Err(error),
                Err(_) => return Ok(None),
                Ok(refitted) => refitted,
            };
            for (sum, (of, other)) in moved.iter_mut().zip(fit.fitted().iter().zip(refitted.fitted())) {
                let change = (other.estimate.zip(of.estimate)).map(|(other, own)| other - own);
                *sum += 0.5 * change.unwrap_or(f64::NAN) / of.std_error.unwrap_or(f64::NAN);
            }
        }
        let growth = 2f64.powf(self.estimator.distance_power / (dimension as f64 - 1.0)) - 1.0;
        let moves = fit.fitted().iter().zip(moved).filter(|(_, moved)| moved.is_finite());
        let most = moves.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        Ok(most.map(|(parameter, moved)| Disagreement {
            parameter: parameter.name.clone(),
            standard_errors: moved.abs() / growth,
        }))
    }

    /// What to say of such a bias if it is too large.
    pub(super) fn of_distance_bias(&self, found: Option<&Disagreement>) -> Option<Warning> {
        let Disagreement { parameter, standard_errors } =
            found.filter(|found| found.standard_errors > LARGEST_BIAS)?;
        let count = self.boundary().map_or(0, Points::len);
        Some(WarningKind::Boundary.warning(format!(
            "{standard_errors:.2} standard errors: about this much of the estimate of {parameter} is a bias, because \
             distances to the boundary are those to the nearest of only {count} points, as fits with half of them show; \
             do not use it: give more points all over the boundary or the region, or use efficient or tksd"
        )))
    }

    /// Warns of such a bias in a fit that is not diagnosed otherwise.
    pub(super) fn warn_of_distance_bias(&self, fit: &mut Fit) -> Result<(), Error> {
        let found = self.distance_bias(fit)?;
        let warning = self.of_distance_bias(found.as_ref());
        fit.converged &= warning.is_none();
        fit.warnings.extend(warning);
        Ok(())
    }
}

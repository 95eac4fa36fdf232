//! Whether the data reach as far towards the boundary as the fitted density says.

use rayon::prelude::*;

use super::check::{Check, Unit};
use super::drawn::Drawn;
use crate::domain::nearest_point;
use crate::fit::Problem;
use crate::minimise::effective_observations;
use crate::points::Points;
use crate::warning::{Warning, WarningKind};

/// The number of points between data and boundary, as the fitted density expects it, from which their absence is
/// a contradiction: its probability is below one in a million.
const MOST_EXPECTED: f64 = 14.0;

/// The same where it is not known on which side of the boundary a draw is.
const MOST_EXPECTED_OF_HALF: f64 = 25.0;

/// The smallest number of draws between data and boundary that is more than chance.
const FEWEST_DRAWS: usize = 10;

/// The most observations whose distances to the boundary are measured.
const MOST_MEASURED: usize = 20_000;

/// Values of a coordinate of which this share is repeated lie on a grid.
const REPEATED: f64 = 0.5;

/// The name of the check.
pub(super) const MARGIN: &str = "margin";

/// The strip between the boundary and the observation nearest to it.
///
/// # Definition
///
/// Of `n` observations none is nearer to the boundary than `t`, the smallest of their distances. If the fitted
/// density has a share `q` of its mass inside the region nearer than that, the probability of this is `(1 - q)^n`,
/// about `exp(-n q)`. A large `n q` means that boundary and data do not belong together (other units, another
/// region, a border farther out than the one that truncated the data), or that the model is not the data's: the
/// estimate then explains an emptiness that the data do not have.
///
/// Where only boundary points are known, distances are those to the nearest of them, and half of the draws near
/// them count as inside.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Margin {
    /// The number of points that the density expects in the strip, `n q`.
    expected: f64,
    /// The width of the strip, `t`.
    width: f64,
    /// The largest number that is harmless.
    limit: f64,
    /// Whether hardly a draw is anywhere near data and boundary points, where no region tells how many are inside.
    is_elsewhere: bool,
}

impl Margin {
    /// `None` where the method does not look at a boundary.
    pub(super) fn of(problem: &Problem, drawn: &Drawn) -> Option<Margin> {
        if !problem.method().uses().knows_boundary() || problem.model.conditional().is_some() {
            return None;
        }
        let domain = problem.estimator.domain.as_deref();
        let dimension = problem.data.dimension();
        let boundary = match domain.filter(|domain| domain.has_distance()) {
            Some(_) => None,
            None => Some(problem.boundary().filter(|points| !points.is_empty())?),
        };
        let distance = |x: &[f64]| match (boundary, domain) {
            (Some(points), _) => nearest_point(x, points).map_or(f64::INFINITY, |(square, _)| square.sqrt()),
            (None, Some(domain)) => domain.distance_to_boundary(x, &mut vec![0.0; dimension]),
            (None, None) => f64::INFINITY,
        };
        let step = problem.data.len().div_ceil(MOST_MEASURED).max(1);
        let rows: Vec<usize> =
            (0..problem.data.len()).step_by(step).filter(|i| problem.weights[*i] > 0.0).collect();
        let nearest = rows.par_iter().map(|i| distance(problem.data.row(*i)));
        let width = nearest.reduce(|| f64::INFINITY, f64::min);
        let draws = drawn.inside();
        let is_elsewhere = domain.is_none() && {
            let boxes = [Some(problem.data.bounds()), boundary.map(Points::bounds)];
            let is_within = |x: &[f64], bounds: &[(f64, f64)]| {
                x.iter().zip(bounds).all(|(v, (low, high))| (*low..=*high).contains(v))
            };
            let is_near = |x: &&&[f64]| boxes.iter().flatten().any(|bounds| is_within(x, bounds));
            draws.iter().filter(is_near).count() < FEWEST_DRAWS
        };
        // Data on a grid may stop short of the boundary by a cell.
        if !(width > grid_step(problem.data, &rows) && width.is_finite()) {
            return is_elsewhere.then_some(Margin {
                expected: 0.0,
                width,
                limit: MOST_EXPECTED,
                is_elsewhere,
            });
        }
        let near = draws.par_iter().filter(|x| distance(x) < width).count();
        if near < FEWEST_DRAWS {
            return Some(Margin { expected: 0.0, width, limit: MOST_EXPECTED, is_elsewhere });
        }
        let share = near as f64 / draws.len() as f64;
        let (share, limit) = match domain {
            Some(_) => (share, MOST_EXPECTED),
            None => (0.5 * share, MOST_EXPECTED_OF_HALF),
        };
        let weights: Vec<f64> = rows.iter().map(|i| problem.weights[*i]).collect();
        let observations = effective_observations(&weights).min(problem.data.independent() as f64);
        Some(Margin { expected: share * observations, width, limit, is_elsewhere })
    }

    pub(super) fn check(&self) -> Check {
        let what = "points missing between data and boundary";
        Check::new(MARGIN, what, self.expected, Unit::Points, self.limit)
    }

    /// What contradicts the fit, or makes it useless.
    pub(super) fn warning(&self) -> Option<Warning> {
        if self.is_elsewhere {
            return Some(WarningKind::Model.warning(
                "hardly any of the fitted density's mass is where data and boundary points are, so that the fit \
                 extrapolates from its tail; do not rely on it far from the data, and check units or hold more \
                 parameters fixed",
            ));
        }
        (self.expected > self.limit).then(|| {
            WarningKind::Boundary.warning(format!(
                "no point is nearer to the boundary than {:.2e}, where the fitted density expects {:.0} of them: \
                 boundary and data do not belong together, or the model is not theirs; do not use the estimate: check \
                 that the region is the one that truncated the data, in the same columns and units, or use another \
                 model",
                self.width, self.expected
            ))
        })
    }
}

/// The width of the cells of a grid on which the data lie, as rounded data do; zero if they do not.
fn grid_step(data: &Points, rows: &[usize]) -> f64 {
    let step = |l: usize| {
        let mut values: Vec<f64> = rows.iter().map(|i| data.row(*i)[l]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        if values.len() < 2 || values.len() as f64 > (1.0 - REPEATED) * rows.len() as f64 {
            return 0.0;
        }
        let mut gaps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let middle = gaps.len() / 2;
        *gaps.select_nth_unstable_by(middle, f64::total_cmp).1
    };
    (0..data.dimension()).map(|l| step(l).powi(2)).sum::<f64>().sqrt()
}

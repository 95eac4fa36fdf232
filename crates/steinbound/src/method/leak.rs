//! The kernel's residual on the boundary between the boundary points.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{DEFAULT_RIDGE, Estimator, Preparation};
use crate::compute::dot;
use crate::domain::{BoundarySampling, Gap, gaps};
use crate::error::Error;
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::stein::{Conditioned, KernelResidual, LEAK_PROBES};
use crate::text::significant;
use crate::warning::{Warning, WarningKind};

/// The share of the kernel that remains at places on the boundary.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BoundaryLeaks {
    /// The places: different from the boundary points if the domain is known, otherwise some of the boundary
    /// points themselves.
    pub places: Points<'static>,
    /// The share that remains at each of them, from 0 to 1.
    pub leaks: Vec<f64>,
    /// Whether the places are boundary points, each measured with the other points only. Gaps between them
    /// are then not measured, because the boundary is not known elsewhere.
    pub are_boundary_points: bool,
}

/// The size of the kernel between data and boundary ([`KernelResidual::tie`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tie {
    /// Relative to the kernel among the data.
    pub strength: f64,
    /// Above this limit the resulting bias is no longer small relative to the standard errors.
    pub limit: f64,
}

/// The share of the boundary's extent below which two points count as the same: neither would show a gap at
/// the other.
const SAME_POINT: f64 = 1e-5;

/// The boundary points without near duplicates; `None` if there are none. A duplicated point would hide the
/// gap at its own place.
pub(crate) fn distinct(boundary: &Points) -> Result<Option<Points<'static>>, Error> {
    let extent = |l: usize| {
        let values = boundary.rows().map(|row| row[l]);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        (low, SAME_POINT * (high - low))
    };
    let extents: Vec<(f64, f64)> = (0..boundary.dimension()).map(extent).collect();
    let cell = |row: &[f64]| -> Vec<i64> {
        let steps = row.iter().zip(&extents).map(|(value, (low, step))| (value - low) / step);
        steps.map(|steps| if steps.is_finite() { steps.round() as i64 } else { 0 }).collect()
    };
    let rows = one_of_each(boundary, cell);
    if rows.len() == boundary.len() {
        return Ok(None);
    }
    Ok(Some(Points::from_rows(&rows)?))
}

/// The first point of each cell.
pub(super) fn one_of_each<'a>(points: &'a Points, cell: impl Fn(&[f64]) -> Vec<i64>) -> Vec<&'a [f64]> {
    let mut seen = HashSet::new();
    points.rows().filter(|row| seen.insert(cell(row))).collect()
}

/// A ridge that is smaller by a factor of a hundred, and not larger than the default: of two very large ridges both
/// leave the boundary out.
pub(crate) fn smaller(ridge: f64) -> f64 {
    (ridge / 100.0).clamp(1e-10, DEFAULT_RIDGE)
}

/// A share in per cent, with two decimals if it is small.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let digits = if percent >= 2.0 { 0 } else { 2 };
    format!("{percent:.digits$} %")
}

/// Places on the boundary, if the domain is known.
pub(crate) fn probes(estimator: &Estimator, data: &Points, count: usize) -> Option<Points<'static>> {
    let sampling = BoundarySampling::new(count).near(data);
    let domain = estimator.domain.as_ref()?;
    domain.sample_boundary(&sampling, &mut stream(estimator.seed, tasks::COVERAGE)).ok()
}

/// The numbers of candidate places, of which those near the data are taken. The larger number is used if too
/// few of the first are near, as for a sample in one corner of a map: some domains are slow to sample.
const CANDIDATES: [usize; 2] = [2 * LEAK_PROBES, 32 * LEAK_PROBES];

/// Knowledge of the boundary near the data, apart from the boundary points.
enum Near {
    /// Places on it.
    Places(Points<'static>),
    /// The kernel does not reach it from any observation.
    OutOfReach,
    Unknown,
}

/// Different places on the boundary near the data, at most [`LEAK_PROBES`]; each is taken with probability
/// proportional to the kernel between it and the observations.
fn near_probes(
    estimator: &Estimator,
    data: &Points,
    observations: &Points,
    form: &Conditioned,
) -> Result<Near, Error> {
    let mut found = None;
    for count in CANDIDATES {
        let Some(places) = probes(estimator, data, count) else { return Ok(Near::Unknown) };
        let near = form.nearness(&places, observations)?;
        // The number of equal shares with the same sum of squares.
        let effective = 1.0 / dot(&near, &near);
        found = effective.is_finite().then_some((places, near));
        if effective > LEAK_PROBES as f64 / 2.0 {
            break;
        }
    }
    let Some((places, near)) = found else { return Ok(Near::OutOfReach) };
    // Systematic sampling: one draw in each of LEAK_PROBES equal parts of the total.
    let (mut taken, mut sum) = (Vec::new(), 0.0);
    for (place, share) in places.rows().zip(near) {
        let before = (sum * LEAK_PROBES as f64 + 0.5).floor();
        sum += share;
        if (sum * LEAK_PROBES as f64 + 0.5).floor() > before {
            taken.push(place);
        }
    }
    Ok(Near::Places(Points::from_rows(&taken)?))
}

/// The limit of the kernel between data and boundary ([`KernelResidual::tie`]) above which the resulting bias
/// is no longer small relative to the standard error: the bias does not depend on the number of observations,
/// the standard error falls with its root.
///
/// If the tie is a tenth, estimates from 400 observations are off by 0.1 to 0.4 standard errors for a mean
/// and by 0.5 to 1.3 for a full Gaussian, which they are not with a dense boundary: measured in discs, balls
/// of up to 12 dimensions, boxes, strips, rings and the United States, with 8 to 2,000 boundary points and
/// the median bandwidth (`make simulations` repeats some of it).
fn strongest_tie(observations: usize) -> f64 {
    2.0 / (observations as f64).sqrt()
}

/// The mean leak above which boundary points count as too sparse if the domain is not known: the course of
/// the boundary between distant points is then unknown, and the tie to the points themselves is not
/// informative. In discs and the United States with 400 observations the bias is small relative to the
/// standard error below a twentieth, but not above.
fn largest_leak(observations: usize) -> f64 {
    0.05 * (400.0 / observations as f64).sqrt().min(1.0)
}

/// A leak below this multiple of the ridge is attributed to the ridge: at a boundary point itself the
/// multiple is at most one.
const RIDGE_LEAK_FACTOR: f64 = 3.0;

/// The mean share of the kernel at the data above which the boundary points are out of its reach.
const UNTOUCHED: f64 = 1.0 - 1e-9;

/// How well the boundary points represent the boundary, as measured before fitting.
#[derive(Debug, Clone)]
pub(crate) struct BoundaryCheck {
    /// The mean share of the kernel that remains at the data themselves.
    pub(crate) kept: f64,
    pub(crate) tie: Option<Tie>,
    /// The warning, which the preparation also contains.
    pub(crate) warning: Option<Warning>,
    /// Places on the boundary near the data, if the domain is known.
    pub(crate) near_places: Option<Points<'static>>,
}

impl BoundaryCheck {
    /// Whether the kernel does not reach the boundary points from the data.
    pub(crate) fn is_out_of_reach(&self) -> bool {
        // A ridge that is too large leaves the kernel as it is, too, but not small at the boundary.
        self.kept > UNTOUCHED && self.tie.is_none_or(|tie| tie.strength <= tie.limit)
    }

    /// Measures the kernel's residual near the data: at other places on the boundary if the domain is known,
    /// otherwise at the boundary points themselves.
    pub(super) fn measure(
        preparation: &mut Preparation,
        boundary: &Points,
        form: &Conditioned,
    ) -> Result<(), Error> {
        let Preparation { estimator, data, .. } = *preparation;
        if sees_one_coordinate(data) || boundary.is_empty() {
            return Ok(());
        }
        let rows = data.some_rows(LEAK_PROBES, &mut stream(estimator.seed, tasks::COVERAGE));
        let rows: Vec<&[f64]> = rows.into_iter().map(|i| data.row(i)).collect();
        let observations = Points::from_rows(&rows)?;
        let near_places = match near_probes(estimator, data, &observations, form)? {
            Near::Places(places) => Some(places),
            // The kernel does not reach the boundary, so it has no residual there.
            Near::OutOfReach => return Ok(()),
            Near::Unknown => None,
        };
        let distinct = distinct(boundary)?;
        if estimator.domain.is_none()
            && let Some(kernel) = &preparation.setup.kernel
        {
            let widths: Vec<f64> = data.scales().iter().map(|scale| scale * kernel.bandwidth).collect();
            let gaps = gaps(distinct.as_ref().unwrap_or(boundary), data, &widths);
            preparation.warnings.extend(gap_warning(&gaps));
        }
        let residual = match (&near_places, distinct) {
            (Some(places), _) => form.residual_at(places, &observations)?,
            (None, Some(points)) => form.on(&points)?.residual_among(&observations)?,
            (None, None) => form.residual_among(&observations)?,
        };
        if !residual.leak.is_finite() {
            return Ok(());
        }
        let tie = Tie { strength: residual.tie, limit: strongest_tie(data.independent()) };
        let largest_leak = near_places.is_none().then(|| largest_leak(data.independent()));
        let warning = warning(&residual, tie, largest_leak, preparation.setup.ridge.unwrap_or_default());
        preparation.setup.leak = Some(residual.leak);
        preparation.warnings.extend(warning.clone());
        let tie = tie.strength.is_finite().then_some(tie);
        preparation.boundary_check = Some(BoundaryCheck { kept: residual.kept, tie, warning, near_places });
        Ok(())
    }
}

/// Whether the kernel depends on one coordinate only: the boundary is then a few points, all of them known.
pub(crate) fn sees_one_coordinate(data: &Points) -> bool {
    data.scales().iter().filter(|scale| scale.is_finite()).count() < 2
}

/// The warning about stretches of the boundary without points, the longest of which is described.
fn gap_warning(gaps: &[Gap]) -> Option<Warning> {
    let (longest, others) = gaps.split_first()?;
    let place = |x: &[f64]| {
        let coordinates: Vec<String> = x.iter().map(|value| significant(*value)).collect();
        format!("({})", coordinates.join(", "))
    };
    let from = place(&longest.from);
    let (length, times, close) = (significant(longest.length), longest.times, longest.observations);
    let stretch = match &longest.to {
        Some(to) => format!(
            "between {from} and {} the boundary has no points over {length}, {times:.0} times the usual spacing, \
             and {close} observations lie close to it",
            place(to)
        ),
        None => format!(
            "the boundary points end at {from}, and {close} observations lie beyond, within {length} of it"
        ),
    };
    let more = match others.len() {
        0 => String::new(),
        1 => ", and there is another such gap".into(),
        count => format!(", and there are {count} more such gaps"),
    };
    let text = format!("{stretch}{more}: add points there, or give the region");
    Some(WarningKind::Boundary.warning(text))
}

/// The warning for this residual; `largest_leak` limits the leak if the domain is not known.
fn warning(residual: &KernelResidual, tie: Tie, largest_leak: Option<f64>, ridge: f64) -> Option<Warning> {
    if residual.kept > UNTOUCHED && largest_leak.is_some() {
        let text = "the boundary points are so far from the data that they have no effect, as if the data were not \
                    truncated; check that their columns and units are those of the data, and that the part of the \
                    boundary near the data has points";
        return Some(WarningKind::Boundary.warning(text));
    }
    let (what, remedy) = if residual.leak < RIDGE_LEAK_FACTOR * ridge {
        (
            "the ridge is too large for this domain and bandwidth",
            format!(
                "use a smaller ridge, such as {:.0e}, more boundary points or a smaller bandwidth",
                smaller(ridge)
            ),
        )
    } else {
        (
            "the boundary points are too sparse for this bandwidth",
            "use more boundary points or a larger bandwidth".into(),
        )
    };
    let how = if tie.strength > tie.limit {
        let (strength, limit) = (percent(tie.strength), percent(tie.limit));
        format!(
            "the kernel between data and boundary is {strength} of that among the data, above the limit of \
             {limit}"
        )
    } else if let Some(limit) = largest_leak.filter(|limit| residual.leak > *limit) {
        let (leak, limit) = (percent(residual.leak), percent(limit));
        format!("at each of them the others leave {leak} of the kernel, above the limit of {limit}")
    } else {
        return None;
    };
    let text = format!("{what}: {how}, and the intervals do not include the resulting bias; {remedy}");
    Some(WarningKind::Boundary.warning(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Gaussian;

    /// Points on three quarters of a circle, and data inside it.
    #[test]
    fn a_gap_is_warned_of_where_the_region_is_not_known() {
        let disc = crate::domain::Ball::new(1.4).unwrap().in_dimension(2);
        let model = Gaussian::with_variance(2, 1.0).unwrap();
        let rng = &mut stream(1, 0);
        let data = crate::simulate::truncated(&model, &[0.0, 0.0], &disc, 300, rng).unwrap().points;
        let places = (0..90).map(|i| f64::from(i).to_radians() * 3.0);
        let arc: Vec<[f64; 2]> = places.map(f64::sin_cos).map(|(y, x)| [1.4 * x, 1.4 * y]).collect();
        let warned = |estimator: Estimator| {
            let problem = estimator.check(&data, &model).unwrap();
            problem.warnings().iter().find(|warning| warning.contains("no points")).cloned()
        };
        let some = Estimator::tksd().boundary(Points::from_rows(&arc).unwrap());
        let warning = warned(some.clone()).unwrap();
        assert!(warning.starts_with("between (1.4") && warning.contains(" and (-0.07"), "{warning}");
        assert!(warning.ends_with("lie close to it: add points there, or give the region"), "{warning}");
        assert_eq!(warned(some.domain(std::sync::Arc::new(disc.clone()))), None);
        let all: Vec<[f64; 2]> = arc.iter().flat_map(|[x, y]| [[*x, *y], [-*x, -*y]]).collect();
        assert_eq!(warned(Estimator::tksd().boundary(Points::from_rows(&all).unwrap())), None);
    }

    #[test]
    fn a_boundary_out_of_reach_is_warned_of() {
        let data =
            Points::from_rows(&[[0.1, 0.2], [0.5, -0.3], [-0.4, 0.1], [0.3, 0.6], [-0.2, -0.5]]).unwrap();
        let square = |side: f64| {
            Points::from_rows(&[[side, side], [side, -side], [-side, side], [-side, -side]]).unwrap()
        };
        let model = Gaussian::with_variance(2, 1.0).unwrap();
        let warned = |side: f64| {
            let problem = Estimator::tksd().boundary(square(side));
            let problem = problem.check(&data, &model).unwrap();
            problem.warnings().iter().any(|warning| warning.contains("have no effect"))
        };
        assert!(warned(50.0) && !warned(1.0));
    }
}

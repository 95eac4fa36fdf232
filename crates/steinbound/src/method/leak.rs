//! What boundary points leave of the kernel between them.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{Estimator, Preparation};
use crate::compute::dot;
use crate::domain::BoundarySampling;
use crate::error::Error;
use crate::points::Points;
use crate::random::{stream, tasks};
use crate::stein::{Conditioned, KernelResidual, LEAK_PROBES};

/// How much of the kernel is left at places on the boundary.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BoundaryLeaks {
    /// The places: others than the boundary points where the domain is known, else some of the boundary
    /// points themselves.
    pub places: Points<'static>,
    /// What is left at each of them, from 0 to 1.
    pub leaks: Vec<f64>,
    /// Whether the places are boundary points, each measured by the others alone. Then gaps between them go
    /// unseen: nobody knows where the boundary is.
    pub are_boundary_points: bool,
}

/// How strongly the kernel still ties the data to the boundary ([`KernelResidual::tie`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tie {
    /// Beside how it ties the data to each other.
    pub strength: f64,
    /// Above this the bias that it leaves is no longer small beside the standard errors.
    pub limit: f64,
}

/// The share of the extent of the boundary within which two of its points are one: neither would tell of a
/// gap at the other.
const SAME: f64 = 1e-5;

/// The boundary points without those that are as good as repeated, where there are any: a point that is there
/// twice would answer for itself.
pub(crate) fn distinct(boundary: &Points) -> Result<Option<Points<'static>>, Error> {
    let extent = |l: usize| {
        let values = boundary.rows().map(|row| row[l]);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        (low, SAME * (high - low))
    };
    let extents: Vec<(f64, f64)> = (0..boundary.dimension()).map(extent).collect();
    let cell = |row: &[f64]| -> Vec<i64> {
        let steps = row.iter().zip(&extents).map(|(value, (low, step))| (value - low) / step);
        steps.map(|steps| if steps.is_finite() { steps.round() as i64 } else { 0 }).collect()
    };
    let mut seen = HashSet::new();
    let rows: Vec<&[f64]> = boundary.rows().filter(|row| seen.insert(cell(row))).collect();
    if rows.len() == boundary.len() {
        return Ok(None);
    }
    Ok(Some(Points::from_rows(&rows)?))
}

/// A ridge that leaves a hundredth.
pub(crate) fn smaller(ridge: f64) -> f64 {
    (ridge / 100.0).max(1e-10)
}

/// A share with as many digits as it needs.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let digits = if percent >= 2.0 { 0 } else { 2 };
    format!("{percent:.digits$} %")
}

/// Places on the boundary, where the domain is known.
pub(crate) fn probes(estimator: &Estimator, data: &Points, count: usize) -> Option<Points<'static>> {
    let sampling = BoundarySampling::new(count).near(data);
    let domain = estimator.domain.as_ref()?;
    domain.sample_boundary(&sampling, &mut stream(estimator.seed, tasks::COVERAGE)).ok()
}

/// From so many places those near the data are taken; from the larger number where the first has too few that
/// are near, as when a sample lies in one corner of a map. Some domains take their time for every place.
const CANDIDATES: [usize; 2] = [2 * LEAK_PROBES, 32 * LEAK_PROBES];

/// What is known of the boundary near the data, apart from the boundary points.
enum Near {
    /// Places on it.
    Places(Points<'static>),
    /// The kernel does not reach it from any observation.
    OutOfReach,
    Unknown,
}

/// Different places on the boundary near the data, at most [`LEAK_PROBES`]; each is taken with a probability
/// that goes with the kernel between it and the observations.
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
        // As many equal shares would be as uneven.
        let effective = 1.0 / dot(&near, &near);
        found = effective.is_finite().then_some((places, near));
        if effective > LEAK_PROBES as f64 / 2.0 {
            break;
        }
    }
    let Some((places, near)) = found else { return Ok(Near::OutOfReach) };
    // One draw in each of so many equal shares of the whole.
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

/// The tie between the data and the boundary ([`KernelResidual::tie`]) above which the bias that it leaves no
/// longer drowns in the standard error, for so many observations: the bias does not depend on their number,
/// the standard error falls with its root.
///
/// Where the tie is a tenth, estimates from 400 observations are off by 0.1 to 0.4 standard errors for a mean
/// and by 0.5 to 1.3 for a full Gaussian, which they are not with a dense boundary: measured in discs, balls
/// of up to 12 dimensions, boxes, strips, rings and the United States, with 8 to 2,000 boundary points and
/// the median bandwidth (`make simulations` repeats some of it).
fn strongest_tie(observations: usize) -> f64 {
    2.0 / (observations as f64).sqrt()
}

/// The mean leak above which boundary points are called too sparse where nothing else is known of the
/// boundary: between few and far points there may be anything, and the tie to the points themselves says
/// little. In discs and the United States with 400 observations the bias drowns in the standard error below a
/// twentieth, and no longer does above.
fn largest_leak(observations: usize) -> f64 {
    0.05 * (400.0 / observations as f64).sqrt().min(1.0)
}

/// Below so many ridges a leak is called the ridge's doing: a boundary point itself leaks up to one.
const OF_THE_RIDGE: f64 = 3.0;

/// What is left of the kernel at the data, on average, where boundary points are out of its reach.
const UNTOUCHED: f64 = 1.0 - 1e-9;

/// How well boundary points stand for the boundary, as far as that is known before anything is fitted.
#[derive(Debug, Clone)]
pub(crate) struct BoundaryCheck {
    /// How much of the kernel is left at the data themselves, on average.
    pub(crate) kept: f64,
    pub(crate) tie: Option<Tie>,
    /// The warning, also among those of the preparation.
    pub(crate) warning: Option<String>,
    /// Places on the boundary near the data, where it is known.
    pub(crate) near_places: Option<Points<'static>>,
}

impl BoundaryCheck {
    /// Measures what is left of the kernel near the data, at other places on the boundary where the domain is
    /// known and at the boundary points themselves where it is not.
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
            // The kernel does not reach the boundary, so that nothing of it can be left there.
            Near::OutOfReach => return Ok(()),
            Near::Unknown => None,
        };
        let left = match (&near_places, distinct(boundary)?) {
            (Some(places), _) => form.residual_at(places, &observations)?,
            (None, Some(points)) => form.on(&points)?.residual_among(&observations)?,
            (None, None) => form.residual_among(&observations)?,
        };
        if !left.leak.is_finite() {
            return Ok(());
        }
        let tie = Tie { strength: left.tie, limit: strongest_tie(data.independent()) };
        let largest_leak = near_places.is_none().then(|| largest_leak(data.independent()));
        let warning = warning(&left, tie, largest_leak, estimator.ridge);
        preparation.setup.leak = Some(left.leak);
        preparation.warnings.extend(warning.clone());
        let tie = tie.strength.is_finite().then_some(tie);
        preparation.boundary_check = Some(BoundaryCheck { kept: left.kept, tie, warning, near_places });
        Ok(())
    }
}

/// Whether a kernel sees one coordinate alone: along that the boundary is a few points, all of them known.
pub(crate) fn sees_one_coordinate(data: &Points) -> bool {
    data.scales().iter().filter(|scale| scale.is_finite()).count() < 2
}

/// What to tell of boundary points that leave so much, with a limit to the leak where nothing else is known
/// of the boundary.
fn warning(left: &KernelResidual, tie: Tie, largest_leak: Option<f64>, ridge: f64) -> Option<String> {
    if left.kept > UNTOUCHED && largest_leak.is_some() {
        let text = "the boundary points are so far from the data that they have no effect, as if nothing were cut off; check that their columns \
                    and units are those of the data, and that the part of the boundary near the data has points";
        return Some(text.into());
    }
    let (what, remedy) = if left.leak < OF_THE_RIDGE * ridge {
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
            "the kernel still ties the data to the boundary, by {strength} of what ties them to each other ({limit} would do)"
        )
    } else if largest_leak.is_some_and(|largest| left.leak > largest) {
        format!("where each of them is, the others leave {} of the kernel", percent(left.leak))
    } else {
        return None;
    };
    Some(format!(
        "{what}: {how}, so that the estimate may be biased by more than its standard error tells; {remedy}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Gaussian;

    #[test]
    fn a_boundary_out_of_reach_is_told() {
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

//! What boundary points leave of the kernel between them.

use serde::{Deserialize, Serialize};

use super::problem::{Problem, sees_one_coordinate};
use super::{Estimator, Settings};
use crate::domain::BoundarySampling;
use crate::error::Error;
use crate::points::Points;
use crate::simulate::{stream, tasks};
use crate::stein::{Conditioned, LEAK_PROBES, Left, leak_probes};

/// How much of the kernel is left at places on the boundary.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BoundaryLeaks {
    /// The places: others than the boundary points where the domain is known, else some of the boundary points themselves.
    pub places: Points<'static>,
    /// What is left at each of them, from 0 to 1.
    pub leaks: Vec<f64>,
    /// Whether the places are boundary points, each measured by the others alone. Then gaps between them go unseen: nobody knows where the boundary is.
    pub are_boundary_points: bool,
}

/// How strongly the kernel still ties the data to the boundary ([`Left::tie`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tie {
    /// Beside how it ties the data to each other.
    pub strength: f64,
    /// Above this the bias that it leaves is no longer small beside the standard errors.
    pub limit: f64,
}

impl Problem<'_> {
    /// What is left of the kernel at about so many places on the boundary near the data; `None` for methods that do not condition on
    /// boundary points. Without a domain the places are boundary points, at most [`LEAK_PROBES`] of them.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, domain::Ball, model::Gaussian, simulate};
    /// let disc = Ball::new(1.4)?.in_dimension(2);
    /// let model = Gaussian::with_variance(2, 1.0)?;
    /// let data = simulate::truncated(&model, &[0.5, 0.5], &disc, 300, &mut simulate::stream(1, 0))?.points;
    /// let estimator = Estimator::tksd().domain(Arc::new(disc));
    /// let largest = |m: usize| {
    ///     let found = estimator.clone().boundary_points(m).check(&data, &model)?.boundary_leaks(100)?;
    ///     Ok::<f64, steinbound::Error>(found.unwrap().leaks.into_iter().fold(0.0, f64::max))
    /// };
    /// assert!(largest(6)? > 0.2 && largest(100)? < 0.05);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn boundary_leaks(&self, count: usize) -> Result<Option<BoundaryLeaks>, Error> {
        self.watch(|| self.leaks_on_boundary(count))
    }

    fn leaks_on_boundary(&self, count: usize) -> Result<Option<BoundaryLeaks>, Error> {
        let (Ok(form), Some(boundary)) = (self.form(), self.boundary()) else { return Ok(None) };
        if let Some(places) = probes(&self.estimator, self.data, count) {
            let leaks = form.leaks_at(&places)?;
            return Ok(leaks.map(|leaks| BoundaryLeaks { places, leaks, are_boundary_points: false }));
        }
        let (points, leaks) = match distinct(boundary)? {
            Some(points) => {
                let leaks = form.leaks_among(&points)?;
                (points, leaks)
            }
            None => (boundary.clone().into_owned(), form.leaks()),
        };
        let rows: Vec<&[f64]> = leak_probes(points.len()).into_iter().map(|i| points.row(i)).collect();
        if leaks.is_empty() || leaks.len() != rows.len() {
            return Ok(None);
        }
        Ok(Some(BoundaryLeaks { places: Points::from_rows(&rows)?, leaks, are_boundary_points: true }))
    }
}

/// The boundary points without repetitions, where there are any: a point that is there twice would answer for itself.
fn distinct(boundary: &Points) -> Result<Option<Points<'static>>, Error> {
    let mut rows: Vec<&[f64]> = boundary.rows().collect();
    rows.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    rows.dedup();
    if rows.len() == boundary.len() {
        return Ok(None);
    }
    Ok(Some(Points::from_rows(&rows)?))
}

/// A share with as many digits as it needs.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let digits = if percent >= 2.0 { 0 } else { 2 };
    format!("{percent:.digits$} %")
}

/// Places on the boundary near the data, where the domain is known.
fn probes(estimator: &Estimator, data: &Points, count: usize) -> Option<Points<'static>> {
    let sampling = BoundarySampling::new(count).near(data);
    let domain = estimator.domain.as_ref()?;
    domain.sample_boundary(&sampling, &mut stream(estimator.seed, tasks::COVERAGE)).ok()
}

/// The tie between the data and the boundary ([`Left::tie`]) above which the bias that it leaves no longer drowns in the standard error, for so many
/// observations: the bias does not depend on their number, the standard error falls with its root.
///
/// Where the tie is a tenth, estimates from 400 observations are off by 0.1 to 0.4 standard errors for a mean and by 0.5 to 1.3 for a full Gaussian,
/// which they are not with a dense boundary: measured in discs, balls of up to 12 dimensions, boxes, strips, rings and the United States, with 8 to 2,000
/// boundary points and the median bandwidth (`make simulations` repeats some of it).
fn strongest_tie(observations: usize) -> f64 {
    2.0 / (observations as f64).sqrt()
}

/// The mean leak above which boundary points are called too sparse where nothing else is known of the boundary: between few and far points there may be
/// anything, and the tie to the points themselves says little. In discs and the United States with 400 observations the bias drowns in the standard error
/// below a twentieth, and no longer does above.
fn largest_leak(observations: usize) -> f64 {
    0.05 * (400.0 / observations as f64).sqrt().min(1.0)
}

/// Below so many ridges a leak is called the ridge's doing: a boundary point itself leaks up to one.
const OF_THE_RIDGE: f64 = 3.0;

/// What is left of the kernel at the data, on average, where boundary points are out of its reach.
const UNTOUCHED: f64 = 1.0 - 1e-9;

/// Measures the leak near the data, at other places on the boundary where the domain is known and at the boundary points
/// themselves where it is not.
pub(super) fn note_leak(
    estimator: &Estimator,
    data: &Points,
    boundary: &Points,
    form: &Conditioned,
    settings: &mut Settings,
) -> Result<(), Error> {
    if sees_one_coordinate(data) || boundary.is_empty() {
        return Ok(());
    }
    let rows = data.some_rows(LEAK_PROBES, &mut stream(estimator.seed, tasks::COVERAGE));
    let rows: Vec<&[f64]> = rows.into_iter().map(|i| data.row(i)).collect();
    let observations = Points::from_rows(&rows)?;
    let probes = probes(estimator, data, LEAK_PROBES);
    let left = match (&probes, distinct(boundary)?) {
        (Some(probes), _) => form.left_at(probes, &observations)?,
        (None, Some(points)) => form.on(&points)?.left_among(&observations)?,
        (None, None) => form.left_among(&observations)?,
    };
    if !left.leak.is_finite() {
        return Ok(());
    }
    let tie = Tie { strength: left.tie, limit: strongest_tie(data.independent()) };
    (settings.leak, settings.kept) = (Some(left.leak), Some(left.kept));
    settings.tie = tie.strength.is_finite().then_some(tie);
    let largest_leak = probes.is_none().then(|| largest_leak(data.independent()));
    settings.warnings.extend(warning(&left, tie, largest_leak, estimator.ridge));
    Ok(())
}

/// What to tell of boundary points that leave so much, with a limit to the leak where the tie may have missed something.
fn warning(left: &Left, tie: Tie, largest_leak: Option<f64>, ridge: f64) -> Option<String> {
    if left.kept > UNTOUCHED {
        let text = "the boundary points are so far from the data that they have no effect, as if nothing were cut off; check that their columns \
                    and units are those of the data, or use a larger bandwidth";
        return Some(text.into());
    }
    let (what, remedy) = if left.leak < OF_THE_RIDGE * ridge {
        (
            "the domain is too narrow for this bandwidth and ridge",
            "use a smaller ridge, more boundary points or a smaller bandwidth",
        )
    } else {
        (
            "the boundary points are too sparse for this bandwidth",
            "use more boundary points or a larger bandwidth",
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
        "{what}: {how}, so that the estimate is biased by more than its standard error tells; {remedy}"
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

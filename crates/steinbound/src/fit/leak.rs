//! What boundary points leave of the kernel between them.

use super::problem::{Problem, sees_one_coordinate};
use super::{Estimator, Settings};
use crate::domain::BoundarySampling;
use crate::error::Error;
use crate::points::Points;
use crate::simulate::{stream, tasks};
use crate::stein::{Conditioned, LEAK_PROBES, SteinForm, leak_probes};

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
        let (points, leaks) = distinct_leaks(boundary, form)?;
        let rows: Vec<&[f64]> = leak_probes(points.len()).into_iter().map(|i| points.row(i)).collect();
        if leaks.is_empty() || leaks.len() != rows.len() {
            return Ok(None);
        }
        Ok(Some(BoundaryLeaks { places: Points::from_rows(&rows)?, leaks, are_boundary_points: true }))
    }
}

/// The boundary points without repetitions, and what the others leave at each (or at some) of them: a point that is there twice would answer for itself.
fn distinct_leaks(boundary: &Points, form: &dyn SteinForm) -> Result<(Points<'static>, Vec<f64>), Error> {
    let mut rows: Vec<&[f64]> = boundary.rows().collect();
    rows.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    rows.dedup();
    if rows.len() == boundary.len() {
        return Ok((boundary.clone().into_owned(), form.leaks()));
    }
    let points = Points::from_rows(&rows)?;
    let leaks = form.leaks_among(&points)?;
    Ok((points, leaks))
}

/// Places on the boundary near the data, where the domain is known.
fn probes(estimator: &Estimator, data: &Points, count: usize) -> Option<Points<'static>> {
    let sampling = BoundarySampling::new(count).near(data);
    let domain = estimator.domain.as_ref()?;
    domain.sample_boundary(&sampling, &mut stream(estimator.seed, tasks::COVERAGE)).ok()
}

/// The mean leak through the boundary points above which they are called too sparse, for so many observations. On discs, and on the
/// border of the United States, with the median bandwidth and 400 observations the bias that too few boundary points leave drowns in the standard error
/// below a twentieth, and no longer does above. The bias does not depend on the number of observations; the standard error falls with its root.
fn sparse(observations: usize) -> f64 {
    0.05 * (400.0 / observations as f64).sqrt().min(1.0)
}

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
    let mean = match probes(estimator, data, LEAK_PROBES) {
        Some(probes) => form.mean_leak_at(&probes)?,
        None => {
            let (_, leaks) = distinct_leaks(boundary, form)?;
            leaks.iter().sum::<f64>() / leaks.len() as f64
        }
    };
    if !mean.is_finite() {
        return Ok(());
    }
    settings.leak = Some(mean);
    let rows = data.some_rows(LEAK_PROBES, &mut stream(estimator.seed, tasks::COVERAGE));
    let rows: Vec<&[f64]> = rows.into_iter().map(|i| data.row(i)).collect();
    let kept = form.leaks_at(&Points::from_rows(&rows)?)?;
    let kept = kept.iter().sum::<f64>() / kept.len() as f64;
    settings.kept = Some(kept);
    if kept > UNTOUCHED {
        settings.warnings.push(
            "the boundary points are so far from the data that they have no effect, as if nothing were cut off; check that their columns \
             and units are those of the data, or use a larger bandwidth"
                .into(),
        );
    }
    if mean > sparse(data.independent()) {
        let percent =
            if mean >= 0.01 { format!("{:.0}", 100.0 * mean) } else { format!("{:.2}", 100.0 * mean) };
        settings.warnings.push(format!(
            "the boundary points are too sparse for this bandwidth: between them {percent} % of the kernel is left, so that the estimate \
             is biased by more than its standard error tells; use more boundary points or a larger bandwidth"
        ));
    }
    Ok(())
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

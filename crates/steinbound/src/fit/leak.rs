//! What boundary points leave of the kernel between them.

use super::problem::{Problem, sees_one_coordinate};
use super::{Estimator, Settings};
use crate::domain::BoundarySampling;
use crate::error::Error;
use crate::points::Points;
use crate::simulate::{stream, tasks};
use crate::stein::{Conditioned, LEAK_PROBES, leak_probes};

/// How much of the kernel is left at places on the boundary.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundaryLeaks {
    /// The places: others than the boundary points where the domain is known, else some of the boundary points themselves.
    pub places: Points<'static>,
    /// What is left at each of them, from 0 to 1; at a boundary point, what would be left if only the others were known.
    pub leaks: Vec<f64>,
}

impl Problem<'_> {
    /// What is left of the kernel at about so many places on the boundary near the data; `None` for methods that do not condition on
    /// boundary points.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use steinbound::{Estimator, domain::Ball, model::Gaussian, simulate};
    /// let disc = Ball::new(1.4)?.in_dimension(2);
    /// let model = Gaussian::with_variance(2, 1.0)?;
    /// let data = simulate::truncated(&model, &[0.5, 0.5], &disc, 300, &mut simulate::stream(1, 0))?.points;
    /// let estimator = Estimator::tksd().domain(Arc::new(disc));
    /// let left = |m: usize| estimator.clone().boundary_points(m).check(&data, &model)?.boundary_leaks(100);
    /// let (few, many) = (left(8)?.unwrap(), left(64)?.unwrap());
    /// let largest = |leaks: &[f64]| leaks.iter().copied().fold(0.0, f64::max);
    /// assert_eq!(few.places.len(), 100);
    /// assert!(largest(&few.leaks) > 0.5 && largest(&many.leaks) < 0.1);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn boundary_leaks(&self, count: usize) -> Result<Option<BoundaryLeaks>, Error> {
        let (Ok(form), Some(boundary)) = (self.form(), self.boundary()) else { return Ok(None) };
        if let Some(places) = probes(&self.estimator, self.data, count) {
            let leaks = form.leaks_at(&places)?;
            return Ok(leaks.map(|leaks| BoundaryLeaks { places, leaks }));
        }
        let leaks = form.leaks();
        let rows: Vec<&[f64]> = leak_probes(boundary.len()).into_iter().map(|i| boundary.row(i)).collect();
        if leaks.is_empty() || leaks.len() != rows.len() {
            return Ok(None);
        }
        Ok(Some(BoundaryLeaks { places: Points::from_rows(&rows)?, leaks }))
    }
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
            // A point that is there twice would answer for itself.
            let mut rows: Vec<&[f64]> = boundary.rows().collect();
            rows.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
            rows.dedup();
            let leaks = if rows.len() == boundary.len() {
                form.leaks()
            } else {
                form.on(&Points::from_rows(&rows)?)?.leaks()
            };
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
    settings.kept = Some(kept.iter().sum::<f64>() / kept.len() as f64);
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

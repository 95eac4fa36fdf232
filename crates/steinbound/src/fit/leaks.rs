//! The kernel's residual on the boundary.

use super::Problem;
use crate::error::Error;
use crate::method::{BoundaryLeaks, leak};
use crate::points::Points;
use crate::stein::leak_probes;

impl Problem<'_> {
    /// The kernel's residual at about `count` places on the boundary near the data; `None` for methods that
    /// do not condition on boundary points. Without a domain the places are boundary points, at most
    /// [`LEAK_PROBES`](crate::stein::LEAK_PROBES) of them.
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
        let Some(conditioned) = form.parts().conditioned else { return Ok(None) };
        if let Some(places) = leak::probes(&self.estimator, self.data, count) {
            let leaks = conditioned.leaks_at(&places)?;
            return Ok(Some(BoundaryLeaks { places, leaks, are_boundary_points: false }));
        }
        let (points, leaks) = match leak::distinct(boundary)? {
            Some(points) => {
                let leaks = conditioned.on(&points)?.leaks();
                (points, leaks)
            }
            None => (boundary.clone().into_owned(), conditioned.leaks()),
        };
        let rows: Vec<&[f64]> = leak_probes(points.len()).into_iter().map(|i| points.row(i)).collect();
        if leaks.is_empty() || leaks.len() != rows.len() {
            return Ok(None);
        }
        Ok(Some(BoundaryLeaks { places: Points::from_rows(&rows)?, leaks, are_boundary_points: true }))
    }
}

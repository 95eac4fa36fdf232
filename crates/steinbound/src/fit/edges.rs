//! Estimates of densities that rise, or fall too slowly, towards an edge of their support which the region reaches.

use super::{Fit, Problem};
use crate::compute::cholesky::ScaledCholesky;
use crate::matrix::Matrix;
use crate::model::Edge;
use crate::warning::WarningKind;

/// An exponent this many standard errors above the least one may be below it.
const STANDARD_ERRORS: f64 = 2.0;

impl Problem<'_> {
    /// Distrusts a fit with an exponent at an edge that is, or may be, too small for the method
    /// ([`Procedure::least_exponent`](crate::method::Procedure::least_exponent)).
    ///
    /// There one observation next to the edge outweighs all others: its equation is solved alone, and the standard error
    /// collapses with what is left of it. So the standard error is taken to be at least what [`least_errors`] gives.
    pub(super) fn warn_of_edges(&self, fit: &mut Fit) {
        let Some(theta) = fit.fitted_parameters() else { return };
        let edges = self.model.edges(&theta, self.data.names());
        let mut errors = None;
        let is_doubtful = |edge: &Edge| {
            let least = self.least_exponent(edge.estimated.is_some());
            let error = edge.estimated.map_or(0.0, |k| {
                let least: &Option<Vec<f64>> = errors.get_or_insert_with(|| self.least_errors(&theta));
                let own = fit.parameters.get(k).and_then(|parameter| parameter.std_error).unwrap_or(0.0);
                least.as_ref().map_or(own, |least| own.max(least[k]))
            });
            // With an exponent that is known to be 1 the score is bounded. Others that are not positive are refused
            // for all methods.
            let is_flat = edge.estimated.is_none() && edge.exponent == 1.0;
            least > 0.0 && !is_flat && edge.exponent - STANDARD_ERRORS * error <= least && self.reaches(edge)
        };
        let Some(edge) = edges.into_iter().find(is_doubtful) else { return };
        let (method, least) = (self.method(), self.least_exponent(edge.estimated.is_some()));
        let remedy = match method.uses().knows_boundary() {
            true => "truncated-mle, or a region that ends before the edge",
            false => "mle",
        };
        fit.converged = false;
        fit.warnings.push(WarningKind::Model.warning(format!(
            "with {} = {} the density goes as the distance from {} = {}, which the data reach, to the power of {}; up to a \
             power of {}, or two standard errors above it, the few observations next to that edge decide the equations of \
             {method}, and neither estimates nor standard errors hold; use {remedy}",
            edge.parameter,
            rounded(edge.value),
            self.data.names()[edge.coordinate],
            edge.place,
            rounded(edge.exponent - 1.0),
            rounded(least - 1.0)
        )));
    }

    fn least_exponent(&self, is_estimated: bool) -> f64 {
        self.method().procedure().least_exponent(self.estimator.distance_power, is_estimated)
    }

    /// Whether the data may go on to the edge.
    fn reaches(&self, edge: &Edge) -> bool {
        let l = edge.coordinate;
        match (&self.estimator.domain, self.boundary()) {
            (Some(domain), _) => {
                let (low, high) = domain.bounds()[l];
                low <= edge.place && edge.place <= high
            }
            (None, Some(boundary)) => boundary.rows().any(|x| x[l] == edge.place),
            (None, None) => true,
        }
    }

    /// Standard errors of reported parameters than which those of no method are smaller: by Fisher's information, which is
    /// the covariance of the derivatives of the log-density in the parameters, here that over the data. It stays what it
    /// is where the score has no variance.
    fn least_errors(&self, theta: &[f64]) -> Option<Vec<f64>> {
        let (density, weights) = (self.model.density()?, self.data.relative_weights());
        let count = theta.len();
        let gradient = |x: &[f64]| {
            let mut gradient = vec![0.0; count];
            density.log_density_gradient(x, theta, &mut gradient);
            gradient
        };
        let rows: Vec<Vec<f64>> = self.data.rows().map(gradient).collect();
        let total: f64 = weights.iter().sum();
        let sum =
            |of: &dyn Fn(&[f64]) -> f64| rows.iter().zip(&weights).map(|(row, w)| w * of(row)).sum::<f64>();
        let means: Vec<f64> = (0..count).map(|k| sum(&|row| row[k]) / total).collect();
        let information =
            Matrix::from_fn(count, count, |j, k| sum(&|row| (row[j] - means[j]) * (row[k] - means[k])));
        let mut inverse = Matrix::identity(count);
        ScaledCholesky::new(&information).ok()?.solve(&mut inverse);
        let jacobian = self.model.report(theta)?.jacobian;
        let covariance = jacobian.times(&inverse).times(&jacobian.transpose());
        Some((0..count).map(|k| covariance[(k, k)].max(0.0).sqrt()).collect())
    }
}

/// To three decimal places.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

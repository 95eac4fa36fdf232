//! Fits with other settings.

use crate::fit::{Estimator, Fit, Variant};
use crate::kernel::Bandwidth;
use crate::matrix::Matrix;
use crate::model::Model;
use crate::points::Points;

/// A variant, and the influence of each observation on its reported estimates (without rows if it could not
/// be fitted).
pub(crate) struct Trial {
    pub(crate) variant: Variant,
    pub(crate) influence: Matrix,
}

impl Trial {
    /// The trial of a finished fit.
    pub(crate) fn of(fit: &Fit, model: &dyn Model) -> Trial {
        let variant = Variant::of(fit);
        let reported = fit.fitted_parameters().and_then(|theta| model.report(&theta));
        let influence = match reported {
            Some(reported) if variant.is_fitted() => fit.influence.times(&reported.jacobian.transpose()),
            _ => Matrix::zeros(0, 0),
        };
        Trial { variant, influence }
    }

    /// Fits with changed settings; `boundary_points` is reported as their number if the fit fails.
    pub(crate) fn run(
        estimator: &Estimator,
        boundary_points: usize,
        data: &Points,
        model: &dyn Model,
    ) -> Trial {
        let error = match estimator.fit(data, model) {
            Ok(fit) => return Trial::of(&fit, model),
            Err(error) => error,
        };
        let bandwidth = match estimator.bandwidth {
            Bandwidth::Fixed(value) | Bandwidth::From(value) => value,
            Bandwidth::Median => f64::NAN,
        };
        let ridge = estimator.method.uses().ridge.then(|| estimator.fixed_ridge());
        let kernel = estimator.kernel.name().to_string();
        let variant = Variant::failed(kernel, bandwidth, ridge, boundary_points, error.to_string());
        Trial { variant, influence: Matrix::zeros(0, 0) }
    }
}

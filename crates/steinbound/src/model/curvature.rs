//! Exact second derivatives of the score in the parameters.

use super::Model;
use super::differences::add_row_differences;

/// Second derivatives of the score in the parameters, for a model that has some of them exactly.
///
/// Methods that are not overridden use central differences of the Jacobians with the given steps, which gives
/// about nine digits.
///
/// ```
/// use steinbound::model::{Curvature, GaussianMixture, Model};
/// let model = GaussianMixture::new(1, 2)?;
/// let mut curvature = [0.0; 4];
/// model.curvature().unwrap().add_score_curvature(&[0.3], &[-1.0, 1.0], &[1.0], &[], &mut curvature);
/// assert_eq!(curvature[1], curvature[2]);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait Curvature: Model {
    /// Adds `sum_l weights_l d^2 psi_l / d theta_j d theta_k` to `curvature`, `p` by `p` and symmetric.
    fn add_score_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weights: &[f64],
        steps: &[f64],
        curvature: &mut [f64],
    ) {
        add_score_differences(self, x, theta, weights, steps, curvature);
    }

    /// Adds `sum_l weights_l d^2 (d psi_l / d x_l) / d theta_j d theta_k` to `curvature`, as
    /// [`add_score_curvature`](Curvature::add_score_curvature) does for the score.
    fn add_slope_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weights: &[f64],
        steps: &[f64],
        curvature: &mut [f64],
    ) {
        add_slope_differences(self, x, theta, weights, steps, curvature);
    }

    /// [`add_score_curvature`](Curvature::add_score_curvature) with the first weights and
    /// [`add_slope_curvature`](Curvature::add_slope_curvature) with the second, for a model that can share
    /// work between them.
    fn add_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weights: [&[f64]; 2],
        steps: &[f64],
        curvature: &mut [f64],
    ) {
        self.add_score_curvature(x, theta, weights[0], steps, curvature);
        self.add_slope_curvature(x, theta, weights[1], steps, curvature);
    }
}

/// [`Curvature::add_score_curvature`] by differences.
pub(super) fn add_score_differences<M: Model + ?Sized>(
    model: &M,
    x: &[f64],
    theta: &[f64],
    weights: &[f64],
    steps: &[f64],
    curvature: &mut [f64],
) {
    let jacobian = |theta: &[f64], out: &mut [f64]| model.score_jacobian(x, theta, out);
    add_row_differences(theta, weights, steps, jacobian, curvature);
}

/// [`Curvature::add_slope_curvature`] by differences.
pub(super) fn add_slope_differences<M: Model + ?Sized>(
    model: &M,
    x: &[f64],
    theta: &[f64],
    weights: &[f64],
    steps: &[f64],
    curvature: &mut [f64],
) {
    let jacobian = |theta: &[f64], out: &mut [f64]| model.score_slope_jacobian(x, theta, out);
    add_row_differences(theta, weights, steps, jacobian, curvature);
}

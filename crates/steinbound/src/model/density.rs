//! Models whose log-density is known up to a constant.

use super::differences::{add_row_differences, difference_step};

/// The log-density of a model, with its derivatives in the parameters.
///
/// ```
/// use steinbound::model::{Density, Gaussian, Model};
/// let model = Gaussian::with_variance(1, 4.0)?;
/// let density = model.density().unwrap();
/// let drop = density.log_density(&[2.0], &[0.0]) - density.log_density(&[0.0], &[0.0]);
/// assert_eq!(drop, -0.5);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait Density: Send + Sync {
    /// The log-density up to a constant.
    fn log_density(&self, x: &[f64], theta: &[f64]) -> f64;

    /// The logarithm of the integral of the density over the whole space, where it is known.
    fn whole_log_normaliser(&self, _theta: &[f64]) -> Option<f64> {
        None
    }

    /// The derivative of [`log_density`](Density::log_density) in the parameters.
    ///
    /// By central differences, unless a model overrides it.
    fn log_density_gradient(&self, x: &[f64], theta: &[f64], gradient: &mut [f64]) {
        let mut moved = theta.to_vec();
        for k in 0..theta.len() {
            let step = difference_step(theta[k]);
            let mut at = |value: f64| {
                moved[k] = value;
                self.log_density(x, &moved)
            };
            gradient[k] = (at(theta[k] + step) - at(theta[k] - step)) / (2.0 * step);
            moved[k] = theta[k];
        }
    }

    /// Adds `weight` times the second derivatives of [`log_density`](Density::log_density) in the parameters
    /// to `curvature`, `p` by `p` and symmetric.
    ///
    /// By central differences of [`log_density_gradient`](Density::log_density_gradient) with the given
    /// steps, unless a model overrides it.
    fn add_log_density_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weight: f64,
        steps: &[f64],
        curvature: &mut [f64],
    ) {
        let gradient = |theta: &[f64], out: &mut [f64]| self.log_density_gradient(x, theta, out);
        add_row_differences(theta, &[weight], steps, gradient, curvature);
    }
}

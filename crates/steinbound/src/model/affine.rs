//! Models whose score is affine in the parameters.

use super::LinearScore;

/// A score that is affine in the parameters, `psi_l = Phi (S_l theta + s_l)`: every fit has a closed form.
///
/// ```
/// use steinbound::model::{Affine, Gaussian, Model};
/// let model = Gaussian::with_variance(2, 4.0)?;
/// let affine = model.affine().unwrap();
/// let mut features = [f64::NAN; 3];
/// affine.features(&[0.5, -1.0], &mut features);
/// assert_eq!(features, [1.0, 0.5, -1.0]);
/// assert_eq!(affine.linear_score().features(), 3);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait Affine: Send + Sync {
    /// The coefficients of the features as functions of the parameters.
    fn linear_score(&self) -> LinearScore;

    /// The features `Phi` of a point, one for each row of the [`linear_score`](Affine::linear_score).
    fn features(&self, x: &[f64], features: &mut [f64]);

    /// The derivatives of the features in each differentiated coordinate: `slopes[l * features + c]` is
    /// `d phi_c / d x_l`.
    fn feature_slopes(&self, x: &[f64], slopes: &mut [f64]);
}

//! A mixture as a latent-variable model with the label of the component as latent variable.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::GaussianMixture;
use super::clusters::pick;
use super::component::{Component, Direction};
use crate::model::{LatentVariable, Model};

/// A [`GaussianMixture`] whose labels are latent: `z` is the number of the component, counted from zero.
///
/// # Definition
///
/// `p(x, z) = w_z N(x; mu_z, Sigma_z)`, in the fitted parameters of the mixture. The exact score is that of
/// the mixture, so this serves as a check of [`Latent`](crate::model::Latent) rather than for fitting
/// mixtures.
///
/// ```
/// use steinbound::model::{GaussianMixture, LabelledMixture, LatentVariable};
/// let labelled = LabelledMixture::new(GaussianMixture::new(1, 2)?);
/// let mut score = [f64::NAN];
/// labelled.score(&[0.5], &[1.0], &[-3.0, 2.0], &mut score);
/// assert_eq!(score, [1.5]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledMixture {
    mixture: GaussianMixture,
}

impl LabelledMixture {
    /// The mixture with its labels.
    pub fn new(mixture: GaussianMixture) -> LabelledMixture {
        LabelledMixture { mixture }
    }

    fn label(&self, z: &[f64]) -> usize {
        // A cast from a negative float gives zero; labels beyond the last become the last.
        (z[0] as usize).min(self.mixture.components - 1)
    }

    /// Calls back with each parameter of the current component.
    fn each(
        &self,
        x: &[f64],
        z: &[f64],
        theta: &[f64],
        mut give: impl FnMut(usize, Direction, &Component<'_>),
    ) {
        let (posterior, k) = (self.mixture.posterior(x, theta), self.label(z));
        let component = posterior.component(k);
        self.mixture.layout[k].iter().for_each(|(at, direction)| give(*at, *direction, &component));
    }
}

impl LatentVariable for LabelledMixture {
    fn name(&self) -> &str {
        "labelled mixture"
    }

    fn dimension(&self) -> usize {
        self.mixture.dimension
    }

    fn latent_dimension(&self) -> usize {
        1
    }

    fn parameters(&self) -> usize {
        self.mixture.parameters()
    }

    fn parameter_names(&self, coordinates: &[String]) -> Vec<String> {
        self.mixture.names(coordinates)
    }

    fn draw(&self, x: &[f64], theta: &[f64], rng: &mut ChaCha8Rng, draws: &mut [f64]) {
        let posterior = self.mixture.posterior(x, theta);
        draws.iter_mut().for_each(|z| *z = pick(posterior.responsibilities(), rng.random()) as f64);
    }

    fn log_joint(&self, x: &[f64], z: &[f64], theta: &[f64]) -> f64 {
        self.mixture.posterior(x, theta).log_joint(self.label(z))
    }

    fn log_joint_gradient(&self, x: &[f64], z: &[f64], theta: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        self.each(x, z, theta, |at, direction, component| gradient[at] = component.change(direction));
        self.mixture.subtract_weights(theta, gradient);
    }

    fn score(&self, x: &[f64], z: &[f64], theta: &[f64], score: &mut [f64]) {
        score.copy_from_slice(self.mixture.posterior(x, theta).component(self.label(z)).s);
    }

    fn score_jacobian(&self, x: &[f64], z: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        let (d, p) = (x.len(), theta.len());
        jacobian.fill(0.0);
        self.each(x, z, theta, |at, direction, component| {
            (0..d).for_each(|l| jacobian[l * p + at] = component.score_change(direction, l));
        });
    }

    fn score_slope(&self, x: &[f64], z: &[f64], theta: &[f64], slope: &mut [f64]) {
        let posterior = self.mixture.posterior(x, theta);
        let component = posterior.component(self.label(z));
        slope.iter_mut().enumerate().for_each(|(l, value)| *value = component.slope(l));
    }

    fn score_slope_jacobian(&self, x: &[f64], z: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        let (d, p) = (x.len(), theta.len());
        jacobian.fill(0.0);
        self.each(x, z, theta, |at, direction, component| {
            (0..d).for_each(|l| jacobian[l * p + at] = component.slope_change(direction, l));
        });
    }
}

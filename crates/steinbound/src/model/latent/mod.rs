//! Latent-variable models: the score as a mean over draws of the unobserved variable.

mod principal_components;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::sync::Arc;

use rand::rngs::ChaCha8Rng;

use super::{Model, Search, check_theta};
use crate::error::ModelError;
use crate::points::Points;
use crate::random::stream;
pub use principal_components::PrincipalComponents;

/// A joint density of an observed `x` and a latent `z` whose marginal is not tractable.
///
/// Arrays of derivatives are stored row by row, as in [`Model`].
///
/// ```
/// use steinbound::model::{LatentVariable, PrincipalComponents};
/// let model = PrincipalComponents::new(2, 1, 0.5)?;
/// // Parameters: a mean of two coordinates and a loading for each.
/// let mut score = [f64::NAN; 2];
/// model.score(&[1.0, 0.0], &[2.0], &[0.0, 0.0, 0.5, 0.0], &mut score);
/// assert_eq!(score, [0.0, 0.0]);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait LatentVariable: Debug + Send + Sync {
    /// The model's name.
    fn name(&self) -> &str;

    /// The number of coordinates of `x`, `d`.
    fn dimension(&self) -> usize;

    /// The number of coordinates of `z`.
    fn latent_dimension(&self) -> usize;

    /// The number of parameters, `p`.
    fn parameters(&self) -> usize;

    /// Names of the parameters, given those of the coordinates of `x`.
    fn parameter_names(&self, coordinates: &[String]) -> Vec<String>;

    /// Fills `draws` with draws of `z` from its posterior given `x`, one after the other.
    fn draw(&self, x: &[f64], theta: &[f64], rng: &mut ChaCha8Rng, draws: &mut [f64]);

    /// `log p(x, z; theta)`, including all terms that depend on the parameters or on `z`.
    fn log_joint(&self, x: &[f64], z: &[f64], theta: &[f64]) -> f64;

    /// The derivative of [`log_joint`](LatentVariable::log_joint) in the parameters.
    fn log_joint_gradient(&self, x: &[f64], z: &[f64], theta: &[f64], gradient: &mut [f64]);

    /// `s = grad_x log p(x, z; theta)`: the score of `x` given `z`, if the distribution of `z` does not
    /// depend on `x`.
    fn score(&self, x: &[f64], z: &[f64], theta: &[f64], score: &mut [f64]);

    /// The derivative of `s` in the parameters, `d` by `p`.
    fn score_jacobian(&self, x: &[f64], z: &[f64], theta: &[f64], jacobian: &mut [f64]);

    /// `d s_l / d x_l`.
    fn score_slope(&self, x: &[f64], z: &[f64], theta: &[f64], slope: &mut [f64]);

    /// The derivative of [`score_slope`](LatentVariable::score_slope) in the parameters, `d` by `p`.
    fn score_slope_jacobian(&self, x: &[f64], z: &[f64], theta: &[f64], jacobian: &mut [f64]);
}

/// A model with a latent variable, whose score is a Monte Carlo mean.
///
/// # Definition
///
/// The score of `p(x) = integral p(x, z) dz` is `psi(x) = E[grad_x log p(x, z) | x]`, a mean over the
/// posterior of `z`. It is replaced by a mean over draws `z_1, .., z_R` from the posterior at fixed
/// parameters, the *anchor*, with weights `w_r` proportional to `p(x, z_r; theta) / p(x, z_r; anchor)`. The
/// draws depend only on the seed and the bits of `x`, so that the score is a smooth function of the
/// parameters, without noise between evaluations. At the anchor the weights are equal: the plain Monte Carlo
/// mean of the paper. With `c = s - E_w s` and `g = grad_theta log p(x, z)`,
///
/// ```text
/// psi_l       = E_w[ s_l ],                 d psi_l / d theta   = E_w[ d s_l / d theta + c_l g ],
/// d_l psi_l   = E_w[ d_l s_l + c_l^2 ].
/// ```
///
/// The slope is the Monte Carlo mean of the exact slope. It is not the derivative of the Monte Carlo score in
/// `x`, which does not exist because another `x` has other draws. Checks by differences in `x`, for example
/// [`conformance`](super::conformance), therefore do not apply to slopes.
///
/// # Requirements
///
/// Draws from the posterior. Errors are of order `1 / sqrt(R)` in the score, and the Stein identity holds up
/// to the same order (an approximate Stein class); the slope also has a bias of order `1 / R`. Far from the
/// anchor few draws have most of the weight ([`effective_draws`](Latent::effective_draws)): fit, move the
/// anchor to the estimate with [`anchored`](Latent::anchored), fit again.
///
/// # Complexity
///
/// `R` draws and evaluations of the joint density for each point.
///
/// # Reference
///
/// Kanagawa, Jitkrittum, Mackey, Fukumizu and Gretton, *A Kernel Stein Test for Comparing Latent Variable
/// Models*, 2019; Williams and Liu, *Approximate Stein Classes for Truncated Density Estimation*, ICML 2023.
///
/// ```
/// use steinbound::model::{GaussianMixture, LabelledMixture, Latent, Model};
/// let mixture = GaussianMixture::new(1, 2)?;
/// let means = vec![-1.0, 1.0];
/// let latent = Latent::new(LabelledMixture::new(mixture.clone()), 4000, 1, means.clone())?;
/// let (mut found, mut exact) = ([f64::NAN], [f64::NAN]);
/// latent.score(&[0.2], &means, &mut found);
/// mixture.score(&[0.2], &means, &mut exact);
/// assert!((found[0] - exact[0]).abs() < 0.05);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Latent {
    variable: Arc<dyn LatentVariable>,
    draws: usize,
    seed: u64,
    anchor: Vec<f64>,
}

/// The largest number of draws for a point: all are held at once.
const MOST_DRAWS: usize = 1 << 20;

impl Latent {
    /// A model with this number of draws for each point, made at the anchor parameters.
    pub fn new(
        variable: impl LatentVariable + 'static,
        draws: usize,
        seed: u64,
        anchor: Vec<f64>,
    ) -> Result<Latent, ModelError> {
        if variable.latent_dimension() == 0 {
            return Err(ModelError::NoComponents);
        }
        if draws == 0 || draws > MOST_DRAWS {
            return Err(ModelError::BadDraws { draws, limit: MOST_DRAWS });
        }
        let latent = Latent { variable: Arc::new(variable), draws, seed, anchor: Vec::new() };
        latent.anchored(&anchor)
    }

    /// The same model with its draws made at other parameters.
    pub fn anchored(&self, theta: &[f64]) -> Result<Latent, ModelError> {
        check_theta(self, theta)?;
        Ok(Latent { anchor: theta.to_vec(), ..self.clone() })
    }

    /// The parameters at which draws are made.
    pub fn anchor(&self) -> &[f64] {
        &self.anchor
    }

    /// The effective number of draws at a point, `1 / sum_r w_r^2`: the number of equally weighted draws of
    /// the same precision.
    pub fn effective_draws(&self, x: &[f64], theta: &[f64]) -> f64 {
        1.0 / self.weighted(x, theta).weights.iter().map(|w| w * w).sum::<f64>()
    }

    /// The draws for a point, their weights and scores.
    fn weighted(&self, x: &[f64], theta: &[f64]) -> Weighted {
        let (d, size) = (self.variable.dimension(), self.variable.latent_dimension());
        let mut draws = vec![0.0; self.draws * size];
        self.variable.draw(x, &self.anchor, &mut stream(self.seed, key(x)), &mut draws);
        let mut weights = vec![1.0 / self.draws as f64; self.draws];
        if theta != self.anchor {
            let ratio = |z: &[f64]| {
                self.variable.log_joint(x, z, theta) - self.variable.log_joint(x, z, &self.anchor)
            };
            let ratios: Vec<f64> = draws.chunks_exact(size).map(ratio).collect();
            let largest = ratios.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
            if largest.is_finite() {
                let total: f64 = ratios.iter().map(|r| (r - largest).exp()).sum();
                weights.iter_mut().zip(&ratios).for_each(|(w, r)| *w = (r - largest).exp() / total);
            }
        }
        let mut scores = vec![0.0; self.draws * d];
        let mut mean = vec![0.0; d];
        for (r, z) in draws.chunks_exact(size).enumerate() {
            let score = &mut scores[r * d..(r + 1) * d];
            self.variable.score(x, z, theta, score);
            mean.iter_mut().zip(score).for_each(|(m, s)| *m += weights[r] * *s);
        }
        Weighted { draws, size, weights, scores, mean }
    }

    /// The slope at some draws, with the slope of each of them.
    fn slopes(&self, x: &[f64], theta: &[f64], weighted: &Weighted, slope: &mut [f64]) -> Vec<f64> {
        let d = slope.len();
        let mut own = vec![0.0; self.draws * d];
        slope.fill(0.0);
        for (r, (weight, z, centred)) in weighted.each().enumerate() {
            let part = &mut own[r * d..(r + 1) * d];
            self.variable.score_slope(x, z, theta, part);
            for l in 0..d {
                slope[l] += weight * (part[l] + centred(l).powi(2));
            }
        }
        own
    }
}

/// Draws of the latent variable with weights and scores.
struct Weighted {
    draws: Vec<f64>,
    size: usize,
    weights: Vec<f64>,
    scores: Vec<f64>,
    /// `E_w s`.
    mean: Vec<f64>,
}

impl Weighted {
    /// Each draw's weight, value and centred score.
    fn each(&self) -> impl Iterator<Item = (f64, &[f64], impl Fn(usize) -> f64)> {
        let scores = self.scores.chunks_exact(self.mean.len());
        let draws = self.draws.chunks_exact(self.size).zip(scores).zip(&self.weights);
        draws.map(move |((z, score), weight)| (*weight, z, move |l: usize| score[l] - self.mean[l]))
    }
}

/// A hash of every bit of a point: the finaliser of splitmix64, chained.
fn key(x: &[f64]) -> u64 {
    x.iter().fold(0, |state: u64, value| {
        // Negative and positive zero are the same point.
        let mut mixed = state.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ (value + 0.0).to_bits();
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

impl Model for Latent {
    fn name(&self) -> &str {
        self.variable.name()
    }

    fn dimension(&self) -> usize {
        self.variable.dimension()
    }

    fn parameters(&self) -> usize {
        self.variable.parameters()
    }

    fn names(&self, coordinates: &[String]) -> Vec<String> {
        self.variable.parameter_names(coordinates)
    }

    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        score.copy_from_slice(&self.weighted(x, theta).mean);
    }

    fn score_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        let (d, p) = (self.dimension(), theta.len());
        let weighted = self.weighted(x, theta);
        let (mut own, mut gradient) = (vec![0.0; d * p], vec![0.0; p]);
        jacobian.fill(0.0);
        for (weight, z, centred) in weighted.each() {
            self.variable.score_jacobian(x, z, theta, &mut own);
            self.variable.log_joint_gradient(x, z, theta, &mut gradient);
            for l in 0..d {
                for k in 0..p {
                    jacobian[l * p + k] += weight * (own[l * p + k] + centred(l) * gradient[k]);
                }
            }
        }
    }

    fn score_slope(&self, x: &[f64], theta: &[f64], slope: &mut [f64]) {
        self.slopes(x, theta, &self.weighted(x, theta), slope);
    }

    /// As for a mixture: `D d_l psi_l = E_w[ D d_l s_l + 2 c_l D s_l + (d_l s_l + c_l^2 - d_l psi_l) g ]`.
    fn score_slope_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        let (d, p) = (self.dimension(), theta.len());
        let weighted = self.weighted(x, theta);
        let mut slope = vec![0.0; d];
        let slopes = self.slopes(x, theta, &weighted, &mut slope);
        let (mut scores, mut own, mut gradient) = (vec![0.0; d * p], vec![0.0; d * p], vec![0.0; p]);
        jacobian.fill(0.0);
        for (r, (weight, z, centred)) in weighted.each().enumerate() {
            self.variable.score_jacobian(x, z, theta, &mut scores);
            self.variable.score_slope_jacobian(x, z, theta, &mut own);
            self.variable.log_joint_gradient(x, z, theta, &mut gradient);
            for l in 0..d {
                let excess = slopes[r * d + l] + centred(l).powi(2) - slope[l];
                for k in 0..p {
                    let at = l * p + k;
                    jacobian[at] += weight * (own[at] + 2.0 * centred(l) * scores[at] + excess * gradient[k]);
                }
            }
        }
    }

    fn search(&self) -> Option<&dyn Search> {
        Some(self)
    }
}

impl Search for Latent {
    /// The anchor.
    fn starts(&self, _points: &Points, _rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        vec![self.anchor.clone()]
    }
}

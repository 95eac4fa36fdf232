use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::LatentVariable;
use crate::compute::cholesky::Cholesky;
use crate::error::ModelError;
use crate::matrix::Matrix;

/// Probabilistic principal components: `z ~ N(0, I)` in `q` dimensions, `x | z ~ N(mu + W z, s2 I)` with
/// known noise `s2`.
///
/// # Definition
///
/// Parameters are the mean `mu` and the loadings `W`, row by row. With `M = W'W + s2 I` the posterior of `z`
/// is `N(M^-1 W'(x - mu), s2 M^-1)`. The marginal, `N(mu, W W' + s2 I)`, is known, so this model serves to
/// check latent scores.
///
/// # Requirements
///
/// `W` is determined only up to a rotation of `z`; with one latent dimension, up to its sign.
///
/// # Reference
///
/// Tipping and Bishop, *Probabilistic Principal Component Analysis*, 1999.
///
/// ```
/// use steinbound::model::{Latent, Model, PrincipalComponents};
/// let anchor = vec![0.0, 0.0, 1.0, 0.5];
/// let model = Latent::new(PrincipalComponents::new(2, 1, 0.5)?, 200, 1, anchor)?;
/// let names: Vec<String> = ["a", "b"].map(String::from).to_vec();
/// assert_eq!(model.names(&names), ["mean[a]", "mean[b]", "loading[a,1]", "loading[b,1]"]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PrincipalComponents {
    dimension: usize,
    latent: usize,
    noise: f64,
}

impl PrincipalComponents {
    /// A model with these numbers of observed and latent coordinates and this variance of the noise.
    pub fn new(dimension: usize, latent: usize, noise: f64) -> Result<PrincipalComponents, ModelError> {
        if dimension == 0 || latent == 0 {
            return Err(ModelError::NoComponents);
        }
        if !(noise > 0.0 && noise.is_finite()) {
            return Err(ModelError::BadVariance { coordinate: 1, value: noise });
        }
        Ok(PrincipalComponents { dimension, latent, noise })
    }

    fn loading(&self, theta: &[f64], l: usize, j: usize) -> f64 {
        theta[self.dimension + l * self.latent + j]
    }

    /// `x - mu - W z` in coordinate `l`.
    fn residual(&self, x: &[f64], z: &[f64], theta: &[f64], l: usize) -> f64 {
        x[l] - theta[l] - (0..self.latent).map(|j| self.loading(theta, l, j) * z[j]).sum::<f64>()
    }
}

impl LatentVariable for PrincipalComponents {
    fn name(&self) -> &str {
        "principal components"
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn latent_dimension(&self) -> usize {
        self.latent
    }

    fn parameters(&self) -> usize {
        self.dimension * (1 + self.latent)
    }

    fn parameter_names(&self, coordinates: &[String]) -> Vec<String> {
        let means = coordinates.iter().map(|name| format!("mean[{name}]"));
        let row = |name: &String| -> Vec<String> {
            (1..=self.latent).map(|j| format!("loading[{name},{j}]")).collect()
        };
        means.chain(coordinates.iter().flat_map(row)).collect()
    }

    fn draw(&self, x: &[f64], theta: &[f64], rng: &mut ChaCha8Rng, draws: &mut [f64]) {
        let (d, q) = (self.dimension, self.latent);
        let product = |i: usize, j: usize| -> f64 {
            (0..d).map(|l| self.loading(theta, l, i) * self.loading(theta, l, j)).sum()
        };
        let noise = |i: usize, j: usize| if i == j { self.noise } else { 0.0 };
        let matrix = Matrix::from_fn(q, q, |i, j| product(i, j) + noise(i, j));
        let inverse = Cholesky::new(matrix).map(|factor| factor.inverse());
        let factor = inverse
            .as_ref()
            .and_then(|inverse| Cholesky::new(Matrix::from_fn(q, q, |i, j| self.noise * inverse[(i, j)])));
        let (Some(inverse), Some(factor)) = (inverse, factor) else {
            // Loadings too large for any computation: the results are NaN, too.
            draws.fill(f64::NAN);
            return;
        };
        let pulled: Vec<f64> =
            (0..q).map(|j| (0..d).map(|l| self.loading(theta, l, j) * (x[l] - theta[l])).sum()).collect();
        let mean = inverse.times_vector(&pulled);
        let mut normal = vec![0.0; q];
        for z in draws.chunks_exact_mut(q) {
            normal.iter_mut().for_each(|value| *value = StandardNormal.sample(rng));
            z.iter_mut().zip(&mean).zip(factor.times_lower(&normal)).for_each(|((z, m), v)| *z = m + v);
        }
    }

    fn log_joint(&self, x: &[f64], z: &[f64], theta: &[f64]) -> f64 {
        let noise = (0..self.dimension).map(|l| self.residual(x, z, theta, l).powi(2)).sum::<f64>();
        -0.5 * noise / self.noise - 0.5 * z.iter().map(|z| z * z).sum::<f64>()
    }

    fn log_joint_gradient(&self, x: &[f64], z: &[f64], theta: &[f64], gradient: &mut [f64]) {
        for l in 0..self.dimension {
            let pull = self.residual(x, z, theta, l) / self.noise;
            gradient[l] = pull;
            for j in 0..self.latent {
                gradient[self.dimension + l * self.latent + j] = pull * z[j];
            }
        }
    }

    fn score(&self, x: &[f64], z: &[f64], theta: &[f64], score: &mut [f64]) {
        for (l, value) in score.iter_mut().enumerate() {
            *value = -self.residual(x, z, theta, l) / self.noise;
        }
    }

    fn score_jacobian(&self, _x: &[f64], z: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        let p = theta.len();
        jacobian.fill(0.0);
        for l in 0..self.dimension {
            jacobian[l * p + l] = 1.0 / self.noise;
            for j in 0..self.latent {
                jacobian[l * p + self.dimension + l * self.latent + j] = z[j] / self.noise;
            }
        }
    }

    fn score_slope(&self, _x: &[f64], _z: &[f64], _theta: &[f64], slope: &mut [f64]) {
        slope.fill(-1.0 / self.noise);
    }

    fn score_slope_jacobian(&self, _x: &[f64], _z: &[f64], _theta: &[f64], jacobian: &mut [f64]) {
        jacobian.fill(0.0);
    }
}

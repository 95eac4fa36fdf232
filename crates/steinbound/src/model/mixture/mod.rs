//! Mixtures of Gaussians. The layout of parameters is in `parameters`, the derivatives of one component in
//! `component`, those of the mixture in `posterior` and `curvature`, starts in `clusters` and `search`, what
//! counts of observations determine in `counts`, the naive likelihood in `likelihood`, and the entry in the
//! list of models in `family`.

mod clusters;
mod component;
mod counts;
mod curvature;
mod family;
mod labels;
mod likelihood;
mod parameters;
mod posterior;
mod search;
#[cfg(test)]
mod tests;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::gaussian::covariance_factor;
use super::{
    Counted, Curvature, Density, Derivatives, Gaussian, Model, NaiveLikelihood, Reported, Sampler, Sampling,
    Search,
};
use crate::compute::cholesky::Cholesky;
use crate::error::ModelError;
use crate::matrix::Matrix;
use crate::points::Points;
use clusters::pick;
use component::{Direction, Factors};
pub(super) use family::MixtureFamily;
pub use labels::LabelledMixture;

/// A mixture of Gaussians with a known number of components: means, and optionally weights and covariances.
///
/// # Definition
///
/// `log p = log sum_k exp q_k`, with `q_k = log w_k + log |L_k| - |L_k' (x - mu_k)|^2 / 2 - (d / 2) log 2 pi`
/// and the precision `Lambda_k = L_k L_k'` of component `k`. The fitted parameters are the means, the
/// log-weights relative to the first component, and the entries of the lower triangular `L_k` with the
/// logarithms of its diagonal (a spherical component has its log-precision), none of which is constrained.
/// The reported parameters are means, weights and covariances.
///
/// With the responsibilities `r_k = exp q_k / p` and the component scores `s_k = -Lambda_k (x - mu_k)`, the
/// score is `psi = E_r[s]`. All its derivatives follow from one rule: for a quantity `a_k` of the components
/// and a derivative `D` in a coordinate or a parameter,
///
/// ```text
/// D E_r[a] = E_r[D a] + Cov_r(a, D q).
/// ```
///
/// Write `c = s - psi` and `h_l = d_l s_l = -Lambda_ll`. Then
///
/// ```text
/// D psi_l         = E_r[ D s_l + c_l D q ],
/// d_l psi_l       = E_r[ h_l + c_l^2 ],
/// D d_l psi_l     = E_r[ D h_l + 2 c_l D s_l + (h_l + c_l^2 - d_l psi_l) D q ],
/// D D' (v . psi)  = E_r[ D D' b + D b D' q + D' b D q + (b - E_r b) (D D' q + D q D' q) ]
///                   - D(v . psi) E_r[D' q] - D'(v . psi) E_r[D q],      b = v . s,
/// D D' log p      = E_r[ D D' q + D q D' q ] - E_r[D q] E_r[D' q].
/// ```
///
/// As `sum_l w_l d_l psi_l = E_r[b]` with `b = sum_l w_l (h_l + c_l^2)`, its second derivatives are those of
/// `v . psi` with this `b`, in which `psi` is held fixed, minus `2 sum_l w_l D psi_l D' psi_l`.
///
/// # Requirements
///
/// Components are determined only up to their order, so fits are sorted by the first coordinate of the means.
/// The likelihood of free covariances is unbounded if a component shrinks to a point; Stein discrepancies are
/// bounded, but need data in every component.
///
/// # Complexity
///
/// `K d^2` operations for a score, `K d` times the parameters of a component for its Jacobian.
///
/// ```
/// use steinbound::model::{GaussianMixture, Model};
/// let paper = GaussianMixture::new(2, 3)?;
/// assert_eq!(paper.parameters(), 6);
/// let free = GaussianMixture::new(2, 3)?.estimate_weights().full();
/// assert_eq!(free.parameters(), 6 + 2 + 9);
/// // Half-way between two equal components the score is zero.
/// let mut score = [f64::NAN];
/// GaussianMixture::new(1, 2)?.with_variance(0.5)?.score(&[1.0], &[0.0, 2.0], &mut score);
/// assert_eq!(score, [0.0]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianMixture {
    dimension: usize,
    components: usize,
    covariance: Covariance,
    free_weights: bool,
    /// The parameters that each component depends on, and their effect on it.
    layout: Vec<Vec<(usize, Direction)>>,
}

#[derive(Debug, Clone, PartialEq)]
enum Covariance {
    /// The same for all components.
    Known(Factors),
    /// One variance for each component.
    Spherical,
    /// One covariance for all components.
    Shared,
    /// One covariance for each component.
    Full,
}

/// The largest number of entries of the covariances of all components.
const MOST_ENTRIES: usize = 1 << 26;

impl GaussianMixture {
    /// A mixture of this number of components with unit variances and equal weights: only the means are
    /// fitted.
    pub fn new(dimension: usize, components: usize) -> Result<GaussianMixture, ModelError> {
        let size = dimension.saturating_mul(dimension).saturating_mul(components);
        if dimension == 0 || components == 0 || size > MOST_ENTRIES {
            return Err(ModelError::NoComponents);
        }
        let covariance = Covariance::Known(Factors::one(dimension, |i, j| f64::from(u8::from(i == j))));
        let mixture =
            GaussianMixture { dimension, components, covariance, free_weights: false, layout: Vec::new() };
        Ok(mixture.laid_out())
    }

    /// The same known variance in each coordinate of every component.
    pub fn with_variance(self, variance: f64) -> Result<GaussianMixture, ModelError> {
        let variances = vec![variance; self.dimension];
        self.with_variances(&variances)
    }

    /// Known variances of independent coordinates, the same in every component.
    pub fn with_variances(mut self, variances: &[f64]) -> Result<GaussianMixture, ModelError> {
        Gaussian::with_variances(variances)?;
        self.expect_size(variances.len(), "one variance for each coordinate")?;
        let lower = |i: usize, j: usize| if i == j { 1.0 / variances[i].sqrt() } else { 0.0 };
        self.covariance = Covariance::Known(Factors::one(self.dimension, lower));
        Ok(self.laid_out())
    }

    /// A known covariance matrix, the same in every component.
    pub fn with_covariance(mut self, covariance: Matrix) -> Result<GaussianMixture, ModelError> {
        let precision = covariance_factor(&covariance)?.inverse();
        self.expect_size(covariance.rows(), "one row of the covariance for each coordinate")?;
        // Because of rounding the inverse is symmetric only up to the last digits.
        let factor = Cholesky::new(precision).ok_or(ModelError::BadCovariance)?;
        self.covariance = Covariance::Known(Factors::one(self.dimension, |i, j| factor.lower()[(i, j)]));
        Ok(self.laid_out())
    }

    /// Reported parameters with these means (component by component) from which to start a search on the
    /// data; weights and covariances are those of the points nearest to each mean. `None` if the sizes
    /// differ.
    ///
    /// ```
    /// use steinbound::{Points, model::GaussianMixture};
    /// let data = Points::from_rows(&[[0.0], [0.2], [0.1], [3.0], [3.3]])?;
    /// let start = GaussianMixture::new(1, 2)?.spherical().start_at(&[0.0, 3.0], &data).unwrap();
    /// assert_eq!(start.len(), 4);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn start_at(&self, means: &[f64], points: &Points) -> Option<Vec<f64>> {
        let theta = clusters::start_at(self, means, points)?;
        Some(self.report(&theta)?.values)
    }

    /// An unknown variance for each component, the same in all coordinates.
    pub fn spherical(mut self) -> GaussianMixture {
        self.covariance = Covariance::Spherical;
        self.laid_out()
    }

    /// An unknown covariance that all components share.
    pub fn shared(mut self) -> GaussianMixture {
        self.covariance = Covariance::Shared;
        self.laid_out()
    }

    /// An unknown covariance for each component.
    pub fn full(mut self) -> GaussianMixture {
        self.covariance = Covariance::Full;
        self.laid_out()
    }

    /// Unknown weights; they are equal otherwise. A single component has nothing to weigh.
    pub fn estimate_weights(mut self) -> GaussianMixture {
        self.free_weights = self.components > 1;
        self.laid_out()
    }

    /// The number of components, `K`.
    pub fn components(&self) -> usize {
        self.components
    }

    fn expect_size(&self, found: usize, names: &str) -> Result<(), ModelError> {
        if found == self.dimension {
            return Ok(());
        }
        Err(ModelError::WrongParameterCount { found, expected: self.dimension, names: names.into() })
    }
}

impl Model for GaussianMixture {
    fn name(&self) -> &str {
        "gaussian-mixture"
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn parameters(&self) -> usize {
        self.covariance_start() + self.covariance_parameters()
    }

    fn names(&self, coordinates: &[String]) -> Vec<String> {
        self.fitted_labels(coordinates)
    }

    fn reported_names(&self, coordinates: &[String]) -> Vec<String> {
        self.reported_labels(coordinates)
    }

    /// Equal weights, unless they are estimated or there is nothing to weigh.
    fn assumed(&self) -> Vec<(String, f64)> {
        let count = if self.free_weights || self.components == 1 { 0 } else { self.components };
        (1..=count).map(|k| (format!("weight[{k}]"), 1.0 / count as f64)).collect()
    }

    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        score.copy_from_slice(self.posterior(x, theta).score());
    }

    fn score_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        self.posterior(x, theta).score_jacobian(jacobian);
    }

    fn score_slope(&self, x: &[f64], theta: &[f64], slope: &mut [f64]) {
        self.posterior(x, theta).slope(slope);
    }

    fn score_slope_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        let mut slope = vec![0.0; self.dimension];
        let posterior = self.posterior(x, theta);
        posterior.slope(&mut slope);
        posterior.slope_jacobian(&slope, jacobian);
    }

    fn derivatives(&self, x: &[f64], theta: &[f64], out: Derivatives) {
        let posterior = self.posterior(x, theta);
        if !out.score.is_empty() {
            out.score.copy_from_slice(posterior.score());
        }
        if !out.score_jacobian.is_empty() {
            posterior.score_jacobian(out.score_jacobian);
        }
        posterior.slope(out.slope);
        if !out.slope_jacobian.is_empty() {
            posterior.slope_jacobian(out.slope, out.slope_jacobian);
        }
    }

    fn report(&self, theta: &[f64]) -> Option<Reported> {
        self.describe(theta)
    }

    fn fitted_from(&self, reported: &[f64]) -> Result<Vec<f64>, ModelError> {
        self.fitted_from_reported(reported)
    }

    /// Only the means change.
    fn translate(&self, theta: &[f64], shift: &[f64]) -> Option<(Vec<f64>, Matrix)> {
        let mut moved = theta.to_vec();
        for mean in moved[..self.weight_start()].chunks_exact_mut(self.dimension) {
            mean.iter_mut().zip(shift).for_each(|(m, s)| *m += s);
        }
        Some((moved, Matrix::identity(theta.len())))
    }

    fn locations(&self) -> Vec<Vec<usize>> {
        let d = self.dimension;
        (0..self.components).map(|k| (k * d..(k + 1) * d).collect()).collect()
    }

    fn density(&self) -> Option<&dyn Density> {
        Some(self)
    }

    fn sampling(&self) -> Option<&dyn Sampling> {
        Some(self)
    }

    fn search(&self) -> Option<&dyn Search> {
        Some(self)
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        Some(self)
    }

    fn counted(&self) -> Option<&dyn Counted> {
        if self.free_weights { Some(self) } else { None }
    }

    fn naive_likelihood(&self) -> Option<&dyn NaiveLikelihood> {
        Some(self)
    }
}

impl Density for GaussianMixture {
    /// Includes the normaliser on the whole space.
    fn log_density(&self, x: &[f64], theta: &[f64]) -> f64 {
        self.posterior(x, theta).log_density()
    }

    fn whole_log_normaliser(&self, _theta: &[f64]) -> Option<f64> {
        Some(0.0)
    }

    fn log_density_gradient(&self, x: &[f64], theta: &[f64], gradient: &mut [f64]) {
        self.posterior(x, theta).log_density_gradient(gradient);
    }

    fn add_log_density_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weight: f64,
        _steps: &[f64],
        curvature: &mut [f64],
    ) {
        self.posterior(x, theta).add_log_density_curvature(weight, curvature);
    }
}

impl Sampling for GaussianMixture {
    fn sampler(&self, theta: &[f64]) -> Option<Sampler> {
        let (d, factors) = (self.dimension, self.factors(theta).into_owned());
        let inverses: Vec<Matrix> = (0..self.components).map(|k| factors.at(k).inverse_lower()).collect();
        let all = inverses.iter().flat_map(|inverse| inverse.values());
        if all.chain(theta).any(|v| !v.is_finite()) {
            return None;
        }
        let (means, weights) = (theta[..self.weight_start()].to_vec(), self.weights(theta));
        Some(Box::new(move |rng: &mut ChaCha8Rng, x: &mut [f64]| {
            let component = pick(&weights, rng.random());
            x.copy_from_slice(&means[component * d..(component + 1) * d]);
            // Sigma = L^-T L^-1, so that L^-T z has this covariance.
            for j in 0..d {
                let z: f64 = StandardNormal.sample(rng);
                for l in 0..=j {
                    x[l] += inverses[component][(j, l)] * z;
                }
            }
        }))
    }
}

//! The Gaussian density. Its entry in the list of models is in `family`, its naive likelihood in
//! `likelihood`.

mod family;
mod likelihood;

use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

pub(super) use family::GaussianFamily;

use super::{
    Affine, Density, LinearScore, Model, NaiveLikelihood, Reported, Sampler, Sampling, Slot, check_theta,
};
use crate::compute::cholesky::Cholesky;
use crate::compute::dot;
use crate::error::ModelError;
use crate::matrix::Matrix;

/// The Gaussian density, with known or unknown covariance.
///
/// # Definition
///
/// The score is `psi = eta - Lambda x`, with the precision `Lambda` (inverse covariance) and `eta = Lambda
/// mu`. It is affine in `mu` if the covariance is known, and in the natural parameters `(eta, Lambda)` if it
/// is not, so every fit has a closed form. Mean and covariance are reported, `mu = Lambda^-1 eta` and `Sigma
/// = Lambda^-1`.
///
/// # Requirements
///
/// Moments exist only if `Lambda` is positive definite. On a bounded domain a density with an indefinite
/// `Lambda` is proper too; then the natural parameters are the answer and no moments are reported.
///
/// ```
/// use steinbound::model::{Gaussian, Model};
/// assert_eq!(Gaussian::with_variance(3, 1.0)?.parameters(), 3);
/// assert_eq!(Gaussian::diagonal(3).parameters(), 6);
/// assert_eq!(Gaussian::full(3).parameters(), 9);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Gaussian {
    dimension: usize,
    covariance: Covariance,
}

#[derive(Debug, Clone, PartialEq)]
enum Covariance {
    /// A known covariance with its precision.
    Known {
        precision: Matrix,
        covariance: Matrix,
    },
    /// Known variances of independent coordinates, as precisions.
    KnownVariances(Vec<f64>),
    Diagonal,
    Full,
}

impl Gaussian {
    /// Unknown mean, known covariance matrix.
    pub fn with_covariance(covariance: Matrix) -> Result<Gaussian, ModelError> {
        let precision = covariance_factor(&covariance)?.inverse();
        Ok(Gaussian { dimension: covariance.rows(), covariance: Covariance::Known { precision, covariance } })
    }

    /// Unknown mean, known variances, independent coordinates.
    pub fn with_variances(variances: &[f64]) -> Result<Gaussian, ModelError> {
        if let Some(at) = variances.iter().position(|v| !(*v > 0.0 && v.is_finite())) {
            return Err(ModelError::BadVariance { coordinate: at + 1, value: variances[at] });
        }
        let precisions = variances.iter().map(|v| 1.0 / v).collect();
        Ok(Gaussian { dimension: variances.len(), covariance: Covariance::KnownVariances(precisions) })
    }

    /// Unknown mean, the same known variance in each of the independent coordinates.
    pub fn with_variance(dimension: usize, variance: f64) -> Result<Gaussian, ModelError> {
        Gaussian::with_variances(&vec![variance; dimension])
    }

    /// Unknown mean and variances, independent coordinates.
    pub fn diagonal(dimension: usize) -> Gaussian {
        Gaussian { dimension, covariance: Covariance::Diagonal }
    }

    /// Unknown mean and covariance.
    pub fn full(dimension: usize) -> Gaussian {
        Gaussian { dimension, covariance: Covariance::Full }
    }

    fn is_known(&self) -> bool {
        matches!(self.covariance, Covariance::Known { .. } | Covariance::KnownVariances(_))
    }

    /// The entry (l, k) of a known precision.
    fn known_precision(&self, l: usize, k: usize) -> f64 {
        match &self.covariance {
            Covariance::Known { precision, .. } => precision[(l, k)],
            Covariance::KnownVariances(precisions) if l == k => precisions[l],
            _ => 0.0,
        }
    }

    /// The coordinates that interact with coordinate `l` through the precision.
    fn neighbours(&self, l: usize) -> std::ops::Range<usize> {
        match self.covariance {
            Covariance::KnownVariances(_) | Covariance::Diagonal => l..l + 1,
            _ => 0..self.dimension,
        }
    }

    /// The index of the parameter that holds the entry (l, k) of the precision; `None` if it is known or
    /// zero.
    fn precision_parameter(&self, l: usize, k: usize) -> Option<usize> {
        let d = self.dimension;
        match self.covariance {
            Covariance::Known { .. } | Covariance::KnownVariances(_) => None,
            Covariance::Diagonal => (l == k).then_some(d + l),
            Covariance::Full => Some(d + triangle(d, l.min(k), l.max(k))),
        }
    }

    /// The free entries (l, k), `l <= k`, of precision and covariance, in the order of the parameters.
    fn entries(&self) -> Vec<(usize, usize)> {
        let d = self.dimension;
        match self.covariance {
            Covariance::Known { .. } | Covariance::KnownVariances(_) => Vec::new(),
            Covariance::Diagonal => (0..d).map(|l| (l, l)).collect(),
            Covariance::Full => (0..d).flat_map(|l| (l..d).map(move |k| (l, k))).collect(),
        }
    }

    fn precision(&self, theta: &[f64]) -> Matrix {
        Matrix::from_fn(self.dimension, self.dimension, |l, k| match self.precision_parameter(l, k) {
            Some(at) => theta[at],
            None => self.known_precision(l, k),
        })
    }

    /// Names `head[x1].., tail[x1,x1], tail[x1,x2]..`.
    fn labels(&self, head: &str, tail: &str, coordinates: &[String]) -> Vec<String> {
        let first = coordinates.iter().map(|name| format!("{head}[{name}]"));
        let second = self.entries().into_iter();
        first.chain(second.map(|(l, k)| format!("{tail}[{},{}]", coordinates[l], coordinates[k]))).collect()
    }
}

/// The factor of a covariance; an error unless it is symmetric and positive definite.
pub(super) fn covariance_factor(covariance: &Matrix) -> Result<Cholesky, ModelError> {
    let size = covariance.rows();
    let is_symmetric = size == covariance.columns()
        && (0..size).all(|i| {
            (0..i).all(|j| {
                let (a, b) = (covariance[(i, j)], covariance[(j, i)]);
                (a - b).abs() <= 1e-9 * (a.abs() + b.abs())
            })
        });
    if size == 0 || !is_symmetric {
        return Err(ModelError::BadCovariance);
    }
    Cholesky::new(covariance.clone()).ok_or(ModelError::BadCovariance)
}

/// The index of the entry (l, k), `l <= k`, in the upper triangle taken row by row.
fn triangle(d: usize, l: usize, k: usize) -> usize {
    l * d + k - l * (l + 1) / 2
}

impl Model for Gaussian {
    fn name(&self) -> &str {
        "gaussian"
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn parameters(&self) -> usize {
        let d = self.dimension;
        match self.covariance {
            Covariance::Known { .. } | Covariance::KnownVariances(_) => d,
            Covariance::Diagonal => 2 * d,
            Covariance::Full => d + d * (d + 1) / 2,
        }
    }

    fn names(&self, coordinates: &[String]) -> Vec<String> {
        if self.is_known() {
            return self.reported_names(coordinates);
        }
        self.labels("eta", "precision", coordinates)
    }

    fn reported_names(&self, coordinates: &[String]) -> Vec<String> {
        self.labels("mean", "cov", coordinates)
    }

    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        for (l, value) in score.iter_mut().enumerate() {
            *value = if self.is_known() {
                self.neighbours(l).map(|k| self.known_precision(l, k) * (theta[k] - x[k])).sum()
            } else {
                let pull = |k: usize| self.precision_parameter(l, k).map_or(0.0, |at| theta[at] * x[k]);
                theta[l] - self.neighbours(l).map(pull).sum::<f64>()
            };
        }
    }

    fn score_jacobian(&self, x: &[f64], _theta: &[f64], jacobian: &mut [f64]) {
        let p = self.parameters();
        jacobian.fill(0.0);
        for l in 0..self.dimension {
            let row = &mut jacobian[l * p..(l + 1) * p];
            if !self.is_known() {
                row[l] = 1.0;
            }
            for k in self.neighbours(l) {
                match self.precision_parameter(l, k) {
                    Some(at) => row[at] = -x[k],
                    None => row[k] = self.known_precision(l, k),
                }
            }
        }
    }

    fn score_slope(&self, _x: &[f64], theta: &[f64], slope: &mut [f64]) {
        for (l, value) in slope.iter_mut().enumerate() {
            *value = match self.precision_parameter(l, l) {
                Some(at) => -theta[at],
                None => -self.known_precision(l, l),
            };
        }
    }

    fn score_slope_jacobian(&self, _x: &[f64], _theta: &[f64], jacobian: &mut [f64]) {
        let p = self.parameters();
        jacobian.fill(0.0);
        for l in 0..self.dimension {
            if let Some(at) = self.precision_parameter(l, l) {
                jacobian[l * p + at] = -1.0;
            }
        }
    }

    /// With `Sigma = Lambda^-1`: `d mu = Sigma d eta - Sigma dLambda mu` and
    /// `d Sigma = -Sigma dLambda Sigma`.
    fn report(&self, theta: &[f64]) -> Option<Reported> {
        let (d, p) = (self.dimension, self.parameters());
        if self.is_known() {
            return Some(Reported { values: theta.to_vec(), jacobian: Matrix::identity(p) });
        }
        let covariance = Cholesky::new(self.precision(theta))?.inverse();
        let mean = covariance.times_vector(&theta[..d]);
        let entries = self.entries();
        let mut values = mean.clone();
        values.extend(entries.iter().map(|entry| covariance[*entry]));
        if values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let mut jacobian = Matrix::zeros(p, p);
        for l in 0..d {
            for k in 0..d {
                jacobian[(l, k)] = covariance[(l, k)];
            }
        }
        for (e, (a, b)) in entries.iter().copied().enumerate() {
            // An off-diagonal entry occurs twice in the precision.
            let both = if a == b { 0.5 } else { 1.0 };
            let column = d + e;
            for l in 0..d {
                let pull = covariance[(l, a)] * mean[b] + covariance[(l, b)] * mean[a];
                jacobian[(l, column)] = -both * pull;
            }
            for (f, (l, k)) in entries.iter().copied().enumerate() {
                let pull = covariance[(l, a)] * covariance[(b, k)] + covariance[(l, b)] * covariance[(a, k)];
                jacobian[(d + f, column)] = -both * pull;
            }
        }
        Some(Reported { values, jacobian })
    }

    fn fitted_from(&self, reported: &[f64]) -> Result<Vec<f64>, ModelError> {
        // The numbers of fitted and reported values are equal.
        check_theta(self, reported)?;
        let d = self.dimension;
        if self.is_known() {
            return Ok(reported.to_vec());
        }
        // The entries of the covariance have the same indices as those of the precision.
        let precision = Cholesky::new(self.precision(reported)).ok_or(ModelError::BadCovariance)?.inverse();
        let mut theta = precision.times_vector(&reported[..d]);
        theta.extend(self.entries().iter().map(|entry| precision[*entry]));
        Ok(theta)
    }

    fn unreportable(&self) -> String {
        let way_out = match self.covariance {
            Covariance::Full => "give the covariance, or use a diagonal one",
            _ => "give the covariance",
        };
        format!(
            "the estimated precision matrix is not positive definite, so that no mean and covariance exist; on a bounded \
             domain the density is still proper, with the natural parameters given. Usually the data have several \
             clusters, or fill the region so evenly that their tails are cut off: test the fit, then try a mixture; \
             otherwise collect more data, {way_out}"
        )
    }

    /// A known covariance shifts the mean; otherwise `eta` becomes `eta + Lambda shift`.
    fn translate(&self, theta: &[f64], shift: &[f64]) -> Option<(Vec<f64>, Matrix)> {
        let d = self.dimension;
        let mut moved = theta.to_vec();
        let mut jacobian = Matrix::identity(self.parameters());
        for l in 0..d {
            if self.is_known() {
                moved[l] += shift[l];
                continue;
            }
            for k in self.neighbours(l) {
                if let Some(at) = self.precision_parameter(l, k) {
                    moved[l] += theta[at] * shift[k];
                    jacobian[(l, at)] = shift[k];
                }
            }
        }
        Some((moved, jacobian))
    }

    fn locations(&self) -> Vec<Vec<usize>> {
        vec![(0..self.dimension).collect()]
    }

    fn affine(&self) -> Option<&dyn Affine> {
        Some(self)
    }

    fn density(&self) -> Option<&dyn Density> {
        Some(self)
    }

    fn sampling(&self) -> Option<&dyn Sampling> {
        Some(self)
    }

    fn naive_likelihood(&self) -> Option<&dyn NaiveLikelihood> {
        Some(self)
    }
}

impl Affine for Gaussian {
    fn linear_score(&self) -> LinearScore {
        let d = self.dimension;
        let mut offset = Matrix::zeros(d + 1, d);
        let mut design = vec![Vec::new(); d];
        for (l, slots) in design.iter_mut().enumerate() {
            if !self.is_known() {
                slots.push(Slot { feature: 0, parameter: l, factor: 1.0 });
            }
            for k in self.neighbours(l) {
                match self.precision_parameter(l, k) {
                    Some(parameter) => slots.push(Slot { feature: 1 + k, parameter, factor: -1.0 }),
                    None => {
                        let factor = self.known_precision(l, k);
                        slots.push(Slot { feature: 0, parameter: k, factor });
                        offset[(1 + k, l)] = -factor;
                    }
                }
            }
        }
        LinearScore { parameters: self.parameters(), design, offset }
    }

    fn features(&self, x: &[f64], features: &mut [f64]) {
        features[0] = 1.0;
        features[1..].copy_from_slice(x);
    }

    fn feature_slopes(&self, _x: &[f64], slopes: &mut [f64]) {
        slopes.fill(0.0);
        for l in 0..self.dimension {
            slopes[l * (self.dimension + 1) + 1 + l] = 1.0;
        }
    }
}

impl Density for Gaussian {
    fn log_density(&self, x: &[f64], theta: &[f64]) -> f64 {
        // Without allocating a matrix: this is called at every node of an integral.
        let of_coordinate = |l: usize| -> f64 {
            let row = self.neighbours(l);
            if self.is_known() {
                return row.map(|k| self.known_precision(l, k) * (theta[k] - 0.5 * x[k])).sum();
            }
            let pulled = row.map(|k| self.precision_parameter(l, k).map_or(0.0, |at| theta[at] * x[k]));
            theta[l] - 0.5 * pulled.sum::<f64>()
        };
        (0..x.len()).map(|l| of_coordinate(l) * x[l]).sum()
    }

    /// `(eta' mu - log |Lambda| + d log 2 pi) / 2`, with `eta = Lambda mu`.
    fn whole_log_normaliser(&self, theta: &[f64]) -> Option<f64> {
        let d = self.dimension;
        let precision = self.precision(theta);
        let factor = Cholesky::new(precision.clone())?;
        let log_root: f64 = (0..d).map(|l| factor.lower()[(l, l)].ln()).sum();
        let energy = if self.is_known() {
            dot(&theta[..d], &precision.times_vector(&theta[..d]))
        } else {
            let mut solved = Matrix::from_fn(d, 1, |l, _| theta[l]);
            factor.solve_lower(&mut solved);
            dot(solved.column(0), solved.column(0))
        };
        Some(0.5 * (energy + d as f64 * (2.0 * std::f64::consts::PI).ln()) - log_root)
    }

    /// `Lambda x` for a mean with known covariance, else `(x, -x x' / 2)`.
    fn log_density_gradient(&self, x: &[f64], _theta: &[f64], gradient: &mut [f64]) {
        for l in 0..self.dimension {
            gradient[l] = if self.is_known() {
                self.neighbours(l).map(|k| self.known_precision(l, k) * x[k]).sum()
            } else {
                x[l]
            };
        }
        for (e, (l, k)) in self.entries().into_iter().enumerate() {
            let both = if l == k { 0.5 } else { 1.0 };
            gradient[self.dimension + e] = -both * x[l] * x[k];
        }
    }
}

impl Sampling for Gaussian {
    fn sampler(&self, theta: &[f64]) -> Option<Sampler> {
        if let Covariance::KnownVariances(precisions) = &self.covariance {
            let spreads: Vec<(f64, f64)> =
                theta.iter().zip(precisions).map(|(m, p)| (*m, 1.0 / p.sqrt())).collect();
            return Some(Box::new(move |rng: &mut ChaCha8Rng, x: &mut [f64]| {
                for (x, (mean, deviation)) in x.iter_mut().zip(&spreads) {
                    let z: f64 = StandardNormal.sample(rng);
                    *x = mean + deviation * z;
                }
            }));
        }
        let mean = self.report(theta)?.values[..self.dimension].to_vec();
        let covariance = match &self.covariance {
            Covariance::Known { covariance, .. } => covariance.clone(),
            _ => Cholesky::new(self.precision(theta))?.inverse(),
        };
        let factor = Cholesky::new(covariance)?;
        Some(Box::new(move |rng: &mut ChaCha8Rng, x: &mut [f64]| {
            let normal: Vec<f64> = mean.iter().map(|_| StandardNormal.sample(rng)).collect();
            for ((x, m), z) in x.iter_mut().zip(&mean).zip(factor.times_lower(&normal)) {
                *x = m + z;
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::conformance;
    use super::*;

    #[test]
    fn every_gaussian_conforms() {
        let rows = [[2.0, 0.4, -0.3], [0.4, 1.0, 0.2], [-0.3, 0.2, 0.7]];
        let known = Gaussian::with_covariance(Matrix::from_fn(3, 3, |i, j| rows[i][j])).unwrap();
        assert_eq!(conformance::check(&known, &[0.2, -0.5, 1.0]), Ok(()));
        let variances = Gaussian::with_variances(&[0.5, 2.0]).unwrap();
        assert_eq!(conformance::check(&variances, &[0.2, -0.5]), Ok(()));
        let diagonal = Gaussian::diagonal(2);
        assert_eq!(conformance::check(&diagonal, &[0.3, -1.0, 0.8, 1.7]), Ok(()));
        let full = Gaussian::full(3);
        let theta = [0.5, -0.2, 0.1, 1.5, 0.2, -0.1, 0.9, 0.3, 1.1];
        assert_eq!(conformance::check(&full, &theta), Ok(()));
    }

    #[test]
    fn an_indefinite_precision_has_no_moments() {
        assert!(Gaussian::full(2).report(&[0.0, 0.0, 1.0, 2.0, 1.0]).is_none());
        assert!(Gaussian::diagonal(1).report(&[0.0, -1.0]).is_none());
        assert!(Gaussian::full(2).sampler(&[0.0, 0.0, 1.0, 2.0, 1.0]).is_none());
    }

    #[test]
    fn bad_covariances_are_refused() {
        assert!(Gaussian::with_variance(2, 0.0).is_err());
        assert!(Gaussian::with_variances(&[1.0, f64::NAN]).is_err());
        let crooked = Matrix::from_fn(2, 2, |i, j| if i < j { 0.5 } else { 1.0 });
        assert_eq!(Gaussian::with_covariance(crooked), Err(ModelError::BadCovariance));
    }
}

use rand::rngs::ChaCha8Rng;

use super::truncated_normal::{self, log_density, log_probability};
use super::{Conditional, Density, LinearPart, Model, NaiveLikelihood, Regression, Reported};
use crate::domain::Limit;
use crate::error::{Error, ModelError};
use crate::matrix::Matrix;
use crate::points::Points;

/// Linear regression with normal noise whose response is recorded as a limit where it lies beyond it: a Tobit
/// model.
///
/// # Definition
///
/// The latent response is `y* ~ N(b'x, sigma^2)`. With a lower censoring limit `l` the recorded response is
/// `max(y*, l)`, with an upper one `u` it is `min(y*, u)`. A record at a limit has the probability of `y*`
/// beyond it in the place of a density. The parameters are `b / sigma` and `1 / sigma`, in which the
/// logarithm of this likelihood is concave; `b` and `sigma` are reported. On a side without censoring the
/// response can be truncated: rows beyond that limit, which is the domain's, are not seen.
///
/// # Requirements
///
/// Linearly independent covariates, and some responses that are not censored.
///
/// # Reference
///
/// Tobin, *Estimation of Relationships for Limited Dependent Variables*, Econometrica 1958; Olsen, *Note on
/// the Uniqueness of the Maximum Likelihood Estimator for the Tobit Model*, Econometrica 1978.
///
/// ```
/// use steinbound::domain::Limit;
/// use steinbound::model::{CensoredRegression, Density, Model, Regression};
/// let model = CensoredRegression::new(Regression::new(0).with_sigma(1.0)?, [Limit::Constant(0.0), Limit::None]);
/// // Half of a standard normal distribution is recorded as zero.
/// assert!((model.log_density(&[0.0], &[0.0]).exp() - 0.5).abs() < 1e-12);
/// assert_eq!(model.reported_names(&["y".into()]), ["(Intercept)"]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CensoredRegression {
    latent: Regression,
    limits: [Limit; 2],
}

/// A function of the linear predictor `a = b'x / sigma` and of `h = 1 / sigma`, to second order.
#[derive(Debug, Clone, Copy, Default)]
struct Local {
    value: f64,
    gradient: [f64; 2],
    /// The second derivatives in `a` twice, in both, and in `h` twice.
    curvature: [f64; 3],
}

impl Local {
    /// A function of `u = h limit - a`, by its first and second derivative.
    fn at_limit(value: f64, slope: f64, curvature: f64, limit: f64) -> Local {
        Local {
            value,
            gradient: [-slope, slope * limit],
            curvature: [curvature, -curvature * limit, curvature * limit * limit],
        }
    }

    /// The logarithm of the standard normal probability below `u`, or above it: `d/du log P = m` and
    /// `d2/du2 log P = -m (u + m)`, mirrored above.
    fn beyond(u: f64, limit: f64, is_lower: bool) -> Local {
        let (low, high) = if is_lower { (f64::NEG_INFINITY, u) } else { (u, f64::INFINITY) };
        let value = log_probability(low, high);
        let slope = (log_density(u) - value).exp() * if is_lower { 1.0 } else { -1.0 };
        Local::at_limit(value, slope, -slope * (u + slope), limit)
    }
}

impl CensoredRegression {
    /// A regression whose response is censored below the first and above the second limit, which are numbers
    /// or coordinates of a point; a side without limit is not censored.
    pub fn new(latent: Regression, limits: [Limit; 2]) -> CensoredRegression {
        CensoredRegression { latent, limits }
    }

    /// The limits at which a response is recorded; infinite on a side that is not censored.
    pub fn limits_at(&self, x: &[f64]) -> (f64, f64) {
        (self.limits[0].at(x, f64::NEG_INFINITY), self.limits[1].at(x, f64::INFINITY))
    }

    /// The limits beyond which responses are not seen: those of the section on sides that are not censored.
    fn seen(&self, (low, high): (f64, f64)) -> (f64, f64) {
        let [below, above] = self.limits.map(|limit| limit != Limit::None);
        (if below { f64::NEG_INFINITY } else { low }, if above { f64::INFINITY } else { high })
    }

    /// `a` and `h`.
    fn predictor(&self, x: &[f64], theta: &[f64]) -> (f64, f64) {
        let sum: f64 = self.latent.regressors(x).zip(theta).map(|(x, t)| x * t).sum();
        match self.latent.known_sigma() {
            Some(sigma) => (sum / sigma, 1.0 / sigma),
            None => (sum, theta[self.latent.coefficients()]),
        }
    }

    /// The derivatives of `a` in the coefficients.
    fn slopes(&self, x: &[f64]) -> Vec<f64> {
        let factor = self.latent.known_sigma().map_or(1.0, |sigma| 1.0 / sigma);
        self.latent.regressors(x).map(|x| factor * x).collect()
    }

    fn log_density_of(&self, x: &[f64], a: f64, h: f64) -> Local {
        let (low, high) = self.limits_at(x);
        if x[0] <= low {
            return Local::beyond(h * low - a, low, true);
        }
        if x[0] >= high {
            return Local::beyond(h * high - a, high, false);
        }
        let (y, z) = (x[0], h * x[0] - a);
        Local {
            value: h.ln() + log_density(z),
            gradient: [z, 1.0 / h - z * y],
            curvature: [-1.0, y, -1.0 / (h * h) - y * y],
        }
    }

    /// The logarithm of the probability between two limits of `y*`.
    fn log_seen(&self, (low, high): (f64, f64), a: f64, h: f64) -> Local {
        let (below, above) = (h * low - a, h * high - a);
        if low == f64::NEG_INFINITY && high == f64::INFINITY {
            return Local::default();
        }
        let value = log_probability(below, above);
        let height = |u: f64| if u.is_finite() { (log_density(u) - value).exp() } else { 0.0 };
        let at = |limit: f64, u: f64, slope: f64, curvature: f64| match u.is_finite() {
            true => Local::at_limit(0.0, slope, curvature, limit),
            false => Local::default(),
        };
        let (first, second) = (height(below), height(above));
        let parts = [
            at(low, below, -first, first * (below - first)),
            at(high, above, second, -second * (above + second)),
        ];
        let mut sum = Local { value, ..Local::default() };
        for part in parts {
            (0..2).for_each(|k| sum.gradient[k] += part.gradient[k]);
            (0..3).for_each(|k| sum.curvature[k] += part.curvature[k]);
        }
        if below.is_finite() && above.is_finite() {
            let mixed = first * second;
            sum.curvature[0] += 2.0 * mixed;
            sum.curvature[1] -= mixed * (low + high);
            sum.curvature[2] += 2.0 * mixed * low * high;
        }
        sum
    }

    fn write_gradient(&self, x: &[f64], local: &Local, gradient: &mut [f64]) {
        gradient.iter_mut().zip(self.slopes(x)).for_each(|(g, slope)| *g = slope * local.gradient[0]);
        if self.latent.known_sigma().is_none() {
            gradient[self.latent.coefficients()] = local.gradient[1];
        }
    }

    fn add_curvature(&self, x: &[f64], local: &Local, weight: f64, out: &mut [f64]) {
        let (count, p, slopes) = (self.latent.coefficients(), self.latent.parameters(), self.slopes(x));
        let [twice, mixed, of_h] = local.curvature.map(|value| weight * value);
        for (j, slope) in slopes.iter().enumerate() {
            for (k, other) in slopes.iter().enumerate() {
                out[j * p + k] += twice * slope * other;
            }
        }
        if self.latent.known_sigma().is_none() {
            for (j, slope) in slopes.iter().enumerate() {
                out[j * p + count] += mixed * slope;
                out[count * p + j] += mixed * slope;
            }
            out[count * p + count] += of_h;
        }
    }
}

/// The score is that of the latent response, which is recorded between the limits.
impl Model for CensoredRegression {
    fn name(&self) -> &str {
        "censored-regression"
    }

    fn dimension(&self) -> usize {
        self.latent.dimension()
    }

    fn differentiated(&self) -> Vec<usize> {
        self.latent.differentiated()
    }

    fn parameters(&self) -> usize {
        self.latent.parameters()
    }

    fn names(&self, coordinates: &[String]) -> Vec<String> {
        let names = self.reported_names(coordinates);
        if self.latent.known_sigma().is_some() {
            return names;
        }
        let count = self.latent.coefficients();
        let fitted =
            |(k, name): (usize, String)| if k < count { format!("{name}/sigma") } else { "1/sigma".into() };
        names.into_iter().enumerate().map(fitted).collect()
    }

    fn reported_names(&self, coordinates: &[String]) -> Vec<String> {
        self.latent.reported_names(coordinates)
    }

    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        let (a, h) = self.predictor(x, theta);
        score[0] = h * (a - h * x[0]);
    }

    fn score_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        let (a, h) = self.predictor(x, theta);
        jacobian.iter_mut().zip(self.slopes(x)).for_each(|(j, slope)| *j = h * slope);
        if self.latent.known_sigma().is_none() {
            jacobian[self.latent.coefficients()] = a - 2.0 * h * x[0];
        }
    }

    fn score_slope(&self, x: &[f64], theta: &[f64], slope: &mut [f64]) {
        let h = self.predictor(x, theta).1;
        slope[0] = -h * h;
    }

    fn score_slope_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        jacobian.fill(0.0);
        if self.latent.known_sigma().is_none() {
            jacobian[self.latent.coefficients()] = -2.0 * self.predictor(x, theta).1;
        }
    }

    /// `b = theta / h` and `sigma = 1 / h`.
    fn report(&self, theta: &[f64]) -> Option<Reported> {
        let p = self.parameters();
        if self.latent.known_sigma().is_some() {
            return Some(Reported { values: theta.to_vec(), jacobian: Matrix::identity(p) });
        }
        let last = self.latent.coefficients();
        let h = theta[last];
        if h.is_nan() || h <= 0.0 {
            return None;
        }
        let values: Vec<f64> = theta[..last].iter().map(|b| b / h).chain([1.0 / h]).collect();
        let mut jacobian = Matrix::diagonal(&vec![1.0 / h; p]);
        (0..p).for_each(|k| jacobian[(k, last)] = -values[k] / h);
        values.iter().all(|v| v.is_finite()).then_some(Reported { values, jacobian })
    }

    fn fitted_from(&self, reported: &[f64]) -> Result<Vec<f64>, ModelError> {
        if self.latent.known_sigma().is_some() {
            return Ok(reported.to_vec());
        }
        let last = self.latent.coefficients();
        let sigma = reported[last];
        if sigma.is_nan() || sigma <= 0.0 {
            return Err(ModelError::BadSigma { value: sigma });
        }
        Ok(reported[..last].iter().map(|b| b / sigma).chain([1.0 / sigma]).collect())
    }

    fn unreportable(&self) -> String {
        "the estimated 1/sigma is not positive, so that no regression line explains these data; use more data, or give sigma".into()
    }

    fn density(&self) -> Option<&dyn Density> {
        Some(self)
    }

    fn conditional(&self) -> Option<&dyn Conditional> {
        Some(self)
    }

    fn naive_likelihood(&self) -> Option<&dyn NaiveLikelihood> {
        Some(self)
    }
}

/// The density of the record: a probability at a limit.
impl Density for CensoredRegression {
    fn log_density(&self, x: &[f64], theta: &[f64]) -> f64 {
        let (a, h) = self.predictor(x, theta);
        self.log_density_of(x, a, h).value
    }

    fn log_density_gradient(&self, x: &[f64], theta: &[f64], gradient: &mut [f64]) {
        let (a, h) = self.predictor(x, theta);
        self.write_gradient(x, &self.log_density_of(x, a, h), gradient);
    }

    fn add_log_density_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weight: f64,
        _steps: &[f64],
        curvature: &mut [f64],
    ) {
        let (a, h) = self.predictor(x, theta);
        self.add_curvature(x, &self.log_density_of(x, a, h), weight, curvature);
    }
}

impl Conditional for CensoredRegression {
    /// The probability that the latent response is seen at all.
    fn log_normaliser(
        &self,
        x: &[f64],
        theta: &[f64],
        section: (f64, f64),
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) -> Option<f64> {
        let (a, h) = self.predictor(x, theta);
        if h.is_nan() || h <= 0.0 {
            return None;
        }
        let local = self.log_seen(self.seen(section), a, h);
        self.write_gradient(x, &local, gradient);
        hessian.fill(0.0);
        self.add_curvature(x, &local, 1.0, hessian);
        Some(local.value)
    }

    /// That of the latent response.
    fn log_between(
        &self,
        x: &[f64],
        theta: &[f64],
        section: (f64, f64),
        gradient: &mut [f64],
    ) -> Option<f64> {
        let (a, h) = self.predictor(x, theta);
        let local = (h > 0.0).then(|| self.log_seen(section, a, h))?;
        self.write_gradient(x, &local, gradient);
        Some(local.value)
    }

    fn between_atoms(&self, x: &[f64], section: (f64, f64)) -> Option<(f64, f64)> {
        let (low, high) = self.limits_at(x);
        let is_between = low < x[0] && x[0] < high;
        is_between.then_some((section.0.max(low), section.1.min(high)))
    }

    fn linear_part(&self) -> Option<LinearPart> {
        self.latent.linear_part()
    }

    fn has_atoms(&self) -> bool {
        self.limits != [Limit::None; 2]
    }

    fn draw_given(&self, x: &mut [f64], theta: &[f64], section: (f64, f64), rng: &mut ChaCha8Rng) -> bool {
        let (a, h) = self.predictor(x, theta);
        let drawn = truncated_normal::draw(a * h, h * h, self.seen(section), rng);
        let (low, high) = self.limits_at(x);
        x[0] = drawn.map_or(x[0], |y| y.max(low).min(high));
        drawn.is_some()
    }
}

impl NaiveLikelihood for CensoredRegression {
    /// Least squares on the records, at which a search begins.
    fn maximum_likelihood(&self, points: &Points, weights: &[f64]) -> Result<(Vec<f64>, Matrix), Error> {
        let (theta, influence) = self.latent.maximum_likelihood(points, weights)?;
        match self.latent.known_sigma() {
            Some(_) => Ok((theta, influence)),
            // From b / sigma^2 and 1 / sigma^2.
            None => {
                let last = self.latent.coefficients();
                let h = theta[last].sqrt();
                let mut jacobian = Matrix::diagonal(&vec![1.0 / h; theta.len()]);
                (0..last).for_each(|k| jacobian[(k, last)] = -0.5 * theta[k] / h.powi(3));
                jacobian[(last, last)] = 0.5 / h;
                Ok((theta.iter().map(|t| t / h).collect(), influence.times(&jacobian.transpose())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::conformance;
    use super::*;
    use crate::random::stream;

    fn both(sigma: Option<f64>) -> CensoredRegression {
        let latent = Regression::new(1).with_other_coordinates(1);
        let latent = sigma.map_or(latent.clone(), |sigma| latent.with_sigma(sigma).unwrap());
        CensoredRegression::new(latent, [Limit::Constant(-40.0), Limit::Coordinate(2)])
    }

    #[test]
    fn every_censored_regression_conforms_between_its_limits() {
        let far = |latent| CensoredRegression::new(latent, [Limit::Constant(-40.0), Limit::None]);
        assert_eq!(conformance::check(&far(Regression::new(2)), &[0.3, -0.8, 0.4, 1.7]), Ok(()));
        let known = far(Regression::new(2).with_sigma(0.7).unwrap());
        assert_eq!(conformance::check(&known, &[0.3, -0.8, 0.4]), Ok(()));
        assert!(known.fitted_from(&[0.3, -0.8, 0.4]).is_ok());
        assert!(far(Regression::new(0)).report(&[1.0, -1.0]).is_none());
    }

    /// A value with its gradient and its curvature at parameters.
    type Differentiated = dyn Fn(&[f64]) -> (f64, Vec<f64>, Vec<f64>);

    /// Gradients and curvatures of densities and probabilities, compared with central differences.
    #[test]
    fn likelihoods_are_differentiated() {
        let sections = [(-1.0, 2.0), (f64::NEG_INFINITY, 0.4), (0.3, f64::INFINITY)];
        for (sigma, theta) in [(None, vec![0.4, -0.6, 1.3]), (Some(0.8), vec![0.4, -0.6])] {
            let p = theta.len();
            let free = CensoredRegression::new(both(sigma).latent, [Limit::None; 2]);
            let records = [[0.2, 0.7, 1.5], [-40.0, 0.7, 1.5], [1.5, 0.7, 1.5], [-0.4, -9.0, -0.4]];
            let mut cases: Vec<Box<Differentiated>> = Vec::new();
            for x in records {
                let model = both(sigma);
                cases.push(Box::new(move |theta| {
                    let (mut gradient, mut curvature) = (vec![0.0; p], vec![0.0; p * p]);
                    model.log_density_gradient(&x, theta, &mut gradient);
                    model.add_log_density_curvature(&x, theta, 1.0, &[], &mut curvature);
                    (model.log_density(&x, theta), gradient, curvature)
                }));
            }
            for section in sections {
                let model = free.clone();
                cases.push(Box::new(move |theta| {
                    let (mut gradient, mut curvature) = (vec![0.0; p], vec![0.0; p * p]);
                    let x = [0.1, 0.7, 9.0];
                    let found = model.log_normaliser(&x, theta, section, &mut gradient, &mut curvature);
                    (found.unwrap(), gradient, curvature)
                }));
            }
            for (number, case) in cases.iter().enumerate() {
                let (_, gradient, curvature) = case(&theta);
                for k in 0..p {
                    let moved = |step: f64| {
                        let mut theta = theta.clone();
                        theta[k] += step;
                        case(&theta)
                    };
                    let (above, below) = (moved(1e-5), moved(-1e-5));
                    let scale = 1.0 + gradient[k].abs();
                    assert!(((above.0 - below.0) / 2e-5 - gradient[k]).abs() < 1e-7 * scale, "{number} {k}");
                    for j in 0..p {
                        let difference = (above.1[j] - below.1[j]) / 2e-5;
                        let found = curvature[j * p + k];
                        assert!((difference - found).abs() < 1e-6 * (1.0 + found.abs()), "{number} {j} {k}");
                    }
                }
            }
        }
    }

    /// Records at a limit are as many as the density says, and those of rows that are not seen are not drawn.
    #[test]
    fn draws_are_recorded_at_limits() {
        let latent = Regression::new(0).with_sigma(2.0).unwrap();
        let model = CensoredRegression::new(latent, [Limit::None, Limit::Constant(1.5)]);
        let (rng, mut gradient, mut hessian) = (&mut stream(4, 0), [0.0], [0.0]);
        let (section, theta, mut at_limit) = ((-1.0, 1.5), [0.5], 0.0);
        for _ in 0..20_000 {
            let mut x = [0.0];
            assert!(model.draw_given(&mut x, &theta, section, rng) && x[0] >= -1.0 && x[0] <= 1.5);
            at_limit += f64::from(u8::from(x[0] == 1.5));
        }
        let seen = model.log_normaliser(&[0.0], &theta, section, &mut gradient, &mut hessian).unwrap();
        let share = (model.log_density(&[1.5], &theta) - seen).exp();
        assert!(
            (at_limit / 20_000.0 - share).abs() < 4.0 * (share * (1.0 - share) / 20_000.0).sqrt(),
            "{share}"
        );
    }
}

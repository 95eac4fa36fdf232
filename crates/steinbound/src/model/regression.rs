use rand::rngs::ChaCha8Rng;

use super::truncated_normal::{self, TruncatedNormal};
use super::{Affine, Conditional, Density, LinearPart, LinearScore, Model, NaiveLikelihood, Reported, Slot};
use crate::compute::cholesky::ScaledCholesky;
use crate::error::{Error, FitError, ModelError};
use crate::matrix::Matrix;
use crate::points::Points;

/// Linear regression with normal noise: the density of a response given covariates.
///
/// # Definition
///
/// A point is `(y, x_1, .., x_k)`, and `y ~ N(b'x, sigma^2)` given `x`, the intercept being the coefficient
/// of a constant 1. Only `y` is differentiated, so the score is `(b'x - y) / sigma^2`. It is affine in `b` if
/// the noise is known, and in `(b / sigma^2, 1 / sigma^2)` if it is not: every fit has a closed form. `b` and
/// `sigma` are reported.
///
/// # Requirements
///
/// Linearly independent covariates. Coordinates after the covariates, for example limits that differ between
/// observations, are allowed and ignored.
///
/// # Reference
///
/// Williams and Liu, ICML 2023, appendix on regression; Hausman and Wise, 1977.
///
/// ```
/// use steinbound::model::{Model, Regression};
/// let model = Regression::new(1);
/// let names = ["wage", "age"].map(String::from);
/// assert_eq!(model.reported_names(&names), ["(Intercept)", "age", "sigma"]);
/// assert_eq!(Regression::new(1).with_sigma(2.0)?.parameters(), 2);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    covariates: usize,
    intercept: bool,
    others: usize,
    sigma: Option<f64>,
}

/// The largest number of covariates, whose products exceed any memory.
const MOST_COVARIATES: usize = 1 << 24;

/// Residuals of this size, relative to the response, are its rounding.
const EXACT: f64 = 1e-13;

impl Regression {
    /// A regression on this number of covariates and an intercept, with unknown noise.
    pub fn new(covariates: usize) -> Regression {
        Regression { covariates: covariates.min(MOST_COVARIATES), intercept: true, others: 0, sigma: None }
    }

    /// Without an intercept.
    pub fn without_intercept(mut self) -> Regression {
        self.intercept = false;
        self
    }

    /// With a known standard deviation of the noise.
    pub fn with_sigma(mut self, sigma: f64) -> Result<Regression, ModelError> {
        if !(sigma > 0.0 && sigma.is_finite()) {
            return Err(ModelError::BadSigma { value: sigma });
        }
        self.sigma = Some(sigma);
        Ok(self)
    }

    /// The standard deviation of the noise, if it is known.
    pub(crate) fn known_sigma(&self) -> Option<f64> {
        self.sigma
    }

    /// For points that have this number of coordinates after the covariates.
    pub fn with_other_coordinates(mut self, others: usize) -> Regression {
        self.others = others;
        self
    }

    /// Whether there is an intercept.
    pub fn has_intercept(&self) -> bool {
        self.intercept
    }

    /// The number of coefficients.
    pub fn coefficients(&self) -> usize {
        self.covariates + usize::from(self.intercept)
    }

    /// The mean and standard deviation of the untruncated response at a point, whose first coordinate is
    /// ignored; `None` if the fitted parameters have no positive variance.
    ///
    /// ```
    /// use steinbound::model::{Model, Regression};
    /// let model = Regression::new(1);
    /// let theta = model.fitted_from(&[1.0, 2.0, 0.5])?;
    /// let (mean, deviation) = model.response(&[0.0, 3.0], &theta).unwrap();
    /// assert!((mean - 7.0).abs() < 1e-12 && (deviation - 0.5).abs() < 1e-12);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn response(&self, x: &[f64], theta: &[f64]) -> Option<(f64, f64)> {
        if theta.len() != self.parameters() || x.len() <= self.covariates {
            return None;
        }
        let (eta, precision) = self.natural(x, theta);
        (precision > 0.0).then(|| (eta / precision, 1.0 / precision.sqrt()))
    }

    /// The regressors of a point: 1 for the intercept, then the covariates.
    pub(super) fn regressors<'a>(&self, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.intercept.then_some(1.0).into_iter().chain(x[1..1 + self.covariates].iter().copied())
    }

    /// `(eta, precision)` such that the log-density of `y` is `eta y - precision y^2 / 2`.
    fn natural(&self, x: &[f64], theta: &[f64]) -> (f64, f64) {
        let predictor: f64 = self.regressors(x).zip(theta).map(|(x, t)| x * t).sum();
        match self.sigma {
            Some(sigma) => (predictor / (sigma * sigma), 1.0 / (sigma * sigma)),
            None => (predictor, theta[self.coefficients()]),
        }
    }

    /// The derivative of `eta` in a coefficient, over its regressor.
    fn factor(&self) -> f64 {
        self.sigma.map_or(1.0, |sigma| 1.0 / (sigma * sigma))
    }
}

impl Model for Regression {
    fn name(&self) -> &str {
        "regression"
    }

    fn dimension(&self) -> usize {
        1 + self.covariates + self.others
    }

    fn differentiated(&self) -> Vec<usize> {
        vec![0]
    }

    fn parameters(&self) -> usize {
        self.coefficients() + usize::from(self.sigma.is_none())
    }

    fn names(&self, coordinates: &[String]) -> Vec<String> {
        let names = self.reported_names(coordinates);
        if self.sigma.is_some() {
            return names;
        }
        let count = self.coefficients();
        names
            .into_iter()
            .enumerate()
            .map(|(k, name)| if k < count { format!("{name}/sigma^2") } else { "1/sigma^2".into() })
            .collect()
    }

    fn reported_names(&self, coordinates: &[String]) -> Vec<String> {
        let intercept = self.intercept.then(|| "(Intercept)".to_string());
        let covariates = coordinates[1..1 + self.covariates].iter().cloned();
        let sigma = self.sigma.is_none().then(|| "sigma".to_string());
        intercept.into_iter().chain(covariates).chain(sigma).collect()
    }

    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        let (eta, precision) = self.natural(x, theta);
        score[0] = eta - precision * x[0];
    }

    fn score_jacobian(&self, x: &[f64], _theta: &[f64], jacobian: &mut [f64]) {
        let factor = self.factor();
        jacobian.iter_mut().zip(self.regressors(x)).for_each(|(j, x)| *j = factor * x);
        if self.sigma.is_none() {
            jacobian[self.coefficients()] = -x[0];
        }
    }

    fn score_slope(&self, x: &[f64], theta: &[f64], slope: &mut [f64]) {
        slope[0] = -self.natural(x, theta).1;
    }

    fn score_slope_jacobian(&self, _x: &[f64], _theta: &[f64], jacobian: &mut [f64]) {
        jacobian.fill(0.0);
        if self.sigma.is_none() {
            jacobian[self.coefficients()] = -1.0;
        }
    }

    /// With `t = 1 / sigma^2`: `b = theta / t` and `sigma = t^(-1/2)`.
    fn report(&self, theta: &[f64]) -> Option<Reported> {
        let p = self.parameters();
        if self.sigma.is_some() {
            return Some(Reported { values: theta.to_vec(), jacobian: Matrix::identity(p) });
        }
        let last = self.coefficients();
        let precision = theta[last];
        if precision <= 0.0 {
            return None;
        }
        let mut values: Vec<f64> = theta[..last].iter().map(|b| b / precision).collect();
        values.push(1.0 / precision.sqrt());
        let mut jacobian = Matrix::zeros(p, p);
        for k in 0..last {
            jacobian[(k, k)] = 1.0 / precision;
            jacobian[(k, last)] = -values[k] / precision;
        }
        jacobian[(last, last)] = -0.5 * values[last] / precision;
        values.iter().all(|v| v.is_finite()).then_some(Reported { values, jacobian })
    }

    /// With an intercept `b_0`, which becomes `b_0 + s_y - b's_x`.
    fn translate(&self, theta: &[f64], shift: &[f64]) -> Option<(Vec<f64>, Matrix)> {
        if !self.intercept {
            return None;
        }
        let (mut moved, mut jacobian) = (theta.to_vec(), Matrix::identity(theta.len()));
        for k in 1..self.coefficients() {
            moved[0] -= theta[k] * shift[k];
            jacobian[(0, k)] = -shift[k];
        }
        match self.sigma {
            Some(_) => moved[0] += shift[0],
            None => {
                let last = self.coefficients();
                moved[0] += theta[last] * shift[0];
                jacobian[(0, last)] = shift[0];
            }
        }
        Some((moved, jacobian))
    }

    fn fitted_from(&self, reported: &[f64]) -> Result<Vec<f64>, ModelError> {
        if self.sigma.is_some() {
            return Ok(reported.to_vec());
        }
        let last = self.coefficients();
        let sigma = reported[last];
        if sigma.is_nan() || sigma <= 0.0 {
            return Err(ModelError::BadSigma { value: sigma });
        }
        let precision = 1.0 / (sigma * sigma);
        Ok(reported[..last].iter().map(|b| b * precision).chain([precision]).collect())
    }

    fn unreportable(&self) -> String {
        "the estimated precision 1/sigma^2 is not positive, so that no regression line explains these data; look for limits on the \
         wrong side, use more data, or give sigma"
            .into()
    }

    fn affine(&self) -> Option<&dyn Affine> {
        Some(self)
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

impl Affine for Regression {
    fn linear_score(&self) -> LinearScore {
        let count = self.coefficients();
        let slot = |k: usize, factor: f64| Slot { feature: k, parameter: k, factor };
        let mut design: Vec<Slot> = (0..count).map(|k| slot(k, self.factor())).collect();
        let mut offset = Matrix::zeros(count + 1, 1);
        match self.sigma {
            Some(_) => offset[(count, 0)] = -self.factor(),
            None => design.push(slot(count, -1.0)),
        }
        LinearScore { parameters: self.parameters(), design: vec![design], offset }
    }

    /// The regressors, then the response.
    fn features(&self, x: &[f64], features: &mut [f64]) {
        features.iter_mut().zip(self.regressors(x).chain([x[0]])).for_each(|(f, v)| *f = v);
    }

    fn feature_slopes(&self, _x: &[f64], slopes: &mut [f64]) {
        slopes.fill(0.0);
        slopes[self.coefficients()] = 1.0;
    }
}

impl Density for Regression {
    fn log_density(&self, x: &[f64], theta: &[f64]) -> f64 {
        let (eta, precision) = self.natural(x, theta);
        (eta - 0.5 * precision * x[0]) * x[0]
    }

    fn log_density_gradient(&self, x: &[f64], theta: &[f64], gradient: &mut [f64]) {
        self.score_jacobian(x, theta, gradient);
        gradient.iter_mut().for_each(|g| *g *= x[0]);
        if self.sigma.is_none() {
            gradient[self.coefficients()] = -0.5 * x[0] * x[0];
        }
    }
}

impl Conditional for Regression {
    /// The derivatives are moments of the truncated normal distribution: `E y` in `eta` and `-E y^2 / 2` in
    /// the precision.
    fn log_normaliser(
        &self,
        x: &[f64],
        theta: &[f64],
        section: (f64, f64),
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) -> Option<f64> {
        let (eta, precision) = self.natural(x, theta);
        let normal = TruncatedNormal::new(eta, precision, section)?;
        let (count, p) = (self.coefficients(), self.parameters());
        let regressors: Vec<f64> = self.regressors(x).map(|v| v * self.factor()).collect();
        for j in 0..count {
            gradient[j] = normal.mean * regressors[j];
            for k in 0..count {
                hessian[j * p + k] = normal.variance * regressors[j] * regressors[k];
            }
        }
        if self.sigma.is_none() {
            gradient[count] = -0.5 * normal.square;
            hessian[count * p + count] = 0.25 * normal.square_square;
            for j in 0..count {
                let mixed = -0.5 * normal.mean_square * regressors[j];
                hessian[j * p + count] = mixed;
                hessian[count * p + j] = mixed;
            }
        }
        Some(normal.log_normaliser)
    }

    /// Residuals that are the rounding of the response.
    fn is_exact(&self, theta: &[f64], points: &Points) -> bool {
        let (size, total) = points.rows().enumerate().fold((0.0, 0.0), |(size, total), (i, x)| {
            (size + points.weight(i) * x[0] * x[0], total + points.weight(i))
        });
        self.sigma.is_none() && (theta[self.coefficients()] * size / total).sqrt().recip() < EXACT
    }

    fn linear_part(&self) -> Option<LinearPart> {
        Some(LinearPart { first: 1, covariates: self.covariates, has_intercept: self.intercept })
    }

    fn draw_given(&self, x: &mut [f64], theta: &[f64], section: (f64, f64), rng: &mut ChaCha8Rng) -> bool {
        let (eta, precision) = self.natural(x, theta);
        let drawn = truncated_normal::draw(eta, precision, section, rng);
        x[0] = drawn.unwrap_or(x[0]);
        drawn.is_some()
    }
}

impl NaiveLikelihood for Regression {
    /// Least squares, and the noise variance divided by `n`. A point moves the coefficients by
    /// `(X'X/n)^-1 x r`, `r` being its residual, and the variance by `r^2 - sigma^2`.
    fn maximum_likelihood(&self, points: &Points, weights: &[f64]) -> Result<(Vec<f64>, Matrix), Error> {
        let (count, p, n) = (self.coefficients(), self.parameters(), points.len());
        let total: f64 = weights.iter().sum();
        let rows: Vec<Vec<f64>> = points.rows().map(|x| self.regressors(x).collect()).collect();
        let mut gram = Matrix::zeros(count, count);
        let mut right = Matrix::zeros(count, 1);
        for (i, row) in rows.iter().enumerate() {
            let share = weights[i] / total;
            for j in 0..count {
                right[(j, 0)] += share * row[j] * points.row(i)[0];
                for k in 0..count {
                    gram[(j, k)] += share * row[j] * row[k];
                }
            }
        }
        let factor = ScaledCholesky::new(&gram).map_err(|condition| FitError::NotIdentified { condition })?;
        factor.solve(&mut right);
        let slopes = right.column(0);
        let fitted = |row: &[f64]| row.iter().zip(slopes).map(|(x, b)| x * b).sum::<f64>();
        let residuals: Vec<f64> = (0..n).map(|i| points.row(i)[0] - fitted(&rows[i])).collect();
        let pulls = Matrix::from_fn(n, count, |i, j| rows[i][j] * residuals[i]);
        let of_slopes = factor.solve_rows(&pulls, 1.0);
        if self.sigma.is_some() {
            return Ok((slopes.to_vec(), of_slopes));
        }
        let variance = residuals.iter().zip(weights).map(|(r, w)| w / total * r * r).sum::<f64>();
        if variance.is_nan() || variance <= 0.0 {
            return Err(FitError::NotIdentified { condition: f64::INFINITY }.into());
        }
        let precision = 1.0 / variance;
        let theta = slopes.iter().map(|b| b * precision).chain([precision]).collect();
        let influence = Matrix::from_fn(n, p, |i, k| {
            let of_precision = -(residuals[i].powi(2) - variance) * precision * precision;
            match k {
                k if k < count => of_slopes[(i, k)] * precision + slopes[k] * of_precision,
                _ => of_precision,
            }
        });
        Ok((theta, influence))
    }
}

#[cfg(test)]
mod tests {
    use super::super::conformance;
    use super::*;

    #[test]
    fn every_regression_conforms() {
        let unknown = Regression::new(2);
        assert_eq!(conformance::check(&unknown, &[0.3, -0.8, 0.4, 1.7]), Ok(()));
        let known = Regression::new(2).with_sigma(0.7).unwrap().with_other_coordinates(1);
        assert_eq!(conformance::check(&known, &[0.3, -0.8, 0.4]), Ok(()));
        let bare = Regression::new(1).without_intercept();
        assert_eq!(conformance::check(&bare, &[0.3, 0.9]), Ok(()));
        assert!(Regression::new(1).with_sigma(0.0).is_err());
        assert!(Regression::new(1).report(&[1.0, 1.0, -1.0]).is_none());
    }

    /// The normaliser's derivatives compared with central differences of it.
    #[test]
    fn the_normaliser_is_differentiated() {
        for model in [Regression::new(1), Regression::new(1).with_sigma(0.8).unwrap()] {
            let theta: Vec<f64> = [0.4, -0.6, 1.3][..model.parameters()].to_vec();
            let p = theta.len();
            let at = |theta: &[f64]| {
                let (mut gradient, mut hessian) = (vec![0.0; p], vec![0.0; p * p]);
                let value = model
                    .log_normaliser(&[0.0, 0.7], theta, (-0.5, 1.5), &mut gradient, &mut hessian)
                    .unwrap();
                (value, gradient, hessian)
            };
            let (_, gradient, hessian) = at(&theta);
            for k in 0..p {
                let moved = |step: f64| {
                    let mut theta = theta.clone();
                    theta[k] += step;
                    at(&theta)
                };
                let (above, below) = (moved(1e-5), moved(-1e-5));
                assert!(((above.0 - below.0) / 2e-5 - gradient[k]).abs() < 1e-8);
                for j in 0..p {
                    let difference = (above.1[j] - below.1[j]) / 2e-5;
                    assert!((difference - hessian[j * p + k]).abs() < 1e-7);
                }
            }
        }
    }
}

use std::fmt::{self, Debug};
use std::sync::Arc;

pub use num_dual::DualNum;
use rand::rngs::ChaCha8Rng;

use super::{Curvature, Density, Model, Search, check_theta};
use crate::error::ModelError;
use crate::points::Points;

/// A number that carries its derivatives in up to three directions. Its functions (`exp`, `ln`, `powi`, ..)
/// are those of [`DualNum`].
pub type Number = num_dual::HyperHyperDual64;

/// A log-density up to its normaliser, as a function of a point and the parameters.
///
/// It is evaluated on [`Number`]s, from which every derivative follows.
///
/// ```
/// use steinbound::model::{Autodiff, DualNum, LogDensity, Model, Number};
///
/// /// A logistic density about `theta_1`.
/// #[derive(Debug)]
/// struct Logistic;
///
/// impl LogDensity for Logistic {
///     fn evaluate(&self, x: &[Number], theta: &[Number]) -> Number {
///         let y = x[0] - theta[0];
///         -y - ((-y).exp() + 1.0).ln() * 2.0
///     }
/// }
///
/// let model = Autodiff::from_density("logistic", 1, ["location"], std::sync::Arc::new(Logistic))?;
/// let mut score = [f64::NAN];
/// model.score(&[0.5], &[0.5], &mut score);
/// assert_eq!(score, [0.0]);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait LogDensity: Debug + Send + Sync {
    /// The log-density with its derivatives.
    fn evaluate(&self, x: &[Number], theta: &[Number]) -> Number;

    /// The log-density alone.
    fn evaluate_plain(&self, x: &[f64], theta: &[f64]) -> f64 {
        let lift = |values: &[f64]| -> Vec<Number> { values.iter().copied().map(Number::from_re).collect() };
        self.evaluate(&lift(x), &lift(theta)).re
    }
}

/// A function as a [`LogDensity`].
struct Closure<F>(F);

impl<F> Debug for Closure<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Closure")
    }
}

impl<F: Fn(&[Number], &[Number]) -> Number + Send + Sync> LogDensity for Closure<F> {
    fn evaluate(&self, x: &[Number], theta: &[Number]) -> Number {
        (self.0)(x, theta)
    }
}

/// A model given by its log-density alone, which is differentiated automatically.
///
/// # Definition
///
/// The log-density, up to a term that does not depend on the point, is written once as a function of
/// [`Number`]s. Score, slopes and their derivatives in the parameters are exact to rounding; only the second
/// derivatives of slopes, which TruncSM's standard errors use, are central differences.
///
/// # Requirements
///
/// The function must be three times differentiable at the data. Parameters range over all numbers: give a
/// scale as its logarithm. There is no sampler and no naive likelihood, since the normaliser is not known.
///
/// # Complexity
///
/// One evaluation of the function gives up to three derivatives: `d / 3` evaluations for a score, `d p / 2`
/// for its Jacobian, `d p` for that of its slope.
///
/// ```
/// use steinbound::model::{Autodiff, DualNum, Model, Number, conformance};
/// // Student's t with 4 degrees of freedom: heavier tails than any Gaussian.
/// let student = Autodiff::new("student", 1, ["location", "log_scale"], |x: &[Number], theta: &[Number]| {
///     let z = (x[0] - theta[0]) / theta[1].exp();
///     -theta[1] - (z * z / 4.0 + 1.0).ln() * 2.5
/// })?
/// .with_start(vec![0.0, 0.0])?;
/// assert_eq!(conformance::check(&student, &[0.3, -0.2]), Ok(()));
/// let mut score = [f64::NAN];
/// student.score(&[2.0], &[0.0, 0.0], &mut score);
/// assert!((score[0] + 5.0 * 2.0 / (4.0 + 4.0)).abs() < 1e-15);
///
/// // A von Mises density on an arc: the normaliser, a Bessel function, is not needed.
/// let arc = Autodiff::new("von mises", 1, ["direction", "log_concentration"], |x: &[Number], theta: &[Number]| {
///     theta[1].exp() * (x[0] - theta[0]).cos()
/// })?;
/// assert_eq!(arc.parameters(), 2);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Autodiff {
    name: String,
    dimension: usize,
    differentiated: Vec<usize>,
    names: Vec<String>,
    start: Option<Vec<f64>>,
    density: Arc<dyn LogDensity>,
}

impl Autodiff {
    /// A model from a function of a point and the parameters.
    pub fn new<S: Into<String>>(
        name: impl Into<String>,
        dimension: usize,
        parameter_names: impl IntoIterator<Item = S>,
        log_density: impl Fn(&[Number], &[Number]) -> Number + Send + Sync + 'static,
    ) -> Result<Autodiff, ModelError> {
        Autodiff::from_density(name, dimension, parameter_names, Arc::new(Closure(log_density)))
    }

    /// A model from a [`LogDensity`].
    pub fn from_density<S: Into<String>>(
        name: impl Into<String>,
        dimension: usize,
        parameter_names: impl IntoIterator<Item = S>,
        density: Arc<dyn LogDensity>,
    ) -> Result<Autodiff, ModelError> {
        let model = Autodiff {
            name: name.into(),
            dimension,
            differentiated: Vec::new(),
            names: parameter_names.into_iter().map(Into::into).collect(),
            start: None,
            density,
        };
        model.differentiated_in((0..dimension).collect())
    }

    /// The same model, differentiated in some coordinates only (counted from zero), for example in the
    /// response of a regression.
    pub fn differentiated_in(mut self, coordinates: Vec<usize>) -> Result<Autodiff, ModelError> {
        check_coordinates(&coordinates, self.dimension)?;
        self.differentiated = coordinates;
        Ok(self)
    }

    /// The same model with a starting point for the search.
    pub fn with_start(mut self, theta: Vec<f64>) -> Result<Autodiff, ModelError> {
        check_theta(&self, &theta)?;
        self.start = Some(theta);
        Ok(self)
    }

    /// The point and the parameters as constants, point first.
    fn lifted(&self, x: &[f64], theta: &[f64]) -> Vec<Number> {
        x.iter().chain(theta).copied().map(Number::from_re).collect()
    }

    fn evaluate(&self, values: &[Number]) -> Number {
        let (x, theta) = values.split_at(self.dimension);
        self.density.evaluate(x, theta)
    }

    /// First derivatives in some of the values, three per evaluation.
    fn first(&self, values: &mut [Number], places: &[usize], out: &mut [f64]) {
        for (places, out) in places.chunks(3).zip(out.chunks_mut(3)) {
            for (direction, at) in places.iter().enumerate() {
                *seed(&mut values[*at], direction) = 1.0;
            }
            let value = self.evaluate(values);
            out.iter_mut().zip([value.eps1, value.eps2, value.eps3]).for_each(|(o, v)| *o = v);
            places.iter().for_each(|at| values[*at] = Number::from_re(values[*at].re));
        }
    }
}

/// Returns an error for coordinates that do not exist or occur twice.
pub(super) fn check_coordinates(coordinates: &[usize], dimension: usize) -> Result<(), ModelError> {
    let repeats = |(i, l): (usize, &usize)| coordinates[..i].contains(l);
    let is_outside = coordinates.iter().any(|l| *l >= dimension);
    if coordinates.is_empty() || is_outside || coordinates.iter().enumerate().any(repeats) {
        return Err(ModelError::BadCoordinates { dimension });
    }
    Ok(())
}

/// The first derivative of a number in one of the three directions.
pub(super) fn seed(number: &mut Number, direction: usize) -> &mut f64 {
    match direction {
        0 => &mut number.eps1,
        1 => &mut number.eps2,
        _ => &mut number.eps3,
    }
}

impl Model for Autodiff {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn differentiated(&self) -> Vec<usize> {
        self.differentiated.clone()
    }

    fn parameters(&self) -> usize {
        self.names.len()
    }

    fn names(&self, _coordinates: &[String]) -> Vec<String> {
        self.names.clone()
    }

    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        self.first(&mut self.lifted(x, theta), &self.differentiated, score);
    }

    /// Each evaluation differentiates in a coordinate and two parameters.
    fn score_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        let mut values = self.lifted(x, theta);
        let (d, p) = (self.dimension, theta.len());
        for (l, coordinate) in self.differentiated.iter().copied().enumerate() {
            values[coordinate].eps1 = 1.0;
            for k in (0..p).step_by(2) {
                values[d + k].eps2 = 1.0;
                if k + 1 < p {
                    values[d + k + 1].eps3 = 1.0;
                }
                let value = self.evaluate(&values);
                jacobian[l * p + k] = value.eps1eps2;
                values[d + k].eps2 = 0.0;
                if k + 1 < p {
                    jacobian[l * p + k + 1] = value.eps1eps3;
                    values[d + k + 1].eps3 = 0.0;
                }
            }
            values[coordinate].eps1 = 0.0;
        }
    }

    fn score_slope(&self, x: &[f64], theta: &[f64], slope: &mut [f64]) {
        let mut values = self.lifted(x, theta);
        for (slope, coordinate) in slope.iter_mut().zip(self.differentiated.iter().copied()) {
            let constant = values[coordinate];
            values[coordinate] = constant.derivative1().derivative2();
            *slope = self.evaluate(&values).eps1eps2;
            values[coordinate] = constant;
        }
    }

    fn score_slope_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        let mut values = self.lifted(x, theta);
        let (d, p) = (self.dimension, theta.len());
        for (l, coordinate) in self.differentiated.iter().copied().enumerate() {
            let constant = values[coordinate];
            values[coordinate] = constant.derivative1().derivative2();
            for k in 0..p {
                values[d + k].eps3 = 1.0;
                jacobian[l * p + k] = self.evaluate(&values).eps1eps2eps3;
                values[d + k].eps3 = 0.0;
            }
            values[coordinate] = constant;
        }
    }

    fn density(&self) -> Option<&dyn Density> {
        Some(self)
    }

    fn search(&self) -> Option<&dyn Search> {
        Some(self)
    }

    fn curvature(&self) -> Option<&dyn Curvature> {
        Some(self)
    }
}

impl Curvature for Autodiff {
    /// The weights are a direction in the space of the data, so that one evaluation serves all coordinates.
    fn add_score_curvature(
        &self,
        x: &[f64],
        theta: &[f64],
        weights: &[f64],
        _steps: &[f64],
        curvature: &mut [f64],
    ) {
        let mut values = self.lifted(x, theta);
        let (d, p) = (self.dimension, theta.len());
        for (coordinate, weight) in self.differentiated.iter().zip(weights) {
            values[*coordinate].eps1 = *weight;
        }
        for j in 0..p {
            values[d + j].eps2 = 1.0;
            for k in 0..=j {
                values[d + k].eps3 = 1.0;
                let value = self.evaluate(&values).eps1eps2eps3;
                values[d + k].eps3 = 0.0;
                curvature[j * p + k] += value;
                if j != k {
                    curvature[k * p + j] += value;
                }
            }
            values[d + j].eps2 = 0.0;
        }
    }
}

impl Density for Autodiff {
    fn log_density(&self, x: &[f64], theta: &[f64]) -> f64 {
        self.density.evaluate_plain(x, theta)
    }

    fn log_density_gradient(&self, x: &[f64], theta: &[f64], gradient: &mut [f64]) {
        let places: Vec<usize> = (self.dimension..self.dimension + theta.len()).collect();
        self.first(&mut self.lifted(x, theta), &places, gradient);
    }
}

impl Search for Autodiff {
    fn starts(&self, _points: &Points, _rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        self.start.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Gaussian, GaussianMixture, conformance};
    use super::*;

    /// Two correlated coordinates with five parameters, in none of which the score is affine.
    fn curved() -> Autodiff {
        Autodiff::new("curved", 2, ["a", "b", "c", "s", "t"], |x: &[Number], theta: &[Number]| {
            let y = (x[0] - theta[0]) * theta[3].exp();
            let z = (x[1] - theta[1]) * theta[4].exp() + (y * theta[2]).sin();
            theta[3] + theta[4] - (y * y * 0.5 + z * z * 0.5 + 1.0).ln() * 3.0
        })
        .unwrap()
    }

    #[test]
    fn curved_densities_conform() {
        for theta in [[0.2, -0.4, 0.7, 0.1, -0.3], [-0.6, 0.3, -1.2, 0.4, 0.2]] {
            assert_eq!(conformance::check(&curved(), &theta), Ok(()));
            let response = curved().differentiated_in(vec![1]).unwrap();
            assert_eq!(conformance::check(&response, &theta), Ok(()));
        }
    }

    /// The same mixture, written as a sum of exponentials and as a model of its own.
    #[test]
    fn the_mixture_agrees() {
        let written = Autodiff::new("two", 1, ["a", "b"], |x: &[Number], theta: &[Number]| {
            let bump = |mean: Number| (-(x[0] - mean).powi(2) / (2.0 * 0.5)).exp();
            (bump(theta[0]) + bump(theta[1])).ln()
        })
        .unwrap();
        let model = GaussianMixture::new(1, 2).unwrap().with_variance(0.5).unwrap();
        let (x, theta) = ([0.3], [-0.6, 1.1]);
        type Values<'a> = &'a dyn Fn(&dyn Model, &mut [f64]);
        let kinds: [(usize, Values); 5] = [
            (1, &|m, out| m.score(&x, &theta, out)),
            (2, &|m, out| m.score_jacobian(&x, &theta, out)),
            (1, &|m, out| m.score_slope(&x, &theta, out)),
            (2, &|m, out| m.score_slope_jacobian(&x, &theta, out)),
            (4, &|m, out| m.curvature().unwrap().add_score_curvature(&x, &theta, &[1.3], &theta, out)),
        ];
        for (size, values) in kinds {
            let (mut found, mut expected) = (vec![0.0; size], vec![0.0; size]);
            values(&written, &mut found);
            values(&model, &mut expected);
            for (a, b) in found.iter().zip(&expected) {
                assert!((a - b).abs() < 1e-13 * (1.0 + b.abs()), "{size}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_gaussian_is_itself() {
        let written = Autodiff::new("written", 4, ["m"], |x: &[Number], theta: &[Number]| {
            x.iter().map(|x| -(*x - theta[0]).powi(2) / 2.0).sum()
        })
        .unwrap();
        let (mut found, mut expected) = ([0.0; 4], [0.0; 4]);
        let x = [0.1, -0.5, 2.0, 1.0];
        written.score(&x, &[0.4], &mut found);
        Gaussian::with_variance(4, 1.0).unwrap().score(&x, &[0.4; 4], &mut expected);
        assert_eq!(found, expected);
    }

    #[test]
    fn wrong_coordinates_and_starts_are_refused() {
        assert!(curved().differentiated_in(vec![2]).is_err());
        assert!(curved().differentiated_in(vec![0, 0]).is_err());
        assert!(curved().differentiated_in(Vec::new()).is_err());
        assert!(curved().with_start(vec![0.0]).is_err());
        assert!(curved().with_start(vec![f64::NAN; 5]).is_err());
        let started = curved().with_start(vec![0.5; 5]).unwrap();
        let points = Points::from_rows(&[[0.0, 0.0]]).unwrap();
        let starts = started.starts(&points, &mut crate::random::stream(0, 0));
        assert_eq!(starts, vec![vec![0.5; 5]]);
    }
}

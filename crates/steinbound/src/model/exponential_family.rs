use std::fmt;
use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, Exp, Gamma};

use super::autodiff::{DualNum, Number, check_coordinates, seed};
use super::{Affine, Density, LinearScore, Model, Sampler, Sampling, Slot};
use crate::error::ModelError;
use crate::matrix::Matrix;

type Function = Arc<dyn Fn(&[Number]) -> Number + Send + Sync>;
type SamplerAt = Arc<dyn Fn(&[f64]) -> Option<Sampler> + Send + Sync>;

/// A density whose logarithm is linear in the parameters: `log p = sum_k theta_k T_k(x) + b(x)`, up to its
/// normaliser.
///
/// # Definition
///
/// The score is `psi_l = sum_k theta_k d_l T_k + d_l b`, affine in the parameters, so every fit has a closed
/// form. The statistics `T_k` and the base `b` are functions of [`Number`]s and differentiated automatically.
/// Included are [`exponential`](ExponentialFamily::exponential), [`gamma`](ExponentialFamily::gamma) and
/// [`pairwise`](ExponentialFamily::pairwise).
///
/// # Requirements
///
/// Statistics that are twice differentiable at the data, and no combination of them that is constant there.
///
/// # Complexity
///
/// One feature for each statistic and coordinate it depends on.
///
/// # Reference
///
/// Wainwright and Jordan, *Graphical Models, Exponential Families, and Variational Inference*, 2008.
///
/// ```
/// use std::sync::Arc;
/// use steinbound::model::{DualNum, ExponentialFamily, Number};
/// use steinbound::{Estimator, Points, domain::Cuboid};
/// // The beta density: powers of x and 1 - x.
/// let beta = ExponentialFamily::new("beta", 1)?
///     .statistic("a", |x: &[Number]| x[0].ln())
///     .statistic("b", |x: &[Number]| (-x[0] + 1.0).ln())
///     .base(|x: &[Number]| -x[0].ln() - (-x[0] + 1.0).ln());
/// let rows: Vec<[f64; 1]> = (1..1000).map(|i| [0.2 + 0.0006 * f64::from(i)]).collect();
/// // Observed only between 0.2 and 0.8.
/// let interval = Arc::new(Cuboid::interval(0.2, 0.8)?);
/// let fit = Estimator::truncsm().domain(interval).fit(&Points::from_rows(&rows)?, &beta)?;
/// // Evenly spread data: the beta density with a = b = 1.
/// assert!(fit.estimates().iter().all(|v| (v - 1.0).abs() < 0.05));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Clone)]
pub struct ExponentialFamily {
    name: String,
    dimension: usize,
    statistics: Vec<Statistic>,
    base: Option<Statistic>,
    sampler: Option<SamplerAt>,
}

/// A function of some coordinates.
#[derive(Clone)]
struct Statistic {
    name: String,
    /// The coordinates it depends on, in increasing order.
    coordinates: Vec<usize>,
    /// Whether its name includes the names of its coordinates.
    is_local: bool,
    function: Function,
}

impl fmt::Debug for ExponentialFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.statistics.iter().map(|s| &s.name).collect();
        f.debug_struct("ExponentialFamily")
            .field("name", &self.name)
            .field("dimension", &self.dimension)
            .field("statistics", &names)
            .finish_non_exhaustive()
    }
}

impl ExponentialFamily {
    /// A family without statistics.
    pub fn new(name: impl Into<String>, dimension: usize) -> Result<ExponentialFamily, ModelError> {
        if dimension == 0 {
            return Err(ModelError::BadCoordinates { dimension });
        }
        let name = name.into();
        Ok(ExponentialFamily { name, dimension, statistics: Vec::new(), base: None, sampler: None })
    }

    /// Adds a statistic, named after its parameter.
    pub fn statistic(
        mut self,
        name: impl Into<String>,
        function: impl Fn(&[Number]) -> Number + Send + Sync + 'static,
    ) -> ExponentialFamily {
        self.statistics.push(Statistic {
            name: name.into(),
            coordinates: (0..self.dimension).collect(),
            is_local: false,
            function: Arc::new(function),
        });
        self
    }

    /// Adds a statistic that depends on some coordinates only (counted from zero), which makes fits of many
    /// statistics cheaper. Its parameter is named after both: `rate[x1]`.
    pub fn statistic_of(
        mut self,
        name: impl Into<String>,
        coordinates: &[usize],
        function: impl Fn(&[Number]) -> Number + Send + Sync + 'static,
    ) -> Result<ExponentialFamily, ModelError> {
        check_coordinates(coordinates, self.dimension)?;
        let mut coordinates = coordinates.to_vec();
        coordinates.sort_unstable();
        let name = name.into();
        self.statistics.push(Statistic { name, coordinates, is_local: true, function: Arc::new(function) });
        Ok(self)
    }

    /// The part of the log-density that has no parameter.
    pub fn base(
        mut self,
        function: impl Fn(&[Number]) -> Number + Send + Sync + 'static,
    ) -> ExponentialFamily {
        let coordinates = (0..self.dimension).collect();
        let (name, function) = ("base".into(), Arc::new(function));
        self.base = Some(Statistic { name, coordinates, is_local: false, function });
        self
    }

    /// Sets the sampler of the untruncated density at parameters for which it is proper.
    pub fn sampled_by(
        mut self,
        sampler: impl Fn(&[f64]) -> Option<Sampler> + Send + Sync + 'static,
    ) -> ExponentialFamily {
        self.sampler = Some(Arc::new(sampler));
        self
    }

    /// Independent exponential coordinates: `log p = -sum_l rate_l x_l`. On a bounded domain rates may be
    /// negative.
    ///
    /// ```
    /// use steinbound::model::{ExponentialFamily, Model};
    /// let mut score = [f64::NAN];
    /// ExponentialFamily::exponential(1)?.score(&[0.7], &[2.0], &mut score);
    /// assert_eq!(score, [-2.0]);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn exponential(dimension: usize) -> Result<ExponentialFamily, ModelError> {
        let family = ExponentialFamily::new("exponential", dimension)?;
        let family = (0..dimension).try_fold(family, |f, l| f.statistic_of("rate", &[l], move |x| -x[l]))?;
        Ok(family.sampled_by(|rates| {
            let each: Vec<Exp<f64>> = rates.iter().map(|r| Exp::new(*r).ok()).collect::<Option<_>>()?;
            let is_proper = rates.iter().all(|r| *r > 0.0 && r.is_finite());
            is_proper.then(|| independent(each))
        }))
    }

    /// Independent gamma coordinates: `log p = sum_l (shape_l - 1) log x_l - rate_l x_l`, on positive points.
    ///
    /// ```
    /// use steinbound::model::{ExponentialFamily, Model};
    /// let mut score = [f64::NAN];
    /// ExponentialFamily::gamma(1)?.score(&[0.5], &[3.0, 2.0], &mut score);
    /// assert_eq!(score, [2.0 / 0.5 - 2.0]);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn gamma(dimension: usize) -> Result<ExponentialFamily, ModelError> {
        let family = ExponentialFamily::new("gamma", dimension)?;
        let family =
            (0..dimension).try_fold(family, |f, l| f.statistic_of("shape", &[l], move |x| x[l].ln()))?;
        let family = (0..dimension).try_fold(family, |f, l| f.statistic_of("rate", &[l], move |x| -x[l]))?;
        let family = family.base(|x| x.iter().map(|x| -x.ln()).sum());
        Ok(family.sampled_by(move |theta| {
            let (shapes, rates) = theta.split_at(dimension);
            if theta.iter().any(|t| !(*t > 0.0 && t.is_finite())) {
                return None;
            }
            let pairs = shapes.iter().zip(rates);
            let each: Option<Vec<Gamma<f64>>> = pairs.map(|(s, r)| Gamma::new(*s, 1.0 / r).ok()).collect();
            each.map(independent)
        }))
    }

    /// Continuous spins: `log p = sum_l field_l x_l + sum_{l<k} coupling_lk x_l x_k`, proper on a bounded
    /// domain only.
    ///
    /// ```
    /// use steinbound::model::{ExponentialFamily, Model};
    /// let spins = ExponentialFamily::pairwise(3)?;
    /// let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    /// assert_eq!(spins.names(&names)[2..5], ["field[c]", "coupling[a,b]", "coupling[a,c]"]);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn pairwise(dimension: usize) -> Result<ExponentialFamily, ModelError> {
        let family = ExponentialFamily::new("pairwise", dimension)?;
        let family = (0..dimension).try_fold(family, |f, l| f.statistic_of("field", &[l], move |x| x[l]))?;
        let mut pairs = (0..dimension).flat_map(|l| (l + 1..dimension).map(move |k| (l, k)));
        pairs.try_fold(family, |f, (l, k)| f.statistic_of("coupling", &[l, k], move |x| x[l] * x[k]))
    }

    /// Statistics and base.
    fn functions(&self) -> impl Iterator<Item = &Statistic> {
        self.statistics.iter().chain(&self.base)
    }

    /// The number of features: one for each function and coordinate it depends on.
    fn feature_count(&self) -> usize {
        self.functions().map(|f| f.coordinates.len()).sum()
    }
}

/// Coordinates drawn independently of each other.
fn independent<D: Distribution<f64> + Send + Sync + 'static>(each: Vec<D>) -> Sampler {
    Box::new(move |rng: &mut ChaCha8Rng, x: &mut [f64]| {
        x.iter_mut().zip(&each).for_each(|(x, distribution)| *x = distribution.sample(rng));
    })
}

fn lifted(x: &[f64]) -> Vec<Number> {
    x.iter().copied().map(Number::from_re).collect()
}

impl Statistic {
    fn value(&self, x: &[Number]) -> f64 {
        (self.function)(x).re
    }

    /// Calls back with each coordinate it depends on and the derivative in it, three per evaluation.
    fn gradient(&self, x: &mut [Number], mut give: impl FnMut(usize, f64)) {
        for coordinates in self.coordinates.chunks(3) {
            for (direction, l) in coordinates.iter().enumerate() {
                *seed(&mut x[*l], direction) = 1.0;
            }
            let value = (self.function)(x);
            for (l, derivative) in coordinates.iter().zip([value.eps1, value.eps2, value.eps3]) {
                x[*l] = Number::from_re(x[*l].re);
                give(*l, derivative);
            }
        }
    }

    /// The second derivative in two coordinates.
    fn second(&self, x: &mut [Number], l: usize, k: usize) -> f64 {
        x[l].eps1 = 1.0;
        x[k].eps2 = 1.0;
        let value = (self.function)(x).eps1eps2;
        x[l].eps1 = 0.0;
        x[k].eps2 = 0.0;
        value
    }
}

impl Model for ExponentialFamily {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn parameters(&self) -> usize {
        self.statistics.len()
    }

    fn names(&self, coordinates: &[String]) -> Vec<String> {
        let label = |statistic: &Statistic| {
            if !statistic.is_local {
                return statistic.name.clone();
            }
            let of: Vec<&str> = statistic.coordinates.iter().map(|l| coordinates[*l].as_str()).collect();
            format!("{}[{}]", statistic.name, of.join(","))
        };
        self.statistics.iter().map(label).collect()
    }

    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        let mut x = lifted(x);
        score.fill(0.0);
        for (function, factor) in self.functions().zip(theta.iter().chain(&[1.0])) {
            function.gradient(&mut x, |l, derivative| score[l] += factor * derivative);
        }
    }

    fn score_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        let (mut x, p) = (lifted(x), theta.len());
        jacobian.fill(0.0);
        for (k, statistic) in self.statistics.iter().enumerate() {
            statistic.gradient(&mut x, |l, derivative| jacobian[l * p + k] = derivative);
        }
    }

    fn score_slope(&self, x: &[f64], theta: &[f64], slope: &mut [f64]) {
        let mut x = lifted(x);
        slope.fill(0.0);
        for (function, factor) in self.functions().zip(theta.iter().chain(&[1.0])) {
            for l in function.coordinates.iter().copied() {
                slope[l] += factor * function.second(&mut x, l, l);
            }
        }
    }

    fn score_slope_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        let (mut x, p) = (lifted(x), theta.len());
        jacobian.fill(0.0);
        for (k, statistic) in self.statistics.iter().enumerate() {
            for l in statistic.coordinates.iter().copied() {
                jacobian[l * p + k] = statistic.second(&mut x, l, l);
            }
        }
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
}

impl Affine for ExponentialFamily {
    /// The features are `d_l T_k`, statistic by statistic, then `d_l b`.
    fn linear_score(&self) -> LinearScore {
        let mut offset = Matrix::zeros(self.feature_count(), self.dimension);
        let mut design = vec![Vec::new(); self.dimension];
        let mut feature = 0;
        for (parameter, function) in self.functions().enumerate() {
            for l in function.coordinates.iter().copied() {
                if parameter < self.statistics.len() {
                    design[l].push(Slot { feature, parameter, factor: 1.0 });
                } else {
                    offset[(feature, l)] = 1.0;
                }
                feature += 1;
            }
        }
        LinearScore { parameters: self.statistics.len(), design, offset }
    }

    fn features(&self, x: &[f64], features: &mut [f64]) {
        let (mut x, mut feature) = (lifted(x), 0);
        for function in self.functions() {
            function.gradient(&mut x, |_, derivative| {
                features[feature] = derivative;
                feature += 1;
            });
        }
    }

    fn feature_slopes(&self, x: &[f64], slopes: &mut [f64]) {
        let (mut x, count, mut first) = (lifted(x), self.feature_count(), 0);
        slopes.fill(0.0);
        for function in self.functions() {
            for (a, l) in function.coordinates.iter().copied().enumerate() {
                for (b, k) in function.coordinates[..=a].iter().copied().enumerate() {
                    let second = function.second(&mut x, l, k);
                    slopes[l * count + first + b] = second;
                    slopes[k * count + first + a] = second;
                }
            }
            first += function.coordinates.len();
        }
    }
}

impl Density for ExponentialFamily {
    fn log_density(&self, x: &[f64], theta: &[f64]) -> f64 {
        let x = lifted(x);
        self.functions().zip(theta.iter().chain(&[1.0])).map(|(f, factor)| factor * f.value(&x)).sum()
    }

    /// The statistics themselves.
    fn log_density_gradient(&self, x: &[f64], _theta: &[f64], gradient: &mut [f64]) {
        let x = lifted(x);
        gradient.iter_mut().zip(&self.statistics).for_each(|(g, statistic)| *g = statistic.value(&x));
    }
}

impl Sampling for ExponentialFamily {
    fn sampler(&self, theta: &[f64]) -> Option<Sampler> {
        self.sampler.as_ref().and_then(|sampler| sampler(theta))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Gaussian, conformance};
    use super::*;
    use crate::random::stream;

    #[test]
    fn every_shipped_family_conforms() {
        for d in 1..=3 {
            let positive: Vec<Vec<f64>> =
                (0..4).map(|i| (0..d).map(|l| 0.3 + 0.4 * f64::from(i) + 0.2 * l as f64).collect()).collect();
            let gamma = ExponentialFamily::gamma(d).unwrap();
            for scale in [0.5, 2.0] {
                let theta: Vec<f64> = (0..2 * d).map(|k| scale * (1.0 + 0.3 * k as f64)).collect();
                assert_eq!(conformance::check_at(&gamma, &theta, &positive), Ok(()));
                let rates = &theta[..d];
                assert_eq!(conformance::check(&ExponentialFamily::exponential(d).unwrap(), rates), Ok(()));
            }
            let spins = ExponentialFamily::pairwise(d).unwrap();
            for sign in [-1.0, 1.0] {
                let theta: Vec<f64> =
                    (0..spins.parameters()).map(|k| sign * (0.4 - 0.3 * k as f64)).collect();
                assert_eq!(conformance::check(&spins, &theta), Ok(()));
            }
        }
    }

    /// Statistics of four coordinates at once take two evaluations for a gradient.
    #[test]
    fn statistics_of_many_coordinates_conform() {
        let model = ExponentialFamily::new("waves", 4)
            .unwrap()
            .statistic("a", |x: &[Number]| (x[0] * x[1] + x[2]).sin() * x[3].exp())
            .statistic_of("b", &[2, 0], |x: &[Number]| x[0] * x[0] * x[2])
            .unwrap()
            .base(|x: &[Number]| -(x.iter().map(|x| *x * *x).sum::<Number>() + 1.0).ln());
        assert_eq!(conformance::check(&model, &[0.4, -0.9]), Ok(()));
        let names: Vec<String> = (1..=4).map(|l| format!("x{l}")).collect();
        assert_eq!(model.names(&names), ["a", "b[x1,x3]"]);
        assert!(model.statistic_of("c", &[4], |x: &[Number]| x[0]).is_err());
        assert!(ExponentialFamily::new("nothing", 0).is_err());
    }

    /// A Gaussian in natural parameters is an exponential family.
    #[test]
    fn the_gaussian_is_a_member() {
        let family = ExponentialFamily::new("gaussian", 2)
            .unwrap()
            .statistic("eta1", |x: &[Number]| x[0])
            .statistic("eta2", |x: &[Number]| x[1])
            .statistic("p11", |x: &[Number]| -x[0] * x[0] / 2.0)
            .statistic("p12", |x: &[Number]| -x[0] * x[1])
            .statistic("p22", |x: &[Number]| -x[1] * x[1] / 2.0);
        let (x, theta) = ([0.3, -1.2], [0.5, 0.1, 1.4, 0.2, 0.8]);
        let (mut found, mut expected) = ([0.0; 2], [0.0; 2]);
        family.score(&x, &theta, &mut found);
        Gaussian::full(2).score(&x, &theta, &mut expected);
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15));
    }

    #[test]
    fn samples_have_the_moments() {
        let gamma = ExponentialFamily::gamma(2).unwrap();
        let sampler = gamma.sampler(&[2.0, 0.7, 1.5, 3.0]).unwrap();
        let (mut rng, mut x, mut mean) = (stream(4, 0), [0.0; 2], [0.0; 2]);
        for _ in 0..20_000 {
            sampler(&mut rng, &mut x);
            mean.iter_mut().zip(x).for_each(|(m, x)| *m += x / 20_000.0);
        }
        // Mean shape / rate, variance shape / rate^2.
        assert!((mean[0] - 2.0 / 1.5).abs() < 4.0 * (2.0f64.sqrt() / 1.5) / 20_000f64.sqrt());
        assert!((mean[1] - 0.7 / 3.0).abs() < 4.0 * (0.7f64.sqrt() / 3.0) / 20_000f64.sqrt());
        assert!(gamma.sampler(&[2.0, 0.7, -1.5, 3.0]).is_none());
        assert!(ExponentialFamily::exponential(1).unwrap().sampler(&[0.0]).is_none());
        assert!(ExponentialFamily::pairwise(2).unwrap().sampler(&[0.0, 0.0, 1.0]).is_none());
    }
}

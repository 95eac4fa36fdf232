//! Whether responses have even ranks among those that could have been seen.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use super::check::{Check, Unit};
use super::{LinearHypothesis, WaldTest};
use crate::domain::section_around;
use crate::fit::{Fit, Problem};
use crate::matrix::Matrix;
use crate::minimise::sandwich::contributions;
use crate::model::Conditional;
use crate::warning::{Warning, WarningKind};

/// How uneven the ranks of responses are.
///
/// # Definition
///
/// The rank `u_i` of a response is the probability of a smaller one among those that could have been seen,
/// under the fitted model: even between 0 and 1 if the model holds. The means of the first three Legendre
/// polynomials at the ranks are then close to zero. With `phi` these polynomials and `f_i` the influence of
/// an observation on the estimate, the mean of `phi(u_i)` moves, to first order, by the mean of
///
/// ```text
/// c_i = phi(u_i) + D f_i,    D = mean of phi'(u_i) du_i / dtheta,
/// ```
///
/// so that estimating the parameters is taken into account. The statistic is `T' V^-1 T` with `T` the mean of
/// `phi(u_i)` and `V` the covariance of the mean of `c_i`, over clusters where there are any.
///
/// # Requirements
///
/// A model of one coordinate given the others ([`Conditional`]) without censored records, and a fit with
/// influence values. At least 30 independent observations.
///
/// # Complexity
///
/// `n p`.
///
/// # Reference
///
/// Neyman, *"Smooth test" for goodness of fit*, 1937; with estimated parameters Thas and Rayner, *Smooth
/// tests for the zero-inflated Poisson distribution*, Biometrics 2005.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unevenness {
    /// The statistic.
    pub statistic: f64,
    /// The probability of a larger one if the model holds.
    pub p_value: f64,
    /// The statistic that is exceeded with probability [`LEAST_P_VALUE`] if the model holds.
    pub limit: f64,
}

/// Below this probability ranks are called uneven.
const LEAST_P_VALUE: f64 = 0.01;

/// How many polynomials: a shift, a spread and a skew. With a fourth, small samples of the model itself are
/// called uneven twice as often as they should be.
const POLYNOMIALS: usize = 3;

/// With fewer observations the covariance of the means is not known well enough.
const FEWEST: usize = 30;

impl Unevenness {
    /// `None` for models without ranks.
    pub(super) fn of(problem: &Problem, fit: &Fit) -> Option<Unevenness> {
        // Responses recorded at a limit share one rank.
        let conditional = problem.model.conditional().filter(|found| !found.has_atoms())?;
        let theta = fit.fitted_parameters()?;
        let (n, p) = (fit.setup.n, theta.len());
        let groups = problem.data.independent();
        if (fit.influence.rows(), fit.influence.columns()) != (n, p) || groups < FEWEST {
            return None;
        }
        let total: f64 = problem.weights.iter().sum();
        let mut values = Matrix::zeros(n, POLYNOMIALS);
        let mut slopes = Matrix::zeros(POLYNOMIALS, p);
        for i in 0..n {
            let (rank, gradient) = rank(problem, conditional, i, &theta)?;
            let (at, slope) = legendre(rank);
            for k in 0..POLYNOMIALS {
                values[(i, k)] = at[k];
                for (j, g) in gradient.iter().enumerate() {
                    slopes[(k, j)] += problem.weights[i] / total * slope[k] * g;
                }
            }
        }
        let through_fit = fit.influence.times(&slopes.transpose());
        let influence = Matrix::from_fn(n, POLYNOMIALS, |i, k| values[(i, k)] + through_fit[(i, k)]);
        let sums = contributions(&influence, &problem.weights, problem.data.clusters()).ok()?.0;
        let count = groups as f64;
        let mean: Vec<f64> = (0..POLYNOMIALS).map(|k| sums.column(k).iter().sum()).collect();
        let covariance = Matrix::from_fn(POLYNOMIALS, POLYNOMIALS, |j, k| {
            let product: f64 = sums.column(j).iter().zip(sums.column(k)).map(|(a, b)| a * b).sum();
            product - mean[j] * mean[k] / count
        });
        let names = ["shift", "spread", "skew"];
        let none = LinearHypothesis::new(Matrix::identity(POLYNOMIALS), vec![0.0; POLYNOMIALS]).ok()?;
        let statistic = WaldTest::of(&names, &mean, Some(&covariance), &none).ok()?.statistic;
        // Hotelling's correction for a covariance from few observations.
        let (k, rest) = (POLYNOMIALS as f64, count - POLYNOMIALS as f64);
        let law = FisherSnedecor::new(k, rest).ok()?;
        let scale = k * count / rest;
        Some(Unevenness {
            statistic,
            p_value: law.sf(statistic / scale),
            limit: scale * law.inverse_cdf(1.0 - LEAST_P_VALUE),
        })
    }

    /// The statistic as a diagnostic.
    pub(super) fn check(&self) -> Check {
        let what = "unevenness of the ranks of the responses";
        let p = crate::text::p_value(Some(self.p_value));
        Check::new("ranks", what, self.statistic, Unit::Statistic, self.limit).detail(format!("p {p}"))
    }

    /// A warning if the ranks are uneven.
    pub(super) fn warning(&self) -> Option<Warning> {
        (self.statistic > self.limit).then(|| {
            let p = crate::text::p_value(Some(self.p_value));
            let p = if p.starts_with('<') { p } else { format!("= {p}") };
            WarningKind::Model.warning(format!(
                "the ranks of the responses among those that could be seen are uneven (p {p}), so that the fitted density \
                 does not describe them; compare a transformed response, further terms, or other limits"
            ))
        })
    }
}

/// The rank of an observation and its derivatives in the parameters.
fn rank(
    problem: &Problem,
    conditional: &dyn Conditional,
    i: usize,
    theta: &[f64],
) -> Option<(f64, Vec<f64>)> {
    let x = problem.data.row(i);
    let axis = problem.model.differentiated().first().copied()?;
    let everything = (f64::NEG_INFINITY, f64::INFINITY);
    let domain = problem.estimator.domain.as_deref();
    let section = domain.map_or(Some(everything), |domain| section_around(domain, x, axis))?;
    let p = theta.len();
    let (mut whole, mut below, mut hessian) = (vec![0.0; p], vec![0.0; p], vec![0.0; p * p]);
    let log_whole = conditional.log_normaliser(x, theta, section, &mut whole, &mut hessian)?;
    if x[axis] <= section.0 {
        return Some((0.0, vec![0.0; p]));
    }
    let log_below = conditional.log_normaliser(x, theta, (section.0, x[axis]), &mut below, &mut hessian)?;
    let rank = (log_below - log_whole).exp().min(1.0);
    let gradient: Vec<f64> = below.iter().zip(&whole).map(|(b, w)| rank * (b - w)).collect();
    (rank.is_finite() && gradient.iter().all(|g| g.is_finite())).then_some((rank, gradient))
}

/// The first orthonormal polynomials of the even distribution between 0 and 1, without the constant, and
/// their derivatives.
fn legendre(u: f64) -> ([f64; POLYNOMIALS], [f64; POLYNOMIALS]) {
    let x = 2.0 * u - 1.0;
    let scale = [3.0f64, 5.0, 7.0].map(f64::sqrt);
    let values = [x, 1.5 * x * x - 0.5, 2.5 * x * x * x - 1.5 * x];
    let slopes = [1.0, 3.0 * x, 7.5 * x * x - 1.5];
    (std::array::from_fn(|k| scale[k] * values[k]), std::array::from_fn(|k| 2.0 * scale[k] * slopes[k]))
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::fit::Estimator;
    use crate::random::stream;
    use crate::regression::{Censored, PreparedRegression, ResponseLimit, TruncatedRegression};

    /// Responses `1 + 2 x + noise`, seen only above 1.5.
    fn sample(seed: u64, n: usize, mut noise: impl FnMut(f64, f64) -> f64) -> PreparedRegression {
        let mut rng = stream(seed, 7);
        let (mut responses, mut covariates) = (Vec::new(), Vec::new());
        while responses.len() < n {
            let x: f64 = rng.random();
            let (normal, even): (f64, f64) = (StandardNormal.sample(&mut rng), rng.random());
            let y = 1.0 + 2.0 * x + noise(normal, even);
            if y > 1.5 {
                responses.push(y);
                covariates.push(x);
            }
        }
        let covariates = Matrix::from_fn(n, 1, |i, _| covariates[i]);
        let regression = TruncatedRegression::new("y", responses).covariates(["x"], covariates);
        regression.lower(ResponseLimit::Constant(1.5)).build(0).unwrap()
    }

    fn unevenness(prepared: &PreparedRegression, method: &Estimator) -> Unevenness {
        let estimator = prepared.estimator(method);
        let problem = estimator.check(&prepared.points, &prepared.model).unwrap();
        let fit = problem.fit().unwrap();
        Unevenness::of(&problem, &fit).unwrap()
    }

    #[test]
    fn polynomials_are_orthonormal_and_slopes_are_theirs() {
        let steps = 20_000;
        let places = (0..steps).map(|k| (f64::from(k) + 0.5) / f64::from(steps));
        let mut products = [[0.0; POLYNOMIALS]; POLYNOMIALS];
        for u in places {
            let (values, slopes) = legendre(u);
            let (after, before) = (legendre(u + 1e-6).0, legendre(u - 1e-6).0);
            for j in 0..POLYNOMIALS {
                assert!(((after[j] - before[j]) / 2e-6 - slopes[j]).abs() < 1e-5);
                (0..POLYNOMIALS).for_each(|k| products[j][k] += values[j] * values[k] / f64::from(steps));
            }
        }
        for (j, row) in products.iter().enumerate() {
            for (k, product) in row.iter().enumerate() {
                assert!((product - f64::from(u8::from(j == k))).abs() < 1e-6, "{j} {k}: {product}");
            }
        }
    }

    /// Ranks of a normal distribution above its mean are `2 Phi(z) - 1`; their derivatives are differences.
    #[test]
    fn ranks_are_probabilities_with_their_derivatives() {
        let prepared = sample(3, 40, |normal, _| 0.7 * normal);
        let estimator = prepared.estimator(&Estimator::truncated_mle());
        let problem = estimator.check(&prepared.points, &prepared.model).unwrap();
        let theta = problem.fit().unwrap().fitted_parameters().unwrap();
        let conditional = problem.model.conditional().unwrap();
        let at = |i: usize, theta: &[f64]| rank(&problem, conditional, i, theta).unwrap();
        for i in 0..40 {
            let x = prepared.points.row(i);
            let (mean, deviation) = prepared.model.response(x, &theta).unwrap();
            let normal = statrs::distribution::Normal::new(mean, deviation).unwrap();
            let expected = (normal.cdf(x[0]) - normal.cdf(1.5)) / normal.sf(1.5);
            let (value, gradient) = at(i, &theta);
            assert!((value - expected).abs() < 1e-9, "{value} {expected}");
            for k in 0..theta.len() {
                let moved = |step: f64| {
                    let mut theta = theta.clone();
                    theta[k] += step;
                    at(i, &theta).0
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((slope - gradient[k]).abs() < 1e-6, "{slope} {}", gradient[k]);
            }
        }
    }

    /// Records at a limit have no ranks of their own: even if the model holds they would look uneven.
    #[test]
    fn censored_responses_have_no_ranks() {
        let prepared = sample(5, 60, |normal, _| 0.7 * normal);
        let responses: Vec<f64> = prepared.points.rows().map(|x| x[0].max(2.5)).collect();
        let covariates = Matrix::from_fn(60, 1, |i, _| prepared.points.row(i)[1]);
        let censored = TruncatedRegression::new("y", responses).covariates(["x"], covariates);
        let censored =
            censored.lower(ResponseLimit::Constant(2.5)).censored(Censored::Both).build(0).unwrap();
        let estimator = censored.estimator(&Estimator::mle());
        let problem = estimator.check(&censored.points, censored.fitted_model()).unwrap();
        assert_eq!(Unevenness::of(&problem, &problem.fit().unwrap()), None);
    }

    /// Of 400 samples of the model itself, a share `q` has a p-value below `q`, whatever the method: within
    /// four standard errors. Noise of another shape is found.
    #[test]
    fn p_values_are_even_where_the_model_holds() {
        for method in [Estimator::truncated_mle(), Estimator::tksd()] {
            let p_values: Vec<f64> = (0..400)
                .map(|k| unevenness(&sample(k, 300, |normal, _| 0.7 * normal), &method).p_value)
                .collect();
            for q in [0.01f64, 0.05, 0.2, 0.5] {
                let share = p_values.iter().filter(|p| **p < q).count() as f64 / 400.0;
                let error = (q * (1.0 - q) / 400.0).sqrt();
                assert!((share - q).abs() < 4.0 * error, "{q}: {share}");
            }
        }
        let skewed = sample(1, 400, |_, even| 0.7 * (-(1.0 - even).ln() - 1.0));
        let found = unevenness(&skewed, &Estimator::truncated_mle());
        assert!(found.p_value < 1e-4 && found.statistic > found.limit, "{found:?}");
        assert!(found.warning().unwrap().to_string().contains("uneven (p <0.0001)"));
    }
}

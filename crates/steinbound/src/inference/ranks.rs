//! Whether responses have even ranks among those that could have been seen.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use super::check::{Check, Unit};
use super::{LinearHypothesis, WaldTest};
use crate::compute::cholesky::ScaledCholesky;
use crate::compute::dot;
use crate::domain::section_around;
use crate::fit::{Fit, Problem};
use crate::matrix::{Matrix, add_scaled};
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
/// so that estimating the parameters is taken into account. A method whose test functions are made from the same data
/// has more noise than its influence values tell; for it ranks are those at one step of Newton's method from its
/// estimate towards the maximum of the likelihood, with the influence on that. Censored responses have no rank of their own; the
/// others have one among those between the limits. The statistic is `T' V^-1 T` with `T` the mean of
/// `phi(u_i)` and `V` the covariance of the mean of `c_i`, over clusters where there are any.
///
/// # Requirements
///
/// A model of one coordinate given the others ([`Conditional`]), and a fit with influence values. At least 30
/// independent observations with ranks of their own.
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

/// The same where others are censored. With 90 of 300, ranks of the model itself were called uneven in 5 of 100
/// samples instead of one.
const FEWEST_BESIDE_CENSORED: usize = 150;

impl Unevenness {
    /// `None` for models without ranks.
    pub(super) fn of(problem: &Problem, fit: &Fit) -> Option<Unevenness> {
        let conditional = problem.model.conditional()?;
        let mut theta = fit.fitted_parameters()?;
        let (n, p) = (fit.setup.n, theta.len());
        let groups = problem.data.independent();
        if (fit.influence.rows(), fit.influence.columns()) != (n, p) || groups < FEWEST {
            return None;
        }
        let mut at_likelihood = None;
        if problem.method().uses().adaptive {
            theta = LikelihoodStep::at(problem, conditional, &theta)?.theta;
            at_likelihood = Some(LikelihoodStep::at(problem, conditional, &theta)?.influence);
        }
        let ranks: Vec<Rank> =
            (0..n).map(|i| rank(problem, conditional, i, &theta)).collect::<Option<_>>()?;
        let is_counted = |i: usize| matches!(ranks[i], Rank::Even(..)) && problem.weights[i] > 0.0;
        let total: f64 = problem.weights.iter().sum();
        let counted: f64 = (0..n).filter(|i| is_counted(*i)).map(|i| problem.weights[i]).sum();
        let own = (0..n).filter(|i| is_counted(*i)).count();
        let fewest = if own < n { FEWEST_BESIDE_CENSORED } else { FEWEST };
        if own < fewest {
            return None;
        }
        let mut values = Matrix::zeros(n, POLYNOMIALS);
        let mut slopes = Matrix::zeros(POLYNOMIALS, p);
        for (i, found) in ranks.iter().enumerate() {
            let Rank::Even(rank, gradient) = found else { continue };
            let (at, slope) = legendre(*rank);
            for k in 0..POLYNOMIALS {
                // Means over the observations that have ranks, as means over all.
                values[(i, k)] = total / counted * at[k];
                for (j, g) in gradient.iter().enumerate() {
                    slopes[(k, j)] += problem.weights[i] / counted * slope[k] * g;
                }
            }
        }
        let through_fit = at_likelihood.as_ref().unwrap_or(&fit.influence).times(&slopes.transpose());
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
        let few = count.min(own as f64);
        let (k, rest) = (POLYNOMIALS as f64, few - POLYNOMIALS as f64);
        let law = FisherSnedecor::new(k, rest).ok()?;
        let scale = k * few / rest;
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

/// A step of Newton's method towards the maximum of the likelihood between the limits.
struct LikelihoodStep {
    theta: Vec<f64>,
    /// The influence of observations on the maximum.
    influence: Matrix,
}

impl LikelihoodStep {
    /// From some parameters of a model with an affine score, whose log-density is linear in them.
    fn at(problem: &Problem, conditional: &dyn Conditional, theta: &[f64]) -> Option<LikelihoodStep> {
        problem.model.affine()?;
        let (n, p) = (problem.data.len(), theta.len());
        let total: f64 = problem.weights.iter().sum();
        let (mut scores, mut information) = (Matrix::zeros(n, p), Matrix::zeros(p, p));
        let (mut of_density, mut of_normaliser) = (vec![0.0; p], vec![0.0; p]);
        let mut hessian = vec![0.0; p * p];
        for i in 0..n {
            let (x, section) = (problem.data.row(i), section_of(problem, i)?);
            conditional.log_normaliser(x, theta, section, &mut of_normaliser, &mut hessian)?;
            conditional.log_density_gradient(x, theta, &mut of_density);
            (0..p).for_each(|k| scores[(i, k)] = of_density[k] - of_normaliser[k]);
            add_scaled(information.values_mut(), problem.weights[i] / total, &hessian);
        }
        let influence = ScaledCholesky::new(&information).ok()?.solve_rows(&scores, 1.0);
        let mean = |k: usize| dot(influence.column(k), &problem.weights) / total;
        let theta: Vec<f64> = (0..p).map(|k| theta[k] + mean(k)).collect();
        Some(LikelihoodStep { theta, influence })
    }
}

/// The limits between which the response of an observation could have been seen.
fn section_of(problem: &Problem, i: usize) -> Option<(f64, f64)> {
    let axis = problem.model.differentiated().first().copied()?;
    let everything = (f64::NEG_INFINITY, f64::INFINITY);
    let domain = problem.estimator.domain.as_deref();
    domain.map_or(Some(everything), |domain| section_around(domain, problem.data.row(i), axis))
}

/// The rank of an observation.
enum Rank {
    /// With its derivatives in the parameters.
    Even(f64, Vec<f64>),
    /// Recorded at a limit, together with others.
    Shared,
}

/// The rank of an observation among those between the limits; `None` if it cannot be computed.
fn rank(problem: &Problem, conditional: &dyn Conditional, i: usize, theta: &[f64]) -> Option<Rank> {
    let x = problem.data.row(i);
    let axis = problem.model.differentiated().first().copied()?;
    let Some(section) = conditional.between_atoms(x, section_of(problem, i)?) else {
        return Some(Rank::Shared);
    };
    let p = theta.len();
    let (mut whole, mut below) = (vec![0.0; p], vec![0.0; p]);
    let log_whole = conditional.log_between(x, theta, section, &mut whole)?;
    if x[axis] <= section.0 {
        return Some(Rank::Even(0.0, vec![0.0; p]));
    }
    let log_below = conditional.log_between(x, theta, (section.0, x[axis]), &mut below)?;
    let rank = (log_below - log_whole).exp().min(1.0);
    let gradient: Vec<f64> = below.iter().zip(&whole).map(|(b, w)| rank * (b - w)).collect();
    (rank.is_finite() && gradient.iter().all(|g| g.is_finite())).then_some(Rank::Even(rank, gradient))
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
        let at = |i: usize, theta: &[f64]| match rank(&problem, conditional, i, theta).unwrap() {
            Rank::Even(rank, gradient) => (rank, gradient),
            Rank::Shared => panic!("{i}"),
        };
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

    /// The same responses, of which those below 2.5 are recorded there.
    fn censored(prepared: &PreparedRegression) -> (PreparedRegression, Estimator) {
        let responses: Vec<f64> = prepared.points.rows().map(|x| x[0].max(2.5)).collect();
        let covariates = Matrix::from_fn(responses.len(), 1, |i, _| prepared.points.row(i)[1]);
        let regression = TruncatedRegression::new("y", responses).covariates(["x"], covariates);
        let limit = ResponseLimit::Constant(2.5);
        let censored = regression.lower(limit).censored(Censored::Both).build(0).unwrap();
        let estimator = censored.estimator(&Estimator::mle());
        (censored, estimator)
    }

    fn unevenness_of_censored(prepared: &PreparedRegression) -> Option<Unevenness> {
        let (censored, estimator) = censored(prepared);
        let problem = estimator.check(&censored.points, censored.fitted_model()).unwrap();
        Unevenness::of(&problem, &problem.fit().unwrap())
    }

    /// The responses are `1 + 2 x + noise` without a limit: what is recorded at 2.5 has no rank, and the others
    /// have even ones where the model holds.
    #[test]
    fn what_is_not_censored_has_even_ranks() {
        let whole = |seed: u64, noise: fn(f64, f64) -> f64| {
            let mut rng = stream(seed, 8);
            let draw = |_| {
                let (x, normal, even): (f64, f64, f64) =
                    (rng.random(), StandardNormal.sample(&mut rng), rng.random());
                (1.0 + 2.0 * x + noise(normal, even), x)
            };
            let drawn: Vec<(f64, f64)> = (0..600).map(draw).collect();
            let covariates = Matrix::from_fn(drawn.len(), 1, |i, _| drawn[i].1);
            let responses = drawn.iter().map(|(y, _)| *y).collect();
            TruncatedRegression::new("y", responses).covariates(["x"], covariates).build(0).unwrap()
        };
        let p_value = |seed| unevenness_of_censored(&whole(seed, |normal, _| 0.7 * normal)).unwrap().p_value;
        let p_values: Vec<f64> = (0..400).map(p_value).collect();
        for q in [0.01f64, 0.05, 0.2, 0.5] {
            let share = p_values.iter().filter(|p| **p < q).count() as f64 / 400.0;
            let error = (q * (1.0 - q) / 400.0).sqrt();
            assert!((share - q).abs() < 4.0 * error, "{q}: {share}");
        }
        let in_two_heaps = whole(1, |normal, even| 0.2 * normal + if even < 0.5 { -0.8 } else { 0.8 });
        assert!(unevenness_of_censored(&in_two_heaps).unwrap().p_value < 1e-3);
        // Too few have a rank.
        assert_eq!(unevenness_of_censored(&sample(5, 40, |normal, _| 0.2 * normal)), None);
    }

    /// Of 400 samples of the model itself, a share `q` has a p-value below `q`, whatever the method: within
    /// four standard errors. Noise of another shape is found.
    #[test]
    fn p_values_are_even_where_the_model_holds() {
        for method in [Estimator::truncated_mle(), Estimator::tksd(), Estimator::efficient()] {
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

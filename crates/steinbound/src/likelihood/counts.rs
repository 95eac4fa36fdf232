//! Counts of observations, which determine the weights of components.

use super::nodes::IntegrationRule;
use super::truncated::{Likelihood, settled_below};
use super::work::Work;
use crate::compute::cholesky::ScaledCholesky;
use crate::domain::Domain;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::minimise::{Equated, Equations};
use crate::model::Model;
use crate::points::Points;
use crate::search_limits::Stop;

/// The equations of counts, `u_k(theta) = mean_i r_k(x_i) - E r_k(X)`, one for each
/// [counted parameter](crate::model::Counted).
///
/// # Definition
///
/// `r_k` is the responsibility of a component, and the expectation is that of the truncated density, `w_k Z_k
/// / sum_j w_j Z_j` with `Z_k` the mass of the component inside the region. For log-weights `a_k` this is the
/// derivative of the mean truncated log-likelihood, so that values, Jacobian in all parameters and
/// contributions `m_i = r_k(x_i) - E r_k` of the observations are those of that likelihood: rows of its
/// gradient, its exact Hessian and its gradients at single observations.
///
/// The weighted mean of the contributions is the value. An estimator that stacks these equations with others
/// solves all by Newton's method; with the Jacobian `J` of the stack the influence of an observation is `-J^-1`
/// times its stacked contributions.
///
/// # Requirements
///
/// A rule of integration over the region for data less the same origin, or none if the data are a sample of
/// the whole space. Given the other parameters the log-likelihood is a concave function of the shares `w_k
/// Z_k / sum_j w_j Z_j`, so that there is one solution; it can be a share of zero, which has no log-weight.
///
/// # Complexity
///
/// `n + N` gradients and second derivatives of the log-density, `N` being the number of nodes.
pub(crate) struct Counts<'a> {
    likelihood: Likelihood<'a>,
    unknowns: Vec<usize>,
    /// Observation weights that sum to one.
    shares: Vec<f64>,
}

/// Steps in which the counts are solved for given components.
const MOST_STEPS: usize = 100;

/// The longest step of a log-weight.
const LONGEST: f64 = 2.0;

/// The solution is precise enough once a step is this short: a joint search refines it.
const SHORT: f64 = 1e-9;

/// A log-weight beyond this runs to infinity: the component has no observations.
const FARTHEST: f64 = 40.0;

impl<'a> Counts<'a> {
    /// The equations for a model at data less an origin; `None` for a model without counted parameters or
    /// density.
    pub(crate) fn new(
        model: &'a dyn Model,
        data: &'a Points<'a>,
        weights: &[f64],
        rule: Option<IntegrationRule>,
        work: &Work,
        interrupt: &'a Interrupt,
    ) -> Option<Counts<'a>> {
        let unknowns: Vec<usize> = model.counted()?.counted_parameters().collect();
        let likelihood = Likelihood::over(model, model.density()?, data, weights, rule, work, interrupt);
        let total: f64 = weights.iter().sum();
        let shares = weights.iter().map(|w| w / total).collect();
        Some(Counts { likelihood, unknowns, shares })
    }

    /// The second moments of the contributions: the information on the unknowns, which is never indefinite.
    fn information(&self, pulls: &Matrix) -> Matrix {
        let rows = &self.unknowns;
        let moment = |j: usize, k: usize| {
            let both = pulls.column(rows[j]).iter().zip(pulls.column(rows[k]));
            both.zip(&self.shares).map(|((a, b), w)| w * a * b).sum::<f64>()
        };
        Matrix::from_fn(rows.len(), rows.len(), moment)
    }

    /// The largest difference between these equations and those with another rule, in standard errors of the
    /// counts.
    pub(crate) fn change(&self, other: &Counts, theta: &[f64]) -> Result<f64, Error> {
        let (here, there) = (self.likelihood.first_order(theta)?, other.likelihood.first_order(theta)?);
        let share = |k: &usize| {
            let both = here.pulls.column(*k).iter().zip(&self.shares);
            let variance: f64 = both.map(|(m, w)| (w * m).powi(2)).sum();
            (here.gradient[*k] - there.gradient[*k]).abs() / variance.sqrt()
        };
        // NaN, where a rule misses the density, is a large change.
        let larger = |a: f64, b: f64| if b.is_nan() { f64::INFINITY } else { a.max(b) };
        Ok(self.unknowns.iter().map(share).fold(0.0, larger))
    }
}

impl Equations for Counts<'_> {
    fn unknowns(&self) -> &[usize] {
        &self.unknowns
    }

    fn at(&self, theta: &[f64]) -> Result<Equated, Error> {
        let (expansion, pulls) = self.likelihood.expansion(theta, true)?;
        let rows = &self.unknowns;
        Ok(Equated {
            values: rows.iter().map(|k| -expansion.gradient[*k]).collect(),
            jacobian: Matrix::from_fn(rows.len(), theta.len(), |j, k| -expansion.hessian[(rows[j], k)]),
            contributions: Matrix::from_fn(pulls.rows(), rows.len(), |i, j| -pulls[(i, rows[j])]),
        })
    }

    fn spent(&self) -> Option<Stop> {
        self.likelihood.spent()
    }

    /// By scoring with halved steps, as the log-likelihood is concave in the shares.
    fn solve(&self, theta: &mut [f64]) -> Result<bool, Error> {
        let rows = &self.unknowns;
        let mut here = self.likelihood.first_order(theta)?;
        for _ in 0..MOST_STEPS {
            if self.spent().is_some() {
                return Ok(false);
            }
            let Ok(factor) = ScaledCholesky::new(&self.information(&here.pulls)) else { return Ok(false) };
            let mut step = Matrix::from_fn(rows.len(), 1, |j, _| -here.gradient[rows[j]]);
            factor.solve(&mut step);
            let length = step.values().iter().fold(0.0f64, |m, s| m.max(s.abs()));
            if !length.is_finite() {
                return Ok(false);
            }
            if length < SHORT {
                return Ok(true);
            }
            let mut share = (LONGEST / length).min(1.0);
            loop {
                let mut moved = theta.to_vec();
                rows.iter().enumerate().for_each(|(j, k)| moved[*k] += share * step[(j, 0)]);
                let there = self.likelihood.first_order(&moved)?;
                if there.value <= here.value {
                    theta.copy_from_slice(&moved);
                    here = there;
                    break;
                }
                share *= 0.5;
                if share * length < SHORT {
                    return Ok(length < 1e-6);
                }
            }
            if rows.iter().any(|k| theta[*k].abs() > FARTHEST) {
                return Ok(false);
            }
        }
        Ok(false)
    }
}

/// Rules of integration over a region for counts, from coarse to fine.
pub(crate) struct CountRule<'a> {
    pub(crate) domain: &'a dyn Domain,
    /// The data themselves.
    pub(crate) data: &'a Points<'a>,
    /// What is subtracted from them in a search.
    pub(crate) origin: &'a [f64],
    pub(crate) seed: u64,
    pub(crate) interrupt: &'a Interrupt,
}

impl CountRule<'_> {
    /// The rule of a level; `None` if it would have too many nodes.
    pub(crate) fn at(&self, level: u32) -> Result<Option<IntegrationRule>, Error> {
        if level > super::FINEST {
            return Ok(None);
        }
        let rule = IntegrationRule::new(self.domain, self.data, level, self.seed, self.interrupt)?;
        rule.map(|rule| rule.less(self.origin)).transpose()
    }

    /// A rule is fine enough if the next one changes the counts by less than this many standard errors.
    pub(crate) fn settled_below(&self) -> f64 {
        settled_below(self.data.dimension())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Cuboid;
    use crate::model::{GaussianMixture, Model};
    use crate::random::stream;
    use crate::simulate;

    fn sample(model: &GaussianMixture, theta: &[f64], domain: &Cuboid) -> Points<'static> {
        simulate::truncated(model, theta, domain, 200, &mut stream(4, 0)).unwrap().points
    }

    fn rule(domain: &Cuboid, data: &Points, interrupt: &Interrupt) -> IntegrationRule {
        let origin = vec![0.0; data.dimension()];
        CountRule { domain, data, origin: &origin, seed: 0, interrupt }.at(2).unwrap().unwrap()
    }

    /// Means, log-weights and factors of three components, in a box that cuts two of them.
    fn three() -> (GaussianMixture, Vec<f64>, Cuboid) {
        let model = GaussianMixture::new(2, 3).unwrap().full().estimate_weights();
        let reported =
            [-2.0, 0.5, 0.0, -1.0, 2.0, 1.0, 0.3, 0.5, 0.2, 1.0, 0.3, 0.7, 0.8, -0.2, 0.9, 1.2, 0.1, 0.6];
        let theta = model.fitted_from(&reported).unwrap();
        (model, theta, Cuboid::uniform(-2.5, 2.5, 2).unwrap())
    }

    #[test]
    fn the_jacobian_is_the_derivative_in_all_parameters() {
        let (model, theta, domain) = three();
        let data = sample(&model, &theta, &domain);
        let weights: Vec<f64> = (0..data.len()).map(|i| 0.5 + (i % 3) as f64).collect();
        let interrupt = Interrupt::new();
        for rule in [Some(rule(&domain, &data, &interrupt)), None] {
            let counts = Counts::new(&model, &data, &weights, rule, &Work::new(200, 18), &interrupt).unwrap();
            assert_eq!(counts.unknowns(), [6, 7]);
            let at = counts.at(&theta).unwrap();
            for k in 0..theta.len() {
                let step = 1e-5;
                let moved = |sign: f64| {
                    let mut moved = theta.clone();
                    moved[k] += sign * step;
                    counts.at(&moved).unwrap().values
                };
                let (above, below) = (moved(1.0), moved(-1.0));
                for j in 0..2 {
                    let slope = (above[j] - below[j]) / (2.0 * step);
                    assert!((at.jacobian[(j, k)] - slope).abs() < 1e-8, "{j} {k}: {slope} {at:?}");
                }
            }
        }
    }

    /// The value is the mean responsibility less the share of the mass inside, which the shares of a dense
    /// grid give; and the weighted mean of the contributions.
    #[test]
    fn values_are_counts_less_masses() {
        let (model, theta, domain) = three();
        let data = sample(&model, &theta, &domain);
        let (weights, interrupt) = (vec![1.0; data.len()], Interrupt::new());
        let rule = rule(&domain, &data, &interrupt);
        let at = Counts::new(&model, &data, &weights, Some(rule), &Work::new(200, 18), &interrupt)
            .unwrap()
            .at(&theta)
            .unwrap();
        let responsibility = |x: &[f64], k: usize| {
            let density = model.density().unwrap();
            let mut gradient = vec![0.0; theta.len()];
            density.log_density_gradient(x, &theta, &mut gradient);
            // `r_k - w_k`, up to the weight, which cancels.
            gradient[5 + k]
        };
        let side = |i: usize| -2.5 + 5.0 * (i as f64 + 0.5) / 400.0;
        for k in 1..3 {
            let (mut mass, mut total) = (0.0, 0.0);
            for i in 0..400 {
                for j in 0..400 {
                    let x = [side(i), side(j)];
                    let density = model.density().unwrap().log_density(&x, &theta).exp();
                    mass += density * responsibility(&x, k);
                    total += density;
                }
            }
            let counted = data.rows().map(|x| responsibility(x, k)).sum::<f64>() / data.len() as f64;
            let expected = counted - mass / total;
            assert!((at.values[k - 1] - expected).abs() < 1e-5, "{k}: {expected} {:?}", at.values);
            let mean = at.contributions.column(k - 1).iter().sum::<f64>() / data.len() as f64;
            assert!((mean - at.values[k - 1]).abs() < 1e-12);
        }
    }

    #[test]
    fn given_components_there_is_one_solution_or_none() {
        let (model, theta, domain) = three();
        let data = sample(&model, &theta, &domain);
        let (weights, interrupt) = (vec![1.0; data.len()], Interrupt::new());
        let rule = rule(&domain, &data, &interrupt);
        let counts =
            Counts::new(&model, &data, &weights, Some(rule), &Work::new(200, 18), &interrupt).unwrap();
        let solved = |log_weights: [f64; 2]| {
            let mut theta = theta.clone();
            theta[6..8].copy_from_slice(&log_weights);
            assert!(counts.solve(&mut theta).unwrap());
            theta
        };
        let found = solved([0.0, 0.0]);
        assert!(counts.at(&found).unwrap().values.iter().all(|u| u.abs() < 1e-8));
        for start in [[5.0, -5.0], [-8.0, -8.0], [3.0, 9.0]] {
            let again = solved(start);
            assert!(again.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-6), "{start:?} {again:?}");
        }
        // A component without observations has no log-weight.
        let mut far = theta;
        (far[4], far[5]) = (2.0, -40.0);
        assert!(!counts.solve(&mut far).unwrap());
    }
}

//! Properties that every method must satisfy, in this crate and outside it.

use std::sync::Arc;

use super::{Estimator, Method};
use crate::domain::{Ball, BoundarySampling, Domain};
use crate::error::Error;
use crate::kernel::Bandwidth;
use crate::model::Gaussian;
use crate::points::Points;
use crate::simulate;

/// Checks a method on data from a disc: that it records the settings that it uses, that influence values are
/// the derivatives of the estimate in the observation weights, that refits are estimates with other weights,
/// and that a weight of two equals a repeated observation.
///
/// ```
/// use steinbound::Method;
/// use steinbound::method::conformance;
/// assert_eq!(conformance::check(Method::BDKSD), Ok(()));
/// ```
pub fn check(method: Method) -> Result<(), String> {
    if method.name().is_empty() || method.meaning().is_empty() {
        return Err("a method has a name and a line that says what it does".into());
    }
    let setting = Setting::new(method).map_err(|error| error.to_string())?;
    setting.records_what_it_uses()?;
    setting.influence_is_a_derivative().map_err(|error| error.to_string())??;
    setting.refits_are_estimates().map_err(|error| error.to_string())??;
    setting.weights_are_repetitions().map_err(|error| error.to_string())?
}

struct Setting {
    estimator: Estimator,
    data: Points<'static>,
    model: Gaussian,
}

impl Setting {
    fn new(method: Method) -> Result<Setting, Error> {
        let disc = Ball::new(1.4)?.in_dimension(2);
        let model = Gaussian::with_variance(2, 1.0)?;
        let rng = &mut simulate::stream(1, 0);
        let data = simulate::truncated(&model, &[0.5, 0.3], &disc, 80, rng)?.points;
        // With these given, rows can be repeated without changing the preparation.
        let edge = disc.sample_boundary(&BoundarySampling::new(48), &mut simulate::stream(1, 1))?;
        let estimator =
            Estimator::new(method).boundary(edge).domain(Arc::new(disc)).bandwidth(Bandwidth::Fixed(1.0));
        Ok(Setting { estimator, data, model })
    }

    fn records_what_it_uses(&self) -> Result<(), String> {
        let problem = self.estimator.check(&self.data, &self.model).map_err(|error| error.to_string())?;
        let (setup, uses) = (problem.setup(), self.estimator.method.uses());
        let records = [
            ("kernel", setup.kernel.is_some(), uses.kernel),
            ("statistic", setup.statistic.is_some(), uses.statistic),
            ("ridge", setup.ridge.is_some(), uses.ridge),
            ("distance", setup.distance.is_some(), uses.has_distance()),
            ("boundary points", setup.m > 0, uses.boundary_points),
        ];
        match records.into_iter().find(|(_, recorded, used)| recorded != used) {
            Some((what, recorded, used)) => {
                Err(format!("{what}: uses() says {used}, but whether setup records it is {recorded}"))
            }
            None => Ok(()),
        }
    }

    fn influence_is_a_derivative(&self) -> Result<Result<(), String>, Error> {
        let problem = self.estimator.check(&self.data, &self.model)?;
        let weights = vec![1.0; self.data.len()];
        let estimate = problem.estimate(&weights, None)?;
        let theta = estimate.theta.clone().unwrap_or_default();
        let step = 1e-4;
        let adaptive = self.estimator.method.uses().adaptive;
        let size = |k: usize| estimate.influence.column(k).iter().map(|f| f * f).sum::<f64>();
        let typical: Vec<f64> =
            (0..theta.len()).map(|k| size(k).sqrt() / (self.data.len() as f64).powf(1.5)).collect();
        for i in [0, 17, self.data.len() - 1] {
            let at = |weight: f64| {
                let mut moved = weights.clone();
                moved[i] = weight;
                Ok::<_, Error>(problem.estimate(&moved, Some(&theta))?.theta.unwrap_or_default())
            };
            let (more, less) = (at(1.0 + step)?, at(1.0 - step)?);
            for k in 0..theta.len() {
                let slope = (more[k] - less[k]) / (2.0 * step);
                let influence = estimate.influence[(i, k)] / self.data.len() as f64;
                let tolerance = if adaptive { 0.3 * typical[k] } else { 1e-4 * (1e-2 + influence.abs()) };
                if (slope - influence).abs() > tolerance {
                    return Ok(Err(format!("influence of row {i} on {k}: {influence}, by weights {slope}")));
                }
            }
        }
        Ok(Ok(()))
    }

    fn refits_are_estimates(&self) -> Result<Result<(), String>, Error> {
        let problem = self.estimator.check(&self.data, &self.model)?;
        let uneven = |k: usize| {
            (0..self.data.len()).map(|i| f64::from(u8::from(!(i + k).is_multiple_of(3)))).collect()
        };
        let sets: Vec<Vec<f64>> = (0..3).map(uneven).collect();
        let near = problem.estimate(&vec![1.0; self.data.len()], None)?.theta.unwrap_or_default();
        for (weights, refit) in sets.iter().zip(problem.refits(&sets, &near)?) {
            let own = problem.estimate(weights, Some(&near))?.theta;
            let agree = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-8);
            if !matches!((&own, &refit), (Some(own), Some(refit)) if agree(own, refit)) {
                return Ok(Err(format!("a refit gives {refit:?}, an estimate {own:?}")));
            }
        }
        Ok(Ok(()))
    }

    fn weights_are_repetitions(&self) -> Result<Result<(), String>, Error> {
        let weights = (0..self.data.len()).map(|i| if i < 5 { 2.0 } else { 1.0 }).collect();
        let weighted = self.data.clone().with_weights(weights)?;
        let rows: Vec<&[f64]> = self.data.rows().chain(self.data.rows().take(5)).collect();
        let estimates = |data: &Points| Ok::<_, Error>(self.estimator.fit(data, &self.model)?.estimates());
        let (one, other) = (estimates(&weighted)?, estimates(&Points::from_rows(&rows)?)?);
        let apart = one.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let standard_error = self.estimator.fit(&self.data, &self.model)?.std_errors()[0];
        let adaptive = self.estimator.method.uses().adaptive;
        if apart > if adaptive { 0.05 * standard_error } else { 1e-8 } {
            Ok(Err(format!("weights give {one:?}, repeated rows {other:?}")))
        } else {
            Ok(Ok(()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_conforms() {
        for method in Method::ALL {
            assert_eq!(check(method), Ok(()), "{method}");
        }
    }
}

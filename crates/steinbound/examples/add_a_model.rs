//! A user-defined model: the logistic density, whose tails are heavier than those of the normal.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use steinbound::domain::Ball;
use steinbound::model::{Density, Model, Reported, Sampler, Sampling, Search};
use steinbound::{Error, Estimator, Matrix, ModelError, Points, simulate};

/// Independent logistic coordinates, each with its location, and one scale `s` for all.
///
/// With `z = (x - location) / s` the log-density is `-2 log cosh(z / 2) - log s` for each coordinate. The
/// fitted parameters are the locations and `log s`, which may be any number; the reported parameter is `s`.
#[derive(Debug)]
struct Logistic {
    dimension: usize,
}

impl Logistic {
    /// The scale, `z`, and `tanh(z / 2)` of a coordinate.
    fn parts(&self, x: &[f64], theta: &[f64], l: usize) -> (f64, f64, f64) {
        let scale = theta[self.dimension].exp();
        let z = (x[l] - theta[l]) / scale;
        (scale, z, (0.5 * z).tanh())
    }
}

impl Model for Logistic {
    fn name(&self) -> &str {
        "logistic"
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn parameters(&self) -> usize {
        self.dimension + 1
    }

    fn names(&self, coordinates: &[String]) -> Vec<String> {
        let locations = coordinates.iter().map(|name| format!("location[{name}]"));
        locations.chain(["log scale".into()]).collect()
    }

    fn reported_names(&self, coordinates: &[String]) -> Vec<String> {
        let mut names = self.names(coordinates);
        names[self.dimension] = "scale".into();
        names
    }

    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        for l in 0..self.dimension {
            let (scale, _, t) = self.parts(x, theta, l);
            score[l] = -t / scale;
        }
    }

    fn score_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        jacobian.fill(0.0);
        for (l, row) in jacobian.chunks_exact_mut(self.parameters()).enumerate() {
            let (scale, z, t) = self.parts(x, theta, l);
            row[l] = 0.5 * (1.0 - t * t) / (scale * scale);
            row[self.dimension] = (t + 0.5 * z * (1.0 - t * t)) / scale;
        }
    }

    fn score_slope(&self, x: &[f64], theta: &[f64], slope: &mut [f64]) {
        for l in 0..self.dimension {
            let (scale, _, t) = self.parts(x, theta, l);
            slope[l] = -0.5 * (1.0 - t * t) / (scale * scale);
        }
    }

    fn score_slope_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        jacobian.fill(0.0);
        for (l, row) in jacobian.chunks_exact_mut(self.parameters()).enumerate() {
            let (scale, z, t) = self.parts(x, theta, l);
            let curve = (1.0 - t * t) / (scale * scale);
            row[l] = -0.5 * t * curve / scale;
            row[self.dimension] = curve * (1.0 - 0.5 * t * z);
        }
    }

    fn report(&self, theta: &[f64]) -> Option<Reported> {
        let mut values = theta.to_vec();
        values[self.dimension] = theta[self.dimension].exp();
        let mut jacobian = Matrix::identity(theta.len());
        jacobian[(self.dimension, self.dimension)] = values[self.dimension];
        Some(Reported { values, jacobian })
    }

    fn fitted_from(&self, reported: &[f64]) -> Result<Vec<f64>, ModelError> {
        match reported.get(self.dimension) {
            Some(scale) if *scale > 0.0 && reported.len() == self.parameters() => {
                let mut theta = reported.to_vec();
                theta[self.dimension] = scale.ln();
                Ok(theta)
            }
            _ => Err(ModelError::Unsupported {
                model: self.name().into(),
                action: "used with these parameters",
                remedy: "give a location for each coordinate and a positive scale",
            }),
        }
    }

    fn density(&self) -> Option<&dyn Density> {
        Some(self)
    }

    fn search(&self) -> Option<&dyn Search> {
        Some(self)
    }

    fn sampling(&self) -> Option<&dyn Sampling> {
        Some(self)
    }
}

/// Not needed by TKSD; it enables `truncated-mle`. Derivatives in the parameters are differences unless they
/// are given.
impl Density for Logistic {
    fn log_density(&self, x: &[f64], theta: &[f64]) -> f64 {
        let coordinate = |l: usize| {
            let (scale, z, _) = self.parts(x, theta, l);
            // log cosh without overflow, up to a constant.
            -z.abs() - 2.0 * (-z.abs()).exp().ln_1p() - scale.ln()
        };
        (0..self.dimension).map(coordinate).sum()
    }
}

/// Optional if users give starting points; here these come from the moments of the data.
impl Search for Logistic {
    fn starts(&self, points: &Points, _rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let count = points.len() as f64;
        let mean = |l: usize| points.rows().map(|x| x[l]).sum::<f64>() / count;
        let mut theta: Vec<f64> = (0..self.dimension).map(mean).collect();
        let squares = points.rows().flat_map(|x| x.iter().zip(&theta).map(|(x, m)| (x - m).powi(2)));
        let variance = squares.sum::<f64>() / (count * self.dimension as f64);
        // The standard deviation of a logistic density is its scale times pi / sqrt(3).
        theta.push((variance.sqrt() * 3f64.sqrt() / std::f64::consts::PI).max(f64::MIN_POSITIVE).ln());
        vec![theta]
    }
}

/// Not needed for fits; it enables simulation and tests of fit.
impl Sampling for Logistic {
    fn sampler(&self, theta: &[f64]) -> Option<Sampler> {
        let theta = theta.to_vec();
        Some(Box::new(move |rng, x| {
            for (x, location) in x.iter_mut().zip(&theta) {
                let u: f64 = rng.random_range(f64::EPSILON..1.0);
                *x = location + theta[theta.len() - 1].exp() * (u / (1.0 - u)).ln();
            }
        }))
    }
}

fn main() -> Result<(), Error> {
    let model = Logistic { dimension: 2 };
    let disc = std::sync::Arc::new(Ball::new(2.0)?.in_dimension(2));
    let truth = [0.5, 0.0, 0.7f64.ln()];
    let data = simulate::truncated(&model, &truth, disc.as_ref(), 1000, &mut simulate::stream(1, 0))?.points;
    for estimator in [Estimator::tksd(), Estimator::truncsm(), Estimator::truncated_mle()] {
        println!("{}", estimator.domain(disc.clone()).fit(&data, &model)?.summary());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use steinbound::model::conformance;

    use super::*;

    #[test]
    fn conforms() {
        assert_eq!(conformance::check(&Logistic { dimension: 1 }, &[0.2, -0.4]), Ok(()));
        assert_eq!(conformance::check(&Logistic { dimension: 3 }, &[0.2, -0.5, 0.1, 0.3]), Ok(()));
    }

    #[test]
    fn finds_the_parameters_again() -> Result<(), Error> {
        let model = Logistic { dimension: 2 };
        let disc = Ball::new(2.0)?.in_dimension(2);
        let truth = [0.5, 0.0, 0.7f64.ln()];
        let data = simulate::truncated(&model, &truth, &disc, 2000, &mut simulate::stream(2, 0))?.points;
        let fit = Estimator::tksd().domain(std::sync::Arc::new(disc)).fit(&data, &model)?;
        for (parameter, truth) in fit.parameters.iter().zip([0.5, 0.0, 0.7]) {
            let (estimate, error) = (parameter.estimate.unwrap(), parameter.std_error.unwrap());
            assert!((estimate - truth).abs() < 4.0 * error, "{}: {estimate} ± {error}", parameter.name);
        }
        Ok(())
    }
}

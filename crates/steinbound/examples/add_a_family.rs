//! A user-defined density on the line, as a model of independent coordinates: the Gumbel density of yearly maxima.

use rand::RngExt;
use steinbound::domain::Cuboid;
use steinbound::model::{
    Column, Coordinate, CoordinateSampler, Coordinates, Family, Jet, ModelChoices, NamedParameter, Range,
    Support,
};
use steinbound::{Error, Estimator, simulate};

/// `log p = -z - exp(-z) - log scale` with `z = (x - location) / scale`.
#[derive(Debug)]
struct Gumbel;

/// The entry for the list of models; inside the library it is a line of `FAMILIES`.
static GUMBEL: Coordinates = Coordinates(&Gumbel);

impl Coordinate for Gumbel {
    fn name(&self) -> &'static str {
        "gumbel"
    }

    fn meaning(&self) -> &'static str {
        "largest values, such as yearly floods"
    }

    /// Of these come the names in tables and options, the parametrisation of searches, and the delta method.
    fn parameters(&self) -> &'static [NamedParameter] {
        const ALL: &[NamedParameter] = &[
            NamedParameter::new("location", Range::Any, "the peak"),
            NamedParameter::new("scale", Range::Scale, "the spread"),
        ];
        ALL
    }

    fn support(&self, _known: &[Option<f64>]) -> Support {
        Support::Line
    }

    /// All derivatives at one place, in the parameters as they are reported.
    fn at(&self, x: f64, parameters: &[f64]) -> Jet {
        let (location, s) = (parameters[0], parameters[1]);
        let z = (x - location) / s;
        let w = (-z).exp();
        Jet {
            log: -z - w - s.ln(),
            score: (w - 1.0) / s,
            slope: -w / (s * s),
            log_in: [(1.0 - w) / s, (z * (1.0 - w) - 1.0) / s, 0.0],
            score_in: [w / (s * s), (w * z - w + 1.0) / (s * s), 0.0],
            slope_in: [-w / s.powi(3), w * (2.0 - z) / s.powi(3), 0.0],
        }
    }

    fn log_normaliser(&self, _parameters: &[f64]) -> Option<f64> {
        Some(0.0)
    }

    /// By the moments of data that are not truncated; a second guess for such that are.
    fn starts(&self, sample: &Column) -> Vec<Vec<f64>> {
        let (mean, variance) = sample.moments(|x| x);
        let scale = (6.0 * variance).sqrt() / std::f64::consts::PI;
        [1.0, 2.0].map(|times| vec![mean - 0.5772 * times * scale, times * scale]).to_vec()
    }

    fn sampler(&self, parameters: &[f64]) -> Option<CoordinateSampler> {
        let (location, scale) = (parameters[0], parameters[1]);
        Some(Box::new(move |rng| location - scale * (-(1.0 - rng.random::<f64>()).ln()).ln()))
    }
}

fn main() -> Result<(), Error> {
    let (model, truth) = (GUMBEL.build(1, &ModelChoices::default())?, [1.0, 0.8]);
    // Floods that were high enough to be written down, and low enough to be measured.
    let seen = Cuboid::interval(0.8, 4.0)?;
    let theta = model.fitted_from(&truth)?;
    let data = simulate::truncated(model.as_ref(), &theta, &seen, 500, &mut simulate::stream(3, 0))?.points;
    let fit = Estimator::efficient().domain(std::sync::Arc::new(seen)).fit(&data, model.as_ref())?;
    println!("{fit}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use steinbound::model::conformance;

    use super::*;

    #[test]
    fn it_conforms() {
        let known = vec![("scale".to_string(), 0.7)];
        for (choices, theta) in [
            (ModelChoices::default(), vec![0.3, -0.2]),
            (ModelChoices { known, ..ModelChoices::default() }, vec![0.3]),
        ] {
            let model = GUMBEL.build(1, &choices).unwrap();
            assert_eq!(conformance::check(model.as_ref(), &theta), Ok(()));
        }
    }

    #[test]
    fn it_recovers_a_truncated_density() {
        let (model, truth) = (GUMBEL.build(1, &ModelChoices::default()).unwrap(), [1.0, 0.8]);
        let seen = Arc::new(Cuboid::interval(0.2, 4.0).unwrap());
        let theta = model.fitted_from(&truth).unwrap();
        let rng = &mut simulate::stream(3, 0);
        let data = simulate::truncated(model.as_ref(), &theta, seen.as_ref(), 2_000, rng).unwrap().points;
        let fit = Estimator::efficient().domain(seen).fit(&data, model.as_ref()).unwrap();
        for (parameter, truth) in fit.parameters.iter().zip(truth) {
            let (estimate, error) = (parameter.estimate.unwrap(), parameter.std_error.unwrap());
            assert!((estimate - truth).abs() < 4.0 * error, "{parameter:?}");
        }
    }
}

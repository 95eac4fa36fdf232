//! The mixture of Gaussians in the list of models.

use super::GaussianMixture;
use crate::error::ModelError;
use crate::model::Model;
use crate::model::family::{Choice, CovarianceShape, Family, KnownCovariance, ModelChoices};
use crate::points::Points;

/// A mixture of Gaussians whose covariances are known, full, shared or spherical.
#[derive(Debug)]
pub(in crate::model) struct MixtureFamily;

/// The largest number of components; more are taken to be a typing error.
const MOST_COMPONENTS: usize = 1000;

impl MixtureFamily {
    fn mixture(&self, dimension: usize, choices: &ModelChoices) -> Result<GaussianMixture, ModelError> {
        choices.check(self, dimension)?;
        let Some(components) = choices.components else {
            return Err(ModelError::MissingComponents { model: self.name() });
        };
        if !(1..=MOST_COMPONENTS).contains(&components) {
            return Err(ModelError::ComponentsOutOfRange { components, limit: MOST_COMPONENTS });
        }
        let mut model = GaussianMixture::new(dimension, components)?;
        if choices.estimate_weights {
            model = model.estimate_weights();
        }
        match &choices.known_covariance {
            Some(KnownCovariance::Variance(variance)) => return model.with_variance(*variance),
            Some(KnownCovariance::Variances(variances)) => return model.with_variances(variances),
            Some(KnownCovariance::Matrix(matrix)) => return model.with_covariance(matrix.clone()),
            None => {}
        }
        Ok(match choices.covariance {
            Some(CovarianceShape::Shared) => model.shared(),
            Some(CovarianceShape::Spherical) => model.spherical(),
            _ => model.full(),
        })
    }
}

impl Family for MixtureFamily {
    fn name(&self) -> &'static str {
        "gaussian-mixture"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["mixture"]
    }

    fn meaning(&self) -> &'static str {
        "several normal densities; needs the number of components"
    }

    fn choices(&self) -> &'static [Choice] {
        &[
            Choice::KnownCovariance,
            Choice::Covariance,
            Choice::Components,
            Choice::EstimateWeights,
            Choice::Start,
        ]
    }

    fn shapes(&self) -> &'static [CovarianceShape] {
        &[CovarianceShape::Full, CovarianceShape::Shared, CovarianceShape::Spherical]
    }

    fn build(&self, dimension: usize, choices: &ModelChoices) -> Result<Box<dyn Model>, ModelError> {
        Ok(Box::new(self.mixture(dimension, choices)?))
    }

    /// All reported parameters, or the means alone: then weights and covariances are those of the points
    /// nearest to each.
    fn start(&self, choices: &ModelChoices, given: &[f64], data: &Points) -> Result<Vec<f64>, ModelError> {
        let model = self.mixture(data.dimension(), choices)?;
        let (means, parameters) = (model.weight_start(), model.reported_names(data.names()).len());
        if let Some(value) = given.iter().find(|value| !value.is_finite()) {
            return Err(ModelError::BadStart { value: *value });
        }
        match given.len() {
            found if found == parameters => Ok(given.to_vec()),
            found if found == means => model.start_at(given, data).ok_or(ModelError::NoCovarianceAtStart),
            found => Err(ModelError::WrongStart { found, means, parameters }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(components: usize) -> ModelChoices {
        ModelChoices { components: Some(components), ..ModelChoices::default() }
    }

    fn data() -> Points<'static> {
        let rows: Vec<[f64; 1]> = [0.0, 0.2, 0.5, 0.9, 3.0, 3.3, 3.4, 3.9].map(|x| [x]).to_vec();
        Points::from_rows(&rows).unwrap()
    }

    #[test]
    fn the_number_of_components_is_needed_and_limited() {
        let build = |choices: &ModelChoices| MixtureFamily.build(1, choices).map(|_| ()).unwrap_err();
        assert_eq!(
            build(&ModelChoices::default()),
            ModelError::MissingComponents { model: "gaussian-mixture" }
        );
        for components in [0, 1001, usize::MAX] {
            assert_eq!(
                build(&chosen(components)),
                ModelError::ComponentsOutOfRange { components, limit: 1000 }
            );
        }
        assert!(MixtureFamily.build(1, &chosen(1000)).is_ok());
    }

    #[test]
    fn means_alone_make_a_start() {
        let choices = ModelChoices { estimate_weights: true, ..chosen(2) };
        let start = MixtureFamily.start(&choices, &[0.0, 3.0], &data()).unwrap();
        let model = GaussianMixture::new(1, 2).unwrap().estimate_weights().full();
        assert_eq!(Some(&start), model.start_at(&[0.0, 3.0], &data()).as_ref());
        assert_eq!(start.len(), 6);
        // If all parameters are given, they are not changed.
        assert_eq!(MixtureFamily.start(&choices, &start, &data()), Ok(start));
    }

    #[test]
    fn starts_of_another_size_are_refused() {
        let error = MixtureFamily.start(&chosen(2), &[1.0], &data()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "start has 1 values; give the 2 means, component by component, or all 4 parameters"
        );
        let known = ModelChoices { known_covariance: Some(KnownCovariance::Variance(1.0)), ..chosen(2) };
        let error = MixtureFamily.start(&known, &[1.0], &data()).unwrap_err();
        assert_eq!(error.to_string(), "start has 1 values; give the 2 means, component by component");
        let error = MixtureFamily.start(&known, &[1.0, f64::NAN], &data()).unwrap_err();
        assert!(matches!(error, ModelError::BadStart { .. }));
    }
}

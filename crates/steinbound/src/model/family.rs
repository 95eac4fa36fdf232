//! Models that are chosen by name, with their settings.
//!
//! Command line, Python and other front ends list and build their models from [`FAMILIES`]. To add a model to
//! all of them, implement [`Family`] in the model's own file and add one line there.

use std::fmt::Debug;

use super::gaussian::GaussianFamily;
use super::mixture::MixtureFamily;
use super::{
    Beta, Coordinates, Exponential, Gamma, LogNormal, Model, ModelError, NamedParameter, Pareto, StudentT,
    VonMises, Weibull,
};
use crate::matrix::Matrix;
use crate::points::Points;

/// All models that can be chosen by name; the first is the default.
pub const FAMILIES: &[&dyn Family] = &[
    &GaussianFamily,
    &MixtureFamily,
    &Coordinates(&Exponential),
    &Coordinates(&Gamma),
    &Coordinates(&Weibull),
    &Coordinates(&LogNormal),
    &Coordinates(&Pareto),
    &Coordinates(&Beta),
    &Coordinates(&VonMises),
    &Coordinates(&StudentT),
];

/// The model of this name or alias.
///
/// ```
/// use steinbound::model::family;
/// assert_eq!(family("mixture").map(|family| family.name()), Some("gaussian-mixture"));
/// assert!(family("cauchy").is_none());
/// ```
pub fn family(name: &str) -> Option<&'static dyn Family> {
    FAMILIES.iter().copied().find(|family| family.name() == name || family.aliases().contains(&name))
}

/// A model that can be chosen by name.
///
/// ```
/// use steinbound::model::{KnownCovariance, ModelChoices, family};
/// let known_covariance = Some(KnownCovariance::Variance(2.0));
/// let choices = ModelChoices { known_covariance, ..ModelChoices::default() };
/// let model = family("gaussian").unwrap().build(3, &choices)?;
/// assert_eq!(model.parameters(), 3);
/// // A Gaussian has no components.
/// let choices = ModelChoices { components: Some(2), ..choices };
/// assert!(family("gaussian").unwrap().build(3, &choices).is_err());
/// assert_eq!(family("gaussian-mixture").unwrap().build(3, &choices)?.parameters(), 6);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait Family: Debug + Send + Sync {
    /// The name by which the model is chosen.
    fn name(&self) -> &'static str;

    /// Other names for it.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// One line for help texts.
    fn meaning(&self) -> &'static str;

    /// The parameters that can be known, each by its name; empty for models whose parameters have choices of
    /// their own.
    fn parameters(&self) -> &'static [NamedParameter] {
        &[]
    }

    /// The settings of the model; [`build`](Family::build) rejects others.
    fn choices(&self) -> &'static [Choice] {
        &[]
    }

    /// The shapes that an unknown covariance can have; the first is the default.
    fn shapes(&self) -> &'static [CovarianceShape] {
        &[]
    }

    /// The model for points of this dimension.
    fn build(&self, dimension: usize, choices: &ModelChoices) -> Result<Box<dyn Model>, ModelError>;

    /// The reported parameters at which a search on these data starts, from the values given by the user: all
    /// reported parameters, or a part that determines the others, for example the means of a mixture.
    fn start(&self, _choices: &ModelChoices, given: &[f64], _data: &Points) -> Result<Vec<f64>, ModelError> {
        Ok(given.to_vec())
    }

    /// Returns an error for a setting that the model does not have.
    fn expect(&self, choice: Choice) -> Result<(), ModelError> {
        if self.choices().contains(&choice) {
            return Ok(());
        }
        let users = names_where(|family| family.choices().contains(&choice));
        Err(ModelError::UnusedChoice { choice: choice.name(), model: self.name(), users })
    }
}

/// A setting of a model in addition to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// A covariance that is known.
    KnownCovariance,
    /// The shape of an unknown covariance.
    Covariance,
    /// The number of components.
    Components,
    /// Whether weights of components are estimated.
    EstimateWeights,
    /// The starting point of a search.
    Start,
    /// Parameters that are known.
    Known,
}

impl Choice {
    /// The name, with a dash between words.
    ///
    /// ```
    /// assert_eq!(steinbound::model::Choice::KnownCovariance.name(), "known-covariance");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Choice::KnownCovariance => "known-covariance",
            Choice::Covariance => "covariance",
            Choice::Components => "components",
            Choice::EstimateWeights => "estimate-weights",
            Choice::Start => "start",
            Choice::Known => "known",
        }
    }
}

/// The settings of a model in addition to its name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelChoices {
    /// The covariance, if it is known. Its shape is then not used.
    pub known_covariance: Option<KnownCovariance>,
    /// The shape of an unknown covariance.
    pub covariance: Option<CovarianceShape>,
    /// The number of components.
    pub components: Option<usize>,
    /// Whether weights of components are estimated; they are equal otherwise.
    pub estimate_weights: bool,
    /// The values of parameters that are known, by name, the same in every coordinate.
    pub known: Vec<(String, f64)>,
}

impl ModelChoices {
    /// Returns an error for settings that the model does not have, and for a known covariance whose size
    /// differs from that of the data.
    ///
    /// Every [`Family::build`] begins with this.
    ///
    /// ```
    /// use steinbound::model::{CovarianceShape, ModelChoices, family};
    /// let choices = ModelChoices { covariance: Some(CovarianceShape::Shared), ..ModelChoices::default() };
    /// let error = choices.check(family("gaussian").unwrap(), 2).unwrap_err();
    /// assert!(error.to_string().contains("full or diagonal"));
    /// ```
    pub fn check(&self, family: &dyn Family, dimension: usize) -> Result<(), ModelError> {
        let given = [
            (Choice::Components, self.components.is_some()),
            (Choice::EstimateWeights, self.estimate_weights),
            (Choice::KnownCovariance, self.known_covariance.is_some()),
            (Choice::Covariance, self.covariance.is_some()),
            (Choice::Known, !self.known.is_empty()),
        ];
        given.into_iter().filter(|(_, given)| *given).try_for_each(|(choice, _)| family.expect(choice))?;
        match (&self.known_covariance, self.covariance) {
            (Some(known), _) => known.check(dimension),
            (None, Some(shape)) if !family.shapes().contains(&shape) => Err(ModelError::UnknownShape {
                shape: shape.name(),
                model: family.name(),
                known: either(family.shapes().iter().map(|shape| shape.name())),
                users: names_where(|family| family.shapes().contains(&shape)),
            }),
            _ => Ok(()),
        }
    }
}

/// A covariance that is known.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum KnownCovariance {
    /// The same variance in all coordinates, which are independent.
    Variance(f64),
    /// A variance for each coordinate, all independent.
    Variances(Vec<f64>),
    /// The whole matrix.
    Matrix(Matrix),
}

impl KnownCovariance {
    fn check(&self, dimension: usize) -> Result<(), ModelError> {
        let found = match self {
            KnownCovariance::Variances(list) if list.len() != dimension => {
                format!("a list of {} variances", list.len())
            }
            KnownCovariance::Matrix(matrix)
                if (matrix.rows(), matrix.columns()) != (dimension, dimension) =>
            {
                format!("a {} by {} matrix", matrix.rows(), matrix.columns())
            }
            _ => return Ok(()),
        };
        Err(ModelError::WrongCovarianceSize { found, dimension })
    }
}

/// The shape of an unknown covariance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CovarianceShape {
    /// All variances and covariances.
    Full,
    /// Only variances.
    Diagonal,
    /// One full matrix for all components.
    Shared,
    /// One variance for each component.
    Spherical,
}

impl CovarianceShape {
    /// All shapes.
    pub const ALL: [CovarianceShape; 4] = [
        CovarianceShape::Full,
        CovarianceShape::Diagonal,
        CovarianceShape::Shared,
        CovarianceShape::Spherical,
    ];

    /// The name by which the shape is chosen.
    ///
    /// ```
    /// use steinbound::model::CovarianceShape;
    /// let names = CovarianceShape::ALL.map(|shape| shape.name());
    /// assert_eq!(names, ["full", "diagonal", "shared", "spherical"]);
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            CovarianceShape::Full => "full",
            CovarianceShape::Diagonal => "diagonal",
            CovarianceShape::Shared => "shared",
            CovarianceShape::Spherical => "spherical",
        }
    }

    /// One line for help texts.
    pub fn meaning(self) -> &'static str {
        match self {
            CovarianceShape::Full => "all variances and covariances",
            CovarianceShape::Diagonal => "variances alone (gaussian)",
            CovarianceShape::Shared => "one full matrix for all components (mixtures)",
            CovarianceShape::Spherical => "one variance for each component (mixtures)",
        }
    }
}

/// The names of the models that satisfy a condition.
fn names_where(holds: impl Fn(&dyn Family) -> bool) -> String {
    either(FAMILIES.iter().filter(|family| holds(**family)).map(|family| family.name()))
}

/// "full, shared or spherical".
fn either<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.as_slice() {
        [some @ .., before, last] => {
            some.iter().map(|name| format!("{name}, ")).collect::<String>() + before + " or " + last
        }
        few => few.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_choices() -> [(Choice, ModelChoices); 4] {
        let none = ModelChoices::default;
        let known = KnownCovariance::Variance(0.5);
        [
            (Choice::KnownCovariance, ModelChoices { known_covariance: Some(known), ..none() }),
            (Choice::Covariance, ModelChoices { covariance: Some(CovarianceShape::Full), ..none() }),
            (Choice::Components, ModelChoices { components: Some(2), ..none() }),
            (Choice::EstimateWeights, ModelChoices { estimate_weights: true, ..none() }),
        ]
    }

    fn with_components(family: &dyn Family, choices: &ModelChoices) -> ModelChoices {
        let needed = family.choices().contains(&Choice::Components).then_some(2);
        ModelChoices { components: choices.components.or(needed), ..choices.clone() }
    }

    #[test]
    fn names_are_found_and_differ() {
        let mut names = Vec::new();
        for listed in FAMILIES {
            for name in listed.aliases().iter().copied().chain([listed.name()]) {
                assert_eq!(family(name).map(Family::name), Some(listed.name()));
                assert!(!names.contains(&name), "{name} is listed twice");
                names.push(name);
            }
            assert!(!listed.meaning().is_empty());
            let model = listed.build(1, &with_components(*listed, &ModelChoices::default())).unwrap();
            assert_eq!((model.name(), model.dimension()), (listed.name(), 1));
        }
    }

    #[test]
    fn a_choice_is_taken_or_refused_as_listed() {
        for family in FAMILIES {
            for (choice, choices) in all_choices() {
                let built = family.build(1, &with_components(*family, &choices));
                if family.choices().contains(&choice) {
                    assert!(built.is_ok(), "{} refuses {choice:?}", family.name());
                    continue;
                }
                let error = built.map(|_| ()).unwrap_err();
                assert!(matches!(error, ModelError::UnusedChoice { .. }), "{error}");
                assert!(error.to_string().starts_with(choice.name()), "{error}");
            }
            for shape in CovarianceShape::ALL {
                let choices = ModelChoices { covariance: Some(shape), ..ModelChoices::default() };
                let built = family.build(1, &with_components(*family, &choices));
                assert_eq!(built.is_ok(), family.shapes().contains(&shape), "{} {shape:?}", family.name());
            }
        }
    }

    #[test]
    fn covariances_of_another_size_are_refused() {
        for family in FAMILIES.iter().filter(|family| family.choices().contains(&Choice::KnownCovariance)) {
            for (known, found) in [
                (KnownCovariance::Variances(vec![1.0; 3]), "a list of 3 variances"),
                (KnownCovariance::Matrix(Matrix::zeros(2, 3)), "a 2 by 3 matrix"),
                (KnownCovariance::Matrix(Matrix::identity(1)), "a 1 by 1 matrix"),
            ] {
                let choices = ModelChoices { known_covariance: Some(known), ..ModelChoices::default() };
                let error = family.build(2, &with_components(*family, &choices)).map(|_| ()).unwrap_err();
                assert_eq!(error, ModelError::WrongCovarianceSize { found: found.into(), dimension: 2 });
            }
            for known in [
                KnownCovariance::Variance(-1.0),
                KnownCovariance::Variances(vec![1.0, f64::NAN]),
                KnownCovariance::Matrix(Matrix::zeros(2, 2)),
            ] {
                let choices = ModelChoices { known_covariance: Some(known), ..ModelChoices::default() };
                assert!(family.build(2, &with_components(*family, &choices)).is_err());
            }
        }
    }

    #[test]
    fn refusals_name_the_models_that_would_do() {
        let choices = ModelChoices { components: Some(2), ..ModelChoices::default() };
        let error = family("gaussian").unwrap().build(2, &choices).map(|_| ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "components has no meaning for the model gaussian; leave it out, or choose the model gaussian-mixture"
        );
        let choices = ModelChoices { covariance: Some(CovarianceShape::Diagonal), ..choices };
        let error = family("mixture").unwrap().build(2, &choices).map(|_| ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "covariance diagonal is for the model gaussian; the covariance of the model gaussian-mixture is full, \
             shared or spherical"
        );
    }
}

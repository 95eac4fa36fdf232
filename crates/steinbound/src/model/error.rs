//! What can be wrong with a model.

use thiserror::Error;

use crate::error::shown;

/// What can be wrong with a model or its parameters.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The covariance is not symmetric positive definite.
    #[error("the covariance matrix is not symmetric and positive definite; check its entries")]
    BadCovariance,
    /// A variance is not positive.
    #[error("the variance of coordinate {coordinate} is {}; variances are positive numbers", shown(*.value))]
    BadVariance {
        /// The coordinate, counted from 1.
        coordinate: usize,
        /// The value.
        value: f64,
    },
    /// A mixture, or principal components, of nothing.
    #[error(
        "the model needs at least one component and one coordinate, and no more than memory holds; give moderate positive numbers"
    )]
    NoComponents,
    /// Mixture weights that are not weights.
    #[error(
        "the smallest mixture weight is {} and they sum to {}; weights are positive and sum to 1",
        shown(*.smallest), shown(*.sum)
    )]
    BadWeights {
        /// The smallest weight.
        smallest: f64,
        /// The sum of all weights.
        sum: f64,
    },
    /// A component's covariance is not positive definite.
    #[error("the covariance of component {component} is not positive definite; check its entries")]
    BadComponent {
        /// The component, counted from 1.
        component: usize,
    },
    /// No draws of a latent variable, or too many to hold.
    #[error("{draws} draws of the latent variable were asked for; ask for 1 to {limit}")]
    BadDraws {
        /// How many were asked for.
        draws: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// A choice of coordinates that does not belong to the model.
    #[error("the model has {dimension} coordinates; name at least one of them, and each at most once")]
    BadCoordinates {
        /// The number of coordinates.
        dimension: usize,
    },
    /// Model and data differ in dimension.
    #[error(
        "the model has {model} coordinates and the data have {data}; choose columns or covariance to match"
    )]
    WrongDimension {
        /// Coordinates of the model.
        model: usize,
        /// Coordinates of the data.
        data: usize,
    },
    /// The wrong number of parameters was given.
    #[error("{found} parameter values were given where the model has {expected}: {names}")]
    WrongParameterCount {
        /// How many were given.
        found: usize,
        /// How many are needed.
        expected: usize,
        /// Their names in order.
        names: String,
    },
    /// A parameter value is not a finite number.
    #[error("the value of {name} is {}; parameters are finite numbers", shown(*.value))]
    BadParameter {
        /// The parameter.
        name: String,
        /// The value.
        value: f64,
    },
    /// A parameter is called like something else.
    #[error("{name} is the name of a coordinate or of another parameter; call the parameter something else")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// A parameter that the density does not depend on.
    #[error("the parameter {name} does not occur in the formula; leave it out")]
    UnusedParameter {
        /// The parameter.
        name: String,
    },
    /// A standard deviation is not positive.
    #[error("sigma is {}; a standard deviation is a positive number", shown(*.value))]
    BadSigma {
        /// The value.
        value: f64,
    },
    /// A search needs a place to begin.
    #[error(
        "the {model} model is fitted by a search, which needs starting values; give one for each parameter"
    )]
    NoStart {
        /// The model.
        model: String,
    },
    /// A choice that this model does not have.
    #[error("{choice} has no meaning for the model {model}; leave it out, or choose the model {users}")]
    UnusedChoice {
        /// The choice, such as `components`.
        choice: &'static str,
        /// The model.
        model: &'static str,
        /// The models that have this choice.
        users: String,
    },
    /// A shape of covariance that this model does not have.
    #[error("covariance {shape} is for the model {users}; the covariance of the model {model} is {known}")]
    UnknownShape {
        /// The shape.
        shape: &'static str,
        /// The model.
        model: &'static str,
        /// The shapes that this model has.
        known: String,
        /// The models that have this shape.
        users: String,
    },
    /// A mixture of an unknown number of components.
    #[error("the model {model} needs components; give their number, such as 2")]
    MissingComponents {
        /// The model.
        model: &'static str,
    },
    /// More or fewer components than a model chosen by name can have.
    #[error("components is {components}; give a number from 1 to {limit}")]
    ComponentsOutOfRange {
        /// The number of components.
        components: usize,
        /// The largest number.
        limit: usize,
    },
    /// A known covariance of another size than the data.
    #[error(
        "the known covariance is {found} and the data have {dimension} columns; give one number, {dimension} variances, \
         or a {dimension} by {dimension} matrix"
    )]
    WrongCovarianceSize {
        /// What was given.
        found: String,
        /// The number of coordinates.
        dimension: usize,
    },
    /// A start that is neither the means nor all parameters.
    #[error(
        "start has {found} values; give the {means} means, component by component{}",
        if means == parameters { String::new() } else { format!(", or all {parameters} parameters") }
    )]
    WrongStart {
        /// How many values were given.
        found: usize,
        /// The number of values in all means.
        means: usize,
        /// The number of reported parameters.
        parameters: usize,
    },
    /// A value at which a search should start is not a finite number.
    #[error("start holds {}; give finite numbers", shown(*.value))]
    BadStart {
        /// The value.
        value: f64,
    },
    /// The data around the means at which a search should start determine no covariances.
    #[error("no covariances can be found around the means in start; give all parameters")]
    NoCovarianceAtStart,
    /// The model cannot do what the method needs.
    #[error("the {model} model cannot be {action}; {remedy}")]
    Unsupported {
        /// The model.
        model: String,
        /// What it cannot do.
        action: &'static str,
        /// What to do instead.
        remedy: &'static str,
    },
}

/// The remedy of a refusal for which a method puts the names of others.
pub(crate) const ANOTHER_METHOD: &str = "use another method";

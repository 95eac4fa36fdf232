//! Errors about models.

use thiserror::Error;

use crate::error::shown;

/// Errors about a model or its parameters.
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
    /// A mixture or principal components without components or coordinates.
    #[error(
        "the model needs at least one component and one coordinate, and no more than memory holds; give moderate positive numbers"
    )]
    NoComponents,
    /// Mixture weights that are not positive or do not sum to 1.
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
    /// Matrices with a row and a column for each parameter would not fit into memory.
    #[error(
        "the model has {parameters} parameters, and {limit} are the most that can be fitted; choose fewer columns, or \
         fix parameters (for a Gaussian: give the covariance)"
    )]
    TooManyParameters {
        /// The number of parameters.
        parameters: usize,
        /// The largest number.
        limit: usize,
    },
    /// Angles over more than one turn.
    #[error(
        "the {what} of {name} covers {} radians, more than one turn of the circle on which the {model} model lives; give \
         angles in radians within one turn",
        shown(*.length)
    )]
    MoreThanOneTurn {
        /// The model.
        model: String,
        /// What is too long.
        what: &'static str,
        /// The column.
        name: String,
        /// Its length.
        length: f64,
    },
    /// No draws of a latent variable, or too many to hold in memory.
    #[error("{draws} draws of the latent variable were requested; request 1 to {limit}")]
    BadDraws {
        /// The requested number.
        draws: usize,
        /// The largest number.
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
    #[error("{found} parameter values were given, but the model has {expected}: {names}")]
    WrongParameterCount {
        /// The number given.
        found: usize,
        /// The number needed.
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
    /// A parameter whose value its density does not allow.
    #[error("the value of {name} is {}; it must be a positive number", shown(*.value))]
    OutsideRange {
        /// The parameter.
        name: String,
        /// The value.
        value: f64,
    },
    /// A known parameter that the model does not have.
    #[error("the model {model} has no parameter {name}; its parameters are {names}")]
    UnknownParameter {
        /// The model.
        model: &'static str,
        /// The given name.
        name: String,
        /// The parameters that the model has.
        names: String,
    },
    /// A model of which every parameter is known.
    #[error("every parameter of the model {model} is known; leave one out to estimate it")]
    NothingUnknown {
        /// The model.
        model: &'static str,
    },
    /// A parameter with a name that is already used.
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
    /// A search without starting values.
    #[error(
        "the {model} model is fitted by a search, which needs starting values; give one for each parameter"
    )]
    NoStart {
        /// The model.
        model: String,
    },
    /// A setting that this model does not have.
    #[error("{choice} has no meaning for the model {model}; leave it out, or choose the model {users}")]
    UnusedChoice {
        /// The setting, for example `components`.
        choice: &'static str,
        /// The model.
        model: &'static str,
        /// The models that have this setting.
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
    #[error("the model {model} needs components; give their number, for example 2")]
    MissingComponents {
        /// The model.
        model: &'static str,
    },
    /// Too many or too few components for a model chosen by name.
    #[error("components is {components}; give a number from 1 to {limit}")]
    ComponentsOutOfRange {
        /// The number of components.
        components: usize,
        /// The largest number.
        limit: usize,
    },
    /// A known covariance whose size differs from that of the data.
    #[error(
        "the known covariance is {found} and the data have {dimension} columns; give one number, {dimension} variances, \
         or a {dimension} by {dimension} matrix"
    )]
    WrongCovarianceSize {
        /// A description of the given covariance.
        found: String,
        /// The number of coordinates.
        dimension: usize,
    },
    /// A start that gives neither the means nor all parameters.
    #[error(
        "start has {found} values; give the {means} means, component by component{}",
        if means == parameters { String::new() } else { format!(", or all {parameters} parameters") }
    )]
    WrongStart {
        /// The number of values given.
        found: usize,
        /// The number of values in all means.
        means: usize,
        /// The number of reported parameters.
        parameters: usize,
    },
    /// A starting value that is not a finite number.
    #[error("start holds {}; give finite numbers", shown(*.value))]
    BadStart {
        /// The value.
        value: f64,
    },
    /// The data around the starting means determine no covariances.
    #[error("no covariances can be found around the means in start; give all parameters")]
    NoCovarianceAtStart,
    /// The model does not support the method.
    #[error("the {model} model cannot be {action}; {remedy}")]
    Unsupported {
        /// The model.
        model: String,
        /// The unsupported action.
        action: &'static str,
        /// The remedy.
        remedy: &'static str,
    },
}

/// The placeholder remedy, which a method replaces by the names of other methods.
pub(crate) const ANOTHER_METHOD: &str = "use another method";

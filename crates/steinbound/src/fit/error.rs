//! Errors of combining data, boundary and model.

use thiserror::Error;

use crate::error::shown;

/// Errors of combining data, boundary and model.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FitError {
    /// Fewer rows than any discrepancy needs.
    #[error(
        "there is only {rows} row with positive weight; estimation needs at least 2, and many more to be useful"
    )]
    TooFewRows {
        /// The number of rows.
        rows: usize,
    },
    /// All observations depend on each other.
    #[error(
        "all observations are in one cluster; standard errors need at least two, and many more to be useful"
    )]
    OneCluster,
    /// No parameter is free.
    #[error("the model has no free parameter; there is nothing to estimate")]
    NothingToFit,
    /// More parameters than observations.
    #[error(
        "the model has {parameters} parameters but there are only {rows} rows; collect more rows than \
         parameters, or fix parameters (for a Gaussian: give the covariance)"
    )]
    MoreParametersThanData {
        /// The number of parameters.
        parameters: usize,
        /// The number of rows.
        rows: usize,
    },
    /// More parameters than moment equations.
    #[error(
        "the model has {parameters} parameters but there are only {features} test functions; use a smaller \
         bandwidth or a smaller tolerance, or fewer parameters"
    )]
    MoreParametersThanFeatures {
        /// The number of parameters.
        parameters: usize,
        /// The number of test functions, landmarks times coordinates.
        features: usize,
    },
    /// More boundary points than are of use.
    #[error("{points} boundary points were asked for; ask for at most {limit}")]
    TooManyBoundaryPoints {
        /// How many were asked for.
        points: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// A column that never varies.
    #[error(
        "column {name} is constant (every value is {}), so distances along it are zero and no density can be \
         fitted to it; leave the column out", shown(*.value))]
    ConstantColumn {
        /// The column's name.
        name: String,
        /// Its constant value.
        value: f64,
    },
    /// Columns whose scales differ by more than distances in double precision can carry.
    #[error(
        "{most} varies {ratio:.1e} times as much as {least}, so that in double precision no distance between rows depends on \
         {least}; give the columns in units in which they vary alike, with boundary, domain and covariance in the same units, or \
         use mle or truncated-mle"
    )]
    InvisibleColumn {
        /// The column that varies most.
        most: String,
        /// The column that varies least.
        least: String,
        /// The ratio of their standard deviations.
        ratio: f64,
    },
    /// The boundary points have another number of coordinates than the data.
    #[error(
        "the boundary has {boundary} coordinates and the data have {data}; choose the same columns in both"
    )]
    BoundaryDimension {
        /// Coordinates of the boundary.
        boundary: usize,
        /// Coordinates of the data.
        data: usize,
    },
    /// Normals for another number of boundary points, or without boundary points.
    #[error(
        "there are {normals} normals for {boundary} given boundary points; give one normal for each boundary \
         point"
    )]
    NormalCount {
        /// The number of normals.
        normals: usize,
        /// The number of boundary points given.
        boundary: usize,
    },
    /// Normals with another number of coordinates than the data.
    #[error(
        "the normals of the boundary have {normals} coordinates and the data have {data}; give one component \
         for each column"
    )]
    NormalDimension {
        /// Coordinates of the normals.
        normals: usize,
        /// Coordinates of the data.
        data: usize,
    },
    /// A normal without a direction.
    #[error(
        "the normal of boundary point {row} has length zero, so that it has no direction; leave that point \
         out, or give no normals"
    )]
    ZeroNormal {
        /// The boundary point, counted from 1.
        row: usize,
    },
    /// The domain has another number of coordinates than the data.
    #[error(
        "the {domain} has {dimension} coordinates and the data have {data}; choose columns or domain to match"
    )]
    DomainDimension {
        /// The domain.
        domain: String,
        /// Coordinates of the domain.
        dimension: usize,
        /// Coordinates of the data.
        data: usize,
    },
    /// Data outside the stated domain.
    #[error(
        "{outside} of {rows} data points lie outside the {domain}, the first in row {first}: {point}; \
         check the domain, remove them, or allow points outside"
    )]
    OutsideDomain {
        /// The domain.
        domain: String,
        /// The number of points outside.
        outside: usize,
        /// The number of points.
        rows: usize,
        /// The first of them, counted from 1.
        first: usize,
        /// Its coordinates.
        point: String,
    },
    /// The method needs a boundary.
    #[error(
        "{method} needs to know the boundary; give boundary points or a domain (or use ksd or mle, which \
         ignore it)"
    )]
    NoBoundary {
        /// The method.
        method: &'static str,
    },
    /// A distance that needs a domain.
    #[error("the {distance} needs a domain; give one, or use the distance to the nearest boundary point")]
    NoDomain {
        /// The distance in words.
        distance: &'static str,
    },
    /// The distance to the nearest boundary point needs boundary points.
    #[error(
        "the distance to the nearest boundary point needs boundary points; give them, or a domain to sample \
         them from"
    )]
    NoBoundaryPoints,
    /// The method has no discrepancy.
    #[error("{method} has no discrepancy; use {instead}")]
    NoDiscrepancy {
        /// The method.
        method: &'static str,
        /// The methods that have one.
        instead: String,
    },
    /// The method has no kernel whose settings could be varied.
    #[error("{method} has no kernel, so that there is no bandwidth to choose or to vary; use {instead}")]
    NoKernel {
        /// The method.
        method: &'static str,
        /// The methods that have one.
        instead: String,
    },
    /// The base fit of a comparison is not trustworthy.
    #[error(
        "the fit is not to be trusted, so that others cannot be compared with it; look at its warnings first"
    )]
    NoBase,
    /// The discrepancy is zero.
    #[error(
        "the discrepancy is zero at these parameters, so that it has no witness; choose other parameters"
    )]
    NoWitness,
    /// The normal equations are singular.
    #[error(
        "the data do not determine the parameters: the normal equations are singular (condition \
         {condition:.1e}); look for columns that depend on each other or too few distinct points, or fix \
         parameters"
    )]
    NotIdentified {
        /// The ratio of the largest to the smallest pivot.
        condition: f64,
    },
    /// A covariate is a combination of those before it.
    #[error(
        "the data do not determine the coefficient of {name}: this column is a combination of the intercept and the columns before \
         it; leave it out"
    )]
    DependentCovariate {
        /// The covariate.
        name: String,
    },
    /// The EM algorithm found no maximum.
    #[error(
        "the naive likelihood has no maximum that could be found: a component shrinks to a point, or the \
         steps do not converge; use fewer components, a shared or known covariance, or another method"
    )]
    NoLikelihoodMaximum,
    /// A covariance by the information without a likelihood.
    #[error(
        "standard errors by the information need a likelihood, which {method} has not for this model; ask for robust \
         ones, or use mle or truncated-mle"
    )]
    NoInformation {
        /// The method.
        method: &'static str,
    },
    /// A covariance by clusters without clusters.
    #[error(
        "standard errors by clusters need clusters, and none are given; give the column that says which rows belong \
         together, or ask for robust standard errors"
    )]
    NoClusters,
    /// Confidence outside (0, 1).
    #[error("the confidence level is {}; give a number between 0 and 1, such as 0.95", shown(*.value))]
    BadConfidence {
        /// The value.
        value: f64,
    },
    /// A search that may not do a step.
    #[error("a search is allowed 0 steps; allow at least 1")]
    NoSteps,
    /// A length of steps that is no share.
    #[error(
        "the tolerance of a search is {}; give the relative length of its last step, between 0 and 1, such as 1e-6",
        shown(*.value)
    )]
    BadSearchTolerance {
        /// The value.
        value: f64,
    },
    /// A density or its score is not a number at an observation.
    #[error(
        "the {model} density is not a finite number at row {row}, {point}, for the starting values; start \
         elsewhere, or leave out observations at which it does not exist"
    )]
    NotFiniteAt {
        /// The model.
        model: String,
        /// The row, counted from 1.
        row: usize,
        /// Its coordinates.
        point: String,
    },
    /// The domain has no formula for the distance to its boundary.
    #[error(
        "the {domain} has no formula for the distance to its boundary; use the distance to the nearest \
         boundary point"
    )]
    NoDistance {
        /// The domain.
        domain: String,
    },
    /// Only score matching has a weight for each coordinate.
    #[error("{method} has one weight for all coordinates; use the exact or nearest distance, or truncsm")]
    NoAxes {
        /// The method.
        method: &'static str,
    },
    /// The normaliser of a truncated density needs the domain.
    #[error("{method} integrates over the domain; give one (boundary points alone do not define the inside)")]
    NeedsDomain {
        /// The method, or what else is integrated.
        method: &'static str,
    },
    /// An integral over the domain found no nodes.
    #[error(
        "no place inside the {domain} was found to integrate over; check that domain and data are in the \
         same units"
    )]
    EmptyDomain {
        /// The domain.
        domain: String,
    },
    /// An integral over the domain would need too many nodes.
    #[error(
        "the {domain} is too large or too thin, compared with the data, to integrate over; use efficient or \
         tksd, which need no integral"
    )]
    TooManyNodes {
        /// The domain.
        domain: String,
    },
    /// Weights of components that are too far apart for a score.
    #[error(
        "components {} and {} are {distance:.1} standard deviations apart, and their weights cannot be \
         estimated: the score hardly changes with the weights of components that do not overlap, only counts \
         inside a known region do; give the region, not its boundary points alone, or use equal weights",
        components.0, components.1
    )]
    WeightsUnseen {
        /// The components, counted from one.
        components: (usize, usize),
        /// Their distance in standard deviations.
        distance: f64,
    },
    /// The model lacks a property that the method needs.
    #[error("the {model} model cannot be {action}; use {instead}")]
    Unsuited {
        /// The model.
        model: String,
        /// The operation that it does not support.
        action: &'static str,
        /// The methods that need less.
        instead: String,
    },
    /// A fit of another problem.
    #[error(
        "the fit has {fit} observations and parameters, and the problem {problem}; diagnose a fit with the \
         problem that it came from"
    )]
    ForeignFit {
        /// Observations and parameters of the fit.
        fit: String,
        /// Those of the problem.
        problem: String,
    },
    /// Data at which the density of the model is zero or infinite.
    #[error(
        "{outside} of {rows} values of {name} are not in the support of the {model} model, which is {support}; the first is \
         {} in row {row}; remove them or choose another model",
        shown(*.value)
    )]
    OutsideSupport {
        /// The model.
        model: String,
        /// The column.
        name: String,
        /// The support in words.
        support: String,
        /// How many values are outside.
        outside: usize,
        /// The number of rows.
        rows: usize,
        /// The first row, counted from 1.
        row: usize,
        /// The value there.
        value: f64,
    },
    /// A likelihood without a maximum.
    #[error(
        "the likelihood of {name} has no maximum that a search finds; check the values, or hold a parameter at a known value"
    )]
    NoMaximum {
        /// The column.
        name: String,
    },
    /// The score or the objective is not a number.
    #[error("the {what} is not a finite number; rescale the data to moderate units or check the parameters")]
    NotFinite {
        /// The quantity that was computed.
        what: &'static str,
    },
}

//! Errors: small enums, one for each stage, each message with its remedy.

use thiserror::Error;

use crate::expression::ExpressionError;
use crate::inference::{HypothesisError, ResamplingError};
use crate::interrupt::Interrupted;

/// A number as messages show it: in full where that is short, with an exponent where it is not.
pub(crate) fn shown(value: f64) -> String {
    let is_plain = value == 0.0 || !value.is_finite() || (1e-6..1e15).contains(&value.abs());
    if is_plain { format!("{value}") } else { format!("{value:e}") }
}

/// Anything that can go wrong in this crate.
///
/// Every message names what was wrong, where, and what to do next.
///
/// ```
/// use steinbound::{Error, Points};
/// let error: Error = Points::new(vec![1.0, f64::NAN], 2).unwrap_err().into();
/// assert!(error.to_string().contains("row 1"));
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The data or the boundary points are unusable.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// A kernel, its bandwidth or the ridge is unusable.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A domain is ill-defined or cannot do what was asked of it.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// A model is ill-defined or was given parameters it cannot take.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The parts do not fit together, or the fit has no answer.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A formula cannot be read.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// A bootstrap or a test cannot be run as asked.
    #[error(transparent)]
    Resampling(#[from] ResamplingError),
    /// A hypothesis on the estimates cannot be tested, or a function of them not be computed.
    #[error(transparent)]
    Hypothesis(#[from] HypothesisError),
    /// The work was ended before it was done.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl Error {
    /// Whether someone asked for the end: an [`Interrupt`](crate::fit::Interrupt) was raised, or whoever watched the progress said so.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Error::Interrupted(_))
    }
}

/// What can be wrong with a set of points.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PointsError {
    /// No rows at all.
    #[error("there are no points; give at least one row")]
    Empty,
    /// No coordinates.
    #[error("points need at least one coordinate")]
    NoCoordinates,
    /// The number of values is not a multiple of the dimension.
    #[error("{values} values do not fill rows of {dimension} coordinates; check the number of columns")]
    Ragged {
        /// How many values were given.
        values: usize,
        /// The number of coordinates of a point.
        dimension: usize,
    },
    /// A row has another length than the first.
    #[error("row {row} has {found} values where row 1 has {expected}; give every row the same")]
    RaggedRow {
        /// The row, counted from 1.
        row: usize,
        /// Its length.
        found: usize,
        /// The length of the first row.
        expected: usize,
    },
    /// NaN or infinite.
    #[error("row {row}, column {column} is {}, not a finite number; remove or repair that row", shown(*.value))]
    NotFinite {
        /// The row, counted from 1.
        row: usize,
        /// The column, counted from 1.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// As many names, weights or clusters are needed as there are columns or rows.
    #[error("{found} {what} were given for {expected}; give one for each")]
    WrongCount {
        /// What was counted.
        what: &'static str,
        /// How many were given.
        found: usize,
        /// How many are needed.
        expected: usize,
    },
    /// An observation weight is negative or not finite.
    #[error("the weight of row {row} is {}; weights are finite and not negative", shown(*.value))]
    BadWeight {
        /// The row, counted from 1.
        row: usize,
        /// The weight.
        value: f64,
    },
    /// A scale is not positive.
    #[error("the scale of column {column} is {}; scales are positive numbers", shown(*.value))]
    BadScale {
        /// The column, counted from 1.
        column: usize,
        /// The scale.
        value: f64,
    },
    /// All observation weights are zero.
    #[error("all weights are zero; at least one observation must count")]
    NoWeight,
}

/// What can be wrong with a kernel, its bandwidth or the ridge.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum KernelError {
    /// No such kernel.
    #[error("unknown kernel \"{name}\"; the kernels are {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A bandwidth must be positive and finite.
    #[error("the bandwidth is {}; it must be a positive number, in the data's units", shown(*.value))]
    BadBandwidth {
        /// The value.
        value: f64,
    },
    /// More than half of all pairs of data points coincide.
    #[error(
        "the median distance between data points is zero, because at least half of the pairs coincide; \
         give a bandwidth yourself, or remove repeated rows and constant columns"
    )]
    ZeroMedian,
    /// Distances overflow.
    #[error(
        "distances between points are not finite numbers; rescale the data to moderate units, or use a larger bandwidth"
    )]
    Overflow,
    /// The ridge must not be negative.
    #[error("the ridge is {}; it must be zero or a positive number (default 0.001)", shown(*.value))]
    BadRidge {
        /// The value.
        value: f64,
    },
    /// The kernel matrix of the boundary points would need too much memory.
    #[error("the kernel matrix of {points} boundary points is too large; use at most {limit} of them")]
    TooManyBoundaryPoints {
        /// The number of boundary points.
        points: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// The kernel matrix of the boundary points could not be factorised.
    #[error(
        "the kernel matrix of the {points} boundary points is singular with ridge {ridge}: points repeat or lie \
         very close together for this bandwidth; raise the ridge (default 0.001) or thin the boundary"
    )]
    SingularBoundary {
        /// The number of boundary points.
        points: usize,
        /// The ridge used.
        ridge: f64,
    },
    /// Widths or differentiated coordinates do not match the points.
    #[error(
        "the points have {dimension} coordinates; give one width for each, and differentiate in each at most once"
    )]
    BadCoordinates {
        /// The number of coordinates.
        dimension: usize,
    },
    /// Columns or terms do not belong to a form.
    #[error(
        "a form of {points} points and {coordinates} differentiated coordinates cannot be applied to {what}"
    )]
    WrongShape {
        /// The points of the form.
        points: usize,
        /// Its differentiated coordinates.
        coordinates: usize,
        /// What it was applied to.
        what: String,
    },
    /// An engine of one's own could not do its work.
    #[error("the engine \"{engine}\" failed: {what}; use the native engine, or mend this one")]
    EngineFailed {
        /// The engine.
        engine: String,
        /// What went wrong.
        what: String,
    },
    /// A low-rank tolerance is a share of the kernel.
    #[error("the tolerance is {}; it must be at least zero and less than one, as a share of the kernel", shown(*.value))]
    BadTolerance {
        /// The value.
        value: f64,
    },
    /// The conditioned kernel vanishes at all data points.
    #[error(
        "no landmark can be chosen, because the kernel vanishes at all data points: they lie on the boundary for this bandwidth; \
         use a smaller bandwidth or a smaller tolerance"
    )]
    NoLandmarks,
    /// Storing all pairs would need too much memory.
    #[error(
        "the dense form of {points} points needs {bytes} bytes of memory, and {available} are available; use the tiled form, whose memory \
         grows with the number of points only, or for many points the low-rank form, whose time does so too"
    )]
    TooLarge {
        /// The number of data points.
        points: usize,
        /// The bytes needed.
        bytes: u128,
        /// The bytes there are.
        available: u128,
    },
}

/// What can be wrong with a domain.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DomainError {
    /// A number that defines the domain is out of range.
    #[error("{what} is {}; {remedy}", shown(*.value))]
    BadNumber {
        /// Which number.
        what: String,
        /// Its value.
        value: f64,
        /// What it should be.
        remedy: &'static str,
    },
    /// Two parts of the definition differ in dimension.
    #[error("{what} has {found} coordinates where {expected} are expected; give one for each coordinate")]
    WrongDimension {
        /// Which part.
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// The domain is the whole space.
    #[error("the {domain} has no boundary: every side is infinite; give at least one finite limit")]
    NoBoundary {
        /// The domain.
        domain: String,
    },
    /// An unbounded surface cannot be sampled uniformly.
    #[error(
        "the boundary of the {domain} is unbounded, so it can only be sampled near data; give the points near which"
    )]
    Unbounded {
        /// The domain.
        domain: String,
    },
    /// No boundary was found where it was looked for.
    #[error("no boundary of the {domain} was found; {remedy}")]
    NoBoundaryFound {
        /// The domain.
        domain: String,
        /// What to do.
        remedy: &'static str,
    },
    /// An intersection of nothing.
    #[error("an intersection has no parts; give at least one domain")]
    NoParts,
    /// Domains that do not meet.
    #[error("the {domain} is empty: the boxes around its parts do not overlap; check their limits")]
    Disjoint {
        /// The domain.
        domain: String,
    },
    /// The formula of the domain cannot be read.
    #[error(transparent)]
    Formula(#[from] ExpressionError),
    /// The way of placing boundary points does not exist for this domain.
    #[error("boundary points of the {domain} cannot be placed by {scheme}; use uniform sampling")]
    NoSuchScheme {
        /// The domain.
        domain: String,
        /// The way asked for.
        scheme: &'static str,
    },
    /// A polygon of nothing.
    #[error("the polygon has no rings; give at least one")]
    NoRings,
    /// A ring of a polygon encloses nothing.
    #[error(
        "ring {ring} of the polygon {problem}; give at least three vertices that are not on one line, or leave it out"
    )]
    BadRing {
        /// The ring, counted from 1.
        ring: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// Every edge of a polygon occurs twice.
    #[error("the rings of the polygon cancel each other: every edge is given twice; give each ring once")]
    CancellingRings,
    /// Two edges of a polygon cross, or share a stretch.
    #[error(
        "edge {} of ring {} and edge {} of ring {} of the polygon {how} at ({}, {}); rings may touch at vertices only: \
         repair or simplify the map there, or choose one of overlapping features",
        .first.1, .first.0, .second.1, .second.0, shown(.place[0]), shown(.place[1])
    )]
    CrossingEdges {
        /// The ring and the edge in it, which begins at the vertex of that number, both counted from 1.
        first: (usize, usize),
        /// The other ring and edge.
        second: (usize, usize),
        /// Whether they cross or run along each other.
        how: &'static str,
        /// Where.
        place: [f64; 2],
    },
    /// At least one point is needed.
    #[error("zero points were asked for; ask for at least one")]
    NoPoints,
    /// More points than memory should hold.
    #[error("{count} points were asked for; ask for at most {limit}")]
    TooManyPoints {
        /// How many were asked for.
        count: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// Rejection sampling would take for ever.
    #[error(
        "only {accepted} of {drawn} draws fell inside the {domain}: the distribution puts almost no mass there; \
         move its mean towards the domain, enlarge the domain, or ask for fewer points"
    )]
    Hopeless {
        /// The domain.
        domain: String,
        /// Draws kept.
        accepted: usize,
        /// Draws made.
        drawn: usize,
    },
}

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

/// What can go wrong when data, boundary and model meet.
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
        "the model has {parameters} parameters but there are only {rows} rows; collect more rows than parameters, or fix parameters \
         (for a Gaussian: give the covariance)"
    )]
    MoreParametersThanData {
        /// The number of parameters.
        parameters: usize,
        /// The number of rows.
        rows: usize,
    },
    /// A column that never varies.
    #[error(
        "column {name} is constant (every value is {}), so distances along it are zero and no density can be \
         fitted to it; leave the column out", shown(*.value))]
    ConstantColumn {
        /// The column's name.
        name: String,
        /// Its one value.
        value: f64,
    },
    /// The boundary points live in another space than the data.
    #[error(
        "the boundary has {boundary} coordinates and the data have {data}; choose the same columns in both"
    )]
    BoundaryDimension {
        /// Coordinates of the boundary.
        boundary: usize,
        /// Coordinates of the data.
        data: usize,
    },
    /// The domain lives in another space than the data.
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
        /// How many lie outside.
        outside: usize,
        /// How many there are.
        rows: usize,
        /// The first of them, counted from 1.
        first: usize,
        /// Its coordinates.
        point: String,
    },
    /// The method needs a boundary.
    #[error(
        "{method} needs to know the boundary; give boundary points or a domain (or use ksd or mle, which ignore it)"
    )]
    NoBoundary {
        /// The method.
        method: &'static str,
    },
    /// An exact distance needs a domain.
    #[error(
        "the exact distance to the boundary needs a domain; give one, or use the distance to the nearest boundary point"
    )]
    NoDomain,
    /// The distance to the nearest boundary point needs boundary points.
    #[error(
        "the distance to the nearest boundary point needs boundary points; give them, or a domain to sample them from"
    )]
    NoBoundaryPoints,
    /// The method has no such statistic.
    #[error("{method} has no discrepancy; use tksd, bdksd or ksd")]
    NoDiscrepancy {
        /// The method.
        method: &'static str,
    },
    /// The method has no kernel whose settings could be varied.
    #[error(
        "{method} has no kernel, so that there is no bandwidth to choose or to vary; use tksd, bdksd or ksd"
    )]
    NoKernel {
        /// The method.
        method: &'static str,
    },
    /// A fit that others were to be compared with.
    #[error(
        "the fit is not to be trusted, so that others cannot be compared with it; look at its warnings first"
    )]
    NoBase,
    /// Model and data agree perfectly.
    #[error(
        "the discrepancy is zero at these parameters, so that there is no witness of it; choose other parameters"
    )]
    NoWitness,
    /// The normal equations are singular.
    #[error(
        "the data do not determine the parameters: the normal equations are singular (condition {condition:.1e}); \
         look for columns that depend on each other or too few distinct points, or fix parameters"
    )]
    NotIdentified {
        /// The ratio of the largest to the smallest pivot.
        condition: f64,
    },
    /// Expectation and maximisation found no maximum.
    #[error(
        "the naive likelihood has no maximum that could be found: a component shrinks to a point, or the steps do \
         not converge; use fewer components, a shared or known covariance, or another method"
    )]
    NoLikelihoodMaximum,
    /// Confidence outside (0, 1).
    #[error("the confidence level is {}; give a number between 0 and 1, such as 0.95", shown(*.value))]
    BadConfidence {
        /// The value.
        value: f64,
    },
    /// A density or its score is not a number at an observation.
    #[error(
        "the {model} density is not a finite number at row {row}, {point}, for the starting values; start elsewhere, or leave \
         out observations at which it does not exist"
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
        "the {domain} has no formula for the distance to its boundary; use the distance to the nearest boundary point"
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
    #[error(
        "{method} integrates over the domain; give one (boundary points alone do not say what is inside)"
    )]
    NeedsDomain {
        /// The method.
        method: &'static str,
    },
    /// An integral over the domain found nothing to sum.
    #[error(
        "no place inside the {domain} was found to integrate over; check that domain and data are in the same units"
    )]
    EmptyDomain {
        /// The domain.
        domain: String,
    },
    /// An integral over the domain would need too many nodes.
    #[error(
        "the {domain} is too large or too thin, compared with the data, to integrate over; use tksd, which needs no integral"
    )]
    TooManyNodes {
        /// The domain.
        domain: String,
    },
    /// A fit of another problem.
    #[error(
        "the fit has {fit} observations and parameters, and the problem {problem}; diagnose a fit with the problem that it came from"
    )]
    ForeignFit {
        /// Observations and parameters of the fit.
        fit: String,
        /// Those of the problem.
        problem: String,
    },
    /// The score or the objective is not a number.
    #[error("the {what} is not a finite number; rescale the data to moderate units or check the parameters")]
    NotFinite {
        /// What was computed.
        what: &'static str,
    },
}

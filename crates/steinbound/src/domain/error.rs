//! What can be wrong with a domain.

use thiserror::Error;

use crate::error::{MemoryError, shown};
use crate::expression::error::ExpressionError;

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
    /// An argument of a shape is missing or has a value that the shape does not take.
    #[error("the argument {name}: {reason}")]
    BadArgument {
        /// Its name.
        name: &'static str,
        /// What is wrong with it.
        reason: String,
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
    /// A union of nothing.
    #[error("a union has no parts; give at least one domain")]
    EmptyUnion,
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
    /// The union of regions whose borders nearly coincide.
    #[error("the regions cannot be united: their borders nearly coincide; choose one, or simplify the map")]
    NotUnited,
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
    /// More memory is needed than there is.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Rejection sampling keeps too few of its draws.
    #[error(
        "only {accepted} of {drawn} draws fell inside the {domain}: the distribution puts almost no mass there; \
         move its mean towards the domain, enlarge the domain, or ask for fewer points"
    )]
    AcceptanceTooLow {
        /// The domain.
        domain: String,
        /// Draws kept.
        accepted: usize,
        /// Draws made.
        drawn: usize,
    },
}

//! What can be wrong with a kernel.

use thiserror::Error;

use crate::error::shown;

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
    /// A user-defined engine failed.
    #[error("the engine \"{engine}\" failed: {what}; use the native engine, or repair this one")]
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
    /// The norm of test fields could not be factorised.
    #[error(
        "the norm of the test functions is singular: landmarks repeat or lie very close together for this bandwidth; \
         use a smaller bandwidth, or a larger tolerance"
    )]
    SingularFields,
}

//! Errors of points.

use thiserror::Error;

use crate::error::shown;

/// Errors in a set of points.
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
        /// The number of values given.
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
    /// The number of names, weights or clusters differs from that of columns or rows.
    #[error("{found} {what} were given for {expected}; give one for each")]
    WrongCount {
        /// The counted items.
        what: &'static str,
        /// The number given.
        found: usize,
        /// The number needed.
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

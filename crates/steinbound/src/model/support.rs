//! Where a density is, apart from any truncation.

use std::f64::consts::PI;
use std::fmt::{self, Display, Formatter};

use crate::error::ModelError;

/// Where a coordinate of a density lies.
///
/// ```
/// use steinbound::model::Support;
/// assert!(Support::POSITIVE.contains(0.5) && !Support::POSITIVE.contains(0.0));
/// assert_eq!(Support::POSITIVE.to_string(), "positive numbers");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Support {
    /// All numbers.
    Line,
    /// The numbers between two limits, either of which may be infinite.
    Interval {
        /// The lower limit.
        low: f64,
        /// The upper limit.
        high: f64,
        /// Whether the limits belong to it.
        has_limits: bool,
    },
    /// Angles in radians: one turn, wherever it begins.
    Circle,
}

impl Support {
    /// Positive numbers.
    pub const POSITIVE: Support = Support::Interval { low: 0.0, high: f64::INFINITY, has_limits: false };

    /// Whether a number is in it. Every angle is on the circle.
    pub fn contains(self, x: f64) -> bool {
        match self {
            Support::Interval { low, high, has_limits: true } => low <= x && x <= high,
            Support::Interval { low, high, has_limits: false } => low < x && x < high,
            Support::Line | Support::Circle => true,
        }
    }

    /// The limits.
    pub fn limits(self) -> (f64, f64) {
        match self {
            Support::Interval { low, high, .. } => (low, high),
            Support::Line | Support::Circle => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }
}

/// Rounding of angles that are given as multiples of pi.
pub(crate) const ROUNDING: f64 = 1e-6;

/// Refuses angles over more than one turn.
pub(crate) fn check_turn(model: &str, what: &'static str, name: &str, length: f64) -> Result<(), ModelError> {
    if length <= 2.0 * PI + ROUNDING {
        return Ok(());
    }
    let (model, name) = (model.to_string(), name.to_string());
    Err(ModelError::MoreThanOneTurn { model, what, name, length })
}

/// A limit of a support at which a density goes as a power of the distance from it, `|x - place|^(exponent - 1)`.
///
/// Its score has a term `(exponent - 1) / (x - place)` there, which decides how small a method's test functions must be.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Edge {
    /// The coordinate, counted from zero.
    pub coordinate: usize,
    /// The limit.
    pub place: f64,
    /// The power of the density there, plus one.
    pub exponent: f64,
    /// The name of the parameter that decides it, and which changes as fast as it does.
    pub parameter: String,
    /// The value of that parameter.
    pub value: f64,
    /// Its place among the parameters; `None` if it is known.
    pub estimated: Option<usize>,
}

/// In words, as the end of "the density is on".
impl Display for Support {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match *self {
            Support::Line => f.write_str("all numbers"),
            Support::Circle => f.write_str("one turn of a circle"),
            Support::Interval { low: 0.0, high: f64::INFINITY, has_limits: false } => {
                f.write_str("positive numbers")
            }
            Support::Interval { low: 0.0, high: f64::INFINITY, has_limits: true } => {
                f.write_str("zero and positive numbers")
            }
            Support::Interval { low, high: f64::INFINITY, .. } => write!(f, "numbers from {low} on"),
            Support::Interval { low, high, .. } => write!(f, "numbers between {low} and {high}"),
        }
    }
}

//! [`Place`]: a position in a file.

use std::fmt;

/// The unit in which positions in a file are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unit {
    /// Lines of text, as editors count them.
    #[default]
    Line,
    /// Rows of a table that is not text.
    Row,
    /// Rows of arrays in memory, which are counted from 0, as are their columns.
    Index,
    /// Features of a map.
    Feature,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Unit::Line => "line",
            Unit::Row | Unit::Index => "row",
            Unit::Feature => "feature",
        })
    }
}

/// A position in a file, counted from 1, or in arrays, counted from 0.
///
/// ```
/// use steinbound_io::{Place, Unit};
/// assert_eq!(Place { unit: Unit::Row, number: 17 }.to_string(), "row 17");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The unit of the count.
    pub unit: Unit,
    /// The number of the line, row or feature.
    pub number: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.unit, self.number)
    }
}

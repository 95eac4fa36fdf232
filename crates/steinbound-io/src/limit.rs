//! [`Limit`]: the truncation limit of a response.

use crate::error::IoError;
use crate::frame::Frame;
use crate::names::shown;

/// A truncation limit of the response, the same in all rows or given by a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Limit {
    /// The same in all rows.
    Constant(f64),
    /// One value for each row.
    Column {
        /// The name of the column.
        name: String,
        /// Its values.
        values: Vec<f64>,
    },
}

impl Limit {
    /// The limit in a row, counted from zero; `None` if there is no such row.
    ///
    /// ```
    /// assert_eq!(steinbound_io::Limit::Constant(40.0).at(7), Some(40.0));
    /// ```
    pub fn at(&self, row: usize) -> Option<f64> {
        match self {
            Limit::Constant(value) => Some(*value),
            Limit::Column { values, .. } => values.get(row).copied(),
        }
    }
}

/// Parses a limit: a number, or else the name of a column of numbers.
///
/// ```
/// use steinbound_io::{Frame, FrameOptions, Limit, limit_values};
/// let frame = Frame::parse("f.csv", b"y,cut\n1,0\n2,1\n", &FrameOptions::default())?;
/// assert_eq!(limit_values(&frame, "-1.5")?, Limit::Constant(-1.5));
/// assert_eq!(limit_values(&frame, "cut")?.at(1), Some(1.0));
/// # Ok::<(), steinbound_io::IoError>(())
/// ```
pub fn limit_values(frame: &Frame, text: &str) -> Result<Limit, IoError> {
    let text = text.trim();
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Limit::Constant(value)),
        Ok(_) if frame.find(text).is_err() => Err(IoError::Limit { text: shown(text) }),
        _ => {
            let place = frame.find(text)?;
            Ok(Limit::Column { name: frame.names()[place].clone(), values: frame.numbers_at(place)? })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FrameOptions;

    #[test]
    fn a_limit_is_a_number_or_a_column() {
        let frame = Frame::parse("f.csv", b"y,cut,2\n1,0,9\n2,1,9\n", &FrameOptions::default()).unwrap();
        assert_eq!(limit_values(&frame, " 2 ").unwrap(), Limit::Constant(2.0));
        let column = limit_values(&frame, "cut").unwrap();
        assert_eq!(column, Limit::Column { name: "cut".into(), values: vec![0.0, 1.0] });
        assert_eq!((column.at(1), column.at(2)), (Some(1.0), None));
        let refused = |text: &str| limit_values(&frame, text).unwrap_err().to_string();
        assert!(refused("inf").contains("the limit inf is not a finite number"));
        assert!(
            refused("cot").contains("no column \"cot\"") && refused("cot").contains("did you mean \"cut\"?")
        );
    }
}

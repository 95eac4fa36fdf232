//! How messages name options and count rows: each face has its own way.

use steinbound::{Error, FitError, PointsError};

/// The face that a message is written for.
///
/// ```
/// use steinbound_request::Wording;
/// assert_eq!(Wording::CommandLine.option("allow-outside"), "--allow-outside");
/// assert_eq!(Wording::Python.option("allow-outside"), "allow_outside");
/// assert_eq!(Wording::CommandLine.with_value("method", "mle"), "--method mle");
/// assert_eq!(Wording::Python.with_value("method", "mle"), "method='mle'");
/// assert_eq!(Wording::R.flag("allow-outside"), "allow_outside = TRUE");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Wording {
    /// The command `steinbound`.
    #[default]
    CommandLine,
    /// The Python package.
    Python,
    /// The R package.
    R,
}

impl Wording {
    /// The option by its name.
    pub fn option(self, name: &str) -> String {
        match self {
            Wording::CommandLine => format!("--{name}"),
            Wording::Python | Wording::R => argument(name),
        }
    }

    /// The option with a value that is a name.
    pub fn with_value(self, name: &str, value: &str) -> String {
        match self {
            Wording::CommandLine => format!("--{name} {value}"),
            Wording::Python => format!("{}='{value}'", argument(name)),
            Wording::R => format!("{} = \"{value}\"", argument(name)),
        }
    }

    /// The option with a value that stands for what the user would give, such as `--lower V`.
    pub fn with_placeholder(self, name: &str, placeholder: &str) -> String {
        match self {
            Wording::CommandLine => format!("--{name} {placeholder}"),
            Wording::Python => format!("{}={placeholder}", argument(name)),
            Wording::R => format!("{} = {placeholder}", argument(name)),
        }
    }

    /// The option switched on.
    pub fn flag(self, name: &str) -> String {
        match self {
            Wording::CommandLine => format!("--{name}"),
            Wording::Python => format!("{}=True", argument(name)),
            Wording::R => format!("{} = TRUE", argument(name)),
        }
    }

    /// Whether rows and columns are counted from 0, as arrays do.
    pub fn counts_from_zero(self) -> bool {
        self == Wording::Python
    }

    /// An error of the library with rows and columns counted as the face counts them.
    ///
    /// ```
    /// use steinbound::PointsError;
    /// use steinbound_request::Wording;
    /// let error = || PointsError::NotFinite { row: 3, column: 1, value: f64::NAN }.into();
    /// assert!(Wording::CommandLine.counted(error()).to_string().starts_with("row 3, column 1 is NaN"));
    /// assert!(Wording::Python.counted(error()).to_string().starts_with("row 2, column 0 is NaN"));
    /// ```
    pub fn counted(self, mut error: Error) -> Error {
        if !self.counts_from_zero() {
            return error;
        }
        match &mut error {
            Error::Points(PointsError::NotFinite { row, column, .. }) => {
                (*row, *column) = (row.saturating_sub(1), column.saturating_sub(1));
            }
            Error::Points(PointsError::BadWeight { row, .. })
            | Error::Fit(FitError::ZeroNormal { row } | FitError::NotFiniteAt { row, .. })
            | Error::Fit(FitError::OutsideDomain { first: row, .. }) => *row = row.saturating_sub(1),
            _ => {}
        }
        error
    }

    /// Whether the face is the command line.
    pub(crate) fn is_command_line(self) -> bool {
        self == Wording::CommandLine
    }
}

/// The name of an argument of a function.
fn argument(name: &str) -> String {
    name.replace('-', "_")
}

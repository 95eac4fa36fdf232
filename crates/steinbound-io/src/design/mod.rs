//! [`Design`]: the response and the columns that a formula derives from a table.

pub(crate) mod learned;
mod levels;
mod plan;
mod polynomial;
mod response;
mod spline;

use std::collections::BTreeSet;

use steinbound::Matrix;
use steinbound::regression::{ResponseLimit, TruncatedRegression};

use crate::error::IoError;
use crate::formula::terms::{Terms, too_many};
use crate::formula::{Formula, MOST_COLUMNS};
use crate::frame::Frame;
use crate::names::shown;
use learned::Learned;
use plan::{Coding, Plan};
use response::Transformed;

/// The response and the columns that explain it.
///
/// # Definition
///
/// The intercept comes first, then the terms ordered by their number of factors and otherwise as written. A
/// categorical column has one indicator for each level, in the order of the levels; the first level is the
/// base, with which the others are compared, and has no indicator unless the preceding terms do not span it.
/// In an interaction the first factor varies fastest. Levels have the order that the table gives them
/// ([`Frame::with_levels`]); else they are sorted as numbers if all are numbers, else by their bytes. A
/// chosen base comes first.
///
/// Means, deviations, polynomials and knots are those of the data from which the design is made, all rows of
/// which count alike; other data get the same functions.
///
/// ```
/// use steinbound_io::{Formula, Frame, FrameOptions};
/// let frame = Frame::parse("f.csv", b"y,g\n1,low\n2,high\n4,high\n", &FrameOptions::default())?;
/// let design = Formula::parse("y ~ C(g, base=low)")?.design(&frame)?;
/// assert_eq!(design.names, ["(Intercept)", "g[high]"]);
/// let new = Frame::parse("new.csv", b"g\nhigh\nlow\n", &FrameOptions::default())?;
/// assert_eq!(design.apply(&new)?.to_rows(), [[1.0, 1.0], [1.0, 0.0]]);
/// # Ok::<(), steinbound_io::IoError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// The values of the response, transformed if the formula says so.
    pub response: Vec<f64>,
    /// The name of the response: that of its column, or `log(y)`.
    pub response_name: String,
    /// One row for each value of the response, one column for each name.
    pub matrix: Matrix,
    /// The names of the columns: `(Intercept)`, `x`, `log(x)`, `group[level]`, `group[level]:x`.
    pub names: Vec<String>,
    /// The rows of the frame that were kept, counted from zero.
    pub rows: Vec<usize>,
    /// What a reader should know of the columns, in whole sentences.
    pub notes: Vec<String>,
    plan: Plan,
    response_column: String,
    transformed: Option<Transformed>,
}

impl Formula {
    /// The columns of a table that the formula uses, the response first, each once.
    ///
    /// ```
    /// # use steinbound_io::{Formula, Frame, FrameOptions};
    /// let frame = Frame::parse("f.csv", b"id,y,x\na,1,2\n", &FrameOptions::default())?;
    /// assert_eq!(Formula::parse("y ~ . - id")?.columns(&frame)?, ["y", "x"]);
    /// # Ok::<(), steinbound_io::IoError>(())
    /// ```
    pub fn columns(&self, frame: &Frame) -> Result<Vec<String>, IoError> {
        let terms = Terms::of(self, frame)?;
        let mut seen = BTreeSet::from([terms.response]);
        let used = terms.variables.iter().flat_map(|variable| variable.places.iter().zip(&variable.columns));
        let others = used.filter(|(place, _)| seen.insert(**place)).map(|(_, column)| column);
        Ok(std::iter::once(&self.response.column).chain(others).map(|column| column.name.clone()).collect())
    }

    /// The response and the columns of a table, without the rows that have a missing value if those may be
    /// dropped.
    pub fn design(&self, frame: &Frame) -> Result<Design, IoError> {
        let terms = Terms::of(self, frame)?;
        let used: Vec<usize> = std::iter::once(terms.response)
            .chain(terms.variables.iter().flat_map(|variable| variable.places.iter().copied()))
            .collect();
        let rows = frame.complete_rows_at(&used)?;
        let kept = frame.select(&rows);
        let response_column = frame.names()[terms.response].clone();
        if !frame.is_numeric_at(terms.response) {
            let name = shown(&response_column);
            let reason = format!("the response {name} is text; it must be a column of numbers");
            return Err(self.fail(self.response.column.at, reason));
        }
        let plan = Plan::new(self, &terms, &kept)?;
        if plan.width() > MOST_COLUMNS {
            return Err(too_many(self));
        }
        let names = plan.names();
        let mut response = kept.numbers_at(terms.response)?;
        let mut notes = plan.notes(&kept);
        let transformed = match &self.response.transform {
            None => None,
            Some(written) => {
                let function = Learned::new(self, &kept, written)?;
                let transformed = function.finite_values(&kept)?;
                let values = std::mem::replace(&mut response, transformed);
                notes.push(format!(
                    "the response is {}: limits are in units of {response_column}; estimates, sigma and predictions in those of {0}",
                    function.label
                ));
                Some(Transformed { function, values })
            }
        };
        let response_name =
            transformed.as_ref().map_or_else(|| response_column.clone(), |of| of.function.label.clone());
        let matrix = plan.matrix(&kept, &names)?;
        Ok(Design { response, response_name, matrix, names, rows, notes, plan, response_column, transformed })
    }
}

impl Design {
    /// The categorical columns with their levels, of which the first is the base.
    pub fn levels(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.plan.variables.iter().filter_map(|variable| match &variable.coding {
            Coding::Levels { levels, .. } => Some((variable.name.as_str(), levels.as_slice())),
            _ => None,
        })
    }

    /// The columns of a table that [`Design::apply`] uses, each once.
    pub fn columns(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let all = self.plan.variables.iter().flat_map(|variable| variable.columns());
        all.filter(|column| seen.insert(*column)).collect()
    }

    /// The column of which the response is made.
    pub fn response_column(&self) -> &str {
        &self.response_column
    }

    /// Whether the response decreases where its column increases, as `-log(y)` does, so that what is below is
    /// above.
    pub fn is_decreasing(&self) -> bool {
        self.transformed.as_ref().is_some_and(Transformed::is_decreasing)
    }

    /// The lower and the upper limit of the response as it is modelled, from limits of its column.
    ///
    /// If the response is a function of its column, that must be monotone over responses and limits; one
    /// that decreases exchanges the limits.
    ///
    /// ```
    /// use steinbound::regression::ResponseLimit::Constant;
    /// use steinbound_io::{Formula, Frame, FrameOptions};
    /// let frame = Frame::parse("f.csv", b"y\n1\n2\n4\n", &FrameOptions::default())?;
    /// let design = Formula::parse("-sqrt(y) ~ 1")?.design(&frame)?;
    /// assert_eq!(design.limits([None, Some(Constant(9.0))])?, [Some(Constant(-3.0)), None]);
    /// # Ok::<(), steinbound_io::IoError>(())
    /// ```
    pub fn limits(&self, given: [Option<ResponseLimit>; 2]) -> Result<[Option<ResponseLimit>; 2], IoError> {
        match &self.transformed {
            None => Ok(given),
            Some(transformed) => transformed.limits(given),
        }
    }

    /// A regression of the response on the columns, without limits.
    ///
    /// ```
    /// use steinbound_io::{Formula, Frame, FrameOptions};
    /// let frame = Frame::parse("f.csv", b"y,x\n1,2\n2,3\n4,3\n", &FrameOptions::default())?;
    /// let prepared = Formula::parse("y ~ x")?.design(&frame)?.regression()?.build(0)?;
    /// assert_eq!(prepared.points.names(), ["y", "x"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn regression(&self) -> Result<TruncatedRegression, IoError> {
        let skip = usize::from(self.plan.intercept);
        let covariates = &self.names[skip..];
        if let Some(name) = covariates.iter().find(|name| ["(Intercept)", "sigma"].contains(&name.as_str())) {
            return Err(IoError::ParameterName { name: name.clone() });
        }
        let regression = TruncatedRegression::new(&self.response_name, self.response.clone())
            .covariates(covariates.to_vec(), without_first(&self.matrix, skip));
        Ok(if self.plan.intercept { regression } else { regression.without_intercept() })
    }

    /// The covariates of other data, without the intercept.
    pub fn covariates_of(&self, frame: &Frame) -> Result<Matrix, IoError> {
        Ok(without_first(&self.apply(frame)?, usize::from(self.plan.intercept)))
    }

    /// The same columns for other data, which need not have the response.
    ///
    /// There is one row for each row of the frame. A missing value is an error; [`Frame::complete_rows`] of
    /// [`Design::columns`] and [`Frame::select`] remove these rows. A level that the first data did not have
    /// is an error, too.
    pub fn apply(&self, frame: &Frame) -> Result<Matrix, IoError> {
        self.plan.matrix(frame, &self.names)
    }

    /// The derivatives of the columns of [`Design::apply`] with respect to a column of numbers, in each row:
    /// of all terms that contain it, exactly.
    ///
    /// ```
    /// use steinbound_io::{Formula, Frame, FrameOptions};
    /// let frame = Frame::parse("f.csv", b"y,x,z\n1,2,3\n2,3,5\n4,4,1\n", &FrameOptions::default())?;
    /// let design = Formula::parse("y ~ x*z + I(x^2)")?.design(&frame)?;
    /// assert_eq!(design.names, ["(Intercept)", "x", "z", "I(x^2)", "x:z"]);
    /// assert_eq!(design.derivative(&frame, "x")?.to_rows()[0], [0.0, 1.0, 0.0, 4.0, 3.0]);
    /// # Ok::<(), steinbound_io::IoError>(())
    /// ```
    pub fn derivative(&self, frame: &Frame, column: &str) -> Result<Matrix, IoError> {
        self.plan.derivative(frame, frame.find(column)?)
    }

    /// The same without the intercept.
    pub(crate) fn slopes_in(&self, frame: &Frame, column: &str) -> Result<Matrix, IoError> {
        Ok(without_first(&self.derivative(frame, column)?, usize::from(self.plan.intercept)))
    }
}

/// A matrix without its first columns.
fn without_first(matrix: &Matrix, skip: usize) -> Matrix {
    Matrix::from_fn(matrix.rows(), matrix.columns() - skip, |i, j| matrix[(i, j + skip)])
}

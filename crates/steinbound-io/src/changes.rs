//! How the columns of a formula change with the variables that it names.

use steinbound::Matrix;
use steinbound::regression::Change;

use crate::columns::Column;
use crate::design::Design;
use crate::error::IoError;
use crate::frame::{Frame, FrameOptions};

/// The share of a value by which it is moved to either side for a derivative: the cube root of the rounding of
/// a number, at which the errors of central differences are smallest.
const SHARE: f64 = 6e-6;

impl Design {
    /// The change of each variable of the formula, for the rows of a table: the derivative of the covariates in
    /// a column of numbers, and the step from the base to each other level of a categorical one.
    ///
    /// A variable may be in several terms: with `x` and `x:z` the derivative in `x` is that of both.
    ///
    /// ```
    /// use steinbound::regression::Change;
    /// use steinbound_io::{Formula, Frame, FrameOptions};
    /// let frame = Frame::parse("f.csv", b"y,x,g\n1,2,a\n2,3,b\n4,5,b\n", &FrameOptions::default())?;
    /// let changes = Formula::parse("y ~ x + log(x) + g")?.design(&frame)?.changes(&frame)?;
    /// assert_eq!((changes[0].0.as_str(), changes[1].0.as_str()), ("x", "g[b]"));
    /// let Change::Slope(slope) = &changes[0].1 else { panic!("x is a number") };
    /// assert!((slope[(0, 0)] - 1.0).abs() < 1e-9 && (slope[(0, 1)] - 0.5).abs() < 1e-9);
    /// # Ok::<(), steinbound_io::IoError>(())
    /// ```
    pub fn changes(&self, frame: &Frame) -> Result<Vec<(String, Change)>, IoError> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.columns() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let column = |name: &str| -> Result<Column, IoError> {
            Ok(match frame.is_numeric(name)? {
                true => Column::Numbers(frame.numbers(name)?),
                false => Column::Texts(frame.texts(name)?.into_iter().map(Some).collect()),
            })
        };
        let columns: Vec<(String, Column)> =
            names.iter().map(|name| Ok((name.to_string(), column(name)?))).collect::<Result<_, IoError>>()?;
        let with = |name: &str, column: Column| -> Result<Matrix, IoError> {
            let mut columns = columns.clone();
            if let Some(place) = columns.iter_mut().find(|(other, _)| other == name) {
                place.1 = column;
            }
            self.covariates_of(&Frame::from_columns(frame.path(), columns, &FrameOptions::default())?)
        };
        let mut changes = Vec::new();
        for (name, given) in &columns {
            let levels = self.levels().find(|(other, _)| other == name);
            match (levels, given) {
                (Some((_, levels)), _) => {
                    let at = |level: &String| match level.parse::<f64>() {
                        Ok(number) if matches!(given, Column::Numbers(_)) => {
                            with(name, Column::Numbers(vec![number; frame.len()]))
                        }
                        _ => with(name, Column::Texts(vec![Some(level.clone()); frame.len()])),
                    };
                    let Some((base, others)) = levels.split_first() else { continue };
                    for level in others {
                        let (from, to) = (at(base)?, at(level)?);
                        changes.push((format!("{name}[{level}]"), Change::Step { from, to }));
                    }
                }
                (None, Column::Numbers(values)) => {
                    let size =
                        values.iter().map(|value| value.abs()).sum::<f64>() / values.len().max(1) as f64;
                    let step = |value: f64| {
                        SHARE * if value == 0.0 { size.max(f64::MIN_POSITIVE) } else { value.abs() }
                    };
                    let moved =
                        |sign: f64| -> Vec<f64> { values.iter().map(|v| v + sign * step(*v)).collect() };
                    let (above, below) = (moved(1.0), moved(-1.0));
                    let (high, low) = (
                        with(name, Column::Numbers(above.clone()))?,
                        with(name, Column::Numbers(below.clone()))?,
                    );
                    let slope = Matrix::from_fn(high.rows(), high.columns(), |i, k| {
                        (high[(i, k)] - low[(i, k)]) / (above[i] - below[i])
                    });
                    changes.push((name.clone(), Change::Slope(slope)));
                }
                (None, _) => {}
            }
        }
        Ok(changes)
    }
}

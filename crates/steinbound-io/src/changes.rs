//! How the columns of a formula change with the variables that it names.

use steinbound::Matrix;
use steinbound::regression::Change;

use crate::columns::Column;
use crate::design::Design;
use crate::error::IoError;
use crate::frame::{Frame, FrameOptions};

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
        let names = self.columns();
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
                (None, Column::Numbers(_)) => {
                    changes.push((name.clone(), Change::Slope(self.slopes_in(frame, name)?)));
                }
                (None, _) => {}
            }
        }
        Ok(changes)
    }
}

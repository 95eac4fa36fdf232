//! Formulas of level sets, in coordinates by number or by the names of the data's columns.

use steinbound::domain::LevelSet;
use steinbound::expression::{Expression, Fault};

use crate::error::IoError;
use crate::names::{few, shown};

/// A formula. Names of columns mean nothing before the columns are known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Level {
    text: String,
    /// In the coordinates, unless names wait for columns.
    formula: Option<Expression>,
    /// The names of columns.
    names: Vec<String>,
    /// The largest number of a coordinate.
    largest: usize,
}

/// The largest number of a coordinate in a formula.
const COORDINATE_LIMIT: usize = 10_000;

/// The most columns that a formula may name.
const MOST_NAMES: usize = 64;

impl Level {
    /// Reads a formula in `x1`, `x2`, .. and in names of which nothing is known yet.
    pub(super) fn parse(text: &str) -> Result<Level, String> {
        let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
        let coordinate = |word: &str| word.strip_prefix('x').and_then(|digits| digits.parse::<usize>().ok());
        let largest = words.filter_map(coordinate).filter(|l| *l <= COORDINATE_LIMIT).max().unwrap_or(0);
        let mut known: Vec<String> = (1..=largest).map(|l| format!("x{l}")).collect();
        let formula = loop {
            match Expression::parse(text, &known) {
                Ok(formula) => break formula,
                Err(error) => match error.fault() {
                    Fault::UnknownName { name, .. }
                        if !is_number(name) && known.len() < largest + MOST_NAMES =>
                    {
                        known.push(name.clone());
                    }
                    _ => return Err(error.to_string()),
                },
            }
        };
        if !(0..known.len()).any(|variable| formula.uses(variable)) {
            return Err("the formula names no coordinate; write them as x1, x2, ..".to_string());
        }
        let names = known.split_off(largest);
        let formula = Some(formula).filter(|_| names.is_empty());
        Ok(Level { text: text.to_string(), formula, names, largest })
    }

    /// Whether no name waits for columns.
    pub(super) fn is_complete(&self) -> bool {
        self.formula.is_some()
    }

    /// The smallest number of coordinates that it needs.
    pub(super) fn least_dimension(&self) -> usize {
        self.formula.as_ref().map_or(self.largest, Expression::variables)
    }

    /// Takes its names to be columns, in the order of the coordinates.
    pub(super) fn name_columns(&mut self, columns: &[String]) -> Result<(), IoError> {
        let unknown: Vec<&str> =
            self.names.iter().filter(|name| !columns.contains(name)).map(String::as_str).collect();
        if !unknown.is_empty() {
            let (names, columns) = (listed(&unknown), few(columns.iter().map(String::as_str)));
            let is_or_are = if unknown.len() == 1 { "is not a column" } else { "are not columns" };
            return Err(self.refused(format!(
                "{names} {is_or_are} of the data; their columns are {columns}, in formulas also x1, x2, .."
            )));
        }
        let formula = Expression::parse_in_coordinates(&self.text, columns, self.largest);
        self.formula = Some(formula.map_err(|error| self.refused(error.to_string()))?);
        Ok(())
    }

    pub(super) fn build(&self, dimension: usize) -> Result<LevelSet, IoError> {
        let Some(formula) = &self.formula else {
            let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
            return Err(self.refused(format!(
                "the formula names {}, and there are no data of which these could be columns; write x1, x2, .. for the \
                 coordinates",
                listed(&names)
            )));
        };
        Ok(LevelSet::new(formula.clone(), dimension)?)
    }

    fn refused(&self, reason: String) -> IoError {
        IoError::Spec { text: shown(&format!("level(\"{}\")", self.text)), reason }
    }
}

/// Whether a name is that of a coordinate by its number, if of one that does not exist.
fn is_number(name: &str) -> bool {
    name.strip_prefix('x').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// Names in a sentence.
fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(5).map(|name| shown(name)).collect();
    match shown.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => shown.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_string()).collect()
    }

    #[test]
    fn names_are_those_of_columns() {
        let value = |text: &str, names: &[&str], x: &[f64]| {
            let mut level = Level::parse(text).unwrap();
            level.name_columns(&columns(names)).unwrap();
            level.formula.unwrap().evaluate(x)
        };
        assert_eq!(value("lon - 2*lat", &["lat", "lon"], &[1.0, 5.0]), 3.0);
        assert_eq!(value("x1 - 2*lat", &["lon", "lat"], &[5.0, 1.0]), 3.0);
        assert_eq!(value("`body mass` - 1", &["body mass", "wing"], &[5.0, 1.0]), 4.0);
        // A column that is called x1 is meant by that name, wherever it is.
        assert_eq!(value("x1", &["x2", "x1"], &[5.0, 1.0]), 1.0);
        assert_eq!(value("x2", &["a", "b"], &[5.0, 1.0]), 1.0);
    }

    #[test]
    fn unknown_names_are_listed_with_those_that_exist() {
        let mut level = Level::parse("lng^2 + lat^2 - x1").unwrap();
        assert!(!level.is_complete() && level.least_dimension() == 1);
        let error = level.build(2).unwrap_err().to_string();
        assert!(error.contains("names lng and lat, and there are no data"), "{error}");
        let error = level.name_columns(&columns(&["lon", "lat"])).unwrap_err().to_string();
        assert!(error.contains("lng is not a column of the data; their columns are lon, lat"), "{error}");
        let many: Vec<String> = (0..100).map(|k| format!("a{k}")).collect();
        assert!(Level::parse(&many.join("+")).unwrap_err().contains("unknown name"));
        assert!(Level::parse("2 - 1").unwrap_err().contains("names no coordinate"));
    }
}

//! The parts common to all readers of tables: rows of cells, names of columns, missing values.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::error::IoError;
use crate::names::{few, nearest, shown};
use crate::place::{Place, Unit};

/// A table that is read row by row.
pub(crate) trait Rows {
    fn layout(&self) -> &Layout;

    /// The columns used by default; `None` if they are known only when the rows are read.
    fn usual_columns(&self) -> Option<Vec<usize>>;

    /// Whether a column is numeric by most of those values that were examined beforehand; `None` if these do
    /// not decide it, so that its first value does.
    fn leaning(&self, _: usize) -> Option<bool> {
        None
    }

    /// Announces, before the first row, that only these columns will be read.
    fn choose(&mut self, columns: &[usize]) -> Result<(), IoError>;

    /// Moves to the next row and returns its number.
    fn next(&mut self) -> Result<Option<u64>, IoError>;

    /// A cell of the row.
    fn cell(&self, j: usize) -> Cell<'_>;
}

/// Below this limit, double precision represents every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The content of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell<'a> {
    Text(&'a [u8]),
    Number(f64),
    /// A number stored as a whole number; as a label it keeps all digits.
    Whole(i128),
    Missing,
}

impl<'a> Cell<'a> {
    /// A cell without a value.
    pub fn is_missing(self) -> bool {
        match self {
            Cell::Text(field) => is_missing(field),
            Cell::Number(value) => value.is_nan(),
            Cell::Whole(_) => false,
            Cell::Missing => true,
        }
    }

    /// The bytes of a text, or of a number written so that it reads back to the same bits.
    pub fn bytes(self) -> Cow<'a, [u8]> {
        match self {
            Cell::Text(field) => Cow::Borrowed(field),
            // The same label as that of the whole number, since files may store it either way.
            Cell::Number(value) if value.fract() == 0.0 && value.abs() < EXACT => {
                Cow::Owned(value.to_string().into_bytes())
            }
            Cell::Number(value) => Cow::Owned(format!("{value:?}").into_bytes()),
            Cell::Whole(value) => Cow::Owned(value.to_string().into_bytes()),
            Cell::Missing => Cow::Borrowed(b""),
        }
    }

    fn shown(self) -> String {
        shown(&decoded(&self.bytes()))
    }
}

/// The columns of a file: finds and names them, and reads their cells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    pub path: String,
    pub names: Vec<String>,
    pub has_header: bool,
    /// The first numeric name in the header, if any: that row may be data with a gap.
    pub doubtful_header: Option<String>,
    /// The unit in which rows are counted.
    pub unit: Unit,
    /// What a comma in a number means.
    pub comma: Comma,
    /// A warning to show before the default columns are used.
    pub warning: Option<String>,
    /// Columns that cannot be read, with the reason.
    pub unusable: BTreeMap<usize, String>,
}

/// What a comma in a number means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Comma {
    /// Numbers have no comma.
    #[default]
    None,
    /// Numbers have no comma, but cells look as if the comma were meant as decimal point.
    Suspect,
    /// The comma is the decimal point.
    Decimal,
}

impl Layout {
    /// The column with this header, or else with this 1-based number.
    pub fn find(&self, asked: &str) -> Result<usize, IoError> {
        let found = self.find_any(asked)?;
        match self.unusable.get(&found) {
            None => Ok(found),
            Some(reason) => Err(self.unusable_column(found, reason)),
        }
    }

    /// Whether a column can be read.
    pub fn is_usable(&self, j: usize) -> bool {
        !self.unusable.contains_key(&j)
    }

    fn find_any(&self, asked: &str) -> Result<usize, IoError> {
        // Tables in memory may have names with blanks around them.
        let asked = if self.names.iter().any(|name| name == asked) { asked } else { asked.trim() };
        let mut matches = self.names.iter().enumerate().filter(|(_, name)| *name == asked);
        if let Some((at, _)) = matches.next() {
            return match matches.next() {
                None => Ok(at),
                Some(_) => Err(IoError::AmbiguousColumn { path: self.path.clone(), name: shown(asked) }),
            };
        }
        match asked.parse::<usize>() {
            Ok(number) if (1..=self.names.len()).contains(&number) => Ok(number - 1),
            _ => Err(IoError::NoSuchColumn {
                path: self.path.clone(),
                name: shown(asked),
                known: few(self.names.iter().map(String::as_str)),
                nearest: nearest(asked, self.names.iter().map(String::as_str)).map(shown),
            }),
        }
    }

    /// The name of a column in messages.
    fn place(&self, j: usize) -> String {
        let number = if self.unit == Unit::Index { j } else { j + 1 };
        if self.has_header { format!("{number} (\"{}\")", shown(&self.names[j])) } else { number.to_string() }
    }

    /// The name of a row in messages.
    pub fn row(&self, number: u64) -> Place {
        Place { unit: self.unit, number }
    }

    /// The error for a missing value.
    pub fn missing(&self, j: usize, row: u64) -> IoError {
        IoError::Missing { path: self.path.clone(), place: self.row(row), column: self.place(j) }
    }

    /// A cell as a number, finite or not.
    fn number(&self, cell: Cell) -> Option<f64> {
        match cell {
            Cell::Text(field) => number(field, self.comma == Comma::Decimal),
            Cell::Number(value) => Some(value),
            Cell::Whole(value) => Some(value as f64),
            Cell::Missing => None,
        }
    }

    /// Whether a cell would be a number if commas and points had each other's meaning.
    fn is_suspect(&self, cell: Cell) -> bool {
        match (self.comma, cell) {
            (Comma::Suspect, Cell::Text(field)) => field.contains(&b',') && number(field, true).is_some(),
            (Comma::Decimal, Cell::Text(field)) => number(field, false).is_some(),
            _ => false,
        }
    }

    /// Whether the column of this cell is numeric; `None` if the cell does not decide this.
    pub fn decides_numeric(&self, cell: Cell) -> Option<bool> {
        match cell {
            Cell::Text(field) if is_uninformative(field) => None,
            Cell::Text(_) => Some(self.number(cell).is_some() || self.is_suspect(cell)),
            Cell::Number(_) | Cell::Whole(_) => Some(true),
            Cell::Missing => None,
        }
    }

    /// A cell of column `j` as a finite number.
    pub fn value(&self, cell: Cell, j: usize, row: u64) -> Result<f64, IoError> {
        match self.number(cell) {
            Some(value) if value.is_finite() => Ok(value),
            found => Err(self.refused(cell, found.is_some(), j, row)),
        }
    }

    /// The error for a cell that is not a finite number.
    #[cold]
    fn refused(&self, cell: Cell, is_number: bool, j: usize, row: u64) -> IoError {
        let (path, place, column) = (self.path.clone(), self.row(row), self.place(j));
        let value = cell.shown();
        match is_number {
            true => IoError::NotFinite { path, place, column, value },
            false if cell.is_missing() => self.missing(j, row),
            false if self.is_suspect(cell) && self.comma == Comma::Decimal => {
                IoError::DecimalPoint { path, place, column, value }
            }
            false if self.is_suspect(cell) => IoError::DecimalComma { path, place, column, value },
            false => IoError::NotANumber { path, place, column, value },
        }
    }

    /// A cell of column `j` as an observation weight.
    pub fn weight(&self, cell: Cell, j: usize, row: u64) -> Result<f64, IoError> {
        let weight = self.value(cell, j, row)?;
        if weight < 0.0 {
            let (path, column) = (self.path.clone(), self.place(j));
            return Err(IoError::NegativeWeight { path, place: self.row(row), column, value: cell.shown() });
        }
        Ok(weight)
    }

    /// A cell of column `j` as a label, without surrounding blanks.
    pub fn label(&self, cell: Cell, j: usize, row: u64) -> Result<String, IoError> {
        if cell.is_missing() {
            return Err(self.missing(j, row));
        }
        Ok(decoded(&cell.bytes()).trim().to_string())
    }

    /// The error for a table without readable columns: the reason for the first column, if there is one.
    pub fn no_usable_column(&self) -> IoError {
        match self.unusable.iter().next() {
            Some((j, reason)) => self.unusable_column(*j, reason),
            None => self.no_numeric_column(),
        }
    }

    fn unusable_column(&self, j: usize, reason: &str) -> IoError {
        let (path, column) = (self.path.clone(), self.place(j));
        IoError::UnusableColumn { path, column, reason: reason.to_string() }
    }

    /// The error for a table without numbers.
    pub fn no_numeric_column(&self) -> IoError {
        IoError::NoNumericColumn { path: self.path.clone(), unit: self.unit }
    }

    /// The error for a table without any remaining row.
    pub fn no_rows(&self, dropped: usize) -> IoError {
        let path = self.path.clone();
        if dropped == 0 { IoError::NoRows { path } } else { IoError::AllDropped { path, dropped } }
    }
}

/// Text without characters that would move the cursor or change colours.
pub(crate) fn printable(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_debug().collect() } else { vec![c] }).collect()
}

/// Text in UTF-8 or else in Latin-1.
pub(crate) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// Texts that denote a missing value, in addition to the empty field and `NaN`.
const MISSING: [&[u8]; 6] = [b"NA", b"N/A", b"n/a", b"null", b"NULL", b"."];

/// Whether a field gives no information about its column.
fn is_uninformative(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    field.is_empty() || MISSING.contains(&field)
}

/// A field without a value.
fn is_missing(field: &[u8]) -> bool {
    is_uninformative(field) || field.trim_ascii().eq_ignore_ascii_case(b"nan")
}

/// A field as a number, finite or not.
pub(crate) fn number(field: &[u8], decimal_comma: bool) -> Option<f64> {
    let field = field.trim_ascii();
    if !decimal_comma {
        // Blanks that are not ASCII are rare and slow to search for; so is checking that digits are UTF-8.
        let plain = fast_float2::parse(field).ok();
        return plain.or_else(|| std::str::from_utf8(field).ok()?.trim().parse().ok());
    }
    // A point would separate thousands, which cannot be distinguished from a decimal point.
    if field.contains(&b'.') {
        return None;
    }
    std::str::from_utf8(field).ok()?.replacen(',', ".", 1).parse().ok()
}

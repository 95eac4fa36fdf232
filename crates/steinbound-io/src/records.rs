//! What every table is read with: records with their lines, the header rule, missing values, names of columns.

use std::path::Path;

use csv::ByteRecord;

use crate::error::IoError;
use crate::names::{few, nearest, shown};
use crate::table::shown_path;

/// The bytes of a file.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, IoError> {
    std::fs::read(path).map_err(|error| IoError::Read { path: shown_path(path), reason: error.to_string() })
}

/// A table whose header has been told apart from its data.
pub(crate) struct Records<'a> {
    bytes: &'a [u8],
    pub layout: Layout,
    /// A header one of whose names is a number, which may be data with a gap.
    pub doubtful_header: Option<String>,
}

impl<'a> Records<'a> {
    /// Looks at the first row: all numbers are data, anything else is the header.
    pub fn new(path: &str, bytes: &'a [u8]) -> Result<Records<'a>, IoError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut first = ByteRecord::new();
        if Rows::new(path, bytes, None).next(&mut first)?.is_none() {
            return Err(IoError::Empty { path: path.to_string() });
        }
        let has_header = !first.iter().all(|field| number(field).is_some());
        let name = |(j, field)| match String::from_utf8_lossy(field).trim() {
            header if has_header && !header.is_empty() => printable(header),
            _ => format!("x{}", j + 1),
        };
        let names = first.iter().enumerate().map(name).collect();
        let doubtful = || first.iter().find(|field| number(field).is_some()).map(text);
        Ok(Records {
            bytes,
            layout: Layout { path: path.to_string(), names, has_header },
            doubtful_header: has_header.then(doubtful).flatten(),
        })
    }

    /// The rows of data, from the first.
    pub fn rows(&self) -> Result<Rows<'_>, IoError> {
        let mut rows = Rows::new(&self.layout.path, self.bytes, Some(self.layout.names.len()));
        if self.layout.has_header {
            rows.next(&mut ByteRecord::new())?;
        }
        Ok(rows)
    }
}

/// The records of a table with their line numbers; blank lines are passed over.
pub(crate) struct Rows<'a> {
    path: &'a str,
    bytes: &'a [u8],
    reader: csv::Reader<&'a [u8]>,
    width: Option<usize>,
    /// How many bytes were passed, and the line on which they end.
    passed: (usize, u64),
}

impl<'a> Rows<'a> {
    fn new(path: &'a str, bytes: &'a [u8], width: Option<usize>) -> Rows<'a> {
        let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
        Rows { path, bytes, reader, width, passed: (0, 1) }
    }

    /// Reads the next record and gives its line.
    pub fn next(&mut self, record: &mut ByteRecord) -> Result<Option<u64>, IoError> {
        let path = self.path;
        let path = || path.to_string();
        loop {
            match self.reader.read_byte_record(record) {
                Ok(false) => return Ok(None),
                Ok(true) => {
                    let line = self.line(record);
                    let is_blank = record.len() == 1 && record[0].iter().all(u8::is_ascii_whitespace);
                    match self.width {
                        _ if is_blank => {}
                        Some(expected) if record.len() != expected => {
                            return Err(IoError::Ragged {
                                path: path(),
                                line,
                                found: record.len(),
                                expected,
                            });
                        }
                        _ => return Ok(Some(line)),
                    }
                }
                Err(error) => {
                    let line = error.position().map_or(0, csv::Position::line);
                    return Err(IoError::Malformed { path: path(), line, reason: error.to_string() });
                }
            }
        }
    }

    /// The line on which a record starts.
    ///
    /// The parser's own count stops before the line feed of a Windows line end and before blank lines, so that it would name
    /// the wrong line in such files.
    fn line(&mut self, record: &ByteRecord) -> u64 {
        let start = record.position().and_then(|place| usize::try_from(place.byte()).ok()).unwrap_or(0);
        let ends_line = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let blank = self.bytes.iter().skip(start).take_while(|byte| ends_line(byte)).count();
        let (mut at, mut line) = self.passed;
        while at < (start + blank).min(self.bytes.len()) {
            let is_windows = self.bytes[at] == b'\r' && self.bytes.get(at + 1) == Some(&b'\n');
            line += u64::from(ends_line(&self.bytes[at]) && !is_windows);
            at += 1;
        }
        self.passed = (at, line);
        line
    }
}

/// The columns of a file, for finding and naming them, and for reading their cells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    pub path: String,
    pub names: Vec<String>,
    pub has_header: bool,
}

impl Layout {
    /// The column of that header, else of that 1-based number.
    pub fn find(&self, asked: &str) -> Result<usize, IoError> {
        let asked = asked.trim();
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

    /// The column as messages call it.
    fn place(&self, j: usize) -> String {
        if self.has_header {
            format!("{} (\"{}\")", j + 1, shown(&self.names[j]))
        } else {
            (j + 1).to_string()
        }
    }

    /// The refusal of a cell without a value.
    pub fn missing(&self, j: usize, line: u64) -> IoError {
        IoError::Missing { path: self.path.clone(), line, column: self.place(j) }
    }

    /// A cell of column `j` as a finite number.
    pub fn value(&self, field: &[u8], j: usize, line: u64) -> Result<f64, IoError> {
        let path = self.path.clone();
        match number(field) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(IoError::NotFinite { path, line, column: self.place(j), value: text(field) }),
            None if is_missing(field) => Err(self.missing(j, line)),
            None => Err(IoError::NotANumber { path, line, column: self.place(j), value: text(field) }),
        }
    }

    /// A cell of column `j` as an observation weight.
    pub fn weight(&self, field: &[u8], j: usize, line: u64) -> Result<f64, IoError> {
        let weight = self.value(field, j, line)?;
        if weight < 0.0 {
            let (path, column) = (self.path.clone(), self.place(j));
            return Err(IoError::NegativeWeight { path, line, column, value: text(field) });
        }
        Ok(weight)
    }

    /// A cell of column `j` as a label, without the blanks around it.
    pub fn label(&self, field: &[u8], j: usize, line: u64) -> Result<String, IoError> {
        if is_missing(field) {
            return Err(self.missing(j, line));
        }
        Ok(String::from_utf8_lossy(field).trim().to_string())
    }

    /// The refusal of a table from which no row is left.
    pub fn no_rows(&self, dropped: usize) -> IoError {
        let path = self.path.clone();
        if dropped == 0 { IoError::NoRows { path } } else { IoError::AllDropped { path, dropped } }
    }
}

/// Text without characters that would move the cursor or change colours.
pub(crate) fn printable(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_debug().collect() } else { vec![c] }).collect()
}

/// Whether the column of this cell is numeric; `None` where the cell says nothing about it.
pub(crate) fn tells_numeric(field: &[u8]) -> Option<bool> {
    let says_nothing = field.iter().all(u8::is_ascii_whitespace) || field == b"NA";
    (!says_nothing).then(|| number(field).is_some())
}

/// A cell without a value: empty, `NA` or `NaN`.
pub(crate) fn is_missing(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    field.is_empty() || field == b"NA" || number(field).is_some_and(f64::is_nan)
}

/// A cell as a number, finite or not.
fn number(field: &[u8]) -> Option<f64> {
    std::str::from_utf8(field).ok()?.trim().parse().ok()
}

fn text(field: &[u8]) -> String {
    shown(&String::from_utf8_lossy(field))
}

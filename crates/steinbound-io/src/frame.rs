//! [`Frame`]: a table whose columns are read by name, as numbers or text.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::columns::{Column, ColumnRows};
use crate::error::IoError;
use crate::open::{open_rows, text_rows};
use crate::place::{Place, Unit};
use crate::records::{Cell, Layout, Rows};
use crate::source::Progress;
use crate::text_format::TextFormat;

/// Options for reading a frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrameOptions {
    /// Leave out rows with a missing value in a used column instead of returning an error.
    pub drop_missing: bool,
    /// How a table of text is laid out.
    pub format: TextFormat,
}

/// A table in memory, whose columns are interpreted when they are requested.
///
/// Cells stay text until a column is used, so that an unused column may contain anything. A column is numeric
/// if most of its values at the beginning of the table are numbers (if half of them are, its first value
/// decides); other columns are text. Columns are named by their
/// header, by `x1`, `x2`, .. if the file has none, or by their number, counted from 1.
///
/// ```
/// use steinbound_io::{Frame, FrameOptions};
/// let frame = Frame::parse("scores.csv", b"score,group,note\n1.5,a,\n2.5,b,late\n", &FrameOptions::default())?;
/// assert_eq!(frame.names(), ["score", "group", "note"]);
/// assert_eq!(frame.numbers("score")?, [1.5, 2.5]);
/// assert_eq!(frame.texts("group")?, ["a", "b"]);
/// assert!(frame.texts("note").is_err());
/// # Ok::<(), steinbound_io::IoError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    cells: Arc<Cells>,
    drop_missing: bool,
    /// The rows of the file that are kept.
    rows: Vec<usize>,
}

/// All cells of a file, row by row.
#[derive(Debug, Clone, PartialEq)]
struct Cells {
    layout: Layout,
    bytes: Vec<u8>,
    /// The end of each cell in the bytes.
    ends: Vec<usize>,
    lines: Vec<u64>,
    /// For each column whether it is numeric.
    numeric: Vec<bool>,
    /// The order of the levels of columns, where the table gives one.
    levels: BTreeMap<usize, Vec<String>>,
}

impl Cells {
    fn cell(&self, row: usize, j: usize) -> Cell<'_> {
        let at = row * self.layout.names.len() + j;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        Cell::Text(&self.bytes[start..self.ends[at]])
    }
}

/// Reads a table whose columns are requested by name, in any format that [`read_table`](crate::read_table)
/// reads.
///
/// ```no_run
/// use steinbound_io::{FrameOptions, read_frame};
/// let frame = read_frame("scores.csv".as_ref(), &FrameOptions { drop_missing: true, ..Default::default() })?;
/// println!("{} rows", frame.len());
/// # Ok::<(), steinbound_io::IoError>(())
/// ```
pub fn read_frame(path: &Path, options: &FrameOptions) -> Result<Frame, IoError> {
    read_frame_watched(path, options, &|_| ())
}

/// The same as [`read_frame`], with reports of its progress.
///
/// ```no_run
/// use steinbound_io::{FrameOptions, read_frame_watched};
/// let report = |progress: steinbound_io::Progress| eprintln!("{} rows", progress.rows);
/// let frame = read_frame_watched("scores.csv".as_ref(), &FrameOptions::default(), &report)?;
/// # Ok::<(), steinbound_io::IoError>(())
/// ```
pub fn read_frame_watched(
    path: &Path,
    options: &FrameOptions,
    watch: &dyn Fn(Progress),
) -> Result<Frame, IoError> {
    Frame::read_rows(&mut *open_rows(path, &options.format, watch)?, options)
}

impl Frame {
    /// Reads a frame from the bytes of a file; the path is used in messages.
    pub fn parse(path: &str, bytes: &[u8], options: &FrameOptions) -> Result<Frame, IoError> {
        Frame::read_rows(&mut text_rows(path, bytes, &options.format)?, options)
    }

    /// A frame of columns in memory; the name is used in messages. A column of texts is text even if it
    /// contains numbers.
    ///
    /// ```
    /// use steinbound_io::{Column, Frame, FrameOptions};
    /// let columns = vec![
    ///     ("y".to_string(), Column::Numbers(vec![0.1, f64::NAN])),
    ///     ("year".to_string(), Column::Texts(vec![Some("2020".into()), Some("2021".into())])),
    /// ];
    /// let frame = Frame::from_columns("data", columns, &FrameOptions::default())?;
    /// assert!(!frame.is_numeric("year")?);
    /// assert!(frame.numbers("y").unwrap_err().to_string().starts_with("data, row 2, column 1 (\"y\")"));
    /// # Ok::<(), steinbound_io::IoError>(())
    /// ```
    pub fn from_columns(
        name: &str,
        columns: Vec<(String, Column)>,
        options: &FrameOptions,
    ) -> Result<Frame, IoError> {
        let numeric = columns.iter().map(|(_, column)| matches!(column, Column::Numbers(_))).collect();
        let frame = Frame::read_rows(&mut ColumnRows::new(name, columns)?, options)?;
        let Frame { cells, drop_missing, rows } = frame;
        let cells =
            Arc::try_unwrap(cells).map_or_else(|shared| shared, |own| Arc::new(Cells { numeric, ..own }));
        Ok(Frame { cells, drop_missing, rows })
    }

    /// The same table, whose rows and columns messages count from 0, as arrays do.
    ///
    /// ```
    /// use steinbound_io::{Column, Frame, FrameOptions};
    /// let columns = vec![("y".to_string(), Column::Numbers(vec![1.5, f64::NAN]))];
    /// let frame = Frame::from_columns("data", columns, &FrameOptions::default())?.counted_from_zero();
    /// assert!(frame.numbers("y").unwrap_err().to_string().starts_with("data, row 1, column 0 (\"y\")"));
    /// # Ok::<(), steinbound_io::IoError>(())
    /// ```
    pub fn counted_from_zero(mut self) -> Frame {
        let cells = Arc::make_mut(&mut self.cells);
        cells.layout.unit = Unit::Index;
        cells.lines.iter_mut().for_each(|line| *line = line.saturating_sub(1));
        self
    }

    /// The same table, where a column of text has levels in a given order; those that no row has are known.
    ///
    /// ```
    /// use steinbound_io::{Formula, Frame, FrameOptions};
    /// let frame = Frame::parse("f.csv", b"y,g\n1,low\n2,mid\n4,mid\n", &FrameOptions::default())?;
    /// let frame = frame.with_levels("g", ["high", "mid", "low"].map(String::from).to_vec())?;
    /// let design = Formula::parse("y ~ g")?.design(&frame)?;
    /// assert_eq!(design.names, ["(Intercept)", "g[low]"]);
    /// assert_eq!(design.notes, ["no row has these levels of g, which are left out: high"]);
    /// # Ok::<(), steinbound_io::IoError>(())
    /// ```
    pub fn with_levels(mut self, column: &str, levels: Vec<String>) -> Result<Frame, IoError> {
        let j = self.find(column)?;
        // Cells are compared without the blanks around them.
        let levels = levels.into_iter().map(|level| level.trim().to_string()).collect();
        Arc::make_mut(&mut self.cells).levels.insert(j, levels);
        Ok(self)
    }

    fn read_rows(rows: &mut dyn Rows, options: &FrameOptions) -> Result<Frame, IoError> {
        let layout = rows.layout().clone();
        let width = layout.names.len();
        let usable: Vec<usize> = (0..width).filter(|j| layout.is_usable(*j)).collect();
        if usable.is_empty() {
            return Err(layout.no_usable_column());
        }
        rows.choose(&usable)?;
        let (mut bytes, mut ends, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        let mut verdicts: Vec<Option<bool>> = (0..width).map(|j| rows.leaning(j)).collect();
        while let Some(line) = rows.next()? {
            for (j, verdict) in verdicts.iter_mut().enumerate() {
                let cell = rows.cell(j);
                *verdict = verdict.or_else(|| layout.decides_numeric(cell));
                bytes.extend_from_slice(&cell.bytes());
                ends.push(bytes.len());
            }
            lines.push(line);
        }
        if lines.is_empty() {
            return Err(layout.no_rows(0));
        }
        let rows = (0..lines.len()).collect();
        let numeric = verdicts.into_iter().map(|verdict| verdict == Some(true)).collect();
        let cells = Arc::new(Cells { layout, bytes, ends, lines, numeric, levels: BTreeMap::new() });
        Ok(Frame { cells, drop_missing: options.drop_missing, rows })
    }

    /// The file it came from.
    pub fn path(&self) -> &str {
        &self.cells.layout.path
    }

    /// The names of the columns in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.cells.layout.names
    }

    /// Whether the file has a header.
    pub fn has_header(&self) -> bool {
        self.cells.layout.has_header
    }

    /// The first numeric name in the header, if any: that row may be data with a gap.
    pub fn doubtful_header(&self) -> Option<&str> {
        self.cells.layout.doubtful_header.as_deref()
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows, which is possible only after [`Frame::select`].
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of rows of the file that were left out.
    pub fn dropped(&self) -> usize {
        self.cells.lines.len().saturating_sub(self.rows.len())
    }

    /// The position of a row in the file.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn place(&self, row: usize) -> Place {
        self.cells.layout.row(self.line(row))
    }

    fn line(&self, row: usize) -> u64 {
        self.cells.lines[self.rows[row]]
    }

    /// Whether a column is numeric, that is, whether most of its first values are numbers.
    pub fn is_numeric(&self, column: &str) -> Result<bool, IoError> {
        Ok(self.is_numeric_at(self.find(column)?))
    }

    /// The values of a column of numbers; a missing value or text is an error.
    pub fn numbers(&self, column: &str) -> Result<Vec<f64>, IoError> {
        self.numbers_at(self.find(column)?)
    }

    /// The values of a column as text, without surrounding blanks; a missing value is an error.
    pub fn texts(&self, column: &str) -> Result<Vec<String>, IoError> {
        self.texts_at(self.find(column)?)
    }

    /// The values of a column of observation weights, none of them negative.
    pub fn weights(&self, column: &str) -> Result<Vec<f64>, IoError> {
        self.read(self.find(column)?, Layout::weight)
    }

    /// The rows that have a value in each of these columns, counted from zero.
    ///
    /// Without `drop_missing` a missing value is an error.
    ///
    /// ```
    /// use steinbound_io::{Frame, FrameOptions};
    /// let frame = Frame::parse("f.csv", b"y,x,note\n1,,a\n2,3,\n", &FrameOptions { drop_missing: true, ..Default::default() })?;
    /// let rows = frame.complete_rows(&["y", "x"])?;
    /// assert_eq!(rows, [1]);
    /// let frame = frame.select(&rows);
    /// assert_eq!((frame.numbers("y")?, frame.place(0).number, frame.dropped()), (vec![2.0], 3, 1));
    /// # Ok::<(), steinbound_io::IoError>(())
    /// ```
    pub fn complete_rows(&self, used: &[&str]) -> Result<Vec<usize>, IoError> {
        let used = used.iter().map(|column| self.find(column)).collect::<Result<Vec<_>, _>>()?;
        self.complete_rows_at(&used)
    }

    /// The same table with only these rows, in this order; rows that do not exist are skipped.
    pub fn select(&self, rows: &[usize]) -> Frame {
        let rows = rows.iter().filter_map(|row| self.rows.get(*row).copied()).collect();
        Frame { cells: Arc::clone(&self.cells), drop_missing: self.drop_missing, rows }
    }

    /// The index of a column in the file, counted from zero.
    pub(crate) fn find(&self, column: &str) -> Result<usize, IoError> {
        self.cells.layout.find(column)
    }

    pub(crate) fn is_numeric_at(&self, j: usize) -> bool {
        self.cells.numeric[j]
    }

    /// The order of the levels of a column, where the table gives one.
    pub(crate) fn levels_at(&self, j: usize) -> Option<&[String]> {
        self.cells.levels.get(&j).map(Vec::as_slice)
    }

    pub(crate) fn numbers_at(&self, j: usize) -> Result<Vec<f64>, IoError> {
        self.read(j, Layout::value)
    }

    pub(crate) fn texts_at(&self, j: usize) -> Result<Vec<String>, IoError> {
        self.read(j, Layout::label)
    }

    pub(crate) fn complete_rows_at(&self, used: &[usize]) -> Result<Vec<usize>, IoError> {
        let mut complete = Vec::with_capacity(self.len());
        for (i, row) in self.rows.iter().enumerate() {
            match used.iter().find(|j| self.cells.cell(*row, **j).is_missing()) {
                None => complete.push(i),
                Some(_) if self.drop_missing => {}
                Some(j) if self.is_numeric_at(*j) => {
                    self.cells.layout.value(self.cells.cell(*row, *j), *j, self.line(i))?;
                }
                Some(j) => return Err(self.cells.layout.missing(*j, self.line(i))),
            }
        }
        if complete.is_empty() {
            return Err(self.cells.layout.no_rows(self.len()));
        }
        Ok(complete)
    }

    /// A column, each of its cells read in the same way.
    fn read<T>(
        &self,
        j: usize,
        cell: impl Fn(&Layout, Cell, usize, u64) -> Result<T, IoError>,
    ) -> Result<Vec<T>, IoError> {
        let Cells { layout, lines, .. } = &*self.cells;
        self.rows.iter().map(|row| cell(layout, self.cells.cell(*row, j), j, lines[*row])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str, drop_missing: bool) -> Frame {
        Frame::parse("f.csv", text.as_bytes(), &FrameOptions { drop_missing, ..Default::default() }).unwrap()
    }

    #[test]
    fn columns_are_numbers_or_text_by_most_of_their_values() {
        let damaged = frame("y,x\nO.5,1\n2,a\n3,b\n", false);
        assert_eq!(["y", "x"].map(|column| damaged.is_numeric(column).unwrap()), [true, false]);
        let error = damaged.numbers("y").unwrap_err().to_string();
        assert!(error.contains("line 2, column 1 (\"y\"): \"O.5\" is not a number"), "{error}");
        // Of two values that differ the first decides.
        let frame = frame("a,b,c,d\n,x,NA,\n1,2,3,\n", false);
        let kinds = ["a", "b", "c", "d"].map(|column| frame.is_numeric(column).unwrap());
        assert_eq!(kinds, [true, false, true, false]);
        assert_eq!(frame.texts("b").unwrap(), ["x", "2"]);
    }

    #[test]
    fn frames_follow_the_rules_of_tables() {
        let windows = frame("\u{feff}\"a\", b \r\n\"1\", two words \r\n\r\n3,4\r\n", false);
        assert_eq!((windows.names(), windows.has_header()), (&["a".to_string(), "b".to_string()][..], true));
        assert_eq!(windows.numbers("a").unwrap(), [1.0, 3.0]);
        assert_eq!(windows.texts("b").unwrap(), ["two words", "4"]);
        assert_eq!((windows.line(0), windows.line(1)), (2, 4));
        let bare = frame("1,2\n3,4\n", false);
        assert_eq!((bare.has_header(), bare.numbers("x2").unwrap()), (false, vec![2.0, 4.0]));
        assert_eq!(frame("1.5,\n2,3\n", false).doubtful_header(), Some("1.5"));
        let refused = |text: &str| {
            Frame::parse("f.csv", text.as_bytes(), &FrameOptions::default()).unwrap_err().to_string()
        };
        assert!(refused("").contains("is empty"));
        assert!(refused("a,b\n").contains("no data rows"));
        assert!(refused("a,b\n1,2\n3\n").contains("line 3: 1 values where the first line has 2"));
    }

    #[test]
    fn only_used_columns_are_checked() {
        let frame = frame("y,x,note\n1,oak,\n2,3,\n,4,\n", false);
        assert_eq!(frame.texts("x").unwrap(), ["oak", "3", "4"]);
        let refused = |column: &str| frame.numbers(column).unwrap_err().to_string();
        assert!(refused("y").contains("f.csv, line 4, column 1 (\"y\"): the value is missing"));
        assert!(refused("x").contains("line 2, column 2 (\"x\"): \"oak\" is not a number"));
        assert!(refused("z").contains("no column \"z\"; its columns are y, x, note"));
        assert!(frame.complete_rows(&["x"]).is_ok());
        let error = frame.complete_rows(&["x", "note"]).unwrap_err().to_string();
        assert!(error.contains("line 2, column 3 (\"note\"): the value is missing"), "{error}");
    }

    #[test]
    fn a_late_text_in_a_column_of_numbers_is_refused_by_place() {
        let error = frame("y\n1\noak\n", true).numbers("y").unwrap_err().to_string();
        assert!(error.contains("line 3, column 1 (\"y\"): \"oak\" is not a number"), "{error}");
        let error = frame("y\n1\nnan\n", false).complete_rows(&["y"]).unwrap_err().to_string();
        assert!(error.contains("line 3, column 1 (\"y\"): nan is not a finite number"), "{error}");
    }

    #[test]
    fn incomplete_rows_are_dropped_and_counted() {
        let whole = frame("y,x,note\n1,a,\n2,NA,\nnan,b,\n4,c,\n", true);
        let rows = whole.complete_rows(&["y", "x"]).unwrap();
        let kept = whole.select(&rows);
        assert_eq!((rows, kept.dropped(), kept.len()), (vec![0, 3], 2, 2));
        assert_eq!((kept.numbers("y").unwrap(), kept.line(1)), (vec![1.0, 4.0], 5));
        assert_eq!(kept.select(&[1, 7]).texts("x").unwrap(), ["c"]);
        let error = whole.complete_rows(&["note"]).unwrap_err().to_string();
        assert!(error.contains("every one of the 4 rows has a missing value"), "{error}");
    }

    #[test]
    fn weights_are_not_negative_and_names_not_ambiguous() {
        let frame = frame("w,w,v\n1,2,0\n1,2,-1\n", false);
        assert!(
            frame.weights("v").unwrap_err().to_string().contains("line 3, column 3 (\"v\"): the weight -1")
        );
        assert!(frame.numbers("w").unwrap_err().to_string().contains("more than one column \"w\""));
        assert_eq!(frame.weights("2").unwrap(), [2.0, 2.0]);
    }

    proptest::proptest! {
        /// For any bytes, every column is read or rejected.
        #[test]
        fn any_bytes_are_read_or_refused(
            text in "([0-9.,eE+-]|[\"\\n\\r, ]|nan|inf|NA|[a-c]|\\PC){0,60}",
            noise in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..6),
            drop_missing in proptest::prelude::any::<bool>(),
        ) {
            let bytes = [text.as_bytes(), &noise].concat();
            if let Ok(frame) = Frame::parse("f", &bytes, &FrameOptions { drop_missing, ..Default::default() }) {
                for j in 0..frame.names().len() {
                    if let Ok(rows) = frame.complete_rows_at(&[j]) {
                        let kept = frame.select(&rows);
                        proptest::prop_assert!(kept.texts_at(j).is_ok());
                        let numbers = kept.numbers_at(j).unwrap_or_default();
                        proptest::prop_assert!(numbers.iter().all(|value| value.is_finite()));
                    }
                }
            }
        }
    }
}

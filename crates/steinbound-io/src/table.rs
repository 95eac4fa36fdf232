//! Comma-separated tables.

use std::collections::HashMap;
use std::path::Path;

use csv::ByteRecord;
use steinbound::{Error, Matrix, Points};

use crate::error::IoError;
use crate::names::{nearest, shown};

/// What to take from a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableOptions {
    /// Columns by header or 1-based number; all numeric ones if empty.
    pub columns: Vec<String>,
    /// The column of observation weights.
    pub weights: Option<String>,
    /// The column of cluster labels.
    pub cluster: Option<String>,
    /// Leave out rows with missing values instead of refusing them.
    pub drop_missing: bool,
}

/// The chosen columns of a table, in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// The file it came from.
    pub path: String,
    /// The names of the columns; `x1`, `x2`, .. where the file has no header.
    pub names: Vec<String>,
    /// Whether the file has a header.
    pub has_header: bool,
    /// The values, row by row.
    pub values: Vec<f64>,
    /// The line of the file on which each row stands.
    pub lines: Vec<u64>,
    /// How many rows were left out for missing values.
    pub dropped: usize,
    /// A header one of whose names is a number, which may be data with a gap.
    pub doubtful_header: Option<String>,
    weights: Option<Vec<f64>>,
    clusters: Option<Vec<String>>,
}

impl Sheet {
    /// The number of columns.
    pub fn dimension(&self) -> usize {
        self.names.len()
    }

    /// The same rows with only these columns, in this order; `None` where one is not there.
    pub fn with_columns(mut self, names: &[String]) -> Option<Sheet> {
        let place = |name: &String| self.names.iter().position(|other| other == name);
        let places = names.iter().map(place).collect::<Option<Vec<usize>>>()?;
        let rows = self.values.chunks_exact(self.dimension());
        self.values = rows.flat_map(|row| places.iter().map(|j| row[*j])).collect();
        self.names = names.to_vec();
        Some(self)
    }

    /// The values as points, with names, weights and clusters.
    pub fn into_points(self) -> Result<Points<'static>, Error> {
        let dimension = self.dimension();
        let mut points = Points::new(self.values, dimension)?.with_names(self.names)?;
        if let Some(weights) = self.weights {
            points = points.with_weights(weights)?;
        }
        if let Some(clusters) = &self.clusters {
            points = points.with_clusters(clusters)?;
        }
        Ok(points)
    }
}

/// Reads columns of a table of comma-separated values.
///
/// A first row that is all numbers is data, otherwise it is the header. A column is numeric if its first value is; a later value in
/// it that is not a number is an error. Empty fields, `NA` and `NaN` are missing values where rows with such may be dropped.
pub fn read_table(path: &Path, options: &TableOptions) -> Result<Sheet, IoError> {
    let name = shown_path(path);
    let bytes = std::fs::read(path)
        .map_err(|error| IoError::Read { path: name.clone(), reason: error.to_string() })?;
    parse_table(&name, &bytes, options)
}

/// Reads a table of numbers, without a header, as a matrix.
pub fn read_matrix(path: &Path) -> Result<Matrix, IoError> {
    let sheet = read_table(path, &TableOptions::default())?;
    let dimension = sheet.dimension();
    Ok(Matrix::from_fn(sheet.lines.len(), dimension, |i, j| sheet.values[i * dimension + j]))
}

/// A path as it may be shown in a message.
pub fn shown_path(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

fn parse_table(path: &str, bytes: &[u8], options: &TableOptions) -> Result<Sheet, IoError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut rows = Rows::new(path, bytes);
    let mut first = ByteRecord::new();
    if rows.next(&mut first)?.is_none() {
        return Err(IoError::Empty { path: path.to_string() });
    }
    let width = first.len();
    let has_header = !first.iter().all(|field| number(field).is_some());
    let names: Vec<String> = (0..width)
        .map(|j| match String::from_utf8_lossy(&first[j]).trim() {
            header if has_header && !header.is_empty() => printable(header),
            _ => format!("x{}", j + 1),
        })
        .collect();
    let layout = Layout { path, names: &names, has_header };
    let weights = options.weights.as_ref().map(|column| layout.find(column)).transpose()?;
    let cluster = options.cluster.as_ref().map(|column| layout.find(column)).transpose()?;
    let chosen = if options.columns.is_empty() {
        let numeric = numeric_columns(path, bytes, has_header, width)?;
        numeric.into_iter().filter(|j| Some(*j) != weights && Some(*j) != cluster).collect()
    } else {
        options.columns.iter().map(|column| layout.find(column)).collect::<Result<Vec<_>, _>>()?
    };
    if let Some(at) = (0..chosen.len()).find(|at| chosen[..*at].contains(&chosen[*at])) {
        return Err(IoError::RepeatedColumn { path: path.to_string(), name: shown(&names[chosen[at]]) });
    }
    if chosen.is_empty() {
        return Err(IoError::NoNumericColumn { path: path.to_string() });
    }

    let mut sheet = Sheet {
        path: path.to_string(),
        names: distinct(chosen.iter().enumerate().map(|(at, j)| layout.name(at, *j)).collect()),
        has_header,
        values: Vec::new(),
        lines: Vec::new(),
        dropped: 0,
        doubtful_header: has_header
            .then(|| first.iter().find(|field| number(field).is_some()).map(text))
            .flatten(),
        weights: weights.map(|_| Vec::new()),
        clusters: cluster.map(|_| Vec::new()),
    };
    let mut rows = Rows::new(path, bytes);
    if has_header {
        rows.next(&mut first)?;
    }
    let mut record = ByteRecord::new();
    while let Some(line) = rows.next(&mut record)? {
        if record.len() != width {
            return Err(IoError::Ragged {
                path: path.to_string(),
                line,
                found: record.len(),
                expected: width,
            });
        }
        let used = chosen.iter().chain(&weights).copied();
        if options.drop_missing && used.chain(cluster).any(|j| is_missing(&record[j])) {
            sheet.dropped += 1;
            continue;
        }
        for j in &chosen {
            sheet.values.push(layout.value(&record, *j, line)?);
        }
        if let (Some(weights), Some(j)) = (&mut sheet.weights, weights) {
            let weight = layout.value(&record, j, line)?;
            if weight < 0.0 {
                let (path, column, value) = (path.to_string(), layout.place(j), text(&record[j]));
                return Err(IoError::NegativeWeight { path, line, column, value });
            }
            weights.push(weight);
        }
        if let (Some(clusters), Some(j)) = (&mut sheet.clusters, cluster) {
            if is_missing(&record[j]) {
                return Err(layout.missing(j, line));
            }
            clusters.push(String::from_utf8_lossy(&record[j]).trim().to_string());
        }
        sheet.lines.push(line);
    }
    if sheet.lines.is_empty() {
        let path = path.to_string();
        return Err(match sheet.dropped {
            0 => IoError::NoRows { path },
            dropped => IoError::AllDropped { path, dropped },
        });
    }
    Ok(sheet)
}

/// The records of a table with their line numbers; blank lines are passed over.
struct Rows<'a> {
    path: &'a str,
    reader: csv::Reader<&'a [u8]>,
}

impl<'a> Rows<'a> {
    fn new(path: &'a str, bytes: &'a [u8]) -> Rows<'a> {
        let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
        Rows { path, reader }
    }

    /// Reads the next record and gives its line.
    fn next(&mut self, record: &mut ByteRecord) -> Result<Option<u64>, IoError> {
        loop {
            match self.reader.read_byte_record(record) {
                Ok(false) => return Ok(None),
                Ok(true) => {
                    let is_blank = record.len() == 1 && record[0].iter().all(u8::is_ascii_whitespace);
                    if !is_blank {
                        return Ok(Some(record.position().map_or(0, csv::Position::line)));
                    }
                }
                Err(error) => {
                    return Err(IoError::Malformed {
                        path: self.path.to_string(),
                        line: error.position().map_or(0, csv::Position::line),
                        reason: error.to_string(),
                    });
                }
            }
        }
    }
}

/// The columns of a file, for finding and naming them.
struct Layout<'a> {
    path: &'a str,
    names: &'a [String],
    has_header: bool,
}

impl Layout<'_> {
    /// The column of that header, else of that 1-based number.
    fn find(&self, asked: &str) -> Result<usize, IoError> {
        let asked = asked.trim();
        let mut matches = self.names.iter().enumerate().filter(|(_, name)| *name == asked);
        if let Some((at, _)) = matches.next() {
            return match matches.next() {
                None => Ok(at),
                Some(_) => Err(IoError::AmbiguousColumn { path: self.path.to_string(), name: shown(asked) }),
            };
        }
        match asked.parse::<usize>() {
            Ok(number) if (1..=self.names.len()).contains(&number) => Ok(number - 1),
            _ => Err(IoError::NoSuchColumn {
                path: self.path.to_string(),
                name: shown(asked),
                known: self.known(),
                nearest: nearest(asked, self.names.iter().map(String::as_str)).map(shown),
            }),
        }
    }

    fn known(&self) -> String {
        const MOST: usize = 12;
        let mut list: Vec<String> = self.names.iter().take(MOST).map(|name| shown(name)).collect();
        if self.names.len() > MOST {
            list.push(format!("and {} more", self.names.len() - MOST));
        }
        list.join(", ")
    }

    /// The name of a chosen column: its header, or its place among the chosen.
    fn name(&self, at: usize, j: usize) -> String {
        if self.has_header { self.names[j].clone() } else { format!("x{}", at + 1) }
    }

    /// The column as messages call it.
    fn place(&self, j: usize) -> String {
        if self.has_header {
            format!("{} (\"{}\")", j + 1, shown(&self.names[j]))
        } else {
            (j + 1).to_string()
        }
    }

    fn missing(&self, j: usize, line: u64) -> IoError {
        IoError::Missing { path: self.path.to_string(), line, column: self.place(j) }
    }

    fn value(&self, record: &ByteRecord, j: usize, line: u64) -> Result<f64, IoError> {
        let field = &record[j];
        let path = self.path.to_string();
        match number(field) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(IoError::NotFinite { path, line, column: self.place(j), value: text(field) }),
            None if is_missing(field) => Err(self.missing(j, line)),
            None => Err(IoError::NotANumber { path, line, column: self.place(j), value: text(field) }),
        }
    }
}

/// A header without characters that would move the cursor or change colours.
fn printable(header: &str) -> String {
    header.chars().flat_map(|c| if c.is_control() { c.escape_debug().collect() } else { vec![c] }).collect()
}

/// Names made distinct: the second `x` becomes `x_2`.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut number = |name: String| {
        let count = seen.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { name } else { format!("{name}_{count}") }
    };
    names.into_iter().map(&mut number).collect()
}

/// The columns whose first value, missing ones passed over, is a number.
fn numeric_columns(path: &str, bytes: &[u8], has_header: bool, width: usize) -> Result<Vec<usize>, IoError> {
    let mut rows = Rows::new(path, bytes);
    let mut record = ByteRecord::new();
    if has_header {
        rows.next(&mut record)?;
    }
    let mut verdicts: Vec<Option<bool>> = vec![None; width];
    while verdicts.contains(&None) && rows.next(&mut record)?.is_some() {
        for (verdict, field) in verdicts.iter_mut().zip(&record) {
            if verdict.is_none() && !(field.iter().all(u8::is_ascii_whitespace) || field == b"NA") {
                *verdict = Some(number(field).is_some());
            }
        }
    }
    // A table without rows is told apart later; a column without any value is not numeric.
    let no_rows = verdicts.iter().all(Option::is_none);
    Ok((0..width).filter(|j| no_rows || verdicts[*j] == Some(true)).collect())
}

fn number(field: &[u8]) -> Option<f64> {
    std::str::from_utf8(field).ok()?.trim().parse().ok()
}

fn is_missing(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    field.is_empty() || field == b"NA" || number(field).is_some_and(f64::is_nan)
}

fn text(field: &[u8]) -> String {
    shown(&String::from_utf8_lossy(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Sheet, IoError> {
        parse_table("data.csv", text.as_bytes(), &TableOptions::default())
    }

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_first_row_of_numbers_is_data() {
        let sheet = parse("1,2\n3,4\n").unwrap();
        assert_eq!((sheet.has_header, sheet.values), (false, vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(sheet.names, ["x1", "x2"]);
        let sheet = parse("lon,lat\n1,2\n3,4").unwrap();
        assert_eq!((sheet.has_header, sheet.lines), (true, vec![2, 3]));
        assert_eq!(sheet.names, ["lon", "lat"]);
    }

    #[test]
    fn text_columns_are_left_out_and_chosen_ones_kept_in_order() {
        let text = "id,x,y\na,1,2\nb,3,4\n";
        assert_eq!(parse(text).unwrap().names, ["x", "y"]);
        let options = TableOptions { columns: vec!["y".into(), "2".into()], ..Default::default() };
        let sheet = parse_table("f", text.as_bytes(), &options).unwrap();
        assert_eq!((sheet.names, sheet.values), (vec!["y".into(), "x".into()], vec![2.0, 1.0, 4.0, 3.0]));
    }

    #[test]
    fn weights_and_clusters_are_not_data() {
        let options =
            TableOptions { weights: Some("w".into()), cluster: Some("village".into()), ..Default::default() };
        let sheet = parse_table("f", b"x,w,village\n1,2,a\n3,4,b\n5,0,a\n", &options).unwrap();
        assert_eq!(sheet.names, ["x"]);
        let points = sheet.into_points().unwrap();
        assert_eq!(points.weights().as_ref(), [2.0, 4.0, 0.0]);
        assert_eq!(points.clusters(), Some(&[0, 1, 0][..]));
    }

    #[test]
    fn names_are_distinct_and_harmless() {
        assert_eq!(parse("x,x,\u{1b}[31m\n1,2,3\n").unwrap().names, ["x", "x_2", "\\u{1b}[31m"]);
        let options = TableOptions { columns: vec!["x".into(), "1".into()], ..Default::default() };
        let error = parse_table("f", b"x,y\n1,2\n", &options).unwrap_err().to_string();
        assert!(error.contains("column \"x\" is chosen twice"), "{error}");
    }

    #[test]
    fn a_first_line_with_a_gap_is_a_doubtful_header() {
        assert_eq!(parse("1.5,\n2,3\n").unwrap().doubtful_header, Some("1.5".into()));
        assert_eq!(parse("a,b\n2,3\n").unwrap().doubtful_header, None);
    }

    #[test]
    fn windows_files_and_quotes_are_read() {
        let sheet = parse("\u{feff}\"a\",\"b\"\r\n\"1\", 2\r\n\r\n3,4\r\n").unwrap();
        assert_eq!((sheet.names, sheet.values), (vec!["a".into(), "b".into()], vec![1.0, 2.0, 3.0, 4.0]));
    }

    #[test]
    fn bad_tables_are_refused_by_place() {
        assert!(message("").contains("is empty"));
        assert!(message("a,b\n").contains("no data rows"));
        assert!(message("1,2\n3\n").contains("line 2: 1 values where the first line has 2"));
        assert!(message("a,b\n1,2\n3,oak\n").contains("line 3, column 2 (\"b\"): \"oak\" is not a number"));
        assert!(message("1,2\n3,nan\n").contains("line 2, column 2: nan is not a finite number"));
        assert!(message("1,2\n3,\n").contains("the value is missing"));
        assert!(message("a,b\nx,y\n").contains("no numeric column"));
        let options = TableOptions { columns: vec!["lot".into()], ..Default::default() };
        let error = parse_table("f.csv", b"lon,lat\n1,2\n", &options).unwrap_err().to_string();
        assert!(error.contains("no column \"lot\"") && error.contains("did you mean"), "{error}");
    }

    #[test]
    fn missing_values_can_be_dropped() {
        let options = TableOptions { drop_missing: true, ..Default::default() };
        let sheet = parse_table("f", b"a,b\n,1\n2,NA\n3,4\nnan,1\n", &options).unwrap();
        assert_eq!((sheet.values, sheet.dropped, sheet.lines), (vec![3.0, 4.0], 3, vec![4]));
    }

    proptest::proptest! {
        /// Whatever the bytes, a table is read or refused, and what is read is finite and rectangular.
        #[test]
        fn any_bytes_are_read_or_refused(
            text in "([0-9.,eE+-]|[\"\\n\\r, ]|nan|inf|NA|[a-c]|\\PC){0,60}",
            noise in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..6),
            drop_missing in proptest::prelude::any::<bool>(),
        ) {
            let options = TableOptions { drop_missing, ..Default::default() };
            let bytes = [text.as_bytes(), &noise].concat();
            if let Ok(sheet) = parse_table("f", &bytes, &options) {
                proptest::prop_assert_eq!(sheet.values.len(), sheet.lines.len() * sheet.dimension());
                proptest::prop_assert!(sheet.into_points().is_ok());
            }
        }
    }
}

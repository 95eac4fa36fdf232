//! Comma-separated tables.

use std::collections::HashMap;
use std::path::Path;

use csv::ByteRecord;
use steinbound::{Error, Matrix, Points};

use crate::error::IoError;
use crate::names::shown;
use crate::records::{Records, is_missing, read_bytes, tells_numeric};

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

    /// The label of each row in the cluster column, if one was chosen.
    pub fn clusters(&self) -> Option<&[String]> {
        self.clusters.as_deref()
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
    parse_table(&shown_path(path), &read_bytes(path)?, options)
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

pub(crate) fn parse_table(path: &str, bytes: &[u8], options: &TableOptions) -> Result<Sheet, IoError> {
    let records = Records::new(path, bytes)?;
    let layout = &records.layout;
    let weights = options.weights.as_ref().map(|column| layout.find(column)).transpose()?;
    let cluster = options.cluster.as_ref().map(|column| layout.find(column)).transpose()?;
    let chosen = if options.columns.is_empty() {
        let numeric = numeric_columns(&records)?;
        numeric.into_iter().filter(|j| Some(*j) != weights && Some(*j) != cluster).collect()
    } else {
        options.columns.iter().map(|column| layout.find(column)).collect::<Result<Vec<_>, _>>()?
    };
    if let Some(at) = (0..chosen.len()).find(|at| chosen[..*at].contains(&chosen[*at])) {
        let name = shown(&layout.names[chosen[at]]);
        return Err(IoError::RepeatedColumn { path: path.to_string(), name });
    }
    if chosen.is_empty() {
        return Err(IoError::NoNumericColumn { path: path.to_string() });
    }

    // Without a header a column is called by its place among the chosen.
    let name = |(at, j): (usize, &usize)| match layout.has_header {
        true => layout.names[*j].clone(),
        false => format!("x{}", at + 1),
    };
    let mut sheet = Sheet {
        path: path.to_string(),
        names: distinct(chosen.iter().enumerate().map(name).collect()),
        has_header: layout.has_header,
        values: Vec::new(),
        lines: Vec::new(),
        dropped: 0,
        doubtful_header: records.doubtful_header.clone(),
        weights: weights.map(|_| Vec::new()),
        clusters: cluster.map(|_| Vec::new()),
    };
    let mut rows = records.rows()?;
    let mut record = ByteRecord::new();
    while let Some(line) = rows.next(&mut record)? {
        let used = chosen.iter().chain(&weights).copied();
        if options.drop_missing && used.chain(cluster).any(|j| is_missing(&record[j])) {
            sheet.dropped += 1;
            continue;
        }
        for j in &chosen {
            sheet.values.push(layout.value(&record[*j], *j, line)?);
        }
        if let (Some(weights), Some(j)) = (&mut sheet.weights, weights) {
            weights.push(layout.weight(&record[j], j, line)?);
        }
        if let (Some(clusters), Some(j)) = (&mut sheet.clusters, cluster) {
            clusters.push(layout.label(&record[j], j, line)?);
        }
        sheet.lines.push(line);
    }
    if sheet.lines.is_empty() {
        return Err(layout.no_rows(sheet.dropped));
    }
    Ok(sheet)
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
fn numeric_columns(records: &Records) -> Result<Vec<usize>, IoError> {
    let mut rows = records.rows()?;
    let mut record = ByteRecord::new();
    let mut verdicts: Vec<Option<bool>> = vec![None; records.layout.names.len()];
    while verdicts.contains(&None) && rows.next(&mut record)?.is_some() {
        for (verdict, field) in verdicts.iter_mut().zip(&record) {
            *verdict = verdict.or_else(|| tells_numeric(field));
        }
    }
    // A table without rows is told apart later; a column without any value is not numeric.
    let no_rows = verdicts.iter().all(Option::is_none);
    Ok((0..verdicts.len()).filter(|j| no_rows || verdicts[*j] == Some(true)).collect())
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
    fn lines_are_counted_as_editors_count_them() {
        assert_eq!(parse("a,b\r\n1,2\r\n\r\n3,4\r\n").unwrap().lines, [2, 4]);
        assert_eq!(parse("\n\na,b\n\n1,2\n \n3,4").unwrap().lines, [5, 7]);
        assert_eq!(parse("a,b\r1,2\r3,4\r").unwrap().lines, [2, 3]);
        assert_eq!(parse("\"a\nb\",c\n1,2\n").unwrap().lines, [3]);
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

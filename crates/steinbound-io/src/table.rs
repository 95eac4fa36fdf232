//! Tables whose columns become points.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use steinbound::{Error, Matrix, Points};

use crate::error::IoError;
use crate::map::point_format;
use crate::map::points::PointRows;
use crate::names::shown;
use crate::open::{open_rows, text_rows};
use crate::place::{Place, Unit};
use crate::records::{Layout, Rows};
use crate::source::Progress;
use crate::text_format::TextFormat;

/// Options for reading a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableOptions {
    /// Columns by header or 1-based number; all numeric ones if empty.
    pub columns: Vec<String>,
    /// The column of observation weights.
    pub weights: Option<String>,
    /// The column of cluster labels.
    pub cluster: Option<String>,
    /// The columns of vectors that are perpendicular to a boundary, for points on it.
    pub normals: Vec<String>,
    /// Leave out rows with missing values instead of returning an error.
    pub drop_missing: bool,
    /// How a table of text is laid out.
    pub format: TextFormat,
}

/// The chosen columns of a table, in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// The file it came from.
    pub path: String,
    /// The names of the columns; `x1`, `x2`, .. if the file has no header.
    pub names: Vec<String>,
    /// Whether the file has a header.
    pub has_header: bool,
    /// The values, row by row.
    pub values: Vec<f64>,
    /// The line of each row in the file, or its number in the unit in which the file is counted.
    pub lines: Vec<u64>,
    /// The unit in which the file is counted.
    pub unit: Unit,
    /// The number of rows left out because of missing values.
    pub dropped: usize,
    /// The first numeric name in the header, if any: that row may be data with a gap.
    pub doubtful_header: Option<String>,
    /// The columns left out because they are text, if no columns were chosen; without a header by number.
    pub left_out: Vec<String>,
    /// Warnings about the values, in sentences.
    pub warnings: Vec<String>,
    weights: Option<Vec<f64>>,
    clusters: Option<Vec<String>>,
    /// The names of the columns of normals, and their values row by row.
    normals: (Vec<String>, Vec<f64>),
}

impl Sheet {
    /// Reads a table of text, or the points of a map if the name is that of a map, from the bytes of a file.
    ///
    /// ```
    /// use steinbound_io::{Sheet, TableOptions};
    /// let sheet = Sheet::parse("towns.wkt", b"MULTIPOINT(1 2, 3 4)", &TableOptions::default())?;
    /// assert_eq!((sheet.dimension(), sheet.values), (2, vec![1.0, 2.0, 3.0, 4.0]));
    /// # Ok::<(), steinbound_io::IoError>(())
    /// ```
    pub fn parse(name: &str, bytes: &[u8], options: &TableOptions) -> Result<Sheet, IoError> {
        match point_format(Path::new(name)) {
            Some(map) => read_rows(&mut PointRows::parse(Path::new(name), map, bytes)?, options),
            None => read_rows(&mut text_rows(name, bytes, &options.format)?, options),
        }
    }

    /// The number of columns.
    pub fn dimension(&self) -> usize {
        self.names.len()
    }

    /// The position of a row in the file; `None` if there is no such row.
    pub fn place(&self, row: usize) -> Option<Place> {
        self.lines.get(row).map(|number| Place { unit: self.unit, number: *number })
    }

    /// The weight of each row, if a column of weights was chosen.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The label of each row in the cluster column, if one was chosen.
    pub fn clusters(&self) -> Option<&[String]> {
        self.clusters.as_deref()
    }

    /// The normal of each row, if columns of normals were chosen.
    ///
    /// ```
    /// use steinbound_io::{Sheet, TableOptions};
    /// let options = TableOptions { normals: vec!["nx".into(), "ny".into()], ..Default::default() };
    /// let sheet = Sheet::parse("edge.csv", b"nx,x,y,ny\n1,2,0,0\n0,0,2,1\n", &options)?;
    /// let normals = sheet.normals()?.ok_or("no normals")?;
    /// assert_eq!((sheet.names.join(" "), normals.row(1)), ("x y".into(), &[0.0, 1.0][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn normals(&self) -> Result<Option<Points<'static>>, Error> {
        let (names, values) = &self.normals;
        if names.is_empty() {
            return Ok(None);
        }
        Ok(Some(Points::new(values.clone(), names.len())?.with_names(names.clone())?))
    }

    /// The same rows with only these columns, in this order; `None` if one does not exist.
    pub fn with_columns(mut self, names: &[String]) -> Option<Sheet> {
        let place = |name: &String| self.names.iter().position(|other| other == name);
        let places = names.iter().map(place).collect::<Option<Vec<usize>>>()?;
        let rows = self.values.chunks_exact(self.dimension());
        self.values = rows.flat_map(|row| places.iter().map(|j| row[*j])).collect();
        self.names = names.to_vec();
        Some(self)
    }

    /// Drops the rows before the one that gave new columns their first value, since these rows miss a value
    /// there.
    fn forget_rows(&mut self, columns: &Columns, layout: &Layout, drop_missing: bool) -> Result<(), IoError> {
        let (Some(first), Some(j)) = (self.lines.first(), columns.new.first()) else { return Ok(()) };
        if !drop_missing {
            return Err(layout.missing(*j, *first));
        }
        self.dropped += self.lines.len();
        self.values.clear();
        self.lines.clear();
        self.weights.iter_mut().for_each(Vec::clear);
        self.clusters.iter_mut().for_each(Vec::clear);
        self.normals.1.clear();
        Ok(())
    }

    /// The values as points, with names, weights and clusters.
    pub fn into_points(self) -> Result<Points<'static>, Error> {
        let dimension = self.dimension();
        let mut points = Points::new(self.values, dimension)?.with_names(self.names)?;
        if let Some(weights) = self.weights {
            points = points.with_weights(weights)?;
        }
        if let Some(clusters) = &self.clusters {
            points = points.with_named_clusters(clusters)?;
        }
        Ok(points)
    }
}

/// Reads columns of a table: text, also compressed by gzip, Parquet, or the points of a map (`.geojson`,
/// `.json`, `.wkt`, `.shp`).
///
/// The path `-` is standard input. In text, a first row that is all numbers is data, otherwise it is the
/// header. A column is numeric if most of its values at the beginning of the file are numbers (if half of
/// them are, its first value decides); a value in it that is not a number is an error. Empty fields, `NA`, `N/A`, `n/a`, `NaN`, `null`, `NULL` and `.` are missing values, whose rows may
/// be dropped. From a map the two coordinates are read unless other columns are requested.
///
/// ```
/// use steinbound_io::{TableOptions, read_table};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("points.txt");
/// std::fs::write(&path, "lon;lat\n13.4;52.5\n13.5;52.4\n")?;
/// let sheet = read_table(&path, &TableOptions::default())?;
/// assert_eq!((sheet.names.join(" "), sheet.values), ("lon lat".into(), vec![13.4, 52.5, 13.5, 52.4]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_table(path: &Path, options: &TableOptions) -> Result<Sheet, IoError> {
    read_table_watched(path, options, &|_| ())
}

/// The same as [`read_table`], with reports of its progress.
///
/// ```no_run
/// use steinbound_io::{TableOptions, read_table_watched};
/// let report = |progress: steinbound_io::Progress| eprintln!("{} rows", progress.rows);
/// let sheet = read_table_watched("points.csv".as_ref(), &TableOptions::default(), &report)?;
/// # Ok::<(), steinbound_io::IoError>(())
/// ```
pub fn read_table_watched(
    path: &Path,
    options: &TableOptions,
    watch: &dyn Fn(Progress),
) -> Result<Sheet, IoError> {
    read_rows(&mut *open_rows(path, &options.format, watch)?, options)
}

/// Reads a table of numbers, without a header, as a matrix.
pub fn read_matrix(path: &Path) -> Result<Matrix, IoError> {
    let sheet = read_table(path, &TableOptions::default())?;
    let dimension = sheet.dimension();
    Ok(Matrix::from_fn(sheet.lines.len(), dimension, |i, j| sheet.values[i * dimension + j]))
}

/// A path in the form in which messages show it.
pub fn shown_path(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

fn read_rows(rows: &mut dyn Rows, options: &TableOptions) -> Result<Sheet, IoError> {
    let layout = rows.layout().clone();
    let path = layout.path.clone();
    let weights = options.weights.as_ref().map(|column| layout.find(column)).transpose()?;
    let cluster = options.cluster.as_ref().map(|column| layout.find(column)).transpose()?;
    let normals = options.normals.iter().map(|column| layout.find(column)).collect::<Result<Vec<_>, _>>()?;
    let is_data = |j: &usize| Some(*j) != weights && Some(*j) != cluster && !normals.contains(j);
    let mut columns = Columns::default();
    if !options.columns.is_empty() {
        let found = options.columns.iter().map(|column| layout.find(column));
        columns.chosen = found.collect::<Result<Vec<_>, _>>()?;
    } else if let Some(usual) = rows.usual_columns() {
        // Of a map all else are properties, which nobody expects to be coordinates.
        if layout.unit == Unit::Row {
            columns.left_out = (0..layout.names.len()).filter(|j| is_data(j) && !usual.contains(j)).collect();
        }
        columns.chosen = usual.into_iter().filter(is_data).collect();
    } else {
        columns.undecided = (0..layout.names.len()).filter(is_data).collect();
    }
    if let Some(j) = repeated(&columns.chosen).or_else(|| repeated(&normals)) {
        return Err(IoError::RepeatedColumn { path, name: shown(&layout.names[j]) });
    }
    // Without a column there is nothing to check the number of rows against that a damaged file claims.
    if columns.chosen.is_empty() && columns.undecided.is_empty() {
        return Err(layout.no_numeric_column());
    }
    let used =
        columns.chosen.iter().chain(&columns.undecided).chain(&weights).chain(&cluster).chain(&normals);
    rows.choose(&used.copied().collect::<Vec<_>>())?;

    let usual = rows.usual_columns().unwrap_or_default();
    let is_usual = columns.chosen.iter().any(|j| usual.contains(j));
    let mut sheet = Sheet {
        path,
        names: Vec::new(),
        has_header: layout.has_header,
        values: Vec::new(),
        lines: Vec::new(),
        unit: layout.unit,
        dropped: 0,
        doubtful_header: layout.doubtful_header.clone(),
        left_out: Vec::new(),
        warnings: layout.warning.iter().filter(|_| is_usual).cloned().collect(),
        weights: weights.map(|_| Vec::new()),
        clusters: cluster.map(|_| Vec::new()),
        normals: (normals.iter().map(|j| layout.names[*j].clone()).collect(), Vec::new()),
    };
    while let Some(line) = rows.next()? {
        if !columns.undecided.is_empty() && columns.decide(rows) {
            sheet.forget_rows(&columns, &layout, options.drop_missing)?;
        }
        let used = || columns.chosen.iter().chain(&weights).chain(&cluster).chain(&normals);
        if options.drop_missing && used().any(|j| rows.cell(*j).is_missing()) {
            sheet.dropped += 1;
            continue;
        }
        for j in &columns.chosen {
            sheet.values.push(layout.value(rows.cell(*j), *j, line)?);
        }
        for j in &normals {
            sheet.normals.1.push(layout.value(rows.cell(*j), *j, line)?);
        }
        if let (Some(weights), Some(j)) = (&mut sheet.weights, weights) {
            weights.push(layout.weight(rows.cell(j), j, line)?);
        }
        if let (Some(clusters), Some(j)) = (&mut sheet.clusters, cluster) {
            clusters.push(layout.label(rows.cell(j), j, line)?);
        }
        sheet.lines.push(line);
    }
    let has_rows = sheet.dropped > 0 || !sheet.lines.is_empty();
    if columns.chosen.is_empty() && has_rows {
        return Err(layout.no_numeric_column());
    }
    if sheet.lines.is_empty() {
        return Err(layout.no_rows(sheet.dropped));
    }
    // Without a header a column is named by its index among the chosen ones.
    let name = |(at, j): (usize, &usize)| match layout.has_header {
        true => layout.names[*j].clone(),
        false => format!("x{}", at + 1),
    };
    let shown = |j: &usize| if layout.has_header { layout.names[*j].clone() } else { (j + 1).to_string() };
    sheet.left_out = columns.left_out.iter().map(shown).collect();
    sheet.names = distinct(columns.chosen.iter().enumerate().map(name).collect());
    Ok(sheet)
}

/// The columns that become points.
#[derive(Default)]
struct Columns {
    chosen: Vec<usize>,
    /// Columns without a value so far, which may be numeric or not.
    undecided: Vec<usize>,
    /// Columns chosen by the last decision.
    new: Vec<usize>,
    /// Columns that are not numeric.
    left_out: Vec<usize>,
}

/// A column that is there more than once.
fn repeated(columns: &[usize]) -> Option<usize> {
    let mut seen = HashSet::new();
    columns.iter().copied().find(|j| !seen.insert(*j))
}

impl Columns {
    /// Decides about columns by the values of the row; returns whether any was chosen.
    fn decide(&mut self, rows: &dyn Rows) -> bool {
        let of_first = |j: usize| rows.layout().decides_numeric(rows.cell(j));
        let verdict = |j: &usize| rows.leaning(*j).or_else(|| of_first(*j));
        self.new = self.undecided.iter().copied().filter(|j| verdict(j) == Some(true)).collect();
        self.left_out.extend(self.undecided.iter().filter(|j| verdict(j) == Some(false)));
        self.undecided.retain(|j| verdict(j).is_none());
        self.chosen.extend(&self.new);
        self.chosen.sort_unstable();
        self.left_out.sort_unstable();
        !self.new.is_empty()
    }
}

/// Names made distinct: the second `x` becomes `x_2`.
pub(crate) fn distinct(names: Vec<String>) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut number = |name: String| {
        let count = seen.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { name } else { format!("{name}_{count}") }
    };
    names.into_iter().map(&mut number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_format::Header;

    fn parse(text: &str) -> Result<Sheet, IoError> {
        Sheet::parse("data.csv", text.as_bytes(), &TableOptions::default())
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
        let sheet = parse(text).unwrap();
        assert_eq!((sheet.names, sheet.left_out), (vec!["x".into(), "y".into()], vec!["id".to_string()]));
        assert_eq!(parse("1,2\n3,4\n").unwrap().left_out, Vec::<String>::new());
        let late = parse("note,x,id,nothing\n,1,a,\nlate,2,b,\n").unwrap();
        assert_eq!(late.left_out, ["note", "id"], "in the order of the file");
        let options = TableOptions { columns: vec!["y".into(), "2".into()], ..Default::default() };
        let sheet = Sheet::parse("f", text.as_bytes(), &options).unwrap();
        assert!(sheet.left_out.is_empty(), "the columns were chosen");
        assert_eq!((sheet.names, sheet.values), (vec!["y".into(), "x".into()], vec![2.0, 1.0, 4.0, 3.0]));
    }

    #[test]
    fn most_values_decide_what_a_column_is() {
        for bad in ["O.5", "<5", "1e", "#N/A", "oak"] {
            let text = format!("x,y\n{bad},1\n2,3\n4,5\n");
            let place = format!("line 2, column 1 (\"x\"): \"{bad}\" is not a number");
            assert!(message(&text).contains(&place), "{}", message(&text));
        }
        // Half of the values: the first decides; more texts: a column of text.
        assert!(message("x,y\n1,2\nb,3\n").contains("line 3, column 1 (\"x\"): \"b\" is not a number"));
        assert_eq!(parse("x,y\na,2\n1,3\n").unwrap().left_out, ["x"]);
        assert_eq!(parse("x,y\n1,2\na,3\nb,4\n").unwrap().left_out, ["x"]);
        // Missing values do not count.
        assert!(
            message("x,y\n,1\n?,2\n3,3\n4,4\n").contains("line 2, column 1 (\"x\"): the value is missing")
        );
        let format = TextFormat { header: Header::No, ..Default::default() };
        let sheet = Sheet::parse("f", b"a,1\nb,2\n", &TableOptions { format, ..Default::default() }).unwrap();
        assert_eq!((sheet.left_out, sheet.values), (vec!["1".to_string()], vec![1.0, 2.0]));
    }

    #[test]
    fn the_beginning_of_a_long_file_decides() {
        let long = |first: &str, late: &str| {
            let rows: String = (0..20_000).map(|i| format!("{i}.25,{}\n", i + 1)).collect();
            format!("x,y\n{first},0\n{rows}{late},7\n")
        };
        let refused = message(&long("O.5", "1"));
        assert!(refused.contains("line 2, column 1 (\"x\"): \"O.5\" is not a number"), "{refused}");
        let refused = message(&long("0.5", "late"));
        assert!(refused.contains("line 20003, column 1 (\"x\"): \"late\" is not a number"), "{refused}");
        assert_eq!(parse(&long("0.5", "1")).unwrap().lines.len(), 20_002);
    }

    #[test]
    fn weights_and_clusters_are_not_data() {
        let options =
            TableOptions { weights: Some("w".into()), cluster: Some("village".into()), ..Default::default() };
        let sheet = Sheet::parse("f", b"x,w,village\n1,2,a\n3,4,b\n5,0,a\n", &options).unwrap();
        assert_eq!(sheet.names, ["x"]);
        let points = sheet.into_points().unwrap();
        assert_eq!(points.weights().as_ref(), [2.0, 4.0, 0.0]);
        assert_eq!(points.clusters(), Some(&[0, 1, 0][..]));
    }

    #[test]
    fn normals_are_not_data() {
        let read = |text: &str, normals: &[&str], drop_missing| {
            let normals = normals.iter().map(ToString::to_string).collect();
            Sheet::parse("f", text.as_bytes(), &TableOptions { normals, drop_missing, ..Default::default() })
        };
        let sheet = read("1,2,0,-1\n3,4,1,0\n", &["4", "3"], false).unwrap();
        assert_eq!(
            (&sheet.names, &sheet.values[..]),
            (&vec!["x1".into(), "x2".into()], &[1.0, 2.0, 3.0, 4.0][..])
        );
        assert_eq!(sheet.normals().unwrap().unwrap().values(), [-1.0, 0.0, 0.0, 1.0]);
        let gap = "x,nx\nNA,1\n2,\n3,-1\n";
        let sheet = read(gap, &["nx"], true).unwrap();
        assert_eq!((&sheet.values[..], sheet.dropped, &sheet.lines[..]), (&[3.0][..], 2, &[4][..]));
        assert_eq!(sheet.normals().unwrap().unwrap().values(), [-1.0]);
        let message = |text: &str, normals: &[&str]| read(text, normals, false).unwrap_err().to_string();
        assert!(message("x,nx\n1,\n", &["nx"]).contains("line 2, column 2 (\"nx\"): the value is missing"));
        assert!(message("x,nx\n1,inf\n", &["nx"]).contains("inf is not a finite number"));
        assert!(message("x,nx,ny\n1,2,3\n", &["nx", "2"]).contains("column \"nx\" is chosen twice"));
        assert!(message("x,nx\n1,2\n", &["n"]).contains("no column \"n\""));
    }

    #[test]
    fn names_are_distinct_and_harmless() {
        assert_eq!(parse("x,x,\u{1b}[31m\n1,2,3\n").unwrap().names, ["x", "x_2", "\\u{1b}[31m"]);
        let options = TableOptions { columns: vec!["x".into(), "1".into()], ..Default::default() };
        let error = Sheet::parse("f", b"x,y\n1,2\n", &options).unwrap_err().to_string();
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
        let comment = message("# made by a program, yesterday\nx,y,z\n1,2,3\n");
        assert!(comment.contains("line 2: 3 values where the first line has 2"), "{comment}");
        assert!(comment.contains("the first begins with #, and comments are not read"), "{comment}");
        assert!(message("# one\n1,2\n").contains("so remove these lines"));
        assert!(!message("a\n1,2\n").contains('#'));
        assert!(message("a,b\n1,2\n3,oak\n").contains("line 3, column 2 (\"b\"): \"oak\" is not a number"));
        assert!(message("1,2\n3,nan\n").contains("line 2, column 2: nan is not a finite number"));
        assert!(message("1,2\n3,\n").contains("the value is missing"));
        assert!(message("a,b\nx,y\n").contains("no numeric column"));
        let options = TableOptions { columns: vec!["lot".into()], ..Default::default() };
        let error = Sheet::parse("f.csv", b"lon,lat\n1,2\n", &options).unwrap_err().to_string();
        assert!(error.contains("no column \"lot\"") && error.contains("did you mean"), "{error}");
    }

    #[test]
    fn missing_values_can_be_dropped() {
        let options = TableOptions { drop_missing: true, ..Default::default() };
        let sheet = Sheet::parse("f", b"a,b\n,1\n2,NA\n3,4\nnan,1\n", &options).unwrap();
        assert_eq!((sheet.values, sheet.dropped, sheet.lines), (vec![3.0, 4.0], 3, vec![4]));
    }

    #[test]
    fn a_quoted_nothing_is_a_missing_value_and_no_blank_line() {
        assert!(message("x\n1\n\"\"\n3\n").contains("line 3, column 1 (\"x\"): the value is missing"));
        let options = TableOptions { drop_missing: true, ..Default::default() };
        let sheet = Sheet::parse("f", b"x\n1\n\"\"\n\n3\n", &options).unwrap();
        assert_eq!((sheet.values, sheet.dropped, sheet.lines), (vec![1.0, 3.0], 1, vec![2, 5]));
        assert!(message("x,y\n1,2\n\"\"\n").contains("line 3: 1 values where the first line has 2"));
    }

    proptest::proptest! {
        /// For any bytes, a table is read or rejected, and all values read are finite and rectangular.
        #[test]
        fn any_bytes_are_read_or_refused(
            text in "([0-9.,;|eE+-]|[\"\\n\\r,\\t ]|nan|inf|NA|[a-c]|\\PC){0,60}",
            separator in proptest::sample::select(vec!["auto", "comma", "semicolon", "tab", "pipe", "space", "/"]),
            decimal_comma in proptest::prelude::any::<bool>(),
            header in proptest::sample::select(vec![Header::Auto, Header::Yes, Header::No]),
            noise in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..6),
            drop_missing in proptest::prelude::any::<bool>(),
        ) {
            let format = TextFormat { separator: separator.parse().unwrap(), decimal_comma, header };
            let options = TableOptions { drop_missing, format, ..Default::default() };
            let bytes = [text.as_bytes(), &noise].concat();
            if let Ok(sheet) = Sheet::parse("f", &bytes, &options) {
                proptest::prop_assert_eq!(sheet.values.len(), sheet.lines.len() * sheet.dimension());
                proptest::prop_assert!(sheet.into_points().is_ok());
            }
        }
    }
}

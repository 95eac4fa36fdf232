use thiserror::Error;

use crate::place::{Place, Unit};

/// What can go wrong with a file or a specification, with its place and remedy.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum IoError {
    /// The file cannot be read.
    #[error("cannot read {path}: {reason}; check the name and the permissions")]
    Read {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// The file cannot be created where it was asked for.
    #[error("cannot create {path}: {reason}; check the folder and its permissions")]
    Create {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// Writing failed half-way; the file was not touched.
    #[error("cannot write {path}: {reason}; nothing was changed")]
    Write {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// Nothing in the file.
    #[error("{path} is empty; it should hold one point per line")]
    Empty {
        /// The file.
        path: String,
    },
    /// A header and no data.
    #[error("{path} has a header but no data rows; add one point per line")]
    NoRows {
        /// The file.
        path: String,
    },
    /// All rows had missing values.
    #[error("{path}: every one of the {dropped} rows has a missing value, so that none is left")]
    AllDropped {
        /// The file.
        path: String,
        /// How many rows there were.
        dropped: usize,
    },
    /// A row of another length.
    #[error(
        "{path}, {place}: {found} values where the first {unit} has {expected}; give every {unit} the same number{}", ragged_remedy(*.expected, *.after_comment), unit = .place.unit
    )]
    Ragged {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// How many values it has.
        found: usize,
        /// How many it should have.
        expected: usize,
        /// Whether the first line looks like a comment.
        after_comment: bool,
    },
    /// A column with the name of a parameter.
    #[error("a column called \"{name}\" cannot be told from the parameter of that name; rename the column")]
    ParameterName {
        /// The name.
        name: String,
    },
    /// Columns in memory of different lengths.
    #[error(
        "column \"{column}\" has {found} values and \"{first}\" has {expected}; give every column the same number"
    )]
    UnevenColumns {
        /// The column.
        column: String,
        /// How many values it has.
        found: usize,
        /// The first column.
        first: String,
        /// How many values that has.
        expected: usize,
    },
    /// Text where a number should be.
    #[error(
        "{path}, {place}, column {column}: \"{value}\" is not a number; correct it, or choose other columns"
    )]
    NotANumber {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// The column's name or number.
        column: String,
        /// What stands there.
        value: String,
    },
    /// NaN or infinite.
    #[error(
        "{path}, {place}, column {column}: {value} is not a finite number; remove or repair that {} (--drop-missing leaves out NaN)", .place.unit
    )]
    NotFinite {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// The column's name or number.
        column: String,
        /// What stands there.
        value: String,
    },
    /// An empty field.
    #[error(
        "{path}, {place}, column {column}: the value is missing; fill it in, or drop such {}s with --drop-missing", .place.unit
    )]
    Missing {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// The column's name or number.
        column: String,
    },
    /// No column of that name or number.
    #[error("{path} has no column \"{name}\"; its columns are {known}{}", did_you_mean(.nearest))]
    NoSuchColumn {
        /// The file.
        path: String,
        /// What was asked for.
        name: String,
        /// The columns there are.
        known: String,
        /// The nearest name.
        nearest: Option<String>,
    },
    /// Two columns of that name.
    #[error("{path} has more than one column \"{name}\"; choose it by its number, counted from 1")]
    AmbiguousColumn {
        /// The file.
        path: String,
        /// The name.
        name: String,
    },
    /// A column chosen more than once.
    #[error("{path}: column \"{name}\" is chosen twice; name each column once")]
    RepeatedColumn {
        /// The file.
        path: String,
        /// The name.
        name: String,
    },
    /// A negative observation weight.
    #[error("{path}, {place}, column {column}: the weight {value} is negative; weights are zero or positive")]
    NegativeWeight {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// The column's name or number.
        column: String,
        /// What stands there.
        value: String,
    },
    /// No numbers to read.
    #[error("{path} has no numeric column {}", numeric_remedy(*.unit))]
    NoNumericColumn {
        /// The file.
        path: String,
        /// What the file is counted by.
        unit: Unit,
    },
    /// A number with a decimal comma.
    #[error(
        "{path}, {place}, column {column}: \"{value}\" is not a number; if its comma is a decimal one, say so with --decimal-comma"
    )]
    DecimalComma {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// The column's name or number.
        column: String,
        /// What stands there.
        value: String,
    },
    /// A number with a decimal point where numbers have a decimal comma.
    #[error(
        "{path}, {place}, column {column}: \"{value}\" has a point where --decimal-comma says a comma; write all numbers alike, \
         or leave --decimal-comma out"
    )]
    DecimalPoint {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// The column's name or number.
        column: String,
        /// What stands there.
        value: String,
    },
    /// A comma that would stand between values and in numbers.
    #[error(
        "the comma cannot be both the separator and the decimal comma; choose another separator, or leave --decimal-comma out"
    )]
    CommaTwice,
    /// A line without an end.
    #[error(
        "{path}, line {line} is longer than {limit} MB; give one point per line, and end every line with a line break"
    )]
    LongLine {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u64,
        /// The limit in megabytes.
        limit: usize,
    },
    /// More columns than anybody means.
    #[error(
        "{path}, line {line} has more than {limit} values; give one point per line, and cut the table into narrower ones"
    )]
    WideLine {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u64,
        /// The limit.
        limit: usize,
    },
    /// A quote that swallows the rest of the file.
    #[error(
        "{path}, line {line}: a quoted value begins here and does not end; close the quote, or write a quote inside a value twice"
    )]
    UnclosedQuote {
        /// The file.
        path: String,
        /// The line on which it opens, counted from 1.
        line: u64,
    },
    /// A column of a kind that is not read.
    #[error("{path}, column {column}: {reason}")]
    UnusableColumn {
        /// The file.
        path: String,
        /// The column's name or number.
        column: String,
        /// What is wrong, and the remedy.
        reason: String,
    },
    /// Bytes that are no table, or that cannot be had.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// What is wrong, and the remedy.
        reason: String,
    },
    /// A name that tells no map format.
    #[error(
        "{path}: the kind of map is told by the end of its name: .geojson, .json, .wkt, .shp or .csv; rename or convert it"
    )]
    MapFormat {
        /// The file.
        path: String,
    },
    /// A map that memory should not hold.
    #[error("{path} is larger than {limit} MB; simplify the map or cut out what is needed")]
    MapTooLarge {
        /// The file.
        path: String,
        /// The limit in megabytes.
        limit: u64,
    },
    /// A map that breaks the rules of its format.
    #[error("{path} is not valid {format}{place}: {reason}; correct it, or export the map again")]
    MapSyntax {
        /// The file.
        path: String,
        /// The format.
        format: &'static str,
        /// Where, as far as that is known.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// Points or lines where areas are needed.
    #[error("{path} holds no polygon, only {found}; a domain is made of polygons, so export the areas")]
    NoPolygon {
        /// The file.
        path: String,
        /// The kinds of geometry in it.
        found: String,
    },
    /// Areas or lines where points are needed.
    #[error(
        "{path}, feature {feature} is a {kind}, not a point; data are points, so export those (areas belong to --boundary)"
    )]
    NotAPoint {
        /// The file.
        path: String,
        /// The feature, counted from 1.
        feature: usize,
        /// The kind of geometry.
        kind: String,
    },
    /// A map without points.
    #[error("{path} holds no points; export the map again")]
    NoPoints {
        /// The file.
        path: String,
    },
    /// A map of nothing.
    #[error(
        "{path} holds no vertices: what was chosen of it is empty; export the map again, or choose another feature"
    )]
    EmptyMap {
        /// The file.
        path: String,
    },
    /// Heights among the coordinates.
    #[error(
        "{path}: {feature} has three-dimensional coordinates; export the map without the third coordinate"
    )]
    ThirdCoordinate {
        /// The file.
        path: String,
        /// The feature.
        feature: String,
    },
    /// A ring that does not come back to where it began.
    #[error("{path}, {feature}: ring {ring} of the map is open; repeat its first vertex at its end")]
    OpenRing {
        /// The file.
        path: String,
        /// The feature.
        feature: String,
        /// The ring, counted from 1 over all that were chosen.
        ring: usize,
    },
    /// No feature has the value asked for.
    #[error(
        "{path} has no feature whose {property} is \"{value}\"; the values are {known}{}", did_you_mean(.nearest)
    )]
    NoSuchFeature {
        /// The file.
        path: String,
        /// The property.
        property: String,
        /// The value asked for.
        value: String,
        /// Some of the values there are.
        known: String,
        /// The nearest value.
        nearest: Option<String>,
    },
    /// No feature has the property asked for.
    #[error("{path} has no feature with the property \"{property}\"; {}{}", properties(.known), did_you_mean(.nearest))]
    NoSuchProperty {
        /// The file.
        path: String,
        /// What was asked for.
        property: String,
        /// Some of the properties there are.
        known: String,
        /// The nearest property.
        nearest: Option<String>,
    },
    /// Features cannot be chosen without attributes.
    #[error(
        "there is no .dbf file beside {path} by which features could be chosen; copy it there, or use the whole map"
    )]
    NoAttributes {
        /// The file.
        path: String,
    },
    /// A table that is not one of rings.
    #[error(
        "{path} has {found} columns where the rings of a map have two numeric ones, x and y, or a third with the header ring, part or id; \
         leave out the others"
    )]
    RingColumns {
        /// The file.
        path: String,
        /// How many columns there are.
        found: usize,
    },
    /// The rings of a map do not make a domain.
    #[error("{path}: {error}")]
    MapDomain {
        /// The file.
        path: String,
        /// What is wrong with them.
        error: steinbound::DomainError,
    },
    /// A domain specification that cannot be read.
    #[error("cannot read the domain \"{text}\": {reason}")]
    Spec {
        /// The specification.
        text: String,
        /// What is wrong, and how it should look.
        reason: String,
    },
    /// A formula that cannot be read, or that does not fit its table.
    #[error("the formula cannot be used: {reason}\n  {excerpt}\n  {}^", " ".repeat(*.column))]
    Formula {
        /// What is wrong, and the remedy.
        reason: String,
        /// The part of the formula around the mistake.
        excerpt: String,
        /// How far the mistake is from the beginning of that part.
        column: usize,
    },
    /// A term whose value is NaN or infinite.
    #[error(
        "{path}, {place}: the term {term} is {value}, not a finite number; repair or leave out that {}, or change the term", .place.unit
    )]
    NotFiniteTerm {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// The term.
        term: String,
        /// Its value.
        value: f64,
    },
    /// A level that the data to which the formula was fitted does not have.
    #[error(
        "{path}, {place}: {column} has the level \"{level}\", which is not among the known ones ({known}); correct it, or leave out that {}", .place.unit
    )]
    UnknownLevel {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// The column.
        column: String,
        /// What stands there.
        level: String,
        /// The levels there are.
        known: String,
    },
    /// A limit that limits nothing.
    #[error("the limit {text} is not a finite number; give a number or the name of a column")]
    Limit {
        /// What was given.
        text: String,
    },
    /// The domain itself is impossible.
    #[error(transparent)]
    Domain(#[from] steinbound::DomainError),
}

/// The remedy for a table that may not be separated as it seems, or that begins with a comment.
fn ragged_remedy(expected: usize, after_comment: bool) -> &'static str {
    match (expected, after_comment) {
        (_, true) => "; the first begins with #, and comments are not read, so remove such lines",
        (1, _) => ", or tell with --separator what stands between values",
        _ => "",
    }
}

/// What makes a column numeric, and how to have one.
fn numeric_remedy(unit: Unit) -> &'static str {
    match unit {
        Unit::Line => {
            "(a column is numeric if its first value is); does --separator tell what stands between its values?"
        }
        Unit::Row | Unit::Feature => {
            "left for the data; store one as numbers, or choose with --columns one whose text is numbers"
        }
    }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean \"{name}\"?"))
}

fn properties(known: &str) -> String {
    match known {
        "" => "there are no properties to choose by, so use the whole map".into(),
        known => format!("the properties are {known}"),
    }
}

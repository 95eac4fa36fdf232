use thiserror::Error;

use crate::place::{Place, Unit};
use crate::system::{self, further, remedy_or};

/// Errors about files and specifications, with place and remedy.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum IoError {
    /// The file cannot be read.
    #[error("cannot read {path}: {reason}; {}", remedy_or(.reason, "check the name and the permissions"))]
    Read {
        /// The file.
        path: String,
        /// The reason given by the system.
        reason: String,
    },
    /// The file cannot be created at the requested place.
    #[error("cannot create {path}: {reason}; {}", remedy_or(.reason, "check the folder and its permissions"))]
    Create {
        /// The file.
        path: String,
        /// The reason given by the system.
        reason: String,
    },
    /// Writing failed before completion; an existing file was not changed.
    #[error("cannot write {path}: {reason}; nothing was changed{}", further(.reason))]
    Write {
        /// The file.
        path: String,
        /// The reason given by the system.
        reason: String,
    },
    /// The file is empty.
    #[error("{path} is empty; it should hold one point per line")]
    Empty {
        /// The file.
        path: String,
    },
    /// The file has a header and no data.
    #[error("{path} has a header but no data rows; add one point per line")]
    NoRows {
        /// The file.
        path: String,
    },
    /// All rows have missing values.
    #[error("{path}: every one of the {dropped} rows has a missing value, so that none remains")]
    AllDropped {
        /// The file.
        path: String,
        /// The number of rows.
        dropped: usize,
    },
    /// A row of a different length.
    #[error(
        "{path}, {place}: {found} values where the first {unit} has {expected}; give every {unit} the same number{}", ragged_remedy(*.expected, *.after_comment), unit = .place.unit
    )]
    Ragged {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// Its number of values.
        found: usize,
        /// The expected number.
        expected: usize,
        /// Whether the first line looks like a comment.
        after_comment: bool,
    },
    /// A column with the same name as a parameter.
    #[error("a column has the same name as the parameter \"{name}\"; rename the column")]
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
        /// Its number of values.
        found: usize,
        /// The first column.
        first: String,
        /// The number of values of the first column.
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
        /// The value found.
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
        /// The value found.
        value: String,
    },
    /// An empty field.
    #[error(
        "{path}, {place}, column {column}: the value is missing; fill it in, or leave out incomplete {}s with --drop-missing", .place.unit
    )]
    Missing {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// The column's name or number.
        column: String,
    },
    /// There is no column with this name or number.
    #[error("{path} has no column \"{name}\"; its columns are {known}{}", did_you_mean(.nearest))]
    NoSuchColumn {
        /// The file.
        path: String,
        /// The requested name or number.
        name: String,
        /// The existing columns.
        known: String,
        /// The nearest name.
        nearest: Option<String>,
    },
    /// Several columns have this name.
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
        /// The value found.
        value: String,
    },
    /// There are no numeric columns.
    #[error("{path} has no numeric column {}", numeric_remedy(*.unit))]
    NoNumericColumn {
        /// The file.
        path: String,
        /// The unit in which the file is counted.
        unit: Unit,
    },
    /// A number with a decimal comma.
    #[error(
        "{path}, {place}, column {column}: \"{value}\" is not a number; if its comma is a decimal comma, use --decimal-comma"
    )]
    DecimalComma {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// The column's name or number.
        column: String,
        /// The value found.
        value: String,
    },
    /// A number with a decimal point in a table with decimal commas.
    #[error(
        "{path}, {place}, column {column}: \"{value}\" has a decimal point although --decimal-comma is given; write all numbers alike, \
         or leave --decimal-comma out"
    )]
    DecimalPoint {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// The column's name or number.
        column: String,
        /// The value found.
        value: String,
    },
    /// The comma would be both the separator and part of numbers.
    #[error(
        "the comma cannot be both the separator and the decimal comma; choose another separator, or leave --decimal-comma out"
    )]
    CommaTwice,
    /// A line that is too long.
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
    /// A line with too many values.
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
    /// A quote that is never closed.
    #[error(
        "{path}, line {line}: a quoted value begins here and does not end; close the quote, or write a quote inside a value twice"
    )]
    UnclosedQuote {
        /// The file.
        path: String,
        /// The line on which it opens, counted from 1.
        line: u64,
    },
    /// A column of an unsupported type.
    #[error("{path}, column {column}: {reason}")]
    UnusableColumn {
        /// The file.
        path: String,
        /// The column's name or number.
        column: String,
        /// The reason and the remedy.
        reason: String,
    },
    /// Data that are not a table, or that cannot be read.
    #[error("cannot read {path}: {reason}{}", further(.reason))]
    Unreadable {
        /// The file.
        path: String,
        /// The reason and the remedy.
        reason: String,
    },
    /// A file name without the extension of a map format.
    #[error(
        "{path}: the name of a map must end with .geojson, .json, .topojson, .gpkg, .wkt, .shp or .csv; rename or convert it"
    )]
    MapFormat {
        /// The file.
        path: String,
    },
    /// A map that is too large for memory.
    #[error("{path} is larger than {limit} MB; simplify the map or cut out what is needed")]
    MapTooLarge {
        /// The file.
        path: String,
        /// The limit in megabytes.
        limit: u64,
    },
    /// A map that violates the rules of its format.
    #[error("{path} is not valid {format}{place}: {reason}; correct it, or export the map again")]
    MapSyntax {
        /// The file.
        path: String,
        /// The format.
        format: &'static str,
        /// The position, if known.
        place: String,
        /// The reason.
        reason: String,
    },
    /// Points or lines instead of areas.
    #[error("{path} holds no polygon, only {found}; a domain is made of polygons, so export the areas")]
    NoPolygon {
        /// The file.
        path: String,
        /// The kinds of geometry in it.
        found: String,
    },
    /// Areas or lines instead of points.
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
    /// A map without vertices.
    #[error(
        "{path} holds no vertices: what was chosen of it is empty; export the map again, or choose another feature"
    )]
    EmptyMap {
        /// The file.
        path: String,
    },
    /// A ring whose last vertex differs from its first.
    #[error("{path}, {feature}: ring {ring} is open; repeat its first vertex at its end")]
    OpenRing {
        /// The file.
        path: String,
        /// The feature.
        feature: String,
        /// The ring, counted from 1 within the feature.
        ring: usize,
    },
    /// A ring that can be understood in more than one way.
    #[error("{path}, {feature}: ring {ring} {problem}")]
    BadMapRing {
        /// The file.
        path: String,
        /// The feature.
        feature: String,
        /// The ring, counted from 1 within the feature.
        ring: usize,
        /// What is ambiguous, and the remedy.
        problem: &'static str,
    },
    /// The rings of a feature cannot be repaired.
    #[error("{path}, {feature}: {reason}")]
    MapFeature {
        /// The file.
        path: String,
        /// The feature.
        feature: String,
        /// The reason.
        reason: String,
    },
    /// Nothing of what was chosen has an area.
    #[error("{path}: what was chosen of it encloses no area: {what}; choose another feature, or a finer map")]
    NoArea {
        /// The file.
        path: String,
        /// The rings.
        what: String,
    },
    /// There is no layer with this name.
    #[error("{path} has no layer \"{layer}\"; its layers are {known}{}", did_you_mean(.nearest))]
    NoSuchLayer {
        /// The file.
        path: String,
        /// The requested name.
        layer: String,
        /// The existing layers.
        known: String,
        /// The nearest name.
        nearest: Option<String>,
    },
    /// Several layers have the requested features.
    #[error("{path} has the chosen features in several layers: {layers}; choose one with --layer")]
    AmbiguousLayer {
        /// The file.
        path: String,
        /// The layers.
        layers: String,
    },
    /// No feature has the requested value.
    #[error(
        "{path} has no feature whose {property} is \"{value}\"; the values are {known}{}", did_you_mean(.nearest)
    )]
    NoSuchFeature {
        /// The file.
        path: String,
        /// The property.
        property: String,
        /// The requested value.
        value: String,
        /// Some of the existing values.
        known: String,
        /// The nearest value.
        nearest: Option<String>,
    },
    /// No feature has the requested property.
    #[error("{path} has no feature with the property \"{property}\"; {}{}", properties(.known), did_you_mean(.nearest))]
    NoSuchProperty {
        /// The file.
        path: String,
        /// The requested property.
        property: String,
        /// Some of the existing properties.
        known: String,
        /// The nearest property.
        nearest: Option<String>,
    },
    /// Features cannot be chosen without an attribute table.
    #[error(
        "features cannot be chosen without a .dbf file next to {path}; copy it there, or use the whole map"
    )]
    NoAttributes {
        /// The file.
        path: String,
    },
    /// A table that does not contain rings.
    #[error(
        "{path} has {found} columns where the rings of a map have two numeric ones, x and y, or a third with the header ring, part or id; \
         leave out the others"
    )]
    RingColumns {
        /// The file.
        path: String,
        /// The number of columns.
        found: usize,
    },
    /// The rings of a map do not form a domain.
    #[error("{path}: {error}")]
    MapDomain {
        /// The file.
        path: String,
        /// The reason.
        error: steinbound::DomainError,
    },
    /// A domain specification that cannot be parsed.
    #[error("cannot read the domain \"{text}\": {reason}")]
    Spec {
        /// The specification.
        text: String,
        /// The reason, and the correct form.
        reason: String,
    },
    /// A formula that cannot be parsed or does not fit its table.
    #[error("the formula cannot be used: {reason}\n  {excerpt}\n  {}^", " ".repeat(*.column))]
    Formula {
        /// The reason and the remedy.
        reason: String,
        /// The part of the formula around the mistake.
        excerpt: String,
        /// The distance of the mistake from the beginning of that part.
        column: usize,
    },
    /// A term whose value is NaN or infinite.
    #[error(
        "{path}, {place}: the term {term} is {value}, not a finite number{}; repair or leave out {}, or change the term",
        also(*.others, .place.unit),
        if *.others == 0 { format!("that {}", .place.unit) } else { format!("those {}s", .place.unit) }
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
        /// The number of further rows where it is not finite.
        others: usize,
    },
    /// A value beyond the ends of a spline.
    #[error(
        "{path}, {place}: {term} is a spline from {low} to {high}, and this {} has {value}; leave it out, or give the spline wider ends when it is fitted (lower_bound=.., upper_bound=.., or ns, which is linear beyond)", .place.unit
    )]
    BeyondSpline {
        /// The file.
        path: String,
        /// Where in the file.
        place: Place,
        /// The term.
        term: String,
        /// The value.
        value: f64,
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// A derivative with respect to a category.
    #[error("{column} is a category, which has no derivative; compare its levels")]
    NoDerivative {
        /// The column.
        column: String,
    },
    /// A function of the response that limits cannot be carried over to.
    #[error("the response {function} {reason}")]
    ResponseFunction {
        /// The function.
        function: String,
        /// What is wrong, and the remedy.
        reason: String,
    },
    /// A level that did not occur in the data to which the formula was fitted.
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
        /// The level found.
        level: String,
        /// The known levels.
        known: String,
    },
    /// A limit that is not a finite number.
    #[error("the limit {text} is not a finite number; give a number or the name of a column")]
    Limit {
        /// The text given.
        text: String,
    },
    /// The domain is impossible.
    #[error(transparent)]
    Domain(#[from] steinbound::DomainError),
}

impl IoError {
    /// Whether the machine failed, rather than the input or a name: a full disk, a limit of the system.
    ///
    /// ```
    /// use steinbound_io::IoError;
    /// let full = IoError::Write { path: "out.csv".into(), reason: "the device has gone".into() };
    /// assert!(full.is_of_machine());
    /// ```
    pub fn is_of_machine(&self) -> bool {
        match self {
            IoError::Write { .. } => true,
            IoError::Read { reason, .. }
            | IoError::Create { reason, .. }
            | IoError::Unreadable { reason, .. } => system::remedy(reason).is_some(),
            _ => false,
        }
    }
}

/// The remedy for a table whose separator was perhaps not recognised, or that begins with a comment.
fn ragged_remedy(expected: usize, after_comment: bool) -> &'static str {
    match (expected, after_comment) {
        (_, true) => "; the first begins with #, and comments are not read, so remove these lines",
        (1, _) => ", or set --separator to the character between values",
        _ => "",
    }
}

/// The number of other rows with the same fault.
fn also(others: usize, unit: Unit) -> String {
    match others {
        0 => String::new(),
        1 => format!(", also in another {unit}"),
        others => format!(", also in {others} other {unit}s"),
    }
}

/// The definition of a numeric column, and the remedy.
fn numeric_remedy(unit: Unit) -> &'static str {
    match unit {
        Unit::Line => {
            "(a column is numeric if most of its values are numbers); check that --separator is the character between values"
        }
        Unit::Row | Unit::Feature => {
            "left for the data; store one as numbers, or choose with --columns one whose text is numbers"
        }
        Unit::Index => "left for the data; give one as numbers",
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

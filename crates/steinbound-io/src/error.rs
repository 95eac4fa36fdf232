use thiserror::Error;

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
    #[error("{path} is empty; it should hold one point per line, values separated by commas")]
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
        "{path}, line {line}: {found} values where the first line has {expected}; give every line the same number"
    )]
    Ragged {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u64,
        /// How many values it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// Text where a number should be.
    #[error(
        "{path}, line {line}, column {column}: \"{value}\" is not a number; correct it, or choose other columns"
    )]
    NotANumber {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u64,
        /// The column's name or number.
        column: String,
        /// What stands there.
        value: String,
    },
    /// NaN or infinite.
    #[error(
        "{path}, line {line}, column {column}: {value} is not a finite number; remove or repair that line (--drop-missing leaves out NaN)"
    )]
    NotFinite {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u64,
        /// The column's name or number.
        column: String,
        /// What stands there.
        value: String,
    },
    /// An empty field.
    #[error(
        "{path}, line {line}, column {column}: the value is missing; fill it in, or drop such lines with --drop-missing"
    )]
    Missing {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u64,
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
    #[error(
        "{path}, line {line}, column {column}: the weight {value} is negative; weights are zero or positive"
    )]
    NegativeWeight {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u64,
        /// The column's name or number.
        column: String,
        /// What stands there.
        value: String,
    },
    /// No numbers to read.
    #[error(
        "{path} has no numeric column (a column is numeric if its first value is); are the values separated by commas?"
    )]
    NoNumericColumn {
        /// The file.
        path: String,
    },
    /// Not a table at all.
    #[error("{path}, line {line}: {reason}; save the file as comma-separated values")]
    Malformed {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u64,
        /// What the parser says.
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
        "{path}, line {line}: the term {term} is {value}, not a finite number; repair or leave out that line, or change the term"
    )]
    NotFiniteTerm {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u64,
        /// The term.
        term: String,
        /// Its value.
        value: f64,
    },
    /// A level that the data to which the formula was fitted does not have.
    #[error(
        "{path}, line {line}: {column} has the level \"{level}\", which is not among the known ones ({known}); correct it, or leave out that line"
    )]
    UnknownLevel {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u64,
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

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean \"{name}\"?"))
}

fn properties(known: &str) -> String {
    match known {
        "" => "there are no properties to choose by, so use the whole map".into(),
        known => format!("the properties are {known}"),
    }
}

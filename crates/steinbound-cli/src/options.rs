//! Options of the command line: where data and region come from, what is known of the model, and how to
//! print.
//!
//! Those that all faces share are made of their descriptions in [`crate::arguments`].

use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum, ValueHint};
use steinbound::Method;
use steinbound_io::names::shown;
use steinbound_io::{DomainSpec, Map, MapOptions, read_map};
use steinbound_request::options::{LOG_DENSITY, SEED, START};
use steinbound_request::{Options, Situation, Value, Values, Wording};

use crate::arguments::{self, Density, Given, GivenBoundary, MethodGroup, Models, Outside, Sampling, Time};
use crate::failure::Failure;
use crate::output::Output;
use crate::tables::TextOptions;
use crate::threads;

/// How messages name options.
pub const WORDING: Wording = Wording::CommandLine;

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    #[value(help = "a table for people")]
    Table,
    /// For programs.
    #[value(help = "one JSON object on one line, for programs")]
    Json,
}

/// How tables are printed.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct TableOptions {
    /// Significant digits of every number in a table [default: as many as its standard error allows].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=17), allow_hyphen_values = true)]
    digits: Option<u8>,
}

impl TableOptions {
    /// The significant digits, if they are given.
    pub fn digits(&self) -> Option<usize> {
        self.digits.map(usize::from)
    }
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct GeneralOptions {
    /// How to print the result on standard output.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// No notes, warnings or drawings; errors are still printed.
    #[arg(long)]
    pub quiet: bool,
    #[arg(long, default_value_t = 0, value_name = SEED.placeholder, help = SEED.short_help(), long_help = SEED.long_help().unwrap_or_default(),
          allow_hyphen_values = true, help_heading = SEED.heading)]
    pub seed: u64,
    /// Threads to use; results do not depend on it [default: all cores].
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "Computation")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub time: Given<Time>,
}

impl GeneralOptions {
    /// Sets up the threads.
    pub fn apply(&self, output: &Output) -> Result<(), Failure> {
        threads::start(self.threads, output)
    }
}

/// Which rows count, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Data")]
pub struct RowOptions {
    /// The column of observation weights: zero or positive numbers.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub weights: Option<String>,
    /// The column of clusters, over which standard errors are summed.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub cluster: Option<String>,
    /// Leave out rows with missing values, which are refused otherwise.
    ///
    /// A value is missing where it is empty, NA, N/A, n/a, NaN, null, NULL or a single point.
    #[arg(long)]
    pub drop_missing: bool,
    #[command(flatten)]
    pub outside: Given<Outside>,
}

/// The data and the boundary.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Data")]
pub struct DataOptions {
    /// The data: separated values, .parquet or points of a map, one point per row.
    ///
    /// Text with separated values has a header or not (a first row that is all numbers is data) and may be
    /// packed by gzip; columns that are mostly numbers are used. Maps (.geojson, .topojson, .json, .gpkg, .wkt,
    /// .shp) give the places of their points. A single dash means standard input.
    #[arg(value_hint = ValueHint::FilePath, display_order = 0)]
    pub data: PathBuf,
    /// The boundary: points in a table, or a map (.geojson, .topojson, .gpkg, .wkt, .shp).
    ///
    /// Points come one per row, in the data's columns. The rings of a map are also the domain: boundary
    /// points are sampled from them, distances are exact, and data outside are refused. A table that has
    /// polygons as well-known text in a column is a map, too.
    #[arg(long, value_name = "FILE", help_heading = "Region", value_hint = ValueHint::FilePath)]
    pub boundary: Option<PathBuf>,
    #[command(flatten)]
    pub given_boundary: Given<GivenBoundary>,
    #[command(flatten)]
    pub features: FeatureOptions,
    /// Lay longitude and latitude on a plane, in kilometres, wherever they are from.
    ///
    /// The columns are longitude and latitude, in this order, in degrees. The projection keeps areas and is
    /// centred on the data; estimated means are mapped back to degrees, while covariances, bandwidth and
    /// distances are in kilometres. Without --project and --no-project this is done where a map states that it
    /// is in degrees and the data can be.
    #[arg(long, help_heading = "Region")]
    pub project: bool,
    /// Use longitude and latitude as they are, as if degrees were lengths.
    #[arg(long, help_heading = "Region", conflicts_with = "project")]
    pub no_project: bool,
    #[arg(long, value_name = "SPEC", value_parser = domain, allow_hyphen_values = true, help_heading = "Region",
          help = DOMAIN, long_help = domain_help())]
    pub domain: Option<DomainSpec>,
    #[command(flatten)]
    pub sampling: Given<Sampling>,
    /// Columns to use, by header or number from 1 [default: all numeric ones].
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Data"
    )]
    pub columns: Vec<String>,
    #[command(flatten)]
    pub rows: RowOptions,
    #[command(flatten)]
    pub text: TextOptions,
}

/// What of a map is used.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Region")]
pub struct FeatureOptions {
    /// A feature of the map to use: a property and its value; several times for several, or all.
    ///
    /// What is inside of any of the chosen features is the region, and their common borders are not part of its
    /// boundary. Without this option all features are used.
    #[arg(long, value_name = "NAME=VALUE|all", value_parser = feature)]
    pub feature: Vec<FeatureChoice>,
    /// The layer of a map with several: an object of TopoJSON, a table of a GeoPackage.
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
}

impl FeatureOptions {
    /// Whether anything was chosen.
    pub fn is_given(&self) -> bool {
        !self.feature.is_empty() || self.layer.is_some()
    }

    /// Reads a map, and shows what was found wrong with it and repaired.
    pub fn read(&self, path: &Path, output: &Output) -> Result<Map, Failure> {
        let is_all = self.feature.contains(&FeatureChoice::All);
        let one = |choice: &FeatureChoice| match choice {
            FeatureChoice::One(name, value) => Some((name.clone(), value.clone())),
            FeatureChoice::All => None,
        };
        let features = if is_all { Vec::new() } else { self.feature.iter().filter_map(one).collect() };
        let map = read_map(path, &MapOptions { features, layer: self.layer.clone() })?;
        show_remarks(&map, output);
        Ok(map)
    }
}

/// A feature of a map, or all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeatureChoice {
    One(String, String),
    All,
}

/// Shows what was found wrong with a map and what was repaired.
pub fn show_remarks(map: &Map, output: &Output) {
    map.notes.iter().for_each(|note| output.note(note));
    map.warnings.iter().for_each(|warning| output.warn(warning));
}

impl DataOptions {
    /// The options of all faces that are given here.
    pub fn given(&self) -> Options {
        let mut given = Options::clone(&self.sampling);
        given.extend(&self.given_boundary);
        given.extend(&self.rows.outside);
        given
    }

    /// Notes that a command without standard errors does not use clusters.
    pub fn note_no_clusters(&self, output: &Output) {
        if self.rows.cluster.is_some() {
            output.note("--cluster has no effect here: it is for standard errors");
        }
    }
}

/// The model.
#[derive(Debug, Clone, Args)]
pub struct ModelOptions {
    #[command(flatten)]
    pub models: Given<Models>,
    #[command(flatten)]
    pub density: Given<Density>,
}

impl ModelOptions {
    /// All that is said of the model.
    pub fn given(&self) -> Options {
        let mut given = Options::clone(&self.models);
        given.extend(&self.density);
        given
    }

    /// Notes that a command that does not search has no use for a start.
    pub fn note_no_search(&self, output: &Output) {
        if self.density.is_given(&START) && !self.density.is_given(&LOG_DENSITY) {
            output.note("--start has no effect here: nothing is searched for");
        }
    }
}

/// The estimator and its settings.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Method")]
pub struct MethodOptions {
    // Before the method itself, which leaves no trace once it is read.
    #[command(flatten)]
    pub is_given: MethodGiven,
    /// How to estimate.
    #[arg(long, value_name = "METHOD", value_parser = arguments::method(), default_value = Method::default().name())]
    pub method: Method,
    #[command(flatten)]
    pub settings: MethodSettings,
}

/// Whether the user chose the method.
#[derive(Debug, Clone, Copy, Default)]
pub struct MethodGiven(pub bool);

impl Args for MethodGiven {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for MethodGiven {
    fn from_arg_matches(matches: &ArgMatches) -> Result<MethodGiven, clap::Error> {
        Ok(MethodGiven(matches.value_source("method") == Some(ValueSource::CommandLine)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = MethodGiven::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The estimator whose discrepancy is evaluated, and its settings.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Method")]
pub struct DiscrepancyOptions {
    /// Whose discrepancy.
    #[arg(long, value_name = "METHOD", value_parser = arguments::method(), default_value = Method::TKSD.name())]
    pub method: Method,
    #[command(flatten)]
    pub settings: MethodSettings,
}

impl DiscrepancyOptions {
    /// The same, as for a command that estimates.
    pub fn as_method(&self) -> MethodOptions {
        MethodOptions {
            method: self.method,
            is_given: MethodGiven::default(),
            settings: self.settings.clone(),
        }
    }
}

/// The settings of an estimator, whatever the method.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Method")]
pub struct MethodSettings {
    #[command(flatten)]
    pub given: Given<MethodGroup>,
    /// Print more on standard error: what was read, what was chosen and why, how long it took.
    #[arg(long, help_heading = "Computation")]
    pub verbose: bool,
}

/// The settings are read as if they were here.
impl Deref for MethodOptions {
    type Target = MethodSettings;

    fn deref(&self) -> &MethodSettings {
        &self.settings
    }
}

impl MethodSettings {
    /// Notes that a command uses the settings as they are.
    pub fn note_no_tuning(&self, output: &Output) {
        let situation = Situation::new(Method::default(), &self.given, WORDING);
        situation.search_notes().iter().for_each(|note| output.note(note));
        if self.given.is_tuned() {
            output.note("--tune has no effect here: bandwidth and ridge are used as they are");
        }
    }
}

/// Options of all faces from several places, with the seed.
pub fn together<'a>(general: &GeneralOptions, given: impl IntoIterator<Item = &'a Options>) -> Options {
    let mut all = Options::new();
    all.set(&SEED, Value::Seed(general.seed));
    given.into_iter().for_each(|given| all.extend(given));
    all
}

/// Values of parameters.
pub fn values(text: &str) -> Result<Values, String> {
    text.parse()
}

/// A property and its value, or the word for all features.
pub fn feature(text: &str) -> Result<FeatureChoice, String> {
    match text.split_once('=') {
        None if text.trim() == "all" => Ok(FeatureChoice::All),
        Some((name, value)) if !name.trim().is_empty() => {
            Ok(FeatureChoice::One(name.trim().into(), value.trim().into()))
        }
        _ => Err("write it as NAME=VALUE, a property of the map's features and its value, or as all".into()),
    }
}

/// A number of coordinates.
pub fn dimension(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(dimension @ 1..=10_000) => Ok(dimension),
        _ => Err(format!(
            "\"{}\" is not a number of coordinates; give a whole number from 1 to 10000",
            shown(text)
        )),
    }
}

pub fn domain(text: &str) -> Result<DomainSpec, String> {
    DomainSpec::parse(text).map_err(|error| error.to_string())
}

/// The one line of help on domains.
const DOMAIN: &str = "The domain, such as \"ball(radius=2)\" or \"box(low=-3, high=3)\"";

/// How domains can be written.
fn domain_help() -> String {
    let shapes: Vec<(&str, &str)> = DomainSpec::shapes().collect();
    let width = shapes.iter().filter(|(_, meaning)| !meaning.is_empty()).map(|(text, _)| text.len()).max();
    let width = width.unwrap_or(0) + 2;
    let line = |(text, meaning): (&str, &str)| format!("  {text:width$}{meaning}").trim_end().to_string();
    let lines: Vec<String> = shapes.into_iter().map(line).collect();
    format!("{DOMAIN}\n\nOne of these, with lengths in the units of the data:\n\n{}", lines.join("\n"))
}

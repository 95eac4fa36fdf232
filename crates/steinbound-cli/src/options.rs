//! Options that several commands share, each with one name and one meaning.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use steinbound::domain::{BoundarySampling, BoundaryScheme, Norm, default_boundary_count};
use steinbound::fit::{Compute, DistanceKind, Problem};
use steinbound::kernel::{Bandwidth, Kernel};
use steinbound::model::Model;
use steinbound::stein::Statistic;
use steinbound::{Error, Estimator, Method, Points};
use steinbound_io::DomainSpec;
use steinbound_io::names::shown;

use crate::choices;
pub use crate::choices::{CovarianceShape, ModelKind, Tune};
use crate::failure::Failure;
use crate::output::Output;
use crate::region::Region;
use crate::tables::TextOptions;

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

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct GeneralOptions {
    /// How to print the result on standard output.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// No notes, warnings or drawings; errors are still told.
    #[arg(long)]
    pub quiet: bool,
    /// The seed of everything random.
    ///
    /// The same input, seed and vector unit give the same bits, whatever the number of threads.
    #[arg(
        long,
        default_value_t = 0,
        value_name = "N",
        allow_hyphen_values = true,
        help_heading = "Computation"
    )]
    pub seed: u64,
    /// Threads to use; results do not depend on it [default: all cores].
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "Computation")]
    pub threads: Option<usize>,
}

impl GeneralOptions {
    /// Sets up the threads.
    pub fn apply(&self) -> Result<(), Failure> {
        match self.threads {
            None => Ok(()),
            Some(threads @ (0 | 1025..)) => {
                Err(Failure::input(format!("--threads is {threads}; give a number from 1 to 1024")))
            }
            Some(threads) => rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build_global()
                .map_err(|error| Failure::Other(format!("cannot start {threads} threads: {error}"))),
        }
    }
}

/// Boundary points that are sampled from a domain.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Region")]
pub struct SamplingOptions {
    /// How many boundary points to sample from a map or a domain [default: 8 d^2, at least 32].
    ///
    /// A country needs about 200. A warning tells when they are too sparse for the bandwidth, or the domain too narrow: then the bias no longer is small
    /// beside the standard error.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub boundary_points: Option<usize>,
    /// How to place sampled boundary points [default: uniform].
    #[arg(long, value_name = "SCHEME", value_parser = choices::scheme())]
    pub boundary_sampling: Option<BoundaryScheme>,
}

impl SamplingOptions {
    /// How to place the points.
    pub fn scheme(&self) -> BoundaryScheme {
        self.boundary_sampling.unwrap_or_default()
    }

    /// So many points as were asked for, or the default in so many coordinates.
    pub fn request<'a>(&self, dimension: usize) -> BoundarySampling<'a> {
        let count = self.boundary_points.unwrap_or_else(|| default_boundary_count(dimension));
        BoundarySampling::new(count).scheme(self.scheme())
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
    /// Keep data outside the domain or the limits, which otherwise are refused.
    #[arg(long, help_heading = "Region")]
    pub allow_outside: bool,
}

/// The data and the boundary.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Data")]
pub struct DataOptions {
    /// The data: separated values, .parquet or points of a map, one point per row.
    ///
    /// Text with separated values has a header or not (a first row that is all numbers is data) and may be packed by gzip; columns whose first value is a number
    /// are used. Maps (.geojson, .json, .wkt, .shp) give the places of their points. A single dash means standard input.
    #[arg(value_hint = ValueHint::FilePath, display_order = 0)]
    pub data: PathBuf,
    /// The boundary: points in a table, or a map (.geojson, .json, .wkt, .shp).
    ///
    /// Points come one per row, in the data's columns. The rings of a map are also the domain: boundary points are sampled from them, distances are
    /// exact, and data outside are refused.
    #[arg(long, value_name = "FILE", help_heading = "Region", value_hint = ValueHint::FilePath)]
    pub boundary: Option<PathBuf>,
    /// The feature of the map to use: a property and its value.
    #[arg(long, value_name = "NAME=VALUE", value_parser = feature, help_heading = "Region")]
    pub feature: Option<(String, String)>,
    /// Lay longitude and latitude on a plane, in kilometres.
    ///
    /// The columns are longitude and latitude, in this order, in degrees. The projection keeps areas and is centred on the data; estimated means are
    /// mapped back to degrees, while covariances, bandwidth and distances are in kilometres.
    #[arg(long, help_heading = "Region")]
    pub project: bool,
    /// The domain, such as "ball(radius=2)" or "box(low=-3, high=3)"
    ///
    /// One of these, with lengths in the units of the data:
    ///
    ///   ball(radius=2)                      about the origin
    ///   ball(radius=2, norm=1, center=0:0)  norm 1, 2 or inf
    ///   box(low=-3, high=3)                 sides may be inf
    ///   box(low=-3:-1, high=3:1)
    ///   interval(-1, 1)                     one coordinate
    ///   halfspace(normal=1:0, offset=5)     normal.x >= offset
    ///   polygon(FILE)                       a map
    ///   usa()                               contiguous United States
    ///   level("x1^2 + x2^2 - 1")            where it is negative
    ///   outside(SPEC)
    ///   intersection(SPEC, SPEC)
    #[arg(long, value_name = "SPEC", value_parser = domain, allow_hyphen_values = true, help_heading = "Region", verbatim_doc_comment)]
    pub domain: Option<DomainSpec>,
    #[command(flatten)]
    pub sampling: SamplingOptions,
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

impl DataOptions {
    /// Tells that a command without standard errors does not use clusters.
    pub fn note_no_clusters(&self, output: &Output) {
        if self.rows.cluster.is_some() {
            output.note("--cluster has no effect here: it is for standard errors");
        }
    }
}

/// The model.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Model")]
pub struct ModelOptions {
    /// The model [default: gaussian].
    #[arg(long, value_name = "MODEL", value_parser = choices::model())]
    pub model: Option<ModelKind>,
    /// The number of components of a mixture, from 1 to 1000.
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub components: Option<usize>,
    #[command(flatten)]
    pub density: DensityOptions,
}

/// What is known of the density, whatever the model.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Model")]
pub struct DensityOptions {
    /// The known covariance: a number, a comma list (diagonal), or a .csv matrix.
    ///
    /// A number stands for itself times the identity. Units are the data's, squared (square kilometres with --project). Only means are estimated then.
    #[arg(long, value_name = "V", allow_hyphen_values = true, value_hint = ValueHint::AnyPath)]
    pub known_covariance: Option<String>,
    /// The shape of an unknown covariance [default: full].
    #[arg(long, value_name = "SHAPE", value_parser = choices::covariance())]
    pub covariance: Option<CovarianceShape>,
    /// Estimate the weights of a mixture, which otherwise are equal.
    #[arg(long)]
    pub estimate_weights: bool,
    /// Any log-density up to a constant, as a formula such as "-(x1-mu)^2/2".
    ///
    /// The formula is in x1, x2, .. or the names of columns, and in parameters of your own, which --start names. There are + - * / ^, brackets, and
    /// functions such as log, exp, sqrt, sin and abs; derivatives are exact.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true,
          conflicts_with_all = ["model", "known_covariance", "covariance", "components", "estimate_weights"])]
    pub log_density: Option<String>,
    /// Where a search starts: mu=0,s=1 for a formula, all means in order for a mixture.
    ///
    /// For a formula this also names its parameters. Without it a mixture is fitted from several starts, and its components are sorted by their first
    /// coordinate.
    #[arg(long, value_name = "START", value_parser = values, allow_hyphen_values = true)]
    pub start: Option<Values>,
}

/// What is known of the density is read as if it were here.
impl Deref for ModelOptions {
    type Target = DensityOptions;

    fn deref(&self) -> &DensityOptions {
        &self.density
    }
}

impl ModelOptions {
    /// Tells that a command that does not search has no use for a start.
    pub fn note_no_search(&self, output: &Output) {
        if self.start.is_some() && self.log_density.is_none() {
            output.note("--start has no effect here: nothing is searched for");
        }
    }

    /// The kind of model, where it is not a formula.
    pub fn kind(&self) -> ModelKind {
        self.model.unwrap_or(ModelKind::Gaussian)
    }
}

/// The estimator and its settings.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Method")]
pub struct MethodOptions {
    /// How to estimate.
    #[arg(long, value_name = "METHOD", value_parser = choices::method(), default_value = "tksd")]
    pub method: Method,
    #[command(flatten)]
    pub settings: MethodSettings,
}

/// The settings of an estimator, whatever the method.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Method")]
pub struct MethodSettings {
    /// The distance to the boundary for bdksd and truncsm [default: exact where the domain is known].
    #[arg(long, value_name = "KIND", value_parser = choices::distance())]
    pub distance: Option<DistanceKind>,
    /// The norm in which the nearest boundary point is sought [default: 2].
    #[arg(long, value_name = "NORM", value_parser = choices::norm())]
    pub distance_norm: Option<Norm>,
    /// The power to which bdksd and truncsm raise the distance [default: 1].
    #[arg(long, value_name = "POWER", value_parser = number, allow_hyphen_values = true)]
    pub distance_power: Option<f64>,
    /// How pairs are summed [default: v].
    #[arg(long, value_name = "STATISTIC", value_parser = choices::statistic())]
    pub statistic: Option<Statistic>,
    /// The kernel of tksd, bdksd and ksd [default: gaussian].
    #[arg(long, value_name = "KERNEL", value_parser = choices::kernel())]
    pub kernel: Option<Arc<dyn Kernel>>,
    /// The width of the kernel in the data's units, or "median" [default: median].
    ///
    /// It is the sigma of exp(-|x-y|^2 / (2 sigma^2)); "median" is the median distance between data points.
    #[arg(long, value_name = "SIGMA", value_parser = bandwidth, allow_hyphen_values = true)]
    pub bandwidth: Option<Bandwidth>,
    /// The ridge on the boundary's kernel matrix, for tksd [default: 0.001].
    #[arg(long, value_name = "RIDGE", value_parser = number, allow_hyphen_values = true)]
    pub ridge: Option<f64>,
    /// How bandwidth and ridge are chosen [default: none].
    ///
    /// With a rule, --bandwidth and --ridge are where the search starts.
    #[arg(long, value_name = "RULE", value_parser = choices::tune())]
    pub tune: Option<Tune>,
    /// How pairs of points are held [default: auto].
    #[arg(long, value_name = "FORM", value_parser = choices::compute(), help_heading = "Computation")]
    pub compute: Option<Compute>,
    /// The share of the kernel that the low-rank form may leave out [default: 0.001].
    #[arg(long, value_name = "T", value_parser = number, allow_hyphen_values = true, help_heading = "Computation")]
    pub tolerance: Option<f64>,
    /// Tell more on standard error: what was read, what was chosen and why, how long it took.
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
    /// An estimator with these settings.
    pub fn estimator_of(&self, method: Method, seed: u64) -> Estimator {
        let mut estimator = Estimator::new(method).seed(seed);
        if let Some(distance) = self.distance {
            estimator = estimator.distance(distance);
        }
        if let Some(norm) = self.distance_norm {
            estimator = estimator.distance_norm(norm);
        }
        if let Some(power) = self.distance_power {
            estimator = estimator.distance_power(power);
        }
        if let Some(statistic) = self.statistic {
            estimator = estimator.statistic(statistic);
        }
        if let Some(kernel) = &self.kernel {
            estimator = estimator.kernel(kernel.clone());
        }
        if let Some(bandwidth) = self.bandwidth {
            estimator = estimator.bandwidth(bandwidth);
        }
        if let Some(ridge) = self.ridge {
            estimator = estimator.ridge(ridge);
        }
        if let Some(compute) = self.compute {
            estimator = estimator.compute(compute);
        }
        if let Some(tolerance) = self.tolerance {
            estimator = estimator.tolerance(tolerance);
        }
        estimator
    }

    /// Whether bandwidth and ridge are to be chosen.
    pub fn is_tuned(&self) -> bool {
        self.tune == Some(Tune::Agreement)
    }

    /// What an estimator is to solve, its bandwidth and ridge chosen where that was asked for.
    pub fn problem<'a>(
        &self,
        estimator: &Estimator,
        data: &'a Points<'a>,
        model: &'a dyn Model,
    ) -> Result<Problem<'a>, Error> {
        if self.is_tuned() { estimator.check_tuned(data, model) } else { estimator.check(data, model) }
    }

    /// Tells that a command uses the settings as they are.
    pub fn note_no_tuning(&self, output: &Output) {
        if self.is_tuned() {
            output.note("--tune has no effect here: bandwidth and ridge are used as they are");
        }
    }
}

impl MethodOptions {
    /// An estimator with these settings.
    pub fn estimator(&self, seed: u64) -> Estimator {
        self.estimator_of(self.method, seed)
    }

    /// Tells of settings that were given and that the method does not use.
    pub fn note_unused(&self, is_nearest: bool, output: &Output) {
        let (method, compute) = (self.method, self.compute.unwrap_or_default());
        let settings = [
            ("--distance", self.distance.is_some(), method.has_distance()),
            ("--distance-norm", self.distance_norm.is_some(), is_nearest),
            ("--distance-power", self.distance_power.is_some(), method.has_distance()),
            ("--statistic", self.statistic.is_some(), method.has_kernel()),
            ("--kernel", self.kernel.is_some(), method.has_kernel()),
            ("--bandwidth", self.bandwidth.is_some(), method.has_kernel()),
            ("--ridge", self.ridge.is_some(), method == Method::TKSD),
            ("--tune", self.is_tuned(), method.has_kernel()),
            ("--compute", self.compute.is_some(), method.has_kernel()),
            ("--tolerance", self.tolerance.is_some(), method.has_kernel() && compute.has_tolerance()),
        ];
        for (option, given, used) in settings {
            if given && !used {
                let by_method = format!("with --method {}", method.name());
                let why = match option {
                    "--distance-norm" if method.has_distance() => {
                        format!("{by_method} unless --distance is nearest")
                    }
                    "--tolerance" if method.has_kernel() => format!("with --compute {}", compute.name()),
                    _ => by_method,
                };
                output.note(&format!("{option} has no effect {why}"));
            }
        }
    }
}

/// Tells of options that were given and have no effect on what the chosen method does.
pub fn note_unused(
    data: &DataOptions,
    model: &ModelOptions,
    method: &MethodOptions,
    region: &Region,
    output: &Output,
) {
    let name = method.method.name();
    let has_distance = method.method.has_distance();
    let distance = DistanceKind::chosen(method.distance, region.domain.as_deref());
    let is_nearest = has_distance && distance == DistanceKind::Nearest;
    let is_exact = has_distance && !is_nearest;
    let uses_boundary = method.method == Method::TKSD || is_nearest;
    method.note_unused(is_nearest, output);
    if let (true, None, Some(domain)) = (is_nearest, method.distance, &region.domain)
        && !domain.has_distance()
    {
        output.note(&format!(
            "the {} has no formula for the distance to its boundary: the nearest boundary point is used; --distance axes is exact for truncsm",
            domain.describe()
        ));
    }
    let how = if is_exact { format!(" and the {} distance", distance.name()) } else { String::new() };
    let by_method = format!("with --method {name}{how}");
    let by_points = if uses_boundary { "when --boundary gives the points".into() } else { by_method.clone() };
    let samples = uses_boundary && region.boundary.is_none();
    let others = [
        ("--boundary", region.boundary.is_some() && !uses_boundary, by_method),
        ("--boundary-points", data.sampling.boundary_points.is_some() && !samples, by_points.clone()),
        ("--boundary-sampling", data.sampling.boundary_sampling.is_some() && !samples, by_points),
        ("--allow-outside", data.rows.allow_outside && region.domain.is_none(), "without a domain".into()),
        (
            "--covariance",
            model.covariance.is_some() && model.known_covariance.is_some(),
            "with --known-covariance".into(),
        ),
    ];
    for (option, unused, why) in others {
        if unused {
            output.note(&format!("{option} has no effect {why}"));
        }
    }
}
/// The number of coordinates: what the domain says, which an explicit number must not contradict, else a fallback.
pub fn chosen_dimension(
    spec: &DomainSpec,
    asked: Option<usize>,
    fallback: Option<usize>,
) -> Result<usize, Failure> {
    match (spec.dimension(), asked) {
        (Some(least), Some(asked)) if !spec.fits(asked) => Err(Failure::input(format!(
            "--dimension is {asked}, but the domain has {least} coordinates; leave --dimension out"
        ))),
        (least, asked) => Ok(asked.or(least).or(fallback).unwrap_or(2)),
    }
}

/// Values of parameters: a comma list of numbers, or of names and numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    Plain(Vec<f64>),
    Named(Vec<(String, f64)>),
}

impl std::fmt::Display for Values {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list: Vec<String> = match self {
            Values::Plain(list) => list.iter().map(f64::to_string).collect(),
            Values::Named(list) => list.iter().map(|(name, value)| format!("{name}={value}")).collect(),
        };
        out.write_str(&list.join(","))
    }
}

/// Reads `1,2` or `a=1,b=2`; commas within brackets belong to a name, as in `cov[x1,x2]=0`.
pub fn values(text: &str) -> Result<Values, String> {
    let mut depth = 0i32;
    let parts: Vec<&str> = text
        .split(|c: char| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            c == ',' && depth <= 0
        })
        .collect();
    if !text.contains('=') {
        return parts.into_iter().map(number).collect::<Result<_, _>>().map(Values::Plain);
    }
    let mut list: Vec<(String, f64)> = Vec::new();
    for part in parts {
        let Some((name, value)) = part.split_once('=') else {
            return Err(format!("\"{}\" has no name; write every value as name=number", shown(part)));
        };
        let name = name.trim().to_string();
        if name.is_empty() {
            return Err(format!("\"{}\" has no name; write every value as name=number", shown(part)));
        }
        if list.iter().any(|(other, _)| *other == name) {
            return Err(format!("{} is given twice", shown(&name)));
        }
        list.push((name, number(value)?));
    }
    Ok(Values::Named(list))
}

/// A property and its value.
pub fn feature(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.trim().into())),
        _ => Err("write it as NAME=VALUE, a property of the map's features and its value".into()),
    }
}

/// A number of draws.
pub fn count(text: &str) -> Result<usize, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("\"{}\" is not a number of draws; give a whole number such as 500", shown(text)))
}

pub fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("\"{}\" is not a number", shown(text)))
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

fn bandwidth(text: &str) -> Result<Bandwidth, String> {
    match text {
        "median" => Ok(Bandwidth::Median),
        _ => number(text)
            .map(Bandwidth::Fixed)
            .map_err(|message| format!("{message}; give a positive number or \"median\"")),
    }
}

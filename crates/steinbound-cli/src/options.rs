//! Options that several commands share, each with one name and one meaning.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use steinbound::domain::{BoundarySampling, BoundaryScheme, default_boundary_count};
use steinbound::fit::{Compute, DistanceKind};
use steinbound::kernel::{self, Bandwidth, Kernel};
use steinbound::stein::Statistic;
use steinbound::{Estimator, Method};
use steinbound_io::DomainSpec;
use steinbound_io::names::{shown, unknown};

use crate::failure::Failure;
use crate::output::Output;

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Table,
    /// One JSON object.
    Json,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub struct GeneralOptions {
    /// How to print the result.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// The seed of everything random.
    #[arg(long, default_value_t = 0, value_name = "N", allow_hyphen_values = true)]
    pub seed: u64,
    /// Threads to use; results do not depend on it (default: all cores).
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub threads: Option<usize>,
    /// No notes and warnings.
    #[arg(long)]
    pub quiet: bool,
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
pub struct SamplingOptions {
    /// How many boundary points to sample from the domain (default: 8 d^2, at least 32).
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub boundary_points: Option<usize>,
    /// How to place sampled boundary points: uniform on the surface, or by radial projection.
    #[arg(long, value_name = "SCHEME", value_parser = scheme)]
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

/// The data and the boundary.
#[derive(Debug, Clone, Args)]
pub struct DataOptions {
    /// Comma-separated data, one point per line, with or without a header.
    pub data: PathBuf,
    /// Points on the boundary: comma-separated, one per line.
    #[arg(long, value_name = "FILE")]
    pub boundary: Option<PathBuf>,
    /// The domain: ball(radius=2) · ball(radius=2, norm=1, center=0:0) · box(low=-3, high=3) · interval(-1, 1) ·
    /// halfspace(normal=1:0, offset=5) for {x: normal.x >= offset}.
    #[arg(long, value_name = "SPEC", value_parser = domain, allow_hyphen_values = true)]
    pub domain: Option<DomainSpec>,
    #[command(flatten)]
    pub sampling: SamplingOptions,
    /// Columns to use, by header or number (default: all numeric ones).
    #[arg(long, value_name = "A,B", value_delimiter = ',', allow_hyphen_values = true)]
    pub columns: Vec<String>,
    /// The column of observation weights.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub weights: Option<String>,
    /// The column of clusters, over which standard errors are summed.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub cluster: Option<String>,
    /// Leave out lines with missing values.
    #[arg(long)]
    pub drop_missing: bool,
    /// Keep data outside the domain.
    #[arg(long)]
    pub allow_outside: bool,
}

impl DataOptions {
    /// Tells that a command without standard errors does not use clusters.
    pub fn note_no_clusters(&self, output: &Output) {
        if self.cluster.is_some() {
            output.note("--cluster has no effect here: it is for standard errors");
        }
    }
}

/// The model.
#[derive(Debug, Clone, Args)]
pub struct ModelOptions {
    /// The model: gaussian.
    #[arg(long, value_name = "MODEL", value_parser = model, default_value = "gaussian")]
    pub model: String,
    /// The known covariance: a number (times the identity), a comma list (diagonal), or a .csv matrix; then only the mean is estimated.
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    pub known_covariance: Option<String>,
    /// The shape of an unknown covariance: full or diagonal.
    #[arg(long, value_name = "SHAPE", value_parser = covariance)]
    pub covariance: Option<CovarianceShape>,
}

/// The shape of an unknown covariance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CovarianceShape {
    Full,
    Diagonal,
}

/// The estimator and its settings.
#[derive(Debug, Clone, Args)]
pub struct MethodOptions {
    /// The method: tksd, bdksd, truncsm, ksd or mle.
    #[arg(long, value_name = "METHOD", value_parser = method, default_value = "tksd")]
    pub method: Method,
    /// The distance to the boundary for bdksd and truncsm: exact or nearest (default: exact when the domain is known).
    #[arg(long, value_name = "KIND", value_parser = distance)]
    pub distance: Option<DistanceKind>,
    /// The statistic: v or u (default v).
    #[arg(long, value_name = "STATISTIC", value_parser = statistic)]
    pub statistic: Option<Statistic>,
    /// The kernel: gaussian, imq, matern52 or rational-quadratic (default gaussian).
    #[arg(long, value_name = "KERNEL", value_parser = kernel)]
    pub kernel: Option<Arc<dyn Kernel>>,
    /// The bandwidth sigma in the data's units, or median: k = exp(-|x-y|^2 / (2 sigma^2)) (default median).
    #[arg(long, value_name = "SIGMA", value_parser = bandwidth, allow_hyphen_values = true)]
    pub bandwidth: Option<Bandwidth>,
    /// The ridge on the boundary's kernel matrix (default 0.001).
    #[arg(long, value_name = "RIDGE", value_parser = number, allow_hyphen_values = true)]
    pub ridge: Option<f64>,
    /// How pairs are held: auto, dense or tiled (default auto).
    #[arg(long, value_name = "FORM", value_parser = compute)]
    pub compute: Option<Compute>,
    /// Tell more on standard error.
    #[arg(long)]
    pub verbose: bool,
}

impl MethodOptions {
    /// An estimator with these settings.
    pub fn estimator(&self, seed: u64) -> Estimator {
        let mut estimator = Estimator::new(self.method).seed(seed);
        if let Some(distance) = self.distance {
            estimator = estimator.distance(distance);
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
        estimator
    }
}

/// Tells of options that were given and have no effect on what the chosen method does.
pub fn note_unused(data: &DataOptions, model: &ModelOptions, method: &MethodOptions, output: &Output) {
    let name = method.method.name();
    let has_kernel = method.method.has_kernel();
    let distance = DistanceKind::chosen(method.distance, data.domain.is_some());
    let is_exact = method.method.has_distance() && distance == DistanceKind::Exact;
    let uses_boundary = method.method == Method::Tksd || (method.method.has_distance() && !is_exact);
    let by_method = [
        ("--distance", method.distance.is_some(), method.method.has_distance()),
        ("--statistic", method.statistic.is_some(), has_kernel),
        ("--kernel", method.kernel.is_some(), has_kernel),
        ("--bandwidth", method.bandwidth.is_some(), has_kernel),
        ("--ridge", method.ridge.is_some(), method.method == Method::Tksd),
        ("--compute", method.compute.is_some(), has_kernel),
    ];
    for (option, given, used) in by_method {
        if given && !used {
            output.note(&format!("{option} has no effect with --method {name}"));
        }
    }
    let how = if is_exact { " and the exact distance" } else { "" };
    let by_method = format!("with --method {name}{how}");
    let by_points = if uses_boundary { "when --boundary gives the points".into() } else { by_method.clone() };
    let samples = uses_boundary && data.boundary.is_none();
    let others = [
        ("--boundary", data.boundary.is_some() && !uses_boundary, by_method),
        ("--boundary-points", data.sampling.boundary_points.is_some() && !samples, by_points.clone()),
        ("--boundary-sampling", data.sampling.boundary_sampling.is_some() && !samples, by_points),
        ("--allow-outside", data.allow_outside && data.domain.is_none(), "without --domain".into()),
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
        (Some(spec), Some(asked)) if spec != asked => Err(Failure::input(format!(
            "--dimension is {asked}, but the domain has {spec} coordinates; leave --dimension out"
        ))),
        (spec, asked) => Ok(spec.or(asked).or(fallback).unwrap_or(2)),
    }
}

/// A comma list of numbers, given to `--at`.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers(pub Vec<f64>);

pub fn numbers(text: &str) -> Result<Numbers, String> {
    text.split(',').map(number).collect::<Result<Vec<_>, _>>().map(Numbers)
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

/// A choice among named values; the message for another name gives the nearest.
fn choose<T: Clone>(what: &str, typed: &str, choices: &[(&str, T)]) -> Result<T, String> {
    match choices.iter().find(|(name, _)| *name == typed) {
        Some((_, value)) => Ok(value.clone()),
        None => {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            Err(unknown(what, typed, &names))
        }
    }
}

fn scheme(text: &str) -> Result<BoundaryScheme, String> {
    let choices = [("uniform", BoundaryScheme::Uniform), ("radial", BoundaryScheme::Radial)];
    choose("boundary sampling", text, &choices)
}

pub fn model(text: &str) -> Result<String, String> {
    choose("model", text, &[("gaussian", "gaussian".to_string())])
}

fn covariance(text: &str) -> Result<CovarianceShape, String> {
    choose("covariance", text, &[("full", CovarianceShape::Full), ("diagonal", CovarianceShape::Diagonal)])
}

fn method(text: &str) -> Result<Method, String> {
    choose("method", text, &Method::ALL.map(|method| (method.name(), method)))
}

fn distance(text: &str) -> Result<DistanceKind, String> {
    choose("distance", text, &[("exact", DistanceKind::Exact), ("nearest", DistanceKind::Nearest)])
}

fn statistic(text: &str) -> Result<Statistic, String> {
    choose("statistic", &text.to_lowercase(), &[("v", Statistic::V), ("u", Statistic::U)])
}

fn kernel(text: &str) -> Result<Arc<dyn Kernel>, String> {
    kernel::by_name(text).map_err(|_| unknown("kernel", text, &kernel::NAMES))
}

fn compute(text: &str) -> Result<Compute, String> {
    let choices = [("auto", Compute::Auto), ("dense", Compute::Dense), ("tiled", Compute::Tiled)];
    choose("form", text, &choices)
}

fn bandwidth(text: &str) -> Result<Bandwidth, String> {
    match text {
        "median" => Ok(Bandwidth::Median),
        _ => number(text)
            .map(Bandwidth::Fixed)
            .map_err(|message| format!("{message}; give a positive number or \"median\"")),
    }
}

//! A fit (Gaussian kernel, V-statistic), timed from data in memory to estimates with standard errors.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use steinbound::domain::Ball;
use steinbound::fit::{Compute, DEFAULT_TOLERANCE};
use steinbound::inference::Bootstrap;
use steinbound::kernel::Bandwidth;
use steinbound::model::{Gaussian, GaussianMixture, Model};
use steinbound::{Estimator, Fit, Method, Points};

use crate::{memory, raw};

/// The data, the model and the settings of the fit.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Data: raw little-endian f64, row by row.
    #[arg(long)]
    data: PathBuf,
    /// Boundary points, likewise.
    #[arg(long)]
    boundary: Option<PathBuf>,
    /// The region in their place: the ball of this radius about zero.
    #[arg(long, conflicts_with = "boundary")]
    radius: Option<f64>,
    /// The number of values in a row.
    #[arg(long)]
    dimension: usize,
    /// The method, with its default settings unless they are given.
    #[arg(long, default_value = "tksd", value_parser = method)]
    method: Method,
    /// The density.
    #[arg(long, value_enum)]
    model: Density,
    /// The number of components of the mixture.
    #[arg(long, default_value_t = 2)]
    components: usize,
    /// The starting point of the search: the means, one after the other.
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    start: Option<Vec<f64>>,
    /// How the kernel of all pairs is stored.
    #[arg(long, value_enum, default_value = "auto")]
    compute: Holder,
    /// The share of the kernel that the low-rank form may neglect.
    #[arg(long, default_value_t = DEFAULT_TOLERANCE)]
    tolerance: f64,
    /// `median` or a number.
    #[arg(long, default_value = "median", value_parser = bandwidth)]
    bandwidth: Bandwidth,
    /// The number added to the diagonal of the boundary's kernel matrix.
    #[arg(long)]
    ridge: Option<f64>,
    /// The number of replicates of a bootstrap that follows the fit.
    #[arg(long)]
    bootstrap: Option<usize>,
    /// The number of times to fit.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// The number of threads; all cores if not given.
    #[arg(long)]
    threads: Option<usize>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Density {
    /// Mean unknown, covariance the identity.
    GaussianMean,
    /// Mean and covariance unknown.
    Gaussian,
    /// Means unknown, covariances the identity, equal weights.
    Mixture,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Holder {
    Auto,
    Dense,
    Tiled,
    LowRank,
}

impl Holder {
    fn compute(self) -> Compute {
        match self {
            Holder::Auto => Compute::Auto,
            Holder::Dense => Compute::Dense,
            Holder::Tiled => Compute::Tiled,
            Holder::LowRank => Compute::LowRank,
        }
    }
}

fn bandwidth(text: &str) -> Result<Bandwidth, String> {
    match text {
        "median" => Ok(Bandwidth::Median),
        _ => text.parse().map(Bandwidth::Fixed).map_err(|_| "neither `median` nor a number".to_string()),
    }
}

fn method(name: &str) -> Result<Method, String> {
    Method::by_name(name).ok_or_else(|| format!("there is no method {name:?}"))
}

impl Arguments {
    fn model(&self) -> Result<Box<dyn Model>, steinbound::Error> {
        Ok(match self.model {
            Density::GaussianMean => Box::new(Gaussian::with_variance(self.dimension, 1.0)?),
            Density::Gaussian => Box::new(Gaussian::full(self.dimension)),
            Density::Mixture => Box::new(GaussianMixture::new(self.dimension, self.components)?),
        })
    }

    fn estimator(&self) -> Result<Estimator, Box<dyn Error>> {
        let mut estimator = Estimator::new(self.method)
            .bandwidth(self.bandwidth)
            .compute(self.compute.compute())
            .tolerance(self.tolerance);
        if let Some(ridge) = self.ridge {
            estimator = estimator.ridge(ridge);
        }
        if let Some(boundary) = &self.boundary {
            estimator = estimator.boundary(Points::new(raw::read(boundary)?, self.dimension)?);
        }
        if let Some(radius) = self.radius {
            estimator = estimator.domain(Arc::new(Ball::new(radius)?.in_dimension(self.dimension)));
        }
        Ok(match &self.start {
            Some(start) => estimator.start(start.clone()),
            None => estimator,
        })
    }
}

impl Arguments {
    fn fit(&self, estimator: &Estimator, data: &Points, model: &dyn Model) -> Result<Fit, steinbound::Error> {
        let problem = estimator.check(data, model)?;
        let fit = problem.fit()?;
        match self.bootstrap {
            Some(draws) => problem.bootstrap(fit, &Bootstrap::new(draws)),
            None => Ok(fit),
        }
    }
}

/// Fits the requested number of times; reports the time of each fit and the result of the last.
pub fn run(arguments: &Arguments) -> Result<Value, Box<dyn Error>> {
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    let data = Points::new(raw::read(&arguments.data)?, arguments.dimension)?;
    let estimator = arguments.estimator()?;
    let model = arguments.model()?;

    let peak = memory::Peak::watch();
    let mut seconds = Vec::new();
    let mut timed = || {
        let started = Instant::now();
        let fit = arguments.fit(&estimator, &data, model.as_ref());
        seconds.push(started.elapsed().as_secs_f64());
        fit
    };
    let mut fit = timed()?;
    for _ in 1..arguments.repeat {
        fit = timed()?;
    }
    Ok(measured(&fit, &seconds, peak.bytes()))
}

fn measured(fit: &Fit, seconds: &[f64], peak_bytes: Option<u64>) -> Value {
    let holder = fit.setup.compute.as_ref().map(|used| &used.holder);
    json!({
        "seconds": seconds,
        "estimates": fit.estimates(),
        "std_errors": fit.std_errors(),
        "converged": fit.converged,
        "boundary_points": fit.setup.m,
        "bandwidth": fit.setup.kernel.as_ref().map(|used| used.bandwidth),
        "form": holder.map(|holder| &holder.form),
        "rank": holder.map(|holder| holder.rank),
        "residual": holder.map(|holder| holder.residual),
        "peak_bytes": peak_bytes,
    })
}

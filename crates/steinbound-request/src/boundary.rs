//! Points on a boundary, and how well they cover it.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use steinbound::domain::{Coverage, Domain, coverage};
use steinbound::fit::DEFAULT_RIDGE;
use steinbound::kernel::{Bandwidth, Gaussian};
use steinbound::stein::{Conditioned, Radial};
use steinbound::{DomainError, Error, Points, simulate};

use crate::error::RequestError;
use crate::option::Options;
use crate::tables::coverage::KernelLeak;
use crate::wording::Wording;

/// Points on a boundary, of the schema `steinbound.boundary/1`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BoundaryAnswer {
    /// The domain in words.
    pub domain: String,
    /// The points.
    pub points: Points<'static>,
    /// How well they cover the boundary.
    pub coverage: Coverage,
    /// How well they hold a kernel down, for data.
    pub leak: Option<KernelLeak>,
    /// What the user may want to know.
    pub notes: Vec<String>,
}

impl BoundaryAnswer {
    /// The answer as JSON.
    pub fn json(&self) -> Json {
        json!({
            "schema": "steinbound.boundary/1",
            "domain": self.domain,
            "m": self.points.len(),
            "d": self.points.dimension(),
            "points": self.points.rows().collect::<Vec<_>>(),
            "coverage": self.coverage,
            "notes": self.notes,
            "leak": self.leak.map(|leak| {
                json!({ "bandwidth": leak.bandwidth, "mean": leak.mean, "largest": leak.largest })
            }),
        })
    }
}

/// Samples points on the boundary of a domain, near some data where it is unbounded.
///
/// ```
/// use std::sync::Arc;
/// use steinbound::domain::Cuboid;
/// use steinbound_request::{Options, Wording, sample_boundary};
/// let square = Arc::new(Cuboid::new(vec![0.0; 2], vec![1.0; 2])?);
/// let answer = sample_boundary(square, None, &Options::new(), Wording::CommandLine)?;
/// assert_eq!(answer.points.len(), 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sample_boundary(
    domain: Arc<dyn Domain>,
    near: Option<&Points>,
    options: &Options,
    wording: Wording,
) -> Result<BoundaryAnswer, RequestError> {
    let dimension = domain.dimension();
    let near_option = wording.option("near");
    if near.is_some_and(|points| points.dimension() != dimension) {
        return Err(RequestError::refused(format!(
            "the points of {near_option} have another number of columns than the {} has coordinates",
            domain.describe()
        )));
    }
    let mut sampling = options.boundary_sampling(dimension);
    if let Some(near) = near {
        sampling = sampling.near(near);
    }
    let rng = &mut simulate::stream(options.seed(), simulate::tasks::BOUNDARY);
    let points = domain.sample_boundary(&sampling, rng).map_err(|error| match error {
        DomainError::Unbounded { .. } => {
            let near = wording.with_placeholder("near", "FILE");
            RequestError::refused(format!("{error} with {near}"))
        }
        other => other.into(),
    })?;
    let coverage = coverage(domain.as_ref(), &points)?;
    let leak = near.map(|near| kernel_leak(near, &points, options.seed())).transpose()?;
    let notes = search_note(domain.as_ref(), near.is_some(), wording).into_iter().collect();
    Ok(BoundaryAnswer { domain: domain.describe(), points, coverage, leak, notes })
}

/// The note about a boundary that was searched for without knowing where data are.
fn search_note(domain: &dyn Domain, has_data: bool, wording: Wording) -> Option<String> {
    (domain.may_miss_parts() && !has_data).then(|| {
        format!(
            "the boundary of the {} was found by a search, which can miss small parts and those far from the others; data \
             by {} are looked around",
            domain.describe(),
            wording.with_placeholder("near", if wording.is_command_line() { "FILE" } else { ".." })
        )
    })
}

/// How much of a Gaussian kernel with the median bandwidth of the data is left at each boundary point when
/// the others are known.
fn kernel_leak(data: &Points, boundary: &Points, seed: u64) -> Result<KernelLeak, Error> {
    let bandwidth = Bandwidth::Median.resolve(data, seed)?;
    let form = Radial::tiled(data, Arc::new(Gaussian), bandwidth)?;
    let leaks = Conditioned::new(form, boundary, DEFAULT_RIDGE)?.leaks();
    let mean = leaks.iter().sum::<f64>() / leaks.len().max(1) as f64;
    Ok(KernelLeak { bandwidth, mean, largest: leaks.iter().copied().fold(0.0, f64::max) })
}

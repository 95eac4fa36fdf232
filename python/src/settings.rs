//! The settings of an estimator, as Python gives them: all of them, by name.

use pyo3::prelude::*;
use steinbound::domain::{BoundaryScheme, Norm};
use steinbound::fit::{Compute, DistanceKind};
use steinbound::kernel::{self, Bandwidth};
use steinbound::stein::Statistic;
use steinbound::{Estimator, Method};
use steinbound_io::names::choose;

use crate::error::Failure;

/// Settings with their defaults filled in where Python knows one; `None` leaves it to the library.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings {
    method: String,
    kernel: String,
    bandwidth: Option<f64>,
    ridge: Option<f64>,
    statistic: String,
    distance: Option<String>,
    distance_norm: String,
    distance_power: f64,
    compute: String,
    tolerance: Option<f64>,
    boundary_points: Option<usize>,
    boundary_sampling: String,
    confidence: f64,
    seed: u64,
    allow_outside: bool,
    /// Whether bandwidth and ridge are chosen by agreement.
    pub tune: bool,
    /// How many threads to use.
    pub threads: Option<usize>,
}

impl Settings {
    /// An estimator with these settings.
    pub fn estimator(&self) -> Result<Estimator, Failure> {
        let method = choose("method", &self.method, &Method::ALL.map(|method| (method.name(), method)))?;
        let norms = [("1", Norm::One), ("2", Norm::Two), ("inf", Norm::Infinity)];
        let statistics = [("v", Statistic::V), ("u", Statistic::U)];
        let kernels: Vec<_> = kernel::all().into_iter().map(|kernel| (kernel.name(), kernel)).collect();
        let forms = Compute::ALL.map(|form| (form.name(), form));
        let mut estimator = Estimator::new(method)
            .kernel(choose("kernel", &self.kernel, &kernels)?)
            .statistic(choose("statistic", &self.statistic.to_lowercase(), &statistics)?)
            .distance_norm(choose("norm", &self.distance_norm, &norms)?)
            .distance_power(self.distance_power)
            .compute(choose("form", &self.compute, &forms)?)
            .boundary_scheme(scheme(&self.boundary_sampling)?)
            .confidence(self.confidence)
            .seed(self.seed)
            .allow_outside(self.allow_outside);
        if let Some(bandwidth) = self.bandwidth {
            estimator = estimator.bandwidth(Bandwidth::Fixed(bandwidth));
        }
        if let Some(ridge) = self.ridge {
            estimator = estimator.ridge(ridge);
        }
        if let Some(tolerance) = self.tolerance {
            estimator = estimator.tolerance(tolerance);
        }
        if let Some(count) = self.boundary_points {
            estimator = estimator.boundary_points(count);
        }
        if let Some(distance) = &self.distance {
            let kinds = [DistanceKind::Exact, DistanceKind::Nearest, DistanceKind::Axes];
            estimator =
                estimator.distance(choose("distance", distance, &kinds.map(|kind| (kind.name(), kind)))?);
        }
        Ok(estimator)
    }
}

/// How boundary points are placed.
pub fn scheme(name: &str) -> Result<BoundaryScheme, Failure> {
    let schemes = [
        ("uniform", BoundaryScheme::Uniform),
        ("even", BoundaryScheme::Even),
        ("radial", BoundaryScheme::Radial),
    ];
    Ok(choose("boundary sampling", name, &schemes)?)
}

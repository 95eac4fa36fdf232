//! Fitting: settings, checked against data and model, give a [`Fit`].

mod checks;
mod closed_form;
mod descent;
pub(crate) mod error;
mod estimate;
mod estimator;
mod forms;
mod latent;
mod leak;
mod method;
pub(crate) mod objective;
mod problem;
mod result;
mod search;
mod solve;
mod summary;

pub(crate) use estimate::{Estimate, affine_score, centred, features, solve_normal_equations, start_less};
pub use estimator::{DEFAULT_RIDGE, DEFAULT_TOLERANCE, Estimator};
pub(crate) use leak::smaller;
pub use leak::{BoundaryLeaks, Tie};
pub use method::{AUTO_EXACT_LIMIT, Compute, DistanceKind, Method};
pub(crate) use problem::sees_one_coordinate;
pub use problem::{Described, Discrepancy, Problem, WitnessValues};
pub use result::{ComputeUsed, Fit, KernelUsed, Parameter, Seconds, Starts};
pub(crate) use search::search;
pub use summary::parameter_table;

pub use crate::error::Interrupted;
pub use crate::interrupt::Interrupt;
pub use crate::likelihood::IntegrationRule;

use crate::inference::Tuning;
use crate::points::Points;
use crate::stein::Statistic;

/// The settings as they were used, on their way into a [`Fit`].
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    method: Method,
    statistic: Option<Statistic>,
    boundary_points: usize,
    kernel: Option<KernelUsed>,
    ridge: Option<f64>,
    distance: Option<String>,
    leak: Option<f64>,
    kept: Option<f64>,
    tie: Option<Tie>,
    /// What was told of the boundary points, also among the warnings.
    of_boundary: Option<String>,
    /// Places on the boundary near the data, where it is known.
    near_places: Option<Points<'static>>,
    compute: Option<ComputeUsed>,
    confidence: f64,
    warnings: Vec<String>,
    tuning: Option<Tuning>,
    /// Seconds from data in memory to the checked problem.
    prepared_in: f64,
}

//! Fitting: settings, checked against data and model, give a [`Fit`].

mod assembly;
mod edges;
pub(crate) mod error;
mod information;
mod latent;
mod leaks;
mod problem;
pub(crate) mod replicates;
mod result;
mod summary;
mod truncated_density;
mod tuning;
mod variant;

pub use information::Information;
pub use problem::{Described, Discrepancy, Problem, WitnessValues};
pub use replicates::{Interval, Replicates, Resampling};
pub use result::{Assumption, CovarianceKind, Fit, Parameter, Seconds};
pub use summary::{TableStyle, parameter_table};
pub use tuning::{Candidate, LEAST_OBSERVATIONS, LEAST_VARIANCE, Tuning, TuningRule};
pub use variant::Variant;

pub use crate::error::Interrupted;
pub use crate::interrupt::Interrupt;
pub use crate::likelihood::IntegrationRule;
pub use crate::method::{
    AUTO_EXACT_LIMIT, BoundaryLeaks, Compute, ComputeUsed, DEFAULT_RIDGE, DEFAULT_TOLERANCE, DistanceKind,
    Estimator, KernelUsed, Method, Setup, StandardErrors, Tie,
};
pub use crate::minimise::{Estimate, Starts};
pub use crate::search_limits::SearchWatcher;

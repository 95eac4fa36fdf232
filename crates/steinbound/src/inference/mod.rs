//! How reliable an estimate is, and how to choose among several.
//!
//! | question | answer |
//! |---|---|
//! | how precise is it | [`sandwich`], or [`Bootstrap`] |
//! | is the fit sound | [`Diagnostics`] |
//! | which bandwidth and ridge | [`Estimator::tuned`](crate::Estimator::tuned) |
//! | do the parameters satisfy an equation | [`WaldTest`] |
//! | which of several models | [`Comparison`] and its [choice](Comparison::choose) |
//! | do the data come from a density of this family | [`GoodnessOfFit`] |

mod bootstrap;
mod check;
mod comparison;
mod derived;
mod diagnostics;
mod distance_bias;
mod drawn;
pub(crate) mod error;
mod goodness_of_fit;
mod hypothesis;
mod margin;
mod ranks;
mod resampling;
mod selection;
mod sensitivity;
mod trial;
mod tuning;
mod wald;
mod yardstick;

pub use bootstrap::Bootstrap;
pub use check::{Check, Unit, Verdict};
pub use comparison::{Compared, Comparison, Contender, Reference};
pub use diagnostics::{Diagnostics, Disagreement, Leverage};
pub use error::{HypothesisError, ResamplingError};
pub use goodness_of_fit::{GoodnessOfFit, Null, TestResult};
pub use hypothesis::LinearHypothesis;
pub use resampling::{MOST_DRAWS, Progress};
pub use selection::{Criterion, HeldOut, Ranked, Selection};

pub use crate::fit::Information;
pub use sensitivity::{Sensitivity, SensitivityRow};
pub use wald::WaldTest;
pub use yardstick::LEVEL;

pub use crate::fit::{
    Candidate, Interval, LEAST_OBSERVATIONS, LEAST_VARIANCE, Replicates, Resampling, Tuning, TuningRule,
    Variant,
};
pub use crate::minimise::sandwich;

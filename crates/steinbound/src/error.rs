//! Errors: a small enum in each folder, and one enum over all of them.
//!
//! Files named `error.rs` import only each other, so that every module can return the common [`Error`].

use std::time::Duration;

use thiserror::Error;

pub use crate::domain::error::DomainError;
pub use crate::expression::error::ExpressionError;
pub use crate::fit::error::FitError;
pub use crate::inference::error::{HypothesisError, ResamplingError};
pub use crate::kernel::error::KernelError;
pub(crate) use crate::model::error::ANOTHER_METHOD;
pub use crate::model::error::ModelError;
pub use crate::points::error::PointsError;

pub(crate) use crate::text::brief as shown;

/// Any error of this crate.
///
/// Every message names what was wrong, where, and what to do next.
///
/// ```
/// use steinbound::{Error, Points};
/// let error: Error = Points::new(vec![1.0, f64::NAN], 2).unwrap_err().into();
/// assert!(error.to_string().contains("row 1"));
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The data or the boundary points are unusable.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// A kernel, its bandwidth or the ridge is unusable.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A domain is ill-defined or does not support the operation.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// A model is ill-defined or was given parameters it cannot take.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The parts do not fit together, or the fit has no answer.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A formula cannot be read.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// A bootstrap or a test cannot be run with these settings.
    #[error(transparent)]
    Resampling(#[from] ResamplingError),
    /// A hypothesis on the estimates cannot be tested, or a function of them cannot be computed.
    #[error(transparent)]
    Hypothesis(#[from] HypothesisError),
    /// More memory is needed than there is.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The work was ended before it was done.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl Error {
    /// Whether the work was ended by an [`Interrupt`](crate::fit::Interrupt) or a progress function.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Error::Interrupted(_))
    }

    /// The time limit, if that has ended the work.
    pub fn time_limit(&self) -> Option<Duration> {
        match self {
            Error::Interrupted(interrupted) => interrupted.limit,
            _ => None,
        }
    }
}

/// Something would need more memory than there is; it was not begun.
///
/// ```
/// use steinbound::MemoryError;
/// let error = MemoryError { what: "the pairs".into(), needed: 9 << 40, available: 2 << 30, remedy: "use fewer points" };
/// assert_eq!(error.to_string(), "the pairs need 9895.6 GB of memory, and 2.1 GB are available; use fewer points");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what} need {} of memory, and {} are available; {remedy}", bytes(*.needed), bytes(*.available))]
pub struct MemoryError {
    /// What needs the memory, in the plural.
    pub what: String,
    /// The bytes needed, or the largest number.
    pub needed: u64,
    /// The bytes there are.
    pub available: u64,
    /// What needs less.
    pub remedy: &'static str,
}

/// A number of bytes with two figures or more.
fn bytes(count: u64) -> String {
    const MEGA: f64 = 1e6;
    match count as f64 {
        count if count < 1e3 * MEGA => format!("{:.0} MB", count / MEGA),
        count if count < 1e9 * MEGA => format!("{:.1} GB", count / MEGA / 1e3),
        count => format!("{:.2e} GB", count / MEGA / 1e3),
    }
}

/// Computing was ended before there was a result: an [`Interrupt`](crate::fit::Interrupt) was raised, its time limit
/// was over, or a progress function returned `false`.
///
/// ```
/// use steinbound::fit::Interrupted;
/// assert_eq!(Interrupted::default().to_string(), "interrupted");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Error)]
#[error("{}", self.sentence())]
#[non_exhaustive]
pub struct Interrupted {
    /// The finished draws of a bootstrap or a test, and their total; `None` if nothing was drawn.
    pub draws: Option<(usize, usize)>,
    /// The time limit, if that ended the work.
    pub limit: Option<Duration>,
}

impl Interrupted {
    fn sentence(self) -> String {
        let draws = self.draws.map(|(done, all)| format!(" after {done} of {all} bootstrap draws"));
        let draws = draws.unwrap_or_default();
        match self.limit {
            None => format!("interrupted{draws}"),
            Some(limit) => format!(
                "the time limit of {} s was over{draws} before there was a result; allow more time, or use fewer rows, \
                 models or draws",
                limit.as_secs_f64()
            ),
        }
    }
}

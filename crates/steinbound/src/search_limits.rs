//! What ends a search for a minimum before it has come to its end.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use crate::error::FitError;

/// Called with the number of steps that a search has done and the objective there; `true` ends the search.
pub type SearchWatcher = Arc<dyn Fn(usize, f64) -> bool + Send + Sync>;

/// What ends a search: a number of steps, the length of a step, or someone who watches it.
#[derive(Clone, Default)]
pub(crate) struct SearchLimits {
    pub(crate) most_steps: Option<usize>,
    pub(crate) tolerance: Option<f64>,
    pub(crate) watcher: Option<SearchWatcher>,
}

/// Why a search was ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stop {
    /// It was allowed so many steps.
    Steps(usize),
    /// It was allowed so many seconds.
    Time(f64),
    /// It was allowed so much work on its integrals.
    Work,
    /// The watcher has ended it.
    Watcher,
}

impl Debug for SearchLimits {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let SearchLimits { most_steps, tolerance, watcher } = self;
        write!(f, "SearchLimits({most_steps:?}, {tolerance:?}, watched: {})", watcher.is_some())
    }
}

impl SearchLimits {
    /// Refuses limits that no search can keep.
    pub(crate) fn check(&self) -> Result<(), FitError> {
        if self.most_steps == Some(0) {
            return Err(FitError::NoSteps);
        }
        match self.tolerance {
            Some(value) if !(value > 0.0 && value < 1.0) => Err(FitError::BadSearchTolerance { value }),
            _ => Ok(()),
        }
    }
}

impl Stop {
    /// Whether no other start is tried after it.
    pub(crate) fn ends_all(self) -> bool {
        matches!(self, Stop::Time(_) | Stop::Work | Stop::Watcher)
    }

    /// What happened to a search that had found a minimum before, from another start.
    pub(crate) fn later(self, done: usize, starts: usize) -> Option<String> {
        (self == Stop::Work).then(|| {
            format!(
                "the search was ended after {done} of {starts} starts, at the limit of work that rows and parameters set \
                 for its integrals: a lower minimum may have been missed; use fewer components or parameters, equal \
                 weights, a smaller region, or a start"
            )
        })
    }

    /// What happened, in the words of a warning.
    pub(crate) fn sentence(self, iterations: usize) -> String {
        let steps = |count: usize| if count == 1 { "1 step".into() } else { format!("{count} steps") };
        let (why, remedy) = match self {
            Stop::Steps(most) => (
                format!("at its limit of {}", steps(most)),
                "allow more, or give a start nearer to the minimum",
            ),
            Stop::Time(seconds) => {
                let remedy = "allow more time, or use fewer rows or parameters";
                (format!("after {}, at the time limit of {seconds} s", steps(iterations)), remedy)
            }
            Stop::Work => (
                format!(
                    "after {}, at the limit of work that rows and parameters set for its integrals",
                    steps(iterations)
                ),
                "use fewer components or parameters, equal weights, a smaller region, or a start",
            ),
            Stop::Watcher => (
                format!("after {}, by the function that watches it", steps(iterations)),
                "let it go on for a minimum",
            ),
        };
        format!("the search was ended {why}, without converging: the result is where it stood; {remedy}")
    }
}

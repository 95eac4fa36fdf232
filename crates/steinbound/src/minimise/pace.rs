//! How long a search may go on.

use crate::error::Interrupted;
use crate::interrupt::Interrupt;
use crate::search_limits::Stop;

/// The limits of a search, and what its watcher has been told.
pub(super) struct Pace<'a> {
    interrupt: Option<&'a Interrupt>,
    told: usize,
}

impl<'a> Pace<'a> {
    pub(super) fn new(interrupt: Option<&'a Interrupt>) -> Pace<'a> {
        Pace { interrupt, told: 0 }
    }

    /// The search has a place with a finite objective, which is something to give.
    pub(super) fn hold(&self) {
        if let Some(interrupt) = self.interrupt {
            interrupt.hold();
        }
    }

    /// Whether the search ends after so many steps, where it has reached this value; an error where it is interrupted.
    pub(super) fn stop(&mut self, iterations: usize, value: f64) -> Result<Option<Stop>, Interrupted> {
        let Some(interrupt) = self.interrupt else { return Ok(None) };
        interrupt.check()?;
        let limits = interrupt.search();
        let is_new = std::mem::replace(&mut self.told, iterations) < iterations;
        let watcher = limits.watcher.as_ref().filter(|_| is_new);
        if watcher.is_some_and(|watcher| watcher(iterations, value)) {
            // What the watcher raises is an error.
            interrupt.check()?;
            return Ok(Some(Stop::Watcher));
        }
        if let Some(most) = limits.most_steps.filter(|most| iterations >= *most) {
            return Ok(Some(Stop::Steps(most)));
        }
        Ok(interrupt.overtime().map(|limit| Stop::Time(limit.as_secs_f64())))
    }

    /// Whether a step of this relative length is the last.
    pub(super) fn is_short(&self, length: f64) -> bool {
        self.interrupt.and_then(|interrupt| interrupt.search().tolerance).is_some_and(|least| length <= least)
    }
}

//! The bound on the work of searches that integrate at every step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::search_limits::Stop;

/// Nodes times parameters that any search may use: about a quarter of a minute of one core.
const BASE: u64 = 150_000_000;

/// How many times a search may look at its data: from ten starts in 200 steps, with several looks at each. Where there
/// are many rows, as many nodes take no more time than the rows.
const LOOKS: u64 = 5_000;

/// What is left of the work that the searches for one estimate may do at nodes of integration.
///
/// Without it a search over components with few observations in many dimensions, each step of which has a million nodes,
/// goes on for hours from start to start. The bound follows from rows and parameters alone, so that the same data give
/// the same result on any machine.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    done: Arc<AtomicU64>,
    most: u64,
}

impl Work {
    /// The work for so many rows and parameters.
    pub(crate) fn new(rows: usize, parameters: usize) -> Work {
        let own = LOOKS.saturating_mul(rows as u64).saturating_mul(parameters as u64);
        Work { done: Arc::default(), most: BASE.saturating_add(own) }
    }

    /// Counts nodes at which so many numbers were computed.
    pub(super) fn spend(&self, nodes: usize, numbers: usize) {
        self.done.fetch_add(nodes as u64 * numbers as u64, Ordering::Relaxed);
    }

    /// Why a search ends here, if nothing is left.
    pub(super) fn spent(&self) -> Option<Stop> {
        (self.done.load(Ordering::Relaxed) >= self.most).then_some(Stop::Work)
    }
}

//! Seeded random streams, one for each task that draws.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// The random stream of a task: the same seed and task give the same numbers, on any machine and thread.
///
/// ```
/// use rand::RngExt;
/// use steinbound::simulate::stream;
/// let draw = |seed, task| stream(seed, task).random::<f64>();
/// assert_eq!(draw(1, 2), draw(1, 2));
/// assert_ne!(draw(1, 2), draw(1, 3));
/// ```
pub fn stream(seed: u64, task: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(task);
    rng
}

/// The tasks that draw from a seed, each with a stream of its own.
pub mod tasks {
    /// Simulated data.
    pub const DATA: u64 = 0;
    /// Boundary points sampled from a domain.
    pub const BOUNDARY: u64 = 1;
    /// The subsample and the bracket of the median bandwidth.
    pub const BANDWIDTH: u64 = 2;
    /// The places at which the coverage of a boundary is measured.
    pub const COVERAGE: u64 = 3;
    /// Starts of a search.
    pub const STARTS: u64 = 4;
    /// Nodes of quasi-Monte Carlo integration.
    pub const NODES: u64 = 5;
    /// The pool of candidates for landmarks.
    pub const LANDMARKS: u64 = 6;
    /// The choice of a method to draw from a fitted model.
    pub const PILOT: u64 = 7;
    /// Draws of a fitted model, to compare with domain and data.
    pub const MASS: u64 = 8;
    /// Draws of a fitted density on request, independent of data simulated with the same seed.
    pub const SAMPLE: u64 = 9;
    /// The first stream of divisions for cross-validation; each uses the next one.
    pub const FOLDS: u64 = 100;
    /// The first stream of a bootstrap; each draw uses the next one.
    pub const BOOTSTRAP: u64 = 1 << 32;
}

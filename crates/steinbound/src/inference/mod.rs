//! How far to trust an estimate.
//!
//! | question | answer |
//! |---|---|
//! | how precise is it | [`sandwich`], or [`Bootstrap`] |
//! | do the data come from this density at all | [`GoodnessOfFit`] |

mod bootstrap;
mod goodness_of_fit;
mod resampling;
pub mod sandwich;

pub use bootstrap::{Bootstrap, Interval, Replicates, Resampling};
pub use goodness_of_fit::{GoodnessOfFit, Null, TestResult};
pub use resampling::{MOST_DRAWS, Progress};

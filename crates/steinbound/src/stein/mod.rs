//! Stein forms: a kernel made to vanish at the boundary, at the data, free of any parameter.
//!
//! | form | kernel | estimator |
//! |---|---|---|
//! | [`Radial`] | `k(x, y)` | KSD |
//! | [`Conditioned`] | `k(x, y) - k(x, b) (K + e I)^-1 k(b, y)` | TKSD |
//! | [`Weighted`] | `h(x) k(x, y) h(y)` | bd-KSD |
//!
//! Each is a [`SteinForm`]; statistics, standard errors and witness functions are written once, for that trait.

mod conditioned;
mod form;
mod off_diagonal;
mod radial;
mod statistic;
mod weighted;
mod witness;

pub use conditioned::{BOUNDARY_LIMIT, Conditioned, LEAK_PROBES};
pub use form::{Diagonal, Holder, Operator, SteinForm, Term};
pub use off_diagonal::OffDiagonal;
pub(crate) use radial::widths;
pub use radial::{DENSE_LIMIT, Radial};
pub use statistic::{LinearScore, Moments, Slot, Statistic, discrepancy_squared};
pub(crate) use statistic::{Pairs, Pass};
pub use weighted::Weighted;
pub use witness::Witness;

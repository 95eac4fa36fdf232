//! Stein forms: a kernel made to vanish at the boundary, at the data, free of any parameter.
//!
//! | form | kernel | estimator |
//! |---|---|---|
//! | [`Radial`] | `k(x, y)` | KSD |
//! | [`Conditioned`] | `k(x, y) - k(x, b) (K + e I)^-1 k(b, y)` | TKSD |
//! | [`Weighted`] | `h(x) k(x, y) h(y)` | bd-KSD |
//! | [`FluxConditioned`] | `k(x, y) I - k(x, b) n B^-1 n' k(b, y)`: conditioned in the direction of the normals alone | |
//! | [`Penalised`] | test fields over landmarks with a penalty on their flux through the boundary | efficient |
//! | [`LowRank`] | a few functions in place of a conditioned kernel | TKSD and KSD of many points |
//!
//! Each is a [`SteinForm`]; statistics, standard errors and witness functions are written once, for that
//! trait.

mod conditioned;
pub mod conformance;
mod fields;
mod flux;
mod form;
mod gram;
mod influence_sums;
mod landmarks;
mod leaks;
mod low_rank;
mod minimum;
mod off_diagonal;
mod radial;
mod statistic;
mod sums;
mod weighted;
mod witness;

pub(crate) use crate::engine::{check_dense, dense_bytes};
pub use conditioned::{BOUNDARY_LIMIT, Conditioned};
pub(crate) use fields::Leverage;
pub use fields::{Directions, FieldSquares, MeanFeatures, Penalised, Penalty, TestFields, surface_weights};
pub use flux::FluxConditioned;
pub use form::{Diagonal, FormKind, Holder, Operator, Parts, SteinForm, Term};
pub use gram::Gram;
pub use influence_sums::InfluenceSums;
pub(crate) use landmarks::check_tolerance;
pub use landmarks::{LANDMARK_POOL, Landmarks, MOST_LANDMARKS};
pub(crate) use leaks::leak_probes;
pub use leaks::{KernelResidual, LEAK_PROBES};
pub use low_rank::LowRank;
pub use minimum::Minimum;
pub(crate) use minimum::solve_normal_equations;
pub use off_diagonal::OffDiagonal;
pub use radial::Radial;
pub(crate) use radial::widths;
pub(crate) use statistic::{Fixed, Pairs, Pass};
pub use statistic::{Moments, Statistic, discrepancy_squared};
pub use sums::Sums;
pub use weighted::Weighted;
pub use witness::Witness;

pub use crate::model::{LinearScore, Slot};

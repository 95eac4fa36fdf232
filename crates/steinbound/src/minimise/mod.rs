//! From an objective to an estimate: closed forms, searches, and the covariance by the influence of each
//! observation.

mod centred_search;
pub(crate) mod closed_form;
mod descent;
mod efficient;
mod estimate;
mod objective;
mod pace;
pub mod sandwich;
mod search;
mod stacked;
mod stein_objective;

pub(crate) use centred_search::CentredSearch;
pub(crate) use efficient::{
    EfficientSolution, EfficientTask, RIDGE as EFFICIENT_RIDGE, effective_observations,
    minimise as minimise_efficiently,
};
pub use estimate::{Estimate, Starts};
pub(crate) use estimate::{affine_score, centred, features, solve_normal_equations, start_less};
pub(crate) use objective::{Expansion, Objective, linearised_features, score_scales};
pub(crate) use search::search;
pub(crate) use stacked::{Equated, Equations, Stacked};
pub(crate) use stein_objective::SteinObjective;

//! The front end of [steinbound](https://docs.rs/steinbound): what is asked, and what is answered, for every
//! face.
//!
//! The command line, the Python package and the R package translate their own arguments into a [`Request`],
//! and an answer into their own objects. Names, options, JSON and tables are defined here and nowhere else:
//!
//! - [`choices`]: everything that is chosen by name, with aliases and meanings;
//! - [`options`]: the options that all faces share, each described once;
//! - [`Request`] becomes a [`Case`], whose [`fit`](Case::fit), [`test`](Case::test),
//!   [`discrepancy`](Case::discrepancy), [`witness`](Case::witness) and [`compare`](Case::compare) give an
//!   answer each; [`RegressionRequest`], [`SimulationRequest`] and [`sample_boundary`] are the others;
//! - answers own their JSON, their warnings and whether they can be trusted; [`tables`] and [`render`] print
//!   them.
//!
//! ```
//! use steinbound::{Method, Points, model::Gaussian};
//! use steinbound_request::{Inference, ModelRequest, Request, options};
//! let data = Points::from_rows(&[[-0.5], [0.1], [0.4], [0.9], [-0.8]])?;
//! let model = Gaussian::with_variance(1, 1.0)?;
//! let mut request = Request::new(&data, ModelRequest::Given(&model), Method::TKSD);
//! request.region.boundary = Some(Points::from_rows(&[[-1.0], [1.0]])?);
//! request.options.set_text(&options::BANDWIDTH, "0.8")?;
//! let case = request.prepare(&())?;
//! let answer = case.fit(&case.fitting_problem()?, &Inference::default(), &())?;
//! assert_eq!(serde_json::to_value(&answer)?["kernel"]["bandwidth"], 0.8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod boundary;
mod choice;
pub mod choices;
mod comparison;
mod components;
mod discrepancy;
mod effect;
mod error;
mod fit;
mod inference;
mod listener;
mod model;
mod option;
pub mod options;
mod questions;
mod region;
mod regression;
pub mod render;
mod request;
pub mod sensitivity;
mod simulation;
pub mod tables;
mod test;
mod values;
mod witness;
mod wording;

pub use boundary::{BoundaryAnswer, sample_boundary};
pub use choice::{Choice, Entry, UnknownName};
pub use choices::Tune;
pub use comparison::{
    ComparisonAnswer, NamedModel, Remark, default_methods, distinct, family_models, reference_method,
};
pub use components::Components;
pub use discrepancy::DiscrepancyAnswer;
pub use effect::{Needs, Situation};
pub use error::RequestError;
pub use fit::{FitAnswer, Inference};
pub use listener::{Listener, Task};
pub use model::{ChosenModel, FamilyRequest, ModelRequest, ReadyModel, known_covariance};
pub use option::{Kind, OptionSpec, Options, Preset, Value};
pub use questions::{Answered, Questions};
pub use region::{MapFacts, OutsideCount, Plane, ProjectionUsed, Region, RegionRequest, RegionUsed, Shape};
pub use regression::{Column, Labels, RegressionAnswer, RegressionCase, RegressionRequest};
pub use request::{Case, Request, Source};
pub use simulation::{SimulationAnswer, SimulationRequest, chosen_dimension, default_family, dimension_for};
pub use test::TestAnswer;
pub use values::{Values, number};
pub use witness::{Targets, WitnessAnswer};
pub use wording::Wording;

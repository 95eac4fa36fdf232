//! Pictures and reports of what [steinbound](https://docs.rs/steinbound) found.
//!
//! A [`Scene`] is a density and the data that were seen of it; [`pictures`] draws it, and everything else there is to see of a fit: where data and model disagree,
//! how well boundary points cover the boundary, how much the answer depends on settings, a test, a regression. A [`Report`] is one HTML page of text, tables and
//! pictures that needs no network.
//!
//! ```
//! use std::sync::Arc;
//! use steinbound::{Estimator, domain::{Ball, Domain}, model::Gaussian, simulate};
//! use steinbound_report::{Report, Scene, Section, pictures};
//!
//! let disc = Arc::new(Ball::new(1.4)?.in_dimension(2));
//! let model = Gaussian::with_variance(2, 1.0)?;
//! let data = simulate::truncated(&model, &[0.5, 0.5], disc.as_ref(), 300, &mut simulate::stream(1, 0))?.points;
//! let estimator = Estimator::tksd().domain(disc.clone());
//! let problem = estimator.check(&data, &model)?;
//! let fit = problem.fit()?;
//! let scene = Scene::of(&data, &model, &fit).domain(Some(disc.as_ref())).boundary(problem.boundary());
//! let page = Report::new("A disc")
//!     .section(Section::new("Estimates").table(&steinbound::fit::parameter_table(&fit.parameters, 0.95)))
//!     .section(Section::new("Data and density").picture(pictures::density(&scene).unwrap()))
//!     .to_html()?;
//! assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Promises
//!
//! Strings out, no files. The same input gives the same bytes. No input panics; what cannot be drawn is left out.

mod page;
mod picture;
pub mod pictures;
mod scene;

pub use page::{Report, ReportError, Section, Verdict, render};
pub use picture::Picture;
pub use scene::{Scene, pairs};

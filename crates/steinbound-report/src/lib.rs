//! Pictures and reports of results of [steinbound](https://docs.rs/steinbound).
//!
//! A [`Scene`] is a density with the data that were seen of it. [`pictures`] draws it and everything else of
//! a fit: where data and model disagree, how well boundary points cover the boundary, how much the result
//! depends on settings, a test, a regression. A [`Report`] is one HTML page of text, tables and pictures that
//! needs no network; [`sections`] makes its parts from results.
//!
//! ```
//! use std::sync::Arc;
//! use steinbound::{Estimator, domain::{Ball, Domain}, model::Gaussian, simulate};
//! use steinbound_report::{Report, Scene, sections};
//!
//! let disc = Arc::new(Ball::new(1.4)?.in_dimension(2));
//! let model = Gaussian::with_variance(2, 1.0)?;
//! let data = simulate::truncated(&model, &[0.5, 0.5], disc.as_ref(), 300, &mut simulate::stream(1, 0))?.points;
//! let estimator = Estimator::tksd().domain(disc.clone());
//! let problem = estimator.check(&data, &model)?;
//! let fit = problem.fit()?;
//! let scene = Scene::of(&data, &model, &fit).domain(Some(disc.as_ref())).boundary(problem.boundary());
//! let page = Report::of_fit("A disc", &fit)
//!     .fact("data", "300 simulated points")
//!     .problem_facts(&problem, "gaussian", 1)
//!     .section(sections::estimates(&fit, &[], None))
//!     .scene(&scene, &problem)
//!     .to_html()?;
//! assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Promises
//!
//! Strings out, no files. The same input gives the same bytes. No input panics; pictures that cannot be drawn
//! are left out.

mod case;
mod page;
mod picture;
pub mod pictures;
mod results;
mod scene;
pub mod sections;

pub use case::region_facts;
pub use page::{Report, ReportError, Section, Verdict, render};
pub use picture::Picture;
pub use scene::{Scene, pairs};

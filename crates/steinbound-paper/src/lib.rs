//! The experiments of *Approximate Stein Classes for Truncated Density Estimation* (Williams and Liu, ICML 2023), every figure run again.
//!
//! A [`figures::Figure`] says what is run for it, as [`Study`]s of many trials, and how it is drawn. A [`Reproduction`] runs the trials
//! of several figures in parallel, keeps a journal of them so that it can go on after a kill, and writes tables, pictures and one page.
//! Where the paper, its public code and the truth differ, both are run and shown beside each other.
//!
//! The same seed gives the same tables, whatever the number of threads. Times stand in tables of their own.

mod comparison;
mod draw;
mod error;
pub mod figures;
mod journal;
mod methods;
mod output;
mod page;
mod results;
mod row_sums;
mod run;
mod settings;
mod study;
mod tables;

pub use comparison::{Agreement, Compared, FEWEST, LIMIT, Published};
pub use error::PaperError;
pub use results::{Mean, Results, Setting};
pub use run::{Progress, Report, Reproduction};
pub use study::{Cell, Measured, Study, Trial};

//! The experiments of *Approximate Stein Classes for Truncated Density Estimation* (Williams and Liu, ICML
//! 2023), with every figure reproduced.
//!
//! A [`figures::Figure`] defines its experiments, as [`Study`]s of many trials, and its drawing. A
//! [`Reproduction`] runs the trials of several figures in parallel, keeps a journal of them so that it can be
//! resumed after a kill, and writes tables, pictures and one page. Where the paper, its public code and the
//! correct definition differ, all versions are run and shown.
//!
//! The same seed gives the same tables for any number of threads. Times are in separate tables.

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

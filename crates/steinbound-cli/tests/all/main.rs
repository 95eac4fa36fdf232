//! The tests of the command, in one binary: that builds in a third of the time of many.

mod common;
mod contract;
mod diagnostics;
mod forms;
mod golden;
mod interrupts;
mod levels;
mod maps;
mod models;
mod questions;
mod refusals;
mod report;
mod reproduce;
mod resampling;
mod trust;

//! The tests of the command, in one binary: that builds in a third of the time of many.

mod common;
mod contract;
mod diagnostics;
mod forms;
mod golden;
mod help;
mod interrupts;
mod kit;
mod levels;
mod maps;
mod models;
mod outputs;
mod questions;
mod refusals;
mod report;
mod reproduce;
mod resampling;
mod schema;
mod schemas;
mod shells;
mod streams;
mod terminals;
mod trust;

//! The tests of the command, in one binary: that builds in a third of the time of many.

mod atlases;
mod book;
mod browser;
mod campaign;
mod censored;
mod certified;
mod common;
mod contract;
mod diagnostics;
mod exit_codes;
mod family_matrix;
#[cfg(target_os = "linux")]
mod faults;
mod forms;
mod golden;
mod help;
mod interrupts;
mod kit;
mod levels;
#[cfg(target_os = "linux")]
mod limits;
mod links;
mod maps;
mod models;
mod normals;
mod outputs;
mod packages;
mod pages;
mod questions;
mod reference;
mod refusals;
mod regions;
mod report;
mod reproduce;
mod resampling;
mod schemas;
mod shells;
mod streams;
mod tables;
mod terminals;
mod time_limits;
mod trust;

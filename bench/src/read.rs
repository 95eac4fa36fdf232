//! A table read from a file into points.

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use steinbound_io::{TableOptions, read_table};

use crate::memory;

/// The table to read and the number of times.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The table.
    #[arg(long)]
    table: PathBuf,
    /// The number of times to read it.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
}

/// Reads the table and returns the means of its columns, so that readers can be compared.
pub fn run(arguments: &Arguments) -> Result<Value, Box<dyn Error>> {
    let peak = memory::Peak::watch();
    let mut seconds = Vec::new();
    let mut means = Vec::new();
    for _ in 0..arguments.repeat {
        let started = Instant::now();
        let points = read_table(&arguments.table, &TableOptions::default())?.into_points()?;
        seconds.push(started.elapsed().as_secs_f64());
        means = points.mean();
    }
    Ok(json!({ "seconds": seconds, "peak_bytes": peak.bytes(), "estimates": means }))
}

//! One timed job per process, for `side_by_side.py`: a fit to raw numbers or the reading of a table. Prints
//! one JSON object.

mod fit;
mod memory;
mod raw;
mod read;

use std::process::ExitCode;

use clap::Parser;

/// Time one job and print its time and result as JSON.
#[derive(Debug, Parser)]
#[command(name = "steinbound-bench")]
enum Job {
    /// Fit a model.
    Fit(fit::Arguments),
    /// Read a table.
    Read(read::Arguments),
}

fn main() -> ExitCode {
    let done = match Job::parse() {
        Job::Fit(arguments) => fit::run(&arguments),
        Job::Read(arguments) => read::run(&arguments),
    };
    match done {
        Ok(measured) => {
            println!("{measured}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

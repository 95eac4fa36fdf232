//! One timed fit per process, for `side_by_side.py`: reads raw numbers, prints one JSON object.

mod fit;
mod memory;
mod raw;

use std::process::ExitCode;

use clap::Parser;

/// Time one job and print what it took and gave as JSON.
#[derive(Debug, Parser)]
#[command(name = "steinbound-bench")]
enum Job {
    /// Fit a model by TKSD.
    Fit(fit::Arguments),
}

fn main() -> ExitCode {
    let Job::Fit(arguments) = Job::parse();
    match fit::run(&arguments) {
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

//! The `steinbound` command: densities behind a truncation, from points inside and points on the boundary.

mod commands;
mod failure;
mod input;
mod options;
mod output;

use std::process::ExitCode;

use clap::Parser;

use commands::Command;
use output::Output;

/// Estimate the density behind a truncation, from the points inside and points on the boundary.
#[derive(Debug, Parser)]
#[command(name = "steinbound", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Examples:
  steinbound demo
  steinbound fit points.csv --boundary border.csv --known-covariance 1
  steinbound fit points.csv --domain \"ball(radius=2)\" --format json

Exit codes: 0 done; 2 bad usage or input; 3 computed, but not to be trusted; 1 anything else.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut output = Output::new(cli.command.quiet());
    let result = cli.command.run(&mut output);
    match result.and_then(|verdict| output.finish().map(|()| verdict)) {
        Ok(verdict) => ExitCode::from(verdict.code()),
        Err(failure) => failure.report(),
    }
}

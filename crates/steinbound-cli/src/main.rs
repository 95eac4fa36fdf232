//! The `steinbound` command: densities behind a truncation, from points inside and points on the boundary.

mod commands;
mod failure;
mod input;
mod model;
mod options;
mod output;
mod picture;
mod pictures;
mod plot;
mod progress;
mod questions;
mod region;
mod report;
mod resampling;
mod summary;
mod variants;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use commands::Command;
use output::Output;
use steinbound_io::names::shown;

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
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let mut output = Output::new(cli.command.quiet());
    let result = cli.command.run(&mut output);
    match result.and_then(|verdict| output.finish().map(|()| verdict)) {
        Ok(verdict) => ExitCode::from(verdict.code()),
        Err(failure) => failure.report(),
    }
}

/// Prints help, or what is wrong with the command line; echoed values are escaped and cut.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let mut message = error.render().to_string();
    for typed in std::env::args_os().skip(1) {
        let typed = typed.to_string_lossy();
        let parts = [typed.as_ref(), typed.split_once('=').map_or("", |(_, value)| value)];
        for part in parts {
            let safe = shown(part);
            // A value that only needs quoting marks escaped is harmless as it is.
            if part.chars().any(char::is_control) || part.chars().count() > 60 {
                message = message.replace(part, &safe);
            }
        }
    }
    let _ = std::io::stderr().write_all(message.as_bytes());
    ExitCode::from(2)
}

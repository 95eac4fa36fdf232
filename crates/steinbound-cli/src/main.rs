//! The `steinbound` command: densities behind a truncation, from points inside and points on the boundary.

mod arguments;
mod commands;
mod drawing;
mod environment;
mod facts;
mod failure;
mod files;
mod input;
mod interrupt;
mod model;
mod options;
mod output;
mod pictures;
mod plot;
mod progress;
mod questions;
mod summary;
mod tables;
mod terminal;
mod terminal_plot;
mod threads;
mod time_limit;
mod version;

use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser};

use commands::Command;
use failure::Failure;
use output::Output;
use steinbound::text::visible;
use steinbound_io::names::shown;
use terminal::Terminal;

/// Estimate the density behind a truncation, from the points inside and points on the boundary.
///
/// Data that are seen only inside a region, such as a country's border, above a pass mark or within a
/// detector's reach, do not show the density they come from. It is recovered from the points inside and what
/// is known of the boundary, by the truncated kernelised Stein discrepancy (TKSD) and its rivals.
#[derive(Debug, Parser)]
#[command(name = "steinbound", version, long_version = version::facts(), propagate_version = true)]
#[command(
    arg_required_else_help = true,
    disable_help_flag = true,
    disable_version_flag = true,
    max_term_width = 110
)]
#[command(after_help = "Start with 'steinbound demo'; 'steinbound help fit' has examples.")]
#[command(after_long_help = "Examples:
  steinbound demo
  steinbound simulate --domain \"ball(radius=1.44)\" --at 0.5,0.5 -n 300 \\
      --output points.csv --boundary-output border.csv
  steinbound fit points.csv --boundary border.csv --known-covariance 1
  steinbound fit points.csv --domain \"ball(radius=2)\" --format json
  steinbound help fit

Exit codes: 0 done; 2 bad usage or input; 3 computed, but not to be trusted; 130 interrupted; 1 anything else.

Environment: STEINBOUND_SIMD (portable, avx2, avx512) holds a run to a vector unit; NO_COLOR turns colours off.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print help: short with -h, long and with examples with --help.
    #[arg(short, long, global = true, action = ArgAction::Help, help_heading = "General")]
    help: Option<bool>,
    /// Print the version, with facts of the build in the long form.
    #[arg(short = 'V', long, global = true, action = ArgAction::Version, help_heading = "General")]
    version: Option<bool>,
}

#[global_allocator]
static ALLOCATOR: steinbound::OneLineAllocator = steinbound::OneLineAllocator;

/// The stack that commands may need.
const STACK: usize = 1 << 20;

/// Takes the whole stack while memory is still free: where a limit on the address space stops it from growing
/// later, the system ends the program by a signal.
#[inline(never)]
fn take_stack() {
    std::hint::black_box([0u8; STACK]);
}

fn main() -> ExitCode {
    take_stack();
    steinbound::OneLineAllocator::save_address_space();
    files::survive_size_limit();
    terminal::settle_colors();
    let mut command = Cli::command();
    let matches = match command.try_get_matches_from_mut(std::env::args_os()) {
        Ok(matches) => matches,
        Err(error) => return refuse(&error),
    };
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error.format(&mut command)),
    };
    if let Err(failure) = environment::check().and_then(|()| files::check(&command, &matches)) {
        return failure.report();
    }
    interrupt::listen();
    let mut output = Output::new(cli.command.quiet());
    let result = match cli.command.time_limit() {
        Ok(limit) => {
            time_limit::start(limit);
            cli.command.run(&mut output)
        }
        Err(failure) => Err(failure),
    };
    let result = result.and_then(|verdict| output.finish().map(|()| verdict));
    // What was written before a failure is not lost, whatever ends the program.
    drop(output);
    match result {
        Ok(verdict) => ExitCode::from(verdict.code()),
        Err(_) if interrupt::is_asked() => Failure::Interrupted.report(),
        Err(failure) => failure.report(),
    }
}

/// Prints help, or what is wrong with the command line; echoed values are escaped and cut.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return match error.print().and_then(|()| std::io::stdout().flush()) {
            // A reader of the help may stop when it has seen enough.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Failure::from(error).report(),
            _ => ExitCode::SUCCESS,
        };
    }
    let rendered = error.render();
    let mut message = match Terminal::stderr().has_color {
        true => rendered.ansi().to_string(),
        false => rendered.to_string(),
    };
    for typed in std::env::args_os().skip(1) {
        let typed = typed.to_string_lossy();
        let parts = [typed.as_ref(), typed.split_once('=').map_or("", |(_, value)| value)];
        for part in parts {
            let safe = shown(part);
            // A value that only needs quoting marks escaped is harmless as it is.
            if matches!(visible(part), Cow::Owned(_)) || part.chars().count() > 60 {
                message = message.replace(part, &safe);
            }
        }
    }
    let _ = std::io::stderr().write_all(message.as_bytes());
    ExitCode::from(2)
}

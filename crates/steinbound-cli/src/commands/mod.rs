//! The commands, one in a file of its own.

mod boundary;
mod compare;
mod completions;
mod demo;
mod discrepancy;
mod fit;
mod man;
mod regress;
mod reproduce;
mod simulate;
mod test;
mod witness;

use std::time::Duration;

use clap::Subcommand;

use crate::failure::{Failure, Verdict};
use crate::options::{GeneralOptions, WORDING};
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub enum Command {
    Fit(fit::Fit),
    Discrepancy(discrepancy::Discrepancy),
    Witness(witness::Witness),
    Compare(compare::Compare),
    Regress(regress::Regress),
    Test(test::Test),
    Simulate(simulate::Simulate),
    Boundary(boundary::Boundary),
    Reproduce(reproduce::Reproduce),
    Demo(demo::Demo),
    Completions(completions::Completions),
    Man(man::Manual),
}

impl Command {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        match self {
            Command::Fit(command) => command.run(output),
            Command::Discrepancy(command) => command.run(output),
            Command::Witness(command) => command.run(output),
            Command::Compare(command) => command.run(output),
            Command::Regress(command) => command.run(output),
            Command::Test(command) => command.run(output),
            Command::Simulate(command) => command.run(output),
            Command::Boundary(command) => command.run(output),
            Command::Reproduce(command) => command.run(output),
            Command::Demo(command) => command.run(output),
            Command::Completions(command) => command.run(output),
            Command::Man(command) => command.run(output),
        }
    }

    pub fn quiet(&self) -> bool {
        self.general().is_some_and(|general| general.quiet)
    }

    /// The time that the command may take.
    pub fn time_limit(&self) -> Result<Option<Duration>, Failure> {
        match self.general() {
            Some(general) => Ok(general.time.time_limit(WORDING)?),
            None => Ok(None),
        }
    }

    /// The general options, for commands that compute something.
    fn general(&self) -> Option<&GeneralOptions> {
        Some(match self {
            Command::Fit(command) => &command.general,
            Command::Discrepancy(command) => &command.general,
            Command::Witness(command) => &command.general,
            Command::Compare(command) => &command.general,
            Command::Regress(command) => &command.general,
            Command::Test(command) => &command.general,
            Command::Simulate(command) => &command.general,
            Command::Boundary(command) => &command.general,
            Command::Reproduce(command) => &command.general,
            Command::Demo(command) => &command.general,
            Command::Completions(_) | Command::Man(_) => return None,
        })
    }
}

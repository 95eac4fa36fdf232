use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::Cli;
use crate::failure::{Failure, Verdict};
use crate::output::Output;

/// Print completions for a shell.
///
/// Commands, options, the names of methods, kernels, models and figures, and files are completed. Put the
/// output where your shell looks for it, or load it when the shell starts.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help completions' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound completions bash > steinbound.bash       # then: source steinbound.bash
  steinbound completions zsh > _steinbound            # in a folder of $fpath
  steinbound completions fish > steinbound.fish       # in ~/.config/fish/completions
  steinbound completions powershell > steinbound.ps1  # run it in your $PROFILE")]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

impl Completions {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        // The generator panics where it cannot write.
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "steinbound", &mut script);
        output.result().write_all(&script)?;
        Ok(Verdict::Fine)
    }
}

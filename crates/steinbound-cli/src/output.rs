//! Results to standard output; notes and warnings to standard error.

use std::io::Write;

use serde::Serialize;

use crate::failure::Failure;
use crate::painter::Painter;
use crate::terminal::Terminal;

/// Where a command's words go.
pub struct Output {
    quiet: bool,
    stdout: Painter<std::io::BufWriter<std::io::Stdout>>,
}

impl Output {
    pub fn new(quiet: bool) -> Output {
        let stdout = std::io::BufWriter::new(std::io::stdout());
        Output { quiet, stdout: Painter::new(stdout, Terminal::stdout().has_color) }
    }

    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// The stream for results.
    pub fn result(&mut self) -> &mut dyn Write {
        &mut self.stdout
    }

    /// A result as one JSON object.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(|error| Failure::Other(error.to_string()))?;
        writeln!(self.stdout, "{text}")?;
        Ok(())
    }

    /// Something the user may want to know.
    pub fn note(&self, message: &str) {
        if !self.quiet {
            say("note", message);
        }
    }

    /// How many lines of a file were left out because values were missing.
    pub fn note_dropped(&self, count: usize, path: &str) {
        if count > 0 {
            self.note(&format!("{count} lines with missing values were left out of {path}"));
        }
    }

    /// Something the user should know before trusting the result.
    pub fn warn(&self, message: &str) {
        if !self.quiet {
            say("warning", message);
        }
    }

    pub fn finish(&mut self) -> Result<(), Failure> {
        Ok(self.stdout.finish()?)
    }
}

/// One line on standard error, which a terminal breaks between words. Where that cannot be written there is nobody to tell.
pub fn say(kind: &str, message: &str) {
    let _ = writeln!(std::io::stderr(), "{}", Terminal::stderr().message(kind, message));
}

//! Results to standard output; notes and warnings to standard error.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};

use serde::Serialize;
use steinbound::text::Document;
use steinbound_request::render::Format;

use crate::failure::Failure;
use crate::terminal::Terminal;

/// The output streams of a command.
pub struct Output {
    quiet: bool,
    /// How documents are written on standard output.
    format: Format,
    stdout: BufWriter<WhileRead>,
}

/// Standard output for as long as somebody reads it. What is written after that is dropped, so that the
/// command still writes its files and ends with the exit code of its result.
struct WhileRead {
    stream: Stdout,
    is_closed: bool,
}

impl WhileRead {
    fn unless_closed<T>(
        &mut self,
        instead: T,
        action: impl FnOnce(&mut Stdout) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.is_closed {
            return Ok(instead);
        }
        match action(&mut self.stream) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(instead)
            }
            done => done,
        }
    }
}

impl Write for WhileRead {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), Stdout::flush)
    }
}

impl Output {
    pub fn new(quiet: bool) -> Output {
        let format = if Terminal::stdout().has_color { Format::StyledText } else { Format::Text };
        let stream = WhileRead { stream: io::stdout(), is_closed: false };
        Output { quiet, format, stdout: BufWriter::new(stream) }
    }

    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// The stream for results.
    pub fn result(&mut self) -> &mut dyn Write {
        &mut self.stdout
    }

    /// A result for people.
    pub fn document(&mut self, document: &Document) -> Result<(), Failure> {
        Ok(self.stdout.write_all(self.format.render(document).as_bytes())?)
    }

    /// A further result, after a blank line.
    pub fn further_document(&mut self, document: &Document) -> Result<(), Failure> {
        writeln!(self.stdout)?;
        self.document(document)
    }

    /// A result as one JSON object.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(|error| Failure::Other(error.to_string()))?;
        writeln!(self.stdout, "{text}")?;
        Ok(())
    }

    /// Information for the user.
    pub fn note(&self, message: &str) {
        if !self.quiet {
            say("note", message);
        }
    }

    /// Notes that lines of a file with missing values were left out.
    pub fn note_dropped(&self, count: usize, path: &str) {
        if count > 0 {
            self.note(&format!("{count} lines with missing values were left out of {path}"));
        }
    }

    /// A reason not to trust the result, or to trust it less.
    pub fn warn(&self, message: &str) {
        if !self.quiet {
            say("warning", message);
        }
    }

    pub fn finish(&mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }
}

/// One line on standard error, wrapped between words on a terminal. An error of that stream itself is
/// ignored.
pub fn say(kind: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{}", Terminal::stderr().message(kind, message));
}

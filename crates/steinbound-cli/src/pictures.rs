//! `--plot` and `--report`: a result as a picture and as a page.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use steinbound::text::visible;
use steinbound_io::table::shown_path;
use steinbound_io::write;
use steinbound_report::{Picture, Report};

use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;
use crate::plot::PlotFormat;

/// The files for pictures and reports.
#[derive(Debug, Clone, Default, Args)]
pub struct PictureOptions {
    /// Write a report into this file: one HTML page with the answer, pictures, diagnostics and how to repeat
    /// it. It needs no network.
    #[arg(help_heading = "Output", long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    /// Draw the main picture into this file.
    #[arg(help_heading = "Output", long, value_name = "FILE.svg|png", value_hint = ValueHint::FilePath)]
    pub plot: Option<PathBuf>,
}

impl PictureOptions {
    /// Refuses files that cannot be written before anything is computed.
    pub fn check(&self) -> Result<(), Failure> {
        if let Some(path) = &self.plot {
            PlotFormat::of(path)?;
            write::check(path)?;
        }
        if let Some(path) = &self.report {
            let extension = path.extension().and_then(|e| e.to_str()).map(str::to_lowercase);
            if !matches!(extension.as_deref(), Some("html" | "htm")) {
                return Err(Failure::input(
                    "--report writes an HTML page; give the file a name that ends in .html",
                ));
            }
            write::check(path)?;
        }
        Ok(())
    }

    /// Draws the picture, if one was asked for and there is one.
    pub fn plot(
        &self,
        draw: impl FnOnce() -> Result<Option<Picture>, Failure>,
        output: &Output,
    ) -> Result<(), Failure> {
        let Some(path) = &self.plot else { return Ok(()) };
        interrupt::keeps("the result was printed, and its pictures were not finished".into());
        let Some(picture) = draw()? else {
            return Err(Failure::Other(
                "--plot: there is nothing to draw here, so that no file was written; leave --plot out".into(),
            ));
        };
        PlotFormat::of(path)?.write(path, &picture.figure)?;
        output.note(&format!("the picture is in {}", shown_path(path)));
        Ok(())
    }

    /// Writes the report, if one was asked for.
    pub fn report(
        &self,
        write: impl FnOnce() -> Result<Report, Failure>,
        output: &Output,
    ) -> Result<(), Failure> {
        let Some(path) = &self.report else { return Ok(()) };
        interrupt::keeps("the result was printed, and its report was not finished".into());
        write_report(path, &write()?.command(typed_command()))?;
        output.note(&format!("the report is in {}; open it in a browser", shown_path(path)));
        Ok(())
    }
}

/// Writes a report into a file.
pub fn write_report(path: &Path, report: &Report) -> Result<(), Failure> {
    let page = report.to_html().map_err(|error| Failure::Other(error.to_string()))?;
    Ok(write::whole_file(path, |out| out.write_all(page.as_bytes()))?)
}

/// The command as it was typed, so that a shell reads it in the same way.
pub fn typed_command() -> String {
    quoted(std::env::args_os().skip(1))
}

fn quoted(arguments: impl Iterator<Item = OsString>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=,:+@%".contains(c);
    let quote = |argument: OsString| {
        let text = argument.to_string_lossy().into_owned();
        if !text.is_empty() && text.chars().all(is_plain) {
            return text;
        }
        if visible(&text) == text {
            return format!("'{}'", text.replace('\'', r"'\''"));
        }
        // What cannot be seen is spelt out, in the way that bash, zsh and ksh read.
        let spelt = |letter: char| match (letter, visible(letter.encode_utf8(&mut [0; 4]))) {
            ('\'' | '\\', _) => format!("\\{letter}"),
            (_, shown) if shown.chars().eq([letter]) => letter.to_string(),
            (_, shown) if shown.starts_with("\\x") => format!("\\u{:04x}", u32::from(letter)),
            (_, shown) => shown.into_owned(),
        };
        format!("$'{}'", text.chars().map(spelt).collect::<String>())
    };
    ["steinbound".to_string()].into_iter().chain(arguments.map(quote)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let typed =
            ["fit", "my points.csv", "--domain=ball(radius=2)", "--at", "-1,2", "it's"].map(OsString::from);
        assert_eq!(
            quoted(typed.into_iter()),
            r"steinbound fit 'my points.csv' '--domain=ball(radius=2)' --at -1,2 'it'\''s'"
        );
        let hidden = ["a\u{202e}'b\\\n\u{a0}c\u{e0041}"].map(OsString::from);
        assert_eq!(quoted(hidden.into_iter()), r"steinbound $'a\u202e\'b\\\n\u00a0c\U000e0041'");
    }
}

//! Reading tables: how their text is laid out, and a bar for those that take long.

use std::path::Path;

use clap::{Args, ValueEnum};
use steinbound_io::{
    Frame, FrameOptions, Header, IoError, Progress, Separator, Sheet, TableOptions, TextFormat,
    read_frame_watched, read_table_watched,
};

use crate::output::Output;
use crate::progress::Bar;

/// How the text of DATA is laid out. Other tables are always recognised by their first lines.
#[derive(Debug, Clone, Args)]
pub struct TextOptions {
    /// What separates the values of DATA, by name or as a character [default: auto].
    ///
    /// The names are auto (comma, semicolon, tab or pipe, as found in the first lines), comma, semicolon,
    /// tab, pipe and space (runs of blanks). Other tables are always recognised by their first lines.
    #[arg(
        help_heading = "Data",
        long,
        value_name = "SEPARATOR",
        default_value = "auto",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub separator: Separator,
    /// Read 1,5 in DATA as one and a half; the separator then is not a comma.
    #[arg(long, help_heading = "Data")]
    pub decimal_comma: bool,
    /// Whether the first row of DATA is a header [default: auto].
    #[arg(
        help_heading = "Data",
        long,
        value_enum,
        value_name = "WHETHER",
        default_value_t,
        hide_default_value = true
    )]
    pub header: HeaderChoice,
}

/// Whether the first row is a header.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum HeaderChoice {
    /// It is, unless it is all numbers.
    #[default]
    Auto,
    /// It is.
    Yes,
    /// It is not.
    No,
}

impl TextOptions {
    /// The layout that these options describe.
    pub fn format(&self) -> TextFormat {
        let header = match self.header {
            HeaderChoice::Auto => Header::Auto,
            HeaderChoice::Yes => Header::Yes,
            HeaderChoice::No => Header::No,
        };
        TextFormat { separator: self.separator, decimal_comma: self.decimal_comma, header }
    }
}

/// Reads columns of a table, with a bar where that takes long.
pub fn read_sheet(path: &Path, options: &TableOptions, output: &Output) -> Result<Sheet, IoError> {
    let bar = Bar::unasked("reading", output.is_quiet());
    let sheet = read_table_watched(path, options, &|progress| show(&bar, progress))?;
    drop(bar);
    sheet.warnings.iter().for_each(|warning| output.warn(warning));
    Ok(sheet)
}

/// Reads a table whose columns are asked for by name, with a bar where that takes long.
pub fn read_named(path: &Path, options: &FrameOptions, output: &Output) -> Result<Frame, IoError> {
    let bar = Bar::unasked("reading", output.is_quiet());
    read_frame_watched(path, options, &|progress| show(&bar, progress))
}

/// The error of a table that is not DATA, to which no options apply.
pub fn without_options(error: IoError) -> IoError {
    match error {
        IoError::DecimalComma { path, place, column, value } => IoError::UnusableColumn {
            path,
            column: format!("{column}, {place}"),
            reason: format!("\"{value}\" is not a number; write this file with decimal points"),
        },
        other => other,
    }
}

fn show(bar: &Bar, progress: Progress) {
    match progress.total {
        Some(total) => bar.show_bytes(progress.bytes, total),
        None => bar.show_count(progress.rows, "rows"),
    }
}

//! Results to standard output; notes and warnings to standard error.

use std::io::Write;

use serde::Serialize;

use crate::failure::Failure;

/// Where a command's words go.
pub struct Output {
    quiet: bool,
    stdout: std::io::BufWriter<std::io::Stdout>,
}

impl Output {
    pub fn new(quiet: bool) -> Output {
        Output { quiet, stdout: std::io::BufWriter::new(std::io::stdout()) }
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
        Ok(self.stdout.flush()?)
    }
}

/// One line on standard error. Where that cannot be written there is nobody to tell.
pub fn say(kind: &str, message: &str) {
    let _ = writeln!(std::io::stderr(), "{kind}: {message}");
}

/// A table with aligned columns: words to the left, numbers to the right.
pub struct Table {
    rows: Vec<Vec<String>>,
    words: usize,
}

impl Table {
    /// A table whose first columns, as many as said, hold words.
    pub fn new<const N: usize>(words: usize, header: [&str; N]) -> Table {
        Table::with_header(words, header)
    }

    /// The same with a header whose length is not known beforehand.
    pub fn with_header<'a>(words: usize, header: impl IntoIterator<Item = &'a str>) -> Table {
        Table { rows: vec![header.into_iter().map(str::to_string).collect()], words }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub fn print(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |j: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(j));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (i, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (j, cell) in row.iter().enumerate() {
                let width = widths[j];
                line.push_str(if j == 0 { "" } else { "  " });
                line.push_str(&if j < self.words {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                });
            }
            writeln!(out, "{}", line.trim_end())?;
            if i == 0 {
                writeln!(out, "{}", "-".repeat(widths.iter().sum::<usize>() + 2 * (columns - 1)))?;
            }
        }
        Ok(())
    }
}

/// A number with as many decimals as its standard error makes meaningful: two significant digits of the error.
pub fn estimate(value: Option<f64>, error: Option<f64>) -> String {
    let Some(value) = value else { return "-".into() };
    match error {
        Some(error) if error > 0.0 && error.is_finite() => {
            let decimals = (1 - error.log10().floor() as i32).clamp(0, 12) as usize;
            format!("{value:.decimals$}")
        }
        _ => significant(value),
    }
}

/// A number with four significant digits.
pub fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = value.abs().log10().floor() as i32;
    if (-4..6).contains(&magnitude) {
        format!("{value:.*}", (3 - magnitude).max(0) as usize)
    } else {
        format!("{value:.3e}")
    }
}

/// A time in a unit that suits it.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_standard_error() {
        assert_eq!(estimate(Some(0.512345), Some(0.0812)), "0.512");
        assert_eq!(estimate(Some(-115.2345), Some(1.3)), "-115.2");
        assert_eq!(estimate(Some(123456.7), Some(250.0)), "123457");
        assert_eq!(estimate(Some(0.5), None), "0.5000");
        assert_eq!(estimate(None, None), "-");
    }

    #[test]
    fn four_digits_are_significant() {
        assert_eq!(significant(0.0012345), "0.001234");
        assert_eq!(significant(1234.56), "1235");
        assert_eq!(significant(1.5e-9), "1.500e-9");
        assert_eq!(significant(0.0), "0");
    }
}

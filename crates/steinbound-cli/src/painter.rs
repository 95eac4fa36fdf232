//! Results on a terminal with colours: the heads of tables are bold.

use std::io::{Result, Write};

use crate::terminal::{BOLD, DIM};

/// Passes text on, and where there are colours makes the line above a rule bold. Tables themselves know nothing of colours.
pub struct Painter<W: Write> {
    out: W,
    has_color: bool,
    /// The last complete line, until it is known whether a rule follows.
    held: Option<Vec<u8>>,
    /// A line that is not complete yet.
    begun: Vec<u8>,
}

impl<W: Write> Painter<W> {
    pub fn new(out: W, has_color: bool) -> Painter<W> {
        Painter { out, has_color, held: None, begun: Vec::new() }
    }

    /// Passes on what was held back.
    pub fn finish(&mut self) -> Result<()> {
        self.release()?;
        let begun = std::mem::take(&mut self.begun);
        self.out.write_all(&begun)?;
        self.out.flush()
    }

    fn release(&mut self) -> Result<()> {
        match self.held.take() {
            Some(line) => self.out.write_all(&line),
            None => Ok(()),
        }
    }

    fn line(&mut self, line: Vec<u8>) -> Result<()> {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let is_rule = text.len() > 2 && text.iter().all(|letter| *letter == b'-');
        let (true, Some(head)) = (is_rule, self.held.take_if(|_| is_rule)) else {
            self.release()?;
            self.held = Some(line);
            return Ok(());
        };
        let head = head.strip_suffix(b"\n").unwrap_or(&head);
        write!(self.out, "{BOLD}")?;
        self.out.write_all(head)?;
        write!(self.out, "{BOLD:#}\n{DIM}")?;
        self.out.write_all(text)?;
        writeln!(self.out, "{DIM:#}")
    }
}

impl<W: Write> Write for Painter<W> {
    fn write(&mut self, text: &[u8]) -> Result<usize> {
        if !self.has_color {
            return self.out.write(text);
        }
        for piece in text.split_inclusive(|letter| *letter == b'\n') {
            self.begun.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.begun);
                self.line(line)?;
            }
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(text: &str, has_color: bool) -> String {
        let mut painter = Painter::new(Vec::new(), has_color);
        // In pieces, as tables are written.
        text.as_bytes().chunks(3).for_each(|piece| painter.write_all(piece).unwrap());
        painter.finish().unwrap();
        String::from_utf8(painter.out).unwrap()
    }

    #[test]
    fn heads_of_tables_are_bold() {
        let table = "a fit\n\nname  value\n-----------\nx         1\nend";
        assert_eq!(painted(table, false), table);
        let bold = "a fit\n\n\u{1b}[1mname  value\u{1b}[0m\n\u{1b}[2m-----------\u{1b}[0m\nx         1\nend";
        assert_eq!(painted(table, true), bold);
        assert_eq!(painted("-----\n--\n", true), "-----\n--\n", "a rule below nothing is text");
    }
}

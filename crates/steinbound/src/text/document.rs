//! A result as a sequence of tables and lines.

use std::fmt::{self, Display, Formatter};

use super::{Table, visible};

/// A part of a [`Document`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// A table.
    Table(Table),
    /// A line of words.
    Line(String),
    /// A blank line of plain text; other formats have their own spacing.
    Gap,
}

/// A result to read: a title, tables and lines in order, and warnings.
///
/// Its `Display` is plain text without the warnings, which a program prints on its error stream; other
/// formats show them at the end.
///
/// ```
/// use steinbound::text::{Document, Table};
/// let mut table = Table::new(1, ["city", "people"]);
/// table.row(vec!["Bonn".into(), "340000".into()]);
/// let document = Document::new().title("cities").gap().table(table).line("one row").warning("few rows");
/// assert_eq!(document.to_string(), "cities\n\ncity  people\n------------\nBonn  340000\none row\n");
/// assert_eq!(document.warnings(), ["few rows"]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    title: Option<String>,
    blocks: Vec<Block>,
    warnings: Vec<String>,
}

impl Document {
    /// An empty document.
    pub fn new() -> Document {
        Document::default()
    }

    /// Sets the title, which comes first.
    pub fn title(mut self, title: impl Into<String>) -> Document {
        self.title = Some(title.into());
        self
    }

    /// Adds a table.
    pub fn table(mut self, table: Table) -> Document {
        self.blocks.push(Block::Table(table));
        self
    }

    /// Adds a line.
    pub fn line(mut self, line: impl Into<String>) -> Document {
        self.blocks.push(Block::Line(line.into()));
        self
    }

    /// Adds lines.
    pub fn lines(self, lines: impl IntoIterator<Item = String>) -> Document {
        lines.into_iter().fold(self, Document::line)
    }

    /// Adds a blank line.
    pub fn gap(mut self) -> Document {
        self.blocks.push(Block::Gap);
        self
    }

    /// Adds a warning.
    pub fn warning(mut self, warning: impl Into<String>) -> Document {
        self.warnings.push(warning.into());
        self
    }

    /// The title, if there is one.
    pub fn heading(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Tables and lines in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The warnings.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether there is nothing to show as text.
    pub fn is_empty(&self) -> bool {
        self.title.is_none() && self.blocks.is_empty()
    }

    /// The lines of plain text, each with its kind, for renderers that give headers and rules a style.
    ///
    /// ```
    /// use steinbound::text::{Document, LineKind, Table};
    /// let document = Document::new().table(Table::new(1, ["city", "people"]));
    /// let kinds: Vec<LineKind> = document.text_lines().into_iter().map(|line| line.kind).collect();
    /// assert_eq!(kinds, [LineKind::Header, LineKind::Rule]);
    /// ```
    pub fn text_lines(&self) -> Vec<TextLine> {
        let plain = |text: &str| TextLine::new(LineKind::Plain, visible(text));
        let mut lines: Vec<TextLine> = self.title.iter().map(|title| plain(title)).collect();
        for block in &self.blocks {
            match block {
                Block::Table(table) => lines.extend(table.text_lines()),
                Block::Line(text) => lines.push(plain(text)),
                Block::Gap => lines.push(plain("")),
            }
        }
        lines
    }
}

impl Display for Document {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        self.text_lines().iter().try_for_each(|line| writeln!(out, "{}", line.text))
    }
}

impl From<Table> for Document {
    fn from(table: Table) -> Document {
        Document::new().table(table)
    }
}

/// A line of plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextLine {
    /// The kind of the line.
    pub kind: LineKind,
    /// The text, without the end of the line.
    pub text: String,
}

impl TextLine {
    pub(super) fn new(kind: LineKind, text: impl Into<String>) -> TextLine {
        TextLine { kind, text: text.into() }
    }
}

/// The kind of a line of plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineKind {
    /// A row of a table, or words.
    Plain,
    /// The header of a table.
    Header,
    /// The rule below a header.
    Rule,
}

//! Tables with aligned columns.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use unicode_width::UnicodeWidthStr;

use super::{LineKind, TextLine, visible};

/// A table with aligned columns: words to the left, numbers to the right.
///
/// Cells are stored unchanged. Plain text shows them through [`cell`], which shortens long ones and escapes
/// what cannot be seen.
///
/// ```
/// use steinbound::text::Table;
/// let mut table = Table::new(1, ["city", "people"]);
/// table.row(vec!["Bonn".into(), "340000".into()]);
/// assert_eq!(table.to_string(), "city  people\n------------\nBonn  340000\n");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Empty for a list of facts.
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    words: usize,
}

impl Table {
    /// A table whose first `words` columns hold words.
    pub fn new<const N: usize>(words: usize, header: [&str; N]) -> Table {
        Table::with_header(words, header)
    }

    /// The same with a header of any length.
    pub fn with_header<'a>(words: usize, header: impl IntoIterator<Item = &'a str>) -> Table {
        let header = header.into_iter().map(str::to_string).collect();
        Table { header, rows: Vec::new(), words }
    }

    /// Names and values without a header. Values are not shortened.
    ///
    /// ```
    /// use steinbound::text::Table;
    /// let facts = Table::facts([("kernel", "imq".to_string()), ("bandwidth", "0.5".to_string())]);
    /// assert_eq!(facts.to_string(), "kernel     imq\nbandwidth  0.5\n");
    /// ```
    pub fn facts(facts: impl IntoIterator<Item = (impl Into<String>, String)>) -> Table {
        let rows = facts.into_iter().map(|(name, value)| vec![name.into(), value]).collect();
        Table { header: Vec::new(), rows, words: 2 }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The header; empty for a list of facts.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The rows below the header, for other renderers.
    ///
    /// ```
    /// # use steinbound::text::Table;
    /// let mut table = Table::new(1, ["city", "people"]);
    /// table.row(vec!["Bonn".into(), "340000".into()]);
    /// assert_eq!((&*table.header()[0], &*table.rows()[0][1], table.words()), ("city", "340000", 1));
    /// ```
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// The number of leading columns that hold words.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The number of columns of the widest row.
    pub fn columns(&self) -> usize {
        self.rows.iter().chain([&self.header]).map(Vec::len).max().unwrap_or(0)
    }

    /// The table as lines of plain text.
    pub(super) fn text_lines(&self) -> Vec<TextLine> {
        let is_list = self.header.is_empty();
        let shown =
            |text: &String| if is_list { visible(text).into_owned() } else { cell(text).into_owned() };
        let header: Vec<String> = self.header.iter().map(|text| visible(text).into_owned()).collect();
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(shown).collect()).collect();
        let width = |j: usize| {
            let cells = rows.iter().chain([&header]).filter_map(|row| row.get(j));
            cells.map(|cell| cell.width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns()).map(width).collect();
        let line = |row: &[String]| {
            let cells: Vec<String> =
                row.iter().enumerate().map(|(j, cell)| filled(cell, widths[j], j < self.words)).collect();
            cells.join("  ").trim_end().to_string()
        };
        let mut lines = Vec::new();
        if !is_list {
            let between = 2 * widths.len().saturating_sub(1);
            lines.push(TextLine::new(LineKind::Header, line(&header)));
            lines.push(TextLine::new(LineKind::Rule, "-".repeat(widths.iter().sum::<usize>() + between)));
        }
        lines.extend(rows.iter().map(|row| TextLine::new(LineKind::Plain, line(row))));
        lines
    }
}

impl Display for Table {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        self.text_lines().iter().try_for_each(|line| writeln!(out, "{}", line.text))
    }
}

/// The widest cell of a table, in columns of a terminal.
const WIDEST: usize = 48;

/// Text in the form shown in a cell of a table: what cannot be seen is [escaped](visible), and long text is shortened in
/// the middle, because names of a family differ at their ends, as in `cov[long,a]` and `cov[long,b]`.
///
/// ```
/// use steinbound::text::cell;
/// assert_eq!(cell("a\tb"), "a\\tb");
/// assert_eq!(cell(&"x".repeat(100)).len(), 48);
/// ```
pub fn cell(text: &str) -> Cow<'_, str> {
    let escaped = visible(text);
    if escaped.width() <= WIDEST {
        return escaped;
    }
    let half = (WIDEST - 2) / 2;
    let head = leading(escaped.chars(), half);
    let tail: String = leading(escaped.chars().rev(), half).chars().rev().collect();
    Cow::Owned(format!("{head}..{tail}"))
}

/// The first letters that fit into a number of columns.
fn leading(letters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut text = String::new();
    for letter in letters {
        text.push(letter);
        if text.width() > columns {
            text.pop();
            break;
        }
    }
    text
}

/// Text padded to a number of terminal columns, of which some letters take two and some none.
fn filled(cell: &str, columns: usize, is_word: bool) -> String {
    let blanks = " ".repeat(columns.saturating_sub(cell.width()));
    if is_word { format!("{cell}{blanks}") } else { format!("{blanks}{cell}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_as_a_terminal_shows_them() {
        let mut table = Table::new(1, ["city", "people"]);
        table.row(vec!["\u{6771}\u{4eac}".into(), "14000000".into()]);
        table.row(vec!["Zu\u{308}rich".into(), "430000".into()]);
        table.row(vec!["a\u{1b}[31m\tb".into(), "1".into()]);
        let text = table.to_string();
        let widths: Vec<usize> = text.lines().map(UnicodeWidthStr::width).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{text}");
        assert!(!text.contains(['\u{1b}', '\t']), "{text}");
    }

    #[test]
    fn long_names_keep_both_ends() {
        let name = format!("cov[{},{}]", "a".repeat(100), "b".repeat(100));
        let cut = cell(&name);
        assert!(cut.starts_with("cov[aaa") && cut.ends_with("bbb]") && cut.width() == WIDEST, "{cut}");
        let wide = "\u{6771}".repeat(60);
        assert!(cell(&wide).width() <= WIDEST);
        assert_eq!(cell("mean[x1]"), "mean[x1]");
    }

    #[test]
    fn facts_are_escaped_but_not_shortened() {
        let facts = Table::facts([("name", format!("\u{1b}{}", "x".repeat(60)))]);
        assert_eq!(facts.to_string(), format!("name  \\x1b{}\n", "x".repeat(60)));
    }

    #[test]
    fn rows_may_be_shorter_than_the_header() {
        let mut table = Table::new(1, ["a", "b", "c"]);
        table.row(vec!["x".into()]);
        assert_eq!(table.to_string(), "a  b  c\n-------\nx\n");
    }
}

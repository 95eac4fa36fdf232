//! One HTML page that needs no network.

use minijinja::value::{Value, ValueKind};
use minijinja::{AutoEscape, Environment, HtmlEscape, context, escape_formatter};
use serde::Serialize;
use steinbound::text::{self, visible};
use thiserror::Error;

use crate::Picture;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");

/// The paper behind the method, to be cited with it.
const PAPER: &str = include_str!("paper.bib");

/// Why there is no page.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the page cannot be written: {reason}")]
pub struct ReportError {
    reason: String,
}

/// Whether a result may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verdict {
    /// There are no warnings.
    Sound,
    /// There are warnings.
    Careful,
    /// The result must not be trusted.
    Doubtful,
}

/// A report: what was asked, what was found, and how to repeat it.
///
/// ```
/// use steinbound_report::{Report, Section, Verdict};
/// let page = Report::new("A fit")
///     .verdict(Verdict::Careful, "There is one warning.")
///     .warning("the boundary points are sparse; use more of them")
///     .fact("data", "points.csv")
///     .section(Section::new("Estimates").text("None < few."))
///     .command("steinbound fit points.csv")
///     .to_html()?;
/// assert!(page.contains("None &lt; few.") && page.contains("steinbound fit points.csv"));
/// # Ok::<(), steinbound_report::ReportError>(())
/// ```
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    title: String,
    pub(crate) verdict: Option<(Verdict, String)>,
    warnings: Vec<String>,
    notes: Vec<String>,
    facts: Vec<(String, String)>,
    sections: Vec<Section>,
    command: Option<String>,
}

impl Report {
    /// A report without sections.
    pub fn new(title: impl Into<String>) -> Report {
        Report {
            title: title.into(),
            verdict: None,
            warnings: Vec::new(),
            notes: Vec::new(),
            facts: Vec::new(),
            sections: Vec::new(),
            command: None,
        }
    }

    /// Sets the verdict on the result, with a sentence.
    pub fn verdict(mut self, verdict: Verdict, text: impl Into<String>) -> Report {
        self.verdict = Some((verdict, text.into()));
        self
    }

    /// Adds a warning.
    pub fn warning(mut self, text: impl Into<String>) -> Report {
        self.warnings.push(sentence(&text.into()));
        self
    }

    /// Adds warnings.
    pub fn warnings(self, warnings: &[impl AsRef<str>]) -> Report {
        warnings.iter().fold(self, |report, warning| report.warning(warning.as_ref()))
    }

    /// Adds an explanation of the result.
    pub fn note(mut self, text: impl Into<String>) -> Report {
        self.notes.push(sentence(&text.into()));
        self
    }

    /// Adds a setting that was given or chosen.
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<String>) -> Report {
        self.facts.push((name.into(), value.into()));
        self
    }

    /// Adds settings by name.
    pub fn facts<N: Into<String>, V: Into<String>>(self, facts: impl IntoIterator<Item = (N, V)>) -> Report {
        facts.into_iter().fold(self, |report, (name, value)| report.fact(name, value))
    }

    /// Adds a section, unless it is empty.
    pub fn section(mut self, section: Section) -> Report {
        if !section.is_empty() {
            self.sections.push(section);
        }
        self
    }

    /// Sets the command that gives this report again.
    pub fn command(mut self, command: impl Into<String>) -> Report {
        self.command = Some(command.into());
        self
    }

    /// The page.
    pub fn to_html(&self) -> Result<String, ReportError> {
        let version = env!("CARGO_PKG_VERSION");
        render("report", TEMPLATE, &context! { report => self, paper => PAPER, version })
    }
}

/// A part of a report: texts, tables and pictures under a heading, in the order in which they are added.
#[derive(Debug, Clone, Serialize)]
pub struct Section {
    title: String,
    anchor: String,
    blocks: Vec<Block>,
}

/// A paragraph, a table or a picture.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "lowercase")]
enum Block {
    Text(String),
    Table(Shown),
    Picture(Drawn),
}

/// A table as the page shows it.
#[derive(Debug, Clone, Serialize)]
struct Shown {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    words: usize,
    is_folded: bool,
    /// Whether a narrow screen shows each row as a block, because the columns have no room beside each other.
    has_blocks: bool,
}

/// The room for a table on a wide page, and what is between its columns, in pixels.
const ROOM: usize = 915;
const BETWEEN: usize = 12;

/// About the width of a text in a wide font, in pixels.
fn pixels(text: &str) -> usize {
    let letter = |c: char| match c {
        c if c.is_ascii_digit() => 9,
        c if c.is_ascii_punctuation() || c == ' ' => 6,
        _ => 8,
    };
    text.chars().map(letter).sum()
}

/// The columns that have room beside each other, each time with the first one, which names the rows: in as few
/// parts as there can be, and about as many columns in each.
fn parts(table: &text::Table) -> Vec<Vec<usize>> {
    let longest_piece = |text: &String| pieces(text).into_iter().map(pixels).max();
    let width = |j: usize| {
        let head = table.header().get(j).and_then(longest_piece);
        let cells = table.rows().iter().filter_map(|row| row.get(j));
        // Words wrap, and numbers do not.
        let widest = match j < table.words() {
            true => cells.filter_map(longest_piece).max(),
            false => cells.map(|cell| pixels(cell)).max(),
        };
        head.max(widest).unwrap_or(0) + BETWEEN
    };
    let widths: Vec<usize> = (0..table.columns()).map(width).collect();
    let named = table.words().min(1);
    let within = |room: usize| {
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let mut used = 0;
        for (j, width) in widths.iter().enumerate().skip(named) {
            match parts.last_mut() {
                Some(part) if used + width <= room => part.push(j),
                _ => {
                    used = widths[..named].iter().sum();
                    parts.push((0..named).chain([j]).collect());
                }
            }
            used += width;
        }
        parts
    };
    let fewest = within(ROOM).len();
    let narrower = (1..=10).rev().map(|tenth| within(ROOM * tenth / 10));
    narrower.take_while(|parts| parts.len() <= fewest).last().unwrap_or_default()
}

/// The letters after which a long name may go on in the next line, and the most letters of a short one.
const BREAKS: [char; 4] = [' ', '[', ',', '/'];
const SHORT: usize = 9;

/// The parts of a name that stay in one line.
fn pieces(name: &str) -> Vec<&str> {
    match name.chars().count() > SHORT {
        true => name.split_inclusive(BREAKS).collect(),
        false => vec![name],
    }
}

/// A name as HTML that may break where it is long.
fn breakable(name: &str) -> Value {
    let name = visible(name);
    let piece = |piece: &&str| {
        let is_open = piece.ends_with(' ') || name.ends_with(piece);
        format!("{}{}", HtmlEscape(piece), if is_open { "" } else { "<wbr>" })
    };
    Value::from_safe_string(pieces(&name).iter().map(piece).collect())
}

/// A picture as the page shows it: on wide and on narrow screens.
#[derive(Debug, Clone, Serialize)]
struct Drawn {
    wide: String,
    narrow: String,
    caption: String,
}

impl Section {
    /// An empty section.
    pub fn new(title: impl Into<String>) -> Section {
        let title = title.into();
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let anchor = format!("section-{}", title.chars().map(plain).collect::<String>());
        Section { title, anchor, blocks: Vec::new() }
    }

    /// Adds a paragraph.
    pub fn text(mut self, text: impl Into<String>) -> Section {
        self.blocks.push(Block::Text(sentence(&text.into())));
        self
    }

    /// Adds a table. Columns that have no room on the page follow below the others.
    pub fn table(self, table: &text::Table) -> Section {
        parts(table).iter().fold(self, |section, columns| section.with_columns(table, columns, false))
    }

    /// Adds a table that is shown on demand.
    pub fn folded_table(self, table: &text::Table) -> Section {
        self.with_columns(table, &(0..table.columns()).collect::<Vec<_>>(), true)
    }

    fn with_columns(mut self, table: &text::Table, columns: &[usize], is_folded: bool) -> Section {
        let chosen = |row: &[String]| -> Vec<String> {
            columns.iter().filter_map(|j| row.get(*j)).map(|cell| minus(cell)).collect()
        };
        self.blocks.push(Block::Table(Shown {
            header: chosen(table.header()),
            rows: table.rows().iter().map(|row| chosen(row)).collect(),
            words: columns.iter().filter(|j| **j < table.words()).count(),
            is_folded,
            has_blocks: columns.len() > 2,
        }));
        self
    }

    /// Adds a picture, if there is one.
    pub fn picture(mut self, picture: impl Into<Option<Picture>>) -> Section {
        if let Some(picture) = picture.into() {
            self.blocks.push(Block::Picture(Drawn {
                wide: picture.figure.to_svg(),
                narrow: picture.narrow.to_svg(),
                caption: picture.caption,
            }));
        }
        self
    }

    fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

/// A number with a proper minus sign; other text as it is.
fn minus(cell: &str) -> String {
    match cell.strip_prefix('-') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => format!("−{rest}"),
        _ => cell.to_string(),
    }
}

/// A text that begins with a capital letter and ends with a stop, as a sentence on a page does.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with(['.', '!', '?', ':']) || text.is_empty() { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// What a page may load: styles and images that it holds itself. No script runs, whatever the page contains.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// A page from a template in the language of Jinja: values are escaped, and shown with what cannot be seen
/// [spelt out](visible). `style` is the look of all pages, and `policy` what they may load.
///
/// ```
/// use std::collections::BTreeMap;
/// let template = "<style>{{ style|safe }}</style><p>{{ text }}</p>";
/// let page = steinbound_report::render("page", template, &BTreeMap::from([("text", "a < b")]))?;
/// assert!(page.contains("<p>a &lt; b</p>") && page.contains("color-scheme"));
/// # Ok::<(), steinbound_report::ReportError>(())
/// ```
pub fn render(name: &str, template: &str, values: &impl Serialize) -> Result<String, ReportError> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_formatter(|out, state, value| match value.kind() {
        ValueKind::String if !value.is_safe() => {
            let lines: Vec<_> = value.as_str().unwrap_or_default().split('\n').map(visible).collect();
            escape_formatter(out, state, &Value::from(lines.join("\n")))
        }
        _ => escape_formatter(out, state, value),
    });
    environment.add_filter("breakable", |name: &str| breakable(name));
    environment.add_global("style", STYLE);
    environment.add_global("policy", POLICY);
    let page = environment.render_named_str(name, template, values);
    page.map_err(|error| ReportError { reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        let evil = "<script>alert(1)</script>";
        let mut table = text::Table::new(1, ["a", evil]);
        table.row(vec![evil.into(), "-3.5".into()]);
        let report = Report::new(evil).warning(evil).fact(evil, evil).command(evil);
        let page = report.section(Section::new(evil).text(evil).table(&table)).to_html().unwrap();
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains("−3.5"));
    }

    #[test]
    fn hidden_text_is_shown_everywhere() {
        use steinbound_plot::{Axis, Color, Entry, Figure, Panel, Style};
        let evil = "a\u{202e}b\u{200b}\u{2066}\u{feff}\u{e0041}\u{1b}";
        let mut table = text::Table::new(1, [evil, evil]);
        table.row(vec![evil.into(), evil.into()]);
        let panel = Panel::new(Axis::categories(evil, [evil]), Axis::linear(evil)).title(evil);
        let figure = Figure::new(400.0).row(200.0, vec![panel]);
        let figure = figure.legend(vec![Entry::line(evil, Style::new(Color::BLUE))]);
        let section = Section::new(evil).text(evil).table(&table).picture(Picture::new(figure, evil));
        let report = Report::new(evil).warning(evil).note(evil).fact(evil, evil).command(evil);
        let page = report.verdict(Verdict::Sound, evil).section(section).to_html().unwrap();
        let hidden = ['\u{202e}', '\u{200b}', '\u{2066}', '\u{feff}', '\u{e0041}', '\u{1b}'];
        assert!(!page.contains(hidden), "{page}");
        assert!(page.matches(r"\u202eb\u200b\u2066\ufeff\U000e0041\x1b").count() > 15, "{page}");
    }

    #[test]
    fn parts_of_a_section_keep_their_order() {
        let mut table = text::Table::new(1, ["name", "value"]);
        table.row(vec!["first".into(), "1".into()]);
        let section = Section::new("s").text("One").table(&table).text("Two").folded_table(&table);
        let page = Report::new("r").section(section).to_html().unwrap();
        let places: Vec<usize> =
            ["One.", "<table", "Two.", "<details"].map(|word| page.find(word).unwrap()).into();
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn tables_have_headers_and_keep_long_words() {
        let long = "largest share of one observation ".repeat(4);
        let mut table = text::Table::new(1, ["name", "value"]);
        table.row(vec![long.clone(), "1".into()]);
        let page = Report::new("r").section(Section::new("s").table(&table)).to_html().unwrap();
        assert!(page.contains("<th scope=\"col\">name</th>"), "{page}");
        assert!(page.contains(&format!("<th scope=\"row\">{long}</th>")), "{page}");
    }

    #[test]
    fn rows_become_blocks_where_columns_have_no_room_beside_each_other() {
        let page =
            |table: &text::Table| Report::new("r").section(Section::new("s").table(table)).to_html().unwrap();
        let mut table = text::Table::new(1, ["name", "std. error", "a \"p\""]);
        table.row(vec!["mean".into(), "0.1".into(), "-0.5".into()]);
        let text = page(&table);
        assert!(text.contains("<table class=\"blocks\">"), "{text}");
        assert!(text.contains("<td data-label=\"std. error\" class=\"number\">0.1</td>"), "{text}");
        assert!(text.contains("data-label=\"a &quot;p&quot;\""), "{text}");
        let mut pair = text::Table::new(1, ["name", "value"]);
        pair.row(vec!["draws".into(), "100 (data drawn from the fitted density, fitted again)".into()]);
        assert!(!page(&pair).contains("class=\"blocks\""));
    }

    #[test]
    fn columns_without_room_follow_below() {
        let heads: Vec<String> = (1..=20).map(|k| format!("[{k}]")).collect();
        let mut table =
            text::Table::with_header(1, ["estimate"].into_iter().chain(heads.iter().map(String::as_str)));
        table.row((0..=20).map(|_| "0.123 (0.045)".to_string()).collect());
        let found = parts(&table);
        assert!(found.len() > 1 && found.iter().all(|part| part[0] == 0 && part.len() > 5), "{found:?}");
        let all: Vec<usize> = found.iter().flat_map(|part| part[1..].iter().copied()).collect();
        assert_eq!(all, (1..=20).collect::<Vec<_>>());
        let page = Report::new("r").section(Section::new("s").table(&table)).to_html().unwrap();
        assert_eq!(page.matches("<tr><th scope=\"row\">").count(), found.len());
        assert_eq!(pieces("cov[longitude,latitude]"), ["cov[", "longitude,", "latitude]"]);
        assert_eq!(breakable("cov[longitude,<b>]").to_string(), "cov[<wbr>longitude,<wbr>&lt;b&gt;]");
        assert_eq!(breakable("[1]").to_string(), "[1]");
    }

    #[test]
    fn sections_without_content_are_left_out() {
        let page = Report::new("r").section(Section::new("nothing here").picture(None)).to_html().unwrap();
        assert!(!page.contains("nothing here"));
        assert_eq!(sentence("the fit is fine"), "The fit is fine.");
    }
}

//! One HTML page that needs no network.

use minijinja::value::{Value, ValueKind};
use minijinja::{AutoEscape, Environment, context, escape_formatter};
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
    verdict: Option<(Verdict, String)>,
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

    /// Adds a table.
    pub fn table(self, table: &text::Table) -> Section {
        self.with_table(table, false)
    }

    /// Adds a table that is shown on demand.
    pub fn folded_table(self, table: &text::Table) -> Section {
        self.with_table(table, true)
    }

    fn with_table(mut self, table: &text::Table, is_folded: bool) -> Section {
        let shown = |text: &String| minus(text);
        self.blocks.push(Block::Table(Shown {
            header: table.header().to_vec(),
            rows: table.rows().iter().map(|row| row.iter().map(shown).collect()).collect(),
            words: table.words(),
            is_folded,
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
    fn sections_without_content_are_left_out() {
        let page = Report::new("r").section(Section::new("nothing here").picture(None)).to_html().unwrap();
        assert!(!page.contains("nothing here"));
        assert_eq!(sentence("the fit is fine"), "The fit is fine.");
    }
}

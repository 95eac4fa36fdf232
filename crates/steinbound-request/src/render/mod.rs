//! Documents as text, HTML, Markdown and LaTeX.

mod html;
mod latex;
mod markdown;
mod text;

use steinbound::text::Document;
use steinbound_io::names::choose;

/// How a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Plain text with aligned columns, without the warnings.
    Text,
    /// The same with bold headers and dim rules, for terminals that understand ANSI codes.
    StyledText,
    /// A fragment of HTML with a style of its own and no script, for notebooks.
    Html,
    /// Markdown with tables of pipes.
    Markdown,
    /// A `table` for LaTeX with the package booktabs.
    Latex,
}

impl Format {
    /// All formats with their names.
    pub const ALL: [(&'static str, Format); 5] = [
        ("text", Format::Text),
        ("styled-text", Format::StyledText),
        ("html", Format::Html),
        ("markdown", Format::Markdown),
        ("latex", Format::Latex),
    ];

    /// The format of that name; the error names the nearest one.
    ///
    /// ```
    /// use steinbound_request::render::Format;
    /// assert_eq!(Format::named("latex"), Ok(Format::Latex));
    /// assert!(Format::named("latx").unwrap_err().contains("did you mean \"latex\""));
    /// ```
    pub fn named(name: &str) -> Result<Format, String> {
        choose("format", name, &Format::ALL)
    }

    /// The plain text of a document, followed by its warnings, for a face without an error stream.
    ///
    /// ```
    /// use steinbound::text::Document;
    /// use steinbound_request::render::Format;
    /// let document = Document::new().line("one row").warning("few rows");
    /// assert_eq!(Format::whole_text(&document), "one row\n\nwarning: few rows\n");
    /// ```
    pub fn whole_text(document: &Document) -> String {
        let mut text = document.to_string();
        for (i, warning) in document.warnings().iter().enumerate() {
            text.push_str(&format!("{}warning: {warning}\n", if i == 0 { "\n" } else { "" }));
        }
        text
    }

    /// Writes a document. Whatever its text contains stays text.
    ///
    /// ```
    /// use steinbound::text::{Document, Table};
    /// use steinbound_request::render::Format;
    /// let mut table = Table::new(1, ["city", "people"]);
    /// table.row(vec!["Bonn & more".into(), "340000".into()]);
    /// let document = Document::new().title("cities").table(table);
    /// assert!(Format::Html.render(&document).contains("Bonn &amp; more"));
    /// assert!(Format::Markdown.render(&document).contains("| Bonn \\& more | 340000 |"));
    /// assert!(Format::Latex.render(&document).contains("Bonn \\& more & 340000 \\\\"));
    /// ```
    pub fn render(self, document: &Document) -> String {
        match self {
            Format::Text => document.to_string(),
            Format::StyledText => text::styled(document),
            Format::Html => html::fragment(document),
            Format::Markdown => markdown::page(document),
            Format::Latex => latex::table(document),
        }
    }
}

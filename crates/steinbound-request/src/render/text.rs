//! Text for terminals: headers are bold, and the rules below them dim.

use steinbound::text::{Document, LineKind};

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const RESET: &str = "\x1b[0m";

/// A document as text with ANSI codes.
pub fn styled(document: &Document) -> String {
    let mut text = String::new();
    for line in document.text_lines() {
        let (start, end) = match line.kind {
            LineKind::Header => (BOLD, RESET),
            LineKind::Rule => (DIM, RESET),
            _ => ("", ""),
        };
        text.extend([start, &line.text, end, "\n"]);
    }
    text
}

#[cfg(test)]
mod tests {
    use steinbound::text::{Document, Table};

    #[test]
    fn headers_are_bold_and_rules_dim() {
        let mut table = Table::new(1, ["name", "value"]);
        table.row(vec!["x".into(), "1".into()]);
        let document = Document::new().title("a fit").gap().table(table).line("-----");
        let bold =
            "a fit\n\n\u{1b}[1mname  value\u{1b}[0m\n\u{1b}[2m-----------\u{1b}[0m\nx         1\n-----\n";
        assert_eq!(super::styled(&document), bold);
    }
}

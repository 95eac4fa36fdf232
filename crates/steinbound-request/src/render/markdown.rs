//! Markdown with tables of pipes.

use steinbound::text::{Block, Document, Table, visible};

/// A document as paragraphs and tables.
pub fn page(document: &Document) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(document.heading().map(|title| format!("**{}**", escaped(title))));
    for block in document.blocks() {
        match block {
            Block::Table(table) if table.columns() > 0 => parts.push(rows(table)),
            Block::Line(line) => parts.push(paragraph(line)),
            _ => {}
        }
    }
    parts.extend(document.warnings().iter().map(|text| format!("**warning:** {}", escaped(text))));
    parts.into_iter().map(|part| part + "\n").collect::<Vec<_>>().join("\n")
}

fn rows(table: &Table) -> String {
    let columns = table.columns();
    let line = |cells: &[String]| {
        let cells = (0..columns).map(|j| cells.get(j).map_or_else(String::new, |cell| escaped(cell)));
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    };
    let side = |j: usize| if j < table.words() { ":--" } else { "--:" };
    let sides: Vec<&str> = (0..columns).map(side).collect();
    let mut lines = vec![line(table.header()), format!("| {} |", sides.join(" | "))];
    lines.extend(table.rows().iter().map(|cells| line(cells)));
    lines.join("\n")
}

/// A line that begins no list, heading or block of code.
fn paragraph(line: &str) -> String {
    let text = escaped(line.trim());
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    match text.chars().nth(digits) {
        Some('-' | '+' | '=') if digits == 0 => format!("\\{text}"),
        Some('.' | ')') if digits > 0 => format!("{}\\{}", &text[..digits], &text[digits..]),
        _ => text,
    }
}

/// Text without markup.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for letter in visible(text).chars() {
        if "\\`*_[]<>#|~$&!".contains(letter) {
            safe.push('\\');
        }
        safe.push(letter);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_lines_and_warnings() {
        let mut table = Table::new(1, ["city", "change"]);
        table.row(vec!["a|b".into(), "-3.5".into()]);
        table.row(vec!["c".into()]);
        let document =
            Document::new().title("some_cities").gap().table(table).line("1. n = 2").warning("few");
        let expected = "**some\\_cities**\n\n| city | change |\n| :-- | --: |\n| a\\|b | -3.5 |\n| c |  |\n\n\
                        1\\. n = 2\n\n**warning:** few\n";
        assert_eq!(page(&document), expected);
        let facts = page(&Table::facts([("kernel", "imq".to_string())]).into());
        assert_eq!(facts, "|  |  |\n| :-- | :-- |\n| kernel | imq |\n");
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(paragraph("- a"), "\\- a");
        assert_eq!(paragraph("    # b"), "\\# b");
        assert_eq!(paragraph("12) c"), "12\\) c");
        assert_eq!(paragraph("12"), "12");
    }
}

//! A fragment of HTML that needs nothing else: no script, and no style but its own.

use steinbound::text::{Block, Document, Table, visible};

/// Colours are those of the page, so that tables are readable in light and dark notebooks alike.
const STYLE: &str = ".steinbound-table{margin:.4em 0;color:inherit;font-size:.93em}\
    .steinbound-table p{margin:.2em 0}\
    .steinbound-table .steinbound-title{font-weight:600}\
    .steinbound-table .steinbound-note{opacity:.75;font-size:.92em}\
    .steinbound-table .steinbound-warning{border-left:3px solid #d55e00;padding-left:.6em}\
    .steinbound-table div{overflow-x:auto}\
    .steinbound-table table{border-collapse:collapse;margin:.4em 0;color:inherit;background:none;\
    border:0;border-top:1px solid currentColor;border-bottom:1px solid currentColor;\
    font-variant-numeric:tabular-nums}\
    .steinbound-table tr{background:none;border:0}\
    .steinbound-table th,.steinbound-table td{padding:.2em .7em;text-align:right;white-space:nowrap;\
    border:0;color:inherit;background:none}\
    .steinbound-table thead th{border-bottom:1px solid currentColor;font-weight:600}\
    .steinbound-table .steinbound-word{text-align:left;font-weight:400}\
    .steinbound-table thead .steinbound-word{font-weight:600}";

/// A document as one `div`.
pub fn fragment(document: &Document) -> String {
    let mut parts = vec![format!("<div class=\"steinbound-table\"><style>{STYLE}</style>")];
    let paragraph =
        |class: &str, text: &str| format!("<p class=\"steinbound-{class}\">{}</p>", escaped(text));
    parts.extend(document.heading().map(|title| paragraph("title", title)));
    for block in document.blocks() {
        match block {
            Block::Table(table) => parts.extend(rows(table)),
            Block::Line(line) => parts.push(paragraph("note", line)),
            _ => {}
        }
    }
    parts.extend(document.warnings().iter().map(|text| paragraph("warning", &format!("warning: {text}"))));
    parts.push("</div>".into());
    parts.join("\n")
}

/// The lines of a table: what opens it with its header, its rows, and what closes it.
fn rows(table: &Table) -> Vec<String> {
    let class = |column: usize| if column < table.words() { " class=\"steinbound-word\"" } else { "" };
    let heading = |(column, text): (usize, &String)| {
        format!("<th scope=\"col\"{}>{}</th>", class(column), escaped(text))
    };
    let header: String = table.header().iter().enumerate().map(heading).collect();
    let header = if header.is_empty() { header } else { format!("<thead><tr>{header}</tr></thead>") };
    let cell = |(column, text): (usize, &String)| match column {
        0 if table.words() > 0 => format!("<th scope=\"row\"{}>{}</th>", class(0), escaped(text)),
        _ => format!("<td{}>{}</td>", class(column), escaped(text)),
    };
    let row =
        |cells: &Vec<String>| format!("<tr>{}</tr>", cells.iter().enumerate().map(cell).collect::<String>());
    let mut lines = vec![format!("<div><table>{header}<tbody>")];
    lines.extend(table.rows().iter().map(row));
    lines.push("</tbody></table></div>".into());
    lines
}

/// Text without markup. Notebooks would typeset what is between dollars.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for letter in visible(text).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#x27;"),
            '$' => safe.push_str("&#36;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_escaped() {
        let evil = "<script>alert('x')</script> & \"$x$\" \u{1b}[31m";
        let mut table = Table::new(1, [evil, evil]);
        table.row(vec![evil.into(), evil.into()]);
        let page = fragment(&Document::new().title(evil).table(table).line(evil).warning(evil));
        assert!(!page.contains("<script") && !page.contains(['\u{1b}', '$']), "{page}");
        let shown =
            "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; &amp; &quot;&#36;x&#36;&quot; \\x1b[31m";
        assert_eq!(page.matches(shown).count(), 7, "{page}");
    }

    #[test]
    fn words_are_left_and_numbers_right() {
        let mut table = Table::new(2, ["a", "b", "c"]);
        table.row(vec!["x".into(), "y".into(), "1".into()]);
        let page = fragment(&table.into());
        let word = "class=\"steinbound-word\"";
        let header = format!(
            "<thead><tr><th scope=\"col\" {word}>a</th><th scope=\"col\" {word}>b</th><th scope=\"col\">c</th></tr></thead>"
        );
        assert!(page.contains(&header), "{page}");
        let row = format!("<tr><th scope=\"row\" {word}>x</th><td {word}>y</td><td>1</td></tr>");
        assert!(page.contains(&row), "{page}");
        let facts = fragment(&Table::facts([("kernel", "imq".to_string())]).into());
        assert!(!facts.contains("<thead>") && facts.contains("imq</td>"), "{facts}");
    }
}

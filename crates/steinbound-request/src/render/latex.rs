//! A `table` of LaTeX, for the package booktabs.

use steinbound::text::{Block, Document, Table, visible};

/// A document as one `table`, its title the caption.
pub fn table(document: &Document) -> String {
    let mut lines = vec![r"\begin{table}".to_string(), r"\centering".into()];
    lines.extend(document.heading().map(|title| format!(r"\caption{{{}}}", typeset(title))));
    let mut is_small = false;
    let mut has_table = false;
    let mut note = |text: &str, has_table: bool, lines: &mut Vec<String>| {
        if has_table && !is_small {
            lines.push(r"\par\smallskip\footnotesize".into());
            is_small = true;
        }
        lines.push(format!(r"{}\par", typeset(text)));
    };
    for block in document.blocks() {
        match block {
            Block::Table(table) if table.columns() > 0 => {
                if has_table {
                    lines.push(r"\par\medskip".into());
                }
                has_table = true;
                lines.extend(tabular(table));
            }
            Block::Line(text) => note(text, has_table, &mut lines),
            _ => {}
        }
    }
    document.warnings().iter().for_each(|text| note(&format!("warning: {text}"), has_table, &mut lines));
    lines.push(r"\end{table}".into());
    lines.join("\n")
}

/// A table between rules.
fn tabular(table: &Table) -> Vec<String> {
    let words = table.words().min(table.columns());
    let columns = "l".repeat(words) + &"r".repeat(table.columns() - words);
    let mut lines = vec![format!(r"\begin{{tabular}}{{{columns}}}"), r"\toprule".into()];
    if !table.header().is_empty() {
        lines.extend([row(table.header()), r"\midrule".into()]);
    }
    lines.extend(table.rows().iter().map(|cells| row(cells)));
    lines.extend([r"\bottomrule", r"\end{tabular}"].map(String::from));
    lines
}

fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
    cells.join(" & ") + r" \\"
}

/// A cell; a hyphen before a number is a minus, and one alone a dash.
fn cell(text: &str) -> String {
    match text.strip_prefix('-') {
        Some("") => "--".into(),
        Some(number) if number.starts_with(|c: char| c.is_ascii_digit()) => format!("$-${}", typeset(number)),
        _ => typeset(text),
    }
}

/// Text without commands.
fn typeset(text: &str) -> String {
    let mut safe = String::new();
    for letter in visible(text).chars() {
        match letter {
            '\\' => safe.push_str(r"\textbackslash{}"),
            '{' | '}' | '$' | '&' | '#' | '%' | '_' => safe.extend(['\\', letter]),
            '^' => safe.push_str(r"\textasciicircum{}"),
            '~' => safe.push_str(r"\textasciitilde{}"),
            '<' => safe.push_str(r"\textless{}"),
            '>' => safe.push_str(r"\textgreater{}"),
            '|' => safe.push_str(r"\textbar{}"),
            '"' => safe.push_str(r"\char34{}"),
            '`' => safe.push_str(r"\textasciigrave{}"),
            // A bracket after the end of a row would be taken for its argument.
            '[' => safe.push_str("{[}"),
            ']' => safe.push_str("{]}"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_with_notes() {
        let mut numbers = Table::new(1, ["city", "change"]);
        numbers.row(vec!["Bonn".into(), "-3.5".into()]);
        numbers.row(vec!["[x]".into(), "-".into()]);
        let document = Document::new().title("cities").gap().table(numbers).line("n = 2").warning("few");
        let expected = r"\begin{table}
\centering
\caption{cities}
\begin{tabular}{lr}
\toprule
city & change \\
\midrule
Bonn & $-$3.5 \\
{[}x{]} & -- \\
\bottomrule
\end{tabular}
\par\smallskip\footnotesize
n = 2\par
warning: few\par
\end{table}";
        assert_eq!(table(&document), expected);
    }

    #[test]
    fn everything_is_escaped() {
        let special = "a_b & 50% #1 {x} $y$ ~ ^ \\ < > | \" ` [z] \u{1b}";
        let expected = r"a\_b \& 50\% \#1 \{x\} \$y\$ \textasciitilde{} \textasciicircum{} \textbackslash{} \textless{} \textgreater{} \textbar{} \char34{} \textasciigrave{} {[}z{]} \textbackslash{}x1b";
        assert_eq!(typeset(special), expected);
    }
}

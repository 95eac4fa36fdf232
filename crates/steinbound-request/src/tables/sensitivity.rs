//! How much the estimates depend on kernel, bandwidth and boundary points.

use steinbound::inference::Sensitivity;
use steinbound::text::{Document, Table};

use super::variant;

/// All fits, how to read them, and the conclusion.
pub fn document(sensitivity: &Sensitivity) -> Document {
    Document::new()
        .title("sensitivity to kernel, bandwidth and boundary points")
        .table(table(sensitivity))
        .line("moves by: in standard errors of the first row; * more than chance")
        .line(&sensitivity.summary)
        .lines(reasons(sensitivity))
}

/// Why some settings give no estimates: one sentence for each kind of reason.
///
/// Those that differ only in their numbers and in the parameter that they name are of one kind; the first stands for
/// all, without its remedy, which is for a fit that is to be used.
pub fn reasons(sensitivity: &Sensitivity) -> Vec<String> {
    let kind = |note: &str| {
        let nameless =
            sensitivity.parameters.iter().fold(note.to_string(), |text, name| text.replace(name, ""));
        nameless.chars().filter(|c| !c.is_ascii_digit() && *c != '.').collect::<String>()
    };
    let mut kinds: Vec<(String, &str, usize)> = Vec::new();
    for note in sensitivity.rows.iter().filter_map(|row| row.variant.note.as_deref()) {
        match kinds.iter_mut().find(|(known, ..)| *known == kind(note)) {
            Some((.., count)) => *count += 1,
            None => kinds.push((kind(note), note.split(';').next().unwrap_or(note), 1)),
        }
    }
    let sentence = |(_, reason, count): (String, &str, usize)| match count {
        1 => format!("not fitted (1 row): {reason}"),
        _ => format!("not fitted ({count} rows, others like this one): {reason}"),
    };
    kinds.into_iter().map(sentence).collect()
}

/// One row for each fit.
pub fn table(sensitivity: &Sensitivity) -> Table {
    let mut table = variant::table(sensitivity.parameters.iter().map(String::as_str), &["moves by", ""]);
    for row in &sensitivity.rows {
        let mut cells = variant::cells(&row.variant, sensitivity.parameters.len());
        cells.push(row.difference.map_or_else(|| "-".into(), |value| format!("{value:.2}")));
        let word = match (row.variant.is_fitted(), row.agrees) {
            (false, _) => "not fitted",
            (true, true) => "",
            (true, false) => "*",
        };
        let method = row.variant.estimated_by.as_ref().map(|name| format!("by {name}"));
        let words = [Some(word.to_string()).filter(|word| !word.is_empty()), method];
        cells.push(words.into_iter().flatten().collect::<Vec<_>>().join(" "));
        table.row(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> Sensitivity {
        let row = |rest: &str| {
            format!(
                r#"{{"kernel": "imq", "bandwidth": 1.0, "ridge": null, "boundary_points": 4, "difference": null,
                    "parameter": null, "agrees": true, {rest}}}"#
            )
        };
        let fitted = r#""estimates": [1.0, 2.0], "std_errors": [0.1, 0.2]"#;
        let refused = |note: &str| row(&format!(r#""estimates": [], "std_errors": [], "note": "{note}""#));
        let rows = [
            row(fitted),
            row(&format!(r#"{fitted}, "estimated_by": "tksd""#)),
            refused("0.53 standard errors: mean[x1] moves; do not use it"),
            refused("2.75 standard errors: mean[x2] moves; do not use it"),
            refused("the points are too sparse"),
        ];
        let json = format!(
            r#"{{"parameters": ["mean[x1]", "mean[x2]"], "rows": [{}], "largest": 0.0, "summary": ""}}"#,
            rows.join(",")
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn every_kind_of_reason_is_given_once() {
        let text = document(&found()).to_string();
        let reasons: Vec<&str> = text.lines().filter(|line| line.starts_with("not fitted")).collect();
        let first = "not fitted (2 rows, others like this one): \
                     0.53 standard errors: mean[x1] moves";
        assert_eq!(reasons, [first, "not fitted (1 row): the points are too sparse"]);
    }

    #[test]
    fn a_row_by_another_method_says_so() {
        let table = table(&found());
        let words: Vec<&str> = table.rows().iter().map(|row| row[row.len() - 1].as_str()).collect();
        assert_eq!(words, ["", "by tksd", "not fitted", "not fitted", "not fitted"]);
    }
}

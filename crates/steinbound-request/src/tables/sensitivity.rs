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
        cells.push(word.into());
        table.row(cells);
    }
    table
}

//! The discrepancy at given parameters.

use steinbound::fit::{Discrepancy, Problem};
use steinbound::text::{Document, Table, significant};

/// The discrepancy and the settings with which it was measured.
pub fn document(problem: &Problem, found: &Discrepancy) -> Document {
    let mut facts: Vec<(&str, String)> = Vec::new();
    if problem.method().uses().boundary_points {
        facts.push(("boundary points", problem.setup().m.to_string()));
    }
    if let Some(kernel) = &problem.setup().kernel {
        facts.push(("kernel", kernel.name.clone()));
        facts.push(("bandwidth", significant(kernel.bandwidth)));
    }
    facts.push(("squared discrepancy", significant(found.squared)));
    let value = found.value.map_or_else(|| "- (the square is negative)".into(), significant);
    facts.push(("discrepancy", value));
    Table::facts(facts).into()
}

/// Parameters by name, and the discrepancy at them.
pub fn table<'a>(parameters: impl IntoIterator<Item = (&'a str, f64)>, found: &Discrepancy) -> Table {
    let mut table = Table::new(1, ["", "value"]);
    for (name, value) in parameters {
        table.row(vec![name.into(), significant(value)]);
    }
    table.row(vec!["squared discrepancy".into(), significant(found.squared)]);
    table.row(vec!["discrepancy".into(), found.value.map_or_else(|| "-".into(), significant)]);
    table
}

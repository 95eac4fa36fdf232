//! The columns that all tables of fits under other settings share.

use steinbound::inference::Variant;
use steinbound::text::{Table, estimate, setting, significant};

/// The most parameters beside each other; the others are in the JSON.
const MOST_COLUMNS: usize = 6;

/// A table with columns for the settings, for the first parameters, and the given last columns.
pub fn table<'a>(names: impl Iterator<Item = &'a str>, last: &[&'a str]) -> Table {
    let first = ["kernel", "bandwidth", "ridge", "m"].into_iter();
    Table::with_header(1, first.chain(names.take(MOST_COLUMNS)).chain(last.iter().copied()))
}

/// The settings and first estimates of a fit with a number of parameters; one that failed has no estimates.
pub fn cells(variant: &Variant, parameters: usize) -> Vec<String> {
    let mut row = vec![
        variant.kernel.clone(),
        significant(variant.bandwidth),
        variant.ridge.map_or_else(|| "-".into(), setting),
        variant.boundary_points.to_string(),
    ];
    let get = |list: &[f64], k: usize| list.get(k).copied();
    let shown = 0..parameters.min(MOST_COLUMNS);
    row.extend(shown.map(|k| estimate(get(&variant.estimates, k), get(&variant.std_errors, k))));
    row
}

//! What was asked on the command line, as names and values for reports.

use steinbound_report::region_facts;

use crate::input::Input;
use crate::options::{DataOptions, DensityOptions};

/// Names and values.
pub type Facts = Vec<(&'static str, String)>;

/// The data, their region, and how they are projected.
pub fn of_data(options: &DataOptions, input: &Input) -> Facts {
    let (n, names) = (input.data.len(), input.matching.names());
    let mut facts =
        vec![("data", format!("{}: {n} points, columns {}", options.data.display(), names.join(", ")))];
    for (what, column) in [("weights", &options.rows.weights), ("clusters", &options.rows.cluster)] {
        facts.extend(column.as_ref().map(|column| (what, format!("column {column}"))));
    }
    let file = options.boundary.as_ref().map(|path| path.display().to_string());
    facts.extend(region_facts(&input.region, file.as_deref()));
    facts
}

/// The model, or models that differ in their numbers of components.
pub fn of_model(density: &DensityOptions, components: &[String]) -> Facts {
    let facts = [
        ("log-density", density.log_density.clone()),
        ("components", (!components.is_empty()).then(|| components.join(", "))),
        ("known covariance", density.known_covariance.clone()),
        ("start", density.start.as_ref().map(ToString::to_string)),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

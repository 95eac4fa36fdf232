//! What was asked on the command line, as names and values for reports.

use steinbound_report::region_facts;
use steinbound_request::{Options, options};

use crate::input::Input;
use crate::options::DataOptions;

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
pub fn of_model(given: &Options, components: &[String]) -> Facts {
    let values = |option| given.values(option).map(|values| values.to_string());
    let facts = [
        ("log-density", given.text(&options::LOG_DENSITY)),
        ("components", (!components.is_empty()).then(|| components.join(", "))),
        ("known covariance", given.text(&options::KNOWN_COVARIANCE)),
        ("known parameters", values(&options::KNOWN)),
        ("start", values(&options::START)),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

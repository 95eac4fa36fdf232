//! How bandwidth and ridge were chosen.

use steinbound::fit::Parameter;
use steinbound::inference::Tuning;
use steinbound::text::{Document, Table, significant};

use super::variant;

/// The choice in one line, and on request all candidates with their estimates of these parameters.
pub fn document(tuning: &Tuning, parameters: &[Parameter], with_candidates: bool) -> Document {
    if let Some(note) = &tuning.note {
        return Document::new().line(format!("tuned by {}: {note}", tuning.rule));
    }
    let (count, agreeing) = (tuning.candidates.len(), tuning.candidates.iter().filter(|c| c.agrees).count());
    let spread = tuning.choice().and_then(|chosen| chosen.spread).unwrap_or(1.0);
    let verdict = if tuning.chosen == tuning.default {
        "the default is kept".to_string()
    } else {
        format!("variances are {:.0}% of the default's", 100.0 * spread)
    };
    let choice = format!("tuned by {}: {agreeing} of {count} candidates agree, {verdict}", tuning.rule);
    let document = Document::new().line(choice);
    if !with_candidates {
        return document;
    }
    document.gap().table(candidates(tuning, parameters)).line(format!(
        "variance: relative to the default's; difference: the largest from a less precise candidate, squared and \
         standardised (agrees up to {})",
        significant(tuning.threshold)
    ))
}

/// One row for each candidate.
fn candidates(tuning: &Tuning, parameters: &[Parameter]) -> Table {
    let names = parameters.iter().map(|p| p.name.as_str());
    let mut table = variant::table(names, &["variance", "difference", ""]);
    let shown = |value: Option<f64>| value.map_or_else(|| "-".into(), significant);
    for (k, candidate) in tuning.candidates.iter().enumerate() {
        let mut row = variant::cells(&candidate.variant, parameters.len());
        row.extend([shown(candidate.spread), shown(candidate.largest_difference)]);
        let words = [
            (!candidate.variant.is_fitted(), "not fitted"),
            (candidate.agrees, "agrees"),
            (k == tuning.default, "default"),
            (k == tuning.chosen, "chosen"),
        ];
        let words: Vec<&str> = words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect();
        row.push(words.join(", "));
        table.row(row);
    }
    table
}

//! A choice among models of growing size.

use steinbound::inference::{Ranked, Selection};
use steinbound::text::{Document, Table, p_value, significant};

/// What was chosen and why, and the values of all candidates.
pub fn document(found: &Selection) -> Document {
    let document = Document::new().line(sentence(found)).gap().table(table(found));
    exclusions(found).into_iter().fold(document, |document, reason| document.gap().line(reason))
}

/// Why some candidates cannot be chosen.
pub fn exclusions(found: &Selection) -> Vec<String> {
    let reason = |candidate: &Ranked| Some(format!("{}: {}", candidate.label, candidate.excluded.as_ref()?));
    found.candidates.iter().filter_map(reason).collect()
}

/// What was chosen and why.
pub fn sentence(found: &Selection) -> String {
    format!("chosen: {}, {}", found.chosen, found.reason)
}

/// One row for each candidate.
pub fn table(found: &Selection) -> Table {
    let has_likelihood = found.candidates.iter().any(|candidate| candidate.information.is_some());
    let heads: &[&str] = match has_likelihood {
        true => &["log-likelihood", "AIC", "BIC"],
        false => &["p-value", "held out", "std. error"],
    };
    let mut table = Table::with_header(
        1,
        ["model", "parameters"].into_iter().chain(heads.iter().copied()).chain(["remark"]),
    );
    for (place, candidate) in found.candidates.iter().enumerate() {
        let mut cells = vec![candidate.label.clone(), candidate.parameter_count.to_string()];
        cells.extend(match has_likelihood {
            true => information(candidate),
            false => held_out(candidate),
        });
        cells.push(remark(candidate, place == found.place).into());
        table.row(cells);
    }
    table
}

fn information(candidate: &Ranked) -> [String; 3] {
    match candidate.information {
        Some(found) => [found.log_likelihood, found.aic, found.bic].map(criterion),
        None => ["-", "-", "-"].map(String::from),
    }
}

fn held_out(candidate: &Ranked) -> [String; 3] {
    let [squared, error] = match &candidate.held_out {
        Some(found) => [found.squared, found.std_error].map(significant),
        None => ["-", "-"].map(String::from),
    };
    [p_value(candidate.p_value), squared, error]
}

/// A criterion, whose differences count: to a tenth.
pub(super) fn criterion(value: f64) -> String {
    format!("{value:.1}")
}

fn remark(candidate: &Ranked, is_chosen: bool) -> &'static str {
    match (is_chosen, &candidate.excluded) {
        (true, _) => "chosen",
        (false, Some(_)) => "not usable",
        (false, None) if !candidate.is_sound => "doubtful",
        (false, None) => "",
    }
}

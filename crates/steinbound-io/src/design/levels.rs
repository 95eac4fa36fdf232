//! The levels of a category: which there are, and their order.

use std::collections::{BTreeSet, HashMap};

use crate::error::IoError;
use crate::formula::terms::Variable;
use crate::formula::{Coding, Formula};
use crate::frame::Frame;
use crate::names::{few, nearest, shown};

/// Whether the levels of a column are numbers: a column of numbers for the most part, such as codes of which some
/// have letters, has texts for levels.
pub(super) fn are_numbers(frame: &Frame, place: usize) -> bool {
    frame.is_numeric_at(place) && !matches!(frame.numbers_at(place), Err(IoError::NotANumber { .. }))
}

/// The levels of a column, row by row. Equal numbers are one level, however they are written.
fn labels(frame: &Frame, place: usize, are_numbers: bool) -> Result<Vec<String>, IoError> {
    if are_numbers {
        // Adding zero makes negative zero positive.
        return Ok(frame.numbers_at(place)?.iter().map(|value| (value + 0.0).to_string()).collect());
    }
    frame.texts_at(place)
}

/// The numbers of the levels in the rows of other data.
pub(super) fn codes(
    frame: &Frame,
    place: usize,
    (name, are_numbers, levels): (&str, bool, &[String]),
) -> Result<Vec<usize>, IoError> {
    let codes: HashMap<&str, usize> =
        levels.iter().enumerate().map(|(at, level)| (level.as_str(), at)).collect();
    let code = |(row, label): (usize, String)| {
        codes.get(label.as_str()).copied().ok_or_else(|| IoError::UnknownLevel {
            path: frame.path().to_string(),
            place: frame.place(row),
            column: shown(name),
            level: shown(&label),
            known: few(levels.iter().map(String::as_str)),
        })
    };
    labels(frame, place, are_numbers)?.into_iter().enumerate().map(code).collect()
}

/// The levels of a variable in their order, the base first.
pub(super) fn levels(
    formula: &Formula,
    frame: &Frame,
    variable: &Variable,
    coding: &Coding,
) -> Result<Vec<String>, IoError> {
    let place = variable.places[0];
    let labels = labels(frame, place, are_numbers(frame, place))?;
    let (name, rows, at) = (shown(&variable.label), labels.len(), variable.columns[0].at);
    let found: BTreeSet<String> = labels.into_iter().collect();
    if found.len() == 1 {
        let only = found.first().map(|level| shown(level)).unwrap_or_default();
        let reason = format!("{name} has only the level \"{only}\", which explains nothing; leave it out");
        return Err(formula.fail(at, reason));
    }
    if found.len() == rows {
        let reason =
            format!("{name} has another level in each of the {rows} rows, like an identifier; leave it out");
        return Err(formula.fail(at, reason));
    }
    let mut levels = in_order(found, frame.levels_at(place));
    let Some(base) = &coding.base else {
        return Ok(levels);
    };
    let wanted = base.name.trim();
    let same_number = |level: &&String| match (level.parse::<f64>(), wanted.parse::<f64>()) {
        (Ok(level), Ok(wanted)) => level == wanted,
        _ => false,
    };
    let known = levels.iter().find(|level| *level == wanted);
    let Some(first) = known.or_else(|| levels.iter().find(same_number)).cloned() else {
        let near = nearest(wanted, levels.iter().map(String::as_str)).map(shown).unwrap_or_default();
        let (base_name, known) = (shown(wanted), few(levels.iter().map(String::as_str)));
        let reason =
            format!("{name} has no level \"{base_name}\"; its levels are {known}; did you mean \"{near}\"?");
        return Err(formula.fail(base.at, reason));
    };
    levels.retain(|level| *level != first);
    levels.insert(0, first);
    Ok(levels)
}

/// The order that the table gives, else that of numbers, else that of their bytes.
fn in_order(found: BTreeSet<String>, declared: Option<&[String]>) -> Vec<String> {
    let mut levels: Vec<String> = found.into_iter().collect();
    if let Some(declared) = declared {
        let place = |level: &String| declared.iter().position(|known| known == level);
        levels.sort_by_key(|level| place(level).unwrap_or(declared.len()));
        return levels;
    }
    let numbers: Option<Vec<f64>> = levels.iter().map(|level| level.parse().ok()).collect();
    let Some(numbers) = numbers else {
        return levels;
    };
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    order.into_iter().map(|at| levels[at].clone()).collect()
}

use std::collections::HashSet;

use thiserror::Error;

use super::{NESTING_LIMIT, TEXT_LIMIT};

/// A formula that cannot be parsed: the fault and its position.
///
/// The message has three lines: the reason, the formula, and a caret under the position.
///
/// ```
/// use steinbound::expression::Expression;
/// let error = Expression::parse("exp(-mu) + sigm", &["mu", "sigma"]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown name \"sigm\"; did you mean \"sigma\"?\n  exp(-mu) + sigm\n             ^",
/// );
/// assert_eq!(error.position(), 11);
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{fault}\n{}", excerpt(.text, *.position))]
pub struct ExpressionError {
    pub(super) text: String,
    pub(super) position: usize,
    pub(super) fault: Fault,
}

impl ExpressionError {
    /// The fault.
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// Its position, in characters from the beginning.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The formula, or its beginning if it is too long.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The possible faults of a formula.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The formula is empty.
    #[error("the formula is empty; write one such as x^2 - 1")]
    Empty,
    /// The formula is too long.
    #[error("the formula is longer than {TEXT_LIMIT} characters; shorten it")]
    TooLong,
    /// Parentheses, calls or signs are nested too deeply.
    #[error(
        "the formula is nested more than {NESTING_LIMIT} deep; write it with fewer parentheses and signs"
    )]
    TooDeep,
    /// There is no variable or constant of this name.
    #[error("unknown name \"{}\"; {hint}", shown(.name))]
    UnknownName {
        /// The name.
        name: String,
        /// The nearest name, or all of them.
        hint: String,
    },
    /// There is no function of this name.
    #[error("unknown function \"{}\"; {hint}", shown(.name))]
    UnknownFunction {
        /// The name.
        name: String,
        /// The nearest function, or all of them.
        hint: String,
    },
    /// A function without its argument.
    #[error("the function {name} needs its argument in parentheses; write {name}(..)")]
    BareFunction {
        /// The function.
        name: &'static str,
    },
    /// Too many or too few arguments of a function.
    #[error("{name} takes {expected}, not {found}")]
    WrongArguments {
        /// The function.
        name: &'static str,
        /// The number it takes, in words.
        expected: &'static str,
        /// The number given.
        found: usize,
    },
    /// A character that has no meaning here.
    #[error("unexpected \"{}\"; {hint}", shown(.found))]
    Unexpected {
        /// The text found.
        found: String,
        /// What to write.
        hint: &'static str,
    },
    /// The formula ends where a value should follow.
    #[error("the formula ends where a number, a name or a parenthesis should follow")]
    UnexpectedEnd,
    /// Two values without an operator between them.
    #[error("an operator is missing; write {left}*{right} to multiply")]
    MissingOperator {
        /// The end of the first value.
        left: String,
        /// The beginning of the second.
        right: String,
    },
    /// A parenthesis that is never closed.
    #[error("this parenthesis is never closed; add a )")]
    MissingParenthesis,
    /// A backtick that is never closed.
    #[error("this backtick is never closed; write the whole name between backticks")]
    MissingBacktick,
    /// A product or a function of variables where only sums of multiples are allowed.
    #[error("this is not linear in the parameters; use sums of numbers and of numbers times parameters")]
    NotLinear,
    /// An equation without variables.
    #[error("no parameter is left in this equation; write one such as a = 0 or a - 2*b = 1")]
    NoParameter,
    /// Not a number.
    #[error("\"{}\" is not a number; write it like 2, 0.5 or 1e-3", shown(.number))]
    BadNumber {
        /// The text found.
        number: String,
    },
}

/// The largest number of characters of a formula shown in a message.
const SHOWN: usize = 100;

/// The formula on one line, cut around the position, and a caret under it.
fn excerpt(text: &str, position: usize) -> String {
    let characters: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let position = position.min(characters.len());
    let start = if characters.len() <= SHOWN {
        0
    } else {
        position.saturating_sub(SHOWN / 2).min(characters.len() - SHOWN)
    };
    let end = characters.len().min(start + SHOWN);
    let before = if start > 0 { "..." } else { "" };
    let after = if end < characters.len() { "..." } else { "" };
    let part: String = characters[start..end].iter().collect();
    let indent = " ".repeat(before.len() + position - start);
    format!("  {before}{part}{after}\n  {indent}^")
}

/// Text in the form in which messages echo it: escaped, and cut to 60 characters.
pub(crate) fn shown(text: &str) -> String {
    let mut escaped: Vec<char> = text.chars().take(61).flat_map(char::escape_debug).collect();
    if escaped.len() > 60 {
        escaped.truncate(57);
        escaped.extend("...".chars());
    }
    escaped.into_iter().collect()
}

/// The suggestion for an unknown name: the nearest known one, or all of them.
pub(super) fn suggestion<'a>(typed: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    // For a longer name no similar one can be found, and the comparison would take long.
    let typed: Vec<char> = typed.to_lowercase().chars().take(100).collect();
    let measured = known.clone().map(|name| {
        let letters: Vec<char> = name.to_lowercase().chars().take(100).collect();
        (edit_distance(&typed, &letters), letters.len().max(typed.len()), name)
    });
    let near = measured.filter(|(distance, length, _)| 2 * distance <= *length);
    if let Some((.., name)) = near.min_by_key(|(distance, ..)| *distance) {
        return format!("did you mean \"{}\"?", shown(name));
    }
    // A name may be known twice, such as x1 of a column that has this name.
    let mut listed = HashSet::new();
    let distinct: Vec<&str> = known.filter(|name| listed.insert(*name)).collect();
    let mut names: Vec<String> = distinct.iter().take(12).map(|name| shown(name)).collect();
    match distinct.len() {
        0 => return "no names are known here; use numbers".to_string(),
        more if more > names.len() => names.push("..".to_string()),
        _ => {}
    }
    format!("the names are {}", names.join(", "))
}

/// The number of letters that must be inserted, removed or changed to turn one word into another.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distances_are_those_of_the_textbook() {
        let distance =
            |a: &str, b: &str| edit_distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("flaw", "lawn"), 2);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn long_formulas_are_cut_around_the_spot() {
        let text = format!("{}?{}", "1+".repeat(200), "+1".repeat(200));
        let shown = excerpt(&text, 400);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0].chars().count(), 2 + 3 + SHOWN + 3);
        let caret = lines[1].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[0].chars().nth(caret), Some('?'));
        assert_eq!(excerpt("a\n\tb?", 4), "  a  b?\n      ^");
    }
}

//! Names that are read verbatim, including brackets.

use super::token::is_name_part;

/// Names that a formula could not contain without backticks, for example `mean[x1]`, and that are recognised
/// anyway.
#[derive(Debug, Clone, Default)]
pub(super) struct Verbatim {
    is_on: bool,
    /// Longest first, so that `a:b` is not taken for `a`.
    names: Vec<Vec<char>>,
}

impl Verbatim {
    pub(super) fn new(names: &[impl AsRef<str>]) -> Verbatim {
        let mut names: Vec<Vec<char>> = names
            .iter()
            .map(|name| name.as_ref())
            .filter(|name| is_odd(name))
            .map(|n| n.chars().collect())
            .collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        Verbatim { is_on: true, names }
    }

    /// The length of the longest name that begins at this position.
    pub(super) fn length_at(&self, characters: &[char], start: usize) -> Option<usize> {
        let rest = characters.get(start..)?;
        let fits = |name: &&Vec<char>| {
            let ends_in_word = name.last().copied().is_some_and(is_name_part);
            let goes_on = rest.get(name.len()).copied().is_some_and(is_name_part);
            rest.starts_with(name) && !(ends_in_word && goes_on)
        };
        self.names.iter().find(fits).map(Vec::len)
    }

    /// The end of a word that begins a name with brackets, known or unknown: `mean[1][x2]`.
    pub(super) fn end_of_brackets(&self, characters: &[char], word_end: usize) -> usize {
        let mut end = word_end;
        while self.is_on && characters.get(end) == Some(&'[') {
            match characters[end..].iter().position(|c| *c == ']') {
                Some(length) => end += length + 1,
                None => return characters.len(),
            }
        }
        end
    }
}

/// Whether a name is neither a plain word, which needs no special treatment, nor text that reads as a number
/// or an operation.
fn is_odd(name: &str) -> bool {
    let is_plain = name.chars().all(is_name_part) && !name.starts_with(|c: char| c.is_numeric() || c == '.');
    let is_operation = name.starts_with(['+', '-', '*', '/', '^', ',', '=', ')', '`'])
        || name.starts_with(char::is_whitespace)
        || !name.contains(char::is_alphanumeric);
    !is_plain && !is_operation && name.parse::<f64>().is_err()
}

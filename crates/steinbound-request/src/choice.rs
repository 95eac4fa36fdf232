//! Values that are chosen by name.

use std::borrow::Cow;

use serde::Serialize;
use steinbound_io::names::{nearest, shown};
use thiserror::Error;

/// One of the values of a [`Choice`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Entry<T> {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// One line for help texts.
    pub meaning: &'static str,
    /// What it stands for.
    #[serde(skip)]
    pub value: T,
}

/// A list of values, each with its name and meaning. Help, documentation and checks of every face come from it.
///
/// ```
/// use steinbound_request::Choice;
/// let size = Choice::new("size").entry("small", 1, "for a look").entry("large", 100, "for results").alias(&["big"]);
/// assert_eq!(size.find("big"), Ok(100));
/// assert_eq!(
///     size.find("bigg").unwrap_err().to_string(),
///     "unknown size \"bigg\"; did you mean \"large\"? (one of small, large)"
/// );
/// ```
#[derive(Debug, Clone)]
pub struct Choice<T> {
    what: &'static str,
    entries: Vec<Entry<T>>,
    ignores_case: bool,
}

impl<T: Clone> Choice<T> {
    /// An empty list; messages call what is chosen by this word.
    pub fn new(what: &'static str) -> Choice<T> {
        Choice { what, entries: Vec::new(), ignores_case: false }
    }

    /// Adds a value.
    pub fn entry(mut self, name: &'static str, value: T, meaning: &'static str) -> Choice<T> {
        self.entries.push(Entry { name, aliases: &[], meaning, value });
        self
    }

    /// Gives the last value other names.
    pub fn alias(mut self, aliases: &'static [&'static str]) -> Choice<T> {
        if let Some(entry) = self.entries.last_mut() {
            entry.aliases = aliases;
        }
        self
    }

    /// Takes capitals for small letters.
    pub fn ignoring_case(mut self) -> Choice<T> {
        self.ignores_case = true;
        self
    }

    /// What is chosen.
    pub fn what(&self) -> &'static str {
        self.what
    }

    /// The values in order; the first is the default where there is one.
    pub fn entries(&self) -> &[Entry<T>] {
        &self.entries
    }

    /// The value of a name or alias.
    pub fn find(&self, typed: &str) -> Result<T, UnknownName> {
        self.entry_of(typed).map(|entry| entry.value.clone())
    }

    /// The entry of a name or alias.
    pub fn entry_of(&self, typed: &str) -> Result<&Entry<T>, UnknownName> {
        let wanted = if self.ignores_case { Cow::from(typed.to_lowercase()) } else { Cow::from(typed) };
        let is_meant = |entry: &&Entry<T>| entry.names().any(|name| name == wanted);
        self.entries.iter().find(is_meant).ok_or_else(|| self.refuse(typed))
    }

    /// The names without what they stand for.
    pub fn names(&self) -> Choice<()> {
        let entries = self.entries.iter().map(|entry| Entry {
            name: entry.name,
            aliases: entry.aliases,
            meaning: entry.meaning,
            value: (),
        });
        Choice { what: self.what, entries: entries.collect(), ignores_case: self.ignores_case }
    }

    /// The message for another name: the nearest, where aliases count as well.
    fn refuse(&self, typed: &str) -> UnknownName {
        let near = nearest(typed, self.entries.iter().flat_map(Entry::names));
        let near = self.entries.iter().find(|entry| entry.names().any(|name| Some(name) == near));
        UnknownName {
            what: self.what,
            typed: shown(typed),
            nearest: near.map_or("", |entry| entry.name),
            known: self.entries.iter().map(|entry| entry.name).collect(),
        }
    }
}

impl<T> Entry<T> {
    /// The name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<T> {
        [self.name].into_iter().chain(self.aliases.iter().copied())
    }
}

/// A name that is not in a list.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown {what} \"{typed}\"; did you mean \"{nearest}\"?{}", self.others())]
#[non_exhaustive]
pub struct UnknownName {
    /// What is chosen.
    pub what: &'static str,
    /// What was typed, escaped and cut.
    pub typed: String,
    /// The name nearest to it.
    pub nearest: &'static str,
    /// All names.
    pub known: Vec<&'static str>,
}

impl UnknownName {
    fn others(&self) -> String {
        match self.known.len() {
            0 | 1 => String::new(),
            _ => format!(" (one of {})", self.known.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_count_unless_they_are_ignored() {
        let strict = Choice::new("letter").entry("v", 1, "").entry("u", 2, "");
        assert!(strict.find("V").is_err());
        assert_eq!(strict.clone().ignoring_case().find("U"), Ok(2));
        assert_eq!(strict.names().entries().len(), 2);
    }
}

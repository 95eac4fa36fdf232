//! The arguments of a specification: `name=value` or values in order, with quotes and nested parentheses.

use crate::names::{shown, unknown};

/// The arguments between the parentheses: `name=value` or values in order.
pub(crate) struct Arguments {
    example: &'static str,
    given: Vec<(Option<String>, String)>,
    used: Vec<String>,
}

impl Arguments {
    /// Parses a text; messages show the example.
    pub(crate) fn parse(inner: &str, example: &'static str) -> Result<Arguments, String> {
        let mut given: Vec<(Option<String>, String)> = Vec::new();
        for part in
            split(inner, ',', usize::MAX).map_err(|reason| format!("{reason}; write it as {example}"))?
        {
            let part = part.trim();
            if part.is_empty() {
                continue;
            }
            let (name, value) = match split(part, '=', 2)?.as_slice() {
                [name, value] => (Some(name.trim().to_lowercase()), value.trim()),
                _ => (None, part),
            };
            if name.is_some() && given.iter().any(|(other, _)| *other == name) {
                return Err(format!("{} is given twice", shown(name.as_deref().unwrap_or_default())));
            }
            given.push((name, value.to_string()));
        }
        Ok(Arguments { example, given, used: Vec::new() })
    }

    /// The argument with this name, or the unnamed argument at this position.
    pub(crate) fn take(&mut self, name: &str, place: usize) -> Option<String> {
        self.used.push(name.to_string());
        let named = self.given.iter().find(|(given, _)| given.as_deref() == Some(name));
        let placed = self.given.get(place).filter(|(given, _)| given.is_none());
        named.or(placed).map(|(_, value)| value.clone())
    }

    /// Text that may be quoted, for example a formula or a file name.
    pub(crate) fn required_text(&mut self, name: &str, place: usize) -> Result<String, String> {
        let text = self.required_raw(name, place)?;
        let unquoted = ['"', '\'']
            .into_iter()
            .find_map(|quote| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)));
        Ok(unquoted.unwrap_or(&text).to_string())
    }

    /// A value as it was written.
    pub(crate) fn required_raw(&mut self, name: &str, place: usize) -> Result<String, String> {
        self.take(name, place).ok_or_else(|| format!("{name} is missing; write it as {}", self.example))
    }

    /// All values; none may have a name.
    pub(crate) fn all_values(&mut self) -> Result<Vec<String>, String> {
        if let Some((Some(name), _)) = self.given.iter().find(|(name, _)| name.is_some()) {
            return Err(format!("\"{}\" has no place here; write it as {}", shown(name), self.example));
        }
        self.used.extend(self.given.iter().map(|_| String::new()));
        Ok(self.given.iter().map(|(_, value)| value.clone()).collect())
    }

    /// A text as one number.
    pub(crate) fn number(&self, name: &str, text: &str) -> Result<f64, String> {
        match self.list(name, text)?.as_slice() {
            [value] => Ok(*value),
            _ => Err(format!("{name} is a single number; write it as {}", self.example)),
        }
    }

    /// A text as numbers separated by colons.
    pub(crate) fn list(&self, name: &str, text: &str) -> Result<Vec<f64>, String> {
        let number = |part: &str| match part.trim().parse::<f64>() {
            Ok(value) if !value.is_nan() => Ok(value),
            _ => Err(format!(
                "{name}: \"{}\" is not a number (coordinates are separated by colons); write it as {}",
                shown(part),
                self.example
            )),
        };
        text.split(':').map(number).collect()
    }

    /// Rejects arguments that were not used.
    pub(crate) fn expect_all_used(&self) -> Result<(), String> {
        for (at, (name, value)) in self.given.iter().enumerate() {
            let by_name =
                |wanted: &String| self.given.iter().any(|(given, _)| given.as_ref() == Some(wanted));
            match name {
                None if self.used.get(at).is_some_and(by_name) => {
                    return Err(format!("{} is given twice; write it as {}", self.used[at], self.example));
                }
                Some(name) if !self.used.contains(name) => {
                    let known: Vec<&str> = self.used.iter().map(String::as_str).collect();
                    return Err(unknown("argument", name, &known));
                }
                None if at >= self.used.len() => {
                    return Err(format!(
                        "\"{}\" is one value too many; write it as {}",
                        shown(value),
                        self.example
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Splits a text at each separator outside quotes and parentheses, into at most `most` parts.
fn split(text: &str, separator: char, most: usize) -> Result<Vec<&str>, String> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut depth = 0usize;
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.checked_sub(1).ok_or("a ) has no ( before it")?,
            (None, _) if character == separator && depth == 0 && parts.len() + 1 < most => {
                parts.push(&text[start..at]);
                start = at + character.len_utf8();
            }
            _ => {}
        }
    }
    if let Some(open) = quote {
        return Err(format!("the quote {open} is never closed"));
    }
    if depth > 0 {
        return Err("a ( is never closed".to_string());
    }
    parts.push(&text[start..]);
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_count_only_outside_quotes_and_parentheses() {
        let parts = |text| split(text, ',', usize::MAX).unwrap();
        assert_eq!(parts("a, b(c, d), \"e, )f\", 'g,\"h'"), ["a", " b(c, d)", " \"e, )f\"", " 'g,\"h'"]);
        assert_eq!(parts(""), [""]);
        assert_eq!(split("a=b=c", '=', 2).unwrap(), ["a", "b=c"]);
        assert_eq!(split("ball(radius=2)", '=', 2).unwrap(), ["ball(radius=2)"]);
        assert!(
            split("a(b", ',', 9).is_err() && split("a)b", ',', 9).is_err() && split("'a", ',', 9).is_err()
        );
    }

    #[test]
    fn quotes_are_taken_off_in_pairs() {
        for (text, inner) in [("\"a, (b\"", "a, (b"), ("'a\"b'", "a\"b"), ("a b", "a b"), ("name='x'", "x")] {
            let mut arguments = Arguments::parse(text, "form").unwrap();
            assert_eq!(arguments.required_text("name", 0).unwrap(), inner);
            assert_eq!(arguments.expect_all_used(), Ok(()));
        }
    }
}

//! Names typed by users: the nearest valid one, and text that is safe to echo.

pub use steinbound::text::echoed as shown;

/// The candidate nearest to the typed name: one that it abbreviates, else the one with the fewest letters
/// changed.
///
/// ```
/// use steinbound_io::names::nearest;
/// assert_eq!(nearest("bal", ["ball", "box"]), Some("ball"));
/// assert_eq!(nearest("diag", ["full", "diagonal"]), Some("diagonal"));
/// ```
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let distance = |name: &&str| {
        let name = name.to_lowercase();
        let is_short = !typed.is_empty() && name.starts_with(&typed);
        (!is_short, strsim::damerau_levenshtein(&typed, &name))
    };
    candidates.into_iter().min_by_key(distance)
}

/// The message for an unknown name: the nearest valid one, and all of them.
///
/// ```
/// use steinbound_io::names::unknown;
/// assert_eq!(unknown("model", "gausian", &["gaussian"]), "unknown model \"gausian\"; did you mean \"gaussian\"?");
/// ```
pub fn unknown(what: &str, typed: &str, candidates: &[&str]) -> String {
    let nearest = nearest(typed, candidates.iter().copied()).unwrap_or_default();
    let mut message = format!("unknown {what} \"{}\"; did you mean \"{nearest}\"?", shown(typed));
    if candidates.len() > 1 {
        message.push_str(&format!(" (one of {})", candidates.join(", ")));
    }
    message
}

/// A choice among named values; the message for an unknown name gives the nearest.
///
/// ```
/// use steinbound_io::names::choose;
/// assert_eq!(choose("number", "two", &[("one", 1), ("two", 2)]), Ok(2));
/// assert!(choose("number", "tow", &[("one", 1), ("two", 2)]).unwrap_err().contains("did you mean \"two\""));
/// ```
pub fn choose<T: Clone>(what: &str, typed: &str, choices: &[(&str, T)]) -> Result<T, String> {
    match choices.iter().find(|(name, _)| *name == typed) {
        Some((_, value)) => Ok(value.clone()),
        None => {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            Err(unknown(what, typed, &names))
        }
    }
}

/// The first dozen names, and the number of the others.
///
/// ```
/// use steinbound_io::names::few;
/// assert_eq!(few(["a", "b"]), "a, b");
/// assert!(few(["a"; 20]).ends_with("a, and 8 more"));
/// ```
pub fn few<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 12;
    let mut names = names.into_iter();
    let mut list: Vec<String> = names.by_ref().take(MOST).map(shown).collect();
    let more = names.count();
    if more > 0 {
        list.push(format!("and {more} more"));
    }
    list.join(", ")
}

/// The line of text around a position, and the distance of the position from its beginning, for a caret
/// below.
///
/// Long lines are cut to about 60 characters; characters that would move the cursor are escaped.
pub(crate) fn pointed(text: &str, at: usize) -> (String, usize) {
    const BEFORE: usize = 40;
    const ALL: usize = 60;
    let escape = |c: char| match c {
        '"' | '\'' => vec![c],
        _ => c.escape_debug().collect(),
    };
    let mut line: Vec<char> = text.chars().flat_map(escape).collect();
    let mut column = text.get(..at).unwrap_or(text).chars().flat_map(escape).count();
    if line.len() > ALL && column > BEFORE {
        let cut = column - BEFORE;
        line.splice(..cut, "...".chars());
        column = BEFORE + 3;
    }
    if line.len() > ALL {
        line.splice(ALL - 3.., "...".chars());
    }
    (line.into_iter().collect(), column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_below_its_place() {
        assert_eq!(pointed("y ~ \tx", 5), ("y ~ \\tx".to_string(), 6));
        for at in 0..=200 {
            let text: String = (0..200).map(|i| char::from(b'a' + (i % 26) as u8)).collect();
            let (line, column) = pointed(&text, at);
            assert!(line.chars().count() <= 60 && column <= 60, "{at}: {line}");
            let below = line.chars().nth(column);
            assert!(below == text.chars().nth(at), "{at}: {below:?} in {line}");
        }
    }
}

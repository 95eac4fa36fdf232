//! Names that people type: the nearest valid one, and text that is safe to echo.

/// The candidate nearest to what was typed.
///
/// ```
/// use steinbound_io::names::nearest;
/// assert_eq!(nearest("bal", ["ball", "box"]), Some("ball"));
/// ```
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let distance = |name: &&str| strsim::damerau_levenshtein(&typed, &name.to_lowercase());
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

/// Names as a message lists them: the first twelve, and how many more there are.
pub(crate) fn listed(names: &[String]) -> String {
    const MOST: usize = 12;
    let mut list: Vec<String> = names.iter().take(MOST).map(|name| shown(name)).collect();
    if names.len() > MOST {
        list.push(format!("and {} more", names.len() - MOST));
    }
    list.join(", ")
}

/// Text as it may be echoed: escaped, and cut to 60 characters.
///
/// ```
/// use steinbound_io::names::shown;
/// assert_eq!(shown("a\u{1b}[31m"), "a\\u{1b}[31m");
/// assert_eq!(shown(&"x".repeat(100)).chars().count(), 60);
/// ```
pub fn shown(text: &str) -> String {
    let escaped: String = text.chars().take(61).flat_map(char::escape_debug).collect();
    if text.chars().count() <= 60 && escaped.chars().count() <= 60 {
        return escaped;
    }
    escaped.chars().take(57).chain("...".chars()).collect()
}

//! The article of a name.

/// A name with its indefinite article, by its first letter.
///
/// ```
/// use steinbound::text::with_article;
/// assert_eq!([with_article("gaussian"), with_article("exponential")], ["a gaussian", "an exponential"]);
/// ```
pub fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {name}")
}

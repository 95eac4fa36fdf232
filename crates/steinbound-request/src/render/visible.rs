//! Characters that cannot be seen, or that a reader would act upon, as escape sequences.

use std::borrow::Cow;

/// Text in which every character can be seen: others are written as `\n`, `\x1b`, `\u200b` or `\U000e0001`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for letter in text.chars() {
        match (is_printable(letter), letter, u32::from(letter)) {
            (true, ..) => shown.push(letter),
            (_, '\t' | '\n' | '\r', _) => shown.extend(letter.escape_default()),
            (.., code @ ..=0xff) => shown.push_str(&format!("\\x{code:02x}")),
            (.., code @ ..=0xffff) => shown.push_str(&format!("\\u{code:04x}")),
            (.., code) => shown.push_str(&format!("\\U{code:08x}")),
        }
    }
    Cow::Owned(shown)
}

/// Letters, marks, numbers, punctuation, symbols and the blank.
fn is_printable(letter: char) -> bool {
    if letter.is_ascii() {
        return !letter.is_ascii_control();
    }
    // Of a string, debug output escapes the characters without a glyph; an accent is escaped only at its
    // beginning.
    let text: String = ['x', letter].into_iter().collect();
    text.escape_debug().last() == Some(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_be_seen_is_escaped() {
        assert_eq!(visible("Zu\u{308}rich \u{6771} 'a' \\ {b}"), "Zu\u{308}rich \u{6771} 'a' \\ {b}");
        assert_eq!(visible("\u{1b}[31m\t\r\n\0"), r"\x1b[31m\t\r\n\x00");
        assert_eq!(
            visible("\u{7f}\u{a0}\u{ad}\u{200b}\u{2028}\u{e0001}"),
            r"\x7f\xa0\xad\u200b\u2028\U000e0001"
        );
    }
}

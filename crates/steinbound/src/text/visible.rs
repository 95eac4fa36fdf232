//! Characters that cannot be seen, or that a reader would act upon, as escape sequences.

use std::borrow::Cow;

/// Text in which every character can be seen: others are written as `\n`, `\x1b`, `\u200b` or `\U000e0001`.
///
/// Every renderer shows names of columns, levels, files and features through it, so that none can act on a
/// terminal, reverse what stands beside it, or look like another.
///
/// ```
/// use steinbound::text::visible;
/// assert_eq!(visible("pay\u{202e}roll"), "pay\\u202eroll");
/// ```
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

/// Text as it may be echoed: escaped, and cut to 60 characters.
///
/// ```
/// use steinbound::text::echoed;
/// assert_eq!(echoed("a\u{1b}[31m"), "a\\u{1b}[31m");
/// assert_eq!(echoed(&"x".repeat(100)).chars().count(), 60);
/// ```
pub fn echoed(text: &str) -> String {
    let escaped: String = text.chars().take(61).flat_map(char::escape_debug).collect();
    if text.chars().count() <= 60 && escaped.chars().count() <= 60 {
        return escaped;
    }
    escaped.chars().take(57).chain("...".chars()).collect()
}

/// Letters and marks that have no shape of their own: fillers of Hangul, vowels of Khmer that are not written,
/// selectors of variants, and the joiner of graphemes.
const BLANKS: [std::ops::RangeInclusive<char>; 9] = [
    '\u{34f}'..='\u{34f}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
];

/// Letters, marks, numbers, punctuation, symbols and the blank.
fn is_printable(letter: char) -> bool {
    if letter.is_ascii() {
        return !letter.is_ascii_control();
    }
    if BLANKS.iter().any(|range| range.contains(&letter)) {
        return false;
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

    /// Unicode's default ignorable characters, and those that change the direction of text.
    #[test]
    fn nothing_hides_or_turns_text_around() {
        let ranges = [
            (0x00, 0x1f),
            (0x7f, 0x9f),
            (0xad, 0xad),
            (0x34f, 0x34f),
            (0x61c, 0x61c),
            (0x115f, 0x1160),
            (0x17b4, 0x17b5),
            (0x180b, 0x180f),
            (0x200b, 0x200f),
            (0x2028, 0x202e),
            (0x2060, 0x206f),
            (0x3164, 0x3164),
            (0xe000, 0xe001),
            (0xfe00, 0xfe0f),
            (0xfeff, 0xfeff),
            (0xffa0, 0xffa0),
            (0xfff0, 0xfffb),
            (0x1bca0, 0x1bca3),
            (0x1d173, 0x1d17a),
            (0xe0000, 0xe0fff),
        ];
        for code in ranges.into_iter().flat_map(|(first, last)| first..=last) {
            let letter = char::from_u32(code).unwrap();
            let shown = visible(&format!("a{letter}b")).into_owned();
            assert!(shown.is_ascii() && shown.contains('\\'), "{code:x}: {shown}");
        }
        // Scripts that are written from right to left stay as they are.
        assert_eq!(visible("\u{645}\u{631} \u{5d1}\u{5d9}"), "\u{645}\u{631} \u{5d1}\u{5d9}");
    }
}

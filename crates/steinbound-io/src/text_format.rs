//! [`TextFormat`]: the layout of a table of text.

use std::str::FromStr;

use crate::names::shown;

/// The layout of a table of text; by default it is detected from the text.
///
/// ```
/// use steinbound_io::{Header, TextFormat};
/// let format = TextFormat { separator: "semicolon".parse()?, decimal_comma: true, header: Header::Yes };
/// assert_ne!(format, TextFormat::default());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextFormat {
    /// The separator of values.
    pub separator: Separator,
    /// Whether `1,5` means one and a half.
    pub decimal_comma: bool,
    /// Whether the first row is a header.
    pub header: Header,
}

/// The separator of the values in a row.
///
/// ```
/// use steinbound_io::Separator;
/// assert_eq!("tab".parse(), Ok(Separator::Character(b'\t')));
/// assert_eq!("/".parse(), Ok(Separator::Character(b'/')));
/// assert!("7".parse::<Separator>().is_err());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Separator {
    /// Comma, semicolon, tab or bar, according to the first lines.
    #[default]
    Auto,
    /// One character.
    Character(u8),
    /// Runs of blanks.
    Blanks,
}

impl FromStr for Separator {
    type Err = String;

    fn from_str(text: &str) -> Result<Separator, String> {
        Ok(match text {
            "auto" => Separator::Auto,
            "comma" => Separator::Character(b','),
            "semicolon" => Separator::Character(b';'),
            "tab" | "\\t" => Separator::Character(b'\t'),
            "pipe" => Separator::Character(b'|'),
            "space" | " " => Separator::Blanks,
            other => match other.as_bytes() {
                // Characters used in numbers and quoted fields cannot be separators.
                [byte]
                    if byte.is_ascii_punctuation() && !b"\"'.+-".contains(byte)
                        || matches!(byte, b'\t' | 1 | 0x1e | 0x1f) =>
                {
                    Separator::Character(*byte)
                }
                _ => {
                    return Err(format!(
                        "\"{}\" is no separator; give auto, comma, semicolon, tab, pipe, space, or one ASCII character \
                         that is not part of a number and not a quote",
                        shown(other)
                    ));
                }
            },
        })
    }
}

/// Whether the first row of a table is a header.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Header {
    /// It is unless it is all numbers.
    #[default]
    Auto,
    /// It is.
    Yes,
    /// It is data.
    No,
}

//! The bundled font, and the width of text in it.

use std::sync::OnceLock;

use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider};
use steinbound::text::visible;

/// Family name inside the font files.
pub(crate) const FAMILY: &str = "Roboto";
/// The font families of an SVG: the bundled font, or similar ones.
pub(crate) const FAMILIES: &str = "Roboto, Helvetica, Arial, sans-serif";
pub(crate) static REGULAR: &[u8] = include_bytes!("../fonts/Roboto-Regular.ttf");
pub(crate) static BOLD: &[u8] = include_bytes!("../fonts/Roboto-Bold.ttf");

/// Sizes of text in CSS pixels.
pub(crate) const TICK_SIZE: f64 = 11.0;
pub(crate) const LABEL_SIZE: f64 = 12.0;
/// The distance between baselines, in units of the text size.
pub(crate) const LEADING: f64 = 1.22;
/// Half the height of a digit, in units of the text size: centres text on a point.
pub(crate) const HALF_DIGIT: f64 = 0.355;

/// The width assumed for a character that the font lacks, in units of the text size.
const UNKNOWN_ADVANCE: f64 = 0.6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

struct Ruler {
    characters: Charmap<'static>,
    glyphs: GlyphMetrics<'static>,
}

/// Advances are measured at 1000 pixels to the em and scaled.
const EM: f32 = 1000.0;

fn ruler(weight: Weight) -> Option<&'static Ruler> {
    static RULERS: OnceLock<[Option<Ruler>; 2]> = OnceLock::new();
    let rulers = RULERS.get_or_init(|| {
        [REGULAR, BOLD].map(|bytes| {
            let font = FontRef::new(bytes).ok()?;
            let glyphs = font.glyph_metrics(Size::new(EM), LocationRef::default());
            Some(Ruler { characters: font.charmap(), glyphs })
        })
    });
    rulers[weight as usize].as_ref()
}

/// Width of one line of text in pixels, without kerning, which only narrows it.
pub(crate) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let advance = |character: char| {
        let ruler = ruler(weight)?;
        ruler.glyphs.advance_width(ruler.characters.map(character)?).map(|advance| f64::from(advance / EM))
    };
    size * visible(text).chars().map(|character| advance(character).unwrap_or(UNKNOWN_ADVANCE)).sum::<f64>()
}

/// Breaks text between words into lines no wider than `room`; a longer word gets a line of its own.
pub(crate) fn wrap(text: &str, room: f64, size: f64, weight: Weight) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size, weight) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// The most lines of a label.
const MOST_LINES: usize = 2;

/// How much wider than the bundled font a similar one may be, where it is used instead.
const WIDER: f64 = 1.08;

/// A label in as many lines as it needs, two at most, each no wider than `room`.
pub(crate) fn lines(label: &str, room: f64, size: f64, weight: Weight) -> Vec<String> {
    let room = room / WIDER;
    let mut lines = wrap(label, room, size, weight);
    if lines.len() > MOST_LINES {
        let rest = lines.split_off(MOST_LINES - 1).join(" ");
        lines.push(rest);
    }
    lines.iter().map(|line| shorten(line, room, size, weight)).filter(|line| !line.is_empty()).collect()
}

/// The text, or the longest beginning of it that fits `room` with an ellipsis.
pub(crate) fn shorten(text: &str, room: f64, size: f64, weight: Weight) -> String {
    if width(text, size, weight) <= room {
        return text.to_string();
    }
    let mut left = room - width("…", size, weight);
    let text = visible(text);
    let fits = |character: &char| {
        left -= width(character.encode_utf8(&mut [0; 4]), size, weight);
        left >= 0.0
    };
    let kept: String = text.chars().take_while(fits).collect();
    if kept.is_empty() { String::new() } else { format!("{}…", kept.trim_end()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_the_advances_of_the_font() {
        // Advances of Roboto 2.138 in units of 1/2048 em, read with fonttools.
        for (text, weight, advance) in REFERENCE {
            let expected = f64::from(*advance) / 2048.0 * 12.0;
            assert!((width(text, 12.0, *weight) - expected).abs() < 1e-3, "{text}");
        }
    }

    const REFERENCE: &[(&str, Weight, u32)] = &[
        ("0", Weight::Regular, 1151),
        ("TKSD", Weight::Regular, 5067),
        ("−1.5", Weight::Regular, 4013),
        ("θ", Weight::Regular, 1167),
        ("10⁻³", Weight::Regular, 3813),
        ("squared error", Weight::Bold, 12485),
    ];

    #[test]
    fn the_font_has_the_signs_of_statistics() {
        let ruler = ruler(Weight::Regular).expect("the font is bundled");
        for sign in "−×·≤≥±–—‖²³₀₁₂…√∞ℓαβεθλμπσψω⁻⁰¹⁴⁵⁶⁷⁸⁹".chars()
        {
            assert!(ruler.characters.map(sign).is_some(), "{sign}");
        }
    }

    #[test]
    fn lines_keep_to_their_room_and_all_words() {
        let text = "squared error of the mean in standard errors of the paper";
        let lines = wrap(text, 100.0, 12.0, Weight::Regular);
        assert!(lines.len() > 2 && lines.iter().all(|line| width(line, 12.0, Weight::Regular) <= 100.0));
        assert_eq!(lines.join(" "), text);
        assert!(wrap("  ", 10.0, 12.0, Weight::Regular).is_empty());
    }

    #[test]
    fn labels_have_two_lines_that_fit() {
        let fits = |line: &String| width(line, 12.0, Weight::Bold) <= 100.0;
        let long = lines(
            "one label of many words and averyveryverylongwordthatdoesnotfit",
            100.0,
            12.0,
            Weight::Bold,
        );
        assert!(long.len() == 2 && long.iter().all(fits) && long[1].ends_with('…'), "{long:?}");
        assert_eq!(lines("km to the east", 100.0, 12.0, Weight::Bold), ["km to the east"]);
        assert!(lines("", 100.0, 12.0, Weight::Bold).is_empty());
    }

    #[test]
    fn shortened_text_fits_and_ends_in_an_ellipsis() {
        let short = shorten("truncated maximum likelihood", 80.0, 12.0, Weight::Regular);
        assert!(short.ends_with('…') && width(&short, 12.0, Weight::Regular) <= 80.0);
        assert_eq!(shorten("TKSD", 80.0, 12.0, Weight::Regular), "TKSD");
        assert_eq!(shorten("TKSD", 0.0, 12.0, Weight::Regular), "");
    }
}

//! Colours, markers and strokes.

/// A screen colour: red, green and blue from 0 to 255.
///
/// The constants are the palette of Okabe and Ito, which readers with any kind of colour vision can
/// distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Color {
    pub(crate) red: u8,
    pub(crate) green: u8,
    pub(crate) blue: u8,
}

impl Color {
    /// Blue, `#0072B2`.
    pub const BLUE: Color = Color::rgb(0x00, 0x72, 0xB2);
    /// Vermillion, `#D55E00`.
    pub const VERMILLION: Color = Color::rgb(0xD5, 0x5E, 0x00);
    /// Bluish green, `#009E73`.
    pub const GREEN: Color = Color::rgb(0x00, 0x9E, 0x73);
    /// Orange, `#E69F00`.
    pub const ORANGE: Color = Color::rgb(0xE6, 0x9F, 0x00);
    /// Sky blue, `#56B4E9`.
    pub const SKY: Color = Color::rgb(0x56, 0xB4, 0xE9);
    /// Reddish purple, `#CC79A7`.
    pub const PURPLE: Color = Color::rgb(0xCC, 0x79, 0xA7);
    /// Yellow, `#F0E442`.
    pub const YELLOW: Color = Color::rgb(0xF0, 0xE4, 0x42);
    /// Black.
    pub const BLACK: Color = Color::rgb(0, 0, 0);
    /// A grey for the background.
    pub const GREY: Color = Color::rgb(0x80, 0x80, 0x80);
    /// A light grey for areas.
    pub const LIGHT_GREY: Color = Color::rgb(0xD9, 0xD9, 0xD9);
    /// White.
    pub const WHITE: Color = Color::rgb(255, 255, 255);

    /// Seven colours for seven series, in the order to use them.
    pub const PALETTE: [Color; 7] = [
        Color::BLUE,
        Color::VERMILLION,
        Color::GREEN,
        Color::ORANGE,
        Color::PURPLE,
        Color::SKY,
        Color::BLACK,
    ];

    /// A colour from its components.
    pub const fn rgb(red: u8, green: u8, blue: u8) -> Color {
        Color { red, green, blue }
    }

    /// The colour in SVG notation.
    ///
    /// ```
    /// assert_eq!(steinbound_plot::Color::BLUE.hex(), "#0072b2");
    /// ```
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }

    /// The colour a fraction of the way to another.
    pub(crate) fn towards(self, other: Color, part: f64) -> Color {
        let mix =
            |from: u8, to: u8| (f64::from(from) + part * (f64::from(to) - f64::from(from))).round() as u8;
        Color::rgb(mix(self.red, other.red), mix(self.green, other.green), mix(self.blue, other.blue))
    }

    /// Relative luminance as in the Web Content Accessibility Guidelines, 0 (black) to 1 (white).
    pub(crate) fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.red) + 0.7152 * linear(self.green) + 0.0722 * linear(self.blue)
    }

    /// Black or white, whichever is more readable on this colour.
    pub(crate) fn ink(self) -> Color {
        // The two contrasts, (L + 0.05) / 0.05 and 1.05 / (L + 0.05), are equal at L = 0.179.
        if self.luminance() > 0.179 { Color::BLACK } else { Color::WHITE }
    }
}

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// Two strokes, ×.
    Cross,
    /// Two strokes, +.
    Plus,
    /// A triangle that points down.
    Down,
}

/// The dash pattern of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dash {
    Solid,
    Dashed,
    Dotted,
}

/// The look of a mark: colour, stroke and marker.
///
/// ```
/// use steinbound_plot::{Color, Marker, Style};
///
/// let truth = Style::new(Color::BLACK).dashed().width(1.0);
/// let tksd = Style::new(Color::BLUE).marker(Marker::Circle).hollow();
/// assert_ne!(truth, tksd);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Style {
    pub(crate) color: Color,
    pub(crate) marker: Option<Marker>,
    pub(crate) hollow: bool,
    pub(crate) dash: Dash,
    pub(crate) width: f64,
    pub(crate) size: f64,
    pub(crate) opacity: f64,
}

impl Style {
    /// A solid line of 1.6 pixels without markers.
    pub fn new(color: Color) -> Style {
        Style { color, marker: None, hollow: false, dash: Dash::Solid, width: 1.6, size: 3.5, opacity: 1.0 }
    }

    /// Draws this marker at every point.
    pub fn marker(mut self, marker: Marker) -> Style {
        self.marker = Some(marker);
        self
    }

    /// Leaves the markers white inside.
    pub fn hollow(mut self) -> Style {
        self.hollow = true;
        self
    }

    /// Breaks the line into dashes.
    pub fn dashed(mut self) -> Style {
        self.dash = Dash::Dashed;
        self
    }

    /// Breaks the line into dots.
    pub fn dotted(mut self) -> Style {
        self.dash = Dash::Dotted;
        self
    }

    /// Width of the stroke in pixels, 0 to 50; 0 draws none.
    pub fn width(mut self, width: f64) -> Style {
        self.width = within(width, 0.0, 50.0, self.width);
        self
    }

    /// Half the height of a marker in pixels, 0 to 100.
    pub fn size(mut self, size: f64) -> Style {
        self.size = within(size, 0.0, 100.0, self.size);
        self
    }

    /// From 0 (invisible) to 1 (opaque).
    pub fn opacity(mut self, opacity: f64) -> Style {
        self.opacity = within(opacity, 0.0, 1.0, self.opacity);
        self
    }

    /// The dash array of SVG, in proportion to the width so that thick lines stay dashed.
    pub(crate) fn dashes(&self) -> Option<String> {
        let unit = self.width.max(1.0);
        let lengths = |on: f64, off: f64| {
            Some(format!("{} {}", crate::svg::number(on * unit), crate::svg::number(off * unit)))
        };
        match self.dash {
            Dash::Solid => None,
            Dash::Dashed => lengths(4.0, 2.5),
            Dash::Dotted => lengths(1.0, 2.0),
        }
    }
}

/// The value clamped between two limits, or the previous value if it is not a number.
fn within(value: f64, low: f64, high: f64, before: f64) -> f64 {
    if value.is_nan() { before } else { value.clamp(low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ink_has_the_higher_contrast() {
        for red in (0..=255).step_by(15) {
            for green in (0..=255).step_by(15) {
                let ground = Color::rgb(red as u8, green as u8, 90);
                let contrast = |ink: Color| {
                    let (one, other) = (ink.luminance() + 0.05, ground.luminance() + 0.05);
                    one.max(other) / one.min(other)
                };
                let best = contrast(Color::BLACK).max(contrast(Color::WHITE));
                assert!(contrast(ground.ink()) > 0.99 * best, "{}", ground.hex());
            }
        }
    }

    #[test]
    fn settings_stay_within_limits() {
        let style = Style::new(Color::BLUE).width(-1.0).size(f64::NAN).opacity(7.0);
        assert_eq!((style.width, style.size, style.opacity), (0.0, 3.5, 1.0));
    }
}

//! Numbers to colours.

use crate::scale::drawable;
use crate::style::Color;

/// Viridis at ten equal steps: lightness increases steadily, so that it is readable in grey print and with
/// any colour vision.
const SEQUENTIAL: [Color; 10] = [
    Color::rgb(0x44, 0x01, 0x54),
    Color::rgb(0x48, 0x28, 0x78),
    Color::rgb(0x3E, 0x4A, 0x89),
    Color::rgb(0x31, 0x68, 0x8E),
    Color::rgb(0x26, 0x82, 0x8E),
    Color::rgb(0x1F, 0x9E, 0x89),
    Color::rgb(0x35, 0xB7, 0x79),
    Color::rgb(0x6D, 0xCD, 0x59),
    Color::rgb(0xB4, 0xDE, 0x2C),
    Color::rgb(0xFD, 0xE7, 0x25),
];

/// ColorBrewer's red-white-blue, from blue (negative) to red.
const DIVERGING: [Color; 11] = [
    Color::rgb(0x05, 0x30, 0x61),
    Color::rgb(0x21, 0x66, 0xAC),
    Color::rgb(0x43, 0x93, 0xC3),
    Color::rgb(0x92, 0xC5, 0xDE),
    Color::rgb(0xD1, 0xE5, 0xF0),
    Color::rgb(0xF7, 0xF7, 0xF7),
    Color::rgb(0xFD, 0xDB, 0xC7),
    Color::rgb(0xF4, 0xA5, 0x82),
    Color::rgb(0xD6, 0x60, 0x4D),
    Color::rgb(0xB2, 0x18, 0x2B),
    Color::rgb(0x67, 0x00, 0x1F),
];

/// The colours of numbers. Numbers outside the limits take the colour of the nearer limit; NaN has none.
///
/// ```
/// use steinbound_plot::ColorScale;
///
/// let scale = ColorScale::diverging(2.0);
/// assert_eq!(scale.color(0.0), scale.color(-0.0));
/// assert_eq!(scale.color(9.0), scale.color(2.0));
/// assert_eq!(scale.color(f64::NAN), None);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ColorScale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) log: bool,
    colors: &'static [Color],
}

impl ColorScale {
    /// Dark to light from `low` to `high`.
    pub fn sequential(low: f64, high: f64) -> ColorScale {
        let (low, high) = ordered(low, high);
        ColorScale { low, high, log: false, colors: &SEQUENTIAL }
    }

    /// Dark to light by the logarithm; numbers that are not positive have no colour.
    pub fn sequential_log(low: f64, high: f64) -> ColorScale {
        let (low, high) = ordered(low, high);
        let high = if high > 0.0 { high } else { 1.0 };
        // For a limit without logarithm: six decades below the upper one.
        let low = if low > 0.0 { low } else { 1e-6 * high };
        ColorScale { low, high, log: true, colors: &SEQUENTIAL }
    }

    /// Blue through white at zero to red, from `-limit` to `limit`.
    pub fn diverging(limit: f64) -> ColorScale {
        let limit = if drawable(limit) && limit != 0.0 { limit.abs() } else { 1.0 };
        ColorScale { low: -limit, high: limit, log: false, colors: &DIVERGING }
    }

    /// The colour of a number, if it has one.
    pub fn color(&self, value: f64) -> Option<Color> {
        if value.is_nan() || (self.log && value <= 0.0) {
            return None;
        }
        let position = |value: f64| if self.log { value.log10() } else { value };
        let (low, high) = (position(self.low), position(self.high));
        let part = ((position(value) - low) / (high - low)).clamp(0.0, 1.0);
        let place = part * (self.colors.len() - 1) as f64;
        let index = (place as usize).min(self.colors.len() - 2);
        Some(self.colors[index].towards(self.colors[index + 1], place - index as f64))
    }

    /// Colours at even steps from the lower to the upper limit.
    pub(crate) fn stops(&self) -> &'static [Color] {
        self.colors
    }
}

/// Two different limits in increasing order, for any input.
fn ordered(low: f64, high: f64) -> (f64, f64) {
    match (drawable(low), drawable(high)) {
        (true, true) if low < high => (low, high),
        (true, true) if high < low => (high, low),
        (true, _) => (low, low + low.abs().max(1.0)),
        (false, true) => (high - high.abs().max(1.0), high),
        (false, false) => (0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequential_scale_grows_lighter_all_the_way() {
        let scale = ColorScale::sequential(0.0, 1.0);
        let lightness: Vec<f64> = (0..=100)
            .map(|step| scale.color(f64::from(step) / 100.0).expect("a number").luminance())
            .collect();
        assert!(lightness.windows(2).all(|pair| pair[1] >= pair[0]));
        assert!(lightness[0] < 0.05 && lightness[100] > 0.7);
    }

    #[test]
    fn logarithms_halve_between_decades() {
        let (log, linear) = (ColorScale::sequential_log(0.01, 1.0), ColorScale::sequential(0.0, 1.0));
        assert_eq!(log.color(0.1), linear.color(0.5));
        assert_eq!(log.color(0.0), None);
        assert_eq!(log.color(1e-9), linear.color(0.0));
    }

    #[test]
    fn zero_is_white_between_blue_and_red() {
        let scale = ColorScale::diverging(3.0);
        assert_eq!(scale.color(0.0), Some(Color::rgb(0xF7, 0xF7, 0xF7)));
        let (negative, positive) =
            (scale.color(-3.0).expect("a number"), scale.color(3.0).expect("a number"));
        assert!(negative.blue > negative.red && positive.red > positive.blue);
    }

    #[test]
    fn limits_that_make_no_sense_still_give_colours() {
        let scales = [
            ColorScale::sequential(f64::NAN, 1.0),
            ColorScale::sequential(2.0, 2.0),
            ColorScale::sequential_log(-1.0, -2.0),
            ColorScale::sequential_log(0.0, 0.0),
            ColorScale::diverging(f64::INFINITY),
            ColorScale::diverging(0.0),
        ];
        for scale in scales {
            assert!(scale.low < scale.high, "{scale:?}");
            assert_ne!(scale.color(scale.low), scale.color(scale.high), "{scale:?}");
        }
    }
}

//! Round numbers along an axis, and their labels.

/// A position on an axis with its label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

/// The tolerance at the ends of the range, in steps.
const SLACK: f64 = 1e-9;

/// Multiples of 1, 2 or 5 times a power of ten: at most `most` of them if that leaves two, else the smallest
/// number of at least two.
pub(crate) fn linear(low: f64, high: f64, most: usize, percent: bool) -> Vec<Tick> {
    let most = most.clamp(2, 10) as f64;
    // In percent, steps are round in the displayed unit.
    let unit = if percent { 100.0 } else { 1.0 };
    let (low, high) = (low * unit, high * unit);
    let span = high - low;
    if !(span.is_finite() && span > 0.0) {
        return Vec::new();
    }
    let within = |step: f64| ((low / step - SLACK).ceil(), (high / step + SLACK).floor());
    let count = |step: f64| within(step).1 - within(step).0 + 1.0;
    let mut exponent = exponent_of(span / most);
    let mut chosen = (1.0, exponent);
    'ladder: loop {
        for factor in [1.0, 2.0, 5.0] {
            let step = scaled(factor, exponent);
            if count(step) < 2.0 {
                break 'ladder;
            }
            chosen = (factor, exponent);
            if count(step) <= most {
                break 'ladder;
            }
        }
        exponent += 1;
    }
    let (factor, exponent) = chosen;
    let (first, last) = within(scaled(factor, exponent));
    let places = (last - first) as usize;
    let values: Vec<f64> =
        (0..=places).map(|index| scaled((first + index as f64) * factor, exponent)).collect();
    let labels = even_labels(&values, exponent);
    let sign = if percent { "%" } else { "" };
    values
        .iter()
        .zip(labels)
        .map(|(&value, label)| Tick { value: value / unit, label: format!("{label}{sign}") })
        .collect()
}

/// Ticks of a logarithmic axis and the unlabelled ones between them: 1, 2 and 5 in every decade if they fit,
/// else decades, else every n-th decade; round numbers if the axis covers too little for these.
pub(crate) fn logarithmic(low: f64, high: f64, most: usize) -> (Vec<Tick>, Vec<f64>) {
    let most = most.clamp(2, 10);
    if !(low > 0.0 && high > low && high.is_finite()) {
        return (Vec::new(), Vec::new());
    }
    let inside = |value: &f64| *value >= low * (1.0 - SLACK) && *value <= high * (1.0 + SLACK);
    let (first, last) = (exponent_of(low), exponent_of(high));
    let multiples = |factors: &[f64]| -> Vec<f64> {
        let all =
            (first..=last).flat_map(|exponent| factors.iter().map(move |&factor| scaled(factor, exponent)));
        all.filter(inside).collect()
    };
    let decades = multiples(&[1.0]);
    let fine = multiples(&[1.0, 2.0, 5.0]);
    let minor = || multiples(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    if fine.len() < 3 && decades.len() < 2 {
        return (linear(low, high, most, false), Vec::new());
    }
    // Between powers of ten, labels such as 2×10⁻⁵ take more room than their information is worth.
    let plain = is_plain(&fine) || decades.len() < 2;
    if (fine.len() <= most && plain) || (decades.len() < 2 && fine.len() <= 10) {
        return (labelled(&fine), minor());
    }
    let stride = decades.len().div_ceil(most);
    if stride == 1 {
        return (labelled(&decades), minor());
    }
    // Strides count from 10^0, so that two axes with similar ranges agree.
    let even = |decade: &f64| exponent_of(*decade).rem_euclid(stride as i32) == 0;
    let mut kept: Vec<f64> = decades.iter().copied().filter(even).collect();
    if kept.len() < 2 {
        kept = decades.iter().copied().step_by(stride).collect();
    }
    (labelled(&kept), decades)
}

/// Ticks at given positions with the shortest labels, all in the same format: as powers of ten if one would
/// have too many zeros.
pub(crate) fn labelled(values: &[f64]) -> Vec<Tick> {
    let plain = is_plain(values);
    let write = |value: f64| if plain { shortest(value) } else { scientific(value, None) };
    values.iter().map(|&value| Tick { value, label: write(value) }).collect()
}

/// Whether all numbers can be written out without too many zeros.
fn is_plain(values: &[f64]) -> bool {
    values.iter().all(|&value| value == 0.0 || (-3..5).contains(&exponent_of(value)))
}

/// A number with a fixed number of decimals and a true minus sign; zero has no sign.
pub(crate) fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|digit| matches!(digit, '0' | '.')) => digits.to_string(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// Labels of multiples of a step of that power of ten: with the decimals of the step, and none on zero.
fn even_labels(values: &[f64], exponent: i32) -> Vec<String> {
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let power = exponent_of(largest);
    let write = |&value: &f64| {
        if value == 0.0 {
            "0".to_string()
        } else if (-3..6).contains(&power) {
            decimal(value, (-exponent).max(0) as usize)
        } else {
            scientific(value, Some((power, (power - exponent).max(0) as usize)))
        }
    };
    values.iter().map(write).collect()
}

/// The shortest decimal with nine digits' precision.
fn shortest(value: f64) -> String {
    let rounded = format!("{value:.9e}").parse().unwrap_or(value);
    format!("{rounded}").replace('-', "−")
}

/// A number times a power of ten: its own power with the fewest digits, or a given power and number of
/// decimals.
fn scientific(value: f64, form: Option<(i32, usize)>) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    let power = form.map_or_else(|| exponent_of(value), |(power, _)| power);
    let mantissa = scaled(value, -power);
    let mantissa = form.map_or_else(|| shortest(mantissa), |(_, decimals)| decimal(mantissa, decimals));
    let raised: String = power.to_string().chars().map(superscript).collect();
    match mantissa.as_str() {
        "1" => format!("10{raised}"),
        "−1" => format!("−10{raised}"),
        _ => format!("{mantissa}×10{raised}"),
    }
}

fn superscript(digit: char) -> char {
    match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // The others are consecutive from U+2070.
        digit => digit.to_digit(10).and_then(|digit| char::from_u32(0x2070 + digit)).unwrap_or(digit),
    }
}

/// The power of ten at or below a number, according to its decimal digits.
fn exponent_of(value: f64) -> i32 {
    format!("{:.9e}", value.abs()).split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0)
}

/// A number times a power of ten, computed by division if that is exact.
fn scaled(value: f64, exponent: i32) -> f64 {
    if exponent < 0 { value / 10_f64.powi(-exponent) } else { value * 10_f64.powi(exponent) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(&linear(0.0, 1.0, 6, false)), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&linear(-2.3, 2.1, 5, false)), ["−2", "−1", "0", "1", "2"]);
        assert_eq!(labels(&linear(97.0, 1003.0, 6, false)), ["200", "400", "600", "800", "1000"]);
        assert_eq!(labels(&linear(-119.0, -101.0, 5, false)), ["−115", "−110", "−105"]);
        assert_eq!(labels(&linear(0.0, 3.2e6, 4, false)), ["0", "10⁶", "2×10⁶", "3×10⁶"]);
        assert_eq!(labels(&linear(0.0, 1.2e-5, 3, false)), ["0", "0.5×10⁻⁵", "1.0×10⁻⁵"]);
        assert_eq!(labels(&linear(0.0, 0.3, 4, true)), ["0%", "10%", "20%", "30%"]);
        assert_eq!(labels(&linear(0.0, 0.01, 3, true)), ["0%", "0.5%", "1.0%"]);
    }

    #[test]
    fn logarithmic_ticks_are_decades_or_ones_twos_and_fives() {
        let major = |low, high, most| {
            let (ticks, _) = logarithmic(low, high, most);
            ticks.into_iter().map(|tick| tick.label).collect::<Vec<_>>()
        };
        assert_eq!(major(0.9, 60.0, 8), ["1", "2", "5", "10", "20", "50"]);
        assert_eq!(major(0.0009, 1.5, 6), ["0.001", "0.01", "0.1", "1"]);
        assert_eq!(major(1e-6, 2.0, 8), ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"]);
        assert_eq!(major(1e-12, 1.0, 5), ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "10⁰"]);
        assert_eq!(major(1e-5, 1e-3, 8), ["10⁻⁵", "10⁻⁴", "10⁻³"]);
        assert_eq!(major(1.5e-5, 3e-4, 8), ["2×10⁻⁵", "5×10⁻⁵", "10⁻⁴", "2×10⁻⁴"]);
        assert_eq!(major(2.1, 2.9, 5), ["2.2", "2.4", "2.6", "2.8"]);
        assert_eq!(logarithmic(1.0, 10.0, 6).1, [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    }

    #[test]
    fn given_places_are_written_short() {
        assert_eq!(labels(&labelled(&[-0.5, 0.0, 0.1 + 0.2, 300.0])), ["−0.5", "0", "0.3", "300"]);
        assert_eq!(labels(&labelled(&[1e-7, 25e4])), ["10⁻⁷", "2.5×10⁵"]);
        assert_eq!(decimal(-0.001, 2), "0.00");
        assert_eq!(decimal(-1.25, 1), "−1.2");
    }

    fn check(ticks: &[Tick], low: f64, high: f64, slack: f64) -> Result<(), TestCaseError> {
        prop_assert!((2..=10).contains(&ticks.len()), "{ticks:?}");
        prop_assert!(ticks.windows(2).all(|pair| pair[0].value < pair[1].value), "{ticks:?}");
        prop_assert!(
            ticks.iter().all(|tick| tick.value >= low - slack && tick.value <= high + slack),
            "{ticks:?}"
        );
        let mut labels: Vec<&String> = ticks.iter().map(|tick| &tick.label).collect();
        labels.sort();
        labels.dedup();
        prop_assert_eq!(labels.len(), ticks.len());
        Ok(())
    }

    proptest! {
        #[test]
        fn two_to_ten_distinct_ticks_within_the_range(
            centre in -1e6..1e6_f64, power in -8..9_i32, part in 1.0..10.0_f64, most in 2..=10_usize, percent: bool
        ) {
            let span = (part * 10_f64.powi(power)).max(1e-8 * centre.abs());
            let (low, high) = (centre - span / 2.0, centre + span / 2.0);
            check(&linear(low, high, most, percent), low, high, 1e-8 * span)?;
        }

        #[test]
        fn logarithmic_ticks_too(power in -140.0..140.0_f64, decades in 1e-5..150.0_f64, most in 2..=10_usize) {
            let (low, high) = (10_f64.powf(power), 10_f64.powf((power + decades).min(145.0)));
            let (ticks, minor) = logarithmic(low, high, most);
            check(&ticks, low, high, 1e-8 * high)?;
            prop_assert!(minor.iter().all(|&value| value >= 0.99 * low && value <= 1.01 * high));
        }
    }
}

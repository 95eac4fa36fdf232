//! Numbers in readable form.

/// A number with the digits that its standard error makes meaningful: up to two significant digits of the
/// error. Numbers that would be long are written with an exponent.
///
/// ```
/// use steinbound::text::estimate;
/// assert_eq!(estimate(Some(0.512345), Some(0.0812)), "0.512");
/// assert_eq!(estimate(Some(5.123e-9), Some(2.1e-10)), "5.12e-9");
/// assert_eq!(estimate(None, None), "-");
/// ```
pub fn estimate(value: Option<f64>, error: Option<f64>) -> String {
    let Some(value) = value else { return "-".into() };
    match error {
        // An error that is only rounding says nothing about digits.
        Some(error) if error > ROUNDING * value.abs() && error.is_finite() && value.is_finite() => {
            let last = error.log10().floor() as i32 - 1;
            let first = value.abs().max(error).log10().floor() as i32;
            if first < 9 && (last >= -7 || first >= -1 && last >= -12) {
                let decimals = (-last).max(0) as usize;
                return without_sign_of_zero(format!("{value:.decimals$}"));
            }
            let first = if value == 0.0 { last - 1 } else { value.abs().log10().floor() as i32 };
            match (first - last).min(MOST_DIGITS) {
                digits if digits < 0 => "0".into(),
                digits => significant_to(value, digits as usize + 1),
            }
        }
        _ => significant(value),
    }
}

/// An error below this share of its value is rounding.
const ROUNDING: f64 = 1e-14;

/// The most digits after the first, of a number whose error is small.
const MOST_DIGITS: i32 = 9;

/// A number with this number of significant digits, at least one; with an exponent where it would be long.
///
/// ```
/// use steinbound::text::significant_to;
/// assert_eq!([significant_to(80.6456141, 7), significant_to(-0.5, 3)], ["80.64561", "-0.500"]);
/// assert_eq!([significant_to(9.996, 3), significant_to(6.02214e23, 4)], ["10.0", "6.022e23"]);
/// ```
pub fn significant_to(value: f64, digits: usize) -> String {
    let digits = digits.clamp(1, 17);
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    // Rounding may carry into another digit, which the exponent of the rounded number shows.
    let rounded = format!("{value:.*e}", digits - 1);
    let exponent: i32 = rounded.rsplit('e').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    if (-4..9.max(digits as i32)).contains(&exponent) {
        format!("{value:.*}", (digits as i32 - 1 - exponent).max(0) as usize)
    } else {
        rounded
    }
}

/// A rounded number that is zero has no sign.
fn without_sign_of_zero(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_string(),
        _ => text,
    }
}

/// A setting, to at most four digits and without zeros at the end.
///
/// ```
/// use steinbound::text::setting;
/// assert_eq!([setting(1e-3), setting(0.0013631631755), setting(2.0)], ["0.001", "0.001363", "2"]);
/// ```
pub fn setting(value: f64) -> String {
    let rounded = format!("{value:.3e}");
    rounded.parse().map_or(rounded, |value: f64| value.to_string())
}

/// A number as messages give it: at most six digits, without zeros at the end.
///
/// ```
/// use steinbound::text::brief;
/// assert_eq!([brief(0.1 + 0.2), brief(2.0), brief(-1e-7)], ["0.3", "2", "-1e-7"]);
/// assert_eq!([brief(4532345.67), brief(99999.96), brief(f64::INFINITY)], ["4.53235e6", "100000", "inf"]);
/// ```
pub fn brief(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let is_plain = value == 0.0 || !value.is_finite() || (1e-4..1e6).contains(&rounded.abs());
    if is_plain { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// The first coordinates of a point as messages give them.
///
/// ```
/// use steinbound::text::brief_point;
/// assert_eq!(brief_point(&[0.5, 1.0 / 3.0]), "(0.5, 0.333333)");
/// assert_eq!(brief_point(&[1.0; 9]), "(1, 1, 1, 1, 1, 1, ..)");
/// ```
pub fn brief_point(point: &[f64]) -> String {
    const MOST: usize = 6;
    let more = if point.len() > MOST { ", .." } else { "" };
    let values: Vec<String> = point.iter().take(MOST).copied().map(brief).collect();
    format!("({}{more})", values.join(", "))
}

/// Names as messages give them, the last after "and": all of up to twenty, of more the first three and how many follow.
///
/// ```
/// use steinbound::text::listed;
/// let name = |i: usize| ["a", "b", "c"][i].to_string();
/// assert_eq!([listed(1, name), listed(3, name), listed(30, name)], ["a", "a, b and c", "a, b, c and 27 more"]);
/// ```
pub fn listed(count: usize, name: impl Fn(usize) -> String) -> String {
    const NAMED: usize = 20;
    let shown = if count > NAMED { 3 } else { count };
    let names: Vec<String> = (0..shown).map(name).collect();
    match names.as_slice() {
        names if shown < count => format!("{} and {} more", names.join(", "), count - shown),
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        names => names.join(""),
    }
}

/// A number with four significant digits.
///
/// ```
/// assert_eq!(steinbound::text::significant(1234.56), "1235");
/// ```
pub fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = value.abs().log10().floor() as i32;
    if (-4..6).contains(&magnitude) {
        format!("{value:.*}", (3 - magnitude).max(0) as usize)
    } else {
        format!("{value:.3e}")
    }
}

/// A test statistic with two decimals, or with an exponent if that would be long.
///
/// ```
/// use steinbound::text::statistic;
/// assert_eq!(statistic(Some(-1.9783)), "-1.98");
/// assert_eq!(statistic(Some(123456.7)), "123457");
/// assert_eq!(statistic(None), "-");
/// ```
pub fn statistic(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(value) if value.abs() < 1e4 => format!("{value:.2}"),
        Some(value) => significant(value),
    }
}

/// A p-value with four decimals; smaller ones are given as an upper bound.
///
/// ```
/// use steinbound::text::p_value;
/// assert_eq!(p_value(Some(0.04787)), "0.0479");
/// assert_eq!(p_value(Some(3e-9)), "<0.0001");
/// ```
pub fn p_value(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(value) if value < 1e-4 => "<0.0001".into(),
        Some(value) => format!("{value:.4}"),
    }
}

/// A share in per cent, without digits that are only rounding.
///
/// ```
/// assert_eq!(steinbound::text::percent(0.95), 95.0);
/// ```
pub fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}

/// A time in a suitable unit.
///
/// ```
/// use steinbound::text::duration;
/// assert_eq!([duration(0.0021), duration(3.14159), duration(94.876)], ["2.1 ms", "3.14 s", "95 s"]);
/// ```
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 10.0 => format!("{s:.2} s"),
        s => format!("{s:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_standard_error() {
        assert_eq!(estimate(Some(-115.2345), Some(1.3)), "-115.2");
        assert_eq!(estimate(Some(123456.7), Some(250.0)), "123457");
        assert_eq!(estimate(Some(0.5), None), "0.5000");
        assert_eq!(estimate(Some(-0.001), Some(0.5)), "0.00");
        assert_eq!(estimate(Some(-0.01), Some(0.05)), "-0.010");
    }

    #[test]
    fn numbers_far_from_one_stay_short() {
        assert_eq!(estimate(Some(6.02e23), Some(1.5e21)), "6.020e23");
        assert_eq!(estimate(Some(1.5e21), Some(1.5e21)), "1.5e21");
        assert_eq!(estimate(Some(-3.0), Some(4e15)), "0", "nothing is known of it");
        assert_eq!(estimate(Some(0.0), Some(1e-30)), "0");
        assert_eq!(estimate(Some(1.0), Some(1e-30)), "1.000", "an error that is rounding");
        assert_eq!(estimate(Some(1.0), Some(3e-14)), "1.000000000", "no more digits than anyone reads");
        assert_eq!(estimate(Some(0.25), Some(3e-9)), "0.2500000000");
        for exponent in -300..300 {
            let error = 10f64.powi(exponent);
            let cells = [1.0, -1e-9, 1e9, f64::MAX].map(|value| estimate(Some(value), Some(error)));
            assert!(cells.iter().all(|cell| cell.len() < 24), "{error}: {cells:?}");
        }
    }

    #[test]
    fn four_digits_are_significant() {
        assert_eq!(significant(0.0012345), "0.001234");
        assert_eq!(significant(1.5e-9), "1.500e-9");
        assert_eq!(significant(0.0), "0");
    }

    #[test]
    fn the_limit_of_p_values_is_shown_in_full() {
        assert_eq!(p_value(Some(1e-4)), "0.0001");
        assert_eq!(p_value(Some(0.0)), "<0.0001");
        assert_eq!(p_value(Some(1.0)), "1.0000");
    }
}

//! Numbers and tables as people read them.

use std::fmt::{self, Display, Formatter};

/// A table with aligned columns: words to the left, numbers to the right.
///
/// ```
/// use steinbound::text::Table;
/// let mut table = Table::new(1, ["city", "people"]);
/// table.row(vec!["Bonn".into(), "340000".into()]);
/// assert_eq!(table.to_string(), "city  people\n------------\nBonn  340000\n");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    rows: Vec<Vec<String>>,
    words: usize,
}

impl Table {
    /// A table whose first columns, as many as said, hold words.
    pub fn new<const N: usize>(words: usize, header: [&str; N]) -> Table {
        Table::with_header(words, header)
    }

    /// The same with a header whose length is not known beforehand.
    pub fn with_header<'a>(words: usize, header: impl IntoIterator<Item = &'a str>) -> Table {
        Table { rows: vec![header.into_iter().map(str::to_string).collect()], words }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The header.
    pub fn header(&self) -> &[String] {
        &self.rows[0]
    }

    /// The rows below the header, for those who draw the table in another way.
    ///
    /// ```
    /// # use steinbound::text::Table;
    /// let mut table = Table::new(1, ["city", "people"]);
    /// table.row(vec!["Bonn".into(), "340000".into()]);
    /// assert_eq!((table.header()[0].as_str(), table.rows()[0][1].as_str(), table.words()), ("city", "340000", 1));
    /// ```
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows[1..]
    }

    /// How many of the first columns hold words.
    pub fn words(&self) -> usize {
        self.words
    }
}

impl Display for Table {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |j: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(j));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (i, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (j, cell) in row.iter().enumerate() {
                let width = widths[j];
                line.push_str(if j == 0 { "" } else { "  " });
                line.push_str(&if j < self.words {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                });
            }
            writeln!(out, "{}", line.trim_end())?;
            if i == 0 {
                let between = 2 * columns.saturating_sub(1);
                writeln!(out, "{}", "-".repeat(widths.iter().sum::<usize>() + between))?;
            }
        }
        Ok(())
    }
}

/// A number with as many decimals as its standard error makes meaningful: two significant digits of the error.
///
/// ```
/// use steinbound::text::estimate;
/// assert_eq!(estimate(Some(0.512345), Some(0.0812)), "0.512");
/// assert_eq!(estimate(None, None), "-");
/// ```
pub fn estimate(value: Option<f64>, error: Option<f64>) -> String {
    let Some(value) = value else { return "-".into() };
    match error {
        Some(error) if error > 0.0 && error.is_finite() => {
            let decimals = (1 - error.log10().floor() as i32).clamp(0, 12) as usize;
            without_sign_of_zero(format!("{value:.decimals$}"))
        }
        _ => significant(value),
    }
}

/// A rounded number that is zero has no sign.
fn without_sign_of_zero(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_string(),
        _ => text,
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

/// A test statistic with two decimals, as long as that is short.
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

/// A p-value with four decimals; what is smaller than these can show is only said to be so.
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

/// A share in per cent, without digits that rounding adds.
///
/// ```
/// assert_eq!(steinbound::text::percent(0.95), 95.0);
/// ```
pub fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}

/// A time in a unit that suits it.
///
/// ```
/// assert_eq!(steinbound::text::duration(0.0021), "2.1 ms");
/// ```
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
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

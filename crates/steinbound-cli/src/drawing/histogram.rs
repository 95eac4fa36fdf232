//! A histogram in block characters, with a curve over it or a place marked below.

use steinbound::text::significant;

/// Heights within a line, in eighths.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A point of the curve.
const CURVE: char = '•';

/// Values with weights, and what is drawn with them.
pub struct Histogram<'a> {
    pub values: &'a [(f64, f64)],
    /// The ends of the axis.
    pub range: (f64, f64),
    /// A density up to a constant, which is drawn with the area of the bars.
    pub density: Option<&'a dyn Fn(f64) -> f64>,
    /// A place below the axis, and what it is.
    pub mark: Option<(f64, &'a str)>,
}

impl Histogram<'_> {
    /// The picture, at most `columns` wide, with `rows` lines for the bars and the axis below them.
    pub fn lines(&self, columns: usize, rows: usize) -> Vec<String> {
        let (low, high) = self.range;
        let bins =
            (2.0 * (self.values.len() as f64).cbrt()).round().clamp(5.0, columns.max(5) as f64) as usize;
        let per_bin = (columns / bins).max(1);
        let columns = bins * per_bin;
        let place = |value: f64, count: usize| {
            (((value - low) / (high - low) * count as f64) as usize).min(count - 1)
        };
        let mut bars = vec![0.0; bins];
        for (value, weight) in self.values {
            bars[place(*value, bins)] += weight;
        }
        let curve = self.curve(columns, bins, bars.iter().sum());
        let top = bars.iter().chain(&curve).copied().fold(0.0, f64::max);
        let eighths =
            |value: f64| if top > 0.0 { (value / top * (8 * rows) as f64).round() as usize } else { 0 };
        let mut lines: Vec<String> = (0..rows)
            .rev()
            .map(|level| {
                let cell = |column: usize| match curve.get(column).map(|value| eighths(*value)) {
                    Some(height @ 1..) if (height - 1) / 8 == level => CURVE,
                    _ => BLOCKS[eighths(bars[column / per_bin]).saturating_sub(8 * level).min(8)],
                };
                (0..columns).map(cell).collect::<String>().trim_end().to_string()
            })
            .collect();
        lines.push("─".repeat(columns));
        let (left, right) = (significant(low), significant(high));
        lines.push(format!("{left}{right:>0$}", columns.saturating_sub(left.chars().count())));
        if let Some((value, label)) = self.mark {
            lines.push(marked(value, label, self.range, columns));
        }
        lines
    }

    /// The height of the curve at each column, in units of the bars.
    fn curve(&self, columns: usize, bins: usize, total: f64) -> Vec<f64> {
        let Some(density) = self.density else { return Vec::new() };
        let (low, high) = self.range;
        let at = |column: usize| density(low + (high - low) * (column as f64 + 0.5) / columns as f64);
        let heights: Vec<f64> =
            (0..columns).map(at).map(|v| if v.is_finite() { v.max(0.0) } else { 0.0 }).collect();
        let sum: f64 = heights.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return Vec::new();
        }
        let scale = total * columns as f64 / (sum * bins as f64);
        heights.into_iter().map(|height| height * scale).collect()
    }
}

/// The line with the mark: an arrow up, or to the side where the place lies beyond the axis.
fn marked(value: f64, label: &str, (low, high): (f64, f64), columns: usize) -> String {
    let text = format!("{label} {}", significant(value));
    let length = text.chars().count() + 2;
    if value > high {
        return format!("{:>columns$}", format!("{text} >"));
    }
    if value < low {
        return format!("< {text}");
    }
    let place = (((value - low) / (high - low) * columns as f64) as usize).min(columns - 1);
    match place + length <= columns || place + 1 < length {
        true => format!("{}^ {text}", " ".repeat(place)),
        false => format!("{}{text} ^", " ".repeat(place + 1 - length)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram<'a>(values: &'a [(f64, f64)], range: (f64, f64)) -> Histogram<'a> {
        Histogram { values, range, density: None, mark: None }
    }

    #[test]
    fn bars_are_as_high_as_their_counts() {
        let values: Vec<(f64, f64)> =
            [0.1, 0.3, 0.3, 0.5, 0.5, 0.5, 0.5].iter().map(|value| (*value, 1.0)).collect();
        let lines = histogram(&values, (0.0, 1.0)).lines(10, 2);
        assert_eq!(lines, ["    ██", "▄▄████", "──────────", "0    1.000"]);
    }

    #[test]
    fn weights_count_as_often_as_they_say() {
        let twice = [(0.1, 2.0), (0.9, 1.0), (0.9, 1.0)];
        let lines = histogram(&twice, (0.0, 1.0)).lines(10, 1);
        assert_eq!(lines[0], "██      ██");
    }

    #[test]
    fn a_flat_density_lies_on_flat_bars() {
        let values: Vec<(f64, f64)> = (0..500).map(|k| (f64::from(k) / 500.0 + 0.001, 1.0)).collect();
        let flat = |_: f64| 7.0;
        let drawn = Histogram { density: Some(&flat), ..histogram(&values, (0.0, 1.0)) };
        let lines = drawn.lines(60, 5);
        assert!(lines[0].chars().all(|c| c == CURVE), "{lines:?}");
        assert!(lines[1].chars().all(|c| c == '█'), "{lines:?}");
        let broken = |_: f64| f64::NAN;
        let drawn = Histogram { density: Some(&broken), ..histogram(&values, (0.0, 1.0)) };
        assert!(!drawn.lines(60, 5).concat().contains(CURVE));
    }

    #[test]
    fn marks_point_to_their_place_or_beyond() {
        let range = (0.0, 10.0);
        assert_eq!(marked(0.0, "t", range, 20), "^ t 0");
        assert_eq!(marked(9.9, "t", range, 20), "           t 9.900 ^");
        assert_eq!(marked(50.0, "t", range, 12), "   t 50.00 >");
        assert_eq!(marked(-5.0, "t", range, 12), "< t -5.000");
        assert!(marked(5.0, "a very long label", range, 10).starts_with("     ^ a very"));
    }

    #[test]
    fn nothing_to_draw_is_drawn() {
        assert_eq!(histogram(&[], (0.0, 1.0)).lines(10, 1)[0], "");
        assert!(histogram(&[(0.5, 1.0)], (0.0, 1.0)).lines(0, 1).len() == 3);
    }
}

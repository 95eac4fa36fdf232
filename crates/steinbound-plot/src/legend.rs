//! The legend of a figure: the meaning of the marks, below all panels.

use crate::draw::straight;
use crate::marker;
use crate::scale::Frame;
use crate::style::{Color, Marker, Style};
use crate::svg::Svg;
use crate::text::{self, HALF_DIGIT, LABEL_SIZE, LEADING, Weight};

#[derive(Debug, Clone, PartialEq)]
enum Key {
    Line(Style),
    Marker(Style),
    Fill(Color),
}

/// One entry of a legend.
///
/// ```
/// use steinbound_plot::{Color, Entry, Marker, Style};
///
/// let entries = vec![
///     Entry::line("TKSD", Style::new(Color::BLUE).marker(Marker::Circle)),
///     Entry::marker("data", Style::new(Color::GREY)),
///     Entry::fill("seen", Color::LIGHT_GREY),
/// ];
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    label: String,
    key: Key,
}

impl Entry {
    /// A piece of line with the style's marker, as in the data.
    pub fn line(label: impl Into<String>, style: Style) -> Entry {
        Entry { label: label.into(), key: Key::Line(style) }
    }

    /// A point; a circle unless the style has another marker.
    pub fn marker(label: impl Into<String>, style: Style) -> Entry {
        Entry { label: label.into(), key: Key::Marker(style) }
    }

    /// A patch of colour.
    pub fn fill(label: impl Into<String>, color: Color) -> Entry {
        Entry { label: label.into(), key: Key::Fill(color) }
    }

    fn key_width(&self) -> f64 {
        match &self.key {
            Key::Line(style) => (5.0 * style.size).clamp(28.0, 60.0),
            Key::Marker(style) => (2.6 * style.size).clamp(10.0, 40.0),
            Key::Fill(_) => 18.0,
        }
    }

    fn width(&self) -> f64 {
        self.key_width() + KEY_GAP + text::width(&self.label, LABEL_SIZE, Weight::Regular)
    }

    fn draw(&self, svg: &mut Svg, left: f64, middle: f64, room: f64) {
        let width = self.key_width();
        let centre = (left + width / 2.0, middle);
        match &self.key {
            Key::Line(style) => {
                svg.element("g").number_unless("opacity", style.opacity, 1.0).open();
                if style.width > 0.0 {
                    straight(svg, (left, middle), (left + width, middle), style);
                }
                if let Some(shape) = style.marker {
                    single(svg, shape, centre, style);
                }
                svg.close();
            }
            Key::Marker(style) => {
                // A legend entry must be visible even if the points are faint and small.
                let clear =
                    Style { opacity: style.opacity.max(0.6), size: style.size.max(2.5), ..style.clone() };
                svg.element("g").number_unless("opacity", clear.opacity, 1.0).open();
                single(svg, style.marker.unwrap_or(Marker::Circle), centre, &clear);
                svg.close();
            }
            Key::Fill(color) => {
                let element =
                    svg.element("rect").number("x", left).number("y", middle - 5.0).number("width", width);
                let element = element
                    .number("height", 10.0)
                    .attribute("fill", &color.hex())
                    .attribute("stroke", &Color::GREY.hex());
                element.number("stroke-width", 0.6).empty();
            }
        }
        let label = text::shorten(&self.label, room - width - KEY_GAP, LABEL_SIZE, Weight::Regular);
        let element = svg.element("text").number("x", left + width + KEY_GAP);
        element.number("y", middle + HALF_DIGIT * LABEL_SIZE).holding(&label);
    }
}

fn single(svg: &mut Svg, shape: Marker, centre: (f64, f64), style: &Style) {
    marker::open_group(svg, shape, style);
    marker::draw(svg, shape, centre, style.size);
    svg.close();
}

const KEY_GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 18.0;
const ROW: f64 = LABEL_SIZE * LEADING + 3.0;

/// The entries of each line, as evenly as the number of lines allows.
fn lines(entries: &[Entry], room: f64) -> Vec<Vec<&Entry>> {
    let fill = |room: f64| {
        let mut lines: Vec<(f64, Vec<&Entry>)> = Vec::new();
        for entry in entries {
            let width = entry.width();
            match lines.last_mut() {
                Some((used, line)) if *used + ENTRY_GAP + width <= room => {
                    *used += ENTRY_GAP + width;
                    line.push(entry);
                }
                _ => lines.push((width, vec![entry])),
            }
        }
        lines
    };
    let fewest = fill(room).len();
    // Narrower lines if no more lines are needed, so that the last one is not nearly empty.
    let narrowest = (1..=20)
        .rev()
        .map(|part| room * f64::from(part) / 20.0)
        .take_while(|&room| fill(room).len() <= fewest);
    let room = narrowest.last().unwrap_or(room);
    fill(room).into_iter().map(|(_, line)| line).collect()
}

/// Height of the legend in pixels, zero without entries.
pub(crate) fn height(entries: &[Entry], room: f64) -> f64 {
    lines(entries, room).len() as f64 * ROW
}

/// Draws the legend, each line in the middle of the frame.
pub(crate) fn draw(svg: &mut Svg, entries: &[Entry], frame: Frame) {
    if entries.is_empty() {
        return;
    }
    let group = svg.element("g").attribute("class", "legend").number("font-size", LABEL_SIZE);
    let svg = group.open();
    for (index, line) in lines(entries, frame.width).into_iter().enumerate() {
        let gaps = ENTRY_GAP * line.len().saturating_sub(1) as f64;
        let total: f64 = line.iter().map(|entry| entry.width()).sum::<f64>() + gaps;
        let mut left = frame.left + ((frame.width - total) / 2.0).max(0.0);
        for entry in line {
            entry.draw(svg, left, frame.top + (index as f64 + 0.5) * ROW, frame.width);
            left += entry.width() + ENTRY_GAP;
        }
    }
    svg.close();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(count: usize) -> Vec<Entry> {
        (0..count).map(|index| Entry::line(format!("method {index}"), Style::new(Color::BLUE))).collect()
    }

    #[test]
    fn lines_keep_to_their_room_and_are_even() {
        let entries = entries(8);
        let lines = lines(&entries, 600.0);
        assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4]);
        for line in lines {
            let gaps = ENTRY_GAP * (line.len() - 1) as f64;
            assert!(line.iter().map(|entry| entry.width()).sum::<f64>() + gaps <= 600.0);
        }
    }

    #[test]
    fn height_grows_with_lines() {
        assert_eq!(height(&[], 600.0), 0.0);
        assert_eq!(height(&entries(1), 600.0), ROW);
        assert_eq!(height(&entries(3), 10.0), 3.0 * ROW);
    }
}

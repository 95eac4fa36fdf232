//! A whole figure: rows of panels, one legend below them.

use crate::axes;
use crate::layout::{self, Row};
use crate::legend::{self, Entry};
use crate::panel::Panel;
use crate::scale::Frame;
use crate::svg::{Svg, number};
use crate::text::{FAMILIES, LABEL_SIZE};

/// The distance between the edge of the figure and its contents.
const EDGE: f64 = 6.0;
const LEGEND_GAP: f64 = 8.0;
/// The room of labels below and above a panel.
const AROUND: f64 = 50.0;
const TEXT_COLOR: &str = "#1a1a1a";

/// A figure: rows of panels and one legend below them, which never covers data.
///
/// ```
/// use steinbound_plot::{Axis, Color, Entry, Figure, Marker, Panel, Style};
///
/// let tksd = Style::new(Color::BLUE).marker(Marker::Circle);
/// let panel = |title: &str| {
///     Panel::new(Axis::linear("dimension"), Axis::linear("error").from_zero())
///         .title(title)
///         .line(vec![(2.0, 0.1), (3.0, 0.2), (5.0, 0.4)], tksd.clone())
/// };
/// let svg = Figure::new(720.0)
///     .row(260.0, vec![panel("(a) ball"), panel("(b) cube")])
///     .legend(vec![Entry::line("TKSD", tksd.clone())])
///     .describe("Error against dimension.")
///     .to_svg();
/// assert!(svg.starts_with("<svg"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    width: f64,
    rows: Vec<Row>,
    legend: Vec<Entry>,
    id: String,
    description: String,
}

/// A valid length: the requested one, or else the default.
fn length(asked: f64, otherwise: f64) -> f64 {
    if asked.is_finite() && asked > 0.0 { asked.clamp(40.0, 10_000.0) } else { otherwise }
}

impl Figure {
    /// An empty figure of this width in CSS pixels, 40 to 10,000; 720 fills a page.
    pub fn new(width: f64) -> Figure {
        let (id, description) = ("figure".to_string(), String::new());
        Figure { width: length(width, 720.0), rows: Vec::new(), legend: Vec::new(), id, description }
    }

    /// Adds a row of this height in pixels, including titles and labels, with panels of equal width.
    pub fn row(self, height: f64, panels: Vec<Panel>) -> Figure {
        self.row_weighted(height, panels.into_iter().map(|panel| (1.0, panel)).collect())
    }

    /// Adds a row whose panels have widths in proportion to their weights.
    pub fn row_weighted(mut self, height: f64, panels: Vec<(f64, Panel)>) -> Figure {
        let weight =
            |weight: f64| if weight.is_finite() && weight > 0.0 { weight.clamp(1e-3, 1e3) } else { 1.0 };
        let panels = panels.into_iter().map(|(asked, panel)| (weight(asked), panel)).collect();
        self.rows.push(Row { height: length(height, 240.0), panels });
        self
    }

    /// The legend below all panels, in the number of lines it needs.
    pub fn legend(mut self, entries: Vec<Entry>) -> Figure {
        self.legend = entries;
        self
    }

    /// The prefix of all ids in the SVG, so that several figures can be placed in one page. Characters other
    /// than letters, digits, `-` and `_` become `-`.
    pub fn id(mut self, id: &str) -> Figure {
        let plain = |sign: char| if sign.is_ascii_alphanumeric() || sign == '_' { sign } else { '-' };
        self.id = id.chars().map(plain).collect();
        self
    }

    /// A description of the figure for readers who cannot see it. The first sentence becomes its title, the
    /// rest its description.
    pub fn describe(mut self, text: impl Into<String>) -> Figure {
        self.description = text.into();
        self
    }

    /// The same figure for a narrow page: its panels one below the other, and
    /// ids of its own, so that both can be placed in one page.
    ///
    /// Panels that keep an aspect keep their shape, others their height.
    ///
    /// ```
    /// use steinbound_plot::{Axis, Figure, Panel};
    /// let panel = Panel::new(Axis::linear("x"), Axis::linear("y"));
    /// let wide = Figure::new(720.0).row(250.0, vec![panel.clone(), panel]);
    /// let narrow = wide.stacked(360.0).to_svg();
    /// assert!(narrow.contains("width=\"360\" height=\"522\"") && wide.to_svg().contains("width=\"720\""));
    /// ```
    pub fn stacked(&self, width: f64) -> Figure {
        let width = length(width, 360.0);
        let mut rows = Vec::new();
        for row in &self.rows {
            let weights: f64 = row.panels.iter().map(|(weight, _)| weight).sum();
            for (weight, panel) in &row.panels {
                let wide = self.width * weight / weights;
                let height = match panel.aspect {
                    Some(_) => AROUND + (row.height - AROUND).max(0.0) * (width / wide).min(1.5),
                    None => row.height.min(width),
                };
                rows.push(Row { height, panels: vec![(1.0, panel.clone())] });
            }
        }
        Figure { width, rows, legend: self.legend.clone(), id: format!("narrow-{}", self.id), ..self.clone() }
    }

    /// The figure as SVG text. The same figure gives the same bytes.
    pub fn to_svg(&self) -> String {
        let width = self.width - 2.0 * EDGE;
        let page = Frame { left: EDGE, top: EDGE, width, height: 0.0 };
        let (cells, bottom) = layout::place(&self.rows, page);
        let legend_height = legend::height(&self.legend, width);
        let gap = if self.legend.is_empty() { 0.0 } else { LEGEND_GAP };
        let height = (bottom + gap + legend_height + EDGE).ceil();

        let mut svg = Svg::new();
        let root = svg.element("svg").attribute("xmlns", "http://www.w3.org/2000/svg");
        let root =
            root.attribute("id", &self.id).attribute("class", "steinbound-figure").attribute("role", "img");
        let root = root.number("width", self.width).number("height", height);
        let root = root.attribute("viewBox", &format!("0 0 {} {}", number(self.width), number(height)));
        let root = root
            .attribute("font-family", FAMILIES)
            .number("font-size", LABEL_SIZE)
            .attribute("fill", TEXT_COLOR);
        root.open();
        self.write_description(&mut svg);
        let ground = svg.element("rect").attribute("class", "background").number("width", self.width);
        ground.number("height", height).attribute("fill", "#ffffff").empty();
        for (index, cell) in cells.iter().enumerate() {
            axes::draw(&mut svg, cell, &format!("{}-panel{}", self.id, index + 1));
        }
        let frame = Frame { left: EDGE, top: bottom + gap, width, height: legend_height };
        legend::draw(&mut svg, &self.legend, frame);
        svg.finish()
    }

    fn write_description(&self, svg: &mut Svg) {
        let text = self.description.trim();
        let (title, rest) = text.split_once(". ").map_or((text, ""), |(title, rest)| (title, rest.trim()));
        if !title.is_empty() {
            svg.element("title").holding(title.trim_end_matches('.'));
        }
        if !rest.is_empty() {
            svg.element("desc").holding(rest);
        }
    }
}

//! One panel of a figure: two axes and the marks between them.

use crate::axis::Axis;
use crate::color_scale::ColorScale;
use crate::contour::Grid;
use crate::marks::{Anchor, Heatmap, Mark};
use crate::scale::Extent;
use crate::style::{Color, Style};

/// A colour scale drawn next to a panel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColorBar {
    pub(crate) scale: ColorScale,
    pub(crate) label: String,
}

/// One panel: two axes and the marks between them, drawn in the order they were added and clipped to the
/// frame.
///
/// Points that cannot be placed (NaN, or not positive on a logarithmic axis) are left out.
///
/// ```
/// use steinbound_plot::{Axis, Color, Marker, Panel, Style};
///
/// let tksd = Style::new(Color::BLUE).marker(Marker::Circle);
/// let panel = Panel::new(Axis::log("sample size"), Axis::log("squared error"))
///     .title("(a) ball")
///     .error_bars(vec![(100.0, 0.2, 0.05), (1000.0, 0.02, 0.004)], tksd.clone())
///     .line(vec![(100.0, 0.2), (1000.0, 0.02)], tksd)
///     .horizontal(0.01, Style::new(Color::GREY).dashed());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) title: String,
    pub(crate) aspect: Option<f64>,
    pub(crate) axes: bool,
    pub(crate) marks: Vec<Mark>,
    pub(crate) bar: Option<ColorBar>,
}

/// The colour of land.
const LAND: Color = Color::rgb(0xf1, 0xef, 0xe9);

impl Panel {
    /// An empty panel.
    pub fn new(x: Axis, y: Axis) -> Panel {
        Panel { x, y, title: String::new(), aspect: None, axes: true, marks: Vec::new(), bar: None }
    }

    /// A map of land in degrees of longitude and latitude, to which points can be added: a frame without
    /// axes, with the ratio of a degree of latitude to one of longitude at the middle of the land.
    ///
    /// ```
    /// use steinbound_plot::Panel;
    /// let island = vec![(10.0, 50.0), (12.0, 50.0), (11.0, 51.0)];
    /// let map = Panel::map(vec![island]).title("an island");
    /// ```
    pub fn map(land: Vec<Vec<(f64, f64)>>) -> Panel {
        let latitudes = || land.iter().flatten().map(|place| place.1).filter(|latitude| latitude.is_finite());
        let middle =
            0.5 * (latitudes().fold(f64::INFINITY, f64::min) + latitudes().fold(f64::NEG_INFINITY, f64::max));
        Panel::new(Axis::linear("longitude"), Axis::linear("latitude"))
            .aspect(1.0 / middle.to_radians().cos())
            .without_axes()
            .rings(land, Some(LAND), Style::new(Color::GREY).width(0.6))
    }

    /// A short title above the frame.
    pub fn title(mut self, title: impl Into<String>) -> Panel {
        self.title = title.into();
        self
    }

    /// Makes one unit in `y` as long as one in `x`.
    pub fn equal_aspect(self) -> Panel {
        self.aspect(1.0)
    }

    /// Makes one unit in `y` this number of times as long as one in `x`; about `1 / cos(latitude)` on maps in
    /// degrees.
    ///
    /// Ranges that follow the data are widened for it. If they are given, or fixed by a heat map, the frame
    /// shrinks. It has no effect on logarithmic axes.
    pub fn aspect(mut self, ratio: f64) -> Panel {
        self.aspect = (ratio.is_finite() && (1e-6..=1e6).contains(&ratio)).then_some(ratio);
        self
    }

    /// Draws the frame only, without ticks and labels.
    pub fn without_axes(mut self) -> Panel {
        self.axes = false;
        self
    }

    fn with(mut self, mark: Mark) -> Panel {
        self.marks.push(mark);
        self
    }

    /// A line through the points, with the style's markers if it has any. NaN interrupts the line.
    pub fn line(self, points: Vec<(f64, f64)>, style: Style) -> Panel {
        self.with(Mark::Line { points, style })
    }

    /// Points without a line; circles unless the style has another marker.
    pub fn points(self, points: Vec<(f64, f64)>, style: Style) -> Panel {
        self.with(Mark::Points { points, style })
    }

    /// Bars from `y - half` to `y + half` for every `(x, y, half)`. If the lower end is not positive on a
    /// logarithmic axis, the bar extends beyond the frame.
    pub fn error_bars(self, points: Vec<(f64, f64, f64)>, style: Style) -> Panel {
        self.with(Mark::ErrorBars { points, style })
    }

    /// Polygons, filled by the even-odd rule: a ring inside another is a hole.
    pub fn rings(self, rings: Vec<Vec<(f64, f64)>>, fill: Option<Color>, style: Style) -> Panel {
        self.with(Mark::Rings { rings, fill, style })
    }

    /// Filled steps from zero: `counts[i]` between `edges[i]` and `edges[i + 1]`.
    pub fn histogram(self, edges: Vec<f64>, counts: Vec<f64>, style: Style) -> Panel {
        self.with(Mark::Histogram { edges, counts, style })
    }

    /// Coloured cells, with a colour bar next to the panel.
    pub fn heatmap(mut self, heatmap: Heatmap) -> Panel {
        self.bar = Some(ColorBar { scale: heatmap.scale.clone(), label: heatmap.label.clone() });
        self.with(Mark::Heatmap(heatmap))
    }

    /// Lines of equal value, coloured by level.
    pub fn contours(self, grid: Grid, levels: Vec<f64>, scale: ColorScale) -> Panel {
        self.with(Mark::Contours { grid, levels, scale })
    }

    /// Lines of equal value in one look, to tell several grids apart.
    pub fn contour_lines(self, grid: Grid, levels: Vec<f64>, style: Style) -> Panel {
        self.with(Mark::ContourLines { grid, levels, style })
    }

    /// The areas between consecutive levels, each in the colour of its middle. Below the lowest level nothing
    /// is drawn; the area above the highest extends to the end of the scale.
    pub fn filled_contours(self, grid: Grid, levels: Vec<f64>, scale: ColorScale) -> Panel {
        self.with(Mark::FilledContours { grid, levels, scale })
    }

    /// Draws this colour scale next to the panel.
    pub fn color_bar(mut self, scale: ColorScale, label: impl Into<String>) -> Panel {
        self.bar = Some(ColorBar { scale, label: label.into() });
        self
    }

    /// Leaves out the colour bar of a heat map, for example if a neighbouring panel shows the same.
    pub fn without_color_bar(mut self) -> Panel {
        self.bar = None;
        self
    }

    /// A horizontal line across the whole panel.
    pub fn horizontal(self, y: f64, style: Style) -> Panel {
        self.with(Mark::Horizontal { y, style })
    }

    /// A vertical line across the whole panel.
    pub fn vertical(self, x: f64, style: Style) -> Panel {
        self.with(Mark::Vertical { x, style })
    }

    /// A note with its start, middle or end at the point; moved inside if it would leave the frame.
    pub fn text(self, x: f64, y: f64, text: impl Into<String>, anchor: Anchor) -> Panel {
        self.with(Mark::Text { x, y, text: text.into(), anchor })
    }

    /// Whether a heat map covers the background, where grid lines would only be visible in blank cells.
    pub(crate) fn has_cells(&self) -> bool {
        self.marks.iter().any(|mark| matches!(mark, Mark::Heatmap(_)))
    }

    /// The extents of the marks along both axes.
    pub(crate) fn extents(&self) -> (Extent, Extent) {
        let (mut x, mut y) = (Extent::new(self.x.is_log()), Extent::new(self.y.is_log()));
        self.marks.iter().for_each(|mark| mark.cover(&mut x, &mut y));
        (x, y)
    }
}

//! The marks that can be drawn in a panel, and their extent along the axes.

use crate::color_scale::ColorScale;
use crate::contour::Grid;
use crate::scale::Extent;
use crate::style::{Color, Style};

/// The part of a text that is placed at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// The point is in the middle of the text.
    Middle,
    /// The text ends at the point.
    End,
}

/// Coloured cells of a rectangular grid.
///
/// `values` go row by row from the lowest: the cell between `x_edges[column]`, `x_edges[column + 1]` and
/// `y_edges[row]`, `y_edges[row + 1]` has `values[row * (x_edges.len() - 1) + column]`. NaN leaves the cell
/// blank.
///
/// ```
/// use steinbound_plot::{Axis, ColorScale, Heatmap, Panel};
///
/// let heatmap = Heatmap {
///     x_edges: Heatmap::category_edges(2),
///     y_edges: Heatmap::category_edges(1),
///     values: vec![0.94, 0.95],
///     scale: ColorScale::sequential(0.9, 1.0),
///     label: "coverage".to_string(),
///     digits: Some(2),
/// };
/// Panel::new(Axis::categories("method", ["TKSD", "MLE"]), Axis::categories("", ["ball"])).heatmap(heatmap);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Heatmap {
    /// Edges of the columns, one more than there are columns.
    pub x_edges: Vec<f64>,
    /// Edges of the rows, one more than there are rows.
    pub y_edges: Vec<f64>,
    /// Row by row.
    pub values: Vec<f64>,
    /// The colour scale of the values.
    pub scale: ColorScale,
    /// The label of the colour bar.
    pub label: String,
    /// Writes the values into the cells with this number of decimals, if there is room.
    pub digits: Option<usize>,
}

impl Heatmap {
    /// Edges of cells around the categories 0, 1, 2 and so on.
    pub fn category_edges(count: usize) -> Vec<f64> {
        (0..=count).map(|index| index as f64 - 0.5).collect()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mark {
    Line { points: Vec<(f64, f64)>, style: Style },
    Points { points: Vec<(f64, f64)>, style: Style },
    ErrorBars { points: Vec<(f64, f64, f64)>, style: Style },
    Rings { rings: Vec<Vec<(f64, f64)>>, fill: Option<Color>, style: Style },
    Histogram { edges: Vec<f64>, counts: Vec<f64>, style: Style },
    Heatmap(Heatmap),
    Contours { grid: Grid, levels: Vec<f64>, scale: ColorScale },
    ContourLines { grid: Grid, levels: Vec<f64>, style: Style },
    FilledContours { grid: Grid, levels: Vec<f64>, scale: ColorScale },
    Horizontal { y: f64, style: Style },
    Vertical { x: f64, style: Style },
    Text { x: f64, y: f64, text: String, anchor: Anchor },
}

impl Mark {
    /// Adds the extent of the mark to the extents of the axes.
    pub(crate) fn cover(&self, x: &mut Extent, y: &mut Extent) {
        // A point that cannot be placed on one axis does not extend the other.
        let mut both = |point: (f64, f64)| {
            if x.has_place(point.0) && y.has_place(point.1) {
                x.point(point.0);
                y.point(point.1);
            }
        };
        match self {
            Mark::Line { points, .. } | Mark::Points { points, .. } => {
                points.iter().for_each(|&point| both(point))
            }
            Mark::ErrorBars { points, .. } => points.iter().for_each(|&(place, middle, half)| {
                both((place, middle));
                both((place, middle - half));
                both((place, middle + half));
            }),
            Mark::Rings { rings, .. } => rings.iter().flatten().for_each(|&point| both(point)),
            Mark::Histogram { edges, counts, .. } => {
                y.edge(0.0);
                edges.iter().take(counts.len() + 1).for_each(|&edge| x.point(edge));
                counts.iter().take(edges.len().saturating_sub(1)).for_each(|&count| y.point(count));
            }
            Mark::Heatmap(Heatmap { x_edges, y_edges, .. }) => {
                x_edges.iter().for_each(|&edge| x.edge(edge));
                y_edges.iter().for_each(|&edge| y.edge(edge));
            }
            Mark::Contours { grid, .. }
            | Mark::ContourLines { grid, .. }
            | Mark::FilledContours { grid, .. } => {
                grid.x.iter().for_each(|&edge| x.edge(edge));
                grid.y.iter().for_each(|&edge| y.edge(edge));
            }
            Mark::Horizontal { y: place, .. } => y.point(*place),
            Mark::Vertical { x: place, .. } => x.point(*place),
            Mark::Text { x: across, y: up, .. } => both((*across, *up)),
        }
    }
}

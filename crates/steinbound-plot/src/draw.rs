//! Marks as SVG elements. Every mark is one group that carries its class.

use crate::color_scale::ColorScale;
use crate::contour::{self, Grid};
use crate::marker;
use crate::marks::{Anchor, Heatmap, Mark};
use crate::scale::View;
use crate::style::{Color, Marker, Style};
use crate::svg::{Element, Svg, path};
use crate::text::{self, HALF_DIGIT, LABEL_SIZE, TICK_SIZE, Weight};
use crate::ticks::decimal;

/// Half the width of an error bar's caps in pixels.
const CAP: f64 = 3.0;
/// The overlap of a heat map's cells under their neighbours, in pixels.
const UNDERLAP: f64 = 0.6;
/// The opacity of a histogram's area relative to its outline.
const AREA_OPACITY: f64 = 0.3;

/// Draws one mark.
pub(crate) fn mark(svg: &mut Svg, view: &View, mark: &Mark) {
    match mark {
        Mark::Line { points, style } => {
            group(svg, "line", style.opacity);
            line(svg, view, points, style);
            if let Some(shape) = style.marker {
                markers(svg, view, points, shape, style);
            }
        }
        Mark::Points { points, style } => {
            // Overlapping points add up, so the opacity is set for each point and not for the group.
            let element = svg.element("g").attribute("class", "points");
            element
                .number_unless("fill-opacity", style.opacity, 1.0)
                .number_unless("stroke-opacity", style.opacity, 1.0)
                .open();
            markers(svg, view, points, style.marker.unwrap_or(Marker::Circle), style);
        }
        Mark::ErrorBars { points, style } => {
            group(svg, "error-bars", style.opacity);
            error_bars(svg, view, points, style);
        }
        Mark::Rings { rings, fill, style } => {
            group(svg, "rings", style.opacity);
            let place = |ring: &Vec<(f64, f64)>| ring.iter().filter_map(|&point| view.point(point)).collect();
            area(svg, rings.iter().map(place), *fill, Some(style));
        }
        Mark::Histogram { edges, counts, style } => {
            group(svg, "histogram", style.opacity);
            histogram(svg, view, edges, counts, style);
        }
        Mark::Heatmap(cells) => {
            group(svg, "heatmap", 1.0);
            heatmap(svg, view, cells);
        }
        Mark::Contours { grid, levels, scale } => {
            group(svg, "contours", 1.0);
            contours(svg, view, grid, levels, scale);
        }
        Mark::ContourLines { grid, levels, style } => {
            group(svg, "contours", style.opacity);
            in_order(levels).into_iter().for_each(|level| contour(svg, view, grid, level, style));
        }
        Mark::FilledContours { grid, levels, scale } => {
            group(svg, "filled-contours", 1.0);
            filled_contours(svg, view, grid, levels, scale);
        }
        Mark::Horizontal { y, style } => {
            group(svg, "horizontal", style.opacity);
            if let Some(y) = view.down(*y) {
                straight(svg, (view.frame.left, y), (view.frame.right(), y), style);
            }
        }
        Mark::Vertical { x, style } => {
            group(svg, "vertical", style.opacity);
            if let Some(x) = view.across(*x) {
                straight(svg, (x, view.frame.top), (x, view.frame.bottom()), style);
            }
        }
        Mark::Text { x, y, text, anchor } => {
            group(svg, "note", 1.0);
            note(svg, view, (*x, *y), text, *anchor);
        }
    }
    svg.close();
}

fn group(svg: &mut Svg, class: &str, opacity: f64) {
    svg.element("g").attribute("class", class).number_unless("opacity", opacity, 1.0).open();
}

/// Colour, width and dashes of a stroke.
pub(crate) fn stroke<'a>(element: Element<'a>, style: &Style) -> Element<'a> {
    let element = element.attribute("stroke", &style.color.hex()).number("stroke-width", style.width);
    match style.dashes() {
        Some(dashes) => element.attribute("stroke-dasharray", &dashes),
        None => element,
    }
}

pub(crate) fn straight(svg: &mut Svg, from: (f64, f64), to: (f64, f64), style: &Style) {
    let element =
        svg.element("line").number("x1", from.0).number("y1", from.1).number("x2", to.0).number("y2", to.1);
    stroke(element, style).empty();
}

fn line(svg: &mut Svg, view: &View, points: &[(f64, f64)], style: &Style) {
    let mut data = String::new();
    for run in points.split(|&point| view.point(point).is_none()).filter(|run| run.len() > 1) {
        let placed: Vec<(f64, f64)> = run.iter().filter_map(|&point| view.point(point)).collect();
        path(&mut data, &placed, false);
    }
    if !data.is_empty() && style.width > 0.0 {
        let element = svg.element("path").attribute("d", &data).attribute("fill", "none");
        stroke(element, style).attribute("stroke-linejoin", "round").empty();
    }
}

fn markers(svg: &mut Svg, view: &View, points: &[(f64, f64)], shape: Marker, style: &Style) {
    marker::open_group(svg, shape, style);
    for place in points.iter().filter_map(|&point| view.point(point)) {
        if view.frame.holds(place, 2.0 * style.size + 2.0) {
            marker::draw(svg, shape, place, style.size);
        }
    }
    svg.close();
}

fn error_bars(svg: &mut Svg, view: &View, points: &[(f64, f64, f64)], style: &Style) {
    let mut data = String::new();
    for &(x, y, half) in points {
        let half = half.abs();
        let (Some((x, _)), Some(upper)) = (view.point((x, y)), view.down(y + half)) else { continue };
        let (lower, open) = match view.down(y - half) {
            Some(lower) => (lower, false),
            None => (view.frame.bottom() + CAP, true),
        };
        path(&mut data, &[(x, lower), (x, upper)], false);
        path(&mut data, &[(x - CAP, upper), (x + CAP, upper)], false);
        if !open {
            path(&mut data, &[(x - CAP, lower), (x + CAP, lower)], false);
        }
    }
    if !data.is_empty() {
        let solid = Style::new(style.color).width(style.width.min(1.2));
        stroke(svg.element("path").attribute("d", &data).attribute("fill", "none"), &solid).empty();
    }
}

/// Closed rings as one path.
fn area(
    svg: &mut Svg,
    rings: impl Iterator<Item = Vec<(f64, f64)>>,
    fill: Option<Color>,
    outline: Option<&Style>,
) {
    let mut data = String::new();
    rings.filter(|ring| ring.len() > 2).for_each(|ring| path(&mut data, &ring, true));
    if data.is_empty() {
        return;
    }
    let element = svg.element("path").attribute("d", &data);
    let element = match fill {
        Some(color) => element.attribute("fill", &color.hex()).attribute("fill-rule", "evenodd"),
        None => element.attribute("fill", "none"),
    };
    match outline {
        Some(style) if style.width > 0.0 => {
            stroke(element, style).attribute("stroke-linejoin", "round").empty()
        }
        _ => element.empty(),
    }
}

fn histogram(svg: &mut Svg, view: &View, edges: &[f64], counts: &[f64], style: &Style) {
    let floor = view.down(0.0).unwrap_or(view.frame.bottom() + style.width);
    let mut outline = Vec::new();
    for (pair, &count) in edges.windows(2).zip(counts) {
        if let (Some(left), Some(right)) = (view.across(pair[0]), view.across(pair[1])) {
            let top = view.down(count).unwrap_or(floor);
            outline.extend([(left, top), (right, top)]);
        }
    }
    let (Some(&first), Some(&last)) = (outline.first(), outline.last()) else { return };
    outline.insert(0, (first.0, floor));
    outline.push((last.0, floor));
    let mut data = String::new();
    path(&mut data, &outline, false);
    let element = svg.element("path").attribute("d", &data).attribute("fill", &style.color.hex());
    stroke(element.number("fill-opacity", AREA_OPACITY), style).empty();
}

fn heatmap(svg: &mut Svg, view: &View, cells: &Heatmap) {
    let (columns, rows) = (cells.x_edges.len().saturating_sub(1), cells.y_edges.len().saturating_sub(1));
    let painted = |column: usize, row: usize| {
        let value = *cells.values.get(row * columns + column).filter(|_| column < columns && row < rows)?;
        Some((value, cells.scale.color(value)?))
    };
    let mut numbers = Vec::new();
    svg.element("g").attribute("shape-rendering", "crispEdges").open();
    for (row, up) in cells.y_edges.windows(2).enumerate() {
        for (column, across) in cells.x_edges.windows(2).enumerate() {
            let corners = (view.point((across[0], up[0])), view.point((across[1], up[1])));
            let (Some((value, color)), (Some(one), Some(other))) = (painted(column, row), corners) else {
                continue;
            };
            let (width, height) = ((other.0 - one.0).abs(), (other.1 - one.1).abs());
            // Cells extend slightly under those drawn after them, so that rounding leaves no seams.
            let right = if painted(column + 1, row).is_some() { UNDERLAP } else { 0.0 };
            let above = if painted(column, row + 1).is_some() { UNDERLAP } else { 0.0 };
            let element =
                svg.element("rect").number("x", one.0.min(other.0)).number("y", one.1.min(other.1) - above);
            let element = element.number("width", width + right).number("height", height + above);
            element.attribute("fill", &color.hex()).empty();
            if let Some(digits) = cells.digits {
                let label = decimal(value, digits.min(12));
                if text::width(&label, TICK_SIZE, Weight::Regular) + 2.0 <= width && TICK_SIZE <= height {
                    numbers.push((label, ((one.0 + other.0) / 2.0, (one.1 + other.1) / 2.0), color.ink()));
                }
            }
        }
    }
    svg.close();
    for (label, (x, y), ink) in numbers {
        let element = svg.element("text").number("x", x).number("y", y + HALF_DIGIT * TICK_SIZE);
        let element = element.number("font-size", TICK_SIZE).attribute("text-anchor", "middle");
        element.attribute("fill", &ink.hex()).holding(&label);
    }
}

/// Levels that are numbers, in order, each once.
fn in_order(levels: &[f64]) -> Vec<f64> {
    let mut levels: Vec<f64> = levels.iter().copied().filter(|level| !level.is_nan()).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    levels
}

fn contours(svg: &mut Svg, view: &View, grid: &Grid, levels: &[f64], scale: &ColorScale) {
    for level in in_order(levels) {
        let Some(color) = scale.color(level) else { continue };
        contour(svg, view, grid, level, &Style::new(color).width(1.3));
    }
}

/// The lines of one level.
fn contour(svg: &mut Svg, view: &View, grid: &Grid, level: f64, style: &Style) {
    let mut data = String::new();
    for line in contour::lines(grid, level) {
        let placed: Vec<(f64, f64)> = line.into_iter().filter_map(|point| view.point(point)).collect();
        path(&mut data, &placed, false);
    }
    if !data.is_empty() {
        let element = svg.element("path").attribute("d", &data).attribute("fill", "none");
        stroke(element, style).attribute("stroke-linejoin", "round").empty();
    }
}

/// Paints the area above each level over the one above the level before.
fn filled_contours(svg: &mut Svg, view: &View, grid: &Grid, levels: &[f64], scale: &ColorScale) {
    let levels = in_order(levels);
    for (index, &level) in levels.iter().enumerate() {
        let low = level.max(scale.low);
        let high = levels.get(index + 1).copied().unwrap_or(scale.high).clamp(low, scale.high.max(low));
        let middle = if scale.log { (low * high).sqrt() } else { (low + high) / 2.0 };
        let rings = contour::areas(grid, level).into_iter();
        let placed = rings.map(|ring| ring.into_iter().filter_map(|point| view.point(point)).collect());
        area(svg, placed, scale.color(middle), None);
    }
}

fn note(svg: &mut Svg, view: &View, place: (f64, f64), content: &str, anchor: Anchor) {
    let Some((x, y)) = view.point(place).filter(|&place| view.frame.holds(place, 0.5)) else { return };
    let width = text::width(content, LABEL_SIZE, Weight::Regular);
    let start = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2.0,
        Anchor::End => x - width,
    };
    let frame = view.frame;
    let (least, half) = (frame.left + 3.0, 0.6 * LABEL_SIZE);
    let start = start.clamp(least, (frame.right() - 3.0 - width).max(least));
    let middle = y.clamp(frame.top + half, (frame.bottom() - half).max(frame.top + half));
    let element = svg.element("text").number("x", start).number("y", middle + HALF_DIGIT * LABEL_SIZE);
    // A white outline keeps notes readable on lines and colours.
    let element =
        element.attribute("stroke", "#ffffff").number("stroke-width", 3.0).attribute("stroke-opacity", "0.8");
    element.attribute("paint-order", "stroke").attribute("stroke-linejoin", "round").holding(content);
}

//! A panel as SVG: grid, marks, frame, ticks, labels, colour bar.

use crate::axis::SLOPE;
use crate::draw;
use crate::layout::{
    BAR_GAP, BAR_LABEL_GAP, BAR_WIDTH, Cell, LABEL_GAP, TICK, TICK_GAP, lines_height, tick_label_height,
    tick_room,
};
use crate::panel::ColorBar;
use crate::scale::{Frame, Scale};
use crate::svg::{Svg, number};
use crate::text::{self, HALF_DIGIT, LABEL_SIZE, LEADING, TICK_SIZE, Weight};

type Place = (f64, f64);

const FRAME_COLOR: &str = "#4d4d4d";
const GRID_COLOR: &str = "#ededed";

/// The height of capitals above the baseline and the depth of letters below it, in units of the text size.
const RISE: f64 = 0.75;
const DROP: f64 = 0.25;

/// Draws a panel; `name` is the prefix of its ids.
pub(crate) fn draw(svg: &mut Svg, cell: &Cell, name: &str) {
    let frame = cell.view.frame;
    let clip = format!("{name}-clip");
    svg.element("g").attribute("class", "panel").attribute("id", name).open();
    svg.element("clipPath").attribute("id", &clip).open();
    rectangle(svg, frame);
    svg.close();
    if cell.panel.axes && !cell.panel.has_cells() {
        grid(svg, cell);
    }
    svg.element("g").attribute("class", "marks").attribute("clip-path", &format!("url(#{clip})")).open();
    cell.panel.marks.iter().for_each(|mark| draw::mark(svg, &cell.view, mark));
    svg.close();
    let element =
        svg.element("rect").attribute("class", "frame").number("x", frame.left).number("y", frame.top);
    let element =
        element.number("width", frame.width).number("height", frame.height).attribute("fill", "none");
    element.attribute("stroke", FRAME_COLOR).number("stroke-width", 0.8).empty();
    if cell.panel.axes {
        ticks(svg, cell);
        labels(svg, cell);
    }
    title(svg, cell);
    if let (Some(bar), Some(scale)) = (&cell.panel.bar, &cell.bar) {
        color_bar(svg, cell, bar, scale, name);
    }
    svg.close();
}

fn rectangle(svg: &mut Svg, frame: Frame) {
    let element = svg.element("rect").number("x", frame.left).number("y", frame.top);
    element.number("width", frame.width).number("height", frame.height).empty();
}

/// Straight segments as one path, each from a point to another.
fn strokes(svg: &mut Svg, class: &str, pieces: &[(Place, Place)], color: &str) {
    let mut data = String::new();
    pieces.iter().for_each(|&(from, to)| crate::svg::path(&mut data, &[from, to], false));
    if !data.is_empty() {
        let element = svg.element("path").attribute("class", class).attribute("d", &data);
        element.attribute("fill", "none").attribute("stroke", color).number("stroke-width", 0.8).empty();
    }
}

fn grid(svg: &mut Svg, cell: &Cell) {
    let (view, frame) = (&cell.view, cell.view.frame);
    let across = view.x.ticks.iter().filter_map(|tick| view.across(tick.value));
    let up = view.y.ticks.iter().filter_map(|tick| view.down(tick.value));
    let vertical = across.map(|x| ((x, frame.top), (x, frame.bottom())));
    let pieces: Vec<_> = vertical.chain(up.map(|y| ((frame.left, y), (frame.right(), y)))).collect();
    strokes(svg, "grid", &pieces, GRID_COLOR);
}

fn ticks(svg: &mut Svg, cell: &Cell) {
    let (view, frame) = (&cell.view, cell.view.frame);
    let (bottom, left) = (frame.bottom(), frame.left);
    let short = TICK / 2.0;
    let mut pieces = Vec::new();
    let places = |scale: &Scale| {
        let major = scale.ticks.iter().map(|tick| (tick.value, TICK));
        major.chain(scale.minor.iter().map(|&value| (value, short))).collect::<Vec<_>>()
    };
    for (value, length) in places(&view.x) {
        pieces.extend(view.across(value).map(|x| ((x, bottom), (x, bottom + length))));
    }
    for (value, length) in places(&view.y) {
        pieces.extend(view.down(value).map(|y| ((left - length, y), (left, y))));
    }
    strokes(svg, "ticks", &pieces, FRAME_COLOR);
    svg.element("g").attribute("class", "tick-labels").number("font-size", TICK_SIZE).open();
    let anchor = if view.x.sloping { "end" } else { "middle" };
    svg.element("g").attribute("text-anchor", anchor).open();
    for tick in view.x.ticks.iter().filter(|tick| !tick.label.is_empty()) {
        if let Some(x) = view.across(tick.value) {
            let y = bottom + TICK + TICK_GAP + RISE * TICK_SIZE;
            if view.x.sloping {
                let turned =
                    format!("{} rotate({})", shifted(x + 0.3 * TICK_SIZE, y), number(-SLOPE.to_degrees()));
                svg.element("text").attribute("transform", &turned).holding(&tick.label);
            } else {
                svg.element("text").number("x", x).number("y", y).holding(&tick.label);
            }
        }
    }
    svg.close();
    svg.element("g").attribute("text-anchor", "end").open();
    for tick in view.y.ticks.iter().filter(|tick| !tick.label.is_empty()) {
        if let Some(y) = view.down(tick.value) {
            let (x, y) = (left - TICK - TICK_GAP, y + HALF_DIGIT * TICK_SIZE);
            svg.element("text").number("x", x).number("y", y).holding(&tick.label);
        }
    }
    svg.close();
    svg.close();
}

/// Lines of a label, the first at a baseline of zero, under a transformation.
fn label(svg: &mut Svg, lines: &[String], transform: &str) {
    for (index, line) in lines.iter().enumerate() {
        let element = svg.element("text").attribute("class", "axis-label").attribute("transform", transform);
        let element = element.number_unless("y", index as f64 * LABEL_SIZE * LEADING, 0.0);
        element.attribute("text-anchor", "middle").holding(line);
    }
}

fn shifted(x: f64, y: f64) -> String {
    format!("translate({} {})", number(x), number(y))
}

/// Text that reads upwards.
fn turned(baseline: f64, middle: f64) -> String {
    format!("{} rotate(-90)", shifted(baseline, middle))
}

/// The middle of a label: that of the frame, or the nearest position at which the label stays within the
/// cell.
fn middle(lines: &[String], (start, length): (f64, f64), (cell_start, cell_length): (f64, f64)) -> f64 {
    let widths = lines.iter().map(|line| text::width(line, LABEL_SIZE, Weight::Regular));
    let half = widths.fold(0.0, f64::max) / 2.0;
    let (least, most) = (cell_start + half, cell_start + cell_length - half);
    let middle = start + length / 2.0;
    if least <= most { middle.clamp(least, most) } else { middle }
}

fn labels(svg: &mut Svg, cell: &Cell) {
    let (frame, whole) = (cell.view.frame, cell.whole);
    let across = middle(&cell.x_label, (frame.left, frame.width), (whole.left, whole.width));
    let baseline =
        frame.bottom() + TICK + TICK_GAP + tick_label_height(&cell.view.x) + LABEL_GAP + RISE * LABEL_SIZE;
    label(svg, &cell.x_label, &shifted(across, baseline));
    let down = middle(&cell.y_label, (frame.top, frame.height), (whole.top, whole.height));
    label(svg, &cell.y_label, &turned(frame.left - cell.margins.left + RISE * LABEL_SIZE, down));
}

fn title(svg: &mut Svg, cell: &Cell) {
    let frame = cell.view.frame;
    let top = frame.top - LABEL_GAP - lines_height(&cell.title);
    for (index, line) in cell.title.iter().enumerate() {
        let baseline = top + (index + 1) as f64 * LABEL_SIZE * LEADING - DROP * LABEL_SIZE;
        let element =
            svg.element("text").attribute("class", "title").number("x", frame.left).number("y", baseline);
        element.attribute("font-weight", "bold").holding(line);
    }
}

fn color_bar(svg: &mut Svg, cell: &Cell, bar: &ColorBar, scale: &Scale, name: &str) {
    let frame = cell.view.frame;
    let gradient = format!("{name}-colors");
    svg.element("g").attribute("class", "color-bar").open();
    let element = svg.element("linearGradient").attribute("id", &gradient);
    element.attribute("x1", "0").attribute("x2", "0").attribute("y1", "1").attribute("y2", "0").open();
    let stops = bar.scale.stops();
    for (index, color) in stops.iter().enumerate() {
        let part = index as f64 / (stops.len() - 1) as f64;
        svg.element("stop")
            .attribute("offset", &format!("{part:.4}"))
            .attribute("stop-color", &color.hex())
            .empty();
    }
    svg.close();
    let left = frame.right() + BAR_GAP;
    let right = left + BAR_WIDTH;
    let element = svg.element("rect").number("x", left).number("y", frame.top).number("width", BAR_WIDTH);
    let element = element.number("height", frame.height).attribute("fill", &format!("url(#{gradient})"));
    element.attribute("stroke", FRAME_COLOR).number("stroke-width", 0.8).empty();
    let down = |value: f64| scale.part(value).map(|part| frame.bottom() - part * frame.height);
    let places: Vec<f64> = scale.ticks.iter().filter_map(|tick| down(tick.value)).collect();
    let pieces: Vec<_> = places.iter().map(|&y| ((right, y), (right + TICK, y))).collect();
    strokes(svg, "ticks", &pieces, FRAME_COLOR);
    svg.element("g").attribute("class", "tick-labels").number("font-size", TICK_SIZE).open();
    for tick in scale.ticks.iter().filter(|tick| !tick.label.is_empty()) {
        if let Some(y) = down(tick.value) {
            let element = svg.element("text").number("x", right + TICK + TICK_GAP);
            element.number("y", y + HALF_DIGIT * TICK_SIZE).holding(&tick.label);
        }
    }
    svg.close();
    let baseline = right + tick_room(scale) + BAR_LABEL_GAP + RISE * LABEL_SIZE;
    let lines = std::slice::from_ref(&cell.bar_label);
    let down = middle(lines, (frame.top, frame.height), (cell.whole.top, cell.whole.height));
    if !cell.bar_label.is_empty() {
        label(svg, lines, &turned(baseline, down));
    }
    svg.close();
}

//! A panel in its place as SVG: grid, marks, frame, ticks, labels, colour bar.

use crate::draw;
use crate::layout::{BAR_GAP, BAR_WIDTH, Cell, LABEL_GAP, TICK, TICK_GAP, lines_height, tick_room};
use crate::panel::ColorBar;
use crate::scale::{Frame, Scale};
use crate::svg::{Svg, number};
use crate::text::{HALF_DIGIT, LABEL_SIZE, LEADING, TICK_SIZE};

const FRAME_COLOR: &str = "#4d4d4d";
const GRID_COLOR: &str = "#ededed";

/// How far capitals rise above the baseline and how far letters hang below it, in units of the text size.
const RISE: f64 = 0.75;
const DROP: f64 = 0.25;

/// Draws a panel; `name` is what its ids begin with.
pub(crate) fn draw(svg: &mut Svg, cell: &Cell, name: &str) {
    let frame = cell.view.frame;
    let clip = format!("{name}-clip");
    svg.element("g").attribute("class", "panel").attribute("id", name).open();
    svg.element("clipPath").attribute("id", &clip).open();
    rectangle(svg, frame);
    svg.close();
    if cell.panel.axes {
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
        color_bar(svg, frame, bar, scale, name);
    }
    svg.close();
}

fn rectangle(svg: &mut Svg, frame: Frame) {
    let element = svg.element("rect").number("x", frame.left).number("y", frame.top);
    element.number("width", frame.width).number("height", frame.height).empty();
}

/// Straight pieces as one path, each from a point to another.
fn strokes(svg: &mut Svg, class: &str, pieces: &[((f64, f64), (f64, f64))], color: &str) {
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
    svg.element("g").attribute("text-anchor", "middle").open();
    for tick in view.x.ticks.iter().filter(|tick| !tick.label.is_empty()) {
        if let Some(x) = view.across(tick.value) {
            let y = bottom + TICK + TICK_GAP + RISE * TICK_SIZE;
            svg.element("text").number("x", x).number("y", y).holding(&tick.label);
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
fn label(svg: &mut Svg, class: &str, lines: &[String], transform: &str) {
    for (index, line) in lines.iter().enumerate() {
        let element = svg.element("text").attribute("class", class).attribute("transform", transform);
        let element = element.number_unless("y", index as f64 * LABEL_SIZE * LEADING, 0.0);
        element.attribute("text-anchor", "middle").holding(line);
    }
}

fn shifted(x: f64, y: f64) -> String {
    format!("translate({} {})", number(x), number(y))
}

fn labels(svg: &mut Svg, cell: &Cell) {
    let frame = cell.view.frame;
    let middle = frame.left + frame.width / 2.0;
    let baseline = frame.bottom() + TICK + TICK_GAP + TICK_SIZE * LEADING + LABEL_GAP + RISE * LABEL_SIZE;
    label(svg, "axis-label", &cell.x_label, &shifted(middle, baseline));
    let baseline = frame.left - cell.margins.left + RISE * LABEL_SIZE;
    let turned = format!("{} rotate(-90)", shifted(baseline, frame.top + frame.height / 2.0));
    label(svg, "axis-label", &cell.y_label, &turned);
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

fn color_bar(svg: &mut Svg, frame: Frame, bar: &ColorBar, scale: &Scale, name: &str) {
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
    let baseline = right + tick_room(scale) + LABEL_GAP + RISE * LABEL_SIZE;
    let turned = format!("{} rotate(-90)", shifted(baseline, frame.top + frame.height / 2.0));
    if !bar.label.is_empty() {
        label(svg, "axis-label", std::slice::from_ref(&bar.label), &turned);
    }
    svg.close();
}

//! Layout: frames, and around them the room for titles, labels and colour bars.

use crate::axis::{Axis, Direction, SLOPE};
use crate::panel::Panel;
use crate::scale::{Extent, Frame, Scale, View};
use crate::text::{self, LABEL_SIZE, LEADING, TICK_SIZE, Weight};

/// Length of a tick and the gap between it and its label.
pub(crate) const TICK: f64 = 4.0;
pub(crate) const TICK_GAP: f64 = 3.0;
/// The gap between tick labels and the label of the axis, and between title and frame.
pub(crate) const LABEL_GAP: f64 = 4.0;
pub(crate) const BAR_LABEL_GAP: f64 = 7.0;
pub(crate) const BAR_GAP: f64 = 10.0;
pub(crate) const BAR_WIDTH: f64 = 11.0;
const PANEL_GAP: f64 = 16.0;
const ROW_GAP: f64 = 10.0;
/// The smallest size of a frame in pixels.
const LEAST: f64 = 10.0;

/// Room around a frame.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Margins {
    pub(crate) left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Margins {
    fn hold(&self, other: &Margins) -> bool {
        let sides = |margins: &Margins| [margins.left, margins.right, margins.top, margins.bottom];
        sides(self).iter().zip(sides(other)).all(|(room, needed)| *room >= needed - 0.1)
    }

    fn max(self, other: Margins) -> Margins {
        Margins {
            left: self.left.max(other.left),
            right: self.right.max(other.right),
            top: self.top.max(other.top),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

/// A row of panels with their weights.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) height: f64,
    pub(crate) panels: Vec<(f64, Panel)>,
}

/// A panel at its position.
pub(crate) struct Cell<'a> {
    pub(crate) panel: &'a Panel,
    pub(crate) view: View,
    /// The colour bar's scale.
    pub(crate) bar: Option<Scale>,
    pub(crate) margins: Margins,
    pub(crate) title: Vec<String>,
    pub(crate) x_label: Vec<String>,
    pub(crate) y_label: Vec<String>,
    pub(crate) bar_label: String,
    /// The frame with its margins.
    pub(crate) whole: Frame,
}

/// Places the rows from the top of `page`; returns the cells and the lower end of the last row.
pub(crate) fn place(rows: &[Row], page: Frame) -> (Vec<Cell<'_>>, f64) {
    let mut margins: Vec<Vec<Margins>> =
        rows.iter().map(|row| vec![Margins::default(); row.panels.len()]).collect();
    // Labels depend on the size of frames, and frames on the room for labels. Margins only grow, and converge
    // after a few rounds.
    for _ in 0..4 {
        let wanted = wanted(rows, page, &margins);
        for (margins, wanted) in margins.iter_mut().flatten().zip(wanted.into_iter().flatten()) {
            *margins = margins.max(wanted);
        }
        align(rows, &mut margins);
    }
    // Reduce margins that only the first rounds needed, if the result is consistent.
    let mut tighter = wanted(rows, page, &margins);
    align(rows, &mut tighter);
    let mut check = wanted(rows, page, &tighter);
    align(rows, &mut check);
    if tighter.iter().flatten().zip(check.iter().flatten()).all(|(given, wanted)| given.hold(wanted)) {
        margins = tighter;
    }
    let mut cells = settle(rows, page, &margins);
    let bottom = close_up(rows, &mut cells, &margins);
    (cells, page.top + bottom)
}

/// Moves rows up where frames of the row above are lower than their room to keep an aspect, and makes the
/// others of that row as low. Returns the height of all rows.
fn close_up(rows: &[Row], cells: &mut [Cell], margins: &[Vec<Margins>]) -> f64 {
    let (mut first, mut saved, mut bottom) = (0, 0.0, 0.0);
    for (row, margins) in rows.iter().zip(margins) {
        let of_row = &mut cells[first..first + row.panels.len()];
        first += row.panels.len();
        let room = |around: &Margins| (row.height - around.top - around.bottom).max(LEAST);
        let keeping = of_row.iter().zip(margins).filter(|(cell, _)| cell.panel.aspect.is_some());
        let spare = keeping.map(|(cell, around)| room(around) - cell.view.frame.height);
        let spare = spare.fold(f64::INFINITY, f64::min);
        let spare = if spare.is_finite() { spare.max(0.0) } else { 0.0 };
        for (cell, around) in of_row.iter_mut().zip(margins) {
            cell.view.frame.height = cell.view.frame.height.min(room(around) - spare);
            cell.view.frame.top -= saved;
            cell.whole.top -= saved;
            cell.whole.height -= spare;
            for line in &mut cell.y_label {
                *line = text::shorten(line, cell.whole.height, LABEL_SIZE, Weight::Regular);
            }
        }
        saved += spare;
        bottom += row.height;
    }
    bottom - saved + ROW_GAP * rows.len().saturating_sub(1) as f64
}

/// The margins that every panel needs, given the current margins.
fn wanted(rows: &[Row], page: Frame, margins: &[Vec<Margins>]) -> Vec<Vec<Margins>> {
    let mut cells = settle(rows, page, margins).into_iter();
    rows.iter().map(|row| cells.by_ref().take(row.panels.len()).map(|cell| needed(&cell)).collect()).collect()
}

/// Aligns the frames of a row vertically, and those of a column horizontally if all rows are divided alike.
fn align(rows: &[Row], margins: &mut [Vec<Margins>]) {
    for row in margins.iter_mut() {
        let all = row.iter().fold(Margins::default(), |all, &one| all.max(one));
        for one in row.iter_mut() {
            (one.top, one.bottom) = (all.top, all.bottom);
        }
    }
    let weights = |row: &Row| row.panels.iter().map(|(weight, _)| *weight).collect::<Vec<f64>>();
    for row in 0..rows.len() {
        let alike: Vec<usize> =
            (0..rows.len()).filter(|&other| weights(&rows[other]) == weights(&rows[row])).collect();
        for column in 0..rows[row].panels.len() {
            let all = alike.iter().fold(Margins::default(), |all, &other| all.max(margins[other][column]));
            (margins[row][column].left, margins[row][column].right) = (all.left, all.right);
        }
    }
}

/// The cells, given the margins around each.
fn settle<'a>(rows: &'a [Row], page: Frame, margins: &[Vec<Margins>]) -> Vec<Cell<'a>> {
    let mut cells = Vec::new();
    let mut top = page.top;
    for (row, margins) in rows.iter().zip(margins) {
        let around: f64 = margins.iter().map(|one| one.left + one.right).sum();
        let gaps = PANEL_GAP * row.panels.len().saturating_sub(1) as f64;
        let weights: f64 = row.panels.iter().map(|(weight, _)| weight).sum();
        let mut left = page.left;
        for ((weight, panel), &margins) in row.panels.iter().zip(margins) {
            let width = ((page.width - around - gaps) * weight / weights).max(LEAST);
            let height = (row.height - margins.top - margins.bottom).max(LEAST);
            let room = Frame { left: left + margins.left, top: top + margins.top, width, height };
            cells.push(cell(panel, room, margins));
            left += margins.left + width + margins.right + PANEL_GAP;
        }
        top += row.height + ROW_GAP;
    }
    cells
}

fn cell(panel: &Panel, room: Frame, margins: Margins) -> Cell<'_> {
    let (x_extent, y_extent) = panel.extents();
    let mut bounds = (panel.x.bounds(&x_extent), panel.y.bounds(&y_extent));
    let mut frame = room;
    if let Some(ratio) = panel.aspect.filter(|_| !panel.x.is_log() && !panel.y.is_log()) {
        let widen = (may_widen(&panel.x, &x_extent), may_widen(&panel.y, &y_extent));
        frame = keep_aspect(room, &mut bounds, ratio, widen);
    }
    let view = View {
        frame,
        x: panel.x.scale(bounds.0, frame.width, Direction::Across),
        y: panel.y.scale(bounds.1, frame.height, Direction::Up),
    };
    let bar = panel.bar.as_ref().map(|bar| {
        let axis =
            if bar.scale.log { Axis::log("") } else { Axis::linear("") }.range(bar.scale.low, bar.scale.high);
        axis.scale(axis.bounds(&Extent::new(bar.scale.log)), frame.height, Direction::Up)
    });
    let whole = Frame {
        left: room.left - margins.left,
        top: room.top - margins.top,
        width: margins.left + room.width + margins.right,
        height: margins.top + room.height + margins.bottom,
    };
    let bar_label = panel.bar.as_ref().map_or("", |bar| bar.label.as_str());
    let title_room = room.right() + margins.right - frame.left;
    let shown = |axis: &Axis| if panel.axes { axis.label.clone() } else { String::new() };
    Cell {
        panel,
        title: text::lines(&panel.title, title_room, LABEL_SIZE, Weight::Bold),
        x_label: text::lines(&shown(&panel.x), whole.width, LABEL_SIZE, Weight::Regular),
        y_label: text::lines(&shown(&panel.y), whole.height, LABEL_SIZE, Weight::Regular),
        bar_label: text::shorten(bar_label, whole.height, LABEL_SIZE, Weight::Regular),
        whole,
        view,
        bar,
        margins,
    }
}

fn may_widen(axis: &Axis, extent: &Extent) -> bool {
    axis.may_widen() && !extent.is_tight()
}

type Bounds = ((f64, f64), (f64, f64));

/// Widens a range, or else shrinks the frame, until one unit in y is `ratio` times as long as one in x.
fn keep_aspect(room: Frame, bounds: &mut Bounds, ratio: f64, widen: (bool, bool)) -> Frame {
    let spans = (bounds.0.1 - bounds.0.0, bounds.1.1 - bounds.1.0);
    // The span in x that would fill the frame.
    let wanted = ratio * spans.1 * room.width / room.height;
    let stretch = |(low, high): (f64, f64), span: f64| ((low + high - span) / 2.0, (low + high + span) / 2.0);
    if !(wanted.is_finite() && wanted > 0.0) {
        return room;
    }
    if wanted >= spans.0 {
        if widen.0 {
            bounds.0 = stretch(bounds.0, wanted);
            return room;
        }
        let width = (room.width * spans.0 / wanted).max(LEAST);
        return Frame { left: room.left + (room.width - width) / 2.0, width, ..room };
    }
    if widen.1 {
        bounds.1 = stretch(bounds.1, spans.1 * spans.0 / wanted);
        return room;
    }
    Frame { height: (room.height * wanted / spans.0).max(LEAST), ..room }
}

/// The height of the lines of a label.
pub(crate) fn lines_height(lines: &[String]) -> f64 {
    lines.len() as f64 * LABEL_SIZE * LEADING
}

fn label_width(scale: &Scale) -> f64 {
    let widths = scale.ticks.iter().map(|tick| text::width(&tick.label, TICK_SIZE, Weight::Regular));
    widths.fold(0.0, f64::max)
}

/// The room for ticks and their labels, if there are labels.
pub(crate) fn tick_room(scale: &Scale) -> f64 {
    TICK + TICK_GAP + label_width(scale)
}

/// The height of the labels below an axis.
pub(crate) fn tick_label_height(scale: &Scale) -> f64 {
    if scale.sloping { label_width(scale) * SLOPE.sin() + TICK_SIZE } else { TICK_SIZE }
}

/// The room that a cell's titles, labels and colour bar need.
fn needed(cell: &Cell) -> Margins {
    let mut margins = Margins { left: 1.0, right: 1.0, top: 1.0, bottom: 1.0 };
    let label = |lines: &[String]| if lines.is_empty() { 0.0 } else { lines_height(lines) + LABEL_GAP };
    if cell.panel.axes {
        let view = &cell.view;
        margins.left = tick_room(&view.y) + label(&cell.y_label);
        margins.bottom = TICK + TICK_GAP + tick_label_height(&view.x) + label(&cell.x_label);
        margins.top = TICK_SIZE / 2.0;
        for tick in &view.x.ticks {
            let place = view.x.part(tick.value).unwrap_or(0.5) * view.frame.width;
            let width = text::width(&tick.label, TICK_SIZE, Weight::Regular);
            let (before, after) =
                if view.x.sloping { (width * SLOPE.cos(), 0.0) } else { (width / 2.0, width / 2.0) };
            margins.left = margins.left.max(before - place);
            margins.right = margins.right.max(place + after - view.frame.width);
        }
    }
    if !cell.title.is_empty() {
        margins.top = lines_height(&cell.title) + LABEL_GAP;
    }
    if let Some(scale) = &cell.bar {
        let label = if cell.bar_label.is_empty() { 0.0 } else { BAR_LABEL_GAP + LABEL_SIZE * LEADING };
        margins.right = margins.right.max(BAR_GAP + BAR_WIDTH + tick_room(scale) + label);
        margins.top = margins.top.max(TICK_SIZE / 2.0);
        margins.bottom = margins.bottom.max(TICK_SIZE / 2.0);
    }
    margins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disc() -> Panel {
        let circle = (0..=64).map(|step| (f64::from(step) / 10.0).sin_cos()).collect();
        Panel::new(Axis::linear("x"), Axis::linear("y")).line(circle, crate::Style::new(crate::Color::BLUE))
    }

    const PAGE: Frame = Frame { left: 6.0, top: 6.0, width: 708.0, height: 0.0 };

    fn units(view: &View) -> (f64, f64) {
        (view.frame.width / (view.x.high - view.x.low), view.frame.height / (view.y.high - view.y.low))
    }

    #[test]
    fn units_keep_their_aspect_in_any_frame() {
        let fixed = |axis: Axis| axis.range(-2.0, 2.0);
        let given = Panel { x: fixed(Axis::linear("")), y: fixed(Axis::linear("")), ..disc() };
        for panel in [disc(), given] {
            for (height, ratio) in [(120.0, 1.0), (500.0, 1.0), (300.0, 1.3)] {
                let rows = [Row { height, panels: vec![(1.0, panel.clone().aspect(ratio)), (2.0, disc())] }];
                let (cells, _) = place(&rows, PAGE);
                let (across, up) = units(&cells[0].view);
                assert!((up / across - ratio).abs() < 1e-9, "{up} {across}");
            }
        }
    }

    #[test]
    fn panels_of_a_row_are_aligned_and_of_one_width() {
        let bare = Panel::new(Axis::linear(""), Axis::linear("")).title("a title");
        let rows = [
            Row { height: 200.0, panels: vec![(1.0, disc()), (1.0, bare.clone()), (1.0, disc())] },
            Row { height: 150.0, panels: vec![(1.0, bare), (1.0, disc()), (1.0, disc())] },
        ];
        let (cells, bottom) = place(&rows, PAGE);
        let frames: Vec<Frame> = cells.iter().map(|cell| cell.view.frame).collect();
        for row in frames.chunks(3) {
            assert!(row.iter().all(|frame| frame.top == row[0].top && frame.height == row[0].height));
            assert!(row.iter().all(|frame| (frame.width - row[0].width).abs() < 1e-9));
        }
        for column in 0..3 {
            assert!((frames[column].left - frames[column + 3].left).abs() < 1e-9);
        }
        assert!(
            frames.iter().all(|frame| frame.right() <= PAGE.left + PAGE.width && frame.bottom() <= bottom)
        );
        assert_eq!(bottom, 6.0 + 200.0 + 10.0 + 150.0);
    }

    #[test]
    fn rows_leave_no_room_below_frames_that_keep_an_aspect() {
        let flat = || {
            let axis = |end: f64| Axis::linear("").range(0.0, end);
            Panel::new(axis(4.0), axis(1.0)).equal_aspect()
        };
        let rows = [
            Row { height: 300.0, panels: vec![(1.0, flat()), (1.0, disc())] },
            Row { height: 100.0, panels: vec![(1.0, disc())] },
        ];
        let (cells, bottom) = place(&rows, PAGE);
        let frames: Vec<Frame> = cells.iter().map(|cell| cell.view.frame).collect();
        assert!((frames[0].width - 4.0 * frames[0].height).abs() < 1e-9 && frames[0].height < 100.0);
        assert!((frames[0].height - frames[1].height).abs() < 1e-9 && frames[0].top == frames[1].top);
        let gap = frames[2].top - frames[0].bottom();
        assert!(gap > 20.0 && gap < 60.0, "{gap}");
        assert!(bottom < 6.0 + 100.0 + 10.0 + 100.0 + 60.0, "{bottom}");
    }

    #[test]
    fn frames_have_a_few_pixels_however_small_the_page() {
        let rows = [Row { height: 5.0, panels: vec![(1.0, disc()); 9] }];
        let (cells, _) = place(&rows, Frame { width: 20.0, ..PAGE });
        assert!(cells.iter().all(|cell| cell.view.frame.width >= LEAST && cell.view.frame.height >= LEAST));
    }
}

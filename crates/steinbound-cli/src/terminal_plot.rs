//! `--terminal-plot`: a small picture below a table.

use clap::Args;
use steinbound::fit::Problem;
use steinbound::inference::TestResult;
use steinbound::{Fit, Points};
use steinbound_report::Scene;

use crate::arguments::{self, TerminalPlot};
use crate::drawing::histogram::Histogram;
use crate::drawing::map::{Ink, Inside, Map, size};
use crate::drawing::{WIDEST, range};
use crate::failure::Failure;
use crate::input::Input;
use crate::options::{Format, GeneralOptions};
use crate::output::Output;
use crate::terminal::Terminal;

/// Whether to draw.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct TerminalPlotOptions {
    /// Draw a small picture below the table [default: auto].
    ///
    /// Of a fit: the data with the fitted density in one dimension, a map with the fitted means in two. Of a
    /// test: the statistic among its draws.
    #[arg(long, value_name = "WHEN", value_parser = arguments::terminal_plot())]
    pub terminal_plot: Option<TerminalPlot>,
}

/// Lines for the bars of a histogram; axis, mark and legend come below.
const BARS: usize = 12;

impl TerminalPlotOptions {
    /// How wide to draw, if at all.
    pub fn columns(&self, general: &GeneralOptions, output: &Output) -> Option<usize> {
        let when = self.terminal_plot.unwrap_or_default();
        if general.format == Format::Json {
            if when == TerminalPlot::Always {
                output.note("--terminal-plot has no effect with --format json");
            }
            return None;
        }
        let width = Terminal::stdout().width;
        let is_wanted = match when {
            TerminalPlot::Auto => width.is_some() && !general.quiet,
            TerminalPlot::Always => true,
            TerminalPlot::Never => false,
        };
        is_wanted.then(|| width.unwrap_or(WIDEST).min(WIDEST))
    }
}

/// A picture below what was printed.
pub fn print(lines: &[String], output: &mut Output) -> Result<(), Failure> {
    if !lines.is_empty() {
        writeln!(output.result())?;
    }
    for line in lines {
        writeln!(output.result(), "{line}")?;
    }
    Ok(())
}

/// Data and the fitted density, in the coordinates of the model; there is a picture in one and in two
/// dimensions.
pub fn of_fit(input: &Input, problem: &Problem, fit: &Fit, columns: usize) -> Vec<String> {
    let scene = input.scene(problem, Scene::of(&input.data, input.model(), fit));
    match input.data.dimension() {
        1 => line(input, &scene, columns),
        2 => plane(input, &scene, problem.boundary(), fit, columns),
        _ => Vec::new(),
    }
}

fn line(input: &Input, scene: &Scene, columns: usize) -> Vec<String> {
    let Some(range) = range([scene.reach(0)]) else { return Vec::new() };
    let data = &input.data;
    let values: Vec<(f64, f64)> = (0..data.len()).map(|i| (data.row(i)[0], data.weight(i))).collect();
    let log_density = |x: f64| scene.log_density(&[x]);
    // Only differences are meant: far from one the exponential would be zero everywhere.
    let step = (range.1 - range.0) / columns.max(1) as f64;
    let peak = (0..=columns)
        .filter_map(|k| log_density(range.0 + step * k as f64))
        .fold(f64::NEG_INFINITY, f64::max);
    let density = |x: f64| match log_density(x) {
        Some(value) if scene.is_inside(&[x]) => (value - peak).exp(),
        _ => 0.0,
    };
    let drawn = Histogram { values: &values, range, density: Some(&density), mark: None };
    let mut lines = drawn.lines(columns, BARS);
    let curve = if peak.is_finite() { "   • fitted density inside the boundary" } else { "" };
    lines.push(format!("█ data: {}{curve}", data.names()[0]));
    lines
}

fn plane(input: &Input, scene: &Scene, boundary: Option<&Points>, fit: &Fit, columns: usize) -> Vec<String> {
    let (Some(across), Some(up)) = (range([scene.reach(0)]), range([scene.reach(1)])) else {
        return Vec::new();
    };
    let estimates = fit.estimates();
    let pair = |place: Vec<usize>| match place[..] {
        [x, y] => Some([*estimates.get(x)?, *estimates.get(y)?]),
        _ => None,
    };
    let centers: Vec<[f64; 2]> = input.model().locations().into_iter().filter_map(pair).collect();
    // A mean may well lie outside the region, but one far away would make the map a dot.
    let is_near = |value: f64, (low, high): (f64, f64)| {
        value >= low - 0.5 * (high - low) && value <= high + 0.5 * (high - low)
    };
    let (near, far): (Vec<[f64; 2]>, Vec<[f64; 2]>) =
        centers.iter().partition(|x| is_near(x[0], across) && is_near(x[1], up));
    let with_centers = |axis: usize, reach: (f64, f64)| {
        range(near.iter().map(|x| (x[axis], x[axis])).chain([reach])).unwrap_or(reach)
    };
    let bounds = [with_centers(0, across), with_centers(1, up)];
    let (columns, rows) = size(bounds, columns);
    let places = |points: &Points| points.rows().map(|x| [x[0], x[1]]).collect::<Vec<_>>();
    // A boundary far from the data is not drawn at the rim, where it is not.
    let is_on_map = |x: &[f64; 2]| (0..2).all(|l| x[l] >= bounds[l].0 && x[l] <= bounds[l].1);
    let domain = input.region.domain.clone();
    let contains = domain.as_ref().map(|domain| move |x: &[f64]| domain.contains(x));
    let map = Map {
        bounds,
        columns,
        rows,
        inside: contains.as_ref().map(|f| f as Inside),
        edge: boundary.map(places).unwrap_or_default().into_iter().filter(is_on_map).collect(),
        points: places(&input.data),
        marks: near.iter().map(|x| ('X', *x)).collect(),
        ink: Ink::Braille,
    };
    let mut legend = "⠶ data".to_string();
    if map.inside.is_some() {
        legend.push_str("   . inside");
    }
    if !map.edge.is_empty() {
        legend.push_str("   + boundary points");
    }
    if !near.is_empty() {
        legend.push_str("   X fitted mean");
    }
    if !far.is_empty() {
        legend.push_str("   (a fitted mean lies far outside)");
    }
    let mut lines = map.lines();
    lines.push(legend);
    lines
}

/// The statistic among its draws under the hypothesis.
pub fn of_test(found: &TestResult, columns: usize) -> Vec<String> {
    let draws: Vec<(f64, f64)> = found.draws.iter().map(|draw| (*draw, 1.0)).collect();
    let ends = |values: &[f64]| Some((*values.first()?, *values.last()?));
    let Some((low, high)) = ends(&found.draws).and_then(|ends| range([ends])) else { return Vec::new() };
    // A statistic far beyond the draws is pointed at, so that these still can be seen.
    let statistic = found.statistic;
    let is_near = statistic > low - (high - low) && statistic < high + (high - low);
    let ends = [(low, high), if is_near { (statistic, statistic) } else { (low, high) }];
    let Some(range) = range(ends) else { return Vec::new() };
    let drawn =
        Histogram { values: &draws, range, density: None, mark: Some((statistic, "squared discrepancy")) };
    let mut lines = drawn.lines(columns, BARS);
    lines.push("█ draws under the model".into());
    lines
}

//! How much the estimates depend on settings.

use steinbound::inference::{Sensitivity, SensitivityRow};
use steinbound_plot::{Axis, Color, Entry, Figure, Marker, Panel, Style};

use super::WIDTH;
use crate::Picture;
use crate::picture::NARROW;

/// The most parameters that fit on a page.
const MOST_PARAMETERS: usize = 6;

/// A kernel's look.
const KERNELS: [(Color, Marker); 4] = [
    (Color::BLUE, Marker::Circle),
    (Color::VERMILLION, Marker::Square),
    (Color::GREEN, Marker::Triangle),
    (Color::PURPLE, Marker::Diamond),
];

/// The estimates of each parameter by kernel and bandwidth, and by the number of boundary points. `None`
/// where there is only the fit itself.
pub fn sensitivity(found: &Sensitivity) -> Option<Picture> {
    let base = found.rows.first().filter(|_| found.rows.len() > 1)?;
    let (others, counts): (Vec<&SensitivityRow>, Vec<&SensitivityRow>) = found
        .rows
        .iter()
        .skip(1)
        .partition(|row| row.variant.boundary_points == base.variant.boundary_points);
    let mut kernels: Vec<&str> = Vec::new();
    for row in &found.rows {
        if !kernels.contains(&row.variant.kernel.as_str()) {
            kernels.push(&row.variant.kernel);
        }
    }
    let look = |kernel: &str| {
        let place = kernels.iter().position(|name| *name == kernel).unwrap_or(0);
        let (color, marker) = KERNELS[place % KERNELS.len()];
        Style::new(color).marker(marker).size(2.6)
    };
    let shown = found.parameters.len().min(MOST_PARAMETERS);
    // Where panels stand one below the other each has labels of its own.
    let drawn = |is_narrow: bool| {
        let mut figure = Figure::new(WIDTH).id("sensitivity");
        for k in 0..shown {
            let bars =
                |rows: &[&SensitivityRow], place: &dyn Fn(&SensitivityRow) -> f64| -> Vec<(f64, f64, f64)> {
                    let bar = |row: &&SensitivityRow| {
                        let variant = &row.variant;
                        Some((place(row), *variant.estimates.get(k)?, *variant.std_errors.get(k)?))
                    };
                    rows.iter().filter_map(bar).collect()
                };
            let is_last = k + 1 == shown || is_narrow;
            let label = |text: &str| if is_last { text.to_string() } else { String::new() };
            let mut panel =
                Panel::new(Axis::log(label("bandwidth")), Axis::linear(found.parameters[k].clone()));
            for kernel in &kernels {
                let mut rows: Vec<&SensitivityRow> = others
                    .iter()
                    .chain([&base])
                    .copied()
                    .filter(|row| row.variant.kernel == *kernel)
                    .collect();
                rows.sort_by(|a, b| a.variant.bandwidth.total_cmp(&b.variant.bandwidth));
                let places = bars(&rows, &|row| row.variant.bandwidth);
                panel = panel.line(places.iter().map(|(x, y, _)| (*x, *y)).collect(), look(kernel));
            }
            let both = |panel: Panel| band(panel, base, k);
            let mut panels = vec![(1.7, both(panel))];
            if !counts.is_empty() {
                let mut rows: Vec<&SensitivityRow> = counts.iter().chain([&base]).copied().collect();
                rows.sort_by_key(|row| row.variant.boundary_points);
                let places = bars(&rows, &|row| row.variant.boundary_points as f64);
                let axis = Axis::log(label("boundary points"))
                    .ticks(places.iter().map(|p| p.0).collect())
                    .tick_labels(places.iter().map(|p| p.0.to_string()));
                let style = look(&base.variant.kernel);
                let beside = if is_narrow { found.parameters[k].clone() } else { String::new() };
                let line = places.iter().map(|(x, y, _)| (*x, *y)).collect();
                let panel = Panel::new(axis, Axis::linear(beside))
                    .error_bars(places, style.clone())
                    .line(line, style);
                panels.push((1.0, both(panel)));
            }
            figure = figure.row_weighted(if is_last { 190.0 } else { 165.0 }, panels);
        }
        figure
    };
    let mut entries: Vec<Entry> = kernels.iter().map(|kernel| Entry::line(*kernel, look(kernel))).collect();
    entries.push(Entry::line("the fit and its standard error", reference()));
    let mut caption = String::from("The estimates with other kernels and bandwidths");
    if !counts.is_empty() {
        caption.push_str(", and with other numbers of boundary points (bars: one standard error)");
    }
    caption.push('.');
    if found.parameters.len() > shown {
        caption.push_str(&format!(" The first {shown} of {} parameters are shown.", found.parameters.len()));
    }
    let narrow = drawn(true).legend(entries.clone()).stacked(NARROW);
    Some(Picture::new(drawn(false).legend(entries), caption).on_narrow_screens(narrow))
}

fn reference() -> Style {
    Style::new(Color::BLACK).width(0.9).dashed()
}

/// The estimate of the fit itself, and one standard error on both sides.
fn band(panel: Panel, base: &SensitivityRow, k: usize) -> Panel {
    let (Some(estimate), Some(error)) = (base.variant.estimates.get(k), base.variant.std_errors.get(k))
    else {
        return panel;
    };
    panel
        .horizontal(*estimate, reference().width(0.6))
        .horizontal(estimate - error, reference())
        .horizontal(estimate + error, reference())
}

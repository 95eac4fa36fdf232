//! Several fits of the same data side by side.

use steinbound::Fit;
use steinbound::inference::Comparison;
use steinbound_plot::{Axis, Color, Figure, Marker, Panel, Style};

use super::WIDTH;
use crate::Picture;

/// The most parameters that fit on a page.
const MOST_PARAMETERS: usize = 8;

/// The estimates of every parameter that at least two fits share, with their intervals. `None` where no two
/// fits have one in common.
pub fn comparison(found: &Comparison) -> Option<Picture> {
    let fits: Vec<(usize, &Fit)> =
        found.fits.iter().enumerate().filter_map(|(k, row)| Some((k, row.fit.as_ref()?))).collect();
    let mut names: Vec<&str> = Vec::new();
    for parameter in fits.iter().flat_map(|(_, fit)| &fit.parameters) {
        let name = parameter.name.as_str();
        let shared = fits.iter().filter(|(_, fit)| fit.parameter(name).is_some_and(|p| p.estimate.is_some()));
        if !names.contains(&name) && shared.count() > 1 {
            names.push(name);
        }
    }
    let shown = names.len().min(MOST_PARAMETERS);
    if shown == 0 {
        return None;
    }
    let look = Style::new(Color::BLUE).marker(Marker::Circle).size(3.2);
    let panel = |name: &&str| {
        let labels = found.fits.iter().enumerate().map(|(k, _)| format!("[{}]", k + 1));
        let mut panel = Panel::new(Axis::categories("", labels), Axis::linear(*name));
        let mut places = Vec::new();
        let mut bars = Vec::new();
        for (k, fit) in &fits {
            let Some(parameter) = fit.parameter(name) else { continue };
            let Some(estimate) = parameter.estimate else { continue };
            places.push((*k as f64, estimate));
            if let (Some(lower), Some(upper)) = (parameter.lower, parameter.upper) {
                bars.push((*k as f64, 0.5 * (lower + upper), 0.5 * (upper - lower)));
            }
        }
        panel = panel.error_bars(bars, look.clone()).points(places, look.clone());
        panel
    };
    let mut figure = Figure::new(WIDTH).id("comparison");
    for pair in names[..shown].chunks(2) {
        figure = figure.row(200.0, pair.iter().map(panel).collect());
    }
    let mut caption = "The estimates with their intervals, numbered as in the table.".to_string();
    if names.len() > shown {
        caption.push_str(&format!(" The first {shown} of {} parameters are shown.", names.len()));
    }
    Some(Picture::new(figure, caption))
}

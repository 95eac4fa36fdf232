//! Several fits of the same data side by side.

use steinbound::Fit;
use steinbound::inference::Comparison;
use steinbound_plot::numbers::range;
use steinbound_plot::{Axis, Color, Entry, Figure, Marker, Panel, Style};

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
    let panel = |name: &&str| {
        let labels = found.fits.iter().enumerate().map(|(k, _)| format!("[{}]", k + 1));
        let bars: Vec<Bar> = fits.iter().filter_map(|(k, fit)| Bar::of(*k, fit, name)).collect();
        let mut axis = Axis::linear(*name);
        if let Some((low, high)) = scale(&bars) {
            axis = axis.range(low, high);
        }
        let panel = Panel::new(Axis::categories("", labels), axis);
        bars.iter().fold(panel, |panel, bar| {
            let (middle, half) = (0.5 * (bar.lower + bar.upper), 0.5 * (bar.upper - bar.lower));
            let panel = panel.error_bars(vec![(bar.place, middle, half)], look(bar.is_trusted));
            panel.points(vec![(bar.place, bar.estimate)], look(bar.is_trusted))
        })
    };
    let mut figure = Figure::new(WIDTH).id("comparison");
    for pair in names[..shown].chunks(2) {
        figure = figure.row(200.0, pair.iter().map(panel).collect());
    }
    let entry = |(k, fit): &(usize, &Fit)| {
        let row = &found.fits[*k];
        Entry::marker(format!("[{}] {}, {}", k + 1, row.method.name(), row.label), look(fit.is_trustworthy()))
    };
    let mut caption = "The estimates with their intervals, numbered as in the table.".to_string();
    let trusted = fits.iter().filter(|(_, fit)| fit.is_trustworthy()).count();
    if trusted > 0 && trusted < fits.len() {
        caption.push_str(" Hollow and grey: doubtful fits, which may lie beyond the scale of the others.");
    }
    if names.len() > shown {
        caption.push_str(&format!(" The first {shown} of {} parameters are shown.", names.len()));
    }
    Some(Picture::new(figure.legend(fits.iter().map(entry).collect()), caption))
}

fn look(is_trusted: bool) -> Style {
    let style = Style::new(if is_trusted { Color::BLUE } else { Color::GREY });
    let style = style.marker(Marker::Circle).size(3.2);
    if is_trusted { style } else { style.hollow() }
}

/// An estimate with its interval.
struct Bar {
    is_trusted: bool,
    place: f64,
    estimate: f64,
    lower: f64,
    upper: f64,
}

impl Bar {
    /// That of a parameter of the fit at a place; the estimate alone where there is no interval.
    fn of(place: usize, fit: &Fit, name: &str) -> Option<Bar> {
        let parameter = fit.parameter(name)?;
        let estimate = parameter.estimate?;
        let (lower, upper) = parameter.lower.zip(parameter.upper).unwrap_or((estimate, estimate));
        Some(Bar { is_trusted: fit.is_trustworthy(), place: place as f64, estimate, lower, upper })
    }
}

/// The ends of an axis on which all intervals of trusted fits are seen; `None` where all fits have room, or there
/// is no other to follow.
fn scale(bars: &[Bar]) -> Option<(f64, f64)> {
    let ends = |is_trusted: bool| {
        let of_kind = bars.iter().filter(move |bar| bar.is_trusted == is_trusted);
        of_kind.flat_map(|bar| [bar.estimate, bar.lower, bar.upper])
    };
    ends(true).next()?;
    let (low, high) = range(ends(true));
    let margin = 0.05 * (high - low);
    let (low, high) = (low - margin, high + margin);
    (low < high && ends(false).any(|end| !(low..=high).contains(&end))).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubtful_fits_do_not_stretch_the_scale() {
        let bar = |is_trusted: bool, estimate: f64, half: f64| Bar {
            is_trusted,
            place: 0.0,
            estimate,
            lower: estimate - half,
            upper: estimate + half,
        };
        let (low, high) = scale(&[bar(true, 1.0, 1.0), bar(false, 5e12, 1e13)]).unwrap();
        assert!((low + 0.1).abs() < 1e-12 && (high - 2.1).abs() < 1e-12, "{low} {high}");
        assert_eq!(scale(&[bar(true, 1.0, 1.0), bar(false, 1.5, 0.2)]), None, "it has room");
        assert_eq!(scale(&[bar(false, 5e12, 1e13)]), None);
    }
}

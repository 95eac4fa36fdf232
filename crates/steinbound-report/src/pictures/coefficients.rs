//! The coefficients of a regression side by side.

use steinbound::text::percent;
use steinbound::{Fit, Points};
use steinbound_plot::{Axis, Color, Figure, Marker, Panel, Style};

use super::{WIDTH, edge};
use crate::Picture;

/// The most coefficients that fit on a page.
const MOST: usize = 16;

/// Coefficients that belong to columns, with their intervals, times the standard deviation of the column: as
/// they are they have units of their own. `None` where there is none.
pub fn coefficients(points: &Points, fit: &Fit) -> Option<Picture> {
    let columns = &points.names()[1..];
    let mut found = Vec::new();
    for parameter in &fit.parameters {
        let Some(column) = columns.iter().position(|name| *name == parameter.name) else { continue };
        let (Some(estimate), Some(lower), Some(upper)) =
            (parameter.estimate, parameter.lower, parameter.upper)
        else {
            continue;
        };
        let scale = deviation(points, 1 + column);
        found.push((parameter.name.clone(), [estimate, lower, upper].map(|value| scale * value)));
    }
    let shown = &found[..found.len().min(MOST)];
    if shown.is_empty() {
        return None;
    }
    let look = Style::new(Color::BLUE).marker(Marker::Circle).size(3.2);
    let place = |k: usize| k as f64;
    let bars = shown
        .iter()
        .enumerate()
        .map(|(k, (_, [_, low, high]))| (place(k), 0.5 * (low + high), 0.5 * (high - low)));
    let dots = shown.iter().enumerate().map(|(k, (_, [estimate, ..]))| (place(k), *estimate));
    let names = shown.iter().map(|(name, _)| name.clone());
    let panel = Panel::new(
        Axis::categories("", names),
        Axis::linear(format!("change of {} per standard deviation", points.names()[0])),
    )
    .horizontal(0.0, edge().dashed())
    .error_bars(bars.collect(), look.clone())
    .points(dots.collect(), look);
    let mut caption = format!(
        "The coefficients with their {} % intervals, each times the standard deviation of its column: how much the expected \
         untruncated response changes with it.",
        percent(fit.confidence)
    );
    if found.len() > MOST {
        caption.push_str(&format!(" The first {MOST} of {} are shown.", found.len()));
    }
    Some(Picture::new(Figure::new(WIDTH).row(280.0, vec![panel]).id("coefficients"), caption))
}

/// The weighted standard deviation of a column.
fn deviation(points: &Points, column: usize) -> f64 {
    let weights = points.weights();
    let total: f64 = weights.iter().sum();
    let mean = |value: &dyn Fn(f64) -> f64| -> f64 {
        points.rows().zip(weights.iter()).map(|(x, w)| w * value(x[column])).sum::<f64>() / total
    };
    let middle = mean(&|v| v);
    mean(&|v| (v - middle) * (v - middle)).sqrt()
}

#[cfg(test)]
mod tests {
    use steinbound::{Estimator, Matrix, regression::TruncatedRegression};

    use super::*;

    #[test]
    fn coefficients_are_per_standard_deviation() {
        let n = 60;
        let x = Matrix::from_fn(n, 2, |i, k| (1.0 + 99.0 * k as f64) * ((i * (k + 3)) as f64).sin());
        let y = (0..n).map(|i| 2.0 * x[(i, 0)] - 0.02 * x[(i, 1)] + 0.1 * (i as f64).cos()).collect();
        let prepared = TruncatedRegression::new("y", y).covariates(["a", "b"], x).build(0).unwrap();
        let fit = prepared.estimator(&Estimator::mle()).fit(&prepared.points, &prepared.model).unwrap();
        // A sine has the variance one half.
        assert!((deviation(&prepared.points, 1) - 0.5f64.sqrt()).abs() < 0.05);
        let picture = coefficients(&prepared.points, &fit).unwrap();
        let svg = picture.figure.to_svg();
        assert!(svg.contains(">a<") && svg.contains(">b<") && !svg.contains("Intercept"), "{svg}");
        // Both coefficients are about 1.4 in these units: neither is lost beside the other.
        assert!(svg.contains(">1.5<") || svg.contains(">1.0<"), "{svg}");
    }
}

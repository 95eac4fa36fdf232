//! One coordinate: the density over a histogram of the data.

use steinbound_plot::numbers::{histogram, steps};
use steinbound_plot::{Axis, Entry, Figure, Panel, Style};

use super::{BARS, WIDTH, edge, fitted};
use crate::{Picture, Scene};

/// Places at which a density is evaluated along a line.
pub(super) const PLACES: usize = 500;

/// How far a picture goes beyond what it has to show, to let the hidden part of the density be seen.
const BEYOND: f64 = 0.25;

pub(super) fn picture(scene: &Scene) -> Option<Picture> {
    let (low, high) = scene.window(0);
    let margin = BEYOND * (high - low);
    let places = steps(low - margin, high + margin, PLACES);
    let ends = ends(scene, (places[0], places[PLACES - 1]));
    let edges = bins(scene, &ends);
    let weights = scene.data.weights();
    let unit = weights.iter().sum::<f64>() * (edges[1] - edges[0]);
    let weighted = scene.data.rows().zip(weights.iter()).map(|(x, weight)| (x[0], weight / unit));
    let counts = histogram(weighted, &edges);
    let bars = Style::new(BARS);
    let mut panel = Panel::new(Axis::linear(scene.label(0)), Axis::linear("density").from_zero())
        .histogram(edges, counts, bars);
    let mut entries = vec![Entry::fill("data", BARS)];
    let mut caption = String::from("The data as a histogram");
    if let Some((seen, hidden)) = curves(scene, &places, &ends) {
        let behind = fitted().width(1.4).dashed();
        panel = panel.line(hidden, behind.clone()).line(seen, fitted());
        entries.push(Entry::line(format!("{} where data are seen", scene.density_name()), fitted()));
        entries.push(Entry::line("the same where they are not", behind));
        caption.push_str(&format!(", and the {}, scaled to the data that are seen", scene.density_name()));
    }
    let limits: Vec<f64> = ends.iter().flat_map(|(a, b)| [*a, *b]).filter(|end| end.is_finite()).collect();
    for limit in &limits {
        panel = panel.vertical(*limit, edge());
    }
    if !limits.is_empty() {
        entries.push(Entry::line("boundary", edge()));
    }
    caption.push('.');
    Some(Picture::new(Figure::new(WIDTH).row(320.0, vec![panel]).legend(entries).id("density"), caption))
}

/// The intervals in which data are seen: of the domain, or between the boundary points around the data.
pub(super) fn ends(scene: &Scene, window: (f64, f64)) -> Vec<(f64, f64)> {
    if let Some(domain) = scene.domain {
        let open = |(low, high): (f64, f64)| {
            let low = if low <= window.0 { f64::NEG_INFINITY } else { low };
            (low, if high >= window.1 { f64::INFINITY } else { high })
        };
        return domain.sections(scene.data.row(0), 0, window).into_iter().map(open).collect();
    }
    let (first, last) = scene.data.bounds()[0];
    let points = || scene.boundary.iter().flat_map(|points| points.rows()).map(|x| x[0]);
    let below = points().filter(|end| *end <= first).fold(f64::NEG_INFINITY, f64::max);
    let above = points().filter(|end| *end >= last).fold(f64::INFINITY, f64::min);
    vec![(below, above)]
}

/// Edges of bins over the data: about as many as the root of their number. They begin and end where the region
/// does if it ends less than a bin away: the outermost bar would be too high without the empty part of its bin.
pub(super) fn bins(scene: &Scene, ends: &[(f64, f64)]) -> Vec<f64> {
    let (mut low, mut high) = scene.data.bounds()[0];
    if high <= low {
        (low, high) = (low - 0.5, high + 0.5);
    }
    let count = (scene.data.len() as f64).sqrt().ceil().clamp(8.0, 50.0);
    let bin = (high - low) / count;
    let near = |at: f64| ends.iter().flat_map(|(a, b)| [*a, *b]).find(|end| (end - at).abs() < bin);
    let below = near(low).filter(|end| *end < low);
    let above = near(high).filter(|end| *end > high);
    steps(below.unwrap_or(low), above.unwrap_or(high), count as usize + 1)
}

/// A line in which NaN leaves gaps.
pub(super) type Curve = Vec<(f64, f64)>;

/// The density where data are seen and where they are not, so that the former integrates to one.
pub(super) fn curves(scene: &Scene, places: &[f64], ends: &[(f64, f64)]) -> Option<(Curve, Curve)> {
    let is_seen = |x: f64| ends.iter().any(|(low, high)| *low <= x && x <= *high);
    let logarithms: Vec<f64> =
        places.iter().map(|x| scene.log_density(&[*x]).unwrap_or(f64::NEG_INFINITY)).collect();
    let seen = places.iter().zip(&logarithms).filter(|(x, _)| is_seen(**x)).map(|(_, value)| *value);
    let peak = seen.clone().filter(|value| value.is_finite()).fold(f64::NEG_INFINITY, f64::max);
    if !peak.is_finite() {
        return None;
    }
    let step = places[1] - places[0];
    let mass: f64 = seen.map(|value| (value - peak).exp() * step).sum();
    let height = |value: f64| (value - peak).exp() / mass;
    let tallest = 1.6 / mass;
    let part = |wanted: bool| -> Curve {
        let point = |(x, value): (&f64, &f64)| {
            // What lies behind the boundary may tower above what is seen: it leaves the picture.
            let shown = is_seen(*x) == wanted && (wanted || height(*value) <= tallest);
            (*x, if shown { height(*value) } else { f64::NAN })
        };
        places.iter().zip(&logarithms).map(point).collect()
    };
    Some((part(true), part(false)))
}

#[cfg(test)]
mod tests {
    use steinbound::Points;
    use steinbound::domain::Cuboid;
    use steinbound::model::Gaussian;

    use super::*;

    #[test]
    fn the_seen_part_integrates_to_one() {
        let data = Points::from_rows(&[[0.1], [0.5], [1.9]]).unwrap();
        let model = Gaussian::with_variance(1, 1.0).unwrap();
        let domain = Cuboid::new(vec![0.0], vec![2.0]).unwrap();
        let scene = Scene::at(&data, &model, &[-1.0]).domain(Some(&domain));
        let places = steps(-1.0, 3.0, 2000);
        let intervals = ends(&scene, (-1.0, 3.0));
        assert_eq!(intervals.len(), 1);
        assert!(intervals[0].0.abs() < 1e-12 && (intervals[0].1 - 2.0).abs() < 1e-12, "{intervals:?}");
        let (seen, hidden) = curves(&scene, &places, &intervals).unwrap();
        let integral: f64 =
            seen.iter().filter(|p| p.1.is_finite()).map(|p| p.1 * (places[1] - places[0])).sum();
        assert!((integral - 1.0).abs() < 1e-9, "{integral}");
        // The normal density at 0.5 over the probability of [0, 2], which is that of [1, 3] from the mean.
        let at = seen.iter().min_by(|a, b| (a.0 - 0.5).abs().total_cmp(&(b.0 - 0.5).abs())).unwrap();
        let truth =
            (-0.5 * (at.0 + 1.0f64).powi(2)).exp() / (2.0 * std::f64::consts::PI).sqrt() / 0.157_305_36;
        assert!((at.1 / truth - 1.0).abs() < 2e-3, "{} {truth}", at.1);
        assert!(hidden.iter().all(|(x, y)| y.is_nan() || *x < 0.0 || *x > 2.0));
    }

    #[test]
    fn bins_end_where_the_region_does() {
        let data = Points::from_rows(&[[0.1], [0.5], [1.9]]).unwrap();
        let model = Gaussian::with_variance(1, 1.0).unwrap();
        let scene = Scene::at(&data, &model, &[1.0]);
        let outer = |ends: &[(f64, f64)]| (bins(&scene, ends)[0], bins(&scene, ends)[8]);
        assert_eq!(outer(&[(0.0, 2.0)]), (0.0, 2.0));
        assert_eq!(outer(&[(-1.0, f64::INFINITY)]), (0.1, 1.9), "far from the data");
    }

    #[test]
    fn boundary_points_alone_enclose_the_data() {
        let data = Points::from_rows(&[[0.1], [0.5]]).unwrap();
        let knots = Points::from_rows(&[[0.0], [-3.0], [4.0]]).unwrap();
        let model = Gaussian::with_variance(1, 1.0).unwrap();
        let scene = Scene::at(&data, &model, &[0.0]).boundary(Some(&knots));
        assert_eq!(ends(&scene, (-9.0, 9.0)), [(0.0, 4.0)]);
    }
}

//! The plane: data, boundary and contours of the density.

use steinbound::domain::Domain;
use steinbound::text::percent;
use steinbound_plot::numbers::{range, steps};
use steinbound_plot::{Axis, Color, ColorScale, Entry, Figure, Grid, Marker, Panel, Style};

use super::{GROUND, WIDTH, edge, knot, observed};
use crate::{Picture, Scene};

/// Places along each axis at which the density is evaluated.
const PLACES: usize = 121;

/// Contours, as shares of the highest density in the picture.
pub(super) const LEVELS: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];

/// Coordinates whose ranges differ by more than this have units of their own, and no common scale.
const COMMON_SCALE: f64 = 4.0;

pub(super) fn picture(scene: &Scene) -> Picture {
    let window = [scene.window(0), scene.window(1)];
    let rows = scene.shown_rows();
    let points: Vec<(f64, f64)> =
        rows.iter().map(|i| (scene.data.row(*i)[0], scene.data.row(*i)[1])).collect();
    let look = observed(points.len());
    let mut panel = ground(scene, window).points(points, look.clone());
    let mut entries = vec![Entry::marker("data", look)];
    let mut caption = String::from("The data");
    if let (Some((shown, style)), Some(boundary)) = (knots(scene), scene.boundary) {
        panel = panel.points(shown, style.clone());
        entries.push(Entry::marker(format!("{} boundary points", boundary.len()), style));
        caption.push_str(", the boundary");
    }
    if let Some(grid) = relative_density(scene, window) {
        panel = panel.contours(grid, LEVELS.to_vec(), level_scale());
        entries.push(Entry::line(scene.density_name(), Style::new(level_color(0.5))));
        caption.push_str(&format!(
            " and contours of the {} at 10, 30, 50, 70 and 90 % of its highest value in the picture. They go on where nothing is seen",
            scene.density_name()
        ));
    }
    caption.push('.');
    let mut outside = 0;
    for place in scene.centres().iter().filter(|place| place.len() == 2) {
        let centre = [scene.reported[place[0]], scene.reported[place[1]]];
        if (0..2).any(|l| centre[l] < window[l].0 || centre[l] > window[l].1) {
            outside += 1;
            continue;
        }
        panel = panel.points(vec![(centre[0], centre[1])], centre_look());
        if let Some(ring) = region(scene, place, centre) {
            panel = panel.line(ring, Style::new(Color::VERMILLION).width(1.6));
        }
    }
    let centres = scene.centres().len() - outside;
    if centres > 0 {
        let with = match scene.covariance {
            Some(_) => format!(", with its {} % region", percent(scene.confidence)),
            None => String::new(),
        };
        entries.push(Entry::marker(format!("{}{with}", scene.centre_name()), centre_look()));
    }
    if outside > 0 {
        let what = scene.centre_name();
        caption.push_str(&match centres + outside {
            1 => format!(" The {what} lies outside the picture."),
            _ => format!(" {outside} of {} {what}s lie outside the picture.", centres + outside),
        });
    }
    caption.push_str(&scene.thinning());
    let figure = Figure::new(WIDTH)
        .row(height(scene, window, WIDTH - 70.0), vec![panel])
        .legend(entries)
        .id("density");
    Picture::new(figure, caption)
}

fn centre_look() -> Style {
    Style::new(Color::VERMILLION).marker(Marker::Cross).size(6.0).width(2.2)
}

/// A panel with the region as ground, over this window.
pub(super) fn ground(scene: &Scene, window: [(f64, f64); 2]) -> Panel {
    let axis = |l: usize| Axis::linear(scene.label(l)).range(window[l].0, window[l].1);
    let mut panel = Panel::new(axis(0), axis(1));
    if let Some(ratio) = aspect(scene, window) {
        panel = panel.aspect(ratio);
    }
    let Some(domain) = scene.domain else { return panel };
    let curves: Vec<Vec<(f64, f64)>> =
        domain.outline(window).iter().map(|curve| thinned(curve, window)).collect();
    // Curves that end at the rim of the picture enclose nothing.
    if let Some(land) = land(domain, window, &curves) {
        panel = panel.rings(land, Some(GROUND), Style::new(GROUND).width(0.0));
    }
    curves.into_iter().fold(panel, |panel, curve| panel.line(curve, edge()))
}

/// Steps shorter than this share of the window cannot be seen.
const FINEST: f64 = 5e-4;

/// A curve without corners that coincide with those before them.
fn thinned(curve: &[[f64; 2]], window: [(f64, f64); 2]) -> Vec<(f64, f64)> {
    let [width, height] = window.map(|(low, high)| FINEST * (high - low));
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (k, x) in curve.iter().enumerate() {
        let is_far =
            kept.last().is_none_or(|last| (x[0] - last.0).abs() > width || (x[1] - last.1).abs() > height);
        if is_far || k + 1 == curve.len() {
            kept.push((x[0], x[1]));
        }
    }
    kept
}

/// Rings whose inside, even-odd, is the domain as far as the window shows it.
fn land(
    domain: &dyn Domain,
    window: [(f64, f64); 2],
    curves: &[Vec<(f64, f64)>],
) -> Option<Vec<Vec<(f64, f64)>>> {
    let is_closed = |curve: &Vec<(f64, f64)>| curve.first() == curve.last();
    if curves.is_empty() || !curves.iter().all(is_closed) {
        return None;
    }
    let [(left, right), (bottom, top)] = window;
    let corners = vec![(left, bottom), (right, bottom), (right, top), (left, top)];
    let is_around = domain.contains(&[left, bottom]);
    Some(curves.iter().cloned().chain(is_around.then_some(corners)).collect())
}

/// How long a unit of the second coordinate is drawn beside one of the first, where they have a common scale.
pub(super) fn aspect(scene: &Scene, window: [(f64, f64); 2]) -> Option<f64> {
    let ratio = (window[0].1 - window[0].0) / (window[1].1 - window[1].0);
    scene.aspect.or_else(|| (1.0 / COMMON_SCALE..=COMMON_SCALE).contains(&ratio).then_some(1.0))
}

/// The height of a picture of the window whose frame is so wide, labels included.
pub(super) fn height(scene: &Scene, window: [(f64, f64); 2], frame: f64) -> f64 {
    let [width, height] = window.map(|(low, high)| high - low);
    let share = aspect(scene, window).map_or(0.7, |ratio| ratio * height / width);
    (frame * share + 50.0).clamp(180.0, 640.0)
}

/// Boundary points to draw, and how.
pub(super) fn knots(scene: &Scene) -> Option<(Vec<(f64, f64)>, Style)> {
    let boundary = scene.boundary.filter(|points| !points.is_empty() && points.dimension() == 2)?;
    let count = boundary.len();
    let step = count.div_ceil(2000);
    let shown = boundary.rows().step_by(step).map(|x| (x[0], x[1])).collect();
    Some((shown, knot(count)))
}

/// The density as a share of its highest value in the window.
pub(super) fn relative_density(scene: &Scene, window: [(f64, f64); 2]) -> Option<Grid> {
    let axis = |l: usize| steps(window[l].0, window[l].1, PLACES);
    let mut grid = Grid::of(axis(0), axis(1), |x, y| scene.log_density(&[x, y]).unwrap_or(f64::NEG_INFINITY));
    let (_, peak) = range(grid.values.iter().copied());
    if !peak.is_finite() {
        return None;
    }
    grid.values.iter_mut().for_each(|value| *value = (*value - peak).exp());
    Some(grid)
}

/// Darker than the whole scale, whose light end is lost on white.
pub(super) fn level_scale() -> ColorScale {
    ColorScale::sequential(-0.1, 1.5)
}

pub(super) fn level_color(level: f64) -> Color {
    level_scale().color(level).unwrap_or(Color::BLUE)
}

/// The confidence region of a mean: where `(t - mean)' V^-1 (t - mean)` is the chi-square quantile with two
/// degrees of freedom, `-2 log(1 - confidence)`.
fn region(scene: &Scene, place: &[usize], centre: [f64; 2]) -> Option<Vec<(f64, f64)>> {
    let covariance = scene.covariance.filter(|v| place.iter().all(|k| *k < v.rows()))?;
    let entry = |i: usize, j: usize| covariance[(place[i], place[j])];
    let first = entry(0, 0).sqrt();
    let slope = entry(0, 1) / first;
    let rest = (entry(1, 1) - slope * slope).max(0.0).sqrt();
    let radius = (-2.0 * (1.0 - scene.confidence).ln()).sqrt();
    let at = |angle: f64| {
        let (u, v) = (radius * angle.cos(), radius * angle.sin());
        (centre[0] + first * u, centre[1] + slope * u + rest * v)
    };
    let ring: Vec<(f64, f64)> = steps(0.0, std::f64::consts::TAU, 73).into_iter().map(at).collect();
    ring.iter().all(|(x, y)| x.is_finite() && y.is_finite()).then_some(ring)
}

#[cfg(test)]
mod tests {
    use steinbound::domain::{Ball, Complement, HalfSpace};
    use steinbound::model::Gaussian;
    use steinbound::{Matrix, Points};

    use super::*;

    #[test]
    fn the_ground_is_the_domain() {
        let window = [(-3.0, 3.0), (-3.0, 3.0)];
        let disc = Ball::new(2.0).unwrap().in_dimension(2);
        let curves = |domain: &dyn Domain| -> Vec<Vec<(f64, f64)>> {
            domain.outline(window).iter().map(|c| c.iter().map(|x| (x[0], x[1])).collect()).collect()
        };
        assert_eq!(land(&disc, window, &curves(&disc)).unwrap().len(), 1);
        let outside = Complement::new(std::sync::Arc::new(disc));
        assert_eq!(land(&outside, window, &curves(&outside)).unwrap().len(), 2);
        let half = HalfSpace::new(vec![1.0, 0.0], 0.5).unwrap();
        assert_eq!(land(&half, window, &curves(&half)), None);
    }

    #[test]
    fn regions_are_ellipses_of_the_quantile() {
        let data = Points::from_rows(&[[0.0, 0.0], [1.0, 1.0]]).unwrap();
        let model = Gaussian::with_variance(2, 1.0).unwrap();
        let covariance = Matrix::from_fn(2, 2, |i, j| [[0.04, 0.01], [0.01, 0.09]][i][j]);
        let mut scene = Scene::at(&data, &model, &[0.5, -0.5]);
        scene.covariance = Some(&covariance);
        let determinant = 0.04 * 0.09 - 0.01 * 0.01;
        for (x, y) in region(&scene, &[0, 1], [0.5, -0.5]).unwrap() {
            let (u, v) = (x - 0.5, y + 0.5);
            let square = (0.09 * u * u - 2.0 * 0.01 * u * v + 0.04 * v * v) / determinant;
            // The 95 % quantile of chi-square with two degrees of freedom.
            assert!((square - 5.991_464_547).abs() < 1e-8, "{square}");
        }
    }
}

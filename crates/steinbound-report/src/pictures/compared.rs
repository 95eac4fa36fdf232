//! The densities of several fits over the same data.

use steinbound_plot::numbers::{histogram, range, steps};
use steinbound_plot::{Axis, Color, Entry, Figure, Marker, Panel, Style};

use super::map::{ground, height, knots, relative_density};
use super::{BARS, WIDTH, edge, line, observed};
use crate::{Picture, Scene};

/// The most densities that can be told apart.
const MOST: usize = 8;

/// Contours, as shares of the highest density in the picture.
const LEVELS: [f64; 2] = [0.2, 0.6];

/// Looks that differ in colour, marker and dashes.
const LOOKS: [(Color, Marker); 4] = [
    (Color::BLUE, Marker::Circle),
    (Color::VERMILLION, Marker::Square),
    (Color::GREEN, Marker::Triangle),
    (Color::PURPLE, Marker::Diamond),
];

/// The line of a fit.
fn curve(k: usize) -> Style {
    let style = Style::new(LOOKS[k % LOOKS.len()].0).width(1.6);
    if k < LOOKS.len() { style } else { style.dashed() }
}

/// The same with the marker of its centres.
fn look(k: usize) -> Style {
    let style = curve(k).marker(LOOKS[k % LOOKS.len()].1).size(4.0);
    if k < LOOKS.len() { style } else { style.hollow() }
}

/// Data with the densities of several fits, each with its name: curves over a histogram on a line, contours
/// on a map in the plane. `None` in more dimensions, and without densities.
pub fn compared(fits: &[(String, Scene)]) -> Option<Picture> {
    let (_, scene) = fits.first().filter(|(_, scene)| !scene.data.is_empty())?;
    let shown = &fits[..fits.len().min(MOST)];
    let mut picture = match scene.dimension() {
        1 => on_line(scene, shown),
        2 => on_map(scene, shown),
        _ => return None,
    }?;
    if fits.len() > MOST {
        picture.caption.push_str(&format!(" The first {MOST} of {} fits are shown.", fits.len()));
    }
    Some(Picture::new(picture.figure, picture.caption))
}

fn on_line(scene: &Scene, fits: &[(String, Scene)]) -> Option<Picture> {
    let (low, high) = scene.window(0);
    let places = steps(low, high, line::PLACES);
    let ends = line::ends(scene, (low, high));
    let edges = line::bins(scene, &ends);
    let weights = scene.data.weights();
    let unit = weights.iter().sum::<f64>() * (edges[1] - edges[0]);
    let weighted = scene.data.rows().zip(weights.iter()).map(|(x, weight)| (x[0], weight / unit));
    let counts = histogram(weighted, &edges);
    let mut panel = Panel::new(Axis::linear(scene.label(0)), Axis::linear("density").from_zero()).histogram(
        edges,
        counts,
        Style::new(BARS),
    );
    let mut entries = vec![Entry::fill("data", BARS)];
    for (k, (name, fit)) in fits.iter().enumerate() {
        let Some((seen, _)) = line::curves(fit, &places, &ends) else { continue };
        let style = curve(k);
        panel = panel.line(seen, style.clone());
        entries.push(Entry::line(name, style));
    }
    let limits = ends.iter().flat_map(|(a, b)| [*a, *b]).filter(|end| end.is_finite());
    panel = limits.fold(panel, |panel, limit| panel.vertical(limit, edge()));
    let caption = "The data as a histogram, and the fitted densities, scaled to the data that are seen.";
    (entries.len() > 1).then(|| {
        Picture::new(Figure::new(WIDTH).row(320.0, vec![panel]).legend(entries).id("densities"), caption)
    })
}

fn on_map(scene: &Scene, fits: &[(String, Scene)]) -> Option<Picture> {
    // Means outside the region belong to the picture, unless they would shrink it.
    let window = [0, 1].map(|l| {
        let (low, high) = scene.window(l);
        let reach = 0.5 * (high - low);
        let near = fits.iter().flat_map(|(_, fit)| centres(fit)).map(|centre| centre[l]);
        range(near.filter(|at| *at > low - reach && *at < high + reach).chain([low, high]))
    });
    let rows = scene.shown_rows();
    let points: Vec<(f64, f64)> =
        rows.iter().map(|i| (scene.data.row(*i)[0], scene.data.row(*i)[1])).collect();
    let style = observed(points.len());
    let mut panel = ground(scene, window).points(points, style.clone());
    let mut entries = vec![Entry::marker("data", style)];
    if let Some((shown, style)) = knots(scene).filter(|_| scene.domain.is_none()) {
        panel = panel.points(shown, style.clone());
        entries.push(Entry::marker("boundary points", style));
    }
    for (k, (name, fit)) in fits.iter().enumerate() {
        let Some(grid) = relative_density(fit, window) else { continue };
        let is_inside = |x: &[f64; 2]| (0..2).all(|l| (window[l].0..=window[l].1).contains(&x[l]));
        let centres: Vec<(f64, f64)> = centres(fit).filter(is_inside).map(|x| (x[0], x[1])).collect();
        panel = panel.contour_lines(grid, LEVELS.to_vec(), curve(k));
        panel = panel.points(centres, look(k));
        entries.push(Entry::line(name, look(k)));
    }
    let caption = format!(
        "The data, and contours of the fitted densities at 20 and 60 % of their highest value in the picture, with their means. \
         They go on where nothing is seen.{}",
        scene.thinning()
    );
    let figure = Figure::new(WIDTH).row(height(scene, window, WIDTH - 70.0), vec![panel]);
    (entries.len() > 1).then(|| Picture::new(figure.legend(entries).id("densities"), caption))
}

/// The centres of a density in the plane.
fn centres<'a>(scene: &'a Scene) -> impl Iterator<Item = [f64; 2]> + 'a {
    scene.centres().into_iter().filter_map(|place| match place[..] {
        [x, y] => Some([scene.reported[x], scene.reported[y]]),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use steinbound::Points;
    use steinbound::domain::Ball;
    use steinbound::model::Gaussian;

    use super::*;

    #[test]
    fn every_fit_has_its_contours_and_its_entry() {
        let rows = (0..40).map(f64::from).map(|k| [(k * 0.7).sin(), (k * 1.1).cos()]);
        let data = Points::from_rows(&rows.collect::<Vec<_>>()).unwrap();
        let model = Gaussian::with_variance(2, 1.0).unwrap();
        let disc = Ball::new(1.5).unwrap().in_dimension(2);
        let scene = |x: f64| Scene::at(&data, &model, &[x, 0.0]).domain(Some(&disc));
        let fits = |count: u8| -> Vec<(String, Scene)> {
            (0..count).map(|k| (format!("[{k}] fit"), scene(0.1 * f64::from(k)))).collect()
        };
        let picture = compared(&fits(3)).unwrap();
        let svg = picture.figure.to_svg();
        assert_eq!(svg.matches("class=\"contours\"").count(), 3, "{svg}");
        assert!((0..3).all(|k| svg.contains(&format!("[{k}] fit"))));
        assert!(compared(&fits(9)).unwrap().caption.contains("The first 8 of 9 fits"));
        assert!(compared(&[]).is_none());
    }

    #[test]
    fn curves_on_a_line() {
        let data = Points::from_rows(&[[0.1], [0.5], [1.9]]).unwrap();
        let model = Gaussian::with_variance(1, 1.0).unwrap();
        let fits = [-1.0, 1.0].map(|mean| (format!("mean {mean}"), Scene::at(&data, &model, &[mean])));
        let svg = compared(&fits).unwrap().figure.to_svg();
        assert!(svg.contains("mean -1") && svg.matches("class=\"line\"").count() == 2, "{svg}");
    }
}

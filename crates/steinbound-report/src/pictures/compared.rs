//! The densities of several fits over the same data.

use std::cell::Cell;

use steinbound_plot::numbers::{histogram, range, steps};
use steinbound_plot::{Axis, Color, Entry, Figure, Marker, Panel, Style};

use super::map::{ground, height, knots, relative_density};
use super::pair_plot::{self, Frame};
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
/// on a map in the plane, and for every pair of coordinates beyond that. Fits that may be trusted come first, and
/// give the scale. `None` without densities.
pub fn compared(fits: &[(String, Scene)]) -> Option<Picture> {
    let (_, scene) = fits.first().filter(|(_, scene)| !scene.data.is_empty())?;
    let (trusted, doubtful): (Vec<_>, Vec<_>) = fits.iter().partition(|(_, scene)| scene.is_trusted);
    let mut shown: Vec<(String, &Scene)> =
        trusted.iter().map(|(name, scene)| (name.clone(), scene)).collect();
    shown.extend(doubtful.iter().map(|(name, scene)| (format!("{name} (doubtful)"), scene)));
    shown.truncate(MOST);
    let mut remark = String::new();
    if fits.len() > MOST {
        remark.push_str(&match (trusted.len(), doubtful.len()) {
            (_, 0) | (0, _) => format!(" The first {MOST} of {} fits are shown.", fits.len()),
            (MOST.., _) => {
                format!(" The first {MOST} of {} fits that can be trusted are shown.", trusted.len())
            }
            _ => format!(" {MOST} of {} fits are shown, those that can be trusted first.", fits.len()),
        });
    }
    match scene.dimension() {
        1 => on_line(scene, &shown, &remark),
        2 => on_map(scene, &shown, &remark),
        _ => in_pairs(scene, &shown, &remark),
    }
}

/// The height up to which all of those curves are seen that may be trusted, and of the bars; `None` where that is
/// every curve, or none.
fn tallest<'a>(bars: &[f64], curves: impl Iterator<Item = (bool, &'a [(f64, f64)])>) -> Option<f64> {
    let (mut trusted, mut doubtful) = (range(bars.iter().copied()).1, f64::NEG_INFINITY);
    let mut has_trusted = false;
    for (is_trusted, curve) in curves {
        let (_, peak) = range(curve.iter().map(|place| place.1).filter(|height| height.is_finite()));
        has_trusted |= is_trusted;
        let highest = if is_trusted { &mut trusted } else { &mut doubtful };
        *highest = highest.max(peak);
    }
    (has_trusted && doubtful > trusted).then_some(1.05 * trusted)
}

/// What to say where doubtful curves leave a picture.
const BEYOND: &str = " Doubtful ones go beyond it.";

fn on_line(scene: &Scene, fits: &[(String, &Scene)], remark: &str) -> Option<Picture> {
    let (low, high) = scene.window(0);
    let places = steps(low, high, line::PLACES);
    let ends = line::ends(scene, (low, high));
    let edges = line::bins(scene, &ends);
    let weights = scene.data.weights();
    let unit = weights.iter().sum::<f64>() * (edges[1] - edges[0]);
    let weighted = scene.data.rows().zip(weights.iter()).map(|(x, weight)| (x[0], weight / unit));
    let counts = histogram(weighted, &edges);
    let curves: Vec<_> = fits
        .iter()
        .enumerate()
        .filter_map(|(k, (name, fit))| Some((k, name, fit, line::curves(fit, &places, &ends)?.0)))
        .collect();
    let tallest = tallest(&counts, curves.iter().map(|(.., fit, seen)| (fit.is_trusted, seen.as_slice())));
    let mut height = Axis::linear("density").from_zero();
    let mut caption =
        String::from("The data as a histogram, and the fitted densities, scaled to the data that are seen.");
    caption.push_str(remark);
    if let Some(tallest) = tallest {
        height = height.range(0.0, tallest);
        caption.push_str(BEYOND);
    }
    let panel = Panel::new(Axis::linear(scene.label(0)), height);
    let mut panel = panel.histogram(edges, counts, Style::new(BARS));
    let mut entries = vec![Entry::fill("data", BARS)];
    for (k, name, _, seen) in curves {
        panel = panel.line(seen, curve(k));
        entries.push(Entry::line(name, curve(k)));
    }
    let limits = ends.iter().flat_map(|(a, b)| [*a, *b]).filter(|end| end.is_finite());
    panel = limits.fold(panel, |panel, limit| panel.vertical(limit, edge()));
    (entries.len() > 1).then(|| {
        Picture::new(Figure::new(WIDTH).row(320.0, vec![panel]).legend(entries).id("densities"), caption)
    })
}

fn on_map(scene: &Scene, fits: &[(String, &Scene)], remark: &str) -> Option<Picture> {
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
         They go on where nothing is seen.{}{remark}",
        scene.thinning()
    );
    let figure = Figure::new(WIDTH).row(height(scene, window, WIDTH - 70.0), vec![panel]);
    (entries.len() > 1).then(|| Picture::new(figure.legend(entries).id("densities"), caption))
}

fn in_pairs(scene: &Scene, fits: &[(String, &Scene)], remark: &str) -> Option<Picture> {
    let drawn: Vec<_> = fits
        .iter()
        .enumerate()
        .filter_map(|(k, (name, fit))| Some((k, name, fit, pair_plot::draws(fit)?)))
        .collect();
    let is_beyond = Cell::new(false);
    let panel = |column: usize, row: usize| {
        if column != row {
            let panel = pair_plot::scatter(scene, column, row);
            let frame = Frame::of(scene, [column, row]);
            return drawn.iter().fold(panel, |panel, (k, .., draws)| {
                match pair_plot::smoothed(draws, &frame) {
                    Some(grid) => panel.contour_lines(grid, LEVELS.to_vec(), curve(*k)),
                    None => panel,
                }
            });
        }
        let bars = pair_plot::bars(scene, row);
        let curves: Vec<_> =
            drawn.iter().map(|(.., draws)| pair_plot::margin(draws, row, &bars.edges)).collect();
        let all = drawn.iter().zip(&curves).map(|((_, _, fit, _), line)| (fit.is_trusted, line.as_slice()));
        let tallest = tallest(&bars.heights, all);
        is_beyond.set(is_beyond.get() || tallest.is_some());
        let panel = bars.panel(scene, tallest);
        drawn.iter().zip(curves).fold(panel, |panel, ((k, ..), line)| panel.line(line, curve(*k)))
    };
    let (figure, narrow) = pair_plot::arranged(scene, panel);
    let mut caption = format!(
        "The data, every pair of coordinates, and the fitted densities {}: contours at 20 and 60 % of their highest value, \
         from draws.{}{remark}",
        pair_plot::where_shown(scene),
        pair_plot::left_out(scene)
    );
    if is_beyond.get() {
        caption.push_str(BEYOND);
    }
    let mut entries = pair_plot::entries(scene);
    entries.extend(drawn.iter().map(|(k, name, ..)| Entry::line(*name, curve(*k))));
    let narrow = narrow.legend(entries.clone()).id("narrow-densities");
    let figure = figure.legend(entries).id("densities");
    (!drawn.is_empty()).then(|| Picture::new(figure, caption).on_narrow_screens(narrow))
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
    fn fits_that_can_be_trusted_come_first_and_give_the_scale() {
        let data = Points::from_rows(&[[0.1], [0.5], [1.9]]).unwrap();
        let model = Gaussian::full(1);
        let scene = |is_trusted: bool, variance: f64| {
            let mut scene = Scene::at(&data, &model, &[1.0, variance]);
            scene.is_trusted = is_trusted;
            scene
        };
        let narrow = || scene(false, 1e-6);
        let fits: Vec<(String, Scene)> =
            (0..9).map(|k| (format!("[{k}]"), if k < 8 { narrow() } else { scene(true, 1.0) })).collect();
        let picture = compared(&fits).unwrap();
        let svg = picture.figure.to_svg();
        assert!(svg.contains(">[8]<") && svg.contains("[0] (doubtful)") && !svg.contains("[7]"), "{svg}");
        assert!(picture.caption.contains("8 of 9 fits are shown, those that can be trusted first."));
        assert!(picture.caption.ends_with("Doubtful ones go beyond it."), "{}", picture.caption);
        let labels =
            svg.split("<text").filter_map(|part| part.split('>').nth(1)?.split('<').next()?.parse().ok());
        let highest = labels.fold(0.0, f64::max);
        assert!(highest < 2.5, "the axis ends at {highest}");
        let all = compared(&[("a".into(), scene(true, 1.0)), ("b".into(), scene(true, 2.0))]).unwrap();
        assert!(all.caption.ends_with("scaled to the data that are seen."), "{}", all.caption);
    }

    #[test]
    fn more_than_two_coordinates_have_a_picture_too() {
        let rows = (0..40).map(f64::from).map(|k| [(k * 0.7).sin(), (k * 1.1).cos(), (k * 0.3).sin()]);
        let data = Points::from_rows(&rows.collect::<Vec<_>>()).unwrap();
        let model = Gaussian::with_variance(3, 1.0).unwrap();
        let ball = Ball::new(1.8).unwrap().in_dimension(3);
        let fits = [0.0, 0.5].map(|mean| {
            (format!("mean {mean}"), Scene::at(&data, &model, &[mean, 0.0, 0.0]).domain(Some(&ball)))
        });
        let picture = compared(&fits).unwrap();
        let svg = picture.figure.to_svg();
        assert_eq!(svg.matches("class=\"contours\"").count(), 2 * 6, "{svg}");
        assert!(svg.contains("mean 0.5") && picture.caption.contains("every pair of coordinates"));
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

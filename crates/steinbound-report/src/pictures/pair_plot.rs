//! More than two coordinates: every pair of them.

use rand::RngExt;
use steinbound::simulate::{sampler, stream, tasks};
use steinbound_plot::numbers::{histogram, range, steps};
use steinbound_plot::{Axis, Entry, Figure, Grid, Panel, Style};

use super::map::{LEVELS, level_color, level_scale};
use super::{BARS, WIDTH, fitted, observed};
use crate::picture::NARROW;
use crate::{Picture, Scene};

/// The most coordinates that fit on a page.
const MOST_COORDINATES: usize = 5;

/// Draws of the density from which its contours are found.
const DRAWS: usize = 100_000;

/// The most draws that are made for them, and the fewest that show anything.
const MOST_DRAWS: usize = 1_000_000;
const FEWEST_DRAWS: usize = 2_000;

/// Even draws over the picture, where the density itself cannot be drawn from.
const EVEN_DRAWS: usize = 300_000;

/// Places of the density with weights.
struct Draws {
    places: Vec<Vec<f64>>,
    weights: Vec<f64>,
}

impl Draws {
    /// How many draws without weights would be as good.
    fn effective(&self) -> f64 {
        let squares: f64 = self.weights.iter().map(|w| w * w).sum();
        self.weights.iter().sum::<f64>().powi(2) / squares.max(f64::MIN_POSITIVE)
    }

    fn weighted(&self) -> impl Iterator<Item = (&Vec<f64>, f64)> {
        self.places.iter().zip(self.weights.iter().copied())
    }
}

/// Places along each axis of a pair's contours.
const PLACES: usize = 41;

pub(super) fn picture(scene: &Scene) -> Option<Picture> {
    let count = scene.dimension().min(MOST_COORDINATES);
    let drawn = draws(scene).or_else(|| even_draws(scene));
    let size = WIDTH / count as f64;
    let mut figure = Figure::new(WIDTH).id("density");
    let panel = |column: usize, row: usize| match column == row {
        true => alone(scene, row, drawn.as_ref()),
        false => together(scene, column, row, drawn.as_ref()),
    };
    for row in 0..count {
        figure = figure.row(0.92 * size, (0..count).map(|column| panel(column, row)).collect());
    }
    // On a narrow screen every pair comes once, after its coordinates.
    let alone = (0..count).map(|l| panel(l, l));
    let pairs = (1..count).flat_map(|row| (0..row).map(move |column| (column, row)));
    let once: Vec<Panel> = alone.chain(pairs.map(|(column, row)| panel(column, row))).collect();
    let mut narrow = Figure::new(NARROW).id("narrow-density");
    for two in once.chunks(2) {
        let panels = two.iter().map(|panel| (1.0, panel.clone())).collect();
        narrow = narrow.row_weighted(0.5 * NARROW, panels);
    }
    let mut entries =
        vec![Entry::marker("data", observed(scene.data.len())), Entry::fill("data, one coordinate", BARS)];
    let mut caption = String::from("The data, every pair of coordinates");
    if drawn.is_some() {
        let name = scene.density_name();
        entries.push(Entry::line(name, Style::new(level_color(0.5))));
        entries.push(Entry::line(format!("{name}, one coordinate"), fitted()));
        caption.push_str(&format!(
            ", and the {name} {}: contours at 10, 30, 50, 70 and 90 % of its highest value, from draws",
            if scene.has_domain() {
                "where data are seen"
            } else {
                "behind the truncation, which goes on where nothing is seen"
            }
        ));
    }
    caption.push('.');
    if scene.dimension() > count {
        caption.push_str(&format!(" The first {count} of {} coordinates are shown.", scene.dimension()));
    }
    caption.push_str(&scene.thinning());
    let narrow = narrow.legend(entries.clone());
    Some(Picture::new(figure.legend(entries), caption).on_narrow_screens(narrow))
}

/// Draws of the density where data are seen, as far as that is known; `None` where the model cannot be
/// sampled or hardly ever hits the region.
fn draws(scene: &Scene) -> Option<Draws> {
    let sampler = sampler(scene.model, scene.theta.as_deref()?, scene.domain)?;
    let mut rng = stream(scene.seed, tasks::MASS);
    let mut inside = Vec::new();
    let mut x = vec![0.0; scene.dimension()];
    for _ in 0..MOST_DRAWS {
        sampler(&mut rng, &mut x);
        if scene.is_inside(&x) {
            inside.push(x.clone());
        }
        if inside.len() == DRAWS {
            break;
        }
    }
    (inside.len() >= FEWEST_DRAWS).then(|| Draws { weights: vec![1.0; inside.len()], places: inside })
}

/// Even draws over what the picture shows of the region, weighted with the density; `None` where it has none,
/// or is too narrow for that.
fn even_draws(scene: &Scene) -> Option<Draws> {
    let windows: Vec<(f64, f64)> = (0..scene.dimension()).map(|l| scene.window(l)).collect();
    let mut rng = stream(scene.seed, tasks::MASS);
    let (mut places, mut logarithms) = (Vec::new(), Vec::new());
    for _ in 0..EVEN_DRAWS {
        let x: Vec<f64> =
            windows.iter().map(|(low, high)| low + (high - low) * rng.random::<f64>()).collect();
        if scene.is_inside(&x) {
            logarithms.push(scene.log_density(&x)?);
            places.push(x);
        }
    }
    let (_, peak) = range(logarithms.iter().copied());
    let weights = logarithms.iter().map(|value| (value - peak).exp()).collect();
    Some(Draws { places, weights })
        .filter(|draws| peak.is_finite() && draws.effective() >= FEWEST_DRAWS as f64)
}

/// One coordinate: a histogram of the data, and the density as a line.
fn alone(scene: &Scene, l: usize, draws: Option<&Draws>) -> Panel {
    let (low, high) = scene.window(l);
    let edges = steps(low, high, 25);
    let width = edges[1] - edges[0];
    let weights = scene.data.weights();
    let total: f64 = weights.iter().sum();
    let values: Vec<(f64, f64)> =
        scene.data.rows().zip(weights.iter()).map(|(x, w)| (x[l], w / (total * width))).collect();
    let mut panel = Panel::new(Axis::linear(scene.label(l)).range(low, high), Axis::linear("").from_zero())
        .histogram(edges.clone(), histogram(values, &edges), Style::new(BARS));
    if let Some(draws) = draws {
        let share = 1.0 / (draws.weights.iter().sum::<f64>() * width);
        let inside =
            draws.weighted().map(|(x, w)| (x[l], w * share)).filter(|(x, _)| (low..=high).contains(x));
        let heights = histogram(inside, &edges);
        let line = edges.windows(2).zip(heights).map(|(ends, height)| (0.5 * (ends[0] + ends[1]), height));
        panel = panel.line(line.collect(), fitted().width(1.4));
    }
    panel
}

/// Two coordinates.
fn together(scene: &Scene, first: usize, second: usize, draws: Option<&Draws>) -> Panel {
    let (x, y) = (scene.window(first), scene.window(second));
    let axis = |l: usize, (low, high): (f64, f64)| Axis::linear(scene.label(l)).range(low, high);
    let rows = scene.shown_rows();
    let points = rows.iter().map(|i| (scene.data.row(*i)[first], scene.data.row(*i)[second])).collect();
    let look = observed(scene.data.len());
    let panel = Panel::new(axis(first, x), axis(second, y)).points(points, look.size(1.3));
    match draws.and_then(|draws| smoothed(draws, first, second, x, y)) {
        Some(grid) => panel.contours(grid, LEVELS.to_vec(), level_scale()),
        None => panel,
    }
}

/// The density of draws on a grid, as a share of its highest value: counts around each place, smoothed over
/// the neighbours.
fn smoothed(draws: &Draws, first: usize, second: usize, x: (f64, f64), y: (f64, f64)) -> Option<Grid> {
    let place = |value: f64, (low, high): (f64, f64)| {
        let at = (value - low) / (high - low) * (PLACES - 1) as f64;
        (at > -0.5 && at < PLACES as f64 - 0.5).then(|| at.round() as usize)
    };
    let mut values = vec![0.0; PLACES * PLACES];
    for (draw, weight) in draws.weighted() {
        if let (Some(column), Some(row)) = (place(draw[first], x), place(draw[second], y)) {
            values[row * PLACES + column] += weight;
        }
    }
    for _ in 0..4 {
        values = blurred(&values);
    }
    let (_, peak) = range(values.iter().copied());
    if !(peak.is_finite() && peak > 0.0) {
        return None;
    }
    values.iter_mut().for_each(|value| *value /= peak);
    Some(Grid { x: steps(x.0, x.1, PLACES), y: steps(y.0, y.1, PLACES), values })
}

/// Means over each place and its eight neighbours; fewer at the rim.
fn blurred(values: &[f64]) -> Vec<f64> {
    let near = |k: usize| k.saturating_sub(1)..(k + 2).min(PLACES);
    let mean = |at: usize| {
        let (row, column) = (at / PLACES, at % PLACES);
        let (mut sum, mut count) = (0.0, 0.0);
        for i in near(row) {
            for j in near(column) {
                sum += values[i * PLACES + j];
                count += 1.0;
            }
        }
        sum / count
    };
    (0..values.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_become_a_density_with_its_peak_in_place() {
        let draws: Vec<Vec<f64>> = (0..2000)
            .map(|k| vec![0.5 + 0.2 * (f64::from(k) * 0.7).sin(), -0.5 + 0.1 * (f64::from(k) * 1.3).cos()])
            .collect();
        let draws = Draws { weights: vec![1.0; draws.len()], places: draws };
        let grid = smoothed(&draws, 0, 1, (-1.0, 1.0), (-1.0, 1.0)).unwrap();
        let at = |x: f64, y: f64| {
            let place = |v: f64| ((v + 1.0) / 2.0 * (PLACES - 1) as f64).round() as usize;
            grid.values[place(y) * PLACES + place(x)]
        };
        assert_eq!(range(grid.values.iter().copied()).1, 1.0);
        assert!(at(0.6, -0.5) > 0.05 && at(-0.6, 0.5) == 0.0);
        assert!(smoothed(&draws, 0, 1, (5.0, 6.0), (5.0, 6.0)).is_none());
    }

    /// Even draws with weights show the same margins as draws of the density itself.
    #[test]
    fn densities_without_a_sampler_are_drawn_too() {
        use steinbound::domain::Cuboid;
        use steinbound::model::Gaussian;
        let rows = (0..40).map(f64::from).map(|k| [(k * 0.7).sin(), (k * 1.1).cos(), (k * 0.3).sin()]);
        let data = steinbound::Points::from_rows(&rows.collect::<Vec<_>>()).unwrap();
        let model = Gaussian::with_variance(3, 1.0).unwrap();
        let domain = Cuboid::new(vec![-1.0; 3], vec![2.0; 3]).unwrap();
        let scene = Scene::at(&data, &model, &[0.5, 0.0, 3.0]).domain(Some(&domain));
        let mean = |draws: &Draws, l: usize| {
            draws.weighted().map(|(x, w)| x[l] * w).sum::<f64>() / draws.weights.iter().sum::<f64>()
        };
        let (own, even) = (draws(&scene).unwrap(), even_draws(&scene).unwrap());
        for l in 0..3 {
            assert!((mean(&own, l) - mean(&even, l)).abs() < 0.02, "{} {}", mean(&own, l), mean(&even, l));
        }
        // Where the density lies far from the data none of either shows it.
        let far = Scene::at(&data, &model, &[0.5, 0.0, 300.0]).domain(Some(&domain));
        assert!(draws(&far).is_none());
    }
}

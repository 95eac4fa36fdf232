//! More than two coordinates: every pair of them.

use rand::RngExt;
use steinbound::simulate::{sampler, stream, tasks};
use steinbound_plot::numbers::{histogram, range, steps};
use steinbound_plot::{Axis, Entry, Figure, Grid, Panel, Style};

use super::map::{LEVELS, level_color, level_scale};
use super::{BARS, WIDTH, edge, fitted, observed};
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
pub(super) struct Draws {
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

/// Cells along each axis of a pair's contours.
const CELLS: usize = 60;

/// Bins of a histogram of one coordinate.
const BINS: usize = 24;

/// Observations whose other coordinates are tried to find out whether a region is a rectangle.
const ROWS_OF_CORNERS: usize = 20;

pub(super) fn picture(scene: &Scene) -> Option<Picture> {
    let drawn = draws(scene);
    let panel = |column: usize, row: usize| match column == row {
        true => {
            let bars = bars(scene, row);
            let line = drawn.as_ref().map(|draws| margin(draws, row, &bars.edges));
            let panel = bars.panel(scene, None);
            line.into_iter().fold(panel, |panel, line| panel.line(line, fitted().width(1.4)))
        }
        false => {
            let panel = scatter(scene, column, row);
            match drawn.as_ref().and_then(|draws| smoothed(draws, &Frame::of(scene, [column, row]))) {
                Some(grid) => panel.contours(grid, LEVELS.to_vec(), level_scale()),
                None => panel,
            }
        }
    };
    let (figure, narrow) = arranged(scene, panel);
    let mut entries = entries(scene);
    let mut caption = String::from("The data, every pair of coordinates");
    if drawn.is_some() {
        let name = scene.density_name();
        entries.push(Entry::line(name, Style::new(level_color(0.5))));
        entries.push(Entry::line(format!("{name}, one coordinate"), fitted()));
        caption.push_str(&format!(
            ", and the {name} {}: contours at 10, 30, 50, 70 and 90 % of its highest value, from draws",
            where_shown(scene)
        ));
    }
    caption.push('.');
    caption.push_str(&left_out(scene));
    let narrow = narrow.legend(entries.clone());
    Some(
        Picture::new(figure.legend(entries).id("density"), caption)
            .on_narrow_screens(narrow.id("narrow-density")),
    )
}

/// Where a density is drawn.
pub(super) fn where_shown(scene: &Scene) -> &'static str {
    match scene.has_domain() {
        true => "where data are seen",
        false => "behind the truncation, which goes on where nothing is seen",
    }
}

/// What to say of coordinates and data that are not drawn.
pub(super) fn left_out(scene: &Scene) -> String {
    let all = scene.dimension();
    let first = match all > MOST_COORDINATES {
        true => format!(" The first {MOST_COORDINATES} of {all} coordinates are shown."),
        false => String::new(),
    };
    first + &scene.thinning()
}

/// What the legend says of the data and their region.
pub(super) fn entries(scene: &Scene) -> Vec<Entry> {
    let mut entries =
        vec![Entry::marker("data", observed(scene.data.len())), Entry::fill("data, one coordinate", BARS)];
    let shown = scene.dimension().min(MOST_COORDINATES);
    if (0..shown).any(|l| !ends(scene, l).is_empty()) {
        entries.push(Entry::line("boundary", edge()));
    }
    entries
}

/// A panel for each column and row, for wide and for narrow screens.
pub(super) fn arranged(scene: &Scene, panel: impl Fn(usize, usize) -> Panel) -> (Figure, Figure) {
    let count = scene.dimension().min(MOST_COORDINATES);
    let size = WIDTH / count as f64;
    let rows = (0..count).map(|row| (0..count).map(|column| panel(column, row)).collect());
    let figure = rows.fold(Figure::new(WIDTH), |figure, row| figure.row(0.92 * size, row));
    // On a narrow screen every pair comes once, after its coordinates.
    let alone = (0..count).map(|l| (l, l));
    let pairs = (1..count).flat_map(|row| (0..row).map(move |column| (column, row)));
    let once: Vec<(usize, usize)> = alone.chain(pairs).collect();
    let mut narrow = Figure::new(NARROW);
    for two in once.chunks(2) {
        let panels = two.iter().map(|(column, row)| (1.0, panel(*column, *row))).collect();
        narrow = narrow.row_weighted(0.5 * NARROW, panels);
    }
    (figure, narrow)
}

/// The ends of the region along a coordinate that the picture shows.
fn ends(scene: &Scene, l: usize) -> Vec<f64> {
    let (low, high) = scene.window(l);
    let bounds = scene.domain.and_then(|domain| domain.bounds().get(l).copied());
    bounds.into_iter().flat_map(|(a, b)| [a, b]).filter(|end| low < *end && *end < high).collect()
}

/// The part of a coordinate's axis that lies within the ends of the region: bins that straddle an end would show
/// a density that fades out there.
fn seen(scene: &Scene, l: usize) -> (f64, f64) {
    let (low, high) = scene.window(l);
    let bounds = scene.domain.and_then(|domain| domain.bounds().get(l).copied());
    match bounds.map(|(a, b)| (low.max(a), high.min(b))) {
        Some((a, b)) if a < b => (a, b),
        _ => (low, high),
    }
}

/// Places of the density where data are seen, as far as that is known.
pub(super) fn draws(scene: &Scene) -> Option<Draws> {
    own_draws(scene).or_else(|| even_draws(scene))
}

/// Draws of the model; `None` where it cannot be sampled or hardly ever hits the region.
fn own_draws(scene: &Scene) -> Option<Draws> {
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

/// One coordinate: a histogram of the data.
pub(super) struct Bars {
    pub(super) edges: Vec<f64>,
    pub(super) heights: Vec<f64>,
    coordinate: usize,
}

pub(super) fn bars(scene: &Scene, l: usize) -> Bars {
    let (first, last) = seen(scene, l);
    let edges = steps(first, last, BINS + 1);
    let weights = scene.data.weights();
    let unit = weights.iter().sum::<f64>() * (edges[1] - edges[0]);
    let heights = histogram(scene.data.rows().zip(weights.iter()).map(|(x, w)| (x[l], w / unit)), &edges);
    Bars { edges, heights, coordinate: l }
}

impl Bars {
    /// The histogram with the ends of the region, up to a height where one is given.
    pub(super) fn panel(self, scene: &Scene, tallest: Option<f64>) -> Panel {
        let l = self.coordinate;
        let (low, high) = scene.window(l);
        let mut height = Axis::linear("").from_zero();
        if let Some(tallest) = tallest {
            height = height.range(0.0, tallest);
        }
        let panel = Panel::new(Axis::linear(scene.label(l)).range(low, high), height);
        let panel = panel.histogram(self.edges, self.heights, Style::new(BARS));
        ends(scene, l).into_iter().fold(panel, |panel, end| panel.vertical(end, edge()))
    }
}

/// The density of one coordinate of draws, as a line over these bins from the first edge to the last.
pub(super) fn margin(draws: &Draws, l: usize, edges: &[f64]) -> Vec<(f64, f64)> {
    let (low, high) = (edges[0], edges[edges.len() - 1]);
    let share = 1.0 / (draws.weights.iter().sum::<f64>() * (edges[1] - edges[0]));
    let inside = draws.weighted().map(|(x, w)| (x[l], w * share)).filter(|(x, _)| (low..=high).contains(x));
    let heights = histogram(inside, edges);
    let line = edges.windows(2).zip(&heights).map(|(ends, height)| (0.5 * (ends[0] + ends[1]), *height));
    // Half a bin remains at each end: the line goes on with its slope.
    let beyond = |near: f64, next: f64| (1.5 * near - 0.5 * next).max(0.0);
    let last = heights.len() - 1;
    let first = (low, beyond(heights[0], heights[1.min(last)]));
    let end = (high, beyond(heights[last], heights[last.saturating_sub(1)]));
    [first].into_iter().chain(line).chain([end]).collect()
}

/// The data in two coordinates, and the edges of the region where it is a rectangle.
pub(super) fn scatter(scene: &Scene, first: usize, second: usize) -> Panel {
    let axis = |l: usize| {
        let (low, high) = scene.window(l);
        Axis::linear(scene.label(l)).range(low, high)
    };
    let rows = scene.shown_rows();
    let points = rows.iter().map(|i| (scene.data.row(*i)[first], scene.data.row(*i)[second])).collect();
    let mut panel = Panel::new(axis(first), axis(second));
    if is_rectangle(scene, first, second) {
        let (x, y) = (seen(scene, first), seen(scene, second));
        let upright = ends(scene, first).into_iter().map(|end| vec![(end, y.0), (end, y.1)]);
        let level = ends(scene, second).into_iter().map(|end| vec![(x.0, end), (x.1, end)]);
        panel = upright.chain(level).fold(panel, |panel, side| panel.line(side, edge()));
    }
    panel.points(points, observed(scene.data.len()).size(1.3))
}

/// Whether the region reaches into all corners of what the picture shows of two coordinates: with the others those
/// of some observation.
fn is_rectangle(scene: &Scene, first: usize, second: usize) -> bool {
    let Some(domain) = scene.domain else { return false };
    let corners = |l: usize| {
        let (low, high) = seen(scene, l);
        let inwards = 1e-6 * (high - low);
        [low + inwards, high - inwards]
    };
    scene.data.rows().take(ROWS_OF_CORNERS).any(|row| {
        let mut x = row.to_vec();
        corners(first).iter().all(|a| {
            corners(second).iter().all(|b| {
                (x[first], x[second]) = (*a, *b);
                domain.contains(&x)
            })
        })
    })
}

/// What a picture of two coordinates shows.
pub(super) struct Frame {
    pair: [usize; 2],
    ends: [(f64, f64); 2],
    /// Whether the density falls to zero at the frame: that of a region without corners does.
    is_round: bool,
}

impl Frame {
    pub(super) fn of(scene: &Scene, pair: [usize; 2]) -> Frame {
        let is_bounded = pair.iter().all(|l| ends(scene, *l).len() == 2);
        let is_round = is_bounded && !is_rectangle(scene, pair[0], pair[1]);
        Frame { pair, ends: pair.map(|l| seen(scene, l)), is_round }
    }
}

/// The density of draws in two coordinates on a grid from end to end, as a share of its highest value: counts in
/// cells, smoothed over the neighbours.
pub(super) fn smoothed(draws: &Draws, frame: &Frame) -> Option<Grid> {
    let (pair, ends) = (frame.pair, frame.ends);
    let cell = |value: f64, (low, high): (f64, f64)| {
        let at = (value - low) / (high - low) * CELLS as f64;
        (0.0..=CELLS as f64).contains(&at).then(|| (at as usize).min(CELLS - 1))
    };
    let mut counts = vec![0.0; CELLS * CELLS];
    for (draw, weight) in draws.weighted() {
        if let [Some(column), Some(row)] = [0, 1].map(|k| cell(draw[pair[k]], ends[k])) {
            counts[row * CELLS + column] += weight;
        }
    }
    // Cells that no draw reaches lie outside the region or where the density is low: nothing is spread to them.
    let is_reached = closed(&counts.iter().map(|count| *count > 0.0).collect::<Vec<_>>());
    for _ in 0..12 {
        counts = blurred(&counts, &is_reached);
    }
    // Once over all cells, or their corners would be seen where contours follow the edge of a region.
    counts = blurred(&counts, &[true; CELLS * CELLS]);
    let (_, peak) = range(counts.iter().copied());
    if !(peak.is_finite() && peak > 0.0) {
        return None;
    }
    // Values are those of the cells' middles, and at the ends those beside them.
    let places = |(low, high): (f64, f64)| {
        let step = (high - low) / CELLS as f64;
        let middles = (0..CELLS).map(|k| low + (k as f64 + 0.5) * step);
        [low].into_iter().chain(middles).chain([high]).collect::<Vec<f64>>()
    };
    let nearest = |k: usize| k.saturating_sub(1).min(CELLS - 1);
    let is_end = |k: usize| k == 0 || k == CELLS + 1;
    let value = |row: usize, column: usize| match frame.is_round && (is_end(row) || is_end(column)) {
        true => 0.0,
        false => counts[nearest(row) * CELLS + nearest(column)] / peak,
    };
    let wide = CELLS + 2;
    let values = (0..wide * wide).map(|at| value(at / wide, at % wide)).collect();
    Some(Grid { x: places(ends[0]), y: places(ends[1]), values })
}

/// The cells up to one step from a row or column.
fn near(k: usize) -> std::ops::Range<usize> {
    k.saturating_sub(1)..(k + 2).min(CELLS)
}

/// A cell and its eight neighbours; fewer at the rim.
fn around(at: usize) -> impl Iterator<Item = usize> {
    near(at / CELLS).flat_map(move |row| near(at % CELLS).map(move |column| row * CELLS + column))
}

/// The same cells and single ones among them.
fn closed(cells: &[bool]) -> Vec<bool> {
    // With a rim around the grid, so that cells at its sides are treated as all others.
    let wide = CELLS + 2;
    let is_grown = |row: usize, column: usize| {
        let inside = |k: usize| k.saturating_sub(2)..(k + 1).min(CELLS);
        inside(row).any(|row| inside(column).any(|column| cells[row * CELLS + column]))
    };
    let grown: Vec<bool> = (0..wide * wide).map(|at| is_grown(at / wide, at % wide)).collect();
    let is_closed = |at: usize| {
        let (row, column) = (at / CELLS, at % CELLS);
        (row..row + 3).all(|row| (column..column + 3).all(|column| grown[row * wide + column]))
    };
    (0..cells.len()).map(is_closed).collect()
}

/// Means over each of some cells and those of them beside it; zero in all others.
fn blurred(values: &[f64], is_reached: &[bool]) -> Vec<f64> {
    let mean = |at: usize| {
        let (mut sum, mut count) = (0.0, 0.0);
        for k in around(at).filter(|k| is_reached[*k]) {
            sum += values[k];
            count += 1.0;
        }
        if is_reached[at] { sum / count } else { 0.0 }
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
        let frame = |ends: (f64, f64)| Frame { pair: [0, 1], ends: [ends; 2], is_round: false };
        let grid = smoothed(&draws, &frame((-1.0, 1.0))).unwrap();
        let at = |x: f64, y: f64| {
            let place = |v: f64| ((v + 1.0) / 2.0 * CELLS as f64) as usize + 1;
            grid.values[place(y) * grid.x.len() + place(x)]
        };
        assert_eq!(range(grid.values.iter().copied()).1, 1.0);
        assert!(at(0.6, -0.5) > 0.05 && at(-0.6, 0.5) == 0.0);
        assert!(smoothed(&draws, &frame((5.0, 6.0))).is_none());
    }

    /// A density that is even in the region is even up to its edges, and is nowhere beyond them.
    #[test]
    fn an_even_density_ends_at_the_edges_of_its_region() {
        use steinbound::domain::{Ball, Cuboid, Domain};
        use steinbound::model::Gaussian;
        let rows = (0..40).map(f64::from).map(|k| [(k * 0.7).sin(), (k * 1.1).cos(), (k * 0.3).sin()]);
        let data = steinbound::Points::from_rows(&rows.collect::<Vec<_>>()).unwrap();
        let model = Gaussian::with_variance(3, 1e6).unwrap();
        let cube = Cuboid::new(vec![-1.2; 3], vec![1.2; 3]).unwrap();
        let ball = Ball::new(1.8).unwrap().in_dimension(3);
        let scene = |domain| Scene::at(&data, &model, &[0.0; 3]).domain(Some(domain));
        let even = draws(&scene(&cube)).unwrap();
        let edges = bars(&scene(&cube), 0).edges;
        assert_eq!((edges[0], edges[BINS]), (-1.2, 1.2));
        for (_, height) in margin(&even, 0, &edges) {
            assert!((height * 2.4 - 1.0).abs() < 0.1, "{height}");
        }
        let grid = smoothed(&even, &Frame::of(&scene(&cube), [0, 1])).unwrap();
        assert_eq!((grid.x[0], grid.x[CELLS + 1]), (-1.2, 1.2));
        assert!(grid.values.iter().all(|value| *value > 0.8), "{:?}", range(grid.values.iter().copied()));
        assert!(is_rectangle(&scene(&cube), 0, 1) && !is_rectangle(&scene(&ball), 0, 1));
        // What the ball leaves out of its square stays empty.
        let round = draws(&scene(&ball)).unwrap();
        let grid = smoothed(&round, &Frame::of(&scene(&ball), [0, 1])).unwrap();
        for (k, value) in grid.values.iter().enumerate() {
            let (x, y) = (grid.x[k % (CELLS + 2)], grid.y[k / (CELLS + 2)]);
            assert!(x.hypot(y) < 1.8 + 0.15 || *value < 0.1, "{x} {y} {value}");
        }
        assert!(ball.contains(&[1.0, 1.0, 1.0]) && entries(&scene(&ball)).len() == 3);
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
        let (own, even) = (own_draws(&scene).unwrap(), even_draws(&scene).unwrap());
        for l in 0..3 {
            assert!((mean(&own, l) - mean(&even, l)).abs() < 0.02, "{} {}", mean(&own, l), mean(&even, l));
        }
        // Where the density lies far from the data none of either shows it.
        let far = Scene::at(&data, &model, &[0.5, 0.0, 300.0]).domain(Some(&domain));
        assert!(own_draws(&far).is_none());
    }
}

//! How well boundary points stand for the boundary.

use steinbound::Error;
use steinbound::fit::Problem;
use steinbound_plot::numbers::{histogram, steps};
use steinbound_plot::{Axis, Color, Entry, Figure, Marker, Panel, Style};

use super::map::{ground, height};
use super::{WIDTH, knot};
use crate::{Picture, Scene};

/// Places on the boundary at which leaks are measured.
const PLACES: usize = 600;

/// Classes of leaks by their upper ends, with the colours in which they are drawn.
const CLASSES: [(f64, &str, Color); 4] = [
    (0.01, "below 1 %", Color::GREEN),
    (0.05, "1 to 5 %", Color::SKY),
    (0.2, "5 to 20 %", Color::ORANGE),
    (f64::INFINITY, "above 20 %", Color::VERMILLION),
];

/// Where the axis of leaks may end.
const ENDS: [f64; 6] = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0];

/// The kernel that is left between boundary points: on a map in the plane, and as a histogram. `None` for
/// methods that do not condition on boundary points, and on a line, whose boundary is a few points.
pub fn coverage(scene: &Scene, problem: &Problem) -> Result<Option<Picture>, Error> {
    if scene.dimension() < 2 {
        return Ok(None);
    }
    let Some(found) = problem.boundary_leaks(PLACES)? else { return Ok(None) };
    let largest = found.leaks.iter().copied().fold(0.0, f64::max);
    let end = ENDS.into_iter().find(|end| *end >= largest).unwrap_or(1.0);
    let edges = steps(0.0, end, 31);
    let share = 1.0 / found.leaks.len().max(1) as f64;
    let counts = histogram(found.leaks.iter().map(|leak| (*leak, share)), &edges);
    let axis = Axis::linear("share of the kernel that is left").range(0.0, end).percent();
    let bars = Panel::new(axis, Axis::linear("places").from_zero().percent()).histogram(
        edges,
        counts,
        Style::new(Color::SKY),
    );
    let figure = Figure::new(WIDTH).id("coverage");
    let caption = match found.are_boundary_points {
        false => {
            "The share of the kernel that is left at places on the boundary: none at a boundary point, all of it far from every one. Test functions should vanish there; where much is left, \
                  the estimate is biased. Gaps far from all data do no harm."
        }
        true => {
            "What the other boundary points leave of the kernel at each (or at some) of them: little where they are close together, all of it where one is alone. \
                 Test functions should vanish on the boundary; where much is left, the estimate is biased. A part of the boundary without any points cannot be seen here."
        }
    };
    if scene.dimension() > 2 {
        return Ok(Some(Picture::new(figure.row(240.0, vec![bars]), caption)));
    }
    let window = [scene.window(0), scene.window(1)];
    let mut map = ground(scene, window);
    let mut entries = Vec::new();
    let mut low = f64::NEG_INFINITY;
    for (high, label, color) in CLASSES {
        let places = found.places.rows().zip(&found.leaks).filter(|(_, leak)| (low..high).contains(*leak));
        let places: Vec<(f64, f64)> = places.map(|(x, _)| (x[0], x[1])).collect();
        let look = Style::new(color).marker(Marker::Circle).size(2.6);
        map = map.points(places, look.clone());
        entries.push(Entry::marker(label, look));
        low = high;
    }
    let boundary = scene.boundary.map_or(0, |points| points.len());
    if let Some((points, style)) = super::map::knots(scene) {
        map = map.points(points, style.size(1.0));
        entries.push(Entry::marker("boundary points", knot(boundary).size(1.0)));
    }
    let tall = height(scene, window, 0.62 * WIDTH - 70.0).clamp(240.0, 460.0);
    let figure = figure.row_weighted(tall, vec![(1.7, map), (1.0, bars)]).legend(entries);
    Ok(Some(Picture::new(figure, caption)))
}

//! Maps with long edges, shared vertices and equal rings. All pairs of their edges are near each other, so that each of
//! these took minutes as long as pairs were compared.

use std::f64::consts::TAU;

use rand::RngExt;
use steinbound::domain::{Domain, Polygon, RepairedRings};
use steinbound::simulate::stream;

type Ring = Vec<[f64; 2]>;

fn united(rings: Vec<Ring>) -> (Polygon, bool) {
    let parts = rings.into_iter().map(|ring| RepairedRings::new(vec![ring]).unwrap());
    let (united, overlap) = RepairedRings::union(parts.collect()).unwrap();
    (united.polygon().unwrap(), overlap)
}

fn square(x: f64, y: f64, side: f64) -> Ring {
    vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side]]
}

/// Triangles from the origin that fill half of the angles of a turn.
fn fan(count: usize) -> Vec<Ring> {
    let at = |k: f64| [(TAU * k / count as f64).cos(), (TAU * k / count as f64).sin()];
    (0..count).map(|k| vec![[0.0, 0.0], at(k as f64), at(k as f64 + 0.5)]).collect()
}

fn is_close(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9 * expected
}

/// The area, and what is inside and how far the boundary is, by looking at every edge.
fn check(polygon: &Polygon, area: f64, seed: u64) {
    assert!(is_close(polygon.area(), area), "{} {area}", polygon.area());
    let closed = |ring: &Ring| -> Vec<[[f64; 2]; 2]> {
        ring.iter().copied().zip(ring.iter().copied().cycle().skip(1)).map(|(a, b)| [a, b]).collect()
    };
    let edges: Vec<[[f64; 2]; 2]> = polygon.rings().iter().flat_map(closed).collect();
    let mut rng = stream(seed, 0);
    let mut gradient = [0.0; 2];
    for _ in 0..40 {
        let place = |(low, high)| low + (high - low) * rng.random::<f64>();
        let x: Vec<f64> = polygon.bounds().into_iter().map(place).collect();
        let crosses = |[a, b]: &&[[f64; 2]; 2]| {
            let share = (x[1] - a[1]) / (b[1] - a[1]);
            (a[1] > x[1]) != (b[1] > x[1]) && a[0] + share * (b[0] - a[0]) > x[0]
        };
        assert_eq!(polygon.contains(&x), edges.iter().filter(crosses).count() % 2 == 1, "{x:?}");
        let distance = |[a, b]: &[[f64; 2]; 2]| {
            let along = [b[0] - a[0], b[1] - a[1]];
            let from = [x[0] - a[0], x[1] - a[1]];
            let share = (from[0] * along[0] + from[1] * along[1]) / (along[0].powi(2) + along[1].powi(2));
            let share = share.clamp(0.0, 1.0);
            (from[0] - share * along[0]).hypot(from[1] - share * along[1])
        };
        let nearest = edges.iter().map(distance).fold(f64::INFINITY, f64::min);
        assert!((polygon.distance_to_boundary(&x, &mut gradient) - nearest).abs() < 1e-12, "{x:?}");
    }
}

#[test]
fn equal_rings_are_one() {
    let (square, overlap) = united(vec![square(0.0, 0.0, 1.0); 40_000]);
    assert_eq!((square.area(), square.rings().len(), overlap), (1.0, 1, true));
}

#[test]
fn needles_from_one_vertex_are_united() {
    let count = 4000;
    let triangle = 0.5 * (TAU / (2 * count) as f64).sin();
    let (polygon, overlap) = united(fan(count));
    assert!(!overlap);
    check(&polygon, count as f64 * triangle, 1);
}

#[test]
fn strips_at_any_slope_are_united() {
    let count = 4000;
    let strip = |k: usize| {
        let (a, b) = (k as f64 / count as f64, (k as f64 + 0.5) / count as f64);
        vec![[a, 0.0], [a + 1.0, 0.7], [b + 1.0, 0.7], [b, 0.0]]
    };
    let (polygon, overlap) = united((0..count).map(strip).collect());
    assert!(!overlap);
    check(&polygon, 0.35, 2);
    // Wider than they are apart, they make one band.
    let wide = |k: usize| {
        strip(k).iter().map(|[x, y]| [x + if k.is_multiple_of(2) { 0.0 } else { 1e-4 }, *y]).collect()
    };
    let (polygon, _) = united((0..count).map(wide).chain([square(0.5, 0.1, 0.5)]).collect());
    check(&polygon, polygon.area(), 3);
}

#[test]
fn a_square_across_needles_is_united_with_them() {
    let count = 2000;
    let (polygon, overlap) = united(fan(count).into_iter().chain([square(-2.0, -0.5, 1.5)]).collect());
    assert!(overlap);
    check(&polygon, polygon.area(), 4);
    // Half of the disc outside of the square, but for the arcs, and the square.
    let disc = |x: f64, y: f64| f64::from(u8::from(x * x + y * y < 1.0));
    let steps = 2000;
    let cell = 1.5 / steps as f64;
    let at = |k: usize| (k as f64 + 0.5) * cell;
    let within: f64 =
        (0..steps).flat_map(|i| (0..steps).map(move |j| disc(at(i) - 2.0, at(j) - 0.5))).sum::<f64>()
            * cell
            * cell;
    let expected = 2.25 + 0.25 * TAU - 0.5 * within;
    assert!((polygon.area() - expected).abs() < 2e-3, "{} {expected}", polygon.area());
}

#[test]
fn a_zigzag_whose_ends_cross_is_cut() {
    let count = 3000;
    let vertex =
        |k: usize| [k as f64 / count as f64 + (k % 2) as f64, k as f64 / count as f64 - (k % 2) as f64];
    let ring: Ring = (0..count).map(vertex).chain([[3.0, -3.0], [0.0, -3.0]]).collect();
    let repaired = RepairedRings::new(vec![ring]).unwrap();
    let polygon = repaired.polygon().unwrap();
    check(&polygon, polygon.area(), 5);
}

#[test]
fn rings_in_rings_alternate() {
    let count = 3000;
    let size = |k: usize| 1.0 + k as f64 / count as f64;
    let rings = (0..count).map(|k| square(-size(k), -size(k), 2.0 * size(k))).collect();
    let polygon = RepairedRings::new(rings).unwrap().polygon().unwrap();
    let area = |k: usize| 4.0 * size(k).powi(2) * if k.is_multiple_of(2) { -1.0 } else { 1.0 };
    check(&polygon, (0..count).map(area).sum(), 6);
}

/// Long edges that run along each other on one line, and vertices on long edges.
#[test]
fn edges_along_one_line_are_cut() {
    let count = 400;
    let box_at = |k: usize| vec![[0.0, 0.0], [1.0 + k as f64, 0.0], [1.0 + k as f64, 1.0], [0.0, 1.0]];
    let (polygon, overlap) = united((0..24).map(box_at).collect());
    assert!(overlap);
    check(&polygon, 24.0, 7);
    let turned = |[x, y]: [f64; 2]| [x - 3.0 * y, 3.0 * x + y];
    let tooth = |k: usize| vec![[k as f64, 0.0], [k as f64 + 0.5, 2.0], [k as f64 + 1.0, 0.0]];
    let ground = vec![[0.0, 0.0], [0.0, -1.0], [count as f64, -1.0], [count as f64, 0.0]];
    let rings = (0..count).map(tooth).chain([ground]).map(|ring| ring.into_iter().map(turned).collect());
    let (polygon, overlap) = united(rings.collect());
    assert!(!overlap);
    check(&polygon, 10.0 * 2.0 * count as f64, 8);
}

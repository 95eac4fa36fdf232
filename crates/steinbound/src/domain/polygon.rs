use rand::rngs::ChaCha8Rng;

use super::dissolve::without_shared_edges;
use super::edge_crossings::refuse_crossings;
use super::repair::enclosed_area;
use super::rings::{Rings, Side, closed, doubled_area};
use super::{
    BoundarySampling, BoundaryScheme, Domain, RepairedRings, check_count, from_rows, no_such_scheme,
};
use crate::error::DomainError;
use crate::points::Points;

/// The area enclosed by rings in the plane.
///
/// # Definition
///
/// A point belongs to the area if a ray from it crosses the rings an odd number of times (the even-odd rule),
/// or if it lies on a ring. Outlines, holes and islands within holes are therefore all given as rings, in any
/// order and of either orientation. Edges that occur twice, such as the common border of two neighbouring
/// rings, are not part of the area's boundary and are removed.
///
/// The distance to the boundary is the Euclidean distance to the nearest edge.
///
/// # Requirements
///
/// Rings have at least three distinct vertices and a positive area, and do not cross themselves or each
/// other. They may touch at vertices.
///
/// # Complexity
///
/// For `n` edges, checking them takes `n log n` steps however they lie, membership a look at the few edges at the
/// level of the point, or `log^2 n` steps where these are many. The distance is found in a tree, which takes about
/// `log n` steps.
///
/// ```
/// use steinbound::domain::{Domain, Polygon};
/// let outline = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
/// let hole = vec![[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]];
/// let frame = Polygon::new(vec![outline, hole])?;
/// assert!(frame.contains(&[0.5, 2.0]) && !frame.contains(&[2.0, 2.0]));
/// assert_eq!((frame.area(), frame.length()), (12.0, 24.0));
/// let mut gradient = [0.0; 2];
/// assert_eq!(frame.distance(&[0.25, 2.0], &mut gradient), 0.25);
/// assert_eq!(gradient, [1.0, 0.0]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon {
    rings: Rings,
    bounds: [(f64, f64); 2],
}

/// The largest coordinate for which areas and orientations are finite.
const LARGEST_COORDINATE: f64 = 1e100;

/// Smaller coordinates are taken for zero.
const SMALLEST_COORDINATE: f64 = 1e-120;

/// The largest number of vertices after cutting edges; checking them takes more than a gigabyte.
const MOST_VERTICES: usize = 1 << 23;

impl Polygon {
    /// The area enclosed by rings, each with or without its first vertex repeated at its end. Vertices that
    /// repeat the one before are left out, and not counted in messages.
    pub fn new(rings: Vec<Vec<[f64; 2]>>) -> Result<Polygon, DomainError> {
        if rings.is_empty() {
            return Err(DomainError::NoRings);
        }
        let mut checked = Vec::with_capacity(rings.len());
        for (number, ring) in rings.into_iter().enumerate() {
            let ring = without_repeats(number + 1, ring)?;
            checked
                .push(ring.map_err(|RingFault(problem)| DomainError::BadRing { ring: number + 1, problem })?);
        }
        refuse_crossings(&checked)?;
        Polygon::of_sound_rings(without_shared_edges(checked))
    }

    /// The area enclosed by rings that are known not to cross or to share edges.
    pub(super) fn of_sound_rings(rings: Vec<Vec<[f64; 2]>>) -> Result<Polygon, DomainError> {
        if rings.is_empty() {
            return Err(DomainError::CancellingRings);
        }
        let bounds = bounds(rings.iter().flatten());
        Ok(Polygon { rings: Rings::new(rings), bounds })
    }

    /// The rings, none of which repeats its first vertex at its end.
    pub fn rings(&self) -> &[Vec<[f64; 2]>] {
        self.rings.rings()
    }

    /// The total length of the boundary.
    pub fn length(&self) -> f64 {
        self.rings.length()
    }

    /// The area inside.
    pub fn area(&self) -> f64 {
        enclosed_area(self.rings())
    }

    /// The polygon in other coordinates, such as those of a map projection.
    ///
    /// Edges longer than `longest_edge` are cut into equal parts first, because straight lines may become
    /// curves. Where rounding makes edges cross, the rings are repaired by [`RepairedRings`]; edges that come to
    /// lie on each other, such as both sides of a cut along a meridian, are no longer part of the boundary.
    ///
    /// ```
    /// use steinbound::domain::Polygon;
    /// let square = Polygon::new(vec![vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]])?;
    /// let sheared = square.map_vertices(1.0, |[x, y]| [x + y, 3.0 * y])?;
    /// assert_eq!(sheared.rings()[0].len(), 8);
    /// assert_eq!(sheared.area(), 12.0);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn map_vertices(
        &self,
        longest_edge: f64,
        f: impl Fn([f64; 2]) -> [f64; 2],
    ) -> Result<Polygon, DomainError> {
        mapped_rings(self.rings(), longest_edge, f)?.polygon()
    }
}

/// Rings in other coordinates, repaired; edges longer than `longest_edge` are cut into equal parts first.
pub(super) fn mapped_rings(
    rings: &[Vec<[f64; 2]>],
    longest_edge: f64,
    f: impl Fn([f64; 2]) -> [f64; 2],
) -> Result<RepairedRings, DomainError> {
    // Written so that a NaN is refused as well.
    let is_length = longest_edge > 0.0;
    if !is_length {
        return Err(DomainError::BadNumber {
            what: "the length of the longest edge".into(),
            value: longest_edge,
            remedy: "it must be a positive number",
        });
    }
    let edges = || rings.iter().flat_map(|ring| closed(ring));
    let length: f64 = edges().map(|[a, b]| (b[0] - a[0]).hypot(b[1] - a[1])).sum();
    let most = length / longest_edge + edges().count() as f64;
    if most > MOST_VERTICES as f64 {
        return Err(DomainError::TooManyPoints { count: most as usize, limit: MOST_VERTICES });
    }
    let cut = |[a, b]: [[f64; 2]; 2]| {
        let parts = ((b[0] - a[0]).hypot(b[1] - a[1]) / longest_edge).ceil().max(1.0) as usize;
        // The same places in both directions, so that both sides of a cut fit.
        let is_forward = (a[1], a[0]) <= (b[1], b[0]);
        let [from, to] = if is_forward { [a, b] } else { [b, a] };
        (0..parts).map(move |k| {
            let share = if is_forward { k } else { parts - k } as f64 / parts as f64;
            match k {
                0 => a,
                _ => [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])],
            }
        })
    };
    let mapped = |ring: &Vec<[f64; 2]>| closed(ring).flat_map(cut).map(&f).collect();
    RepairedRings::new(rings.iter().map(mapped).collect())
}

/// Why a ring encloses nothing.
pub(super) struct RingFault(pub(super) String);

/// A ring without repeated vertices, or why it encloses no area. Refused are coordinates that are no numbers.
pub(super) fn without_repeats(
    number: usize,
    mut ring: Vec<[f64; 2]>,
) -> Result<Result<Vec<[f64; 2]>, RingFault>, DomainError> {
    for (k, vertex) in ring.iter().enumerate() {
        if let Some(value) = vertex.iter().find(|v| v.is_nan() || v.abs() > LARGEST_COORDINATE) {
            return Err(DomainError::BadNumber {
                what: format!("a coordinate of vertex {} of ring {number} of the polygon", k + 1),
                value: *value,
                remedy: "give finite coordinates of moderate size",
            });
        }
    }
    // Products of smaller differences could underflow, and signs would no longer be exact.
    let plain = |v: f64| if v.abs() < SMALLEST_COORDINATE { 0.0 } else { v };
    ring.iter_mut().for_each(|vertex| *vertex = vertex.map(plain));
    ring.dedup();
    while ring.len() > 1 && ring.first() == ring.last() {
        ring.pop();
    }
    if ring.len() < 3 {
        return Ok(Err(RingFault(format!("has {} distinct vertices", ring.len()))));
    }
    let length: f64 = closed(&ring).map(|[a, b]| (b[0] - a[0]).hypot(b[1] - a[1])).sum();
    // Triangles about the first vertex, without signs: the signed areas of a ring that crosses itself may
    // cancel.
    let areas: f64 = closed(&ring).map(|[a, b]| doubled_area(&[ring[0], a, b]).abs()).sum();
    // The area that rounding may give to a line.
    if areas <= 4.0 * f64::EPSILON * length * length {
        return Ok(Err(RingFault("encloses no area: its vertices lie on a line".into())));
    }
    Ok(Ok(ring))
}

/// The smallest box around some points.
fn bounds<'a>(points: impl IntoIterator<Item = &'a [f64; 2]>) -> [(f64, f64); 2] {
    let mut bounds = [(f64::INFINITY, f64::NEG_INFINITY); 2];
    for point in points {
        for (bound, v) in bounds.iter_mut().zip(point) {
            *bound = (bound.0.min(*v), bound.1.max(*v));
        }
    }
    bounds
}

impl Domain for Polygon {
    fn describe(&self) -> String {
        let rings = self.rings().len();
        let plural = if rings == 1 { "" } else { "s" };
        format!("polygon of {rings} ring{plural} and {} vertices", self.rings.edges.len())
    }

    fn dimension(&self) -> usize {
        2
    }

    fn contains(&self, x: &[f64]) -> bool {
        x.len() == 2 && self.rings.side([x[0], x[1]]) != Side::Outside
    }

    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let offset = self.rings.offset_from_nearest([x[0], x[1]]);
        let distance = offset[0].hypot(offset[1]);
        for (g, o) in gradient.iter_mut().zip(offset) {
            *g = if distance > 0.0 { o / distance } else { 0.0 };
        }
        distance
    }

    /// Exact: the places where the line crosses the edges, and the edges that lie on it.
    fn sections(&self, x: &[f64], axis: usize, (low, high): (f64, f64)) -> Vec<(f64, f64)> {
        let edges = &self.rings.edges;
        let (starts, ends, starts_across, ends_across) = match axis {
            0 => (&edges.x, &edges.end_x, &edges.y, &edges.end_y),
            _ => (&edges.y, &edges.end_y, &edges.x, &edges.end_x),
        };
        let level = x[1 - axis.min(1)];
        let mut crossings = Vec::new();
        let mut sections = Vec::new();
        for e in self.rings.across(axis, level).iter().map(|e| *e as usize) {
            let (from, to) = (starts_across[e], ends_across[e]);
            if (from > level) != (to > level) {
                let share = (level - from) / (to - from);
                crossings.push(starts[e] + share * (ends[e] - starts[e]));
            } else if from == level && to == level {
                sections.push((starts[e].min(ends[e]), starts[e].max(ends[e])));
            }
        }
        crossings.sort_by(f64::total_cmp);
        sections.extend(crossings.chunks_exact(2).map(|pair| (pair[0], pair[1])));
        sections.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut merged: Vec<(f64, f64)> = Vec::new();
        for (from, to) in sections {
            let (from, to) = (from.max(low), to.min(high));
            match merged.last_mut() {
                _ if from > to => {}
                Some(before) if from <= before.1 => before.1 = before.1.max(to),
                _ => merged.push((from, to)),
            }
        }
        merged
    }

    /// The coordinates of both ends of edges that are perpendicular to the axis, or nearly so.
    fn breaks(&self, axis: usize) -> Vec<f64> {
        let runs_across = |[a, b]: &[[f64; 2]; 2]| {
            let (along, length) = (b[axis] - a[axis], (b[0] - a[0]).hypot(b[1] - a[1]));
            along.abs() <= 0.02 * length
        };
        let edges = self.rings().iter().flat_map(|ring| closed(ring));
        edges.filter(runs_across).flat_map(|edge| edge.map(|vertex| vertex[axis])).collect()
    }

    /// That of the nearest edge; at a vertex, of one of the two.
    fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
        let edges = &self.rings.edges;
        let edge = self.rings.nearest([x[0], x[1]]);
        let [along_x, along_y] = [edges.along_x[edge], edges.along_y[edge]];
        let length = along_x.hypot(along_y);
        normal.copy_from_slice(&[-along_y / length, along_x / length]);
        true
    }

    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        check_count(sampling.count, 2)?;
        let values = match sampling.scheme {
            BoundaryScheme::Uniform => self.rings.uniform(sampling.count, rng),
            BoundaryScheme::Even => self.rings.even(sampling.count),
            scheme @ BoundaryScheme::Radial => return Err(no_such_scheme(self, scheme)),
        };
        from_rows(values, 2, self)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.bounds.to_vec()
    }

    fn outline(&self, _window: [(f64, f64); 2]) -> Vec<Vec<[f64; 2]>> {
        let closed = |ring: &Vec<[f64; 2]>| ring.iter().chain(ring.first()).copied().collect();
        self.rings().iter().map(closed).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use rand::RngExt;

    use super::*;
    use crate::domain::{Cuboid, conformance};
    use crate::random::stream;

    fn square(x: f64, y: f64, side: f64) -> Vec<[f64; 2]> {
        vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side]]
    }

    /// A star-shaped ring with bays.
    fn star(vertices: usize, radius: f64) -> Vec<[f64; 2]> {
        let vertex = |k: usize| {
            let angle = TAU * k as f64 / vertices as f64;
            let r = radius * (1.0 + 0.25 * (5.0 * angle).sin() + 0.05 * ((k * 7919) % 13) as f64 / 13.0);
            [r * angle.cos(), r * angle.sin()]
        };
        (0..vertices).map(vertex).collect()
    }

    fn with_hole_and_island() -> Polygon {
        Polygon::new(vec![star(60, 1.2), star(31, 0.6), square(-0.1, -0.12, 0.3)]).unwrap()
    }

    fn random_points(count: usize, seed: u64) -> Vec<[f64; 2]> {
        let mut rng = stream(seed, 0);
        let mut draw = || 4.0 * (rng.random::<f64>() - 0.5);
        (0..count).map(|_| [draw(), draw()]).collect()
    }

    fn refusal(rings: Vec<Vec<[f64; 2]>>) -> String {
        Polygon::new(rings).unwrap_err().to_string()
    }

    #[test]
    fn polygons_conform() {
        let near = Points::from_rows(&random_points(80, 5)).unwrap();
        assert_eq!(conformance::check(&with_hole_and_island(), &near), Ok(()));
        let triangle = Polygon::new(vec![vec![[-1.0, -1.0], [1.5, -0.5], [0.2, 1.4]]]).unwrap();
        assert_eq!(conformance::check(&triangle, &near), Ok(()));
    }

    #[test]
    fn the_distance_is_that_to_the_nearest_place_on_the_boundary() {
        let polygon = with_hole_and_island();
        let places: Vec<[f64; 2]> = polygon.rings.even(200_000).chunks(2).map(|p| [p[0], p[1]]).collect();
        let spacing = polygon.length() / 200_000.0;
        let mut gradient = [0.0; 2];
        for x in random_points(100, 6) {
            let found = polygon.distance_to_boundary(&x, &mut gradient);
            let gaps = places.iter().map(|p| (x[0] - p[0]).hypot(x[1] - p[1]));
            let nearest = gaps.fold(f64::INFINITY, f64::min);
            // The nearest of the places is at most half a spacing from the nearest point.
            let slack = 0.5 * spacing + 1e-12;
            assert!(nearest >= found - 1e-12 && nearest <= found + slack, "{x:?}: {found}, {nearest}");
            let foot = [x[0] - found * gradient[0], x[1] - found * gradient[1]];
            assert!(polygon.distance_to_boundary(&foot, &mut [0.0; 2]) < 1e-12);
        }
        let vertex = polygon.rings()[1][3];
        assert_eq!(polygon.distance_to_boundary(&vertex, &mut gradient), 0.0);
        assert_eq!(gradient, [0.0; 2]);
    }

    /// The angle that each ring turns about the point: a full turn for each ring around it.
    #[test]
    fn membership_is_the_parity_of_the_rings_around() {
        let polygon = with_hole_and_island();
        let mut counts = [0; 2];
        for x in random_points(2000, 7) {
            let turns = |ring: &Vec<[f64; 2]>| {
                let turn = |[a, b]: [[f64; 2]; 2]| {
                    let [a, b] = [a, b].map(|p| [p[0] - x[0], p[1] - x[1]]);
                    (a[0] * b[1] - a[1] * b[0]).atan2(a[0] * b[0] + a[1] * b[1])
                };
                (closed(ring).map(turn).sum::<f64>() / TAU).round().abs() as usize
            };
            let around: usize = polygon.rings().iter().map(turns).sum();
            assert_eq!(polygon.contains(&x), around % 2 == 1, "{x:?}");
            counts[around % 2] += 1;
        }
        assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
    }

    #[test]
    fn the_boundary_belongs_to_the_polygon() {
        let polygon = Polygon::new(vec![square(0.0, 0.0, 4.0), square(1.0, 1.0, 2.0)]).unwrap();
        for ring in polygon.rings() {
            for [a, b] in closed(ring) {
                assert!(polygon.contains(&a));
                assert!(polygon.contains(&[0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])]));
            }
        }
        // Level with vertices and edges, but not on them.
        for outside in [[-1.0, 0.0], [5.0, 4.0], [-0.5, 1.0], [4.5, 3.0], [2.0, 2.0]] {
            assert!(!polygon.contains(&outside), "{outside:?}");
        }
        for inside in [[0.5, 1.0], [0.5, 3.0], [3.5, 1.0]] {
            assert!(polygon.contains(&inside), "{inside:?}");
        }
        assert!(!polygon.contains(&[f64::NAN, 1.0]));
    }

    #[test]
    fn normals_are_those_of_the_own_edge() {
        let polygon = with_hole_and_island();
        let mut normal = [0.0; 2];
        for [a, b] in polygon.rings().iter().flat_map(|ring| closed(ring)) {
            for share in [0.1, 0.5, 0.8] {
                let place = [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
                assert!(polygon.normal(&place, &mut normal));
                let along = normal[0] * (b[0] - a[0]) + normal[1] * (b[1] - a[1]);
                assert!(along.abs() < 1e-12 && (normal[0].hypot(normal[1]) - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn areas_and_lengths_of_known_shapes() {
        let rings = vec![
            square(0.0, 0.0, 10.0),
            square(1.0, 1.0, 8.0),
            square(2.0, 2.0, 6.0),
            square(20.0, 0.0, 1.0),
        ];
        let islands = Polygon::new(rings).unwrap();
        assert_eq!((islands.area(), islands.length()), (100.0 - 64.0 + 36.0 + 1.0, 40.0 + 32.0 + 24.0 + 4.0));
        let circle = |k: usize| [1e6 + (TAU * k as f64 / 1000.0).cos(), (TAU * k as f64 / 1000.0).sin()];
        let disc = Polygon::new(vec![(0..1000).map(circle).rev().collect()]).unwrap();
        assert!((disc.area() / (500.0 * (TAU / 1000.0).sin()) - 1.0).abs() < 1e-8);
        assert!((disc.length() / (2000.0 * (TAU / 2000.0).sin()) - 1.0).abs() < 1e-8);
    }

    #[test]
    fn a_closing_vertex_and_repeated_vertices_change_nothing() {
        let open = square(0.0, 0.0, 1.0);
        let mut with_repeats: Vec<[f64; 2]> = open.iter().flat_map(|v| [*v, *v]).collect();
        with_repeats.push(open[0]);
        assert_eq!(Polygon::new(vec![open]), Polygon::new(vec![with_repeats]));
    }

    #[test]
    fn even_points_of_a_square_are_those_of_the_box() {
        let sampling = BoundarySampling::new(12).scheme(BoundaryScheme::Even);
        let sample = |domain: &dyn Domain| domain.sample_boundary(&sampling, &mut stream(0, 0)).unwrap();
        let polygon = Polygon::new(vec![square(-1.0, 0.0, 3.0)]).unwrap();
        assert_eq!(sample(&polygon), sample(&Cuboid::new(vec![-1.0, 0.0], vec![2.0, 3.0]).unwrap()));
        let radial = BoundarySampling::new(12).scheme(BoundaryScheme::Radial);
        assert!(polygon.sample_boundary(&radial, &mut stream(0, 0)).is_err());
    }

    #[test]
    fn boundary_points_are_uniform_by_length() {
        let polygon = with_hole_and_island();
        let count = 100_000;
        let points = polygon.sample_boundary(&BoundarySampling::new(count), &mut stream(8, 1)).unwrap();
        let edges: Vec<[[f64; 2]; 2]> = polygon.rings().iter().flat_map(|ring| closed(ring)).collect();
        let mut hits = vec![0; edges.len()];
        for p in points.rows() {
            // Only on its own edge is the way from one end to the other through the point not longer.
            let detour = |[a, b]: &[[f64; 2]; 2]| {
                let way = (p[0] - a[0]).hypot(p[1] - a[1]) + (p[0] - b[0]).hypot(p[1] - b[1]);
                way - (b[0] - a[0]).hypot(b[1] - a[1])
            };
            let nearest = (0..edges.len()).min_by(|e, f| detour(&edges[*e]).total_cmp(&detour(&edges[*f])));
            hits[nearest.unwrap()] += 1;
        }
        for ([a, b], hits) in edges.iter().zip(hits) {
            let share = (b[0] - a[0]).hypot(b[1] - a[1]) / polygon.length();
            let error = (share * (1.0 - share) / count as f64).sqrt();
            assert!((hits as f64 / count as f64 - share).abs() < 4.0 * error, "{share}: {hits}");
        }
    }

    #[test]
    fn sections_are_where_membership_holds() {
        let polygon = with_hole_and_island();
        for x in random_points(60, 9) {
            for axis in 0..2 {
                let exact = polygon.sections(&x, axis, (-1.1, 1.3));
                let scanned =
                    super::super::scanned_sections(|x| polygon.contains(x), &x, axis, (-1.1, 1.3), 128);
                let total = |list: &[(f64, f64)]| list.iter().map(|(a, b)| b - a).sum::<f64>();
                let mut inside = 0;
                for k in 0..4000 {
                    let mut place = x;
                    place[axis] = -1.1 + 2.4 * (k as f64 + 0.5) / 4000.0;
                    let holds = exact.iter().any(|(a, b)| *a <= place[axis] && place[axis] <= *b);
                    assert_eq!(holds, polygon.contains(&place), "{place:?}");
                    inside += usize::from(holds);
                }
                assert!((total(&exact) - 2.4 * inside as f64 / 4000.0).abs() < 0.01);
                assert!(exact.len() >= scanned.len());
            }
        }
        let frame = Polygon::new(vec![square(0.0, 0.0, 4.0), square(1.0, 1.0, 2.0)]).unwrap();
        assert_eq!(frame.sections(&[9.0, 2.0], 0, (-5.0, 3.5)), [(0.0, 1.0), (3.0, 3.5)]);
        assert_eq!(frame.sections(&[2.0, 9.0], 1, (0.5, 9.0)), [(0.5, 1.0), (3.0, 4.0)]);
        // Along edges, which belong to the polygon.
        assert_eq!(frame.sections(&[9.0, 4.0], 0, (-5.0, 5.0)), [(0.0, 4.0)]);
        assert_eq!(frame.sections(&[9.0, 1.0], 0, (-5.0, 5.0)), [(0.0, 4.0)]);
        assert_eq!(frame.sections(&[9.0, 5.0], 0, (-5.0, 5.0)), []);
    }

    #[test]
    fn bad_rings_are_refused_by_number() {
        assert!(refusal(vec![]).contains("no rings"));
        let good = square(0.0, 0.0, 1.0);
        let second = |ring: Vec<[f64; 2]>| refusal(vec![good.clone(), ring]);
        assert!(second(vec![]).contains("ring 2 of the polygon has 0 distinct vertices"));
        assert!(second(vec![[2.0, 0.0], [3.0, 1.0], [3.0, 1.0], [2.0, 0.0]]).contains("has 2 distinct"));
        assert!(
            second(vec![[2.1, 0.1], [2.2, 0.2], [2.3, 0.3]])
                .contains("ring 2 of the polygon encloses no area")
        );
        let message = second(vec![[2.0, 0.0], [3.0, f64::NAN], [3.0, 1.0]]);
        assert!(message.contains("vertex 2 of ring 2") && message.contains("NaN"), "{message}");
        assert!(refusal(vec![good.clone(), good.clone()]).contains("cancel each other"));
        let out_and_back = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 0.0]];
        assert!(refusal(vec![out_and_back]).contains("every edge is given twice"));
    }

    #[test]
    fn crossings_are_refused_by_place() {
        let bow_tie = vec![[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 3.0]];
        let message = refusal(vec![bow_tie]);
        assert!(
            message.starts_with("edge 1 of ring 1 and edge 3 of ring 1 of the polygon cross at (1.2"),
            "{message}"
        );
        let balanced = vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert!(refusal(vec![balanced]).contains("cross at (0.5, 0.5)"));
        let message = refusal(vec![square(0.0, 0.0, 2.0), square(1.0, 1.0, 2.0)]);
        assert!(message.contains("ring 1 and edge") && message.contains("of ring 2"), "{message}");
        let message = refusal(vec![square(0.0, 0.0, 2.0), square(2.0, 1.0, 2.0)]);
        assert!(message.contains("run along each other at (2, 1.5)"), "{message}");
    }

    #[test]
    fn rings_may_touch_at_vertices() {
        let hole = vec![[0.0, 2.0], [2.0, 1.0], [2.0, 3.0]];
        let touching = Polygon::new(vec![square(0.0, 0.0, 4.0), hole]).unwrap();
        assert_eq!(touching.area(), 14.0);
        let inscribed = vec![[2.0, 0.0], [4.0, 2.0], [2.0, 4.0], [0.0, 2.0]];
        assert_eq!(Polygon::new(vec![square(0.0, 0.0, 4.0), inscribed]).unwrap().area(), 8.0);
        let eight = vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [2.0, 0.0], [1.0, 1.0], [0.0, 2.0]];
        assert_eq!(Polygon::new(vec![eight]).unwrap().area(), 2.0);
        // Two rings that pass through each other at common vertices: what is in both is in neither.
        let low = vec![
            [0.0, 0.0],
            [4.0, 0.0],
            [3.0, 1.0],
            [4.0, 2.0],
            [3.0, 2.0],
            [1.0, 2.0],
            [0.0, 2.0],
            [1.0, 1.0],
        ];
        let high = vec![[1.0, 1.0], [3.0, 1.0], [3.0, 2.0], [3.0, 5.0], [1.0, 5.0], [1.0, 2.0]];
        assert_eq!(Polygon::new(vec![low, high]).unwrap().area(), 6.0 - 2.0 + 6.0);
    }

    #[test]
    fn common_borders_are_dissolved() {
        let united =
            Polygon::new(vec![square(0.0, 0.0, 1.0), square(1.0, 0.0, 1.0), square(0.0, 1.0, 1.0)]).unwrap();
        assert_eq!((united.rings().len(), united.area(), united.length()), (1, 3.0, 8.0));
        assert_eq!(united.distance(&[1.0, 0.5], &mut [0.0; 2]), 0.5);
        // A hole reached through a cut in the outline.
        let mut keyhole = square(0.0, 0.0, 4.0);
        keyhole.extend([[0.0, 0.0], [1.0, 1.0], [1.0, 3.0], [3.0, 3.0], [3.0, 1.0], [1.0, 1.0]]);
        let keyhole = Polygon::new(vec![keyhole]).unwrap();
        assert_eq!((keyhole.rings().len(), keyhole.area(), keyhole.length()), (2, 12.0, 24.0));
    }

    #[test]
    fn mapping_follows_curves() {
        // Polar coordinates take a rectangle to a ring around the origin.
        let sector = Polygon::new(vec![vec![[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]]]).unwrap();
        let polar = |[r, angle]: [f64; 2]| [r * angle.cos(), r * angle.sin()];
        let mapped = sector.map_vertices(0.001, polar).unwrap();
        assert!((mapped.area() - 1.5).abs() < 1e-5);
        assert!((mapped.length() - 5.0).abs() < 1e-5);
        assert!(sector.map_vertices(f64::NAN, polar).is_err());
        assert!(sector.map_vertices(1e-12, polar).is_err());
    }
}

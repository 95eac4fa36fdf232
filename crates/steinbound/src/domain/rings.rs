use std::ops::Range;
use std::sync::OnceLock;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use robust::{Coord, orient2d};

use super::edge_tree::EdgeTree;
use super::slabs::Slabs;

/// Closed polylines in the plane, one after the other, measured by arc length.
///
/// Arc positions run from zero to the total length, along the first ring from its first vertex and back to
/// it, then along the second, and so on. The edges are kept as one array for each number, so that loops over
/// them vectorise.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rings {
    rings: Vec<Vec<[f64; 2]>>,
    pub(super) edges: Edges,
    levels: Levels,
    /// Instead of levels, where some of these have many edges.
    slabs: Option<Slabs>,
    tree: Later<EdgeTree>,
    columns: Later<Levels>,
    /// The arc position at which each edge ends.
    ends: Vec<f64>,
}

/// Line segments from `(x, y)` to `(x + along_x, y + along_y)`; the ends are kept as well, because the sum
/// may be rounded.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Edges {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) end_x: Vec<f64>,
    pub(super) end_y: Vec<f64>,
    pub(super) along_x: Vec<f64>,
    pub(super) along_y: Vec<f64>,
    /// One over the squared length, or zero if that is not a number.
    pub(super) inverse_square: Vec<f64>,
    /// The largest coordinate, which tells how far rounding moves an edge.
    pub(super) largest: f64,
}

/// What is made when it is asked for first, and does not tell rings apart. Made on one thread: one that waits for
/// others might be given work that waits for it.
#[derive(Debug, Clone)]
struct Later<T>(OnceLock<T>);

impl<T> Default for Later<T> {
    fn default() -> Later<T> {
        Later(OnceLock::new())
    }
}

impl<T> PartialEq for Later<T> {
    fn eq(&self, _: &Later<T>) -> bool {
        true
    }
}

impl Rings {
    /// The rings with these vertices, none of which repeats its first vertex at the end.
    pub(super) fn new(rings: Vec<Vec<[f64; 2]>>) -> Rings {
        let mut edges = Edges::default();
        let mut ends = Vec::new();
        let mut position = 0.0;
        for [a, b] in rings.iter().flat_map(|ring| closed(ring)) {
            let along = edges.push(a, b);
            position += along[0].hypot(along[1]);
            ends.push(position);
        }
        Rings { rings, ends, ..Rings::with_edges(edges) }
    }

    /// Edges that need not form rings, only to be asked for the winding numbers beside them.
    pub(super) fn of_edges(pieces: impl Iterator<Item = [[f64; 2]; 2]>) -> Rings {
        let mut edges = Edges::default();
        pieces.for_each(|[a, b]| {
            edges.push(a, b);
        });
        Rings::with_edges(edges)
    }

    fn with_edges(edges: Edges) -> Rings {
        let levels = Levels::new([&edges.y, &edges.end_y]);
        let slabs = (levels.most > MOST_AT_A_LEVEL).then(|| Slabs::new(&edges));
        let (tree, columns) = (Later::default(), Later::default());
        Rings { rings: Vec::new(), edges, levels, slabs, tree, columns, ends: Vec::new() }
    }

    pub(super) fn rings(&self) -> &[Vec<[f64; 2]>] {
        &self.rings
    }

    /// The total length.
    pub(super) fn length(&self) -> f64 {
        self.ends.last().copied().unwrap_or(0.0)
    }

    /// Where a point lies with respect to the area that all edges enclose.
    pub(super) fn side(&self, point: [f64; 2]) -> Side {
        match &self.slabs {
            Some(slabs) => slabs.side(&self.edges, point),
            None => self.edges.side(self.levels.at(point[1]).iter().map(|e| *e as usize), point),
        }
    }

    /// The edge nearest to a place, the first of equals.
    pub(super) fn nearest(&self, place: [f64; 2]) -> usize {
        self.tree.0.get_or_init(|| EdgeTree::new(&self.edges)).nearest(place)
    }

    /// The vector from the nearest point of the edges to a place.
    pub(super) fn offset_from_nearest(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        self.edges.offset(self.nearest([x, y]), x, y)
    }

    /// The edges that a line along an axis may meet at some `y`, or at some `x` for the axis 1: all that do, and
    /// a few others.
    pub(super) fn across(&self, axis: usize, level: f64) -> &[u32] {
        match axis {
            0 => self.levels.at(level),
            _ => self.columns.0.get_or_init(|| Levels::new([&self.edges.x, &self.edges.end_x])).at(level),
        }
    }

    /// Of every edge, the winding numbers of all edges on its right and on its left, where `weights` tell how
    /// often each edge is run through. Those of a level edge are below and above it, read in its direction.
    pub(super) fn windings(&self, weights: impl Fn(usize) -> i32) -> Vec<[i32; 2]> {
        let Edges { y, end_y, x, end_x, .. } = &self.edges;
        let sums = self.slabs.as_ref().map(|slabs| slabs.sums_on_the_right(&self.edges, &weights));
        let sum_at_level = |edge: usize| -> i32 {
            let level = 0.5 * (y[edge] + end_y[edge]);
            let others = self.levels.at(level).iter().map(|e| *e as usize).filter(|other| *other != edge);
            others.map(|other| weights(other) * self.edges.crossing_beside(edge, other)).sum()
        };
        let of = |edge: usize| {
            let found = sums.as_ref().map_or_else(|| sum_at_level(edge), |sums| sums[edge]);
            // What the ray meets is on the right of an edge that goes up, and above a level one.
            let is_level = y[edge] == end_y[edge];
            let ray_is_left = if is_level { x[edge] < end_x[edge] } else { y[edge] > end_y[edge] };
            match ray_is_left {
                true => [found - weights(edge), found],
                false => [found, found + weights(edge)],
            }
        };
        (0..self.edges.len()).map(of).collect()
    }

    /// The area that the edges enclose by the even-odd rule: what lies between each edge and the middle, counted
    /// from the side on which the inside is. Unlike sums of the areas of single rings, this also holds where rings
    /// touch or pass through each other at vertices.
    pub(super) fn area(&self) -> f64 {
        let Edges { x, y, end_x, end_y, .. } = &self.edges;
        let middle = |starts: &[f64], ends: &[f64]| {
            let all = starts.iter().chain(ends);
            let (low, high) =
                all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
            0.5 * low + 0.5 * high
        };
        let center = [middle(x, end_x), middle(y, end_y)];
        let doubled = self.windings(|_| 1).into_iter().enumerate().map(|(e, [_, left])| {
            let (a, b) = ([x[e] - center[0], y[e] - center[1]], [end_x[e] - center[0], end_y[e] - center[1]]);
            let cross = a[0] * b[1] - a[1] * b[0];
            if left % 2 != 0 { cross } else { -cross }
        });
        0.5 * doubled.sum::<f64>()
    }

    /// The point at an arc position; the last edge's end beyond the total length.
    pub(super) fn at(&self, position: f64) -> [f64; 2] {
        let last = self.ends.len().saturating_sub(1);
        let edge = self.ends.partition_point(|end| *end <= position).min(last);
        let start = if edge == 0 { 0.0 } else { self.ends[edge - 1] };
        let share = ((position - start) / (self.ends[edge] - start)).clamp(0.0, 1.0);
        let Edges { x, y, along_x, along_y, .. } = &self.edges;
        [x[edge] + share * along_x[edge], y[edge] + share * along_y[edge]]
    }

    /// Points uniform by arc length over all rings, as rows.
    pub(super) fn uniform(&self, count: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
        (0..count).flat_map(|_| self.at(self.length() * rng.random::<f64>())).collect()
    }

    /// Points at equal arc distances over all rings, as rows, beginning at the first vertex of the first
    /// ring.
    pub(super) fn even(&self, count: usize) -> Vec<f64> {
        (0..count).flat_map(|k| self.at(self.length() * (k as f64 / count as f64))).collect()
    }
}

impl Edges {
    pub(super) fn len(&self) -> usize {
        self.x.len()
    }

    /// Where a point lies with respect to the area that some of the edges enclose, by the even-odd rule.
    ///
    /// The parity of crossings with the ray towards larger `x`. The predicate is exact, so that a vertex or a
    /// shallow edge never miscounts.
    fn side(&self, edges: impl Iterator<Item = usize>, [x, y]: [f64; 2]) -> Side {
        let mut inside = false;
        for e in edges {
            let (a, b) = (self.y[e], self.end_y[e]);
            // Also skips NaN.
            if !((a <= y && y <= b) || (b <= y && y <= a)) {
                continue;
            }
            let (left, right) = (self.x[e].min(self.end_x[e]), self.x[e].max(self.end_x[e]));
            let crosses = (a > y) != (b > y);
            if x < left {
                inside ^= crosses;
            } else if x <= right {
                let turn = orientation([self.x[e], a], [self.end_x[e], b], [x, y]);
                if turn == 0.0 {
                    return Side::Edge;
                }
                // Left of an edge that goes up, or right of one that goes down.
                inside ^= crosses && (turn > 0.0) == (b > a);
            }
        }
        if inside { Side::Inside } else { Side::Outside }
    }

    /// Whether the ray towards larger `x` from the middle of an edge crosses another that goes up (1) or down
    /// (-1), or does not (0). For a level edge the ray runs just above it.
    fn crossing_beside(&self, edge: usize, other: usize) -> i32 {
        let x = 0.5 * (self.x[edge] + self.end_x[edge]);
        let y = 0.5 * (self.y[edge] + self.end_y[edge]);
        let (a, b) = (self.y[other], self.end_y[other]);
        let (left, right) = (self.x[other].min(self.end_x[other]), self.x[other].max(self.end_x[other]));
        if (a > y) == (b > y) || x > right {
            return 0;
        }
        let direction = if b > a { 1 } else { -1 };
        let turn = || orientation([self.x[other], a], [self.end_x[other], b], [x, y]) * f64::from(direction);
        if x < left || turn() > 0.0 { direction } else { 0 }
    }

    /// The smallest squared distance from a block of edges to `(x, y)`.
    pub(super) fn smallest_square(&self, block: Range<usize>, x: f64, y: f64) -> f64 {
        let mut squares = [f64::INFINITY; BLOCK];
        // Slices of equal length avoid bounds checks, and several running minima avoid waiting for each
        // other.
        let numbers = [&self.x, &self.y, &self.along_x, &self.along_y, &self.inverse_square];
        let [starts_x, starts_y, along_x, along_y, inverse] = numbers.map(|list| list[block.clone()].iter());
        let edges = starts_x.zip(starts_y).zip(along_x.zip(along_y)).zip(inverse);
        for (slot, (((start_x, start_y), (along_x, along_y)), inverse)) in squares.iter_mut().zip(edges) {
            *slot = square(offset([x - start_x, y - start_y], [*along_x, *along_y], *inverse));
        }
        let mut lanes = [f64::INFINITY; 4];
        for four in squares.chunks_exact(4) {
            for (lane, v) in lanes.iter_mut().zip(four) {
                *lane = if v < lane { *v } else { *lane };
            }
        }
        lanes.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// The vector from the nearest point of one edge to `(x, y)`.
    fn offset(&self, e: usize, x: f64, y: f64) -> [f64; 2] {
        offset([x - self.x[e], y - self.y[e]], [self.along_x[e], self.along_y[e]], self.inverse_square[e])
    }

    /// The squared distance of one edge to `(x, y)`.
    pub(super) fn square_to(&self, e: usize, x: f64, y: f64) -> f64 {
        square(self.offset(e, x, y))
    }

    /// Adds an edge and returns the vector along it.
    pub(super) fn push(&mut self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        let along = [b[0] - a[0], b[1] - a[1]];
        self.largest = a.into_iter().chain(b).fold(self.largest, |largest, v| largest.max(v.abs()));
        self.x.push(a[0]);
        self.y.push(a[1]);
        self.end_x.push(b[0]);
        self.end_y.push(b[1]);
        self.along_x.push(along[0]);
        self.along_y.push(along[1]);
        let inverse = 1.0 / (along[0] * along[0] + along[1] * along[1]);
        self.inverse_square.push(if inverse.is_finite() { inverse } else { 0.0 });
        along
    }

    /// Some of the edges, in this order.
    pub(super) fn chosen(&self, numbers: impl Iterator<Item = usize>) -> Edges {
        let mut chosen = Edges::default();
        numbers.for_each(|e| {
            chosen.push([self.x[e], self.y[e]], [self.end_x[e], self.end_y[e]]);
        });
        chosen
    }
}

/// The edges at each level of `y`: a line along `x` meets few of them.
#[derive(Debug, Clone, PartialEq, Default)]
struct Levels {
    low: f64,
    /// One over the height of a level.
    inverse: f64,
    /// The edges of level `k` are those from `starts[k]` to `starts[k + 1]`.
    starts: Vec<usize>,
    edges: Vec<u32>,
    /// The largest number of edges at a level.
    most: usize,
}

/// Levels with more edges are searched by a tree instead.
const MOST_AT_A_LEVEL: usize = 200;

/// Edges are listed at most about this many times on average; levels are made higher beyond.
const MOST_LISTED: usize = 4;

impl Levels {
    /// The levels of edges that begin and end there.
    fn new([from, to]: [&[f64]; 2]) -> Levels {
        let ends = || from.iter().chain(to);
        let (low, high) = ends().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(*y), b.max(*y)));
        let mut count = from.len().max(1);
        loop {
            let inverse = count as f64 / (high - low);
            // An extent too large or too small for its inverse has one level.
            let inverse = if inverse.is_finite() { inverse } else { 0.0 };
            let mut levels = Levels { low, inverse, starts: vec![0; count + 1], ..Levels::default() };
            let spans = |levels: &Levels, e: usize| {
                let (a, b) = (levels.of(from[e]), levels.of(to[e]));
                a.min(b)..a.max(b) + 1
            };
            let listed: usize = (0..from.len()).map(|e| spans(&levels, e).len()).sum();
            if count > 1 && listed > MOST_LISTED * from.len() {
                count /= 2;
                continue;
            }
            for e in 0..from.len() {
                spans(&levels, e).for_each(|k| levels.starts[k + 1] += 1);
            }
            levels.most = levels.starts.iter().copied().max().unwrap_or(0);
            (0..count).for_each(|k| levels.starts[k + 1] += levels.starts[k]);
            let mut next = levels.starts.clone();
            levels.edges = vec![0; listed];
            for e in 0..from.len() {
                for k in spans(&levels, e) {
                    levels.edges[next[k]] = e as u32;
                    next[k] += 1;
                }
            }
            return levels;
        }
    }

    /// The level of a `y`. It rises with `y` in spite of rounding, so that an edge is listed wherever it is.
    fn of(&self, y: f64) -> usize {
        (((y - self.low) * self.inverse) as usize).min(self.starts.len() - 2)
    }

    fn at(&self, y: f64) -> &[u32] {
        let level = self.of(y);
        &self.edges[self.starts[level]..self.starts[level + 1]]
    }
}

/// The number of edges in a block of the search for the nearest.
pub(super) const BLOCK: usize = 64;

/// From the vector `from` the start of an edge to a point: the vector from the nearest point of the edge.
#[inline]
fn offset(from: [f64; 2], along: [f64; 2], inverse_square: f64) -> [f64; 2] {
    let share = (from[0] * along[0] + from[1] * along[1]) * inverse_square;
    // Unlike f64::clamp, these are single instructions.
    let share = if share > 0.0 { share } else { 0.0 };
    let share = if share < 1.0 { share } else { 1.0 };
    [from[0] - share * along[0], from[1] - share * along[1]]
}

/// Where a point lies with respect to an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Inside,
    Edge,
    Outside,
}

/// Positive where `a`, `b`, `c` turn to the left, zero where they lie on a line, without rounding error in
/// the sign.
pub(super) fn orientation(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let coord = |[x, y]: [f64; 2]| Coord { x, y };
    orient2d(coord(a), coord(b), coord(c))
}

/// Twice the area within a ring, positive where it runs counter-clockwise.
pub(super) fn doubled_area(ring: &[[f64; 2]]) -> f64 {
    let Some(origin) = ring.first() else { return 0.0 };
    // Measured from a vertex, so that no digits are lost far from the origin.
    let from = |p: [f64; 2]| [p[0] - origin[0], p[1] - origin[1]];
    closed(ring).map(|[a, b]| [from(a), from(b)]).map(|[a, b]| a[0] * b[1] - b[0] * a[1]).sum()
}

fn square([x, y]: [f64; 2]) -> f64 {
    x * x + y * y
}

/// The edges of a ring as pairs of vertices, the last one back to the first vertex.
pub(super) fn closed(ring: &[[f64; 2]]) -> impl Iterator<Item = [[f64; 2]; 2]> + Clone {
    ring.iter().zip(ring.iter().cycle().skip(1)).map(|(a, b)| [*a, *b])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle_and_square() -> Rings {
        let triangle = vec![[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]];
        let square = vec![[10.0, 0.0], [11.0, 0.0], [11.0, 1.0], [10.0, 1.0]];
        Rings::new(vec![triangle, square])
    }

    #[test]
    fn arc_positions_run_through_all_rings() {
        let rings = triangle_and_square();
        assert_eq!(rings.length(), 16.0);
        assert_eq!(rings.at(0.0), [0.0, 0.0]);
        assert_eq!(rings.at(3.0), [3.0, 0.0]);
        assert_eq!(rings.at(5.5), [1.5, 2.0]);
        assert_eq!(rings.at(10.0), [0.0, 2.0]);
        assert_eq!(rings.at(12.5), [10.5, 0.0]);
        assert_eq!(rings.at(16.0), [10.0, 0.0]);
    }

    /// On circles, and on combs whose long teeth cross all levels; at random points, at vertices and beside.
    #[test]
    fn levels_leave_out_no_edge() {
        let mut rng = crate::random::stream(3, 0);
        for count in [3, 17, 400] {
            let angle = |k: usize| std::f64::consts::TAU * k as f64 / count as f64;
            let star = |k: usize| {
                let radius = 1.0 + 0.5 * rng.random::<f64>();
                [radius * angle(k).cos(), radius * angle(k).sin()]
            };
            let star: Vec<[f64; 2]> = (0..count).map(star).collect();
            let tooth = |k: usize| [k as f64 / count as f64, if k.is_multiple_of(2) { 0.0 } else { 1.0 }];
            let comb = (0..count).map(tooth).chain([[1.0, -1.0], [0.0, -1.0]]).collect();
            for ring in [star, comb] {
                let rings = Rings::new(vec![ring.clone()]);
                let random = (0..500).map(|_| [0, 1].map(|_| 3.2 * rng.random::<f64>() - 1.6));
                let above = ring.iter().map(|[x, y]| [*x, y.next_up()]);
                for point in random.chain(above).chain(ring.iter().copied()) {
                    let by_all = rings.edges.side(0..rings.edges.len(), point);
                    assert_eq!(rings.side(point), by_all, "{point:?}");
                    let slabs = Slabs::new(&rings.edges);
                    assert_eq!(slabs.side(&rings.edges, point), by_all, "{point:?}");
                }
                let listed = rings.levels.edges.len();
                assert!(listed <= MOST_LISTED * rings.edges.len() && rings.levels.starts.len() > 2);
            }
        }
    }

    #[test]
    fn even_points_start_at_the_first_vertex() {
        let rows = triangle_and_square().even(16);
        assert_eq!(rows[..8], [0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0]);
        assert_eq!(rows[24..], [10.0, 0.0, 11.0, 0.0, 11.0, 1.0, 10.0, 1.0]);
    }
}

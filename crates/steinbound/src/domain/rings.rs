use std::ops::Range;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use robust::{Coord, orient2d};

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
    /// The smallest and the largest `x` and `y` of each block of edges: most blocks are too far away to be
    /// searched for the nearest edge.
    boxes: Vec<[f64; 4]>,
    /// The largest coordinate, which tells how far rounding moves an edge.
    largest: f64,
}

impl Rings {
    /// The rings with these vertices, none of which repeats its first vertex at the end.
    pub(super) fn new(rings: Vec<Vec<[f64; 2]>>) -> Rings {
        let mut edges = Edges::default();
        let mut ends = Vec::new();
        let mut position = 0.0;
        for [a, b] in rings.iter().flat_map(|ring| closed(ring)) {
            let along = [b[0] - a[0], b[1] - a[1]];
            edges.push(a, b, along);
            position += along[0].hypot(along[1]);
            ends.push(position);
        }
        Rings { rings, levels: Levels::new(&edges), edges, ends }
    }

    /// Edges that need not form rings, only to be asked for the winding numbers beside them.
    pub(super) fn of_edges(pieces: impl Iterator<Item = [[f64; 2]; 2]>) -> Rings {
        let mut edges = Edges::default();
        pieces.for_each(|[a, b]| edges.push(a, b, [b[0] - a[0], b[1] - a[1]]));
        Rings { rings: Vec::new(), levels: Levels::new(&edges), edges, ends: Vec::new() }
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
        self.edges.side(self.levels.at(point[1]).iter().map(|e| *e as usize), point)
    }

    /// The winding numbers of all edges on the right and on the left of one of them, where `weights` tell
    /// how often each edge is run through. Those of a level edge are below and above it, read in its
    /// direction.
    pub(super) fn windings(&self, edge: usize, weights: impl Fn(usize) -> i32) -> [i32; 2] {
        let Edges { y, end_y, x, end_x, .. } = &self.edges;
        let level = 0.5 * (y[edge] + end_y[edge]);
        let others = self.levels.at(level).iter().map(|e| *e as usize).filter(|other| *other != edge);
        let found: i32 = others.map(|other| weights(other) * self.edges.crossing_beside(edge, other)).sum();
        // What the ray meets is on the right of an edge that goes up, and above a level one.
        let is_level = y[edge] == end_y[edge];
        let ray_is_left = if is_level { x[edge] < end_x[edge] } else { y[edge] > end_y[edge] };
        match ray_is_left {
            true => [found - weights(edge), found],
            false => [found, found + weights(edge)],
        }
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

    /// The vector from the nearest point of the edges to `(x, y)`.
    pub(super) fn offset_from_nearest(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        self.offset(self.nearest([x, y]), x, y)
    }

    /// The edge nearest to `(x, y)`, the first of equals.
    ///
    /// Blocks of edges are searched for the smallest squared distance without a branch, those whose box is
    /// farther away than an edge of the nearest box not at all; only the best block is searched for the edge.
    pub(super) fn nearest(&self, [x, y]: [f64; 2]) -> usize {
        let gap = |[left, right, low, high]: &[f64; 4]| {
            square([(left - x).max(x - right).max(0.0), (low - y).max(y - high).max(0.0)])
        };
        let gaps = || self.boxes.iter().map(gap).enumerate();
        let nearest_box = gaps().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(block, _)| block);
        let block_at = |block: usize| block * BLOCK..((block + 1) * BLOCK).min(self.len());
        let bound = self.smallest_square(block_at(nearest_box), x, y);
        // Distances are rounded, so that a box may seem a little farther away than an edge in it.
        let bound = (1.0 + 1e-5) * bound + square([1e-9 * self.largest, 0.0]);
        let mut best = (f64::INFINITY, 0);
        for (block, gap) in gaps() {
            if gap > bound {
                continue;
            }
            let smallest = self.smallest_square(block_at(block), x, y);
            if smallest < best.0 {
                best = (smallest, block * BLOCK);
            }
        }
        let block = best.1..(best.1 + BLOCK).min(self.len());
        let squares = block.map(|e| (square(self.offset(e, x, y)), e));
        squares.reduce(|best, next| if next.0 < best.0 { next } else { best }).map_or(0, |(_, edge)| edge)
    }

    /// The smallest squared distance from a block of edges to `(x, y)`.
    fn smallest_square(&self, block: Range<usize>, x: f64, y: f64) -> f64 {
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

    fn push(&mut self, a: [f64; 2], b: [f64; 2], along: [f64; 2]) {
        if self.len().is_multiple_of(BLOCK) {
            self.boxes.push([f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY]);
        }
        for [x, y] in [a, b] {
            if let Some([left, right, low, high]) = self.boxes.last_mut() {
                (*left, *right) = (left.min(x), right.max(x));
                (*low, *high) = (low.min(y), high.max(y));
            }
            self.largest = self.largest.max(x.abs()).max(y.abs());
        }
        self.x.push(a[0]);
        self.y.push(a[1]);
        self.end_x.push(b[0]);
        self.end_y.push(b[1]);
        self.along_x.push(along[0]);
        self.along_y.push(along[1]);
        let inverse = 1.0 / (along[0] * along[0] + along[1] * along[1]);
        self.inverse_square.push(if inverse.is_finite() { inverse } else { 0.0 });
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
}

/// Edges are listed at most about this many times on average; levels are made higher beyond.
const MOST_LISTED: usize = 4;

impl Levels {
    fn new(edges: &Edges) -> Levels {
        let ends = || edges.y.iter().chain(&edges.end_y);
        let (low, high) = ends().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(*y), b.max(*y)));
        let mut count = edges.len().max(1);
        loop {
            let inverse = count as f64 / (high - low);
            // An extent too large or too small for its inverse has one level.
            let inverse = if inverse.is_finite() { inverse } else { 0.0 };
            let mut levels = Levels { low, inverse, starts: vec![0; count + 1], edges: Vec::new() };
            let spans = |levels: &Levels, e: usize| {
                let (a, b) = (levels.of(edges.y[e]), levels.of(edges.end_y[e]));
                a.min(b)..a.max(b) + 1
            };
            let listed: usize = (0..edges.len()).map(|e| spans(&levels, e).len()).sum();
            if count > 1 && listed > MOST_LISTED * edges.len() {
                count /= 2;
                continue;
            }
            for e in 0..edges.len() {
                spans(&levels, e).for_each(|k| levels.starts[k + 1] += 1);
            }
            (0..count).for_each(|k| levels.starts[k + 1] += levels.starts[k]);
            let mut next = levels.starts.clone();
            levels.edges = vec![0; listed];
            for e in 0..edges.len() {
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
const BLOCK: usize = 64;

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

    /// Islands in any order, so that many blocks hold some that are far apart, and vertices that are as near as
    /// others.
    #[test]
    fn boxes_leave_out_no_edge() {
        let mut rng = crate::random::stream(4, 0);
        for offset in [0.0, 1e7] {
            let mut island = || {
                let center = [0, 1].map(|_| offset + (40.0 * rng.random::<f64>()).round());
                let corner = |k: usize| std::f64::consts::TAU * k as f64 / 7.0;
                (0..7).map(|k| [center[0] + corner(k).cos(), center[1] + corner(k).sin()]).collect()
            };
            let rings = Rings::new((0..120).map(|_| island()).collect());
            let edges = &rings.edges;
            for k in 0..600 {
                let free = [0, 1].map(|_| offset - 10.0 + 60.0 * rng.random::<f64>());
                let place = if k % 3 == 0 { [edges.x[k], edges.y[k]] } else { free };
                let squares = (0..edges.len()).map(|e| square(edges.offset(e, place[0], place[1])));
                let first = squares.enumerate().reduce(|a, b| if b.1 < a.1 { b } else { a });
                assert_eq!(Some(edges.nearest(place)), first.map(|(e, _)| e), "{place:?}");
            }
        }
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

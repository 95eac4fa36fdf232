//! The nearest of many edges, by a tree in which those of similar ends are together.

use super::neighbours::Node;
use super::rings::{BLOCK, Edges};

/// Edges sorted into a tree: each node cuts its edges in half along the one of the four coordinates of their ends
/// in which they differ most. So long edges side by side, which all have nearly the same box around them, are
/// still told apart.
#[derive(Debug, Clone)]
pub(super) struct EdgeTree {
    /// The edges in the order of the leaves, and the numbers under which they were given.
    edges: Edges,
    numbers: Vec<u32>,
    /// The halves of node `k` are the nodes `2 k + 1` and `2 k + 2`.
    hulls: Vec<Hull>,
}

/// Two discs, around the lower and around the upper ends of some edges; the edges lie within the hull of both.
#[derive(Debug, Clone, Copy)]
struct Hull {
    ends: [[f64; 2]; 2],
    radii: [f64; 2],
}

/// The ends of an edge, of which edges that run in opposite directions have the same.
type Ends = [f64; 4];

impl EdgeTree {
    pub(super) fn new(edges: &Edges) -> EdgeTree {
        let ends = |e: usize| {
            let (a, b) = ([edges.x[e], edges.y[e]], [edges.end_x[e], edges.end_y[e]]);
            if a <= b { [a[0], a[1], b[0], b[1]] } else { [b[0], b[1], a[0], a[1]] }
        };
        let mut sorted: Vec<(Ends, u32)> = (0..edges.len()).map(|e| (ends(e), e as u32)).collect();
        let leaves = edges.len().div_ceil(BLOCK).max(1).next_power_of_two();
        let mut hulls = vec![Hull { ends: [[0.0; 2]; 2], radii: [0.0; 2] }; 2 * leaves - 1];
        let (top, below) = hulls.split_at_mut(1);
        sort(&mut sorted, &mut top[0], below);
        let numbers: Vec<u32> = sorted.into_iter().map(|(_, number)| number).collect();
        let edges = edges.chosen(numbers.iter().map(|number| *number as usize));
        // Halves are laid out one after the other; the search numbers them level by level.
        let mut by_level = hulls.clone();
        renumber(&hulls, 0, &mut by_level);
        EdgeTree { edges, numbers, hulls: by_level }
    }

    /// The edge nearest to a place, the first of equals.
    pub(super) fn nearest(&self, place: [f64; 2]) -> usize {
        let root = Node { number: 0, start: 0, end: self.numbers.len() };
        let mut best = (f64::INFINITY, usize::MAX);
        // A tree of 2^32 edges has fewer levels.
        let mut waiting = Vec::with_capacity(40);
        waiting.push((0.0, root));
        // Distances are rounded, so that a hull may seem a little farther away than an edge in it.
        let slack = 1e-9 * self.edges.largest;
        while let Some((gap, node)) = waiting.pop() {
            let gap: f64 = gap;
            if gap > 0.0 && gap * gap > (1.0 + 1e-5) * best.0 + slack * slack {
                continue;
            }
            if node.is_leaf(BLOCK) {
                self.search(node, place, &mut best);
                continue;
            }
            let mut halves = node.halves().map(|half| (self.hulls[half.number].gap(place), half));
            if halves[0].0 < halves[1].0 {
                halves.reverse();
            }
            waiting.extend(halves);
        }
        best.1
    }

    /// Looks for a nearer edge in a leaf, or one as near that was given before.
    fn search(&self, node: Node, [x, y]: [f64; 2], best: &mut (f64, usize)) {
        if self.edges.smallest_square(node.start..node.end, x, y) > best.0 {
            return;
        }
        for at in node.start..node.end {
            let (square, number) = (self.edges.square_to(at, x, y), self.numbers[at] as usize);
            if square < best.0 || (square == best.0 && number < best.1) {
                *best = (square, number);
            }
        }
    }
}

/// Sorts a node's edges into its halves, and so on; `below` are the hulls of all nodes below.
fn sort(edges: &mut [(Ends, u32)], hull: &mut Hull, below: &mut [Hull]) {
    let mut bounds = [(f64::INFINITY, f64::NEG_INFINITY); 4];
    for (ends, _) in edges.iter() {
        for ((low, high), v) in bounds.iter_mut().zip(ends) {
            (*low, *high) = (low.min(*v), high.max(*v));
        }
    }
    let middle = |(low, high): (f64, f64)| 0.5 * low + 0.5 * high;
    let [x, y, end_x, end_y] = bounds.map(middle);
    let [width, height, end_width, end_height] = bounds.map(|(low, high)| 0.5 * (high - low));
    hull.ends = [[x, y], [end_x, end_y]];
    hull.radii = [width.hypot(height), end_width.hypot(end_height)];
    if edges.len() <= BLOCK {
        return;
    }
    let extent = |l: &usize| bounds[*l].1 - bounds[*l].0;
    let axis = (0..4).max_by(|k, l| extent(k).total_cmp(&extent(l))).unwrap_or(0);
    let half = edges.len() / 2;
    edges.select_nth_unstable_by(half, |e, f| e.0[axis].total_cmp(&f.0[axis]).then(e.1.cmp(&f.1)));
    let (low, high) = edges.split_at_mut(half);
    let (below_low, below_high) = below.split_at_mut(below.len() / 2);
    let (Some((first, below_low)), Some((second, below_high))) =
        (below_low.split_first_mut(), below_high.split_first_mut())
    else {
        return;
    };
    sort(low, first, below_low);
    sort(high, second, below_high);
}

/// Copies hulls, each followed by all of its first half and then all of its second, to their numbers.
fn renumber(hulls: &[Hull], number: usize, by_level: &mut [Hull]) {
    let Some((first, below)) = hulls.split_first() else { return };
    by_level[number] = *first;
    let (low, high) = below.split_at(below.len() / 2);
    renumber(low, 2 * number + 1, by_level);
    renumber(high, 2 * number + 2, by_level);
}

impl Hull {
    /// How far a place is at least from the hull; negative inside.
    fn gap(&self, [x, y]: [f64; 2]) -> f64 {
        let Hull { ends: [a, b], radii: [first, second] } = *self;
        let along = [b[0] - a[0], b[1] - a[1]];
        let from = [x - a[0], y - a[1]];
        let square = along[0] * along[0] + along[1] * along[1];
        let length = square.sqrt();
        let growth = second - first;
        // Also false where coordinates are no numbers.
        let is_long = length > growth.abs();
        if !is_long {
            // One disc holds the other, or both are one.
            let center = if growth > 0.0 { [x - b[0], y - b[1]] } else { from };
            return (center[0] * center[0] + center[1] * center[1]).sqrt() - first.max(second);
        }
        // The distance to the disc at a share of the way is convex in that share.
        let beside = ((along[0] * from[1] - along[1] * from[0]) / length).abs();
        let slope = growth / length;
        let share = (along[0] * from[0] + along[1] * from[1]) / square
            + beside / length * slope / (1.0 - slope * slope).sqrt();
        let share = share.clamp(0.0, 1.0);
        let center = [from[0] - share * along[0], from[1] - share * along[1]];
        (center[0] * center[0] + center[1] * center[1]).sqrt() - (first + share * growth)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::stream;

    /// Needles of every slope and width, islands and points beside them.
    #[test]
    fn the_nearest_edge_is_that_of_all() {
        let mut rng = stream(14, 0);
        for (count, offset) in [(3, 0.0), (900, 0.0), (900, 1e7)] {
            let mut edges = Edges::default();
            for k in 0..count {
                let mut draw = || offset + 10.0 * rng.random::<f64>();
                let (a, near) = ([draw(), draw()], 1e-3 * (k as f64));
                let b = match k % 3 {
                    0 => [a[0] + 0.01, a[1] - 0.02],
                    1 => [offset + near, offset + 9.0],
                    _ => [draw(), draw()],
                };
                edges.push(a, b);
            }
            let tree = EdgeTree::new(&edges);
            for k in 0..500 {
                let free = [0, 1].map(|_| offset - 2.0 + 14.0 * rng.random::<f64>());
                let place = if k % 3 == 0 { [edges.x[k % count], edges.y[k % count]] } else { free };
                let all = (0..count).map(|e| (edges.square_to(e, place[0], place[1]), e));
                let first = all.reduce(|a, b| if b.0 < a.0 { b } else { a });
                assert_eq!(Some(tree.nearest(place)), first.map(|(_, e)| e), "{place:?}");
            }
        }
    }
}

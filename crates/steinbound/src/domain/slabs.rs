//! Edges that do not cross, in their order from left to right at every level.

use std::cmp::Ordering;

use super::rings::{Edges, Side, orientation};

/// For every stretch between two neighbouring levels at which edges end, the edges that run through it in their
/// order: a tree of stretches, in which each edge is listed at the few nodes that together make up its height.
///
/// Takes `n log n` memory, and `n log^2 n` time, on one thread: domains are made while arguments are read, before the
/// number of threads is known. A place is found in it in `log^2 n` steps, whatever the edges.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Slabs {
    /// The levels, rising.
    levels: Vec<f64>,
    /// The number of leaves of the tree; leaf `k` is the stretch from level `k` to the next.
    leaves: usize,
    /// The edges of node `k` are those from `starts[k]` to `starts[k + 1]`.
    starts: Vec<usize>,
    edges: Vec<u32>,
    /// Level edges: their level and their ends.
    flat: Vec<[f64; 3]>,
}

/// An edge from its lower to its upper end.
fn upwards(edges: &Edges, e: usize) -> [[f64; 2]; 2] {
    let (a, b) = ([edges.x[e], edges.y[e]], [edges.end_x[e], edges.end_y[e]]);
    if a[1] <= b[1] { [a, b] } else { [b, a] }
}

/// On which side of an upward edge a place is: negative on the left.
fn beside([low, high]: [[f64; 2]; 2], place: [f64; 2]) -> Ordering {
    0.0.partial_cmp(&orientation(low, high, place)).unwrap_or(Ordering::Equal)
}

/// The order of two edges that do not cross and run through a common stretch, or of which the first is level at
/// its lower end.
fn order(e: [[f64; 2]; 2], f: [[f64; 2]; 2]) -> Ordering {
    let lower = if e[0][1] >= f[0][1] { beside(f, e[0]) } else { beside(e, f[0]).reverse() };
    let upper = || if e[1][1] <= f[1][1] { beside(f, e[1]) } else { beside(e, f[1]).reverse() };
    lower.then_with(upper)
}

impl Slabs {
    pub(super) fn new(edges: &Edges) -> Slabs {
        let mut levels: Vec<f64> = edges.y.iter().chain(&edges.end_y).map(|y| y + 0.0).collect();
        levels.sort_unstable_by(f64::total_cmp);
        levels.dedup();
        let leaves = levels.len().next_power_of_two();
        let mut slabs =
            Slabs { levels, leaves, starts: vec![0; 2 * leaves + 1], edges: Vec::new(), flat: Vec::new() };
        let all: Vec<[[f64; 2]; 2]> = (0..edges.len()).map(|e| upwards(edges, e)).collect();
        let spans: Vec<[usize; 2]> = all.iter().map(|edge| edge.map(|end| slabs.level_of(end[1]))).collect();
        for span in &spans {
            nodes(slabs.leaves, *span, |node| slabs.starts[node + 1] += 1);
        }
        (0..2 * leaves).for_each(|k| slabs.starts[k + 1] += slabs.starts[k]);
        let mut next = slabs.starts.clone();
        slabs.edges = vec![0; slabs.starts[2 * leaves]];
        for (e, span) in spans.iter().enumerate() {
            nodes(slabs.leaves, *span, |node| {
                slabs.edges[next[node]] = e as u32;
                next[node] += 1;
            });
        }
        for pair in slabs.starts.windows(2) {
            slabs.edges[pair[0]..pair[1]].sort_by(|e, f| order(all[*e as usize], all[*f as usize]));
        }
        let is_flat = |edge: &&[[f64; 2]; 2]| edge[0][1] == edge[1][1];
        let flat = all.iter().filter(is_flat).map(|[a, b]| [a[1] + 0.0, a[0].min(b[0]), a[0].max(b[0])]);
        slabs.flat = flat.collect();
        slabs.flat.sort_by(|s, t| s[0].total_cmp(&t[0]).then(s[1].total_cmp(&t[1])));
        slabs
    }

    /// The number of the last level that is not above; zero if there is none.
    fn level_of(&self, y: f64) -> usize {
        self.levels.partition_point(|level| *level <= y).saturating_sub(1)
    }

    fn list(&self, node: usize) -> &[u32] {
        &self.edges[self.starts[node]..self.starts[node + 1]]
    }

    /// The nodes whose edges run through a stretch.
    fn through(&self, stretch: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(stretch + self.leaves), |node| (*node > 1).then_some(node / 2))
    }

    /// Where a point lies with respect to the area that the edges enclose, by the even-odd rule.
    pub(super) fn side(&self, edges: &Edges, [x, y]: [f64; 2]) -> Side {
        let (Some(lowest), Some(highest)) = (self.levels.first(), self.levels.last()) else {
            return Side::Outside;
        };
        // Also where one of the two is no number.
        if !(*lowest <= y && y <= *highest && !x.is_nan()) {
            return Side::Outside;
        }
        let stretch = self.level_of(y);
        let mut right = 0;
        // At a level, edges that end there are found in the stretch below.
        let below = (y == self.levels[stretch]).then(|| stretch.checked_sub(1)).flatten();
        for stretch in [below, Some(stretch)].into_iter().flatten() {
            right = 0;
            for node in self.through(stretch) {
                let list = self.list(node);
                let side = |e: u32| beside(upwards(edges, e as usize), [x, y]);
                let first = list.partition_point(|e| side(*e) == Ordering::Greater);
                if list.get(first).is_some_and(|e| side(*e) == Ordering::Equal) {
                    return Side::Edge;
                }
                right += list.len() - first;
            }
        }
        let after = self.flat.partition_point(|[level, left, _]| *level < y || (*level == y && *left <= x));
        let is_on = |[level, _, end]: &[f64; 3]| *level == y && x <= *end;
        if after.checked_sub(1).and_then(|at| self.flat.get(at)).is_some_and(is_on) {
            return Side::Edge;
        }
        if right % 2 == 1 { Side::Inside } else { Side::Outside }
    }

    /// For every edge the number of those on its right that go up, less those that go down, each counted by its
    /// weight. On the right of a level edge are those that are there just above it.
    pub(super) fn sums_on_the_right(&self, edges: &Edges, weights: &impl Fn(usize) -> i32) -> Vec<i32> {
        // The sum of each edge in a list and those after it.
        let mut sums = vec![0; self.edges.len()];
        for node in 0..2 * self.leaves {
            let mut sum = 0;
            for at in (self.starts[node]..self.starts[node + 1]).rev() {
                let e = self.edges[at] as usize;
                sum += if edges.end_y[e] > edges.y[e] { weights(e) } else { -weights(e) };
                sums[at] = sum;
            }
        }
        let of = |e: usize| {
            let own = upwards(edges, e);
            let of_node = |node: usize| {
                let is_right = |f: u32| order(own, upwards(edges, f as usize)).is_lt();
                let first = self.list(node).partition_point(|f| !is_right(*f));
                if first < self.list(node).len() { sums[self.starts[node] + first] } else { 0 }
            };
            // Half-way up, but not at the upper end, to which rounding may lead.
            let [low, high] = [own[0][1], own[1][1]];
            let middle = self.level_of(0.5 * low + 0.5 * high);
            let stretch = middle.min(self.level_of(high).saturating_sub(1)).max(self.level_of(low));
            self.through(stretch).map(of_node).sum()
        };
        (0..edges.len()).map(of).collect()
    }
}

/// The nodes of a tree that together make up the stretches between two levels.
fn nodes(leaves: usize, [low, high]: [usize; 2], mut visit: impl FnMut(usize)) {
    let (mut low, mut high) = (low + leaves, high + leaves);
    while low < high {
        if low % 2 == 1 {
            visit(low);
            low += 1;
        }
        if high % 2 == 1 {
            high -= 1;
            visit(high);
        }
        (low, high) = (low / 2, high / 2);
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::stream;

    /// Fans of needles from one vertex, side by side: what is on the right is counted edge by edge.
    #[test]
    fn sums_are_those_of_all_edges() {
        let mut rng = stream(16, 0);
        let mut edges = Edges::default();
        for k in 0..300 {
            let place = f64::from(k) / 100.0;
            let tip = if k % 2 == 0 { [0.0, 0.0] } else { [place, -1.0] };
            let end = [place, if k % 3 == 0 { 0.0 } else { 1.0 + rng.random::<f64>() }];
            match k % 5 {
                0 | 1 if k % 2 == 0 && end[1] > 0.0 => edges.push(tip, [end[0] - 4.0, end[1]]),
                2 => edges.push([place + 5.0, end[1]], [place + 5.0, -1.0]),
                _ => edges.push([10.0 + place, 3.0], [10.005 + place, 3.0 - f64::from(k % 2)]),
            };
        }
        let weight = |e: usize| 1 + e as i32 % 3;
        let found = Slabs::new(&edges).sums_on_the_right(&edges, &weight);
        for (e, found) in found.into_iter().enumerate() {
            let [a, b] = [[edges.x[e], edges.y[e]], [edges.end_x[e], edges.end_y[e]]];
            // A level edge counts what is just above it.
            let level = if a[1] == b[1] { a[1] + 1e-9 } else { 0.5 * (a[1] + b[1]) };
            let place = 0.5 * (a[0] + b[0]);
            let crossed = (0..edges.len()).filter(|f| *f != e).map(|f| {
                let (from, to) = (edges.y[f], edges.end_y[f]);
                let x = edges.x[f] + (level - from) / (to - from) * (edges.end_x[f] - edges.x[f]);
                let counts = (from > level) != (to > level) && x > place;
                if counts { weight(f) * if to > from { 1 } else { -1 } } else { 0 }
            });
            assert_eq!(found, crossed.sum::<i32>(), "{e}");
        }
    }
}

//! The shortest tree that links points of the plane, and where chains of its points end.

use crate::points::squared_distance;

/// The shortest tree that links all points: each point with its neighbours in the tree and their distances.
#[derive(Debug)]
pub(super) struct SpanningTree {
    links: Vec<Vec<(usize, f64)>>,
}

/// An end of a chain of points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct End {
    /// The last point.
    pub(super) at: usize,
    /// The direction in which the chain would go on, of length one.
    pub(super) direction: [f64; 2],
}

/// A chain counts as one from this multiple of the longest distance between neighbours on: of a shorter one
/// it cannot be said whether it is open.
const CHAIN: f64 = 3.0;

impl SpanningTree {
    /// By Prim's algorithm: as many steps as there are pairs, a tenth of a second for 10,000 points and little
    /// beside the factorisation of their kernel matrix.
    pub(super) fn of(places: &[[f64; 2]]) -> SpanningTree {
        let mut links = vec![Vec::new(); places.len()];
        // For each point outside the tree, the squared distance to the nearest point in it, and that point.
        let mut outside: Vec<(usize, f64, usize)> =
            (1..places.len()).map(|i| (i, f64::INFINITY, 0)).collect();
        let mut newest = 0;
        while !outside.is_empty() {
            let mut nearest = 0;
            for k in 0..outside.len() {
                let (i, best, _) = outside[k];
                let square = squared_distance(&places[i], &places[newest]);
                if square < best {
                    outside[k] = (i, square, newest);
                }
                if outside[k].1 < outside[nearest].1 {
                    nearest = k;
                }
            }
            let (i, square, j) = outside.swap_remove(nearest);
            links[i].push((j, square.sqrt()));
            links[j].push((i, square.sqrt()));
            newest = i;
        }
        SpanningTree { links }
    }

    /// The distances of linked points.
    pub(super) fn lengths(&self) -> Vec<f64> {
        let of = |i: usize| self.links[i].iter().filter(move |(j, _)| *j < i).map(|(_, length)| *length);
        (0..self.links.len()).flat_map(of).collect()
    }

    /// The neighbours of a point at most as far as this.
    fn near(&self, i: usize, longest: f64) -> impl Iterator<Item = (usize, f64)> {
        self.links[i].iter().copied().filter(move |(_, length)| *length <= longest)
    }

    /// The ends of chains whose points are at most as far apart as this, where no other part of a chain is as
    /// near.
    pub(super) fn open_ends(&self, places: &[[f64; 2]], longest: f64) -> Vec<End> {
        let leaves = (0..places.len()).filter(|i| self.near(*i, longest).count() == 1);
        leaves.filter_map(|leaf| Walk::from(self, leaf, longest).open_end(places, longest)).collect()
    }
}

/// All points of a chain by their way from one of its ends.
struct Walk {
    /// The points in an order in which each comes after the one before it on the way.
    order: Vec<usize>,
    /// By the place in that order: where the next points are, and the length of the way.
    next: Vec<Vec<usize>>,
    way: Vec<f64>,
    /// The longest way that goes on from there.
    further: Vec<f64>,
}

impl Walk {
    fn from(tree: &SpanningTree, leaf: usize, longest: f64) -> Walk {
        let (mut order, mut way, mut before) = (vec![leaf], vec![0.0], vec![usize::MAX]);
        let (mut next, mut k) = (Vec::new(), 0);
        while k < order.len() {
            let origin = before[k];
            let is_new = |i: usize| origin == usize::MAX || i != order[origin];
            let found: Vec<(usize, f64)> = tree.near(order[k], longest).filter(|(i, _)| is_new(*i)).collect();
            next.push((order.len()..order.len() + found.len()).collect());
            for (i, length) in found {
                order.push(i);
                way.push(way[k] + length);
                before.push(k);
            }
            k += 1;
        }
        let mut further = vec![0.0f64; order.len()];
        for k in (1..order.len()).rev() {
            let origin = before[k];
            further[origin] = further[origin].max(further[k] + way[k] - way[origin]);
        }
        Walk { order, next, way, further }
    }

    /// The end that the walk began at, if it is one.
    fn open_end(&self, places: &[[f64; 2]], longest: f64) -> Option<End> {
        let end = places[self.order[0]];
        let apart = |k: usize| squared_distance(&places[self.order[k]], &end).sqrt();
        let is_long = self.further[0] >= CHAIN * longest;
        // A closed chain has an end, too, where its points are farthest apart; its other end is next to it.
        let returns = || (0..self.order.len()).any(|k| self.way[k] > CHAIN * longest && apart(k) <= longest);
        if !is_long || returns() || self.is_branch(CHAIN * longest) {
            return None;
        }
        // The chain comes from where its last part is on average.
        let last: Vec<usize> = (1..self.order.len()).filter(|k| self.way[*k] <= longest).collect();
        let mean = |l: usize| last.iter().map(|k| places[self.order[*k]][l]).sum::<f64>() / last.len() as f64;
        let (dx, dy) = (end[0] - mean(0), end[1] - mean(1));
        let length = dx.hypot(dy);
        (length > 0.0).then(|| End { at: self.order[0], direction: [dx / length, dy / length] })
    }

    /// Whether the walk soon comes to a point from which two ways lead on that are longer than the one behind:
    /// it came from a side branch, such as the tip of a cape.
    fn is_branch(&self, reach: f64) -> bool {
        let mut k = 0;
        while self.way[k] <= reach {
            let onward = |j: &usize| self.further[*j] + self.way[*j] - self.way[k];
            if self.next[k].iter().filter(|j| onward(j) > self.way[k]).count() > 1 && k > 0 {
                return true;
            }
            let longest = self.next[k].iter().max_by(|a, b| onward(a).total_cmp(&onward(b)));
            let Some(longest) = longest else { return false };
            k = *longest;
        }
        false
    }
}

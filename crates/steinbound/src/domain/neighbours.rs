//! The nearest of some points, by a tree of boxes.

use crate::points::squared_distance;

/// The largest number of points in a leaf of the tree.
const LEAF: usize = 16;

/// Points sorted into a tree: each node cuts its points in half along the coordinate in which they extend
/// farthest.
#[derive(Debug)]
pub(super) struct Neighbours {
    dimension: usize,
    /// The points in the order of the leaves, as rows, and the numbers under which they were given.
    rows: Vec<f64>,
    numbers: Vec<usize>,
    /// Coordinate and place of each cut; the halves of node `k` are the nodes `2 k + 1` and `2 k + 2`.
    cuts: Vec<(usize, f64)>,
}

/// A node of a tree of halves, and the range of what is in it.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) number: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Node {
    /// Whether it has no halves, where leaves hold so many at most.
    pub(super) fn is_leaf(self, most: usize) -> bool {
        self.end - self.start <= most
    }

    pub(super) fn halves(self) -> [Node; 2] {
        let middle = self.start + (self.end - self.start) / 2;
        [
            Node { number: 2 * self.number + 1, start: self.start, end: middle },
            Node { number: 2 * self.number + 2, start: middle, end: self.end },
        ]
    }
}

impl Neighbours {
    /// The tree of points given as rows.
    pub(super) fn new(rows: &[f64], dimension: usize) -> Neighbours {
        let count = rows.len() / dimension;
        let mut numbers: Vec<usize> = (0..count).collect();
        let mut cuts = Vec::new();
        cut(rows, dimension, &mut numbers, 0, &mut cuts);
        let sorted = numbers.iter().flat_map(|i| &rows[i * dimension..(i + 1) * dimension]);
        Neighbours { dimension, rows: sorted.copied().collect(), numbers, cuts }
    }

    fn root(&self) -> Node {
        Node { number: 0, start: 0, end: self.numbers.len() }
    }

    /// The squared distance to the nearest point, if that is at most `reach` away. The search ends at any
    /// point that is at most `enough` away.
    pub(super) fn nearest(&self, x: &[f64], enough: f64, reach: f64) -> Option<f64> {
        let mut nearest = None;
        // The limit is strict, so that it is enlarged by a bit.
        self.search(x, self.root(), &mut (reach * reach).next_up(), &mut |square, _, limit| {
            nearest = Some(square);
            *limit = if square <= enough * enough { f64::NEG_INFINITY } else { square };
        });
        nearest
    }

    /// The `most` nearest points that are at most `reach` away as squared distances and numbers, nearest
    /// first.
    pub(super) fn several(&self, x: &[f64], most: usize, reach: f64) -> Vec<(f64, usize)> {
        let mut found: Vec<(f64, usize)> = Vec::with_capacity(most + 1);
        self.search(x, self.root(), &mut (reach * reach).next_up(), &mut |square, number, limit| {
            let at = found.partition_point(|other| *other < (square, number));
            found.insert(at, (square, number));
            found.truncate(most);
            if found.len() == most {
                *limit = found.last().map_or(*limit, |(square, _)| *square);
            }
        });
        found
    }

    /// Offers every point nearer than the limit, a squared distance, which may fall meanwhile.
    fn search(&self, x: &[f64], node: Node, limit: &mut f64, offer: &mut impl FnMut(f64, usize, &mut f64)) {
        if node.is_leaf(LEAF) {
            for at in node.start..node.end {
                let square = squared_distance(x, &self.rows[at * self.dimension..(at + 1) * self.dimension]);
                if square < *limit {
                    offer(square, self.numbers[at], limit);
                }
            }
            return;
        }
        let (axis, place) = self.cuts[node.number];
        let beyond = x[axis] - place;
        let [below, above] = node.halves();
        let (near, far) = if beyond < 0.0 { (below, above) } else { (above, below) };
        self.search(x, near, limit, offer);
        if beyond * beyond < *limit {
            self.search(x, far, limit, offer);
        }
    }
}

/// Sorts a node's points into its halves, and so on.
fn cut(rows: &[f64], dimension: usize, numbers: &mut [usize], number: usize, cuts: &mut Vec<(usize, f64)>) {
    if numbers.len() <= LEAF {
        return;
    }
    let value = |i: usize, l: usize| rows[i * dimension + l];
    let extent = |l: usize| {
        let all = numbers.iter().map(|i| value(*i, l));
        let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        high - low
    };
    let extents: Vec<f64> = (0..dimension).map(extent).collect();
    let axis = (0..dimension).max_by(|a, b| extents[*a].total_cmp(&extents[*b])).unwrap_or(0);
    let middle = numbers.len() / 2;
    let by_place = |a: &usize, b: &usize| value(*a, axis).total_cmp(&value(*b, axis)).then(a.cmp(b));
    let (_, at_cut, _) = numbers.select_nth_unstable_by(middle, by_place);
    if cuts.len() <= number {
        cuts.resize(number + 1, (0, 0.0));
    }
    cuts[number] = (axis, value(*at_cut, axis));
    let (below, above) = numbers.split_at_mut(middle);
    cut(rows, dimension, below, 2 * number + 1, cuts);
    cut(rows, dimension, above, 2 * number + 2, cuts);
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::stream;

    /// Against all distances, sorted; half of the points are repeated.
    #[test]
    fn the_nearest_are_those_of_all_distances() {
        let mut rng = stream(4, 0);
        for (dimension, count) in [(1, 300), (2, 1000), (3, 40), (6, 500), (2, 5)] {
            let mut rows: Vec<f64> = (0..count * dimension).map(|_| rng.random::<f64>()).collect();
            rows.extend_from_within(..count / 2 * dimension);
            let tree = Neighbours::new(&rows, dimension);
            for _ in 0..50 {
                let x: Vec<f64> = (0..dimension).map(|_| 1.4 * rng.random::<f64>() - 0.2).collect();
                let mut all: Vec<(f64, usize)> =
                    rows.chunks(dimension).map(|y| squared_distance(&x, y)).zip(0..).collect();
                all.sort_by(|a, b| a.0.total_cmp(&b.0));
                assert_eq!(tree.nearest(&x, 0.0, 9.0), Some(all[0].0));
                let reach = all[2].0.sqrt() * 1.0000001;
                assert!(tree.nearest(&x, reach, 9.0).is_some_and(|square| square <= reach * reach));
                assert_eq!(tree.nearest(&x, 0.0, 0.999 * all[0].0.sqrt()), None);
                let squares = |found: &[(f64, usize)]| found.iter().map(|f| f.0).collect::<Vec<_>>();
                assert_eq!(squares(&tree.several(&x, 7, 9.0)), squares(&all[..all.len().min(7)]));
                let within = all.iter().filter(|(square, _)| *square <= reach * reach).count();
                assert_eq!(tree.several(&x, all.len(), reach).len(), within);
            }
        }
        assert_eq!(Neighbours::new(&[], 2).nearest(&[0.0; 2], 0.0, 1.0), None);
    }
}

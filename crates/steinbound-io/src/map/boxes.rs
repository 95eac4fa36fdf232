//! Boxes around rings, and of those around another one the smallest first.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The lower and upper limits of both coordinates.
pub(super) type Bounds = [(f64, f64); 2];

/// The largest number of boxes in a leaf of the tree.
const LEAF: usize = 8;

/// Boxes in a tree, each node of which cuts its boxes in half along the limit in which they differ most.
pub(super) struct Boxes {
    /// The boxes in the order of the leaves, with the numbers under which they were given.
    boxes: Vec<(Bounds, usize)>,
    root: Option<Node>,
}

struct Node {
    /// What holds all boxes.
    around: Bounds,
    smallest: f64,
    start: usize,
    end: usize,
    halves: Option<Box<[Node; 2]>>,
}

/// The smallest area first, then the box given first; nodes come before the boxes in them.
#[derive(PartialEq)]
struct Key(f64, usize);

impl Eq for Key {}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn area(bounds: &Bounds) -> f64 {
    bounds.iter().map(|(low, high)| high - low).product()
}

fn holds(outer: &Bounds, inner: &Bounds) -> bool {
    outer.iter().zip(inner).all(|(o, i)| o.0 <= i.0 && i.1 <= o.1)
}

impl Boxes {
    pub(super) fn new(boxes: impl Iterator<Item = (Bounds, usize)>) -> Boxes {
        let mut boxes: Vec<(Bounds, usize)> = boxes.collect();
        let root = (!boxes.is_empty()).then(|| node(&mut boxes, 0));
        Boxes { boxes, root }
    }

    /// The numbers of the boxes that hold another, the smallest first.
    pub(super) fn around<'a>(&'a self, inner: &'a Bounds) -> impl Iterator<Item = usize> + 'a {
        let mut waiting: BinaryHeap<Reverse<(Key, usize)>> = BinaryHeap::new();
        let mut nodes: Vec<&Node> = self.root.iter().collect();
        waiting.extend(nodes.iter().map(|root| Reverse((Key(root.smallest, 0), 0))));
        std::iter::from_fn(move || {
            while let Some(Reverse((Key(_, number), place))) = waiting.pop() {
                // Numbers of boxes are counted from 1 here.
                if let Some(number) = number.checked_sub(1) {
                    return Some(number);
                }
                let node = nodes[place];
                let Some(halves) = &node.halves else {
                    let found = self.boxes[node.start..node.end].iter().filter(|(own, _)| holds(own, inner));
                    waiting.extend(found.map(|(own, number)| Reverse((Key(area(own), number + 1), 0))));
                    continue;
                };
                for half in halves.iter().filter(|half| holds(&half.around, inner)) {
                    waiting.push(Reverse((Key(half.smallest, 0), nodes.len())));
                    nodes.push(half);
                }
            }
            None
        })
    }
}

fn node(boxes: &mut [(Bounds, usize)], start: usize) -> Node {
    let limits = |bounds: &Bounds| [bounds[0].0, bounds[0].1, bounds[1].0, bounds[1].1];
    let mut extents = [(f64::INFINITY, f64::NEG_INFINITY); 4];
    let mut smallest = f64::INFINITY;
    for (bounds, _) in boxes.iter() {
        smallest = smallest.min(area(bounds));
        for ((low, high), v) in extents.iter_mut().zip(limits(bounds)) {
            (*low, *high) = (low.min(v), high.max(v));
        }
    }
    let around = [(extents[0].0, extents[1].1), (extents[2].0, extents[3].1)];
    let end = start + boxes.len();
    let halves = (boxes.len() > LEAF).then(|| {
        let width = |l: &usize| extents[*l].1 - extents[*l].0;
        let axis = (0..4).max_by(|k, l| width(k).total_cmp(&width(l))).unwrap_or(0);
        let middle = boxes.len() / 2;
        boxes.select_nth_unstable_by(middle, |a, b| {
            limits(&a.0)[axis].total_cmp(&limits(&b.0)[axis]).then(a.1.cmp(&b.1))
        });
        let (low, high) = boxes.split_at_mut(middle);
        Box::new([node(low, start), node(high, start + middle)])
    });
    Node { around, smallest, start, end, halves }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_around_another_come_by_size() {
        // As good as random.
        let value = |k: usize| ((k * 7919 + 13) % 1009) as f64;
        let bounds = |k: usize| [0, 1].map(|l| (value(2 * k + l), value(2 * k + l) + value(3 * k + l + 7)));
        let all: Vec<Bounds> = (0..400).map(bounds).collect();
        let boxes = Boxes::new(all.iter().copied().zip(0..));
        for k in 400..600 {
            let inner = bounds(k).map(|(low, high)| (low, low + 0.2 * (high - low)));
            let mut expected: Vec<usize> = (0..400).filter(|at| holds(&all[*at], &inner)).collect();
            expected.sort_by(|a, b| area(&all[*a]).total_cmp(&area(&all[*b])));
            assert_eq!(boxes.around(&inner).collect::<Vec<_>>(), expected);
        }
        assert_eq!(Boxes::new(std::iter::empty()).around(&all[0]).count(), 0);
    }
}

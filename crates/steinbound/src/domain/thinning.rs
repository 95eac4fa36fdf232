//! A choice of evenly spaced points from many.

use std::ops::Range;

use super::cells::{Cells, SORTED};
use crate::compute::packed::{Coordinates, Place};
use crate::compute::simd::{LANES, Lanes, Level, Vectorised};
use crate::points::squared_distance;

/// Boundary points to choose from, in units of the bandwidth.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub dimension: usize,
    /// The points as rows.
    pub rows: Vec<f64>,
    /// By how much each point's spacing is larger than where data are near.
    pub sparseness: Vec<f64>,
    /// The points that follow each other along a curve, if they are in such an order.
    pub runs: Vec<Run>,
}

/// Points in order along a curve.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    pub range: Range<usize>,
    /// Whether the first point follows the last.
    pub is_closed: bool,
}

/// Points along a curve are dropped if another is nearer than this share of the spacing, as across an inlet.
const TOO_NEAR: f64 = 0.6;

/// Points are added wherever none is within this share of the spacing: beside points along a curve, in the
/// plane, and in space. Among scattered points gaps are one to two times as long, 1.34 on average in the
/// plane (random parking), and the share is chosen so that the mean is about the spacing.
const GAP_BESIDE_CURVES: f64 = 0.7;
const GAP_IN_PLANE: f64 = 0.65;
const GAP_IN_SPACE: f64 = 0.75;

impl Candidates {
    pub(super) fn len(&self) -> usize {
        self.sparseness.len()
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.dimension..(i + 1) * self.dimension]
    }

    fn place(&self, i: usize) -> [f64; SORTED] {
        std::array::from_fn(|l| if l < self.dimension { self.rows[i * self.dimension + l] } else { 0.0 })
    }

    /// The numbers of at most `most` candidates at this spacing, or at the smallest larger one for which they
    /// suffice; and that spacing.
    pub(super) fn chosen(&self, spacing: f64, most: usize) -> (Vec<usize>, f64) {
        if self.dimension > SORTED {
            return self.farthest(spacing, most);
        }
        let mut reached = spacing;
        let mut kept = self.spaced(reached);
        let mut too_small = reached;
        let power = 1.0 / (self.dimension.max(2) - 1) as f64;
        while kept.len() > most {
            too_small = reached;
            reached *= (1.02 * (kept.len() as f64 / most as f64).powf(power)).max(1.05);
            kept = self.spaced(reached);
        }
        for _ in 0..3 {
            if reached == spacing || kept.len() as f64 > 0.95 * most as f64 {
                break;
            }
            let middle = (too_small * reached).sqrt();
            let trial = self.spaced(middle);
            if trial.len() > most {
                too_small = middle;
            } else {
                (reached, kept) = (middle, trial);
            }
        }
        (kept, reached)
    }

    /// Candidates at this spacing, in their order: even along curves, then wherever there is none.
    fn spaced(&self, spacing: f64) -> Vec<usize> {
        // Radii are about as large as cubes, and up to a few times larger where data are far.
        let mut cells = Cells::new(1.5 * spacing, self.dimension, self.len());
        let mut kept = Vec::new();
        let mut keep_unless_near = |i: usize, share: f64| {
            let place = self.place(i);
            if !cells.has_within(&place, share * spacing * self.sparseness[i]) {
                cells.add(place);
                kept.push(i);
            }
        };
        for run in &self.runs {
            self.even(run, spacing).into_iter().for_each(|i| keep_unless_near(i, TOO_NEAR));
        }
        let gap = match (self.runs.is_empty(), self.dimension) {
            (false, _) => GAP_BESIDE_CURVES,
            (true, 2) => GAP_IN_PLANE,
            (true, _) => GAP_IN_SPACE,
        };
        (0..self.len()).for_each(|i| keep_unless_near(i, gap));
        kept.sort_unstable();
        kept
    }

    /// The candidates nearest to even places along a curve, measured in local spacings.
    fn even(&self, run: &Run, spacing: f64) -> Vec<usize> {
        let Range { start, end } = run.range;
        let step = |i: usize, j: usize| {
            let local = 0.5 * spacing * (self.sparseness[i] + self.sparseness[j]);
            squared_distance(self.row(i), self.row(j)).sqrt() / local
        };
        let mut positions = vec![0.0];
        let mut length = 0.0;
        for i in start + 1..end {
            length += step(i - 1, i);
            positions.push(length);
        }
        // Half a spacing remains at either end of an open curve.
        let offset = if run.is_closed { 0.0 } else { 0.5 };
        let whole = if run.is_closed { length + step(end - 1, start) } else { length };
        let count = whole.round().max(1.0);
        (0..count as usize)
            .map(|k| {
                let target = whole * (k as f64 + offset) / count;
                let after = positions.partition_point(|position| *position < target).min(end - start - 1);
                let before = after.saturating_sub(1);
                let is_before = target - positions[before] < positions[after] - target;
                start + if is_before { before } else { after }
            })
            .collect()
    }

    /// The candidate nearest to data, then always the one farthest from those kept, measured in its own
    /// spacing, until none is farther than the spacing. Takes candidates times points kept distances.
    fn farthest(&self, spacing: f64, most: usize) -> (Vec<usize>, f64) {
        let first = (0..self.len()).min_by(|i, j| self.sparseness[*i].total_cmp(&self.sparseness[*j]));
        let Some(mut next) = first else { return (Vec::new(), spacing) };
        let value = |i: usize, l: usize| self.rows[i * self.dimension + l];
        let coordinates = Coordinates::new(self.len(), self.dimension, value);
        let weights = Coordinates::new(self.len(), 1, |i, _| 1.0 / (self.sparseness[i] * self.sparseness[i]));
        let mut gaps = vec![[f64::INFINITY; LANES]; self.len().div_ceil(LANES)];
        let mut kept = Vec::new();
        loop {
            kept.push(next);
            let (points, weights) = (coordinates.whole(), weights.whole());
            let shrink = Shrink { points, weights, to: self.row(next), gaps: &mut gaps };
            let (gap, farthest) = Level::current().run(shrink);
            next = farthest;
            let gap = gap.sqrt();
            if kept.len() >= most || gap <= spacing {
                return (kept, gap.max(spacing));
            }
        }
    }
}

/// Lowers the weighted squared distances of points to those kept by that to another one, and finds the largest
/// with the first point that has it.
struct Shrink<'a> {
    points: Place<'a>,
    weights: Place<'a>,
    to: &'a [f64],
    gaps: &'a mut [[f64; LANES]],
}

impl Vectorised for Shrink<'_> {
    type Output = (f64, usize);

    #[inline(always)]
    fn run<V: Lanes>(self) -> (f64, usize) {
        let Shrink { points, weights, to, gaps } = self;
        let (mut largest, mut places) = ([0.0; LANES], [0; LANES]);
        let eights = points.eights().zip(weights.eights()).zip(gaps);
        for (eight, ((points, weights), gaps)) in eights.enumerate() {
            let mut squares = [0.0; LANES];
            for (x, to) in points.iter().zip(to) {
                for k in 0..LANES {
                    squares[k] += (x[k] - to) * (x[k] - to);
                }
            }
            for k in 0..LANES {
                let gap = weights[0][k] * squares[k];
                gaps[k] = if gap < gaps[k] { gap } else { gaps[k] };
                if gaps[k] > largest[k] {
                    (largest[k], places[k]) = (gaps[k], eight);
                }
            }
        }
        let lanes = (0..LANES).map(|k| (largest[k], LANES * places[k] + k));
        lanes.fold((0.0, 0), |a, b| if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a })
    }
}

/// The runs among points given in order, as rows: where a step is longer than those before and after, another
/// curve begins. Only points that are `kept` count, numbered one after the other.
pub(super) fn runs(rows: &[f64], dimension: usize, kept: &[bool]) -> Vec<Run> {
    let row = |k: usize| &rows[k * dimension..(k + 1) * dimension];
    let steps: Vec<f64> = (1..kept.len()).map(|k| squared_distance(row(k - 1), row(k)).sqrt()).collect();
    let usual = |k: usize| {
        let mut around = steps[k.saturating_sub(4)..(k + 5).min(steps.len())].to_vec();
        around.sort_by(f64::total_cmp);
        around[around.len() / 2]
    };
    let mut found = Vec::new();
    let (mut number, mut start) = (0, 0);
    for k in 0..kept.len() {
        let begins = k == 0 || !kept[k - 1] || steps[k - 1] > JUMP * usual(k - 1);
        if kept[k] && begins {
            start = k;
        }
        number += usize::from(kept[k]);
        let ends = k + 1 == kept.len() || !kept[k + 1] || steps[k] > JUMP * usual(k);
        if kept[k] && ends {
            let count = k + 1 - start;
            let is_closed = count > 3 && squared_distance(row(k), row(start)).sqrt() <= JUMP * usual(start);
            found.push(Run { range: number - count..number, is_closed });
        }
    }
    found
}

/// A step this many times longer than those around leads to another curve.
const JUMP: f64 = 1.8;

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    fn circle(count: usize, center: f64, radius: f64) -> Vec<f64> {
        let angle = |k: usize| TAU * k as f64 / count as f64;
        (0..count).flat_map(|k| [center + radius * angle(k).cos(), radius * angle(k).sin()]).collect()
    }

    #[test]
    fn curves_are_told_apart() {
        let rows = [circle(100, 0.0, 1.0), circle(50, 1.7, 0.5)].concat();
        let mut kept = vec![true; 150];
        let closed = |range| Run { range, is_closed: true };
        assert_eq!(runs(&rows, 2, &kept), [closed(0..100), closed(100..150)]);
        // A part left out opens a curve, and later points have smaller numbers.
        kept[20..30].fill(false);
        let open = |range| Run { range, is_closed: false };
        assert_eq!(runs(&rows, 2, &kept), [open(0..20), open(20..90), closed(90..140)]);
        assert_eq!(runs(&[], 2, &[]), []);
        assert_eq!(runs(&[1.0, 1.0], 2, &[true]), [open(0..1)]);
    }

    fn gaps(candidates: &Candidates, kept: &[usize]) -> Vec<f64> {
        let pair = |k: usize| (candidates.row(kept[k]), candidates.row(kept[(k + 1) % kept.len()]));
        (0..kept.len()).map(pair).map(|(a, b)| squared_distance(a, b).sqrt()).collect()
    }

    #[test]
    fn points_along_a_curve_are_even() {
        let rows = circle(2000, 0.0, 2.0);
        let runs = runs(&rows, 2, &[true; 2000]);
        let candidates = Candidates { dimension: 2, rows, sparseness: vec![1.0; 2000], runs };
        let (kept, reached) = candidates.chosen(0.25, 1000);
        assert_eq!((kept.len(), reached), ((2.0 * TAU / 0.25_f64).round() as usize, 0.25));
        assert!(gaps(&candidates, &kept).iter().all(|gap| (gap / 0.25 - 1.0).abs() < 0.05));
        let (kept, reached) = candidates.chosen(0.25, 20);
        assert!((18..=20).contains(&kept.len()) && (reached * 20.0 / (2.0 * TAU) - 1.0).abs() < 0.15);
    }

    #[test]
    fn without_an_order_gaps_are_bounded() {
        // Turned by the golden ratio of a circle from each to the next.
        let place = |k: usize| TAU * (k as f64 * 0.618_033_988_749_895).fract();
        let rows: Vec<f64> = (0..4000).flat_map(|k| [place(k).cos(), place(k).sin()]).collect();
        let candidates = Candidates { dimension: 2, rows, sparseness: vec![1.0; 4000], runs: Vec::new() };
        let (mut kept, _) = candidates.chosen(0.1, 1000);
        kept.sort_by(|i, j| place(*i).total_cmp(&place(*j)));
        assert!(gaps(&candidates, &kept).iter().all(|gap| (0.064..0.135).contains(gap)));
    }

    /// On the line all distances are known: the ends, the middle, then the quarters.
    #[test]
    fn in_space_the_farthest_is_next() {
        let mut rows = vec![0.0; 4 * 101];
        (0..101).for_each(|k| rows[4 * k] = k as f64);
        let candidates = Candidates { dimension: 4, rows, sparseness: vec![1.0; 101], runs: Vec::new() };
        let (kept, reached) = candidates.chosen(1.0, 5);
        assert_eq!((kept, reached), (vec![0, 100, 50, 25, 75], 12.0));
        assert_eq!(candidates.chosen(25.0, 1000).0, [0, 100, 50]);
    }
}

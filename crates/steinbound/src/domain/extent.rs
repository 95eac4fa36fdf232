//! The location and extent of a set that is given by a formula, found by a seeded search.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::{Domain, LevelSet, Norm};
use crate::random::stream;

/// The result of the search.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Extent {
    /// A box around the set, slightly too large; infinite on sides where the set is unbounded.
    pub bounds: Vec<(f64, f64)>,
    /// Points inside.
    pub seeds: Vec<Vec<f64>>,
}

/// The scales about the origin on which points inside are sought, as powers of two.
const SCALES: std::ops::RangeInclusive<i32> = -10..=12;

/// The number of places tried on each scale and in each window.
const PLACES: usize = 512;

/// The number of points inside that are kept from each scale.
const KEPT: usize = 8;

/// The largest number of times the window is made four times as wide.
const STAGES: usize = 20;

/// The number of windows without growth after which the search ends.
const PATIENCE: usize = 3;

/// A side that moves by less than this share of the width no longer grows.
const GROWTH: f64 = 0.01;

/// The first step along a line, as a share of the first window.
const FINEST: f64 = 1.0 / (1u64 << 36) as f64;

/// The margin added to each finite side, as a share of the width.
const MARGIN: f64 = 0.02;

/// The largest number of coordinates whose sides are followed; with more, the search would take seconds.
const FOLLOWED: usize = 32;

/// The largest length of a formula, times its coordinates, for which sides are followed; beyond, the search
/// would take seconds.
const LONGEST: usize = 20_000;

/// Searches for the set on many scales, then follows its sides outwards in growing windows.
///
/// A side that still grows in the last windows is taken to be infinite, as are all sides of a formula in more
/// than [`FOLLOWED`] coordinates or longer than [`LONGEST`]. Parts of the set far from all others can be
/// missed.
pub(super) fn find(set: &LevelSet) -> Extent {
    let mut rng = stream(0, 0);
    let seeds = inside_points(set, &mut rng);
    match seeds.first() {
        Some(first) if (1..=FOLLOWED).contains(&set.dimension()) && is_quick(set) => {
            let sides = vec![[first.clone(), first.clone()]; set.dimension()];
            let size = |x: &Vec<f64>| Norm::Infinity.of(x).max(2f64.powi(*SCALES.start()));
            let (smallest, largest) =
                seeds.iter().map(size).fold((f64::INFINITY, 0.0f64), |(a, b), s| (a.min(s), b.max(s)));
            let reach = 2.0 * largest;
            Search { set, rng, reach, first_step: reach * FINEST, smallest, sides, seeds }.run()
        }
        _ => Extent { bounds: vec![(f64::NEG_INFINITY, f64::INFINITY); set.dimension()], seeds },
    }
}

/// Whether the formula is short enough for the millions of evaluations that following its sides needs.
fn is_quick(set: &LevelSet) -> bool {
    set.expression().text().len() * set.dimension() <= LONGEST
}

/// Points inside: draws on all scales that lie inside, or else descents from the best draws.
fn inside_points(set: &LevelSet, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let dimension = set.dimension();
    let mut seeds = Vec::new();
    let mut lowest = Vec::new();
    for scale in SCALES.map(|power| 2f64.powi(power)) {
        let mut best = (f64::INFINITY, vec![0.0; dimension]);
        let mut found = 0;
        for place in 0..PLACES {
            // The origin comes first.
            let spread = if place == 0 { 0.0 } else { 2.0 * scale };
            let x: Vec<f64> = (0..dimension).map(|_| spread * (rng.random::<f64>() - 0.5)).collect();
            let value = set.value(&x);
            if value <= 0.0 && found < KEPT {
                found += 1;
                seeds.push(x);
            } else if value < best.0 {
                best = (value, x);
            }
        }
        if best.0.is_finite() {
            lowest.push((best.1, scale));
        }
    }
    if seeds.is_empty() && dimension <= FOLLOWED {
        seeds.extend(lowest.into_iter().filter_map(|(start, scale)| descend(set, start, scale)));
    }
    seeds
}

/// Descends along the gradient and the coordinates until the formula is negative.
fn descend(set: &LevelSet, start: Vec<f64>, scale: f64) -> Option<Vec<f64>> {
    let mut x = start;
    let mut value = set.value(&x);
    let mut step = scale;
    let mut gradient = vec![0.0; x.len()];
    for _ in 0..200 {
        set.gradient(&x, &mut gradient);
        let length = Norm::Two.of(&gradient);
        let downhill = gradient.iter().map(|g| -step * g / length).collect();
        let along = |l: usize, by: f64| (0..x.len()).map(|k| if k == l { by } else { 0.0 }).collect();
        let axes = (0..x.len()).flat_map(|l| [along(l, step), along(l, -step)]);
        let moves: Vec<Vec<f64>> = std::iter::once(downhill).chain(axes).collect();
        let better = moves.into_iter().find_map(|change| {
            let moved: Vec<f64> = x.iter().zip(&change).map(|(a, b)| a + b).collect();
            let found = set.value(&moved);
            (found < value).then_some((found, moved))
        });
        match better {
            Some(found) => (value, x) = found,
            None if step < 1e-9 * scale => return None,
            None => step *= 0.5,
        }
        if value <= 0.0 {
            return Some(x);
        }
    }
    None
}

/// The outermost points found, and the window in which farther ones are sought.
struct Search<'a> {
    set: &'a LevelSet,
    rng: ChaCha8Rng,
    /// Half the width of the window, which has the origin in its middle.
    reach: f64,
    first_step: f64,
    /// The size of the smallest point inside.
    smallest: f64,
    /// For each coordinate, the points where it is smallest and largest.
    sides: Vec<[Vec<f64>; 2]>,
    seeds: Vec<Vec<f64>>,
}

impl Search<'_> {
    fn run(mut self) -> Extent {
        for seed in self.seeds.clone() {
            self.take(&seed);
        }
        let mut before = self.limits();
        // Windows since each side last grew.
        let mut calm = vec![[0; 2]; before.len()];
        for _ in 0..STAGES {
            self.look_around();
            for l in 0..before.len() {
                self.climb(l, 0);
                self.climb(l, 1);
            }
            let after = self.limits();
            for (l, sides) in calm.iter_mut().enumerate() {
                let least = GROWTH * (after[l].1 - after[l].0);
                let grown = [before[l].0 - after[l].0, after[l].1 - before[l].1];
                for (calm, grown) in sides.iter_mut().zip(grown) {
                    *calm = if grown > least { 0 } else { *calm + 1 };
                }
            }
            before = after;
            if calm.iter().flatten().all(|stages| *stages >= PATIENCE) {
                break;
            }
            self.reach *= 4.0;
        }
        let bounds = before.iter().enumerate().map(|(l, (low, high))| {
            let [falls, rises] = calm[l].map(|stages| stages < PATIENCE);
            // If the width is infinite, the place where the set was found gives the scale.
            let scale = |limit: &f64| {
                if falls || rises { limit.abs().max(self.smallest) } else { high - low }
            };
            let margin = |limit: &f64| (MARGIN * scale(limit)).max(4.0 * self.first_step);
            (
                if falls { f64::NEG_INFINITY } else { low - margin(low) },
                if rises { f64::INFINITY } else { high + margin(high) },
            )
        });
        Extent { bounds: bounds.collect(), seeds: self.seeds }
    }

    fn limits(&self) -> Vec<(f64, f64)> {
        self.sides.iter().enumerate().map(|(l, [low, high])| (low[l], high[l])).collect()
    }

    /// Records a point inside.
    fn take(&mut self, x: &[f64]) {
        for (l, [low, high]) in self.sides.iter_mut().enumerate() {
            if x[l] < low[l] {
                low.copy_from_slice(x);
            }
            if x[l] > high[l] {
                high.copy_from_slice(x);
            }
        }
    }

    /// Tries random places in and around the current box, to find separate parts.
    fn look_around(&mut self) {
        let limits = self.limits();
        for _ in 0..PLACES {
            let place: Vec<f64> = limits
                .iter()
                .map(|(low, high)| {
                    let width = if high > low { high - low } else { self.reach };
                    low - 0.5 * width + (high - low + width) * self.rng.random::<f64>()
                })
                .collect();
            if self.set.contains(&place) && Norm::Infinity.of(&place) <= self.reach {
                self.take(&place);
            }
        }
    }

    /// Moves the outermost point of a side farther out, along lines that lead outwards.
    fn climb(&mut self, l: usize, side: usize) {
        let dimension = self.sides.len();
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let mut outwards = vec![0.0; dimension];
        outwards[l] = sign;
        for start in self.sides.iter().flatten().take(16).cloned().collect::<Vec<_>>() {
            self.follow(&start, &outwards);
        }
        let mut gradient = vec![0.0; dimension];
        for attempt in 0..(1000 / dimension).clamp(4, 32) {
            let start = self.sides[l][side].clone();
            let mut direction = outwards.clone();
            let other = self.rng.random_range(0..dimension);
            if attempt % 3 != 2 {
                self.set.gradient(&start, &mut gradient);
            }
            // Along the boundary if it is flat, or tilted inwards in case it is curved.
            let curved = 0.25f64.powi(self.rng.random_range(0..7));
            let inwards = if self.rng.random_range(0..4) == 0 { 1.0 } else { 1.0 + curved };
            match attempt % 3 {
                // In the plane of two coordinates, to follow edges into corners.
                0 if other != l => direction[other] = -sign * inwards * gradient[l] / gradient[other],
                1 => {
                    let square: f64 = gradient.iter().map(|g| g * g).sum();
                    let share = sign * inwards * gradient[l] / square;
                    direction.iter_mut().zip(&gradient).for_each(|(v, g)| *v -= share * g);
                }
                _ => {
                    direction.iter_mut().for_each(|v| *v = StandardNormal.sample(&mut self.rng));
                    direction[l] = sign * direction[l].abs();
                }
            }
            if direction.iter().all(|v| v.is_finite()) {
                self.follow(&start, &direction);
            }
        }
    }

    /// The farthest point of the set along a line within the window; gaps are crossed.
    fn follow(&mut self, start: &[f64], direction: &[f64]) {
        let at = |t: f64| -> Vec<f64> { start.iter().zip(direction).map(|(x, v)| x + t * v).collect() };
        let end = start.iter().zip(direction).map(|(x, v)| (self.reach - x * v.signum()) / v.abs());
        let end = end.fold(f64::INFINITY, f64::min);
        let mut t = self.first_step / Norm::Infinity.of(direction);
        let mut inside = 0.0;
        let mut outside = f64::NAN;
        // Each step is twice as long as the one before; the last one ends at the rim of the window.
        while t > 0.0 && inside < end && t < 2.0 * end {
            let here = t.min(end);
            if self.set.contains(&at(here)) {
                (inside, outside) = (here, f64::NAN);
            } else if outside.is_nan() {
                outside = here;
            }
            t *= 2.0;
        }
        if inside == 0.0 {
            return;
        }
        for _ in 0..16 {
            let middle = 0.5 * (inside + outside);
            if !middle.is_nan() && self.set.contains(&at(middle)) {
                inside = middle
            } else {
                outside = middle
            }
        }
        self.take(&at(inside));
    }
}

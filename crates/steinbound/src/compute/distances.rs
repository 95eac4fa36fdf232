//! All pairwise distances of a set of points, as far as their order is concerned.

use rayon::prelude::*;

use super::packed::{Coordinates, LARGEST_TILE, Place};
use super::simd::{LANES, Lanes, Level, Vectorised};
use super::squares::{GROUP, squared_distances_of_eight};
use crate::interrupt::{Interrupt, Interrupted};

/// The squared distances of all pairs of different points, sorted out by a bracket: counted below it and at
/// its ends, kept inside.
#[derive(Debug, Clone)]
pub(crate) struct Bracketed {
    low: f64,
    high: f64,
    below: usize,
    at_low: usize,
    inside: Vec<f64>,
    at_high: usize,
}

impl Bracketed {
    fn empty((low, high): (f64, f64)) -> Bracketed {
        Bracketed { low, high, below: 0, at_low: 0, inside: Vec::new(), at_high: 0 }
    }

    /// Goes through all pairs of points (rows of the table) once.
    pub(crate) fn count(
        points: &Coordinates,
        bracket: (f64, f64),
        interrupt: &Interrupt,
    ) -> Result<Bracketed, Interrupted> {
        let blocks = points.blocks();
        let tiles: Vec<(usize, usize)> = (0..blocks).flat_map(|i| (i..blocks).map(move |j| (i, j))).collect();
        let of_tile = |(mut counted, mut scratch): (Bracketed, Scratch), (rows, columns): &(usize, usize)| {
            let here = Tile {
                rows: points.block(*rows),
                row_count: points.rows_of(*rows),
                columns: points.block(*columns),
                column_count: points.rows_of(*columns),
                is_diagonal: rows == columns,
            };
            Level::current().run(CountTile { tile: here, scratch: &mut scratch, counted: &mut counted });
            (counted, scratch)
        };
        let merge = |mut a: Bracketed, mut b: Bracketed| {
            a.below += b.below;
            a.at_low += b.at_low;
            a.inside.append(&mut b.inside);
            a.at_high += b.at_high;
            a
        };
        let start = || (Bracketed::empty(bracket), Scratch::new());
        let counted = tiles.par_iter().filter(|_| !interrupt.is_raised()).fold(start, of_tile);
        let counted = counted.map(|(counted, _)| counted).reduce(|| Bracketed::empty(bracket), merge);
        // Once raised it stays so: nothing was left out of what passes here.
        interrupt.check()?;
        Ok(counted)
    }

    /// A narrower bracket of the median, `deviations` standard deviations to both sides, from a part of the
    /// pairs: every point with about `partners` others that follow it. The points are in random order.
    pub(crate) fn narrowed(
        points: &Coordinates,
        bracket: (f64, f64),
        partners: usize,
        deviations: f64,
    ) -> (f64, f64) {
        let whole = points.rows() / LANES * LANES;
        let partners = partners.next_multiple_of(LANES).min(whole / 2 / LANES * LANES).min(LARGEST_TILE);
        let (mut counted, mut scratch) = (Bracketed::empty(bracket), Scratch::new());
        let starts = (0..whole - partners).step_by(LANES);
        let pairs = starts.len() * LANES * partners;
        for start in starts {
            let here = Tile {
                rows: points.place(start, LANES),
                row_count: LANES,
                columns: points.place(start + LANES, partners),
                column_count: partners,
                is_diagonal: false,
            };
            Level::current().run(CountTile { tile: here, scratch: &mut scratch, counted: &mut counted });
        }
        let reach = deviations_of_median(pairs, deviations);
        let low = (pairs / 2).checked_sub(reach).and_then(|rank| counted.rank(rank));
        let high = counted.rank(pairs / 2 + reach);
        (low.unwrap_or(bracket.0), high.unwrap_or(bracket.1))
    }

    /// Takes distances within the bracket. Those at its ends are counted, for there can be very many of them.
    fn keep(&mut self, within: &[f64]) {
        let start = self.inside.len();
        self.inside.extend_from_slice(within);
        let has_ends = within.iter().any(|q| *q == self.low || *q == self.high);
        if has_ends {
            let ends = self.inside.split_off(start);
            for q in ends {
                if q == self.low {
                    self.at_low += 1;
                } else if q == self.high {
                    self.at_high += 1;
                } else {
                    self.inside.push(q);
                }
            }
        }
    }

    /// The squared distances of two ranks among all, the same or one after the other, where the bracket knows
    /// them.
    pub(crate) fn neighbours(&mut self, (lower, upper): (usize, usize)) -> Option<(f64, f64)> {
        let (start, end) = (self.below + self.at_low, self.below + self.at_low + self.inside.len());
        if lower >= start && upper < end {
            // Next in order is the least of those behind.
            let (_, low, behind) = self.inside.select_nth_unstable_by(lower - start, f64::total_cmp);
            let next = behind.iter().copied().fold(f64::INFINITY, f64::min);
            return Some((*low, if upper == lower { *low } else { next }));
        }
        Some((self.rank(lower)?, self.rank(upper)?))
    }

    /// The squared distance of that rank among all, where the bracket knows it.
    fn rank(&mut self, rank: usize) -> Option<f64> {
        let mut rank = rank.checked_sub(self.below)?;
        if rank < self.at_low {
            return Some(self.low);
        }
        rank -= self.at_low;
        if rank < self.inside.len() {
            return Some(*self.inside.select_nth_unstable_by(rank, f64::total_cmp).1);
        }
        (rank - self.inside.len() < self.at_high).then_some(self.high)
    }
}

/// The distance in ranks from the middle of a sample within which the median of all numbers is sought.
pub(crate) fn deviations_of_median(sampled: usize, deviations: f64) -> usize {
    (0.5 * deviations * (sampled as f64).sqrt()) as usize
}

struct Tile<'a> {
    rows: Place<'a>,
    row_count: usize,
    columns: Place<'a>,
    column_count: usize,
    /// Whether rows and columns are the same points, so that only pairs above the diagonal count.
    is_diagonal: bool,
}

impl Tile<'_> {
    /// A bit for each of eight columns from `start` on whose pair with a row counts.
    #[inline(always)]
    fn lanes_that_count(&self, row: usize, start: usize) -> u8 {
        if row >= self.row_count {
            return 0;
        }
        let first = if self.is_diagonal { row + 1 } else { 0 };
        let skipped = first.saturating_sub(start).min(LANES) as u32;
        let past = (start + LANES).saturating_sub(self.column_count).min(LANES) as u32;
        (0xff_u16 << skipped) as u8 & (0xff_u16 >> past) as u8
    }
}

/// Room for what a group of rows against a block of columns can have in the bracket, and one vector more.
const MOST_KEPT: usize = GROUP * LARGEST_TILE + LANES;

/// Numbers on their way through a tile.
struct Scratch {
    kept: Vec<f64>,
    x: Vec<[f64; GROUP]>,
}

impl Scratch {
    fn new() -> Scratch {
        Scratch { kept: vec![0.0; MOST_KEPT], x: Vec::new() }
    }
}

#[inline(always)]
fn count_tile<V: Lanes>(tile: &Tile, scratch: &mut Scratch, counted: &mut Bracketed) {
    let Scratch { kept, x } = scratch;
    let (low, high) = (V::splat(counted.low), V::splat(counted.high));
    for at in (0..tile.row_count).step_by(GROUP) {
        tile.rows.group(at, x);
        let is_whole = !tile.is_diagonal && at + GROUP <= tile.row_count;
        let whole = if is_whole { tile.column_count / LANES } else { 0 };
        let mut count = 0;
        let mut at_least = [V::splat(0.0); GROUP];
        for y in tile.columns.eights().take(whole) {
            let squares = squared_distances_of_eight::<V>(x, y);
            let mut within = [0; GROUP];
            for r in 0..GROUP {
                (at_least[r], within[r]) = squares[r].sort_out(low, high, at_least[r]);
            }
            // The bracket is narrow: most of the time there is nothing to keep.
            if within[0] | within[1] | within[2] | within[3] != 0 {
                count += keep_group(squares, within, &mut kept[count..]);
            }
        }
        let at_least: f64 = V::sums(at_least).iter().sum();
        counted.below += whole * GROUP * LANES - at_least as usize;
        // On the diagonal, columns before the row have been rows.
        let first = if tile.is_diagonal { at / LANES } else { whole };
        for (j, y) in tile.columns.eights().enumerate().skip(first) {
            let squares = squared_distances_of_eight::<V>(x, y);
            let mut within = [0; GROUP];
            for r in 0..GROUP {
                let counts = tile.lanes_that_count(at + r, j * LANES);
                let under = squares[r].below(low) & counts;
                within[r] = squares[r].at_most(high) & counts & !under;
                counted.below += under.count_ones() as usize;
            }
            count += keep_group(squares, within, &mut kept[count..]);
        }
        counted.keep(&kept[..count]);
    }
}

/// Writes the lanes of a group whose bits are set one after the other, and returns how many there are.
#[inline(always)]
fn keep_group<V: Lanes>(squares: [V; GROUP], within: [u8; GROUP], kept: &mut [f64]) -> usize {
    let mut count = 0;
    for r in 0..GROUP {
        if let Some(room) = kept[count..].first_chunk_mut() {
            count += squares[r].keep(within[r], room);
        }
    }
    count
}

/// Sorts the squared distances of a tile out.
struct CountTile<'a> {
    tile: Tile<'a>,
    scratch: &'a mut Scratch,
    counted: &'a mut Bracketed,
}

impl Vectorised for CountTile<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        count_tile::<V>(&self.tile, self.scratch, self.counted);
    }
}

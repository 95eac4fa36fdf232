//! All pairwise distances of a set of points, as far as their order is concerned.

use rayon::prelude::*;

use super::packed::{Coordinates, LARGEST_TILE, Place};
use super::pairs::{GROUP, squared_distances_of_eight};
use super::simd::{LANES, Lanes, Level, vectorised};

/// The squared distances of all pairs of different points, sorted out by a bracket: counted below it and at its ends, kept inside.
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
    /// Goes through all pairs of points (rows of the table) once.
    pub(crate) fn count(points: &Coordinates, (low, high): (f64, f64)) -> Bracketed {
        let empty = || Bracketed { low, high, below: 0, at_low: 0, inside: Vec::new(), at_high: 0 };
        let of_block = |(mut counted, mut scratch): (Bracketed, Scratch), rows: usize| {
            for columns in rows..points.blocks() {
                let here = Tile {
                    rows: points.block(rows),
                    row_count: points.rows_of(rows),
                    columns: points.block(columns),
                    column_count: points.rows_of(columns),
                    is_diagonal: rows == columns,
                };
                count_tile(Level::current(), &here, &mut scratch, &mut counted);
            }
            (counted, scratch)
        };
        let merge = |mut a: Bracketed, mut b: Bracketed| {
            a.below += b.below;
            a.at_low += b.at_low;
            a.inside.append(&mut b.inside);
            a.at_high += b.at_high;
            a
        };
        let scratch = || Scratch { kept: vec![0.0; MOST_KEPT], x: Vec::new() };
        let start = || (empty(), scratch());
        let counted = (0..points.blocks()).into_par_iter().fold(start, of_block);
        counted.map(|(counted, _)| counted).reduce(empty, merge)
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

    /// The squared distances of two ranks among all, the same or one after the other, where the bracket knows them.
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

#[inline(always)]
fn count_tile_body<V: Lanes>(tile: &Tile, scratch: &mut Scratch, counted: &mut Bracketed) {
    let Scratch { kept, x } = scratch;
    let (low, high) = (V::splat(counted.low), V::splat(counted.high));
    for at in (0..tile.row_count).step_by(GROUP) {
        tile.rows.group(at, x);
        let (mut below, mut count) = (0, 0);
        let is_whole = !tile.is_diagonal && at + GROUP <= tile.row_count;
        // On the diagonal, columns before the row have been rows.
        let first = if tile.is_diagonal { at / LANES } else { 0 };
        for (y, start) in tile.columns.eights().zip((0..).step_by(LANES)).skip(first) {
            let squares = squared_distances_of_eight::<V>(x, y);
            let all_count = is_whole && start + LANES <= tile.column_count;
            for r in 0..GROUP {
                let counts = if all_count { 0xff } else { tile.lanes_that_count(at + r, start) };
                let under = squares[r].below(low) & counts;
                let within = squares[r].at_most(high) & counts & !under;
                below += under.count_ones();
                if let Some(room) = kept.get_mut(count..count + LANES).and_then(|room| room.first_chunk_mut())
                {
                    count += squares[r].keep(within, room);
                }
            }
        }
        counted.below += below as usize;
        counted.keep(&kept[..count]);
    }
}

vectorised! {
    /// Sorts the squared distances of a tile out.
    fn count_tile(tile: &Tile, scratch: &mut Scratch, counted: &mut Bracketed) = count_tile_body
}

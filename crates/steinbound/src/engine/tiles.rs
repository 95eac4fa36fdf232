//! Passes over all pairs of points, in tiles: the kernel is evaluated and multiplied at once.
//!
//! A tile is a block of rows against a block of columns. In a pass over one set of points, tile `(I, J)` also
//! serves as `(J, I)`, so that half the pairs are evaluated. Tiles run in rounds: round `r` holds the
//! tiles with `(I + J) mod B = r`, `B` being the number of blocks. For given `r` and `I` there is one such
//! `J`, so no two tiles of a round write to the same rows: they run in parallel without locks, and every row
//! receives its sums in the order of the rounds, whatever the number of threads. Few tiles are cut into
//! shares instead, each with sums of its own. A pass of one set of points against another cuts the columns
//! into segments of fixed length, whose sums are added in order.

use std::sync::Arc;

use rayon::prelude::*;

use super::between::{Between, group_values};
use super::tile_sums::{Multiply, Plan, Scratch, Sums, Tile};
use super::{PairKernel, PairSum, ScaledPoints, Storage};
use crate::compute::packed::{Aligned, Coordinates, LARGEST_TILE, Packed, Place, tile_of};
use crate::compute::simd::Level;
use crate::compute::squares::GROUP;
use crate::interrupt::{Interrupt, Interrupted};
use crate::matrix::Matrix;

/// One set of points with its kernel values, where they are kept: memory then grows with the square of the
/// number of points. Sums of derivatives that do not follow from values are computed anew.
#[derive(Debug, Clone)]
pub(super) struct Tiles {
    pub(super) kernel: Arc<PairKernel>,
    pub(super) points: Arc<ScaledPoints>,
    /// For each block of rows `I`, the tiles `(I, J)` with `J >= I`, row by row.
    stored: Option<Vec<Vec<Aligned>>>,
}

impl Tiles {
    pub(super) fn new(
        kernel: Arc<PairKernel>,
        points: Arc<ScaledPoints>,
        storage: Storage,
        interrupt: &Interrupt,
    ) -> Result<Tiles, Interrupted> {
        let stored = match storage {
            Storage::Dense => Some(evaluated(&kernel, &points, interrupt)?),
            Storage::Tiled => None,
        };
        Ok(Tiles { kernel, points, stored })
    }

    /// The stored values of rows `rows` against columns `columns`, where there are any.
    fn stored(&self, rows: usize, columns: usize) -> Option<&[f64]> {
        self.stored.as_ref().map(|tiles| tiles[rows][columns - rows].as_slice())
    }
}

/// The bytes needed to store the kernel values of this many points.
pub(crate) fn dense_bytes(points: usize) -> u128 {
    let points = points as u128;
    8 * (points * points + points * LARGEST_TILE as u128) / 2
}

/// The kernel values of all tiles on and above the diagonal.
fn evaluated(
    kernel: &PairKernel,
    points: &ScaledPoints,
    interrupt: &Interrupt,
) -> Result<Vec<Vec<Aligned>>, Interrupted> {
    let what = Between::of(kernel, points, points);
    let points = &points.coordinates;
    let tile = |i: usize, j: usize| {
        interrupt.check()?;
        let (rows, columns) = (points.block(i), points.block(j));
        let mut tile = Aligned::zeros(rows.length * columns.length);
        evaluate(kernel, what, rows, columns, tile.as_mut_slice());
        Ok(tile)
    };
    let of_row = |i: usize| (i..points.blocks()).map(|j| tile(i, j)).collect();
    (0..points.blocks()).into_par_iter().map(of_row).collect()
}

/// One tile at work: its place, and the sums it adds to.
struct Task {
    rows: usize,
    columns: usize,
    row_sums: Sums,
    /// The sums of the column block; `None` on the diagonal, where rows and columns are the same points.
    column_sums: Option<Sums>,
}

/// A pass over one set of points.
struct Symmetric<'a> {
    source: &'a Tiles,
    columns: &'a Packed,
    plan: Plan,
    between: Between,
    interrupt: &'a Interrupt,
}

/// All terms for a set of points against itself: an `n` by `terms` matrix.
pub(super) fn symmetric(
    source: &Tiles,
    columns: &Packed,
    terms: &[(PairSum, usize)],
    interrupt: &Interrupt,
) -> Result<Matrix, Interrupted> {
    let between = Between::of(&source.kernel, &source.points, &source.points);
    let pass = Symmetric { source, columns, plan: Plan::new(terms), between, interrupt };
    let points = &source.points.coordinates;
    let is_small = points.blocks() <= FEW_BLOCKS && terms.len() <= FEW_OUTPUTS;
    let sums = if is_small { pass.in_shares() } else { pass.in_rounds() };
    // Once raised it stays so: no tile was left out of what passes here.
    interrupt.check()?;
    Ok(gather(points, sums, &pass.plan))
}

/// Up to this many blocks, waiting for the end of each round would take as long as the rounds.
const FEW_BLOCKS: usize = 16;

/// With more outputs the sums of all shares would take too much room.
const FEW_OUTPUTS: usize = 64;

/// The shares into which the tiles of few blocks are cut, whatever the number of threads.
const SHARES: usize = 8;

impl Symmetric<'_> {
    fn no_sums(&self) -> Vec<Sums> {
        let points = &self.source.points.coordinates;
        (0..points.blocks()).map(|block| Sums::new(points.length(block), self.plan.outputs)).collect()
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }

    fn run(&self, task: &mut Task, scratch: &mut Scratch) {
        if self.is_interrupted() {
            return;
        }
        let points = &self.source.points.coordinates;
        let tile = Tile {
            kernel: &self.source.kernel,
            between: self.between,
            rows: points.block(task.rows),
            columns: points.block(task.columns),
            at_rows: Some(self.columns.block(task.rows)),
            at_columns: self.columns.block(task.columns),
            plan: &self.plan,
            stored: self.source.stored(task.rows, task.columns),
        };
        let (row_sums, column_sums) = (&mut task.row_sums, task.column_sums.as_mut());
        Level::current().run(Multiply { tile, scratch, row_sums, column_sums });
    }

    /// Each round's tiles in parallel, on sums that they share.
    fn in_rounds(&self) -> Vec<Sums> {
        let mut sums = self.no_sums();
        let blocks = sums.len();
        for round in (0..blocks).take_while(|_| !self.is_interrupted()) {
            let mut tasks: Vec<Task> = (0..blocks)
                .map(|i| (i, (round + blocks - i) % blocks))
                .filter(|(i, j)| i <= j)
                .map(|(i, j)| Task::take(&mut sums, i, j))
                .collect();
            tasks.par_iter_mut().for_each_init(Scratch::new, |scratch, task| self.run(task, scratch));
            tasks.into_iter().for_each(|task| task.give_back(&mut sums));
        }
        sums
    }

    /// Each share's tiles one after the other, on sums of its own, which are then added in order.
    fn in_shares(&self) -> Vec<Sums> {
        let points = &self.source.points.coordinates;
        let blocks = points.blocks();
        let tiles: Vec<(usize, usize)> = (0..blocks).flat_map(|i| (i..blocks).map(move |j| (i, j))).collect();
        let shares: Vec<Vec<Sums>> = tiles
            .par_chunks(tiles.len().div_ceil(SHARES).max(1))
            .map(|share| {
                // Most shares write to some of the blocks only.
                let (mut sums, mut scratch) = (vec![Sums::empty(); blocks], Scratch::new());
                for (i, j) in share {
                    for block in [*i, *j] {
                        if sums[block].length == 0 {
                            sums[block] = Sums::new(points.length(block), self.plan.outputs);
                        }
                    }
                    let mut task = Task::take(&mut sums, *i, *j);
                    self.run(&mut task, &mut scratch);
                    task.give_back(&mut sums);
                }
                sums
            })
            .collect();
        let mut total = self.no_sums();
        for share in shares {
            total.iter_mut().zip(&share).for_each(|(total, sums)| total.add(sums));
        }
        total
    }
}

impl Task {
    fn take(sums: &mut [Sums], rows: usize, columns: usize) -> Task {
        let mut take = |block: usize| std::mem::replace(&mut sums[block], Sums::empty());
        let row_sums = take(rows);
        Task { rows, columns, row_sums, column_sums: (rows < columns).then(|| take(columns)) }
    }

    fn give_back(self, sums: &mut [Sums]) {
        sums[self.rows] = self.row_sums;
        if let Some(column_sums) = self.column_sums {
            sums[self.columns] = column_sums;
        }
    }
}

/// Blocks of columns whose sums are added up together before they are added to those of other segments.
const SEGMENT: usize = 64;

/// All terms for row points against other column points: a `rows` by `terms` matrix.
pub(super) fn cross(
    kernel: &PairKernel,
    rows: &ScaledPoints,
    others: &ScaledPoints,
    columns: &Packed,
    terms: &[(PairSum, usize)],
    interrupt: &Interrupt,
) -> Result<Matrix, Interrupted> {
    let plan = Plan::new(terms);
    let between = Between::of(kernel, rows, others);
    let (rows, others) = (&rows.coordinates, &others.coordinates);
    let segments = others.blocks().div_ceil(SEGMENT).max(1);
    let parts: Vec<Sums> = (0..rows.blocks() * segments)
        .into_par_iter()
        .map_init(Scratch::new, |scratch, task| {
            let (block, segment) = (task / segments, task % segments);
            let mut sums = Sums::new(rows.length(block), plan.outputs);
            let here = SEGMENT * segment..(SEGMENT * (segment + 1)).min(others.blocks());
            for other in here.take_while(|_| !interrupt.is_raised()) {
                let tile = Tile {
                    kernel,
                    between,
                    rows: rows.block(block),
                    columns: others.block(other),
                    at_rows: None,
                    at_columns: columns.block(other),
                    plan: &plan,
                    stored: None,
                };
                let row_sums = &mut sums;
                Level::current().run(Multiply { tile, scratch, row_sums, column_sums: None });
            }
            sums
        })
        .collect();
    interrupt.check()?;
    let mut total: Vec<Sums> = Vec::with_capacity(rows.blocks());
    for (task, part) in parts.into_iter().enumerate() {
        match total.get_mut(task / segments) {
            Some(sums) => sums.add(&part),
            None => total.push(part),
        }
    }
    Ok(gather(rows, total, &plan))
}

/// The kernel values of a tile, row by row.
fn evaluate(kernel: &PairKernel, what: Between, rows: Place, columns: Place, values: &mut [f64]) {
    let mut x = Vec::new();
    for (at, group) in (0..).step_by(GROUP).zip(values.chunks_exact_mut(GROUP * columns.length)) {
        rows.group(at, &mut x);
        group_values(kernel, &x, columns, what, group);
    }
}

fn gather(points: &Coordinates, sums: Vec<Sums>, plan: &Plan) -> Matrix {
    let mut matrix = Matrix::zeros(points.rows(), plan.outputs);
    for (block, mut sums) in sums.into_iter().enumerate() {
        let (start, rows) = (block * tile_of(points.rows()), points.rows_of(block));
        for output in 0..plan.outputs {
            matrix.column_mut(output)[start..start + rows].copy_from_slice(&sums.output(output)[..rows]);
        }
    }
    matrix
}

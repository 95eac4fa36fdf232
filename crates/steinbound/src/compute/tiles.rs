//! Passes over all pairs of points, in tiles: the kernel is evaluated and multiplied at once.
//!
//! A tile is a block of rows against a block of columns. In a pass over one set of points, tile `(I, J)` also
//! serves as `(J, I)`, so that half the pairs are evaluated. Tiles run in rounds: round `r` holds the
//! tiles with `(I + J) mod B = r`, `B` being the number of blocks. For given `r` and `I` there is one such `J`, so no
//! two tiles of a round write to the same rows: they run in parallel without locks, and every row
//! receives its sums in the order of the rounds, whatever the number of threads.

use std::ops::Range;

use rayon::prelude::*;

use super::dot;
use super::pairs::{PairKernel, PairSum, Place, Row, Scaled, Scratch, TILE, blocks};
use crate::matrix::{Matrix, add_scaled};

/// Where the tiles of a pass over one set of points come from: computed each time, or stored.
pub(crate) trait TileSource: Send + Sync {
    /// The points and the kernel.
    fn pair_kernel(&self) -> &PairKernel;
    /// The points in the kernel's units.
    fn points(&self) -> &Scaled;
    /// The stored values of rows `rows` against columns `columns`, where there are any.
    fn stored(&self, rows: usize, columns: usize) -> Option<&StoredTile>;
}

/// Tiles computed anew in each pass: memory grows with the number of points.
#[derive(Debug, Clone)]
pub(crate) struct Computed {
    pub(crate) kernel: PairKernel,
    pub(crate) points: Scaled,
}

impl TileSource for Computed {
    fn pair_kernel(&self) -> &PairKernel {
        &self.kernel
    }
    fn points(&self) -> &Scaled {
        &self.points
    }
    fn stored(&self, _: usize, _: usize) -> Option<&StoredTile> {
        None
    }
}

/// Tiles computed once and kept: memory grows with the square of the number of points.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    computed: Computed,
    /// For each block of rows `I`, the tiles `(I, J)` with `J >= I`.
    tiles: Vec<Vec<StoredTile>>,
}

/// The kernel values of a tile, row by row.
#[derive(Debug, Clone)]
pub(crate) struct StoredTile {
    value: Vec<f64>,
    slope: Vec<f64>,
    mixed: Vec<f64>,
}

impl Stored {
    pub(crate) fn new(computed: Computed) -> Stored {
        let blocks = blocks(computed.points.len());
        let tiles = (0..blocks.len())
            .into_par_iter()
            .map(|i| {
                let mut scratch = Scratch::new();
                let tile = |j: usize| computed.tile(blocks[i].clone(), &blocks[j], &mut scratch);
                (i..blocks.len()).map(tile).collect()
            })
            .collect();
        Stored { computed, tiles }
    }

    /// The bytes needed to store the tiles of so many points.
    pub(crate) fn bytes(points: usize) -> u128 {
        let points = points as u128;
        3 * 8 * (points * points + points * TILE as u128) / 2
    }
}

impl TileSource for Stored {
    fn pair_kernel(&self) -> &PairKernel {
        &self.computed.kernel
    }
    fn points(&self) -> &Scaled {
        &self.computed.points
    }
    fn stored(&self, rows: usize, columns: usize) -> Option<&StoredTile> {
        Some(&self.tiles[rows][columns - rows])
    }
}

impl Computed {
    fn tile(&self, rows: Range<usize>, columns: &Range<usize>, scratch: &mut Scratch) -> StoredTile {
        let length = columns.len();
        let size = rows.len() * length;
        let mut tile = StoredTile {
            value: Vec::with_capacity(size),
            slope: Vec::with_capacity(size),
            mixed: Vec::with_capacity(size),
        };
        for i in rows {
            let place = Place { rows: &self.points, i, columns: &self.points, range: columns.clone() };
            self.kernel.fill(&place, scratch);
            let row = scratch.row(length);
            tile.value.extend_from_slice(row.value);
            tile.slope.extend_from_slice(row.slope);
            tile.mixed.extend_from_slice(row.mixed);
        }
        tile
    }
}

/// The terms of a pass, grouped by what they need from the kernel: (column, output) pairs.
struct Plan {
    value: Vec<(usize, usize)>,
    slope: Vec<(usize, Vec<(usize, usize)>)>,
    mixed: Vec<(usize, usize)>,
    outputs: usize,
}

impl Plan {
    fn new(terms: &[(PairSum, usize)]) -> Plan {
        let mut plan = Plan { value: Vec::new(), slope: Vec::new(), mixed: Vec::new(), outputs: terms.len() };
        for (output, (operator, column)) in terms.iter().enumerate() {
            match operator {
                PairSum::Value => plan.value.push((*column, output)),
                PairSum::Mixed => plan.mixed.push((*column, output)),
                PairSum::Slope(l) => match plan.slope.iter_mut().find(|(other, _)| other == l) {
                    Some((_, list)) => list.push((*column, output)),
                    None => plan.slope.push((*l, vec![(*column, output)])),
                },
            }
        }
        plan
    }
}

/// Sums that belong to one block of points, output by output.
#[derive(Debug, Clone, Default)]
struct Sums {
    length: usize,
    values: Vec<f64>,
}

impl Sums {
    fn new(length: usize, outputs: usize) -> Sums {
        Sums { length, values: vec![0.0; length * outputs] }
    }

    fn output(&mut self, output: usize) -> &mut [f64] {
        &mut self.values[output * self.length..(output + 1) * self.length]
    }
}

/// One tile at work: its place, and the sums it adds to.
struct Task {
    rows: usize,
    columns: usize,
    row_sums: Sums,
    /// The sums of the column block; `None` on the diagonal, where rows and columns are the same points.
    column_sums: Option<Sums>,
}

/// All terms for a set of points against itself: an `n` by `terms` matrix.
pub(crate) fn symmetric(source: &dyn TileSource, columns: &Matrix, terms: &[(PairSum, usize)]) -> Matrix {
    let (kernel, points) = (source.pair_kernel(), source.points());
    let plan = Plan::new(terms);
    let blocks = blocks(points.len());
    let mut sums: Vec<Sums> = blocks.iter().map(|block| Sums::new(block.len(), plan.outputs)).collect();
    for round in 0..blocks.len() {
        let mut tasks: Vec<Task> = (0..blocks.len())
            .filter_map(|i| {
                let j = (round + blocks.len() - i) % blocks.len();
                (i <= j).then(|| Task {
                    rows: i,
                    columns: j,
                    row_sums: std::mem::take(&mut sums[i]),
                    column_sums: (i < j).then(|| std::mem::take(&mut sums[j])),
                })
            })
            .collect();
        tasks.par_iter_mut().for_each_init(Scratch::new, |scratch, task| {
            let (rows, range) = (blocks[task.rows].clone(), blocks[task.columns].clone());
            let stored = source.stored(task.rows, task.columns);
            for (at, i) in rows.enumerate() {
                let place = Place { rows: points, i, columns: points, range: range.clone() };
                if stored.is_none() {
                    kernel.fill(&place, scratch);
                }
                let mut derivative = std::mem::take(&mut scratch.derivative);
                let row = match stored {
                    Some(tile) => tile.row(at, range.len()),
                    None => scratch.row(range.len()),
                };
                let line = Line { kernel, place, at, row };
                line.multiply(&plan, columns, &mut task.row_sums, task.column_sums.as_mut(), &mut derivative);
                scratch.derivative = derivative;
            }
        });
        for task in tasks {
            sums[task.rows] = task.row_sums;
            if let Some(column_sums) = task.column_sums {
                sums[task.columns] = column_sums;
            }
        }
    }
    gather(&blocks, sums, points.len(), plan.outputs)
}

/// All terms for row points against other column points: a `rows` by `terms` matrix.
pub(crate) fn cross(
    kernel: &PairKernel,
    rows: &Scaled,
    others: &Scaled,
    columns: &Matrix,
    terms: &[(PairSum, usize)],
) -> Matrix {
    let plan = Plan::new(terms);
    let row_blocks = blocks(rows.len());
    let column_blocks = blocks(others.len());
    let sums: Vec<Sums> = row_blocks
        .par_iter()
        .map_init(Scratch::new, |scratch, block| {
            let mut sums = Sums::new(block.len(), plan.outputs);
            for range in &column_blocks {
                for (at, i) in block.clone().enumerate() {
                    let place = Place { rows, i, columns: others, range: range.clone() };
                    kernel.fill(&place, scratch);
                    let mut derivative = std::mem::take(&mut scratch.derivative);
                    let line = Line { kernel, place, at, row: scratch.row(range.len()) };
                    line.multiply(&plan, columns, &mut sums, None, &mut derivative);
                    scratch.derivative = derivative;
                }
            }
            sums
        })
        .collect();
    gather(&row_blocks, sums, rows.len(), plan.outputs)
}

impl StoredTile {
    fn row(&self, at: usize, length: usize) -> Row<'_> {
        let range = at * length..(at + 1) * length;
        Row {
            value: &self.value[range.clone()],
            slope: &self.slope[range.clone()],
            mixed: &self.mixed[range],
        }
    }
}

/// One row of a tile, ready to be multiplied.
struct Line<'a> {
    kernel: &'a PairKernel,
    place: Place<'a>,
    /// The row's number within its block.
    at: usize,
    row: Row<'a>,
}

impl Line<'_> {
    /// Adds this row of the tile to the sums of its rows, and transposed to those of its columns.
    fn multiply(
        &self,
        plan: &Plan,
        columns: &Matrix,
        row_sums: &mut Sums,
        mut column_sums: Option<&mut Sums>,
        derivative: &mut [f64],
    ) {
        let Place { i, range, .. } = &self.place;
        let mut add = |line: &[f64], list: &[(usize, usize)], sign: f64| {
            for (column, output) in list {
                let v = columns.column(*column);
                row_sums.output(*output)[self.at] += dot(line, &v[range.clone()]);
                if let Some(sums) = column_sums.as_deref_mut() {
                    add_scaled(sums.output(*output), sign * v[*i], line);
                }
            }
        };
        add(self.row.value, &plan.value, 1.0);
        add(self.row.mixed, &plan.mixed, 1.0);
        for (l, list) in &plan.slope {
            let line = &mut derivative[..range.len()];
            self.kernel.slopes(&self.place, *l, self.row.slope, line);
            // The slope of a radial kernel changes sign when its arguments are exchanged.
            add(line, list, -1.0);
        }
    }
}

fn gather(blocks: &[Range<usize>], sums: Vec<Sums>, rows: usize, outputs: usize) -> Matrix {
    let mut matrix = Matrix::zeros(rows, outputs);
    for (block, mut sums) in blocks.iter().zip(sums) {
        for output in 0..outputs {
            matrix.column_mut(output)[block.clone()].copy_from_slice(sums.output(output));
        }
    }
    matrix
}

//! Passes over all pairs of points, in tiles: the kernel is evaluated and multiplied at once.
//!
//! A tile is a block of rows against a block of columns. In a pass over one set of points, tile `(I, J)` also
//! serves as `(J, I)`, so that half the pairs are evaluated. Tiles run in rounds: round `r` holds the
//! tiles with `(I + J) mod B = r`, `B` being the number of blocks. For given `r` and `I` there is one such `J`, so no
//! two tiles of a round write to the same rows: they run in parallel without locks, and every row
//! receives its sums in the order of the rounds, whatever the number of threads. Few tiles are cut into shares instead, each
//! with sums of its own. A pass of one set of points against another cuts the columns into segments of
//! fixed length, whose sums are added in order.

use rayon::prelude::*;

use super::packed::{Aligned, Block, Coordinates, LARGEST_TILE, Packed, Place, tile_of};
use super::pairs::{Between, GROUP, PairKernel, PairSum, Scaled, between_body};
use super::simd::{LANES, Lanes, Level, vectorised};
use crate::matrix::Matrix;

/// Where the tiles of a pass over one set of points come from: computed each time, or stored.
pub(crate) trait TileSource: Send + Sync {
    /// The kernel.
    fn pair_kernel(&self) -> &PairKernel;
    /// The points in the kernel's units.
    fn points(&self) -> &Scaled;
    /// The stored values of rows `rows` against columns `columns`, where there are any.
    fn stored(&self, rows: usize, columns: usize) -> Option<&[f64]>;
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
    fn stored(&self, _: usize, _: usize) -> Option<&[f64]> {
        None
    }
}

/// Kernel values computed once and kept: memory grows with the square of the number of points. Sums of derivatives that do not follow from
/// values are computed anew.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    computed: Computed,
    /// For each block of rows `I`, the tiles `(I, J)` with `J >= I`, row by row.
    tiles: Vec<Vec<Aligned>>,
}

impl Stored {
    pub(crate) fn new(computed: Computed) -> Stored {
        let points = &computed.points.coordinates;
        let what = computed.kernel.between(&computed.points, &computed.points);
        let tile = |i: usize, j: usize| {
            let (rows, columns) = (points.block(i), points.block(j));
            let mut tile = Aligned::zeros(rows.length * columns.length);
            if !computed.kernel.interrupt.is_raised() {
                evaluate(&computed.kernel, what, rows, columns, tile.as_mut_slice());
            }
            tile
        };
        let of_row = |i: usize| (i..points.blocks()).map(|j| tile(i, j)).collect();
        let tiles = (0..points.blocks()).into_par_iter().map(of_row).collect();
        Stored { computed, tiles }
    }

    /// The bytes needed to store the tiles of so many points.
    pub(crate) fn bytes(points: usize) -> u128 {
        let points = points as u128;
        8 * (points * points + points * LARGEST_TILE as u128) / 2
    }
}

impl TileSource for Stored {
    fn pair_kernel(&self) -> &PairKernel {
        &self.computed.kernel
    }
    fn points(&self) -> &Scaled {
        &self.computed.points
    }
    fn stored(&self, rows: usize, columns: usize) -> Option<&[f64]> {
        Some(self.tiles[rows][columns - rows].as_slice())
    }
}

/// The terms of a pass, grouped by what they need from the kernel: (column, output) pairs.
struct Plan {
    value: Vec<(usize, usize)>,
    slope: Vec<(usize, Vec<(usize, usize)>)>,
    mixed: Vec<(usize, usize)>,
    /// Values, but tiles on one side of the diagonal count twice and those on the other not at all.
    gram: Vec<(usize, usize)>,
    outputs: usize,
}

impl Plan {
    fn new(terms: &[(PairSum, usize)]) -> Plan {
        let [value, mixed, gram] = std::array::from_fn(|_| Vec::new());
        let mut plan = Plan { value, slope: Vec::new(), mixed, gram, outputs: terms.len() };
        for (output, (operator, column)) in terms.iter().enumerate() {
            match operator {
                PairSum::Value => plan.value.push((*column, output)),
                PairSum::Gram => plan.gram.push((*column, output)),
                PairSum::Mixed | PairSum::Energy => plan.mixed.push((*column, output)),
                PairSum::Slope(l) => match plan.slope.iter_mut().find(|(other, _)| other == l) {
                    Some((_, list)) => list.push((*column, output)),
                    None => plan.slope.push((*l, vec![(*column, output)])),
                },
            }
        }
        plan
    }

    fn needs_derivatives(&self) -> bool {
        !(self.slope.is_empty() && self.mixed.is_empty())
    }
}

/// The numbers of some rows on their way through a tile.
struct Scratch {
    q: Aligned,
    value: Aligned,
    first: Aligned,
    second: Aligned,
    line: Aligned,
    /// The coordinates of the group.
    x: Vec<[f64; GROUP]>,
}

impl Scratch {
    fn new() -> Scratch {
        let room = |rows: usize| Aligned::zeros(rows * LARGEST_TILE);
        let [q, first, second, line] = std::array::from_fn(|_| room(GROUP));
        Scratch { q, value: room(TOGETHER), first, second, line, x: Vec::new() }
    }
}

/// Sums that belong to one block of points, output by output, padded like the block.
#[derive(Debug, Clone)]
struct Sums {
    length: usize,
    values: Aligned,
}

impl Sums {
    fn new(length: usize, outputs: usize) -> Sums {
        Sums { length, values: Aligned::zeros(length * outputs) }
    }

    fn empty() -> Sums {
        Sums { length: 0, values: Aligned::empty() }
    }

    fn output(&mut self, output: usize) -> &mut [f64] {
        let range = output * self.length..(output + 1) * self.length;
        &mut self.values.as_mut_slice()[range]
    }

    fn add(&mut self, other: &Sums) {
        let both = self.values.as_mut_slice().iter_mut().zip(other.values.as_slice());
        both.for_each(|(sum, more)| *sum += more);
    }
}

/// A block of rows against a block of columns.
struct Tile<'a> {
    kernel: &'a PairKernel,
    between: Between,
    rows: Place<'a>,
    columns: Place<'a>,
    /// The columns to multiply by, at the rows and at the columns of the tile.
    at_rows: Option<Block<'a>>,
    at_columns: Block<'a>,
    plan: &'a Plan,
    stored: Option<&'a [f64]>,
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
    source: &'a dyn TileSource,
    columns: &'a Packed,
    plan: Plan,
    between: Between,
}

/// All terms for a set of points against itself: an `n` by `terms` matrix.
pub(crate) fn symmetric(source: &dyn TileSource, columns: &Packed, terms: &[(PairSum, usize)]) -> Matrix {
    let between = source.pair_kernel().between(source.points(), source.points());
    let pass = Symmetric { source, columns, plan: Plan::new(terms), between };
    let points = &source.points().coordinates;
    let is_small = points.blocks() <= FEW_BLOCKS && terms.len() <= FEW_OUTPUTS;
    let sums = if is_small { pass.in_shares() } else { pass.in_rounds() };
    gather(points, sums, &pass.plan)
}

/// Up to this many blocks, waiting for the end of each round would take as long as the rounds.
const FEW_BLOCKS: usize = 16;

/// With more outputs the sums of all shares would take too much room.
const FEW_OUTPUTS: usize = 64;

/// The shares into which the tiles of few blocks are cut, whatever the number of threads.
const SHARES: usize = 8;

impl Symmetric<'_> {
    fn no_sums(&self) -> Vec<Sums> {
        let points = &self.source.points().coordinates;
        (0..points.blocks()).map(|block| Sums::new(points.length(block), self.plan.outputs)).collect()
    }

    fn is_interrupted(&self) -> bool {
        self.source.pair_kernel().interrupt.is_raised()
    }

    fn run(&self, task: &mut Task, scratch: &mut Scratch) {
        if self.is_interrupted() {
            return;
        }
        let points = &self.source.points().coordinates;
        let tile = Tile {
            kernel: self.source.pair_kernel(),
            between: self.between,
            rows: points.block(task.rows),
            columns: points.block(task.columns),
            at_rows: Some(self.columns.block(task.rows)),
            at_columns: self.columns.block(task.columns),
            plan: &self.plan,
            stored: self.source.stored(task.rows, task.columns),
        };
        multiply(Level::current(), &tile, scratch, &mut task.row_sums, task.column_sums.as_mut());
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
        let points = &self.source.points().coordinates;
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
pub(crate) fn cross(
    kernel: &PairKernel,
    rows: &Scaled,
    others: &Scaled,
    columns: &Packed,
    terms: &[(PairSum, usize)],
) -> Matrix {
    let plan = Plan::new(terms);
    let between = kernel.between(rows, others);
    let (rows, others) = (&rows.coordinates, &others.coordinates);
    let segments = others.blocks().div_ceil(SEGMENT).max(1);
    let parts: Vec<Sums> = (0..rows.blocks() * segments)
        .into_par_iter()
        .map_init(Scratch::new, |scratch, task| {
            let (block, segment) = (task / segments, task % segments);
            let mut sums = Sums::new(rows.length(block), plan.outputs);
            let here = SEGMENT * segment..(SEGMENT * (segment + 1)).min(others.blocks());
            for other in here.take_while(|_| !kernel.interrupt.is_raised()) {
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
                multiply(Level::current(), &tile, scratch, &mut sums, None);
            }
            sums
        })
        .collect();
    let mut total: Vec<Sums> = Vec::with_capacity(rows.blocks());
    for (task, part) in parts.into_iter().enumerate() {
        match total.get_mut(task / segments) {
            Some(sums) => sums.add(&part),
            None => total.push(part),
        }
    }
    gather(rows, total, &plan)
}

/// The kernel values of a tile, row by row.
fn evaluate(kernel: &PairKernel, what: Between, rows: Place, columns: Place, values: &mut [f64]) {
    let mut x = Vec::new();
    for (at, group) in (0..).step_by(GROUP).zip(values.chunks_exact_mut(GROUP * columns.length)) {
        rows.group(at, &mut x);
        kernel.group_values(&x, columns, what, group);
    }
}

/// Rows that are multiplied together: a column and its sums pass through the cache once for all of them.
const TOGETHER: usize = 2 * GROUP;

#[inline(always)]
fn multiply_body<V: Lanes>(
    tile: &Tile,
    scratch: &mut Scratch,
    row_sums: &mut Sums,
    column_sums: Option<&mut Sums>,
) {
    if tile.plan.needs_derivatives() {
        multiply_derivatives::<V>(tile, scratch, row_sums, column_sums);
    } else {
        multiply_values::<V>(tile, scratch, row_sums, column_sums);
    }
}

#[inline(always)]
fn multiply_values<V: Lanes>(
    tile: &Tile,
    scratch: &mut Scratch,
    row_sums: &mut Sums,
    mut column_sums: Option<&mut Sums>,
) {
    let Tile { kernel, rows, columns, plan, .. } = tile;
    let size = TOGETHER * columns.length;
    for at in (0..rows.length).step_by(TOGETHER) {
        let values = match tile.stored {
            Some(stored) => &stored[at * columns.length..][..size],
            None => {
                let values = &mut scratch.value.as_mut_slice()[..size];
                let groups = values.chunks_exact_mut(GROUP * columns.length);
                for (at, group) in (at..).step_by(GROUP).zip(groups) {
                    rows.group(at, &mut scratch.x);
                    between_body::<V>(&scratch.x, *columns, tile.between, group);
                }
                if tile.between == Between::Distance {
                    kernel.kernel.value_row(values);
                }
                values
            }
        };
        for term in &plan.value {
            accumulate::<V, TOGETHER>(tile, at, values, *term, EVEN, row_sums, column_sums.as_deref_mut());
        }
        let twice = [if column_sums.is_some() { 2.0 } else { 1.0 }, 0.0];
        for term in &plan.gram {
            accumulate::<V, TOGETHER>(tile, at, values, *term, twice, row_sums, None);
        }
    }
}

#[inline(always)]
fn multiply_derivatives<V: Lanes>(
    tile: &Tile,
    scratch: &mut Scratch,
    row_sums: &mut Sums,
    mut column_sums: Option<&mut Sums>,
) {
    let Tile { kernel, rows, columns, plan, .. } = tile;
    let size = GROUP * columns.length;
    let q = &mut scratch.q.as_mut_slice()[..size];
    let value = &mut scratch.value.as_mut_slice()[..size];
    let first = &mut scratch.first.as_mut_slice()[..size];
    let second = &mut scratch.second.as_mut_slice()[..size];
    let line = &mut scratch.line.as_mut_slice()[..size];
    let x = &mut scratch.x;
    for at in (0..rows.length).step_by(GROUP) {
        rows.group(at, x);
        between_body::<V>(x, *columns, Between::Distance, q);
        kernel.kernel.profile_row(q, value, first, second);
        for term in plan.value.iter().chain(&plan.gram) {
            accumulate::<V, GROUP>(tile, at, value, *term, EVEN, row_sums, column_sums.as_deref_mut());
        }
        for (l, list) in &plan.slope {
            slopes::<V>(tile, x, *l, first, line);
            for term in list {
                // The slope of a radial kernel changes sign when its arguments are exchanged.
                accumulate::<V, GROUP>(tile, at, line, *term, ODD, row_sums, column_sums.as_deref_mut());
            }
        }
        if !plan.mixed.is_empty() {
            mixed::<V>(tile, x, first, second, line);
            for term in &plan.mixed {
                accumulate::<V, GROUP>(tile, at, line, *term, EVEN, row_sums, column_sums.as_deref_mut());
            }
        }
    }
}

vectorised! {
    /// Adds the terms of a tile to the sums of its rows, and transposed to those of its columns.
    fn multiply(tile: &Tile, scratch: &mut Scratch, row_sums: &mut Sums, column_sums: Option<&mut Sums>) = multiply_body
}

/// `d/dy_l k = 2 f' (y_l - x_l) / s_l` in scaled coordinates, for a group of rows.
#[inline(always)]
fn slopes<V: Lanes>(tile: &Tile, x: &[[f64; GROUP]], l: usize, first: &[f64], line: &mut [f64]) {
    let coordinate = tile.kernel.differentiated[l];
    let factor = V::splat(2.0 / tile.kernel.widths[coordinate]);
    let (first, _) = first.as_chunks::<LANES>();
    let (line, _) = line.as_chunks_mut::<LANES>();
    let stride = tile.columns.length / LANES;
    for ((x, first), line) in x[coordinate].iter().zip(first.chunks(stride)).zip(line.chunks_mut(stride)) {
        let x = V::splat(*x);
        for ((y, first), line) in tile.columns.eights().zip(first).zip(line) {
            let difference = V::load(&y[coordinate]).sub(x).mul(factor);
            V::load(first).mul(difference).store(line);
        }
    }
}

/// `sum_l d/dx_l d/dy_l k = sum_l (-2 f' - 4 f'' (x_l - y_l)^2) / s_l^2` in scaled coordinates, for a group of rows.
#[inline(always)]
fn mixed<V: Lanes>(tile: &Tile, x: &[[f64; GROUP]], first: &[f64], second: &[f64], line: &mut [f64]) {
    let kernel = tile.kernel;
    let constant = V::splat(-2.0 * kernel.inverse_square_widths());
    let stride = tile.columns.length / LANES;
    let (first, _) = first.as_chunks::<LANES>();
    let (second, _) = second.as_chunks::<LANES>();
    let (line, _) = line.as_chunks_mut::<LANES>();
    for (j, y) in tile.columns.eights().enumerate() {
        let mut sums = [V::splat(0.0); GROUP];
        for l in &kernel.differentiated {
            let (x, y) = (&x[*l], V::load(&y[*l]));
            let factor = V::splat(-4.0 * kernel.widths[*l].powi(-2));
            for r in 0..GROUP {
                let difference = V::splat(x[r]).sub(y);
                sums[r] = difference.mul(factor).mul_add(difference, sums[r]);
            }
        }
        for r in 0..GROUP {
            let place = r * stride + j;
            let rest = V::load(&second[place]).mul(sums[r]);
            V::load(&first[place]).mul_add(constant, rest).store(&mut line[place]);
        }
    }
}

/// The factors of sums along rows and along columns, for a kernel that stays as it is when its arguments are exchanged, and one that changes its sign.
const EVEN: [f64; 2] = [1.0, 1.0];
const ODD: [f64; 2] = [1.0, -1.0];

/// Multiplies `ROWS` rows of a tile by a column: sums along the rows and transposed sums along the columns, each with its factor.
#[inline(always)]
fn accumulate<V: Lanes, const ROWS: usize>(
    tile: &Tile,
    at: usize,
    values: &[f64],
    (column, output): (usize, usize),
    [along_rows, along_columns]: [f64; 2],
    row_sums: &mut Sums,
    column_sums: Option<&mut Sums>,
) {
    let stride = tile.columns.length / LANES;
    let (values, _) = values.as_chunks::<LANES>();
    let mut lines: [&[[f64; LANES]]; ROWS] = [&[]; ROWS];
    for r in 0..ROWS {
        lines[r] = &values[r * stride..][..stride];
    }
    let v = &tile.at_columns.column(column).as_chunks::<LANES>().0[..stride];
    let mut along = [V::splat(0.0); ROWS];
    match (column_sums, tile.at_rows) {
        (Some(sums), Some(at_rows)) => {
            let own = &at_rows.column(column)[at..at + ROWS];
            let mut weights = [V::splat(0.0); ROWS];
            for r in 0..ROWS {
                weights[r] = V::splat(along_columns * own[r]);
            }
            let totals = &mut sums.output(output).as_chunks_mut::<LANES>().0[..stride];
            for j in 0..stride {
                let v = V::load(&v[j]);
                let mut total = V::load(&totals[j]);
                for r in 0..ROWS {
                    let value = V::load(&lines[r][j]);
                    along[r] = value.mul_add(v, along[r]);
                    total = value.mul_add(weights[r], total);
                }
                total.store(&mut totals[j]);
            }
        }
        _ => {
            for j in 0..stride {
                let v = V::load(&v[j]);
                for r in 0..ROWS {
                    along[r] = V::load(&lines[r][j]).mul_add(v, along[r]);
                }
            }
        }
    }
    let rows = &mut row_sums.output(output)[at..at + ROWS];
    for (rows, along) in rows.as_chunks_mut::<4>().0.iter_mut().zip(along.as_chunks::<4>().0) {
        let sums = V::sums(*along);
        rows.iter_mut().zip(sums).for_each(|(row, sum)| *row += along_rows * sum);
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

//! What is done in one tile: the kernel of a block of rows against a block of columns, evaluated and
//! multiplied at once.

use super::between::{Between, between};
use super::{PairKernel, PairSum};
use crate::compute::packed::{Aligned, Block, LARGEST_TILE, Place};
use crate::compute::simd::{LANES, Lanes, Vectorised};
use crate::compute::squares::GROUP;

/// The terms of a pass, grouped by what they need from the kernel: (column, output) pairs.
pub(super) struct Plan {
    value: Vec<(usize, usize)>,
    slope: Vec<(usize, Vec<(usize, usize)>)>,
    mixed: Vec<(usize, usize)>,
    /// Values, but tiles on one side of the diagonal count twice and those on the other not at all.
    gram: Vec<(usize, usize)>,
    pub(super) outputs: usize,
}

impl Plan {
    pub(super) fn new(terms: &[(PairSum, usize)]) -> Plan {
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
pub(super) struct Scratch {
    q: Aligned,
    value: Aligned,
    first: Aligned,
    second: Aligned,
    line: Aligned,
    /// The coordinates of the group.
    x: Vec<[f64; GROUP]>,
}

impl Scratch {
    pub(super) fn new() -> Scratch {
        let room = |rows: usize| Aligned::zeros(rows * LARGEST_TILE);
        let [q, first, second, line] = std::array::from_fn(|_| room(GROUP));
        Scratch { q, value: room(TOGETHER), first, second, line, x: Vec::new() }
    }
}

/// Sums that belong to one block of points, output by output, padded like the block.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    pub(super) length: usize,
    values: Aligned,
}

impl Sums {
    pub(super) fn new(length: usize, outputs: usize) -> Sums {
        Sums { length, values: Aligned::zeros(length * outputs) }
    }

    pub(super) fn empty() -> Sums {
        Sums { length: 0, values: Aligned::empty() }
    }

    pub(super) fn output(&mut self, output: usize) -> &mut [f64] {
        let range = output * self.length..(output + 1) * self.length;
        &mut self.values.as_mut_slice()[range]
    }

    pub(super) fn add(&mut self, other: &Sums) {
        let both = self.values.as_mut_slice().iter_mut().zip(other.values.as_slice());
        both.for_each(|(sum, more)| *sum += more);
    }
}

/// A block of rows against a block of columns.
pub(super) struct Tile<'a> {
    pub(super) kernel: &'a PairKernel,
    pub(super) between: Between,
    pub(super) rows: Place<'a>,
    pub(super) columns: Place<'a>,
    /// The columns to multiply by, at the rows and at the columns of the tile.
    pub(super) at_rows: Option<Block<'a>>,
    pub(super) at_columns: Block<'a>,
    pub(super) plan: &'a Plan,
    pub(super) stored: Option<&'a [f64]>,
}

/// Rows that are multiplied together: a column and its sums pass through the cache once for all of them.
const TOGETHER: usize = 2 * GROUP;

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
                    between::<V>(&scratch.x, *columns, tile.between, group);
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
        between::<V>(x, *columns, Between::Distance, q);
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

/// Adds the terms of a tile to the sums of its rows, and transposed to those of its columns.
pub(super) struct Multiply<'a> {
    pub(super) tile: Tile<'a>,
    pub(super) scratch: &'a mut Scratch,
    pub(super) row_sums: &'a mut Sums,
    pub(super) column_sums: Option<&'a mut Sums>,
}

impl Vectorised for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Multiply { tile, scratch, row_sums, column_sums } = self;
        if tile.plan.needs_derivatives() {
            multiply_derivatives::<V>(&tile, scratch, row_sums, column_sums);
        } else {
            multiply_values::<V>(&tile, scratch, row_sums, column_sums);
        }
    }
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

/// `sum_l d/dx_l d/dy_l k = sum_l (-2 f' - 4 f'' (x_l - y_l)^2) / s_l^2` in scaled coordinates, for a group
/// of rows.
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

/// The factors of sums along rows and along columns, for a kernel that stays as it is when its arguments are
/// exchanged, and one that changes its sign.
const EVEN: [f64; 2] = [1.0, 1.0];
const ODD: [f64; 2] = [1.0, -1.0];

/// Multiplies `ROWS` rows of a tile by a column: sums along the rows and transposed sums along the columns,
/// each with its factor.
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

//! The kernel at pairs of points, a group of rows against a block of others at a time.

use std::ops::Range;

use rayon::prelude::*;

use super::{PairKernel, ScaledPoints, ValuesAndSlopes};
use crate::compute::packed::{Place, tile_of};
use crate::compute::simd::{LANES, Lanes, Level, NEGLIGIBLE_EXPONENT, Vectorised, exp, exp_within};
use crate::compute::squares::{GROUP, squared_distances_of_eight};
use crate::interrupt::{Interrupt, Interrupted};
use crate::matrix::Matrix;

/// The kernel of some row points against all others as a matrix: one column `k(x_i, y_j)` for each row point.
pub(super) fn values(
    kernel: &PairKernel,
    rows: &ScaledPoints,
    range: Range<usize>,
    others: &ScaledPoints,
    interrupt: &Interrupt,
) -> Result<Matrix, Interrupted> {
    written_out(rows, range, others, interrupt, |x, columns, out| {
        // Exact for points that coincide, as factors of the boundary's kernel need it.
        let what = kernel.kernel.log_slope().map_or(Between::Distance, Between::Exponential);
        group_values(kernel, x, columns, what, out);
    })
}

/// [`values`], and for each differentiated coordinate a matrix of `d/dx_l k(x_i, y_j)`.
pub(super) fn values_and_slopes(
    kernel: &PairKernel,
    rows: &ScaledPoints,
    range: Range<usize>,
    others: &ScaledPoints,
    interrupt: &Interrupt,
) -> Result<ValuesAndSlopes, Interrupted> {
    let value = values(kernel, rows, range.clone(), others, interrupt)?;
    let evaluated;
    let (first, rate) = match kernel.kernel.log_slope() {
        Some(rate) => (&value, rate),
        None => {
            evaluated = written_out(rows, range.clone(), others, interrupt, |x, columns, out| {
                Level::current().run(Evaluate { x, columns, what: Between::Distance, out });
                let mut room = [out.to_vec(), vec![0.0; out.len()], vec![0.0; out.len()]];
                let [q, value, second] = &mut room;
                kernel.kernel.profile_row(q, value, out, second);
            })?;
            (&evaluated, 1.0)
        }
    };
    let slope = |l: usize| {
        let factor = 2.0 * rate / kernel.widths[kernel.differentiated[l]].powi(2);
        let (x, y) = (&rows.shifted.column(l)[range.clone()], others.shifted.column(l));
        let mut slope = first.clone();
        for (at, x) in x.iter().enumerate() {
            let column = slope.column_mut(at).iter_mut().zip(y);
            column.for_each(|(slope, y)| *slope = factor * *slope * (x - y));
        }
        slope
    };
    let slope = (0..kernel.differentiated.len()).map(slope).collect();
    Ok(ValuesAndSlopes { value, slope })
}

/// A matrix with a column for each row point, of the others' length, from what `evaluate` writes for a group
/// of row points and a block of others.
fn written_out(
    rows: &ScaledPoints,
    range: Range<usize>,
    others: &ScaledPoints,
    interrupt: &Interrupt,
    evaluate: impl Fn(&[[f64; GROUP]], Place, &mut [f64]) + Sync,
) -> Result<Matrix, Interrupted> {
    // Groups begin at multiples of their size.
    let skipped = range.start % GROUP;
    let range = range.start - skipped..range.end;
    let mut matrix = Matrix::zeros(others.len(), range.len());
    if others.is_empty() {
        return Ok(matrix.part(skipped..range.len()));
    }
    let (row_tile, other_tile) = (tile_of(rows.len()), tile_of(others.len()));
    // Few groups are not worth another thread.
    let groups = matrix.values_mut().par_chunks_mut(GROUP * others.len()).with_min_len(16).enumerate();
    groups.for_each_init(<(Vec<f64>, Vec<[f64; GROUP]>)>::default, |(out, x), (group, columns)| {
        if interrupt.is_raised() {
            return;
        }
        let first = range.start + GROUP * group;
        rows.coordinates.block(first / row_tile).group(first % row_tile, x);
        for block in 0..others.coordinates.blocks() {
            let (there, here) = (others.coordinates.block(block), others.coordinates.rows_of(block));
            out.resize(GROUP * there.length, 0.0);
            evaluate(x, there, out);
            let start = block * other_tile;
            for (column, line) in columns.chunks_mut(others.len()).zip(out.chunks(there.length)) {
                column[start..start + here].copy_from_slice(&line[..here]);
            }
        }
    });
    // Once raised it stays so: nothing was left out of what passes here.
    interrupt.check()?;
    Ok(if skipped == 0 { matrix } else { matrix.part(skipped..range.len()) })
}

#[inline(always)]
fn times<V: Lanes>(mut values: [V; GROUP], factor: f64) -> [V; GROUP] {
    for r in 0..GROUP {
        values[r] = values[r].mul(V::splat(factor));
    }
    values
}

/// `exp(rate q)` for the squared distances `q` of [`GROUP`] points to `EIGHTS` times eight others, from inner
/// products less half of both squared lengths, which are the last entries of each. What is loaded of the rows
/// serves all eights.
#[inline(always)]
fn exponentials_of_products<V: Lanes, const EIGHTS: usize>(
    x: &[[f64; GROUP]],
    y: [&[[f64; LANES]]; EIGHTS],
    rate: f64,
) -> [[V; GROUP]; EIGHTS] {
    let coordinates = x.len() - 1;
    let mut sums = [[V::splat(0.0); GROUP]; EIGHTS];
    for e in 0..EIGHTS {
        for r in 0..GROUP {
            sums[e][r] = V::splat(x[coordinates][r]).add(V::load(&y[e][coordinates]));
        }
    }
    for l in 0..coordinates {
        for r in 0..GROUP {
            let x = V::splat(x[l][r]);
            for e in 0..EIGHTS {
                sums[e][r] = x.mul_add(V::load(&y[e][l]), sums[e][r]);
            }
        }
    }
    for e in 0..EIGHTS {
        sums[e] = exp_within(times::<V>(sums[e], -2.0 * rate));
    }
    sums
}

/// What is computed of the squared distance `q` of two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Between {
    /// `q` itself.
    Distance,
    /// `exp(rate q)`: a kernel whose slope is a multiple of its value.
    Exponential(f64),
    /// The same where no exponent is so low that the exponential would vanish.
    Within(f64),
    /// The same from the inner product, `q = |x|^2 + |y|^2 - 2 x'y`: half the work in many dimensions, where
    /// points are near the origin.
    Product(f64),
}

/// The largest squared length, in bandwidths, up to which inner products lose no more than the last digit of
/// a kernel value.
const NEAR: f64 = 4.0;

/// The fewest coordinates for which inner products save time.
const MANY_COORDINATES: usize = 8;

impl Between {
    /// How kernel values of two sets of points are computed; [`Between::Distance`] leaves the rest to the
    /// kernel.
    pub(super) fn of(kernel: &PairKernel, rows: &ScaledPoints, others: &ScaledPoints) -> Between {
        let Some(rate) = kernel.kernel.log_slope() else { return Between::Distance };
        let reach = rows.reach.max(others.reach);
        // No two points are further apart than twice the largest length; a little is left for rounding.
        if rate * 4.0 * reach < 0.99 * NEGLIGIBLE_EXPONENT {
            Between::Exponential(rate)
        } else if kernel.widths.len() >= MANY_COORDINATES && reach <= NEAR {
            Between::Product(rate)
        } else {
            Between::Within(rate)
        }
    }
}

/// Something of the squared distances of [`GROUP`] row points, coordinate by coordinate in `x`, to all points
/// of a block, row by row.
#[inline(always)]
pub(super) fn between<V: Lanes>(x: &[[f64; GROUP]], columns: Place, what: Between, out: &mut [f64]) {
    let stride = columns.length / LANES;
    let (out, _) = out.as_chunks_mut::<LANES>();
    if let Between::Product(rate) = what {
        for j in (0..stride - stride % 2).step_by(2) {
            let y = [columns.eight(j), columns.eight(j + 1)];
            let [one, other] = exponentials_of_products::<V, 2>(x, y, rate);
            store_eight(one, j, stride, out);
            store_eight(other, j + 1, stride, out);
        }
        if stride % 2 == 1 {
            let [last] = exponentials_of_products::<V, 1>(x, [columns.eight(stride - 1)], rate);
            store_eight(last, stride - 1, stride, out);
        }
        return;
    }
    for (j, y) in columns.eights().enumerate() {
        let q = squared_distances_of_eight::<V>(x, y);
        let values = match what {
            Between::Distance => q,
            Between::Exponential(rate) => exp(times::<V>(q, rate)),
            Between::Within(rate) | Between::Product(rate) => exp_within(times::<V>(q, rate)),
        };
        store_eight(values, j, stride, out);
    }
}

/// Writes the values of a group with the `j`-th eight of a block of `stride` eights, row by row.
#[inline(always)]
fn store_eight<V: Lanes>(values: [V; GROUP], j: usize, stride: usize, out: &mut [[f64; LANES]]) {
    for r in 0..GROUP {
        values[r].store(&mut out[r * stride + j]);
    }
}

/// [`between`] as a job.
struct Evaluate<'a> {
    x: &'a [[f64; GROUP]],
    columns: Place<'a>,
    what: Between,
    out: &'a mut [f64],
}

impl Vectorised for Evaluate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        between::<V>(self.x, self.columns, self.what, self.out);
    }
}

/// The kernel values of a group of row points with all points of a block, row by row.
pub(super) fn group_values(
    kernel: &PairKernel,
    x: &[[f64; GROUP]],
    columns: Place,
    what: Between,
    out: &mut [f64],
) {
    Level::current().run(Evaluate { x, columns, what, out });
    if what == Between::Distance {
        kernel.kernel.value_row(out);
    }
}

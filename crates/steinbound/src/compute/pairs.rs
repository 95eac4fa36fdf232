//! A radial kernel at pairs of points: what turns two sets of points into kernel values.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::packed::{Coordinates, Place, tile_of};
use super::simd::{LANES, Lanes, Level, NEGLIGIBLE_EXPONENT, exp, exp_within, vectorised};
use crate::error::KernelError;
use crate::interrupt::Interrupt;
use crate::kernel::Kernel;
use crate::matrix::Matrix;
use crate::points::Points;

/// Rows that go through a tile together, so that what is loaded for the columns serves several times.
pub(crate) const GROUP: usize = 4;

/// What a pass computes for each row point `x_i`: a sum over the column points `x_j` with weights `v_j`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PairSum {
    /// `sum_j k(x_i, x_j) v_j`.
    Value,
    /// `sum_j d/dy_l k(x_i, x_j) v_j`, `l` counting the differentiated coordinates.
    Slope(usize),
    /// `sum_j sum_l d/dx_l d/dy_l k(x_i, x_j) v_j`.
    Mixed,
    /// Any `u_i` with the same `sum_i v_i u_i` as the mixed sums, when rows and columns are the same points.
    Energy,
    /// Sums like those of values over some of the pairs, when rows and columns are the same points: with any matrix whose mean with its
    /// transpose is that of the values.
    Gram,
}

/// A radial kernel with everything that turns two points into numbers.
#[derive(Debug, Clone)]
pub(crate) struct PairKernel {
    pub(crate) kernel: Arc<dyn Kernel>,
    /// Bandwidth times scale, for each coordinate.
    pub(crate) widths: Vec<f64>,
    /// The coordinates in which derivatives are taken.
    pub(crate) differentiated: Vec<usize>,
    /// Subtracted from all points before scaling, so that far-away coordinates lose no digits.
    pub(crate) origin: Vec<f64>,
    /// Once raised, no more pairs are looked at: whoever wants the result has to ask whether it is one.
    pub(crate) interrupt: Interrupt,
}

/// Points less the origin, divided by the widths.
#[derive(Debug, Clone)]
pub(crate) struct Scaled {
    pub(super) coordinates: Coordinates,
    /// The differentiated coordinates less the origin, in the units of the data.
    pub(super) shifted: Matrix,
    /// The largest of the squared lengths.
    reach: f64,
}

impl Scaled {
    pub(crate) fn len(&self) -> usize {
        self.coordinates.rows()
    }
}

/// Kernel values and slopes as matrices, one column for each row point.
pub(crate) struct WrittenOut {
    pub(crate) value: Matrix,
    pub(crate) slope: Vec<Matrix>,
}

impl PairKernel {
    /// Whether the parts fit together, for points of so many coordinates.
    pub(crate) fn check(&self, dimension: usize) -> Result<(), KernelError> {
        let (widths, differentiated) = (&self.widths, &self.differentiated);
        let is_repeated = |at: usize| differentiated[..at].contains(&differentiated[at]);
        if widths.len() != dimension
            || self.origin.len() != dimension
            || differentiated.iter().any(|l| *l >= dimension)
            || (0..differentiated.len()).any(is_repeated)
        {
            return Err(KernelError::BadCoordinates { dimension });
        }
        // A coordinate of infinite width is one that the kernel does not see, so that it has no derivative there.
        let is_width = |l: usize| widths[l] > 0.0 && (widths[l].is_finite() || !differentiated.contains(&l));
        match (0..dimension).find(|l| !is_width(*l)) {
            Some(l) => Err(KernelError::BadBandwidth { value: widths[l] }),
            None => Ok(()),
        }
    }

    /// The points in the kernel's own units.
    pub(crate) fn scale(&self, points: &Points) -> Result<Scaled, KernelError> {
        if points.dimension() != self.widths.len() {
            return Err(KernelError::BadCoordinates { dimension: points.dimension() });
        }
        let shifted = |i: usize, l: usize| points.row(i)[l] - self.origin[l];
        let scaled = |i: usize, l: usize| shifted(i, l) / self.widths[l];
        let dimension = points.dimension();
        let square = |i: usize| (0..dimension).map(|l| scaled(i, l).powi(2)).sum::<f64>();
        // After the coordinates comes half the squared length, with a minus: what an inner product lacks of a distance.
        let coordinates = Coordinates::new(points.len(), dimension + 1, |i, l| {
            if l < dimension { scaled(i, l) } else { -0.5 * square(i) }
        });
        let reach = (0..points.len()).map(square).fold(0.0, f64::max);
        if (0..points.len()).any(|i| !square(i).is_finite()) {
            return Err(KernelError::Overflow);
        }
        let of_differentiated = |i: usize, l: usize| shifted(i, self.differentiated[l]);
        let shifted = Matrix::from_fn(points.len(), self.differentiated.len(), of_differentiated);
        Ok(Scaled { coordinates, shifted, reach })
    }

    /// `k(x, x)`, and the sum over the differentiated coordinates of its mixed second derivatives; slopes are zero.
    pub(crate) fn diagonal(&self) -> (f64, f64) {
        let [value, first, _] = self.kernel.profile(0.0);
        (value, -2.0 * first * self.inverse_square_widths())
    }

    /// `sum_l 1 / s_l^2` over the differentiated coordinates.
    pub(super) fn inverse_square_widths(&self) -> f64 {
        self.differentiated.iter().map(|l| self.widths[*l].powi(-2)).sum()
    }

    /// The kernel of some row points against all others as a matrix: one column `k(x_i, y_j)` for each row point. The range
    /// starts at a multiple of [`GROUP`].
    pub(crate) fn values(&self, rows: &Scaled, range: Range<usize>, others: &Scaled) -> Matrix {
        self.written_out(rows, range, others, |x, columns, out| {
            // Exact for points that coincide, as factors of the boundary's kernel need it.
            let what = self.kernel.log_slope().map_or(Between::Distance, Between::Exponential);
            self.group_values(x, columns, what, out);
        })
    }

    /// [`values`](PairKernel::values), and for each differentiated coordinate a matrix of `d/dx_l k(x_i, y_j)`.
    pub(crate) fn values_and_slopes(
        &self,
        rows: &Scaled,
        range: Range<usize>,
        others: &Scaled,
    ) -> WrittenOut {
        let first = self.written_out(rows, range.clone(), others, |x, columns, out| {
            between(Level::current(), x, columns, Between::Distance, out);
            let mut room = [out.to_vec(), vec![0.0; out.len()], vec![0.0; out.len()]];
            let [q, value, second] = &mut room;
            self.kernel.profile_row(q, value, out, second);
        });
        let slope = |l: usize| {
            let factor = 2.0 / self.widths[self.differentiated[l]].powi(2);
            let (x, y) = (rows.shifted.column(l), others.shifted.column(l));
            Matrix::from_fn(others.len(), range.len(), |j, i| {
                factor * first[(j, i)] * (x[range.start + i] - y[j])
            })
        };
        let slope = (0..self.differentiated.len()).map(slope).collect();
        WrittenOut { value: self.values(rows, range, others), slope }
    }

    /// A matrix with a column for each row point, of the others' length, from what `evaluate` writes for a group of row points and a block of others.
    fn written_out(
        &self,
        rows: &Scaled,
        range: Range<usize>,
        others: &Scaled,
        evaluate: impl Fn(&[[f64; GROUP]], Place, &mut [f64]) + Sync,
    ) -> Matrix {
        debug_assert_eq!(range.start % GROUP, 0);
        let mut matrix = Matrix::zeros(others.len(), range.len());
        if others.len() == 0 {
            return matrix;
        }
        let (row_tile, other_tile) = (tile_of(rows.len()), tile_of(others.len()));
        // Few groups are not worth another thread.
        let groups = matrix.values_mut().par_chunks_mut(GROUP * others.len()).with_min_len(16).enumerate();
        groups.for_each_init(<(Vec<f64>, Vec<[f64; GROUP]>)>::default, |(out, x), (group, columns)| {
            if self.interrupt.is_raised() {
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
        matrix
    }
}

/// The squared distances of [`GROUP`] points to eight others, both coordinate by coordinate.
#[inline(always)]
pub(super) fn squared_distances_of_eight<V: Lanes>(x: &[[f64; GROUP]], y: &[[f64; LANES]]) -> [V; GROUP] {
    let none = [V::splat(0.0); GROUP];
    match (x, y) {
        // In the plane without a loop, which would take as long as what is in it.
        ([x0, x1, _], [y0, y1, _]) => with_squares(x1, y1, with_squares(x0, y0, none)),
        // The last entry of both is not a coordinate.
        _ => {
            let mut sums = none;
            for (x, y) in x[..x.len() - 1].iter().zip(y) {
                sums = with_squares(x, y, sums);
            }
            sums
        }
    }
}

/// Adds the squared differences in one coordinate.
#[inline(always)]
fn with_squares<V: Lanes>(x: &[f64; GROUP], y: &[f64; LANES], mut sums: [V; GROUP]) -> [V; GROUP] {
    let y = V::load(y);
    for r in 0..GROUP {
        let difference = y.sub(V::splat(x[r]));
        sums[r] = difference.mul_add(difference, sums[r]);
    }
    sums
}

#[inline(always)]
fn times<V: Lanes>(mut values: [V; GROUP], factor: f64) -> [V; GROUP] {
    for r in 0..GROUP {
        values[r] = values[r].mul(V::splat(factor));
    }
    values
}

/// `exp(rate q)` for the squared distances `q` of [`GROUP`] points to `EIGHTS` times eight others, from inner products less half of
/// both squared lengths, which are the last entries of each. What is loaded of the rows serves all eights.
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
    /// The same from the inner product, `q = |x|^2 + |y|^2 - 2 x'y`: half the work in many dimensions, where points are near the origin.
    Product(f64),
}

/// The largest squared length, in bandwidths, up to which inner products lose no more than the last digit of a kernel value.
const NEAR: f64 = 4.0;

/// The fewest coordinates for which inner products save time.
const MANY_COORDINATES: usize = 8;

impl PairKernel {
    /// How kernel values of two sets of points are computed; [`Between::Distance`] leaves the rest to the kernel.
    pub(super) fn between(&self, rows: &Scaled, others: &Scaled) -> Between {
        let Some(rate) = self.kernel.log_slope() else { return Between::Distance };
        let reach = rows.reach.max(others.reach);
        // No two points are further apart than twice the largest length; a little is left for rounding.
        if rate * 4.0 * reach < 0.99 * NEGLIGIBLE_EXPONENT {
            Between::Exponential(rate)
        } else if self.widths.len() >= MANY_COORDINATES && reach <= NEAR {
            Between::Product(rate)
        } else {
            Between::Within(rate)
        }
    }
}

/// Something of the squared distances of [`GROUP`] row points, coordinate by coordinate in `x`, to all points of a block, row by row.
#[inline(always)]
pub(super) fn between_body<V: Lanes>(x: &[[f64; GROUP]], columns: Place, what: Between, out: &mut [f64]) {
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

vectorised! {
    /// [`between_body`].
    fn between(x: &[[f64; GROUP]], columns: Place, what: Between, out: &mut [f64]) = between_body
}

impl PairKernel {
    /// The kernel values of a group of row points with all points of a block, row by row.
    pub(super) fn group_values(&self, x: &[[f64; GROUP]], columns: Place, what: Between, out: &mut [f64]) {
        between(Level::current(), x, columns, what, out);
        if what == Between::Distance {
            self.kernel.value_row(out);
        }
    }
}

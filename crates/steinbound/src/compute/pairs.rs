//! A radial kernel at pairs of points: what turns two sets of points into kernel values.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::packed::{Coordinates, Place, padded, tile_of};
use super::simd::{LANES, Lanes, Level, vectorised};
use crate::error::KernelError;
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
}

/// Points less the origin, divided by the widths.
#[derive(Debug, Clone)]
pub(crate) struct Scaled {
    pub(super) coordinates: Coordinates,
    /// The differentiated coordinates less the origin, in the units of the data.
    pub(super) shifted: Matrix,
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
        let coordinates =
            Coordinates::new(points.len(), points.dimension(), |i, l| shifted(i, l) / self.widths[l]);
        let of_differentiated = |i: usize, l: usize| shifted(i, self.differentiated[l]);
        let shifted = Matrix::from_fn(points.len(), self.differentiated.len(), of_differentiated);
        Ok(Scaled { coordinates, shifted })
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
        let mut value = Matrix::zeros(others.len(), range.len());
        self.fill_groups(rows, range, others, value.values_mut(), |values, _, q| {
            self.kernel.value_row(q);
            values.copy_from_slice(&q[..values.len()]);
        });
        value
    }

    /// [`values`](PairKernel::values), and for each differentiated coordinate a matrix of `d/dx_l k(x_i, y_j)`.
    pub(crate) fn values_and_slopes(
        &self,
        rows: &Scaled,
        range: Range<usize>,
        others: &Scaled,
    ) -> WrittenOut {
        let mut first = Matrix::zeros(others.len(), range.len());
        self.fill_groups(rows, range.clone(), others, first.values_mut(), |firsts, _, q| {
            let mut unused = [vec![0.0; q.len()], vec![0.0; q.len()], vec![0.0; q.len()]];
            let [value, slope, second] = &mut unused;
            self.kernel.profile_row(q, value, slope, second);
            firsts.copy_from_slice(&slope[..firsts.len()]);
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

    /// Walks through the columns of a matrix (one for each row point, of the others' length): `write(part, row, q)` gets the part of a column that
    /// belongs to a block, and its squared distances with padding.
    fn fill_groups(
        &self,
        rows: &Scaled,
        range: Range<usize>,
        others: &Scaled,
        values: &mut [f64],
        write: impl Fn(&mut [f64], usize, &mut [f64]) + Sync,
    ) {
        debug_assert_eq!(range.start % GROUP, 0);
        if others.len() == 0 {
            return;
        }
        // Few groups are not worth another thread.
        let groups = values.par_chunks_mut(GROUP * others.len()).with_min_len(16).enumerate();
        groups.for_each_init(<(Vec<f64>, Vec<[f64; GROUP]>)>::default, |(q, x), (group, columns)| {
            let first = range.start + GROUP * group;
            let tile = tile_of(rows.len());
            rows.coordinates.block(first / tile).group(first % tile, x);
            for block in 0..others.coordinates.blocks() {
                let (there, here) = (others.coordinates.block(block), others.coordinates.rows_of(block));
                let length = there.length;
                q.resize(GROUP * length, 0.0);
                squared_distances(Level::current(), x, there, q);
                for (row, column) in columns.chunks_mut(others.len()).enumerate() {
                    let start = block * tile_of(others.len());
                    let line = &mut q[row * length..(row + 1) * length];
                    write(&mut column[start..start + here], first + row, line);
                }
            }
        });
    }
}

/// The squared distances of [`GROUP`] points to eight others, both coordinate by coordinate.
#[inline(always)]
pub(super) fn squared_distances_of_eight<V: Lanes>(x: &[[f64; GROUP]], y: &[[f64; LANES]]) -> [V; GROUP] {
    let mut sums = [V::splat(0.0); GROUP];
    for (x, y) in x.iter().zip(y) {
        let y = V::load(y);
        for r in 0..GROUP {
            let difference = V::splat(x[r]).sub(y);
            sums[r] = difference.mul_add(difference, sums[r]);
        }
    }
    sums
}

/// The squared distances `q` of [`GROUP`] row points, coordinate by coordinate in `x`, to all points of a block, row by row.
#[inline(always)]
pub(super) fn squared_distances_body<V: Lanes>(x: &[[f64; GROUP]], columns: Place, q: &mut [f64]) {
    let stride = columns.length / LANES;
    let (q, _) = q.as_chunks_mut::<LANES>();
    let (a, rest) = q.split_at_mut(stride);
    let (b, rest) = rest.split_at_mut(stride);
    let (c, d) = rest.split_at_mut(stride);
    for ((((y, a), b), c), d) in columns.eights().zip(a).zip(b).zip(c).zip(d) {
        let sums = squared_distances_of_eight::<V>(x, y);
        sums[0].store(a);
        sums[1].store(b);
        sums[2].store(c);
        sums[3].store(d);
    }
}

vectorised! {
    /// [`squared_distances_body`].
    pub(super) fn squared_distances(x: &[[f64; GROUP]], columns: Place, q: &mut [f64]) = squared_distances_body
}

/// How many numbers a group of rows against a block of `columns` points takes.
pub(super) fn group_size(columns: usize) -> usize {
    GROUP * padded(columns)
}

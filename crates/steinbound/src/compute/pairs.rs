//! A radial kernel at pairs of points: values, slopes and mixed derivatives, a row at a time.

use std::ops::Range;
use std::sync::Arc;

use crate::error::KernelError;
use crate::kernel::Kernel;
use crate::matrix::Matrix;
use crate::points::Points;

/// Rows and columns of a tile: a few rows of buffers stay in the first-level cache.
pub(crate) const TILE: usize = 128;

/// What a pass computes for each row point `x_i`: a sum over the column points `x_j` with weights `v_j`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PairSum {
    /// `sum_j k(x_i, x_j) v_j`.
    Value,
    /// `sum_j d/dy_l k(x_i, x_j) v_j`, `l` counting the differentiated coordinates.
    Slope(usize),
    /// `sum_j sum_l d/dx_l d/dy_l k(x_i, x_j) v_j`.
    Mixed,
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

/// Points divided by the widths, coordinate by coordinate.
#[derive(Debug, Clone)]
pub(crate) struct Scaled {
    pub(super) coordinates: Matrix,
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

/// Kernel values of one row point against a range of column points.
pub(super) struct Row<'a> {
    pub(super) value: &'a [f64],
    /// `2 f'(q)`.
    pub(super) slope: &'a [f64],
    pub(super) mixed: &'a [f64],
}

/// One row point against a range of column points.
pub(super) struct Place<'a> {
    pub(super) rows: &'a Scaled,
    pub(super) i: usize,
    pub(super) columns: &'a Scaled,
    pub(super) range: Range<usize>,
}

impl Place<'_> {
    /// The row point's coordinate `l`, and those of the column points.
    fn coordinate(&self, l: usize) -> (f64, &[f64]) {
        (self.rows.coordinates[(self.i, l)], &self.columns.coordinates.column(l)[self.range.clone()])
    }
}

/// Room for one row of a tile.
pub(super) struct Scratch {
    q: Vec<f64>,
    value: Vec<f64>,
    slope: Vec<f64>,
    second: Vec<f64>,
    mixed: Vec<f64>,
    pub(super) derivative: Vec<f64>,
}

impl Scratch {
    pub(super) fn new() -> Scratch {
        let room = || vec![0.0; TILE];
        Scratch { q: room(), value: room(), slope: room(), second: room(), mixed: room(), derivative: room() }
    }
}

impl PairKernel {
    /// The points in the kernel's own units.
    pub(crate) fn scale(&self, points: &Points) -> Result<Scaled, KernelError> {
        if points.dimension() != self.widths.len() {
            return Err(KernelError::BadCoordinates { dimension: points.dimension() });
        }
        let coordinates = Matrix::from_fn(points.len(), points.dimension(), |i, l| {
            (points.row(i)[l] - self.origin[l]) / self.widths[l]
        });
        Ok(Scaled { coordinates })
    }

    /// `k(x, x)`, and the sum over the differentiated coordinates of its mixed second derivatives; slopes are zero.
    pub(crate) fn diagonal(&self) -> (f64, f64) {
        let [value, first, _] = self.kernel.profile(0.0);
        (value, -2.0 * first * self.inverse_square_widths())
    }

    /// The kernel of some row points against all others as a matrix: one column `k(x_i, y_j)` for each row point.
    pub(crate) fn values(&self, rows: &Scaled, range: Range<usize>, others: &Scaled) -> Matrix {
        self.written_out(rows, range, others, 0).value
    }

    /// [`values`](PairKernel::values), and for each differentiated coordinate a matrix of `d/dx_l k(x_i, y_j)`.
    pub(crate) fn values_and_slopes(
        &self,
        rows: &Scaled,
        range: Range<usize>,
        others: &Scaled,
    ) -> WrittenOut {
        self.written_out(rows, range, others, self.differentiated.len())
    }

    fn written_out(&self, rows: &Scaled, range: Range<usize>, others: &Scaled, slopes: usize) -> WrittenOut {
        let empty = || Matrix::zeros(others.len(), range.len());
        let mut out = WrittenOut { value: empty(), slope: (0..slopes).map(|_| empty()).collect() };
        let mut scratch = Scratch::new();
        for (at, i) in range.clone().enumerate() {
            for block in blocks(others.len()) {
                let place = Place { rows, i, columns: others, range: block.clone() };
                self.fill(&place, &mut scratch);
                let row = scratch.row(block.len());
                out.value.column_mut(at)[block.clone()].copy_from_slice(row.value);
                for (l, slope) in out.slope.iter_mut().enumerate() {
                    let line = &mut slope.column_mut(at)[block.clone()];
                    self.slopes(&place, l, row.slope, line);
                    // In the other argument the slope of a radial kernel has the other sign.
                    line.iter_mut().for_each(|d| *d = -*d);
                }
            }
        }
        out
    }

    /// `d/dy_l k(x_i, y_j)` at a place, from the row's `2 f'(q)`; `l` counts the differentiated coordinates.
    pub(super) fn slopes(&self, place: &Place, l: usize, slope: &[f64], line: &mut [f64]) {
        let coordinate = self.differentiated[l];
        let ((x, others), width) = (place.coordinate(coordinate), self.widths[coordinate]);
        for ((d, y), slope) in line.iter_mut().zip(others).zip(slope) {
            *d = slope * (y - x) / width;
        }
    }

    fn inverse_square_widths(&self) -> f64 {
        self.differentiated.iter().map(|l| self.widths[*l].powi(-2)).sum()
    }

    /// Fills `scratch` with the kernel at a place.
    pub(super) fn fill(&self, place: &Place, s: &mut Scratch) {
        let length = place.range.len();
        let (q, weighted) = (&mut s.q[..length], &mut s.mixed[..length]);
        q.fill(0.0);
        weighted.fill(0.0);
        for l in 0..self.widths.len() {
            let (x, others) = place.coordinate(l);
            for (q, y) in q.iter_mut().zip(others) {
                *q += (x - y) * (x - y);
            }
        }
        for l in &self.differentiated {
            let ((x, others), factor) = (place.coordinate(*l), self.widths[*l].powi(-2));
            for (sum, y) in weighted.iter_mut().zip(others) {
                *sum += factor * (x - y) * (x - y);
            }
        }
        let (value, slope) = (&mut s.value[..length], &mut s.slope[..length]);
        let second = &mut s.second[..length];
        self.kernel.profile_row(q, value, slope, second);
        let constant = self.inverse_square_widths();
        for j in 0..length {
            slope[j] *= 2.0;
            weighted[j] = -slope[j] * constant - 4.0 * second[j] * weighted[j];
        }
    }
}

impl Scratch {
    pub(super) fn row(&self, length: usize) -> Row<'_> {
        Row { value: &self.value[..length], slope: &self.slope[..length], mixed: &self.mixed[..length] }
    }
}

/// The points cut into blocks of a tile's size.
pub(super) fn blocks(count: usize) -> Vec<Range<usize>> {
    (0..count).step_by(TILE).map(|start| start..(start + TILE).min(count)).collect()
}

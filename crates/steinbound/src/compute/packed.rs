//! Columns of numbers laid out for tiles.

use crate::compute::simd::LANES;

/// The most rows and columns of a tile: its buffers stay in the first-level cache.
pub(crate) const LARGEST_TILE: usize = 256;

/// Up to this many rows tiles are half as large, so that there are enough of them to go round.
const FEW_ROWS: usize = 2_048;

/// Rows and columns of a tile, for a table of this many rows.
pub(crate) fn tile_of(rows: usize) -> usize {
    if rows <= FEW_ROWS { LARGEST_TILE / 2 } else { LARGEST_TILE }
}

/// A register's width in bytes. Vectors that lie across two cache lines take twice as long to load.
const ALIGNMENT: usize = 64;

/// Numbers in memory, starting at the beginning of a cache line.
#[derive(Debug)]
pub(crate) struct Aligned {
    values: Vec<f64>,
    start: usize,
    length: usize,
}

impl Aligned {
    /// No numbers, and no memory.
    pub(crate) fn empty() -> Aligned {
        Aligned { values: Vec::new(), start: 0, length: 0 }
    }

    pub(crate) fn zeros(length: usize) -> Aligned {
        let values = vec![0.0; length + ALIGNMENT / size_of::<f64>()];
        // Without an answer the vectors are merely slower to load.
        let start = values.as_ptr().align_offset(ALIGNMENT);
        let start = if start < ALIGNMENT / size_of::<f64>() { start } else { 0 };
        Aligned { values, start, length }
    }

    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.values[self.start..self.start + self.length]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.values[self.start..self.start + self.length]
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Aligned {
        let mut copy = Aligned::zeros(self.length);
        copy.as_mut_slice().copy_from_slice(self.as_slice());
        copy
    }
}

/// A table of numbers cut into blocks of a [tile's](tile_of) rows, each block column by column. The last
/// block is padded with rows of zeros to whole vectors: in a sum over points a padded row counts for nothing,
/// because its weights are zero.
#[derive(Debug, Clone)]
pub(crate) struct Packed {
    rows: usize,
    columns: usize,
    values: Aligned,
}

/// One block of a [`Packed`] table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<'a> {
    values: &'a [f64],
    /// Rows, padded ones included.
    pub(crate) length: usize,
}

impl<'a> Block<'a> {
    pub(crate) fn column(&self, column: usize) -> &'a [f64] {
        &self.values[column * self.length..(column + 1) * self.length]
    }
}

impl Packed {
    /// A table whose columns are written one after the other: `fill(j, start, rows)` writes the rows of
    /// column `j` from `start` on.
    pub(crate) fn new(rows: usize, columns: usize, fill: impl Fn(usize, usize, &mut [f64])) -> Packed {
        let mut packed = Packed { rows, columns, values: Aligned::zeros(padded(rows) * columns) };
        let tile = tile_of(rows);
        for block in 0..rows.div_ceil(tile) {
            let here = packed.rows_of(block);
            let length = padded(here);
            let start = block * tile * columns;
            for column in 0..columns {
                let at = start + column * length;
                fill(column, block * tile, &mut packed.values.as_mut_slice()[at..at + here]);
            }
        }
        packed
    }

    /// The rows of a block, without padding.
    fn rows_of(&self, block: usize) -> usize {
        (self.rows - block * tile_of(self.rows)).min(tile_of(self.rows))
    }

    pub(crate) fn block(&self, block: usize) -> Block<'_> {
        let (length, start) = (padded(self.rows_of(block)), block * tile_of(self.rows) * self.columns);
        Block { values: &self.values.as_slice()[start..start + length * self.columns], length }
    }
}

/// Points cut into blocks like a [`Packed`] table, with the coordinates of eight points side by side: eight
/// numbers for the first coordinate, eight for the second, and so on. Distances are then computed by walking
/// straight through memory.
#[derive(Debug, Clone)]
pub(crate) struct Coordinates {
    rows: usize,
    dimension: usize,
    values: Aligned,
}

/// One block of [`Coordinates`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    lanes: &'a [[f64; LANES]],
    pub(crate) dimension: usize,
    /// Points, padded ones included.
    pub(crate) length: usize,
}

impl<'a> Place<'a> {
    /// The coordinates of eight points after those of eight others: for each eight, one entry for each
    /// coordinate.
    pub(crate) fn eights(&self) -> std::slice::ChunksExact<'a, [f64; LANES]> {
        self.lanes.chunks_exact(self.dimension)
    }

    /// The coordinates of the points from `8 j` on.
    #[inline(always)]
    pub(crate) fn eight(&self, j: usize) -> &'a [[f64; LANES]] {
        &self.lanes[j * self.dimension..(j + 1) * self.dimension]
    }

    /// For each coordinate the values of a group of points, from `at` on, which is a multiple of their
    /// number.
    pub(crate) fn group<const GROUP: usize>(&self, at: usize, group: &mut Vec<[f64; GROUP]>) {
        let (eight, lane) = (at / LANES * self.dimension, at % LANES);
        let of_coordinate = |lanes: &[f64; LANES]| std::array::from_fn(|r| lanes[lane + r]);
        group.clear();
        group.extend(self.lanes[eight..eight + self.dimension].iter().map(of_coordinate));
    }
}

impl Coordinates {
    /// Points from a function of (point, coordinate).
    pub(crate) fn new(rows: usize, dimension: usize, value: impl Fn(usize, usize) -> f64) -> Coordinates {
        let mut values = Aligned::zeros(padded(rows) * dimension);
        for (eight, chunk) in values.as_mut_slice().chunks_exact_mut(LANES * dimension).enumerate() {
            for (l, lanes) in chunk.chunks_exact_mut(LANES).enumerate() {
                for (i, lane) in (LANES * eight..rows).zip(lanes) {
                    *lane = value(i, l);
                }
            }
        }
        Coordinates { rows, dimension, values }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// One coordinate of a point.
    pub(crate) fn value(&self, i: usize, l: usize) -> f64 {
        self.values.as_slice()[(i / LANES * self.dimension + l) * LANES + i % LANES]
    }

    pub(crate) fn blocks(&self) -> usize {
        self.rows.div_ceil(tile_of(self.rows))
    }

    /// The points of a block, without padding.
    pub(crate) fn rows_of(&self, block: usize) -> usize {
        (self.rows - block * tile_of(self.rows)).min(tile_of(self.rows))
    }

    /// The points of a block, with padding.
    pub(crate) fn length(&self, block: usize) -> usize {
        padded(self.rows_of(block))
    }

    pub(crate) fn block(&self, block: usize) -> Place<'_> {
        self.place(block * tile_of(self.rows), self.length(block))
    }

    /// All points.
    pub(crate) fn whole(&self) -> Place<'_> {
        self.place(0, padded(self.rows))
    }

    /// This many points from `start` on, both multiples of a vector's length, wherever blocks begin and end.
    pub(crate) fn place(&self, start: usize, length: usize) -> Place<'_> {
        let range = start * self.dimension..(start + length) * self.dimension;
        let (lanes, _) = self.values.as_slice()[range].as_chunks();
        Place { lanes, dimension: self.dimension, length }
    }
}

/// The next multiple of a vector's length.
pub(crate) fn padded(rows: usize) -> usize {
    rows.next_multiple_of(LANES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_lie_in_eights() {
        let points = Coordinates::new(LARGEST_TILE / 2 + 3, 2, |i, l| (10 * i + l) as f64);
        let last = points.block(1);
        let eight = last.eights().next().unwrap();
        assert_eq!((eight[1][2], eight[1][3]), ((10 * (LARGEST_TILE / 2 + 2) + 1) as f64, 0.0));
        let mut group: Vec<[f64; 4]> = Vec::new();
        points.block(0).group(12, &mut group);
        assert_eq!((points.value(13, 0), points.value(LARGEST_TILE / 2 + 2, 1)), (130.0, 10.0 * 130.0 + 1.0));
        assert_eq!(group, [[120.0, 130.0, 140.0, 150.0], [121.0, 131.0, 141.0, 151.0]]);
    }

    #[test]
    fn a_packed_table_holds_its_columns_block_by_block() {
        let rows = LARGEST_TILE / 2 + 5;
        let packed = Packed::new(rows, 2, |column, start, rows| {
            for (i, value) in (start..).zip(rows) {
                *value = (10 * i + column) as f64;
            }
        });
        assert_eq!((packed.rows_of(1), packed.block(1).length), (5, 8));
        assert_eq!(packed.block(0).column(1)[3], 31.0);
        let last = packed.block(1).column(0);
        assert_eq!(last[4], (10 * (LARGEST_TILE / 2 + 4)) as f64);
        assert_eq!(last[5..], [0.0; 3]);
        assert!(packed.block(0).column(0).as_ptr().addr().is_multiple_of(ALIGNMENT));
    }
}

use std::ops::Range;
use std::sync::Arc;

use super::tiles::Tiles;
use super::{Engine, PairKernel, PairSum, PreparedPairs, ScaledPoints, Storage, ValuesAndSlopes};
use super::{between, dense_bytes, products};
use crate::compute::memory;
use crate::error::{Error, MemoryError};
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;

/// The engine of this processor: vector instructions, all cores, and the same bits for any number of threads.
///
/// Dense or tiled, it does the same arithmetic in the same order and gives the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Native;

/// Refuses to store the kernel values of this many points where they would not fit in memory.
pub(crate) fn check_dense(points: usize) -> Result<(), MemoryError> {
    let remedy = "use the tiled form, whose memory grows with the number of points only, or for many points the \
                  low-rank form, whose time does so too";
    memory::check_memory(
        || format!("the pairs of {points} points in the dense form"),
        dense_bytes(points),
        remedy,
    )
}

impl Engine for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn prepare(
        &self,
        kernel: Arc<PairKernel>,
        points: Arc<ScaledPoints>,
        storage: Storage,
        interrupt: &Interrupt,
    ) -> Result<Box<dyn PreparedPairs>, Error> {
        if storage == Storage::Dense {
            check_dense(points.len())?;
        }
        Ok(Box::new(Tiles::new(kernel, points, storage, interrupt)?))
    }

    fn cross(
        &self,
        kernel: &PairKernel,
        rows: &ScaledPoints,
        others: &ScaledPoints,
        columns: &Matrix,
        terms: &[(PairSum, usize)],
        interrupt: &Interrupt,
    ) -> Result<Matrix, Error> {
        Ok(products::cross(kernel, rows, others, columns, terms, interrupt)?)
    }

    fn values(
        &self,
        kernel: &PairKernel,
        rows: &ScaledPoints,
        range: Range<usize>,
        others: &ScaledPoints,
        interrupt: &Interrupt,
    ) -> Result<Matrix, Error> {
        Ok(between::values(kernel, rows, range, others, interrupt)?)
    }

    fn values_and_slopes(
        &self,
        kernel: &PairKernel,
        rows: &ScaledPoints,
        range: Range<usize>,
        others: &ScaledPoints,
        interrupt: &Interrupt,
    ) -> Result<ValuesAndSlopes, Error> {
        Ok(between::values_and_slopes(kernel, rows, range, others, interrupt)?)
    }
}

impl PreparedPairs for Tiles {
    fn symmetric(
        &self,
        columns: &Matrix,
        terms: &[(PairSum, usize)],
        interrupt: &Interrupt,
    ) -> Result<Matrix, Error> {
        Ok(products::symmetric(self, columns, terms, interrupt)?)
    }
}

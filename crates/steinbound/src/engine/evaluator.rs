use std::ops::Range;
use std::sync::Arc;

use super::{Engine, PairKernel, PairSum, ScaledPoints, ValuesAndSlopes};
use crate::error::{Error, KernelError};
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::points::Points;

/// The context of a form: a kernel, the engine that evaluates it, and their interrupt.
#[derive(Debug, Clone)]
pub(crate) struct Evaluator {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) kernel: Arc<PairKernel>,
    pub(crate) interrupt: Interrupt,
}

impl Evaluator {
    pub(crate) fn scale(&self, points: &Points) -> Result<ScaledPoints, KernelError> {
        self.kernel.scale(points)
    }

    pub(crate) fn cross(
        &self,
        rows: &ScaledPoints,
        others: &ScaledPoints,
        columns: &Matrix,
        terms: &[(PairSum, usize)],
    ) -> Result<Matrix, Error> {
        self.engine.cross(&self.kernel, rows, others, columns, terms, &self.interrupt)
    }

    /// The kernel of all row points with all others.
    pub(crate) fn values(&self, rows: &ScaledPoints, others: &ScaledPoints) -> Result<Matrix, Error> {
        self.values_of(rows, 0..rows.len(), others)
    }

    pub(crate) fn values_of(
        &self,
        rows: &ScaledPoints,
        range: Range<usize>,
        others: &ScaledPoints,
    ) -> Result<Matrix, Error> {
        self.engine.values(&self.kernel, rows, range, others, &self.interrupt)
    }

    pub(crate) fn values_and_slopes(
        &self,
        rows: &ScaledPoints,
        range: Range<usize>,
        others: &ScaledPoints,
    ) -> Result<ValuesAndSlopes, Error> {
        self.engine.values_and_slopes(&self.kernel, rows, range, others, &self.interrupt)
    }
}

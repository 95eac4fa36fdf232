use std::sync::Arc;

use super::ScaledPoints;
use crate::error::KernelError;
use crate::kernel::{self, Kernel};
use crate::points::Points;

/// A radial kernel with everything that turns two points into a number: `f(q)` of
/// `q = sum_l (x_l - y_l)^2 / s_l^2`.
///
/// ```
/// use steinbound::engine::PairKernel;
/// use steinbound::kernel;
/// let kernel = PairKernel::new(kernel::by_name("gaussian")?, vec![2.0, 1.0], vec![0, 1], vec![0.0, 0.0])?;
/// assert_eq!(kernel.diagonal(), (1.0, 1.25));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PairKernel {
    pub(super) kernel: Arc<dyn Kernel>,
    pub(super) widths: Vec<f64>,
    pub(super) differentiated: Vec<usize>,
    pub(super) origin: Vec<f64>,
}

impl PairKernel {
    /// A kernel with the width of each coordinate, the coordinates in which derivatives are taken, and an
    /// origin that is subtracted from all points before scaling, so that coordinates far from zero lose no
    /// digits.
    ///
    /// A coordinate of infinite width is one that the kernel does not see. It cannot be differentiated.
    pub fn new(
        kernel: Arc<dyn Kernel>,
        widths: Vec<f64>,
        differentiated: Vec<usize>,
        origin: Vec<f64>,
    ) -> Result<PairKernel, KernelError> {
        let dimension = origin.len();
        let is_repeated = |at: usize| differentiated[..at].contains(&differentiated[at]);
        if widths.len() != dimension
            || differentiated.iter().any(|l| *l >= dimension)
            || (0..differentiated.len()).any(is_repeated)
        {
            return Err(KernelError::BadCoordinates { dimension });
        }
        let is_width = |l: usize| widths[l] > 0.0 && (widths[l].is_finite() || !differentiated.contains(&l));
        match (0..dimension).find(|l| !is_width(*l)) {
            Some(l) => Err(KernelError::BadBandwidth { value: widths[l] }),
            None => Ok(PairKernel { kernel, widths, differentiated, origin }),
        }
    }

    /// The function `f`.
    pub fn kernel(&self) -> &dyn Kernel {
        self.kernel.as_ref()
    }

    /// Bandwidth times scale, for each coordinate.
    pub fn widths(&self) -> &[f64] {
        &self.widths
    }

    /// The coordinates in which derivatives are taken.
    pub fn differentiated(&self) -> &[usize] {
        &self.differentiated
    }

    /// What is subtracted from all points.
    pub fn origin(&self) -> &[f64] {
        &self.origin
    }

    /// Whether both give the same number for the same points.
    pub fn is_same(&self, other: &PairKernel) -> bool {
        kernel::is_same(self.kernel(), other.kernel())
            && self.widths == other.widths
            && self.origin == other.origin
            && self.differentiated == other.differentiated
    }

    /// The points in the kernel's own units.
    pub fn scale(&self, points: &Points) -> Result<ScaledPoints, KernelError> {
        ScaledPoints::new(self, points)
    }

    /// `k(x, x)`, and the sum over the differentiated coordinates of its mixed second derivatives. Slopes are
    /// zero there.
    pub fn diagonal(&self) -> (f64, f64) {
        let [value, first, _] = self.kernel.profile(0.0);
        (value, -2.0 * first * self.inverse_square_widths())
    }

    /// `sum_l 1 / s_l^2` over the differentiated coordinates.
    pub(super) fn inverse_square_widths(&self) -> f64 {
        self.differentiated.iter().map(|l| self.widths[*l].powi(-2)).sum()
    }
}

use super::PairKernel;
use crate::compute::packed::Coordinates;
use crate::error::KernelError;
use crate::matrix::Matrix;
use crate::points::Points;

/// Points in the units of a [`PairKernel`]: less its origin, divided by its widths.
///
/// ```
/// use steinbound::engine::PairKernel;
/// use steinbound::{Points, kernel};
/// let kernel = PairKernel::new(kernel::by_name("gaussian")?, vec![2.0], vec![0], vec![1.0])?;
/// let scaled = kernel.scale(&Points::from_rows(&[[5.0]])?)?;
/// assert_eq!((scaled.coordinate(0, 0), scaled.shifted(0, 0)), (2.0, 4.0));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ScaledPoints {
    pub(super) coordinates: Coordinates,
    /// The differentiated coordinates less the origin, in the units of the data.
    pub(super) shifted: Matrix,
    /// The largest of the squared lengths.
    pub(super) reach: f64,
}

impl ScaledPoints {
    pub(super) fn new(kernel: &PairKernel, points: &Points) -> Result<ScaledPoints, KernelError> {
        let dimension = points.dimension();
        if dimension != kernel.widths.len() {
            return Err(KernelError::BadCoordinates { dimension });
        }
        let shifted = |i: usize, l: usize| points.row(i)[l] - kernel.origin[l];
        let scaled = |i: usize, l: usize| shifted(i, l) / kernel.widths[l];
        let square = |i: usize| (0..dimension).map(|l| scaled(i, l).powi(2)).sum::<f64>();
        // After the coordinates comes half the squared length, with a minus: what an inner product lacks of a
        // distance.
        let coordinates = Coordinates::new(points.len(), dimension + 1, |i, l| {
            if l < dimension { scaled(i, l) } else { -0.5 * square(i) }
        });
        let reach = (0..points.len()).map(square).fold(0.0, f64::max);
        if (0..points.len()).any(|i| !square(i).is_finite()) {
            return Err(KernelError::Overflow);
        }
        let of_differentiated = |i: usize, l: usize| shifted(i, kernel.differentiated[l]);
        let shifted = Matrix::from_fn(points.len(), kernel.differentiated.len(), of_differentiated);
        Ok(ScaledPoints { coordinates, shifted, reach })
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.coordinates.rows()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of coordinates.
    pub fn dimension(&self) -> usize {
        self.coordinates.dimension() - 1
    }

    /// Coordinate `l` of point `i`, less the origin and divided by the width.
    pub fn coordinate(&self, i: usize, l: usize) -> f64 {
        self.coordinates.value(i, l)
    }

    /// The `l`-th of the differentiated coordinates of point `i`, less the origin, in the units of the data.
    pub fn shifted(&self, i: usize, l: usize) -> f64 {
        self.shifted[(i, l)]
    }
}

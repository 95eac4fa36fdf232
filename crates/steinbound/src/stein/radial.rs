use std::sync::Arc;

use super::form::{Diagonal, Holder, Operator, SteinForm, Term, check_shape};
use crate::compute::pairs::{PairKernel, PairSum, Scaled};
use crate::compute::tiles::{Computed, Stored, TileSource};
use crate::compute::{memory, products};
use crate::error::{Error, KernelError};
use crate::interrupt::Interrupt;
use crate::kernel::Kernel;
use crate::matrix::Matrix;
use crate::points::Points;

/// The form of a radial kernel as it is, without a boundary: plain KSD, and the base of the other forms.
///
/// Held *tiled* (pairs are evaluated in each pass, memory grows with `n`) or *dense* (evaluated once and stored, memory
/// grows with `n^2`). Both do the same arithmetic in the same order and give the same bits.
///
/// ```
/// use steinbound::stein::{Radial, SteinForm};
/// use steinbound::{Points, kernel};
/// let points = Points::from_rows(&[[0.0, 1.0], [2.0, 0.5]])?;
/// let form = Radial::dense(&points, kernel::by_name("imq")?, 1.0)?;
/// assert_eq!(form.holder().form, "dense");
/// # Ok::<(), steinbound::Error>(())
/// ```
pub struct Radial {
    source: Box<dyn TileSource>,
    form: &'static str,
}

impl Radial {
    /// The tiled form: the bandwidth times each coordinate's scale, differentiated in all coordinates.
    pub fn tiled(points: &Points, kernel: Arc<dyn Kernel>, bandwidth: f64) -> Result<Radial, Error> {
        let all = (0..points.dimension()).collect();
        Radial::new(points, kernel, widths(points, bandwidth), all, false)
    }

    /// The dense form: the bandwidth times each coordinate's scale, differentiated in all coordinates.
    pub fn dense(points: &Points, kernel: Arc<dyn Kernel>, bandwidth: f64) -> Result<Radial, Error> {
        let all = (0..points.dimension()).collect();
        Radial::new(points, kernel, widths(points, bandwidth), all, true)
    }

    /// The general form: one width for each coordinate, and the coordinates in which to differentiate.
    ///
    /// In a regression the points are (response, covariates), the widths make the product kernel, and
    /// only the response is differentiated.
    pub fn new(
        points: &Points,
        kernel: Arc<dyn Kernel>,
        widths: Vec<f64>,
        differentiated: Vec<usize>,
        dense: bool,
    ) -> Result<Radial, Error> {
        Radial::until(points, kernel, widths, differentiated, dense, &Interrupt::new())
    }

    /// The same form, of which passes are errors once the interrupt is raised.
    pub(crate) fn until(
        points: &Points,
        kernel: Arc<dyn Kernel>,
        widths: Vec<f64>,
        differentiated: Vec<usize>,
        dense: bool,
        interrupt: &Interrupt,
    ) -> Result<Radial, Error> {
        let (origin, interrupt) = (points.mean(), interrupt.clone());
        let kernel = PairKernel { kernel, widths, differentiated, origin, interrupt };
        kernel.check(points.dimension())?;
        if dense {
            check_dense(points.len())?;
        }
        let scaled = kernel.scale(points)?;
        let computed = Computed { kernel, points: scaled };
        Ok(if dense {
            Radial { source: Box::new(Stored::new(computed)), form: "dense" }
        } else {
            Radial { source: Box::new(computed), form: "tiled" }
        })
    }

    pub(super) fn kernel(&self) -> &PairKernel {
        self.source.pair_kernel()
    }

    pub(super) fn scaled(&self) -> &Scaled {
        self.source.points()
    }
}

impl SteinForm for Radial {
    fn points(&self) -> usize {
        self.scaled().len()
    }

    fn dimension(&self) -> usize {
        self.kernel().widths.len()
    }

    fn differentiated(&self) -> &[usize] {
        &self.kernel().differentiated
    }

    fn apply(&self, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        check_shape(self, columns, terms)?;
        let (sums, signs) = lower(terms);
        let products = products::symmetric(self.source.as_ref(), columns, &sums);
        self.kernel().interrupt.check()?;
        Ok(with_signs(products, &signs))
    }

    fn apply_at(&self, targets: &Points, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        check_shape(self, columns, terms)?;
        let rows = self.kernel().scale(targets)?;
        self.kernel().interrupt.watch(|| Ok(cross(self.kernel(), &rows, self.scaled(), columns, terms)))
    }

    fn diagonal(&self) -> Diagonal {
        let (value, both) = self.kernel().diagonal();
        Diagonal {
            value: vec![value; self.points()],
            slope: Matrix::zeros(self.points(), self.coordinates()),
            both: vec![both; self.points()],
        }
    }

    fn holder(&self) -> Holder {
        Holder { form: self.form.to_string(), rank: None, residual: None }
    }
}

/// The terms of a radial kernel at row points against column points to which `columns` belong. Who wants the result asks the kernel's interrupt first.
pub(super) fn cross(
    kernel: &PairKernel,
    rows: &Scaled,
    others: &Scaled,
    columns: &Matrix,
    terms: &[Term],
) -> Matrix {
    let (sums, signs) = lower(terms);
    with_signs(products::cross(kernel, rows, others, columns, &sums), &signs)
}

/// The bytes that a dense form of so many points takes.
pub(crate) fn dense_bytes(points: usize) -> u128 {
    Stored::bytes(points)
}

/// Refuses a dense form of so many points where it would not fit in memory.
pub(crate) fn check_dense(points: usize) -> Result<(), KernelError> {
    let (bytes, available) = (dense_bytes(points), memory::available());
    if bytes > available { Err(KernelError::TooLarge { points, bytes, available }) } else { Ok(()) }
}

/// The bandwidth times the scale of each coordinate.
pub(crate) fn widths(points: &Points, bandwidth: f64) -> Vec<f64> {
    points.scales().iter().map(|scale| bandwidth * scale).collect()
}

/// For a radial kernel the two first derivatives differ only in sign: `d/dx_l k = - d/dy_l k`.
fn lower(terms: &[Term]) -> (Vec<(PairSum, usize)>, Vec<f64>) {
    let lowered = terms.iter().map(|term| match term.operator {
        Operator::Value => ((PairSum::Value, term.column), 1.0),
        Operator::Second(l) => ((PairSum::Slope(l), term.column), 1.0),
        Operator::First(l) => ((PairSum::Slope(l), term.column), -1.0),
        Operator::Both => ((PairSum::Mixed, term.column), 1.0),
        Operator::Energy => ((PairSum::Energy, term.column), 1.0),
        Operator::Gram => ((PairSum::Gram, term.column), 1.0),
    });
    lowered.unzip()
}

fn with_signs(mut products: Matrix, signs: &[f64]) -> Matrix {
    for (j, sign) in signs.iter().enumerate() {
        if *sign < 0.0 {
            products.column_mut(j).iter_mut().for_each(|x| *x = -*x);
        }
    }
    products
}

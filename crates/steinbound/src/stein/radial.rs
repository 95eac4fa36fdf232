use std::sync::Arc;

use super::form::{Diagonal, FormKind, Holder, Operator, SteinForm, Term, check_shape};
use crate::engine::{Engine, Evaluator, Native, PairKernel, PairSum, PreparedPairs, ScaledPoints, Storage};
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::kernel::Kernel;
use crate::matrix::Matrix;
use crate::points::Points;

/// The form of a radial kernel as it is, without a boundary: plain KSD, and the base of the other forms.
///
/// Held *tiled* (pairs are evaluated in each pass, memory grows with `n`) or *dense* (evaluated once and
/// stored, memory grows with `n^2`). Both do the same arithmetic in the same order and give the same bits.
///
/// ```
/// use steinbound::stein::{FormKind, Radial, SteinForm};
/// use steinbound::{Points, kernel};
/// let points = Points::from_rows(&[[0.0, 1.0], [2.0, 0.5]])?;
/// let form = Radial::dense(&points, kernel::by_name("imq")?, 1.0)?;
/// assert_eq!(form.holder().form, FormKind::Dense);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub struct Radial {
    pub(super) evaluator: Evaluator,
    points: Arc<ScaledPoints>,
    pairs: Box<dyn PreparedPairs>,
    storage: Storage,
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
        let kernel = PairKernel::new(kernel, widths, differentiated, points.mean())?;
        let storage = if dense { Storage::Dense } else { Storage::Tiled };
        Radial::on(Arc::new(Native), points, kernel, storage, &Interrupt::new())
    }

    /// The form on an engine of choice. Once the interrupt is raised, passes are errors.
    pub fn on(
        engine: Arc<dyn Engine>,
        points: &Points,
        kernel: PairKernel,
        storage: Storage,
        interrupt: &Interrupt,
    ) -> Result<Radial, Error> {
        let (kernel, points) = (Arc::new(kernel.clone()), Arc::new(kernel.scale(points)?));
        let pairs = engine.prepare(Arc::clone(&kernel), Arc::clone(&points), storage, interrupt)?;
        let evaluator = Evaluator { engine, kernel, interrupt: interrupt.clone() };
        Ok(Radial { evaluator, points, pairs, storage })
    }

    pub(super) fn scaled(&self) -> &ScaledPoints {
        &self.points
    }
}

impl SteinForm for Radial {
    fn points(&self) -> usize {
        self.points.len()
    }

    fn dimension(&self) -> usize {
        self.points.dimension()
    }

    fn differentiated(&self) -> &[usize] {
        self.evaluator.kernel.differentiated()
    }

    fn apply(&self, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        check_shape(self, columns, terms)?;
        let (sums, signs) = lower(terms);
        let products = self.pairs.symmetric(columns, &sums, &self.evaluator.interrupt)?;
        Ok(with_signs(products, &signs))
    }

    fn apply_at(&self, targets: &Points, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        check_shape(self, columns, terms)?;
        cross(&self.evaluator, &self.evaluator.scale(targets)?, &self.points, columns, terms)
    }

    fn diagonal(&self) -> Result<Diagonal, Error> {
        let (value, both) = self.evaluator.kernel.diagonal();
        Ok(Diagonal {
            value: vec![value; self.points()],
            between: Matrix::zeros(self.points(), 0),
            slope: Matrix::zeros(self.points(), self.coordinates()),
            both: vec![both; self.points()],
        })
    }

    fn holder(&self) -> Holder {
        Holder::exact(match self.storage {
            Storage::Dense => FormKind::Dense,
            Storage::Tiled => FormKind::Tiled,
        })
    }
}

/// The terms of a radial kernel at row points against column points to which `columns` belong.
pub(super) fn cross(
    evaluator: &Evaluator,
    rows: &ScaledPoints,
    others: &ScaledPoints,
    columns: &Matrix,
    terms: &[Term],
) -> Result<Matrix, Error> {
    let (sums, signs) = lower(terms);
    Ok(with_signs(evaluator.cross(rows, others, columns, &sums)?, &signs))
}

/// The bandwidth times the scale of each coordinate.
pub(crate) fn widths(points: &Points, bandwidth: f64) -> Vec<f64> {
    points.scales().iter().map(|scale| bandwidth * scale).collect()
}

/// For a radial kernel the two first derivatives differ only in sign: `d/dx_l k = - d/dy_l k`.
fn lower(terms: &[Term]) -> (Vec<(PairSum, usize)>, Vec<f64>) {
    let lowered = terms.iter().map(|term| match term.operator {
        Operator::Value | Operator::Between(..) => ((PairSum::Value, term.column), 1.0),
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

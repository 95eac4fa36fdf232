//! The seam between kernels and estimators: four operators, applied to a few columns.

use crate::compute::place_of;
use crate::error::{Error, KernelError};
use crate::matrix::Matrix;
use crate::points::Points;

/// One of the operators that a kernel `k0` and the data fix once and for all, whatever the parameters.
///
/// Applied to a column `v`, each gives for every point `x_i` a sum over the data points `x_j`:
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `M v`: `sum_j k0(x_i, x_j) v_j`.
    Value,
    /// `D_l v`: `sum_j d/dy_l k0(x_i, x_j) v_j`, the derivative in the second argument (the data point).
    Second(usize),
    /// `D_l' v`: `sum_j d/dx_l k0(x_i, x_j) v_j`, the derivative in the first argument (the point of evaluation).
    First(usize),
    /// `E v`: `sum_j sum_l d/dx_l d/dy_l k0(x_i, x_j) v_j`.
    Both,
    /// Any column `u` with `v' u = v' E v`: where only that number is wanted, it can be had for less than `E v`.
    Energy,
    /// `P v` with any `P` for which `P + P' = 2 M`: where only the inner products `u' M v = (u' P v + v' P u) / 2` of such columns are wanted,
    /// half the sums will do.
    Gram,
}

/// An operator and the number of the column it is applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// The operator.
    pub operator: Operator,
    /// The column, counted from zero.
    pub column: usize,
}

impl Term {
    /// The operator applied to a column.
    pub fn new(operator: Operator, column: usize) -> Term {
        Term { operator, column }
    }
}

/// The diagonals of the operators, which U-statistics leave out.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagonal {
    /// `k0(x_i, x_i)`.
    pub value: Vec<f64>,
    /// `d/dy_l k0(x_i, x_i)`, one column for each differentiated coordinate. First and second argument agree here.
    pub slope: Matrix,
    /// `sum_l d/dx_l d/dy_l k0(x_i, x_i)`.
    pub both: Vec<f64>,
}

/// How a form holds its pairs; part of every result.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Holder {
    /// `dense`, `tiled`, or the name of another form.
    pub form: String,
    /// The number of landmarks of a low-rank form.
    pub rank: Option<usize>,
    /// What a low-rank form leaves out, as a share of the kernel's mean diagonal.
    pub residual: Option<f64>,
}

/// A kernel at the data, with its derivatives, as operators on columns.
///
/// This is all that estimators, standard errors, tests and witnesses know of kernel, data and boundary. Derivatives
/// are in the *differentiated* coordinates (all of them for a density, the response alone in a regression).
/// Observation weights are not known here: they are multiplied into the columns, so that resampling is a matter of
/// other columns. A new way to hold the pairs implements this trait, and no estimator changes.
///
/// ```
/// use steinbound::stein::{Operator, Radial, SteinForm, Term};
/// use steinbound::{Matrix, Points, kernel};
/// let points = Points::from_rows(&[[0.0], [2.0]])?;
/// let form = Radial::tiled(&points, kernel::by_name("gaussian")?, 1.0)?;
/// let ones = Matrix::from_fn(2, 1, |_, _| 1.0);
/// let sums = form.apply(&ones, &[Term::new(Operator::Value, 0)])?;
/// assert!((sums[(0, 0)] - (1.0 + (-2.0f64).exp())).abs() < 1e-15);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub trait SteinForm: Send + Sync {
    /// The number of data points, `n`.
    fn points(&self) -> usize;

    /// The number of coordinates of a point, `d`.
    fn dimension(&self) -> usize;

    /// The coordinates in which derivatives are taken.
    fn differentiated(&self) -> &[usize];

    /// The number of differentiated coordinates.
    fn coordinates(&self) -> usize {
        self.differentiated().len()
    }

    /// The terms at the data points, in one fused pass: `columns` is `n` by anything, the result `n` by the number of terms.
    fn apply(&self, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error>;

    /// The terms at other points: `columns` still belong to the data.
    fn apply_at(&self, targets: &Points, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error>;

    /// The diagonals of the operators.
    fn diagonal(&self) -> Diagonal;

    /// How the pairs are held.
    fn holder(&self) -> Holder;

    /// For a form made of a few functions, the sums over the data of these functions (terms [`Operator::Value`]) and their
    /// derivatives ([`Operator::Second`]), functions by terms: half of what [`apply`](SteinForm::apply) has to do.
    fn feature_sums(&self, _columns: &Matrix, _terms: &[Term]) -> Option<Result<Matrix, Error>> {
        None
    }

    /// For a conditioned kernel, how much of the kernel is left at boundary points ([`Conditioned::leaks`](super::Conditioned::leaks)).
    fn leaks(&self) -> Vec<f64> {
        Vec::new()
    }

    /// The same for other boundary points, each measured by the others.
    fn leaks_among(&self, _boundary: &Points) -> Result<Vec<f64>, Error> {
        Ok(Vec::new())
    }

    /// For a conditioned kernel, how much of the kernel is left at some places ([`Conditioned::leaks_at`](super::Conditioned::leaks_at)).
    fn leaks_at(&self, _places: &Points) -> Result<Option<Vec<f64>>, Error> {
        Ok(None)
    }

    /// For a conditioned kernel, the condition number of `K + e I` at the boundary points.
    fn boundary_condition(&self) -> Option<f64> {
        None
    }

    /// For a conditioned kernel, `(K + e I)^-1` applied to the plain kernel's terms at the boundary points.
    fn multipliers(&self, _columns: &Matrix, _terms: &[Term]) -> Result<Option<Matrix>, Error> {
        Ok(None)
    }
}

/// Refuses columns and terms that do not belong to a form.
pub(super) fn check_shape(form: &dyn SteinForm, columns: &Matrix, terms: &[Term]) -> Result<(), KernelError> {
    if columns.rows() != form.points() {
        return Err(wrong_shape(form, format!("columns of {} values", columns.rows())));
    }
    for term in terms {
        let is_coordinate = match term.operator {
            Operator::Second(l) | Operator::First(l) => l < form.coordinates(),
            Operator::Value | Operator::Both | Operator::Energy | Operator::Gram => true,
        };
        if term.column >= columns.columns() || !is_coordinate {
            return Err(wrong_shape(form, format!("{term:?} on {} columns", columns.columns())));
        }
    }
    Ok(())
}

/// Terms of a kernel that is a sum of products `f(x) g(y)`, taken apart: sums over the data of `g`, and for each of the terms
/// (by number) combinations of `f` with these sums as coefficients. Derivatives in the data point belong to the former, in the point of evaluation to the
/// latter.
pub(super) fn there_and_back(terms: &[Term], coordinates: usize) -> (Vec<Term>, Vec<(usize, Term)>) {
    let mut there: Vec<Term> = Vec::new();
    let mut back: Vec<(usize, Term)> = Vec::new();
    for (output, term) in terms.iter().enumerate() {
        let parts: Vec<(Operator, Operator)> = match term.operator {
            Operator::Value | Operator::Gram => vec![(Operator::Value, Operator::Value)],
            Operator::Second(l) => vec![(Operator::Second(l), Operator::Value)],
            Operator::First(l) => vec![(Operator::Value, Operator::First(l))],
            Operator::Both | Operator::Energy => {
                (0..coordinates).map(|l| (Operator::Second(l), Operator::First(l))).collect()
            }
        };
        for (first, second) in parts {
            let at = place_of(&mut there, Term::new(first, term.column));
            back.push((output, Term::new(second, at)));
        }
    }
    (there, back)
}

/// The refusal to apply a form to something of another shape.
pub(super) fn wrong_shape(form: &dyn SteinForm, what: String) -> KernelError {
    KernelError::WrongShape { points: form.points(), coordinates: form.coordinates(), what }
}

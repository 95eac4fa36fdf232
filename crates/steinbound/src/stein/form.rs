//! The seam between kernels and estimators: four operators, applied to a few columns.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::conditioned::Conditioned;
use super::low_rank::LowRank;
use crate::compute::place_of;
use crate::error::{Error, KernelError};
use crate::matrix::Matrix;
use crate::points::Points;

/// One of the operators that a kernel `k0` and the data fix once and for all, whatever the parameters.
///
/// Applied to a column `v`, each gives for every point `x_i` a sum over the data points `x_j`. The kernel of
/// a [coupled](SteinForm::is_coupled) form is a matrix `K_lm(x, y)` with `K_lm(x, y) = K_ml(y, x)`; that of
/// any other form is the number `k0`, which stands for `k0` times the identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `M v`: `sum_j k0(x_i, x_j) v_j`. Coupled forms have [`Between`](Operator::Between) instead.
    Value,
    /// `sum_j K_lm(x_i, x_j) v_j`. Forms that are not coupled have it for `l = m`, where it is
    /// [`Value`](Operator::Value).
    Between(usize, usize),
    /// `D_l v`: `sum_j d/dy_l k0(x_i, x_j) v_j`, the derivative in the second argument (the data point).
    /// Coupled: `sum_j sum_m d/dy_m K_lm(x_i, x_j) v_j`.
    Second(usize),
    /// `D_l' v`: `sum_j d/dx_l k0(x_i, x_j) v_j`, the derivative in the first argument (the point of
    /// evaluation). Coupled: `sum_j sum_m d/dx_m K_ml(x_i, x_j) v_j`.
    First(usize),
    /// `E v`: `sum_j sum_l d/dx_l d/dy_l k0(x_i, x_j) v_j`. Coupled:
    /// `sum_j sum_lm d/dx_l d/dy_m K_lm(x_i, x_j) v_j`.
    Both,
    /// Any column `u` with `v' u = v' E v`: where only that number is wanted, it can be had for less than
    /// `E v`.
    Energy,
    /// `P v` with any `P` for which `P + P' = 2 M`: where only the inner products
    /// `u' M v = (u' P v + v' P u) / 2` of such columns are wanted, half the sums will do. Not for coupled
    /// forms.
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
    /// `k0(x_i, x_i)`; empty for a coupled form.
    pub value: Vec<f64>,
    /// For a coupled form `K_lm(x_i, x_i)`, in column `l d + m` of `d` differentiated coordinates; without
    /// columns for any other.
    pub between: Matrix,
    /// `d/dy_l k0(x_i, x_i)`, one column for each differentiated coordinate. First and second argument agree
    /// here.
    pub slope: Matrix,
    /// `sum_l d/dx_l d/dy_l k0(x_i, x_i)`.
    pub both: Vec<f64>,
}

impl Diagonal {
    /// The diagonal of one operator.
    pub fn of(&self, operator: Operator) -> &[f64] {
        match operator {
            Operator::Between(l, m) if self.value.is_empty() => {
                self.between.column(l * self.slope.columns() + m)
            }
            Operator::Value | Operator::Gram | Operator::Between(..) => &self.value,
            Operator::Second(l) | Operator::First(l) => self.slope.column(l),
            Operator::Both | Operator::Energy => &self.both,
        }
    }
}

/// How a form holds its pairs; part of every result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// The kind of form.
    pub form: FormKind,
    /// The number of landmarks of a low-rank form.
    pub rank: Option<usize>,
    /// What a low-rank form leaves out, as a share of the kernel's mean diagonal.
    pub residual: Option<f64>,
}

impl Holder {
    /// A form that is exact.
    pub fn exact(form: FormKind) -> Holder {
        Holder { form, rank: None, residual: None }
    }
}

/// What a form is made of, written as its name.
///
/// ```
/// use steinbound::stein::FormKind;
/// assert_eq!(FormKind::LowRank.to_string(), "low-rank");
/// assert_eq!(FormKind::from("dense".to_string()), FormKind::Dense);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
#[non_exhaustive]
pub enum FormKind {
    /// All pairs, stored.
    Dense,
    /// All pairs, computed in each pass.
    Tiled,
    /// A few landmarks in place of all points.
    LowRank,
    /// Test fields over landmarks.
    Landmarks,
    /// A form from elsewhere, by its name.
    Other(String),
}

impl fmt::Display for FormKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            FormKind::Dense => "dense",
            FormKind::Tiled => "tiled",
            FormKind::LowRank => "low-rank",
            FormKind::Landmarks => "landmarks",
            FormKind::Other(name) => name,
        })
    }
}

impl From<String> for FormKind {
    fn from(name: String) -> FormKind {
        let known = [FormKind::Dense, FormKind::Tiled, FormKind::LowRank, FormKind::Landmarks];
        known.into_iter().find(|kind| kind.to_string() == name).unwrap_or(FormKind::Other(name))
    }
}

impl From<FormKind> for String {
    fn from(kind: FormKind) -> String {
        kind.to_string()
    }
}

/// What some forms have beyond the operators.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct Parts<'a> {
    /// The conditioned kernel behind the form, where it is conditioned on boundary points.
    pub conditioned: Option<&'a Conditioned>,
    /// The form as a sum of products of a few functions, where it is one.
    pub features: Option<&'a LowRank>,
}

/// A kernel at the data, with its derivatives, as operators on columns.
///
/// This is all that estimators, standard errors, tests and witnesses know of kernel, data and boundary.
/// Derivatives are in the *differentiated* coordinates (all of them for a density, the response alone in a
/// regression). Observation weights are not known here: they are multiplied into the columns, so that
/// resampling is a matter of other columns. A new way to hold the pairs implements this trait, and no
/// estimator changes.
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

    /// The terms at the data points, in one fused pass: `columns` is `n` by anything, the result `n` by the
    /// number of terms.
    fn apply(&self, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error>;

    /// The terms at other points: `columns` still belong to the data.
    fn apply_at(&self, targets: &Points, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error>;

    /// The diagonals of the operators.
    fn diagonal(&self) -> Result<Diagonal, Error>;

    /// How the pairs are held.
    fn holder(&self) -> Holder;

    /// Whether the kernel is a matrix `K_lm(x, y)` that couples coordinates, and not one number for all of
    /// them.
    fn is_coupled(&self) -> bool {
        false
    }

    /// What the form has beyond the operators.
    fn parts(&self) -> Parts<'_> {
        Parts::default()
    }
}

/// Refuses columns and terms that do not belong to a form.
pub(super) fn check_shape(form: &dyn SteinForm, columns: &Matrix, terms: &[Term]) -> Result<(), KernelError> {
    if columns.rows() != form.points() {
        return Err(wrong_shape(form, format!("columns of {} values", columns.rows())));
    }
    for term in terms {
        let is_known = match term.operator {
            Operator::Second(l) | Operator::First(l) => l < form.coordinates(),
            Operator::Between(l, m) => l.max(m) < form.coordinates() && (l == m || form.is_coupled()),
            Operator::Value | Operator::Gram => !form.is_coupled(),
            Operator::Both | Operator::Energy => true,
        };
        if term.column >= columns.columns() || !is_known {
            return Err(wrong_shape(form, format!("{term:?} on {} columns", columns.columns())));
        }
    }
    Ok(())
}

/// Terms of a kernel that is a sum of products `f(x) g(y)`, taken apart: sums over the data of `g`, and for
/// each of the terms (by number) combinations of `f` with these sums as coefficients. Derivatives in the data
/// point belong to the former, in the point of evaluation to the latter.
pub(super) fn split_terms(terms: &[Term], coordinates: usize) -> (Vec<Term>, Vec<(usize, Term)>) {
    let mut inner: Vec<Term> = Vec::new();
    let mut outer: Vec<(usize, Term)> = Vec::new();
    for (output, term) in terms.iter().enumerate() {
        let parts: Vec<(Operator, Operator)> = match term.operator {
            Operator::Value | Operator::Gram | Operator::Between(..) => {
                vec![(Operator::Value, Operator::Value)]
            }
            Operator::Second(l) => vec![(Operator::Second(l), Operator::Value)],
            Operator::First(l) => vec![(Operator::Value, Operator::First(l))],
            Operator::Both | Operator::Energy => {
                (0..coordinates).map(|l| (Operator::Second(l), Operator::First(l))).collect()
            }
        };
        for (first, second) in parts {
            let at = place_of(&mut inner, Term::new(first, term.column));
            outer.push((output, Term::new(second, at)));
        }
    }
    (inner, outer)
}

/// The refusal to apply a form to something of another shape.
pub(super) fn wrong_shape(form: &dyn SteinForm, what: String) -> KernelError {
    KernelError::WrongShape { points: form.points(), coordinates: form.coordinates(), what }
}

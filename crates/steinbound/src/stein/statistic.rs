//! The discrepancy, its gradient and the influence of each point, from one pass over the pairs.
//!
//! A score is written in *features*: `psi_l(x) = sum_c phi_c(x) a_cl`, with a derivative in the parameters
//! `d psi_l / d theta_k = sum_c phi_c(x) S_l(c, k)`. For an affine model the features and `S` do not depend
//! on the parameters (a Gaussian has the features `1, x_1, .., x_d`); for any other the scores and their
//! Jacobians at the parameters at hand are the features. With weights `w` and the operators of [`SteinForm`],
//! the pass yields
//!
//! ```text
//! G = Phi' W M W Phi,   c_l = Phi' W D_l w,   e = w' E w,
//! discrepancy^2 = ( sum_l a_l' G a_l + 2 a_l' c_l + e ) / Z,
//! ```
//!
//! (for a [coupled](SteinForm::is_coupled) form `G` has a block for each pair of coordinates, and
//! `a_l' G a_l` becomes `sum_m a_l' G_lm a_m`), with `Z = (sum w)^2` for the V-statistic; the U-statistic
//! leaves all diagonals out and has `Z = (sum w)^2 - sum w^2`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::form::{Operator, SteinForm, Term, wrong_shape};
use super::gram::{Coupling, Gram, sum};
use super::off_diagonal::OffDiagonal;
use crate::compute::cholesky::ScaledCholesky;
use crate::compute::dot;
use crate::error::{Error, KernelError};
use crate::matrix::{Matrix, add_scaled, weighted_columns};
use crate::model::LinearScore;

/// Which mean of the Stein kernel over pairs of observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Statistic {
    /// Over all pairs, each point with itself included: never negative, biased upwards by `O(1/n)`.
    #[default]
    V,
    /// Over pairs of different points: unbiased, and therefore sometimes negative.
    U,
}

impl Statistic {
    /// A V-statistic is never negative: what is below zero is rounding.
    pub(crate) fn clean(self, squared: f64) -> f64 {
        if self == Statistic::V && squared < 0.0 { 0.0 } else { squared }
    }

    /// The pairs that the statistic is a mean over. The diagonal that a U-statistic leaves out is computed
    /// here, once.
    pub(crate) fn pairs(self, form: &dyn SteinForm) -> Result<Pairs<'_>, Error> {
        Ok(match self {
            Statistic::V => Pairs::All(form),
            Statistic::U => Pairs::Different(OffDiagonal::new(form)?),
        })
    }

    /// `Z`: what the sum over pairs is divided by.
    pub fn normaliser(self, weights: &[f64]) -> f64 {
        self.normaliser_of(weights.iter().sum(), weights.iter().map(|w| w * w).sum())
    }

    /// `Z` from the sum of the weights and that of their squares.
    pub(super) fn normaliser_of(self, total: f64, squares: f64) -> f64 {
        match self {
            Statistic::V => total * total,
            Statistic::U => total * total - squares,
        }
    }
}

/// A form restricted to the pairs of a statistic.
pub(crate) enum Pairs<'a> {
    All(&'a dyn SteinForm),
    Different(OffDiagonal<'a>),
}

impl Pairs<'_> {
    pub(crate) fn form(&self) -> &dyn SteinForm {
        match self {
            Pairs::All(form) => *form,
            Pairs::Different(form) => form,
        }
    }

    /// `Z`.
    fn normaliser(&self, weights: &[f64]) -> f64 {
        let statistic = match self {
            Pairs::All(_) => Statistic::V,
            Pairs::Different(_) => Statistic::U,
        };
        statistic.normaliser(weights)
    }
}

/// The most products with sets of weights that are computed at once (64 MB).
const MOST_PRODUCTS: usize = 8_000_000;

/// The sums over pairs that the discrepancy of any score in these features is made of.
///
/// They are free of the parameters, and their size does not depend on the number of points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// `G`, features by features.
    pub gram: Gram,
    /// `c_l`, features by coordinates.
    pub cross: Matrix,
    /// `e`.
    pub constant: f64,
    /// `Z`.
    pub normaliser: f64,
}

impl Moments {
    /// From weighted features and the products `M W Phi` (block by block for a coupled kernel) and `D_l w`
    /// with them; of the former only the first `full` need be `M` itself, the others any [`Operator::Gram`].
    fn new(
        columns: &Matrix,
        products: &Matrix,
        full: usize,
        coupling: Coupling,
        constant: f64,
        normaliser: f64,
    ) -> Moments {
        let count = columns.columns() - 1;
        let dot_at = |c: usize, at: usize| dot(columns.column(c), products.column(at));
        let blocks = coupling.values().len();
        let gram = if coupling.is_coupled {
            let block = |at: usize| Matrix::from_fn(count, count, |c, other| dot_at(c, at * count + other));
            let mut blocks: Vec<Matrix> = (0..blocks).map(block).collect();
            symmetrise_blocks(&mut blocks, coupling);
            Gram::Coupled(blocks)
        } else {
            let mut gram = Matrix::from_fn(count, count, |c, at| {
                if at >= full && c < full { dot_at(at, c) } else { dot_at(c, at) }
            });
            symmetrise(&mut gram);
            Gram::Shared(gram)
        };
        let cross = Matrix::from_fn(count, coupling.coordinates, |c, l| dot_at(c, blocks * count + l));
        Moments { gram, cross, constant, normaliser }
    }

    /// The sums for the same features with each of several sets of weights, of either sign, in as few passes
    /// over the pairs as memory allows.
    pub(crate) fn reweighted(
        pairs: &Pairs,
        features: &Matrix,
        sets: &[Vec<f64>],
    ) -> Result<Vec<Moments>, Error> {
        let form = pairs.form();
        let (count, coupling) = (features.columns(), Coupling::of(form));
        // The terms of one set: values of the features, slopes and energy of the weights themselves.
        let width = coupling.values().len() * count + coupling.coordinates + 1;
        let at_once = (MOST_PRODUCTS / (form.points().max(1) * width)).max(1);
        let mut list = Vec::with_capacity(sets.len());
        for some in sets.chunks(at_once) {
            let mut columns = Matrix::zeros(form.points(), 0);
            let mut terms = Vec::with_capacity(some.len() * width);
            for weights in some {
                let start = columns.columns();
                columns = columns.beside(&checked_columns(form, features, weights)?);
                for value in coupling.values() {
                    terms.extend((0..count).map(|c| Term::new(value, start + c)));
                }
                terms
                    .extend((0..coupling.coordinates).map(|l| Term::new(Operator::Second(l), start + count)));
                terms.push(Term::new(Operator::Energy, start + count));
            }
            let products = form.apply(&columns, &terms)?;
            for (k, weights) in some.iter().enumerate() {
                let own = columns.part(k * (count + 1)..(k + 1) * (count + 1));
                let products = products.part(k * width..(k + 1) * width);
                let constant = dot(weights, products.column(width - 1));
                let normaliser = pairs.normaliser(weights);
                list.push(Moments::new(&own, &products, count, coupling, constant, normaliser));
            }
        }
        Ok(list)
    }

    /// The squared discrepancy of the score with these coefficients (features by coordinates).
    pub fn value(&self, coefficients: &Matrix) -> f64 {
        self.pair_sum(coefficients) / self.normaliser
    }

    /// `sum_ij w_i w_j H(x_i, x_j)`, before it is divided by `Z`.
    pub fn pair_sum(&self, coefficients: &Matrix) -> f64 {
        let mut sum = self.constant;
        for l in 0..coefficients.columns() {
            let a = coefficients.column(l);
            sum += dot(a, &self.gram.times(l, coefficients)) + 2.0 * dot(a, self.cross.column(l));
        }
        sum
    }

    /// The normal equations `N theta = r` of the minimum over an affine score.
    ///
    /// Half the Hessian of the squared discrepancy is `N = sum_l S_l' G S_l / Z`, and
    /// `r = -sum_l S_l' (G s_l + c_l) / Z`. Coupled: `N = sum_lm S_l' G_lm S_m / Z` and
    /// `r = -sum_l S_l' (sum_m G_lm s_m + c_l) / Z`.
    pub fn normal_equations(&self, score: &LinearScore) -> (Matrix, Vec<f64>) {
        let mut normal = Matrix::zeros(score.parameters, score.parameters);
        let mut right = vec![0.0; score.parameters];
        for (l, slots) in score.design.iter().enumerate() {
            let mut pull = self.gram.times(l, &score.offset);
            add_scaled(&mut pull, 1.0, self.cross.column(l));
            for a in slots {
                right[a.parameter] -= a.factor * pull[a.feature] / self.normaliser;
                for (m, others) in score.design.iter().enumerate() {
                    let Some(gram) = self.gram.block(l, m, score.design.len()) else { continue };
                    for b in others {
                        let product = a.factor * b.factor * gram[(a.feature, b.feature)];
                        normal[(a.parameter, b.parameter)] += product / self.normaliser;
                    }
                }
            }
        }
        (normal, right)
    }
}

/// What a pass yields whatever the features are.
#[derive(Debug, Clone)]
pub(crate) struct Fixed {
    /// `D_l w`, one column for each coordinate.
    second: Matrix,
    /// `e`.
    constant: f64,
}

impl Fixed {
    pub(crate) fn new(pairs: &Pairs, weights: &[f64]) -> Result<Fixed, Error> {
        let pass = Pass::new(pairs, Matrix::zeros(weights.len(), 0), weights, None)?;
        Ok(Fixed { second: pass.second, constant: pass.moments.constant })
    }
}

/// One pass over the pairs: the moments, and what the influence of each point is made of.
#[derive(Debug, Clone)]
pub(crate) struct Pass {
    features: Matrix,
    coupling: Coupling,
    /// `M W Phi`, one column for each feature: one matrix for each of [`Coupling::values`].
    value: Vec<Matrix>,
    /// `D_l w`, one column for each coordinate.
    second: Matrix,
    /// `D_l' W phi_c` for the pairs (l, c) that the design uses.
    first: BTreeMap<(usize, usize), Vec<f64>>,
    total_weight: f64,
    moments: Moments,
}

impl Pass {
    /// Runs the pass for `n` by `features` values. With a score whose design is given, it also
    /// gathers what [`Pass::influence`] needs.
    pub(crate) fn new(
        pairs: &Pairs,
        features: Matrix,
        weights: &[f64],
        score: Option<&LinearScore>,
    ) -> Result<Pass, Error> {
        let form = pairs.form();
        let (count, coupling) = (features.columns(), Coupling::of(form));
        let columns = checked_columns(form, &features, weights)?;
        let mut terms = value_terms(coupling, count, count);
        terms.extend((0..coupling.coordinates).map(|l| Term::new(Operator::Second(l), count)));
        let used = score.map_or_else(BTreeSet::new, LinearScore::used_features);
        terms.extend(used.iter().map(|(l, c)| Term::new(Operator::First(*l), *c)));
        terms.push(Term::new(Operator::Energy, count));
        let products = form.apply(&columns, &terms)?;
        let constant = dot(weights, products.column(terms.len() - 1));
        let moments = Moments::new(&columns, &products, count, coupling, constant, pairs.normaliser(weights));
        Ok(Pass::from_products(features, &products, &used, coupling, moments, weights.iter().sum()))
    }

    /// The pass for other features over the same pairs, when what does not depend on the features is known.
    ///
    /// Features are the scores and then their derivatives. Without a score, the sums are all that is wanted
    /// of the derivatives.
    pub(crate) fn with(
        pairs: &Pairs,
        features: Matrix,
        weights: &[f64],
        score: Option<&LinearScore>,
        fixed: &Fixed,
    ) -> Result<Pass, Error> {
        let form = pairs.form();
        let (count, coupling) = (features.columns(), Coupling::of(form));
        let columns = checked_columns(form, &features, weights)?;
        let full = if score.is_some() { count } else { coupling.coordinates.min(count) };
        let mut terms = value_terms(coupling, count, full);
        let values = terms.len();
        let used = score.map_or_else(BTreeSet::new, LinearScore::used_features);
        terms.extend(used.iter().map(|(l, c)| Term::new(Operator::First(*l), *c)));
        let found = form.apply(&columns, &terms)?;
        let products = found.part(0..values).beside(&fixed.second).beside(&found.part(values..terms.len()));
        let moments =
            Moments::new(&columns, &products, full, coupling, fixed.constant, pairs.normaliser(weights));
        Ok(Pass::from_products(features, &products, &used, coupling, moments, weights.iter().sum()))
    }

    /// The pass from its products: `M W Phi` block by block, `D_l w`, and `D_l' W phi_c` for the pairs used.
    pub(super) fn from_products(
        features: Matrix,
        products: &Matrix,
        used: &BTreeSet<(usize, usize)>,
        coupling: Coupling,
        moments: Moments,
        total_weight: f64,
    ) -> Pass {
        let (count, blocks) = (features.columns(), coupling.values().len());
        let values = count * blocks;
        let first = (values + coupling.coordinates..).zip(used);
        let first = first.map(|(at, key)| (*key, products.column(at).to_vec())).collect();
        let value = (0..blocks).map(|at| products.part(at * count..(at + 1) * count)).collect();
        let second = products.part(values..values + coupling.coordinates);
        Pass { features, coupling, value, second, first, total_weight, moments }
    }

    /// The sums over pairs.
    pub(crate) fn moments(&self) -> &Moments {
        &self.moments
    }

    /// The influence of each point on the minimum `theta`: one row for each point, one column for each
    /// parameter.
    ///
    /// With `g_i` the [gradients](Pass::gradients) and `N` half the Hessian, the influence is `-N^-1 g_i`, so
    /// that the estimate moves by `sum_i w_i influence_i / sum w` to first order.
    pub(crate) fn influence(&self, score: &LinearScore, theta: &[f64], normal: &ScaledCholesky) -> Matrix {
        normal.solve_rows(&self.gradients(score, theta), -1.0)
    }

    /// How strongly the discrepancy pulls on the score at each point: `M W psi_l + D_l w`, half the
    /// derivative of the sum over pairs in `w_i psi_l(x_i)`.
    pub(crate) fn pull(&self, coefficients: &Matrix) -> Matrix {
        let mut pull = Matrix::zeros(self.features.rows(), coefficients.columns());
        for l in 0..pull.columns() {
            let parts = self
                .coupling
                .partners(l)
                .map(|m| self.value[self.coupling.place(l, m)].times_vector(coefficients.column(m)));
            sum(parts).into_iter().for_each(|part| pull.column_mut(l).copy_from_slice(&part));
            add_scaled(pull.column_mut(l), 1.0, self.second.column(l));
        }
        pull
    }

    /// The contribution of each point to the gradient, `g_i = (sum w / Z) sum_j w_j grad H(x_i, x_j)`: their
    /// weighted mean is the gradient of the squared discrepancy.
    pub(crate) fn gradients(&self, score: &LinearScore, theta: &[f64]) -> Matrix {
        let mut gradient = self.responses(score, theta);
        let pulls = self.pull(&score.at(theta));
        let factor = self.factor();
        for (l, slots) in score.design.iter().enumerate() {
            for slot in slots {
                let (phi, pull) = (self.features.column(slot.feature), pulls.column(l));
                let sums = gradient.column_mut(slot.parameter).iter_mut();
                let factor = factor * slot.factor;
                sums.zip(phi.iter().zip(pull)).for_each(|(sum, (phi, pull))| *sum += factor * phi * pull);
            }
        }
        gradient
    }

    /// How the mean Stein function moves at each point when a parameter does: the part of
    /// [`gradients`](Pass::gradients) in which the other point's score is differentiated,
    /// `(sum w / Z) sum_j w_j sum_l d psi_l(x_j) [psi_l(x_i) k0(x_i, x_j) + d/dx_l k0(x_i, x_j)]`.
    pub(crate) fn responses(&self, score: &LinearScore, theta: &[f64]) -> Matrix {
        let mut response = Matrix::zeros(self.features.rows(), score.parameters);
        let (coefficients, factor) = (score.at(theta), self.factor());
        let psi = |m: usize| self.features.times_vector(coefficients.column(m));
        let psi: Vec<Vec<f64>> = (0..coefficients.columns()).map(psi).collect();
        for (l, slots) in score.design.iter().enumerate() {
            for slot in slots {
                let mut moved = self.first[&(l, slot.feature)].clone();
                for m in self.coupling.partners(l) {
                    let value = self.value[self.coupling.place(m, l)].column(slot.feature);
                    let both = psi[m].iter().zip(value);
                    moved.iter_mut().zip(both).for_each(|(sum, (psi, value))| *sum += psi * value);
                }
                add_scaled(response.column_mut(slot.parameter), factor * slot.factor, &moved);
            }
        }
        response
    }

    /// `sum w / Z`.
    fn factor(&self) -> f64 {
        self.total_weight / self.moments.normaliser
    }
}

/// The terms `M W phi_c` of some features, block by block for a coupled kernel. Of another, those from `full`
/// on are needed for inner products alone.
fn value_terms(coupling: Coupling, count: usize, full: usize) -> Vec<Term> {
    let term = |value: Operator, c: usize| match value {
        Operator::Value if c >= full => Term::new(Operator::Gram, c),
        value => Term::new(value, c),
    };
    coupling.values().into_iter().flat_map(|value| (0..count).map(move |c| term(value, c))).collect()
}

/// Refuses scores that do not have one column for each differentiated coordinate.
pub(super) fn check_scores(form: &dyn SteinForm, scores: &Matrix) -> Result<(), KernelError> {
    if scores.columns() == form.coordinates() {
        return Ok(());
    }
    Err(wrong_shape(form, format!("scores of {} coordinates", scores.columns())))
}

/// The columns multiplied by the weights, and the weights, where both belong to the form.
pub(super) fn checked_columns(
    form: &dyn SteinForm,
    columns: &Matrix,
    weights: &[f64],
) -> Result<Matrix, KernelError> {
    checked_rows(form.points(), form.coordinates(), columns, weights)?;
    Ok(weighted_columns(columns, weights))
}

/// Refuses columns and weights that do not belong to this many points.
pub(super) fn checked_rows(
    points: usize,
    coordinates: usize,
    columns: &Matrix,
    weights: &[f64],
) -> Result<(), KernelError> {
    if weights.len() == points && columns.rows() == points {
        return Ok(());
    }
    let what = format!("{} rows with {} weights", columns.rows(), weights.len());
    Err(KernelError::WrongShape { points, coordinates, what })
}

/// Rounding leaves `Phi' W M W Phi` symmetric only to the last digits.
fn symmetrise(matrix: &mut Matrix) {
    for i in 0..matrix.rows() {
        for j in 0..i {
            let mean = 0.5 * (matrix[(i, j)] + matrix[(j, i)]);
            matrix[(i, j)] = mean;
            matrix[(j, i)] = mean;
        }
    }
}

/// The same for the blocks of a coupled kernel, of which that of `m` and `l` is the transpose of that of `l`
/// and `m`.
fn symmetrise_blocks(blocks: &mut [Matrix], coupling: Coupling) {
    for l in 0..coupling.coordinates {
        symmetrise(&mut blocks[coupling.place(l, l)]);
        for m in 0..l {
            let (one, other) = (coupling.place(l, m), coupling.place(m, l));
            let transposed = blocks[other].transpose();
            let mean = |i: usize, j: usize| 0.5 * (blocks[one][(i, j)] + transposed[(i, j)]);
            let mean = Matrix::from_fn(transposed.rows(), transposed.columns(), mean);
            (blocks[other], blocks[one]) = (mean.transpose(), mean);
        }
    }
}

/// The squared discrepancy of given scores (`n` by coordinates).
///
/// # Definition
///
/// The mean of the Stein kernel `H(x_i, x_j)` under the kernel of the form, over all pairs (V) or all pairs
/// of different points (U), with observation weights. The U-statistic can be negative.
///
/// # Requirements
///
/// One row of scores and one weight for each point of the form.
///
/// # Complexity
///
/// One pass over the pairs.
///
/// # Reference
///
/// Liu, Lee and Jordan, *A Kernelized Stein Discrepancy for Goodness-of-fit Tests*, ICML 2016; for truncated
/// domains Williams and Liu, ICML 2023, whose U-statistic is twice the unbiased one given here.
///
/// ```
/// use steinbound::stein::{Radial, Statistic, discrepancy_squared};
/// use steinbound::{Matrix, Points, kernel};
/// let points = Points::from_rows(&[[-0.5], [0.5]])?;
/// let form = Radial::tiled(&points, kernel::by_name("gaussian")?, 1.0)?;
/// let scores = Matrix::from_fn(2, 1, |i, _| -points.row(i)[0]);
/// let v = discrepancy_squared(&form, scores.clone(), &[1.0, 1.0], Statistic::V)?;
/// let u = discrepancy_squared(&form, scores, &[1.0, 1.0], Statistic::U)?;
/// assert!(v > 0.0 && u < v);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn discrepancy_squared(
    form: &dyn SteinForm,
    scores: Matrix,
    weights: &[f64],
    statistic: Statistic,
) -> Result<f64, Error> {
    check_scores(form, &scores)?;
    let pass = Pass::new(&statistic.pairs(form)?, scores, weights, None)?;
    Ok(statistic.clean(pass.moments().value(&Matrix::identity(form.coordinates()))))
}

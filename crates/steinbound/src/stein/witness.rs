//! The witness function: where, and in which direction, model and data disagree.

use super::form::{Operator, SteinForm, Term};
use super::gram::Coupling;
use super::statistic::{check_scores, checked_columns};
use crate::error::Error;
use crate::matrix::Matrix;
use crate::points::Points;

/// The function in the kernel's space that attains the discrepancy.
///
/// # Definition
///
/// `g_l(t) = mean_i [ psi_l(x_i) k0(x_i, t) + d/dx_l k0(x_i, t) ] / D`, where `D` is the discrepancy
/// (V-statistic) and the mean is weighted; for a coupled kernel
/// `g_l(t) = mean_i sum_m [ psi_m(x_i) K_lm(t, x_i) + d/dy_m K_lm(t, x_i) ] / D`. Its norm is 1 in `k0`'s
/// space, and the mean of the Stein operator applied to it is `+D`:
/// `mean_i sum_l [ psi_l(x_i) g_l(x_i) + d/dx_l g_l(x_i) ] = D`. It vanishes at the boundary points (TKSD, up
/// to the ridge) or on the boundary (bd-KSD).
///
/// # Requirements
///
/// A discrepancy that is not zero.
///
/// # Complexity
///
/// As many kernel values as there are pairs of a target and a data or boundary point.
///
/// # Reference
///
/// Williams and Liu, ICML 2023, section 4; the sign in its proof is corrected.
///
/// ```
/// use steinbound::stein::{Radial, Statistic, Witness, discrepancy_squared};
/// use steinbound::{Matrix, Points, kernel};
/// let points = Points::from_rows(&[[-0.5], [0.5], [1.0]])?;
/// let form = Radial::tiled(&points, kernel::by_name("gaussian")?, 1.0)?;
/// let scores = Matrix::from_fn(3, 1, |i, _| -points.row(i)[0]);
/// let discrepancy = discrepancy_squared(&form, scores.clone(), &[1.0; 3], Statistic::V)?.sqrt();
/// let witness = Witness::new(&form, &scores, &[1.0; 3], discrepancy)?;
/// assert_eq!(witness.at(&points)?.rows(), 3);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub struct Witness<'a> {
    form: &'a dyn SteinForm,
    /// Weighted scores, one column for each coordinate, then the weights; all divided by their sum.
    columns: Matrix,
    discrepancy: f64,
}

impl<'a> Witness<'a> {
    /// The witness for scores (`n` by coordinates) whose discrepancy (V-statistic) is given.
    pub fn new(
        form: &'a dyn SteinForm,
        scores: &Matrix,
        weights: &[f64],
        discrepancy: f64,
    ) -> Result<Witness<'a>, Error> {
        check_scores(form, scores)?;
        let total: f64 = weights.iter().sum();
        let weights: Vec<f64> = weights.iter().map(|w| w / total).collect();
        let columns = checked_columns(form, scores, &weights)?;
        Ok(Witness { form, columns, discrepancy })
    }

    /// The discrepancy `D`.
    pub fn discrepancy(&self) -> f64 {
        self.discrepancy
    }

    /// `g` at the targets: one row for each target, one column for each differentiated coordinate.
    pub fn at(&self, targets: &Points) -> Result<Matrix, Error> {
        let terms = self.terms();
        let products = self.form.apply_at(targets, &self.columns, &terms)?;
        Ok(self.fold(&products, 1.0 / self.discrepancy))
    }

    /// The Lagrange multipliers `nu_l = -(K + e I)^-1 mean_i v_l(x_i)` of the constraint that `g` vanishes at
    /// the boundary points: one row for each of them, one column for each coordinate.
    /// `None` for a kernel that is not conditioned.
    pub fn multipliers(&self) -> Result<Option<Matrix>, Error> {
        let Some(conditioned) = self.form.parts().conditioned else { return Ok(None) };
        let products = conditioned.multipliers(&self.columns, &self.terms())?;
        Ok(Some(self.fold(&products, -1.0)))
    }

    /// The terms whose pairwise sums are `g_1, g_2, ..`: values and slope for each coordinate in turn.
    fn terms(&self) -> Vec<Term> {
        let (coupling, weights) = (Coupling::of(self.form), self.form.coordinates());
        let of_coordinate = |l: usize| {
            let value =
                move |m: usize| if coupling.is_coupled { Operator::Between(l, m) } else { Operator::Value };
            let values = coupling.partners(l).map(move |m| Term::new(value(m), m));
            values.chain([Term::new(Operator::Second(l), weights)])
        };
        (0..weights).flat_map(of_coordinate).collect()
    }

    fn fold(&self, products: &Matrix, factor: f64) -> Matrix {
        let coordinates = self.form.coordinates();
        let each = products.columns() / coordinates.max(1);
        Matrix::from_fn(products.rows(), coordinates, |i, l| {
            factor * (l * each..(l + 1) * each).map(|at| products[(i, at)]).sum::<f64>()
        })
    }
}

use super::form::{Diagonal, Holder, SteinForm, Term};
use crate::error::Error;
use crate::matrix::Matrix;
use crate::points::Points;

/// A form without its diagonal, as U-statistics need it.
///
/// ```
/// use steinbound::stein::{OffDiagonal, Operator, Radial, SteinForm, Term};
/// use steinbound::{Matrix, Points, kernel};
/// let points = Points::from_rows(&[[0.0], [2.0]])?;
/// let form = Radial::tiled(&points, kernel::by_name("gaussian")?, 1.0)?;
/// let ones = Matrix::from_fn(2, 1, |_, _| 1.0);
/// let sums = OffDiagonal::new(&form)?.apply(&ones, &[Term::new(Operator::Value, 0)])?;
/// assert!((sums[(0, 0)] - (-2.0f64).exp()).abs() < 1e-15);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub struct OffDiagonal<'a> {
    inner: &'a dyn SteinForm,
    diagonal: Diagonal,
}

impl<'a> OffDiagonal<'a> {
    /// Removes the diagonal of a form.
    pub fn new(inner: &'a dyn SteinForm) -> Result<OffDiagonal<'a>, Error> {
        Ok(OffDiagonal { inner, diagonal: inner.diagonal()? })
    }
}

impl SteinForm for OffDiagonal<'_> {
    fn points(&self) -> usize {
        self.inner.points()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn differentiated(&self) -> &[usize] {
        self.inner.differentiated()
    }

    fn apply(&self, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        let mut products = self.inner.apply(columns, terms)?;
        for (output, term) in terms.iter().enumerate() {
            let diagonal = self.diagonal.of(term.operator);
            let column = columns.column(term.column);
            for (i, product) in products.column_mut(output).iter_mut().enumerate() {
                *product -= diagonal[i] * column[i];
            }
        }
        Ok(products)
    }

    fn apply_at(&self, targets: &Points, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        self.inner.apply_at(targets, columns, terms)
    }

    fn diagonal(&self) -> Result<Diagonal, Error> {
        let Diagonal { value, between, slope, both } = &self.diagonal;
        let zeros = |like: &Matrix| Matrix::zeros(like.rows(), like.columns());
        Ok(Diagonal {
            value: vec![0.0; value.len()],
            between: zeros(between),
            slope: zeros(slope),
            both: vec![0.0; both.len()],
        })
    }

    fn holder(&self) -> Holder {
        self.inner.holder()
    }

    fn is_coupled(&self) -> bool {
        self.inner.is_coupled()
    }
}

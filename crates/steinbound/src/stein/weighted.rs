use std::sync::Arc;

use super::form::{Diagonal, Holder, Operator, SteinForm, Term, check_shape, wrong_shape};
use crate::compute::place_of;
use crate::domain::BoundaryDistance;
use crate::error::{Error, Interrupted, KernelError};
use crate::matrix::{Matrix, times_elementwise};
use crate::points::Points;

/// The form of a kernel multiplied by the distance to the boundary on both sides: bd-KSD.
///
/// # Definition
///
/// `k_h(x, y) = h(x) k(x, y) h(y)`, with `h` the distance to the boundary. Its derivatives follow from the
/// product rule, so each operator of `k_h` is a sum of operators of `k` on columns multiplied by `h` or its
/// gradient.
///
/// # Requirements
///
/// A distance that can be evaluated wherever the form is; its gradient may jump on a set of measure zero.
///
/// # Complexity
///
/// That of the plain form with `d + 1` columns for each one.
///
/// # Reference
///
/// Xu, *Generalised Kernel Stein Discrepancy: A Unifying Approach for Non-parametric Goodness-of-fit
/// Testing*, 2021.
///
/// ```
/// use std::sync::Arc;
/// use steinbound::domain::{BoundaryDistance, Cuboid};
/// use steinbound::stein::{Radial, SteinForm, Weighted};
/// use steinbound::{Points, kernel};
/// let points = Points::from_rows(&[[0.0], [0.5]])?;
/// let interval = BoundaryDistance::exact(Arc::new(Cuboid::interval(-1.0, 1.0)?));
/// let form = Radial::tiled(&points, kernel::by_name("gaussian")?, 1.0)?;
/// let form = Weighted::new(form, &points, interval)?;
/// assert_eq!(form.diagonal()?.value, vec![1.0, 0.25]);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub struct Weighted {
    inner: Arc<dyn SteinForm>,
    distance: BoundaryDistance,
    at_data: Weight,
}

/// `h` and its derivatives in the differentiated coordinates, at some points.
struct Weight {
    value: Vec<f64>,
    slope: Matrix,
}

/// What a column is multiplied by.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Factor {
    Value,
    Slope(usize),
}

impl Weight {
    fn new(
        distance: &BoundaryDistance,
        points: &Points,
        differentiated: &[usize],
    ) -> Result<Weight, Interrupted> {
        let (value, gradient) = distance.at(points)?;
        let slope =
            Matrix::from_fn(points.len(), differentiated.len(), |i, l| gradient[(i, differentiated[l])]);
        Ok(Weight { value, slope })
    }

    fn factor(&self, factor: Factor) -> &[f64] {
        match factor {
            Factor::Value => &self.value,
            Factor::Slope(l) => self.slope.column(l),
        }
    }
}

impl Weighted {
    /// Weights the form of a kernel at these points by the distance to the boundary.
    pub fn new(
        inner: impl SteinForm + 'static,
        points: &Points,
        distance: BoundaryDistance,
    ) -> Result<Weighted, Error> {
        Weighted::of(Arc::new(inner), points, distance)
    }

    /// [`new`](Weighted::new) for a form that is shared.
    pub fn of(
        inner: Arc<dyn SteinForm>,
        points: &Points,
        distance: BoundaryDistance,
    ) -> Result<Weighted, Error> {
        if points.len() != inner.points() || points.dimension() != inner.dimension() {
            let what = format!("{} points of {} coordinates", points.len(), points.dimension());
            return Err(wrong_shape(inner.as_ref(), what).into());
        }
        let at_data = Weight::new(&distance, points, inner.differentiated())?;
        Ok(Weighted { inner, distance, at_data })
    }

    /// The terms at points where the weight is `at_rows`, from plain products by `apply`.
    fn expand(
        &self,
        at_rows: &Weight,
        columns: &Matrix,
        terms: &[Term],
        apply: impl FnOnce(&Matrix, &[Term]) -> Result<Matrix, Error>,
    ) -> Result<Matrix, Error> {
        check_shape(self, columns, terms)?;
        let mut inputs: Vec<(Factor, usize)> = Vec::new();
        let mut inner: Vec<Term> = Vec::new();
        let mut outer: Vec<(usize, Factor, usize)> = Vec::new();
        for (output, term) in terms.iter().enumerate() {
            for (left, operator, right) in self.product_rule(term.operator) {
                let at = place_of(&mut inputs, (right, term.column));
                let product = place_of(&mut inner, Term::new(operator, at));
                outer.push((output, left, product));
            }
        }
        let mut weighted = Matrix::zeros(columns.rows(), inputs.len());
        for (j, (factor, column)) in inputs.iter().enumerate() {
            let product = times_elementwise(self.at_data.factor(*factor), columns.column(*column));
            weighted.column_mut(j).copy_from_slice(&product);
        }
        let plain = apply(&weighted, &inner)?;
        let mut products = Matrix::zeros(plain.rows(), terms.len());
        for (output, left, product) in outer {
            let column = times_elementwise(at_rows.factor(left), plain.column(product));
            let sum = products.column_mut(output).iter_mut();
            sum.zip(column).for_each(|(s, x)| *s += x);
        }
        Ok(products)
    }

    /// An operator of `h(x) k(x, y) h(y)` as (factor at x, operator of k, factor at y), to be summed.
    fn product_rule(&self, operator: Operator) -> Vec<(Factor, Operator, Factor)> {
        use Factor::{Slope, Value as H};
        let mut parts = vec![(H, operator, H)];
        match operator {
            Operator::Value | Operator::Gram | Operator::Between(..) => {}
            Operator::Second(l) => parts.extend(self.values(l).map(|(m, value)| (H, value, Slope(m)))),
            // K_ml has its arguments exchanged.
            Operator::First(l) => parts.extend(self.transposed(l).map(|(m, value)| (Slope(m), value, H))),
            Operator::Both | Operator::Energy => {
                for l in 0..self.inner.coordinates() {
                    parts.push((H, Operator::First(l), Slope(l)));
                    parts.push((Slope(l), Operator::Second(l), H));
                    parts.extend(self.values(l).map(|(m, value)| (Slope(l), value, Slope(m))));
                }
            }
        }
        parts
    }

    /// For each coordinate `m` for which `K_lm` is not zero, that operator of `k`.
    fn values(&self, l: usize) -> impl Iterator<Item = (usize, Operator)> {
        let is_coupled = self.inner.is_coupled();
        let others = if is_coupled { 0..self.inner.coordinates() } else { l..l + 1 };
        others.map(move |m| (m, if is_coupled { Operator::Between(l, m) } else { Operator::Value }))
    }

    /// The same for `K_ml`.
    fn transposed(&self, l: usize) -> impl Iterator<Item = (usize, Operator)> {
        self.values(l).map(|(m, value)| match value {
            Operator::Between(l, m_) => (m, Operator::Between(m_, l)),
            value => (m, value),
        })
    }
}

impl SteinForm for Weighted {
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
        self.expand(&self.at_data, columns, terms, |columns, terms| self.inner.apply(columns, terms))
    }

    fn apply_at(&self, targets: &Points, columns: &Matrix, terms: &[Term]) -> Result<Matrix, Error> {
        if targets.dimension() != self.inner.dimension() {
            return Err(KernelError::BadCoordinates { dimension: targets.dimension() }.into());
        }
        let at_rows = Weight::new(&self.distance, targets, self.inner.differentiated())?;
        self.expand(&at_rows, columns, terms, |columns, terms| self.inner.apply_at(targets, columns, terms))
    }

    fn diagonal(&self) -> Result<Diagonal, Error> {
        let mut diagonal = self.inner.diagonal()?;
        let (values, coordinates) = (diagonal.clone(), self.coordinates());
        for i in 0..self.points() {
            let weight = self.at_data.value[i];
            diagonal.value.get_mut(i).into_iter().for_each(|value| *value *= weight * weight);
            (0..diagonal.between.columns()).for_each(|at| diagonal.between[(i, at)] *= weight * weight);
            diagonal.both[i] *= weight * weight;
            for l in 0..coordinates {
                let inner = diagonal.slope[(i, l)];
                // `sum_m K_lm d/dx_m h` at the point.
                let parts = self.values(l).map(|(m, value)| self.at_data.slope[(i, m)] * values.of(value)[i]);
                let slope_times_value: f64 = parts.sum();
                diagonal.slope[(i, l)] = weight * (slope_times_value + weight * inner);
                diagonal.both[i] += self.at_data.slope[(i, l)] * (slope_times_value + 2.0 * weight * inner);
            }
        }
        Ok(diagonal)
    }

    fn holder(&self) -> Holder {
        self.inner.holder()
    }

    fn is_coupled(&self) -> bool {
        self.inner.is_coupled()
    }
}

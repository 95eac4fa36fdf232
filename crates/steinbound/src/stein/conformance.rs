//! What every form must satisfy, as a suite that any new form can run.

use super::form::{Operator, SteinForm, Term};
use super::gram::Coupling;
use crate::compute::dot;
use crate::engine::conformance::is_within;
use crate::error::Error;
use crate::matrix::Matrix;
use crate::points::Points;

/// Checks a form of these points: symmetry, derivatives against finite differences, diagonals, the same at
/// the data as at other points, the identities of [`Operator::Energy`] and [`Operator::Gram`], and that terms
/// which it does not have are refused.
///
/// Returns what fails, in words.
///
/// ```
/// use steinbound::stein::{Radial, conformance};
/// use steinbound::{Points, kernel};
/// let points = Points::from_rows(&[[0.0, 1.0], [2.0, 0.5], [0.4, 0.3]])?;
/// let form = Radial::tiled(&points, kernel::by_name("imq")?, 1.0)?;
/// assert_eq!(conformance::check(&form, &points), Ok(()));
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn check(form: &dyn SteinForm, points: &Points) -> Result<(), Vec<String>> {
    let columns = Matrix::from_fn(points.len(), 2, |i, c| ((i * (c + 2)) as f64 + 0.3).sin());
    let mut check = Check { form, points, columns, failures: Vec::new() };
    if let Err(error) = check.run() {
        check.failures.push(error.to_string());
    }
    if check.failures.is_empty() { Ok(()) } else { Err(check.failures) }
}

/// Relative difference that rounding may leave.
const TOLERANCE: f64 = 1e-9;

/// Relative difference that finite differences may leave.
const DIFFERENCES: f64 = 1e-5;

/// The most points at which diagonals and derivatives are looked at.
const PROBES: usize = 5;

struct Check<'a> {
    form: &'a dyn SteinForm,
    points: &'a Points<'a>,
    columns: Matrix,
    failures: Vec<String>,
}

impl Check<'_> {
    fn expect(&mut self, found: f64, expected: f64, size: f64, tolerance: f64, what: impl Fn() -> String) {
        if !is_within((found - expected).abs(), tolerance * size.max(f64::MIN_POSITIVE)) {
            self.failures.push(format!("{}: {found}, not {expected}", what()));
        }
    }

    /// All operators that have a value at each point.
    fn operators(&self) -> Vec<Operator> {
        let slopes = (0..self.form.coordinates()).flat_map(|l| [Operator::Second(l), Operator::First(l)]);
        let values = Coupling::of(self.form).values();
        values.into_iter().chain(slopes).chain([Operator::Both]).collect()
    }

    fn run(&mut self) -> Result<(), Error> {
        self.symmetry()?;
        self.diagonals()?;
        self.other_points()?;
        self.derivatives()?;
        self.identities()?;
        self.refusals();
        Ok(())
    }

    /// `u' A v = v' B u`, for operators `A` and `B` that are each other's transpose.
    fn symmetry(&mut self) -> Result<(), Error> {
        for operator in self.operators() {
            let transpose = match operator {
                Operator::Between(l, m) => Operator::Between(m, l),
                Operator::Second(l) => Operator::First(l),
                Operator::First(l) => Operator::Second(l),
                same => same,
            };
            let terms = [Term::new(operator, 1), Term::new(transpose, 0)];
            let found = self.form.apply(&self.columns, &terms)?;
            let [one, other] = [0, 1].map(|at| dot(self.columns.column(at), found.column(at)));
            let size = size_of(found.column(0)) * (self.points.len() as f64);
            self.expect(one, other, size, TOLERANCE, || {
                format!("{operator:?} and {transpose:?} are not transposed")
            });
        }
        Ok(())
    }

    fn diagonals(&mut self) -> Result<(), Error> {
        let diagonal = self.form.diagonal()?;
        let count = self.points.len();
        for probe in 0..PROBES.min(count) {
            let i = probe * count / PROBES.min(count);
            let unit = Matrix::from_fn(count, 1, |j, _| f64::from(u8::from(i == j)));
            let operators = self.operators();
            let terms: Vec<Term> = operators.iter().map(|operator| Term::new(*operator, 0)).collect();
            let found = self.form.apply(&unit, &terms)?;
            for (at, operator) in operators.into_iter().enumerate() {
                let size = size_of(diagonal.of(operator)).max(size_of(found.column(at)));
                let what = || format!("the diagonal of {operator:?} at point {i}");
                self.expect(diagonal.of(operator)[i], found[(i, at)], size, TOLERANCE, what);
            }
        }
        Ok(())
    }

    fn other_points(&mut self) -> Result<(), Error> {
        let operators = self.operators();
        let terms: Vec<Term> = operators.iter().map(|operator| Term::new(*operator, 1)).collect();
        let here = self.form.apply(&self.columns, &terms)?;
        let there = self.form.apply_at(self.points, &self.columns, &terms)?;
        for (at, operator) in operators.into_iter().enumerate() {
            let size = size_of(here.column(at));
            for i in 0..here.rows() {
                let what = || format!("{operator:?} at point {i} as at any other place");
                self.expect(there[(i, at)], here[(i, at)], size, TOLERANCE, what);
            }
        }
        Ok(())
    }

    /// `First` and `Both` are derivatives, in the point of evaluation, of values and of `Second`, which is
    /// the transpose of `First`.
    fn derivatives(&mut self) -> Result<(), Error> {
        let (coupling, coordinates) = (Coupling::of(self.form), self.form.coordinates());
        let rows: Vec<&[f64]> = self.points.rows().take(PROBES).collect();
        let targets = Points::from_rows(&rows)?;
        let value =
            |m: usize, l: usize| if coupling.is_coupled { Operator::Between(m, l) } else { Operator::Value };
        for l in 0..coordinates {
            let parts: Vec<(usize, Operator)> = coupling.partners(l).map(|m| (m, value(m, l))).collect();
            self.derivative(&targets, Operator::First(l), &parts)?;
        }
        let parts: Vec<(usize, Operator)> = (0..coordinates).map(|l| (l, Operator::Second(l))).collect();
        self.derivative(&targets, Operator::Both, &parts)
    }

    /// Compares an operator with the sum of derivatives of others, each in a coordinate.
    fn derivative(
        &mut self,
        targets: &Points,
        operator: Operator,
        parts: &[(usize, Operator)],
    ) -> Result<(), Error> {
        let found = self.form.apply_at(targets, &self.columns, &[Term::new(operator, 0)])?;
        let mut expected = vec![0.0; targets.len()];
        for (l, part) in parts {
            let coordinate = self.form.differentiated()[*l];
            let values = || self.points.rows().map(|row| row[coordinate]);
            let extent = values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min);
            let step = 1e-5 * if extent > 0.0 { extent } else { 1.0 };
            let at = |step: f64| -> Result<Matrix, Error> {
                let rows: Vec<Vec<f64>> = targets.rows().map(<[f64]>::to_vec).collect();
                let moved = rows.into_iter().map(|mut row| {
                    row[coordinate] += step;
                    row
                });
                let moved = Points::from_rows(&moved.collect::<Vec<_>>())?;
                self.form.apply_at(&moved, &self.columns, &[Term::new(*part, 0)])
            };
            let (above, below) = (at(step)?, at(-step)?);
            for (i, sum) in expected.iter_mut().enumerate() {
                *sum += (above[(i, 0)] - below[(i, 0)]) / (2.0 * step);
            }
        }
        let size = size_of(found.column(0)).max(size_of(&expected));
        for (i, expected) in expected.into_iter().enumerate() {
            let what = || format!("{operator:?} at point {i}, by differences");
            self.expect(found[(i, 0)], expected, size, DIFFERENCES, what);
        }
        Ok(())
    }

    fn identities(&mut self) -> Result<(), Error> {
        let mut terms = vec![Term::new(Operator::Energy, 1), Term::new(Operator::Both, 1)];
        let is_coupled = self.form.is_coupled();
        if !is_coupled {
            terms.extend(
                [(Operator::Gram, 0), (Operator::Gram, 1), (Operator::Value, 1)]
                    .map(|(o, c)| Term::new(o, c)),
            );
        }
        let found = self.form.apply(&self.columns, &terms)?;
        let inner = |c: usize, at: usize| dot(self.columns.column(c), found.column(at));
        let count = self.points.len() as f64;
        let energy = (inner(1, 0), inner(1, 1), count * size_of(found.column(1)));
        let gram = (!is_coupled)
            .then(|| (0.5 * (inner(0, 3) + inner(1, 2)), inner(0, 4), count * size_of(found.column(4))));
        self.expect(energy.0, energy.1, energy.2, TOLERANCE, || "the inner product by Energy".into());
        if let Some((found, expected, size)) = gram {
            self.expect(found, expected, size, TOLERANCE, || "the inner product by Gram".into());
        }
        // The kernel is that of a covariance.
        let energies = self.form.apply(&self.columns, &[Term::new(Operator::Both, 0)])?;
        let (energy, size) =
            (dot(self.columns.column(0), energies.column(0)), count * size_of(energies.column(0)));
        if energy < -TOLERANCE * size {
            self.failures.push(format!("the kernel is not positive: an energy is {energy}"));
        }
        Ok(())
    }

    fn refusals(&mut self) {
        let coordinates = self.form.coordinates();
        let mut wrong = vec![Term::new(Operator::Both, 2), Term::new(Operator::First(coordinates), 0)];
        wrong.push(match self.form.is_coupled() {
            true => Term::new(Operator::Value, 0),
            false => Term::new(Operator::Between(0, coordinates), 0),
        });
        for term in wrong {
            if self.form.apply(&self.columns, &[term]).is_ok() {
                self.failures.push(format!("{term:?} is not refused"));
            }
        }
        if self.form.apply(&Matrix::zeros(self.points.len() + 1, 1), &[]).is_ok() {
            self.failures.push("columns of another number of points are not refused".into());
        }
    }
}

/// The largest absolute value.
fn size_of(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |size, value| size.max(value.abs()))
}

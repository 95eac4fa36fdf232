//! Linear hypotheses on parameters, in text form.

use super::error::HypothesisError;
use crate::error::{Error, shown};
use crate::expression::equations;
use crate::matrix::Matrix;

/// The hypothesis `R theta = r` on named parameters.
///
/// # Definition
///
/// Equations separated by commas and linear in the parameters: `mean[x1] = 0.5, mean[x2] - 2*mean[x1] = 0`.
/// Both sides may contain parameters, a missing side is zero, and `a = b = 0` is two equations. Names are
/// written as tables show them, `(Intercept)` and `cov[x1,x2]` included; the longest match is taken, and any
/// name may be put between backticks.
///
/// ```
/// use steinbound::inference::LinearHypothesis;
/// let names = ["mean[x1]", "mean[x2]"];
/// let equal = LinearHypothesis::parse("mean[x1] = mean[x2] + 1", &names)?;
/// assert_eq!(equal.restrictions().to_rows(), [[1.0, -1.0]]);
/// assert_eq!(equal.values(), [1.0]);
/// assert_eq!(equal.describe(&names), ["mean[x1] - mean[x2] = 1"]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinearHypothesis {
    restrictions: Matrix,
    values: Vec<f64>,
}

impl LinearHypothesis {
    /// The hypothesis with this matrix, one row for each restriction, and one value for each.
    pub fn new(restrictions: Matrix, values: Vec<f64>) -> Result<LinearHypothesis, HypothesisError> {
        let (count, found) = (restrictions.rows(), values.len());
        if count == 0 {
            return Err(HypothesisError::NoRestriction);
        }
        if found != count {
            return Err(HypothesisError::WrongValues { found, expected: count });
        }
        let is_finite = |i: usize| {
            values[i].is_finite() && (0..restrictions.columns()).all(|k| restrictions[(i, k)].is_finite())
        };
        match (0..count).find(|i| !is_finite(*i)) {
            Some(i) => Err(HypothesisError::NotFinite { restriction: i + 1 }),
            None => Ok(LinearHypothesis { restrictions, values }),
        }
    }

    /// Reads a hypothesis on parameters with these names.
    pub fn parse(text: &str, names: &[impl AsRef<str>]) -> Result<LinearHypothesis, Error> {
        let equations = equations(text, names)?;
        let restrictions = Matrix::from_fn(equations.len(), names.len(), |i, k| equations[i].coefficients[k]);
        // Adding zero turns a negative zero into zero.
        let values = equations.iter().map(|equation| 0.0 - equation.constant).collect();
        Ok(LinearHypothesis::new(restrictions, values)?)
    }

    /// `R`, restrictions by parameters.
    pub fn restrictions(&self) -> &Matrix {
        &self.restrictions
    }

    /// `r`, one value for each restriction.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Each restriction as text.
    pub fn describe(&self, names: &[impl AsRef<str>]) -> Vec<String> {
        let side = |i: usize| {
            let mut text = String::new();
            for (k, name) in names.iter().enumerate().take(self.restrictions.columns()) {
                let factor = self.restrictions[(i, k)];
                if factor == 0.0 {
                    continue;
                }
                text.push_str(match (text.is_empty(), factor < 0.0) {
                    (true, true) => "-",
                    (true, false) => "",
                    (false, true) => " - ",
                    (false, false) => " + ",
                });
                if factor.abs() != 1.0 {
                    text.push_str(&format!("{}*", shown(factor.abs())));
                }
                text.push_str(name.as_ref());
            }
            if text.is_empty() { "0".to_string() } else { text }
        };
        (0..self.values.len()).map(|i| format!("{} = {}", side(i), shown(self.values[i]))).collect()
    }

    /// Refuses a restriction that follows from the previous ones, or contradicts them.
    ///
    /// Rows and their values are orthogonalised one after the other, with columns scaled so that units of the
    /// parameters do not matter. A row with zero remainder depends on the others.
    pub(super) fn check_rank(&self, names: &[impl AsRef<str>]) -> Result<(), HypothesisError> {
        let columns = self.restrictions.columns();
        let size = |k: usize| self.restrictions.column(k).iter().fold(0.0f64, |s, v| s.max(v.abs()));
        let scales: Vec<f64> = (0..columns).map(size).collect();
        let mut basis: Vec<(Vec<f64>, f64)> = Vec::new();
        for i in 0..self.values.len() {
            let scaled = |k: usize| if scales[k] > 0.0 { self.restrictions[(i, k)] / scales[k] } else { 0.0 };
            let mut row: Vec<f64> = (0..columns).map(scaled).collect();
            let (whole, mut value, mut terms) = (length(&row), self.values[i], self.values[i].abs());
            // A second pass removes the rounding of the first.
            for _ in 0..2 {
                for (other, at) in &basis {
                    let share: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                    row.iter_mut().zip(other).for_each(|(a, b)| *a -= share * b);
                    value -= share * at;
                    terms += (share * at).abs();
                }
            }
            let left = length(&row);
            if left <= DEPENDENT * whole {
                let (restriction, text) = (i + 1, self.describe(names).swap_remove(i));
                return Err(if value.abs() <= DEPENDENT * terms {
                    HypothesisError::Dependent { restriction, text }
                } else {
                    HypothesisError::Contradicting { restriction, text }
                });
            }
            row.iter_mut().for_each(|a| *a /= left);
            basis.push((row, value / left));
        }
        Ok(())
    }
}

/// A remainder below this share of its row is rounding.
const DEPENDENT: f64 = 1e-10;

fn length(row: &[f64]) -> f64 {
    row.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["a", "b", "c"];

    fn rank(text: &str) -> Result<(), HypothesisError> {
        LinearHypothesis::parse(text, &NAMES).unwrap().check_rank(&NAMES)
    }

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["a = 0", "-2*a + 0.5*c = -3", "b - c = 1e-9"] {
            let hypothesis = LinearHypothesis::parse(text, &NAMES).unwrap();
            let again = LinearHypothesis::parse(&hypothesis.describe(&NAMES)[0], &NAMES).unwrap();
            assert_eq!(hypothesis, again);
            assert_eq!(hypothesis.describe(&NAMES), [text]);
        }
    }

    #[test]
    fn dependence_and_contradiction_are_distinguished() {
        assert_eq!(rank("a = 1, b = 2, c = a"), Ok(()));
        let dependent =
            |text: &str| matches!(rank(text), Err(HypothesisError::Dependent { restriction: 3, .. }));
        let contradicting =
            |text: &str| matches!(rank(text), Err(HypothesisError::Contradicting { restriction: 3, .. }));
        assert!(dependent("a = 1, b = 2, a + b = 3"));
        assert!(contradicting("a = 1, b = 2, a + b = 4"));
        // Thirds do not add up exactly, and units differ by fifteen orders.
        assert!(dependent("a + b/3 = 1/3, b - c = 0.1, 3*a + c = 1 - 0.1"));
        assert!(contradicting("1e-15*a + b/3 = 1/3, b - c = 0.1, 3e-15*a + c = 1 - 0.2"));
        assert_eq!(rank("1e-15*a + b = 0, 1e-15*a - b = 0"), Ok(()));
    }

    #[test]
    fn sizes_and_numbers_are_checked() {
        let rows = |rows: usize| Matrix::from_fn(rows, 2, |_, _| 1.0);
        assert_eq!(LinearHypothesis::new(rows(0), vec![]), Err(HypothesisError::NoRestriction));
        let wrong = HypothesisError::WrongValues { found: 1, expected: 2 };
        assert_eq!(LinearHypothesis::new(rows(2), vec![0.0]), Err(wrong));
        let infinite = LinearHypothesis::parse("a = 1, b/0 = 1", &NAMES).unwrap_err();
        assert_eq!(infinite, HypothesisError::NotFinite { restriction: 2 }.into());
    }
}

//! Questions about finished fits.

use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use steinbound::inference::sandwich;
use steinbound::inference::{LinearHypothesis, WaldTest};
use steinbound::{Error, Fit, Matrix};
use steinbound_request::{Questions, Wording};

use crate::error::Failure;
use crate::problem::printed;

/// A Wald test of linear equations, or of a matrix and its values, as JSON.
#[pyfunction]
pub fn wald_test(
    names: Vec<String>,
    estimates: Vec<f64>,
    covariance: PyReadonlyArray2<'_, f64>,
    equations: Option<String>,
    restrictions: Option<PyReadonlyArray2<'_, f64>>,
    values: Option<Vec<f64>>,
) -> Result<String, Failure> {
    let hypothesis = match (equations, restrictions) {
        (Some(text), _) => LinearHypothesis::parse(&text, &names)?,
        (None, Some(matrix)) => {
            let matrix = crate::arrays::matrix(&matrix);
            let values = values.unwrap_or_else(|| vec![0.0; matrix.rows()]);
            LinearHypothesis::new(matrix, values).map_err(Error::from)?
        }
        (None, None) => return Err("give equations such as \"a = b\", or a matrix".to_string().into()),
    };
    let covariance: Matrix = crate::arrays::matrix(&covariance);
    printed(&WaldTest::of(&names, &estimates, Some(&covariance), &hypothesis)?)
}

/// Quantities that are functions of the estimates of a fit, which is given as JSON of the schema
/// `steinbound.fit/1`: each is written as ``name = formula``. A JSON list with an estimate for each.
#[pyfunction]
pub fn derive(fit: &str, formulas: Vec<String>) -> Result<String, Failure> {
    let mut fit: Fit = serde_json::from_str(fit).map_err(|error| format!("this is not a fit: {error}"))?;
    let names: Vec<String> = fit.parameters.iter().map(|parameter| parameter.name.clone()).collect();
    let questions = Questions::parse(None, &formulas, &names, Wording::Python)?;
    let known = fit.warnings.len();
    let answered = questions.answer(&mut fit)?;
    match fit.warnings.get(known) {
        Some(reason) => Err(reason.to_string().into()),
        None => printed(&answered.derived),
    }
}

/// How many standard errors an interval extends to each side: by Student's t if there are degrees of freedom.
#[pyfunction]
pub fn quantile(confidence: f64, degrees: Option<usize>) -> f64 {
    sandwich::quantile(confidence, degrees)
}

/// The two-sided probability of an estimate so many standard errors from zero.
#[pyfunction]
pub fn p_value(z: f64, degrees: Option<usize>) -> f64 {
    sandwich::two_sided_p(z, degrees)
}

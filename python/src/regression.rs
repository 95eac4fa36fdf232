//! Truncated regression: from columns and a formula to a problem.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use steinbound::Fit;
use steinbound::regression::{KernelOn, PreparedRegression, ResponseLimit};
use steinbound_io::names::choose;
use steinbound_io::{Column, Design, Formula, Frame, FrameOptions, Limit, limit_values};

use crate::error::Failure;
use crate::model::Model;
use crate::problem::Problem;
use crate::settings::Settings;

/// A formula with the data it was read for.
#[pyclass(frozen, module = "steinbound._core")]
pub struct Regression {
    design: Design,
    prepared: PreparedRegression,
    kept: Vec<usize>,
}

/// Where the response is cut off: a number, a column, or a value for each row.
#[derive(FromPyObject)]
pub enum Cut<'py> {
    #[pyo3(transparent)]
    Number(f64),
    #[pyo3(transparent)]
    Column(String),
    #[pyo3(transparent)]
    Each(PyReadonlyArray1<'py, f64>),
}

/// Which rows depend on each other: a column, or a label for each row.
#[derive(FromPyObject)]
pub enum Labels {
    #[pyo3(transparent)]
    Column(String),
    #[pyo3(transparent)]
    Each(Vec<String>),
}

/// A column on its way in.
#[derive(FromPyObject)]
enum Given<'py> {
    #[pyo3(transparent)]
    Numbers(PyReadonlyArray1<'py, f64>),
    #[pyo3(transparent)]
    Texts(Vec<Option<String>>),
}

/// The columns of a dictionary, in its order.
fn frame(columns: &Bound<'_, PyDict>, drop_missing: bool) -> Result<Frame, Failure> {
    let column = |(name, values): (Bound<'_, PyAny>, Bound<'_, PyAny>)| -> PyResult<(String, Column)> {
        let column = match values.extract::<Given<'_>>()? {
            Given::Numbers(values) => Column::Numbers(values.as_array().to_vec()),
            Given::Texts(values) => Column::Texts(values),
        };
        Ok((name.extract()?, column))
    };
    let columns = columns.iter().map(column).collect::<PyResult<Vec<_>>>()?;
    Ok(Frame::from_columns("data", columns, &FrameOptions { drop_missing, ..FrameOptions::default() })?)
}

#[pymethods]
impl Regression {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the Python side gives all of them in one place")]
    fn new(
        formula: &str,
        columns: &Bound<'_, PyDict>,
        lower: Option<Cut<'_>>,
        upper: Option<Cut<'_>>,
        known_sigma: Option<f64>,
        kernel_on: &str,
        weights: Option<Cut<'_>>,
        clusters: Option<Labels>,
        drop_missing: bool,
        seed: u64,
    ) -> Result<Regression, Failure> {
        let formula = Formula::parse(formula)?;
        let whole = frame(columns, drop_missing)?;
        let mut used = formula.columns(&whole)?;
        let cuts = [&lower, &upper, &weights];
        used.extend(cuts.into_iter().flatten().filter_map(|cut| match cut {
            Cut::Column(name) if name.trim().parse::<f64>().is_err() => Some(name.clone()),
            _ => None,
        }));
        if let Some(Labels::Column(name)) = &clusters {
            used.push(name.clone());
        }
        let used: Vec<&str> = used.iter().map(String::as_str).collect();
        let kept = whole.complete_rows(&used)?;
        let frame = whole.select(&kept);
        let design = formula.design(&frame)?;
        let sides = [("product", KernelOn::Product), ("y", KernelOn::Response)];
        let mut regression = design.regression()?.kernel_on(choose("kernel_on", kernel_on, &sides)?);
        if let Some(sigma) = known_sigma {
            regression = regression.known_sigma(sigma);
        }
        let each = |values: &PyReadonlyArray1<'_, f64>, what: &'static str| -> Result<Vec<f64>, Failure> {
            let (values, expected) = (values.as_array(), whole.len());
            if values.len() != expected {
                let found = values.len();
                return Err(steinbound::PointsError::WrongCount { what, found, expected }.into());
            }
            Ok(kept.iter().map(|row| values[*row]).collect())
        };
        let limit = |cut: &Cut<'_>| -> Result<ResponseLimit, Failure> {
            let text = match cut {
                Cut::Each(values) => return Ok(ResponseLimit::Each(each(values, "limits of the response")?)),
                Cut::Column(name) if *name == design.response_name => {
                    return Err("a limit is the response itself, which then is never cut off; give a number or another column"
                        .to_string()
                        .into());
                }
                Cut::Column(name) => name.clone(),
                Cut::Number(value) => value.to_string(),
            };
            Ok(match limit_values(&frame, &text)? {
                Limit::Constant(value) => ResponseLimit::Constant(value),
                Limit::Column { values, .. } => ResponseLimit::Each(values),
            })
        };
        if let Some(cut) = &lower {
            regression = regression.lower(limit(cut)?);
        }
        if let Some(cut) = &upper {
            regression = regression.upper(limit(cut)?);
        }
        let mut prepared = regression.build(seed)?;
        match &weights {
            Some(Cut::Column(name)) => {
                prepared.points = prepared.points.with_weights(frame.weights(name)?)?
            }
            Some(Cut::Each(values)) => {
                prepared.points = prepared.points.with_weights(each(values, "weights")?)?
            }
            Some(Cut::Number(_)) => {
                return Err("weights are one number for each row, or the name of a column"
                    .to_string()
                    .into());
            }
            None => {}
        }
        match clusters {
            Some(Labels::Column(name)) => {
                prepared.points = prepared.points.with_clusters(&frame.texts(&name)?)?;
            }
            Some(Labels::Each(labels)) if labels.len() == whole.len() => {
                let labels: Vec<&String> = kept.iter().map(|row| &labels[*row]).collect();
                prepared.points = prepared.points.with_clusters(&labels)?;
            }
            Some(Labels::Each(labels)) => {
                let (what, found, expected) = ("cluster labels", labels.len(), whole.len());
                return Err(steinbound::PointsError::WrongCount { what, found, expected }.into());
            }
            None => {}
        }
        Ok(Regression { design, prepared, kept })
    }

    /// What is fitted.
    fn problem(&self, settings: Settings) -> Result<Problem, Failure> {
        let estimator = self.prepared.estimator(&settings.estimator()?);
        let model = Model::ready(self.prepared.model.clone());
        Ok(Problem::of_points(self.prepared.points.clone(), model, estimator, &settings))
    }

    /// The rows that have all that is used, counted from zero.
    #[getter]
    fn rows(&self) -> Vec<usize> {
        self.kept.clone()
    }

    /// The name of the response.
    #[getter]
    fn response(&self) -> &str {
        &self.design.response_name
    }

    /// Response and covariates with their names, limits that differ between rows after them.
    fn points<'py>(
        &self,
        py: Python<'py>,
    ) -> Result<(Vec<String>, Bound<'py, numpy::PyArray2<f64>>), Failure> {
        let points = &self.prepared.points;
        Ok((points.names().to_vec(), crate::arrays::of_points(py, points)?))
    }

    /// The mean of the untruncated response for other data, and its standard error, from a fit as JSON.
    #[allow(clippy::type_complexity, reason = "it is the tuple that Python unpacks")]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        fit: &str,
        columns: &Bound<'py, PyDict>,
    ) -> Result<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>), Failure> {
        let fit: Fit = serde_json::from_str(fit).map_err(|error| error.to_string())?;
        let covariates = self.design.covariates_of(&frame(columns, false)?)?;
        let found = self.prepared.predict(&fit, &covariates).ok_or_else(|| {
            "the fit has no covariance, so that there is nothing to predict from".to_string()
        })?;
        let (means, errors): (Vec<f64>, Vec<f64>) = found.into_iter().unzip();
        Ok((PyArray1::from_vec(py, means), PyArray1::from_vec(py, errors)))
    }
}

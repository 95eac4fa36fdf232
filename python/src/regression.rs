//! Truncated regression: from columns and a formula to a problem.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use steinbound::domain::Domain;
use steinbound::{Fit, Method};
use steinbound_io::{Column, Formula, Frame, FrameOptions, read_frame};
use steinbound_request::{
    self as request, RegressionCase, RegressionRequest, Value, Wording, choices, options,
};

use crate::arrays::of_points;
use crate::error::Failure;
use crate::problem::Problem;
use crate::settings::Settings;

/// A formula with the data it was read for.
#[pyclass(frozen, module = "steinbound._core")]
pub struct Regression {
    case: Arc<RegressionCase>,
}

/// Numbers for the rows: one for all, a column, or a value for each row.
#[derive(FromPyObject)]
pub enum Numbers<'py> {
    #[pyo3(transparent)]
    Number(f64),
    #[pyo3(transparent)]
    Column(String),
    #[pyo3(transparent)]
    Each(PyReadonlyArray1<'py, f64>),
}

impl From<Numbers<'_>> for request::Column {
    fn from(numbers: Numbers<'_>) -> request::Column {
        match numbers {
            Numbers::Number(value) => request::Column::Text(value.to_string()),
            Numbers::Column(name) => request::Column::Text(name),
            Numbers::Each(values) => request::Column::Each(values.as_array().to_vec()),
        }
    }
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

/// A column that a formula uses, on its way out: its name, its levels where it is categorical, its values.
type Variable<'py> = (String, Option<Vec<String>>, Bound<'py, PyAny>);

/// The order of the levels of a column, where its type declares one.
const LEVELS: &str = "levels";

/// The columns of a dictionary, in its order, or those of a file.
fn frame(columns: &Bound<'_, PyAny>, drop_missing: bool) -> Result<Frame, Failure> {
    let options = FrameOptions { drop_missing, ..FrameOptions::default() };
    let Ok(columns) = columns.cast::<PyDict>() else {
        let path: PathBuf = columns.extract()?;
        return Ok(columns.py().detach(|| read_frame(&path, &options))?);
    };
    let column = |(name, values): (Bound<'_, PyAny>, Bound<'_, PyAny>)| -> PyResult<(String, Column)> {
        let column = match values.extract::<Given<'_>>()? {
            Given::Numbers(values) => Column::Numbers(values.as_array().to_vec()),
            Given::Texts(values) => Column::Texts(values),
        };
        Ok((name.extract()?, column))
    };
    let found = columns.iter().map(column).collect::<PyResult<Vec<_>>>()?;
    let mut frame = Frame::from_columns("data", found, &options)?.counted_from_zero();
    for (name, values) in columns.iter() {
        if let Some(levels) = values.getattr_opt(LEVELS)? {
            frame = frame.with_levels(name.extract()?, levels.extract()?)?;
        }
    }
    Ok(frame)
}

#[pymethods]
impl Regression {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the Python side gives all of them in one place")]
    fn new(
        formula: &str,
        columns: &Bound<'_, PyAny>,
        lower: Option<Numbers<'_>>,
        upper: Option<Numbers<'_>>,
        known_sigma: Option<f64>,
        kernel_on: &str,
        weights: Option<Numbers<'_>>,
        clusters: Option<Labels>,
        drop_missing: bool,
        seed: u64,
        censored: Option<String>,
    ) -> Result<Regression, Failure> {
        if matches!(weights, Some(Numbers::Number(_))) {
            return Err("weights are one number for each row, or the name of a column".to_string().into());
        }
        let formula = Formula::parse(formula)?;
        // The method and its options come with the problem.
        let mut request = RegressionRequest::new(formula, frame(columns, drop_missing)?, Method::default());
        request.lower = lower.map(Into::into);
        request.upper = upper.map(Into::into);
        request.weights = weights.map(Into::into);
        request.clusters = clusters.map(|labels| match labels {
            Labels::Column(name) => request::Labels::Column(name),
            Labels::Each(labels) => request::Labels::Each(labels),
        });
        request.options.set(&options::SEED, Value::Seed(seed));
        request.options.set_text(&options::KERNEL_ON, kernel_on)?;
        if let Some(sigma) = known_sigma {
            request.options.set(&options::KNOWN_SIGMA, Value::Number(sigma));
        }
        if let Some(side) = censored {
            request.options.set_text(&options::CENSORED, &side)?;
        }
        request.wording = Wording::Python;
        Ok(Regression { case: Arc::new(request.prepare()?) })
    }

    /// What is fitted.
    fn problem(&self, settings: &Bound<'_, PyDict>) -> Result<Problem, Failure> {
        Ok(Problem::regression(&self.case, Settings::read(settings)?))
    }

    /// The rows that have everything that is used, counted from zero.
    #[getter]
    fn rows(&self) -> Vec<usize> {
        self.case.rows.clone()
    }

    /// The name of the response.
    #[getter]
    fn response(&self) -> &str {
        &self.case.design.response_name
    }

    /// What a reader should know of the columns.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.case.notes.clone()
    }

    /// The limits of the first row, in units of the response as it is modelled.
    #[getter]
    fn limits(&self) -> (f64, f64) {
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        let prepared = &self.case.prepared;
        let found = prepared.domain.as_ref().zip(prepared.points.rows().next());
        let found = found.and_then(|(domain, row)| domain.sections(row, 0, everything).first().copied());
        found.unwrap_or(everything)
    }

    /// Response and covariates with their names, limits that differ between rows after them.
    fn points<'py>(&self, py: Python<'py>) -> Result<(Vec<String>, Bound<'py, PyArray2<f64>>), Failure> {
        let points = &self.case.prepared.points;
        Ok((points.names().to_vec(), of_points(py, points)?))
    }

    /// The columns of the data that the covariates are made of, in the order of the formula, in the rows that are used.
    fn variables<'py>(
        &self,
        py: Python<'py>,
        columns: &Bound<'py, PyAny>,
        drop_missing: bool,
    ) -> Result<Vec<Variable<'py>>, Failure> {
        let design = &self.case.design;
        let frame = frame(columns, drop_missing)?.select(&self.case.rows);
        let levels_of = |column: &str| {
            let is_of = |name: &str| {
                let inner = name.strip_prefix("C(").and_then(|inner| inner.strip_suffix(')'));
                inner.unwrap_or(name).split(',').next().map(str::trim) == Some(column)
            };
            design.levels().find(|(name, _)| is_of(name)).map(|(_, levels)| levels.to_vec())
        };
        let variable = |column: &str| -> Result<Variable<'py>, Failure> {
            let values = match frame.is_numeric(column)? {
                true => PyArray1::from_vec(py, frame.numbers(column)?).into_any(),
                false => PyList::new(py, frame.texts(column)?)?.into_any(),
            };
            Ok((column.to_string(), levels_of(column), values))
        };
        design.columns().into_iter().map(variable).collect()
    }

    /// What is expected of the response for other data, `mean`, `seen`, `recorded` or `uncensored`, and its standard
    /// error, from a fit as JSON.
    #[allow(clippy::type_complexity, reason = "it is the tuple that Python unpacks")]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        fit: &str,
        columns: &Bound<'py, PyAny>,
        which: &str,
    ) -> Result<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>), Failure> {
        let fit: Fit = serde_json::from_str(fit).map_err(|error| error.to_string())?;
        let which = choices::predicted().find(which)?;
        let found = self.case.predict_of(which, &fit, &frame(columns, false)?)?;
        let (means, errors) = found.into_iter().map(|row| (row.mean, row.std_error)).unzip();
        Ok((PyArray1::from_vec(py, means), PyArray1::from_vec(py, errors)))
    }

    /// The average marginal effects, from a fit as JSON: a list as the command line prints it.
    fn effects(&self, fit: &str) -> Result<String, Failure> {
        let fit: Fit = serde_json::from_str(fit).map_err(|error| error.to_string())?;
        Ok(serde_json::to_string(&self.case.effects(&fit)?).map_err(|error| error.to_string())?)
    }
}

/// The method of a regression: the one that is asked for, or the one that suits limits of which some censor.
#[pyfunction]
pub fn regression_method(
    method: Option<&str>,
    censored: Option<&str>,
    limits: [bool; 2],
) -> Result<&'static str, Failure> {
    let method = method.map(|name| choices::method().find(name)).transpose()?;
    let censored = censored.map(|side| choices::censored().find(side)).transpose()?.unwrap_or_default();
    Ok(RegressionRequest::chosen_method(method, censored, limits, Wording::Python)?.name())
}

//! Tables in files, read without going through Python objects.

use std::path::PathBuf;

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use steinbound_io::map::is_map;
use steinbound_io::{TableOptions, read_table};

use crate::arrays::of_rows;
use crate::error::Failure;

/// Points of a table on their way to Python: values row by row, names where the file has them, weights, clusters,
/// and warnings.
type Read<'py> = (
    Bound<'py, PyArray2<f64>>,
    Option<Vec<String>>,
    Option<Bound<'py, PyArray1<f64>>>,
    Option<Vec<String>>,
    Vec<String>,
);

/// The columns of a table, by name or number from 1; all that are numeric where none are chosen.
#[pyfunction]
#[pyo3(signature = (path, columns, weights=None, clusters=None))]
pub fn read_points<'py>(
    py: Python<'py>,
    path: PathBuf,
    columns: Vec<String>,
    weights: Option<String>,
    clusters: Option<String>,
) -> Result<Read<'py>, Failure> {
    let options = TableOptions { columns, weights, cluster: clusters, ..TableOptions::default() };
    let sheet = py.detach(|| read_table(&path, &options))?;
    let dimension = sheet.dimension();
    let names = sheet.has_header.then(|| sheet.names.clone());
    let (weights, clusters) =
        (sheet.weights().map(<[f64]>::to_vec), sheet.clusters().map(<[String]>::to_vec));
    let (mut values, warnings) = (sheet.values, sheet.warnings);
    values.shrink_to_fit();
    let weights = weights.map(|weights| PyArray1::from_vec(py, weights));
    Ok((of_rows(py, values, dimension)?, names, weights, clusters, warnings))
}

/// Whether a path is that of a map, and not of a table.
#[pyfunction]
#[pyo3(name = "is_map")]
pub fn is_map_path(path: PathBuf) -> bool {
    is_map(&path)
}

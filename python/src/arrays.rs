//! Arrays in and out.

use numpy::{PyArray1, PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use steinbound::{Matrix, Points};

use crate::error::Failure;

/// The points of an array, which must lie row by row; they are not copied.
pub fn points<'a>(array: &'a PyReadonlyArray2<'_, f64>) -> Result<Points<'a>, Failure> {
    let values = array.as_slice().map_err(|_| {
        "the array does not lie row by row; make it so with numpy.ascontiguousarray".to_string()
    })?;
    let dimension = array.shape()[1];
    Ok(Points::new(values, dimension)?)
}

/// Points as a new array, one row for each.
pub fn of_points<'py>(py: Python<'py>, points: &Points) -> PyResult<Bound<'py, PyArray2<f64>>> {
    of_rows(py, points.values().to_vec(), points.dimension())
}

/// A matrix as a new array.
pub fn of_matrix<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let values = (0..rows).flat_map(|i| (0..columns).map(move |j| matrix[(i, j)])).collect();
    of_rows(py, values, columns)
}

/// Values that lie row by row as a new array.
pub fn of_rows(py: Python<'_>, values: Vec<f64>, columns: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    use numpy::PyArrayMethods;
    let rows = values.len() / columns.max(1);
    PyArray1::from_vec(py, values).reshape([rows, columns])
}

/// The matrix of an array of any layout.
pub fn matrix(array: &PyReadonlyArray2<'_, f64>) -> Matrix {
    let view = array.as_array();
    Matrix::from_fn(view.nrows(), view.ncols(), |i, j| view[(i, j)])
}

//! Errors of the library as Python's own kinds. The message is the one that the command line prints.

use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyTimeoutError, PyValueError};
use steinbound::{DomainError, Error, KernelError, ModelError, PointsError, ResamplingError};
use steinbound_io::IoError;
use steinbound_request::{RequestError, UnknownName, Wording};

/// An error on its way to Python, from whichever part of the library it came.
pub enum Failure {
    /// What the user gave does not work.
    Value(String),
    /// A file cannot be read.
    File(String),
    /// The time was over before there was a result.
    Late(String),
    /// A Python exception, as it is.
    Python(PyErr),
}

impl Failure {
    /// The same, which says which argument it is about.
    pub fn about(self, argument: &str) -> Failure {
        match self {
            Failure::Value(message) => Failure::Value(format!("{argument}: {message}")),
            other => other,
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        match failure {
            Failure::Value(message) => PyValueError::new_err(message),
            Failure::File(message) if message.contains("No such file") => {
                PyFileNotFoundError::new_err(message)
            }
            Failure::File(message) => PyOSError::new_err(message),
            Failure::Late(message) => PyTimeoutError::new_err(message),
            Failure::Python(error) => error,
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure::Python(error)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Value(message)
    }
}

impl From<IoError> for Failure {
    fn from(error: IoError) -> Failure {
        match error {
            IoError::Read { .. } => Failure::File(error.to_string()),
            // Messages name the option of the command line; here it is an argument.
            _ => Failure::Value(arguments(error.to_string())),
        }
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Failure {
        match error {
            RequestError::File(error) => (*error).into(),
            RequestError::Library(error) => (*error).into(),
            error => Failure::Value(error.to_string()),
        }
    }
}

/// A message with the arguments of Python in place of the options of the command line.
fn arguments(message: String) -> String {
    let named =
        [("--drop-missing", "drop_missing=True"), ("--columns", "columns"), ("--boundary", "boundary")];
    named.iter().fold(message, |message, (option, argument)| message.replace(option, argument))
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error.time_limit() {
            Some(_) => Failure::Late(error.to_string()),
            None => Failure::Value(Wording::Python.counted(error).to_string()),
        }
    }
}

impl From<UnknownName> for Failure {
    fn from(error: UnknownName) -> Failure {
        Failure::Value(error.to_string())
    }
}

/// Errors of parts of the library.
macro_rules! of_library {
    ($($kind:ty),*) => {
        $(impl From<$kind> for Failure {
            fn from(error: $kind) -> Failure {
                Error::from(error).into()
            }
        })*
    };
}

of_library!(DomainError, KernelError, ModelError, PointsError, ResamplingError);

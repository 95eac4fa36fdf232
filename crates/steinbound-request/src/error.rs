//! Why a request has no answer.

use std::time::Duration;

use steinbound::{DomainError, MemoryError, ModelError, PointsError, ResamplingError};
use steinbound_io::IoError;
use thiserror::Error;

use crate::choice::UnknownName;

/// Why a request has no answer. Messages name options as the face of the request does.
///
/// ```
/// use steinbound_request::{RequestError, choices};
/// let error = RequestError::from(choices::statistic().find("w").unwrap_err());
/// assert!(error.to_string().starts_with("unknown statistic \"w\"") && !error.is_interrupted());
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The library refuses, or was interrupted.
    #[error(transparent)]
    Library(Box<steinbound::Error>),
    /// A file cannot be read or written, or its contents not be used.
    #[error(transparent)]
    File(Box<IoError>),
    /// A name is not in its list.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The value of an option cannot be used.
    #[error("{option}: {reason}")]
    Value {
        /// The option, as its face writes it.
        option: String,
        /// What is wrong, and the remedy.
        reason: String,
    },
    /// The library refuses these data.
    #[error("{}{reason}", self.prefix())]
    Data {
        /// Where the data are from, where that is known.
        path: Option<String>,
        /// What is wrong, and the remedy.
        reason: String,
    },
    /// Parts of the request are missing or do not fit together.
    #[error("{message}")]
    Refused {
        /// What is wrong, and the remedy.
        message: String,
    },
}

impl RequestError {
    /// Whether the work was ended by an interrupt or a progress function.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, RequestError::Library(error) if error.is_interrupted())
    }

    /// The time limit, if that has ended the work.
    pub fn time_limit(&self) -> Option<Duration> {
        match self {
            RequestError::Library(error) => error.time_limit(),
            _ => None,
        }
    }

    pub(crate) fn refused(message: impl Into<String>) -> RequestError {
        RequestError::Refused { message: message.into() }
    }

    pub(crate) fn value(option: impl Into<String>, reason: impl ToString) -> RequestError {
        RequestError::Value { option: option.into(), reason: reason.to_string() }
    }

    fn prefix(&self) -> String {
        match self {
            RequestError::Data { path: Some(path), .. } => format!("{path}: "),
            _ => String::new(),
        }
    }
}

/// Errors of parts of the library.
macro_rules! of_library {
    ($($kind:ty),*) => {
        $(impl From<$kind> for RequestError {
            fn from(error: $kind) -> RequestError {
                RequestError::Library(Box::new(error.into()))
            }
        })*
    };
}

of_library!(steinbound::Error, DomainError, MemoryError, ModelError, PointsError, ResamplingError);

impl From<IoError> for RequestError {
    fn from(error: IoError) -> RequestError {
        RequestError::File(Box::new(error))
    }
}

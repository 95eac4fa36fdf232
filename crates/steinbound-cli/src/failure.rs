//! What ends a command, and the exit code it ends with.

use std::process::ExitCode;

use steinbound_io::{IoError, remedy};
use steinbound_request::RequestError;

use crate::interrupt;
use crate::output::say;

/// How a command ended that did compute something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Done.
    Fine,
    /// A result was printed, but it did not converge or must not be trusted.
    Doubtful,
}

impl Verdict {
    /// The verdict on a result that can be trusted, or not.
    pub fn of(is_sound: bool) -> Verdict {
        if is_sound { Verdict::Fine } else { Verdict::Doubtful }
    }

    pub fn code(self) -> u8 {
        match self {
            Verdict::Fine => 0,
            Verdict::Doubtful => 3,
        }
    }
}

/// Why a command has no result.
#[derive(Debug)]
pub enum Failure {
    /// The user can mend it.
    Input(String),
    /// The machine failed.
    Other(String),
    /// The user pressed Ctrl-C.
    Interrupted,
    /// The time was over before there was a result.
    Late(String),
}

impl Failure {
    pub fn input(message: impl Into<String>) -> Failure {
        Failure::Input(message.into())
    }

    /// One message on standard error, and the exit code; what was interrupted ends here.
    pub fn report(self) -> ExitCode {
        match self {
            Failure::Input(message) => {
                say("error", &message);
                ExitCode::from(2)
            }
            Failure::Other(message) => {
                say("error", &message);
                ExitCode::from(1)
            }
            Failure::Interrupted => interrupt::end(),
            Failure::Late(message) => {
                say("error", &message);
                ExitCode::from(Verdict::Doubtful.code())
            }
        }
    }
}

impl From<steinbound::Error> for Failure {
    fn from(error: steinbound::Error) -> Failure {
        match error.time_limit() {
            Some(_) => Failure::Late(error.to_string()),
            None => Failure::Input(error.to_string()),
        }
    }
}

impl From<IoError> for Failure {
    fn from(error: IoError) -> Failure {
        match error {
            error if error.is_of_machine() => Failure::Other(error.to_string()),
            error => Failure::Input(error.to_string()),
        }
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Failure {
        match error {
            RequestError::File(error) => (*error).into(),
            error if error.time_limit().is_some() => Failure::Late(error.to_string()),
            error if error.is_interrupted() => Failure::Interrupted,
            error => Failure::Input(error.to_string()),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        let reason = error.to_string();
        let remedy = remedy(&reason).unwrap_or("check where it is written to");
        Failure::Other(format!("cannot write the result: {reason}; {remedy}"))
    }
}

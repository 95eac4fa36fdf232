use steinbound_io::{IoError, remedy};
use steinbound_plot::PlotError;
use steinbound_report::ReportError;
use thiserror::Error;

/// Errors of a reproduction, with their remedies.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PaperError {
    /// There is no figure of this name.
    #[error("there is no figure \"{name}\"; choose from {known}, or all")]
    UnknownFigure {
        /// The requested name.
        name: String,
        /// The existing figures.
        known: String,
    },
    /// Too few trials, or too many.
    #[error("the number of trials is {trials}; give a number from 2 to {most}")]
    Trials {
        /// The requested number.
        trials: usize,
        /// The largest number.
        most: usize,
    },
    /// The path is not a folder.
    #[error("{path} is not a folder; choose another --output")]
    NotAFolder {
        /// The path.
        path: String,
    },
    /// The folder is not empty.
    #[error("{folder} is not empty; choose another --output, or --resume what was begun there")]
    NotEmpty {
        /// The folder.
        folder: String,
    },
    /// The folder contains other files.
    #[error("{folder} has files but no journal of a reproduction to resume; choose another --output")]
    NothingToResume {
        /// The folder.
        folder: String,
    },
    /// The settings differ from those of the run to be resumed.
    #[error(
        "{folder} was begun with {begun}, not with {asked}; repeat these settings, or choose another --output"
    )]
    OtherSettings {
        /// The folder.
        folder: String,
        /// Settings of the journal.
        begun: String,
        /// Requested settings.
        asked: String,
    },
    /// Another process is writing there.
    #[error("another reproduction is running in {folder}; wait for it, or choose another --output")]
    Busy {
        /// The folder.
        folder: String,
    },
    /// A line of the journal cannot be parsed.
    #[error(
        "{journal}, line {line}: not a trial of these figures; remove that line, or choose another --output"
    )]
    Damaged {
        /// The journal.
        journal: String,
        /// The line, counted from 1.
        line: usize,
    },
    /// The folder or the journal cannot be used.
    #[error("cannot use {path}: {reason}; {}", remedy(.reason).unwrap_or("check the folder and its permissions"))]
    Unusable {
        /// The file or folder.
        path: String,
        /// The reason given by the system.
        reason: String,
    },
    /// Results cannot be written.
    #[error(
        "cannot write {path}: {reason}; finished trials are kept, {} and go on with --resume",
        remedy(.reason).unwrap_or("free some space")
    )]
    Full {
        /// The journal.
        path: String,
        /// The reason given by the system.
        reason: String,
    },
    /// The run was interrupted.
    #[error("interrupted; finished trials are kept, go on with --resume")]
    Interrupted,
    /// A file of results cannot be written.
    #[error(transparent)]
    Io(#[from] IoError),
    /// An example cannot be computed.
    #[error(transparent)]
    Fit(#[from] steinbound::Error),
    /// A picture cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The page cannot be written.
    #[error(transparent)]
    Page(#[from] ReportError),
}

use steinbound_io::IoError;
use steinbound_plot::PlotError;
use steinbound_report::ReportError;
use thiserror::Error;

/// What can go wrong with a reproduction, with its remedy.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PaperError {
    /// No such figure.
    #[error("there is no figure \"{name}\"; choose from {known}, or all")]
    UnknownFigure {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Too few trials, or too many.
    #[error("the number of trials is {trials}; give a number from 2 to {most}")]
    Trials {
        /// How many were asked for.
        trials: usize,
        /// How many are allowed.
        most: usize,
    },
    /// Something else has the folder's name.
    #[error("{path} is not a folder; choose another --output")]
    NotAFolder {
        /// What was asked for.
        path: String,
    },
    /// The folder has something in it.
    #[error("{folder} is not empty; choose another --output, or --resume what was begun there")]
    NotEmpty {
        /// The folder.
        folder: String,
    },
    /// The folder has something else in it.
    #[error("{folder} has files but no journal of a reproduction to resume; choose another --output")]
    NothingToResume {
        /// The folder.
        folder: String,
    },
    /// What was begun is not what is asked for.
    #[error(
        "{folder} was begun with {begun}, not with {asked}; repeat these settings, or choose another --output"
    )]
    OtherSettings {
        /// The folder.
        folder: String,
        /// Settings of the journal.
        begun: String,
        /// Settings that were asked for.
        asked: String,
    },
    /// Somebody else is at work there.
    #[error("another reproduction is at work in {folder}; wait for it, or choose another --output")]
    Busy {
        /// The folder.
        folder: String,
    },
    /// The journal does not read as one.
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
    #[error("cannot use {path}: {reason}; check the folder and its permissions")]
    Unusable {
        /// The file or folder.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// What was found cannot be written down.
    #[error("cannot write {path}: {reason}; finished trials are kept, make room and go on with --resume")]
    Full {
        /// The journal.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// It was told to stop.
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

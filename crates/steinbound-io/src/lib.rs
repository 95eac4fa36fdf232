//! Files in and out for [`steinbound`]: tables to points, text to domains, and whole-file writes.
//!
//! The core crate does no input or output. Everything that reads what a person typed or saved is here, and every error says
//! where in the file or text it happened and what to do.

mod error;
pub mod frame;
pub mod names;
mod records;
pub mod spec;
pub mod table;
pub mod write;

pub use error::IoError;
pub use frame::{Frame, FrameOptions, read_frame};
pub use spec::DomainSpec;
pub use table::{Sheet, TableOptions, read_matrix, read_table};

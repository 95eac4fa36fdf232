//! Input and output for [`steinbound`]: tables to points, maps and text to domains, and writing of whole
//! files.
//!
//! The core crate does no input or output. All user input and files are read here, and every error names the
//! place in the file or text and a remedy.

mod arguments;
pub mod changes;
mod columns;
pub mod design;
mod error;
pub mod examples;
mod expansion;
pub mod formula;
pub mod frame;
mod guarded;
pub mod limit;
pub mod map;
mod nameless;
pub mod names;
mod open;
mod parquet_column;
mod parquet_pages;
mod parquet_rows;
pub mod place;
mod records;
mod sniff;
pub mod source;
pub mod spec;
mod splitter;
mod system;
pub mod table;
pub mod text_format;
mod text_rows;
pub mod write;

pub use columns::Column;
pub use design::Design;
pub use error::IoError;
pub use formula::Formula;
pub use frame::{Frame, FrameOptions, read_frame, read_frame_watched};
pub use limit::{Limit, limit_values};
pub use map::{Map, MapOptions, read_map};
pub use place::{Place, Unit};
pub use source::Progress;
pub use spec::DomainSpec;
pub use system::remedy;
pub use table::{Sheet, TableOptions, read_matrix, read_table, read_table_watched};
pub use text_format::{Header, Separator, TextFormat};

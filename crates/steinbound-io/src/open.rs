//! The choice of the reader for a table.

use std::path::Path;

use crate::error::IoError;
use crate::map::point_format;
use crate::map::points::PointRows;
use crate::parquet_rows::ParquetRows;
use crate::records::Rows;
use crate::source::{Content, Progress, Source, name_of, open};
use crate::text_format::TextFormat;
use crate::text_rows::TextRows;

/// Opens a table of any kind.
pub(crate) fn open_rows<'a>(
    path: &Path,
    format: &TextFormat,
    watch: &'a dyn Fn(Progress),
) -> Result<Box<dyn Rows + 'a>, IoError> {
    if let Some(map) = point_format(path) {
        return Ok(Box::new(PointRows::open(path, map)?));
    }
    Ok(match open(path)? {
        Content::Stream(source) => Box::new(TextRows::new(source, format, watch)?),
        Content::Parquet(file) => Box::new(ParquetRows::open(name_of(path), file)?),
    })
}

/// A table of text in memory.
pub(crate) fn text_rows<'a>(
    path: &str,
    bytes: &'a [u8],
    format: &TextFormat,
) -> Result<TextRows<'a>, IoError> {
    TextRows::new(Source::new(path.to_string(), bytes, None)?, format, &|_| ())
}

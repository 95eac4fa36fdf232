//! Tables in which a column has polygons in well-known text, as databases export them.

use super::{Choice, Coordinates, Layer, well_known_text};
use crate::error::IoError;
use crate::open::text_rows;
use crate::records::{Rows, decoded};
use crate::text_format::TextFormat;

/// How far into a file polygons are looked for.
pub(super) const LOOKED_AT: usize = 1 << 16;

/// Whether the beginning of a table has polygons in well-known text.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    let beginning = &bytes[..bytes.len().min(LOOKED_AT)];
    let word = b"POLYGON";
    beginning.windows(word.len()).enumerate().any(|(at, window)| {
        let rest = &beginning[at + word.len()..];
        window.eq_ignore_ascii_case(word) && rest.trim_ascii_start().starts_with(b"(")
    })
}

/// Reads the polygons of the rows that are chosen; the other columns are their properties.
pub(super) fn read(bytes: &[u8], choice: &mut Choice, layer: &mut Layer) -> Result<(), IoError> {
    let mut rows = text_rows(layer.path, bytes, &TextFormat::default())?;
    let names = rows.layout().names.clone();
    rows.choose(&(0..names.len()).collect::<Vec<_>>())?;
    choice.note_properties(names.iter().map(String::as_str));
    let mut column = None;
    while let Some(line) = rows.next()? {
        let text = |j: usize| decoded(&rows.cell(j).bytes()).into_owned();
        let is_polygon = |j: &usize| is_one(text(*j).as_bytes());
        // The first row with a polygon tells the column; rows before it have none.
        column = column.or_else(|| (0..names.len()).find(is_polygon));
        let place = |name: &str| names.iter().position(|other| other == name);
        let value = |name: &str| place(name).map(text).filter(|value| !value.is_empty());
        let Some(column) = column else { continue };
        let geometry = text(column);
        if !choice.takes(value) || geometry.trim().is_empty() {
            continue;
        }
        if layer.coordinates == Coordinates::Unstated {
            layer.coordinates = well_known_text::stated_coordinates(&geometry);
        }
        layer.begin(&format!("line {line}"), choice.name_of(value));
        well_known_text::read_cell(&geometry, line, layer)?;
    }
    Ok(())
}

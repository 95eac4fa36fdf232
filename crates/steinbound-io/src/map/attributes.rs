use std::ops::Range;

use crate::error::IoError;
use crate::records::decoded;

/// The attribute table of a shapefile. Values are kept as the text in the file, so that `06` stays `06`.
///
/// Records are identified by their position: deleted ones count, because their shapes do. Damage in columns
/// that are not requested does not matter.
pub(super) struct Attributes<'a> {
    fields: Vec<(String, Range<usize>)>,
    records: std::slice::ChunksExact<'a, u8>,
}

impl<'a> Attributes<'a> {
    pub(super) fn parse(path: &str, bytes: &'a [u8]) -> Result<Attributes<'a>, IoError> {
        Attributes::parsed(bytes).ok_or_else(|| IoError::MapSyntax {
            path: path.to_string(),
            format: "shapefile data",
            place: " in the .dbf file next to it".into(),
            reason: "the attribute table is damaged".into(),
        })
    }

    fn parsed(bytes: &'a [u8]) -> Option<Attributes<'a>> {
        let half = |at: usize| Some(usize::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
        let (start, width) = (half(8)?, half(10)?);
        let mut fields = Vec::new();
        // The first byte of a record marks it as deleted or not.
        let mut place = 1;
        for field in bytes.get(32..start)?.chunks_exact(32).take_while(|field| field[0] != b'\r') {
            let name = field[..11].split(|byte| *byte == 0).next().unwrap_or_default();
            let end = place + usize::from(field[16]);
            fields.push((text(name), place..end));
            place = end;
        }
        let is_sound = place <= width;
        is_sound.then(|| Attributes { fields, records: bytes[start..].chunks_exact(width) })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }

    /// The value of a field in a record, counted from zero.
    pub(super) fn value(&self, record: usize, name: &str) -> Option<String> {
        let (_, place) = self.fields.iter().find(|(other, _)| other == name)?;
        Some(text(self.records.clone().nth(record)?.get(place.clone())?))
    }
}

/// Trimmed text, in UTF-8 or else in Latin-1.
fn text(bytes: &[u8]) -> String {
    decoded(bytes).trim_matches(|c: char| c.is_whitespace() || c == '\0').to_string()
}

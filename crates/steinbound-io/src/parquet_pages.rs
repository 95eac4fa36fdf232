//! Checks the sizes that pages of a Parquet file claim, before a reader allocates memory for them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use crate::expansion;

/// The length of the longest page header examined.
const LONGEST_HEADER: usize = 1 << 16;

/// Whether a page between two positions of a file claims more bytes than it can hold.
///
/// Data that do not look like pages are left to the reader, which rejects them.
pub(crate) fn claim_too_much(mut file: &File, start: u64, end: u64) -> std::io::Result<bool> {
    let mut buffer = Vec::new();
    let mut place = start;
    while place < end {
        buffer.clear();
        file.seek(SeekFrom::Start(place))?;
        // Most headers are short; a long one is read again.
        for length in [256, LONGEST_HEADER] {
            (&mut file).take((length - buffer.len()) as u64).read_to_end(&mut buffer)?;
            if header(&buffer).is_some() {
                break;
            }
        }
        let Some(page) = header(&buffer) else { break };
        if page.unpacked > expansion::limit(page.packed) {
            return Ok(true);
        }
        place = place.saturating_add(page.length + page.packed);
    }
    Ok(false)
}

/// The fields of a page header that are needed here.
struct Header {
    unpacked: u64,
    packed: u64,
    /// The length of the header itself.
    length: u64,
}

fn header(bytes: &[u8]) -> Option<Header> {
    let mut reader = Compact { bytes, at: 0 };
    let (mut unpacked, mut packed) = (None, None);
    let mut field = 0;
    while let Some((next, kind)) = reader.field(field)? {
        field = next;
        match (field, kind) {
            (2, 5) => unpacked = Some(reader.integer()?),
            (3, 5) => packed = Some(reader.integer()?),
            _ => reader.skip(kind, 0)?,
        }
    }
    // A size that does not fit into its type is truncated by the reader, with arbitrary result.
    let size = |number: i64| i32::try_from(number).ok().and_then(|number| u64::try_from(number).ok());
    let (unpacked, packed) = size(unpacked?).zip(size(packed?)).unwrap_or((u64::MAX, 0));
    Some(Header { unpacked, packed, length: reader.at as u64 })
}

/// Thrift's compact encoding, in which headers are written.
struct Compact<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Compact<'_> {
    fn byte(&mut self) -> Option<u8> {
        self.at += 1;
        self.bytes.get(self.at - 1).copied()
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// An integer in zigzag encoding: the sign is in its lowest bit.
    fn integer(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// The number and the kind of the next field of a structure; the inner `None` at its end.
    fn field(&mut self, last: i64) -> Option<Option<(i64, u8)>> {
        let byte = self.byte()?;
        Some(match (byte >> 4, byte & 15) {
            (_, 0) => None,
            (0, kind) => Some((self.integer()?, kind)),
            (step, kind) => Some((last.checked_add(i64::from(step))?, kind)),
        })
    }

    /// Skips a value.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > 8 {
            return None;
        }
        match kind {
            // The kind of a Boolean field is its value.
            1 | 2 => {}
            3 => self.at += 1,
            4..=6 => drop(self.unsigned()?),
            7 => self.at += 8,
            8 => {
                let length = usize::try_from(self.unsigned()?).ok()?;
                self.at = self.at.checked_add(length)?;
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.unsigned()? } else { u64::from(head >> 4) };
                for _ in 0..count {
                    // In a list each Boolean takes one byte.
                    let kind = if head & 15 <= 2 { 3 } else { head & 15 };
                    self.skip(kind, depth + 1)?;
                    self.bytes.get(self.at.checked_sub(1)?)?;
                }
            }
            12 => {
                let mut field = 0;
                while let Some((next, kind)) = self.field(field)? {
                    field = next;
                    self.skip(kind, depth + 1)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// The header of a page that claims this number of bytes, packed into eight, with a nested structure.
    fn page(claim: u64) -> Vec<u8> {
        let mut bytes = vec![0x15, 0x00, 0x15];
        let mut rest = 2 * claim;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.extend([rest as u8, 0x15, 16, 0x2c, 0x15, 6, 0x18, 2, b'a', b'b', 0, 0]);
        bytes.extend([7; 8]);
        bytes
    }

    #[test]
    fn claims_are_held_against_what_is_there() {
        let mut file = tempfile::tempfile().unwrap();
        let pages = [page(100), page(12 << 20), page(2_000_000_000)].concat();
        file.write_all(&pages).unwrap();
        let end = pages.len() as u64;
        assert!(claim_too_much(&file, 0, end).unwrap());
        let two = (page(100).len() + page(12 << 20).len()) as u64;
        assert!(!claim_too_much(&file, 0, two).unwrap());
        assert!(!claim_too_much(&file, end - 8, end).unwrap(), "what is no header is left to the reader");
        file.write_all(&page(21 << 30)).unwrap();
        assert!(claim_too_much(&file, end, end + 1).unwrap(), "a size that is out of bounds");
    }
}

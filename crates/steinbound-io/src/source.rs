//! Opening tables and maps: files, pipes and standard input, compressed by gzip or not.

use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, Chain, Cursor, ErrorKind, Read};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::bufread::GzDecoder;

use crate::error::IoError;
use crate::expansion;
use crate::table::shown_path;

/// The progress of reading a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of rows read so far.
    pub rows: u64,
    /// The number of bytes of the file read so far.
    pub bytes: u64,
    /// The number of bytes of the file; `None` for standard input and pipes.
    pub total: Option<u64>,
}

/// An open stream of bytes, decompressed and without a byte-order mark.
pub(crate) struct Source<'a> {
    /// The name of the file, for messages.
    pub name: String,
    pub reader: Box<dyn Read + 'a>,
    /// The size of the file, if it has one.
    pub total: Option<u64>,
    /// The number of its bytes read so far.
    pub passed: Rc<Cell<u64>>,
}

/// The kind of a file, detected from its first bytes.
pub(crate) enum Content<'a> {
    Stream(Source<'a>),
    Parquet(File),
}

/// Standard input can be read only once.
static STANDARD_INPUT_IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The name of a file in messages.
pub(crate) fn name_of(path: &Path) -> String {
    if path == Path::new("-") { "standard input".into() } else { shown_path(path) }
}

/// Opens a file, or standard input for `-`.
pub(crate) fn open(path: &Path) -> Result<Content<'static>, IoError> {
    let name = name_of(path);
    let failed = |reason: String| IoError::Read { path: name.clone(), reason };
    if path == Path::new("-") {
        if STANDARD_INPUT_IS_TAKEN.swap(true, Ordering::Relaxed) {
            return Err(IoError::Unreadable {
                path: name,
                reason: "it was read already; only one file can come from there, so save the other".into(),
            });
        }
        return Ok(Content::Stream(Source::new(name, std::io::stdin().lock(), None)?));
    }
    let to_error = |error: std::io::Error| failed(error.to_string());
    let file = File::open(path).map_err(to_error)?;
    let data = file.metadata().map_err(to_error)?;
    if data.is_dir() {
        return Err(failed("it is a folder".into()));
    }
    if !data.is_file() {
        return Ok(Content::Stream(Source::new(name, file, None)?));
    }
    let mut first = [0; 4];
    let length = peek(&mut &file, &mut first).map_err(to_error)?;
    if first[..length] == *b"PAR1" {
        return Ok(Content::Parquet(file));
    }
    let rest = Cursor::new(first[..length].to_vec()).chain(Steady { file, opened: data.clone() });
    Ok(Content::Stream(Source::new(name, rest, Some(data.len()))?))
}

impl<'a> Source<'a> {
    /// A stream of text; compressed text is decompressed.
    pub fn new(name: String, reader: impl Read + 'a, total: Option<u64>) -> Result<Source<'a>, IoError> {
        let passed = Rc::new(Cell::new(0));
        let reader = Counted { reader, passed: Rc::clone(&passed) };
        let (mut start, mut reader) = begin(&name, Box::new(reader))?;
        if start.starts_with(&[0x1f, 0x8b]) {
            let packed: Chain<_, _> = Cursor::new(start).chain(reader);
            let unpacked = Unpacked::new(BufReader::with_capacity(1 << 16, packed), Rc::clone(&passed));
            (start, reader) = begin(&name, Box::new(unpacked))?;
        }
        let refused = |reason: &str| IoError::Unreadable { path: name.clone(), reason: reason.into() };
        match start.as_slice() {
            [b'P', b'K', 3, 4, ..] => Err(refused(
                "it is a .zip archive or a workbook; unpack it first, or save the sheet as comma-separated values",
            )),
            [b'P', b'A', b'R', b'1', ..] => {
                Err(refused("it is a Parquet file, which is read from its end; save it as a file of its own"))
            }
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Err(refused("it is UTF-16 text; save it as UTF-8")),
            [0x1f, 0x8b, ..] => Err(refused("it is packed twice; unpack it first")),
            // A header may also begin with BZh, FEA1 or ARROW1; the bytes that follow decide.
            [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', b'&'] => {
                Err(refused("it is packed by bzip2; unpack it first"))
            }
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Err(refused("it is packed by xz; unpack it first")),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Err(refused("it is packed by zstd; unpack it first")),
            b"ARROW1\0\0" | [b'F', b'E', b'A', b'1', 0, ..] => {
                Err(refused("it is an Arrow or Feather file; save it as Parquet or comma-separated values"))
            }
            _ => {
                let mark = if start.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
                let reader = Box::new(Cursor::new(start[mark..].to_vec()).chain(reader));
                Ok(Source { name, reader, total, passed })
            }
        }
    }
}

/// The first eight bytes of a stream, and the rest.
fn begin<'a>(name: &str, mut reader: Box<dyn Read + 'a>) -> Result<(Vec<u8>, Box<dyn Read + 'a>), IoError> {
    let mut first = [0; 8];
    let length = peek(&mut reader, &mut first).map_err(|error| broken(name, &error))?;
    Ok((first[..length].to_vec(), reader))
}

/// Fills a buffer, or as much of it as the stream has.
fn peek(reader: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match reader.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// The error for a stream that failed while being read.
pub(crate) fn broken(name: &str, error: &std::io::Error) -> IoError {
    IoError::Unreadable { path: name.to_string(), reason: format!("reading it failed: {error}") }
}

/// Counts the bytes read through it.
struct Counted<R> {
    reader: R,
    passed: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.passed.set(self.passed.get() + read as u64);
        Ok(read)
    }
}

/// The members of a gzip file, one after the other. Zeros may follow the last, with which tapes and some
/// tools fill a block.
struct Unpacked<R> {
    member: Option<GzDecoder<R>>,
    /// The number of packed bytes read so far, and of those that they expanded to.
    packed: Rc<Cell<u64>>,
    unpacked: u64,
}

impl<R: BufRead> Unpacked<R> {
    fn new(reader: R, packed: Rc<Cell<u64>>) -> Unpacked<R> {
        Unpacked { member: Some(GzDecoder::new(reader)), packed, unpacked: 0 }
    }

    fn unpack(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                self.unpacked += read as u64;
                let packed = self.packed.get();
                // At any time, so that a stream that expands without end is known at its beginning.
                return match self.unpacked > expansion::limit(packed) {
                    true => Err(std::io::Error::other(expansion::refusal(packed))),
                    false => Ok(read),
                };
            }
            self.member = match self.member.take() {
                Some(member) => next_member(member.into_inner())?,
                None => None,
            };
        }
        Ok(0)
    }
}

/// The member that begins here; `None` if only zeros remain.
fn next_member<R: BufRead>(mut packed: R) -> std::io::Result<Option<GzDecoder<R>>> {
    let mut is_filled_up = false;
    loop {
        let ahead = match packed.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            ahead => ahead?,
        };
        let zeros = ahead.iter().take_while(|byte| **byte == 0).count();
        match (ahead.is_empty(), zeros) {
            (true, _) => return Ok(None),
            (false, 0) if is_filled_up => return Err(ErrorKind::InvalidData.into()),
            (false, 0) => return Ok(Some(GzDecoder::new(packed))),
            (false, zeros) => packed.consume(zeros),
        }
        is_filled_up = true;
    }
}

impl<R: BufRead> Read for Unpacked<R> {
    /// Translates the decoder's errors into what they mean for the file.
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.unpack(buffer).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof | ErrorKind::InvalidInput | ErrorKind::InvalidData => {
                std::io::Error::other("its gzip data are damaged or cut off; pack or copy it again")
            }
            _ => error,
        })
    }
}

/// A file that must not change while it is read.
struct Steady {
    file: File,
    opened: Metadata,
}

impl Read for Steady {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        if read == 0 && !buffer.is_empty() {
            let now = self.file.metadata()?;
            if (now.len(), now.modified().ok()) != (self.opened.len(), self.opened.modified().ok()) {
                return Err(std::io::Error::other(
                    "it changed at the same time; try again when nothing writes to it",
                ));
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut source = Source::new("f.csv".into(), bytes, None).map_err(|error| error.to_string())?;
        let mut all = Vec::new();
        source.reader.read_to_end(&mut all).map_err(|error| broken("f.csv", &error).to_string())?;
        assert_eq!(source.passed.get(), bytes.len() as u64);
        Ok(all)
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn marks_are_skipped_and_packed_text_is_unpacked() {
        for text in [&b""[..], b"a", b"1,2\n", b"\xef\xbb\xbf", b"\xef\xbb"] {
            let expected = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
            assert_eq!(read(text).unwrap(), expected);
            assert_eq!(read(&packed(text)).unwrap(), expected);
        }
        let members = [packed(b"1,2\n"), packed(b"3,4\n")].concat();
        assert_eq!(read(&members).unwrap(), b"1,2\n3,4\n");
        for zeros in [1, 512, 1 << 17] {
            assert_eq!(read(&[&members[..], &vec![0; zeros]].concat()).unwrap(), b"1,2\n3,4\n", "{zeros}");
        }
        for rest in [&b"\0\0x"[..], b"x", &[&[0][..], &packed(b"5,6\n")].concat()] {
            let error = read(&[&members[..], rest].concat()).unwrap_err();
            assert!(error.contains("damaged or cut off"), "{error}");
        }
    }

    #[test]
    fn what_expands_without_end_is_refused_soon() {
        let bomb = packed(&b"1\n".repeat(40 << 20));
        assert!(bomb.len() < 200_000, "{}", bomb.len());
        let mut source = Source::new("f.csv".into(), &bomb[..], None).unwrap();
        let (mut buffer, mut length) = (vec![0; 1 << 16], 0);
        let error = loop {
            match source.reader.read(&mut buffer) {
                Ok(0) => panic!("it is read to its end"),
                Ok(read) => length += read,
                Err(error) => break error,
            }
        };
        assert!(length < 24 << 20, "{length}");
        assert!(error.to_string().contains("100 times its size and 16 MB"), "{error}");
        assert_eq!(read(&packed(&b"1\n".repeat(7 << 20))).unwrap().len(), 14 << 20);
    }

    #[test]
    fn what_is_no_text_is_refused_with_a_remedy() {
        for bytes in [&b"\xff\xfe1\0"[..], b"\xfe\xff\x001", &packed(b"\xff\xfe1\0")] {
            assert!(read(bytes).unwrap_err().contains("UTF-16 text; save it as UTF-8"));
        }
        assert!(read(b"PK\x03\x04..").unwrap_err().contains("unpack it first"));
        assert!(read(&packed(b"PAR1")).unwrap_err().contains("Parquet"));
        assert!(read(&packed(&packed(b"1"))).unwrap_err().contains("packed twice"));
        for (bytes, part) in [
            (&b"BZh91AY&SY\x0e"[..], "packed by bzip2; unpack it first"),
            (b"\xfd7zXZ\0\0\x04", "packed by xz; unpack it first"),
            (b"\x28\xb5\x2f\xfd\x04\x10", "packed by zstd; unpack it first"),
            (b"ARROW1\0\0\xff\xff", "save it as Parquet or comma-separated values"),
            (b"FEA1\0\0\0\0", "save it as Parquet or comma-separated values"),
        ] {
            assert!(read(bytes).unwrap_err().contains(part), "{part}");
            assert!(read(&packed(bytes)).unwrap_err().contains(part), "{part}, packed by gzip");
        }
        for text in [&b"BZh,x\n1,2\n"[..], b"ARROW1,ARROW2\n", b"FEA1,FEA2\n1,2\n", b"BZh9\n"] {
            assert_eq!(read(text).unwrap(), text);
        }
        let whole = packed(b"1,2\n3,4\n");
        assert!(read(&whole[..whole.len() - 6]).unwrap_err().contains("damaged or cut off"));
        assert!(read(b"\x1f\x8b\x08nonsense").unwrap_err().contains("damaged or cut off"));
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.csv");
        std::fs::write(&path, "1,2\n".repeat(100)).unwrap();
        for length in [40, 4000] {
            let Ok(Content::Stream(mut source)) = open(&path) else { panic!("it opens") };
            std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
            let error = source.reader.read_to_end(&mut Vec::new()).unwrap_err();
            assert!(error.to_string().contains("it changed at the same time"), "{error}");
        }
    }
}

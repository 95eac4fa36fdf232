//! [`Splitter`]: a stream of text cut into records and fields, in memory that does not grow with the stream.

use std::io::{ErrorKind, Read};

use memchr::{memchr_iter, memchr3_iter};

/// The length of the longest record accepted, in bytes.
pub(crate) const LONGEST_RECORD: usize = 16 << 20;

/// The largest number of fields in a record.
pub(crate) const MOST_FIELDS: usize = 100_000;

/// The size of the first read, which is also the look-ahead used to detect the separator.
const FIRST: usize = 1 << 16;

/// The separator of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Between {
    Character(u8),
    Blanks,
}

impl Between {
    fn is(self, byte: u8) -> bool {
        match self {
            Between::Character(separator) => byte == separator,
            Between::Blanks => matches!(byte, b' ' | b'\t'),
        }
    }
}

/// The reason why a record cannot be read.
#[derive(Debug)]
pub(crate) enum Trouble {
    Stream(std::io::Error),
    /// A record that is too long.
    TooLong {
        line: u64,
    },
    /// Too many fields in a record.
    TooWide {
        line: u64,
    },
    /// A quote that does not close, and the line where it opens.
    Unclosed {
        line: u64,
    },
}

/// Splits a stream into records: lines whose fields may be quoted, so that they can contain separators and
/// line breaks.
///
/// A quote has a meaning only at the beginning of a field, and inside a quoted field two quotes stand for
/// one. Lines end with a line feed, a carriage return or both, and are counted as editors do.
pub(crate) struct Splitter<'a> {
    reader: Box<dyn Read + 'a>,
    /// The first size of the buffer.
    first: usize,
    buffer: Vec<u8>,
    /// The part of the buffer that is filled and not yet consumed.
    unread: std::ops::Range<usize>,
    stream_ended: bool,
    between: Between,
    /// The line on which the next record begins.
    next_line: u64,
    /// The beginning and end of each field of the record: in the buffer, or in `unquoted` if that is not
    /// empty.
    fields: Vec<(u32, u32)>,
    unquoted: Vec<u8>,
    is_quoted: bool,
}

/// The result of a search for the end of a record.
enum Scan {
    /// The record ends at `end`; the next begins at `next`, this number of lines later.
    Ends { end: usize, next: usize, lines: u64 },
    /// The record continues beyond the buffer, perhaps inside a quote opened this number of lines after its
    /// first.
    Open { quote: Option<u64> },
}

impl<'a> Splitter<'a> {
    pub fn new(reader: Box<dyn Read + 'a>, between: Between) -> Splitter<'a> {
        Splitter::with_buffer(reader, between, FIRST)
    }

    /// The records of a text in memory.
    pub fn of_text(text: &'a [u8], between: Between) -> Splitter<'a> {
        // One byte more than the text has, so that its end is noticed at once.
        Splitter::with_buffer(Box::new(text), between, text.len() + 1)
    }

    fn with_buffer(reader: Box<dyn Read + 'a>, between: Between, first: usize) -> Splitter<'a> {
        Splitter {
            reader,
            first,
            buffer: Vec::new(),
            unread: 0..0,
            stream_ended: false,
            between,
            next_line: 1,
            fields: Vec::new(),
            unquoted: Vec::new(),
            is_quoted: false,
        }
    }

    /// The beginning of the stream, and whether that is the whole stream; only before the first record.
    pub fn look_ahead(&mut self) -> Result<(&[u8], bool), Trouble> {
        if self.buffer.is_empty() {
            self.fill().map_err(Trouble::Stream)?;
        }
        Ok((&self.buffer[self.unread.clone()], self.stream_ended))
    }

    pub fn set_between(&mut self, between: Between) {
        self.between = between;
    }

    /// The number of fields of the record.
    pub fn width(&self) -> usize {
        self.fields.len()
    }

    /// A field of the record.
    pub fn field(&self, j: usize) -> &[u8] {
        let (start, end) = self.fields[j];
        let bytes = if self.is_quoted { &self.unquoted } else { &self.buffer };
        &bytes[start as usize..end as usize]
    }

    pub fn fields(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.width()).map(|j| self.field(j))
    }

    /// Whether the record is a blank line; a quoted field is a value, even if an empty one.
    pub fn is_blank(&self) -> bool {
        match self.width() {
            _ if self.is_quoted => false,
            0 => true,
            1 => self.field(0).iter().all(u8::is_ascii_whitespace),
            _ => false,
        }
    }

    /// Moves to the next record and returns the line on which it begins.
    pub fn next(&mut self) -> Result<Option<u64>, Trouble> {
        let line = self.next_line;
        loop {
            let start = self.unread.start;
            match self.scan() {
                Scan::Ends { end, next, lines } => {
                    self.split(start, end);
                    self.unread.start = next;
                    self.next_line += lines;
                    if self.fields.len() > MOST_FIELDS {
                        return Err(Trouble::TooWide { line });
                    }
                    return Ok(Some(line));
                }
                Scan::Open { quote } if self.stream_ended => {
                    if let Some(lines) = quote {
                        return Err(Trouble::Unclosed { line: line + lines });
                    }
                    if self.unread.is_empty() {
                        return Ok(None);
                    }
                    // The last line needs no line end.
                    self.split(start, self.unread.end);
                    self.unread.start = self.unread.end;
                    if self.fields.len() > MOST_FIELDS {
                        return Err(Trouble::TooWide { line });
                    }
                    return Ok(Some(line));
                }
                Scan::Open { quote } => {
                    if self.unread.len() >= LONGEST_RECORD {
                        return Err(match quote {
                            Some(lines) => Trouble::Unclosed { line: line + lines },
                            None => Trouble::TooLong { line },
                        });
                    }
                    self.fill().map_err(Trouble::Stream)?;
                }
            }
        }
    }

    /// Searches for the end of the record at the beginning of the unread bytes.
    fn scan(&mut self) -> Scan {
        self.is_quoted = false;
        let unread = &self.buffer[self.unread.clone()];
        let from = self.unread.start;
        let mut lines = 0;
        // The end of the quoted field that is being skipped.
        let mut passed = 0;
        for at in memchr3_iter(b'\n', b'\r', b'"', unread) {
            if at < passed {
                continue;
            }
            match unread[at] {
                b'"' => {
                    if at > 0 && !self.between.is(unread[at - 1]) {
                        continue;
                    }
                    self.is_quoted = true;
                    let opened = lines;
                    match closing_quote(&unread[at + 1..], &mut lines) {
                        Some(length) => passed = at + 1 + length + 1,
                        None => return Scan::Open { quote: Some(opened) },
                    }
                }
                b'\n' => return Scan::Ends { end: from + at, next: from + at + 1, lines: lines + 1 },
                _ => {
                    let next = match unread.get(at + 1) {
                        Some(b'\n') => at + 2,
                        // A line feed that has not been read yet may follow.
                        None if !self.stream_ended => return Scan::Open { quote: None },
                        _ => at + 1,
                    };
                    return Scan::Ends { end: from + at, next: from + next, lines: lines + 1 };
                }
            }
        }
        Scan::Open { quote: None }
    }

    /// Splits a record into fields.
    fn split(&mut self, start: usize, end: usize) {
        self.fields.clear();
        if self.is_quoted {
            return self.split_quoted(start, end);
        }
        let record = &self.buffer[start..end];
        // The buffer is never larger than the longest record, so positions fit into `u32`.
        let place = |at: usize| (start + at) as u32;
        match self.between {
            Between::Character(separator) => {
                let mut begin = 0;
                for at in memchr_iter(separator, record).take(MOST_FIELDS) {
                    self.fields.push((place(begin), place(at)));
                    begin = at + 1;
                }
                self.fields.push((place(begin), place(record.len())));
            }
            Between::Blanks => {
                let mut at = 0;
                while self.fields.len() <= MOST_FIELDS {
                    let rest = &record[at..];
                    let Some(skip) = rest.iter().position(|byte| !self.between.is(*byte)) else { break };
                    let length = rest[skip..].iter().position(|byte| self.between.is(*byte));
                    let stop = length.map_or(record.len(), |length| at + skip + length);
                    self.fields.push((place(at + skip), place(stop)));
                    at = stop;
                }
            }
        }
    }

    /// Splits a record with quoted fields and removes the quotes.
    fn split_quoted(&mut self, start: usize, end: usize) {
        let record = &self.buffer[start..end];
        let (between, unquoted) = (self.between, &mut self.unquoted);
        unquoted.clear();
        let mut at = 0;
        let mut lines = 0;
        while self.fields.len() <= MOST_FIELDS {
            if between == Between::Blanks {
                at += record[at..].iter().take_while(|byte| between.is(**byte)).count();
                if at == record.len() {
                    break;
                }
            }
            let begin = unquoted.len() as u32;
            if record.get(at) == Some(&b'"') {
                let inside = &record[at + 1..];
                let length = closing_quote(inside, &mut lines).unwrap_or(inside.len());
                let mut is_second = false;
                for byte in &inside[..length] {
                    // Of two quotes in a row the first is kept.
                    is_second = *byte == b'"' && !is_second;
                    if *byte != b'"' || is_second {
                        unquoted.push(*byte);
                    }
                }
                at = (at + 1 + length + 1).min(record.len());
            }
            // Text after a closing quote belongs to the field, as does a quote inside it.
            let plain = record[at..].iter().take_while(|byte| !between.is(**byte)).count();
            unquoted.extend_from_slice(&record[at..at + plain]);
            at += plain;
            self.fields.push((begin, unquoted.len() as u32));
            if at == record.len() {
                break;
            }
            at += 1;
        }
    }

    /// Reads until the buffer is full or the stream ends; the buffer grows if a record fills it.
    fn fill(&mut self) -> std::io::Result<()> {
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        if self.unread.end == self.buffer.len() {
            let larger = (2 * self.buffer.len()).max(self.first).min(LONGEST_RECORD);
            self.buffer.resize(larger, 0);
        }
        while self.unread.end < self.buffer.len() && !self.stream_ended {
            match self.reader.read(&mut self.buffer[self.unread.end..]) {
                Ok(0) => self.stream_ended = true,
                Ok(read) => self.unread.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The distance from an opening quote to the closing one; counts the line ends before it.
fn closing_quote(inside: &[u8], lines: &mut u64) -> Option<usize> {
    let mut skip = None;
    for at in memchr3_iter(b'\n', b'\r', b'"', inside) {
        match inside[at] {
            _ if skip == Some(at) => skip = None,
            b'"' if inside.get(at + 1) == Some(&b'"') => skip = Some(at + 1),
            b'"' => return Some(at),
            b'\r' if inside.get(at + 1) == Some(&b'\n') => {}
            _ => *lines += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that delivers a few bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = self.1.min(buffer.len()).min(self.0.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn records(text: &[u8], between: Between) -> Vec<(u64, Vec<String>)> {
        let mut splitter = Splitter::new(Box::new(Drops(text, 3)), between);
        let mut found = Vec::new();
        while let Some(line) = splitter.next().unwrap() {
            found
                .push((line, splitter.fields().map(|field| String::from_utf8_lossy(field).into()).collect()));
        }
        found
    }

    #[test]
    fn blanks_come_in_runs() {
        let found = records(b"  1 \t 2\n\"a b\"  \"\"\n   \n3 ", Between::Blanks);
        let fields: Vec<Vec<String>> = found.into_iter().map(|(_, fields)| fields).collect();
        assert_eq!(fields, [vec!["1", "2"], vec!["a b", ""], vec![], vec!["3"]]);
    }

    #[test]
    fn a_record_may_be_as_long_as_the_limit() {
        let line = "1,".repeat(20_000) + "\"" + &"x".repeat(3 * FIRST) + "\"\n";
        let found = records(line.repeat(2).as_bytes(), Between::Character(b','));
        assert_eq!(
            found.iter().map(|(line, fields)| (*line, fields.len())).collect::<Vec<_>>(),
            [(1, 20_001), (2, 20_001)]
        );
        let longest = vec![b'1'; LONGEST_RECORD + 1];
        let next = |bytes: &[u8]| Splitter::new(Box::new(Drops(bytes, 1 << 20)), Between::Blanks).next();
        assert!(matches!(next(&longest), Err(Trouble::TooLong { line: 1 })));
        assert!(matches!(next(&longest[2..]), Ok(Some(1))));
    }

    #[test]
    fn a_quote_that_does_not_close_is_told_by_its_line() {
        let text = b"a\r\nb,\"c\r\nd\",\"e\rf";
        let mut splitter = Splitter::new(Box::new(&text[..]), Between::Character(b','));
        assert_eq!(splitter.next().unwrap(), Some(1));
        assert!(matches!(splitter.next(), Err(Trouble::Unclosed { line: 3 })));
    }

    proptest::proptest! {
        /// Fields and line numbers agree with the csv crate, which reads the same grammar.
        #[test]
        fn records_are_those_of_another_parser(text in "([a-c,]|[\"\n\r]|\"\"){0,40}") {
            let closed = records_by_csv(&text);
            let mut splitter = Splitter::new(Box::new(Drops(text.as_bytes(), 2)), Between::Character(b','));
            let mut found = Vec::new();
            loop {
                match splitter.next() {
                    Ok(Some(_)) => found.push(splitter.fields().map(<[u8]>::to_vec).collect::<Vec<_>>()),
                    Ok(None) => break,
                    // The other parser closes an open quote by itself.
                    Err(_) => return Ok(()),
                }
            }
            found.retain(|fields| fields != &[b""]);
            proptest::prop_assert_eq!(found, closed);
        }
    }

    fn records_by_csv(text: &str) -> Vec<Vec<Vec<u8>>> {
        let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        let fields = |record: csv::ByteRecord| record.iter().map(<[u8]>::to_vec).collect::<Vec<_>>();
        let records = reader.into_byte_records().map(|record| fields(record.unwrap()));
        records.filter(|fields| fields != &[b""]).collect()
    }
}

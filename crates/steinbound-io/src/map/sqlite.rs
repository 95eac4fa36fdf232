//! Tables of an SQLite file, read without a database: whole tables in the order of their rows, nothing else.
//!
//! The format is at <https://www.sqlite.org/fileformat2.html>. Every length and page number comes from the
//! file, so each is checked before use, and no page is visited twice.

use std::borrow::Cow;

use crate::names::shown;

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Whole(i64),
    Number(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// A table: where it is, and what its columns are called.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    /// The column that stands for the number of the row, which is not stored with the others.
    row_number: Option<usize>,
    root: u32,
}

/// The pages of a file.
pub(super) struct Pages<'a> {
    bytes: &'a [u8],
    size: usize,
    /// The part of a page that is used.
    usable: usize,
}

const MAGIC: &[u8] = b"SQLite format 3\0";
const LEAF: u8 = 0x0d;
const INTERIOR: u8 = 0x05;
const DAMAGED: &str = "it is damaged or cut off";

type Found<T> = Result<T, String>;

impl<'a> Pages<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Found<Pages<'a>> {
        let header = bytes.get(..100).filter(|header| header.starts_with(MAGIC));
        let header = header.ok_or("it does not begin as an SQLite file does")?;
        let size = match u16::from_be_bytes([header[16], header[17]]) {
            1 => 65_536,
            size => usize::from(size),
        };
        let usable = size.saturating_sub(usize::from(header[20]));
        if !size.is_power_of_two() || size < 512 || usable < 480 {
            return Err(DAMAGED.into());
        }
        match header[59] {
            0 | 1 => Ok(Pages { bytes, size, usable }),
            _ => Err("its text is not UTF-8".into()),
        }
    }

    /// The tables of the file.
    pub(super) fn tables(&self) -> Found<Vec<Table>> {
        let names = ["type", "name", "tbl_name", "rootpage", "sql"].map(String::from).to_vec();
        let schema = Table { name: "sqlite_master".into(), columns: names, row_number: None, root: 1 };
        let mut tables = Vec::new();
        self.rows(&schema, &mut |row| {
            let [Value::Text(kind), Value::Text(name), _, Value::Whole(root), Value::Text(sql)] = &row[..]
            else {
                return Ok(());
            };
            if let (true, Ok(root)) = (kind == "table", u32::try_from(*root)) {
                let (columns, row_number) = columns(sql);
                tables.push(Table { name: name.clone(), columns, row_number, root });
            }
            Ok(())
        })?;
        Ok(tables)
    }

    /// Visits the rows of a table, each with one value for each column.
    pub(super) fn rows(&self, table: &Table, visit: &mut dyn FnMut(Vec<Value>) -> Found<()>) -> Found<()> {
        let count = self.bytes.len() / self.size + 1;
        let mut waiting = vec![table.root];
        let mut visited = vec![false; count + 1];
        // Rows do not share bytes, unless the file means harm.
        let mut left = self.bytes.len();
        while let Some(number) = waiting.pop() {
            let seen = visited.get_mut(number as usize).ok_or(DAMAGED)?;
            if std::mem::replace(seen, true) {
                return Err(DAMAGED.into());
            }
            let (page, start) = self.page(number)?;
            let kind = *page.get(start).ok_or(DAMAGED)?;
            let cells = usize::from(half(page, start + 3)?);
            let pointers = start + if kind == INTERIOR { 12 } else { 8 };
            let cell = |at: usize| Ok::<usize, String>(usize::from(half(page, pointers + 2 * at)?));
            match kind {
                INTERIOR => {
                    waiting.push(word(page, start + 8)?);
                    for at in (0..cells).rev() {
                        waiting.push(word(page, cell(at)?)?);
                    }
                }
                LEAF => {
                    for at in 0..cells {
                        let (row, length) = self.row(page, cell(at)?, table)?;
                        left = left.checked_sub(length).ok_or(DAMAGED)?;
                        visit(row)?;
                    }
                }
                _ => {
                    return Err(format!(
                        "the table {} is stored in a way that is not read",
                        shown(&table.name)
                    ));
                }
            }
        }
        Ok(())
    }

    /// A page, counted from 1, and where its content begins.
    fn page(&self, number: u32) -> Found<(&'a [u8], usize)> {
        let at = (number as usize).checked_sub(1).and_then(|at| at.checked_mul(self.size)).ok_or(DAMAGED)?;
        let page = self.bytes.get(at..).and_then(|rest| rest.get(..self.size)).ok_or(DAMAGED)?;
        Ok((page, if number == 1 { 100 } else { 0 }))
    }

    /// The row in a cell of a page, and how many bytes it takes.
    fn row(&self, page: &'a [u8], at: usize, table: &Table) -> Found<(Vec<Value>, usize)> {
        let mut cell = page.get(at..).ok_or(DAMAGED)?;
        let length = usize::try_from(varint(&mut cell)?).map_err(|_| DAMAGED)?;
        let number = varint(&mut cell)? as i64;
        let payload = self.payload(cell, length)?;
        let mut header = payload.as_ref();
        let header_length = usize::try_from(varint(&mut header)?).map_err(|_| DAMAGED)?;
        let used = payload.len() - header.len();
        let mut kinds = payload.get(used..header_length).ok_or(DAMAGED)?;
        let mut content = payload.get(header_length..).ok_or(DAMAGED)?;
        let mut row = Vec::with_capacity(table.columns.len());
        while !kinds.is_empty() && row.len() < table.columns.len() {
            row.push(value(varint(&mut kinds)?, &mut content)?);
        }
        // Columns that were added later are missing in old rows.
        row.resize(table.columns.len(), Value::Null);
        if let Some(column) = table.row_number {
            row[column] = Value::Whole(number);
        }
        Ok((row, length))
    }

    /// The bytes of a row, of which large ones continue on other pages.
    fn payload(&self, cell: &'a [u8], length: usize) -> Found<Cow<'a, [u8]>> {
        let most = self.usable - 35;
        if length <= most {
            return Ok(Cow::Borrowed(cell.get(..length).ok_or(DAMAGED)?));
        }
        if length > self.bytes.len() {
            return Err(DAMAGED.into());
        }
        let least = (self.usable - 12) * 32 / 255 - 23;
        let even = least + (length - least) % (self.usable - 4);
        let own = if even <= most { even } else { least };
        let mut bytes = cell.get(..own).ok_or(DAMAGED)?.to_vec();
        let mut next = word(cell, own)?;
        while bytes.len() < length {
            let (page, _) = self.page(next)?;
            let part = &page[4..self.usable];
            bytes.extend_from_slice(&part[..part.len().min(length - bytes.len())]);
            next = word(page, 0)?;
        }
        Ok(Cow::Owned(bytes))
    }
}

fn half(bytes: &[u8], at: usize) -> Found<u16> {
    let two = bytes.get(at..).and_then(|rest| rest.first_chunk::<2>()).ok_or(DAMAGED)?;
    Ok(u16::from_be_bytes(*two))
}

fn word(bytes: &[u8], at: usize) -> Found<u32> {
    let four = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>()).ok_or(DAMAGED)?;
    Ok(u32::from_be_bytes(*four))
}

/// A number of one to nine bytes, which are removed.
fn varint(bytes: &mut &[u8]) -> Found<u64> {
    let mut number = 0;
    for at in 0..9 {
        let (byte, rest) = bytes.split_first().ok_or(DAMAGED)?;
        *bytes = rest;
        if at == 8 {
            return Ok(number << 8 | u64::from(*byte));
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Ok(number)
}

/// A value of some kind, whose bytes are removed.
fn value(kind: u64, content: &mut &[u8]) -> Found<Value> {
    let mut take = |length: u64| {
        let length = usize::try_from(length).map_err(|_| DAMAGED)?;
        let (taken, rest) = content.split_at_checked(length).ok_or(DAMAGED)?;
        *content = rest;
        Ok::<&[u8], String>(taken)
    };
    let whole = |bytes: &[u8]| {
        let first = bytes.first().map_or(0, |byte| i64::from(*byte as i8));
        bytes.iter().skip(1).fold(first, |number, byte| number << 8 | i64::from(*byte))
    };
    Ok(match kind {
        0 => Value::Null,
        1..=4 => Value::Whole(whole(take(kind)?)),
        5 => Value::Whole(whole(take(6)?)),
        6 => Value::Whole(whole(take(8)?)),
        7 => Value::Number(f64::from_bits(whole(take(8)?) as u64)),
        8 => Value::Whole(0),
        9 => Value::Whole(1),
        10 | 11 => return Err(DAMAGED.into()),
        even if even % 2 == 0 => Value::Bytes(take((even - 12) / 2)?.to_vec()),
        odd => Value::Text(String::from_utf8_lossy(take((odd - 13) / 2)?).into_owned()),
    })
}

/// The names of the columns in the statement that created a table, and which of them numbers the rows.
fn columns(sql: &str) -> (Vec<String>, Option<usize>) {
    let mut names = Vec::new();
    let mut row_number = None;
    for definition in definitions(sql) {
        let definition = definition.trim_start();
        let (name, rest) = first_word(definition);
        let is_quoted = definition.starts_with(['"', '`', '[', '\'']);
        let keyword = name.to_ascii_uppercase();
        if !is_quoted && ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"].contains(&keyword.as_str()) {
            continue;
        }
        let rest = rest.to_ascii_uppercase();
        let mut words = rest.split_whitespace();
        if words.next() == Some("INTEGER") && rest.contains("PRIMARY KEY") {
            row_number = Some(names.len());
        }
        names.push(name);
    }
    (names, row_number)
}

/// The parts between the outermost brackets, which commas separate.
fn definitions(sql: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = None;
    let mut depth = 0usize;
    let mut quote = None;
    for (at, c) in sql.char_indices() {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '[') => quote = Some(']'),
            (None, '(') => {
                depth += 1;
                start.get_or_insert(at + 1);
            }
            (None, ')' | ',') if depth == 1 => {
                parts.extend(start.map(|from| &sql[from..at]));
                start = Some(at + 1);
                if c == ')' {
                    return parts;
                }
            }
            (None, ')') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
    }
    parts
}

/// The first word of a definition without its quotes, and what follows it.
fn first_word(text: &str) -> (String, &str) {
    let mut chars = text.chars();
    let end = match chars.next() {
        Some(quote @ ('"' | '`' | '\'')) => quote,
        Some('[') => ']',
        _ => {
            let end = text.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(text.len());
            return (text[..end].to_string(), &text[end..]);
        }
    };
    let inner = chars.as_str();
    let mut name = String::new();
    let mut rest = inner.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        // A quote within a name is written twice.
        if c == end && rest.next_if(|(_, next)| *next == end && end != ']').is_none() {
            return (name, &inner[at + c.len_utf8()..]);
        }
        name.push(c);
    }
    (name, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_statements() {
        let sql = "CREATE TABLE \"a (b\" ( fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, \"na\"\"me, x\" TEXT(20) DEFAULT 'a,b', \
                   [geom] MULTIPOLYGON, kind VARCHAR CHECK (kind IN ('a', 'b')), CONSTRAINT u UNIQUE (kind))";
        let (names, number) = columns(sql);
        assert_eq!(names, ["fid", "na\"me, x", "geom", "kind"]);
        assert_eq!(number, Some(0));
        assert_eq!(columns("CREATE TABLE t").0, Vec::<String>::new());
    }

    #[test]
    fn numbers_of_several_bytes() {
        let read = |mut bytes: &[u8]| varint(&mut bytes);
        assert_eq!(read(&[0x81, 0x00]), Ok(128));
        assert_eq!(read(&[0xff; 9]), Ok(u64::MAX));
        assert!(read(&[0x80]).is_err());
        assert_eq!(value(3, &mut &[0xff, 0xff, 0xfe][..]), Ok(Value::Whole(-2)));
        assert_eq!(value(7, &mut &1.5f64.to_be_bytes()[..]), Ok(Value::Number(1.5)));
        assert_eq!(value(19, &mut &b"abc"[..]), Ok(Value::Text("abc".into())));
        assert!(value(15, &mut &b""[..]).is_err());
    }
}

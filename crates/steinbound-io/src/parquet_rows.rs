//! Tables in Parquet files.

use std::collections::BTreeMap;
use std::fs::File;

use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::error::IoError;
use crate::expansion;
use crate::guarded::guarded;
use crate::names::shown;
use crate::parquet_column::{Column, Kind, Values, kind, leaves};
use crate::parquet_pages::claim_too_much;
use crate::place::Unit;
use crate::records::{Cell, Comma, Layout, Rows, printable};
use crate::source::broken;

/// The number of rows decoded at once.
const BATCH: usize = 4096;

/// Columns of few different values are packed better than any text.
const REPEATED: u64 = 8;

/// The rows of a Parquet file; only chosen columns are read.
pub(crate) struct ParquetRows {
    file: SerializedFileReader<File>,
    /// The same file, for the check of its pages, and its size.
    raw: File,
    size: u64,
    layout: Layout,
    /// For each column of the table its storage; `None` if it cannot be read.
    stored: Vec<Option<(usize, Kind)>>,
    columns: Vec<Column>,
    /// For each column of the table its index among the chosen columns.
    chosen: BTreeMap<usize, usize>,
    /// The next group of rows.
    group: usize,
    /// The number of rows of the group that are not decoded yet.
    left: usize,
    /// The number of decoded rows, and the index of the current one among them, counted from 1.
    decoded: usize,
    at: usize,
    row: u64,
}

impl ParquetRows {
    pub fn open(path: String, file: File) -> Result<ParquetRows, IoError> {
        let size = file.metadata().map_or(0, |data| data.len());
        let raw = file.try_clone().map_err(|error| broken(&path, &error))?;
        let file = sound(&path, || SerializedFileReader::new(file))?;
        check_places(&path, file.metadata(), size)?;
        let schema = file.metadata().file_metadata().schema_descr();
        let mut unusable = BTreeMap::new();
        let mut stored = Vec::new();
        let mut names = Vec::new();
        let mut leaf = 0;
        for (place, field) in schema.root_schema().get_fields().iter().enumerate() {
            names.push(printable(field.name()));
            let kind = kind(field);
            stored.push(kind.as_ref().ok().map(|kind| (leaf, *kind)));
            if let Err(reason) = kind {
                unusable.insert(place, reason);
            }
            leaf += leaves(field);
        }
        let layout = Layout {
            path,
            names,
            has_header: true,
            doubtful_header: None,
            unit: Unit::Row,
            comma: Comma::None,
            warning: None,
            unusable,
        };
        let (columns, chosen) = (Vec::new(), BTreeMap::new());
        Ok(ParquetRows {
            file,
            raw,
            size,
            layout,
            stored,
            columns,
            chosen,
            group: 0,
            left: 0,
            decoded: 0,
            at: 0,
            row: 0,
        })
    }

    /// Rejects columns whose compression is not supported.
    fn check_codecs(&self, place: usize, leaf: usize) -> Result<(), IoError> {
        for group in self.file.metadata().row_groups() {
            let codec =
                group.columns().get(leaf).map_or(Compression::UNCOMPRESSED, |column| column.compression());
            let is_known = match codec {
                Compression::UNCOMPRESSED
                | Compression::SNAPPY
                | Compression::GZIP(_)
                | Compression::LZ4
                | Compression::LZ4_RAW => true,
                Compression::ZSTD(_) => cfg!(feature = "zstd"),
                _ => false,
            };
            if !is_known {
                let name = codec.to_string();
                let name = name.split('(').next().unwrap_or_default();
                let reason = format!(
                    "it is packed by {name}, which is not unpacked here; write the file again with compression \"snappy\"{}",
                    if name == "ZSTD" { ", or build steinbound with --features zstd" } else { "" }
                );
                return Err(IoError::UnusableColumn {
                    path: self.layout.path.clone(),
                    column: shown(&self.layout.names[place]),
                    reason,
                });
            }
        }
        Ok(())
    }

    /// Rejects pages that claim more than they can hold, for which the reader would allocate memory.
    fn check_pages(&self, leaf: usize) -> Result<(), IoError> {
        let path = &self.layout.path;
        for column in self.file.metadata().row_groups().iter().filter_map(|group| group.columns().get(leaf)) {
            let (start, length) = column.byte_range();
            let found = claim_too_much(&self.raw, start, start.saturating_add(length));
            if found.map_err(|error| broken(path, &error))? {
                return Err(damaged(path, "a page claims more than it can hold"));
            }
        }
        Ok(())
    }

    /// Rejects more values than such a file has unless its rows are almost all equal: a few bytes can state that
    /// a value is repeated a billion times.
    fn check_size(&self) -> Result<(), IoError> {
        let rows: u64 =
            self.file.metadata().row_groups().iter().map(|group| group.num_rows().unsigned_abs()).sum();
        let needed = rows.saturating_mul(self.columns.len() as u64).saturating_mul(8);
        // What is known before it is read may take more than what shows on the way.
        let limit = REPEATED * expansion::limit(self.size);
        if needed <= limit {
            return Ok(());
        }
        let reason = format!(
            "its {rows} rows of {} columns take {} MB of memory, more than the {} MB to which a file of {} bytes may expand; if it is \
             meant to, choose fewer columns or save a part of the rows",
            self.columns.len(),
            needed >> 20,
            limit >> 20,
            self.size
        );
        Err(IoError::Unreadable { path: self.layout.path.clone(), reason })
    }

    /// Decodes the next rows; `false` if there are none.
    fn decode(&mut self) -> Result<bool, IoError> {
        while self.left == 0 {
            if self.group == self.file.num_row_groups() {
                return Ok(false);
            }
            let path = self.layout.path.clone();
            sound(&path, || self.open_group())?;
        }
        let count = self.left.min(BATCH);
        for column in &mut self.columns {
            let name = &self.layout.names[column.place];
            let read = sound(&self.layout.path, || column.decode(count))?;
            if read != count {
                let reason = format!("the column \"{}\" has fewer rows than the file states", shown(name));
                return Err(damaged(&self.layout.path, &reason));
            }
        }
        self.left -= count;
        (self.decoded, self.at) = (count, 0);
        Ok(true)
    }

    fn open_group(&mut self) -> Result<(), ParquetError> {
        let group = self.file.get_row_group(self.group)?;
        for column in &mut self.columns {
            column.reader = Some(group.get_column_reader(column.leaf)?);
        }
        self.left = usize::try_from(group.metadata().num_rows())
            .map_err(|_| ParquetError::General("a group of rows has a negative size".into()))?;
        self.group += 1;
        Ok(())
    }
}

/// Rejects groups with more rows than their columns have values, and columns outside the file; the reader
/// checks neither.
fn check_places(path: &str, metadata: &ParquetMetaData, size: u64) -> Result<(), IoError> {
    for group in metadata.row_groups() {
        // Lists have more values than rows, and the values of structures are not counted.
        let mut counted = group.columns().iter().filter(|column| column.column_path().parts().len() == 1);
        let is_short = counted.any(|column| column.num_values() < group.num_rows());
        if is_short || group.columns().is_empty() && group.num_rows() > 0 {
            return Err(damaged(path, "a group claims more rows than its columns have values"));
        }
    }
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        let is_sound = [start, column.data_page_offset(), column.compressed_size(), column.num_values()]
            .iter()
            .all(|number| *number >= 0)
            && start.checked_add(column.compressed_size()).is_some_and(|end| end.unsigned_abs() <= size);
        if !is_sound {
            return Err(damaged(path, "a column lies outside the file"));
        }
    }
    Ok(())
}

/// The reader's result; the reader rejects most damaged files and panics on some of them.
fn sound<T>(path: &str, read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, IoError> {
    let panicked = || Err(ParquetError::General("its values do not decode".into()));
    let to_error = |error: ParquetError| {
        let text = error.to_string();
        damaged(path, &shown(text.split_once(": ").map_or(text.as_str(), |(_, reason)| reason)))
    };
    guarded(read).unwrap_or_else(panicked).map_err(to_error)
}

/// The error for a damaged file, with a reason that may be shown unchanged.
fn damaged(path: &str, reason: &str) -> IoError {
    let reason = format!("as Parquet it is damaged ({reason}); write or copy it again");
    IoError::Unreadable { path: path.to_string(), reason }
}

impl Rows for ParquetRows {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn usual_columns(&self) -> Option<Vec<usize>> {
        let is_number = |stored: &Option<(usize, Kind)>| stored.is_some_and(|(_, kind)| kind != Kind::Text);
        Some((0..self.stored.len()).filter(|j| is_number(&self.stored[*j])).collect())
    }

    fn choose(&mut self, columns: &[usize]) -> Result<(), IoError> {
        for place in columns {
            if let (Some((leaf, kind)), false) = (self.stored[*place], self.chosen.contains_key(place)) {
                self.check_codecs(*place, leaf)?;
                self.check_pages(leaf)?;
                self.chosen.insert(*place, self.columns.len());
                let values = Values::Numbers(Vec::new());
                let text_left = std::cell::Cell::new(expansion::limit(self.size));
                self.columns.push(Column { place: *place, leaf, kind, reader: None, values, text_left });
            }
        }
        self.check_size()
    }

    fn next(&mut self) -> Result<Option<u64>, IoError> {
        if self.at == self.decoded && !self.decode()? {
            return Ok(None);
        }
        self.at += 1;
        self.row += 1;
        Ok(Some(self.row))
    }

    fn cell(&self, j: usize) -> Cell<'_> {
        let Some(column) = self.chosen.get(&j).map(|place| &self.columns[*place]) else {
            return Cell::Missing;
        };
        let row = self.at.wrapping_sub(1);
        match &column.values {
            Values::Numbers(values) => values.get(row).copied().flatten().map_or(Cell::Missing, Cell::Number),
            Values::Wholes(values) => values.get(row).copied().flatten().map_or(Cell::Missing, Cell::Whole),
            Values::Texts(values) => {
                values.get(row).and_then(Option::as_deref).map_or(Cell::Missing, Cell::Text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use crate::{FrameOptions, TableOptions, read_frame, read_table};

    fn fixture(name: &str) -> PathBuf {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tables")).join(name)
    }

    fn column(name: &str) -> Result<Vec<f64>, String> {
        let options = TableOptions { columns: vec![name.into()], ..Default::default() };
        read_table(&fixture("kinds.parquet"), &options)
            .map(|sheet| sheet.values)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_of_all_kinds_are_read() {
        for (name, expected) in [
            ("double", [1.5, -2.25, 3.0]),
            ("float", [0.5, 1.5, -2.5]),
            ("half", [0.5, -65504.0, 2f64.powi(-24)]),
            ("byte", [-1.0, 0.0, 127.0]),
            ("long", [-(2f64.powi(40)), 0.0, 2f64.powi(40)]),
            ("unsigned", [0.0, 1.0, 4294967295.0]),
            ("unsigned_long", [0.0, 1.0, 2f64.powi(64)]),
            ("truth", [1.0, 0.0, 1.0]),
            ("price", [1.25, -0.5, 10.0]),
            ("last", [7.0, 8.0, 9.0]),
        ] {
            assert_eq!(column(name).unwrap(), expected, "{name}");
        }
    }

    #[test]
    fn other_kinds_are_refused_by_name() {
        for (name, part) in [
            ("gaps", "row 2, column 10 (\"gaps\"): the value is missing"),
            ("group", "row 1, column 11 (\"group\"): \"a\" is not a number"),
            ("day", "column 13 (\"day\"): it holds dates"),
            ("moment", "column 14 (\"moment\"): it holds times"),
            ("list", "column 15 (\"list\"): it holds lists or structures"),
            ("pair", "column 16 (\"pair\"): it holds lists or structures"),
        ] {
            let error = column(name).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn missing_rows_are_dropped_and_text_serves_for_clusters() {
        let options = TableOptions {
            columns: vec!["gaps".into()],
            cluster: Some("colour".into()),
            weights: Some("truth".into()),
            drop_missing: true,
            ..Default::default()
        };
        let sheet = read_table(&fixture("kinds.parquet"), &options).unwrap();
        assert_eq!((&sheet.values[..], sheet.dropped, &sheet.lines[..]), (&[1.0, 3.0][..], 1, &[1, 3][..]));
        assert_eq!(sheet.clusters().unwrap(), ["red", "red"]);
    }

    /// A file with one group of this number of rows and with columns of the given type and claimed number of
    /// values.
    fn claiming(rows: u64, columns: &[(&str, u8, u64)]) -> Vec<u8> {
        // Thrift's compact encoding: the step from the last field and the kind of value in one byte, numbers
        // in zigzag.
        let number = |head: u8, value: u64| {
            let mut bytes = vec![head];
            let mut rest = 2 * value;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
            bytes
        };
        let text = |head: &[u8], value: &str| [head, &[value.len() as u8], value.as_bytes()].concat();
        let list = |head: u8, kind: u8| vec![head, (columns.len() as u8) << 4 | kind];
        let mut footer = [number(0x15, 1), vec![0x19, (columns.len() as u8 + 1) << 4 | 12]].concat();
        footer.extend([text(&[0x48], "table"), number(0x15, columns.len() as u64), vec![0]].concat());
        for (name, kind, _) in columns {
            let kind = number(0x15, u64::from(*kind));
            footer.extend([kind, number(0x25, 0), text(&[0x18], name), vec![0]].concat());
        }
        footer.extend([number(0x16, rows), vec![0x19, 0x1c], list(0x19, 12)].concat());
        for (name, kind, values) in columns {
            footer.extend([number(0x26, 4), vec![0x1c], number(0x15, u64::from(*kind))].concat());
            footer.extend([vec![0x19, 0x15, 0], text(&[0x19, 0x18], name), number(0x15, 0)].concat());
            let sizes = [number(0x16, *values), number(0x16, 0), number(0x16, 0), number(0x26, 4)];
            footer.extend([sizes.concat(), vec![0, 0]].concat());
        }
        footer.extend([number(0x16, 4), number(0x16, rows), vec![0, 0]].concat());
        let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
        [b"PAR1", &[0; 4][..], &footer, &length, b"PAR1"].concat()
    }

    #[test]
    fn claims_of_many_rows_are_refused_before_they_are_read() {
        const MANY: u64 = 1 << 60;
        const DOUBLE: u8 = 5;
        const TEXT: u8 = 6;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("claims.parquet");
        let refused = |rows: u64, columns: &[(&str, u8, u64)]| {
            std::fs::write(&path, claiming(rows, columns)).unwrap();
            let table = read_table(&path, &TableOptions::default()).unwrap_err().to_string();
            let frame = read_frame(&path, &FrameOptions::default()).unwrap_err().to_string();
            [table, frame]
        };
        let short = "a group claims more rows than its columns have values";
        for columns in [&[][..], &[("id", TEXT, 3)], &[("x", DOUBLE, 3), ("id", TEXT, MANY)]] {
            for message in refused(MANY, columns) {
                assert!(message.contains(short), "{message}");
            }
        }
        let [table, frame] = refused(MANY, &[("id", TEXT, MANY)]);
        assert!(table.contains("has no numeric column left for the data; store one as numbers"), "{table}");
        assert!(frame.contains("more than the 128 MB to which a file of 100 bytes may expand"), "{frame}");
        let [_, frame] = refused(1 << 24, &[("id", TEXT, 1 << 24)]);
        assert!(frame.contains("(the column \"id\" has fewer rows than the file states)"), "{frame}");
        let [table, frame] = refused(MANY, &[("moment", 3, MANY)]);
        assert!(table.contains("no numeric column"), "{table}");
        assert!(frame.contains("column 1 (\"moment\"): it holds times"), "{frame}");
    }

    #[test]
    fn whole_numbers_are_labels_with_all_their_digits() {
        let labels = |name: &str| {
            let options = TableOptions {
                columns: vec!["double".into()],
                cluster: Some(name.into()),
                ..Default::default()
            };
            read_table(&fixture("kinds.parquet"), &options).unwrap().clusters().unwrap().to_vec()
        };
        assert_eq!(labels("unsigned_long"), ["0", "1", "18446744073709551615"]);
        assert_eq!(labels("truth"), ["1", "0", "1"]);
        assert_eq!(labels("float"), ["0.5", "1.5", "-2.5"]);
        let frame = read_frame(&fixture("kinds.parquet"), &FrameOptions::default()).unwrap();
        assert_eq!(frame.texts("unsigned_long").unwrap()[2], "18446744073709551615");
        assert_eq!(frame.numbers("unsigned_long").unwrap()[2], 2f64.powi(64));
    }

    #[test]
    fn rows_come_in_groups_and_frames_have_all_columns() {
        for name in ["gzip.parquet", "lz4.parquet"] {
            let sheet = read_table(&fixture(name), &TableOptions::default()).unwrap();
            assert_eq!((sheet.names.join(","), sheet.lines.len()), ("x,y".into(), 12));
            assert!((sheet.values[22] - 0.55).abs() < 1e-12, "{:?}", sheet.values);
        }
        let frame = read_frame(&fixture("kinds.parquet"), &FrameOptions::default()).unwrap();
        assert_eq!(frame.texts("colour").unwrap(), ["red", "blue", "red"]);
        assert_eq!(frame.numbers("price").unwrap(), [1.25, -0.5, 10.0]);
        assert!(frame.numbers("pair").unwrap_err().to_string().contains("lists or structures"));
        assert!(frame.complete_rows(&["double", "group"]).unwrap_err().to_string().contains("row 2"));
    }
}

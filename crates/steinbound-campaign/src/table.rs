//! Tables in the formats that the program reads.

use std::io::Write;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::dice::Dice;

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Labels.
    Texts(Vec<String>),
}

/// Columns with names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// In their order.
    pub columns: Vec<(String, Values)>,
}

/// A file that a command reads, and the options that it needs for that.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Written {
    /// The name of the file.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
    /// Options with their values.
    pub options: Vec<(&'static str, Option<String>)>,
}

impl Table {
    /// A table of points.
    pub fn of_points(names: &[String], rows: &[Vec<f64>]) -> Table {
        let column = |(j, name): (usize, &String)| {
            (name.clone(), Values::Numbers(rows.iter().map(|row| row[j]).collect()))
        };
        Table { columns: names.iter().enumerate().map(column).collect() }
    }

    /// Adds a column.
    pub fn add(&mut self, name: &str, values: Values) {
        self.columns.push((name.to_string(), values));
    }

    fn len(&self) -> usize {
        match self.columns.first() {
            Some((_, Values::Numbers(values))) => values.len(),
            Some((_, Values::Texts(values))) => values.len(),
            None => 0,
        }
    }

    /// Separated values.
    pub fn text(&self, separator: &str, decimal: &str, has_header: bool) -> String {
        let quoted = |text: &str| {
            let is_plain = !text.contains(['"', '\n', '\r', ',', ';', '\t', '|']) && !text.is_empty();
            if is_plain { text.to_string() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
        };
        let cell = |values: &Values, row: usize| match values {
            Values::Numbers(values) => format!("{:?}", values[row]).replace('.', decimal),
            Values::Texts(values) => quoted(&values[row]),
        };
        let mut text = String::new();
        if has_header {
            let names: Vec<String> = self.columns.iter().map(|(name, _)| quoted(name)).collect();
            text += &(names.join(separator) + "\n");
        }
        for row in 0..self.len() {
            let cells: Vec<String> = self.columns.iter().map(|(_, values)| cell(values, row)).collect();
            text += &(cells.join(separator) + "\n");
        }
        text
    }

    /// A Parquet file; none where the names cannot be those of its columns.
    pub fn parquet(&self, dice: &mut Dice) -> Option<Vec<u8>> {
        let field = |(j, (_, values)): (usize, &(String, Values))| match values {
            Values::Numbers(_) => format!("required double c{j};"),
            Values::Texts(_) => format!("required binary c{j} (utf8);"),
        };
        let mut fields: Vec<String> = self.columns.iter().enumerate().map(field).collect();
        for (j, (name, _)) in self.columns.iter().enumerate() {
            if !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
                fields[j] = fields[j].replace(&format!(" c{j}"), &format!(" {name}"));
            }
        }
        let schema = Arc::new(parse_message_type(&format!("message rows {{ {} }}", fields.join(" "))).ok()?);
        let mut properties = WriterProperties::builder();
        if dice.chance(50) {
            properties = properties.set_compression(parquet::basic::Compression::SNAPPY);
        }
        let properties = Arc::new(properties.set_dictionary_enabled(dice.chance(50)).build());
        let mut bytes = Vec::new();
        let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).ok()?;
        let mut group = writer.next_row_group().ok()?;
        for (_, values) in &self.columns {
            let mut column = group.next_column().ok()??;
            match values {
                Values::Numbers(values) => {
                    column.typed::<DoubleType>().write_batch(values, None, None).ok()?
                }
                Values::Texts(values) => {
                    let values: Vec<ByteArray> = values.iter().map(|text| text.as_str().into()).collect();
                    column.typed::<ByteArrayType>().write_batch(&values, None, None).ok()?
                }
            };
            column.close().ok()?;
        }
        group.close().ok()?;
        writer.close().ok()?;
        Some(bytes)
    }

    /// The table in one of the formats that can hold it; data, for which there are options, in more of them.
    pub fn write(&self, dice: &mut Dice, stem: &str, is_data: bool) -> Written {
        let has_header =
            dice.chance(96) || self.columns.iter().any(|(_, values)| matches!(values, Values::Texts(_)));
        let file = |extension: &str, bytes: Vec<u8>| Written {
            name: format!("{stem}.{extension}"),
            bytes,
            options: Vec::new(),
        };
        match dice.below(if is_data { 30 } else { 22 }) {
            0 => file("tsv", self.text("\t", ".", has_header).into()),
            1 => file("txt", self.text(";", ".", has_header).into()),
            2 => file("csv", self.text("|", ".", has_header).replace('\n', "\r\n").into()),
            3 => file("csv.gz", packed(self.text(",", ".", has_header).as_bytes())),
            4 => file("csv", format!("\u{feff}{}", self.text(",", ".", has_header)).into()),
            5 | 6 => match self.parquet(dice) {
                Some(bytes) => file("parquet", bytes),
                None => file("csv", self.text(",", ".", has_header).into()),
            },
            22 => Written {
                options: vec![("--decimal-comma", None)],
                ..file("csv", self.text(";", ",", has_header).into())
            },
            23 => Written {
                options: vec![("--separator", Some("semicolon".into()))],
                ..file("csv", self.text(";", ".", has_header).into())
            },
            24 if has_header => Written {
                options: vec![("--header", Some("yes".into()))],
                ..file("csv", self.text(",", ".", true).into())
            },
            _ => file("csv", self.text(",", ".", has_header).into()),
        }
    }
}

/// Bytes packed by gzip.
pub fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default()
}

//! The storage types of Parquet columns and the decoding of their values.

use std::cell::Cell;

use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{AsBytes, ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::schema::types::Type;

/// The storage type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    Unsigned,
    /// Whole numbers with this number of decimal places.
    Decimal(i32),
    Half,
    Text,
}

/// A column to read.
pub(crate) struct Column {
    /// Its index among the columns of the table.
    pub place: usize,
    /// Its index among the stored columns.
    pub leaf: usize,
    pub kind: Kind,
    pub reader: Option<ColumnReader>,
    pub values: Values,
    /// The bytes that its texts may still take: a few can stand for a long one in every row.
    pub text_left: Cell<u64>,
}

/// The values of some rows of a column.
pub(crate) enum Values {
    Numbers(Vec<Option<f64>>),
    Wholes(Vec<Option<i128>>),
    Texts(Vec<Option<Vec<u8>>>),
}

/// The number of stored columns of a field.
pub(crate) fn leaves(field: &Type) -> usize {
    if field.is_primitive() { 1 } else { field.get_fields().iter().map(|part| leaves(part)).sum() }
}

/// The storage type of a column, or the reason why it cannot be read.
pub(crate) fn kind(field: &Type) -> Result<Kind, String> {
    let info = field.get_basic_info();
    if !field.is_primitive() || info.has_repetition() && info.repetition() == Repetition::REPEATED {
        return Err(
            "it holds lists or structures, not one value in each row; choose other columns, or flatten it"
                .into(),
        );
    }
    let no_number = |what: &str, remedy: &str| Err(format!("it holds {what}, not numbers; {remedy}"));
    // Old files give the type as converted type, new ones as logical type.
    use ConvertedType as Old;
    let (logical, old) = (info.logical_type_ref(), info.converted_type());
    let is_decimal = matches!(logical, Some(LogicalType::Decimal(_))) || old == Old::DECIMAL;
    let is_date = matches!(logical, Some(LogicalType::Date)) || old == Old::DATE;
    let is_time = matches!(logical, Some(LogicalType::Time(_) | LogicalType::Timestamp(_)))
        || matches!(
            old,
            Old::TIME_MILLIS
                | Old::TIME_MICROS
                | Old::TIMESTAMP_MILLIS
                | Old::TIMESTAMP_MICROS
                | Old::INTERVAL
        );
    let is_unsigned = match logical {
        Some(LogicalType::Integer(integer)) => !integer.is_signed,
        _ => matches!(old, Old::UINT_8 | Old::UINT_16 | Old::UINT_32 | Old::UINT_64),
    };
    match field.get_physical_type() {
        _ if is_decimal => match field.get_scale() {
            scale @ 0..=38 if field.get_precision() <= 38 => Ok(Kind::Decimal(scale)),
            _ => Err("its numbers have more than 38 digits; convert it to floating point".into()),
        },
        _ if is_date => no_number("dates", "convert them, for example to days since a day of your choice"),
        Physical::INT96 => {
            no_number("times", "convert them, for example to seconds since a moment of your choice")
        }
        _ if is_time => {
            no_number("times", "convert them, for example to seconds since a moment of your choice")
        }
        Physical::INT32 | Physical::INT64 if is_unsigned => Ok(Kind::Unsigned),
        Physical::FIXED_LEN_BYTE_ARRAY if matches!(logical, Some(LogicalType::Float16)) => Ok(Kind::Half),
        Physical::FIXED_LEN_BYTE_ARRAY => no_number("bytes", "choose other columns"),
        Physical::BYTE_ARRAY => Ok(Kind::Text),
        Physical::BOOLEAN | Physical::INT32 | Physical::INT64 | Physical::FLOAT | Physical::DOUBLE => {
            Ok(Kind::Plain)
        }
    }
}

impl Column {
    /// Decodes up to `count` rows and returns the number decoded.
    pub fn decode(&mut self, count: usize) -> Result<usize, ParquetError> {
        let kind = self.kind;
        let places = match kind {
            Kind::Decimal(places) => places,
            _ => 0,
        };
        let scaled = |value: f64| value / 10f64.powi(places);
        let Some(reader) = &mut self.reader else { return Ok(0) };
        self.values = match reader {
            ColumnReader::BoolColumnReader(reader) => wholes(reader, count, |v| Some(i128::from(*v)))?,
            ColumnReader::Int32ColumnReader(reader) if places == 0 => {
                wholes(reader, count, |v| match kind {
                    Kind::Unsigned => Some(i128::from(v.cast_unsigned())),
                    _ => Some(i128::from(*v)),
                })?
            }
            ColumnReader::Int32ColumnReader(reader) => numbers(reader, count, |v| scaled(f64::from(*v)))?,
            ColumnReader::Int64ColumnReader(reader) if places == 0 => {
                wholes(reader, count, |v| match kind {
                    Kind::Unsigned => Some(i128::from(v.cast_unsigned())),
                    _ => Some(i128::from(*v)),
                })?
            }
            ColumnReader::Int64ColumnReader(reader) => numbers(reader, count, |v| scaled(*v as f64))?,
            ColumnReader::FloatColumnReader(reader) => numbers(reader, count, |v| f64::from(*v))?,
            ColumnReader::DoubleColumnReader(reader) => numbers(reader, count, |v| *v)?,
            ColumnReader::ByteArrayColumnReader(reader) if kind == Kind::Text => {
                let left = &self.text_left;
                let copied = |v: &ByteArray| {
                    let after = left.get().checked_sub(v.len() as u64)?;
                    left.set(after);
                    Some(v.data().to_vec())
                };
                let texts: Vec<Option<Option<Vec<u8>>>> = values(reader, count, copied)?;
                if texts.contains(&Some(None)) {
                    let reason = "its texts take many times more memory than the file; save them as numbers";
                    return Err(ParquetError::General(reason.into()));
                }
                Values::Texts(texts.into_iter().map(Option::flatten).collect())
            }
            ColumnReader::ByteArrayColumnReader(reader) if places == 0 => {
                wholes(reader, count, |v| whole(v.as_bytes()))?
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                numbers(reader, count, |v| whole(v.as_bytes()).map_or(f64::NAN, |v| scaled(v as f64)))?
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) if kind == Kind::Half => {
                numbers(reader, count, |v| half(v.as_bytes()))?
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) if places == 0 => {
                wholes(reader, count, |v| whole(v.as_bytes()))?
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                numbers(reader, count, |v| whole(v.as_bytes()).map_or(f64::NAN, |v| scaled(v as f64)))?
            }
            ColumnReader::Int96ColumnReader(_) => return Ok(0),
        };
        Ok(match &self.values {
            Values::Numbers(values) => values.len(),
            Values::Wholes(values) => values.len(),
            Values::Texts(values) => values.len(),
        })
    }
}

fn numbers<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    number: impl Fn(&T::T) -> f64,
) -> Result<Values, ParquetError> {
    Ok(Values::Numbers(values(reader, count, number)?))
}

/// The next whole numbers of a column, `None` if one is missing or too large.
fn wholes<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    number: impl Fn(&T::T) -> Option<i128>,
) -> Result<Values, ParquetError> {
    Ok(Values::Wholes(values(reader, count, number)?.into_iter().map(Option::flatten).collect()))
}

/// The next values of a column, `None` if one is missing.
fn values<T: DataType, V>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    convert: impl Fn(&T::T) -> V,
) -> Result<Vec<Option<V>>, ParquetError> {
    let (mut levels, mut present) = (Vec::new(), Vec::new());
    let (rows, _, _) = reader.read_records(count, Some(&mut levels), None, &mut present)?;
    // A column that cannot be missing has no levels.
    if levels.is_empty() {
        return Ok(present.iter().map(|value| Some(convert(value))).collect());
    }
    let mut present = present.iter();
    let value = |level: &i16| if *level > 0 { present.next().map(&convert) } else { None };
    Ok(levels.iter().take(rows).map(value).collect())
}

/// A big-endian whole number of up to 16 bytes; `None` if there are more.
fn whole(bytes: &[u8]) -> Option<i128> {
    let is_negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
    if bytes.len() > 16 {
        return None;
    }
    let start = if is_negative { -1i128 } else { 0 };
    Some(bytes.iter().fold(start, |number, byte| number << 8 | i128::from(*byte)))
}

/// A number of half precision.
fn half(bytes: &[u8]) -> f64 {
    let [low, high] = *bytes else { return f64::NAN };
    let bits = u16::from_le_bytes([low, high]);
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

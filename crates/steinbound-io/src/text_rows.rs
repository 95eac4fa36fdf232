//! Tables of text: the header rule, and rows with their lines.

use std::cell::Cell as Shared;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::error::IoError;
use crate::names::shown;
use crate::place::Unit;
use crate::records::{Cell, Comma, Layout, Rows, decoded, number, printable};
use crate::sniff;
use crate::source::{Progress, Source, broken};
use crate::splitter::{Between, LONGEST_RECORD, MOST_FIELDS, Splitter, Trouble};
use crate::text_format::{Header, Separator, TextFormat};

/// The number of rows between two progress reports.
const REPORT_EVERY: u64 = 1 << 13;

/// The rows of a table of text; blank lines are skipped.
pub(crate) struct TextRows<'a> {
    splitter: Splitter<'a>,
    layout: Layout,
    /// For each column whether most of its first values are numbers.
    leanings: Vec<Option<bool>>,
    /// The line of the first row, if that is data.
    first: Option<u64>,
    rows: u64,
    total: Option<u64>,
    passed: Rc<Shared<u64>>,
    watch: &'a dyn Fn(Progress),
}

impl<'a> TextRows<'a> {
    /// Examines the first lines: the separator on which they agree, and whether the first row is a header.
    pub fn new(
        source: Source<'a>,
        format: &TextFormat,
        watch: &'a dyn Fn(Progress),
    ) -> Result<TextRows<'a>, IoError> {
        let Source { name: path, reader, total, passed } = source;
        let to_error = |trouble: Trouble| refusal(&path, trouble);
        let mut splitter = Splitter::new(reader, Between::Blanks);
        let between = match format.separator {
            Separator::Blanks => Between::Blanks,
            Separator::Character(b',') if format.decimal_comma => return Err(IoError::CommaTwice),
            Separator::Character(separator) => Between::Character(separator),
            Separator::Auto => {
                let (beginning, is_whole) = splitter.look_ahead().map_err(to_error)?;
                Between::Character(sniff::separator(beginning, is_whole, format.decimal_comma))
            }
        };
        splitter.set_between(between);
        let (beginning, is_whole) = splitter.look_ahead().map_err(to_error)?;
        let beginning = beginning.to_vec();
        let first = loop {
            match splitter.next().map_err(to_error)? {
                None => return Err(IoError::Empty { path }),
                Some(line) if !splitter.is_blank() => break line,
                Some(_) => {}
            }
        };
        let is_number = |field: &[u8]| number(field, format.decimal_comma).is_some();
        let has_header = match format.header {
            Header::Auto => !splitter.fields().all(is_number),
            Header::Yes => true,
            Header::No => false,
        };
        let name = |(j, field)| match decoded(field).trim() {
            header if has_header && !header.is_empty() => printable(header),
            _ => format!("x{}", j + 1),
        };
        let doubtful = splitter.fields().find(|field| is_number(field)).map(|field| shown(&decoded(field)));
        let layout = Layout {
            names: splitter.fields().enumerate().map(name).collect(),
            has_header,
            doubtful_header: doubtful.filter(|_| has_header && format.header == Header::Auto),
            unit: Unit::Line,
            comma: match between {
                _ if format.decimal_comma => Comma::Decimal,
                Between::Character(b',') => Comma::None,
                _ => Comma::Suspect,
            },
            warning: None,
            unusable: BTreeMap::new(),
            path,
        };
        let first = (!has_header).then_some(first);
        let leanings = sniff::leanings(&beginning, is_whole, between, &layout);
        Ok(TextRows { splitter, layout, leanings, first, rows: 0, total, passed, watch })
    }
}

fn refusal(path: &str, trouble: Trouble) -> IoError {
    let path = path.to_string();
    match trouble {
        Trouble::Stream(error) => broken(&path, &error),
        Trouble::TooLong { line } => IoError::LongLine { path, line, limit: LONGEST_RECORD >> 20 },
        Trouble::TooWide { line } => IoError::WideLine { path, line, limit: MOST_FIELDS },
        Trouble::Unclosed { line } => IoError::UnclosedQuote { path, line },
    }
}

impl Rows for TextRows<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn usual_columns(&self) -> Option<Vec<usize>> {
        None
    }

    fn leaning(&self, j: usize) -> Option<bool> {
        self.leanings[j]
    }

    fn choose(&mut self, _: &[usize]) -> Result<(), IoError> {
        Ok(())
    }

    fn next(&mut self) -> Result<Option<u64>, IoError> {
        self.rows += 1;
        if self.rows.is_multiple_of(REPORT_EVERY) {
            (self.watch)(Progress { rows: self.rows, bytes: self.passed.get(), total: self.total });
        }
        if let Some(line) = self.first.take() {
            return Ok(Some(line));
        }
        loop {
            let next = self.splitter.next().map_err(|trouble| refusal(&self.layout.path, trouble))?;
            let Some(line) = next else { return Ok(None) };
            let (found, expected) = (self.splitter.width(), self.layout.names.len());
            if found <= 1 && self.splitter.is_blank() {
                continue;
            }
            if found != expected {
                let (path, place) = (self.layout.path.clone(), self.layout.row(line));
                let after_comment = self.layout.names.first().is_some_and(|name| name.starts_with('#'));
                return Err(IoError::Ragged { path, place, found, expected, after_comment });
            }
            return Ok(Some(line));
        }
    }

    fn cell(&self, j: usize) -> Cell<'_> {
        Cell::Text(self.splitter.field(j))
    }
}

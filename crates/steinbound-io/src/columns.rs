//! A table whose columns are already in memory.

use std::collections::BTreeMap;

use crate::error::IoError;
use crate::place::Unit;
use crate::records::{Cell, Comma, Layout, Rows};

/// A column of a table in memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Numbers; NaN if missing.
    Numbers(Vec<f64>),
    /// Texts; `None` if missing.
    Texts(Vec<Option<String>>),
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Column::Numbers(values) => values.len(),
            Column::Texts(values) => values.len(),
        }
    }
}

/// The rows of columns in memory.
pub(crate) struct ColumnRows {
    layout: Layout,
    columns: Vec<Column>,
    next: usize,
}

impl ColumnRows {
    /// Rows from columns, which must have equal lengths.
    pub(crate) fn new(path: &str, columns: Vec<(String, Column)>) -> Result<ColumnRows, IoError> {
        let (names, columns): (Vec<String>, Vec<Column>) = columns.into_iter().unzip();
        let rows = columns.first().map_or(0, Column::len);
        if let Some(j) = columns.iter().position(|column| column.len() != rows) {
            let (found, first) = (columns[j].len(), names[0].clone());
            return Err(IoError::UnevenColumns { column: names[j].clone(), found, first, expected: rows });
        }
        let layout = Layout {
            path: path.to_string(),
            names,
            has_header: true,
            doubtful_header: None,
            unit: Unit::Row,
            comma: Comma::None,
            warning: None,
            unusable: BTreeMap::new(),
        };
        Ok(ColumnRows { layout, columns, next: 0 })
    }
}

impl Rows for ColumnRows {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn usual_columns(&self) -> Option<Vec<usize>> {
        None
    }

    fn choose(&mut self, _columns: &[usize]) -> Result<(), IoError> {
        Ok(())
    }

    fn next(&mut self) -> Result<Option<u64>, IoError> {
        self.next += 1;
        let has_row = self.columns.first().is_some_and(|column| self.next <= column.len());
        Ok(has_row.then_some(self.next as u64))
    }

    fn cell(&self, j: usize) -> Cell<'_> {
        let row = self.next.saturating_sub(1);
        match &self.columns[j] {
            Column::Numbers(values) => values.get(row).map_or(Cell::Missing, |value| Cell::Number(*value)),
            Column::Texts(values) => match values.get(row) {
                Some(Some(text)) => Cell::Text(text.as_bytes()),
                _ => Cell::Missing,
            },
        }
    }
}

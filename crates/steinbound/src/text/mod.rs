//! Numbers, tables and documents in readable form.
//!
//! A [`Document`] holds a result: a title, tables, lines and warnings. It is built once for each kind of
//! result, and shown as text here and in other formats by `steinbound-request`.

mod article;
mod document;
mod numbers;
mod table;
mod visible;

pub use article::with_article;
pub use document::{Block, Document, LineKind, TextLine};
pub use numbers::{
    brief, brief_point, duration, estimate, listed, p_value, percent, setting, significant, significant_to,
    statistic,
};
pub use table::{Table, cell};
pub use visible::{echoed, visible};

//! Every kind of result as a document, made once for the command line, reports, Python and R.
//!
//! A fit has [`Fit::document`](steinbound::Fit::document), and parameters have
//! [`parameter_table`](steinbound::fit::parameter_table); everything else is here, one module for each kind.

pub mod answers;
pub mod comparison;
pub mod coverage;
pub mod diagnostics;
pub mod discrepancy;
pub mod effects;
pub mod predictions;
pub mod selection;
pub mod sensitivity;
pub mod test;
pub mod tuning;
mod variant;

//! How far to trust an estimate.

pub mod sandwich;

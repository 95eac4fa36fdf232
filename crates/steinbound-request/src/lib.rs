//! The front end of [steinbound](https://docs.rs/steinbound): what is asked, and what is answered, for every
//! face.
//!
//! The command line, the Python package and the R package translate their own arguments into a request, and
//! an answer into their own objects. Names, options, JSON and tables are defined here and nowhere else.

pub mod render;
pub mod sensitivity;
pub mod tables;

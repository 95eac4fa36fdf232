//! The campaign against the `steinbound` command: random commands on random files, each run in a process of its
//! own under limits, and a check of everything that it did.
//!
//! A run is repeated by its seed and its [`generate::Lineage`] alone. The commands and options are read from
//! the program's help ([`catalogue`]), the checks are in [`check`].

pub mod build;
pub mod campaign;
pub mod case;
pub mod catalogue;
pub mod change;
pub mod check;
pub mod dice;
pub mod generate;
pub mod journal;
pub mod map;
pub mod minimise;
pub mod normal;
pub mod plausible;
pub mod problem;
pub mod run;
pub mod schema;
pub mod shape;
pub mod summary;
pub mod table;
pub mod value;

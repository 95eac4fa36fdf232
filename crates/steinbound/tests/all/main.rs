//! The integration tests of the library, in one binary: that builds in a third of the time of many.

mod at_once;
mod bootstrap;
mod common;
mod comparison;
mod coverage;
mod diagnostics;
mod distances;
mod families;
mod golden;
mod goodness_of_fit;
mod identities;
mod interrupts;
mod latent;
mod likelihoods;
mod low_rank;
mod mixtures;
mod no_panic;
mod regression;
mod seams;
mod searches;
mod sensitivity;
mod sparse_boundaries;
mod statistics;
mod tuning;
mod united_states;
mod wald;

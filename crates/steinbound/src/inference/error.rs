//! Errors of a bootstrap, a test or a hypothesis.

use thiserror::Error;

use crate::error::shown;

/// Why a bootstrap or a test has no result.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ResamplingError {
    /// Too few draws for the interval or level.
    #[error(
        "{draws} bootstrap draws are too few for {what}; use at least {needed}, and many more to be precise"
    )]
    TooFewDraws {
        /// The number of draws.
        draws: usize,
        /// Their purpose.
        what: String,
        /// The least number.
        needed: usize,
    },
    /// More draws than are useful.
    #[error("{draws} bootstrap draws are too many; use at most {limit}")]
    TooManyDraws {
        /// The number of draws.
        draws: usize,
        /// The limit.
        limit: usize,
    },
    /// A level outside (0, 1).
    #[error("the level of the test is {}; give a number between 0.000001 and 1, such as 0.05", shown(*.value))]
    BadLevel {
        /// The value.
        value: f64,
    },
    /// Too few signs to reject anything.
    #[error(
        "random signs of {units} independent observations or clusters cannot reject at the level {level}; \
         collect more of them, or use the parametric bootstrap with a known domain"
    )]
    TooFewUnits {
        /// The number of observations or clusters.
        units: usize,
        /// The level of the test.
        level: f64,
    },
    /// The fitted density cannot be sampled.
    #[error(
        "the parametric bootstrap draws new data from the fitted density, which is not possible here: {why}; \
         use {instead}"
    )]
    NoSampling {
        /// The missing requirement.
        why: String,
        /// The alternative.
        instead: &'static str,
    },
    /// There is no estimate to start from.
    #[error("there is no estimate whose fit could be tested: {why}")]
    NoEstimate {
        /// Why.
        why: String,
    },
    /// Too many draws could not be fitted.
    #[error(
        "{failed} of {draws} bootstrap draws could not be fitted, too many for a result; use more data or a \
         simpler model"
    )]
    TooManyFailed {
        /// The number that failed.
        failed: usize,
        /// The number of draws.
        draws: usize,
    },
}

/// Errors in a hypothesis on the estimates, or in a function of them.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum HypothesisError {
    /// Restrictions of another number of parameters.
    #[error(
        "the restrictions have {found} columns and the fit has {expected} parameters; give one column for \
         each: {names}"
    )]
    WrongColumns {
        /// The columns of the restrictions.
        found: usize,
        /// The number of parameters.
        expected: usize,
        /// Their names in order.
        names: String,
    },
    /// The numbers of values and restrictions differ.
    #[error("{found} values were given for {expected} restrictions; give one for each")]
    WrongValues {
        /// The number of values given.
        found: usize,
        /// The number of restrictions.
        expected: usize,
    },
    /// Nothing to test.
    #[error("there is no restriction to test; give at least one")]
    NoRestriction,
    /// A coefficient or value that is not a number.
    #[error(
        "restriction {restriction} of the hypothesis holds a number that is not finite; check its \
         coefficients and its value"
    )]
    NotFinite {
        /// The restriction, counted from 1.
        restriction: usize,
    },
    /// A redundant restriction.
    #[error(
        "restriction {restriction} of the hypothesis, {text}, already follows from those before it; leave it out"
    )]
    Dependent {
        /// The restriction, counted from 1.
        restriction: usize,
        /// The restriction as text.
        text: String,
    },
    /// Restrictions that contradict each other.
    #[error(
        "restriction {restriction} of the hypothesis, {text}, contradicts those before it; no parameters \
         satisfy them all: correct one"
    )]
    Contradicting {
        /// The restriction, counted from 1.
        restriction: usize,
        /// The restriction as text.
        text: String,
    },
    /// The fit has no covariance.
    #[error(
        "the fit has no estimates with a covariance to test with; look at its warnings, and use more data or \
         fewer parameters"
    )]
    NoCovariance,
    /// A combination of parameters with zero variance.
    #[error(
        "the estimates have no variance along the hypothesis, so that there is nothing to compare with; use \
         more observations or clusters, or test fewer restrictions"
    )]
    NoVariance,
    /// A function whose value or derivative is not finite.
    #[error(
        "{name} is not a finite number at the estimates or next to them; choose a function that is defined \
         and smooth there"
    )]
    NotDefined {
        /// The function.
        name: String,
    },
}

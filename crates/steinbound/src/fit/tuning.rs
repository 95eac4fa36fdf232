//! How bandwidth and ridge of a fit were chosen.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::Variant;
use crate::matrix::Matrix;

/// With fewer independent observations than this the default is kept: noise hides the differences, and a
/// leaking kernel looks precise (measured with 50 points in a disc: 5 % worse than the default; from 100 on
/// better).
pub const LEAST_OBSERVATIONS: usize = 100;

/// The least share of the default's variance that a candidate may have, for every parameter.
pub const LEAST_VARIANCE: f64 = 0.5;

/// How bandwidth and ridge were chosen.
///
/// # Definition
///
/// Every pair of candidates has a difference of estimates, whose covariance is that of the difference of
/// their influence values: `W_ij = (t_i - t_j)' V_ij^-1 (t_i - t_j)` with `V_ij` the
/// [sandwich](crate::inference::sandwich::covariance) of `f_i - f_j`, so that weights and clusters count. A
/// candidate agrees if `W_ij` is below the chi-square quantile [`LEVEL`](crate::inference::LEVEL) for every
/// candidate `j` that is less precise; among those that agree, the most precise is chosen, and the default
/// where no other is better. Precision is the mean over the parameters of the variance relative to the
/// default's, which does not depend on units; the trace of the covariance leads to the same mean errors
/// within one per cent. The default is kept whether or not it agrees itself. A candidate with less than
/// [`LEAST_VARIANCE`] of the default's variance in some parameter does not count as agreeing: a bias could
/// hide in the default's noise, and the intervals would not hold (with an unknown covariance, 300 points in a
/// disc and no such bound, 95 % intervals of variances held the truth in 23 %).
///
/// On the border of the United States (400 points, 200 or 400 on the border, 512 seeds) the mean error falls
/// by 6 and 8 %, in balls of 2 and 6 dimensions by 3 and 0.5 %.
///
/// The smallest standard error alone would be a bad criterion: a wide kernel with a large ridge leaks through
/// the boundary, which lowers the variance and biases the estimate. Agreement with the default alone, at the
/// chi-square median, avoids the bias but loses most of the gain, because half of the good candidates are
/// rejected by chance. Agreement with all that are less precise detects a leak at its onset, between
/// neighbours whose difference has little noise, so that the level can be high.
///
/// # Requirements
///
/// A method with a kernel, and [`LEAST_OBSERVATIONS`] independent observations or clusters. Standard errors
/// of the chosen fit do not include the choice.
///
/// # Complexity
///
/// Twelve fits for TKSD (thirteen with a user-defined ridge), four for bd-KSD and KSD; their influence values
/// are held together. The chosen one is fitted once more.
///
/// # Reference
///
/// Lepskii, *On a Problem of Adaptive Estimation in Gaussian White Noise*, Theory of Probability and its
/// Applications 35, 1991.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tuning {
    /// The rule.
    pub rule: TuningRule,
    /// The candidates that were tried.
    pub candidates: Vec<Candidate>,
    /// The index of the default among them.
    pub default: usize,
    /// The index of the chosen one.
    pub chosen: usize,
    /// Squared differences up to this value count as agreement.
    pub threshold: f64,
    /// Why no candidates were tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A rule by which bandwidth and ridge are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TuningRule {
    /// The most precise candidate that agrees with all that are less precise.
    Agreement,
}

impl Display for TuningRule {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TuningRule::Agreement => out.write_str("agreement"),
        }
    }
}

/// A bandwidth and a ridge that were tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Candidate {
    /// The settings and the estimates.
    #[serde(flatten)]
    pub variant: Variant,
    /// The standardised squared difference from the default.
    pub difference: Option<f64>,
    /// The largest standardised squared difference from any candidate that is less precise.
    pub largest_difference: Option<f64>,
    /// Whether that is below the threshold.
    pub agrees: bool,
    /// The mean of the parameters' variances, each relative to the default's.
    pub spread: Option<f64>,
}

impl Candidate {
    pub(crate) fn new(variant: Variant) -> Candidate {
        Candidate { variant, difference: None, largest_difference: None, agrees: false, spread: None }
    }
}

impl Tuning {
    /// The candidate that was chosen.
    pub fn choice(&self) -> Option<&Candidate> {
        self.candidates.get(self.chosen)
    }

    /// The same with the estimates of every candidate in other reported parameters, as in [`Fit::mapped`](super::Fit::mapped).
    pub fn mapped(mut self, map: impl Fn(&[f64]) -> Option<(Vec<f64>, Matrix)>) -> Tuning {
        for candidate in &mut self.candidates {
            candidate.variant = candidate.variant.clone().mapped(&map);
        }
        self
    }
}

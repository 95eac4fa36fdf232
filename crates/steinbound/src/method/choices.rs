//! Choices among a few named settings.

use serde::{Deserialize, Serialize};

/// How the distance to the boundary is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DistanceKind {
    /// By the domain's formula.
    Exact,
    /// To the nearest boundary point.
    Nearest,
    /// Along each axis, one for each coordinate (TruncSM only).
    Axes,
}

impl DistanceKind {
    /// All kinds.
    pub const ALL: [DistanceKind; 3] = [DistanceKind::Exact, DistanceKind::Nearest, DistanceKind::Axes];

    /// The name by which the kind is chosen.
    pub fn name(self) -> &'static str {
        match self {
            DistanceKind::Exact => "exact",
            DistanceKind::Nearest => "nearest",
            DistanceKind::Axes => "axes",
        }
    }
}

/// How the covariance of an estimate is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StandardErrors {
    /// By the inverse of the information, which needs a likelihood and a model that is true.
    Information,
    /// From the influence of each observation, whatever the truth.
    Robust,
    /// From the influence of each cluster, times `G / (G - 1)` for `G` clusters, with intervals and p-values by
    /// Student's t with `G - 1` degrees of freedom.
    Cluster,
}

impl StandardErrors {
    /// All ways.
    pub const ALL: [StandardErrors; 3] =
        [StandardErrors::Information, StandardErrors::Robust, StandardErrors::Cluster];

    /// The name by which the way is chosen.
    pub fn name(self) -> &'static str {
        match self {
            StandardErrors::Information => "information",
            StandardErrors::Robust => "robust",
            StandardErrors::Cluster => "cluster",
        }
    }
}

/// How the pairs of data points are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Compute {
    /// Chosen from the number of points, their dimension, the number of boundary points and the model; exact
    /// up to [`AUTO_EXACT_LIMIT`] points. The result reports the form and the reason.
    #[default]
    Auto,
    /// Evaluated once and stored: memory grows with `n^2`.
    Dense,
    /// Evaluated in each pass: memory grows with `n`.
    Tiled,
    /// Landmarks represent all points: time and memory grow with `n`.
    LowRank,
}

impl Compute {
    /// All forms.
    pub const ALL: [Compute; 4] = [Compute::Auto, Compute::Dense, Compute::Tiled, Compute::LowRank];

    /// The name by which the form is chosen.
    pub fn name(self) -> &'static str {
        match self {
            Compute::Auto => "auto",
            Compute::Dense => "dense",
            Compute::Tiled => "tiled",
            Compute::LowRank => "low-rank",
        }
    }

    /// Whether the form is of low rank, or may be.
    pub fn has_tolerance(self) -> bool {
        matches!(self, Compute::Auto | Compute::LowRank)
    }
}

/// Up to this many points [`Compute::Auto`] is exact.
pub const AUTO_EXACT_LIMIT: usize = 20_000;

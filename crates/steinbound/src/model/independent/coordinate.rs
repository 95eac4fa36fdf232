//! The density of one coordinate, from which a model of independent coordinates is made.

use std::fmt::Debug;

use rand::rngs::ChaCha8Rng;

use super::Support;
use crate::points::Points;

/// The most parameters of a [`Coordinate`].
pub const MOST_PARAMETERS: usize = 3;

/// A density on the line with named parameters: everything that a model in any number of coordinates, command
/// line, Python and help need to know of it.
///
/// Parameters are passed as they are reported, in the order of [`parameters`](Coordinate::parameters).
/// [`Independent`](super::Independent) searches for positive ones on the scale of their logarithm.
pub trait Coordinate: Debug + Send + Sync {
    /// The name by which the model is chosen.
    fn name(&self) -> &'static str;

    /// Other names for it.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// One line for help texts.
    fn meaning(&self) -> &'static str;

    /// The parameters, at most [`MOST_PARAMETERS`].
    fn parameters(&self) -> &'static [NamedParameter];

    /// Where the density is, given the parameters that are known.
    fn support(&self, known: &[Option<f64>]) -> Support;

    /// The log-density up to a constant, its derivatives in the point, and those of all of these in the
    /// parameters.
    fn at(&self, x: f64, parameters: &[f64]) -> Jet;

    /// Whether the score is affine in the parameters, so that fits have a closed form.
    fn is_linear(&self) -> bool {
        false
    }

    /// The logarithm of the integral of the density over its support, if it is known and finite.
    fn log_normaliser(&self, parameters: &[f64]) -> Option<f64>;

    /// The limits of the support at which the density goes as a power of the distance, and its score as one over the
    /// distance.
    fn edges(&self, _parameters: &[f64]) -> Vec<PowerEdge> {
        Vec::new()
    }

    /// Parameters from which a search starts, the best guess first. They also start `mle`.
    fn starts(&self, sample: &Column) -> Vec<Vec<f64>>;

    /// Draws; `None` if the density is not proper at these parameters.
    fn sampler(&self, parameters: &[f64]) -> Option<CoordinateSampler>;

    /// Draws for a region within these bounds, as [`Sampling::sampler_for`](crate::model::Sampling::sampler_for) says.
    fn sampler_for(&self, parameters: &[f64], _bounds: (f64, f64)) -> Option<CoordinateSampler> {
        self.sampler(parameters)
    }
}

/// Draws of one coordinate.
pub type CoordinateSampler = Box<dyn Fn(&mut ChaCha8Rng) -> f64 + Send + Sync>;

/// A parameter of a model that is chosen by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedParameter {
    /// The name, with a dash between words.
    pub name: &'static str,
    /// One line for help texts.
    pub meaning: &'static str,
    /// Which values it has.
    pub range: Range,
}

/// The values of a parameter, and how they are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Range {
    /// All numbers.
    Any,
    /// Positive numbers. An estimate that is not positive is reported, and not trusted.
    Positive,
    /// Positive numbers, searched for on the scale of their logarithm.
    Scale,
    /// Positive numbers that have to be given, because no data determine them by their score.
    Given,
}

impl NamedParameter {
    /// A parameter.
    pub const fn new(name: &'static str, range: Range, meaning: &'static str) -> NamedParameter {
        NamedParameter { name, meaning, range }
    }

    /// Whether it can have this value.
    pub(super) fn allows(&self, value: f64) -> bool {
        value.is_finite() && (self.range == Range::Any || value > 0.0)
    }

    /// The reported value of a fitted one, and the derivative.
    pub(super) fn reported(&self, fitted: f64) -> (f64, f64) {
        match self.range {
            Range::Scale => (fitted.exp(), fitted.exp()),
            _ => (fitted, 1.0),
        }
    }

    /// The fitted value of a reported one.
    pub(super) fn fitted(&self, reported: f64) -> f64 {
        match self.range {
            Range::Scale => reported.ln(),
            _ => reported,
        }
    }
}

/// A log-density at one place with its derivatives.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Jet {
    /// The log-density up to a constant.
    pub log: f64,
    /// Its derivative in the point.
    pub score: f64,
    /// Its second derivative in the point.
    pub slope: f64,
    /// The derivatives of `log` in the parameters.
    pub log_in: [f64; MOST_PARAMETERS],
    /// The derivatives of `score` in the parameters.
    pub score_in: [f64; MOST_PARAMETERS],
    /// The derivatives of `slope` in the parameters.
    pub slope_in: [f64; MOST_PARAMETERS],
}

/// A limit of the support at which a density goes as `|x - place|^(exponent - 1)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerEdge {
    /// The limit.
    pub place: f64,
    /// The power, plus one.
    pub exponent: f64,
    /// The place of the parameter that decides it, and which changes as fast as it does.
    pub parameter: usize,
}

/// One coordinate of a sample, with weights that sum to one.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    values: Vec<f64>,
    shares: Vec<f64>,
}

impl Column {
    /// A coordinate of some points, with these weights.
    pub(super) fn new(points: &Points, coordinate: usize, weights: &[f64]) -> Column {
        let total: f64 = weights.iter().sum();
        let values = points.rows().map(|x| x[coordinate]).collect();
        Column { values, shares: weights.iter().map(|weight| weight / total).collect() }
    }

    /// Values and shares of the observations that count.
    pub(super) fn counted(&self) -> impl Iterator<Item = (f64, f64)> {
        self.values.iter().copied().zip(self.shares.iter().copied()).filter(|(_, share)| *share != 0.0)
    }

    /// The mean of a function of the values.
    pub fn mean(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.counted().map(|(value, share)| share * of(value)).sum()
    }

    /// Mean and variance of a function of the values; the variance is positive.
    pub fn moments(&self, of: impl Fn(f64) -> f64) -> (f64, f64) {
        let mean = self.mean(&of);
        (mean, self.mean(|x| (of(x) - mean).powi(2)).max(f64::MIN_POSITIVE))
    }

    /// The value below which a share of the observations lies.
    pub fn quantile(&self, share: f64) -> f64 {
        let mut sorted: Vec<(f64, f64)> = self.counted().collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut below = 0.0;
        let found = sorted.iter().find(|(_, own)| {
            below += own;
            below >= share
        });
        found.or(sorted.last()).map_or(0.0, |(value, _)| *value)
    }
}

//! The units in which a search measures its parameters.

use super::Model;
use crate::points::Points;

/// An ordinary value of a parameter, and a distance from it that matters: values differ by about as much in samples
/// of another density with the same units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// The ordinary value.
    pub origin: f64,
    /// The distance, a positive number.
    pub size: f64,
}

impl Default for Unit {
    /// Values near zero, and a distance of one.
    fn default() -> Unit {
        Unit { origin: 0.0, size: 1.0 }
    }
}

/// Ordinary values of the parameters, and distances from them that matter.
///
/// A step is short, and an objective flat, in comparison with these: a mean in millimetres and one in kilometres take
/// the same steps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Units(Vec<Unit>);

impl Units {
    /// Those that a model knows for the data; values near zero and one otherwise.
    pub(crate) fn of(model: &dyn Model, data: &Points) -> Units {
        let known = model.search().map(|search| search.units(data)).unwrap_or_default();
        let usable = |unit: &Unit| unit.origin.is_finite() && unit.size > 0.0 && unit.size.is_finite();
        let or_one = |k: usize| known.get(k).copied().filter(usable).unwrap_or_default();
        Units((0..model.parameters()).map(or_one).collect())
    }

    /// The number of parameters.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Those of some of the parameters.
    pub(crate) fn part(&self, parameters: &[usize]) -> Units {
        Units(parameters.iter().map(|k| self.0[*k]).collect())
    }

    /// What counts as a large change of a parameter.
    pub(crate) fn size(&self, k: usize, value: f64) -> f64 {
        self.0[k].size + (value - self.0[k].origin).abs()
    }

    /// The unit of a parameter.
    pub(crate) fn unit(&self, k: usize) -> f64 {
        self.0[k].size
    }

    /// The largest change of a parameter, relative to its size.
    pub(crate) fn length(&self, theta: &[f64], step: &[f64]) -> f64 {
        let both = theta.iter().zip(step).enumerate();
        both.map(|(k, (t, s))| s.abs() / self.size(k, *t)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
impl Units {
    /// Values near zero and one.
    pub(crate) fn plain(count: usize) -> Units {
        Units(vec![Unit::default(); count])
    }
}

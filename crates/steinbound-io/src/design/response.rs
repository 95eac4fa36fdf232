//! A response that is a function of a column, and its limits.

use steinbound::regression::ResponseLimit;

use super::learned::Learned;
use crate::error::IoError;

/// The number of places between the least and the greatest response at which a function is examined.
const PLACES: usize = 500;

/// A function of a column, and that column's values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Transformed {
    pub function: Learned,
    pub values: Vec<f64>,
}

impl Transformed {
    /// The limits of the column as limits of the function, which must be monotone between all of the
    /// responses and limits. A decreasing function exchanges them.
    pub fn limits(&self, given: [Option<ResponseLimit>; 2]) -> Result<[Option<ResponseLimit>; 2], IoError> {
        let numbers: Vec<f64> = given.iter().flatten().flat_map(numbers).collect();
        if numbers.is_empty() {
            return Ok(given);
        }
        for number in &numbers {
            let value = self.function.at(*number);
            if !value.is_finite() {
                return Err(self.refused(format!(
                    "is {value} at the limit {number}, where nothing can be cut off; leave that limit out, or correct it"
                )));
            }
        }
        let increases = self.increases(&numbers)?;
        let [lower, upper] = given.map(|limit| {
            limit.map(|limit| match limit {
                ResponseLimit::Constant(value) => ResponseLimit::Constant(self.function.at(value)),
                ResponseLimit::Each(values) => {
                    ResponseLimit::Each(values.into_iter().map(|value| self.function.at(value)).collect())
                }
            })
        });
        Ok(if increases { [lower, upper] } else { [upper, lower] })
    }

    /// Whether the function is less at the greatest value than at the least.
    pub fn is_decreasing(&self) -> bool {
        let least = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.function.at(most) < self.function.at(least)
    }

    fn increases(&self, limits: &[f64]) -> Result<bool, IoError> {
        let mut places: Vec<f64> = self.values.iter().chain(limits).copied().collect();
        places.sort_by(f64::total_cmp);
        let (Some(least), Some(most)) = (places.first().copied(), places.last().copied()) else {
            return Ok(true);
        };
        let (first, last) = (self.function.at(least), self.function.at(most));
        let even = |k: usize| least + (most - least) * k as f64 / PLACES as f64;
        let is_monotone = |places: &[f64], is_strict: bool| {
            let values: Vec<f64> = places.iter().map(|place| self.function.at(*place)).collect();
            let in_order = |pair: &[f64]| {
                let step = if last > first { pair[1] - pair[0] } else { pair[0] - pair[1] };
                step > if is_strict { 0.0 } else { -1e-9 * (last - first).abs() }
            };
            values.windows(2).all(in_order)
        };
        let evenly: Vec<f64> = (0..=PLACES).map(even).collect();
        // Responses may be so close that rounding makes their functions equal.
        if least < most && !(is_monotone(&evenly, true) && is_monotone(&places, false)) {
            return Err(self.refused(format!(
                "neither increases nor decreases everywhere between {least} and {most}, so that limits have no meaning for it; \
                 use a monotone function, such as log"
            )));
        }
        Ok(last >= first)
    }

    fn refused(&self, reason: String) -> IoError {
        IoError::ResponseFunction { function: self.function.label.clone(), reason }
    }
}

fn numbers(limit: &ResponseLimit) -> Vec<f64> {
    match limit {
        ResponseLimit::Constant(value) => vec![*value],
        ResponseLimit::Each(values) => values.clone(),
    }
}

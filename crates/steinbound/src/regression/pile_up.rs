//! Responses that pile up at a limit.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use super::PreparedRegression;
use crate::domain::Domain;

/// Responses that equal a limit which is said to truncate them, more often than chance or rounding explains:
/// they are censored.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PileUp {
    /// Whether it is the lower limit.
    pub is_lower: bool,
    /// The limit, if it is the same for all observations.
    pub limit: Option<f64>,
    /// The number of responses that equal it.
    pub count: usize,
    /// The number of observations.
    pub rows: usize,
}

/// Fewer responses at a limit can be chance, and so can a smaller share.
const LEAST_COUNT: usize = 5;
const LEAST_SHARE: f64 = 0.01;

/// Rounded responses have values in common. Those at a limit are a pile if they are so many times as often as
/// at any other distance from it.
const TIMES: usize = 3;

impl PreparedRegression {
    /// The piles of responses at limits that truncate them, the largest first.
    ///
    /// A continuous response equals its limit with probability zero. A pile of rounded responses has more than
    /// three times as many as any other distance from the limit; so has one of censored responses.
    ///
    /// ```
    /// use steinbound::regression::{ResponseLimit, TruncatedRegression};
    /// let y = (0..40).map(|i| (f64::from(i) - 9.5).max(0.0)).collect();
    /// let regression = TruncatedRegression::new("y", y).lower(ResponseLimit::Constant(0.0)).build(0)?;
    /// let expected = "10 of 40 responses equal the lower limit 0";
    /// assert_eq!(regression.pile_ups()[0].to_string(), expected);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn pile_ups(&self) -> Vec<PileUp> {
        let Some(domain) = self.domain.as_deref() else { return Vec::new() };
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        let counted: Vec<(f64, (f64, f64))> = (0..self.points.len())
            .filter(|i| self.points.weight(*i) > 0.0)
            .map(|i| self.points.row(i))
            .filter_map(|x| Some((x[0], domain.sections(x, 0, everything).first().copied()?)))
            .collect();
        let censored = self.censored.as_ref();
        let pile = |is_lower: bool| {
            let limit_of = |limits: (f64, f64)| if is_lower { limits.0 } else { limits.1 };
            let first = limit_of(counted.first()?.1);
            let is_censored =
                censored.is_some_and(|model| limit_of(model.limits_at(self.points.row(0))).is_finite());
            if is_censored || !first.is_finite() {
                return None;
            }
            let mut others: BTreeMap<u64, usize> = BTreeMap::new();
            let mut count = 0;
            for (response, limits) in &counted {
                match response - limit_of(*limits) {
                    0.0 => count += 1,
                    // What piles up at the other limit is no sign of rounding.
                    _ if *response == limits.0 || *response == limits.1 => {}
                    distance => *others.entry(distance.to_bits()).or_insert(0) += 1,
                }
            }
            let rows = counted.len();
            let is_pile = count >= LEAST_COUNT
                && count as f64 >= LEAST_SHARE * rows as f64
                && count > TIMES * others.into_values().max().unwrap_or(0);
            let limit = counted.iter().all(|(_, limits)| limit_of(*limits) == first).then_some(first);
            is_pile.then_some(PileUp { is_lower, limit, count, rows })
        };
        let mut found: Vec<PileUp> = [true, false].into_iter().filter_map(pile).collect();
        found.sort_by_key(|pile| std::cmp::Reverse(pile.count));
        found
    }
}

impl Display for PileUp {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let side = if self.is_lower { "lower" } else { "upper" };
        write!(out, "{} of {} responses equal ", self.count, self.rows)?;
        match self.limit {
            Some(limit) => write!(out, "the {side} limit {limit}"),
            None => write!(out, "their own {side} limit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::regression::{Censored, PreparedRegression, ResponseLimit, TruncatedRegression};

    fn above_zero(y: Vec<f64>) -> TruncatedRegression {
        TruncatedRegression::new("y", y).lower(ResponseLimit::Constant(0.0))
    }

    fn pile(regression: &PreparedRegression) -> Option<(bool, usize)> {
        regression.pile_ups().first().map(|pile| (pile.is_lower, pile.count))
    }

    #[test]
    fn rounded_responses_are_no_pile_and_censored_ones_are() {
        // Whole numbers, most of them small.
        let rounded: Vec<f64> =
            (0..200).map(|i| (f64::from(i) * 0.618).fract().powi(2) * 12.0).map(f64::round).collect();
        assert_eq!(pile(&above_zero(rounded).build(0).unwrap()), None);
        let quarter: Vec<f64> =
            (0..200).map(|i| (f64::from(i) * 0.618).fract() - 0.25).map(|y| y.max(0.0)).collect();
        let zeros = quarter.iter().filter(|y| **y == 0.0).count();
        assert!((45..55).contains(&zeros));
        assert_eq!(pile(&above_zero(quarter.clone()).build(0).unwrap()), Some((true, zeros)));
        assert_eq!(pile(&above_zero(quarter.clone()).censored(Censored::Both).build(0).unwrap()), None);
        let wrong_side = above_zero(quarter).upper(ResponseLimit::Constant(2.0)).censored(Censored::Upper);
        assert_eq!(pile(&wrong_side.build(0).unwrap()), Some((true, zeros)));
    }

    #[test]
    fn piles_at_both_limits_do_not_hide_each_other() {
        let y: Vec<f64> =
            (0..200).map(|i| (f64::from(i) * 0.618).fract() * 2.0 - 0.6).map(|y| y.clamp(0.0, 1.0)).collect();
        let both = above_zero(y).upper(ResponseLimit::Constant(1.0)).build(0).unwrap();
        let found: Vec<bool> = both.pile_ups().iter().map(|pile| pile.is_lower).collect();
        assert_eq!(found, [true, false]);
    }

    #[test]
    fn limits_of_their_own_count() {
        let limits: Vec<f64> = (0..60).map(|i| 3.0 + f64::from(i) * 0.01).collect();
        let y = (0..60).map(|i| if i % 3 == 0 { limits[i] } else { limits[i] - 0.013 * i as f64 }).collect();
        let regression =
            TruncatedRegression::new("y", y).upper(ResponseLimit::Each(limits)).build(0).unwrap();
        let found = &regression.pile_ups()[0];
        assert_eq!(found.to_string(), "20 of 60 responses equal their own upper limit");
    }
}

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::{
    BoundarySampling, BoundaryScheme, Domain, SECTION_STEPS, check_count, clipped, from_rows, no_such_scheme,
    scanned_sections,
};
use crate::error::DomainError;
use crate::points::Points;
use crate::text::brief;

/// One end of the range in which a response is observed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// There is no limit on this side.
    None,
    /// The same for all observations.
    Constant(f64),
    /// Another coordinate of the point.
    Coordinate(usize),
}

impl Limit {
    pub(crate) fn at(self, x: &[f64], without: f64) -> f64 {
        match self {
            Limit::None => without,
            Limit::Constant(value) => value,
            Limit::Coordinate(l) => x[l],
        }
    }

    fn describe(self) -> String {
        match self {
            Limit::None => String::new(),
            Limit::Constant(value) => brief(value),
            Limit::Coordinate(l) => format!("coordinate {}", l + 1),
        }
    }
}

/// The points `(y, x_1, ..)` whose first coordinate lies between two limits: the domain of a truncated
/// regression.
///
/// Distances are along the response alone. Boundary points have the covariates of observations and the
/// response at a limit, so that sampling needs the data ([`BoundarySampling::near`]).
///
/// ```
/// use steinbound::domain::{Domain, Limit, ResponseLimits};
/// let passed = ResponseLimits::new(3, Limit::Constant(40.0), Limit::None)?;
/// assert!(passed.contains(&[41.0, 7.0, -3.0]) && !passed.contains(&[39.0, 7.0, -3.0]));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseLimits {
    dimension: usize,
    lower: Limit,
    upper: Limit,
}

impl ResponseLimits {
    /// Limits on the first of `dimension` coordinates.
    pub fn new(dimension: usize, lower: Limit, upper: Limit) -> Result<ResponseLimits, DomainError> {
        if dimension == 0 {
            let what = "a point with a response";
            return Err(DomainError::WrongDimension { what, found: 0, expected: 1 });
        }
        for limit in [lower, upper] {
            match limit {
                Limit::Constant(value) if !value.is_finite() => {
                    return Err(DomainError::BadNumber {
                        what: "a limit of the response".into(),
                        value,
                        remedy: "give a finite number, or no limit on that side",
                    });
                }
                Limit::Coordinate(l) if l == 0 || l >= dimension => {
                    let what = "a limit of the response";
                    return Err(DomainError::WrongDimension { what, found: l + 1, expected: dimension });
                }
                _ => {}
            }
        }
        let limits = ResponseLimits { dimension, lower, upper };
        if let (Limit::Constant(low), Limit::Constant(high)) = (lower, upper)
            && low >= high
        {
            return Err(DomainError::BadNumber {
                what: "the upper limit of the response".into(),
                value: high,
                remedy: "it must be larger than the lower limit",
            });
        }
        if (lower, upper) == (Limit::None, Limit::None) {
            return Err(DomainError::NoBoundary { domain: limits.describe() });
        }
        Ok(limits)
    }

    fn range(&self, x: &[f64]) -> (f64, f64) {
        (self.lower.at(x, f64::NEG_INFINITY), self.upper.at(x, f64::INFINITY))
    }
}

impl Domain for ResponseLimits {
    fn describe(&self) -> String {
        match (self.lower, self.upper) {
            (Limit::None, Limit::None) => "range of the response".into(),
            (low, Limit::None) => format!("range of the response from {}", low.describe()),
            (Limit::None, high) => format!("range of the response up to {}", high.describe()),
            (low, high) => format!("range of the response from {} to {}", low.describe(), high.describe()),
        }
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn contains(&self, x: &[f64]) -> bool {
        let (low, high) = self.range(x);
        low <= x[0] && x[0] <= high
    }

    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let (low, high) = self.range(x);
        let (below, above) = ((x[0] - low).abs(), (high - x[0]).abs());
        let (distance, slope) =
            if below <= above { (below, (x[0] - low).signum()) } else { (above, (x[0] - high).signum()) };
        gradient[0] = slope;
        // A limit that is itself a coordinate moves the boundary.
        match if below <= above { self.lower } else { self.upper } {
            Limit::Coordinate(l) => gradient[l] = -slope,
            Limit::None | Limit::Constant(_) => {}
        }
        distance
    }

    fn sections(&self, x: &[f64], axis: usize, window: (f64, f64)) -> Vec<(f64, f64)> {
        if axis == 0 {
            return clipped(self.range(x), window).into_iter().collect();
        }
        scanned_sections(|x| self.contains(x), x, axis, window, SECTION_STEPS)
    }

    /// The direction of the response, also where a limit depends on another coordinate: the response alone is
    /// random.
    fn normal(&self, _: &[f64], normal: &mut [f64]) -> bool {
        normal.fill(0.0);
        normal[0] = 1.0;
        true
    }

    /// Draws covariates of observations without replacement, starting again once all were drawn, and sets the
    /// response to each limit in turn.
    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        let BoundarySampling { count, scheme, .. } = *sampling;
        check_count(count, self.dimension)?;
        if scheme != BoundaryScheme::Uniform {
            return Err(no_such_scheme(self, scheme));
        }
        let near = sampling.near_points(self)?;
        let mut order: Vec<usize> = (0..near.len()).collect();
        let mut values = Vec::with_capacity(count * self.dimension);
        let mut drawn = 0;
        while values.len() < count * self.dimension {
            let at = drawn % near.len();
            if at == 0 {
                order = (0..near.len()).collect();
            }
            let other = rng.random_range(at..near.len());
            order.swap(at, other);
            drawn += 1;
            let x = near.row(order[at]);
            let (low, high) = self.range(x);
            for limit in [low, high].into_iter().filter(|limit| limit.is_finite()) {
                if values.len() < count * self.dimension {
                    values.push(limit);
                    values.extend_from_slice(&x[1..]);
                }
            }
        }
        from_rows(values, self.dimension, self)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        let mut bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); self.dimension];
        if let Limit::Constant(low) = self.lower {
            bounds[0].0 = low;
        }
        if let Limit::Constant(high) = self.upper {
            bounds[0].1 = high;
        }
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::conformance;
    use crate::random::stream;

    #[test]
    fn response_limits_conform() {
        let rng = &mut stream(2, 0);
        let values: Vec<f64> = (0..180).map(|_| 3.0 * rng.random::<f64>() - 1.5).collect();
        let near = Points::new(values, 3).unwrap();
        for (lower, upper) in [
            (Limit::Constant(-0.3), Limit::None),
            (Limit::None, Limit::Constant(0.8)),
            (Limit::Constant(-0.4), Limit::Constant(0.9)),
            (Limit::Coordinate(2), Limit::None),
        ] {
            let limits = ResponseLimits::new(3, lower, upper).unwrap();
            assert_eq!(conformance::check(&limits, &near), Ok(()));
        }
    }

    #[test]
    fn impossible_limits_are_refused() {
        assert!(ResponseLimits::new(2, Limit::None, Limit::None).is_err());
        assert!(ResponseLimits::new(0, Limit::Constant(1.0), Limit::None).is_err());
        assert!(ResponseLimits::new(2, Limit::Constant(1.0), Limit::Constant(1.0)).is_err());
        assert!(ResponseLimits::new(2, Limit::Coordinate(0), Limit::None).is_err());
        assert!(ResponseLimits::new(2, Limit::Constant(f64::NAN), Limit::None).is_err());
    }
}

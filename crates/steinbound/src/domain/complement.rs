use std::sync::Arc;

use rand::rngs::ChaCha8Rng;

use super::{BoundarySampling, Domain};
use crate::error::DomainError;
use crate::points::Points;

/// The outside of another domain, including the boundary that both share.
///
/// # Definition
///
/// The closure of the complement: a point of the inner domain belongs to it only if its distance to the
/// boundary is zero (never, if the inner domain has no distance). The distance to the boundary is the inner
/// domain's, measured from its outside.
///
/// ```
/// use std::sync::Arc;
/// use steinbound::domain::{Ball, Complement, Domain};
/// let outside = Complement::new(Arc::new(Ball::new(1.0)?.in_dimension(2)));
/// assert!(outside.contains(&[2.0, 0.0]) && outside.contains(&[1.0, 0.0]) && !outside.contains(&[0.5, 0.0]));
/// let mut gradient = [0.0; 2];
/// assert_eq!(outside.distance(&[3.0, 0.0], &mut gradient), 2.0);
/// assert_eq!(outside.describe(), "outside of the l2 ball of radius 1");
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Complement {
    inner: Arc<dyn Domain>,
}

impl Complement {
    /// The outside of a domain.
    pub fn new(inner: Arc<dyn Domain>) -> Complement {
        Complement { inner }
    }
}

impl Domain for Complement {
    fn describe(&self) -> String {
        format!("outside of the {}", self.inner.describe())
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn contains(&self, x: &[f64]) -> bool {
        // A point with a NaN lies neither inside nor outside.
        if !self.inner.contains(x) {
            return !x.iter().any(|v| v.is_nan());
        }
        self.inner.has_distance() && self.inner.distance(x, &mut vec![0.0; x.len()]) == 0.0
    }

    fn contains_all(&self, points: &Points) -> Vec<bool> {
        if self.inner.has_distance() {
            return points.rows().map(|x| self.contains(x)).collect();
        }
        // Points have no NaN.
        self.inner.contains_all(points).into_iter().map(|inside| !inside).collect()
    }

    fn has_distance(&self) -> bool {
        self.inner.has_distance()
    }

    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self.inner.distance_to_boundary(x, gradient)
    }

    fn sections(&self, x: &[f64], axis: usize, (low, high): (f64, f64)) -> Vec<(f64, f64)> {
        let mut gaps = Vec::new();
        let mut start = low;
        for (from, to) in self.inner.sections(x, axis, (low, high)) {
            if from > start {
                gaps.push((start, from));
            }
            start = to;
        }
        if high > start {
            gaps.push((start, high));
        }
        gaps
    }

    fn breaks(&self, axis: usize) -> Vec<f64> {
        self.inner.breaks(axis)
    }

    fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
        self.inner.normal(x, normal)
    }

    fn normals(&self, points: &Points) -> Vec<Option<Vec<f64>>> {
        self.inner.normals(points)
    }

    fn may_miss_parts(&self) -> bool {
        self.inner.may_miss_parts()
    }

    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        self.inner.sample_boundary(sampling, rng)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(f64::NEG_INFINITY, f64::INFINITY); self.dimension()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, Cuboid, LevelSet, Norm, conformance};
    use crate::random::stream;
    use rand::RngExt;

    #[test]
    fn outsides_conform() {
        let mut rng = stream(3, 0);
        for dimension in [1, 2, 4] {
            let values: Vec<f64> = (0..60 * dimension).map(|_| 5.0 * (rng.random::<f64>() - 0.5)).collect();
            let near = Points::new(values, dimension).unwrap();
            let ball = Ball::new(1.2).unwrap().in_dimension(dimension);
            let orthant = Cuboid::uniform(0.2, f64::INFINITY, dimension).unwrap();
            let formula = if dimension == 1 { "x1^2 - 1" } else { "x1^2 + x2^2 - 1" };
            let inner: [Arc<dyn Domain>; 5] = [
                Arc::new(ball.clone()),
                Arc::new(ball.clone().with_norm(Norm::Infinity)),
                Arc::new(orthant),
                Arc::new(LevelSet::parse(formula, dimension).unwrap()),
                Arc::new(Complement::new(Arc::new(ball))),
            ];
            for domain in inner {
                assert_eq!(conformance::check(&Complement::new(domain), &near), Ok(()));
            }
        }
    }

    #[test]
    fn sections_are_the_gaps_of_those_inside() {
        let ball: Arc<dyn Domain> = Arc::new(Ball::new(1.0).unwrap().in_dimension(2));
        let outside = Complement::new(ball);
        let sections = outside.sections(&[0.0, 0.6], 0, (-2.0, 3.0));
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(matches!(sections.as_slice(), [(a, b), (c, d)]
            if *a == -2.0 && close(*b, -0.8) && close(*c, 0.8) && *d == 3.0));
        assert_eq!(outside.sections(&[0.0, 5.0], 0, (-2.0, 3.0)), vec![(-2.0, 3.0)]);
        assert!(outside.sections(&[0.0, 0.0], 0, (-0.5, 0.5)).is_empty());
        assert!(!outside.contains(&[f64::NAN, 0.0]));
    }
}

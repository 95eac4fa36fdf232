use std::sync::Arc;

use rand::rngs::ChaCha8Rng;

use super::apart::all_apart;
use super::intersection::named;
use super::{BoundarySampling, Complement, Domain, Intersection};
use crate::error::DomainError;
use crate::points::Points;

/// The points that lie in at least one of several domains.
///
/// # Definition
///
/// The outside of the intersection of the outsides. Its boundary is what remains of the parts' boundaries
/// outside of all other parts.
///
/// If the parts are known to have no point in common, the distance to the boundary is that of the part around a
/// point, or to the nearest part; on the line it is that to the ends of the intervals that the parts form
/// together. Where parts overlap, the shortest way out of one may end in another, so that there is no formula for
/// the distance.
///
/// # Requirements
///
/// At least one part, all of the same dimension. Parts are known to be apart if the boxes around them are, or, in up
/// to three coordinates and with distances, if a division of these boxes into cells shows it. Boundary points are
/// found as those of an [`Intersection`].
///
/// # Complexity
///
/// That of an intersection of as many parts. Whether parts are apart is looked at for those whose boxes meet, which
/// is given up after some millions of cells.
///
/// ```
/// use std::sync::Arc;
/// use steinbound::domain::{Cuboid, Domain, Union};
/// let parts = [(-2.0, -1.0), (0.0, 3.0)].map(|(low, high)| Cuboid::interval(low, high));
/// let [left, right] = parts;
/// let both = Union::new(vec![Arc::new(left?), Arc::new(right?)])?;
/// assert!(both.contains(&[-1.5]) && !both.contains(&[-0.5]));
/// let mut gradient = [0.0];
/// assert_eq!((both.distance(&[2.5], &mut gradient), gradient), (0.5, [-1.0]));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Union {
    parts: Vec<Arc<dyn Domain>>,
    /// What is outside of all parts.
    rest: Intersection,
    bounds: Vec<(f64, f64)>,
    has_distance: bool,
}

impl Union {
    /// The union of the parts.
    pub fn new(parts: Vec<Arc<dyn Domain>>) -> Result<Union, DomainError> {
        let Some(first) = parts.first() else { return Err(DomainError::EmptyUnion) };
        if let Some(other) = parts.iter().find(|part| part.dimension() != first.dimension()) {
            return Err(DomainError::WrongDimension {
                what: "a part of the union",
                found: other.dimension(),
                expected: first.dimension(),
            });
        }
        let mut bounds = first.bounds();
        for part in &parts {
            for (side, (low, high)) in bounds.iter_mut().zip(part.bounds()) {
                *side = (side.0.min(low), side.1.max(high));
            }
        }
        let outside = |part: &Arc<dyn Domain>| Arc::new(Complement::new(Arc::clone(part))) as Arc<dyn Domain>;
        let rest = Intersection::new(parts.iter().map(outside).collect())?;
        let has_distance =
            parts.iter().all(|part| part.has_distance()) && (bounds.len() == 1 || all_apart(&parts));
        Ok(Union { parts, rest, bounds, has_distance })
    }

    /// The distance to the nearer end of the intervals on the line, and its slope.
    fn distance_on_line(&self, x: f64) -> (f64, f64) {
        let ends = self.sections(&[x], 0, (f64::NEG_INFINITY, f64::INFINITY));
        let ends = ends.into_iter().flat_map(|(low, high)| [low, high]).filter(|end| end.is_finite());
        let nearest = ends.min_by(|a, b| (x - a).abs().total_cmp(&(x - b).abs()));
        nearest.map_or((f64::INFINITY, 0.0), |end| ((x - end).abs(), (x - end).signum()))
    }
}

impl Domain for Union {
    fn describe(&self) -> String {
        format!("union of {}", named(&self.parts))
    }

    fn dimension(&self) -> usize {
        self.bounds.len()
    }

    fn contains(&self, x: &[f64]) -> bool {
        self.parts.iter().any(|part| part.contains(x))
    }

    fn contains_all(&self, points: &Points) -> Vec<bool> {
        let mut inside = vec![false; points.len()];
        for part in &self.parts {
            inside.iter_mut().zip(part.contains_all(points)).for_each(|(any, own)| *any |= own);
        }
        inside
    }

    fn may_miss_parts(&self) -> bool {
        self.rest.may_miss_parts()
    }

    fn has_distance(&self) -> bool {
        self.has_distance
    }

    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        if let [x] = x {
            let (distance, slope) = self.distance_on_line(*x);
            gradient.fill(slope);
            return distance;
        }
        let inside = self.contains(x);
        let mut slope = vec![0.0; gradient.len()];
        let mut nearest = f64::INFINITY;
        for part in self.parts.iter().filter(|part| !inside || part.contains(x)) {
            let distance = part.distance_to_boundary(x, &mut slope);
            if distance < nearest {
                nearest = distance;
                gradient.copy_from_slice(&slope);
            }
        }
        nearest
    }

    fn sections(&self, x: &[f64], axis: usize, window: (f64, f64)) -> Vec<(f64, f64)> {
        let mut all: Vec<(f64, f64)> =
            self.parts.iter().flat_map(|part| part.sections(x, axis, window)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut joined: Vec<(f64, f64)> = Vec::new();
        for (low, high) in all {
            match joined.last_mut() {
                Some(last) if low <= last.1 => last.1 = last.1.max(high),
                _ => joined.push((low, high)),
            }
        }
        joined
    }

    fn breaks(&self, axis: usize) -> Vec<f64> {
        self.parts.iter().flat_map(|part| part.breaks(axis)).collect()
    }

    fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
        self.rest.normal(x, normal)
    }

    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        self.rest.sample_boundary(sampling, rng).map_err(|error| match error {
            DomainError::NoBoundaryFound { .. } => DomainError::NoBoundaryFound {
                domain: self.describe(),
                remedy: "its parts cover everything near; check their limits",
            },
            DomainError::NoSuchScheme { scheme, .. } => {
                DomainError::NoSuchScheme { domain: self.describe(), scheme }
            }
            other => other,
        })
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.bounds.clone()
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::domain::{Annulus, Ball, Cuboid, HalfSpace, LevelSet, conformance};
    use crate::points::squared_distance;
    use crate::random::stream;

    fn disc(x: f64, y: f64, radius: f64) -> Arc<dyn Domain> {
        Arc::new(Ball::new(radius).unwrap().with_center(vec![x, y]).unwrap())
    }

    fn interval(low: f64, high: f64) -> Arc<dyn Domain> {
        Arc::new(Cuboid::interval(low, high).unwrap())
    }

    fn union(parts: Vec<Arc<dyn Domain>>) -> Union {
        Union::new(parts).unwrap()
    }

    fn near(dimension: usize) -> Points<'static> {
        let mut rng = stream(5, dimension as u64);
        let values: Vec<f64> = (0..60 * dimension).map(|_| 3.0 * (rng.random::<f64>() - 0.5)).collect();
        Points::new(values, dimension).unwrap()
    }

    fn sample(domain: &dyn Domain, count: usize) -> Points<'static> {
        domain.sample_boundary(&BoundarySampling::new(count), &mut stream(2, 1)).unwrap()
    }

    #[test]
    fn every_union_conforms() {
        let cube = |low, high| Arc::new(Cuboid::uniform(low, high, 3).unwrap());
        let ball = Arc::new(Ball::new(0.8).unwrap().in_dimension(3));
        let table: [(Union, bool); 8] = [
            (union(vec![disc(-0.9, 0.0, 0.7), disc(0.8, 0.3, 0.6)]), true),
            (union(vec![disc(-0.5, 0.0, 0.8), disc(0.5, 0.0, 0.9)]), false),
            (
                union(vec![disc(0.0, 0.0, 0.3), Arc::new(Annulus::new(0.6, 1.2).unwrap().in_dimension(2))]),
                true,
            ),
            (
                union(vec![disc(0.4, 0.0, 0.7), Arc::new(LevelSet::parse("x1^2 + x2^2 - 0.5", 2).unwrap())]),
                false,
            ),
            (union(vec![cube(-1.2, -0.3), cube(0.2, 1.1)]), true),
            (union(vec![ball, cube(0.2, 1.1)]), false),
            (union(vec![interval(-1.2, -0.4), interval(-0.6, 0.1), interval(0.5, 1.3)]), true),
            (union(vec![interval(f64::NEG_INFINITY, -0.2), interval(0.3, f64::INFINITY)]), true),
        ];
        for (domain, is_exact) in &table {
            assert_eq!(domain.has_distance(), *is_exact, "{}", domain.describe());
            assert_eq!(conformance::check(domain, &near(domain.dimension())), Ok(()));
        }
        for (domain, _) in table.into_iter().filter(|(_, is_exact)| *is_exact) {
            let outside = Complement::new(Arc::new(domain));
            assert_eq!(conformance::check(&outside, &near(outside.dimension())), Ok(()));
        }
    }

    /// Two discs of radius 1 at distance 1: two thirds of each circle remain.
    #[test]
    fn only_the_boundary_of_the_whole_is_sampled() {
        let both = union(vec![disc(0.0, 0.0, 1.0), disc(1.0, 0.0, 1.0)]);
        let points = sample(&both, 300);
        assert_eq!(points.len(), 300);
        let inner = |x: &[f64]| x[0].hypot(x[1]) < 1.0 - 1e-9 || (x[0] - 1.0).hypot(x[1]) < 1.0 - 1e-9;
        assert!(!points.rows().any(inner));
        let left = points.rows().filter(|x| x[0] < 0.5).count();
        assert!((130..=170).contains(&left), "{left}");
        // Evenly spread along the curve of 8 pi / 3.
        let nearest = |k: usize| {
            let others = (0..300).filter(|j| *j != k);
            others
                .map(|j| squared_distance(points.row(j), points.row(k)))
                .fold(f64::INFINITY, f64::min)
                .sqrt()
        };
        let usual = 8.0 * std::f64::consts::PI / 3.0 / 300.0;
        assert!((0..300).all(|k| (0.4..1.6).contains(&(nearest(k) / usual))));
    }

    #[test]
    fn shared_sides_are_inside() {
        let left = Arc::new(Cuboid::new(vec![-1.0, 0.0], vec![0.0, 1.0]).unwrap());
        let right = Arc::new(Cuboid::new(vec![0.0, 0.0], vec![1.0, 1.0]).unwrap());
        let both = union(vec![left, right]);
        assert!(!both.has_distance());
        assert!(sample(&both, 200).rows().all(|x| x[0].abs() > 1e-9 || x[1] == 0.0 || x[1] == 1.0));
        assert_eq!(both.sections(&[0.3, 0.5], 0, (-9.0, 9.0)), [(-1.0, 1.0)]);
        let line = union(vec![interval(0.0, 1.0), interval(1.0, 2.0), interval(4.0, 5.0)]);
        assert_eq!(sample(&line, 1).values(), [0.0, 2.0, 4.0, 5.0]);
        let mut slope = [0.0];
        assert_eq!((line.distance(&[1.2], &mut slope), slope), (0.8, [-1.0]));
        assert_eq!((line.distance_to_boundary(&[2.5], &mut slope), slope), (0.5, [1.0]));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let message = |parts| Union::new(parts).unwrap_err().to_string();
        assert!(message(vec![]).contains("at least one"));
        assert!(message(vec![disc(0.0, 0.0, 1.0), interval(0.0, 1.0)]).contains("a part of the union has 1"));
        let half = |sign: f64| Arc::new(HalfSpace::new(vec![sign], -1.0).unwrap()) as Arc<dyn Domain>;
        let whole = union(vec![half(1.0), half(-1.0)]);
        let error = whole.sample_boundary(&BoundarySampling::new(5), &mut stream(0, 0)).unwrap_err();
        assert!(error.to_string().contains("cover everything"), "{error}");
        let plane = |sign: f64| Arc::new(HalfSpace::new(vec![sign, 0.0], 1.0).unwrap()) as Arc<dyn Domain>;
        let error = union(vec![plane(1.0), plane(-1.0)]);
        let error = error.sample_boundary(&BoundarySampling::new(5), &mut stream(0, 0)).unwrap_err();
        assert!(error.to_string().contains("unbounded"), "{error}");
    }
}

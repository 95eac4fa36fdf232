use std::sync::Arc;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::crossing_normal::{changes_across, extent};
use super::spread::{candidates_for, spread};
use super::{
    BoundarySampling, BoundaryScheme, Domain, Norm, SAMPLE_LIMIT, check_count, from_rows, no_such_scheme,
};
use crate::error::DomainError;
use crate::points::Points;
use crate::text::listed;

/// The points that lie in all of several domains.
///
/// # Definition
///
/// From inside, the distance to the boundary is the smallest of the parts' distances. That is exact: the
/// complement of an intersection is the union of the complements, so the shortest way out of the set is the
/// shortest way out of any part. From outside it is the largest of the distances to the parts that do not
/// contain the point: a lower bound, because the nearest point of a part need not lie in the others.
///
/// # Requirements
///
/// At least one part, all of the same dimension. Boundary points are points of the parts' boundaries that
/// have points of the intersection next to them, thinned to those far from each other; parts of the boundary
/// that make up less than a few thousandths of the whole can be missed. The outside of a level set or of an
/// intersection is a part like any other.
///
/// # Complexity
///
/// Membership, distance and normal of a point look at each part once, boundary points at a few thousand candidates
/// and at several on each part: all grow in proportion to the number of parts.
///
/// ```
/// use std::sync::Arc;
/// use steinbound::domain::{Ball, Domain, HalfSpace, Intersection};
/// let disc = Ball::new(1.0)?.in_dimension(2);
/// let right = HalfSpace::new(vec![1.0, 0.0], 0.0)?;
/// let half_disc = Intersection::new(vec![Arc::new(disc), Arc::new(right)])?;
/// let mut gradient = [0.0; 2];
/// assert_eq!(half_disc.distance(&[0.25, 0.0], &mut gradient), 0.25);
/// assert_eq!(gradient, [1.0, 0.0]);
/// assert_eq!(half_disc.bounds(), vec![(0.0, 1.0), (-1.0, 1.0)]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Intersection {
    parts: Vec<Arc<dyn Domain>>,
    bounds: Vec<(f64, f64)>,
}

/// The distance from a boundary point at which the intersection is probed, as a share of the boundary's
/// extent.
const NEXT_TO: f64 = 1e-6;

/// The number of places probed beside a boundary point.
const PLACES: usize = 24;

/// With more parts each of them gets its share of the candidates only.
const FEW_PARTS: usize = 16;

/// The least number of candidates by which a part is found to border on the set.
const LEAST: usize = 128;

impl Intersection {
    /// The intersection of the parts.
    pub fn new(parts: Vec<Arc<dyn Domain>>) -> Result<Intersection, DomainError> {
        let Some(first) = parts.first() else { return Err(DomainError::NoParts) };
        if let Some(other) = parts.iter().find(|part| part.dimension() != first.dimension()) {
            return Err(DomainError::WrongDimension {
                what: "a part of the intersection",
                found: other.dimension(),
                expected: first.dimension(),
            });
        }
        let mut bounds = first.bounds();
        for part in &parts {
            for (side, (low, high)) in bounds.iter_mut().zip(part.bounds()) {
                *side = (side.0.max(low), side.1.min(high));
            }
        }
        let intersection = Intersection { parts, bounds };
        match intersection.bounds.iter().all(|(low, high)| low < high) {
            true => Ok(intersection),
            false => Err(DomainError::Disjoint { domain: intersection.describe() }),
        }
    }

    /// How far a point is from the boundary of a part; without a distance, to a power of ten, by the nearest
    /// places on either side along the part's normal between which membership changes.
    fn gap(&self, part: &dyn Domain, x: &[f64], normal: &[f64]) -> f64 {
        if part.has_distance() {
            return part.distance_to_boundary(x, &mut vec![0.0; x.len()]);
        }
        let extent = extent(&self.bounds, x);
        let mut steps = (-14..=-3).map(|power| extent * 10f64.powi(power));
        steps.find(|step| changes_across(|x| part.contains(x), x, normal, *step)).unwrap_or(f64::INFINITY)
    }

    /// Points near which unbounded parts are sampled: the corners of the box, or draws in it if there are too
    /// many corners.
    fn corners(&self, rng: &mut ChaCha8Rng) -> Result<Points<'static>, DomainError> {
        let dimension = self.dimension();
        let many = dimension > 10;
        let mut values = Vec::new();
        for corner in 0..if many { 2048 } else { 1usize << dimension } {
            values.extend(self.bounds.iter().enumerate().map(|(l, (low, high))| {
                let is_high = if many { rng.random() } else { corner >> l & 1 == 1 };
                if is_high { *high } else { *low }
            }));
        }
        from_rows(values, dimension, self)
    }

    /// Whether the intersection can come so near to a boundary point of a part, as far as the distances of the
    /// other parts tell: much faster than probing if a part has thousands of edges. `order` lists the parts; the
    /// one that tells moves to its front, because it often tells of the next point, too.
    fn may_border(&self, own: usize, b: &[f64], beside: &[f64], order: &mut [usize]) -> bool {
        // Distances may be in another norm, in which they are up to this much longer.
        let longest = (b.len() as f64).sqrt() * Norm::Two.of(beside);
        let mut gradient = vec![0.0; b.len()];
        let is_far = |other: &usize| {
            let part = &self.parts[*other];
            *other != own
                && !part.contains(b)
                && part.has_distance()
                && part.distance_to_boundary(b, &mut gradient) > longest
        };
        let found = order.iter().position(is_far);
        if let Some(at) = found {
            // Half-way, so that one that tells of a single point does not push away all others.
            order.swap(at, at / 2);
        }
        found.is_none()
    }

    /// Boundary points of the parts that have points of the intersection next to them. Of many parts, which of
    /// them have any is looked at first, unless it is known.
    fn candidates(
        &self,
        sampling: &BoundarySampling,
        known: &mut Option<Vec<usize>>,
        rng: &mut ChaCha8Rng,
    ) -> Result<Vec<f64>, DomainError> {
        let all: Vec<usize> = (0..self.parts.len()).collect();
        if all.len() <= FEW_PARTS {
            return Ok(self.candidates_on(&all, sampling, rng)?.0);
        }
        let share = |parts: usize| {
            let count = sampling.count.saturating_mul(FEW_PARTS) / parts.max(FEW_PARTS);
            BoundarySampling { count: count.max(LEAST), ..*sampling }
        };
        let bordering = match known {
            Some(bordering) => bordering,
            None => {
                let (kept, bordering) = self.candidates_on(&all, &share(all.len()), rng)?;
                if 2 * bordering.len() > all.len() {
                    *known = Some(all);
                    return Ok(kept);
                }
                known.insert(bordering)
            }
        };
        Ok(self.candidates_on(bordering, &share(bordering.len()), rng)?.0)
    }

    /// Boundary points of some parts that have points of the intersection next to them, and the parts that have
    /// such.
    fn candidates_on(
        &self,
        parts: &[usize],
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<(Vec<f64>, Vec<usize>), DomainError> {
        let dimension = self.dimension();
        let (mut kept, mut bordering) = (Vec::new(), Vec::new());
        let looks_ahead = sampling.candidates_within.is_some() || self.parts.len() > FEW_PARTS;
        let mut order: Vec<usize> = (0..self.parts.len()).collect();
        for own in parts.iter().copied() {
            let (part, before) = (&self.parts[own], kept.len());
            let drawn = match part.sample_boundary(sampling, rng) {
                Err(DomainError::NoSuchScheme { .. }) if sampling.candidates_within.is_some() => {
                    part.sample_boundary(&sampling.scheme(BoundaryScheme::Uniform), rng)
                }
                drawn => drawn,
            };
            let drawn = match drawn {
                Ok(drawn) => drawn,
                // A part that contains all points near it adds no boundary.
                Err(DomainError::NoBoundaryFound { .. }) => continue,
                Err(error) => return Err(error),
            };
            let beside: Vec<f64> = drawn
                .bounds()
                .iter()
                .map(|(low, high)| match high - low {
                    extent if extent > 0.0 => NEXT_TO * extent,
                    _ if *low == 0.0 => NEXT_TO,
                    _ => NEXT_TO * low.abs(),
                })
                .collect();
            let mut place = vec![0.0; dimension];
            for b in drawn.rows() {
                if looks_ahead && !self.may_border(own, b, &beside, &mut order) {
                    continue;
                }
                let has_inside = (0..PLACES).any(|_| {
                    for ((p, b), step) in place.iter_mut().zip(b).zip(&beside) {
                        *p = b + step * (2.0 * rng.random::<f64>() - 1.0);
                    }
                    self.contains(&place)
                });
                if has_inside {
                    kept.extend_from_slice(b);
                }
            }
            if kept.len() > before {
                bordering.push(own);
            }
        }
        Ok((kept, bordering))
    }
}

/// The names of parts.
pub(super) fn named(parts: &[Arc<dyn Domain>]) -> String {
    listed(parts.len(), |i| format!("the {}", parts[i].describe()))
}

impl Domain for Intersection {
    fn describe(&self) -> String {
        format!("intersection of {}", named(&self.parts))
    }

    fn dimension(&self) -> usize {
        self.bounds.len()
    }

    fn contains(&self, x: &[f64]) -> bool {
        self.parts.iter().all(|part| part.contains(x))
    }

    fn contains_all(&self, points: &Points) -> Vec<bool> {
        let mut inside = vec![true; points.len()];
        for part in &self.parts {
            inside.iter_mut().zip(part.contains_all(points)).for_each(|(all, own)| *all &= own);
        }
        inside
    }

    fn may_miss_parts(&self) -> bool {
        self.parts.iter().any(|part| part.may_miss_parts())
    }

    fn has_distance(&self) -> bool {
        self.parts.iter().all(|part| part.has_distance())
    }

    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let inside = self.contains(x);
        let mut best = if inside { f64::INFINITY } else { f64::NEG_INFINITY };
        let mut slope = vec![0.0; gradient.len()];
        for part in self.parts.iter().filter(|part| inside || !part.contains(x)) {
            let distance = part.distance_to_boundary(x, &mut slope);
            if if inside { distance < best } else { distance > best } {
                best = distance;
                gradient.copy_from_slice(&slope);
            }
        }
        best
    }

    fn sections(&self, x: &[f64], axis: usize, window: (f64, f64)) -> Vec<(f64, f64)> {
        let mut common = vec![window];
        for part in &self.parts {
            let sections = part.sections(x, axis, window);
            let overlaps = |(low, high): (f64, f64)| {
                let clip = sections.iter().map(move |(a, b)| (low.max(*a), high.min(*b)));
                clip.filter(|(a, b)| a <= b).collect::<Vec<_>>()
            };
            common = common.into_iter().flat_map(overlaps).collect();
        }
        common
    }

    fn breaks(&self, axis: usize) -> Vec<f64> {
        self.parts.iter().flat_map(|part| part.breaks(axis)).collect()
    }

    /// That of the part whose boundary is nearest.
    fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
        let mut own = vec![0.0; x.len()];
        let mut nearest = f64::INFINITY;
        for part in &self.parts {
            if !part.normal(x, &mut own) {
                continue;
            }
            let gap = self.gap(part.as_ref(), x, &own);
            if gap < nearest {
                nearest = gap;
                normal.copy_from_slice(&own);
            }
        }
        nearest < f64::INFINITY
    }

    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        let dimension = self.dimension();
        check_count(sampling.count, dimension)?;
        let for_choice = sampling.candidates_within.is_some();
        let exists = sampling.scheme == BoundaryScheme::Uniform
            || (sampling.scheme == BoundaryScheme::Even && for_choice && dimension == 2);
        if !exists && dimension > 1 {
            return Err(no_such_scheme(self, sampling.scheme));
        }
        let mut kept = Vec::new();
        if for_choice {
            kept = self.candidates(sampling, &mut None, rng)?;
        } else {
            let bounded = self.bounds.iter().all(|(low, high)| low.is_finite() && high.is_finite());
            let corners = if bounded { Some(self.corners(rng)?) } else { None };
            let near = corners.as_ref().or(sampling.near);
            let parts = self.parts.len().min(FEW_PARTS);
            let wanted = (2 * candidates_for(sampling.count) / parts).max(sampling.count);
            // Shares of many parts are random, too.
            let enough = if self.parts.len() > FEW_PARTS { 2 * sampling.count } else { 0 };
            let most = (SAMPLE_LIMIT / dimension / 8).max(sampling.count);
            let mut bordering = None;
            // If few of the parts' boundary points border on the set, draw more of them.
            for oversampling in [1, 4, 16, 64] {
                let count = wanted.saturating_mul(oversampling).min(most);
                let sampling = BoundarySampling { near, ..BoundarySampling::new(count) };
                kept.extend(self.candidates(&sampling, &mut bordering, rng)?);
                if dimension == 1 || kept.len() >= wanted * dimension / 4 && kept.len() >= enough * dimension
                {
                    break;
                }
            }
        }
        if kept.is_empty() {
            return Err(DomainError::NoBoundaryFound {
                domain: self.describe(),
                remedy: "the boundaries of its parts do not meet the set; check that the parts overlap",
            });
        }
        if dimension == 1 {
            // Parts that end at the same place may give it with different rounding.
            kept.sort_by(f64::total_cmp);
            kept.dedup_by(|b, a| *b - *a <= 1e-12 * a.abs());
        } else if !for_choice {
            kept = spread(kept, dimension, sampling.count);
        }
        from_rows(kept, dimension, self)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.bounds.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, Complement, Cuboid, HalfSpace, LevelSet, conformance};
    use crate::points::squared_distance;
    use crate::random::stream;

    fn ball(radius: f64, dimension: usize) -> Arc<dyn Domain> {
        Arc::new(Ball::new(radius).unwrap().in_dimension(dimension))
    }

    fn cuboid(low: f64, high: f64, dimension: usize) -> Arc<dyn Domain> {
        Arc::new(Cuboid::uniform(low, high, dimension).unwrap())
    }

    fn half(normal: Vec<f64>, offset: f64) -> Arc<dyn Domain> {
        Arc::new(HalfSpace::new(normal, offset).unwrap())
    }

    fn outside(inner: Arc<dyn Domain>) -> Arc<dyn Domain> {
        Arc::new(Complement::new(inner))
    }

    fn level(text: &str, dimension: usize) -> Arc<dyn Domain> {
        Arc::new(LevelSet::parse(text, dimension).unwrap())
    }

    fn both(parts: Vec<Arc<dyn Domain>>) -> Intersection {
        Intersection::new(parts).unwrap()
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
    fn every_intersection_conforms() {
        let domains = [
            both(vec![ball(1.0, 2), half(vec![1.0, 0.0], 0.0)]),
            both(vec![cuboid(-1.3, 1.2, 2), outside(ball(0.8, 2))]),
            both(vec![cuboid(-1.3, 1.2, 2), outside(level("x1^2 + x2^2 - 0.5", 2))]),
            both(vec![ball(1.2, 2), level("x1^2 - x2 - 0.5", 2)]),
            both(vec![half(vec![1.0, 0.5], -0.6), half(vec![-0.3, 1.0], -0.5)]),
            both(vec![ball(1.4, 3), outside(ball(0.9, 3)), half(vec![1.0, 1.0, 1.0], -0.3)]),
            both(vec![ball(1.4, 5), cuboid(-1.0, 0.9, 5)]),
            both(vec![cuboid(-1.0, 1.0, 1), outside(cuboid(-0.4, 0.3, 1))]),
            both(vec![outside(cuboid(0.0, 0.3, 1))]),
            both(vec![ball(1.0, 2), ball(1.0, 2)]),
        ];
        for domain in &domains {
            assert_eq!(conformance::check(domain, &near(domain.dimension())), Ok(()));
            // Boundary points belong to the set up to rounding, on the far side too.
            let inside_out = Complement::new(Arc::new(domain.clone()));
            if domain.has_distance() {
                assert_eq!(conformance::check(&inside_out, &near(domain.dimension())), Ok(()));
            }
        }
    }

    /// Against the nearest of many boundary points, and a lower bound outside.
    #[test]
    fn distances_agree_with_dense_boundary_points() {
        let frame = both(vec![cuboid(-1.3, 1.2, 2), outside(ball(0.8, 2))]);
        let boundary = sample(&frame, 2000);
        let mut gradient = [0.0; 2];
        for x in near(2).rows() {
            let distance = frame.distance_to_boundary(x, &mut gradient);
            let square = boundary.rows().map(|b| squared_distance(x, b)).fold(f64::INFINITY, f64::min);
            assert!(distance <= square.sqrt() + 1e-12);
            if frame.contains(x) {
                assert!(square.sqrt() - distance < 0.01, "{distance} and {}", square.sqrt());
            }
        }
    }

    /// Each part of the boundary gets points in proportion to its length.
    #[test]
    fn boundary_points_are_spread_by_length() {
        let half_disc = both(vec![ball(1.0, 2), half(vec![1.0, 0.0], 0.0)]);
        let points = sample(&half_disc, 400);
        assert_eq!(points.len(), 400);
        let flat = points.rows().filter(|x| x[0] == 0.0).count() as f64 / 400.0;
        let truth = 2.0 / (2.0 + std::f64::consts::PI);
        assert!((flat - truth).abs() < 0.04, "{flat}, not {truth}");
    }

    /// Where two parts share a face, only what borders on the set counts.
    #[test]
    fn shared_faces_do_not_leave_slivers() {
        let right = Arc::new(Cuboid::new(vec![0.0, -1.0], vec![1.0, 1.0]).unwrap());
        let left = both(vec![cuboid(-1.0, 1.0, 2), outside(right)]);
        let points = sample(&left, 300);
        assert!(points.rows().all(|x| x[0] <= 1e-9));
        assert!(points.rows().any(|x| x[0] == 0.0) && points.rows().any(|x| x[0] == -1.0));
    }

    #[test]
    fn the_line_gives_all_its_ends() {
        let parts = vec![cuboid(-1.0, 1.0, 1), outside(cuboid(-0.4, 0.3, 1)), level("x1 - 0.9", 1)];
        assert_eq!(sample(&both(parts), 1).values(), &[-1.0, -0.4, 0.3, 0.9]);
        let ray = both(vec![half(vec![1.0], 0.0), outside(cuboid(0.0, 2.0, 1))]);
        assert_eq!(sample(&ray, 5).values(), &[2.0]);
    }

    #[test]
    fn normals_are_those_of_the_part_at_the_point() {
        let normal = |domain: &dyn Domain, x: [f64; 2]| {
            let mut normal = [f64::NAN; 2];
            domain.normal(&x, &mut normal).then_some(normal.map(f64::abs))
        };
        let disc = |exact| if exact { ball(1.0, 2) } else { level("x1^2 + x2^2 - 1", 2) };
        for exact in [true, false] {
            let half_disc = both(vec![disc(exact), half(vec![1.0, 0.0], 0.25)]);
            assert_eq!(normal(&half_disc, [0.25, 0.5]), Some([1.0, 0.0]));
            let rim = normal(&half_disc, [0.6, -0.8]).unwrap();
            assert!((rim[0] - 0.6).abs() < 1e-12 && (rim[1] - 0.8).abs() < 1e-12);
            // The union of two discs, as the outside of what is outside of both.
            let other: Arc<dyn Domain> = match exact {
                true => Arc::new(Ball::new(1.0).unwrap().with_center(vec![1.0, 0.0]).unwrap()),
                false => level("(x1 - 1)^2 + x2^2 - 1", 2),
            };
            let union = Complement::new(Arc::new(both(vec![outside(disc(exact)), outside(other)])));
            assert_eq!(normal(&union, [0.0, 1.0]), Some([0.0, 1.0]));
            assert_eq!(normal(&union, [2.0, 0.0]), Some([1.0, 0.0]));
        }
        let levels = both(vec![level("x1 - 1", 2), level("x2 - 1", 2)]);
        assert_eq!(normal(&levels, [0.2, 0.3]), None);
    }

    #[test]
    fn sections_are_common_to_all_parts() {
        let frame = both(vec![cuboid(-1.0, 1.0, 2), outside(cuboid(-0.5, 0.5, 2))]);
        let sections = frame.sections(&[0.0, 0.25], 0, (-2.0, 2.0));
        let expected = [(-1.0, -0.5), (0.5, 1.0)];
        assert_eq!(sections.len(), 2);
        for ((a, b), (c, d)) in sections.iter().zip(expected) {
            assert!((a - c).abs() < 1e-12 && (b - d).abs() < 1e-12);
        }
        assert!(frame.sections(&[0.0, 3.0], 0, (-2.0, 2.0)).is_empty());
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let message = |parts| Intersection::new(parts).unwrap_err().to_string();
        assert!(message(vec![]).contains("at least one"));
        assert!(message(vec![ball(1.0, 2), ball(1.0, 3)]).contains("3 coordinates where 2"));
        assert!(message(vec![cuboid(0.0, 1.0, 1), cuboid(2.0, 3.0, 1)]).contains("do not overlap"));
        // The corner of the box is cut off, so that the boxes overlap and the sets do not.
        let corner = both(vec![ball(1.0, 2), cuboid(0.9, 2.0, 2)]);
        let error = corner.sample_boundary(&BoundarySampling::new(5), &mut stream(0, 0)).unwrap_err();
        assert!(error.to_string().contains("do not meet"), "{error}");
        let wedge = both(vec![half(vec![1.0, 0.0], 0.0), half(vec![0.0, 1.0], 0.0)]);
        let error = wedge.sample_boundary(&BoundarySampling::new(5), &mut stream(0, 0)).unwrap_err();
        assert!(error.to_string().contains("unbounded"), "{error}");
        let radial = BoundarySampling::new(5).scheme(BoundaryScheme::Radial);
        assert!(corner.sample_boundary(&radial, &mut stream(0, 0)).is_err());
    }

    /// Of hundreds of parts few border on the set, and each is given only some of the candidates.
    #[test]
    fn many_parts_have_the_boundary_that_they_have_together() {
        let mut rng = stream(7, 0);
        let mut draw = || 0.2 * (rng.random::<f64>() - 0.5);
        let disc = |center: Vec<f64>| -> Arc<dyn Domain> {
            Arc::new(Ball::new(1.0).unwrap().with_center(center).unwrap())
        };
        let common = both((0..300).map(|_| disc(vec![draw(), draw()])).collect());
        let (mut gradient, mut angles) = ([0.0; 2], Vec::new());
        for row in sample(&common, 100).rows() {
            assert!(common.distance_to_boundary(row, &mut gradient) < 1e-5, "{row:?}");
            angles.push(row[1].atan2(row[0]));
        }
        angles.sort_by(f64::total_cmp);
        assert!(angles.len() == 100 && angles.windows(2).all(|pair| pair[1] - pair[0] < 0.3), "{angles:?}");
        assert!(common.describe().ends_with("and 297 more"), "{}", common.describe());
    }

    #[test]
    fn names_read_well() {
        let three = both(vec![ball(1.0, 2), half(vec![1.0, 0.0], 0.0), outside(ball(0.5, 2))]);
        assert_eq!(
            three.describe(),
            "intersection of the l2 ball of radius 1, the half-space (1, 0) . x >= 0 and the outside of the l2 ball of \
             radius 0.5"
        );
        assert_eq!(both(vec![ball(1.0, 2)]).describe(), "intersection of the l2 ball of radius 1");
    }
}

use std::fmt::Debug;
use std::sync::Arc;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::half_space::plane_basis;
use super::spread::{candidates_for, spread};
use super::{BoundarySampling, BoundaryScheme, Domain, Norm, check_count, from_rows, no_such_scheme};
use crate::error::DomainError;
use crate::points::Points;

/// Whether points lie in a set, asked of many at once: a function of the user's.
pub trait Membership: Debug + Send + Sync {
    /// A description for messages.
    fn describe(&self) -> String;

    /// For each of the points, whether it lies inside.
    fn are_inside(&self, points: &Points) -> Vec<bool>;
}

/// The points of a box for which a function says that they lie inside.
///
/// # Definition
///
/// There is no formula for the distance to the boundary, nor for its direction: both are found by asking of many
/// points at once, so that a function that is slow to call is called seldom.
///
/// # Requirements
///
/// A bounded box. Where the set reaches a side of the box, that side is boundary. Boundary points are where random
/// lines through the box enter or leave the set, which makes them uniform on its surface in units of the box; they are
/// then thinned to those far from each other. Parts smaller than about a hundredth of the box can be missed.
///
/// # Complexity
///
/// About 130 tests for each line, and 60 for each boundary point on it; a normal takes `200 d`.
///
/// ```
/// use std::sync::Arc;
/// use steinbound::Points;
/// use steinbound::domain::{BoundarySampling, Domain, Membership, Predicate};
/// use steinbound::simulate::stream;
/// #[derive(Debug)]
/// struct Diamond;
/// impl Membership for Diamond {
///     fn describe(&self) -> String {
///         "diamond".into()
///     }
///     fn are_inside(&self, points: &Points) -> Vec<bool> {
///         points.rows().map(|x| x[0].abs() + x[1].abs() <= 1.0).collect()
///     }
/// }
/// let diamond = Predicate::new(Arc::new(Diamond), vec![(-2.0, 2.0); 2])?;
/// assert!(diamond.contains(&[0.5, 0.4]) && !diamond.contains(&[0.5, 0.6]));
/// let edge = diamond.sample_boundary(&BoundarySampling::new(50), &mut stream(0, 1))?;
/// assert!(edge.rows().all(|x| (x[0].abs() + x[1].abs() - 1.0).abs() < 1e-12));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Predicate {
    membership: Arc<dyn Membership>,
    bounds: Vec<(f64, f64)>,
}

/// The number of cells of the line.
const LINE_CELLS: usize = 8192;

/// The number of steps in which a random line crosses the box, and in which a section is looked at.
const STEPS: usize = 128;

/// The number of lines that are followed at once.
const LINES: usize = 256;

/// The most lines before the search for boundary ends, and the most for each boundary point that is wanted.
const MOST_LINES: usize = 1 << 15;

/// Lines begin and end outside of the box by this share of its sides.
const BEYOND: f64 = 1e-3;

/// The most halvings of an interval before its ends are neighbours.
const HALVINGS: usize = 80;

/// Steps at which the surroundings of a boundary point are looked at, as shares of the shortest side.
const NEARBY: [f64; 2] = [1e-4, 1e-6];

/// The number of times a normal is improved, and the halvings of each height.
const PASSES: usize = 3;
const HEIGHT_HALVINGS: usize = 30;

/// How far a boundary may bend away from its tangent plane, as a share of the step.
const LARGEST_BEND: f64 = 0.2;

impl Predicate {
    /// The points of a box for which the function holds.
    pub fn new(membership: Arc<dyn Membership>, bounds: Vec<(f64, f64)>) -> Result<Predicate, DomainError> {
        if bounds.is_empty() {
            return Err(DomainError::WrongDimension {
                what: "the box around the set",
                found: 0,
                expected: 1,
            });
        }
        for (l, (low, high)) in bounds.iter().enumerate() {
            // Written so that a NaN is refused as well.
            let is_side = low < high && (high - low).is_finite();
            if !is_side {
                return Err(DomainError::BadNumber {
                    what: format!("the upper bound of coordinate {}", l + 1),
                    value: *high,
                    remedy: "bounds are finite, the upper larger than the lower",
                });
            }
        }
        Ok(Predicate { membership, bounds })
    }

    /// For each of the rows, whether it lies inside. The function is asked only of places in the box.
    fn inside(&self, rows: &[f64]) -> Vec<bool> {
        let dimension = self.bounds.len();
        let is_in_box =
            |row: &[f64]| row.iter().zip(&self.bounds).all(|(x, (low, high))| low <= x && x <= high);
        let mut found: Vec<bool> = rows.chunks_exact(dimension).map(is_in_box).collect();
        let asked: Vec<f64> = rows
            .chunks_exact(dimension)
            .zip(&found)
            .filter(|(_, in_box)| **in_box)
            .flat_map(|(row, _)| row.to_vec())
            .collect();
        if asked.is_empty() {
            return found;
        }
        let answers = Points::new(asked, dimension).map(|points| self.membership.are_inside(&points));
        let mut answers = answers.unwrap_or_default().into_iter();
        for known in found.iter_mut().filter(|known| **known) {
            *known = answers.next().unwrap_or(false);
        }
        found
    }

    /// Where membership changes between pairs of places, one inside and one outside, to the last bit; inside.
    fn crossings(&self, mut inside: Vec<f64>, mut outside: Vec<f64>) -> Vec<f64> {
        let dimension = self.bounds.len();
        for _ in 0..HALVINGS {
            let middles: Vec<f64> = inside.iter().zip(&outside).map(|(a, b)| 0.5 * a + 0.5 * b).collect();
            if middles.iter().zip(inside.iter().zip(&outside)).all(|(m, (a, b))| m == a || m == b) {
                break;
            }
            let answers = self.inside(&middles);
            for (k, is_inside) in answers.into_iter().enumerate() {
                let row = k * dimension..(k + 1) * dimension;
                let side = if is_inside { &mut inside } else { &mut outside };
                side[row.clone()].copy_from_slice(&middles[row]);
            }
        }
        inside
    }

    /// Where runs of places, each of `length`, enter or leave the set.
    fn changes(&self, places: &[f64], length: usize) -> Vec<f64> {
        let (inside, outside) = self.pairs(places, length);
        self.crossings(inside, outside)
    }

    /// The neighbours in runs of places, each of `length`, of which one is inside and one outside.
    fn pairs(&self, places: &[f64], length: usize) -> (Vec<f64>, Vec<f64>) {
        let dimension = self.bounds.len();
        let answers = self.inside(places);
        let row = |k: usize| &places[k * dimension..(k + 1) * dimension];
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for k in (1..answers.len()).filter(|k| k % length != 0 && answers[*k] != answers[k - 1]) {
            let (within, beyond) = if answers[k] { (k, k - 1) } else { (k - 1, k) };
            inside.extend_from_slice(row(within));
            outside.extend_from_slice(row(beyond));
        }
        (inside, outside)
    }

    /// The places of some random lines through the box, in its units uniform and without a direction.
    fn lines(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let dimension = self.bounds.len();
        let reach = 0.5 * (dimension as f64).sqrt();
        let half = 0.5 + BEYOND;
        let mut places = Vec::new();
        for _ in 0..LINES {
            let unit = |v: Vec<f64>| {
                let length = Norm::Two.of(&v);
                v.into_iter().map(|v| v / length).collect::<Vec<f64>>()
            };
            let draw = |rng: &mut ChaCha8Rng| (0..dimension).map(|_| StandardNormal.sample(rng)).collect();
            let along: Vec<f64> = unit(draw(rng));
            let across: Vec<f64> = draw(rng);
            let product: f64 = across.iter().zip(&along).map(|(a, b)| a * b).sum();
            let across = unit(across.iter().zip(&along).map(|(a, b)| a - product * b).collect());
            let far = reach * rng.random::<f64>().powf(1.0 / (dimension as f64 - 1.0));
            let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
            for (v, a) in along.iter().zip(&across) {
                let ends = [(-half - far * a) / v, (half - far * a) / v];
                (from, to) = (from.max(ends[0].min(ends[1])), to.min(ends[0].max(ends[1])));
            }
            // Also where a direction is degenerate.
            let meets = from < to && (to - from).is_finite();
            for step in 0..if meets { STEPS + 1 } else { 0 } {
                let t = from + (to - from) * (step as f64 / STEPS as f64);
                let sides = along.iter().zip(&across).zip(&self.bounds);
                places.extend(
                    sides.map(|((v, a), (low, high))| {
                        0.5 * low + 0.5 * high + (high - low) * (far * a + t * v)
                    }),
                );
            }
        }
        places
    }

    /// The heights above some places, along directions towards the inside, at which the set begins.
    fn heights(&self, starts: &[Vec<f64>], inwards: &[&[f64]], reach: f64) -> Vec<Option<f64>> {
        let at = |heights: &[f64]| -> Vec<f64> {
            let places = starts.iter().zip(inwards).zip(heights);
            places.flat_map(|((start, v), h)| start.iter().zip(*v).map(move |(x, v)| x + h * v)).collect()
        };
        let (mut low, mut high) = (vec![-reach; starts.len()], vec![reach; starts.len()]);
        let (below, above) = (self.inside(&at(&low)), self.inside(&at(&high)));
        for _ in 0..HEIGHT_HALVINGS {
            let middle: Vec<f64> = low.iter().zip(&high).map(|(a, b)| 0.5 * (a + b)).collect();
            for (k, is_inside) in self.inside(&at(&middle)).into_iter().enumerate() {
                *(if is_inside { &mut high[k] } else { &mut low[k] }) = middle[k];
            }
        }
        let found = below.into_iter().zip(above).zip(low.into_iter().zip(high));
        found.map(|((below, above), (a, b))| (!below && above).then_some(0.5 * (a + b))).collect()
    }

    /// Unit vectors towards the inside at boundary points, by the planes through places nearby where membership
    /// changes: the same search as for any domain, for many points at once.
    fn perpendiculars(&self, rows: &[&[f64]], step: f64) -> Vec<Option<Vec<f64>>> {
        let dimension = self.bounds.len();
        let moved = |x: &[f64], v: &[f64], by: f64| -> Vec<f64> {
            x.iter().zip(v).map(|(x, v)| x + by * v).collect()
        };
        let axis = |l: usize| -> Vec<f64> { (0..dimension).map(|k| f64::from(u8::from(k == l))).collect() };
        let around: Vec<f64> = rows
            .iter()
            .flat_map(|x| (0..dimension).flat_map(move |l| [step, -step].map(|by| moved(x, &axis(l), by))))
            .flatten()
            .collect();
        let sides: Vec<f64> = self
            .inside(&around)
            .chunks_exact(2)
            .map(|s| f64::from(i8::from(s[0]) - i8::from(s[1])))
            .collect();
        let mut normals: Vec<Option<Vec<f64>>> =
            sides.chunks_exact(dimension).map(|v| scaled_to_unit(v.to_vec())).collect();
        let reach = 2.0 * step * (dimension as f64).sqrt();
        for pass in 1..=PASSES {
            let known: Vec<usize> = (0..rows.len()).filter(|k| normals[*k].is_some()).collect();
            let bases: Vec<Vec<Vec<f64>>> =
                known.iter().map(|k| plane_basis(normals[*k].as_deref().unwrap_or_default())).collect();
            let mut tilted: Vec<Option<Vec<f64>>> = known.iter().map(|k| normals[*k].clone()).collect();
            for t in 0..dimension - 1 {
                let both = [step, -step].map(|by| {
                    let starts: Vec<Vec<f64>> =
                        known.iter().zip(&bases).map(|(k, basis)| moved(rows[*k], &basis[t], by)).collect();
                    let inwards: Vec<&[f64]> =
                        known.iter().map(|k| normals[*k].as_deref().unwrap_or_default()).collect();
                    self.heights(&starts, &inwards, reach)
                });
                for (i, tilted) in tilted.iter_mut().enumerate() {
                    let (Some(ahead), Some(behind)) = (both[0][i], both[1][i]) else {
                        *tilted = None;
                        continue;
                    };
                    let slope = (ahead - behind) / (2.0 * step);
                    let bends = slope.abs() > LARGEST_BEND || (ahead + behind).abs() > LARGEST_BEND * step;
                    match tilted {
                        Some(_) if pass == PASSES && bends => *tilted = None,
                        Some(normal) => {
                            normal.iter_mut().zip(&bases[i][t]).for_each(|(n, v)| *n -= slope * v);
                        }
                        None => {}
                    }
                }
            }
            for (k, tilted) in known.into_iter().zip(tilted) {
                normals[k] = tilted.and_then(scaled_to_unit);
            }
        }
        normals
    }
}

fn scaled_to_unit(mut direction: Vec<f64>) -> Option<Vec<f64>> {
    let length = Norm::Two.of(&direction);
    direction.iter_mut().for_each(|v| *v /= length);
    (length > 0.0 && length.is_finite()).then_some(direction)
}

impl Domain for Predicate {
    fn describe(&self) -> String {
        self.membership.describe()
    }

    fn dimension(&self) -> usize {
        self.bounds.len()
    }

    fn contains(&self, x: &[f64]) -> bool {
        self.inside(x).first().copied().unwrap_or(false)
    }

    fn contains_all(&self, points: &Points) -> Vec<bool> {
        self.inside(points.values())
    }

    fn has_distance(&self) -> bool {
        false
    }

    fn distance_to_boundary(&self, _: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(f64::NAN);
        f64::NAN
    }

    fn sections(&self, x: &[f64], axis: usize, window: (f64, f64)) -> Vec<(f64, f64)> {
        // Beyond the box there is nothing, and its ends are seen from outside.
        let side = self.bounds[axis];
        let margin = BEYOND * (side.1 - side.0);
        let (low, high) = (window.0.max(side.0 - margin), window.1.min(side.1 + margin));
        if low >= high {
            return Vec::new();
        }
        let at = |value: f64| {
            let mut place = x.to_vec();
            place[axis] = value;
            place
        };
        let values = (0..=STEPS).map(|k| low + (high - low) * (k as f64 / STEPS as f64));
        let changes = self.changes(&values.flat_map(at).collect::<Vec<f64>>(), STEPS + 1);
        let mut ends: Vec<f64> = changes.chunks_exact(x.len()).map(|row| row[axis]).collect();
        if self.contains(&at(low)) {
            ends.insert(0, low);
        }
        if self.contains(&at(high)) {
            ends.push(high);
        }
        ends.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
    }

    fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
        match Points::new(x, x.len())
            .map(|point| self.normals(&point))
            .ok()
            .and_then(|mut found| found.pop()?)
        {
            Some(found) => {
                normal.copy_from_slice(&found);
                true
            }
            None => false,
        }
    }

    fn normals(&self, points: &Points) -> Vec<Option<Vec<f64>>> {
        if self.bounds.len() == 1 {
            return vec![Some(vec![1.0]); points.len()];
        }
        let shortest = self.bounds.iter().map(|(low, high)| high - low).fold(f64::INFINITY, f64::min);
        let mut found = vec![None; points.len()];
        for step in NEARBY {
            let missing: Vec<usize> = (0..points.len()).filter(|k| found[*k].is_none()).collect();
            let rows: Vec<&[f64]> = missing.iter().map(|k| points.row(*k)).collect();
            for (k, normal) in missing.into_iter().zip(self.perpendiculars(&rows, step * shortest)) {
                found[k] = normal;
            }
        }
        found
    }

    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        let dimension = self.dimension();
        check_count(sampling.count, dimension)?;
        let nowhere = || DomainError::NoBoundaryFound {
            domain: self.describe(),
            remedy: "give bounds that are close around it",
        };
        if let [(low, high)] = self.bounds.as_slice() {
            let (margin, width) = (BEYOND * (high - low), (1.0 + 2.0 * BEYOND) * (high - low));
            let places = (0..=LINE_CELLS).map(|k| low - margin + width * (k as f64 / LINE_CELLS as f64));
            let ends = self.changes(&places.collect::<Vec<f64>>(), LINE_CELLS + 1);
            return if ends.is_empty() { Err(nowhere()) } else { from_rows(ends, 1, self) };
        }
        if sampling.scheme != BoundaryScheme::Uniform {
            return Err(no_such_scheme(self, sampling.scheme));
        }
        let is_for_choice = sampling.candidates_within.is_some();
        let wanted = if is_for_choice { sampling.count } else { candidates_for(sampling.count) };
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        let mut followed = 0;
        while inside.len() < wanted * dimension && followed < MOST_LINES.max(wanted) {
            let (within, beyond) = self.pairs(&self.lines(rng), STEPS + 1);
            inside.extend(within);
            outside.extend(beyond);
            followed += LINES;
        }
        if inside.is_empty() {
            return Err(nowhere());
        }
        inside.truncate(wanted * dimension);
        outside.truncate(wanted * dimension);
        let mut found = self.crossings(inside, outside);
        if !is_for_choice {
            found = spread(found, dimension, sampling.count);
        }
        from_rows(found, dimension, self)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.bounds.clone()
    }

    fn may_miss_parts(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::domain::{Ball, Complement, Intersection, Union, conformance};
    use crate::random::stream;

    /// A set with a count of the calls.
    struct Set(fn(&[f64]) -> bool, AtomicUsize);

    impl Debug for Set {
        fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str("Set")
        }
    }

    impl Membership for Set {
        fn describe(&self) -> String {
            "set".into()
        }

        fn are_inside(&self, points: &Points) -> Vec<bool> {
            self.1.fetch_add(1, Ordering::Relaxed);
            points.rows().map(self.0).collect()
        }
    }

    fn set(inside: fn(&[f64]) -> bool, bounds: &[(f64, f64)]) -> (Predicate, Arc<Set>) {
        let set = Arc::new(Set(inside, AtomicUsize::new(0)));
        (Predicate::new(set.clone(), bounds.to_vec()).unwrap(), set)
    }

    fn near(dimension: usize) -> Points<'static> {
        let mut rng = stream(5, dimension as u64);
        let values: Vec<f64> = (0..60 * dimension).map(|_| 3.0 * (rng.random::<f64>() - 0.5)).collect();
        Points::new(values, dimension).unwrap()
    }

    fn length(x: &[f64]) -> f64 {
        Norm::Two.of(x)
    }

    #[test]
    fn predicates_conform() {
        let wide = (-2.0, 2.0);
        let sets = [
            set(|x| x[0].abs() < 1.0 && x[0].abs() > 0.3, &[wide]).0,
            set(|x| length(x) <= 1.1, &[wide; 2]).0,
            // Cut off by the box.
            set(|x| length(x) <= 1.1, &[(-0.9, 2.0), (-1.2, 0.8)]).0,
            set(|x| x[0] * x[0] + 2.0 * x[1] * x[1] + x[2] * x[2] < 1.2, &[wide; 3]).0,
            set(|x| length(x) <= 1.2, &[wide; 5]).0,
        ];
        for set in sets {
            assert_eq!(conformance::check(&set, &near(set.dimension())), Ok(()));
            let ball: Arc<dyn Domain> = Arc::new(Ball::new(0.7).unwrap().in_dimension(set.dimension()));
            let dimension = set.dimension();
            let parts = vec![Arc::new(set) as Arc<dyn Domain>, ball];
            let outside = Complement::new(parts[0].clone());
            assert_eq!(conformance::check(&outside, &near(dimension)), Ok(()));
            let combined: [&dyn Domain; 2] =
                [&Intersection::new(parts.clone()).unwrap(), &Union::new(parts).unwrap()];
            for domain in combined {
                assert_eq!(conformance::check(domain, &near(dimension)), Ok(()));
                let one_by_one: Vec<bool> = near(dimension).rows().map(|x| domain.contains(x)).collect();
                assert_eq!(domain.contains_all(&near(dimension)), one_by_one);
            }
        }
    }

    /// On a sphere a coordinate is uniform, so that its square has mean 1/3.
    #[test]
    fn boundary_points_are_even_and_cheap() {
        let (ball, asked) = set(|x| length(x) <= 1.0, &[(-1.5, 1.5), (-1.2, 1.2), (-3.0, 2.0)]);
        let points = ball.sample_boundary(&BoundarySampling::new(500), &mut stream(1, 0)).unwrap();
        assert_eq!(points.len(), 500);
        for l in 0..3 {
            let square = points.rows().map(|x| x[l] * x[l]).sum::<f64>() / 500.0;
            assert!((square - 1.0 / 3.0).abs() < 0.02, "{l}: {square}");
        }
        let calls = asked.1.swap(0, Ordering::Relaxed);
        assert!(calls < 300, "{calls} calls");
        let normals = ball.normals(&points);
        assert!(asked.1.load(Ordering::Relaxed) < 1000);
        for (x, normal) in points.rows().zip(normals) {
            let cosine: f64 = normal.unwrap().iter().zip(x).map(|(n, x)| n * x).sum();
            assert!((cosine.abs() - 1.0).abs() < 1e-6, "{cosine}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let message = |bounds: &[(f64, f64)]| {
            Predicate::new(Arc::new(Set(|_| true, AtomicUsize::new(0))), bounds.to_vec())
                .unwrap_err()
                .to_string()
        };
        assert!(message(&[(0.0, 1.0), (0.0, f64::INFINITY)]).contains("coordinate 2"));
        assert!(message(&[(1.0, 0.0)]).contains("upper larger than the lower"));
        assert!(message(&[]).contains("box"));
        let (nothing, _) = set(|_| false, &[(0.0, 1.0); 2]);
        let error = nothing.sample_boundary(&BoundarySampling::new(5), &mut stream(0, 0)).unwrap_err();
        assert!(error.to_string().contains("bounds that are close"), "{error}");
        let even = BoundarySampling::new(5).scheme(BoundaryScheme::Even);
        let (disc, _) = set(|x| length(x) < 1.0, &[(-2.0, 2.0); 2]);
        assert!(disc.sample_boundary(&even, &mut stream(0, 0)).is_err());
    }
}

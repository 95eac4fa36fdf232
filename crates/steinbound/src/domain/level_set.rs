use num_dual::Dual64;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::bisection::crossing;
use super::crossing_normal::{changes_across, extent, normal_by_crossings};
use super::extent::{self as search, Extent};
use super::isolines::{Curve, trace};
use super::rays::exits;
use super::spread::{candidates_for, spread};
use super::{
    BoundarySampling, BoundaryScheme, Domain, Norm, check_count, from_rows, no_such_scheme, sampling_window,
    scanned_sections,
};
use crate::error::DomainError;
use crate::expression::{Expression, shown};
use crate::points::{Points, squared_distance};

/// The set where a formula is zero or negative, such as `x1^2 + x2^2 - 1`.
///
/// # Definition
///
/// `{x: f(x) <= 0}`; where `f` is not a number, `x` is outside. There is no formula for the distance to the
/// boundary, so methods that need it use the distance to the nearest boundary point.
///
/// # Requirements
///
/// Boundary points are found numerically. On the line: all places where membership changes on a grid of 8192
/// cells. In the plane: the curves of a grid of 400 by 400 cells, along which points are drawn by arc length.
/// In more dimensions: points where rays from inside leave the set, thinned to those far from each other. The
/// set is searched for about the origin on scales from `2^-10` to `2^12`; parts much smaller than the whole,
/// or far from it, can be missed. A set that is unbounded, depends on more than 32 coordinates, or is not
/// found needs points near which to sample.
///
/// # Complexity
///
/// About `10^5` evaluations of the formula to find the set, and `2 10^5` (plane) or `500` for each point
/// (space) to sample it.
///
/// ```
/// use steinbound::domain::{BoundarySampling, Domain, LevelSet};
/// use steinbound::simulate::stream;
/// let heart = LevelSet::parse("x1^2 + (x2 - (x1^2)^(1/3))^2 - 1", 2)?;
/// assert!(heart.contains(&[0.5, 0.5]) && !heart.contains(&[0.0, 1.2]));
/// let edge = heart.sample_boundary(&BoundarySampling::new(50), &mut stream(0, 1))?;
/// assert_eq!(edge.len(), 50);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LevelSet {
    expression: Expression,
    dimension: usize,
    extent: Extent,
}

/// The number of grid cells on the line, and along each axis in the plane.
const LINE_CELLS: usize = 8192;
const PLANE_CELLS: usize = 400;

/// The number of draws in the window to find points inside, from which rays start.
const WINDOW_DRAWS: usize = 4096;

/// The number of given points that are tried as starts of rays.
const NEAR_STARTS: usize = 2000;

/// The distance to either side of a boundary point at which its direction is checked, as a share of the
/// extent.
const BESIDE: f64 = 1e-6;

impl LevelSet {
    /// The set where the formula is zero or negative; its variables are the coordinates in order.
    pub fn new(expression: Expression, dimension: usize) -> Result<LevelSet, DomainError> {
        let (used, compact) = expression.compact();
        let least = used.last().map_or(0, |v| v + 1);
        if dimension == 0 || least > dimension {
            return Err(DomainError::WrongDimension {
                what: "the formula",
                found: least,
                expected: dimension.max(1),
            });
        }
        // The search takes place in the coordinates that matter; along the others the set is infinite.
        let core = LevelSet { expression: compact, dimension: used.len(), extent: Extent::default() };
        let found = search::find(&core);
        let mut bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); dimension];
        used.iter().zip(found.bounds).for_each(|(l, side)| bounds[*l] = side);
        let seed = |x: Vec<f64>| {
            let mut seed = vec![0.0; dimension];
            used.iter().zip(x).for_each(|(l, v)| seed[*l] = v);
            seed
        };
        let seeds = found.seeds.into_iter().map(seed).collect();
        Ok(LevelSet { expression, dimension, extent: Extent { bounds, seeds } })
    }

    /// The set where a formula in `x1`, `x2`, .. is zero or negative.
    pub fn parse(text: &str, dimension: usize) -> Result<LevelSet, DomainError> {
        let names: Vec<String> = (1..=dimension).map(|l| format!("x{l}")).collect();
        LevelSet::new(Expression::parse(text, &names)?, dimension)
    }

    /// The formula.
    pub fn expression(&self) -> &Expression {
        &self.expression
    }

    /// The value of the formula.
    pub(super) fn value(&self, x: &[f64]) -> f64 {
        self.expression.evaluate(x)
    }

    /// The gradient of the formula.
    pub(super) fn gradient(&self, x: &[f64], gradient: &mut [f64]) {
        let mut place: Vec<Dual64> = x.iter().map(|v| Dual64::from_re(*v)).collect();
        for (l, g) in gradient.iter_mut().enumerate() {
            place[l].eps = 1.0;
            *g = self.expression.evaluate(&place).eps;
            place[l].eps = 0.0;
        }
    }

    /// All places on the line where membership changes.
    fn ends(&self, window: (f64, f64)) -> Vec<f64> {
        let sections = scanned_sections(|x| self.contains(x), &[0.0], 0, window, LINE_CELLS);
        let ends = sections.into_iter().flat_map(|(low, high)| [low, high]);
        // Where the window cuts the set, there is no boundary.
        ends.filter(|end| *end != window.0 && *end != window.1).collect()
    }

    /// Points along curves, at random or even places.
    fn along(&self, curves: &[Curve], sampling: &BoundarySampling, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let pieces: Vec<(&[f64], &[f64])> = curves
            .iter()
            .flat_map(|curve| curve.windows(2))
            .map(|pair| (pair[0].as_slice(), pair[1].as_slice()))
            .collect();
        let mut total = 0.0;
        let ends: Vec<f64> = pieces
            .iter()
            .map(|(a, b)| {
                total += squared_distance(a, b).sqrt();
                total
            })
            .collect();
        let mut values = Vec::with_capacity(2 * sampling.count);
        for k in 0..sampling.count {
            let share = match sampling.scheme {
                BoundaryScheme::Even => (k as f64 + 0.5) / sampling.count as f64,
                _ => rng.random::<f64>(),
            };
            let mark = share * total;
            let piece = ends.partition_point(|end| *end <= mark).min(pieces.len() - 1);
            let (a, b) = pieces[piece];
            let length = squared_distance(a, b).sqrt();
            let rest = if length > 0.0 { ((ends[piece] - mark) / length).clamp(0.0, 1.0) } else { 0.0 };
            let place = [b[0] + rest * (a[0] - b[0]), b[1] + rest * (a[1] - b[1])];
            // If no boundary point is found beside a piece, it lies at a corner: its end is on the boundary.
            values.extend(self.settle(&place, [b[1] - a[1], a[0] - b[0]]).unwrap_or_else(|| b.to_vec()));
        }
        values
    }

    /// The boundary point beside the middle of a short piece, along the gradient or else across the piece.
    fn settle(&self, place: &[f64; 2], across: [f64; 2]) -> Option<Vec<f64>> {
        let inside = self.contains(place);
        let reach = across[0].hypot(across[1]);
        let mut gradient = [0.0; 2];
        self.gradient(place, &mut gradient);
        let directions = [gradient, across].map(|[a, b]| {
            let length = a.hypot(b);
            [a / length, b / length]
        });
        for power in -12..=0 {
            for direction in directions.iter().filter(|d| d.iter().all(|v| v.is_finite())) {
                // Outside is uphill.
                let uphill = if inside { 1.0 } else { -1.0 };
                for sign in [uphill, -uphill] {
                    let t = sign * reach * 2f64.powi(power);
                    let moved = [place[0] + t * direction[0], place[1] + t * direction[1]];
                    if self.contains(&moved) != inside {
                        let (within, beyond) = if inside { (place, &moved) } else { (&moved, place) };
                        return Some(crossing(|x| self.contains(x), within, beyond));
                    }
                }
            }
        }
        None
    }

    /// Points inside a window, from which rays can start: given ones, those of the first search, and draws in
    /// the window.
    fn starts(
        &self,
        window: &[(f64, f64)],
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Vec<Vec<f64>> {
        let in_window = |x: &[f64]| x.iter().zip(window).all(|(x, (low, high))| low <= x && x <= high);
        let mut starts: Vec<Vec<f64>> = Vec::new();
        if let Some(near) = sampling.near.filter(|near| near.dimension() == self.dimension) {
            let rows = near.rows().step_by(near.len().div_ceil(NEAR_STARTS).max(1));
            starts.extend(rows.filter(|x| in_window(x) && self.contains(x)).map(<[f64]>::to_vec));
        }
        starts.extend(self.extent.seeds.iter().filter(|x| in_window(x)).cloned());
        for _ in 0..WINDOW_DRAWS {
            let draw: Vec<f64> =
                window.iter().map(|(low, high)| low + (high - low) * rng.random::<f64>()).collect();
            if self.contains(&draw) {
                starts.push(draw);
            }
        }
        starts
    }
}

impl Domain for LevelSet {
    fn describe(&self) -> String {
        format!("level set {} <= 0", shown(self.expression.text().trim()))
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn contains(&self, x: &[f64]) -> bool {
        self.value(x) <= 0.0
    }

    fn has_distance(&self) -> bool {
        false
    }

    fn distance_to_boundary(&self, _: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(f64::NAN);
        f64::NAN
    }

    /// The gradient of the formula if membership changes along it; otherwise, as where a term stops being a
    /// number, that of nearby boundary places.
    fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
        let mut uphill = vec![0.0; x.len()];
        self.gradient(x, &mut uphill);
        let length = Norm::Two.of(&uphill);
        uphill.iter_mut().for_each(|v| *v /= length);
        let contains = |x: &[f64]| self.contains(x);
        let step = BESIDE * extent(&self.extent.bounds, x);
        // Where the formula has no slope, this is not a direction, and along it membership does not change.
        let changes = uphill.iter().all(|v| v.is_finite()) && changes_across(contains, x, &uphill, step);
        if changes {
            normal.copy_from_slice(&uphill);
        }
        changes || normal_by_crossings(contains, &self.extent.bounds, x, normal)
    }

    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        check_count(sampling.count, self.dimension)?;
        let exists = match sampling.scheme {
            BoundaryScheme::Uniform => true,
            BoundaryScheme::Even => self.dimension <= 2,
            BoundaryScheme::Radial => self.dimension == 1,
        };
        if !exists {
            return Err(no_such_scheme(self, sampling.scheme));
        }
        let nowhere = || DomainError::NoBoundaryFound {
            domain: self.describe(),
            remedy: "give data near it, or check the sign: the set is where the formula is negative",
        };
        if self.extent.seeds.is_empty() && sampling.near.is_none() {
            return Err(nowhere());
        }
        let mut window = sampling_window(self, sampling)?;
        if let (Some(margin), 2..) = (sampling.candidates_within, self.dimension) {
            let extent = sampling.near_points(self)?.bounds();
            for (side, ((low, high), by)) in window.iter_mut().zip(extent.into_iter().zip(margin)) {
                let (low, high) = (low - by, high + by);
                // Without an overlap no boundary is near, and any window serves.
                if side.0 < high && low < side.1 {
                    *side = (side.0.max(low), side.1.min(high));
                }
            }
        }
        let values = match window.as_slice() {
            [side] => self.ends(*side),
            [first, second] => {
                let curves = trace(|x| self.contains(x), [*first, *second], PLANE_CELLS);
                if curves.iter().all(|curve| curve.len() < 2) {
                    return Err(nowhere());
                }
                self.along(&curves, sampling, rng)
            }
            _ => {
                let starts = self.starts(&window, sampling, rng);
                let candidates =
                    |wanted, rng: &mut _| exits(|x| self.contains(x), &window, &starts, wanted, rng);
                match sampling.candidates_within {
                    Some(_) => candidates(sampling.count, rng),
                    None => spread(
                        candidates(candidates_for(sampling.count), rng),
                        self.dimension,
                        sampling.count,
                    ),
                }
            }
        };
        if values.is_empty() {
            return Err(nowhere());
        }
        from_rows(values, self.dimension, self)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.extent.bounds.clone()
    }

    fn may_miss_parts(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, conformance, coverage};
    use crate::random::stream;
    use rand_distr::{Distribution, StandardNormal};

    fn set(text: &str, dimension: usize) -> LevelSet {
        LevelSet::parse(text, dimension).unwrap()
    }

    fn sample(set: &LevelSet, sampling: &BoundarySampling) -> Points<'static> {
        set.sample_boundary(sampling, &mut stream(7, 1)).unwrap()
    }

    fn near(dimension: usize) -> Points<'static> {
        let mut rng = stream(5, dimension as u64);
        let values: Vec<f64> = (0..60 * dimension).map(|_| StandardNormal.sample(&mut rng)).collect();
        Points::new(values, dimension).unwrap()
    }

    /// Within the margin of the truth, and never inside it by more than a hundredth of the width.
    fn expect_bounds(set: &LevelSet, expected: &[(f64, f64)]) {
        for (found, truth) in set.bounds().iter().zip(expected) {
            let width = if truth.1 - truth.0 < f64::INFINITY { truth.1 - truth.0 } else { 1e6 };
            let close = |found: f64, truth: f64, outwards: f64| {
                found == truth || (-0.01..0.05).contains(&(outwards * (found - truth) / width))
            };
            assert!(
                close(found.0, truth.0, -1.0) && close(found.1, truth.1, 1.0),
                "{}: {found:?}, not {truth:?}",
                set.describe()
            );
        }
    }

    const HEART: &str = "x1^2 + (x2 - (x1^2)^(1/3))^2 - 1";
    const INFINITY: f64 = f64::INFINITY;

    #[test]
    fn every_level_set_conforms() {
        let table = [
            ("x1^2 + x2^2 - 1", 2),
            (HEART, 2),
            ("max(x1^2 + x2^2 - 4, 1 - x1^2 - x2^2)", 2),
            ("x1^2 - x2", 2),
            ("max(-x1, -x2, x1 + x2 - 1)", 2),
            ("max(-x1, -x2, -x3, x1 + x2 + x3 - 1)", 3),
            ("x1^2 + x2^2 + x3^2 - 2", 3),
            ("x1^2 + x2^2 + x3^2 + x4^2 + x5^2 - 1", 5),
            ("(x1^2 - 1)*(x1^2 - 4)", 1),
            ("log(x1)", 1),
            ("sqrt(x1) - x2", 2),
            ("(x1 - 300)^2 + (x2 + 200)^2 - 0.01", 2),
            ("1 - x1^2 - x2^2 - x3^2", 3),
            ("x2", 3),
        ];
        for (text, dimension) in table {
            assert_eq!(conformance::check(&set(text, dimension), &near(dimension)), Ok(()), "{text}");
        }
    }

    #[test]
    fn bounds_are_found() {
        expect_bounds(&set("x1^2 + x2^2 - 1", 2), &[(-1.0, 1.0); 2]);
        expect_bounds(&set("x1^2 + x2^2 - 1e10", 2), &[(-1e5, 1e5); 2]);
        expect_bounds(&set("(x1 - 3)^2 + (x2 + 50)^2 - 1e-4", 2), &[(2.99, 3.01), (-50.01, -49.99)]);
        expect_bounds(&set("x1^2 - x2", 2), &[(-INFINITY, INFINITY), (0.0, INFINITY)]);
        expect_bounds(&set("exp(x1) + exp(-x1) - x2", 2), &[(-INFINITY, INFINITY), (2.0, INFINITY)]);
        expect_bounds(&set("1 - x1", 1), &[(1.0, INFINITY)]);
        expect_bounds(&set("(x1^2 - 1)*(x1^2 - 4)", 1), &[(-2.0, 2.0)]);
        expect_bounds(&set("x2^2 - 1", 3), &[(-INFINITY, INFINITY), (-1.0, 1.0), (-INFINITY, INFINITY)]);
        expect_bounds(&set("x1^2 + x2^2 + x3^2 + x4^2 + x5^2 - 1", 5), &[(-1.0, 1.0); 5]);
        expect_bounds(&set("max(-x1, -x2, -x3, -x4, -x5, x1 + x2 + x3 + x4 + x5 - 1)", 5), &[(0.0, 1.0); 5]);
        let far = "(x1 - 3)^2 + (x2 - 3)^2 + (x3 - 3)^2 + (x4 - 3)^2 + (x5 - 3)^2 - 1";
        expect_bounds(&set(far, 5), &[(2.0, 4.0); 5]);
        expect_bounds(&set("1", 2), &[(-INFINITY, INFINITY); 2]);
        expect_bounds(&set("(x1 - 77)^2 + x2^2 - 1e-14", 2), &[(77.0 - 1e-7, 77.0 + 1e-7), (-1e-7, 1e-7)]);
        expect_bounds(&set("x1^2/1e6 + 1e6*x2^2 - 1", 2), &[(-1e3, 1e3), (-1e-3, 1e-3)]);
    }

    /// The angles of points on a circle are uniform: Kolmogorov-Smirnov, at its 0.1 % point.
    #[test]
    fn circles_are_sampled_uniformly() {
        let circle = set("(x1 - 0.3)^2 + (x2 + 2)^2 - 4", 2);
        let count = 2000;
        let points = sample(&circle, &BoundarySampling::new(count));
        let mut turns: Vec<f64> = points
            .rows()
            .map(|x| {
                assert!(((x[0] - 0.3).hypot(x[1] + 2.0) - 2.0).abs() < 1e-14);
                (x[1] + 2.0).atan2(x[0] - 0.3) / (2.0 * std::f64::consts::PI) + 0.5
            })
            .collect();
        turns.sort_by(f64::total_cmp);
        let gap = |(i, t): (usize, &f64)| (t - (i as f64 + 0.5) / count as f64).abs();
        let distance = turns.iter().enumerate().map(gap).fold(0.0, f64::max);
        assert!(distance < 1.95 / (count as f64).sqrt(), "{distance}");
        let even = sample(&circle, &BoundarySampling::new(12).scheme(BoundaryScheme::Even));
        for i in 0..12 {
            let chord = squared_distance(even.row(i), even.row((i + 1) % 12)).sqrt();
            assert!((chord - 4.0 * (std::f64::consts::PI / 12.0).sin()).abs() < 2e-3, "{chord}");
        }
    }

    #[test]
    fn curves_share_points_by_length() {
        // Radii 1 and 3: a quarter of the points on the inner circle.
        let ring = set("max(x1^2 + x2^2 - 9, 1 - x1^2 - x2^2)", 2);
        let points = sample(&ring, &BoundarySampling::new(4000));
        let inner = points.rows().filter(|x| (x[0].hypot(x[1]) - 1.0).abs() < 1e-12).count();
        let outer = points.rows().filter(|x| (x[0].hypot(x[1]) - 3.0).abs() < 1e-12).count();
        assert_eq!(inner + outer, 4000);
        assert!((inner as f64 / 4000.0 - 0.25).abs() < 4.0 * (0.25f64 * 0.75 / 4000.0).sqrt(), "{inner}");
    }

    #[test]
    fn spheres_are_covered_evenly() {
        for (text, dimension) in [("x1^2 + x2^2 + x3^2 - 4", 3), ("x1^2 + x2^2 + x3^2 + x4^2 + x5^2 - 4", 5)]
        {
            let sphere = set(text, dimension);
            let points = sample(&sphere, &BoundarySampling::new(300));
            assert_eq!(points.len(), 300);
            for x in points.rows() {
                assert!((x.iter().map(|v| v * v).sum::<f64>().sqrt() - 2.0).abs() < 1e-14);
            }
            let mean = points.mean();
            assert!(mean.iter().all(|m| m.abs() < 0.15), "{mean:?}");
        }
        // Discs about 100 points of a regular pattern cover the sphere at radius 0.22; greedy choice stays
        // below twice that, and 100 independent points need about 0.5.
        let points = sample(&set("x1^2 + x2^2 + x3^2 - 1", 3), &BoundarySampling::new(100));
        let ball = Ball::new(1.0).unwrap().in_dimension(3);
        let gap = coverage(&ball, &points).unwrap().fill_distance.unwrap();
        assert!(gap < 0.4, "{gap}");
    }

    #[test]
    fn the_line_gives_all_its_ends() {
        let points = sample(&set("(x1^2 - 1)*(x1^2 - 4)", 1), &BoundarySampling::new(1));
        assert_eq!(points.values(), &[-2.0, -1.0, 1.0, 2.0]);
        let near = Points::new(vec![3.0, 12.0], 1).unwrap();
        let waves = set("sin(x1)", 1);
        assert!(waves.sample_boundary(&BoundarySampling::new(9), &mut stream(0, 0)).is_err());
        let ends = sample(&waves, &BoundarySampling::new(9).near(&near));
        let turns: Vec<f64> = ends.values().iter().map(|x| (x / std::f64::consts::PI).round()).collect();
        assert_eq!(turns, [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn normals_follow_the_formula_or_membership() {
        let normal = |text: &str, x: &[f64]| {
            let mut normal = vec![f64::NAN; x.len()];
            set(text, x.len()).normal(x, &mut normal).then_some(normal)
        };
        let along = |normal: Option<Vec<f64>>, truth: &[f64]| {
            let product: f64 = normal.unwrap().iter().zip(truth).map(|(a, b)| a * b).sum();
            assert!((product.abs() / Norm::Two.of(truth) - 1.0).abs() < 1e-12, "{product} {truth:?}");
        };
        let ellipsoid = "x1^2 + 4*x2^2 + 9*x3^2 - 3";
        along(normal(ellipsoid, &[1.0, 0.5, 1.0 / 3.0]), &[1.0, 2.0, 3.0]);
        // Without a slope, with a slope of zero there, and where the formula ends.
        along(normal("sign(x1^2 + x2^2 - 25)", &[3.0, 4.0]), &[3.0, 4.0]);
        along(normal("(x1^2 + x2^2 - 25)^3", &[3.0, 4.0]), &[3.0, 4.0]);
        along(normal("sqrt(x1) - x2", &[0.0, 1.0]), &[1.0, 0.0]);
        along(normal("x2 + sqrt(1 - x1)/1e9 - 5", &[1.0, 2.0]), &[1.0, 0.0]);
        along(normal("x3^2 - 1", &[7.0, 8.0, -1.0]), &[0.0, 0.0, 1.0]);
        // At the kink of two terms, the direction of one of them.
        assert!(normal("max(-x1, -x2)", &[0.0, 0.0]).is_none_or(|n| n[0].abs() == 1.0 || n[1].abs() == 1.0));
        assert_eq!(normal("x1^2 + x2^2 - 1", &[0.0, 0.0]), None);
    }

    #[test]
    fn unbounded_sets_are_sampled_near_data() {
        let parabola = set("x1^2 - x2", 2);
        let error = parabola.sample_boundary(&BoundarySampling::new(9), &mut stream(0, 0)).unwrap_err();
        assert!(error.to_string().contains("unbounded"), "{error}");
        let near = Points::from_rows(&[[-1.0, 1.5], [1.0, 3.0]]).unwrap();
        let points = sample(&parabola, &BoundarySampling::new(200).near(&near));
        for x in points.rows() {
            assert!((x[1] - x[0] * x[0]).abs() < 1e-14 && x[0].abs() <= 1.5);
        }
        assert!(points.bounds()[0].0 < -1.4 && points.bounds()[0].1 > 1.4);
    }

    #[test]
    fn sets_that_are_not_found_need_data() {
        // A disc too small and too far away to be found by chance, and without a slope that leads to it.
        let speck = set("sign((x1 - 77.7)^2 + (x2 - 3.3)^2 - 1e-6)", 2);
        assert_eq!(speck.bounds(), vec![(-INFINITY, INFINITY); 2]);
        let error = speck.sample_boundary(&BoundarySampling::new(9), &mut stream(0, 0)).unwrap_err();
        assert!(error.to_string().contains("check the sign"), "{error}");
        let near = Points::from_rows(&[[77.6995, 3.3], [77.7005, 3.3005]]).unwrap();
        let points = sample(&speck, &BoundarySampling::new(50).near(&near));
        assert!(points.rows().all(|x| ((x[0] - 77.7).hypot(x[1] - 3.3) - 1e-3).abs() < 1e-9));
        let never = set("1 + x1^2 + x2^2 + x3^2", 3);
        let error = never.sample_boundary(&BoundarySampling::new(9), &mut stream(0, 0)).unwrap_err();
        assert!(error.to_string().contains("give data near it"), "{error}");
        let near = Points::from_rows(&[[0.0; 3], [1.0; 3]]).unwrap();
        assert!(never.sample_boundary(&BoundarySampling::new(9).near(&near), &mut stream(0, 0)).is_err());
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(LevelSet::parse("x1 + x3", 2).unwrap_err().to_string().contains("did you mean \"x1\""));
        assert!(LevelSet::parse("1", 0).is_err());
        let formula = Expression::parse("a + c", &["a", "b", "c"]).unwrap();
        assert!(LevelSet::new(formula.clone(), 2).is_err());
        assert_eq!(LevelSet::new(formula, 4).unwrap().dimension(), 4);
        // Coordinates that the formula does not use cost nothing.
        let wide = set("x9000^2 - 1", 10_000);
        expect_bounds(&wide, &[vec![(-INFINITY, INFINITY); 8999], vec![(-1.0, 1.0)]].concat());
        let radial = BoundarySampling::new(3).scheme(BoundaryScheme::Radial);
        assert!(set("x1^2 + x2^2 - 1", 2).sample_boundary(&radial, &mut stream(0, 0)).is_err());
        let mut gradient = [0.0; 2];
        assert!(
            !set("x1", 2).has_distance()
                && set("x1", 2).distance_to_boundary(&[1.0; 2], &mut gradient).is_nan()
        );
    }
}

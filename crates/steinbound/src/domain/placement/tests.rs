use std::sync::Arc;

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::*;
use crate::domain::{
    Ball, Complement, Cuboid, HalfSpace, Intersection, LevelSet, Limit, Norm, Polygon, ResponseLimits,
    contiguous_united_states,
};
use crate::points::squared_distance;
use crate::random::stream;

/// What a placement should be, whatever the domain.
struct Case<'a> {
    domain: &'a dyn Domain,
    data: Points<'static>,
    widths: Vec<f64>,
    spacing: f64,
    reach: f64,
    most: usize,
}

impl<'a> Case<'a> {
    fn new(domain: &'a dyn Domain, data: Points<'static>, widths: &[f64]) -> Case<'a> {
        Case { domain, data, widths: widths.to_vec(), spacing: 0.25, reach: 4.0, most: 5000 }
    }

    fn placement(&self) -> Placement<'_> {
        let Case { spacing, reach, most, .. } = *self;
        Placement { widths: &self.widths, near: &self.data, spacing, reach, most }
    }

    fn placed(&self) -> Placed {
        place(self.domain, &self.placement(), &mut stream(3, 1)).unwrap()
    }

    fn scaled(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&self.widths).map(|(x, w)| x / w).collect()
    }

    fn gap(&self, x: &[f64], others: &Points) -> f64 {
        let x = self.scaled(x);
        let squares = others.rows().map(|y| squared_distance(&x, &self.scaled(y)));
        squares.fold(f64::INFINITY, f64::min).sqrt()
    }

    /// Checks gaps and the reach; returns the points.
    fn check(&self, holes: f64) -> Placed {
        let name = self.domain.describe();
        let placed = self.placed();
        assert_eq!(placed, self.placed(), "{name} twice");
        assert!(placed.points.len() <= self.most && placed.spacing >= self.spacing);
        let mut closest = f64::INFINITY;
        for (i, x) in placed.points.rows().enumerate() {
            assert!(self.gap(x, &self.data) <= self.reach * (1.0 + 1e-12), "{name}: {x:?} is beyond reach");
            for y in placed.points.rows().take(i) {
                closest = closest.min(squared_distance(&self.scaled(x), &self.scaled(y)).sqrt());
            }
        }
        // Places on the boundary, near data and anywhere within reach.
        let dense = BoundarySampling::new(4000).near(&self.data);
        let places = self.domain.sample_boundary(&dense, &mut stream(9, 9)).unwrap();
        let (mut near, mut far) = (0.0f64, 0.0f64);
        for x in places.rows() {
            let gap = self.gap(x, &placed.points) / placed.spacing;
            match self.gap(x, &self.data) {
                distance if distance <= 1.0 => near = near.max(gap),
                // Distances to data are taken as up to a third of a bandwidth longer than they are.
                distance if distance <= self.reach - 0.5 => far = far.max(gap),
                _ => {}
            }
        }
        assert!(closest >= 0.55 * placed.spacing, "{name}: {closest}");
        assert!(near <= holes && far <= 3.0 * holes, "{name}: {near} {far}");
        placed
    }
}

/// Holes are half as large as gaps.
const EVEN: f64 = 0.75;

fn inside(domain: &dyn Domain, count: usize, center: &[f64], spread: f64) -> Points<'static> {
    let mut rng = stream(1, 0);
    let mut values = Vec::new();
    while values.len() < count * center.len() {
        let draw = |c: &f64, rng: &mut ChaCha8Rng| {
            let z: f64 = StandardNormal.sample(rng);
            c + spread * z
        };
        let x: Vec<f64> = center.iter().map(|c| draw(c, &mut rng)).collect();
        if domain.contains(&x) {
            values.extend(x);
        }
    }
    Points::new(values, center.len()).unwrap()
}

fn polygon(rings: &[&[[f64; 2]]]) -> Polygon {
    Polygon::new(rings.iter().map(|ring| ring.to_vec()).collect()).unwrap()
}

#[test]
fn discs_and_boxes_are_even() {
    let disc = Ball::new(2.0).unwrap().in_dimension(2);
    let placed = Case::new(&disc, inside(&disc, 300, &[0.5, 0.5], 1.0), &[1.0, 1.0]).check(EVEN);
    // Data are near everywhere but on one side.
    assert!((40..=51).contains(&placed.points.len()), "{}", placed.points.len());
    let rectangle = Cuboid::new(vec![-2.0, -1.0], vec![2.0, 1.0]).unwrap();
    let data = inside(&rectangle, 300, &[0.0, 0.0], 2.0);
    let placed = Case::new(&rectangle, data, &[1.0, 0.5]).check(EVEN);
    // Each side is four bandwidths long.
    assert!((60..=66).contains(&placed.points.len()), "{}", placed.points.len());
}

#[test]
fn maps_are_followed() {
    let states = contiguous_united_states().unwrap();
    for spread in [20.0, 3.0] {
        let data = inside(&states, 1000, &[-98.0, 39.0], spread);
        Case::new(&states, data.clone(), &[7.0, 4.0]).check(EVEN);
        Case { spacing: 0.1, ..Case::new(&states, data, &[7.0, 4.0]) }.check(EVEN);
    }
    let u: &[[f64; 2]] =
        &[[0.0, 0.0], [6.0, 0.0], [6.0, 8.0], [4.0, 8.0], [4.0, 2.0], [2.0, 2.0], [2.0, 8.0], [0.0, 8.0]];
    let u = polygon(&[u]);
    Case::new(&u, inside(&u, 500, &[3.0, 3.0], 3.0), &[1.5, 1.5]).check(EVEN);
    let square = |c: f64, r: f64| [[c - r, -r], [c + r, -r], [c + r, r], [c - r, r]];
    let frame = polygon(&[&square(0.0, 3.0), &square(0.0, 1.0)]);
    Case::new(&frame, inside(&frame, 500, &[0.0, 0.0], 2.0), &[1.2, 1.2]).check(EVEN);
    let islands = polygon(&[&square(0.0, 1.0), &square(2.5, 0.5), &square(3.2, 0.02)]);
    Case::new(&islands, inside(&islands, 300, &[1.0, 0.0], 1.5), &[0.8, 0.8]).check(EVEN);
}

#[test]
fn formulas_and_combinations_are_covered() {
    let level = LevelSet::parse("x1^2 + 4*x2^2 - 4", 2).unwrap();
    Case::new(&level, inside(&level, 300, &[0.0, 0.0], 1.0), &[1.0, 0.7]).check(EVEN);
    let cylinder = LevelSet::parse("x1^2 + x2^2 - 1", 3).unwrap();
    let case = Case::new(&cylinder, inside(&cylinder, 400, &[0.0; 3], 1.0), &[1.2; 3]);
    Case { spacing: 0.3, ..case }.check(1.2);
    let parabola = LevelSet::parse("x1^2 - x2", 2).unwrap();
    Case::new(&parabola, inside(&parabola, 300, &[0.0, 1.0], 1.0), &[1.0, 1.0]).check(EVEN);
    let ball = |radius: f64, d| Arc::new(Ball::new(radius).unwrap().in_dimension(d));
    let outside = |inner| Arc::new(Complement::new(inner));
    let ring = Intersection::new(vec![ball(3.0, 2), outside(ball(1.0, 2))]).unwrap();
    Case::new(&ring, inside(&ring, 500, &[0.0; 2], 1.5), &[1.5, 1.5]).check(EVEN);
    let shell = Intersection::new(vec![ball(2.0, 3), outside(ball(1.0, 3))]).unwrap();
    Case { spacing: 0.4, ..Case::new(&shell, inside(&shell, 500, &[0.0; 3], 1.5), &[1.5; 3]) }.check(1.2);
    let lens = [Arc::new(Ball::new(2.0).unwrap().with_center(vec![1.0, 0.0]).unwrap()), ball(2.0, 2)];
    let lens = Intersection::new(lens.map(|part| part as Arc<dyn Domain>).to_vec()).unwrap();
    Case::new(&lens, inside(&lens, 300, &[0.0; 2], 1.5), &[1.0, 1.0]).check(EVEN);
}

#[test]
fn unbounded_boundaries_end_at_the_reach() {
    let half = HalfSpace::new(vec![1.0, 0.5], -0.5).unwrap();
    let data = inside(&half, 200, &[0.0, 0.0], 0.5);
    let placed = Case::new(&half, data.clone(), &[1.0, 0.5]).check(0.9);
    let wide = placed.points.bounds();
    // Beyond the quarter by which extents are enlarged otherwise.
    assert!(wide[1].1 - wide[1].0 > 1.3 * (data.bounds()[1].1 - data.bounds()[1].0), "{wide:?}");
    let orthant = Cuboid::uniform(0.0, f64::INFINITY, 3).unwrap();
    Case {
        spacing: 0.4,
        reach: 2.0,
        ..Case::new(&orthant, inside(&orthant, 400, &[0.0; 3], 1.0), &[1.0; 3])
    }
    .check(1.2);
    // A side far from the data has no points, although it is part of the same boundary.
    let long = Cuboid::new(vec![0.0, 0.0], vec![1e4, 1.0]).unwrap();
    let placed = Case::new(&long, inside(&long, 200, &[0.5, 0.5], 0.5), &[1.0, 1.0]).check(EVEN);
    assert!(placed.points.bounds()[0].1 < 10.0 && placed.points.len() > 20);
}

#[test]
fn boundary_out_of_reach_has_no_points() {
    let mut rng = stream(0, 0);
    let data = Points::new((0..200).map(|_| rng.random::<f64>()).collect::<Vec<_>>(), 2).unwrap();
    let level = LevelSet::parse("x1^2 + x2^2 - 1e4", 2).unwrap();
    let far: [&dyn Domain; 3] =
        [&Ball::new(50.0).unwrap().in_dimension(2), &HalfSpace::new(vec![1.0, 1.0], -70.0).unwrap(), &level];
    for domain in far {
        let case = Case::new(domain, data.clone(), &[1.0, 1.0]);
        assert!(case.placed().points.is_empty(), "{}", domain.describe());
    }
    let one = Points::new(vec![0.3], 1).unwrap();
    let waves = LevelSet::parse("sin(x1)", 1).unwrap();
    let case = Case { reach: 10.0, ..Case::new(&waves, one, &[1.0]) };
    let turns: Vec<f64> =
        case.placed().points.values().iter().map(|x| (x / std::f64::consts::PI).round()).collect();
    assert_eq!(turns, [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
    // Of those, the nearest to the data.
    let nearest = Case { most: 1, ..case }.placed().points;
    assert!(nearest.len() == 1 && nearest.values()[0].abs() < 1e-9);
    let interval = Cuboid::interval(-1e3, 0.5).unwrap();
    let case = Case::new(&interval, Points::new(vec![0.3], 1).unwrap(), &[1.0]);
    assert_eq!(case.placed().points.values(), [-1e3, 0.5]);
}

/// A box of which only one corner is near data, in three coordinates.
#[test]
fn a_small_part_of_a_large_boundary_is_found() {
    let large = Cuboid::uniform(0.0, 1000.0, 3).unwrap();
    let data = inside(&large, 300, &[0.0; 3], 1.0);
    let placed = Case { reach: 2.0, ..Case::new(&large, data, &[1.0; 3]) }.placed();
    assert!(placed.points.len() > 100, "{}", placed.points.len());
    for x in placed.points.rows() {
        let least = x.iter().fold(f64::INFINITY, |a, b| a.min(*b));
        assert!(least < 1e-9 && x.iter().all(|v| *v < 6.0), "{x:?}");
    }
}

#[test]
fn the_largest_number_is_kept() {
    let disc = Ball::new(2.0).unwrap().in_dimension(2);
    let case = Case { most: 20, ..Case::new(&disc, inside(&disc, 300, &[0.0; 2], 1.0), &[1.0, 1.0]) };
    let placed = case.check(EVEN);
    assert!((18..=20).contains(&placed.points.len()) && placed.spacing > 0.5);
    for (dimension, most) in [(3, 300), (6, 288), (12, 1152)] {
        let ball = Ball::new(2.0).unwrap().in_dimension(dimension);
        let data = inside(&ball, 1000, &vec![0.2; dimension], 0.5);
        let widths = vec![1.2; dimension];
        let case = Case { most, ..Case::new(&ball, data, &widths) };
        let placed = case.placed();
        assert!(placed.points.len() as f64 > 0.9 * most as f64 && placed.points.len() <= most);
        assert!(placed.points.rows().all(|x| (Norm::Two.of(x) - 2.0).abs() < 1e-12));
        let mut closest = f64::INFINITY;
        for (i, x) in placed.points.rows().enumerate() {
            let gaps = placed.points.rows().take(i).map(|y| squared_distance(x, y).sqrt());
            closest = gaps.fold(closest, f64::min);
        }
        assert!(closest >= 0.7 * 1.2 * placed.spacing, "{closest}");
        assert_eq!(placed, case.placed());
        // Uniform enough: the mean of the coordinates is that of the sphere.
        let mean = placed.points.mean();
        assert!(mean.iter().all(|m| m.abs() < 0.15), "{mean:?}");
    }
}

#[test]
fn regressions_get_observed_covariates() {
    for dimension in [2, 3, 5] {
        let limits = ResponseLimits::new(dimension, Limit::Constant(-0.5), Limit::Constant(1.5)).unwrap();
        let data = inside(&limits, 2000, &vec![0.3; dimension], 1.0);
        let widths = vec![1.0; dimension];
        let case = Case { most: 500, ..Case::new(&limits, data.clone(), &widths) };
        let placed = if dimension < 5 { case.check(1.2) } else { case.placed() };
        let covariates: Vec<&[f64]> = data.rows().map(|x| &x[1..]).collect();
        for x in placed.points.rows() {
            assert!([-0.5, 1.5].contains(&x[0]) && covariates.contains(&&x[1..]));
        }
        let lower = placed.points.rows().filter(|x| x[0] < 0.0).count() as f64;
        assert!((lower / placed.points.len() as f64 - 0.5).abs() < 0.1);
    }
    // A limit of each observation.
    let own = ResponseLimits::new(3, Limit::Coordinate(2), Limit::None).unwrap();
    let data = inside(&own, 500, &[1.0, 0.0, 0.0], 1.0);
    Case::new(&own, data, &[1.0; 3]).check(1.2);
}

/// Five rows far from a hundred thousand others.
#[test]
fn boundary_near_few_rows_gets_its_points() {
    let strip = Cuboid::new(vec![0.0, 0.0], vec![60.0, 1.0]).unwrap();
    let many = inside(&strip, 100_000, &[0.0, 0.5], 1.0);
    let values = [many.values(), [[50.0, 0.5]; 5].as_flattened()].concat();
    let data = Points::new(values, 2).unwrap();
    let placed = Case { reach: 2.0, ..Case::new(&strip, data, &[1.0, 1.0]) }.check(EVEN);
    let far = placed.points.rows().filter(|x| (45.0..55.0).contains(&x[0])).count();
    assert!((20..=32).contains(&far), "{far}");
}

#[test]
fn impossible_placements_are_refused() {
    let disc = Ball::new(2.0).unwrap().in_dimension(2);
    let data = || inside(&disc, 10, &[0.0, 0.0], 1.0);
    let refused =
        |case: Case| place(case.domain, &case.placement(), &mut stream(0, 0)).unwrap_err().to_string();
    assert!(refused(Case::new(&disc, data(), &[1.0])).contains("bandwidths has 1 coordinates where 2"));
    assert!(refused(Case::new(&disc, data(), &[1.0, 0.0])).contains("a bandwidth of boundary points is 0"));
    assert!(refused(Case { spacing: f64::NAN, ..Case::new(&disc, data(), &[1.0; 2]) }).contains("NaN"));
    assert!(refused(Case { most: 0, ..Case::new(&disc, data(), &[1.0; 2]) }).contains("zero points"));
    let line = Points::new(vec![1.0], 1).unwrap();
    assert!(refused(Case::new(&disc, line, &[1.0; 2])).contains("data has 1 coordinates where 2"));
}

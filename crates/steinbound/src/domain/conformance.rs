//! A suite of checks that every domain must pass.

use rand::RngExt;

use super::crossing_normal::{changes_across, extent, normal_by_crossings};
use super::{BoundarySampling, Domain, Norm, SECTION_STEPS, scanned_sections};
use crate::points::Points;
use crate::random::stream;

/// Checks a domain around the points `near`, some of which should lie inside.
///
/// Boundary points have distance zero and lie on the edge (a step inwards or outwards changes membership); no
/// boundary point is nearer than the distance (up to the factor `sqrt(d)` between norms); the gradient agrees
/// with finite differences and is no longer than `sqrt(d)`; outside the domain the distance is zero; sections
/// agree with a scan; normals, where given, have unit length, membership changes along them, and they agree
/// with nearby places of the boundary. Returns a description of each failure.
///
/// ```
/// use steinbound::Points;
/// use steinbound::domain::{Ball, conformance};
/// let near = Points::from_rows(&[[0.1, 0.2], [-0.4, 0.3], [2.0, 0.0]])?;
/// assert_eq!(conformance::check(&Ball::new(1.0)?.in_dimension(2), &near), Ok(()));
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn check(domain: &dyn Domain, near: &Points) -> Result<(), Vec<String>> {
    let name = domain.describe();
    let mut failures = Vec::new();
    let mut expect = |holds: bool, what: String| {
        if !holds {
            failures.push(format!("{name}: {what}"));
        }
    };
    let dimension = domain.dimension();
    let measures = domain.has_distance();
    expect(
        dimension == near.dimension() && domain.bounds().len() == dimension,
        format!("has dimension {dimension}, but the points or its bounds have another"),
    );
    let mut rng = stream(11, 0);
    let boundary = match domain.sample_boundary(&BoundarySampling::new(400).near(near), &mut rng) {
        Ok(points) => points,
        Err(error) => return Err(vec![error.to_string()]),
    };
    let mut gradient = vec![0.0; dimension];
    let scale = boundary.values().iter().fold(1.0f64, |s, v| s.max(v.abs()));
    for b in boundary.rows() {
        let distance = if measures { domain.distance(b, &mut gradient) } else { 0.0 };
        expect(distance <= 1e-9 * scale, format!("boundary point {b:?} has distance {distance}"));
        let mut sides = [false; 2];
        for _ in 0..40 {
            let step: Vec<f64> = b.iter().map(|v| v + 1e-4 * (rng.random::<f64>() - 0.5)).collect();
            sides[usize::from(domain.contains(&step))] = true;
        }
        expect(sides == [true; 2], format!("boundary point {b:?} is not on the edge"));
    }
    for x in near.rows().filter(|_| measures) {
        let distance = domain.distance(x, &mut gradient);
        let length = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        let steepest = (dimension as f64).sqrt() * (1.0 + 1e-9);
        expect(length <= steepest, format!("the gradient at {x:?} has length {length}"));
        if !domain.contains(x) {
            expect(distance == 0.0, format!("outside, at {x:?}, the distance is {distance}"));
            continue;
        }
        expect(distance >= 0.0 && distance.is_finite(), format!("distance {distance} at {x:?}"));
        let euclidean = |b: &[f64]| x.iter().zip(b).map(|(x, b)| (x - b).powi(2)).sum::<f64>().sqrt();
        let nearest = boundary.rows().map(euclidean).fold(f64::INFINITY, f64::min);
        expect(
            distance <= nearest * (dimension as f64).sqrt() * (1.0 + 1e-9),
            format!("distance {distance} at {x:?}, but a boundary point is {nearest} away"),
        );
        for l in 0..dimension {
            let mut moved = x.to_vec();
            let mut scratch = vec![0.0; dimension];
            let mut at = |offset: f64| {
                moved[l] = x[l] + offset;
                domain.distance(&moved, &mut scratch)
            };
            let difference = (at(1e-6) - at(-1e-6)) / 2e-6;
            expect(
                (difference - gradient[l]).abs() < 1e-4,
                format!("gradient {l} at {x:?} is {}, by differences {difference}", gradient[l]),
            );
        }
    }
    for x in near.rows() {
        for axis in 0..dimension {
            let window = (x[axis] - 3.0, x[axis] + 3.5);
            let sections = domain.sections(x, axis, window);
            let scanned = scanned_sections(|x| domain.contains(x), x, axis, window, SECTION_STEPS);
            // Scanning misses what is narrower than its steps, so only wide sections are compared.
            let wide = |list: &[(f64, f64)]| -> Vec<(f64, f64)> {
                list.iter().copied().filter(|(low, high)| high - low > 0.2).collect()
            };
            let (sections, scanned) = (wide(&sections), wide(&scanned));
            let agree = |(a, b): (&(f64, f64), &(f64, f64))| {
                (a.0 - b.0).abs() < 1e-6 * scale && (a.1 - b.1).abs() < 1e-6 * scale
            };
            expect(
                sections.len() == scanned.len() && sections.iter().zip(&scanned).all(agree),
                format!("sections {sections:?} through {x:?} along {axis}, but {scanned:?} by scanning"),
            );
        }
    }
    failures.extend(wrong_normals(domain, near, &boundary).into_iter().map(|what| format!("{name}: {what}")));
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

/// The share of boundary points that may be too near to a corner for a check of their normal.
const NEAR_CORNERS: f64 = 0.02;

/// What is wrong with the normals at boundary points.
fn wrong_normals(domain: &dyn Domain, near: &Points, boundary: &Points) -> Vec<String> {
    let bounds = domain.bounds();
    let contains = |x: &[f64]| domain.contains(x);
    // Distances that change faster than the place are not Euclidean, as those along a response, and their
    // normals need not be perpendicular.
    let mut gradient = vec![0.0; domain.dimension()];
    let is_euclidean = !domain.has_distance()
        || near.rows().all(|x| {
            domain.distance_to_boundary(x, &mut gradient);
            Norm::Two.of(&gradient) < 1.0 + 1e-9
        });
    let (mut failures, mut doubtful) = (Vec::new(), Vec::new());
    let mut normal = vec![0.0; domain.dimension()];
    let mut measured = normal.clone();
    for b in boundary.rows() {
        if !domain.normal(b, &mut normal) {
            continue;
        }
        let length = Norm::Two.of(&normal);
        // Written so that a NaN fails as well.
        let is_unit = (length - 1.0).abs() < 1e-9;
        if !is_unit {
            failures.push(format!("the normal {normal:?} at {b:?} has length {length}"));
        } else if !changes_across(contains, b, &normal, 1e-5 * extent(&bounds, b)) {
            doubtful.push(format!("membership does not change along the normal {normal:?} at {b:?}"));
        } else if is_euclidean && normal_by_crossings(contains, &bounds, b, &mut measured) {
            let cosine: f64 = normal.iter().zip(&measured).map(|(a, b)| a * b).sum();
            if cosine.abs() < 1.0 - 1e-4 {
                doubtful
                    .push(format!("the normal at {b:?} is {normal:?}, but {measured:?} by places nearby"));
            }
        }
    }
    if doubtful.len() as f64 > NEAR_CORNERS * boundary.len() as f64 {
        failures.extend(doubtful);
    }
    failures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, BoundaryScheme, Cuboid, HalfSpace, Norm};

    fn near(dimension: usize) -> Points<'static> {
        let mut rng = stream(5, dimension as u64);
        let values: Vec<f64> = (0..60 * dimension).map(|_| 3.0 * (rng.random::<f64>() - 0.5)).collect();
        Points::new(values, dimension).unwrap()
    }

    #[test]
    fn every_domain_conforms() {
        for dimension in [1, 2, 3, 6] {
            let center: Vec<f64> = (0..dimension).map(|l| 0.1 * l as f64).collect();
            for norm in [Norm::One, Norm::Two, Norm::Infinity] {
                let ball = Ball::new(1.2).unwrap().with_norm(norm);
                let ball = ball.with_center(center.clone()).unwrap();
                assert_eq!(check(&ball, &near(dimension)), Ok(()));
                assert_eq!(check(&ball.with_euclidean_distance(), &near(dimension)), Ok(()));
            }
            let cuboid = Cuboid::uniform(-0.9, 1.1, dimension).unwrap();
            assert_eq!(check(&cuboid, &near(dimension)), Ok(()));
            let orthant = Cuboid::uniform(-0.5, f64::INFINITY, dimension).unwrap();
            assert_eq!(check(&orthant, &near(dimension)), Ok(()));
            let normal: Vec<f64> = (0..dimension).map(|l| 1.0 - 0.7 * l as f64).collect();
            let half = HalfSpace::new(normal, -0.3).unwrap();
            assert_eq!(check(&half, &near(dimension)), Ok(()));
        }
    }

    /// The same moments on every face show that a surface is sampled uniformly.
    #[test]
    fn surfaces_are_sampled_uniformly() {
        let count = 40_000;
        let rng = &mut stream(3, 0);
        let sample = |domain: &dyn Domain, rng: &mut _| {
            domain.sample_boundary(&BoundarySampling::new(count), rng).unwrap()
        };
        // A box of sides 1, 2, 4: a face counts with its area, 8, 4 and 2.
        let cuboid = Cuboid::new(vec![0.0; 3], vec![1.0, 2.0, 4.0]).unwrap();
        let points = sample(&cuboid, rng);
        for (l, (side, share)) in
            [(1.0, 8.0 / 28.0), (2.0, 4.0 / 28.0), (4.0, 2.0 / 28.0)].into_iter().enumerate()
        {
            for limit in [0.0, side] {
                let on_face = points.rows().filter(|x| x[l] == limit).count() as f64;
                let error = (share * (1.0 - share) / count as f64).sqrt();
                assert!((on_face / count as f64 - share).abs() < 4.0 * error);
            }
        }
        // On a simplex a coordinate's absolute value has mean r/d and second moment 2 r^2 / (d (d + 1)).
        let ball = Ball::new(1.0).unwrap().in_dimension(3).with_norm(Norm::One);
        let points = sample(&ball, rng);
        for l in 0..3 {
            let mean = |f: &dyn Fn(f64) -> f64| points.rows().map(|x| f(x[l])).sum::<f64>() / count as f64;
            assert!((mean(&|v| v.abs()) - 1.0 / 3.0).abs() < 0.005);
            assert!((mean(&|v| v * v) - 2.0 / 12.0).abs() < 0.005);
            assert!(mean(&|v| v).abs() < 0.01);
        }
        // On the sphere a coordinate is uniform in three dimensions (Archimedes): fourth moment 1/5.
        let ball = Ball::new(1.0).unwrap().in_dimension(3);
        let points = sample(&ball, rng);
        let fourth = points.rows().map(|x| x[0].powi(4)).sum::<f64>() / count as f64;
        assert!((fourth - 0.2).abs() < 0.006);
    }

    /// The paper's recipe: normal draws divided by their norm.
    #[test]
    fn radial_projection_lies_on_the_surface() {
        let rng = &mut stream(4, 0);
        let radial = BoundarySampling::new(100).scheme(BoundaryScheme::Radial);
        for norm in [Norm::One, Norm::Two, Norm::Infinity] {
            let ball = Ball::new(2.5).unwrap().in_dimension(4).with_norm(norm);
            let points = ball.sample_boundary(&radial, rng).unwrap();
            assert!(points.rows().all(|x| (norm.of(x) - 2.5).abs() < 1e-12));
        }
        let cuboid = Cuboid::new(vec![-1.0, 0.0], vec![3.0, 1.0]).unwrap();
        let points = cuboid.sample_boundary(&radial, rng).unwrap();
        let mut gradient = [0.0; 2];
        assert!(points.rows().all(|x| cuboid.distance(x, &mut gradient) < 1e-12));
    }

    #[test]
    fn even_points_are_equally_far_apart() {
        let even = BoundarySampling::new(8).scheme(BoundaryScheme::Even);
        let sample = |domain: &dyn Domain| domain.sample_boundary(&even, &mut stream(0, 0));
        let ball = |norm, dimension| Ball::new(2.0).unwrap().in_dimension(dimension).with_norm(norm);
        for (norm, gap) in [
            (Norm::One, 2f64.sqrt()),
            (Norm::Two, 4.0 * (std::f64::consts::PI / 8.0).sin()),
            (Norm::Infinity, 2.0),
        ] {
            let points = sample(&ball(norm, 2)).unwrap();
            for (k, x) in points.rows().enumerate() {
                assert!((norm.of(x) - 2.0).abs() < 1e-12);
                let next = points.row((k + 1) % 8);
                assert!(((next[0] - x[0]).hypot(next[1] - x[1]) - gap).abs() < 1e-12);
                assert!(x[0] * next[1] > x[1] * next[0], "counter-clockwise");
            }
            let error = sample(&ball(norm, 3)).unwrap_err().to_string();
            assert!(error.contains("ball") && error.contains("even spacing"), "{error}");
            // On the line the boundary is two points.
            assert_eq!(sample(&ball(norm, 1)).unwrap().values(), [-2.0, 2.0]);
        }
        assert!(sample(&HalfSpace::new(vec![1.0, 0.0], 5.0).unwrap()).is_err());
        assert!(sample(&Cuboid::new(vec![0.0; 2], vec![1.0, f64::INFINITY]).unwrap()).is_err());
        assert!(sample(&Cuboid::uniform(0.0, 1.0, 3).unwrap()).is_err());
    }

    #[test]
    fn unbounded_surfaces_need_points_near() {
        let half = HalfSpace::new(vec![1.0, 0.0], 5.0).unwrap();
        let error = half.sample_boundary(&BoundarySampling::new(10), &mut stream(0, 0)).unwrap_err();
        assert!(error.to_string().contains("unbounded"));
        assert!(Cuboid::uniform(f64::NEG_INFINITY, f64::INFINITY, 2).is_err());
    }

    fn normal(domain: &dyn Domain, x: &[f64]) -> Vec<f64> {
        let mut normal = vec![f64::NAN; x.len()];
        assert!(domain.normal(x, &mut normal), "{} at {x:?}", domain.describe());
        normal
    }

    #[test]
    fn normals_of_simple_shapes_are_known() {
        let half = 0.5f64.sqrt();
        let ball = |norm| Ball::new(2.0).unwrap().with_center(vec![1.0, 0.0]).unwrap().with_norm(norm);
        let close =
            |found: Vec<f64>, truth: [f64; 2]| found.iter().zip(truth).all(|(a, b)| (a - b).abs() < 1e-15);
        assert!(close(normal(&ball(Norm::One), &[0.5, -1.5]), [-half, -half]));
        assert!(close(normal(&ball(Norm::Two), &[2.2, 1.6]), [0.6, 0.8]));
        assert!(close(normal(&ball(Norm::Infinity), &[-1.0, 1.5]), [-1.0, 0.0]));
        let slope = HalfSpace::new(vec![3.0, 4.0], 5.0).unwrap();
        assert!(close(normal(&slope, &[3.0, -1.0]), [0.6, 0.8]));
        let strip = Cuboid::new(vec![-1.0, 0.0], vec![f64::INFINITY, 0.5]).unwrap();
        assert_eq!(normal(&strip, &[-1.0, 0.25]), [1.0, 0.0]);
        assert_eq!(normal(&strip, &[70.0, 0.5]), [0.0, 1.0]);
        // Beyond a side by rounding, or far along it.
        assert_eq!(normal(&strip, &[0.3, 0.5f64.next_up()]), [0.0, 1.0]);
        assert_eq!(normal(&strip, &[-3.0, 0.25]), [1.0, 0.0]);
        // At the corner, one of the sides.
        assert_eq!(normal(&strip, &[-1.0, 0.5]).iter().sum::<f64>(), 1.0);
        assert!(!ball(Norm::Two).normal(&[1.0, 0.0], &mut [0.0; 2]));
    }

    /// The disc with one wrong answer.
    #[derive(Debug)]
    struct Wrong(Ball, fn(f64, f64) -> [f64; 2]);

    impl Domain for Wrong {
        fn describe(&self) -> String {
            self.0.describe()
        }

        fn dimension(&self) -> usize {
            2
        }

        fn contains(&self, x: &[f64]) -> bool {
            self.0.contains(x)
        }

        fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
            self.0.distance_to_boundary(x, gradient)
        }

        fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
            normal.copy_from_slice(&self.1(x[0] / 1.2, x[1] / 1.2));
            true
        }

        fn sample_boundary(
            &self,
            sampling: &BoundarySampling,
            rng: &mut rand::rngs::ChaCha8Rng,
        ) -> Result<Points<'static>, crate::error::DomainError> {
            self.0.sample_boundary(sampling, rng)
        }

        fn bounds(&self) -> Vec<(f64, f64)> {
            self.0.bounds()
        }
    }

    #[test]
    fn wrong_normals_are_found() {
        let disc = || Ball::new(1.2).unwrap().in_dimension(2);
        let failures = |normal: fn(f64, f64) -> [f64; 2]| {
            check(&Wrong(disc(), normal), &near(2)).err().unwrap_or_default().join(" ")
        };
        assert_eq!(failures(|x, y| [x, y]), "");
        assert!(failures(|x, y| [2.0 * x, 2.0 * y]).contains("has length 2"));
        assert!(failures(|x, y| [-y, x]).contains("does not change along"));
        assert!(failures(|x, y| [x, -y]).contains("by places nearby"));
    }

    #[test]
    fn the_gradient_is_zero_at_the_centre() {
        let mut gradient = [1.0; 3];
        for norm in [Norm::One, Norm::Two, Norm::Infinity] {
            let ball = Ball::new(2.0).unwrap().in_dimension(3).with_norm(norm);
            assert_eq!(ball.distance(&[0.0; 3], &mut gradient), 2.0);
            assert_eq!(gradient, [0.0; 3]);
        }
    }
}

use std::sync::Arc;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::center::{center_or_origin, positive};
use super::{
    BoundarySampling, BoundaryScheme, Domain, Norm, Parameter, ParameterKind, Shape, check_count, clipped,
    from_rows, no_such_scheme,
};
use crate::error::DomainError;
use crate::points::Points;
use crate::text::{brief, listed};

/// The ellipse `{x: sum_l (z_l / radius_l)^2 <= 1}`, `z = x - center`, or an ellipsoid in more coordinates; in
/// the plane it can be turned.
///
/// # Definition
///
/// The nearest boundary point of `z` is `y_l = r_l^2 z_l / (t + r_l^2)` for the largest root `t` of
/// `sum_l (r_l z_l / (t + r_l^2))^2 = 1`, found by Newton's method for `1 / sqrt(..) = 1`, whose left side is
/// concave: steps from below never pass the root.
///
/// # Requirements
///
/// One positive radius for each coordinate.
///
/// # Reference
///
/// Eberly, *Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid*, 2013.
///
/// ```
/// use steinbound::domain::{Domain, Ellipse};
/// let ellipse = Ellipse::new(vec![2.0, 1.0])?;
/// let mut gradient = [0.0; 2];
/// assert_eq!(ellipse.distance(&[0.0, 0.75], &mut gradient), 0.25);
/// assert_eq!(gradient, [0.0, -1.0]);
/// let upright = ellipse.turned(90.0)?;
/// assert!(upright.contains(&[0.0, 1.9]) && !upright.contains(&[1.9, 0.0]));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ellipse {
    radii: Vec<f64>,
    center: Vec<f64>,
    /// In degrees, counter-clockwise; zero unless there are two coordinates.
    angle: f64,
}

/// Newton steps after which the nearest point is taken as it is; about five are usual.
const MOST_STEPS: usize = 100;

/// The number of pieces along which the length of an ellipse is summed.
const PIECES: usize = 1 << 14;

impl Ellipse {
    /// The ellipse about the origin with these half-axes, one for each coordinate.
    pub fn new(radii: Vec<f64>) -> Result<Ellipse, DomainError> {
        if radii.is_empty() {
            return Err(DomainError::WrongDimension {
                what: "the radii of the ellipse",
                found: 0,
                expected: 1,
            });
        }
        for (l, radius) in radii.iter().enumerate() {
            positive(&format!("radius {} of the ellipse", l + 1), *radius)?;
        }
        Ok(Ellipse { center: vec![0.0; radii.len()], radii, angle: 0.0 })
    }

    /// The ellipse about another centre.
    pub fn with_center(mut self, center: Vec<f64>) -> Result<Ellipse, DomainError> {
        self.center = center_or_origin("the center of the ellipse", Some(center), self.radii.len())?;
        Ok(self)
    }

    /// The ellipse in the plane turned about its centre by an angle in degrees, counter-clockwise.
    pub fn turned(mut self, angle: f64) -> Result<Ellipse, DomainError> {
        if self.radii.len() != 2 {
            return Err(DomainError::WrongDimension {
                what: "an ellipse that is turned",
                found: self.radii.len(),
                expected: 2,
            });
        }
        if !angle.is_finite() {
            return Err(DomainError::BadNumber {
                what: "the angle of the ellipse".into(),
                value: angle,
                remedy: "give degrees",
            });
        }
        self.angle = (self.angle + angle) % 360.0;
        Ok(self)
    }

    /// Cosine and sine of the angle, exact for right angles.
    fn turn(&self) -> (f64, f64) {
        match self.angle.rem_euclid(360.0) {
            0.0 => (1.0, 0.0),
            90.0 => (0.0, 1.0),
            180.0 => (-1.0, 0.0),
            270.0 => (0.0, -1.0),
            angle => (angle.to_radians().cos(), angle.to_radians().sin()),
        }
    }

    /// A direction in coordinates along the half-axes.
    fn inwards(&self, x: &[f64]) -> Vec<f64> {
        match (x, self.turn()) {
            (&[a, b], (cos, sin)) if sin != 0.0 || cos < 0.0 => vec![cos * a + sin * b, cos * b - sin * a],
            _ => x.to_vec(),
        }
    }

    /// A direction along the half-axes in the coordinates of the space.
    fn outwards(&self, z: Vec<f64>) -> Vec<f64> {
        match (z.as_slice(), self.turn()) {
            (&[a, b], (cos, sin)) if sin != 0.0 || cos < 0.0 => vec![cos * a - sin * b, cos * b + sin * a],
            _ => z,
        }
    }

    fn local(&self, x: &[f64]) -> Vec<f64> {
        let moved: Vec<f64> = x.iter().zip(&self.center).map(|(x, c)| x - c).collect();
        self.inwards(&moved)
    }

    fn place(&self, z: Vec<f64>) -> Vec<f64> {
        self.outwards(z).iter().zip(&self.center).map(|(v, c)| v + c).collect()
    }

    /// Where a point is in the unit ball that the ellipse is a stretched image of.
    fn in_ball(&self, z: &[f64]) -> Vec<f64> {
        z.iter().zip(&self.radii).map(|(z, r)| z / r).collect()
    }

    /// A unit vector perpendicular to the surface through a place along the half-axes; `None` at the centre.
    fn perpendicular(&self, y: &[f64]) -> Option<Vec<f64>> {
        // Radii are divided by the smallest, so that no square overflows.
        let least = self.least_radius();
        let slopes: Vec<f64> = y.iter().zip(&self.radii).map(|(y, r)| y / r * (least / r)).collect();
        let length = Norm::Two.of(&slopes);
        (length > 0.0).then(|| slopes.iter().map(|s| s / length).collect())
    }

    fn least_radius(&self) -> f64 {
        self.radii.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The nearest place of the surface, along the half-axes, and its distance.
    fn nearest(&self, z: &[f64]) -> (Vec<f64>, f64) {
        // In units of the smallest radius.
        let unit = self.least_radius();
        let r: Vec<f64> = self.radii.iter().map(|r| r / unit).collect();
        let z: Vec<f64> = z.iter().map(|z| z / unit).collect();
        // The root is sought from the pole of the smallest radius on: `t + r^2 = (t + 1) + (r - 1)(r + 1)`.
        let beyond = |r: f64| (r - 1.0) * (r + 1.0);
        let terms = || z.iter().zip(&r).filter(|(z, _)| **z != 0.0).map(|(z, r)| (r * z, beyond(*r)));
        let others: f64 = terms().map(|(top, beyond)| (top / beyond).powi(2)).sum();
        if others < 1.0 {
            // Seen from the middle of a shortest chord two places are nearest, and that pole has no numerator.
            let mut y: Vec<f64> =
                z.iter().zip(&r).map(|(z, r)| if *z == 0.0 { 0.0 } else { r * r * z / beyond(*r) }).collect();
            let rest = 1.0 - y.iter().zip(&r).map(|(y, r)| (y / r).powi(2)).sum::<f64>();
            if let Some(l) = r.iter().position(|r| *r == 1.0) {
                y[l] = rest.max(0.0).sqrt();
            }
            let square: f64 = z.iter().zip(&y).map(|(z, y)| (z - y).powi(2)).sum();
            return (y.iter().map(|y| y * unit).collect(), unit * square.sqrt());
        }
        let mut s = terms().map(|(top, beyond)| top.abs() - beyond).fold(0.0, f64::max);
        for _ in 0..MOST_STEPS {
            let (mut square, mut cube) = (0.0, 0.0);
            for (top, beyond) in terms() {
                let term = (top / (s + beyond)).powi(2);
                square += term;
                cube += term / (s + beyond);
            }
            let next = s + (square.sqrt() - 1.0) * square / cube;
            // Rounding ends the climb.
            if next.is_nan() || next <= s {
                break;
            }
            s = next;
        }
        let stretch = |z: f64, r: f64| if z == 0.0 { 0.0 } else { z * (r * r / (s + beyond(r))) };
        let y = z.iter().zip(&r).map(|(z, r)| unit * stretch(*z, *r)).collect();
        // `z - y` without cancellation.
        let apart = z.iter().zip(&r).map(|(z, r)| if *z == 0.0 { 0.0 } else { z / (s + beyond(*r)) });
        let square: f64 = apart.map(|part| part * part).sum();
        (y, unit * (s - 1.0).abs() * square.sqrt())
    }

    /// Points at even distances along the curve in the plane, from the first half-axis on.
    fn even_rows(&self, count: usize) -> Vec<f64> {
        let at = |k: usize| {
            let angle = std::f64::consts::TAU * (k as f64 / PIECES as f64);
            [self.radii[0] * angle.cos(), self.radii[1] * angle.sin()]
        };
        let mut length = 0.0;
        let mut ends = Vec::with_capacity(PIECES);
        for k in 0..PIECES {
            let (a, b) = (at(k), at(k + 1));
            length += (b[0] - a[0]).hypot(b[1] - a[1]);
            ends.push(length);
        }
        let row = |k: usize| {
            let mark = length * (k as f64 / count as f64);
            let piece = ends.partition_point(|end| *end <= mark).min(PIECES - 1);
            let start = if piece == 0 { 0.0 } else { ends[piece - 1] };
            let share = (mark - start) / (ends[piece] - start);
            let angle = std::f64::consts::TAU * ((piece as f64 + share) / PIECES as f64);
            self.place(vec![self.radii[0] * angle.cos(), self.radii[1] * angle.sin()])
        };
        (0..count).flat_map(row).collect()
    }
}

/// The ellipse as text.
pub(super) static ELLIPSE: Shape = Shape {
    name: "ellipse",
    example: "ellipse(radii=2:1, center=0:0, angle=30)",
    usage: &[
        ("ellipse(radii=2:1)", "one for each coordinate; center=0:0"),
        ("ellipse(radii=2:1, angle=30)", "turned, degrees"),
    ],
    parameters: &[
        Parameter::required("radii", ParameterKind::Numbers),
        Parameter::optional("center", ParameterKind::Numbers),
        Parameter::optional("angle", ParameterKind::Number),
    ],
    least_dimension: 1,
    dimension: |given| given.numbers("radii").map(<[f64]>::len),
    build: |given, _| {
        let mut ellipse = Ellipse::new(given.required_numbers("radii")?.to_vec())?;
        if let Some(center) = given.numbers("center") {
            ellipse = ellipse.with_center(center.to_vec())?;
        }
        if given.numbers("angle").is_some() {
            ellipse = ellipse.turned(given.required_number("angle")?)?;
        }
        Ok(Arc::new(ellipse))
    },
};

impl Domain for Ellipse {
    fn describe(&self) -> String {
        let name = if self.radii.len() <= 2 { "ellipse" } else { "ellipsoid" };
        let turned = if self.angle == 0.0 {
            String::new()
        } else {
            format!(", turned by {} degrees", brief(self.angle))
        };
        let radius = if self.radii.len() == 1 { "radius" } else { "radii" };
        format!("{name} of {radius} {}{turned}", listed(self.radii.len(), |l| brief(self.radii[l])))
    }

    fn dimension(&self) -> usize {
        self.radii.len()
    }

    fn contains(&self, x: &[f64]) -> bool {
        Norm::Two.of(&self.in_ball(&self.local(x))) <= 1.0
    }

    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let z = self.local(x);
        let (y, distance) = self.nearest(&z);
        // At the centre the gradient has no direction.
        let is_centre = z.iter().all(|z| *z == 0.0);
        let outwards = self.perpendicular(&y).filter(|_| !is_centre).unwrap_or(vec![0.0; y.len()]);
        let side = if self.contains(x) { -1.0 } else { 1.0 };
        gradient.iter_mut().zip(self.outwards(outwards)).for_each(|(g, n)| *g = side * n);
        distance
    }

    fn sections(&self, x: &[f64], axis: usize, window: (f64, f64)) -> Vec<(f64, f64)> {
        let start = self.in_ball(&self.local(x));
        let along: Vec<f64> = (0..x.len()).map(|l| f64::from(u8::from(l == axis))).collect();
        let along = self.in_ball(&self.inwards(&along));
        let speed = Norm::Two.of(&along);
        // The place of the line that is nearest to the centre of the ball, and how far in it is.
        let middle = -start.iter().zip(&along).map(|(a, b)| a * b).sum::<f64>() / (speed * speed);
        let closest: Vec<f64> = start.iter().zip(&along).map(|(a, b)| a + middle * b).collect();
        let length = Norm::Two.of(&closest);
        let half = ((1.0 - length) * (1.0 + length)).sqrt() / speed;
        let section = (x[axis] + middle - half, x[axis] + middle + half);
        (length <= 1.0).then(|| clipped(section, window)).flatten().into_iter().collect()
    }

    fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
        let Some(found) = self.perpendicular(&self.local(x)) else { return false };
        normal.copy_from_slice(&self.outwards(found));
        true
    }

    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        let BoundarySampling { count, scheme, .. } = *sampling;
        let dimension = self.dimension();
        check_count(count, dimension)?;
        if dimension == 1 {
            let (low, high) = self.bounds()[0];
            return from_rows(vec![low, high], 1, self);
        }
        if scheme == BoundaryScheme::Even {
            return match dimension {
                2 => from_rows(self.even_rows(count), 2, self),
                _ => Err(no_such_scheme(self, scheme)),
            };
        }
        let least = self.least_radius();
        let mut values = Vec::with_capacity(count * dimension);
        while values.len() < count * dimension {
            let direction: Vec<f64> = (0..dimension).map(|_| StandardNormal.sample(rng)).collect();
            let (is_radial, stretched) = (scheme == BoundaryScheme::Radial, self.in_ball(&direction));
            let length = Norm::Two.of(if is_radial { &stretched } else { &direction });
            if length == 0.0 {
                continue;
            }
            let on_surface: Vec<f64> = match is_radial {
                true => direction.iter().map(|v| v / length).collect(),
                false => direction.iter().zip(&self.radii).map(|(v, r)| r * v / length).collect(),
            };
            // The stretched sphere has its surface times this, relative to where it is stretched most.
            let share = least * Norm::Two.of(&stretched) / length;
            if is_radial || rng.random::<f64>() < share {
                values.extend(self.place(on_surface));
            }
        }
        from_rows(values, dimension, self)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        let reach = |l: usize| {
            let axis: Vec<f64> = (0..self.radii.len()).map(|k| f64::from(u8::from(k == l))).collect();
            let parts = self.inwards(&axis);
            Norm::Two.of(&parts.iter().zip(&self.radii).map(|(a, r)| a * r).collect::<Vec<_>>())
        };
        self.center.iter().enumerate().map(|(l, c)| (c - reach(l), c + reach(l))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, conformance};
    use crate::random::stream;

    fn near(dimension: usize) -> Points<'static> {
        let mut rng = stream(5, dimension as u64);
        let values: Vec<f64> = (0..60 * dimension).map(|_| 3.0 * (rng.random::<f64>() - 0.5)).collect();
        Points::new(values, dimension).unwrap()
    }

    fn ellipse(radii: &[f64]) -> Ellipse {
        Ellipse::new(radii.to_vec()).unwrap()
    }

    #[test]
    fn ellipses_conform() {
        for radii in [&[1.3][..], &[1.4, 0.7], &[0.5, 1.5], &[1.4, 0.9, 0.6], &[1.5, 1.2, 0.8, 0.8, 1.1]] {
            let center: Vec<f64> = (0..radii.len()).map(|l| 0.1 * l as f64).collect();
            let one = ellipse(radii).with_center(center).unwrap();
            assert_eq!(conformance::check(&one, &near(radii.len())), Ok(()));
        }
        for angle in [30.0, 90.0, -135.0] {
            let turned = ellipse(&[1.4, 0.6]).with_center(vec![0.2, -0.1]).unwrap().turned(angle).unwrap();
            assert_eq!(conformance::check(&turned, &near(2)), Ok(()));
        }
    }

    /// Against the nearest of many places on the curve, on either side, on the axes and far away.
    #[test]
    fn distances_are_those_to_the_curve() {
        for (a, b) in [(2.0, 1.0), (1.0, 1.0), (1e3, 1.0), (0.3, 5.0)] {
            let one = ellipse(&[a, b]);
            let places = (0..400_000).map(|k| f64::from(k) * std::f64::consts::TAU / 4e5);
            let curve: Vec<[f64; 2]> = places.map(|t| [a * t.cos(), b * t.sin()]).collect();
            for [u, v] in [
                [0.0, 0.0],
                [0.3, 0.0],
                [0.9, 0.0],
                [0.0, 0.4],
                [0.5, 0.5],
                [1e-9, 0.2],
                [1.5, 0.3],
                [-20.0, 7.0],
            ] {
                let x = [a * u, b * v];
                let (_, distance) = one.nearest(&x);
                let square = |y: &[f64; 2]| (x[0] - y[0]).powi(2) + (x[1] - y[1]).powi(2);
                let nearest = curve.iter().map(square).fold(f64::INFINITY, f64::min).sqrt();
                assert!(
                    (distance - nearest).abs() < 1e-5 * (a + b),
                    "{a} {b} {x:?}: {distance}, not {nearest}"
                );
                assert!(distance <= nearest + 1e-9, "{a} {b} {x:?}");
            }
        }
    }

    /// With equal radii it is the ball.
    #[test]
    fn a_round_ellipse_is_a_ball() {
        let (round, ball) = (ellipse(&[1.2; 3]), Ball::new(1.2).unwrap().in_dimension(3));
        for x in near(3).rows() {
            let (mut own, mut balls) = ([0.0; 3], [0.0; 3]);
            let distance = round.distance_to_boundary(x, &mut own);
            assert!((distance - ball.distance_to_boundary(x, &mut balls)).abs() < 1e-12);
            assert!(own.iter().zip(balls).all(|(a, b)| (a - b).abs() < 1e-9), "{own:?} {balls:?}");
            for axis in 0..3 {
                let both = [&round as &dyn Domain, &ball].map(|domain| domain.sections(x, axis, (-9.0, 9.0)));
                assert_eq!(both[0].len(), both[1].len());
                assert!(both[0].iter().zip(&both[1]).all(|(a, b)| (a.0 - b.0).abs() < 1e-9));
            }
        }
    }

    /// Against integrals over the angle and, for a spheroid, over its height.
    #[test]
    fn surfaces_are_sampled_uniformly() {
        let count = 40_000;
        let sample =
            |one: &Ellipse| one.sample_boundary(&BoundarySampling::new(count), &mut stream(3, 0)).unwrap();
        let plane = sample(&ellipse(&[3.0, 1.0]));
        let speed = |t: f64| (9.0 * t.sin().powi(2) + t.cos().powi(2)).sqrt();
        let steps = || (0..1000).map(|k| (f64::from(k) + 0.5) / 1000.0 * std::f64::consts::TAU);
        let length: f64 = steps().map(speed).sum();
        let truth: f64 = steps().map(|t| speed(t) * t.cos().powi(2)).sum::<f64>() / length;
        let found = plane.rows().map(|x| (x[0] / 3.0).powi(2)).sum::<f64>() / count as f64;
        assert!((found - truth).abs() < 0.006, "{found}, not {truth}");
        // x3 = 2 u: the area at height u is as sqrt(4 (1 - u^2) + u^2).
        let space = sample(&ellipse(&[1.0, 1.0, 2.0]));
        let heights = || (0..1000).map(|k| (f64::from(k) + 0.5) / 500.0 - 1.0);
        let band = |u: f64| (4.0 * (1.0 - u * u) + u * u).sqrt();
        let truth = heights().map(|u| band(u) * u * u).sum::<f64>() / heights().map(band).sum::<f64>();
        let found = space.rows().map(|x| (x[2] / 2.0).powi(2)).sum::<f64>() / count as f64;
        assert!((found - truth).abs() < 0.005, "{found}, not {truth}");
    }

    #[test]
    fn even_points_are_equally_far_apart_and_radial_ones_on_the_surface() {
        let turned = ellipse(&[2.0, 1.0]).turned(40.0).unwrap();
        let sampled = |scheme| {
            turned.sample_boundary(&BoundarySampling::new(400).scheme(scheme), &mut stream(1, 0)).unwrap()
        };
        let even = sampled(BoundaryScheme::Even);
        let gaps = (0..400).map(|k| crate::points::squared_distance(even.row(k), even.row((k + 1) % 400)));
        let (low, high) = gaps.fold((f64::INFINITY, 0.0f64), |(a, b), g| (a.min(g), b.max(g)));
        assert!(high / low < 1.001, "{low} {high}");
        let mut gradient = [0.0; 2];
        for points in [even, sampled(BoundaryScheme::Radial)] {
            assert!(points.rows().all(|x| turned.distance_to_boundary(x, &mut gradient) < 1e-12));
        }
        let even = BoundarySampling::new(9).scheme(BoundaryScheme::Even);
        assert!(ellipse(&[1.0, 2.0, 3.0]).sample_boundary(&even, &mut stream(0, 0)).is_err());
    }

    #[test]
    fn impossible_ellipses_are_refused() {
        assert!(Ellipse::new(vec![]).is_err());
        let message = Ellipse::new(vec![1.0, 0.0]).unwrap_err().to_string();
        assert!(message.contains("radius 2 of the ellipse is 0"), "{message}");
        assert!(ellipse(&[1.0, 2.0]).with_center(vec![0.0]).is_err());
        assert!(ellipse(&[1.0, 2.0, 3.0]).turned(10.0).is_err());
        assert!(ellipse(&[1.0, 2.0]).turned(f64::NAN).is_err());
    }

    #[test]
    fn names_read_well() {
        assert_eq!(
            ellipse(&[2.0, 1.0]).turned(30.0).unwrap().describe(),
            "ellipse of radii 2 and 1, turned by 30 degrees"
        );
        assert_eq!(ellipse(&[2.0, 1.0, 0.5]).describe(), "ellipsoid of radii 2, 1 and 0.5");
    }
}

use std::sync::Arc;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::center::{center_or_origin, positive};
use super::rings::Rings;
use super::{
    BoundarySampling, BoundaryScheme, Domain, Norm, Parameter, ParameterKind, Shape, check_count, clipped,
    from_rows, no_such_scheme, sampling_window,
};
use crate::error::DomainError;
use crate::points::Points;
use crate::text::brief;

/// The cylinder about the last coordinate: `{x: |(x_1, .., x_{d-1}) - center| <= radius, low <= x_d <= high}`.
///
/// Either end may be infinite. In the plane it is a box.
///
/// ```
/// use steinbound::domain::{Cylinder, Domain};
/// let tube = Cylinder::new(1.0, -2.0, 2.0)?.in_dimension(3)?;
/// assert!(tube.contains(&[0.6, 0.6, 2.0]) && !tube.contains(&[0.9, 0.9, 0.0]));
/// let mut gradient = [0.0; 3];
/// assert_eq!(tube.distance(&[0.0, 0.5, 0.0], &mut gradient), 0.5);
/// assert_eq!(gradient, [0.0, -1.0, 0.0]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Cylinder {
    radius: f64,
    low: f64,
    high: f64,
    /// In the coordinates across the axis.
    center: Vec<f64>,
}

/// A part of the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Side,
    Low,
    High,
}

impl Cylinder {
    /// The cylinder about the second axis of the plane; see [`Cylinder::in_dimension`] and
    /// [`Cylinder::with_center`].
    pub fn new(radius: f64, low: f64, high: f64) -> Result<Cylinder, DomainError> {
        positive("the radius of the cylinder", radius)?;
        // Written so that a NaN is refused as well.
        let is_interval = low < high && low < f64::INFINITY && high > f64::NEG_INFINITY;
        if !is_interval {
            return Err(DomainError::BadNumber {
                what: "the upper end of the cylinder".into(),
                value: high,
                remedy: "it must be larger than the lower end",
            });
        }
        Ok(Cylinder { radius, low, high, center: vec![0.0] })
    }

    /// The cylinder about the last axis of `dimension` coordinates, of which there must be two at least.
    pub fn in_dimension(self, dimension: usize) -> Result<Cylinder, DomainError> {
        if dimension < 2 {
            return Err(DomainError::WrongDimension {
                what: "the space of a cylinder",
                found: dimension,
                expected: 2,
            });
        }
        Ok(Cylinder { center: vec![0.0; dimension - 1], ..self })
    }

    /// The cylinder about another axis, given by its place across: one coordinate fewer than the space has.
    pub fn with_center(self, center: Vec<f64>) -> Result<Cylinder, DomainError> {
        let across = center.len().max(1);
        Ok(Cylinder { center: center_or_origin("the center of the cylinder", Some(center), across)?, ..self })
    }

    /// The place across the axis, and along it.
    fn split(&self, x: &[f64]) -> (Vec<f64>, f64) {
        let across = x.iter().zip(&self.center).map(|(x, c)| x - c).collect();
        (across, x.get(self.center.len()).copied().unwrap_or(f64::NAN))
    }

    /// How far a point is beyond each part of the surface; negative inside.
    fn beyond(&self, length: f64, along: f64) -> [(f64, Part); 3] {
        [(length - self.radius, Part::Side), (self.low - along, Part::Low), (along - self.high, Part::High)]
    }

    /// The part of the surface that a point is farthest beyond, or nearest to from inside.
    fn nearest(&self, length: f64, along: f64) -> (f64, Part) {
        let [side, low, high] = self.beyond(length, along);
        let ends = if low.0 >= high.0 { low } else { high };
        if side.0 >= ends.0 { side } else { ends }
    }
}

/// The cylinder as text.
pub(super) static CYLINDER: Shape = Shape {
    name: "cylinder",
    example: "cylinder(radius=1, low=-2, high=2, center=0:0)",
    usage: &[("cylinder(radius=1, low=-2, high=2)", "about the last axis; ends may be inf")],
    parameters: &[
        Parameter::required("radius", ParameterKind::Number),
        Parameter::required("low", ParameterKind::Number),
        Parameter::required("high", ParameterKind::Number),
        Parameter::optional("center", ParameterKind::Numbers),
    ],
    least_dimension: 2,
    dimension: |given| given.numbers("center").map(|center| center.len() + 1),
    build: |given, dimension| {
        let (low, high) = (given.required_number("low")?, given.required_number("high")?);
        let cylinder = Cylinder::new(given.required_number("radius")?, low, high)?;
        Ok(match given.numbers("center") {
            Some(center) => Arc::new(cylinder.with_center(center.to_vec())?),
            None => Arc::new(cylinder.in_dimension(dimension)?),
        })
    },
};

impl Domain for Cylinder {
    fn describe(&self) -> String {
        format!("cylinder of radius {} from {} to {}", brief(self.radius), brief(self.low), brief(self.high))
    }

    fn dimension(&self) -> usize {
        self.center.len() + 1
    }

    fn contains(&self, x: &[f64]) -> bool {
        let (across, along) = self.split(x);
        Norm::Two.of(&across) <= self.radius && (self.low..=self.high).contains(&along)
    }

    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let (across, along) = self.split(x);
        let length = Norm::Two.of(&across);
        // Steps across, outwards, and along the axis, which change the distance most.
        let inside = self.contains(x);
        let (distance, outwards, upwards) = if inside {
            match self.nearest(length, along) {
                (beyond, Part::Side) => (-beyond, -1.0, 0.0),
                (beyond, Part::Low) => (-beyond, 0.0, 1.0),
                (beyond, Part::High) => (-beyond, 0.0, -1.0),
            }
        } else {
            let [side, low, high] = self.beyond(length, along).map(|(beyond, _)| beyond.max(0.0));
            let distance = side.hypot(low + high);
            (distance, side / distance, (high - low) / distance)
        };
        let scale = if length > 0.0 { outwards / length } else { 0.0 };
        let slopes = across.iter().map(|v| scale * v).chain([upwards]);
        gradient.iter_mut().zip(slopes).for_each(|(g, slope)| *g = slope);
        distance.max(0.0)
    }

    fn sections(&self, x: &[f64], axis: usize, window: (f64, f64)) -> Vec<(f64, f64)> {
        let (mut across, along) = self.split(x);
        if axis == self.center.len() {
            let is_met = Norm::Two.of(&across) <= self.radius;
            return is_met.then(|| clipped((self.low, self.high), window)).flatten().into_iter().collect();
        }
        across[axis] = 0.0;
        let length = Norm::Two.of(&across);
        let half = ((self.radius - length) * (self.radius + length)).sqrt();
        let section = (self.center[axis] - half, self.center[axis] + half);
        let is_met = length <= self.radius && (self.low..=self.high).contains(&along);
        is_met.then(|| clipped(section, window)).flatten().into_iter().collect()
    }

    fn breaks(&self, axis: usize) -> Vec<f64> {
        let ends = if axis == self.center.len() { vec![self.low, self.high] } else { Vec::new() };
        ends.into_iter().filter(|end| end.is_finite()).collect()
    }

    /// At an edge, that of one of the parts which meet there.
    fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
        let (across, along) = self.split(x);
        let length = Norm::Two.of(&across);
        normal.fill(0.0);
        match self.nearest(length, along) {
            (_, Part::Side) if length == 0.0 => return false,
            (_, Part::Side) => normal.iter_mut().zip(&across).for_each(|(n, v)| *n = v / length),
            _ => normal[across.len()] = 1.0,
        }
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
        let (has_low, has_high) = (self.low.is_finite(), self.high.is_finite());
        let is_even = scheme == BoundaryScheme::Even && dimension == 2 && has_low && has_high;
        if scheme != BoundaryScheme::Uniform && !is_even {
            return Err(no_such_scheme(self, scheme));
        }
        let (low, high) = sampling_window(self, sampling)?[dimension - 1];
        if is_even {
            let (left, right) = (self.center[0] - self.radius, self.center[0] + self.radius);
            let corners = vec![[left, low], [right, low], [right, high], [left, high]];
            return from_rows(Rings::new(vec![corners]).even(count), 2, self);
        }
        // In units of the surface of one end.
        let across = (dimension - 1) as f64;
        let side = across * (high - low) / self.radius;
        let [low_end, high_end] = [has_low, has_high].map(|is_there| f64::from(u8::from(is_there)));
        let mut values = Vec::with_capacity(count * dimension);
        while values.len() < count * dimension {
            let direction: Vec<f64> = (1..dimension).map(|_| StandardNormal.sample(rng)).collect();
            let length = Norm::Two.of(&direction);
            if length == 0.0 {
                continue;
            }
            let mark = (side + low_end + high_end) * rng.random::<f64>();
            let share: f64 = rng.random();
            // Uniform along the axis, or in the ball that is an end.
            let (radius, along) = match mark - side {
                rest if rest < 0.0 => (self.radius, low + (high - low) * share),
                rest if rest < low_end => (self.radius * share.powf(1.0 / across), self.low),
                _ => (self.radius * share.powf(1.0 / across), self.high),
            };
            values.extend(direction.iter().zip(&self.center).map(|(v, c)| c + v * (radius / length)));
            values.push(along);
        }
        from_rows(values, dimension, self)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        let across = self.center.iter().map(|c| (c - self.radius, c + self.radius));
        across.chain([(self.low, self.high)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Cuboid, conformance};
    use crate::random::stream;

    fn near(dimension: usize) -> Points<'static> {
        let mut rng = stream(5, dimension as u64);
        let values: Vec<f64> = (0..60 * dimension).map(|_| 3.0 * (rng.random::<f64>() - 0.5)).collect();
        Points::new(values, dimension).unwrap()
    }

    fn cylinder(low: f64, high: f64, dimension: usize) -> Cylinder {
        let center = (1..dimension).map(|l| 0.1 * l as f64).collect();
        Cylinder::new(1.1, low, high).unwrap().with_center(center).unwrap()
    }

    #[test]
    fn cylinders_conform() {
        for dimension in [2, 3, 4, 6] {
            for (low, high) in [(-0.9, 1.2), (-0.5, f64::INFINITY), (f64::NEG_INFINITY, f64::INFINITY)] {
                let tube = cylinder(low, high, dimension);
                assert_eq!(conformance::check(&tube, &near(dimension)), Ok(()));
            }
        }
    }

    /// Inside and outside, against the box that it is in the plane.
    #[test]
    fn in_the_plane_it_is_a_box() {
        let tube = cylinder(-0.9, 1.2, 2);
        let cuboid = Cuboid::new(vec![-1.0, -0.9], vec![1.2, 1.2]).unwrap();
        for x in near(2).rows() {
            let (mut own, mut boxes) = ([0.0; 2], [0.0; 2]);
            let distances =
                (tube.distance_to_boundary(x, &mut own), cuboid.distance_to_boundary(x, &mut boxes));
            assert!((distances.0 - distances.1).abs() < 1e-12, "{x:?} {distances:?}");
            assert!(own.iter().zip(boxes).all(|(a, b)| (a - b).abs() < 1e-9), "{x:?} {own:?} {boxes:?}");
        }
    }

    /// Radius 1 and height 3 in space: the side has 6 pi, each end pi, and inside an end the mean square of the
    /// distance from the axis is a half.
    #[test]
    fn parts_share_points_by_area() {
        let tube = Cylinder::new(1.0, 0.0, 3.0).unwrap().in_dimension(3).unwrap();
        let count = 40_000;
        let points = tube.sample_boundary(&BoundarySampling::new(count), &mut stream(3, 0)).unwrap();
        for end in [0.0, 3.0] {
            let on: Vec<&[f64]> = points.rows().filter(|x| x[2] == end).collect();
            let share = on.len() as f64 / count as f64;
            assert!((share - 0.125).abs() < 4.0 * (0.125 * 0.875 / count as f64).sqrt(), "{share}");
            let square = on.iter().map(|x| x[0] * x[0] + x[1] * x[1]).sum::<f64>() / on.len() as f64;
            assert!((square - 0.5).abs() < 0.02, "{square}");
        }
        let half_open = Cylinder::new(1.0, 0.0, f64::INFINITY).unwrap().in_dimension(3).unwrap();
        let error = half_open.sample_boundary(&BoundarySampling::new(9), &mut stream(3, 0)).unwrap_err();
        assert!(error.to_string().contains("unbounded"), "{error}");
    }

    #[test]
    fn impossible_cylinders_are_refused() {
        assert!(Cylinder::new(0.0, 0.0, 1.0).is_err());
        let error = Cylinder::new(1.0, 2.0, 1.0).unwrap_err().to_string();
        assert!(error.contains("larger than the lower end"), "{error}");
        let error = Cylinder::new(1.0, 0.0, 1.0).unwrap().in_dimension(1).unwrap_err().to_string();
        assert!(error.contains("1 coordinates where 2"), "{error}");
    }
}

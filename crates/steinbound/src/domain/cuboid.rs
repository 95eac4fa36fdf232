use std::sync::Arc;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::rings::Rings;
use super::{
    BoundarySampling, BoundaryScheme, Domain, Norm, Parameter, ParameterKind, Shape, check_count, clipped,
    from_rows, no_such_scheme, sampling_window,
};
use crate::error::DomainError;
use crate::points::Points;
use crate::text::brief;

/// The box `{x: low <= x <= high}`; sides may be infinite, so that half-lines and orthants are boxes too.
///
/// The distance to the boundary is that to the nearest finite face.
///
/// ```
/// use steinbound::domain::{Cuboid, Domain};
/// let interval = Cuboid::interval(-1.0, 1.0)?;
/// let mut gradient = [0.0];
/// assert_eq!(interval.distance(&[0.75], &mut gradient), 0.25);
/// assert_eq!(gradient, [-1.0]);
/// let quadrant = Cuboid::new(vec![0.0, 0.0], vec![f64::INFINITY, f64::INFINITY])?;
/// assert!(quadrant.contains(&[3.0, 100.0]));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Cuboid {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Cuboid {
    /// The box between two corners.
    pub fn new(low: Vec<f64>, high: Vec<f64>) -> Result<Cuboid, DomainError> {
        if low.is_empty() || low.len() != high.len() {
            return Err(DomainError::WrongDimension {
                what: "the upper corner of the box",
                found: high.len(),
                expected: low.len().max(1),
            });
        }
        for (l, (a, b)) in low.iter().zip(&high).enumerate() {
            // Written so that a NaN is refused as well.
            let is_interval = a < b && *a < f64::INFINITY && *b > f64::NEG_INFINITY;
            if !is_interval {
                return Err(DomainError::BadNumber {
                    what: format!("the upper limit of coordinate {} of the box", l + 1),
                    value: *b,
                    remedy: "it must be larger than the lower limit",
                });
            }
        }
        let cuboid = Cuboid { low, high };
        if cuboid.faces().is_empty() {
            return Err(DomainError::NoBoundary { domain: cuboid.describe() });
        }
        Ok(cuboid)
    }

    /// The interval `[low, high]` on the line.
    pub fn interval(low: f64, high: f64) -> Result<Cuboid, DomainError> {
        Cuboid::new(vec![low], vec![high])
    }

    /// The box with the same limits in each of `dimension` coordinates.
    pub fn uniform(low: f64, high: f64, dimension: usize) -> Result<Cuboid, DomainError> {
        Cuboid::new(vec![low; dimension], vec![high; dimension])
    }

    /// The finite faces as (coordinate, limit, direction inwards).
    fn faces(&self) -> Vec<(usize, f64, f64)> {
        let mut faces = Vec::new();
        for l in 0..self.low.len() {
            if self.low[l].is_finite() {
                faces.push((l, self.low[l], 1.0));
            }
            if self.high[l].is_finite() {
                faces.push((l, self.high[l], -1.0));
            }
        }
        faces
    }
}

/// The box as text. A single limit holds for every coordinate.
pub(super) static BOX: Shape = Shape {
    name: "box",
    example: "box(low=-3:-3, high=3:3)",
    usage: &[("box(low=-3, high=3)", "sides may be inf"), ("box(low=-3:-1, high=3:1)", "")],
    parameters: &[
        Parameter::required("low", ParameterKind::Numbers),
        Parameter::required("high", ParameterKind::Numbers),
    ],
    least_dimension: 1,
    dimension: |given| {
        let length = |name| given.numbers(name).map_or(0, <[f64]>::len);
        Some(length("low").max(length("high"))).filter(|d| *d > 1)
    },
    build: |given, dimension| {
        let corner = |limits: &[f64]| match limits {
            [single] => vec![*single; dimension],
            list => list.to_vec(),
        };
        let (low, high) = (given.required_numbers("low")?, given.required_numbers("high")?);
        Ok(Arc::new(Cuboid::new(corner(low), corner(high))?))
    },
};

/// The interval as text.
pub(super) static INTERVAL: Shape = Shape {
    name: "interval",
    example: "interval(-1, 1)",
    usage: &[("interval(-1, 1)", "one coordinate")],
    parameters: &[
        Parameter::required("low", ParameterKind::Number),
        Parameter::required("high", ParameterKind::Number),
    ],
    least_dimension: 1,
    dimension: |_| Some(1),
    build: |given, _| {
        Ok(Arc::new(Cuboid::interval(given.required_number("low")?, given.required_number("high")?)?))
    },
};

/// The most sides that a description names.
const MOST_SIDES: usize = 6;

impl Domain for Cuboid {
    fn describe(&self) -> String {
        let show = |(a, b): (&f64, &f64)| format!("[{}, {}]", brief(*a), brief(*b));
        let sides: Vec<String> = self.low.iter().zip(&self.high).map(show).collect();
        let all_equal = sides.iter().all(|side| *side == sides[0]);
        match sides.len() {
            1 => format!("interval {}", sides[0]),
            d if all_equal => format!("box {}^{d}", sides[0]),
            d if d > MOST_SIDES => format!("box {} x .. in {d} coordinates", sides[..MOST_SIDES].join(" x ")),
            _ => format!("box {}", sides.join(" x ")),
        }
    }

    fn dimension(&self) -> usize {
        self.low.len()
    }

    fn contains(&self, x: &[f64]) -> bool {
        let sides = self.low.iter().zip(&self.high);
        x.iter().zip(sides).all(|(x, (a, b))| a <= x && x <= b)
    }

    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        if !self.contains(x) {
            // Outside, the distance is that to the nearest point of the box.
            for (l, g) in gradient.iter_mut().enumerate() {
                *g = x[l] - x[l].clamp(self.low[l], self.high[l]);
            }
            let distance = Norm::Two.of(gradient);
            gradient.iter_mut().for_each(|g| *g /= distance);
            return distance;
        }
        let mut nearest = (f64::INFINITY, 0, 0.0);
        for (l, limit, inwards) in self.faces() {
            let distance = (x[l] - limit).abs();
            if distance < nearest.0 {
                nearest = (distance, l, inwards);
            }
        }
        let (distance, l, inwards) = nearest;
        gradient[l] = inwards;
        distance
    }

    fn sections(&self, x: &[f64], axis: usize, window: (f64, f64)) -> Vec<(f64, f64)> {
        let others = (0..x.len()).filter(|l| *l != axis);
        let is_met = others.into_iter().all(|l| self.low[l] <= x[l] && x[l] <= self.high[l]);
        let section = (self.low[axis], self.high[axis]);
        is_met.then(|| clipped(section, window)).flatten().into_iter().collect()
    }

    fn breaks(&self, axis: usize) -> Vec<f64> {
        [self.low[axis], self.high[axis]].into_iter().filter(|side| side.is_finite()).collect()
    }

    /// At an edge, that of one of the faces which meet there.
    fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
        let excess = |l: usize| (self.low[l] - x[l]).max(x[l] - self.high[l]);
        // Positive outside: there the side that the point is beyond counts, not the nearest.
        let Some(l) = (0..x.len()).max_by(|a, b| excess(*a).total_cmp(&excess(*b))) else { return false };
        normal.fill(0.0);
        normal[l] = 1.0;
        true
    }

    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        let BoundarySampling { count, scheme, .. } = *sampling;
        check_count(count, self.dimension())?;
        let faces = self.faces();
        if self.dimension() == 1 {
            let limits = faces.iter().map(|face| face.1).collect();
            return from_rows(limits, 1, self);
        }
        let dimension = self.dimension();
        let is_bounded = faces.len() == 2 * dimension;
        let exists = match scheme {
            BoundaryScheme::Uniform => true,
            BoundaryScheme::Even => is_bounded && dimension == 2,
            BoundaryScheme::Radial => is_bounded,
        };
        if !exists {
            return Err(no_such_scheme(self, scheme));
        }
        let window = sampling_window(self, sampling)?;
        if scheme == BoundaryScheme::Even {
            let ((left, right), (bottom, top)) = (window[0], window[1]);
            let corners = vec![[left, bottom], [right, bottom], [right, top], [left, top]];
            return from_rows(Rings::new(vec![corners]).even(count), 2, self);
        }
        let mut values = Vec::with_capacity(count * dimension);
        if scheme == BoundaryScheme::Radial {
            for _ in 0..count {
                let direction: Vec<f64> = (0..dimension).map(|_| StandardNormal.sample(rng)).collect();
                let half = |(a, b): &(f64, f64)| 0.5 * (b - a);
                let stretch = direction
                    .iter()
                    .zip(&window)
                    .map(|(v, side)| half(side) / v.abs())
                    .fold(f64::INFINITY, f64::min);
                let point = direction.iter().zip(&window);
                values.extend(point.map(|(v, (a, b))| (0.5 * (a + b) + v * stretch).clamp(*a, *b)));
            }
            return from_rows(values, dimension, self);
        }
        // The area of a face is the volume divided by the length of the side across it.
        let shares: Vec<f64> = faces.iter().map(|(l, ..)| 1.0 / (window[*l].1 - window[*l].0)).collect();
        let total: f64 = shares.iter().sum();
        for _ in 0..count {
            let mut mark = rng.random::<f64>() * total;
            let mut chosen = faces.len() - 1;
            for (f, share) in shares.iter().enumerate() {
                if mark < *share {
                    chosen = f;
                    break;
                }
                mark -= share;
            }
            let (face, limit, _) = faces[chosen];
            for (l, (a, b)) in window.iter().enumerate() {
                let inside = a + (b - a) * rng.random::<f64>();
                values.push(if l == face { limit } else { inside });
            }
        }
        from_rows(values, dimension, self)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.low.iter().copied().zip(self.high.iter().copied()).collect()
    }
}

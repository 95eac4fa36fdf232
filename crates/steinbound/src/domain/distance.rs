use std::sync::Arc;

use rayon::prelude::*;

use super::{Domain, Norm};
use crate::error::{DomainError, Interrupted};
use crate::interrupt::Interrupt;
use crate::matrix::Matrix;
use crate::points::{Points, squared_distance};

/// The weight `h` of bd-KSD and TruncSM: the distance to the boundary, or a power of it.
///
/// The distance is *exact*, by the domain's formula; or that to the *nearest* of some boundary points, in the
/// norm 1, 2 or infinity; or *along the axes* (TruncSM only): then each coordinate has its own weight, the
/// distance to the boundary if only that coordinate is moved.
///
/// ```
/// use steinbound::Points;
/// use steinbound::domain::{BoundaryDistance, Norm};
/// let boundary = Points::from_rows(&[[-1.0, 0.0], [1.0, 0.0]])?;
/// let distance = BoundaryDistance::nearest(boundary.clone());
/// let (values, gradients) = distance.at(&Points::from_rows(&[[0.5, 0.0], [1.0, 0.0]])?)?;
/// assert_eq!(values, vec![0.5, 0.0]);
/// assert_eq!(gradients.to_rows(), vec![vec![-1.0, 0.0], vec![0.0, 0.0]]);
/// // The paper's other choices: another norm, and a power.
/// let squared = BoundaryDistance::nearest(boundary).with_norm(Norm::One).with_power(2.0)?;
/// assert_eq!(squared.at(&Points::from_rows(&[[0.5, 0.5]])?)?.0, vec![1.0]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BoundaryDistance {
    kind: Kind,
    power: f64,
    interrupt: Interrupt,
}

#[derive(Debug, Clone)]
enum Kind {
    Exact(Arc<dyn Domain>),
    Nearest { boundary: Points<'static>, norm: Norm },
    Axes(Arc<dyn Domain>),
}

impl BoundaryDistance {
    fn new(kind: Kind) -> BoundaryDistance {
        BoundaryDistance { kind, power: 1.0, interrupt: Interrupt::new() }
    }

    /// The exact distance, by the domain's formula; zero outside.
    pub fn exact(domain: Arc<dyn Domain>) -> BoundaryDistance {
        BoundaryDistance::new(Kind::Exact(domain))
    }

    /// The distance to the nearest of these boundary points; its gradient is zero at a boundary point.
    /// Without boundary points the distance is zero.
    pub fn nearest(boundary: Points<'static>) -> BoundaryDistance {
        BoundaryDistance::new(Kind::Nearest { boundary, norm: Norm::Two })
    }

    /// The distance along each axis, one per coordinate; 1 if there is no boundary in that direction, zero
    /// outside.
    pub fn along_axes(domain: Arc<dyn Domain>) -> BoundaryDistance {
        BoundaryDistance::new(Kind::Axes(domain))
    }

    /// The norm in which the nearest boundary point is found; exact distances keep the domain's.
    pub fn with_norm(mut self, asked: Norm) -> BoundaryDistance {
        if let Kind::Nearest { norm, .. } = &mut self.kind {
            *norm = asked;
        }
        self
    }

    /// A positive power of the distance.
    pub fn with_power(mut self, power: f64) -> Result<BoundaryDistance, DomainError> {
        if !(power > 0.0 && power.is_finite()) {
            return Err(DomainError::BadNumber {
                what: "the power of the distance".into(),
                value: power,
                remedy: "it must be a positive number",
            });
        }
        self.power = power;
        Ok(self)
    }

    /// Ends the evaluation with an error once the interrupt is raised.
    pub fn interrupt(mut self, interrupt: Interrupt) -> BoundaryDistance {
        self.interrupt = interrupt;
        self
    }

    /// The distance of each point and its gradient, one row per point. Along the axes, the smallest of the
    /// distances.
    ///
    /// Fails only if the [interrupt](BoundaryDistance::interrupt) is raised.
    pub fn at(&self, points: &Points) -> Result<(Vec<f64>, Matrix), Interrupted> {
        let dimension = points.dimension();
        let mut values = vec![0.0; points.len()];
        let mut rows = vec![0.0; points.len() * dimension];
        let pairs = values.par_iter_mut().zip(rows.par_chunks_mut(dimension));
        pairs.enumerate().try_for_each(|(i, (value, gradient))| {
            self.interrupt.check()?;
            *value = self.evaluate(points.row(i), gradient);
            Ok(())
        })?;
        Ok((values, Matrix::from_fn(points.len(), dimension, |i, l| rows[i * dimension + l])))
    }

    /// The weight of each given coordinate and its derivative in that coordinate, one column per coordinate.
    pub(crate) fn along(
        &self,
        points: &Points,
        coordinates: &[usize],
    ) -> Result<(Matrix, Matrix), Interrupted> {
        if let Kind::Axes(domain) = &self.kind {
            let pair = |i: usize, l: usize| {
                self.interrupt.check()?;
                Ok(self.raised(section_distance(domain, points.row(i), coordinates[l])))
            };
            let both: Vec<Vec<(f64, f64)>> = (0..points.len())
                .into_par_iter()
                .map(|i| (0..coordinates.len()).map(|l| pair(i, l)).collect())
                .collect::<Result<_, Interrupted>>()?;
            let value = Matrix::from_fn(points.len(), coordinates.len(), |i, l| both[i][l].0);
            return Ok((value, Matrix::from_fn(points.len(), coordinates.len(), |i, l| both[i][l].1)));
        }
        let (values, gradients) = self.at(points)?;
        let value = Matrix::from_fn(points.len(), coordinates.len(), |i, _| values[i]);
        Ok((value, Matrix::from_fn(points.len(), coordinates.len(), |i, l| gradients[(i, coordinates[l])])))
    }

    fn evaluate(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let distance = match &self.kind {
            Kind::Exact(domain) => domain.distance(x, gradient),
            Kind::Nearest { boundary, norm } => nearest_distance(x, boundary, *norm, gradient),
            Kind::Axes(domain) => {
                gradient.fill(0.0);
                let all = (0..x.len()).map(|l| (l, section_distance(domain, x, l)));
                let smallest = all.reduce(|a, b| if b.1.0 < a.1.0 { b } else { a });
                smallest.map_or(0.0, |(l, (distance, slope))| {
                    gradient[l] = slope;
                    distance
                })
            }
        };
        let (value, slope) = self.raised((distance, 1.0));
        gradient.iter_mut().for_each(|g| *g *= slope);
        value
    }

    /// The power of a distance, and its derivative, from the distance and its derivative.
    fn raised(&self, (distance, slope): (f64, f64)) -> (f64, f64) {
        if self.power == 1.0 {
            return (distance, slope);
        }
        if distance <= 0.0 {
            return (0.0, 0.0);
        }
        (distance.powf(self.power), slope * self.power * distance.powf(self.power - 1.0))
    }
}

/// The distance from a point to the boundary if only one coordinate is moved, and its derivative in that
/// coordinate.
fn section_distance(domain: &Arc<dyn Domain>, x: &[f64], axis: usize) -> (f64, f64) {
    if !domain.contains(x) {
        return (0.0, 0.0);
    }
    let bounds = domain.bounds()[axis];
    // Sections may be found by scanning, so short windows are tried first to find near ends precisely.
    let (mut below, mut above) = (f64::INFINITY, f64::INFINITY);
    let mut reach = NEAR * (1.0 + x[axis].abs());
    while reach < FAR * (1.0 + x[axis].abs()) && below.is_infinite() && above.is_infinite() {
        let window = (bounds.0.max(x[axis] - reach), bounds.1.min(x[axis] + reach));
        let sections = domain.sections(x, axis, window);
        let own = sections.into_iter().find(|(low, high)| *low <= x[axis] && x[axis] <= *high);
        let Some((low, high)) = own else { return (0.0, 0.0) };
        if low > window.0 || low == bounds.0 {
            below = x[axis] - low;
        }
        if high < window.1 || high == bounds.1 {
            above = high - x[axis];
        }
        reach *= 8.0;
    }
    match below.min(above) {
        f64::INFINITY => (1.0, 0.0),
        _ if below <= above => (below, 1.0),
        _ => (above, -1.0),
    }
}

/// The shortest and the longest window, in units of the point's own size.
const NEAR: f64 = 0.02;
const FAR: f64 = 1e6;

fn nearest_distance(x: &[f64], boundary: &Points, norm: Norm, gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    if norm == Norm::Two {
        let Some((square, nearest)) = nearest_point(x, boundary) else { return 0.0 };
        let distance = square.sqrt();
        if distance > 0.0 {
            gradient.iter_mut().zip(x.iter().zip(nearest)).for_each(|(g, (x, b))| *g = (x - b) / distance);
        }
        return distance;
    }
    let apart = |b: &[f64]| -> Vec<f64> { x.iter().zip(b).map(|(x, b)| x - b).collect() };
    let all = boundary.rows().map(|b| (norm.of(&apart(b)), b));
    let Some((distance, nearest)) = all.reduce(|best, next| if next.0 < best.0 { next } else { best }) else {
        return 0.0;
    };
    let sign = |v: f64| if v == 0.0 { 0.0 } else { v.signum() };
    let away = apart(nearest);
    if norm == Norm::One {
        gradient.iter_mut().zip(&away).for_each(|(g, v)| *g = sign(*v));
    } else if let Some(l) = away.iter().position(|v| v.abs() == distance) {
        gradient[l] = sign(away[l]);
    }
    distance
}

/// The squared distance to the nearest of some points, and that point (the first of equals).
pub(crate) fn nearest_point<'a>(x: &[f64], points: &'a Points) -> Option<(f64, &'a [f64])> {
    let with_distance = points.rows().map(|b| (squared_distance(x, b), b));
    with_distance.reduce(|best, next| if next.0 < best.0 { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, Cuboid, HalfSpace, LevelSet};

    /// Every weight's gradient against central differences, for all norms and powers.
    #[test]
    fn gradients_are_derivatives() {
        let boundary = Points::from_rows(&[[-1.0, 0.3], [1.0, -0.2], [0.1, 1.3]]).unwrap();
        let disc: Arc<dyn Domain> = Arc::new(Ball::new(1.4).unwrap().in_dimension(2));
        let x = [0.31, -0.22];
        for power in [1.0, 0.5, 2.0, 3.0] {
            let mut distances: Vec<BoundaryDistance> = [Norm::One, Norm::Two, Norm::Infinity]
                .map(|norm| BoundaryDistance::nearest(boundary.clone()).with_norm(norm))
                .to_vec();
            distances.push(BoundaryDistance::exact(disc.clone()));
            distances.push(BoundaryDistance::along_axes(disc.clone()));
            for distance in distances {
                let distance = distance.with_power(power).unwrap();
                let at = |x: [f64; 2]| distance.along(&Points::from_rows(&[x]).unwrap(), &[0, 1]).unwrap();
                let (_, slope) = at(x);
                for l in 0..2 {
                    let (mut above, mut below) = (x, x);
                    above[l] += 1e-6;
                    below[l] -= 1e-6;
                    let difference = (at(above).0[(0, l)] - at(below).0[(0, l)]) / 2e-6;
                    assert!((difference - slope[(0, l)]).abs() < 1e-5, "{distance:?} {l}");
                }
            }
        }
    }

    #[test]
    fn axes_reach_the_boundary_of_their_own_section() {
        let boxed: Arc<dyn Domain> = Arc::new(Cuboid::new(vec![0.0, -1.0], vec![4.0, 1.0]).unwrap());
        let points = Points::from_rows(&[[1.0, 0.25], [3.5, -0.5]]).unwrap();
        let (value, slope) = BoundaryDistance::along_axes(boxed).along(&points, &[0, 1]).unwrap();
        for ((i, l), (h, s)) in
            [((0, 0), (1.0, 1.0)), ((0, 1), (0.75, -1.0)), ((1, 0), (0.5, -1.0)), ((1, 1), (0.5, 1.0))]
        {
            assert!((value[(i, l)] - h).abs() < 1e-12 && slope[(i, l)] == s);
        }
        // Found by scanning, the end of a section is where a formula says.
        let scanned: Arc<dyn Domain> = Arc::new(LevelSet::parse("1 - x1^2 - x2^2", 2).unwrap());
        let out = Points::from_rows(&[[1.5, 0.0]]).unwrap();
        let (value, slope) = BoundaryDistance::along_axes(scanned).along(&out, &[0, 1]).unwrap();
        assert!((value[(0, 0)] - 0.5).abs() < 1e-9 && slope[(0, 0)] == 1.0 && value[(0, 1)] == 1.0);
        // Along the plane of a half-space there is no boundary.
        let half: Arc<dyn Domain> = Arc::new(HalfSpace::new(vec![1.0, 0.0], 0.0).unwrap());
        let (value, slope) = BoundaryDistance::along_axes(half).along(&points, &[0, 1]).unwrap();
        assert!((value[(0, 0)] - 1.0).abs() < 1e-9 && (value[(0, 1)], slope[(0, 1)]) == (1.0, 0.0));
    }

    #[test]
    fn an_interrupt_is_an_error() {
        let disc: Arc<dyn Domain> = Arc::new(Ball::new(1.4).unwrap().in_dimension(2));
        let points = Points::from_rows(&[[0.1, 0.2]]).unwrap();
        for distance in [BoundaryDistance::exact(disc.clone()), BoundaryDistance::along_axes(disc)] {
            let interrupt = Interrupt::new();
            let distance = distance.interrupt(interrupt.clone());
            assert!(distance.at(&points).is_ok() && distance.along(&points, &[0]).is_ok());
            interrupt.raise();
            assert!(distance.at(&points).is_err() && distance.along(&points, &[0]).is_err());
        }
    }

    #[test]
    fn powers_are_positive() {
        assert!(BoundaryDistance::nearest(Points::none(1)).with_power(0.0).is_err());
    }
}

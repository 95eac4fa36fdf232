use std::f64::consts::TAU;
use std::sync::Arc;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};

use super::rings::Rings;
use super::{
    BoundarySampling, BoundaryScheme, Cuboid, Domain, Parameter, ParameterKind, Shape, check_count, clipped,
    from_rows, no_such_scheme,
};
use crate::error::DomainError;
use crate::points::Points;
use crate::text::brief;

/// The norm that makes a ball round, a cross-polytope, or a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Norm {
    /// The sum of absolute coordinates.
    One,
    /// The Euclidean length.
    Two,
    /// The largest absolute coordinate.
    Infinity,
}

impl Norm {
    /// The norm of a vector.
    ///
    /// ```
    /// use steinbound::domain::Norm;
    /// assert_eq!(Norm::One.of(&[3.0, -4.0]), 7.0);
    /// assert_eq!(Norm::Two.of(&[3.0, -4.0]), 5.0);
    /// assert_eq!(Norm::Infinity.of(&[3.0, -4.0]), 4.0);
    /// ```
    pub fn of(self, x: &[f64]) -> f64 {
        match self {
            Norm::One => x.iter().map(|v| v.abs()).sum(),
            Norm::Two => x.iter().map(|v| v * v).sum::<f64>().sqrt(),
            // Unlike f64::max, this keeps a NaN.
            Norm::Infinity => {
                x.iter().fold(0.0, |largest, v| if v.abs() <= largest { largest } else { v.abs() })
            }
        }
    }

    fn label(self) -> &'static str {
        match self {
            Norm::One => "l1",
            Norm::Two => "l2",
            Norm::Infinity => "l-infinity",
        }
    }
}

/// The ball `{x: |x - center| <= radius}` in the norm 1, 2 or infinity.
///
/// The distance to the boundary is `radius - |x - center|` in the ball's own norm, in `O(d)` operations. For
/// the norms 2 and infinity this is the Euclidean distance. For norm 1 the Euclidean distance is smaller by
/// the factor `sqrt(d)` and available by [`Ball::with_euclidean_distance`]; a constant factor changes no
/// estimate, only the scale of bd-KSD.
///
/// ```
/// use steinbound::domain::{Ball, Domain, Norm};
/// let ball = Ball::new(3.0)?.with_norm(Norm::One).with_center(vec![1.0, 0.0])?;
/// assert!(ball.contains(&[2.0, 2.0]));
/// let mut gradient = [0.0; 2];
/// assert_eq!(ball.distance(&[2.0, -1.0], &mut gradient), 1.0);
/// assert_eq!(gradient, [-1.0, 1.0]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ball {
    radius: f64,
    norm: Norm,
    center: Vec<f64>,
    euclidean_distance: bool,
}

impl Ball {
    /// The Euclidean ball about the origin of the line; see [`Ball::in_dimension`] and [`Ball::with_center`].
    pub fn new(radius: f64) -> Result<Ball, DomainError> {
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(DomainError::BadNumber {
                what: "the radius of the ball".into(),
                value: radius,
                remedy: "it must be a positive number",
            });
        }
        Ok(Ball { radius, norm: Norm::Two, center: vec![0.0], euclidean_distance: false })
    }

    /// The ball about the origin in `dimension` coordinates.
    pub fn in_dimension(mut self, dimension: usize) -> Ball {
        self.center = vec![0.0; dimension.max(1)];
        self
    }

    /// The ball about another centre, whose dimension it takes.
    pub fn with_center(mut self, center: Vec<f64>) -> Result<Ball, DomainError> {
        if center.is_empty() {
            return Err(DomainError::WrongDimension {
                what: "the center of the ball",
                found: 0,
                expected: 1,
            });
        }
        if let Some(value) = center.iter().find(|c| !c.is_finite()) {
            return Err(DomainError::BadNumber {
                what: "the center of the ball".into(),
                value: *value,
                remedy: "give finite coordinates",
            });
        }
        self.center = center;
        Ok(self)
    }

    /// The ball of another norm.
    pub fn with_norm(mut self, norm: Norm) -> Ball {
        self.norm = norm;
        self
    }

    /// The same ball, with distances in the Euclidean norm instead of its own.
    pub fn with_euclidean_distance(mut self) -> Ball {
        self.euclidean_distance = true;
        self
    }

    fn centered(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&self.center).map(|(x, c)| x - c).collect()
    }

    /// Points at even distances along the edge of a disc or of the square of norm 1, from the first axis on,
    /// as rows.
    fn even_rows(&self, count: usize) -> Vec<f64> {
        let turned = |angle: f64| {
            [self.center[0] + self.radius * angle.cos(), self.center[1] + self.radius * angle.sin()]
        };
        if self.norm == Norm::One {
            let (x, y, r) = (self.center[0], self.center[1], self.radius);
            return Rings::new(vec![vec![[x + r, y], [x, y + r], [x - r, y], [x, y - r]]]).even(count);
        }
        (0..count).flat_map(|k| turned(TAU * (k as f64 / count as f64))).collect()
    }

    /// The cube of the norm infinity as a box, which knows how to sample its faces.
    fn as_cuboid(&self) -> Result<Cuboid, DomainError> {
        let (low, high) = self.bounds().into_iter().unzip();
        Cuboid::new(low, high)
    }
}

/// The ball as text.
pub(super) static BALL: Shape = Shape {
    name: "ball",
    example: "ball(radius=2, norm=2, center=0:0)",
    usage: &[
        ("ball(radius=2)", "about the origin"),
        ("ball(radius=2, norm=1, center=0:0)", "norm 1, 2 or inf"),
    ],
    parameters: &[
        Parameter::required("radius", ParameterKind::Number),
        Parameter::optional("norm", ParameterKind::Choice(&[&["1"], &["2"], &["inf", "infinity"]])),
        Parameter::optional("center", ParameterKind::Numbers),
        Parameter::optional("distance", ParameterKind::Choice(&[&["own"], &["euclidean"]])),
    ],
    least_dimension: 1,
    dimension: |given| given.numbers("center").map(<[f64]>::len),
    build: |given, dimension| {
        let refused = |name, word: &str| {
            let reason = format!("\"{word}\" is not one of its choices");
            DomainError::BadArgument { name, reason }
        };
        let norm = match given.choice("norm") {
            None | Some("2") => Norm::Two,
            Some("1") => Norm::One,
            Some("inf") => Norm::Infinity,
            Some(other) => return Err(refused("norm", other)),
        };
        let mut ball = Ball::new(given.required_number("radius")?)?.with_norm(norm).in_dimension(dimension);
        if let Some(center) = given.numbers("center") {
            ball = ball.with_center(center.to_vec())?;
        }
        match given.choice("distance") {
            None | Some("own") => {}
            Some("euclidean") => ball = ball.with_euclidean_distance(),
            Some(other) => return Err(refused("distance", other)),
        }
        Ok(Arc::new(ball))
    },
};

impl Domain for Ball {
    fn describe(&self) -> String {
        format!("{} ball of radius {}", self.norm.label(), brief(self.radius))
    }

    fn dimension(&self) -> usize {
        self.center.len()
    }

    fn contains(&self, x: &[f64]) -> bool {
        self.norm.of(&self.centered(x)) <= self.radius
    }

    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let x = self.centered(x);
        let length = self.norm.of(&x);
        gradient.fill(0.0);
        // Outside, the distance grows with the length instead of falling.
        let side = if length > self.radius { -1.0 } else { 1.0 };
        let sign = |v: f64| if v == 0.0 { 0.0 } else { v.signum() };
        let scale = if self.norm == Norm::One && self.euclidean_distance {
            side / (x.len() as f64).sqrt()
        } else {
            side
        };
        match self.norm {
            _ if length == 0.0 => {}
            Norm::One => {
                for (g, v) in gradient.iter_mut().zip(&x) {
                    *g = -scale * sign(*v);
                }
            }
            Norm::Two => {
                for (g, v) in gradient.iter_mut().zip(&x) {
                    *g = -scale * v / length;
                }
            }
            Norm::Infinity => {
                if let Some(l) = x.iter().position(|v| v.abs() == length) {
                    gradient[l] = -scale * sign(x[l]);
                }
            }
        }
        scale * (self.radius - length)
    }

    fn sections(&self, x: &[f64], axis: usize, window: (f64, f64)) -> Vec<(f64, f64)> {
        let mut rest = self.centered(x);
        rest[axis] = 0.0;
        let length = self.norm.of(&rest);
        let half = match self.norm {
            // Written as a product, so that nothing is lost near the edge.
            Norm::Two => ((self.radius - length) * (self.radius + length)).sqrt(),
            Norm::One => self.radius - length,
            Norm::Infinity => self.radius,
        };
        let is_met = length <= self.radius;
        let section = (self.center[axis] - half, self.center[axis] + half);
        is_met.then(|| clipped(section, window)).flatten().into_iter().collect()
    }

    /// At an edge of the norms 1 and infinity, that of one of the faces which meet there.
    fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
        let x = self.centered(x);
        let length = self.norm.of(&x);
        if length == 0.0 {
            return false;
        }
        match self.norm {
            Norm::One => {
                let share = 1.0 / (x.len() as f64).sqrt();
                normal.iter_mut().zip(&x).for_each(|(n, v)| *n = share.copysign(*v));
            }
            Norm::Two => normal.iter_mut().zip(&x).for_each(|(n, v)| *n = v / length),
            Norm::Infinity => {
                normal.fill(0.0);
                if let Some(l) = x.iter().position(|v| v.abs() == length) {
                    normal[l] = 1.0f64.copysign(x[l]);
                }
            }
        }
        true
    }

    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        let BoundarySampling { count, scheme, .. } = *sampling;
        check_count(count, self.dimension())?;
        let dimension = self.dimension();
        if scheme == BoundaryScheme::Even && dimension > 2 {
            return Err(no_such_scheme(self, scheme));
        }
        if dimension == 1 || (self.norm == Norm::Infinity && scheme != BoundaryScheme::Radial) {
            return self.as_cuboid()?.sample_boundary(sampling, rng);
        }
        if scheme == BoundaryScheme::Even {
            return from_rows(self.even_rows(count), dimension, self);
        }
        let mut values = Vec::with_capacity(count * dimension);
        while values.len() < count * dimension {
            // A face of the cross-polytope is a simplex, on which normalised exponentials are uniform.
            let simplex = self.norm == Norm::One && scheme == BoundaryScheme::Uniform;
            let direction: Vec<f64> = (0..dimension)
                .map(|_| {
                    if simplex {
                        let size: f64 = Exp1.sample(rng);
                        if rng.random::<bool>() { size } else { -size }
                    } else {
                        StandardNormal.sample(rng)
                    }
                })
                .collect();
            let length = self.norm.of(&direction);
            if length > 0.0 {
                let point = direction.iter().zip(&self.center);
                values.extend(point.map(|(v, c)| c + v * self.radius / length));
            }
        }
        from_rows(values, dimension, self)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        let side = |c: &f64| (c - self.radius, c + self.radius);
        self.center.iter().map(side).collect()
    }
}

use std::f64::consts::TAU;
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
use crate::text::brief;

/// The ring `{x: inner <= |x - center| <= outer}`: between two circles in the plane, two spheres in space.
///
/// On the line it is two intervals. The distance to the boundary is that to the nearer of the two spheres.
///
/// ```
/// use steinbound::domain::{Annulus, Domain};
/// let ring = Annulus::new(0.5, 2.0)?.in_dimension(2);
/// assert!(ring.contains(&[1.0, 0.0]) && !ring.contains(&[0.1, 0.0]) && !ring.contains(&[2.0, 1.0]));
/// let mut gradient = [0.0; 2];
/// assert_eq!(ring.distance(&[0.75, 0.0], &mut gradient), 0.25);
/// assert_eq!(gradient, [1.0, 0.0]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Annulus {
    inner: f64,
    outer: f64,
    center: Vec<f64>,
}

impl Annulus {
    /// The ring about the origin of the line; see [`Annulus::in_dimension`] and [`Annulus::with_center`].
    pub fn new(inner: f64, outer: f64) -> Result<Annulus, DomainError> {
        positive("the inner radius of the annulus", inner)?;
        positive("the outer radius of the annulus", outer)?;
        if inner >= outer {
            return Err(DomainError::BadNumber {
                what: "the outer radius of the annulus".into(),
                value: outer,
                remedy: "it must be larger than the inner radius",
            });
        }
        Ok(Annulus { inner, outer, center: vec![0.0] })
    }

    /// The ring about the origin in `dimension` coordinates.
    pub fn in_dimension(mut self, dimension: usize) -> Annulus {
        self.center = vec![0.0; dimension.max(1)];
        self
    }

    /// The ring about another centre, whose dimension it takes.
    pub fn with_center(mut self, center: Vec<f64>) -> Result<Annulus, DomainError> {
        let dimension = center.len().max(1);
        self.center = center_or_origin("the center of the annulus", Some(center), dimension)?;
        Ok(self)
    }

    fn centered(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&self.center).map(|(x, c)| x - c).collect()
    }

    /// The place at this distance from the centre in a direction.
    fn at(&self, radius: f64, direction: &[f64]) -> Vec<f64> {
        let scale = radius / Norm::Two.of(direction);
        direction.iter().zip(&self.center).map(|(v, c)| c + scale * v).collect()
    }

    /// Points at even distances along the outer circle and then the inner one, from the first axis on.
    fn even_rows(&self, count: usize) -> Vec<f64> {
        let total = TAU * (self.outer + self.inner);
        let place = |k: usize| {
            let mark = total * (k as f64 / count as f64);
            let (radius, along) = match mark - TAU * self.outer {
                rest if rest < 0.0 => (self.outer, mark),
                rest => (self.inner, rest),
            };
            let angle = along / radius;
            self.at(radius, &[angle.cos(), angle.sin()])
        };
        (0..count).flat_map(place).collect()
    }
}

/// The annulus as text.
pub(super) static ANNULUS: Shape = Shape {
    name: "annulus",
    example: "annulus(inner=0.5, outer=2, center=0:0)",
    usage: &[("annulus(inner=0.5, outer=2)", "between two spheres; center=0:0")],
    parameters: &[
        Parameter::required("inner", ParameterKind::Number),
        Parameter::required("outer", ParameterKind::Number),
        Parameter::optional("center", ParameterKind::Numbers),
    ],
    least_dimension: 1,
    dimension: |given| given.numbers("center").map(<[f64]>::len),
    build: |given, dimension| {
        let annulus = Annulus::new(given.required_number("inner")?, given.required_number("outer")?)?;
        Ok(match given.numbers("center") {
            Some(center) => Arc::new(annulus.with_center(center.to_vec())?),
            None => Arc::new(annulus.in_dimension(dimension)),
        })
    },
};

impl Domain for Annulus {
    fn describe(&self) -> String {
        format!("annulus of radii {} and {}", brief(self.inner), brief(self.outer))
    }

    fn dimension(&self) -> usize {
        self.center.len()
    }

    fn contains(&self, x: &[f64]) -> bool {
        (self.inner..=self.outer).contains(&Norm::Two.of(&self.centered(x)))
    }

    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let x = self.centered(x);
        let length = Norm::Two.of(&x);
        let (to_inner, to_outer) = (length - self.inner, self.outer - length);
        // Along the way from the centre, inside and out of either sphere.
        let (distance, slope) = match (to_inner < 0.0, to_outer < 0.0) {
            (true, _) => (-to_inner, -1.0),
            (_, true) => (-to_outer, 1.0),
            _ if to_inner <= to_outer => (to_inner, 1.0),
            _ => (to_outer, -1.0),
        };
        let scale = if length > 0.0 { slope / length } else { 0.0 };
        gradient.iter_mut().zip(&x).for_each(|(g, v)| *g = scale * v);
        distance
    }

    fn sections(&self, x: &[f64], axis: usize, window: (f64, f64)) -> Vec<(f64, f64)> {
        let mut rest = self.centered(x);
        rest[axis] = 0.0;
        let length = Norm::Two.of(&rest);
        // Written as a product, so that nothing is lost near the edge.
        let half = |radius: f64| (length <= radius).then(|| ((radius - length) * (radius + length)).sqrt());
        let center = self.center[axis];
        let Some(outer) = half(self.outer) else { return Vec::new() };
        let sections = match half(self.inner).filter(|inner| *inner > 0.0) {
            Some(inner) => {
                vec![(center - outer, center - inner), (center + inner, center + outer)]
            }
            None => vec![(center - outer, center + outer)],
        };
        sections.into_iter().filter_map(|section| clipped(section, window)).collect()
    }

    fn normal(&self, x: &[f64], normal: &mut [f64]) -> bool {
        let x = self.centered(x);
        let length = Norm::Two.of(&x);
        if length > 0.0 {
            normal.iter_mut().zip(&x).for_each(|(n, v)| *n = v / length);
        }
        length > 0.0
    }

    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        let BoundarySampling { count, scheme, .. } = *sampling;
        let dimension = self.dimension();
        check_count(count, dimension)?;
        if let [center] = self.center.as_slice() {
            let Annulus { inner, outer, .. } = self;
            return from_rows(vec![center - outer, center - inner, center + inner, center + outer], 1, self);
        }
        match scheme {
            BoundaryScheme::Uniform => {}
            BoundaryScheme::Even if dimension == 2 => return from_rows(self.even_rows(count), 2, self),
            _ => return Err(no_such_scheme(self, scheme)),
        }
        // Surfaces are as powers of the radii.
        let share = 1.0 / (1.0 + (self.inner / self.outer).powf(dimension as f64 - 1.0));
        let mut values = Vec::with_capacity(count * dimension);
        while values.len() < count * dimension {
            let radius = if rng.random::<f64>() < share { self.outer } else { self.inner };
            let direction: Vec<f64> = (0..dimension).map(|_| StandardNormal.sample(rng)).collect();
            if Norm::Two.of(&direction) > 0.0 {
                values.extend(self.at(radius, &direction));
            }
        }
        from_rows(values, dimension, self)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.center.iter().map(|c| (c - self.outer, c + self.outer)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::conformance;
    use crate::random::stream;

    fn near(dimension: usize) -> Points<'static> {
        let mut rng = stream(5, dimension as u64);
        let values: Vec<f64> = (0..60 * dimension).map(|_| 3.0 * (rng.random::<f64>() - 0.5)).collect();
        Points::new(values, dimension).unwrap()
    }

    #[test]
    fn annuli_conform() {
        for dimension in [1, 2, 3, 6] {
            let center = (0..dimension).map(|l| 0.1 * l as f64).collect();
            let ring = Annulus::new(0.6, 1.3).unwrap().with_center(center).unwrap();
            assert_eq!(conformance::check(&ring, &near(dimension)), Ok(()));
        }
    }

    /// Spheres of radii 1 and 2 in three dimensions have areas 1 to 4; on each a coordinate is uniform.
    #[test]
    fn surfaces_share_points_by_area() {
        let ring = Annulus::new(1.0, 2.0).unwrap().in_dimension(3);
        let count = 20_000;
        let points = ring.sample_boundary(&BoundarySampling::new(count), &mut stream(3, 0)).unwrap();
        let mean = |f: &dyn Fn(&[f64]) -> f64| points.rows().map(f).sum::<f64>() / count as f64;
        let share = mean(&|x| f64::from(u8::from(Norm::Two.of(x) < 1.5)));
        assert!((share - 0.2).abs() < 4.0 * (0.2 * 0.8 / count as f64).sqrt(), "{share}");
        let fourth = mean(&|x| (x[2] / Norm::Two.of(x)).powi(4));
        assert!((fourth - 0.2).abs() < 0.01, "{fourth}");
    }

    #[test]
    fn even_points_run_along_both_circles() {
        let ring = Annulus::new(1.0, 2.0).unwrap().in_dimension(2);
        let even = BoundarySampling::new(30).scheme(BoundaryScheme::Even);
        let points = ring.sample_boundary(&even, &mut stream(0, 0)).unwrap();
        assert_eq!(points.rows().filter(|x| x[0].hypot(x[1]) > 1.5).count(), 20);
        let gap = |k: usize| squared(points.row(k), points.row(k + 1)).sqrt();
        assert!((gap(3) - 4.0 * (TAU / 40.0).sin()).abs() < 1e-12);
        assert!((gap(24) - 2.0 * (TAU / 20.0).sin()).abs() < 1e-12);
        let space = Annulus::new(1.0, 2.0).unwrap().in_dimension(3);
        assert!(space.sample_boundary(&even, &mut stream(0, 0)).is_err());
    }

    fn squared(a: &[f64], b: &[f64]) -> f64 {
        crate::points::squared_distance(a, b)
    }

    #[test]
    fn impossible_rings_are_refused() {
        let message = |inner, outer| Annulus::new(inner, outer).unwrap_err().to_string();
        assert!(message(2.0, 1.0).contains("larger than the inner radius"));
        assert!(message(0.0, 1.0).contains("inner radius of the annulus is 0"));
        assert!(message(0.5, f64::INFINITY).contains("positive number"));
        assert!(Annulus::new(1.0, 2.0).unwrap().with_center(vec![]).is_err());
    }
}

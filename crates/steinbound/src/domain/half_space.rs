use std::sync::Arc;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::{
    BoundarySampling, BoundaryScheme, Domain, Norm, Parameter, ParameterKind, Shape, check_count, clipped,
    from_rows, no_such_scheme, padded,
};
use crate::error::DomainError;
use crate::points::Points;
use crate::text::{brief, brief_point};

/// The half-space `{x: normal . x >= offset}`.
///
/// ```
/// use steinbound::domain::{Domain, HalfSpace};
/// let above = HalfSpace::new(vec![3.0, 4.0], 5.0)?;
/// let mut gradient = [0.0; 2];
/// assert_eq!(above.distance(&[3.0, 4.0], &mut gradient), 4.0);
/// assert_eq!(gradient, [0.6, 0.8]);
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct HalfSpace {
    normal: Vec<f64>,
    offset: f64,
    /// The normal at unit length, and the offset divided alike.
    unit: Vec<f64>,
    unit_offset: f64,
}

impl HalfSpace {
    /// The half-space on the side to which `normal` points.
    pub fn new(normal: Vec<f64>, offset: f64) -> Result<HalfSpace, DomainError> {
        let length = Norm::Two.of(&normal);
        if !(length > 0.0 && length.is_finite()) {
            return Err(DomainError::BadNumber {
                what: "the length of the half-space's normal".into(),
                value: length,
                remedy: "give finite numbers that are not all zero",
            });
        }
        if !offset.is_finite() {
            return Err(DomainError::BadNumber {
                what: "the offset of the half-space".into(),
                value: offset,
                remedy: "give a finite number",
            });
        }
        Ok(HalfSpace {
            unit: normal.iter().map(|v| v / length).collect(),
            unit_offset: offset / length,
            normal,
            offset,
        })
    }

    fn height(&self, x: &[f64]) -> f64 {
        let product: f64 = x.iter().zip(&self.unit).map(|(x, u)| x * u).sum();
        product - self.unit_offset
    }
}

/// An orthonormal basis of the plane perpendicular to a unit vector: the Householder reflection that turns
/// the vector into a coordinate axis turns the other axes into the plane.
pub(super) fn plane_basis(unit: &[f64]) -> Vec<Vec<f64>> {
    let dimension = unit.len();
    let axis = (0..dimension).max_by(|a, b| unit[*a].abs().total_cmp(&unit[*b].abs())).unwrap_or(0);
    let mut mirror = unit.to_vec();
    mirror[axis] += unit[axis].signum();
    let square: f64 = mirror.iter().map(|v| v * v).sum();
    (0..dimension)
        .filter(|l| *l != axis)
        .map(|l| {
            let reflect = |k: usize| f64::from(u8::from(k == l)) - 2.0 * mirror[k] * mirror[l] / square;
            (0..dimension).map(reflect).collect()
        })
        .collect()
}

/// The half-space as text.
pub(super) static HALF_SPACE: Shape = Shape {
    name: "halfspace",
    example: "halfspace(normal=1:0, offset=5)",
    usage: &[("halfspace(normal=1:0, offset=5)", "normal.x >= offset")],
    parameters: &[
        Parameter::required("normal", ParameterKind::Numbers),
        Parameter::required("offset", ParameterKind::Number),
    ],
    least_dimension: 1,
    dimension: |given| given.numbers("normal").map(<[f64]>::len),
    build: |given, _| {
        let normal = given.required_numbers("normal")?.to_vec();
        Ok(Arc::new(HalfSpace::new(normal, given.required_number("offset")?)?))
    },
};

impl Domain for HalfSpace {
    fn describe(&self) -> String {
        format!("half-space {} . x >= {}", brief_point(&self.normal), brief(self.offset))
    }

    fn dimension(&self) -> usize {
        self.normal.len()
    }

    fn contains(&self, x: &[f64]) -> bool {
        let product: f64 = x.iter().zip(&self.normal).map(|(x, v)| x * v).sum();
        product >= self.offset
    }

    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let height = self.height(x);
        let side = if self.contains(x) { 1.0 } else { -1.0 };
        gradient.iter_mut().zip(&self.unit).for_each(|(g, u)| *g = side * u);
        (side * height).max(0.0)
    }

    fn sections(&self, x: &[f64], axis: usize, window: (f64, f64)) -> Vec<(f64, f64)> {
        let other: f64 = (0..x.len()).filter(|l| *l != axis).map(|l| x[l] * self.normal[l]).sum();
        let everywhere = (f64::NEG_INFINITY, f64::INFINITY);
        let section = match (self.offset - other) / self.normal[axis] {
            limit if self.normal[axis] > 0.0 => Some((limit, f64::INFINITY)),
            limit if self.normal[axis] < 0.0 => Some((f64::NEG_INFINITY, limit)),
            _ => (other >= self.offset).then_some(everywhere),
        };
        section.and_then(|section| clipped(section, window)).into_iter().collect()
    }

    fn normal(&self, _: &[f64], normal: &mut [f64]) -> bool {
        normal.copy_from_slice(&self.unit);
        true
    }

    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        let BoundarySampling { count, scheme, .. } = *sampling;
        check_count(count, self.dimension())?;
        let foot: Vec<f64> = self.unit.iter().map(|u| u * self.unit_offset).collect();
        if self.dimension() == 1 {
            return from_rows(foot, 1, self);
        }
        if scheme != BoundaryScheme::Uniform {
            return Err(no_such_scheme(self, scheme));
        }
        let near = sampling.near_points(self)?;
        let basis = plane_basis(&self.unit);
        // How far along an axis the ellipsoid of these half-axes extends.
        let beyond = |axis: &[f64], margin: &[f64]| {
            axis.iter().zip(margin).map(|(a, m)| (a * m) * (a * m)).sum::<f64>().sqrt()
        };
        let extents: Vec<(f64, f64)> = basis
            .iter()
            .map(|axis| {
                let along = |x: &[f64]| x.iter().zip(axis).map(|(x, a)| x * a).sum::<f64>();
                let extent = near
                    .rows()
                    .map(along)
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), t| (low.min(t), high.max(t)));
                match sampling.margin() {
                    Some(margin) => (extent.0 - beyond(axis, margin), extent.1 + beyond(axis, margin)),
                    None => padded(extent),
                }
            })
            .collect();
        let mut values = Vec::with_capacity(count * self.dimension());
        for _ in 0..count {
            let mut point = foot.clone();
            for (axis, (low, high)) in basis.iter().zip(&extents) {
                let along = low + (high - low) * rng.random::<f64>();
                point.iter_mut().zip(axis).for_each(|(p, a)| *p += along * a);
            }
            values.extend(point);
        }
        from_rows(values, self.dimension(), self)
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        let is_axis = |l: usize| self.unit.iter().enumerate().all(|(k, u)| (k == l) == (*u != 0.0));
        (0..self.dimension())
            .map(|l| match self.offset / self.normal[l] {
                limit if is_axis(l) && self.normal[l] > 0.0 => (limit, f64::INFINITY),
                limit if is_axis(l) => (f64::NEG_INFINITY, limit),
                _ => everything,
            })
            .collect()
    }
}

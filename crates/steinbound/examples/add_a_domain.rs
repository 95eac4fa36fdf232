//! A new domain: the ring between two spheres, for example the region observed by a detector with a blind
//! spot and a range.

use std::sync::Arc;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use steinbound::domain::{
    BoundarySampling, BoundaryScheme, Domain, Parameter, ParameterKind, Shape, ShapeArguments,
};
use steinbound::model::Gaussian;
use steinbound::{DomainError, Error, Estimator, Points, simulate};

/// The points whose distance from the origin is at least `inner` and at most `outer`.
#[derive(Debug)]
struct Annulus {
    inner: f64,
    outer: f64,
    dimension: usize,
}

impl Annulus {
    fn new(inner: f64, outer: f64, dimension: usize) -> Result<Annulus, DomainError> {
        if !(0.0 < inner && inner < outer && outer.is_finite()) {
            let what = "the outer radius of the ring".to_string();
            let remedy = "it must be larger than the inner radius, which must be positive";
            return Err(DomainError::BadNumber { what, value: outer, remedy });
        }
        Ok(Annulus { inner, outer, dimension })
    }
}

/// The ring as text. In the library, one line in `SHAPES` registers it for the command line, Python and the
/// help texts.
static RING: Shape = Shape {
    name: "ring",
    example: "ring(inner=0.5, outer=1.8)",
    usage: &[("ring(inner=0.5, outer=1.8)", "about the origin")],
    parameters: &[
        Parameter::required("inner", ParameterKind::Number),
        Parameter::required("outer", ParameterKind::Number),
    ],
    least_dimension: 2,
    dimension: |_| None,
    build: |given, dimension| {
        let (inner, outer) = (given.required_number("inner")?, given.required_number("outer")?);
        Ok(Arc::new(Annulus::new(inner, outer, dimension)?))
    },
};

fn length(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

impl Domain for Annulus {
    fn describe(&self) -> String {
        format!("ring between the radii {} and {}", self.inner, self.outer)
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn contains(&self, x: &[f64]) -> bool {
        (self.inner..=self.outer).contains(&length(x))
    }

    fn distance_to_boundary(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let radius = length(x);
        let nearest = if radius - self.inner < self.outer - radius { self.inner } else { self.outer };
        let side = if radius < nearest { -1.0 } else { 1.0 };
        for (g, v) in gradient.iter_mut().zip(x) {
            // At the centre every direction is equally good.
            *g = if radius > 0.0 { side * v / radius } else { 0.0 };
        }
        (radius - nearest).abs()
    }

    /// Optional: by default sections are found by testing many places.
    fn sections(&self, x: &[f64], axis: usize, (low, high): (f64, f64)) -> Vec<(f64, f64)> {
        let rest = (length(x).powi(2) - x[axis] * x[axis]).max(0.0);
        let half_chord = |radius: f64| (radius * radius - rest).max(0.0).sqrt();
        let (hole, reach) = (half_chord(self.inner), half_chord(self.outer));
        if rest > self.outer * self.outer {
            return Vec::new();
        }
        let whole = if hole > 0.0 { vec![(-reach, -hole), (hole, reach)] } else { vec![(-reach, reach)] };
        let clipped = whole.into_iter().map(|(from, to)| (f64::max(from, low), f64::min(to, high)));
        clipped.filter(|(from, to)| from <= to).collect()
    }

    fn sample_boundary(
        &self,
        sampling: &BoundarySampling,
        rng: &mut ChaCha8Rng,
    ) -> Result<Points<'static>, DomainError> {
        if sampling.count == 0 {
            return Err(DomainError::NoPoints);
        }
        let scheme = match sampling.scheme {
            BoundaryScheme::Uniform => None,
            BoundaryScheme::Even => Some("even spacing"),
            _ => Some("radial projection"),
        };
        if let Some(scheme) = scheme {
            return Err(DomainError::NoSuchScheme { domain: self.describe(), scheme });
        }
        let surface = |radius: f64| radius.powi(self.dimension as i32 - 1);
        let share = surface(self.inner) / (surface(self.inner) + surface(self.outer));
        let rows: Vec<Vec<f64>> = (0..sampling.count)
            .map(|_| {
                let radius = if rng.random::<f64>() < share { self.inner } else { self.outer };
                let direction: Vec<f64> = (0..self.dimension).map(|_| StandardNormal.sample(rng)).collect();
                let scale = radius / length(&direction);
                direction.into_iter().map(|v| scale * v).collect()
            })
            .collect();
        Points::from_rows(&rows).map_err(|_| DomainError::Unbounded { domain: self.describe() })
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(-self.outer, self.outer); self.dimension]
    }
}

fn main() -> Result<(), Error> {
    let given = ShapeArguments::default().with_numbers("inner", [0.5]).with_numbers("outer", [1.8]);
    let ring = (RING.build)(&given, 2)?;
    let model = Gaussian::with_variance(2, 1.0)?;
    let data =
        simulate::truncated(&model, &[0.5, 0.5], ring.as_ref(), 1000, &mut simulate::stream(1, 0))?.points;
    for estimator in [Estimator::tksd(), Estimator::truncsm(), Estimator::truncated_mle()] {
        println!("{}", estimator.domain(ring.clone()).fit(&data, &model)?.summary());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use steinbound::domain::conformance;

    use super::*;

    #[test]
    fn conforms() -> Result<(), Error> {
        for dimension in [1, 2, 3] {
            let ring = Annulus::new(0.5, 1.8, dimension)?;
            let coordinate =
                |i: usize, l: usize| 4.0 * ((i as f64 + 0.3) * (l as f64 + 2.0).sqrt()).fract() - 2.0;
            let rows: Vec<Vec<f64>> =
                (0..40).map(|i| (0..dimension).map(|l| coordinate(i, l)).collect()).collect();
            assert_eq!(conformance::check(&ring, &Points::from_rows(&rows)?), Ok(()));
        }
        Ok(())
    }

    #[test]
    fn impossible_rings_are_refused() {
        let build = |outer: f64| {
            (RING.build)(
                &ShapeArguments::default().with_numbers("inner", [0.5]).with_numbers("outer", [outer]),
                2,
            )
        };
        assert!(build(1.8).is_ok());
        assert!(build(0.4).unwrap_err().to_string().contains("larger than the inner radius"));
    }
}

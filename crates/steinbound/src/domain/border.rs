//! Points on the border, which rounding may have moved out.

use std::f64::consts::TAU;

use super::Domain;

/// Directions around a point in which its neighbours lie.
const DIRECTIONS: usize = 16;

/// The part of a coordinate that rounding may change on its way through files and formulas.
const ROUNDING: f64 = 1e-12;

/// Whether a point lies inside of a domain, or outside by at most `tolerance`.
///
/// In the plane, and where there is no formula for the distance, places around the point at that distance are
/// looked at, which is fast even if the boundary has many edges.
///
/// ```
/// use steinbound::domain::{Cuboid, contains_within};
/// let square = Cuboid::new(vec![-1.0; 2], vec![1.0; 2])?;
/// assert!(contains_within(&square, &[1.0 + 1e-10, 0.0], 1e-9));
/// assert!(!contains_within(&square, &[1.0 + 1e-8, 0.0], 1e-9));
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn contains_within(domain: &dyn Domain, x: &[f64], tolerance: f64) -> bool {
    if let &[x, y] = x {
        return contains_near(domain, [x, y], [tolerance; 2]);
    }
    if domain.contains(x) {
        return true;
    }
    if domain.has_distance() {
        return domain.distance_to_boundary(x, &mut vec![0.0; x.len()]) <= tolerance;
    }
    let mut beside = x.to_vec();
    (0..x.len()).any(|axis| {
        let is_near = [-tolerance, tolerance].iter().any(|step| {
            beside[axis] = x[axis] + step;
            domain.contains(&beside)
        });
        beside[axis] = x[axis];
        is_near
    })
}

/// Whether a point of the plane lies inside of a domain, or within an ellipse with these half-axes of it: where
/// the two axes have other units, such as degrees of longitude and latitude.
///
/// ```
/// use steinbound::domain::{Cuboid, contains_near};
/// let square = Cuboid::new(vec![-1.0; 2], vec![1.0; 2])?;
/// assert!(contains_near(&square, [1.3, 0.0], [0.4, 0.2]) && !contains_near(&square, [0.0, 1.3], [0.4, 0.2]));
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn contains_near(domain: &dyn Domain, [x, y]: [f64; 2], [across, along]: [f64; 2]) -> bool {
    let is_inside_at = |k: usize| {
        let (sine, cosine) = (TAU * k as f64 / DIRECTIONS as f64).sin_cos();
        domain.contains(&[x + across * cosine, y + along * sine])
    };
    domain.contains(&[x, y]) || (0..DIRECTIONS).any(is_inside_at)
}

/// How far rounding may move a point near a domain: a tiny part of the largest coordinate of either.
///
/// ```
/// use steinbound::domain::{Cuboid, rounding_tolerance};
/// assert_eq!(rounding_tolerance(&Cuboid::interval(-1.0, 1000.0)?, &[(0.0, 3.0)]), 1e-9);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn rounding_tolerance(domain: &dyn Domain, bounds: &[(f64, f64)]) -> f64 {
    let limits = domain.bounds().into_iter().chain(bounds.iter().copied());
    let finite = limits.flat_map(|(low, high)| [low.abs(), high.abs()]).filter(|value| value.is_finite());
    ROUNDING * finite.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::LevelSet;
    use crate::expression::Expression;

    #[test]
    fn a_formula_has_no_distance_but_neighbours() {
        let names: Vec<String> = ["x1", "x2"].map(String::from).to_vec();
        let disc = LevelSet::new(Expression::parse("x1^2 + x2^2 - 1", &names).unwrap(), 2).unwrap();
        assert!(!disc.has_distance());
        for angle in [0.0, 0.3, 0.78, 2.0] {
            let at = |radius: f64| [radius * f64::cos(angle), radius * f64::sin(angle)];
            assert!(contains_within(&disc, &at(1.0 + 9e-10), 1e-9));
            assert!(!contains_within(&disc, &at(1.0 + 1.1e-9), 1e-9));
        }
        assert!(!contains_within(&disc, &[f64::NAN, 0.0], 1e-9));
    }
}

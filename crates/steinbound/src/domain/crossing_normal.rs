//! The direction perpendicular to a boundary, from membership alone.

use super::half_space::plane_basis;

/// Distances from a boundary point at which its neighbourhood is probed, as shares of the domain's extent:
/// the second for boundaries that bend within the first.
const STEPS: [f64; 2] = [1e-4, 1e-6];

/// Steps shorter than this share of a coordinate would be lost to rounding.
const SHORTEST: f64 = 1e-9;

/// The number of times the direction is improved; the first may be wrong by almost a right angle.
const PASSES: usize = 3;

/// The number of halvings that find a crossing.
const HALVINGS: usize = 30;

/// How far the boundary may bend away from its tangent plane, as a share of the step; corners bend more.
const LARGEST_BEND: f64 = 0.2;

/// Writes the unit vector perpendicular to the boundary at a point of it: that of the plane through nearby
/// places where membership changes. `false`, and nothing written, at a corner or away from the boundary.
///
/// `bounds` is the box around the domain. Takes about `200 d` tests of membership.
pub(super) fn normal_by_crossings(
    contains: impl Fn(&[f64]) -> bool,
    bounds: &[(f64, f64)],
    x: &[f64],
    normal: &mut [f64],
) -> bool {
    if let [only] = normal {
        *only = 1.0;
        return true;
    }
    let extent = extent(bounds, x);
    let size = x.iter().fold(0.0f64, |size, v| size.max(v.abs()));
    for step in STEPS {
        if let Some(found) = perpendicular(&contains, x, (step * extent).max(SHORTEST * size)) {
            normal.copy_from_slice(&found);
            return true;
        }
    }
    false
}

/// The shortest side of the box around a domain; if none is finite, the size of a point of its boundary.
pub(super) fn extent(bounds: &[(f64, f64)], x: &[f64]) -> f64 {
    let sides = bounds.iter().map(|(low, high)| high - low).filter(|side| side.is_finite() && *side > 0.0);
    let size = || x.iter().fold(0.0f64, |size, v| size.max(v.abs()));
    sides.reduce(f64::min).unwrap_or_else(|| if size() > 0.0 { size() } else { 1.0 })
}

/// Whether membership changes from one side of a point to the other.
pub(super) fn changes_across(
    contains: impl Fn(&[f64]) -> bool,
    x: &[f64],
    direction: &[f64],
    step: f64,
) -> bool {
    contains(&moved(x, direction, step)) != contains(&moved(x, direction, -step))
}

fn moved(x: &[f64], direction: &[f64], by: f64) -> Vec<f64> {
    x.iter().zip(direction).map(|(x, v)| x + by * v).collect()
}

fn scaled_to_unit(mut direction: Vec<f64>) -> Option<Vec<f64>> {
    let length = direction.iter().map(|v| v * v).sum::<f64>().sqrt();
    direction.iter_mut().for_each(|v| *v /= length);
    (length > 0.0 && length.is_finite()).then_some(direction)
}

fn perpendicular(contains: impl Fn(&[f64]) -> bool, x: &[f64], step: f64) -> Option<Vec<f64>> {
    let axis = |l: usize| -> Vec<f64> { (0..x.len()).map(|k| f64::from(u8::from(k == l))).collect() };
    // Towards the inside, by the signs of the coordinates only.
    let towards = |l: usize| {
        let [above, below] = [step, -step].map(|by| i8::from(contains(&moved(x, &axis(l), by))));
        f64::from(above - below)
    };
    let mut normal = scaled_to_unit((0..x.len()).map(towards).collect())?;
    let reach = 2.0 * step * (x.len() as f64).sqrt();
    for pass in 1..=PASSES {
        let mut tilted = normal.clone();
        for tangent in plane_basis(&normal) {
            let [ahead, behind] =
                [step, -step].map(|by| height(&contains, &moved(x, &tangent, by), &normal, reach));
            let (ahead, behind) = (ahead?, behind?);
            let slope = (ahead - behind) / (2.0 * step);
            if pass == PASSES && (slope.abs() > LARGEST_BEND || (ahead + behind).abs() > LARGEST_BEND * step)
            {
                return None;
            }
            tilted.iter_mut().zip(&tangent).for_each(|(n, t)| *n -= slope * t);
        }
        normal = scaled_to_unit(tilted)?;
    }
    Some(normal)
}

/// Where a line towards the inside enters the domain, measured from its start.
fn height(contains: impl Fn(&[f64]) -> bool, start: &[f64], inwards: &[f64], reach: f64) -> Option<f64> {
    let (mut outside, mut inside) = (-reach, reach);
    if contains(&moved(start, inwards, outside)) || !contains(&moved(start, inwards, inside)) {
        return None;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (outside + inside);
        *(if contains(&moved(start, inwards, middle)) { &mut inside } else { &mut outside }) = middle;
    }
    Some(0.5 * (outside + inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(contains: impl Fn(&[f64]) -> bool, x: &[f64]) -> Option<Vec<f64>> {
        let mut normal = vec![f64::NAN; x.len()];
        let is_known = normal_by_crossings(contains, &vec![(-2.0, 2.0); x.len()], x, &mut normal);
        is_known.then_some(normal)
    }

    #[test]
    fn planes_and_spheres_have_their_normals() {
        for dimension in [2, 3, 7, 12] {
            // Almost along an axis, where the signs alone are farthest from the truth.
            let tilted: Vec<f64> = (0..dimension).map(|l| if l == 0 { 1.0 } else { 1e-3 }).collect();
            let mixed: Vec<f64> = (0..dimension).map(|l| (3.7 * l as f64 + 0.4).sin()).collect();
            for direction in [tilted, mixed] {
                let truth = scaled_to_unit(direction).unwrap();
                let product = |x: &[f64]| x.iter().zip(&truth).map(|(x, t)| x * t).sum::<f64>();
                let plane = found(|x| product(x) >= 1.0, &truth).unwrap();
                let sphere = found(|x| x.iter().map(|v| v * v).sum::<f64>() <= 1.0, &truth).unwrap();
                assert!((product(&plane).abs() - 1.0).abs() < 1e-12, "{plane:?}");
                assert!((product(&sphere).abs() - 1.0).abs() < 1e-12, "{sphere:?}");
            }
        }
    }

    #[test]
    fn corners_and_other_places_have_none() {
        let quadrant = |x: &[f64]| x[0] >= 0.0 && x[1] >= 0.0;
        assert_eq!(found(quadrant, &[0.0, 0.0]), None);
        assert_eq!(found(quadrant, &[0.5, 0.5]), None);
        assert!(found(quadrant, &[0.5, 0.0]).is_some());
        // A wedge, and a blunt corner.
        assert_eq!(found(|x| x[0] >= 0.0 && x[1].abs() <= 0.1 * x[0], &[0.0, 0.0]), None);
        assert_eq!(found(|x| x[1] >= 0.5 * x[0].abs(), &[0.0, 0.0]), None);
        assert_eq!(found(|x| x[0] > 0.0, &[0.0]), Some(vec![1.0]));
    }

    /// A disc within the first step.
    #[test]
    fn small_features_are_found_by_the_second_step() {
        let normal = found(|x| x[0].hypot(x[1]) <= 1e-4, &[0.6e-4, 0.8e-4]).unwrap();
        assert!((normal[0] + 0.6).abs() < 1e-4 && (normal[1] + 0.8).abs() < 1e-4, "{normal:?}");
    }
}

use std::sync::Arc;

use super::Domain;

/// The number of cells that are looked at before two domains count as not known to be apart.
const MOST_CELLS: usize = 20_000;

/// The largest number of coordinates in which cells are divided.
const DIVIDED: usize = 3;

/// The number of cells that are looked at for all pairs of many domains together.
const MOST_FOR_ALL: usize = 1_000_000;

/// Whether all domains are known to be apart, each from all others.
pub(super) fn all_apart(domains: &[Arc<dyn Domain>]) -> bool {
    let mut boxes: Vec<_> = domains.iter().map(|domain| (domain.bounds(), domain.as_ref())).collect();
    // In the order of one axis, boxes that meet follow each other.
    boxes.sort_by(|a, b| a.0[0].0.total_cmp(&b.0[0].0));
    let mut left = MOST_FOR_ALL.max(MOST_CELLS * domains.len().min(FEW));
    boxes.iter().enumerate().all(|(k, (bounds, domain))| {
        let later = boxes[k + 1..].iter().take_while(|(later, _)| later[0].0 <= bounds[0].1);
        later.into_iter().all(|(others, other)| are_apart((bounds, *domain), (others, *other), &mut left))
    })
}

/// For so many domains, all pairs are looked at in full.
const FEW: usize = 100;

/// Whether two domains are known to have no point in common: the boxes around them have none, or the cells into
/// which the common part of these boxes is divided are each too far from one of the two. `left` counts the cells
/// that may still be looked at.
fn are_apart(
    (bounds, one): (&[(f64, f64)], &dyn Domain),
    (others, other): (&[(f64, f64)], &dyn Domain),
    left: &mut usize,
) -> bool {
    let meet = bounds.iter().zip(others).all(|(a, b)| a.0.max(b.0) <= a.1.min(b.1));
    if !meet {
        return true;
    }
    let common: Vec<(f64, f64)> =
        bounds.iter().zip(others).map(|(a, b)| (a.0.max(b.0), a.1.min(b.1))).collect();
    let is_divided = common.len() <= DIVIDED && one.has_distance() && other.has_distance();
    if !is_divided || common.iter().any(|(low, high)| !(high - low).is_finite()) {
        return false;
    }
    let mut gradient = vec![0.0; common.len()];
    // A distance in another norm is at most this much longer than the Euclidean one.
    let longest = (common.len() as f64).sqrt() * (1.0 + 1e-9);
    let mut waiting = vec![common];
    for _ in 0..MOST_CELLS.min(*left) {
        let Some(cell) = waiting.pop() else { return true };
        *left -= 1;
        let middle: Vec<f64> = cell.iter().map(|(low, high)| 0.5 * low + 0.5 * high).collect();
        let reach = 0.5 * cell.iter().map(|(low, high)| (high - low).powi(2)).sum::<f64>().sqrt();
        let inside = [one, other].map(|domain| domain.contains(&middle));
        if inside == [true; 2] {
            return false;
        }
        let mut is_far = |domain: &dyn Domain, is_inside: bool| {
            !is_inside && domain.distance_to_boundary(&middle, &mut gradient) > longest * reach
        };
        if is_far(one, inside[0]) || is_far(other, inside[1]) {
            continue;
        }
        for child in 0..1usize << cell.len() {
            let half = |(l, (low, high)): (usize, &(f64, f64))| match child >> l & 1 {
                0 => (*low, middle[l]),
                _ => (middle[l], *high),
            };
            waiting.push(cell.iter().enumerate().map(half).collect());
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ball, Cuboid, HalfSpace, LevelSet, Norm};

    fn are_apart(one: &(impl Domain + Clone + 'static), other: &(impl Domain + Clone + 'static)) -> bool {
        all_apart(&[Arc::new(one.clone()), Arc::new(other.clone())])
    }

    #[test]
    fn gaps_are_proved_and_contact_is_not() {
        let disc = |x: f64, y: f64| Ball::new(1.0).unwrap().with_center(vec![x, y]).unwrap();
        let square = Cuboid::uniform(-1.0, 1.0, 2).unwrap();
        // The boxes overlap at the corner, the discs do not.
        assert!(are_apart(&disc(0.0, 0.0), &disc(1.5, 1.5)));
        assert!(are_apart(&disc(0.0, 0.0), &disc(1.5, 1.5).with_norm(Norm::One)));
        assert!(!are_apart(&disc(0.0, 0.0), &disc(1.2, 1.2)));
        assert!(are_apart(&square, &Cuboid::uniform(1.1, 2.0, 2).unwrap()));
        // A shared side is not a gap.
        assert!(!are_apart(&square, &Cuboid::new(vec![1.0, -1.0], vec![2.0, 1.0]).unwrap()));
        assert!(!are_apart(&disc(0.0, 0.0), &disc(2.0, 0.0)));
        let right = HalfSpace::new(vec![1.0, 0.0], 3.0).unwrap();
        assert!(are_apart(&square, &right));
        let slope = HalfSpace::new(vec![1.0, 1.0], 2.5).unwrap();
        assert!(are_apart(&square, &slope));
        let level = LevelSet::parse("(x1 - 1.5)^2 + (x2 - 1.5)^2 - 1", 2).unwrap();
        assert!(!are_apart(&disc(0.0, 0.0), &level));
    }
}

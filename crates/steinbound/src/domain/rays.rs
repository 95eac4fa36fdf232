//! Boundary points of a set in many dimensions: where rays from points inside leave it.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::bisection::crossing;

/// The number of steps in which a ray crosses the window.
const STEPS: f64 = 64.0;

/// Up to `wanted` boundary points in a window, reached by rays from points inside and from places on earlier
/// rays.
///
/// Directions are uniform after dividing each coordinate by the width of the window. Rays that leave the
/// window inside the set are dropped.
pub(super) fn exits(
    contains: impl Fn(&[f64]) -> bool,
    window: &[(f64, f64)],
    seeds: &[Vec<f64>],
    wanted: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<f64> {
    let dimension = window.len();
    let mut found = Vec::with_capacity(wanted * dimension);
    if seeds.is_empty() {
        return found;
    }
    let mut wanderer = seeds[0].clone();
    for attempt in 0..wanted.saturating_mul(20).saturating_add(1000) {
        if found.len() >= wanted * dimension {
            break;
        }
        let start = if attempt % 2 == 0 { &seeds[rng.random_range(0..seeds.len())] } else { &wanderer };
        let direction: Vec<f64> = window
            .iter()
            .map(|(low, high)| (high - low) * Distribution::<f64>::sample(&StandardNormal, rng))
            .collect();
        let fastest = direction.iter().zip(window).map(|(v, (low, high))| v.abs() / (high - low));
        let step = 1.0 / (STEPS * fastest.fold(f64::MIN_POSITIVE, f64::max));
        let at = |t: f64| -> Vec<f64> { start.iter().zip(&direction).map(|(x, v)| x + t * v).collect() };
        let in_window = |x: &[f64]| x.iter().zip(window).all(|(x, (low, high))| (low..=high).contains(&x));
        let mut last = start.clone();
        for k in 1.. {
            let place = at(step * k as f64);
            if !contains(&place) {
                let exit = crossing(&contains, &last, &place);
                if in_window(&exit) {
                    found.extend(exit);
                }
                break;
            }
            if !in_window(&place) {
                break;
            }
            last = place;
        }
        // A random place on the ray, so that later rays start from all over the set.
        let share = rng.random::<f64>();
        let stop: Vec<f64> = start.iter().zip(&last).map(|(a, b)| a + share * (b - a)).collect();
        wanderer = if contains(&stop) { stop } else { last };
    }
    found
}

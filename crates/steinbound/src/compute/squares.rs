//! Squared distances, a few points against eight at a time.

use super::simd::{LANES, Lanes};

/// The number of rows that go through a tile together, so that loaded columns are used several times.
pub(crate) const GROUP: usize = 4;

/// The squared distances of [`GROUP`] points to eight others, both coordinate by coordinate.
#[inline(always)]
pub(crate) fn squared_distances_of_eight<V: Lanes>(x: &[[f64; GROUP]], y: &[[f64; LANES]]) -> [V; GROUP] {
    let none = [V::splat(0.0); GROUP];
    match (x, y) {
        // In the plane without a loop, whose overhead would double the time.
        ([x0, x1, _], [y0, y1, _]) => with_squares(x1, y1, with_squares(x0, y0, none)),
        // The last entry of both is not a coordinate.
        _ => {
            let mut sums = none;
            for (x, y) in x[..x.len() - 1].iter().zip(y) {
                sums = with_squares(x, y, sums);
            }
            sums
        }
    }
}

/// Adds the squared differences in one coordinate.
#[inline(always)]
fn with_squares<V: Lanes>(x: &[f64; GROUP], y: &[f64; LANES], mut sums: [V; GROUP]) -> [V; GROUP] {
    let y = V::load(y);
    for r in 0..GROUP {
        let difference = y.sub(V::splat(x[r]));
        sums[r] = difference.mul_add(difference, sums[r]);
    }
    sums
}

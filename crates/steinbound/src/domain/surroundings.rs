//! Where data are: distances to them in units of the bandwidth, from some rows that stand for all.

use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::cells::{Cells, SORTED};
use super::neighbours::Neighbours;
use crate::points::Points;

/// The side of the cubes of which one row each is kept, in bandwidths: distances are at most a diagonal too
/// long.
const SIDE: f64 = 0.25;

/// The largest number of rows kept: cubes are enlarged beyond. The second holds in more coordinates than
/// cubes are sorted by, where a search takes one distance for each row.
const MOST: usize = 1 << 15;
const MOST_IN_SPACE: usize = 1 << 10;

/// The largest number of rows near which boundary is sampled.
const MOST_NEAR: usize = 1 << 14;

/// Data, seen from the boundary.
#[derive(Debug)]
pub(super) struct Surroundings {
    /// Rows that lie all over the data.
    pub near: Points<'static>,
    tree: Neighbours,
}

impl Surroundings {
    /// The surroundings of data with these bandwidths, one for each coordinate; `None` without data.
    ///
    /// One pass over the rows keeps the first in each cube, so that no sparse region is left out. In more
    /// than three coordinates the cubes are those of three random directions, and rows at even steps are
    /// added.
    pub(super) fn new(data: &Points, widths: &[f64], rng: &mut ChaCha8Rng) -> Option<Surroundings> {
        let dimension = widths.len();
        let inverse: [f64; SORTED] = std::array::from_fn(|l| widths.get(l).map_or(0.0, |width| 1.0 / width));
        let mut kept = if dimension <= SORTED {
            one_in_each_cube(data, MOST, |x| {
                std::array::from_fn(|l| x.get(l).map_or(0.0, |x| x * inverse[l]))
            })
        } else {
            let mut direction = || -> Vec<f64> {
                let draw: Vec<f64> = (0..dimension).map(|_| StandardNormal.sample(rng)).collect();
                let length = draw.iter().map(|v| v * v).sum::<f64>().sqrt();
                draw.iter().zip(widths).map(|(v, width)| v / (length * width)).collect()
            };
            let drawn: [Vec<f64>; SORTED] = std::array::from_fn(|_| direction());
            let directions: Vec<[f64; SORTED]> =
                (0..dimension).map(|l| std::array::from_fn(|k| drawn[k][l])).collect();
            let mut kept = one_in_each_cube(data, MOST_IN_SPACE, |x| {
                // All sums at once, which do not wait for each other.
                x.iter().zip(&directions).fold([0.0; SORTED], |sums, (x, direction)| {
                    std::array::from_fn(|k| sums[k] + x * direction[k])
                })
            });
            kept.extend(every(data, MOST_IN_SPACE.saturating_sub(kept.len())));
            kept
        };
        let mut near = kept.clone();
        near.extend(every(data, MOST_NEAR));
        for rows in [&mut kept, &mut near] {
            rows.sort_unstable();
            rows.dedup();
        }
        let scaled: Vec<f64> =
            kept.iter().flat_map(|i| data.row(*i).iter().zip(widths).map(|(x, width)| x / width)).collect();
        let near: Vec<f64> = near.iter().flat_map(|i| data.row(*i)).copied().collect();
        let near = Points::new(near, dimension).ok()?;
        Some(Surroundings { near, tree: Neighbours::new(&scaled, dimension) })
    }

    /// The distance from a place to the nearest data, both in bandwidths; `None` beyond the
    /// reach. If it is at most `enough`, it need not be the shortest.
    pub(super) fn distance(&self, scaled: &[f64], enough: f64, reach: f64) -> Option<f64> {
        self.tree.nearest(scaled, enough, reach).map(f64::sqrt)
    }
}

/// Up to `most` rows that count, at even steps.
fn every(data: &Points, most: usize) -> impl Iterator<Item = usize> {
    let step = data.len().div_ceil(most.max(1)).max(1);
    (0..data.len()).step_by(step).take(most).filter(|i| data.weight(*i) > 0.0)
}

/// The first row that counts in each cube of space; cubes are doubled until there are at most `most`.
fn one_in_each_cube(data: &Points, most: usize, place: impl Fn(&[f64]) -> [f64; SORTED]) -> Vec<usize> {
    let mut side = SIDE;
    let mut cells = Cells::new(side, SORTED, most);
    let mut kept: Vec<usize> = Vec::new();
    for (i, x) in data.rows().enumerate() {
        let here = place(x);
        if data.weight(i) == 0.0 || cells.shares_cell(&here) {
            continue;
        }
        cells.add(here);
        kept.push(i);
        while kept.len() > most {
            side *= 2.0;
            cells = Cells::new(side, SORTED, most);
            kept.retain(|i| {
                let place = place(data.row(*i));
                let is_first = !cells.shares_cell(&place);
                if is_first {
                    cells.add(place);
                }
                is_first
            });
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::points::squared_distance;
    use crate::random::stream;

    /// Distances are never too short, and too long by less than the diagonal of a cube; a few rows far from
    /// all others count.
    #[test]
    fn distances_are_those_to_the_data() {
        let mut rng = stream(2, 0);
        for dimension in [1, 2, 3, 7] {
            let widths: Vec<f64> = (0..dimension).map(|l| 0.5 + l as f64).collect();
            let row = |k: usize, rng: &mut ChaCha8Rng| -> Vec<f64> {
                let offset = if k == 7000 { 30.0 } else { 0.0 };
                widths.iter().map(|w| w * (offset + 3.0 * rng.random::<f64>())).collect()
            };
            let rows: Vec<Vec<f64>> = (0..20_000).map(|k| row(k, &mut rng)).collect();
            let data = Points::from_rows(&rows).unwrap();
            let around = Surroundings::new(&data, &widths, &mut rng).unwrap();
            let scaled = |x: &[f64]| -> Vec<f64> { x.iter().zip(&widths).map(|(x, w)| x / w).collect() };
            let places: Vec<Vec<f64>> = data.rows().map(scaled).collect();
            for k in 0..100 {
                let far = if k % 10 == 0 { 29.0 } else { -1.0 };
                let x: Vec<f64> = (0..dimension).map(|_| far + 5.0 * rng.random::<f64>()).collect();
                let squares = places.iter().map(|y| squared_distance(&x, y));
                let truth = squares.fold(f64::INFINITY, f64::min).sqrt();
                let found = around.distance(&x, 0.0, 99.0).unwrap();
                assert!(found >= truth, "{dimension}: {found}, {truth}");
                // Beyond three coordinates only some rows are looked at.
                let slack = if dimension > 3 { 1.5 } else { SIDE * (dimension as f64).sqrt() };
                assert!(found <= truth + slack, "{dimension}: {found}, {truth}");
                assert_eq!(around.distance(&x, 0.0, 0.99 * truth), None);
            }
        }
    }

    #[test]
    fn rows_without_weight_do_not_count() {
        let data = Points::new(vec![0.0, 5.0], 1).unwrap().with_weights(vec![1.0, 0.0]).unwrap();
        let around = Surroundings::new(&data, &[1.0], &mut stream(0, 0)).unwrap();
        assert_eq!((around.distance(&[5.0], 0.0, 9.0), around.near.len()), (Some(5.0), 1));
        assert!(Surroundings::new(&Points::none(1), &[1.0], &mut stream(0, 0)).is_none());
    }
}

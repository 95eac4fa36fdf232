//! Places sorted into cubes of space, so that those near a place are found at once.

/// The largest number of coordinates by which places are sorted.
pub(super) const SORTED: usize = 3;

/// A cube, numbered along each coordinate.
type Cell = [i32; SORTED];

/// The end of a list.
const NONE: u32 = u32::MAX;

/// Places added one by one, in cubes of one size. Coordinates beyond those in use are zero.
#[derive(Debug)]
pub(super) struct Cells {
    /// One over the side of a cube.
    inverse: f64,
    dimension: usize,
    places: Vec<[f64; SORTED]>,
    cells: Vec<Cell>,
    /// The last place in each bucket of cubes, and for each place the one before it.
    heads: Vec<u32>,
    before: Vec<u32>,
}

impl Cells {
    /// No places, in cubes of this side; fast for up to about `expected` of them.
    pub(super) fn new(side: f64, dimension: usize, expected: usize) -> Cells {
        let buckets = (2 * expected).next_power_of_two().clamp(64, 1 << 24);
        let heads = vec![NONE; buckets];
        Cells {
            inverse: 1.0 / side,
            dimension,
            places: Vec::new(),
            cells: Vec::new(),
            heads,
            before: Vec::new(),
        }
    }

    /// The number of the cube along one coordinate; the cast limits it.
    fn number(&self, v: f64) -> i32 {
        let scaled = v * self.inverse;
        // Unlike f64::floor, no call of a function on old processors.
        let towards_zero = scaled as i32;
        towards_zero.saturating_sub(i32::from(scaled < f64::from(towards_zero)))
    }

    fn cell(&self, place: &[f64; SORTED]) -> Cell {
        place.map(|v| self.number(v))
    }

    fn bucket(&self, cell: &Cell) -> usize {
        // Multiplication by large odd numbers spreads neighbours over the buckets.
        let mixed = cell.iter().fold(0u64, |mixed, v| {
            (mixed ^ *v as u32 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        });
        (mixed ^ (mixed >> 32)) as usize & (self.heads.len() - 1)
    }

    fn in_cell(&self, cell: Cell) -> impl Iterator<Item = usize> {
        let mut next = self.heads[self.bucket(&cell)];
        std::iter::from_fn(move || {
            while next != NONE {
                let here = next as usize;
                next = self.before[here];
                if self.cells[here] == cell {
                    return Some(here);
                }
            }
            None
        })
    }

    /// Whether a place was added in the cube of this one.
    pub(super) fn shares_cell(&self, place: &[f64; SORTED]) -> bool {
        self.in_cell(self.cell(place)).next().is_some()
    }

    /// Adds a place.
    pub(super) fn add(&mut self, place: [f64; SORTED]) {
        let cell = self.cell(&place);
        let bucket = self.bucket(&cell);
        self.before.push(self.heads[bucket]);
        self.heads[bucket] = self.places.len() as u32;
        self.places.push(place);
        self.cells.push(cell);
    }

    /// Whether a place was added nearer than the radius.
    pub(super) fn has_within(&self, place: &[f64; SORTED], radius: f64) -> bool {
        let range = |l: usize| match l < self.dimension {
            true => self.number(place[l] - radius)..=self.number(place[l] + radius),
            false => 0..=0,
        };
        let near = |i: usize| {
            let square: f64 = self.places[i].iter().zip(place).map(|(a, b)| (a - b) * (a - b)).sum();
            square < radius * radius
        };
        let [first, second, third] = std::array::from_fn(range);
        first
            .into_iter()
            .any(|i| second.clone().any(|j| third.clone().any(|k| self.in_cell([i, j, k]).any(near))))
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::stream;

    #[test]
    fn near_places_are_those_of_all_distances() {
        let mut rng = stream(6, 0);
        for dimension in 1..=SORTED {
            let mut draw = || std::array::from_fn(|l| if l < dimension { rng.random() } else { 0.0 });
            let mut cells = Cells::new(0.05, dimension, 10);
            let mut added: Vec<[f64; SORTED]> = Vec::new();
            let mut found = [0; 2];
            for k in 0..400 {
                let place = draw();
                // From a tenth of a cube to ten of them, again and again.
                let radius = 0.005 * 1.36f64.powi(k % 16);
                let distance = |other: &[f64; SORTED]| {
                    other.iter().zip(&place).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
                };
                let expected = added.iter().any(|other| distance(other) < radius);
                assert_eq!(cells.has_within(&place, radius), expected);
                let cube = |p: &[f64; SORTED]| p.map(|v| (v * (1.0 / 0.05)).floor());
                assert_eq!(cells.shares_cell(&place), added.iter().any(|p| cube(p) == cube(&place)));
                found[usize::from(expected)] += 1;
                if k % 4 == 0 {
                    cells.add(place);
                    added.push(place);
                }
            }
            assert!(found[0] > 50 && found[1] > 50, "{found:?}");
        }
        // Far away, cubes have no numbers of their own, and distances still decide.
        let mut cells = Cells::new(1e-3, 2, 1);
        cells.add([1e12, 0.0, 0.0]);
        assert!(!cells.has_within(&[2e12, 0.0, 0.0], 1.0) && cells.has_within(&[1e12, 0.5, 0.0], 1.0));
    }
}

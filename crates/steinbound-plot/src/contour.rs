//! Lines of equal value on a grid, and the areas above them: marching squares with linear interpolation.
//!
//! Each cell contributes the polygon of its part at or above the level. Edges shared by two cells occur once
//! in each direction and cancel; the remaining edges bound the area, and those that cross a cell are the
//! lines. Cells with a NaN corner are left out, so grids may have holes, which the existing crates do not
//! support.

use std::collections::BTreeMap;

/// Values at the nodes of a rectangular grid.
///
/// `values` go row by row: the one at `x[column]`, `y[row]` is `values[row * x.len() + column]`. NaN leaves a
/// hole.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Increasing positions of the columns.
    pub x: Vec<f64>,
    /// Increasing positions of the rows.
    pub y: Vec<f64>,
    /// Row by row.
    pub values: Vec<f64>,
}

impl Grid {
    /// The grid of a function's values.
    ///
    /// ```
    /// let grid = steinbound_plot::Grid::of(vec![0.0, 1.0], vec![0.0, 1.0, 2.0], |x, y| 10.0 * y + x);
    /// assert_eq!(grid.values, [0.0, 1.0, 10.0, 11.0, 20.0, 21.0]);
    /// ```
    pub fn of(x: Vec<f64>, y: Vec<f64>, function: impl Fn(f64, f64) -> f64) -> Grid {
        let values =
            y.iter().flat_map(|&y| x.iter().map(move |&x| (x, y))).map(|(x, y)| function(x, y)).collect();
        Grid { x, y, values }
    }

    fn value(&self, column: usize, row: usize) -> f64 {
        self.values.get(row * self.x.len() + column).copied().unwrap_or(f64::NAN)
    }
}

/// A corner of a polygon, identified so that neighbouring cells agree on it: a node of the grid, or the
/// position between it and its right or upper neighbour at which the value is the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Corner {
    Node(usize, usize),
    Right(usize, usize),
    Up(usize, usize),
}

impl Corner {
    fn is_cut(self) -> bool {
        !matches!(self, Corner::Node(..))
    }
}

type Point = (f64, f64);

/// Lines along which the grid has the level; closed ones repeat their first point at the end. The higher side
/// is on the left.
pub(crate) fn lines(grid: &Grid, level: f64) -> Vec<Vec<Point>> {
    let edges = edges(grid, level).into_iter().filter(|(from, to)| from.is_cut() && to.is_cut()).collect();
    points(grid, level, chains(edges))
}

/// Rings around the areas at or above the level, to be filled by the even-odd rule.
pub(crate) fn areas(grid: &Grid, level: f64) -> Vec<Vec<Point>> {
    let mut count: BTreeMap<(Corner, Corner), i32> = BTreeMap::new();
    for (from, to) in edges(grid, level) {
        *count.entry((from, to)).or_default() += 1;
    }
    let left = count.iter().filter(|&(&(from, to), _)| !count.contains_key(&(to, from)));
    points(grid, level, chains(left.map(|(&edge, _)| edge).collect()))
}

/// The edges of every cell's part at or above the level, anticlockwise.
fn edges(grid: &Grid, level: f64) -> Vec<(Corner, Corner)> {
    let mut edges = Vec::new();
    for row in 0..grid.y.len().saturating_sub(1) {
        for column in 0..grid.x.len().saturating_sub(1) {
            let nodes = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)];
            let values = nodes.map(|(column, row)| grid.value(column, row));
            if values.iter().any(|value| value.is_nan()) {
                continue;
            }
            let sides = [
                Corner::Right(column, row),
                Corner::Up(column + 1, row),
                Corner::Right(column, row + 1),
                Corner::Up(column, row),
            ];
            let inside = values.map(|value| value >= level);
            let mut outline: Vec<Corner> = Vec::with_capacity(8);
            for corner in 0..4 {
                if inside[corner] {
                    outline.push(Corner::Node(nodes[corner].0, nodes[corner].1));
                }
                if inside[corner] != inside[(corner + 1) % 4] {
                    outline.push(sides[corner]);
                }
            }
            let saddle = inside[0] == inside[2] && inside[1] == inside[3] && inside[0] != inside[1];
            if saddle && values.iter().sum::<f64>() / 4.0 < level {
                // Two corners above, with a valley between them: a triangle at each.
                let first = usize::from(!inside[0]);
                for corner in [first, first + 2] {
                    let (node, before) = (nodes[corner], sides[(corner + 3) % 4]);
                    push_ring(&mut edges, &[before, Corner::Node(node.0, node.1), sides[corner]]);
                }
            } else {
                push_ring(&mut edges, &outline);
            }
        }
    }
    edges
}

fn push_ring(edges: &mut Vec<(Corner, Corner)>, ring: &[Corner]) {
    for (index, &from) in ring.iter().enumerate() {
        edges.push((from, ring[(index + 1) % ring.len()]));
    }
}

/// Joins edges end to start. Closed chains repeat their first corner.
fn chains(edges: Vec<(Corner, Corner)>) -> Vec<Vec<Corner>> {
    let mut next: BTreeMap<Corner, Vec<Corner>> = BTreeMap::new();
    let mut arrivals: BTreeMap<Corner, usize> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().push(to);
        *arrivals.entry(to).or_default() += 1;
    }
    // Open chains first, from corners at which no edge ends; the remaining chains are closed.
    let open = next.keys().copied().filter(|corner| !arrivals.contains_key(corner));
    let starts: Vec<Corner> = open.chain(next.keys().copied()).collect();
    let mut chains = Vec::new();
    for start in starts {
        while next.get(&start).is_some_and(|ends| !ends.is_empty()) {
            let mut chain = vec![start];
            let mut at = start;
            while let Some(to) = next.get_mut(&at).and_then(Vec::pop) {
                chain.push(to);
                at = to;
                if at == start {
                    break;
                }
            }
            chains.push(chain);
        }
    }
    chains
}

fn points(grid: &Grid, level: f64, chains: Vec<Vec<Corner>>) -> Vec<Vec<Point>> {
    let between = |(column, row): (usize, usize), (other_column, other_row): (usize, usize)| {
        let (one, other) = (grid.value(column, row), grid.value(other_column, other_row));
        let part = ((level - one) / (other - one)).clamp(0.0, 1.0);
        // Between an infinite value and another there is no proportion.
        let part = if part.is_nan() { 0.5 } else { part };
        let (x, y) = (grid.x[column], grid.y[row]);
        (x + part * (grid.x[other_column] - x), y + part * (grid.y[other_row] - y))
    };
    let place = |corner: Corner| match corner {
        Corner::Node(column, row) => (grid.x[column], grid.y[row]),
        Corner::Right(column, row) => between((column, row), (column + 1, row)),
        Corner::Up(column, row) => between((column, row), (column, row + 1)),
    };
    chains.into_iter().map(|chain| chain.into_iter().map(place).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn even(low: f64, high: f64, count: usize) -> Vec<f64> {
        (0..count).map(|index| low + (high - low) * index as f64 / (count - 1) as f64).collect()
    }

    fn area(rings: &[Vec<Point>]) -> f64 {
        let ring_area = |ring: &Vec<Point>| -> f64 {
            ring.windows(2).map(|pair| pair[0].0 * pair[1].1 - pair[1].0 * pair[0].1).sum::<f64>() / 2.0
        };
        rings.iter().map(ring_area).sum()
    }

    #[test]
    fn a_cone_has_circles() {
        let grid = Grid::of(even(-2.0, 2.0, 81), even(-2.0, 2.0, 61), |x, y| -x.hypot(y));
        let lines = lines(&grid, -1.0);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        assert!(lines[0].iter().all(|point| (point.0.hypot(point.1) - 1.0).abs() < 2e-3));
        assert!((area(&areas(&grid, -1.0)) - std::f64::consts::PI).abs() < 0.02);
    }

    #[test]
    fn a_plane_has_straight_open_lines_also_on_uneven_grids() {
        let grid = Grid::of(vec![0.0, 0.1, 0.7, 2.0], vec![0.0, 0.5, 3.0], |x, y| x + y);
        let lines = lines(&grid, 1.0);
        assert_eq!(lines.len(), 1);
        assert_ne!(lines[0].first(), lines[0].last());
        assert!(lines[0].iter().all(|point| (point.0 + point.1 - 1.0).abs() < 1e-12));
        // The rectangle of area 6 without the triangle below the line.
        assert!((area(&areas(&grid, 1.0)) - 5.5).abs() < 1e-12);
    }

    #[test]
    fn holes_are_neither_crossed_nor_filled() {
        let whole = Grid::of(even(0.0, 4.0, 5), even(0.0, 4.0, 5), |_, _| 1.0);
        assert!((area(&areas(&whole, 0.5)) - 16.0).abs() < 1e-12);
        assert!(lines(&whole, 0.5).is_empty());
        let mut holed = whole;
        holed.values[12] = f64::NAN;
        assert!((area(&areas(&holed, 0.5)) - 12.0).abs() < 1e-12);
        assert!(lines(&holed, 0.5).is_empty());
    }

    #[test]
    fn saddles_follow_the_middle() {
        let saddle = |shift: f64| Grid {
            x: vec![0.0, 1.0],
            y: vec![0.0, 1.0],
            values: vec![1.0 + shift, shift, shift, 1.0 + shift],
        };
        // The middle is 0.5 + shift: a ridge above the level joins the corners, a valley separates them.
        assert!((area(&areas(&saddle(0.1), 0.5)) - (1.0 - 0.4 * 0.4)).abs() < 1e-12);
        assert!((area(&areas(&saddle(-0.1), 0.5)) - 0.4 * 0.4).abs() < 1e-12);
        assert_eq!(lines(&saddle(0.1), 0.5).len(), 2);
        assert_eq!(lines(&saddle(-0.1), 0.5).len(), 2);
    }

    #[test]
    fn grids_that_make_no_sense_have_no_lines() {
        for grid in [
            Grid { x: vec![], y: vec![], values: vec![] },
            Grid { x: vec![0.0], y: vec![0.0, 1.0], values: vec![1.0, 2.0] },
            Grid { x: vec![0.0, 1.0], y: vec![0.0, 1.0], values: vec![1.0] },
        ] {
            assert!(lines(&grid, 1.5).is_empty() && areas(&grid, 1.5).is_empty());
        }
    }
}

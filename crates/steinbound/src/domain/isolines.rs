//! The boundary of a set in the plane as curves, by marching squares.

use std::collections::HashMap;

use super::bisection::crossing;

/// A curve as a list of points on it; a closed one ends where it began.
pub(super) type Curve = Vec<Vec<f64>>;

/// No neighbour.
const NONE: u32 = u32::MAX;

/// A square grid over a window, with the side of the boundary on which each corner lies.
///
/// Edges are numbered: those along the first axis row by row, then those along the second.
struct Grid<F> {
    contains: F,
    window: [(f64, f64); 2],
    cells: usize,
    inside: Vec<bool>,
}

impl<F: Fn(&[f64]) -> bool> Grid<F> {
    fn corner(&self, i: usize, j: usize) -> [f64; 2] {
        let along =
            |(low, high): (f64, f64), step: usize| low + (high - low) * (step as f64 / self.cells as f64);
        [along(self.window[0], i), along(self.window[1], j)]
    }

    fn is_inside(&self, i: usize, j: usize) -> bool {
        self.inside[j * (self.cells + 1) + i]
    }

    fn first_axis_edge(&self, i: usize, j: usize) -> u32 {
        (j * self.cells + i) as u32
    }

    fn second_axis_edge(&self, i: usize, j: usize) -> u32 {
        (self.cells * (self.cells + 1) + j * (self.cells + 1) + i) as u32
    }

    /// Where the boundary crosses an edge.
    fn place(&self, edge: u32) -> Vec<f64> {
        let edge = edge as usize;
        let first_axis = self.cells * (self.cells + 1);
        let (i, j, k, l) = if edge < first_axis {
            let (i, j) = (edge % self.cells, edge / self.cells);
            (i, j, i + 1, j)
        } else {
            let (i, j) = ((edge - first_axis) % (self.cells + 1), (edge - first_axis) / (self.cells + 1));
            (i, j, i, j + 1)
        };
        let ends = (self.corner(i, j), self.corner(k, l));
        let (inside, outside) = if self.is_inside(i, j) { ends } else { (ends.1, ends.0) };
        crossing(&self.contains, &inside, &outside)
    }

    /// Pairs of edges that the boundary joins within a cell.
    fn joined(&self, i: usize, j: usize) -> Vec<(u32, u32)> {
        let corners = [
            self.is_inside(i, j),
            self.is_inside(i + 1, j),
            self.is_inside(i + 1, j + 1),
            self.is_inside(i, j + 1),
        ];
        // Around the cell: an edge follows each corner.
        let edges = [
            self.first_axis_edge(i, j),
            self.second_axis_edge(i + 1, j),
            self.first_axis_edge(i, j + 1),
            self.second_axis_edge(i, j),
        ];
        let crossed: Vec<u32> =
            (0..4).filter(|c| corners[*c] != corners[(c + 1) % 4]).map(|c| edges[c]).collect();
        match crossed.as_slice() {
            [a, b] => vec![(*a, *b)],
            [a, b, c, d] => {
                // A saddle: the middle of the cell decides which two opposite corners are connected.
                let (low, high) = (self.corner(i, j), self.corner(i + 1, j + 1));
                let middle = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
                if (self.contains)(&middle) == corners[0] {
                    vec![(*a, *b), (*c, *d)]
                } else {
                    vec![(*d, *a), (*b, *c)]
                }
            }
            _ => Vec::new(),
        }
    }
}

/// The curves in a window along which membership changes; parts smaller than a cell can be missed.
pub(super) fn trace(contains: impl Fn(&[f64]) -> bool, window: [(f64, f64); 2], cells: usize) -> Vec<Curve> {
    let mut grid = Grid { contains, window, cells, inside: Vec::new() };
    let inside: Vec<bool> = (0..(cells + 1) * (cells + 1))
        .map(|at| (grid.contains)(&grid.corner(at % (cells + 1), at / (cells + 1))))
        .collect();
    grid.inside = inside;
    // An edge lies between two cells, so it is joined to at most two others.
    let mut neighbours = vec![[NONE; 2]; 2 * cells * (cells + 1)];
    let mut crossed = Vec::new();
    for at in 0..cells * cells {
        for (a, b) in grid.joined(at % cells, at / cells) {
            for (from, to) in [(a, b), (b, a)] {
                let slots = &mut neighbours[from as usize];
                let free = usize::from(slots[0] != NONE);
                slots[free] = to;
                crossed.push(from);
            }
        }
    }
    let places: HashMap<u32, Vec<f64>> = {
        let mut edges = crossed.clone();
        edges.sort_unstable();
        edges.dedup();
        edges.into_iter().map(|edge| (edge, grid.place(edge))).collect()
    };
    let mut done = vec![false; neighbours.len()];
    let mut curves = Vec::new();
    // Curves that end at the rim are followed first, from an end; then the closed ones, from any edge.
    let ends = crossed.iter().filter(|edge| neighbours[**edge as usize][1] == NONE);
    for start in ends.chain(&crossed).copied() {
        if done[start as usize] {
            continue;
        }
        let mut curve = Vec::new();
        let mut here = start;
        loop {
            done[here as usize] = true;
            curve.extend(places.get(&here).cloned());
            let next = neighbours[here as usize].into_iter().find(|n| *n != NONE && !done[*n as usize]);
            let Some(next) = next else { break };
            here = next;
        }
        if curve.len() > 2 && neighbours[here as usize].contains(&start) {
            curve.extend(curve.first().cloned());
        }
        curves.push(curve);
    }
    curves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::squared_distance;

    fn length(curve: &Curve) -> f64 {
        curve.windows(2).map(|pair| squared_distance(&pair[0], &pair[1]).sqrt()).sum()
    }

    #[test]
    fn a_circle_is_one_closed_curve_of_its_length() {
        let curves = trace(|x| x[0] * x[0] + x[1] * x[1] <= 1.0, [(-1.1, 1.2), (-1.3, 1.1)], 100);
        assert_eq!(curves.len(), 1);
        assert_eq!(curves[0].first(), curves[0].last());
        let circumference = 2.0 * std::f64::consts::PI;
        assert!((length(&curves[0]) / circumference - 1.0).abs() < 1e-3);
        assert!(curves[0].iter().all(|x| (x[0].hypot(x[1]) - 1.0).abs() < 1e-12));
    }

    #[test]
    fn curves_may_be_several_and_end_at_the_rim() {
        let ring = |x: &[f64]| (0.25..=1.0).contains(&(x[0] * x[0] + x[1] * x[1]));
        assert_eq!(trace(ring, [(-1.1, 1.1), (-1.1, 1.1)], 64).len(), 2);
        let strip = |x: &[f64]| (x[0] + x[1]).abs() <= 0.5;
        let curves = trace(strip, [(-1.0, 1.0), (-1.0, 1.0)], 64);
        assert_eq!(curves.len(), 2);
        assert!(curves.iter().all(|c| (length(c) - 1.5 * 2f64.sqrt()).abs() < 1e-9));
    }

    /// Two discs that touch at a corner of a cell stay two if its middle lies outside, and become one
    /// otherwise.
    #[test]
    fn saddles_are_resolved_by_their_middle() {
        let apart = |x: &[f64]| x[0] * x[1] >= 0.01;
        let together = |x: &[f64]| x[0] * x[1] >= -0.01;
        for (contains, inside) in [(&apart as &dyn Fn(&[f64]) -> bool, false), (&together, true)] {
            let curves = trace(contains, [(-1.0, 1.0), (-1.0, 1.0)], 5);
            assert_eq!(curves.len(), 2);
            // No curve passes from one side of the saddle to the other.
            for curve in &curves {
                let side = |x: &Vec<f64>| if inside { x[0] - x[1] } else { x[0] + x[1] };
                assert!(curve.iter().all(|x| side(x) > 0.0) || curve.iter().all(|x| side(x) < 0.0));
            }
        }
    }
}

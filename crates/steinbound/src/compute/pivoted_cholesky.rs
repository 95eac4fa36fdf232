//! A Cholesky factor that stops early: the few columns that carry a kernel matrix.

use rayon::prelude::*;

use crate::interrupt::{Interrupt, Interrupted};
use crate::matrix::Matrix;

/// Columns of a positive semidefinite matrix, chosen greedily, and the factor they make.
#[derive(Debug, Clone)]
pub(crate) struct Pivots {
    /// The rows chosen, in order.
    pub(crate) chosen: Vec<usize>,
    /// `L` with `A_cc = L L'` for the chosen rows and columns `c`.
    pub(crate) lower: Matrix,
    /// The mean of the diagonal that is left.
    pub(crate) residual: f64,
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop<'a> {
    /// The mean of the remaining diagonal that is small enough.
    pub(crate) tolerance: f64,
    /// The most columns.
    pub(crate) most: usize,
    /// What ends the search early, as an error.
    pub(crate) interrupt: &'a Interrupt,
}

/// A pivot below this share of the largest entry of the diagonal is rounding.
const NO_PIVOT: f64 = 1e-13;

/// Rows of the factor that are updated together.
const ROWS: usize = 512;

/// Takes the column with the largest remaining diagonal, again and again, until what remains is small.
///
/// The matrix is known by its diagonal and a function that computes a column. After `r` steps `A` is `F F'`
/// plus a positive semidefinite rest whose trace is the sum of the remaining diagonal; the greedy choice
/// comes close to the best one for kernels whose eigenvalues fall fast.
///
/// Reference: Harbrecht, Peters and Schneider, *On the low-rank approximation by the pivoted Cholesky
/// decomposition*, 2012.
pub(crate) fn greedy<E: From<Interrupted>>(
    mut diagonal: Vec<f64>,
    stop: Stop,
    mut column: impl FnMut(usize, &mut [f64]) -> Result<(), E>,
) -> Result<Pivots, E> {
    let size = diagonal.len();
    let floor = NO_PIVOT * diagonal.iter().fold(0.0f64, |a, b| a.max(*b));
    let mut chosen: Vec<usize> = Vec::new();
    let mut factor: Vec<Vec<f64>> = Vec::new();
    let mean = |diagonal: &[f64]| diagonal.iter().sum::<f64>() / size.max(1) as f64;
    while chosen.len() < stop.most.min(size) && mean(&diagonal) > stop.tolerance {
        stop.interrupt.check()?;
        // The first of several equal ones, so that the choice does not depend on how they are searched.
        let pivot = (0..size).fold(0, |best, i| if diagonal[i] > diagonal[best] { i } else { best });
        // What is not a number is no pivot either.
        if diagonal[pivot].is_nan() || diagonal[pivot] <= floor {
            break;
        }
        let mut new = vec![0.0; size];
        column(pivot, &mut new)?;
        let root = diagonal[pivot].sqrt();
        let rows = new.par_chunks_mut(ROWS).zip(diagonal.par_chunks_mut(ROWS)).enumerate();
        rows.for_each(|(chunk, (new, diagonal))| {
            let start = chunk * ROWS;
            for known in &factor {
                let share = known[pivot];
                let known = &known[start..start + new.len()];
                new.iter_mut().zip(known).for_each(|(x, k)| *x -= share * k);
            }
            for (x, left) in new.iter_mut().zip(diagonal) {
                *x /= root;
                *left = (*left - *x * *x).max(0.0);
            }
        });
        // Nothing is left of a column that has been taken, whatever rounding says.
        diagonal[pivot] = 0.0;
        chosen.push(pivot);
        factor.push(new);
    }
    let lower =
        Matrix::from_fn(chosen.len(), chosen.len(), |i, j| if j <= i { factor[j][chosen[i]] } else { 0.0 });
    Ok(Pivots { residual: mean(&diagonal), lower, chosen })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gram(points: usize) -> Matrix {
        Matrix::from_fn(points, points, |i, j| (-0.5 * ((i as f64 - j as f64) / 20.0).powi(2)).exp())
    }

    fn of(matrix: &Matrix, tolerance: f64, most: usize) -> Pivots {
        let diagonal = (0..matrix.rows()).map(|i| matrix[(i, i)]).collect();
        greedy(diagonal, Stop { tolerance, most, interrupt: &Interrupt::new() }, |j, out| {
            out.copy_from_slice(matrix.column(j));
            Ok::<_, Interrupted>(())
        })
        .unwrap()
    }

    #[test]
    fn the_residual_is_what_the_chosen_columns_leave() {
        let matrix = gram(1200);
        let pivots = of(&matrix, 1e-6, 1200);
        assert!(pivots.residual <= 1e-6 && pivots.chosen.len() < 120, "{} columns", pivots.chosen.len());
        // By definition: the trace of A - A_:c A_cc^-1 A_c:, from the factor of the chosen rows.
        let mut left = 0.0;
        for i in 0..1200 {
            let mut solved: Vec<f64> = pivots.chosen.iter().map(|c| matrix[(*c, i)]).collect();
            for a in 0..solved.len() {
                for b in 0..a {
                    solved[a] -= pivots.lower[(a, b)] * solved[b];
                }
                solved[a] /= pivots.lower[(a, a)];
            }
            left += matrix[(i, i)] - solved.iter().map(|s| s * s).sum::<f64>();
        }
        assert!((left / 1200.0 - pivots.residual).abs() < 1e-10, "{left}");
    }

    #[test]
    fn it_stops_at_the_rank_and_at_the_limit() {
        let matrix = Matrix::from_fn(50, 50, |i, j| (i * j) as f64 + 1.0);
        assert_eq!(of(&matrix, 0.0, 50).chosen.len(), 2);
        assert_eq!(of(&gram(100), 0.0, 3).chosen.len(), 3);
        assert!(of(&Matrix::zeros(4, 4), 0.0, 4).chosen.is_empty());
    }
}

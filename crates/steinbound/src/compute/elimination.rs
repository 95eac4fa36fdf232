//! Linear equations whose matrix is neither symmetric nor positive definite.

use crate::matrix::Matrix;

/// Pivots below this share of the largest are zero.
const SMALLEST: f64 = 1e-13;

/// The solution of `matrix * solution = right`, by elimination with partial pivoting of rows scaled to a
/// largest entry of one; `None` if the matrix is singular.
pub(crate) fn solve(matrix: &Matrix, right: &Matrix) -> Option<Matrix> {
    let (size, columns) = (matrix.rows(), right.columns());
    // Columns first: parameters may have very different units.
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0f64, |m, v| m.max(v.abs()));
    let column_scales: Vec<f64> = (0..size).map(|j| largest(&mut matrix.column(j).iter().copied())).collect();
    let mut rows: Vec<Vec<f64>> = (0..size)
        .map(|i| {
            let scaled = (0..size).map(|j| matrix[(i, j)] / column_scales[j]);
            scaled.chain((0..columns).map(|j| right[(i, j)])).collect()
        })
        .collect();
    for row in &mut rows {
        let scale = largest(&mut row[..size].iter().copied());
        row.iter_mut().for_each(|v| *v /= scale);
    }
    for k in 0..size {
        let pivot = (k..size).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs()))?;
        if rows[pivot][k].is_nan() || rows[pivot][k].abs() < SMALLEST {
            return None;
        }
        rows.swap(k, pivot);
        let (above, below) = rows.split_at_mut(k + 1);
        for row in below {
            let factor = row[k] / above[k][k];
            for j in k..size + columns {
                row[j] -= factor * above[k][j];
            }
        }
    }
    let mut solution = Matrix::zeros(size, columns);
    for c in 0..columns {
        for k in (0..size).rev() {
            let known: f64 = (k + 1..size).map(|j| rows[k][j] * solution[(j, c)]).sum();
            solution[(k, c)] = (rows[k][size + c] - known) / rows[k][k];
        }
    }
    for k in 0..size {
        (0..columns).for_each(|c| solution[(k, c)] /= column_scales[k]);
    }
    solution.values().iter().all(|v| v.is_finite()).then_some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_solves() {
        let values = [[0.0, 2.0, 1e6], [1.0, -1.0, 3e6], [4.0, 0.5, -2e6]];
        let matrix = Matrix::from_fn(3, 3, |i, j| values[i][j]);
        let expected = Matrix::from_fn(3, 2, |i, j| 1.0 + i as f64 - 2.0 * j as f64);
        let found = solve(&matrix, &matrix.times(&expected)).unwrap();
        let pairs = found.values().iter().zip(expected.values());
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn singular_matrices_have_no_solution() {
        let right = Matrix::from_fn(2, 1, |_, _| 1.0);
        let dependent = Matrix::from_fn(2, 2, |i, j| ((i + 1) * (j + 1)) as f64);
        assert_eq!(solve(&dependent, &right), None);
        assert_eq!(solve(&Matrix::zeros(2, 2), &right), None);
    }
}

//! Truncated score matching (TruncSM).

use crate::compute::cholesky::ScaledCholesky;
use crate::domain::BoundaryDistance;
use crate::error::{Error, FitError};
use crate::fit::{Estimate, centred};
use crate::matrix::{Matrix, add_scaled};
use crate::model::Model;
use crate::points::Points;

/// The minimum of [`Estimator::truncsm`](crate::Estimator::truncsm)'s objective, for a score that is affine in the parameters.
///
/// For `psi_l = A_l theta + b_l` and `d_l psi_l = A'_l theta + b'_l` it solves
/// `mean[h sum_l A_l A_l'] theta = - mean[ sum_l h (A_l b_l + A'_l) + (d_l h) A_l ]`.
pub(crate) fn minimise(
    model: &dyn Model,
    data: &Points,
    distance: &BoundaryDistance,
) -> Result<Estimate, Error> {
    let (d, p) = (model.dimension(), model.parameters());
    let (origin, points) = centred(model, data);
    let weights = data.weights();
    let total: f64 = weights.iter().sum();
    let (distances, gradients) = distance.at(data);
    let zero = vec![0.0; p];
    let mut score = vec![0.0; d];
    let (mut jacobian, mut slope) = (vec![0.0; d * p], vec![0.0; d * p]);
    // The gradient of m / 2 for one point, at scores `psi`: sum_l (h psi_l + d_l h) A_l + h A'_l.
    let gradient = |i: usize, psi: &[f64], jacobian: &[f64], slope: &[f64], out: &mut [f64]| {
        for l in 0..d {
            let factor = distances[i] * psi[l] + gradients[(i, l)];
            add_scaled(out, factor, &jacobian[l * p..(l + 1) * p]);
            add_scaled(out, distances[i], &slope[l * p..(l + 1) * p]);
        }
    };
    let mut normal = Matrix::zeros(p, p);
    let mut right = vec![0.0; p];
    for (i, x) in points.rows().enumerate() {
        model.score(x, &zero, &mut score);
        model.score_jacobian(x, &zero, &mut jacobian);
        model.score_slope_jacobian(x, &zero, &mut slope);
        let weight = weights[i] / total;
        for row in jacobian.chunks_exact(p) {
            for k in 0..p {
                let factor = weight * distances[i] * row[k];
                add_scaled(normal.column_mut(k), factor, row);
            }
        }
        let mut pull = vec![0.0; p];
        gradient(i, &score, &jacobian, &slope, &mut pull);
        add_scaled(&mut right, -weight, &pull);
    }
    let factor = ScaledCholesky::new(&normal).map_err(|condition| FitError::NotIdentified { condition })?;
    let mut solution = Matrix::from_fn(p, 1, |k, _| right[k]);
    factor.solve(&mut solution);
    let theta = solution.column(0).to_vec();

    let mut influence = Matrix::zeros(p, points.len());
    let mut objective = 0.0;
    let mut slopes = vec![0.0; d];
    for (i, x) in points.rows().enumerate() {
        model.score(x, &theta, &mut score);
        model.score_slope(x, &theta, &mut slopes);
        model.score_jacobian(x, &theta, &mut jacobian);
        model.score_slope_jacobian(x, &theta, &mut slope);
        gradient(i, &score, &jacobian, &slope, influence.column_mut(i));
        for l in 0..d {
            let of_score = distances[i] * (score[l] * score[l] + 2.0 * slopes[l]);
            objective += weights[i] / total * (of_score + 2.0 * gradients[(i, l)] * score[l]);
        }
    }
    factor.solve(&mut influence);
    let influence = Matrix::from_fn(points.len(), p, |i, k| -influence[(k, i)]);
    let mut estimate = Estimate::closed_form(theta, influence).moved_back(model, &origin);
    estimate.objective = Some(objective);
    Ok(estimate)
}

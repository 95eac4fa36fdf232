//! Truncated score matching (TruncSM).

use crate::domain::BoundaryDistance;
use crate::error::Error;
use crate::fit::{Estimate, centred, not_affine, solve_normal_equations};
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
    weights: &[f64],
    distance: &BoundaryDistance,
) -> Result<Estimate, Error> {
    if model.affine().is_none() {
        return Err(not_affine(model).into());
    }
    let differentiated = model.differentiated();
    let (d, p) = (differentiated.len(), model.parameters());
    let (origin, points) = centred(model, data);
    let total: f64 = weights.iter().sum();
    let (distances, gradients) = distance.at(data);
    let zero = vec![0.0; p];
    let mut score = vec![0.0; d];
    let (mut jacobian, mut slope) = (vec![0.0; d * p], vec![0.0; d * p]);
    // The gradient of m / 2 for one point, at scores `psi`: sum_l (h psi_l + d_l h) A_l + h A'_l.
    let gradient = |i: usize, psi: &[f64], jacobian: &[f64], slope: &[f64], out: &mut [f64]| {
        for l in 0..d {
            let factor = distances[i] * psi[l] + gradients[(i, differentiated[l])];
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
    let (theta, factor) = solve_normal_equations(&normal, &right)?;

    let mut gradients_at_minimum = Matrix::zeros(p, points.len());
    let mut objective = 0.0;
    let mut slopes = vec![0.0; d];
    for (i, x) in points.rows().enumerate() {
        model.score(x, &theta, &mut score);
        model.score_slope(x, &theta, &mut slopes);
        model.score_jacobian(x, &theta, &mut jacobian);
        model.score_slope_jacobian(x, &theta, &mut slope);
        gradient(i, &score, &jacobian, &slope, gradients_at_minimum.column_mut(i));
        for l in 0..d {
            let of_score = distances[i] * (score[l] * score[l] + 2.0 * slopes[l]);
            let of_distance = 2.0 * gradients[(i, differentiated[l])] * score[l];
            objective += weights[i] / total * (of_score + of_distance);
        }
    }
    let influence = factor.solve_rows(&gradients_at_minimum.transpose(), -1.0);
    let mut estimate = Estimate::closed_form(theta, influence).moved_back(model, &origin);
    estimate.objective = Some(objective);
    Ok(estimate)
}

//! Truncated score matching (TruncSM).

use crate::compute::dot;
use crate::domain::BoundaryDistance;
use crate::error::Error;
use crate::fit::{Estimate, affine_score, centred, features, solve_normal_equations};
use crate::matrix::Matrix;
use crate::model::Model;
use crate::points::Points;
use crate::stein::{Moments, Slot};

/// The minimum of [`Estimator::truncsm`](crate::Estimator::truncsm)'s objective, for a score that is affine in the parameters.
///
/// In the features of an affine score, `psi_l = Phi a_l`, the objective is
///
/// ```text
/// mean_i sum_l [ h (psi_l^2 + 2 d_l psi_l) + 2 (d_l h) psi_l ]  =  sum_l a_l' G a_l + 2 a_l' c_l,
/// G = mean_i h phi phi',    c_l = mean_i [ h d_l phi + (d_l h) phi ]:
/// ```
///
/// the same quadratic as a Stein discrepancy's, with means over points in place of pairs.
pub(crate) fn minimise(
    model: &dyn Model,
    data: &Points,
    weights: &[f64],
    distance: &BoundaryDistance,
) -> Result<Estimate, Error> {
    let score = affine_score(model)?;
    let (origin, points) = centred(model, data);
    let features = features(model, &points, &score);
    let (distances, gradients) = distance.at(data);
    let differentiated = model.differentiated();
    let (rows, count) = (points.len(), score.features());
    let mut slopes = vec![f64::NAN; differentiated.len() * count];
    // How point i, whose feature slopes are given, pulls on the coefficient a_cl: h d_l phi_c + (d_l h) phi_c.
    let pull = |i: usize, slopes: &[f64], l: usize, c: usize| {
        distances[i] * slopes[l * count + c] + gradients[(i, differentiated[l])] * features[(i, c)]
    };
    let mut cross = Matrix::zeros(count, differentiated.len());
    for (i, x) in points.rows().enumerate() {
        model.feature_slopes(x, &mut slopes);
        for l in 0..differentiated.len() {
            for c in 0..count {
                cross[(c, l)] += weights[i] * pull(i, &slopes, l, c);
            }
        }
    }
    let mut gram = Matrix::zeros(count, count);
    for a in 0..count {
        let weighted: Vec<f64> = (0..rows).map(|i| weights[i] * distances[i] * features[(i, a)]).collect();
        for b in 0..=a {
            gram[(a, b)] = dot(&weighted, features.column(b));
            gram[(b, a)] = gram[(a, b)];
        }
    }
    let moments = Moments { gram, cross, constant: 0.0, normaliser: weights.iter().sum() };
    let (normal, right) = moments.normal_equations(&score);
    let (theta, factor) = solve_normal_equations(&normal, &right)?;

    let coefficients = score.at(&theta);
    let scores = features.times(&coefficients);
    let mut gradient = Matrix::zeros(rows, score.parameters);
    for (i, x) in points.rows().enumerate() {
        model.feature_slopes(x, &mut slopes);
        for (l, slots) in score.design.iter().enumerate() {
            for Slot { feature, parameter, factor } in slots.iter().copied() {
                let push = distances[i] * scores[(i, l)] * features[(i, feature)];
                gradient[(i, parameter)] += factor * (push + pull(i, &slopes, l, feature));
            }
        }
    }
    let influence = factor.solve_rows(&gradient, -1.0);
    let objective = moments.value(&coefficients);
    let mut estimate = Estimate::closed_form(theta, influence).moved_back(model, &origin);
    estimate.objective = Some(objective);
    Ok(estimate)
}

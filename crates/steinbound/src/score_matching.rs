//! Truncated score matching (TruncSM).

use crate::compute::dot;
use crate::domain::BoundaryDistance;
use crate::error::Error;
use crate::fit::objective::{Expansion, Objective, curvature, jacobians};
use crate::fit::{Estimate, affine_score, centred, features, solve_normal_equations};
use crate::matrix::{Matrix, add_scaled};
use crate::model::{Model, scores};
use crate::points::Points;
use crate::stein::{Moments, Slot};

/// The weights of each coordinate at the data: `h_l` and `d h_l / d x_l`, one column for each differentiated coordinate.
struct Weight {
    value: Matrix,
    slope: Matrix,
}

impl Weight {
    fn new(distance: &BoundaryDistance, data: &Points, model: &dyn Model) -> Weight {
        let (value, slope) = distance.along(data, &model.differentiated());
        Weight { value, slope }
    }
}

/// The minimum of [`Estimator::truncsm`](crate::Estimator::truncsm)'s objective, for a score that is affine in the parameters.
///
/// In the features of an affine score, `psi_l = Phi a_l`, the objective is
///
/// ```text
/// mean_i sum_l [ h_l (psi_l^2 + 2 d_l psi_l) + 2 (d_l h_l) psi_l ]  =  sum_l a_l' G_l a_l + 2 a_l' c_l,
/// G_l = mean_i h_l phi phi',    c_l = mean_i [ h_l d_l phi + (d_l h_l) phi ]:
/// ```
///
/// a quadratic like a Stein discrepancy's, with means over points in place of pairs.
pub(crate) fn minimise(
    model: &dyn Model,
    data: &Points,
    weights: &[f64],
    distance: &BoundaryDistance,
) -> Result<Estimate, Error> {
    let score = affine_score(model)?;
    let (origin, points) = centred(model, data);
    let features = features(model, &points, &score);
    let weight = Weight::new(distance, data, model);
    let count = score.features();
    let slopes = jacobians(&points, score.design.len() * count, |x, row| model.feature_slopes(x, row));
    // How point i pulls on the coefficient a_cl: h_l d_l phi_c + (d_l h_l) phi_c.
    let pull = |i: usize, l: usize, c: usize| {
        weight.value[(i, l)] * slopes[(i, l * count + c)] + weight.slope[(i, l)] * features[(i, c)]
    };
    let moments = moments(&features, &weight, weights, pull);
    let mut normal = Matrix::zeros(score.parameters, score.parameters);
    let mut right = vec![0.0; score.parameters];
    for (l, moments) in moments.iter().enumerate() {
        let (matrix, vector) = moments.normal_equations(&score.of_coordinate(l));
        add_scaled(normal.values_mut(), 1.0, matrix.values());
        add_scaled(&mut right, 1.0, &vector);
    }
    let (theta, factor) = solve_normal_equations(&normal, &right)?;

    let coefficients = score.at(&theta);
    let psi = features.times(&coefficients);
    let mut gradient = Matrix::zeros(points.len(), score.parameters);
    for i in 0..points.len() {
        for (l, slots) in score.design.iter().enumerate() {
            for Slot { feature, parameter, factor } in slots.iter().copied() {
                let push = weight.value[(i, l)] * psi[(i, l)] * features[(i, feature)];
                gradient[(i, parameter)] += factor * (push + pull(i, l, feature));
            }
        }
    }
    let influence = factor.solve_rows(&gradient, -1.0);
    let mut estimate = Estimate::closed_form(theta, influence).moved_back(model, &origin);
    let value = |(l, moments): (usize, &Moments)| {
        moments.value(&Matrix::from_fn(count, 1, |c, _| coefficients[(c, l)]))
    };
    estimate.objective = Some(moments.iter().enumerate().map(value).sum());
    Ok(estimate)
}

/// `G_l` and `c_l` for each coordinate.
fn moments(
    features: &Matrix,
    weight: &Weight,
    weights: &[f64],
    pull: impl Fn(usize, usize, usize) -> f64,
) -> Vec<Moments> {
    let (rows, count) = (features.rows(), features.columns());
    let gram_of = |l: usize| {
        let mut gram = Matrix::zeros(count, count);
        for a in 0..count {
            let weighted: Vec<f64> =
                (0..rows).map(|i| weights[i] * weight.value[(i, l)] * features[(i, a)]).collect();
            for b in 0..=a {
                gram[(a, b)] = dot(&weighted, features.column(b));
                gram[(b, a)] = gram[(a, b)];
            }
        }
        gram
    };
    let mut list: Vec<Moments> = Vec::new();
    for l in 0..weight.value.columns() {
        // One weight for all coordinates has one Gram matrix.
        let gram = match list.last() {
            Some(last) if weight.value.column(l) == weight.value.column(l - 1) => last.gram.clone(),
            _ => gram_of(l),
        };
        let sum = |c: usize| (0..rows).map(|i| weights[i] * pull(i, l, c)).sum();
        let cross = Matrix::from_fn(count, 1, |c, _| sum(c));
        list.push(Moments { gram, cross, constant: 0.0, normaliser: weights.iter().sum() });
    }
    list
}

/// TruncSM's objective for any score.
///
/// Its derivatives are means over points of those of `h_l (psi_l^2 + 2 d_l psi_l) + 2 (d_l h_l) psi_l`; `d_l psi_l` is the diagonal of the
/// Hessian of the log-density (the public code of the paper sums its rows instead).
pub(crate) struct ScoreMatching<'a> {
    model: &'a dyn Model,
    data: &'a Points<'a>,
    weights: &'a [f64],
    weight: Weight,
}

impl<'a> ScoreMatching<'a> {
    pub(crate) fn new(
        model: &'a dyn Model,
        data: &'a Points<'a>,
        weights: &'a [f64],
        distance: &BoundaryDistance,
    ) -> ScoreMatching<'a> {
        ScoreMatching { model, data, weights, weight: Weight::new(distance, data, model) }
    }

    fn slopes(&self, theta: &[f64]) -> Matrix {
        jacobians(self.data, self.weight.value.columns(), |x, row| self.model.score_slope(x, theta, row))
    }

    fn mean(&self, of_point: impl Fn(usize) -> f64) -> f64 {
        let total: f64 = self.weights.iter().sum();
        (0..self.data.len()).map(|i| self.weights[i] / total * of_point(i)).sum()
    }

    /// Points far from the data's domain have no weight, and their scores need not exist.
    fn value_of(&self, psi: &Matrix, slope: &Matrix) -> f64 {
        let Weight { value, slope: h_slope } = &self.weight;
        self.mean(|i| {
            (0..psi.columns())
                .map(|l| {
                    let p = psi[(i, l)];
                    value[(i, l)] * (p * p + 2.0 * slope[(i, l)]) + 2.0 * h_slope[(i, l)] * p
                })
                .sum()
        })
    }
}

impl Objective for ScoreMatching<'_> {
    fn value(&self, theta: &[f64]) -> Result<f64, Error> {
        Ok(self.value_of(&scores(self.model, self.data, theta), &self.slopes(theta)))
    }

    fn expand(&self, theta: &[f64]) -> Result<Expansion, Error> {
        let p = theta.len();
        let coordinates = self.weight.value.columns();
        let psi = scores(self.model, self.data, theta);
        let slope = self.slopes(theta);
        let pulls = self.pulls(theta)?;
        let gradient = (0..p).map(|k| self.mean(|i| pulls[(i, k)])).collect();
        let total: f64 = self.weights.iter().sum();
        let sums = curvature(self.data, p, |i, x, sum| {
            let share = self.weights[i] / total;
            let h = |l: usize| self.weight.value[(i, l)];
            let mut jacobian = vec![0.0; coordinates * p];
            self.model.score_jacobian(x, theta, &mut jacobian);
            for (l, row) in jacobian.chunks_exact(p).enumerate() {
                for (j, a) in row.iter().enumerate() {
                    for (k, b) in row.iter().enumerate() {
                        sum[j * p + k] += share * h(l) * a * b;
                    }
                }
            }
            let push: Vec<f64> =
                (0..coordinates).map(|l| share * (h(l) * psi[(i, l)] + self.weight.slope[(i, l)])).collect();
            self.model.add_score_curvature(x, theta, &push, sum);
            let h: Vec<f64> = (0..coordinates).map(|l| share * h(l)).collect();
            self.model.add_slope_curvature(x, theta, &h, sum);
        });
        let scale = self
            .mean(|i| (0..coordinates).map(|l| self.weight.value[(i, l)] * psi[(i, l)].powi(2)).sum::<f64>());
        let hessian = Matrix::from_fn(p, p, |j, k| 2.0 * sums[j * p + k]);
        Ok(Expansion { value: self.value_of(&psi, &slope), scale, gradient, hessian })
    }

    fn pulls(&self, theta: &[f64]) -> Result<Matrix, Error> {
        let p = theta.len();
        let coordinates = self.weight.value.columns();
        let psi = scores(self.model, self.data, theta);
        let jacobian =
            jacobians(self.data, coordinates * p, |x, row| self.model.score_jacobian(x, theta, row));
        let slope_jacobian =
            jacobians(self.data, coordinates * p, |x, row| self.model.score_slope_jacobian(x, theta, row));
        Ok(Matrix::from_fn(self.data.len(), p, |i, k| {
            let of_coordinate = |l: usize| {
                let h = self.weight.value[(i, l)];
                let push = h * psi[(i, l)] + self.weight.slope[(i, l)];
                push * jacobian[(i, l * p + k)] + h * slope_jacobian[(i, l * p + k)]
            };
            2.0 * (0..coordinates).map(of_coordinate).sum::<f64>()
        }))
    }
}

//! Truncated score matching (TruncSM).

use crate::compute::dot;
use crate::domain::BoundaryDistance;
use crate::error::Error;
use crate::fit::objective::{Expansion, Objective, curvature, jacobians, score_scales};
use crate::fit::{Estimate, affine_score, centred, features, solve_normal_equations};
use crate::matrix::{Matrix, add_scaled};
use crate::model::{Model, difference_steps};
use crate::points::Points;
use crate::stein::{Moments, Slot};

/// The weights of each coordinate at the data: `h_l` and `d h_l / d x_l`, one column for each differentiated coordinate.
pub(crate) struct BoundaryWeight {
    value: Matrix,
    slope: Matrix,
}

impl BoundaryWeight {
    pub(crate) fn new(distance: &BoundaryDistance, data: &Points, model: &dyn Model) -> BoundaryWeight {
        let (value, slope) = distance.along(data, &model.differentiated());
        BoundaryWeight { value, slope }
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
    weight: &BoundaryWeight,
) -> Result<Estimate, Error> {
    let score = affine_score(model)?;
    let (origin, points) = centred(model, data);
    let features = features(model, &points, &score);
    let count = score.features();
    let slopes =
        jacobians(&points, weights, score.design.len() * count, |x, row| model.feature_slopes(x, row));
    // How point i pulls on the coefficient a_cl: h_l d_l phi_c + (d_l h_l) phi_c.
    let pull = |i: usize, l: usize, c: usize| {
        weight.value[(i, l)] * slopes[(i, l * count + c)] + weight.slope[(i, l)] * features[(i, c)]
    };
    let moments = moments(&features, weight, weights, pull);
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
    estimate.condition = Some(factor.condition_number());
    estimate.objective = Some(moments.iter().enumerate().map(value).sum());
    Ok(estimate)
}

/// `G_l` and `c_l` for each coordinate.
fn moments(
    features: &Matrix,
    weight: &BoundaryWeight,
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
    /// The data, less the origin of the search.
    points: &'a Points<'a>,
    /// Observation weights that sum to one; zero where the boundary's weight is zero as well as its slope.
    shares: Vec<f64>,
    weight: &'a BoundaryWeight,
}

/// Scores, slopes of scores and their Jacobians at the data.
struct Derivatives {
    /// The scores, and after them the rows of their Jacobian.
    score: Matrix,
    /// The slopes, and after them the rows of their Jacobian.
    slope: Matrix,
}

impl<'a> ScoreMatching<'a> {
    /// The objective at the data that the weights belong to, of which the model sees `points`: the data less an origin.
    pub(crate) fn new(
        model: &'a dyn Model,
        points: &'a Points<'a>,
        weights: &[f64],
        weight: &'a BoundaryWeight,
    ) -> ScoreMatching<'a> {
        let total: f64 = weights.iter().sum();
        let coordinates = weight.value.columns();
        let counts =
            |i: usize| (0..coordinates).any(|l| weight.value[(i, l)] != 0.0 || weight.slope[(i, l)] != 0.0);
        let shares = (0..points.len()).map(|i| if counts(i) { weights[i] / total } else { 0.0 }).collect();
        ScoreMatching { model, points, shares, weight }
    }

    fn coordinates(&self) -> usize {
        self.weight.value.columns()
    }

    fn mean(&self, of_point: impl Fn(usize) -> f64) -> f64 {
        let counted = (0..self.points.len()).filter(|i| self.shares[*i] != 0.0);
        counted.map(|i| self.shares[i] * of_point(i)).sum()
    }

    /// With scores and slopes in the first columns.
    fn value_of(&self, score: &Matrix, slope: &Matrix) -> f64 {
        let BoundaryWeight { value: h, slope: h_slope } = self.weight;
        let of_coordinate = |i: usize, l: usize| {
            let psi = score[(i, l)];
            h[(i, l)] * (psi * psi + 2.0 * slope[(i, l)]) + 2.0 * h_slope[(i, l)] * psi
        };
        self.mean(|i| (0..self.coordinates()).map(|l| of_coordinate(i, l)).sum())
    }

    fn derivatives(&self, theta: &[f64]) -> Derivatives {
        let coordinates = self.coordinates();
        let columns = coordinates * (1 + theta.len());
        Derivatives {
            score: jacobians(self.points, &self.shares, columns, |x, row| {
                let (score, jacobian) = row.split_at_mut(coordinates);
                self.model.score(x, theta, score);
                self.model.score_jacobian(x, theta, jacobian);
            }),
            slope: jacobians(self.points, &self.shares, columns, |x, row| {
                let (slope, jacobian) = row.split_at_mut(coordinates);
                self.model.score_slope(x, theta, slope);
                self.model.score_slope_jacobian(x, theta, jacobian);
            }),
        }
    }

    /// `h_l psi_l + d_l h_l`: half the derivative of a point's part in its score.
    fn push(&self, derivatives: &Derivatives, i: usize, l: usize) -> f64 {
        self.weight.value[(i, l)] * derivatives.score[(i, l)] + self.weight.slope[(i, l)]
    }

    fn gradients(&self, derivatives: &Derivatives, parameters: usize) -> Matrix {
        let coordinates = self.coordinates();
        Matrix::from_fn(self.points.len(), parameters, |i, k| {
            let of_coordinate = |l: usize| {
                let at = coordinates + l * parameters + k;
                let by_slope = self.weight.value[(i, l)] * derivatives.slope[(i, at)];
                self.push(derivatives, i, l) * derivatives.score[(i, at)] + by_slope
            };
            2.0 * (0..coordinates).map(of_coordinate).sum::<f64>()
        })
    }
}

impl Objective for ScoreMatching<'_> {
    fn value(&self, theta: &[f64]) -> Result<f64, Error> {
        let at = |row: &(dyn Fn(&[f64], &mut [f64]) + Sync)| {
            jacobians(self.points, &self.shares, self.coordinates(), row)
        };
        let score = at(&|x, row| self.model.score(x, theta, row));
        Ok(self.value_of(&score, &at(&|x, row| self.model.score_slope(x, theta, row))))
    }

    fn expand(&self, theta: &[f64]) -> Result<Expansion, Error> {
        let (p, coordinates) = (theta.len(), self.coordinates());
        let derivatives = self.derivatives(theta);
        let gradients = self.gradients(&derivatives, p);
        let steps = difference_steps(theta, score_scales(&derivatives.score, coordinates));
        let sums = curvature(self.points, &self.shares, p, |i, x, sum| {
            let h: Vec<f64> = (0..coordinates).map(|l| self.shares[i] * self.weight.value[(i, l)]).collect();
            for (l, h) in h.iter().enumerate() {
                let slope = |k: usize| derivatives.score[(i, coordinates + l * p + k)];
                for j in 0..p {
                    for k in 0..p {
                        sum[j * p + k] += h * slope(j) * slope(k);
                    }
                }
            }
            let push: Vec<f64> =
                (0..coordinates).map(|l| self.shares[i] * self.push(&derivatives, i, l)).collect();
            self.model.add_score_curvature(x, theta, &push, &steps, sum);
            self.model.add_slope_curvature(x, theta, &h, &steps, sum);
        });
        let square = |i: usize, l: usize| self.weight.value[(i, l)] * derivatives.score[(i, l)].powi(2);
        Ok(Expansion {
            value: self.value_of(&derivatives.score, &derivatives.slope),
            scale: self.mean(|i| (0..coordinates).map(|l| square(i, l)).sum()),
            gradient: (0..p).map(|k| self.mean(|i| gradients[(i, k)])).collect(),
            hessian: Matrix::from_fn(p, p, |j, k| 2.0 * sums[j * p + k]),
            is_full: true,
        })
    }

    fn pulls(&self, theta: &[f64]) -> Result<Matrix, Error> {
        Ok(self.gradients(&self.derivatives(theta), theta.len()))
    }
}

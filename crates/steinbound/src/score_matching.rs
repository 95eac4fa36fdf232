//! Truncated score matching (TruncSM).

use crate::compute::dot;
use crate::domain::BoundaryDistance;
use crate::error::{Error, Interrupted, ModelError};
use crate::interrupt::Interrupt;
use crate::matrix::{Matrix, add_scaled};
use crate::minimise::{
    Estimate, Expansion, Objective, affine_score, centred, features, score_scales, solve_normal_equations,
};
use crate::model::{AtPoints, Model, Wanted, difference_steps};
use crate::points::Points;
use crate::stein::{Gram, Moments, Slot};

/// The weights of each coordinate at the data: `h_l` and `d h_l / d x_l`, one column for each differentiated
/// coordinate.
pub(crate) struct BoundaryWeight {
    value: Matrix,
    slope: Matrix,
}

impl BoundaryWeight {
    pub(crate) fn new(
        distance: &BoundaryDistance,
        data: &Points,
        model: &dyn Model,
    ) -> Result<BoundaryWeight, Interrupted> {
        let (value, slope) = distance.along(data, &model.differentiated())?;
        Ok(BoundaryWeight { value, slope })
    }
}

/// The minimum of [`Estimator::truncsm`](crate::Estimator::truncsm)'s objective, for a score that is affine
/// in the parameters.
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
    let (affine, score) = affine_score(model)?;
    let (origin, points) = centred(model, data);
    let features = features(affine, &points, &score);
    let count = score.features();
    let at_data = AtPoints::new(model, &points, weights);
    let slopes = at_data.rows(score.design.len() * count, |x, row| affine.feature_slopes(x, row));
    // Half the derivative in a_cl of the linear part of point i's term: h_l d_l phi_c + (d_l h_l) phi_c.
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
        // If all coordinates share one weight, they share one Gram matrix.
        let gram = match list.last() {
            Some(last) if weight.value.column(l) == weight.value.column(l - 1) => last.gram.clone(),
            _ => Gram::Shared(gram_of(l)),
        };
        let sum = |c: usize| (0..rows).map(|i| weights[i] * pull(i, l, c)).sum();
        let cross = Matrix::from_fn(count, 1, |c, _| sum(c));
        list.push(Moments { gram, cross, constant: 0.0, normaliser: weights.iter().sum() });
    }
    list
}

/// TruncSM's objective for any score, affine or not.
///
/// Its derivatives are means over points of those of `h_l (psi_l^2 + 2 d_l psi_l) + 2 (d_l h_l) psi_l`; `d_l
/// psi_l` is the diagonal of the Hessian of the log-density (the public code of the paper sums its rows
/// instead).
pub(crate) struct ScoreMatching<'a> {
    model: &'a dyn Model,
    /// The data, less the origin of the search.
    points: &'a Points<'a>,
    /// Observation weights that sum to one; zero if both the boundary's weight and its slope are zero.
    shares: Vec<f64>,
    weight: &'a BoundaryWeight,
    interrupt: &'a Interrupt,
}

/// Scores, slopes of scores and their Jacobians at the data, one row for each point.
struct AtData {
    /// The scores, then the slopes, then the rows of the scores' Jacobian, then those of the slopes'.
    values: Matrix,
    coordinates: usize,
    parameters: usize,
}

impl AtData {
    /// `psi_l`.
    fn score(&self, i: usize, l: usize) -> f64 {
        self.values[(i, l)]
    }

    /// `d_l psi_l`.
    fn slope(&self, i: usize, l: usize) -> f64 {
        self.values[(i, self.coordinates + l)]
    }

    /// The derivative of `psi_l` in parameter `k`.
    fn score_change(&self, i: usize, l: usize, k: usize) -> f64 {
        self.values[(i, 2 * self.coordinates + l * self.parameters + k)]
    }

    /// The derivative of `d_l psi_l` in parameter `k`.
    fn slope_change(&self, i: usize, l: usize, k: usize) -> f64 {
        self.values[(i, (2 + self.parameters) * self.coordinates + l * self.parameters + k)]
    }

    /// The scores, and after them the rows of their Jacobian.
    fn features(&self) -> Matrix {
        let (d, p) = (self.coordinates, self.parameters);
        self.values.part(0..d).beside(&self.values.part(2 * d..2 * d + d * p))
    }
}

impl<'a> ScoreMatching<'a> {
    /// The objective at the data that the weights belong to; the model is evaluated at `points`, the data
    /// less an origin.
    pub(crate) fn new(
        model: &'a dyn Model,
        points: &'a Points<'a>,
        weights: &[f64],
        weight: &'a BoundaryWeight,
        interrupt: &'a Interrupt,
    ) -> ScoreMatching<'a> {
        let total: f64 = weights.iter().sum();
        let coordinates = weight.value.columns();
        let counts =
            |i: usize| (0..coordinates).any(|l| weight.value[(i, l)] != 0.0 || weight.slope[(i, l)] != 0.0);
        let shares = (0..points.len()).map(|i| if counts(i) { weights[i] / total } else { 0.0 }).collect();
        ScoreMatching { model, points, shares, weight, interrupt }
    }

    fn coordinates(&self) -> usize {
        self.weight.value.columns()
    }

    fn mean(&self, of_point: impl Fn(usize) -> f64) -> f64 {
        let counted = (0..self.points.len()).filter(|i| self.shares[*i] != 0.0);
        counted.map(|i| self.shares[i] * of_point(i)).sum()
    }

    fn value_of(&self, at: &AtData) -> f64 {
        let BoundaryWeight { value: h, slope: h_slope } = self.weight;
        let of_coordinate = |i: usize, l: usize| {
            let psi = at.score(i, l);
            h[(i, l)] * (psi * psi + 2.0 * at.slope(i, l)) + 2.0 * h_slope[(i, l)] * psi
        };
        self.mean(|i| (0..self.coordinates()).map(|l| of_coordinate(i, l)).sum())
    }

    /// Scores and slopes at the data, with their derivatives in the first `parameters` parameters: all of
    /// them, or none if only the value is needed.
    fn at(&self, theta: &[f64], parameters: usize) -> Result<AtData, ModelError> {
        let is_moving = parameters > 0;
        let wanted =
            Wanted { score: true, slope: true, score_jacobian: is_moving, slope_jacobian: is_moving };
        let values = self.at_data().derivatives(theta, wanted)?;
        Ok(AtData { values, coordinates: self.coordinates(), parameters })
    }

    fn at_data(&self) -> AtPoints<'_> {
        AtPoints::new(self.model, self.points, &self.shares).until(self.interrupt)
    }

    /// `h_l psi_l + d_l h_l`: half the derivative of a point's term in its score.
    fn push(&self, at: &AtData, i: usize, l: usize) -> f64 {
        self.weight.value[(i, l)] * at.score(i, l) + self.weight.slope[(i, l)]
    }

    fn gradients(&self, at: &AtData) -> Matrix {
        Matrix::from_fn(self.points.len(), at.parameters, |i, k| {
            let of_coordinate = |l: usize| {
                let by_slope = self.weight.value[(i, l)] * at.slope_change(i, l, k);
                self.push(at, i, l) * at.score_change(i, l, k) + by_slope
            };
            2.0 * (0..at.coordinates).map(of_coordinate).sum::<f64>()
        })
    }
}

impl Objective for ScoreMatching<'_> {
    fn interrupt(&self) -> Option<&Interrupt> {
        Some(self.interrupt)
    }

    fn value(&self, theta: &[f64]) -> Result<f64, Error> {
        Ok(self.value_of(&self.at(theta, 0)?))
    }

    fn expand(&self, theta: &[f64]) -> Result<Expansion, Error> {
        Ok(self.conclude(theta)?.0)
    }

    fn pulls(&self, theta: &[f64]) -> Result<Matrix, Error> {
        Ok(self.gradients(&self.at(theta, theta.len())?))
    }

    fn conclude(&self, theta: &[f64]) -> Result<(Expansion, Matrix), Error> {
        let (p, coordinates) = (theta.len(), self.coordinates());
        let at = self.at(theta, p)?;
        let gradients = self.gradients(&at);
        let steps = difference_steps(theta, score_scales(&at.features(), coordinates));
        let h = |i: usize, l: usize| self.shares[i] * self.weight.value[(i, l)];
        let weigh = |i: usize, out: &mut [f64]| {
            let (push, slope) = out.split_at_mut(coordinates);
            for l in 0..coordinates {
                (push[l], slope[l]) = (self.shares[i] * self.push(&at, i, l), h(i, l));
            }
        };
        let squares = |i: usize, sum: &mut [f64]| {
            for l in 0..coordinates {
                for j in 0..p {
                    let weighted = h(i, l) * at.score_change(i, l, j);
                    for k in 0..p {
                        sum[j * p + k] += weighted * at.score_change(i, l, k);
                    }
                }
            }
        };
        let sums = self.at_data().curvature(theta, &steps, true, weigh, squares);
        let square = |i: usize, l: usize| self.weight.value[(i, l)] * at.score(i, l).powi(2);
        let expansion = Expansion {
            value: self.value_of(&at),
            scale: self.mean(|i| (0..coordinates).map(|l| square(i, l)).sum()),
            gradient: (0..p).map(|k| self.mean(|i| gradients[(i, k)])).collect(),
            hessian: Matrix::from_fn(p, p, |j, k| 2.0 * sums[j * p + k]),
            is_full: true,
        };
        Ok((expansion, gradients))
    }
}

//! Maximum likelihood of independent coordinates that are not truncated.

use super::{Column, Independent, MOST_PARAMETERS, Range};
use crate::compute::cholesky::Cholesky;
use crate::error::{Error, FitError, ModelError, PointsError};
use crate::matrix::Matrix;
use crate::model::{Model, NaiveLikelihood};
use crate::points::Points;

/// The relative step of differences of normalisers, with five places.
const STEP: f64 = 1e-3;

/// The most steps of a search.
const MOST_STEPS: usize = 200;

/// The gradient at which a search ends, for a mean log-likelihood in logarithms of scales.
const FLAT: f64 = 1e-11;

/// The mean log-likelihood of one coordinate. Positive parameters are searched for as logarithms.
struct OfCoordinate<'a> {
    model: &'a Independent,
    column: &'a Column,
    free: Vec<usize>,
    /// All parameters, of which the free ones are replaced.
    all: Vec<f64>,
}

impl OfCoordinate<'_> {
    fn is_any(&self, j: usize) -> bool {
        self.model.coordinate.parameters()[j].range == Range::Any
    }

    /// All parameters for the searched ones.
    fn parameters(&self, searched: &[f64]) -> Vec<f64> {
        let mut all = self.all.clone();
        for (j, value) in self.free.iter().zip(searched) {
            all[*j] = if self.is_any(*j) { *value } else { value.exp() };
        }
        all
    }

    fn normaliser(&self, searched: &[f64]) -> f64 {
        self.model.coordinate.log_normaliser(&self.parameters(searched)).unwrap_or(f64::NAN)
    }

    fn value(&self, searched: &[f64]) -> f64 {
        let parameters = self.parameters(searched);
        self.normaliser(searched) - self.column.mean(|x| self.model.coordinate.at(x, &parameters).log)
    }

    /// The derivative of the normaliser, by differences.
    fn normaliser_gradient(&self, searched: &[f64]) -> Vec<f64> {
        let along = |k: usize| {
            let step = STEP * (1.0 + searched[k].abs());
            let at = |steps: f64| {
                let mut moved = searched.to_vec();
                moved[k] += steps * step;
                self.normaliser(&moved)
            };
            (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step)
        };
        (0..searched.len()).map(along).collect()
    }

    /// The gradient of minus the log-density at a place, less that of its normaliser.
    fn pull(&self, x: f64, searched: &[f64], normaliser: &[f64]) -> Vec<f64> {
        let parameters = self.parameters(searched);
        let jet = self.model.coordinate.at(x, &parameters);
        let slope = |j: usize| if self.is_any(j) { 1.0 } else { parameters[j] };
        self.free
            .iter()
            .zip(normaliser)
            .map(|(j, of_normaliser)| of_normaliser - slope(*j) * jet.log_in[*j])
            .collect()
    }

    fn gradient(&self, searched: &[f64]) -> Vec<f64> {
        let normaliser = self.normaliser_gradient(searched);
        let mut sum = vec![0.0; searched.len()];
        for (x, share) in self.column.counted() {
            let pull = self.pull(x, searched, &normaliser);
            sum.iter_mut().zip(pull).for_each(|(sum, pull)| *sum += share * pull);
        }
        sum
    }

    fn hessian(&self, searched: &[f64]) -> Matrix {
        let p = searched.len();
        let mut hessian = Matrix::zeros(p, p);
        for k in 0..p {
            let step = STEP * (1.0 + searched[k].abs());
            let at = |steps: f64| {
                let mut moved = searched.to_vec();
                moved[k] += steps * step;
                self.gradient(&moved)
            };
            let (one, back, two, far) = (at(1.0), at(-1.0), at(2.0), at(-2.0));
            let value = |j: usize| (8.0 * (one[j] - back[j]) - (two[j] - far[j])) / (12.0 * step);
            for j in 0..p {
                hessian[(j, k)] += 0.5 * value(j);
                hessian[(k, j)] += 0.5 * value(j);
            }
        }
        hessian
    }

    /// Newton's method with a ridge where the Hessian is not positive definite, and halved steps.
    fn minimum(&self, start: Vec<f64>) -> Option<(Vec<f64>, Matrix)> {
        let mut searched = start;
        let mut value = self.value(&searched);
        for _ in 0..MOST_STEPS {
            let gradient = self.gradient(&searched);
            let hessian = self.hessian(&searched);
            let steepest = gradient.iter().fold(0.0f64, |most, g| most.max(g.abs()));
            if steepest < FLAT {
                return Cholesky::new(hessian.clone()).map(|_| (searched, hessian));
            }
            let step = newton_step(&hessian, &gradient)?;
            let moved = (0..40).find_map(|halvings| {
                let share = 0.5f64.powi(halvings);
                let next: Vec<f64> = searched.iter().zip(&step).map(|(s, step)| s - share * step).collect();
                let at = self.value(&next);
                (at < value).then_some((next, at))
            });
            match moved {
                Some((next, at)) => (searched, value) = (next, at),
                // No descent is left but rounding.
                None if steepest < 1e-6 => {
                    return Cholesky::new(hessian.clone()).map(|_| (searched, hessian));
                }
                None => return None,
            }
        }
        None
    }
}

/// `(H + r I)^-1 g` with the smallest ridge that serves.
fn newton_step(hessian: &Matrix, gradient: &[f64]) -> Option<Vec<f64>> {
    let p = gradient.len();
    let scale = (0..p).map(|k| hessian[(k, k)].abs()).fold(1e-12, f64::max);
    (0..20).find_map(|power| {
        let ridge = if power == 0 { 0.0 } else { scale * 1e-6 * 10f64.powi(power) };
        let matrix = Matrix::from_fn(p, p, |j, k| hessian[(j, k)] + if j == k { ridge } else { 0.0 });
        let mut step = Matrix::from_fn(p, 1, |j, _| gradient[j]);
        Cholesky::new(matrix)?.solve(&mut step);
        let step = step.column(0).to_vec();
        step.iter().all(|value| value.is_finite()).then_some(step)
    })
}

impl NaiveLikelihood for Independent {
    /// Coordinate by coordinate, with influence values `-H^-1` times the gradient of each observation.
    fn maximum_likelihood(&self, points: &Points, weights: &[f64]) -> Result<(Vec<f64>, Matrix), Error> {
        let (d, n) = (self.dimension, points.len());
        if points.dimension() != d {
            return Err(ModelError::WrongDimension { model: d, data: points.dimension() }.into());
        }
        if weights.len() != n {
            let what = "weights";
            return Err(PointsError::WrongCount { what, found: weights.len(), expected: n }.into());
        }
        let parameters = self.coordinate.parameters();
        let mut theta = vec![0.0; self.parameters()];
        let mut influence = Matrix::zeros(n, theta.len());
        for l in 0..d {
            let column = Column::new(points, l, weights);
            let all: Vec<f64> = self.known.iter().map(|known| known.unwrap_or(0.0)).collect();
            let objective = OfCoordinate { model: self, column: &column, free: self.free().collect(), all };
            let searched = |start: &Vec<f64>| -> Vec<f64> {
                let one = |j: &usize| if objective.is_any(*j) { start[*j] } else { start[*j].ln() };
                objective.free.iter().map(one).collect()
            };
            let found =
                self.coordinate.starts(&column).iter().find_map(|start| objective.minimum(searched(start)));
            let (searched, hessian) = found.ok_or(FitError::NoMaximum { name: points.names()[l].clone() })?;
            let Some(factor) = Cholesky::new(hessian) else {
                return Err(FitError::NoMaximum { name: points.names()[l].clone() }.into());
            };
            let values = objective.parameters(&searched);
            let normaliser = objective.normaliser_gradient(&searched);
            // From the searched parameters to the fitted ones.
            let mut slopes = [1.0; MOST_PARAMETERS];
            for (place, j) in objective.free.iter().enumerate() {
                theta[place * d + l] = parameters[*j].fitted(values[*j]);
                slopes[place] = if parameters[*j].range == Range::Positive { values[*j] } else { 1.0 };
            }
            for i in 0..n {
                let pull = objective.pull(points.row(i)[l], &searched, &normaliser);
                let mut step = Matrix::from_fn(pull.len(), 1, |j, _| -pull[j]);
                factor.solve(&mut step);
                for (place, slope) in slopes.iter().enumerate().take(pull.len()) {
                    influence[(i, place * d + l)] = slope * step[(place, 0)];
                }
            }
        }
        Ok((theta, influence))
    }
}

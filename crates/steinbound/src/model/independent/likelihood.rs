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

/// The gradient at which a search ends, for a mean log-likelihood in the searched parameters.
const FLAT: f64 = 1e-11;

/// The mean log-likelihood of one coordinate, in parameters that do not depend on units: the logarithm of the ratio
/// of a positive parameter to its start, and the distance of any other from its start in its own unit.
struct OfCoordinate<'a> {
    model: &'a Independent,
    column: &'a Column,
    free: Vec<usize>,
    /// All parameters at the start, of which the free ones are replaced.
    start: Vec<f64>,
    /// The changes of the parameters that change the log-density by about one.
    units: [f64; MOST_PARAMETERS],
}

impl<'a> OfCoordinate<'a> {
    fn new(model: &'a Independent, column: &'a Column, start: Vec<f64>) -> OfCoordinate<'a> {
        let unit = |j: usize| {
            let spread = column.moments(|x| model.coordinate.at(x, &start).log_in[j]).1.sqrt();
            Some(spread.recip()).filter(|unit| *unit > 0.0 && unit.is_finite()).unwrap_or(1.0)
        };
        let units = std::array::from_fn(unit);
        OfCoordinate { model, column, free: model.free().collect(), start, units }
    }

    fn is_any(&self, j: usize) -> bool {
        self.model.coordinate.parameters()[j].range == Range::Any
    }

    /// All parameters for the searched ones.
    fn parameters(&self, searched: &[f64]) -> Vec<f64> {
        let mut all = self.start.clone();
        for (j, value) in self.free.iter().zip(searched) {
            all[*j] = if self.is_any(*j) { all[*j] + self.units[*j] * value } else { all[*j] * value.exp() };
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
        let slope = |j: usize| if self.is_any(j) { self.units[j] } else { parameters[j] };
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
                // No descent is left but rounding, which hides what the gradient still shows.
                None if steepest < 1e-6 => {
                    let last = searched.iter().zip(&step).map(|(s, step)| s - step).collect();
                    return Cholesky::new(hessian.clone()).map(|_| (last, hessian));
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
            let from = |mut start: Vec<f64>| {
                let known = start.iter_mut().zip(&self.known);
                known.for_each(|(start, known)| *start = known.unwrap_or(*start));
                let objective = OfCoordinate::new(self, &column, start);
                let (searched, hessian) = objective.minimum(vec![0.0; objective.free.len()])?;
                Some((objective, searched, hessian))
            };
            let found = self.coordinate.starts(&column).into_iter().find_map(from);
            let (objective, searched, hessian) =
                found.ok_or(FitError::NoMaximum { name: points.names()[l].clone() })?;
            let Some(factor) = Cholesky::new(hessian) else {
                return Err(FitError::NoMaximum { name: points.names()[l].clone() }.into());
            };
            let values = objective.parameters(&searched);
            let normaliser = objective.normaliser_gradient(&searched);
            // From the searched parameters to the fitted ones.
            let mut slopes = [1.0; MOST_PARAMETERS];
            for (place, j) in objective.free.iter().enumerate() {
                theta[place * d + l] = parameters[*j].fitted(values[*j]);
                slopes[place] = match parameters[*j].range {
                    Range::Any => objective.units[*j],
                    Range::Positive => values[*j],
                    _ => 1.0,
                };
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

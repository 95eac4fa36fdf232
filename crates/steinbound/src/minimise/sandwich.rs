//! The sandwich: the covariance of an estimate from the influence of each observation.

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use statrs::function::erf::erfc;

use crate::compute::dot;
use crate::error::PointsError;
use crate::matrix::Matrix;

/// The covariance of an estimate from influence values.
///
/// # Definition
///
/// Every estimator here moves, to first order, by a weighted mean of influence values, `sum_i w_i f_i / sum
/// w`. Hence
///
/// ```text
/// Cov = sum_g (sum_{i in g} w_i f_i) (sum_{i in g} w_i f_i)' / (sum w)^2
/// ```
///
/// over clusters `g` of dependent observations, each observation being its own cluster if none are given.
/// For the Stein discrepancies this is `G^-1 [4 Cov(grad H1)] G^-1 / n`, with `G` the Hessian of the squared
/// discrepancy and `grad H1` the gradient of the mean Stein kernel of a point: the variance divides by `n`,
/// and weighted influence values have mean zero at the minimum, so that none is subtracted.
///
/// Functions of the parameters have the influence values `J f_i`, `J` being their derivative (the delta
/// method): multiplying these instead of `J Cov J'` keeps digits when `J` is large.
///
/// # Requirements
///
/// Independent clusters, more of them than parameters. The bias that too few boundary points leave is not
/// included.
///
/// # Complexity
///
/// `n p^2`.
///
/// # Reference
///
/// White, *Maximum Likelihood Estimation of Misspecified Models*, 1982; for V-statistics van der Vaart,
/// *Asymptotic Statistics*, chapter 12.
///
/// ```
/// use steinbound::Matrix;
/// use steinbound::inference::sandwich::covariance;
/// let influence = Matrix::from_fn(4, 1, |i, _| [-1.0, 1.0, -3.0, 3.0][i]);
/// assert_eq!(covariance(&influence, &[1.0; 4], None)?[(0, 0)], 20.0 / 16.0);
/// assert_eq!(covariance(&influence, &[1.0; 4], Some(&[0, 0, 1, 1]))?[(0, 0)], 0.0);
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn covariance(
    influence: &Matrix,
    weights: &[f64],
    clusters: Option<&[usize]>,
) -> Result<Matrix, PointsError> {
    let sums = contributions(influence, weights, clusters)?.0;
    let parameters = influence.columns();
    let mut covariance = Matrix::zeros(parameters, parameters);
    for j in 0..parameters {
        for k in 0..=j {
            covariance[(j, k)] = dot(sums.column(j), sums.column(k));
            covariance[(k, j)] = covariance[(j, k)];
        }
    }
    Ok(covariance)
}

/// The contribution of each cluster, or of each observation if there are no clusters, to the estimate, and
/// its first row: the sandwich is the sum of their squares.
pub(crate) fn contributions(
    influence: &Matrix,
    weights: &[f64],
    clusters: Option<&[usize]>,
) -> Result<(Matrix, Vec<usize>), PointsError> {
    let (rows, parameters) = (influence.rows(), influence.columns());
    let counts = [("weights", weights.len()), ("cluster numbers", clusters.map_or(rows, <[usize]>::len))];
    if let Some((what, found)) = counts.into_iter().find(|(_, found)| *found != rows) {
        return Err(PointsError::WrongCount { what, found, expected: rows });
    }
    let total: f64 = weights.iter().sum();
    // Numbers need not be consecutive: each number in use gets a row.
    let mut groups: BTreeMap<usize, usize> = BTreeMap::new();
    let mut first_rows: Vec<usize> = if clusters.is_some() { Vec::new() } else { (0..rows).collect() };
    for (i, id) in clusters.into_iter().flatten().enumerate() {
        groups.entry(*id).or_insert_with(|| {
            first_rows.push(i);
            first_rows.len() - 1
        });
    }
    let mut sums = Matrix::zeros(first_rows.len(), parameters);
    for k in 0..parameters {
        let column = influence.column(k);
        let sums = sums.column_mut(k);
        for (i, value) in column.iter().enumerate() {
            let group = clusters.map_or(i, |ids| groups[&ids[i]]);
            sums[group] += weights[i] * value / total;
        }
    }
    Ok((sums, first_rows))
}

/// The half-width of an interval of this confidence, in standard errors.
///
/// ```
/// use steinbound::inference::sandwich::normal_quantile;
/// assert!((normal_quantile(0.95) - 1.959963984540054).abs() < 1e-9);
/// assert!(normal_quantile(1.5).is_nan());
/// ```
pub fn normal_quantile(confidence: f64) -> f64 {
    if !(0.0..=1.0).contains(&confidence) {
        return f64::NAN;
    }
    Normal::standard().inverse_cdf(0.5 + 0.5 * confidence)
}

/// The same by Student's t, if there are degrees of freedom.
///
/// ```
/// use steinbound::inference::sandwich::quantile;
/// assert!((quantile(0.95, Some(4)) - 2.7764451).abs() < 1e-6);
/// assert_eq!(quantile(0.95, None), quantile(0.95, Some(usize::MAX)));
/// ```
pub fn quantile(confidence: f64, degrees: Option<usize>) -> f64 {
    let student = degrees.filter(|degrees| *degrees <= MOST_DEGREES && (0.0..1.0).contains(&confidence));
    match student.and_then(|degrees| StudentsT::new(0.0, 1.0, degrees as f64).ok()) {
        Some(student) => student.inverse_cdf(0.5 + 0.5 * confidence),
        None => normal_quantile(confidence),
    }
}

/// Beyond so many degrees of freedom Student's t is normal to nine digits.
const MOST_DEGREES: usize = 1_000_000_000;

/// The probability of an estimate at least this many standard errors from zero, on either side, if the
/// parameter were zero: by Student's t if there are degrees of freedom, otherwise normal.
///
/// ```
/// use steinbound::inference::sandwich::two_sided_p;
/// assert!((two_sided_p(-2.0, None) - 0.04550026).abs() < 1e-8);
/// assert!((two_sided_p(2.7764451, Some(4)) - 0.05).abs() < 1e-8);
/// ```
pub fn two_sided_p(z: f64, degrees: Option<usize>) -> f64 {
    let student = degrees.filter(|degrees| *degrees <= MOST_DEGREES);
    match student.and_then(|degrees| StudentsT::new(0.0, 1.0, degrees as f64).ok()) {
        Some(student) => 2.0 * student.cdf(-z.abs()),
        None => erfc(z.abs() / std::f64::consts::SQRT_2),
    }
}

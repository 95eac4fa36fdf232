//! The sandwich: the covariance of an estimate from the influence of each observation.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::matrix::Matrix;

/// The covariance of an estimate from influence values.
///
/// # Definition
///
/// Every estimator here moves, to first order, by a weighted mean of influence values, `sum_i w_i f_i / sum w`. Hence
///
/// ```text
/// Cov = sum_g (sum_{i in g} w_i f_i) (sum_{i in g} w_i f_i)' / (sum w)^2
/// ```
///
/// over clusters `g` of dependent observations, each observation being its own cluster where none were given. For the
/// Stein discrepancies this is `G^-1 [4 Cov(grad H1)] G^-1 / n`, with `G` the Hessian of the squared discrepancy and
/// `grad H1` the gradient of the mean Stein kernel of a point: the variance divides by `n`, and weighted influence values have mean
/// zero at the minimum, so that none is subtracted.
///
/// # Requirements
///
/// Independent clusters, more of them than parameters. The bias that too few boundary points leave is not included.
///
/// # Complexity
///
/// `n p^2`.
///
/// # Reference
///
/// White, *Maximum Likelihood Estimation of Misspecified Models*, 1982; for V-statistics van der Vaart, *Asymptotic
/// Statistics*, chapter 12.
///
/// ```
/// use steinbound::Matrix;
/// use steinbound::inference::sandwich::covariance;
/// let influence = Matrix::from_fn(4, 1, |i, _| [-1.0, 1.0, -3.0, 3.0][i]);
/// assert_eq!(covariance(&influence, &[1.0; 4], None)[(0, 0)], 20.0 / 16.0);
/// assert_eq!(covariance(&influence, &[1.0; 4], Some(&[0, 0, 1, 1]))[(0, 0)], 0.0);
/// ```
pub fn covariance(influence: &Matrix, weights: &[f64], clusters: Option<&[usize]>) -> Matrix {
    let parameters = influence.columns();
    let total: f64 = weights.iter().sum();
    let groups = clusters.map_or(influence.rows(), |ids| ids.iter().max().map_or(0, |id| id + 1));
    let mut sums = Matrix::zeros(groups, parameters);
    for k in 0..parameters {
        let column = influence.column(k);
        let sums = sums.column_mut(k);
        for (i, value) in column.iter().enumerate() {
            let group = clusters.map_or(i, |ids| ids[i]);
            sums[group] += weights[i] * value / total;
        }
    }
    Matrix::from_fn(parameters, parameters, |j, k| {
        sums.column(j).iter().zip(sums.column(k)).map(|(a, b)| a * b).sum()
    })
}

/// `J C J'`: the covariance of smooth functions of the parameters whose derivatives are `J` (the delta method).
pub fn delta_method(jacobian: &Matrix, covariance: &Matrix) -> Matrix {
    jacobian.times(covariance).times(&jacobian.transpose())
}

/// How many standard errors an interval of this confidence reaches to each side.
///
/// ```
/// use steinbound::inference::sandwich::normal_quantile;
/// assert!((normal_quantile(0.95) - 1.959963984540054).abs() < 1e-9);
/// ```
pub fn normal_quantile(confidence: f64) -> f64 {
    Normal::standard().inverse_cdf(0.5 + 0.5 * confidence)
}

//! Derivatives in the parameters by central differences.

use crate::matrix::Matrix;

/// The step of central differences in a parameter of unknown scale: the cube root of the rounding error
/// balances both errors.
pub(super) fn difference_step(value: f64) -> f64 {
    RELATIVE_STEP * value.abs().max(1.0)
}

/// A step in units of the relevant scale.
pub(super) const RELATIVE_STEP: f64 = 6e-6;

/// Steps of central differences from the scale of each parameter, if that is a positive number.
pub(crate) fn difference_steps(theta: &[f64], scales: impl Iterator<Item = f64>) -> Vec<f64> {
    let step = |(value, scale): (&f64, f64)| {
        if !(scale > 0.0 && scale.is_finite()) {
            return difference_step(*value);
        }
        // At least large enough that the rounding of the parameter does not dominate the difference.
        (RELATIVE_STEP * scale).max(1e-12 * value.abs())
    };
    theta.iter().zip(scales).map(step).collect()
}

/// The scale of each parameter in which a log-density changes by about one, from its gradients at the data
/// (one row each): one over their standard deviation.
pub(crate) fn information_scales(gradients: &Matrix) -> impl Iterator<Item = f64> {
    let rows = gradients.rows() as f64;
    (0..gradients.columns()).map(move |k| {
        let column = gradients.column(k);
        let mean = column.iter().sum::<f64>() / rows;
        1.0 / (column.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / rows).sqrt()
    })
}

/// Adds the derivative of `sum_l weights_l jacobian_l`, the weighted sum of the rows of a Jacobian, by
/// central differences.
pub(super) fn add_row_differences(
    theta: &[f64],
    weights: &[f64],
    steps: &[f64],
    jacobian: impl Fn(&[f64], &mut [f64]),
    curvature: &mut [f64],
) {
    let gradient = |theta: &[f64], out: &mut [f64]| {
        let mut rows = vec![0.0; weights.len() * theta.len()];
        jacobian(theta, &mut rows);
        out.fill(0.0);
        for (row, weight) in rows.chunks_exact(out.len()).zip(weights) {
            out.iter_mut().zip(row).for_each(|(o, j)| *o += weight * j);
        }
    };
    add_differences(theta, steps, gradient, curvature);
}

/// Adds the derivative of a gradient to a Hessian, by central differences, kept symmetric.
pub(crate) fn add_differences(
    theta: &[f64],
    steps: &[f64],
    gradient: impl Fn(&[f64], &mut [f64]),
    hessian: &mut [f64],
) {
    let p = theta.len();
    let (mut above, mut below) = (vec![0.0; p], vec![0.0; p]);
    let mut moved = theta.to_vec();
    for k in 0..p {
        let (high, low) = (theta[k] + steps[k], theta[k] - steps[k]);
        moved[k] = high;
        gradient(&moved, &mut above);
        moved[k] = low;
        gradient(&moved, &mut below);
        moved[k] = theta[k];
        for j in 0..p {
            let slope = 0.5 * (above[j] - below[j]) / (high - low);
            hessian[j * p + k] += slope;
            hessian[k * p + j] += slope;
        }
    }
}

//! What every kernel must satisfy, as a suite that any new kernel can run.

use super::Kernel;
use crate::compute::cholesky::Cholesky;
use crate::matrix::Matrix;

/// Checks a kernel: `f(0) = 1`, zero at infinity, derivatives against finite differences, decreasing and
/// convex, rows equal to single values, and positive definite on scattered points in one to five dimensions.
///
/// Returns what fails, in words.
///
/// ```
/// use steinbound::kernel::{conformance, Gaussian};
/// assert_eq!(conformance::check(&Gaussian), Ok(()));
/// ```
pub fn check(kernel: &dyn Kernel) -> Result<(), Vec<String>> {
    let mut failures = Vec::new();
    let mut expect = |holds: bool, what: String| {
        if !holds {
            failures.push(format!("{}: {what}", kernel.name()));
        }
    };
    let at_zero = kernel.profile(0.0);
    expect(at_zero[0] == 1.0, format!("f(0) is {}, not 1", at_zero[0]));
    expect(at_zero.iter().all(|v| v.is_finite()), format!("f, f', f'' at 0 are {at_zero:?}"));
    let far = kernel.profile(f64::INFINITY);
    expect(far == [0.0; 3], format!("f, f', f'' at infinity are {far:?}, not 0"));
    let grid: Vec<f64> = (1..60).map(|i| 0.01 * 1.15f64.powi(i)).collect();
    for q in &grid {
        let [value, first, second] = kernel.profile(*q);
        let step = 1e-5 * q;
        let (above, below) = (kernel.profile(q + step), kernel.profile(q - step));
        for (order, exact) in [(0, first), (1, second)] {
            let difference = (above[order] - below[order]) / (2.0 * step);
            let scale = exact.abs().max(1e-12);
            expect(
                (difference - exact).abs() <= 1e-6 * scale + 1e-9,
                format!("derivative {} at q = {q} is {exact}, by differences {difference}", order + 1),
            );
        }
        expect(
            value > 0.0 && first < 0.0 && second > 0.0,
            format!("not decreasing and convex at q = {q}: {value}, {first}, {second}"),
        );
    }
    let mut rows = [vec![0.0; grid.len()], vec![0.0; grid.len()], vec![0.0; grid.len()]];
    let [value, first, second] = &mut rows;
    kernel.profile_row(&grid, value, first, second);
    for (j, q) in grid.iter().enumerate() {
        for (order, single) in kernel.profile(*q).into_iter().enumerate() {
            expect(
                (rows[order][j] - single).abs() <= 1e-14 * single.abs(),
                format!("row and single value differ at q = {q}, order {order}"),
            );
        }
    }
    if let Some(rate) = kernel.log_slope() {
        for q in &grid {
            let ratio = kernel.profile(*q)[0] / (rate * q).exp();
            expect((ratio - 1.0).abs() < 1e-13, format!("f(q) is not exp({rate} q) at q = {q}"));
        }
    }
    for dimension in 1..=5 {
        let gram = scattered_gram(kernel, dimension, 24);
        expect(Cholesky::new(gram).is_some(), format!("not positive definite in dimension {dimension}"));
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

/// The kernel matrix of low-discrepancy points in a cube of side 6, with a whisper of ridge for rounding.
fn scattered_gram(kernel: &dyn Kernel, dimension: usize, count: usize) -> Matrix {
    let coordinate = |i: usize, l: usize| 6.0 * ((i as f64 + 0.5) * (l as f64 + 2.0).sqrt()).fract();
    Matrix::from_fn(count, count, |i, j| {
        let q: f64 = (0..dimension).map(|l| (coordinate(i, l) - coordinate(j, l)).powi(2)).sum();
        kernel.profile(q)[0] + if i == j { 1e-10 } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel;

    #[test]
    fn every_kernel_conforms() {
        for kernel in kernel::all() {
            let named = kernel::by_name(kernel.name()).unwrap();
            assert!(
                kernel::is_same(named.as_ref(), kernel.as_ref()),
                "two kernels are called {}",
                kernel.name()
            );
            assert!(!kernel.meaning().is_empty(), "{} has no description", kernel.name());
            assert_eq!(check(kernel.as_ref()), Ok(()));
        }
    }

    #[derive(Debug)]
    struct WrongDerivative;

    impl Kernel for WrongDerivative {
        fn name(&self) -> &'static str {
            "wrong"
        }
        fn profile(&self, q: f64) -> [f64; 3] {
            let value = (-q).exp();
            [value, -0.5 * value, value]
        }
    }

    #[test]
    fn a_wrong_derivative_is_found() {
        let failures = check(&WrongDerivative).unwrap_err();
        assert!(failures[0].contains("derivative 1"), "{failures:?}");
    }
}

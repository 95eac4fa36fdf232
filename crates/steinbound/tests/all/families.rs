//! Exponential families on an interval or a box, against the truth and against truncated maximum likelihood.

use std::sync::Arc;

use rand::RngExt;
use steinbound::domain::{BoundaryScheme, Cuboid};
use steinbound::model::{ExponentialFamily, Model};
use steinbound::{Estimator, Fit, Points, simulate};

type Statistics = fn(&[f64]) -> Vec<f64>;
type Base = fn(&[f64]) -> f64;

/// One truncated family: its statistics are written out again here, without the library.
struct Family {
    model: ExponentialFamily,
    truth: Vec<f64>,
    sides: Vec<(f64, f64)>,
    statistics: Statistics,
    base: Base,
}

fn families() -> Vec<Family> {
    let product = |x: &[f64]| vec![x[0], x[1], x[0] * x[1]];
    vec![
        Family {
            model: ExponentialFamily::exponential(1).unwrap(),
            truth: vec![1.5],
            sides: vec![(0.2, 2.0)],
            statistics: |x| vec![-x[0]],
            base: |_| 0.0,
        },
        Family {
            model: ExponentialFamily::exponential(2).unwrap(),
            truth: vec![1.5, -0.8],
            sides: vec![(0.2, 2.0), (0.0, 1.5)],
            statistics: |x| vec![-x[0], -x[1]],
            base: |_| 0.0,
        },
        Family {
            model: ExponentialFamily::gamma(1).unwrap(),
            truth: vec![3.0, 2.0],
            sides: vec![(0.3, 2.5)],
            statistics: |x| vec![x[0].ln(), -x[0]],
            base: |x| -x[0].ln(),
        },
        Family {
            model: ExponentialFamily::pairwise(2).unwrap(),
            truth: vec![0.6, -0.4, 1.2],
            sides: vec![(-1.0, 1.0), (-1.0, 1.0)],
            statistics: product,
            base: |_| 0.0,
        },
    ]
}

/// Midpoints of a grid over the box.
fn grid(sides: &[(f64, f64)]) -> Vec<Vec<f64>> {
    let count = if sides.len() == 1 { 4000 } else { 200 };
    let middle = |(low, high): (f64, f64), i: usize| low + (high - low) * (i as f64 + 0.5) / count as f64;
    let mut rows = vec![Vec::new()];
    for side in sides {
        let extend = |row: &Vec<f64>, i| row.iter().copied().chain([middle(*side, i)]).collect();
        rows = rows.iter().flat_map(|row| (0..count).map(move |i| extend(row, i))).collect();
    }
    rows
}

fn log_density(family: &Family, x: &[f64], theta: &[f64]) -> f64 {
    (family.base)(x) + (family.statistics)(x).iter().zip(theta).map(|(t, k)| t * k).sum::<f64>()
}

/// Mean and covariance of the statistics under the truncated density, by quadrature.
fn moments(family: &Family, grid: &[Vec<f64>], theta: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let p = theta.len();
    let (mut total, mut mean, mut square) = (0.0, vec![0.0; p], vec![vec![0.0; p]; p]);
    for x in grid {
        let (mass, t) = (log_density(family, x, theta).exp(), (family.statistics)(x));
        total += mass;
        for j in 0..p {
            mean[j] += mass * t[j];
            for k in 0..p {
                square[j][k] += mass * t[j] * t[k];
            }
        }
    }
    mean.iter_mut().for_each(|m| *m /= total);
    for j in 0..p {
        for k in 0..p {
            square[j][k] = square[j][k] / total - mean[j] * mean[k];
        }
    }
    (mean, square)
}

/// Gaussian elimination, without pivoting since the matrices are covariances.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let p = right.len();
    for i in 0..p {
        for j in 0..p {
            if j != i {
                let factor = matrix[j][i] / matrix[i][i];
                for k in 0..p {
                    matrix[j][k] -= factor * matrix[i][k];
                }
                right[j] -= factor * right[i];
            }
        }
    }
    (0..p).map(|i| right[i] / matrix[i][i]).collect()
}

/// Newton's method on the truncated likelihood: the mean of the statistics is that of the data.
fn truncated_likelihood(family: &Family, data: &Points) -> Vec<f64> {
    let (grid, p) = (grid(&family.sides), family.truth.len());
    let mut target = vec![0.0; p];
    for x in data.rows() {
        let t = (family.statistics)(x);
        (0..p).for_each(|k| target[k] += t[k] / data.len() as f64);
    }
    let mut theta = vec![0.0; p];
    for _ in 0..50 {
        let (mean, covariance) = moments(family, &grid, &theta);
        let gap: Vec<f64> = target.iter().zip(&mean).map(|(t, m)| t - m).collect();
        let step = solve(covariance, gap);
        (0..p).for_each(|k| theta[k] += step[k]);
        if step.iter().all(|s| s.abs() < 1e-10) {
            return theta;
        }
    }
    panic!("Newton's method did not converge");
}

/// Rejection from the uniform density on the box.
fn sample(family: &Family, count: usize, seed: u64) -> Points<'static> {
    let height =
        grid(&family.sides).iter().map(|x| log_density(family, x, &family.truth)).fold(f64::MIN, f64::max);
    let mut rng = simulate::stream(seed, 0);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    while rows.len() < count {
        let x: Vec<f64> =
            family.sides.iter().map(|(low, high)| low + (high - low) * rng.random::<f64>()).collect();
        // The grid's maximum may lie a little below the true one.
        if rng.random::<f64>().ln() < log_density(family, &x, &family.truth) - height - 0.02 {
            rows.push(x);
        }
    }
    Points::from_rows(&rows).unwrap()
}

fn check(fit: &Fit, truth: &[f64], likelihood: &[f64], what: &str) {
    for (k, (found, error)) in fit.estimates().iter().zip(fit.std_errors()).enumerate() {
        let (from_truth, from_likelihood) = ((found - truth[k]) / error, (found - likelihood[k]) / error);
        println!(
            "{what} {}: {found:.3} +- {error:.3}, truth {} ({from_truth:.1}), likelihood {:.3} ({from_likelihood:.1})",
            fit.parameters[k].name, truth[k], likelihood[k]
        );
        assert!(from_truth.abs() < 4.0, "{what} {k}: {found} {} {error}", truth[k]);
        assert!(from_likelihood.abs() < 2.5, "{what} {k}: {found} {} {error}", likelihood[k]);
    }
}

#[test]
fn closed_forms_agree_with_the_truth_and_with_truncated_likelihood() {
    for family in families() {
        let (low, high) = family.sides.iter().copied().unzip();
        let domain = Arc::new(Cuboid::new(low, high).unwrap());
        let data = sample(&family, 2000, 31);
        let likelihood = truncated_likelihood(&family, &data);
        let name = family.model.name();
        let scheme = if family.sides.len() == 1 { BoundaryScheme::Uniform } else { BoundaryScheme::Even };
        let tksd = Estimator::tksd().domain(domain.clone()).boundary_points(128).boundary_scheme(scheme);
        check(&tksd.fit(&data, &family.model).unwrap(), &family.truth, &likelihood, &format!("{name} tksd"));
        let truncsm = Estimator::truncsm().domain(domain);
        check(
            &truncsm.fit(&data, &family.model).unwrap(),
            &family.truth,
            &likelihood,
            &format!("{name} truncsm"),
        );
    }
}

/// Simulated data of a family with a sampler of its own have the truncated moments that quadrature gives.
#[test]
fn simulated_families_have_the_truncated_moments() {
    for family in families().into_iter().take(3) {
        if family.truth.iter().any(|t| *t <= 0.0) {
            continue;
        }
        let (low, high) = family.sides.iter().copied().unzip();
        let domain = Cuboid::new(low, high).unwrap();
        let rng = &mut simulate::stream(8, 0);
        let data = simulate::truncated(&family.model, &family.truth, &domain, 20_000, rng).unwrap().points;
        let (mean, covariance) = moments(&family, &grid(&family.sides), &family.truth);
        for k in 0..mean.len() {
            let found = data.rows().map(|x| (family.statistics)(x)[k]).sum::<f64>() / 20_000.0;
            let error = (covariance[k][k] / 20_000.0).sqrt();
            assert!((found - mean[k]).abs() < 4.0 * error, "{k}: {found} {} {error}", mean[k]);
        }
    }
}

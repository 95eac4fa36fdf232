use super::super::conformance;
use super::*;
use crate::random::stream;

fn correlated(d: usize) -> Matrix {
    Matrix::from_fn(d, d, |i, j| if i == j { 0.7 + 0.3 * i as f64 } else { 0.2 })
}

/// Every kind of mixture, with fixed and with free weights.
fn variants(d: usize, components: usize) -> Vec<GaussianMixture> {
    let plain = || GaussianMixture::new(d, components).unwrap();
    let kinds = [
        plain(),
        plain().with_covariance(correlated(d)).unwrap(),
        plain().spherical(),
        plain().shared(),
        plain().full(),
    ];
    kinds.into_iter().flat_map(|mixture| [mixture.clone(), mixture.estimate_weights()]).collect()
}

fn parameters(mixture: &GaussianMixture, seed: u64) -> Vec<f64> {
    let mut rng = stream(seed, 0);
    (0..mixture.parameters()).map(|_| 1.6 * rng.random::<f64>() - 0.8).collect()
}

#[test]
fn every_mixture_conforms() {
    for d in 1..=3 {
        for (components, seed) in [(2, 1), (3, 2), (1, 3)] {
            for mixture in variants(d, components) {
                let theta = parameters(&mixture, seed);
                assert_eq!(conformance::check(&mixture, &theta), Ok(()), "{d} {components} {mixture:?}");
            }
        }
    }
}

#[test]
fn means_alone_are_reported_as_they_are() {
    let names: Vec<String> = vec!["x1".into(), "x2".into()];
    let mixture = GaussianMixture::new(2, 2).unwrap();
    assert_eq!(mixture.names(&names), mixture.reported_names(&names));
    assert_eq!(mixture.names(&names)[2], "mean[2][x1]");
    let free = mixture.clone().estimate_weights().full();
    let expected = "weight[1] weight[2] cov[1][x1,x1] cov[1][x1,x2] cov[1][x2,x2] cov[2][x1,x1] cov[2][x1,x2] cov[2][x2,x2]";
    assert_eq!(free.reported_names(&names)[4..].join(" "), expected);
    assert_eq!(mixture.clone().shared().reported_names(&names)[5], "cov[x1,x2]");
    assert_eq!(mixture.clone().spherical().reported_names(&names)[5], "variance[2]");
}

/// With one component the score is that of the Gaussian, in each kind of parameters.
#[test]
fn one_component_is_a_gaussian() {
    let x = [0.4, -1.3];
    let (mut found, mut expected) = ([0.0; 2], [0.0; 2]);
    let mixture = GaussianMixture::new(2, 1).unwrap().with_covariance(correlated(2)).unwrap();
    let gaussian = Gaussian::with_covariance(correlated(2)).unwrap();
    mixture.score(&x, &[1.0, 0.5], &mut found);
    gaussian.score(&x, &[1.0, 0.5], &mut expected);
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14));
    let reported = [1.0, 0.5, 0.8, -0.3, 1.7];
    let (mixture, gaussian) = (GaussianMixture::new(2, 1).unwrap().full(), Gaussian::full(2));
    mixture.score(&x, &mixture.fitted_from(&reported).unwrap(), &mut found);
    gaussian.score(&x, &gaussian.fitted_from(&reported).unwrap(), &mut expected);
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-13));
}

/// The density of a mixture, summed over a grid, is one.
#[test]
fn the_density_is_normalised() {
    let mixture = GaussianMixture::new(2, 2).unwrap().estimate_weights().full();
    let theta = parameters(&mixture, 5);
    let side = |i: u32| -12.0 + 0.1 * f64::from(i);
    let density = |i: u32, j: u32| mixture.log_density(&[side(i), side(j)], &theta).exp();
    let sum: f64 = (0..240).flat_map(|i| (0..240).map(move |j| (i, j))).map(|(i, j)| density(i, j)).sum();
    assert!((0.01 * sum - 1.0).abs() < 1e-9, "{sum}");
}

#[test]
fn far_away_nothing_is_undefined() {
    for mixture in variants(2, 3) {
        let theta = parameters(&mixture, 1);
        let p = theta.len();
        for far in [40.0, 1e3, 1e8, 1e60, 1e100, 1e200] {
            let x = [far, -0.3 * far];
            let (mut d, mut dp) = ([f64::NAN; 2], vec![f64::NAN; 2 * p]);
            mixture.score(&x, &theta, &mut d);
            assert!(d.iter().all(|v| v.is_finite()), "{far}");
            mixture.score_slope(&x, &theta, &mut d);
            assert!(d.iter().all(|v| v.is_finite()), "{far}");
            mixture.score_jacobian(&x, &theta, &mut dp);
            assert!(!dp.iter().any(|v| v.is_nan()), "{far}");
            mixture.score_slope_jacobian(&x, &theta, &mut dp);
            assert!(!dp.iter().any(|v| v.is_nan()), "{far}");
            assert!(!mixture.log_density(&x, &theta).is_nan());
            // Beyond this distance products of three derivatives overflow.
            if far < 1e90 {
                let mut curvature = vec![0.0; p * p];
                mixture.add_score_curvature(&x, &theta, &[0.5, 1.0], &theta, &mut curvature);
                mixture.add_slope_curvature(&x, &theta, &[0.5, 1.0], &theta, &mut curvature);
                assert!(!curvature.iter().any(|v| v.is_nan()), "{far}");
            }
        }
    }
}

/// Sorting changes the order of the components and not the density.
#[test]
fn sorting_keeps_the_density() {
    for mixture in variants(2, 3) {
        let mut theta = parameters(&mixture, 4);
        theta[..6].copy_from_slice(&[1.0, 0.0, -1.0, 2.0, -1.0, -2.0]);
        let sorted = mixture.in_order(theta.clone());
        assert_eq!(sorted[..6], [-1.0, -2.0, -1.0, 2.0, 1.0, 0.0]);
        for x in [[0.3, -0.8], [-1.4, 1.0]] {
            let (a, b) = (mixture.log_density(&x, &theta), mixture.log_density(&x, &sorted));
            assert!((a - b).abs() < 1e-13);
        }
        let again = mixture.in_order(sorted.clone());
        assert_eq!(again, sorted);
    }
}

#[test]
fn impossible_mixtures_are_refused() {
    assert_eq!(GaussianMixture::new(2, 0), Err(ModelError::NoComponents));
    assert!(GaussianMixture::new(2, 2).unwrap().with_variances(&[1.0]).is_err());
    assert!(GaussianMixture::new(2, 2).unwrap().with_variance(-1.0).is_err());
    assert!(GaussianMixture::new(2, 2).unwrap().with_covariance(correlated(3)).is_err());
    let mixture = GaussianMixture::new(1, 2).unwrap().estimate_weights().spherical();
    assert!(mixture.fitted_from(&[0.0, 1.0, 0.4, 0.6, 1.0, 2.0]).is_ok());
    let error = mixture.fitted_from(&[0.0, 1.0, 0.4, 0.7, 1.0, 2.0]).unwrap_err();
    assert!(error.to_string().contains("sum to 1.1"), "{error}");
    let error = mixture.fitted_from(&[0.0, 1.0, 0.4, 0.6, 1.0, -2.0]).unwrap_err();
    assert!(error.to_string().contains("component 2"), "{error}");
    assert!(mixture.fitted_from(&[0.0, 1.0]).is_err());
}

/// Two components of different weight and shape.
fn two() -> (GaussianMixture, Vec<f64>, Points<'static>) {
    let mixture = GaussianMixture::new(2, 2).unwrap().estimate_weights().full();
    let reported = [-3.0, 0.0, 3.0, 1.0, 0.3, 0.7, 0.5, 0.2, 1.0, 1.5, -0.4, 0.6];
    let theta = mixture.fitted_from(&reported).unwrap();
    let sampler = mixture.sampler(&theta).unwrap();
    let (mut rng, mut x) = (stream(3, 0), [0.0; 2]);
    let rows: Vec<[f64; 2]> = (0..4000)
        .map(|_| {
            sampler(&mut rng, &mut x);
            x
        })
        .collect();
    (mixture, reported.to_vec(), Points::from_rows(&rows).unwrap())
}

#[test]
fn samples_have_the_moments_of_their_components() {
    let (_, reported, points) = two();
    let of_first = |x: &&[f64]| x[0] < 0.0;
    let count = points.rows().filter(of_first).count() as f64;
    assert!((count / 4000.0 - 0.3).abs() < 4.0 * (0.21f64 / 4000.0).sqrt());
    let mean = |l: usize| points.rows().filter(of_first).map(|x| x[l]).sum::<f64>() / count;
    let (a, b) = (mean(0), mean(1));
    let product = |x: &[f64]| (x[0] - a) * (x[1] - b);
    let covariance = points.rows().filter(of_first).map(product).sum::<f64>() / count;
    assert!((a - reported[0]).abs() < 0.1 && (b - reported[1]).abs() < 0.13);
    assert!((covariance - 0.2).abs() < 0.1, "{covariance}");
}

#[test]
fn starts_find_separated_clusters() {
    let (mixture, reported, points) = two();
    let starts = mixture.starts(&points, &mut stream(1, 0));
    assert!((2..=10).contains(&starts.len()), "{}", starts.len());
    let first = mixture.report(&starts[0]).unwrap().values;
    // Means and weights; clusters truncate each other's tails, so their covariances are less accurate.
    for (k, (found, expected)) in first.iter().zip(&reported).take(6).enumerate() {
        assert!((found - expected).abs() < 0.15, "{k}: {found} {expected}");
    }
    assert_eq!(starts, mixture.starts(&points, &mut stream(1, 0)));
    // A point without weight has no effect.
    let weights = points.rows().map(|x| if x[0] < 0.0 { 1.0 } else { 0.0 }).collect();
    let left = points.clone().with_weights(weights).unwrap();
    let starts = mixture.starts(&left, &mut stream(1, 0));
    assert!(starts.iter().all(|theta| theta[0] < 0.0 && theta[2] < 0.0));
    // Fewer points than components: there are still starts, and all are finite.
    let few = Points::from_rows(&[[1.0, 1.0], [1.0, 1.0]]).unwrap();
    let starts = GaussianMixture::new(2, 3).unwrap().full().starts(&few, &mut stream(1, 0));
    assert!(!starts.is_empty() && starts.iter().flatten().all(|v| v.is_finite()));
}

/// The gradient vanishes at the maximum, and the sandwich of the influence matches the error of the estimate.
#[test]
fn likelihood_is_maximal_and_near_the_truth() {
    let (mixture, reported, points) = two();
    for mixture in [mixture.clone(), GaussianMixture::new(2, 2).unwrap().shared(), mixture.spherical()] {
        let n = points.len();
        let (theta, influence) = mixture.maximum_likelihood(&points, &vec![1.0; n]).unwrap();
        for k in 0..theta.len() {
            let column = influence.column(k);
            let mean = column.iter().sum::<f64>() / n as f64;
            let error = column.iter().map(|v| v * v).sum::<f64>().sqrt() / n as f64;
            assert!(mean.abs() < 1e-5 * error * n as f64, "{k}: {mean} {error}");
        }
        if mixture.parameters() != reported.len() - 1 {
            continue;
        }
        let Reported { values, jacobian } = mixture.report(&theta).unwrap();
        let influence = influence.times(&jacobian.transpose());
        for (k, (found, expected)) in values.iter().zip(&reported).enumerate() {
            let error = influence.column(k).iter().map(|v| v * v).sum::<f64>().sqrt() / n as f64;
            assert!((found - expected).abs() < 4.0 * error, "{k}: {found} {expected} {error}");
        }
    }
    // Three components on three points shrink to the points.
    let three = Points::from_rows(&[[0.0, 0.0], [5.0, 1.0], [1.0, 7.0]]).unwrap();
    let shrinking = GaussianMixture::new(2, 3).unwrap().full();
    assert!(shrinking.maximum_likelihood(&three, &[1.0; 3]).is_err());
}

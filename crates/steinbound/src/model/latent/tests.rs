use super::super::{Gaussian, GaussianMixture, LabelledMixture};
use super::*;
use crate::matrix::Matrix;

/// A latent model, the exact one, and their parameters in the form that each takes.
struct Case {
    latent: Latent,
    theta: Vec<f64>,
    exact: Box<dyn Model>,
    exact_theta: Vec<f64>,
}

/// Principal components and a labelled mixture, with draws made at parameters shifted by `away`.
fn cases(draws: usize, seed: u64, away: f64) -> Vec<Case> {
    let noise = 0.6;
    let theta = vec![0.3, -0.2, 0.9, 0.4];
    let (w, mean) = ([0.9, 0.4], [0.3, -0.2]);
    let covariance = |i: usize, j: usize| w[i] * w[j] + if i == j { noise } else { 0.0 };
    let gaussian = Gaussian::full(2);
    let reported = [mean[0], mean[1], covariance(0, 0), covariance(0, 1), covariance(1, 1)];
    let exact_theta = gaussian.fitted_from(&reported).unwrap();
    let moved = |theta: &[f64]| -> Vec<f64> { theta.iter().map(|t| t + away).collect() };
    let components = PrincipalComponents::new(2, 1, noise).unwrap();
    let latent = Latent::new(components, draws, seed, moved(&theta)).unwrap();
    let first = Case { latent, theta, exact: Box::new(gaussian), exact_theta };

    let mixture = GaussianMixture::new(2, 2).unwrap().estimate_weights().full();
    let theta = vec![-0.8, 0.1, 0.9, -0.2, 0.4, 0.1, 0.3, -0.2, 0.2, -0.4, 0.3];
    let latent = Latent::new(LabelledMixture::new(mixture.clone()), draws, seed, moved(&theta)).unwrap();
    let second = Case { latent, theta: theta.clone(), exact: Box::new(mixture), exact_theta: theta };
    vec![first, second]
}

fn score(model: &dyn Model, x: &[f64], theta: &[f64]) -> Vec<f64> {
    let mut score = vec![f64::NAN; model.dimension()];
    model.score(x, theta, &mut score);
    score
}

fn slope(model: &dyn Model, x: &[f64], theta: &[f64]) -> Vec<f64> {
    let mut slope = vec![f64::NAN; model.dimension()];
    model.score_slope(x, theta, &mut slope);
    slope
}

fn places(count: usize) -> Vec<Vec<f64>> {
    (0..count).map(|i| vec![1.5 * (1.3 * i as f64).sin(), 1.2 * (0.7 * i as f64).cos()]).collect()
}

/// The least-squares slope of log error on log draws.
fn rate(errors: &[(usize, f64)]) -> f64 {
    let n = errors.len() as f64;
    let logs: Vec<(f64, f64)> = errors.iter().map(|(r, e)| ((*r as f64).ln(), e.ln())).collect();
    let (a, b) = (logs.iter().map(|l| l.0).sum::<f64>() / n, logs.iter().map(|l| l.1).sum::<f64>() / n);
    let cross: f64 = logs.iter().map(|l| (l.0 - a) * (l.1 - b)).sum();
    cross / logs.iter().map(|l| (l.0 - a).powi(2)).sum::<f64>()
}

/// With fixed draws the derivatives in the parameters are exact, at the anchor and away from it.
#[test]
fn parameter_derivatives_are_those_of_the_weighted_mean() {
    for away in [0.0, 0.15] {
        for Case { latent, theta, .. } in cases(40, 3, away) {
            let p = theta.len();
            let x = [0.4, -0.7];
            let (mut jacobian, mut slopes) = (vec![f64::NAN; 2 * p], vec![f64::NAN; 2 * p]);
            latent.score_jacobian(&x, &theta, &mut jacobian);
            latent.score_slope_jacobian(&x, &theta, &mut slopes);
            for k in 0..p {
                let at = |step: f64| {
                    let mut moved = theta.clone();
                    moved[k] += step;
                    (score(&latent, &x, &moved), slope(&latent, &x, &moved))
                };
                let (above, below) = (at(1e-5), at(-1e-5));
                for l in 0..2 {
                    let expected = (above.0[l] - below.0[l]) / 2e-5;
                    assert!((jacobian[l * p + k] - expected).abs() < 1e-7, "{l} {k} {expected}");
                    let expected = (above.1[l] - below.1[l]) / 2e-5;
                    assert!((slopes[l * p + k] - expected).abs() < 1e-7, "{l} {k} {expected}");
                }
            }
        }
    }
}

#[test]
fn errors_shrink_with_the_root_of_the_draws() {
    for (case, away) in [(0, 0.0), (1, 0.0), (0, 0.1), (1, 0.1)] {
        let mut errors = Vec::new();
        for draws in [16, 64, 256, 1024, 4096] {
            let mut sum = 0.0;
            for seed in 0..6 {
                let Case { latent, theta, exact, exact_theta } = cases(draws, seed, away).swap_remove(case);
                for x in places(30) {
                    let found = score(&latent, &x, &theta);
                    let exact = score(exact.as_ref(), &x, &exact_theta);
                    sum += found.iter().zip(exact).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
                }
            }
            errors.push((draws, (sum / 180.0).sqrt()));
        }
        let rate = rate(&errors);
        println!("case {case}, {away} away: rate {rate:.3}, errors {errors:?}");
        assert!((-0.6..-0.4).contains(&rate), "{rate}");
    }
}

/// The slope approaches the exact slope, although it is not the derivative of the Monte Carlo score.
#[test]
fn slopes_approach_the_exact_ones() {
    for case in 0..2 {
        for x in places(4) {
            let seeds = 24;
            let found: Vec<Vec<f64>> = (0..seeds)
                .map(|seed| {
                    let Case { latent, theta, .. } = cases(2048, seed, 0.0).swap_remove(case);
                    slope(&latent, &x, &theta)
                })
                .collect();
            let Case { exact, exact_theta, .. } = cases(1, 0, 0.0).swap_remove(case);
            let exact = slope(exact.as_ref(), &x, &exact_theta);
            for l in 0..2 {
                let n = seeds as f64;
                let mean = found.iter().map(|s| s[l]).sum::<f64>() / n;
                let variance = found.iter().map(|s| (s[l] - mean).powi(2)).sum::<f64>() / (n - 1.0);
                let error = (variance / n).sqrt();
                // A variance over 2048 draws has a relative bias of 1/2048.
                let bias = 5.0 / 2048.0;
                assert!((mean - exact[l]).abs() < 4.0 * error + bias, "{mean} {} {error}", exact[l]);
            }
        }
    }
}

/// The Stein identity: on data from the model, `mean psi . f + div f` is zero up to sampling error for the
/// exact score, and the additional error of the Monte Carlo score decreases with the root of the number of
/// draws.
#[test]
fn the_stein_identity_holds_approximately() {
    let f = |x: &[f64]| [(0.8 * x[0] + 0.3 * x[1]).sin(), (x[0] - 0.5 * x[1]).tanh()];
    let divergence =
        |x: &[f64]| 0.8 * (0.8 * x[0] + 0.3 * x[1]).cos() - 0.5 * (1.0 - (x[0] - 0.5 * x[1]).tanh().powi(2));
    for case in 0..2 {
        let Case { exact, exact_theta, .. } = cases(1, 0, 0.0).swap_remove(case);
        let sampler = exact.sampling().unwrap().sampler(&exact_theta).unwrap();
        let (mut rng, mut x) = (stream(11, 0), [0.0; 2]);
        let mut draw = || {
            sampler(&mut rng, &mut x);
            x
        };
        let terms: Vec<f64> = (0..20_000)
            .map(|_| draw())
            .map(|x| {
                let psi = score(exact.as_ref(), &x, &exact_theta);
                psi.iter().zip(f(&x)).map(|(p, f)| p * f).sum::<f64>() + divergence(&x)
            })
            .collect();
        let mean = terms.iter().sum::<f64>() / terms.len() as f64;
        let variance = terms.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / terms.len() as f64;
        assert!(mean.abs() < 4.0 * (variance / terms.len() as f64).sqrt(), "{mean}");

        let sample: Vec<[f64; 2]> = (0..40).map(|_| draw()).collect();
        let mut errors = Vec::new();
        for draws in [16, 64, 256, 1024] {
            let error = |seed: u64| {
                let Case { latent, theta, .. } = cases(draws, seed, 0.0).swap_remove(case);
                let at = |x: &[f64; 2]| {
                    let exact = score(exact.as_ref(), x, &exact_theta);
                    let found = score(&latent, x, &theta);
                    (0..2).map(|l| (found[l] - exact[l]) * f(x)[l]).sum::<f64>()
                };
                sample.iter().map(at).sum::<f64>() / sample.len() as f64
            };
            let mean_square = (0..40).map(|seed| error(seed).powi(2)).sum::<f64>() / 40.0;
            errors.push((draws, mean_square.sqrt()));
        }
        let rate = rate(&errors);
        println!("case {case}: rate {rate:.3}, errors {errors:?}");
        assert!((-0.6..-0.4).contains(&rate), "{rate}");
    }
}

#[test]
fn draws_belong_to_the_point_and_the_seed() {
    let Case { latent, theta, .. } = cases(8, 5, 0.2).swap_remove(0);
    let x = [0.4, -0.7];
    assert_eq!(score(&latent, &x, &theta), score(&latent, &x, &theta));
    assert_eq!(score(&latent, &[0.0, 1.0], &theta), score(&latent, &[-0.0, 1.0], &theta));
    let other = cases(8, 6, 0.2).swap_remove(0).latent;
    assert_ne!(score(&latent, &x, &theta), score(&other, &x, &theta));
    assert!(latent.effective_draws(&x, &theta) < 8.0);
    let anchored = latent.anchored(&theta).unwrap();
    assert!((anchored.effective_draws(&x, &theta) - 8.0).abs() < 1e-12);
    let points = Points::from_rows(&[[0.0, 0.0]]).unwrap();
    assert_eq!(anchored.starts(&points, &mut stream(0, 0)), vec![theta.clone()]);
    assert!(latent.anchored(&theta[1..]).is_err());
    assert!(Latent::new(PrincipalComponents::new(2, 1, 1.0).unwrap(), 0, 0, theta).is_err());
    assert!(PrincipalComponents::new(2, 0, 1.0).is_err());
    assert!(PrincipalComponents::new(2, 1, -1.0).is_err());
}

/// With two latent dimensions the posterior has a covariance of its own.
#[test]
fn two_latent_dimensions_agree_with_the_marginal() {
    let (w, noise) = ([[0.8, -0.3], [0.2, 0.7], [0.5, 0.5]], 0.4);
    let covariance = Matrix::from_fn(3, 3, |i, j| {
        (0..2).map(|k| w[i][k] * w[j][k]).sum::<f64>() + if i == j { noise } else { 0.0 }
    });
    let mut theta = vec![0.1, 0.2, -0.3];
    theta.extend(w.iter().flatten());
    let exact = Gaussian::with_covariance(covariance).unwrap();
    let components = PrincipalComponents::new(3, 2, noise).unwrap();
    let latent = Latent::new(components, 20_000, 2, theta.clone()).unwrap();
    let x = [1.0, -0.4, 0.6];
    for (found, expected) in score(&latent, &x, &theta).iter().zip(score(&exact, &x, &theta[..3])) {
        assert!((found - expected).abs() < 4.0 * 2.0 / 20_000f64.sqrt(), "{found} {expected}");
    }
}

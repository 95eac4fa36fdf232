//! The bias by distances to the nearest of too few boundary points: as it is measured, and as it is.
//!
//! The truth is seen in each sample: the same data are fitted with exact distances, everything else alike.

use std::sync::Arc;

use steinbound::domain::{Ball, BoundarySampling, Domain, LevelSet};
use steinbound::fit::DistanceKind;
use steinbound::inference::{Comparison, Contender};
use steinbound::model::Gaussian;
use steinbound::{Estimator, Fit, Points, simulate};

/// The largest bias without a warning.
const LIMIT: f64 = 0.3;

fn ball(d: usize) -> Arc<Ball> {
    // The radius of the paper.
    Arc::new(Ball::new((d as f64).powf(0.53)).unwrap().in_dimension(d))
}

fn known(d: usize) -> Gaussian {
    Gaussian::with_variance(d, 1.0).unwrap()
}

fn sample(d: usize, n: usize, seed: u64) -> Points<'static> {
    let rng = &mut simulate::stream(seed, 0);
    simulate::truncated(&known(d), &vec![0.5; d], ball(d).as_ref(), n, rng).unwrap().points
}

/// The largest difference in standard errors of the first.
fn apart(fit: &Fit, other: &Fit) -> f64 {
    let pairs = fit.parameters.iter().zip(&other.parameters);
    let moved = pairs.map(|(a, b)| (a.estimate.unwrap() - b.estimate.unwrap()).abs() / a.std_error.unwrap());
    moved.fold(0.0, f64::max)
}

/// The bias that is reported and the true one.
fn biases(method: fn() -> Estimator, d: usize, n: usize, m: usize, seed: u64) -> (f64, f64) {
    let (data, model, ball) = (sample(d, n, seed), known(d), ball(d));
    let rng = &mut simulate::stream(seed, 1);
    let points = ball.sample_boundary(&BoundarySampling::new(m), rng).unwrap();
    let problem = method().boundary(points);
    let (fit, found) = problem.check(&data, &model).unwrap().fit_diagnosed().unwrap();
    let bias = found.distance_bias.unwrap().standard_errors;
    let check = found.checks.iter().find(|check| check.name == "distance_bias").unwrap();
    assert_eq!((check.value, check.limit, check.is_beyond()), (bias, LIMIT, bias > LIMIT));
    // A large bias is in the exit code, and the message begins with it.
    assert_eq!(fit.is_trustworthy(), bias <= LIMIT);
    assert_eq!(
        fit.warnings.iter().any(|text| text.starts_with(&format!("{bias:.2} standard"))),
        bias > LIMIT
    );
    (bias, apart(&fit, &method().domain(ball).fit(&data, &model).unwrap()))
}

/// Default settings in two to four coordinates, with few and many points. Printed by `--nocapture`.
#[test]
fn biases_are_found_and_false_alarms_are_rare() {
    let (mut harmless, mut alarms, mut harmful, mut hits) = (0, 0, 0, 0);
    for (d, n, m) in [
        (2, 300, 50),
        (2, 300, 1000),
        (2, 2000, 50),
        (2, 2000, 200),
        (2, 2000, 2000),
        (3, 300, 50),
        (3, 300, 200),
        (3, 2000, 1000),
        (4, 300, 200),
        (4, 2000, 1000),
    ] {
        let methods: &[fn() -> Estimator] = match n {
            300 => &[Estimator::truncsm, Estimator::bdksd],
            _ => &[Estimator::truncsm],
        };
        for method in methods {
            let (mut sums, seeds) = ((0.0, 0.0), 10);
            for seed in 0..seeds {
                let (found, truth) = biases(*method, d, n, m, seed);
                sums = (sums.0 + found, sums.1 + truth);
                harmless += usize::from(truth < 0.1);
                alarms += usize::from(truth < 0.1 && found > LIMIT);
                harmful += usize::from(truth > 1.0);
                hits += usize::from(truth > 1.0 && found > LIMIT);
            }
            let (found, truth) = (sums.0 / seeds as f64, sums.1 / seeds as f64);
            println!("d = {d}, n = {n}, m = {m}: {found:.2} found, {truth:.2} true");
            assert!((0.5..2.0).contains(&(found / truth)) || truth < 0.1, "{d} {n} {m}: {found} {truth}");
        }
    }
    println!("{alarms} alarms in {harmless} harmless cases, {hits} of {harmful} harmful ones found");
    assert!(harmless >= 20 && alarms * 20 <= harmless, "{alarms} of {harmless}");
    assert!(harmful >= 60 && hits * 100 >= 95 * harmful, "{hits} of {harmful}");
}

/// On the line all boundary points are known, and exact distances have no such bias.
#[test]
fn where_distances_are_exact_there_is_no_check() {
    let (data, model) = (sample(1, 200, 1), known(1));
    let ends = Points::from_rows(&[[-1.0], [1.0]]).unwrap();
    for estimator in [Estimator::truncsm().boundary(ends), Estimator::truncsm().domain(ball(1))] {
        let (fit, found) = estimator.check(&data, &model).unwrap().fit_diagnosed().unwrap();
        assert!(found.distance_bias.is_none() && fit.is_trustworthy());
    }
}

/// The sphere as a formula, in three dimensions: without a formula for distances, and with default settings.
#[test]
fn regions_without_distances_are_fitted_without_bias() {
    let formula = Arc::new(LevelSet::parse("x1^2 + x2^2 + x3^2 - 3.2", 3).unwrap());
    let model = known(3);
    let mut squares = 0.0;
    for seed in 0..20 {
        let rng = &mut simulate::stream(seed, 0);
        let data = simulate::truncated(&model, &[0.5; 3], formula.as_ref(), 1000, rng).unwrap().points;
        let estimator = Estimator::truncsm().domain(formula.clone());
        let (fit, found) = estimator.check(&data, &model).unwrap().fit_diagnosed().unwrap();
        assert_eq!(fit.setup.distance, Some(DistanceKind::Axes));
        assert!(found.distance_bias.is_none() && fit.is_trustworthy(), "{:?}", fit.warnings);
        let error = |p: &steinbound::fit::Parameter| (p.estimate.unwrap() - 0.5) / p.std_error.unwrap();
        squares += fit.parameters.iter().map(|p| error(p).powi(2)).sum::<f64>();
    }
    // Chi-square with 60 degrees of freedom.
    assert!((30.0..100.0).contains(&squares), "{squares}");
}

#[test]
fn comparisons_mark_what_is_biased() {
    let (data, model, ball) = (sample(3, 1000, 3), known(3), ball(3));
    let points = ball.sample_boundary(&BoundarySampling::new(200), &mut simulate::stream(3, 1)).unwrap();
    let contenders = [Estimator::truncsm().boundary(points), Estimator::truncsm().domain(ball.clone())]
        .map(|estimator| Contender::new(estimator, &model));
    let reference = Estimator::tksd().domain(ball).check(&data, &model).unwrap();
    let found = Comparison::run(&reference, &contenders, &data, None);
    let trusted: Vec<bool> =
        found.fits.iter().map(|row| row.fit.as_ref().unwrap().is_trustworthy()).collect();
    assert_eq!(trusted, [false, true]);
}

/// Points that are repeated, in pairs, or dense along curves show the bias that they have.
#[test]
fn crowded_points_hide_no_bias() {
    let (d, n) = (3, 3000);
    let (data, model, ball) = (sample(d, n, 1), known(d), ball(d));
    let even = ball.sample_boundary(&BoundarySampling::new(100), &mut simulate::stream(1, 1)).unwrap();
    let repeated = |times: usize, apart: f64| {
        let row = |x: &[f64], k: usize| vec![x[0] + apart * k as f64, x[1], x[2]];
        let rows: Vec<Vec<f64>> = even.rows().flat_map(|x| (0..times).map(move |k| row(x, k))).collect();
        Points::from_rows(&rows).unwrap()
    };
    let radius = 3f64.powf(0.53);
    let meridians: Vec<Vec<f64>> = (0..6)
        .flat_map(|k| {
            (0..200).map(move |i| (f64::from(k) * std::f64::consts::FRAC_PI_3, f64::from(i) / 199.0))
        })
        .map(|(longitude, share)| {
            let (sine, cosine) = (share * std::f64::consts::PI).sin_cos();
            vec![radius * sine * longitude.cos(), radius * sine * longitude.sin(), radius * cosine]
        })
        .collect();
    let cases = [
        ("as they are", even.clone()),
        ("each twice", repeated(2, 0.0)),
        ("each three times", repeated(3, 0.0)),
        ("close pairs", repeated(2, 1e-6)),
        ("pairs", repeated(2, 0.01)),
        ("meridians", Points::from_rows(&meridians).unwrap()),
    ];
    for (name, points) in cases {
        for method in [Estimator::truncsm, Estimator::bdksd] {
            let problem = method().boundary(points.clone());
            let (fit, found) = problem.check(&data, &model).unwrap().fit_diagnosed().unwrap();
            let found = found.distance_bias.unwrap().standard_errors;
            let truth = apart(&fit, &method().domain(ball.clone()).fit(&data, &model).unwrap());
            println!("{name}: {found:.2} found, {truth:.2} true");
            assert!(
                (0.5..2.0).contains(&(found / truth)) && !fit.is_trustworthy(),
                "{name}: {found} {truth}"
            );
        }
    }
}

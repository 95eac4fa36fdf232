//! Gaussian mixtures: golden values, errors in the paper's setting, starts and intervals.

use crate::common::{MODES, edge, mean_and_error, modes, square, two_modes};
use rayon::prelude::*;
use serde_json::Value;
use steinbound::fit::Parameter;
use steinbound::kernel::{self, Bandwidth};
use steinbound::model::GaussianMixture;
use steinbound::stein::{Conditioned, Radial, Statistic, discrepancy_squared};
use steinbound::{Estimator, Fit, Matrix, Points, simulate};

fn points(value: &Value) -> Points<'static> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap();
    Points::from_rows(&rows).unwrap()
}

#[test]
fn golden_values() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/mixture_k2_box.json");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (data, boundary) = (points(&json["data"]), points(&json["boundary"]));
    let start: Vec<f64> = serde_json::from_value(json["init"].clone()).unwrap();
    let check = |fit: &Fit, field: &str| {
        let means: Vec<Vec<f64>> = serde_json::from_value(json[field]["means"].clone()).unwrap();
        for (found, expected) in fit.estimates().iter().zip(means.concat()) {
            assert!((found / expected - 1.0).abs() < 1e-6, "{field}: {found} {expected}");
        }
        assert!(fit.converged && fit.std_errors().iter().all(|s| *s > 0.0));
    };
    let ridge = json["ridge"].as_f64().unwrap();
    let estimator = Estimator::tksd().boundary(boundary.clone()).ridge(ridge).start(start.clone());
    let fit = estimator.fit(&data, &two_modes()).unwrap();
    check(&fit, "tksd_v");
    // The reference leaves out what does not depend on the parameters: the discrepancy of a score that is
    // zero.
    let sigma = Bandwidth::Median.resolve(&data, 0).unwrap();
    assert!((sigma / json["sigma"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    let form = Radial::tiled(&data, kernel::by_name("gaussian").unwrap(), sigma).unwrap();
    let form = Conditioned::new(form, &boundary, ridge).unwrap();
    let weights = vec![1.0; data.len()];
    let constant = discrepancy_squared(&form, Matrix::zeros(data.len(), 2), &weights, Statistic::V).unwrap();
    let objective = fit.discrepancy_squared.unwrap() - constant;
    let expected = json["tksd_v"]["objective"].as_f64().unwrap();
    assert!((objective / expected - 1.0).abs() < 1e-9, "{objective} {expected}");

    let fit = Estimator::truncsm().domain(square()).start(start).fit(&data, &two_modes()).unwrap();
    check(&fit, "truncsm_exact");
    let expected = json["truncsm_exact"]["objective"].as_f64().unwrap();
    assert!((fit.objective.unwrap() / expected - 1.0).abs() < 1e-9, "{:?} {expected}", fit.objective);
}

/// The distance between all estimated and true means.
fn error(fit: &Fit) -> f64 {
    crate::common::distance(&fit.estimates(), &MODES)
}

/// The mean error with its standard error, and the share of 95 % intervals that hold the truth.
fn run(estimator: &Estimator, seeds: u64, count: usize) -> ((f64, f64), f64) {
    let of_seed = |seed: u64| {
        let fit = estimator.clone().start(MODES.to_vec()).fit(&modes(count, seed), &two_modes()).unwrap();
        let holds = |(p, truth): (&Parameter, f64)| p.lower.unwrap() <= truth && truth <= p.upper.unwrap();
        let held = fit.parameters.iter().zip(MODES).filter(|pair| holds(*pair)).count();
        (error(&fit), held)
    };
    let runs: Vec<(f64, usize)> = (0..seeds).into_par_iter().map(of_seed).collect();
    let errors: Vec<f64> = runs.iter().map(|run| run.0).collect();
    let held: usize = runs.iter().map(|run| run.1).sum();
    (mean_and_error(&errors), held as f64 / (4 * seeds) as f64)
}

#[test]
fn errors_at_900_points() {
    let tksd = run(&Estimator::tksd().boundary(edge()), 32, 900);
    let truncsm = run(&Estimator::truncsm().domain(square()), 32, 900);
    let likelihood = run(&Estimator::truncated_mle().domain(square()), 32, 900);
    println!("tksd {tksd:?}, truncsm {truncsm:?}, truncated mle {likelihood:?}");
    assert!(tksd.0.0 <= 0.15, "{tksd:?}");
    assert!(truncsm.0.0 <= 0.16, "{truncsm:?}");
    assert!(likelihood.0.0 < truncsm.0.0 && likelihood.0.0 < tksd.0.0, "{likelihood:?}");
    // Of 128 intervals 95 % hold the truth, give or take three standard errors of 1.9 %.
    for (_, held) in [tksd, truncsm, likelihood] {
        assert!(held > 0.89, "{held}");
    }
}

/// A weight counts as repetition, for every objective that is searched.
#[test]
fn weights_repeat_observations() {
    let data = modes(150, 3);
    let counts: Vec<usize> = (0..150).map(|i| [1, 2, 0, 3][i % 4]).collect();
    let rows: Vec<&[f64]> = (0..150).flat_map(|i| vec![data.row(i); counts[i]]).collect();
    let labels: Vec<usize> = (0..150).flat_map(|i| vec![i; counts[i]]).collect();
    let repeated = Points::from_rows(&rows).unwrap().with_clusters(&labels).unwrap();
    let weighted = data.with_weights(counts.iter().map(|c| *c as f64).collect()).unwrap();
    for estimator in [
        Estimator::tksd().boundary(edge()),
        Estimator::truncsm().domain(square()),
        Estimator::truncated_mle().domain(square()),
    ] {
        let estimator = estimator.bandwidth(Bandwidth::Fixed(2.0)).start(MODES.to_vec());
        let fit = |data: &Points| estimator.fit(data, &two_modes()).unwrap();
        let (once, often) = (fit(&weighted), fit(&repeated));
        crate::common::assert_close(&once.estimates(), &often.estimates(), 1e-7, "estimates");
        crate::common::assert_close(&once.std_errors(), &often.std_errors(), 1e-6, "standard errors");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let data = modes(200, 8);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut bits = Vec::new();
            for estimator in [
                Estimator::tksd().boundary(edge()),
                Estimator::tksd().boundary(edge()).statistic(Statistic::U),
                Estimator::truncsm().domain(square()),
                Estimator::truncated_mle().domain(square()),
            ] {
                let fit = estimator.fit(&data, &two_modes()).unwrap();
                bits.extend(fit.estimates().into_iter().chain(fit.std_errors()).map(f64::to_bits));
            }
            bits
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

/// Several starts find what a start at the truth finds, with the components in order.
#[test]
fn starts_find_the_minimum_near_the_truth() {
    for seed in 0..4 {
        let data = modes(400, seed);
        for estimator in [Estimator::tksd().boundary(edge()), Estimator::truncsm().domain(square())] {
            let free = estimator.fit(&data, &two_modes()).unwrap();
            let guided = estimator.start(MODES.to_vec()).fit(&data, &two_modes()).unwrap();
            let starts = free.starts.unwrap();
            assert!(free.converged && starts.tried > 1 && starts.agreed >= 1);
            let value = |fit: &Fit| fit.discrepancy_squared.or(fit.objective).unwrap();
            assert!(value(&free) <= value(&guided) + 1e-9, "{seed}: {free:?} {guided:?}");
            assert!(free.estimates()[0] <= free.estimates()[2]);
        }
    }
}

/// A start in the other order keeps it.
#[test]
fn components_keep_the_order_of_their_start() {
    let start = vec![1.5, 1.5, -1.5, -1.5];
    let fit = Estimator::tksd().boundary(edge()).start(start).fit(&modes(300, 1), &two_modes()).unwrap();
    assert!(fit.estimates()[0] > fit.estimates()[2]);
}

/// Unknown weights and covariances: the truth within four standard errors.
#[test]
fn weights_and_covariances_are_estimated() {
    let truth = GaussianMixture::new(2, 2).unwrap().spherical().estimate_weights();
    let reported = [-1.2, -0.8, 1.4, 0.9, 0.35, 0.65, 0.5, 0.4];
    let theta = steinbound::model::Model::fitted_from(&truth, &reported).unwrap();
    let rng = &mut simulate::stream(5, 0);
    let data = simulate::truncated(&truth, &theta, square().as_ref(), 2000, rng).unwrap().points;
    for estimator in [
        Estimator::tksd().boundary(edge()).domain(square()),
        Estimator::truncsm().domain(square()),
        Estimator::truncated_mle().domain(square()),
    ] {
        let fit = estimator.fit(&data, &truth).unwrap();
        assert!(fit.converged, "{:?}", fit.warnings);
        for (p, truth) in fit.parameters.iter().zip(reported) {
            let (value, error) = (p.estimate.unwrap(), p.std_error.unwrap());
            assert!((value - truth).abs() < 4.0 * error, "{:?} {p:?} {truth}", fit.setup.method);
        }
    }
}

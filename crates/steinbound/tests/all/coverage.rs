//! How often 95 % intervals hold the truth: the settings of the paper, with fixed seeds.
//!
//! The short version runs with the other tests; `make simulations` runs the long one.

use std::sync::Arc;

use crate::common::{MODES, ball, edge, mean_and_error, modes, prepared_line, two_modes};
use rayon::prelude::*;
use steinbound::domain::contiguous_united_states;
use steinbound::fit::Parameter;
use steinbound::inference::{Bootstrap, Interval, Resampling};
use steinbound::model::Gaussian;
use steinbound::{Estimator, Fit, Method, simulate};

/// The share of parameters whose interval holds the truth.
fn covered(parameters: &[Parameter], truth: &[f64]) -> f64 {
    assert_eq!(parameters.len(), truth.len());
    let holds = |p: &Parameter, t: f64| p.lower.is_some_and(|l| l <= t) && p.upper.is_some_and(|u| t <= u);
    parameters.iter().zip(truth).filter(|(p, t)| holds(p, **t)).count() as f64 / truth.len() as f64
}

/// Coverage over so many data sets, each made and fitted by its seed, is between 90 and 98 %, or not
/// significantly outside.
fn check(what: &str, datasets: u64, run: impl Fn(u64) -> f64 + Sync) {
    let shares: Vec<f64> = (0..datasets).into_par_iter().map(|k| run(20_000 + k)).collect();
    let (share, error) = mean_and_error(&shares);
    println!("{what}: {share:.3} +- {error:.3} over {datasets} data sets");
    // All data sets of the long version count as they are; few ones leave more to chance.
    let slack = if datasets >= 400 { 0.0 } else { 2.0 * error };
    assert!((0.90 - slack..=0.98 + slack).contains(&share), "{what}: {share}");
}

fn on_the_ball(method: Method, full: bool, seed: u64) -> f64 {
    let setting = ball(2, 300, seed);
    let estimator = Estimator::new(method).boundary(setting.boundary).domain(setting.domain);
    if full {
        let fit = estimator.fit(&setting.data, &Gaussian::full(2)).unwrap();
        return covered(&fit.natural, &[0.5, 0.5, 1.0, 0.0, 1.0]);
    }
    covered(&estimator.fit(&setting.data, &setting.model).unwrap().parameters, &setting.truth)
}

fn in_the_united_states(datasets: u64) {
    let border = Arc::new(contiguous_united_states().unwrap());
    let model = Gaussian::with_variance(2, 10.0).unwrap();
    check("United States", datasets, |seed| {
        let rng = &mut simulate::stream(seed, 0);
        let data = simulate::truncated(&model, &[-115.0, 35.0], border.as_ref(), 400, rng).unwrap().points;
        let estimator = Estimator::tksd().domain(border.clone()).boundary_points(200).seed(seed);
        covered(&estimator.fit(&data, &model).unwrap().parameters, &[-115.0, 35.0])
    });
}

/// Tuned settings may not buy precision with a bias that the intervals do not know of.
fn tuned(full: bool, seed: u64) -> f64 {
    let setting = ball(2, 300, seed);
    let estimator = Estimator::tksd().boundary(setting.boundary).domain(setting.domain);
    if full {
        let fit = estimator.fit_tuned(&setting.data, &Gaussian::full(2)).unwrap();
        return covered(&fit.natural, &[0.5, 0.5, 1.0, 0.0, 1.0]);
    }
    covered(&estimator.fit_tuned(&setting.data, &setting.model).unwrap().parameters, &setting.truth)
}

fn of_two_modes(seed: u64) -> f64 {
    let fit = Estimator::tksd().boundary(edge()).fit(&modes(900, seed), &two_modes()).unwrap();
    covered(&fit.parameters, &MODES)
}

fn of_a_line(seed: u64) -> f64 {
    let regression = prepared_line(seed);
    let estimator = regression.estimator(&Estimator::tksd().seed(seed));
    covered(&estimator.fit(&regression.points, &regression.model).unwrap().parameters, &[3.0, 4.0, 1.0])
}

fn all(datasets: u64) {
    for method in [Method::TKSD, Method::BDKSD, Method::TRUNCSM] {
        check(&format!("ball, mean, {}", method.name()), datasets, |seed| on_the_ball(method, false, seed));
    }
    check("ball, full Gaussian, tksd", datasets, |seed| on_the_ball(Method::TKSD, true, seed));
    check("ball, mean, tuned", datasets, |seed| tuned(false, seed));
    check("ball, full Gaussian, tuned", datasets, |seed| tuned(true, seed));
    in_the_united_states(datasets);
    check("two modes, n = 900", datasets, of_two_modes);
    check("regression", datasets, of_a_line);
}

fn bootstrapped(seed: u64, settings: &Bootstrap) -> Fit {
    let setting = ball(2, 300, seed);
    let estimator = Estimator::tksd().boundary(setting.boundary).domain(setting.domain).seed(seed);
    let problem = estimator.check(&setting.data, &setting.model).unwrap();
    problem.bootstrap(problem.fit().unwrap(), settings).unwrap()
}

fn by_bootstrap(datasets: u64, draws: usize) {
    for (resampling, interval) in [
        (Resampling::Nonparametric, Interval::Percentile),
        (Resampling::Nonparametric, Interval::Normal),
        (Resampling::Parametric, Interval::Percentile),
    ] {
        let settings = Bootstrap::new(draws).resampling(resampling).interval(interval);
        check(&format!("ball, {resampling:?} {interval:?}"), datasets, |seed| {
            covered(&bootstrapped(seed, &settings).parameters, &[0.5, 0.5])
        });
    }
}

#[test]
fn intervals_cover() {
    all(60);
}

#[test]
fn bootstrap_intervals_cover() {
    by_bootstrap(60, 99);
}

#[test]
#[ignore = "long: make simulations"]
fn intervals_cover_in_many_samples() {
    all(400);
    by_bootstrap(400, 199);
}

//! Weights of mixtures: counts inside a region determine them, scores alone do not.

use std::sync::Arc;

use rayon::prelude::*;
use steinbound::domain::{BoundarySampling, BoundaryScheme, Cuboid, Domain};
use steinbound::inference::{GoodnessOfFit, Null};
use steinbound::kernel::Bandwidth;
use steinbound::model::{GaussianMixture, Model};
use steinbound::stein::Statistic;
use steinbound::{Error, Estimator, FitError, Points, simulate};

/// The region of half-width 5.
fn region() -> Arc<Cuboid> {
    Arc::new(Cuboid::uniform(-5.0, 5.0, 2).unwrap())
}

/// Two components of known unit variance, whose means and weights are unknown.
fn model() -> GaussianMixture {
    GaussianMixture::new(2, 2).unwrap().with_variance(1.0).unwrap().estimate_weights()
}

fn truth(half: f64) -> [f64; 6] {
    [-half, 0.0, half, 0.0, 0.6, 0.4]
}

fn sample(half: f64, count: usize, seed: u64) -> Points<'static> {
    let theta = model().fitted_from(&truth(half)).unwrap();
    let rng = &mut simulate::stream(seed, 0);
    simulate::truncated(&model(), &theta, region().as_ref(), count, rng).unwrap().points
}

fn edge() -> Points<'static> {
    let sampling = BoundarySampling::new(200).scheme(BoundaryScheme::Even);
    region().sample_boundary(&sampling, &mut simulate::stream(0, 1)).unwrap()
}

/// The root mean square error of the first weight, the coverage of its intervals, and that of the means'.
fn run(estimator: &Estimator, half: f64, seeds: u64) -> (f64, f64, f64) {
    let of_seed = |seed: u64| {
        let fit = estimator.fit(&sample(half, 600, seed), &model()).unwrap();
        assert!(fit.is_trustworthy(), "{seed}: {:?}", fit.warnings);
        let held: Vec<f64> = fit
            .parameters
            .iter()
            .zip(truth(half))
            .map(|(p, truth)| f64::from(p.lower.unwrap() <= truth && truth <= p.upper.unwrap()))
            .collect();
        let error = fit.estimates()[4] - 0.6;
        (error * error, held[4], held[..4].iter().sum::<f64>() / 4.0)
    };
    let runs: Vec<(f64, f64, f64)> = (0..seeds).into_par_iter().map(of_seed).collect();
    let mean = |of: fn(&(f64, f64, f64)) -> f64| runs.iter().map(of).sum::<f64>() / seeds as f64;
    (mean(|run| run.0).sqrt(), mean(|run| run.1), mean(|run| run.2))
}

fn estimators() -> [(&'static str, Estimator); 4] {
    [
        ("efficient", Estimator::efficient()),
        ("tksd", Estimator::tksd()),
        ("bdksd", Estimator::bdksd()),
        ("truncsm", Estimator::truncsm()),
    ]
}

#[test]
fn counts_determine_weights() {
    for estimator in [Estimator::efficient(), Estimator::tksd()] {
        let (error, weight, _) = run(&estimator.domain(region()), 3.0, 20);
        assert!(error < 0.03, "{error}");
        // Of 20 intervals that hold the truth with probability 0.95, 15 or fewer do so once in 400 times.
        assert!(weight > 0.76, "{weight}");
    }
}

/// Moments with optimal weights and counts together are nearly the equations of truncated likelihood: estimates
/// are within about a standard error, and standard errors, which come from another formula, agree.
#[test]
fn efficient_weights_are_nearly_those_of_likelihood() {
    for half in [3.0, 1.5] {
        let data = sample(half, 600, 1);
        let fit = |estimator: Estimator| estimator.domain(region()).fit(&data, &model()).unwrap();
        let (stein, likelihood) = (fit(Estimator::efficient()), fit(Estimator::truncated_mle()));
        assert!(stein.is_trustworthy(), "{:?}", stein.warnings);
        assert_eq!(stein.setup.method, steinbound::Method::EFFICIENT);
        assert_eq!(stein.setup.ridge, None);
        for (a, b) in stein.parameters.iter().zip(&likelihood.parameters) {
            let apart = (a.estimate.unwrap() - b.estimate.unwrap()) / b.std_error.unwrap();
            let ratio = a.std_error.unwrap() / b.std_error.unwrap();
            assert!(apart.abs() < 1.2 && (ratio - 1.0).abs() < 0.15, "{half} {}: {apart} {ratio}", a.name);
        }
        // Counts alone determine well separated weights, by either method: a fortieth of their standard error.
        let weight = |fit: &steinbound::Fit| fit.parameters[4].estimate.unwrap();
        if half > 2.0 {
            assert!((weight(&stein) - weight(&likelihood)).abs() < 5e-4);
        }
    }
}

/// Two hundred samples: the errors are those of truncated likelihood, .020 and .023, and intervals hold.
#[test]
#[ignore = "takes a minute"]
fn errors_and_coverage_of_weights() {
    for (name, estimator) in estimators() {
        for (half, most) in [(3.0, 0.0225), (1.5, 0.029)] {
            let (error, weight, means) = run(&estimator.clone().domain(region()), half, 200);
            println!(
                "{name} +-{half}: error {error:.4}, coverage of weight {weight:.3}, of means {means:.3}"
            );
            assert!(error < most, "{name} {half}: {error}");
            assert!(weight > 0.905 && means > 0.92, "{name} {half}: {weight} {means}");
        }
    }
}

/// For the whole space the masses are one.
#[test]
fn methods_without_a_boundary_count_in_the_whole_space() {
    let theta = model().fitted_from(&truth(3.0)).unwrap();
    let sampler = model();
    let sampler = sampler.sampling().unwrap().sampler(&theta).unwrap();
    let rng = &mut simulate::stream(2, 0);
    let mut values = vec![0.0; 1200];
    values.chunks_exact_mut(2).for_each(|x| sampler(rng, x));
    let data = Points::new(values, 2).unwrap();
    let (stein, likelihood) = (Estimator::ksd(), Estimator::mle());
    let (stein, likelihood) = (stein.fit(&data, &model()).unwrap(), likelihood.fit(&data, &model()).unwrap());
    assert!(stein.is_trustworthy());
    let (a, b) = (&stein.parameters[4], &likelihood.parameters[4]);
    assert!((a.estimate.unwrap() - b.estimate.unwrap()).abs() < 2e-3, "{a:?} {b:?}");
    assert!((a.std_error.unwrap() / b.std_error.unwrap() - 1.0).abs() < 0.02, "{a:?} {b:?}");
}

/// Points on the boundary do not say how much lies inside.
#[test]
fn separated_components_need_the_region() {
    let error = Estimator::tksd().boundary(edge()).fit(&sample(3.0, 600, 0), &model()).unwrap_err();
    assert!(
        matches!(error, Error::Fit(FitError::WeightsUnseen { components: (1, 2), distance }) if distance > 5.5),
        "{error}"
    );
    assert!(error.to_string().starts_with("components 1 and 2 are"), "{error}");
    // Where they overlap, the score shows the weights, though less well.
    let fit = Estimator::tksd().boundary(edge()).fit(&sample(1.5, 600, 0), &model()).unwrap();
    let weight = &fit.parameters[4];
    assert!(fit.is_trustworthy() && (weight.estimate.unwrap() - 0.6).abs() < 4.0 * weight.std_error.unwrap());
}

/// A component too many: its weight runs to zero, or it shares the observations of another.
#[test]
fn a_lost_component_is_reported() {
    let one = GaussianMixture::new(2, 1).unwrap().with_variance(1.0).unwrap();
    let rng = &mut simulate::stream(3, 0);
    let data = simulate::truncated(&one, &[0.0, 0.0], region().as_ref(), 300, rng).unwrap().points;
    let start = vec![0.0, 0.0, 4.9, 4.9, 0.9, 0.1];
    for estimator in [Estimator::efficient(), Estimator::tksd(), Estimator::truncated_mle()] {
        let fit = estimator.domain(region()).start(start.clone()).fit(&data, &model()).unwrap();
        let lost =
            fit.warnings.iter().any(|w| w.starts_with("component ") && w.contains("use fewer components"));
        assert!(fit.is_trustworthy() || lost, "{:?} {:?}", fit.estimates(), fit.warnings);
        let weights = &fit.estimates()[4..];
        assert!(lost || weights.iter().all(|w| *w > 1e-3), "{weights:?}");
    }
}

/// Observation weights repeat observations, in the counts too, and another statistic uses the same counts.
#[test]
fn weights_of_observations_count() {
    let data = sample(3.0, 200, 5);
    let counts: Vec<usize> = (0..200).map(|i| [1, 2, 0, 3][i % 4]).collect();
    let rows: Vec<&[f64]> = (0..200).flat_map(|i| vec![data.row(i); counts[i]]).collect();
    let labels: Vec<usize> = (0..200).flat_map(|i| vec![i; counts[i]]).collect();
    let repeated = Points::from_rows(&rows).unwrap().with_clusters(&labels).unwrap();
    let weighted = data.with_weights(counts.iter().map(|c| *c as f64).collect()).unwrap();
    let plain = Estimator::tksd().boundary(edge()).domain(region()).bandwidth(Bandwidth::Fixed(2.0));
    for estimator in [plain.clone(), plain.statistic(Statistic::U)] {
        let is_v = format!("{estimator:?}").contains("statistic: V");
        let fit = |data: &Points| estimator.clone().start(truth(3.0).to_vec()).fit(data, &model()).unwrap();
        let (once, often) = (fit(&weighted), fit(&repeated));
        assert!(once.converged && often.converged);
        if is_v {
            crate::common::assert_close(&once.estimates(), &often.estimates(), 1e-6, "estimates");
            crate::common::assert_close(&once.std_errors(), &often.std_errors(), 1e-5, "standard errors");
        }
    }
}

/// The p-value of the test of the true model on an interval, whose means and weights are fitted.
fn p_value(estimator: Estimator, count: usize, draws: usize, seed: u64) -> f64 {
    let model = GaussianMixture::new(1, 2).unwrap().with_variance(1.0).unwrap().estimate_weights();
    let interval = Arc::new(Cuboid::interval(-4.0, 4.0).unwrap());
    let theta = model.fitted_from(&[-2.0, 2.0, 0.6, 0.4]).unwrap();
    let rng = &mut simulate::stream(70_000 + seed, 0);
    let data = simulate::truncated(&model, &theta, interval.as_ref(), count, rng).unwrap().points;
    let problem = estimator.domain(interval).seed(seed);
    let problem = problem.check(&data, &model).unwrap();
    let found = problem.test(&problem.fit().unwrap(), &GoodnessOfFit::new().draws(draws)).unwrap();
    assert_eq!(found.null, Null::Parametric);
    found.p_value
}

/// Refits of drawn data end in minima as good as that of the fit: p-values of a true model are neither all
/// near one nor all near zero.
#[test]
fn drawn_data_are_fitted_with_the_same_care() {
    for estimator in [Estimator::efficient(), Estimator::tksd()] {
        let values: Vec<f64> =
            (0..8).into_par_iter().map(|seed| p_value(estimator.clone(), 100, 19, seed)).collect();
        let mean = values.iter().sum::<f64>() / 8.0;
        // The mean of eight uniform values is within 0.3 of a half in all but one of 300 cases.
        assert!((mean - 0.5).abs() < 0.3, "{values:?}");
    }
}

/// With 300 samples, 3 to 7 % are two standard errors around 5 %, less half of one.
fn check_level(name: &str, estimator: &Estimator, samples: usize) {
    let seeds = 0..samples as u64;
    let mut values: Vec<f64> =
        seeds.into_par_iter().map(|seed| p_value(estimator.clone(), 150, 99, seed)).collect();
    values.sort_by(f64::total_cmp);
    let count = samples as f64;
    let rejected = values.iter().filter(|p| **p <= 0.05).count() as f64 / count;
    let distance = |(k, p): (usize, &f64)| ((k as f64 + 0.5) / count - p).abs();
    let largest = values.iter().enumerate().map(distance).fold(0.0, f64::max);
    let quarters: Vec<f64> = [1, 2, 3].map(|k| values[k * samples / 4]).to_vec();
    let ones = values.iter().filter(|p| **p > 0.999).count();
    println!(
        "{name}: rejects {rejected:.3}; quartiles {quarters:.2?}; distance from uniform {largest:.3}; {ones} of 1"
    );
    // Kolmogorov's distance at the level 1 %, and a share within two standard errors of 3 to 7 %.
    assert!(largest < 1.63 / count.sqrt(), "{largest}");
    assert!((0.01..=0.09).contains(&rejected), "{rejected}");
    assert!(ones < samples / 20, "{ones}");
}

#[test]
#[ignore = "takes minutes"]
fn a_true_mixture_is_rejected_at_the_level() {
    check_level("efficient", &Estimator::efficient(), 300);
    check_level("tksd", &Estimator::tksd(), 150);
}

/// Equal weights are printed as assumed, others are not.
#[test]
fn equal_weights_are_assumed() {
    let data = sample(3.0, 200, 1);
    let equal = GaussianMixture::new(2, 2).unwrap().with_variance(1.0).unwrap();
    let fit = Estimator::tksd().domain(region()).fit(&data, &equal).unwrap();
    assert!(fit.summary().contains("assumed: weight[k] = 0.5000 for k = 1 to 2"), "{}", fit.summary());
    let json = serde_json::to_value(&fit).unwrap();
    assert_eq!(json["assumed"][1], serde_json::json!({"name": "weight[2]", "value": 0.5}));
    let fit = Estimator::tksd().domain(region()).fit(&data, &model()).unwrap();
    assert!(fit.assumed.is_empty() && serde_json::to_value(&fit).unwrap().get("assumed").is_none());
}

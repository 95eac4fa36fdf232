//! Fits by search: influence values, honest convergence, and invariance of what is reported.

use std::sync::Arc;

use steinbound::domain::{Cuboid, Domain, LevelSet};
use steinbound::fit::DistanceKind;
use steinbound::kernel::Bandwidth;
use steinbound::model::{Autodiff, Gaussian, GaussianMixture, Model, Regression};
use steinbound::stein::Statistic;
use steinbound::{Estimator, Points, simulate};

fn square() -> Arc<dyn Domain> {
    Arc::new(Cuboid::uniform(-3.0, 3.0, 2).unwrap())
}

fn two_modes() -> GaussianMixture {
    GaussianMixture::new(2, 2).unwrap().spherical().estimate_weights()
}

fn mixed(count: usize) -> Points<'static> {
    let model = two_modes();
    let theta = model.fitted_from(&[-1.3, -0.9, 1.4, 1.0, 0.4, 0.6, 0.7, 0.5]).unwrap();
    simulate::truncated(&model, &theta, square().as_ref(), count, &mut simulate::stream(3, 0)).unwrap().points
}

/// Every way to search, on some data: estimators that need a domain have one.
fn estimators() -> Vec<Estimator> {
    let with = |estimator: Estimator| {
        estimator.domain(square()).boundary_points(60).bandwidth(Bandwidth::Fixed(1.7))
    };
    vec![
        with(Estimator::tksd()),
        with(Estimator::tksd()).statistic(Statistic::U),
        with(Estimator::bdksd()),
        with(Estimator::truncsm()),
        with(Estimator::truncsm()).distance(DistanceKind::Axes),
        with(Estimator::truncated_mle()),
    ]
}

/// The influence of an observation is what the estimate does when its weight is raised a little.
#[test]
fn influence_is_the_effect_of_a_weight() {
    let data = mixed(120);
    let t = "-1.5*log(1 + ((x1-a)/exp(s))^2) - 1.5*log(1 + ((x2-b)/exp(s))^2) + c*x1*x2";
    let formula =
        Autodiff::from_formula(t, &["x1", "x2"], &[("a", 0.0), ("b", 0.0), ("s", 0.0), ("c", 0.2)]).unwrap();
    let mixture = two_modes();
    let models: [(&dyn Model, Vec<f64>); 2] =
        [(&mixture, vec![-1.3, -0.9, 1.4, 1.0, 0.4, 0.6, 0.7, 0.5]), (&formula, vec![0.0, 0.0, 0.3, 0.2])];
    for (model, start) in models {
        for estimator in estimators() {
            let weights: Vec<f64> = (0..120).map(|i| 0.6 + 0.01 * (i % 80) as f64).collect();
            let fit = |weights: &[f64], start: &[f64]| {
                let data = data.clone().with_weights(weights.to_vec()).unwrap();
                estimator.clone().start(start.to_vec()).fit(&data, model).unwrap()
            };
            let at = fit(&weights, &start);
            assert!(at.converged, "{:?} {:?}", at.setup.method, at.warnings);
            let theta = |fit: &steinbound::Fit| {
                let fitted = if fit.natural.is_empty() { &fit.parameters } else { &fit.natural };
                fitted.iter().map(|p| p.estimate.unwrap()).collect::<Vec<_>>()
            };
            let total: f64 = weights.iter().sum();
            for i in [0, 17, 63] {
                let step = 1e-3;
                let moved = |sign: f64| {
                    let mut weights = weights.clone();
                    weights[i] += sign * step;
                    theta(&fit(&weights, &at.estimates()))
                };
                let (above, below) = (moved(1.0), moved(-1.0));
                for k in 0..above.len() {
                    let effect = (above[k] - below[k]) / (2.0 * step) * total;
                    let size = at.influence.column(k).iter().map(|v| v * v).sum::<f64>().sqrt() / 11.0;
                    let found = at.influence[(i, k)];
                    assert!(
                        (effect - found).abs() < 2e-4 * size,
                        "{:?} {} {k}: {effect} {found}",
                        at.setup.method,
                        model.name()
                    );
                }
            }
        }
    }
}

/// Far from the origin, and in other units, estimates and standard errors are the same.
#[test]
fn the_origin_and_the_units_do_not_matter() {
    let data = mixed(200);
    let model = two_modes();
    for estimator in estimators().into_iter().chain([Estimator::mle()]) {
        let fit = |unit: f64, shift: f64| {
            let low = vec![-3.0 * unit + shift; 2];
            let domain = Arc::new(Cuboid::new(low, vec![3.0 * unit + shift; 2]).unwrap());
            let data = data.moved(|x| x.iter().map(|v| v * unit + shift).collect()).unwrap();
            estimator
                .clone()
                .domain(domain)
                .bandwidth(Bandwidth::Fixed(1.7 * unit))
                .fit(&data, &model)
                .unwrap()
        };
        let home = fit(1.0, 0.0);
        for (unit, shift) in [(1.0, 1e5), (1e-4, 0.0), (1e4, -3e6)] {
            let away = fit(unit, shift);
            assert!(away.converged, "{:?} {unit} {shift}: {:?}", away.setup.method, away.warnings);
            for (k, (a, b)) in home.parameters.iter().zip(&away.parameters).enumerate() {
                // Four means, two weights, two variances.
                let (scale, origin) =
                    [(unit, shift), (1.0, 0.0), (unit * unit, 0.0)][[0, 0, 0, 0, 1, 1, 2, 2][k]];
                let error = a.std_error.unwrap();
                let apart = (b.estimate.unwrap() - origin) / scale - a.estimate.unwrap();
                assert!(
                    apart.abs() < 1e-3 * error,
                    "{:?} {unit} {shift} {}: {apart}",
                    away.setup.method,
                    a.name
                );
                assert!(
                    (b.std_error.unwrap() / scale / error - 1.0).abs() < 1e-3,
                    "{:?} {unit} {shift} {}",
                    away.setup.method,
                    a.name
                );
            }
        }
    }
}

/// One Gaussian fitted by two components with free weights: nothing tells the weights, and no method claims
/// to know them.
#[test]
fn what_the_data_do_not_determine_is_told() {
    let interval = Arc::new(Cuboid::interval(-3.0, 3.0).unwrap());
    let model = GaussianMixture::new(1, 2).unwrap().estimate_weights();
    for seed in 0..3 {
        let rng = &mut simulate::stream(seed, 0);
        let one = Gaussian::with_variance(1, 0.5).unwrap();
        let data = simulate::truncated(&one, &[0.2], interval.as_ref(), 300, rng).unwrap().points;
        for estimator in [Estimator::tksd(), Estimator::truncsm(), Estimator::truncated_mle()] {
            let fit = estimator.domain(interval.clone()).fit(&data, &model).unwrap();
            assert!(!fit.is_trustworthy() && !fit.warnings.is_empty(), "{fit:?}");
        }
    }
    // A minimum without curvature: s enters as its fourth power, and data that crowd at the ends want it to
    // be zero.
    let place = |i: i32| {
        let u = f64::from(i) / 100.0 - 0.995;
        u.signum() * u.abs().powf(0.4)
    };
    let data = Points::new((0..200).map(place).collect::<Vec<_>>(), 1).unwrap();
    let flat = Autodiff::from_formula("-s^4*x1^2/2 - 0*s", &["x1"], &[("s", 0.5)]).unwrap();
    let unit = Arc::new(Cuboid::interval(-1.0, 1.0).unwrap());
    for estimator in [Estimator::tksd(), Estimator::truncated_mle()] {
        let fit = estimator.domain(unit.clone()).fit(&data, &flat).unwrap();
        assert!(!fit.is_trustworthy(), "{fit:?}");
    }
}

/// Narrow components do not hide between the nodes of an integral.
#[test]
fn narrow_components_have_a_likelihood() {
    let interval = Arc::new(Cuboid::interval(-8.0, 8.0).unwrap());
    let model = GaussianMixture::new(1, 2).unwrap().spherical().estimate_weights();
    for deviation in [0.02f64, 0.1, 0.4] {
        let truth = [-2.0, 1.0, 0.4, 0.6, deviation.powi(2), deviation.powi(2)];
        let theta = model.fitted_from(&truth).unwrap();
        let rng = &mut simulate::stream(1, 0);
        let data = simulate::truncated(&model, &theta, interval.as_ref(), 400, rng).unwrap().points;
        let fit = Estimator::truncated_mle().domain(interval.clone()).fit(&data, &model).unwrap();
        let naive = Estimator::mle().fit(&data, &model).unwrap();
        assert!(fit.converged, "{deviation}: {:?}", fit.warnings);
        // Nothing is cut off, so that the naive estimate is the same.
        for k in 0..6 {
            let apart = (fit.estimates()[k] - naive.estimates()[k]).abs();
            assert!(apart < 5e-3 * naive.std_errors()[k], "{deviation} {k}: {fit:?} {naive:?}");
        }
    }
}

/// A part of a formula's set that the search for its extent misses is found where the data are.
#[test]
fn data_tell_where_a_level_set_lies() {
    let two = LevelSet::parse("min((x1-40)^2 + (x2-30)^2 - 0.04, x1^2 + x2^2 - 0.04)", 2).unwrap();
    let far = LevelSet::parse("(x1-40)^2 + (x2-30)^2 - 0.04", 2).unwrap();
    let model = Gaussian::with_variance(2, 0.04).unwrap();
    let rng = &mut simulate::stream(2, 0);
    let data = simulate::truncated(&model, &[40.05, 29.95], &far, 300, rng).unwrap().points;
    for estimator in [Estimator::tksd(), Estimator::truncated_mle()] {
        let fit = estimator.domain(Arc::new(two.clone())).boundary_points(64).fit(&data, &model).unwrap();
        for (value, (error, truth)) in fit.estimates().iter().zip(fit.std_errors().iter().zip([40.05, 29.95]))
        {
            assert!((value - truth).abs() < 4.0 * error && *error > 0.005, "{fit:?}");
        }
    }
}

/// Rows without weight, and rows outside that the boundary's weight excludes, may lie where a density does
/// not exist.
#[test]
fn rows_that_do_not_count_need_no_density() {
    let model = Autodiff::from_formula("a*log(x1) - b*x1", &["x1"], &[("a", 1.0), ("b", 1.0)]).unwrap();
    let mut values: Vec<f64> = (1..200).map(|i| 0.1 + 0.009 * f64::from(i * 37 % 199)).collect();
    let interval = Arc::new(Cuboid::interval(0.1, 1.9).unwrap());
    let clean = Points::new(values.clone(), 1).unwrap();
    values.push(-1.0);
    let weights: Vec<f64> = (0..200).map(|i| f64::from(u8::from(i < 199))).collect();
    let extra = Points::new(values.clone(), 1).unwrap();
    let weighted = extra.clone().with_weights(weights).unwrap();
    for estimator in [Estimator::tksd(), Estimator::truncsm(), Estimator::truncated_mle()] {
        let estimator =
            estimator.domain(interval.clone()).bandwidth(Bandwidth::Fixed(0.6)).allow_outside(true);
        let (a, b) = (estimator.fit(&clean, &model).unwrap(), estimator.fit(&weighted, &model).unwrap());
        crate::common::assert_close(&a.estimates(), &b.estimates(), 1e-6, "estimates");
    }
    // TruncSM gives points outside no weight by itself.
    let fit = Estimator::truncsm().domain(interval).allow_outside(true).fit(&extra, &model).unwrap();
    assert!(fit.converged);
}

/// A regression truncated by a formula is the one truncated by a limit.
#[test]
fn regressions_take_any_domain() {
    let rng = &mut simulate::stream(5, 0);
    let line = Gaussian::with_variance(2, 1.0).unwrap();
    let half = Cuboid::new(vec![0.3, f64::NEG_INFINITY], vec![f64::INFINITY, f64::INFINITY]).unwrap();
    let data = simulate::truncated(&line, &[0.5, 0.0], &half, 300, rng).unwrap().points;
    let level: Arc<dyn Domain> = Arc::new(LevelSet::parse("0.3 - x1", 2).unwrap());
    let model = Regression::new(1);
    let fit = |domain: Arc<dyn Domain>| Estimator::truncated_mle().domain(domain).fit(&data, &model).unwrap();
    let (a, b) = (fit(Arc::new(half)), fit(level));
    crate::common::assert_close(&a.estimates(), &b.estimates(), 1e-6, "estimates");
}

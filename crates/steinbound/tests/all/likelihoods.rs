//! Truncated maximum likelihood against answers known in another way.

use std::sync::Arc;

use crate::common::ball;
use steinbound::domain::{Ball, Complement, Cuboid, Domain, HalfSpace, Intersection, LevelSet};
use steinbound::model::{Autodiff, Gaussian, Model};
use steinbound::{Estimator, Fit, Points, simulate};

fn fit(data: &Points, model: &dyn Model, domain: Arc<dyn Domain>) -> Fit {
    let fit = Estimator::truncated_mle().domain(domain).fit(data, model).unwrap();
    assert!(fit.converged && fit.warnings.is_empty(), "{:?}", fit.warnings);
    fit
}

/// In a box the coordinates of an uncorrelated Gaussian are truncated independently, so that the estimate in
/// many dimensions is that of each coordinate alone. Beyond three dimensions the integral is a quasi-Monte
/// Carlo sum.
#[test]
fn a_box_factorises() {
    for (dimension, tolerance) in [(2, 1e-3), (3, 3e-3), (5, 0.05)] {
        let cuboid = Arc::new(Cuboid::uniform(-0.8, 1.1, dimension).unwrap());
        let model = Gaussian::with_variance(dimension, 1.0).unwrap();
        let rng = &mut simulate::stream(4, dimension as u64);
        let mean = vec![0.4; dimension];
        let data = simulate::truncated(&model, &mean, cuboid.as_ref(), 500, rng).unwrap().points;
        let joint = fit(&data, &model, cuboid);
        for l in 0..dimension {
            let column: Vec<f64> = data.rows().map(|x| x[l]).collect();
            let interval = Arc::new(Cuboid::interval(-0.8, 1.1).unwrap());
            let alone =
                fit(&Points::new(column, 1).unwrap(), &Gaussian::with_variance(1, 1.0).unwrap(), interval);
            let error = alone.std_errors()[0];
            let apart = (joint.estimates()[l] - alone.estimates()[0]).abs() / error;
            assert!(apart < tolerance, "{dimension} dimensions, coordinate {l}: {apart} standard errors");
            assert!((joint.std_errors()[l] / error - 1.0).abs() < 10.0 * tolerance);
        }
    }
}

/// Where nothing is cut off, the truncated estimate is the naive one.
#[test]
fn a_wide_domain_is_no_truncation() {
    let setting = ball(2, 300, 5);
    for model in [Gaussian::full(2), Gaussian::diagonal(2), Gaussian::with_variance(2, 0.5).unwrap()] {
        let wide = fit(&setting.data, &model, Arc::new(Ball::new(60.0).unwrap().in_dimension(2)));
        let naive = Estimator::mle().fit(&setting.data, &model).unwrap();
        crate::common::assert_close(&wide.estimates(), &naive.estimates(), 1e-7, "estimates");
    }
}

/// The same region said in other ways has the same likelihood.
#[test]
fn the_words_for_a_region_do_not_matter() {
    let disc: Arc<dyn Domain> = Arc::new(Ball::new(1.2).unwrap().in_dimension(2));
    let half: Arc<dyn Domain> = Arc::new(HalfSpace::new(vec![1.0, 0.5], 0.1).unwrap());
    let hole: Arc<dyn Domain> = Arc::new(Ball::new(0.4).unwrap().with_center(vec![0.7, 0.1]).unwrap());
    let together: Arc<dyn Domain> =
        Arc::new(Intersection::new(vec![disc, half, Arc::new(Complement::new(hole))]).unwrap());
    let formula = "max(x1^2 + x2^2 - 1.44, 0.1 - x1 - 0.5*x2, 0.16 - (x1 - 0.7)^2 - (x2 - 0.1)^2)";
    let level: Arc<dyn Domain> = Arc::new(LevelSet::parse(formula, 2).unwrap());
    let model = Gaussian::with_variance(2, 1.0).unwrap();
    let rng = &mut simulate::stream(7, 0);
    let data = simulate::truncated(&model, &[0.3, 0.6], together.as_ref(), 400, rng).unwrap().points;
    assert!(data.rows().all(|x| level.contains(x)));
    let (a, b) = (fit(&data, &model, together), fit(&data, &model, level));
    for k in 0..2 {
        assert!((a.estimates()[k] - b.estimates()[k]).abs() < 5e-3 * a.std_errors()[k], "{a:?} {b:?}");
        assert!((a.estimates()[k] - [0.3, 0.6][k]).abs() < 4.0 * a.std_errors()[k]);
    }
    assert!((a.log_likelihood.unwrap() - b.log_likelihood.unwrap()).abs() < 0.05);
}

/// Data outside a disc: the domain is unbounded, and every method that knows it recovers the mean.
#[test]
fn data_outside_a_disc() {
    let disc: Arc<dyn Domain> = Arc::new(Ball::new(1.0).unwrap().in_dimension(2));
    let outside: Arc<dyn Domain> = Arc::new(Complement::new(disc));
    let model = Gaussian::with_variance(2, 1.0).unwrap();
    let truth = [0.6, -0.3];
    let rng = &mut simulate::stream(3, 0);
    let data = simulate::truncated(&model, &truth, outside.as_ref(), 1500, rng).unwrap().points;
    for estimator in [Estimator::truncated_mle(), Estimator::tksd(), Estimator::truncsm(), Estimator::bdksd()]
    {
        let fit = estimator.domain(outside.clone()).fit(&data, &model).unwrap();
        for k in 0..2 {
            let apart = (fit.estimates()[k] - truth[k]).abs();
            assert!(apart < 4.0 * fit.std_errors()[k], "{:?} {fit:?}", fit.setup.method);
        }
    }
}

/// A normaliser in closed form: the exponential on the half-line is its reciprocal rate, so that the estimate
/// is one over the mean.
#[test]
fn an_exponential_tail_is_integrated_to_its_end() {
    let values: Vec<f64> = (0..400).map(|i| -((f64::from(i) + 0.5) / 400.0f64).ln() / 1.7).collect();
    let data = Points::new(values, 1).unwrap();
    let model = Autodiff::from_formula("-rate*x1", &["x1"], &[("rate", 1.0)]).unwrap();
    let half = Arc::new(Cuboid::interval(0.0, f64::INFINITY).unwrap());
    let found = fit(&data, &model, half);
    let exact = 1.0 / data.mean()[0];
    assert!((found.estimates()[0] - exact).abs() < 2e-3 * found.std_errors()[0], "{found:?} {exact}");
    assert!((found.std_errors()[0] / (exact / 20.0) - 1.0).abs() < 1e-3);
    let log_likelihood = 400.0 * (exact.ln() - 1.0);
    assert!((found.log_likelihood.unwrap() - log_likelihood).abs() < 1e-3);
}

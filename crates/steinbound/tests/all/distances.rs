//! The paper's other weights: powers, norms, and one weight for each coordinate.

use crate::common::ball;
use steinbound::domain::{BoundarySampling, Domain, Norm};
use steinbound::fit::DistanceKind;
use steinbound::{Estimator, simulate};

/// Whatever the weight, the estimate is near the truth: within four of its standard errors.
#[test]
fn every_weight_recovers_the_mean() {
    let setting = ball(2, 2500, 21);
    let rng = &mut simulate::stream(2, 1);
    let edge = setting.domain.sample_boundary(&BoundarySampling::new(600), rng).unwrap();
    let exact = |estimator: Estimator| estimator.domain(setting.domain.clone());
    let nearest = |estimator: Estimator| estimator.boundary(edge.clone()).distance(DistanceKind::Nearest);
    let mut estimators = Vec::new();
    for method in [Estimator::truncsm(), Estimator::bdksd()] {
        for power in [0.7, 1.0, 2.0] {
            estimators.push(exact(method.clone()).distance_power(power));
        }
        for norm in [Norm::One, Norm::Two, Norm::Infinity] {
            estimators.push(nearest(method.clone()).distance_norm(norm).distance_power(1.5));
        }
    }
    estimators.push(exact(Estimator::truncsm()).distance(DistanceKind::Axes));
    estimators.push(exact(Estimator::truncsm()).distance(DistanceKind::Axes).distance_power(2.0));
    let mut seen: Vec<Vec<f64>> = Vec::new();
    for estimator in estimators {
        let fit = estimator.fit(&setting.data, &setting.model).unwrap();
        for k in 0..2 {
            let apart = (fit.estimates()[k] - 0.5).abs();
            assert!(apart < 4.0 * fit.std_errors()[k], "{estimator:?} {fit:?}");
        }
        // No two weights are the same.
        assert!(!seen.contains(&fit.estimates()), "{estimator:?}");
        seen.push(fit.estimates());
    }
}

#[test]
fn bdksd_has_one_weight_for_all() {
    let setting = ball(2, 50, 2);
    let estimator = Estimator::bdksd().domain(setting.domain.clone()).distance(DistanceKind::Axes);
    let error = estimator.fit(&setting.data, &setting.model).unwrap_err();
    assert!(error.to_string().contains("one weight for all coordinates"), "{error}");
}

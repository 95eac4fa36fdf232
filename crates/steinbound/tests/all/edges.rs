//! Densities that go as a power of the distance from an edge of their support, on a region that reaches it.

use std::sync::Arc;

use steinbound::domain::Cuboid;
use steinbound::model::{Model, ModelChoices, family};
use steinbound::{Estimator, Fit, Method, Points, simulate};

fn built(name: &str, known: &[(&str, f64)]) -> Box<dyn Model> {
    let known = known.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
    family(name).unwrap().build(1, &ModelChoices { known, ..ModelChoices::default() }).unwrap()
}

/// The same samples as `steinbound simulate --seed` draws.
fn drawn(name: &str, truth: &[f64], region: &Cuboid, seed: u64) -> Points<'static> {
    let (model, rng) = (built(name, &[]), &mut simulate::stream(seed, simulate::tasks::DATA));
    let theta = model.fitted_from(truth).unwrap();
    simulate::truncated(model.as_ref(), &theta, region, 1000, rng).unwrap().points
}

fn warns(fit: &Fit) -> bool {
    let warns = fit.warnings.iter().any(|warning| warning.contains("next to that edge decide the equations"));
    assert!(!(warns && fit.converged));
    warns
}

/// How many of some fits warn of the edge, and in how many intervals of the first parameter hold the truth.
fn counted(name: &str, truth: &[f64], high: f64, estimator: &Estimator, seeds: &[u64]) -> (usize, usize) {
    let (region, model) = (Cuboid::interval(0.0, high).unwrap(), built(name, &[]));
    let estimator = estimator.clone().domain(Arc::new(region.clone()));
    let (mut warned, mut held) = (0, 0);
    for seed in seeds {
        let fit = estimator.fit(&drawn(name, truth, &region, *seed), model.as_ref()).unwrap();
        let first = &fit.parameters[0];
        warned += usize::from(warns(&fit));
        held += usize::from(first.lower <= Some(truth[0]) && Some(truth[0]) <= first.upper);
    }
    (warned, held)
}

/// Standard errors of some of these collapse to a thousandth, with estimates at 1.
#[test]
fn infinite_densities_are_not_trusted() {
    for method in [Method::EFFICIENT, Method::TKSD, Method::TRUNCSM] {
        for (name, truth, high) in
            [("gamma", &[0.6, 1.0], 2.5), ("weibull", &[0.7, 1.0], 1.5), ("beta", &[0.5, 0.5], 1.0)]
        {
            let seeds: &[u64] = match method == Method::TKSD {
                true => &[1, 2],
                false => &[1, 2, 39, 43, 53, 58, 59, 78],
            };
            let (warned, _) = counted(name, truth, high, &Estimator::new(method), seeds);
            assert_eq!(warned, seeds.len(), "{name} {method}");
        }
    }
    // A distance weight and the likelihood do not mind.
    for method in [Method::BDKSD, Method::TRUNCATED_MLE] {
        let (warned, held) = counted("gamma", &[0.6, 1.0], 2.5, &Estimator::new(method), &[1, 2, 3, 4, 5, 6]);
        assert!(warned == 0 && held >= 5, "{method} {warned} {held}");
    }
}

/// Score matching weighted by the distance has equations with `1 / x`, whose variance is infinite up to a shape of 2.
#[test]
fn score_matching_is_not_trusted_up_to_two() {
    let cases: [(&str, &[f64], f64); 4] = [
        ("gamma", &[1.15, 1.0], 2.5),
        ("gamma", &[1.5, 1.0], 2.5),
        ("weibull", &[1.2, 1.0], 1.5),
        ("beta", &[1.2, 2.0], 1.0),
    ];
    let seeds: Vec<u64> = (0..10).collect();
    for (name, truth, high) in cases {
        let (warned, _) = counted(name, truth, high, &Estimator::truncsm(), &seeds);
        assert_eq!(warned, 10, "{name} {truth:?}");
    }
    let seeds: Vec<u64> = (0..40).collect();
    let (warned, held) = counted("gamma", &[3.0, 1.0], 2.5, &Estimator::truncsm(), &seeds);
    assert!(warned <= 4 && held >= 34, "{warned} {held}");
    // The square of the distance leaves nothing of `1 / x`.
    let squared = Estimator::truncsm().distance_power(2.0);
    let (warned, held) = counted("gamma", &[1.5, 1.0], 2.5, &squared, &seeds);
    assert!(warned == 0 && held >= 34, "{warned} {held}");
}

#[test]
fn densities_that_vanish_at_the_edge_are_trusted() {
    let seeds: Vec<u64> = (0..40).collect();
    for shape in [1.5, 2.0, 3.0] {
        let (warned, held) = counted("gamma", &[shape, 1.0], 2.5, &Estimator::efficient(), &seeds);
        assert!(warned <= 2 && held >= 34, "{shape}: {warned} {held}");
    }
}

/// A shape that is known has no equation, and one that is 1 no pole.
#[test]
fn known_shapes_have_other_limits() {
    let region = Cuboid::interval(0.0, 2.5).unwrap();
    let by = |shape: f64, estimator: Estimator| {
        let data = drawn("gamma", &[shape, 1.0], &region, 1);
        let estimator = estimator.domain(Arc::new(region.clone()));
        warns(&estimator.fit(&data, built("gamma", &[("shape", shape)]).as_ref()).unwrap())
    };
    assert!(by(0.6, Estimator::efficient()) && !by(0.6, Estimator::truncsm()));
    assert!(!by(1.0, Estimator::efficient()) && !by(1.0, Estimator::truncsm()));
}

/// Without a region the data reach the edge, for a method that knows no boundary, too; a region may end before it.
#[test]
fn only_edges_that_are_reached_count() {
    let model = built("gamma", &[]);
    let region = Cuboid::interval(0.0, 50.0).unwrap();
    let data = drawn("gamma", &[1.3, 1.0], &region, 1);
    assert!(warns(&Estimator::ksd().fit(&data, model.as_ref()).unwrap()));
    assert!(warns(&Estimator::truncsm().fit(&data, model.as_ref()).unwrap()));
    assert!(!warns(&Estimator::mle().fit(&data, model.as_ref()).unwrap()));
    let above = Cuboid::interval(0.2, 2.5).unwrap();
    let data = drawn("gamma", &[0.6, 1.0], &above, 1);
    for method in [Method::EFFICIENT, Method::TRUNCSM] {
        let fit = Estimator::new(method).domain(Arc::new(above.clone())).fit(&data, model.as_ref()).unwrap();
        assert!(!warns(&fit) && fit.converged, "{:?}", fit.warnings);
    }
}

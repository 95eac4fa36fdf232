//! Statistical claims, with fixed seeds and standard errors.

use crate::common::{ball, distance, mean_and_error};
use rayon::prelude::*;
use steinbound::fit::DistanceKind;
use steinbound::{Estimator, Method};

/// Mean errors over 64 seeds of the paper's public code on the l2 ball, n = 300, with their standard errors.
const PUBLISHED: [(usize, [(f64, f64); 5]); 3] = [
    (2, [(0.119, 0.008), (0.144, 0.011), (0.129, 0.009), (0.137, 0.010), (0.120, 0.008)]),
    (4, [(0.161, 0.007), (0.347, 0.008), (0.171, 0.007), (0.312, 0.009), (0.159, 0.007)]),
    (6, [(0.201, 0.006), (0.443, 0.006), (0.210, 0.007), (0.412, 0.007), (0.199, 0.006)]),
];

#[test]
fn mean_errors_on_the_ball_are_those_of_the_public_code() {
    let methods = [
        (Method::TRUNCSM, DistanceKind::Exact),
        (Method::TRUNCSM, DistanceKind::Nearest),
        (Method::BDKSD, DistanceKind::Exact),
        (Method::BDKSD, DistanceKind::Nearest),
        (Method::TKSD, DistanceKind::Exact),
    ];
    for (dimension, published) in PUBLISHED {
        let errors: Vec<[f64; 5]> = (0..64u64)
            .into_par_iter()
            .map(|seed| {
                let setting = ball(dimension, 300, 1000 + seed);
                methods.map(|(method, kind)| {
                    let estimator = Estimator::new(method)
                        .boundary(setting.boundary.clone())
                        .domain(setting.domain.clone())
                        .distance(kind);
                    let fit = estimator.fit(&setting.data, &setting.model).unwrap();
                    distance(&fit.estimates(), &setting.truth)
                })
            })
            .collect();
        for (k, (expected, expected_error)) in published.into_iter().enumerate() {
            let values: Vec<f64> = errors.iter().map(|row| row[k]).collect();
            let (mean, error) = mean_and_error(&values);
            println!("d = {dimension} {:?}: {mean:.4} +- {error:.4}, published {expected}", methods[k]);
            let combined = error.hypot(expected_error);
            assert!((mean - expected).abs() < 3.0 * combined, "d = {dimension}, {:?}", methods[k]);
        }
    }
}

/// Ignoring the truncation is wrong, and more data do not help; TKSD is not.
#[test]
fn naive_likelihood_is_biased_and_tksd_is_not() {
    let setting = ball(2, 1500, 77);
    let naive = Estimator::mle().fit(&setting.data, &setting.model).unwrap();
    let tksd =
        Estimator::tksd().boundary(setting.boundary.clone()).fit(&setting.data, &setting.model).unwrap();
    assert!(distance(&naive.estimates(), &setting.truth) > 0.25);
    assert!(distance(&tksd.estimates(), &setting.truth) < 0.15);
}

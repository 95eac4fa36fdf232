//! Methods and models compared by one discrepancy.

use crate::common::ball;
use std::sync::Arc;
use steinbound::domain::Cuboid;
use steinbound::inference::{Comparison, Contender};
use steinbound::model::{Gaussian, GaussianMixture, Model};
use steinbound::{Estimator, Method, simulate};

#[test]
fn every_density_is_measured_with_the_same_discrepancy() {
    let setting = ball(2, 250, 1);
    let base = Estimator::tksd().boundary(setting.boundary.clone()).domain(setting.domain.clone());
    let contenders: Vec<Contender> = Method::ALL
        .into_iter()
        // Other settings of a contender must not change the measure.
        .map(|method| Contender::new(base.clone().method(method).ridge(0.02), &setting.model))
        .collect();
    let reference = base.check(&setting.data, &setting.model).unwrap();
    let found = Comparison::run(&reference, &contenders, &setting.data, None);
    for row in &found.fits {
        let fit = row.fit.as_ref().unwrap();
        let expected = reference.discrepancy(&fit.estimates()).unwrap();
        assert!((row.discrepancy_squared.unwrap() / expected.squared - 1.0).abs() < 1e-12);
    }
    let least = base.fit(&setting.data, &setting.model).unwrap().discrepancy.unwrap();
    assert!(found.fits.iter().all(|row| row.discrepancy.unwrap() >= least * (1.0 - 1e-9)));
    assert_eq!(
        (found.reference.method, found.reference.m, found.reference.ridge),
        (Method::TKSD, 32, Some(1e-3))
    );
}

#[test]
fn more_components_come_closer_and_failures_have_a_reason() {
    let box_ = Arc::new(Cuboid::new(vec![-3.0; 2], vec![3.0; 2]).unwrap());
    let two = GaussianMixture::new(2, 2).unwrap().with_variances(&[1.0; 2]).unwrap();
    let truth = [-1.5, -1.5, 1.5, 1.5];
    let data = simulate::truncated(&two, &truth, box_.as_ref(), 300, &mut simulate::stream(3, 0)).unwrap();
    let one = Gaussian::with_variance(2, 1.0).unwrap();
    let wrong = Gaussian::with_variance(3, 1.0).unwrap();
    let base = Estimator::tksd().domain(box_).boundary_points(100);
    let models: [&dyn Model; 3] = [&one, &two, &wrong];
    let contenders = models.map(|model| Contender::new(base.clone(), model));
    let reference = base.check(&data.points, &one).unwrap();
    let found = Comparison::run(&reference, &contenders, &data.points, None);
    assert!(found.fits[1].discrepancy.unwrap() < 0.3 * found.fits[0].discrepancy.unwrap());
    assert_eq!(found.fits.iter().map(|row| row.parameter_count).collect::<Vec<_>>(), [2, 4, 3]);
    assert!(found.fits[2].fit.is_none() && found.fits[2].reason.as_ref().unwrap().contains("3 coordinates"));
}

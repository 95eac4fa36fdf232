//! The sensitivity report against fits made one by one.

use crate::common::ball;
use steinbound::kernel::{self, Bandwidth};
use steinbound::model::Gaussian;
use steinbound::stein::Statistic;
use steinbound::{Error, Estimator, FitError, Points};

#[test]
fn every_row_is_the_fit_it_says() {
    let setting = ball(2, 200, 1);
    let estimator = Estimator::tksd().boundary(setting.boundary.clone());
    let found = estimator.sensitivity(&setting.data, &setting.model).unwrap();
    let base = estimator.fit(&setting.data, &setting.model).unwrap();
    let half: Vec<&[f64]> = setting.boundary.rows().step_by(2).collect();
    let mut largest = 0.0f64;
    for row in &found.rows {
        let variant = &row.variant;
        let mut other = estimator
            .clone()
            .kernel(kernel::by_name(&variant.kernel).unwrap())
            .bandwidth(Bandwidth::Fixed(variant.bandwidth));
        if variant.boundary_points == 16 {
            other = other.boundary(Points::from_rows(&half).unwrap());
        }
        let fit = other.fit(&setting.data, &setting.model).unwrap();
        assert_eq!((&variant.estimates, &variant.std_errors), (&fit.estimates(), &fit.std_errors()));
        let moved = (0..2).map(|k| (fit.estimates()[k] - base.estimates()[k]).abs() / base.std_errors()[k]);
        let most = moved.fold(0.0, f64::max);
        assert!((row.difference.unwrap() - most).abs() < 1e-12);
        largest = largest.max(most);
    }
    assert_eq!(found.largest, largest);
    assert!(found.summary.contains(&format!("{largest:.2} standard errors")), "{}", found.summary);
    assert!(found.rows[0].agrees && found.rows.iter().filter(|row| row.agrees).count() > 4);
    let differ = found.rows.iter().filter(|row| !row.agrees).count();
    assert_eq!(
        found.summary.contains(&format!("{differ} of 16 fits differ")),
        differ > 0,
        "{}",
        found.summary
    );
    let halves = found.rows.iter().filter(|row| row.variant.boundary_points == 16).count();
    let bases = found.rows.iter().filter(|row| row.difference == Some(0.0)).count();
    assert_eq!((found.rows.len(), halves, bases), (17, 1, 1));
}

#[test]
fn a_sparse_boundary_shows() {
    // Six points on the circle do not stand for it: with three of them the estimate is another.
    let setting = ball(2, 400, 2);
    let circle: Vec<[f64; 2]> =
        (0..6).map(|k| f64::from(k) * 1.047).map(|a| [1.44 * a.cos(), 1.44 * a.sin()]).collect();
    let sparse = Estimator::tksd().boundary(Points::from_rows(&circle).unwrap());
    let dense = Estimator::tksd().boundary(setting.boundary);
    let [sparse, dense] = [sparse, dense]
        .map(|e| e.sensitivity(&setting.data, &setting.model).unwrap().rows[16].difference.unwrap());
    assert!(sparse > 1.0 && dense < 1.0, "{sparse} {dense}");
}

#[test]
fn other_methods_vary_what_they_have() {
    let setting = ball(2, 150, 3);
    let bdksd = Estimator::bdksd().domain(setting.domain.clone());
    assert_eq!(bdksd.sensitivity(&setting.data, &setting.model).unwrap().rows.len(), 16);
    let refusal = Estimator::mle().sensitivity(&setting.data, &setting.model).unwrap_err();
    assert!(matches!(refusal, Error::Fit(FitError::NoKernel { method: "mle", .. })));
    let few = Points::from_rows(&(0..8).map(|i| [f64::from(i).sin()]).collect::<Vec<_>>()).unwrap();
    let doubtful = Estimator::ksd().bandwidth(Bandwidth::Fixed(2.4)).statistic(Statistic::U);
    let verdict = doubtful.sensitivity(&few, &Gaussian::full(1));
    assert_eq!(verdict.unwrap_err(), Error::Fit(FitError::NoBase));
}

/// Both ends of an interval are all of its boundary: half of them would be another problem.
#[test]
fn an_interval_keeps_its_ends() {
    let interval = std::sync::Arc::new(steinbound::domain::Cuboid::interval(-2.0, 2.0).unwrap());
    let model = steinbound::model::Gaussian::with_variance(1, 1.0).unwrap();
    let rng = &mut steinbound::simulate::stream(1, 0);
    let data = steinbound::simulate::truncated(&model, &[2.0], interval.as_ref(), 300, rng).unwrap().points;
    let found = Estimator::tksd().domain(interval).sensitivity(&data, &model).unwrap();
    assert!(
        found.rows.iter().all(|row| row.variant.boundary_points == 2) && found.largest < 2.0,
        "{found:?}"
    );
}

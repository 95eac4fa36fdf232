//! The method efficient: what it chooses, what it reports, and what it refuses.

use std::sync::Arc;

use crate::common::{ball, edge, modes, two_modes};
use steinbound::domain::{Annulus, Ball, BoundarySampling, Complement, Cuboid, Domain, Intersection};
use steinbound::inference::Bootstrap;
use steinbound::kernel::Bandwidth;
use steinbound::method::NormalSource;
use steinbound::model::{Autodiff, Gaussian, GaussianMixture, Model};
use steinbound::{Error, Estimator, Fit, FitError, Matrix, Points, simulate};

/// Five different places, many times each: seven test functions with the two ends.
#[test]
fn more_parameters_than_test_functions_are_refused() {
    let places = [-0.7, -0.2, 0.1, 0.5, 0.8];
    let rows: Vec<[f64; 1]> = (0..60).map(|i| [places[i % 5]]).collect();
    let data = Points::from_rows(&rows).unwrap();
    let terms: Vec<String> = (1..=8).map(|k| format!("a{k}*x1^{k}")).collect();
    let start: Vec<(String, f64)> = (1..=8).map(|k| (format!("a{k}"), 0.1)).collect();
    let model = Autodiff::from_formula(&terms.join(" + "), &["x1"], &start).unwrap();
    let region = Arc::new(Cuboid::interval(-1.0, 1.0).unwrap());
    let error = Estimator::efficient().domain(region).fit(&data, &model).unwrap_err();
    let Error::Fit(FitError::MoreParametersThanFeatures { parameters: 8, features }) = error else {
        panic!("{error}");
    };
    assert!(features <= 7 && error.to_string().contains("fewer parameters"), "{error}");
}

/// On a line in the plane no covariance is determined.
#[test]
fn parameters_that_the_data_do_not_determine_are_refused() {
    let rows: Vec<[f64; 2]> = (0..50).map(|i| f64::from(i) / 60.0 - 0.4).map(|x| [x, 0.5 * x]).collect();
    let data = Points::from_rows(&rows).unwrap();
    let region = Arc::new(Ball::new(1.0).unwrap().in_dimension(2));
    match Estimator::efficient().domain(region).fit(&data, &Gaussian::full(2)) {
        Err(Error::Fit(FitError::NotIdentified { .. })) => {}
        Err(error) => panic!("{error}"),
        Ok(fit) => assert!(!fit.is_trustworthy() && !fit.warnings.is_empty(), "{:?}", fit.parameters),
    }
}

fn source(fit: &Fit) -> NormalSource {
    fit.setup.boundary.as_ref().unwrap().normals
}

#[test]
fn the_result_names_the_source_of_normals() {
    let setting = ball(2, 300, 1);
    let given = edge_of(setting.domain.as_ref(), 200);
    let normals: Vec<&[f64]> = given.rows().collect();
    let normals = Points::from_rows(&normals).unwrap();
    let fit = |estimator: Estimator| estimator.fit(&setting.data, &setting.model).unwrap();
    let by_region = fit(Estimator::efficient().domain(setting.domain.clone()));
    let by_neighbours = fit(Estimator::efficient().boundary(given.clone()));
    let by_user = fit(Estimator::efficient().boundary(given).boundary_normals(normals));
    assert_eq!(source(&by_region), NormalSource::Region);
    assert_eq!(source(&by_neighbours), NormalSource::Neighbours);
    assert_eq!(source(&by_user), NormalSource::Given);
    // The three ways to the same normals hardly differ, in standard errors.
    for other in [by_neighbours, by_user] {
        for (a, b) in by_region.parameters.iter().zip(&other.parameters) {
            let gap = (a.estimate.unwrap() - b.estimate.unwrap()).abs() / a.std_error.unwrap();
            assert!(gap < 0.15, "{gap}");
        }
    }
}

/// Points far apart are left to tksd, in replicates too, and the result says so.
#[test]
fn sparse_boundary_points_are_left_to_tksd() {
    let setting = ball(2, 300, 1);
    let few = edge_of(setting.domain.as_ref(), 32);
    let fit = |estimator: Estimator| {
        let problem = estimator.boundary(few.clone()).check(&setting.data, &setting.model).unwrap();
        problem.bootstrap(problem.fit().unwrap(), &Bootstrap::new(40)).unwrap()
    };
    let (efficient, tksd) = (fit(Estimator::efficient()), fit(Estimator::tksd()));
    assert_eq!(efficient.estimates(), tksd.estimates());
    assert_eq!(efficient.std_errors(), tksd.std_errors());
    assert!(efficient.setup.boundary.is_none() && efficient.setup.ridge == tksd.setup.ridge);
    let said = |w: &steinbound::Warning| {
        w.contains("a fifth of a bandwidth apart") && w.contains("estimate by tksd")
    };
    assert!(efficient.warnings.iter().any(said), "{:?}", efficient.warnings);
}

/// Clusters of points are as sparse as one point of each, whether repeated exactly or nearly.
#[test]
fn clusters_of_boundary_points_are_sparse() {
    let setting = ball(2, 300, 1);
    let place = |i: usize| {
        let angle = std::f64::consts::TAU * (i % 8) as f64 / 8.0;
        let radius = 2f64.powf(0.53) + 1e-4 * (i as f64).sin();
        [radius * angle.cos(), radius * angle.sin()]
    };
    let clusters = Points::from_rows(&(0..160).map(place).collect::<Vec<_>>()).unwrap();
    let fit = Estimator::efficient().boundary(clusters).fit(&setting.data, &setting.model).unwrap();
    assert!(fit.warnings.iter().any(|w| w.contains("estimate by tksd")), "{:?}", fit.warnings);
}

/// A bias that was measured is not printed as sound: thirty points on a sphere, and many observations.
#[test]
fn a_measured_bias_is_not_trusted() {
    let region = Ball::new(2.0).unwrap().in_dimension(3);
    let model = Gaussian::full(3);
    let theta = model.fitted_from(&[1.0, 0.5, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0]).unwrap();
    let rng = &mut simulate::stream(5, 0);
    let data = simulate::truncated(&model, &theta, &region, 5_000, rng).unwrap().points;
    let problem = Estimator::efficient().boundary(edge_of(&region, 30));
    let (fit, found) = problem.check(&data, &model).unwrap().fit_diagnosed().unwrap();
    let moved = found.boundary_moves.unwrap().standard_errors;
    assert!(moved > 0.3 && !fit.is_trustworthy(), "{moved} {:?}", fit.warnings);
    let start = format!("{moved:.2} standard errors");
    assert!(fit.warnings.iter().any(|w| w.starts_with(&start)), "{:?}", fit.warnings);
}

/// One bandwidth cannot serve metres and kilometres.
#[test]
fn incomparable_units_are_not_trusted() {
    let setting = ball(2, 300, 1);
    let fit = |factor: f64| {
        let rows: Vec<[f64; 2]> = setting.data.rows().map(|x| [x[0], factor * x[1]]).collect();
        let half = 1.5 * factor;
        let region = Cuboid::new(vec![-1.5, -half], vec![1.5, half]).unwrap();
        let estimator = Estimator::efficient().domain(Arc::new(region));
        estimator.fit(&Points::from_rows(&rows).unwrap(), &Gaussian::full(2)).unwrap()
    };
    assert!(fit(1.0).is_trustworthy());
    let far = fit(1000.0);
    assert!(!far.is_trustworthy() && far.warnings.iter().any(|w| w.contains("do not use the estimate")));
}

/// The length of a normal does not matter, however large or small.
#[test]
fn lengths_of_normals_do_not_matter() {
    let setting = ball(2, 300, 1);
    let edge = edge_of(setting.domain.as_ref(), 200);
    let fit = |length: f64| {
        let normals: Vec<[f64; 2]> = edge.rows().map(|x| [length * x[0], length * x[1]]).collect();
        let normals = Points::from_rows(&normals).unwrap();
        let estimator = Estimator::efficient().boundary(edge.clone()).boundary_normals(normals);
        estimator.fit(&setting.data, &setting.model).unwrap().estimates()
    };
    for length in [1e-300, 1e300] {
        crate::common::assert_close(&fit(length), &fit(1.0), 1e-9, "estimates");
    }
}

/// A mixture of one component is the Gaussian.
#[test]
fn one_component_is_found() {
    let setting = ball(2, 400, 6);
    let mixture = GaussianMixture::new(2, 1).unwrap().full();
    let estimator = Estimator::efficient().domain(setting.domain.clone()).bandwidth(Bandwidth::Fixed(0.8));
    let found = estimator.fit(&setting.data, &mixture).unwrap();
    let single = estimator.fit(&setting.data, &Gaussian::full(2)).unwrap();
    assert!(found.converged, "{:?}", found.warnings);
    crate::common::assert_close(&found.estimates(), &single.estimates(), 1e-3, "estimates");
}

fn edge_of(domain: &dyn Domain, count: usize) -> Points<'static> {
    domain.sample_boundary(&BoundarySampling::new(count), &mut simulate::stream(0, 1)).unwrap()
}

/// In four coordinates and without normals the estimate is that of tksd, and the result says so.
#[test]
fn without_normals_many_coordinates_are_left_to_tksd() {
    let setting = ball(4, 300, 1);
    let few = edge_of(setting.domain.as_ref(), 40);
    let fit =
        |estimator: Estimator| estimator.boundary(few.clone()).fit(&setting.data, &setting.model).unwrap();
    let (efficient, tksd) = (fit(Estimator::efficient()), fit(Estimator::tksd()));
    assert_eq!(efficient.estimates(), tksd.estimates());
    assert!(
        efficient.warnings.iter().any(|w| w.contains("this is the estimate by tksd")),
        "{:?}",
        efficient.warnings
    );
}

fn ring() -> Arc<dyn Domain> {
    let hole: Arc<dyn Domain> = Arc::new(Complement::new(Arc::new(Ball::new(1.0).unwrap().in_dimension(2))));
    let outer: Arc<dyn Domain> = Arc::new(Ball::new(3.0).unwrap().in_dimension(2));
    Arc::new(Intersection::new(vec![outer, hole]).unwrap())
}

/// Where the region is narrow beside the median distance, a smaller bandwidth is taken; a given one that is too
/// wide is used, and the warning begins with the move that was measured.
#[test]
fn a_bandwidth_too_wide_for_the_region_is_halved_or_reported() {
    let model = Gaussian::full(2);
    let theta = [0.5, 0.0, 1.0, 0.0, 1.0];
    let data = simulate::truncated(&model, &theta, ring().as_ref(), 5_000, &mut simulate::stream(3, 0));
    let data = data.unwrap().points;
    let wide = Estimator::efficient().domain(ring()).bandwidth(Bandwidth::From(2.4));
    let found = wide.fit(&data, &model).unwrap();
    let used = found.setup.boundary.as_ref().unwrap();
    assert!(found.is_trustworthy() && used.halvings >= 1, "{used:?} {:?}", found.warnings);
    assert!(used.tighter.as_ref().unwrap().standard_errors <= 0.3);
    let fixed = Estimator::efficient().domain(ring()).bandwidth(Bandwidth::Fixed(4.0));
    let fixed = fixed.fit(&data, &model).unwrap();
    assert!(!fixed.converged);
    let moved = fixed.setup.boundary.as_ref().unwrap().tighter.as_ref().unwrap().standard_errors;
    let start = format!("{moved:.2} standard errors");
    assert!(
        moved > 0.3 && fixed.warnings.iter().any(|w| w.starts_with(&start)),
        "{moved} {:?}",
        fixed.warnings
    );
}

/// A search from a given start ends at the same solution as one without.
#[test]
fn starts_do_not_matter() {
    let data = modes(600, 4);
    let own = Estimator::efficient().boundary(edge()).fit(&data, &two_modes()).unwrap();
    let started = Estimator::efficient().boundary(edge()).start(vec![-1.0, -1.0, 1.0, 1.0]);
    let started = started.fit(&data, &two_modes()).unwrap();
    assert!(own.converged && started.converged);
    crate::common::assert_close(&own.estimates(), &started.estimates(), 1e-6, "estimates");
}

/// Observation weights of zero leave an observation out, and a cluster for each observation changes nothing.
#[test]
fn weights_and_clusters_mean_what_they_say() {
    let setting = ball(2, 300, 2);
    let estimator = Estimator::efficient()
        .boundary(edge_of(setting.domain.as_ref(), 200))
        .bandwidth(Bandwidth::Fixed(1.0))
        .tolerance(1e-9);
    let fit = |data: &Points| estimator.fit(data, &setting.model).unwrap();
    let whole = fit(&setting.data);
    let own: Vec<usize> = (0..300).collect();
    let clustered = fit(&setting.data.clone().with_clusters(&own).unwrap());
    assert_eq!(whole.std_errors(), clustered.std_errors());
    let part: Vec<&[f64]> = setting.data.rows().take(200).collect();
    let part = fit(&Points::from_rows(&part).unwrap());
    let weights = (0..300).map(|i| f64::from(u8::from(i < 200))).collect();
    let weighted = fit(&setting.data.clone().with_weights(weights).unwrap());
    crate::common::assert_close(&part.estimates(), &weighted.estimates(), 1e-5, "estimates");
    crate::common::assert_close(&part.std_errors(), &weighted.std_errors(), 1e-3, "standard errors");
    let covariance: &Matrix = weighted.covariance.as_ref().unwrap();
    assert!(covariance[(0, 0)] > 0.0);
}

/// In a thin ring a field across it needs little flux to look like the derivative of the likelihood, and boundary
/// points close to each other must stand on both sides of it. Estimates were off by 10 to 75 standard errors.
#[test]
fn thin_rings_are_fitted_or_reported() {
    let model = Gaussian::with_variance(2, 1.0).unwrap();
    for width in [0.2, 0.04, 0.01] {
        let ring = Annulus::new(1.0 - 0.5 * width, 1.0 + 0.5 * width).unwrap();
        let ring = Arc::new(ring.in_dimension(2));
        let (mut inside, mut sound) = (0u32, 0u32);
        for seed in 0..16 {
            let rng = &mut simulate::stream(seed, 0);
            let data = simulate::truncated(&model, &[0.5, 0.5], ring.as_ref(), 400, rng).unwrap().points;
            let fit = Estimator::efficient().domain(ring.clone()).fit(&data, &model).unwrap();
            if !fit.is_trustworthy() {
                continue;
            }
            for parameter in &fit.parameters {
                let distance = (parameter.estimate.unwrap() - 0.5) / parameter.std_error.unwrap();
                assert!(distance.abs() < 4.5, "{width} {seed}: {distance}");
                inside += u32::from(distance.abs() < 1.96);
                sound += 1;
            }
        }
        // 95 % but for three standard deviations of 32 intervals.
        assert!(sound >= 20 && f64::from(inside) >= 0.83 * f64::from(sound), "{width}: {inside} of {sound}");
    }
}

/// No boundary point is within reach of the kernel: the estimate is that without truncation.
#[test]
fn a_boundary_out_of_reach_changes_nothing() {
    let disc = Arc::new(Ball::new(60.0).unwrap().in_dimension(2));
    let model = Gaussian::with_variance(2, 1.0).unwrap();
    let rng = &mut simulate::stream(3, 0);
    let data = simulate::truncated(&model, &[0.2, -0.1], disc.as_ref(), 300, rng).unwrap().points;
    let fit = Estimator::efficient().domain(disc).fit(&data, &model).unwrap();
    assert!(fit.is_trustworthy() && fit.warnings.len() == 1, "{fit}");
    assert!(fit.warnings[0].contains("so far from the data that it has no effect"), "{fit}");
    for (estimate, mean) in fit.estimates().iter().zip(data.mean()) {
        assert!((estimate - mean).abs() < 0.03, "{fit}");
    }
}

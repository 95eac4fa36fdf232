//! Normals stay with the boundary points that they belong to, whatever becomes of these.

use crate::common::ball;
use steinbound::{Estimator, FitError, Points};

#[test]
fn boundaries_that_are_thinned_or_refined_keep_their_normals() {
    let case = ball(2, 200, 1);
    // On a circle about the origin, places are their own normals.
    let plain = Estimator::tksd().domain(case.domain.clone()).boundary(case.boundary.clone());
    let with = plain.clone().boundary_normals(case.boundary.clone());
    let (problem, expected) =
        (with.check(&case.data, &case.model).unwrap(), plain.check(&case.data, &case.model).unwrap());
    let (fit, plain_fit) = (problem.fit().unwrap(), expected.fit().unwrap());
    assert_eq!(fit.estimates(), plain_fit.estimates());
    // Diagnostics move the boundary points closer together, a look at the sensitivity takes some away.
    let found = problem.diagnose(&fit).unwrap();
    assert_eq!(found.checks, expected.diagnose(&plain_fit).unwrap().checks);
    assert!(found.checks.iter().any(|check| check.name.contains("boundary")), "{:?}", found.checks);
    let rows = |estimator: &Estimator| estimator.sensitivity(&case.data, &case.model).unwrap().rows;
    assert_eq!(rows(&with), rows(&plain));
}

#[test]
fn normals_belong_to_given_boundary_points() {
    let case = ball(2, 50, 1);
    let refused = |estimator: Estimator, normals: &[[f64; 2]]| {
        let normals = Points::from_rows(normals).unwrap();
        let problem = estimator.boundary_normals(normals).check(&case.data, &case.model);
        problem.err().unwrap().to_string()
    };
    let count = |normals, boundary| FitError::NormalCount { normals, boundary }.to_string();
    let given = Estimator::tksd().boundary(case.boundary.clone());
    assert_eq!(refused(given, &[[1.0, 0.0]; 3]), count(3, 32));
    assert_eq!(refused(Estimator::tksd().domain(case.domain.clone()), &[[1.0, 0.0]; 32]), count(32, 0));
}

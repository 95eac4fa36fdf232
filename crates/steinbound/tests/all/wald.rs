//! Wald tests and functions of estimates, against identities, published values and simulation.

use crate::common::{assert_close, ball};
use rayon::prelude::*;
use steinbound::inference::{LinearHypothesis, WaldTest};
use steinbound::model::Gaussian;
use steinbound::{Error, Estimator, Fit, HypothesisError, Matrix};

/// Mean and covariance of a sample in the disc: five parameters.
fn full_fit() -> Fit {
    let setting = ball(2, 400, 3);
    Estimator::tksd().boundary(setting.boundary).fit(&setting.data, &Gaussian::full(2)).unwrap()
}

fn names(fit: &Fit) -> Vec<String> {
    fit.parameters.iter().map(|p| p.name.clone()).collect()
}

fn test(fit: &Fit, text: &str) -> Result<WaldTest, Error> {
    fit.test_hypothesis(&LinearHypothesis::parse(text, &names(fit))?)
}

#[test]
fn one_parameter_is_tested_by_the_square_of_its_z() {
    let fit = full_fit();
    for p in &fit.parameters {
        let found = test(&fit, &p.name).unwrap();
        assert_close(&[found.statistic], &[p.z().unwrap().powi(2)], 1e-10, &p.name);
        assert!((found.p_value - p.p_value().unwrap()).abs() < 1e-9, "{found:?}");
        assert_eq!((found.degrees_of_freedom, found.hypothesis), (1, vec![format!("{} = 0", p.name)]));
        let at_its_end = test(&fit, &format!("{} = {:?}", p.name, p.upper.unwrap())).unwrap();
        assert!((at_its_end.p_value - 0.05).abs() < 1e-9);
    }
}

#[test]
fn recombined_restrictions_say_the_same() {
    let fit = full_fit();
    let restrictions = Matrix::from_fn(3, 5, |i, k| {
        [[1.0, -1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, -1.0], [0.0, 0.0, 0.0, 1.0, 0.0]][i][k]
    });
    let values = [0.1, -0.2, 0.05];
    let mix = Matrix::from_fn(3, 3, |i, j| [[2.0, 1.0, 0.0], [-30.0, 1.0, 0.5], [0.25, 0.0, 1e3]][i][j]);
    let plain = fit.wald_test(&restrictions, &values).unwrap();
    let mixed = fit.wald_test(&mix.times(&restrictions), &mix.times_vector(&values)).unwrap();
    assert_close(&[mixed.statistic, mixed.p_value], &[plain.statistic, plain.p_value], 1e-8, "recombined");
    // The same as text, with terms on both sides.
    let text = "mean[x1] = mean[x2] + 0.1, cov[x1,x1] + 0.2 = cov[x2,x2], 2*cov[x1,x2] = 0.1";
    assert_close(&[test(&fit, text).unwrap().statistic], &[plain.statistic], 1e-8, "text");
}

/// Under the hypothesis p-values are uniform: the share below a twentieth is a twentieth.
#[test]
fn a_true_hypothesis_is_rejected_as_often_as_it_should_be() {
    let p_value = |seed: u64| {
        let setting = ball(2, 400, 1000 + seed);
        let fit = Estimator::truncsm().domain(setting.domain).fit(&setting.data, &setting.model).unwrap();
        test(&fit, "mean[x1] = 0.5, mean[x1] + mean[x2] = 1").unwrap().p_value
    };
    let count = 1000;
    let low = (0..count).into_par_iter().map(p_value).filter(|p| *p < 0.05).count();
    let error = (0.05 * 0.95 * count as f64).sqrt();
    assert!((low as f64 - 0.05 * count as f64).abs() < 4.0 * error, "{low} of {count}");
}

#[test]
fn what_cannot_be_tested_is_refused() {
    let fit = full_fit();
    let refused = |text: &str, part: &str| {
        let message = test(&fit, text).unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    };
    refused(
        "mean[x1] = 0, 2*mean[x1] = 0",
        "restriction 2 of the hypothesis, 2*mean[x1] = 0, already follows",
    );
    refused("mean[x1] = 0, 2*mean[x1] = 1", "restriction 2 of the hypothesis, 2*mean[x1] = 1, contradicts");
    refused("mean[x3] = 0", "did you mean");
    let row = |columns: usize| Matrix::from_fn(1, columns, |_, _| 1.0);
    let wrong = fit.wald_test(&row(3), &[0.0]).unwrap_err().to_string();
    assert!(wrong.contains("3 columns") && wrong.contains("mean[x1], mean[x2], cov[x1,x1]"), "{wrong}");
    let found = fit.wald_test(&row(5), &[0.0, 1.0]).unwrap_err();
    assert_eq!(found, HypothesisError::WrongValues { found: 2, expected: 1 }.into());
    let found = fit.wald_test(&Matrix::zeros(0, 5), &[]).unwrap_err();
    assert_eq!(found, HypothesisError::NoRestriction.into());
    assert!(fit.wald_test(&Matrix::zeros(1, 5), &[0.0]).unwrap_err().to_string().contains("0 = 0"));
    let mut bare = fit.clone();
    bare.covariance = None;
    assert_eq!(test(&bare, "mean[x1]").unwrap_err(), HypothesisError::NoCovariance.into());
    assert_eq!(bare.derived("x", |v| v[0]).unwrap_err(), HypothesisError::NoCovariance.into());
    let mut certain = fit.clone();
    certain.covariance = Some(Matrix::zeros(5, 5));
    assert_eq!(test(&certain, "mean[x1]").unwrap_err(), HypothesisError::NoVariance.into());
    let undefined = fit.derived("root", |v| (-v[2]).sqrt()).unwrap_err();
    assert!(undefined.to_string().contains("root is not a finite number"), "{undefined}");
}

/// Differences find what exact derivatives give.
#[test]
fn derived_quantities_follow_the_exact_jacobian() {
    let fit = full_fit();
    let exact = fit.clone().mapped(|v| {
        let root = (v[2] * v[4]).sqrt();
        let values = vec![v[3] / root, v[0] / v[1], v[2].ln(), v[0].hypot(v[1]), (v[0] * v[3]).sin()];
        let mut jacobian = Matrix::zeros(5, 5);
        jacobian[(0, 2)] = -0.5 * v[3] / root / v[2];
        jacobian[(0, 3)] = 1.0 / root;
        jacobian[(0, 4)] = -0.5 * v[3] / root / v[4];
        jacobian[(1, 0)] = 1.0 / v[1];
        jacobian[(1, 1)] = -v[0] / (v[1] * v[1]);
        jacobian[(2, 2)] = 1.0 / v[2];
        jacobian[(3, 0)] = v[0] / v[0].hypot(v[1]);
        jacobian[(3, 1)] = v[1] / v[0].hypot(v[1]);
        jacobian[(4, 0)] = v[3] * (v[0] * v[3]).cos();
        jacobian[(4, 3)] = v[0] * (v[0] * v[3]).cos();
        Some((values, jacobian))
    });
    let found = [
        fit.derived("correlation", |v| v[3] / (v[2] * v[4]).sqrt()),
        fit.derived("ratio", |v| v[0] / v[1]),
        fit.derived("log", |v| v[2].ln()),
        fit.derived("distance", |v| v[0].hypot(v[1])),
        fit.derived("sine", |v| (v[0] * v[3]).sin()),
    ];
    for (derived, exact) in found.into_iter().zip(&exact.parameters) {
        let derived = derived.unwrap();
        let values =
            |p: &steinbound::fit::Parameter| [p.estimate, p.std_error, p.lower, p.upper].map(Option::unwrap);
        assert_close(&values(&derived), &values(exact), 1e-8, &derived.name);
    }
    // A function of nothing has no error.
    assert_eq!(fit.derived("seven", |_| 7.0).unwrap().std_error, Some(0.0));
}

//! Truncated regression against golden values, a published table and the paper's synthetic setting.

use crate::common::{line, mean_and_error};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde_json::Value;
use steinbound::inference::LinearHypothesis;
use steinbound::regression::{Change, KernelOn, PreparedRegression, ResponseLimit, TruncatedRegression};
use steinbound::{Estimator, Matrix, Points, simulate};

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn column(values: &[f64]) -> Matrix {
    Matrix::from_fn(values.len(), 1, |i, _| values[i])
}

fn regression(y: &[f64], x: &[f64], lower: f64) -> TruncatedRegression {
    TruncatedRegression::new("y", y.to_vec())
        .covariates(["x"], column(x))
        .lower(ResponseLimit::Constant(lower))
}

#[test]
fn golden_values_of_both_kernels() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/regression.json");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (y, x) = (numbers(&json["y"]), numbers(&json["x"]));
    for (field, kernel_on) in [("product", KernelOn::Product), ("paper", KernelOn::Response)] {
        let golden = &json[field];
        let prepared = regression(&y, &x, 5.0).known_sigma(1.0).kernel_on(kernel_on).build(0).unwrap();
        assert!((prepared.bandwidth.unwrap() / json["sigma_y"].as_f64().unwrap() - 1.0).abs() < 1e-12);
        let boundary_y = numbers(&golden["boundary_y"]);
        let boundary_x =
            golden["boundary_x"].as_array().map_or(vec![0.0], |_| numbers(&golden["boundary_x"]));
        let rows: Vec<[f64; 2]> = boundary_y.iter().zip(&boundary_x).map(|(y, x)| [*y, *x]).collect();
        let estimator = Estimator::tksd()
            .ridge(golden["ridge"].as_f64().unwrap())
            .boundary(Points::from_rows(&rows).unwrap());
        let fit = prepared.estimator(&estimator).fit(&prepared.points, &prepared.model).unwrap();
        for (found, expected) in fit.estimates().iter().zip(numbers(&golden["beta"])) {
            assert!((found / expected - 1.0).abs() < 1e-6, "{field}: {found} {expected}");
        }
    }
}

/// Stata's manual, `truncreg`: estimates, standard errors and log-likelihood.
const PUBLISHED: [(&str, f64, f64); 5] = [
    ("(Intercept)", 11.30152, 6.77273),
    ("langscore", 0.7125775, 0.1144719),
    ("prog[academic]", 4.065219, 2.054938),
    ("prog[vocational]", -1.135863, 2.669961),
    ("sigma", 8.755315, 0.6668032),
];

fn student_scores() -> PreparedRegression {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../steinbound-io/data/student_scores.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 178);
    let number = |row: &Vec<&str>, j: usize| row[j].parse::<f64>().unwrap();
    let design = Matrix::from_fn(rows.len(), 3, |i, j| match j {
        0 => number(&rows[i], 1),
        1 => f64::from(u8::from(rows[i][2] == "academic")),
        _ => f64::from(u8::from(rows[i][2] == "vocational")),
    });
    TruncatedRegression::new("achiv", rows.iter().map(|row| number(row, 0)).collect())
        .covariates(["langscore", "prog[academic]", "prog[vocational]"], design)
        .lower(ResponseLimit::Constant(40.0))
        .build(0)
        .unwrap()
}

#[test]
fn student_scores_are_the_published_ones() {
    let prepared = student_scores();
    let fit = prepared.estimator(&Estimator::truncated_mle()).fit(&prepared.points, &prepared.model).unwrap();
    assert!(fit.converged && fit.is_trustworthy());
    assert_eq!(fit.covariance_type, steinbound::fit::CovarianceKind::Information);
    for (parameter, (name, estimate, error)) in fit.parameters.iter().zip(PUBLISHED) {
        assert_eq!(parameter.name, name);
        assert!((parameter.estimate.unwrap() / estimate - 1.0).abs() < 1e-5, "{parameter:?}");
        assert!((parameter.std_error.unwrap() / error - 1.0).abs() < 1e-4, "{parameter:?}");
    }
    assert!((fit.log_likelihood.unwrap() + 591.30981).abs() < 1e-4, "{:?}", fit.log_likelihood);
    // The others estimate the same line, less precisely.
    for estimator in [Estimator::tksd(), Estimator::truncsm(), Estimator::bdksd()] {
        let other = prepared.estimator(&estimator).fit(&prepared.points, &prepared.model).unwrap();
        for (p, (name, estimate, error)) in other.parameters.iter().zip(PUBLISHED) {
            let (value, own) = (p.estimate.unwrap(), p.std_error.unwrap());
            assert!((value - estimate).abs() < 3.0 * own.max(error), "{name}: {value} {own}");
        }
    }
}

/// Stata's tests after the same fit: each coefficient by its z, both programmes together, all slopes
/// together.
#[test]
fn student_scores_are_tested_as_published() {
    let prepared = student_scores();
    let fit = prepared.estimator(&Estimator::truncated_mle()).fit(&prepared.points, &prepared.model).unwrap();
    let names: Vec<&str> = PUBLISHED.iter().map(|(name, ..)| *name).collect();
    let test = |text: &str| fit.test_hypothesis(&LinearHypothesis::parse(text, &names).unwrap()).unwrap();
    for (name, estimate, error) in PUBLISHED {
        let z = estimate / error;
        let found = test(name);
        assert!((found.statistic / (z * z) - 1.0).abs() < 1e-3, "{found:?}");
    }
    let programmes = test("prog[academic] = 0, prog[vocational] = 0");
    assert!((programmes.statistic - 7.19).abs() < 0.005, "{programmes:?}");
    assert!((programmes.p_value - 0.0274).abs() < 0.00005, "{programmes:?}");
    let slopes = test("langscore = prog[academic] = prog[vocational] = 0");
    assert!((slopes.statistic - 54.76).abs() < 0.005 && slopes.degrees_of_freedom == 3, "{slopes:?}");
}

#[test]
fn the_product_kernel_sees_the_line_that_the_response_alone_does_not() {
    let error = |estimator: &Estimator, kernel_on: KernelOn| {
        let errors: Vec<f64> = (0..64)
            .into_par_iter()
            .map(|seed| {
                let (y, x) = line(seed);
                let prepared =
                    regression(&y, &x, 5.0).known_sigma(1.0).kernel_on(kernel_on).build(0).unwrap();
                let fit = prepared.estimator(estimator).fit(&prepared.points, &prepared.model).unwrap();
                (fit.estimates()[0] - 3.0).hypot(fit.estimates()[1] - 4.0)
            })
            .collect();
        mean_and_error(&errors)
    };
    let product = error(&Estimator::tksd(), KernelOn::Product);
    let paper = error(&Estimator::tksd().boundary_points(1).ridge(1e-6), KernelOn::Response);
    let likelihood = error(&Estimator::truncated_mle(), KernelOn::Product);
    let naive = error(&Estimator::mle(), KernelOn::Product);
    println!("product {product:?}, paper {paper:?}, truncated mle {likelihood:?}, least squares {naive:?}");
    assert!(product.0 <= 0.7, "{product:?}");
    assert!((paper.0 - 1.39).abs() < 3.0 * paper.1, "{paper:?}");
    assert!((likelihood.0 - 0.44).abs() < 3.0 * likelihood.1, "{likelihood:?}");
    assert!((naive.0 - 2.70).abs() < 4.0 * naive.1, "{naive:?}");
}

/// Noise and limits that differ between observations: the truth within a few standard errors, for every
/// method.
#[test]
fn limits_may_differ_between_observations_and_lie_on_both_sides() {
    let rng = &mut simulate::stream(8, 0);
    let (mut y, mut x, mut low) = (Vec::new(), Vec::new(), Vec::new());
    while y.len() < 3000 {
        let (t, cut): (f64, f64) = (rng.random(), 1.0 + rng.random::<f64>());
        let noise: f64 = StandardNormal.sample(rng);
        let response = 1.0 + 2.0 * t + 0.8 * noise;
        if response >= cut && response <= 3.5 {
            y.push(response);
            x.push(t);
            low.push(cut);
        }
    }
    let prepared = TruncatedRegression::new("y", y)
        .covariates(["x"], column(&x))
        .lower(ResponseLimit::Each(low))
        .upper(ResponseLimit::Constant(3.5))
        .build(0)
        .unwrap();
    for estimator in [Estimator::truncated_mle(), Estimator::truncsm(), Estimator::bdksd(), Estimator::tksd()]
    {
        let fit = prepared.estimator(&estimator).fit(&prepared.points, &prepared.model).unwrap();
        for (p, truth) in fit.parameters.iter().zip([1.0, 2.0, 0.8]) {
            let (value, error) = (p.estimate.unwrap(), p.std_error.unwrap());
            assert!((value - truth).abs() < 4.0 * error, "{:?}: {p:?}", fit.setup.method);
        }
    }
}

/// The standard error of a prediction is that of a regression whose origin is moved there.
#[test]
fn predictions_have_the_standard_error_of_a_moved_intercept() {
    let (y, x) = line(3);
    let fit_at = |origin: f64| {
        let moved: Vec<f64> = x.iter().map(|x| x - origin).collect();
        let prepared = regression(&y, &moved, 5.0).build(0).unwrap();
        let fit = prepared.estimator(&Estimator::truncated_mle()).fit(&prepared.points, &prepared.model);
        (prepared, fit.unwrap())
    };
    let (prepared, fit) = fit_at(0.0);
    let (_, moved) = fit_at(0.7);
    let (mean, error) = prepared.predict(&fit, &column(&[0.7])).unwrap()[0];
    assert!((mean - moved.estimates()[0]).abs() < 1e-6);
    assert!((error / moved.std_errors()[0] - 1.0).abs() < 1e-6);
}

/// Responses above zero that follow a cubic in the year, in powers of the year less an origin.
fn cubic_in_years(origin: f64, offset: f64) -> PreparedRegression {
    let rng = &mut simulate::stream(9, 0);
    let (mut responses, mut years) = (Vec::new(), Vec::new());
    while responses.len() < 300 {
        let year = 1990.0 + (31.0 * rng.random::<f64>()).floor();
        let (t, noise): (f64, f64) = ((year - 2005.0) / 10.0, StandardNormal.sample(rng));
        let response = 1.0 + 0.8 * t - 0.3 * t * t + 0.2 * t * t * t + noise;
        if response > 0.0 {
            responses.push(response + offset);
            years.push(year - origin);
        }
    }
    let powers = Matrix::from_fn(300, 3, |i, k| years[i].powi(k as i32 + 1));
    let regression = TruncatedRegression::new("y", responses).covariates(["t", "t2", "t3"], powers);
    regression.lower(ResponseLimit::Constant(offset)).build(0).unwrap()
}

/// The same curve in other coordinates has the same effects, predictions and tests, with the same errors.
#[test]
fn powers_of_years_keep_their_errors() {
    let answers = |origin: f64| {
        let prepared = cubic_in_years(origin, 0.0);
        let fit =
            prepared.estimator(&Estimator::truncated_mle()).fit(&prepared.points, &prepared.model).unwrap();
        let slope = Matrix::from_fn(300, 3, |i, k| (k + 1) as f64 * prepared.points.row(i)[1].powi(k as i32));
        let effects = prepared.effects(&fit, &[("t".into(), Change::Slope(slope))]).unwrap();
        let mut numbers: Vec<f64> = effects.iter().map(|e| e.parameter.std_error.unwrap()).collect();
        let at = 2010.0 - origin;
        let row = Matrix::from_fn(1, 3, |_, k| at.powi(k as i32 + 1));
        numbers.push(prepared.predict(&fit, &row).unwrap()[0].1);
        // The slope in 2010.
        let slope = Matrix::from_fn(1, 5, |_, k| match k {
            1..=3 => k as f64 * at.powi(k as i32 - 1),
            _ => 0.0,
        });
        numbers.push(fit.wald_test(&slope, &[0.0]).unwrap().statistic);
        numbers
    };
    let (centred, years) = (answers(2005.0), answers(0.0));
    assert_eq!(centred.len(), 4);
    for (a, b) in centred.iter().zip(&years) {
        assert!((a / b - 1.0).abs() < 1e-4, "{centred:?} {years:?}");
    }
}

/// Responses may be millions of standard deviations away from zero.
#[test]
fn offsets_of_responses_change_nothing() {
    let fit = |offset: f64, method: &Estimator| {
        let prepared = cubic_in_years(2005.0, offset);
        prepared.estimator(method).fit(&prepared.points, &prepared.model).unwrap()
    };
    for method in [Estimator::mle(), Estimator::truncated_mle()] {
        let (near, far) = (fit(0.0, &method), fit(4_194_304.0, &method));
        assert!(far.converged && near.converged, "{far}");
        let difference = near.log_likelihood.unwrap() - far.log_likelihood.unwrap();
        assert!(difference.abs() < 1e-5, "{difference}");
        for (a, b) in near.parameters.iter().zip(&far.parameters).skip(1) {
            assert!(
                (a.estimate.unwrap() - b.estimate.unwrap()).abs() < 1e-6 * a.std_error.unwrap(),
                "{a:?} {b:?}"
            );
            assert!((a.std_error.unwrap() / b.std_error.unwrap() - 1.0).abs() < 1e-6, "{a:?} {b:?}");
        }
    }
}

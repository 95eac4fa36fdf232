//! Diagnostics: silent where all is well, and each warning where it belongs.

use std::sync::Arc;

use crate::common::ball;
use rand::RngExt;
use rand_distr::{Distribution, Exp, StandardNormal};
use statrs::distribution::{ContinuousCDF, Normal};
use steinbound::domain::{Ball, BoundarySampling, Cuboid, Domain, contiguous_united_states};
use steinbound::inference::{Check, Diagnostics};
use steinbound::model::{Gaussian, GaussianMixture, Model};
use steinbound::regression::{PreparedRegression, ResponseLimit, TruncatedRegression};
use steinbound::stein::Statistic;
use steinbound::{Estimator, Fit, Matrix, Points, Warning, simulate};

fn diagnosed(estimator: &Estimator, data: &Points, model: &dyn Model) -> (Fit, Diagnostics) {
    let problem = estimator.check(data, model).unwrap();
    let fit = problem.fit().unwrap();
    let found = problem.diagnose(&fit).unwrap();
    (fit, found)
}

#[track_caller]
fn expect_silence(estimator: &Estimator, data: &Points, model: &dyn Model) {
    let (fit, found) = diagnosed(estimator, data, model);
    assert_eq!(found.warnings, Vec::<String>::new(), "{fit}");
    assert!(found.leverage.is_some() && found.normal_condition.is_some(), "{found:?}");
}

/// The only warning, which holds all these words.
#[track_caller]
fn expect_warning(found: &Diagnostics, words: &[&str]) {
    assert_eq!(found.warnings.len(), 1, "{found:?}");
    for word in words {
        assert!(found.warnings[0].contains(word), "\"{word}\" is not in {:?}", found.warnings);
    }
}

fn regression(seed: u64, extra: impl Fn(f64, f64) -> f64) -> PreparedRegression {
    let rng = &mut simulate::stream(seed, 0);
    let draw = |_| {
        let (x, noise, more): (f64, f64, f64) = (rng.random(), StandardNormal.sample(rng), rng.random());
        (3.0 + 4.0 * x + noise, [x, extra(x, more)])
    };
    let (y, x): (Vec<f64>, Vec<[f64; 2]>) = (0..600).map(draw).filter(|(y, _)| *y >= 5.0).unzip();
    let design = Matrix::from_fn(x.len(), 2, |i, j| x[i][j]);
    let limited = TruncatedRegression::new("y", y).covariates(["x", "z"], design);
    limited.lower(ResponseLimit::Constant(5.0)).build(0).unwrap()
}

#[test]
fn the_settings_of_the_paper_are_sound() {
    for seed in 0..8 {
        for dimension in [2, 4, 6] {
            let setting = ball(dimension, 300, seed);
            let tksd = Estimator::tksd().boundary(setting.boundary).domain(setting.domain.clone());
            expect_silence(&tksd, &setting.data, &setting.model);
            let truncsm = Estimator::truncsm().domain(setting.domain);
            expect_silence(&truncsm, &setting.data, &setting.model);
        }
    }
    let border = Arc::new(contiguous_united_states().unwrap());
    let model = Gaussian::with_variance(2, 10.0).unwrap();
    for seed in 0..4 {
        let rng = &mut simulate::stream(seed, 0);
        let data = simulate::truncated(&model, &[-115.0, 35.0], border.as_ref(), 400, rng).unwrap().points;
        let tksd = Estimator::tksd().domain(border.clone()).boundary_points(200).seed(seed);
        expect_silence(&tksd, &data, &model);
        expect_silence(&tksd, &data, &Gaussian::full(2));
    }
    for seed in 0..4 {
        let prepared = regression(seed, |_, more| more);
        for estimator in [Estimator::tksd(), Estimator::truncated_mle()] {
            expect_silence(&prepared.estimator(&estimator), &prepared.points, &prepared.model);
        }
    }
    let cube = Arc::new(Cuboid::uniform(-3.0, 3.0, 2).unwrap());
    let model = GaussianMixture::new(2, 2).unwrap();
    let rng = &mut simulate::stream(1, 0);
    let data = simulate::truncated(&model, &[-1.5, -1.5, 1.5, 1.5], cube.as_ref(), 300, rng).unwrap().points;
    expect_silence(&Estimator::tksd().domain(cube).boundary_points(100), &data, &model);
}

#[test]
fn repeated_boundary_points_without_a_ridge_are_noticed() {
    let setting = ball(2, 200, 4);
    let twice: Vec<&[f64]> = setting.boundary.rows().chain(setting.boundary.rows()).collect();
    let twice = Points::from_rows(&twice).unwrap();
    let with = |ridge: f64| {
        let estimator = Estimator::tksd().boundary(twice.clone()).ridge(ridge);
        diagnosed(&estimator, &setting.data, &setting.model).1
    };
    let tiny = with(1e-13);
    assert!(tiny.boundary_condition.unwrap() > 1e12, "{tiny:?}");
    expect_warning(&tiny, &["nearly singular", "raise the ridge"]);
    let usual = with(1e-3);
    assert!(usual.warnings.is_empty() && usual.boundary_condition.unwrap() < 1e6, "{usual:?}");
}

/// Covariates that differ by a hundred-thousandth of their size.
#[test]
fn parameters_that_the_data_hardly_tell_apart_are_noticed() {
    let prepared = regression(3, |x, more| x + 1e-5 * more);
    // Likelihoods take an orthonormal basis instead.
    let tksd = prepared.estimator(&Estimator::tksd());
    let (_, found) = diagnosed(&tksd, &prepared.points, &prepared.model);
    assert!(found.normal_condition.unwrap() > 1e8, "{found:?}");
    // It has lost its digits, so that other checks complain as well.
    let is_said =
        |w: &Warning| w.contains("hardly distinguish some parameters") && w.contains("fewer parameters");
    assert!(found.warnings.iter().any(is_said), "{:?}", found.warnings);
    let likelihood = prepared.estimator(&Estimator::truncated_mle());
    expect_silence(&likelihood, &prepared.points, &prepared.model);
}

/// The influence of a point on a mean is its distance from it.
#[test]
fn an_observation_that_an_estimate_hangs_on_is_named() {
    let rng = &mut simulate::stream(5, 0);
    let mut values: Vec<f64> = (0..100).map(|_| StandardNormal.sample(rng)).collect();
    values[41] = 30.0;
    let data = Points::new(values.clone(), 1).unwrap();
    let model = Gaussian::with_variance(1, 1.0).unwrap();
    let (fit, found) = diagnosed(&Estimator::mle(), &data, &model);
    let mean = fit.estimates()[0];
    let expected = (30.0 - mean).powi(2) / values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    let leverage = found.leverage.clone().unwrap();
    assert_eq!((leverage.row, leverage.parameter.as_str()), (42, "mean[x1]"));
    assert!((leverage.share - expected).abs() < 1e-12 && leverage.limit == 0.54, "{leverage:?}");
    expect_warning(&found, &["row 42 alone makes up 89 % of the variance of mean[x1]", "without it"]);
    // Of reported parameters: the variance's share is that of a squared distance.
    let (fit, found) = diagnosed(&Estimator::mle(), &data, &Gaussian::full(1));
    let variance = fit.estimates()[1];
    let pull = |x: f64| ((x - mean).powi(2) - variance).powi(2);
    let expected = pull(30.0) / values.iter().map(|x| pull(*x)).sum::<f64>();
    let leverage = found.leverage.unwrap();
    assert_eq!((leverage.row, leverage.parameter.as_str()), (42, "cov[x1,x1]"));
    assert!((leverage.share - expected).abs() < 1e-9, "{leverage:?} {expected}");
    // A cluster is named by its first row: here those of 40 to 43.
    let labels: Vec<usize> = (0..100).map(|i| i / 4).collect();
    let clustered = data.clone().with_clusters(&labels).unwrap();
    let (_, found) = diagnosed(&Estimator::mle(), &clustered, &model);
    expect_warning(&found, &["the cluster of row 41 alone", "check its rows"]);
    // One with a name by that.
    let names: Vec<String> = labels.iter().map(|label| format!("V{label}")).collect();
    let (_, found) = diagnosed(&Estimator::mle(), &data.with_named_clusters(&names).unwrap(), &model);
    expect_warning(&found, &["the cluster V10 alone makes up", "check its rows"]);
    let check = found.checks.iter().find(|check| check.name == "leverage").unwrap();
    assert_eq!(check.what, "largest share of a cluster in a variance");
    assert_eq!(check.detail.as_deref(), Some("cluster V10, mean[x1]"));
    assert_eq!(found.leverage.unwrap().cluster.as_deref(), Some("V10"));
}

/// Samples of a disc, given with larger regions as if those had truncated them: from a twentieth wider the emptiness
/// at the boundary contradicts every fit, and at the disc itself none.
#[test]
fn a_boundary_where_no_data_are_is_noticed() {
    let (disc, model) = (Ball::new(1.5).unwrap().in_dimension(2), Gaussian::with_variance(2, 1.0).unwrap());
    let methods = [
        Estimator::efficient(),
        Estimator::tksd(),
        Estimator::truncsm(),
        Estimator::bdksd(),
        Estimator::truncated_mle(),
    ];
    let is_noticed = |seed: u64, radius: f64, estimator: &Estimator| {
        let rng = &mut simulate::stream(seed, 0);
        let data = simulate::truncated(&model, &[0.5, 0.5], &disc, 400, rng).unwrap().points;
        let region = Arc::new(Ball::new(radius).unwrap().in_dimension(2));
        let problem = estimator.clone().domain(region);
        let (fit, found) = problem.check(&data, &model).unwrap().fit_diagnosed().unwrap();
        let check = found.checks.iter().find(|check| check.name == "margin").unwrap();
        if check.is_beyond() {
            assert!(!fit.is_trustworthy(), "{fit}");
            let text = "no point is nearer to the boundary";
            assert!(found.warnings.iter().any(|warning| warning.contains(text)), "{found:?}");
        }
        check.is_beyond()
    };
    for estimator in &methods {
        assert!((0..10).all(|seed| !is_noticed(seed, 1.5, estimator)), "{estimator:?}");
        for radius in [1.6, 2.0, 3.0, 7.5, 1e4, 1e8] {
            assert!(is_noticed(0, radius, estimator), "{radius} {estimator:?}");
        }
    }
}

/// Of two ridges that are both far too large neither tells anything of the other.
#[test]
fn no_ridge_is_too_large_to_be_noticed() {
    let disc = Ball::new(1.5).unwrap().in_dimension(2);
    let model = Gaussian::with_variance(2, 1.0).unwrap();
    let data =
        simulate::truncated(&model, &[0.5, 0.5], &disc, 400, &mut simulate::stream(1, 0)).unwrap().points;
    for power in [-8, -4, -2, 1, 2, 3, 4, 5, 6, 8, 10, 16, 30, 100, 200, 300] {
        let estimator = Estimator::tksd().domain(Arc::new(disc.clone())).ridge(10f64.powi(power));
        let (fit, _) = estimator.check(&data, &model).unwrap().fit_diagnosed().unwrap();
        assert_eq!(fit.is_trustworthy(), power < 0, "1e{power} {fit}");
    }
}

/// Also where only points on the boundary are known; data rounded to a grid may stop short of it.
#[test]
fn boundary_points_where_no_data_are_are_noticed() {
    let disc = Ball::new(1.5).unwrap().in_dimension(2);
    let model = Gaussian::with_variance(2, 1.0).unwrap();
    let data =
        simulate::truncated(&model, &[0.5, 0.5], &disc, 400, &mut simulate::stream(1, 0)).unwrap().points;
    let margin = |data: &Points, radius: f64| {
        let circle = Ball::new(radius).unwrap().in_dimension(2);
        let points =
            circle.sample_boundary(&BoundarySampling::new(200), &mut simulate::stream(1, 1)).unwrap();
        let (_, found) = diagnosed(&Estimator::tksd().boundary(points), data, &model);
        found.checks.iter().find(|check| check.name == "margin").is_some_and(Check::is_beyond)
    };
    assert!(!margin(&data, 1.5) && margin(&data, 1.9) && margin(&data, 7.5));
    let rounded: Vec<[f64; 2]> =
        data.rows().map(|x| [0.25 * (x[0] / 0.25).trunc(), 0.25 * (x[1] / 0.25).trunc()]).collect();
    assert!(!margin(&Points::from_rows(&rounded).unwrap(), 1.6));
}

/// A mean five standard deviations outside the half-line on which the data are seen.
#[test]
fn an_estimate_far_outside_is_noticed() {
    let rng = &mut simulate::stream(6, 0);
    // The tail of the normal distribution beyond five, thinned from an exponential: exp(-x^2/2) of the draws
    // stay.
    let law = Exp::new(5.0).unwrap();
    let mut values: Vec<f64> = Vec::new();
    while values.len() < 400 {
        let x: f64 = law.sample(rng);
        if rng.random::<f64>() < (-0.5 * x * x).exp() {
            values.push(x);
        }
    }
    let data = Points::new(values, 1).unwrap();
    let half_line = Arc::new(Cuboid::interval(0.0, f64::INFINITY).unwrap());
    let model = Gaussian::with_variance(1, 1.0).unwrap();
    let (fit, found) = diagnosed(&Estimator::tksd().domain(half_line), &data, &model);
    assert!((fit.estimates()[0] + 5.0).abs() < 4.0 * fit.std_errors()[0], "{fit}");
    assert!(found.mass_outside.unwrap() > 0.999, "{found:?}");
    expect_warning(&found, &["% of its mass outside the domain", "extrapolates", "units"]);
}

#[test]
fn the_mass_outside_is_that_of_the_normal_distribution() {
    let interval = Arc::new(Cuboid::interval(-1.0, 1.0).unwrap());
    let model = Gaussian::with_variance(1, 1.0).unwrap();
    let normal = Normal::standard();
    for seed in 0..5 {
        let rng = &mut simulate::stream(seed, 0);
        let data = simulate::truncated(&model, &[0.7], interval.as_ref(), 200, rng).unwrap().points;
        let (fit, found) = diagnosed(&Estimator::tksd().domain(interval.clone()), &data, &model);
        let mean = fit.estimates()[0];
        let outside = normal.cdf(-1.0 - mean) + normal.sf(1.0 - mean);
        let error = (outside * (1.0 - outside) / 1000.0).sqrt();
        assert!((found.mass_outside.unwrap() - outside).abs() < 4.0 * error, "{found:?} {outside}");
        // Without a domain nobody knows.
        let ends = Points::from_rows(&[[-1.0], [1.0]]).unwrap();
        let found = diagnosed(&Estimator::tksd().boundary(ends), &data, &model).1;
        assert_eq!(found.mass_outside, None);
    }
}

/// The comparison is that of two fits, whichever of them came first.
#[test]
fn the_statistics_are_compared_in_standard_errors() {
    let cases: [(usize, Box<dyn Model>); 2] =
        [(60, Box::new(Gaussian::full(2))), (200, Box::new(GaussianMixture::new(2, 1).unwrap()))];
    for (count, model) in cases {
        let setting = ball(2, count, 2);
        let with = |statistic| {
            let tksd = Estimator::tksd().boundary(setting.boundary.clone()).statistic(statistic);
            diagnosed(&tksd, &setting.data, model.as_ref())
        };
        let ((v, of_v), (u, of_u)) = (with(Statistic::V), with(Statistic::U));
        for (fit, other, found) in [(&v, &u, of_v), (&u, &v, of_u)] {
            let apart = |k: usize| (fit.estimates()[k] - other.estimates()[k]).abs() / fit.std_errors()[k];
            let largest = (0..fit.parameters.len()).map(apart).fold(0.0, f64::max);
            let found = found.statistics_disagree.unwrap();
            assert!((found.standard_errors - largest).abs() < 1e-5 * largest, "{found:?} {largest}");
        }
    }
}

#[test]
fn too_few_observations_are_noticed() {
    let with = |count: usize, seed: u64| {
        let setting = ball(2, count, seed);
        let tksd = Estimator::tksd().boundary(setting.boundary);
        diagnosed(&tksd, &setting.data, &Gaussian::full(2)).1
    };
    let apart = with(20, 0);
    assert!(apart.statistics_disagree.as_ref().unwrap().standard_errors > 1.0, "{apart:?}");
    expect_warning(&apart, &["V- and the U-statistic differ by 1.9 standard errors", "collect more data"]);
    let without = with(10, 0);
    assert_eq!(without.statistics_disagree, None);
    expect_warning(&without, &["the U-statistic has no usable minimum", "collect more data"]);
    assert!(with(300, 0).warnings.is_empty());
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let setting = ball(2, 50, 1);
    let tksd = Estimator::tksd().boundary(setting.boundary);
    let (fit, found) = diagnosed(&tksd, &setting.data, &setting.model);
    let full = Gaussian::full(2);
    let other = tksd.check(&setting.data, &full).unwrap();
    let message = other.diagnose(&fit).unwrap_err().to_string();
    assert!(message.contains("50 and 2") && message.contains("50 and 5"), "{message}");
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["leverage"]["row"], found.leverage.unwrap().row);
    assert_eq!(json["statistics_disagree"]["parameter"], found.statistics_disagree.unwrap().parameter);
    assert!(json["mass_outside"].is_null() && json["warnings"] == serde_json::json!([]), "{json}");
}

/// Points that are there twice answer for each other; what they leave of the kernel is measured without that.
#[test]
fn repeated_boundary_points_do_not_hide_gaps() {
    let setting = ball(2, 200, 3);
    let circle: Vec<[f64; 2]> =
        (0..8).map(|k| f64::from(k) * 0.785).map(|a| [1.44 * a.cos(), 1.44 * a.sin()]).collect();
    let twice: Vec<[f64; 2]> = circle.iter().chain(&circle).copied().collect();
    let largest = |rows: &[[f64; 2]]| {
        let estimator = Estimator::tksd().boundary(Points::from_rows(rows).unwrap());
        let problem = estimator.check(&setting.data, &setting.model).unwrap();
        let found = problem.boundary_leaks(100).unwrap().unwrap();
        assert!(found.are_boundary_points && found.places.len() == 8);
        (found.leaks.iter().copied().fold(0.0, f64::max), problem.setup().leak.unwrap())
    };
    let (once, both) = (largest(&circle), largest(&twice));
    assert!(once.0 > 0.05, "{once:?}");
    assert!((once.0 - both.0).abs() < 1e-9 && (once.1 - both.1).abs() < 1e-9, "{once:?} {both:?}");
}

/// One bandwidth does not serve columns in very different units, and a warning says so.
#[test]
fn columns_in_other_units_are_warned_of() {
    let setting = ball(2, 200, 3);
    let warned = |factor: f64| {
        let data = setting.data.moved(|x| vec![x[0], factor * x[1]]).unwrap();
        let edge = setting.boundary.moved(|x| vec![x[0], factor * x[1]]).unwrap();
        let problem = Estimator::tksd().boundary(edge).check(&data, &setting.model).unwrap();
        problem.warnings().iter().any(|warning| warning.contains("one bandwidth serves both"))
    };
    assert!(!warned(1.0) && !warned(4.0) && warned(10.0) && warned(0.1));
}

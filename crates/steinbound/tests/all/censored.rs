//! Truncated, censored and plain regressions of women's hours of work against published values and those of
//! other programs (`tools/regression_references.py`).

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde_json::Value;
use steinbound::fit::{CovarianceKind, StandardErrors};
use steinbound::inference::{GoodnessOfFit, Null};
use steinbound::regression::{
    Censored, Change, PreparedRegression, Quantity, ResponseLimit, TruncatedRegression,
};
use steinbound::{Estimator, Fit, Matrix, simulate};

const TERMS: [&str; 7] = ["nwifeinc", "educ", "exper", "expersq", "age", "kidslt6", "kidsge6"];

/// Wooldridge, *Introductory Econometrics*, table 17.3 (Tobit), as Stata prints it.
const PUBLISHED: [(&str, f64); 9] = [
    ("(Intercept)", 965.3053),
    ("nwifeinc", -8.814243),
    ("educ", 80.64561),
    ("exper", 131.5643),
    ("expersq", -1.864158),
    ("age", -54.40501),
    ("kidslt6", -894.0217),
    ("kidsge6", -16.218),
    ("sigma", 1122.022),
];

fn rows() -> Vec<Vec<f64>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/regressions/mroz.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let read = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
    text.lines().skip(1).map(read).collect()
}

fn references() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/regressions/references.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn regression(rows: &[Vec<f64>]) -> TruncatedRegression {
    let covariates = Matrix::from_fn(rows.len(), 7, |i, k| rows[i][1 + k]);
    TruncatedRegression::new("hours", rows.iter().map(|row| row[0]).collect()).covariates(TERMS, covariates)
}

fn built(regression: TruncatedRegression, rows: &[Vec<f64>]) -> PreparedRegression {
    let mut prepared = regression.build(0).unwrap();
    let ages: Vec<String> = rows.iter().map(|row| row[5].to_string()).collect();
    prepared.points = prepared.points.with_clusters(&ages).unwrap();
    prepared
}

fn tobit() -> PreparedRegression {
    let all = rows();
    let zero = ResponseLimit::Constant(0.0);
    built(regression(&all).lower(zero).censored(Censored::Both), &all)
}

fn fitted(prepared: &PreparedRegression, estimator: &Estimator, kind: StandardErrors) -> Fit {
    let estimator = prepared.estimator(estimator).standard_errors(kind);
    estimator.fit(&prepared.points, prepared.fitted_model()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn close(found: &[f64], expected: &[f64], digits: f64, what: &str) {
    for (found, expected) in found.iter().zip(expected) {
        assert!((found / expected - 1.0).abs() < digits, "{what}: {found} {expected}");
    }
}

fn agrees(prepared: &PreparedRegression, estimator: &Estimator, expected: &Value) {
    for (kind, field) in [
        (StandardErrors::Information, "information"),
        (StandardErrors::Robust, "robust"),
        (StandardErrors::Cluster, "cluster"),
    ] {
        let fit = fitted(prepared, estimator, kind);
        assert!(fit.is_trustworthy(), "{:?}", fit.warnings);
        let estimates = numbers(&expected["estimates"]);
        close(&fit.estimates(), &estimates, 1e-5, "estimate");
        close(&fit.std_errors(), &numbers(&expected[field]), 1e-5, field);
        if let Some(log_likelihood) = expected["log_likelihood"].as_f64() {
            let found = (fit.log_likelihood.unwrap(), fit.aic.unwrap(), fit.bic.unwrap());
            assert!((found.0 - log_likelihood).abs() < 1e-6, "{found:?}");
            assert_eq!(fit.df, Some(9));
            assert!((found.1 - (18.0 - 2.0 * log_likelihood)).abs() < 1e-6);
            let n = prepared.points.len() as f64;
            assert!((found.2 - (9.0 * n.ln() - 2.0 * log_likelihood)).abs() < 1e-6);
        }
        let clusters = expected["clusters"].as_u64().unwrap() as usize;
        let has = kind == StandardErrors::Cluster;
        assert_eq!(
            (fit.clusters, fit.degrees_of_freedom),
            (has.then_some(clusters), has.then(|| clusters - 1))
        );
    }
}

#[test]
fn tobit_estimates_are_the_published_ones() {
    let prepared = tobit();
    let fit = prepared.estimator(&Estimator::mle()).standard_errors(StandardErrors::Information);
    let fit = fit.fit(&prepared.points, prepared.fitted_model()).unwrap();
    assert!(fit.is_trustworthy() && fit.covariance_type == CovarianceKind::Information);
    for (parameter, (name, expected)) in fit.parameters.iter().zip(PUBLISHED) {
        assert_eq!(parameter.name, name);
        assert!((parameter.estimate.unwrap() / expected - 1.0).abs() < 1e-5, "{parameter:?}");
    }
    assert!((fit.log_likelihood.unwrap() + 3819.0946).abs() < 1e-4, "{:?}", fit.log_likelihood);
    // Truncated likelihood without truncation is the same.
    let same = fitted(&prepared, &Estimator::truncated_mle(), StandardErrors::Information);
    close(&same.estimates(), &fit.estimates(), 1e-9, "truncated-mle");
}

#[test]
fn likelihoods_and_their_covariances_are_those_of_other_programs() {
    let (all, expected) = (rows(), references());
    agrees(&tobit(), &Estimator::mle(), &expected["censored"]);
    let works: Vec<Vec<f64>> = all.iter().filter(|row| row[0] > 0.0).cloned().collect();
    assert_eq!(works.len(), 428);
    let truncated = built(regression(&works).lower(ResponseLimit::Constant(0.0)), &works);
    agrees(&truncated, &Estimator::truncated_mle(), &expected["truncated"]);
    let plain = built(regression(&works), &works);
    agrees(&plain, &Estimator::mle(), &expected["normal"]);
    // Rows of at most 400 hours are not seen, more than 2500 are recorded as 2500.
    let mut seen: Vec<Vec<f64>> = all.into_iter().filter(|row| row[0] > 400.0).collect();
    seen.iter_mut().for_each(|row| row[0] = row[0].min(2500.0));
    let limits = regression(&seen)
        .lower(ResponseLimit::Each(vec![400.0; seen.len()]))
        .upper(ResponseLimit::Constant(2500.0))
        .censored(Censored::Upper);
    let mixed = built(limits, &seen);
    agrees(&mixed, &Estimator::truncated_mle(), &expected["mixed"]);
}

/// Against statsmodels: coefficients, three covariances, intervals and p-values; with weights, too.
#[test]
fn least_squares_have_the_covariances_of_statsmodels() {
    let works: Vec<Vec<f64>> = rows().into_iter().filter(|row| row[0] > 0.0).collect();
    for field in ["least_squares", "weighted"] {
        let expected = &references()[field];
        let mut prepared = built(regression(&works), &works);
        if field == "weighted" {
            let weights = works.iter().map(|row| 1.0 + row[7]).collect();
            prepared.points = prepared.points.with_weights(weights).unwrap();
        }
        for (kind, errors) in [
            (StandardErrors::Information, "information"),
            (StandardErrors::Robust, "robust"),
            (StandardErrors::Cluster, "cluster"),
        ] {
            let fit = fitted(&prepared, &Estimator::mle(), kind);
            close(&fit.estimates()[..8], &numbers(&expected["estimates"]), 1e-9, "estimate");
            close(&fit.std_errors()[..8], &numbers(&expected[errors]), 1e-7, errors);
        }
        let fit = fitted(&prepared, &Estimator::mle(), StandardErrors::Cluster);
        let lower: Vec<f64> = fit.parameters.iter().map(|p| p.lower.unwrap()).collect();
        close(&lower[..8], &numbers(&expected["cluster_lower"]), 1e-6, "lower");
        let table = fit.summary();
        for p in numbers(&expected["cluster_p"]) {
            let shown = steinbound::text::p_value(Some(p));
            assert!(table.contains(&format!(" {shown} ")), "{shown}\n{table}");
        }
        assert!(
            table.contains(
                "standard errors: clustered (31 clusters, variances times 31/30, t with 30 degrees"
            )
        );
    }
    let expected = &references()["least_squares"];
    let plain = regression(&works).build(0).unwrap();
    let fit = plain.estimator(&Estimator::mle()).fit(&plain.points, &plain.model).unwrap();
    for (found, field) in [(fit.log_likelihood, "log_likelihood"), (fit.aic, "aic"), (fit.bic, "bic")] {
        assert!((found.unwrap() - expected[field].as_f64().unwrap()).abs() < 1e-6, "{field}");
    }
}

#[test]
fn covariances_that_cannot_be_are_refused() {
    let works: Vec<Vec<f64>> = rows().into_iter().filter(|row| row[0] > 0.0).take(60).collect();
    let prepared = regression(&works).lower(ResponseLimit::Constant(0.0)).build(0).unwrap();
    let refused = |estimator: Estimator, kind| {
        let estimator = prepared.estimator(&estimator).standard_errors(kind);
        estimator.fit(&prepared.points, &prepared.model).unwrap_err().to_string()
    };
    let clusters = refused(Estimator::mle(), StandardErrors::Cluster);
    assert!(clusters.contains("need clusters, and none are given"), "{clusters}");
    let likelihood = refused(Estimator::tksd(), StandardErrors::Information);
    assert!(likelihood.contains("need a likelihood, which tksd has not"), "{likelihood}");
}

/// Average derivatives against differences of other programs, and the published scale factor of 0.589 between
/// effects on recorded and on latent hours.
#[test]
fn average_effects_are_the_published_ones() {
    let prepared = tobit();
    let fit = fitted(&prepared, &Estimator::mle(), StandardErrors::Information);
    let unit = |k: usize| Change::Slope(Matrix::from_fn(753, 7, |_, j| f64::from(u8::from(j == k))));
    let changes = [("educ".to_string(), unit(1)), ("age".to_string(), unit(4))];
    let found = prepared.effects(&fit, &changes).unwrap();
    let estimate = |of: Quantity, name: &str| {
        let effect = found.iter().find(|effect| effect.of == of && effect.parameter.name == name).unwrap();
        (effect.parameter.estimate.unwrap(), effect.parameter.std_error.unwrap())
    };
    let expected = numbers(&references()["educ"]);
    let all = [Quantity::Latent, Quantity::Seen, Quantity::Recorded, Quantity::Uncensored];
    for (of, expected) in all.into_iter().zip(expected) {
        assert!((estimate(of, "educ").0 / expected - 1.0).abs() < 1e-6, "{of:?}");
    }
    for name in ["educ", "age"] {
        let factor = estimate(Quantity::Recorded, name).0 / estimate(Quantity::Latent, name).0;
        assert!((factor - 0.589).abs() < 0.0005, "{factor}");
    }
    // The standard error is that of the average itself, by differences of it along each parameter.
    let covariance = fit.covariance.as_ref().unwrap();
    let average = |theta: &[f64]| -> f64 {
        let mean = |x: &[f64]| theta[0] + (1..8).map(|k| theta[k] * x[k]).sum::<f64>();
        let shares = prepared
            .points
            .rows()
            .map(|x| prepared.limits_at(x).value(Quantity::Uncensored, mean(x), theta[8]));
        theta[2] * shares.sum::<f64>() / 753.0
    };
    let theta = fit.estimates();
    let slopes: Vec<f64> = (0..9)
        .map(|k| {
            let moved = |step: f64| {
                let mut theta = theta.clone();
                theta[k] += step;
                average(&theta)
            };
            let step = 1e-3 * fit.std_errors()[k];
            (moved(step) - moved(-step)) / (2.0 * step)
        })
        .collect();
    let variance: f64 = (0..9)
        .flat_map(|j| (0..9).map(move |k| (j, k)))
        .map(|(j, k)| slopes[j] * slopes[k] * covariance[(j, k)])
        .sum();
    assert!((estimate(Quantity::Recorded, "educ").1 / variance.sqrt() - 1.0).abs() < 1e-5);
    // A step of one year is the difference of means, and close to the slope.
    let at = |shift: f64| Matrix::from_fn(753, 7, |i, j| rows()[i][1 + j] + if j == 1 { shift } else { 0.0 });
    let step = [("educ".to_string(), Change::Step { from: at(-0.005), to: at(0.005) })];
    for effect in prepared.effects(&fit, &step).unwrap() {
        let (slope, _) = estimate(effect.of, "educ");
        assert!((effect.parameter.estimate.unwrap() / (0.01 * slope) - 1.0).abs() < 1e-6);
    }
}

#[test]
fn zeros_of_hours_are_a_pile() {
    let prepared = regression(&rows()).lower(ResponseLimit::Constant(0.0)).build(0).unwrap();
    assert_eq!(prepared.pile_ups()[0].to_string(), "325 of 753 responses equal the lower limit 0");
    assert_eq!(tobit().pile_ups(), []);
}

/// Longley's data and the certified values of the National Institute of Standards and Technology.
#[test]
fn longley_has_the_certified_digits() {
    const DATA: [[f64; 7]; 16] = [
        [60323.0, 83.0, 234289.0, 2356.0, 1590.0, 107608.0, 1947.0],
        [61122.0, 88.5, 259426.0, 2325.0, 1456.0, 108632.0, 1948.0],
        [60171.0, 88.2, 258054.0, 3682.0, 1616.0, 109773.0, 1949.0],
        [61187.0, 89.5, 284599.0, 3351.0, 1650.0, 110929.0, 1950.0],
        [63221.0, 96.2, 328975.0, 2099.0, 3099.0, 112075.0, 1951.0],
        [63639.0, 98.1, 346999.0, 1932.0, 3594.0, 113270.0, 1952.0],
        [64989.0, 99.0, 365385.0, 1870.0, 3547.0, 115094.0, 1953.0],
        [63761.0, 100.0, 363112.0, 3578.0, 3350.0, 116219.0, 1954.0],
        [66019.0, 101.2, 397469.0, 2904.0, 3048.0, 117388.0, 1955.0],
        [67857.0, 104.6, 419180.0, 2822.0, 2857.0, 118734.0, 1956.0],
        [68169.0, 108.4, 442769.0, 2936.0, 2798.0, 120445.0, 1957.0],
        [66513.0, 110.8, 444546.0, 4681.0, 2637.0, 121950.0, 1958.0],
        [68655.0, 112.6, 482704.0, 3813.0, 2552.0, 123366.0, 1959.0],
        [69564.0, 114.2, 502601.0, 3931.0, 2514.0, 125368.0, 1960.0],
        [69331.0, 115.7, 518173.0, 4806.0, 2572.0, 127852.0, 1961.0],
        [70551.0, 116.9, 554894.0, 4007.0, 2827.0, 130081.0, 1962.0],
    ];
    const CERTIFIED: [(f64, f64); 7] = [
        (-3482258.63459582, 890420.383607373),
        (15.0618722713733, 84.9149257747669),
        (-0.358191792925910e-1, 0.334910077722432e-1),
        (-2.02022980381683, 0.488399681651699),
        (-1.03322686717359, 0.214274163161675),
        (-0.511041056535807e-1, 0.226073200069370),
        (1829.15146461355, 455.478499142212),
    ];
    let covariates = Matrix::from_fn(16, 6, |i, k| DATA[i][1 + k]);
    let prepared = TruncatedRegression::new("employed", DATA.iter().map(|row| row[0]).collect())
        .covariates(["deflator", "gnp", "unemployed", "forces", "population", "year"], covariates)
        .build(0)
        .unwrap();
    let fit = fitted(&prepared, &Estimator::mle(), StandardErrors::Information);
    // The certified standard errors divide by the residual degrees of freedom, the likelihood by n.
    let factor = (9.0f64 / 16.0).sqrt();
    for (parameter, (estimate, error)) in fit.parameters.iter().zip(CERTIFIED) {
        assert!((parameter.estimate.unwrap() / estimate - 1.0).abs() < 1e-8, "{parameter:?}");
        assert!((parameter.std_error.unwrap() / (factor * error) - 1.0).abs() < 1e-8, "{parameter:?}");
    }
    let sigma = fit.parameters[7].estimate.unwrap();
    assert!((sigma / (factor * 304.854073561965) - 1.0).abs() < 1e-10, "{sigma}");
}

/// A cubic in the year against the same cubic in years from 2005, for every likelihood.
#[test]
fn powers_of_years_are_right_to_a_millionth_of_a_standard_error() {
    let from = 2005.0;
    let noise = |i: usize| (12.9898 * (i as f64 + 1.0)).sin() + 0.5 * (78.233 * i as f64).cos();
    let y: Vec<f64> = (0..124)
        .map(|i| {
            let t = 1990.0 + (i % 31) as f64 - from;
            3.0 + 0.1 * t - 0.02 * t * t + 0.001 * t * t * t + noise(i)
        })
        .collect();
    let cubic = |origin: f64, keep: &dyn Fn(f64) -> bool| {
        let kept: Vec<usize> = (0..124).filter(|i| keep(y[*i])).collect();
        let powers = Matrix::from_fn(kept.len(), 3, |i, k| {
            (1990.0 + (kept[i] % 31) as f64 - origin).powi(k as i32 + 1)
        });
        TruncatedRegression::new("y", kept.iter().map(|i| y[*i].max(-1.0)).collect())
            .covariates(["t", "t2", "t3"], powers)
    };
    let lower = || ResponseLimit::Constant(-1.0);
    let everything: &dyn Fn(f64) -> bool = &|_| true;
    let above: &dyn Fn(f64) -> bool = &|y| y > -1.0;
    let fits = |origin: f64| {
        [
            (Estimator::mle(), cubic(origin, everything)),
            (Estimator::truncated_mle(), cubic(origin, above).lower(lower())),
            (Estimator::mle(), cubic(origin, everything).lower(lower()).censored(Censored::Lower)),
        ]
        .map(|(estimator, regression)| {
            let prepared = regression.build(0).unwrap();
            let estimator = prepared.estimator(&estimator);
            estimator.fit(&prepared.points, prepared.fitted_model()).unwrap()
        })
    };
    for (years, centred) in fits(0.0).iter().zip(fits(from)) {
        assert!(years.is_trustworthy(), "{:?}", years.warnings);
        let [_, b, c, d, _] = *centred.estimates() else { panic!("a cubic has five parameters") };
        let slopes = [b - 2.0 * from * c + 3.0 * from * from * d, c - 3.0 * from * d, d];
        for (parameter, expected) in years.parameters[1..4].iter().zip(slopes) {
            let error = parameter.std_error.unwrap();
            assert!(
                (parameter.estimate.unwrap() - expected).abs() < 1e-6 * error,
                "{parameter:?} {expected}"
            );
        }
        for k in [3, 4] {
            let (found, expected) = (&years.parameters[k], &centred.parameters[k]);
            let error = expected.std_error.unwrap();
            assert!((found.std_error.unwrap() / error - 1.0).abs() < 1e-6, "{found:?} {expected:?}");
            assert!((found.estimate.unwrap() - expected.estimate.unwrap()).abs() < 1e-6 * error);
        }
    }
}

/// A line with noise of this shape, seen above 0.
fn seen_line(seed: u64, noise: impl Fn(f64) -> f64) -> PreparedRegression {
    let rng = &mut simulate::stream(seed, 0);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    while y.len() < 60 {
        let at: f64 = rng.random();
        let response = 0.5 + at + noise(StandardNormal.sample(rng));
        if response > 0.0 {
            x.push(at);
            y.push(response);
        }
    }
    let covariates = Matrix::from_fn(60, 1, |i, _| x[i]);
    let line = TruncatedRegression::new("y", y).covariates(["x"], covariates);
    line.lower(ResponseLimit::Constant(0.0)).build(0).unwrap()
}

/// The share of samples in which a likelihood is rejected at the level 0.1.
fn rejections(estimator: &Estimator, samples: u64, draw: impl Fn(u64) -> PreparedRegression + Sync) -> f64 {
    let rejected = |seed: u64| {
        let prepared = draw(seed);
        let estimator = prepared.estimator(estimator);
        let problem = estimator.check(&prepared.points, &prepared.model).unwrap();
        let test = problem.test(&problem.fit().unwrap(), &GoodnessOfFit::new().level(0.1).draws(19)).unwrap();
        assert!(test.null == Null::Parametric && test.fitted);
        usize::from(test.rejected)
    };
    (0..samples).into_par_iter().map(rejected).sum::<usize>() as f64 / samples as f64
}

#[test]
fn tests_of_likelihoods_keep_their_level_and_see_other_noise() {
    let truncated = Estimator::truncated_mle();
    let level = rejections(&truncated, 150, |seed| seen_line(seed, |z| 0.5 * z));
    assert!((level - 0.1).abs() < 3.0 * (0.09f64 / 150.0).sqrt(), "{level}");
    // Ignoring the limit is wrong, and so is noise on two sides of nothing.
    let two_sided = |seed| seen_line(seed, |z| 0.7 * z.signum() + 0.1 * z);
    let power = rejections(&truncated, 40, two_sided);
    assert!(power > 0.8, "{power}");
    let power = rejections(&Estimator::mle(), 40, two_sided);
    assert!(power > 0.5, "{power}");
}

#[test]
fn censored_records_have_no_score() {
    let prepared = tobit();
    let error = |estimator: Estimator| {
        let found = prepared.estimator(&estimator).fit(&prepared.points, prepared.fitted_model());
        found.unwrap_err().to_string()
    };
    for estimator in [Estimator::tksd(), Estimator::truncsm(), Estimator::new(steinbound::Method::EFFICIENT)]
    {
        assert!(error(estimator).contains("which say nothing of records at a limit"));
    }
    let plain =
        regression(&rows()).lower(ResponseLimit::Constant(0.0)).censored(Censored::Both).build(0).unwrap();
    let estimator = plain.estimator(&Estimator::mle());
    let problem = estimator.check(&plain.points, plain.fitted_model()).unwrap();
    let refused = problem.test(&problem.fit().unwrap(), &GoodnessOfFit::new()).unwrap_err().to_string();
    assert!(refused.contains("records at a limit have no score"), "{refused}");
}

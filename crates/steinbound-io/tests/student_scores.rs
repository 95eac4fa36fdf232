//! The textbook example of truncated regression: the design reproduces the published log-likelihood.

use std::path::Path;

use steinbound_io::{Formula, FrameOptions, Limit, limit_values, read_frame};

/// `ln P(t > limit)` for a normal `t`, by Simpson's rule.
fn log_tail(limit: f64, mean: f64, sigma: f64) -> f64 {
    let (panels, end) = (2_000, mean.max(limit) + 12.0 * sigma);
    let width = (end - limit) / f64::from(panels);
    let density = |t: f64| (-0.5 * ((t - mean) / sigma).powi(2)).exp();
    let weight = |i: i32| match i {
        0 => 1.0,
        i if i == panels => 1.0,
        i => f64::from(2 + 2 * (i % 2)),
    };
    let sum: f64 = (0..=panels).map(|i| weight(i) * density(limit + f64::from(i) * width)).sum();
    (sum * width / 3.0 / sigma / std::f64::consts::TAU.sqrt()).ln()
}

#[test]
fn the_published_estimates_have_the_published_likelihood() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../steinbound-io/data/student_scores.csv");
    let frame = read_frame(&path, &FrameOptions::default()).unwrap();
    let formula = Formula::parse("achiv ~ langscore + C(prog, base=general)").unwrap();
    let design = formula.design(&frame).unwrap();
    assert_eq!(design.names, ["(Intercept)", "langscore", "prog[academic]", "prog[vocational]"]);
    assert_eq!(design.matrix.rows(), 178);
    let Limit::Constant(lower) = limit_values(&frame, "40").unwrap() else { panic!("a number") };

    let likelihood = |coefficients: &[f64], sigma: f64| -> f64 {
        let means = design.matrix.times_vector(coefficients);
        let term = |(y, mean): (&f64, &f64)| {
            let z = (y - mean) / sigma;
            -0.5 * z * z - (sigma * std::f64::consts::TAU.sqrt()).ln() - log_tail(lower, *mean, sigma)
        };
        design.response.iter().zip(&means).map(term).sum()
    };
    let (published, sigma) = ([11.30152, 0.7125775, 4.065219, -1.135863], 8.755315);
    let best = likelihood(&published, sigma);
    assert!((best + 591.30981).abs() < 1e-5, "{best}");
    for k in 0..4 {
        for step in [-0.01, 0.01] {
            let mut nearby = published;
            nearby[k] += step;
            assert!(likelihood(&nearby, sigma) < best, "coefficient {k}");
        }
    }
}

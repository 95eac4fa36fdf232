//! A suite of checks for models, which any user-defined model can run.

use super::{Affine, Conditional, Curvature, Density, Derivatives, Model, Wanted};
use crate::points::Points;

/// Checks a model at some parameters and a handful of points: every derivative against finite differences,
/// the affine form and the translation against the score, and the reported parameters against their inverse.
///
/// Returns the failures, in words.
///
/// ```
/// use steinbound::model::{conformance, Gaussian};
/// assert_eq!(conformance::check(&Gaussian::full(1), &[0.3, 2.0]), Ok(()));
/// ```
pub fn check(model: &dyn Model, theta: &[f64]) -> Result<(), Vec<String>> {
    let point = |i: usize| (0..model.dimension()).map(|l| (1.3 * i as f64 + 0.7 * l as f64).sin()).collect();
    let points: Vec<Vec<f64>> = (0..5).map(point).collect();
    check_at(model, theta, &points)
}

/// As [`check`], at given points: for densities that are not positive everywhere.
///
/// ```
/// use steinbound::model::{conformance, ExponentialFamily};
/// let model = ExponentialFamily::gamma(1)?;
/// assert_eq!(conformance::check_at(&model, &[2.5, 1.5], &[vec![0.3], vec![2.0]]), Ok(()));
/// # Ok::<(), steinbound::Error>(())
/// ```
pub fn check_at(model: &dyn Model, theta: &[f64], points: &[Vec<f64>]) -> Result<(), Vec<String>> {
    let (d, p) = (model.dimension(), model.parameters());
    let mut report = Report { name: model.name().to_string(), failures: Vec::new() };
    let coordinates: Vec<String> = (1..=d).map(|l| format!("x{l}")).collect();
    report.expect(theta.len() == p, || format!("{} values for {p} parameters", theta.len()));
    report.expect(model.names(&coordinates).len() == p, || "a name for each parameter".into());
    report.expect(points.iter().all(|x| x.len() == d), || format!("points of {d} coordinates"));
    if !report.failures.is_empty() {
        return Err(report.failures);
    }
    for x in points {
        check_point(model, theta, x, &mut report);
    }
    check_batches(model, theta, points, &mut report);
    check_reported(model, theta, &coordinates, &mut report);
    if report.failures.is_empty() { Ok(()) } else { Err(report.failures) }
}

struct Report {
    name: String,
    failures: Vec<String>,
}

impl Report {
    fn expect(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.failures.push(format!("{}: {}", self.name, what()));
        }
    }

    fn close(&mut self, what: &str, found: f64, by_differences: f64) {
        let tolerance = 1e-6 * (1.0 + found.abs());
        self.expect((found - by_differences).abs() <= tolerance, || {
            format!("{what} is {found}, but {by_differences} was expected")
        });
    }
}

const STEP: f64 = 1e-5;

/// The central difference of a function in coordinate `k` of `at`.
fn difference(at: &[f64], k: usize, mut value: impl FnMut(&[f64]) -> f64) -> f64 {
    let mut moved = at.to_vec();
    moved[k] = at[k] + STEP;
    let above = value(&moved);
    moved[k] = at[k] - STEP;
    (above - value(&moved)) / (2.0 * STEP)
}

fn check_point(model: &dyn Model, theta: &[f64], x: &[f64], report: &mut Report) {
    let (differentiated, p) = (model.differentiated(), model.parameters());
    let d = differentiated.len();
    let score = |x: &[f64], theta: &[f64]| {
        let mut score = vec![f64::NAN; d];
        model.score(x, theta, &mut score);
        score
    };
    let slope = |x: &[f64], theta: &[f64]| {
        let mut slope = vec![f64::NAN; d];
        model.score_slope(x, theta, &mut slope);
        slope
    };
    let (mut jacobian, mut slope_jacobian) = (vec![f64::NAN; d * p], vec![f64::NAN; d * p]);
    model.score_jacobian(x, theta, &mut jacobian);
    model.score_slope_jacobian(x, theta, &mut slope_jacobian);
    for l in 0..d {
        if let Some(density) = model.density() {
            let exact = difference(x, differentiated[l], |x| density.log_density(x, theta));
            report.close(&format!("score {l}"), score(x, theta)[l], exact);
        }
        let exact = difference(x, differentiated[l], |x| score(x, theta)[l]);
        report.close(&format!("slope of score {l}"), slope(x, theta)[l], exact);
        for k in 0..p {
            let exact = difference(theta, k, |theta| score(x, theta)[l]);
            report.close(&format!("score {l} in parameter {k}"), jacobian[l * p + k], exact);
            let exact = difference(theta, k, |theta| slope(x, theta)[l]);
            report.close(&format!("slope {l} in parameter {k}"), slope_jacobian[l * p + k], exact);
        }
    }
    check_together(model, theta, x, [&score(x, theta), &jacobian, &slope(x, theta), &slope_jacobian], report);
    if let Some(affine) = model.affine() {
        check_affine(affine, &differentiated, theta, x, &score(x, theta), report);
    }
    if let Some(curvature) = model.curvature() {
        check_curvature(curvature, theta, x, report);
    }
    if let Some(density) = model.density() {
        check_density(density, theta, x, report);
    }
    if let Some(conditional) = model.conditional() {
        check_conditional(conditional, differentiated[0], theta, x, report);
    }
    let shift: Vec<f64> = (0..x.len()).map(|l| 0.4 - 0.9 * l as f64).collect();
    if let Some((moved, jacobian)) = model.translate(theta, &shift) {
        let here: Vec<f64> = x.iter().zip(&shift).map(|(x, s)| x + s).collect();
        for (l, value) in score(&here, &moved).into_iter().enumerate() {
            report.close(&format!("translated score {l}"), value, score(x, theta)[l]);
        }
        for k in 0..p {
            for j in 0..p {
                let exact = difference(theta, k, |theta| {
                    model.translate(theta, &shift).map_or(f64::NAN, |moved| moved.0[j])
                });
                report.close(&format!("translation {j} in parameter {k}"), jacobian[(j, k)], exact);
            }
        }
    }
}

/// Features times coefficients must be the score.
fn check_affine(
    affine: &dyn Affine,
    differentiated: &[usize],
    theta: &[f64],
    x: &[f64],
    score: &[f64],
    report: &mut Report,
) {
    let linear = affine.linear_score();
    let is_consistent = linear.is_consistent(differentiated.len(), theta.len());
    report.expect(is_consistent, || "a linear score for each coordinate and parameter".into());
    if !is_consistent {
        return;
    }
    let count = linear.features();
    let features = |x: &[f64]| {
        let mut features = vec![f64::NAN; count];
        affine.features(x, &mut features);
        features
    };
    let coefficients = linear.at(theta);
    for (l, value) in score.iter().enumerate() {
        let sum = features(x).iter().zip(coefficients.column(l)).map(|(f, a)| f * a).sum();
        report.close(&format!("affine score {l}"), sum, *value);
    }
    let mut slopes = vec![f64::NAN; score.len() * count];
    affine.feature_slopes(x, &mut slopes);
    for (l, coordinate) in differentiated.iter().enumerate() {
        for c in 0..count {
            let exact = difference(x, *coordinate, |x| features(x)[c]);
            report.close(&format!("slope {l} of feature {c}"), slopes[l * count + c], exact);
        }
    }
}

/// Derivatives computed together must equal those computed alone.
fn check_together(model: &dyn Model, theta: &[f64], x: &[f64], alone: [&[f64]; 4], report: &mut Report) {
    // All of them, the combinations used by searches (scores with slopes, scores with their Jacobian), and
    // slopes alone.
    let searched = [[true, false, true, false], [true, true, false, false], [false, false, true, true]];
    for requested in searched.into_iter().chain([[true; 4]]) {
        let room = |at: usize| vec![f64::NAN; if requested[at] { alone[at].len() } else { 0 }];
        let mut found: [Vec<f64>; 4] = std::array::from_fn(room);
        let [score, score_jacobian, slope, slope_jacobian] = &mut found;
        model.derivatives(x, theta, Derivatives { score, score_jacobian, slope, slope_jacobian });
        for (found, alone) in found.iter().zip(alone).filter(|(found, _)| !found.is_empty()) {
            for (found, alone) in found.iter().zip(alone) {
                report.close("a derivative computed together with others", *found, *alone);
            }
        }
    }
}

/// The values of all points in one call must equal those of each point.
fn check_batches(model: &dyn Model, theta: &[f64], points: &[Vec<f64>], report: &mut Report) {
    let Some(batches) = model.batches() else { return };
    let Ok(all) = Points::from_rows(points) else { return };
    let (d, p) = (model.differentiated().len(), model.parameters());
    for requested in 1..16 {
        let [score, slope, score_jacobian, slope_jacobian] = [1, 2, 4, 8].map(|bit| requested & bit != 0);
        let wanted = Wanted { score, slope, score_jacobian, slope_jacobian };
        let found = batches.derivatives_at(&all, theta, wanted);
        let columns: usize = wanted.columns(d, p).iter().sum();
        let is_shaped = (found.rows(), found.columns()) == (all.len(), columns);
        report.expect(is_shaped, || format!("{} rows of {columns} values for {wanted:?}", all.len()));
        for (i, x) in all.rows().enumerate().filter(|_| is_shaped) {
            // Each by itself: a slope's derivative may be requested without the slope.
            let [mut score, mut slope, mut score_jacobian, mut slope_jacobian] =
                wanted.columns(d, p).map(|columns| vec![f64::NAN; columns]);
            if wanted.score {
                model.score(x, theta, &mut score);
            }
            if wanted.slope {
                model.score_slope(x, theta, &mut slope);
            }
            if wanted.score_jacobian {
                model.score_jacobian(x, theta, &mut score_jacobian);
            }
            if wanted.slope_jacobian {
                model.score_slope_jacobian(x, theta, &mut slope_jacobian);
            }
            let alone = [score, slope, score_jacobian, slope_jacobian].concat();
            for (j, alone) in alone.into_iter().enumerate() {
                report.close("a derivative computed for all points at once", found[(i, j)], alone);
            }
        }
    }
    let Some(found) = batches.log_densities(&all, theta) else { return };
    report.expect(found.len() == all.len(), || format!("{} log-densities", all.len()));
    for (x, found) in all.rows().zip(found) {
        let alone = model.density().map_or(f64::NAN, |density| density.log_density(x, theta));
        report.close("a log-density computed for all points at once", found, alone);
    }
}

/// Second derivatives of scores and slopes in the parameters.
fn check_curvature(model: &dyn Curvature, theta: &[f64], x: &[f64], report: &mut Report) {
    let (d, p) = (model.differentiated().len(), model.parameters());
    let weights: Vec<f64> = (0..d).map(|l| 0.8 - 0.5 * l as f64).collect();
    let steps = vec![STEP; p];
    type Rows<'a> = &'a dyn Fn(&[f64], &mut [f64]);
    type Sums<'a> = &'a dyn Fn(&mut [f64]);
    let kinds: [(&str, Rows, Sums); 2] = [
        ("score", &|theta, out| model.score_jacobian(x, theta, out), &|out| {
            model.add_score_curvature(x, theta, &weights, &steps, out);
        }),
        ("slope", &|theta, out| model.score_slope_jacobian(x, theta, out), &|out| {
            model.add_slope_curvature(x, theta, &weights, &steps, out);
        }),
    ];
    let mut both = vec![0.0; p * p];
    model.add_curvature(x, theta, [&weights, &weights], &steps, &mut both);
    for (what, jacobian, add) in kinds {
        let mut curvature = vec![0.0; p * p];
        add(&mut curvature);
        both.iter_mut().zip(&curvature).for_each(|(both, own)| *both -= own);
        for j in 0..p {
            for k in 0..p {
                let exact = difference(theta, k, |theta| {
                    let mut rows = vec![f64::NAN; d * p];
                    jacobian(theta, &mut rows);
                    (0..d).map(|l| weights[l] * rows[l * p + j]).sum()
                });
                report.close(&format!("curvature of the {what} in {j}, {k}"), curvature[j * p + k], exact);
            }
        }
    }
    both.iter().for_each(|rest| report.close("curvature of both less that of each", *rest, 0.0));
}

/// The derivatives of the log-density in the parameters.
fn check_density(density: &dyn Density, theta: &[f64], x: &[f64], report: &mut Report) {
    let p = theta.len();
    let gradient = |theta: &[f64]| {
        let mut gradient = vec![f64::NAN; p];
        density.log_density_gradient(x, theta, &mut gradient);
        gradient
    };
    let mut curvature = vec![0.0; p * p];
    density.add_log_density_curvature(x, theta, 1.3, &vec![STEP; p], &mut curvature);
    for j in 0..p {
        for k in 0..p {
            // The mean over both orders, as in second differences: rounding makes them differ if gradients
            // are differences.
            let slope = |j: usize, k: usize| difference(theta, k, |theta| 1.3 * gradient(theta)[j]);
            let exact = 0.5 * (slope(j, k) + slope(k, j));
            report.close(&format!("curvature of the log-density in {j}, {k}"), curvature[j * p + k], exact);
        }
    }
    for (k, found) in gradient(theta).into_iter().enumerate() {
        let exact = difference(theta, k, |theta| density.log_density(x, theta));
        report.close(&format!("log-density in parameter {k}"), found, exact);
    }
}

/// The normaliser of a coordinate given the others: its derivatives in the parameters and at an end of the
/// section.
fn check_conditional(
    conditional: &dyn Conditional,
    coordinate: usize,
    theta: &[f64],
    x: &[f64],
    report: &mut Report,
) {
    let p = theta.len();
    let section = (x[coordinate] - 0.6, x[coordinate] + 0.4);
    let normaliser = |theta: &[f64], section: (f64, f64)| {
        let (mut gradient, mut hessian) = (vec![0.0; p], vec![0.0; p * p]);
        let value = conditional.log_normaliser(x, theta, section, &mut gradient, &mut hessian);
        value.map(|value| (value, gradient, hessian))
    };
    let Some((value, gradient, hessian)) = normaliser(theta, section) else { return };
    // The derivative of the integral in the end of its section is the density there.
    let exact = difference(&[section.1], 0, |end| {
        normaliser(theta, (section.0, end[0])).map_or(f64::NAN, |found| found.0)
    });
    let mut end = x.to_vec();
    end[coordinate] = section.1;
    let density = (conditional.log_density(&end, theta) - value).exp();
    report.close("the normaliser in the end of its section", density, exact);
    for k in 0..p {
        let exact =
            difference(theta, k, |theta| normaliser(theta, section).map_or(f64::NAN, |found| found.0));
        report.close(&format!("the normaliser in parameter {k}"), gradient[k], exact);
        for j in 0..p {
            let exact =
                difference(theta, k, |theta| normaliser(theta, section).map_or(f64::NAN, |found| found.1[j]));
            report.close(&format!("the normaliser's curvature in {j}, {k}"), hessian[j * p + k], exact);
        }
    }
}

fn check_reported(model: &dyn Model, theta: &[f64], coordinates: &[String], report: &mut Report) {
    let Some(reported) = model.report(theta) else {
        report.expect(false, || "the parameters given for the check cannot be reported".into());
        return;
    };
    let names = model.reported_names(coordinates);
    report.expect(names.len() == reported.values.len(), || "a name for each reported value".into());
    match model.fitted_from(&reported.values) {
        Ok(back) => {
            for (k, value) in back.into_iter().enumerate() {
                report.close(&format!("parameter {k} after reporting and back"), value, theta[k]);
            }
        }
        Err(error) => report.expect(false, || error.to_string()),
    }
    for j in 0..reported.values.len() {
        for k in 0..theta.len() {
            let exact = difference(theta, k, |theta| {
                model.report(theta).map_or(f64::NAN, |reported| reported.values[j])
            });
            let what = format!("reported {j} in parameter {k}");
            report.close(&what, reported.jacobian[(j, k)], exact);
        }
    }
}
